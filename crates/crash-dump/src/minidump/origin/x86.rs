//! Steps of x86 and x64.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};

use super::step::{Flow, From, Place, Step, Target};
use crate::minidump::instruction::DecodedInstruction;

/// How far before an address code is decoded to find the instructions right before it, bytes: what dumps hold around the
/// instruction pointer.
pub const WINDOW: u64 = 256;

/// The instructions in `code`, which begins at `start`, that lead up to its end without a gap, in order. Where code is
/// entered is not known, so each byte is tried as a beginning; at each place the instruction through which most of them lead
/// is taken, because wrong beginnings soon fall in with the right ones.
pub fn before(code: &[u8], start: u64, wide: bool) -> Vec<Step> {
    let bits = if wide { 64 } else { 32 };
    let Ok(mut decoder) = Decoder::try_with_ip(bits, code, start, DecoderOptions::NONE) else { return Vec::new() };
    let mut decoded: Vec<Option<(Instruction, usize)>> = vec![None; code.len()];
    let mut leads = vec![0_u32; code.len().saturating_add(1)];
    for (at, place) in decoded.iter_mut().enumerate() {
        if decoder.set_position(at).is_err() {
            break;
        }
        decoder.set_ip(start.saturating_add(at as u64));
        let instruction = decoder.decode();
        let count = leads.get(at).copied().unwrap_or(0).saturating_add(1);
        if instruction.is_invalid() {
            continue;
        }
        let end = at.saturating_add(instruction.len());
        *place = Some((instruction, end));
        if let Some(leads) = leads.get_mut(end) {
            *leads = leads.saturating_add(count);
        }
    }
    let mut chain = Vec::new();
    let mut at = code.len();
    while at > 0 {
        let nearest = at.saturating_sub(15)..at;
        let ends_here = nearest.filter_map(|from| {
            let (instruction, end) = decoded.get(from)?.as_ref()?;
            (*end == at).then_some((leads.get(from).copied().unwrap_or(0), from, instruction))
        });
        // Of equals, the longer one: prefixes belong to their instruction.
        let Some((_, from, instruction)) = ends_here.max_by_key(|(leads, from, _)| (*leads, std::cmp::Reverse(*from)))
        else {
            break;
        };
        chain.push(*instruction);
        at = from;
    }
    let mut factory = InstructionInfoFactory::new();
    chain.iter().rev().map(|instruction| step(instruction, wide, &mut factory)).collect()
}

/// The instruction at the beginning of `code`, which is at `start`.
pub fn one(code: &[u8], start: u64, wide: bool) -> Option<Step> {
    let bits = if wide { 64 } else { 32 };
    let instruction = Decoder::try_with_ip(bits, code, start, DecoderOptions::NONE).ok()?.decode();
    (!instruction.is_invalid()).then(|| step(&instruction, wide, &mut InstructionInfoFactory::new()))
}

/// The instructions in `code`, which begins with one at `start`, as far as they lead to its end.
pub fn forward(code: &[u8], start: u64, wide: bool) -> Vec<Step> {
    let bits = if wide { 64 } else { 32 };
    let Ok(mut decoder) = Decoder::try_with_ip(bits, code, start, DecoderOptions::NONE) else { return Vec::new() };
    let mut factory = InstructionInfoFactory::new();
    let mut steps = Vec::new();
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            break;
        }
        steps.push(step(&instruction, wide, &mut factory));
    }
    steps
}

