//! Gaps because of event logs that are missing, begin too late, end too early or have holes.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{EvidenceSummary, Host};
use crate::model::{Gap, Judged};
use crate::wording::{counted, counted_as, how_long};
use evidence::LogCoverage;
use evidence::{CoveredTimes, Days};
use incident::{Cleared, IncidentKind, Machine};

/// How long before an incident changes are looked for: as far back as rules see installations.
const LOOKED_BACK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The fewest days without records that are a gap: over a shorter time, a log may have had nothing to record.
const SILENT_DAYS: u64 = 3;

/// A log's channel, and which incidents are recorded in it.
type Channel = (&'static str, fn(&Judged) -> bool);

/// The two logs in which incidents are recorded.
const CHANNELS: [Channel; 2] = [
    ("Application", |judged| {
        matches!(judged.incident.kind, IncidentKind::Crash | IncidentKind::Hang | IncidentKind::StartFailure)
    }),
    ("System", |judged| {
        matches!(judged.incident.kind, IncidentKind::Bugcheck | IncidentKind::PowerLoss | IncidentKind::GpuReset)
    }),
];

/// Adds the gaps of a computer's logs.
pub(super) fn gaps(name: &Arc<str>, logs: &[LogCoverage], host: &Host<'_>, gaps: &mut Vec<Gap>) {
    for (channel, is_recorded) in CHANNELS {
        let of_channel: Vec<&LogCoverage> =
            logs.iter().filter(|log| log.channel.eq_ignore_ascii_case(channel)).collect();
        let all = || host.incidents.iter().map(|(judged, _)| *judged);
        // Incidents that only another log records would not be in this one; nor would every GPU reset that only a WER
        // report shows.
        let is_of_it = |judged: &Judged, shown: &EvidenceSummary| {
            let known = shown.recorded.contains(channel) || judged.incident.kind != IncidentKind::GpuReset;
            is_recorded(judged) && !shown.of_another_log.contains(&channel) && known
        };
        let of_it = host.incidents.iter().filter(|(judged, shown)| is_of_it(judged, shown));
        let recorded: Vec<&Judged> = of_it.clone().map(|(judged, _)| *judged).collect();
        let gap = |kind, says| Gap { log: Some(Arc::from(channel)), ..Gap::new(kind, Some(name), says) };
        let covered = CoveredTimes::from_logs(of_channel.iter().copied());
        let Some((first, last)) = covered.span() else {
            // The System log records the surroundings of any incident.
            let helped: Vec<&Judged> = if channel == "System" { all().collect() } else { recorded };
            if !helped.is_empty() {
                let says = format!("no {channel} log from {name}");
                gaps.push(gap("no-log", says).helping(helped.into_iter()));
            }
            continue;
        };
        // An incident that the log itself records, if later, does not lie outside of it.
        let unrecorded = of_it.filter(|(_, shown)| !shown.recorded.contains(channel));
        let times = unrecorded.filter_map(|(judged, _)| Some((*judged, judged.incident.time?)));
        let beyond = |is_beyond: &dyn Fn(Timestamp) -> bool| -> Vec<&Judged> {
            times.clone().filter(|(_, time)| is_beyond(*time)).map(|(judged, _)| judged).collect()
        };
        for (kind, lie, verb, at, found) in [
            ("log-begins-after-incidents", "before", "begins", first, beyond(&|time| time < first)),
            ("log-ends-before-incidents", "after", "ends", last, beyond(&|time| time > last)),
        ] {
            if found.is_empty() {
                continue;
            }
            let total = counted(recorded.len(), "incident");
            let says = format!(
                "the {channel} log of {name} {verb} {at:.0}; of {total} that it would record, {} {lie}, known from other \
                 artifacts{}",
                counted_as(found.len(), "lies", "lie"),
                by_folder(&found)
            );
            let (first, last) = if lie == "before" { (Some(at), None) } else { (None, Some(at)) };
            gaps.push(Gap { of: Some(recorded.len()), first, last, ..gap(kind, says).helping(found.into_iter()) });
        }
        if channel == "System" {
            shortly_before(name, first, host, gap, gaps);
        }
        let known_holes = holes(name, channel, &covered, host, is_recorded, gap, gaps);
        silent(name, channel, &of_channel, logs, &known_holes, gap, gaps);
    }
}

/// Adds the logs that were cleared, unless a file has their records from before.
pub(super) fn cleared(machine: &Machine, host: &Host<'_>, gaps: &mut Vec<Gap>) {
    let mut by_channel: BTreeMap<String, Vec<&Cleared>> = BTreeMap::new();
    for cleared in &machine.cleared {
        by_channel.entry(cleared.channel.to_lowercase()).or_default().push(cleared);
    }
    for of_channel in by_channel.values() {
        let [first, ..] = of_channel.as_slice() else { continue };
        let channel = &first.channel;
        let known = CHANNELS.iter().find(|(name, _)| channel.eq_ignore_ascii_case(name));
        let logs: Vec<_> = machine.logs.iter().filter(|log| log.channel.eq_ignore_ascii_case(channel)).collect();
        if known.is_none() && logs.is_empty() {
            continue;
        }
        // An export from before the clearing has the records that the log lost.
        let begins = logs.iter().map(|log| log.first).min();
        let mut lost = of_channel.iter().filter(|cleared| begins.is_none_or(|begins| begins >= cleared.time));
        let Some(last) = lost.next_back() else { continue };
        let times = lost.count() + 1;
        let last = last.time;
        // The incidents that it had recorded, and, of the System log, those in the days after the clearing.
        let is_helped = |judged: &Judged| {
            let Some(time) = judged.incident.time else { return false };
            known.is_some_and(|(name, is_recorded)| {
                let is_after = time.duration_since(last) >= SignedDuration::ZERO;
                if is_after {
                    *name == "System" && time.duration_since(last) < LOOKED_BACK
                } else {
                    is_recorded(judged)
                }
            })
        };
        let helped = host.incidents.iter().map(|(judged, _)| *judged).filter(|judged| is_helped(judged));
        let often = if times == 1 { String::new() } else { format!(", the last of {times} times") };
        let says =
            format!("the {channel} log of {} was cleared {last:.0}{often}: what was before is not in it", machine.host);
        gaps.push(Gap {
            log: Some(Arc::clone(channel)),
            count: times,
            first: Some(last),
            ..Gap::new("log-cleared", Some(&machine.host), says).helping(helped)
        });
    }
}

/// The remark on incidents whose computer is known only by the folder that they lie in.
fn by_folder(found: &[&Judged]) -> String {
    match found.iter().filter(|judged| judged.incident.host_by_folder).count() {
        0 => String::new(),
        all if all == found.len() => ", and likely of this computer, by the folder they lie in".to_owned(),
        some => format!(", {some} of them likely of this computer, by the folder they lie in"),
    }
}

/// Adds the holes between the files of a log in which incidents lie, or before incidents so near that changes before them
/// may be in the hole; returns these holes.
fn holes(
    name: &Arc<str>,
    channel: &str,
    covered: &CoveredTimes,
    host: &Host<'_>,
    is_recorded: impl Fn(&Judged) -> bool,
    gap: impl Fn(&'static str, String) -> Gap,
    gaps: &mut Vec<Gap>,
) -> Vec<(Timestamp, Timestamp)> {
    let mut found_holes = Vec::new();
    for (from, to) in covered.holes() {
        // The System log records the changes before any incident.
        let reach = if channel == "System" { LOOKED_BACK } else { SignedDuration::ZERO };
        let concerned = host.incidents.iter().filter(|(judged, _)| channel == "System" || is_recorded(judged));
        let times = concerned.filter_map(|(judged, _)| Some((*judged, judged.incident.time?)));
        let found: Vec<&Judged> = times
            .filter(|(_, time)| *time > from && time.duration_since(to) < reach)
            .map(|(judged, _)| judged)
            .collect();
        if found.is_empty() {
            continue;
        }
        found_holes.push((from, to));
        let or_after = if channel == "System" { " or in the week after" } else { "" };
        let says = format!(
            "the {channel} log of {name} has no record from {from:.0} to {to:.0}, between two of its files; {} in that \
             time{or_after}",
            counted_as(found.len(), "incident lies", "incidents lie")
        );
        let gap = gap("log-hole", says).helping(found.into_iter());
        gaps.push(Gap { first: Some(from), last: Some(to), ..gap });
    }
    found_holes
}

/// Adds that a log begins so shortly before the first incident that changes before it are not recorded.
fn shortly_before(
    name: &Arc<str>,
    begins: Timestamp,
    host: &Host<'_>,
    gap: impl Fn(&'static str, String) -> Gap,
    gaps: &mut Vec<Gap>,
) {
    let times = || host.incidents.iter().filter_map(|(judged, _)| Some((*judged, judged.incident.time?)));
    let Some(earliest) = times().map(|(_, time)| time).min() else { return };
    let before = earliest.duration_since(begins);
    if before.is_negative() || before >= LOOKED_BACK {
        return;
    }
    let near = times().filter(|(_, time)| time.duration_since(begins) < LOOKED_BACK).map(|(judged, _)| judged);
    let distance = if before.as_secs() == 0 {
        "with".to_owned()
    } else {
        format!("{} before", how_long(before.as_secs().unsigned_abs()))
    };
    let says = format!(
        "the System log of {name} begins {begins:.0}, {distance} the first incident: what changed earlier is not in it"
    );
    gaps.push(Gap { first: Some(begins), ..gap("log-begins-shortly-before", says).helping(near) });
}

/// Adds that a log has no record of days on which other logs show that the computer ran, except for `known_holes`.
fn silent(
    name: &Arc<str>,
    channel: &str,
    of_channel: &[&LogCoverage],
    logs: &[LogCoverage],
    known_holes: &[(Timestamp, Timestamp)],
    gap: impl Fn(&'static str, String) -> Gap,
    gaps: &mut Vec<Gap>,
) {
    let (mut own, mut others) = (Days::default(), Days::default());
    of_channel.iter().for_each(|log| own.add_all(&log.days));
    let other_logs = logs.iter().filter(|log| !log.channel.eq_ignore_ascii_case(channel));
    other_logs.for_each(|log| others.add_all(&log.days));
    let (Some((begin, _)), Some((_, end))) = (own.runs().first(), own.runs().last()) else { return };
    if own.is_full() || others.is_full() {
        return;
    }
    let ran = others.between(*begin, *end);
    let shared: u64 = ran.runs().iter().map(|(first, last)| own.between(*first, *last).count()).sum();
    let missing = ran.count().saturating_sub(shared);
    if missing >= SILENT_DAYS && 2 * missing >= ran.count() {
        let says = format!(
            "the {channel} log of {name} has records of {} of the {} days from {} to {} on which its other logs show that it \
             ran: it may have been exported with a filter",
            shared,
            ran.count(),
            date(*begin),
            date(*end),
        );
        let (first, last) = (Days::begin(*begin), Days::begin(*end));
        let (count, of) = (usize::try_from(missing).unwrap_or(usize::MAX), usize::try_from(ran.count()).ok());
        gaps.push(Gap { count, of, first, last, ..gap("log-holds-few-days", says) });
        return;
    }
    for (first, last) in own.gaps() {
        let ran = others.between(first, last).count();
        let is_known = known_holes.iter().any(|(from, to)| Days::day_of(*from) < first && last < Days::day_of(*to));
        if ran < SILENT_DAYS || is_known {
            continue;
        }
        let says = format!(
            "the {channel} log of {name} has no record from {} to {}; its other logs have some of {ran} of these days",
            date(first),
            date(last),
        );
        let count = usize::try_from(ran).unwrap_or(usize::MAX);
        let (first, last) = (Days::begin(first), Days::begin(last));
        gaps.push(Gap { count, first, last, ..gap("log-silent", says) });
    }
}

/// The date of a day.
fn date(day: u32) -> String {
    Days::begin(day).map_or_else(String::new, |time| time.strftime("%Y-%m-%d").to_string())
}
