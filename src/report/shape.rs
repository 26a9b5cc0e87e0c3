//! The shapes of the report's JSON, borrowed from the finished values. The order of fields is the order of keys;
//! what is not known has no key.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::{Judged, Report, confidence};
use crate::compare;
use crate::coverage;
use crate::evidence::{Address, BugcheckCode, ExceptionCode, ModuleOffset, Place, Version};
use crate::facts::EvidenceRef;
use crate::groups;
use crate::incident;
use crate::merge::FORMAT;
use crate::rules;

/// Version of the report's shape: the first number changes when something is renamed or removed.
pub(super) const SCHEMA_VERSION: &str = "1.0";

/// A value in JSON as it displays itself.
pub(super) struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A number without unit in lower-case hexadecimal.
struct Hex(u64);

impl Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

type Environment = BTreeMap<&'static str, String>;

fn hex_all(numbers: &[u64]) -> Vec<Shown<Hex>> {
    numbers.iter().map(|number| Shown(Hex(*number))).collect()
}

/// What ran: the report's first keys.
#[derive(Serialize)]
pub(super) struct Run<'a> {
    pub(super) schema_version: &'static str,
    pub(super) tool: Tool,
    pub(super) rulesets: Vec<RuleSet<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evidence_format: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    name: &'static str,
    version: &'static str,
}

const TOOL: Tool = Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

#[derive(Serialize)]
pub(super) struct RuleSet<'a> {
    name: &'a str,
    version: &'a str,
    rules: usize,
}

impl<'a> Run<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let rulesets = report.rule_sets.iter();
        Self {
            schema_version: SCHEMA_VERSION,
            tool: TOOL,
            rulesets: rulesets
                .map(|set| RuleSet { name: &set.name, version: &set.version, rules: set.rules })
                .collect(),
            evidence_format: report.keeps_evidence.then_some(FORMAT),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Artifact<'a> {
    path: &'a str,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'a str>,
}

impl<'a> Artifact<'a> {
    pub(super) fn of(artifact: &'a super::Artifact) -> Self {
        Self {
            path: &artifact.path,
            kind: artifact.kind,
            status: artifact.status.word(),
            detail: artifact.detail.as_deref(),
            bytes: artifact.bytes,
            records: artifact.records,
            evidence: artifact.evidence.as_deref(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Incident<'a> {
    id: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_basis: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<Process<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<Exception<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bugcheck: Option<Bugcheck<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault_site: Option<FaultSite<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspect: Option<Suspect<'a>>,
    environment: &'a Environment,
    signature: Signature<'a>,
    evidence: Vec<Evidence<'a>>,
    remarks: &'a [String],
    findings: Vec<Finding<'a>>,
    verdict: Verdict<'a>,
}

impl<'a> Incident<'a> {
    pub(super) fn of(report: &'a Report, judged: &'a Judged) -> Self {
        let incident = &judged.incident;
        Self {
            id: &incident.id,
            kind: incident.kind.word(),
            time: incident.time.map(Shown),
            host: incident.host.as_deref(),
            host_basis: incident.host_by_folder.then_some("folder"),
            process: incident.process.as_ref().map(Process::of),
            exception: incident.exception.as_ref().map(Exception::of),
            bugcheck: incident.bugcheck.as_ref().map(Bugcheck::of),
            fault_site: incident.fault_site.as_ref().map(FaultSite::of),
            suspect: incident.suspect.as_ref().map(Suspect::of),
            environment: &incident.environment,
            signature: Signature {
                algorithm: incident.signature.algorithm,
                coarse: &incident.signature.coarse,
                fine: &incident.signature.fine,
            },
            evidence: (1_usize..).zip(&incident.evidence).map(|(n, item)| Evidence::of(report, n, item)).collect(),
            remarks: &incident.remarks,
            findings: judged.findings.iter().map(Finding::of).collect(),
            verdict: Verdict {
                cause: &judged.verdict.cause,
                confidence: confidence::rounded(judged.verdict.confidence),
                sentence: &judged.verdict.sentence,
                collect_next: &judged.verdict.collect_next,
            },
        }
    }
}

#[derive(Serialize)]
struct Process<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Shown<Version>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Shown<Timestamp>>,
}

impl<'a> Process<'a> {
    fn of(process: &'a incident::Process) -> Self {
        Self {
            name: process.name.as_deref(),
            version: process.version.map(Shown),
            pid: process.pid,
            path: process.path.as_deref(),
            started: process.started.map(Shown),
        }
    }
}

#[derive(Serialize)]
struct Exception<'a> {
    code: Shown<ExceptionCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Shown<Address>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Vec<Shown<Hex>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fast_fail: Option<FastFail<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<Access>,
}

#[derive(Serialize)]
struct FastFail<'a> {
    code: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct Access {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    address: Shown<Address>,
}

impl<'a> Exception<'a> {
    fn of(exception: &'a incident::ExceptionFacts) -> Self {
        Self {
            code: Shown(exception.code),
            name: exception.name.as_deref(),
            address: exception.address.map(Shown),
            parameters: exception.parameters.as_deref().map(hex_all),
            fast_fail: exception
                .fast_fail
                .as_ref()
                .map(|(code, name)| FastFail { code: code.0, name: name.as_deref() }),
            access: exception.access.map(|(kind, address)| Access { kind, address: Shown(address) }),
        }
    }
}

#[derive(Serialize)]
struct Bugcheck<'a> {
    code: Shown<BugcheckCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Shown<Hex>>,
    meanings: Vec<ParameterMeaning<'a>>,
    live: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Shown<ExceptionCode>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits_differ: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine_check: Option<&'static str>,
}

