//! Puts the built-in rule set into the program: every YAML file below `rules/`, under its path in that folder, and what
//! the files say in a form that needs no reading of YAML. Also a digest of the sources of the reader of event logs, by
//! which `--cache` tells whether what it kept was read in the same way, and one of the types of evidence, by which `merge`
//! tells whether it can read what a report holds.

#![allow(dead_code, unused_imports, reason = "the modules are the program's, and only a part of each is needed here")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use crate::code_tables::{CodeRow, CodeTables, EventRow, NoteRow};
use crate::condition::Condition;
use crate::needed::Need;
use crate::prepared::{Part, Prepared, PreparedRule};
use crate::table::Table;
use crate::yaml::{Diagnostic, Entry, Kind, Node, YamlText};

#[path = "src/knowledge/code_tables.rs"]
mod code_tables;
#[path = "src/knowledge/compatibility_table.rs"]
mod compatibility_table;
#[path = "src/rules/condition.rs"]
mod condition;
#[path = "src/knowledge/cue_table.rs"]
mod cue_table;
#[path = "src/rules/mistakes.rs"]
mod mistakes;
#[path = "src/rules/needed.rs"]
mod needed;
#[path = "src/artifact/ticket/pattern_table.rs"]
mod pattern_table;
#[path = "src/rules/prepared.rs"]
mod prepared;
#[path = "src/knowledge/stop_table.rs"]
mod stop_table;
#[path = "src/knowledge/table.rs"]
mod table;
#[path = "src/yaml/mod.rs"]
mod yaml;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("rules");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut paths = Vec::new();
    collect(&root, "yaml", &mut paths)?;
    paths.sort();
    let mut files = Vec::new();
    let mut code = String::from("&[\n");
    for path in &paths {
        let relative = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        let absolute = path.to_string_lossy();
        let text = fs::read_to_string(path)?;
        // Long tables of names are no part of what rules are checked with, and stand in the program once already.
        if !text.contains("\nnames: |\n") {
            writeln!(code, "    ({relative:?}, include_str!({absolute:?})),")?;
        }
        if text.starts_with('\u{FEFF}') {
            return Err(format!("rules/{relative}: places would not count from the first visible character").into());
        }
        files.push(File { text: YamlText::new(relative.clone(), text), path: relative });
    }
    code.push_str("]\n");
    fs::write(out.join("builtin_rules.rs"), code)?;
    let (index, parts) = prepare(&files)?;
    fs::write(out.join("builtin_rules.index"), index)?;
    fs::write(out.join("builtin_rules.parts"), parts)?;
    fs::write(out.join("builtin_tables.rs"), tables(&files)?)?;
    fs::write(out.join("code_tables.bin"), code_tables(&files)?)?;
    let (patterns, examples) = ticket_patterns(&files)?;
    fs::write(out.join("ticket_patterns.rs"), patterns)?;
    fs::write(out.join("ticket_examples.rs"), examples)?;
    println!("cargo::rustc-env=CRASHSIFT_READER_DIGEST={:016x}", reader_digest(Path::new("src/artifact"))?);
    println!("cargo::rustc-env=CRASHSIFT_EVIDENCE_DIGEST={:016x}", evidence_digest(Path::new("src/evidence"))?);
    Ok(())
}

/// A digest of all that decides what is read of an event log: the reader in the folder `artifact`, what it shares with
/// other readers, which are the files directly in that folder, and the crates.
fn reader_digest(artifact: &Path) -> Outcome<u64> {
    let mut paths = Vec::new();
    collect_in(artifact, "rs", &mut paths)?;
    collect(&artifact.join("event_log"), "rs", &mut paths)?;
    paths.push("Cargo.toml".into());
    // Without this file, as where the crate is built as a part of another, only the ranges of versions in `Cargo.toml`
    // count: a build with other versions in these ranges uses what this one kept, until the sources change.
    paths.extend(Some(PathBuf::from("Cargo.lock")).filter(|lock| lock.exists()));
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in &paths {
        println!("cargo::rerun-if-changed={}", path.display());
        (path, fs::read(path)?).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// A digest of what evidence is: the types in the folder `evidence`. The same on every system, however it writes paths
/// and ends lines.
fn evidence_digest(evidence: &Path) -> Outcome<u64> {
    let mut paths = Vec::new();
    collect(evidence, "rs", &mut paths)?;
    paths.sort();
    let mut hash = Xxh3::new();
    for path in &paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        hash.update(name.as_bytes());
        hash.update(fs::read_to_string(path)?.replace('\r', "").as_bytes());
    }
    Ok(hash.digest())
}

/// All files below `folder` whose names have this extension. Cargo is told of the folders too, so that a new file is
/// noticed.
fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> Outcome<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for folder in collect_in(folder, extension, files)? {
        collect(&folder, extension, files)?;
    }
    Ok(())
}

