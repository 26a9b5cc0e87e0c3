use std::fs::File;

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;
use crate::tests::sample::{bugcheck, crash, everything, hostile, machine, overlay, report, undetermined};

/// All files below a folder, relative, in order.
fn files(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false => all.push(path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/")),
            }
        }
    }
    all.sort();
    all
}

fn reader(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet")
}

fn rows(path: &Path) -> Vec<String> {
    reader(path).get_row_iter(None).expect("rows").map(|row| row.expect("a row").to_string()).collect()
}

#[test]
fn every_table_is_written_by_day_and_replaced_whole() {
    let root = tempfile::tempdir().expect("a folder");
    let lake = root.path().join("lake");
    write(&everything(), &lake).expect("written");
    let first = files(&lake);
    for name in names() {
        assert!(first.iter().any(|file| file.starts_with(&format!("{name}/"))), "{name}: {first:#?}");
    }
    let incidents = "incidents/day=2024-11-11/part-0.parquet";
    let row = rows(&lake.join(incidents)).pop().expect("a row");
    for part in
        ["cause: \"missing-dependency\"", "confidence: 0.93", "fault_module: \"ucrtbase.dll\"", "2024-11-11 17:43:55"]
    {
        assert!(row.contains(part), "{part}: {row}");
    }
    let bytes = |file: &String| fs::read(lake.join(file)).expect("a file");
    let before: Vec<Vec<u8>> = first.iter().map(bytes).collect();
    write(&everything(), &lake).expect("written again");
    assert_eq!(files(&lake), first);
    assert_eq!(first.iter().map(bytes).collect::<Vec<_>>(), before, "equal input, equal bytes");
    let mut other = undetermined("u1", 0);
    other.incident.host = None;
    other.incident.time = None;
    write(&report(Vec::new(), vec![other]), &lake).expect("written");
    let now = files(&lake);
    assert!(now.contains(&format!("incidents/day={UNKNOWN}/part-0.parquet")), "{now:#?}");
    assert!(!now.iter().any(|file| file == incidents), "nothing of the run before is left: {now:#?}");
    assert!(
        now.contains(&format!("timeline/day={UNKNOWN}/part-0.parquet")),
        "a table without rows has columns: {now:#?}"
    );
    assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 1, "nothing else is left behind");
}

#[test]
fn rows_of_a_day_are_in_the_order_of_computers() {
    let root = tempfile::tempdir().expect("a folder");
    let of = |id: &str, host: &str, after: i64| {
        let mut judged = undetermined(id, after);
        judged.incident.host = Some(host.into());
        judged
    };
    let all = vec![of("u1", "PC-2", 0), of("u2", "PC-1", 9), of("u3", "PC-2", 1), of("u4", "PC-1", 3)];
    write(&report(Vec::new(), all), root.path()).expect("written");
    let folder = root.path().join("incidents");
    let [day] = &files(&folder)[..] else { panic!("one day") };
    let ids: Vec<String> = rows(&folder.join(day)).iter().map(|row| row.get(6..8).expect("an id").to_owned()).collect();
    assert_eq!(ids, ["u4", "u2", "u1", "u3"]);
}

#[test]
fn a_table_is_also_one_file_in_memory() {
    let bytes = table(&everything(), "findings").expect("made").expect("a table");
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("findings.parquet");
    fs::write(&path, bytes).expect("a file");
    let count: usize = everything().incidents.iter().map(|judged| judged.findings.len()).sum();
    assert_eq!(rows(&path).len(), count);
    let about = reader(&path).metadata().file_metadata().key_value_metadata().cloned().expect("metadata");
    assert!(about.contains(&KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA_VERSION.to_owned())), "{about:?}");
    assert_eq!(table(&everything(), "else").expect("made"), None);
}

#[test]
fn what_this_program_did_not_write_is_never_replaced() {
    let root = tempfile::tempdir().expect("a folder");
    fs::write(root.path().join("photo.jpg"), "x").expect("a file");
    assert!(matches!(write(&everything(), root.path()), Err(LakeError::Foreign)));
    assert!(matches!(write(&everything(), &root.path().join("photo.jpg")), Err(LakeError::File)));
    assert!(write(&everything(), &root.path().join("no").join("lake")).is_err());
    assert_eq!(files(root.path()), ["photo.jpg"]);
}

