//! The tables of a folder as a report again: what the page for browsers shows of many incidents.
//!
//! Tables have less than a report: no threads, no coverage, no positions in artifacts as values. What they lack is absent.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::PathBuf;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use serde::Deserialize;
use strum::VariantArray;

use super::*;
use crate::model::{Artifact, ArtifactStatus, Coverage, Group, Limits, OverRepresented, Selected, Summary, Verdict};
use evidence::{Address, BugcheckCode, ExceptionCode, FrameTrust, ModuleOffset, Place};
use facts::EvidenceRef;
use facts::schema::TIMELINE_KINDS;
use incident::{
    Basis, Bugcheck, EvidenceItem, ExceptionFacts, FaultSite, Incident, IncidentKind, OF_MACHINE, OtherModule,
    OtherSoftware, Process, Signature, StackFrame, StackKind, Suspect,
};
use rules::{Audience, Causes, Cost, Finding, Remediation, Risk, RuleSetInfo, Severity};
use untrusted::notation::{number_u32, number_u64};

/// The file [`MARK`].
#[derive(Deserialize)]
struct Mark {
    schema_version: String,
    #[serde(default)]
    rulesets: Vec<RuleSetInfo>,
}

/// The largest such file, bytes.
const MOST_OF_MARK: u64 = 1 << 20;

/// The report of the tables in `folder`. `causes` are those that rules can name, by family.
///
/// # Errors
/// When the folder has no tables of this program, tables of another major version, or a file of them can't be read.
pub fn read(folder: &Path, causes: &Causes) -> Result<Report, LakeError> {
    let mark = opener::read(&folder.join(MARK), MOST_OF_MARK).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => LakeError::NoTables,
        _ => error.into(),
    })?;
    let mark: Mark = serde_json::from_slice(&mark).map_err(|_| LakeError::NoTables)?;
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if major(&mark.schema_version) != major(SCHEMA_VERSION) {
        return Err(LakeError::OtherVersion(mark.schema_version));
    }
    let mut artifacts = Vec::new();
    each(folder, "artifacts", |row| artifacts.push(artifact(row)))?;
    let number_of: HashMap<String, usize> =
        artifacts.iter().enumerate().map(|(number, artifact)| (artifact.path.clone(), number)).collect();
    let artifact_number =
        |row: &Record| number_of.get(text_in(row, "artifact").unwrap_or_default()).copied().unwrap_or(usize::MAX);

    let mut incidents: Vec<Judged> = Vec::new();
    each(folder, "incidents", |row| incidents.extend(judged(row)))?;
    incidents.sort_by(|a, b| {
        let key = |one: &Judged| (one.incident.time.is_none(), one.incident.time);
        key(a).cmp(&key(b)).then_with(|| a.incident.id.cmp(&b.incident.id))
    });
    let index: HashMap<String, usize> =
        incidents.iter().enumerate().map(|(number, judged)| (judged.incident.id.clone(), number)).collect();
    let mut of_incidents = |table: &str, add: &dyn Fn(&mut Judged, &Record)| {
        each(folder, table, |row| {
            let number = text_in(row, "incident").and_then(|id| index.get(id));
            if let Some(judged) = number.and_then(|number| incidents.get_mut(*number)) {
                add(judged, row);
            }
        })
    };
    of_incidents("evidence", &|judged, row| {
        judged.incident.evidence.push(EvidenceItem {
            artifact: artifact_number(row),
            place: Place::Whole,
            sentence: string(row, "says"),
            joined_by: None,
        });
    })?;
    of_incidents("frames", &|judged, row| judged.incident.stack.push(frame(row)))?;
    of_incidents("modules", &|judged, row| {
        if text_in(row, "role") == Some("other-software") {
            let other = judged.incident.other_software.get_or_insert_with(|| OtherSoftware {
                modules: Vec::new(),
                left_out: None,
                from: 0,
            });
            other.modules.push(other_module(row));
        }
    })?;
    of_incidents("findings", &|judged, row| judged.findings.push(finding(row)))?;
    of_incidents("steps", &|judged, row| {
        let cause = judged.verdict.cause.clone();
        let leading = judged.findings.iter_mut().find(|finding| finding.cause == cause && !finding.is_superseded());
        if let Some(finding) = leading {
            finding.remediation.push(step(row));
        }
    })?;

    let mut groups = groups(folder, &incidents)?;
    groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    let mut machines: Vec<Machine> = Vec::new();
    each(folder, "machines", |row| machines.push(machine(row)))?;
    let machine_of: HashMap<(String, Option<Arc<str>>), usize> =
        machines.iter().enumerate().map(|(number, one)| ((one.host.to_string(), one.party.clone()), number)).collect();
    each(folder, "timeline", |row| {
        let number = machine_of.get(&(string(row, "host"), arc(row, "party")));
        let machine = number.and_then(|number| machines.get_mut(*number));
        if let (Some(machine), Some(entry)) = (machine, entry(row, artifact_number(row))) {
            machine.timeline.push(entry);
        }
    })?;
    machines.iter_mut().for_each(|machine| machine.timeline.sort_by_key(|entry| entry.time));
    Ok(Report {
        limits: Limits::default(),
        selected: Selected::default(),
        keeps_evidence: false,
        rule_sets: mark.rulesets,
        causes: causes.clone(),
        summary: Summary::new(&artifacts, &incidents),
        artifacts,
        incidents,
        machines,
        groups,
        coverage: Coverage::default(),
        comparison: None,
    })
}

