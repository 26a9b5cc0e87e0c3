//! Superseding: where a rule that knows more matches, findings of rules that it names no longer compete for the verdict.

use std::collections::BTreeMap;

use crate::judging::Finding;
use crate::language::Superseded;

/// A finding, with what decides whether it supersedes others.
pub(crate) struct Found<'r> {
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

/// Marks the findings that others supersede, and returns all: first those that are not superseded, the most confident
/// first, then the others.
///
/// What a text only mentions supersedes nothing that is certain, and a finding that is itself no more than a
/// possibility nothing that is surer.
pub(crate) fn decided(mut found: Vec<Found<'_>>) -> Vec<Finding> {
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
        let superseded = a.superseded_by.is_some().cmp(&b.superseded_by.is_some());
        superseded.then_with(|| b.confidence.total_cmp(&a.confidence))
    });
    findings
}
