//! `crashsift why`: how rules came to their results.

use std::fs;

use crate::program::{self, run};
use serde_json::{Value, json};

const SAMPLE: &str = "samples/one-crash-three-artifacts";

fn id() -> String {
    id_of(SAMPLE)
}

fn id_of(sample: &str) -> String {
    let report = run(["analyze", "-q", "-f", "json", sample]).ends_with(0).json();
    report["incidents"][0]["id"].as_str().expect("an id").to_owned()
}

fn rules(document: &Value) -> &[Value] {
    document["incidents"][0]["rules"].as_array().expect("rules")
}

#[test]
fn of_an_incident_every_rule_shows_what_it_found() {
    let id = id();
    let document = run(["why", "-f", "json", &id, SAMPLE]).ends_with(0).json();
    let all = rules(&document);
    let listed = run(["rules", "list"]).ends_with(0).stdout;
    assert!(all.iter().all(|rule| listed.contains(rule["rule"].as_str().expect("an id"))));

    assert_eq!((&document["schema_version"], &document["tool"]["name"]), (&json!("1.0"), &json!("crashsift")));

    // Matching rules have the confidence that the report shows.
    let report = run(["analyze", "-q", "-f", "json", SAMPLE]).ends_with(0).json();
    let pairs = |list: &[Value], confidence: &str| -> Vec<(String, String)> {
        list.iter()
            .map(|one| (one["rule"].to_string(), one.pointer(confidence).expect("a number").to_string()))
            .collect()
    };
    let matched: Vec<Value> = all.iter().filter(|rule| rule["outcome"] == "match").cloned().collect();
    let findings = report["incidents"][0]["findings"].as_array().expect("findings");
    assert!(!findings.is_empty());
    assert_eq!(pairs(&matched, "/confidence/confidence"), pairs(findings, "/confidence"));

    // A confidence is the rule's own, changed by adjustments.
    let of = |rule: &Value, key: &str| rule["confidence"][key].as_f64().expect("a number");
    for rule in &matched {
        let moved = rule["confidence"]["adjustments"].as_array().expect("adjustments").iter();
        let by: f64 = moved.filter(|one| one["counts"] == true).map(|one| one["by"].as_f64().expect("a number")).sum();
        if rule["confidence"]["caps"].as_array().is_some_and(Vec::is_empty) {
            assert!((of(rule, "first") + by - of(rule, "confidence")).abs() < 0.006, "{rule:#}");
        }
    }
    // Undecided rules show what would decide them, and rules that are ruled out the deciding term.
    for rule in all {
        let decisive = rule["selections"].as_array().expect("selections").iter().filter(|one| one["decisive"] == true);
        assert!(decisive.count() > 0, "{rule:#}");
        assert_eq!(rule["outcome"] == "skipped", rule["missing"].is_array(), "{rule:#}");
    }
}

#[test]
fn the_beginning_of_an_id_is_enough_when_no_other_begins_so() {
    let id = id();
    let (whole, begun) = (run(["why", &id, SAMPLE]).ends_with(0), run(["why", &id[..6], SAMPLE]).ends_with(0));
    assert_eq!(whole.stdout, begun.stdout);
    assert!(whole.stdout.contains("matches: ") && whole.stdout.contains("lacks facts: "), "{}", whole.stdout);
    assert!(whole.stdout.contains("by itself"), "{}", whole.stdout);
}

#[test]
fn of_a_rule_every_incident_shows_why_it_matches_or_not() {
    let run = run(["why", "memory/stack-overflow", "samples/stack-overflow", "samples/heap-corruption"]).ends_with(0);
    assert_eq!(run.stdout.matches("Incident ").count(), 2, "{}", run.stdout);
    assert!(run.stdout.contains("memory/stack-overflow matches: stack-overflow 0.9"), "{}", run.stdout);
    assert!(run.stdout.contains("memory/stack-overflow lacks facts"), "{}", run.stdout);
    assert!(run.stdout.contains("`text` would decide it: the text that the program printed"), "{}", run.stdout);
    let run = program::run(["why", "hardware/illegal-instruction", "samples/heap-corruption"]).ends_with(0);
    assert!(run.stdout.contains("hardware/illegal-instruction ruled out"), "{}", run.stdout);
    assert!(run.stdout.contains("does not hold: it is 0xC0000374"), "{}", run.stdout);
}

