//! What a group of incidents has far more often than the rest of the folder.
//!
//! Each attribute (a module, a module's version, a driver...) is compared by Fisher's exact test, all tests together
//! are adjusted by Benjamini and Hochberg's method, and what is left must differ by enough to matter. It is never proof:
//! what follows from another attribute is taken out where the folder can tell, and said where it can't.
//!
//! Incidents of one machine are not independent. A group of enough machines is compared by machines; one of fewer only
//! with other incidents of its own machines. Dumps that name no machine count one by one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use rayon::prelude::*;

use super::attributes::{Attribute, Attributes, DRIVER, MODULE, Need, Surroundings};
use super::statistics::{Counts, benjamini_hochberg};

/// Fewer incidents or machines say nothing.
const FEWEST: usize = 5;
/// The rate of false discoveries, and the level of the tests that take out what follows from something else.
const LEVEL: f64 = 0.05;
/// By how much the shares must differ at least, by the lower end of the interval.
const LEAST_DIFFERENCE: f64 = 0.1;
/// How many findings a group has at most: more are no help.
const MOST_FINDINGS: usize = 10;
/// How many attributes that always come together are named.
const MOST_TOGETHER: usize = 8;

/// Something that a group has far more often than the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct OverRepresented {
    /// What.
    pub attribute: Attribute,
    /// What was counted.
    pub unit: Unit,
    /// How often, in the group and elsewhere.
    pub counts: Counts,
    /// By how much the shares differ, 95 % confidence.
    pub difference: (f64, f64),
    /// How likely chance alone would do it.
    pub p: f64,
    /// The same, adjusted for the number of comparisons.
    pub q: f64,
    /// What is there exactly where this is, and can't be told from it.
    pub together_with: Vec<Attribute>,
    /// Whether the folder holds too few other incidents of the same program to tell whether it is the program that
    /// brings it.
    pub may_be_the_program: bool,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Incidents, in the whole folder.
    Incidents,
    /// Incidents of the group's own machines.
    IncidentsOfSameMachines,
    /// Machines.
    Machines,
}

impl Unit {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Incidents => "incidents",
            Self::IncidentsOfSameMachines => "incidents-of-same-machines",
            Self::Machines => "machines",
        }
    }
}

impl OverRepresented {
    /// In a sentence without full stop: `nahimicosd.dll in 41 of 42, against 12 % elsewhere`.
    #[must_use]
    pub fn says(&self) -> String {
        let Counts { a, n, c, m } = self.counts;
        let mut says = format!("{} in {a} of {n}", self.attribute);
        if self.unit == Unit::Machines {
            says.push_str(" machines");
        }
        let elsewhere = match self.unit {
            Unit::IncidentsOfSameMachines => "other incidents of the same machines",
            Unit::Incidents => "other incidents",
            Unit::Machines => "other machines",
        };
        let _ = match c {
            0 => write!(says, ", against none of {m} {elsewhere}"),
            _ => write!(says, ", against {:.0} % of {m} {elsewhere}", self.counts.share_elsewhere() * 100.0),
        };
        if self.may_be_the_program {
            says.push_str("; it may be the program that brings it");
        }
        says
    }
}

/// A group, by the places of its incidents in the list.
#[derive(Debug)]
pub struct Members<'m> {
    /// The incidents.
    pub incidents: &'m [usize],
    /// Modules that the signature names: of course they are there.
    pub named: BTreeSet<String>,
}

