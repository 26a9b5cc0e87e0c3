//! Whether the function that a call leads to is the one that a frame of 32-bit code is in.

use iced_x86::{Decoder, DecoderOptions, FlowControl};

use super::way_out::Surroundings;

/// Most instructions that are followed, on all ways together.
const MOST_INSTRUCTIONS: usize = 1024;
/// Longest instruction, bytes.
const LONGEST: usize = 15;

/// Whether the code from `begin` on leads to `to`: to an instruction there, or to a call that would return to it.
pub fn leads_to(begin: u64, to: u64, around: &mut impl Surroundings) -> bool {
    let mut ways = vec![begin];
    let mut seen = Vec::new();
    while let Some(mut address) = ways.pop() {
        while !seen.contains(&address) && seen.len() < MOST_INSTRUCTIONS {
            if address == to {
                return true;
            }
            seen.push(address);
            let mut code = [0; LONGEST];
            let held = around.code(address, &mut code);
            let code = code.get(..held).unwrap_or_default();
            let Ok(mut decoder) = Decoder::try_with_ip(32, code, address, DecoderOptions::NONE) else { break };
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                break;
            }
            address = match instruction.flow_control() {
                FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => instruction.next_ip(),
                FlowControl::ConditionalBranch => {
                    ways.push(instruction.near_branch_target());
                    instruction.next_ip()
                }
                FlowControl::UnconditionalBranch => instruction.near_branch_target(),
                _ => break,
            };
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::way_out::tests::{CODE, Given};
    use super::leads_to;

    fn leads(code: &[u8], to: u64) -> bool {
        leads_to(CODE, CODE.wrapping_add(to), &mut Given { code: code.to_vec(), words: Vec::new(), wide: false })
    }

    #[test]
    fn a_function_leads_to_its_instructions_and_behind_its_last_call() {
        // push ebp; je over; ret; over: call
        let code = [0x55, 0x74, 0x01, 0xC3, 0xE8, 0, 1, 0, 0, 0x55];
        assert!(leads(&code, 0) && leads(&code, 3) && leads(&code, 4) && leads(&code, 9));
        assert!(!leads(&code, 5), "within the call");
        // ret; then another function
        assert!(!leads(&[0xC3, 0x55, 0x55], 1));
        // a loop, and code that is not at hand
        assert!(!leads(&[0xEB, 0xFE], 9) && !leads(&[0xEB, 0x20], 0x30));
    }
}
