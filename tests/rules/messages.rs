//! The message of an event gives the facts of the same text pasted into a ticket.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use facts::{FactSet, Value, schema};
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::FileTime;
use samplekit::event_log::{Event, EventLog, Provider};
use saphyr::{LoadableYamlNode, Yaml};
use walkdir::WalkDir;

/// The lists and facts of one value that a text gives by what it states, and not by being a text.
const TOLD: [&str; 4] = ["text", "win_errors", "hresults", "python_frames"];
const TOLD_ONCE: [&str; 4] = ["cpp_exception.type", "cpp_exception.what", "process.exit_code", "debugger.suspects"];
/// Windows writes messages of no more bytes than this.
const LONGEST_MESSAGE: usize = 30_000;

/// The lines of text with which rules must match, each with the first rule and test that has them.
fn messages() -> BTreeMap<String, String> {
    let mut messages = BTreeMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = entry.expect("an entry").into_path();
        if !path.to_string_lossy().ends_with(".tests.yaml") {
            continue;
        }
        let file = fs::read_to_string(&path).expect("a text");
        let documents = Yaml::load_from_str(&file).expect("YAML");
        let tests = documents.first().and_then(|root| root.as_mapping_get("tests")).expect("tests");
        for (rule, tests) in tests.as_mapping().expect("rules") {
            let rule = rule.as_str().expect("an id");
            for test in tests.as_sequence().expect("a list") {
                let of = |key: &str| test.as_mapping_get(key);
                let lines = of("facts").and_then(|facts| facts.as_mapping_get("text")?.as_sequence());
                let (Some("match"), Some(lines)) = (of("expect").and_then(Yaml::as_str), lines) else { continue };
                let lines: Vec<&str> =
                    lines.iter().filter_map(|line| line.as_mapping_get("line")?.as_str()).map(str::trim).collect();
                let name = of("name").and_then(Yaml::as_str).unwrap_or_default();
                messages.entry(lines.join("\n")).or_insert_with(|| format!("{rule}, {name}"));
            }
        }
    }
    messages
}

/// A text that .NET's runtime logs, with these lines in it.
fn of_runtime(lines: &str) -> String {
    format!(
        "Application: demo.exe\nFramework Version: v4.0.30319\nDescription: The process was terminated due to an unhandled \
         exception.\nException Info: Demo.OwnException\n   at Demo.Program.Main()\n{lines}\n"
    )
}

/// The facts of the artifacts in a folder, by the number of the message that each is of; not those of incidents with more
/// evidence than the message, such as an event that is pasted into it.
fn inspected(folder: &Path, rules: &RuleSet) -> BTreeMap<usize, Vec<FactSet>> {
    let inspected = inspect(&[folder.to_path_buf()], rules, &Options::default());
    let mut found: BTreeMap<usize, Vec<FactSet>> = BTreeMap::new();
    for (incident, facts) in inspected.incidents {
        let [item] = incident.evidence.as_slice() else { continue };
        let number = match item.place {
            evidence::Place::Record(id) => usize::try_from(id).expect("a number"),
            _ => {
                let path = Path::new(&inspected.artifacts[item.artifact].path);
                path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).expect("a number")
            }
        };
        found.entry(number).or_default().push(facts);
    }
    found
}

/// What facts state by their text, in a form that compares.
fn told(all: &[FactSet]) -> Vec<String> {
    let mut told = Vec::new();
    for facts in all {
        for name in TOLD {
            for record in facts.list(name).unwrap_or_default() {
                let fields: Vec<(&str, &Value)> = record.fields.iter().map(|(name, value)| (*name, value)).collect();
                told.push(format!("{name} {fields:?}"));
            }
        }
        for path in TOLD_ONCE {
            assert!(schema::scalar(path).is_some(), "{path} is no fact");
            told.extend(facts.get(path).map(|known| format!("{path} {:?}", known.value)));
        }
    }
    told.sort();
    told
}

#[test]
fn the_message_of_an_event_gives_what_the_same_text_gives_that_somebody_pasted() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let messages = messages();
    let (pasted, logged) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let begin = FileTime::utc(2024, 5, 6, 12, 0, 0);
    let mut log = EventLog::new("Application", "PC-1");
    let mut texts = Vec::new();
    for (lines, test) in &messages {
        let text = of_runtime(lines);
        if text.len() > LONGEST_MESSAGE {
            continue;
        }
        texts.push(test);
        fs::write(pasted.path().join(format!("{}.txt", texts.len())), &text).expect("a file");
        // A day apart, so that they are of different incidents.
        let time = begin.plus_seconds(86_400 * texts.len() as u64);
        log.add(Event::new(Provider::classic(".NET Runtime"), 1026).at(time).strings([text]));
    }
    assert!(texts.len() > 500, "the tests of the rules have {} messages", texts.len());
    fs::write(logged.path().join("Application.evtx"), log.to_bytes()).expect("a file");
    let (pasted, logged) = (inspected(pasted.path(), &rules), inspected(logged.path(), &rules));
    let (mut differing, mut compared) = (Vec::new(), 0);
    for (number, test) in (1..).zip(&texts) {
        let (Some(of_text), Some(of_event)) = (pasted.get(&number), logged.get(&number)) else { continue };
        compared += 1;
        let (by_text, by_event) = (told(of_text), told(of_event));
        if by_text != by_event {
            let more: Vec<&String> = by_text.iter().filter(|fact| !by_event.contains(fact)).collect();
            let other: Vec<&String> = by_event.iter().filter(|fact| !by_text.contains(fact)).collect();
            differing.push(format!("{test}: only in the text {more:?}, only in the event {other:?}"));
        }
    }
    assert!(compared * 10 > texts.len() * 9, "{compared} of {} messages were compared", texts.len());
    assert!(differing.is_empty(), "{} of {compared}:\n{}", differing.len(), differing.join("\n"));
}
