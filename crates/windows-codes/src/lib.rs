//! What is known about codes, builds, drivers and places, apart from any artifact.
//!
//! What may change without a release (names of codes, releases of Windows, what to collect) stands in
//! `rules/data/*.yaml`; the build reads it and leaves its tables in the program, where [`Knowledge::builtin`] finds
//! them. What never changes is functions: [`location()`] of a path, and the numbering of drivers by [`nvidia`] and by the
//! other makers of [`graphics`].

pub mod code_names;
pub mod codes;
mod compatibility;
pub mod graphics;
mod location;
pub mod machine_check;
pub mod nvidia;
mod stop;

pub use compatibility::{Release, ReleaseSpan, RuntimeMinimum, TensorFlowBuild};
pub use location::is_conda_folder;
pub use location::{location, places};
pub use stop::{Explained, Holds, Stop, StopParameter};

use std::borrow::Cow;

use evidence::{BugcheckCode, ExceptionCode, FastFailCode, NtStatus};

/// A code's name and, in one line, what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    /// The name, as the system's headers or people write it.
    pub name: &'static str,
    /// What the code says by itself, without full stop; absent for rare codes.
    pub means: Option<&'static str>,
    /// For stop codes: whether only live kernel reports carry it, which the system survives.
    pub live: bool,
    /// Whether damaged memory or a processor's wrong result can lead to it, where the table says so.
    damage: Option<bool>,
}

/// What to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    text: &'static str,
    /// The text in which a name stands for `{program}` or `{dump}`.
    filled: Option<&'static str>,
}

// The tables as `build.rs` writes them: each is sorted by its key.
include!(concat!(env!("OUT_DIR"), "/builtin_tables.rs"));

/// The value under a key of a sorted table.
fn look_up<'t, K: Ord, V>(table: &'t [(K, V)], key: &K) -> Option<&'t V> {
    let index = table.binary_search_by(|(other, _)| other.cmp(key)).ok()?;
    table.get(index).map(|(_, value)| value)
}

/// The name of a system error: `ERROR_SERVICE_REQUEST_TIMEOUT` of 1053.
#[must_use]
pub fn win_error_name(number: u32) -> Option<&'static str> {
    codes::row(&codes::tables().win_errors, number).map(|row| row.name)
}

/// Whether a text that only calls a number an error ("error 126") means the system error.
#[must_use]
pub fn is_bare_win_error(number: u32) -> bool {
    look_up(WIN_ERRORS, &number).is_some_and(|(bare, _)| *bare)
}

/// The status that says the same as a system error, where `rules/data/win-errors.yaml` names one: 0xC0000135 of 126.
#[must_use]
pub fn status_of_win_error(number: u32) -> Option<NtStatus> {
    look_up(WIN_ERRORS, &number)?.1.map(NtStatus)
}

/// The tables of the program.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge {
    exceptions: &'static [(u32, Meaning)],
    fast_fails: &'static [(u32, Meaning)],
    bugchecks: &'static [(u32, Meaning)],
    releases: &'static [(u32, (&'static str, &'static str))],
    collect: &'static [(&'static str, Request)],
    cuda_names: &'static [(&'static str, ReleaseSpan)],
    cuda_drivers: &'static [(Release, Release)],
    tensorflow_builds: &'static [(Release, TensorFlowBuild)],
    mention_cues: &'static [(&'static str, &'static [&'static str])],
    text_words: &'static [(&'static str, &'static [&'static str])],
    collected_folders: &'static [(&'static str, (bool, &'static str))],
    msvcp140_minimums: &'static [(&'static str, RuntimeMinimum)],
    stated_versions: &'static [(&'static str, &'static str)],
}

impl Knowledge {
    /// The tables inside the program. The build was refused if one had a mistake in it.
    #[must_use]
    pub fn builtin() -> Self {
        Self {
            exceptions: EXCEPTIONS,
            fast_fails: FAST_FAILS,
            bugchecks: BUGCHECKS,
            releases: RELEASES,
            collect: COLLECT,
            cuda_names: CUDA_NAMES,
            cuda_drivers: CUDA_DRIVERS,
            tensorflow_builds: TENSORFLOW_BUILDS,
            mention_cues: MENTION_CUES,
            text_words: TEXT_WORDS,
            collected_folders: COLLECTED_FOLDERS,
            msvcp140_minimums: MSVCP140_MINIMUMS,
            stated_versions: STATED_VERSIONS,
        }
    }

