//! The stack's words.

use crate::minidump::memory::Memory;

/// The stack of the walked thread.
pub struct Words {
    start: u64,
    bytes: Vec<u8>,
    wide: bool,
}

impl Words {
    /// A stack of which nothing is held yet; its words have 64 bits where `wide`, else 32.
    pub fn new(wide: bool) -> Self {
        Self { start: 0, bytes: Vec::new(), wide }
    }

    /// Reads the stack from the stack pointer up. So many bytes of it are read at once; frames further out are read word
    /// by word.
    pub fn read(&mut self, pointer: u64, at_once: u64, memory: &mut Memory<'_, '_>) {
        self.start = pointer;
        self.bytes = memory.part(pointer, at_once).unwrap_or_default().into_owned();
    }

    /// Whether words have 64 bits.
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// Size of a word, bytes.
    pub fn size(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    /// The word at an address; `None` when the dump does not hold it.
    pub fn at(&self, address: u64, memory: &mut Memory<'_, '_>) -> Option<u64> {
        if let Some(word) = self.near(address) {
            return Some(word);
        }
        memory.pointer(address, self.wide)
    }

    /// Whether a word is in the part that is held more than once.
    pub fn has_twice(&self, word: u64) -> bool {
        let size = if self.wide { 8 } else { 4 };
        let words = self.bytes.chunks_exact(size).filter_map(|bytes| untrusted::bytes::pointer_at(bytes, 0, self.wide));
        words.filter(|other| *other == word).nth(1).is_some()
    }

    /// The word at an address, if it is in the part that is held.
    pub fn near(&self, address: u64) -> Option<u64> {
        let into = usize::try_from(address.checked_sub(self.start)?).ok()?;
        untrusted::bytes::pointer_at(&self.bytes, into, self.wide)
    }
}
