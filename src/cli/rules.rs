//! `crashsift rules`: shows, checks, tests, drafts and compares rules.

mod annotations;
mod causes;
mod check;
mod code;
mod diff;
mod facts;
mod list;
mod load;
mod new;
mod pages;
mod shape;
mod show;
mod template;
mod test;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};

use super::output::Format;
use super::{Exit, sigma, stream};
use ::sigma::SigmaRules;
pub(super) use load::load_rules;
use report::json::write_indented;
use rules::{Rule, RuleSet};
use rules_workbench::json_schema;
use spanned_yaml::Diagnostic;
use untrusted::sanitise;

/// What `crashsift rules` can do: with rules alone, or with artifacts.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List rules, one a line: id, cause, confidence, rule set, title
    List(list::ListArgs),
    /// Show rules: what they find, from which facts, and what to do
    Show(show::ShowArgs),
    /// Check rule files and folders, and print every mistake and every lint (without PATH: the built-in rules)
    Check(check::CheckArgs),
    /// Run the tests of rules (without PATH: those of the built-in rules), and analyze folders of artifacts whose
    /// expected.yaml says what they must yield
    Test(test::TestArgs),
    /// Print all causes that rules can name, with what they mean
    Causes(causes::CausesArgs),
    /// Print all facts that rules can ask for, with their types
    Facts(facts::FactsArgs),
    /// Print the JSON Schema of rule files, for editors that complete and check while a rule is written
    Schema(SourceArgs),
    /// Say which incidents other rules judge otherwise
    Diff(diff::DiffArgs),
    /// Draft a rule for an incident or a group that no rule knows, with its tests
    New(new::NewArgs),
    /// Write a page for every rule and every cause, made of the rules (Markdown)
    Pages(pages::PagesArgs),
}

/// Which rules are looked at.
#[derive(Debug, Clone, Default, Args)]
pub struct SourceArgs {
    /// File or folder with rules or overlays, added to the built-in rules (repeatable). `list` and `show` take
    /// `sigma:PATH`, too: a file or folder of Sigma rules
    #[arg(short = 'r', long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,
    /// Leave the built-in rules out
    #[arg(long)]
    no_builtin_rules: bool,
}

/// Standard output, and whether it understands escape sequences.
struct Output<'o> {
    out: &'o mut dyn Write,
    color: bool,
}

impl Output<'_> {
    /// `style` where the output is coloured, else no style.
    fn style(&self, style: Style) -> Style {
        if self.color { style } else { Style::new() }
    }
}

/// Runs a rules command.
pub fn run(command: &RulesCommand) -> Result<Exit, Exit> {
    Ok(match command {
        RulesCommand::List(args) => {
            let (rules, sigma) = args.sources.load_with_sigma()?;
            print(|output| list::run(&rules, sigma.as_deref(), args, output))
        }
        RulesCommand::Show(args) => {
            let (rules, sigma) = args.sources.load_with_sigma()?;
            print(|output| show::run(&rules, sigma.as_deref(), args, output))
        }
        RulesCommand::Check(args) => check::run(args),
        RulesCommand::Test(args) => return test::run(args),
        RulesCommand::Causes(args) => {
            let rules = args.sources.load()?;
            print(|output| causes::print(&rules, args.format, output))
        }
        RulesCommand::Facts(args) => print(|output| facts::print(args.format, output)),
        RulesCommand::Schema(sources) => {
            let rules = sources.load()?;
            stream::print(|out| write_indented(&json_schema(&rules), out))
        }
        RulesCommand::Diff(args) => return diff::run(args),
        RulesCommand::New(args) => return new::run(args),
        RulesCommand::Pages(args) => return pages::run(args),
    })
}

/// Prints a result to standard output; `write` also decides the exit code.
fn print(write: impl FnOnce(&mut Output<'_>) -> io::Result<Exit>) -> Exit {
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut exit = Exit::Success;
    let printed = stream::print(|out| {
        exit = write(&mut Output { out, color })?;
        Ok(())
    });
    if exit == Exit::Success { printed } else { exit }
}

impl SourceArgs {
    /// Loads the rules; `Err` after every mistake in them was printed.
    fn load(&self) -> Result<RuleSet, Exit> {
        load_rules(!self.no_builtin_rules, &self.rules, false)
    }

    /// Loads the rules, and the Sigma rules among the paths.
    fn load_with_sigma(&self) -> Result<(RuleSet, Option<Arc<SigmaRules>>), Exit> {
        let (rules, paths) = sigma::split(&self.rules);
        let sigma = sigma::load(&paths, true)?;
        Ok((load_rules(!self.no_builtin_rules, &rules, false)?, sigma))
    }
}

/// The most mistakes that are printed with the lines of their files.
const MOST_PRINTED: usize = 300;

/// Prints mistakes with the lines of their files, each followed by an empty line; of very many, the first.
fn print_diagnostics(out: &mut dyn Write, diagnostics: &[Diagnostic], color: bool) -> io::Result<()> {
    for diagnostic in diagnostics.iter().take(MOST_PRINTED) {
        let plain = diagnostic.render(false);
        // A file can have any name and any content. Control characters in the plain text are from the file.
        if plain.lines().all(|line| matches!(sanitise(line), Cow::Borrowed(_))) {
            writeln!(out, "{}\n", if color { diagnostic.render(true) } else { plain })?;
        } else {
            plain.lines().try_for_each(|line| writeln!(out, "{}", sanitise(line)))?;
            writeln!(out)?;
        }
    }
    let more = diagnostics.len().saturating_sub(MOST_PRINTED);
    if more > 0 {
        writeln!(out, "and {more} more that are not shown\n")?;
    }
    Ok(())
}

/// Whether a command is about this rule: with paths, about all rules but the built-in ones.
fn is_meant(rule: &Rule, paths: &[PathBuf]) -> bool {
    paths.is_empty() || !rule.is_embedded()
}

/// A name on the command line that does not exist.
struct Unknown<'a> {
    /// The kind of thing that it should name.
    what: &'static str,
    name: &'a str,
    /// The existing name that was probably meant.
    close: Option<&'a str>,
    /// Which command lists all names.
    see: &'static str,
}

/// Notes that a name does not exist, with the name that was probably meant or the command that lists all.
fn unknown(Unknown { what, name, close, see }: Unknown<'_>) -> Exit {
    let help = close.map_or_else(|| see.to_owned(), |close| format!("did you mean `{close}`?"));
    stream::note(&format!("there is no {what} `{name}`; {help}"));
    Exit::Usage
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

    fn print(&self, output: &mut Output<'_>) -> io::Result<()> {
        let mut widths = self.head.map(str::len);
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let heading = output.style(AnsiColor::Green.on_default().bold());
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let padded: Vec<String> = cells.zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            padded.join("  ").trim_end().to_owned()
        };
        writeln!(output.out, "{heading}{}{heading:#}", line(&mut self.head.iter().copied()))?;
        for row in &self.rows {
            writeln!(output.out, "{}", line(&mut row.iter().map(String::as_str)))?;
        }
        Ok(())
    }
}
