//! Walking the crashing thread's stack with `minidump-processor`.

use super::Excerpted;
use crate::evidence::{Address, Frame, FrameTrust, ProcessDump};

/// The innermost frames are the ones that say something.
const MOST_FRAMES: usize = 64;

/// Fills in the crashing thread's frames. Without symbols the processor goes by frame pointers on x86 and by scanning
/// on x64; each frame says which. A dump that the processor refuses simply has no frames.
pub fn walk(dump: &Excerpted<'_>, process: &mut ProcessDump) {
    if process.thread.is_none() {
        return;
    }
    let provider = minidump_unwind::Symbolizer::new(minidump_unwind::simple_symbol_supplier(Vec::new()));
    let Ok(state) = pollster::block_on(minidump_processor::process_minidump(dump, &provider)) else { return };
    let Some(walked) = state.requesting_thread.and_then(|index| state.threads.get(index)) else { return };
    let frames = walked
        .frames
        .iter()
        .take(MOST_FRAMES)
        .map(|frame| {
            let address = Address(frame.instruction);
            Frame { address, module: process.module_at(address).map(|(index, _)| index), trust: trust(frame.trust) }
        })
        .collect();
    if let Some(thread) = &mut process.thread {
        thread.frames = frames;
    }
}

fn trust(trust: minidump_unwind::FrameTrust) -> FrameTrust {
    use minidump_unwind::FrameTrust as Theirs;
    match trust {
        Theirs::Context => FrameTrust::Exact,
        Theirs::CallFrameInfo | Theirs::CfiScan | Theirs::FramePointer | Theirs::PreWalked => FrameTrust::Unwound,
        Theirs::Scan | Theirs::None => FrameTrust::Scanned,
    }
}
