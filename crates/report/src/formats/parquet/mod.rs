//! The report as a folder of Parquet files: a table for each kind of thing, in parts by day, for queries over many incidents
//! with DuckDB, Spark and pandas.
//!
//! `docs/lake.md` describes tables and columns. The folder belongs to one run: it is written whole beside its place and takes
//! the place of what a run wrote before.

mod cells;
mod packed;
mod read;
mod tables;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use self::cells::{Row, Value};
use self::tables::{Rows, Table};
use crate::model::{Judged, Report};
use incident::{Machine, TimelineEntry};
use untrusted::reason;
use whole_file::WholeFolder;

pub use packed::{PackedArtifact, packed};
pub use read::read;

/// The version of tables and columns: the first number changes when a column is renamed or removed, or changes its type.
pub const SCHEMA_VERSION: &str = "1.0";

/// The key of that version in the metadata of each file.
const SCHEMA_KEY: &str = "crashsift.schema_version";

/// The file by which a folder is known to be one that this program wrote. It is written last.
const MARK: &str = "_crashsift.json";

/// The day of rows whose time is not known, as Hive writes it; readers make it null.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";

/// The name of the file with the rows of a day, or of a table that has no days.
const FILE: &str = "part-0.parquet";

/// The most rows of a group of rows in a file: readers skip groups by the computers in them.
const GROUP_ROWS: usize = 16 << 10;

/// Why the folder can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum LakeError {
    /// The path is a file.
    #[error("it is a file; Parquet is a folder of tables")]
    File,
    /// The folder has something else than tables of this program.
    #[error("it is a folder with other files; name a new folder, or one that crashsift wrote")]
    Foreign,
    /// The folder was not written by this program.
    #[error("it has no tables of crashsift: there is no {MARK} in it")]
    NoTables,
    /// The rows of a file are no artifacts with their evidence.
    #[error("it has no evidence that crashsift_spark has packed")]
    NotPacked,
    /// The tables are of another major version, which this program does not read.
    #[error("its schema_version is {0:?}, and this program reads {SCHEMA_VERSION}")]
    OtherVersion(String),
    /// A file or folder can't be read or written.
    #[error("{}", reason(.0))]
    Io(#[from] io::Error),
    /// A table can't be read or written.
    #[error(transparent)]
    Table(#[from] ParquetError),
}

/// Checks that tables can be written to `folder`: it is missing, empty, or has only what this program writes.
///
/// # Errors
/// When it is a file, has other files, or its parent is missing.
pub fn check(folder: &Path) -> Result<(), LakeError> {
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::metadata(parent(folder)) {
            Ok(about) if about.is_dir() => Ok(()),
            Ok(_) => Err(io::Error::from(io::ErrorKind::NotADirectory).into()),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
        Ok(about) if !about.is_dir() => Err(LakeError::File),
        Ok(_) => {
            let found = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
            let is_own = |name: &OsString| name == MARK || names().any(|table| name == table);
            let has_mark = found.iter().any(|name| name == MARK);
            if found.is_empty() || has_mark && found.iter().all(is_own) { Ok(()) } else { Err(LakeError::Foreign) }
        }
    }
}

fn parent(folder: &Path) -> &Path {
    folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the tables of the report to `folder`, which has the old tables until the new ones are whole.
///
/// # Errors
/// As [`check`], and when a file can't be written.
pub fn write(report: &Report, folder: &Path) -> Result<(), LakeError> {
    check(folder)?;
    // A link stays a link: its target is replaced.
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let new = WholeFolder::in_folder(parent(&folder))?;
    for table in tables::ALL {
        write_table(report, table, &new.path().join(table.name))?;
    }
    let mark = serde_json::json!({
        "tool": "crashsift",
        "version": env!("CARGO_PKG_VERSION"),
        "schema_version": SCHEMA_VERSION,
        "tables": names().collect::<Vec<_>>(),
        "rulesets": report.rule_sets,
    });
    fs::write(new.path().join(MARK), format!("{mark:#}\n"))?;
    Ok(new.persist(&folder)?)
}

/// The names of the tables.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    tables::ALL.iter().map(|table| table.name)
}

/// One table of a report as one Parquet file, all days together; `None` where no table has this name.
///
/// # Errors
/// When the file can't be made: its rows do not fit the table.
pub fn table(report: &Report, name: &str) -> Result<Option<Vec<u8>>, ParquetError> {
    let table = tables::ALL.into_iter().find(|table| table.name == name);
    let file = |table: &Table| encoded(table, days(report, table).into_values().flatten().flat_map(|one| (one.rows)()));
    table.map(file).transpose()
}

/// Writes a table, the rows of each day into a file of their own.
fn write_table(report: &Report, table: &Table, folder: &Path) -> Result<(), LakeError> {
    for (day, subjects) in days(report, table) {
        let folder = match (table.is_by_day(), day) {
            (false, _) => folder.to_path_buf(),
            (true, Some(day)) => folder.join(format!("day={day}")),
            (true, None) => folder.join(format!("day={UNKNOWN}")),
        };
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(FILE), encoded(table, subjects.into_iter().flat_map(|one| (one.rows)()))?)?;
    }
    Ok(())
}

