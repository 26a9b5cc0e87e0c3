//! Files of xz (`.xz`).

use std::io::{self, Read};

use lzma_rust2::XzReader;

use super::dictionary;
use crate::read_error::ReadError;

/// What unpacking needs beside its dictionary, KiB.
const BESIDE: u32 = 1 << 10;

/// The content of the streams of a file, one after the other.
pub(super) struct Streams<R: Read>(XzReader<R>);

impl<R: Read> Streams<R> {
    pub(super) fn new(file: R) -> Self {
        Self(XzReader::new_mem_limit(file, true, (dictionary::MOST >> 10).saturating_add(BESIDE)))
    }
}

impl<R: Read> Read for Streams<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => ReadError::NeedsMemory.into(),
            _ => error,
        })
    }
}
