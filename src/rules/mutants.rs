//! Rules with something left out, to see whether their tests notice: what no test notices could be wrong, or gone, and
//! nobody would know (mutation testing: R. A. DeMillo, R. J. Lipton, F. G. Sayward, Computer 11 (1978), 34-41).

use super::compare::Compare;
use super::condition::Condition;
use super::evaluate::Evaluation;
use super::outcome::Outcome;
use super::required;
use super::rule::{Logic, Rule};
use super::rule_set::RuleSet;
use super::selection::{EntryFilter, FieldTerm, FieldTest, Selection, Term, Test};
use super::self_test::SelfTest;
use super::view::View;
use crate::yaml::Span;

/// What is left out of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// A selection, wherever the condition names it.
    Selection,
    /// One of several terms that must hold together.
    Term,
    /// One of several values, or of several sets of terms, of which one must hold.
    Alternative,
}

impl LeftOut {
    /// Everything that can be left out.
    pub const ALL: [Self; 3] = [Self::Selection, Self::Term, Self::Alternative];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Term => "term",
            Self::Alternative => "alternative",
        }
    }
}

/// A rule without one of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// What kind of part is left out.
    pub left_out: LeftOut,
    /// Which one, in words: ``the selection `a` ``.
    pub what: String,
    /// The line of the rule's file in which it stands.
    pub line: u32,
    /// Whether a test of the rule fails then.
    pub noticed: bool,
}

/// The mutants of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutants {
    /// The rule's id.
    pub rule: String,
    /// The file that it stands in.
    pub file: String,
    /// One for each part of the condition that can be left out: selections first, then by line. A selection that only an
    /// `adjust` names is not among them: tests say whether a rule matches and not how sure it is.
    pub mutants: Vec<Mutant>,
}

impl Mutants {
    /// Whether the tests notice whatever of this kind is left out.
    #[must_use]
    pub fn hold(&self, left_out: LeftOut) -> bool {
        self.mutants.iter().filter(|mutant| mutant.left_out == left_out).all(|mutant| mutant.noticed)
    }
}

impl RuleSet {
    /// Leaves out each part of the rules that are `chosen`, one at a time, and runs the rule's tests without it.
    #[must_use]
    pub fn mutants_of(&self, chosen: impl Fn(&Rule) -> bool) -> Vec<Mutants> {
        self.rules().iter().filter(|rule| chosen(rule)).map(mutants).collect()
    }
}

fn mutants(rule: &Rule) -> Mutants {
    let logic = rule.logic();
    let mut used = vec![false; logic.selections.len()];
    logic.condition.mark_used(&mut used);
    let noticed = |condition: &Condition, selections: &[Selection]| {
        rule.tests().iter().any(|test| !passes(test, logic, condition, selections))
    };
    let mut mutants = Vec::new();
    for (index, selection) in logic.selections.iter().enumerate().filter(|(index, _)| used.get(*index) == Some(&true)) {
        // Where nothing else is asked for, a rule without its only selection matches everything.
        let condition = without(&logic.condition, index).unwrap_or(Condition::All(Vec::new()));
        mutants.push(Mutant {
            left_out: LeftOut::Selection,
            what: format!("the selection `{}`", selection.name),
            line: first_line(selection),
            noticed: noticed(&condition, &logic.selections),
        });
        for part in of_selection(selection) {
            let selections = with(logic, index, part.rest);
            mutants.push(Mutant {
                left_out: part.left_out,
                what: format!("{} of the selection `{}`", part.what, selection.name),
                line: part.span.line,
                noticed: noticed(&logic.condition, &selections),
            });
        }
    }
    mutants.sort_by_key(|mutant| (mutant.left_out != LeftOut::Selection, mutant.line));
    Mutants { rule: rule.id().to_owned(), file: rule.file().to_owned(), mutants }
}

fn passes(test: &SelfTest, logic: &Logic, condition: &Condition, selections: &[Selection]) -> bool {
    let view = View::new(&test.facts, None);
    let truth = required::with(&logic.requires, Evaluation::new(selections, &view).truth(condition), &view);
    // A rule that others supersede matches by itself.
    let expected = if test.expect == Outcome::Superseded { Outcome::Match } else { test.expect };
    expected == Outcome::from(truth)
}

fn first_line(selection: &Selection) -> u32 {
    selection.alternatives.iter().flatten().map(|term| term.span.line).min().unwrap_or_default()
}

/// The selections of a rule with another one in the place of one.
fn with(logic: &Logic, index: usize, other: Selection) -> Vec<Selection> {
    let mut selections = logic.selections.clone();
    if let Some(place) = selections.get_mut(index) {
        *place = other;
    }
    selections
}

