//! The clues that must be present for a user's rule to match, found in its compiled terms.

use super::{Clue, MOST_LOOKED_UP, Needs, Place};
use crate::language::{
    Compare, EntryFilter, FieldTerm, FieldTest, Logic, NamedList, Part, Selection, Subject, Term, Test,
};
use expressions::needed;
use facts::Value;
use facts::schema::{FactType, LISTS, OTHER_INCIDENTS, SCALARS};
use rule_syntax::needed::{either, of_condition};
use untrusted::glob::Glob;

/// A need of a rule: at least one of these clues must be present. A rule needs all of its needs.
type Need = Vec<Clue>;

impl Needs {
    /// The needs of a rule that is compiled.
    pub fn from_logic(logic: &Logic) -> Self {
        let mut all = of_condition(&logic.condition, &|index| of_selection(logic.selections.get(index)), cost);
        all.extend(logic.requires.iter().map(|required| vec![Clue::Known(Place::from(*required))]));
        Self { all }
    }
}

impl From<Subject> for Place {
    fn from(subject: Subject) -> Self {
        match subject {
            Subject::Fact(index) => Self::Fact(index),
            Subject::List(index) => Self::List(index),
        }
    }
}

/// Roughly how often one of these clues is present although the rule does not match.
pub(super) fn cost(need: &[Clue]) -> usize {
    let of_clue = |clue: &Clue| match clue {
        Clue::Known(_) => 1000,
        Clue::Number(..) => 30,
        Clue::Text(place, _) if place.has_few_words() => 60,
        Clue::Text(..) => 1,
        Clue::Part(_, part) => match part.chars().count() {
            0..=4 => 40,
            5..=7 => 10,
            _ => 4,
        },
    };
    need.iter().map(of_clue).fold(0, usize::saturating_add)
}

impl Place {
    /// Whether only a few words can be there.
    fn has_few_words(self) -> bool {
        let definition = match self {
            Self::Fact(index) => SCALARS.get(index),
            Self::Field { list, field } => LISTS.get(list).and_then(|list| list.fields.get(field)),
            Self::List(_) => None,
        };
        definition.is_some_and(|definition| matches!(definition.kind, FactType::Word(_)))
    }
}

fn of_selection(selection: Option<&Selection>) -> Vec<Need> {
    let alternatives = selection.map(|selection| selection.alternatives.as_slice()).unwrap_or_default();
    either(alternatives.iter().map(|terms| terms.iter().flat_map(of_term).collect()), cost)
}

fn of_term(term: &Term) -> Vec<Need> {
    let known = |place| vec![Clue::Known(place)];
    match &term.test {
        Test::Fact { index, compare, .. } => {
            let place = Place::Fact(*index);
            vec![of_compare(place, compare).unwrap_or_else(|| known(place))]
        }
        Test::FactKnown { index, known: true, .. } => vec![known(Place::Fact(*index))],
        Test::ListKnown { index, known: true, .. } => vec![known(Place::List(*index))],
        Test::FactKnown { .. } | Test::ListKnown { .. } => Vec::new(),
        Test::List { index, quantifier, entries, .. } => {
            let of_entries = if quantifier.wants_entries() { of_entries(*index, entries) } else { Vec::new() };
            [vec![known(Place::List(*index))], of_entries].concat()
        }
        // Each step has to be there.
        Test::Sequence { index, sequence, .. } => {
            let of_steps = sequence.steps.iter().flat_map(|step| of_entries(*index, step));
            std::iter::once(known(Place::List(*index))).chain(of_steps).collect()
        }
    }
}

fn of_entries(list: usize, entries: &EntryFilter) -> Vec<Need> {
    // To look something up among other incidents would take putting them together for each incident.
    if LISTS.get(list).is_none_or(|list| list.name == OTHER_INCIDENTS) {
        return Vec::new();
    }
    let of_terms = |terms: &[FieldTerm]| terms.iter().filter_map(|term| of_field(list, term)).collect::<Vec<Need>>();
    either(entries.alternatives.iter().map(|terms| of_terms(terms)), cost)
}

fn of_field(list: usize, term: &FieldTerm) -> Option<Need> {
    match &term.test {
        FieldTest::Value(compare) => of_compare(Place::Field { list, field: term.field.index }, compare),
        FieldTest::Known(_) => None,
    }
}

fn of_compare(place: Place, compare: &Compare) -> Option<Need> {
    match compare {
        Compare::Equal(values) => values
            .iter()
            .map(|value| match value {
                Value::Number(number) => Some(Clue::Number(place, *number)),
                Value::Text(text) => Some(Clue::Text(place, (&**text).into())),
                Value::Version(_) | Value::Flag(_) => None,
            })
            .collect(),
        Compare::Part { parts, every, .. } => {
            found_in(place, parts, *every, |part: &Part| Some(vec![part.text().to_owned()]))
        }
        Compare::Like { patterns, every } => {
            found_in(place, patterns, *every, |one: &Glob| Some(vec![one.longest_literal()?.to_owned()]))
        }
        Compare::Regex { patterns, every } => found_in(place, patterns, *every, |pattern| needed(pattern.written())),
        Compare::Lines { lists, inside: true, every } => {
            let mut needs = lists
                .iter()
                .filter_map(NamedList::get)
                .map(|list| found_in(place, &list.patterns, false, |pattern| needed(pattern.written())));
            if *every { needs.flatten().min_by_key(|need| cost(need)) } else { all(needs.by_ref()) }
        }
        _ => None,
    }
}

/// The clues of a comparison that finds one of `wanted` (or `every` one) in a text. `parts` gives, for each, literals
/// of which the text then contains one.
fn found_in<T>(place: Place, wanted: &[T], every: bool, parts: impl Fn(&T) -> Option<Vec<String>>) -> Option<Need> {
    let needs = wanted.iter().map(|wanted| all(parts(wanted)?.into_iter().map(|part| of_part(place, part))));
    if every { needs.flatten().min_by_key(|need| cost(need)) } else { all(needs) }
}

/// The clues of alternatives taken together; `None` if an alternative has none, or if they are too many to look up.
fn all(parts: impl Iterator<Item = Option<Need>>) -> Option<Need> {
    let clues = parts.collect::<Option<Vec<Need>>>()?.concat();
    (1..=MOST_LOOKED_UP).contains(&clues.len()).then_some(clues)
}

fn of_part(place: Place, part: String) -> Option<Need> {
    // What is shorter is in most texts.
    const SHORTEST: usize = 3;
    (part.chars().count() >= SHORTEST).then(|| vec![Clue::Part(place, part.into())])
}
