//! Triage dumps: the small files in `C:\Windows\Minidump`.
//!
//! Behind the header is a block with the offsets of the rest: the crashing thread's stack, the loaded
//! drivers with their names, the unloaded drivers, pieces of memory.

use super::header::{self, Kind};
use super::moment::{self, Moment};
use super::{Driver, Stop};
use crate::bytes::{ByteWriter, count16, count32, stable_hash};
use crate::guid::Guid;

/// The content of a triage dump.
#[derive(Debug, Clone)]
pub struct TriageDump {
    /// The header.
    pub stop: Stop,
    /// Whether it is of a 32-bit system. No such dump was available for comparison: the layout is that of 64 bits with
    /// shorter pointers.
    pub narrow: bool,
    /// The thread's stack from the stack pointer up.
    pub stack: Vec<u8>,
    /// Loaded drivers, the kernel first.
    pub drivers: Vec<Driver>,
    /// Drivers that were unloaded before.
    pub unloaded: Vec<Driver>,
    /// Index of the driver that the kernel named on the blue screen.
    pub named_driver: Option<usize>,
    /// Pieces of memory, by address.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Copies of the kernel's descriptions of process and processor; of 64-bit systems only.
    pub moment: Option<Moment>,
    /// Blocks of the secondary data, by the identifier of their kind.
    pub secondary: Vec<(Guid, Vec<u8>)>,
}

/// Offsets of base, size, checksum and timestamp in an entry of the driver list, and its length.
struct Entry {
    base: usize,
    size: usize,
    checksum: usize,
    timestamp: usize,
    length: usize,
}

/// Since Windows 10.
const WIDE: Entry = Entry { base: 0x38, size: 0x48, checksum: 0x80, timestamp: 0x88, length: 0x90 };
const NARROW: Entry = Entry { base: 0x1C, size: 0x24, checksum: 0x44, timestamp: 0x48, length: 0x4C };

impl TriageDump {
    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        const TRIAGE: u32 = 4;
        let kernel = self.drivers.first().map_or(0, |driver| driver.base);
        let kind = Kind {
            number: TRIAGE,
            space: 0x4_0000,
            page_tables: 0x001A_D000,
            module_list: kernel + if self.narrow { 0x16_3C70 } else { 0x00C2_A3F0 },
            debugger_data: kernel + if self.narrow { 0x12_4BE8 } else { 0x00C0_0B20 },
        };
        let mut out = if self.narrow { header::narrow(&self.stop, kind) } else { header::wide(&self.stop, kind) };
        let triage = out.len();
        out.zeros(if self.narrow { 0x68 } else { 0x80 });
        out.align(16);

        let stack = out.offset();
        out.raw(&self.stack).align(8);
        let unloaded = out.offset();
        self.unloaded_drivers(&mut out);
        let drivers = out.offset();
        let (pool, named) = self.drivers(&mut out);
        let pool_end = out.offset();
        let blocks = self.data_blocks(&mut out);
        let mut copies = Vec::new();
        if let Some(moment) = &self.moment {
            // The places of processor, process and the debugger's data in the triage block.
            for (field, bytes) in
                [(0x1C, moment.processor()), (0x20, moment.process()), (0x70, moment::debugger_data())]
            {
                copies.push((field, out.align(16).offset()));
                out.raw(&bytes);
                if field == 0x70 {
                    copies.push((0x74, count32(bytes.len())));
                }
            }
        }
        out.align(16);
        let valid = out.offset();
        out.raw(b"TRGD");

