//! Files for readers that read files: in memory where the system has such a folder, and one for each thread.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder of Linux whose files are in memory.
const IN_MEMORY: &str = "/dev/shm";

thread_local! {
    static FILE: RefCell<File> = RefCell::new(new_file());
    static FOLDER: TempDir = folder();
}

fn new_file() -> File {
    if Path::new(IN_MEMORY).is_dir() { tempfile::tempfile_in(IN_MEMORY) } else { tempfile::tempfile() }.expect("a file")
}

/// A new folder.
pub(crate) fn folder() -> TempDir {
    let builder = tempfile::Builder::new();
    if Path::new(IN_MEMORY).is_dir() { builder.tempdir_in(IN_MEMORY) } else { builder.tempdir() }.expect("a folder")
}

/// Gives a file with this content, and its length, to `read`.
pub(crate) fn with_file<T>(content: &[u8], read: impl FnOnce(&mut File, u64) -> T) -> T {
    FILE.with_borrow_mut(|file| {
        file.set_len(0).expect("an own file");
        file.rewind().expect("an own file");
        file.write_all(content).expect("room");
        file.rewind().expect("an own file");
        read(file, content.len() as u64)
    })
}

/// Writes the content to a file of this name in a folder of the thread.
pub(crate) fn named_file(name: &str, content: &[u8]) -> PathBuf {
    let path = FOLDER.with(|folder| folder.path().join(name));
    fs::write(&path, content).expect("room");
    path
}
