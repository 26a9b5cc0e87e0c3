//! The file of a log: where its chunks are, and reading a part of it.

use std::fs::File;
use std::io;
#[cfg(not(any(unix, windows)))]
use std::io::{Read, Seek};

use super::chunk::CHUNK_BYTES;
use super::file_header::HEADER_BYTES;

/// Number of places for chunks in a log of `bytes` bytes, with the last one if the file ends inside it.
pub(crate) fn places(bytes: u64) -> u64 {
    bytes.saturating_sub(HEADER_BYTES as u64).div_ceil(CHUNK_BYTES as u64)
}

/// Offset of chunk `number` in the file, bytes.
pub(crate) fn chunk_offset(number: u64) -> u64 {
    number.saturating_mul(CHUNK_BYTES as u64).saturating_add(HEADER_BYTES as u64)
}

/// Reads from `offset` on until `buffer` is full or the file ends; returns how many bytes were read.
pub(crate) fn fill_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0_usize;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled = filled.saturating_add(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// WebAssembly has no reading at a place, and one thread: no other moves the file's position between the two calls.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek(io::SeekFrom::Start(offset))?;
    file.read(buffer)
}
