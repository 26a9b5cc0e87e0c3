//! A group of alike incidents: the one that stands for it in full, and the others in a line each.

use std::collections::HashSet;

use serde::Serialize;

use super::{Row, rows};
use crate::confidence::{self, Level};
use crate::groups;
use crate::text::block::{
    Block, change_line, how_sure_rows, leading_finding, more_often_line, other_incidents, process_name,
};
use crate::text::happened;
use crate::text::overview::{modules, when};
use crate::text::wording::{kind, name, place, prose, short_time_if_known, verdict, versioned};
use crate::{Judged, Report, Verdict};
use incident::{EvidenceItem, Incident};
use rules::{Audience, Finding};

#[derive(Serialize)]
pub struct Group<'r> {
    number: usize,
    /// The verdict as a sentence.
    sentence: String,
    /// How sure it is, as a word for a style sheet: `act`, `likely`, `possible`, `weak` or `undetermined`.
    level: &'static str,
    /// The same for people.
    sure: String,
    /// How often what happened to what.
    what: String,
    verdict: String,
    modules: Option<String>,
    when: String,
    /// Cause, severity, rule, suspect, incident and group.
    about: Vec<Row>,
    /// Whether acting comes before collecting.
    act_first: bool,
    steps: Vec<Steps>,
    collect: Vec<String>,
    explanation: Option<String>,
    agreeing: Vec<String>,
    evidence: Vec<Evidence>,
    evidence_left_out: usize,
    is_cited: bool,
    /// Other incidents that the verdict rests on.
    rests_on: Vec<String>,
    other_causes: Vec<OtherCause>,
    happened: Vec<Row>,
    remarks: Vec<String>,
    references: Vec<Reference<'r>>,
    more_often: Vec<String>,
    changes: Vec<String>,
    changes_unknown: Option<String>,
    others: Vec<Other<'r>>,
}

#[derive(Serialize)]
struct Steps {
    audience: &'static str,
    texts: Vec<String>,
}

#[derive(Serialize)]
struct Evidence {
    id: String,
    /// Whether the verdict rests on it.
    cited: bool,
    place: String,
    says: String,
    /// By what it was found to belong to the others.
    joined: Option<String>,
}

#[derive(Serialize)]
struct OtherCause {
    cause: String,
    title: String,
    sure: String,
    explanation: String,
}

#[derive(Serialize)]
struct Reference<'r> {
    text: &'r str,
    /// Whether it is the address of a page.
    is_link: bool,
}

#[derive(Serialize)]
struct Other<'r> {
    id: &'r str,
    time: String,
    host: String,
    what: String,
    module: String,
    verdict: String,
}

impl<'r> Group<'r> {
    pub(super) fn of(report: &'r Report, block: &Block<'r>, most_evidence: usize) -> Self {
        let judged = block.shown;
        let leading = leading_finding(judged);
        let (evidence, evidence_left_out) = evidence(report, judged, leading, most_evidence);
        let before = block.group.map(|group| &group.before);
        Self {
            number: block.number,
            sentence: prose(&judged.verdict.sentence),
            level: level(&judged.verdict),
            sure: confidence::of_verdict(&judged.verdict),
            what: block.what(),
            verdict: block.verdict(),
            modules: modules(block),
            when: when(block),
            about: rows(how_sure_rows(block, leading, false)),
            act_first: leading.is_some() && Level::of(judged.verdict.confidence) >= Level::Likely,
            steps: leading.map(steps).unwrap_or_default(),
            collect: judged.verdict.collect_next.iter().map(|text| prose(text)).collect(),
            explanation: leading.map(|finding| prose(&finding.explanation)),
            agreeing: leading.map(|finding| agreeing(judged, finding)).unwrap_or_default(),
            is_cited: evidence.iter().any(|item| item.cited),
            evidence,
            evidence_left_out,
            rests_on: leading
                .map(|finding| other_incidents(&finding.incidents).iter().map(|sentence| prose(sentence)).collect())
                .unwrap_or_default(),
            other_causes: other_causes(judged),
            happened: rows(happened::rows(judged, true)),
            remarks: judged.incident.remarks.iter().map(|remark| prose(remark)).collect(),
            references: leading.map(references).unwrap_or_default(),
            more_often: block
                .group
                .map(|group| group.over_represented.iter().map(more_often_line).collect())
                .unwrap_or_default(),
            changes: before
                .and_then(|before: &groups::Before| before.changes.as_deref())
                .unwrap_or_default()
                .iter()
                .map(change_line)
                .collect(),
            // Of a single incident that goes without saying.
            changes_unknown: before
                .filter(|_| block.size() > 1)
                .and_then(|before| before.unknown.as_deref())
                .map(prose),
            others: block.others.iter().map(|other| Other::of(other)).collect(),
        }
    }
}

