//! Which kind of incident each piece of evidence is of.

use std::sync::Arc;

use super::incident::IncidentKind;
use evidence::{BugcheckCode, Ticket, TicketEvent, WerReport};
use windows_events::catalogue::is_of_a_crash;

/// What kind of incident a text is about.
pub(super) fn ticket_kind(ticket: &Ticket) -> IncidentKind {
    let reset = |event: &TicketEvent| event.provider.eq_ignore_ascii_case("Display") && event.id == 4101;
    let hang = |event: &TicketEvent| event.provider.eq_ignore_ascii_case("Application Hang") && event.id == 1002;
    let crash = |event: &TicketEvent| is_of_a_crash(&event.provider, event.id);
    match &ticket.bugcheck {
        Some((code, _)) => bugcheck_kind(*code),
        None if ticket.shows_a_stop() => IncidentKind::Bugcheck,
        None if ticket.code.is_some() || ticket.module.is_some() => IncidentKind::Crash,
        None if ticket.app.is_some() && ticket.events.iter().any(crash) => IncidentKind::Crash,
        None if ticket.hung || ticket.events.iter().any(hang) => IncidentKind::Hang,
        None if ticket.events.iter().any(reset) => IncidentKind::GpuReset,
        None => IncidentKind::Exit,
    }
}

/// What kind of incident a message box of the system is about, whatever its language: a start that failed when it names a
/// DLL or a status, a crash when it names two addresses ("the instruction at A referenced memory at B"). Any other box is
/// no incident.
pub(super) fn popup_kind(message: &str, dlls: &[Arc<str>]) -> Option<IncidentKind> {
    let numbers: Vec<&str> = message
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")))
        .filter(|digits| digits.len() >= 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit()))
        .collect();
    // Statuses of errors begin with 0xC0 (NTSTATUS, severity "error").
    let status = numbers.iter().any(|digits| digits.len() == 8 && digits.to_ascii_lowercase().starts_with("c0"));
    if !dlls.is_empty() || (status && numbers.len() == 1) {
        Some(IncidentKind::StartFailure)
    } else {
        (numbers.len() >= 2).then_some(IncidentKind::Crash)
    }
}

/// Whether an error of a display driver is a failure of the GPU by its text alone: an Xid, which is the number of an error of
/// NVIDIA's GPUs, an error of the GPU's memory that could not be corrected, or a GPU that is no longer on the bus. Drivers
/// write these texts in English everywhere.
///
/// Source: "Xid Errors" of NVIDIA's documentation, and the texts of the drivers of Linux, whose sources are public
/// (`nvidia.ko`, `amdgpu`).
pub(super) fn reports_gpu_failure(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let xid =
        words.any(|word| word.strip_prefix("xid").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())));
    let uncorrected = ["uncorrect", "double bit", "double-bit"].iter().any(|words| text.contains(words));
    let memory = ["ecc", "memory", "dram", "vram", "hbm", "ras"].iter().any(|words| text.contains(words));
    xid || (uncorrected && memory) || text.contains("fallen off the bus")
}

/// The statuses with which the loader ends a process that it could not start.
///
/// Source: `ntstatus.h`, `STATUS_DLL_NOT_FOUND` and its like.
pub(super) const NOT_STARTED: [u32; 5] = [0xC000_007B, 0xC000_0135, 0xC000_0138, 0xC000_0139, 0xC000_0142];

/// What kind of incident the end of a process with this code is.
pub(super) fn exit_kind(code: u32) -> IncidentKind {
    if NOT_STARTED.contains(&code) { IncidentKind::StartFailure } else { IncidentKind::Exit }
}

/// What kind of incident a bugcheck code is of. Kernel error reports without a restart use the format of blue screens.
///
/// Source: "Kernel live dump code reference" of the Windows driver documentation.
pub(super) fn bugcheck_kind(code: BugcheckCode) -> IncidentKind {
    const VIDEO_LIVE_DUMPS: [u32; 8] = [0x117, 0x141, 0x142, 0x193, 0x1A1, 0x1A8, 0x1B8, 0x190];
    if VIDEO_LIVE_DUMPS.contains(&code.plain()) { IncidentKind::GpuReset } else { IncidentKind::Bugcheck }
}

/// What kind of incident a WER report is of, by its type. `None` for failed updates, missing drivers, suspicions and other
/// reports that are no incident.
pub(super) fn report_kind(report: &WerReport) -> Option<IncidentKind> {
    let name = report.event_type.as_ref();
    if let Some((code, _)) = report.signature.bugcheck {
        let kind = bugcheck_kind(code);
        // A live kernel event that is not about the display is a report, not a blue screen.
        return (kind == IncidentKind::GpuReset || name.eq_ignore_ascii_case("BlueScreen")).then_some(kind);
    }
    let is = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is(&["APPCRASH", "BEX", "BEX64", "MoAppCrash", "MoBEX", "CLR20r3", "InPageError", "InPageCoFire"]) {
        Some(IncidentKind::Crash)
    } else {
        is(&["AppHangB1", "AppHangXProcB1", "MoAppHang", "MoAppHangXProc", "AppTermFailureEvent"])
            .then_some(IncidentKind::Hang)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_fails_by_its_driver_s_words() {
        for text in [
            r"\Device\Video3; Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
            r"\Device\Video3; XID 48",
            "GPU has fallen off the bus",
            "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer memory",
            "amdkmdag: uncorrectable ECC errors detected in UMC block",
        ] {
            assert!(reports_gpu_failure(text), "{text}");
        }
        for text in
            ["Error occurred on GPUID: 100", "Corrected ECC error", "Display is not active", "XidX of a driver", ""]
        {
            assert!(!reports_gpu_failure(text), "{text}");
        }
    }

    #[test]
    fn a_message_box_is_told_by_what_it_names_not_by_its_words() {
        let kind = |message: &str, dlls: &[&str]| {
            popup_kind(message, &dlls.iter().map(|dll| Arc::from(*dll)).collect::<Vec<_>>())
        };
        assert_eq!(kind("X.dll fehlt.", &["X.dll"]), Some(IncidentKind::StartFailure));
        assert_eq!(kind("Could not start correctly (0xc000007b).", &[]), Some(IncidentKind::StartFailure));
        let access = "The instruction at 0x00007ffb12345678 referenced memory at 0x0000000000000010.";
        assert_eq!(kind(access, &[]), Some(IncidentKind::Crash));
        assert_eq!(kind("Do you want to close all tabs?", &[]), None);
    }
}
