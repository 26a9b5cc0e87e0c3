//! Groups of alike incidents, the attributes that each has far more often than the rest, and the changes before it began.

mod attributes;
mod changes;
mod over_represented;
mod statistics;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

pub use attributes::{Attributes, IncidentAttributes};
#[cfg(test)]
pub(crate) use {attributes::Attribute, over_represented::Unit, statistics::Counts};

use crate::confidence::rounded;
use crate::model::{Artifact, CauseCount, Group, Judged, OverRepresented};
use changes::MachinesBySignature;
use incident::{Incident, IncidentKind, short_host};
use over_represented::{Members, over_represented};
use rules::UNDETERMINED;

/// Groups the incidents, largest group first, ties by signature. Incidents must come in the report's order, and
/// `of_incidents`, their attributes, in the same; `machines` have the timelines of the machines, `artifacts` those of the
/// run.
#[must_use]
pub fn groups(
    incidents: &[Judged],
    of_incidents: &[IncidentAttributes],
    attributes: &Attributes,
    machines: &HashMap<String, facts::Surroundings<'_>>,
    artifacts: &[Artifact],
) -> Vec<Group> {
    let mut by_signature: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    // A text that fits several incidents is in no group.
    for (index, judged) in incidents.iter().enumerate().filter(|(_, judged)| judged.incident.may_be_of.is_empty()) {
        by_signature.entry(&judged.incident.signature.coarse).or_default().push(index);
    }
    let by_signature: Vec<(&str, Vec<usize>)> = by_signature.into_iter().collect();
    let members: Vec<Members<'_>> = by_signature
        .iter()
        .map(|(_, members)| Members {
            incidents: members,
            named: named(members.first().and_then(|one| incidents.get(*one))),
        })
        .collect();
    let over_represented = over_represented(&members, of_incidents, attributes);
    let machines = MachinesBySignature::new(machines.values());
    let mut groups: Vec<Group> = by_signature
        .par_iter()
        .zip(over_represented)
        .map(|((signature, members), over_represented)| {
            let members: Vec<&Judged> = members.iter().filter_map(|index| incidents.get(*index)).collect();
            group(signature, &members, over_represented, &machines, artifacts)
        })
        .collect();
    groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    groups
}

fn group(
    signature: &str,
    members: &[&Judged],
    over_represented: Vec<OverRepresented>,
    machines: &MachinesBySignature<'_, '_>,
    artifacts: &[Artifact],
) -> Group {
    let incidents = || members.iter().map(|judged| &judged.incident);
    let (cause, confidence) = conclusion(members).unzip();
    let representative = representative(members, cause.as_deref());
    let symptom = cause.is_some() && representative.is_some_and(|judged| judged.verdict.symptom);
    let (changes_before, changes_unknown) =
        representative.map(|representative| machines.before(signature, representative, artifacts)).unwrap_or_default();
    let hosts: BTreeSet<String> = incidents().filter_map(|incident| incident.host.as_deref()).map(short_host).collect();
    Group {
        signature: signature.to_owned(),
        party: None,
        incidents: incidents().map(|incident| incident.id.clone()).collect(),
        first: incidents().filter_map(|incident| incident.time).min(),
        last: incidents().filter_map(|incident| incident.time).max(),
        hosts: hosts.len(),
        representative: representative.map(|judged| judged.incident.id.clone()).unwrap_or_default(),
        cause,
        confidence,
        symptom,
        causes: causes(members),
        over_represented,
        changes_before,
        changes_unknown,
    }
}

/// How many incidents have each cause, the most frequent first, ties by name.
#[must_use]
pub(crate) fn causes(members: &[&Judged]) -> Vec<CauseCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for judged in members {
        *counts.entry(&judged.verdict.cause).or_default() += 1;
    }
    let mut causes: Vec<CauseCount> =
        counts.into_iter().map(|(cause, incidents)| CauseCount { cause: cause.to_owned(), incidents }).collect();
    causes.sort_by_key(|count| Reverse(count.incidents));
    causes
}

