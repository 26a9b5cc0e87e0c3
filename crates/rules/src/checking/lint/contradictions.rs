//! R083: rules that never match, because in each of their ways two terms exclude each other, or one never holds.

use super::linted::{Linted, written};
use super::ways::{Literal, Way};
use crate::evaluating::Compared;
use crate::language::{Compare, EntryFilter, FieldTerm, FieldTest, Order, Quantifier, Term, Test};
use crate::loading::Rule;
use facts::{FactType, Value};
use spanned_yaml::{Code, Diagnostic};

/// Why a rule can't match in a way.
#[derive(Debug, Clone, Copy)]
pub(super) enum Contradiction<'r> {
    /// These two literals exclude each other.
    Pair(Literal<'r>, Literal<'r>),
    /// This term never holds. The field, if any, is the field of a list's entries that makes it impossible.
    Never(&'r Term, Option<&'static str>),
}

/// Why a rule can't match in this way, if it can't.
pub(super) fn find<'r>(rule: &Rule, way: &Way<'r>) -> Option<Contradiction<'r>> {
    let never = way.iter().find_map(|literal| never(*literal));
    let pairs = || {
        way.iter()
            .enumerate()
            .flat_map(|(at, one)| way.iter().skip(at.saturating_add(1)).map(move |other| (*one, *other)))
    };
    never.or_else(|| {
        let mut pairs = pairs();
        let found = pairs.find(|(one, other)| exclude(rule, *one, *other));
        found.map(|(one, other)| Contradiction::Pair(one, other))
    })
}

/// `R083`: a rule that can't match, for these reasons.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for contradiction in &rule.contradictions {
        let wrong = match *contradiction {
            Contradiction::Never(term, field) => never_holds(rule, term, field),
            Contradiction::Pair(one, other) if one.term.span.start <= other.term.span.start => pair(rule, one, other),
            Contradiction::Pair(one, other) => pair(rule, other, one),
        };
        // Each once, in however many ways it stands.
        if !found.contains(&wrong) {
            found.push(wrong);
        }
    }
}

fn never_holds(rule: &Linted<'_>, term: &Term, field: Option<&'static str>) -> Diagnostic {
    let path = term.test.path();
    let (message, help) = match field {
        Some(field) => (
            format!("no entry of `{path}` fits this: its `{field}` can't be all that is asked"),
            "write a list of mappings, of which an entry has to fit one",
        ),
        None => (format!("no value of `{path}` fits this"), "the rule never matches because of it"),
    };
    Diagnostic::warning(Code::R083, &rule.rule.file, term.span, message).with_help(help)
}

/// The warning about two terms, in the order of the file.
fn pair(rule: &Linted<'_>, first: Literal<'_>, second: Literal<'_>) -> Diagnostic {
    let (path, line) = (second.term.test.path(), first.term.span.line);
    let message = match (first.holds, second.holds) {
        _ if first.term.span == second.term.span => format!("`{path}` can't be this and not be this"),
        (true, true) => format!("`{path}` can't be both this and what line {line} asks"),
        (true, false) => format!("`{path}` is always this where it is what line {line} asks, and the rule excludes it"),
        (false, true) => format!("`{path}` is always what line {line} asks where it is this, and the rule excludes it"),
        (false, false) => format!("`{path}` is always this or what line {line} asks, and the rule excludes both"),
    };
    let wrong = Diagnostic::warning(Code::R083, &rule.rule.file, second.term.span, message);
    if first.term.span == second.term.span {
        return wrong.with_help("the condition asks for it both with and without `not`");
    }
    let help = match (first.holds, second.holds) {
        (true, true) => "join them with `or`, or write the values as a list",
        _ => "look at the `not` in the condition: the rule never matches",
    };
    wrong.with_other(&rule.rule.file, first.term.span, "first here").with_help(help)
}

