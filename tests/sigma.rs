//! Sigma rules over event logs: which are loaded, what they match, and what a report says of that.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that can't go on fails")]

mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crashsift::artifact::ReadContext;
use crashsift::artifact::event_log::Cache;
use crashsift::evidence::{Names, Observation};
use crashsift::knowledge::Knowledge;
use crashsift::read::read_artifact;
use crashsift::rules::RuleSet;
use crashsift::sigma::SigmaRules;
use crashsift::{Options, Silent, analyze, inspect};
use samplekit::FileTime;
use samplekit::event_log::{Element, Event, EventLog, Provider};
use serde_json::Value;
use tempfile::TempDir;

const NOON: FileTime = FileTime::utc(2024, 5, 20, 12, 0, 0);
const SYSMON: &str = "Microsoft-Windows-Sysmon/Operational";

/// A rule with this log source and detection.
fn rule(logsource: &str, detection: &str) -> String {
    format!(
        "title: A rule\nid: 11111111-0000-4000-8000-000000000000\nlogsource: {logsource}\ndetection:\n{detection}\n"
    )
}

/// A rule about processes that start, with one selection.
fn about_starts(selection: &str) -> String {
    let detection = format!("  selection:\n    {selection}\n  condition: selection");
    rule("{product: windows, category: process_creation}", &detection)
}