/// Calls `take` with each row of a table.
fn each(folder: &Path, table: &str, mut take: impl FnMut(&Record)) -> Result<(), LakeError> {
    each_row(&folder.join(table), |row| {
        take(row);
        Ok(())
    })
}

/// Calls `take` with each row of the Parquet files in a folder, in the order of their names.
pub(super) fn each_row<E: From<LakeError>>(
    folder: &Path,
    mut take: impl FnMut(&Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        match path.extension() == Some(OsStr::new("parquet")) {
            true => files.push(path),
            false if path.is_dir() => files.extend(entries(&path)?),
            false => {}
        }
    }
    for path in files {
        let file = opener::open(&path).map_err(LakeError::from)?;
        let file = SerializedFileReader::new(file).map_err(LakeError::from)?;
        for row in file.get_row_iter(None).map_err(LakeError::from)? {
            take(&row.map_err(LakeError::from)?)?;
        }
    }
    Ok(())
}

/// What is in a folder, by name, but for what is no data.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, LakeError> {
    let mut all = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let is_data = |path: &PathBuf| {
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        !name.starts_with(['_', '.']) && (path.is_dir() || name.ends_with(".parquet"))
    };
    all.retain(is_data);
    all.sort();
    Ok(all)
}

pub(super) fn field<'r>(row: &'r Record, column: &str) -> Option<&'r Field> {
    row.get_column_iter().find(|(name, _)| *name == column).map(|(_, field)| field)
}

pub(super) fn text_in<'r>(row: &'r Record, column: &str) -> Option<&'r str> {
    match field(row, column) {
        Some(Field::Str(text)) => Some(text),
        _ => None,
    }
}

fn string(row: &Record, column: &str) -> String {
    text_in(row, column).unwrap_or_default().to_owned()
}

fn arc(row: &Record, column: &str) -> Option<Arc<str>> {
    text_in(row, column).map(Arc::from)
}

fn lines_in(row: &Record, column: &str) -> impl Iterator<Item = String> {
    string(row, column).lines().map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn parsed<T: std::str::FromStr>(row: &Record, column: &str) -> Option<T> {
    text_in(row, column)?.parse().ok()
}

fn time_in(row: &Record, column: &str) -> Option<Timestamp> {
    match field(row, column) {
        Some(Field::TimestampMicros(microseconds)) => Timestamp::from_microsecond(*microseconds).ok(),
        _ => None,
    }
}

fn number<T: TryFrom<i64>>(row: &Record, column: &str) -> Option<T> {
    match field(row, column) {
        Some(Field::Long(number)) => T::try_from(*number).ok(),
        _ => None,
    }
}

/// A probability; one that is none is 0.
fn probability(row: &Record, column: &str) -> Option<f64> {
    match field(row, column) {
        Some(Field::Double(number)) => Some(if (0.0..=1.0).contains(number) { *number } else { 0.0 }),
        _ => None,
    }
}

fn flag(row: &Record, column: &str) -> bool {
    matches!(field(row, column), Some(Field::Bool(true)))
}

/// The value of a word in a column, one of `all`.
fn word<T: Copy>(row: &Record, column: &str, all: &[T], word: impl Fn(T) -> &'static str) -> Option<T> {
    let found = text_in(row, column)?;
    all.iter().copied().find(|one| word(*one) == found)
}

fn environment(row: &Record) -> BTreeMap<&'static str, String> {
    OF_MACHINE.iter().filter_map(|key| Some((*key, text_in(row, key)?.to_owned()))).collect()
}