    /// Words of `rules/data/mentions.yaml`, by what they do to a sentence: `advice`, `denial` and others.
    #[must_use]
    pub fn mention_cues(&self, of: &str) -> &'static [&'static str] {
        look_up(self.mention_cues, &of).copied().unwrap_or_default()
    }

    /// Words of `rules/data/text-words.yaml`, by what they are for: `event`, `clause` and others.
    #[must_use]
    pub fn text_words(&self, of: &str) -> &'static [&'static str] {
        look_up(self.text_words, &of).copied().unwrap_or_default()
    }

    /// Whether the folders of this path are those that a copy of one computer's files has, by
    /// `rules/data/collected-folders.yaml`.
    #[must_use]
    pub fn is_part_of_copy(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let mut folders = path.split(['/', '\\']).filter(|folder| !folder.is_empty());
        while let Some(folder) = folders.next() {
            let known = self
                .collected_folders
                .iter()
                .find(|(name, (is_start, _))| if *is_start { folder.starts_with(name) } else { folder == *name });
            match known {
                None => return false,
                Some((_, (_, "all"))) => return true,
                Some((_, (_, "one"))) => drop(folders.next()),
                Some(_) => {}
            }
        }
        true
    }

    /// What an exception or exit code is.
    #[must_use]
    pub fn exception(&self, code: ExceptionCode) -> Option<&Meaning> {
        look_up(self.exceptions, &code.0)
    }

    /// All exception and exit codes that have a meaning, sorted.
    pub fn exceptions(&self) -> impl Iterator<Item = (ExceptionCode, &Meaning)> {
        self.exceptions.iter().map(|(code, meaning)| (ExceptionCode(*code), meaning))
    }

    /// All fast-fail codes, sorted.
    pub fn fast_fails(&self) -> impl Iterator<Item = (FastFailCode, &Meaning)> {
        self.fast_fails.iter().map(|(code, meaning)| (FastFailCode(*code), meaning))
    }

    /// All stop codes, sorted.
    pub fn bugchecks(&self) -> impl Iterator<Item = (BugcheckCode, &Meaning)> {
        self.bugchecks.iter().map(|(code, meaning)| (BugcheckCode(*code), meaning))
    }

    /// The name of an exception or exit code: `STATUS_ACCESS_VIOLATION`.
    #[must_use]
    pub fn exception_name(&self, code: ExceptionCode) -> Option<&str> {
        self.exception(code).map(|meaning| meaning.name)
    }

    /// The name of a status that is not itself the exception.
    #[must_use]
    pub fn status_name(&self, status: NtStatus) -> Option<&str> {
        let of_row = || codes::row(&codes::tables().statuses, status.0).map(|row| row.name);
        self.exception_name(ExceptionCode(status.0)).or_else(of_row)
    }

    /// What a fast-fail code is.
    #[must_use]
    pub fn fast_fail(&self, code: FastFailCode) -> Option<&Meaning> {
        look_up(self.fast_fails, &code.0)
    }

    /// The name of a fast-fail code: `FAST_FAIL_FATAL_APP_EXIT`.
    #[must_use]
    pub fn fast_fail_name(&self, code: FastFailCode) -> Option<&str> {
        self.fast_fail(code).map(|meaning| meaning.name)
    }

    /// The fast-fail code of a name, with or without `FAST_FAIL_`.
    #[must_use]
    pub fn fast_fail_named(&self, name: &str) -> Option<FastFailCode> {
        let is_named = |meaning: &Meaning| {
            meaning.name == name || meaning.name.strip_prefix("FAST_FAIL_").is_some_and(|known| known == name)
        };
        self.fast_fails.iter().find(|(_, meaning)| is_named(meaning)).map(|(code, _)| FastFailCode(*code))
    }

    /// What a stop code is. The flag of small dumps (`0x1000_007E`) makes no difference.
    #[must_use]
    pub fn bugcheck(&self, code: BugcheckCode) -> Option<&Meaning> {
        // Statuses are stop codes too, and their upper bits are no flags.
        look_up(self.bugchecks, &code.0).or_else(|| look_up(self.bugchecks, &code.plain()))
    }

    /// The name of a stop code: `VIDEO_TDR_FAILURE`.
    #[must_use]
    pub fn bugcheck_name(&self, code: BugcheckCode) -> Option<&str> {
        self.bugcheck(code).map(|meaning| meaning.name)
    }

    /// Whether damaged memory, or a wrong result of the processor, can lead to an exception: only those of which it is
    /// known.
    #[must_use]
    pub fn may_be_damage(&self, code: ExceptionCode) -> bool {
        self.exception(code).is_some_and(|meaning| meaning.damage == Some(true))
    }

    /// Whether it can lead to a stop: to all but those that say what else they are.
    #[must_use]
    pub fn may_be_damage_of_stop(&self, code: BugcheckCode) -> bool {
        self.bugcheck(code).is_none_or(|meaning| meaning.damage != Some(false))
    }

    /// Whether only live kernel reports carry the code: the system went on.
    #[must_use]
    pub fn is_live_report(&self, code: BugcheckCode) -> bool {
        self.bugcheck(code).is_some_and(|meaning| meaning.live)
    }

    /// The release of Windows that has this build number: `Windows 10 22H2`. Server releases share numbers with
    /// clients.
    #[must_use]
    pub fn windows_release(&self, build: u32) -> Option<&str> {
        look_up(self.releases, &build).map(|(release, _)| *release)
    }

    /// The build number of a release of Windows by its name: `Windows 10 22H2`. A release of servers may share it.
    #[must_use]
    pub fn build_of_windows(&self, name: &str) -> Option<u32> {
        let named = |release: &str| release.split(" or ").next() == Some(name);
        self.releases.iter().find(|(_, (release, _))| named(release)).map(|(build, _)| *build)
    }

    /// The releases of Windows whose kernel has this build number: `Windows 10 2004 to 22H2`. Releases that only switch
    /// on what others brought along share a kernel.
    #[must_use]
    pub fn windows_of_kernel(&self, build: u32) -> Option<&str> {
        look_up(self.releases, &build).map(|(_, kernel)| *kernel)
    }

    /// The build number that the kernel of a build of Windows has: that of the release of which it only switches something
    /// on, else its own. `None` for a build of no release.
    #[must_use]
    pub fn kernel_build(&self, build: u32) -> Option<u32> {
        /// Such a release has a number close above its kernel's: 19045 above 19041, 26200 above 26100. Other kernels have
        /// numbers far above.
        const CLOSE: u32 = 100;
        look_up(self.releases, &build)?;
        let shared = self.releases.iter().rev().find(|(kernel, (release, of_kernel))| {
            release != of_kernel && build.checked_sub(*kernel).is_some_and(|above| above <= CLOSE)
        });
        Some(shared.map_or(build, |(kernel, _)| *kernel))
    }

    /// What to collect when something is missing: a sentence for the user, with the exact command where there is one.
    #[must_use]
    pub fn collect(&self, id: &str) -> Option<&'static str> {
        look_up(self.collect, &id).map(|request| request.text)
    }

    /// The same for a program or a dump whose name is filled in. Artifacts tell the name, and the text may hold commands
    /// that are copied to a console: where the name has a character that could mean something there, it is left out.
    #[must_use]
    pub fn collect_for(&self, id: &str, name: Option<&str>) -> Option<Cow<'static, str>> {
        let request = look_up(self.collect, &id)?;
        match (request.filled, name.filter(|name| is_plain(name))) {
            (Some(filled), Some(name)) => Some(Cow::Owned(filled.replace("{program}", name).replace("{dump}", name))),
            _ => Some(Cow::Borrowed(request.text)),
        }
    }

    /// The ids that [`collect`](Self::collect) knows, sorted.
    pub fn collect_ids(&self) -> impl Iterator<Item = &str> {
        self.collect.iter().map(|(id, _)| *id)
    }
}

/// Whether a file's name or path can stand in a command as it is: letters, digits and what names commonly have else, and
/// no more than a path can be long (260 characters, `MAX_PATH`).
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " ._-+()\\:".contains(c);
    !name.trim().is_empty() && name.trim() == name && name.chars().count() < 260 && name.chars().all(plain)
}

#[cfg(test)]
mod tests;
