//! Mutation testing of rules: each part of a rule is left out, to see whether a test of the rule fails then. A part that
//! no test notices could be wrong, and nobody would know (mutation testing: R. A. DeMillo, R. J. Lipton, F. G. Sayward, Computer 11 (1978), 34-41).

use strum::IntoStaticStr;

use crate::checking::run_tests::{expected_confidence, is_as_sure};
use crate::evaluating::required::where_known;
use crate::evaluating::{Evaluation, View};
use crate::judging::{LessSure, Scale, weigh};
use crate::language::{
    Compare, EntryFilter, FieldTerm, FieldTest, NamedList, Outcome, Selection, Sequence, Term, Test,
};
use crate::loading::{Rule, RuleSet};
use crate::reading::SelfTest;
use facts::FactDefinition;
use rule_syntax::condition::Condition;

/// What is left out of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LeftOut {
    /// A selection, wherever the condition names it.
    Selection,
    /// One of several terms that must hold together.
    Term,
    /// One of several alternatives (sets of terms) of a selection.
    Alternative,
    /// What moves or caps the confidence.
    Adjustment,
    /// One of several values with which a fact or field is compared.
    Value,
}

impl LeftOut {
    /// Everything that can be left out.
    pub const ALL: [Self; 5] = [Self::Selection, Self::Term, Self::Alternative, Self::Adjustment, Self::Value];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A rule without one of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// What kind of part is left out.
    pub left_out: LeftOut,
    /// Which one, in words: ``the selection `a` ``.
    pub what: String,
    /// The line of the rule's file that it is in.
    pub line: u32,
    /// Whether a test of the rule fails then.
    pub noticed: bool,
}

/// The mutants of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutants {
    /// The rule's id.
    pub rule: String,
    /// The file that it is in.
    pub file: String,
    /// One for each part of the condition that can be left out, and for each adjustment: selections first, then by
    /// line. Of a selection that only an `adjust` names, no part is left out but the adjustment.
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
    let whole = Scale::of_rule(rule);
    let noticed = |scale: &Scale<'_>| rule.tests().all.iter().any(|test| !passes(test, rule, scale));
    let mut mutants = Vec::new();
    for (index, selection) in logic.selections.iter().enumerate().filter(|(index, _)| logic.condition.uses(*index)) {
        // Where nothing else is asked for, a rule without its only selection matches everything.
        let condition = without(&logic.condition, index).unwrap_or(Condition::All(Vec::new()));
        mutants.push(Mutant {
            left_out: LeftOut::Selection,
            what: format!("the selection `{}`", selection.name),
            line: first_line(selection),
            noticed: noticed(&Scale { condition: &condition, ..whole.clone() }),
        });
        for (left_out, what, line, other) in of_selection(selection) {
            let selections = replaced(&logic.selections, index, other);
            mutants.push(Mutant {
                left_out,
                what: format!("{what} of the selection `{}`", selection.name),
                line,
                noticed: noticed(&Scale { selections: &selections, ..whole.clone() }),
            });
        }
    }
    for (adjustment, adjustments) in whole.adjustments.iter().zip(every_one_left_out(&whole.adjustments)) {
        mutants.push(Mutant {
            left_out: LeftOut::Adjustment,
            what: format!("the adjustment `{}`", adjustment.written),
            line: adjustment.span.line,
            noticed: noticed(&Scale { adjustments, ..whole.clone() }),
        });
    }
    mutants.sort_by_key(|mutant| (mutant.left_out != LeftOut::Selection, mutant.line));
    Mutants { rule: rule.id().to_owned(), file: rule.file().to_owned(), mutants }
}

/// Whether a test of a rule passes with what is left of it.
fn passes(test: &SelfTest, rule: &Rule, scale: &Scale<'_>) -> bool {
    let view = View::new(&test.facts, None);
    let mut evaluation = Evaluation::new(scale.selections, &view);
    let truth = where_known(&rule.logic().requires, evaluation.truth(scale.condition), &view);
    // A rule that others supersede matches by itself.
    let expected = if test.expect == Outcome::Superseded { Outcome::Match } else { test.expect };
    let mut sure = || {
        expected_confidence(rule, test).is_none_or(|expected| {
            is_as_sure(weigh(scale, &mut evaluation, &view, &LessSure::default()).confidence, expected)
        })
    };
    expected == Outcome::from(truth) && sure()
}