/// What never holds by itself.
fn never(literal: Literal<'_>) -> Option<Contradiction<'_>> {
    let term = literal.term;
    match &term.test {
        Test::Fact { fact, .. } => {
            let left = Left::of_literal(literal)?;
            left.is_nothing(fact.kind).then_some(Contradiction::Never(term, None))
        }
        Test::List { entries, .. } if wants_an_entry(literal) => {
            no_entry(entries).map(|field| Contradiction::Never(term, Some(field)))
        }
        Test::Sequence { sequence, .. } if literal.holds => {
            let field = sequence.steps.iter().find_map(no_entry)?;
            Some(Contradiction::Never(term, Some(field)))
        }
        _ => None,
    }
}

/// Whether a literal asks that an entry of a list fits.
fn wants_an_entry(literal: Literal<'_>) -> bool {
    match &literal.term.test {
        Test::List { quantifier: Quantifier::None, .. } => !literal.holds,
        Test::List { quantifier, .. } => literal.holds && quantifier.wants_entries(),
        _ => false,
    }
}

/// The field that can't be as it is asked, if no entry of the list fits; of several alternatives, the first one's.
fn no_entry(entries: &EntryFilter) -> Option<&'static str> {
    let excluding = |terms: &Vec<FieldTerm>| {
        terms.iter().enumerate().find_map(|(at, one)| {
            let field = one.field.definition;
            let left = Left::of_field(one, field.kind);
            let others = terms.iter().skip(at.saturating_add(1)).filter(|other| other.field.index == one.field.index);
            let mut others = others.map(|other| Left::of_field(other, field.kind));
            let excluded = left.is_nothing(field.kind) || others.any(|other| left.excludes(&other));
            excluded.then_some(field.path)
        })
    };
    let fields: Option<Vec<&'static str>> = entries.alternatives.iter().map(excluding).collect();
    fields?.first().copied()
}

/// Whether two literals exclude each other. A fact that is absent leaves both open, and so does not help either.
fn exclude(rule: &Rule, one: Literal<'_>, other: Literal<'_>) -> bool {
    if one.term.test.path() != other.term.test.path() {
        return false;
    }
    if one.holds != other.holds && written(rule, one.term) == written(rule, other.term) {
        return true;
    }
    match (&one.term.test, &other.term.test) {
        (Test::List { quantifier: first, .. }, Test::List { quantifier: second, .. }) => {
            let asks = |quantifier: &Quantifier| matches!(quantifier, Quantifier::Any | Quantifier::None);
            let wants_one = (wants_an_entry(one), wants_an_entry(other));
            asks(first) && asks(second) && wants_one.0 != wants_one.1 && entries(rule, one) == entries(rule, other)
        }
        (Test::ListKnown { known, .. }, Test::ListKnown { known: also, .. }) => {
            (*known == one.holds) != (*also == other.holds)
        }
        (Test::ListKnown { known, .. }, Test::List { .. } | Test::Sequence { .. }) => *known != one.holds,
        (Test::List { .. } | Test::Sequence { .. }, Test::ListKnown { known, .. }) => *known != other.holds,
        _ => match (Left::of_literal(one), Left::of_literal(other)) {
            (Some(left), Some(also)) => left.excludes(&also),
            _ => false,
        },
    }
}

/// What a term over a list asks of entries, as it is written.
fn entries(rule: &Rule, literal: Literal<'_>) -> String {
    let written = written(rule, literal.term);
    written.split_once(':').map_or_else(String::new, |(_, entries)| entries.trim().to_owned())
}

/// The values of one fact that a literal leaves.
enum Left<'r> {
    OneOf(Vec<Value>),
    AnyBut(&'r [Value]),
    /// Values on this side of a bound.
    Side(Order, &'r Value),
    /// Values for which a comparison holds, or does not hold.
    Compared(&'r Compare, bool),
    Any,
    /// None: the fact is not known.
    Absent,
}

impl<'r> Left<'r> {
    fn of_literal(literal: Literal<'r>) -> Option<Self> {
        match &literal.term.test {
            Test::Fact { fact, compare, .. } => Some(Self::by(fact.kind, compare, literal.holds)),
            Test::FactKnown { known, .. } => Some(if *known == literal.holds { Self::Any } else { Self::Absent }),
            _ => None,
        }
    }

    fn of_field(term: &'r FieldTerm, kind: FactType) -> Self {
        match &term.test {
            FieldTest::Value(compare) => Self::by(kind, compare, true),
            FieldTest::Known(true) => Self::Any,
            FieldTest::Known(false) => Self::Absent,
        }
    }

    fn by(kind: FactType, compare: &'r Compare, holds: bool) -> Self {
        match (compare, holds) {
            (Compare::Equal(values), true) => Self::OneOf(values.clone()),
            (Compare::Equal(values), false) => match all_values(kind) {
                Some(all) => Self::OneOf(all.into_iter().filter(|value| !values.contains(value)).collect()),
                None => Self::AnyBut(values),
            },
            (Compare::Order { order, bound }, true) => Self::Side(*order, bound),
            (Compare::Order { order, bound }, false) => Self::Side(other_side(*order), bound),
            (compare, holds) => Self::Compared(compare, holds),
        }
    }

    /// Whether no value is left.
    fn is_nothing(&self, kind: FactType) -> bool {
        match self {
            Self::OneOf(values) => values.is_empty(),
            Self::Side(Order::Less, Value::Number(bound)) => *bound == 0,
            Self::Side(Order::Less, Value::Version(bound)) => kind == FactType::Version && bound.0 == [0; 4],
            _ => false,
        }
    }

    /// Whether no value is left by both.
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Absent, Self::Absent) => false,
            (Self::Absent, _) | (_, Self::Absent) => true,
            (Self::OneOf(values), rest) | (rest, Self::OneOf(values)) => !values.iter().any(|value| rest.takes(value)),
            (Self::Side(order, bound), Self::Side(also, limit)) => apart((*order, bound), (*also, limit)),
            _ => false,
        }
    }

    fn takes(&self, value: &Value) -> bool {
        match self {
            Self::OneOf(values) => values.contains(value),
            Self::AnyBut(values) => !values.contains(value),
            Self::Side(order, bound) => Compare::Order { order: *order, bound: (*bound).clone() }.holds(seen(value)),
            // Where a path is depends on the program's own path.
            Self::Compared(Compare::Place { .. }, _) | Self::Any => true,
            Self::Compared(compare, holds) => compare.holds(seen(value)) == *holds,
            Self::Absent => false,
        }
    }
}

