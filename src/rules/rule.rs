//! A rule as it is used: everything read, checked and compiled.

use std::sync::Arc;

use super::condition::Condition;
use super::explain::Text;
use super::finding::{Audience, Severity};
use super::selection::Selection;
use super::self_test::SelfTest;
use crate::yaml::{Span, YamlText};

/// One rule of a loaded rule set.
#[derive(Debug)]
pub struct Rule {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) cause: String,
    pub(super) confidence: f64,
    pub(super) severity: Severity,
    pub(super) selections: Vec<Selection>,
    pub(super) condition: Condition,
    pub(super) adjustments: Vec<Adjustment>,
    pub(super) explanation: Text,
    pub(super) remediation: Vec<(Audience, Text)>,
    pub(super) collect: Vec<String>,
    pub(super) references: Vec<String>,
    pub(super) tests: Vec<SelfTest>,
    /// The set that it belongs to, by index.
    pub(super) set: usize,
    pub(super) file: Arc<YamlText>,
    pub(super) span: Span,
    pub(super) id_span: Span,
}

/// Evidence that moves the confidence.
#[derive(Debug)]
pub(super) struct Adjustment {
    pub when: Condition,
    pub by: f64,
    pub say: Text,
}

impl Rule {
    /// Its id, `area/name`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The first part of its id.
    #[must_use]
    pub fn area(&self) -> &str {
        self.id.split_once('/').map_or("", |(area, _)| area)
    }

    /// What it finds, in one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The cause that it names.
    #[must_use]
    pub fn cause(&self) -> &str {
        &self.cause
    }

    /// How often the cause is right when the rule matches, before adjustments.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// What the cause means for the user.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What to do, for whom, as it is written: facts are not filled in.
    pub fn remediation(&self) -> impl Iterator<Item = (Audience, &str)> {
        self.remediation.iter().map(|(audience, text)| (*audience, text.written()))
    }

    /// Why, as it is written: facts are not filled in.
    #[must_use]
    pub fn explanation(&self) -> &str {
        self.explanation.written()
    }

    /// What would make it surer.
    #[must_use]
    pub fn collect(&self) -> &[String] {
        &self.collect
    }

    /// Where the knowledge comes from.
    #[must_use]
    pub fn references(&self) -> &[String] {
        &self.references
    }

    /// How many tests it brings.
    #[must_use]
    pub fn test_count(&self) -> usize {
        self.tests.len()
    }

    /// The file that it stands in, as diagnostics name it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file.name
    }

    /// The line of its id.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.id_span.line
    }

    /// The rule as it is written, without the indentation that all of its lines share.
    #[must_use]
    pub fn written(&self) -> String {
        let indent = (self.span.column as usize).saturating_sub(1);
        let mut text = String::new();
        for (number, line) in self.file.slice(self.span).lines().enumerate() {
            let cut = if number == 0 { 0 } else { indent.min(line.len().saturating_sub(line.trim_start().len())) };
            text.push_str(line.get(cut..).unwrap_or(line).trim_end());
            text.push('\n');
        }
        text
    }
}
