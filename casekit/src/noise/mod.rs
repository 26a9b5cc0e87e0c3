//! Innocent circumstances, added to the artifacts of a case: what many machines have that run without trouble.
//!
//! An answer that changes with them came from base rates, and not from the evidence of the crash.

mod dump;
mod logs;
mod wer;

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use pipeline::{Options, Silent, analyze};
use rules::RuleSet;

use crate::{Answer, Case, answers};

/// A case whose artifacts were analyzed as they are, and with noise.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The case.
    pub case: Case,
    /// The first answer without noise.
    pub quiet: Answer,
    /// The first answer with noise.
    pub noisy: Answer,
    /// Whether noise was added: modules, or a log.
    pub is_changed: bool,
}

impl Compared {
    /// Whether the first answer is right, and is no more so with noise.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.is_right(&self.quiet) && !self.is_right(&self.noisy)
    }

    /// Whether the answer without noise is right.
    #[must_use]
    pub fn was_right(&self) -> bool {
        self.is_right(&self.quiet)
    }

    fn is_right(&self, answer: &Answer) -> bool {
        self.case.accepts(&answer.cause)
    }
}

/// Analyzes a case of artifacts as it is, and with noise; files with noise are written below `scratch`.
///
/// # Errors
/// When a file can't be read or written; the message names it.
pub fn compare(case: Case, rules: &RuleSet, scratch: &Path) -> Result<Compared, String> {
    let analyze = |artifacts: &[PathBuf]| analyze(artifacts, rules, &Options::default(), &Silent);
    let report = analyze(&case.artifacts);
    let quiet = first(answers(&report, &case));
    let host = report.incidents.iter().find_map(|judged| judged.incident.host.clone());
    let time = case.time.or_else(|| report.incidents.iter().find_map(|judged| judged.incident.time));
    let noisy_files = add(&case, host.as_deref(), time, scratch)?;
    let Some(files) = noisy_files else {
        return Ok(Compared { noisy: quiet.clone(), quiet, case, is_changed: false });
    };
    let noisy = first(answers(&analyze(&files), &case));
    Ok(Compared { case, quiet, noisy, is_changed: true })
}

fn first(answers: Vec<Answer>) -> Answer {
    answers.into_iter().next().unwrap_or(Answer { cause: rules::UNDETERMINED.to_owned(), confidence: 0.0, rule: None })
}

/// Writes the artifacts of a case with noise; `None` where none could be added.
fn add(
    case: &Case,
    host: Option<&str>,
    time: Option<Timestamp>,
    scratch: &Path,
) -> Result<Option<Vec<PathBuf>>, String> {
    let wrong = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let folder = scratch.join(case.name.replace('/', "-"));
    fs::create_dir_all(&folder).map_err(|error| wrong(&folder, error))?;
    let (mut files, mut changed) = (Vec::new(), false);
    for path in &case.artifacts {
        let bytes = fs::read(path).map_err(|error| wrong(path, error))?;
        let noisy = dump::with_modules(&bytes).or_else(|| wer::with_modules(&bytes));
        changed |= noisy.is_some();
        let target = folder.join(path.file_name().unwrap_or_default());
        fs::write(&target, noisy.unwrap_or(bytes)).map_err(|error| wrong(&target, error))?;
        files.push(target);
    }
    if let (Some(host), Some(time)) = (host, time) {
        let target = folder.join("Noise.evtx");
        fs::write(&target, logs::system_log(host, time)).map_err(|error| wrong(&target, error))?;
        files.push(target);
        changed = true;
    }
    Ok(changed.then_some(files))
}
