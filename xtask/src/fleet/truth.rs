//! What truly happened: incidents, machines, and what several machines share.

use std::collections::{BTreeMap, BTreeSet};

use samplekit::FileTime;
use serde::Serialize;

use super::story::{DRIVERS, Story, Traits};

/// One incident.
#[derive(Debug, Clone, Serialize)]
pub struct Incident {
    /// The machine.
    pub host: String,
    /// When it was, RFC 3339, to the second.
    pub time: String,
    /// Kind, in the report's words.
    pub kind: &'static str,
    /// The program, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<&'static str>,
    /// Code of the exception or blue screen, as the report writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Module that contains the faulting address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<&'static str>,
    /// The true cause, an id of `rules/causes.yaml`.
    pub cause: &'static str,
    /// The pattern that it is part of, or `background`.
    pub pattern: &'static str,
    /// Its files, relative to the machine's folder; logs are shared with others.
    pub files: Vec<String>,
}

/// One machine.
#[derive(Debug, Serialize)]
pub struct Machine {
    host: String,
    kind: &'static str,
    windows_build: u32,
    patterns: Vec<&'static str>,
}

impl Machine {
    pub fn new(traits: &Traits) -> Self {
        let kind = if traits.host.starts_with("LT") { "laptop" } else { "desktop" };
        Self { host: traits.host.clone(), kind, windows_build: traits.windows.build(), patterns: of_machine(traits) }
    }
}

/// The patterns that a machine is part of.
fn of_machine(traits: &Traits) -> Vec<&'static str> {
    [
        (traits.updated.is_some(), "driver-update"),
        (traits.fixed.is_some(), "driver-fix"),
        (traits.overlay, "overlay"),
        (traits.bad_memory, "bad-memory"),
        (traits.bad_drive, "bad-drive"),
        (traits.firmware.is_some(), "firmware-update"),
    ]
    .into_iter()
    .filter_map(|(is, pattern)| is.then_some(pattern))
    .collect()
}

/// How many machines and incidents a pattern has.
#[derive(Debug, Default)]
pub struct Count {
    machines: usize,
    with_incident: BTreeSet<String>,
    incidents: usize,
}

/// Counts a machine and its incidents.
pub fn count(counts: &mut BTreeMap<&'static str, Count>, traits: &Traits, incidents: &[Incident]) {
    for pattern in of_machine(traits) {
        counts.entry(pattern).or_default().machines += 1;
    }
    for incident in incidents {
        let count = counts.entry(incident.pattern).or_default();
        count.incidents += 1;
        count.with_incident.insert(incident.host.clone());
    }
}

/// What several machines share.
#[derive(Debug, Serialize)]
pub struct Pattern {
    pattern: &'static str,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    machines: usize,
    machines_with_incident: usize,
    incidents: usize,
}

pub fn patterns(story: &Story, counts: &BTreeMap<&'static str, Count>) -> Vec<Pattern> {
    let (bad, good) = (DRIVERS[1].version, DRIVERS[2].version);
    let from = |day| Some(rfc3339(story.day(day)));
    let none = Count::default();
    [
        ("driver-update", format!("display driver {bad} brings blue screens 0x116"), from(story.update())),
        ("driver-fix", format!("display driver {good} ends them"), from(story.fix())),
        ("overlay", "OrrinOverlay64.dll crashes viewer.exe".to_owned(), None),
        ("bad-memory", "damaged memory: different crashes of different programs, on laptops".to_owned(), None),
        ("bad-drive", "drives of one model lose blocks: programs can't be paged in".to_owned(), None),
        ("firmware-update", "firmware 1.21 switches laptops off".to_owned(), from(story.firmware())),
        ("background", "defects of programs and losses of power, on all machines alike".to_owned(), None),
    ]
    .into_iter()
    .map(|(pattern, says, from)| {
        let Count { machines, with_incident, incidents } = counts.get(pattern).unwrap_or(&none);
        let (machines_with_incident, incidents) = (with_incident.len(), *incidents);
        Pattern { pattern, says, from, machines: *machines, machines_with_incident, incidents }
    })
    .collect()
}

/// A time in RFC 3339, to the second.
pub fn rfc3339(time: FileTime) -> String {
    let ((year, month, day), (hour, minute, second)) = (time.date(), time.time_of_day());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
