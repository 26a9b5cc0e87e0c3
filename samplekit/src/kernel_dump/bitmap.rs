//! Dumps with pages of physical memory, among them the page tables, the kernel's list of drivers and the stack.

use std::collections::BTreeMap;

use super::header::{self, Kind};
use super::{Driver, Stop};
use crate::bytes::{ByteWriter, count16};

/// A page of memory.
const PAGE: u64 = 0x1000;
/// Present and writable.
const VALID: u64 = 0x3;
/// Present, writable, and of 2 MiB.
const LARGE: u64 = 0x83;
/// The address of the descriptions of drivers: nonpaged pool.
const POOL: u64 = 0xFFFF_D48A_1000_0000;
/// Bytes between two descriptions.
const ENTRY: u64 = 0x400;
/// Number of the first physical page that is used.
const FIRST_PAGE: u64 = 0x100;

/// How a dump stores its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// By a bitmap of the machine's pages, with the dump type 5 or 6.
    Bitmap(u32),
    /// In runs that the header lists: a full dump.
    Runs,
}

/// The content of a dump with pages.
#[derive(Debug, Clone)]
pub struct BitmapDump {
    /// The header.
    pub stop: Stop,
    /// How the pages are stored.
    pub storage: Storage,
    /// Loaded drivers, the kernel first. The first page of each image is in the dump.
    pub drivers: Vec<Driver>,
    /// Pieces of memory by address, each within one page of 4 KiB: the stack, code.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Index of the driver whose description points to itself instead of the next one: a damaged list.
    pub loop_at: Option<usize>,
}

/// Pages by number, and the tables that map addresses to them.
#[derive(Default)]
struct Machine {
    pages: BTreeMap<u64, Vec<u8>>,
    /// Physical page of each virtual page.
    mapped: BTreeMap<u64, u64>,
    /// Tables by level and by the part of the address that selects them.
    tables: BTreeMap<(u32, u64), u64>,
    used: u64,
}

impl Machine {
    /// A new page. Every third page is skipped, as if it were in use.
    fn page(&mut self) -> u64 {
        self.used += if self.used % 3 == 1 { 2 } else { 1 };
        let number = FIRST_PAGE + self.used;
        self.pages.insert(number, vec![0; 0x1000]);
        number
    }

    fn content(&mut self, page: u64) -> &mut Vec<u8> {
        self.pages.entry(page).or_insert_with(|| vec![0; 0x1000])
    }

    fn table(&mut self, level: u32, part: u64) -> u64 {
        if let Some(page) = self.tables.get(&(level, part)) {
            return *page;
        }
        let page = self.page();
        self.tables.insert((level, part), page);
        page
    }

    fn set(&mut self, table: u64, index: u64, entry: u64) {
        let offset = (index * 8) as usize;
        self.content(table)[offset..offset + 8].copy_from_slice(&entry.to_le_bytes());
    }

    /// Maps the page of `address`.
    fn map(&mut self, address: u64) -> u64 {
        let virtual_page = address / PAGE;
        if let Some(page) = self.mapped.get(&virtual_page) {
            return *page;
        }
        // A large page maps the nonpaged pool, as Windows does where it can: physical memory from 2 MiB up.
        let pooled = (POOL..POOL + 0x20_0000).contains(&address);
        let page = if pooled {
            let page = 0x200 + (address - POOL) / PAGE;
            self.pages.insert(page, vec![0; 0x1000]);
            page
        } else {
            self.page()
        };
        self.mapped.insert(virtual_page, page);
        let mut table = self.table(0, 0);
        for (level, shift) in [(1, 39), (2, 30), (3, 21)] {
            let index = address >> shift & 0x1FF;
            if pooled && level == 3 {
                self.set(table, index, (0x200 * PAGE) | LARGE);
                return page;
            }
            let next = self.table(level, address >> shift);
            self.set(table, index, (next * PAGE) | VALID);
            table = next;
        }
        self.set(table, address >> 12 & 0x1FF, (page * PAGE) | VALID);
        page
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut rest = bytes;
        let mut here = address;
        while !rest.is_empty() {
            let page = self.map(here);
            let offset = (here % PAGE) as usize;
            let part = rest.len().min(0x1000 - offset);
            self.content(page)[offset..offset + part].copy_from_slice(&rest[..part]);
            rest = &rest[part..];
            here += part as u64;
        }
    }
}

