//! The events that are read: one row for each, by provider and event id.
//!
//! The rows stand in `table`. Adding an event of which a sentence says all is adding a row. One with values that are
//! compared or joined needs a `Meaning` and the function that reads it.
//!
//! Sources of names, ids and the order of fields: the event manifests that Windows ships (Windows 7 to 11), the
//! message tables of classic providers, and Microsoft's documentation of the single events. Where a manifest names
//! the fields, those names also serve for the older, positional form of the same event; positions for which Windows
//! has no name are called `data0`, `data1`...

mod spelling;
mod table;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

pub use self::spelling::{provider_called, provider_names};
use crate::artifact::notation::number_u32;
use crate::evidence::{Event, EventBody};

/// One kind of event.
#[derive(Debug)]
pub struct Entry {
    /// Who logs it. Compared without regard to case.
    providers: &'static [Provider],
    /// Its ids.
    ids: Ids,
    /// Names of positional fields, in order; an empty name stands for none.
    pub(super) layout: &'static [&'static str],
    /// What its fields mean.
    pub(super) meaning: Meaning,
    /// What kind of entry it makes in a machine's timeline, one of [`crate::facts::schema::TIMELINE_KINDS`].
    timeline: &'static str,
}

/// The name of an event's provider.
#[derive(Debug, Clone, Copy)]
enum Provider {
    /// This one.
    Named(&'static str),
    /// All whose names begin so: a vendor's drivers, one name a generation.
    Family(&'static str),
}

/// Ids of an entry.
#[derive(Debug)]
enum Ids {
    /// Every id that the provider logs.
    Any,
    /// These.
    These(&'static [RangeInclusive<u32>]),
}

/// How an event's fields are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Application Error 1000.
    ApplicationError,
    /// Application Error 1005.
    InPageError,
    /// Windows Error Reporting 1001.
    Wer,
    /// Application Hang 1002.
    Hang,
    /// .NET Runtime.
    DotNet,
    /// SideBySide.
    SideBySide,
    /// Application Popup 26.
    Popup,
    /// BugCheck 1001.
    BugCheck,
    /// Kernel-Power 41.
    UncleanRestart,
    /// EventLog 6008.
    UncleanShutdown,
    /// Display 4101.
    DisplayReset,
    /// A display driver's own events.
    DisplayDriver,
    /// NVIDIA OpenGL Driver 1.
    OpenGlDriver,
    /// WHEA-Logger.
    Hardware {
        /// Which part of the machine, in the words of [`EventBody::Hardware`].
        component: &'static str,
        /// Whether the hardware corrected it.
        corrected: bool,
    },
    /// A storage driver's events, with an I/O error packet as binary data.
    Storage,
    /// Ntfs 55 and 140: the record itself says that there is damage.
    FileSystem,
    /// Ntfs 98: a state that is mostly "healthy".
    FileSystemState,
    /// Resource-Exhaustion-Detector 2004.
    MemoryExhausted,
    /// CodeIntegrity.
    ImageRefused {
        /// Whether the image was really refused.
        blocked: bool,
        /// Why, in the words of [`EventBody::ImageRefused`].
        reason: &'static str,
    },
    /// Defender 1007 and 1117.
    DefenderAction,
    /// MemoryDiagnostics-Results.
    MemoryTest {
        /// Whether the test found errors.
        errors: bool,
    },
    /// Service Control Manager 7031 and 7034.
    ServiceEnded,
    /// Service Control Manager 7026.
    BootDriversFailed,
    /// Service Control Manager 7045.
    ServiceInstalled,
    /// Kernel-PnP 219.
    DriverNotLoaded,
    /// WindowsUpdateClient 19 and 20.
    Update {
        /// Whether the update was installed.
        installed: bool,
    },
    /// Servicing 2 and 3.
    Package {
        /// Whether the package's state was changed.
        changed: bool,
    },
    /// MsiInstaller: what was done with the product, in a word.
    Product(&'static str),
    /// UserPnp 20001.
    DriverInstalled,
    /// Kernel-Boot 20.
    LastShutdown,
    /// Kernel-Boot 27.
    KindOfStart,
    /// Kernel-General 1.
    ClockSet,
    /// Kernel-Power 105.
    PowerSource,
    /// Kernel-Power 86.
    ShutDownByHeat,
    /// StorPort 512.
    DriveHealth,
    /// ProcessExitMonitor 3000 and 3001.
    SilentExit,
    /// Security-Auditing 4689.
    ProcessExit,
    /// WER-Diag 1.
    CorruptFile,
    /// A sentence with the record's values in it, as [`super::meaning`] fills them in.
    Said(&'static str),
}

use Ids::{Any, These};
use Provider::{Family, Named};

use table::CATALOGUE;

/// The number of every update of Defender's definitions. There are several a day, and what they bring is told by
/// Defender itself.
///
/// Source: Microsoft's catalogue of updates, KB2267602.
pub(super) const DEFINITIONS: &str = "KB2267602";

/// When a record tells of nothing, by one of its fields. These are the events of which logs hold many, up to millions,
/// and nearly all are of no interest, so that their data decide, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quiet {
    /// Name of the field that tells.
    pub(super) field: &'static str,
    /// What it says then.
    pub(super) when: QuietWhen,
}

/// What a field says when its record tells of nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuietWhen {
    /// A process's exit code that is no failure.
    OrdinaryExit,
    /// Zero.
    Zero,
    /// A text with this part, in ASCII.
    Mentions(&'static str),
}

impl Quiet {
    /// Whether the field, as written, says that the record tells of nothing.
    fn is_told_by(&self, value: &str) -> bool {
        match self.when {
            QuietWhen::OrdinaryExit => number_u32(value).is_some_and(|code| !is_failure(code)),
            QuietWhen::Zero => number_u32(value) == Some(0),
            QuietWhen::Mentions(part) => value.contains(part),
        }
    }
}

/// The ids of the events of which some may tell of nothing: those of other ids need not be looked up.
pub(super) const MAY_BE_QUIET: [u32; 4] = [19, 20, 98, 4689];

/// Whether a process that ended with this code did so for something that went wrong: with an exception, the loader's
/// refusal, or a failure of the .NET runtime. Ends by Ctrl+C, by logging off, and with numbers that a program chooses
/// itself are none.
///
/// Source: layout of NTSTATUS values (MS-ERREF, section 2.3): the upper bits of errors are `1100`, of those that
/// language runtimes define `1110`; `corerror.h` of .NET.
pub(super) fn is_failure(exit_code: u32) -> bool {
    const CONTROL_C_EXIT: u32 = 0xC000_013A;
    const DLL_INIT_FAILED_LOGOFF: u32 = 0xC000_026B;
    match exit_code {
        CONTROL_C_EXIT | DLL_INIT_FAILED_LOGOFF => false,
        0xC000_0000..=0xCFFF_FFFF | 0xE000_0000..=0xEFFF_FFFF => true,
        // Guard page, misalignment, breakpoint and single step; then the .NET runtime.
        0x8000_0001..=0x8000_0004 | 0x8013_1500..=0x8013_16FF => true,
        _ => false,
    }
}

/// Whether the event that `provider` logs as `id` with these fields is read: if the table lists it, and its data don't
/// say that it tells of nothing.
#[must_use]
pub fn wants<'f>(provider: &str, id: u32, mut fields: impl Iterator<Item = (Option<&'f str>, &'f str)>) -> bool {
    let Some(entry) = find(provider, id) else { return false };
    let Some(quiet) = entry.quiet() else { return true };
    let told = fields.find(|(name, _)| *name == Some(quiet.field));
    told.is_none_or(|(_, value)| !quiet.is_told_by(value))
}

/// The entry of the event that `provider` logs as `id`; `None` for an event that nobody wants.
#[must_use]
pub fn find(provider: &str, id: u32) -> Option<&'static Entry> {
    ROWS_BY_ID.of(id).entries().find(|entry| entry.is_logged_by(provider))
}

/// Rows of the table, as bits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Rows(u128);

impl Rows {
    fn entries(self) -> impl Iterator<Item = &'static Entry> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let row = (left != 0).then(|| left.trailing_zeros())?;
            left &= left.wrapping_sub(1);
            CATALOGUE.get(row as usize)
        })
    }
}

