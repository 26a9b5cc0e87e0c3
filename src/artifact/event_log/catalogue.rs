//! The events that are read: one row for each, by provider and event id.
//!
//! Adding an event whose fields are like those of another is adding a row. One with fields of its own also needs a
//! `Meaning` and the function that reads it.
//!
//! Sources of names, ids and the order of fields: the event manifests that Windows ships (Windows 7 to 11), the
//! message tables of classic providers, and Microsoft's documentation of the single events. Where a manifest names
//! the fields, those names also serve for the older, positional form of the same event; positions for which Windows
//! has no name are called `data0`, `data1`...

use std::ops::RangeInclusive;

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
    /// MemoryDiagnostics-Results.
    MemoryTest {
        /// Whether the test found errors.
        errors: bool,
    },
    /// Service Control Manager 7031 and 7034.
    ServiceEnded,
    /// Nothing beyond the fields' text.
    Text,
}

use Ids::{Any, These};
use Provider::{Family, Named};

/// Drivers of storage adapters, which log what Storport, the port driver, reports for them.
const STORAGE_ADAPTERS: &[Provider] =
    &[Named("storahci"), Named("stornvme"), Named("storvsc"), Family("iaStor"), Family("LSI_")];
const DISPLAY: &[Provider] = &[Named("Display")];
const DISPLAY_DRIVERS: &[Provider] = &[Named("nvlddmkm"), Named("amdkmdag"), Named("amdwddmg"), Family("igfx")];
const WHEA: &[Provider] = &[Named("Microsoft-Windows-WHEA-Logger")];
const NTFS: &[Provider] = &[Named("Ntfs"), Named("Microsoft-Windows-Ntfs")];
const CODE_INTEGRITY: &[Provider] = &[Named("Microsoft-Windows-CodeIntegrity")];
const MEMORY_DIAGNOSTICS: &[Provider] = &[Named("Microsoft-Windows-MemoryDiagnostics-Results")];

/// What each entry is made of, in the order of the columns below.
const fn row(
    providers: &'static [Provider],
    ids: &'static [RangeInclusive<u32>],
    timeline: &'static str,
    meaning: Meaning,
    layout: &'static [&'static str],
) -> Entry {
    Entry { providers, ids: These(ids), layout, meaning, timeline }
}

const fn hardware(ids: &'static [RangeInclusive<u32>], component: &'static str, corrected: bool) -> Entry {
    row(WHEA, ids, "hardware-error", Meaning::Hardware { component, corrected }, &[])
}

const fn refused(ids: &'static [RangeInclusive<u32>], blocked: bool, reason: &'static str) -> Entry {
    row(CODE_INTEGRITY, ids, "image-refused", Meaning::ImageRefused { blocked, reason }, &[])
}

