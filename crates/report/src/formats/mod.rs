//! The formats that print a report; all of them print the same finished values.

pub mod brief;
pub mod csv;
pub mod ecs;
mod first;
pub mod github;
pub mod gitlab;
pub mod inspected;
pub mod json;
pub mod jsonl;
pub mod junit;
mod lines;
pub mod local_time;
mod located;
pub mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod prometheus;
pub mod sarif;
pub mod schema;
pub mod screen;
pub mod text;
mod urgency;

use std::error::Error;
use std::io;

/// Why a report can't be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output can't be written to; the kind says whether its reader has gone away.
    #[error(transparent)]
    Output(io::Error),
    /// A template of a page is wrong.
    #[error(transparent)]
    Template(minijinja::Error),
    /// A row has not as many cells as the table has columns.
    #[error("{0:?}")]
    Table(::csv::ErrorKind),
}

impl From<minijinja::Error> for WriteError {
    fn from(error: minijinja::Error) -> Self {
        let mut source = error.source();
        while let Some(inner) = source.filter(|_| error.kind() == minijinja::ErrorKind::WriteFailure) {
            if let Some(output) = inner.downcast_ref::<io::Error>() {
                return Self::Output(io::Error::new(output.kind(), output.to_string()));
            }
            source = inner.source();
        }
        Self::Template(error)
    }
}

impl From<::csv::Error> for WriteError {
    fn from(error: ::csv::Error) -> Self {
        match error.into_kind() {
            ::csv::ErrorKind::Io(error) => Self::Output(error),
            kind => Self::Table(kind),
        }
    }
}

/// The size of the buffers through which reports are written, bytes.
const BUFFER_SIZE: usize = 64 << 10;
