//! Comparing one value with what a rule wants it to be.

use crate::evaluating::Compared;
use crate::language::{Compare, NamedList, Order, Truth};
use facts::Value;
use windows_codes::places;

/// The kind of folder that depends on where the program is installed.
const APPLICATION: &str = "application";

impl Compare {
    /// Whether the value is what the rule wants; undecided where that depends on something that is not known.
    pub fn truth(&self, seen: Compared<'_>) -> Truth {
        if let Self::Not(compare) = self {
            return compare.truth(seen).not();
        }
        if let (Self::Place { places: wanted, .. }, Compared::Path { text, program: None }) = (self, seen)
            && wanted.contains(&APPLICATION)
        {
            // Which folder is the program's own is not known, so a path that lies in no other of them may lie in it.
            let found = places(text, None);
            if !wanted.iter().any(|place| found.contains(place)) {
                return Truth::Undecided;
            }
        }
        self.holds(seen).into()
    }

    /// Whether the value is what the rule wants, where no other fact decides that.
    pub fn holds(&self, seen: Compared<'_>) -> bool {
        // The type of a fact decides what it can be compared with.
        let text = match seen {
            Compared::Text(text) | Compared::Path { text, .. } => text,
            _ => "",
        };
        match self {
            Self::Equal(values) => values.iter().any(|value| match (value, seen) {
                (Value::Text(wanted), Compared::Text(_) | Compared::Path { .. }) => **wanted == *text,
                (Value::Number(wanted), Compared::Number(number)) => *wanted == number,
                (Value::Version(wanted), Compared::Version(version)) => *wanted == version,
                (Value::Flag(wanted), Compared::Flag(flag)) => *wanted == flag,
                _ => false,
            }),
            Self::Part { place, parts, every } => quantified(parts, *every, |part| part.is_in(text, *place)),
            Self::Like { patterns, every } => quantified(patterns, *every, |pattern| pattern.fits(text)),
            Self::Regex { patterns, every } => quantified(patterns, *every, |pattern| pattern.is_match(text)),
            Self::Order { order, bound } => ordered(*order, seen, bound),
            Self::Place { places: wanted, inside } => {
                let program = if let Compared::Path { program, .. } = seen { program } else { None };
                let found = places(text, program);
                wanted.iter().any(|place| found.contains(place)) == *inside
            }
            Self::Listed { lists, inside } => {
                lists.iter().filter_map(NamedList::get).any(|list| list.contains(text)) == *inside
            }
            Self::Lines { lists, inside, every } => {
                quantified(lists, *every, |list| list.get().is_some_and(|list| list.fits(text))) == *inside
            }
            Self::Not(compare) => !compare.holds(seen),
        }
    }
}

fn quantified<T>(wanted: &[T], every: bool, holds: impl Fn(&T) -> bool) -> bool {
    if every { wanted.iter().all(holds) } else { wanted.iter().any(holds) }
}

fn ordered(order: Order, seen: Compared<'_>, bound: &Value) -> bool {
    let ordering = match (seen, bound) {
        (Compared::Number(value), Value::Number(bound)) => value.cmp(bound),
        (Compared::Version(value), Value::Version(bound)) => value.cmp(bound),
        _ => return false,
    };
    match order {
        Order::Less => ordering.is_lt(),
        Order::AtMost => ordering.is_le(),
        Order::Greater => ordering.is_gt(),
        Order::AtLeast => ordering.is_ge(),
    }
}
