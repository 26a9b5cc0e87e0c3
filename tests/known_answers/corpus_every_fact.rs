//! All further facts of the corpus that independent parsers measured and that the program also has: each must be the
//! same. `CRASHSIFT_CORPUS` names the folder with `EXPECTED.jsonl`; without it these tests print that they were
//! skipped.
//!
//! Times of records were measured differently from the program. Times of single records are from the records' headers:
//! when they were written into the log. The first and last time of a log are from the events: when they were raised.
//! The program uses an event's own time, as Event Viewer does, and for a log the times of the headers. The two are
//! seconds apart, or more than a day where a machine slept in between, and are only compared within this limit.
//!
//! Facts that other tests of the corpus compare (codes, parameters, faulting module, counts, records) are not repeated
//! here. Measured facts that the program does not use are not compared: counts of streams, checksums of headers,
//! numbers of events by provider.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use evidence::{Observation, Place, ProcessDump, base_name};
use jiff::Timestamp;
use pipeline::read::{ReadArtifact, read_artifact};
use pipeline::read_context::ReadContext;
use pipeline::{Options, inspect};
use rules::RuleSet;
use serde_json::Value;

/// The corpus files of a kind: the measured facts, and their paths.
fn corpus(kind: &str) -> Vec<(Value, PathBuf)> {
    let Some(folder) = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return Vec::new();
    };
    let expected = std::fs::read_to_string(folder.join("EXPECTED.jsonl")).expect("EXPECTED.jsonl in CRASHSIFT_CORPUS");
    let lines = expected.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON object a line"));
    let of_kind: Vec<(Value, PathBuf)> = lines
        .filter(|line| line["kind"] == kind)
        .map(|line| {
            let path = folder.join(line["path"].as_str().expect("a path"));
            (line, path)
        })
        .collect();
    assert!(!of_kind.is_empty(), "the corpus has no {kind}");
    of_kind
}

fn read(path: &Path) -> ReadArtifact {
    read_artifact(path, &ReadContext::default())
}

/// The greatest difference between the times at which an event was raised and written.
const APART: Duration = Duration::from_secs(2 * 24 * 60 * 60);
/// The most computers of a log that were measured.
const COMPUTERS_MEASURED: usize = 5;

/// Facts that were compared, and those that differ.
#[derive(Default)]
struct Comparison {
    compared: usize,
    differ: Vec<String>,
}

impl Comparison {
    /// Compares a fact, unless it was not measured.
    fn fact(&mut self, file: &str, name: &str, measured: Option<&str>, found: Option<String>) {
        let Some(measured) = measured else { return };
        self.compared += 1;
        if found.as_deref() != Some(measured) {
            self.differ.push(format!("{file}: {name}: measured {measured}, found {found:?}"));
        }
    }

    /// The same for a number.
    fn number(&mut self, file: &str, name: &str, measured: Option<u64>, found: Option<u64>) {
        self.fact(file, name, measured.map(|n| n.to_string()).as_deref(), found.map(|n| n.to_string()));
    }

    /// The same for a time, up to [`APART`].
    fn about(&mut self, file: &str, name: &str, measured: Option<Timestamp>, found: Option<Timestamp>) {
        // Headers without a time were measured as the first day of the calendar.
        let Some(measured) = measured.filter(|measured| measured.as_second() > 0) else { return };
        self.compared += 1;
        if found.is_none_or(|found| found.duration_since(measured).unsigned_abs() > APART) {
            self.differ.push(format!("{file}: {name}: measured {measured}, found {found:?}"));
        }
    }

    fn end(self, least: usize) {
        println!("{} facts compared", self.compared);
        assert!(
            self.differ.is_empty(),
            "{} of {} differ:\n{}",
            self.differ.len(),
            self.compared,
            self.differ.join("\n")
        );
        assert!(self.compared >= least, "only {} facts were compared", self.compared);
    }
}

