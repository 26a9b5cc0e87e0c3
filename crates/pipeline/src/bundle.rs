//! A bundle: a redacted report with the evidence that its conclusions need, to be passed on, and what was left out of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::analysis::{Options, Progress, conclude, keeping, read_all};
use crate::read::ReadArtifact;
use crate::redaction::{learned, redacted};
use evidence::{ArtifactKind, Observation, Ticket};
use redact::{Key, Learning};
use report::{Report, json, page};
use rules::RuleSet;

/// The most bytes of a file that are searched for secrets.
const MOST_SEARCHED: u64 = 1 << 30;
/// Files are searched in blocks of this size, bytes.
const BLOCK: usize = 1 << 20;
/// The shortest text in a file of bytes, letters: the shortest secret with its name before it.
const SHORTEST: usize = 8;
/// The longest text that is searched at once, letters.
const LONGEST: usize = 4096;

/// What a bundle leaves out, and what the files seem to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// How many files were read.
    pub files: usize,
    /// Their size, bytes.
    pub bytes: u64,
    /// How many lines texts had.
    pub lines: usize,
    /// How many of them the bundle has.
    pub lines_kept: usize,
    /// How many texts are in it with all lines, because a conclusion rests on lines that no rule asks about.
    pub texts_kept_whole: usize,
    /// The names and secrets that files seem to hold.
    pub found: Vec<Found>,
    /// Files that were searched in part only.
    pub searched_in_part: Vec<String>,
}

/// The names and secrets that a file seems to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file's path, redacted.
    pub path: String,
    /// Its kind.
    pub kind: String,
    /// How many different values of each kind.
    pub kinds: BTreeMap<&'static str, usize>,
}

/// Analyzes every file at or below `paths` with names and secrets taken out by `key`, and keeps only the lines of texts that
/// conclusions rest on.
#[must_use]
pub fn bundle(
    paths: &[PathBuf],
    rules: &RuleSet,
    options: &Options,
    key: &Key,
    progress: &dyn Progress,
) -> (Report, Audit) {
    let unredacted = Options { redaction: None, keep_evidence: false, ..options.clone() };
    let (read, _) = read_all(paths, &unredacted, progress);
    let mut audit = Audit {
        files: read.len(),
        bytes: read.iter().map(|read| read.artifact.bytes).fold(0, u64::saturating_add),
        ..Audit::default()
    };
    let searched: Vec<(Learning, bool)> = read.par_iter().map(searched).collect();
    let read = redacted(read, key);
    for (read, (learning, whole)) in read.iter().zip(&searched) {
        let kinds: BTreeMap<&'static str, usize> = learning.counts().collect();
        let path = || read.artifact.path.clone();
        if !kinds.is_empty() {
            audit.found.push(Found { path: path(), kind: read.artifact.kind.to_string(), kinds });
        }
        if !whole {
            audit.searched_in_part.push(path());
        }
    }
    audit.found.sort_by(|a, b| a.path.cmp(&b.path));
    audit.searched_in_part.sort();
    let options =
        Options { redaction: None, keep_evidence: true, pasted: Vec::new(), before: Vec::new(), ..options.clone() };
    let report = limited(read, rules, &options, &mut audit);
    (report, audit)
}

/// The report of the artifacts without lines that no conclusion needs.
fn limited(read: Vec<ReadArtifact>, rules: &RuleSet, options: &Options, audit: &mut Audit) -> Report {
    let (whole, _) = conclude(read.clone(), rules, options);
    let mut kept: Vec<ReadArtifact> = read.par_iter().map(|read| with_asked_lines(read, rules)).collect();
    let (mut report, _) = conclude(keeping(kept.clone(), options), rules, options);
    let different = differing(&whole, &report);
    if !different.is_empty() {
        for (kept, read) in kept.iter_mut().zip(&read) {
            if different.contains(read.artifact.path.as_str()) && tickets(read).next().is_some() {
                audit.texts_kept_whole = audit.texts_kept_whole.saturating_add(1);
                kept.clone_from(read);
            }
        }
        report = conclude(keeping(kept.clone(), options), rules, options).0;
    }
    let filled = |ticket: &Ticket| ticket.lines.iter().filter(|line| !line.text.is_empty()).count();
    let count = |read: &[ReadArtifact]| read.iter().flat_map(tickets).map(filled).fold(0, usize::saturating_add);
    audit.lines = count(&read);
    audit.lines_kept = count(&kept);
    report
}

fn tickets(read: &ReadArtifact) -> impl Iterator<Item = &Ticket> {
    read.evidence.iter().filter_map(|evidence| match &evidence.observation {
        Observation::Ticket(ticket) => Some(&**ticket),
        _ => None,
    })
}

/// The artifact with empty lines in the place of those that give no fact and that no rule asks about: the others keep
/// their places.
fn with_asked_lines(read: &ReadArtifact, rules: &RuleSet) -> ReadArtifact {
    let mut read = read.clone();
    for evidence in &mut read.evidence {
        let Observation::Ticket(ticket) = &mut evidence.observation else { continue };
        let texts: Vec<&str> = ticket.lines.iter().map(|line| &*line.text).collect();
        let asked = rules.ask_about(&texts);
        let unneeded: BTreeSet<usize> = ticket
            .lines
            .iter()
            .zip(asked)
            .enumerate()
            .filter(|(_, (line, asked))| !asked && !ticket.told_in.contains(&line.number))
            .map(|(index, _)| index)
            .collect();
        for index in &unneeded {
            if let Some(line) = ticket.lines.get_mut(*index) {
                line.text = "".into();
            }
        }
        ticket.doubted.retain(|index, _| !unneeded.contains(index));
        ticket.unreported.retain(|index, _| !unneeded.contains(index));
    }
    read
}

