//! `UNWIND_INFO`: what a function's prologue did to the stack and to registers.
//!
//! Source: "x64 exception handling" of Microsoft's documentation; version 2, which describes epilogues too, after the
//! unwinder of .NET (`src/coreclr/unwinder/amd64`).

use super::function_table::{ENTRY_SIZE, Function};
use untrusted::bytes::{u16_at, u32_at};

/// `UNW_FLAG_CHAININFO`: behind the codes is the entry of the function that this is a part of.
const CHAINED: u8 = 4;
/// Longest chain that is followed. Compilers write one or two links; damaged data could make a ring.
pub const LONGEST_CHAIN: usize = 32;

/// One operation of a function's prologue, as stack walking undoes it. Offsets count from the frame's base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A register was pushed.
    Push(usize),
    /// The stack pointer was lowered by so many bytes.
    Allocate(u32),
    /// The frame register was set from the stack pointer.
    SetFrame,
    /// A register was stored.
    Save(usize, u32),
    /// The processor or the system pushed the state of interrupted code, with an error code on top of it (`true`) or
    /// without one.
    MachineFrame(bool),
    /// A vector register was stored; nothing that a walk needs.
    SaveVector,
}

/// One `UNWIND_INFO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnwindInfo {
    /// Length of the prologue, bytes.
    pub prologue: u8,
    /// The frame register and how far above the stack pointer it was set, bytes.
    pub frame: Option<(usize, u32)>,
    /// What the prologue did, the last thing first, each with the offset in the prologue behind it.
    pub operations: Vec<(u8, Operation)>,
    /// The entry of the function that this is a part of.
    pub chained: Option<Function>,
}

impl UnwindInfo {
    /// Reads the information of `function` with `fill`, which fills a buffer from an offset on. `None` when it is not at
    /// hand, or of a kind that is not known: then nothing about the frame is certain.
    pub fn read(function: Function, mut fill: impl FnMut(u32, &mut [u8]) -> Option<()>) -> Option<Self> {
        let mut at = function.unwind_info;
        // Bit 0 set: no information, but another entry that has it.
        if at & 1 != 0 {
            let mut entry = [0; ENTRY_SIZE as usize];
            fill(at & !1, &mut entry)?;
            at = Function::read(&entry)?.unwind_info;
            if at & 1 != 0 {
                return None;
            }
        }
        let mut header = [0; 4];
        fill(at, &mut header)?;
        let [version_and_flags, prologue, count, frame] = header;
        let (version, flags) = (version_and_flags & 7, version_and_flags >> 3);
        if !(1..=2).contains(&version) {
            return None;
        }
        let mut codes = vec![0; usize::from(count).checked_mul(2)?];
        let codes_at = at.checked_add(4)?;
        fill(codes_at, &mut codes)?;
        let mut chained = None;
        if flags & CHAINED != 0 {
            // The codes are filled up to an even number.
            let even = u32::from(count).checked_next_multiple_of(2)?;
            let mut entry = [0; ENTRY_SIZE as usize];
            fill(codes_at.checked_add(even.checked_mul(2)?)?, &mut entry)?;
            chained = Some(Function::read(&entry)?);
        }
        let frame_offset = u32::from(frame >> 4).checked_mul(16)?;
        Some(Self {
            prologue,
            frame: (frame & 15 != 0).then_some((usize::from(frame & 15), frame_offset)),
            operations: operations(&codes, version)?,
            chained,
        })
    }

    /// The offset in the prologue behind which the frame register holds.
    pub fn frame_set_at(&self) -> Option<u8> {
        self.operations.iter().find(|(_, operation)| *operation == Operation::SetFrame).map(|(at, _)| *at)
    }
}

/// The codes: each a byte (offset in the prologue), four bits (operation) and four bits (its information), and behind
/// it what belongs to it.
fn operations(codes: &[u8], version: u8) -> Option<Vec<(u8, Operation)>> {
    let mut operations = Vec::new();
    let mut rest = codes;
    while let [offset, code, after @ ..] = rest {
        let information = code >> 4;
        let register = usize::from(information);
        let word = || u16_at(after, 0).map(u32::from);
        let double_word = || u32_at(after, 0);
        // The operation, and how many bytes belong to it.
        let (operation, taken) = match (code & 15, information) {
            (0, _) => (Some(Operation::Push(register)), 0),
            (1, 0) => (Some(Operation::Allocate(word()?.checked_mul(8)?)), 2),
            (1, 1) => (Some(Operation::Allocate(double_word()?)), 4),
            (2, _) => (Some(Operation::Allocate(u32::from(information).checked_mul(8)?.checked_add(8)?)), 0),
            (3, _) => (Some(Operation::SetFrame), 0),
            (4, _) => (Some(Operation::Save(register, word()?.checked_mul(8)?)), 2),
            (5, _) => (Some(Operation::Save(register, double_word()?)), 4),
            // Where epilogues are; in version 1 an outdated way to store a vector register.
            (6, _) => (None, if version == 1 { 2 } else { 0 }),
            (7, _) => (None, 4),
            (8, _) => (Some(Operation::SaveVector), 2),
            (9, _) => (Some(Operation::SaveVector), 4),
            (10, 0 | 1) => (Some(Operation::MachineFrame(information == 1)), 0),
            _ => return None,
        };
        operations.extend(operation.map(|operation| (*offset, operation)));
        rest = after.get(taken..)?;
    }
    Some(operations)
}
