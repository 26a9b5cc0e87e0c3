//! The threads besides the crashing one: where each was, what it waited for, and the modules in the innermost part of its
//! stack.

use super::given::{Given, is_x86_on_windows, no_surer_than_before};
use super::waits::{lock, waits_for};
use super::x86;
use crate::context::instruction_pointer;
use crate::minidump::memory::Memory;
use evidence::{Address, Frame, FrameTrust, ProcessDump, ThreadStack, ThreadState, WaitKind};

/// How many frames of a thread are walked: the innermost ones show what it waits for or works on.
const MOST_FRAMES: usize = 16;

/// Fills in where threads were, by their contexts. Stacks are walked of x86 code on Windows alone; of the crashing thread
/// the stack that was already walked is used, because the list has the registers with which its exception's handler
/// waited.
pub fn walk_other_threads(
    given: &Given<'_, '_>,
    contexts: &[(u32, Vec<u8>)],
    memory: &mut Memory<'_, '_>,
    process: &mut ProcessDump,
) {
    let Some(mut threads) = process.state.threads.take() else { return };
    let crashed = process.thread.as_ref();
    let modules = process.modules.as_deref().unwrap_or_default();
    let wide = process.system.cpu.is_64_bit();
    let registers_of = |thread: &ThreadState| {
        let (_, context) = contexts.iter().find(|(id, _)| *id == thread.id)?;
        x86::Registers::from_bytes(context, wide)
    };
    let mut walk = is_x86_on_windows(&process.system).then(|| x86::Walk::new(given, memory, process));
    for thread in &mut threads {
        if let Some(crashed) = crashed.filter(|crashed| crashed.id == thread.id) {
            thread.instruction_pointer = crashed.instruction_pointer;
            fill_in(crashed.frames.get(..MOST_FRAMES).unwrap_or(&crashed.frames), thread);
            if process.exception.is_none() {
                thread.waits_for = waits_for(&crashed.frames, modules);
            }
            continue;
        }
        let Some((_, context)) = contexts.iter().find(|(id, _)| *id == thread.id) else { continue };
        let Some(pointer) = instruction_pointer(context).filter(|pointer| *pointer != 0) else { continue };
        thread.instruction_pointer = Some(Address(pointer));
        if let (Some(walk), Some(registers)) = (&mut walk, registers_of(thread)) {
            let x86::Walked { mut frames, .. } =
                walk.frames(registers, x86::Entered::Interrupted, x86::AT_ONCE_OF_OTHERS, MOST_FRAMES);
            no_surer_than_before(&mut frames);
            fill_in(&frames, thread);
            thread.waits_for = waits_for(&frames, modules);
        }
    }
    let ids: Vec<u32> = threads.iter().map(|thread| thread.id).collect();
    for thread in &mut threads {
        if thread.waits_for == Some(WaitKind::CriticalSection)
            && let Some(registers) = registers_of(thread)
        {
            thread.lock = lock(&registers, wide, thread.id, &ids, memory);
        }
    }
    process.state.threads = Some(threads);
}

/// Fills in what the frames of a stack show of its thread.
fn fill_in(frames: &[Frame], thread: &mut ThreadState) {
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
