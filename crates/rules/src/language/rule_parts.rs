//! The parts of a rule: what it asks of an incident, and what it states about those that it matches.

use std::fmt;

use serde::Serialize;
use strum::IntoStaticStr;

use crate::language::{FOUND_GROUP, Selection, Subject, Term, WrittenStep};
use rule_syntax::condition::Condition;
use spanned_yaml::Span;

/// The logic of a rule: what it asks of an incident.
#[derive(Debug)]
pub(crate) struct Logic {
    pub selections: Vec<Selection>,
    pub condition: Condition,
    pub requires: Vec<Subject>,
    /// The places of selections and condition in the file.
    pub span: Span,
}

impl Logic {
    /// The terms of all selections.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.selections.iter().flat_map(Selection::terms)
    }

    /// The logic of a rule that never matches.
    pub fn never() -> Self {
        let (selections, requires) = (Vec::new(), Vec::new());
        Self { selections, condition: Condition::Any(Vec::new()), requires, span: Span::default() }
    }
}

/// The texts of a rule: what it states about the incidents that it matches.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// With places for facts, each with a text for where it is not known.
    pub title: String,
    pub cause: String,
    pub confidence: f64,
    pub severity: Severity,
    pub adjustments: Vec<Adjustment>,
    pub supersedes: Vec<Superseded>,
    pub explanation: String,
    pub remediation: Vec<WrittenStep>,
    pub collect: Vec<Request>,
    pub references: Vec<String>,
}

impl Texts {
    /// Title, explanation and steps: the texts in which facts can stand, but for those of adjustments.
    pub fn with_facts(&self) -> impl Iterator<Item = &str> {
        let steps = self.remediation.iter().flat_map(|written| written.step.texts());
        steps.chain([&self.explanation, &self.title]).map(String::as_str)
    }

    /// Whether a text prints what a named group of an expression finds.
    pub fn print_found(&self) -> bool {
        let says = self.adjustments.iter().map(|adjustment| adjustment.say.as_str());
        self.with_facts().chain(says).any(|text| text.contains(FOUND_GROUP))
    }
}

/// Evidence that moves the confidence.
#[derive(Debug)]
pub(crate) struct Adjustment {
    pub when: Condition,
    /// The condition as the rule has it, and where.
    pub written: String,
    pub span: Span,
    pub change: Effect,
    pub say: String,
}

/// What an adjustment does to the confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Moves it by so much, up or down.
    By(f64),
    /// Caps it: it is no surer than this, whatever else moves it.
    Most(f64),
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::By(by) => write!(f, "{by:+.2}"),
            Self::Most(most) => write!(f, "at most {most:.2}"),
        }
    }
}

/// How much a cause matters to the user, independent of the confidence in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// A nuisance.
    #[default]
    Low,
    /// Work is interrupted.
    Medium,
    /// Work is impossible until it is fixed.
    High,
    /// Data or hardware is at risk.
    Critical,
}

impl Severity {
    /// All severities, the mildest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word for it in rules and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A rule that is superseded, as a rule names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Superseded {
    /// Its id.
    pub id: String,
    /// Where it is named.
    pub span: Span,
}

/// A request for evidence that would make a rule surer.
#[derive(Debug)]
pub(crate) struct Request {
    /// What to collect.
    pub(crate) text: String,
    /// What makes the request needless; each by itself is enough.
    pub(crate) unless: Vec<Unless>,
    /// The names in `unless` as they are written in the rule.
    pub(crate) written: Vec<String>,
}

/// What makes a request needless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unless {
    /// A selection of the rule that holds.
    Selection(usize),
    /// A fact or list that is known.
    Known(Subject),
}

impl Request {
    /// The request as a rule shows it.
    pub fn shown(&self) -> String {
        if self.written.is_empty() {
            return self.text.clone();
        }
        format!("{} (not where there is: {})", self.text, self.written.join(", "))
    }
}
