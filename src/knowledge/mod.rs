//! What is known about codes, builds, drivers and places, apart from any artifact.
//!
//! What may change without a release (names of codes, releases of Windows, what to collect) stands in
//! `rules/data/*.yaml` and is part of the program; [`Knowledge::builtin`] reads it. Two rules that never change are
//! functions: [`location()`] of a path and [`nvidia`]'s numbering of drivers.

mod location;
pub mod nvidia;
mod table;

use std::fmt;

pub use location::location;
use table::{Table, codes, releases, texts};

use crate::evidence::{BugcheckCode, ExceptionCode, FastFailCode, NtStatus};
use crate::yaml::Diagnostic;

/// A code's name and, in one line, what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The name, as the system's headers or people write it.
    pub name: String,
    /// What the code says by itself, without full stop; absent for rare codes.
    pub means: Option<String>,
    /// For stop codes: whether only live kernel reports carry it, which the system survives.
    pub live: bool,
}

/// The tables of the program.
#[derive(Debug, Clone)]
pub struct Knowledge {
    exceptions: Table<u32, Meaning>,
    fast_fails: Table<u32, Meaning>,
    bugchecks: Table<u32, Meaning>,
    releases: Table<u32, String>,
    collect: Table<String, String>,
}

/// The tables inside the program have mistakes: a defect of the program, never of its user.
#[derive(Debug)]
pub struct BrokenTables {
    /// All mistakes, in the order of the files.
    pub mistakes: Vec<Diagnostic>,
}

impl fmt::Display for BrokenTables {
    /// One mistake a line, each with its file and line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tables inside the program have mistakes")?;
        self.mistakes
            .iter()
            .try_for_each(|mistake| write!(f, "\n{}:{}: {}", mistake.file.name, mistake.span.line, mistake.message))
    }
}

impl std::error::Error for BrokenTables {}

/// A built-in file: its path in the rule set, and its text.
macro_rules! data_file {
    ($name:literal) => {
        (concat!("builtin/data/", $name), include_str!(concat!("../../rules/data/", $name)))
    };
}

impl Knowledge {
    /// The tables inside the program.
    ///
    /// # Errors
    ///
    /// Every mistake in the files; a release is built of files without any.
    pub fn builtin() -> Result<Self, BrokenTables> {
        let mut mistakes = Vec::new();
        let exceptions = codes(data_file!("exception-codes.yaml"), "", &mut mistakes);
        let fast_fails = codes(data_file!("fast-fail.yaml"), "FAST_FAIL_", &mut mistakes);
        let bugchecks = codes(data_file!("bugchecks.yaml"), "", &mut mistakes);
        let releases = releases(data_file!("windows-builds.yaml"), &mut mistakes);
        let collect = texts(data_file!("collect.yaml"), &mut mistakes);
        if mistakes.is_empty() {
            Ok(Self { exceptions, fast_fails, bugchecks, releases, collect })
        } else {
            Err(BrokenTables { mistakes })
        }
    }

    /// What an exception or exit code is.
    #[must_use]
    pub fn exception(&self, code: ExceptionCode) -> Option<&Meaning> {
        self.exceptions.get(&code.0)
    }

    /// The name of an exception or exit code: `STATUS_ACCESS_VIOLATION`.
    #[must_use]
    pub fn exception_name(&self, code: ExceptionCode) -> Option<&str> {
        self.exception(code).map(|meaning| meaning.name.as_str())
    }

    /// The name of a status that is not itself the exception.
    #[must_use]
    pub fn status_name(&self, status: NtStatus) -> Option<&str> {
        self.exception_name(ExceptionCode(status.0))
    }

    /// What a fast-fail code is.
    #[must_use]
    pub fn fast_fail(&self, code: FastFailCode) -> Option<&Meaning> {
        self.fast_fails.get(&code.0)
    }

    /// The name of a fast-fail code: `FAST_FAIL_FATAL_APP_EXIT`.
    #[must_use]
    pub fn fast_fail_name(&self, code: FastFailCode) -> Option<&str> {
        self.fast_fail(code).map(|meaning| meaning.name.as_str())
    }

    /// What a stop code is. The flag of small dumps (`0x1000_007E`) makes no difference.
    #[must_use]
    pub fn bugcheck(&self, code: BugcheckCode) -> Option<&Meaning> {
        // Statuses are stop codes too, and their upper bits are no flags.
        self.bugchecks.get(&code.0).or_else(|| self.bugchecks.get(&code.plain()))
    }

    /// The name of a stop code: `VIDEO_TDR_FAILURE`.
    #[must_use]
    pub fn bugcheck_name(&self, code: BugcheckCode) -> Option<&str> {
        self.bugcheck(code).map(|meaning| meaning.name.as_str())
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
        self.releases.get(&build).map(String::as_str)
    }

    /// What to collect when something is missing: a sentence for the user, with the exact command where there is one.
    #[must_use]
    pub fn collect(&self, id: &str) -> Option<&str> {
        self.collect.get(id).map(String::as_str)
    }

    /// The ids that [`collect`](Self::collect) knows, sorted.
    pub fn collect_ids(&self) -> impl Iterator<Item = &str> {
        self.collect.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests;
