//! The codes with which Windows reports why a program or the whole system ended: their names and meanings.
//!
//! Windows and what runs on it number their errors in several ways that share one space of 32 bits:
//!
//! - An *NTSTATUS* is the code of an exception, and with it a process ends: `0xC0000005` is an access violation. Its upper
//!   bits are severity, owner and facility.
//! - A *bugcheck* or stop code is the code of a blue screen, with four parameters that narrow its meaning: `0x116`.
//! - A *system error* (Win32 error) is the result of `GetLastError`, in decimal: 126.
//! - An *HRESULT* is the result of calls of COM, DirectX and .NET: `0x80070005`. It can wrap a system error or a status.
//! - A *fast-fail code* is the reason with which a program shut itself down, below status `0xC0000409`.
//! - Exit codes by convention, errors of the C runtime, of CUDA and its libraries, of NVIDIA's driver (Xid), and problem
//!   codes of devices are small numbers, and so are the ids of events.
//!
//! The same number is written in many ways: IDEs print status `0xC0000409` as -1073740791, others as 3221226505. And one
//! number can be several codes. [`explain`] takes a number in any spelling, a name, or a line with codes in it, and gives
//! the readings of each code, the likeliest first, each with the reason:
//!
//! ```
//! use windows_codes::{Kind, explain};
//!
//! let explained = explain("exit code -1073740791")?;
//! let likeliest = &explained[0].readings[0];
//! assert_eq!((likeliest.kind, likeliest.code.as_str()), (Kind::Exception, "0xC0000409"));
//! assert_eq!(likeliest.name.as_deref(), Some("STATUS_STACK_BUFFER_OVERRUN"));
//! # Ok::<(), windows_codes::NoCode>(())
//! ```
//!
//! [`Knowledge`] looks up single codes by their kind, and [`code_of`] a code by its name. The tables are data
//! (`rules/data/*.yaml` of the package `builtin-rules`) that the build encodes; each is decoded when it is first used. Rules
//! that never change are functions: the bits of a code ([`Structure`]) and of a machine check ([`McaStatus`]), the kind of
//! folder that a path is in ([`location()`]), and the numbering of display drivers ([`nvidia_release_of_file`], [`intel_release`]).

mod code_names;
mod codes;
mod compatibility;
mod explain;
mod graphics;
mod location;
mod machine_check;
mod nvidia;
mod stop;

pub use code_names::{aliases, code_of, names_of};
pub use codes::events;
pub use compatibility::{Release, ReleaseSpan, RuntimeMinimum, TensorFlowBuild};
pub use explain::{
    Explained, Facility, Kind, Layout, NoCode, Reading, Spellings, Structure, SubCode, explain, explain_with, texts_of,
};
pub use graphics::{amd_driver, intel_driver, intel_release};
pub use location::{
    LOCATIONS, PLACES, build_of_windows_file, is_conda_folder, location, places, product_folder_name,
    same_product_folder,
};
pub use machine_check::{McaClass, McaStatus};
pub use nvidia::{nvidia_driver, nvidia_release_of_file};
pub use stop::{ExplainedParameter, Holds, Stop, StopParameter};

use std::borrow::Cow;

use evidence::{BugcheckCode, ExceptionCode, FastFailCode, NtStatus};
pub use knowledge_tables::codes::{Event, Meaning, Note};
pub use knowledge_tables::table::REQUEST_PLACES;
use knowledge_tables::table::{Below, Build, CollectedFolder, OF_HOST, OF_PROGRAM, Request};
use knowledge_tables::{Sorted, embedded};

use codes::{BUGCHECKS, EXCEPTIONS, FAST_FAILS, HRESULTS, STATUSES, WIN_ERRORS};

embedded! {
    BUILDS: Sorted<u32, Build> = "windows-builds";
    COLLECT: Sorted<&str, Request> = "collect";
    COLLECTED_FOLDERS: Sorted<&str, CollectedFolder> = "collected-folders";
    SERVICES: Sorted<&str, &str> = "services";
    TEXT_WORDS: Sorted<&str, Vec<&str>> = "text-words";
}

/// Name and meaning of a system error: `ERROR_SERVICE_REQUEST_TIMEOUT` of 1053.
#[must_use]
pub fn win_error(number: u32) -> Option<&'static Meaning> {
    WIN_ERRORS.get(&number)
}

/// The tables inside the program. Each is decoded when it is first used.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge;

impl Knowledge {
    /// The tables inside the program. A mistake in one of them fails the build.
    #[must_use]
    pub fn builtin() -> Self {
        Self
    }

