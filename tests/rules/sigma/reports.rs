//! Matches of Sigma rules in reports, and conclusions that must not be drawn from them.

use std::path::PathBuf;

use pipeline::{Options, Silent, analyze, inspect};
use rules::RuleSet;
use serde_json::Value;

use super::*;

/// A rule of this program that requires a match.
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

pub(super) fn crash_log() -> (TempDir, PathBuf) {
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

#[test]
fn a_match_is_in_the_timeline_beside_the_incident_and_rules_can_ask_for_it() {
    let (_log, path) = crash_log();
    let folder = written(&[("sigma.yml", INJECTION), ("own.yaml", OWN_RULE)]);
    let sigma = SigmaRules::load(&[folder.path().join("sigma.yml")]).expect("rules");
    let rules = RuleSet::load(false, &[folder.path().join("own.yaml")]).expect("rules");
    let options = Options { sigma: Some(Arc::new(sigma)), ..Options::default() };
    let report = analyze(&[path], &rules, &options, &Silent);
    let mut json = Vec::new();
    report::json::write(&report, &mut json).expect("written");
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
    let look = report::text::TextOptions::default();
    report::text::write(&report, &mut text, look).expect("written");
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
    let inspected = inspect(&[path], &rules, &options);
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
        let mut report = analyze(std::slice::from_ref(&path), &rules, &options, &Silent);
        report.rule_sets.clear();
        let mut json = Vec::new();
        report::json::write(&report, &mut json).expect("written");
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
    let cache = Arc::new(windows_events::cache_in(&folder.path().join("cache")).expect("a cache"));
    let matches = |sigma: Option<Arc<SigmaRules>>| {
        let cache = Some(Arc::clone(&cache));
        let context = ReadContext { cache, sigma, ..ReadContext::default() };
        let evidence = read_artifact(&path, &context).evidence;
        evidence.iter().filter(|evidence| matches!(evidence.observation, Observation::Sigma(_))).count()
    };
    let rules = Arc::new(loaded(&about_starts(r"Image|endswith: '\demo.exe'")));
    assert_eq!(matches(None), 0);
    assert_eq!(matches(Some(Arc::clone(&rules))), 300);
    assert_eq!(matches(None), 0);
}

#[test]
fn inspect_new_and_diff_take_sigma_rules_as_evidence() {
    let (_log, path) = crash_log();
    let folder = written(&[("sigma.yml", INJECTION), ("own/demo.yaml", OWN_RULE)]);
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (given, own) = (format!("sigma:{}", at("sigma.yml")), at("own/demo.yaml"));
    let path = path.to_str().expect("text");
    let log = format!("{path}/Sysmon.evtx");

    let ran = program::run(["inspect", "-r", &given, &log]).ends_with(0);
    assert!(ran.stdout.contains(" sigma: Sigma rule \"A Tool That Injects\""), "{}", ran.stdout);
    assert!(!program::run(["inspect", &log]).ends_with(0).stdout.contains("sigma"));
    program::run(["inspect", "-r", "sigma:/nonexistent", &log]).ends_with(2);

    let ran = program::run(["rules", "diff", "-f", "json", "-r", &given, "builtin", &own, path]).ends_with(0);
    assert!(ran.stdout.contains("demo/tool"), "{}", ran.stdout);
    let ran = program::run(["rules", "diff", "-f", "json", "builtin", &own, path]).ends_with(0);
    assert!(!ran.stdout.contains("demo/tool"), "{}", ran.stdout);

    let ran = program::run(["rules", "new", "--from", path, "-r", &given]).ends_with(0);
    assert!(ran.stdout.contains("A Tool That Injects"), "{}", ran.stdout);
}

#[test]
fn a_merged_report_lists_the_sigma_rules_of_its_parts() {
    let (_log, path) = crash_log();
    let folder = written(&[("sigma.yml", INJECTION)]);
    let given = format!("sigma:{}", folder.path().join("sigma.yml").to_str().expect("text"));
    let path = path.to_str().expect("text");
    let analyzed = |name: &str, mergeable: &[&str]| {
        let report = folder.path().join(name).to_str().expect("text").to_owned();
        let arguments = [&["analyze", "-q", "-f", "json", "-r", &given, "-o", &report, path], mergeable].concat();
        program::run(arguments).ends_with(0);
        report
    };
    let part = analyzed("part.json", &["--mergeable"]);
    let again = analyzed("again.json", &["--mergeable"]);
    let merged = program::run(["merge", "-q", "-f", "json", &part, &again]).ends_with(0).stdout;
    let whole = std::fs::read_to_string(analyzed("whole.json", &[])).expect("a report");
    let sets = |report: &str| serde_json::from_str::<Value>(report).expect("JSON")["rulesets"].clone();
    assert_eq!(sets(&merged), sets(&whole));
    assert!(sets(&merged).to_string().contains("sigma:"));
}

/// A rule of this program that requires that nothing matched.
const NO_MATCH: &str = r"
schema: 1
rules:
  - id: demo/nobody
    title: No tool was at work
    cause: application-defect
    confidence: 0.5
    severity: low
    selections:
      code: {exception.code: 0xC0000005}
      nobody: {timeline|none: {kind: sigma, sigma_title|contains: another, seconds_before|within: 5 min}}
    explanation: No tool was at work.
    remediation:
      - {audience: helpdesk, text: Restart it.}
      - {audience: developer, text: Nothing.}
    references: [https://example.com]
    tests:
      - {name: nobody, facts: {exception.code: 0xC0000005, timeline: []}, expect: match}
      - {name: somebody, facts: {exception.code: 0xC0000005, timeline: [{kind: sigma, sigma_title: another, seconds_before: 1}]}, expect: no-match}
";

#[test]
fn without_sigma_rules_it_is_unknown_that_none_matches() {
    let (_log, path) = crash_log();
    let folder = written(&[("sigma.yml", INJECTION), ("own/nobody.yaml", NO_MATCH), ("own/tool.yaml", OWN_RULE)]);
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (given, own) = (format!("sigma:{}", at("sigma.yml")), at("own"));
    let path = path.to_str().expect("text");
    let why = |rule: &str, more: &[&str]| {
        let arguments = [&["why", rule, path, "--no-builtin-rules", "-f", "json", "-r", &own], more].concat();
        let ran = program::run(arguments).ends_with(0);
        let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        document["incidents"][0]["rules"][0].clone()
    };
    for rule in ["demo/nobody", "demo/tool"] {
        let skipped = why(rule, &[]);
        assert_eq!(skipped["outcome"], "skipped", "{skipped:#}");
        let from = skipped["missing"][0]["from"].as_str().unwrap_or_default();
        assert!(from.contains("--rules sigma:PATH"), "{skipped:#}");
        assert_eq!(why(rule, &["-r", &given])["outcome"], "match");
    }
}

#[test]
fn a_merged_report_knows_whether_sigma_rules_were_matched() {
    let (_log, path) = crash_log();
    let folder = written(&[("sigma.yml", INJECTION), ("own/nobody.yaml", NO_MATCH)]);
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (given, own, path) = (format!("sigma:{}", at("sigma.yml")), at("own"), path.to_str().expect("text"));
    let analyzed = |name: &str, more: &[&str]| {
        let report = at(name);
        let arguments = [&["analyze", "-q", "-f", "json", "--mergeable", "-o", &report, path], more].concat();
        program::run(arguments).ends_with(0);
        report
    };
    let (with, without) = (analyzed("with.json", &["-r", &given]), analyzed("without.json", &[]));
    let is_found = |parts: &[&str]| {
        let arguments = [&["merge", "-q", "-f", "json", "-r", &own], parts].concat();
        program::run(arguments).ends_with(0).stdout.contains("\"demo/nobody\"")
    };
    assert!(is_found(&[&with]));
    assert!(!is_found(&[&without]));
    assert!(!is_found(&[&with, &without]), "nobody looked into one of them");
}
