//! Traces: how a rule came to its answer, with every term and what it found.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_with::skip_serializing_none;

use crate::evaluating::{Compared, Entries, Evaluation, Lacking, Row, TIMELINE, View, is_whole, log_coverage};
use crate::judging::weigh::WeighedAdjustment;
use crate::judging::{LessSure, Scale, weigh};
use crate::language::{Along, Effect, EntryFilter, Outcome, Quantifier, Selection, Sequence, Term, Test, Truth};
use crate::loading::Rule;
use facts::{FactType, NeededInput, RelatedIncidents, Value, schema};
use spanned_yaml::YamlText;

/// How a rule came to its answer for one incident.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The rule's id.
    pub rule: String,
    /// Whether it matches: its condition holds, and what it requires is known.
    pub condition: Truth,
    /// Its selections, in the order of the rule.
    pub selections: Vec<SelectionTrace>,
    /// The selections that decided: with others, the answer would have been another one.
    pub decisive: Vec<usize>,
    /// The facts whose absence leaves it undecided, those among them that it requires.
    pub missing: Vec<Missing>,
    /// The rule that matches, too, and takes the place of this one.
    pub superseded_by: Option<String>,
    /// Why a text of it can't be written, where it matches.
    pub error: Option<String>,
    /// How sure it is, if it matches.
    pub confidence: Option<ConfidenceTrace>,
}

/// A fact that is absent.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Its path; of a field that entries of a list lack, the list's name and the field's with a dot between them.
    pub fact: String,
    /// The artifacts that have it.
    pub from: String,
    /// Why it is absent, where that is known: what it lacks of the incident itself.
    pub why: Option<&'static str>,
}

/// How a rule's confidence came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfidenceTrace {
    /// The rule's own confidence.
    pub first: f64,
    /// What can move it, in the order of the rule.
    pub adjustments: Vec<AdjustmentTrace>,
    /// Caps for evidence that is only mentioned or quoted: the highest confidence, and the sentence with the reason.
    #[serde(serialize_with = "write_sentences")]
    pub caps: Vec<(f64, &'static str)>,
    /// The confidence after all adjustments and caps.
    pub confidence: f64,
}

/// An adjustment and whether it counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdjustmentTrace {
    /// The condition as the rule writes it.
    pub when: String,
    /// What it does.
    #[serde(flatten)]
    pub change: Effect,
    /// Whether the condition holds.
    pub holds: Truth,
    /// Whether it moved or capped the confidence.
    pub counts: bool,
}

fn write_sentences<S: Serializer>(caps: &[(f64, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(caps.iter().map(|(_, why)| why))
}

impl Trace {
    /// What the rule made of the incident.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self.condition {
            Truth::True if self.error.is_some() => Outcome::Error,
            Truth::True if self.superseded_by.is_some() => Outcome::Superseded,
            decided => Outcome::from(decided),
        }
    }

    /// The terms that made the rule match, ruled it out or left it undecided, in the order of the rule. The first one
    /// of a rule that is ruled out is where it failed first.
    pub fn deciding_terms(&self) -> impl Iterator<Item = &TermTrace> {
        let selections = self.decisive.iter().filter_map(|index| self.selections.get(*index));
        selections.flat_map(|selection| selection.terms.iter().filter(|term| term.holds == selection.holds))
    }

    /// How many of its terms hold.
    #[must_use]
    pub fn holding(&self) -> usize {
        self.selections.iter().flat_map(|selection| &selection.terms).filter(|term| term.holds == Truth::True).count()
    }

    /// The order in which rules are shown: what matches, then what nearly holds.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let rank = |truth| match truth {
            Truth::True => 0,
            Truth::Undecided => 1,
            Truth::False => 2,
        };
        let sure = |trace: &Self| trace.confidence.as_ref().map_or(0.0, |confidence| confidence.confidence);
        rank(self.condition)
            .cmp(&rank(other.condition))
            .then_with(|| self.superseded_by.is_some().cmp(&other.superseded_by.is_some()))
            .then_with(|| sure(other).total_cmp(&sure(self)))
            .then_with(|| other.holding().cmp(&self.holding()))
            .then_with(|| self.missing.len().cmp(&other.missing.len()))
    }
}

/// A selection and what it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionTrace {
    /// Its name.
    pub name: String,
    /// Whether it holds.
    pub holds: Truth,
    /// Its terms, in the order of the rule.
    pub terms: Vec<TermTrace>,
}

