//! Walking with `minidump-unwind`, for what is not x86 code on Windows.

use std::sync::Arc;

use async_trait::async_trait;
use minidump::{
    MinidumpContext, MinidumpRawContext, MinidumpSystemInfo, MinidumpThreadList, Module, UnifiedMemoryList,
};
use minidump_unwind::{
    CallStack, FileError, FileKind, FillSymbolError, FrameSymbolizer, FrameTrust as Theirs, FrameWalker,
    SymbolProvider, SystemInfo, walk_stack,
};

use super::given::{Given, MOST_FRAMES, is_nowhere, with_source};
use crate::minidump::memory::Memory;
use crate::minidump::symbols::{ModuleSymbols, Symbols};
use evidence::{Address, Frame, FrameTrust, ProcessDump};

/// The crashing thread's frames. Without symbols they are found by frame pointers or scans; [`Frame::trust`] shows which.
/// `None` when registers or stack are not at hand.
pub fn walk(given: &Given<'_, '_>, memory: &mut Memory<'_, '_>, process: &ProcessDump) -> Option<Vec<Frame>> {
    let context = given.context?;
    let place = Address(context.get_instruction_pointer());
    let nowhere = is_nowhere(place, process, None, memory);
    let caller = if nowhere { caller_of_nowhere(context, memory, process) } else { None };
    let mut frames = Vec::new();
    if caller.is_some() {
        frames.push(frame_at(place, FrameTrust::Exact, process));
    }
    let walked = walked(given, process, caller.as_ref().unwrap_or(context))?;
    frames.extend(walked.frames.iter().enumerate().take(MOST_FRAMES).map(|(position, frame)| {
        let found = trust(frame.trust);
        let trust = if caller.is_some() && position == 0 { FrameTrust::Unwound } else { found };
        let unnamed = frame_at(Address(frame.instruction), trust, process);
        let shown = frame.module.as_ref().and_then(|module| {
            let offset = u32::try_from(frame.instruction.checked_sub(module.base_address())?).ok()?;
            given.symbols?.of_module(module)?.at(offset, None)
        });
        match shown {
            Some(shown) => with_source(unnamed, &shown, given.names),
            None => unnamed,
        }
    }));
    Some(frames)
}

fn walked(given: &Given<'_, '_>, process: &ProcessDump, context: &MinidumpContext) -> Option<CallStack> {
    let system = given.dump.get_stream::<MinidumpSystemInfo>().ok()?;
    let system = SystemInfo {
        os: system.os,
        os_version: None,
        os_build: None,
        cpu: system.cpu,
        cpu_info: None,
        cpu_microcode_version: None,
        cpu_count: usize::from(process.system.cpu_count),
    };
    // The excerpt has the one thread, with its stack from the stack pointer on.
    let threads = given.dump.get_stream::<MinidumpThreadList<'_>>().ok()?;
    let elsewhere = UnifiedMemoryList::default();
    let stack = threads.get_thread(process.thread.as_ref()?.id)?.stack_memory(&elsewhere);
    let mut walked = CallStack::with_context(context.clone());
    let provider = Provider { symbols: given.symbols };
    pollster::block_on(walk_stack(0, (), &mut walked, stack, given.modules?, &system, &provider));
    Some(walked)
}

fn frame_at(address: Address, trust: FrameTrust, process: &ProcessDump) -> Frame {
    let module = process.module_at(address).map(|(index, _)| index);
    Frame { address, module, trust, probability: None, call: None, function: None, source: None, inlined: Vec::new() }
}

/// The registers of the code that called where no code is: the link register of 64-bit ARM, and on x86 the word at the stack
/// pointer, hold where the call returns to. `None` where that is in no module.
fn caller_of_nowhere(
    context: &MinidumpContext,
    memory: &mut Memory<'_, '_>,
    process: &ProcessDump,
) -> Option<MinidumpContext> {
    let mut caller = context.clone();
    // Within the call, because it can be the last instruction of its function.
    let call = match &mut caller.raw {
        MinidumpRawContext::Arm64(registers) => {
            registers.pc = registers.iregs.get(30)?.checked_sub(4)?;
            registers.pc
        }
        MinidumpRawContext::Amd64(registers) => {
            registers.rip = memory.pointer(registers.rsp, true)?.checked_sub(1)?;
            registers.rsp = registers.rsp.checked_add(8)?;
            registers.rip
        }
        MinidumpRawContext::X86(registers) => {
            registers.eip = u32::try_from(memory.pointer(u64::from(registers.esp), false)?.checked_sub(1)?).ok()?;
            registers.esp = registers.esp.checked_add(4)?;
            u64::from(registers.eip)
        }
        _ => return None,
    };
    process.module_at(Address(call)).is_some().then_some(caller)
}

fn trust(trust: Theirs) -> FrameTrust {
    match trust {
        Theirs::Context => FrameTrust::Exact,
        Theirs::CallFrameInfo | Theirs::PreWalked => FrameTrust::Unwound,
        Theirs::FramePointer => FrameTrust::FramePointer,
        Theirs::CfiScan | Theirs::Scan | Theirs::None => FrameTrust::Scanned,
    }
}

/// Gives `minidump-unwind` the symbols that the user gave.
struct Provider<'s> {
    symbols: Option<&'s Symbols>,
}

impl Provider<'_> {
    fn symbols(&self, module: &(dyn Module + Sync)) -> Option<Arc<ModuleSymbols>> {
        self.symbols?.of_module(module)
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
        // Frames get their names afterwards; here it is only of interest that there is one.
        let offset = frame.get_instruction().checked_sub(module.base_address());
        let offset = offset.and_then(|offset| u32::try_from(offset).ok());
        if let Some(shown) = offset.and_then(|offset| symbols.at(offset, None)) {
            frame.set_function(&shown.function, module.base_address(), 0);
        }
        Ok(())
    }

    async fn walk_frame(&self, module: &(dyn Module + Sync), walker: &mut (dyn FrameWalker + Send)) -> Option<()> {
        let symbols = self.symbols(module)?;
        symbols.unwinding().find_map(|symbols| symbols.walk_frame(module, walker))
    }

    async fn get_file_path(&self, _: &(dyn Module + Sync), _: FileKind) -> Result<std::path::PathBuf, FileError> {
        Err(FileError::NotFound)
    }
}
