//! Instructions of 64-bit ARM: traps that end programs on purpose, and what loads and stores access. `yaxpeax-arm` decodes.
//!
//! Sources: `BRK` and `UDF` of the "Arm Architecture Reference Manual for A-profile architecture"; the numbers that Windows
//! gives to `BRK`: `DbgBreakPoint`'s and its like in `winnt.h` (`ARM64_BREAKPOINT`, `ARM64_ASSERT`, `ARM64_FASTFAIL`,
//! `ARM64_DIVIDE_BY_0`) and "`__fastfail`" of Microsoft's compiler documentation.

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Operand, SIMDSizeCode, SizeCode};

use super::{Used, Uses};
use evidence::{AccessKind, Address, Instruction, InstructionKind, Names};

pub use yaxpeax_arm::armv8::a64::Instruction as Decoded;

/// `BRK #imm16`: all bits but the number's.
const BRK: u32 = 0xD420_0000;
/// The bits of the number.
const BRK_NUMBER: u32 = 0xFFFF << 5;

/// The number of the stack pointer where an operand counts from it; elsewhere it is the register that is always 0.
pub const STACK_POINTER: usize = 31;

/// The instruction as evidence.
pub(super) fn describe(word: u32, names: &Names) -> Instruction {
    let (text, kind) = read(word);
    Instruction { text: names.share(&text), kind, extension: None, supported: None }
}

/// Decodes an instruction.
pub fn decode(word: u32) -> Option<Decoded> {
    InstDecoder::default().decode(&mut U8Reader::new(&word.to_le_bytes())).ok()
}

/// The instruction in its maker's notation, and its kind.
pub fn read(word: u32) -> (String, InstructionKind) {
    if word & !BRK_NUMBER == BRK {
        let number = (word & BRK_NUMBER) >> 5;
        let kind = match number {
            0xF003 => InstructionKind::FastFail,
            // A breakpoint, and a check that failed.
            0xF000 | 0xF001 => InstructionKind::Breakpoint,
            // Compilers' own: what they put where the program must not come (clang: 1), or where a number is divided by 0.
            _ => InstructionKind::Undefined,
        };
        return (format!("brk #{number:#x}"), kind);
    }
    // `UDF #imm16`. Its number 0 is what memory without any code is.
    if word >> 16 == 0 {
        let kind = if word == 0 { InstructionKind::Invalid } else { InstructionKind::Undefined };
        return (format!("udf #{word:#x}"), kind);
    }
    match decode(word) {
        Some(decoded) => (decoded.to_string(), InstructionKind::Ordinary),
        None => (format!("word {word:#010x} (ARM64, not decoded)"), InstructionKind::NotDecoded),
    }
}

/// How an instruction accesses memory, with the number of bytes; `None` for one that does not.
pub fn access(decoded: &Decoded) -> Option<(AccessKind, u32)> {
    let name = decoded.opcode.to_string();
    let access = match name.get(..2)? {
        "ld" => AccessKind::Read,
        "st" => AccessKind::Write,
        _ => return None,
    };
    let of_register = decoded.operands.iter().find_map(|operand| match operand {
        Operand::Register(size, _) => Some(if matches!(size, SizeCode::X) { 8 } else { 4 }),
        Operand::SIMDRegister(size, _) => Some(match size {
            SIMDSizeCode::B => 1,
            SIMDSizeCode::H => 2,
            SIMDSizeCode::S => 4,
            SIMDSizeCode::D => 8,
            SIMDSizeCode::Q => 16,
        }),
        _ => None,
    });
    let size = match name.as_str() {
        "ldp" | "ldnp" | "stp" | "stnp" => of_register.unwrap_or(0) << 1,
        "ldpsw" => 8,
        "ldrsw" | "ldursw" | "ldtrsw" => 4,
        "ldr" | "ldur" | "str" | "stur" | "ldar" | "stlr" | "ldtr" | "sttr" | "ldxr" | "ldaxr" => {
            of_register.unwrap_or(0)
        }
        other if other.ends_with('b') => 1,
        other if other.ends_with('h') => 2,
        _ => 0,
    };
    Some((access, size))
}

/// The operand in memory: base, index, what is added besides. `None` for an instruction without one, and for those whose
/// index is extended or shifted in a way that is not followed.
pub fn memory(
    decoded: &Decoded,
    register: impl Fn(usize) -> Option<u64>,
) -> Option<(usize, Option<usize>, i64, Option<u64>)> {
    let operand = |operand: &Operand| match *operand {
        Operand::RegPreIndex(base, offset, _) => {
            let base = usize::from(base);
            let address = register(base).map(|value| value.wrapping_add_signed(i64::from(offset)));
            Some((base, None, i64::from(offset), address))
        }
        Operand::RegPostIndex(base, _) | Operand::RegPostIndexReg(base, _) => {
            Some((usize::from(base), None, 0, register(usize::from(base))))
        }
        Operand::RegRegOffset(base, index, size, style, shift) => {
            use yaxpeax_arm::armv8::a64::ShiftStyle;
            let (base, index) = (usize::from(base), usize::from(index));
            // The register 31 is the one that is always 0.
            let value = if index == STACK_POINTER { Some(0) } else { register(index) };
            let extended = value.and_then(|value| match (style, size) {
                (ShiftStyle::LSL, SizeCode::X) | (ShiftStyle::UXTX | ShiftStyle::SXTX, _) => Some(value),
                (ShiftStyle::UXTW, _) | (ShiftStyle::LSL, SizeCode::W) => Some(value & 0xFFFF_FFFF),
                (ShiftStyle::SXTW, _) => Some(i64::from(value as i32).cast_unsigned()),
                _ => None,
            });
            let address = register(base)
                .zip(extended.and_then(|value| value.checked_shl(u32::from(shift))))
                .map(|(base, index)| base.wrapping_add(index));
            Some((base, Some(index), 0, address))
        }
        _ => None,
    };
    decoded.operands.iter().find_map(operand)
}

