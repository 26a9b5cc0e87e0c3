//! Compares the verdicts on folders of artifacts with their `expected.yaml`: tests of a whole rule set.

use std::path::PathBuf;

use facts::FactSet;
use pipeline::discover;
use pipeline::{Options, Silent, analyze, inspect};
use report::{Judged, Report, confidence};
use rules::{ExpectedFolder, ExpectedIncident, RuleSet};

/// An expectation that is not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetExpectation {
    /// The line of `expected.yaml` with the expectation.
    pub line: u32,
    /// The name of the expectation.
    pub name: String,
    /// The differences, a sentence each, without full stop.
    pub differences: Vec<String>,
    /// The id of the incident, if the difference is in one.
    pub incident: Option<String>,
}

/// An error of [`unmet_expectations`]: a path of artifacts that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", untrusted::display_path(.path))]
pub struct UnreadableArtifacts {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// Analyzes the artifacts that an `expected.yaml` is about, and gives the expectations that are not met.
///
/// # Errors
/// A path that can't be read.
pub fn unmet_expectations(
    expected: &ExpectedFolder,
    rules: &RuleSet,
) -> Result<Vec<UnmetExpectation>, UnreadableArtifacts> {
    let paths = paths(expected)?;
    let options = Options::default();
    let report = analyze(&paths, rules, &options, &Silent);
    let chooses = expected.incidents.iter().any(ExpectedIncident::chooses);
    let facts = if chooses { inspect(&paths, rules, &options).incidents } else { Vec::new() };
    let facts_of = |judged: &Judged| {
        let known = facts.iter().find(|(incident, _)| incident.id == judged.incident.id);
        known.map_or_else(FactSet::default, |(_, facts)| facts.clone())
    };
    let mut found: Vec<UnmetExpectation> = wrong_count(expected, &report).into_iter().collect();
    for wanted in &expected.incidents {
        let about = |judged: &&Judged| !wanted.chooses() || wanted.is_about(&facts_of(judged));
        let mut meant = report.incidents.iter().filter(about).peekable();
        let unmet = |incident, differences| UnmetExpectation {
            line: wanted.line,
            name: wanted.name.clone(),
            differences,
            incident,
        };
        if meant.peek().is_none() {
            let says = match report.incidents.len() {
                0 => "there is no incident".to_owned(),
                count => format!("`where` fits none of {count} incidents"),
            };
            found.push(unmet(None, vec![says]));
        }
        for judged in meant {
            let differences = differences(wanted, judged);
            if !differences.is_empty() {
                found.push(unmet(Some(judged.incident.id.clone()), differences));
            }
        }
    }
    Ok(found)
}

/// The files to analyze, without the `expected.yaml` itself.
fn paths(expected: &ExpectedFolder) -> Result<Vec<PathBuf>, UnreadableArtifacts> {
    let folder = [expected.path.parent().map_or_else(|| ".".into(), PathBuf::from)];
    let given = if expected.artifacts.is_empty() { &folder[..] } else { &expected.artifacts };
    let (found, unfound) = discover::find(given);
    if let Some(unfound) = unfound.into_iter().find(|unfound| !unfound.passed_over) {
        return Err(UnreadableArtifacts { path: unfound.path, reason: unfound.reason });
    }
    Ok(found.into_iter().filter(|path| *path != expected.path).collect())
}

fn wrong_count(expected: &ExpectedFolder, report: &Report) -> Option<UnmetExpectation> {
    let (count, line) = expected.count?;
    let found = report.incidents.len();
    (found != count).then(|| UnmetExpectation {
        line,
        name: "the number of incidents".to_owned(),
        differences: vec![format!("it is {found}, expected {count}")],
        incident: None,
    })
}

/// The differences between an incident and what is expected of it.
fn differences(wanted: &ExpectedIncident, judged: &Judged) -> Vec<String> {
    let verdict = &judged.verdict;
    let mut found = Vec::new();
    let sure = confidence::rounded(verdict.confidence);
    let is = |causes: &[String]| causes.contains(&verdict.cause);
    if !wanted.causes.is_empty() && !is(&wanted.causes) {
        found.push(format!("the cause is {} ({sure:.2}), expected {}", verdict.cause, wanted.causes.join(" or ")));
    }
    if is(&wanted.not_causes) {
        found.push(format!("the cause is {} ({sure:.2}), which it must not be", verdict.cause));
    }
    if let Some(least) = wanted.at_least.filter(|least| sure < *least) {
        found.push(format!("the confidence is {sure:.2}, expected at least {least:.2}"));
    }
    if let Some(most) = wanted.at_most.filter(|most| sure > *most) {
        found.push(format!("the confidence is {sure:.2}, expected at most {most:.2}"));
    }
    let fired = |rule: &&String| judged.findings.iter().any(|finding| finding.rule == **rule);
    for rule in wanted.rules.iter().filter(|rule| !fired(rule)) {
        let suppressed = judged.suppressed.iter().find(|finding| finding.rule == **rule);
        found.push(match suppressed {
            Some(suppressed) => {
                format!("the rule {rule} matched, and its finding is suppressed {}", suppressed.by.description())
            }
            None => format!("the rule {rule} did not match"),
        });
    }
    found.extend(wanted.not_rules.iter().filter(fired).map(|rule| format!("the rule {rule} matched")));
    if let Some(wanted) = &wanted.suspect {
        let suspect = judged.incident.suspect.as_ref().map(|suspect| &*suspect.module);
        let same = match (suspect, wanted) {
            (Some(suspect), Some(wanted)) => suspect.eq_ignore_ascii_case(wanted),
            (suspect, wanted) => suspect.is_none() && wanted.is_none(),
        };
        if !same {
            let name = |name: Option<&str>| name.unwrap_or("nobody").to_owned();
            found.push(format!("the suspect is {}, expected {}", name(suspect), name(wanted.as_deref())));
        }
    }
    found
}
