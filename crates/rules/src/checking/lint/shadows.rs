//! R091: rules that never decide a verdict, because another rule always matches with at least their confidence.

use std::collections::{BTreeSet, HashMap};

use super::linted::{Linted, written};
use super::ways::{Literal, Way};
use crate::language::{Compare, Effect, Order, Test};
use crate::loading::Rule;
use facts::Value;
use spanned_yaml::{Code, Diagnostic};

/// `R091`: a rule that matches only where another one matches, too, which is at least as sure.
pub(super) fn look(linted: &[Linted<'_>], meant: impl Fn(&Rule) -> bool, found: &mut Vec<Diagnostic>) {
    let index = Index::new(linted);
    for (number, one) in linted.iter().enumerate().filter(|(_, one)| meant(one.rule) && !one.ways.is_empty()) {
        let Some(other) = index.of_all_ways(number, one, linted) else { continue };
        let message = format!("wherever this rule matches, `{}` does, too, and is at least as sure", other.rule.id());
        let help = format!("ask for less there or more here, or write `supersedes: [{}]`", other.rule.id());
        found.push(
            Diagnostic::warning(Code::R091, &one.rule.file, one.rule.id_span, message)
                .with_other(&other.rule.file, other.rule.id_span, "the other rule")
                .with_help(help),
        );
    }
}

/// Finds ways by their literals, so that not every rule has to be compared with all others.
struct Index {
    /// Each way of a rule that can shadow others, under its rarest literal's key: indices of the rule and the way.
    by_key: HashMap<String, Vec<(usize, usize)>>,
}

impl Index {
    fn new(linted: &[Linted<'_>]) -> Self {
        let mut frequency: HashMap<String, usize> = HashMap::new();
        for literal in linted.iter().flat_map(|one| one.ways.iter().flatten().map(move |literal| (one.rule, *literal)))
        {
            for key in keys(literal.0, literal.1) {
                let count = frequency.entry(key).or_default();
                *count = count.saturating_add(1);
            }
        }
        let mut by_key: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (number, one) in linted.iter().enumerate().filter(|(_, one)| is_only_raised(one.rule)) {
            for (at, way) in one.ways.iter().enumerate() {
                let rarity = |keys: &Vec<String>| -> usize {
                    keys.iter().map(|key| frequency.get(key).copied().unwrap_or_default()).sum()
                };
                let rarest = way.iter().map(|literal| keys(one.rule, *literal)).min_by_key(rarity);
                for key in rarest.unwrap_or_default() {
                    by_key.entry(key).or_default().push((number, at));
                }
            }
        }
        Self { by_key }
    }

    /// A rule that matches in every way of this one, and is at least as sure.
    fn of_all_ways<'l, 'r>(&self, number: usize, one: &Linted<'_>, linted: &'l [Linted<'r>]) -> Option<&'l Linted<'r>> {
        if !is_never_raised(one.rule) {
            return None;
        }
        let mut common: Option<BTreeSet<usize>> = None;
        for way in &one.ways {
            let candidates = way.iter().filter_map(|literal| keys(one.rule, *literal).into_iter().next());
            let candidates = candidates.filter_map(|key| self.by_key.get(&key)).flatten();
            let holds = |(other, at): &&(usize, usize)| {
                *other != number
                    && common.as_ref().is_none_or(|common| common.contains(other))
                    && linted.get(*other).is_some_and(|other| {
                        other.ways.get(*at).is_some_and(|wide| implied(one.rule, way, other.rule, wide))
                    })
            };
            let rules: BTreeSet<usize> = candidates.filter(holds).map(|(other, _)| *other).collect();
            if rules.is_empty() {
                return None;
            }
            common = Some(rules);
        }
        let others = common?.into_iter().filter_map(|other| Some((other, linted.get(other)?)));
        others
            .into_iter()
            .find(|(other, shadow)| outdoes((*other, shadow.rule), (number, one.rule)))
            .map(|(_, shadow)| shadow)
    }
}

/// Whether the first rule always precedes the second in reports, with neither superseding the other: it is surer, or as
/// sure and has the smaller id.
fn outdoes((first, shadow): (usize, &Rule), (second, rule): (usize, &Rule)) -> bool {
    let named = |one: &Rule, other: &Rule| one.supersedes().any(|id| id == other.id());
    let surer = shadow.confidence() > rule.confidence() || (shadow.confidence() >= rule.confidence() && first < second);
    surer && shadow.requires().next().is_none() && !named(shadow, rule) && !named(rule, shadow)
}

/// Whether all adjustments of a rule raise its confidence.
fn is_only_raised(rule: &Rule) -> bool {
    rule.adjustments().iter().all(|(change, _, _)| raises(change))
}

/// Whether no adjustment of a rule raises its confidence.
fn is_never_raised(rule: &Rule) -> bool {
    !rule.adjustments().iter().any(|(change, _, _)| raises(change))
}

fn raises(change: &Effect) -> bool {
    matches!(change, Effect::By(by) if *by > 0.0)
}

/// Whether the narrow way holds only where the wide one holds.
fn implied(narrow_rule: &Rule, narrow: &Way<'_>, wide_rule: &Rule, wide: &Way<'_>) -> bool {
    wide.iter().all(|wanted| narrow.iter().any(|literal| implies((narrow_rule, *literal), (wide_rule, *wanted))))
}

/// Whether one literal holds only where another one holds.
fn implies((rule, literal): (&Rule, Literal<'_>), (other_rule, other): (&Rule, Literal<'_>)) -> bool {
    if literal.holds != other.holds {
        return false;
    }
    let (narrow, wide) = if literal.holds { (literal.term, other.term) } else { (other.term, literal.term) };
    match (&narrow.test, &wide.test) {
        (Test::Fact { index, compare, .. }, Test::Fact { index: second, compare: with, .. }) if index == second => {
            match (compare, with) {
                (Compare::Equal(values), Compare::Equal(others)) => values.iter().all(|value| others.contains(value)),
                (Compare::Order { order, bound }, Compare::Order { order: wider, bound: limit }) => {
                    order == wider && reaches(*order, bound, limit)
                }
                _ => written(rule, literal.term) == written(other_rule, other.term),
            }
        }
        _ => written(rule, literal.term) == written(other_rule, other.term),
    }
}

/// Whether what lies on this side of `bound` lies on the same side of `limit`.
fn reaches(order: Order, bound: &Value, limit: &Value) -> bool {
    let ordering = match (bound, limit) {
        (Value::Number(bound), Value::Number(limit)) => bound.cmp(limit),
        (Value::Version(bound), Value::Version(limit)) => bound.cmp(limit),
        _ => return false,
    };
    match order {
        Order::Less | Order::AtMost => ordering.is_le(),
        Order::Greater | Order::AtLeast => ordering.is_ge(),
    }
}

/// The index keys of a literal. Every literal that implies it has at least one of these keys.
fn keys(rule: &Rule, literal: Literal<'_>) -> Vec<String> {
    let sign = if literal.holds { '+' } else { '-' };
    match &literal.term.test {
        Test::Fact { fact, compare: Compare::Equal(values), .. } if literal.holds => {
            values.iter().map(|value| format!("{sign}{}={}", fact.path, value.display(fact.kind))).collect()
        }
        Test::Fact { fact, compare: Compare::Equal(_), .. } => vec![format!("{sign}{}", fact.path)],
        Test::Fact { fact, compare: Compare::Order { order, .. }, .. } => vec![format!("{sign}{}{order:?}", fact.path)],
        _ => vec![format!("{sign}{}", written(rule, literal.term))],
    }
}
