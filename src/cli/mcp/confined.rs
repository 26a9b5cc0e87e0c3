//! The folders that the server may read.

use std::fs;
use std::path::{Path, PathBuf};

use pipeline::discover;
use untrusted::reason;

/// The folders and files that were given when the server started, without links.
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// The folders at these paths.
    ///
    /// # Errors
    /// The message for the user, when one does not exist.
    pub fn new(paths: &[PathBuf]) -> Result<Self, String> {
        let place =
            |path: &PathBuf| fs::canonicalize(path).map_err(|error| format!("{}: {}", path.display(), reason(&error)));
        paths.iter().map(place).collect::<Result<_, _>>().map(Self)
    }

    /// All files below the asked paths, or, without any, below all folders. Relative paths are below one of the folders. A path
    /// that leads out of them, also by a link, is an error; files behind links that lead out are left out.
    ///
    /// # Errors
    /// Which path can't be read, in words that are the same whether or not something is there: who asks learns nothing about
    /// the rest of the computer.
    pub fn files(&self, asked: &[String]) -> Result<Vec<PathBuf>, String> {
        let starts = match asked {
            [] => self.0.clone(),
            asked => asked.iter().map(|path| self.inside(path)).collect::<Result<_, _>>()?,
        };
        let (mut files, _) = discover::find(&starts);
        files.retain(|file| fs::canonicalize(file).is_ok_and(|place| self.has(&place)));
        Ok(files)
    }

    fn has(&self, place: &Path) -> bool {
        self.0.iter().any(|folder| place.starts_with(folder))
    }

    /// The place of a path, if it is in one of the folders.
    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        let candidates = self.0.iter().map(|folder| folder.join(path));
        let place = candidates.filter_map(|path| fs::canonicalize(path).ok()).find(|place| self.has(place));
        place.ok_or_else(|| format!("{path}: not in the folders that this server may read, or not there"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_the_folders_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |path: &str| root.path().join(path);
        for folder in ["in/a", "out"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        fs::write(at("in/a/x.txt"), "x").expect("a file");
        fs::write(at("out/secret.txt"), "x").expect("a file");
        let folders = Folders::new(&[at("in")]).expect("a folder");
        let names = |asked: &[&str]| {
            let asked: Vec<String> = asked.iter().map(|path| (*path).to_owned()).collect();
            let files = folders.files(&asked)?;
            Ok::<_, String>(
                files.iter().filter_map(|file| file.file_name()?.to_str().map(str::to_owned)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(names(&[]), Ok(vec!["x.txt".into()]));
        assert_eq!(names(&["a"]), Ok(vec!["x.txt".into()]));
        let absolute = at("out/secret.txt");
        for path in
            ["../out", "../out/secret.txt", "a/../../out", absolute.to_str().expect("text"), "/etc/passwd", "nothing"]
        {
            assert!(names(&[path]).is_err_and(|reason| reason.ends_with("or not there")), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |path: &str| root.path().join(path);
        for folder in ["in", "out"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        fs::write(at("out/secret.txt"), "x").expect("a file");
        std::os::unix::fs::symlink(at("out"), at("in/link")).expect("a link");
        std::os::unix::fs::symlink(at("out/secret.txt"), at("in/secret.txt")).expect("a link");
        let folders = Folders::new(&[at("in")]).expect("a folder");
        assert_eq!(folders.files(&[]), Ok(Vec::new()));
        assert!(folders.files(&["link".to_owned()]).is_err());
    }
}
