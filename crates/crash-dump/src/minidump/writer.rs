//! Putting a dump together: appending parts, and correcting the offsets that refer to them.

use super::directory::{Directory, StreamKind};
use super::location::{Location, overwrite};
use untrusted::bytes::{Source, u32_at};
use untrusted::text::{utf16_lossy, utf16_units};

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
    /// Number and place of each stream.
    pub streams: Vec<(u32, Location)>,
}

/// Most streams that an excerpt has; room for its directory.
const ROOM: usize = 24;

impl Writer {
    pub fn new(directory: &Directory) -> Self {
        let mut bytes = Vec::with_capacity(32 << 10);
        bytes.extend_from_slice(b"MDMP");
        // Version, the number of streams (known at the end), where their directory is, checksum, time.
        for field in [0xA793, 0, 32, 0, directory.time] {
            bytes.extend_from_slice(&u32::to_le_bytes(field));
        }
        bytes.extend_from_slice(&directory.flags.to_le_bytes());
        bytes.resize(32 + ROOM * 12, 0);
        Self { bytes, streams: Vec::new() }
    }

    /// Writes the directory and gives the whole dump.
    pub fn finish(mut self) -> Vec<u8> {
        overwrite(&mut self.bytes, 8, u32::try_from(self.streams.len()).unwrap_or(0));
        for (at, (kind, location)) in (32..).step_by(12).zip(&self.streams) {
            overwrite(&mut self.bytes, at, *kind);
            location.write(&mut self.bytes, at.saturating_add(4));
        }
        self.bytes
    }

    /// Appends a part and gives its place.
    pub fn append(&mut self, part: &[u8]) -> Location {
        let aligned = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(aligned, 0);
        self.bytes.extend_from_slice(part);
        Location { size: u32::try_from(part.len()).unwrap_or(0), offset: u32::try_from(aligned).unwrap_or(0) }
    }

    /// Appends a stream, if the directory has room for it.
    pub fn stream(&mut self, kind: StreamKind, content: &[u8]) {
        if self.streams.len() < ROOM {
            let location = self.append(content);
            self.streams.push((kind.into(), location));
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
        let units = utf16_units(&content);
        // Nearly all names are plain: no surrogates, so nothing can be wrong with them.
        let plain = size.is_multiple_of(2) && units.clone().all(|unit| !(0xD800..=0xDFFF).contains(&unit));
        let repaired: Vec<u8>;
        let content = if plain {
            &*content
        } else {
            repaired = utf16_lossy(units).encode_utf16().flat_map(u16::to_le_bytes).collect();
            &repaired
        };
        let at = self.append(&u32::try_from(content.len()).ok()?.to_le_bytes());
        self.bytes.extend_from_slice(content);
        self.bytes.extend_from_slice(&[0, 0]);
        Some(at.offset)
    }

    /// Whether the text that [`text`](Self::text) copied to this offset can be a name: not empty, and without control
    /// characters and what is no UTF-16.
    pub fn holds_name(&self, offset: u32) -> bool {
        let at = offset as usize;
        let content = || {
            let size = u32_at(&self.bytes, at)? as usize;
            self.bytes.get(at.checked_add(4)?..)?.get(..size)
        };
        let is_shown = |unit: u16| unit >= u16::from(b' ') && unit != 0xFFFD;
        content().is_some_and(|name| !name.is_empty() && utf16_units(name).all(is_shown))
    }

    /// Copies a record and returns the location of the copy. An empty record, or a location at offset 0, means that
    /// there is none.
    ///
    /// # Errors
    /// When the file does not hold the record, or it is too long.
    pub fn record(&mut self, source: &mut Source<'_>, location: Location) -> Result<Location, ()> {
        let Some(Location { size, offset }) = location.present() else { return Ok(Location::default()) };
        if u64::from(size) > LONGEST_RECORD || self.bytes.len() > LARGEST_EXCERPT {
            return Err(());
        }
        let record = source.read(u64::from(offset), u64::from(size)).ok_or(())?;
        Ok(self.append(&record))
    }
}
