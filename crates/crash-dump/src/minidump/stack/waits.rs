//! What a thread waits for, by the functions on its stack, and who holds the lock that it waits for.
//!
//! Names: the functions that ntdll.dll, win32u.dll and kernel32.dll export. Layout of locks: `RTL_CRITICAL_SECTION` and
//! `RTL_CRITICAL_SECTION_DEBUG` of `winnt.h`.

use evidence::{Address, Frame, FrameTrust, HeldLock, LoadedModule, WaitKind};

use super::x86::{RSP, Registers};
use crate::minidump::memory::Memory;

/// How many frames are looked at: below the call to the system are those of the function that a program calls.
const INNERMOST: usize = 8;
/// How much of the stack is searched for a lock's address, words from the stack pointer up: the frames of the functions
/// that wait.
const SEARCHED_WORDS: u64 = 128;
/// Deepest recursion of a lock that is believed.
const MOST_RECURSIONS: u32 = 1 << 16;

/// Functions in which threads wait, by beginnings of their names, without the letters `Nt` or `Zw`. Those further up the
/// list decide where a stack has several: they are called by programs, and wait by the others.
const FUNCTIONS: &[(&str, WaitKind)] = &[
    ("RtlEnterCriticalSection", WaitKind::CriticalSection),
    ("RtlpEnterCriticalSection", WaitKind::CriticalSection),
    ("RtlpWaitOnCriticalSection", WaitKind::CriticalSection),
    ("EnterCriticalSection", WaitKind::CriticalSection),
    ("RtlAcquireSRWLock", WaitKind::SlimLock),
    ("AcquireSRWLock", WaitKind::SlimLock),
    ("RtlSleepConditionVariable", WaitKind::Condition),
    ("SleepConditionVariable", WaitKind::Condition),
    ("RtlWaitOnAddress", WaitKind::Condition),
    ("WaitOnAddress", WaitKind::Condition),
    ("SendMessage", WaitKind::Window),
    ("UserMessageCall", WaitKind::Window),
    ("MsgWaitForMultipleObjects", WaitKind::MessagesOrObject),
    ("GetMessage", WaitKind::Messages),
    ("WaitMessage", WaitKind::Messages),
    ("UserGetMessage", WaitKind::Messages),
    ("UserWaitMessage", WaitKind::Messages),
    ("UserPeekMessage", WaitKind::Messages),
    ("UserMsgWaitForMultipleObjects", WaitKind::MessagesOrObject),
    ("AlpcSendWaitReceivePort", WaitKind::OtherProcess),
    ("AlpcConnectPort", WaitKind::OtherProcess),
    ("RequestWaitReplyPort", WaitKind::OtherProcess),
    ("WaitForWorkViaWorkerFactory", WaitKind::Work),
    ("RemoveIoCompletion", WaitKind::Work),
    ("DelayExecution", WaitKind::Time),
    ("SleepEx", WaitKind::Time),
    ("ReadFile", WaitKind::Device),
    ("WriteFile", WaitKind::Device),
    ("DeviceIoControlFile", WaitKind::Device),
    ("FsControlFile", WaitKind::Device),
    ("CreateFile", WaitKind::Device),
    ("OpenFile", WaitKind::Device),
    ("QueryDirectoryFile", WaitKind::Device),
    ("QueryAttributesFile", WaitKind::Device),
    ("SignalAndWaitForSingleObject", WaitKind::Object),
    ("WaitForSingleObject", WaitKind::Object),
    ("WaitForMultipleObjects", WaitKind::Object),
    ("WaitForAlertByThreadId", WaitKind::Condition),
    ("WaitForKeyedEvent", WaitKind::Condition),
    ("WaitForDebugEvent", WaitKind::OtherProcess),
];

/// Modules whose functions wait for their callers.
const MODULES: [&str; 5] = ["ntdll.dll", "kernelbase.dll", "kernel32.dll", "win32u.dll", "user32.dll"];

