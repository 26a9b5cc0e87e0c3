//! Walking the crashing thread's stack.
//!
//! x86 code of Windows is unwound by the tables of its images, which full dumps hold and `--symbols` can give, by
//! Breakpad's `.sym` files and PDBs, by the code itself, or by frame pointers ([`x86`]). For other processors and systems
//! `minidump-unwind` walks ([`generic`]). Where nothing shows the caller, the stack is scanned, and the frames are marked
//! as scanned.

mod generic;
mod given;
mod missing;
mod other_threads;
mod waits;
mod x86;

pub use self::given::Given;
pub use self::missing::add_missing_code;
pub use self::other_threads::walk_other_threads;

use self::given::{is_x86_on_windows, no_surer_than_before};
use super::memory::Memory;
use evidence::ProcessDump;

/// Fills in the crashing thread's frames. A dump that can't be walked simply has none.
pub fn walk(given: &Given<'_, '_>, memory: &mut Memory<'_, '_>, process: &mut ProcessDump) {
    if process.thread.is_none() {
        return;
    }
    let walked = if is_x86_on_windows(&process.system) {
        x86::walk(given, memory, process)
    } else {
        generic::walk(given, memory, process).map(|frames| (frames, Vec::new()))
    };
    let (mut frames, without_caller) = walked.unwrap_or_default();
    no_surer_than_before(&mut frames);
    let missing = missing::missing(&frames, &without_caller, given, process);
    if let Some(thread) = &mut process.thread {
        thread.frames = frames;
        thread.missing = missing;
    }
}