/// What each of the groups has more often than the rest, surest first.
#[must_use]
pub fn over_represented(
    groups: &[Members<'_>],
    surroundings: &[Surroundings],
    attributes: &Attributes,
) -> Vec<Vec<OverRepresented>> {
    let compared: Vec<Comparison<'_>> = groups
        .par_iter()
        .map(|members| {
            let mut comparison = Comparison::default();
            if has_frequent(members.incidents, surroundings) {
                let units = Units::of(members.incidents, surroundings);
                (comparison.candidates, comparison.tests) = units.candidates(&members.named, attributes);
                // Most groups have nothing to tell; what they were compared with is large.
                comparison.units = Some(units).filter(|_| !comparison.candidates.is_empty());
            }
            comparison
        })
        .collect();
    let tests = compared.iter().map(|comparison| comparison.tests).sum();
    let p_values: Vec<f64> =
        compared.iter().flat_map(|comparison| comparison.candidates.iter().map(|candidate| candidate.p)).collect();
    let mut adjusted = benjamini_hochberg(&p_values, tests).into_iter();
    compared
        .into_iter()
        .map(|Comparison { units, mut candidates, .. }| {
            for candidate in &mut candidates {
                candidate.q = adjusted.next().unwrap_or(1.0);
            }
            candidates.retain(|candidate| candidate.q <= LEVEL);
            units.map_or_else(Vec::new, |units| units.explained(candidates))
        })
        .collect()
}

#[derive(Default)]
struct Comparison<'s> {
    units: Option<Units<'s>>,
    candidates: Vec<Candidate<'s>>,
    tests: usize,
}

/// Whether some attribute is frequent enough in a group to be compared.
fn has_frequent(members: &[usize], surroundings: &[Surroundings]) -> bool {
    let mut frequent: HashMap<u32, usize> = HashMap::new();
    members.len() >= FEWEST
        && members.iter().filter_map(|index| surroundings.get(*index)).flat_map(|one| &one.has).any(|number| {
            let count = frequent.entry(*number).or_default();
            *count = count.saturating_add(1);
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

/// What is compared: the group's incidents or machines, and the others.
struct Units<'s> {
    unit: Unit,
    inside: Vec<Seen<'s>>,
    outside: Vec<Seen<'s>>,
    process: Option<u32>,
}

/// One incident, or a machine by all of its incidents.
#[derive(Default)]
struct Seen<'s>(Vec<&'s Surroundings>);

impl Seen<'_> {
    fn gives(&self, need: Need) -> bool {
        self.0.iter().any(|one| one.gives(need))
    }

    fn has(&self, attribute: u32) -> bool {
        self.0.iter().any(|one| one.has(attribute))
    }

    fn runs(&self, process: u32) -> bool {
        self.0.iter().any(|one| one.process == Some(process))
    }
}

