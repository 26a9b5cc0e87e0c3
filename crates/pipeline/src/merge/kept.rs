//! An artifact's evidence as bytes, and back: Postcard's encoding behind its hash (XXH3, 64 bits, little endian). The hash
//! detects damage that would become false evidence. In the text of a report these bytes are compressed (deflate), in Base64; an
//! empty text is evidence that was too large, unlike no text, which is no evidence.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use data_encoding::BASE64;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use indexmap::IndexSet;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::MergeError;
use crate::read::ReadArtifact;
use evidence::{Event, EventContent, Evidence, LogCoverage, Observation, Place};

/// The most bytes of an artifact's unpacked evidence with its hash: some 400 000 events. Deflate can unpack to a thousand
/// times the size in the report.
const MOST_UNPACKED: u64 = 128 << 20;

/// The most bytes of memory for the evidence of all artifacts of a run, as [`memory_of`] estimates them.
const MOST_MEMORY: u64 = 4 << 30;

/// The bytes of the hash.
const HASH: usize = 8;

/// How a text is no evidence as it was written.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// It is not Base64.
    #[error(transparent)]
    Base64(#[from] data_encoding::DecodeError),
    /// It can't be decompressed.
    #[error(transparent)]
    Deflate(#[from] io::Error),
    /// It ends within its hash.
    #[error("it is too short")]
    TooShort,
    /// Its content was changed.
    #[error("its hash is another")]
    OtherHash,
    /// Its content is not evidence.
    #[error(transparent)]
    Postcard(#[from] postcard::Error),
    /// Bytes are left behind the evidence.
    #[error("something follows it")]
    Followed,
    /// An event names a content or a computer that is not there.
    #[error("an event lacks its content")]
    Index,
}

/// The memory that a run may still use for unpacked evidence, shared by all artifacts.
#[derive(Debug)]
pub struct Budget(AtomicU64);

impl Default for Budget {
    fn default() -> Self {
        Self(AtomicU64::new(MOST_MEMORY))
    }
}

impl Budget {
    /// Takes the memory for the evidence that is encoded in `bytes`.
    fn take(&self, bytes: &[u8]) -> Result<(), MergeError> {
        let wanted = memory_of(bytes);
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(wanted));
        left.map(drop).map_err(|_| MergeError::TooMuchMemory { gib: MOST_MEMORY >> 30 })
    }
}

/// The most memory that evidence takes, estimated by its encoding, bytes. A small number can be a length or an absent
/// value, which is a field, a string or an element of a list in memory: an event of twelve such bytes takes 460. Larger
/// numbers are text, which takes as much memory as in the encoding, or parts of numbers.
fn memory_of(bytes: &[u8]) -> u64 {
    const A_SMALL: u64 = 40;
    const ANOTHER: u64 = 2;
    let of = |byte: &u8| if *byte < 0x20 { A_SMALL } else { ANOTHER };
    bytes.iter().map(of).fold(0, u64::saturating_add)
}

/// An artifact's evidence.
#[derive(Debug)]
pub struct Kept {
    /// Whether it was given as a ticket, outside all folders.
    pub pasted: bool,
    /// Its evidence.
    pub evidence: Vec<Evidence>,
    /// For an event log: the time that it covers, by computer.
    pub coverage: Vec<LogCoverage>,
}

/// What is encoded. What events share stands once, and they share it again when it is read.
#[derive(Serialize, Deserialize)]
struct Encoded<'a> {
    pasted: bool,
    /// Contents of events, each encoded.
    #[serde(borrow)]
    contents: Vec<&'a [u8]>,
    computers: Vec<Arc<str>>,
    items: Vec<Item<'a>>,
    coverage: Cow<'a, [LogCoverage]>,
}