impl BitmapDump {
    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let kernel = self.drivers.first().map_or(0, |driver| driver.base);
        let mut machine = Machine::default();
        // The uppermost table comes first.
        let root = machine.table(0, 0);
        let head = kernel + 0x00C2_A3F0;
        self.driver_list(&mut machine, head);
        for driver in &self.drivers {
            machine.write(driver.base, &image_header(driver));
        }
        for (address, bytes) in &self.memory {
            machine.write(*address, bytes);
        }

        let (number, start) = match self.storage {
            Storage::Runs => (1, 0x2000),
            Storage::Bitmap(number) => (number, 0x4000),
        };
        let kind = Kind {
            number,
            space: start + machine.pages.len() as u64 * PAGE,
            page_tables: root * PAGE,
            module_list: head,
            debugger_data: kernel + 0x00C0_0B20,
        };
        let mut out = header::wide(&self.stop, kind);
        match self.storage {
            Storage::Runs => runs(&machine, &mut out),
            Storage::Bitmap(_) => bitmap(&machine, &mut out, start),
        }
        for page in machine.pages.values() {
            out.raw(page);
        }
        out.into_bytes()
    }

    /// The list that the kernel keeps of its drivers: a head in its image, elements in the pool, names behind them.
    fn driver_list(&self, machine: &mut Machine, head: u64) {
        let count = self.drivers.len() as u64;
        let element = |index: u64| if index < count { POOL + index * ENTRY } else { head };
        let mut links = ByteWriter::new();
        links.u64(element(0)).u64(element(count.saturating_sub(1)));
        machine.write(head, &links.into_bytes());
        for (index, driver) in (0_u64..).zip(&self.drivers) {
            let own = element(index);
            let next = if self.loop_at == Some(index as usize) { own } else { element(index + 1) };
            let before = if index == 0 { head } else { element(index - 1) };
            let length = |text: &str| count16(text.encode_utf16().count() * 2);
            let (path, name) = (own + 0x100, own + 0x300);
            let mut out = ByteWriter::new();
            out.u64(next).u64(before).zeros_to(0x30);
            out.u64(driver.base).u64(0).u32(driver.size).zeros_to(0x48);
            out.u16(length(&driver.path)).u16(length(&driver.path)).u32(0).u64(path);
            out.u16(length(driver.name())).u16(length(driver.name())).u32(0).u64(name);
            out.zeros_to(0x100).utf16(&driver.path).zeros_to(0x300).utf16(driver.name());
            machine.write(own, &out.into_bytes());
        }
    }
}

/// The beginning of an image, with its link time and size.
fn image_header(driver: &Driver) -> Vec<u8> {
    let mut out = ByteWriter::new();
    out.raw(b"MZ").zeros_to(0x3C).u32(0x100).zeros_to(0x100);
    out.raw(b"PE\0\0").u16(0x8664).u16(6).u32(driver.timestamp).zeros_to(0x150).u32(driver.size);
    out.into_bytes()
}

/// Lists the pages' runs in the header.
fn runs(machine: &Machine, out: &mut ByteWriter) {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for page in machine.pages.keys() {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == *page => *count += 1,
            _ => runs.push((*page, 1)),
        }
    }
    assert!(runs.len() <= 42, "the header has room for 42 runs and not for {}", runs.len());
    out.patch_u32(0x88, runs.len() as u32);
    out.patch_u64(0x90, machine.pages.len() as u64);
    for (index, (first, count)) in runs.into_iter().enumerate() {
        out.patch_u64(0x98 + index * 16, first);
        out.patch_u64(0xA0 + index * 16, count);
    }
}

/// Writes the bitmap behind the header, and fills up to where the pages begin.
fn bitmap(machine: &Machine, out: &mut ByteWriter, start: u64) {
    let pages = machine.pages.keys().next_back().map_or(0, |last| last + 1).next_multiple_of(64);
    let mut bits = vec![0_u8; (pages / 8) as usize];
    for page in machine.pages.keys() {
        bits[(page / 8) as usize] |= 1 << (page % 8);
    }
    let begin = out.len();
    out.raw(b"SDMPDUMP").zeros_to(begin + 0x20);
    out.u64(start).u64(machine.pages.len() as u64).u64(pages).raw(&bits);
    assert!(out.len() as u64 <= start, "the bitmap is too long");
    out.zeros_to(start as usize);
}
