//! An incident of a document: its facts, the findings of rules, and its verdict.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::Measured;
use super::part::Part;
use super::read;
use super::report::{Artifact, Judged, Lead, Report};
use super::sigma::Nearby;
use super::text::{Text, shown};
use crate::account::happened;
use crate::wording::{how_sure_words, prose};
use incident::{
    Bugcheck, Component, DumpState, ExceptionFacts, FaultSite, Mechanism, NeededFile, OtherSoftware, Process,
    Signature, StackFrame, Suspect, Thread, Thrown,
};
use rules::{Audience, Finding, Remediation, Suppressed};

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Incident<'a> {
    pub(crate) id: Text<'a>,
    kind: Text<'a>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) party: Option<Text<'a>>,
    pub(crate) host: Option<Text<'a>>,
    host_basis: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub(crate) may_be_of: Cow<'a, [String]>,
    pub(crate) process: Option<Cow<'a, Process>>,
    exception: Option<Part<'a, ExceptionFacts>>,
    pub(crate) bugcheck: Option<Part<'a, Bugcheck>>,
    fault_site: Option<Part<'a, FaultSite>>,
    mechanism: Option<Part<'a, Mechanism>>,
    suspect: Option<Part<'a, Suspect>>,
    stack: Option<Part<'a, [StackFrame]>>,
    symbols_needed: Option<Part<'a, [NeededFile]>>,
    threads: Option<Part<'a, [Thread]>>,
    thrown: Option<Part<'a, [Thrown]>>,
    dump: Option<Part<'a, DumpState>>,
    other_software: Option<Part<'a, OtherSoftware>>,
    built_with: Option<Part<'a, [Component]>>,
    environment: Part<'a, BTreeMap<&'static str, String>>,
    pub(crate) signature: Cow<'a, Signature>,
    pub(super) evidence: Vec<Evidence<'a>>,
    remarks: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sigma: Vec<Nearby<'a>>,
    findings: Part<'a, [Finding]>,
    suppressed: Option<Part<'a, [Suppressed]>>,
    pub(crate) verdict: VerdictEntry<'a>,
}

impl<'a> Incident<'a> {
    pub(crate) fn new(report: &'a Report, judged: &'a Judged) -> Self {
        let incident = &judged.incident;
        Self {
            id: Cow::Borrowed(&incident.id),
            kind: Cow::Borrowed(incident.kind.word()),
            time: incident.time,
            party: judged.party.as_deref().map(Cow::Borrowed),
            host: incident.host.as_deref().map(Cow::Borrowed),
            host_basis: incident.host_by_folder.then_some(Cow::Borrowed("folder")),
            may_be_of: Cow::Borrowed(&incident.may_be_of),
            process: incident.process.as_ref().map(Cow::Borrowed),
            exception: incident.exception.as_ref().map(Part::Made),
            bugcheck: incident.bugcheck.as_ref().map(Part::Made),
            fault_site: incident.fault_site.as_ref().map(Part::Made),
            mechanism: incident.mechanism.as_ref().map(Part::Made),
            suspect: incident.suspect.as_ref().map(Part::Made),
            stack: Part::unless_empty(&incident.stack),
            symbols_needed: Part::unless_empty(&incident.symbols_needed),
            threads: Part::unless_empty(&judged.threads),
            thrown: Part::unless_empty(&incident.thrown),
            dump: incident.dump.as_ref().map(Part::Made),
            other_software: incident.other_software.as_ref().map(Part::Made),
            built_with: Part::unless_empty(&incident.built_with),
            environment: Part::Made(&incident.environment),
            signature: Cow::Borrowed(&incident.signature),
            evidence: Evidence::all(&report.artifacts, incident),
            remarks: Cow::Borrowed(&incident.remarks),
            sigma: judged.sigma.iter().map(|nearby| Nearby::new(report, nearby)).collect(),
            findings: Part::Made(&judged.findings),
            suppressed: Part::unless_empty(&judged.suppressed),
            verdict: VerdictEntry::new(judged),
        }
    }
}

/// The verdict of an incident: what happened, why, how sure that is, and what to do.
#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct VerdictEntry<'a> {
    pub(crate) cause: Text<'a>,
    family: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) symptom: bool,
    #[serde(serialize_with = "rules::write_rounded", deserialize_with = "read::probability")]
    pub(crate) confidence: f64,
    sentence: Text<'a>,
    severity: Option<Text<'a>>,
    how_sure: Option<Text<'a>>,
    measured: Option<Measured>,
    mechanism: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step<'a>>,
    collect_next: Cow<'a, [Cow<'static, str>]>,
    #[serde(default, skip_serializing_if = "<[Lead]>::is_empty")]
    leads: Cow<'a, [Lead]>,
}

/// One action that is advised.
#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
struct Step<'a> {
    audience: Text<'a>,
    text: Text<'a>,
    cost: Option<Text<'a>>,
    risk: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    admin: bool,
    undo: Option<Text<'a>>,
}

impl<'a> Step<'a> {
    fn new(step: &'a Remediation) -> Self {
        Self {
            audience: Cow::Borrowed(step.audience.word()),
            text: Cow::Owned(prose(&step.text)),
            cost: step.cost.map(|cost| Cow::Borrowed(cost.word())),
            risk: step.risk.map(|risk| Cow::Borrowed(risk.word())),
            admin: step.admin,
            undo: step.undo.as_deref().map(|undo| Cow::Owned(prose(undo))),
        }
    }
}

impl<'a> VerdictEntry<'a> {
    fn new(judged: &'a Judged) -> Self {
        let verdict = &judged.verdict;
        let leading = judged.leading_finding();
        let steps = |audience| leading.map(|finding| crate::account::steps(finding, audience)).unwrap_or_default();
        Self {
            cause: Cow::Borrowed(&verdict.cause),
            family: verdict.family.as_deref().map(Cow::Borrowed),
            symptom: verdict.symptom,
            confidence: verdict.confidence,
            sentence: Cow::Borrowed(&verdict.sentence),
            severity: leading.map(|finding| Cow::Borrowed(finding.severity.word())),
            how_sure: Some(Cow::Borrowed(how_sure_words(verdict))),
            measured: verdict.measured,
            mechanism: Some(Cow::Owned(happened(judged))),
            steps: Audience::ALL.into_iter().flat_map(steps).map(Step::new).collect(),
            collect_next: Cow::Borrowed(&verdict.collect_next),
            leads: Cow::Borrowed(&verdict.leads),
        }
    }
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
