//! `crashsift rules check`: the mistakes and lints of rules, once or after every change.

mod document;
mod watch;

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::Serialize;

use self::document::Document;
use super::{Exit, Output, annotations, code, is_meant, print, print_diagnostics};
use crate::cli::{sigma, stream};
use ::sigma::SigmaRules;
use report::json::{write_compact, write_indented};
use report::{counted, sarif};
use rules::{RuleSet, RuleSetInfo};
use spanned_yaml::{Code, Diagnostic, Span, YamlText, sort_diagnostics};
use untrusted::{display_path, sanitise};

/// The formats of `rules check`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// For reading: each mistake in the lines of its file.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// Annotations of GitHub Actions, one a line.
    Github,
}

/// Which rules `rules check` is about.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckArgs {
    /// Rule files and folders, folders of artifacts with an expected.yaml, and `sigma:PATH`, a file or folder of Sigma
    /// rules
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: CheckFormat,
    /// Check again whenever a file of PATH is changed, added or removed, until the program is interrupted. JSON and SARIF
    /// are one line for each check
    #[arg(long, requires = "paths")]
    watch: bool,
    /// The day, in UTC, by which suppressions that ended are told, instead of the one that the computer's clock says
    #[arg(long, value_name = "DATE", value_parser = day)]
    today: Option<Date>,
    /// Print what a code means that this command prints, such as R019, with an example; nothing is checked
    #[arg(long, value_name = "CODE", conflicts_with_all = ["paths", "format", "today", "watch"])]
    explain: Option<String>,
}

/// A day such as 2027-01-31; a date's parser takes a time behind it, too.
fn day(text: &str) -> Result<Date, String> {
    let day = text.parse().ok().filter(|_| text.len() == "2027-01-31".len());
    day.ok_or_else(|| "write a date, such as 2027-01-31".to_owned())
}

pub(super) fn run(args: &CheckArgs) -> Exit {
    match &args.explain {
        Some(code) => print(|output| code::explain(code, output)),
        None if args.watch => print(|output| watch::run(args, output)),
        None => print(|output| args.check(output)),
    }
}

/// The result of a check: of Sigma rules, or of rules of this program.
struct Checked {
    diagnostics: Vec<Diagnostic>,
    /// How many rules can be used.
    rules: usize,
    /// The last line for reading.
    summary: String,
}

impl CheckArgs {
    /// Checks the rules and prints the result.
    fn check(&self, output: &mut Output<'_>) -> io::Result<Exit> {
        let (own, of_sigma) = sigma::split(&self.paths);
        let mut all = Vec::new();
        if !of_sigma.is_empty() {
            all.push(Checked::of_sigma(&of_sigma));
        }
        if !own.is_empty() || of_sigma.is_empty() {
            let today = self.today.unwrap_or_else(|| Offset::UTC.to_datetime(Timestamp::now()).date());
            all.push(Checked::of_own(&own, today));
        }
        let is_broken = all.iter().flat_map(|checked| &checked.diagnostics).any(Diagnostic::is_error);
        match self.format {
            CheckFormat::Text | CheckFormat::Github => {
                all.iter().try_for_each(|checked| self.print(checked, output))?
            }
            CheckFormat::Json | CheckFormat::Sarif => {
                let rules = all.iter().map(|checked| checked.rules).fold(0, usize::saturating_add);
                let mut diagnostics: Vec<Diagnostic> =
                    all.into_iter().flat_map(|checked| checked.diagnostics).collect();
                sort_diagnostics(&mut diagnostics);
                if self.format == CheckFormat::Json {
                    self.write(&Document::new(rules, &diagnostics), output)?;
                } else {
                    self.write(&sarif::of_diagnostics(&diagnostics), output)?;
                }
            }
        }
        Ok(if is_broken { Exit::Usage } else { Exit::Success })
    }

    fn print(&self, checked: &Checked, output: &mut Output<'_>) -> io::Result<()> {
        match self.format {
            CheckFormat::Github => annotations::print(output.out, &checked.diagnostics)?,
            _ => print_diagnostics(output.out, &checked.diagnostics, output.color)?,
        }
        writeln!(output.out, "{}", sanitise(&checked.summary))
    }

    /// Writes a document, of several each in a line of its own.
    fn write(&self, document: &impl Serialize, output: &mut Output<'_>) -> io::Result<()> {
        if !self.watch {
            return write_indented(document, output.out);
        }
        write_compact(document, &mut output.out)?;
        writeln!(output.out)
    }
}

impl Checked {
    /// Checks Sigma rules. A rule that needs an unsupported feature is not a mistake.
    fn of_sigma(paths: &[PathBuf]) -> Self {
        let rules = match SigmaRules::load(paths) {
            Ok(rules) => rules,
            Err(error) => {
                let nowhere = YamlText::new(display_path(&error.path), String::new());
                let message = format!("cannot be read: {}", error.reason);
                let unread = Diagnostic::error(Code::R001, &nowhere, Span::file_start(), message);
                let diagnostics = vec![unread];
                return Self { rules: 0, summary: counts(&diagnostics), diagnostics };
            }
        };
        let faults = rules.rejected.iter().flat_map(|rejected| &rejected.faults);
        let diagnostics = faults.map(|fault| fault.diagnostic.clone()).collect();
        Self { rules: rules.len(), summary: rules.summary(), diagnostics }
    }

    /// Checks rules of this program.
    fn of_own(paths: &[PathBuf], today: Date) -> Self {
        let rules = match RuleSet::check(paths, Some(today)) {
            Ok(rules) => rules,
            Err(diagnostics) => return Self { rules: 0, summary: counts(&diagnostics), diagnostics },
        };
        rules.notes().iter().for_each(|note| stream::note(note));
        let expected = rules.expected_files().iter().filter_map(|path| rules.read_expected(path).err());
        let diagnostics: Vec<Diagnostic> = rules.warnings().iter().cloned().chain(expected.flatten()).collect();
        let checked = rules.rules().iter().filter(|rule| is_meant(rule, paths)).count();
        let summary = format!("{}{}: {}", counted(checked, "rule"), overlays(&rules), counts(&diagnostics));
        Self { rules: checked, summary, diagnostics }
    }
}

/// How many errors and warnings: "1 error, 0 warnings".
fn counts(diagnostics: &[Diagnostic]) -> String {
    let (errors, warnings) = errors_and_warnings(diagnostics);
    format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
}

fn errors_and_warnings(diagnostics: &[Diagnostic]) -> (usize, usize) {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    (errors, diagnostics.len().saturating_sub(errors))
}

/// The changes of rule sets to other rule sets, and the lists that they add: ", 1 override, 2 rules disabled".
fn overlays(rules: &RuleSet) -> String {
    let infos = rules.infos();
    let sum = |count: fn(&RuleSetInfo) -> usize| infos.iter().map(count).fold(0, usize::saturating_add);
    let counts = [
        (sum(|set| set.overrides), "override", ""),
        (sum(|set| set.disables), "rule", " disabled"),
        (sum(|set| set.suppressions), "suppression", ""),
        (sum(|set| set.lists), "list", ""),
    ];
    let some = counts.into_iter().filter(|(count, _, _)| *count > 0);
    some.map(|(count, noun, done)| format!(", {}{done}", counted(count, noun))).collect()
}
