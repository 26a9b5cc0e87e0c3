//! The report as a table: one row an incident, for spreadsheets and databases.
//!
//! RFC 4180, UTF-8. Columns are only added, at the end. What a spreadsheet would take for a formula is written as text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use super::text::wording::prose;
use crate::confidence::{self, Level, NOT_DETERMINED};

use crate::groups::Group;
use crate::{Judged, Report};
use untrusted::sanitise;

/// The columns; `docs/report.md` describes them.
pub const COLUMNS: [&str; 42] = [
    "incident_id",
    "kind",
    "time",
    "host",
    "cause",
    "confidence",
    "how_sure",
    "severity",
    "rule",
    "sentence",
    "what_to_do",
    "collect_next",
    "process",
    "process_version",
    "pid",
    "process_path",
    "exception_code",
    "exception_name",
    "bugcheck_code",
    "bugcheck_name",
    "bugcheck_parameters",
    "fault_module",
    "fault_version",
    "fault_offset",
    "fault_function",
    "suspect",
    "suspect_version",
    "suspect_basis",
    "os",
    "cpu",
    "gpu_driver",
    "cuda",
    "cudnn",
    "python",
    "group",
    "group_incidents",
    "other_causes",
    "suppressed",
    "sigma",
    "may_be_of",
    "artifacts",
    "remarks",
];

/// Between the entries of a list in one cell.
const BETWEEN: &str = "; ";

/// Writes the report as CSV.
///
/// # Errors
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .buffer_capacity(super::WRITTEN_AT_ONCE)
        .from_writer(out);
    table.write_record(COLUMNS).map_err(of_output)?;
    let groups = report.groups.iter().flat_map(|group| group.incidents.iter().map(move |id| (id.as_str(), group)));
    let groups: HashMap<&str, &Group> = groups.collect();
    for judged in &report.incidents {
        let cells = cells(report, judged, groups.get(judged.incident.id.as_str()).copied());
        table.write_record(cells.iter().map(|cell| harmless(cell).into_owned())).map_err(of_output)?;
    }
    table.flush()
}