#[derive(Serialize)]
struct ParameterMeaning<'a> {
    parameter: u8,
    is: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    means: Option<&'a str>,
}

impl<'a> Bugcheck<'a> {
    fn of(bugcheck: &'a incident::Bugcheck) -> Self {
        let meanings = bugcheck.meanings.iter();
        Self {
            code: Shown(bugcheck.code),
            name: bugcheck.name.as_deref(),
            parameters: hex_all(&bugcheck.parameters),
            meanings: meanings
                .map(|said| ParameterMeaning { parameter: said.number, is: said.is, means: said.means.as_deref() })
                .collect(),
            live: bugcheck.live,
            status: bugcheck.status.map(Shown),
            bits_differ: bugcheck.bits_differ,
            machine_check: bugcheck.machine_check.map(|status| status.class().word()),
        }
    }
}

#[derive(Serialize)]
struct FaultSite<'a> {
    module: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Shown<Version>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<Shown<ModuleOffset>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    unloaded: bool,
    carrier: bool,
}

impl<'a> FaultSite<'a> {
    fn of(site: &'a incident::FaultSite) -> Self {
        Self {
            module: &site.module,
            version: site.version.map(Shown),
            offset: site.offset.map(Shown),
            path: site.path.as_deref(),
            function: site.function.as_deref(),
            unloaded: site.unloaded,
            carrier: site.carrier,
        }
    }
}

#[derive(Serialize)]
struct Suspect<'a> {
    module: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Shown<Version>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    basis: &'static str,
    reason: &'a str,
}

impl<'a> Suspect<'a> {
    fn of(suspect: &'a incident::Suspect) -> Self {
        Self {
            module: &suspect.module,
            version: suspect.version.map(Shown),
            path: suspect.path.as_deref(),
            basis: suspect.basis,
            reason: &suspect.reason,
        }
    }
}

#[derive(Serialize)]
struct Signature<'a> {
    algorithm: u32,
    coarse: &'a str,
    fine: &'a str,
}

#[derive(Serialize)]
struct Evidence<'a> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<&'a str>,
    place: Shown<&'a Place>,
    says: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    joined_by: Option<JoinedBy>,
}

#[derive(Serialize)]
struct JoinedBy {
    key: &'static str,
    strength: &'static str,
    to: String,
}

impl<'a> Evidence<'a> {
    fn of(report: &'a Report, number: usize, item: &'a incident::EvidenceItem) -> Self {
        Self {
            id: format!("e{number}"),
            artifact: report.artifact_path(item.artifact),
            place: Shown(&item.place),
            says: &item.says,
            joined_by: item.joined_by.map(|joined| JoinedBy {
                key: joined.key.word(),
                strength: joined.strength.word(),
                to: format!("e{}", joined.to.saturating_add(1)),
            }),
        }
    }
}

#[derive(Serialize)]
struct Finding<'a> {
    rule: &'a str,
    cause: &'a str,
    confidence: f64,
    severity: &'static str,
    title: &'a str,
    explanation: &'a str,
    remediation: Vec<Remediation<'a>>,
    collect: &'a [String],
    evidence: Vec<Shown<EvidenceRef>>,
    references: &'a [String],
}

#[derive(Serialize)]
struct Remediation<'a> {
    audience: &'static str,
    text: &'a str,
}

impl<'a> Finding<'a> {
    fn of(finding: &'a rules::Finding) -> Self {
        let remediation = finding.remediation.iter();
        Self {
            rule: &finding.rule,
            cause: &finding.cause,
            confidence: confidence::rounded(finding.confidence),
            severity: finding.severity.word(),
            title: &finding.title,
            explanation: &finding.explanation,
            remediation: remediation
                .map(|step| Remediation { audience: step.audience.word(), text: &step.text })
                .collect(),
            collect: &finding.collect,
            evidence: finding.evidence.iter().copied().map(Shown).collect(),
            references: &finding.references,
        }
    }
}

