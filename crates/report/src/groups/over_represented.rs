//! What a group of incidents has far more often than the rest of the folder.
//!
//! Each attribute (a module, a module's version, a driver...) is compared by Fisher's exact test, all tests together
//! are adjusted by Benjamini and Hochberg's method, and a finding must differ by enough to matter. It is never proof:
//! an attribute that follows from another one is left out where the folder's incidents show that, and marked where they
//! can't.
//!
//! Incidents of one machine are not independent. A group of enough machines is compared by machines; one of fewer only
//! with other incidents of its own machines. Dumps that name no machine count one by one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::attributes::{Attribute, Attributes, DRIVER, IncidentAttributes, MODULE, Need};
use super::statistics::{Counts, benjamini_hochberg};
use crate::model::OverRepresented;

/// The fewest incidents or machines that prove a difference.
const FEWEST: usize = 5;
/// The rate of false discoveries, and the level of the tests that take out what follows from something else.
const LEVEL: f64 = 0.05;
/// By how much the shares must differ at least, by the lower end of the interval.
const LEAST_DIFFERENCE: f64 = 0.1;
/// How many findings a group has at most: more are no help.
const MOST_FINDINGS: usize = 10;
/// How many attributes that always come together are named.
const MOST_TOGETHER: usize = 8;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Incidents, in the whole folder.
    Incidents,
    /// Incidents of the group's own machines.
    IncidentsOfSameMachines,
    /// Machines.
    Machines,
}

impl OverRepresented {
    /// The finding that these counts make.
    pub(crate) fn new(attribute: &Attribute, unit: Unit, counts: Counts, q: f64, may_be_the_program: bool) -> Self {
        let Counts { a, n, c, m } = counts;
        let (word, machines, others) = match unit {
            Unit::Incidents => ("incidents", "", "other incidents"),
            Unit::IncidentsOfSameMachines => ("incidents-of-same-machines", "", "other incidents of the same machines"),
            Unit::Machines => ("machines", " machines", "other machines"),
        };
        let share = match c {
            0 => "none".to_owned(),
            _ => format!("{:.0} %", counts.share_elsewhere() * 100.0),
        };
        let program = if may_be_the_program { "; it may be the program that brings it" } else { "" };
        let (least, most) = counts.difference();
        Self {
            kind: Cow::Borrowed(attribute.kind),
            value: attribute.value.clone(),
            unit: Cow::Borrowed(word),
            in_group: a,
            of_group: n,
            elsewhere: c,
            of_elsewhere: m,
            difference: [two_digits(least), two_digits(most)],
            p: two_digits(counts.fisher()),
            q: two_digits(q),
            together_with: Vec::new(),
            may_be_the_program,
            says: format!("{attribute} in {a} of {n}{machines}, against {share} of {m} {others}{program}"),
        }
    }
}

fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

/// A group, by the indices of its incidents in the report's list.
#[derive(Debug)]
pub(super) struct Members<'m> {
    /// The incidents.
    pub(super) incidents: &'m [usize],
    /// The modules that the group's signature names: all its incidents have them by definition.
    pub(super) named: BTreeSet<String>,
}

