//! Which of the process's memory the dump holds, and where in the file.
//!
//! Layout: `MINIDUMP_MEMORY_LIST` and `MINIDUMP_MEMORY64_LIST` of `minidumpapiset.h`.

use std::borrow::Cow;

use super::directory::{Directory, StreamKind};
use super::lists::{LONGEST_LIST, List};
use super::threads::THREAD_SIZE;
use crate::call::{CallTarget, LONGEST_CALL, call_at_end};
use evidence::Address;
use untrusted::Loss;
use untrusted::bytes::{Source, pointer_at, u32_at, u64_at};

/// One captured range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Region {
    start: u64,
    size: u64,
    /// Offset in the file, bytes.
    offset: u64,
}

impl Region {
    /// The range that a `MINIDUMP_MEMORY_DESCRIPTOR` describes: address (64 bits), size and offset (32 bits each).
    fn described(bytes: &[u8]) -> Option<Self> {
        let (size, offset) = (u32_at(bytes, 8)?, u32_at(bytes, 12)?);
        Some(Self { start: u64_at(bytes, 0)?, size: u64::from(size), offset: u64::from(offset) })
    }

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
        let mut listed = ranges_with_offsets(source, directory, losses);
        listed.extend(ranges_one_after_another(source, directory, losses));
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
        let stacks = thread_stacks(source, directory).into_iter();
        regions.extend(stacks.filter(|region| source.holds(region.offset, region.size)));
        Self::from_ranges(regions)
    }

    /// Ranges of a file: for each the address, the length and the offset in the file.
    #[cfg(test)]
    pub fn of_file(ranges: &[(u64, u64, u64)]) -> Self {
        Self::from_ranges(
            ranges.iter().map(|(start, size, offset)| Region { start: *start, size: *size, offset: *offset }).collect(),
        )
    }

    fn from_ranges(mut regions: Vec<Region>) -> Self {
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

/// The memory that a dump holds, by address: the map of it, and the file that it is in.
pub struct Memory<'m, 'f> {
    pub map: &'m MemoryMap,
    pub source: &'m mut Source<'f>,
}

impl Memory<'_, '_> {
    /// Fills `bytes` with what is at `address`; `None` unless all of it was captured.
    pub fn fill(&mut self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let mut at = address;
        let mut rest = bytes;
        while !rest.is_empty() {
            // One image lies in several captured ranges, one for each kind of page protection.
            let part = self.part(at, rest.len() as u64)?;
            let (now, later) = rest.split_at_mut_checked(part.len())?;
            if now.is_empty() {
                return None;
            }
            now.copy_from_slice(&part);
            at = at.checked_add(part.len() as u64)?;
            rest = later;
        }
        Some(())
    }

    /// Up to `size` bytes from `address` on, as far as they were captured in one piece.
    pub fn part(&mut self, address: u64, size: u64) -> Option<Cow<'_, [u8]>> {
        self.map.bytes(self.source, Address(address), size)
    }

    /// The call right before an address, if the dump holds its code.
    pub fn call_before(&mut self, address: u64) -> Option<CallTarget> {
        let length = LONGEST_CALL as u64;
        let code = self.part(address.checked_sub(length)?, length)?;
        if code.len() == LONGEST_CALL { call_at_end(&code) } else { None }
    }

    /// The number of 32 bits at `address`.
    pub fn u32(&mut self, address: u64) -> Option<u32> {
        u32_at(&self.part(address, 4)?, 0)
    }

    /// The pointer at `address`: of 64 bits where `wide`, else of 32.
    pub fn pointer(&mut self, address: u64, wide: bool) -> Option<u64> {
        pointer_at(&self.part(address, if wide { 8 } else { 4 })?, 0, wide)
    }

    /// The bytes from `address` on up to a NUL; `None` when there is none among the first `longest`.
    pub fn until_nul(&mut self, address: u64, longest: u64) -> Option<Vec<u8>> {
        let bytes = self.part(address, longest)?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        bytes.get(..end).map(<[u8]>::to_vec)
    }
}

/// The stacks of `MINIDUMP_THREAD_LIST`: 48 bytes a thread, the stack's range at 24. What is missing of the list is
/// reported where threads are read.
fn thread_stacks(source: &mut Source<'_>, directory: &Directory) -> Vec<Region> {
    let list = List::read(source, directory, StreamKind::ThreadList, THREAD_SIZE, &mut Vec::new()).unwrap_or_default();
    let stacks = list.entries().filter_map(|entry| Region::described(entry.get(24..)?));
    // At offset 0 is the header: so writers say that the stack is elsewhere.
    stacks.filter(|region| region.size > 0 && region.offset > 0).collect()
}

/// `MINIDUMP_MEMORY_LIST`: a count and 16 bytes a range.
fn ranges_with_offsets(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Vec<Region> {
    let list = List::read(source, directory, StreamKind::MemoryList, 16, losses).unwrap_or_default();
    list.entries().filter_map(Region::described).filter(|region| region.size > 0).collect()
}

/// `MINIDUMP_MEMORY64_LIST`: a count, the offset of the first range, and 16 bytes a range; the ranges lie in the file
/// one after the other.
fn ranges_one_after_another(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Vec<Region> {
    let kind = StreamKind::Memory64List;
    let Some(bytes) = directory.bytes(source, kind, LONGEST_LIST) else { return Vec::new() };
    let mut offset = u64_at(&bytes, 8).unwrap_or(0);
    let list = List::behind_header(&bytes, 16, u64_at(&bytes, 0).unwrap_or(0), 16, kind, losses);
    let region = |entry: &[u8]| {
        let region = Region { start: u64_at(entry, 0)?, size: u64_at(entry, 8)?, offset };
        offset = offset.saturating_add(region.size);
        Some(region)
    };
    list.entries().filter_map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minidump::directory::Stream;

    #[test]
    fn an_address_is_found_whatever_ranges_overlap() {
        let region = |start, size| Region { start, size, offset: start };
        let map = MemoryMap::from_ranges(vec![
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
            let map = MemoryMap::from_ranges(regions.clone());
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
        let streams = vec![Stream { kind: StreamKind::ThreadList.into(), offset: 0, size: 52 }];
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
