//! Finds the files of the given paths.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::exclude::Exclude;
use super::wildcard::expand;
use untrusted::display_path;
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

/// What is at and below the given paths.
#[derive(Debug, Default)]
pub struct Found {
    /// The regular files, each once, sorted by path.
    pub files: Vec<PathBuf>,
    /// The paths without a file that can be read, sorted by path.
    pub unfound: Vec<Unfound>,
    /// How many files patterns leave out.
    pub excluded: usize,
}

/// Whether a path has wildcards that the program has to expand, and something matches them.
#[must_use]
pub fn has_wildcard_match(path: &Path) -> bool {
    cfg!(windows) && expand(path).and_then(Result::ok).is_some_and(|paths| !paths.is_empty())
}

/// All regular files below `paths`, each once, sorted by path, and the paths without one. Symbolic links are followed only
/// where they were given by name themselves; pipes, sockets and devices are never opened.
#[must_use]
pub fn find(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Unfound>) {
    let Found { files, unfound, .. } = find_but(paths, &Exclude::default());
    (files, unfound)
}

/// Like [`find`], without the files that `exclude` fits.
#[must_use]
pub fn find_but(paths: &[PathBuf], exclude: &Exclude) -> Found {
    let mut all = Found::default();
    let mut excluded = Vec::new();
    for path in paths {
        let expanded = if cfg!(windows) { expand(path) } else { None };
        match expanded {
            None => look(path, exclude, &mut all, &mut excluded),
            Some(Ok(paths)) if !paths.is_empty() => {
                paths.iter().for_each(|path| look(path, exclude, &mut all, &mut excluded));
            }
            Some(Ok(_)) => all.unfound.push(Unfound::new(path, "no name matches")),
            Some(Err(error)) => all.unfound.push(Unfound::new(path, reason(&error))),
        }
    }
    let Found { mut files, mut unfound, .. } = all;
    files.sort();
    unfound.sort_by(|a, b| a.path.cmp(&b.path));
    unfound.dedup();
    // A link that was also given by name was followed.
    unfound.retain(|one| !one.passed_over || !paths.contains(&one.path));
    // The same file may be given twice, or be in two given folders.
    let mut seen = HashSet::new();
    let is_first = |file: &PathBuf, seen: &mut HashSet<PathBuf>| {
        seen.insert(fs::canonicalize(file).unwrap_or_else(|_| file.clone()))
    };
    files.retain(|file| is_first(file, &mut seen));
    // A file that was also given by name is read.
    excluded.retain(|file| is_first(file, &mut seen));
    Found { files, unfound, excluded: excluded.len() }
}

/// Adds the file at a path, or the files of the folder there.
fn look(path: &Path, exclude: &Exclude, all: &mut Found, excluded: &mut Vec<PathBuf>) {
    let reason = match fs::metadata(path) {
        Ok(about) if about.is_dir() => return walk(path, exclude, all, excluded),
        Ok(about) if about.is_file() => {
            let name = path.file_name().map(Path::new).unwrap_or(path);
            let to = if exclude.fits(&display_path(name)) { excluded } else { &mut all.files };
            return to.push(path.to_path_buf());
        }
        Ok(_) => "neither a file nor a folder".to_owned(),
        // No name on Windows has a quotation mark: the shell's `\"` at the end of "C:\my dumps\" was read as one.
        Err(_) if cfg!(windows) && path.to_string_lossy().contains('"') => {
            "a quotation mark is part of the path; leave out the backslash before the closing one".to_owned()
        }
        Err(error) => reason(&error),
    };
    all.unfound.push(Unfound::new(path, reason));
}

fn walk(folder: &Path, exclude: &Exclude, all: &mut Found, excluded: &mut Vec<PathBuf>) {
    let is_excluded = |path: &Path| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        !exclude.is_empty() && exclude.fits(&display_path(below))
    };
    // A given path may be a link; links below it are not followed.
    for entry in WalkDir::new(folder).follow_links(false).follow_root_links(true) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => {
                let to = if is_excluded(entry.path()) { &mut *excluded } else { &mut all.files };
                to.push(entry.into_path());
            }
            Ok(entry) if entry.file_type().is_dir() || is_excluded(entry.path()) => {}
            Ok(entry) => {
                let link = entry.path_is_symlink();
                let reason = if link { "a symbolic link, not followed" } else { "neither a file nor a folder" };
                all.unfound.push(Unfound { passed_over: true, ..Unfound::new(entry.path(), reason) });
            }
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_path_buf();
                if is_excluded(&path) {
                    continue;
                }
                let reason = match error.io_error() {
                    Some(error) => reason(error),
                    None => "a folder that contains itself".to_owned(),
                };
                all.unfound.push(Unfound::new(&path, reason));
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

    #[test]
    fn excluded_files_are_counted_and_a_given_folder_is_never_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = folder.path().join("old");
        fs::create_dir(&old).expect("a folder");
        for name in ["a.dmp", "b.txt", "old/c.dmp"] {
            fs::write(folder.path().join(name), b"x").expect("a file");
        }
        let but = |given: &[&Path], patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
            let paths: Vec<PathBuf> = given.iter().map(|path| path.to_path_buf()).collect();
            let found = find_but(&paths, &Exclude::new(&patterns));
            let names: Vec<String> = found.files.iter().map(|path| display_path(path)).collect();
            let name = |path: &String| path.rsplit('/').next().map(str::to_owned);
            (names.iter().filter_map(name).collect::<Vec<_>>(), found.excluded)
        };
        assert_eq!(but(&[folder.path()], &["*.TXT", "old"]), (vec!["a.dmp".to_owned()], 2));
        assert_eq!(but(&[&old], &["old"]), (vec!["c.dmp".to_owned()], 0));
        let given = [folder.path(), &old];
        assert_eq!(but(&given, &["old"]), (vec!["a.dmp".to_owned(), "b.txt".to_owned(), "c.dmp".to_owned()], 0));
        assert_eq!(but(&[&folder.path().join("a.dmp")], &["a*"]), (Vec::new(), 1));
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
