//! What one report says against an earlier one: groups of incidents that are new, gone, larger, smaller, or have another
//! verdict.
//!
//! Groups are known by their coarse signatures, which survive new builds. Incidents have the same id in both reports when
//! their evidence is the same, so that what was already known can be told from what happened since. More evidence of an
//! incident, such as a dump beside its record in a log, changes its id and can change its signature: it is known by what
//! happened where and when, too.

mod same;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use same::Happening;
pub use verdicts::{ByRules, Changed, by_rules};

use crate::report::written::Written;
use crate::report::{Report, UNDETERMINED};

/// A report as far as it is compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// Versions of the algorithms of its signatures.
    algorithms: BTreeSet<u32>,
    /// Its groups, by signature.
    groups: BTreeMap<String, SideGroup>,
    /// What happened, by the incidents' ids.
    happenings: BTreeMap<String, Happening>,
    /// What made it.
    made_by: MadeBy,
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

#[derive(Debug, Clone, Default, PartialEq)]
struct SideGroup {
    incidents: BTreeSet<String>,
    hosts: BTreeSet<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    cause: Option<String>,
    confidence: f64,
}

/// An incident as far as it is compared.
struct Member<'a> {
    id: &'a str,
    algorithm: u32,
    signature: &'a str,
    host: Option<&'a str>,
    time: Option<Timestamp>,
    cause: &'a str,
    confidence: f64,
    happening: Happening,
}

impl Side {
    fn of<'a>(
        made_by: MadeBy,
        causes: impl Iterator<Item = (&'a str, Option<&'a str>)>,
        members: impl Iterator<Item = Member<'a>>,
    ) -> Self {
        let mut side = Self { made_by, ..Self::default() };
        for (signature, cause) in causes {
            let cause = cause.filter(|cause| *cause != UNDETERMINED).map(str::to_owned);
            side.groups.insert(signature.to_owned(), SideGroup { cause, ..SideGroup::default() });
        }
        for member in members {
            side.algorithms.insert(member.algorithm);
            side.happenings.insert(member.id.to_owned(), member.happening);
            let group = side.groups.entry(member.signature.to_owned()).or_default();
            group.incidents.insert(member.id.to_owned());
            group.hosts.extend(member.host.map(str::to_lowercase));
            group.first = [group.first, member.time].into_iter().flatten().min();
            group.last = group.last.max(member.time);
            if group.cause.as_deref() == Some(member.cause) {
                group.confidence = group.confidence.max(member.confidence);
            }
        }
        side
    }

    /// How many incidents it has.
    #[must_use]
    pub fn incidents(&self) -> usize {
        self.groups.values().map(|group| group.incidents.len()).sum()
    }

    fn state(&self, signature: &str) -> Option<State> {
        let group = self.groups.get(signature)?;
        Some(State {
            incidents: group.incidents.len(),
            hosts: group.hosts.len(),
            first: group.first,
            last: group.last,
            verdict: group.cause.clone().map(|cause| (cause, group.confidence)),
        })
    }
}

