//! The lists of threads: what each is called, where it started, its stack and its registers.
//!
//! Layouts: `MINIDUMP_THREAD`, `MINIDUMP_THREAD_INFO` and `MINIDUMP_THREAD_NAME` of `minidumpapiset.h`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::directory::{Directory, StreamKind};
use super::lists::{LONGEST_LIST, List, Sizes};
use super::location::Location;
use evidence::{Address, Names, ThreadState};
use untrusted::bytes::{Source, u32_at, u64_at};
use untrusted::text::{utf16_lossy, utf16_units};

/// Size of an entry of the list of threads, bytes.
pub const THREAD_SIZE: usize = 48;
/// Most threads of a list that is taken over. A part of a longer one could not show that a thread was absent.
const MOST_THREADS: usize = 4096;
/// The most threads whose registers are read: the first of the list, which begins with the process's first thread.
const MOST_WALKED: usize = 64;
/// Longest name that is read, bytes of UTF-16.
const LONGEST_NAME: u64 = 1024;
/// Size of the largest `CONTEXT` whose registers are read (64-bit x86), bytes.
const LARGEST_CONTEXT: u64 = 1232;

/// The threads in the dump's order; `None` unless all of them are listed.
pub fn states(source: &mut Source<'_>, directory: &Directory, names: &Names) -> Option<Vec<ThreadState>> {
    let list = whole_list(source, directory)?;
    if list.entries().len() > MOST_THREADS {
        return None;
    }
    let infos = starts(source, directory);
    let starts: BTreeMap<u32, Address> =
        infos.into_iter().take(MOST_THREADS).filter_map(|(id, start)| Some((id, start?))).collect();
    let named = NamedThreads::read(source, directory);
    let state = |id: u32| {
        let name = named.name(id, source).map(|name| names.share(&name));
        let start = starts.get(&id).copied();
        ThreadState {
            id,
            name,
            start,
            instruction_pointer: None,
            function: None,
            stack: None,
            waits_for: None,
            lock: None,
        }
    };
    Some(list.entries().filter_map(|entry| u32_at(entry, 0)).map(state).collect())
}

/// The contexts of the first threads of the list, by their ids.
pub fn contexts(source: &mut Source<'_>, directory: &Directory) -> Vec<(u32, Vec<u8>)> {
    let list = whole_list(source, directory).unwrap_or_default();
    let context = |entry: &[u8]| {
        let Location { size, offset } = Location::read(entry, 40)?;
        let context = source.read(u64::from(offset), u64::from(size).min(LARGEST_CONTEXT))?;
        Some((u32_at(entry, 0)?, context.into_owned()))
    };
    list.entries().take(MOST_WALKED).filter_map(context).collect()
}

/// `MINIDUMP_THREAD_LIST`, unless entries are missing.
fn whole_list(source: &mut Source<'_>, directory: &Directory) -> Option<List> {
    let mut losses = Vec::new();
    let list = List::read(source, directory, StreamKind::ThreadList, THREAD_SIZE, &mut losses);
    list.filter(|_| losses.is_empty())
}

/// What the list of threads holds of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedThread {
    /// Its environment block.
    pub teb: Option<Address>,
    /// The captured part of its stack, which need not be all.
    pub stack: Range<u64>,
}

impl ListedThread {
    /// The thread with this id in `MINIDUMP_THREAD_LIST`: environment block at 16, stack's start and size at 24.
    pub fn find(source: &mut Source<'_>, directory: &Directory, thread: u32) -> Option<Self> {
        let list = List::read(source, directory, StreamKind::ThreadList, THREAD_SIZE, &mut Vec::new())?;
        let entry = list.entries().find(|entry| u32_at(entry, 0) == Some(thread))?;
        let start = u64_at(entry, 24)?;
        Some(Self {
            teb: u64_at(entry, 16).filter(|teb| *teb != 0).map(Address),
            stack: start..start.saturating_add(u64::from(u32_at(entry, 32)?)),
        })
    }
}

/// Where a thread started.
pub fn start(source: &mut Source<'_>, directory: &Directory, thread: u32) -> Option<Address> {
    starts(source, directory).into_iter().find(|(id, _)| *id == thread)?.1
}

/// Where threads started, by their ids, from `MINIDUMP_THREAD_INFO_LIST`: the address is at 48 of each entry.
fn starts(source: &mut Source<'_>, directory: &Directory) -> Vec<(u32, Option<Address>)> {
    let Some(list) = directory.bytes(source, StreamKind::ThreadInfoList, LONGEST_LIST) else { return Vec::new() };
    let Ok(sizes) = Sizes::read(&list, (12, 64)) else { return Vec::new() };
    let entries = list.get(sizes.header..).unwrap_or_default().chunks_exact(sizes.entry).take(sizes.count as usize);
    let start = |entry: &[u8]| u64_at(entry, 48).filter(|start| *start != 0).map(Address);
    entries.filter_map(|entry| Some((u32_at(entry, 0)?, start(entry)))).collect()
}

/// Where the names of threads are, by their ids.
#[derive(Default)]
struct NamedThreads {
    places: BTreeMap<u32, u64>,
    /// Whether a thread that has no entry has no name.
    complete: bool,
}

impl NamedThreads {
    /// `MINIDUMP_THREAD_NAME_LIST`: a count, and 12 bytes an entry: id, and place of a text that begins with its length.
    fn read(source: &mut Source<'_>, directory: &Directory) -> Self {
        let mut losses = Vec::new();
        let list = List::read(source, directory, StreamKind::ThreadNames, 12, &mut losses);
        let Some(list) = list else { return Self::default() };
        let complete = losses.is_empty() && list.entries().len() <= MOST_THREADS;
        let place = |entry: &[u8]| Some((u32_at(entry, 0)?, u64_at(entry, 4)?));
        Self { places: list.entries().take(MOST_THREADS).filter_map(place).collect(), complete }
    }

    /// The name of a thread, empty when it has none; `None` when the dump does not show it.
    fn name(&self, id: u32, source: &mut Source<'_>) -> Option<String> {
        let Some(place) = self.places.get(&id) else { return self.complete.then(String::new) };
        let length = u64::from(u32_at(&source.read(*place, 4)?, 0)?).min(LONGEST_NAME);
        let wide = source.read(place.checked_add(4)?, length)?;
        Some(utf16_lossy(utf16_units(&wide)))
    }
}
