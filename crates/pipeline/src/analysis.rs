//! Analyzes artifacts: reads, joins and judges, and makes a report.

mod carriers;
mod folders;
mod parties;
mod steps;
mod wanted;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rayon::prelude::*;
use redact::Key;

use self::carriers::carriers;
use self::folders::Folders;
use self::wanted::Wanted;
use crate::archive::Passwords;
use crate::discover::{self, Exclude, Found};
use crate::gather::without_file;
use crate::judge::judge;
use crate::merge::{MergeError, pack};
use crate::patterns::{patterns, set_absent};
use crate::read::{ReadArtifact, read_artifacts};
use crate::read_context::ReadContext;
use crate::redaction::redacted;
use crash_dump::Symbols;
use evidence::{Evidence, LogCoverage, Observation, Ticket, base_name};
use evtx_scan::Cache;
use facts::{Around, Nearby, Surroundings};
use incident::{Incident, JoinedIncident, LastNames, Machine, Sighting, SourcedEvidence, short_host};
use report::coverage::{EvidenceSummary, coverage};
use report::groups::{Attributes, groups};
use report::inspected::Inspected;
use report::model::Gap;
use report::{Artifact, ArtifactStatus, Judged, Limits, Report, Selected, Summary};
use rules::{RuleSet, RuleSetInfo};
use sigma::{PREFIX, SigmaRules};
use untrusted::{HeadAndTail, display_path};

/// The options of a run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether the stacks of crashing threads are not walked.
    pub no_stack_walk: bool,
    /// Symbols and images for walking stacks, beside those in the dumps.
    pub symbols: Option<Arc<Symbols>>,
    /// The time of the incidents that are reported.
    pub limits: Limits,
    /// What the incidents that are reported are about, and which files are not read.
    pub selected: Selected,
    /// Findings below this confidence are left out.
    pub min_confidence: f64,
    /// Texts to read as tickets, whatever they look like: name and content. A file of such a name is not read again.
    pub pasted: Vec<(String, HeadAndTail)>,
    /// Artifacts that mergeable reports contain.
    pub before: Vec<ReadArtifact>,
    /// The cache of decoded event logs. Its files are no artifacts, and the report does not depend on it.
    pub cache: Option<Arc<Cache>>,
    /// Sigma rules, whose matches in event logs are evidence of machines.
    pub sigma: Option<Arc<SigmaRules>>,
    /// The passwords that encrypted archives are opened with.
    pub passwords: Arc<Passwords>,
    /// Whether all reports of `before` were made with Sigma rules.
    pub sigma_before: bool,
    /// Whether the report lists the threads of processes.
    pub threads: bool,
    /// Whether the report contains its evidence, for [`mod@crate::merge`].
    pub keep_evidence: bool,
    /// The key of pseudonyms, where names and secrets are taken out of the evidence before it is joined.
    pub redaction: Option<Arc<Key>>,
    /// Whether the first folders below the paths are customers: nothing is joined, grouped or counted across them.
    pub by_folder: bool,
}

/// Receives the progress of a run.
pub trait Progress: Sync {
    /// `count` files will be read.
    fn found(&self, _count: usize) {}
    /// One file has been read.
    fn read(&self) {}
    /// All files have been read.
    fn done(&self) {}
}

/// Ignores the progress.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {}

/// Analyzes every file at or below `paths`. Files are read in parallel, on the current rayon thread pool; the report
/// does not depend on its size.
#[must_use]
pub fn analyze(paths: &[PathBuf], rules: &RuleSet, options: &Options, progress: &dyn Progress) -> Report {
    analyze_keeping(paths, rules, options, progress).0
}

/// Like [`analyze`], and returns the evidence, too: freeing it takes time that a program that ends need not spend.
pub fn analyze_keeping(
    paths: &[PathBuf],
    rules: &RuleSet,
    options: &Options,
    progress: &dyn Progress,
) -> (Report, Vec<SourcedEvidence>) {
    let (read, excluded) = read_all(paths, options, progress);
    let (report, evidence) = conclude(read, rules, options);
    (with_excluded(report, excluded), evidence)
}