#[test]
fn the_log_is_named_that_would_show_that_something_was_not_recorded() {
    let shown = run(["why", "gpu/reset-before-crash", "samples/event-pair-positional"]).ends_with(0).stdout;
    assert!(shown.contains("gpu/reset-before-crash lacks facts"), "{shown}");
    assert!(shown.contains("0 of 1 entries fit, and the logs do not cover all of the time"), "{shown}");
    let needed = "`timeline` would decide it: a System event log of the machine that covers 2024-03-14T11:03:32Z";
    assert!(shown.contains(needed), "{shown}");
}

#[test]
fn for_patterns_the_missing_facts_of_the_incident_are_named() {
    let arguments =
        ["why", "-f", "json", "application/same-place-on-several-machines", "samples/access-violation-cudnn"];
    let document = run(arguments).ends_with(0).json();
    let missing = rules(&document)[0]["missing"].as_array().expect("a list");
    let of_hosts = missing.iter().find(|one| one["fact"] == "pattern.same_site_hosts").expect("the pattern");
    assert_eq!(of_hosts["from"], "evidence that names computer and time (event logs do)");
    assert_eq!(of_hosts["why"], "no evidence of this incident names the computer, as event logs and Report.wer do");
}

#[test]
fn a_superseded_rule_names_the_rule_that_supersedes_it() {
    let sample = "samples/delay-load-zlibwapi";
    let rule = "loader/delay-load-module";
    let document = run(["why", "-f", "json", rule, sample]).ends_with(0).json();
    let told = &rules(&document)[0];
    assert_eq!((&told["outcome"], &told["superseded_by"]), (&"superseded".into(), &"cudnn/zlibwapi-delay-load".into()));
    let shown = run(["why", rule, sample]).ends_with(0).stdout;
    assert!(shown.contains("It matches, and so does cudnn/zlibwapi-delay-load, which takes its place."), "{shown}");
}

#[test]
fn what_is_neither_incident_nor_rule_is_reported() {
    for (what, reason) in [
        ("memory/nothing", "there is no rule memory/nothing; `crashsift rules list` shows all"),
        ("memory/stack-overflw", "there is no rule memory/stack-overflw; did you mean memory/stack-overflow? "),
        ("ffffffff", "there is neither an incident nor a rule ffffffff; incidents here: "),
        ("a", "neither an incident nor a rule"),
        ("stack-overflow", "neither an incident nor a rule stack-overflow; did you mean memory/stack-overflow?"),
        (
            "gpu-timeout",
            "gpu-timeout; it is a cause, which `crashsift rules list --cause gpu-timeout` shows the rules of",
        ),
    ] {
        let run = run(["why", what, SAMPLE]).ends_with(2);
        assert!(run.stderr.contains(reason) && run.stdout.is_empty(), "{run:#?}");
    }
    let run = run(["why", "memory/stack-overflow", "samples/empty-dump"]).ends_with(4);
    assert!(run.stderr.contains("no incident"), "{run:#?}");
}

#[test]
fn artifacts_before_the_rule_are_reported() {
    let run = run(["why", SAMPLE, "memory/stack-overflow"]).ends_with(2);
    let right = format!("the rule stands before the artifacts: `crashsift why memory/stack-overflow {SAMPLE}`");
    assert!(run.stderr.contains(&right), "{run:#?}");
}

