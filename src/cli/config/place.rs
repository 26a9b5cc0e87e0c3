//! Where files of settings are looked for. The project's file decides how evidence is read, so that it never comes from the
//! evidence: not from an analyzed folder, and on Unix only from files of the user.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use untrusted::reason;

/// The name of the files.
const FILE: &str = "crashsift.toml";
/// The environment variable that names the only file to read; empty for none.
const ONLY: &str = "CRASHSIFT_CONFIG";

/// What a run reads.
pub(super) struct Analyzed {
    /// Files and folders, with all links resolved.
    paths: Vec<PathBuf>,
    /// Whether there are others, which are not known yet.
    has_more: bool,
}

impl Analyzed {
    /// The paths that the command line names.
    pub(super) fn of(given: &ArgMatches) -> Self {
        let of = |id: &str| given.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten();
        Self::paths(of("paths").chain(of("reports")).chain(of("inbox")).chain(of("ticket")))
    }

    pub(super) fn paths<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Self {
        let paths: Vec<&PathBuf> = paths.collect();
        let has_more = paths.iter().any(|path| *path == Path::new("-"));
        Self { paths: paths.into_iter().filter_map(|path| fs::canonicalize(path).ok()).collect(), has_more }
    }

    /// Whether a folder is an analyzed one, is in one, or holds an analyzed file.
    fn has(&self, folder: &Path) -> bool {
        let holds = |path: &PathBuf| path.is_file() && path.parent() == Some(folder);
        self.paths.iter().any(|path| folder.starts_with(path) || holds(path))
    }
}

/// The files of settings.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The files to read, those that count more last.
    pub(super) files: Vec<PathBuf>,
    /// Files that are not read, with the reasons.
    pub(super) refused: Vec<String>,
}

/// The files of settings for a run.
///
/// # Errors
/// The message for the user, when the file that a variable names is not there.
pub(super) fn places(analyzed: &Analyzed) -> Result<Places, String> {
    if let Some(only) = env::var_os(ONLY) {
        let files = if only.is_empty() { Vec::new() } else { vec![PathBuf::from(only)] };
        return match files.iter().find(|file| !file.is_file()) {
            Some(missing) => Err(format!("{ONLY}: {}: no such file", missing.display())),
            None => Ok(Places { files, refused: Vec::new() }),
        };
    }
    let mut places = Places::default();
    places.files.extend(user_folder().map(|folder| folder.join(FILE)).filter(|file| file.is_file()));
    let here = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    for folder in here.ancestors() {
        let file = folder.join(FILE);
        if fs::symlink_metadata(&file).is_err() || places.files.contains(&file) {
            continue;
        }
        match refusal(&file, folder, analyzed) {
            Some(why) => places.refused.push(format!("{} is not used: {why}", file.display())),
            None => {
                places.files.push(file);
                break;
            }
        }
    }
    Ok(places)
}

/// Why a project's file is not read.
fn refusal(file: &Path, folder: &Path, analyzed: &Analyzed) -> Option<String> {
    if analyzed.has(folder) {
        return Some("it lies among the analyzed files".to_owned());
    }
    if analyzed.has_more {
        return Some("the analyzed files are listed on standard input, and it may lie among them".to_owned());
    }
    match fs::metadata(file) {
        Ok(about) if !about.is_file() => Some("it is no file".to_owned()),
        Ok(about) if !is_own(&about) => Some("it belongs to another user".to_owned()),
        Ok(_) => None,
        Err(error) => Some(reason(&error)),
    }
}

#[cfg(unix)]
fn is_own(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.uid() == nix::unistd::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// The user's folder for this program: `%APPDATA%\crashsift` on Windows, elsewhere `crashsift` in `$XDG_CONFIG_HOME` or
/// `~/.config`.
pub fn user_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|path| Path::new(path).is_absolute()).map(PathBuf::from);
    let settings = if cfg!(windows) {
        folder("APPDATA")
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
    };
    Some(settings?.join("crashsift"))
}
