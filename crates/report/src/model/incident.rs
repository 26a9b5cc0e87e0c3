//! An incident of a document: its facts, the findings of rules, and its verdict.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::machine::{Environment, environment};
use super::report::{Artifact, Judged, Report, Verdict};
use super::sigma::Nearby;
use super::text::{Text, hex, shown};
use crate::confidence;
use facts::NamedIncidents;
use rules::SuppressedBy;

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Incident<'a> {
    pub(crate) id: Text<'a>,
    kind: Text<'a>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) host: Option<Text<'a>>,
    host_basis: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub(crate) may_be_of: Cow<'a, [String]>,
    pub(crate) process: Option<Process<'a>>,
    exception: Option<Exception<'a>>,
    pub(crate) bugcheck: Option<Bugcheck<'a>>,
    fault_site: Option<FaultSite<'a>>,
    suspect: Option<Suspect<'a>>,
    environment: Environment<'a>,
    pub(crate) signature: Signature<'a>,
    pub(super) evidence: Vec<Evidence<'a>>,
    remarks: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sigma: Vec<Nearby<'a>>,
    findings: Vec<Finding<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<Suppressed<'a>>,
    pub(crate) verdict: Cow<'a, Verdict>,
}

impl<'a> Incident<'a> {
    pub(super) fn new(report: &'a Report, judged: &'a Judged) -> Self {
        let incident = &judged.incident;
        Self {
            id: Cow::Borrowed(&incident.id),
            kind: Cow::Borrowed(incident.kind.word()),
            time: incident.time,
            host: incident.host.as_deref().map(Cow::Borrowed),
            host_basis: incident.host_by_folder.then_some(Cow::Borrowed("folder")),
            may_be_of: Cow::Borrowed(&incident.may_be_of),
            process: incident.process.as_ref().map(Process::from),
            exception: incident.exception.as_ref().map(Exception::from),
            bugcheck: incident.bugcheck.as_ref().map(Bugcheck::from),
            fault_site: incident.fault_site.as_ref().map(FaultSite::from),
            suspect: incident.suspect.as_ref().map(Suspect::from),
            environment: environment(&incident.environment),
            signature: Signature {
                algorithm: incident.signature.algorithm,
                coarse: Cow::Borrowed(&incident.signature.coarse),
                fine: Cow::Borrowed(&incident.signature.fine),
            },
            evidence: Evidence::all(&report.artifacts, incident),
            remarks: Cow::Borrowed(&incident.remarks),
            sigma: judged.sigma.iter().map(|nearby| Nearby::new(report, nearby)).collect(),
            findings: judged.findings.iter().map(Finding::from).collect(),
            suppressed: judged.suppressed.iter().map(Suppressed::from).collect(),
            verdict: Cow::Borrowed(&judged.verdict),
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Process<'a> {
    pub(crate) name: Option<Text<'a>>,
    version: Option<Text<'a>>,
    pub(crate) pid: Option<u32>,
    path: Option<Text<'a>>,
    started: Option<Timestamp>,
}

impl<'a> From<&'a incident::Process> for Process<'a> {
    fn from(process: &'a incident::Process) -> Self {
        Self {
            name: process.name.as_deref().map(Cow::Borrowed),
            version: process.version.map(shown),
            pid: process.pid,
            path: process.path.as_deref().map(Cow::Borrowed),
            started: process.started,
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct Exception<'a> {
    code: Text<'a>,
    name: Option<Text<'a>>,
    address: Option<Text<'a>>,
    parameters: Option<Vec<Text<'a>>>,
    fast_fail: Option<FastFail<'a>>,
    access: Option<Access<'a>>,
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct FastFail<'a> {
    code: u32,
    name: Option<Text<'a>>,
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct Access<'a> {
    kind: Option<Text<'a>>,
    address: Text<'a>,
}

impl<'a> From<&'a incident::ExceptionFacts> for Exception<'a> {
    fn from(exception: &'a incident::ExceptionFacts) -> Self {
        let fast_fail = exception.fast_fail.as_ref();
        Self {
            code: shown(exception.code),
            name: exception.name.as_deref().map(Cow::Borrowed),
            address: exception.address.map(shown),
            parameters: exception.parameters.as_ref().map(|all| all.iter().copied().map(hex).collect()),
            fast_fail: fast_fail
                .map(|(code, name)| FastFail { code: code.0, name: name.as_deref().map(Cow::Borrowed) }),
            access: exception
                .access
                .map(|(kind, address)| Access { kind: kind.map(Cow::Borrowed), address: shown(address) }),
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Bugcheck<'a> {
    pub(crate) code: Text<'a>,
    name: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Text<'a>>,
    meanings: Vec<ParameterMeaning<'a>>,
    live: bool,
    status: Option<Text<'a>>,
    bits_differ: Option<u32>,
    machine_check: Option<Text<'a>>,
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct ParameterMeaning<'a> {
    parameter: u8,
    is: Text<'a>,
    means: Option<Text<'a>>,
}

impl<'a> From<&'a incident::Bugcheck> for Bugcheck<'a> {
    fn from(bugcheck: &'a incident::Bugcheck) -> Self {
        let meaning = |meaning: &'a incident::ParameterMeaning| ParameterMeaning {
            parameter: meaning.number,
            is: Cow::Borrowed(meaning.is),
            means: meaning.means.as_deref().map(Cow::Borrowed),
        };
        Self {
            code: shown(bugcheck.code),
            name: bugcheck.name.as_deref().map(Cow::Borrowed),
            parameters: bugcheck.parameters.iter().copied().map(hex).collect(),
            meanings: bugcheck.meanings.iter().map(meaning).collect(),
            live: bugcheck.live,
            status: bugcheck.status.map(shown),
            bits_differ: bugcheck.bits_differ,
            machine_check: bugcheck.machine_check.map(|status| Cow::Borrowed(status.class().word())),
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct FaultSite<'a> {
    module: Text<'a>,
    version: Option<Text<'a>>,
    offset: Option<Text<'a>>,
    path: Option<Text<'a>>,
    function: Option<Text<'a>>,
    unloaded: bool,
    carrier: bool,
}

impl<'a> From<&'a incident::FaultSite> for FaultSite<'a> {
    fn from(site: &'a incident::FaultSite) -> Self {
        Self {
            module: Cow::Borrowed(&site.module),
            version: site.version.map(shown),
            offset: site.offset.map(shown),
            path: site.path.as_deref().map(Cow::Borrowed),
            function: site.function.as_deref().map(Cow::Borrowed),
            unloaded: site.unloaded,
            carrier: site.carrier,
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct Suspect<'a> {
    module: Text<'a>,
    version: Option<Text<'a>>,
    path: Option<Text<'a>>,
    basis: Text<'a>,
    reason: Text<'a>,
}

impl<'a> From<&'a incident::Suspect> for Suspect<'a> {
    fn from(suspect: &'a incident::Suspect) -> Self {
        Self {
            module: Cow::Borrowed(&suspect.module),
            version: suspect.version.map(shown),
            path: suspect.path.as_deref().map(Cow::Borrowed),
            basis: Cow::Borrowed(suspect.basis),
            reason: Cow::Borrowed(&suspect.reason),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Signature<'a> {
    pub(crate) algorithm: u32,
    pub(crate) coarse: Text<'a>,
    fine: Text<'a>,
}

/// The statement of one place in an artifact about an incident.
#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Evidence<'a> {
    id: Text<'a>,
    pub(super) artifact: Option<Text<'a>>,
    place: Text<'a>,
    says: Text<'a>,
    joined_by: Option<JoinedBy<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct JoinedBy<'a> {
    key: Text<'a>,
    strength: Text<'a>,
    to: Text<'a>,
}

impl<'a> Evidence<'a> {
    /// The evidence of an incident, whose items refer to the run's artifacts.
    pub(crate) fn all(artifacts: &'a [Artifact], incident: &'a incident::Incident) -> Vec<Self> {
        let id = |number: usize| -> Text<'a> { Cow::Owned(format!("e{number}")) };
        let item = |(number, item): (usize, &'a incident::EvidenceItem)| Self {
            id: id(number),
            artifact: artifacts.get(item.artifact).map(|artifact| Cow::Borrowed(artifact.path.as_str())),
            place: shown(&item.place),
            says: Cow::Borrowed(&item.sentence),
            joined_by: item.joined_by.map(|joined| JoinedBy {
                key: Cow::Borrowed(joined.key.word()),
                strength: Cow::Borrowed(joined.strength.word()),
                to: id(joined.to + 1),
            }),
        };
        (1_usize..).zip(&incident.evidence).map(item).collect()
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct Finding<'a> {
    rule: Text<'a>,
    ruleset: Text<'a>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    overridden_by: Cow<'a, [String]>,
    cause: Text<'a>,
    #[serde(serialize_with = "confidence::write_rounded")]
    confidence: f64,
    severity: Text<'a>,
    title: Text<'a>,
    explanation: Text<'a>,
    remediation: Vec<Remediation<'a>>,
    collect: Cow<'a, [String]>,
    evidence: Vec<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Entries<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    incidents: Vec<OtherIncidents<'a>>,
    references: Cow<'a, [String]>,
    suppression_ended: Option<Cow<'a, SuppressedBy>>,
    superseded_by: Option<Text<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Suppressed<'a> {
    rule: Text<'a>,
    cause: Text<'a>,
    #[serde(serialize_with = "confidence::write_rounded")]
    confidence: f64,
    title: Text<'a>,
    #[serde(flatten)]
    by: Cow<'a, SuppressedBy>,
}

impl<'a> From<&'a rules::Suppressed> for Suppressed<'a> {
    fn from(suppressed: &'a rules::Suppressed) -> Self {
        Self {
            rule: Cow::Borrowed(&suppressed.rule),
            cause: Cow::Borrowed(&suppressed.cause),
            confidence: suppressed.confidence,
            title: Cow::Borrowed(&suppressed.title),
            by: Cow::Borrowed(&suppressed.by),
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct Entries<'a> {
    list: Text<'a>,
    says: Cow<'a, [String]>,
    more: Option<usize>,
}

impl<'a> From<&'a rules::NamedEntries> for Entries<'a> {
    fn from(named: &'a rules::NamedEntries) -> Self {
        let more = Some(named.more).filter(|more| *more > 0);
        Self { list: Cow::Borrowed(named.list), says: Cow::Borrowed(&named.says), more }
    }
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct OtherIncidents<'a> {
    relation: Text<'a>,
    ids: Vec<Text<'a>>,
    more: Option<usize>,
}

impl<'a> From<&'a NamedIncidents> for OtherIncidents<'a> {
    fn from(named: &'a NamedIncidents) -> Self {
        Self {
            relation: Cow::Borrowed(named.relation.word()),
            ids: named.ids.iter().map(|id| Cow::Borrowed(&**id)).collect(),
            more: Some(named.more).filter(|more| *more > 0),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Remediation<'a> {
    audience: Text<'a>,
    text: Text<'a>,
}

impl<'a> From<&'a rules::Finding> for Finding<'a> {
    fn from(finding: &'a rules::Finding) -> Self {
        let step = |step: &'a rules::Remediation| Remediation {
            audience: Cow::Borrowed(step.audience.word()),
            text: Cow::Borrowed(&step.text),
        };
        Self {
            rule: Cow::Borrowed(&finding.rule),
            ruleset: Cow::Borrowed(&finding.ruleset),
            overridden_by: Cow::Borrowed(&finding.overridden_by),
            cause: Cow::Borrowed(&finding.cause),
            confidence: finding.confidence,
            severity: Cow::Borrowed(finding.severity.word()),
            title: Cow::Borrowed(&finding.title),
            explanation: Cow::Borrowed(&finding.explanation),
            remediation: finding.remediation.iter().map(step).collect(),
            collect: Cow::Borrowed(&finding.collect),
            evidence: finding.evidence.iter().map(shown).collect(),
            entries: finding.entries.iter().map(Entries::from).collect(),
            incidents: finding.incidents.iter().map(OtherIncidents::from).collect(),
            references: Cow::Borrowed(&finding.references),
            suppression_ended: finding.suppression_ended.as_ref().map(Cow::Borrowed),
            superseded_by: finding.superseded_by.as_deref().map(Cow::Borrowed),
        }
    }
}
