//! An artifact's evidence as text in a report, and back: Postcard's encoding behind its hash (XXH3, 64 bits, little
//! endian), compressed (deflate), in Base64. The hash detects damage that would become false evidence. An empty text is
//! evidence that was too large, unlike no text, which is no evidence.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use data_encoding::BASE64;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::MergeError;
use crate::read::ReadArtifact;
use evidence::{Evidence, LogCoverage};

/// The most bytes of an artifact's unpacked evidence with its hash: some 400 000 events. Deflate can unpack to a thousand
/// times the size in the report.
const MOST_UNPACKED: u64 = 128 << 20;

/// The most bytes of memory for the evidence of all artifacts of a run, as [`memory_of`] estimates them.
const MOST_MEMORY: u64 = 4 << 30;

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

/// The content of a text: an artifact's evidence.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kept<'a> {
    /// Whether it was given as a ticket, outside all folders.
    pub pasted: bool,
    /// Its evidence.
    pub evidence: Cow<'a, [Evidence]>,
    /// For an event log: the time that it covers, by computer.
    pub coverage: Cow<'a, [LogCoverage]>,
}

impl<'a> From<&'a ReadArtifact> for Kept<'a> {
    fn from(read: &'a ReadArtifact) -> Self {
        let (evidence, coverage) = (read.evidence.as_slice(), read.coverage.as_slice());
        Self { pasted: read.pasted, evidence: evidence.into(), coverage: coverage.into() }
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
    let bytes = postcard::to_allocvec(&Kept::from(read))?;
    let hash = xxh3_64(&bytes).to_le_bytes();
    if (bytes.len() as u64).saturating_add(hash.len() as u64) > most {
        return Err(MergeError::TooLarge { mib: most >> 20 });
    }
    budget.take(&bytes)?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&hash)?;
    encoder.write_all(&bytes)?;
    Ok(BASE64.encode(&encoder.finish()?))
}

/// Unpacks the evidence of an artifact.
///
/// # Errors
/// When the text is not one of [`pack`], or when the budget does not suffice.
pub fn unpack(text: &str, budget: &Budget) -> Result<Kept<'static>, MergeError> {
    unpack_within(text, MOST_UNPACKED, budget)
}

fn unpack_within(text: &str, most: u64, budget: &Budget) -> Result<Kept<'static>, MergeError> {
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
    let (hash, bytes) = bytes.split_first_chunk().ok_or(Damage::TooShort)?;
    if xxh3_64(bytes) != u64::from_le_bytes(*hash) {
        return Err(Damage::OtherHash.into());
    }
    budget.take(bytes)?;
    let (kept, rest) = postcard::take_from_bytes(bytes).map_err(Damage::from)?;
    if rest.is_empty() { Ok(kept) } else { Err(Damage::Followed.into()) }
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;
    use std::sync::Arc;

    use super::*;
    use evidence::{Observation, Place, Ticket, TicketLine};
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
        let packing = Kept::from(&read);
        let size = postcard::to_allocvec(&packing).expect("encoded").len().saturating_add(8) as u64;
        let less = size.saturating_sub(1);
        let text = pack_within(&read, size, &Budget::default()).expect("packed");
        assert!(unpack_within(&text, size, &Budget::default()).is_ok());
        assert!(pack_within(&read, less, &Budget::default()).is_err());
        assert!(unpack_within(&text, less, &Budget::default()).is_err());
    }

    #[test]
    fn what_follows_the_evidence_is_damage_though_the_hash_is_right() {
        let read = empty_lines(3);
        let packing = Kept::from(&read);
        let unpacked = |more: &[u8]| {
            let bytes = [postcard::to_allocvec(&packing).expect("encoded").as_slice(), more].concat();
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
