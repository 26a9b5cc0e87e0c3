//! Rules that know more than others: where one of them matches, the others' findings are told, and are no rivals.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::mistakes::{closest, did_you_mean};
use super::rule::Rule;
use crate::yaml::{Diagnostic, Span};

/// A rule that is superseded, as a rule names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Superseded {
    /// Its id.
    pub id: String,
    /// Where it is named.
    pub span: Span,
}

/// A finding, and what deciding between it and others takes.
pub(super) struct Found<'r> {
    pub finding: Finding,
    pub supersedes: &'r [Superseded],
    /// Whether it rests on what is only mentioned or quoted.
    pub in_doubt: bool,
}

/// A finding that supersedes others.
struct Winner {
    rule: String,
    in_doubt: bool,
    confidence: f64,
}

/// From this confidence on a finding takes the place of a surer one: it gives a verdict then.
const LEAST: f64 = 0.3;

/// Marks the findings that others supersede, and gives all: first those that stand, the surest first, then the others.
///
/// What a text only mentions supersedes nothing that is certain, and a finding that is itself no more than a
/// possibility nothing that is surer.
pub(super) fn decided(mut found: Vec<Found<'_>>) -> Vec<Finding> {
    let mut by: BTreeMap<String, Vec<Winner>> = BTreeMap::new();
    for Found { finding, supersedes, in_doubt } in &found {
        for superseded in *supersedes {
            let winner = Winner { rule: finding.rule.clone(), in_doubt: *in_doubt, confidence: finding.confidence };
            by.entry(superseded.id.clone()).or_default().push(winner);
        }
    }
    for one in &mut found {
        let winners = by.get(&one.finding.rule).into_iter().flatten();
        let winner = winners.into_iter().find(|winner| {
            let sure = winner.confidence >= LEAST || winner.confidence >= one.finding.confidence;
            sure && (one.in_doubt || !winner.in_doubt)
        });
        one.finding.superseded_by = winner.map(|winner| winner.rule.clone());
    }
    let mut findings: Vec<Finding> = found.into_iter().map(|one| one.finding).collect();
    // Rules come by id and the sort is stable, so ties stay in that order.
    findings.sort_by(|a, b| {
        let stands = a.superseded_by.is_some().cmp(&b.superseded_by.is_some());
        stands.then_with(|| b.confidence.total_cmp(&a.confidence))
    });
    findings
}

/// Finds rules that supersede what does not exist, themselves, or each other in a circle. `written` are the ids of all
/// rules, also of those that are left out or have mistakes. `rules` is sorted by id.
pub(super) fn check(rules: &[Rule], written: &BTreeSet<String>, found: &mut Vec<Diagnostic>) {
    let named: BTreeMap<&str, &[Superseded]> = rules
        .iter()
        .filter(|rule| !rule.is_prepared())
        .map(|rule| (rule.id(), rule.texts().supersedes.as_slice()))
        .filter(|(_, superseded)| !superseded.is_empty())
        .collect();
    for rule in rules {
        let Some(superseded) = named.get(rule.id()) else { continue };
        for one in *superseded {
            if !written.contains(&one.id) {
                let message = format!("there is no rule `{}`", one.id);
                let wrong = Diagnostic::error("R035", &rule.file, one.span, message);
                let known = closest(&one.id, written.iter().map(String::as_str));
                let help = known.map_or_else(|| "`crashsift rules list` shows all rules".to_owned(), did_you_mean);
                found.push(wrong.with_help(help));
            } else if is_first_of_circle(&named, rule.id(), &one.id) {
                let message = if one.id == rule.id() {
                    "a rule can't supersede itself".to_owned()
                } else {
                    format!("`{}` supersedes this rule in turn, so neither would be left", one.id)
                };
                found.push(Diagnostic::error("R036", &rule.file, one.span, message));
            }
        }
    }
}

/// Whether a rule supersedes itself by way of `next`, and is the first by id of those that do: each circle is told
/// once.
fn is_first_of_circle(named: &BTreeMap<&str, &[Superseded]>, rule: &str, next: &str) -> bool {
    let is_between = |id: &&&str| leads_to(named, next, id) && leads_to(named, id, rule);
    named.keys().find(is_between).is_some_and(|first| *first == rule)
}

/// Whether a rule is another, or supersedes it by way of others.
fn leads_to(named: &BTreeMap<&str, &[Superseded]>, from: &str, to: &str) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if seen.insert(id) {
            open.extend(named.get(id).copied().unwrap_or_default().iter().map(|one| one.id.as_str()));
        }
    }
    false
}
