//! `crashsift rules`: looking at rules, checking and testing them.

mod causes;
mod code;
mod diff;
mod facts;
mod list;
mod load;
mod new;
mod pages;
mod shape;
mod show;
mod test;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use super::sigma;
use ::sigma::SigmaRules;
use report::json::write_indented;
use rules::{Rule, RuleSet, RuleSetInfo};
use rules_workbench::json_schema;
use spanned_yaml::Diagnostic;
use untrusted::reason;
use untrusted::sanitise;

pub use super::output::Format;
pub use causes::CausesArgs;
pub use diff::{DiffArgs, run as run_diff};
pub use facts::FactsArgs;
pub use list::ListArgs;
pub(super) use load::{Notes, load};
pub use new::{NewArgs, run as run_new};
pub use pages::{PagesArgs, run as run_pages};
pub use show::ShowArgs;
pub use test::TestArgs;

/// What `crashsift rules` can do.
#[derive(Debug, Clone, Subcommand)]
pub enum RulesCommand {
    /// List rules, one a line: id, cause, confidence, rule set, title
    List(ListArgs),
    /// Show rules: what they find, from which facts, and what to do
    Show(ShowArgs),
    /// Check rule files and folders, and print every mistake and every lint (without PATH: the built-in rules)
    Check(CheckArgs),
    /// Run the tests of rules (without PATH: those of the built-in rules), and analyze folders of artifacts whose
    /// expected.yaml says what they must yield
    Test(TestArgs),
    /// Print all causes that rules can name, with what they mean
    Causes(CausesArgs),
    /// Print all facts that rules can ask for, with their types
    Facts(FactsArgs),
    /// Print the JSON Schema of rule files, for editors that complete and check while a rule is written
    Schema(SourceArgs),
}

/// Which rules are looked at.
#[derive(Debug, Clone, Default, Args)]
pub struct SourceArgs {
    /// File or folder with rules or overlays, added to the built-in rules (repeatable). `list` and `show` take
    /// `sigma:PATH`, too: a file or folder of Sigma rules
    #[arg(short = 'r', long = "rules", value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// Leave the built-in rules out
    #[arg(long)]
    pub no_builtin_rules: bool,
}

/// Which rules `rules check` is about.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckArgs {
    /// Rule files and folders, folders of artifacts with an expected.yaml, and `sigma:PATH`, a file or folder of Sigma
    /// rules
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The day, in UTC, by which suppressions that ended are told, instead of the one that the computer's clock says
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub today: Option<Date>,
    /// Print what a code means that this command prints, such as R019, with an example; nothing is checked
    #[arg(long, value_name = "CODE", conflicts_with_all = ["paths", "today"])]
    pub explain: Option<String>,
}

/// A day such as 2027-01-31; a date's parser takes a time behind it, too.
fn day(text: &str) -> Result<Date, String> {
    let day = text.parse().ok().filter(|_| text.len() == "2027-01-31".len());
    day.ok_or_else(|| "write a date, such as 2027-01-31".to_owned())
}

/// How a rules command ended; its number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong.
    Fine = 0,
    /// A rule's test failed.
    TestFailed = 1,
    /// Rules can't be loaded, or the command line names something that does not exist.
    Unusable = 2,
}

/// Where a command writes, and whether with colours.
pub struct Streams<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Notes about the run, and mistakes where they are not the result.
    pub notes: &'a mut dyn Write,
    /// Whether both understand escape sequences.
    pub color: bool,
}

impl fmt::Debug for Streams<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams").field("color", &self.color).finish_non_exhaustive()
    }
}

/// Runs a rules command.
///
/// # Errors
/// Only what writing to the streams gives.
pub fn run(command: &RulesCommand, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    match command {
        RulesCommand::List(args) => {
            with_sigma(&args.sources, streams, |rules, sigma, streams| list::run(rules, sigma, args, streams))
        }
        RulesCommand::Show(args) => {
            with_sigma(&args.sources, streams, |rules, sigma, streams| show::run(rules, sigma, args, streams))
        }
        RulesCommand::Check(args) => check(args, streams),
        RulesCommand::Test(args) => test::run(args, streams),
        RulesCommand::Causes(args) => {
            with_rules(&args.sources, streams, |rules, streams| causes::run(rules, args, streams))
        }
        RulesCommand::Facts(args) => {
            facts::print(args.format, streams.style(Style::new().bold()), streams.out)?;
            Ok(Outcome::Fine)
        }
        RulesCommand::Schema(sources) => with_rules(sources, streams, |rules, streams| {
            write_indented(&json_schema(rules), streams.out)?;
            Ok(Outcome::Fine)
        }),
    }
}

fn with_rules(
    sources: &SourceArgs,
    streams: &mut Streams<'_>,
    then: impl FnOnce(&RuleSet, &mut Streams<'_>) -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    match load(!sources.no_builtin_rules, &sources.rules, &mut streams.about_loading()) {
        Some(rules) => then(&rules, streams),
        None => Ok(Outcome::Unusable),
    }
}

