//! The report as a page: HTML, and Markdown for tickets and wikis.
//!
//! Both are templates, files beside this one, that lay out the outline of a report. Every text that a template prints is made
//! harmless on its way out, so that no template can forget it: first characters that act on a terminal or can't be seen, as
//! in the text report, then markup.

mod commands;
mod escape;
mod outline;
mod policy;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::Write;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, Error, Template, context};

use self::commands::Marks;
use self::outline::{BrowserPage, Most};
use super::WriteError;
use super::local_time::readable;
use crate::model::Report;

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
    most: Most {
        evidence: 100,
        frames: 64,
        threads: 200,
        runs: 200,
        around: 40,
        members: 200,
        rows: 10_000,
        files: 500,
        bytes: 1_000,
    },
};

/// The parts of an HTML page that are described one by one.
const GROUP_HTML: &str = include_str!("group.html");
const MACHINE_HTML: &str = include_str!("machine.html");
/// What the page looks like, and what searches, filters and sorts its table and copies commands. The page's policy allows
/// these two by their hashes and nothing else.
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Markdown is pasted into tickets and read there: at most 60 lines about one group and 120 about several, long parts folded.
const TICKET: Format = Format { template: include_str!("ticket.md"), ..MARKDOWN };

/// All of the report as Markdown.
const MARKDOWN: Format = Format {
    template: include_str!("report.md"),
    escape: escape::markdown,
    // Between backticks nothing is markup but the backtick, which no command contains.
    command: Marks { before: "`", after: "`", verbatim: |command, out| out.write_str(command) },
    most: Most { evidence: 12, frames: 8, threads: 30, runs: 30, ..Most::ALL },
};

/// Writes the report as one HTML file that needs nothing else; `all` leaves nothing out.
///
/// # Errors
/// When `out` can't be written to.
pub fn write_html(report: &Report, out: &mut dyn Write, all: bool) -> Result<(), WriteError> {
    let page = BrowserPage::new(report, if all { Most::ALL } else { HTML.most });
    let mut environment = HTML.environment()?;
    environment.add_template("group", GROUP_HTML)?;
    environment.add_template("machine", MACHINE_HTML)?;
    let mut room = page.bytes();
    let groups = fitting(page.groups(), &environment.get_template("group")?, &mut room)?;
    let machines = fitting(page.machines(), &environment.get_template("machine")?, &mut room)?;
    let values = context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        style_hash => policy::STYLE_HASH,
        script => Value::from_safe_string(SCRIPT.to_owned()),
        script_hash => policy::SCRIPT_HASH,
        ..page.around(groups, machines)
    };
    environment.get_template(NAME)?.render_captured_to(values, out)?;
    Ok(())
}

/// Renders the values one by one while they fit into so many bytes; the first always does.
fn fitting(
    all: impl Iterator<Item = Value>,
    template: &Template<'_, '_>,
    room: &mut usize,
) -> Result<Vec<Value>, WriteError> {
    let mut rendered = Vec::new();
    for values in all {
        let text = template.render(values)?;
        match room.checked_sub(text.len()) {
            Some(left) => *room = left,
            None if rendered.is_empty() => *room = 0,
            None => break,
        }
        rendered.push(Value::from_safe_string(text));
    }
    Ok(rendered)
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
    format.environment()?.get_template(NAME)?.render_captured_to(values, out)?;
    Ok(())
}

impl Format {
    /// An environment with the format's template, and with a filter for sentences with commands.
    fn environment(&'static self) -> Result<Environment<'static>, Error> {
        let mut environment = environment(self.escape)?;
        environment.add_filter("commands", |sentence: &str| {
            marked_up(sentence, |sentence, out| commands::write(sentence, &self.command, self.escape, out))
        });
        environment.add_template(NAME, self.template)?;
        Ok(environment)
    }
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
    environment.add_filter("safe", |text: &str| Value::from_safe_string(readable(text).into_owned()));
    environment.set_formatter(move |out, _, value| {
        let text = value.to_string();
        if value.is_safe() { out.write_str(&text) } else { escape(&readable(&text), out) }.map_err(Error::from)
    });
    Ok(environment)
}

/// A value that templates print as it is: what `mark_up` writes of a text, from which the control characters are gone.
///
/// # Errors
/// Those of `mark_up`.
pub fn marked_up(text: &str, mark_up: impl FnOnce(&str, &mut dyn fmt::Write) -> fmt::Result) -> Result<Value, Error> {
    let mut out = String::new();
    mark_up(&readable(text), &mut out)?;
    Ok(Value::from_safe_string(out))
}