/// What a load or store accesses, and where a jump through a register goes, by the values of the registers.
pub(super) fn uses(word: u32, registers: &[u64]) -> Uses {
    let mut uses = Uses::default();
    let Some(decoded) = decode(word) else { return uses };
    let value = |number: usize| registers.get(number).copied();
    let name = decoded.opcode.to_string();
    if let Some(register) = matches!(name.as_str(), "br" | "blr" | "ret").then(|| first_register(&decoded)).flatten()
        && let Some(address) = value(register)
    {
        uses.known.push(Used {
            address: Address(address),
            size: 1,
            access: AccessKind::Execute,
            base: Some(register),
            base_value: Some(address),
            index: None,
            displacement: 0,
            misaligned: false,
        });
        return uses;
    }
    let Some((access, size)) = access(&decoded) else {
        // Of the rest, only plain arithmetic surely touches no memory.
        uses.complete = matches!(
            name.as_str(),
            "add"
                | "adds"
                | "sub"
                | "subs"
                | "and"
                | "ands"
                | "orr"
                | "eor"
                | "movz"
                | "movn"
                | "movk"
                | "csel"
                | "ubfm"
                | "sbfm"
                | "madd"
                | "msub"
                | "udiv"
                | "sdiv"
        );
        return uses;
    };
    let Some((base, index, displacement, Some(address))) = memory(&decoded, value) else { return uses };
    uses.complete = size != 0;
    uses.known.push(Used {
        address: Address(address),
        size,
        access,
        base: Some(base),
        base_value: value(base),
        index,
        displacement,
        misaligned: false,
    });
    uses
}

/// The general register that is an instruction's first operand.
pub fn first_register(decoded: &Decoded) -> Option<usize> {
    match decoded.operands.first()? {
        Operand::Register(_, number) | Operand::RegisterOrSP(_, number) => Some(usize::from(*number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliberate_traps_are_told_and_others_are_decoded() {
        let of = |word| {
            let (text, kind) = read(word);
            (text, kind.word())
        };
        assert_eq!(of(0xD43E_0060), ("brk #0xf003".to_owned(), "fast-fail"));
        assert_eq!(of(0xD43E_0000), ("brk #0xf000".to_owned(), "breakpoint"));
        assert_eq!(of(0xD43E_0020), ("brk #0xf001".to_owned(), "breakpoint"));
        assert_eq!(of(0xD420_0020), ("brk #0x1".to_owned(), "undefined"));
        assert_eq!(of(0xC11F), ("udf #0xc11f".to_owned(), "undefined"));
        assert_eq!(of(0), ("udf #0x0".to_owned(), "invalid"));
        assert_eq!(of(0xF940_0108), ("ldr x8, [x8]".to_owned(), "ordinary"));
        assert_eq!(of(0xFFFF_FFFF).1, "not-decoded");
    }

    #[test]
    fn loads_and_stores_have_their_addresses() {
        let mut registers = [0_u64; 32];
        registers[8] = 0x1000;
        registers[9] = 0x10;
        let of = |word| {
            let uses = uses(word, &registers);
            let used = uses.known.first().copied().expect("an address");
            (used.address.0, used.size, used.access.word(), used.base, uses.complete)
        };
        // ldr x0, [x8, #24]; str w1, [x8, x9]; ldrb w0, [x8]; stp x0, x1, [x8, #16]; blr x8
        assert_eq!(of(0xF940_0D00), (0x1018, 8, "read", Some(8), true));
        assert_eq!(of(0xB829_6901), (0x1010, 4, "write", Some(8), true));
        assert_eq!(of(0x3940_0100), (0x1000, 1, "read", Some(8), true));
        assert_eq!(of(0xA901_0500), (0x1010, 16, "write", Some(8), true));
        assert_eq!(of(0xD63F_0100), (0x1000, 1, "execute", Some(8), false));
    }

    #[test]
    fn no_word_makes_the_decoder_panic() {
        let mut random = samplekit::Random::new(7);
        let registers = [0_u64; 32];
        for _ in 0..400_000 {
            let word = random.any() as u32;
            let _ = read(word);
            let _ = uses(word, &registers);
        }
    }
}
