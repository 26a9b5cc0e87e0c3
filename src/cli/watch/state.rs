//! What was analyzed, and the folder with the reports.
//!
//! A journal, `watch-state.jsonl`, has a line for each step, on the disk before the next step begins: reports are begun, a drop
//! is done, a program was told. A drop counts when the journal has it as done; reports and lines that a run has only begun are
//! taken back by the next one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::content::{Beginning, Identity};
use untrusted::reason;
use whole_file::{Readers, WholeFile};

const JOURNAL: &str = "watch-state.jsonl";
const LINES: &str = "drops.jsonl";
/// Locked while a run writes to the folder.
const LOCK: &str = "watch.lock";
/// The version of the journal.
const VERSION: u32 = 2;
/// The most contents that are remembered, the latest. Each takes some 50 bytes of memory, and 35 in the journal; a file of a
/// folder's report takes some 56 bytes more.
const MOST_CONTENTS: usize = 1_000_000;
/// The most identities in a line of the journal that was written anew.
const A_LINE: usize = 1_000;
/// The journal is written anew when it has so many more identities than are remembered.
const MOST_FORGOTTEN: usize = 100_000;

/// What a user can do about a journal that can't be used.
const AGAIN: &str = "without this file, everything is analyzed again";

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// The first line.
    Version(u32),
    /// The reports of this name, and the line, are being written, or the line alone. `drops.jsonl` had so many bytes before.
    Begun {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        lines: u64,
    },
    /// A drop, or a part of one, was analyzed.
    Done(Analyzed),
    /// The program was told.
    Told,
}

/// A drop, or a part of one, that was analyzed.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Analyzed {
    /// The files in their forms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) forms: Vec<Identity>,
    /// The contents that were new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) contents: Vec<Identity>,
    /// Those of the forms whose files could not be read and are to be tried again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unread: Vec<Identity>,
    /// The name of the reports of which a program is to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tell: Option<String>,
    /// The report, of a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Reported>,
}

/// A report of a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Reported {
    /// The name of its files.
    pub(super) name: String,
    /// The identity of the folder's name.
    pub(super) folder: Identity,
    /// The files that it is about and whose contents a later report must have to replace it: those that could be read.
    pub(super) files: Vec<ReportedFile>,
    /// The names of earlier reports that it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) replaces: Vec<String>,
}

/// A file of a report.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct ReportedFile {
    /// Of its path.
    pub(super) path: Identity,
    pub(super) content: Identity,
    pub(super) begins: Beginning,
}

/// What was analyzed.
#[derive(Debug, Default)]
struct Known {
    /// The files in the inbox that need not be looked at.
    forms: HashSet<Identity>,
    /// Those of them whose files could not be read.
    unread: HashSet<Identity>,
    contents: HashSet<Identity>,
    /// The contents in the order in which they came.
    order: VecDeque<Identity>,
    begun: Option<(Option<String>, u64)>,
    tell: Option<String>,
    /// The reports of folders that are still in the inbox, by the folder's identity.
    reports: HashMap<Identity, Vec<Reported>>,
    /// The names of reports that the last one has replaced.
    replaced: Vec<String>,
    /// The identities in the journal.
    written: usize,
}

impl Known {
    fn take(&mut self, step: Step) {
        match step {
            Step::Version(_) => {}
            Step::Begun { name, lines } => self.begun = Some((name, lines)),
            Step::Done(Analyzed { forms, contents, unread, tell, report }) => {
                (self.begun, self.tell) = (None, tell);
                self.replaced.clear();
                let of_report = report.as_ref().map_or(0, |report| report.files.len());
                self.written =
                    self.written.saturating_add(forms.len()).saturating_add(contents.len()).saturating_add(of_report);
                self.written = self.written.saturating_add(unread.len());
                for form in &forms {
                    self.unread.remove(form);
                }
                self.unread.extend(unread);
                if let Some(report) = report {
                    self.replaced.clone_from(&report.replaces);
                    let all = self.reports.entry(report.folder).or_default();
                    all.retain(|earlier| earlier.name != report.name && !report.replaces.contains(&earlier.name));
                    all.push(report);
                }
                self.forms.extend(forms);
                self.order.extend(contents.into_iter().filter(|content| self.contents.insert(*content)));
                while self.order.len() > MOST_CONTENTS {
                    self.order.pop_front().iter().for_each(|oldest| {
                        self.contents.remove(oldest);
                    });
                }
            }
            Step::Told => self.tell = None,
        }
    }

    /// The identities that are remembered.
    fn len(&self) -> usize {
        let of_reports = self.reports.values().flatten().map(|report| report.files.len());
        self.forms.len().saturating_add(self.order.len()).saturating_add(of_reports.sum())
    }
}

