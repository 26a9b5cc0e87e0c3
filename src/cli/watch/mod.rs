//! `crashsift watch`: analyzes what arrives in a folder, each content once in a report that counts, and writes a report for each
//! drop: a folder's is written anew with all of the folder when something new arrives in it.
//!
//! - `inbox`: which files there are, since when each is unchanged, and which belong together;
//! - `content`: what makes two files the same;
//! - `drop`: one drop: its reports, its line, the program that is told;
//! - `state`: what was analyzed, in a journal.
//!
//! The process can be ended at any time: a drop counts when the journal has it, and what an ended run has written before is taken
//! back by the next one.

pub(super) mod content;
mod drop;
mod inbox;
mod state;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use self::drop::Analyzer;
use self::inbox::{Inbox, Outcome, Waiting};
use self::state::State;
use super::passwords::PasswordFile;
use super::redaction::Redaction;
use super::reporting::{jobs, pool};
use super::rules::load_rules;
use super::stream::usage;
use super::{Exit, local_time, sigma, symbols};
use pipeline::Options;
use pipeline::discover::Exclude;
use report::Selected;
use untrusted::reason;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder in which files and folders arrive; it is only read. Each folder in it is a drop, and so are the files that
    /// arrive in it together.
    inbox: PathBuf,

    /// Where reports go: for each drop one for a browser and one in JSON, and a line about each drop in `drops.jsonl`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Look for new files so often (2s, 500ms).
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = duration)]
    interval: Duration,

    /// Take a file for written when its size and time have not changed for so long, and a drop for complete when this is so of
    /// all its files.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    settle: Duration,

    /// Analyze a drop of which a part is missing or can't be read when it has not changed for so long.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration)]
    patience: Duration,

    /// Run PROGRAM after each report, without a shell, with the path of the report in JSON as its only argument. After a kill it can
    /// be run again for the same drop.
    #[arg(long, value_name = "PROGRAM")]
    exec: Option<PathBuf>,

    /// End when all that is in the folder was analyzed.
    #[arg(long)]
    once: bool,

    /// As for `analyze`.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,

    #[command(flatten)]
    passwords: PasswordFile,

    #[command(flatten)]
    redaction: Redaction,

    /// As for `analyze`.
    #[arg(long)]
    local_time: bool,

    /// As for `analyze`.
    #[arg(short, long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// As for `analyze`.
    #[arg(long)]
    no_builtin_rules: bool,

    /// As for `analyze`.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,

    /// How many threads work.
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// No notes on standard error but errors.
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let Arguments { inbox, out, exec, exclude, quiet, settle, patience, .. } = arguments;
    let (own, of_sigma) = sigma::split(&arguments.rules);
    let rules = load_rules(!arguments.no_builtin_rules, &own, *quiet)?;
    check(inbox, out).map_err(usage)?;
    if let Some(program) = exec.as_deref().filter(|program| program.components().count() > 1 && !program.is_file()) {
        return Err(usage(format!("--exec {}: no such program", program.display())));
    }
    let options = Options {
        symbols: symbols::open(&arguments.symbols)?,
        sigma: sigma::load(&of_sigma, *quiet)?,
        passwords: arguments.passwords.read()?,
        redaction: arguments.redaction.key()?,
        // Members of archives are left out by the same patterns as files.
        selected: Selected { exclude: exclude.clone(), ..Selected::default() },
        ..Options::default()
    };
    let zone = local_time::zone(arguments.local_time)?;
    let state = State::open(out).map_err(|why| usage(format!("--out {why}")))?;
    let waiting = Waiting { settle: *settle, patience: *patience.max(settle) };
    let mut inbox = Inbox::new(inbox.clone(), Exclude::new(exclude), waiting);
    let mut analyzer = Analyzer { rules, options, zone, state, exec: exec.clone(), quiet: *quiet };
    let threads = pool(arguments.jobs, false)?;
    // The last drop of a run that was ended before the program had been told.
    analyzer.tell()?;
    loop {
        inbox.look(&mut analyzer.state);
        if arguments.once && inbox.is_empty() {
            return Ok(Exit::Success);
        }
        while let Some(drop) = inbox.next_drop(&analyzer.state) {
            let outcome = threads.install(|| analyzer.analyze(&drop))?;
            inbox.note_outcome(drop, outcome);
            if outcome == Outcome::Changed || inbox.age() > arguments.interval {
                inbox.look(&mut analyzer.state);
            }
        }
        thread::sleep(arguments.interval);
    }
}

/// Checks the two folders and makes the one for reports.
fn check(inbox: &Path, out: &Path) -> Result<(), String> {
    let named = |path: &Path, why: &str| format!("{}: {why}", path.display());
    if !inbox.is_dir() {
        return Err(named(inbox, "no such folder"));
    }
    let resolved = |path: &Path| fs::canonicalize(path).map_err(|error| named(path, &reason(&error)));
    let inbox = resolved(inbox)?;
    let is_below = |path: PathBuf| path.starts_with(&inbox);
    // Before it is made: a folder in the inbox would be a drop.
    let there = out.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    if is_below(resolved(there)?) {
        return Err(format!("--out {}", named(out, "it lies in the folder that is watched")));
    }
    fs::create_dir_all(out).map_err(|error| format!("--out {}", named(out, &reason(&error))))
}

/// The shortest and the longest duration that options take.
const DURATIONS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(7 * 24 * 60 * 60));

fn duration(text: &str) -> Result<Duration, String> {
    let given = text.parse::<jiff::SignedDuration>().ok().and_then(|given| Duration::try_from(given).ok());
    let (least, most) = DURATIONS;
    given
        .filter(|given| (least..=most).contains(given))
        .ok_or_else(|| "write a duration with its unit from 10ms to 168h (2s, 500ms, 5m)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_are_bounded() {
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert!(["2", "0s", "-2s", "169h", "soon", ""].into_iter().all(|wrong| duration(wrong).is_err()));
    }
}