fn written(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn load(folder: &Path) -> SigmaRules {
    SigmaRules::load(&[folder.to_path_buf()]).unwrap_or_else(|(path, error)| panic!("{}: {error}", path.display()))
}

/// The rule of this text, which must be loaded.
fn loaded(text: &str) -> SigmaRules {
    let rules = load(written(&[("rule.yml", text)]).path());
    let faults: Vec<&str> = rules.rejected().iter().flat_map(|rejected| &rejected.faults).map(message).collect();
    assert!(faults.is_empty() && !rules.is_empty(), "{text}: {faults:?}");
    rules
}

fn message(fault: &crashsift::sigma::Fault) -> &str {
    &fault.diagnostic.message
}

/// The reason for which the rule of this text is not loaded, with line and column.
fn rejected(text: &str) -> (String, u32, u32) {
    let rules = load(written(&[("rule.yml", text)]).path());
    let fault = rules.rejected().first().and_then(|rejected| rejected.faults.first());
    let fault = fault.unwrap_or_else(|| panic!("loaded: {text}"));
    assert!(rules.is_empty() && fault.diagnostic.file.name.ends_with("rule.yml"));
    (fault.reason.clone(), fault.diagnostic.span.line, fault.diagnostic.span.column)
}

/// The titles of the rules that match records of a log, with the records' numbers.
fn matched(rules: SigmaRules, channel: &str, events: impl IntoIterator<Item = Event>) -> Vec<(String, String)> {
    let mut log = EventLog::new(channel, "PC-1");
    for event in events {
        log.add(event.channel(channel));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.evtx");
    std::fs::write(&path, log.to_bytes()).expect("a file");
    let sigma = Some(Arc::new(rules));
    let context = ReadContext { names: Names::default(), walk_stacks: false, symbols: None, cache: None, sigma };
    let found = read_artifact(&path, &context).evidence.into_iter().filter_map(|evidence| match evidence.observation {
        Observation::Sigma(found) => Some((found.rule.title.to_string(), evidence.place.to_string())),
        _ => None,
    });
    found.collect()
}

fn sysmon(id: u16, fields: &[(&str, &str)]) -> Event {
    Event::new(Provider::classic("Microsoft-Windows-Sysmon"), id).at(NOON).named(fields.iter().copied())
}

/// A process that started, as Sysmon tells it.
fn start() -> Event {
    sysmon(
        1,
        &[
            ("Image", r"C:\Tools\Demo.exe"),
            ("CommandLine", r#""C:\Tools\Demo.exe" -run /Fast \\server\share aHR0cDovLw== 50%*"#),
            ("OriginalFileName", "demo.exe"),
            ("ParentImage", r"C:\Windows\explorer.exe"),
            ("User", r"PC-1\user"),
            ("ProcessId", "4312"),
            ("Company", ""),
            ("Address", "10.1.2.3"),
            ("CurrentDirectory", r"C:\Tools\"),
        ],
    )
}

/// Whether a rule with this selection matches [`start`].
fn matches_start(selection: &str) -> bool {
    !matched(loaded(&about_starts(selection)), SYSMON, [start()]).is_empty()
}

/// Selections that fit [`start`].
const MATCHING: &[&str] = &[
    r"Image: c:\tools\demo.exe",
    r"image: 'C:\Tools\Demo.exe'",
    r"Image: '*\demo.exe'",
    r"Image: 'C:\Tools\D?mo.*'",
    r"Image|endswith: '\demo.exe'",
    r"Image|startswith: 'c:\tools\'",
    "CommandLine|contains: [nothing, fast]",
    "CommandLine|contains|all: [run, FAST]",
    "CommandLine|contains|cased: /Fast",
    "CommandLine|contains|windash: /run",
    "CommandLine|windash|contains: ' -fast'",
    r"CommandLine|contains: '\\\\server\share'",
    r"CommandLine|endswith: '50%\*'",
    r"CommandLine|re: '-\w{3} /F'",
    "CommandLine|re|i: FAST",
    "CommandLine|base64offset|contains: 'http://'",
    "CommandLine|base64|contains: 'http://'",
    "ProcessId: 4312",
    "ProcessId|gte: 4312",
    "ProcessId|lt: 5000",
    "ProcessId|neq: 1",
    "Address|cidr: [192.168.0.0/16, 10.0.0.0/8]",
    "Image|fieldref|startswith: CurrentDirectory",
    "Company|exists: true",
    "Nothing|exists: false",
    "Company: ''",
    "Company: null",
    "Nothing: null",
    "EventID: 1",
    "Provider_Name: Microsoft-Windows-Sysmon",
    "Computer: pc-1",
    "Channel|contains: sysmon",
    "'|all': [explorer, demo]",
    "'|re': 'explorer\\.exe$'",
];

/// Selections that don't.
const OTHERS: &[&str] = &[
    "Image: demo.exe",
    r"Image|endswith: demo.ex",
    r"Image|startswith: tools",
    "CommandLine|contains|all: [run, nothing]",
    "CommandLine|contains|cased: /fast",
    "CommandLine|contains: /run",
    "CommandLine|re: FAST",
    "CommandLine|base64offset|contains: 'ftp://'",
    "ProcessId|gt: 4312",
    "ProcessId|neq: 4312",
    "Address|cidr: 192.168.0.0/16",
    "Image|fieldref: ParentImage",
    "Company|exists: false",
    "Nothing|exists: true",
    "Nothing: ''",
    "Image: null",
    "EventID: 2",
    "'|all': [explorer, absent]",
    "CommandLine|contains: '50%?x'",
];

#[test]
fn a_field_is_compared_as_its_modifiers_say() {
    for selection in MATCHING {
        assert!(matches_start(selection), "{selection}");
    }
}

#[test]
fn a_field_that_is_otherwise_does_not_match() {
    for selection in OTHERS {
        assert!(!matches_start(selection), "{selection}");
    }
}

#[test]
fn many_rules_match_together_as_each_does_alone() {
    let numbered = |number: usize, selection: &str| {
        let rule = about_starts(selection).replace("title: A rule", &format!("title: '{number:03}'"));
        rule.replace("11111111", &format!("{number:08}"))
    };
    let all: Vec<String> =
        MATCHING.iter().chain(OTHERS).enumerate().map(|(number, selection)| numbered(number, selection)).collect();
    let found = matched(loaded(&all.join("---\n")), SYSMON, [start()]);
    let expected: Vec<String> = (0..MATCHING.len()).map(|number| format!("{number:03}")).collect();
    assert_eq!(found.into_iter().map(|(title, _)| title).collect::<Vec<_>>(), expected);
}

#[test]
fn a_rule_that_is_cut_anywhere_is_loaded_or_rejected() {
    let whole = format!("{INJECTION}---\n{}", about_starts("'|all': [a, b]"));
    let cut: Vec<(String, &str)> = (0..whole.len()).map(|end| (format!("{end}.yml"), &whole[..end])).collect();
    let files: Vec<(&str, &str)> = cut.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let rules = load(written(&files).path());
    assert!(rules.len() > 1 && rules.rejected().len() > 100, "{}", rules.summary());
}

#[test]
fn utf_16_in_base64_is_found_at_every_offset() {
    // `-e`, then the UTF-16 text "xIEX y" and "IEX y" in Base64.
    let command = |text: &str| {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        sysmon(1, &[("CommandLine", &format!("powershell -e {}", data_encoding::BASE64.encode(&bytes)))])
    };
    let rules = loaded(&about_starts("CommandLine|wide|base64offset|contains: 'IEX'"));
    let found = matched(rules, SYSMON, [command("IEX y"), command("xIEX y"), command("xxIEX"), command("IXE y")]);
    let records: Vec<&str> = found.iter().map(|(_, record)| record.as_str()).collect();
    assert_eq!(records, ["record 1", "record 2", "record 3"]);
}

#[test]
fn selections_are_maps_lists_of_maps_and_words() {
    let matches = |detection: &str| {
        let rules = loaded(&rule("{product: windows, service: sysmon}", detection));
        !matched(rules, SYSMON, [start()]).is_empty()
    };
    assert!(matches("  a: {Image|endswith: demo.exe, ProcessId: 4312}\n  condition: a"));
    assert!(!matches("  a: {Image|endswith: demo.exe, ProcessId: 1}\n  condition: a"));
    assert!(matches("  a: [{Image: x}, {ProcessId: 4312}]\n  condition: a"));
    assert!(matches("  a: [absent, EXPLORER]\n  condition: a") && !matches("  a: [absent]\n  condition: a"));
    assert!(matches("  a: [absent, {ProcessId: 4312}]\n  condition: a"));
    assert!(matches("  a: explorer\n  condition: a"));
    let two =
        |condition: &str| format!("  sel_a: {{ProcessId: 4312}}\n  sel_b: {{ProcessId: 1}}\n  condition: {condition}");
    for (condition, expected) in [
        ("1 of sel_*", true),
        ("all of sel_*", false),
        ("1 of them and not sel_b", true),
        ("sel_a and sel_b or not sel_b", true),
        ("sel_a and not (sel_b or sel_a)", false),
        ("[sel_b, sel_a]", true),
        ("not sel_a", false),
    ] {
        assert_eq!(matches(&two(condition)), expected, "{condition}");
    }
}

#[test]
fn a_rule_is_about_the_records_of_its_log_source_alone() {
    let events = || [start(), sysmon(11, &[("Image", r"C:\Tools\Demo.exe")])];
    let of = |logsource: &str| {
        let rules = loaded(&rule(
            logsource,
            r"  a: {Image|endswith: '\demo.exe'}
  condition: a",
        ));
        matched(rules, SYSMON, events()).into_iter().map(|(_, record)| record).collect::<Vec<_>>()
    };
    assert_eq!(of("{product: windows, category: process_creation}"), ["record 1"]);
    assert_eq!(of("{product: windows, category: file_event}"), ["record 2"]);
    assert_eq!(of("{product: windows, service: sysmon}"), ["record 1", "record 2"]);
    assert_eq!(of("{product: windows}"), ["record 1", "record 2"]);
    assert_eq!(of("{product: windows, service: security}"), [""; 0]);
    assert_eq!(of("{product: windows, category: process_creation, service: sysmon}"), ["record 1"]);
}

/// A process that started, as Security tells it.
fn audited(command_line: &str) -> Event {
    Event::new(Provider::classic("Microsoft-Windows-Security-Auditing"), 4688).at(NOON).named([
        ("NewProcessName", r"C:\Tools\Demo.exe"),
        ("CommandLine", command_line),
        ("MandatoryLabel", "S-1-16-12288"),
    ])
}

#[test]
fn what_a_source_never_writes_decides_nothing() {
    let found = |detection: &str, command_line: &str| {
        let rules = loaded(&rule("{product: windows, category: process_creation}", detection));
        matched(rules, "Security", [audited(command_line)]).len()
    };
    let demo = r"  a: {Image|endswith: '\demo.exe'}";
    assert_eq!(found(&format!("{demo}\n  condition: a"), "x"), 1);
    assert_eq!(found("  a: {IntegrityLevel: high}\n  condition: a", "x"), 1);
    assert_eq!(found("  a: {IntegrityLevel: low}\n  condition: a", "x"), 0);
    // Security does not know the original file name: it can't be said that it is another one.
    let original = "  b: {OriginalFileName: tool.exe}";
    assert_eq!(found(&format!("{demo}\n{original}\n  condition: a or b"), "x"), 1);
    assert_eq!(found(&format!("{demo}\n{original}\n  condition: a and not b"), "x"), 0);
    assert_eq!(found(&format!("{demo}\n{original}\n  condition: a and b"), "x"), 0);
    // The command line is only recorded where a policy says so.
    let safe = "  b: {CommandLine|contains: safe}";
    assert_eq!(found(&format!("{demo}\n{safe}\n  condition: a and not b"), "x"), 1);
    assert_eq!(found(&format!("{demo}\n{safe}\n  condition: a and not b"), ""), 0);
}

#[test]
fn values_without_names_are_data_and_inner_fields_have_their_own_names() {
    let unnamed = Event::new(Provider::classic("PowerShell"), 400).at(NOON).strings(["Available", "HostName=demo"]);
    let rules = loaded(&rule(
        "{product: windows, category: ps_classic_start}",
        "  a: {'Data|contains|all': [hostname=, available]}\n  condition: a",
    ));
    assert_eq!(matched(rules, "Windows PowerShell", [unnamed]).len(), 1);

    let element = Element::parent("RuleAndFileData", vec![Element::value("FilePath", r"%OSDRIVE%\demo.exe")]);
    let blocked = Event::new(Provider::classic("Microsoft-Windows-AppLocker"), 8004).at(NOON).user_data(element);
    let rules = loaded(&rule(
        "{product: windows, service: applocker}",
        r"  a: {FilePath|endswith: '\demo.exe'}
  condition: a",
    ));
    assert_eq!(matched(rules, "Microsoft-Windows-AppLocker/EXE and DLL", [blocked]).len(), 1);
}

#[test]
fn a_field_of_the_record_itself_comes_before_the_head() {
    let cleared = |channel: &str| {
        let element = Element::parent("LogFileCleared", vec![Element::value("Channel", channel)]);
        Event::new(Provider::classic("Microsoft-Windows-Eventlog"), 104).at(NOON).user_data(element)
    };
    let rules = || {
        let detection = "  a: {EventID: 104, Channel: [System, Security]}\n  condition: a";
        loaded(&rule("{product: windows, service: system}", detection))
    };
    assert_eq!(matched(rules(), "System", [cleared("Application")]).len(), 0);
    assert_eq!(matched(rules(), "System", [cleared("Security")]).len(), 1);
}

#[test]
fn what_is_not_supported_is_rejected_with_its_reason_and_place() {
    let starts = |selection: &str| rejected(&about_starts(selection));
    assert_eq!(starts("CommandLine|expand: '%x%'"), ("with the modifier `expand`".to_owned(), 6, 17));
    assert_eq!(starts("Time|hour: 3"), ("with the modifier `hour`".to_owned(), 6, 10));
    assert_eq!(starts("Execution_ProcessID: 4").0, "with the field `Execution_ProcessID`");
    assert_eq!(starts("Message|contains: x").0, "with the message that Event Viewer shows");
    assert_eq!(starts("Image|wide: x").0, "with UTF-16 that is not encoded");
    assert_eq!(starts("Image|re: '(?=a)b'"), ("with a regular expression that can't run".to_owned(), 6, 15));
    let source = |source: &str| rejected(&rule(source, "  a: {b: c}\n  condition: a")).0;
    assert_eq!(source("{product: linux, service: sshd}"), "for `linux`");
    assert_eq!(source("{category: antivirus}"), "for the log source `antivirus`");
    assert_eq!(source("{product: windows, category: file_access}"), "for the log source `file_access`");
    let condition =
        |condition: &str| rejected(&rule("{product: windows}", &format!("  a: {{b: c}}\n  condition: {condition}")));
    assert_eq!(condition("a | count() by b > 5"), ("with `count`".to_owned(), 6, 16));
    assert_eq!(condition("a | near a").0, "with `near`");
    let timeframe = rule("{product: windows}", "  a: {b: c}\n  timeframe: 5m\n  condition: a");
    assert_eq!(rejected(&timeframe), ("with a timeframe".to_owned(), 6, 3));
    let status = format!("status: unsupported\n{}", about_starts("a: b"));
    assert_eq!(rejected(&status).0, "marked as not usable");
    assert_eq!(rejected("action: global\ntitle: x").0, "of an earlier version");
    assert_eq!(rejected("title: x\nfilter: {rules: any}").0, "with a filter for other rules");
}

#[test]
fn what_is_wrong_is_rejected_as_a_mistake() {
    const MISTAKE: &str = "not written as the specification asks";
    let mistake = |text: &str| {
        let (reason, line, column) = rejected(text);
        assert_eq!(reason, MISTAKE, "{text}");
        (line, column)
    };
    assert_eq!(mistake(&about_starts("Image|contians: x")), (6, 11));
    assert_eq!(mistake(&about_starts("Image|contains|startswith: x")), (6, 20));
    assert_eq!(mistake(&about_starts("Image|exists: maybe")), (6, 19));
    assert_eq!(mistake(&about_starts("Image|cidr: 10.0.0.0/99")), (6, 17));
    assert_eq!(mistake(&about_starts("Image|lt: many")), (6, 15));
    assert_eq!(mistake(&about_starts("Image|base64: 'a*'")), (6, 19));
    assert_eq!(mistake(&about_starts("Image: {deep: er}")), (6, 12));
    let condition =
        |condition: &str| mistake(&rule("{product: windows}", &format!("  a: {{b: c}}\n  condition: {condition}")));
    assert_eq!(condition("a and nothing"), (6, 20));
    assert_eq!(condition("2 of them"), (6, 14));
    mistake("title: x\nlogsource: {product: windows}");
    mistake("title: x\ndetection: {a: {b: c}, condition: a}");
    mistake(&about_starts("a: b").replace("title: A rule", "author: x"));
    mistake(&format!("level: terrible\n{}", about_starts("a: b")));
    mistake("- a list");
    assert_eq!(rejected("title: [").0, "not readable");
    let bomb = format!("title: {}", "[".repeat(100_000));
    assert_eq!(rejected(&bomb).0, "not readable");
}

#[test]
fn the_rules_of_a_correlation_do_not_match_by_themselves() {
    let base = about_starts("ProcessId: 4312").replace("title: A rule", "title: A rule\nname: base");
    let correlation = "title: Many\ncorrelation: {type: event_count, rules: [base], timespan: 1h, condition: {gte: 5}}";
    let rules = load(written(&[("rule.yml", &format!("{base}---\n{correlation}\n"))]).path());
    let reasons = "2 Sigma rules: 0 loaded, 2 not: 1 meant only as a part of a correlation, 1 with a correlation";
    assert_eq!(rules.summary(), reasons);
}

#[test]
fn a_folder_is_read_whole_and_what_is_not_loaded_is_counted() {
    let other = |id: &str, selection: &str| about_starts(selection).replace("1111-0000", id);
    let folder = written(&[
        ("a/first.yml", &other("1111-0001", "ProcessId: 4312")),
        ("a/same.yml", &other("1111-0001", "ProcessId: 4312")),
        (
            "b/second.yaml",
            &format!("{}---\n{}", other("1111-0002", "ProcessId: 4312"), other("1111-0003", "a|expand: b")),
        ),
        ("b/notes.txt", "no rule"),
        (".git/third.yml", "no rule"),
    ]);
    let rules = load(folder.path());
    assert_eq!(
        rules.summary(),
        "4 Sigma rules: 2 loaded, 2 not: 1 with the id of another rule, 1 with the modifier `expand`"
    );
    assert_eq!(matched(rules, SYSMON, [start()]).len(), 2);
    let empty = written(&[("notes.txt", "")]);
    for path in [empty.path().to_path_buf(), PathBuf::from("/nonexistent")] {
        assert!(SigmaRules::load(&[path]).is_err());
    }
}

/// A rule of this program that asks for a match.
const OWN_RULE: &str = r"
schema: 1
rules:
  - id: demo/tool
    title: A tool was at work
    cause: injected-module
    confidence: 0.5
    severity: low
    selections:
      tool:
        timeline|any: {kind: sigma, sigma_level: high, sigma_tags|contains: attack.t1055, sigma_title|contains: TOOL}
    explanation: A tool was at work.
    remediation:
      - {audience: helpdesk, text: Ask who used it.}
      - {audience: developer, text: Nothing.}
    references: [https://example.com]
    tests:
      - {name: it was, facts: {timeline: [{kind: sigma, sigma_level: high, sigma_tags: attack.t1055, sigma_title: a tool}]}, expect: match}
      - {name: it was not, facts: {timeline: []}, expect: no-match}
";

fn crash_log() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let crash = Event::new(Provider::classic("Application Error"), 1000).at(NOON).strings([
        "demo.exe",
        "1.0.0.0",
        "65432100",
        "demo.exe",
        "1.0.0.0",
        "65432100",
        "c0000005",
        "0000000000001234",
    ]);
    let mut log = EventLog::new("Application", "PC-1");
    log.add(crash);
    std::fs::write(folder.path().join("Application.evtx"), log.to_bytes()).expect("a file");
    let mut log = EventLog::new(SYSMON, "PC-1");
    let injected = [("SourceImage", r"C:\Tools\hook.exe"), ("TargetImage", r"C:\Demo\demo.exe")];
    log.add(sysmon(8, &injected).at(NOON.minus_seconds(30)));
    std::fs::write(folder.path().join("Sysmon.evtx"), log.to_bytes()).expect("a file");
    let mut log = EventLog::new("System", "PC-1");
    for time in [NOON.minus_seconds(600), NOON.plus_seconds(60)] {
        log.add(Event::new(Provider::classic("Chatter"), 1).at(time).strings(["nothing"]));
    }
    std::fs::write(folder.path().join("System.evtx"), log.to_bytes()).expect("a file");
    let path = folder.path().to_path_buf();
    (folder, path)
}

const INJECTION: &str = r"
title: A Tool That Injects
id: 22222222-0000-4000-8000-000000000000
level: high
tags: [attack.t1055, attack.defense-evasion]
logsource: {product: windows, category: create_remote_thread}
detection:
  selection: {SourceImage|endswith: '\hook.exe'}
  condition: selection
";

#[test]
fn a_match_stands_in_the_timeline_beside_the_incident_and_rules_can_ask_for_it() {
    let (_log, path) = crash_log();
    let folder = written(&[("sigma.yml", INJECTION), ("own.yaml", OWN_RULE)]);
    let sigma = SigmaRules::load(&[folder.path().join("sigma.yml")]).expect("rules");
    let rules = RuleSet::load(false, &[folder.path().join("own.yaml")]).expect("rules");
    let options = Options { sigma: Some(Arc::new(sigma)), ..Options::default() };
    let report = analyze(&[path], &rules, &Knowledge::builtin(), &options, &Silent);
    let mut json = Vec::new();
    crashsift::report::json::write(&report, &mut json).expect("written");
    let json: Value = serde_json::from_slice(&json).expect("JSON");

    let timeline = json["machines"][0]["timeline"].as_array().expect("a timeline");
    let entry = timeline.iter().find(|entry| entry["kind"] == "sigma").expect("a match");
    assert_eq!(entry["sigma"]["title"], "A Tool That Injects");
    assert_eq!(entry["sigma"]["level"], "high");
    assert_eq!(entry["sigma"]["tags"][1], "attack.defense-evasion");
    assert!(entry["sigma"]["file"].as_str().is_some_and(|file| file.ends_with("sigma.yml")));
    assert_eq!((&entry["event_id"], &entry["place"]), (&8.into(), &"record 1".into()));

    let incident = &json["incidents"][0];
    assert_eq!(json["incidents"].as_array().map(Vec::len), Some(1), "a match is no incident");
    assert_eq!(incident["sigma"][0]["title"], "A Tool That Injects");
    assert_eq!(incident["sigma"][0]["seconds_after"], -30);
    assert_eq!(incident["findings"][0]["rule"], "demo/tool");
    let sets: Vec<&str> =
        json["rulesets"].as_array().expect("sets").iter().filter_map(|set| set["name"].as_str()).collect();
    assert!(sets.iter().any(|name| name.starts_with("sigma:") && name.ends_with("sigma.yml")), "{sets:?}");

    let mut text = Vec::new();
    let look = crashsift::report::text::TextOptions::default();
    crashsift::report::text::write(&report, &mut text, look).expect("written");
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(text.contains("  sigma        A Tool That Injects, high: 30 s before it\n"), "{text}");
}

#[test]
fn a_match_does_not_make_known_what_else_was_recorded() {
    let (_log, path) = crash_log();
    std::fs::remove_file(path.join("System.evtx")).expect("removed");
    let folder = written(&[("sigma.yml", INJECTION)]);
    let options = Options { sigma: Some(Arc::new(load(folder.path()))), ..Options::default() };
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = inspect(&[path], &rules, &Knowledge::builtin(), &options, &Silent);
    let (_, facts) = inspected.incidents.first().expect("a crash");
    assert!(facts.list("timeline").is_none());
    let kinds: Vec<&str> = inspected.machines[0].timeline.iter().map(|entry| entry.kind).collect();
    assert!(kinds.contains(&"sigma"), "{kinds:?}");
}

#[test]
fn without_a_match_a_report_is_as_without_sigma_rules() {
    let (_log, path) = crash_log();
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let reported = |sigma: Option<Arc<SigmaRules>>| {
        let options = Options { sigma, ..Options::default() };
        let mut report = analyze(std::slice::from_ref(&path), &rules, &Knowledge::builtin(), &options, &Silent);
        report.rule_sets.clear();
        let mut json = Vec::new();
        crashsift::report::json::write(&report, &mut json).expect("written");
        String::from_utf8(json).expect("UTF-8")
    };
    let other = loaded(&about_starts("Image: another"));
    assert_eq!(reported(Some(Arc::new(other))), reported(None));
}

#[test]
fn a_cache_that_was_made_without_sigma_rules_does_not_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = EventLog::new(SYSMON, "PC-1");
    let padding = "x".repeat(4000);
    for _ in 0..300 {
        log.add(sysmon(1, &[("Image", r"C:\Tools\Demo.exe"), ("CommandLine", &padding)]));
    }
    let path = folder.path().join("log.evtx");
    std::fs::write(&path, log.to_bytes()).expect("a file");
    let cache = Arc::new(Cache::in_folder(&folder.path().join("cache")).expect("a cache"));
    let matches = |sigma: Option<Arc<SigmaRules>>| {
        let cache = Some(Arc::clone(&cache));
        let context = ReadContext { names: Names::default(), walk_stacks: false, symbols: None, cache, sigma };
        let evidence = read_artifact(&path, &context).evidence;
        evidence.iter().filter(|evidence| matches!(evidence.observation, Observation::Sigma(_))).count()
    };
    let rules = Arc::new(loaded(&about_starts(r"Image|endswith: '\demo.exe'")));
    assert_eq!(matches(None), 0);
    assert_eq!(matches(Some(Arc::clone(&rules))), 300);
    assert_eq!(matches(None), 0);
}

#[test]
fn the_program_says_how_many_rules_are_loaded_and_check_names_the_others() {
    let unsupported = about_starts("CommandLine|expand: '%x%'").replace("11111111", "33333333");
    let folder = written(&[("good.yml", INJECTION), ("other.yml", &unsupported)]);
    let path = folder.path().to_str().expect("text");
    let given = format!("sigma:{path}");
    let summary = "2 Sigma rules: 1 loaded, 1 not: 1 with the modifier `expand`";

    let ran = program::run(["rules", "check", &given]).ends_with(0);
    assert!(
        ran.stdout.contains("warning[S002]: `expand`: what a placeholder stands for is not known"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("other.yml:6:17") && ran.stdout.ends_with(&format!("{summary}\n")), "{}", ran.stdout);

    let (_log, log) = crash_log();
    let log = log.to_str().expect("text");
    let ran = program::run(["analyze", "-r", &given, log]).ends_with(0);
    assert!(ran.stderr.starts_with(&format!("crashsift: {summary};")), "{}", ran.stderr);
    assert!(ran.stdout.contains("Sigma rule \"A Tool That Injects\" (high, good.yml) matches"), "{}", ran.stdout);
    let ran = program::run(["analyze", "-q", "-r", &given, log]).ends_with(0);
    assert_eq!(ran.stderr, "");

    std::fs::write(folder.path().join("bad.yml"), "title: x\n").expect("a file");
    program::run(["rules", "check", &given]).ends_with(2);
    program::run(["analyze", "-q", "-r", &given, log]).ends_with(0);
    let ran = program::run(["analyze", "-r", "sigma:/nonexistent", log]).ends_with(2);
    assert_eq!(ran.stderr, "crashsift: --rules sigma:/nonexistent: no such file or folder\n");
}

/// How many of the rules in the folder `CRASHSIFT_SIGMA` are loaded. None is refused as a mistake, but for those of the
/// folder `broken`, if it has one.
#[test]
fn public_rules_are_loaded_or_rejected_for_what_is_not_supported() {
    let Some(folder) = std::env::var_os("CRASHSIFT_SIGMA") else { return };
    let begun = std::time::Instant::now();
    let rules = load(Path::new(&folder));
    println!("{} ({:?})", rules.summary(), begun.elapsed());
    let faults = rules.rejected().iter().flat_map(|rejected| &rejected.faults);
    let broken: Vec<String> = faults
        .filter(|fault| fault.broken)
        .map(|fault| format!("{}: {}", fault.diagnostic.file.name, fault.diagnostic.message))
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(!rules.is_empty());
}
