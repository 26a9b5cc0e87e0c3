//! PE images of x86 code, read where an unwinder needs them and never whole: out of the dump's memory, where full
//! dumps have every loaded image, or out of a file.
//!
//! Layout: "PE Format" of Microsoft's documentation.

mod exports;
mod file;
mod function_table;
mod header;
mod unwind_info;

pub use exports::Exports;
pub use file::ImageFile;
pub use function_table::{Function, Lookup};
pub use unwind_info::{LONGEST_CHAIN, Operation, UnwindInfo};

use self::header::Header;
use super::memory::Memory;
use evidence::LoadedModule;

/// How far behind its beginning the functions that call the system return, bytes: 15 on 32-bit Windows 10 (`mov`, `mov`,
/// `call`), 20 on 64-bit Windows (`mov`, `mov`, `test`, `jne`, `syscall`).
const SYSTEM_CALL: u32 = 20;

/// Where an image's bytes are.
#[derive(Debug)]
enum Place {
    /// In the dump, from this address on.
    Memory(u64),
    /// In a file.
    File(ImageFile),
}

/// The image of a loaded module.
#[derive(Debug)]
pub struct Image {
    place: Place,
    header: Header,
    exports: Option<Exports>,
}

impl Image {
    /// The image of `module` as the dump holds it. `None` when its header was not captured or is not that module's.
    pub fn in_memory(module: &LoadedModule, memory: &mut Memory<'_, '_>) -> Option<Self> {
        let base = module.base.0;
        let header = Header::read(|offset, bytes| memory.fill(base.checked_add(u64::from(offset))?, bytes))?;
        header.is_build(module).then_some(Self { place: Place::Memory(base), header, exports: None })
    }

    /// The image of `module` out of a file. `None` when the file is another build of it.
    pub fn in_file(module: &LoadedModule, mut file: ImageFile) -> Option<Self> {
        let header = Header::read(|offset, bytes| file.fill(offset, bytes))?;
        header.is_build(module).then_some(Self { place: Place::File(file), header, exports: None })
    }

    /// Fills `bytes` with what is at an offset in the loaded image; `None` unless all of it is at hand.
    pub fn fill(&mut self, memory: &mut Memory<'_, '_>, offset: u32, bytes: &mut [u8]) -> Option<()> {
        let end = u64::from(offset).checked_add(bytes.len() as u64)?;
        if end > u64::from(self.header.size) {
            return None;
        }
        match &mut self.place {
            Place::Memory(base) => memory.fill(base.checked_add(u64::from(offset))?, bytes),
            Place::File(file) => file.fill_loaded(&self.header, offset, bytes),
        }
    }

    /// The function that holds an offset, by the image's table of functions.
    pub fn function_at(&mut self, memory: &mut Memory<'_, '_>, offset: u32) -> Lookup {
        let table = self.header.functions;
        function_table::find(table, offset, |at, bytes| self.fill(memory, at, bytes)).unwrap_or(Lookup::Unknown)
    }

    /// What a function's prologue did, by the image's tables.
    pub fn unwind_info(&mut self, memory: &mut Memory<'_, '_>, function: Function) -> Option<UnwindInfo> {
        UnwindInfo::read(function, |at, bytes| self.fill(memory, at, bytes))
    }

    /// Where the part of a function begins that holds an offset, and where the function begins that it belongs to. `None`
    /// where no table shows it.
    pub fn function_begins(&mut self, memory: &mut Memory<'_, '_>, offset: u32) -> Option<(u32, u32)> {
        let Lookup::Function(part) = self.function_at(memory, offset) else { return None };
        let mut whole = part;
        for _ in 0..LONGEST_CHAIN {
            match self.unwind_info(memory, whole)?.chained {
                Some(next) => whole = next,
                None => break,
            }
        }
        Some((part.begin, whole.begin))
    }

    /// The name under which the function that holds an offset is exported.
    ///
    /// Compilers move rarely used parts of a function elsewhere; such a part's entry names the function that it belongs
    /// to. An export further up than the function's entry begins is another function's name. Where no entry shows the
    /// function's beginning, only the first instructions of it are surely its own.
    pub fn export_at(&mut self, memory: &mut Memory<'_, '_>, offset: u32) -> Option<String> {
        let (first, last) = match self.function_begins(memory, offset) {
            // Of a part that lies elsewhere only the beginning of its function is surely the same function.
            Some((part, whole)) => (whole, if part == whole { offset } else { whole }),
            None if matches!(self.function_at(memory, offset), Lookup::Function(_)) => return None,
            None => (offset.saturating_sub(SYSTEM_CALL), offset),
        };
        if self.exports.is_none() {
            let table = self.header.exports;
            self.exports = Some(Exports::read(table, |at, bytes| self.fill(memory, at, bytes)).unwrap_or_default());
        }
        let exports = self.exports.take()?;
        let found = exports.nearest(first, last);
        let name = found.and_then(|index| exports.name(index, |at, bytes| self.fill(memory, at, bytes)));
        self.exports = Some(exports);
        name
    }
}