/// The cause that stands for a group, and how likely it is right for an incident of the group.
///
/// It is the cause that most verdicts name; of several, the one with most confidence over all incidents, then the first by
/// name. Its confidence is the mean over the incidents: each counts with the confidence in that cause by its own findings. Where
/// the incidents share a place in a program or a driver, they are most probably of one cause: then the incident with most
/// evidence counts for those with less, too, weighed by the share of verdicts that agree (the rule of succession, so that
/// one verdict alone gives two thirds). Power losses and hangs share no place, and each counts for itself. `None` where no
/// verdict names a cause, or the mean is below [`GROUP_FROM`].
#[must_use]
pub(crate) fn conclusion(members: &[&Judged]) -> Option<(String, f64)> {
    let counts = causes(members);
    let named = || counts.iter().filter(|count| count.cause != UNDETERMINED);
    let most = named().map(|count| count.incidents).max()?;
    let verdicts: usize = named().map(|count| count.incidents).sum();
    let candidates = named().filter(|count| count.incidents == most);
    let mean = |cause: &str| mean_confidence(members, cause, share(most, verdicts));
    let all = candidates.map(|count| (count.cause.as_str(), mean(&count.cause)));
    let (cause, confidence) =
        all.max_by(|(name, mean), (other, others)| mean.total_cmp(others).then_with(|| other.cmp(name)))?;
    (confidence >= GROUP_FROM).then(|| (cause.to_owned(), confidence))
}

/// The least confidence with which a cause stands for a group: that of a verdict.
const GROUP_FROM: f64 = 0.3;

/// The probability that a further verdict agrees, where `agreeing` of `all` do.
fn share(agreeing: usize, all: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (number(agreeing) + 1.0) / (number(all) + 2.0)
}

/// The mean over the incidents of the confidence in a cause; `share` is the weight of what other incidents of one place show.
fn mean_confidence(members: &[&Judged], cause: &str, share: f64) -> f64 {
    let own = |judged: &Judged| {
        let verdict = &judged.verdict;
        if verdict.cause == cause {
            return verdict.confidence;
        }
        let findings = judged.findings.iter().filter(|finding| !finding.is_superseded() && finding.cause == cause);
        findings.map(|finding| finding.confidence).fold(0.0, f64::max)
    };
    let best = members.iter().map(|judged| own(judged)).fold(0.0, f64::max);
    let by_others = if members.iter().all(|judged| has_place(&judged.incident)) { best * share } else { 0.0 };
    let supports = members.iter().map(|judged| match own(judged) {
        // A verdict of another cause is no lack of evidence.
        own if judged.verdict.cause == cause || judged.verdict.is_undetermined() => own.max(by_others),
        own => own,
    });
    let count = u32::try_from(members.len()).unwrap_or(u32::MAX).max(1);
    rounded(supports.sum::<f64>() / f64::from(count))
}

/// Whether the signature of an incident names a place: the faulting module of a program, or the suspected driver.
fn has_place(incident: &Incident) -> bool {
    match incident.kind {
        IncidentKind::Crash | IncidentKind::StartFailure | IncidentKind::Exit => incident.fault_site.is_some(),
        IncidentKind::Bugcheck | IncidentKind::GpuReset => incident.suspect.is_some(),
        IncidentKind::Hang | IncidentKind::PowerLoss => false,
    }
}

