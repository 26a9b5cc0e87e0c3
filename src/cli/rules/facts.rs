//! `crashsift rules facts`: all facts that rules can ask for, as text and as JSON.

use std::io;

use minijinja::value::Serde;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{Exit, Format, Output, template};
use facts::FactType;
use facts::schema::{ANY, Absent, FactDefinition, LISTS, ListDefinition, SCALARS};
use report::json::write_indented;
use report::model::Made;

/// Arguments of `rules facts`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct FactsArgs {
    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    pub format: Format,
}

/// Prints all facts.
pub(super) fn print(format: Format, output: &mut Output<'_>) -> io::Result<Exit> {
    let all = Document::of_all();
    match format {
        Format::Text => template::write(include_str!("facts.txt"), Serde(all).into(), output)?,
        Format::Json => write_indented(&all, output.out)?,
    }
    Ok(Exit::Success)
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
