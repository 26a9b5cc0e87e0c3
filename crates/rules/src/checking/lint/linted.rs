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

    /// Its title, unless an override gives another.
    pub fn own_title(&self) -> Option<OwnText<'r>> {
        let overridden = self.rule.overrides().iter().any(|change| change.keys.contains(&"title"));
        let span = self.place("title:", self.rule.span.start).unwrap_or(self.rule.id_span);
        (!overridden).then(|| OwnText { text: &self.rule.texts().title, span })
    }

    /// The texts of its own file in which facts can stand, but for its title.
    pub fn own_texts(&self) -> impl Iterator<Item = OwnText<'r>> {
        let texts = self.rule.texts();
        let overridden = self.rule.overrides().iter().any(|change| change.keys.contains(&"explanation"));
        let explanation = (!overridden).then(|| {
            let span = self.place("explanation:", self.rule.span.start).unwrap_or(self.rule.id_span);
            OwnText { text: &texts.explanation, span }
        });
        let says = texts.adjustments.iter().map(|adjustment| OwnText { text: &adjustment.say, span: adjustment.span });
        let steps = self
            .own_steps()
            .iter()
            .flat_map(|written| written.step.texts().map(|text| OwnText { text, span: written.span }));
        explanation.into_iter().chain(says).chain(steps)
    }

    /// The first place of these words behind the beginning of `within`, or else that place.
    pub fn place_of(&self, phrase: &str, within: Span) -> Span {
        self.place(phrase, within.start).unwrap_or(within)
    }

    /// The first place of these words from an offset on, with any blanks and line breaks between them.
    pub fn place(&self, phrase: &str, from: usize) -> Option<Span> {
        let text = self.rule.file.text.get(from..self.rule.span.end)?;
        let first = phrase.split(' ').next()?;
        text.match_indices(first).find_map(|(start, _)| {
            let mut rest = text.get(start..)?;
            for word in phrase.split(' ') {
                rest = rest.trim_start().strip_prefix(word)?;
            }
            let start = from.saturating_add(start);
            let end = from.saturating_add(text.len()).saturating_sub(rest.len());
            Some(self.rule.file.span(start..end))
        })
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

/// A text as a rule writes it, with its place.
pub(super) struct OwnText<'r> {
    pub text: &'r str,
    pub span: Span,
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
