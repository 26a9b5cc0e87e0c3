//! With `--cache`, the answer of a run is kept and repeated by a later run with the same question about the same files.
//! The cached records of single logs only save reading the logs; a kept answer also saves joining and judging.
//!
//! - `question`: program, rules and options, as a hash;
//! - `inputs`: the files with their content, as a hash;
//! - `folder`: the files of all answers in the cache's folder;
//! - `kept`: the file of one answer.

mod folder;
mod inputs;
mod kept;
mod question;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use self::inputs::Inputs;
pub use self::kept::Answer;
use self::kept::{Draft, Trailer};
pub use self::question::Question;
use super::Exit;
use super::stream::Notes;
use evidence::ArtifactKind;
use evtx_scan::Cache;
use report::{Artifact, ArtifactStatus};

/// The largest damaged log that is hashed whole, bytes.
const MOST_DAMAGED: u64 = 256 << 20;

/// A run whose answer is not known yet and is to be kept.
pub struct Answers {
    cache: Arc<Cache>,
    /// The file of the answer.
    place: PathBuf,
    inputs: Inputs,
    /// The hash of the inputs before they were read.
    before: Option<u128>,
    draft: Option<Draft>,
}

impl Answers {
    /// The kept answer to `question` about the files at `paths`, or, without one, the run whose answer is to be kept.
    /// Neither where hashing the files costs more than reading them.
    pub fn look_up(cache: &Arc<Cache>, question: Question, paths: &[PathBuf]) -> (Option<Self>, Option<Answer>) {
        let place = folder::place(cache.folder(), question.hash());
        let known = Answer::open(&place).unwrap_or_else(|reason| {
            cache.refuse(&place, &reason);
            None
        });
        let known = known.filter(|answer| is_of_run(answer.trailer.exit));
        let whole = known.as_ref().map(|answer| answer.trailer.whole.clone()).unwrap_or_default();
        let inputs = Inputs { paths: paths.to_vec(), cache: Arc::clone(cache), pasted: question.pasted.clone() };
        let Some(before) = inputs.hash(&whole) else { return (None, None) };
        match known {
            Some(answer) if answer.trailer.inputs == before => (None, Some(answer)),
            _ => {
                // Which logs have to be hashed whole is known after the files were read.
                let before = if whole.is_empty() { Some(before) } else { inputs.hash(&BTreeSet::new()) };
                let draft = cache.new_file().map_err(|error| cache.not_kept(&error)).ok().map(Draft::new);
                (Some(Self { cache: Arc::clone(cache), place, inputs, before, draft }), None)
            }
        }
    }

    /// Runs `write` with a writer that writes to `out` and keeps a copy.
    ///
    /// # Errors
    /// When `out` can't be written.
    pub fn tee(&mut self, out: &mut dyn Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match &mut self.draft {
            Some(draft) => draft.tee(out, write),
            None => write(out),
        }
    }

    /// Keeps the output with the notes, the exit code and the summary of the run, if the inputs did not change meanwhile and the
    /// computer itself caused no failure (such as too many open files).
    pub fn keep(self, artifacts: &[Artifact], notes: &Notes, exit: u8, summary: Option<String>) {
        let Some(draft) = self.draft else { return };
        if self.cache.has_failure_of_machine() || !is_of_run(exit) {
            return;
        }
        let now = self.inputs.hash(&BTreeSet::new());
        if now.is_none() || now != self.before {
            return;
        }
        // The checksums of a damaged log do not show whether it is the same log.
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
        let trailer = Trailer { inputs, whole, notes: notes.printed.clone(), exit, summary, ..Trailer::default() };
        match draft.finish(trailer, &self.place) {
            Ok(()) => folder::drop_old_answers(self.cache.folder()),
            Err(error) => self.cache.not_kept(&error),
        }
    }
}

/// Whether an exit code is that of a run which was carried out and wrote its result.
fn is_of_run(exit: u8) -> bool {
    Exit::from_repr(exit).is_some_and(Exit::is_of_run)
}