/// A term and what it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermTrace {
    /// How the rule writes it, on one line.
    pub written: String,
    /// The term's lines as in the rule, without the indentation of the first line.
    pub lines: Vec<String>,
    /// Its line in the rule's file.
    pub line: u32,
    /// Whether it holds.
    pub holds: Truth,
    /// The fact or list that it compares.
    pub fact: &'static str,
    /// The fact's value, or how many entries of the list fit; `None` when it is absent.
    pub found: Option<String>,
    /// For a list, the entries that fit.
    pub fits: Entries,
    /// The entries that may fit: they lack a field that the term compares.
    pub may_fit: Entries,
}

impl TermTrace {
    /// The term and its result in a sentence, without full stop.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("line {}: `{}` {}", self.line, self.written, self.answer())
    }

    /// The result without the term itself: `does not hold: it is 0xC0000374`.
    #[must_use]
    pub fn answer(&self) -> String {
        let holds = match self.holds {
            Truth::True => "holds",
            Truth::False => "does not hold",
            Truth::Undecided => "can't be decided",
        };
        let found = self.found.as_deref().map_or_else(|| format!("`{}` is absent", self.fact), str::to_owned);
        format!("{holds}: {found}")
    }
}

/// Follows a rule over the facts of an incident.
pub(crate) fn trace(rule: &Rule, view: &View<'_>) -> Trace {
    let logic = rule.logic();
    let mut evaluation = Evaluation::new(&logic.selections, view);
    let selections = logic.selections.iter().enumerate().map(|(index, selection)| {
        let mut terms: Vec<&Term> = selection.terms().collect();
        terms.sort_by_key(|term| term.span.start);
        SelectionTrace {
            name: selection.name.clone(),
            holds: evaluation.selection(index),
            terms: terms.into_iter().map(|term| trace_term(term, &rule.file, view)).collect(),
        }
    });
    let selections = selections.collect();
    let decisive: BTreeSet<usize> = evaluation.deciding(&logic.condition, true).into_iter().collect();
    let condition = logic.truth(&mut evaluation, view);
    let missing = logic.missing(&mut evaluation, view);
    Trace {
        rule: rule.id().to_owned(),
        condition,
        selections,
        decisive: decisive.into_iter().collect(),
        missing: missing.into_iter().map(|lacking| Missing::explain(lacking, &logic.selections, view)).collect(),
        superseded_by: None,
        error: None,
        confidence: (condition == Truth::True).then(|| {
            let adjustment = |step: &WeighedAdjustment<'_>| AdjustmentTrace {
                when: step.adjustment.written.clone(),
                change: step.adjustment.change,
                holds: step.holds,
                counts: step.counts,
            };
            let weighed = weigh(&Scale::of_rule(rule), &mut evaluation, view, &LessSure::default());
            ConfidenceTrace {
                first: weighed.first,
                adjustments: weighed.steps.iter().map(adjustment).collect(),
                caps: weighed.caps,
                confidence: weighed.confidence,
            }
        }),
    }
}

impl Missing {
    /// Removes artifacts and logs that were given from the artifacts that could contain the fact.
    pub fn leave_out(&mut self, given: &[&str]) {
        match schema::not_given(&self.from, given) {
            Some(left) => self.from = left,
            None => self.why = self.why.or(Some("what can bring it was given, and does not tell it")),
        }
    }

    fn explain(lacking: Lacking, selections: &[Selection], view: &View<'_>) -> Self {
        let log = needed_log(lacking, selections, view).map(|log| log.to_string());
        let why = view.facts().why_absent(lacking.path).filter(|_| lacking.field.is_none());
        Self { fact: lacking.to_string(), from: log.unwrap_or_else(|| brings(lacking).to_owned()), why }
    }
}

/// The log to collect where it is not known whether a list lacks entries: the log that the first undecided term with
/// this list needs.
fn needed_log(lacking: Lacking, selections: &[Selection], view: &View<'_>) -> Option<NeededInput> {
    let mut undecided = selections.iter().flat_map(Selection::terms).filter(|term| {
        term.test.path() == lacking.path && lacking.field.is_none() && term.test.truth(view) == Truth::Undecided
    });
    undecided.find_map(|term| match &term.test {
        Test::List { index, .. } | Test::Sequence { index, .. } => {
            let Some(recorded) = view.recorded_of(*index) else {
                let of_sigma = view.list(*index).is_none() && term.test.entries().any(log_coverage::is_of_sigma);
                return (lacking.path == TIMELINE && of_sigma).then_some(NeededInput::Sigma);
            };
            let before = matches!(term.test, Test::Sequence { .. });
            term.test.entries().find_map(|entries| log_coverage::lacking(entries, before, recorded))
        }
        _ => None,
    })
}

/// The artifacts that contain a fact, a list, or a field of a list's entries that not all of the list's artifacts
/// contain.
fn brings(lacking: Lacking) -> &'static str {
    let Some(list) = schema::list(lacking.path) else {
        return schema::scalar(lacking.path).map_or("", |fact| fact.from);
    };
    let field = list.fields.iter().find(|field| Some(field.path) == lacking.field);
    field.map(|field| field.from).filter(|from| *from != schema::ANY).unwrap_or(list.from)
}

