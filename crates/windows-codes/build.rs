//! Puts the tables below `rules/data` into the crate: codes with their names and meanings, and what else is looked up.

use std::error::Error;
use std::fmt::{Debug, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use knowledge_tables::codes::{CodeRow, CodeTables, EventRow, NoteRow};
use knowledge_tables::table::Table;
use knowledge_tables::{compatibility, cues, stops, table};
use serde::Serialize;
use spanned_yaml::{Diagnostic, YamlText};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    fs::write(out.join("builtin_tables.rs"), tables()?)?;
    fs::write(out.join("code_tables.bin"), code_tables()?)?;
    Ok(())
}

/// The file `data/NAME.yaml` of the rule set.
fn data(name: &str) -> Outcome<Arc<YamlText>> {
    let path = Path::new(builtin_rules::FOLDER).join("data").join(format!("{name}.yaml"));
    println!("cargo::rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(YamlText::new(format!("data/{name}.yaml"), text))
}

/// Mistakes as the build shows them.
fn shown(mistakes: &[Diagnostic]) -> Box<dyn Error> {
    mistakes.iter().map(|mistake| mistake.render(false)).collect::<Vec<_>>().join("\n\n").into()
}

fn encoded(value: &impl Serialize) -> Outcome<Vec<u8>> {
    Ok(postcard::to_allocvec(value)?)
}

/// The tables that only `explain` looks up, encoded.
fn code_tables() -> Outcome<Vec<u8>> {
    let mut mistakes = Vec::new();
    let statuses = table::names(&data("statuses")?, &mut mistakes);
    let status_facilities = table::facilities(&data("statuses")?, &mut mistakes);
    let win_errors = table::names(&data("win-errors")?, &mut mistakes);
    let hresults = table::names(&data("hresults")?, &mut mistakes);
    let hresult_facilities = table::facilities(&data("hresults")?, &mut mistakes);
    let exit_codes = table::names(&data("exit-codes")?, &mut mistakes);
    let cuda_errors = table::names(&data("cuda-errors")?, &mut mistakes);
    let cuda_driver_errors = table::names(&data("cuda-driver-errors")?, &mut mistakes);
    let cublas_statuses = table::names(&data("cublas-statuses")?, &mut mistakes);
    let cudnn_statuses = table::names(&data("cudnn-statuses")?, &mut mistakes);
    let device_problems = table::names(&data("device-problems")?, &mut mistakes);
    let errnos = table::names(&data("errnos")?, &mut mistakes);
    let xids = table::names(&data("xids")?, &mut mistakes);
    let events = table::events(&data("events")?, &mut mistakes);
    let notes = table::notes(&data("code-notes")?, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(shown(&mistakes));
    }
    encoded(&CodeTables {
        statuses: code_rows(&statuses),
        win_errors: code_rows(&win_errors),
        hresults: code_rows(&hresults),
        exit_codes: code_rows(&exit_codes),
        cuda_errors: code_rows(&cuda_errors),
        cuda_driver_errors: code_rows(&cuda_driver_errors),
        cublas_statuses: code_rows(&cublas_statuses),
        cudnn_statuses: code_rows(&cudnn_statuses),
        device_problems: code_rows(&device_problems),
        errnos: code_rows(&errnos),
        xids: code_rows(&xids),
        events: events.values().map(event_row).collect(),
        status_facilities: code_rows(&status_facilities),
        hresult_facilities: code_rows(&hresult_facilities),
        notes: notes.values().map(note_row).collect(),
    })
}

fn code_rows(table: &Table<u32, table::Code>) -> Vec<CodeRow<'_>> {
    table.iter().map(|(code, row)| CodeRow { code: *code, name: &row.name, means: row.means.as_deref() }).collect()
}

fn texts(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn event_row(event: &table::Event) -> EventRow<'_> {
    EventRow {
        id: event.id,
        provider: &event.provider,
        called: texts(&event.called),
        says: &event.says,
        proves: texts(&event.proves),
        not: texts(&event.not),
        look: texts(&event.look),
        collect: texts(&event.collect),
        sources: texts(&event.sources),
    }
}

fn note_row(note: &table::Note) -> NoteRow<'_> {
    NoteRow {
        of: &note.of,
        codes: note.codes.clone(),
        not: texts(&note.not),
        look: texts(&note.look),
        fast_fails: note.fast_fails,
        collect: texts(&note.collect),
        sources: texts(&note.sources),
    }
}

