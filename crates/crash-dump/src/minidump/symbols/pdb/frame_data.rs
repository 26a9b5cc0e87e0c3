//! How frames of 32-bit code are unwound, in the form of a `.sym` file, whose reader knows how to use it.
//!
//! Layout: `FRAMEDATA` and `FPO_DATA` of Microsoft's `cvinfo.h` and `winnt.h`, `STACK WIN` of "Breakpad Symbol Files".

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use minidump_unwind::SymbolFile;
use untrusted::bytes::{u16_at, u32_at};

use super::container::Container;
use super::debug_info::DebugInfo;

/// Largest table that is read, bytes.
const LARGEST: u32 = 32 << 20;
/// Longest program that is read, bytes.
const LONGEST: u32 = 4 << 10;
/// Longest text of all records, bytes: an entry of 32 bytes makes some 100.
const LONGEST_TEXT: usize = 128 << 20;
/// Lengths of the entries, bytes.
const ENTRY: usize = 32;
const OLD_ENTRY: usize = 16;

/// The records of all functions, as a `.sym` file has them, and about how many bytes they take in memory. `None` where there are none, as in files of 64-bit code, and
/// where code was moved after the records were made.
pub fn read(container: &mut Container, info: &DebugInfo) -> Option<(Arc<SymbolFile>, u64)> {
    if info.map.is_moved() {
        return None;
    }
    let mut table =
        |stream: Option<u32>| stream.and_then(|stream| container.whole(stream, LARGEST)).unwrap_or_default();
    let (present, old) = (table(info.frame_data), table(info.old_frame_data));
    let mut text = String::from("MODULE windows x86 0 0\n");
    let begins = text.len();
    let mut programs = HashMap::new();
    // The linker copies the table of object files, which begins with a number of 4 bytes, or has it left out.
    let first = present.len().checked_rem(ENTRY)?;
    for entry in present.get(first..)?.chunks_exact(ENTRY) {
        frame(container, info.texts, entry, &mut programs, &mut text)?;
        if text.len() > LONGEST_TEXT {
            return None;
        }
    }
    for entry in old.chunks_exact(OLD_ENTRY) {
        old_frame(entry, &mut text)?;
    }
    // What the records take is about as much as their text.
    let symbols = if text.len() > begins { SymbolFile::from_bytes(text.as_bytes()).ok()? } else { return None };
    Some((Arc::new(symbols), text.len() as u64))
}

fn frame(
    container: &mut Container,
    texts: Option<u32>,
    entry: &[u8],
    programs: &mut HashMap<u32, Option<String>>,
    text: &mut String,
) -> Option<()> {
    let number = |at: usize| u32_at(entry, at);
    let program = number(20)?;
    let known = programs.entry(program).or_insert_with(|| {
        // Behind the header of the table of texts, 12 bytes.
        let program = container.text(texts?, program.checked_add(12)?, LONGEST)?;
        (!program.is_empty() && !program.contains(['\n', '\r'])).then_some(program)
    });
    let Some(program) = known else { return Some(()) };
    writeln!(
        text,
        "STACK WIN 4 {:x} {:x} {:x} 0 {:x} {:x} {:x} {:x} 1 {program}",
        number(0)?,
        number(4)?,
        u16_at(entry, 24)?,
        number(12)?,
        u16_at(entry, 26)?,
        number(8)?,
        number(16)?
    )
    .ok()
}

fn old_frame(entry: &[u8], text: &mut String) -> Option<()> {
    let bits = u16_at(entry, 14)?;
    let saved = u32::from((bits >> 8) & 7).checked_mul(4)?;
    let base = u8::from(bits & 0x1000 != 0);
    writeln!(
        text,
        "STACK WIN 0 {:x} {:x} {:x} 0 {:x} {:x} {:x} 0 0 {base}",
        u32_at(entry, 0)?,
        u32_at(entry, 4)?,
        bits & 0xFF,
        u32::from(u16_at(entry, 12)?).checked_mul(4)?,
        saved,
        u32_at(entry, 8)?.saturating_mul(4)
    )
    .ok()
}