fn step(instruction: &Instruction, wide: bool, factory: &mut InstructionInfoFactory) -> Step {
    let decoded = DecodedInstruction::X86 { instruction: *instruction, wide };
    let mut step = Step::plain(instruction.ip(), instruction.next_ip(), decoded);
    for used in factory.info(instruction).used_registers() {
        let written = matches!(
            used.access(),
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        let read = matches!(
            used.access(),
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        let Some(bit) = number(used.register()).and_then(|number| 1_u32.checked_shl(u32::try_from(number).ok()?))
        else {
            continue;
        };
        step.writes |= if written { bit } else { 0 };
        step.reads |= if read { bit } else { 0 };
    }
    step.flow = flow(instruction);
    step.moves_stack = i64::from(instruction.stack_pointer_increment());
    if matches!(step.flow, Flow::Call(_)) {
        step.moves_stack = 0;
    }
    let first = (instruction.op0_kind() == OpKind::Register).then(|| number(instruction.op0_register())).flatten();
    let whole = instruction.op0_kind() == OpKind::Register && instruction.op0_register().size() >= 4;
    let (second, immediate) = (operand(instruction, 1), instruction.try_immediate(1).ok());
    use Mnemonic::*;
    if matches!(instruction.mnemonic(), Div | Idiv) {
        step.compares = [operand(instruction, 0), None];
    }
    if matches!(instruction.mnemonic(), Cmp | Test) {
        step.compares = [operand(instruction, 0), second];
    }
    if writes_memory(instruction, factory) {
        step.spoils = Some(place(instruction)).filter(|_| has_plain_address(instruction));
    }
    match (instruction.mnemonic(), first) {
        (Mov, Some(to)) if whole => step.sets = [second.map(|from| (to, from)), None],
        (Mov, None) if instruction.op0_kind() == OpKind::Memory && has_plain_address(instruction) => {
            step.stores = [second.map(|from| (place(instruction), from)), None];
            if second.is_some() {
                step.spoils = None;
            }
        }
        (Movzx | Movsx | Movsxd, Some(to)) => {
            let from = match second {
                // A number of 32 bits stays what it is.
                Some(From::Register(_)) if instruction.mnemonic() == Movsxd => second,
                Some(From::Register(register)) => Some(From::Near(register)),
                other => other,
            };
            step.sets = [from.map(|from| (to, from)), None];
        }
        (Lea, Some(to)) => step.sets = [Some((to, From::AddressOf(place(instruction)))), None],
        (Xor | Sub, Some(to)) if whole && second == Some(From::Register(to)) => {
            step.sets = [Some((to, From::Constant(0))), None];
        }
        (And, Some(to)) if whole && immediate == Some(0) => step.sets = [Some((to, From::Constant(0))), None],
        (Or, Some(to)) if whole && immediate.is_some_and(|value| value as u32 == u32::MAX) => {
            let value = if wide { immediate.unwrap_or(u64::MAX) } else { u64::from(u32::MAX) };
            step.sets = [Some((to, From::Constant(value))), None];
        }
        (Add | Sub | And, Some(4)) if immediate.is_some() => {
            let value = immediate.unwrap_or(0).cast_signed();
            match instruction.mnemonic() {
                Add => step.moves_stack = value,
                Sub => step.moves_stack = value.wrapping_neg(),
                _ => {}
            }
        }
        (Add | Sub | And, Some(to)) if immediate.is_some() => step.sets = [Some((to, From::Near(to))), None],
        (Inc | Dec, Some(to)) => step.sets = [Some((to, From::Near(to))), None],
        (Push, _) => {
            let from = operand(instruction, 0);
            let top = Place { base: Some(4), has_index: false, displacement: 0 };
            // The place as it is behind the instruction.
            step.stores = [from.map(|from| (top, from)), None];
            step.spoils = None;
        }
        (Pop, Some(to)) => {
            let top = Place { base: Some(4), has_index: false, displacement: 0 };
            step.sets = [Some((to, From::Load(top))), None];
        }
        _ => {}
    }
    step
}

fn flow(instruction: &Instruction) -> Flow {
    let near = || {
        let near = matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64);
        near.then(|| instruction.near_branch_target())
    };
    match instruction.flow_control() {
        FlowControl::ConditionalBranch => near().map_or(Flow::Next, Flow::Branch),
        FlowControl::Call => Flow::Call(near().map_or(Target::Unknown, Target::Address)),
        FlowControl::IndirectCall => Flow::Call(operand(instruction, 0).map_or(Target::Unknown, Target::Value)),
        FlowControl::UnconditionalBranch => Flow::Jump(near()),
        FlowControl::IndirectBranch | FlowControl::Return | FlowControl::Exception => Flow::Jump(None),
        FlowControl::Interrupt if instruction.mnemonic() == Mnemonic::Int3 => Flow::Padding,
        // `__fastfail` of winnt.h, which does not return.
        FlowControl::Interrupt if instruction.try_immediate(0).is_ok_and(|number| number == 0x29) => Flow::Jump(None),
        _ => Flow::Next,
    }
}

/// The value of an operand.
fn operand(instruction: &Instruction, index: u32) -> Option<From> {
    match instruction.try_op_kind(index).ok()? {
        OpKind::Register => {
            let register = instruction.try_op_register(index).ok()?;
            (register.size() >= 4).then(|| number(register)).flatten().map(From::Register)
        }
        OpKind::Memory => has_plain_address(instruction).then(|| From::Load(place(instruction))),
        _ => instruction.try_immediate(index).ok().map(From::Constant),
    }
}

/// Whether the address that an instruction uses does not count from a segment of its own: FS and GS lead to the thread's
/// environment block.
fn has_plain_address(instruction: &Instruction) -> bool {
    !matches!(instruction.memory_segment(), Register::FS | Register::GS)
}

/// Whether an instruction changes memory through its first operand.
fn writes_memory(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> bool {
    instruction.op_count() > 0
        && instruction.op0_kind() == OpKind::Memory
        && matches!(
            factory.info(instruction).op0_access(),
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        )
}

/// The place in memory that an instruction uses.
fn place(instruction: &Instruction) -> Place {
    let base = instruction.memory_base();
    if base == Register::RIP || base == Register::EIP {
        let displacement = instruction.ip_rel_memory_address().cast_signed();
        return Place { base: None, has_index: false, displacement };
    }
    Place {
        base: number(base),
        has_index: instruction.memory_index() != Register::None,
        displacement: if base.size() == 4 {
            i64::from(instruction.memory_displacement64() as i32)
        } else {
            instruction.memory_displacement64().cast_signed()
        },
    }
}

fn number(register: Register) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}

/// Whether an instruction only fills space: compilers align functions and loops with such.
pub fn is_filler(step: &Step) -> bool {
    let DecodedInstruction::X86 { instruction, .. } = &step.decoded else { return false };
    match instruction.mnemonic() {
        Mnemonic::Nop | Mnemonic::Int3 => true,
        Mnemonic::Xchg => instruction.op0_register() == instruction.op1_register(),
        Mnemonic::Lea => {
            let to = instruction.op0_register();
            let same = |register: Register| register == to || register == Register::None;
            same(instruction.memory_base())
                && same(instruction.memory_index())
                && instruction.memory_index_scale() == 1
                && instruction.memory_displacement64() == 0
                && (instruction.memory_base() == to) != (instruction.memory_index() == to)
        }
        _ => false,
    }
}

/// How many bytes of arguments a return takes from the stack; `None` for other instructions.
pub fn popped(step: &Step) -> Option<i64> {
    let DecodedInstruction::X86 { instruction, .. } = &step.decoded else { return None };
    let returns = instruction.mnemonic() == Mnemonic::Ret;
    returns.then(|| if instruction.op_count() > 0 { i64::from(instruction.immediate16()) } else { 0 })
}

/// The address of the pointer that a jump leads through.
pub fn jumps_through(step: &Step) -> Option<u64> {
    let DecodedInstruction::X86 { instruction, .. } = &step.decoded else { return None };
    let through = instruction.flow_control() == FlowControl::IndirectBranch && instruction.op0_kind() == OpKind::Memory;
    let place = place(instruction);
    (through && place.base.is_none() && !place.has_index).then(|| place.displacement.cast_unsigned())
}
