//! Evidence that holds no id joins evidence of the same program in the same version at the same time, if nothing else on
//! that computer fits.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::compare::{agree, differ, facts_differ, same_name};
use super::key::JoinKey;
use super::sets::Sets;
use crate::incident::IncidentKind;
use crate::sighting::{Family, Sighting};
use evidence::{EventBody, Observation};

/// How far apart two records of one crash can be. Windows Error Reporting was measured to log its report 0.1 to 9
/// seconds after the crash's own record.
const WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// How long after its dump the event of Windows Error Reporting can be logged: when the report has been made and sent.
const REPORTED: SignedDuration = SignedDuration::from_mins(2);
/// With more sightings of one program than this within [`WINDOW`], they are not compared: more than one would fit.
const MOST_NEAR: usize = 16;

/// What is compared: sightings of one kind of one program, on one computer or, where none is named, in one folder.
type Program = (Arc<str>, IncidentKind, String);
/// Format, kind of event and rank of a sighting; two of one format are of two crashes.
type Format = (Discriminant<Observation>, Option<Discriminant<EventBody>>, u8);

/// A sighting at its time.
#[derive(Clone, Copy)]
struct Candidate<'s> {
    time: Timestamp,
    sighting: &'s Sighting<'s>,
    /// The root of its set.
    root: usize,
    is_alone: bool,
}

/// Joins sightings without an id that have exactly one counterpart and are the only one for it.
pub(super) fn by_name_and_time(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let mut programs: BTreeMap<Program, Vec<(Timestamp, &Sighting<'_>)>> = BTreeMap::new();
    for sighting in sightings {
        let (Some(process), Some(time)) = (&sighting.process, sighting.time) else { continue };
        let takes_part = matches!(sighting.family, Family::Alone | Family::Crash)
            && matches!(sighting.kind, IncidentKind::Crash | IncidentKind::Hang)
            && !sighting.is_text();
        if !takes_part {
            continue;
        }
        // Behind a bar, which no computer's name has: a folder is none.
        let host = sets.host(sighting).unwrap_or_else(|| format!("|{}", sighting.evidence.folder).into());
        programs.entry((host, sighting.kind, process.clone())).or_default().push((time, sighting));
    }
    for mut times in programs.into_values().filter(|times| times.len() > 1) {
        times.sort_unstable();
        let candidate = |(time, sighting)| Candidate {
            time,
            sighting,
            root: sets.root(sighting),
            is_alone: sets.is_alone(sighting),
        };
        let candidates: Vec<Candidate<'_>> = times.into_iter().map(candidate).collect();
        for (other, sighting) in only_counterparts(&candidates, WINDOW, can_be_one) {
            sets.join(other, sighting, JoinKey::NameAndTime);
        }
        let mut left = candidates;
        for candidate in &mut left {
            candidate.root = sets.root(candidate.sighting);
            candidate.is_alone = sets.is_alone(candidate.sighting);
        }
        left.retain(|candidate| candidate.is_alone);
        for (other, sighting) in only_counterparts(&left, REPORTED, is_report_of_dump) {
            sets.join(other, sighting, JoinKey::NameAndTime);
        }
    }
}

/// Each sighting that is alone and has exactly one counterpart within the window that `fits`, behind that counterpart.
/// `candidates` are in the order of time.
fn only_counterparts<'s>(
    candidates: &[Candidate<'s>],
    window: SignedDuration,
    fits: fn(&Sighting<'_>, &Sighting<'_>) -> bool,
) -> Vec<(&'s Sighting<'s>, &'s Sighting<'s>)> {
    let counterparts = |own: &Candidate<'s>| counterparts(own, candidates, window, fits);
    let mut joins = Vec::new();
    for own in candidates.iter().filter(|candidate| candidate.is_alone) {
        let Some(found) = counterparts(own) else { continue };
        let (Some(first), true) = (found.first(), of_one_set(&found)) else { continue };
        // What it would join must have no second of its format to choose from.
        let format = format_of(own.sighting);
        let rivals = found.iter().filter_map(|other| counterparts(other)).flatten();
        let rivals: Vec<&Candidate<'_>> = rivals.filter(|rival| format_of(rival.sighting) == format).collect();
        if of_one_set(&rivals) {
            joins.push((first.sighting, own.sighting));
        }
    }
    joins
}

fn of_one_set(candidates: &[&Candidate<'_>]) -> bool {
    candidates.iter().map(|candidate| candidate.root).collect::<BTreeSet<_>>().len() == 1
}

/// What can be of the same crash as a candidate; `None` where too many are near in time.
fn counterparts<'c, 's>(
    own: &Candidate<'s>,
    candidates: &'c [Candidate<'s>],
    window: SignedDuration,
    fits: fn(&Sighting<'_>, &Sighting<'_>) -> bool,
) -> Option<Vec<&'c Candidate<'s>>> {
    let from = candidates.partition_point(|other| own.time.duration_since(other.time) > window);
    let near = candidates.iter().skip(from).take_while(|other| other.time.duration_since(own.time) <= window);
    let near: Vec<&Candidate<'_>> = near.take(MOST_NEAR + 1).collect();
    let fits = |other: &&Candidate<'_>| own.root != other.root && fits(own.sighting, other.sighting);
    (near.len() <= MOST_NEAR).then(|| near.into_iter().filter(fits).collect())
}

fn format_of(sighting: &Sighting<'_>) -> Format {
    (discriminant(&sighting.evidence.observation), sighting.event_body().map(discriminant), sighting.rank)
}

/// Whether two sightings of one program at one time are of different formats, agree on the version, or on the code and on the
/// module as far as both name one, and disagree on nothing.
fn can_be_one(a: &Sighting<'_>, b: &Sighting<'_>) -> bool {
    let seconds = |time: Option<Timestamp>| time.map(|time| time.as_second());
    let ids_differ = differ(a.report_id.as_deref(), b.report_id.as_deref())
        || differ(a.pid, b.pid)
        || differ(seconds(a.started), seconds(b.started));
    if ids_differ || format_of(a) == format_of(b) {
        return false;
    }
    let (Some(a), Some(b)) = (a.record(), b.record()) else { return false };
    let same_module = matches!((a.module, b.module), (Some(a), Some(b)) if same_name(a, b));
    // Windows Error Reporting names no module where the address of the exception lies in none (`StackHash_...`).
    let no_module = a.module.is_none() || b.module.is_none();
    let agree = agree(a.app_version, b.app_version) || (agree(a.code, b.code) && (same_module || no_module));
    agree && !facts_differ(&a, &b)
}

/// Whether one of two sightings can be the event that Windows Error Reporting logged about the other one, a dump of before.
fn is_report_of_dump(a: &Sighting<'_>, b: &Sighting<'_>) -> bool {
    let is_dump = |sighting: &Sighting<'_>| matches!(sighting.evidence.observation, Observation::Process(_));
    let is_report = |sighting: &Sighting<'_>| matches!(sighting.event_body(), Some(EventBody::Wer(_)));
    let (dump, report) = if is_dump(a) { (a, b) } else { (b, a) };
    let codes = dump.record().and_then(|record| record.code).zip(report.record().and_then(|record| record.code));
    is_dump(dump)
        && is_report(report)
        && dump.time <= report.time
        && codes.is_some_and(|(dump, report)| dump == report)
        && can_be_one(a, b)
}
