//! Reports that were written before, read back. Both JSON formats are read; unknown keys are ignored, so that reports of
//! later versions with the same major number can be read, too.

use std::io::{self, Read, Seek};
use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::document::{Document, Line, SCHEMA_VERSION};

/// The largest report that is read, bytes.
const MOST_BYTES: u64 = 1 << 30;

/// As many bytes are looked at before the others are read.
const FIRST: u64 = 4096;

/// Why a file can't be read as a report.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableReport {
    /// It is `-`.
    #[error("reports are not read from standard input; name a file")]
    StandardInput,
    /// It is a folder.
    #[error("it is a folder")]
    Folder,
    /// The system does not give its bytes.
    #[error("{}", untrusted::reason(.0))]
    Io(#[from] io::Error),
    /// Its byte order mark is that of UTF-16, and the text is not valid or cut.
    #[error("no JSON report of crashsift: it is no whole text in UTF-16")]
    Utf16,
    /// It is no JSON, or has not the shape of a report.
    #[error("no JSON report of crashsift: {0}")]
    Json(#[from] serde_json::Error),
    /// The line with this number, from 1, is no JSON, has not the shape of a line, or does not belong there.
    #[error("no JSON report of crashsift: line {0}: {1}")]
    Line(usize, String),
    /// The key `schema_version` is missing.
    #[error("no JSON report of crashsift: its schema_version is missing")]
    NoVersion,
    /// The major number of its `schema_version` is not that of this program.
    #[error("its schema_version is {}; this version of crashsift reads {SCHEMA_VERSION}", shortened(.0))]
    OtherVersion(String),
    /// The last line is not a summary.
    #[error("the report's end is missing")]
    NoEnd,
    /// It has no summary.
    #[error("the report is not whole: its summary is missing")]
    NoSummary,
    /// Its summary counts more or fewer of a part than it has.
    #[error("the report is not whole: it counts {counted} {part} and has {found}")]
    Incomplete {
        /// The list: `artifacts` or `incidents`.
        part: &'static str,
        /// How many the summary counts.
        counted: usize,
        /// How many there are.
        found: usize,
    },
}

/// Reads a probability: a number from 0 to 1.
pub(crate) fn probability<'d, D: Deserializer<'d>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let is_probability = (0.0..=1.0).contains(&number);
    is_probability.then_some(number).ok_or_else(|| D::Error::custom(format!("{number} is no number from 0 to 1")))
}

/// Reads a probability, or nothing.
pub(crate) fn probability_if_any<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    struct Probability(#[serde(deserialize_with = "probability")] f64);
    Ok(Option::<Probability>::deserialize(deserializer)?.map(|Probability(number)| number))
}

/// A version in quotation marks, cut after 20 characters.
fn shortened(version: &str) -> String {
    let shown: String = version.chars().take(20).collect();
    let more = if shown.len() < version.len() { "..." } else { "" };
    format!("{shown:?}{more}")
}

/// Reads the report in the file `path`, in UTF-8 or, as Windows PowerShell's `>` writes it, in UTF-16.
///
/// # Errors
///
/// When the file can't be read, is none of this program's JSON reports, is not whole, or has another major version.
pub fn read(path: &Path) -> Result<Document<'static>, UnreadableReport> {
    if path == Path::new("-") {
        return Err(UnreadableReport::StandardInput);
    }
    let mut file = opener::open(path).map_err(|error| match opener::Refusal::of(&error) {
        Some(opener::Refusal::Folder) => UnreadableReport::Folder,
        _ => error.into(),
    })?;
    let mut first = Vec::new();
    file.by_ref().take(FIRST).read_to_end(&mut first)?;
    let is_text_of_json = |first: &[u8]| first.trim_ascii_start().first().is_none_or(|byte| *byte == b'{');
    let is_marked = matches!(first.as_slice(), [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0xEF, 0xBB, 0xBF, ..]);
    if !is_marked && !is_text_of_json(&first) {
        return parse(&first);
    }
    file.rewind()?;
    let mut bytes = Vec::new();
    opener::read_to_end(file, MOST_BYTES, &mut bytes)?;
    parse(&utf8(bytes)?)
}

/// The text as UTF-8 without byte order mark.
fn utf8(bytes: Vec<u8>) -> Result<Vec<u8>, UnreadableReport> {
    let (units, is_little_endian) = match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => (rest, true),
        [0xFE, 0xFF, rest @ ..] => (rest, false),
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Ok(rest.to_vec()),
        _ => return Ok(bytes),
    };
    let (units, rest) = units.as_chunks::<2>();
    let unit = |pair: &[u8; 2]| if is_little_endian { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    let text: Result<String, _> = char::decode_utf16(units.iter().map(unit)).collect();
    text.ok().filter(|_| rest.is_empty()).map(String::into_bytes).ok_or(UnreadableReport::Utf16)
}

