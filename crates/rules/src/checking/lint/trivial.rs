//! R092 and R082: comparisons that every value fits, and rules that every incident fits.

use super::linted::{Linted, PROBABLE, comparisons};
use super::ways::Way;
use crate::evaluating::Compared;
use crate::language::{Compare, FieldTerm, FieldTest, Order, Quantifier, Test};
use facts::{FactType, Value};
use spanned_yaml::{Code, Diagnostic};

/// Texts that no rule would look for: a comparison that fits both of them fits everything.
pub(super) const ODD_TEXTS: [&str; 2] = ["", "\u{1}~\u{1}"];

/// Facts that every incident has, or that only show its kind.
const SORTS: [&str; 1] = ["incident.kind"];

/// Lists that have entries whenever their kind of artifact was read; entries of other lists prove something.
const EVERYWHERE: [&str; 7] = ["drivers", "events", "frames", "handles", "modules", "text", "threads"];

/// Whether a comparison leaves out no value of the type.
fn takes_all(kind: FactType, compare: &Compare) -> bool {
    match compare {
        Compare::Equal(values) => match kind {
            FactType::Word(words) => words.iter().all(|word| values.iter().any(|value| value.text() == Some(*word))),
            FactType::Flag => [true, false].iter().all(|flag| values.contains(&Value::Flag(*flag))),
            _ => false,
        },
        Compare::Order { order: Order::AtLeast, bound } => match bound {
            Value::Number(bound) => *bound == 0,
            Value::Version(bound) => bound.0 == [0; 4],
            _ => false,
        },
        Compare::Like { .. } | Compare::Regex { .. } => {
            ODD_TEXTS.iter().all(|text| compare.holds(Compared::Text(text)))
        }
        _ => false,
    }
}

/// Whether a test only requires that a fact, or an entry of a list, exists.
pub(super) fn is_trivial(test: &Test) -> bool {
    match test {
        Test::Fact { fact, compare, .. } => takes_all(fact.kind, compare),
        Test::FactKnown { .. } | Test::ListKnown { .. } => true,
        Test::Sequence { .. } => false,
        Test::List { list, quantifier, entries, .. } => {
            let one_is_enough = match quantifier {
                Quantifier::Any => true,
                Quantifier::None => false,
                Quantifier::Count(count) => count.least <= 1 && count.most == u64::MAX,
            };
            let asks_nothing = |term: &FieldTerm| match &term.test {
                FieldTest::Value(compare) => takes_all(term.field.definition.kind, compare),
                FieldTest::Known(known) => *known,
            };
            let every_entry = entries.alternatives.is_empty()
                || entries.alternatives.iter().any(|terms| terms.iter().all(asks_nothing));
            EVERYWHERE.contains(&list.name) && one_is_enough && every_entry
        }
    }
}

/// `R092`: a comparison that every value fits.
pub(super) fn terms(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        let mut compared = comparisons(&term.test).into_iter();
        if let Some((fact, _)) = compared.find(|(fact, compare)| takes_all(fact.kind, compare)) {
            let message = format!("every value of `{}` fits this", fact.path);
            let help = "to ask whether it is known, write `|exists: true`";
            rule.warn(Code::R092, term.span, message, help, found);
        }
    }
}

/// `R082`: a rule that matches every incident of a kind and still has a probable confidence.
pub(super) fn rule(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let tells_nothing = |test: &Test| is_trivial(test) || SORTS.contains(&test.path());
    let matches_all = |way: &Way<'_>| way.iter().all(|literal| literal.holds && tells_nothing(&literal.term.test));
    if rule.rule.confidence() >= PROBABLE && rule.ways.iter().any(matches_all) {
        let message = "the rule matches every incident of its kind, whatever its evidence says".to_owned();
        let help = "ask for what sets apart the incidents that have this cause, or be less sure";
        rule.warn(Code::R082, rule.rule.id_span, message, help, found);
    }
}
