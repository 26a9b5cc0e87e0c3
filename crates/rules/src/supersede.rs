//! Superseding: where a rule that knows more matches, findings of rules that it names no longer compete for the verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::finding::Finding;
use super::parse::Read;
use rule_syntax::mistakes::{closest, did_you_mean};
use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText};

/// A rule that is superseded, as a rule names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Superseded {
    /// Its id.
    pub id: String,
    /// Where it is named.
    pub span: Span,
}

/// A finding, with what decides whether it supersedes others.
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

/// Marks the findings that others supersede, and returns all: first those that are not superseded, the most confident
/// first, then the others.
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

/// What a rule supersedes, as it is written.
pub(super) struct Superseding {
    /// The id of the rule, if it has one.
    rule: Option<String>,
    file: Arc<YamlText>,
    named: Vec<Superseded>,
}

impl Superseding {
    /// What the rule at a node supersedes, if it supersedes anything.
    pub fn read(rule: &Node, file: &Arc<YamlText>) -> Option<Self> {
        let items = rule.get("supersedes")?.items()?;
        let mut named: Vec<Superseded> = Vec::new();
        for item in items.iter().filter(|item| !item.is_nothing()) {
            let Some(id) = item.text().filter(|id| !id.trim().is_empty()) else { continue };
            // What is named twice is told as such.
            if !named.iter().any(|known| known.id == id) {
                named.push(Superseded { id: id.to_owned(), span: item.span });
            }
        }
        let rule = rule.get("id").and_then(Node::text).map(str::to_owned);
        Some(Self { rule, file: Arc::clone(file), named }).filter(|superseding| !superseding.named.is_empty())
    }
}

/// Finds rules that supersede what does not exist, themselves, or each other in a circle. Rules with other mistakes are
/// among them: what they are for does not depend on those.
pub(super) fn check(read: &Read, found: &mut Vec<Diagnostic>) {
    let mut named: BTreeMap<&str, Vec<&Superseded>> = BTreeMap::new();
    for superseding in &read.superseding {
        if let Some(rule) = &superseding.rule {
            named.entry(rule).or_default().extend(&superseding.named);
        }
    }
    for Superseding { rule, file, named: superseded } in &read.superseding {
        for one in superseded {
            if !read.has(&one.id) {
                let message = format!("there is no rule `{}`", one.id);
                let wrong = Diagnostic::error(Code::R035, file, one.span, message);
                let known = closest(&one.id, read.written.iter().map(String::as_str));
                let help = known.map_or_else(|| "`crashsift rules list` shows all rules".to_owned(), did_you_mean);
                found.push(wrong.with_help(help));
            } else if let Some(rule) = rule
                && is_first_of_circle(&named, rule, &one.id)
            {
                let message = if one.id == *rule {
                    "a rule can't supersede itself".to_owned()
                } else {
                    format!("`{}` supersedes this rule in turn, so neither would be left", one.id)
                };
                found.push(Diagnostic::error(Code::R036, file, one.span, message));
            }
        }
    }
}

/// Whether a rule supersedes itself by way of `next`, and is the first by id of those that do: each circle is reported
/// once.
fn is_first_of_circle(named: &BTreeMap<&str, Vec<&Superseded>>, rule: &str, next: &str) -> bool {
    let is_between = |id: &&&str| leads_to(named, next, id) && leads_to(named, id, rule);
    named.keys().find(is_between).is_some_and(|first| *first == rule)
}

/// Whether a rule is another, or supersedes it by way of others.
fn leads_to(named: &BTreeMap<&str, Vec<&Superseded>>, from: &str, to: &str) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if seen.insert(id) {
            open.extend(named.get(id).into_iter().flatten().map(|one| one.id.as_str()));
        }
    }
    false
}
