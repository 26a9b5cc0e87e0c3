//! Dumps with an exception whose process went on: nothing crashed.

use evidence::{Address, ExceptionCode, OperatingSystem, ProcessDump};

use super::memory::Memory;

/// How much of the stack a debugger's thread has in use at most, bytes: it only runs the function that breaks in.
const SMALL_STACK: u64 = 0x800;
/// The modules whose code a debugger's thread runs.
const MODULES: [&str; 3] = ["ntdll.dll", "kernel32.dll", "kernelbase.dll"];

/// Whether the exception is the breakpoint of a debugger that broke into the running process: it makes a thread in it that
/// runs `DbgUiRemoteBreakin` of ntdll.dll, and nothing of the program.
pub fn is_of_a_debugger(process: &ProcessDump, stack: Address, memory: &mut Memory<'_, '_>) -> bool {
    let is_breakpoint = |code| matches!(code, ExceptionCode::BREAKPOINT | ExceptionCode::WOW64_BREAKPOINT);
    let Some(exception) = process.exception.as_ref().filter(|exception| is_breakpoint(exception.code)) else {
        return false;
    };
    let in_system = |address| {
        let module = process.module_at(Address(address))?.1;
        Some(MODULES.iter().any(|name| name.eq_ignore_ascii_case(module.name())))
    };
    if process.system.os != OperatingSystem::Windows || in_system(exception.address.0) != Some(true) {
        return false;
    }
    let wide = process.system.cpu.is_64_bit();
    let size = if wide { 8 } else { 4 };
    let words: Vec<u64> = match memory.part(stack.0, SMALL_STACK.saturating_add(1)) {
        Some(bytes) if bytes.len() as u64 <= SMALL_STACK => {
            bytes.chunks_exact(size).filter_map(|word| untrusted::bytes::pointer_at(word, 0, wide)).collect()
        }
        _ => return false,
    };
    let mut places = words.into_iter().filter_map(in_system).peekable();
    places.peek().is_some() && places.all(|system| system)
}

/// Whether the exception is that of an assertion of Unreal Engine after which the program goes on (`ensure`): the engine
/// raises it to have a dump written, and records the reason in its crash context.
pub fn is_of_an_assertion(process: &ProcessDump) -> bool {
    process.exception.is_some()
        && process
            .state
            .annotations
            .iter()
            .any(|annotation| &*annotation.key == "unreal.CrashType" && annotation.value.eq_ignore_ascii_case("ensure"))
}
