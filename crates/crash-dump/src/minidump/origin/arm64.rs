//! Steps of 64-bit ARM.

use yaxpeax_arm::armv8::a64::{Opcode, Operand, ShiftStyle};

use super::step::{Flow, From, Place, Step, Target};
use crate::minidump::instruction::DecodedInstruction;
use crate::minidump::instruction::arm64::{Decoded, STACK_POINTER, access, decode, first_register};
use evidence::AccessKind;
use untrusted::bytes::u32_at;

/// The instructions in `code`, which begins at `start`, a multiple of four. Those that are not decoded change nothing that is
/// followed; a word that is none ends what is before it.
pub fn steps(code: &[u8], start: u64) -> Vec<Step> {
    let words = (0..code.len()).step_by(4).filter_map(|at| u32_at(code, at));
    words.zip((start..).step_by(4)).map(|(word, address)| step(word, address)).collect()
}

fn step(word: u32, address: u64) -> Step {
    let mut step = Step::plain(address, address.saturating_add(4), DecodedInstruction::Arm64(word));
    let Some(decoded) = decode(word) else {
        step.flow = Flow::Padding;
        return step;
    };
    let operands = &decoded.operands;
    step.flow = flow(&decoded, address);
    let first = first_register(&decoded);
    match access(&decoded) {
        Some((AccessKind::Read, size)) => {
            let registers: Vec<usize> = operands.iter().map_while(general).take(2).collect();
            step.writes = registers.iter().fold(0, |writes, register| writes | bit(*register));
            if let Some(place) = place(operands) {
                let one = |index: usize, add: i64| {
                    let displacement = place.displacement.saturating_add(add);
                    registers.get(index).map(|register| (*register, From::Load(Place { displacement, ..place })))
                };
                let half = i64::from(size >> 1);
                step.sets = if registers.len() == 2 { [one(0, 0), one(1, half)] } else { [one(0, 0), None] };
            }
        }
        Some((_, size)) => {
            let mut registers: Vec<usize> = operands.iter().map_while(general).take(3).collect();
            if is_exclusive_store(&decoded) && !registers.is_empty() {
                // Whether it stored is what the first register tells.
                step.writes = bit(registers.remove(0));
            }
            registers.truncate(2);
            if let Some(place) = place(operands) {
                let one = |index: usize, add: i64| {
                    let displacement = place.displacement.saturating_add(add);
                    let from = registers.get(index).map(|register| value(*register));
                    from.map(|from| (Place { displacement, ..place }, from))
                };
                let half = i64::from(size >> 1);
                step.stores = if registers.len() == 2 { [one(0, 0), one(1, half)] } else { [one(0, 0), None] };
            }
        }
        None => {
            if let Some(to) = first.filter(|to| step.flow == Flow::Next && is_written(&decoded, *to)) {
                step.writes = bit(to);
                step.sets = [computed(&decoded, address).map(|from| (to, from)), None];
                if to == STACK_POINTER {
                    step.moves_stack = stack_move(&decoded).unwrap_or(0);
                }
            }
        }
    }
    // What is written back to the base.
    for operand in operands {
        match *operand {
            Operand::RegPreIndex(base, offset, true) | Operand::RegPostIndex(base, offset) => {
                step.writes |= bit(usize::from(base));
                if usize::from(base) == STACK_POINTER {
                    step.moves_stack = i64::from(offset);
                }
            }
            _ => {}
        }
    }
    step
}

/// Whether an instruction of arithmetic writes its first operand: comparisons have none, or the register that is always 0.
fn is_written(decoded: &Decoded, to: usize) -> bool {
    let compares = matches!(decoded.opcode, Opcode::CCMP | Opcode::CCMN);
    let zero = to == 31 && matches!(decoded.operands.first(), Some(Operand::Register(..)));
    !compares && !zero
}

/// Whether it stores only where nobody else stored meanwhile, and tells so in its first operand.
fn is_exclusive_store(decoded: &Decoded) -> bool {
    use Opcode::{STLXP, STLXR, STLXRB, STLXRH, STXP, STXR, STXRB, STXRH};
    matches!(decoded.opcode, STXR | STXRB | STXRH | STLXR | STLXRB | STLXRH | STXP | STLXP)
}