/// A value of a rule as one of an incident.
fn seen(value: &Value) -> Compared<'_> {
    match value {
        Value::Text(text) => Compared::Text(text),
        Value::Number(number) => Compared::Number(*number),
        Value::Version(version) => Compared::Version(*version),
        Value::Flag(flag) => Compared::Flag(*flag),
    }
}

/// All values of a type that has few.
fn all_values(kind: FactType) -> Option<Vec<Value>> {
    match kind {
        FactType::Word(words) => Some(words.iter().map(|word| Value::Text((*word).into())).collect()),
        FactType::Flag => Some(vec![Value::Flag(true), Value::Flag(false)]),
        _ => None,
    }
}

fn other_side(order: Order) -> Order {
    match order {
        Order::Less => Order::AtLeast,
        Order::AtMost => Order::Greater,
        Order::Greater => Order::AtMost,
        Order::AtLeast => Order::Less,
    }
}

/// Whether no value lies on both sides.
fn apart(one: (Order, &Value), other: (Order, &Value)) -> bool {
    let is_lower = |(order, _): (Order, &Value)| matches!(order, Order::Greater | Order::AtLeast);
    let ((above, low), (below, high)) = match (is_lower(one), is_lower(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return false,
    };
    match (low, high) {
        (Value::Number(low), Value::Number(high)) => {
            let least = if above == Order::Greater { low.checked_add(1) } else { Some(*low) };
            let most = if below == Order::Less { high.checked_sub(1) } else { Some(*high) };
            !matches!((least, most), (Some(least), Some(most)) if least <= most)
        }
        (Value::Version(low), Value::Version(high)) => {
            low > high || (low == high && (above == Order::Greater || below == Order::Less))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_apart_where_nothing_lies_between_them() {
        let number = |order, bound| (order, Value::Number(bound));
        let version = |order, text: &str| (order, Value::Version(text.parse().expect("a version")));
        let is_apart = |one: &(Order, Value), other: &(Order, Value)| {
            let found = apart((one.0, &one.1), (other.0, &other.1));
            assert_eq!(found, apart((other.0, &other.1), (one.0, &one.1)));
            found
        };
        assert!(is_apart(&number(Order::Less, 1), &number(Order::Greater, 2)));
        assert!(is_apart(&number(Order::Greater, 1), &number(Order::Less, 2)));
        assert!(!is_apart(&number(Order::AtLeast, 1), &number(Order::Less, 2)));
        assert!(!is_apart(&number(Order::AtLeast, 2), &number(Order::AtMost, 2)));
        assert!(is_apart(&number(Order::AtLeast, 0), &number(Order::Less, 0)));
        assert!(!is_apart(&number(Order::Less, 1), &number(Order::AtMost, 2)));
        assert!(is_apart(&version(Order::Less, "14.40"), &version(Order::AtLeast, "14.40")));
        assert!(!is_apart(&version(Order::Greater, "14.39"), &version(Order::Less, "14.40")));
    }
}
