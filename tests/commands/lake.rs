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
    use std::path::PathBuf;
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use pipeline::gather::{Gathered, Listed, gather, list_files};
    use pipeline::{Options, Silent};

    use super::*;

    fn shown(path: &Path) -> &str {
        path.to_str().expect("the path of a temporary folder is text")
    }

    /// The path of a file, an artifact of it as JSON, and its evidence.
    type Packed = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

    /// Writes rows of binary columns, and one of text, as a job of Spark writes packed evidence.
    fn write_packed(file: &Path, format: &str, rows: &[Packed]) {
        let schema = "message spark_schema { optional binary path; optional binary format (UTF8); optional binary artifact; \
                      optional binary evidence; }";
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let out = File::create(file).expect("a file");
        let mut writer = SerializedFileWriter::new(out, schema, Arc::default()).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        let format = Some(format.as_bytes().to_vec());
        let columns: [Vec<Option<Vec<u8>>>; 4] = [
            rows.iter().map(|(path, ..)| Some(path.clone())).collect(),
            rows.iter().map(|_| format.clone()).collect(),
            rows.iter().map(|(_, artifact, _)| Some(artifact.clone())).collect(),
            rows.iter().map(|(.., evidence)| evidence.clone()).collect(),
        ];
        for cells in columns {
            let mut column = group.next_column().expect("a column").expect("four columns");
            let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
            let values: Vec<ByteArray> = cells.into_iter().flatten().map(ByteArray::from).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).expect("written");
            column.close().expect("closed");
        }
        group.close().expect("closed");
        writer.close().expect("closed");
    }

    #[test]
    fn no_page_is_written_into_its_tables() {
        let folder = tempfile::tempdir().expect("a folder");
        let lake = folder.path().join("lake.parquet");
        run(["analyze", "-q", "-o", shown(&lake), STACK_OVERFLOW]).ends_with(0);
        for name in ["_crashsift.json", "groups/part-0.parquet", "groups/new.html"] {
            let page = lake.join(name);
            let before = fs::read(&page).ok();
            let refused = run(["page", shown(&lake), "-o", shown(&page)]).ends_with(2);
            assert!(refused.stderr.contains("folder of tables"), "{refused:#?}");
            assert_eq!(fs::read(&page).ok(), before);
        }
        run(["page", shown(&lake), "-o", shown(&folder.path().join("page.html"))]).ends_with(0);
    }

    #[test]
    fn evidence_that_a_job_has_packed_makes_the_report_of_the_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let samples = ["samples/gpu-timeout", "samples/power-lost"].map(PathBuf::from);
        let Listed { files, .. } = list_files(&samples);
        let row = |path: &Path, one: Gathered| {
            let artifact = serde_json::to_vec(&one.artifact).expect("JSON");
            (path.as_os_str().as_encoded_bytes().to_vec(), artifact, one.evidence)
        };
        let read = gather(&files, &Options::default(), &Silent).into_iter();
        let rows: Vec<_> =
            files.iter().zip(read).flat_map(|(path, all)| all.into_iter().map(move |one| row(path, one))).collect();
        let runs = ["run-1", "run-2"].map(|run| folder.path().join(run));
        runs.iter().for_each(|run| fs::create_dir(run).expect("a folder"));
        // In the first night the files had something else in them, and one was there alone.
        let (last, others) = rows.split_last().expect("rows");
        let mut first: Vec<_> =
            others.iter().map(|(path, artifact, _)| (path.clone(), artifact.clone(), None)).collect();
        first.push(last.clone());
        write_packed(&runs[0].join("part-00000.parquet"), evidence::FORMAT, &first);
        write_packed(&runs[1].join("part-00000.parquet"), evidence::FORMAT, others);
        fs::write(runs[1].join("_SUCCESS"), "").expect("written");
        let [one, two] = runs.each_ref().map(|run| shown(run));
        let [gpu, power] = ["samples/gpu-timeout", "samples/power-lost"];
        let analyzed = run(["analyze", "-f", "json", gpu, power]).ends_with(0).stdout;
        assert_eq!(run(["merge", "-f", "json", one, two]).ends_with(0).stdout, analyzed);

        let mixed = run(["merge", one, "Cargo.toml"]).ends_with(2);
        assert!(mixed.stderr.contains("either reports or folders"), "{mixed:#?}");
        write_packed(&runs[1].join("part-00000.parquet"), "of-another-version", others);
        let other = run(["merge", one, two]).ends_with(2);
        assert!(other.stderr.contains("run-2") && other.stderr.contains("another form"), "{other:#?}");
        fs::write(runs[1].join("part-00000.parquet"), "PAR1").expect("written");
        run(["merge", one, two]).ends_with(2);
        run(["analyze", "-q", "-o", shown(&folder.path().join("lake.parquet")), gpu]).ends_with(0);
        let tables = run(["merge", shown(&folder.path().join("lake.parquet/groups"))]).ends_with(2);
        assert!(tables.stderr.contains("no evidence that crashsift_spark has packed"), "{tables:#?}");
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