    /// Words of `rules/data/text-words.yaml` by their purpose: `event`, `clause` and others.
    #[must_use]
    pub fn text_words(&self, of: &str) -> &'static [&'static str] {
        TEXT_WORDS.get(of).map(Vec::as_slice).unwrap_or_default()
    }

    /// The file name of the program that a service runs in, by `rules/data/services.yaml`.
    #[must_use]
    pub fn program_of_service(&self, service: &str) -> Option<&'static str> {
        SERVICES.get(service.to_lowercase().as_str()).copied()
    }

    /// Whether all folders of this path are folders in which files of one computer are collected, by
    /// `rules/data/collected-folders.yaml`.
    #[must_use]
    pub fn is_part_of_copy(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let mut folders = path.split(['/', '\\']).filter(|folder| !folder.is_empty());
        while let Some(folder) = folders.next() {
            let known = COLLECTED_FOLDERS
                .iter()
                .find(|(name, known)| if known.is_beginning { folder.starts_with(name) } else { folder == *name });
            match known.map(|(_, known)| known.below) {
                None => return false,
                Some(Below::All) => return true,
                Some(Below::One) => drop(folders.next()),
                Some(Below::Nothing) => {}
            }
        }
        true
    }

    /// Name and meaning of an exception or exit code.
    #[must_use]
    pub fn exception(&self, code: ExceptionCode) -> Option<&'static Meaning> {
        EXCEPTIONS.get(&code.0)
    }

    /// All exception and exit codes that have a meaning, sorted.
    pub fn exceptions(&self) -> impl Iterator<Item = (ExceptionCode, &'static Meaning)> {
        EXCEPTIONS.iter().map(|(code, meaning)| (ExceptionCode(*code), meaning))
    }

    /// All fast-fail codes, sorted.
    pub fn fast_fails(&self) -> impl Iterator<Item = (FastFailCode, &'static Meaning)> {
        FAST_FAILS.iter().map(|(code, meaning)| (FastFailCode(*code), meaning))
    }

    /// All stop codes, sorted.
    pub fn bugchecks(&self) -> impl Iterator<Item = (BugcheckCode, &'static Meaning)> {
        BUGCHECKS.iter().map(|(code, meaning)| (BugcheckCode(*code), meaning))
    }

    /// The name of an exception or exit code: `STATUS_ACCESS_VIOLATION`.
    #[must_use]
    pub fn exception_name(&self, code: ExceptionCode) -> Option<&'static str> {
        self.exception(code).map(|meaning| meaning.name)
    }

    /// The name of an HRESULT, with which some runtimes end a process: `E_NOINTERFACE`.
    #[must_use]
    pub fn hresult_name(&self, code: u32) -> Option<&'static str> {
        HRESULTS.get(&code).map(|meaning| meaning.name)
    }

    /// The name of a status that is not itself the exception.
    #[must_use]
    pub fn status_name(&self, status: NtStatus) -> Option<&'static str> {
        let of_row = || STATUSES.get(&status.0).map(|row| row.name);
        self.exception_name(ExceptionCode(status.0)).or_else(of_row)
    }

    /// Name and meaning of a fast-fail code.
    #[must_use]
    pub fn fast_fail(&self, code: FastFailCode) -> Option<&'static Meaning> {
        FAST_FAILS.get(&code.0)
    }

    /// The name of a fast-fail code: `FAST_FAIL_FATAL_APP_EXIT`.
    #[must_use]
    pub fn fast_fail_name(&self, code: FastFailCode) -> Option<&'static str> {
        self.fast_fail(code).map(|meaning| meaning.name)
    }

    /// The fast-fail code of a name, with or without `FAST_FAIL_`.
    #[must_use]
    pub fn fast_fail_named(&self, name: &str) -> Option<FastFailCode> {
        let is_named = |meaning: &Meaning| {
            meaning.name == name || meaning.name.strip_prefix("FAST_FAIL_").is_some_and(|known| known == name)
        };
        FAST_FAILS.iter().find(|(_, meaning)| is_named(meaning)).map(|(code, _)| FastFailCode(*code))
    }

    /// Name and meaning of a stop code, with or without the flag of small dumps (`0x1000_007E`).
    #[must_use]
    pub fn bugcheck(&self, code: BugcheckCode) -> Option<&'static Meaning> {
        // Statuses are stop codes too, and their upper bits are no flags.
        BUGCHECKS.get(&code.0).or_else(|| BUGCHECKS.get(&code.plain()))
    }

    /// The name of a stop code: `VIDEO_TDR_FAILURE`.
    #[must_use]
    pub fn bugcheck_name(&self, code: BugcheckCode) -> Option<&'static str> {
        self.bugcheck(code).map(|meaning| meaning.name)
    }

    /// Whether damaged memory, or a wrong result of the processor, can lead to an exception: only where the table
    /// contains it.
    #[must_use]
    pub fn may_be_damage(&self, code: ExceptionCode) -> bool {
        self.exception(code).is_some_and(|meaning| meaning.damage == Some(true))
    }

    /// Whether damaged memory, or a wrong result of the processor, can lead to a stop: except where the table says that it
    /// can't.
    #[must_use]
    pub fn may_be_damage_of_stop(&self, code: BugcheckCode) -> bool {
        self.bugcheck(code).is_none_or(|meaning| meaning.damage != Some(false))
    }

    /// Whether the code is only of kernel error reports without a restart, and not of blue screens.
    #[must_use]
    pub fn is_live_report(&self, code: BugcheckCode) -> bool {
        self.bugcheck(code).is_some_and(|meaning| meaning.live)
    }

    /// The release of Windows that has this build number: `Windows 10 22H2`. Server releases share numbers with
    /// clients.
    #[must_use]
    pub fn windows_release(&self, build: u32) -> Option<&'static str> {
        BUILDS.get(&build).map(|build| build.release)
    }

    /// The build number of a release of Windows by its name: `Windows 10 22H2`. A release of servers may share it.
    #[must_use]
    pub fn build_of_windows(&self, name: &str) -> Option<u32> {
        let named = |release: &str| release.split(" or ").next() == Some(name);
        BUILDS.iter().find(|(_, known)| named(known.release)).map(|(build, _)| *build)
    }

    /// The releases of Windows whose kernel has this build number: `Windows 10 2004 to 22H2`. A release that only enables
    /// features of an earlier one shares its kernel.
    #[must_use]
    pub fn windows_of_kernel(&self, build: u32) -> Option<&'static str> {
        BUILDS.get(&build).map(|build| build.kernel)
    }

    /// The build number of the kernel of a Windows build: of the release of which the build only enables features, else the
    /// same number. `None` for a build of no release.
    #[must_use]
    pub fn kernel_build(&self, build: u32) -> Option<u32> {
        /// The greatest difference between a release's number and that of the kernel that it shares: 19045 above 19041,
        /// 26200 above 26100. The next kernel has a number far above.
        const CLOSE: u32 = 100;
        BUILDS.get(&build)?;
        let shared = BUILDS.iter().rev().find(|(kernel, known)| {
            known.release != known.kernel && build.checked_sub(*kernel).is_some_and(|above| above <= CLOSE)
        });
        Some(shared.map_or(build, |(kernel, _)| *kernel))
    }

    /// What to collect when something is missing: a sentence for the user, with the exact command where there is one.
    #[must_use]
    pub fn collect(&self, id: &str) -> Option<&'static str> {
        COLLECT.get(id).map(|request| request.text)
    }

    /// [`collect`](Self::collect) with `known` filled in: pairs of a place (one of [`REQUEST_PLACES`]) and what belongs there. Names come
    /// from evidence, and the text can have commands that people copy to a console: where a name has a character with a meaning
    /// there, or something is not known, the text is that for any incident.
    #[must_use]
    pub fn collect_for(&self, id: &str, known: &[(&str, &str)]) -> Option<Cow<'static, str>> {
        let request = COLLECT.get(id)?;
        let Some(filled) = request.filled else { return Some(Cow::Borrowed(request.text)) };
        let mut text = Cow::Borrowed(filled);
        for place in REQUEST_PLACES.into_iter().filter(|place| filled.contains(*place)) {
            match known.iter().find(|(known, value)| **known == *place && is_plain(value)) {
                Some((_, value)) => text = Cow::Owned(text.replace(place, value)),
                None => return Some(Cow::Borrowed(request.text)),
            }
        }
        Some(text)
    }

    /// A phrase for what [`collect`](Self::collect) asks for: `System log of PC-3, PC-17`. `programs` and `hosts` are the names
    /// of the programs and computers concerned; two of them are in it, further ones are counted.
    #[must_use]
    pub fn collect_phrase(&self, id: &str, programs: &[&str], hosts: &[&str]) -> Option<String> {
        let short = COLLECT.get(id)?.short;
        let names = |names: &[&str]| match names {
            [] => String::new(),
            names => {
                let shown = names.iter().take(NAMES_OF_PHRASE).copied().collect::<Vec<_>>().join(", ");
                match names.len().saturating_sub(NAMES_OF_PHRASE) {
                    0 => format!(" of {shown}"),
                    more => format!(" of {shown} and {more} more"),
                }
            }
        };
        Some(short.replace(OF_PROGRAM, &names(programs)).replace(OF_HOST, &names(hosts)))
    }

    /// The ids that [`collect`](Self::collect) knows, sorted.
    pub fn collect_ids(&self) -> impl Iterator<Item = &'static str> {
        COLLECT.iter().map(|(id, _)| *id)
    }
}

/// How many names the phrase of a request has; further ones are counted.
const NAMES_OF_PHRASE: usize = 2;

/// Whether a file's name or path can be part of a command as it is: only letters, digits and common signs of file names, and
/// shorter than the longest path (260 characters, `MAX_PATH`).
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " ._-+()\\:".contains(c);
    !name.trim().is_empty() && name.trim() == name && name.chars().count() < 260 && name.chars().all(plain)
}

#[cfg(test)]
mod tests;
