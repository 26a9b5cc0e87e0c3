//! A report as far as it is compared, whether it was just made or written before.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::State;
use super::same::Happening;
use crate::written::Written;
use crate::{Limits, Report};
use incident::short_host;
use rules::UNDETERMINED;

/// A report as far as it is compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// What made it.
    pub(super) made_by: MadeBy,
    /// Which incidents it leaves out.
    pub(super) limits: Limits,
    /// Its groups' causes, by signature.
    causes: BTreeMap<String, Option<String>>,
    /// Its incidents.
    members: Vec<Member>,
}

/// What made a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MadeBy {
    /// Version of the program.
    pub tool: String,
    /// The rule sets, each with its version and how many rules it has.
    pub rule_sets: Vec<String>,
}

impl MadeBy {
    fn of<'a>(tool: &str, rule_sets: impl Iterator<Item = (&'a str, &'a str, usize)>) -> Self {
        let rule_set = |(name, version, rules)| format!("{name} {version} ({rules} rules)");
        Self { tool: tool.to_owned(), rule_sets: rule_sets.map(rule_set).collect() }
    }
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
            verdict: self.verdict.map(|(cause, confidence)| (cause.to_owned(), confidence)),
        }
    }
}

impl Side {
    pub(super) fn of<'a>(
        made_by: MadeBy,
        limits: Limits,
        causes: impl Iterator<Item = (&'a str, Option<&'a str>)>,
        members: impl Iterator<Item = Member>,
    ) -> Self {
        let known = |cause: &str| (cause != UNDETERMINED).then(|| cause.to_owned());
        let causes = causes.map(|(signature, cause)| (signature.to_owned(), cause.and_then(known)));
        Self { made_by, limits, causes: causes.collect(), members: members.collect() }
    }

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
            let speaks =
                |cause: &str| self.causes.get(&member.signature).is_some_and(|spoken| spoken.as_deref() == Some(cause));
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

impl From<&Report> for Side {
    fn from(report: &Report) -> Self {
        let rule_sets = report.rule_sets.iter().map(|set| (set.name.as_str(), set.version.as_str(), set.rules));
        Self::of(
            MadeBy::of(env!("CARGO_PKG_VERSION"), rule_sets),
            report.limits,
            report.groups.iter().map(|group| (group.signature.as_str(), group.cause.as_deref())),
            report.incidents.iter().filter(|judged| judged.incident.may_be_of.is_empty()).map(|judged| Member {
                id: judged.incident.id.clone(),
                algorithm: judged.incident.signature.algorithm,
                signature: judged.incident.signature.coarse.clone(),
                host: judged.incident.host.as_deref().map(str::to_owned),
                time: judged.incident.time,
                cause: judged.verdict.cause.clone(),
                confidence: judged.verdict.confidence,
                happening: Happening::from(&judged.incident),
            }),
        )
    }
}

impl From<&Written> for Side {
    fn from(report: &Written) -> Self {
        let rule_sets = report.rulesets.iter().map(|set| (set.name.as_str(), set.version.as_str(), set.rules));
        Self::of(
            MadeBy::of(&report.tool.version, rule_sets),
            Limits { since: report.since, until: report.until },
            report.groups.iter().map(|group| (group.signature.as_str(), group.cause.as_deref())),
            report.incidents.iter().filter(|incident| incident.may_be_of.is_empty()).map(|incident| Member {
                id: incident.id.clone(),
                algorithm: incident.signature.algorithm,
                signature: incident.signature.coarse.clone(),
                host: incident.host.clone(),
                time: incident.time,
                cause: incident.verdict.cause.clone(),
                confidence: incident.verdict.confidence,
                happening: Happening::from(incident),
            }),
        )
    }
}
