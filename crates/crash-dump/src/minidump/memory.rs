//! Which of the process's memory the dump holds, and where in the file.
//!
//! Layout: `MINIDUMP_MEMORY_LIST` and `MINIDUMP_MEMORY64_LIST` of `minidumpapiset.h`.

use std::borrow::Cow;

use super::directory::{Directory, place, stream};
use super::excerpt::LONGEST_LIST;
use evidence::Address;
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at, u64_at};

/// One captured range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Region {
    start: u64,
    size: u64,
    /// Offset in the file, bytes.
    offset: u64,
}

impl Region {
    /// The first address behind it.
    fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }
}

/// The captured ranges, by address. They may overlap and lie in each other: stacks are listed twice by most writers, and
/// some list a page and, apart from it, the part around a pointer into it.
#[derive(Debug, Default)]
pub struct MemoryMap {
    regions: Vec<Region>,
    /// For each range, the index of the one that reaches farthest among those that begin no later.
    farthest: Vec<usize>,
}

impl MemoryMap {
    /// Reads the lists of captured memory; ranges that the file does not hold are losses and left out.
    pub fn read(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Self {
        let mut listed = small_list(source, directory, losses);
        listed.extend(large_list(source, directory, losses));
        let count = listed.len();
        let (mut regions, beyond): (Vec<Region>, Vec<Region>) =
            listed.into_iter().partition(|region| source.holds(region.offset, region.size));
        if !beyond.is_empty() {
            let bytes: u64 = beyond.iter().fold(0, |sum, region| sum.saturating_add(region.size));
            losses.push(Loss::new(
                "memory",
                format!("{} of {count} ranges ({bytes} bytes) are beyond the end of the file", beyond.len()),
            ));
        }
        // Stacks are mostly in the lists too, but not every writer puts them there.
        regions.extend(thread_stacks(source, directory).filter(|region| source.holds(region.offset, region.size)));
        Self::of(regions)
    }

    fn of(mut regions: Vec<Region>) -> Self {
        regions.sort_unstable();
        let mut reach = (0, 0);
        let reaches = |(index, region): (usize, &Region)| {
            if region.end() > reach.1 {
                reach = (index, region.end());
            }
            reach.0
        };
        let farthest = regions.iter().enumerate().map(reaches).collect();
        Self { regions, farthest }
    }

    /// The captured range that contains `address` and reaches farthest: its start and size.
    #[must_use]
    pub fn region_at(&self, address: Address) -> Option<(Address, u64)> {
        let region = self.find(address)?;
        Some((Address(region.start), region.size))
    }

    /// Up to `size` bytes from `address` on, as far as a range that contains it goes.
    pub fn bytes<'s>(&self, source: &'s mut Source<'_>, address: Address, size: u64) -> Option<Cow<'s, [u8]>> {
        let region = self.find(address)?;
        let into = address.0.checked_sub(region.start)?;
        let size = size.min(region.size.checked_sub(into)?);
        source.read(region.offset.checked_add(into)?, size)
    }

    /// Of the ranges that begin no later than `address` the one that reaches farthest: if that does not contain it, none
    /// does.
    fn find(&self, address: Address) -> Option<Region> {
        let after = self.regions.partition_point(|region| region.start <= address.0);
        let region = self.regions.get(*self.farthest.get(after.checked_sub(1)?)?)?;
        (address.0.checked_sub(region.start)? < region.size).then_some(*region)
    }
}

/// The stacks of `MINIDUMP_THREAD_LIST`: 48 bytes a thread, the stack's range at 24. What is missing of the list is
/// reported where threads are read.
fn thread_stacks(source: &mut Source<'_>, directory: &Directory) -> impl Iterator<Item = Region> + use<> {
    let list = directory
        .find(stream::THREAD_LIST)
        .and_then(|found| source.read(found.offset, found.size.min(LONGEST_LIST)))
        .map(|list| list.into_owned())
        .unwrap_or_default();
    let entries = entries_after_header(
        &list,
        4,
        u64::from(u32_at(&list, 0).unwrap_or(0)),
        48,
        stream::THREAD_LIST,
        &mut Vec::new(),
    );
    let read = |entry: &[u8]| {
        Some(Region {
            start: u64_at(entry, 24)?,
            size: u64::from(u32_at(entry, 32)?),
            offset: u64::from(u32_at(entry, 36)?),
        })
    };
    // At offset 0 is the header: so writers say that the stack is elsewhere.
    let held = |region: &Region| region.size > 0 && region.offset > 0;
    entries.chunks_exact(48).filter_map(read).filter(held).collect::<Vec<_>>().into_iter()
}

/// `MINIDUMP_MEMORY_LIST`: a count and 16 bytes a range.
fn small_list(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Vec<Region> {
    let Some(found) = directory.find(stream::MEMORY_LIST) else { return Vec::new() };
    let Some(bytes) = source.read(found.offset, found.size.min(LONGEST_LIST)) else { return Vec::new() };
    let count = u64::from(u32_at(&bytes, 0).unwrap_or(0));
    let entries = entries_after_header(&bytes, 4, count, 16, found.kind, losses);
    let read = |entry: &[u8]| {
        Some(Region {
            start: u64_at(entry, 0)?,
            size: u64::from(u32_at(entry, 8)?),
            offset: u64::from(u32_at(entry, 12)?),
        })
    };
    entries.chunks_exact(16).filter_map(read).filter(|region| region.size > 0).collect()
}

/// `MINIDUMP_MEMORY64_LIST`: a count, the offset of the first range, and 16 bytes a range; the ranges lie in the file
/// one after the other.
fn large_list(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Vec<Region> {
    let Some(found) = directory.find(stream::MEMORY_64_LIST) else { return Vec::new() };
    let Some(bytes) = source.read(found.offset, found.size.min(LONGEST_LIST)) else { return Vec::new() };
    let count = u64_at(&bytes, 0).unwrap_or(0);
    let mut offset = u64_at(&bytes, 8).unwrap_or(0);
    let entries = entries_after_header(&bytes, 16, count, 16, found.kind, losses);
    let mut regions = Vec::new();
    for entry in entries.chunks_exact(16) {
        let (Some(start), Some(size)) = (u64_at(entry, 0), u64_at(entry, 8)) else { continue };
        regions.push(Region { start, size, offset });
        offset = offset.saturating_add(size);
    }
    regions
}

/// The entries that a list's header counts, as far as the stream holds them; fewer are a loss.
pub(super) fn entries_after_header<'b>(
    stream_bytes: &'b [u8],
    header_size: usize,
    count: u64,
    entry_size: usize,
    kind: u32,
    losses: &mut Vec<Loss>,
) -> &'b [u8] {
    let Some(after) = stream_bytes.get(header_size..) else {
        losses.push(Loss::new(place(kind), "shorter than its own header"));
        return &[];
    };
    let held = after.len().checked_div(entry_size).unwrap_or(0) as u64;
    // Some writers align the entries and leave four bytes between header and first entry.
    let rest = after.len().checked_rem(entry_size).unwrap_or(0);
    let aligned = rest == 4 && held == count;
    let after = if aligned { after.get(4..).unwrap_or(after) } else { after };
    if count != held {
        losses.push(Loss::new(place(kind), format!("counts {count} entries and has room for {held}")));
    }
    let wanted = usize::try_from(count.min(held)).unwrap_or(0).saturating_mul(entry_size);
    after.get(..wanted).unwrap_or(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minidump::directory::Stream;

    #[test]
    fn an_address_is_found_whatever_ranges_overlap() {
        let region = |start, size| Region { start, size, offset: start };
        let map = MemoryMap::of(vec![
            region(0x1000, 0x1000),
            region(0x1100, 0x10),
            region(0x1100, 0x10),
            region(0x1800, 0x1000),
            region(0x5000, 0x10),
            region(u64::MAX - 0xF, 0x10),
        ]);
        let found = |address| map.region_at(Address(address)).map(|(start, _)| start.0);
        assert_eq!(found(0xFFF), None);
        assert_eq!(found(0x1105), Some(0x1000), "inside of both, and the outer one reaches farther");
        assert_eq!(found(0x1110), Some(0x1000), "behind the inner one");
        assert_eq!(found(0x1900), Some(0x1800));
        assert_eq!(found(0x27FF), Some(0x1800));
        assert_eq!(found(0x2800), None);
        assert_eq!(found(0x5000), Some(0x5000));
        assert_eq!(found(u64::MAX - 1), Some(u64::MAX - 0xF));
    }

    #[test]
    fn what_is_found_is_what_a_search_of_all_ranges_finds() {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = |bound: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % bound
        };
        for _ in 0..200 {
            let count = below(12);
            let regions: Vec<Region> =
                (0..count).map(|at| Region { start: below(64), size: below(24) + 1, offset: at * 100 }).collect();
            let map = MemoryMap::of(regions.clone());
            for address in 0..96 {
                let within = |region: &&Region| (region.start..region.end()).contains(&address);
                let farthest = regions.iter().filter(within).map(Region::end).max();
                let found = map.find(Address(address)).map(|region| region.end());
                assert_eq!(found, farthest, "{address} in {regions:?}");
            }
        }
    }

    #[test]
    fn a_stack_at_offset_0_is_not_the_header() {
        let mut list = vec![0; 4 + 48];
        list[0] = 1;
        list[4 + 24..4 + 32].copy_from_slice(&0x7000_u64.to_le_bytes());
        list[4 + 32] = 16;
        let streams = vec![Stream { kind: stream::THREAD_LIST, offset: 0, size: 52 }];
        let directory = Directory { time: 0, flags: 0, streams };
        let map = |list: &[u8]| {
            let mut file = tempfile::tempfile().expect("a file");
            std::io::Write::write_all(&mut file, list).expect("written");
            let mut source = Source::open(&mut file, list.len() as u64).expect("readable");
            MemoryMap::read(&mut source, &directory, &mut Vec::new())
        };
        assert_eq!(map(&list).region_at(Address(0x7000)), None);
        list[4 + 36] = 8;
        assert_eq!(map(&list).region_at(Address(0x7000)), Some((Address(0x7000), 16)));
    }
}
