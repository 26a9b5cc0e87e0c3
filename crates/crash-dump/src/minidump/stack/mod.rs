//! Walking the crashing thread's stack.
//!
//! Code of 64-bit Windows is unwound by the tables of its images, which full dumps hold and `--symbols` can give, or by
//! the call frame information of Breakpad's `.sym` files ([`x64`]). For other processors and systems
//! `minidump-processor` walks ([`generic`]). Where neither shows the caller, the stack is scanned, and the frames are
//! marked as scanned.

mod generic;
mod given;
mod other_threads;
mod x64;

pub use self::given::Given;
pub use self::other_threads::walk_other_threads;

use self::given::{has_function_tables, no_surer_than_before};
use super::memory::Memory;
use evidence::ProcessDump;

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