impl<'s> Units<'s> {
    fn of(members: &[usize], surroundings: &'s [Surroundings]) -> Self {
        let is_member: BTreeSet<usize> = members.iter().copied().collect();
        let group: Vec<&Surroundings> = members.iter().filter_map(|index| surroundings.get(*index)).collect();
        let rest = surroundings.iter().enumerate().filter(|(index, _)| !is_member.contains(index)).map(|(_, one)| one);
        let hosts: BTreeSet<u32> = group.iter().filter_map(|one| one.host).collect();
        let process = group.first().and_then(|one| one.process);
        let alone = |one: &'s Surroundings| Seen(vec![one]);
        if hosts.is_empty() {
            let inside = group.into_iter().map(alone).collect();
            return Self { unit: Unit::Incidents, inside, outside: rest.map(alone).collect(), process };
        }
        if hosts.len() < FEWEST {
            let of_them = |one: &&'s Surroundings| one.host.is_some_and(|host| hosts.contains(&host));
            let inside = group.into_iter().filter(of_them).map(alone).collect();
            let outside = rest.filter(of_them).map(alone).collect();
            return Self { unit: Unit::IncidentsOfSameMachines, inside, outside, process };
        }
        let by_machine = |all: &mut dyn Iterator<Item = &'s Surroundings>| -> BTreeMap<u32, Seen<'s>> {
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

    /// The attributes that differ by enough, and how many could have.
    fn candidates(&self, named: &BTreeSet<String>, attributes: &'s Attributes) -> (Vec<Candidate<'s>>, usize) {
        if self.inside.len() < FEWEST || self.outside.len() < FEWEST {
            return (Vec::new(), 0);
        }
        let mut frequent: HashMap<u32, usize> = HashMap::new();
        for seen in &self.inside {
            let has: BTreeSet<u32> = seen.0.iter().flat_map(|one| one.has.iter().copied()).collect();
            for number in has {
                let count = frequent.entry(number).or_default();
                *count = count.saturating_add(1);
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
            tests = tests.saturating_add(1);
            if counts.difference().0 < LEAST_DIFFERENCE || counts.share_in() < 2.0 * counts.share_elsewhere() {
                continue;
            }
            candidates.push(Candidate { number, attribute, needs, counts, p: counts.fisher(), q: 1.0 });
        }
        (candidates, tests)
    }

    fn counts(&self, number: u32, needs: Need, among: &dyn Fn(&Seen<'_>) -> bool) -> Counts {
        let count = |seen: &[Seen<'_>]| {
            let could = || seen.iter().filter(|one| one.gives(needs) && among(one));
            (could().filter(|one| one.has(number)).count() as u64, could().count() as u64)
        };
        let ((a, n), (c, m)) = (count(&self.inside), count(&self.outside));
        Counts { a, n, c, m }
    }

    /// Takes out what follows from something else.
    fn explained(&self, mut candidates: Vec<Candidate<'s>>) -> Vec<OverRepresented> {
        // The surest first; of equally sure ones the modules before the versions.
        candidates.sort_by(|a, b| a.p.total_cmp(&b.p).then_with(|| a.attribute.cmp(b.attribute)));
        let mut found: Vec<(Candidate<'s>, OverRepresented)> = Vec::new();
        for candidate in candidates {
            let twin = found.iter_mut().find(|(other, _)| self.are_together(other, &candidate));
            if let Some((_, twin)) = twin {
                if twin.together_with.len() < MOST_TOGETHER {
                    twin.together_with.push(candidate.attribute.clone());
                }
                continue;
            }
            let Some(may_be_the_program) = self.beside_program(&candidate) else { continue };
            if found.len() >= MOST_FINDINGS || found.iter().any(|(other, _)| self.follows(&candidate, other)) {
                continue;
            }
            let of_it = OverRepresented {
                attribute: candidate.attribute.clone(),
                unit: self.unit,
                counts: candidate.counts,
                difference: candidate.counts.difference(),
                p: candidate.p,
                q: candidate.q,
                together_with: Vec::new(),
                may_be_the_program,
            };
            found.push((candidate, of_it));
        }
        found.into_iter().map(|(_, of_it)| of_it).collect()
    }

    /// Whether each of two is there exactly where the other is.
    fn are_together(&self, a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
        self.inside.iter().chain(&self.outside).all(|one| one.has(a.number) == one.has(b.number))
    }

    /// Whether it differs no more once `other` is given: where that is there, and where it is not.
    fn follows(&self, candidate: &Candidate<'_>, other: &Candidate<'_>) -> bool {
        let level = |present: bool| {
            let among = |one: &Seen<'_>| one.gives(other.needs) && one.has(other.number) == present;
            self.counts(candidate.number, candidate.needs, &among).fisher()
        };
        2.0 * level(true).min(level(false)) > LEVEL
    }

    /// Whether the program may be why it is there; `None` when it is, as far as the folder can tell.
    fn beside_program(&self, candidate: &Candidate<'_>) -> Option<bool> {
        if !candidate.attribute.may_follow_from_program() {
            return Some(false);
        }
        let Some(process) = self.process else { return Some(false) };
        let same = self.counts(candidate.number, candidate.needs, &|one| one.runs(process));
        if same.m >= FEWEST as u64 {
            return (same.fisher() <= LEVEL).then_some(false);
        }
        // What no other program has is the program's own.
        (candidate.counts.c > same.c).then_some(true)
    }
}

#[cfg(test)]
mod tests;
