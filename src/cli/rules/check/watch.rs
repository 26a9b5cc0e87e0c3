//! `crashsift rules check --watch`.
//!
//! Files are looked at again and again, because this works alike on every system and every kind of drive, and a thousand files
//! take about ten milliseconds.

use std::fs;
use std::io;
use std::mem::replace;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use walkdir::WalkDir;

use super::{CheckArgs, CheckFormat, Exit, Output};
use crate::cli::sigma;
use crate::cli::watch::content::{Form, Identity};
use rules::read_with;

/// The time between two looks. Files that are alike in two looks count as written.
const INTERVAL: Duration = Duration::from_millis(300);
/// How deep folders are looked at: as deep as Sigma rules are searched for, and deeper than others.
const MAX_DEPTH: usize = 16;
/// The lines before and after each result for reading, by which editors know where one begins and ends.
const BEGIN: &str = "Checking rules";
const END: &str = "Waiting for changes";

/// Checks at once, and again after every change, until the process is ended or nobody reads what is printed, which is the
/// error.
pub(super) fn run(args: &CheckArgs, output: &mut Output<'_>) -> io::Result<Exit> {
    let paths: Vec<PathBuf> = args.paths.iter().map(|path| sigma::path(path).unwrap_or_else(|| path.clone())).collect();
    let is_for_reading = matches!(args.format, CheckFormat::Text | CheckFormat::Github);
    let (mut seen, mut checked) = (look(&paths), None);
    loop {
        if checked != Some(seen) {
            checked = Some(seen);
            if is_for_reading {
                writeln!(output.out, "{BEGIN}")?;
            }
            args.check(output)?;
            if is_for_reading {
                writeln!(output.out, "{END}")?;
            }
            output.out.flush()?;
        }
        loop {
            thread::sleep(INTERVAL);
            let now = look(&paths);
            if replace(&mut seen, now) == now {
                break;
            }
        }
    }
}

/// What changes when a YAML file at or below these paths is written, added or removed, or the file that is read with one
/// of them.
fn look(paths: &[PathBuf]) -> Identity {
    let all = paths.iter().cloned().chain(paths.iter().filter_map(|path| read_with(path)));
    let files = all.flat_map(|path| {
        let walk = WalkDir::new(path).max_depth(MAX_DEPTH).sort_by_file_name().into_iter();
        walk.filter_entry(|entry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.'))
    });
    Identity::of_all(files.filter_map(|entry| {
        let entry = entry.ok()?;
        let is_yaml = entry.path().extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if entry.depth() > 0 && !is_yaml {
            return None;
        }
        // Not what the folder says of the file, which on Windows can be older than the file.
        let about = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file)?;
        Some(Form::of(&about).identity(entry.path()))
    }))
}