/// In a folder with many incidents, the incidents that the rule matches come first.
#[test]
fn of_many_incidents_those_that_the_rule_matches_come_first_and_few_others() {
    let rule = "memory/stack-overflow";
    let shown = run(["why", rule, "samples"]).ends_with(0).stdout;
    let document = run(["why", "-f", "json", rule, "samples"]).ends_with(0).json();
    let outcomes: Vec<&str> = document["incidents"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|incident| incident["rules"][0]["outcome"].as_str().expect("a word"))
        .collect();
    let count = |outcome: &str| outcomes.iter().filter(|word| **word == outcome).count();
    let (matches, lacks, out) = (count("match"), count("skipped"), count("no-match"));
    let first = format!(
        "Of {} incidents, {rule} matches {matches}, lacks facts for {lacks} and is ruled out for {out}. -v shows all of \
         them.",
        outcomes.len()
    );
    assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(&first), "{shown}");
    let told: Vec<&str> = shown.lines().filter_map(|line| line.trim().strip_prefix(rule)).collect();
    let expected: Vec<&str> =
        [(" matches", matches), (" lacks facts", 5), (" ruled out", 5)].map(|(word, count)| vec![word; count]).concat();
    assert!(matches > 0 && lacks > 5 && out > 5 && told.len() == expected.len(), "{shown}");
    assert!(told.iter().zip(expected).all(|(told, word)| told.starts_with(word)), "{told:?}");
    let all = run(["why", "-v", rule, "samples"]).ends_with(0).stdout;
    assert_eq!(all.matches("\nIncident ").count(), outcomes.len());
}

/// A rule that matches any exit.
const ENDED: &str = "\
schema: 1
rules:
  - id: own/ended
    title: It ended
    cause: application-defect
    confidence: 0.3
    severity: low
    selections:
      ended: {incident.kind: exit}
    condition: ended
    explanation: It ended.
    remediation: [{audience: developer, text: Look.}]
    references: [https://example.org]
    tests:
      - {name: matches, facts: {incident.kind: exit}, expect: match}
      - {name: something else, facts: {incident.kind: crash}, expect: no-match}
";

/// A text in which no reader recognizes anything is an incident if a rule matches it.
#[test]
fn what_the_report_leaves_out_is_not_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    let note = path("note.txt", "Hello,\nthe meeting is on Tuesday.\nRegards\n");
    let ended = path("ended.yaml", ENDED);
    let paths = ["samples/stack-overflow", "samples/heap-corruption", &*note];
    let ids = |command: &[&str], key: &str| -> Vec<String> {
        let document = run(command.iter().chain(&paths)).ends_with(0).json();
        let incidents = document["incidents"].as_array().expect("a list").iter();
        let mut ids: Vec<String> = incidents.map(|one| one[key].as_str().expect("an id").to_owned()).collect();
        ids.sort();
        ids
    };
    let rule = "memory/stack-overflow";
    for (more, count) in [(&[][..], 2), (&["--rules", &*ended][..], 3)] {
        let reported = ids(&[&["analyze", "-q", "-f", "json"], more].concat(), "id");
        assert_eq!(reported.len(), count);
        assert_eq!(ids(&[&["why", "-f", "json"], more, &[rule]].concat(), "incident"), reported);
        let shown = run([&["why", rule], more, &paths[..]].concat()).ends_with(0).stdout;
        assert!(shown.starts_with(&format!("Of {count} incidents, {rule} matches 1, lacks facts for ")), "{shown}");
    }
    // A single incident is shown even if the rule lacks facts.
    let shown = run(["why", rule, &note]).ends_with(0).stdout;
    assert!(shown.contains(&format!("{rule} lacks facts")), "{shown}");
}

#[test]
fn one_rule_matches_and_two_match() {
    let last = |sample: &str| {
        let shown = run(["why", &id_of(sample), sample]).ends_with(0).stdout;
        shown.lines().rfind(|line| line.contains(" lack facts, ")).expect("a line").to_owned()
    };
    assert!(last("samples/stack-overflow").starts_with("1 rule matches, "));
    assert!(last(SAMPLE).starts_with("2 rules match, "));
}

