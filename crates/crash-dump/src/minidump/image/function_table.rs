//! The table of functions (`.pdata`): `RUNTIME_FUNCTION`s of 12 bytes in ascending order.
//!
//! Source: "x64 exception handling" of Microsoft's documentation.

use super::header::Table;
use untrusted::bytes::u32_at;

/// Length of a `RUNTIME_FUNCTION`, bytes.
pub const ENTRY_SIZE: u32 = 12;
/// So many entries are read at once; in larger tables they are found by halving.
const BLOCK: u32 = 256;

/// An entry of the table. All values are offsets in the loaded image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// First byte.
    pub begin: u32,
    /// First byte behind it.
    pub end: u32,
    /// Its `UNWIND_INFO`.
    pub unwind_info: u32,
}

impl Function {
    /// The function that an entry of the table describes.
    pub fn read(entry: &[u8]) -> Option<Self> {
        Some(Self { begin: u32_at(entry, 0)?, end: u32_at(entry, 4)?, unwind_info: u32_at(entry, 8)? })
    }

    /// Whether an offset lies in it.
    pub fn holds(&self, offset: u32) -> bool {
        (self.begin..self.end).contains(&offset)
    }
}

/// What a table of functions shows for an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// A function holds it.
    Function(Function),
    /// No entry holds it: data, or a function that neither calls others nor changes the stack pointer (a leaf).
    NoEntry,
    /// The image has no table, or it is not at hand.
    Unknown,
}

/// Finds the entry that holds `offset`; `None` when the table is not at hand. Reads a handful of entries, whatever the
/// table's size.
pub fn find(table: Table, offset: u32, mut fill: impl FnMut(u32, &mut [u8]) -> Option<()>) -> Option<Lookup> {
    let count = table.size.checked_div(ENTRY_SIZE)?;
    if table.at == 0 || count == 0 {
        return None;
    }
    let at = |index: u32| table.at.checked_add(index.checked_mul(ENTRY_SIZE)?);
    // The entry looked for, if there is one, is in first..end.
    let (mut first, mut end) = (0_u32, count);
    while end.saturating_sub(first) > BLOCK {
        let middle = first.midpoint(end);
        let mut entry = [0; ENTRY_SIZE as usize];
        fill(at(middle)?, &mut entry)?;
        if Function::read(&entry)?.begin <= offset {
            first = middle;
        } else {
            end = middle;
        }
    }
    let mut block = vec![0; end.checked_sub(first)?.checked_mul(ENTRY_SIZE)? as usize];
    fill(at(first)?, &mut block)?;
    let found = block
        .chunks_exact(ENTRY_SIZE as usize)
        .filter_map(Function::read)
        .take_while(|function| function.begin <= offset)
        .last()
        .filter(|function| function.holds(offset));
    Some(found.map_or(Lookup::NoEntry, Lookup::Function))
}