/// The incident that represents a group: of those with the group's cause by the rule that gave it most often, the surest, the
/// earliest of them on a tie. Where no cause stands for the group, of those whose verdict names none, if there are any, the
/// one with the most evidence.
#[must_use]
pub(crate) fn representative<'j>(members: &[&'j Judged], cause: Option<&str>) -> Option<&'j Judged> {
    let weight = |judged: &Judged| {
        let Judged { incident, findings, .. } = judged;
        (findings.len(), incident.suspect.is_some(), incident.evidence.len())
    };
    let undetermined = members.iter().any(|judged| judged.verdict.is_undetermined());
    let rule = |judged: &'j Judged| judged.leading_finding().map(|finding| finding.rule.as_str());
    let mut rules: BTreeMap<Option<&str>, (usize, f64)> = BTreeMap::new();
    for judged in members.iter().copied().filter(|judged| Some(judged.verdict.cause.as_str()) == cause) {
        let (count, surest) = rules.entry(rule(judged)).or_default();
        *count += 1;
        *surest = surest.max(judged.verdict.confidence);
    }
    let most = rules.into_iter().max_by(|(name, (count, surest)), (other, (others, other_surest))| {
        count.cmp(others).then(surest.total_cmp(other_surest)).then(other.cmp(name))
    });
    let most = most.and_then(|(rule, _)| rule);
    let candidates = members.iter().copied().filter(|&judged| match cause {
        Some(cause) => judged.verdict.cause == cause && rule(judged) == most,
        None => !undetermined || judged.verdict.is_undetermined(),
    });
    candidates.reduce(|best, next| {
        let surer = match cause {
            Some(_) => next.verdict.confidence > best.verdict.confidence,
            None => weight(next) > weight(best),
        };
        if surer { next } else { best }
    })
}

/// The modules that an incident's signature names, in lower case.
fn named(judged: Option<&Judged>) -> BTreeSet<String> {
    let Some(Judged { incident: Incident { process, fault_site, suspect, .. }, .. }) = judged else {
        return BTreeSet::new();
    };
    let process = process.as_ref().and_then(|process| process.name.as_deref());
    let site = fault_site.as_ref().map(|site| &*site.module);
    let suspect = suspect.as_ref().map(|suspect| &*suspect.module);
    [process, site, suspect].into_iter().flatten().map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{bugcheck, crash, finding, undetermined};

    /// A loss of power with a verdict of a rule.
    fn power_loss(id: &str, rule: &str, cause: &str, confidence: f64) -> Judged {
        let mut judged = undetermined(id, 0);
        judged.incident.kind = IncidentKind::PowerLoss;
        judged.findings = vec![finding(rule, cause, confidence)];
        judged.verdict.cause = cause.into();
        judged.verdict.confidence = confidence;
        judged
    }

    #[test]
    fn one_sure_incident_of_several_losses_of_power_gives_no_cause() {
        let mut unknown = undetermined("u", 0);
        unknown.incident.kind = IncidentKind::PowerLoss;
        let sure = power_loss("p", "power/button", "hardware-fault", 0.86);
        let members = [&sure, &unknown, &unknown, &unknown];
        assert_eq!(conclusion(&members), None);
        assert_eq!(representative(&members, None).map(|judged| judged.incident.id.as_str()), Some("u"));
    }

    #[test]
    fn the_rule_that_most_incidents_name_speaks_for_the_group() {
        let (mains, button) =
            (power_loss("m", "power/mains", "power-loss", 0.46), power_loss("b", "power/button", "power-loss", 0.9));
        let members = [&button, &mains, &mains];
        let (cause, confidence) = conclusion(&members).expect("a cause");
        assert_eq!((cause.as_str(), confidence), ("power-loss", 0.61));
        assert_eq!(representative(&members, Some(&cause)).map(|judged| judged.incident.id.as_str()), Some("m"));
    }

    #[test]
    fn a_dump_counts_for_crashes_at_the_same_place() {
        let (shown, mut without) = (crash("c"), crash("u"));
        without.verdict = undetermined("u", 0).verdict;
        without.findings.clear();
        let (cause, confidence) = conclusion(&[&shown, &without, &without]).expect("a cause");
        assert_eq!(cause, "missing-dependency");
        assert!((0.6..0.93).contains(&confidence), "{confidence}");
    }

    #[test]
    fn a_single_incident_keeps_its_verdict() {
        assert_eq!(conclusion(&[&bugcheck("b", 0)]), Some(("gpu-timeout".to_owned(), 0.64)));
        assert_eq!(conclusion(&[&undetermined("u", 0)]), None);
    }
}