/// The same with Sigma rules, if there are any.
fn with_sigma(
    sources: &SourceArgs,
    streams: &mut Streams<'_>,
    then: impl FnOnce(&RuleSet, Option<&SigmaRules>, &mut Streams<'_>) -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    let (rules, paths) = sigma::split(&sources.rules);
    let own = SourceArgs { rules, ..*sources };
    if paths.is_empty() {
        return with_rules(&own, streams, |rules, streams| then(rules, None, streams));
    }
    match SigmaRules::load(&paths) {
        Ok(sigma) => with_rules(&own, streams, |rules, streams| then(rules, Some(&sigma), streams)),
        Err((path, error)) => {
            streams.note(&format!("--rules sigma:{}: {}", path.display(), reason(&error)))?;
            Ok(Outcome::Unusable)
        }
    }
}

/// Prints mistakes as they stand in their files, each followed by an empty line.
///
/// # Errors
/// Only what writing gives.
pub fn print_diagnostics(out: &mut dyn Write, diagnostics: &[Diagnostic], color: bool) -> io::Result<()> {
    for diagnostic in diagnostics {
        let plain = diagnostic.render(false);
        // A file can have any name, and anything can stand in it. Without colours, what acts on a terminal is not ours.
        if plain.lines().all(|line| matches!(sanitise(line), Cow::Borrowed(_))) {
            writeln!(out, "{}\n", if color { diagnostic.render(true) } else { plain })?;
        } else {
            plain.lines().try_for_each(|line| writeln!(out, "{}", sanitise(line)))?;
            writeln!(out)?;
        }
    }
    Ok(())
}

fn check(args: &CheckArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    if let Some(code) = &args.explain {
        return code::explain(code, streams);
    }
    let (own, sigma) = sigma::split(&args.paths);
    let checked = if sigma.is_empty() { Outcome::Fine } else { check_sigma(&sigma, streams)? };
    if own.is_empty() && !sigma.is_empty() {
        return Ok(checked);
    }
    let today = args.today.unwrap_or_else(|| Offset::UTC.to_datetime(Timestamp::now()).date());
    let own = check_own(&own, today, streams)?;
    Ok(if own == Outcome::Fine { checked } else { own })
}

/// Checks Sigma rules. Those that ask for what is not supported are no mistakes.
fn check_sigma(paths: &[PathBuf], streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let rules = match SigmaRules::load(paths) {
        Ok(rules) => rules,
        Err((path, error)) => {
            streams.note(&format!("sigma:{}: {}", path.display(), reason(&error)))?;
            return Ok(Outcome::Unusable);
        }
    };
    let faults = || rules.rejected().iter().flat_map(|rejected| &rejected.faults);
    let diagnostics: Vec<Diagnostic> = faults().map(|fault| fault.diagnostic.clone()).collect();
    print_diagnostics(streams.out, &diagnostics, streams.color)?;
    writeln!(streams.out, "{}", sanitise(&rules.summary()))?;
    Ok(if faults().any(|fault| fault.broken) { Outcome::Unusable } else { Outcome::Fine })
}

fn check_own(paths: &[PathBuf], today: Date, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let loaded = RuleSet::check(paths, Some(today));
    let diagnostics = match &loaded {
        Ok(rules) => {
            streams.about_loading().say_all(rules.notes());
            let expected = rules.expected_files().iter().filter_map(|path| rules.read_expected(path).err());
            rules.warnings().iter().cloned().chain(expected.flatten()).collect()
        }
        Err(mistakes) => mistakes.clone(),
    };
    print_diagnostics(streams.out, &diagnostics, streams.color)?;
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let warnings = diagnostics.len().saturating_sub(errors);
    let outcome = if errors > 0 { Outcome::Unusable } else { Outcome::Fine };
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    if let Ok(rules) = &loaded {
        let checked = rules.rules().iter().filter(|rule| is_meant(rule, paths)).count();
        write!(streams.out, "{}{}: ", counted(checked, "rule"), overlays(rules))?;
    }
    writeln!(streams.out, "{errors}, {warnings}")?;
    Ok(outcome)
}

/// What rule sets change in others: ", 1 override, 2 rules disabled", and what lists they add.
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

/// Whether a rule is one of those that were named: with paths, all but what is inside the program.
fn is_meant(rule: &Rule, paths: &[PathBuf]) -> bool {
    paths.is_empty() || !rule.is_embedded()
}

/// Something that does not exist.
struct Unknown<'a> {
    /// What it should be one of.
    what: &'static str,
    name: &'a str,
    /// What was probably meant.
    close: Option<&'a str>,
    /// Where all are listed.
    listed: &'static str,
}

/// Says that something does not exist, and what was probably meant or where all are listed.
fn unknown(streams: &mut Streams<'_>, Unknown { what, name, close, listed }: Unknown<'_>) -> io::Result<Outcome> {
    let help = close.map_or_else(|| listed.to_owned(), |close| format!("did you mean `{close}`?"));
    streams.note(&format!("there is no {what} `{name}`; {help}"))?;
    Ok(Outcome::Unusable)
}

/// "1 rule", "2 rules".
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

impl Streams<'_> {
    fn style(&self, style: Style) -> Style {
        if self.color { style } else { Style::new() }
    }

    /// Prints a note, as all commands do.
    fn note(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.notes, "crashsift: {}", sanitise(text))
    }

    /// Where notes about loading rules go.
    fn about_loading(&mut self) -> Notes<'_> {
        Notes { out: &mut *self.notes, color: self.color, quiet: false }
    }
}

/// Rows in columns as wide as their widest cell; the last column is not filled up.
struct Table<const N: usize> {
    head: [&'static str; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    fn new(head: [&'static str; N]) -> Self {
        Self { head, rows: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| sanitise(&cell).into_owned()));
    }

    fn print(&self, streams: &mut Streams<'_>) -> io::Result<()> {
        let mut widths = self.head.map(str::len);
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let heading = streams.style(AnsiColor::Green.on_default().bold());
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let padded: Vec<String> = cells.zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            padded.join("  ").trim_end().to_owned()
        };
        writeln!(streams.out, "{heading}{}{heading:#}", line(&mut self.head.iter().copied()))?;
        for row in &self.rows {
            writeln!(streams.out, "{}", line(&mut row.iter().map(String::as_str)))?;
        }
        Ok(())
    }
}