impl From<&Report> for Side {
    fn from(report: &Report) -> Self {
        let rule_sets = report.rule_sets.iter().map(|set| (set.name.as_str(), set.version.as_str(), set.rules));
        Self::of(
            MadeBy::of(env!("CARGO_PKG_VERSION"), rule_sets),
            report.groups.iter().map(|group| (group.signature.as_str(), group.cause.as_deref())),
            report.incidents.iter().map(|judged| Member {
                id: &judged.incident.id,
                algorithm: judged.incident.signature.algorithm,
                signature: &judged.incident.signature.coarse,
                host: judged.incident.host.as_deref(),
                time: judged.incident.time,
                cause: &judged.verdict.cause,
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
            report.groups.iter().map(|group| (group.signature.as_str(), group.cause.as_deref())),
            report.incidents.iter().map(|incident| Member {
                id: &incident.id,
                algorithm: incident.signature.algorithm,
                signature: &incident.signature.coarse,
                host: incident.host.as_deref(),
                time: incident.time,
                cause: &incident.verdict.cause,
                confidence: incident.verdict.confidence,
                happening: Happening::from(incident),
            }),
        )
    }
}

/// A group in one of the reports.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Its incidents.
    pub incidents: usize,
    /// Different computers among them.
    pub hosts: usize,
    /// The earliest.
    pub first: Option<Timestamp>,
    /// The latest.
    pub last: Option<Timestamp>,
    /// Its cause with the confidence of its surest verdict; `None` when no cause is named.
    pub verdict: Option<(String, f64)>,
}

/// A group that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Its coarse signature.
    pub signature: String,
    /// What it was; `None` for a new one.
    pub before: Option<State>,
    /// What it is; `None` for one that is gone.
    pub now: Option<State>,
    /// Incidents that the earlier report does not have, by id.
    pub new_incidents: Vec<String>,
    /// Incidents of the earlier report that are no longer in this group.
    pub gone_incidents: usize,
    /// Whether all incidents of a group that only one report has are in the other report, too: in other groups.
    pub moved: bool,
}

impl Change {
    /// Whether both reports have the group, and name different causes.
    #[must_use]
    pub fn verdict_changed(&self) -> bool {
        let cause = |state: &State| state.verdict.as_ref().map(|(cause, _)| cause.clone());
        matches!((&self.before, &self.now), (Some(before), Some(now)) if cause(before) != cause(now))
    }

    /// How many more incidents the later report has.
    fn growth(&self) -> std::cmp::Ordering {
        let count = |state: &Option<State>| state.as_ref().map_or(0, |state| state.incidents);
        count(&self.now).cmp(&count(&self.before))
    }

    /// Whether it is a group that the earlier report does not have, and not only known incidents in another group.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.before.is_none() && !self.moved
    }

    /// What happened to it, as the words of reports: `new`, `gone`, `moved`, or any of `more`, `fewer`,
    /// `other-incidents` and `verdict-changed`.
    #[must_use]
    pub fn kinds(&self) -> Vec<&'static str> {
        match (&self.before, &self.now) {
            (None, _) | (_, None) if self.moved => return vec!["moved"],
            (None, _) => return vec!["new"],
            (_, None) => return vec!["gone"],
            _ => {}
        }
        let count = match self.growth() {
            std::cmp::Ordering::Greater => Some("more"),
            std::cmp::Ordering::Less => Some("fewer"),
            std::cmp::Ordering::Equal => (!self.new_incidents.is_empty()).then_some("other-incidents"),
        };
        count.into_iter().chain(self.verdict_changed().then_some("verdict-changed")).collect()
    }
}

/// What a report says against an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What made the earlier report.
    pub made_before: MadeBy,
    /// What made the later one.
    pub made_now: MadeBy,
    /// Incidents of the earlier report.
    pub before: usize,
    /// Incidents of the later one.
    pub now: usize,
    /// Incidents of the later one that the earlier one does not have.
    pub new_incidents: usize,
    /// Groups that are the same in both.
    pub unchanged: usize,
    /// Groups that differ: new ones first, then those with more incidents, with another verdict, with fewer, with known
    /// incidents of other groups, and those that are gone; within these the largest first, ties by signature.
    pub changes: Vec<Change>,
}

impl Comparison {
    /// Whether there is a group that the earlier report does not have.
    #[must_use]
    pub fn has_new_groups(&self) -> bool {
        self.changes.iter().any(Change::is_new)
    }
}

/// Reports whose signatures were made in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotComparable {
    /// The algorithm of the earlier report's signatures.
    pub before: u32,
    /// That of the later one's.
    pub now: u32,
}

impl std::fmt::Display for NotComparable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { before, now } = self;
        write!(
            f,
            "its signatures are made by algorithm {before}, those of the other report by {now}: analyze the earlier \
             folder again with this version"
        )
    }
}

