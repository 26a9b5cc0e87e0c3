//! Artifacts that a job of Spark has read, each with its evidence: a row each, in the Parquet files of a folder (docs/spark.md).

use std::path::Path;

use parquet::record::Field;

use super::LakeError;
use super::read::{each_row, field, text_in};

/// An artifact of a file.
#[derive(Debug)]
pub struct PackedArtifact {
    /// The path of the file.
    pub path: Vec<u8>,
    /// The form of the evidence: `evidence::FORMAT` of the program that wrote it.
    pub format: String,
    /// The artifact, as a report lists it, as JSON.
    pub artifact: Vec<u8>,
    /// Its evidence.
    pub evidence: Option<Vec<u8>>,
}

/// Calls `take` with each artifact in a folder, in the order of its files' names.
///
/// # Errors
/// When a file can't be read or has not these columns, or that of `take`.
pub fn packed<E: From<LakeError>>(
    folder: &Path,
    mut take: impl FnMut(PackedArtifact) -> Result<(), E>,
) -> Result<(), E> {
    each_row(folder, |row| {
        let bytes = |column| match field(row, column) {
            Some(Field::Bytes(bytes)) => Some(bytes.data().to_vec()),
            _ => None,
        };
        let read = bytes("path").zip(bytes("artifact")).zip(text_in(row, "format"));
        let Some(((path, artifact), format)) = read else { return Err(LakeError::NotPacked.into()) };
        take(PackedArtifact { path, format: format.to_owned(), artifact, evidence: bytes("evidence") })
    })
}
