//! The tables of codes that only `explain` looks up, as the build leaves them: one encoded block, so that no other run
//! pays for thousands of names.

use serde::{Deserialize, Serialize};

/// All of these tables, each sorted by its code.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CodeTables<'a> {
    /// Statuses beyond those that have a meaning, by name only.
    #[serde(borrow)]
    pub statuses: Vec<CodeRow<'a>>,
    /// System error codes.
    #[serde(borrow)]
    pub win_errors: Vec<CodeRow<'a>>,
    /// HRESULTs that are more than a wrapped system error or status.
    #[serde(borrow)]
    pub hresults: Vec<CodeRow<'a>>,
    /// Exit codes by convention.
    #[serde(borrow)]
    pub exit_codes: Vec<CodeRow<'a>>,
    /// Errors of the CUDA runtime.
    #[serde(borrow)]
    pub cuda_errors: Vec<CodeRow<'a>>,
    /// What the CUDA driver calls them.
    #[serde(borrow)]
    pub cuda_driver_errors: Vec<CodeRow<'a>>,
    /// Statuses of cuBLAS.
    #[serde(borrow)]
    pub cublas_statuses: Vec<CodeRow<'a>>,
    /// Statuses of cuDNN.
    #[serde(borrow)]
    pub cudnn_statuses: Vec<CodeRow<'a>>,
    /// Problem codes of devices.
    #[serde(borrow)]
    pub device_problems: Vec<CodeRow<'a>>,
    /// Errors of the C runtime.
    #[serde(borrow)]
    pub errnos: Vec<CodeRow<'a>>,
    /// Xid errors of NVIDIA's driver.
    #[serde(borrow)]
    pub xids: Vec<CodeRow<'a>>,
    /// Events, in the order of their file.
    #[serde(borrow)]
    pub events: Vec<EventRow<'a>>,
    /// Whom the facilities of statuses belong to.
    #[serde(borrow)]
    pub status_facilities: Vec<CodeRow<'a>>,
    /// Whom the facilities of HRESULTs belong to.
    #[serde(borrow)]
    pub hresult_facilities: Vec<CodeRow<'a>>,
    /// What is to be said of codes beyond name and meaning.
    #[serde(borrow)]
    pub notes: Vec<NoteRow<'a>>,
}

/// A code with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeRow<'a> {
    /// The code.
    pub code: u32,
    /// Its name.
    pub name: &'a str,
    /// What it says by itself, without full stop; absent for rare codes.
    pub means: Option<&'a str>,
}

/// What is to be said of an event.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow<'a> {
    /// Its id.
    pub id: u32,
    /// Its source.
    pub provider: &'a str,
    /// How people name the source, in lower case.
    #[serde(borrow)]
    pub called: Vec<&'a str>,
    /// What it records.
    pub says: &'a str,
    /// What is certain when it is there.
    #[serde(borrow)]
    pub proves: Vec<&'a str>,
    /// What it does not prove.
    #[serde(borrow)]
    pub not: Vec<&'a str>,
    /// Where more stands.
    #[serde(borrow)]
    pub look: Vec<&'a str>,
    /// What to collect, by its id.
    #[serde(borrow)]
    pub collect: Vec<&'a str>,
    /// Where that is from.
    #[serde(borrow)]
    pub sources: Vec<&'a str>,
}

/// What is to be said of some codes of a kind; with no codes, of every code of the kind that has no row.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteRow<'a> {
    /// The kind, by its word in the file.
    pub of: &'a str,
    /// The codes that are meant.
    pub codes: Vec<u32>,
    /// What they don't mean.
    #[serde(borrow)]
    pub not: Vec<&'a str>,
    /// Where more stands.
    #[serde(borrow)]
    pub look: Vec<&'a str>,
    /// Whether their sub-codes are fast-fail codes.
    pub fast_fails: bool,
    /// What to collect, by its id.
    #[serde(borrow)]
    pub collect: Vec<&'a str>,
    /// Where that is from.
    #[serde(borrow)]
    pub sources: Vec<&'a str>,
}
