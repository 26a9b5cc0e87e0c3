//! Deciding conditions over facts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::evaluating::entries::Lack;
use crate::evaluating::view::PROGRAM;
use crate::evaluating::{Lacking, Row, View, asked_others, log_coverage};
use crate::language::{Compare, EntryFilter, Field, Quantifier, Selection, Term, Test, Truth};
use facts::{EvidenceRef, NAMED, NamedIncidents, RelatedIncidents, Relation};
use rule_syntax::condition::Condition;

/// The list of records, each of which is an item of evidence.
const EVENTS: &str = "events";

/// The evidence on which a match of a rule rests.
#[derive(Default)]
pub(crate) struct RestsOn {
    /// Evidence of the incident.
    pub evidence: BTreeSet<EvidenceRef>,
    /// Entries of lists without an evidence reference of their own: by the list's index, their places in the list.
    pub entries: BTreeMap<usize, BTreeSet<usize>>,
    /// Other incidents.
    pub incidents: BTreeMap<Relation, NamedIncidents>,
    /// All other incidents that were added; those beyond [`NAMED`] are only counted.
    added: BTreeSet<(Relation, Arc<str>)>,
}

impl RestsOn {
    fn name<'o>(&mut self, others: impl IntoIterator<Item = &'o RelatedIncidents>) {
        for named in others.into_iter().filter_map(RelatedIncidents::named) {
            // Facts that count the same incidents name the same; the records of a list are one incident each.
            let known = self.incidents.entry(named.relation).or_insert_with(|| NamedIncidents {
                relation: named.relation,
                ids: Vec::new(),
                more: named.more,
            });
            for id in named.ids {
                if !self.added.insert((named.relation, Arc::clone(&id))) {
                    continue;
                }
                if known.ids.len() < NAMED { known.ids.push(id) } else { known.more = known.more.saturating_add(1) }
            }
        }
    }
}

/// How many selections of a rule are decided only once.
const REMEMBERED: usize = 32;

/// One rule's selections over one incident's facts.
pub(crate) struct Evaluation<'a, 'f> {
    selections: &'a [Selection],
    view: &'a View<'f>,
    /// The answers for the first [`REMEMBERED`] selections; any further selection is decided anew each time.
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

    /// The selections behind a condition's answer, in the order in which it names them: those of the parts that give the
    /// same answer as the whole. `excluded`: also those that a `not` names.
    pub fn deciding(&mut self, condition: &Condition, excluded: bool) -> Vec<usize> {
        match condition {
            Condition::Selection(index) => vec![*index],
            Condition::Not(inner) if excluded => self.deciding(inner, excluded),
            Condition::Not(_) => Vec::new(),
            Condition::All(parts) | Condition::Any(parts) => {
                let whole = self.truth(condition);
                let mut deciding = Vec::new();
                for part in parts {
                    if self.truth(part) == whole {
                        deciding.extend(self.deciding(part, excluded));
                    }
                }
                deciding
            }
        }
    }

    /// The alternatives of selections with this answer.
    fn alternatives(&self, selections: Vec<usize>, answer: Truth) -> impl Iterator<Item = &'a Vec<Term>> {
        let (all, view) = (self.selections, self.view);
        let selections = selections.into_iter().filter_map(|index| all.get(index));
        selections.flat_map(|selection| &selection.alternatives).filter(move |terms| truth_of(terms, view) == answer)
    }

    /// The facts whose absence leaves a condition undecided. Nothing for conditions that are decided.
    pub fn missing(&mut self, condition: &Condition, lacking: &mut BTreeSet<Lacking>) {
        if self.truth(condition) == Truth::Undecided {
            let deciding = self.deciding(condition, true);
            let terms = self.alternatives(deciding, Truth::Undecided).flatten();
            let open = terms.filter(|term| term.test.truth(self.view) == Truth::Undecided);
            open.for_each(|term| term.test.lacks(self.view, lacking));
        }
    }

    /// The evidence behind a condition that holds: that of every term that held. What a `not` excludes is no evidence.
    pub fn rests_on(&mut self, condition: &Condition, on: &mut RestsOn) {
        if self.truth(condition) == Truth::True {
            let deciding = self.deciding(condition, false);
            self.alternatives(deciding, Truth::True).flatten().for_each(|term| term.test.rests_on(self.view, on));
        }
    }
}

fn truth_of(terms: &[Term], view: &View<'_>) -> Truth {
    Truth::all(terms.iter().map(|term| term.test.truth(view)))
}

/// Whether a list is known to hold every entry that would fit: for the timeline, whether logs cover the time span in
/// question; for other incidents, whether none that would fit was left out. `before`: only entries before the incident
/// matter.
pub(crate) fn is_whole(list: usize, entries: &EntryFilter, before: bool, view: &View<'_>) -> bool {
    if let Some(others) = view.others_of(list) {
        return asked_others::is_whole(entries, others);
    }
    view.recorded_of(list).is_none_or(|recorded| log_coverage::lacking(entries, before, recorded).is_none())
}

impl Selection {
    /// Whether one of the alternatives holds.
    pub fn truth(&self, view: &View<'_>) -> Truth {
        Truth::any(self.alternatives.iter().map(|terms| truth_of(terms, view)))
    }
}