fn artifact(row: &Record) -> Artifact {
    let status = text_in(row, "status").unwrap_or_default();
    Artifact {
        path: string(row, "path"),
        kind: Cow::Owned(string(row, "kind")),
        status: serde_json::from_value(status.into()).unwrap_or(ArtifactStatus::Unknown),
        detail: text_in(row, "detail").map(str::to_owned),
        bytes: number(row, "bytes").unwrap_or_default(),
        records: number(row, "records"),
        party: arc(row, "party"),
        evidence: None,
    }
}

/// An incident without what other tables have; `None` for a kind of a later version.
fn judged(row: &Record) -> Option<Judged> {
    let process = Process {
        name: arc(row, "process"),
        version: parsed(row, "process_version"),
        pid: number(row, "pid"),
        path: arc(row, "process_path"),
        started: None,
    };
    let site = |module| FaultSite {
        module,
        version: parsed(row, "fault_version"),
        offset: text_in(row, "fault_offset").and_then(number_u64).map(ModuleOffset),
        function: arc(row, "fault_function"),
        ..FaultSite::default()
    };
    let suspect = |module| Suspect {
        module,
        version: parsed(row, "suspect_version"),
        path: None,
        what: arc(row, "suspect_product"),
        kind: None,
        basis: match text_in(row, "suspect_basis") {
            Some("exact") => Basis::Exact,
            Some("unwound") => Basis::Unwound,
            Some("named") => Basis::Named,
            _ => Basis::Likely,
        },
        reason: string(row, "suspect_reason"),
    };
    let exception = |code| ExceptionFacts {
        code: ExceptionCode(code),
        name: arc(row, "exception_name"),
        address: None,
        recorded_code: None,
        parameters: None,
        fast_fail: None,
        access: None,
    };
    let bugcheck = |code| Bugcheck {
        code: BugcheckCode(code),
        name: arc(row, "bugcheck_name"),
        parameters: Vec::new(),
        meanings: Vec::new(),
        live: flag(row, "bugcheck_live"),
        status: None,
        bits_differ: None,
        machine_check: None,
    };
    let incident = Incident {
        id: string(row, "id"),
        kind: word(row, "kind", IncidentKind::VARIANTS, IncidentKind::word)?,
        time: time_in(row, "time"),
        host: arc(row, "host"),
        host_by_folder: false,
        may_be_of: lines_in(row, "may_be_of").collect(),
        process: (process != Process::default()).then_some(process),
        shut_down: false,
        crashed_later: None,
        exception: text_in(row, "exception_code").and_then(number_u32).map(exception),
        bugcheck: text_in(row, "bugcheck_code").and_then(number_u32).map(bugcheck),
        fault_site: arc(row, "fault_module").map(site),
        mechanism: None,
        suspect: arc(row, "suspect").map(suspect),
        stack: Vec::new(),
        symbols_needed: Vec::new(),
        thrown: Vec::new(),
        dump: None,
        other_software: None,
        built_with: Vec::new(),
        environment: environment(row),
        signature: Signature {
            algorithm: incident::ALGORITHM,
            coarse: string(row, "signature"),
            fine: string(row, "fine_signature"),
        },
        evidence: Vec::new(),
        remarks: Vec::new(),
    };
    let verdict = Verdict {
        cause: string(row, "cause"),
        family: text_in(row, "family").map(str::to_owned),
        symptom: flag(row, "symptom"),
        confidence: probability(row, "confidence").unwrap_or_default(),
        sentence: string(row, "sentence"),
        measured: None,
        collect_next: lines_in(row, "collect_next").map(Cow::Owned).collect(),
        gap_requests: Vec::new(),
        leads: Vec::new(),
    };
    Some(Judged {
        incident,
        findings: Vec::new(),
        suppressed: Vec::new(),
        verdict,
        sigma: Vec::new(),
        threads: Vec::new(),
        party: arc(row, "party"),
    })
}

fn frame(row: &Record) -> StackFrame {
    StackFrame {
        module: arc(row, "module"),
        version: parsed(row, "version"),
        offset: text_in(row, "module_offset").and_then(number_u64).map(ModuleOffset),
        address: text_in(row, "address").and_then(number_u64).map(Address),
        function: arc(row, "function"),
        file: arc(row, "file"),
        line: number(row, "line"),
        trust: word(row, "trust", FrameTrust::VARIANTS, FrameTrust::word).unwrap_or(FrameTrust::Scanned),
        of: word(row, "stack", StackKind::VARIANTS, StackKind::word).unwrap_or_default(),
        ..StackFrame::default()
    }
}

