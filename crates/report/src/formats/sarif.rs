//! SARIF 2.1.0, for code scanning and for viewers of static analysis: the report with a result for each incident, and mistakes
//! in rules.
//!
//! [The standard](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html) has the meaning of every key.

mod diagnostics;

use std::collections::BTreeMap;
use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::json::write_indented;
use super::lines::lines;
use super::located::{Located, located, uri};
use super::urgency::Urgency;
use crate::account::headline;
use crate::confidence::rounded;
use crate::model::{ArtifactStatus, Judged, Report};
use crate::wording::{how_sure_words, one_line};
pub use diagnostics::of_diagnostics;
use rules::UNDETERMINED;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";
/// The names of the two signatures among the partial fingerprints, with the version of the algorithm.
const COARSE: &str = "crashsiftSignature/v1";
const FINE: &str = "crashsiftFineSignature/v1";

#[derive(Serialize)]
struct Log<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'r>; 1],
}

#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    tool: Tool<'r>,
    invocations: [Invocation; 1],
    artifacts: Option<Vec<Artifact>>,
    results: Vec<SarifResult<'r>>,
    column_kind: &'static str,
}

#[derive(Serialize)]
struct Tool<'r> {
    driver: Driver<'r>,
}

#[derive(Serialize)]
struct Driver<'r> {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule<'r>>,
}

#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'r> {
    id: &'r str,
    short_description: Option<Message>,
    help: Option<Message>,
    help_uri: Option<&'r str>,
    default_configuration: Option<Configuration>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    properties: BTreeMap<&'static str, &'r str>,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

/// An artifact that could not be read whole.
#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Artifact {
    location: ArtifactLocation,
    length: u64,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
    index: Option<usize>,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'r> {
    rule_id: &'r str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    partial_fingerprints: BTreeMap<&'static str, &'r str>,
    rank: Option<f64>,
    suppressions: Option<Vec<Suppression>>,
    properties: Option<Properties<'r>>,
}

#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    id: Option<usize>,
    physical_location: PhysicalLocation,
    message: Option<Message>,
}

#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Option<Region>,
}

/// Lines and columns from 1; the end is behind the last character.
#[skip_serializing_none]
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

/// What SARIF has no key for.
#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'r> {
    incident: &'r str,
    kind: &'static str,
    time: Option<Timestamp>,
    customer: Option<&'r str>,
    host: Option<&'r str>,
    program: Option<&'r str>,
    cause: &'r str,
    confidence: f64,
    how_sure: &'static str,
    severity: Option<&'static str>,
}

/// Writes the report as SARIF 2.1.0.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    // The rule of each incident, in the order of their ids.
    let mut rules: BTreeMap<&str, &Judged> = BTreeMap::new();
    for judged in &report.incidents {
        rules.entry(rule(judged)).or_insert(judged);
    }
    let index = |id: &str| rules.keys().position(|known| *known == id).unwrap_or_default();
    let run = Run {
        tool: Tool::with(rules.iter().map(|(id, judged)| described(report, id, judged)).collect()),
        invocations: [Invocation { execution_successful: true, tool_execution_notifications: damaged(report) }],
        artifacts: Some(report.artifacts.iter().map(artifact).collect()),
        results: report.incidents.iter().map(|judged| result(report, judged, index(rule(judged)))).collect(),
        column_kind: "utf16CodeUnits",
    };
    write_indented(&Log::of(run), out)
}

impl<'r> Log<'r> {
    fn of(run: Run<'r>) -> Self {
        Self { schema: SCHEMA, version: VERSION, runs: [run] }
    }
}

impl<'r> Tool<'r> {
    fn with(rules: Vec<Rule<'r>>) -> Self {
        Self { driver: Driver { name: "crashsift", version: env!("CARGO_PKG_VERSION"), rules } }
    }
}

/// The rule that gave the verdict; the cause where none is in the report.
fn rule(judged: &Judged) -> &str {
    judged.leading_finding().map_or(judged.verdict.cause.as_str(), |finding| finding.rule.as_str())
}

fn described<'r>(report: &'r Report, id: &'r str, judged: &'r Judged) -> Rule<'r> {
    let cause = judged.verdict.cause.as_str();
    let finding = judged.leading_finding();
    let means = match report.causes.get(cause) {
        Some(known) => Some(known.means.as_str()),
        None => (cause == UNDETERMINED).then_some("No rule names a cause."),
    };
    let mut properties = BTreeMap::from([("cause", cause)]);
    properties.extend(judged.verdict.family.as_deref().map(|family| ("family", family)));
    Rule {
        id,
        short_description: means.map(message),
        help: None,
        help_uri: finding.and_then(|finding| finding.references.first()).map(String::as_str),
        default_configuration: None,
        properties,
    }
}

fn artifact(artifact: &crate::Artifact) -> Artifact {
    Artifact { location: ArtifactLocation { uri: uri(&artifact.path), index: None }, length: artifact.bytes }
}

