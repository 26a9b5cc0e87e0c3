//! Compares a report with an earlier one: groups of incidents that are new, gone, larger, smaller, or have another verdict.
//!
//! Groups are matched by their coarse signatures, which survive new builds. An incident has the same id in both reports when
//! its evidence is the same. More evidence, such as a dump beside its record in a log, changes the id and can change the
//! signature: such incidents are matched by program, computer and time.
//!
//! Incidents that one of the reports leaves out because of their time are neither new nor gone: only the time span that
//! both cover is compared.

mod same;
mod side;
mod verdicts;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

pub use side::Side;
use side::{GroupKey, Happening, SideGroup};
pub use verdicts::{ChangedIncident, ChangedRule, FindingState, RuleSetComparison, compare_rule_sets};

use crate::confidence::Level;
use crate::model::{Comparison, GroupChange, GroupState, Limits, Selected};
use incident::ALGORITHM;

/// The words of [`GroupChange::change`] for a group that both reports have; none where it is the same.
fn changes(before: &GroupState, now: &GroupState, has_new: bool) -> Vec<&'static str> {
    let verdict = |state: &GroupState| (state.cause.clone(), state.confidence.map(Level::of));
    let count = match now.incidents.cmp(&before.incidents) {
        Ordering::Greater => Some("more"),
        Ordering::Less => Some("fewer"),
        Ordering::Equal => has_new.then_some("other-incidents"),
    };
    count.into_iter().chain((verdict(before) != verdict(now)).then_some("verdict-changed")).collect()
}

/// Why two reports can't be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotComparable {
    /// Different algorithms made their signatures.
    #[error(
        "its signatures are made by algorithm {}, those of the other report by {}: analyze its folder again with this \
         version", before.min(now), before.max(now)
    )]
    Signatures {
        /// The algorithm of the earlier report's signatures.
        before: u32,
        /// The algorithm of the later report's signatures.
        now: u32,
    },
    /// Their time spans have nothing in common.
    #[error(
        "it holds incidents {before} and the other report {now}: no time is in both, and nothing can be compared; analyze \
         the folders again with other times"
    )]
    Times {
        /// The time span of the earlier report.
        before: Limits,
        /// The time span of the later report.
        now: Limits,
    },
    /// Their incidents were chosen otherwise.
    #[error(
        "it and the other report hold incidents that were not chosen by the same --host, --process, --module and --cause: \
         what one of them leaves out would be new or gone; analyze the folder again with the same"
    )]
    Selected,
}

impl NotComparable {
    /// Whether the earlier report must be made again, and not the later one.
    #[must_use]
    pub fn is_of_earlier(&self) -> bool {
        match self {
            Self::Signatures { before, now } => before <= now,
            Self::Times { .. } | Self::Selected => true,
        }
    }
}

/// Checks whether an earlier report can be compared with one that this version makes, before it is made.
///
/// # Errors
///
/// When another algorithm made its signatures, when it leaves out all incidents that `limits` include, or when its incidents
/// were not chosen by `selected`.
pub fn comparable_now(before: &Side, limits: Limits, selected: &Selected) -> Result<(), NotComparable> {
    common_limits(before.limits, limits)?;
    same_choice(&before.selected, &selected.of_incidents())?;
    match before.algorithms().into_iter().find(|algorithm| *algorithm != ALGORITHM) {
        Some(before) => Err(NotComparable::Signatures { before, now: ALGORITHM }),
        None => Ok(()),
    }
}

/// The time span that both reports cover.
fn common_limits(before: Limits, now: Limits) -> Result<Limits, NotComparable> {
    let limits = before.and(now);
    match (limits.since, limits.until) {
        (Some(since), Some(until)) if since > until => Err(NotComparable::Times { before, now }),
        _ => Ok(limits),
    }
}

fn same_choice(before: &Selected, now: &Selected) -> Result<(), NotComparable> {
    if before == now { Ok(()) } else { Err(NotComparable::Selected) }
}

