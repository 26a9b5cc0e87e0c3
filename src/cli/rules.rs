//! `crashsift rules`: looking at rules, checking and testing them.

mod diff;
mod facts;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};

use super::sigma;
use crate::discover::reason;
use crate::report::json::write_indented;
use crate::report::sanitise;
use crate::rules::{Rule, RuleSet, json_schema};
use crate::sigma::SigmaRules;
use crate::yaml::Diagnostic;

pub use super::output::Format;
pub use diff::{DiffArgs, run as run_diff};
pub use facts::FactsArgs;

/// What `crashsift rules` can do.
#[derive(Debug, Clone, Subcommand)]
pub enum RulesCommand {
    /// List rules, one a line: id, cause, confidence, rule set, title
    List(ListArgs),
    /// Show one rule: what it finds, from which facts, and what to do
    Show(ShowArgs),
    /// Check rule files and folders, and print every mistake (without PATH: the built-in rules)
    Check(PathArgs),
    /// Run the tests inside rules (without PATH: those of the built-in rules)
    Test(PathArgs),
    /// Print all facts that rules can ask for, with their types
    Facts(FactsArgs),
    /// Print the JSON Schema of rule files, for editors that complete and check while a rule is written
    Schema(SourceArgs),
}

/// Which rules are looked at.
#[derive(Debug, Clone, Default, Args)]
pub struct SourceArgs {
    /// Rule file or folder, added to the built-in rules (repeatable)
    #[arg(short = 'r', long = "rules", value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// Leave the built-in rules out
    #[arg(long)]
    pub no_builtin_rules: bool,
}

/// Arguments of `rules list`.
#[derive(Debug, Clone, Default, Args)]
pub struct ListArgs {
    /// Only rules that name this cause
    #[arg(long, value_name = "CAUSE")]
    pub cause: Option<String>,
    /// Only rules of this area, the first part of their ids
    #[arg(long, value_name = "AREA")]
    pub area: Option<String>,
    /// Where the rules come from.
    #[command(flatten)]
    pub sources: SourceArgs,
}

/// Arguments of `rules show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The rule's id, such as memory/stack-overflow
    #[arg(value_name = "ID")]
    pub id: String,
    /// Where the rules come from.
    #[command(flatten)]
    pub sources: SourceArgs,
}

/// Arguments of `rules check` and `rules test`.
#[derive(Debug, Clone, Default, Args)]
pub struct PathArgs {
    /// Rule files and folders; of `check`, also `sigma:PATH`, a file or folder of Sigma rules
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
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
        RulesCommand::List(args) => with_rules(&args.sources, streams, |rules, streams| list(rules, args, streams)),
        RulesCommand::Show(args) => with_rules(&args.sources, streams, |rules, streams| show(rules, &args.id, streams)),
        RulesCommand::Check(args) => check(args, streams),
        RulesCommand::Test(args) => test(args, streams),
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
    match RuleSet::load(!sources.no_builtin_rules, &sources.rules) {
        Ok(rules) => then(&rules, streams),
        Err(mistakes) => {
            print_diagnostics(streams.notes, &mistakes, streams.color)?;
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

fn list(rules: &RuleSet, args: &ListArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    if let Some(cause) = &args.cause
        && rules.causes().get(cause).is_none()
    {
        let help = rules.causes().iter().map(|cause| cause.id.as_str());
        return unknown(streams, "cause", cause, closest(cause, help));
    }
    if let Some(area) = &args.area
        && !rules.rules().iter().any(|rule| rule.area() == area)
    {
        return unknown(streams, "area", area, closest(area, rules.rules().iter().map(Rule::area)));
    }
    let chosen: Vec<&Rule> = rules
        .rules()
        .iter()
        .filter(|rule| args.cause.as_deref().is_none_or(|cause| rule.cause() == cause))
        .filter(|rule| args.area.as_deref().is_none_or(|area| rule.area() == area))
        .collect();
    let set = |rule: &Rule| rules.set_of(rule).map_or("", |set| set.name.as_str()).to_owned();
    let mut table = Table::new(["ID", "CAUSE", "CONFIDENCE", "RULE SET", "TITLE"]);
    for rule in chosen {
        let confidence = format!("{:.2}", rule.confidence());
        table.row([rule.id().to_owned(), rule.cause().to_owned(), confidence, set(rule), rule.title().to_owned()]);
    }
    table.print(streams)?;
    Ok(Outcome::Fine)
}

fn show(rules: &RuleSet, id: &str, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let Some(rule) = rules.rule(id) else {
        return unknown(streams, "rule", id, closest(id, rules.rules().iter().map(Rule::id)));
    };
    let heading = streams.style(Style::new().bold());
    let out = &mut *streams.out;
    writeln!(out, "{heading}{}{heading:#}", sanitise(rule.id()))?;
    writeln!(out, "{}\n", sanitise(rule.title()))?;
    let means = rules.causes().get(rule.cause()).map_or("", |cause| cause.means.as_str());
    writeln!(out, "Cause       {}: {}", sanitise(rule.cause()), sanitise(means))?;
    writeln!(out, "Confidence  {:.2}", rule.confidence())?;
    writeln!(out, "Severity    {}", rule.severity().word())?;
    if let Some(set) = rules.set_of(rule) {
        let set = format!("{} {}, {}:{}", set.name, set.version, rule.file(), rule.line());
        writeln!(out, "Rule set    {}", sanitise(&set))?;
    }
    writeln!(out, "Tests       {}", rule.test_count())?;
    writeln!(out, "\n{heading}When{heading:#}")?;
    indented(out, &rule.logic_written())?;
    if !rule.adjustments().is_empty() {
        writeln!(out, "\n{heading}Surer or less sure{heading:#}")?;
        for (by, when, say) in rule.adjustments() {
            writeln!(out, "  {by:+.2} when {}", sanitise(&format!("{when}: {say}")))?;
        }
    }
    writeln!(out, "\n{heading}Why{heading:#}")?;
    indented(out, rule.explanation())?;
    writeln!(out, "\n{heading}What to do{heading:#}")?;
    for (audience, text) in rule.remediation() {
        writeln!(out, "  {}: {}", audience.word(), sanitise(text))?;
    }
    if !rule.collect().is_empty() {
        writeln!(out, "\n{heading}What would make it surer{heading:#}")?;
        bullets(out, rule.collect())?;
    }
    writeln!(out, "\n{heading}Where this is from{heading:#}")?;
    bullets(out, rule.references())?;
    Ok(Outcome::Fine)
}

fn indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "  {}", sanitise(line)))
}

