//! Instructions of 64-bit ARM, as far as they end programs on purpose. Of others only the word is shown.
//!
//! Sources: `BRK` and `UDF` of the "Arm Architecture Reference Manual for A-profile architecture"; the numbers that Windows
//! gives to `BRK`: `DbgBreakPoint`'s and its like in `winnt.h` (`ARM64_BREAKPOINT`, `ARM64_ASSERT`, `ARM64_FASTFAIL`,
//! `ARM64_DIVIDE_BY_0`) and "`__fastfail`" of Microsoft's compiler documentation.

use evidence::{Instruction, InstructionKind, Names};

/// `BRK #imm16`: all bits but the number's.
const BRK: u32 = 0xD420_0000;
/// The bits of the number.
const BRK_NUMBER: u32 = 0xFFFF << 5;

/// The instruction as evidence.
pub(super) fn describe(word: u32, names: &Names) -> Instruction {
    let (text, kind) = read(word);
    Instruction { text: names.share(&text), kind, extension: None, supported: None }
}

fn read(word: u32) -> (String, InstructionKind) {
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
    (format!("word {word:#010x} (ARM64, not decoded)"), InstructionKind::NotDecoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliberate_traps_are_told_and_others_are_not_guessed() {
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
        assert_eq!(of(0xF940_0108), ("word 0xf9400108 (ARM64, not decoded)".to_owned(), "not-decoded"));
    }
}
