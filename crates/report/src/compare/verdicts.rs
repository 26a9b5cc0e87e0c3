//! What another rule set makes of the same evidence.

use std::collections::BTreeMap;

use crate::{Judged, Report};
use evidence::Place;

/// An incident of which the two rule sets say different things.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'r> {
    /// What the first says.
    pub before: &'r Judged,
    /// What the second says.
    pub now: &'r Judged,
}

/// A finding, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing<'r> {
    /// How sure it is.
    pub confidence: f64,
    /// The rule whose finding takes its place.
    pub superseded_by: Option<&'r str>,
    /// The rule set that suppresses it.
    pub suppressed_by: Option<&'r str>,
}

/// A rule that does not say the same of an incident before and now; `None` where it does not match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangedRule<'r> {
    /// Its id.
    pub rule: &'r str,
    /// Its finding before.
    pub before: Option<Standing<'r>>,
    /// Its finding now.
    pub now: Option<Standing<'r>>,
}

/// The findings of an incident by rule, those among them that are set aside.
fn standings(judged: &Judged) -> impl Iterator<Item = (&str, Standing<'_>)> {
    let findings = judged.findings.iter().map(|finding| {
        let (confidence, superseded_by) = (finding.confidence, finding.superseded_by.as_deref());
        (&*finding.rule, Standing { confidence, superseded_by, suppressed_by: None })
    });
    let suppressed = judged.suppressed.iter().map(|one| {
        let standing = Standing { confidence: one.confidence, superseded_by: None, suppressed_by: Some(&one.by.by) };
        (&*one.rule, standing)
    });
    findings.chain(suppressed)
}

impl<'r> Changed<'r> {
    /// The rules that match only in one of the two, with another confidence, or of which the finding stands in one alone,
    /// by id.
    #[must_use]
    pub fn rules(&self) -> Vec<ChangedRule<'r>> {
        let mut rules: BTreeMap<&str, ChangedRule<'_>> = BTreeMap::new();
        let unknown = |rule| ChangedRule { rule, before: None, now: None };
        for (rule, standing) in standings(self.before) {
            rules.entry(rule).or_insert_with(|| unknown(rule)).before = Some(standing);
        }
        for (rule, standing) in standings(self.now) {
            rules.entry(rule).or_insert_with(|| unknown(rule)).now = Some(standing);
        }
        rules.into_values().filter(|rule| rule.before != rule.now).collect()
    }

    /// Whether the cause is another.
    #[must_use]
    pub fn cause_changed(&self) -> bool {
        self.before.verdict.cause != self.now.verdict.cause
    }

    /// Whether the evidence points to another module, or to one only now or no longer.
    #[must_use]
    pub fn suspect_changed(&self) -> bool {
        let module = |judged: &Judged| judged.incident.suspect.as_ref().map(|suspect| suspect.module.to_lowercase());
        module(self.before) != module(self.now)
    }

    /// Whether the incident counts to another group.
    #[must_use]
    pub fn signature_changed(&self) -> bool {
        self.before.incident.signature != self.now.incident.signature
    }
}

/// What two rule sets make of the same evidence.
#[derive(Debug)]
pub struct ByRules<'r> {
    /// All incidents.
    pub incidents: usize,
    /// Those of which verdict, confidence, suspect or signature differ, in the order of the first report.
    pub changed: Vec<Changed<'r>>,
    /// The others of which a finding differs that does not decide the verdict: one that is too unsure for it, or that stands
    /// behind another, in the same order.
    pub beside: Vec<Changed<'r>>,
    /// Incidents that only the first has: texts on which only its rules have anything to say.
    pub gone: Vec<&'r Judged>,
    /// Incidents that only the second has.
    pub new: Vec<&'r Judged>,
}

/// Compares what two rule sets made of the same artifacts. An incident is known by its first item of evidence.
#[must_use]
pub fn by_rules<'r>(before: &'r Report, now: &'r Report) -> ByRules<'r> {
    let key = |judged: &'r Judged| -> Option<(usize, &'r Place)> {
        judged.incident.evidence.first().map(|evidence| (evidence.artifact, &evidence.place))
    };
    let mut others: BTreeMap<Option<(usize, &Place)>, &Judged> =
        now.incidents.iter().map(|judged| (key(judged), judged)).collect();
    let (mut changed, mut beside, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for judged in &before.incidents {
        match others.remove(&key(judged)) {
            None => gone.push(judged),
            Some(other) => {
                let change = Changed { before: judged, now: other };
                let same_verdict =
                    !change.cause_changed() && judged.verdict.confidence.total_cmp(&other.verdict.confidence).is_eq();
                if !same_verdict || change.suspect_changed() || change.signature_changed() {
                    changed.push(change);
                } else if !change.rules().is_empty() {
                    beside.push(change);
                }
            }
        }
    }
    let left = |judged: &&'r Judged| others.contains_key(&key(judged));
    let new: Vec<&Judged> = now.incidents.iter().filter(left).collect();
    ByRules { incidents: before.incidents.len().saturating_add(new.len()), changed, beside, gone, new }
}
