//! Cabinets (`.cab`) of Windows.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cab::Cabinet;

use super::unpacking::{Unpacking, words};
use crate::read_error::ReadError;
use untrusted::Unreadable;

/// The most bytes that a block of a cabinet's folder unpacks to.
const BLOCK: u64 = 32 << 10;
/// The most bytes that are unpacked to reach the beginnings of members: each is searched from the start of its folder.
const MOST_PASSED_OVER: u64 = 64 << 30;

pub(super) fn members(file: &mut File, unpacking: &mut Unpacking<'_, '_>) -> Result<(), Unreadable> {
    let mut cabinet = Cabinet::new(BufReader::new(file)).map_err(|error| Unreadable::whole(words(&error)))?;
    let directory: Vec<(String, u64, u64)> = cabinet
        .folder_entries()
        .flat_map(|folder| {
            let folder_bytes = u64::from(folder.num_data_blocks()).saturating_mul(BLOCK);
            folder
                .file_entries()
                .map(move |file| (file.name().to_owned(), u64::from(file.uncompressed_size()), folder_bytes))
        })
        .collect();
    let mut passed_over = 0_u64;
    let mut seen = HashSet::new();
    for (stored, bytes, folder_bytes) in directory {
        if !unpacking.takes_member() {
            break;
        }
        passed_over = passed_over.saturating_add(folder_bytes);
        if passed_over > MOST_PASSED_OVER {
            unpacking.lose("members", ReadError::TooSlow.to_string());
            break;
        }
        let name = unpacking.names.unique(&stored);
        // The crate finds members by their names.
        if !seen.insert(stored.clone()) {
            unpacking.lose(name, ReadError::SameName.to_string());
            continue;
        }
        let from = &mut cabinet;
        match caught(move || from.read_file(&stored)) {
            Ok(content) => unpacking.give(name, Some(bytes), Caught(content)),
            Err(error) => unpacking.lose(name, words(&error)),
        }
    }
    Ok(())
}

/// The result of reading. The crate panics on damaged cabinets; a panic becomes an error of one member.
fn caught<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(ReadError::DamagedCabinet.into()))
}

/// Content whose reader may panic.
struct Caught<R>(R);

impl<R: Read> Read for Caught<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        caught(|| self.0.read(buffer))
    }
}