fn bullets(out: &mut dyn Write, items: &[String]) -> io::Result<()> {
    items.iter().try_for_each(|item| writeln!(out, "  - {}", sanitise(item)))
}

fn check(args: &PathArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let (own, sigma) = sigma::split(&args.paths);
    let checked = if sigma.is_empty() { Outcome::Fine } else { check_sigma(&sigma, streams)? };
    if own.is_empty() && !sigma.is_empty() {
        return Ok(checked);
    }
    let own = check_own(&PathArgs { paths: own }, streams)?;
    Ok(if own == Outcome::Fine { checked } else { own })
}

/// Checks Sigma rules. Those that ask for what is not supported are no mistakes.
fn check_sigma(paths: &[PathBuf], streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let rules = match SigmaRules::load(paths) {
        Ok(rules) => rules,
        Err((path, error)) => {
            let message = format!("error: sigma:{}: {}", path.display(), reason(&error));
            writeln!(streams.notes, "{}", sanitise(&message))?;
            return Ok(Outcome::Unusable);
        }
    };
    let faults = || rules.rejected().iter().flat_map(|rejected| &rejected.faults);
    let diagnostics: Vec<Diagnostic> = faults().map(|fault| fault.diagnostic.clone()).collect();
    print_diagnostics(streams.out, &diagnostics, streams.color)?;
    writeln!(streams.out, "{}", sanitise(&rules.summary()))?;
    Ok(if faults().any(|fault| fault.broken) { Outcome::Unusable } else { Outcome::Fine })
}

fn check_own(args: &PathArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let loaded = RuleSet::check(&args.paths);
    let diagnostics = match &loaded {
        Ok(rules) => rules.warnings(),
        Err(mistakes) => mistakes.as_slice(),
    };
    print_diagnostics(streams.out, diagnostics, streams.color)?;
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let warnings = diagnostics.len().saturating_sub(errors);
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    match &loaded {
        Ok(rules) => {
            let checked = rules.rules().iter().filter(|rule| is_meant(rule, args)).count();
            writeln!(streams.out, "{}: {errors}, {warnings}", counted(checked, "rule"))?;
            Ok(Outcome::Fine)
        }
        Err(_) => {
            writeln!(streams.out, "{errors}, {warnings}")?;
            Ok(Outcome::Unusable)
        }
    }
}

fn test(args: &PathArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let rules = match RuleSet::load(true, &args.paths) {
        Ok(rules) => rules,
        Err(mistakes) => {
            print_diagnostics(streams.notes, &mistakes, streams.color)?;
            return Ok(Outcome::Unusable);
        }
    };
    let outcome = rules.run_tests_of(|rule| is_meant(rule, args));
    for failure in &outcome.failed {
        let place = format!("{}:{}", failure.file, failure.line);
        let failed = format!("{place}: {}: test `{}` failed", failure.rule, failure.test);
        writeln!(streams.out, "{}", sanitise(&failed))?;
        writeln!(streams.out, "  expected {}, got {}", failure.expected, failure.got)?;
        for why in &failure.why {
            writeln!(streams.out, "  {}", sanitise(why))?;
        }
        writeln!(streams.out)?;
    }
    let (rules, failed) = (counted(outcome.rules, "rule"), outcome.failed.len());
    writeln!(streams.out, "{rules}: {} passed, {failed} failed", counted(outcome.passed, "test"))?;
    Ok(if failed == 0 { Outcome::Fine } else { Outcome::TestFailed })
}

/// Whether a rule is one of those that were named: with paths, all but what is inside the program.
fn is_meant(rule: &Rule, args: &PathArgs) -> bool {
    args.paths.is_empty() || !rule.is_embedded()
}

/// Says that something does not exist, and what was probably meant.
fn unknown(streams: &mut Streams<'_>, what: &str, name: &str, close: Option<&str>) -> io::Result<Outcome> {
    match close {
        Some(close) => {
            writeln!(streams.notes, "error: there is no {what} `{}`; did you mean `{close}`?", sanitise(name))?
        }
        None => writeln!(streams.notes, "error: there is no {what} `{}`", sanitise(name))?,
    }
    Ok(Outcome::Unusable)
}

fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    crate::rules::closest(word, known)
}

/// "1 rule", "2 rules".
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

impl Streams<'_> {
    fn style(&self, style: Style) -> Style {
        if self.color { style } else { Style::new() }
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