/// Said of what may have happened unrecorded.
const UNCOVERED: &str = ", and the logs do not cover all of the time";

/// How many different values were found, and the first of them.
fn told(values: &[Compared<'_>], kind: FactType) -> String {
    const NAMED: usize = 5;
    let named = values.iter().take(NAMED).map(|value| match value {
        Compared::Text(text) | Compared::Path { text, .. } => (*text).to_owned(),
        Compared::Number(number) => Value::Number(*number).display(kind),
        Compared::Version(version) => version.to_string(),
        Compared::Flag(flag) => flag.to_string(),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match (values.len(), values.len() > NAMED) {
        (0, _) => "no value".to_owned(),
        (1, _) => format!("1 value ({named})"),
        (count, false) => format!("{count} different values ({named})"),
        (count, true) => format!("{count} different values ({named}...)"),
    }
}

/// The ids of the first incidents among entries, where a list is one of incidents.
fn named<'r, 'v: 'r>(
    rows: &'r [Row<'v>],
    fitting: impl Iterator<Item = &'r Row<'v>>,
    others: &[RelatedIncidents],
) -> String {
    const NAMED: usize = 3;
    if others.is_empty() {
        return String::new();
    }
    let places = fitting.filter_map(|row| rows.iter().position(|other| std::ptr::eq(other, row)));
    let ids = places.filter_map(|place| others.get(place)?.named()).flat_map(|named| named.ids);
    let ids: Vec<_> = ids.take(NAMED.saturating_add(1)).collect();
    let shown = ids.get(..NAMED.min(ids.len())).unwrap_or_default().join(", ");
    match ids.len() {
        0 => String::new(),
        count if count > NAMED => format!(" ({shown}...)"),
        _ => format!(" ({shown})"),
    }
}

/// How many incidents that are not in the list may be others that fit, where that leaves a test undecided.
fn unlisted(test: &Test, holds: Truth, index: usize, view: &View<'_>) -> String {
    if holds != Truth::Undecided || view.others_of(index).is_none() {
        return String::new();
    }
    let may_fit = |row: &&Row<'_>| test.entries().any(|entries| entries.truth(row) != Truth::False);
    let rows = view.possible(index).unwrap_or_default();
    match rows.iter().filter(|row| !row.is_listed()).filter(may_fit).count() {
        0 => String::new(),
        count => format!(", and {count} more may, of which nobody knows what they share with this one"),
    }
}

/// What was found of the steps of a sequence, and where it broke off.
fn steps(sequence: &Sequence, rows: &[Row<'_>]) -> String {
    let by_time = matches!(sequence.along, Along::Time { .. });
    let place = if by_time { "time" } else { "position" };
    let unplaced =
        |step: &EntryFilter| rows.iter().filter(|row| step.fits(row) && sequence.may_be_anywhere(row)).count();
    let fitting = sequence.steps.iter().zip(1..).map(|(step, number)| {
        let count = rows.iter().filter(|row| step.fits(row)).count();
        let placed = rows.iter().filter(|row| step.fits(row) && sequence.place(row).is_some()).count();
        let unplaced = unplaced(step);
        let apart = match (unplaced, count.saturating_sub(placed).saturating_sub(unplaced)) {
            (0, 0) => String::new(),
            (0, after) => format!(" ({after} of them after the incident)"),
            (unplaced, 0) => format!(" ({unplaced} of them without a known {place})"),
            (unplaced, after) => format!(" ({unplaced} of them without a known {place}, {after} after the incident)"),
        };
        format!("{count} of {} entries fit step {number}{apart}", rows.len())
    });
    let fitting = fitting.collect::<Vec<_>>().join(", ");
    let found = sequence.found(rows);
    if found.is_empty() {
        let reached = sequence.reached(rows);
        return match sequence.steps.get(reached) {
            Some(step) => {
                let which = if unplaced(step) > 0 { format!(" with a known {place}") } else { String::new() };
                format!("{fitting}; in this order none{which} is there for step {}", reached.saturating_add(1))
            }
            None => fitting,
        };
    }
    let places = found.iter().filter_map(|row| sequence.place(row)).map(|place| place.unsigned_abs().to_string());
    let places = places.collect::<Vec<_>>().join(", ");
    if by_time {
        format!("{fitting}; in this order {places} seconds before")
    } else {
        format!("{fitting}; in this order at the positions {places}")
    }
}

fn trace_term(term: &Term, file: &YamlText, view: &View<'_>) -> TermTrace {
    let holds = term.test.truth(view);
    let found = match &term.test {
        Test::Fact { index, fact, .. } | Test::FactKnown { index, fact, .. } => {
            view.scalar(*index).map(|seen| format!("it is {}", seen.value.display(fact.kind)))
        }
        Test::ListKnown { index, .. } => view.list(*index).map(|rows| format!("it has {} entries", rows.len())),
        Test::List { index, entries, quantifier, .. } => view.list(*index).map(|rows| {
            let fitting = rows.iter().filter(|row| entries.fits(row));
            let perhaps = rows.iter().filter(|row| entries.truth(row) == Truth::Undecided).count();
            let perhaps = match perhaps {
                0 => String::new(),
                more => format!(", and of {more} it is not known"),
            };
            let log = view.recorded_of(*index).and_then(|recorded| log_coverage::lacking(entries, false, recorded));
            let log = log.filter(|_| holds == Truth::Undecided);
            let all = holds != Truth::Undecided || is_whole(*index, entries, false, view);
            let log = match (log, all) {
                (Some(_), _) => UNCOVERED,
                (None, false) => ", and there may be others that rules do not see",
                (None, true) => "",
            };
            let named = named(rows, fitting.clone(), view.facts().related_incidents(term.test.path()));
            let unlisted = unlisted(&term.test, holds, *index, view);
            let fit =
                format!("{} of {} entries fit{named}{perhaps}{unlisted}{log}", fitting.clone().count(), rows.len());
            match quantifier {
                Quantifier::Count(count) => {
                    let different = count.values(fitting.clone()).map(|values| {
                        told(&values, count.distinct.map_or(FactType::Number, |field| field.definition.kind))
                    });
                    let within = count.within.map(|_| count.counted(fitting).len());
                    match (different, within) {
                        (Some(different), Some(_)) => format!("{fit}, within that span with {different}"),
                        (Some(different), None) => format!("{fit}, with {different}"),
                        (None, Some(within)) => format!("{fit}, at most {within} of them within that span"),
                        (None, None) => fit,
                    }
                }
                _ => fit,
            }
        }),
        Test::Sequence { index, sequence, .. } => view.list(*index).map(|rows| {
            let lacks = |step: &EntryFilter| {
                view.recorded_of(*index).is_some_and(|recorded| log_coverage::lacking(step, true, recorded).is_some())
            };
            let is_open = holds == Truth::Undecided && sequence.steps.iter().any(lacks);
            let log = if is_open { UNCOVERED } else { "" };
            format!("{}{}{log}", steps(sequence, rows), unlisted(&term.test, holds, *index, view))
        }),
    };
    let (fits, may_fit) = Entries::found_by(&term.test, view);
    TermTrace {
        written: file.slice(term.span).split_whitespace().collect::<Vec<_>>().join(" "),
        lines: file.lines_of(term.span),
        line: term.span.line,
        holds,
        fact: term.test.path(),
        found,
        fits,
        may_fit,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::rule;
    use facts::{FactSet, Record, Value};

    /// What is said of a sequence of a hang and a crash over these entries: kind, and seconds before.
    fn said(entries: &[(&str, Option<u64>)]) -> String {
        let tests = [("incidents_before: [{kind: hang}]", "match"), ("incidents_before: []", "no-match")];
        let rules = rule("it: {incidents_before|sequence: [{kind: hang}, {kind: crash}]}", "it", &tests);
        let record = |(kind, before): &(&str, Option<u64>)| {
            let before = before.map(|before| ("seconds_before", Value::Number(before)));
            Record { fields: [("kind", Value::Text((*kind).into()))].into_iter().chain(before).collect(), from: None }
        };
        let mut facts = FactSet::default();
        facts.set_list("incidents_before", entries.iter().map(record).collect());
        let trace = rules.trace("t/rule", &facts).expect("a rule");
        trace.deciding_terms().next().expect("a term").answer()
    }

    #[test]
    fn entries_without_a_time_are_told_apart_from_those_that_are_not_there() {
        let answer = said(&[("hang", None), ("crash", Some(5))]);
        assert_eq!(
            answer,
            "can't be decided: 1 of 2 entries fit step 1 (1 of them without a known time), 1 of 2 entries fit step 2; in \
             this order none with a known time is there for step 1"
        );
        let answer = said(&[("hang", Some(3)), ("crash", Some(5))]);
        assert_eq!(
            answer,
            "does not hold: 1 of 2 entries fit step 1, 1 of 2 entries fit step 2; in this order none is there for step 2"
        );
        let answer = said(&[("hang", Some(9)), ("crash", Some(5))]);
        assert!(answer.ends_with("fit step 2; in this order 9, 5 seconds before"), "{answer}");
    }
}
