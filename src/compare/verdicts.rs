//! What another rule set makes of the same evidence.

use std::collections::BTreeMap;

use crate::evidence::Place;
use crate::report::{Judged, Report};

/// An incident of which the two rule sets say different things.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'r> {
    /// What the first says.
    pub before: &'r Judged,
    /// What the second says.
    pub now: &'r Judged,
}

impl<'r> Changed<'r> {
    /// The rules that match only in one of the two, or with another confidence: id and confidence before and now.
    #[must_use]
    pub fn rules(&self) -> Vec<(&'r str, Option<f64>, Option<f64>)> {
        let mut rules: BTreeMap<&str, (Option<f64>, Option<f64>)> = BTreeMap::new();
        for finding in &self.before.findings {
            rules.entry(&finding.rule).or_default().0 = Some(finding.confidence);
        }
        for finding in &self.now.findings {
            rules.entry(&finding.rule).or_default().1 = Some(finding.confidence);
        }
        let differ = rules.into_iter().filter(|(_, (before, now))| before != now);
        differ.map(|(rule, (before, now))| (rule, before, now)).collect()
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
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    for judged in &before.incidents {
        match others.remove(&key(judged)) {
            None => gone.push(judged),
            Some(other) => {
                let change = Changed { before: judged, now: other };
                let same_verdict =
                    !change.cause_changed() && judged.verdict.confidence.total_cmp(&other.verdict.confidence).is_eq();
                if !same_verdict || change.suspect_changed() || change.signature_changed() {
                    changed.push(change);
                }
            }
        }
    }
    let left = |judged: &&'r Judged| others.contains_key(&key(judged));
    let new: Vec<&Judged> = now.incidents.iter().filter(left).collect();
    ByRules { incidents: before.incidents.len().saturating_add(new.len()), changed, gone, new }
}
