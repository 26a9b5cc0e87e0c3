//! Expands wildcards in paths. On other systems the shell expands `*.dmp`, on Windows each program has to.

use std::path::{Path, PathBuf};
use std::{fs, io};

use untrusted::glob::{AnyCaseGlob, Glob};

/// The files and folders that a path with `*` or `?` in its last part matches, sorted; `None` for any other path. As in
/// Windows' own commands, case is ignored, and wildcards in names of folders are not supported.
pub fn expand(path: &Path) -> Option<io::Result<Vec<PathBuf>>> {
    let pattern = path.file_name()?.to_str().filter(|name| !Glob::is_plain(name))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Some(matching(folder, pattern))
}

/// The pattern of a name with wildcards.
fn glob(pattern: &str) -> AnyCaseGlob {
    // On Windows, `*.*` matches every name, also without a dot.
    AnyCaseGlob::from_wildcards(if pattern == "*.*" { "*" } else { pattern })
}

fn matching(folder: &Path, pattern: &str) -> io::Result<Vec<PathBuf>> {
    let pattern = glob(pattern);
    let read = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut paths = Vec::new();
    for entry in fs::read_dir(read)? {
        let name = entry?.file_name();
        if pattern.fits(&name.to_string_lossy()) {
            paths.push(folder.join(name));
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_whatever_their_case_and_star_dot_star_means_all() {
        let fits = |pattern: &str, name: &str| glob(pattern).fits(name);
        assert!(fits("*.DMP", "a.dmp") && fits("größe*", "GRÖßE.dmp") && fits("*.*", "MEMORY"));
        assert!(!fits("*.dmp", "a.dmp.txt") && !fits("?", ""));
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