/// The events that are read. Where two rows match, the first counts.
const CATALOGUE: &[Entry] = &[
    // Crashes, hangs and start failures of programs.
    row(
        &[Named("Application Error")],
        &[1000..=1000],
        "crash",
        Meaning::ApplicationError,
        &[
            "AppName",
            "AppVersion",
            "AppTimeStamp",
            "ModuleName",
            "ModuleVersion",
            "ModuleTimeStamp",
            "ExceptionCode",
            "FaultingOffset",
            "ProcessId",
            "ProcessCreationTime",
            "AppPath",
            "ModulePath",
            "IntegratorReportId",
            "PackageFullName",
            "PackageRelativeAppId",
        ],
    ),
    row(
        &[Named("Application Error")],
        &[1005..=1005],
        "crash",
        Meaning::InPageError,
        &["FilePath", "AppName", "StatusCode", "MediumType"],
    ),
    row(
        &[Named("Windows Error Reporting")],
        &[1001..=1001],
        "report",
        Meaning::Wer,
        &[
            "Bucket",
            "BucketType",
            "EventName",
            "Response",
            "CabId",
            "P1",
            "P2",
            "P3",
            "P4",
            "P5",
            "P6",
            "P7",
            "P8",
            "P9",
            "P10",
            "AttachedFiles",
            "StorePath",
            "AnalysisSymbol",
            "Rechecking",
            "ReportId",
            "ReportStatus",
            "HashedBucket",
            "CabGuid",
        ],
    ),
    row(
        &[Named("Application Hang")],
        &[1002..=1002],
        "hang",
        Meaning::Hang,
        &[
            "AppName",
            "AppVersion",
            "ProcessId",
            "StartTime",
            "TerminationTime",
            "ExeFileName",
            "ReportId",
            "PackageFullName",
            "PackageRelativeAppId",
            "HangType",
        ],
    ),
    // 1022 is what the runtime says about profilers; the others end the process.
    row(&[Named(".NET Runtime")], &[1022..=1022], "other", Meaning::DotNet, &[]),
    row(&[Named(".NET Runtime")], &[1023..=1028], "crash", Meaning::DotNet, &[]),
    row(&[Named("SideBySide")], &[33..=80], "start-failure", Meaning::SideBySide, &[]),
    row(
        &[Named("Application Popup"), Named("Microsoft-Windows-Application-Popup")],
        &[26..=26],
        "start-failure",
        Meaning::Popup,
        &["Caption", "Message"],
    ),
    row(
        &[Named("Microsoft-Windows-ProcessExitMonitor"), Named("Process Exit Monitor")],
        &[3000..=3001],
        "other",
        Meaning::Text,
        &["param1", "param2", "param3", "param4"],
    ),
    // Stops and restarts of the machine.
    row(
        &[Named("Microsoft-Windows-WER-SystemErrorReporting"), Named("BugCheck")],
        &[1001..=1001],
        "bugcheck",
        Meaning::BugCheck,
        &["param1", "param2", "param3"],
    ),
    row(&[Named("Microsoft-Windows-Kernel-Power")], &[41..=41], "unclean-restart", Meaning::UncleanRestart, &[]),
    row(&[Named("EventLog")], &[6008..=6008], "power-loss", Meaning::UncleanShutdown, &[]),
    // 46: a dump could not be prepared for. 161: a dump could not be written, after a stop.
    row(&[Named("volmgr")], &[46..=46], "other", Meaning::Text, &[]),
    row(&[Named("volmgr")], &[161..=161], "bugcheck", Meaning::Text, &[]),
    // Display drivers.
    row(DISPLAY, &[4101..=4101], "driver-reset", Meaning::DisplayReset, &[]),
    row(DISPLAY, &[4107..=4115], "other", Meaning::DisplayDriver, &[]),
    Entry { ids: Any, ..row(DISPLAY_DRIVERS, &[], "driver-error", Meaning::DisplayDriver, &[]) },
    row(&[Named("NVIDIA OpenGL Driver")], &[1..=1], "driver-error", Meaning::OpenGlDriver, &[]),
    // Errors of the hardware. From 16 on an even id is an error and the odd one after it a corrected error.
    hardware(&[1..=1], "other", false),
    hardware(&[2..=3], "other", true),
    hardware(&[16..=16, 40..=40], "pcie", false),
    hardware(&[17..=17, 41..=41], "pcie", true),
    hardware(&[18..=18, 20..=20, 28..=28, 48..=48], "processor", false),
    hardware(&[19..=19, 21..=21, 29..=29, 49..=49], "processor", true),
    hardware(&[22..=22, 46..=46], "memory", false),
    hardware(&[23..=23, 47..=47], "memory", true),
    hardware(&[24..=24, 26..=26, 42..=42, 44..=44], "pci", false),
    hardware(&[25..=25, 27..=27, 43..=43, 45..=45], "pci", true),
    row(MEMORY_DIAGNOSTICS, &[1101..=1101, 1201..=1201], "memory-test", Meaning::MemoryTest { errors: false }, &[]),
    row(MEMORY_DIAGNOSTICS, &[1102..=1102, 1202..=1202], "memory-test", Meaning::MemoryTest { errors: true }, &[]),
    // Storage and file systems.
    row(
        &[Named("disk")],
        &[7..=7, 11..=11, 15..=15, 51..=52, 153..=154, 157..=157],
        "storage-error",
        Meaning::Storage,
        &[],
    ),
    // A warning that the write cache is off: nothing failed, but it belongs to the disk's history.
    row(&[Named("disk")], &[34..=34], "other", Meaning::Text, &[]),
    row(STORAGE_ADAPTERS, &[11..=11, 129..=129], "storage-error", Meaning::Storage, &[]),
    row(&[Named("cdrom")], &[11..=11, 51..=51], "storage-error", Meaning::Storage, &[]),
    // The positional form of 55 is that of Windows 7 and before.
    row(NTFS, &[55..=55], "file-system-error", Meaning::FileSystem, &["DeviceName", "DriveName"]),
    row(NTFS, &[98..=98], "file-system-error", Meaning::FileSystemState, &[]),
    row(NTFS, &[140..=140], "file-system-error", Meaning::FileSystem, &[]),
    // Resources, policies and services.
    row(
        &[Named("Microsoft-Windows-Resource-Exhaustion-Detector")],
        &[2004..=2004],
        "memory-exhausted",
        Meaning::MemoryExhausted,
        &[],
    ),
    // 3001 reports a driver that was loaded all the same, 3076 what a policy in audit mode would have refused.
    refused(&[3001..=3001], false, "signature"),
    refused(&[3002..=3002, 3004..=3004, 3033..=3033], true, "signature"),
    refused(&[3023..=3023], true, "revoked"),
    refused(&[3063..=3063, 3077..=3077, 3111..=3111], true, "policy"),
    refused(&[3076..=3076], false, "policy"),
    // What the policy asks of drivers, told at each start: nothing was refused, but it says which rules held.
    row(CODE_INTEGRITY, &[3085..=3085], "other", Meaning::Text, &[]),
    row(
        &[Named("Service Control Manager")],
        &[7031..=7031, 7034..=7034],
        "service-ended",
        Meaning::ServiceEnded,
        &["param1", "param2", "param3", "param4", "param5"],
    ),
];