/// The paths of the artifacts of incidents that are judged otherwise in the other report.
fn differing<'r>(whole: &'r Report, other: &Report) -> BTreeSet<&'r str> {
    let key = |report: &Report, judged: &report::Judged| {
        let paths: Vec<String> = paths_of(report, judged).map(str::to_owned).collect();
        let incident = &judged.incident;
        let site = incident.fault_site.as_ref().map(|site| site.module.to_string());
        let suspect = incident.suspect.as_ref().map(|suspect| format!("{suspect:?}"));
        let verdict = &judged.verdict;
        let rules: Vec<String> = judged.findings.iter().map(|finding| finding.rule.clone()).collect();
        (
            paths,
            verdict.cause.clone(),
            format!("{:.4}", verdict.confidence),
            site,
            suspect,
            incident.signature.coarse.clone(),
            rules,
        )
    };
    let known: BTreeSet<_> = other.incidents.iter().map(|judged| key(other, judged)).collect();
    let different = whole.incidents.iter().filter(|judged| !known.contains(&key(whole, judged)));
    different.flat_map(|judged| paths_of(whole, judged)).collect()
}

fn paths_of<'r>(report: &'r Report, judged: &'r report::Judged) -> impl Iterator<Item = &'r str> {
    judged.incident.evidence.iter().filter_map(|item| report.artifact_path(item.artifact))
}

/// What a file seems to hold, by its evidence and its bytes; and whether all bytes were searched. Members of archives are known by
/// their evidence alone.
fn searched(read: &ReadArtifact) -> (Learning, bool) {
    let learning = learned(read);
    let is_archive = read.artifact.kind == ArtifactKind::Archive.word();
    let path = Path::new(&read.artifact.path);
    if is_archive || read.pasted || !path.is_file() {
        return (learning, !is_archive);
    }
    let mut in_bytes = Learning::default();
    let whole = opener::open(path).and_then(|file| search(file, &mut in_bytes)).unwrap_or(false);
    (learning.with(in_bytes), whole)
}

/// Learns from the texts in the bytes of a file, one and two bytes a letter, and returns whether these were all.
fn search(file: File, learning: &mut Learning) -> io::Result<bool> {
    let mut file = BufReader::new(file).take(MOST_SEARCHED);
    let mut block = vec![0; BLOCK];
    let (mut narrow, mut wide) = (Run::default(), [Run::default(), Run::default()]);
    let mut before = 0_u8;
    let mut odd = false;
    loop {
        let read = file.read(&mut block)?;
        if read == 0 {
            break;
        }
        for byte in block.get(..read).unwrap_or_default() {
            narrow.add(*byte, learning);
            // Letters of ASCII in UTF-16, which can begin at any byte.
            if let Some(run) = wide.get_mut(usize::from(odd)) {
                run.add(if *byte == 0 { before } else { 0 }, learning);
            }
            (before, odd) = (*byte, !odd);
        }
    }
    narrow.end(learning);
    wide.iter_mut().for_each(|run| run.end(learning));
    Ok(file.limit() > 0)
}

/// A text in bytes, as far as it was read.
#[derive(Default)]
struct Run(String);

impl Run {
    fn add(&mut self, byte: u8, learning: &mut Learning) {
        if matches!(byte, b' '..=b'~' | b'\t') && self.0.len() < LONGEST {
            self.0.push(char::from(byte));
        } else {
            self.end(learning);
        }
    }

    fn end(&mut self, learning: &mut Learning) {
        if self.0.len() >= SHORTEST {
            learning.text(&self.0);
        }
        self.0.clear();
    }
}

/// Writes the bundle as a zip: the report in three formats, and what it is.
///
/// # Errors
/// When it can't be written.
pub fn write(report: &Report, audit: &Audit, out: impl Write + Seek) -> io::Result<()> {
    let mut zip = ZipWriter::new(out);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut file = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).map_err(io::Error::other)?;
        zip.write_all(bytes)
    };
    let mut bytes = Vec::new();
    json::write(report, &mut bytes)?;
    file("report.json", &bytes)?;
    let mut bytes = Vec::new();
    page::write_html(report, &mut bytes, false).map_err(io::Error::other)?;
    file("report.html", &bytes)?;
    let mut bytes = Vec::new();
    page::write_markdown(report, &mut bytes, false).map_err(io::Error::other)?;
    file("report.md", &bytes)?;
    file("README.txt", readme(audit).as_bytes())?;
    zip.finish().map_err(io::Error::other)?;
    Ok(())
}

/// What the bundle holds, for whoever gets it.
fn readme(audit: &Audit) -> String {
    format!(
        "A crash report by crashsift {version}, to be passed on.\n\n\
         report.html   for a browser; it loads nothing\n\
         report.md     for tickets and wikis\n\
         report.json   for programs: `crashsift merge report.json` makes the report again, also of several\n\n\
         Names of users, computers and domains, addresses and serial numbers are pseudonyms: equal names have equal\n\
         pseudonyms. Passwords, keys and tokens were deleted. Of {files} files ({bytes} bytes) it has the facts; of their\n\
         {lines} lines of text it has {kept} lines, those that the conclusions need. It has no memory of a dump and no\n\
         other content of a file. Names that nothing shows as names can be left: look it over before you pass it on.\n",
        version = env!("CARGO_PKG_VERSION"),
        files = audit.files,
        bytes = audit.bytes,
        lines = audit.lines,
        kept = audit.lines_kept,
    )
}
