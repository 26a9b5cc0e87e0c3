//! Which module called into the carrier that passed on an exception, or into the function that was given a bad value.
//!
//! A stack that was unwound shows it. One that was only scanned holds return addresses of calls that ended long ago
//! beside those that are still to return; [`Basis::of`] tells which are likely.

use super::basis::Basis;
use super::fault_site::Carriers;
use super::incident::Suspect;
use super::other_software::is_of_windows;
use evidence::{Call, Frame, LoadedModule, ProcessDump};

/// How many scanned frames are searched.
pub(super) const SEARCHED_FRAMES: usize = 40;

/// The module that called into `fault_site`, a carrier; `None` where the stack does not show it.
pub(super) fn caller(dump: &ProcessDump, fault_site: &str, carriers: &dyn Carriers) -> Option<Suspect> {
    let found = beyond(dump, 0, fault_site, carriers)?;
    let mut reason = if found.prefix {
        format!("it called into {fault_site}, and no other module is known to have called it")
    } else {
        format!("it is the first module on the stack behind {fault_site} that is no carrier")
    };
    reason.push_str(&found.doubt());
    let basis = if found.skipped { found.basis.min(Basis::Likely) } else { found.basis };
    Some(Suspect::from_module(found.module, basis, reason))
}

/// The frame that surely called the innermost one; `None` where it may have been reached by a return.
pub(super) fn surely_called_from(frames: &[Frame]) -> Option<&Frame> {
    frames.get(1).filter(|frame| Basis::of(frame) >= Basis::Unwound)
}

/// A module on the stack, beyond a frame.
pub(super) struct Beyond<'d> {
    pub(super) module: &'d LoadedModule,
    pub(super) basis: Basis,
    /// Whether it works for its caller, and no other is known.
    prefix: bool,
    probability: Option<f32>,
    /// Whether code that is in no module is between.
    skipped: bool,
}

impl Beyond<'_> {
    /// What may be wrong about it, as the end of a sentence.
    pub(super) fn doubt(&self) -> String {
        if self.skipped {
            return "; between them is code that is in no module".to_owned();
        }
        match (self.basis, self.probability) {
            (Basis::FramePointer, _) => {
                "; by frame pointers, so that a function without one may be missing before it".to_owned()
            }
            (Basis::Likely, Some(likely)) => {
                let stale = (1.0 - likely) * 100.0;
                format!("; by a return address on the stack, and such an address can be stale ({stale:.0} % are)")
            }
            (Basis::Likely | Basis::Scanned, _) => {
                "; by a return address on the stack, and such an address can be stale".to_owned()
            }
            _ => String::new(),
        }
    }
}

/// The first module beyond a frame that is neither `inner` nor one that works for its callers; `None` where the stack does
/// not show it.
pub(super) fn beyond<'d>(
    dump: &'d ProcessDump,
    start: usize,
    inner: &str,
    carriers: &dyn Carriers,
) -> Option<Beyond<'d>> {
    let frames = &dump.thread.as_ref()?.frames;
    let modules = dump.modules.as_ref()?;
    let mut prefix: Option<Beyond<'d>> = None;
    let mut skipped = false;
    let mut scanned = 0_usize;
    let mut called: Option<usize> = frames.get(start)?.module;
    // Threads start in a sentinel, so that the outermost one is where the stack ends. Others of its addresses are stale.
    let is_sentinel = |frame: &Frame| {
        let module = frame.module.and_then(|index| modules.get(index));
        module.is_some_and(|module| carriers.is_sentinel(module.name()))
    };
    let ends = frames.iter().rposition(is_sentinel).unwrap_or(frames.len());
    for frame in frames.iter().take(ends).skip(start.saturating_add(1)) {
        let basis = Basis::of(frame);
        let guessed = basis <= Basis::Likely;
        scanned = scanned.saturating_add(usize::from(guessed));
        if scanned > SEARCHED_FRAMES {
            break;
        }
        let Some(module) = frame.module.and_then(|index| modules.get(index)) else {
            // Code outside of all modules was made at run time; on whose behalf, its caller need not know. On a stack that was
            // only scanned it is mostly no code.
            skipped |= !guessed;
            continue;
        };
        let name = module.name();
        let inside = std::mem::replace(&mut called, frame.module) == frame.module;
        // Hooks run below every call that they watch, and parts of Windows below most, so their addresses are on all stacks.
        let passes = carriers.is_carrier(name) || name.eq_ignore_ascii_case(inner);
        let unlikely = || carriers.is_injected(name) || is_of_windows(module) || is_stale(frame, basis, inside);
        if passes || guessed && unlikely() {
            continue;
        }
        let found = Beyond { module, basis, prefix: carriers.is_prefix(name), probability: frame.probability, skipped };
        if !found.prefix {
            return Some(found);
        }
        prefix = prefix.or(Some(found));
    }
    prefix
}

/// Whether a frame that was searched for is more likely left over from a call that has ended: a call within its module can't
/// have led into another one.
fn is_stale(frame: &Frame, basis: Basis, inside: bool) -> bool {
    basis == Basis::Scanned || frame.call == Some(Call::Within) && !inside
}
