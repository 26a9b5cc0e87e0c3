//! The names that an image exports.
//!
//! Layout: "The .edata section" of the PE format.

use super::header::Table;
use untrusted::bytes::{u16_at, u32_at};

/// Most exports that are read: ordinals have 16 bits.
const MOST: u32 = 1 << 16;
/// Longest name that is read, bytes. Names of C++ functions can be long.
const LONGEST_NAME: usize = 1024;

/// The export directory: where functions begin, and where their names are.
#[derive(Debug, Default)]
pub struct Exports {
    /// Beginning of a function and its index, ascending.
    functions: Vec<(u32, u32)>,
    /// Where the table of names is, and how many there are.
    names_at: u32,
    names: u32,
    /// Where the table is that gives the function's index for each name.
    indices_at: u32,
}

impl Exports {
    /// Reads the directory at `table`; the names stay where they are.
    pub fn read(table: Table, mut fill: impl FnMut(u32, &mut [u8]) -> Option<()>) -> Option<Self> {
        if table.at == 0 || table.size < 40 {
            return None;
        }
        let mut directory = [0; 40];
        fill(table.at, &mut directory)?;
        let field = |at| u32_at(&directory, at);
        let (count, names) = (field(20)?.min(MOST), field(24)?.min(MOST));
        let mut addresses = vec![0; count.checked_mul(4)? as usize];
        fill(field(28)?, &mut addresses)?;
        // An address within the directory is no function but the name of one in another image.
        let directory_range = table.at..table.at.saturating_add(table.size);
        let addresses = addresses.chunks_exact(4).filter_map(|address| u32_at(address, 0));
        let mut functions: Vec<(u32, u32)> =
            addresses.zip(0_u32..).filter(|(address, _)| *address != 0 && !directory_range.contains(address)).collect();
        functions.sort_unstable();
        Some(Self { functions, names_at: field(32)?, names, indices_at: field(36)? })
    }

    /// The index of the last function that begins at `first` or behind it, and not behind `last`.
    pub fn nearest(&self, first: u32, last: u32) -> Option<u32> {
        let after = self.functions.partition_point(|(begin, _)| *begin <= last);
        let (begin, _) = *self.functions.get(after.checked_sub(1)?)?;
        // Of several exports of one function the one with the lowest index is taken.
        let same = self.functions.partition_point(|(other, _)| *other < begin);
        (begin >= first).then(|| self.functions.get(same).map(|(_, index)| *index)).flatten()
    }

    /// The name of the function with an index.
    pub fn name(&self, index: u32, mut fill: impl FnMut(u32, &mut [u8]) -> Option<()>) -> Option<String> {
        let mut indices = vec![0; self.names.checked_mul(2)? as usize];
        fill(self.indices_at, &mut indices)?;
        let position = indices.chunks_exact(2).position(|entry| u16_at(entry, 0).map(u32::from) == Some(index))?;
        let mut pointer = [0; 4];
        let pointer_at = u32::try_from(position).ok()?.checked_mul(4)?;
        fill(self.names_at.checked_add(pointer_at)?, &mut pointer)?;
        text(u32_at(&pointer, 0)?, fill)
    }
}

/// A NUL-terminated name; `None` when it is too long or not plain.
fn text(at: u32, mut fill: impl FnMut(u32, &mut [u8]) -> Option<()>) -> Option<String> {
    let mut name = Vec::new();
    loop {
        let mut piece = [0; 16];
        let piece_at = at.checked_add(u32::try_from(name.len()).ok()?)?;
        // The last piece may reach beyond what is at hand; then byte by byte.
        if fill(piece_at, &mut piece).is_some() {
            let end = piece.iter().position(|byte| *byte == 0);
            name.extend_from_slice(piece.get(..end.unwrap_or(piece.len()))?);
            if end.is_some() {
                break;
            }
        } else {
            let mut byte = [0; 1];
            fill(piece_at, &mut byte)?;
            if byte == [0] {
                break;
            }
            name.extend_from_slice(&byte);
        }
        if name.len() > LONGEST_NAME {
            return None;
        }
    }
    let name = String::from_utf8(name).ok()?;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_graphic())).then_some(name)
}
