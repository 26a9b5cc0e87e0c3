//! Stacks that look as if calls had been made.

use super::Memory;
use crate::bytes::{ByteWriter, stable_hash};

/// Puts a stack together, innermost frame first, as it lies in memory from the stack pointer up.
///
/// Between return addresses lie words that no reader can take for one: small numbers, zeros, heap and stack addresses.
#[derive(Debug, Clone)]
pub struct StackImage {
    pointer: u64,
    bytes: ByteWriter,
    returns: Vec<u64>,
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

    /// Appends a frame: `words` words of locals, then the address to which it returns.
    pub fn frame(&mut self, words: u64, returns_to: u64) -> &mut Self {
        self.locals(words);
        self.returns.push(returns_to);
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

    /// The code around each return address, as dumps with indirectly referenced memory have it: right before the
    /// address stands the call that it returns from.
    #[must_use]
    pub fn code(&self) -> Vec<Memory> {
        let mut returns = self.returns.clone();
        returns.sort_unstable();
        returns.dedup();
        returns.into_iter().map(code_around).collect()
    }
}

fn code_around(returns_to: u64) -> Memory {
    // lea rdx, [rsp+40h]; mov rcx, rbx; nop; nop; call (relative) | mov rbx, rax; test eax, eax; js ...; xor eax, eax; ...
    let before = [0x48, 0x8D, 0x54, 0x24, 0x40, 0x48, 0x8B, 0xCB, 0x90, 0x90, 0x90];
    let after = [0x48, 0x8B, 0xD8, 0x85, 0xC0, 0x78, 0x1C, 0x33, 0xC0, 0x48, 0x83, 0xC4, 0x28, 0xC3, 0xCC, 0xCC];
    let target = stable_hash(&returns_to.to_le_bytes()) as u32 & 0x000F_FFFF;
    let mut code = ByteWriter::new();
    code.raw(&before).u8(0xE8).u32(target).raw(&after);
    Memory { address: returns_to - CODE_AROUND, bytes: code.into_bytes() }
}