/// What the thread with these frames waits for. `None` where its innermost function is none that waits, or has no name.
pub fn waits_for(frames: &[Frame], modules: &[LoadedModule]) -> Option<WaitKind> {
    let rank = |frame: &Frame| {
        let name = frame.function.as_deref()?;
        let plain = name.strip_prefix("Nt").or_else(|| name.strip_prefix("Zw")).unwrap_or(name);
        FUNCTIONS.iter().position(|(beginning, _)| plain.starts_with(beginning))
    };
    let waits = |frame: &&Frame| {
        if frame.trust == FrameTrust::Scanned {
            return false;
        }
        let module = frame.module.and_then(|index| modules.get(index));
        module.is_some_and(|module| MODULES.iter().any(|name| name.eq_ignore_ascii_case(&module.name)))
    };
    rank(frames.first()?)?;
    // Further out are functions that called back into the program.
    let decisive = frames.iter().take(INNERMOST).take_while(waits).filter_map(rank).min()?;
    FUNCTIONS.get(decisive).map(|(_, kind)| *kind)
}

/// The critical section that the thread with these registers waits for, and its owner among `threads`. Its address is in
/// a register or on the stack.
pub fn lock(
    registers: &Registers,
    wide: bool,
    thread: u32,
    threads: &[u32],
    memory: &mut Memory<'_, '_>,
) -> Option<HeldLock> {
    let size = if wide { 8 } else { 4 };
    let held = (0..16).filter_map(|number| registers.get(number));
    let stack = registers.get(RSP)?;
    let slots = (0..SEARCHED_WORDS).filter_map(|word| stack.checked_add(word.checked_mul(size)?));
    let mut found: Option<HeldLock> = None;
    let candidates: Vec<u64> = held.chain(slots.filter_map(|slot| memory.pointer(slot, wide))).collect();
    for address in candidates {
        let Some(owner) = owner(address, wide, memory) else { continue };
        if owner == thread || !threads.contains(&owner) {
            continue;
        }
        match found {
            // Two locks: which of them it waits for, is not known.
            Some(known) if known.address.0 != address => return None,
            _ => found = Some(HeldLock { address: Address(address), owner }),
        }
    }
    found
}

/// The thread that holds the critical section at an address for which others wait; `None` where none is, nobody holds it, or
/// nobody waits.
fn owner(address: u64, wide: bool, memory: &mut Memory<'_, '_>) -> Option<u32> {
    let size: u64 = if wide { 8 } else { 4 };
    if address.checked_rem(size) != Some(0) {
        return None;
    }
    let counts = address.checked_add(size)?;
    if waiting(memory.u32(counts)?) == 0 {
        return None;
    }
    let recursions = memory.u32(counts.checked_add(4)?)?;
    if !(1..=MOST_RECURSIONS).contains(&recursions) {
        return None;
    }
    let owner = u32::try_from(memory.pointer(counts.checked_add(8)?, wide)?).ok()?;
    // Where the system does not keep debugging data, there is -1; otherwise the data point back.
    let debug = memory.pointer(address, wide)?;
    let none = if wide { u64::MAX } else { u64::from(u32::MAX) };
    let is_section = debug == none || memory.pointer(debug.checked_add(size)?, wide) == Some(address);
    is_section.then_some(owner)
}

/// How many threads wait for a critical section, by its `LockCount`: before Windows Vista it counts them, from 0 on; since then
/// the complement of the bits above the lowest two does.
///
/// Source: "Displaying a critical section" of the documentation of the Windows debuggers.
fn waiting(lock_count: u32) -> u32 {
    if lock_count >> 31 == 0 { lock_count } else { !lock_count >> 2 }
}

#[cfg(test)]
mod tests {
    use super::waiting;

    #[test]
    fn a_lock_count_shows_how_many_wait() {
        // Free, held, and held with one and two that wait; the last two of Windows XP.
        let counts = [u32::MAX, 0xFFFF_FFFE, 0xFFFF_FFFA, 0xFFFF_FFF6, 0, 1];
        assert_eq!(counts.map(waiting), [0, 0, 1, 2, 0, 1]);
    }
}