/// A piece of evidence; of an event, with the indices of its content and its computer.
#[derive(Serialize, Deserialize)]
enum Item<'a> {
    Event { place: Cow<'a, Place>, time: Option<Timestamp>, content: usize, computer: Option<usize> },
    Other(Cow<'a, Evidence>),
}

impl Encoded<'_> {
    fn kept(self) -> Result<Kept, Damage> {
        let Self { pasted, contents, computers, items, coverage } = self;
        let contents = contents.into_iter().map(postcard::from_bytes).collect::<Result<Vec<Arc<EventContent>>, _>>()?;
        let evidence = items.into_iter().map(|item| match item {
            Item::Event { place, time, content, computer } => {
                let content = Arc::clone(contents.get(content)?);
                let computer = match computer {
                    Some(index) => Some(Arc::clone(computers.get(index)?)),
                    None => None,
                };
                let observation = Observation::Event(Event { computer, time, content });
                Some(Evidence { place: place.into_owned(), observation })
            }
            Item::Other(evidence) => Some(evidence.into_owned()),
        });
        let evidence = evidence.collect::<Option<_>>().ok_or(Damage::Index)?;
        Ok(Kept { pasted, evidence, coverage: coverage.into_owned() })
    }
}

/// Packs the evidence of an artifact.
///
/// # Errors
/// When it is too large to be unpacked again.
pub fn pack(read: &ReadArtifact) -> Result<String, MergeError> {
    pack_within(read, MOST_UNPACKED, &Budget::default())
}

fn pack_within(read: &ReadArtifact, most: u64, budget: &Budget) -> Result<String, MergeError> {
    let bytes = encode_within(read, most)?;
    budget.take(bytes.get(HASH..).unwrap_or_default())?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    Ok(BASE64.encode(&encoder.finish()?))
}

/// The bytes of the evidence of an artifact.
///
/// # Errors
/// When it is too large to be read again.
pub fn encode(read: &ReadArtifact) -> Result<Vec<u8>, MergeError> {
    encode_within(read, MOST_UNPACKED)
}

fn encode_within(read: &ReadArtifact, most: u64) -> Result<Vec<u8>, MergeError> {
    // Equal contents are one, also where they are not one in memory: that depends on how they were read.
    let (mut contents, mut known) = (IndexSet::new(), HashMap::new());
    let mut computers = IndexSet::new();
    let mut content_of = |content: &Arc<EventContent>| {
        if let Some(index) = known.get(&Arc::as_ptr(content)) {
            return Ok(*index);
        }
        let (index, _) = contents.insert_full(postcard::to_allocvec(content)?);
        known.insert(Arc::as_ptr(content), index);
        Ok::<usize, MergeError>(index)
    };
    let mut items = Vec::with_capacity(read.evidence.len());
    for evidence in &read.evidence {
        items.push(match &evidence.observation {
            Observation::Event(event) => Item::Event {
                place: Cow::Borrowed(&evidence.place),
                time: event.time,
                content: content_of(&event.content)?,
                computer: event.computer.as_ref().map(|computer| computers.insert_full(Arc::clone(computer)).0),
            },
            _ => Item::Other(Cow::Borrowed(evidence)),
        });
    }
    let encoded = Encoded {
        pasted: read.pasted,
        contents: contents.iter().map(Vec::as_slice).collect(),
        computers: computers.into_iter().collect(),
        items,
        coverage: read.coverage.as_slice().into(),
    };
    let mut bytes = postcard::to_extend(&encoded, vec![0; HASH])?;
    if bytes.len() as u64 > most {
        return Err(MergeError::TooLarge { mib: most >> 20 });
    }
    if let Some((hash, content)) = bytes.split_first_chunk_mut::<HASH>() {
        *hash = xxh3_64(content).to_le_bytes();
    }
    Ok(bytes)
}

/// Unpacks the evidence of an artifact.
///
/// # Errors
/// When the text is not one of [`pack`], or when the budget does not suffice.
pub fn unpack(text: &str, budget: &Budget) -> Result<Kept, MergeError> {
    unpack_within(text, MOST_UNPACKED, budget)
}

fn unpack_within(text: &str, most: u64, budget: &Budget) -> Result<Kept, MergeError> {
    if text.is_empty() {
        return Err(MergeError::NotKept);
    }
    let packed = BASE64.decode(text.as_bytes()).map_err(Damage::from)?;
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(packed.as_slice()).take(most.saturating_add(1));
    decoder.read_to_end(&mut bytes).map_err(Damage::from)?;
    if bytes.len() as u64 > most {
        return Err(MergeError::TooLarge { mib: most >> 20 });
    }
    decoded(&bytes, |content| budget.take(content))
}

/// The evidence in bytes of [`encode`]. It takes at most some forty times as much memory.
///
/// # Errors
/// When they are no such bytes, or more than [`encode`] makes.
pub fn decode(bytes: &[u8]) -> Result<Kept, MergeError> {
    if bytes.len() as u64 > MOST_UNPACKED {
        return Err(MergeError::TooLarge { mib: MOST_UNPACKED >> 20 });
    }
    decoded(bytes, |_| Ok(()))
}