/// What was analyzed, and the folder with the reports.
pub(super) struct State {
    folder: PathBuf,
    known: Known,
    journal: File,
    _lock: File,
}

impl State {
    /// Opens the folder, which no other run may use at the same time, and takes back what an ended run has begun.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn open(folder: &Path) -> Result<Self, String> {
        let named = |name: &str, error: &dyn std::fmt::Display| format!("{}: {error}", folder.join(name).display());
        let lock = locked(&folder.join(LOCK)).map_err(|error| named(LOCK, &error))?;
        let mut known = read(&folder.join(JOURNAL)).map_err(|error| named(JOURNAL, &error))?;
        let begun = known.begun.take();
        take_back(folder, begun).map_err(|error| named("", &reason(&error)))?;
        remove_reports(folder, &known.replaced).map_err(|error| named("", &reason(&error)))?;
        let journal = rewrite(folder, &mut known).map_err(|error| named(JOURNAL, &reason(&error)))?;
        Ok(Self { folder: folder.to_path_buf(), known, journal, _lock: lock })
    }

    /// Whether a file was analyzed in this form, or its content was.
    pub(super) fn is_done(&self, form: Identity) -> bool {
        self.known.forms.contains(&form)
    }

    /// Whether a file that could not be read is to be tried again when it can be.
    pub(super) fn is_unread(&self, form: Identity) -> bool {
        self.known.unread.contains(&form)
    }

    /// Whether a content was analyzed.
    pub(super) fn has(&self, content: Identity) -> bool {
        self.known.contents.contains(&content)
    }

    /// Keeps only these of the files, and what was reported of these folders, which are still in the inbox; the contents of the
    /// others stay known.
    pub(super) fn keep(&mut self, forms: HashSet<Identity>, folders: &HashSet<Identity>) {
        self.known.unread.retain(|form| forms.contains(form));
        self.known.forms = forms;
        self.known.reports.retain(|folder, _| folders.contains(folder));
    }

    /// The names of a folder's reports whose files a later report has.
    pub(super) fn replaced_by(&self, folder: Identity, mut has: impl FnMut(&[ReportedFile]) -> bool) -> Vec<String> {
        let reports = self.known.reports.get(&folder).into_iter().flatten();
        let replaced = reports.filter(|report| has(&report.files));
        replaced.map(|report| report.name.clone()).collect()
    }

    /// The name of the reports of which a program is to be told.
    pub(super) fn to_tell(&self) -> Option<&str> {
        self.known.tell.as_deref()
    }

    /// The path of a drop's report in JSON.
    pub(super) fn report(&self, name: &str) -> PathBuf {
        report(&self.folder, name)
    }

    /// The path of a drop's report for a browser.
    pub(super) fn page(&self, name: &str) -> PathBuf {
        page(&self.folder, name)
    }

    /// Writes the reports and the line of a drop, which count when it is done.
    ///
    /// # Errors
    /// When they can't be written.
    pub(super) fn write_reports(
        &mut self,
        name: &str,
        line: &str,
        json: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        html: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let lines = self.begin(Some(name))?;
        write_whole(&self.folder, &self.report(name), json)?;
        write_whole(&self.folder, &self.page(name), html)?;
        self.end(lines, line)
    }

    /// Writes the line of a drop without reports, which counts when it is done.
    ///
    /// # Errors
    /// When it can't be written.
    pub(super) fn write_line(&mut self, line: &str) -> io::Result<()> {
        let lines = self.begin(None)?;
        self.end(lines, line)
    }

    fn begin(&mut self, name: Option<&str>) -> io::Result<File> {
        let lines = OpenOptions::new().append(true).create(true).open(self.folder.join(LINES))?;
        self.add(Step::Begun { name: name.map(str::to_owned), lines: lines.metadata()?.len() })?;
        Ok(lines)
    }

    fn end(&self, mut lines: File, line: &str) -> io::Result<()> {
        lines.write_all(format!("{line}\n").as_bytes())?;
        lines.sync_data()?;
        sync_names(&self.folder)
    }

    /// Makes a drop count as analyzed, and removes the reports that its report replaces.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub(super) fn finish(&mut self, analyzed: Analyzed) -> io::Result<()> {
        self.add(Step::Done(analyzed))?;
        remove_reports(&self.folder, &self.known.replaced)
    }

    /// Notes that the program was told.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub(super) fn told(&mut self) -> io::Result<()> {
        self.add(Step::Told)
    }

    fn add(&mut self, step: Step) -> io::Result<()> {
        self.journal.write_all(&line(&step)?)?;
        self.journal.sync_data()?;
        self.known.take(step);
        if self.known.begun.is_none() && self.known.written.saturating_sub(self.known.len()) > MOST_FORGOTTEN {
            self.journal = rewrite(&self.folder, &mut self.known)?;
        }
        Ok(())
    }
}

