//! `crashsift rules facts`: all facts that rules can ask for, as text and as JSON.

use std::io::{self, Write};

use anstyle::Style;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{Exit, Format, Output};
use facts::FactType;
use facts::schema::{ANY, Absent, FactDefinition, LISTS, ListDefinition, SCALARS};
use report::json::write_indented;
use report::model::Made;

/// Columns of the text.
const WIDTH: usize = 100;

/// Arguments of `rules facts`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct FactsArgs {
    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    pub format: Format,
}

/// Prints all facts.
pub(super) fn print(format: Format, output: &mut Output<'_>) -> io::Result<Exit> {
    match format {
        Format::Text => text(output.style(Style::new().bold()), output.out)?,
        Format::Json => write_indented(&Document::of_all(), output.out)?,
    }
    Ok(Exit::Success)
}

fn text(heading: Style, out: &mut dyn Write) -> io::Result<()> {
    for fact in SCALARS.iter() {
        writeln!(out, "{heading}{}{heading:#}: {}", fact.path, fact.kind.name())?;
        paragraph(out, 4, fact.about)?;
        words(out, 4, fact.kind)?;
        paragraph(out, 4, &format!("From {}.", fact.from))?;
    }
    for list in LISTS.iter() {
        writeln!(out, "\n{heading}{}{heading:#}: list", list.name)?;
        paragraph(out, 4, list.about)?;
        paragraph(out, 4, &format!("From {}.", list.from))?;
        for field in list.fields {
            writeln!(out, "  {heading}{}{heading:#}: {}", field.path, field.kind.name())?;
            paragraph(out, 6, field.about)?;
            words(out, 6, field.kind)?;
            if let Some(absent) = absent(field) {
                paragraph(out, 6, absent)?;
            }
        }
    }
    Ok(())
}

/// The meaning of an entry without this field, unless it only means that the value is unknown.
fn absent(field: &FactDefinition) -> Option<&'static str> {
    match field.absent {
        Absent::Unknown => None,
        Absent::No if field.kind == FactType::Flag => Some("An entry without it counts as `false`."),
        Absent::No => Some("An entry without it has no such thing."),
        Absent::UnknownOf(..) | Absent::UnknownWith(_) | Absent::UnknownUnless(_) => {
            Some("Whether an entry without it has none, or nobody knows it, depends on what the entry is.")
        }
    }
}

/// Prints the words that a fact can be.
fn words(out: &mut dyn Write, indent: usize, kind: FactType) -> io::Result<()> {
    match kind {
        FactType::Word(words) => paragraph(out, indent, &format!("One of: {}", words.join(", "))),
        _ => Ok(()),
    }
}

pub(super) fn paragraph(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(WIDTH).initial_indent(&indent).subsequent_indent(&indent);
    textwrap::wrap(text, options).iter().try_for_each(|line| writeln!(out, "{line}"))
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    made: Made,
    facts: Vec<Fact>,
    lists: Vec<List>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct Fact {
    path: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    words: Option<&'static [&'static str]>,
    means: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    from: &'static str,
    absent: Option<&'static str>,
}

#[derive(Serialize)]
struct List {
    name: &'static str,
    means: &'static str,
    from: &'static str,
    fields: Vec<Fact>,
}

impl Document {
    fn of_all() -> Self {
        Self {
            made: Made::NOW,
            facts: SCALARS.iter().map(Fact::of).collect(),
            lists: LISTS.iter().map(List::of).collect(),
        }
    }
}

impl Fact {
    fn of(fact: &FactDefinition) -> Self {
        let words = match fact.kind {
            FactType::Word(words) => Some(words),
            _ => None,
        };
        Self { path: fact.path, kind: fact.kind.name(), words, means: fact.about, from: fact.from, absent: None }
    }
}

impl List {
    fn of(list: &ListDefinition) -> Self {
        let field = |field: &FactDefinition| Fact {
            from: if field.from == ANY { "" } else { field.from },
            absent: Some(match field.absent {
                Absent::Unknown => "unknown",
                Absent::No => "no",
                Absent::UnknownOf(..) | Absent::UnknownWith(_) | Absent::UnknownUnless(_) => "depends",
            }),
            ..Fact::of(field)
        };
        Self { name: list.name, means: list.about, from: list.from, fields: list.fields.iter().map(field).collect() }
    }
}
