//! What a dump holds of the moment of the stop, beyond drivers and stack.

use std::io::{Read, Seek};

use super::black_box;
use super::debugger_data::{self, DebuggerData};
use super::header::Header;
use super::layout::{KERNEL_SPACE, header as field, triage};
use super::memory::Memory;
use super::source::Source;
use super::{power, process, processor, saved_events, secondary_data};
use evidence::{BugcheckCode, ErrorRecord, KernelDriver, KernelProcessor, KernelState, Names};
use untrusted::Loss;
use untrusted::bytes::{u32_at, u64_at};

/// `d03dc06f-d88e-44c5-ba2a-fae035172d19`: what processors answer to CPUID.
const CPUID: [u8; 16] = *b"\x6F\xC0\x3D\xD0\x8E\xD8\xC5\x44\xBA\x2A\xFA\xE0\x35\x17\x2D\x19";
/// The most processors that are read of a dump that holds all.
const MOST_PROCESSORS: u32 = 1024;
/// How far below the beginning of its stack a thread can be, bytes.
const LONGEST_STACK: u64 = 128 << 10;

/// What the bugcheck's parameters lead to in the dump's memory.
pub(super) fn by_parameters(
    header: &Header,
    drivers: &[KernelDriver],
    memory: &mut dyn Memory,
    losses: &mut Vec<Loss>,
) -> KernelState {
    /// Hardware errors, and power transitions that were not done.
    const HARDWARE_ERROR: u32 = 0x124;
    const POWER_STATE: u32 = 0x9F;
    let parameters = field::PARAMETERS.map(|parameter| header.pointer(parameter).unwrap_or_default());
    let code = header.number(field::CODE).map(|code| BugcheckCode(code).plain());
    let mut state = KernelState::default();
    let [_, second, ..] = parameters;
    match code {
        Some(HARDWARE_ERROR) => state.error_record = error_record_at(second, memory, losses),
        Some(POWER_STATE) if header.wide => state.power_request = power::request(parameters, drivers, memory),
        _ => {}
    }
    state
}

/// The record of a hardware error at `address`.
fn error_record_at(address: u64, memory: &mut dyn Memory, losses: &mut Vec<Loss>) -> Option<ErrorRecord> {
    let header = memory.read(address, error_record::HEADER);
    let length = error_record::length(&header)?;
    let bytes = memory.read(address, length);
    if bytes.len() < length {
        let reason = format!("the dump holds {} of its {length} bytes", bytes.len());
        losses.push(Loss::new("record of the hardware error", reason));
    }
    error_record::read(&bytes)
}

/// Adds what a triage dump copies of the process and of the processor.
pub(super) fn add_copies<F: Read + Seek>(
    source: &mut Source<F>,
    block: &[u8],
    header: &Header,
    names: &Names,
    state: &mut KernelState,
) {
    let part = |offset: usize| u32_at(block, offset).filter(|offset| *offset != 0).map(u64::from);
    let mut data = None;
    if let (Some(offset), Some(size)) =
        (part(triage::DEBUGGER_DATA.of(header.wide)), part(triage::DEBUGGER_DATA_SIZE.of(header.wide)))
    {
        data = source
            .read(offset, size.min(debugger_data::LENGTH as u64))
            .ok()
            .and_then(|bytes| DebuggerData::read(&bytes));
    }
    let Some(data) = data else { return };
    if let (Some(offset), Some(size), Some(parent)) = (part(triage::PROCESS), data.process_size, data.process_parent)
        && header.wide
    {
        let bytes = source.read(offset, size as u64).ok();
        state.process = bytes.and_then(|bytes| process::read(&bytes, parent, names));
    }
    if let (Some(offset), Some(size)) = (part(triage::PROCESSOR), data.processor_size) {
        let bytes = source.read(offset, size as u64).unwrap_or_default();
        let mut at = |begin: usize, length: usize| Some(bytes.get(begin..begin.checked_add(length)?)?.to_vec());
        state.processors.extend(processor::read(&data, header.wide, names, &mut at));
    }
}

