//! The stable key that groups alike incidents.

use super::{Bugcheck, ExceptionFacts, FaultSite, IncidentKind, Process, Signature, Suspect};

/// Changes whenever equal evidence would give another signature.
const ALGORITHM: u32 = 1;

/// Makes the signature: kind, program, code and modules, joined with ` | `; the fine one adds versions and offset.
#[must_use]
pub fn signature(
    kind: IncidentKind,
    process: Option<&Process>,
    exception: Option<&ExceptionFacts>,
    bugcheck: Option<&Bugcheck>,
    fault_site: Option<&FaultSite>,
    suspect: Option<&Suspect>,
) -> Signature {
    let mut coarse = vec![kind.word().to_owned()];
    coarse.extend(process.and_then(|process| process.name.as_deref()).map(str::to_lowercase));
    if let Some(exception) = exception {
        coarse.push(match exception.fast_fail {
            Some((code, _)) => format!("{}/{}", exception.code, code.0),
            None => exception.code.to_string(),
        });
    }
    coarse.extend(bugcheck.map(|bugcheck| bugcheck.code.to_string()));
    coarse.extend(fault_site.map(|site| site.module.to_lowercase()));
    coarse.extend(
        suspect
            .filter(|suspect| fault_site.is_none_or(|site| !site.module.eq_ignore_ascii_case(&suspect.module)))
            .map(|suspect| suspect.module.to_lowercase()),
    );
    let mut fine = coarse.clone();
    fine.extend(process.and_then(|process| process.version).map(|version| version.to_string()));
    if let Some(site) = fault_site {
        fine.extend(site.version.map(|version| version.to_string()));
        fine.extend(site.offset.map(|offset| offset.to_string()));
    }
    Signature { algorithm: ALGORITHM, coarse: coarse.join(" | "), fine: fine.join(" | ") }
}
