//! An incident with what the rules say of it.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;

use super::sigma::Nearby;
use super::{Environment, Hex, Shown, hex_all};
use crate::{Artifact, Judged, Report, confidence};
use evidence::{Address, BugcheckCode, ExceptionCode, ModuleOffset, Place, Version};
use facts::{EvidenceRef, NamedIncidents};

#[derive(Serialize)]
pub(crate) struct Incident<'a> {
    id: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_basis: Option<&'static str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    may_be_of: &'a [String],
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sigma: Vec<Nearby<'a>>,
    findings: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<Suppressed<'a>>,
    verdict: Verdict<'a>,
}

impl<'a> Incident<'a> {
    pub(crate) fn of(report: &'a Report, judged: &'a Judged) -> Self {
        let incident = &judged.incident;
        Self {
            id: &incident.id,
            kind: incident.kind.word(),
            time: incident.time.map(Shown),
            host: incident.host.as_deref(),
            host_basis: incident.host_by_folder.then_some("folder"),
            may_be_of: &incident.may_be_of,
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
            evidence: Evidence::all(&report.artifacts, incident),
            remarks: &incident.remarks,
            sigma: judged.sigma.iter().map(|nearby| Nearby::of(report, nearby)).collect(),
            findings: judged.findings.iter().map(Finding::of).collect(),
            suppressed: judged.suppressed.iter().map(Suppressed::of).collect(),
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
pub(crate) struct Evidence<'a> {
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
    /// All that was read about an incident, which refers to the run's artifacts.
    pub(crate) fn all(artifacts: &'a [Artifact], incident: &'a incident::Incident) -> Vec<Self> {
        (1_usize..).zip(&incident.evidence).map(|(number, item)| Self::of(artifacts, number, item)).collect()
    }

    fn of(artifacts: &'a [Artifact], number: usize, item: &'a incident::EvidenceItem) -> Self {
        Self {
            id: format!("e{number}"),
            artifact: artifacts.get(item.artifact).map(|artifact| artifact.path.as_str()),
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
    ruleset: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    overridden_by: &'a [String],
    cause: &'a str,
    confidence: f64,
    severity: &'static str,
    title: &'a str,
    explanation: &'a str,
    remediation: Vec<Remediation<'a>>,
    collect: &'a [String],
    evidence: Vec<Shown<EvidenceRef>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Entries<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incidents: Vec<OtherIncidents<'a>>,
    references: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    suppression_ended: Option<SuppressedBy<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<&'a str>,
}

#[derive(Serialize)]
struct Suppressed<'a> {
    rule: &'a str,
    cause: &'a str,
    confidence: f64,
    title: &'a str,
    #[serde(flatten)]
    by: SuppressedBy<'a>,
}

#[derive(Serialize)]
struct SuppressedBy<'a> {
    by: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Shown<Date>>,
}

impl<'a> Suppressed<'a> {
    fn of(suppressed: &'a rules::Suppressed) -> Self {
        let rules::Suppressed { rule, cause, confidence, title, by } = suppressed;
        Self { rule, cause, confidence: confidence::rounded(*confidence), title, by: SuppressedBy::of(by) }
    }
}

impl<'a> SuppressedBy<'a> {
    fn of(suppressed: &'a rules::SuppressedBy) -> Self {
        let rules::SuppressedBy { by, reason, until } = suppressed;
        Self { by, reason, until: until.map(Shown) }
    }
}

#[derive(Serialize)]
struct Entries<'a> {
    list: &'static str,
    says: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

impl<'a> Entries<'a> {
    fn of(named: &'a rules::NamedEntries) -> Self {
        Self { list: named.list, says: &named.says, more: Some(named.more).filter(|more| *more > 0) }
    }
}

#[derive(Serialize)]
struct OtherIncidents<'a> {
    relation: &'static str,
    ids: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

impl<'a> OtherIncidents<'a> {
    fn of(named: &'a NamedIncidents) -> Self {
        let more = Some(named.more).filter(|more| *more > 0);
        Self { relation: named.relation.word(), ids: named.ids.iter().map(|id| &**id).collect(), more }
    }
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
            ruleset: &finding.ruleset,
            overridden_by: &finding.overridden_by,
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
            entries: finding.entries.iter().map(Entries::of).collect(),
            incidents: finding.incidents.iter().map(OtherIncidents::of).collect(),
            references: &finding.references,
            suppression_ended: finding.suppression_ended.as_ref().map(SuppressedBy::of),
            superseded_by: finding.superseded_by.as_deref(),
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