#[derive(Serialize)]
struct Verdict<'a> {
    cause: &'a str,
    confidence: f64,
    sentence: &'a str,
    collect_next: &'a [Cow<'static, str>],
}

#[derive(Serialize)]
pub(super) struct Machine<'a> {
    host: &'a str,
    environment: &'a Environment,
    environment_earlier: Vec<EarlierValue<'a>>,
    timeline: Timeline<'a>,
    coverage: &'a [String],
}

#[derive(Serialize)]
struct EarlierValue<'a> {
    key: &'static str,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Shown<Timestamp>>,
}

impl<'a> EarlierValue<'a> {
    fn of(earlier: &'a incident::EarlierValue) -> Self {
        Self { key: earlier.key, value: &earlier.value, time: earlier.time.map(Shown) }
    }
}

/// A machine's timeline. Its entries are made one by one as they are written: there are tens of thousands.
struct Timeline<'a> {
    report: &'a Report,
    entries: &'a [incident::TimelineEntry],
}

impl Serialize for Timeline<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.entries.iter().map(|entry| TimelineEntry::of(self.report, entry)))
    }
}

#[derive(Serialize)]
struct TimelineEntry<'a> {
    time: Shown<Timestamp>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    incident: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<u32>,
    says: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<&'a str>,
    place: Shown<&'a Place>,
}

impl<'a> TimelineEntry<'a> {
    fn of(report: &'a Report, entry: &'a incident::TimelineEntry) -> Self {
        let of_event = !entry.provider.is_empty();
        Self {
            time: Shown(entry.time),
            kind: entry.kind,
            incident: entry.incident.as_deref(),
            provider: of_event.then_some(&*entry.provider),
            event_id: of_event.then_some(entry.id),
            says: &entry.says,
            artifact: report.artifact_path(entry.artifact),
            place: Shown(&entry.place),
        }
    }
}

impl<'a> Machine<'a> {
    pub(super) fn of(report: &'a Report, machine: &'a incident::Machine) -> Self {
        Self {
            host: &machine.host,
            environment: &machine.environment,
            environment_earlier: machine.earlier.iter().map(EarlierValue::of).collect(),
            timeline: Timeline { report, entries: &machine.timeline },
            coverage: &machine.coverage,
        }
    }
}

/// What the artifacts could not show.
#[derive(Serialize)]
pub(super) struct Coverage<'a> {
    gaps: Vec<Gap<'a>>,
    collect_next: Vec<Request<'a>>,
}

#[derive(Serialize)]
struct Gap<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<&'a str>,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
    undetermined: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Shown<Timestamp>>,
    says: &'a str,
}

#[derive(Serialize)]
struct Request<'a> {
    id: &'static str,
    incidents: usize,
    undetermined: usize,
    says: &'a str,
}

