//! Deciding conditions, with "nobody knows" as a third answer beside true and false (Kleene's logic).

use std::collections::{BTreeMap, BTreeSet};

use super::compare::Compare;
use super::condition::Condition;
use super::selection::{Count, EntryFilter, FieldTerm, FieldTest, Quantifier, Selection, Term, Test, Window};
use super::view::{Compared, Row, View};
use crate::facts::{EvidenceRef, NamedIncidents, Others, Relation};

/// The answer to a question about facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Facts that would decide it are absent.
    Undecided,
}

impl Truth {
    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Undecided => Self::Undecided,
        }
    }

    /// All must hold. Stops at the first that does not.
    fn all(parts: impl Iterator<Item = Self>) -> Self {
        let mut answer = Self::True;
        for part in parts {
            match part {
                Self::False => return Self::False,
                Self::Undecided => answer = Self::Undecided,
                Self::True => {}
            }
        }
        answer
    }

    /// One must hold. Stops at the first that does.
    fn any(parts: impl Iterator<Item = Self>) -> Self {
        Self::all(parts.map(Self::not)).not()
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// What a rule that matches rests on.
#[derive(Default)]
pub(super) struct RestsOn {
    /// Evidence of the incident.
    pub evidence: BTreeSet<EvidenceRef>,
    /// Other incidents.
    pub incidents: BTreeMap<Relation, NamedIncidents>,
}

impl RestsOn {
    fn name<'o>(&mut self, others: impl IntoIterator<Item = &'o Others>) {
        for named in others.into_iter().filter_map(Others::named) {
            // Facts that count the same incidents name the same; the records of a list are one incident each.
            let known = self.incidents.entry(named.relation).or_insert_with(|| NamedIncidents {
                relation: named.relation,
                ids: Vec::new(),
                more: named.more,
            });
            let new = named.ids.into_iter().filter(|id| !known.ids.contains(id));
            known.ids.extend(new.collect::<Vec<_>>());
        }
    }
}

/// How many selections of a rule are decided only once.
const REMEMBERED: usize = 32;

/// One rule's selections over one incident's facts.
pub(super) struct Evaluation<'a, 'f> {
    selections: &'a [Selection],
    view: &'a View<'f>,
    /// Answers to the first selections; a rule with more of them than any has is asked again.
    decided: [Option<Truth>; REMEMBERED],
}

impl<'a, 'f> Evaluation<'a, 'f> {
    pub fn new(selections: &'a [Selection], view: &'a View<'f>) -> Self {
        Self { selections, view, decided: [None; REMEMBERED] }
    }

    /// Whether a condition holds.
    pub fn truth(&mut self, condition: &Condition) -> Truth {
        match condition {
            Condition::Selection(index) => self.selection(*index),
            Condition::Not(inner) => self.truth(inner).not(),
            Condition::All(parts) => Truth::all(parts.iter().map(|part| self.truth(part))),
            Condition::Any(parts) => Truth::any(parts.iter().map(|part| self.truth(part))),
        }
    }

    /// Whether a selection holds.
    pub fn selection(&mut self, index: usize) -> Truth {
        if let Some(truth) = self.decided.get(index).copied().flatten() {
            return truth;
        }
        let truth = self.selections.get(index).map_or(Truth::Undecided, |selection| selection.truth(self.view));
        if let Some(slot) = self.decided.get_mut(index) {
            *slot = Some(truth);
        }
        truth
    }

    /// The facts whose absence leaves a condition undecided. Nothing for conditions that are decided.
    pub fn missing(&mut self, condition: &Condition, paths: &mut BTreeSet<&'static str>) {
        if self.truth(condition) != Truth::Undecided {
            return;
        }
        match condition {
            Condition::Selection(index) => {
                let Some(selection) = self.selections.get(*index) else { return };
                let open = selection.alternatives.iter().filter(|terms| truth_of(terms, self.view) == Truth::Undecided);
                let terms = open.flatten().filter(|term| term.test.truth(self.view) == Truth::Undecided);
                paths.extend(terms.map(|term| term.test.path()));
            }
            Condition::Not(inner) => self.missing(inner, paths),
            Condition::All(parts) | Condition::Any(parts) => {
                for part in parts {
                    self.missing(part, paths);
                }
            }
        }
    }

    /// The evidence behind a condition that holds: that of every term that held. What a `not` excludes is no evidence.
    pub fn rests_on(&mut self, condition: &Condition, on: &mut RestsOn) {
        if self.truth(condition) != Truth::True {
            return;
        }
        match condition {
            Condition::Selection(index) => {
                let Some(selection) = self.selections.get(*index) else { return };
                let held = selection.alternatives.iter().filter(|terms| truth_of(terms, self.view) == Truth::True);
                for term in held.flatten() {
                    term.test.rests_on(self.view, on);
                }
            }
            Condition::Not(_) => {}
            Condition::All(parts) | Condition::Any(parts) => {
                for part in parts {
                    self.rests_on(part, on);
                }
            }
        }
    }
}

fn truth_of(terms: &[Term], view: &View<'_>) -> Truth {
    Truth::all(terms.iter().map(|term| term.test.truth(view)))
}

impl Selection {
    /// Whether one of the alternatives holds.
    pub fn truth(&self, view: &View<'_>) -> Truth {
        Truth::any(self.alternatives.iter().map(|terms| truth_of(terms, view)))
    }
}