/// The report with the number of files that were not read.
fn with_excluded(mut report: Report, excluded: Option<usize>) -> Report {
    report.summary.excluded = excluded;
    report
}

/// Reads every file once and makes the report of each rule set.
#[must_use]
pub fn analyze_by_each<const N: usize>(paths: &[PathBuf], rule_sets: [&RuleSet; N], options: &Options) -> [Report; N] {
    let (read, excluded) = read_all(paths, options, &Silent);
    rule_sets.map(|rules| with_excluded(conclude(read.clone(), rules, options).0, excluded))
}

/// Makes one report of artifacts from reports, equal to that of [`analyze`] for their files.
#[must_use]
pub fn merge(read: Vec<ReadArtifact>, rules: &RuleSet, options: &Options) -> Report {
    conclude(prepared(read, options), rules, options).0
}

/// Joins and judges the artifacts: those of each customer by themselves.
pub(crate) fn conclude(read: Vec<ReadArtifact>, rules: &RuleSet, options: &Options) -> (Report, Vec<SourcedEvidence>) {
    let parties = parties::by_party(read);
    if parties.keys().all(Option::is_none) {
        let read: Vec<ReadArtifact> = parties.into_values().flatten().collect();
        let shared = parties::shared_names(&read);
        let (mut report, evidence) = conclude_one(read, rules, options);
        warn(&mut report, shared, &Wanted::new(&options.selected));
        return (report, evidence);
    }
    let (mut reports, mut evidence) = (Vec::new(), Vec::new());
    for (party, read) in parties {
        let (mut report, own) = conclude_one(read, rules, options);
        party.iter().for_each(|party| parties::name_party(&mut report, party));
        reports.push(report);
        evidence.extend(own);
    }
    let left_out = reports.iter().filter_map(|report| report.summary.left_out).reduce(usize::saturating_add);
    let Some(mut report) = parties::put_together(reports) else { return conclude_one(Vec::new(), rules, options) };
    report.summary = Summary { left_out, ..Summary::new(&report.artifacts, &report.incidents) };
    (report, evidence)
}

/// Adds warnings before the gaps of a report, and their sentences to the machines that they name, but those on computers that
/// are not wanted.
fn warn(report: &mut Report, mut warnings: Vec<Gap>, wanted: &Wanted<'_>) {
    warnings.retain(|warning| warning.host.as_deref().is_none_or(|host| wanted.has_host(host)));
    for warning in &warnings {
        let is_named =
            |machine: &&mut Machine| Some(short_host(&machine.host)) == warning.host.as_deref().map(short_host);
        report.machines.iter_mut().filter(is_named).for_each(|machine| machine.coverage.push(warning.says.clone()));
    }
    report.coverage.gaps.splice(0..0, warnings);
}

