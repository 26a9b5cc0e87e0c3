//! The incidents as JSON Lines in the shape of the Elastic Common Schema, for log stores; the last line has the counts of
//! the run.
//!
//! `docs/outputs.md` has the mapping. What the schema has no field for is below `crashsift`. Texts are those of the evidence:
//! only characters that act on a terminal are escaped, as in the other JSON formats.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use jiff::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::BUFFER_SIZE;
use super::json::write_compact;
use super::located::located;
use crate::account::{happened, headline};
use crate::confidence::rounded;
use crate::model::{Judged, Report, Summary};
use crate::wording::{how_sure_words, prose};
use incident::IncidentKind;
use rules::Severity;

/// The version of the schema whose fields are used.
const ECS_VERSION: &str = "8.17.0";

#[skip_serializing_none]
#[derive(Serialize)]
struct Line<'r> {
    ecs: Ecs,
    event: Event<'r>,
    #[serde(rename = "@timestamp")]
    timestamp: Option<Timestamp>,
    message: String,
    host: Option<Named<'r>>,
    organization: Option<Named<'r>>,
    process: Option<Process<'r>>,
    error: Option<ErrorFields<'r>>,
    rule: Option<Rule<'r>>,
    file: Option<File<'r>>,
    crashsift: Own<'r>,
}

#[derive(Serialize)]
struct Ecs {
    version: &'static str,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct Event<'r> {
    module: &'static str,
    dataset: &'static str,
    kind: &'static str,
    category: [&'static str; 1],
    r#type: [&'static str; 1],
    id: &'r str,
    action: &'static str,
    severity: Option<u8>,
    reason: &'r str,
}

#[derive(Serialize)]
struct Named<'r> {
    name: &'r str,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct Process<'r> {
    name: Option<&'r str>,
    pid: Option<u32>,
    executable: Option<&'r str>,
    start: Option<Timestamp>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct ErrorFields<'r> {
    code: Option<String>,
    r#type: Option<Cow<'r, str>>,
    message: Option<&'r str>,
}

#[derive(Serialize)]
struct Rule<'r> {
    id: &'r str,
    name: String,
    category: &'r str,
    ruleset: &'r str,
}

#[derive(Serialize)]
struct File<'r> {
    path: &'r str,
}

/// What the schema has no field for.
#[skip_serializing_none]
#[derive(Serialize)]
struct Own<'r> {
    version: &'static str,
    cause: &'r str,
    family: Option<&'r str>,
    symptom: bool,
    confidence: f64,
    how_sure: &'static str,
    severity: Option<&'static str>,
    signature: &'r str,
    fault: Option<Module<'r>>,
    suspect: Option<Module<'r>>,
    artifacts: Vec<&'r str>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct Module<'r> {
    module: &'r str,
    version: Option<String>,
    offset: Option<String>,
}

/// The counts of the run.
#[derive(Serialize)]
struct RunLine<'r> {
    ecs: Ecs,
    event: RunEvent,
    crashsift: RunCounts<'r>,
}

#[derive(Serialize)]
struct RunEvent {
    module: &'static str,
    dataset: &'static str,
    kind: &'static str,
}

#[derive(Serialize)]
struct RunCounts<'r> {
    version: &'static str,
    groups: usize,
    summary: &'r Summary,
}

/// Writes the incidents of the report, a line each, and a line about the run.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    for judged in &report.incidents {
        write_compact(&line(report, judged), &mut out)?;
        writeln!(out)?;
    }
    let run = RunLine {
        ecs: Ecs { version: ECS_VERSION },
        event: RunEvent { module: "crashsift", dataset: "crashsift.run", kind: "metric" },
        crashsift: RunCounts {
            version: env!("CARGO_PKG_VERSION"),
            groups: report.groups.len(),
            summary: &report.summary,
        },
    };
    write_compact(&run, &mut out)?;
    writeln!(out)?;
    out.flush()
}

