//! Contradictions in joined evidence: they are reported, and never decided by which item happened to come first.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::crash_record::CrashRecord;
use super::incident::IncidentKind;
use super::join::last_alive::CLOCK_STEP;
use super::joined_evidence::JoinedEvidence;
use super::sighting::{Family, RestartRecord, Sighting, file_name};
use evidence::{ExceptionCode, Observation};

/// How far the times of one crash can be apart without a remark: a full dump takes minutes to write.
const TIMES_AGREE: SignedDuration = SignedDuration::from_mins(10);

/// One item of evidence, as far as it can be compared with others.
struct Compared<'i> {
    /// The evidence number, counted from 1.
    number: usize,
    sighting: &'i Sighting<'i>,
    record: CrashRecord<'i>,
    /// Whether the crash's code and place can be compared: not where one item has an error that is inside another.
    place_counts: bool,
}

/// A fact that is compared: its name in the sentence, and how it is read from an item. Equal texts agree.
type Fact = (&'static str, fn(&Compared<'_>) -> Option<String>);

/// All facts that two items of one incident may both state.
const FACTS: [Fact; 11] = [
    ("the exception code", |item| item.record.code.filter(|_| item.place_counts).map(|code| code.to_string())),
    ("the fast-fail code", |item| item.record.fast_fail.map(|code| code.0.to_string())),
    ("the program", |item| {
        // Packages and hosted services have names of another kind.
        let name = item.sighting.process.clone().or_else(|| item.record.app.map(file_name))?;
        name.ends_with(".exe").then_some(name)
    }),
    ("the program's version", |item| item.record.app_version.map(|version| version.to_string())),
    ("the process id", |item| item.sighting.pid.or(item.record.pid).map(|pid| pid.to_string())),
    ("the module", |item| item.module()),
    ("the module's version", |item| Some(format!("{} {}", item.module()?, item.record.module_version?))),
    ("the offset", |item| Some(format!("{}+{}", item.module()?, item.record.offset?))),
    ("the stop code", |item| Some(format!("0x{:X}", item.sighting.stop_code()?))),
    ("the stop's parameters", |item| {
        let (_, parameters) = item.sighting.bugcheck?;
        Some(parameters.map(|parameter| format!("{parameter:#x}")).join(" "))
    }),
    ("the computer by the logs in its folder", |item| item.folder_host().map(str::to_lowercase)),
];

impl<'i> Compared<'i> {
    /// The faulting module, lower case. WER writes a hash of the stack where it knows no module.
    fn module(&self) -> Option<String> {
        let name = file_name(self.record.module.filter(|_| self.place_counts)?);
        (!name.starts_with("stackhash_") && name != "unknown").then_some(name)
    }

    /// The computer whose logs are in the item's folder, of an item that names no computer.
    fn folder_host(&self) -> Option<&'i str> {
        self.sighting.folder_host.as_deref().filter(|_| self.sighting.host.is_none())
    }

    /// When a process crashed, of evidence that has this time itself.
    fn crashed(&self) -> Option<Timestamp> {
        let Sighting { family, kind, time, logged_later, .. } = self.sighting;
        let own = matches!(family, Family::Alone | Family::Crash) && *kind == IncidentKind::Crash;
        time.filter(|_| own && !logged_later)
    }

    /// When the system stopped, of a kernel dump.
    fn stopped(&self) -> Option<Timestamp> {
        match &self.sighting.evidence.observation {
            Observation::Kernel(dump) => dump.time,
            _ => None,
        }
    }
}

/// The contradictions in the evidence, in sentences.
pub(super) fn contradictions(evidence: &JoinedEvidence<'_>) -> Vec<String> {
    let records = evidence.sightings.iter().map(|sighting| sighting.record().unwrap_or_default());
    let records: Vec<CrashRecord<'_>> = records.collect();
    // WER reports the error inside of a stowed exception, with the place where that was raised.
    let place_counts = !records.iter().any(|record| record.code == Some(ExceptionCode::STOWED_EXCEPTION));
    let compared = evidence.sightings.iter().zip(records).zip(1..);
    let all: Vec<Compared<'_>> =
        compared.map(|((sighting, record), number)| Compared { number, sighting, record, place_counts }).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let mut sentences: Vec<String> = FACTS.iter().filter_map(|(name, read)| differing(name, *read, &all)).collect();
    sentences.extend(folder_of_another(&all));
    let starts = first_and_last(&all, |item| item.sighting.started.or(item.record.started));
    // Dumps hold whole seconds, and rounding may differ by one.
    let apart = starts.filter(|(first, last)| last.0.as_second().abs_diff(first.0.as_second()) > 1);
    sentences.extend(apart.map(|span| differing_times("the start of the process", span, ".")));
    sentences.extend(times(&all));
    let stops = first_and_last(&all, |item| item.stopped());
    let apart = stops.filter(|(first, last)| last.0.duration_since(first.0) > CLOCK_STEP);
    sentences.extend(apart.map(|span| differing_times("the time of the stop", span, "; these may be two stops.")));
    sentences.extend(stops.and_then(|(first, _)| ran_after_stop(&all, first)));
    sentences.extend(all.iter().find_map(started_after_end));
    sentences
}