/// A condition that does not name a selection; `None` when it names no other.
fn without(condition: &Condition, index: usize) -> Option<Condition> {
    let rest = |parts: &[Condition]| -> Option<Vec<Condition>> {
        let rest: Vec<Condition> = parts.iter().filter_map(|part| without(part, index)).collect();
        (!rest.is_empty()).then_some(rest)
    };
    match condition {
        Condition::Selection(named) => (*named != index).then_some(Condition::Selection(*named)),
        Condition::Not(inner) => without(inner, index).map(|inner| Condition::Not(Box::new(inner))),
        Condition::All(parts) => rest(parts).map(Condition::All),
        Condition::Any(parts) => rest(parts).map(Condition::Any),
    }
}

/// Something with one of its parts left out.
struct Part<T> {
    left_out: LeftOut,
    what: String,
    span: Span,
    rest: T,
}

impl<T> Part<T> {
    /// The same part, left out of what holds this.
    fn within<U>(self, hold: impl FnOnce(T) -> U) -> Part<U> {
        Part { left_out: self.left_out, what: self.what, span: self.span, rest: hold(self.rest) }
    }
}

fn of_selection(selection: &Selection) -> Vec<Part<Selection>> {
    let hold = |alternatives| Selection { name: selection.name.clone(), alternatives };
    let mut parts = Vec::new();
    for (number, rest) in each_left_out(&selection.alternatives) {
        let terms = selection.alternatives.get(number).map(Vec::as_slice).unwrap_or_default();
        let span = terms.iter().map(|term| term.span).min_by_key(|span| span.start).unwrap_or_default();
        let what = format!("alternative {}", number.saturating_add(1));
        parts.push(Part { left_out: LeftOut::Alternative, what, span, rest: hold(rest) });
    }
    for (number, terms) in selection.alternatives.iter().enumerate() {
        let inside = |terms| hold(replaced(&selection.alternatives, number, terms));
        for (left_out, rest) in each_left_out(terms) {
            let Some(term) = terms.get(left_out) else { continue };
            let what = format!("`{}`", term.test.path());
            parts.push(Part { left_out: LeftOut::Term, what, span: term.span, rest: inside(rest) });
        }
        for (place, term) in terms.iter().enumerate() {
            parts
                .extend(of_term(term).into_iter().map(|part| part.within(|term| inside(replaced(terms, place, term)))));
        }
    }
    parts
}

fn of_term(term: &Term) -> Vec<Part<Term>> {
    let hold = |test| Term { span: term.span, test };
    let path = term.test.path();
    match &term.test {
        Test::Fact { index, fact, compare } => of_compare(compare)
            .map(|(number, compare)| Part {
                left_out: LeftOut::Alternative,
                what: format!("value {number} of `{path}`"),
                span: term.span,
                rest: hold(Test::Fact { index: *index, fact, compare }),
            })
            .collect(),
        Test::List { index, list, quantifier, entries } => of_entries(entries)
            .into_iter()
            .map(|(left_out, field, entries)| Part {
                left_out,
                what: match field.and_then(|field| list.fields.get(field)) {
                    Some(field) if left_out == LeftOut::Term => format!("`{}` of `{path}`", field.path),
                    Some(field) => format!("a value of `{}` of `{path}`", field.path),
                    None => format!("an alternative of `{path}`"),
                },
                span: term.span,
                rest: hold(Test::List { index: *index, list, quantifier: *quantifier, entries }),
            })
            .collect(),
        Test::FactKnown { .. } | Test::ListKnown { .. } => Vec::new(),
    }
}

/// What can be left out of what entries must be, with the field that it is of.
fn of_entries(entries: &EntryFilter) -> Vec<(LeftOut, Option<usize>, EntryFilter)> {
    let mut parts = Vec::new();
    for (_, rest) in each_left_out(&entries.alternatives) {
        parts.push((LeftOut::Alternative, None, EntryFilter { alternatives: rest }));
    }
    for (number, terms) in entries.alternatives.iter().enumerate() {
        let inside = |terms| EntryFilter { alternatives: replaced(&entries.alternatives, number, terms) };
        for (place, rest) in each_left_out(terms) {
            parts.push((LeftOut::Term, terms.get(place).map(|term| term.field), inside(rest)));
        }
        for (place, term) in terms.iter().enumerate() {
            let FieldTest::Value(compare) = &term.test else { continue };
            for (_, compare) in of_compare(compare) {
                let term = FieldTerm { test: FieldTest::Value(compare), ..*term };
                parts.push((LeftOut::Alternative, Some(term.field), inside(replaced(terms, place, term))));
            }
        }
    }
    parts
}

