//! The stable key by which incidents are alike.

use super::incident::{Bugcheck, Incident, IncidentKind, Signature, Suspect};
use super::joined_evidence::JoinedEvidence;
use super::stable_name::stable_name;
use evidence::{EventBody, WerReport, base_name, starts_process};

/// The number of the algorithm, which changes whenever equal evidence would give another signature.
pub const ALGORITHM: u32 = 4;
/// First parameters of blue screens up to here are numbers of the kind of failure; beyond are addresses, which differ each
/// time.
///
/// Source: the lowest 64 KiB of an address space are never given out; 0x1A has the largest such numbers (0x61948).
const LARGEST_NUMBER: u64 = 0xF_FFFF;

/// Makes the signature of an incident with this suspect: kind, program, code, what records of that kind name, and modules,
/// joined with ` | `; the fine one adds names, versions and the place. Names are those that builds share. Texts that name
/// neither program nor module nor blue screen are alike only when their lines are the same: the people who wrote them use
/// different programs.
pub(super) fn signature(incident: &Incident, suspect: Option<&Suspect>, evidence: &JoinedEvidence<'_>) -> Signature {
    let Incident { kind, process, exception, bugcheck, fault_site, .. } = incident;
    let program = process.as_ref().and_then(|process| process.name.as_deref());
    let mut coarse = vec![kind.word().to_owned()];
    coarse.extend(program.map(stable_name));
    if let Some(exception) = exception {
        coarse.push(match &exception.fast_fail {
            Some(fast_fail) => format!("{}/{}", exception.code, fast_fail.code.0),
            None => exception.code.to_string(),
        });
    }
    coarse.extend(bugcheck.as_ref().map(stop));
    coarse.extend(named(*kind, evidence));
    coarse.extend(fault_site.as_ref().map(|site| stable_name(&site.module)));
    let is_site =
        |suspect: &Suspect| fault_site.as_ref().is_some_and(|site| site.module.eq_ignore_ascii_case(&suspect.module));
    coarse.extend(suspect.filter(|suspect| !is_site(suspect)).map(|suspect| stable_name(&suspect.module)));
    if program.is_none() && bugcheck.is_none() && fault_site.is_none() && suspect.is_none() {
        coarse.extend(evidence.text_hashes().first().map(|text| format!("text {text:016x}")));
    }
    let mut fine = coarse.clone();
    fine.extend(process.as_ref().and_then(|process| process.version).map(|version| version.to_string()));
    if let Some(site) = fault_site {
        let name = site.module.to_lowercase();
        fine.extend(Some(name).filter(|name| *name != stable_name(name)));
        fine.extend(site.version.map(|version| version.to_string()));
        fine.extend(site.offset.map(|offset| offset.to_string()));
    }
    fine.extend(of_report(evidence, |report| report.signature.hang_signature.as_deref()).map(str::to_lowercase));
    Signature { algorithm: ALGORITHM, coarse: coarse.join(" | "), fine: fine.join(" | ") }
}

/// A bugcheck code with the status among its parameters, or with its first parameter where that is the kind of failure.
fn stop(bugcheck: &Bugcheck) -> String {
    if let Some(status) = bugcheck.status {
        return format!("{}/{status}", bugcheck.code);
    }
    let is_kind = bugcheck.meanings.iter().any(|meaning| meaning.number == 1 && meaning.means.is_some());
    match bugcheck.parameters.first() {
        Some(number) if is_kind && *number <= LARGEST_NUMBER => format!("{}/{number:#x}", bugcheck.code),
        _ => bugcheck.code.to_string(),
    }
}