// A row is a bit of `Rows`.
const _: () = assert!(CATALOGUE.len() <= 128);

/// Which rows an event may be of, by its id: every wanted record is looked up several times.
struct RowsById {
    /// Those that name the id, by the id.
    numbered: Vec<(u32, Rows)>,
    /// Those that take every id.
    any: Rows,
}

static ROWS_BY_ID: LazyLock<RowsById> = LazyLock::new(|| {
    let mut numbered: BTreeMap<u32, Rows> = BTreeMap::new();
    let mut any = Rows::default();
    for (row, entry) in CATALOGUE.iter().enumerate() {
        match &entry.ids {
            Any => any.0 |= 1 << row,
            These(ranges) => {
                ranges.iter().cloned().flatten().for_each(|id| numbered.entry(id).or_default().0 |= 1 << row)
            }
        }
    }
    RowsById { numbered: numbered.into_iter().collect(), any }
});

impl RowsById {
    fn of(&self, id: u32) -> Rows {
        let place = self.numbered.binary_search_by_key(&id, |(numbered, _)| *numbered);
        let numbered = place.ok().and_then(|place| self.numbered.get(place));
        Rows(self.any.0 | numbered.map_or(0, |(_, rows)| rows.0))
    }
}

/// What kind of timeline entry `event` makes, a word of [`crate::facts::schema::TIMELINE_KINDS`]; `None` for an event
/// that the catalogue does not know.
#[must_use]
pub fn timeline_kind(event: &Event) -> Option<&'static str> {
    let entry = find(&event.content.provider, event.content.id)?;
    Some(match &event.content.body {
        EventBody::DisplayDriver { reset: true, .. } => "driver-reset",
        EventBody::Said { kind: Some(kind), .. } => kind,
        _ => entry.timeline,
    })
}

