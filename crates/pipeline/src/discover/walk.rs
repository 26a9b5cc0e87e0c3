//! Finds the files of the given paths.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::wildcard::expand;
use untrusted::paths::reason;

/// A path without a file that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfound {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
    /// Whether it is left out by design: a link, pipe, socket or device below a folder.
    pub passed_over: bool,
}

impl Unfound {
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_path_buf(), reason: reason.into(), passed_over: false }
    }
}

/// All regular files below `paths`, each once, sorted by path. Symbolic links are followed only where they were given
/// by name themselves; pipes, sockets and devices are never opened.
#[must_use]
pub fn find(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Unfound>) {
    let (mut found, mut unfound) = (Vec::new(), Vec::new());
    for path in paths {
        let expanded = if cfg!(windows) { expand(path) } else { None };
        match expanded {
            None => look(path, &mut found, &mut unfound),
            Some(Ok(paths)) if !paths.is_empty() => {
                paths.iter().for_each(|path| look(path, &mut found, &mut unfound));
            }
            Some(Ok(_)) => unfound.push(Unfound::new(path, "no name matches")),
            Some(Err(error)) => unfound.push(Unfound::new(path, reason(&error))),
        }
    }
    found.sort();
    unfound.sort_by(|a, b| a.path.cmp(&b.path));
    unfound.dedup();
    // A link that was also given by name was followed.
    unfound.retain(|one| !one.passed_over || !paths.contains(&one.path));
    // The same file may be given twice, or be in two given folders.
    let mut seen = HashSet::new();
    found.retain(|file| seen.insert(fs::canonicalize(file).unwrap_or_else(|_| file.clone())));
    (found, unfound)
}

/// Adds the file at a path, or the files of the folder there.
fn look(path: &Path, found: &mut Vec<PathBuf>, unfound: &mut Vec<Unfound>) {
    let reason = match fs::metadata(path) {
        Ok(about) if about.is_dir() => return walk(path, found, unfound),
        Ok(about) if about.is_file() => return found.push(path.to_path_buf()),
        Ok(_) => "neither a file nor a folder".to_owned(),
        // No name on Windows has a quotation mark: the shell's `\"` at the end of "C:\my dumps\" was read as one.
        Err(_) if cfg!(windows) && path.to_string_lossy().contains('"') => {
            "a quotation mark is part of the path; leave out the backslash before the closing one".to_owned()
        }
        Err(error) => reason(&error),
    };
    unfound.push(Unfound::new(path, reason));
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>, unfound: &mut Vec<Unfound>) {
    // A given path may be a link; links below it are not followed.
    for entry in WalkDir::new(folder).follow_links(false).follow_root_links(true) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => found.push(entry.into_path()),
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => {
                let link = entry.path_is_symlink();
                let reason = if link { "a symbolic link, not followed" } else { "neither a file nor a folder" };
                unfound.push(Unfound { passed_over: true, ..Unfound::new(entry.path(), reason) });
            }
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_path_buf();
                let reason = match error.io_error() {
                    Some(error) => reason(error),
                    None => "a folder that contains itself".to_owned(),
                };
                unfound.push(Unfound::new(&path, reason));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_found_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.dmp");
        fs::write(&file, b"x").expect("a file");
        let given = [folder.path().to_path_buf(), file.clone(), folder.path().join("missing")];
        let (found, unfound) = find(&given);
        assert_eq!(found, [file]);
        assert_eq!(unfound.len(), 1);
    }

    #[cfg(windows)]
    #[test]
    fn a_backslash_before_the_closing_quotation_mark_is_explained() {
        let (_, unfound) = find(&[PathBuf::from("C:\\my dumps\"")]);
        assert!(unfound[0].reason.contains("backslash"), "{}", unfound[0].reason);
    }

    #[cfg(unix)]
    #[test]
    fn links_below_a_folder_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).expect("a link");
        fs::write(folder.path().join("a"), b"x").expect("a file");
        let (found, unfound) = find(&[folder.path().to_path_buf()]);
        assert_eq!(found.len(), 1);
        assert!(matches!(unfound.as_slice(), [Unfound { passed_over: true, .. }]), "{unfound:?}");
    }
}
