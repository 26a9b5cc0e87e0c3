//! Walking the crashing thread's stack.
//!
//! Code of 64-bit Windows is unwound by the tables of its images, which full dumps hold and `--symbols` can give, or by
//! the call frame information of Breakpad's `.sym` files ([`x64`]). For other processors and systems
//! `minidump-processor` walks ([`other`]). Where nothing tells how to go on, the stack is scanned, and the frames say so.

mod other;
mod others;
mod x64;

use minidump::{MinidumpContext, MinidumpModuleList};

pub use self::others::walk_others;

use super::Excerpted;
use super::image::Memory;
use super::symbols::Symbols;
use evidence::{CpuArchitecture, Frame, FrameTrust, Names, OperatingSystem, ProcessDump};

/// The innermost frames are the ones that say something.
const MOST_FRAMES: usize = 64;

/// What a walk goes by.
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
    let by_tables = process.system.os == OperatingSystem::Windows && process.system.cpu == CpuArchitecture::X64;
    let mut frames =
        if by_tables { x64::walk(given, memory, process) } else { other::walk(given, process) }.unwrap_or_default();
    no_surer_than_before(&mut frames);
    if let Some(thread) = &mut process.thread {
        thread.frames = frames;
    }
}

/// A frame is no surer than those between it and the exception.
fn no_surer_than_before(frames: &mut [Frame]) {
    let mut least = FrameTrust::Exact;
    for frame in frames {
        least = least.min(frame.trust);
        frame.trust = least;
    }
}
