//! Call instructions of x86 and x64: one is right before every address that a call returns to.

use untrusted::bytes::u32_at;

/// Longest call instruction, bytes.
pub const LONGEST_CALL: usize = 7;

/// Length of the longest jump that import thunks consist of, bytes.
pub const LONGEST_JUMP: usize = 7;

/// What a call goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallTarget {
    /// Code at this distance from the end of the call, bytes.
    Distance(i32),
    /// The address in a fixed place in memory, as calls of imported functions have it: in 64-bit code at this distance from the
    /// end of the call, in 32-bit code at this address.
    Fixed(i32),
    /// The address in a register or in memory.
    Pointer,
}

impl CallTarget {
    /// Where a call goes that ends at `end`. `pointer` reads an address from memory.
    pub fn resolve(self, end: u64, wide: bool, pointer: impl FnOnce(u64) -> Option<u64>) -> Option<u64> {
        let cut = |address: u64| if wide { address } else { address & 0xFFFF_FFFF };
        match self {
            Self::Distance(distance) => Some(cut(end.wrapping_add_signed(i64::from(distance)))),
            Self::Fixed(distance) if wide => pointer(end.wrapping_add_signed(i64::from(distance))),
            Self::Fixed(address) => pointer(u64::from(address.cast_unsigned())),
            Self::Pointer => None,
        }
    }
}

/// The call that `code` ends with. Data can look like one; before a return address there always is one.
///
/// Encodings: `E8` with a distance of 32 bits, and `FF /2` with every kind of operand (Intel's manual, volume 2, CALL and
/// table 2-2).
pub fn call_at_end(code: &[u8]) -> Option<CallTarget> {
    if code.len().checked_sub(5).and_then(|at| code.get(at)) == Some(&0xE8) {
        return u32_at(code, code.len().checked_sub(4)?).map(|distance| CallTarget::Distance(distance.cast_signed()));
    }
    if let Some([0xFF, 0x15, address @ ..]) = code.len().checked_sub(6).and_then(|at| code.get(at..)) {
        return u32_at(address, 0).map(|address| CallTarget::Fixed(address.cast_signed()));
    }
    let through_pointer = (2..=7).any(|length| {
        let Some([0xFF, operand, rest @ ..]) = code.len().checked_sub(length).and_then(|at| code.get(at..)) else {
            return false;
        };
        if operand & 0x38 != 0x10 {
            return false;
        }
        let (mode, register) = (operand >> 6, operand & 7);
        // What belongs to the operand: a scale byte, and a distance.
        let scale = usize::from(mode != 3 && register == 4);
        let far_base = rest.first().is_some_and(|scale| scale & 7 == 5);
        let distance = match (mode, register) {
            (0, 5) => 4,
            (0, 4) if far_base => 4,
            (1, _) => 1,
            (2, _) => 4,
            _ => 0,
        };
        rest.len() == scale.saturating_add(distance)
    });
    through_pointer.then_some(CallTarget::Pointer)
}

/// Whether `code` begins as a thunk of an imported function does: a jump through a pointer.
pub fn is_jump_through_pointer(code: &[u8]) -> bool {
    matches!(code, [0xFF, 0x25, ..] | [0x48, 0xFF, 0x25, ..])
}

#[cfg(test)]
mod tests {
    use super::{CallTarget, call_at_end, is_jump_through_pointer};

    #[test]
    fn every_kind_of_call_is_known() {
        for call in [
            &[0xE8, 1, 2, 3, 4][..],
            &[0xFF, 0x15, 1, 2, 3, 4],
            &[0xFF, 0xD0],
            &[0x41, 0xFF, 0xD3],
            &[0xFF, 0x50, 0x18],
            &[0xFF, 0x90, 0, 1, 0, 0],
            &[0xFF, 0x14, 0xC8],
            &[0xFF, 0x14, 0x25, 0, 0, 0, 0],
            &[0xFF, 0x54, 0x24, 0x20],
            &[0xFF, 0x94, 0x24, 0, 1, 0, 0],
        ] {
            let code = [&[0x90; 8][..], call].concat();
            let target = match call {
                [0xE8, ..] => CallTarget::Distance(0x0403_0201),
                [0xFF, 0x15, ..] => CallTarget::Fixed(0x0403_0201),
                _ => CallTarget::Pointer,
            };
            assert_eq!(call_at_end(&code), Some(target), "{call:x?}");
        }
    }

