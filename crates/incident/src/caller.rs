//! Which module called into the carrier that passed on an exception.
//!
//! A stack that was unwound shows it. One that was only scanned holds return addresses of calls that ended long ago
//! beside those that are still to return, and nothing distinguishes them; so of a scanned stack a module is named only
//! where its address is that of a call into another module.

use super::fault_site::Carriers;
use super::incident::Suspect;
use evidence::{Call, Frame, FrameTrust, LoadedModule, ProcessDump};

/// How many scanned frames are searched. Further out they are mostly stale.
pub(super) const SEARCHED_FRAMES: usize = 16;

/// The module that called into `fault_site`, a carrier; `None` where the stack does not show it.
pub(super) fn caller(dump: &ProcessDump, fault_site: &str, carriers: &dyn Carriers) -> Option<Suspect> {
    let frames = &dump.thread.as_ref()?.frames;
    let modules = dump.modules.as_ref()?;
    let scan_begins = frames.iter().position(|frame| frame.trust == FrameTrust::Scanned).unwrap_or(frames.len());
    let (unwound, scanned) = frames.split_at_checked(scan_begins)?;
    let stack = Stack { modules, fault_site, carriers };
    stack.unwound(unwound).unwrap_or_else(|| stack.scanned(scanned))
}

struct Stack<'s> {
    modules: &'s [LoadedModule],
    fault_site: &'s str,
    carriers: &'s dyn Carriers,
}

impl Stack<'_> {
    fn module(&self, frame: &Frame) -> Option<&LoadedModule> {
        self.modules.get(frame.module?)
    }

    /// The caller in the frames that were unwound, `Some(None)` where it cannot be known; `None` where all are carriers, so
    /// that the caller is further out.
    fn unwound(&self, frames: &[Frame]) -> Option<Option<Suspect>> {
        let mut passed_over = None;
        // The innermost frame is where the exception was raised.
        for frame in frames.iter().skip(1) {
            // Code outside of all modules was made at run time; on whose behalf, its caller need not know.
            let Some(module) = self.module(frame) else { return Some(None) };
            let name = module.name();
            if self.carriers.is_carrier(name) {
                continue;
            }
            if !self.carriers.is_prefix(name) {
                let mut reason = format!("it is the first module on the stack that called into {}", self.fault_site);
                // A call through a pointer leads into another module, so that no frame is missing between.
                let sure = frame.trust >= FrameTrust::Unwound || frame.call == Some(Call::ThroughPointer);
                if !sure {
                    reason.push_str("; by frame pointers, so that a function without one may be missing before it");
                }
                return Some(Some(Suspect::from_module(module, if sure { "unwound" } else { "scanned" }, reason)));
            }
            passed_over = passed_over.or(Some(module));
        }
        passed_over.map(|module| {
            let reason = format!("it called into {}, and no other module is known to have called it", self.fault_site);
            Some(Suspect::from_module(module, "unwound", reason))
        })
    }

    /// The caller in the frames that were only scanned.
    fn scanned(&self, frames: &[Frame]) -> Option<Suspect> {
        let searched: Vec<(&Frame, &LoadedModule)> = frames
            .iter()
            .take(SEARCHED_FRAMES)
            .filter_map(|frame| Some((frame, self.module(frame)?)))
            .take_while(|(_, module)| !self.carriers.is_sentinel(module.name()))
            // Hooks run below every call that they watch, so their addresses are on all stacks.
            .filter(|(_, module)| !self.carriers.is_carrier(module.name()) && !self.carriers.is_injected(module.name()))
            .collect();
        let (frame, module) = *searched.first()?;
        // Called from a carrier's frame, so it called another module. A call within its own is a stale one.
        if frame.call != Some(Call::ThroughPointer) {
            return None;
        }
        let likely = frame.probability.map(|likely| format!(" ({:.0} % are)", (1.0 - likely) * 100.0));
        let reason = format!(
            "{} only delivers exceptions, and this is the first other module with a return address on the stack; such an \
             address can be stale{}",
            self.fault_site,
            likely.unwrap_or_default()
        );
        Some(Suspect::from_module(module, "scanned", reason))
    }
}