/// The error that the output had: whoever reads it may only have gone away.
fn of_output(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A row's cells. What is not known is empty.
fn cells(report: &Report, judged: &Judged, group: Option<&Group>) -> [String; COLUMNS.len()] {
    fn shown(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let Judged { incident, findings, suppressed, verdict, sigma } = judged;
    let standing = findings.iter().filter(|finding| finding.stands());
    let leading = standing.clone().find(|finding| finding.cause == verdict.cause);
    let determined = !verdict.is_undetermined();
    let (process, exception) = (incident.process.as_ref(), incident.exception.as_ref());
    let (bugcheck, site) = (incident.bugcheck.as_ref(), incident.fault_site.as_ref());
    let suspect = incident.suspect.as_ref();
    let environment = |key: &str| incident.environment.get(key).cloned().unwrap_or_default();
    let steps = leading.map(|finding| finding.remediation.as_slice()).unwrap_or_default();
    let steps = steps.iter().map(|step| format!("{}: {}", step.audience.word(), prose(&step.text)));
    let others = standing.filter(|finding| finding.cause != verdict.cause);
    let others = others.map(|finding| format!("{} {}", finding.cause, confidence::rounded(finding.confidence)));
    let mut artifacts: Vec<&str> =
        incident.evidence.iter().filter_map(|item| report.artifact_path(item.artifact)).collect();
    artifacts.sort_unstable();
    artifacts.dedup();
    [
        incident.id.clone(),
        incident.kind.word().to_owned(),
        shown(incident.time),
        shown(incident.host.as_ref()),
        verdict.cause.clone(),
        confidence::rounded(verdict.confidence).to_string(),
        if determined { Level::of(verdict.confidence).words() } else { NOT_DETERMINED }.to_owned(),
        shown(leading.map(|finding| finding.severity.word())),
        shown(leading.map(|finding| &finding.rule)),
        prose(&verdict.sentence),
        listed(steps),
        listed(verdict.collect_next.iter().map(|text| prose(text))),
        shown(process.and_then(|process| process.name.as_ref())),
        shown(process.and_then(|process| process.version)),
        shown(process.and_then(|process| process.pid)),
        shown(process.and_then(|process| process.path.as_ref())),
        shown(exception.map(|exception| exception.code)),
        shown(exception.and_then(|exception| exception.name.as_ref())),
        shown(bugcheck.map(|bugcheck| bugcheck.code)),
        shown(bugcheck.and_then(|bugcheck| bugcheck.name.as_ref())),
        listed(bugcheck.into_iter().flat_map(|bugcheck| &bugcheck.parameters).map(|value| format!("{value:#x}"))),
        shown(site.map(|site| &site.module)),
        shown(site.and_then(|site| site.version)),
        shown(site.and_then(|site| site.offset)),
        shown(site.and_then(|site| site.function.as_ref())),
        shown(suspect.map(|suspect| &suspect.module)),
        shown(suspect.and_then(|suspect| suspect.version)),
        shown(suspect.map(|suspect| suspect.basis)),
        environment("os"),
        environment("cpu"),
        environment("gpu_driver"),
        environment("cuda"),
        environment("cudnn"),
        environment("python"),
        shown(group.map(|group| &group.signature)),
        shown(group.map(|group| group.incidents.len())),
        listed(others),
        listed(suppressed.iter().map(|finding| prose(&format!("{} {}", finding.rule, finding.by.says())))),
        listed(sigma.iter().map(|nearby| prose(&nearby.rule.title).to_string())),
        listed(incident.may_be_of.iter().cloned()),
        listed(artifacts.into_iter().map(str::to_owned)),
        listed(incident.remarks.iter().map(|remark| prose(remark))),
    ]
}

fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(BETWEEN)
}

/// A cell that neither acts on a terminal nor is a formula: spreadsheets take what begins with one of these characters
/// for one, also behind blanks and in their full-width forms. An apostrophe before it makes it a text.
fn harmless(cell: &str) -> Cow<'_, str> {
    const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{FF1D}', '\u{FF0B}', '\u{FF0D}', '\u{FF20}'];
    let cell = sanitise(cell);
    if cell.trim_start().starts_with(FORMULA) { Cow::Owned(format!("'{cell}")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{bugcheck, crash, everything, report, undetermined};

    fn table(report: &Report) -> (Vec<String>, Vec<HashMap<String, String>>) {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        assert!(out.ends_with(b"\r\n"));
        let mut reader = csv::Reader::from_reader(out.as_slice());
        let head: Vec<String> = reader.headers().expect("a head").iter().map(str::to_owned).collect();
        let rows = reader.records().map(|row| {
            let row = row.expect("as many cells as columns");
            head.iter().cloned().zip(row.iter().map(str::to_owned)).collect()
        });
        let rows = rows.collect();
        (head, rows)
    }

    #[test]
    fn every_incident_is_one_row_with_what_is_known() {
        let mut all = report(everything().artifacts, vec![crash("c1"), undetermined("u1", 3), bugcheck("b1", 9)]);
        all.incidents[1].incident.may_be_of = vec!["c1".into(), "c2".into()];
        let (head, rows) = table(&all);
        assert_eq!(head, COLUMNS);
        assert_eq!(rows.len(), 3);
        for (column, expected) in [
            ("incident_id", "c1"),
            ("kind", "crash"),
            ("time", "2024-11-11T17:43:55.129275Z"),
            ("host", "PC-7"),
            ("cause", "missing-dependency"),
            ("confidence", "0.93"),
            ("how_sure", "act on it"),
            ("severity", "high"),
            ("rule", "cudnn/zlibwapi-missing"),
            ("process", "python.exe"),
            ("process_version", "3.9.13150.1013"),
            ("pid", "4312"),
            ("exception_code", "0xC0000409"),
            ("fault_module", "ucrtbase.dll"),
            ("fault_offset", "0x7286e"),
            ("suspect", "cudnn64_8.dll"),
            ("suspect_basis", "unwound"),
            ("cudnn", "8"),
            ("group_incidents", "2"),
            ("other_causes", "heap-corruption 0.31"),
            ("artifacts", "dumps/a.dmp; logs/Application.evtx"),
            ("bugcheck_code", ""),
        ] {
            assert_eq!(rows[0][column], expected, "{column}");
        }
        assert!(rows[0]["what_to_do"].starts_with("developer: Ship zlibwapi.dll"), "{}", rows[0]["what_to_do"]);
        assert_eq!((&*rows[1]["cause"], &*rows[1]["how_sure"]), ("undetermined", "not determined"));
        assert_eq!((&*rows[1]["confidence"], &*rows[1]["may_be_of"]), ("0", "c1; c2"));
        assert_eq!(rows[2]["bugcheck_code"], "0x00000116");
        assert_eq!(rows[2]["bugcheck_parameters"], "0xffffc001; 0xfffff801; 0x0; 0x4");
    }

    #[test]
    fn hostile_names_are_neither_formulas_nor_rows() {
        for (name, expected) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1", "'+1"),
            ("-1+1", "'-1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "' =1"),
            ("\u{FF1D}1", "'\u{FF1D}1"),
            ("\t=1", "\\t=1"),
            ("a,b\"c\r\nd", "a,b\"c\\r\\nd"),
            ("\u{1b}[2J.dll", "\\u{1b}[2J.dll"),
            ("<script>", "<script>"),
        ] {
            let mut judged = crash("c1");
            if let Some(suspect) = &mut judged.incident.suspect {
                suspect.module = name.into();
            }
            let (_, rows) = table(&report(everything().artifacts, vec![judged]));
            assert_eq!(rows.len(), 1);
            assert_eq!(rows[0]["suspect"], expected);
        }
    }

    #[test]
    fn every_column_is_on_the_page_that_describes_them() {
        let page = include_str!("../../../../docs/report.md");
        let (_, page) = page.split_once("\n## CSV\n").expect("a part about CSV");
        let (page, _) = page.split_once("\n## ").expect("a part behind it");
        let described: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
            .flat_map(|(columns, _)| columns.split("`, `"))
            .collect();
        assert_eq!(described, COLUMNS);
    }
}
