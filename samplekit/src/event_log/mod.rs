//! Writes event logs (`.evtx`).
//!
//! A log is a 4 KiB file header and chunks of 64 KiB. Every chunk is self-contained: it has its own tables of names and of
//! templates, and each record in it is binary XML that instantiates a template of that chunk. The first record that
//! needs a name or a template carries it; later ones point back to it.
//!
//! The layout was taken from the public description of the format by the libevtx project and compared with logs that
//! Windows 10 and 11 wrote. What is written here is what Windows' event log service writes for a log that was closed
//! or exported: checksums right, no "dirty" flag, file format 3.2.

mod chunk;
mod event;
pub mod patch;
mod record;
mod template;
mod value;

pub use event::{Body, Element, Event, Provider};
pub use record::{Argument, Content, Instance, Node, Record};
pub use value::{Sid, Value};

use crate::bytes::{ByteWriter, count16};
use chunk::Chunk;

/// Size of the file header, bytes.
pub const FILE_HEADER_BYTES: usize = 4096;
/// Size of a chunk, bytes.
pub const CHUNK_BYTES: usize = 65_536;

/// A log that is being written.
#[derive(Debug, Clone)]
pub struct EventLog {
    channel: String,
    computer: String,
    first_record: u64,
    entries: Vec<Entry>,
}

/// An entry of a log.
#[derive(Debug, Clone)]
enum Entry {
    Event(Event),
    Record(Record),
}

impl EventLog {
    /// An empty log. Events that name no channel or computer of their own get these.
    #[must_use]
    pub fn new(channel: &str, computer: &str) -> Self {
        Self { channel: channel.to_owned(), computer: computer.to_owned(), first_record: 1, entries: Vec::new() }
    }

    /// Sets the record id of the first event; later ones count up from it. A log that Windows has already rolled over
    /// does not begin with 1.
    #[must_use]
    pub fn starting_at(mut self, record_id: u64) -> Self {
        self.first_record = record_id;
        self
    }

    /// Appends an event.
    pub fn add(&mut self, event: Event) -> &mut Self {
        self.entries.push(Entry::Event(event));
        self
    }

    /// Appends a record of any shape.
    pub fn add_record(&mut self, record: Record) -> &mut Self {
        self.entries.push(Entry::Record(record));
        self
    }

    /// How many events and records were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The file.
    ///
    /// # Panics
    ///
    /// When a single event is larger than a chunk.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let chunks = self.chunks();
        let next_record = self.first_record + self.entries.len() as u64;
        let mut file = file_header(chunks.len(), next_record);
        for chunk in chunks {
            file.extend_from_slice(&chunk.finish());
        }
        file
    }

    fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = vec![];
        let mut current = Chunk::new(self.first_record);
        for (record_id, entry) in (self.first_record..).zip(&self.entries) {
            let record = match entry {
                Entry::Event(event) => template::record(record_id, &event.in_log(&self.channel, &self.computer)),
                Entry::Record(record) => record.clone(),
            };
            let mut attempt = current.clone();
            if attempt.add(record_id, &record) {
                current = attempt;
                continue;
            }
            chunks.push(current);
            current = Chunk::new(record_id);
            assert!(current.add(record_id, &record), "record {record_id} is larger than a chunk");
        }
        chunks.push(current);
        chunks
    }
}

/// The file header: 128 bytes with values, the rest of the first 4 KiB is zero.
fn file_header(chunks: usize, next_record: u64) -> Vec<u8> {
    let mut header = ByteWriter::new();
    header.raw(b"ElfFile\0").u64(0).u64(chunks as u64 - 1).u64(next_record);
    // Size of the part that is used, format version 3.2 (minor first), size of the whole header, number of chunks.
    header.u32(128).u16(2).u16(3).u16(4096).u16(count16(chunks));
    header.zeros_to(120);
    let checksum = crc32fast::hash(header.as_slice());
    header.u32(0).u32(checksum).zeros_to(FILE_HEADER_BYTES);
    header.into_bytes()
}
