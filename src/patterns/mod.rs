//! What an incident is among all others of a run: a repeat, one of a burst, one of many different ones on its machine,
//! one at a place where other machines crash too.
//!
//! All incidents count, also those that a run does not report because of their time. Each machine's incidents are
//! looked through once in the order of their times, with what lies in a window counted as it moves.

mod facts;
mod tally;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::evidence::{ExceptionCode, ModuleOffset, Version};
use crate::incident::{Built, Incident, IncidentKind};
use tally::Tally;

/// How far from an incident another one of the same machine counts as one of the same time, on each side.
const AROUND: SignedDuration = SignedDuration::from_hours(15 * 24);
/// Incidents of a machine that follow each other within this time are one burst.
const BURST: SignedDuration = SignedDuration::from_mins(10);
/// How far back rules see other incidents of the machine.
const BEFORE: SignedDuration = SignedDuration::from_hours(24);
const DAY_SECONDS: i64 = 86_400;
/// From how many incidents on "always after this time" can be said.
const LEAST_RUNS: usize = 3;

/// Exceptions that a wrong bit in memory, or a wrong result of the processor, can lead to: access violation, illegal and
/// privileged instruction, damaged heap. Exceptions that a program raises itself are not among them.
const DAMAGE: &[ExceptionCode] = &[
    ExceptionCode::ACCESS_VIOLATION,
    ExceptionCode(0xC000_001D),
    ExceptionCode(0xC000_0096),
    ExceptionCode(0xC000_0374),
];
/// Stops that say what they are: a drive that did not answer, a critical process that ended, power, time, the display
/// driver, a person at the keyboard.
///
/// Source: Microsoft's bug check code reference.
const STOPS_WITH_A_REASON: &[u32] =
    &[0x77, 0x7A, 0x9F, 0xE2, 0xEF, 0xF4, 0x10E, 0x116, 0x117, 0x119, 0x133, 0x141, 0x14F, 0x1C8];

/// What an incident is among the others. What can't be told is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Machines that the evidence of incidents names, in the whole run.
    pub hosts: usize,
    /// Of these, those that had an incident with the same coarse signature.
    pub signature_hosts: Option<usize>,
    /// The same place: code, module, build, offset.
    pub site: Option<SamePlace>,
    /// The machine's crashes and stops of that time, if this is one that damaged memory could lead to.
    pub machine: Option<Mixture>,
    /// Incidents of the machine that follow each other closely.
    pub burst: Option<Burst>,
    /// The same signature on the same machine before.
    pub repeats: Option<Repeats>,
    /// The shortest and the longest time that processes had run, of all incidents with the signature.
    pub runs: Option<Runs>,
    /// The last incident of each kind on the machine within the day before, the nearest first. Known when the time is.
    pub before: Option<Vec<Earlier>>,
}

/// Incidents at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamePlace {
    /// Machines with one, this one counted.
    pub hosts: usize,
    /// Earlier ones on this machine.
    pub before: usize,
}

/// How different crashes and stops are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mixture {
    /// How many there are.
    pub incidents: usize,
    /// Different modules.
    pub sites: usize,
    /// Different codes.
    pub codes: usize,
    /// Different programs.
    pub programs: usize,
    /// Different days.
    pub days: usize,
    /// How many of a hundred have the most frequent signature.
    pub most_alike: usize,
}

/// The place in a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// 1 for the first.
    pub position: usize,
    /// Incidents in it.
    pub size: usize,
}

/// What was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// How many.
    pub before: usize,
    /// How long ago the first was.
    pub first_seconds_before: u64,
    /// How many in the 24 hours up to this one, this one counted.
    pub in_a_day: usize,
}

/// How long processes ran before they failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runs {
    /// Of how many that is known.
    pub known: usize,
    /// The shortest, seconds.
    pub least: u64,
    /// The longest, seconds.
    pub most: u64,
}

/// An incident before another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Its kind.
    pub kind: IncidentKind,
    /// How long before.
    pub seconds_before: u64,
    /// Its program.
    pub process: Option<Arc<str>>,
}

/// Numbers for values that are compared.
#[derive(Debug)]
struct Numbers<K>(HashMap<K, u32>);

impl<K: Eq + Hash> Numbers<K> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    fn of(&mut self, value: K) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(value).or_insert(next)
    }
}

/// An incident as it is compared. The numbers stand for what is equal.
#[derive(Debug, Clone, Copy)]
struct Seen<'b> {
    incident: &'b Incident,
    index: usize,
    signature: u32,
    host: Option<u32>,
    /// `None` also where only a late report tells of it.
    time: Option<Timestamp>,
    place: Option<u32>,
}

/// Code, module, build and offset.
type Place = (u64, String, Version, ModuleOffset);