/// What has rows in a table.
struct Subject<'r> {
    /// The order of rows within a day: computer, time, id.
    key: (Option<&'r str>, Option<Timestamp>, &'r str),
    rows: Box<dyn Fn() -> Vec<Row> + 'r>,
}

/// What a table has rows of, by day; one day without a date where the table has no days, or no rows.
fn days<'r>(report: &'r Report, table: &'r Table) -> BTreeMap<Option<Date>, Vec<Subject<'r>>> {
    let all: Vec<Subject<'r>> = match &table.rows {
        Rows::Incidents(rows) => report.incidents.iter().map(|judged| of_incident(report, judged, *rows)).collect(),
        Rows::Entries(row) => {
            let entries =
                report.machines.iter().flat_map(|machine| machine.timeline.iter().map(move |entry| (machine, entry)));
            entries.map(|(machine, entry)| of_entry(report, machine, entry, *row)).collect()
        }
        Rows::Groups(row) => {
            let own = |group| Subject { key: (None, None, ""), rows: Box::new(move || vec![row(group)]) };
            report.groups.iter().map(own).collect()
        }
        Rows::Artifacts(row) => {
            let own = |artifact| Subject { key: (None, None, ""), rows: Box::new(move || vec![row(artifact)]) };
            report.artifacts.iter().map(own).collect()
        }
        Rows::Machines(row) => {
            let own = |machine| Subject { key: (None, None, ""), rows: Box::new(move || vec![row(machine)]) };
            report.machines.iter().map(own).collect()
        }
    };
    let mut days: BTreeMap<Option<Date>, Vec<Subject<'r>>> = BTreeMap::new();
    for subject in all {
        let day = subject.key.1.map(cells::day);
        days.entry(day).or_default().push(subject);
    }
    // Readers find the columns of a table without rows in a file without rows.
    if days.is_empty() {
        days.insert(None, Vec::new());
    }
    // Groups, artifacts and machines keep the order of the report.
    days.values_mut().for_each(|subjects| subjects.sort_by_key(|subject| subject.key));
    days
}

fn of_incident<'r>(report: &'r Report, judged: &'r Judged, rows: fn(&Report, &Judged) -> Vec<Row>) -> Subject<'r> {
    let incident = &judged.incident;
    let key = (incident.host.as_deref(), incident.time, incident.id.as_str());
    Subject { key, rows: Box::new(move || rows(report, judged)) }
}

fn of_entry<'r>(
    report: &'r Report,
    machine: &'r Machine,
    entry: &'r TimelineEntry,
    row: fn(&Report, &Machine, &TimelineEntry) -> Row,
) -> Subject<'r> {
    let key = (Some(&*machine.host), Some(entry.time), "");
    Subject { key, rows: Box::new(move || vec![row(report, machine, entry)]) }
}

/// The rows as one Parquet file.
fn encoded(table: &Table, rows: impl Iterator<Item = Row>) -> Result<Vec<u8>, ParquetError> {
    let columns: Vec<String> =
        table.columns().map(|(name, kind)| format!("optional {};", kind.declared(name))).collect();
    let schema = parse_message_type(&format!("message {} {{ {} }}", table.name, columns.join(" ")))?;
    let version = KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA_VERSION.to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("crashsift ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![version]))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        write_group(&mut file, &rows.by_ref().take(GROUP_ROWS).collect::<Vec<_>>())?;
    }
    file.into_inner()
}

/// Writes a group of rows, column by column.
fn write_group(file: &mut SerializedFileWriter<Vec<u8>>, rows: &[Row]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    let mut index = 0;
    while let Some(mut column) = group.next_column()? {
        let cells = || rows.iter().map(|row| row.get(index).unwrap_or(&Value::None));
        // 1 where there is a value, 0 where it is not known.
        let levels: Vec<i16> = cells().map(|cell| i16::from(*cell != Value::None)).collect();
        let levels = Some(levels.as_slice());
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(out) => {
                let texts: Vec<ByteArray> = cells().filter_map(Value::text).map(ByteArray::from).collect();
                out.write_batch(&texts, levels, None)?;
            }
            ColumnWriter::Int64ColumnWriter(out) => {
                out.write_batch(&cells().filter_map(Value::int).collect::<Vec<_>>(), levels, None)?;
            }
            ColumnWriter::DoubleColumnWriter(out) => {
                out.write_batch(&cells().filter_map(Value::real).collect::<Vec<_>>(), levels, None)?;
            }
            ColumnWriter::BoolColumnWriter(out) => {
                out.write_batch(&cells().filter_map(Value::flag).collect::<Vec<_>>(), levels, None)?;
            }
            _ => return Err(ParquetError::General("a column of another type".to_owned())),
        }
        column.close()?;
        index += 1;
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests;