#[test]
fn minidumps() {
    let mut comparison = Comparison::default();
    let lines = corpus("minidump");
    let skipped = lines.is_empty();
    for (line, path) in lines {
        let file = line["path"].as_str().unwrap_or_default();
        let measured = &line["minidump"];
        // Where no parser could read system and modules there are only headers to compare.
        if measured["os"].is_null() {
            continue;
        }
        let read = read(&path);
        let dump = read.evidence.iter().find_map(|evidence| match &evidence.observation {
            Observation::Process(dump) => Some(dump),
            _ => None,
        });
        let Some(dump) = dump else {
            comparison.differ.push(format!("{file}: no dump: {:?}", read.artifact));
            continue;
        };
        minidump(&mut comparison, file, measured, dump);
        let names = |list: &Value| -> Vec<String> {
            let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
            names.map(|name| base_name(name).to_owned()).collect()
        };
        let modules: Vec<&str> = dump.modules.iter().flatten().map(|module| module.name()).collect();
        comparison.fact(file, "modules", Some(&names(&line["modules"]).join(" ")), Some(modules.join(" ")));
        if line["unloaded_modules"].is_array() && measured["unloaded_module_count"].is_u64() {
            let unloaded: Vec<&str> = dump.unloaded.iter().map(|module| module.name()).collect();
            let measured = names(&line["unloaded_modules"]).join(" ");
            comparison.fact(file, "unloaded modules", Some(&measured), Some(unloaded.join(" ")));
        }
    }
    if !skipped {
        comparison.end(500);
    }
}

fn minidump(comparison: &mut Comparison, file: &str, measured: &Value, dump: &ProcessDump) {
    let system = &dump.system;
    let cpu = if system.cpu.word() == "x64" { "amd64" } else { system.cpu.word() };
    comparison.fact(file, "processor", measured["cpu"].as_str(), Some(cpu.to_owned()));
    comparison.number(file, "processors", measured["cpu_count"].as_u64(), Some(system.cpu_count.into()));
    let (major, minor, build) = system.os_version;
    // The two parsers read Linux' numbers out of its description or leave them 0.
    if measured["os"] != "linux" {
        comparison.fact(file, "version", measured["os_version"].as_str(), Some(format!("{major}.{minor}.{build}")));
    }
    let detail = measured["csd"].as_str().filter(|text| !text.is_empty());
    comparison.fact(file, "service pack", detail, system.os_detail.as_deref().map(str::to_owned));
    let time = dump.time.and_then(|time| u64::try_from(time.as_second()).ok());
    comparison.number(file, "time", measured["header_timestamp"].as_u64().filter(|time| *time != 0), time);
    let main = dump.executable().map(|module| module.path.to_string());
    comparison.fact(file, "main module", measured["main_module"].as_str(), main);
    let exception = dump.raised();
    let flags = exception.map(|exception| format!("{:#x}", exception.flags));
    comparison.fact(file, "exception flags", measured["exception_flags"].as_str(), flags);
    let count = exception.map(|exception| exception.parameters.len() as u64);
    comparison.number(file, "parameters", measured["exception_parameter_count"].as_u64(), count);
    let thread = dump.thread.as_ref();
    let id = thread.map(|thread| thread.id.into());
    comparison.number(file, "crashing thread", measured["exception_thread_id"].as_u64(), id);
    let pointer = thread.and_then(|thread| thread.instruction_pointer);
    comparison.fact(file, "instruction pointer", measured["context_ip"].as_str(), pointer.map(|ip| ip.to_string()));
    let at = pointer.and_then(|pointer| Some((dump.module_at(pointer)?.1, pointer)));
    let measured = &measured["context_ip_module"];
    let name = at.map(|(module, _)| module.path.to_string());
    comparison.fact(file, "module at it", measured["name"].as_str(), name);
    let offset = at.and_then(|(module, pointer)| module.offset_of(pointer)).map(|offset| offset.to_string());
    comparison.fact(file, "offset in it", measured["offset"].as_str(), offset);
    if dump.system.os.word() == "windows" {
        let version = at.and_then(|(module, _)| module.version).map(|version| version.to_string());
        comparison.fact(file, "its version", measured["version"].as_str(), version);
    }
}

