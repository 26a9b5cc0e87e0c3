//! Compressed PDBs: cabinets with one file, whose names end with `_` (`app.pd_`), as symbol servers store them.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cab::Cabinet;

use super::unusable::UnusableFile;

/// Largest file that is unpacked, bytes: it is in memory as a whole.
const LARGEST: u64 = 512 << 20;

/// The name under which a file is stored compressed.
pub(super) fn compressed_name(name: &str) -> Option<String> {
    let mut letters = name.chars();
    letters.next_back()?;
    Some(format!("{}_", letters.as_str()))
}

/// The content of the cabinet's only file.
///
/// # Errors
/// Why the cabinet is not used.
pub(super) fn unpack(file: File) -> Result<Vec<u8>, UnusableFile> {
    // The crate panics on damaged cabinets.
    let unpacked = catch_unwind(AssertUnwindSafe(|| unpacked(file)));
    unpacked.unwrap_or_else(|_| Err(UnusableFile::Unreadable(io::Error::other("a damaged cabinet"))))
}

fn unpacked(file: File) -> Result<Vec<u8>, UnusableFile> {
    let mut cabinet = Cabinet::new(BufReader::new(file))?;
    let entries: Vec<(String, u64)> = cabinet
        .folder_entries()
        .flat_map(|folder| folder.file_entries())
        .map(|entry| (entry.name().to_owned(), u64::from(entry.uncompressed_size())))
        .take(2)
        .collect();
    let [(name, size)] = entries.as_slice() else {
        return Err(UnusableFile::Unreadable(io::Error::other("the cabinet has not one file")));
    };
    if *size > LARGEST {
        return Err(UnusableFile::TooLong { found: *size });
    }
    let mut content = Vec::new();
    cabinet.read_file(name)?.take(LARGEST).read_to_end(&mut content)?;
    Ok(content)
}
