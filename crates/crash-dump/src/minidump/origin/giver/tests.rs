use std::io::Write as _;

use super::*;
use crate::minidump::memory::{Memory, MemoryMap};
use crate::minidump::origin::step::X64;
use crate::minidump::origin::tests::process;
use evidence::{
    AccessKind, CpuArchitecture, CrashThread, Exception, FaultingAccess, LoadedModule, MemoryOperand, RegisterValue,
};
use untrusted::bytes::Source;

/// Where the modules are: the one that stumbles, its caller, and one beside them. Code begins 16 bytes further.
const LIBRARY: u64 = 0x10_0000;
const PROGRAM: u64 = 0x20_0000;
const OTHER: u64 = 0x30_0000;
/// The stack pointer at the fault, where the address is that the function returns to.
const STACK: u64 = 0x50_0000;
const HEAP: u64 = 0x60_0000;

/// What a crash is made of: the code of the library up to the fault, that of the program up to its call, the value that `rax`
/// or the register of the given number had, and other memory.
struct Crash<'c> {
    library: &'c [u8],
    program: &'c [u8],
    register: usize,
    value: u64,
    /// What the register of the first argument still holds.
    object: u64,
    memory: &'c [(u64, Vec<u8>)],
}

/// The end of a function, what fills the space behind it, the code, and a call to `to`.
fn code(base: u64, code: &[u8], to: Option<u64>) -> Vec<u8> {
    let mut bytes = vec![0xC3];
    bytes.resize(16, 0xCC);
    bytes.extend(code);
    if let Some(to) = to {
        let behind = base.wrapping_add(bytes.len() as u64).wrapping_add(5);
        bytes.push(0xE8);
        let distance = i32::try_from(to.wrapping_sub(behind).cast_signed()).expect("near");
        bytes.extend(distance.to_le_bytes());
    }
    bytes.extend([0x90; 16]);
    bytes
}

fn followed(crash: &Crash<'_>) -> Vec<String> {
    followed_with(crash, None)
}

/// With the number and the value of an index register, too.
fn followed_with(crash: &Crash<'_>, index: Option<(usize, u64)>) -> Vec<String> {
    let library = code(LIBRARY, crash.library, None);
    let program = code(PROGRAM, crash.program, Some(LIBRARY + 16));
    let fault = (LIBRARY + 16).wrapping_add(crash.library.len() as u64);
    let returns_to = (PROGRAM + 16 + 5).wrapping_add(crash.program.len() as u64);
    let mut stack = returns_to.to_le_bytes().to_vec();
    stack.resize(0x100, 0);
    let mut parts = vec![(LIBRARY, library), (PROGRAM, program), (STACK, stack)];
    parts.extend(crash.memory.iter().cloned());
    let mut file = tempfile::tempfile().expect("a file");
    let mut ranges = Vec::new();
    let mut offset = 0;
    for (start, bytes) in &parts {
        file.write_all(bytes).expect("written");
        ranges.push((*start, bytes.len() as u64, offset));
        offset = bytes.len().wrapping_add(offset as usize) as u64;
    }
    let map = MemoryMap::of_file(&ranges);
    let mut source = Source::open(&mut file, offset).expect("readable");
    let mut memory = Memory { map: &map, source: &mut source };
    let mut process = process(CpuArchitecture::X64);
    let module = |name: &str, base| LoadedModule {
        name: name.into(),
        path: name.into(),
        version: None,
        base: Address(base),
        size: 0x1_0000,
        timestamp: 0,
        debug_id: None,
        debug_file: None,
    };
    process.modules =
        Some(vec![module("library.dll", LIBRARY), module("program.exe", PROGRAM), module("other.dll", OTHER)]);
    process.exception = Some(Exception {
        code: ExceptionCode::ACCESS_VIOLATION,
        flags: 0,
        address: Address(fault),
        parameters: vec![0, crash.value],
        foreign_reason: None,
    });
    let frame = |address, module, trust| Frame {
        address: Address(address),
        module: Some(module),
        trust,
        probability: None,
        call: None,
        function: None,
        source: None,
        inlined: Vec::new(),
    };
    process.thread = Some(CrashThread {
        id: 1,
        name: None,
        instruction_pointer: Some(Address(fault)),
        frames: vec![frame(fault, 0, FrameTrust::Exact), frame(returns_to.wrapping_sub(1), 1, FrameTrust::Unwound)],
        missing: Vec::new(),
    });
    let mut registers = vec![0; 16];
    registers[4] = STACK;
    registers[1] = crash.object;
    registers[crash.register] = crash.value;
    index.into_iter().for_each(|(register, value)| registers[register] = value);
    process.detail.registers = registers;
    let held =
        |register: usize, value| RegisterValue { name: CpuArchitecture::X64.registers()[register].into(), value };
    process.detail.access = Some(FaultingAccess {
        operand: Some(MemoryOperand {
            base: Some(held(crash.register, crash.value)),
            index: index.map(|(register, value)| held(register, value)),
            displacement: 0,
            address: Address(crash.value),
            size: 8,
            access: AccessKind::Read,
        }),
        fit: None,
    });
    let walked = [Registers::with_stack(fault, STACK), Registers::with_stack(returns_to, STACK + 8)];
    let found = read(Code::new(&process, &mut memory, None, true), X64, &walked);
    let told = |giver: &Giver| format!("{} {}", giver.how.word(), giver.module.map_or(-1, |module| module as i64));
    let mut all: Vec<String> = found.iter().flat_map(|givers| givers.givers.iter().map(told)).collect();
    all.extend(found.iter().map(|givers| givers.end.word().to_owned()));
    all
}

