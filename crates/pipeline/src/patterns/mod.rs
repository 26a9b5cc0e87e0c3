//! What an incident is among all others of a run: a repeat, one of a burst, one of many different ones on its machine,
//! one at a place where other machines crash too.
//!
//! All incidents count, also those that a run does not report because of their time. Each machine's incidents are
//! looked through once in the order of their times, with what lies in a window counted as it moves.

mod absent;
mod facts;
mod profiles;
mod tally;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use ::facts::{MOST_BEFORE, OtherIncidents, Others, REACH_BEFORE, Relation};
pub use absent::tell as tell_absent;
use evidence::{ModuleOffset, Version};
use incident::{Built, Incident, IncidentKind};
use tally::Tally;
use windows_codes::Knowledge;

/// How far from an incident another one of the same machine counts as one of the same time, on each side.
const AROUND: SignedDuration = SignedDuration::from_hours(15 * 24);
/// Incidents of a machine that follow each other within this time are one burst.
const BURST: SignedDuration = SignedDuration::from_mins(10);
const DAY_SECONDS: i64 = 86_400;
/// From how many incidents on "always after this time" can be said.
const LEAST_RUNS: usize = 3;

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
    /// The last incidents of each kind on the machine within the day before, the nearest first. Known when the time is.
    pub before: Option<Vec<Earlier>>,
    /// The incidents that all of this counts.
    pub others: Vec<Others>,
    /// The others that share something with it. None where it may itself be one of several.
    pub sharing: Option<OtherIncidents>,
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
    /// Its id.
    pub id: Arc<str>,
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

/// Lists of ids in the order of their times.
#[derive(Debug)]
struct Lists<K>(HashMap<K, Vec<Arc<str>>>);

impl<K: Eq + Hash> Lists<K> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    fn push(&mut self, key: K, id: &Arc<str>) {
        self.0.entry(key).or_default().push(Arc::clone(id));
    }

    fn shared(self) -> HashMap<K, Arc<[Arc<str>]>> {
        self.0.into_iter().map(|(key, list)| (key, list.into())).collect()
    }
}

/// The first incident of each machine.
#[derive(Debug, Default)]
struct Firsts {
    list: Vec<Arc<str>>,
    /// Where each machine's stands.
    at: HashMap<u32, usize>,
}

impl Firsts {
    fn note(&mut self, host: u32, id: &Arc<str>) {
        if !self.at.contains_key(&host) {
            self.at.insert(host, self.list.len());
            self.list.push(Arc::clone(id));
        }
    }
}

/// The same, when all are known.
#[derive(Debug)]
struct SharedFirsts {
    list: Arc<[Arc<str>]>,
    at: HashMap<u32, usize>,
}

impl SharedFirsts {
    /// Those of the other machines.
    fn others(&self, relation: Relation, host: u32) -> Others {
        let at = self.at.get(&host).copied().unwrap_or(self.list.len());
        Others::around(relation, &self.list, (0, self.list.len()), at)
    }
}

fn shared_firsts(firsts: HashMap<u32, Firsts>) -> HashMap<u32, SharedFirsts> {
    firsts.into_iter().map(|(key, Firsts { list, at })| (key, SharedFirsts { list: list.into(), at })).collect()
}