#[test]
fn event_logs() {
    let mut comparison = Comparison::default();
    let lines = corpus("evtx");
    let skipped = lines.is_empty();
    for (line, path) in lines {
        let file = line["path"].as_str().unwrap_or_default();
        let measured = &line["evtx"];
        let read = read(&path);
        // Records behind those that the header counts were not measured.
        let whole = ["tail_bytes", "records_past_free_space_consecutive", "record_errors"];
        if whole.iter().all(|name| measured[*name].as_u64().unwrap_or(0) == 0) && !read.coverage.is_empty() {
            let time = |name: &str| measured[name].as_str().and_then(|time| time.parse::<Timestamp>().ok());
            let first = read.coverage.iter().map(|coverage| coverage.first).min();
            let last = read.coverage.iter().map(|coverage| coverage.last).max();
            comparison.about(file, "first time", time("time_min"), first);
            comparison.about(file, "last time", time("time_max"), last);
            let computers: BTreeSet<&str> = read.coverage.iter().map(|coverage| &*coverage.computer).collect();
            let wanted: BTreeSet<&str> =
                measured["computers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let found = if wanted.len() < COMPUTERS_MEASURED { computers } else { &computers & &wanted };
            let joined = |set: BTreeSet<&str>| set.into_iter().collect::<Vec<_>>().join(" ");
            comparison.fact(file, "computers", Some(&joined(wanted)), Some(joined(found)));
        }
        for record in line["crash_records"].as_array().into_iter().flatten() {
            let number = record["record_id"].as_u64().expect("a record id");
            let event = read.evidence.iter().find_map(|evidence| match (&evidence.place, &evidence.observation) {
                (Place::Record(place), Observation::Event(event)) if *place == number => Some(event),
                _ => None,
            });
            let Some(event) = event else { continue };
            let what = format!("record {number}");
            let time = record["timestamp"].as_str().and_then(|time| time.parse::<Timestamp>().ok());
            comparison.about(file, &what, time, event.time);
            let fields: Vec<(&str, &str)> = event.content.fields.iter().collect();
            for (name, value) in named_values(&record["event_data"]) {
                let found = fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.trim().to_owned());
                comparison.fact(file, &format!("{what}, {name}"), Some(&value), found);
            }
        }
    }
    if !skipped {
        comparison.end(300);
    }
}

/// The named text values of a record. Numbers were measured in another spelling than in the record.
fn named_values(data: &Value) -> Vec<(&str, String)> {
    let named = data.as_object().into_iter().flatten();
    let texts = named.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?.trim().to_owned())));
    texts.filter(|(name, value)| !value.is_empty() && !name.starts_with('#') && !is_binary(name)).collect()
}

/// Binary data are not kept as fields.
fn is_binary(name: &str) -> bool {
    matches!(name, "Binary" | "RawData")
}

#[test]
fn error_reports() {
    let mut comparison = Comparison::default();
    let lines = corpus("wer");
    let skipped = lines.is_empty();
    for (line, path) in lines {
        let file = line["path"].as_str().unwrap_or_default();
        let measured = &line["wer"];
        let read = read(&path);
        let report = read.evidence.iter().find_map(|evidence| match &evidence.observation {
            Observation::Wer(report) => Some(report),
            _ => None,
        });
        let Some(report) = report else {
            let unread = measured["keys"] == 0 || measured["Version"] != "1";
            assert!(unread, "{file}: {:?}", read.artifact);
            continue;
        };
        comparison.fact(file, "AppPath", measured["AppPath"].as_str(), report.app_path.as_deref().map(str::to_owned));
        let modules: Vec<&str> = report.modules.iter().map(|path| base_name(path)).collect();
        for module in measured["gpu_loaded_modules"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let found = modules.iter().find(|name| name.eq_ignore_ascii_case(module)).map(|_| module.to_owned());
            comparison.fact(file, "a loaded module", Some(module), found);
        }
        let crash = ["APPCRASH", "BEX64"].contains(&&*report.event_type);
        for name in ["Application Name", "Nom de l’application"].into_iter().filter(|_| crash) {
            let found = report.signature.app.as_deref().map(str::to_owned);
            comparison.fact(file, name, measured["sig"][name].as_str(), found);
        }
    }
    if !skipped {
        comparison.end(10);
    }
}

/// Reads the artifacts in the same way as `inspect`.
#[test]
fn the_fault_of_a_kernel_dump_is_the_driver_that_was_measured() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut comparison = Comparison::default();
    let lines = corpus("kerneldump");
    let skipped = lines.is_empty();
    for (line, path) in lines {
        let file = line["path"].as_str().unwrap_or_default();
        let measured = &line["kerneldump"];
        let inspected = inspect(&[path], &rules, &Options::default());
        let [(incident, facts)] = inspected.incidents.as_slice() else { panic!("{file}: no incident") };
        assert_eq!(incident.kind.word(), "bugcheck", "{file}");
        let fact = |path: &str, hexadecimal: bool| {
            let known = facts.get(path)?;
            Some(match &known.value {
                facts::Value::Number(number) if hexadecimal => format!("{number:#x}"),
                facts::Value::Number(number) => number.to_string(),
                facts::Value::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            })
        };
        comparison.fact(file, "driver", measured["faulting_driver"].as_str(), fact("fault_site.module", false));
        let offset = measured["faulting_driver_offset"].as_str();
        comparison.fact(file, "offset", offset, fact("fault_site.offset", true));
        comparison.number(
            file,
            "build",
            measured["os_build"].as_u64(),
            facts
                .get("os.build")
                .and_then(|known| if let facts::Value::Number(number) = known.value { Some(number) } else { None }),
        );
    }
    if !skipped {
        comparison.end(6);
    }
}