/// How sure a verdict is, in one word.
fn level(verdict: &Verdict) -> &'static str {
    match Level::of(verdict.confidence) {
        _ if verdict.is_undetermined() => "undetermined",
        Level::ActOnIt => "act",
        Level::Likely => "likely",
        Level::Possible => "possible",
        Level::Weak => "weak",
    }
}

fn steps(finding: &Finding) -> Vec<Steps> {
    let of = |(audience, heading): (Audience, &'static str)| Steps {
        audience: heading,
        texts: finding
            .remediation
            .iter()
            .filter(|step| step.audience == audience)
            .map(|step| prose(&step.text))
            .collect(),
    };
    let all = [(Audience::Helpdesk, "Helpdesk"), (Audience::Developer, "Developer")].map(of);
    all.into_iter().filter(|steps| !steps.texts.is_empty()).collect()
}

/// Other rules that name the same cause.
fn agreeing(judged: &Judged, leading: &Finding) -> Vec<String> {
    let others = judged
        .findings
        .iter()
        .filter(|other| other.stands() && other.cause == leading.cause && other.rule != leading.rule);
    let says = |other: &Finding| {
        prose(&format!("Also by rule {}: {}, {}.", other.rule, other.title, confidence::phrase(other.confidence)))
    };
    others.map(says).collect()
}

/// The items of evidence, and how many are left out.
fn evidence(report: &Report, judged: &Judged, leading: Option<&Finding>, most: usize) -> (Vec<Evidence>, usize) {
    let cited: HashSet<usize> =
        leading.map(|finding| finding.evidence.iter().map(|cited| usize::from(cited.0)).collect()).unwrap_or_default();
    let all = &judged.incident.evidence;
    let mut left = most;
    let mut wanted = |number: &usize| {
        if cited.contains(number) {
            return true;
        }
        let wanted = left > 0;
        left = left.saturating_sub(1);
        wanted
    };
    let shown: Vec<Evidence> = (1_usize..)
        .zip(all)
        .filter(|(number, _)| wanted(number))
        .map(|(number, item): (usize, &EvidenceItem)| Evidence {
            id: format!("e{number}"),
            cited: cited.contains(&number),
            place: place(report, item.artifact, &item.place),
            says: prose(&item.says),
            joined: item.joined_by.map(|joined| {
                let to = joined.to.saturating_add(1);
                format!("joined to e{to} by {}, {}", joined.key.word(), joined.strength.word())
            }),
        })
        .collect();
    let left_out = all.len().saturating_sub(shown.len());
    (shown, left_out)
}

fn other_causes(judged: &Judged) -> Vec<OtherCause> {
    let others = judged.findings.iter().filter(|finding| finding.stands() && finding.cause != judged.verdict.cause);
    let one = |finding: &Finding| OtherCause {
        cause: finding.cause.clone(),
        title: prose(&finding.title),
        sure: confidence::phrase(finding.confidence),
        explanation: prose(&finding.explanation),
    };
    others.map(one).collect()
}

fn references(finding: &Finding) -> Vec<Reference<'_>> {
    let is_link = |text: &str| {
        let of_page = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
        of_page && !text.contains(|c: char| !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"' | '\\' | '`'))
    };
    finding.references.iter().map(|text| Reference { text, is_link: is_link(text) }).collect()
}

impl<'r> Other<'r> {
    fn of(judged: &'r Judged) -> Self {
        let incident = &judged.incident;
        Self {
            id: &incident.id,
            time: short_time_if_known(incident.time),
            host: incident.host.as_deref().map(|host| name(host).into_owned()).unwrap_or_default(),
            what: what(incident),
            module: module(incident).unwrap_or_default(),
            verdict: verdict(&judged.verdict),
        }
    }
}

fn what(incident: &Incident) -> String {
    let of = process_name(incident).map(|process| format!(" of {}", name(process))).unwrap_or_default();
    format!("{}{of}", kind(incident.kind))
}

/// The suspect, else the module of the fault.
fn module(incident: &Incident) -> Option<String> {
    let suspect = incident.suspect.as_ref().map(|suspect| versioned(&suspect.module, suspect.version));
    suspect.or_else(|| incident.fault_site.as_ref().map(|site| versioned(&site.module, site.version)))
}
