//! The watched folder: which files in it are to be analyzed, since when each is unchanged, and which belong together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use walkdir::WalkDir;

use super::content::{Form, Identity};
use super::state::State;
use crate::cli::stream;
use pipeline::discover::{Exclude, first_bytes};
use untrusted::display_path;

/// The most files that wait at a time. More are seen when some of these were analyzed.
const MOST_WAITING: usize = 20_000;
/// The most files of one report. A drop with more has several, each of files that arrived together.
const MOST_OF_DROP: usize = 10_000;
/// Endings of names that programs give to files they have not finished.
const UNFINISHED: [&str; 5] = [".part", ".partial", ".crdownload", ".filepart", ".download"];

/// How long files are waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    /// A file that did not change for so long counts as written.
    pub(super) settle: Duration,
    /// What did not change for so long is analyzed as it is.
    pub(super) patience: Duration,
}

/// A file that waits.
#[derive(Debug)]
struct Pending {
    form: Form,
    /// Since when its form is this.
    since: Instant,
    /// The number of the look that saw it last.
    seen: u64,
}

/// Files that are analyzed together.
#[derive(Debug)]
pub(super) struct FileDrop {
    /// The name of their folder in the inbox; none for files that lie in the inbox itself.
    pub(super) folder: Option<OsString>,
    /// The files in the order of their paths, each with the form that is to be analyzed: those that wait, and with them those of
    /// their folder that were analyzed before.
    pub(super) files: Vec<(PathBuf, Form)>,
    /// Whether the files are analyzed as they are, whole or not.
    pub(super) is_last_try: bool,
}

impl FileDrop {
    /// Whether no file has changed.
    pub(super) fn is_unchanged(&self) -> bool {
        self.files.iter().all(|(path, form)| Form::at(path) == Some(*form))
    }

    fn identity(&self) -> Identity {
        Identity::of_all(self.files.iter().map(|(path, form)| form.identity(path)))
    }
}

/// What became of a drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It counts as analyzed.
    Done,
    /// A file changed meanwhile.
    Changed,
    /// A file is not whole, and this was not the last try.
    NotWhole,
}

/// The watched folder.
pub(super) struct Inbox {
    folder: PathBuf,
    exclude: Exclude,
    waiting: Waiting,
    pending: BTreeMap<PathBuf, Pending>,
    /// By the folder of a drop: the files and forms in which it was not whole.
    not_whole: HashMap<Option<OsString>, Identity>,
    /// The parts of the folder that can't be read, as far as the user was told.
    unreadable: BTreeSet<PathBuf>,
    /// The number of looks so far.
    looks: u64,
    /// When the last look was.
    looked: Instant,
}

impl Inbox {
    pub(super) fn new(folder: PathBuf, exclude: Exclude, waiting: Waiting) -> Self {
        let (pending, not_whole, unreadable) = (BTreeMap::new(), HashMap::new(), BTreeSet::new());
        Self { folder, exclude, waiting, pending, not_whole, unreadable, looks: 0, looked: Instant::now() }
    }

    /// Whether no file waits.
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// How long ago the last look was.
    pub(super) fn age(&self) -> Duration {
        self.looked.elapsed()
    }

