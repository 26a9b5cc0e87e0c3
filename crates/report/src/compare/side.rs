//! A report as far as it is compared, whether it was just made or written before.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::State;
use super::same::Happening;
use crate::confidence::rounded;
use crate::model::{Document, Incident};
use crate::{Limits, RuleSetInfo, UNDETERMINED};
use incident::short_host;

/// A report as far as it is compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// Version of the program that made it.
    pub(super) tool: String,
    /// The rule sets by which it was judged, each with its version and how many rules it has.
    pub(super) rule_sets: Vec<String>,
    /// Which incidents it leaves out.
    pub(super) limits: Limits,
    /// Its groups' causes, by signature, where one is named.
    pub(super) causes: BTreeMap<String, String>,
    /// Its incidents.
    pub(super) members: Vec<Member>,
}

/// An incident as far as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) id: String,
    pub(super) algorithm: u32,
    pub(super) signature: String,
    pub(super) host: Option<String>,
    pub(super) time: Option<Timestamp>,
    pub(super) cause: String,
    pub(super) confidence: f64,
    pub(super) happening: Happening,
}

/// A group of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SideGroup<'s> {
    pub(super) incidents: BTreeSet<&'s str>,
    hosts: BTreeSet<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    verdict: Option<(&'s str, f64)>,
}

impl SideGroup<'_> {
    pub(super) fn state(&self) -> State {
        State {
            incidents: self.incidents.len(),
            hosts: self.hosts.len(),
            first: self.first,
            last: self.last,
            cause: self.verdict.map(|(cause, _)| cause.to_owned()),
            confidence: self.verdict.map(|(_, confidence)| rounded(confidence)),
        }
    }
}

impl Side {
    /// The incidents that `limits` would not leave out.
    pub(super) fn within(&self, limits: Limits) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(move |member| limits.hold(member.time))
    }

    /// Versions of the algorithms of its signatures.
    pub(super) fn algorithms(&self) -> BTreeSet<u32> {
        self.members.iter().map(|member| member.algorithm).collect()
    }

    /// The groups of the incidents that `limits` would not leave out, by signature. A group's cause is what the report
    /// says, if one of these incidents has it, and else the one that they are surest of.
    pub(super) fn groups(&self, limits: Limits) -> BTreeMap<&str, SideGroup<'_>> {
        let mut groups: BTreeMap<&str, SideGroup<'_>> = BTreeMap::new();
        for member in self.within(limits) {
            let group = groups.entry(&member.signature).or_default();
            group.incidents.insert(&member.id);
            group.hosts.extend(member.host.as_deref().map(short_host));
            group.first = [group.first, member.time].into_iter().flatten().min();
            group.last = group.last.max(member.time);
            if member.cause == UNDETERMINED {
                continue;
            }
            let speaks = |cause: &str| self.causes.get(&member.signature).is_some_and(|spoken| spoken == cause);
            let rank = |cause: &str, confidence: f64| (speaks(cause), confidence);
            let surer = group
                .verdict
                .is_none_or(|(cause, confidence)| rank(&member.cause, member.confidence) > rank(cause, confidence));
            if surer {
                group.verdict = Some((&member.cause, member.confidence));
            }
        }
        groups
    }
}

impl From<&Document<'_>> for Side {
    fn from(report: &Document<'_>) -> Self {
        let rule_set = |set: &RuleSetInfo| format!("{} {} ({} rules)", set.name, set.version, set.rules);
        let mut side = Self {
            tool: report.tool.version.clone().into_owned(),
            rule_sets: report.rulesets.iter().map(rule_set).collect(),
            limits: Limits { since: report.since, until: report.until },
            ..Self::default()
        };
        report.groups.for_each(|group| {
            if let Some(cause) = group.cause.as_deref().filter(|cause| *cause != UNDETERMINED) {
                side.causes.insert(group.signature.clone().into_owned(), cause.to_owned());
            }
        });
        report.incidents.for_each(|incident| {
            if incident.may_be_of.is_empty() {
                side.members.push(Member::from(incident));
            }
        });
        side
    }
}

impl From<&Incident<'_>> for Member {
    fn from(incident: &Incident<'_>) -> Self {
        Self {
            id: incident.id.clone().into_owned(),
            algorithm: incident.signature.algorithm,
            signature: incident.signature.coarse.clone().into_owned(),
            host: incident.host.as_deref().map(str::to_owned),
            time: incident.time,
            cause: incident.verdict.cause.clone(),
            confidence: incident.verdict.confidence,
            happening: Happening::from(incident),
        }
    }
}
