//! What was changed on a machine before incidents of a signature first happened there.

use jiff::{SignedDuration, Timestamp};

use super::reach::INSTALLS;
use super::recorded::{APPLICATION, SYSTEM};
use super::{LEAST_COVERED, Logged, Surroundings, installed_by, log_of};
use evidence::CoverageAt;
use incident::{IncidentKind, TimelineEntry, searched_text};

/// How far back changes are looked for.
const REACH: SignedDuration = SignedDuration::from_hours(14 * 24);
/// Most changes of one kind that are looked at, the latest: an upgrade of Windows writes hundreds of records.
const MOST_OF_A_KIND: usize = 64;

/// What is known of the time before the first incident of a signature on a machine.
#[derive(Debug)]
pub struct BeforeFirst<'s> {
    /// When the first was.
    pub first: Timestamp,
    /// The logs that would hold such incidents and changes, by channel, and what they cover.
    pub logs: Vec<(&'static str, CoverageAt)>,
    /// The changes of that time, the latest last.
    pub changes: Vec<Change<'s>>,
}

/// Something that was installed, updated or removed.
#[derive(Debug, Clone, Copy)]
pub struct Change<'s> {
    /// The record.
    pub entry: &'s TimelineEntry,
    /// The name of the product, package or driver.
    pub what: &'s str,
    /// How long before the first incident, seconds.
    pub seconds_before: u64,
    /// Whether it is a driver of a display adapter.
    pub of_display: bool,
    /// Whether it is firmware of the machine or of a device.
    pub of_firmware: bool,
}

impl BeforeFirst<'_> {
    /// Whether the logs begin early enough to show what had changed before the first incident.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.too_short().is_none()
    }

    /// The log that begins too late to show what had changed; if several do, the one that covers least.
    #[must_use]
    pub fn too_short(&self) -> Option<(&'static str, CoverageAt)> {
        let covered = |recorded: &CoverageAt| match recorded {
            CoverageAt::Since(since) => Some(self.first.duration_since(*since)),
            _ => None,
        };
        let least = self.logs.iter().min_by_key(|(_, recorded)| covered(recorded)).copied();
        least.filter(|(_, recorded)| covered(recorded).is_none_or(|covered| covered < LEAST_COVERED))
    }
}

/// The class of display adapters in records of installations, and the part of an update's title that marks a display
/// driver.
///
/// Source: "System-Defined Device Setup Classes" of the Windows driver documentation; titles of driver updates
/// (`NVIDIA - Display - 32.0.15.6070`).
const DISPLAY: [&str; 2] = ["4d36e968-e325-11ce-bfc1-08002be10318", " - display - "];

/// The class of firmware in records of installations, and the part of an update's title that marks firmware.
///
/// Source: "Authoring an update driver package" of the Windows driver documentation; titles of driver updates
/// (`Demo - Firmware - 1.7.3`).
const FIRMWARE: [&str; 2] = ["f2e7dd72-6468-4e36-b6f1-6488f42c1b52", " - firmware - "];

impl<'i> Surroundings<'i> {
    /// What was changed before an incident of this kind and signature first happened here; `None` when none did.
    #[must_use]
    pub fn before_first(&self, signature: &str, kind: IncidentKind) -> Option<BeforeFirst<'i>> {
        let first = *self.first_of.get(signature)?;
        let of_incidents = log_of(kind);
        // Drivers and updates are in the System log.
        let told = [APPLICATION, SYSTEM].into_iter().filter(|log| *log == SYSTEM || *log == of_incidents);
        let logs: Vec<(&str, CoverageAt)> = told.map(|log| (log, self.covered(log, first))).collect();
        // A change before the log of such incidents begins may be one after the first of them.
        let begin = first.saturating_sub(REACH).unwrap_or(first);
        let since = logs.iter().find(|(log, _)| *log == of_incidents).map(|(_, recorded)| *recorded);
        let begin = match since {
            Some(CoverageAt::Since(since)) => begin.max(since),
            _ => first,
        };
        let mut changes = Vec::new();
        for kind in INSTALLS {
            let indices = self.by_kind.get(kind).map_or(&[][..], Vec::as_slice);
            let time_of = |index: &usize| self.logged.get(*index).map(|logged| logged.entry.time);
            let start = indices.partition_point(|index| time_of(index) < Some(begin));
            let end = indices.partition_point(|index| time_of(index) <= Some(first));
            let start = start.max(end.saturating_sub(MOST_OF_A_KIND));
            let logged = indices.get(start..end).unwrap_or_default().iter().filter_map(|index| self.logged.get(*index));
            changes.extend(logged.filter(|logged| logged.copy_of.is_none()).map(|logged| change(logged, first)));
        }
        Some(BeforeFirst { first, logs, changes })
    }

    /// The signatures of the incidents that happened here.
    pub fn signatures(&self) -> impl Iterator<Item = &str> {
        self.first_of.keys().map(String::as_str)
    }
}

fn change<'i>(logged: &Logged<'i>, first: Timestamp) -> Change<'i> {
    let entry = logged.entry;
    let what = logged.event.and_then(installed_by);
    let has = |marks: [&str; 2]| {
        let text = logged.event.map(|event| searched_text(event).to_lowercase()).unwrap_or_default();
        marks.iter().any(|mark| text.contains(mark))
    };
    let of_display = *logged.of_display.get_or_init(|| has(DISPLAY));
    let of_firmware = *logged.of_firmware.get_or_init(|| has(FIRMWARE));
    Change {
        entry,
        what: what.unwrap_or(&entry.sentence),
        seconds_before: first.duration_since(entry.time).as_secs().unsigned_abs(),
        of_display,
        of_firmware,
    }
}
