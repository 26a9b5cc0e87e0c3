//! Wildcards in paths. Elsewhere the shell puts the names in place of `*.dmp`; on Windows each program has to.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files and folders that a path with `*` or `?` in its last part stands for, sorted; `None` for any other path.
/// As in Windows' own commands, upper and lower case are the same, and wildcards in folders' names are not known.
pub fn expand(path: &Path) -> Option<io::Result<Vec<PathBuf>>> {
    let pattern = path.file_name()?.to_str().filter(|name| name.contains(['*', '?']))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Some(matching(folder, pattern))
}

fn matching(folder: &Path, pattern: &str) -> io::Result<Vec<PathBuf>> {
    let read = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut paths = Vec::new();
    for entry in fs::read_dir(read)? {
        let name = entry?.file_name();
        if matches(pattern, &name.to_string_lossy()) {
            paths.push(folder.join(name));
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether `*` (any characters, also none) and `?` (any one) in `pattern` can be filled so that it becomes `name`.
fn matches(pattern: &str, name: &str) -> bool {
    // On Windows `*.*` has always meant every name, also those without a dot.
    let pattern = if pattern == "*.*" { "*" } else { pattern };
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (pattern, name) = (fold(pattern), fold(name));
    let (mut pattern, mut name) = (pattern.as_slice(), name.as_slice());
    // After the last `*`: what follows it, and the part of the name that it has not swallowed yet.
    let mut retry: Option<(&[char], &[char])> = None;
    loop {
        match (pattern, name) {
            ([], []) => return true,
            (['*', rest @ ..], _) => {
                pattern = rest;
                retry = Some((rest, name));
            }
            ([wanted, rest @ ..], [letter, letters @ ..]) if *wanted == '?' || wanted == letter => {
                pattern = rest;
                name = letters;
            }
            _ => {
                let Some((after, [_, letters @ ..])) = retry else { return false };
                pattern = after;
                name = letters;
                retry = Some((after, letters));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_match_as_in_windows() {
        for (pattern, name) in [
            ("*.dmp", "python.exe.4312.dmp"),
            ("*.DMP", "a.dmp"),
            ("größe*", "GRÖßE.dmp"),
            ("*", ""),
            ("*.*", "MEMORY"),
            ("?.evtx", "日.evtx"),
            ("a*b*c", "axxbyybzzc"),
            ("**", "a"),
        ] {
            assert!(matches(pattern, name), "{pattern} and {name}");
        }
        for (pattern, name) in [("*.dmp", "a.dmp.txt"), ("?", ""), ("a*b", "a"), ("*.evtx", "evtx"), ("a", "ab")] {
            assert!(!matches(pattern, name), "{pattern} and {name}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        assert!(!matches(&"*a".repeat(500), &"a".repeat(499)));
    }

    #[test]
    fn a_wildcard_stands_for_the_names_in_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.dmp", "a.dmp", "c.evtx"] {
            fs::write(folder.path().join(name), b"x").expect("a file");
        }
        let expanded = |path: PathBuf| expand(&path).map(|found| found.expect("a readable folder"));
        let path = |name: &str| folder.path().join(name);
        assert_eq!(expanded(path("*.dmp")), Some(vec![path("a.dmp"), path("b.dmp")]));
        assert_eq!(expanded(path("*.wer")), Some(Vec::new()));
        assert_eq!(expanded(path("a.dmp")), None);
        assert!(expand(&path("missing").join("*")).is_some_and(|found| found.is_err()));
    }
}
