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
    /// Its machines.
    #[serde(default)]
    pub machines: Vec<Machine>,
    /// Its groups.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// By which rules it was judged.
    #[serde(default)]
    pub rulesets: Vec<RuleSet>,
    /// Incidents before this time are left out.
    #[serde(default)]
    pub since: Option<Timestamp>,
    /// Incidents after this time are left out.
    #[serde(default)]
    pub until: Option<Timestamp>,
    /// What it counts.
    #[serde(default)]
    pub summary: Option<Summary>,
}

/// What wrote a report.
#[derive(Debug, Default, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
}

/// A rule set by which a report was judged.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see rules::RuleSetInfo")]
pub struct RuleSet {
    pub name: String,
    pub version: String,
    pub rules: usize,
}

/// What a report counts, as far as it shows whether something is missing.
#[derive(Debug, Clone, Copy, Deserialize)]
#[allow(missing_docs, reason = "see super::Summary")]
pub struct Summary {
    pub artifacts: usize,
    pub incidents: usize,
}

/// A machine of a report, as far as it shows which artifacts tell of it.
#[derive(Debug, Clone, Deserialize)]
pub struct Machine {
    /// What its logs recorded.
    #[serde(default)]
    pub timeline: Vec<Cited>,
}

/// Something that an artifact says.
#[derive(Debug, Clone, Deserialize)]
pub struct Cited {
    /// The artifact's path.
    #[serde(default)]
    pub artifact: Option<String>,
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
#[allow(missing_docs, reason = "see incident::Incident")]
pub struct Incident {
    pub id: String,
    pub kind: String,
    #[serde(default)]
    pub time: Option<Timestamp>,
    #[serde(default)]
    pub host: Option<String>,
    #[serde(default)]
    pub may_be_of: Vec<String>,
    #[serde(default)]
    pub process: Option<Process>,
    #[serde(default)]
    pub bugcheck: Option<Bugcheck>,
    #[serde(default)]
    pub evidence: Vec<Cited>,
    pub signature: Signature,
    pub verdict: Verdict,
}

/// An incident's process.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see incident::Process")]
pub struct Process {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub pid: Option<u32>,
}

/// An incident's stop.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see incident::Bugcheck")]
pub struct Bugcheck {
    pub code: String,
}

/// An incident's signature.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see incident::Signature")]
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

/// A group of a report.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "see crate::groups::Group")]
pub struct Group {
    pub signature: String,
    #[serde(default)]
    pub cause: Option<String>,
}

/// Reads the report in the file `path`. What wrote it there may have made UTF-16 of it, as Windows PowerShell's `>` does.
///
/// # Errors
///
/// When it can't be read, is none of this program's JSON reports, is not whole, or has another major version.
pub fn read(path: &Path) -> io::Result<Written> {
    if path == Path::new("-") {
        return Err(io::Error::other("reports are not read from standard input; name a file"));
    }
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    parse(&utf8(fs::read(path)?)?)
}

/// The text as UTF-8 without byte order mark.
fn utf8(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let (units, is_little_endian) = match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => (rest, true),
        [0xFE, 0xFF, rest @ ..] => (rest, false),
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Ok(rest.to_vec()),
        _ => return Ok(bytes),
    };
    let (units, rest) = units.as_chunks::<2>();
    let unit = |pair: &[u8; 2]| if is_little_endian { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    let text: Result<String, _> = char::decode_utf16(units.iter().map(unit)).collect();
    match text {
        Ok(text) if rest.is_empty() => Ok(text.into_bytes()),
        _ => Err(io::Error::other("no JSON report of crashsift: it is no whole text in UTF-16")),
    }
}

/// As much of a version as a message shows.
const SHOWN: usize = 20;

fn parse(bytes: &[u8]) -> io::Result<Written> {
    let report: Written = if is_lines(bytes.trim_ascii_start()) {
        parse_lines(bytes)?
    } else {
        serde_json::from_slice(bytes).map_err(no_report)?
    };
    let version = &report.schema_version;
    let major = |version: &str| version.split_once('.').map(|(major, _)| major.to_owned());
    if version.is_empty() {
        return Err(io::Error::other("no JSON report of crashsift: its schema_version is missing"));
    }
    if major(version) != major(SCHEMA_VERSION) {
        let shown: String = version.chars().take(SHOWN).collect();
        let more = if shown.len() < version.len() { "..." } else { "" };
        return Err(io::Error::other(format!(
            "its schema_version is {shown:?}{more}; this version of crashsift reads {SCHEMA_VERSION}"
        )));
    }
    is_whole(&report)?;
    Ok(report)
}

/// Whether a report has what it counts.
fn is_whole(report: &Written) -> io::Result<()> {
    let Some(summary) = report.summary else {
        return Err(io::Error::other("the report is not whole: its summary is missing"));
    };
    let counts = [
        ("artifacts", summary.artifacts, report.artifacts.len()),
        ("incidents", summary.incidents, report.incidents.len()),
    ];
    match counts.into_iter().find(|(_, counted, there)| counted != there) {
        None => Ok(()),
        Some((what, counted, there)) => {
            Err(io::Error::other(format!("the report is not whole: it counts {counted} {what} and has {there}")))
        }
    }
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
        rulesets: Vec<RuleSet>,
        #[serde(default)]
        evidence_format: Option<String>,
        #[serde(default)]
        since: Option<Timestamp>,
        #[serde(default)]
        until: Option<Timestamp>,
    },
    Artifact(Artifact),
    Incident(Incident),
    Machine(Machine),
    Group(Group),
    Summary(Summary),
    #[serde(other)]
    Other,
}

