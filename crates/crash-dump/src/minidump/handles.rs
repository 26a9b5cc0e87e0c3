//! The handles that the process had open, counted by type.
//!
//! Layout: `MINIDUMP_HANDLE_DATA_STREAM` (16 bytes) and `MINIDUMP_HANDLE_DESCRIPTOR` (32 bytes, its second version 40)
//! of `minidumpapiset.h`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::directory::{Directory, place, stream};
use super::memory::entries_after_header;
use super::writer::LONGEST_STREAM;
use evidence::Names;
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at};

/// More handles than this are counted without their types: each names its type at a place of its own.
const MOST_NAMED: usize = 20_000;
/// Longest name of a type, bytes of UTF-16 (`WaitCompletionPacket` is the longest common one).
const LONGEST_TYPE: u32 = 128;

/// How many handles there are, and how many of each type.
#[derive(Debug, Default)]
pub struct Handles {
    /// All; `None` without the stream.
    pub count: Option<u64>,
    /// By type, sorted; empty when types are not known.
    pub by_type: Vec<(Arc<str>, u64)>,
}

/// Counts them. The names that handles refer to must be in the file; those that are not are a loss.
pub fn read(source: &mut Source<'_>, directory: &Directory, names: &Names, losses: &mut Vec<Loss>) -> Handles {
    let mut handles = Handles::default();
    let Some(found) = directory.find(stream::HANDLE_DATA) else { return handles };
    let Some(bytes) = source.read(found.offset, found.size.min(LONGEST_STREAM)).map(|bytes| bytes.into_owned()) else {
        return handles;
    };
    let (Some(header), Some(entry), Some(count)) = (u32_at(&bytes, 0), u32_at(&bytes, 4), u32_at(&bytes, 8)) else {
        losses.push(Loss::new(place(found.kind), "shorter than its own header"));
        return handles;
    };
    let (header, entry) = (header as usize, entry as usize);
    if !(32..=256).contains(&entry) || !(16..=256).contains(&header) {
        losses.push(Loss::new(place(found.kind), "sizes of header and entries are not believable"));
        return handles;
    }
    let before = losses.len();
    let entries = entries_after_header(&bytes, header, u64::from(count), entry, found.kind, losses);
    let places = |at: usize| entries.chunks_exact(entry).filter_map(move |handle| u32_at(handle, at));
    let missing =
        places(8).chain(places(12)).filter(|offset| *offset != 0 && !source.holds(u64::from(*offset), 4)).count();
    if missing > 0 {
        losses.push(Loss::new(place(found.kind), format!("{missing} names are beyond the end of the file")));
    }
    if losses.len() > before {
        return handles;
    }
    handles.count = Some(u64::from(count));
    if places(8).count() <= MOST_NAMED {
        handles.by_type = by_type(source, places(8), names).unwrap_or_default();
    }
    handles
}

/// Counts names of types; `None` when one can't be read.
fn by_type(source: &mut Source<'_>, places: impl Iterator<Item = u32>, names: &Names) -> Option<Vec<(Arc<str>, u64)>> {
    let mut known: HashMap<Vec<u8>, u64> = HashMap::new();
    for offset in places.filter(|offset| *offset != 0) {
        let size = u32_at(&source.read(u64::from(offset), 4)?, 0).filter(|size| *size <= LONGEST_TYPE)?;
        let name = source.read(u64::from(offset).checked_add(4)?, u64::from(size))?;
        match known.get_mut(&*name) {
            Some(count) => *count = count.saturating_add(1),
            None => drop(known.insert(name.into_owned(), 1)),
        }
    }
    let mut sorted = BTreeMap::new();
    for (name, count) in known {
        let units: Vec<u16> =
            name.chunks_exact(2).filter_map(|unit| unit.try_into().ok().map(u16::from_le_bytes)).collect();
        let name =
            String::from_utf16(&units).ok().filter(|name| name.chars().all(|c| c.is_ascii_graphic() || c == ' '))?;
        sorted.insert(name, count);
    }
    Some(
        sorted
            .into_iter()
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, count)| (names.share(&name), count))
            .collect(),
    )
}
