//! An image in a file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::header::Header;

/// An opened image, read where it is asked for.
#[derive(Debug)]
pub struct ImageFile {
    file: File,
}

impl ImageFile {
    /// Opens the image at `path`; `None` when it can't be opened or is no file.
    pub fn open(path: &Path) -> Option<Self> {
        opener::open(path).ok().map(|file| Self { file })
    }

    /// Fills `bytes` with what is at an offset in the file.
    pub fn fill(&mut self, offset: u32, bytes: &mut [u8]) -> Option<()> {
        self.file.seek(SeekFrom::Start(u64::from(offset))).ok()?;
        self.file.read_exact(bytes).ok()
    }

    /// Fills `bytes` with what the loader puts at an offset in the image.
    pub fn fill_loaded(&mut self, header: &Header, offset: u32, bytes: &mut [u8]) -> Option<()> {
        let length = u32::try_from(bytes.len()).ok()?;
        if offset.checked_add(length)? <= header.headers_size {
            return self.fill(offset, bytes);
        }
        let (section, into) = header.sections.iter().find_map(|section| {
            let into = offset.checked_sub(section.loaded_at)?;
            (into < section.loaded_size).then_some((section, into))
        })?;
        if into.checked_add(length)? > section.loaded_size {
            return None;
        }
        let stored = section.stored_size.saturating_sub(into).min(length);
        let (stored, zeros) = bytes.split_at_mut_checked(stored as usize)?;
        zeros.fill(0);
        self.fill(section.stored_at.checked_add(into)?, stored)
    }
}