#[test]
fn an_argument_is_followed_into_the_caller() {
    // mov rax,rcx | xor ecx,ecx
    let crash =
        Crash { library: &[0x48, 0x8B, 0xC1], program: &[0x31, 0xC9], register: 0, value: 0, object: 0, memory: &[] };
    assert_eq!(followed(&crash), ["argument 1", "constant"]);
    // The caller puts another value there: it cannot be that one.
    let crash = Crash { value: 0x1234, ..crash };
    assert_eq!(followed(&crash), ["argument 1", "joined-paths"]);
    // mov rcx,rax behind a call of its own
    let program = [0xE8, 0, 0, 0, 0, 0x48, 0x8B, 0xC8];
    let crash = Crash { program: &program, value: 0, ..crash };
    assert_eq!(followed(&crash), ["argument 1", "return-value 1", "return-value"]);
}

#[test]
fn of_several_paths_the_one_that_gives_the_value_is_taken() {
    // test edx,edx; je +4; mov rax,rcx; jmp +2; xor eax,eax
    let library = [0x85, 0xD2, 0x74, 0x05, 0x48, 0x8B, 0xC1, 0xEB, 0x02, 0x31, 0xC0];
    let crash = Crash { library: &library, program: &[0x90], register: 0, value: 0, object: 0, memory: &[] };
    assert_eq!(followed(&crash), ["constant"]);
    let crash = Crash { value: 0x7777_0000, program: &[0xB9, 0, 0, 0x77, 0x77], ..crash };
    assert_eq!(followed(&crash), ["argument 1", "constant"]);
}

#[test]
fn an_index_far_out_of_memory_is_followed_before_its_base() {
    // movsxd rax,ecx; add rax,rdx: the index is made of two arguments
    let library = [0x48, 0x63, 0xC1, 0x48, 0x01, 0xD0];
    let crash = Crash { library: &library, program: &[0x90], register: 8, value: HEAP, object: 7, memory: &[] };
    assert_eq!(followed_with(&crash, Some((0, 0x3_0570))), ["computed 0", "argument 1", "no-code"]);
    // A near one can't be the reason.
    assert_eq!(followed_with(&crash, Some((0, 5))), ["argument 1", "no-code"]);
    // So can't -1.
    assert_eq!(followed_with(&crash, Some((0, u64::MAX))), ["argument 1", "no-code"]);
    // xor eax,eax; loop: inc rax; je loop: the function counts it up itself, so that the base may lead too far as well
    let library = [0x31, 0xC0, 0x48, 0xFF, 0xC0, 0x74, 0xFB];
    let crash = Crash { library: &library, ..crash };
    assert_eq!(followed_with(&crash, Some((0, 0x3_0570))), ["argument 1", "no-code"]);
}

#[test]
fn a_loop_behind_the_fault_is_gone_through() {
    // xor eax,eax; jmp over; next: mov rax,[rax+8]; over: (the fault); what is behind it jumps to next
    let library = [0x31, 0xC0, 0xEB, 0x04, 0x48, 0x8B, 0x40, 0x08];
    let crash = Crash { library: &library, program: &[0x90], register: 0, value: 0, object: 0, memory: &[] };
    assert_eq!(followed(&crash), ["constant"]);
}

#[test]
fn whose_object_it_is_shows_where_it_lies_or_its_table_of_functions() {
    // mov rax,[rcx+8], with the object in the heap, whose table of functions is another module's
    let object = [OTHER + 0x100, 0].map(u64::to_le_bytes).concat();
    let table = [OTHER + 0x200].map(u64::to_le_bytes).concat();
    let memory = [(HEAP, object), (OTHER + 0x100, table)];
    let library = [0x48, 0x8B, 0x41, 0x08];
    // mov rcx, imm64
    let mut program = vec![0x48, 0xB9];
    program.extend(HEAP.to_le_bytes());
    let crash = Crash { library: &library, program: &program, register: 0, value: 0, object: HEAP, memory: &memory };
    assert_eq!(followed(&crash), ["field 0", "table 2", "field"]);
    // xor ecx,ecx behind it: where the object is, is not known any more, and the caller gave it
    let library = [0x48, 0x8B, 0x41, 0x08, 0x31, 0xC9];
    let crash = Crash { library: &library, object: 0, ..crash };
    assert_eq!(followed(&crash), ["field 0", "argument 1", "constant"]);
    // The object lies in another module's data.
    let crash = Crash { library: &[0x48, 0x8B, 0x41, 0x08], object: OTHER + 0x100, ..crash };
    assert_eq!(followed(&crash), ["field 0", "global 2", "global"]);
}

#[test]
fn no_code_makes_it_panic() {
    let mut random = samplekit::Random::new(23);
    for _ in 0..200 {
        let mut bytes = || -> Vec<u8> { (0..96).map(|_| random.any().to_le_bytes()[0]).collect() };
        let (library, program) = (bytes(), bytes());
        for register in 0..16 {
            followed(&Crash { library: &library, program: &program, register, value: 0, object: 0, memory: &[] });
        }
    }
}
