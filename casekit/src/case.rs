//! Reading labelled reports.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

/// A crash report with its final cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its folder's name.
    pub name: String,
    /// The text of the ticket.
    pub ticket: PathBuf,
    /// The cause; `undetermined` where it was never found.
    pub cause: String,
    /// Other names for the same fix.
    pub also_accepted: Vec<String>,
}

#[derive(Deserialize)]
struct Expected {
    cause: String,
    #[serde(default)]
    also_accepted: Vec<String>,
}

impl Case {
    /// Whether an answer counts as this case's cause.
    #[must_use]
    pub fn accepts(&self, cause: &str) -> bool {
        self.cause == cause || self.also_accepted.iter().any(|accepted| accepted == cause)
    }
}

/// The cases in a folder, by name.
///
/// # Errors
/// When the folder, or a case in it, can't be read; the message names the file.
pub fn read(folder: &Path) -> Result<Vec<Case>, String> {
    let wrong = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let entries: io::Result<Vec<PathBuf>> =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
    let mut folders = entries.map_err(|error| wrong(folder, &error))?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    let case = |path: PathBuf| {
        let file = path.join("expected.json");
        let text = fs::read_to_string(&file).map_err(|error| wrong(&file, &error))?;
        let Expected { cause, also_accepted } = serde_json::from_str(&text).map_err(|error| wrong(&file, &error))?;
        let ticket = path.join("ticket.txt");
        if !ticket.is_file() {
            return Err(wrong(&ticket, &"no such file"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Case { name, ticket, cause, also_accepted })
    };
    let cases: Vec<Case> = folders.into_iter().map(case).collect::<Result<_, _>>()?;
    if cases.is_empty() { Err(wrong(folder, &"no cases in it")) } else { Ok(cases) }
}
