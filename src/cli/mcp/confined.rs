//! The folders that the server may read.

use std::fs;
use std::path::{Path, PathBuf};

use pipeline::discover;
use untrusted::{display_path, reason};

/// The folders and files that were given when the server started.
pub struct Folders(Vec<Folder>);

/// One of them.
struct Folder {
    /// As it was given.
    given: PathBuf,
    /// Without links.
    place: PathBuf,
}

impl Folders {
    /// The folders at these paths.
    ///
    /// # Errors
    /// The message for the user, when one does not exist.
    pub fn new(paths: &[PathBuf]) -> Result<Self, String> {
        let folder = |path: &PathBuf| match fs::canonicalize(path) {
            Ok(place) => Ok(Folder { given: path.clone(), place }),
            Err(error) => Err(format!("{}: {}", path.display(), reason(&error))),
        };
        paths.iter().map(folder).collect::<Result<_, _>>().map(Self)
    }

    /// All files below the asked paths, or, without any, below all folders. Relative paths are below one of the folders, or begin
    /// as it was given; paths that a report shows are taken, too, with pseudonyms for parts of the folder's own path. A path that leads out of them, also by a link, is an error; files behind links that lead out are left out.
    ///
    /// # Errors
    /// Which path can't be read, in words that are the same whether or not something is there: who asks learns nothing about
    /// the rest of the computer.
    pub fn files(&self, asked: &[String]) -> Result<Vec<PathBuf>, String> {
        let starts: Vec<PathBuf> = match asked {
            [] => self.0.iter().map(|folder| folder.place.clone()).collect(),
            asked => asked.iter().map(|path| self.inside(path)).collect::<Result<_, _>>()?,
        };
        let (mut files, _) = discover::find(&starts);
        files.retain(|file| fs::canonicalize(file).is_ok_and(|place| self.has(&place)));
        Ok(files)
    }

    fn has(&self, place: &Path) -> bool {
        self.0.iter().any(|folder| place.starts_with(&folder.place))
    }

    /// The place of a path, if it is in one of the folders.
    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        let candidates = self.0.iter().flat_map(|folder| {
            let below = [&folder.given, &folder.place].into_iter().filter_map(|shown| below(shown, path));
            std::iter::once(folder.place.join(path)).chain(below.map(|rest| folder.place.join(rest)))
        });
        let place = candidates.filter_map(|path| fs::canonicalize(path).ok()).find(|place| self.has(place));
        place.ok_or_else(|| format!("{path}: not in the folders that this server may read, or not there"))
    }
}

/// What a path that reports show names below a folder, if it begins with the folder's path; a part of that may be a pseudonym.
fn below(folder: &Path, shown: &str) -> Option<String> {
    let (folder, shown) = (display_path(folder), shown.replace('\\', "/"));
    let parts = |path: &str| path.split('/').filter(|part| *part != ".").map(str::to_owned).collect::<Vec<_>>();
    let (folder, mut shown) = (parts(folder.trim_end_matches('/')), parts(&shown));
    let rest = (shown.len() >= folder.len()).then(|| shown.split_off(folder.len()))?;
    let is_same = |(part, shown): (&String, &String)| part == shown || redact::is_redacted(shown);
    folder.iter().zip(&shown).all(is_same).then(|| rest.join("/"))
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
        let shown = at("in/a/x.txt");
        assert_eq!(names(&[shown.to_str().expect("text")]), Ok(vec!["x.txt".into()]));
        let absolute = at("out/secret.txt");
        for path in
            ["../out", "../out/secret.txt", "a/../../out", absolute.to_str().expect("text"), "/etc/passwd", "nothing"]
        {
            assert!(names(&[path]).is_err_and(|reason| reason.ends_with("or not there")), "{path}");
        }
    }

    #[test]
    fn paths_are_taken_as_the_folder_was_given_and_as_reports_show_them() {
        let below = |folder: &str, shown: &str| below(Path::new(folder), shown);
        for (folder, shown, rest) in [
            ("samples", "samples/a/x.dmp", Some("a/x.dmp")),
            ("./samples/", "samples/a", Some("a")),
            ("samples", "samples", Some("")),
            ("samples", "sample/a", None),
            ("/home/eva/in", "/home/PSEUDONYM/in/x.dmp", Some("x.dmp")),
            ("/home/eva/in", "/home/otto/in/x.dmp", None),
            ("/home/eva/in", "/home", None),
        ] {
            let shown = shown.replace("PSEUDONYM", "user-a2b3c4d5");
            assert_eq!(below(folder, &shown).as_deref(), rest, "{folder} {shown}");
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
