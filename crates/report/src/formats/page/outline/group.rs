//! The outline of a group: the incident that stands for it in full, and the others in a line each.

use serde::Serialize;

use super::{Row, rows};
use crate::confidence::{self, Level};
use crate::formats::text::block::{
    Block, ShownEvidence, agreeing, change_line, how_sure_rows, more_often_line, other_incidents, shown_evidence,
    steps, what_happened,
};
use crate::formats::text::happened;
use crate::formats::text::overview::{modules, named_module, when};
use crate::model::{Judged, Report, Verdict};
use crate::wording::{how_sure, name, place, prose, short_time_if_known, verdict};
use rules::Finding;

#[derive(Serialize)]
pub struct Group<'r> {
    number: usize,
    /// The verdict as a sentence.
    sentence: String,
    /// The level of its confidence, as a word for a style sheet: `act`, `likely`, `possible`, `weak` or `undetermined`.
    level: &'static str,
    /// The confidence in words and percent.
    sure: String,
    /// What happened how often to which program or computer.
    what: String,
    verdict: String,
    modules: Option<String>,
    when: String,
    /// Cause, severity, rule, suspect, incident and group.
    about: Vec<Row>,
    /// Whether the steps come before what to collect.
    act_first: bool,
    /// The steps for each audience.
    steps: Vec<(&'static str, Vec<String>)>,
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
struct Evidence {
    id: String,
    /// Whether the verdict rests on it.
    cited: bool,
    place: String,
    says: String,
    /// How it was joined to the other items.
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
        let judged = block.representative;
        let leading = judged.leading_finding();
        let (evidence, evidence_left_out) = evidence(report, judged, most_evidence);
        Self {
            number: block.number,
            sentence: prose(&judged.verdict.sentence),
            level: level(&judged.verdict),
            sure: how_sure(&judged.verdict),
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
            changes: block
                .group
                .and_then(|group| group.changes_before.as_deref())
                .unwrap_or_default()
                .iter()
                .map(change_line)
                .collect(),
            // For a single incident this is no news.
            changes_unknown: block
                .group
                .filter(|_| block.size() > 1)
                .and_then(|group| group.changes_unknown.as_deref())
                .map(prose),
            others: block.others.iter().map(|other| Other::of(other)).collect(),
        }
    }
}

/// The level of a verdict's confidence as one word.
fn level(verdict: &Verdict) -> &'static str {
    match Level::of(verdict.confidence) {
        _ if verdict.is_undetermined() => "undetermined",
        Level::ActOnIt => "act",
        level => level.words(),
    }
}

/// The items of evidence, and how many are left out.
fn evidence(report: &Report, judged: &Judged, most: usize) -> (Vec<Evidence>, usize) {
    let (shown, left_out) = shown_evidence(judged, most);
    let texts = |ShownEvidence { number, item, is_cited }: ShownEvidence<'_>| Evidence {
        id: format!("e{number}"),
        cited: is_cited,
        place: place(report, item.artifact, &item.place),
        says: prose(&item.sentence),
        joined: item
            .joined_by
            .map(|joined| format!("joined to e{} by {}, {}", joined.to + 1, joined.key.word(), joined.strength.word())),
    };
    (shown.into_iter().map(texts).collect(), left_out)
}

fn other_causes(judged: &Judged) -> Vec<OtherCause> {
    let texts = |finding: &Finding| OtherCause {
        cause: finding.cause.clone(),
        title: prose(&finding.title),
        sure: confidence::phrase(finding.confidence),
        explanation: prose(&finding.explanation),
    };
    judged.other_causes().map(texts).collect()
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
            what: what_happened(incident),
            module: named_module(incident).map(|(_, module)| module).unwrap_or_default(),
            verdict: verdict(&judged.verdict),
        }
    }
}