/// Compares two reports.
///
/// # Errors
///
/// When their signatures were made in different ways.
pub fn compare(before: &Side, now: &Side) -> Result<Comparison, NotComparable> {
    if let (Some(old), Some(new)) = (before.algorithms.first(), now.algorithms.last())
        && (old != new || before.algorithms.len() > 1 || now.algorithms.len() > 1)
    {
        return Err(NotComparable { before: *old, now: *new });
    }
    // The incidents that both have, by the ids that they have in each.
    let same = same::in_both(&before.happenings, &now.happenings);
    let known: BTreeSet<&str> = same.values().copied().collect();
    let signatures: BTreeSet<&String> = before.groups.keys().chain(now.groups.keys()).collect();
    let mut changes = Vec::new();
    let (mut unchanged, mut new_incidents) = (0_usize, 0_usize);
    for signature in signatures {
        let of = |side: &Side| side.groups.get(signature).map(|group| group.incidents.clone()).unwrap_or_default();
        let (old, new) = (of(before), of(now));
        let moved = if new.is_empty() {
            old.iter().all(|id| same.contains_key(id.as_str()))
        } else {
            old.is_empty() && new.iter().all(|id| known.contains(id.as_str()))
        };
        let change = Change {
            signature: signature.clone(),
            before: before.state(signature),
            now: now.state(signature),
            new_incidents: new.iter().filter(|id| !known.contains(id.as_str())).cloned().collect(),
            gone_incidents: old.iter().filter(|id| !same.get(id.as_str()).is_some_and(|id| new.contains(*id))).count(),
            moved,
        };
        new_incidents = new_incidents.saturating_add(change.new_incidents.len());
        if change.kinds().is_empty() {
            unchanged = unchanged.saturating_add(1);
        } else {
            changes.push(change);
        }
    }
    changes.sort_by(|a, b| {
        let size = |change: &Change| change.now.as_ref().or(change.before.as_ref()).map_or(0, |state| state.incidents);
        order(a).cmp(&order(b)).then(size(b).cmp(&size(a))).then_with(|| a.signature.cmp(&b.signature))
    });
    Ok(Comparison {
        made_before: before.made_by.clone(),
        made_now: now.made_by.clone(),
        before: before.incidents(),
        now: now.incidents(),
        new_incidents,
        unchanged,
        changes,
    })
}

