//! Whether folders of artifacts yield what their `expected.yaml` says: tests of a whole rule set, from files to verdicts.

use std::path::PathBuf;

use facts::FactSet;
use pipeline::discover;
use pipeline::{Options, Silent, analyze, inspect};
use report::{Judged, Report, confidence};
use rules::{ExpectedFolder, ExpectedIncident, RuleSet};
use windows_codes::Knowledge;

/// Something that is not as it is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disappointment {
    /// The line of `expected.yaml` that expects it.
    pub line: u32,
    /// What the line calls it.
    pub name: String,
    /// What is otherwise, a sentence each, without full stop.
    pub says: Vec<String>,
    /// The incident, if it is about one.
    pub incident: Option<String>,
}

/// Analyzes what an `expected.yaml` is about, and says what is not as expected.
///
/// # Errors
/// A path that leads nowhere.
pub fn disappointments(
    expected: &ExpectedFolder,
    rules: &RuleSet,
    knowledge: &Knowledge,
) -> Result<Vec<Disappointment>, String> {
    let paths = paths(expected)?;
    let options = Options::default();
    let report = analyze(&paths, rules, knowledge, &options, &Silent);
    let chooses = expected.incidents.iter().any(ExpectedIncident::chooses);
    let inspected = chooses.then(|| inspect(&paths, rules, knowledge, &options, &Silent));
    let facts = inspected.map(|inspected| inspected.incidents).unwrap_or_default();
    let facts_of = |judged: &Judged| {
        let known = facts.iter().find(|(incident, _)| incident.id == judged.incident.id);
        known.map_or_else(FactSet::default, |(_, facts)| facts.clone())
    };
    let mut found = Vec::new();
    found.extend(wrong_count(expected, &report));
    for wanted in &expected.incidents {
        let about = |judged: &&Judged| !wanted.chooses() || wanted.is_about(&facts_of(judged));
        let mut meant = report.incidents.iter().filter(about).peekable();
        let disappointment =
            |incident, says| Disappointment { line: wanted.line, name: wanted.name.clone(), says, incident };
        if meant.peek().is_none() {
            let says = match report.incidents.len() {
                0 => "there is no incident".to_owned(),
                count => format!("`where` fits none of {count} incidents"),
            };
            found.push(disappointment(None, vec![says]));
        }
        for judged in meant {
            let says = differences(wanted, judged);
            if !says.is_empty() {
                found.push(disappointment(Some(judged.incident.id.clone()), says));
            }
        }
    }
    Ok(found)
}

/// The files that are analyzed: never the one that says what is expected.
fn paths(expected: &ExpectedFolder) -> Result<Vec<PathBuf>, String> {
    let folder = [expected.path.parent().map_or_else(|| ".".into(), PathBuf::from)];
    let given = if expected.artifacts.is_empty() { &folder[..] } else { &expected.artifacts };
    let (found, unfound) = discover::find(given);
    if let Some(unfound) = unfound.iter().find(|unfound| !unfound.passed_over) {
        return Err(format!("{}: {}", untrusted::display_path(&unfound.path), unfound.reason));
    }
    let found = found.into_iter().map(|found| found.path);
    Ok(found.filter(|path| *path != expected.path).collect())
}

fn wrong_count(expected: &ExpectedFolder, report: &Report) -> Option<Disappointment> {
    let (count, line) = expected.count?;
    let found = report.incidents.len();
    (found != count).then(|| Disappointment {
        line,
        name: "the number of incidents".to_owned(),
        says: vec![format!("it is {found}, expected {count}")],
        incident: None,
    })
}

/// What of an incident is not as it must be.
fn differences(wanted: &ExpectedIncident, judged: &Judged) -> Vec<String> {
    let verdict = &judged.verdict;
    let mut says = Vec::new();
    let sure = confidence::rounded(verdict.confidence);
    let is = |causes: &[String]| causes.contains(&verdict.cause);
    if !wanted.causes.is_empty() && !is(&wanted.causes) {
        says.push(format!("the cause is {} ({sure:.2}), expected {}", verdict.cause, wanted.causes.join(" or ")));
    }
    if is(&wanted.not_causes) {
        says.push(format!("the cause is {} ({sure:.2}), which it must not be", verdict.cause));
    }
    if let Some(least) = wanted.at_least.filter(|least| sure < *least) {
        says.push(format!("the confidence is {sure:.2}, expected at least {least:.2}"));
    }
    if let Some(most) = wanted.at_most.filter(|most| sure > *most) {
        says.push(format!("the confidence is {sure:.2}, expected at most {most:.2}"));
    }
    let fired = |rule: &&String| judged.findings.iter().any(|finding| finding.rule == **rule);
    for rule in wanted.rules.iter().filter(|rule| !fired(rule)) {
        let suppressed = judged.suppressed.iter().find(|finding| finding.rule == **rule);
        says.push(match suppressed {
            Some(suppressed) => {
                format!("the rule {rule} matched, and its finding is suppressed {}", suppressed.by.says())
            }
            None => format!("the rule {rule} did not match"),
        });
    }
    says.extend(wanted.not_rules.iter().filter(fired).map(|rule| format!("the rule {rule} matched")));
    if let Some(wanted) = &wanted.suspect {
        let suspect = judged.incident.suspect.as_ref().map(|suspect| &*suspect.module);
        let same = match (suspect, wanted) {
            (Some(suspect), Some(wanted)) => suspect.eq_ignore_ascii_case(wanted),
            (suspect, wanted) => suspect.is_none() && wanted.is_none(),
        };
        if !same {
            let name = |name: Option<&str>| name.unwrap_or("nobody").to_owned();
            says.push(format!("the suspect is {}, expected {}", name(suspect), name(wanted.as_deref())));
        }
    }
    says
}