fn first_line(selection: &Selection) -> u32 {
    selection.terms().map(|term| term.span.line).min().unwrap_or_default()
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

/// Something with one of its parts left out: the kind of the part, and the part in words.
type Removal<T> = (LeftOut, String, T);

/// What can be left out of a selection, each with its line.
fn of_selection(selection: &Selection) -> Vec<(LeftOut, String, u32, Selection)> {
    let hold = |alternatives| Selection { name: selection.name.clone(), alternatives };
    let mut parts = Vec::new();
    for (number, rest) in each_left_out(&selection.alternatives) {
        let terms = selection.alternatives.get(number).into_iter().flatten();
        let line = terms.map(|term| term.span).min_by_key(|span| span.start).unwrap_or_default().line;
        parts.push((LeftOut::Alternative, format!("alternative {}", number.saturating_add(1)), line, hold(rest)));
    }
    for (number, terms) in selection.alternatives.iter().enumerate() {
        let inside = |terms| hold(replaced(&selection.alternatives, number, terms));
        for (place, rest) in each_left_out(terms) {
            let Some(term) = terms.get(place) else { continue };
            parts.push((LeftOut::Term, format!("`{}`", term.test.path()), term.span.line, inside(rest)));
        }
        for (place, term) in terms.iter().enumerate() {
            parts.extend(of_test(&term.test).into_iter().map(|(left_out, what, test)| {
                let terms = replaced(terms, place, Term { test, span: term.span });
                (left_out, what, term.span.line, inside(terms))
            }));
        }
    }
    parts
}

fn of_test(test: &Test) -> Vec<Removal<Test>> {
    let path = test.path();
    match test {
        Test::Fact { index, fact, compare } => of_compare(compare, fact)
            .map(|(what, compare)| (LeftOut::Value, what, Test::Fact { index: *index, fact, compare }))
            .collect(),
        Test::List { index, list, quantifier, entries } => of_entries(entries)
            .into_iter()
            .map(|(left_out, what, entries)| {
                let test = Test::List { index: *index, list, quantifier: *quantifier, entries };
                (left_out, format!("{what} of `{path}`"), test)
            })
            .collect(),
        Test::Sequence { index, list, sequence } => {
            let with = |steps| Test::Sequence { index: *index, list, sequence: Sequence { steps, ..sequence.clone() } };
            let mut parts = Vec::new();
            for ((number, step), rest) in sequence.steps.iter().enumerate().zip(every_one_left_out(&sequence.steps)) {
                let called = format!("step {} of `{path}`", number.saturating_add(1));
                parts.push((LeftOut::Term, called.clone(), with(rest)));
                parts.extend(of_entries(step).into_iter().map(|(left_out, what, step)| {
                    (left_out, format!("{what} of {called}"), with(replaced(&sequence.steps, number, step)))
                }));
            }
            parts
        }
        Test::FactKnown { .. } | Test::ListKnown { .. } => Vec::new(),
    }
}

/// What can be left out of what entries must be.
fn of_entries(entries: &EntryFilter) -> Vec<Removal<EntryFilter>> {
    let mut parts = Vec::new();
    for (number, alternatives) in each_left_out(&entries.alternatives) {
        let what = format!("alternative {}", number.saturating_add(1));
        parts.push((LeftOut::Alternative, what, EntryFilter { alternatives }));
    }
    for (number, terms) in entries.alternatives.iter().enumerate() {
        let inside = |terms| EntryFilter { alternatives: replaced(&entries.alternatives, number, terms) };
        for (place, rest) in each_left_out(terms) {
            let path = terms.get(place).map_or("", |term| term.field.definition.path);
            parts.push((LeftOut::Term, format!("`{path}`"), inside(rest)));
        }
        for (place, term) in terms.iter().enumerate() {
            let Some(compare) = term.test.compare() else { continue };
            parts.extend(of_compare(compare, term.field.definition).map(|(what, compare)| {
                let term = FieldTerm { test: FieldTest::Value(compare), ..*term };
                (LeftOut::Value, what, inside(replaced(terms, place, term)))
            }));
        }
    }
    parts
}

/// A comparison of a fact with each of its values left out, and that value in words.
fn of_compare(compare: &Compare, fact: &FactDefinition) -> impl Iterator<Item = (String, Compare)> {
    let values: Vec<String> = match compare {
        Compare::Equal(values) => values.iter().map(|value| value.display(fact.kind)).collect(),
        Compare::Part { parts, .. } => parts.iter().map(|part| part.text().to_owned()).collect(),
        Compare::Like { patterns, .. } => patterns.iter().map(ToString::to_string).collect(),
        Compare::Regex { patterns, .. } => patterns.iter().map(|pattern| pattern.written().to_owned()).collect(),
        Compare::Place { places, .. } => places.iter().map(|place| (*place).to_owned()).collect(),
        Compare::Listed { lists, .. } => {
            lists.iter().filter_map(NamedList::get).map(|list| list.name.clone()).collect()
        }
        Compare::Lines { lists, .. } => lists.iter().filter_map(NamedList::get).map(|list| list.name.clone()).collect(),
        Compare::Order { .. } | Compare::Not(_) => Vec::new(),
    };
    let several = values.len() > 1;
    let each = values.into_iter().enumerate().filter(move |_| several);
    each.map(|(place, value)| (format!("the value `{value}` of `{}`", fact.path), compare.without(place)))
}

/// All but one of several items, for each of them; nothing when there is only one.
fn each_left_out<T: Clone>(items: &[T]) -> impl Iterator<Item = (usize, Vec<T>)> {
    every_one_left_out(items).enumerate().filter(|_| items.len() > 1)
}

/// All but one of the items, for each of them.
fn every_one_left_out<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> {
    let without = |left_out: usize| {
        items.iter().enumerate().filter(move |(place, _)| *place != left_out).map(|(_, item)| item.clone()).collect()
    };
    (0..items.len()).map(without)
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
    use crate::testing::rule;

    /// A rule with these selections, this condition and these tests.
    fn unnoticed(selections: &str, condition: &str, tests: &[(&str, &str)]) -> Vec<String> {
        let rules = rule(selections, condition, tests);
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
            [
                "`process.name` of the selection `both`",
                "the value `0xC0000006` of `exception.code` of the selection `both`"
            ]
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
                "the value `hook64.dll` of `name` of `modules` of the selection `hook`"
            ]
        );
    }

    #[test]
    fn an_adjustment_is_needed_where_a_test_says_how_sure_the_rule_is() {
        let selections = "code: {exception.code: 0xC0000005}, program: {process.name: a.exe}";
        let condition = "code\n    adjust: [{when: program, by: 0.2, say: S.}]";
        let other = ("exception.code: 0xC0000374", "no-match");
        assert_eq!(unnoticed(selections, condition, &[MATCH, other]), ["the adjustment `program`"]);
        let sure = (MATCH.0, "match, confidence: 0.7");
        assert_eq!(unnoticed(selections, condition, &[sure, other]), [""; 0]);
    }
}