/// Joins and judges artifacts of one customer.
fn conclude_one(read: Vec<ReadArtifact>, rules: &RuleSet, options: &Options) -> (Report, Vec<SourcedEvidence>) {
    let (artifacts, items, logs) = collect(read);
    let sightings = OnceLock::new();
    let (mut machines, joined) = steps::timed("joined", || joined(&items, &logs, &sightings, rules));
    joined.iter().for_each(steps::joined);

    let (mut surroundings, (patterns, standing)) = rayon::join(
        || by_host(&machines, &items, has_sigma(options)),
        || rayon::join(|| patterns(&joined), || incident::timeline_incidents(&joined)),
    );
    add_incidents(&mut surroundings, &joined);
    let mut attributes = Attributes::default();
    let is_wanted = Wanted::new(&options.selected);
    // A text in which no crash was recognised and that no rule matches is no incident: most text files in a folder are something
    // else. `Inspected::is_reported` is the same condition over facts.
    let is_incident =
        |recognised: bool, judged: &Judged| recognised || !judged.findings.is_empty() || !judged.suppressed.is_empty();
    let (wanted, others): (Vec<_>, Vec<_>) = joined
        .into_iter()
        .zip(&patterns)
        .partition(|(joined, _)| options.limits.hold(joined.incident.time) && is_wanted.has(&joined.incident));
    let wanted: Vec<_> =
        wanted.into_iter().map(|(joined, pattern)| (attributes.of_incident(&joined), joined, pattern)).collect();
    let left_out = others.into_par_iter().filter_map(|(joined, pattern)| {
        let surroundings = of_host(&joined.incident, &surroundings);
        (is_recognised(&joined) || is_incident(false, &judge(joined, surroundings, pattern, rules))).then_some(())
    });
    let mut left_out = left_out.count();
    let mut judged: Vec<(_, Judged)> = wanted
        .into_par_iter()
        .filter_map(|(around, joined, pattern)| {
            let surroundings = of_host(&joined.incident, &surroundings);
            let recognised = is_recognised(&joined);
            let shown = EvidenceSummary::new(&joined);
            let threads = if options.threads { incident::threads(&joined.evidence) } else { Vec::new() };
            let mut judged = Judged { threads, ..judge(joined, surroundings, pattern, rules) };
            steps::judged(&judged);
            let is_incident = is_incident(recognised, &judged);
            judged.findings.retain(|finding| finding.confidence >= options.min_confidence);
            judged.suppressed.retain(|finding| finding.confidence >= options.min_confidence);
            judged.verdict.leads.retain(|lead| lead.share >= options.min_confidence);
            is_incident.then_some(((around, shown), judged))
        })
        .collect();
    let found = judged.len();
    judged.retain(|(_, judged)| is_wanted.has_cause(&judged.verdict));
    left_out = left_out.saturating_add(found.saturating_sub(judged.len()));
    let (sidelong, incidents): (Vec<_>, Vec<Judged>) = judged.into_iter().unzip();
    let (around, shown): (Vec<_>, Vec<_>) = sidelong.into_iter().unzip();
    let groups = groups(&incidents, &around, &attributes, &surroundings, &artifacts);
    surroundings.into_par_iter().for_each(drop);
    machines.retain(|machine| is_wanted.has_host(&machine.host));
    let coverage = coverage(&artifacts, &mut machines, &incidents, &shown);
    let reported: HashSet<&str> = incidents.iter().map(|judged| judged.incident.id.as_str()).collect();
    incident::enter_incidents(&mut machines, &standing, |id| reported.contains(id));
    let report = Report {
        limits: options.limits,
        selected: options.selected.clone(),
        keeps_evidence: options.keep_evidence,
        causes: rules.causes().clone(),
        rule_sets: rules.infos().into_iter().chain(sigma_sets(options)).collect(),
        summary: Summary { left_out: chooses(options).then_some(left_out), ..Summary::new(&artifacts, &incidents) },
        artifacts,
        incidents,
        machines,
        groups,
        coverage,
        comparison: None,
    };
    (report, items)
}

/// Whether incidents can be left out.
fn chooses(options: &Options) -> bool {
    options.limits.is_some() || options.selected.has_incidents()
}

/// Whether Sigma rules were matched with the event logs.
fn has_sigma(options: &Options) -> bool {
    options.sigma.is_some() || options.sigma_before
}

/// The sets of Sigma rules, as a report lists them.
fn sigma_sets(options: &Options) -> impl Iterator<Item = RuleSetInfo> {
    let sets = options.sigma.iter().flat_map(|sigma| &sigma.sets);
    // The folders of a redacted report's rules are those of its owner.
    let shown = |path: &String| if options.redaction.is_some() { base_name(path).to_owned() } else { path.clone() };
    sets.map(move |(path, rules)| RuleSetInfo::of_sigma(format!("{PREFIX}{}", shown(path)), *rules))
}