fn line<'r>(report: &'r Report, judged: &'r Judged) -> Line<'r> {
    let Judged { incident, verdict, .. } = judged;
    let leading = judged.leading_finding();
    let (category, kind) = match incident.kind {
        IncidentKind::Crash | IncidentKind::Hang | IncidentKind::Exit => ("process", "end"),
        IncidentKind::StartFailure => ("process", "error"),
        IncidentKind::GpuReset => ("driver", "error"),
        IncidentKind::Bugcheck | IncidentKind::PowerLoss => ("host", "error"),
    };
    let mut artifacts: Vec<&str> =
        incident.evidence.iter().filter_map(|item| report.artifact_path(item.artifact)).collect();
    artifacts.sort_unstable();
    artifacts.dedup();
    Line {
        ecs: Ecs { version: ECS_VERSION },
        event: Event {
            module: "crashsift",
            dataset: "crashsift.incident",
            kind: "event",
            category: [category],
            r#type: [kind],
            id: &incident.id,
            action: incident.kind.word(),
            severity: leading.map(|finding| number(finding.severity)),
            reason: &verdict.sentence,
        },
        timestamp: incident.time,
        message: prose(&format!("{}. {}", headline(judged), happened(judged))),
        host: incident.host.as_deref().map(|name| Named { name }),
        organization: judged.party.as_deref().map(|name| Named { name }),
        process: incident.process.as_ref().map(|process| Process {
            name: process.name.as_deref(),
            pid: process.pid,
            executable: process.path.as_deref(),
            start: process.started,
        }),
        error: error(judged),
        rule: leading.map(|finding| Rule {
            id: &finding.rule,
            name: prose(&finding.title),
            category: &finding.cause,
            ruleset: &finding.ruleset,
        }),
        file: located(report, judged).first().map(|first| File { path: first.path }),
        crashsift: Own {
            version: env!("CARGO_PKG_VERSION"),
            cause: &verdict.cause,
            family: verdict.family.as_deref(),
            symptom: verdict.symptom,
            confidence: rounded(verdict.confidence),
            how_sure: how_sure_words(verdict),
            severity: leading.map(|finding| finding.severity.word()),
            signature: &incident.signature.coarse,
            fault: incident.fault_site.as_ref().map(|site| Module {
                module: &site.module,
                version: site.version.map(|version| version.to_string()),
                offset: site.offset.map(|offset| offset.to_string()),
            }),
            suspect: incident.suspect.as_ref().map(|suspect| Module {
                module: &suspect.module,
                version: suspect.version.map(|version| version.to_string()),
                offset: None,
            }),
            artifacts,
        },
    }
}

/// The stop code, else the exception's: its code and name, and the message of what was thrown.
fn error(judged: &Judged) -> Option<ErrorFields<'_>> {
    let incident = &judged.incident;
    let message = incident.thrown.first().and_then(|thrown| thrown.text.as_deref());
    if let Some(bugcheck) = &incident.bugcheck {
        let r#type = bugcheck.name.as_deref().map(Cow::Borrowed);
        return Some(ErrorFields { code: Some(bugcheck.code.to_string()), r#type, message });
    }
    let exception = incident.exception.as_ref()?;
    let thrown = incident.thrown.first().map(|thrown| Cow::Borrowed(&*thrown.type_name));
    let r#type = thrown.or(exception.name.as_deref().map(Cow::Borrowed));
    Some(ErrorFields { code: Some(exception.code.to_string()), r#type, message })
}

/// The number of a severity: 1 is the mildest, 4 the gravest.
fn number(severity: Severity) -> u8 {
    match severity {
        Severity::Low => 1,
        Severity::Medium => 2,
        Severity::High => 3,
        Severity::Critical => 4,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tests::sample::{bugcheck, crash, everything, hostile, report, undetermined};

    fn lines(report: &Report) -> Vec<Value> {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        let text = String::from_utf8(out).expect("text");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn each_incident_is_a_line_with_the_fields_of_the_schema() {
        let all = lines(&report(everything().artifacts, vec![crash("c1"), undetermined("u1", 3), bugcheck("b1", 9)]));
        assert_eq!(all.len(), 4);
        assert_eq!(
            (&all[3]["event"]["dataset"], &all[3]["crashsift"]["summary"]["incidents"]),
            (&"crashsift.run".into(), &3.into())
        );
        for (pointer, expected) in [
            ("/ecs/version", ECS_VERSION),
            ("/@timestamp", "2024-11-11T17:43:55.129275Z"),
            ("/event/category/0", "process"),
            ("/event/action", "crash"),
            ("/event/id", "c1"),
            ("/host/name", "PC-7"),
            ("/process/name", "python.exe"),
            ("/process/executable", "C:\\Python39\\python.exe"),
            ("/error/code", "0xC0000409"),
            ("/error/message", "bad allocation"),
            ("/rule/id", "cudnn/zlibwapi-missing"),
            ("/file/path", "dumps/a.dmp"),
            ("/crashsift/fault/offset", "0x7286e"),
        ] {
            assert_eq!(all[0].pointer(pointer).and_then(Value::as_str), Some(expected), "{pointer}");
        }
        assert_eq!(all[0]["event"]["severity"], 3);
        assert!(all[1].get("rule").is_none() && all[1].get("error").is_none(), "{}", all[1]);
        assert_eq!(all[2]["error"]["type"], "VIDEO_TDR_FAILURE");
    }

    #[test]
    fn hostile_names_are_one_line_and_stay_what_they_are() {
        let name = "x\n{\"event\":1}\u{1b}[2J";
        let all = lines(&hostile(name));
        assert_eq!(all.len(), 2);
        assert_eq!(all[0]["host"]["name"], name);
    }
}