/// The attributes that each of the groups has more often than the rest, surest first.
pub(super) fn over_represented(
    groups: &[Members<'_>],
    incidents: &[IncidentAttributes],
    attributes: &Attributes,
) -> Vec<Vec<OverRepresented>> {
    let compared: Vec<(Option<Compared<'_>>, Vec<Candidate<'_>>, usize)> = groups
        .par_iter()
        .map(|members| {
            if !has_frequent(members.incidents, incidents) {
                return (None, Vec::new(), 0);
            }
            let compared = Compared::new(members.incidents, incidents);
            let (candidates, tests) = compared.candidates(&members.named, attributes);
            // Most groups have no candidates, and the incidents that they were compared with are many.
            ((!candidates.is_empty()).then_some(compared), candidates, tests)
        })
        .collect();
    let tests = compared.iter().map(|(_, _, tests)| tests).sum();
    let p_values: Vec<f64> =
        compared.iter().flat_map(|(_, candidates, _)| candidates.iter().map(|candidate| candidate.p)).collect();
    let mut adjusted = benjamini_hochberg(&p_values, tests).into_iter();
    compared
        .into_iter()
        .map(|(compared, mut candidates, _)| {
            for candidate in &mut candidates {
                candidate.q = adjusted.next().unwrap_or(1.0);
            }
            candidates.retain(|candidate| candidate.q <= LEVEL);
            compared.map_or_else(Vec::new, |compared| compared.findings(candidates))
        })
        .collect()
}

/// Whether some attribute is frequent enough in a group to be compared.
fn has_frequent(members: &[usize], incidents: &[IncidentAttributes]) -> bool {
    let mut frequent: HashMap<u32, usize> = HashMap::new();
    members.len() >= FEWEST
        && members.iter().filter_map(|index| incidents.get(*index)).flat_map(|one| &one.has).any(|number| {
            let count = frequent.entry(*number).or_default();
            *count += 1;
            *count >= FEWEST
        })
}

/// An attribute that may be over-represented.
#[derive(Debug, Clone)]
struct Candidate<'s> {
    number: u32,
    attribute: &'s Attribute,
    needs: Need,
    counts: Counts,
    p: f64,
    q: f64,
}

/// The incidents or machines that are compared: the group's, and the others.
struct Compared<'s> {
    unit: Unit,
    inside: Vec<Seen<'s>>,
    outside: Vec<Seen<'s>>,
    process: Option<u32>,
}

/// An incident, or a machine as all of its incidents.
#[derive(Default)]
struct Seen<'s>(Vec<&'s IncidentAttributes>);

impl Seen<'_> {
    fn knows(&self, need: Need) -> bool {
        self.0.iter().any(|one| one.knows(need))
    }

    fn has(&self, attribute: u32) -> bool {
        self.0.iter().any(|one| one.has(attribute))
    }

    fn runs(&self, process: u32) -> bool {
        self.0.iter().any(|one| one.process == Some(process))
    }
}

impl<'s> Compared<'s> {
    fn new(members: &[usize], incidents: &'s [IncidentAttributes]) -> Self {
        let is_member: BTreeSet<usize> = members.iter().copied().collect();
        let group: Vec<&IncidentAttributes> = members.iter().filter_map(|index| incidents.get(*index)).collect();
        let rest = incidents.iter().enumerate().filter(|(index, _)| !is_member.contains(index)).map(|(_, one)| one);
        let hosts: BTreeSet<u32> = group.iter().filter_map(|one| one.host).collect();
        let process = group.first().and_then(|one| one.process);
        let alone = |one: &'s IncidentAttributes| Seen(vec![one]);
        if hosts.is_empty() {
            let inside = group.into_iter().map(alone).collect();
            return Self { unit: Unit::Incidents, inside, outside: rest.map(alone).collect(), process };
        }
        if hosts.len() < FEWEST {
            let of_them = |one: &&'s IncidentAttributes| one.host.is_some_and(|host| hosts.contains(&host));
            let inside = group.into_iter().filter(of_them).map(alone).collect();
            let outside = rest.filter(of_them).map(alone).collect();
            return Self { unit: Unit::IncidentsOfSameMachines, inside, outside, process };
        }
        let by_machine = |all: &mut dyn Iterator<Item = &'s IncidentAttributes>| -> BTreeMap<u32, Seen<'s>> {
            let mut machines: BTreeMap<u32, Seen<'s>> = BTreeMap::new();
            for one in all {
                if let Some(host) = one.host {
                    machines.entry(host).or_default().0.push(one);
                }
            }
            machines
        };
        let inside = by_machine(&mut group.into_iter());
        let outside = by_machine(&mut rest.filter(|one| one.host.is_some_and(|host| !hosts.contains(&host))));
        Self {
            unit: Unit::Machines,
            inside: inside.into_values().collect(),
            outside: outside.into_values().collect(),
            process,
        }
    }

