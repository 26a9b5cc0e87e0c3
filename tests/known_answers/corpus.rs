//! Third-party artifacts with facts that independent parsers measured. `CRASHSIFT_CORPUS` names their folder, in which
//! `EXPECTED.jsonl` has one line for each file; without it these tests print that they were skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use evidence::{Observation, ProcessDump, base_name};
use pipeline::read::{ReadArtifact, read_artifact};
use pipeline::read_context::ReadContext;
use pipeline::{Options, Silent, analyze};
use report::{Report, json};
use rules::RuleSet;
use serde_json::Value;
use windows_codes::Knowledge;

struct Corpus {
    folder: PathBuf,
    expected: Vec<Value>,
}

fn corpus() -> Option<Corpus> {
    let Some(folder) = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return None;
    };
    let expected = std::fs::read_to_string(folder.join("EXPECTED.jsonl")).expect("EXPECTED.jsonl in CRASHSIFT_CORPUS");
    let expected = expected.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect();
    Some(Corpus { folder, expected })
}

impl Corpus {
    /// The lines of one kind, with the file each is about.
    fn of_kind<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = (&'c Value, PathBuf)> {
        self.expected
            .iter()
            .filter(move |line| line["kind"] == kind)
            .map(|line| (line, self.folder.join(line["path"].as_str().expect("a path"))))
    }
}

fn read(path: &Path) -> ReadArtifact {
    read_artifact(path, &ReadContext::default())
}

fn analyzed(corpus: &Corpus, threads: usize) -> Report {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let _knowledge = Knowledge::builtin();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| analyze(std::slice::from_ref(&corpus.folder), &rules, &Options::default(), &Silent))
}

fn as_json(report: &Report) -> String {
    let mut out = Vec::new();
    json::write(report, &mut out).expect("memory takes everything");
    String::from_utf8(out).expect("JSON is text")
}

#[test]
fn every_file_is_listed_and_the_report_does_not_depend_on_threads() {
    let Some(corpus) = corpus() else { return };
    let report = analyzed(&corpus, 1);
    for line in &corpus.expected {
        let path = line["path"].as_str().expect("a path");
        let listed = report.artifacts.iter().filter(|artifact| artifact.path.ends_with(path)).count();
        assert_eq!(listed, 1, "{path}");
    }
    for artifact in &report.artifacts {
        let detail = artifact.detail.as_deref().unwrap_or_default();
        assert!(!detail.contains("defect of crashsift"), "{}: {detail}", artifact.path);
    }
    assert!(as_json(&report) == as_json(&analyzed(&corpus, 2)), "the report differs with two threads");
}

#[test]
fn minidumps_give_what_three_parsers_agree_on() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for (line, path) in corpus.of_kind("minidump") {
        if line["cross_checked"] != true {
            continue;
        }
        let expected = &line["minidump"];
        let read = read(&path);
        let [evidence] = read.evidence.as_slice() else { panic!("{}: {:?}", path.display(), read.artifact) };
        let Observation::Process(dump) = &evidence.observation else { panic!("{}", path.display()) };
        compare_dump(&path, expected, dump);
        checked += 1;
    }
    assert!(checked > 40, "only {checked} minidumps were compared");
}

