//! Stacks as calls leave them.

use super::Memory;
use crate::bytes::{ByteWriter, stable_hash};

/// Builds a stack, innermost frame first, as it is in memory from the stack pointer up.
///
/// The words between return addresses can't be taken for return addresses: small numbers, zeros, heap and stack
/// addresses.
#[derive(Debug, Clone)]
pub struct StackImage {
    pointer: u64,
    bytes: ByteWriter,
    /// Return addresses, and whether the call went to another module.
    returns: Vec<(u64, bool)>,
}

/// Length of the code that is captured around a return address, bytes before and after it.
const CODE_AROUND: u64 = 16;

impl StackImage {
    /// An empty stack whose innermost word is at `pointer`.
    #[must_use]
    pub fn new(pointer: u64) -> Self {
        Self { pointer, bytes: ByteWriter::new(), returns: vec![] }
    }

    /// The address that the next word will have.
    #[must_use]
    pub fn next_address(&self) -> u64 {
        self.pointer + self.bytes.len() as u64
    }

    /// Appends a word as it is.
    pub fn word(&mut self, word: u64) -> &mut Self {
        self.bytes.u64(word);
        self
    }

    /// Appends bytes as they are, filled up to whole words.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.raw(bytes).align(8);
        self
    }

    /// Appends a frame: `words` words of locals, or one more, then the address to which it returns, where calls put it: before
    /// them the stack pointer is a multiple of 16. The call before that address went to a function of the same module.
    pub fn frame(&mut self, words: u64, returns_to: u64) -> &mut Self {
        self.called(words, returns_to, false)
    }

    /// Appends a frame that was called from another module: such calls go through a pointer of the import table.
    pub fn frame_of_import(&mut self, words: u64, returns_to: u64) -> &mut Self {
        self.called(words, returns_to, true)
    }

    fn called(&mut self, words: u64, returns_to: u64, imported: bool) -> &mut Self {
        self.locals(words);
        if self.next_address().is_multiple_of(16) {
            self.locals(1);
        }
        self.returns.push((returns_to, imported));
        self.word(returns_to)
    }

    /// Appends `count` words of locals.
    pub fn locals(&mut self, count: u64) -> &mut Self {
        for _ in 0..count {
            let address = self.next_address();
            let noise = stable_hash(&address.to_le_bytes());
            self.word(match noise % 5 {
                // A local on the stack further up, an address on the heap, a length, a flag, nothing.
                0 => address + 0x40 + (noise >> 8) % 0x80 * 8,
                1 => 0x0000_01D4_8C20_0000 + (noise >> 8) % 0x1_0000 * 0x10,
                2 => (noise >> 8) % 0x1000,
                3 => 1,
                _ => 0,
            });
        }
        self
    }

    /// The stack's memory.
    #[must_use]
    pub fn memory(&self) -> Memory {
        Memory { address: self.pointer, bytes: self.bytes.as_slice().to_vec() }
    }

    /// The code around each return address, as in dumps with indirectly referenced memory: right before the address is
    /// the call.
    #[must_use]
    pub fn code(&self) -> Vec<Memory> {
        let mut returns = self.returns.clone();
        returns.sort_unstable();
        // Of one address that is given as both, the call to another module is the later one and stays.
        returns.reverse();
        returns.dedup_by_key(|(returns_to, _)| *returns_to);
        returns.reverse();
        returns.into_iter().map(|(returns_to, imported)| code_around(returns_to, imported)).collect()
    }
}

fn code_around(returns_to: u64, imported: bool) -> Memory {
    // lea rdx, [rsp+40h]; mov rcx, rbx; nop; nop; call | mov rbx, rax; test eax, eax; js ...; xor eax, eax; ...
    let before = [0x48, 0x8D, 0x54, 0x24, 0x40, 0x48, 0x8B, 0xCB, 0x90, 0x90];
    let after = [0x48, 0x8B, 0xD8, 0x85, 0xC0, 0x78, 0x1C, 0x33, 0xC0, 0x48, 0x83, 0xC4, 0x28, 0xC3, 0xCC, 0xCC];
    // call through a pointer, or nop and call with a relative target
    let call = if imported { [0xFF, 0x15] } else { [0x90, 0xE8] };
    let target = stable_hash(&returns_to.to_le_bytes()) as u32 & 0x000F_FFFF;
    let mut code = ByteWriter::new();
    code.raw(&before).raw(&call).u32(target).raw(&after);
    Memory { address: returns_to - CODE_AROUND, bytes: code.into_bytes() }
}