/// Reads and joins like [`analyze`] and returns the facts of each incident without judging them.
#[must_use]
pub fn inspect(paths: &[PathBuf], rules: &RuleSet, options: &Options) -> Inspected {
    inspected(read_all(paths, options, &Silent).0, rules, options)
}

/// The results of [`inspect`] and [`analyze`], with every file read once.
#[must_use]
pub fn inspect_and_analyze(paths: &[PathBuf], rules: &RuleSet, options: &Options) -> (Inspected, Report) {
    let (read, excluded) = read_all(paths, options, &Silent);
    let report = with_excluded(conclude(read.clone(), rules, options).0, excluded);
    (inspected(read, rules, options), report)
}

/// The facts of the incidents of each customer, the customers in the order of their names.
fn inspected(read: Vec<ReadArtifact>, rules: &RuleSet, options: &Options) -> Inspected {
    let all: Vec<Inspected> =
        parties::by_party(read).into_values().map(|read| inspected_of_one(read, rules, options)).collect();
    parties::inspected_together(all)
}

fn inspected_of_one(read: Vec<ReadArtifact>, rules: &RuleSet, options: &Options) -> Inspected {
    let (artifacts, items, coverage) = collect(read);
    let sightings = OnceLock::new();
    let (machines, joined) = joined(&items, &coverage, &sightings, rules);
    let mut surroundings = by_host(&machines, &items, has_sigma(options));
    add_incidents(&mut surroundings, &joined);
    let incidents = joined
        .iter()
        .zip(patterns(&joined))
        .map(|(joined, pattern)| {
            let surroundings = of_host(&joined.incident, &surroundings);
            let mut facts = facts::facts(joined);
            pattern.set_facts(&mut facts);
            set_absent(&joined.incident, &mut facts);
            let around = Around::new(joined, surroundings);
            if let Some(entries) = around.entries() {
                facts.set_list("timeline", entries.iter().map(Nearby::record).collect());
            }
            facts.recorded = around.recorded().cloned();
            (joined.incident.clone(), facts)
        })
        .collect();
    let unrecognised =
        joined.iter().filter(|joined| !is_recognised(joined)).map(|joined| joined.incident.id.clone()).collect();
    let sighted: HashSet<usize> = sightings.get().into_iter().flatten().map(|sighting| sighting.item).collect();
    let others = items.iter().enumerate().filter(|(index, _)| !sighted.contains(index));
    let reports = others.filter(|(_, item)| matches!(item.observation, Observation::Wer(_)));
    let reports = reports.map(|(_, item)| incident::sentence(&item.observation)).collect();
    drop(surroundings);
    Inspected { artifacts, machines, incidents, unrecognised, reports }
}

/// The machines, and the incidents with the evidence of each. `sightings` receives the sightings of `items`.
fn joined<'s, 'i: 's>(
    items: &'i [SourcedEvidence],
    logs: &[LogCoverage],
    sightings: &'s OnceLock<Vec<Sighting<'i>>>,
    rules: &RuleSet,
) -> (Vec<Machine>, Vec<JoinedIncident<'s>>) {
    let (mut machines, joined) = rayon::join(
        || incident::machines(items, logs),
        || {
            // Made before the lock is taken, so that no other thread waits for it.
            let made = incident::sightings(items);
            incident::incidents(items, sightings.get_or_init(|| made), &carriers(rules), &message)
        },
    );
    incident::describe_machines(&mut machines, items, &joined);
    (machines, joined)
}

/// What the message of an event states, read as if somebody had pasted it.
fn message(text: &str) -> Vec<Ticket> {
    let read = pasted_text::read_text(text).map(|reading| reading.evidence).unwrap_or_default();
    let ticket = |evidence: Evidence| match evidence.observation {
        Observation::Ticket(ticket) => Some(*ticket),
        _ => None,
    };
    read.into_iter().filter_map(ticket).collect()
}

