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
    pub(super) origin: Origin,
    pub(super) file: Arc<YamlText>,
    pub(super) span: Span,
    pub(super) id_span: Span,
    pub(super) logic_span: Span,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The set that it belongs to, by index.
    pub set: usize,
    /// Whether that set is the one inside the program.
    pub embedded: bool,
}

/// Evidence that moves the confidence.
#[derive(Debug)]
pub(super) struct Adjustment {
    pub when: Condition,
    /// The condition as the rule has it.
    pub written: String,
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

    /// Whether it is inside the program.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.origin.embedded
    }

    /// What moves its confidence, as it is written: by how much, on which condition, and the sentence that says so.
    #[must_use]
    pub fn adjustments(&self) -> Vec<(f64, &str, &str)> {
        let adjustments = self.adjustments.iter();
        adjustments.map(|adjustment| (adjustment.by, adjustment.written.as_str(), adjustment.say.written())).collect()
    }

    /// The whole rule as it is written.
    #[must_use]
    pub fn written(&self) -> String {
        self.without_indentation(self.span)
    }

    /// Its selections and its condition as they are written.
    #[must_use]
    pub fn logic_written(&self) -> String {
        self.without_indentation(self.logic_span)
    }

    /// A part of the rule's file without the indentation that its first line has.
    fn without_indentation(&self, span: Span) -> String {
        let indent = (span.column as usize).saturating_sub(1);
        let mut text = String::new();
        for (number, line) in self.file.slice(span).lines().enumerate() {
            let own = line.len().saturating_sub(line.trim_start().len());
            let cut = if number == 0 { 0 } else { indent.min(own) };
            text.push_str(line.get(cut..).unwrap_or(line).trim_end());
            text.push('\n');
        }
        text
    }
}