/// The objects of JSON Lines: a run first, and the summary last. Without the latter the end is missing; what stands
/// after it, or a second run, is of another report.
fn parse_lines(bytes: &[u8]) -> io::Result<Written> {
    let mut report = Written::default();
    let mut runs = 0_usize;
    for (number, line) in (1_usize..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = |error: &dyn std::fmt::Display| {
            io::Error::other(format!("no JSON report of crashsift: line {number}: {error}"))
        };
        if report.summary.is_some() {
            return Err(at(&"something follows the report's end"));
        }
        match serde_json::from_slice(line).map_err(|error| at(&without_line(&error)))? {
            Line::Run { schema_version, tool, rulesets, evidence_format, since, until } => {
                runs = runs.saturating_add(1);
                if runs > 1 {
                    return Err(at(&"another report begins"));
                }
                report = Written { schema_version, tool, rulesets, evidence_format, since, until, ..report };
            }
            Line::Artifact(artifact) => report.artifacts.push(artifact),
            Line::Incident(incident) => report.incidents.push(incident),
            Line::Machine(machine) => report.machines.push(machine),
            Line::Group(group) => report.groups.push(group),
            Line::Summary(summary) => report.summary = Some(summary),
            Line::Other => {}
        }
    }
    if report.summary.is_some() { Ok(report) } else { Err(io::Error::other("the report's end is missing")) }
}

/// The error without its line, which is always the first of the object.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(&format!(" at line {} column ", error.line())) {
        Some((says, column)) => format!("{says}, column {column}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::everything;
    use crate::{json, jsonl};

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
        assert!(reason(r#"{"schema_version": "", "tool": {"version": "9"}}"#).ends_with("schema_version is missing"));
        let long = format!(r#"{{"schema_version": "{}", "tool": {{"version": "9"}}}}"#, "9".repeat(1_000));
        assert!(reason(&long).len() < 200, "{}", reason(&long));
        let (first, _) = text.split_once('\n').expect("several lines");
        let wrong = reason(&format!("{first}\n{{\"type\": 1}}\n"));
        assert!(wrong.contains("line 2: ") && !wrong.contains("line 1"), "{wrong}");
    }

    fn lines() -> Vec<String> {
        let mut lines = Vec::new();
        jsonl::write(&everything(), &mut lines).expect("memory");
        String::from_utf8(lines).expect("text").lines().map(str::to_owned).collect()
    }

    fn of_lines(lines: &[String]) -> Result<Written, String> {
        parse(lines.join("\n").as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_that_are_missing_or_too_many_are_noticed() {
        let whole = lines();
        assert!(of_lines(&whole).is_ok());
        for (kind, says) in [("artifact", "artifacts and has"), ("incident", "incidents and has")] {
            let mut lines = whole.clone();
            let one = lines.iter().position(|line| line.starts_with(&format!("{{\"type\":\"{kind}\""))).expect("one");
            lines.remove(one);
            let error = of_lines(&lines).expect_err("a line is missing");
            assert!(error.contains("not whole: it counts") && error.contains(says), "{error}");
        }
        let error = of_lines(&[whole.clone(), whole.clone()].concat()).expect_err("two reports");
        assert!(error.contains("something follows the report's end"), "{error}");
        let (end, rest) = whole.split_last().expect("lines");
        let error = of_lines(&[rest, whole.as_slice()].concat()).expect_err("two reports");
        assert!(error.contains("another report begins"), "{error}");
        let error = of_lines(&whole[1..]).expect_err("no run");
        assert!(error.contains("schema_version is missing"), "{error}");
        assert!(of_lines(&[whole.as_slice(), std::slice::from_ref(end)].concat()).is_err());
    }

    #[test]
    fn a_document_without_all_that_it_counts_is_noticed() {
        let mut bytes = Vec::new();
        json::write(&everything(), &mut bytes).expect("memory");
        let mut document: Value = serde_json::from_slice(&bytes).expect("JSON");
        document["artifacts"] = Value::Array(Vec::new());
        let error = parse(document.to_string().as_bytes()).expect_err("not whole");
        assert!(error.to_string().contains("artifacts and has 0"), "{error}");
    }

    #[test]
    fn empty_lines_before_the_first_change_nothing() {
        let text = format!("\r\n\n{}\n", lines().join("\r\n"));
        assert!(parse(text.as_bytes()).is_ok());
    }

    #[test]
    fn reports_that_know_more_keys_are_read_and_those_of_another_shape_are_not() {
        let (major, minor) = SCHEMA_VERSION.split_once('.').expect("a version");
        let of_version = |version: &str| {
            let own = format!("\"schema_version\":\"{SCHEMA_VERSION}\"");
            let text = lines().join("\n");
            assert!(text.contains(&own), "{text}");
            parse(text.replace(&own, &format!("\"schema_version\":\"{version}\"")).as_bytes())
        };
        assert!(of_version(&format!("{major}.{minor}9")).is_ok());
        assert!(of_version(&format!("{major}9.{minor}")).is_err());
    }

    #[test]
    fn texts_in_utf_16_are_read() {
        let text = lines().join("\r\n");
        let units = || std::iter::once(0xFEFF).chain(text.encode_utf16());
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        let plain = format!("{:?}", parse(text.as_bytes()).expect("a report"));
        let read = |bytes: Vec<u8>| utf8(bytes).and_then(|bytes| parse(&bytes)).map(|report| format!("{report:?}"));
        assert_eq!(read(little.clone()).expect("little endian"), plain);
        assert_eq!(read(big).expect("big endian"), plain);
        let half = [little, vec![b'\n']].concat();
        assert!(read(half).is_err(), "half a character behind a whole report");
    }
}
