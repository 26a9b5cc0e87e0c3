//! Hooks: jumps that other software writes over the beginning of functions, and the code outside of modules that holds what
//! the jump overwrote.
//!
//! A hook that cuts an instruction in two leaves its second half to be executed.

use super::memory::Memory;
use crate::call::LONGEST_JUMP;
use evidence::{Address, CpuArchitecture, DeadHook, ProcessDump};
use untrusted::bytes::{pointer_at, u32_at};

/// Most jumps that are followed from a call to where it arrived: of an import, of a table for incremental linking, of a hook.
const MOST_JUMPS: usize = 3;
/// A jump through a pointer that is right behind it, bytes.
const LONGEST_JUMP_WITH_TARGET: u64 = 14;
/// How much of modules is searched for an address, bytes, and how much at once.
const MOST_SEARCHED: usize = 512 << 20;
const AT_ONCE: usize = 4 << 10;
/// How many bytes before and behind the instruction pointer are searched for a trampoline's jump back.
const SEARCHED_BEFORE: u64 = 16;
const SEARCHED: u64 = 64;

/// The jump at the beginning of `code`, which is at `address`: its length, and where it goes if that is known.
fn jump(code: &[u8], address: u64, memory: &mut Memory<'_, '_>, wide: bool) -> Option<(u64, Option<u64>)> {
    match code {
        [0xE9, rest @ ..] => {
            let target = address.checked_add(5)?.wrapping_add_signed(i64::from(u32_at(rest, 0)?.cast_signed()));
            Some((5, Some(if wide { target } else { target & 0xFFFF_FFFF })))
        }
        [0xFF, 0x25, rest @ ..] => {
            let distance = u32_at(rest, 0)?.cast_signed();
            let at = if wide {
                address.checked_add(6)?.wrapping_add_signed(i64::from(distance))
            } else {
                u64::from(distance.cast_unsigned())
            };
            // What is right behind the jump is read with it.
            let behind = if wide && distance == 0 { pointer_at(code, 6, true) } else { None };
            Some((6, behind.or_else(|| memory.pointer(at, wide))))
        }
        _ => None,
    }
}

/// For code outside of all modules: the place in a module to which a jump near the instruction pointer leads.
pub fn target(process: &ProcessDump, memory: &mut Memory<'_, '_>) -> Option<Address> {
    let address = process.exception.as_ref()?.address.0;
    let wide = is_x86(process)?;
    let start = address.checked_sub(SEARCHED_BEFORE)?;
    let (start, code) = match memory.part(start, SEARCHED) {
        Some(code) => (start, code.into_owned()),
        None => (address, memory.part(address, SEARCHED)?.into_owned()),
    };
    (0_usize..).zip(start..).take(code.len()).find_map(|(at, address)| {
        let (_, target) = jump(code.get(at..)?, address, memory, wide)?;
        // A trampoline leads back behind what was overwritten. What is made at run time for other reasons jumps to functions.
        let target = Address(target.filter(|target| !is_aligned(*target))?);
        process.module_at(target).map(|_| target)
    })
}

/// For an exception where no code is, right behind a call: the function that was called, if its beginning was overwritten with
/// a jump to there. `stack_pointer` leads to where the call returns to.
pub fn dead(process: &ProcessDump, memory: &mut Memory<'_, '_>, stack_pointer: u64) -> Option<DeadHook> {
    let arrived = process.exception.as_ref()?.address.0;
    let wide = is_x86(process)?;
    let returns_to = memory.pointer(stack_pointer, wide)?;
    let call = memory.call_before(returns_to)?;
    let mut at = call.resolve(returns_to, wide, |pointer| memory.pointer(pointer, wide))?;
    for _ in 0..MOST_JUMPS {
        process.module_at(Address(at))?;
        let code = memory.part(at, LONGEST_JUMP_WITH_TARGET)?.into_owned();
        let (length, Some(target)) = jump(&code, at, memory, wide)? else { return None };
        if target == arrived {
            // The jump of an import leads through a table: that its entry is wrong is no hook.
            let own = code.first() == Some(&0xE9) || length == 6 && pointer_at(&code, 6, true) == Some(target);
            let function = Address(at);
            return own.then(|| DeadHook { function, holders: holders(process, memory, target, function, wide) });
        }
        at = target;
    }
    None
}

/// Places in modules other than the one that `function` is in that hold an address, one in each; none where the modules are too
/// large to be searched.
fn holders(
    process: &ProcessDump,
    memory: &mut Memory<'_, '_>,
    held: u64,
    function: Address,
    wide: bool,
) -> Vec<Address> {
    let word = if wide { 8 } else { 4 };
    let own = process.module_at(function).map(|(index, _)| index);
    let mut left = MOST_SEARCHED;
    let mut found = Vec::new();
    let others = (0..).zip(process.modules.iter().flatten()).filter(|(index, _)| Some(*index) != own);
    for (_, module) in others {
        let end = module.base.0.saturating_add(u64::from(module.size));
        for at in (module.base.0..end).step_by(AT_ONCE) {
            let size = end.saturating_sub(at).min(AT_ONCE as u64);
            let part = memory.part(at, size).unwrap_or_default();
            // Who else knows it, is then not known.
            let Some(rest) = left.checked_sub(part.len()) else { return Vec::new() };
            left = rest;
            let index = part.chunks_exact(word).position(|bytes| pointer_at(bytes, 0, wide) == Some(held));
            if let Some(into) = index.and_then(|index| index.checked_mul(word)) {
                found.extend(at.checked_add(into as u64).map(Address));
                break;
            }
        }
    }
    found
}

/// Whether the instruction pointer is inside of a jump that leaves its module: it points into what a hook overwrote.
pub fn is_inside(process: &ProcessDump, memory: &mut Memory<'_, '_>) -> Option<bool> {
    let address = process.exception.as_ref()?.address;
    let wide = is_x86(process)?;
    let (module, _) = process.module_at(address)?;
    for before in 1..LONGEST_JUMP as u64 {
        let start = address.0.checked_sub(before)?;
        let Some(code) = memory.part(start, 14).map(|code| code.into_owned()) else { continue };
        // Hooks are at the beginning of functions. Anywhere else the byte is a part of an instruction.
        let padded = |byte: &u8| matches!(byte, 0xCC | 0x90 | 0xC3);
        let begins = is_aligned(start)
            || start.checked_sub(1).and_then(|before| memory.part(before, 1)?.first().map(padded)).unwrap_or(false);
        if !begins {
            continue;
        }
        let Some((length, Some(target))) = jump(&code, start, memory, wide) else { continue };
        let elsewhere = match process.module_at(Address(target)) {
            Some((other, _)) => other != module,
            // What can't be read is no code that a hook would lead to.
            None => memory.part(target, 1).is_some(),
        };
        if before < length && elsewhere {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a function may begin at an address: compilers align functions to multiples of 16.
fn is_aligned(address: u64) -> bool {
    address & 15 == 0
}

/// Whether addresses have 64 bits; `None` for other processors than x86.
fn is_x86(process: &ProcessDump) -> Option<bool> {
    match process.system.cpu {
        CpuArchitecture::X64 => Some(true),
        CpuArchitecture::X86 => Some(false),
        CpuArchitecture::Arm | CpuArchitecture::Arm64 | CpuArchitecture::Other => None,
    }
}
