//! Writes kernel triage dumps: the small files in `C:\Windows\Minidump`.
//!
//! A triage dump is a header of 8 KiB that every 64-bit kernel dump has, a block of 128 bytes that says where the rest
//! is, and the rest: the crashing thread's stack, the loaded drivers with their names, the unloaded drivers. The layout
//! is the one that public parsers of such dumps agree on. Microsoft's documentation says what these dumps contain, but
//! not where it stands.

use crate::FileTime;
use crate::bytes::{ByteWriter, count16, count32, stable_hash};
use crate::minidump::Context;

/// What a triage dump says.
#[derive(Debug, Clone)]
pub struct TriageDump {
    /// Windows build number.
    pub build: u32,
    /// Logical processors.
    pub processors: u32,
    /// Bugcheck code.
    pub code: u32,
    /// Its parameters.
    pub parameters: [u64; 4],
    /// When the system stopped.
    pub time: FileTime,
    /// How long it had been up, seconds.
    pub uptime_seconds: u64,
    /// Registers of the processor that stopped the system.
    pub context: Context,
    /// The thread's stack from the stack pointer up.
    pub stack: Vec<u8>,
    /// Loaded drivers, the kernel first.
    pub drivers: Vec<Driver>,
    /// Drivers that were unloaded before.
    pub unloaded: Vec<Driver>,
}

/// A loaded driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// File name.
    pub name: String,
    /// Where it is loaded.
    pub base: u64,
    /// `SizeOfImage`, bytes.
    pub size: u32,
}

impl Driver {
    /// A driver.
    #[must_use]
    pub fn new(name: &str, base: u64, size: u32) -> Self {
        Self { name: name.to_owned(), base, size }
    }
}

const HEADER_BYTES: usize = 0x2000;
const TRIAGE_BYTES: usize = 0x80;
const CONTEXT_OFFSET: usize = 0x348;
const EXCEPTION_OFFSET: usize = 0xF00;
/// Size of a driver's entry since Windows 10.
const DRIVER_BYTES: usize = 0x90;

impl TriageDump {
    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.header();
        let triage = out.len();
        out.zeros(TRIAGE_BYTES);

        let stack = out.offset();
        out.raw(&self.stack).align(8);
        let unloaded = out.offset();
        self.unloaded_drivers(&mut out);
        let drivers = out.offset();
        let pool = self.drivers(&mut out);
        let pool_end = out.offset();
        out.align(16);
        let valid = out.offset();
        out.raw(b"TRGD");

        // TRIAGE_DUMP64, 32-bit fields; all offsets count from the start of the file.
        let fields = [
            (0x04, out.offset()),
            (0x08, valid),
            (0x0C, count32(CONTEXT_OFFSET)),
            (0x10, count32(EXCEPTION_OFFSET)),
            (0x18, unloaded),
            (0x28, stack),
            (0x2C, count32(self.stack.len())),
            (0x30, drivers),
            (0x34, count32(self.drivers.len())),
            (0x38, pool),
            (0x3C, pool_end - pool),
        ];
        for (offset, value) in fields {
            out.patch_u32(triage + offset, value);
        }
        // The call stack's address.
        out.patch_u64(triage + 0x48, self.context.rsp);
        out.into_bytes()
    }

    /// The header of every 64-bit kernel dump. What is not set holds the text "PAGE" over and over.
    fn header(&self) -> ByteWriter {
        const AMD64: u32 = 0x8664;
        const FREE_BUILD: u32 = 0xF;
        const TRIAGE: u32 = 4;
        /// Context, exception, call stack and driver list are present.
        const PRESENT: u32 = 0x1 | 0x2 | 0x20 | 0x40;
        let mut out = ByteWriter::new();
        out.raw(&b"PAGE".repeat(HEADER_BYTES / 4));
        out.patch(4, b"DU64");
        out.patch_u32(0x08, FREE_BUILD);
        out.patch_u32(0x0C, self.build);
        let kernel = self.drivers.first().map_or(0, |driver| driver.base);
        // Page table, page frame database, and lists that lie in the kernel's image.
        for (offset, value) in [
            (0x10, 0x001A_D000),
            (0x18, 0xFFFF_D480_0000_0000),
            (0x20, kernel + 0x00C2_A3F0),
            (0x28, kernel + 0x00C1_E0C0),
            (0x80, kernel + 0x00C0_0B20),
        ] {
            out.patch_u64(offset, value);
        }
        out.patch_u32(0x30, AMD64);
        out.patch_u32(0x34, self.processors);
        out.patch_u32(0x38, self.code);
        for (index, parameter) in self.parameters.iter().enumerate() {
            out.patch_u64(0x40 + index * 8, *parameter);
        }
        out.patch(CONTEXT_OFFSET, &self.context.to_bytes());
        out.patch(EXCEPTION_OFFSET, &self.exception_record());
        out.patch_u32(0xF98, TRIAGE);
        out.patch_u64(0xFA0, 0x0004_0000);
        out.patch_u64(0xFA8, self.time.0);
        // No comment.
        out.patch(0xFB0, &[0; 128]);
        out.patch_u64(0x1030, self.uptime_seconds * 10_000_000);
        out.patch_u32(0x1038, PRESENT);
        // No secondary data; a workstation; the suite of client editions; written without error.
        for (offset, value) in [(0x103C, 0), (0x1040, 1), (0x1044, 0x110), (0x1048, 0)] {
            out.patch_u32(offset, value);
        }
        out
    }

    /// The exception record of a stop that no exception preceded: a breakpoint at the instruction pointer.
    fn exception_record(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.u32(0x8000_0003).u32(0).u64(0).u64(self.context.rip).zeros_to(152);
        out.into_bytes()
    }

    /// A count, then 56 bytes a driver: a counted string, twelve characters of the name, start and end.
    fn unloaded_drivers(&self, out: &mut ByteWriter) {
        out.u64(self.unloaded.len() as u64);
        for driver in &self.unloaded {
            let length = count16(driver.name.encode_utf16().take(12).count() * 2);
            out.u16(length).u16(length).u32(0).u64(0);
            let end = out.len() + 24;
            for unit in driver.name.encode_utf16().take(12) {
                out.u16(unit);
            }
            out.zeros_to(end).u64(driver.base).u64(driver.base + u64::from(driver.size));
        }
    }

    /// The entries of the loaded drivers, then the pool of their names. Returns where the pool begins.
    fn drivers(&self, out: &mut ByteWriter) -> u32 {
        let start = out.len();
        out.zeros(self.drivers.len() * DRIVER_BYTES);
        let pool = out.offset();
        for (index, driver) in self.drivers.iter().enumerate() {
            let entry = start + index * DRIVER_BYTES;
            let units = driver.name.encode_utf16().count();
            let hash = stable_hash(driver.name.as_bytes());
            out.patch_u32(entry, out.offset());
            // The kernel's own entry of the loader list begins at 8.
            out.patch_u64(entry + 0x38, driver.base);
            out.patch_u64(entry + 0x40, driver.base + u64::from(driver.size) / 2);
            out.patch_u32(entry + 0x48, driver.size);
            out.patch_u16(entry + 0x60, count16(units * 2));
            out.patch_u16(entry + 0x62, count16(units * 2 + 2));
            out.patch_u32(entry + 0x70, 0x0900_4000);
            out.patch_u32(entry + 0x80, driver.size + (hash & 0xFFFF) as u32);
            out.patch_u32(entry + 0x88, (hash >> 32) as u32);
            // A pool string: length in units, text, terminator, filled up to eight bytes.
            out.u32(count32(units)).utf16(&driver.name).u16(0).align(8);
        }
        pool
    }
}
