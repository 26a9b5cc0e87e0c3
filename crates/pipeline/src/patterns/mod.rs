//! Compares each incident with all others of a run: repeats, bursts, different crashes on one machine, crashes at the same
//! place on other machines.
//!
//! All incidents count, also those that a run does not report because of their time. The incidents of a machine are
//! visited once in the order of their times, and a moving window counts those around each.

mod absent;
mod facts;
mod profiles;
mod tally;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use ::facts::{MOST_BEFORE, OtherIncidents, REACH_BEFORE, RelatedIncidents, Relation};
pub use absent::set_absent;
use evidence::{ModuleOffset, Version};
use incident::{Incident, IncidentKind, JoinedIncident};
use tally::Tally;
use windows_codes::Knowledge;

/// The time before and after an incident in which other incidents of its machine are counted.
const AROUND: SignedDuration = SignedDuration::from_hours(15 * 24);
/// Incidents of a machine that follow each other within this time are one burst.
const BURST: SignedDuration = SignedDuration::from_mins(10);
const DAY_SECONDS: i64 = 86_400;
/// The least incidents for a statement about the times that their processes had run.
const LEAST_RUNS: usize = 3;

/// The pattern of an incident among the others. Unknown parts are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Numbers of incidents, of machines and of seconds, by the facts that they are.
    numbers: Vec<(&'static str, u64)>,
    /// The last incidents of each kind on the machine within the day before, the nearest first. Known when the time is.
    before: Option<Vec<Earlier>>,
    /// The incidents that the numbers count.
    others: Vec<RelatedIncidents>,
    /// The other incidents that share a value with it. None for a text that may be about one of several incidents.
    sharing: Option<OtherIncidents>,
}

impl Pattern {
    fn add<const N: usize>(&mut self, numbers: [(&'static str, usize); N]) {
        self.numbers.extend(numbers.map(|(fact, number)| (fact, number as u64)));
    }
}

/// An earlier incident, as seen from the later incident that a pattern describes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Earlier {
    /// Its kind.
    kind: IncidentKind,
    /// Seconds from this incident to the later one.
    seconds_before: u64,
    /// Its program.
    process: Option<Arc<str>>,
    /// Its id.
    id: Arc<str>,
}

/// Gives equal values equal numbers, from 0.
#[derive(Debug)]
struct Numbers<K>(HashMap<K, u32>);

impl<K: Eq + Hash> Numbers<K> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    fn number(&mut self, value: K) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(value).or_insert(next)
    }
}

/// Lists of incidents' ids in the order of their times.
type Ids<K> = HashMap<K, Vec<Arc<str>>>;

/// The lists in a form that many incidents can refer to.
fn shared<K: Eq + Hash>(lists: Ids<K>) -> HashMap<K, Arc<[Arc<str>]>> {
    lists.into_iter().map(|(key, list)| (key, list.into())).collect()
}

/// The first incident on each machine, in a list for each key.
#[derive(Debug, Default)]
struct Firsts {
    lists: Ids<u32>,
    /// Index in its list by key and machine.
    index: HashMap<(u32, u32), usize>,
}

impl Firsts {
    fn note(&mut self, key: u32, host: u32, id: &Arc<str>) {
        let list = self.lists.entry(key).or_default();
        self.index.entry((key, host)).or_insert_with(|| {
            list.push(Arc::clone(id));
            list.len().saturating_sub(1)
        });
    }
}

/// The values of an incident that are compared. Equal numbers mean equal values.
#[derive(Debug, Clone)]
struct Seen<'b> {
    incident: &'b Incident,
    id: Arc<str>,
    index: usize,
    signature: u32,
    host: Option<u32>,
    /// `None` also where only a later report is evidence of it.
    time: Option<Timestamp>,
    place: Option<u32>,
}

/// Code, module, build and offset.
type Place = (u64, String, Version, ModuleOffset);

