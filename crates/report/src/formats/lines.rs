//! An incident in plain lines, for formats that have one text for each incident.

use crate::account::{Because, because, happened};
use crate::model::{Judged, Report};
use crate::wording::{how_sure, one_line};

/// What happened, why, what to do, what that rests on and what to collect: each a line without control characters.
pub(super) fn lines(report: &Report, judged: &Judged) -> Vec<String> {
    let verdict = &judged.verdict;
    let mut lines = vec![
        format!("happened: {}", happened(judged)),
        format!("why: {} ({}, {})", verdict.sentence, verdict.cause, how_sure(verdict)),
    ];
    let steps = judged.leading_finding().into_iter().flat_map(|finding| &finding.remediation);
    lines.extend(steps.map(|step| format!("{}: {}", step.audience.word(), step.with_details())));
    let reasons = because(report, judged).into_iter().map(|Because { text, place }| match place {
        Some(place) => format!("evidence: {text} ({place})"),
        None => format!("evidence: {text}"),
    });
    lines.extend(reasons);
    lines.extend(verdict.collect_next.iter().map(|request| format!("collect: {request}")));
    lines.iter().map(|line| one_line(line)).collect()
}
