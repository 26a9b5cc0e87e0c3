//! Hand-assembled code of 32-bit x86, x64 and 64-bit ARM, and where the value in a register at its end came from.

use super::*;
use crate::minidump::memory::MemoryMap;
use evidence::{CrashDetail, Exception, OperatingSystem, ProcessState, System};
use untrusted::bytes::Source;

const START: u64 = 0x40_1000;

pub(super) fn process(cpu: CpuArchitecture) -> ProcessDump {
    ProcessDump {
        time: None,
        system: System { os: OperatingSystem::Windows, cpu, ..System::default() },
        pid: None,
        started: None,
        exception: Some(Exception {
            code: ExceptionCode::ACCESS_VIOLATION,
            flags: 0,
            address: Address(START),
            parameters: vec![0, 0],
            foreign_reason: None,
        }),
        requested: None,
        thread: None,
        thread_count: 1,
        modules: None,
        modules_complete: false,
        unloaded: Vec::new(),
        delay_load: None,
        detail: CrashDetail { registers: vec![0; cpu.registers().len()], ..CrashDetail::default() },
        state: ProcessState::default(),
        all_memory: false,
        comment: None,
    }
}

/// Where the value of a register at the end of a whole function's `code` came from, with the instructions that handed it on.
fn origin(cpu: CpuArchitecture, register: &str, code: &[u8], whole_function: bool) -> (&'static str, Vec<String>) {
    let process = process(cpu);
    let mut file = tempfile::tempfile().expect("a file");
    let mut source = Source::open(&mut file, 0).expect("readable");
    let map = MemoryMap::default();
    let mut memory = Memory { map: &map, source: &mut source };
    let (convention, steps) = match cpu {
        CpuArchitecture::X86 if whole_function => (X86, x86::forward(code, START, false)),
        CpuArchitecture::X64 if whole_function => (X64, x86::forward(code, START, true)),
        CpuArchitecture::X86 => (X86, x86::before(code, START, false)),
        CpuArchitecture::X64 => (X64, x86::before(code, START, true)),
        _ => (ARM64, arm64::steps(code, START)),
    };
    let names = Names::default();
    let code = Code::new(&process, &mut memory, None, false);
    let mut search = Search { code, convention, names: &names, steps: Vec::new(), frame: 0 };
    let number = cpu.registers().iter().position(|name| *name == register).expect("a register");
    let end = match search.in_function(&Before { steps, whole_function }, Tracked::Register(number)) {
        Outcome::End(end, _) => end.word(),
        Outcome::Entered(Tracked::Register(_)) => "entered in a register",
        Outcome::Entered(Tracked::Slot(_)) => "entered on the stack",
    };
    (end, search.steps.iter().map(|step| step.text.to_string()).collect())
}

fn x86(register: &str, code: &[u8]) -> (&'static str, Vec<String>) {
    origin(CpuArchitecture::X86, register, code, true)
}

fn x64(register: &str, code: &[u8]) -> (&'static str, Vec<String>) {
    origin(CpuArchitecture::X64, register, code, true)
}

fn arm64(register: &str, words: &[u32]) -> (&'static str, Vec<String>) {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    origin(CpuArchitecture::Arm64, register, &code, true)
}

#[test]
fn x86_follows_registers_and_the_stack() {
    // xor eax,eax; mov ecx,eax
    assert_eq!(x86("ecx", &[0x31, 0xC0, 0x89, 0xC1]).0, "constant");
    // push ebp; mov ebp,esp; mov eax,[ebp+8]
    assert_eq!(x86("eax", &[0x55, 0x8B, 0xEC, 0x8B, 0x45, 0x08]).0, "entered on the stack");
    // push ebp; mov ebp,esp; mov dword ptr [ebp-4],45h; mov eax,[ebp-4]
    let (end, steps) = x86("eax", &[0x55, 0x8B, 0xEC, 0xC7, 0x45, 0xFC, 0x45, 0, 0, 0, 0x8B, 0x45, 0xFC]);
    assert_eq!((end, steps.len()), ("constant", 2));
    // call; mov esi,eax
    assert_eq!(x86("esi", &[0xE8, 0, 0, 0, 0, 0x8B, 0xF0]).0, "return-value");
    // mov eax,[ecx+4]: a field of this
    assert_eq!(x86("eax", &[0x8B, 0x41, 0x04]).0, "field");
    // mov eax,[403000h]
    assert_eq!(x86("eax", &[0xA1, 0, 0x30, 0x40, 0]).0, "global");
    // mov esi,ecx
    assert_eq!(x86("esi", &[0x8B, 0xF1]).0, "entered in a register");
}