/// An incident as it is compared. The numbers stand for what is equal.
#[derive(Debug, Clone)]
struct Seen<'b> {
    incident: &'b Incident,
    id: Arc<str>,
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
pub fn patterns(built: &[Built<'_>], knowledge: &Knowledge) -> Vec<Pattern> {
    let (mut hosts, mut signatures, mut places) = (Numbers::new(), Numbers::new(), Numbers::new());
    let mut seen: Vec<Seen<'_>> = Vec::with_capacity(built.len());
    for (index, built) in built.iter().enumerate() {
        let incident = &built.incident;
        let late = built.gathered.sightings.iter().all(|sighting| sighting.logged_later);
        seen.push(Seen {
            incident,
            id: Arc::from(incident.id.as_str()),
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
        of_host.into_iter().for_each(|host| host.push(one.clone()));
    }
    across_machines(&seen, &mut patterns);
    profiles::share(&seen, built, &mut patterns);
    for of_host in &by_host {
        let timed: Vec<(Timestamp, Seen<'_>)> =
            of_host.iter().filter_map(|one| Some((one.time?, one.clone()))).collect();
        mixtures(&timed, knowledge, &mut patterns);
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
fn may_be_damage(incident: &Incident, knowledge: &Knowledge) -> bool {
    match incident.kind {
        IncidentKind::Crash => incident.exception.as_ref().is_some_and(|known| knowledge.may_be_damage(known.code)),
        IncidentKind::Bugcheck => {
            incident.bugcheck.as_ref().is_some_and(|stop| !stop.live && knowledge.may_be_damage_of_stop(stop.code))
        }
        _ => false,
    }
}

/// What is told by comparing the machines.
fn across_machines(seen: &[Seen<'_>], patterns: &mut [Pattern]) {
    let mut of_signature: HashMap<u32, Firsts> = HashMap::new();
    let mut of_place: HashMap<u32, Firsts> = HashMap::new();
    let mut at_place: Lists<(u32, u32)> = Lists::new();
    let mut with_runs: Lists<u32> = Lists::new();
    let mut runs: HashMap<u32, Runs> = HashMap::new();
    for one in seen {
        if let Some(host) = one.host {
            of_signature.entry(one.signature).or_default().note(host, &one.id);
            if let Some(place) = one.place {
                of_place.entry(place).or_default().note(host, &one.id);
                at_place.push((host, place), &one.id);
            }
        }
        if let Some(seconds) = run_seconds(one) {
            with_runs.push(one.signature, &one.id);
            let runs = runs.entry(one.signature).or_insert(Runs { known: 0, least: seconds, most: seconds });
            runs.known = runs.known.saturating_add(1);
            runs.least = runs.least.min(seconds);
            runs.most = runs.most.max(seconds);
        }
    }
    let of_signature: HashMap<u32, SharedFirsts> = shared_firsts(of_signature);
    let of_place: HashMap<u32, SharedFirsts> = shared_firsts(of_place);
    let (at_place, with_runs) = (at_place.shared(), with_runs.shared());
    let mut ran_before: HashMap<u32, usize> = HashMap::new();
    // Earlier ones at the same place of the same machine.
    let mut before: HashMap<(u32, u32), usize> = HashMap::new();
    for one in seen {
        let Some(pattern) = patterns.get_mut(one.index) else { continue };
        pattern.runs = runs.get(&one.signature).copied().filter(|runs| runs.known >= LEAST_RUNS);
        if let Some(list) = with_runs.get(&one.signature).filter(|_| pattern.runs.is_some()) {
            let ran = ran_before.entry(one.signature).or_default();
            let is_one = list.get(*ran).is_some_and(|id| *id == one.id);
            pattern.others.push(if is_one {
                Others::around(Relation::SameSignature, list, (0, list.len()), *ran)
            } else {
                Others::before(Relation::SameSignature, list, 0, list.len())
            });
            *ran = ran.saturating_add(usize::from(is_one));
        }
        let Some(host) = one.host else { continue };
        if let Some(firsts) = of_signature.get(&one.signature) {
            pattern.signature_hosts = Some(firsts.list.len());
            pattern.others.push(firsts.others(Relation::SameSignatureElsewhere, host));
        }
        let Some(place) = one.place else { continue };
        let earlier = before.entry((host, place)).or_default();
        let firsts = of_place.get(&place);
        let hosts = firsts.map_or(1, |firsts| firsts.list.len());
        pattern.others.extend(firsts.map(|firsts| firsts.others(Relation::SamePlaceElsewhere, host)));
        let earlier_here = if one.time.is_some() { *earlier } else { 0 };
        pattern.site = Some(SamePlace { hosts, before: earlier_here });
        if let Some(list) = at_place.get(&(host, place)) {
            pattern.others.push(Others::before(Relation::SamePlaceBefore, list, 0, earlier_here));
        }
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
fn mixtures(of_host: &[(Timestamp, Seen<'_>)], knowledge: &Knowledge, patterns: &mut [Pattern]) {
    let (mut sites, mut programs) = (Numbers::new(), Numbers::new());
    let damaged = || of_host.iter().filter(|(_, one)| may_be_damage(one.incident, knowledge));
    let ids: Vec<Arc<str>> = damaged().map(|(_, one)| Arc::clone(&one.id)).collect();
    let series: Vec<(Timestamp, usize, Compared)> = damaged()
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
    let list: Arc<[Arc<str>]> = ids.into();
    let (mut from, mut to) = (0_usize, 0_usize);
    for (at, (time, index, _)) in series.iter().enumerate() {
        while let Some((entered, _, compared)) = next
            && entered.duration_since(*time) <= AROUND
        {
            each(&mut tallies, compared, Tally::add);
            to = to.saturating_add(1);
            next = entering.next();
        }
        while let Some((_, _, compared)) = leaving.next_if(|(left, _, _)| time.duration_since(*left) > AROUND) {
            each(&mut tallies, compared, Tally::remove);
            from = from.saturating_add(1);
        }
        let incidents = to.saturating_sub(from);
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
            pattern.others.push(Others::around(Relation::MachineAround, &list, (from, to), at));
        }
    }
}

fn each(tallies: &mut [Tally; 5], compared: &Compared, change: impl Fn(&mut Tally, u64)) {
    for (tally, value) in tallies.iter_mut().zip(compared) {
        value.iter().for_each(|value| change(tally, *value));
    }
}

fn bursts(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let list: Arc<[Arc<str>]> = of_host.iter().map(|(_, one)| Arc::clone(&one.id)).collect();
    let mut from = 0_usize;
    for burst in of_host.chunk_by(|(a, _), (b, _)| b.duration_since(*a) <= BURST) {
        let to = from.saturating_add(burst.len());
        for ((position, (_, one)), at) in (1..).zip(burst).zip(from..) {
            if let Some(pattern) = patterns.get_mut(one.index) {
                pattern.burst = Some(Burst { position, size: burst.len() });
                pattern.others.push(Others::around(Relation::Burst, &list, (from, to), at));
                pattern.others.push(Others::before(Relation::BurstBefore, &list, from, at));
            }
        }
        from = to;
    }
}

fn repeats(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let mut by_signature: HashMap<u32, Vec<Timestamp>> = HashMap::new();
    let mut lists: Lists<u32> = Lists::new();
    of_host.iter().for_each(|(_, one)| lists.push(one.signature, &one.id));
    let lists = lists.shared();
    for (time, one) in of_host {
        let before = by_signature.entry(one.signature).or_default();
        let first = before.first().copied().unwrap_or(*time);
        let older = before.partition_point(|earlier| time.duration_since(*earlier) > REACH_BEFORE);
        if let Some(pattern) = patterns.get_mut(one.index) {
            pattern.repeats = Some(Repeats {
                before: before.len(),
                first_seconds_before: seconds(first, *time),
                in_a_day: before.len().saturating_sub(older).saturating_add(1),
            });
            if let Some(list) = lists.get(&one.signature) {
                pattern.others.push(Others::before(Relation::SameSignatureBefore, list, 0, before.len()));
                pattern.others.push(Others::before(Relation::SameSignatureWithinADay, list, older, before.len()));
            }
        }
        before.push(*time);
    }
}

/// The last incidents of each kind before each.
fn earlier(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let mut last: BTreeMap<IncidentKind, VecDeque<(Timestamp, &Seen<'_>)>> = BTreeMap::new();
    for (time, one) in of_host {
        let all = last.iter().flat_map(|(kind, of_kind)| of_kind.iter().map(move |earlier| (kind, earlier)));
        let within = all.filter(|(_, (earlier, _))| time.duration_since(*earlier) <= REACH_BEFORE);
        let mut before: Vec<Earlier> = within
            .map(|(kind, (earlier, of_kind))| Earlier {
                kind: *kind,
                seconds_before: seconds(*earlier, *time),
                process: of_kind.incident.process.as_ref().and_then(|process| process.name.clone()),
                id: Arc::clone(&of_kind.id),
            })
            .collect();
        before.sort_by(|a, b| (a.seconds_before, a.kind, &a.id).cmp(&(b.seconds_before, b.kind, &b.id)));
        if let Some(pattern) = patterns.get_mut(one.index) {
            pattern.before = Some(before);
        }
        let of_kind = last.entry(one.incident.kind).or_default();
        of_kind.push_back((*time, one));
        if of_kind.len() > MOST_BEFORE {
            of_kind.pop_front();
        }
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> u64 {
    to.duration_since(from).as_secs().unsigned_abs()
}
