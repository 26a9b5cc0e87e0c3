//! The symbols of a module, from whichever files were found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use minidump_unwind::SymbolFile;

use super::pdb::Pdb;
use super::source::CodeSource;
use super::sym_file::SymFile;

/// How many places stay known. Stacks of a program lead through the same places again and again.
const MOST_KNOWN: usize = 4096;

/// A module's PDB and `.sym` file; at least one of them.
#[derive(Debug)]
pub struct ModuleSymbols {
    pdb: Option<Pdb>,
    sym: Option<SymFile>,
    /// What is known of offsets that were asked for, by offset and where the function begins.
    known: Mutex<HashMap<Asked, Option<Arc<CodeSource>>>>,
}

/// An offset in the image, and where the function begins that holds it.
type Asked = (u32, Option<u32>);

impl ModuleSymbols {
    pub(super) fn new(pdb: Option<Pdb>, sym: Option<SymFile>) -> Self {
        Self { pdb, sym, known: Mutex::default() }
    }

    /// Symbols that seem to take so many bytes.
    #[cfg(test)]
    pub(super) fn of_size(kept: u64) -> Self {
        let symbols = SymbolFile::from_bytes(b"MODULE windows x86_64 AB1 app.pdb\n").expect("symbols");
        let lines = Arc::new(super::sym_lines::Index::new(std::path::Path::new("")));
        Self::new(None, Some(SymFile { symbols: Arc::new(symbols), lines, kept }))
    }

    /// About how many bytes they take in memory.
    pub(super) fn kept(&self) -> u64 {
        let pdb = self.pdb.as_ref().map_or(0, Pdb::kept);
        pdb.saturating_add(self.sym.as_ref().map_or(0, |sym| sym.kept))
    }

    /// What unwinds frames: the `.sym` file, which has it of all processors, and the PDB, which has it of 32-bit code.
    pub fn unwinding(&self) -> impl Iterator<Item = &Arc<SymbolFile>> {
        let of_pdb = self.pdb.as_ref().and_then(|pdb| pdb.unwinding.as_ref());
        self.sym.as_ref().map(|sym| &sym.symbols).into_iter().chain(of_pdb)
    }

    /// The function at an offset in the image, with its line and what was inlined. `begins` is where the function begins
    /// that holds the offset, if the image shows it.
    pub fn at(&self, offset: u32, begins: Option<u32>) -> Option<Arc<CodeSource>> {
        let key = (offset, begins);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let of_pdb = self.pdb.as_ref().and_then(|pdb| pdb.at(offset, begins));
        let found = of_pdb.or_else(|| self.sym.as_ref()?.at(u64::from(offset))).map(Arc::new);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(key, found.clone());
        found
    }
}

impl SymFile {
    /// The function at an offset in the image. A PUBLIC record has no end: it is taken only where the unwinding
    /// information of the code begins no later than it.
    fn at(&self, offset: u64) -> Option<CodeSource> {
        if let Some(function) = self.symbols.functions.get(offset) {
            return Some(self.lines.at(&function.name, function.address, offset));
        }
        let public = self.symbols.find_nearest_public(offset)?;
        let covered = match self.symbols.cfi_stack_info.get(offset) {
            Some(covered) => covered.init.address,
            None => of_32_bits(&self.symbols, offset)?.0,
        };
        let function = public.name.clone();
        (public.address >= covered).then_some(CodeSource { function, source: None, inlined: Vec::new() })
    }
}

/// How many bytes of arguments the function at an offset in the image takes from the stack.
pub fn parameter_size(symbols: &SymbolFile, offset: u64) -> Option<u32> {
    let of_function = || Some(symbols.functions.get(offset)?.parameter_size);
    of_32_bits(symbols, offset).map(|(_, size)| size).or_else(of_function)
}

/// What PDBs of 32-bit code record of the stack in the code at an offset: where that code begins, and how many bytes of
/// arguments its function takes.
fn of_32_bits(symbols: &SymbolFile, offset: u64) -> Option<(u64, u32)> {
    let infos = [&symbols.win_stack_framedata_info, &symbols.win_stack_fpo_info];
    let info = infos.into_iter().find_map(|infos| infos.get(offset))?;
    Some((info.address, info.parameter_size))
}
