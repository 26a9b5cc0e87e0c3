//! Loads rules for every command and prints mistakes in them.
//!
//! Lints of rules are printed by `rules check` only: a user who analyzes with a rule set need not be its author.

use std::path::PathBuf;

use super::print_diagnostics;
use crate::cli::{Exit, sigma, stream};
use rules::RuleSet;
use spanned_yaml::Diagnostic;

/// Loads the built-in rules, if wanted, and those of files and folders. A broken rule set stops the command: every
/// mistake is printed. `quiet` leaves out notes about rules that can be used.
pub(in crate::cli) fn load_rules(builtin: bool, paths: &[PathBuf], quiet: bool) -> Result<RuleSet, Exit> {
    load_by(|paths| RuleSet::load(builtin, paths), paths, quiet)
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
