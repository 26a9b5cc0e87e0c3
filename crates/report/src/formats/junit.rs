//! The report as JUnit XML: a test suite for each computer, a test case for each incident. Pipelines show it among their
//! tests.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::BUFFER_SIZE;
use super::lines::lines;
use super::located::located;
use super::text::block::{process_name, what_happened};
use crate::account::headline;
use crate::model::{Judged, Report};
use crate::wording::{kind, one_line, short_time_if_known};

/// A computer's incidents, or, where no computer is known, those of a folder.
#[derive(Default)]
struct Suite<'r> {
    cases: Vec<&'r Judged>,
    host: Option<&'r str>,
}

/// Writes the report as JUnit XML; `is_failure` decides which incidents are failed tests.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, is_failure: &dyn Fn(&Judged) -> bool, out: &mut dyn Write) -> io::Result<()> {
    let mut suites: BTreeMap<String, Suite<'_>> = BTreeMap::new();
    for judged in &report.incidents {
        let suite = suites.entry(suite_name(report, judged)).or_default();
        suite.host = judged.incident.host.as_deref();
        suite.cases.push(judged);
    }
    let mut out = Writer::new_with_indent(BufWriter::with_capacity(BUFFER_SIZE, out), b' ', 2);
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let failed = |cases: &[&Judged]| cases.iter().filter(|judged| is_failure(judged)).count();
    let failures: usize = suites.values().map(|suite| failed(&suite.cases)).sum();
    let counts = |tests: usize, failures: usize| {
        [("tests", tests.to_string()), ("failures", failures.to_string()), ("errors", "0".to_owned())]
    };
    let mut all = BytesStart::new("testsuites");
    all.push_attribute(("name", "crashsift"));
    counts(report.incidents.len(), failures).iter().for_each(|(key, value)| all.push_attribute((*key, value.as_str())));
    out.write_event(Event::Start(all))?;
    for (name, suite) in &suites {
        let mut start = BytesStart::new("testsuite");
        start.push_attribute(("name", xml(name).as_str()));
        let counts = counts(suite.cases.len(), failed(&suite.cases));
        counts.iter().for_each(|(key, value)| start.push_attribute((*key, value.as_str())));
        if let Some(host) = suite.host {
            start.push_attribute(("hostname", xml(host).as_str()));
        }
        if let Some(first) = suite.cases.iter().filter_map(|judged| judged.incident.time).min() {
            // A time of JUnit has no zone.
            start.push_attribute(("timestamp", format!("{first:.0}").trim_end_matches('Z')));
        }
        out.write_event(Event::Start(start))?;
        suite.cases.iter().try_for_each(|judged| case(report, judged, is_failure(judged), &mut out))?;
        out.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    out.write_event(Event::End(BytesEnd::new("testsuites")))?;
    let mut out = out.into_inner();
    writeln!(out)?;
    out.flush()
}

/// The computer of an incident behind its customer, else the folder of its first artifact.
fn suite_name(report: &Report, judged: &Judged) -> String {
    let path = judged.incident.evidence.first().and_then(|item| report.artifact_path(item.artifact));
    let folder = path.and_then(|path| path.rsplit_once('/')).map_or(".", |(folder, _)| folder);
    let of = judged.incident.host.as_deref().unwrap_or(folder);
    judged.party.as_deref().map_or_else(|| of.to_owned(), |party| format!("{party}/{of}"))
}

fn case(report: &Report, judged: &Judged, is_failure: bool, out: &mut Writer<impl Write>) -> io::Result<()> {
    let incident = &judged.incident;
    let mut start = BytesStart::new("testcase");
    let name = format!("{}, {} ({})", what_happened(incident), short_time_if_known(incident.time), incident.id);
    start.push_attribute(("name", xml(&name).as_str()));
    start.push_attribute(("classname", xml(process_name(incident).unwrap_or(kind(incident.kind))).as_str()));
    if let Some(first) = located(report, judged).first() {
        start.push_attribute(("file", xml(first.path).as_str()));
    }
    out.write_event(Event::Start(start))?;
    let says = lines(report, judged).join("\n");
    if is_failure {
        let mut failure = BytesStart::new("failure");
        failure.push_attribute(("type", xml(&judged.verdict.cause).as_str()));
        failure.push_attribute(("message", xml(&headline(judged)).as_str()));
        text(failure, &says, out)?;
    }
    text(BytesStart::new("system-out"), &says, out)?;
    out.write_event(Event::End(BytesEnd::new("testcase")))
}

