//! The header of every kernel dump. Unset fields contain the text "PAGE" repeatedly.

use super::Stop;
use crate::bytes::ByteWriter;

/// Length of the header of a 64-bit system.
pub const WIDE_BYTES: usize = 0x2000;
/// Length of the header of a 32-bit system.
pub const NARROW_BYTES: usize = 0x1000;
/// Offset of the context, in 64-bit and 32-bit dumps.
pub const CONTEXT: (usize, usize) = (0x348, 0x320);
/// Offset of the exception record, in 64-bit and 32-bit dumps.
pub const EXCEPTION: (usize, usize) = (0xF00, 0x7D0);

const FREE_BUILD: u32 = 0xF;

/// The values that differ between kinds of dumps.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// `DumpType`.
    pub number: u32,
    /// `RequiredDumpSpace`, bytes.
    pub space: u64,
    /// Physical address of the page tables.
    pub page_tables: u64,
    /// Address of the list of loaded drivers.
    pub module_list: u64,
    /// Address of the debugger's data block.
    pub debugger_data: u64,
}

/// The header of a 64-bit system.
pub fn wide(stop: &Stop, kind: Kind) -> ByteWriter {
    const AMD64: u32 = 0x8664;
    /// Context, exception, call stack and driver list are present.
    const PRESENT: u32 = 0x1 | 0x2 | 0x20 | 0x40;
    let mut out = ByteWriter::new();
    out.raw(&b"PAGE".repeat(WIDE_BYTES / 4));
    out.patch(4, b"DU64");
    out.patch_u32(0x08, FREE_BUILD);
    out.patch_u32(0x0C, stop.build);
    // Page table, page frame database, and lists in the kernel's image.
    for (offset, value) in [
        (0x10, kind.page_tables),
        (0x18, 0xFFFF_D480_0000_0000),
        (0x20, kind.module_list),
        (0x28, kind.module_list - 0xC330),
        (0x80, kind.debugger_data),
    ] {
        out.patch_u64(offset, value);
    }
    out.patch_u32(0x30, AMD64);
    out.patch_u32(0x34, stop.processors);
    out.patch_u32(0x38, stop.code);
    for (index, parameter) in stop.parameters.iter().enumerate() {
        out.patch_u64(0x40 + index * 8, *parameter);
    }
    out.patch(CONTEXT.0, &stop.context.to_bytes());
    // A blue screen without a preceding exception: a breakpoint at the instruction pointer.
    let mut exception = ByteWriter::new();
    exception.u32(0x8000_0003).u32(0).u64(0).u64(stop.context.rip).zeros_to(152);
    out.patch(EXCEPTION.0, &exception.into_bytes());
    out.patch_u32(0xF98, kind.number);
    out.patch_u64(0xFA0, kind.space);
    out.patch_u64(0xFA8, stop.time.0);
    comment(stop, 0xFB0, &mut out);
    out.patch_u64(0x1030, stop.uptime_seconds * 10_000_000);
    out.patch_u32(0x1038, PRESENT);
    // A workstation, the suite of client editions, written without error; no secondary data.
    for (offset, value) in [(0x1040, 1), (0x1044, 0x110), (0x1048, 0)] {
        out.patch_u32(offset, value);
    }
    out.patch(0x104D, &[0]);
    out
}

/// The header of a 32-bit system. Addresses are cut to 32 bits.
pub fn narrow(stop: &Stop, kind: Kind) -> ByteWriter {
    const I386: u32 = 0x14C;
    let mut out = ByteWriter::new();
    out.raw(&b"PAGE".repeat(NARROW_BYTES / 4));
    out.patch(4, b"DUMP");
    let parameters = stop.parameters.map(|parameter| parameter as u32);
    for (offset, value) in [
        (0x08, FREE_BUILD),
        (0x0C, stop.build),
        (0x10, kind.page_tables as u32),
        (0x14, 0x8400_0000),
        (0x18, kind.module_list as u32),
        (0x1C, kind.module_list as u32 - 0x5E60),
        (0x20, I386),
        (0x24, stop.processors),
        (0x28, stop.code),
        (0x2C, parameters[0]),
        (0x30, parameters[1]),
        (0x34, parameters[2]),
        (0x38, parameters[3]),
        (0x60, kind.debugger_data as u32),
        (0xF88, kind.number),
    ] {
        out.patch_u32(offset, value);
    }
    // CONTEXT_FULL of x86; Eip at 0xB8 and Esp at 0xC4.
    let mut context = ByteWriter::new();
    context.u32(0x0001_0007).zeros_to(0xB8).u32(stop.context.rip as u32).zeros_to(0xC4).u32(stop.context.rsp as u32);
    context.zeros_to(1200);
    out.patch(CONTEXT.1, &context.into_bytes());
    let mut exception = ByteWriter::new();
    exception.u32(0x8000_0003).u32(0).u32(0).u32(stop.context.rip as u32).zeros_to(80);
    out.patch(EXCEPTION.1, &exception.into_bytes());
    comment(stop, 0x820, &mut out);
    out.patch_u64(0xFA0, kind.space);
    out.patch_u64(0xFB8, stop.uptime_seconds * 10_000_000);
    out.patch_u64(0xFC0, stop.time.0);
    out
}

fn comment(stop: &Stop, offset: usize, out: &mut ByteWriter) {
    if let Some(comment) = &stop.comment {
        assert!(comment.len() < 128, "the header has room for 127 characters");
        let mut bytes = comment.as_bytes().to_vec();
        bytes.resize(128, 0);
        out.patch(offset, &bytes);
    }
}