    #[test]
    fn a_call_of_an_import_goes_where_its_pointer_leads() {
        let held = |address: u64| address.checked_add(1);
        let resolved = |target: CallTarget, wide| target.resolve(0x1_0000_0010, wide, held);
        assert_eq!(resolved(CallTarget::Distance(-0x10), true), Some(0x1_0000_0000));
        assert_eq!(resolved(CallTarget::Distance(-0x10), false), Some(0));
        assert_eq!(resolved(CallTarget::Fixed(0x10), true), Some(0x1_0000_0021));
        assert_eq!(resolved(CallTarget::Fixed(-16), false), Some(0xFFFF_FFF1));
        assert_eq!(resolved(CallTarget::Pointer, true), None);
    }

    #[test]
    fn other_code_is_no_call() {
        for other in [&[0x48, 0x8B, 0xC8][..], &[0xFF, 0x25, 0, 0, 0, 0], &[0xFF, 0xE0], &[0xFF, 0x14], &[]] {
            let code = [&[0x90; 8][..], other].concat();
            assert_eq!(call_at_end(&code), None, "{other:x?}");
        }
        assert_eq!(call_at_end(&[]), None);
    }

    #[test]
    fn a_thunk_jumps_through_a_pointer() {
        assert!(is_jump_through_pointer(&[0xFF, 0x25, 1, 2, 3, 4, 0x90]));
        assert!(is_jump_through_pointer(&[0x48, 0xFF, 0x25, 1, 2, 3, 4]));
        assert!(!is_jump_through_pointer(&[0x48, 0x83, 0xEC, 0x28, 0, 0, 0]));
    }

    #[test]
    fn every_form_of_a_call_of_seven_bytes_is_known() {
        for call in [
            // call rel32
            &[0x90, 0x90, 0xE8, 1, 2, 3, 4][..],
            // call rax, call r10 (with a prefix), call [rax]
            &[0x90, 0x90, 0x90, 0x90, 0x90, 0xFF, 0xD0],
            &[0x90, 0x90, 0x90, 0x90, 0x41, 0xFF, 0xD2],
            &[0x90, 0x90, 0x90, 0x90, 0x90, 0xFF, 0x10],
            // call [rsp], call [rax+8], call [rsp+8]
            &[0x90, 0x90, 0x90, 0x90, 0xFF, 0x14, 0x24],
            &[0x90, 0x90, 0x90, 0x90, 0xFF, 0x50, 8],
            &[0x90, 0x90, 0x90, 0xFF, 0x54, 0x24, 8],
            // call [rip+disp32], call [rax+disp32], call [rsp+disp32]
            &[0x90, 0xFF, 0x15, 1, 2, 3, 4],
            &[0x90, 0xFF, 0x90, 1, 2, 3, 4],
            &[0xFF, 0x94, 0x24, 1, 2, 3, 4],
        ] {
            assert!(call_at_end(call).is_some(), "{call:02x?}");
        }
        for other in [
            // jmp rel32, jmp [rip+disp32], push [rax], nothing
            &[0x90, 0x90, 0xE9, 1, 2, 3, 4][..],
            &[0x90, 0xFF, 0x25, 1, 2, 3, 4],
            &[0x90, 0x90, 0x90, 0x90, 0x90, 0xFF, 0x30],
            &[0x90; 7],
            &[],
        ] {
            assert!(call_at_end(other).is_none(), "{other:02x?}");
        }
    }
}
