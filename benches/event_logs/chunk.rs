//! Chunks that Windows wrote, and copies of them with records of other crashes.
//!
//! Source of the layout: libevtx's documentation of the Windows XML Event Log format.

use std::ops::Range;

use super::wanted::{self, Content};

/// Size of a chunk, bytes.
pub const CHUNK_BYTES: usize = 65_536;
/// Where a chunk's records begin, bytes.
const RECORDS_START: usize = 512;
/// A chunk whose records end behind this offset is nearly full.
const NEARLY_FULL: usize = 60_000;
/// The time between two copies of a chunk, in units of 100 ns: a bit less than three hours. It is a prime number of
/// seconds, so that copies do not coincide with periodic events.
const COPY_IS_LATER: u64 = 10_007 * SECOND;
/// A time in a record is changed if it is no further than this from the time at which the record was logged.
const OWN_TIME: u64 = 60 * 24 * 3600 * SECOND;
const SECOND: u64 = 10_000_000;

/// The kind of a chunk's log, by the channel of its first record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Security,
    System,
    Application,
    Other,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Security, Self::System, Self::Application, Self::Other];

    pub fn name(self) -> &'static str {
        match self {
            Self::Security => "Security",
            Self::System => "System",
            Self::Application => "Application",
            Self::Other => "Other",
        }
    }

    fn of(channel: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == channel).unwrap_or(Self::Other)
    }
}

/// A chunk that Windows wrote.
#[derive(Debug)]
pub struct Chunk {
    pub kind: Kind,
    bytes: Vec<u8>,
    records: Vec<Record>,
    /// The number of records that can't be decoded.
    undecoded: u64,
    /// Where the records end.
    free: usize,
}

/// A record of a chunk, with the places that are changed in a copy.
#[derive(Debug, Default)]
struct Record {
    changes: Vec<(Change, usize)>,
}

/// The value at a changed place.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// The record's id, 64 bits.
    Id,
    /// A time, 64 bits.
    Time,
    /// A time as 16 hexadecimal digits.
    TimeText,
    /// The last 12 hexadecimal digits of a GUID.
    GuidText,
}

impl Chunk {
    /// The chunk in `bytes`, if it is nearly full, its checksums are right and its records are contiguous.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let free = usize::try_from(u32_at(&bytes, 48)?).ok()?;
        let usable = bytes.len() == CHUNK_BYTES
            && bytes.starts_with(b"ElfChnk\0")
            && (NEARLY_FULL..=CHUNK_BYTES).contains(&free)
            && u32_at(&bytes, 52)? == records_checksum(&bytes, free)?
            && u32_at(&bytes, 124)? == header_checksum(&bytes)?;
        if !usable {
            return None;
        }
        let content = wanted::content(bytes.clone()).ok()?;
        let mut records = Vec::new();
        let mut start = RECORDS_START;
        while start < free {
            let length = usize::try_from(u32_at(&bytes, start.checked_add(4)?)?).ok()?;
            let end = start.checked_add(length).filter(|end| *end <= free)?;
            // Signature, and the size, which is repeated at the end.
            if u32_at(&bytes, start)? != 0x2A2A || u32_at(&bytes, end.checked_sub(4)?)? as usize != length {
                return None;
            }
            let id = u64_at(&bytes, start.checked_add(8)?)?;
            let is_wanted = content.wanted.iter().any(|(wanted, _)| *wanted == id);
            records.push(Record::read(&bytes, start..end, is_wanted)?);
            start = end;
        }
        Some(Self { kind: Kind::of(&content.channel), bytes, records, undecoded: content.undecoded, free })
    }

    /// Whether a copy with this content contains the same as the chunk.
    pub fn is_like(&self, copy: &Content) -> bool {
        u64::try_from(self.records.len()) == Ok(copy.records) && self.undecoded == copy.undecoded
    }

    /// Copy `number` of the chunk, counted from 0, with record ids from `first_id` on. All its times are later than in
    /// the copy before it, and its reports have their own ids.
    pub fn copy(&self, number: u64, first_id: u64) -> Option<Vec<u8>> {
        let mut bytes = self.bytes.clone();
        let later = number.checked_mul(COPY_IS_LATER)?;
        let mut last_id = first_id;
        for (record, id) in self.records.iter().zip(first_id..) {
            for (change, at) in &record.changes {
                change.apply(&mut bytes, *at, id, number, later)?;
            }
            last_id = id;
        }
        // First and last number of its records in the file, and first and last id.
        for (at, id) in [(8, first_id), (16, last_id), (24, first_id), (32, last_id)] {
            put(&mut bytes, at, &id.to_le_bytes())?;
        }
        let records = records_checksum(&bytes, self.free)?;
        put(&mut bytes, 52, &records.to_le_bytes())?;
        let header = header_checksum(&bytes)?;
        put(&mut bytes, 124, &header.to_le_bytes())?;
        Some(bytes)
    }
}

impl Record {
    /// The record in `range` of a chunk. In a wanted record, times and report ids are changed in the texts, too:
    /// otherwise it would be another report of the crash from which it was copied.
    fn read(chunk: &[u8], range: Range<usize>, is_wanted: bool) -> Option<Self> {
        let (id_at, time_at) = (range.start.checked_add(8)?, range.start.checked_add(16)?);
        let (id, logged) = (u64_at(chunk, id_at)?, u64_at(chunk, time_at)?);
        let is_own = |time: u64| time.abs_diff(logged) <= OWN_TIME;
        let mut changes = vec![(Change::Id, id_at), (Change::Time, time_at)];
        let content = range.start.checked_add(24)?..range.end;
        for value in values(chunk, content.start, NESTED) {
            let change = match (value.kind, u64_at(chunk, value.at)?) {
                (UINT64, number) if number == id => Change::Id,
                (FILETIME, _) => Change::Time,
                (UINT64 | HEX_INT64, number) if is_own(number) => Change::Time,
                _ => continue,
            };
            changes.push((change, value.at));
        }
        if is_wanted {
            for at in content {
                let unit_before = at.checked_sub(2).and_then(|before| unit_at(chunk, before));
                if unit_before == Some('-') && hex_at(chunk, at, 12).is_some() {
                    changes.push((Change::GuidText, at));
                } else if !unit_before.is_some_and(|unit| unit.is_ascii_hexdigit())
                    && hex_at(chunk, at, 16).is_some_and(is_own)
                {
                    changes.push((Change::TimeText, at));
                }
            }
        }
        Some(Self { changes })
    }
}

