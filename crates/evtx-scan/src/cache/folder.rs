//! The folder of a cache: finding, reading and writing the file of each log, and messages about what failed.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use memchr::memmem;
use xxhash_rust::xxh3::xxh3_128;

use super::stored::{Refusal, Stored};
use super::{LEAST_LOG, LogCache};
use crate::error::{Error, ErrorKind};
use untrusted::{display_path, reason};
use whole_file::{Readers, WholeFile};

/// The end of the names of the cache's files.
const ENDING: &str = ".crashsift-cache";
/// A part of the names of the cache's files and of those that the caller puts into the folder.
const OWN_MARK: &str = ".crashsift-";

/// A folder with what earlier runs read of event logs, for all threads of a run.
#[derive(Debug)]
pub struct Cache {
    /// The folder as the user named it.
    folder: PathBuf,
    /// The folder's path without links.
    real_folder: PathBuf,
    digest: String,
    /// Messages for the user after the run.
    notes: Mutex<BTreeSet<String>>,
    /// The number of chunks that were not read because they had not changed.
    unchanged: AtomicU64,
    /// Whether something could not be read because of the machine, such as a full disk.
    machine_failed: AtomicBool,
}

/// Creates a folder that is missing, and those above it: on Unix for its user only.
fn create(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

impl Cache {
    /// The cache in `folder`, which is created when it is missing. `digest` identifies what is cached of a log: the
    /// wanted records, and how they are read. Entries with another digest are not used.
    ///
    /// # Errors
    /// When it is no folder, can't be created, belongs to another user, or others may write to it.
    pub fn in_folder(folder: &Path, digest: &str) -> Result<Self, Error> {
        if fs::metadata(folder).is_ok_and(|about| !about.is_dir()) {
            return Err(ErrorKind::NoFolder.of_whole());
        }
        let failed = |error| ErrorKind::CacheFolder(error).of_whole();
        let real_folder = create(folder).and_then(|()| fs::canonicalize(folder)).map_err(failed)?;
        if !opener::is_of_this_user(&fs::metadata(&real_folder).map_err(failed)?) {
            return Err(ErrorKind::ForeignFolder.of_whole());
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            real_folder,
            digest: digest.to_owned(),
            notes: Mutex::default(),
            unchanged: AtomicU64::new(0),
            machine_failed: AtomicBool::new(false),
        })
    }

    /// Messages for the user, sorted: why files could not be used, and why nothing could be written.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The number of chunks that were not read because they had not changed.
    #[must_use]
    pub fn unchanged_chunks(&self) -> u64 {
        self.unchanged.load(Ordering::Relaxed)
    }

    /// Notes that something could not be read because of the machine and not of the file, such as a full disk: the next run may
    /// read it, so the caller should not keep the result of this one.
    pub fn note_failure_of_machine(&self) {
        self.machine_failed.store(true, Ordering::Relaxed);
    }

    /// Whether [`note_failure_of_machine`](Self::note_failure_of_machine) was called.
    #[must_use]
    pub fn has_failure_of_machine(&self) -> bool {
        self.machine_failed.load(Ordering::Relaxed)
    }

    /// The folder as the user named it. The caller may keep files of its own in it, whose names contain `.crashsift-`.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the file at `path` is one of the cache, or of the caller in the cache's folder: such a file is no artifact, even
    /// if the folder is analyzed.
    #[must_use]
    pub fn owns(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| memmem::find(name.as_encoded_bytes(), OWN_MARK.as_bytes()).is_some())
            && path.parent().is_some_and(|folder| {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                fs::canonicalize(folder).is_ok_and(|folder| folder == self.real_folder)
            })
    }

    /// A new file in the folder, which gets its name when it is whole. On Unix only its owner can read it, elsewhere whoever can read the
    /// folder: what is kept contains parts of the artifacts.
    ///
    /// # Errors
    /// When the file can't be created.
    pub fn new_file(&self) -> io::Result<WholeFile> {
        WholeFile::in_folder(&self.folder, Readers::Owner)
    }

    /// Adds a message that something could not be kept.
    pub fn not_kept(&self, error: &io::Error) {
        // The error's own text would name a temporary file.
        let error = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        self.note(format!(
            "--cache {}: {}; not all is kept for the next run",
            display_path(&self.folder),
            reason(&error)
        ));
    }

    /// What is kept of the log at `path`, which has `bytes` bytes; `None` for a log below [`LEAST_LOG`].
    #[must_use]
    pub fn log(&self, path: &Path, bytes: u64) -> Option<LogCache<'_>> {
        if bytes < LEAST_LOG {
            return None;
        }
        let path = std::path::absolute(path).ok()?;
        let hash = xxh3_128(path.as_os_str().as_encoded_bytes());
        Some(LogCache::open(self, self.folder.join(format!("{hash:032x}{ENDING}")), bytes))
    }

    /// The content of the cache file at `path`, which must not have more than `most` bytes; `None` when there is no file.
    ///
    /// # Errors
    /// Why the file can't be used.
    pub(crate) fn load(&self, path: &Path, most: u64) -> Result<Option<Stored>, Refusal> {
        let failed = |error: io::Error| match opener::Refusal::of(&error) {
            Some(opener::Refusal::TooLarge(_)) => Refusal::TooLarge,
            Some(_) => Refusal::NoFile,
            None => Refusal::Unreadable(error),
        };
        let (file, about) = match opener::open_with_metadata(path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if !opener::is_of_this_user(&about) {
            return Err(Refusal::Foreign);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(about.len().min(most)).unwrap_or_default());
        opener::read_to_end(file, most, &mut bytes).map_err(failed)?;
        Ok(Some(Stored::parse(bytes, &self.digest)?))
    }

    /// Writes a file with these rows to `path`, whole or not at all: other runs may use the folder.
    pub(crate) fn store<'e>(&self, path: &Path, rows: impl Iterator<Item = Option<(u128, &'e [u8])>> + Clone) {
        let written = || -> io::Result<()> {
            let mut file = self.new_file()?;
            Stored::write(rows, &self.digest, &mut BufWriter::new(file.as_file()))?;
            file.persist(path)
        };
        if let Err(error) = written() {
            self.not_kept(&error);
        }
    }

    /// Adds a message that the file at `path` was not used, and why.
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