        // The fields of 32 bits that both widths share; all offsets count from the start of the file.
        let pick = |offsets: (usize, usize)| count32(if self.narrow { offsets.1 } else { offsets.0 });
        let mut fields = vec![
            (0x04, out.offset()),
            (0x08, valid),
            (0x0C, pick(header::CONTEXT)),
            (0x10, pick(header::EXCEPTION)),
            (0x18, unloaded),
            (0x28, stack),
            (0x2C, count32(self.stack.len())),
            (0x30, drivers),
            (0x34, count32(self.drivers.len())),
            (0x38, pool),
            (0x3C, pool_end - pool),
            (0x40, named),
        ];
        let (list, count) = if self.narrow { (0x60, 0x64) } else { (0x78, 0x7C) };
        fields.extend([(list, blocks), (count, count32(self.memory.len()))]);
        fields.extend(copies);
        for (offset, value) in fields {
            out.patch_u32(triage + offset, value);
        }
        // The call stack's address.
        if self.narrow {
            out.patch_u32(triage + 0x48, self.stop.context.rsp as u32);
        } else {
            out.patch_u64(triage + 0x48, self.stop.context.rsp);
        }
        if !self.secondary.is_empty() {
            moment::secondary_data(self.stop.build, &self.secondary, &mut out);
        }
        out.into_bytes()
    }

    fn pointer(&self, value: u64, out: &mut ByteWriter) {
        if self.narrow {
            out.u32(value as u32);
        } else {
            out.u64(value);
        }
    }

    /// A count, then for each driver a counted string, twelve characters of the name, start and end.
    fn unloaded_drivers(&self, out: &mut ByteWriter) {
        self.pointer(self.unloaded.len() as u64, out);
        for driver in &self.unloaded {
            let length = count16(driver.path.encode_utf16().take(12).count() * 2);
            out.u16(length).u16(length);
            if !self.narrow {
                out.u32(0);
            }
            self.pointer(0, out);
            let end = out.len() + 24;
            for unit in driver.path.encode_utf16().take(12) {
                out.u16(unit);
            }
            out.zeros_to(end);
            self.pointer(driver.base, out);
            self.pointer(driver.base + u64::from(driver.size), out);
        }
    }

    /// The entries of the loaded drivers, then the pool of their names. Gives the offset of the pool, and the offset of
    /// the name of the driver that the kernel named.
    fn drivers(&self, out: &mut ByteWriter) -> (u32, u32) {
        let layout = if self.narrow { NARROW } else { WIDE };
        let start = out.len();
        out.zeros(self.drivers.len() * layout.length);
        let pool = out.offset();
        let mut named = 0;
        for (index, driver) in self.drivers.iter().enumerate() {
            let entry = start + index * layout.length;
            let checksum = driver.size + (stable_hash(driver.path.as_bytes()) & 0xFFFF) as u32;
            if self.named_driver == Some(index) {
                named = out.offset();
            }
            out.patch_u32(entry, out.offset());
            // The kernel's own entry of the loader list follows; Windows leaves its pointers and names empty.
            if self.narrow {
                out.patch_u32(entry + layout.base, driver.base as u32);
            } else {
                out.patch_u64(entry + layout.base, driver.base);
            }
            out.patch_u32(entry + layout.size, driver.size);
            out.patch_u32(entry + layout.checksum, checksum);
            out.patch_u32(entry + layout.timestamp, driver.timestamp);
            // A pool string: length in units, text, terminator, filled up to eight bytes.
            out.u32(count32(driver.path.encode_utf16().count())).utf16(&driver.path).u16(0).align(8);
        }
        (pool, named)
    }

    /// The pieces of memory and their list. Gives the offset of the list; 0 where there are none.
    fn data_blocks(&self, out: &mut ByteWriter) -> u32 {
        let offsets: Vec<u32> = self
            .memory
            .iter()
            .map(|(_, bytes)| {
                let offset = out.align(8).offset();
                out.raw(bytes);
                offset
            })
            .collect();
        if self.memory.is_empty() {
            return 0;
        }
        let list = out.align(8).offset();
        for ((address, bytes), offset) in self.memory.iter().zip(offsets) {
            self.pointer(*address, out);
            out.u32(offset).u32(count32(bytes.len()));
        }
        list
    }
}
