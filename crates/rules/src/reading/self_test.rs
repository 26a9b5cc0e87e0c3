//! The tests of rules, as they are read.

use std::sync::Arc;

use crate::language::unknown::telling_field;
use crate::language::{Outcome, slips, unknown, value};
use crate::reading::impossible_entries;
use facts::schema::{FactDefinition, ListDefinition, list, scalar};
use facts::{FactSet, Record, Value};
use rule_syntax::hints::OUTCOMES;
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Node, Span, YamlText};

/// The tests of a rule.
#[derive(Debug)]
pub(crate) struct Tests {
    /// The file that they are in: that of the rule, or the one beside it.
    pub file: Arc<YamlText>,
    pub all: Vec<SelfTest>,
}

/// A test of a rule.
#[derive(Debug, Clone)]
pub(crate) struct SelfTest {
    pub name: String,
    pub facts: FactSet,
    pub expect: Outcome,
    /// The confidence that the rule must have in this test; `None` where the test does not state it.
    pub confidence: Option<f64>,
    pub span: Span,
}

/// What running the tests of rules gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestOutcome {
    /// Rules that were tested.
    pub rules: usize,
    /// Tests that gave what they expect.
    pub passed: usize,
    /// Tests that did not, in the order of rules and tests.
    pub failed: Vec<TestFailure>,
}

/// A test that did not give what it expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFailure {
    /// The rule's id.
    pub rule: String,
    /// The test's name.
    pub test: String,
    /// The file that the test is in.
    pub file: String,
    /// The line of the test.
    pub line: u32,
    /// What the test expects.
    pub expected: Outcome,
    /// What the rule gave.
    pub got: Outcome,
    /// Why it gave that: the terms that decided, a sentence each.
    pub why: Vec<String>,
}

/// Reads the tests of a rule and requires that both answers are tested. `key` is the place of the list's key: `tests`
/// inside a rule, the rule's id in a file with tests.
pub(crate) fn read(tests: &Node, key: Span, mistakes: &mut Mistakes) -> Vec<SelfTest> {
    let Some(items) = mistakes.items(tests, "`tests`") else { return Vec::new() };
    let tests: Vec<SelfTest> = items.iter().filter_map(|item| read_test(item, mistakes)).collect();
    let expected = |item: &Node| item.get("expect").and_then(Node::text).map(str::to_owned);
    // What a test with a mistake in it was meant to expect is not known.
    if tests.len() < items.len() {
        return tests;
    }
    for wanted in [Outcome::Match, Outcome::NoMatch] {
        if !items.iter().any(|item| expected(item).as_deref() == Some(wanted.word())) {
            let message = format!("no test expects `{wanted}`");
            let help = "a rule is shown to match what it is for, and to leave alone what is close to it";
            mistakes.error_with_help(Code::R050, key, message, help);
        }
    }
    tests
}

fn read_test(item: &Node, mistakes: &mut Mistakes) -> Option<SelfTest> {
    if mistakes.is_full() {
        return None;
    }
    let entries = mistakes.mapping(item, "a test")?;
    let keys = ["name", "facts", "expect", "confidence"];
    mistakes.keys(entries, item.span, "a test", &keys, &["name", "facts", "expect"]);
    let name = item.get("name").and_then(|node| mistakes.text(node, "a test's name")).map(str::to_owned);
    let facts = item.get("facts").and_then(|node| read_facts(node, mistakes));
    let expect = item.get("expect").and_then(|node| {
        let word = mistakes.text(node, "`expect`")?;
        let known = Outcome::EXPECTED.into_iter().find(|outcome| outcome.word() == word);
        if known.is_none() {
            let words = Outcome::EXPECTED.map(Outcome::word).into_iter();
            let help = OUTCOMES.get(word).map(str::to_owned);
            let help = help.unwrap_or_else(|| unknown::help(word, words, "it is one of"));
            mistakes.error_with_help(Code::R014, node.span, format!("a test can't expect `{word}`"), help);
        }
        known
    });
    let confidence = item.get("confidence").map(|node| {
        let confidence = mistakes.confidence(node, "`confidence`")?;
        if matches!(expect, Some(Outcome::NoMatch | Outcome::Skipped)) {
            let help = "only of a rule that matches it can be said how sure it is";
            mistakes.error_with_help(Code::R014, node.span, "a test that expects no match has no confidence", help);
            return None;
        }
        Some(confidence)
    });
    let confidence = confidence.map_or(Some(None), |read| read.map(Some))?;
    Some(SelfTest { name: name?, facts: facts?, expect: expect?, confidence, span: item.span })
}

/// Reads facts as a mapping of paths to values, and of list names to lists of entries.
pub(crate) fn read_facts(node: &Node, mistakes: &mut Mistakes) -> Option<FactSet> {
    let mut facts = FactSet::default();
    let before = mistakes.errors();
    for entry in mistakes.mapping(node, "`facts`")? {
        if mistakes.is_full() {
            return None;
        }
        let name = entry.name();
        if let Some(fact) = scalar(name) {
            if let Some(value) = read_value(fact, &entry.value, mistakes) {
                facts.set(fact.path, value, None);
            }
        } else if let Some(list) = list(name) {
            let records = read_records(list, &entry.value, mistakes);
            facts.set_list(list.name, records);
        } else {
            let help = slips::fact_of_test(name).unwrap_or_else(|| unknown::help_for_fact(name, [].into_iter()));
            mistakes.error_with_help(Code::R020, entry.key.span, format!("there is no fact `{name}`"), help);
        }
    }
    (mistakes.errors() == before).then_some(facts)
}

