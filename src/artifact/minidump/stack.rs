//! Walking the crashing thread's stack with `minidump-processor`.

use super::Excerpted;
use crate::evidence::{Address, CpuArchitecture, Frame, FrameTrust, OperatingSystem, ProcessDump};

/// The innermost frames are the ones that say something.
const MOST_FRAMES: usize = 64;

/// Fills in the crashing thread's frames. Without symbols the processor goes by frame pointers or scans; each frame
/// says which. A dump that the processor refuses simply has no frames.
pub fn walk(dump: &Excerpted<'_>, process: &mut ProcessDump) {
    if process.thread.is_none() {
        return;
    }
    let provider = minidump_unwind::Symbolizer::new(minidump_unwind::simple_symbol_supplier(Vec::new()));
    let Ok(state) = pollster::block_on(minidump_processor::process_minidump(dump, &provider)) else { return };
    let Some(walked) = state.requesting_thread.and_then(|index| state.threads.get(index)) else { return };
    // Windows' 64-bit code keeps no chain of frame pointers: there the processor scans from where one might point.
    let scans = process.system.os == OperatingSystem::Windows && process.system.cpu == CpuArchitecture::X64;
    let frames = walked
        .frames
        .iter()
        .take(MOST_FRAMES)
        .map(|frame| {
            let address = Address(frame.instruction);
            Frame {
                address,
                module: process.module_at(address).map(|(index, _)| index),
                trust: trust(frame.trust, scans),
            }
        })
        .collect();
    if let Some(thread) = &mut process.thread {
        thread.frames = frames;
    }
}

fn trust(trust: minidump_unwind::FrameTrust, frame_pointers_are_scanned: bool) -> FrameTrust {
    use minidump_unwind::FrameTrust as Theirs;
    match trust {
        Theirs::Context => FrameTrust::Exact,
        Theirs::FramePointer if frame_pointers_are_scanned => FrameTrust::Scanned,
        Theirs::CallFrameInfo | Theirs::FramePointer | Theirs::PreWalked => FrameTrust::Unwound,
        Theirs::CfiScan | Theirs::Scan | Theirs::None => FrameTrust::Scanned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_pointers_of_64_bit_windows_are_a_scan() {
        let found = |scans| trust(minidump_unwind::FrameTrust::FramePointer, scans);
        assert_eq!((found(true), found(false)), (FrameTrust::Scanned, FrameTrust::Unwound));
    }
}
