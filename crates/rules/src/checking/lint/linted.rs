//! A rule as lints look at it.

use super::contradictions::{self, Contradiction};
use super::ways::{self, Way};
use crate::language::{Compare, Term, Test, WrittenStep};
use crate::loading::Rule;
use expressions::Pattern;
use facts::FactDefinition;
use spanned_yaml::{Code, Diagnostic, Span};

/// A rule with the ways in which it can match; none where there are too many to look at each, or where it never
/// matches.
pub(super) struct Linted<'r> {
    pub rule: &'r Rule,
    pub ways: Vec<Way<'r>>,
    /// Why it never matches, for each of its ways.
    pub contradictions: Vec<Contradiction<'r>>,
}

impl<'r> Linted<'r> {
    pub fn new(rule: &'r Rule) -> Self {
        let (mut possible, mut contradictions) = (Vec::new(), Vec::new());
        for way in ways::of_rule(rule.logic()).unwrap_or_default() {
            match contradictions::find(rule, &way) {
                Some(contradiction) => contradictions.push(contradiction),
                None => possible.push(way),
            }
        }
        // Where a way is left, the others are what is left over of a condition that says more than one thing.
        if !possible.is_empty() {
            contradictions.clear();
        }
        Self { rule, ways: possible, contradictions }
    }

    /// Notes a warning at a place of the rule.
    pub fn warn(&self, code: Code, span: Span, message: String, help: &str, found: &mut Vec<Diagnostic>) {
        found.push(Diagnostic::warning(code, &self.rule.file, span, message).with_help(help));
    }

    /// The steps that its own file writes; none where an override gives others, whose places are in another file.
    pub fn own_steps(&self) -> &'r [WrittenStep] {
        let overridden = self.rule.overrides().iter().any(|change| change.keys.contains(&"remediation"));
        if overridden { &[] } else { &self.rule.texts().remediation }
    }

    /// All of its terms, in the order of the rule.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.rule.logic().terms()
    }

    /// The regular expressions that it looks for, each with its term and with the fact or field that is compared.
    pub fn expressions(&self) -> impl Iterator<Item = (&Term, &'static FactDefinition, &Pattern)> {
        self.terms().flat_map(|term| {
            comparisons(&term.test).into_iter().flat_map(move |(fact, compare)| {
                let patterns = if let Compare::Regex { patterns, .. } = compare { patterns.as_slice() } else { &[] };
                patterns.iter().map(move |pattern| (term, fact, pattern))
            })
        })
    }
}

/// From this confidence on, a rule calls its cause more probable than not, and needs evidence for that.
pub(super) const PROBABLE: f64 = 0.5;

/// The comparisons of a term, each with the fact, or the field of a list's entries, that is compared.
pub(super) fn comparisons(test: &Test) -> Vec<(&'static FactDefinition, &Compare)> {
    match test {
        Test::Fact { fact, compare, .. } => vec![(fact, compare)],
        _ => test.field_terms().filter_map(|term| Some((term.field.definition, term.test.compare()?))).collect(),
    }
}

/// A term as its rule writes it, on one line.
pub(super) fn written(rule: &Rule, term: &Term) -> String {
    rule.file.slice(term.span).split_whitespace().collect::<Vec<_>>().join(" ")
}