/// An element with a text of several lines.
fn text(start: BytesStart<'_>, text: &str, out: &mut Writer<impl Write>) -> io::Result<()> {
    let end = start.to_end().into_owned();
    out.write_event(Event::Start(start.borrow()))?;
    out.write_event(Event::Text(BytesText::new(&allowed(text))))?;
    out.write_event(Event::End(end))
}

/// A text in one line without characters that XML forbids. The writer escapes markup.
fn xml(text: &str) -> String {
    allowed(&one_line(text))
}

/// The text with the two characters escaped that XML forbids besides control characters.
fn allowed(text: &str) -> String {
    text.replace('\u{FFFE}', "\\u{fffe}").replace('\u{FFFF}', "\\u{ffff}")
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;

    use super::*;
    use crate::tests::sample::{bugcheck, crash, everything, hostile, report, undetermined};

    fn junit(report: &Report) -> String {
        let mut out = Vec::new();
        write(report, &|judged| !judged.verdict.is_undetermined(), &mut out).expect("memory can be written to");
        String::from_utf8(out).expect("text")
    }

    /// The names of the elements with the values of their attributes, and the texts.
    fn read(text: &str) -> Vec<String> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().trim_text(true);
        let mut all = Vec::new();
        loop {
            match reader.read_event().expect("well-formed") {
                Event::Start(start) => {
                    all.push(start.name().as_ref().to_owned());
                    for attribute in start.attributes() {
                        let attribute = attribute.expect("an attribute");
                        let value = quick_xml::escape::unescape(&attribute.value).expect("escaped");
                        all.push(format!("{}={value}", attribute.key.as_ref()));
                    }
                }
                Event::Eof => return all,
                _ => {}
            }
        }
    }

    #[test]
    fn each_computer_is_a_suite_and_each_incident_a_case() {
        let text = junit(&report(everything().artifacts, vec![crash("c1"), undetermined("u1", 3), bugcheck("b1", 9)]));
        let read = read(&text);
        for expected in [
            "tests=3",
            "failures=2",
            "hostname=PC-7",
            "timestamp=2024-11-11T17:43:55",
            "classname=python.exe",
            "type=missing-dependency",
            "file=dumps/a.dmp",
        ] {
            assert!(read.iter().any(|one| one == expected), "{expected}: {read:#?}");
        }
        assert_eq!(read.iter().filter(|one| *one == "testsuite").count(), 1);
        assert_eq!(read.iter().filter(|one| *one == "testcase").count(), 3);
        assert_eq!(read.iter().filter(|one| *one == "failure").count(), 2);
        assert!(text.contains("why: python.exe ended because cuDNN did not find zlibwapi.dll."), "{text}");
    }

    #[test]
    fn hostile_names_are_no_markup() {
        let text = junit(&hostile("</failure><x a=\"1\">&#0;]]>\u{FFFF}\u{0}\u{1b}[2J"));
        let read = read(&text);
        assert!(!read.iter().any(|one| one == "x"), "{text}");
        assert!(
            !text.contains(|c: char| (c.is_control() && c != '\n') || matches!(c, '\u{FFFE}' | '\u{FFFF}')),
            "{text:?}"
        );
    }

    #[test]
    fn a_report_without_incidents_has_no_suite() {
        assert_eq!(read(&junit(&report(Vec::new(), Vec::new()))).first().map(String::as_str), Some("testsuites"));
    }
}