/// The files directly in `folder` whose names have this extension. Gives the folders in it.
fn collect_in(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> Outcome<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|own| own == extension) {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(folders)
}

/// A file of the rule set.
struct File {
    /// Its path in the rule set.
    path: String,
    text: Arc<YamlText>,
}

impl File {
    /// Whether it stands in a folder of rules.
    fn has_rules(&self) -> bool {
        self.path.contains('/') && !self.path.starts_with("data/")
    }

    /// The path of the file with the rules that it tests, if it holds tests.
    fn tested(&self) -> Option<String> {
        let name = self.path.strip_suffix(".tests.yaml").filter(|_| self.has_rules())?;
        Some(format!("{name}.yaml"))
    }

    fn root(&self) -> Outcome<Node> {
        yaml::parse(&self.text).map_err(|mistakes| shown(&mistakes))
    }
}

/// Mistakes as the build shows them.
fn shown(mistakes: &[Diagnostic]) -> Box<dyn Error> {
    mistakes.iter().map(|mistake| mistake.render(false)).collect::<Vec<_>>().join("\n\n").into()
}

/// Rules and data in the form in which the program takes them: the index, and the encoded trees.
fn prepare(files: &[File]) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let (mut rules, mut trees, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
    let mut tests_beside = BTreeMap::new();
    for file in files {
        let root = file.root()?;
        if let Some(stem) = file.path.strip_prefix("data/").and_then(|name| name.strip_suffix(".yaml")) {
            table::top(stem, &file.text, &root, &mut mistakes);
        }
        if let Some(tested) = file.tested() {
            for entry in root.get("tests").and_then(Node::entries).unwrap_or_default() {
                let tests = (file.path.as_str(), entry.value.clone());
                tests_beside.insert((tested.clone(), entry.name().to_owned()), tests);
            }
        } else if file.has_rules() {
            let written = root.get("rules").and_then(Node::items).unwrap_or_default();
            rules.extend(written.iter().map(|rule| (file.path.as_str(), rule.clone())));
        } else if !file.path.starts_with("data/") || root.get("list").is_some() {
            trees.push((file.path.as_str(), root));
        }
    }
    if !mistakes.is_empty() {
        return Err(shown(&mistakes));
    }
    rules.sort_by(|(_, a), (_, b)| id(a).cmp(id(b)));
    // Parts that are asked for by the same runs stand together.
    let mut parts = Parts::default();
    let files = trees.iter().map(|(path, root)| Ok((*path, parts.add(root)?))).collect::<Outcome<_>>()?;
    let is_logic = |entry: &Entry| matches!(entry.name(), "selections" | "condition" | "requires");
    let logic = parts.add_of_each(&rules, |_, rule| Some(filtered(rule, is_logic)))?;
    let texts = parts.add_of_each(&rules, |_, rule| {
        Some(filtered(rule, |entry| !is_logic(entry) && !matches!(entry.name(), "tests")))
    })?;
    let tests = parts.add_of_each(&rules, |file, rule| {
        let inside = rule.get("tests").map(|tests| (file, tests.clone()));
        inside.or_else(|| tests_beside.get(&(file.to_owned(), id(rule).to_owned())).cloned())
    })?;
    let places = logic.into_iter().zip(texts).zip(tests);
    let prepared = rules.iter().zip(places).map(|((file, rule), ((logic, texts), tests))| {
        let id_span = rule.get("id").map(|node| node.span).unwrap_or_default();
        PreparedRule { id: id(rule), file, span: rule.span, id_span, needs: needs(rule), logic, texts, tests }
    });
    let index = encoded(&Prepared { rules: prepared.collect(), files })?;
    Ok((index, parts.bytes))
}