fn parse(bytes: &[u8]) -> Result<Document<'static>, UnreadableReport> {
    let report = if is_lines(bytes.trim_ascii_start()) {
        parse_lines(bytes)?
    } else {
        serde_json::from_slice(bytes).map_err(|error| of_another_version(bytes).unwrap_or_else(|| error.into()))?
    };
    check_version(&report.schema_version)?;
    check_counts(&report)?;
    Ok(report)
}

/// The error of a report whose shape is not known because it has another major version.
fn of_another_version(bytes: &[u8]) -> Option<UnreadableReport> {
    #[derive(Deserialize)]
    struct Versioned {
        schema_version: String,
    }
    let report: Versioned = serde_json::from_slice(bytes).ok()?;
    check_version(&report.schema_version).err()
}

fn check_version(version: &str) -> Result<(), UnreadableReport> {
    let major = |version: &str| version.split_once('.').map(|(major, _)| major.to_owned());
    if version.is_empty() {
        Err(UnreadableReport::NoVersion)
    } else if major(version) != major(SCHEMA_VERSION) {
        Err(UnreadableReport::OtherVersion(version.to_owned()))
    } else {
        Ok(())
    }
}

/// Fails when a report has not as many artifacts and incidents as its summary counts.
fn check_counts(report: &Document<'_>) -> Result<(), UnreadableReport> {
    let summary = report.summary.as_ref().ok_or(UnreadableReport::NoSummary)?;
    let counts = [
        ("artifacts", summary.artifacts, report.artifacts.len()),
        ("incidents", summary.incidents, report.incidents.count()),
    ];
    match counts.into_iter().find(|(_, counted, found)| counted != found) {
        None => Ok(()),
        Some((part, counted, found)) => Err(UnreadableReport::Incomplete { part, counted, found }),
    }
}

/// Whether these are JSON Lines: the first line is an object by itself, with a `type`.
fn is_lines(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Value>(first).is_ok_and(|value| value.get("type").is_some())
}

/// The document that JSON Lines contain: a run first, and the summary last. Without summary the end is missing; a line
/// after the summary, or a second run, is of another report.
fn parse_lines(bytes: &[u8]) -> Result<Document<'static>, UnreadableReport> {
    let mut report = Document::default();
    let mut has_run = false;
    for (number, line) in (1_usize..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |problem: &str| UnreadableReport::Line(number, problem.to_owned());
        if report.summary.is_some() {
            return Err(wrong("something follows the report's end"));
        }
        let line: Line<'_> = serde_json::from_slice(line).map_err(|error| wrong(&without_line(&error)))?;
        let is_run = matches!(line, Line::Run(_));
        if is_run && has_run {
            return Err(wrong("another report begins"));
        }
        report.add(line);
        if is_run {
            check_version(&report.schema_version)?;
            has_run = true;
        }
    }
    report.summary.is_some().then_some(report).ok_or(UnreadableReport::NoEnd)
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
    use crate::tests::sample::everything;
    use crate::{json, jsonl};

    fn document(report: &Document<'_>) -> String {
        let mut out = Vec::new();
        json::write_indented(report, &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_report_that_was_read_is_written_as_it_was() {
        let mut written = Vec::new();
        json::write(&everything(), &mut written).expect("memory");
        let written = String::from_utf8(written).expect("text");
        let read = parse(written.as_bytes()).expect("a report");
        assert_eq!(document(&read), written);
        let of_lines = of_lines(&lines()).expect("a report");
        assert_eq!(document(&of_lines), written);
        let again: Vec<String> =
            of_lines.into_lines().map(|line| serde_json::to_string(&line).expect("memory")).collect();
        assert_eq!(again, lines());
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

    fn of_lines(lines: &[String]) -> Result<Document<'static>, String> {
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
        let plain = document(&parse(text.as_bytes()).expect("a report"));
        let read = |bytes: Vec<u8>| utf8(bytes).and_then(|bytes| parse(&bytes)).map(|report| document(&report));
        assert_eq!(read(little.clone()).expect("little endian"), plain);
        assert_eq!(read(big).expect("big endian"), plain);
        let half = [little, vec![b'\n']].concat();
        assert!(read(half).is_err(), "half a character behind a whole report");
    }
}
