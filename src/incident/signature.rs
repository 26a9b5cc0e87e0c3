//! The stable key that groups alike incidents.

use super::gathered::Gathered;
use super::stable_name::stable_name;
use super::{Bugcheck, ExceptionFacts, FaultSite, IncidentKind, Process, Signature, Suspect};
use crate::evidence::{Event, EventBody, Observation, WerReport};

/// Changes whenever equal evidence would give another signature.
const ALGORITHM: u32 = 2;
/// First parameters of stops up to here are numbers of the kind of failure; beyond lie addresses, which differ each time.
///
/// Source: the lowest 64 KiB of an address space are never given out; 0x1A has the largest such numbers (0x61948).
const LARGEST_NUMBER: u64 = 0xF_FFFF;

/// What a signature is made of.
pub(super) struct Parts<'a> {
    pub(super) kind: IncidentKind,
    pub(super) process: Option<&'a Process>,
    pub(super) exception: Option<&'a ExceptionFacts>,
    pub(super) bugcheck: Option<&'a Bugcheck>,
    pub(super) fault_site: Option<&'a FaultSite>,
    pub(super) suspect: Option<&'a Suspect>,
}

impl Parts<'_> {
    /// Makes the signature: kind, program, code, what records of that kind name, and modules, joined with ` | `; the
    /// fine one adds names, versions and the place. Names are those that builds share.
    pub(super) fn signature(&self, gathered: &Gathered<'_>) -> Signature {
        let Self { kind, process, exception, bugcheck, fault_site, suspect } = self;
        let mut coarse = vec![kind.word().to_owned()];
        coarse.extend(process.and_then(|process| process.name.as_deref()).map(stable_name));
        if let Some(exception) = exception {
            coarse.push(match exception.fast_fail {
                Some((code, _)) => format!("{}/{}", exception.code, code.0),
                None => exception.code.to_string(),
            });
        }
        coarse.extend(bugcheck.map(stop));
        coarse.extend(named(*kind, gathered));
        coarse.extend(fault_site.map(|site| stable_name(&site.module)));
        coarse.extend(
            suspect
                .filter(|suspect| fault_site.is_none_or(|site| !site.module.eq_ignore_ascii_case(&suspect.module)))
                .map(|suspect| stable_name(&suspect.module)),
        );
        let mut fine = coarse.clone();
        fine.extend(process.and_then(|process| process.version).map(|version| version.to_string()));
        if let Some(site) = fault_site {
            let name = site.module.to_lowercase();
            fine.extend(Some(name).filter(|name| *name != stable_name(name)));
            fine.extend(site.version.map(|version| version.to_string()));
            fine.extend(site.offset.map(|offset| offset.to_string()));
        }
        fine.extend(
            reports(gathered).find_map(|report| report.signature.hang_signature.as_deref()).map(str::to_lowercase),
        );
        Signature { algorithm: ALGORITHM, coarse: coarse.join(" | "), fine: fine.join(" | ") }
    }
}

/// A stop's code with the status that it carries, or with its first parameter where that says what kind of failure it
/// was.
fn stop(bugcheck: &Bugcheck) -> String {
    if let Some(status) = bugcheck.status {
        return format!("{}/{status}", bugcheck.code);
    }
    let says = bugcheck.meanings.iter().any(|meaning| meaning.number == 1 && meaning.means.is_some());
    match bugcheck.parameters.first() {
        Some(number) if says && *number <= LARGEST_NUMBER => format!("{}/{number:#x}", bugcheck.code),
        _ => bugcheck.code.to_string(),
    }
}

/// What records name that have neither an exception's place nor a stop: the driver that was reset, the service that
/// ended, the DLL or assembly that a program lacked, what a program waited for, the type of a .NET exception.
fn named(kind: IncidentKind, gathered: &Gathered<'_>) -> Option<String> {
    let of_event = |pick: fn(&Event) -> Option<&str>| gathered.events().find_map(|(_, event)| pick(event));
    match kind {
        IncidentKind::GpuReset => of_event(|event| match &event.body {
            EventBody::DisplayReset { driver } => Some(driver),
            EventBody::DisplayDriver { driver, reset: true, .. } => Some(driver),
            _ => None,
        })
        .map(|driver| driver.trim_end_matches(".sys").to_lowercase()),
        IncidentKind::Exit => of_event(|event| match &event.body {
            EventBody::ServiceEnded(end) => Some(end.name.as_deref().unwrap_or(&end.display_name)),
            _ => None,
        })
        .map(str::to_lowercase),
        IncidentKind::StartFailure => of_event(|event| match &event.body {
            EventBody::Popup { dlls, .. } => dlls.first().map(|dll| &**dll),
            // Version and key follow the name.
            EventBody::SideBySide { assembly, .. } => assembly.as_deref()?.split(',').next(),
            _ => None,
        })
        .map(stable_name),
        IncidentKind::Hang => {
            reports(gathered).find_map(|report| report.signature.waiting_for.as_deref()).map(stable_name)
        }
        // WER cuts the end of long names.
        IncidentKind::Crash => of_event(|event| match &event.body {
            EventBody::DotNet { exception_type, .. } => exception_type.as_deref(),
            _ => None,
        })
        .or_else(|| reports(gathered).find_map(|report| report.signature.managed_exception.as_deref()))
        .map(|name| name.strip_suffix("Exception").unwrap_or(name).to_lowercase()),
        IncidentKind::Bugcheck | IncidentKind::PowerLoss => None,
    }
}

fn reports<'g>(gathered: &'g Gathered<'_>) -> impl Iterator<Item = &'g WerReport> {
    gathered.items.iter().filter_map(|item| match &item.observation {
        Observation::Wer(report) => Some(&**report),
        Observation::Event(event) => match &event.body {
            EventBody::Wer(report) => Some(&**report),
            _ => None,
        },
        _ => None,
    })
}
