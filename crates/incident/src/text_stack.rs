//! Which driver the stack of a blue screen in a text points to. A debugger has unwound it, so that, unlike in a dump, it
//! is known which code was running and what had called it.

use super::basis::Basis;
use super::fault_site::Carriers;
use super::incident::{FaultSite, Suspect};
use super::joined_evidence::JoinedEvidence;
use evidence::{KernelRole, Ticket, TicketFrame, kernel_role};
use windows_codes::{Knowledge, Stop};

/// How many frames are searched. Further out are the filters that every request passes.
const SEARCHED_FRAMES: usize = 24;

/// Beginnings of the names of functions that a compiler makes for handlers of exceptions: a driver's own are between the
/// exception and the blue screen.
const HANDLERS: [&str; 5] =
    ["_C_specific_handler", "__C_specific_handler", "GSHandlerCheck", "_GSHandlerCheck", "__GSHandlerCheck"];

/// Functions of the kernel that run the drivers' deferred calls: code further out only happened to run.
const RUNS_DPCS: [&str; 4] = ["KiExecuteAllDpcs", "KiRetireDpcList", "KxRetireDpcList", "KiIdleLoop"];

/// How the kernel came to stop the system.
enum StopReason<'t> {
    /// By an exception that the code of the first of these frames raised.
    Exception(&'t [TicketFrame]),
    /// The first of these frames called the function that stops the system, or a function of the kernel that did.
    Call(&'t [TicketFrame]),
    /// A watchdog found that the code of the first of these frames ran.
    Interrupt(&'t [TicketFrame]),
}

/// Fault site and suspect of records and analyses, completed from the stack of a blue screen in a text where they name
/// nothing but a carrier.
pub(super) fn completed(
    evidence: &JoinedEvidence<'_>,
    site: Option<FaultSite>,
    suspect: Option<Suspect>,
    carriers: &dyn Carriers,
) -> (Option<FaultSite>, Option<Suspect>) {
    let ticket = evidence.tickets().map(|(_, ticket)| ticket).find(|ticket| ticket.shows_a_stop());
    let Some(ticket) = ticket.filter(|_| evidence.dump().is_none()) else { return (site, suspect) };
    if site.as_ref().is_some_and(|site| !site.carrier) || ticket.blamed.is_some() {
        return (site, suspect);
    }
    let (shown_site, shown_suspect) = site_and_suspect(ticket, carriers);
    (shown_site.or(site), shown_suspect.or(suspect))
}

/// Fault site and suspect by the stack in `ticket`; neither for a blue screen whose stack proves nothing.
fn site_and_suspect(ticket: &Ticket, carriers: &dyn Carriers) -> (Option<FaultSite>, Option<Suspect>) {
    let stack_tells = ticket.bugcheck.as_ref().map(|(code, _)| Knowledge.stop(*code).is_some_and(Stop::stack_tells));
    if stack_tells == Some(false) {
        return (None, None);
    }
    let (frames, reason) = match stop_reason(&ticket.frames) {
        Some(StopReason::Exception(frames)) => return exception_site(frames, carriers),
        // Without the code, a driver of Windows may be the watchdog that found an error of another.
        Some(StopReason::Call(frames))
            if stack_tells.is_some() || frames.first().is_some_and(|first| !is_of_windows(&first.module, carriers)) =>
        {
            (frames, "and what it called stopped the system")
        }
        // Of a blue screen without code nobody knows which watchdog it was.
        Some(StopReason::Interrupt(frames)) if stack_tells.is_some() => (frames, "which the watchdog interrupted"),
        _ => return (None, None),
    };
    let reason = format!("it is the first driver on the stack that the debugger printed, {reason}");
    (None, first_driver(frames, carriers, &reason))
}

fn exception_site(frames: &[TicketFrame], carriers: &dyn Carriers) -> (Option<FaultSite>, Option<Suspect>) {
    let Some(first) = frames.first() else { return (None, None) };
    let site =
        FaultSite { offset: first.offset, function: first.symbol.clone(), ..FaultSite::new(&first.module, carriers) };
    let suspect = if site.carrier {
        let reason =
            format!("it is the first driver on the stack that the debugger printed that called into {}", site.module);
        first_driver(frames, carriers, &reason)
    } else {
        Some(Suspect::new(&site.module, Basis::Exact, "the stack that the debugger printed shows the exception in it"))
    };
    (Some(site), suspect)
}

/// The first driver of these frames that does not come with Windows.
fn first_driver(frames: &[TicketFrame], carriers: &dyn Carriers, reason: &str) -> Option<Suspect> {
    let mut in_kernel = frames.iter().take(SEARCHED_FRAMES).take_while(|frame| !is_border(frame));
    let frame = in_kernel.find(|frame| !is_of_windows(&frame.module, carriers))?;
    Some(Suspect::new(&frame.module, Basis::Unwound, reason))
}

/// Whether the frames further out are those of code that only happened to run, or of a program.
fn is_border(frame: &TicketFrame) -> bool {
    let role = kernel_role(frame);
    let of_dpcs = || frame.symbol.as_deref().is_some_and(|name| RUNS_DPCS.contains(&name));
    matches!(role, Some(KernelRole::SystemCall | KernelRole::Interrupt | KernelRole::Trap))
        || (role == Some(KernelRole::Other) && of_dpcs())
}

fn is_of_windows(module: &str, carriers: &dyn Carriers) -> bool {
    carriers.is_carrier(module) || carriers.is_windows_driver(module)
}

/// How the kernel came to stop the system, with the frames behind those of the blue screen and of the exception that led
/// to it.
fn stop_reason(frames: &[TicketFrame]) -> Option<StopReason<'_>> {
    let mut rest = frames.get(frames.iter().position(|frame| kernel_role(frame) == Some(KernelRole::Stop))?..)?;
    for _ in 0..SEARCHED_FRAMES {
        let (frame, further) = rest.split_first()?;
        match kernel_role(frame) {
            Some(KernelRole::Trap) => return Some(StopReason::Exception(behind_exception(further))),
            Some(KernelRole::Interrupt) => {
                let of_interrupt = |frame: &&TicketFrame| kernel_role(frame) == Some(KernelRole::Interrupt);
                return further.get(further.iter().take_while(of_interrupt).count()..).map(StopReason::Interrupt);
            }
            Some(KernelRole::SystemCall) => return None,
            Some(KernelRole::Stop | KernelRole::Dispatch | KernelRole::Other) => {}
            None if is_handler(frame) || frame.module.eq_ignore_ascii_case("hal.dll") => {}
            None => return Some(StopReason::Call(rest)),
        }
        rest = further;
    }
    None
}

/// The frames behind those of an exception, which may be several.
fn behind_exception(frames: &[TicketFrame]) -> &[TicketFrame] {
    let of_exception =
        |frame: &TicketFrame| matches!(kernel_role(frame), Some(KernelRole::Trap | KernelRole::Dispatch));
    let begins = frames.iter().position(|frame| !of_exception(frame)).unwrap_or(frames.len());
    frames.get(begins..).unwrap_or_default()
}

fn is_handler(frame: &TicketFrame) -> bool {
    frame.symbol.as_deref().is_some_and(|name| {
        name.contains("$filt$") || name.contains("$fin$") || HANDLERS.iter().any(|handler| name.starts_with(handler))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault_site::CarriersByName;
    use evidence::BugcheckCode;

    const LISTED: CarriersByName =
        CarriersByName { carriers: &["ntoskrnl.exe", "hal.dll"], windows_drivers: &["fvevol.sys"] };

    /// The module at the fault, and the suspect with its basis, of a stop with this code and stack.
    fn found_in(code: Option<u32>, stack: &str) -> (Option<String>, Option<(String, &'static str)>) {
        let frame = |place: &str| {
            let (module, symbol) = place.split_once('!').expect("a frame");
            let module = if module == "nt" { "ntoskrnl.exe".to_owned() } else { format!("{module}.sys") };
            TicketFrame {
                module: module.replace("hal.sys", "hal.dll").into(),
                symbol: Some(symbol.into()),
                offset: None,
            }
        };
        let ticket = Ticket {
            frames: stack.split(' ').map(frame).collect(),
            bugcheck: code.map(|code| (BugcheckCode(code), Vec::new())),
            ..Ticket::default()
        };
        let (site, suspect) = site_and_suspect(&ticket, &LISTED);
        (
            site.map(|site| site.module.to_string()),
            suspect.map(|suspect| (suspect.module.to_string(), suspect.basis.word())),
        )
    }

    fn named(
        site: Option<&str>,
        suspect: Option<(&str, &'static str)>,
    ) -> (Option<String>, Option<(String, &'static str)>) {
        (site.map(str::to_owned), suspect.map(|(module, basis)| (module.to_owned(), basis)))
    }

    #[test]
    fn a_driver_that_was_interrupted_is_not_blamed() {
        for stack in [
            "nt!KeBugCheckEx nt!KiBugCheckDispatch nt!KiPageFault nt!KiExecuteAllDpcs nt!KiRetireDpcList filter!Loop",
            "nt!KeBugCheckEx nt!KiPageFault nt!ExFreePool nt!KiInterruptDispatch filter!Loop",
            "nt!KeBugCheckEx nt!KiPageFault nt!KiIpiInterrupt filter!Loop",
        ] {
            assert_eq!(found_in(Some(0xD1), stack).1, None, "{stack}");
        }
    }

    #[test]
    fn behind_the_frames_of_the_exception_is_the_fault() {
        let exact = named(Some("filter.sys"), Some(("filter.sys", "exact")));
        for stack in [
            "nt!KeBugCheckEx nt!KiBugCheckDispatch nt!KiPageFault filter!Read nt!IofCallDriver",
            "nt!KeBugCheckEx nt!MiSystemFault nt!MmAccessFault nt!KiPageFault filter!Read",
            "nt!KeBugCheckEx nt!KiDispatchException nt!KiExceptionDispatch nt!KiGeneralProtectionFault filter!Read",
            "nt!KeBugCheckEx filter!Read$filt$0 filter!__C_specific_handler nt!RtlpExecuteHandlerForException \
             nt!RtlDispatchException nt!KiExceptionDispatch nt!KiPageFault filter!Read",
            "nt!KeBugCheckEx nt!KiBugCheckDispatch nt!KiFastFailDispatch nt!KiRaiseSecurityCheckFailure filter!Read",
        ] {
            let stack = stack.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(found_in(None, &stack), exact, "{stack}");
            assert_eq!(found_in(Some(0x3B), &stack), exact, "{stack}");
        }
    }

    #[test]
    fn who_called_into_the_kernel_is_a_lead() {
        let stack = "nt!KeBugCheckEx nt!KiPageFault nt!ExFreePool fvevol!Do filter!Free nt!KiSystemServiceCopyEnd";
        assert_eq!(found_in(None, stack), named(Some("ntoskrnl.exe"), Some(("filter.sys", "unwound"))));
        let stack = "nt!KeBugCheckEx nt!ExFreePoolWithTag filter!Free";
        assert_eq!(found_in(Some(0xC2), stack), named(None, Some(("filter.sys", "unwound"))));
        assert_eq!(found_in(None, stack), named(None, Some(("filter.sys", "unwound"))));
        assert_eq!(
            found_in(None, "nt!KeBugCheckEx fvevol!Check filter!Free"),
            named(None, None),
            "it may watch others"
        );
        let stack = "nt!KeBugCheckEx nt!KiPageFault nt!Read nt!KiSystemServiceCopyEnd filter!Read";
        assert_eq!(found_in(None, stack), named(Some("ntoskrnl.exe"), None), "the frames of a program");
    }

    #[test]
    fn what_a_watchdog_interrupted_is_named_only_where_the_stop_tells() {
        let stack = "nt!KeBugCheckEx nt!KeAccumulateTicks nt!KiInterruptDispatch filter!Spin nt!KiPageFault";
        assert_eq!(found_in(None, stack), named(None, None));
        assert_eq!(found_in(Some(0x124), "nt!KeBugCheckEx nt!KiPageFault filter!Read"), named(None, None));
        assert_eq!(found_in(Some(0x9F), "nt!KeBugCheckEx filter!Read"), named(None, None));
        assert_eq!(
            found_in(None, "nt!KeBugCheckEx hal!HalBugCheckSystem nt!WheaReportHwError nt!KxMcheckAbort"),
            named(None, None)
        );
    }
}