fn other_module(row: &Record) -> OtherModule {
    OtherModule {
        module: arc(row, "module").unwrap_or_default(),
        version: parsed(row, "version"),
        path: arc(row, "path"),
        folder: None,
        what: arc(row, "product"),
        kind: None,
    }
}

fn finding(row: &Record) -> Finding {
    Finding {
        rule: string(row, "rule"),
        ruleset: string(row, "ruleset"),
        overridden_by: Vec::new(),
        cause: string(row, "cause"),
        symptom: flag(row, "symptom"),
        confidence: probability(row, "confidence").unwrap_or_default(),
        severity: word(row, "severity", &Severity::ALL, Severity::word).unwrap_or_default(),
        title: string(row, "title"),
        explanation: string(row, "explanation"),
        remediation: Vec::new(),
        collect: Vec::new(),
        evidence: lines_in(row, "evidence").filter_map(|number| Some(EvidenceRef(number.parse().ok()?))).collect(),
        entries: Vec::new(),
        incidents: Vec::new(),
        references: Vec::new(),
        suppression_ended: None,
        superseded_by: text_in(row, "superseded_by").map(str::to_owned),
    }
}

fn step(row: &Record) -> Remediation {
    Remediation {
        audience: word(row, "audience", &Audience::ALL, Audience::word).unwrap_or(Audience::Helpdesk),
        text: string(row, "text"),
        cost: word(row, "cost", &Cost::ALL, Cost::word),
        risk: word(row, "risk", &Risk::ALL, Risk::word),
        admin: flag(row, "admin"),
        undo: text_in(row, "undo").map(str::to_owned),
    }
}

/// The groups, each with the incidents of its signature and customer.
fn groups(folder: &Path, incidents: &[Judged]) -> Result<Vec<Group>, LakeError> {
    let mut members: HashMap<(String, Option<Arc<str>>), Vec<&Judged>> = HashMap::new();
    for judged in incidents.iter().filter(|judged| judged.incident.may_be_of.is_empty()) {
        members.entry((judged.incident.signature.coarse.clone(), judged.party.clone())).or_default().push(judged);
    }
    let mut groups = Vec::new();
    each(folder, "groups", |row| {
        let key = (string(row, "signature"), arc(row, "party"));
        let Some(members) = members.remove(&key) else { return };
        let (signature, party) = key;
        let list = |column| text_in(row, column).map(str::to_owned);
        let over_represented: Option<Vec<OverRepresented>> =
            list("over_represented").and_then(|list| serde_json::from_str(&list).ok());
        groups.push(Group {
            signature,
            party,
            incidents: members.iter().map(|judged| judged.incident.id.clone()).collect(),
            first: time_in(row, "first_seen"),
            last: time_in(row, "last_seen"),
            hosts: number(row, "hosts").unwrap_or_default(),
            representative: string(row, "representative"),
            cause: text_in(row, "cause").map(str::to_owned),
            confidence: probability(row, "confidence"),
            symptom: flag(row, "symptom"),
            causes: crate::groups::causes(&members),
            over_represented: over_represented.unwrap_or_default(),
            changes_before: list("changes_before").and_then(|list| serde_json::from_str(&list).ok()),
            changes_unknown: list("changes_unknown"),
        });
    })?;
    Ok(groups)
}

fn machine(row: &Record) -> Machine {
    Machine {
        host: arc(row, "host").unwrap_or_default(),
        party: arc(row, "party"),
        environment: environment(row),
        ..Machine::default()
    }
}

/// An entry of a timeline; `None` for a kind of a later version.
fn entry(row: &Record, artifact: usize) -> Option<TimelineEntry> {
    let kind = text_in(row, "kind")?;
    Some(TimelineEntry {
        time: time_in(row, "time")?,
        kind: TIMELINE_KINDS.iter().copied().find(|known| *known == kind)?,
        provider: arc(row, "provider").unwrap_or_default(),
        id: number(row, "event_id").unwrap_or_default(),
        sentence: arc(row, "says").unwrap_or_default(),
        sigma: None,
        incident: text_in(row, "incident").map(str::to_owned),
        item: 0,
        artifact,
        place: Place::Whole,
    })
}