fn id(rule: &Node) -> &str {
    rule.get("id").and_then(Node::text).unwrap_or_default()
}

/// A mapping with some of its entries.
fn filtered(mapping: &Node, keep: impl Fn(&Entry) -> bool) -> Node {
    let entries = mapping.entries().unwrap_or_default().iter().filter(|entry| keep(entry)).cloned();
    Node { span: mapping.span, kind: Kind::Mapping(entries.collect()) }
}

fn needs(rule: &Node) -> Vec<Need<'_>> {
    let selections = rule.get("selections").and_then(Node::entries).unwrap_or_default();
    let condition = match rule.get("condition") {
        Some(node) => {
            let names: Vec<&str> = selections.iter().map(Entry::name).collect();
            condition::parse(node.text().unwrap_or_default(), &names, |_| None).ok()
        }
        None => Some(Condition::all_of(selections.len())),
    };
    condition.map(|condition| needed::needed(&condition, rule)).unwrap_or_default()
}

/// Encoded trees after each other.
#[derive(Default)]
struct Parts {
    bytes: Vec<u8>,
}

impl Parts {
    fn add(&mut self, tree: &impl Serialize) -> Outcome<Part> {
        let start = self.bytes.len();
        self.bytes.extend(encoded(tree)?);
        Ok(Part { start, end: self.bytes.len() })
    }

    /// Adds a part of each rule, of which `part` is given the path of its file, too.
    fn add_of_each<'f, T: Serialize>(
        &mut self,
        rules: &[(&'f str, Node)],
        part: impl Fn(&'f str, &Node) -> Option<T>,
    ) -> Outcome<Vec<Part>> {
        let trees = rules.iter().map(|(file, rule)| {
            let tree = part(file, rule).ok_or_else(|| format!("{file}:{}: not a whole rule", rule.span.line))?;
            self.add(&tree)
        });
        trees.collect()
    }
}

fn encoded(value: &impl Serialize) -> Outcome<Vec<u8>> {
    Ok(postcard::to_allocvec(value)?)
}

/// The text of `data/NAME.yaml`.
fn data<'f>(files: &'f [File], name: &str) -> Outcome<&'f Arc<YamlText>> {
    let path = format!("data/{name}.yaml");
    let file = files.iter().find(|file| file.path == path);
    Ok(&file.ok_or_else(|| format!("rules/{path} is missing"))?.text)
}

