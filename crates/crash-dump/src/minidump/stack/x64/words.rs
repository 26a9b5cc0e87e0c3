//! The stack's words.

use crate::minidump::memory::Memory;

/// The stack of the walked thread.
#[derive(Default)]
pub struct Words {
    start: u64,
    bytes: Vec<u8>,
}

impl Words {
    /// The stack from the stack pointer up. So many bytes of it are read at once; frames further out are read word by
    /// word.
    pub fn read(pointer: u64, at_once: u64, memory: &mut Memory<'_, '_>) -> Self {
        Self { start: pointer, bytes: memory.part(pointer, at_once).unwrap_or_default().into_owned() }
    }

    /// The word at an address; `None` when the dump does not hold it.
    pub fn at(&self, address: u64, memory: &mut Memory<'_, '_>) -> Option<u64> {
        if let Some(word) = self.near(address) {
            return Some(word);
        }
        let mut word = [0; 8];
        memory.fill(address, &mut word)?;
        Some(u64::from_le_bytes(word))
    }

    /// The word at an address, if it is in the part that is held.
    pub fn near(&self, address: u64) -> Option<u64> {
        let into = usize::try_from(address.checked_sub(self.start)?).ok()?;
        untrusted::bytes::u64_at(&self.bytes, into)
    }
}