fn flow(decoded: &Decoded, address: u64) -> Flow {
    let target = || {
        decoded.operands.iter().find_map(|operand| match operand {
            Operand::PCOffset(offset) => Some(address.wrapping_add_signed(*offset)),
            _ => None,
        })
    };
    let value = || first_register(decoded).map_or(Target::Unknown, |register| Target::Value(From::Register(register)));
    match decoded.opcode {
        Opcode::BL => Flow::Call(target().map_or(Target::Unknown, Target::Address)),
        Opcode::BLR => Flow::Call(value()),
        Opcode::B => Flow::Jump(target()),
        Opcode::BR | Opcode::RET => Flow::Jump(None),
        Opcode::Bcc(_) | Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ => {
            target().map_or(Flow::Next, Flow::Branch)
        }
        Opcode::BRK | Opcode::UDF => Flow::Padding,
        _ => Flow::Next,
    }
}

/// What an instruction of arithmetic puts into its first operand, where that can be followed.
fn computed(decoded: &Decoded, address: u64) -> Option<From> {
    let [_, second, third, _] = &decoded.operands;
    match (decoded.opcode, second, third) {
        (Opcode::MOVZ, _, _) => constant(second).map(From::Constant),
        (Opcode::MOVN, _, _) => constant(second).map(|value| From::Constant(!value)),
        (Opcode::ADRP, Operand::PCOffset(offset), _) => {
            Some(From::Constant((address & !0xFFF).wrapping_add_signed(*offset)))
        }
        (Opcode::ADR, Operand::PCOffset(offset), _) => Some(From::Constant(address.wrapping_add_signed(*offset))),
        (Opcode::ORR, Operand::Register(_, 31), Operand::RegShift(ShiftStyle::LSL, 0, _, from)) => {
            Some(value(usize::from(*from)))
        }
        (Opcode::ORR, Operand::Register(_, 31), Operand::Register(_, from)) => Some(value(usize::from(*from))),
        (Opcode::ADD | Opcode::SUB, Operand::Register(_, from) | Operand::RegisterOrSP(_, from), third) => {
            let amount = constant(third)?;
            let amount = i64::try_from(amount).ok()?;
            let displacement = if decoded.opcode == Opcode::ADD { amount } else { amount.checked_neg()? };
            let base = Some(usize::from(*from));
            Some(From::AddressOf(Place { base, has_index: false, displacement }))
        }
        (Opcode::MOVK, _, _) => None,
        _ => None,
    }
}

fn stack_move(decoded: &Decoded) -> Option<i64> {
    match computed(decoded, 0)? {
        From::AddressOf(Place { base: Some(STACK_POINTER), displacement, .. }) => Some(displacement),
        _ => None,
    }
}

fn constant(operand: &Operand) -> Option<u64> {
    match *operand {
        Operand::Immediate(value) => Some(u64::from(value)),
        Operand::Imm16(value) => Some(u64::from(value)),
        Operand::Imm64(value) => Some(value),
        Operand::ImmShift(value, shift) => u64::from(value).checked_shl(u32::from(shift)),
        _ => None,
    }
}

/// The value of a register in a place where 31 is the register that is always 0.
fn value(register: usize) -> From {
    if register == 31 { From::Constant(0) } else { From::Register(register) }
}

fn general(operand: &Operand) -> Option<usize> {
    match operand {
        Operand::Register(_, number) => Some(usize::from(*number)),
        _ => None,
    }
}

fn place(operands: &[Operand]) -> Option<Place> {
    operands.iter().find_map(|operand| match *operand {
        Operand::RegPreIndex(base, offset, write_back) => {
            // The place as it is behind the instruction.
            let displacement = if write_back { 0 } else { i64::from(offset) };
            Some(Place { base: Some(usize::from(base)), has_index: false, displacement })
        }
        Operand::RegRegOffset(base, ..) => {
            Some(Place { base: Some(usize::from(base)), has_index: true, displacement: 0 })
        }
        _ => None,
    })
}

fn bit(register: usize) -> u32 {
    u32::try_from(register).ok().and_then(|bit| 1_u32.checked_shl(bit)).unwrap_or(0)
}
