//! Walking the crashing thread's stack.
//!
//! Code of 64-bit Windows is unwound by the tables of its images, which full dumps hold and `--symbols` can give, or by
//! the call frame information of Breakpad's `.sym` files ([`x64`]). For other processors and systems
//! `minidump-processor` walks ([`generic`]). Where neither shows the caller, the stack is scanned, and the frames are
//! marked as scanned.

mod generic;
mod other_threads;
mod x64;

use minidump::{MinidumpContext, MinidumpModuleList};

pub use self::other_threads::walk_other_threads;

use super::Excerpted;
use super::memory::Memory;
use super::symbols::Symbols;
use evidence::{CpuArchitecture, Frame, FrameTrust, Names, OperatingSystem, ProcessDump, System};

/// Most frames of the crashing thread that are walked: the innermost ones show what happened.
const MOST_FRAMES: usize = 64;

/// What a walk of stacks uses.
pub struct Given<'g, 'b> {
    /// The excerpt of the dump.
    pub dump: &'g Excerpted<'b>,
    /// The module list.
    pub modules: Option<&'g MinidumpModuleList>,
    /// The registers at the exception.
    pub context: Option<&'g MinidumpContext>,
    /// Symbols and images from outside of the dump.
    pub symbols: Option<&'g Symbols>,
    /// Shares equal names.
    pub names: &'g Names,
}

/// Fills in the crashing thread's frames. A dump that can't be walked simply has none.
pub fn walk(given: &Given<'_, '_>, memory: &mut Memory<'_, '_>, process: &mut ProcessDump) {
    if process.thread.is_none() {
        return;
    }
    let by_tables = has_function_tables(&process.system);
    let mut frames =
        if by_tables { x64::walk(given, memory, process) } else { generic::walk(given, process) }.unwrap_or_default();
    no_surer_than_before(&mut frames);
    if let Some(thread) = &mut process.thread {
        thread.frames = frames;
    }
}

/// Whether code has the function tables of 64-bit Windows.
fn has_function_tables(system: &System) -> bool {
    system.os == OperatingSystem::Windows && system.cpu == CpuArchitecture::X64
}

/// A frame is no surer than those between it and the exception.
fn no_surer_than_before(frames: &mut [Frame]) {
    let mut least = FrameTrust::Exact;
    for frame in frames {
        least = least.min(frame.trust);
        frame.trust = least;
    }
}