/// The kinds of timeline entries that records of a provider make; none of one that the catalogue does not know.
#[must_use]
pub fn timeline_kinds_of(provider: &str) -> Vec<&'static str> {
    let rows = CATALOGUE.iter().filter(|entry| entry.is_logged_by(provider));
    let mut kinds: Vec<&'static str> = rows.map(|entry| entry.timeline).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The event ids that are wanted of one provider: the rows that name it, as bits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedIds(Rows);

impl WantedIds {
    /// Whether nothing is wanted of the provider.
    pub(super) fn is_empty(self) -> bool {
        self.0 == Rows::default()
    }

    /// Whether every id is wanted.
    pub(super) fn is_all(self) -> bool {
        self.0.entries().any(|entry| matches!(entry.ids, Any))
    }

    /// The entry of the event with this id, if it is wanted.
    pub(super) fn entry(self, id: u32) -> Option<&'static Entry> {
        self.0.entries().find(|entry| entry.has_id(id))
    }

    /// Whether the event with this id is wanted.
    #[cfg(test)]
    pub(super) fn has(self, id: u32) -> bool {
        self.entry(id).is_some()
    }
}

/// What is wanted of the provider with this name.
pub(super) fn wanted_ids(provider: &str) -> WantedIds {
    let rows = CATALOGUE.iter().enumerate().filter(|(_, entry)| entry.is_logged_by(provider));
    WantedIds(Rows(rows.fold(0, |rows, (row, _)| rows | 1 << row)))
}

/// The ids that some row names, in ranges.
pub(super) fn numbered_ids() -> impl Iterator<Item = RangeInclusive<u32>> {
    let ranges = |entry: &'static Entry| match &entry.ids {
        Any => [].iter(),
        These(ranges) => ranges.iter(),
    };
    CATALOGUE.iter().flat_map(ranges).cloned()
}