/// What each of the incidents is among all of them, in the same order.
#[must_use]
pub fn patterns(built: &[Built<'_>]) -> Vec<Pattern> {
    let (mut hosts, mut signatures, mut places) = (Numbers::new(), Numbers::new(), Numbers::new());
    let mut seen: Vec<Seen<'_>> = Vec::with_capacity(built.len());
    for (index, built) in built.iter().enumerate() {
        let incident = &built.incident;
        let late = built.gathered.sightings.iter().all(|sighting| sighting.logged_later);
        seen.push(Seen {
            incident,
            index,
            signature: signatures.of(incident.signature.coarse.as_str()),
            host: incident
                .host
                .as_deref()
                .filter(|_| incident.may_be_of.is_empty())
                .map(|host| hosts.of(host.to_lowercase())),
            time: incident.time.filter(|_| !late),
            place: place(incident).map(|place| places.of(place)),
        });
    }
    // Those without a time stand last, whatever they came with.
    seen.sort_by_key(|one| (one.time.is_none(), one.time, one.index));
    let mut patterns = vec![Pattern { hosts: hosts.0.len(), ..Pattern::default() }; built.len()];
    let mut by_host: Vec<Vec<Seen<'_>>> = vec![Vec::new(); hosts.0.len()];
    for one in &seen {
        let of_host = one.host.and_then(|host| by_host.get_mut(host as usize));
        of_host.into_iter().for_each(|host| host.push(*one));
    }
    across_machines(&seen, &mut patterns);
    for of_host in &by_host {
        let timed: Vec<(Timestamp, Seen<'_>)> = of_host.iter().filter_map(|one| Some((one.time?, *one))).collect();
        mixtures(&timed, &mut patterns);
        bursts(&timed, &mut patterns);
        repeats(&timed, &mut patterns);
        earlier(&timed, &mut patterns);
    }
    patterns
}

/// Where an incident happened, where equal offsets can only mean the same code: carriers deliver everything from the
/// same few places.
fn place(incident: &Incident) -> Option<Place> {
    let site = incident.fault_site.as_ref().filter(|site| !site.carrier && !site.unloaded)?;
    Some((code(incident)?, site.module.to_lowercase(), site.version?, site.offset?))
}

/// The code of an exception or a stop, which are different numbers.
fn code(incident: &Incident) -> Option<u64> {
    const STOP: u64 = 1 << 32;
    let of_stop = incident.bugcheck.as_ref().map(|bugcheck| u64::from(bugcheck.code.0) | STOP);
    of_stop.or_else(|| incident.exception.as_ref().map(|exception| u64::from(exception.code.0)))
}

/// Whether damaged memory could lead to it.
fn may_be_damage(incident: &Incident) -> bool {
    match incident.kind {
        IncidentKind::Crash => incident.exception.as_ref().is_some_and(|known| DAMAGE.contains(&known.code)),
        IncidentKind::Bugcheck => {
            incident.bugcheck.as_ref().is_some_and(|stop| !stop.live && !STOPS_WITH_A_REASON.contains(&stop.code.0))
        }
        _ => false,
    }
}

/// What is told by comparing the machines.
fn across_machines(seen: &[Seen<'_>], patterns: &mut [Pattern]) {
    let mut of_signature: HashMap<u32, HashSet<u32>> = HashMap::new();
    let mut of_place: HashMap<u32, HashSet<u32>> = HashMap::new();
    let mut runs: HashMap<u32, Runs> = HashMap::new();
    for one in seen {
        if let Some(host) = one.host {
            of_signature.entry(one.signature).or_default().insert(host);
            if let Some(place) = one.place {
                of_place.entry(place).or_default().insert(host);
            }
        }
        if let Some(seconds) = run_seconds(one) {
            let runs = runs.entry(one.signature).or_insert(Runs { known: 0, least: seconds, most: seconds });
            runs.known = runs.known.saturating_add(1);
            runs.least = runs.least.min(seconds);
            runs.most = runs.most.max(seconds);
        }
    }
    // Earlier ones at the same place of the same machine.
    let mut before: HashMap<(u32, u32), usize> = HashMap::new();
    for one in seen {
        let Some(pattern) = patterns.get_mut(one.index) else { continue };
        pattern.runs = runs.get(&one.signature).copied().filter(|runs| runs.known >= LEAST_RUNS);
        let Some(host) = one.host else { continue };
        pattern.signature_hosts = of_signature.get(&one.signature).map(HashSet::len);
        let Some(place) = one.place else { continue };
        let earlier = before.entry((host, place)).or_default();
        let hosts = of_place.get(&place).map_or(1, HashSet::len);
        pattern.site = Some(SamePlace { hosts, before: if one.time.is_some() { *earlier } else { 0 } });
        *earlier = earlier.saturating_add(1);
    }
}

/// How long the process had run.
fn run_seconds(one: &Seen<'_>) -> Option<u64> {
    let started = one.incident.process.as_ref()?.started?;
    u64::try_from(one.time?.duration_since(started).as_secs()).ok()
}

/// A value of an incident that is compared with those of others.
type Compared = [Option<u64>; 5];

/// How different the crashes and stops of a machine are, in the days around each.
fn mixtures(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let (mut sites, mut programs) = (Numbers::new(), Numbers::new());
    let series: Vec<(Timestamp, usize, Compared)> = of_host
        .iter()
        .filter(|(_, one)| may_be_damage(one.incident))
        .map(|(time, one)| {
            let incident = one.incident;
            let site = incident.fault_site.as_ref().filter(|site| !site.carrier);
            let program = incident.process.as_ref().and_then(|process| process.name.as_deref());
            let compared = [
                site.map(|site| u64::from(sites.of(site.module.to_lowercase()))),
                code(incident),
                program.map(|name| u64::from(programs.of(name.to_lowercase()))),
                Some(time.as_second().div_euclid(DAY_SECONDS).unsigned_abs()),
                Some(u64::from(one.signature)),
            ];
            (*time, one.index, compared)
        })
        .collect();
    let mut tallies: [Tally; 5] = Default::default();
    let (mut entering, mut leaving) = (series.iter(), series.iter().peekable());
    let mut next = entering.next();
    let mut incidents = 0_usize;
    for (time, index, _) in &series {
        while let Some((entered, _, compared)) = next
            && entered.duration_since(*time) <= AROUND
        {
            each(&mut tallies, compared, Tally::add);
            incidents = incidents.saturating_add(1);
            next = entering.next();
        }
        while let Some((_, _, compared)) = leaving.next_if(|(left, _, _)| time.duration_since(*left) > AROUND) {
            each(&mut tallies, compared, Tally::remove);
            incidents = incidents.saturating_sub(1);
        }
        let [sites, codes, programs, days, signatures] = &tallies;
        let most_alike = signatures.most().saturating_mul(100).checked_div(incidents).unwrap_or(100);
        if let Some(pattern) = patterns.get_mut(*index) {
            pattern.machine = Some(Mixture {
                incidents,
                sites: sites.different(),
                codes: codes.different(),
                programs: programs.different(),
                days: days.different(),
                most_alike,
            });
        }
    }
}

fn each(tallies: &mut [Tally; 5], compared: &Compared, change: impl Fn(&mut Tally, u64)) {
    for (tally, value) in tallies.iter_mut().zip(compared) {
        value.iter().for_each(|value| change(tally, *value));
    }
}

fn bursts(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    for burst in of_host.chunk_by(|(a, _), (b, _)| b.duration_since(*a) <= BURST) {
        for (position, (_, one)) in (1..).zip(burst) {
            if let Some(pattern) = patterns.get_mut(one.index) {
                pattern.burst = Some(Burst { position, size: burst.len() });
            }
        }
    }
}

fn repeats(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let mut by_signature: HashMap<u32, Vec<Timestamp>> = HashMap::new();
    for (time, one) in of_host {
        let before = by_signature.entry(one.signature).or_default();
        let first = before.first().copied().unwrap_or(*time);
        let older = before.partition_point(|earlier| time.duration_since(*earlier) > BEFORE);
        if let Some(pattern) = patterns.get_mut(one.index) {
            pattern.repeats = Some(Repeats {
                before: before.len(),
                first_seconds_before: seconds(first, *time),
                in_a_day: before.len().saturating_sub(older).saturating_add(1),
            });
        }
        before.push(*time);
    }
}

/// The last incident of each kind before each.
fn earlier(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let mut last: BTreeMap<IncidentKind, (Timestamp, &Incident)> = BTreeMap::new();
    for (time, one) in of_host {
        let within = last.iter().filter(|(_, (earlier, _))| time.duration_since(*earlier) <= BEFORE);
        let mut before: Vec<Earlier> = within
            .map(|(kind, (earlier, incident))| Earlier {
                kind: *kind,
                seconds_before: seconds(*earlier, *time),
                process: incident.process.as_ref().and_then(|process| process.name.clone()),
            })
            .collect();
        before.sort_by_key(|earlier| (earlier.seconds_before, earlier.kind));
        if let Some(pattern) = patterns.get_mut(one.index) {
            pattern.before = Some(before);
        }
        last.insert(one.incident.kind, (*time, one.incident));
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> u64 {
    to.duration_since(from).as_secs().unsigned_abs()
}