fn compare_dump(path: &Path, expected: &Value, dump: &ProcessDump) {
    let shown = path.display();
    let exception = dump.raised();
    let code = exception.map(|exception| format!("{:#010x}", exception.code.0));
    assert_eq!(code.as_deref(), expected["exception_code"].as_str(), "{shown}: exception code");
    if expected["os"] != "windows" {
        assert_eq!(
            expected["os"].as_str().map(|os| if os == "mac" { "macos" } else { os }),
            Some(dump.system.os.word())
        );
    }
    let modules = dump.modules.as_ref().map_or(0, Vec::len);
    assert_eq!(Some(modules as u64), expected["module_count"].as_u64(), "{shown}: modules");
    assert_eq!(Some(u64::from(dump.thread_count)), expected["thread_count"].as_u64(), "{shown}: threads");
    if let Some(pid) = expected["process_id"].as_u64() {
        assert_eq!(dump.pid.map(u64::from), Some(pid), "{shown}: process id");
    }
    let Some(exception) = exception else { return };
    let parameters: Vec<String> = exception.parameters.iter().map(|parameter| format!("{parameter:#x}")).collect();
    let wanted: Vec<&str> =
        expected["exception_parameters"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(parameters, wanted, "{shown}: parameters");
    let found = dump.module_at(exception.address);
    let wanted = &expected["exception_address_module"];
    assert_eq!(found.map(|(_, module)| module.name()), wanted["name"].as_str().map(base_name), "{shown}: module");
    if let Some((_, module)) = found {
        let offset = module.offset_of(exception.address).map(|offset| offset.to_string());
        assert_eq!(offset.as_deref(), wanted["offset"].as_str(), "{shown}: offset");
        if dump.system.os.word() == "windows" && module.version.is_some() {
            assert_eq!(module.version.map(|version| version.to_string()).as_deref(), wanted["version"].as_str());
        }
    }
}

/// The providers and ids of records that must be evidence of an incident or on a machine's timeline.
fn is_wanted(provider: &str, id: u64) -> bool {
    let provider = provider.to_lowercase();
    match provider.as_str() {
        "application error" => matches!(id, 1000 | 1005),
        "windows error reporting" => id == 1001,
        "application hang" => id == 1002,
        ".net runtime" => (1022..=1026).contains(&id),
        "sidebyside" => true,
        "application popup" => id == 26,
        "microsoft-windows-wer-systemerrorreporting" | "bugcheck" => id == 1001,
        "microsoft-windows-kernel-power" => id == 41,
        "eventlog" => id == 6008,
        "display" => id == 4101,
        "nvlddmkm" | "amdkmdag" | "microsoft-windows-whea-logger" => true,
        "nvidia opengl driver" => id == 1,
        "disk" | "cdrom" | "storahci" | "stornvme" => true,
        "ntfs" | "microsoft-windows-ntfs" => id == 55,
        "microsoft-windows-resource-exhaustion-detector" => id == 2004,
        "microsoft-windows-codeintegrity" => true,
        "microsoft-windows-memorydiagnostics-results" => matches!(id, 1101 | 1102 | 1201 | 1202),
        "service control manager" => matches!(id, 7031 | 7034),
        _ => false,
    }
}

#[test]
fn event_logs_count_every_record_and_show_every_crash() {
    let Some(corpus) = corpus() else { return };
    let report: Value = serde_json::from_str(&as_json(&analyzed(&corpus, 2))).expect("JSON");
    let told = places(&report);
    let artifacts = report["artifacts"].as_array().expect("artifacts");
    let mut crash_records = 0;
    for (line, path) in corpus.of_kind("evtx") {
        let listed = artifacts
            .iter()
            .find(|artifact| artifact["path"].as_str().is_some_and(|shown| path.ends_with(Path::new(shown))))
            .unwrap_or_else(|| panic!("{} is not listed", path.display()));
        let measured = |name: &str| line["evtx"][name].as_u64().unwrap_or(0);
        let expected = measured("records") + measured("records_past_free_space_consecutive");
        let found = listed["records"].as_u64().unwrap_or(0);
        if listed["kind"] != "event-log" {
            assert_eq!(expected, 0, "{} was not read as an event log", path.display());
        } else if measured("tail_bytes") > 0 {
            // Records of the chunk in which the file ends were not measured.
            assert!(found >= expected, "{}: {found} of {expected}", path.display());
        } else {
            assert_eq!(found, expected, "{}", path.display());
        }
        for record in line["crash_records"].as_array().into_iter().flatten() {
            let (provider, id) = (record["provider"].as_str().unwrap_or_default(), record["event_id"].as_u64());
            if !is_wanted(provider, id.unwrap_or(0)) {
                continue;
            }
            let number = record["record_id"].as_u64().expect("a record id");
            let place = format!("record {number}");
            let shown = listed["path"].as_str().expect("a path");
            assert!(
                told.get(shown).is_some_and(|places| places.contains(&place)),
                "{shown}: {provider} {id:?}, {place} is neither evidence nor on a timeline"
            );
            crash_records += 1;
        }
    }
    assert!(crash_records > 100, "only {crash_records} crash records were looked for");
}

/// Every place that the report cites, by artifact: as evidence of an incident or on a machine's timeline.
fn places(report: &Value) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let lists = [("incidents", "evidence"), ("machines", "timeline")];
    for (outer, inner) in lists {
        let entries = report[outer].as_array().into_iter().flatten().flat_map(|one| one[inner].as_array());
        for entry in entries.flatten() {
            let artifact = entry["artifact"].as_str().unwrap_or_default().to_owned();
            places.entry(artifact).or_default().push(entry["place"].as_str().unwrap_or_default().to_owned());
        }
    }
    places
}
