//! Reports that were written before, read back as far as other commands need them. Both JSON formats are read; keys that
//! are not known are passed over, so that reports of later versions with the same major number can be read, too.

use std::fs;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::shape::SCHEMA_VERSION;

/// A report.
#[derive(Debug, Default, Deserialize)]
pub struct Written {
    /// Version of its shape.
    pub schema_version: String,
    /// What wrote it.
    pub tool: Tool,
    /// What the evidence among its artifacts is encoded as; absent where it holds none.
    #[serde(default)]
    pub evidence_format: Option<String>,
    /// Its artifacts.
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    /// Its incidents.
    #[serde(default)]
    pub incidents: Vec<Incident>,
}

/// What wrote a report.
#[derive(Debug, Default, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
}

/// An artifact of a report. The fields are those of [`super::Artifact`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[allow(missing_docs, reason = "see super::Artifact")]
pub struct Artifact {
    pub path: String,
    pub kind: String,
    pub status: String,
    #[serde(default)]
    pub detail: Option<String>,
    pub bytes: u64,
    #[serde(default)]
    pub records: Option<u64>,
    #[serde(default)]
    pub evidence: Option<String>,
}

/// An incident of a report, as far as reports are compared by it.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see crate::incident::Incident")]
pub struct Incident {
    pub id: String,
    pub kind: String,
    #[serde(default)]
    pub time: Option<Timestamp>,
    #[serde(default)]
    pub host: Option<String>,
    pub signature: Signature,
    pub verdict: Verdict,
}

/// An incident's signature.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see crate::incident::Signature")]
pub struct Signature {
    pub algorithm: u32,
    pub coarse: String,
}

/// An incident's verdict.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see super::Verdict")]
pub struct Verdict {
    pub cause: String,
    pub confidence: f64,
    pub sentence: String,
}

/// Reads the report in the file `path`.
///
/// # Errors
///
/// When it can't be read, is none of this program's JSON reports, or has another major version.
pub fn read(path: &Path) -> io::Result<Written> {
    let bytes = fs::read(path)?;
    parse(bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&bytes))
}

fn parse(bytes: &[u8]) -> io::Result<Written> {
    let report =
        if is_lines(bytes) { parse_lines(bytes)? } else { serde_json::from_slice(bytes).map_err(no_report)? };
    let major = |version: &str| version.split_once('.').map(|(major, _)| major.to_owned());
    if major(&report.schema_version) != major(SCHEMA_VERSION) {
        return Err(io::Error::other(format!(
            "its schema_version is {:?}; this version of crashsift reads {SCHEMA_VERSION}",
            report.schema_version
        )));
    }
    Ok(report)
}

fn no_report(error: serde_json::Error) -> io::Error {
    io::Error::other(format!("no JSON report of crashsift: {error}"))
}

/// Whether these are JSON Lines: the first line is an object by itself, with a `type`.
fn is_lines(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Value>(first).is_ok_and(|value| value.get("type").is_some())
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Run {
        schema_version: String,
        tool: Tool,
        #[serde(default)]
        evidence_format: Option<String>,
    },
    Artifact(Artifact),
    Incident(Incident),
    Summary {},
    #[serde(other)]
    Other,
}

/// The objects of JSON Lines, of which the summary must be the last: without it the end is missing.
fn parse_lines(bytes: &[u8]) -> io::Result<Written> {
    let mut report = Written::default();
    let mut complete = false;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = |error: serde_json::Error| {
            io::Error::other(format!("no JSON report of crashsift: line {}: {error}", number.saturating_add(1)))
        };
        match serde_json::from_slice(line).map_err(at)? {
            Line::Run { schema_version, tool, evidence_format } => {
                (report.schema_version, report.tool, report.evidence_format) = (schema_version, tool, evidence_format);
            }
            Line::Artifact(artifact) => report.artifacts.push(artifact),
            Line::Incident(incident) => report.incidents.push(incident),
            Line::Summary {} => complete = true,
            Line::Other => {}
        }
    }
    if complete { Ok(report) } else { Err(io::Error::other("the report's end is missing")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::everything;
    use crate::report::{json, jsonl};

    fn written(write: impl Fn(&mut Vec<u8>)) -> io::Result<Written> {
        let mut bytes = Vec::new();
        write(&mut bytes);
        parse(&bytes)
    }

    #[test]
    fn both_formats_are_read_and_say_the_same() {
        let report = everything();
        let document = written(|out| json::write(&report, out).expect("memory")).expect("a report");
        let lines = written(|out| jsonl::write(&report, out).expect("memory")).expect("a report");
        assert!(!document.incidents.is_empty() && !document.artifacts.is_empty());
        assert_eq!(format!("{document:?}"), format!("{lines:?}"));
        assert_eq!(document.incidents.len(), report.incidents.len());
        assert_eq!(document.artifacts.len(), report.artifacts.len());
    }

    #[test]
    fn what_is_no_report_is_said_with_the_reason() {
        let reason = |text: &str| parse(text.as_bytes()).expect_err("no report").to_string();
        assert!(reason("").contains("no JSON report of crashsift: EOF"), "{}", reason(""));
        assert!(reason("{\"a\": 1}").contains("missing field `schema_version`"));
        assert!(
            reason(r#"{"schema_version": "2.0", "tool": {"version": "9"}}"#).contains("its schema_version is \"2.0\"")
        );
        let mut lines = Vec::new();
        jsonl::write(&everything(), &mut lines).expect("memory");
        let text = String::from_utf8(lines).expect("text");
        let (cut, _) = text.trim_end().rsplit_once('\n').expect("several lines");
        assert_eq!(reason(cut), "the report's end is missing");
    }
}
