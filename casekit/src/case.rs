//! Reading labelled reports.

use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Timestamp;
use serde::Deserialize;

/// The file with a case's label.
const LABEL: &str = "expected.json";
/// The text of a case that is a ticket.
const TICKET: &str = "ticket.txt";

/// A crash report with its final cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its folder, below the folder of all cases, with `/` between the parts.
    pub name: String,
    /// The evidence, sorted: the text of a ticket, or dumps, event logs and reports of one machine.
    pub artifacts: Vec<PathBuf>,
    /// The cause; `undetermined` where it was never found.
    pub cause: String,
    /// Other names for the same fix.
    pub also_accepted: Vec<String>,
    /// Whether nobody could tell the cause from this evidence.
    pub is_untold: bool,
    /// Whether somebody confirmed that the fix of the cause helped.
    pub is_confirmed: bool,
    /// Of artifacts, when the crash was that the label is about.
    pub time: Option<Timestamp>,
    /// Whether the evidence is a ticket.
    pub is_ticket: bool,
}

#[derive(Deserialize)]
struct Expected {
    cause: String,
    #[serde(default)]
    also_accepted: Vec<String>,
    #[serde(default, alias = "confidence_of_label")]
    label: Option<String>,
    #[serde(default)]
    deducible: Option<String>,
    #[serde(default)]
    time: Option<Timestamp>,
}

impl Expected {
    fn of(self, name: String, artifacts: Vec<PathBuf>, is_ticket: bool) -> Case {
        Case {
            name,
            artifacts,
            cause: self.cause,
            also_accepted: self.also_accepted,
            is_untold: self.deducible.as_deref() == Some("no"),
            is_confirmed: self.label.as_deref() == Some("confirmed"),
            time: self.time,
            is_ticket,
        }
    }
}

impl Case {
    /// The name without the folder: the same for all forms of a case.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    /// Whether an answer counts as this case's cause.
    #[must_use]
    pub fn accepts(&self, cause: &str) -> bool {
        self.cause == cause || self.also_accepted.iter().any(|accepted| accepted == cause)
    }
}

/// The cases in a folder, by name: folders with a label, and those in folders without one (`cases/a017`).
///
/// # Errors
/// When the folder, or a case in it, can't be read; the message names the file.
pub fn read(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for path in children(folder)?.into_iter().filter(|path| path.is_dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.join(LABEL).is_file() {
            cases.push(case(&path, name)?);
            continue;
        }
        let inner = children(&path)?.into_iter().filter(|path| path.is_dir() && path.join(LABEL).is_file());
        let before = cases.len();
        for path in inner {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            cases.push(case(&path, format!("{name}/{own}"))?);
        }
        if cases.len() == before {
            return Err(wrong(&path.join(LABEL), &"no such file"));
        }
    }
    if cases.is_empty() { Err(wrong(folder, &"no cases in it")) } else { Ok(cases) }
}

/// The labelled crashes in a file with one label a line, each with the `path` of its artifact below `folder` or a folder in
/// it. Lines whose `kind` is no crash are left out.
///
/// # Errors
/// When the file or a label can't be read, or an artifact is missing; the message names the file.
pub fn read_list(file: &Path, folder: &Path) -> Result<Vec<Case>, String> {
    #[derive(Deserialize)]
    struct Listed {
        path: String,
        kind: String,
        #[serde(flatten)]
        expected: Expected,
    }
    let text = fs::read_to_string(file).map_err(|error| wrong(file, &error))?;
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Listed { path, kind, expected } = serde_json::from_str(line).map_err(|error| wrong(file, &error))?;
        let candidates = std::iter::once(folder.to_path_buf()).chain(children(folder)?);
        let artifact = candidates.map(|folder| folder.join(&path)).find(|artifact| artifact.is_file());
        let artifact = artifact.ok_or_else(|| wrong(&folder.join(&path), &"no such file"))?;
        if kind == "crash" {
            cases.push(expected.of(path, vec![artifact], false));
        }
    }
    Ok(cases)
}

fn case(folder: &Path, name: String) -> Result<Case, String> {
    let file = folder.join(LABEL);
    let text = fs::read_to_string(&file).map_err(|error| wrong(&file, &error))?;
    let expected: Expected = serde_json::from_str(&text).map_err(|error| wrong(&file, &error))?;
    let ticket = folder.join(TICKET);
    let is_ticket = ticket.is_file();
    let artifacts = if is_ticket {
        vec![ticket.clone()]
    } else {
        children(folder)?.into_iter().filter(|path| path.is_file() && !path.ends_with(LABEL)).collect()
    };
    if artifacts.is_empty() {
        return Err(wrong(&ticket, &"no such file, and no other evidence beside the label"));
    }
    Ok(expected.of(name, artifacts, is_ticket))
}

/// What is in a folder, sorted.
fn children(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries: io::Result<Vec<PathBuf>> =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
    let mut paths = entries.map_err(|error| wrong(folder, &error))?;
    paths.sort();
    Ok(paths)
}

fn wrong(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_and_artifacts_are_cases_also_one_folder_further_down() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("a/expected.json", r#"{"cause": "power-loss"}"#);
        write("a/ticket.txt", "it went off");
        write("a/notes.txt", "not read");
        let label = r#"{"cause": "x", "also_accepted": ["y"], "deducible": "no", "time": "2024-05-14T09:30:00+00:00"}"#;
        write("cases/b/expected.json", label);
        write("cases/b/System.evtx", "");
        write("cases/b/b.dmp", "");
        let cases = read(folder.path()).expect("cases");
        let files = |case: &Case| -> Vec<String> {
            case.artifacts.iter().map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect()
        };
        let [ticket, artifacts] = cases.as_slice() else { panic!("{cases:#?}") };
        assert_eq!((ticket.name.as_str(), files(ticket)), ("a", vec!["ticket.txt".to_owned()]));
        assert!(ticket.is_ticket && !ticket.is_untold);
        assert_eq!(artifacts.name, "cases/b");
        assert_eq!(files(artifacts), ["System.evtx", "b.dmp"]);
        assert!(artifacts.is_untold && artifacts.time.is_some() && artifacts.accepts("y"));
    }

    #[test]
    fn a_folder_without_label_or_evidence_is_a_mistake() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(read(folder.path()).expect_err("nothing").ends_with("no cases in it"));
        fs::create_dir(folder.path().join("a")).expect("made");
        assert!(read(folder.path()).expect_err("nothing").ends_with("expected.json: no such file"));
        fs::write(folder.path().join("a/expected.json"), r#"{"cause": "x"}"#).expect("written");
        assert!(read(folder.path()).expect_err("nothing").contains("no other evidence"));
    }
}
