//! Texts that templates lay out: files beside this one.

use std::io;

use anstyle::Style;
use minijinja::value::Value;

use super::Output;
use report::page::{environment, marked_up};

/// Columns of the text.
const WIDTH: usize = 100;

/// Writes what a template makes of values. Its filter `strong` is for headings, `wrapped(6)` breaks a text into lines that
/// are indented by 6 columns.
pub(super) fn write(template: &str, values: Value, output: &mut Output<'_>) -> io::Result<()> {
    let strong = output.style(Style::new().bold());
    let mut environment = environment(|text, out| out.write_str(text)).map_err(io::Error::other)?;
    environment
        .add_filter("strong", move |text: &str| marked_up(text, |text, out| write!(out, "{strong}{text}{strong:#}")));
    environment.add_filter("wrapped", |text: &str, indent: usize| {
        marked_up(text, |text, out| out.write_str(&wrapped(text, indent)))
    });
    let text = environment.render_str(template, values).map_err(io::Error::other)?;
    output.out.write_all(text.as_bytes())
}

/// A text in lines of at most [`WIDTH`] columns.
pub(super) fn wrapped(text: &str, indent: usize) -> String {
    let indent = " ".repeat(indent);
    textwrap::fill(text, textwrap::Options::new(WIDTH).initial_indent(&indent).subsequent_indent(&indent))
}