/// The surroundings of incidents on each machine, by the machine's name in lower case.
fn by_host<'i>(
    machines: &'i [Machine],
    items: &'i [SourcedEvidence],
    sigma: bool,
) -> HashMap<String, Surroundings<'i>> {
    let prepared = |machine: &'i Machine| (machine.host.to_lowercase(), Surroundings::new(machine, items, sigma));
    machines.par_iter().map(prepared).collect()
}

/// Adds the incidents to the surroundings on their machines.
fn add_incidents(by_host: &mut HashMap<String, Surroundings<'_>>, joined: &[JoinedIncident<'_>]) {
    for (number, joined) in joined.iter().enumerate() {
        let host = joined.incident.host.as_ref().map(|host| host.to_lowercase());
        if let Some(surroundings) = host.and_then(|host| by_host.get_mut(&host)) {
            surroundings.note(number, joined);
        }
    }
}

fn of_host<'s, 'i>(
    incident: &Incident,
    surroundings: &'s HashMap<String, Surroundings<'i>>,
) -> Option<&'s Surroundings<'i>> {
    surroundings.get(&incident.host.as_ref()?.to_lowercase())
}

/// Reads everything. Returns also how many files were left out, where any could be.
pub(crate) fn read_all(
    paths: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> (Vec<ReadArtifact>, Option<usize>) {
    let exclude = Exclude::new(&options.selected.exclude);
    let Found { files: mut found, unfound, excluded } = discover::find_but(paths, &exclude);
    if let Some(cache) = &options.cache {
        found.retain(|file| !cache.owns(file));
    }
    found.retain(|file| !options.pasted.iter().any(|(name, _)| *name == display_path(file)));
    progress.found(found.len());
    let context = ReadContext {
        walk_stacks: !options.no_stack_walk,
        symbols: options.symbols.clone(),
        cache: options.cache.clone(),
        sigma: options.sigma.clone(),
        passwords: Arc::clone(&options.passwords),
        exclude,
        ..ReadContext::default()
    };
    let read_file = |path: &Path| {
        let start = Instant::now();
        let read = read_artifacts(path, &context);
        read.iter().for_each(|read| steps::read(read, start.elapsed()));
        progress.read();
        read
    };
    let mut all: Vec<ReadArtifact> =
        steps::timed("read", || found.par_iter().flat_map_iter(|file| read_file(file)).collect());
    progress.done();
    all.extend(unfound.iter().map(without_file));
    if options.by_folder {
        parties::set_parties(&mut all, paths);
    }
    all.extend(options.before.iter().cloned());
    all.extend(options.pasted.iter().map(|(name, content)| crate::read::read_pasted(name, content, &context)));
    let excluded = excluded.saturating_add(context.excluded.load(Ordering::Relaxed));
    (prepared(all, options), (!context.exclude.is_empty()).then_some(excluded))
}

/// The artifacts as they are joined: without names and secrets, and with what is kept for merging, where that is wanted.
fn prepared(read: Vec<ReadArtifact>, options: &Options) -> Vec<ReadArtifact> {
    let read = match &options.redaction {
        Some(key) => steps::timed("redacted", || redacted(read, key)),
        None => read,
    };
    keeping(read, options)
}

/// The artifacts with their evidence as text, where the report is to contain it. A failure is in the artifact's detail.
pub(crate) fn keeping(mut read: Vec<ReadArtifact>, options: &Options) -> Vec<ReadArtifact> {
    if options.keep_evidence {
        read.par_iter_mut().filter(|read| !read.evidence.is_empty() || !read.coverage.is_empty()).for_each(|read| {
            match pack(read) {
                Ok(text) => read.artifact.evidence = Some(text),
                Err(error) => {
                    // An empty text: `merge` must not read it as an artifact without evidence.
                    read.artifact.evidence = Some(String::new());
                    note_unmergeable(&mut read.artifact, &error);
                }
            }
        });
    }
    read
}

/// Tells in an artifact's detail that its evidence could not be kept.
pub(crate) fn note_unmergeable(artifact: &mut Artifact, error: &MergeError) {
    if artifact.status == ArtifactStatus::Ok {
        artifact.status = ArtifactStatus::Partial;
    }
    let detail = artifact.detail.get_or_insert_default();
    let before = if detail.is_empty() { "" } else { "; " };
    detail.push_str(&format!("{before}it can't be merged: {error}"));
}

/// The artifacts by path, their evidence in that order, and the coverage of logs; computers have one name each.
fn collect(mut all: Vec<ReadArtifact>) -> (Vec<Artifact>, Vec<SourcedEvidence>, Vec<LogCoverage>) {
    all.sort_by(|a, b| a.artifact.path.cmp(&b.artifact.path));

    let last_names = folders::last_names(&all);
    let mut folders = Folders::new(&all, &last_names);
    let (mut artifacts, mut coverage) = (Vec::new(), Vec::new());
    let mut items = Vec::with_capacity(all.iter().map(|read| read.evidence.len()).sum());
    for ((index, read), last) in all.into_iter().enumerate().zip(last_names) {
        let folder: Arc<str> = if read.pasted { "" } else { folders::folder(&read.artifact.path) }.into();
        let file: Arc<str> = base_name(&read.artifact.path).into();
        artifacts.push(read.artifact);
        coverage.extend(if last.is_empty() { read.coverage } else { incident::under_last_name(read.coverage, &last) });
        items.extend(read.evidence.into_iter().map(|mut evidence| SourcedEvidence {
            artifact: index,
            folder: Arc::clone(&folder),
            file: Arc::clone(&file),
            folder_host: None,
            former_host: take_last_name(&mut evidence.observation, &last),
            place: evidence.place,
            observation: evidence.observation,
        }));
    }
    incident::use_full_host_names(&mut items, &mut coverage, folders.names_mut());
    // The items of one artifact share their folder's name.
    let in_one_folder =
        |a: &SourcedEvidence, b: &SourcedEvidence| Arc::ptr_eq(&a.folder, &b.folder) || a.folder == b.folder;
    let of_folders: Vec<Arc<str>> =
        items.chunk_by(in_one_folder).filter_map(|items| Some(Arc::clone(&items.first()?.folder))).collect();
    let hosts = folders.machines_of(of_folders.iter().map(|folder| &**folder).filter(|folder| !folder.is_empty()));
    for of_folder in items.chunk_by_mut(in_one_folder) {
        let machine = of_folder.first().and_then(|item| hosts.get(&*item.folder));
        if let Some(machine) = machine {
            of_folder.par_iter_mut().filter(|item| machine.can_have_made(&item.observation)).for_each(|item| {
                item.folder_host = Some(Arc::clone(&machine.host));
            });
        }
    }
    (artifacts, items, coverage)
}

/// Gives an event's computer its last name and returns the former one.
fn take_last_name(observation: &mut Observation, last: &LastNames) -> Option<Arc<str>> {
    if last.is_empty() {
        return None;
    }
    let computer = match observation {
        Observation::Event(event) => event.computer.as_mut()?,
        Observation::Sigma(found) => found.computer.as_mut()?,
        _ => return None,
    };
    let name = last.get(&computer.to_lowercase())?;
    Some(std::mem::replace(computer, Arc::clone(name)))
}

/// Whether an incident has other evidence than texts in which no crash was recognised.
fn is_recognised(joined: &JoinedIncident<'_>) -> bool {
    joined.evidence.items.iter().take(joined.evidence.sightings.len()).any(|item| match &item.observation {
        Observation::Ticket(ticket) => ticket.reports_a_crash(),
        _ => true,
    })
}