impl Test {
    /// Whether the test holds; undecided when its fact or list is absent, or what entries lack would decide it.
    pub fn truth(&self, view: &View<'_>) -> Truth {
        match self {
            Self::Fact { index, compare, .. } => match view.scalar(*index) {
                // What is only mentioned is not shown to be so; that it is not so holds all the same.
                Some(seen) => match compare.truth(seen.compared()) {
                    Truth::True if view.in_doubt(*index) => Truth::Undecided,
                    decided => decided,
                },
                None => Truth::Undecided,
            },
            Self::FactKnown { index, known, .. } => (view.scalar(*index).is_some() == *known).into(),
            Self::ListKnown { index, known, .. } => (view.knows_list(*index) == *known).into(),
            Self::List { index, quantifier, entries, .. } => match view.list(*index) {
                Some(rows) => {
                    let more = || !is_whole(*index, entries, false, view);
                    if let Some(few) = entries.that_may_fit(*index, view) {
                        return quantifier.truth(few.iter().filter_map(|row| rows.get(*row)), entries, more);
                    }
                    if view.others_of(*index).is_none() {
                        return quantifier.truth(rows.iter(), entries, more);
                    }
                    // Where more of them would change nothing, it is not asked which there may be.
                    match quantifier.truth(rows.iter(), entries, || true) {
                        Truth::Undecided => {
                            quantifier.truth(view.possible(*index).unwrap_or(rows).iter(), entries, more)
                        }
                        decided => decided,
                    }
                }
                None => Truth::Undecided,
            },
            Self::Sequence { index, sequence, .. } => match view.list(*index) {
                Some(rows) => {
                    let more = |step: &EntryFilter| !is_whole(*index, step, true, view);
                    // Where no entry can be one of the steps, the others need not be looked for.
                    let none = |step: &EntryFilter| step.that_may_fit(*index, view).is_some_and(|few| few.is_empty());
                    if sequence.steps.iter().any(|step| none(step) && !more(step)) {
                        return Truth::False;
                    }
                    match sequence.truth(rows, more) {
                        Truth::False if view.others_of(*index).is_some() => {
                            sequence.truth(view.possible(*index).unwrap_or(rows), more)
                        }
                        answer => answer,
                    }
                }
                None => Truth::Undecided,
            },
        }
    }

    /// Adds the facts and fields whose absence leaves the test undecided.
    fn lacks(&self, view: &View<'_>, lacking: &mut BTreeSet<Lacking>) {
        let whole = Lacking { path: self.path(), field: None };
        let program = Lacking { path: PROGRAM, field: None };
        match self {
            Self::Fact { index, compare: Compare::Place { .. }, .. } if view.scalar(*index).is_some() => {
                lacking.insert(program);
            }
            Self::List { index, .. } | Self::Sequence { index, .. } => {
                let before = lacking.len();
                let rows = view.possible(*index).unwrap_or_default();
                for (entries, row) in self.entries().flat_map(|entries| rows.iter().map(move |row| (entries, row))) {
                    if entries.truth(row) == Truth::Undecided {
                        lacking.extend(entries.undecided(row).map(|term| term.lacks(row)));
                    }
                }
                lacking.extend(self.unplaced(rows));
                if lacking.len() == before {
                    lacking.insert(whole);
                }
            }
            Self::Fact { .. } | Self::FactKnown { .. } | Self::ListKnown { .. } => drop(lacking.insert(whole)),
        }
    }

    fn rests_on(&self, view: &View<'_>, on: &mut RestsOn) {
        match self {
            Self::Fact { index, .. } | Self::FactKnown { index, .. } => {
                on.evidence.extend(view.scalar(*index).and_then(|seen| seen.from));
                on.name(view.facts().related_incidents(self.path()));
            }
            Self::List { index, entries, quantifier, .. } => {
                let rows = view.list(*index).unwrap_or_default();
                let counted = quantifier.counted(rows.iter().filter(|row| entries.fits(row)));
                self.rest_on(*index, &counted, rows, view, on);
            }
            Self::Sequence { index, sequence, .. } => {
                let rows = view.list(*index).unwrap_or_default();
                self.rest_on(*index, &sequence.found(rows), rows, view, on);
            }
            Self::ListKnown { .. } => {}
        }
    }

    /// Adds entries of its list.
    fn rest_on<'v>(&self, index: usize, entries: &[&Row<'v>], rows: &[Row<'v>], view: &View<'_>, on: &mut RestsOn) {
        let others = view.facts().related_incidents(self.path());
        let wanted: HashSet<*const Row<'v>> = entries.iter().map(|row| std::ptr::from_ref(*row)).collect();
        for (place, row) in rows.iter().enumerate().filter(|(_, row)| wanted.contains(&std::ptr::from_ref(*row))) {
            on.evidence.extend(row.from());
            if !others.is_empty() {
                on.name(others.get(place));
            } else if matches!(row, Row::Fields(..)) && self.path() != EVENTS {
                on.entries.entry(index).or_default().insert(place);
            }
        }
    }

    /// The fields that entries lack by which they are counted, ordered, or placed in a span of time.
    fn unplaced(&self, rows: &[Row<'_>]) -> Vec<Lacking> {
        let fields: Vec<Field> = match self {
            Self::List { quantifier: Quantifier::Count(count), .. } => {
                count.distinct.into_iter().chain(count.within.map(|window| window.before)).collect()
            }
            Self::Sequence { sequence, .. } => vec![sequence.field()],
            _ => Vec::new(),
        };
        let lacks = |row: &Row<'_>, field: Field| !row.has(field.index) && field.lack(row) == Lack::Unknown;
        let open = |row: &&Row<'_>| self.entries().any(|entries| entries.truth(row) != Truth::False);
        let rows: Vec<&Row<'_>> = rows.iter().filter(open).collect();
        fields.into_iter().filter(|field| rows.iter().any(|row| lacks(row, *field))).map(Lacking::from).collect()
    }
}
