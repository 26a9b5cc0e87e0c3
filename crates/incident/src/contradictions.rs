//! What joined evidence says differently: told, and never decided by which item happened to come first.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::gathered::{CrashRecord, Gathered};
use super::join::{CLOCK_STEP, record};
use super::sighting::{Item, Sighting};
use super::{IncidentKind, RestartRecord};
use crate::Family;
use evidence::{EventBody, ExceptionCode, Observation, base_name};

/// `STATUS_STOWED_EXCEPTION`: dump and event hold it, WER reports the error inside, with the place where that was
/// raised.
const STOWED: ExceptionCode = ExceptionCode(0xC000_027B);
/// How far the times of one crash may lie apart without being worth a word: a full dump takes minutes to write.
const TIMES_AGREE: SignedDuration = SignedDuration::from_mins(10);

/// One item of evidence, as far as it can be compared with others.
struct Said<'i> {
    sighting: &'i Sighting,
    item: &'i Item,
    record: CrashRecord,
    /// Whether the crash's code and place can be compared: not where an error inside another is told of.
    place_counts: bool,
}

/// A fact that is compared: what it is called, and how an item has it. Equal texts agree.
type Compared = (&'static str, fn(&Said<'_>) -> Option<String>);

/// All facts that two items of one incident may both know.
const COMPARED: [Compared; 11] = [
    ("the exception code", |said| said.record.code.filter(|_| said.place_counts).map(|code| code.to_string())),
    ("the fast-fail code", |said| said.record.fast_fail.map(|code| code.0.to_string())),
    ("the program", |said| {
        // Packages and hosted services have names of another kind.
        let name = said.sighting.process.clone().or_else(|| said.record.app.as_deref().map(folded))?;
        name.ends_with(".exe").then_some(name)
    }),
    ("the program's version", |said| said.record.app_version.map(|version| version.to_string())),
    ("the process id", |said| said.sighting.pid.or(said.record.pid).map(|pid| pid.to_string())),
    ("the module", |said| module(said)),
    ("the module's version", |said| Some(format!("{} {}", module(said)?, said.record.module_version?))),
    ("the offset", |said| Some(format!("{}+{}", module(said)?, said.record.offset?))),
    ("the stop code", |said| stop(said).map(|(code, _)| code)),
    ("the stop's parameters", |said| stop(said).map(|(_, parameters)| parameters)),
    ("the computer by the logs in its folder", |said| {
        said.sighting.host.is_none().then_some(())?;
        said.sighting.folder_host.as_deref().map(str::to_lowercase)
    }),
];

/// What the evidence says differently, in sentences.
pub(super) fn contradictions(gathered: &Gathered<'_>) -> Vec<String> {
    let mut all: Vec<Said<'_>> = gathered
        .sightings
        .iter()
        .zip(&gathered.items)
        .map(|(sighting, item)| {
            let record = record(&item.observation).unwrap_or_default();
            Said { sighting, item, record, place_counts: true }
        })
        .collect();
    if all.len() < 2 {
        return Vec::new();
    }
    if all.iter().any(|said| said.record.code == Some(STOWED)) {
        all.iter_mut().for_each(|said| said.place_counts = false);
    }
    let mut sentences: Vec<String> = COMPARED
        .iter()
        .filter_map(|(what, value)| {
            let values = all.iter().zip(1..).filter_map(|(said, number)| Some((value(said)?, number)));
            differing(what, values)
        })
        .collect();
    sentences.extend(folder_of_another(&all));
    sentences.extend(starts(&all));
    sentences.extend(times(&all));
    sentences.extend(stops(&all));
    sentences.extend(ran_after_its_stop(&all));
    sentences.extend(started_after_its_end(&all));
    sentences
}

/// The sentence about one fact, if the items disagree.
fn differing(what: &str, values: impl Iterator<Item = (String, usize)>) -> Option<String> {
    // In the order of the evidence: the position of each value's first item, then its items.
    let mut by_value: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (value, number) in values {
        by_value.entry(value).or_default().push(number);
    }
    if by_value.len() < 2 {
        return None;
    }
    let mut told: Vec<(Vec<usize>, String)> = by_value.into_iter().map(|(value, items)| (items, value)).collect();
    told.sort_unstable();
    let told: Vec<String> = told.iter().map(|(items, value)| format!("{value} ({})", numbered(items))).collect();
    Some(format!("The evidence differs on {what}: {}.", told.join(", ")))
}