#[test]
fn a_path_that_leads_nowhere_is_reported() {
    let run = run(["why", "memory/stack-overflow", "samples/stack-overflow", "samples/no-such"]).ends_with(0);
    assert!(run.stderr.contains("samples/no-such: no such file or folder"), "{run:#?}");
}

#[test]
fn a_long_term_is_shown_as_in_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rules.yaml");
    let term = "      ended:
        text|any:
          line|contains:
            - 'the first of several long messages, which a program prints when it ends'
            - 'the second of several long messages, which a program prints when it ends'
";
    let rule = ENDED.replace("      ended: {incident.kind: exit}\n", term);
    let (head, _) = rule.split_once("    tests:").expect("tests");
    let tests = "    tests:
      - {name: matches, facts: {text: [{line: 'the first of several long messages, which a program prints when it ends'}]}, expect: match}
      - {name: another, facts: {text: [{line: another}]}, expect: no-match}
";
    fs::write(&path, format!("{head}{tests}")).expect("written");
    let run = run(["why", "-r", path.to_str().expect("text"), "own/ended", "samples/heap-corruption"]).ends_with(0);
    let shown =
        "can't be decided: `text` is absent:\n      text|any:\n        line|contains:\n          - 'the first of";
    assert!(run.stdout.contains(shown), "{}", run.stdout);
}

#[test]
fn what_decided_comes_before_the_other_terms() {
    let rule = "gpu/reset-before-crash";
    let (short, long) = (["why", rule, SAMPLE], ["why", "-v", rule, SAMPLE]);
    let (short, long) = (run(short).ends_with(0).stdout, run(long).ends_with(0).stdout);
    let (first, others) = long.split_once("    Terms that did not decide it:\n").expect("other terms");
    assert_eq!(first, short);
    assert!(others.contains("line "), "{others}");
}

/// The output names the modules that a term matched.
#[test]
fn the_entries_that_fit_a_term_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rules.yaml");
    let terms = "      brought: {modules|any: {name: msvcp140.dll, version|lt: 14.40}}
      libraries: {modules|count: {where: {name|endswith: .dll}, gte: 1}}
      not_there: {modules|none: {name: no-such.dll}}
      frame: {frames|any: {position: 0}}
";
    let rule = ENDED
        .replace("      ended: {incident.kind: exit}\n", terms)
        .replace("condition: ended", "condition: all of them");
    let (head, _) = rule.split_once("    tests:").expect("tests");
    let tests = "    tests:
      - {name: matches, facts: {modules: [{name: msvcp140.dll, version: 14.29}], frames: [{position: 0}]}, expect: match}
      - {name: another, facts: {modules: []}, expect: no-match}
";
    fs::write(&path, format!("{head}{tests}")).expect("written");
    let rules = path.to_str().expect("text");
    let sample = "samples/old-vc-runtime";
    let document = run(["why", "-f", "json", "-r", rules, "own/ended", sample]).ends_with(0).json();
    let told = &self::rules(&document)[0];
    assert_eq!(told["outcome"], "match", "{document:#}");
    let term = |selection: usize| &told["selections"][selection]["terms"][0];
    let modules = &run(["inspect", "-f", "json", sample]).ends_with(0).json()["incidents"][0]["facts"]["modules"];
    let modules = modules.as_array().expect("modules");
    let old = modules.iter().find(|module| module["name"] == "msvcp140.dll").expect("a module");
    assert_eq!((&term(0)["fits"], term(0).get("more_fit")), (&json!([old]), None));
    let is_library =
        |module: &&Value| module["name"].as_str().is_some_and(|name| name.to_lowercase().ends_with(".dll"));
    let libraries: Vec<&Value> = modules.iter().filter(is_library).collect();
    assert!(libraries.len() > 3, "{libraries:#?}");
    assert_eq!(term(1)["fits"], json!(libraries[..3]));
    assert_eq!(term(1)["more_fit"], json!(libraries.len() - 3));
    assert_eq!(term(2).get("fits"), None);
    assert_eq!(term(3)["fits"][0]["position"], 0);

    let shown = run(["why", "-r", rules, "own/ended", sample]).ends_with(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let (version, place) = (old["version"].as_str().expect("text"), old["path"].as_str().expect("text"));
    let named = format!("name: msvcp140.dll, path: '{place}', version: {version},");
    assert!(shown.contains("fits: {position: ") && shown.contains(&named), "{shown}");
    assert!(shown.contains(&format!("fits: {} more", libraries.len() - 3)), "{shown}");
}

