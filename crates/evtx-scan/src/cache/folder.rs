//! The folder of a cache: where the file of each log lies, and what went wrong with files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_128;

use super::stored::{Refusal, Stored};
use super::{LEAST_LOG, LogCache};
use untrusted::{display_path, reason};

/// What the names of files end with in which what was read of a log is kept.
const ENDING: &str = ".crashsift-cache";
/// The same of those that hold the answers of whole runs.
const ANSWER_ENDING: &str = ".crashsift-answer";

/// How many answers are kept.
const MOST_ANSWERS: usize = 64;

/// Whether a name is a hash, as the files of the cache are called.
fn is_hash(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A folder with what earlier runs read of event logs, for all threads of a run.
#[derive(Debug)]
pub struct Cache {
    /// As the user named it.
    folder: PathBuf,
    /// The same without links.
    real_folder: PathBuf,
    digest: String,
    /// What the user is told after the run.
    notes: Mutex<BTreeSet<String>>,
    /// Chunks that were not read because they had not changed.
    unchanged: AtomicU64,
    /// Whether something could not be read for a reason that lies in the machine.
    machine_failed: AtomicBool,
}

impl Cache {
    /// The cache in `folder`, which is created when it is missing. `digest` stands for all that decides what is kept of a
    /// log: what is wanted, and how this crate reads it. What was kept with another digest is not used.
    ///
    /// # Errors
    /// When it can't be created.
    pub fn in_folder(folder: &Path, digest: &str) -> io::Result<Self> {
        if fs::metadata(folder).is_ok_and(|about| !about.is_dir()) {
            return Err(io::Error::other("it is no folder"));
        }
        fs::create_dir_all(folder)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            real_folder: fs::canonicalize(folder)?,
            digest: digest.to_owned(),
            notes: Mutex::default(),
            unchanged: AtomicU64::new(0),
            machine_failed: AtomicBool::new(false),
        })
    }

    /// What the user should know of the folder and its files, sorted: files that could not be used, and why nothing
    /// could be written.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// How many chunks were not read because they had not changed.
    #[must_use]
    pub fn unchanged_chunks(&self) -> u64 {
        self.unchanged.load(Ordering::Relaxed)
    }

    /// Notes that something could not be read for a reason that lies in the machine and not in the file, such as a full
    /// disk: the next run may be able to, so the answer of this one is not kept.
    pub fn note_failure_of_machine(&self) {
        self.machine_failed.store(true, Ordering::Relaxed);
    }

    /// Whether there was such a failure.
    #[must_use]
    pub fn has_failure_of_machine(&self) -> bool {
        self.machine_failed.load(Ordering::Relaxed)
    }

    /// Whether the file at `path` belongs to the cache: it is no artifact, although it may lie below a folder that is
    /// analyzed.
    #[must_use]
    pub fn owns(&self, path: &Path) -> bool {
        let ends = |name: &OsStr, ending: &str| name.as_encoded_bytes().ends_with(ending.as_bytes());
        path.file_name().is_some_and(|name| ends(name, ENDING) || ends(name, ANSWER_ENDING))
            && path.parent().is_some_and(|folder| {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                fs::canonicalize(folder).is_ok_and(|folder| folder == self.real_folder)
            })
    }

    /// Where the answer of a run is kept, by the hash of what it asks.
    #[must_use]
    pub fn answer(&self, hash: u128) -> PathBuf {
        self.folder.join(format!("{hash:032x}{ANSWER_ENDING}"))
    }

    /// Removes the answers that were kept first, where there are more than are kept: a run that asks something else each
    /// day would fill the disk with them.
    pub fn drop_old_answers(&self) {
        let is_answer = |path: &Path| {
            let name = path.file_name().map(OsStr::to_string_lossy);
            name.and_then(|name| name.strip_suffix(ANSWER_ENDING).map(is_hash)).unwrap_or(false)
        };
        let paths = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut answers: Vec<(SystemTime, PathBuf)> = paths
            .filter(|path| is_answer(path))
            .filter_map(|path| Some((fs::symlink_metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        answers.sort_unstable_by(|one, other| other.cmp(one));
        // One that another run removed already, or that can't be removed, is in nobody's way.
        answers.iter().skip(MOST_ANSWERS).for_each(|(_, path)| drop(fs::remove_file(path)));
    }

    /// A new file in the folder, without a name that lasts. On Unix it is readable by its owner only, elsewhere as the
    /// folder is: what is kept holds parts of the artifacts.
    ///
    /// # Errors
    /// When it can't be created.
    pub fn new_file(&self) -> io::Result<NamedTempFile> {
        tempfile::Builder::new().suffix(ENDING).tempfile_in(&self.folder)
    }

    /// Tells the user that something could not be kept.
    pub fn not_kept(&self, error: &io::Error) {
        // Its text would name a temporary file.
        let error = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        self.note(format!(
            "--cache {}: {}; not all is kept for the next run",
            display_path(&self.folder),
            reason(&error)
        ));
    }

    /// What is known of the log at `path`, which has `bytes` bytes; `None` for one that is too small.
    #[must_use]
    pub fn log(&self, path: &Path, bytes: u64) -> Option<LogCache<'_>> {
        if bytes < LEAST_LOG {
            return None;
        }
        let path = std::path::absolute(path).ok()?;
        let hash = xxh3_128(path.as_os_str().as_encoded_bytes());
        Some(LogCache::open(self, self.folder.join(format!("{hash:032x}{ENDING}")), bytes))
    }

    /// What the cache file at `path` holds, if it has no more than `most` bytes; `None` when there is none.
    ///
    /// # Errors
    /// Why it can't be used.
    pub(crate) fn load(&self, path: &Path, most: u64) -> Result<Option<Stored>, Refusal> {
        // A pipe would never end.
        let length = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Refusal::Unreadable(error)),
            Ok(about) if !about.is_file() => return Err(Refusal::NoFile),
            Ok(about) if about.len() > most => return Err(Refusal::TooLarge),
            Ok(about) => about.len(),
        };
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(Refusal::Unreadable)?;
        Ok(Some(Stored::parse(bytes, &self.digest)?))
    }

    /// Puts a file with these rows at `path`, whole or not at all: other runs may use the folder.
    pub(crate) fn store<'e>(&self, path: &Path, rows: impl Iterator<Item = Option<(u128, &'e [u8])>> + Clone) {
        let written = || -> io::Result<()> {
            let mut file = self.new_file()?;
            Stored::write(rows, &self.digest, &mut BufWriter::new(file.as_file_mut()))?;
            file.persist(path).map(drop).map_err(|error| error.error)
        };
        if let Err(error) = written() {
            self.not_kept(&error);
        }
    }

    /// Tells the user that the file at `path` was not used.
    pub fn refuse(&self, path: &Path, reason: &str) {
        self.note(format!("{}: this cache file was not used: {reason}", display_path(path)));
    }

    fn note(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
    }

    pub(crate) fn count_unchanged(&self) {
        self.unchanged.fetch_add(1, Ordering::Relaxed);
    }
}
