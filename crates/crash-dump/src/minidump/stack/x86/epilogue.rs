//! Epilogues: the instructions that take a frame down. Unwinding data does not describe how far one has come, so the
//! instructions themselves are read.
//!
//! What an epilogue may consist of is fixed: the stack pointer is set back, registers are popped, and a return or a
//! jump out of the function ends it ("x64 prolog and epilog" of Microsoft's documentation).

use super::registers::{RSP, Registers};
use untrusted::bytes::u32_at;

/// What is left of an epilogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epilogue {
    /// The value that the epilogue first sets the stack pointer to: a register's number and an offset from it.
    stack_pointer: Option<(usize, i32)>,
    /// Numbers of the registers that the epilogue pops, in order.
    pops: Vec<usize>,
}

/// Eight registers are kept across calls; a few more than that are popped by no compiler.
const MOST_POPS: usize = 12;

impl Epilogue {
    /// Reads the instructions in `code` up to the end of an epilogue; `None` when they are none. `leaves` is whether
    /// a relative jump, given by its target's distance from the first byte of `code`, leaves the function.
    pub fn read(code: &[u8], frame: Option<usize>, leaves: impl Fn(i64) -> Option<bool>) -> Option<Self> {
        let (stack_pointer, mut rest) = match stack_pointer_back(code, frame) {
            Some((back, rest)) => (Some(back), rest),
            None => (None, code),
        };
        let mut pops = Vec::new();
        while let Some((number, after)) = pop(rest) {
            pops.push(number);
            rest = after;
            if pops.len() > MOST_POPS {
                return None;
            }
        }
        let done = i64::try_from(code.len().checked_sub(rest.len())?).ok()?;
        let ends = match rest {
            // ret; ret with a repeat or bound prefix; ret and release of arguments
            [0xC3, ..] | [0xF3 | 0xF2, 0xC3, ..] | [0xC2, _, _, ..] => true,
            [0xEB, distance, ..] => leaves(done.checked_add(2)?.checked_add(i64::from(distance.cast_signed()))?)?,
            [0xE9, ..] => {
                let distance = i64::from(u32_at(rest, 1)?.cast_signed());
                leaves(done.checked_add(5)?.checked_add(distance)?)?
            }
            // jmp through memory: [RIP + distance], or with a REX prefix through a register
            [0xFF, 0x25, ..] | [0x48, 0xFF, 0x25, ..] => true,
            [0x48..=0x49, 0xFF, 0xE0..=0xE7, ..] => true,
            _ => false,
        };
        ends.then_some(Self { stack_pointer, pops })
    }

    /// Carries the rest out; afterwards the stack pointer is at the return address.
    pub fn finish(&self, registers: &mut Registers, mut word: impl FnMut(u64) -> Option<u64>) -> Option<()> {
        if let Some((number, distance)) = self.stack_pointer {
            registers.set(RSP, Some(registers.get(number)?.checked_add_signed(i64::from(distance))?));
        }
        for number in &self.pops {
            let rsp = registers.get(RSP)?;
            registers.set(*number, Some(word(rsp)?));
            registers.set(RSP, Some(rsp.checked_add(8)?));
        }
        Some(())
    }
}

/// `add rsp, constant` or `lea rsp, [frame register + constant]`.
fn stack_pointer_back(code: &[u8], frame: Option<usize>) -> Option<((usize, i32), &[u8])> {
    let long = |at| u32_at(code, at).map(u32::cast_signed);
    match code {
        [0x48, 0x83, 0xC4, short, rest @ ..] => Some(((RSP, i32::from(short.cast_signed())), rest)),
        [0x48, 0x81, 0xC4, _, _, _, _, rest @ ..] => Some(((RSP, long(3)?), rest)),
        // REX.W, and REX.B for R8 to R15; the operand is RSP and a register other than RSP and R12.
        [rex @ (0x48 | 0x49), 0x8D, operand, after @ ..] if operand & 0x38 == 0x20 && operand & 7 != 4 => {
            let number = usize::from(operand & 7).checked_add(if *rex == 0x49 { 8 } else { 0 })?;
            if frame != Some(number) {
                return None;
            }
            match operand >> 6 {
                1 => Some(((number, i32::from(after.first()?.cast_signed())), after.get(1..)?)),
                2 => Some(((number, long(3)?), after.get(4..)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `pop register`.
fn pop(code: &[u8]) -> Option<(usize, &[u8])> {
    match code {
        [opcode @ 0x58..=0x5F, rest @ ..] => Some((usize::from(opcode & 7), rest)),
        [0x41, opcode @ 0x58..=0x5F, rest @ ..] => Some((usize::from(opcode & 7).checked_add(8)?, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: &[u8]) -> Option<Epilogue> {
        Epilogue::read(code, Some(5), |target| Some(target < 0))
    }

    #[test]
    fn an_epilogue_sets_the_stack_back_pops_and_returns() {
        // add rsp, 20h; pop rdi; pop r14; ret
        let found = read(&[0x48, 0x83, 0xC4, 0x20, 0x5F, 0x41, 0x5E, 0xC3]);
        assert_eq!(found, Some(Epilogue { stack_pointer: Some((RSP, 0x20)), pops: vec![7, 14] }));
        // lea rsp, [rbp - 8]; pop rbp; ret
        let found = read(&[0x48, 0x8D, 0x65, 0xF8, 0x5D, 0xC3]);
        assert_eq!(found, Some(Epilogue { stack_pointer: Some((5, -8)), pops: vec![5] }));
        assert_eq!(read(&[0xC3]), Some(Epilogue { stack_pointer: None, pops: vec![] }));
    }

    #[test]
    fn a_jump_ends_an_epilogue_when_it_leaves_the_function() {
        // pop rbx; jmp (5 bytes back, 2 bytes ahead)
        assert!(read(&[0x5B, 0xEB, 0xFB_u8.wrapping_sub(3)]).is_some());
        assert_eq!(read(&[0x5B, 0xEB, 0x02]), None);
        assert!(read(&[0x48, 0xFF, 0x25, 0, 0, 0, 0]).is_some());
    }

    #[test]
    fn other_instructions_are_no_epilogue() {
        assert_eq!(read(&[0x48, 0x83, 0xC4, 0x20, 0x90, 0xC3]), None);
        // lea rsp of a register that is not the frame's
        assert_eq!(read(&[0x48, 0x8D, 0x63, 0x08, 0xC3]), None);
        assert_eq!(read(&[0x58; 40]), None);
        assert_eq!(read(&[]), None);
    }
}
