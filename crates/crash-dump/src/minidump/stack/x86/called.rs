//! Whether the function that a call leads to is the one that a frame of 32-bit code is in.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::way_out::Surroundings;

/// Most instructions that are followed, on all ways together.
const MOST_INSTRUCTIONS: usize = 1024;
/// Most instructions of a function's beginning that make room on the stack.
const MOST_OF_BEGINNING: usize = 16;
/// Longest instruction, bytes.
const LONGEST: usize = 15;

/// Whether the code from `begin` on leads to `to`: to an instruction there, or to a call that would return to it. `None` where
/// not all of its ways could be followed to their end.
pub fn leads_to(begin: u64, to: u64, around: &mut impl Surroundings) -> Option<bool> {
    let mut ways = vec![begin];
    let mut seen = Vec::new();
    let mut complete = true;
    while let Some(mut address) = ways.pop() {
        while !seen.contains(&address) {
            if address == to {
                return Some(true);
            }
            if seen.len() >= MOST_INSTRUCTIONS {
                return None;
            }
            seen.push(address);
            let Some(instruction) = instruction(address, around) else {
                complete = false;
                break;
            };
            address = match instruction.flow_control() {
                FlowControl::Next => instruction.next_ip(),
                FlowControl::Call | FlowControl::IndirectCall => {
                    let behind = instruction.next_ip();
                    if behind != to && is_filled(behind, around) {
                        break;
                    }
                    behind
                }
                FlowControl::ConditionalBranch => {
                    ways.push(instruction.near_branch_target());
                    instruction.next_ip()
                }
                FlowControl::UnconditionalBranch => instruction.near_branch_target(),
                FlowControl::Return | FlowControl::Interrupt | FlowControl::Exception => break,
                _ => {
                    complete = false;
                    break;
                }
            };
        }
    }
    complete.then_some(false)
}

/// How many bytes of the stack the beginning of a function takes before `to`: so far below the address that it returns to, at
/// least, is the stack pointer there.
pub fn room(begin: u64, to: u64, around: &mut impl Surroundings) -> u64 {
    let mut room = 0_u64;
    let mut address = begin;
    for _ in 0..MOST_OF_BEGINNING {
        if address == to {
            break;
        }
        let Some(instruction) = instruction(address, around) else { break };
        if instruction.flow_control() != FlowControl::Next {
            break;
        }
        let of_stack = instruction.op0_kind() == OpKind::Register && instruction.op0_register() == Register::ESP;
        match instruction.mnemonic() {
            Mnemonic::Push => room = room.saturating_add(4),
            Mnemonic::Sub if of_stack => {
                room = room.saturating_add(instruction.try_immediate(1).unwrap_or_default());
                break;
            }
            _ if of_stack => break,
            Mnemonic::Pop => break,
            _ => {}
        }
        address = instruction.next_ip();
    }
    room
}

fn instruction(address: u64, around: &mut impl Surroundings) -> Option<Instruction> {
    let mut code = [0; LONGEST];
    let held = around.code(address, &mut code);
    let mut decoder = Decoder::try_with_ip(32, code.get(..held)?, address, DecoderOptions::NONE).ok()?;
    let instruction = decoder.decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// Whether only what compilers put between functions is from an address up to the next multiple of 16: the call before it does
/// not return.
fn is_filled(address: u64, around: &mut impl Surroundings) -> bool {
    let mut code = [0; LONGEST];
    let filled = usize::try_from(address.wrapping_neg() & 15).unwrap_or_default();
    let held = around.code(address, code.get_mut(..filled).unwrap_or_default());
    held == filled && filled > 0 && code.iter().take(filled).all(|byte| matches!(byte, 0x90 | 0xCC))
}

#[cfg(test)]
mod tests {
    use super::super::way_out::tests::{CODE, Given};
    use super::{leads_to, room};

    fn given(code: &[u8]) -> Given {
        Given { code: code.to_vec(), words: Vec::new(), wide: false }
    }

    fn leads(code: &[u8], to: u64) -> Option<bool> {
        leads_to(CODE, CODE.wrapping_add(to), &mut given(code))
    }

    #[test]
    fn a_function_leads_to_its_instructions_and_behind_its_last_call() {
        // push ebp; je over; ret; over: call; ret
        let code = [0x55, 0x74, 0x01, 0xC3, 0xE8, 0, 1, 0, 0, 0xC3];
        for to in [0, 3, 4, 9] {
            assert_eq!(leads(&code, to), Some(true), "{to}");
        }
        assert_eq!(leads(&code, 5), Some(false), "within the call");
        assert_eq!(leads(&[0xC3, 0x55, 0xC3], 1), Some(false), "another function");
        assert_eq!(leads(&[0xEB, 0xFE], 9), Some(false), "a loop");
    }

    #[test]
    fn what_is_not_at_hand_may_lead_anywhere() {
        assert_eq!(leads(&[0xEB, 0x20], 0x30), None, "no code");
        assert_eq!(leads(&[0xFF, 0xE0], 0x30), None, "jmp eax");
        assert_eq!(leads(&[0x90; 2000], 0x5000), None, "too long");
    }

    #[test]
    fn a_call_that_does_not_return_ends_its_function() {
        // call; nops; the next function, at a multiple of 16
        let mut code = vec![0xE8, 0, 1, 0, 0];
        code.resize(16, 0x90);
        code.push(0xC3);
        assert_eq!((leads(&code, 16), leads(&code, 5)), (Some(false), Some(true)));
    }

    #[test]
    fn the_beginning_of_a_function_makes_room_on_the_stack() {
        // push ebp; mov ebp,esp; push ebx; sub esp,20h; push eax
        let code = [0x55, 0x8B, 0xEC, 0x53, 0x83, 0xEC, 0x20, 0x50];
        let before = |to: u64| room(CODE, CODE.wrapping_add(to), &mut given(&code));
        assert_eq!((before(8), before(7), before(3), before(0)), (40, 40, 4, 0));
    }
}