fn report(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.json"))
}

fn page(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.html"))
}

/// Locks the file at a path for as long as it is open.
fn locked(path: &Path) -> Result<File, String> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let lock = opened.map_err(|error| reason(&error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err("another `crashsift watch` writes to this folder".to_owned()),
        Err(TryLockError::Error(error)) => Err(reason(&error)),
    }
}

/// Reads the journal. Its last line may have been cut when a run was ended.
fn read(path: &Path) -> Result<Known, String> {
    let mut known = Known::default();
    let mut journal = match opener::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(known),
        Err(error) => return Err(reason(&error)),
    };
    let (mut line, mut number) = (Vec::new(), 0_usize);
    while journal.read_until(b'\n', &mut line).map_err(|error| reason(&error))? > 0 {
        number = number.saturating_add(1);
        match serde_json::from_slice(&line) {
            Ok(Step::Version(version)) if number == 1 && version == VERSION => {}
            Ok(Step::Version(_)) => return Err(format!("written by another version; {AGAIN}")),
            Ok(step) if number > 1 && line.ends_with(b"\n") => known.take(step),
            _ if journal.fill_buf().is_ok_and(<[u8]>::is_empty) => break,
            _ => return Err(format!("line {number} is damaged; {AGAIN}")),
        }
        line.clear();
    }
    Ok(known)
}

