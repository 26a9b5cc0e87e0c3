//! Walking with `minidump-processor`, for what is not 64-bit Windows.

use std::sync::Arc;

use async_trait::async_trait;
use minidump::Module;
use minidump_unwind::{
    FileError, FileKind, FillSymbolError, FrameSymbolizer, FrameTrust as Theirs, FrameWalker, SymbolProvider,
};

use super::given::{Given, MOST_FRAMES};
use crate::minidump::symbols::Symbols;
use evidence::{Address, Frame, FrameTrust, ProcessDump};

/// The crashing thread's frames. Without symbols the processor goes by frame pointers or scans; [`Frame::trust`] shows which.
/// `None` when the processor refuses the dump.
pub fn walk(given: &Given<'_, '_>, process: &ProcessDump) -> Option<Vec<Frame>> {
    let provider = Provider { symbols: given.symbols };
    let state = pollster::block_on(minidump_processor::process_minidump(given.dump, &provider)).ok()?;
    let walked = state.threads.get(state.requesting_thread?)?;
    let frames = walked.frames.iter().take(MOST_FRAMES).map(|frame| {
        let address = Address(frame.instruction);
        Frame {
            address,
            module: process.module_at(address).map(|(index, _)| index),
            trust: trust(frame.trust),
            call: None,
            function: frame.function_name.as_deref().map(|name| given.names.share(name)),
        }
    });
    Some(frames.collect())
}

fn trust(trust: Theirs) -> FrameTrust {
    match trust {
        Theirs::Context => FrameTrust::Exact,
        Theirs::CallFrameInfo | Theirs::FramePointer | Theirs::PreWalked => FrameTrust::Unwound,
        Theirs::CfiScan | Theirs::Scan | Theirs::None => FrameTrust::Scanned,
    }
}

/// Gives `minidump-processor` the `.sym` files that the user gave.
struct Provider<'s> {
    symbols: Option<&'s Symbols>,
}

impl Provider<'_> {
    fn symbols(&self, module: &(dyn Module + Sync)) -> Option<Arc<minidump_unwind::SymbolFile>> {
        self.symbols?.sym(module)
    }
}

#[async_trait]
impl SymbolProvider for Provider<'_> {
    async fn fill_symbol(
        &self,
        module: &(dyn Module + Sync),
        frame: &mut (dyn FrameSymbolizer + Send),
    ) -> Result<(), FillSymbolError> {
        let symbols = self.symbols(module).ok_or(FillSymbolError {})?;
        symbols.fill_symbol(module, frame);
        Ok(())
    }

    async fn walk_frame(&self, module: &(dyn Module + Sync), walker: &mut (dyn FrameWalker + Send)) -> Option<()> {
        self.symbols(module)?.walk_frame(module, walker)
    }

    async fn get_file_path(&self, _: &(dyn Module + Sync), _: FileKind) -> Result<std::path::PathBuf, FileError> {
        Err(FileError::NotFound)
    }
}
