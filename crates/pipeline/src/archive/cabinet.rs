//! Windows' `.cab`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cab::Cabinet;

use super::limits::Limited;
use super::name::Names;
use super::{Allowance, Each, Member, words};
use untrusted::{Loss, Unreadable};

/// The most bytes that a block of a cabinet's folder unpacks to.
const BLOCK: u64 = 32 << 10;
/// How much may be unpacked only to get to where members begin, bytes: each is looked for from the beginning of its folder.
const MOST_PASSED_OVER: u64 = 64 << 30;

pub(super) fn members(
    file: &mut File,
    allowance: &Allowance,
    names: &mut Names,
    each: &mut Each<'_>,
) -> Result<Vec<Loss>, Unreadable> {
    let mut cabinet = Cabinet::new(BufReader::new(file)).map_err(|error| Unreadable::whole(words(&error)))?;
    let listed: Vec<(String, u64, u64)> = cabinet
        .folder_entries()
        .flat_map(|folder| {
            let folder_bytes = u64::from(folder.num_data_blocks()).saturating_mul(BLOCK);
            folder
                .file_entries()
                .map(move |file| (file.name().to_owned(), u64::from(file.uncompressed_size()), folder_bytes))
        })
        .collect();
    let mut losses = Vec::new();
    let mut passed_over = 0_u64;
    let mut seen = HashSet::new();
    for (stored, bytes, folder_bytes) in listed {
        if !allowance.take_member(&mut losses) {
            break;
        }
        passed_over = passed_over.saturating_add(folder_bytes);
        if passed_over > MOST_PASSED_OVER {
            losses.push(Loss::new("members", "the others take too long to unpack; extract it and analyze the folder"));
            break;
        }
        let name = names.of(&stored);
        // Members are found by their names alone.
        if !seen.insert(stored.clone()) {
            losses.push(Loss::new(name, "another member has the same name; extract it and analyze the folder"));
            continue;
        }
        let from = &mut cabinet;
        match caught(move || from.read_file(&stored)) {
            Ok(content) => {
                let content = &mut Limited::new(Caught(content), allowance);
                each(Member { name, bytes: Some(bytes), content });
            }
            Err(error) => losses.push(Loss::new(name, words(&error))),
        }
    }
    Ok(losses)
}

/// What reading gives. A damaged cabinet makes the crate that reads it panic, which costs a member and no other.
fn caught<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(io::Error::other("the cabinet is damaged here")))
}

/// Content that may panic.
struct Caught<R>(R);

impl<R: Read> Read for Caught<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        caught(|| self.0.read(buffer))
    }
}
