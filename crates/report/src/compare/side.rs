//! The part of a report that is compared, whether it was just made or read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::confidence::rounded;
use crate::model::{Document, GroupState, Incident, Limits, Part, Selected};
use incident::short_host;
use rules::{RuleSetInfo, UNDETERMINED};

/// The part of a report that is compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// Version of the program that made it.
    pub(super) tool: String,
    /// The rule sets by which it was judged, each with its version and how many rules it has.
    pub(super) rule_sets: Vec<String>,
    /// The time span of its incidents.
    pub(super) limits: Limits,
    /// What its incidents are about, where that was chosen.
    pub(super) selected: Selected,
    /// The causes of its groups, where one is named.
    pub(super) causes: BTreeMap<GroupKey, String>,
    /// Its incidents.
    pub(super) members: Vec<Member>,
}

/// By what groups of two reports are the same: the customer, where folders are customers, and the signature.
pub(super) type GroupKey = (Option<String>, String);

/// The part of an incident that is compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) id: String,
    pub(super) algorithm: u32,
    pub(super) group: GroupKey,
    pub(super) cause: String,
    pub(super) confidence: f64,
    pub(super) symptom: bool,
    pub(super) happening: Happening,
}

/// What happened, where and when.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Happening {
    pub(super) time: Option<Timestamp>,
    /// The computer without its domain, lower case, behind the customer, where folders are customers.
    pub(super) host: Option<String>,
    /// The stop code, or the program in lower case.
    pub(super) what: Option<String>,
    pub(super) pid: Option<u32>,
}

/// A group of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SideGroup<'s> {
    pub(super) incidents: BTreeSet<&'s str>,
    hosts: BTreeSet<&'s str>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    verdict: Option<&'s Member>,
}

impl SideGroup<'_> {
    pub(super) fn state(&self) -> GroupState {
        GroupState {
            incidents: self.incidents.len(),
            hosts: self.hosts.len(),
            first: self.first,
            last: self.last,
            cause: self.verdict.map(|member| member.cause.clone()),
            confidence: self.verdict.map(|member| rounded(member.confidence)),
            symptom: self.verdict.is_some_and(|member| member.symptom),
        }
    }
}

impl Side {
    /// The incidents within `limits`.
    pub(super) fn within(&self, limits: Limits) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(move |member| limits.hold(member.happening.time))
    }

    /// The versions of the algorithms that made its signatures.
    pub(super) fn algorithms(&self) -> BTreeSet<u32> {
        self.members.iter().map(|member| member.algorithm).collect()
    }

    /// The groups of the incidents within `limits`, by their keys. A group's cause is the one that the report has, if one of
    /// these incidents has it, and else the one with the highest confidence.
    pub(super) fn groups(&self, limits: Limits) -> BTreeMap<&GroupKey, SideGroup<'_>> {
        let mut groups: BTreeMap<&GroupKey, SideGroup<'_>> = BTreeMap::new();
        for member in self.within(limits) {
            let group = groups.entry(&member.group).or_default();
            group.incidents.insert(&member.id);
            let Happening { time, host, .. } = &member.happening;
            group.hosts.extend(host.as_deref());
            group.first = [group.first, *time].into_iter().flatten().min();
            group.last = group.last.max(*time);
            if member.cause == UNDETERMINED {
                continue;
            }
            let is_of_group = |cause: &str| self.causes.get(&member.group).is_some_and(|of_group| of_group == cause);
            let rank = |member: &Member| (is_of_group(&member.cause), member.confidence);
            if group.verdict.is_none_or(|surest| rank(member) > rank(surest)) {
                group.verdict = Some(member);
            }
        }
        groups
    }
}

impl From<Document<'_>> for Side {
    fn from(report: Document<'_>) -> Self {
        let rule_set = |set: &RuleSetInfo| format!("{} {} ({} rules)", set.name, set.version, set.rules);
        let mut side = Self {
            tool: report.tool.version.into_owned(),
            rule_sets: report.rulesets.iter().map(rule_set).collect(),
            limits: Limits { since: report.since, until: report.until },
            selected: report.selected.as_deref().map(Selected::of_incidents).unwrap_or_default(),
            ..Self::default()
        };
        for group in &*report.groups {
            if let Some(cause) = group.cause.as_ref().filter(|cause| *cause != UNDETERMINED) {
                side.causes.insert((group.party.as_deref().map(str::to_owned), group.signature.clone()), cause.clone());
            }
        }
        let incidents = report.incidents.into_items().filter(|incident| incident.may_be_of.is_empty());
        side.members.extend(incidents.map(Member::from));
        side
    }
}

impl From<Incident<'_>> for Member {
    fn from(incident: Incident<'_>) -> Self {
        let process = incident.process.as_deref();
        let stop = incident.bugcheck.as_ref().and_then(Part::code);
        let signature = incident.signature.into_owned();
        let party = incident.party.map(Cow::into_owned);
        let host = incident.host.as_deref().map(short_host);
        Self {
            id: incident.id.into_owned(),
            algorithm: signature.algorithm,
            group: (party.clone(), signature.coarse),
            cause: incident.verdict.cause.into_owned(),
            confidence: incident.verdict.confidence,
            symptom: incident.verdict.symptom,
            happening: Happening {
                time: incident.time,
                host: match party {
                    Some(party) => host.map(|host| format!("{party}/{host}")),
                    None => host,
                },
                what: stop.or_else(|| process.and_then(|process| process.name.as_deref()).map(str::to_lowercase)),
                pid: process.and_then(|process| process.pid),
            },
        }
    }
}
