//! The process's memory regions: state, protection, and which allocation they belong to.
//!
//! Layout: `MINIDUMP_MEMORY_INFO_LIST` (16 bytes: sizes of header and entries, a count of 64 bits) and
//! `MINIDUMP_MEMORY_INFO` (48 bytes) of `minidumpapiset.h`; constants: `VirtualQuery` of the Windows API.

use super::directory::{Directory, StreamKind};
use evidence::{Address, Page};
use untrusted::bytes::{Source, u32_at, u64_at};

/// The list, of which entries are read where they are asked for: a process has thousands, and a few are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Regions {
    /// Offset of the first entry in the file, bytes.
    entries_at: u64,
    entry_size: u64,
    count: u64,
}

/// `MEM_FREE`.
const FREE: u32 = 0x1_0000;

/// One region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub base: u64,
    /// Size, bytes.
    pub size: u64,
    /// Where the allocation begins that it belongs to; nothing in free regions.
    pub allocation: Option<u64>,
    /// State and protection.
    pub page: Page,
    /// Its place in the list.
    index: u64,
}

impl Region {
    /// The first address behind it.
    pub fn end(&self) -> u64 {
        self.base.saturating_add(self.size)
    }
}

impl Regions {
    /// The dump's list; `None` when it has none, or its sizes can't be believed.
    pub fn open(source: &mut Source<'_>, directory: &Directory) -> Option<Self> {
        let found = directory.find(StreamKind::MemoryInfoList)?;
        let header = source.read(found.offset, found.size.min(16))?;
        let (header_size, entry_size, count) = (u32_at(&header, 0)?, u32_at(&header, 4)?, u64_at(&header, 8)?);
        if !(16..=256).contains(&header_size) || !(48..=256).contains(&entry_size) {
            return None;
        }
        let room = found.size.checked_sub(u64::from(header_size))?.checked_div(u64::from(entry_size))?;
        Some(Self {
            entries_at: found.offset.checked_add(u64::from(header_size))?,
            entry_size: u64::from(entry_size),
            count: count.min(room),
        })
    }

    /// The region that contains `address`. Writers list regions by address.
    pub fn at(&self, source: &mut Source<'_>, address: Address) -> Option<Region> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.checked_add(high)?.checked_div(2)?;
            if self.base_of(source, middle)? <= address.0 {
                low = middle.checked_add(1)?;
            } else {
                high = middle;
            }
        }
        let region = self.entry(source, low.checked_sub(1)?)?;
        (address.0.checked_sub(region.base)? < region.size).then_some(region)
    }

    /// The region right above another one, without a gap.
    pub fn above(&self, source: &mut Source<'_>, region: &Region) -> Option<Region> {
        let index = region.index.checked_add(1).filter(|index| *index < self.count)?;
        self.entry(source, index).filter(|above| above.base == region.end())
    }

    /// The region right below another one, without a gap.
    pub fn below(&self, source: &mut Source<'_>, region: &Region) -> Option<Region> {
        self.entry(source, region.index.checked_sub(1)?).filter(|below| below.end() == region.base)
    }

    fn base_of(&self, source: &mut Source<'_>, index: u64) -> Option<u64> {
        u64_at(&source.read(self.offset_of(index)?, 8)?, 0)
    }

    fn offset_of(&self, index: u64) -> Option<u64> {
        self.entries_at.checked_add(index.checked_mul(self.entry_size)?)
    }

    fn entry(&self, source: &mut Source<'_>, index: u64) -> Option<Region> {
        let entry = source.read(self.offset_of(index)?, 48)?;
        let (state, protection) = (u32_at(&entry, 32)?, u32_at(&entry, 36)?);
        Some(Region {
            base: u64_at(&entry, 0)?,
            size: u64_at(&entry, 24)?,
            allocation: u64_at(&entry, 8).filter(|_| state != FREE),
            page: page(state, protection)?,
            index,
        })
    }
}