#[test]
fn names_of_computers_are_in_no_path() {
    let root = tempfile::tempdir().expect("a folder");
    let name = format!("../../{}\u{1b}\0", "x".repeat(400));
    write(&hostile(&name), &root.path().join("lake")).expect("written");
    let all = files(root.path());
    assert!(all.iter().all(|file| file.starts_with("lake/") && !file.contains('x')), "{all:#?}");
}

/// The columns of version 1.0 and those that were added since, in their order. Nothing is ever removed or changed here.
const COLUMNS: &str = include_str!("columns.tsv");

#[test]
fn columns_are_only_added() {
    let own: Vec<String> = tables::ALL
        .iter()
        .flat_map(|table| table.columns().map(|(column, kind)| format!("{}\t{column}\t{}", table.name, kind.word())))
        .collect();
    assert_eq!(own, COLUMNS.lines().collect::<Vec<_>>());
    assert_eq!(SCHEMA_VERSION, "1.0");
}

#[test]
fn every_column_is_on_the_page_that_describes_them() {
    let page = include_str!("../../../../../docs/lake.md");
    for table in tables::ALL {
        let columns: Vec<String> = table.columns().map(|(name, _)| format!("`{name}`")).collect();
        let row = format!("| `{}` | {} |", table.name, columns.join(", "));
        assert!(page.contains(&row), "{row}");
    }
}

/// What the page for browsers shows of all incidents together is the same from the tables as from the report.
#[test]
fn the_page_of_tables_has_the_pictures_of_the_report() {
    let root = tempfile::tempdir().expect("a folder");
    let mut elsewhere = undetermined("u2", 4_000_000);
    elsewhere.incident.host = Some("PC-8".into());
    let all = vec![crash("c1"), undetermined("u1", 3), bugcheck("b1", 9), elsewhere];
    let mut report = report(everything().artifacts, all);
    report.groups[0].over_represented = vec![overlay()];
    report.machines = vec![machine()];
    let lake = root.path().join("lake");
    write(&report, &lake).expect("written");
    let again = read(&lake, &report.causes).expect("read");
    let page = |report: &Report| {
        let mut out = Vec::new();
        crate::page::write_html(report, &mut out, false).expect("memory");
        String::from_utf8(out).expect("text")
    };
    let (one, other) = (page(&report), page(&again));
    for part in ["<section id=\"overview\"", "<section id=\"when\"", "<section id=\"where\""] {
        let section = |page: &str| {
            let (_, rest) = page.split_once(part).expect("a section");
            rest.split_once("</section>").map(|(section, _)| section.to_owned())
        };
        assert_eq!(section(&one), section(&other), "{part}");
    }
    let ids = |report: &Report| report.incidents.iter().map(|judged| judged.incident.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&report), ids(&again));
    let groups = |report: &Report| {
        let mut groups = report.groups.clone();
        groups.sort_by(|a, b| a.signature.cmp(&b.signature));
        groups
    };
    assert_eq!(groups(&report), groups(&again));
    assert_eq!(report.summary.by_cause, again.summary.by_cause);
}

#[test]
fn a_folder_without_tables_or_of_another_version_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let causes = everything().causes;
    assert!(matches!(read(root.path(), &causes), Err(LakeError::NoTables)));
    fs::write(root.path().join(MARK), "{\"schema_version\": \"2.0\"}").expect("a file");
    assert!(matches!(read(root.path(), &causes), Err(LakeError::OtherVersion(_))));
    fs::write(root.path().join(MARK), "{\"schema_version\": \"1.9\"}").expect("a file");
    assert!(matches!(read(root.path(), &causes), Err(LakeError::Io(_))));
}

#[test]
fn every_table_has_a_view_for_duckdb() {
    let views = include_str!("../../../../../docs/fleet/views.sql");
    for name in names() {
        assert!(views.contains(&format!("view {name} as from read_parquet('lake/{name}/")), "{name}");
    }
}