/// Adds process and processors of a dump that holds the kernel's memory.
pub(super) fn add_from_memory(header: &Header, memory: &mut dyn Memory, names: &Names, state: &mut KernelState) {
    let data = header.address(field::DEBUGGER_DATA).map(|address| memory.read(address, debugger_data::LENGTH));
    let Some(data) = data.and_then(|bytes| DebuggerData::read(&bytes)) else { return };
    let Some(list) = data.processor_block else { return };
    let stack = header.context().map(|(_, stack)| stack);
    let count = header.number(field::PROCESSORS).unwrap_or_default().min(MOST_PROCESSORS);
    // The processor whose thread's stack is nearest around the stack pointer stopped the system.
    let mut nearest: Option<(u64, usize, u64)> = None;
    for number in 0..u64::from(count) {
        let pointer = number.checked_mul(8).and_then(|offset| list.checked_add(offset));
        let bytes = pointer.and_then(|pointer| memory.read_all(pointer, 8));
        let Some(own) = bytes.and_then(|bytes| u64_at(&bytes, 0)).filter(|own| *own >= KERNEL_SPACE.of(true)) else {
            continue;
        };
        let mut at =
            |begin: usize, length: usize| memory.read_all(own.checked_add(u64::try_from(begin).ok()?)?, length);
        let Some(found) = processor::read(&data, true, names, &mut at) else { continue };
        let thread = data.processor_thread.and_then(|offset| u64_at(&at(offset, 8)?, 0));
        let index = state.processors.len();
        state.processors.push(found);
        let Some((thread, offset)) = thread.zip(data.thread_initial_stack) else { continue };
        let begin = pointer_at(thread, offset, memory);
        let distance = begin.zip(stack).and_then(|(begin, stack)| begin.checked_sub(stack));
        if let Some(distance) = distance.filter(|distance| *distance <= LONGEST_STACK)
            && nearest.is_none_or(|(best, ..)| distance < best)
        {
            nearest = Some((distance, index, thread));
        }
    }
    let Some((_, index, thread)) = nearest else { return };
    let stopped: KernelProcessor = state.processors.remove(index);
    state.processors.insert(0, stopped);
    let process = data.thread_process.and_then(|offset| pointer_at(thread, offset, memory));
    if let (Some(process), Some(size), Some(parent)) = (process, data.process_size, data.process_parent) {
        state.process = memory.read_all(process, size).and_then(|bytes| process::read(&bytes, parent, names));
    }
}

/// The pointer at an offset of the kernel's object at `address`.
fn pointer_at(address: u64, offset: usize, memory: &mut dyn Memory) -> Option<u64> {
    if address < KERNEL_SPACE.of(true) {
        return None;
    }
    u64_at(&memory.read_all(address.checked_add(u64::try_from(offset).ok()?)?, 8)?, 0)
}

/// Adds what the secondary data at `offset` of the file holds.
pub(super) fn add_secondary_data<F: Read + Seek>(
    source: &mut Source<F>,
    offset: u64,
    names: &Names,
    state: &mut KernelState,
    losses: &mut Vec<Loss>,
) {
    let (blocks, loss) = secondary_data::blocks(source, offset);
    losses.extend(loss);
    state.blocks = blocks.iter().map(secondary_data::Block::evidence).collect();
    state.black_boxes = black_box::read(source, &blocks);
    if let Some(data) = secondary_data::data_of(source, &blocks, saved_events::TAG) {
        let (events, loss) = saved_events::read(&data, names);
        state.saved_events = events;
        losses.extend(loss);
    }
    if let Some(name) = secondary_data::data_of(source, &blocks, CPUID).and_then(|data| processor::name_by_cpuid(&data))
    {
        for processor in &mut state.processors {
            processor.name = Some(name.clone());
        }
    }
}