/// Compares two reports.
///
/// # Errors
///
/// When different algorithms made their signatures, their time spans have nothing in common, or their incidents were not
/// chosen alike.
pub fn compare(before: &Side, now: &Side) -> Result<Comparison, NotComparable> {
    let (old, new) = (before.algorithms(), now.algorithms());
    if let (Some(first), Some(last)) = (old.first(), new.last())
        && (first != last || old.len() > 1 || new.len() > 1)
    {
        return Err(NotComparable::Signatures { before: *first, now: *last });
    }
    let limits = common_limits(before.limits, now.limits)?;
    same_choice(&before.selected, &now.selected)?;
    let happenings = |side: &'_ Side| -> BTreeMap<String, Happening> {
        side.within(limits).map(|member| (member.id.clone(), member.happening.clone())).collect()
    };
    // The incidents that both have, by the ids that they have in each.
    let (happened_before, happened_now) = (happenings(before), happenings(now));
    let same = same::in_both(&happened_before, &happened_now);
    let known: BTreeSet<&str> = same.values().copied().collect();
    let (groups_before, groups_now) = (before.groups(limits), now.groups(limits));
    let keys: BTreeSet<&GroupKey> = groups_before.keys().chain(groups_now.keys()).copied().collect();
    let mut changes = Vec::new();
    let (mut unchanged, mut all_new) = (0_usize, 0_usize);
    for key in keys {
        let (old, new) = (groups_before.get(key), groups_now.get(key));
        let old_ids = old.map(|group| group.incidents.clone()).unwrap_or_default();
        let new_ids = new.map(|group| group.incidents.clone()).unwrap_or_default();
        let moved = if new_ids.is_empty() {
            old_ids.iter().all(|id| same.contains_key(id))
        } else {
            old_ids.is_empty() && new_ids.iter().all(|id| known.contains(id))
        };
        let is_new = |id: &&&str| !known.contains(**id);
        let is_gone = |id: &&&str| !same.get(**id).is_some_and(|id| new_ids.contains(id));
        let new_incidents: Vec<String> = new_ids.iter().filter(is_new).map(|id| (*id).to_owned()).collect();
        all_new += new_incidents.len();
        let (before, now) = (old.map(SideGroup::state), new.map(SideGroup::state));
        let change = match (&before, &now) {
            (Some(before), Some(now)) => self::changes(before, now, !new_incidents.is_empty()),
            _ if moved => vec!["moved"],
            (None, _) => vec!["new"],
            (Some(_), None) => vec!["gone"],
        };
        if change.is_empty() {
            unchanged += 1;
            continue;
        }
        changes.push(GroupChange {
            signature: key.1.clone(),
            party: key.0.clone(),
            change: change.into_iter().map(Cow::Borrowed).collect(),
            before,
            now,
            new_incidents,
            gone_incidents: old_ids.iter().filter(is_gone).count(),
        });
    }
    changes.sort_by(|a, b| {
        let size =
            |change: &GroupChange| change.now.as_ref().or(change.before.as_ref()).map_or(0, |state| state.incidents);
        order(a)
            .cmp(&order(b))
            .then(size(b).cmp(&size(a)))
            .then_with(|| (&a.signature, &a.party).cmp(&(&b.signature, &b.party)))
    });
    Ok(Comparison {
        limits,
        incidents_before: happened_before.len(),
        incidents_now: happened_now.len(),
        new_incidents: all_new,
        unchanged_groups: unchanged,
        tool_before: before.tool.clone(),
        tool_now: now.tool.clone(),
        rulesets_before: before.rule_sets.clone(),
        rulesets_now: now.rule_sets.clone(),
        changes,
    })
}

