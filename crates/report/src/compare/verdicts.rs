//! Compares the verdicts and findings of two rule sets on the same evidence.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Judged, Report};
use evidence::Place;

/// An incident on which the two rule sets differ.
#[derive(Debug, Clone, Copy)]
pub struct ChangedIncident<'r> {
    /// By the first rule set.
    pub before: &'r Judged,
    /// By the second rule set.
    pub now: &'r Judged,
}

/// How far a finding counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FindingState<'r> {
    /// Its confidence.
    pub confidence: f64,
    /// The rule whose finding takes its place.
    pub superseded_by: Option<&'r str>,
    /// The rule set that suppresses it.
    pub suppressed_by: Option<&'r str>,
}

/// A rule whose finding on an incident differs; `None` where it does not match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangedRule<'r> {
    /// Its id.
    pub rule: &'r str,
    /// Its finding before.
    pub before: Option<FindingState<'r>>,
    /// Its finding now.
    pub now: Option<FindingState<'r>>,
}

/// The findings of an incident by rule, also those that are superseded or suppressed.
fn finding_states(judged: &Judged) -> BTreeMap<&str, FindingState<'_>> {
    let state = |confidence, superseded_by, suppressed_by| FindingState { confidence, superseded_by, suppressed_by };
    let findings = judged.findings.iter();
    let findings = findings.map(|one| (&*one.rule, state(one.confidence, one.superseded_by.as_deref(), None)));
    let suppressed = judged.suppressed.iter();
    findings.chain(suppressed.map(|one| (&*one.rule, state(one.confidence, None, Some(&one.by.by))))).collect()
}

impl<'r> ChangedIncident<'r> {
    /// The rules that match only in one of the two, with another confidence, or whose finding counts in one alone, by id.
    #[must_use]
    pub fn rules(&self) -> Vec<ChangedRule<'r>> {
        let (before, now) = (finding_states(self.before), finding_states(self.now));
        let rules: BTreeSet<&str> = before.keys().chain(now.keys()).copied().collect();
        let state = |rule| ChangedRule { rule, before: before.get(rule).copied(), now: now.get(rule).copied() };
        rules.into_iter().map(state).filter(|rule| rule.before != rule.now).collect()
    }

    /// Whether the cause is another.
    #[must_use]
    pub fn cause_changed(&self) -> bool {
        self.before.verdict.cause != self.now.verdict.cause
    }

    /// Whether the suspected module changed, appeared or disappeared.
    #[must_use]
    pub fn suspect_changed(&self) -> bool {
        let module = |judged: &Judged| judged.incident.suspect.as_ref().map(|suspect| suspect.module.to_lowercase());
        module(self.before) != module(self.now)
    }

    /// Whether the incident is in another group.
    #[must_use]
    pub fn signature_changed(&self) -> bool {
        self.before.incident.signature != self.now.incident.signature
    }
}

/// How the results of two rule sets on the same evidence differ.
#[derive(Debug)]
pub struct RuleSetComparison<'r> {
    /// All incidents.
    pub incidents: usize,
    /// The incidents in which verdict, confidence, suspect or signature differ, in the order of the first report.
    pub changed: Vec<ChangedIncident<'r>>,
    /// Other incidents in which a finding differs that does not decide the verdict, in the same order.
    pub findings_changed: Vec<ChangedIncident<'r>>,
    /// Incidents that only the first report has: texts in which only its rules find something.
    pub gone: Vec<&'r Judged>,
    /// Incidents that only the second report has.
    pub new: Vec<&'r Judged>,
}

/// Compares the reports of two rule sets on the same artifacts. Incidents are matched by their first item of evidence.
#[must_use]
pub fn compare_rule_sets<'r>(before: &'r Report, now: &'r Report) -> RuleSetComparison<'r> {
    let key = |judged: &'r Judged| -> Option<(usize, &'r Place)> {
        judged.incident.evidence.first().map(|evidence| (evidence.artifact, &evidence.place))
    };
    let mut others: BTreeMap<Option<(usize, &Place)>, &Judged> =
        now.incidents.iter().map(|judged| (key(judged), judged)).collect();
    let (mut changed, mut findings_changed, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for judged in &before.incidents {
        match others.remove(&key(judged)) {
            None => gone.push(judged),
            Some(other) => {
                let change = ChangedIncident { before: judged, now: other };
                let same_verdict =
                    !change.cause_changed() && judged.verdict.confidence.total_cmp(&other.verdict.confidence).is_eq();
                if !same_verdict || change.suspect_changed() || change.signature_changed() {
                    changed.push(change);
                } else if !change.rules().is_empty() {
                    findings_changed.push(change);
                }
            }
        }
    }
    let left = |judged: &&'r Judged| others.contains_key(&key(judged));
    let new: Vec<&Judged> = now.incidents.iter().filter(left).collect();
    RuleSetComparison { incidents: before.incidents.len() + new.len(), changed, findings_changed, gone, new }
}
