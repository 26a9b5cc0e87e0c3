//! The report as a table: one row an incident, for spreadsheets and databases.
//!
//! RFC 4180, UTF-8. New columns are added at the end. A cell that a spreadsheet would read as a formula is written as text.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use super::WriteError;
use crate::account::happened;
use crate::confidence;
use crate::model::{Group, Judged, Report};
use crate::wording::{how_sure_words, prose};
use incident::Incident;
use rules::Finding;
use untrusted::sanitise;

/// Between the entries of a list in one cell.
const BETWEEN: &str = "; ";

/// One incident, as the columns need it.
struct Row<'r> {
    report: &'r Report,
    incident: &'r Incident,
    judged: &'r Judged,
    /// The finding that gave the verdict its cause.
    leading: Option<&'r Finding>,
    group: Option<&'r Group>,
}

/// Makes a column's cell of a row.
type Cell = fn(&Row<'_>) -> String;

/// The columns, each with what makes its cells. A value that is not known is empty. `docs/report.md` describes them.
const COLUMNS: [(&str, Cell); 45] = [
    ("incident_id", |row| row.incident.id.clone()),
    ("kind", |row| row.incident.kind.word().to_owned()),
    ("time", |row| text(row.incident.time)),
    ("host", |row| text(row.incident.host.as_ref())),
    ("cause", |row| row.judged.verdict.cause.clone()),
    ("confidence", |row| confidence::rounded(row.judged.verdict.confidence).to_string()),
    ("how_sure", |row| how_sure_words(&row.judged.verdict).to_owned()),
    ("severity", |row| text(row.leading.map(|finding| finding.severity.word()))),
    ("rule", |row| text(row.leading.map(|finding| &finding.rule))),
    ("sentence", |row| prose(&row.judged.verdict.sentence)),
    ("what_to_do", |row| {
        let steps = row.leading.into_iter().flat_map(|finding| &finding.remediation);
        joined(steps.map(|step| format!("{}: {}", step.audience.word(), prose(&step.with_details()))))
    }),
    ("collect_next", |row| joined(row.judged.verdict.collect_next.iter().map(|text| prose(text)))),
    ("process", |row| text(row.incident.process.as_ref().and_then(|process| process.name.as_ref()))),
    ("process_version", |row| text(row.incident.process.as_ref().and_then(|process| process.version))),
    ("pid", |row| text(row.incident.process.as_ref().and_then(|process| process.pid))),
    ("process_path", |row| text(row.incident.process.as_ref().and_then(|process| process.path.as_ref()))),
    ("exception_code", |row| text(row.incident.exception.as_ref().map(|exception| exception.code))),
    ("exception_name", |row| text(row.incident.exception.as_ref().and_then(|exception| exception.name.as_ref()))),
    ("bugcheck_code", |row| text(row.incident.bugcheck.as_ref().map(|bugcheck| bugcheck.code))),
    ("bugcheck_name", |row| text(row.incident.bugcheck.as_ref().and_then(|bugcheck| bugcheck.name.as_ref()))),
    ("bugcheck_parameters", |row| {
        let parameters = row.incident.bugcheck.iter().flat_map(|bugcheck| &bugcheck.parameters);
        joined(parameters.map(|value| format!("{value:#x}")))
    }),
    ("fault_module", |row| text(row.incident.fault_site.as_ref().map(|site| &site.module))),
    ("fault_version", |row| text(row.incident.fault_site.as_ref().and_then(|site| site.version))),
    ("fault_offset", |row| text(row.incident.fault_site.as_ref().and_then(|site| site.offset))),
    ("fault_function", |row| text(row.incident.fault_site.as_ref().and_then(|site| site.function.as_ref()))),
    ("suspect", |row| text(row.incident.suspect.as_ref().map(|suspect| &suspect.module))),
    ("suspect_version", |row| text(row.incident.suspect.as_ref().and_then(|suspect| suspect.version))),
    ("suspect_basis", |row| text(row.incident.suspect.as_ref().map(|suspect| suspect.basis.word()))),
    ("os", |row| text(row.incident.environment.get("os"))),
    ("cpu", |row| text(row.incident.environment.get("cpu"))),
    ("gpu_driver", |row| text(row.incident.environment.get("gpu_driver"))),
    ("cuda", |row| text(row.incident.environment.get("cuda"))),
    ("cudnn", |row| text(row.incident.environment.get("cudnn"))),
    ("python", |row| text(row.incident.environment.get("python"))),
    ("group", |row| text(row.group.map(|group| &group.signature))),
    ("group_incidents", |row| text(row.group.map(|group| group.incidents.len()))),
    ("other_causes", |row| {
        let others = row.judged.other_causes();
        joined(others.map(|finding| format!("{} {}", finding.cause, confidence::rounded(finding.confidence))))
    }),
    ("suppressed", |row| {
        let suppressed = row.judged.suppressed.iter();
        joined(suppressed.map(|finding| prose(&format!("{} {}", finding.rule, finding.by.description()))))
    }),
    ("sigma", |row| joined(row.judged.sigma.iter().map(|nearby| prose(&nearby.rule.title)))),
    ("may_be_of", |row| row.incident.may_be_of.join(BETWEEN)),
    ("artifacts", |row| {
        let paths = row.incident.evidence.iter().filter_map(|item| row.report.artifact_path(item.artifact));
        paths.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(BETWEEN)
    }),
    ("remarks", |row| joined(row.incident.remarks.iter().map(|remark| prose(remark)))),
    ("happened", |row| happened(row.judged)),
    ("family", |row| text(row.judged.verdict.family.as_ref())),
    ("customer", |row| text(row.judged.party.as_ref())),
];

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(BETWEEN)
}

/// The byte order mark of UTF-8, by which Excel recognizes it.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Writes the report as CSV, with `mark` after a byte order mark.
///
/// # Errors
/// When `out` can't be written to.
pub fn write(report: &Report, mark: bool, out: &mut dyn Write) -> Result<(), WriteError> {
    if mark {
        out.write_all(BYTE_ORDER_MARK).map_err(WriteError::Output)?;
    }
    let mut table = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .buffer_capacity(super::BUFFER_SIZE)
        .from_writer(out);
    table.write_record(COLUMNS.map(|(name, _)| name))?;
    let groups = report.groups.iter().flat_map(|group| group.incidents.iter().map(move |id| (id.as_str(), group)));
    let groups: HashMap<&str, &Group> = groups.collect();
    for judged in &report.incidents {
        let incident = &judged.incident;
        let group = groups.get(incident.id.as_str()).copied();
        let row = Row { report, incident, judged, leading: judged.leading_finding(), group };
        table.write_record(COLUMNS.map(|(_, cell)| harmless(&cell(&row)).into_owned()))?;
    }
    table.flush().map_err(WriteError::Output)
}

/// A cell that neither acts on a terminal nor is a formula. Spreadsheets read a cell as a formula that begins with one of
/// these characters, also behind blanks and in full width; an apostrophe before it makes it a text.
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
        write(report, false, &mut out).expect("memory can be written to");
        let mut marked = Vec::new();
        write(report, true, &mut marked).expect("memory can be written to");
        assert_eq!(marked.strip_prefix(BYTE_ORDER_MARK), Some(out.as_slice()));
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
        assert_eq!(head, COLUMNS.map(|(name, _)| name));
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
        assert_eq!(described, COLUMNS.map(|(name, _)| name));
    }
}
