//! `-f parquet`: tables of a report for queries, as the `parquet` package reads them.

#[cfg(feature = "parquet")]
use std::collections::BTreeMap;
#[cfg(feature = "parquet")]
use std::fs::{self, File};
#[cfg(feature = "parquet")]
use std::path::Path;

#[cfg(feature = "parquet")]
use parquet::file::reader::{FileReader, SerializedFileReader};
#[cfg(feature = "parquet")]
use parquet::record::Field;
#[cfg(feature = "parquet")]
use serde_json::Value;

use crate::program::run;

const STACK_OVERFLOW: &str = "samples/stack-overflow/python.exe.5316.dmp";

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_so() {
    let refused = run(["analyze", "-f", "parquet", "-o", "lake", STACK_OVERFLOW]).ends_with(2);
    assert!(refused.stderr.contains("built without Parquet"), "{refused:#?}");
}

/// The rows of each table as JSON, with the day of their folder as `day`.
#[cfg(feature = "parquet")]
pub fn tables(lake: &Path) -> BTreeMap<String, Vec<Value>> {
    let mut tables: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut open = vec![lake.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let inner = path.strip_prefix(lake).expect("below").to_string_lossy().replace('\\', "/");
        let Some((table, rest)) = inner.split_once('/') else { continue };
        let rows = tables.entry(table.to_owned()).or_default();
        let file = SerializedFileReader::new(File::open(&path).expect("a file")).expect("Parquet");
        for row in file.get_row_iter(None).expect("rows") {
            let row = row.expect("a row");
            let mut cells: serde_json::Map<String, Value> =
                row.get_column_iter().map(|(name, field)| (name.clone(), cell(field))).collect();
            let day = rest.strip_prefix("day=").and_then(|rest| rest.split_once('/'));
            cells.insert("day".to_owned(), day.map_or(Value::Null, |(day, _)| day.into()));
            rows.push(cells.into());
        }
    }
    tables
}

#[cfg(feature = "parquet")]
fn cell(field: &Field) -> Value {
    match field {
        Field::Str(text) => text.as_str().into(),
        Field::Long(number) | Field::TimestampMicros(number) => (*number).into(),
        Field::Double(number) => (*number).into(),
        Field::Bool(flag) => (*flag).into(),
        Field::Null => Value::Null,
        other => panic!("a column of another type: {other:?}"),
    }
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::collections::BTreeSet;

    use super::*;

    fn shown(path: &Path) -> &str {
        path.to_str().expect("the path of a temporary folder is text")
    }

    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn tables_are_a_folder_beside_other_reports() {
        let folder = tempfile::tempdir().expect("a folder");
        let (lake, page) = (folder.path().join("lake"), folder.path().join("r.html"));
        let named = folder.path().join("r.parquet");
        for _ in 0..2 {
            run(["analyze", "-q", "-f", "parquet", "-o", shown(&lake), STACK_OVERFLOW]).ends_with(0);
            run(["analyze", "-q", "-o", shown(&named), "-o", shown(&page), STACK_OVERFLOW]).ends_with(0);
        }
        assert_eq!(tables(&lake), tables(&named));
        assert_eq!(names(&lake), names(&named));
        assert_eq!(names(folder.path()).into_iter().collect::<Vec<_>>(), ["lake", "r.html", "r.parquet"]);
    }

    #[test]
    fn a_folder_that_would_lose_something_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let lake = folder.path().join("lake");
        let refused = |arguments: &[&str], reason: &str| {
            let refused = run(["analyze", "-q", "-f", "parquet"].iter().chain(arguments)).ends_with(2);
            assert!(refused.stderr.contains(reason), "{refused:#?}");
        };
        refused(&[STACK_OVERFLOW], "name one with --output");
        refused(&["-o", "-", STACK_OVERFLOW], "name one with --output");
        refused(&["-o", "samples", STACK_OVERFLOW], "a folder with other files");
        refused(&["-o", STACK_OVERFLOW, STACK_OVERFLOW], "it is a file");
        run(["analyze", "-q", "-f", "parquet", "-o", shown(&lake), STACK_OVERFLOW]).ends_with(0);
        let inner = lake.join("incidents");
        refused(&["-o", shown(&lake), shown(&inner)], "files that are read are in it");
        fs::write(lake.join("notes.txt"), "x").expect("a file");
        refused(&["-o", shown(&lake), STACK_OVERFLOW], "a folder with other files");
    }

    /// Every incident of a report with its verdict, evidence, stack, steps and timeline.
    #[test]
    fn tables_have_what_the_report_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let (lake, report, mergeable) =
            (folder.path().join("lake"), folder.path().join("r.json"), folder.path().join("m.json"));
        run(["analyze", "-q", "-o", shown(&lake.with_extension("parquet")), "-o", shown(&report), "samples/fleet"])
            .ends_with(0);
        run(["analyze", "-q", "--mergeable", "-o", shown(&mergeable), "samples/fleet"]).ends_with(0);
        run(["merge", "-q", "-f", "parquet", "-o", shown(&lake), shown(&mergeable)]).ends_with(0);
        let report: Value = serde_json::from_slice(&fs::read(&report).expect("a report")).expect("JSON");
        let found = tables(&lake);
        assert_eq!(found, tables(&lake.with_extension("parquet")), "a merged report has the same tables");
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let incidents = list(&report["incidents"]);
        let rows = |table: &str| found.get(table).map_or(0, Vec::len);
        let sum = |count: &dyn Fn(&Value) -> usize, of: &[Value]| of.iter().map(count).sum::<usize>();
        assert_eq!(rows("incidents"), incidents.len());
        assert_eq!(rows("evidence"), sum(&|one| list(&one["evidence"]).len(), &incidents));
        assert_eq!(rows("frames"), sum(&|one| list(&one["stack"]).len(), &incidents));
        assert_eq!(rows("findings"), sum(&|one| list(&one["findings"]).len(), &incidents));
        assert_eq!(rows("steps"), sum(&|one| list(&one["verdict"]["steps"]).len(), &incidents));
        assert_eq!(rows("timeline"), sum(&|one| list(&one["timeline"]).len(), &list(&report["machines"])));
        assert_eq!(rows("machines"), list(&report["machines"]).len());
        assert_eq!(rows("artifacts"), list(&report["artifacts"]).len());
        for incident in &incidents {
            let row = found["incidents"].iter().find(|row| row["id"] == incident["id"]).expect("a row");
            let pairs = [
                ("kind", &incident["kind"]),
                ("host", &incident["host"]),
                ("process", &incident["process"]["name"]),
                ("exception_code", &incident["exception"]["code"]),
                ("fault_module", &incident["fault_site"]["module"]),
                ("signature", &incident["signature"]["coarse"]),
                ("cause", &incident["verdict"]["cause"]),
                ("confidence", &incident["verdict"]["confidence"]),
                ("severity", &incident["verdict"]["severity"]),
                ("os", &incident["environment"]["os"]),
            ];
            for (column, value) in pairs {
                // A whole number is a double in the table.
                let equal =
                    row[column] == *value || row[column].as_f64().is_some_and(|number| Some(number) == value.as_f64());
                assert!(equal, "{column}: {} and {value}", row[column]);
            }
            let day = incident["time"].as_str().and_then(|time| time.get(..10)).unwrap_or("__HIVE_DEFAULT_PARTITION__");
            assert_eq!(row["day"], day);
        }
    }
}
