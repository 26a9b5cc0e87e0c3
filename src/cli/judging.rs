//! How the commands that look at incidents one by one judge them: by which rules, and with which symbols.

use std::path::PathBuf;

use super::passwords::PasswordFile;
use super::redaction::Redaction;
use super::rules::load_rules;
use super::{Exit, reports, sigma, symbols};
use pipeline::Options;
use rules::RuleSet;

#[derive(Debug, clap::Args)]
pub struct Judging {
    /// Use the rules of this file or folder beside the built-in ones; can be given again. `sigma:PATH` is a file or
    /// folder of Sigma rules, whose matches rules can ask for.
    #[arg(short, long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// Leave out the built-in rules.
    #[arg(long)]
    no_builtin_rules: bool,

    /// As for `analyze`.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,

    /// As for `analyze`.
    #[arg(long)]
    by_folder: bool,

    #[command(flatten)]
    passwords: PasswordFile,

    #[command(flatten)]
    redaction: Redaction,
}

impl Judging {
    /// Loads the rules but those of Sigma; `Err` after every mistake in them was printed.
    pub fn rules(&self) -> Result<RuleSet, Exit> {
        load_rules(!self.no_builtin_rules, &sigma::split(&self.rules).0, false)
    }

    /// The artifacts among the paths that were given, and the options to judge them, with the reports among the paths.
    pub fn options(&self, given: &[PathBuf]) -> Result<(Vec<PathBuf>, Options), Exit> {
        let sigma = sigma::load(&sigma::split(&self.rules).1, false)?;
        let (paths, before) = reports::split(given)?;
        let symbols = symbols::open(&self.symbols)?;
        let redaction = self.redaction.key()?;
        let (passwords, by_folder) = (self.passwords.read()?, self.by_folder);
        Ok((paths, Options { symbols, sigma, before, passwords, by_folder, redaction, ..Options::default() }))
    }
}