/// Findings in reports name the modules that their terms matched.
#[test]
fn a_finding_names_the_entries_that_its_terms_matched() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rules.yaml");
    let rule =
        ENDED.replacen("{incident.kind: exit}", "{modules|any: {name: msvcp140.dll}, frames|any: {position|lt: 9}}", 1);
    let rule = rule.replace("incident.kind: exit", "modules: [{name: msvcp140.dll}], frames: [{position: 0}]");
    fs::write(&path, rule.replace("incident.kind: crash", "modules: []")).expect("written");
    let sample = "samples/old-vc-runtime";
    let arguments = ["analyze", "-q", "-f", "json", "-r", path.to_str().expect("text"), sample];
    let report = run(arguments).ends_with(0).json();
    let findings = program::list(&report["incidents"][0], "findings");
    let own = findings.iter().find(|finding| finding["rule"] == "own/ended").expect("a finding");
    let [frames, modules] = program::list(own, "entries") else { panic!("{own:#}") };
    assert_eq!((&frames["list"], &modules["list"]), (&"frames".into(), &"modules".into()));
    let [module] = program::list(modules, "says") else { panic!("{own:#}") };
    let module = module.as_str().expect("text");
    assert!(module.contains("name: msvcp140.dll, path: 'C:") && modules.get("more").is_none(), "{module}");
    assert_eq!(program::list(frames, "says").len(), 3, "{own:#}");
    assert!(frames["more"].as_u64().is_some_and(|more| more > 0), "{own:#}");
    // Terms about single facts have no entries.
    let first =
        findings.iter().find(|finding| finding["rule"] == "vcruntime/old-private-copy-loaded").expect("a finding");
    assert_eq!(first.get("entries"), None);
}

/// Without text, hundreds of rules lack it: their phrases are not listed.
#[test]
fn what_many_rules_lack_is_shown_once() {
    let sample = "samples/old-vc-runtime";
    let id = id_of(sample);
    let shown = run(["why", &id, sample]).ends_with(0).stdout;
    let document = run(["why", "-f", "json", &id, sample]).ends_with(0).json();
    let waits = |rule: &&Value| program::list(rule, "missing").iter().any(|missing| missing["fact"] == "text");
    let count = rules(&document).iter().filter(waits).count();
    let line = format!("  - `text`: {count} rules wait for it. It comes with the text that the program printed.\n");
    assert!(count > 100 && shown.contains(&line), "{count} {shown}");
    assert!(!shown.contains("line|re"), "{shown}");
    assert!(shown.contains(" more terms that say so"), "{shown}");
    // Undecided terms are summarized; -v prints all of them.
    let all = run(["why", "-v", &id, sample]).ends_with(0).stdout;
    assert!(all.contains("line|re") && all.contains("lacks facts"), "{all}");
    assert!(shown.lines().count() * 20 < all.lines().count(), "{shown}");
}

/// A given Report.wer is not requested.
#[test]
fn what_was_given_is_not_asked_for() {
    let (rule, sample) = ("memory/stack-overflow", "samples/wer-managed-exception");
    let document = run(["why", "-f", "json", rule, sample]).ends_with(0).json();
    let missing = program::list(&rules(&document)[0], "missing");
    let from = |fact: &str| missing.iter().find(|one| one["fact"] == fact).expect("a missing fact")["from"].clone();
    assert_eq!(from("exception.code"), "a minidump, the Application event log or a text");
    assert_eq!(from("text"), "the text that the program printed");
}
