//! With `--cache`: the answer of a run is kept, and given again by a run that asks the same of the same files. What the
//! cache keeps of single logs spares reading them; this spares all that follows, too.
//!
//! - `asked`: what a run asks, as a hash: program, rules, options;
//! - `inputs`: of what it asks that, as a hash: the files with their content;
//! - `folder`: the files of all answers in the cache's folder;
//! - `kept`: the file of one answer.

mod asked;
mod folder;
mod inputs;
mod kept;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

pub use self::asked::Asked;
use self::inputs::Inputs;
pub use self::kept::Answer;
use self::kept::{Keeping, Trailer};
use super::stream::Notes;
use evidence::ArtifactKind;
use evtx_scan::Cache;
use report::{Artifact, ArtifactStatus};

/// The largest damaged log that is compared by all its bytes.
const MOST_DAMAGED: u64 = 256 << 20;

/// A run whose answer may be there, or is to be kept.
pub struct Answers {
    cache: Arc<Cache>,
    /// Where the answer lies.
    place: PathBuf,
    inputs: Inputs,
    /// What the inputs were before they were read.
    before: Option<u128>,
    keeping: Option<Keeping>,
}

impl Answers {
    /// The run that asks `asked` of the files at `paths`, and the answer to it, if it is known. `None` for the first
    /// where the files can't be compared for less than reading them costs.
    pub fn look_up(cache: &Arc<Cache>, asked: Asked, paths: &[PathBuf]) -> (Option<Self>, Option<Answer>) {
        let place = folder::place(cache.folder(), asked.hash());
        let known = Answer::open(&place).unwrap_or_else(|reason| {
            cache.refuse(&place, &reason);
            None
        });
        let whole = known.as_ref().map(|answer| answer.compared_whole()).unwrap_or_default();
        let inputs = Inputs { paths: paths.to_vec(), cache: Arc::clone(cache), pasted: asked.pasted() };
        let Some(before) = inputs.hash(&whole) else { return (None, None) };
        match known {
            Some(answer) if answer.is_of(before) => (None, Some(answer)),
            _ => {
                // What has to be compared whole is known when the files were read.
                let before = if whole.is_empty() { Some(before) } else { inputs.hash(&BTreeSet::new()) };
                let keeping = cache.new_file().map_err(|error| cache.not_kept(&error)).ok().map(Keeping::new);
                (Some(Self { cache: Arc::clone(cache), place, inputs, before, keeping }), None)
            }
        }
    }

    /// Writes what `write` does to `out`, and keeps it.
    ///
    /// # Errors
    /// When `out` can't be written.
    pub fn tee(&mut self, out: &mut dyn Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match &mut self.keeping {
            Some(keeping) => keeping.tee(out, write),
            None => write(out),
        }
    }

    /// Keeps what was written, with what else the run told, if the inputs are still what they were and all that could
    /// not be read of them is their own fault.
    pub fn keep(self, artifacts: &[Artifact], notes: &Notes, exit: u8) {
        let Some(keeping) = self.keeping else { return };
        if self.cache.has_failure_of_machine() {
            return;
        }
        let now = self.inputs.hash(&BTreeSet::new());
        if now.is_none() || now != self.before {
            return;
        }
        // Of a log that is damaged, the checksums that are right don't tell whether it is the same.
        let is_damaged_log = |artifact: &&Artifact| {
            artifact.status != ArtifactStatus::Ok && artifact.kind == ArtifactKind::EventLog.word()
        };
        let damaged: Vec<&Artifact> = artifacts.iter().filter(is_damaged_log).collect();
        if damaged.iter().any(|log| log.bytes > MOST_DAMAGED) {
            return;
        }
        let whole: BTreeSet<String> = damaged.iter().map(|log| log.path.clone()).collect();
        let inputs = if whole.is_empty() { now } else { self.inputs.hash(&whole) };
        let Some(inputs) = inputs else { return };
        let trailer = Trailer { inputs, whole, notes: notes.said().to_vec(), exit };
        match keeping.finish(&trailer, &self.place) {
            Ok(()) => folder::drop_old_answers(self.cache.folder()),
            Err(error) => self.cache.not_kept(&error),
        }
    }
}