fn order(change: &GroupChange) -> usize {
    const ORDER: [&str; 7] = ["new", "more", "verdict-changed", "other-incidents", "fewer", "moved", "gone"];
    ORDER.iter().position(|kind| change.is(kind)).unwrap_or(ORDER.len())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::side::Member;
    use super::*;

    fn side(algorithm: u32, incidents: &[(&str, &str, &str, f64)]) -> Side {
        let mut causes: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, signature, cause, _) in incidents {
            causes.entry(signature).or_insert(cause);
        }
        let members = incidents.iter().map(|(id, signature, cause, confidence)| Member {
            id: (*id).to_owned(),
            algorithm,
            group: (None, (*signature).to_owned()),
            cause: (*cause).to_owned(),
            confidence: *confidence,
            symptom: false,
            happening: Happening { host: Some("pc-1".to_owned()), ..Happening::default() },
        });
        let causes = causes.into_iter().map(|(signature, cause)| ((None, signature.to_owned()), cause.to_owned()));
        Side { causes: causes.collect(), members: members.collect(), ..Side::default() }
    }

    fn kinds(comparison: &Comparison) -> Vec<(&str, Vec<&str>)> {
        fn words(change: &GroupChange) -> Vec<&str> {
            change.change.iter().map(|word| &**word).collect()
        }
        comparison.changes.iter().map(|change| (change.signature.as_str(), words(change))).collect()
    }

    #[test]
    fn groups_are_new_gone_larger_smaller_or_judged_otherwise() {
        let before = side(
            1,
            &[
                ("1", "same", "gpu-timeout", 0.82),
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
        assert_eq!((comparison.incidents_before, comparison.incidents_now), (7, 7));
        assert_eq!((comparison.new_incidents, comparison.unchanged_groups), (3, 1));
        let grows = comparison.changes.iter().find(|change| change.signature == "grows").expect("a change");
        assert_eq!(grows.new_incidents, ["2b"]);
        let now = grows.now.as_ref().expect("a group");
        assert_eq!((now.cause.as_deref(), now.confidence), (Some("heap-corruption"), Some(0.8)));
        assert_eq!(grows.before.as_ref().expect("a group").cause, None, "undetermined is no cause");
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
        assert_eq!(compare(&old, &new), Err(NotComparable::Signatures { before: 1, now: 2 }));
        let both = side(1, &[("1", "a", "x", 0.5)]).within(Limits::default()).cloned().collect::<Vec<_>>();
        let both = both.into_iter().chain(new.within(Limits::default()).cloned());
        let mixed = Side { members: both.collect(), ..Side::default() };
        assert!(compare(&mixed, &old).is_err() && compare(&new, &mixed).is_err(), "one report of two algorithms");
        let empty = Side::default();
        assert!(compare(&empty, &new).is_ok(), "a report without incidents can be compared with any");
    }

    #[test]
    fn the_same_cause_with_another_level_is_another_verdict() {
        let of = |confidence| side(1, &[("1", "judged", "gpu-timeout", confidence)]);
        let changed = |before, now| !compare(&of(before), &of(now)).expect("comparable").changes.is_empty();
        assert!(changed(0.31, 0.91));
        assert!(!changed(0.81, 0.91), "both are acted on");
    }

    #[test]
    fn what_one_report_leaves_out_is_neither_new_nor_gone() {
        let at = |text: &str| -> Timestamp { text.parse().expect("a time") };
        let member = |id: &str, signature: &str, time: Option<&str>| Member {
            id: id.to_owned(),
            algorithm: 1,
            group: (None, signature.to_owned()),
            cause: "undetermined".to_owned(),
            confidence: 0.0,
            symptom: false,
            happening: Happening { time: time.map(at), ..Happening::default() },
        };
        let whole = [
            member("1", "spring", Some("2025-03-01T00:00:00Z")),
            member("2", "both", Some("2025-03-02T00:00:00Z")),
            member("3", "both", Some("2025-04-02T00:00:00Z")),
            member("4", "april", Some("2025-04-03T00:00:00Z")),
            member("5", "no time", None),
        ];
        let of = |limits: Limits| {
            let members = whole.iter().filter(|member| limits.hold(member.happening.time)).cloned();
            Side { limits, members: members.collect(), ..Side::default() }
        };
        let april = Limits { since: Some(at("2025-04-01T00:00:00Z")), until: None };
        let (all, late) = (of(Limits::default()), of(april));
        for (before, now) in [(&all, &late), (&late, &all)] {
            let comparison = compare(before, now).expect("comparable");
            assert_eq!(kinds(&comparison), [], "nothing differs");
            assert_eq!((comparison.incidents_before, comparison.incidents_now), (3, 3));
            assert_eq!(comparison.limits, april);
        }
        let march = Limits { since: None, until: Some(at("2025-03-31T00:00:00Z")) };
        assert_eq!(compare(&of(march), &late), Err(NotComparable::Times { before: march, now: april }));
    }
}