/// The entry of the event that `provider` logs as `id`; `None` for an event that nobody wants.
#[must_use]
pub fn find(provider: &str, id: u32) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.has_id(id) && entry.is_logged_by(provider))
}

/// What kind of timeline entry `event` makes, a word of [`crate::facts::schema::TIMELINE_KINDS`]; `None` for an event
/// that the catalogue does not know.
#[must_use]
pub fn timeline_kind(event: &Event) -> Option<&'static str> {
    let entry = find(&event.provider, event.id)?;
    Some(match &event.body {
        EventBody::DisplayDriver { reset: true, .. } => "driver-reset",
        _ => entry.timeline,
    })
}

/// The event ids that are wanted of one provider: the rows that name it, as bits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedIds(u128);

impl WantedIds {
    /// Whether nothing is wanted of the provider.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every id is wanted.
    pub(super) fn is_all(self) -> bool {
        self.rows().any(|entry| matches!(entry.ids, Any))
    }

    /// Whether the event with this id is wanted.
    pub(super) fn has(self, id: u32) -> bool {
        self.rows().any(|entry| entry.has_id(id))
    }

    fn rows(self) -> impl Iterator<Item = &'static Entry> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let row = (left != 0).then(|| left.trailing_zeros())?;
            left &= left.wrapping_sub(1);
            CATALOGUE.get(row as usize)
        })
    }
}

// A row is a bit of `WantedIds`.
const _: () = assert!(CATALOGUE.len() <= 128);

/// What is wanted of the provider with this name.
pub(super) fn wanted_ids(provider: &str) -> WantedIds {
    let rows = CATALOGUE.iter().enumerate().filter(|(_, entry)| entry.is_logged_by(provider));
    WantedIds(rows.fold(0, |rows, (row, _)| rows | 1 << row))
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
        for provider in ["iaSto", "LSI", "ige", "nvlddmkm2", "ä"] {
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
    fn timeline_words_are_those_of_the_fact() {
        for entry in CATALOGUE {
            assert!(TIMELINE_KINDS.contains(&entry.timeline), "{entry:?}");
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
