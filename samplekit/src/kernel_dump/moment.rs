//! What dumps hold of the moment of the stop: process, processor, and the secondary data.

use crate::FileTime;
use crate::bytes::{ByteWriter, count16, count32};
use crate::guid::Guid;

/// Lengths of the kernel's descriptions of a process and of a processor, and where they hold their fields: those of Windows
/// 10 19041.
const PROCESS: usize = 0xA40;
const PROCESS_ID: usize = 0x440;
const PROCESS_PARENT: usize = 0x540;
const PROCESS_NAME: usize = 0x5A8;
const PROCESSOR: usize = 0xAF00;
const PROCESSOR_NUMBER: usize = 0x24;
const PROCESSOR_KIND: usize = 0x40;
const PROCESSOR_MHZ: usize = 0x44;
const PROCESSOR_VENDOR: usize = 0x8590;
const PROCESSOR_MICROCODE: usize = 0x85A8;

/// Process and processor of a stop.
#[derive(Debug, Clone)]
pub struct Moment {
    /// The process's file name.
    pub process: String,
    /// Its id.
    pub process_id: u32,
    /// The processor.
    pub processor: ProcessorImage,
}

/// A processor.
#[derive(Debug, Clone)]
pub struct ProcessorImage {
    /// Its maker's name by CPUID.
    pub vendor: &'static str,
    /// Family, model and stepping.
    pub kind: (u8, u8, u8),
    /// MHz.
    pub megahertz: u32,
    /// The register with the revision of the microcode.
    pub microcode: u64,
    /// Its number.
    pub number: u16,
}

impl Moment {
    /// The kernel's description of the process.
    #[must_use]
    pub fn process(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.u8(3).zeros_to(PROCESS_ID).u64(u64::from(self.process_id));
        // The links of the list of processes.
        out.u64(0xFFFF_C08B_DCF0_F488).u64(0xFFFF_F804_7C61_E200).zeros_to(PROCESS_PARENT).u64(0x2E4);
        let name: Vec<u8> = self.process.bytes().take(14).collect();
        out.zeros_to(PROCESS_NAME).raw(&name).zeros_to(PROCESS);
        out.into_bytes()
    }

    /// The kernel's description of the processor.
    #[must_use]
    pub fn processor(&self) -> Vec<u8> {
        let processor = &self.processor;
        let (family, model, stepping) = processor.kind;
        let mut out = ByteWriter::new();
        out.zeros_to(PROCESSOR_NUMBER).u16(processor.number).zeros_to(PROCESSOR_KIND);
        out.raw(&[family, 1, stepping, model]).zeros_to(PROCESSOR_MHZ).u32(processor.megahertz);
        out.zeros_to(PROCESSOR_VENDOR).raw(processor.vendor.as_bytes()).zeros_to(PROCESSOR_MICROCODE);
        out.u64(processor.microcode).zeros_to(PROCESSOR);
        out.into_bytes()
    }
}

/// The debugger's data block, with the offsets and lengths above.
#[must_use]
pub fn debugger_data() -> Vec<u8> {
    let mut out = ByteWriter::new();
    out.zeros(0x10).raw(b"KDBG").u32(0x380).zeros_to(0x380);
    for (offset, value) in [
        (0x29E, 0x28),
        (0x2A0, 0xB8),
        (0x2A8, PROCESS),
        (0x2AC, PROCESS_PARENT),
        (0x2B0, PROCESSOR),
        (0x2B4, 8),
        (0x2B6, PROCESSOR_MHZ),
        (0x2B8, PROCESSOR_KIND),
        (0x2BA, PROCESSOR_VENDOR),
        (0x2BE, PROCESSOR_NUMBER),
    ] {
        out.patch_u16(offset, count16(value));
    }
    out.into_bytes()
}

/// The secondary data of a dump: a header, and each block with its own.
pub(super) fn secondary_data(build: u32, blocks: &[(Guid, Vec<u8>)], out: &mut ByteWriter) {
    out.raw(b"DumpBlob").u32(0x10).u32(0xF000_0000 | build);
    for (tag, data) in blocks {
        let filled = data.len().next_multiple_of(8) - data.len();
        out.u32(0x20).raw(&tag.0).u32(count32(data.len())).u32(0).u32(count32(filled));
        out.raw(data).zeros(filled);
    }
}

/// The block of what a processor with this name answers to CPUID.
#[must_use]
pub fn cpuid(name: &str) -> (Guid, Vec<u8>) {
    let mut name = name.as_bytes().to_vec();
    name.resize(48, 0);
    let mut out = ByteWriter::new();
    for (function, text) in (0x8000_0002_u32..).zip(name.chunks(16)) {
        out.u32(0).u32(function).raw(text).raw(text);
    }
    (Guid::new(0xD03D_C06F, 0xD88E, 0x44C5, 0xBA2A, 0xFAE0_3517_2D19), out.into_bytes())
}

/// The data of the block with saved sessions: one, `EventLog-System`, with these events in one buffer. An event is its
/// provider, of whose name the identifier is made, its id, its level, and when it was logged: seconds after 2024-08-09
/// 03:17:00. `behind_name` bytes are left behind the session's name.
#[must_use]
pub fn saved_events(events: &[(&str, u16, u8, u64)], behind_name: usize) -> Vec<u8> {
    const BUFFER: u32 = 0x1_0000;
    const SESSION_ID: u16 = 10;
    let start = FileTime::utc(2024, 8, 9, 3, 17, 0).0;
    let mut list = ByteWriter::new();
    for (provider, id, level, seconds) in events {
        let begin = list.len();
        list.u16(0x50).raw(&[0x13, 0xC0]).u32(0).u32(8).u32(4).u64(start + seconds * 10_000_000);
        list.raw(&Guid::made_up(provider).0).u16(*id).raw(&[0, 8, *level, 0]).zeros_to(begin + 0x50);
    }
    let list = list.into_bytes();
    let name = "EventLog-System";
    let mut out = ByteWriter::new();
    // The clock interrupt, build, MHz; start of the system; frequency of the performance counter.
    out.u32(156_250).u32(0xF000_4A61).u32(3600).u32(0).u64(start).u64(10_000_000);
    out.u32(0x01EB_AFE1).u32(u32::from(SESSION_ID)).u32(0x9880_0180).u32(2).u32(BUFFER);
    out.u32(count32(name.len() * 2)).u64(start).u64(start).u64(start).utf16(name).zeros(behind_name);
    let begin = out.len();
    let used = count32(0x48 + list.len());
    out.u32(BUFFER).u32(0).u32(used).zeros_to(begin + 0x2A).u16(SESSION_ID).u32(1).u32(used).zeros_to(begin + 0x48);
    out.raw(&list);
    out.into_bytes()
}
