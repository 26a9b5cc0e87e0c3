//! Whether a record is as a rule asks.
//!
//! A field that the source of a record does not write is unknown: neither that it has a value nor that it has none holds. A
//! rule whose result depends on such a field does not match.

use std::cell::RefCell;

use super::condition::{Condition, all, any};
use super::detection::{Asks, Field, Selection, Term};
use super::logsource::Source;
use super::modifiers::Position;
use super::record::{Seen, Value, fold};
use super::test::{Test, is_at};

/// What a rule asks for.
#[derive(Debug)]
pub(super) struct Detection {
    /// Its selections, by their numbers in the condition.
    pub(super) selections: Vec<Selection>,
    /// The selections, joined.
    pub(super) condition: Condition<usize>,
}

impl Detection {
    /// Whether the record is as the rule asks; `None` where it depends on a field that its source does not write.
    pub(super) fn holds(&self, seen: &Seen<'_>, source: &Source) -> Option<bool> {
        let view = View { seen, source };
        self.condition.holds(&|number| self.selections.get(*number)?.holds(&|term| view.holds(term)))
    }
}

/// A record together with its source, which decides which fields the record can have.
struct View<'v> {
    seen: &'v Seen<'v>,
    source: &'v Source,
}

impl View<'_> {
    fn holds(&self, term: &Term) -> Option<bool> {
        match &term.asks {
            Asks::Exists(there) => self.has(&term.field).map(|has| has == *there),
            Asks::SameAs { fields, all: each, position, cased } => {
                let mut same = fields.iter().map(|other| self.is_same(&term.field, other, *position, *cased));
                if *each { all(&mut same) } else { any(&mut same) }
            }
            Asks::Values { tests, all: each, or_absent } => {
                let passes = |test: &Test| self.any(&term.field, &|value| test.passes(value));
                let holds = if *each {
                    all(tests.iter().map(passes))
                } else {
                    self.any(&term.field, &|value| tests.iter().any(|test| test.passes(value)))
                };
                if *or_absent && holds == Some(false) { self.has(&term.field).map(|has| !has) } else { holds }
            }
        }
    }

    /// Whether `decide` holds for a value of the field.
    fn any(&self, field: &Field, decide: &dyn Fn(Value<'_>) -> bool) -> Option<bool> {
        let seen = self.seen;
        Some(match field {
            Field::EventId => {
                let written = seen.record.event_id().to_string();
                decide(Value { written: &written, folded: &written })
            }
            Field::Provider => decide(seen.provider()),
            // A record about another channel, computer or level has a field of that name.
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

    /// Whether a value of the other field is in a value of this field, at the position.
    fn is_same(&self, field: &Field, other: &str, position: Position, cased: bool) -> Option<bool> {
        let others = RefCell::new(Vec::new());
        self.any(&Field::of(Some(other)), &|value| {
            others.borrow_mut().push(value.written.to_owned());
            false
        })?;
        let others = others.into_inner();
        self.any(field, &|value| {
            others.iter().any(|other| match cased {
                true => is_at(other, value.written, position),
                false => is_at(&fold(other), value.folded, position),
            })
        })
    }
}