/// The tables that the program itself looks up, as Rust.
fn tables() -> Outcome<String> {
    let mut mistakes = Vec::new();
    let exceptions = table::codes(&data("exception-codes")?, "", &mut mistakes);
    let fast_fails = table::codes(&data("fast-fail")?, "FAST_FAIL_", &mut mistakes);
    let bugchecks = table::codes(&data("bugchecks")?, "", &mut mistakes);
    let mut win_errors = table::names(&data("win-errors")?, &mut mistakes);
    win_errors.retain(|_, row| row.bare || row.status.is_some());
    let stop_rows = stops::stops(&data("bugcheck-parameters")?, &mut mistakes);
    let releases = table::releases(&data("windows-builds")?, &mut mistakes);
    let collect = table::texts(&data("collect")?, &mut mistakes);
    let cuda_names = compatibility::cuda_names(&data("cuda-names")?, &mut mistakes);
    let cuda_drivers = compatibility::cuda_drivers(&data("cuda-drivers")?, &mut mistakes);
    let tensorflow = compatibility::tensorflow(&data("tensorflow-builds")?, &mut mistakes);
    let cue_rows = cues::cues(&data("mentions")?, &mut mistakes);
    let text_words = cues::text_words(&data("text-words")?, &mut mistakes);
    let folders = table::folders(&data("collected-folders")?, &mut mistakes);
    let msvcp140 = compatibility::msvcp140(&data("msvcp140-minimums")?, &mut mistakes);
    let stated = compatibility::stated(&data("stated-versions")?, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(shown(&mistakes));
    }
    let mut code = String::new();
    for (name, table) in [("EXCEPTIONS", exceptions), ("FAST_FAILS", fast_fails), ("BUGCHECKS", bugchecks)] {
        write_table(&mut code, name, "u32", "Meaning", &table, |row| {
            let table::Code { name, means, live, damage, .. } = row;
            format!("Meaning {{ name: {name:?}, means: {means:?}, live: {live}, damage: {damage:?} }}")
        })?;
    }
    write_table(&mut code, "WIN_ERRORS", "u32", "(bool, Option<u32>)", &win_errors, |row| {
        format!("({}, {:?})", row.bare, row.status)
    })?;
    write_table(&mut code, "STOPS", "u32", "Stop", &stop_rows, stop)?;
    write_table(&mut code, "RELEASES", "u32", "(&str, &str)", &releases, |build| {
        format!("({:?}, {:?})", build.release, build.kernel)
    })?;
    write_table(&mut code, "COLLECT", "&str", "Request", &collect, |request| {
        format!("Request {{ text: {:?}, filled: {:?} }}", request.text, request.filled)
    })?;
    write_table(&mut code, "CUDA_NAMES", "&str", "ReleaseSpan", &cuda_names, |(first, last)| {
        format!("ReleaseSpan {{ first: {first:?}, last: {last:?} }}")
    })?;
    write_table(&mut code, "CUDA_DRIVERS", "Release", "Release", &cuda_drivers, |driver| format!("{driver:?}"))?;
    write_table(&mut code, "TENSORFLOW_BUILDS", "Release", "TensorFlowBuild", &tensorflow, |build| {
        format!(
            "TensorFlowBuild {{ last: {:?}, cuda: {:?}, cudnn: {:?}, needs: &{:?} }}",
            build.last, build.cuda, build.cudnn, build.needs
        )
    })?;
    write_table(&mut code, "MENTION_CUES", "&str", "&[&str]", &cue_rows, |words| format!("&{words:?}"))?;
    write_table(&mut code, "TEXT_WORDS", "&str", "&[&str]", &text_words, |words| format!("&{words:?}"))?;
    write_table(&mut code, "COLLECTED_FOLDERS", "&str", "(bool, &str)", &folders, |folder| format!("{folder:?}"))?;
    write_table(&mut code, "MSVCP140_MINIMUMS", "&str", "RuntimeMinimum", &msvcp140, |minimum| {
        format!("RuntimeMinimum {{ version: {:?}, why: {:?} }}", minimum.version, minimum.why)
    })?;
    write_table(&mut code, "STATED_VERSIONS", "&str", "&str", &stated, |of| format!("{of:?}"))?;
    Ok(code)
}

/// A stop as the program writes it down.
fn stop(row: &stops::StopRow) -> String {
    let parameter = |row: &stops::ParameterRow| {
        let holds = match row.holds {
            Some("code") => "Code",
            Some("status") => "Status",
            Some("fast-fail") => "FastFail",
            _ => "Value",
        };
        let mut values = row.values.clone();
        values.sort();
        format!(
            "StopParameter {{ number: {}, when: &{:?}, is: {:?}, holds: Holds::{holds}, values: &{values:?} }}",
            row.number, row.when, row.is
        )
    };
    let parameters = row.parameters.iter().map(parameter).collect::<Vec<_>>().join(", ");
    format!("Stop {{ page: {:?}, stack_tells: {}, parameters: &[{parameters}] }}", row.page, row.stack_tells)
}

/// A table as a static slice that is sorted by its key.
fn write_table<K: Debug, V>(
    code: &mut String,
    name: &str,
    key: &str,
    value: &str,
    table: &Table<K, V>,
    row: impl Fn(&V) -> String,
) -> Outcome<()> {
    writeln!(code, "static {name}: &[({key}, {value})] = &[")?;
    for (key, value) in table {
        writeln!(code, "    ({key:?}, {}),", row(value))?;
    }
    writeln!(code, "];")?;
    Ok(())
}
