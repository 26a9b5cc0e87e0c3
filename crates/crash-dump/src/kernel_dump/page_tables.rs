//! Virtual memory of a dump that holds physical pages: the processor's page tables are among them.
//!
//! Source: the four levels of 4 KiB tables with 512 entries are those of the AMD64 architecture manual, volume 2, "Page
//! Translation"; what entries of pages mean that are on their way to the disk is the kernel's own.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use super::layout::PAGE;
use super::memory::Memory;
use super::pages::Pages;
use super::source::Source;
use untrusted::bytes::u64_at;

/// Bits of an entry that hold a page's address.
const ADDRESS: u64 = 0x000F_FFFF_FFFF_F000;
/// The entry is valid.
const PRESENT: u64 = 1;
/// The entry is of a page of 1 GiB or 2 MiB and not of a further table.
const LARGE: u64 = 1 << 7;
/// The entry's page is not valid any more, but still has its content (`Transition` set, `Prototype` not).
const TRANSITION: u64 = 1 << 11;
/// The rest of such an entry is something else.
const PROTOTYPE: u64 = 1 << 10;
/// Tables that are kept; a driver list and a stack need some dozens.
const MOST_TABLES: usize = 1024;

/// The memory of a 64-bit system whose physical pages the dump holds.
pub(super) struct PagedMemory<'s, F> {
    source: &'s mut Source<F>,
    pages: Pages,
    /// Physical address of the uppermost table.
    root: u64,
    /// Tables that were read, by physical address.
    tables: BTreeMap<u64, Vec<u8>>,
}

impl<'s, F: Read + Seek> PagedMemory<'s, F> {
    /// The memory that the table at the physical address `root` maps.
    pub fn new(source: &'s mut Source<F>, pages: Pages, root: u64) -> Self {
        Self { source, pages, root: root & ADDRESS, tables: BTreeMap::new() }
    }

    /// The physical address of `address`.
    fn translate(&mut self, address: u64) -> Option<u64> {
        let mut table = self.root;
        // The bits of the address that choose the entry of each level's table.
        for shift in [39_u32, 30, 21, 12] {
            let index = address.checked_shr(shift)? & 0x1FF;
            let entry = self.entry(table, index)?;
            let content = entry & (TRANSITION | PROTOTYPE) == TRANSITION;
            if entry & PRESENT == 0 && !(shift == 12 && content) {
                return None;
            }
            if shift == 12 || (shift < 39 && entry & LARGE != 0) {
                let within = 1_u64.checked_shl(shift)?.wrapping_sub(1);
                return Some((entry & ADDRESS & !within) | (address & within));
            }
            table = entry & ADDRESS;
        }
        None
    }

    fn entry(&mut self, table: u64, index: u64) -> Option<u64> {
        let offset = usize::try_from(index.checked_mul(8)?).ok()?;
        if let Some(known) = self.tables.get(&table) {
            return u64_at(known, offset);
        }
        let place = self.pages.offset_of(table.checked_div(PAGE)?)?;
        let bytes = self.source.read(place, PAGE).ok()?;
        let entry = u64_at(&bytes, offset);
        if self.tables.len() < MOST_TABLES {
            self.tables.insert(table, bytes);
        }
        entry
    }
}

impl<F: Read + Seek> Memory for PagedMemory<'_, F> {
    fn read(&mut self, address: u64, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut next = Some(address);
        while let Some(here) = next.filter(|_| bytes.len() < length) {
            let skipped = here & PAGE.wrapping_sub(1);
            let wanted = u64::try_from(length.saturating_sub(bytes.len())).unwrap_or(u64::MAX);
            let part = wanted.min(PAGE.saturating_sub(skipped));
            let place = self.translate(here).and_then(|physical| {
                let page = self.pages.offset_of(physical.checked_div(PAGE)?)?;
                page.checked_add(skipped)
            });
            let Some(read) = place.and_then(|place| self.source.read(place, part).ok()) else { break };
            bytes.extend(read);
            next = here.checked_add(part);
        }
        bytes
    }
}
