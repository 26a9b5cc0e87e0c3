//! Which driver the stack of a stop points to that a text shows. A debugger has unwound it, so that, other than of a
//! dump, it is known which code was running and who had called it.

use std::sync::Arc;

use super::fault_site::Carriers;
use super::gathered::Gathered;
use super::{FaultSite, Suspect};
use evidence::{KernelRole, Ticket, TicketFrame, kernel_role};
use windows_codes::{Knowledge, Stop};

/// As many frames are looked at. Further out stand the filters that every request passes.
const SEARCHED_FRAMES: usize = 24;

/// Beginnings of the names of functions that a compiler makes for handlers of exceptions: a driver's own stand between
/// the exception and the stop.
const HANDLERS: [&str; 5] =
    ["_C_specific_handler", "__C_specific_handler", "GSHandlerCheck", "_GSHandlerCheck", "__GSHandlerCheck"];

/// Functions of the kernel that run the drivers' deferred calls: what stands further out only happened to run.
const RUNS_DPCS: [&str; 4] = ["KiExecuteAllDpcs", "KiRetireDpcList", "KxRetireDpcList", "KiIdleLoop"];

/// What the stack of a text shows of a stop.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub site: Option<FaultSite>,
    pub suspect: Option<Suspect>,
}

/// How the kernel came to stop the system.
enum Way<'t> {
    /// By an exception that the code of the first of these frames raised.
    Exception(&'t [TicketFrame]),
    /// The first of these frames called the function that stops the system, or one of the kernel's that did.
    Call(&'t [TicketFrame]),
    /// A watchdog found that the code of the first of these frames ran.
    Interrupt(&'t [TicketFrame]),
}

/// What records and analyses name, with what the stack of a stop in a text shows where they name nobody but a carrier.
pub(super) fn completed(
    gathered: &Gathered<'_>,
    site: Option<FaultSite>,
    suspect: Option<Suspect>,
    knowledge: &Knowledge,
    carriers: &dyn Carriers,
) -> (Option<FaultSite>, Option<Suspect>) {
    let ticket = gathered.tickets().map(|(_, ticket)| ticket).find(|ticket| ticket.shows_a_stop());
    let Some(ticket) = ticket.filter(|_| gathered.dump().is_none()) else { return (site, suspect) };
    if site.as_ref().is_some_and(|site| !site.carrier) || ticket.blamed.is_some() {
        return (site, suspect);
    }
    let shown = shown(ticket, knowledge, carriers);
    (shown.site.or(site), shown.suspect.or(suspect))
}

/// What the stack in `ticket` shows; nothing where the stop is one whose stack does not tell.
pub(super) fn shown(ticket: &Ticket, knowledge: &Knowledge, carriers: &dyn Carriers) -> Shown {
    let tells = ticket.bugcheck.as_ref().map(|(code, _)| knowledge.stop(*code).is_some_and(Stop::stack_tells));
    if tells == Some(false) {
        return Shown::default();
    }
    match way(&ticket.frames) {
        Some(Way::Exception(frames)) => of_exception(frames, carriers),
        // Without the code, a driver of Windows may be the watchdog that found what another did.
        Some(Way::Call(frames))
            if tells.is_some() || frames.first().is_some_and(|first| !of_windows(&first.module, carriers)) =>
        {
            let reason = "it is the first driver on the stack that the debugger printed, and what it called stopped the \
                          system";
            Shown { site: None, suspect: first_driver(frames, carriers, reason) }
        }
        // Of a stop without code nobody knows which watchdog it was.
        Some(Way::Interrupt(frames)) if tells.is_some() => {
            let reason =
                "it is the first driver on the stack that the debugger printed, which the watchdog interrupted";
            Shown { site: None, suspect: first_driver(frames, carriers, reason) }
        }
        _ => Shown::default(),
    }
}

fn of_exception(frames: &[TicketFrame], carriers: &dyn Carriers) -> Shown {
    let Some(first) = frames.first() else { return Shown::default() };
    let carrier = carriers.is_carrier(&first.module);
    let site = FaultSite {
        module: Arc::clone(&first.module),
        version: None,
        offset: first.offset,
        path: None,
        function: first.symbol.clone(),
        unloaded: false,
        carrier,
    };
    let suspect = if carrier {
        let reason =
            format!("it is the first driver on the stack that the debugger printed that called into {}", site.module);
        first_driver(frames, carriers, &reason)
    } else {
        let reason = "the stack that the debugger printed shows the exception in it";
        Some(suspect(&site.module, "exact", reason))
    };
    Shown { site: Some(site), suspect }
}

/// The first driver of these frames that does not come with Windows.
fn first_driver(frames: &[TicketFrame], carriers: &dyn Carriers, reason: &str) -> Option<Suspect> {
    let mut in_kernel = frames.iter().take(SEARCHED_FRAMES).take_while(|frame| !is_border(frame));
    let frame = in_kernel.find(|frame| !of_windows(&frame.module, carriers))?;
    Some(suspect(&frame.module, "unwound", reason))
}

/// Whether what stands further out only happened to run, or is a program's.
fn is_border(frame: &TicketFrame) -> bool {
    let role = kernel_role(frame);
    let of_dpcs = || frame.symbol.as_deref().is_some_and(|name| RUNS_DPCS.contains(&name));
    matches!(role, Some(KernelRole::SystemCall | KernelRole::Interrupt | KernelRole::Trap))
        || (role == Some(KernelRole::Other) && of_dpcs())
}

fn of_windows(module: &str, carriers: &dyn Carriers) -> bool {
    carriers.is_carrier(module) || carriers.is_windows_driver(module)
}

fn suspect(module: &Arc<str>, basis: &'static str, reason: &str) -> Suspect {
    Suspect { module: Arc::clone(module), version: None, path: None, basis, reason: reason.to_owned() }
}

/// What stands behind the frames of the stop and of the exception that led to it.
fn way(frames: &[TicketFrame]) -> Option<Way<'_>> {
    let mut rest = frames.get(frames.iter().position(|frame| kernel_role(frame) == Some(KernelRole::Stop))?..)?;
    for _ in 0..SEARCHED_FRAMES {
        let (frame, further) = rest.split_first()?;
        match kernel_role(frame) {
            Some(KernelRole::Trap) => return Some(Way::Exception(behind(further))),
            Some(KernelRole::Interrupt) => {
                let of_interrupt = |frame: &&TicketFrame| kernel_role(frame) == Some(KernelRole::Interrupt);
                return further.get(further.iter().take_while(of_interrupt).count()..).map(Way::Interrupt);
            }
            Some(KernelRole::SystemCall) => return None,
            Some(KernelRole::Stop | KernelRole::Dispatch | KernelRole::Other) => {}
            None if is_handler(frame) || frame.module.eq_ignore_ascii_case("hal.dll") => {}
            None => return Some(Way::Call(rest)),
        }
        rest = further;
    }
    None
}

/// The frames behind those of an exception, which may be several.
fn behind(frames: &[TicketFrame]) -> &[TicketFrame] {
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
    fn of(code: Option<u32>, stack: &str) -> (Option<String>, Option<(String, &'static str)>) {
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
        let Shown { site, suspect } = shown(&ticket, &Knowledge::builtin(), &LISTED);
        (site.map(|site| site.module.to_string()), suspect.map(|suspect| (suspect.module.to_string(), suspect.basis)))
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
            assert_eq!(of(Some(0xD1), stack).1, None, "{stack}");
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
            assert_eq!(of(None, &stack), exact, "{stack}");
            assert_eq!(of(Some(0x3B), &stack), exact, "{stack}");
        }
    }

    #[test]
    fn who_called_into_the_kernel_is_a_lead() {
        let stack = "nt!KeBugCheckEx nt!KiPageFault nt!ExFreePool fvevol!Do filter!Free nt!KiSystemServiceCopyEnd";
        assert_eq!(of(None, stack), named(Some("ntoskrnl.exe"), Some(("filter.sys", "unwound"))));
        let stack = "nt!KeBugCheckEx nt!ExFreePoolWithTag filter!Free";
        assert_eq!(of(Some(0xC2), stack), named(None, Some(("filter.sys", "unwound"))));
        assert_eq!(of(None, stack), named(None, Some(("filter.sys", "unwound"))));
        assert_eq!(of(None, "nt!KeBugCheckEx fvevol!Check filter!Free"), named(None, None), "it may watch others");
        let stack = "nt!KeBugCheckEx nt!KiPageFault nt!Read nt!KiSystemServiceCopyEnd filter!Read";
        assert_eq!(of(None, stack), named(Some("ntoskrnl.exe"), None), "the frames of a program");
    }

    #[test]
    fn what_a_watchdog_interrupted_is_named_only_where_the_stop_tells() {
        let stack = "nt!KeBugCheckEx nt!KeAccumulateTicks nt!KiInterruptDispatch filter!Spin nt!KiPageFault";
        assert_eq!(of(None, stack), named(None, None));
        assert_eq!(of(Some(0x124), "nt!KeBugCheckEx nt!KiPageFault filter!Read"), named(None, None));
        assert_eq!(of(Some(0x9F), "nt!KeBugCheckEx filter!Read"), named(None, None));
        assert_eq!(
            of(None, "nt!KeBugCheckEx hal!HalBugCheckSystem nt!WheaReportHwError nt!KxMcheckAbort"),
            named(None, None)
        );
    }
}
