//! The causes that a report names.

use incident::IncidentKind;
use report::{Judged, Report};
use rules::UNDETERMINED;

use crate::Case;

/// How far from the time of a case an incident of its machine may be, seconds.
const NEAR: i64 = 7200;

/// A cause that a report names.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The cause.
    pub cause: String,
    /// Its confidence.
    pub confidence: f64,
    /// The rule that names it; `None` of `undetermined`.
    pub rule: Option<String>,
}

/// The causes that a report on a case names, by confidence, each once: of a ticket those of all incidents, of artifacts those
/// of the incident that the case is about. A report that names none answers `undetermined`.
#[must_use]
pub fn answers(report: &Report, case: &Case) -> Vec<Answer> {
    if case.is_ticket { ranked(report.incidents.iter()) } else { ranked(about(report, case).into_iter()) }
}

/// The incident that a case is about: near its time, where it has one, a crash before others, and that with the most
/// evidence.
pub(crate) fn about<'r>(report: &'r Report, case: &Case) -> Option<&'r Judged> {
    let near = |judged: &&Judged| match (judged.incident.time, case.time) {
        (Some(time), Some(about)) => time.as_second().abs_diff(about.as_second()) < NEAR.unsigned_abs(),
        _ => true,
    };
    report.incidents.iter().filter(near).min_by(|a, b| {
        let place = |judged: &Judged| (rank(judged.incident.kind), std::cmp::Reverse(judged.incident.evidence.len()));
        place(a).cmp(&place(b)).then(highest(b).total_cmp(&highest(a)))
    })
}

/// A crash says more than the stop of the system after it, and both more than the rest.
fn rank(kind: IncidentKind) -> usize {
    match kind {
        IncidentKind::Crash => 0,
        IncidentKind::Bugcheck => 1,
        IncidentKind::Hang => 2,
        _ => 3,
    }
}

fn highest(judged: &Judged) -> f64 {
    judged.findings.iter().map(|finding| finding.confidence).fold(judged.verdict.confidence, f64::max)
}

fn ranked<'r>(incidents: impl Iterator<Item = &'r Judged> + Clone) -> Vec<Answer> {
    let verdicts = incidents.clone().map(|judged| Answer {
        cause: judged.verdict.cause.clone(),
        confidence: judged.verdict.confidence,
        rule: judged.leading_finding().map(|finding| finding.rule.clone()),
    });
    let findings = incidents.flat_map(|judged| &judged.findings).map(|finding| Answer {
        cause: finding.cause.clone(),
        confidence: finding.confidence,
        rule: Some(finding.rule.clone()),
    });
    let mut answers: Vec<Answer> = verdicts.chain(findings).collect();
    // The sort is stable: of equally sure causes the verdict's comes first.
    answers.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut ranked: Vec<Answer> = Vec::new();
    for answer in answers {
        if !ranked.iter().any(|known| known.cause == answer.cause) {
            ranked.push(answer);
        }
    }
    if ranked.is_empty() {
        ranked.push(Answer { cause: UNDETERMINED.to_owned(), confidence: 0.0, rule: None });
    }
    ranked
}
