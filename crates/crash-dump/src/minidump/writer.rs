//! Putting a dump together: appending parts, and correcting the offsets that refer to them.

use super::directory::{Directory, Stream, place};
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at};

/// Longest text that is read, bytes of UTF-16: the longest path that Windows can name (32,767 characters).
const LONGEST_TEXT: u32 = 65_534;
/// Longest record that is copied without being understood (CodeView records, contexts), bytes. The longest context is
/// that of ARM64 and x64 with extended registers, below 16 KiB.
const LONGEST_RECORD: u64 = 64 << 10;
/// Longest stream that is copied as it is, bytes.
pub(super) const LONGEST_STREAM: u64 = 4 << 20;
/// From this size on, an excerpt takes no more names and records, bytes. The names of a thousand modules are a quarter
/// of a megabyte; but many modules may refer to one long name, and then a small file would make a very large excerpt.
const LARGEST_EXCERPT: usize = 8 << 20;

/// Puts a dump together.
pub(super) struct Writer {
    pub bytes: Vec<u8>,
    pub streams: Vec<(u32, u32, u32)>,
}

/// Most streams that an excerpt has; room for its directory.
const ROOM: usize = 24;

impl Writer {
    pub fn new(directory: &Directory) -> Self {
        let mut bytes = Vec::with_capacity(32 << 10);
        bytes.extend_from_slice(b"MDMP");
        bytes.extend_from_slice(&0xA793_u32.to_le_bytes());
        bytes.extend_from_slice(&0_u32.to_le_bytes()); // the number of streams, known at the end
        bytes.extend_from_slice(&32_u32.to_le_bytes());
        bytes.extend_from_slice(&0_u32.to_le_bytes());
        bytes.extend_from_slice(&directory.time.to_le_bytes());
        bytes.extend_from_slice(&directory.flags.to_le_bytes());
        bytes.resize(32 + ROOM * 12, 0);
        Self { bytes, streams: Vec::new() }
    }

    pub fn finish(mut self) -> Vec<u8> {
        let count = u32::try_from(self.streams.len()).unwrap_or(0);
        overwrite(&mut self.bytes, 8, count);
        let mut at = 32_usize;
        for (kind, size, offset) in std::mem::take(&mut self.streams) {
            for value in [kind, size, offset] {
                overwrite(&mut self.bytes, at, value);
                at = at.saturating_add(4);
            }
        }
        self.bytes
    }

    /// Appends a part and gives its offset.
    pub fn append(&mut self, part: &[u8]) -> u32 {
        let aligned = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(aligned, 0);
        self.bytes.extend_from_slice(part);
        u32::try_from(aligned).unwrap_or(0)
    }

    pub fn stream(&mut self, kind: u32, content: &[u8]) {
        if self.streams.len() < ROOM {
            let offset = self.append(content);
            self.streams.push((kind, u32::try_from(content.len()).unwrap_or(0), offset));
        }
    }

    pub fn copy_stream(&mut self, source: &mut Source<'_>, found: Stream, losses: &mut Vec<Loss>) {
        if found.size > LONGEST_STREAM {
            losses.push(Loss::new(
                place(found.kind),
                format!("{} bytes are more than is read ({LONGEST_STREAM})", found.size),
            ));
        } else if let Some(content) = source.read(found.offset, found.size).map(|content| content.into_owned()) {
            self.stream(found.kind, &content);
        } else {
            losses.push(Loss::new(place(found.kind), "could not be read"));
        }
    }

    /// Copies a `MINIDUMP_STRING`; `None` when the file does not hold it whole. What is no UTF-16 in it is replaced:
    /// the crate would refuse the whole list for one bad name.
    pub fn text(&mut self, source: &mut Source<'_>, offset: u32) -> Option<u32> {
        let size = u32_at(&source.read(u64::from(offset), 4)?, 0)?;
        if size > LONGEST_TEXT || self.bytes.len() > LARGEST_EXCERPT {
            return None;
        }
        let content = source.read(u64::from(offset).checked_add(4)?, u64::from(size))?;
        let units = content.chunks_exact(2).filter_map(|unit| unit.try_into().ok().map(u16::from_le_bytes));
        // Nearly all names are plain: no surrogates, so nothing can be wrong with them.
        if size.is_multiple_of(2) && units.clone().all(|unit| !(0xD800..=0xDFFF).contains(&unit)) {
            let at = self.append(&size.to_le_bytes());
            self.bytes.extend_from_slice(&content);
            self.bytes.extend_from_slice(&[0, 0]);
            return Some(at);
        }
        let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        let encoded: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let at = self.append(&u32::try_from(encoded.len()).ok()?.to_le_bytes());
        self.bytes.extend_from_slice(&encoded);
        self.bytes.extend_from_slice(&[0, 0]);
        Some(at)
    }

    /// Copies a record that a location descriptor (size, offset) refers to and gives the descriptor of the copy.
    /// An empty record, or one at offset 0, is how writers say "none".
    pub fn record(&mut self, source: &mut Source<'_>, size: u32, offset: u32) -> Result<(u32, u32), ()> {
        if size == 0 || offset == 0 {
            return Ok((0, 0));
        }
        if u64::from(size) > LONGEST_RECORD || self.bytes.len() > LARGEST_EXCERPT {
            return Err(());
        }
        let record = source.read(u64::from(offset), u64::from(size)).ok_or(())?.into_owned();
        Ok((size, self.append(&record)))
    }
}

pub(super) fn overwrite(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(place) = at.checked_add(4).and_then(|end| bytes.get_mut(at..end)) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

pub(super) fn overwrite_u64(bytes: &mut [u8], at: usize, value: u64) {
    if let Some(place) = at.checked_add(8).and_then(|end| bytes.get_mut(at..end)) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}