    /// The attributes that differ by enough, and how many were compared.
    fn candidates(&self, named: &BTreeSet<String>, attributes: &'s Attributes) -> (Vec<Candidate<'s>>, usize) {
        if self.inside.len() < FEWEST || self.outside.len() < FEWEST {
            return (Vec::new(), 0);
        }
        let mut frequent: HashMap<u32, usize> = HashMap::new();
        for seen in &self.inside {
            let has: BTreeSet<u32> = seen.0.iter().flat_map(|one| one.has.iter().copied()).collect();
            for number in has {
                *frequent.entry(number).or_default() += 1;
            }
        }
        let mut frequent: Vec<u32> =
            frequent.into_iter().filter(|(_, count)| *count >= FEWEST).map(|(number, _)| number).collect();
        frequent.sort_unstable();
        let (mut candidates, mut tests) = (Vec::new(), 0_usize);
        for number in frequent {
            let Some((attribute, needs)) = attributes.get(number) else { continue };
            if [MODULE, DRIVER].contains(&attribute.kind) && named.contains(&attribute.value) {
                continue;
            }
            let counts = self.counts(number, needs, &|_| true);
            if counts.m < FEWEST as u64 {
                continue;
            }
            tests += 1;
            if counts.difference().0 < LEAST_DIFFERENCE || counts.share_in() < 2.0 * counts.share_elsewhere() {
                continue;
            }
            candidates.push(Candidate { number, attribute, needs, counts, p: counts.fisher(), q: 1.0 });
        }
        (candidates, tests)
    }

    fn counts(&self, number: u32, needs: Need, among: &dyn Fn(&Seen<'_>) -> bool) -> Counts {
        let count = |seen: &[Seen<'_>]| {
            let could = || seen.iter().filter(|one| one.knows(needs) && among(one));
            (could().filter(|one| one.has(number)).count() as u64, could().count() as u64)
        };
        let ((a, n), (c, m)) = (count(&self.inside), count(&self.outside));
        Counts { a, n, c, m }
    }

    /// The findings among the candidates: those that do not follow from another one or from the program.
    fn findings(&self, mut candidates: Vec<Candidate<'s>>) -> Vec<OverRepresented> {
        // The surest first; of equally sure ones the modules before the versions.
        candidates.sort_by(|a, b| a.p.total_cmp(&b.p).then_with(|| a.attribute.cmp(b.attribute)));
        let mut found: Vec<(Candidate<'s>, OverRepresented)> = Vec::new();
        for candidate in candidates {
            let twin = found.iter_mut().find(|(other, _)| self.are_together(other, &candidate));
            if let Some((_, twin)) = twin {
                if twin.together_with.len() < MOST_TOGETHER {
                    twin.together_with.push(candidate.attribute.to_string());
                }
                continue;
            }
            let Some(may_be_the_program) = self.beside_program(&candidate) else { continue };
            if found.len() >= MOST_FINDINGS || found.iter().any(|(other, _)| self.follows(&candidate, other)) {
                continue;
            }
            let Candidate { attribute, counts, q, .. } = candidate;
            let finding = OverRepresented::new(attribute, self.unit, counts, q, may_be_the_program);
            found.push((candidate, finding));
        }
        found.into_iter().map(|(_, finding)| finding).collect()
    }

    /// Whether exactly the same incidents have both attributes.
    fn are_together(&self, a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
        self.inside.iter().chain(&self.outside).all(|one| one.has(a.number) == one.has(b.number))
    }

    /// Whether the candidate's difference follows from `other`: it disappears among the incidents with `other` and
    /// among those without it.
    fn follows(&self, candidate: &Candidate<'_>, other: &Candidate<'_>) -> bool {
        let level = |present: bool| {
            let among = |one: &Seen<'_>| one.knows(other.needs) && one.has(other.number) == present;
            self.counts(candidate.number, candidate.needs, &among).fisher()
        };
        2.0 * level(true).min(level(false)) > LEVEL
    }

    /// Whether the program may be the reason for the attribute; `None` when the other incidents show that it is.
    fn beside_program(&self, candidate: &Candidate<'_>) -> Option<bool> {
        if !candidate.attribute.may_follow_from_program() {
            return Some(false);
        }
        let Some(process) = self.process else { return Some(false) };
        let same = self.counts(candidate.number, candidate.needs, &|one| one.runs(process));
        if same.m >= FEWEST as u64 {
            return (same.fisher() <= LEVEL).then_some(false);
        }
        // An attribute that no other program has is the program's own.
        (candidate.counts.c > same.c).then_some(true)
    }
}

#[cfg(test)]
mod tests;
