//! `--redact`: whether names and secrets are taken out of the evidence.

use std::path::PathBuf;
use std::sync::Arc;

use super::Exit;
use super::stream::{self, usage};
use redact::Key;

#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Redaction {
    /// Replace names of users, computers, domains and customers, addresses, serial numbers and the like with pseudonyms, and
    /// delete passwords, keys and tokens, before anything is joined and judged.
    #[arg(long)]
    redact: bool,

    /// As --redact, with pseudonyms that nobody can guess: FILE keeps their key and the names behind them. It is made
    /// where it does not exist, only its owner can read it, and it must not be passed on.
    #[arg(long, value_name = "FILE")]
    redact_map: Option<PathBuf>,
}

impl Redaction {
    /// The key of the pseudonyms; `None` where nothing is redacted.
    pub fn key(&self) -> Result<Option<Arc<Key>>, Exit> {
        let Some(path) = &self.redact_map else {
            return Ok(self.redact.then(Arc::default));
        };
        // No file but one that an earlier run made is replaced.
        let key = Key::in_file(path).map_err(|error| usage(format!("--redact-map {error}")))?;
        Ok(Some(Arc::new(key)))
    }

    /// Whether a file keeps the names, so that every run has to write it.
    pub fn has_map(&self) -> bool {
        self.redact_map.is_some()
    }
}

/// Writes the file of the names that were replaced, where there is one.
pub fn save(key: Option<&Arc<Key>>) -> Result<(), Exit> {
    key.map_or(Ok(()), |key| key.save()).map_err(|error| {
        stream::note(&format!("--redact-map {error}"));
        Exit::Internal
    })
}