fn read_records(list: &ListDefinition, node: &Node, mistakes: &mut Mistakes) -> Vec<Record> {
    let Some(items) = node.items() else {
        let message = format!("`{}` is a list of entries, not {}", list.name, node.kind_name());
        let field = telling_field(list);
        let help = format!("write `{}: [{{{field}: ...}}]`; `[]` for a list that is known to be empty", list.name);
        mistakes.error_with_help(Code::R022, node.span, message, help);
        return Vec::new();
    };
    let mut read: Vec<(&Node, Record)> =
        items.iter().filter_map(|item| Some((item, read_record(list, item, mistakes)?))).collect();
    let mut position = 0_u64;
    for (_, record) in &mut read {
        position = complete(list, record, position);
    }
    impossible_entries::look(list, node, &read, mistakes);
    read.into_iter().map(|(_, record)| record).collect()
}

fn read_record(list: &ListDefinition, item: &Node, mistakes: &mut Mistakes) -> Option<Record> {
    let what = format!("an entry of `{}`", list.name);
    if unknown::is_text(list, item, &what, mistakes) {
        return None;
    }
    let entries = mistakes.mapping(item, &what)?;
    for entry in entries.iter().filter(|entry| !list.fields.iter().any(|field| field.path == entry.name())) {
        unknown::field(list, entry.name(), entry.key.span, mistakes);
    }
    let fields = list.fields.iter().filter_map(|field| {
        let value = read_value(field, item.get(field.path)?, mistakes)?;
        Some((field.path, value))
    });
    Some(Record { fields: fields.collect(), from: None })
}

/// Completes an entry with fields that need not be written: its position, in lists whose entries have one, and its
/// distance in seconds, which is the time before or after. `position` is the place behind the entry before; gives
/// the one behind this entry.
fn complete(list: &ListDefinition, record: &mut Record, position: u64) -> u64 {
    let number = |record: &Record, field: &str| match record.get(field) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let away = number(record, "seconds_before").or_else(|| number(record, "seconds_after"));
    for (field, value) in [("position", Some(position)), ("seconds_away", away)] {
        if let (Some(definition), Some(value), None) =
            (list.fields.iter().find(|known| known.path == field), value, record.get(field))
        {
            record.fields.push((definition.path, Value::Number(value)));
        }
    }
    number(record, "position").unwrap_or(position).saturating_add(1)
}

fn read_value(fact: &FactDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Value> {
    let Some(text) = node.text().filter(|_| !node.is_nothing()) else {
        let message = format!("`{}` needs {}, not {}", fact.path, value::noun(fact.kind), node.kind_name());
        let help = "leave a fact out when it shall be absent";
        mistakes.error_with_help(Code::R022, node.span, message, help);
        return None;
    };
    match value::read(fact, text) {
        Ok(value) => Some(value),
        Err(wrong) => {
            mistakes.error_with_help(Code::R022, node.span, format!("{} (`{}`)", wrong.message, fact.path), wrong.help);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{passes, rule};

    #[test]
    fn how_far_away_an_entry_is_need_not_be_written() {
        let asked = "other_incidents|any: {same_site: true, seconds_away|within: 1 h}";
        let tests = [
            ("other_incidents: [{same_site: true, seconds_before: 600}]", "match"),
            ("other_incidents: [{same_site: true, seconds_after: 10 min}]", "match"),
            ("other_incidents: [{same_site: true, seconds_before: 7200}]", "no-match"),
            ("other_incidents: [{same_site: true}]", "skipped"),
        ];
        passes(asked, "it", &tests);
    }

    #[test]
    fn where_an_entry_stands_need_not_be_written() {
        let first = "frames|any: {position: 0, module: a.dll}";
        let tests = [
            ("frames: [{module: a.dll}, {module: b.dll}]", "match"),
            ("frames: [{module: b.dll}, {module: a.dll}]", "no-match"),
            // What is written stands, and counts on.
            ("frames: [{position: 3, module: a.dll}]", "no-match"),
        ];
        passes(first, "it", &tests);
        let next = "frames|any: {position: 4, module: b.dll}";
        let tests = [("frames: [{position: 3, module: a.dll}, {module: b.dll}]", "match"), ("frames: []", "no-match")];
        passes(next, "it", &tests);
        let directly = "frames|sequence: {steps: [{module: a.dll}, {module: b.dll}], adjacent: true}";
        let tests = [
            ("frames: [{module: a.dll}, {module: b.dll}]", "match"),
            ("frames: [{module: a.dll}, {module: c.dll}, {module: b.dll}]", "no-match"),
        ];
        passes(directly, "it", &tests);
    }

    #[test]
    fn a_list_without_positions_gets_none() {
        let rules =
            rule("it: {text|any: {line: x}}", "it", &[("text: [{line: x}]", "match"), ("text: []", "no-match")]);
        let test = rules.rules().first().and_then(|rule| rule.tests().all.first()).expect("a test");
        let fields = &test.facts.list("text").and_then(<[_]>::first).expect("an entry").fields;
        assert_eq!(fields.iter().map(|(field, _)| *field).collect::<Vec<_>>(), ["line"]);
    }
}