/// What is named by records that have neither an exception's place nor a bugcheck code: the driver that was reset, the
/// service that ended, the DLL or assembly that a program lacked or was refused, what a program waited for, the type of a .NET exception.
fn named(kind: IncidentKind, evidence: &JoinedEvidence<'_>) -> Option<String> {
    let of_event = |pick: fn(&EventBody) -> Option<&str>| evidence.event(pick).map(|(_, name)| name);
    match kind {
        IncidentKind::GpuReset => of_event(|body| match body {
            EventBody::DisplayReset { driver } | EventBody::DisplayDriver { driver, .. } => Some(driver),
            _ => None,
        })
        .map(|driver| driver.trim_end_matches(".sys").to_lowercase()),
        IncidentKind::Exit => evidence.ended_service().map(|end| of_all_users(&end.key().to_lowercase()).to_owned()),
        IncidentKind::StartFailure => of_event(|body| match body {
            EventBody::Popup { dlls, .. } => dlls.first().map(|dll| &**dll),
            // Version and key follow the name.
            EventBody::SideBySide { assembly, .. } => assembly.as_deref()?.split(',').next(),
            EventBody::ImageRefused { blocked: true, file, .. } => {
                file.as_deref().filter(|file| !starts_process(file)).map(base_name)
            }
            _ => None,
        })
        .map(stable_name),
        IncidentKind::Hang => of_report(evidence, |report| report.signature.waiting_for.as_deref()).map(stable_name),
        // WER cuts the end of long names.
        IncidentKind::Crash => of_event(|body| match body {
            EventBody::DotNet { exception_type, .. } => exception_type.as_deref(),
            _ => None,
        })
        .or_else(|| of_report(evidence, |report| report.signature.managed_exception.as_deref()))
        .map(|name| name.strip_suffix("Exception").unwrap_or(name).to_lowercase()),
        IncidentKind::Bugcheck | IncidentKind::PowerLoss => None,
    }
}

/// What `pick` takes of the first WER report that has it.
fn of_report<'i>(evidence: &JoinedEvidence<'i>, pick: impl Fn(&'i WerReport) -> Option<&'i str>) -> Option<&'i str> {
    evidence.reports().find_map(|(_, report)| pick(report))
}

/// A service's name in lower case without the session of the user that it runs for (`OneSyncSvc_4b9f3`,
/// `OneSyncSvc_Session2`), which is another one after each start.
///
/// Source: "Per-user services in Windows" of Microsoft's documentation.
fn of_all_users(service: &str) -> &str {
    let is_session = |suffix: &str| {
        let number = suffix.strip_prefix("session").unwrap_or(suffix);
        let hexadecimal = (4..=8).contains(&number.len()) && number.bytes().any(|byte| byte.is_ascii_digit());
        let decimal = number.len() < suffix.len() && number.bytes().all(|byte| byte.is_ascii_digit());
        decimal || (hexadecimal && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    service.rsplit_once('_').filter(|(_, suffix)| is_session(suffix)).map_or(service, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::ParameterMeaning;
    use evidence::{BugcheckCode, ExceptionCode};

    fn of_stop(code: u32, first: u64, says: bool, status: Option<u32>) -> String {
        stop(&Bugcheck {
            code: BugcheckCode(code),
            name: None,
            live: false,
            parameters: vec![first, 0, 0, 0],
            meanings: vec![ParameterMeaning { number: 1, is: "kind", means: says.then(|| "a kind".to_owned()) }],
            status: status.map(ExceptionCode),
            bits_differ: None,
            machine_check: None,
        })
    }

    #[test]
    fn stops_have_the_number_of_their_kind_or_the_status_that_they_carry() {
        assert_eq!(of_stop(0x1A, 0x4_1790, true, None), "0x0000001A/0x41790");
        assert_eq!(of_stop(0xD1, 0xFFFF_8000_1234_5678, false, None), "0x000000D1");
        assert_eq!(of_stop(0xD1, 0x18, false, None), "0x000000D1", "an address, though a small one");
        assert_eq!(of_stop(0x50, 0xFFFF_8000_1234_5678, true, None), "0x00000050", "an address differs each time");
        assert_eq!(of_stop(0x3B, 0xC000_0005, false, Some(0xC000_0005)), "0x0000003B/0xC0000005");
    }

    #[test]
    fn a_service_of_each_user_is_one_service() {
        for (service, of_all) in [
            ("onesyncsvc_4b9f3", "onesyncsvc"),
            ("onesyncsvc_session2", "onesyncsvc"),
            ("onesyncsvc_1f2e3d4c", "onesyncsvc"),
            ("onesyncsvc_1f2e3d4c5", "onesyncsvc_1f2e3d4c5"),
            ("wsearch", "wsearch"),
            ("nv_container", "nv_container"),
            ("app_face", "app_face"),
            ("agent_2", "agent_2"),
        ] {
            assert_eq!(of_all_users(service), of_all);
        }
    }
}