impl Change {
    fn apply(self, chunk: &mut [u8], at: usize, id: u64, copy: u64, later: u64) -> Option<()> {
        match self {
            Self::Id => put(chunk, at, &id.to_le_bytes()),
            Self::Time => {
                let time = u64_at(chunk, at)?.checked_add(later)?;
                put(chunk, at, &time.to_le_bytes())
            }
            Self::TimeText => {
                let time = hex_at(chunk, at, 16)?.checked_add(later)?;
                put_text(chunk, at, &format!("{time:016x}"))
            }
            Self::GuidText => {
                let end = hex_at(chunk, at, 12)? ^ copy;
                put_text(chunk, at, &format!("{end:012x}"))
            }
        }
    }
}

/// Types of values, as binary XML numbers them.
const UINT64: u8 = 0x0A;
const FILETIME: u8 = 0x11;
const HEX_INT64: u8 = 0x15;
const BINARY_XML: u8 = 0x21;
/// Values are searched in a record's binary XML and in values that are binary XML themselves.
const NESTED: u8 = 1;

/// A value of 64 bits that a record gives to a template.
struct Value {
    kind: u8,
    at: usize,
}

/// The values of 64 bits that the binary XML at `start` gives to its template, and to templates nested up to this
/// depth. None when it has no template or is damaged.
fn values(chunk: &[u8], start: usize, nested: u8) -> Vec<Value> {
    let mut values = Vec::new();
    for (kind, range) in template_values(chunk, start).unwrap_or_default() {
        if kind == BINARY_XML
            && let Some(nested) = nested.checked_sub(1)
        {
            values.extend(self::values(chunk, range.start, nested));
        } else if range.len() == 8 {
            values.push(Value { kind, at: range.start });
        }
    }
    values
}

/// Type and place of the values that the binary XML at `start` gives to its template.
fn template_values(chunk: &[u8], start: usize) -> Option<Vec<(u8, Range<usize>)>> {
    // Fragment header, template instance, one byte and the template's short id; then where the template is defined.
    if chunk.get(start..start.checked_add(5)?)? != [0x0F, 1, 1, 0, 0x0C] {
        return None;
    }
    let definition_at = start.checked_add(10)?;
    let mut at = definition_at.checked_add(4)?;
    if u32_at(chunk, definition_at)? as usize == at {
        // It is defined here: next template, GUID and size come before the counted bytes.
        let size = u32_at(chunk, at.checked_add(20)?)? as usize;
        at = at.checked_add(24)?.checked_add(size)?;
    }
    let count = u32_at(chunk, at)? as usize;
    let descriptors = at.checked_add(4)?;
    let mut value_at = count.checked_mul(4)?.checked_add(descriptors)?;
    let mut values = Vec::new();
    for descriptor in (descriptors..value_at.min(chunk.len())).step_by(4) {
        let [low, high, kind, _] = u32_at(chunk, descriptor)?.to_le_bytes();
        let end = value_at.checked_add(usize::from(u16::from_le_bytes([low, high])))?;
        values.push((kind, value_at..end));
        value_at = end;
    }
    Some(values)
}

/// The checksum of a chunk's records.
fn records_checksum(chunk: &[u8], free: usize) -> Option<u32> {
    chunk.get(RECORDS_START..free).map(crc32fast::hash)
}

/// The checksum of a chunk's header and tables, without flags and itself.
fn header_checksum(chunk: &[u8]) -> Option<u32> {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(chunk.get(..120)?);
    checksum.update(chunk.get(128..RECORDS_START)?);
    Some(checksum.finalize())
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..at.checked_add(8)?)?.try_into().ok().map(u64::from_le_bytes)
}

/// The UTF-16 unit at `at`, if it is an ASCII character.
fn unit_at(data: &[u8], at: usize) -> Option<char> {
    match data.get(at..at.checked_add(2)?)? {
        [unit, 0] => Some(char::from(*unit)),
        _ => None,
    }
}

/// The number with exactly `digits` hexadecimal digits in UTF-16 at `at`.
fn hex_at(data: &[u8], at: usize, digits: usize) -> Option<u64> {
    let end = digits.checked_mul(2)?.checked_add(at)?;
    let text: String = (at..end).step_by(2).map_while(|at| unit_at(data, at)).collect();
    let follows = unit_at(data, end).is_some_and(|unit| unit.is_ascii_hexdigit());
    let is_whole = text.len() == digits && text.chars().all(|unit| unit.is_ascii_hexdigit()) && !follows;
    is_whole.then(|| u64::from_str_radix(&text, 16).ok()).flatten()
}

fn put(data: &mut [u8], at: usize, bytes: &[u8]) -> Option<()> {
    data.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
    Some(())
}

/// Writes an ASCII text as UTF-16.
fn put_text(data: &mut [u8], at: usize, text: &str) -> Option<()> {
    let units: Vec<u8> = text.bytes().flat_map(|unit| [unit, 0]).collect();
    put(data, at, &units)
}
