//! The Sigma rules of files and folders.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_with::skip_serializing_none;
use walkdir::WalkDir;

use super::document::{self, Document, ReadRule};
use super::index::{Index, Records};
use super::record::Record;
use super::rejected::{About, Fault, Faults, Rejected, by_reason};
use evidence::{Names, SigmaMatch, SigmaRule};
use spanned_yaml::{Span, YamlText, parse_documents, read_file};
use untrusted::display_path;

/// How deep folders are searched.
const MAX_DEPTH: usize = 16;
/// How many files are read.
const MAX_FILES: usize = 100_000;
/// How many reasons a summary names, the commonest ones.
const MOST_REASONS: usize = 8;
/// The reason not to load a rule that is there twice.
const SAME_ID: &str = "with the id of another rule";

/// Sigma rules, and documents that could not be loaded.
#[derive(Debug, Default)]
pub struct SigmaRules {
    /// The paths, as a report shows them, with the number of rules that were loaded from each.
    pub sets: Vec<(String, usize)>,
    rules: Vec<Arc<SigmaRule>>,
    /// The line of its file where each of the rules begins.
    lines: Vec<u32>,
    index: Index,
    /// The documents that were not loaded, in the order of files.
    pub rejected: Vec<Rejected>,
}

/// The error of loading: a path, and why no rules can be loaded from it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct LoadError {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub reason: LoadFailure,
}

/// Why no rules can be loaded from a path.
#[derive(Debug, thiserror::Error)]
pub enum LoadFailure {
    /// It can't be read.
    #[error("{}", untrusted::reason(.0))]
    Unreadable(#[from] io::Error),
    /// The folder has more files of rules than are read.
    #[error("more than {MAX_FILES} files")]
    TooManyFiles,
    /// The folder has no file of rules.
    #[error("no file in it ends in .yml or .yaml")]
    NoFiles,
}

/// A rule of a file, loaded or not.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleEntry<'a> {
    /// Its id.
    pub id: Option<&'a str>,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its level.
    pub level: Option<&'a str>,
    /// Its tags with `; ` between them, of a rule that was loaded.
    #[serde(skip)]
    pub tags: &'a str,
    /// Its file.
    pub file: &'a str,
    /// The line where it begins; of a rule that was not loaded, the line of the first reason.
    pub line: u32,
    /// Whether it was loaded.
    pub loaded: bool,
    /// Why it was not loaded.
    pub reason: Option<String>,
}

impl SigmaRules {
    /// Loads the rules of files and folders.
    ///
    /// # Errors
    /// The first path that can't be read, or in which no file ends in `.yml` or `.yaml`.
    pub fn load(paths: &[PathBuf]) -> Result<Self, LoadError> {
        let mut loading = Loading::default();
        for path in paths {
            loading.loaded.sets.push((display_path(path), 0));
            loading.add(path).map_err(|reason| LoadError { path: path.clone(), reason })?;
        }
        Ok(loading.finish())
    }

    /// Loads the rules of a text under the name of its file.
    #[must_use]
    pub fn of_text(name: &str, text: &str) -> Self {
        let mut loading = Loading::default();
        loading.loaded.sets.push((name.to_owned(), 0));
        loading.add_text(&YamlText::new(name, text.to_owned()));
        loading.finish()
    }

    /// How many rules were loaded.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether none was loaded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// All rules, loaded or not, by file and line.
    #[must_use]
    pub fn entries(&self) -> Vec<RuleEntry<'_>> {
        let loaded = self.rules.iter().zip(&self.lines).map(|(rule, line)| RuleEntry {
            id: rule.id.as_deref(),
            title: Some(&rule.title),
            level: rule.level,
            tags: &rule.tags,
            file: &rule.file,
            line: *line,
            loaded: true,
            reason: None,
        });
        let rejected = self.rejected.iter().filter_map(|Rejected { about, faults }| {
            let first = &faults.first()?.diagnostic;
            let reasons: Vec<&str> = faults.iter().map(|fault| fault.diagnostic.message.as_str()).collect();
            Some(RuleEntry {
                id: about.id.as_deref(),
                title: about.title.as_deref(),
                level: about.level.as_deref(),
                tags: "",
                file: &first.file.name,
                line: first.span.line,
                loaded: false,
                reason: Some(reasons.join("; ")),
            })
        });
        let mut all: Vec<RuleEntry<'_>> = loaded.chain(rejected).collect();
        all.sort_by_key(|entry| (entry.file, entry.line));
        all
    }

    /// How many rules there are, how many were loaded and why others were not, in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let rules = |count: usize| format!("{count} Sigma rule{}", if count == 1 { "" } else { "s" });
        let all = rules(self.rules.len().saturating_add(self.rejected.len()));
        if self.rejected.is_empty() {
            return format!("{all}, all loaded");
        }
        let mut counts = by_reason(&self.rejected).into_iter();
        let mut reasons: Vec<String> =
            counts.by_ref().take(MOST_REASONS).map(|(count, reason)| format!("{count} {reason}")).collect();
        match counts.map(|(count, _)| count).sum::<usize>() {
            0 => {}
            others => reasons.push(format!("{others} for other reasons")),
        }
        format!("{all}: {} loaded, {} not: {}", self.len(), self.rejected.len(), reasons.join(", "))
    }

    /// The records that rules are about.
    #[must_use]
    pub fn records(&self) -> Records {
        self.index.records()
    }

    /// The rules that match a record.
    pub fn matches(&self, record: &dyn Record, names: &Names) -> Vec<SigmaMatch> {
        let found = self.index.matches(record);
        let rules = found.into_iter().filter_map(|number| self.rules.get(number));
        let share = |text: Option<&str>| -> Option<Arc<str>> { text.map(|text| names.share(text)) };
        rules
            .map(|rule| SigmaMatch {
                rule: Arc::clone(rule),
                provider: names.share(record.provider()),
                event_id: record.event_id(),
                channel: share(record.channel()),
                computer: share(record.computer()),
                time: record.time(),
            })
            .collect()
    }
}