impl<'a> Coverage<'a> {
    pub(super) fn of(coverage: &'a coverage::Coverage) -> Self {
        let gap = |gap: &'a coverage::Gap| Gap {
            kind: gap.kind,
            host: gap.host.as_deref(),
            log: gap.log.as_deref(),
            count: gap.count,
            of: gap.of,
            undetermined: gap.undetermined,
            first: gap.first.map(Shown),
            last: gap.last.map(Shown),
            says: &gap.says,
        };
        let request = |request: &'a coverage::Request| Request {
            id: request.id,
            incidents: request.incidents,
            undetermined: request.undetermined,
            says: &request.says,
        };
        Self {
            gaps: coverage.gaps.iter().map(gap).collect(),
            collect_next: coverage.collect_next.iter().map(request).collect(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Group<'a> {
    signature: &'a str,
    incidents: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Shown<Timestamp>>,
    hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    over_represented: Vec<OverRepresented<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_before: Option<Vec<ChangeBefore<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_unknown: Option<&'a str>,
}

impl<'a> Group<'a> {
    pub(super) fn of(report: &'a Report, group: &'a groups::Group) -> Self {
        let changes = group.before.changes.as_ref();
        Self {
            signature: &group.signature,
            incidents: &group.incidents,
            first: group.first.map(Shown),
            last: group.last.map(Shown),
            hosts: group.hosts,
            cause: group.cause.as_deref(),
            over_represented: group.over_represented.iter().map(OverRepresented::of).collect(),
            changes_before: changes
                .map(|changes| changes.iter().map(|change| ChangeBefore::of(report, change)).collect()),
            changes_unknown: group.before.unknown.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct ChangeBefore<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bears_on: Option<&'static str>,
    host: &'a str,
    time: Shown<Timestamp>,
    seconds_before: u64,
    says: &'a str,
    hosts: usize,
    of_hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<&'a str>,
    place: Shown<&'a Place>,
}

impl<'a> ChangeBefore<'a> {
    fn of(report: &'a Report, change: &'a groups::ChangeBefore) -> Self {
        Self {
            kind: change.kind,
            bears_on: change.bears_on.map(groups::BearsOn::word),
            host: &change.host,
            time: Shown(change.time),
            seconds_before: change.seconds_before,
            says: &change.says,
            hosts: change.hosts,
            of_hosts: change.of_hosts,
            artifact: report.artifact_path(change.artifact),
            place: Shown(&change.place),
        }
    }
}

#[derive(Serialize)]
struct OverRepresented<'a> {
    kind: &'static str,
    value: &'a str,
    unit: &'static str,
    in_group: u64,
    of_group: u64,
    elsewhere: u64,
    of_elsewhere: u64,
    difference: [f64; 2],
    p: f64,
    q: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    together_with: Vec<String>,
    may_be_the_program: bool,
    says: String,
}

impl<'a> OverRepresented<'a> {
    fn of(found: &'a groups::OverRepresented) -> Self {
        let counts = found.counts;
        let (least, most) = found.difference;
        Self {
            kind: found.attribute.kind,
            value: &found.attribute.value,
            unit: found.unit.word(),
            in_group: counts.a,
            of_group: counts.n,
            elsewhere: counts.c,
            of_elsewhere: counts.m,
            difference: [two_digits(least), two_digits(most)],
            p: two_digits(found.p),
            q: two_digits(found.q),
            together_with: found.together_with.iter().map(ToString::to_string).collect(),
            may_be_the_program: found.may_be_the_program,
            says: found.says(),
        }
    }
}

/// A comparison with what ran, as `crashsift compare` writes it.
#[derive(Serialize)]
pub(super) struct Compared<'a> {
    schema_version: &'static str,
    tool: Tool,
    comparison: Comparison<'a>,
}

impl<'a> Compared<'a> {
    pub(super) fn of(comparison: &'a compare::Comparison) -> Self {
        Self { schema_version: SCHEMA_VERSION, tool: TOOL, comparison: Comparison::of(comparison) }
    }
}

#[derive(Serialize)]
pub(super) struct Comparison<'a> {
    incidents_before: usize,
    incidents_now: usize,
    new_incidents: usize,
    unchanged_groups: usize,
    tool_before: &'a str,
    tool_now: &'a str,
    rulesets_before: &'a [String],
    rulesets_now: &'a [String],
    changes: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    signature: &'a str,
    change: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<ComparedGroup<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<ComparedGroup<'a>>,
    new_incidents: &'a [String],
    gone_incidents: usize,
}

#[derive(Serialize)]
struct ComparedGroup<'a> {
    incidents: usize,
    hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

impl<'a> Comparison<'a> {
    pub(super) fn of(comparison: &'a compare::Comparison) -> Self {
        let changes = comparison.changes.iter().map(|change| Change {
            signature: &change.signature,
            change: change.kinds(),
            before: change.before.as_ref().map(ComparedGroup::of),
            now: change.now.as_ref().map(ComparedGroup::of),
            new_incidents: &change.new_incidents,
            gone_incidents: change.gone_incidents,
        });
        Self {
            incidents_before: comparison.before,
            incidents_now: comparison.now,
            new_incidents: comparison.new_incidents,
            unchanged_groups: comparison.unchanged,
            tool_before: &comparison.made_before.tool,
            tool_now: &comparison.made_now.tool,
            rulesets_before: &comparison.made_before.rule_sets,
            rulesets_now: &comparison.made_now.rule_sets,
            changes: changes.collect(),
        }
    }
}

impl<'a> ComparedGroup<'a> {
    fn of(state: &'a compare::State) -> Self {
        Self {
            incidents: state.incidents,
            hosts: state.hosts,
            first: state.first.map(Shown),
            last: state.last.map(Shown),
            cause: state.verdict.as_ref().map(|(cause, _)| cause.as_str()),
            confidence: state.verdict.as_ref().map(|(_, confidence)| confidence::rounded(*confidence)),
        }
    }
}

/// A number by its first two digits: no more of a statistic means anything, and they don't depend on how a processor
/// rounds the last ones.
fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

#[derive(Serialize)]
pub(super) struct Summary<'a> {
    artifacts: usize,
    failed: usize,
    partial: usize,
    archives: usize,
    incidents: usize,
    by_cause: &'a BTreeMap<String, usize>,
    undetermined: usize,
}

impl<'a> Summary<'a> {
    pub(super) fn of(summary: &'a super::Summary) -> Self {
        Self {
            artifacts: summary.artifacts,
            failed: summary.failed,
            partial: summary.partial,
            archives: summary.archives,
            incidents: summary.incidents,
            by_cause: &summary.by_cause,
            undetermined: summary.undetermined,
        }
    }
}
