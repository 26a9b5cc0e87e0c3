//! Loads rules for every command and prints mistakes in them.
//!
//! Lints of rules are printed by `rules check` only: a user who analyzes with a rule set need not be its author.

use std::env;
use std::path::{Path, PathBuf};

use super::print_diagnostics;
use crate::cli::config::user_folder;
use crate::cli::{Exit, sigma, stream};
use rules::RuleSet;
use spanned_yaml::Diagnostic;

/// The environment variable with rule files and folders that take part in every run, separated as in `PATH`.
const STANDING: &str = "CRASHSIFT_RULES";

/// Loads the built-in rules, if wanted, the standing rules, and those of files and folders. A broken rule set stops the
/// command: every mistake is printed. `quiet` leaves out notes about rules that can be used.
pub(in crate::cli) fn load_rules(builtin: bool, paths: &[PathBuf], quiet: bool) -> Result<RuleSet, Exit> {
    let mut all = standing();
    if !quiet {
        all.iter().for_each(|path| stream::note(&format!("the standing rules {} take part", path.display())));
    }
    all.extend_from_slice(paths);
    load_by(|paths| RuleSet::load(builtin, paths), &all, quiet)
}

/// The rules that take part in every run: what the environment variable names, which may be nothing, or without it the
/// user's folder of rules where that holds any.
fn standing() -> Vec<PathBuf> {
    match env::var_os(STANDING) {
        Some(paths) => env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect(),
        None => of_user().filter(|folder| has_yaml(folder)).into_iter().collect(),
    }
}

/// The user's folder of rules.
fn of_user() -> Option<PathBuf> {
    Some(user_folder()?.join("rules"))
}

/// Whether a folder holds a YAML file, in it or in one of its folders.
fn has_yaml(folder: &Path) -> bool {
    let is_yaml = |path: &Path| path.extension().is_some_and(|extension| extension == "yaml");
    let files =
        |folder: &Path| folder.read_dir().into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    files(folder).any(|path| is_yaml(&path) || files(&path).any(|path| is_yaml(&path)))
}

/// Loads the rules of files and folders by `load`.
pub(super) fn load_by(
    load: impl FnOnce(&[PathBuf]) -> Result<RuleSet, Vec<Diagnostic>>,
    paths: &[PathBuf],
    quiet: bool,
) -> Result<RuleSet, Exit> {
    if let Some(refusal) = sigma::refusal(paths) {
        stream::note(&refusal);
        return Err(Exit::Usage);
    }
    let rules = load(paths).map_err(|mistakes| unusable(&mistakes))?;
    if !quiet {
        rules.notes().iter().for_each(|note| stream::note(note));
    }
    Ok(rules)
}

/// Prints the mistakes for which rules can't be used.
pub(super) fn unusable(mistakes: &[Diagnostic]) -> Exit {
    let color = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    // Like other notes, the mistakes are lost where standard error is closed; the exit code remains.
    let _ = print_diagnostics(&mut anstream::stderr(), mistakes, color);
    stream::note("the rules can't be used; nothing was analyzed");
    Exit::Usage
}
