//! The events that are read: one row for each, by provider and event id.
//!
//! The rows stand in `table`. Adding an event of which a sentence says all is adding a row. One with values that are
//! compared or joined needs a `Meaning` and the function that reads it.
//!
//! Sources of names, ids and the order of fields: the event manifests that Windows ships (Windows 7 to 11), the
//! message tables of classic providers, and Microsoft's documentation of the single events. Where a manifest names
//! the fields, those names also serve for the older, positional form of the same event; positions for which Windows
//! has no name are called `data0`, `data1`...

mod providers;
mod quiet;
mod spelling;
mod table;

use std::sync::{Arc, LazyLock};

use evtx_scan::Ids;
#[cfg(test)]
use evtx_scan::Ids::{Any, These};
#[cfg(test)]
use evtx_scan::Provider::{Family, Named};
use evtx_scan::{Catalogue, Provider, Row};

pub(super) use self::quiet::DEFINITIONS;
pub use self::spelling::{provider_called, provider_names};
use self::table::CATALOGUE;
use evidence::{Event, EventBody};

/// One kind of event.
#[derive(Debug)]
pub struct Entry {
    /// Who logs it. Compared without regard to case.
    providers: &'static [Provider<'static>],
    /// Its ids.
    ids: Ids<'static>,
    /// Names of positional fields, in order; an empty name stands for none.
    pub(super) layout: &'static [&'static str],
    /// What its fields mean.
    pub(super) meaning: Meaning,
    /// What kind of entry it makes in a machine's timeline, one of `facts::schema::TIMELINE_KINDS`.
    timeline: &'static str,
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

/// The events that are read, as the scan of a log asks for them.
static WANTED: LazyLock<Arc<Catalogue>> = LazyLock::new(|| Arc::new(Catalogue::new(CATALOGUE.iter().map(Entry::row))));

/// The events that are read, for an [`evtx_scan::Selection`].
#[must_use]
pub fn wanted() -> Arc<Catalogue> {
    Arc::clone(&WANTED)
}

/// The entry of the event that `provider` logs as `id`; `None` for an event that nobody wants.
#[must_use]
pub fn find(provider: &str, id: u32) -> Option<&'static Entry> {
    CATALOGUE.get(WANTED.find(provider, id)?)
}

/// Whether the event that `provider` logs as `id` is written when a program crashed.
#[must_use]
pub fn is_of_a_crash(provider: &str, id: u32) -> bool {
    find(provider, id).is_some_and(|entry| {
        matches!(entry.meaning, Meaning::ApplicationError | Meaning::DotNet) && entry.timeline == "crash"
    })
}

/// What kind of timeline entry `event` makes, a word of `facts::schema::TIMELINE_KINDS`; `None` for an event
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

impl Entry {
    /// What the scan has to know of it.
    fn row(&self) -> Row<'static> {
        Row { providers: self.providers, ids: self.ids, quiet: self.quiet() }
    }

    fn is_logged_by(&self, provider: &str) -> bool {
        self.providers.iter().any(|known| known.has(provider))
    }
}

#[cfg(test)]
mod tests;
