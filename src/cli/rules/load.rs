//! Loading rules for every command, so that what is wrong with them is told in one way.
//!
//! What is legal and probably not meant is told by `rules check` alone: who analyzes with a rule set need not be who
//! writes it.

use std::io::Write;
use std::path::PathBuf;

use super::print_diagnostics;
use crate::cli::sigma;
use rules::RuleSet;
use spanned_yaml::Diagnostic;
use untrusted::sanitise;

/// Where notes about loading go.
pub(in crate::cli) struct Notes<'n> {
    pub out: &'n mut dyn Write,
    /// Whether `out` understands escape sequences.
    pub color: bool,
    /// Whether only what keeps rules from being used is told.
    pub quiet: bool,
}

/// Loads the built-in rules, if wanted, and those of files and folders. `None` where they can't be used: every mistake
/// is printed then.
pub(in crate::cli) fn load(builtin: bool, paths: &[PathBuf], notes: &mut Notes<'_>) -> Option<RuleSet> {
    load_by(|paths| RuleSet::load(builtin, paths), paths, notes)
}

/// The same by another way of loading.
pub(in crate::cli) fn load_by(
    load: impl FnOnce(&[PathBuf]) -> Result<RuleSet, Vec<Diagnostic>>,
    paths: &[PathBuf],
    notes: &mut Notes<'_>,
) -> Option<RuleSet> {
    if let Some(refusal) = sigma::refusal(paths) {
        notes.say(&refusal);
        return None;
    }
    match load(paths) {
        Ok(rules) => {
            if !notes.quiet {
                notes.say_all(rules.notes());
            }
            Some(rules)
        }
        Err(mistakes) => {
            notes.unusable(&mistakes);
            None
        }
    }
}

impl Notes<'_> {
    /// Prints a note. Notes that nobody listens to are lost; the exit code still tells.
    pub fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "crashsift: {}", sanitise(text));
    }

    /// Prints several.
    pub fn say_all(&mut self, texts: &[String]) {
        texts.iter().for_each(|text| self.say(text));
    }

    /// Prints the mistakes for which rules can't be used.
    pub fn unusable(&mut self, mistakes: &[Diagnostic]) {
        let _ = print_diagnostics(self.out, mistakes, self.color);
        self.say("the rules can't be used; nothing was analyzed");
    }
}
