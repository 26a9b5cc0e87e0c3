//! The report as a page: HTML, and Markdown for tickets and wikis.
//!
//! Both are templates, files beside this one, that lay out the outline of a report. Every text that a template prints is made
//! harmless on its way out, so that no template can forget it: first characters that act on a terminal or can't be seen, as
//! in the text report, then markup.

mod commands;
mod escape;
mod outline;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::Write;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, Error};

use self::commands::Marks;
use self::outline::Most;
use super::WriteError;
use crate::model::Report;
use untrusted::sanitise;

/// Writes a text so that nothing in it is markup.
pub type Escape = fn(&str, &mut dyn fmt::Write) -> fmt::Result;

/// A format for pages.
struct Format {
    template: &'static str,
    escape: Escape,
    /// How commands in sentences are shown.
    command: Marks,
    /// How many items of long lists are shown.
    most: Most,
}

const HTML: Format = Format {
    template: include_str!("report.html"),
    escape: escape::html,
    command: Marks { before: "<code>", after: "</code>", verbatim: escape::html },
    most: Most { evidence: 100, frames: 64, threads: 200, runs: 200 },
};

/// Markdown is pasted into tickets and read there: at most 60 lines about one group and 120 about several, long parts folded.
const TICKET: Format = Format { template: include_str!("ticket.md"), ..MARKDOWN };

/// All of the report as Markdown.
const MARKDOWN: Format = Format {
    template: include_str!("report.md"),
    escape: escape::markdown,
    // Between backticks nothing is markup but the backtick, which no command contains.
    command: Marks { before: "`", after: "`", verbatim: |command, out| out.write_str(command) },
    most: Most { evidence: 12, frames: 8, threads: 30, runs: 30 },
};

/// Writes the report as one HTML file that needs nothing else; `all` leaves nothing out.
///
/// # Errors
/// When `out` can't be written to.
pub fn write_html(report: &Report, out: &mut dyn Write, all: bool) -> Result<(), WriteError> {
    write(&HTML, report, out, all)
}

/// Writes the report as Markdown: what a ticket needs, or with `all` everything.
///
/// # Errors
/// When `out` can't be written to.
pub fn write_markdown(report: &Report, out: &mut dyn Write, all: bool) -> Result<(), WriteError> {
    write(if all { &MARKDOWN } else { &TICKET }, report, out, all)
}

fn write(format: &'static Format, report: &Report, out: &mut dyn Write, all: bool) -> Result<(), WriteError> {
    let values = outline::values(report, if all { Most::ALL } else { format.most });
    let mut environment = environment(format.escape)?;
    environment.add_filter("commands", |sentence: &str| {
        marked_up(sentence, |sentence, out| commands::write(sentence, &format.command, format.escape, out))
    });
    environment.add_template(NAME, format.template)?;
    environment.get_template(NAME)?.render_captured_to(values, out)?;
    Ok(())
}

/// The template's name, which errors show.
const NAME: &str = "report";

/// An environment for templates of pages. Every text that a template prints loses its control characters and is made
/// harmless by `escape`. What is marked as safe ([`marked_up`], the filter `safe`) has lost its control characters before,
/// and keeps its markup: `safe` is for texts without markup of their own, such as ids.
///
/// # Errors
/// Never, unless the syntax that is set here is wrong.
pub fn environment(escape: Escape) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    // A line that holds a block and nothing else leaves no line.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?;
    environment.set_syntax(syntax);
    environment.add_filter("safe", |text: &str| Value::from_safe_string(sanitise(text).into_owned()));
    environment.set_formatter(move |out, _, value| {
        let text = value.to_string();
        if value.is_safe() { out.write_str(&text) } else { escape(&sanitise(&text), out) }.map_err(Error::from)
    });
    Ok(environment)
}

/// A value that templates print as it is: what `mark_up` writes of a text, from which the control characters are gone.
///
/// # Errors
/// Those of `mark_up`.
pub fn marked_up(text: &str, mark_up: impl FnOnce(&str, &mut dyn fmt::Write) -> fmt::Result) -> Result<Value, Error> {
    let mut out = String::new();
    mark_up(&sanitise(text), &mut out)?;
    Ok(Value::from_safe_string(out))
}
