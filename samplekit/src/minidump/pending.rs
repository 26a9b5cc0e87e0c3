//! The data that streams point to. It is written after all streams; then the pointers are filled in.

use super::Memory;
use crate::bytes::{ByteWriter, count32};

/// Pointers (`RVA`s: offsets in the file, 32 bits) that have yet to be filled in.
#[derive(Debug, Default)]
pub(super) struct Pending {
    data: Vec<(usize, Vec<u8>)>,
    memory: Vec<(usize, u64)>,
}

impl Pending {
    /// Writes a pointer to `bytes`.
    pub(super) fn point_to(&mut self, out: &mut ByteWriter, bytes: Vec<u8>) {
        self.data.push((out.len(), bytes));
        out.u32(0);
    }

    /// Writes size and pointer (`MINIDUMP_LOCATION_DESCRIPTOR`, 8 bytes); both zero when there are no bytes.
    pub(super) fn locate(&mut self, out: &mut ByteWriter, bytes: Vec<u8>) {
        if bytes.is_empty() {
            out.u64(0);
        } else {
            out.u32(count32(bytes.len()));
            self.point_to(out, bytes);
        }
    }

    /// Writes address, size and pointer of captured memory (`MINIDUMP_MEMORY_DESCRIPTOR`, 16 bytes).
    pub(super) fn describe_memory(&mut self, out: &mut ByteWriter, memory: &Memory) {
        out.u64(memory.address).u32(count32(memory.bytes.len()));
        self.memory.push((out.len(), memory.address));
        out.u32(0);
    }

    /// Writes a pointer of 64 bits to captured memory.
    pub(super) fn point_to_memory(&mut self, out: &mut ByteWriter, memory: &Memory) {
        self.memory.push((out.len(), memory.address));
        out.u64(0);
    }

    /// Writes the data that was pointed to, memory last, and fills the pointers in.
    pub(super) fn flush(self, out: &mut ByteWriter, memory: &[&Memory]) {
        for (field, bytes) in self.data {
            out.align(4);
            out.patch_u32(field, out.offset());
            out.raw(&bytes);
        }
        out.align(16);
        for range in memory {
            let offset = out.offset();
            for (field, _) in self.memory.iter().filter(|(_, address)| *address == range.address) {
                out.patch_u32(*field, offset);
            }
            out.raw(&range.bytes);
        }
    }
}

/// A `MINIDUMP_STRING`: length in bytes, UTF-16 text, and a terminator that the length does not count.
pub(super) fn string(text: &str) -> Vec<u8> {
    let mut out = ByteWriter::new();
    out.u32(count32(text.encode_utf16().count() * 2)).utf16(text).u16(0);
    out.into_bytes()
}