fn decoded(bytes: &[u8], take: impl FnOnce(&[u8]) -> Result<(), MergeError>) -> Result<Kept, MergeError> {
    let (hash, content) = bytes.split_first_chunk::<HASH>().ok_or(Damage::TooShort)?;
    if xxh3_64(content) != u64::from_le_bytes(*hash) {
        return Err(Damage::OtherHash.into());
    }
    take(content)?;
    let (encoded, rest) = postcard::take_from_bytes::<Encoded<'_>>(content).map_err(Damage::from)?;
    if !rest.is_empty() {
        return Err(Damage::Followed.into());
    }
    Ok(encoded.kept()?)
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::*;
    use evidence::{Ticket, TicketLine};
    use report::{Artifact, ArtifactStatus};

    /// A text of so many empty lines: what takes little in a report and much in memory.
    fn empty_lines(count: u32) -> ReadArtifact {
        let lines = (0..count).map(|_| TicketLine { number: 1, text: Arc::from("") });
        let ticket = Ticket { lines: lines.collect(), ..Ticket::default() };
        let artifact = Artifact {
            path: "ticket.txt".to_owned(),
            kind: "ticket".into(),
            status: ArtifactStatus::Ok,
            detail: None,
            bytes: 0,
            records: None,
            party: None,
            evidence: None,
        };
        let evidence =
            Evidence { place: Place::Lines(Arc::from([1])), observation: Observation::Ticket(Box::new(ticket)) };
        ReadArtifact { artifact, pasted: false, evidence: vec![evidence], coverage: Vec::new() }
    }

    #[test]
    fn what_can_be_packed_can_be_unpacked_and_one_byte_less_is_too_little_for_both() {
        let read = empty_lines(100);
        let size = encode(&read).expect("encoded").len() as u64;
        let less = size.saturating_sub(1);
        let text = pack_within(&read, size, &Budget::default()).expect("packed");
        assert!(unpack_within(&text, size, &Budget::default()).is_ok());
        assert!(pack_within(&read, less, &Budget::default()).is_err());
        assert!(unpack_within(&text, less, &Budget::default()).is_err());
    }

    #[test]
    fn what_follows_the_evidence_is_damage_though_the_hash_is_right() {
        let read = empty_lines(3);
        let encoded = encode(&read).expect("encoded");
        let unpacked = |more: &[u8]| {
            let bytes = [&encoded[HASH..], more].concat();
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&xxh3_64(&bytes).to_le_bytes()).expect("memory");
            encoder.write_all(&bytes).expect("memory");
            let text = BASE64.encode(&encoder.finish().expect("memory"));
            unpack(&text, &Budget::default()).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(unpacked(b""), Ok(()));
        assert!(unpacked(b"x").is_err_and(|reason| reason.contains("something follows it")));
    }

    #[test]
    fn memory_is_counted_and_not_only_bytes() {
        let lines: u32 = 10_000;
        let text = pack(&empty_lines(lines)).expect("packed");
        let needed = u64::from(lines).saturating_mul(size_of::<TicketLine>() as u64);
        assert!((text.len() as u64) < needed / 100);
        let error = unpack(&text, &Budget(AtomicU64::new(needed))).expect_err("too much");
        assert!(error.to_string().contains("of memory"), "{error}");
    }

    #[test]
    fn all_artifacts_of_a_run_share_one_budget() {
        let text = pack(&empty_lines(1_000)).expect("packed");
        let one = {
            let budget = Budget::default();
            unpack(&text, &budget).expect("unpacked");
            MOST_MEMORY.saturating_sub(budget.0.load(Ordering::Relaxed))
        };
        let budget = Budget(AtomicU64::new(one.saturating_mul(2)));
        assert!(unpack(&text, &budget).is_ok() && unpack(&text, &budget).is_ok());
        assert!(unpack(&text, &budget).is_err());
    }

    #[test]
    fn evidence_that_was_not_kept_is_no_evidence_of_nothing() {
        let error = unpack("", &Budget::default()).expect_err("not kept");
        assert!(error.to_string().contains("too large to be kept"), "{error}");
    }
}