    /// Looks for new and changed files. The state forgets what is gone, unless a part of the folder can't be read.
    pub(super) fn look(&mut self, state: &mut State) {
        self.looks = self.looks.wrapping_add(1);
        self.looked = Instant::now();
        let (mut done, mut folders, mut unreadable, mut all_read) =
            (HashSet::new(), HashSet::new(), BTreeSet::new(), true);
        for entry in WalkDir::new(&self.folder).follow_root_links(true).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    all_read = false;
                    let path = error.path().unwrap_or(&self.folder).to_path_buf();
                    if !self.unreadable.contains(&path) {
                        let why = error.io_error().map_or_else(|| error.to_string(), untrusted::reason);
                        stream::note(&format!("{}: not watched: {why}", display_path(&path)));
                    }
                    unreadable.insert(path);
                    continue;
                }
            };
            if !entry.file_type().is_file() || self.is_ignored(entry.path()) {
                continue;
            }
            let path = entry.into_path();
            // Not what the folder says of the file, which on Windows can be older than the file.
            let Some(form) = Form::at(&path) else {
                all_read = false;
                continue;
            };
            let identity = form.identity(&path);
            let is_done = state.is_done(identity);
            folders.extend(drop_folder(&self.folder, &path).map(Identity::of_name));
            if is_done {
                done.insert(identity);
            }
            if !is_done || (state.is_unread(identity) && can_be_opened(&path)) {
                self.note(path, form);
            }
        }
        let looks = self.looks;
        self.pending.retain(|_, pending| pending.seen == looks);
        self.not_whole
            .retain(|folder, _| self.pending.keys().any(|path| drop_folder(&self.folder, path) == folder.as_deref()));
        self.unreadable = unreadable;
        if all_read {
            state.keep(done, &folders);
        }
    }

    fn note(&mut self, path: PathBuf, form: Form) {
        let (seen, now) = (self.looks, self.looked);
        let has_room = self.pending.len() < MOST_WAITING;
        match self.pending.get_mut(&path) {
            Some(pending) if pending.form == form => pending.seen = seen,
            Some(pending) => *pending = Pending { form, since: now, seen },
            None if has_room => {
                self.pending.insert(path, Pending { form, since: now, seen });
            }
            None => {}
        }
    }

    fn is_ignored(&self, path: &Path) -> bool {
        let below = display_path(path.strip_prefix(&self.folder).unwrap_or(path));
        let name = below.to_lowercase();
        UNFINISHED.iter().any(|ending| name.ends_with(ending)) || self.exclude.fits(&below)
    }

    /// The next drop that can be analyzed: one whose files have all settled and are not known to lack something, or one of which
    /// a file did not change for the time of patience, without what has not settled. What was analyzed before is a part of it.
    pub(super) fn next_drop(&self, state: &State) -> Option<FileDrop> {
        let mut drops: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (path, pending) in &self.pending {
            drops.entry(drop_folder(&self.folder, path)).or_default().push((path, pending));
        }
        drops.into_iter().find_map(|(folder, files)| {
            let unchanged_for = |time: Duration| {
                let files = files.iter().filter(move |(_, pending)| pending.since.elapsed() >= time);
                files.map(|(path, pending)| (path.to_path_buf(), pending.form)).collect::<Vec<_>>()
            };
            let of = |mut taken: Vec<_>, is_last_try| {
                taken.truncate(MOST_OF_DROP);
                let before = folder.map(|folder| self.analyzed_before(folder, state)).unwrap_or_default();
                if taken.len().saturating_add(before.len()) <= MOST_OF_DROP {
                    taken.extend(before);
                    taken.sort_by(|(one, _), (other, _)| one.cmp(other));
                }
                FileDrop { folder: folder.map(OsString::from), files: taken, is_last_try }
            };
            let (settled, given_up) = (unchanged_for(self.waiting.settle), unchanged_for(self.waiting.patience));
            if given_up.is_empty() {
                let is_complete = settled.len() == files.len();
                let whole = is_complete.then(|| of(settled, false));
                whole.filter(|drop| self.not_whole.get(&drop.folder) != Some(&drop.identity()))
            } else {
                Some(of(settled, true))
            }
        })
    }

    /// The files of a drop's folder that were analyzed before, in the form in which they were: at most one more than a report has.
    fn analyzed_before(&self, folder: &OsStr, state: &State) -> Vec<(PathBuf, Form)> {
        let entries = WalkDir::new(self.folder.join(folder)).into_iter().flatten();
        let files = entries.filter(|entry| entry.file_type().is_file() && !self.is_ignored(entry.path()));
        let forms = files.filter_map(|entry| Form::at(entry.path()).map(|form| (entry.into_path(), form)));
        let known = forms.filter(|(path, form)| state.is_done(form.identity(path)) && !self.pending.contains_key(path));
        known.take(MOST_OF_DROP.saturating_add(1)).collect()
    }

    /// Notes what became of a drop.
    pub(super) fn note_outcome(&mut self, drop: FileDrop, outcome: Outcome) {
        match outcome {
            Outcome::Done => {
                drop.files.iter().for_each(|(path, _)| {
                    self.pending.remove(path);
                });
            }
            Outcome::NotWhole => {
                let identity = drop.identity();
                self.not_whole.insert(drop.folder, identity);
            }
            // The next look sees it.
            Outcome::Changed => {}
        }
    }
}

/// Whether the beginning of a file can be read.
pub(super) fn can_be_opened(path: &Path) -> bool {
    opener::open(path).and_then(|mut file| first_bytes(&mut file)).is_ok()
}

/// The folder in the inbox that a file below it is in.
fn drop_folder<'p>(inbox: &Path, path: &'p Path) -> Option<&'p OsStr> {
    let mut parts = path.strip_prefix(inbox).unwrap_or(path).iter();
    let first = parts.next()?;
    parts.next().map(|_| first)
}
