//! What a computer's logs recorded from 24 hours before an incident to 10 minutes after it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use minijinja::context;
use minijinja::value::Value;

use crate::formats::text::timeline::{Run, choose};
use crate::model::{Judged, Report};
use crate::wording::{how_long, place, prose};
use incident::{Incident, Machine, TimelineEntry, short_host};

const BEFORE: SignedDuration = SignedDuration::from_hours(24);
const AFTER: SignedDuration = SignedDuration::from_mins(10);
/// Seconds from the incident, and where they are in the picture: the nearer, the more room.
const SCALE: [(i64, i64); 6] = [(-86_400, 140), (-21_600, 290), (-3_600, 450), (-600, 640), (0, 840), (600, 930)];
/// The marks of the axis: seconds and words.
const TICKS: [(i64, &str); 6] =
    [(-86_400, "-24 h"), (-21_600, "-6 h"), (-3_600, "-1 h"), (-600, "-10 min"), (0, "0"), (600, "+10 min")];
const LANE: usize = 20;
/// How many kinds have a lane.
const MOST_LANES: usize = 8;

/// The entries around an incident on its computer; empty where the logs have none besides the incident itself.
pub(in super::super) fn around<'r>(report: &'r Report, judged: &Judged) -> &'r [TimelineEntry] {
    let incident = &judged.incident;
    let (Some(host), Some(time)) = (&incident.host, incident.time) else { return &[] };
    let host = short_host(host);
    let is_it = |machine: &&Machine| machine.party == judged.party && short_host(&machine.host) == host;
    let Some(machine) = report.machines.iter().find(is_it) else { return &[] };
    let (Ok(from), Ok(to)) = (time.checked_sub(BEFORE), time.checked_add(AFTER)) else { return &[] };
    let timeline = &machine.timeline;
    let start = timeline.partition_point(|entry| entry.time < from);
    let end = timeline.partition_point(|entry| entry.time <= to);
    let entries = timeline.get(start..end).unwrap_or_default();
    let is_other = |entry: &TimelineEntry| entry.incident.as_ref() != Some(&incident.id);
    if entries.iter().any(is_other) { entries } else { &[] }
}

/// The picture of the most important entries around an incident, and the same in rows; `None` where there are none.
pub(in super::super) fn most_important(
    report: &Report,
    incident: &Incident,
    entries: &[TimelineEntry],
    most: usize,
) -> Option<Value> {
    let time = incident.time.filter(|_| !entries.is_empty())?;
    let shown = choose(entries, most);
    let mut lanes: BTreeMap<&str, Vec<&Run<'_>>> = BTreeMap::new();
    shown.runs.iter().for_each(|run| lanes.entry(run.first.kind).or_default().push(run));
    // The kinds that are nearest to the incident.
    let nearest = |runs: &[&Run<'_>]| runs.iter().map(|run| offset(time, run).abs()).min().unwrap_or(i64::MAX);
    let mut lanes: Vec<(&str, Vec<&Run<'_>>)> = lanes.into_iter().collect();
    lanes.sort_by_key(|(kind, runs)| (nearest(runs), *kind));
    lanes.truncate(MOST_LANES);
    let height = lanes.len() * LANE + 30;
    let drawn = lanes.iter().enumerate().map(|(number, (kind, runs))| {
        let dots = runs.iter().map(|run| {
            let own = run.incidents.contains(&incident.id.as_str());
            let title = format!("{}: {}", apart(offset(time, run)), prose(&run.first.sentence));
            context! { x => x(offset(time, run)), own, title }
        });
        context! { kind => *kind, y => number * LANE + 20, dots => dots.collect::<Value>() }
    });
    let rows = shown.runs.iter().map(|run| {
        context! {
            when => apart(offset(time, run)),
            kind => run.first.kind,
            says => prose(&run.first.sentence),
            more => run.repeats(),
            own => run.incidents.contains(&incident.id.as_str()),
            place => place(report, run.first.artifact, &run.first.place),
        }
    });
    let left_out: usize = shown.left_out.iter().map(|(_, count)| count).sum();
    Some(context! {
        height,
        lanes => drawn.collect::<Value>(),
        ticks => TICKS.map(|(seconds, label)| (x(seconds), label)).into_iter().collect::<Value>(),
        now => x(0),
        rows => rows.collect::<Value>(),
        left_out,
    })
}

/// Seconds from the incident to a run, negative before it.
fn offset(time: Timestamp, run: &Run<'_>) -> i64 {
    run.first.time.as_second() - time.as_second()
}

/// How long before or after the incident.
fn apart(seconds: i64) -> String {
    match seconds {
        0 => "at the incident".to_owned(),
        before @ ..0 => format!("{} before", how_long(before.unsigned_abs())),
        after => format!("{} after", how_long(after.unsigned_abs())),
    }
}

/// Where a time is in the picture.
fn x(seconds: i64) -> i64 {
    let pairs = SCALE.iter().zip(SCALE.iter().skip(1));
    let within = pairs.take_while(|((from, _), _)| *from <= seconds).last();
    let ((from, start), (to, end)) = within.unwrap_or((&SCALE[0], &SCALE[1]));
    start + (seconds.clamp(*from, *to) - from) * (end - start) / (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_times_have_more_room_than_far_ones() {
        assert_eq!([-90_000, -86_400, -600, -300, 0, 600, 900].map(x), [140, 140, 640, 740, 840, 930, 930]);
    }

    #[test]
    fn distances_are_in_words() {
        assert_eq!([-7_300, 0, 30].map(apart), ["2 h before", "at the incident", "30 s after"]);
    }
}
