//! The causes that a report names.

use report::Report;
use rules::UNDETERMINED;

/// A cause that a report names.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The cause.
    pub cause: String,
    /// Its confidence.
    pub confidence: f64,
}

/// The causes of a report, by confidence, each once: verdicts and findings of all incidents together. A report that
/// names none answers `undetermined`.
#[must_use]
pub fn answers(report: &Report) -> Vec<Answer> {
    let verdicts = report.incidents.iter().map(|judged| (&judged.verdict.cause, judged.verdict.confidence));
    let findings = report.incidents.iter().flat_map(|judged| &judged.findings);
    let mut answers: Vec<Answer> = verdicts
        .chain(findings.map(|finding| (&finding.cause, finding.confidence)))
        .map(|(cause, confidence)| Answer { cause: cause.clone(), confidence })
        .collect();
    // The sort is stable: of equally sure causes the verdict's comes first.
    answers.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut ranked: Vec<Answer> = Vec::new();
    for answer in answers {
        if !ranked.iter().any(|known| known.cause == answer.cause) {
            ranked.push(answer);
        }
    }
    if ranked.is_empty() {
        ranked.push(Answer { cause: UNDETERMINED.to_owned(), confidence: 0.0 });
    }
    ranked
}