/// The sentence about one fact, if the items disagree.
fn differing(name: &str, read: fn(&Compared<'_>) -> Option<String>, all: &[Compared<'_>]) -> Option<String> {
    // In the order of the evidence: the numbers of each value's items, then the value.
    let mut by_value: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for item in all {
        if let Some(value) = read(item) {
            by_value.entry(value).or_default().push(item.number);
        }
    }
    if by_value.len() < 2 {
        return None;
    }
    let mut values: Vec<(Vec<usize>, String)> = by_value.into_iter().map(|(value, items)| (items, value)).collect();
    values.sort_unstable();
    let values: Vec<String> = values.iter().map(|(items, value)| format!("{value} ({})", numbered(items))).collect();
    Some(format!("The evidence differs on {name}: {}.", values.join(", ")))
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

/// An artifact that names no computer and is among another's logs.
fn folder_of_another(all: &[Compared<'_>]) -> Option<String> {
    let host = all.iter().find_map(|item| item.sighting.host.as_deref())?;
    all.iter().find_map(|item| {
        let (number, folder) = (item.number, item.folder_host()?);
        (!folder.eq_ignore_ascii_case(host))
            .then(|| format!("e{number} lies among the event logs of {folder}, and belongs to {host} by its id."))
    })
}

/// A time with the number of the evidence that has it.
type Numbered = (Timestamp, usize);

/// The first and the last of the times that `read` takes of items.
fn first_and_last(
    all: &[Compared<'_>],
    read: impl Fn(&Compared<'_>) -> Option<Timestamp>,
) -> Option<(Numbered, Numbered)> {
    let times = || all.iter().filter_map(|item| Some((read(item)?, item.number)));
    Some((times().min()?, times().max()?))
}

fn differing_times(what: &str, (first, last): (Numbered, Numbered), end: &str) -> String {
    format!("The evidence differs on {what}: {} (e{}), {} (e{}){end}", first.0, first.1, last.0, last.1)
}

/// Times of a crash or blue screen that cannot all be right.
fn times(all: &[Compared<'_>]) -> Option<String> {
    let (first, last) = first_and_last(all, |item| item.crashed())?;
    if last.0.duration_since(first.0) > TIMES_AGREE {
        let report_id = |number| {
            let item = all.iter().find(|item| item.number == number)?;
            item.sighting.report_id.as_deref()
        };
        let end = match (report_id(first.1), report_id(last.1)) {
            // A program that swallows an exception goes on, and may crash once more.
            (Some(one), Some(other)) if !one.eq_ignore_ascii_case(other) => {
                "; the process was reported more than once."
            }
            _ => "; a clock was wrong or was set, or the process was reported more than once.",
        };
        return Some(differing_times("the time", (first, last), end));
    }
    // What is written at the next start cannot be of a time before the blue screen.
    let (stop, stop_number) = all.iter().find_map(|item| Some((item.stopped()?, item.number)))?;
    all.iter().find_map(|Compared { number, sighting, .. }| {
        let written_at_start = matches!(
            sighting.family,
            Family::Restart(RestartRecord::BugCheck | RestartRecord::KernelPower | RestartRecord::EventLog)
        );
        let start = sighting.time.filter(|time| written_at_start && *time < stop)?;
        Some(format!(
            "e{number} was logged at the start after the stop, at {start}, and the stop is of {stop} (e{stop_number}); a \
             clock was wrong or was set."
        ))
    })
}

/// A record by which the system still ran after it had stopped.
fn ran_after_stop(all: &[Compared<'_>], (stop, stop_number): Numbered) -> Option<String> {
    all.iter().find_map(|Compared { number, sighting, .. }| {
        let alive = sighting.last_alive()?;
        (alive.duration_since(stop) > CLOCK_STEP).then(|| {
            format!(
                "By e{number} the system still ran at {alive}, after the stop at {stop} (e{stop_number}); these may be \
                 two stops."
            )
        })
    })
}

/// A process that ended before its own start.
fn started_after_end(item: &Compared<'_>) -> Option<String> {
    let (end, start, number) = (item.crashed()?, item.sighting.started?, item.number);
    // Dumps hold whole seconds.
    (start.duration_since(end) > SignedDuration::from_secs(1)).then(|| {
        format!("By e{number} the process ended at {end}, before its start at {start}; the clock was set back.")
    })
}
