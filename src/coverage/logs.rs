//! Logs that are missing, begin too late, end too early or are not whole.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Gap, Host, Shown, counted, undetermined};
use crate::artifact::LogCoverage;
use crate::evidence::Days;
use crate::incident::IncidentKind;
use crate::report::Judged;

/// What changed before an incident is looked for in so many hours: as far back as rules see installations.
const LOOKED_BACK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// A log that was silent for fewer days had nothing to say.
const SILENT_DAYS: u64 = 3;

/// A log's channel, and which incidents are recorded in it.
type Channel = (&'static str, fn(&Judged) -> bool);

/// The two logs that matter.
const CHANNELS: [Channel; 2] = [
    ("Application", |judged| {
        matches!(judged.incident.kind, IncidentKind::Crash | IncidentKind::Hang | IncidentKind::StartFailure)
    }),
    ("System", |judged| {
        matches!(judged.incident.kind, IncidentKind::Bugcheck | IncidentKind::PowerLoss | IncidentKind::GpuReset)
    }),
];

/// Adds what is missing of a computer's logs.
pub(super) fn gaps(name: &Arc<str>, logs: &[LogCoverage], host: &Host<'_>, gaps: &mut Vec<Gap>) {
    for (index, (channel, is_recorded)) in CHANNELS.into_iter().enumerate() {
        let of_channel: Vec<&LogCoverage> =
            logs.iter().filter(|log| log.channel.eq_ignore_ascii_case(channel)).collect();
        let all = || host.incidents.iter().map(|(judged, _)| *judged);
        let recorded: Vec<&Judged> = all().filter(|judged| is_recorded(judged)).collect();
        let gap = |kind, says| Gap { log: Some(Arc::from(channel)), ..Gap::new(kind, Some(name), says) };
        let Some((first, last)) = span(&of_channel) else {
            // The System log tells what surrounds any incident.
            let helped: Vec<&Judged> = if channel == "System" { all().collect() } else { recorded };
            if !helped.is_empty() {
                let says = format!("no {channel} log from {name}");
                let undetermined = undetermined(helped.iter().copied());
                gaps.push(Gap { count: helped.len(), undetermined, ..gap("no-log", says) });
            }
            continue;
        };
        // What the log itself recorded, if later, is no proof that something lies outside of it.
        let is_known = |shown: &Shown| shown.recorded.get(index).is_some_and(|recorded| *recorded);
        let unrecorded = host.incidents.iter().filter(|(judged, shown)| is_recorded(judged) && !is_known(shown));
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
            let total = counted(recorded.len(), "incident", "incidents");
            let says = format!(
                "the {channel} log of {name} {verb} {at:.0}; of {total} that it would record, known from other artifacts, \
                 {} {lie}",
                if found.len() == 1 { "1 lies".to_owned() } else { format!("{} lie", found.len()) }
            );
            let undetermined = undetermined(found.iter().copied());
            let (first, last) = if lie == "before" { (Some(at), None) } else { (None, Some(at)) };
            let of = Some(recorded.len());
            gaps.push(Gap { count: found.len(), of, undetermined, first, last, ..gap(kind, says) });
        }
        if channel == "System" {
            shortly_before(name, first, host, gap, gaps);
        }
        silent(name, channel, &of_channel, logs, gap, gaps);
    }
}

fn span(logs: &[&LogCoverage]) -> Option<(Timestamp, Timestamp)> {
    Some((logs.iter().map(|log| log.first).min()?, logs.iter().map(|log| log.last).max()?))
}

/// Adds that a log begins so shortly before the first incident that what changed before can't be seen.
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
    let near: Vec<&Judged> =
        times().filter(|(_, time)| time.duration_since(begins) < LOOKED_BACK).map(|(judged, _)| judged).collect();
    let how_long = if before.as_secs() == 0 { "with".to_owned() } else { format!("{} before", rough(before)) };
    let says = format!(
        "the System log of {name} begins {begins:.0}, {how_long} the first incident: what changed earlier is not in it"
    );
    let undetermined = undetermined(near.iter().copied());
    gaps.push(Gap { count: near.len(), undetermined, first: Some(begins), ..gap("log-begins-shortly-before", says) });
}

/// Adds that a log says nothing of days on which other logs show that the computer ran.
fn silent(
    name: &Arc<str>,
    channel: &str,
    of_channel: &[&LogCoverage],
    logs: &[LogCoverage],
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
    if missing >= SILENT_DAYS && missing.saturating_mul(2) >= ran.count() {
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
        if ran < SILENT_DAYS {
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

/// A day as a date.
fn date(day: u32) -> String {
    Days::begin(day).map_or_else(String::new, |time| time.strftime("%Y-%m-%d").to_string())
}

/// A duration in the largest unit of which there are at least two.
fn rough(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let units = [(86_400, "days"), (3_600, "h"), (60, "min")];
    let whole = units.iter().find_map(|(unit, name)| {
        let count = seconds.checked_div(*unit)?;
        (count >= 2).then(|| format!("{count} {name}"))
    });
    whole.unwrap_or_else(|| format!("{seconds} s"))
}