/// The state of loading.
#[derive(Default)]
struct Loading {
    /// What is loaded so far; of its sets the numbers of rules are missing.
    loaded: SigmaRules,
    /// Rules, each with the number of paths up to the one that it is from.
    found: Vec<(usize, About, ReadRule)>,
    /// Ids and names of rules that correlations replace.
    replaced: HashSet<String>,
}

impl Loading {
    fn add(&mut self, path: &Path) -> Result<(), LoadFailure> {
        let about = std::fs::metadata(path)?;
        if !about.is_dir() {
            self.add_file(path);
            return Ok(());
        }
        let is_visible =
            |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
        let mut files = 0_usize;
        let walk = WalkDir::new(path).max_depth(MAX_DEPTH).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(is_visible) {
            let entry = entry.map_err(io::Error::from)?;
            let is_yaml = entry.path().extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
            if !entry.file_type().is_file() || !is_yaml {
                continue;
            }
            files = files.saturating_add(1);
            if files > MAX_FILES {
                return Err(LoadFailure::TooManyFiles);
            }
            self.add_file(entry.path());
        }
        if files == 0 {
            return Err(LoadFailure::NoFiles);
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path) {
        match read_file(path, &display_path(path)) {
            Ok(text) => self.add_text(&text),
            Err(unreadable) => self.reject(About::default(), vec![unreadable.into()]),
        }
    }

    fn add_text(&mut self, text: &Arc<YamlText>) {
        let documents = match parse_documents(text) {
            Ok(documents) => documents,
            Err(wrong) => return self.reject(About::default(), wrong.into_iter().map(Fault::from).collect()),
        };
        for node in &documents {
            let about = About::read(node);
            match document::read(text, node) {
                Document::Rule(rule) => self.found.push((self.loaded.sets.len(), about, *rule)),
                Document::Rejected { faults, replaced } => {
                    self.replaced.extend(replaced);
                    self.reject(about, faults);
                }
            }
        }
    }

    fn reject(&mut self, about: About, faults: Vec<Fault>) {
        self.loaded.rejected.push(Rejected { about, faults });
    }

    fn finish(mut self) -> SigmaRules {
        let mut first_of: HashMap<Arc<str>, (Arc<YamlText>, Span)> = HashMap::new();
        let mut compiled = Vec::new();
        for (set, about, rule) in std::mem::take(&mut self.found) {
            if let Some(fault) = self.fault_of(&rule, &first_of) {
                self.reject(about, vec![fault]);
                continue;
            }
            if let Some(id) = &rule.about.id {
                first_of.insert(Arc::clone(id), (Arc::clone(&rule.file), rule.span));
            }
            if let Some((_, count)) = self.loaded.sets.get_mut(set.saturating_sub(1)) {
                *count = count.saturating_add(1);
            }
            self.loaded.rules.push(Arc::new(rule.about));
            self.loaded.lines.push(rule.span.line);
            compiled.push(rule.compiled);
        }
        let place = |rejected: &Rejected| {
            rejected.faults.first().map(|fault| (fault.diagnostic.file.name.clone(), fault.diagnostic.span))
        };
        self.loaded.rejected.sort_by_cached_key(place);
        SigmaRules { index: Index::new(compiled), ..self.loaded }
    }

    /// Why a rule that was read can't be loaded beside the others.
    fn fault_of(&self, rule: &ReadRule, first_of: &HashMap<Arc<str>, (Arc<YamlText>, Span)>) -> Option<Fault> {
        let mut faults = Faults::new(&rule.file);
        let names = [rule.about.id.as_deref(), rule.name.as_deref()];
        if names.into_iter().flatten().any(|name| self.replaced.contains(name)) {
            let message = "a correlation takes the place of this rule, which by itself is not meant to match";
            faults.unsupported(rule.span, "meant only as a part of a correlation", message);
        } else if let Some((file, span)) = rule.about.id.as_ref().and_then(|id| first_of.get(id)) {
            faults.unsupported(rule.span, SAME_ID, "another rule has the same id");
            if let Some(fault) = faults.found.first_mut() {
                let diagnostic = fault.diagnostic.clone();
                fault.diagnostic = diagnostic.with_other(file, *span, "first here");
            }
        }
        faults.found.pop()
    }
}