fn order(change: &Change) -> usize {
    const ORDER: [&str; 7] = ["new", "more", "verdict-changed", "other-incidents", "fewer", "moved", "gone"];
    let kinds = change.kinds();
    ORDER.iter().position(|kind| kinds.contains(kind)).unwrap_or(ORDER.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(algorithm: u32, incidents: &[(&str, &str, &str, f64)]) -> Side {
        let mut causes: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, signature, cause, _) in incidents {
            causes.entry(signature).or_insert(cause);
        }
        Side::of(
            MadeBy::default(),
            causes.into_iter().map(|(signature, cause)| (signature, Some(cause))),
            incidents.iter().map(|(id, signature, cause, confidence)| Member {
                id,
                algorithm,
                signature,
                host: Some("PC-1"),
                time: None,
                cause,
                confidence: *confidence,
                happening: Happening::default(),
            }),
        )
    }

    fn kinds(comparison: &Comparison) -> Vec<(&str, Vec<&'static str>)> {
        comparison.changes.iter().map(|change| (change.signature.as_str(), change.kinds())).collect()
    }

    #[test]
    fn groups_are_new_gone_larger_smaller_or_judged_otherwise() {
        let before = side(
            1,
            &[
                ("1", "same", "gpu-timeout", 0.7),
                ("2", "grows", "undetermined", 0.0),
                ("3", "shrinks", "undetermined", 0.0),
                ("4", "shrinks", "undetermined", 0.0),
                ("5", "judged", "gpu-timeout", 0.5),
                ("6", "over", "hardware-fault", 0.5),
                ("7", "moves", "undetermined", 0.0),
            ],
        );
        let now = side(
            1,
            &[
                ("1", "same", "gpu-timeout", 0.9),
                ("2", "grows", "heap-corruption", 0.6),
                ("2b", "grows", "heap-corruption", 0.8),
                ("3", "shrinks", "undetermined", 0.0),
                ("5", "judged", "version-mismatch", 0.9),
                ("7b", "moves", "undetermined", 0.0),
                ("8", "first", "disk-error", 0.4),
            ],
        );
        let comparison = compare(&before, &now).expect("comparable");
        assert_eq!(
            kinds(&comparison),
            [
                ("first", vec!["new"]),
                ("grows", vec!["more", "verdict-changed"]),
                ("judged", vec!["verdict-changed"]),
                ("moves", vec!["other-incidents"]),
                ("shrinks", vec!["fewer"]),
                ("over", vec!["gone"]),
            ]
        );
        assert_eq!((comparison.before, comparison.now, comparison.new_incidents, comparison.unchanged), (7, 7, 3, 1));
        let grows = comparison.changes.iter().find(|change| change.signature == "grows").expect("a change");
        assert_eq!(grows.new_incidents, ["2b"]);
        let verdict = grows.now.as_ref().and_then(|state| state.verdict.clone());
        assert_eq!(verdict, Some(("heap-corruption".to_owned(), 0.8)));
        assert_eq!(grows.before.as_ref().and_then(|state| state.verdict.clone()), None, "undetermined is no cause");
        let gone: Vec<usize> = comparison.changes.iter().map(|change| change.gone_incidents).collect();
        assert_eq!(gone, [0, 0, 0, 1, 1, 1], "of first, grows, judged, moves, shrinks and over");
    }

    #[test]
    fn of_one_kind_of_change_the_largest_group_comes_first() {
        let now = side(1, &[("1", "a", "x", 0.5), ("2", "b", "x", 0.5), ("3", "b", "x", 0.5), ("4", "c", "x", 0.5)]);
        let comparison = compare(&Side::default(), &now).expect("comparable");
        assert_eq!(kinds(&comparison), [("b", vec!["new"]), ("a", vec!["new"]), ("c", vec!["new"])]);
    }

    #[test]
    fn an_incident_that_changed_its_group_is_not_new() {
        let before = side(1, &[("1", "without dump", "undetermined", 0.0)]);
        let now = side(1, &[("1", "with dump", "undetermined", 0.0)]);
        let comparison = compare(&before, &now).expect("comparable");
        assert_eq!(comparison.new_incidents, 0);
        assert_eq!(kinds(&comparison), [("with dump", vec!["moved"]), ("without dump", vec!["moved"])]);
        assert!(!comparison.has_new_groups());
        let and_another = side(1, &[("1", "with dump", "undetermined", 0.0), ("2", "with dump", "undetermined", 0.0)]);
        let comparison = compare(&before, &and_another).expect("comparable");
        assert_eq!(kinds(&comparison), [("with dump", vec!["new"]), ("without dump", vec!["moved"])]);
        assert!(comparison.has_new_groups());
    }

    #[test]
    fn signatures_of_another_algorithm_are_not_compared() {
        let (old, new) = (side(1, &[("1", "a", "x", 0.5)]), side(2, &[("1", "a", "x", 0.5)]));
        assert_eq!(compare(&old, &new), Err(NotComparable { before: 1, now: 2 }));
        let mixed = side(1, &[("1", "a", "x", 0.5)]);
        let mixed = Side { algorithms: [1, 2].into(), ..mixed };
        assert!(compare(&mixed, &old).is_err() && compare(&new, &mixed).is_err(), "one report of two algorithms");
        let empty = Side::default();
        assert!(compare(&empty, &new).is_ok(), "a report without incidents can be compared with any");
    }
}