/// The artifacts that could not be read whole, with the reasons.
fn damaged(report: &Report) -> Vec<Notification> {
    let all = report.artifacts.iter().enumerate();
    let damaged = all.filter_map(|(index, artifact)| {
        let level = match artifact.status {
            ArtifactStatus::Failed => "error",
            ArtifactStatus::Partial => "warning",
            _ => return None,
        };
        let detail = artifact.detail.as_deref().unwrap_or("it could not be read whole");
        let location = ArtifactLocation { uri: uri(&artifact.path), index: Some(index) };
        Some(Notification { level, message: message(detail), locations: [Location::new(location, None, None, None)] })
    });
    damaged.collect()
}

fn result<'r>(report: &'r Report, judged: &'r Judged, rule_index: usize) -> SarifResult<'r> {
    let incident = &judged.incident;
    let mut places = located(report, judged).into_iter().map(|one| Location::of(&one));
    let first = places.next();
    let related = (1..).zip(places).map(|(id, place)| Location { id: Some(id), ..place });
    let suppressions = judged.suppressed.iter().map(|finding| Suppression {
        kind: "external",
        justification: one_line(&format!("{} {}", finding.rule, finding.by.description())),
    });
    let is_silenced = judged.verdict.is_undetermined() && !judged.suppressed.is_empty();
    let sure = rounded(judged.verdict.confidence);
    let says: Vec<String> = std::iter::once(headline(judged)).chain(lines(report, judged)).collect();
    SarifResult {
        rule_id: rule(judged),
        rule_index,
        level: match Urgency::of(judged) {
            Urgency::Error => "error",
            Urgency::Warning => "warning",
            Urgency::Note => "note",
        },
        message: Message { text: says.iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n") },
        locations: first.into_iter().collect(),
        related_locations: related.collect(),
        partial_fingerprints: BTreeMap::from([
            (COARSE, incident.signature.coarse.as_str()),
            (FINE, incident.signature.fine.as_str()),
        ]),
        rank: (!judged.verdict.is_undetermined()).then(|| (sure * 100.0).round()),
        suppressions: is_silenced.then(|| suppressions.collect()),
        properties: Some(Properties {
            incident: &incident.id,
            kind: incident.kind.word(),
            time: incident.time,
            customer: judged.party.as_deref(),
            host: incident.host.as_deref(),
            program: incident.process.as_ref().and_then(|process| process.name.as_deref()),
            cause: &judged.verdict.cause,
            confidence: sure,
            how_sure: how_sure_words(&judged.verdict),
            severity: judged.leading_finding().map(|finding| finding.severity.word()),
        }),
    }
}

impl Location {
    fn new(artifact: ArtifactLocation, region: Option<Region>, says: Option<Message>, id: Option<usize>) -> Self {
        let physical_location = PhysicalLocation { artifact_location: artifact, region };
        Self { id, physical_location, message: says }
    }

    fn of(one: &Located<'_>) -> Self {
        let artifact = ArtifactLocation { uri: uri(one.path), index: Some(one.artifact) };
        let region = one.line().map(|start_line| Region { start_line, ..Region::default() });
        Self::new(artifact, region, Some(message(&format!("{}: {}", one.place, one.says))), None)
    }
}

fn message(text: &str) -> Message {
    Message { text: plain(text) }
}

/// A text in one line in which nothing is a link: in messages, `[text](target)` is one.
fn plain(text: &str) -> String {
    one_line(text).replace("](", "] (")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tests::sample::{crash, everything, hostile, report, undetermined};

    fn sarif(report: &Report) -> Value {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        serde_json::from_slice(&out).expect("JSON")
    }

    #[test]
    fn each_incident_is_a_result_with_its_rule_places_and_signature() {
        let log = sarif(&report(everything().artifacts, vec![crash("c1"), undetermined("u1", 3)]));
        let run = &log["runs"][0];
        assert_eq!((&log["version"], &run["tool"]["driver"]["name"]), (&"2.1.0".into(), &"crashsift".into()));
        let result = &run["results"][0];
        assert_eq!(result["ruleId"], "cudnn/zlibwapi-missing");
        let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("an index");
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "cudnn/zlibwapi-missing");
        assert_eq!((&result["level"], &result["rank"]), (&"error".into(), &93.0.into()));
        let place = &result["locations"][0];
        assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "dumps/a.dmp");
        assert_eq!(place["message"]["text"], "stream Exception: The process ended with 0xC0000409, fast-fail 7.");
        assert_eq!(result["partialFingerprints"][COARSE], "crash|python.exe");
        assert_eq!(run["results"][1]["ruleId"], "undetermined");
        assert_eq!(run["results"][1]["level"], "note");
        let damaged = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list");
        assert_eq!(damaged.len(), 2);
    }

    #[test]
    fn hostile_names_are_no_links_and_act_on_nothing() {
        let log = sarif(&hostile("[click](https://evil.example)\u{1b}[2J\nx"));
        let text = log.to_string();
        let message = log["runs"][0]["results"][0]["message"]["text"].as_str().expect("a text");
        assert!(message.contains("[click] (https://evil.example)"), "{message}");
        assert!(!message.contains("](") && !message.contains('\u{1b}'), "{message}");
        assert!(!text.contains("\"uri\":\"http"), "{text}");
    }
}