/// A comparison with each of its values left out, and that value's number from 1 on.
fn of_compare(compare: &Compare) -> impl Iterator<Item = (usize, Compare)> {
    let all: Vec<Compare> = match compare {
        Compare::Equal(values) => each_left_out(values).map(|(_, values)| Compare::Equal(values)).collect(),
        Compare::Part { place, parts, every } => {
            each_left_out(parts).map(|(_, parts)| Compare::Part { place: *place, parts, every: *every }).collect()
        }
        Compare::Like { patterns, every } => {
            each_left_out(patterns).map(|(_, patterns)| Compare::Like { patterns, every: *every }).collect()
        }
        Compare::Regex { patterns, every } => {
            each_left_out(patterns).map(|(_, patterns)| Compare::Regex { patterns, every: *every }).collect()
        }
        Compare::Place { places, inside } => {
            each_left_out(places).map(|(_, places)| Compare::Place { places, inside: *inside }).collect()
        }
        Compare::Listed { lists, inside } => {
            each_left_out(lists).map(|(_, lists)| Compare::Listed { lists, inside: *inside }).collect()
        }
        Compare::Order { .. } | Compare::Not(_) => Vec::new(),
    };
    (1..).zip(all)
}

/// All but one of several items, for each of them; nothing when there is only one.
fn each_left_out<T: Clone>(items: &[T]) -> impl Iterator<Item = (usize, Vec<T>)> {
    let several = items.len() > 1;
    (0..items.len()).filter(move |_| several).map(move |left_out| {
        let rest = items.iter().enumerate().filter(|(place, _)| *place != left_out);
        (left_out, rest.map(|(_, item)| item.clone()).collect())
    })
}

/// The same items with another one in one place.
fn replaced<T: Clone>(items: &[T], place: usize, item: T) -> Vec<T> {
    let mut items = items.to_vec();
    if let Some(old) = items.get_mut(place) {
        *old = item;
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule with these selections, this condition and these tests.
    fn unnoticed(selections: &str, condition: &str, tests: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rule.yaml");
        let tests: String = tests
            .iter()
            .map(|(facts, expect)| format!("      - {{name: t, facts: {{{facts}}}, expect: {expect}}}\n"))
            .collect();
        let text = format!(
            "schema: 1\nrules:\n  - id: test/mutants\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    \
             severity: low\n    selections: {{{selections}}}\n    condition: {condition}\n    explanation: E.\n    \
             remediation:\n      - {{audience: helpdesk, text: T.}}\n    references: [https://example.com]\n    \
             tests:\n{tests}"
        );
        std::fs::write(&path, text).expect("a file");
        let rules = RuleSet::load(false, &[path]).expect("a rule");
        assert_eq!(rules.run_tests().failed, Vec::new());
        let all = rules.mutants_of(|_| true);
        let left = all.iter().flat_map(|rule| &rule.mutants).filter(|mutant| !mutant.noticed);
        left.map(|mutant| mutant.what.clone()).collect()
    }

    const MATCH: (&str, &str) = ("exception.code: 0xC0000005, process.name: a.exe", "match");

    #[test]
    fn a_selection_that_no_test_needs_is_found() {
        let selections = "code: {exception.code: 0xC0000005}, program: {process.name: a.exe}";
        let other_code = ("exception.code: 0xC0000374, process.name: a.exe", "no-match");
        let other_program = ("exception.code: 0xC0000005, process.name: b.exe", "no-match");
        assert_eq!(unnoticed(selections, "code and program", &[MATCH, other_code]), ["the selection `program`"]);
        assert_eq!(unnoticed(selections, "code and program", &[MATCH, other_code, other_program]), [""; 0]);
    }

    #[test]
    fn what_a_rule_excludes_needs_a_test_too() {
        let selections = "code: {exception.code: 0xC0000005}, known: {process.name: b.exe}";
        let other = ("exception.code: 0xC0000374, process.name: a.exe", "no-match");
        assert_eq!(unnoticed(selections, "code and not known", &[MATCH, other]), ["the selection `known`"]);
    }

    #[test]
    fn terms_and_values_are_left_out_one_at_a_time() {
        let selections = "both: {exception.code: [0xC0000005, 0xC0000006], process.name: a.exe}";
        let other = ("exception.code: 0xC0000374, process.name: a.exe", "no-match");
        let left = unnoticed(selections, "both", &[MATCH, other]);
        assert_eq!(
            left,
            ["`process.name` of the selection `both`", "value 2 of `exception.code` of the selection `both`"]
        );
    }

    #[test]
    fn fields_of_entries_are_terms() {
        let selections = "hook: {modules|any: {name: [hook.dll, hook64.dll], version|lt: 2.0}}";
        let loaded = ("modules: [{name: hook.dll, version: 1.0}]", "match");
        let other = ("modules: [{name: other.dll, version: 1.0}]", "no-match");
        let left = unnoticed(selections, "hook", &[loaded, other]);
        assert_eq!(
            left,
            [
                "`version` of `modules` of the selection `hook`",
                "a value of `name` of `modules` of the selection `hook`"
            ]
        );
    }
}