impl Test {
    /// Whether the test holds; undecided when its fact or list is absent.
    pub fn truth(&self, view: &View<'_>) -> Truth {
        match self {
            Self::Fact { index, compare, .. } => match view.scalar(*index) {
                // What is only mentioned is not shown to be so; that it is not so holds all the same.
                Some(seen) => match compare.holds(seen.compared()) {
                    true if view.in_doubt(*index) => Truth::Undecided,
                    holds => holds.into(),
                },
                None => Truth::Undecided,
            },
            Self::FactKnown { index, known, .. } => (view.scalar(*index).is_some() == *known).into(),
            Self::ListKnown { index, known, .. } => (view.list(*index).is_some() == *known).into(),
            Self::List { index, quantifier, entries, .. } => match view.list(*index) {
                Some(rows) => {
                    let rows = if entries.may_fit(*index, view) { rows } else { &[] };
                    quantifier.holds(rows, entries).into()
                }
                None => Truth::Undecided,
            },
        }
    }

    fn rests_on(&self, view: &View<'_>, on: &mut RestsOn) {
        match self {
            Self::Fact { index, .. } | Self::FactKnown { index, .. } => {
                on.evidence.extend(view.scalar(*index).and_then(|seen| seen.from));
                on.name(view.facts().others(self.path()));
            }
            Self::List { index, entries, quantifier, .. } => {
                let rows = view.list(*index).unwrap_or_default();
                let others = view.facts().others(self.path());
                for row in quantifier.counted(rows.iter().filter(|row| entries.fits(row))) {
                    on.evidence.extend(row.from());
                    if !others.is_empty() {
                        let position = rows.iter().position(|other| std::ptr::eq(other, row));
                        on.name(position.and_then(|position| others.get(position)));
                    }
                }
            }
            Self::ListKnown { .. } => {}
        }
    }
}

impl Quantifier {
    /// Which of the entries that fit count.
    fn counted<'r, 'v>(self, fitting: impl Iterator<Item = &'r Row<'v>>) -> Vec<&'r Row<'v>> {
        match self {
            Self::Any | Self::None => fitting.collect(),
            Self::Count(count) => count.counted(fitting),
        }
    }

    fn holds(self, rows: &[Row<'_>], entries: &EntryFilter) -> bool {
        let mut fitting = rows.iter().filter(|row| entries.fits(row));
        match self {
            Self::Any => fitting.next().is_some(),
            Self::None => fitting.next().is_none(),
            Self::Count(count) => (count.least..=count.most).contains(&count.of(fitting)),
        }
    }
}

impl Count {
    /// Which of the entries that fit count: all, or those of the span of time that holds the most of them.
    fn counted<'r, 'v>(self, fitting: impl Iterator<Item = &'r Row<'v>>) -> Vec<&'r Row<'v>> {
        match self.within {
            None => fitting.collect(),
            Some(window) => window.fullest(fitting),
        }
    }

    /// How many these are.
    pub fn of<'r, 'v: 'r>(self, fitting: impl Iterator<Item = &'r Row<'v>>) -> u64 {
        u64::try_from(self.counted(fitting).len()).unwrap_or(u64::MAX)
    }
}

impl Window {
    /// The entries of the span that holds the most of them, of several spans the earliest. Both of its ends count.
    fn fullest<'r, 'v>(self, rows: impl Iterator<Item = &'r Row<'v>>) -> Vec<&'r Row<'v>> {
        let distance = |row: &Row<'_>, field: usize| match row.field(field)? {
            Compared::Number(seconds) => Some(i128::from(seconds)),
            _ => None,
        };
        let time = |row: &Row<'_>| {
            let before = distance(row, self.before).and_then(i128::checked_neg);
            before.or_else(|| distance(row, self.after?))
        };
        let mut timed: Vec<(i128, &'r Row<'v>)> = rows.filter_map(|row| Some((time(row)?, row))).collect();
        timed.sort_by_key(|(time, _)| *time);
        let mut fullest = timed.get(..0).unwrap_or_default();
        for (first, (time, _)) in timed.iter().enumerate() {
            let last = time.saturating_add(i128::from(self.seconds));
            let end = timed.partition_point(|(other, _)| *other <= last);
            let span = timed.get(first..end).unwrap_or_default();
            if span.len() > fullest.len() {
                fullest = span;
            }
        }
        fullest.iter().map(|(_, row)| *row).collect()
    }
}

impl EntryFilter {
    /// Whether some entry of a list may fit, as far as that can be told without looking at each.
    fn may_fit(&self, list: usize, view: &View<'_>) -> bool {
        let may_have = |term: &FieldTerm| match &term.test {
            FieldTest::Value(Compare::Equal(values)) => view.may_have(list, term.field, values),
            _ => true,
        };
        self.alternatives.is_empty() || self.alternatives.iter().any(|terms| terms.iter().all(may_have))
    }

    /// Whether an entry fits one of the alternatives. A field that the entry lacks does not fit.
    pub fn fits(&self, row: &Row<'_>) -> bool {
        self.alternatives.is_empty() || self.alternatives.iter().any(|terms| terms.iter().all(|term| term.fits(row)))
    }
}

impl FieldTerm {
    fn fits(&self, row: &Row<'_>) -> bool {
        match &self.test {
            FieldTest::Value(compare) => row.field(self.field).is_some_and(|seen| compare.holds(seen)),
            FieldTest::Known(known) => row.has(self.field) == *known,
        }
    }
}
