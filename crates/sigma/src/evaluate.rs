//! Whether a record is as a rule asks.
//!
//! What the source of a record does not write is neither so nor not so. A rule that depends on it does not match.

use std::cell::RefCell;

use super::condition::Condition;
use super::detection::{Asks, Field, Selection, Term};
use super::logsource::Source;
use super::modifiers::Position;
use super::record::{Seen, Value, fold};
use super::test::{Test, stands};

/// What a rule asks for.
#[derive(Debug)]
pub(super) struct Detection {
    /// Its selections, by their numbers in the condition.
    pub(super) selections: Vec<Selection>,
    /// How they go together.
    pub(super) condition: Condition,
}

impl Detection {
    /// Whether the record is as the rule asks; `None` where its source does not tell.
    pub(super) fn holds(&self, seen: &Seen<'_>, source: &Source) -> Option<bool> {
        self.condition(&self.condition, &View { seen, source })
    }

    fn condition(&self, condition: &Condition, view: &View<'_>) -> Option<bool> {
        match condition {
            Condition::Selection(number) => selection(self.selections.get(*number)?, view),
            Condition::Not(inner) => self.condition(inner, view).map(|holds| !holds),
            Condition::All(parts) => all(parts.iter().map(|part| self.condition(part, view))),
            Condition::Any(parts) => any(parts.iter().map(|part| self.condition(part, view))),
        }
    }
}

/// A record of a source.
struct View<'v> {
    seen: &'v Seen<'v>,
    source: &'v Source,
}

/// True when all are, false when one is.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

/// True when one is, false when all are.
fn any(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(parts.map(|part| part.map(|holds| !holds))).map(|none| !none)
}

fn selection(selection: &Selection, view: &View<'_>) -> Option<bool> {
    match selection {
        Selection::All(parts) => all(parts.iter().map(|part| self::selection(part, view))),
        Selection::Any(parts) => any(parts.iter().map(|part| self::selection(part, view))),
        Selection::Term(term) => self::term(term, view).map(|holds| holds != term.not),
    }
}

fn term(term: &Term, view: &View<'_>) -> Option<bool> {
    match &term.asks {
        Asks::Exists(there) => view.has(&term.field).map(|has| has == *there),
        Asks::SameAs { fields, all: each, position, cased } => {
            let mut same = fields.iter().map(|other| view.is_same(&term.field, other, *position, *cased));
            if *each { all(&mut same) } else { any(&mut same) }
        }
        Asks::Values { tests, all: each, or_absent } => {
            let passes = |test: &Test| view.any(&term.field, &|value| test.passes(value));
            let holds = if *each {
                all(tests.iter().map(passes))
            } else {
                view.any(&term.field, &|value| tests.iter().any(|test| test.passes(value)))
            };
            if *or_absent && holds == Some(false) { view.has(&term.field).map(|has| !has) } else { holds }
        }
    }
}

impl View<'_> {
    /// Whether a value of the field is as `decide` says.
    fn any(&self, field: &Field, decide: &dyn Fn(Value<'_>) -> bool) -> Option<bool> {
        let seen = self.seen;
        Some(match field {
            Field::EventId => {
                let written = seen.record.event_id().to_string();
                decide(Value { written: &written, folded: &written })
            }
            Field::Provider => decide(seen.provider()),
            // A record that says something of another channel, computer or level has a field of that name.
            Field::Channel => seen.own("Channel", decide).unwrap_or_else(|| seen.channel().is_some_and(decide)),
            Field::Computer => seen.own("Computer", decide).unwrap_or_else(|| seen.computer().is_some_and(decide)),
            Field::Head(name) => return seen.own(name, decide).map_or_else(|| seen.head(name, decide), Some),
            Field::Anything => seen.all().any(decide),
            Field::Data(name) => return seen.any(self.source, name, decide),
        })
    }

    fn has(&self, field: &Field) -> Option<bool> {
        match field {
            Field::Data(name) => self.seen.has(self.source, name),
            Field::Channel => Some(self.seen.record.channel().is_some()),
            Field::Computer => Some(self.seen.record.computer().is_some()),
            Field::Head(name) => match self.seen.own(name, &|_| true) {
                Some(_) => Some(true),
                None => self.seen.record.head(name).map(|text| text.is_some()),
            },
            Field::EventId | Field::Provider | Field::Anything => Some(true),
        }
    }

    /// Whether a value of the other field stands in one of this field.
    fn is_same(&self, field: &Field, other: &str, position: Position, cased: bool) -> Option<bool> {
        let others = RefCell::new(Vec::new());
        self.any(&Field::of(Some(other)), &|value| {
            others.borrow_mut().push(value.written.to_owned());
            false
        })?;
        let others: Vec<String> = others.into_inner();
        self.any(field, &|value| {
            others.iter().any(|other| {
                if cased {
                    stands(other, value.written, position)
                } else {
                    stands(&fold(other), value.folded, position)
                }
            })
        })
    }
}