/// Removes the reports that were begun and do not count, with their line, and files that were being written.
fn take_back(folder: &Path, begun: Option<(Option<String>, u64)>) -> io::Result<()> {
    if let Some((name, bytes)) = begun {
        remove_reports(folder, name.as_slice())?;
        let lines = OpenOptions::new().append(true).create(true).open(folder.join(LINES))?;
        if lines.metadata()?.len() > bytes {
            lines.set_len(bytes)?;
            lines.sync_all()?;
        }
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(whole_file::PREFIX) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes the files of reports, as far as they are there.
fn remove_reports(folder: &Path, names: &[String]) -> io::Result<()> {
    for path in names.iter().flat_map(|name| [report(folder, name), page(folder, name)]) {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Replaces the journal by one of what is known, and opens it.
fn rewrite(folder: &Path, known: &mut Known) -> io::Result<File> {
    let forms: Vec<Identity> = known.forms.iter().copied().collect();
    let unread: Vec<Identity> = known.unread.iter().copied().collect();
    let contents: Vec<Identity> = known.order.iter().copied().collect();
    let path = folder.join(JOURNAL);
    write_whole(folder, &path, |out| {
        out.write_all(&line(&Step::Version(VERSION))?)?;
        let forms = forms.chunks(A_LINE).map(|forms| Analyzed { forms: forms.to_vec(), ..Analyzed::default() });
        let unread = unread.chunks(A_LINE).map(|unread| Analyzed { unread: unread.to_vec(), ..Analyzed::default() });
        let contents =
            contents.chunks(A_LINE).map(|contents| Analyzed { contents: contents.to_vec(), ..Analyzed::default() });
        // The reports that one replaces are removed.
        let reports =
            known.reports.values().flatten().map(|report| Reported { replaces: Vec::new(), ..report.clone() });
        let reports = reports.map(|report| Analyzed { report: Some(report), ..Analyzed::default() });
        let tell = known.tell.clone().map(|tell| Analyzed { tell: Some(tell), ..Analyzed::default() });
        for analyzed in forms.chain(unread).chain(contents).chain(reports).chain(tell) {
            out.write_all(&line(&Step::Done(analyzed))?)?;
        }
        Ok(())
    })?;
    sync_names(folder)?;
    known.written = known.len();
    OpenOptions::new().append(true).open(path)
}

fn line(step: &Step) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(step)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes a file that gets its name when all of it is on the disk.
fn write_whole(folder: &Path, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(WholeFile::in_folder(folder, Readers::Usual)?);
    write(&mut out)?;
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(path)
}

/// Makes sure that the names of new files in a folder are on the disk.
#[cfg(unix)]
fn sync_names(folder: &Path) -> io::Result<()> {
    OpenOptions::new().read(true).open(folder)?.sync_all()
}

/// Elsewhere, folders can't be synchronized.
#[cfg(not(unix))]
fn sync_names(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(text: &str) -> Identity {
        Identity::of_name(text.as_ref())
    }

    fn nothing(_: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_done_is_known_and_what_was_begun_is_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = State::open(folder.path()).expect("opened");
        assert!(State::open(folder.path()).is_err_and(|why| why.contains("another `crashsift watch`")));
        state.write_reports("a", "{}", nothing, nothing).expect("written");
        let (forms, unread) = (vec![identity("f"), identity("u")], vec![identity("u")]);
        let (contents, tell) = (vec![identity("c")], Some("a".to_owned()));
        state.finish(Analyzed { forms, contents, unread, tell, report: None }).expect("written");
        state.write_reports("b", "{}", nothing, nothing).expect("written");
        drop(state);
        fs::write(folder.path().join(".crashsift-1"), b"").expect("a file");
        for _ in 0..2 {
            let mut state = State::open(folder.path()).expect("opened");
            assert!(state.has(identity("c")) && !state.has(identity("f")) && state.is_done(identity("f")));
            assert!(state.is_done(identity("u")) && state.is_unread(identity("u")) && !state.is_unread(identity("f")));
            assert_eq!(state.to_tell(), Some("a"));
            assert_eq!(names(folder.path()), ["a.html", "a.json", "drops.jsonl", "watch-state.jsonl", "watch.lock"]);
            assert_eq!(fs::read(folder.path().join(LINES)).expect("lines"), b"{}\n");
            // A line without reports is taken back, too.
            state.write_line("{\"files\":0}").expect("written");
        }
        let mut state = State::open(folder.path()).expect("opened");
        state.told().expect("written");
        state.finish(Analyzed { forms: vec![identity("u")], ..Analyzed::default() }).expect("written");
        drop(state);
        let state = State::open(folder.path()).expect("opened");
        assert!(state.to_tell().is_none() && state.is_done(identity("u")) && !state.is_unread(identity("u")));
    }

    #[test]
    fn a_report_is_replaced_by_one_of_its_folder_that_has_all_its_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = identity("PC-1");
        let begins = Beginning { bytes: 1, identity: identity("begins") };
        let file = |content: &&str| ReportedFile { path: identity("path"), content: identity(content), begins };
        let reported = |name: &str, contents: &[&str], replaces: &[&str]| {
            let replaces = replaces.iter().map(|name| (*name).to_owned()).collect();
            let files = contents.iter().map(file).collect();
            let report = Some(Reported { name: name.to_owned(), folder: of, files, replaces });
            Analyzed { report, ..Analyzed::default() }
        };
        let mut state = State::open(folder.path()).expect("opened");
        for (name, contents) in [("a", &["c", "d"][..]), ("b", &["e"])] {
            state.write_reports(name, "{}", nothing, nothing).expect("written");
            state.finish(reported(name, contents, &[])).expect("written");
        }
        drop(state);
        let mut state = State::open(folder.path()).expect("opened");
        let replaced = |state: &State, of, contents: &[&str]| {
            let has = |file: &ReportedFile| contents.iter().any(|content| identity(content) == file.content);
            state.replaced_by(of, |files| files.iter().all(has))
        };
        assert_eq!(replaced(&state, of, &["c", "e"]), ["b"]);
        assert_eq!(replaced(&state, of, &["c", "d", "f"]), ["a"]);
        assert!(replaced(&state, identity("PC-2"), &["c", "d", "e"]).is_empty());
        state.write_reports("f", "{}", nothing, nothing).expect("written");
        // As if the run had been ended before the files were removed.
        state.add(Step::Done(reported("f", &["c", "d", "f"], &["a"]))).expect("written");
        drop(state);
        let mut state = State::open(folder.path()).expect("opened");
        let reports = |ending: &str| names(folder.path()).into_iter().filter(|name| name.ends_with(ending)).count();
        assert_eq!((reports(".html"), reports(".json")), (2, 2));
        assert!(!folder.path().join("a.json").exists());
        state.keep(HashSet::new(), &HashSet::new());
        assert!(replaced(&state, of, &["e"]).is_empty());
    }

    #[test]
    fn a_cut_journal_is_read_as_far_as_it_goes_and_a_damaged_one_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(JOURNAL);
        let mut state = State::open(folder.path()).expect("opened");
        state.finish(Analyzed { contents: vec![identity("c")], ..Analyzed::default() }).expect("written");
        state.finish(Analyzed { contents: vec![identity("d")], ..Analyzed::default() }).expect("written");
        drop(state);
        let whole = fs::read(&path).expect("the journal");
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let two = lines.iter().take(2).copied().collect::<Vec<_>>().concat();
        for cut in 0..whole.len() {
            fs::write(&path, whole.get(..cut).expect("a part")).expect("a file");
            let known = read(&path).expect("a part");
            assert_eq!(known.contents.contains(&identity("c")), cut >= two.len(), "{cut}");
            assert!(!known.contents.contains(&identity("d")), "{cut}");
        }
        let damaged = [&two[..], b"x\n{\"done\":{\"forms\":[],\"contents\":[]}}\n"].concat();
        fs::write(&path, damaged).expect("a file");
        assert!(State::open(folder.path()).is_err_and(|why| why.contains("line 3 is damaged")));
        fs::write(&path, "{\"version\":1}\n").expect("a file");
        assert!(State::open(folder.path()).is_err_and(|why| why.contains("another version")));
    }
}