/// The names, or the beginnings of names, of the providers of which every id is wanted.
pub(super) fn whole_providers() -> impl Iterator<Item = &'static str> {
    let rows = CATALOGUE.iter().filter(|entry| matches!(entry.ids, Any));
    rows.flat_map(|entry| entry.providers).map(|provider| match provider {
        Named(name) | Family(name) => *name,
    })
}

impl Entry {
    /// When a record of this event tells of nothing.
    pub(super) fn quiet(&self) -> Option<Quiet> {
        let (field, when) = match self.meaning {
            Meaning::ProcessExit => ("Status", QuietWhen::OrdinaryExit),
            Meaning::FileSystemState => ("CorruptionActionState", QuietWhen::Zero),
            Meaning::Update { .. } => ("updateTitle", QuietWhen::Mentions(DEFINITIONS)),
            _ => return None,
        };
        Some(Quiet { field, when })
    }

    fn has_id(&self, id: u32) -> bool {
        match &self.ids {
            Any => true,
            These(ranges) => ranges.iter().any(|range| range.contains(&id)),
        }
    }

    fn is_logged_by(&self, provider: &str) -> bool {
        self.providers.iter().any(|known| match known {
            Named(name) => name.eq_ignore_ascii_case(provider),
            Family(start) => provider.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::schema::TIMELINE_KINDS;

    fn meaning(provider: &str, id: u32) -> Option<Meaning> {
        find(provider, id).map(|entry| entry.meaning)
    }

    #[test]
    fn an_event_is_wanted_by_provider_and_id_together() {
        assert_eq!(meaning("Application Error", 1000), Some(Meaning::ApplicationError));
        assert_eq!(meaning("Application Error", 1001), None);
        assert_eq!(meaning("Windows Error Reporting", 1000), None);
        assert_eq!(meaning("Security", 1000), None);
        assert_eq!(meaning("", 1000), None);
    }

    #[test]
    fn providers_compare_without_regard_to_case() {
        assert_eq!(meaning("Disk", 51), Some(Meaning::Storage));
        assert_eq!(meaning("disk", 51), Some(Meaning::Storage));
        assert_eq!(meaning("SERVICE CONTROL MANAGER", 7034), Some(Meaning::ServiceEnded));
    }

    #[test]
    fn the_same_id_means_what_its_provider_says() {
        assert_eq!(meaning("disk", 153), Some(Meaning::Storage));
        assert_eq!(meaning("nvlddmkm", 153), Some(Meaning::DisplayDriver));
        assert_eq!(meaning("Windows Error Reporting", 1001), Some(Meaning::Wer));
        assert_eq!(meaning("BugCheck", 1001), Some(Meaning::BugCheck));
        assert_eq!(meaning("Microsoft-Windows-WER-SystemErrorReporting", 1001), Some(Meaning::BugCheck));
    }

    #[test]
    fn a_family_holds_every_generation_of_a_driver() {
        for provider in ["iaStorA", "iaStorAC", "iastorvd", "LSI_SAS2", "stornvme", "storvsc"] {
            assert_eq!(meaning(provider, 129), Some(Meaning::Storage), "{provider}");
        }
        for provider in ["igfx", "igfxn", "igfxnd"] {
            assert_eq!(meaning(provider, 4), Some(Meaning::DisplayDriver), "{provider}");
        }
        for provider in ["iaSto", "LSI", "ige", "igfxCUIService2.0.0.0", "nvlddmkm2", "ä"] {
            assert_eq!(meaning(provider, 129), None, "{provider}");
        }
    }

    #[test]
    fn every_hardware_error_has_a_row() {
        for id in (1..=3).chain(16..=29).chain(40..=49) {
            let Some(Meaning::Hardware { corrected, .. }) = meaning("Microsoft-Windows-WHEA-Logger", id) else {
                panic!("WHEA-Logger {id} is not catalogued")
            };
            if id >= 16 {
                assert_eq!(corrected, id % 2 == 1, "{id}");
            }
        }
    }

    #[test]
    fn rows_without_effect_are_absent() {
        // Volume shadow copies that run out of space, and what each signature check found.
        for (provider, id) in
            [("Volsnap", 36), ("disk", 98), ("Display", 4102), ("Microsoft-Windows-CodeIntegrity", 3089)]
        {
            assert_eq!(meaning(provider, id), None, "{provider} {id}");
        }
    }

    #[test]
    fn the_ids_of_events_that_may_tell_of_nothing_are_those_of_the_table() {
        let quiet = CATALOGUE.iter().filter(|entry| entry.quiet().is_some());
        let ids: Vec<u32> = quiet
            .flat_map(|entry| match &entry.ids {
                Any => panic!("all ids"),
                These(ranges) => ranges.iter().cloned().flatten(),
            })
            .collect();
        let mut sorted = ids;
        sorted.sort_unstable();
        assert_eq!(sorted, MAY_BE_QUIET);
    }

    #[test]
    fn records_that_say_that_all_is_well_are_not_wanted() {
        let wants = |provider: &str, id, field: &str, value: &str| {
            wants(provider, id, [(Some("Other"), "1"), (Some(field), value)].into_iter())
        };
        const NTFS: &str = "Microsoft-Windows-Ntfs";
        assert!(!wants(NTFS, 98, "CorruptionActionState", "0"));
        assert!(wants(NTFS, 98, "CorruptionActionState", "2") && wants(NTFS, 98, "Other", "0"));
        assert!(wants(NTFS, 55, "CorruptionActionState", "0"));
        const UPDATES: &str = "Microsoft-Windows-WindowsUpdateClient";
        for id in [19, 20] {
            assert!(!wants(UPDATES, id, "updateTitle", "Security Intelligence Update - KB2267602 (Version 1.2)"));
            assert!(wants(UPDATES, id, "updateTitle", "Update - KB5001234"));
        }
        assert!(wants("Microsoft-Windows-WHEA-Logger", 19, "updateTitle", "KB2267602"));
    }

    #[test]
    fn of_the_ends_of_processes_only_failures_are_wanted() {
        let wants = |provider: &str, id, status: &str| wants(provider, id, [(Some("Status"), status)].into_iter());
        const SECURITY: &str = "Microsoft-Windows-Security-Auditing";
        for failure in
            ["0xc0000409", "0xc0000005", "0xe06d7363", "0xe0434352", "0x80000003", "0x80131506", "0xc0000135"]
        {
            assert!(wants(SECURITY, 4689, failure), "{failure}");
        }
        for ordinary in ["0x0", "0x1", "0x40010004", "0xc000013a", "0xc000026b", "0xffffffff", "0x80004005"] {
            assert!(!wants(SECURITY, 4689, ordinary), "{ordinary}");
        }
        assert!(wants(SECURITY, 4689, "?"), "a code that can't be read may be a failure");
        assert!(wants("Application Error", 1000, "0x0") && !wants(SECURITY, 4688, "0xc0000005"));
    }

    #[test]
    fn timeline_words_are_those_of_the_fact() {
        for entry in CATALOGUE {
            assert!(TIMELINE_KINDS.contains(&entry.timeline), "{entry:?}");
        }
    }

    #[test]
    fn every_event_that_is_explained_is_read_or_said_not_to_be() {
        for event in &crate::knowledge::codes::tables().events {
            let read = event.called.iter().chain([&event.provider]).any(|name| find(name, event.id).is_some());
            let said = event.look.iter().any(|text| text.contains("this program does not read it"));
            assert!(read != said, "{} {}", event.provider, event.id);
        }
    }

    #[test]
    fn no_row_is_hidden_behind_another() {
        for (index, entry) in CATALOGUE.iter().enumerate() {
            for other in &CATALOGUE[..index] {
                let same_provider = entry.providers.iter().any(|provider| match provider {
                    Named(name) | Family(name) => other.is_logged_by(name),
                });
                let same_id = match &entry.ids {
                    Any => true,
                    These(ranges) => ranges.iter().any(|range| range.clone().any(|id| other.has_id(id))),
                };
                assert!(!(same_provider && same_id), "{entry:?} is hidden behind {other:?}");
            }
        }
    }
}