/// `e1, e3`, and of many how many more.
fn numbered(items: &[usize]) -> String {
    const MOST: usize = 4;
    let shown: Vec<String> = items.iter().take(MOST).map(|number| format!("e{number}")).collect();
    match items.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// An artifact that names no computer and lies among another's logs.
fn folder_of_another(all: &[Said<'_>]) -> Option<String> {
    let host = all.iter().find_map(|said| said.sighting.host.as_deref())?;
    let (said, number) = all.iter().zip(1_usize..).find(|(said, _)| {
        let folder = said.sighting.folder_host.as_deref().filter(|_| said.sighting.host.is_none());
        folder.is_some_and(|folder| !folder.eq_ignore_ascii_case(host))
    })?;
    let folder = said.sighting.folder_host.as_deref()?;
    Some(format!("e{number} lies among the event logs of {folder}, and belongs to {host} by its id."))
}

/// Starts of the process that can't be one: dumps hold whole seconds, and rounding may differ by one.
fn starts(all: &[Said<'_>]) -> Option<String> {
    let started = |said: &Said<'_>| said.sighting.started.or(said.record.started);
    let starts: Vec<(Timestamp, usize)> =
        all.iter().zip(1..).filter_map(|(said, number)| Some((started(said)?, number))).collect();
    let (first, last) = (starts.iter().min()?, starts.iter().max()?);
    (last.0.as_second().abs_diff(first.0.as_second()) > 1).then(|| {
        let of = "The evidence differs on the start of the process";
        format!("{of}: {} (e{}), {} (e{}).", first.0, first.1, last.0, last.1)
    })
}

/// Times of a crash or stop that can't all be right.
fn times(all: &[Said<'_>]) -> Option<String> {
    let moments: Vec<(Timestamp, usize, &Said<'_>)> =
        all.iter().zip(1..).filter_map(|(said, number)| Some((moment(said)?, number, said))).collect();
    let by_time = |moment: &&(Timestamp, usize, &Said<'_>)| (moment.0, moment.1);
    let (first, last) = (moments.iter().min_by_key(by_time)?, moments.iter().max_by_key(by_time)?);
    if last.0.duration_since(first.0) > TIMES_AGREE {
        let reports = [first, last].map(|moment| moment.2.sighting.report_id.as_deref());
        let why = match reports {
            // A program that swallows an exception goes on, and may crash once more.
            [Some(one), Some(other)] if !one.eq_ignore_ascii_case(other) => "the process was reported more than once",
            _ => "a clock was wrong or was set, or the process was reported more than once",
        };
        return Some(format!(
            "The evidence differs on the time: {} (e{}), {} (e{}); {why}.",
            first.0, first.1, last.0, last.1
        ));
    }
    // What is written at the next start can't be of a time before the stop.
    let stop = all.iter().zip(1_usize..).find_map(|(said, number)| match &said.item.observation {
        Observation::Kernel(dump) => Some((dump.time?, number)),
        _ => None,
    })?;
    let start = all.iter().zip(1_usize..).find_map(|(said, number)| {
        let written_at_start = matches!(
            said.sighting.family,
            Family::Restart(RestartRecord::BugCheck | RestartRecord::KernelPower | RestartRecord::EventLog)
        );
        let time = said.sighting.time.filter(|time| written_at_start && *time < stop.0)?;
        Some((time, number))
    })?;
    Some(format!(
        "e{} was logged at the start after the stop, at {}, and the stop is of {} (e{}); a clock was wrong or was set.",
        start.1, start.0, stop.0, stop.1
    ))
}

/// When a process crashed, of evidence that says so itself.
fn moment(said: &Said<'_>) -> Option<Timestamp> {
    let sighting = said.sighting;
    let own = matches!(sighting.family, Family::Alone | Family::Crash) && sighting.kind == IncidentKind::Crash;
    sighting.time.filter(|_| own && !sighting.logged_later)
}

/// Stops of kernel dumps that are not one moment.
fn stops(all: &[Said<'_>]) -> Option<String> {
    let (first, last) = (stopped(all).min()?, stopped(all).max()?);
    (last.0.duration_since(first.0) > CLOCK_STEP).then(|| {
        let of = "The evidence differs on the time of the stop";
        format!("{of}: {} (e{}), {} (e{}); these may be two stops.", first.0, first.1, last.0, last.1)
    })
}

/// A stop, and a record by which the system still ran after it.
fn ran_after_its_stop(all: &[Said<'_>]) -> Option<String> {
    let stop = stopped(all).min()?;
    all.iter().zip(1_usize..).find_map(|(said, number)| {
        let Observation::Event(event) = &said.item.observation else { return None };
        let EventBody::UncleanShutdown { last_alive: Some(alive) } = event.content.body else { return None };
        (alive.duration_since(stop.0) > CLOCK_STEP).then(|| {
            format!(
                "By e{number} the system still ran at {alive}, after the stop at {} (e{}); these may be two stops.",
                stop.0, stop.1
            )
        })
    })
}

/// When the system stopped, by each kernel dump.
fn stopped(all: &[Said<'_>]) -> impl Iterator<Item = (Timestamp, usize)> {
    all.iter().zip(1_usize..).filter_map(|(said, number)| match &said.item.observation {
        Observation::Kernel(dump) => Some((dump.time?, number)),
        _ => None,
    })
}

fn started_after_its_end(all: &[Said<'_>]) -> Option<String> {
    all.iter().zip(1_usize..).find_map(|(said, number)| {
        let (end, start) = (moment(said)?, said.sighting.started?);
        // Dumps hold whole seconds.
        (start.duration_since(end) > SignedDuration::from_secs(1)).then(|| {
            format!("By e{number} the process ended at {end}, before its start at {start}; the clock was set back.")
        })
    })
}

/// The module at fault, lower case. WER writes a hash of the stack where it knows no module.
fn module(said: &Said<'_>) -> Option<String> {
    let name = folded(said.record.module.as_deref().filter(|_| said.place_counts)?);
    (!name.starts_with("stackhash_") && name != "unknown").then_some(name)
}

fn stop(said: &Said<'_>) -> Option<(String, String)> {
    let (code, parameters) = said.sighting.bugcheck?;
    let parameters: Vec<String> = parameters.iter().map(|parameter| format!("{parameter:#x}")).collect();
    Some((format!("0x{:X}", code.plain()), parameters.join(" ")))
}

fn folded(name: &str) -> String {
    base_name(name).to_lowercase()
}