#[test]
fn x64_follows_registers_and_the_stack() {
    // mov [rsp+8],rcx; sub rsp,28h; mov rax,[rsp+30h]: the home of the first argument
    let home = [0x48, 0x89, 0x4C, 0x24, 0x08, 0x48, 0x83, 0xEC, 0x28, 0x48, 0x8B, 0x44, 0x24, 0x30];
    let (end, steps) = x64("rax", &home);
    assert_eq!((end, steps.len()), ("entered in a register", 2), "{steps:?}");
    // lea rax,[rdi+8]; mov rcx,rax: the place of a field
    let (end, steps) = x64("rcx", &[0x48, 0x8D, 0x47, 0x08, 0x48, 0x8B, 0xC8]);
    assert_eq!((end, steps.len()), ("entered in a register", 2));
    // mov eax,5; call: what was in a register that calls change is lost
    assert_eq!(x64("rcx", &[0xB9, 5, 0, 0, 0, 0xE8, 0, 0, 0, 0]).0, "no-code");
    // mov ebx,5; call; the register is kept
    assert_eq!(x64("rbx", &[0xBB, 5, 0, 0, 0, 0xE8, 0, 0, 0, 0]).0, "constant");
    // cmove rax,rcx
    assert_eq!(x64("rax", &[0x48, 0x0F, 0x44, 0xC1]).0, "computed");
}

#[test]
fn arm64_follows_registers_and_the_stack() {
    // mov x8,#0; mov x9,x8
    assert_eq!(arm64("x9", &[0xD280_0008, 0xAA08_03E9]).0, "constant");
    // mov x0,xzr
    assert_eq!(arm64("x0", &[0xAA1F_03E0]).0, "constant");
    // ldr x8,[x0,#24]
    assert_eq!(arm64("x8", &[0xF940_0C08]).0, "field");
    // bl; mov x19,x0
    assert_eq!(arm64("x19", &[0x9400_0010, 0xAA00_03F3]).0, "return-value");
    // mov x19,x0
    assert_eq!(arm64("x19", &[0xAA00_03F3]).0, "entered in a register");
    // str x0,[sp,#16]; ldr x8,[sp,#16]
    assert_eq!(arm64("x8", &[0xF900_0BE0, 0xF940_0BE8]).0, "entered in a register");
    // stp x1,x0,[sp,#16]; ldr x8,[sp,#24]: the second of a pair
    assert_eq!(arm64("x8", &[0xA901_03E1, 0xF940_0FE8]).0, "entered in a register");
    // adrp x8; ldr x8,[x8,#8]
    assert_eq!(arm64("x8", &[0x9000_0008, 0xF940_0508]).0, "global");
    // mul x8,x0,x1
    assert_eq!(arm64("x8", &[0x9B01_7C08]).0, "computed");
}

#[test]
fn a_function_is_known_to_begin_behind_padding_at_a_multiple_of_16() {
    // int3, 16 times; mov rdi,rcx
    let mut code = vec![0xCC; 16];
    code.extend([0x48, 0x8B, 0xF9]);
    assert_eq!(origin(CpuArchitecture::X64, "rdi", &code, false).0, "entered in a register");
    // Without padding nothing shows it.
    assert_eq!(origin(CpuArchitecture::X64, "rdi", &[0x48, 0x8B, 0xF9], false).0, "no-code");
    // jmp +10h; mov rdi,rcx
    assert_eq!(origin(CpuArchitecture::X64, "rdi", &[0xEB, 0x10, 0x48, 0x8B, 0xF9], false).0, "joined-paths");
}

#[test]
fn code_is_found_whatever_bytes_it_begins_with() {
    // The end of an instruction that began before; mov rdi,[rbx+18h]; test rdi,rdi
    let code = [0x44, 0x24, 0x30, 0x48, 0x8B, 0x7B, 0x18, 0x48, 0x85, 0xFF];
    let (end, steps) = origin(CpuArchitecture::X64, "rdi", &code, false);
    assert_eq!((end, steps), ("field", vec!["mov rdi,[rbx+0x18]".to_owned()]));
}

#[test]
fn no_bytes_make_it_panic() {
    let mut random = samplekit::Random::new(11);
    for _ in 0..300 {
        let code: Vec<u8> = (0..256).map(|_| random.any().to_le_bytes()[0]).collect();
        for cpu in [CpuArchitecture::X86, CpuArchitecture::X64, CpuArchitecture::Arm64] {
            for register in cpu.registers() {
                origin(cpu, register, &code, false);
            }
        }
    }
}