/// The tables that only `explain` looks up, encoded.
fn code_tables(files: &[File]) -> Outcome<Vec<u8>> {
    let mut mistakes = Vec::new();
    let statuses = table::names(data(files, "statuses")?, &mut mistakes);
    let status_facilities = table::facilities(data(files, "statuses")?, &mut mistakes);
    let win_errors = table::names(data(files, "win-errors")?, &mut mistakes);
    let hresults = table::names(data(files, "hresults")?, &mut mistakes);
    let hresult_facilities = table::facilities(data(files, "hresults")?, &mut mistakes);
    let exit_codes = table::names(data(files, "exit-codes")?, &mut mistakes);
    let cuda_errors = table::names(data(files, "cuda-errors")?, &mut mistakes);
    let cuda_driver_errors = table::names(data(files, "cuda-driver-errors")?, &mut mistakes);
    let cublas_statuses = table::names(data(files, "cublas-statuses")?, &mut mistakes);
    let cudnn_statuses = table::names(data(files, "cudnn-statuses")?, &mut mistakes);
    let device_problems = table::names(data(files, "device-problems")?, &mut mistakes);
    let errnos = table::names(data(files, "errnos")?, &mut mistakes);
    let xids = table::names(data(files, "xids")?, &mut mistakes);
    let events = table::events(data(files, "events")?, &mut mistakes);
    let notes = table::notes(data(files, "code-notes")?, &mut mistakes);
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
fn tables(files: &[File]) -> Outcome<String> {
    let mut mistakes = Vec::new();
    let read = |name: &str| data(files, name);
    let exceptions = table::codes(read("exception-codes")?, "", &mut mistakes);
    let fast_fails = table::codes(read("fast-fail")?, "FAST_FAIL_", &mut mistakes);
    let bugchecks = table::codes(read("bugchecks")?, "", &mut mistakes);
    let mut win_errors = table::names(read("win-errors")?, &mut mistakes);
    win_errors.retain(|_, row| row.bare || row.status.is_some());
    let stops = stop_table::stops(read("bugcheck-parameters")?, &mut mistakes);
    let releases = table::releases(read("windows-builds")?, &mut mistakes);
    let collect = table::texts(read("collect")?, &mut mistakes);
    let cuda_names = compatibility_table::cuda_names(read("cuda-names")?, &mut mistakes);
    let cuda_drivers = compatibility_table::cuda_drivers(read("cuda-drivers")?, &mut mistakes);
    let tensorflow = compatibility_table::tensorflow(read("tensorflow-builds")?, &mut mistakes);
    let cues = cue_table::cues(read("mentions")?, &mut mistakes);
    let text_words = cue_table::text_words(read("text-words")?, &mut mistakes);
    let folders = table::folders(read("collected-folders")?, &mut mistakes);
    let msvcp140 = compatibility_table::msvcp140(read("msvcp140-minimums")?, &mut mistakes);
    let stated = compatibility_table::stated(read("stated-versions")?, &mut mistakes);
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
    write_table(&mut code, "STOPS", "u32", "Stop", &stops, stop)?;
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
    write_table(&mut code, "MENTION_CUES", "&str", "&[&str]", &cues, |words| format!("&{words:?}"))?;
    write_table(&mut code, "TEXT_WORDS", "&str", "&[&str]", &text_words, |words| format!("&{words:?}"))?;
    write_table(&mut code, "COLLECTED_FOLDERS", "&str", "(bool, &str)", &folders, |folder| format!("{folder:?}"))?;
    write_table(&mut code, "MSVCP140_MINIMUMS", "&str", "RuntimeMinimum", &msvcp140, |minimum| {
        format!("RuntimeMinimum {{ version: {:?}, why: {:?} }}", minimum.version, minimum.why)
    })?;
    write_table(&mut code, "STATED_VERSIONS", "&str", "&str", &stated, |of| format!("{of:?}"))?;
    Ok(code)
}

/// Whether a file holds patterns of tickets.
fn is_of_tickets(path: &str) -> bool {
    path.strip_prefix("data/").is_some_and(|name| name.starts_with(pattern_table::STEM))
}

/// The patterns by which facts are found in tickets, and their examples, as Rust.
fn ticket_patterns(files: &[File]) -> Outcome<(String, String)> {
    let mut mistakes = Vec::new();
    let words = cue_table::text_words(data(files, "text-words")?, &mut mistakes);
    let files = files.iter().filter(|file| is_of_tickets(&file.path)).map(|file| &file.text);
    let endings = |of: &str| words.get(of).cloned().unwrap_or_default();
    let endings = pattern_table::Endings { libraries: endings("library"), programs: endings("program") };
    let rows = pattern_table::patterns(files, &endings, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(shown(&mistakes));
    }
    let (mut patterns, mut examples) = (String::from("&[\n"), String::from("&[\n"));
    for row in rows {
        let fact = row.fact.map_or_else(|| "None".to_owned(), |fact| format!("Some({fact})"));
        write!(patterns, "    Pattern {{ words: &{:?}, regex: {:?}, groups: &[", row.words, row.regex)?;
        for (name, fact) in &row.groups {
            write!(patterns, "({name:?}, {fact}), ")?;
        }
        writeln!(patterns, "], fact: {fact}, value: {:?}, needs: {:?} }},", row.value, row.needs)?;
        for (text, gives) in &row.examples {
            writeln!(examples, "    ({:?}, {text:?}, &{gives:?}),", row.place)?;
        }
    }
    patterns.push_str("]\n");
    examples.push_str("]\n");
    Ok((patterns, examples))
}

/// A stop as the program writes it down.
fn stop(row: &stop_table::StopRow) -> String {
    let parameter = |row: &stop_table::ParameterRow| {
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
fn write_table<K: std::fmt::Debug, V>(
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