/// The kind of page for a state (`MEM_*`) and a protection (`PAGE_*`).
fn page(state: u32, protection: u32) -> Option<Page> {
    const COMMITTED: u32 = 0x1000;
    const RESERVED: u32 = 0x2000;
    const GUARD: u32 = 0x100;
    Some(match (state, protection & 0xFF) {
        (FREE, _) => Page::Free,
        (RESERVED, _) => Page::Reserved,
        (COMMITTED, _) if protection & GUARD != 0 => Page::Guard,
        (COMMITTED, 0x01) => Page::NoAccess,
        (COMMITTED, 0x02) => Page::ReadOnly,
        (COMMITTED, 0x04) => Page::ReadWrite,
        (COMMITTED, 0x08) => Page::WriteCopy,
        (COMMITTED, 0x10) => Page::Execute,
        (COMMITTED, 0x20) => Page::ExecuteRead,
        (COMMITTED, 0x40) => Page::ExecuteReadWrite,
        (COMMITTED, 0x80) => Page::ExecuteWriteCopy,
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use evidence::{Address, Page};
    use untrusted::bytes::Source;

    use crate::minidump::directory::{Directory, Stream, StreamKind};
    use crate::minidump::regions::Regions;

    /// A list of regions: base, allocation, size, state, protection.
    pub fn list(regions: &[(u64, u64, u64, u32, u32)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&16_u32.to_le_bytes());
        bytes.extend_from_slice(&48_u32.to_le_bytes());
        bytes.extend_from_slice(&(regions.len() as u64).to_le_bytes());
        for (base, allocation, size, state, protection) in regions {
            for word in [*base, *allocation, 4, *size] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            for word in [*state, *protection, 0x2_0000, 0] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes
    }

    fn regions_of(bytes: &[u8], test: impl FnOnce(Option<Regions>, &mut Source<'_>)) {
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, bytes).expect("written");
        let mut source = Source::open(&mut file, bytes.len() as u64).expect("readable");
        let streams = vec![Stream { kind: StreamKind::MemoryInfoList.into(), offset: 0, size: bytes.len() as u64 }];
        let found = Regions::open(&mut source, &Directory { time: 0, flags: 0, streams });
        test(found, &mut source);
    }

    #[test]
    fn an_address_is_found_in_its_region_and_nowhere_else() {
        let bytes = list(&[
            (0x1000, 0x1000, 0x2000, 0x1000, 0x104),
            (0x3000, 0x1000, 0x1000, 0x1000, 4),
            (0x9000, 0, 0x1000, 0x1_0000, 1),
        ]);
        regions_of(&bytes, |regions, source| {
            let regions = regions.expect("a list");
            let mut page = |address| regions.at(source, Address(address)).map(|region| region.page);
            assert_eq!(page(0xFFF), None);
            assert_eq!(page(0x1000), Some(Page::Guard));
            assert_eq!(page(0x2FFF), Some(Page::Guard));
            assert_eq!(page(0x3000), Some(Page::ReadWrite));
            assert_eq!(page(0x4000), None, "between the regions");
            assert_eq!(page(0x9FFF), Some(Page::Free));
            assert_eq!(page(u64::MAX), None);
            let guard = regions.at(source, Address(0x1000)).expect("a region");
            assert_eq!(guard.allocation, Some(0x1000));
            let above = regions.above(source, &guard).expect("the region above");
            assert_eq!(above.base, 0x3000);
            assert_eq!(regions.above(source, &above), None, "there is a gap");
        });
    }

    #[test]
    fn a_count_beyond_the_stream_is_not_believed() {
        let mut bytes = list(&[(0x1000, 0x1000, 0x1000, 0x1000, 4)]);
        bytes[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        regions_of(&bytes, |regions, source| {
            assert!(regions.expect("a list").at(source, Address(0x1000)).is_some());
        });
        bytes[4..8].copy_from_slice(&0_u32.to_le_bytes());
        regions_of(&bytes, |regions, _| assert!(regions.is_none()));
    }
}
