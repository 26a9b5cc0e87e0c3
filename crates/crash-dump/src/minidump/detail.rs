//! What is read around an exception, and of process and system besides: put together from the parts' own readers.

use minidump::{MinidumpContext, MinidumpMiscInfo};

use super::access::AtFault;
use super::directory::Directory;
use super::instruction::{self, DecodedInstruction, Uses};
use super::memory::Memory;
use super::regions::Regions;
use super::stack_state::{ThreadAtCrash, stack_state};
use super::threads::ListedThread;
use super::wanted::{STACK_OVERFLOW, Surroundings, wanted_address};
use super::{annotations, counters, cpp, handles, hook, returned, stowed, threads};
use evidence::{
    Address, CodePlace, CrashDetail, Exception, ExceptionCode, INTEGRITY_LEVELS, Names, OperatingSystem, ProcessDump,
    ProcessState,
};
use untrusted::Loss;

/// The parts of a dump that details are read from.
#[derive(Debug, Clone, Copy)]
pub struct Streams<'a> {
    /// The dump's directory.
    pub directory: &'a Directory,
    /// Id, times and more of the process.
    pub misc: Option<&'a MinidumpMiscInfo>,
    /// The registers at the exception.
    pub context: Option<&'a MinidumpContext>,
}

/// Fills in details of the exception, and the state of process and system.
pub fn read(
    process: &mut ProcessDump,
    streams: Streams<'_>,
    memory: &mut Memory<'_, '_>,
    names: &Names,
    losses: &mut Vec<Loss>,
) {
    process.state = state(streams, memory, names, losses);
    if let Some(exception) = &process.exception
        && process.system.os == OperatingSystem::Windows
    {
        process.detail = crash(process, exception, streams, memory, names);
    }
}

fn state(streams: Streams<'_>, memory: &mut Memory<'_, '_>, names: &Names, losses: &mut Vec<Loss>) -> ProcessState {
    let Streams { directory, misc, .. } = streams;
    let source = &mut *memory.source;
    let handles = handles::read(source, directory, names, losses);
    ProcessState {
        annotations: annotations::read(source, directory, names, losses),
        system_memory: counters::system(source, directory),
        process_memory: counters::process(source, directory),
        handle_count: handles.count,
        handles: handles.by_type,
        integrity: misc.and_then(integrity),
        threads: threads::states(source, directory, names),
    }
}

/// `ProcessIntegrityLevel` of `MINIDUMP_MISC_INFO_3`: the last part of the label's SID, in steps of 0x1000.
fn integrity(misc: &MinidumpMiscInfo) -> Option<&'static str> {
    let level = *misc.raw.process_integrity_level()?;
    INTEGRITY_LEVELS.get(level.checked_div(0x1000)? as usize).copied()
}

fn crash(
    process: &ProcessDump,
    exception: &Exception,
    Streams { directory, context, .. }: Streams<'_>,
    memory: &mut Memory<'_, '_>,
    names: &Names,
) -> CrashDetail {
    let thread = process.thread.as_ref().map(|thread| thread.id);
    let listed = thread.and_then(|id| ListedThread::find(memory.source, directory, id));
    let teb = listed.as_ref().and_then(|listed| listed.teb);
    let regions = Regions::open(memory.source, directory);
    let wide = process.system.cpu.is_64_bit();
    let stack = context.and_then(|context| {
        let pointer = Address(context.get_stack_pointer());
        let overflow = exception.code == STACK_OVERFLOW;
        stack_state(memory, regions, ThreadAtCrash { pointer, teb, wide, wanted: wanted_address(process), overflow })
    });

    let stack_pointer = context.map(MinidumpContext::get_stack_pointer);
    let at = exception.address;
    let code = if is_by_the_processor(exception) { memory.part(at.0, instruction::LONGEST) } else { None };
    let decoded = code.and_then(|code| DecodedInstruction::decode(&code, at, process.system.cpu));
    let names_of_registers = process.system.cpu.registers();
    let registers: Vec<u64> = context.map_or_else(Vec::new, |context| {
        names_of_registers.iter().filter_map(|name| context.get_register(name)).collect()
    });
    // Registers that are not those at the instruction explain nothing.
    let at_fault = context.is_some_and(|context| at.0 == context.get_instruction_pointer());
    let uses = match &decoded {
        Some(decoded) if at_fault => decoded.uses(&registers, teb, |address| memory.pointer(address.0, wide)),
        _ => Uses::default(),
    };
    let follows_call = memory.call_before(at.0).is_some();
    // Where the stack's limits are not known, at least the captured part is stack.
    let on_stack = match (&stack, listed) {
        (Some(stack), _) => stack.bottom.0..stack.base.0,
        (None, Some(listed)) => listed.stack,
        (None, None) => 0..0,
    };
    let exhausted = stack.is_some_and(|stack| stack.exhausted == Some(true));
    let surroundings = Surroundings { process, regions, memory: memory.map, on_stack, exhausted };
    let wanted = surroundings.wanted(memory.source, &uses.known, names);
    let code_place = surroundings.code_place(memory.source);
    let fault = AtFault { process, registers: &registers, uses: &uses, follows_call };
    // What is well explained needs no flipped bit.
    let explained = wanted.as_ref().is_some_and(|wanted| wanted.pattern.is_some() || wanted.edge.is_some());
    let bit_flip = if explained { None } else { fault.bit_flip(memory.source, regions, memory.map) };
    let outside = code_place.is_some_and(|place| place != CodePlace::Module);
    let not_executable = outside && at_fault && process.could_not_execute();
    CrashDetail {
        access: fault.access(names),
        bit_flip,
        origin: None,
        givers: Vec::new(),
        hook_target: if outside { hook::target(process, memory) } else { None },
        inside_hook: !outside && hook::is_inside(process, memory) == Some(true),
        returned: stack_pointer.filter(|_| not_executable).and_then(|at| returned::read(process, memory, at)),
        dead_hook: stack_pointer.filter(|_| not_executable).and_then(|at| hook::dead(process, memory, at)),
        wanted,
        code_place,
        instruction: decoded.map(|decoded| decoded.describe(process.system.cpu_features, names)),
        cpp: cpp::read(process, memory, names),
        managed_result: stowed::managed_result(process),
        stowed: stowed::read(process, memory, names),
        stack,
        registers,
        thread_start: thread.and_then(|id| threads::start(memory.source, directory, id)),
    }
}

/// Whether the processor raised the exception, so that its address is that of the instruction: it has a code of the
/// processor's exceptions (`winnt.h`), and was not raised by software (bit 7 of the flags).
pub fn is_by_the_processor(exception: &Exception) -> bool {
    const BY_SOFTWARE: u32 = 0x80;
    let ExceptionCode(code) = exception.code;
    exception.flags & BY_SOFTWARE == 0
        && matches!(
            code,
            0x8000_0001..=0x8000_0004
                | 0xC000_0005
                | 0xC000_0006
                | 0xC000_001D
                | 0xC000_008C..=0xC000_0096
                | 0xC000_00FD
                | 0xC000_02B4
                | 0xC000_02B5
                | 0xC000_0409
                | 0xC000_0420
        )
}
