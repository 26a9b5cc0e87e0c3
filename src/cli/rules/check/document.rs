//! `crashsift rules check -f json`: `docs/rules.md` describes the keys, `crashsift schema check` is the schema.

use serde::Serialize;
use serde_with::skip_serializing_none;

use super::errors_and_warnings;
use report::model::Made;
use spanned_yaml::{Diagnostic, Span, YamlText};

/// What `rules check` found.
#[derive(Serialize)]
pub(super) struct Document<'d> {
    #[serde(flatten)]
    made: Made,
    /// How many rules can be used.
    rules: usize,
    errors: usize,
    warnings: usize,
    diagnostics: Vec<Entry<'d>>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct Entry<'d> {
    code: &'static str,
    level: &'static str,
    title: &'static str,
    message: &'d str,
    help: Option<&'d str>,
    #[serde(flatten)]
    place: Place<'d>,
    other: Option<Other<'d>>,
}

/// Lines and columns from 1, columns in characters; the end is behind the last character.
#[skip_serializing_none]
#[derive(Serialize)]
struct Place<'d> {
    file: &'d str,
    line: u32,
    column: u32,
    end_line: Option<u32>,
    end_column: Option<u32>,
}

#[derive(Serialize)]
struct Other<'d> {
    label: &'d str,
    #[serde(flatten)]
    place: Place<'d>,
}

impl<'d> Document<'d> {
    pub(super) fn new(rules: usize, diagnostics: &'d [Diagnostic]) -> Self {
        let (errors, warnings) = errors_and_warnings(diagnostics);
        Self { made: Made::NOW, rules, errors, warnings, diagnostics: diagnostics.iter().map(Entry::of).collect() }
    }
}

impl<'d> Entry<'d> {
    fn of(diagnostic: &'d Diagnostic) -> Self {
        let Diagnostic { code, level, file, span, message, help, other } = diagnostic;
        Self {
            code: code.id,
            level: level.word(),
            title: code.title,
            message,
            help: help.as_deref(),
            place: Place::of(file, *span),
            other: other
                .as_deref()
                .map(|other| Other { label: &other.label, place: Place::of(&other.file, other.span) }),
        }
    }
}

impl<'d> Place<'d> {
    fn of(file: &'d YamlText, span: Span) -> Self {
        let (end_line, end_column) = file.end_of(span).unzip();
        Self { file: &file.name, line: span.line, column: span.column, end_line, end_column }
    }
}
