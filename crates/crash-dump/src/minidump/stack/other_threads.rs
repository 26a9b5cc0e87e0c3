//! The threads besides the crashing one: where each was, and whose calls the innermost part of its stack shows.

use super::{Given, no_surer_than_before, x64};
use crate::minidump::image::Memory;
use evidence::{Address, CpuArchitecture, Frame, FrameTrust, OperatingSystem, ProcessDump, ThreadStack, ThreadState};
use untrusted::bytes::{u32_at, u64_at};

/// How many frames of a thread are walked: those that tell what it waits for or works on.
const MOST_FRAMES: usize = 16;

/// Fills in where threads were, by their contexts. Stacks are walked of 64-bit Windows alone; of the crashing thread,
/// what was found of it stands for what the list says, whose registers are those with which its exception's handler
/// waited.
pub fn walk_others(
    given: &Given<'_, '_>,
    contexts: &[(u32, Vec<u8>)],
    memory: &mut Memory<'_, '_>,
    process: &mut ProcessDump,
) {
    let Some(mut threads) = process.state.threads.take() else { return };
    let crashed = process.thread.as_ref();
    let by_tables = process.system.os == OperatingSystem::Windows && process.system.cpu == CpuArchitecture::X64;
    let mut walk = if by_tables { Some(x64::Walk::new(given, memory, process)) } else { None };
    for thread in &mut threads {
        if let Some(crashed) = crashed.filter(|crashed| crashed.id == thread.id) {
            thread.instruction_pointer = crashed.instruction_pointer;
            take_over(crashed.frames.get(..MOST_FRAMES).unwrap_or(&crashed.frames), thread);
            continue;
        }
        let context = contexts.iter().find(|(id, _)| *id == thread.id).map(|(_, context)| context.as_slice());
        let Some((context, pointer)) = context.and_then(|context| Some((context, instruction_pointer(context)?)))
        else {
            continue;
        };
        thread.instruction_pointer = Some(pointer);
        if let (Some(walk), Some(registers)) = (&mut walk, x64::Registers::in_context(context)) {
            let mut frames = walk.of_thread(registers, MOST_FRAMES);
            no_surer_than_before(&mut frames);
            take_over(&frames, thread);
        }
    }
    process.state.threads = Some(threads);
}

/// Takes over what the frames of a stack say of its thread.
fn take_over(frames: &[Frame], thread: &mut ThreadState) {
    let Some(innermost) = frames.first() else { return };
    thread.instruction_pointer = Some(innermost.address);
    thread.function.clone_from(&innermost.function);
    let mut modules = Vec::new();
    for module in frames.iter().filter_map(|frame| frame.module) {
        if !modules.contains(&module) {
            modules.push(module);
        }
    }
    let trust = frames.iter().map(|frame| frame.trust).min().unwrap_or(FrameTrust::Exact);
    thread.stack = (!modules.is_empty()).then_some(ThreadStack { modules, trust });
}

/// The instruction pointer of a context, told by its size and flags: x64 at 0xF8, ARM64 at 0x108, x86 at 0xB8.
/// Offsets and flags: `CONTEXT` of `winnt.h`, and Breakpad's for ARM64 (`minidump_cpu_arm64.h`).
fn instruction_pointer(context: &[u8]) -> Option<Address> {
    const AMD64: u32 = 0x0010_0000;
    const X86: u32 = 0x0001_0000;
    const ARM64: u32 = 0x0040_0000;
    let has = |at: usize, flag: u32| u32_at(context, at).is_some_and(|flags| flags & flag != 0);
    let pointer = if context.len() >= 1232 && has(0x30, AMD64) {
        u64_at(context, 0xF8)?
    } else if context.len() >= 0x110 && has(0, ARM64) {
        u64_at(context, 0x108)?
    } else if context.len() >= 716 && has(0, X86) {
        u64::from(u32_at(context, 0xB8)?)
    } else {
        return None;
    };
    (pointer != 0).then_some(Address(pointer))
}