/// The pattern of each of the incidents, in the same order.
#[must_use]
pub fn patterns(joined: &[JoinedIncident<'_>]) -> Vec<Pattern> {
    let (mut hosts, mut signatures, mut places) = (Numbers::new(), Numbers::new(), Numbers::new());
    let mut seen: Vec<Seen<'_>> = Vec::with_capacity(joined.len());
    for (index, joined) in joined.iter().enumerate() {
        let incident = &joined.incident;
        let late = joined.evidence.sightings.iter().all(|sighting| sighting.logged_later);
        seen.push(Seen {
            incident,
            id: Arc::from(incident.id.as_str()),
            index,
            signature: signatures.number(incident.signature.coarse.as_str()),
            host: incident
                .host
                .as_deref()
                .filter(|_| incident.may_be_of.is_empty())
                .map(|host| hosts.number(host.to_lowercase())),
            time: incident.time.filter(|_| !late),
            place: place(incident).map(|place| places.number(place)),
        });
    }
    // Incidents without a time come last, in their order.
    seen.sort_by_key(|one| (one.time.is_none(), one.time, one.index));
    let mut patterns = vec![Pattern::default(); joined.len()];
    if !hosts.0.is_empty() {
        patterns.iter_mut().for_each(|pattern| pattern.add([("pattern.hosts", hosts.0.len())]));
    }
    let mut by_host: Vec<Vec<Seen<'_>>> = vec![Vec::new(); hosts.0.len()];
    for one in &seen {
        let of_host = one.host.and_then(|host| by_host.get_mut(host as usize));
        of_host.into_iter().for_each(|host| host.push(one.clone()));
    }
    across_machines(&seen, &mut patterns);
    profiles::share(&seen, joined, &mut patterns);
    for of_host in &by_host {
        let timed: Vec<(Timestamp, Seen<'_>)> =
            of_host.iter().filter_map(|one| Some((one.time?, one.clone()))).collect();
        mixtures(&timed, &mut patterns);
        bursts(&timed, &mut patterns);
        repeats(&timed, &mut patterns);
        earlier(&timed, &mut patterns);
    }
    patterns
}

/// The place of an incident, where equal offsets mean the same code. Carriers raise all exceptions at the same few places.
fn place(incident: &Incident) -> Option<Place> {
    let site = incident.fault_site.as_ref().filter(|site| !site.carrier && !site.unloaded)?;
    Some((code(incident)?, site.module.to_lowercase(), site.version?, site.offset?))
}

/// The code of an exception or a blue screen, in different ranges of numbers.
fn code(incident: &Incident) -> Option<u64> {
    const STOP: u64 = 1 << 32;
    let of_stop = incident.bugcheck.as_ref().map(|bugcheck| u64::from(bugcheck.code.0) | STOP);
    of_stop.or_else(|| incident.exception.as_ref().map(|exception| u64::from(exception.code.0)))
}

/// Whether damaged memory could cause an incident.
fn may_be_damage(incident: &Incident) -> bool {
    match incident.kind {
        IncidentKind::Crash => incident.exception.as_ref().is_some_and(|known| Knowledge.may_be_damage(known.code)),
        IncidentKind::Bugcheck => {
            incident.bugcheck.as_ref().is_some_and(|stop| !stop.live && Knowledge.may_be_damage_of_stop(stop.code))
        }
        _ => false,
    }
}

/// Sets the parts of patterns that compare the machines.
fn across_machines(seen: &[Seen<'_>], patterns: &mut [Pattern]) {
    let (mut of_signature, mut of_place) = (Firsts::default(), Firsts::default());
    let (mut at_place, mut with_runs) = (Ids::<(u32, u32)>::new(), Ids::<u32>::new());
    // The shortest and the longest time that the processes of a signature ran, seconds.
    let mut runs: HashMap<u32, (u64, u64)> = HashMap::new();
    for one in seen {
        if let Some(host) = one.host {
            of_signature.note(one.signature, host, &one.id);
            if let Some(place) = one.place {
                of_place.note(place, host, &one.id);
                at_place.entry((host, place)).or_default().push(Arc::clone(&one.id));
            }
        }
        if let Some(seconds) = run_seconds(one) {
            with_runs.entry(one.signature).or_default().push(Arc::clone(&one.id));
            let (least, most) = runs.entry(one.signature).or_insert((seconds, seconds));
            (*least, *most) = ((*least).min(seconds), (*most).max(seconds));
        }
    }
    let (signature_firsts, place_firsts) = (shared(of_signature.lists), shared(of_place.lists));
    let (at_place, with_runs) = (shared(at_place), shared(with_runs));
    // The first incidents on the other machines.
    let others = |relation, list: &Arc<[Arc<str>]>, index: Option<&usize>| {
        RelatedIncidents::around(relation, list, (0, list.len()), index.copied().unwrap_or(list.len()))
    };
    let mut ran_before: HashMap<u32, usize> = HashMap::new();
    // The incidents so far at each place of each machine.
    let mut before: HashMap<(u32, u32), usize> = HashMap::new();
    for one in seen {
        let Some(pattern) = patterns.get_mut(one.index) else { continue };
        let with_runs = with_runs.get(&one.signature).filter(|list| list.len() >= LEAST_RUNS);
        if let (Some(list), Some((least, most))) = (with_runs, runs.get(&one.signature)) {
            pattern.numbers.extend([("pattern.run_seconds_least", *least), ("pattern.run_seconds_most", *most)]);
            let ran = ran_before.entry(one.signature).or_default();
            let is_one = list.get(*ran).is_some_and(|id| *id == one.id);
            pattern.others.push(if is_one {
                RelatedIncidents::around(Relation::SameSignature, list, (0, list.len()), *ran)
            } else {
                RelatedIncidents::before(Relation::SameSignature, list, 0, list.len())
            });
            *ran = ran.saturating_add(usize::from(is_one));
        }
        let Some(host) = one.host else { continue };
        if let Some(firsts) = signature_firsts.get(&one.signature) {
            pattern.add([("pattern.signature_hosts", firsts.len())]);
            let index = of_signature.index.get(&(one.signature, host));
            pattern.others.push(others(Relation::SameSignatureElsewhere, firsts, index));
        }
        let Some(place) = one.place else { continue };
        let earlier = before.entry((host, place)).or_default();
        let firsts = place_firsts.get(&place);
        let hosts = firsts.map_or(1, |firsts| firsts.len());
        let index = of_place.index.get(&(place, host));
        pattern.others.extend(firsts.map(|firsts| others(Relation::SamePlaceElsewhere, firsts, index)));
        let earlier_here = if one.time.is_some() { *earlier } else { 0 };
        pattern.add([("pattern.same_site_hosts", hosts), ("pattern.same_site_before", earlier_here)]);
        if let Some(list) = at_place.get(&(host, place)) {
            pattern.others.push(RelatedIncidents::before(Relation::SamePlaceBefore, list, 0, earlier_here));
        }
        *earlier = earlier.saturating_add(1);
    }
}

/// The time that the process had run, seconds.
fn run_seconds(one: &Seen<'_>) -> Option<u64> {
    let started = one.incident.process.as_ref()?.started?;
    u64::try_from(one.time?.duration_since(started).as_secs()).ok()
}

/// The values of an incident that [`mixtures`] counts: module, code, program, day, signature.
type Compared = [Option<u64>; 5];

/// Sets the variety of a machine's crashes and blue screens in the days around each.
fn mixtures(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let (mut sites, mut programs) = (Numbers::new(), Numbers::new());
    let damaged = || of_host.iter().filter(|(_, one)| may_be_damage(one.incident));
    let ids: Vec<Arc<str>> = damaged().map(|(_, one)| Arc::clone(&one.id)).collect();
    let series: Vec<(Timestamp, usize, Compared)> = damaged()
        .map(|(time, one)| {
            let incident = one.incident;
            let site = incident.fault_site.as_ref().filter(|site| !site.carrier);
            let program = incident.process.as_ref().and_then(|process| process.name.as_deref());
            let compared = [
                site.map(|site| u64::from(sites.number(site.module.to_lowercase()))),
                code(incident),
                program.map(|name| u64::from(programs.number(name.to_lowercase()))),
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
            change_each(&mut tallies, compared, Tally::add);
            to = to.saturating_add(1);
            next = entering.next();
        }
        while let Some((_, _, compared)) = leaving.next_if(|(left, _, _)| time.duration_since(*left) > AROUND) {
            change_each(&mut tallies, compared, Tally::remove);
            from = from.saturating_add(1);
        }
        let incidents = to.saturating_sub(from);
        let [sites, codes, programs, days, signatures] = &tallies;
        let most_alike = signatures.most().saturating_mul(100).checked_div(incidents).unwrap_or(100);
        if let Some(pattern) = patterns.get_mut(*index) {
            pattern.add([
                ("pattern.machine_codes_30_days", codes.different()),
                ("pattern.machine_crashes_30_days", incidents),
                ("pattern.machine_days_30_days", days.different()),
                ("pattern.machine_most_alike_30_days", most_alike),
                ("pattern.machine_programs_30_days", programs.different()),
                ("pattern.machine_sites_30_days", sites.different()),
            ]);
            pattern.others.push(RelatedIncidents::around(Relation::MachineAround, &list, (from, to), at));
        }
    }
}

/// Applies `change`, which adds or removes a value, to each tally with the value that it counts.
fn change_each(tallies: &mut [Tally; 5], compared: &Compared, change: impl Fn(&mut Tally, u64)) {
    for (tally, value) in tallies.iter_mut().zip(compared) {
        value.iter().for_each(|value| change(tally, *value));
    }
}

/// Sets the bursts of a machine's incidents.
fn bursts(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let list: Arc<[Arc<str>]> = of_host.iter().map(|(_, one)| Arc::clone(&one.id)).collect();
    let mut from = 0_usize;
    for burst in of_host.chunk_by(|(a, _), (b, _)| b.duration_since(*a) <= BURST) {
        let to = from.saturating_add(burst.len());
        for ((position, (_, one)), at) in (1..).zip(burst).zip(from..) {
            if let Some(pattern) = patterns.get_mut(one.index) {
                pattern.add([("pattern.burst_position", position), ("pattern.burst_size", burst.len())]);
                pattern.others.push(RelatedIncidents::around(Relation::Burst, &list, (from, to), at));
                pattern.others.push(RelatedIncidents::before(Relation::BurstBefore, &list, from, at));
            }
        }
        from = to;
    }
}

/// Sets the earlier incidents of the same signature on a machine.
fn repeats(of_host: &[(Timestamp, Seen<'_>)], patterns: &mut [Pattern]) {
    let mut by_signature: HashMap<u32, Vec<Timestamp>> = HashMap::new();
    let mut lists = Ids::<u32>::new();
    of_host.iter().for_each(|(_, one)| lists.entry(one.signature).or_default().push(Arc::clone(&one.id)));
    let lists = shared(lists);
    for (time, one) in of_host {
        let before = by_signature.entry(one.signature).or_default();
        let first = before.first().copied().unwrap_or(*time);
        let older = before.partition_point(|earlier| time.duration_since(*earlier) > REACH_BEFORE);
        if let Some(pattern) = patterns.get_mut(one.index) {
            pattern.numbers.push(("pattern.first_seconds_before", seconds(first, *time)));
            pattern.add([
                ("pattern.repeats_before", before.len()),
                ("pattern.same_24_hours", before.len().saturating_sub(older).saturating_add(1)),
            ]);
            if let Some(list) = lists.get(&one.signature) {
                pattern.others.push(RelatedIncidents::before(Relation::SameSignatureBefore, list, 0, before.len()));
                pattern.others.push(RelatedIncidents::before(
                    Relation::SameSignatureWithinADay,
                    list,
                    older,
                    before.len(),
                ));
            }
        }
        before.push(*time);
    }
}

/// Sets the last incidents of each kind on a machine before each incident.
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
