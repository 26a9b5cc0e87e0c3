//! `--symbols`: files for walking stacks, beside those in the dumps.

use std::path::PathBuf;
use std::sync::Arc;

use super::Exit;
use super::stream::{note, usage};
use crash_dump::{Symbols, SymbolsError};
use untrusted::{reason, sanitise};

/// The most files that are named; further ones are counted.
const MOST_NOTES: usize = 20;

/// Opens files and folders, if there are any.
pub fn open(paths: &[PathBuf]) -> Result<Option<Arc<Symbols>>, Exit> {
    if paths.is_empty() {
        return Ok(None);
    }
    Symbols::open(paths)
        .map(|symbols| Some(Arc::new(symbols)))
        .map_err(|SymbolsError { path, error }| usage(format!("--symbols {}: {}", path.display(), reason(&error))))
}

/// Notes which files could not be used.
pub fn print_notes(symbols: Option<&Symbols>) {
    let notes = symbols.map(Symbols::notes).unwrap_or_default();
    notes.iter().take(MOST_NOTES).for_each(|text| note(&sanitise(text)));
    let more = notes.len().saturating_sub(MOST_NOTES);
    if more > 0 {
        note(&format!("--symbols: {more} more files were not used"));
    }
}
