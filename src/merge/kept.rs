//! An artifact's evidence as text in a report, and back: Postcard's encoding behind its hash (XXH3, 64 bits, little
//! endian), compressed (deflate), in Base64. Without the hash, damage could go unnoticed and become false evidence.

use std::io::{self, Read, Write};

use data_encoding::BASE64;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::artifact::LogCoverage;
use crate::evidence::Evidence;
use crate::read::ReadArtifact;

/// What the encoding depends on: a digest of the types of evidence. Only a program with the same types can read it.
pub const FORMAT: &str = env!("CRASHSIFT_EVIDENCE_DIGEST");

/// No artifact's evidence is larger unpacked, bytes: that of three million events. Deflate can make a thousandfold of
/// what is in a report.
const MOST_UNPACKED: u64 = 1 << 30;

#[derive(Serialize)]
struct Packing<'a> {
    pasted: bool,
    evidence: &'a [Evidence],
    coverage: &'a [LogCoverage],
}

#[derive(Deserialize)]
struct Packed {
    pasted: bool,
    evidence: Vec<Evidence>,
    coverage: Vec<LogCoverage>,
}

/// What an artifact said, out of a report.
#[derive(Debug)]
pub struct Kept {
    /// Whether it was given as a ticket, outside all folders.
    pub pasted: bool,
    /// Its evidence.
    pub evidence: Vec<Evidence>,
    /// For an event log: what it covers.
    pub coverage: Vec<LogCoverage>,
}

/// Packs what an artifact says.
///
/// # Errors
///
/// When it is too large to be unpacked again.
pub fn pack(read: &ReadArtifact) -> io::Result<String> {
    let packing = Packing { pasted: read.pasted, evidence: &read.evidence, coverage: &read.coverage };
    let bytes = postcard::to_allocvec(&packing).map_err(io::Error::other)?;
    if bytes.len() as u64 > MOST_UNPACKED {
        return Err(too_large());
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&xxh3_64(&bytes).to_le_bytes())?;
    encoder.write_all(&bytes)?;
    Ok(BASE64.encode(&encoder.finish()?))
}

/// Unpacks it.
///
/// # Errors
///
/// When the text is not what [`pack`] makes.
pub fn unpack(text: &str) -> io::Result<Kept> {
    let damaged = |what: &str| io::Error::other(format!("its evidence is damaged: {what}"));
    let packed = BASE64.decode(text.as_bytes()).map_err(|error| damaged(&error.to_string()))?;
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(packed.as_slice()).take(MOST_UNPACKED.saturating_add(1));
    decoder.read_to_end(&mut bytes).map_err(|error| damaged(&error.to_string()))?;
    if bytes.len() as u64 > MOST_UNPACKED {
        return Err(too_large());
    }
    let Some((hash, bytes)) = bytes.split_first_chunk() else { return Err(damaged("it is too short")) };
    if xxh3_64(bytes) != u64::from_le_bytes(*hash) {
        return Err(damaged("its hash is another"));
    }
    let (packed, rest) = postcard::take_from_bytes(bytes).map_err(|error| damaged(&error.to_string()))?;
    let Packed { pasted, evidence, coverage } = packed;
    if rest.is_empty() { Ok(Kept { pasted, evidence, coverage }) } else { Err(damaged("something follows it")) }
}

fn too_large() -> io::Error {
    io::Error::other(format!("its evidence is larger than {} MiB", MOST_UNPACKED >> 20))
}
