//! All threads of the process: what each is called, where it started and, where stacks are walked, where it was.
//!
//! Layouts: `MINIDUMP_THREAD`, `MINIDUMP_THREAD_INFO` and `MINIDUMP_THREAD_NAME` of `minidumpapiset.h`.

use std::collections::BTreeMap;

use super::directory::{Directory, stream};
use super::excerpt::LONGEST_LIST;
use super::memory::entries_after_header;
use evidence::{Address, Names, ThreadState};
use untrusted::bytes::{Source, u32_at, u64_at};

/// Size of an entry of the list of threads, bytes.
const THREAD_SIZE: usize = 48;
/// Most threads of a list that is taken over. A part of a longer one could not show that a thread was absent.
const MOST_THREADS: usize = 4096;
/// Of how many threads the registers are read: the first of the list, among them the one that the process began with.
const MOST_WALKED: usize = 64;
/// Longest name that is read, bytes of UTF-16.
const LONGEST_NAME: u64 = 1024;
/// Size of the largest `CONTEXT` whose registers are read (64-bit x86), bytes.
const LARGEST_CONTEXT: u64 = 1232;

/// The threads in the dump's order; `None` unless all of them are listed.
pub fn listed(source: &mut Source<'_>, directory: &Directory, names: &Names) -> Option<Vec<ThreadState>> {
    let entries = entries(source, directory)?;
    if entries.len() > THREAD_SIZE.saturating_mul(MOST_THREADS) {
        return None;
    }
    let starts = starts(source, directory);
    let named = NamedThreads::read(source, directory);
    let mut threads = Vec::with_capacity(entries.len().checked_div(THREAD_SIZE)?);
    for id in entries.chunks_exact(THREAD_SIZE).filter_map(|entry| u32_at(entry, 0)) {
        let name = named.of(id, source).map(|name| names.share(&name));
        let start = starts.get(&id).copied();
        threads.push(ThreadState { id, name, start, instruction_pointer: None, function: None, stack: None });
    }
    Some(threads)
}

/// The contexts of the first threads of the list, by their ids.
pub fn contexts(source: &mut Source<'_>, directory: &Directory) -> Vec<(u32, Vec<u8>)> {
    let Some(entries) = entries(source, directory) else { return Vec::new() };
    let mut of = |entry: &[u8]| {
        let (size, place) = (u64::from(u32_at(entry, 40)?), u64::from(u32_at(entry, 44)?));
        Some((u32_at(entry, 0)?, source.read(place, size.min(LARGEST_CONTEXT))?.into_owned()))
    };
    entries.chunks_exact(THREAD_SIZE).take(MOST_WALKED).filter_map(&mut of).collect()
}

/// The entries of `MINIDUMP_THREAD_LIST`: id at 0, size and place of the registers at 40.
fn entries(source: &mut Source<'_>, directory: &Directory) -> Option<Vec<u8>> {
    let found = directory.find(stream::THREAD_LIST)?;
    let list = source.read(found.offset, found.size.min(LONGEST_LIST))?;
    let mut losses = Vec::new();
    let entries = entries_after_header(&list, 4, u64::from(u32_at(&list, 0)?), THREAD_SIZE, found.kind, &mut losses);
    losses.is_empty().then(|| entries.to_vec())
}

/// Where threads started: after a header of 12 bytes, with its own size and that of an entry, the address is at 48 of
/// each entry.
fn starts(source: &mut Source<'_>, directory: &Directory) -> BTreeMap<u32, Address> {
    let list = directory
        .find(stream::THREAD_INFO_LIST)
        .and_then(|found| source.read(found.offset, found.size.min(LONGEST_LIST)));
    let Some(list) = list else { return BTreeMap::new() };
    let word = |at| u32_at(&list, at).map_or(0, |word| word as usize);
    let (header, size, count) = (word(0), word(4), word(8));
    if !(12..=256).contains(&header) || !(64..=256).contains(&size) {
        return BTreeMap::new();
    }
    let entries = list.get(header..).unwrap_or_default().chunks_exact(size).take(count.min(MOST_THREADS));
    let start = |entry: &[u8]| Some((u32_at(entry, 0)?, Address(u64_at(entry, 48).filter(|start| *start != 0)?)));
    entries.filter_map(start).collect()
}

/// Where the names of threads are, by their ids.
struct NamedThreads {
    places: BTreeMap<u32, u64>,
    /// Whether a thread that has no entry has no name.
    complete: bool,
}

impl NamedThreads {
    /// `MINIDUMP_THREAD_NAME_LIST`: a count, and 12 bytes an entry: id, and place of a text that begins with its length.
    fn read(source: &mut Source<'_>, directory: &Directory) -> Self {
        let found = directory.find(stream::THREAD_NAMES);
        let list = found.and_then(|found| source.read(found.offset, found.size.min(LONGEST_LIST)));
        let Some(list) = list else { return Self { places: BTreeMap::new(), complete: false } };
        let mut losses = Vec::new();
        let count = u64::from(u32_at(&list, 0).unwrap_or_default());
        let entries = entries_after_header(&list, 4, count, 12, stream::THREAD_NAMES, &mut losses).chunks_exact(12);
        let complete = losses.is_empty() && entries.len() <= MOST_THREADS;
        let place = |entry: &[u8]| Some((u32_at(entry, 0)?, u64_at(entry, 4)?));
        Self { places: entries.take(MOST_THREADS).filter_map(place).collect(), complete }
    }

    /// The name of a thread, empty when it has none; `None` when nobody knows.
    fn of(&self, id: u32, source: &mut Source<'_>) -> Option<String> {
        let Some(place) = self.places.get(&id) else { return self.complete.then(String::new) };
        let length = u64::from(u32_at(&source.read(*place, 4)?, 0)?).min(LONGEST_NAME);
        let wide = source.read(place.checked_add(4)?, length)?;
        let units = wide.chunks_exact(2).filter_map(|unit| unit.try_into().ok().map(u16::from_le_bytes));
        Some(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }
}
