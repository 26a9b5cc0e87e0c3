//! The handles that the process had open, counted by type.
//!
//! Layout: `MINIDUMP_HANDLE_DATA_STREAM` (16 bytes) and `MINIDUMP_HANDLE_DESCRIPTOR` (32 bytes, its second version 40)
//! of `minidumpapiset.h`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::directory::{Directory, StreamKind, place};
use super::lists::List;
use super::writer::LONGEST_STREAM;
use evidence::Names;
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at};
use untrusted::text::utf16;

/// With more handles than this, they are not counted by type: the name of each handle's type is read at a place of its
/// own.
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

/// Counts the handles. The names that handles refer to must be in the file; those that are not are a loss.
pub fn read(source: &mut Source<'_>, directory: &Directory, names: &Names, losses: &mut Vec<Loss>) -> Handles {
    let mut handles = Handles::default();
    let kind = StreamKind::HandleData;
    let before = losses.len();
    let list = List::read_with_sizes(source, directory, kind, LONGEST_STREAM, (16, 32), losses);
    let Some(list) = list else { return handles };
    let places = |at: usize| list.entries().filter_map(move |handle| u32_at(handle, at));
    let missing =
        places(8).chain(places(12)).filter(|offset| *offset != 0 && !source.holds(u64::from(*offset), 4)).count();
    if missing > 0 {
        losses.push(Loss::new(place(kind), format!("{missing} names are beyond the end of the file")));
    }
    if losses.len() > before {
        return handles;
    }
    handles.count = Some(list.count);
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
        let name = utf16(&name).filter(|name| name.chars().all(|c| c.is_ascii_graphic() || c == ' '))?;
        sorted.insert(name, count);
    }
    sorted.remove("");
    Some(sorted.into_iter().map(|(name, count)| (names.share(&name), count)).collect())
}
