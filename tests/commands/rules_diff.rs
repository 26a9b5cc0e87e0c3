//! `crashsift rules diff`: which incidents get another verdict by another rule set.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{self, run};
use serde_json::json;

/// A user's own rule for stack overflows, `memory/own-stack-overflow`.
const OWN_RULE: &str = "tests/rule_sets/own/stack-overflow.yaml";

/// A copy of the built-in rules that replaces them.
fn copied_rules(folder: &Path) -> PathBuf {
    let rules = folder.join("rules");
    for entry in walkdir::WalkDir::new("rules").into_iter().filter_map(Result::ok) {
        let to = rules.join(entry.path().strip_prefix("rules").expect("below rules"));
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to).expect("a folder");
        } else {
            fs::copy(entry.path(), &to).expect("copied");
        }
    }
    rules
}

/// Such a copy without the rule for stack overflows.
fn rules_without_one(folder: &Path) -> String {
    let rules = copied_rules(folder);
    let files = fs::read_dir(rules.join("memory")).expect("a folder").map(|entry| entry.expect("an entry").path());
    // The rule, and the file with its tests.
    for file in files.filter(|file| shown(file).contains("stack-overflow.")) {
        fs::remove_file(file).expect("a file of the rule set");
    }
    shown(&rules)
}

fn shown(path: &Path) -> String {
    path.to_str().expect("text").to_owned()
}

#[test]
fn a_rule_that_is_gone_is_listed_with_the_incidents_that_it_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = rules_without_one(folder.path());
    let samples = ["samples/stack-overflow", "samples/heap-corruption"];
    let document = run(["rules", "diff", "-f", "json", "builtin", &changed].iter().chain(&samples)).ends_with(0).json();
    assert_eq!((&document["schema_version"], &document["tool"]["name"]), (&json!("1.0"), &json!("crashsift")));
    assert_eq!(document["incidents"], json!(2));
    let list = document["changed"].as_array().expect("a list");
    assert_eq!(list.len(), 1, "{document:#}");
    assert_eq!(list[0]["before"]["cause"], json!("stack-overflow"));
    assert_ne!(list[0]["now"]["cause"], json!("stack-overflow"));
    let rule = &list[0]["rules"][0];
    assert_eq!((&rule["rule"], rule.get("now")), (&json!("memory/stack-overflow"), None));

    let text = run(["rules", "diff", "builtin", &changed].iter().chain(&samples)).ends_with(0).stdout;
    assert!(text.starts_with("1 of 2 incidents changes."), "{text}");
    assert!(text.contains("memory/stack-overflow is no longer there: 0.9"), "{text}");
    let back = run(["rules", "diff", &changed, "builtin"].iter().chain(&samples)).ends_with(0).stdout;
    assert!(back.contains("memory/stack-overflow is new and matches: 0.9"), "{back}");
}

#[test]
fn another_confidence_is_a_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = copied_rules(folder.path());
    let file = rules.join("memory/stack-overflow.yaml");
    let text = fs::read_to_string(&file).expect("a rule");
    let (first, _) = text.split_once("    confidence: ").expect("a confidence");
    let rest = text.get(first.len()..).and_then(|rest| rest.split_once('\n')).expect("more lines").1;
    fs::write(&file, format!("{first}    confidence: 0.41\n{rest}")).expect("written");
    let arguments = ["rules", "diff", "-f", "json", "builtin", &shown(&rules), "samples/stack-overflow"];
    let document = run(arguments).ends_with(0).json();
    let change = &document["changed"][0];
    assert_eq!(change["before"]["cause"], change["now"]["cause"], "{document:#}");
    assert!(change["before"]["confidence"].as_f64() > change["now"]["confidence"].as_f64(), "{document:#}");
}

/// Rules that change only findings below the verdict are listed, too.
#[test]
fn a_finding_beside_the_verdict_is_a_change_of_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("beside.yaml");
    let rule = "schema: 1\nrules:\n  - id: local/beside\n    title: T\n    cause: application-defect\n    confidence: 0.1\n    \
                severity: low\n    selections: {it: {exception.code: STATUS_STACK_OVERFLOW}}\n    explanation: E.\n    \
                remediation: [{audience: developer, text: R.}]\n    references: ['https://example.org']\n    tests:\n      - \
                {name: m, facts: {exception.code: 0xC00000FD}, expect: match}\n      - {name: n, facts: {exception.code: \
                0xC0000005}, expect: no-match}\n";
    fs::write(&file, rule).expect("written");
    let samples = ["samples/stack-overflow", "samples/heap-corruption"];
    let diff = ["rules", "diff", "builtin", &shown(&file)];
    let document = run(diff.iter().chain(&["-f", "json"]).chain(&samples)).ends_with(0).json();
    assert_eq!(document["changed"], json!([]), "{document:#}");
    let [change] = document["findings_changed"].as_array().expect("a list").as_slice() else { panic!("{document:#}") };
    assert_eq!(change["before"], change["now"]);
    assert_eq!(change["rules"], json!([{"rule": "local/beside", "now": 0.1}]));
    let text = run(diff.iter().chain(&samples)).ends_with(0).stdout;
    assert!(text.starts_with("0 of 2 incidents change."), "{text}");
    assert!(text.contains("1 more keeps its verdict, and has other findings beside it."), "{text}");
    assert!(text.contains("    local/beside is new and matches: 0.10\n"), "{text}");
}

/// The lists of a rule set decide which module is the suspect.
#[test]
fn another_suspect_is_a_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = copied_rules(folder.path());
    let carriers = rules.join("data/carriers.yaml");
    let mut text = fs::read_to_string(&carriers).expect("a list");
    text.push_str("  - {name: cudnn_ops_infer64_8.dll, why: for a test}\n");
    fs::write(&carriers, text).expect("written");
    let arguments = ["rules", "diff", "-f", "json", "builtin", &shown(&rules), "samples/delay-load-zlibwapi"];
    let document = run(arguments).ends_with(0).json();
    let change = &document["changed"][0];
    assert_eq!(change["before"]["cause"], change["now"]["cause"], "{document:#}");
    assert_eq!(change["before"]["confidence"], change["now"]["confidence"], "{document:#}");
    assert_ne!(change["before"]["signature"], change["now"]["signature"], "{document:#}");
    assert_eq!(change["before"]["suspect"], json!("cudnn_ops_infer64_8.dll"), "{document:#}");
    assert_eq!(change["now"]["suspect"], json!("cudnn64_8.dll"), "{document:#}");
    let text = run(["rules", "diff", "builtin", &shown(&rules), "samples/delay-load-zlibwapi"]).ends_with(0).stdout;
    assert!(text.contains("    suspect cudnn_ops_infer64_8.dll before, cudnn64_8.dll now\n"), "{text}");
    assert!(text.contains("    signature crash | "), "{text}");
}

/// Ids are kept in tickets and looked up in later reports, so they must not change with new rules.
#[test]
fn another_suspect_leaves_the_incident_its_id() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = copied_rules(folder.path());
    let carriers = rules.join("data/carriers.yaml");
    let mut text = fs::read_to_string(&carriers).expect("a list");
    text.push_str("  - {name: cudnn_ops_infer64_8.dll, why: for a test}\n  - {name: cudnn64_8.dll, why: for a test}\n");
    fs::write(&carriers, text).expect("written");
    let ids = |more: &[&str]| -> Vec<String> {
        let arguments = ["analyze", "-q", "-f", "json", "samples"];
        let report = run(arguments.iter().chain(more)).ends_with(0).json();
        let incidents = report["incidents"].as_array().expect("a list");
        incidents.iter().map(|incident| incident["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&[]), ids(&["--rules", &shown(&rules)]));
}

#[test]
fn a_site_adds_to_the_lists_that_decide_the_suspect() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("site");
    fs::create_dir_all(rules.join("data")).expect("a folder");
    fs::create_dir_all(rules.join("memory")).expect("a folder");
    fs::copy(OWN_RULE, rules.join("memory/own.yaml")).expect("copied");
    let carriers =
        "schema: 1\nlist: carriers\nabout: Of the site.\nmodules:\n  - {name: cudnn_ops_infer64_8.dll, why: test}\n";
    fs::write(rules.join("data/carriers.yaml"), carriers).expect("written");
    let suspect = |more: &[&str]| {
        let arguments = ["analyze", "-q", "-f", "json", "samples/delay-load-zlibwapi"];
        let report = run(arguments.iter().chain(more)).ends_with(0).json();
        report["incidents"][0]["suspect"]["module"].as_str().map(str::to_owned)
    };
    assert_eq!(suspect(&[]).as_deref(), Some("cudnn_ops_infer64_8.dll"));
    assert_eq!(suspect(&["--rules", &shown(&rules)]).as_deref(), Some("cudnn64_8.dll"));
}

#[test]
fn the_same_rules_change_nothing_and_broken_ones_are_not_used() {
    let same = run(["rules", "diff", "builtin", "rules", "samples"]).ends_with(0);
    assert!(same.stdout.starts_with("0 of "), "{same:#?}");
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.yaml");
    fs::write(&broken, "schema: 1\nrules: 7\n").expect("written");
    let run = run(["rules", "diff", "builtin", broken.to_str().expect("text"), "samples"]).ends_with(2);
    assert!(run.stdout.is_empty() && run.stderr.contains("broken.yaml"), "{run:#?}");
}

#[test]
fn a_path_that_leads_nowhere_is_reported() {
    let some = run(["rules", "diff", "builtin", "builtin", "samples/stack-overflow", "samples/no-such"]).ends_with(0);
    assert!(some.stderr.contains("samples/no-such: no such file or folder"), "{some:#?}");
    let none = run(["rules", "diff", "builtin", "builtin", "samples/no-such"]).ends_with(4);
    assert!(none.stderr.contains("samples/no-such: no such file or folder"), "{none:#?}");
    assert!(none.stderr.contains("no incident was found there"), "{none:#?}");
}

#[test]
fn a_rule_that_supersedes_is_named_and_suppressed_is_distinguished_from_no_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("schema: 1\n{text}:\n  - {{rule: cudnn/zlibwapi-delay-load, reason: Known.}}\n"))
            .expect("written");
        let arguments = ["rules", "diff", "builtin", &shown(&path), "samples/delay-load-zlibwapi"];
        let text = run(arguments).ends_with(0).stdout;
        (run(arguments.iter().chain(&["-f", "json"])).ends_with(0).json()["changed"][0]["rules"].clone(), text)
    };
    let (rules, text) = changed("off.yaml", "disable");
    let gone = json!({"rule": "cudnn/zlibwapi-delay-load", "before": 0.97, "disabled_by": "off"});
    let over = json!({
        "rule": "loader/delay-load-module", "before": 0.92, "now": 0.92, "was_superseded_by": "cudnn/zlibwapi-delay-load"
    });
    assert_eq!(rules, json!([gone, over]), "{rules:#}");
    let says = "loader/delay-load-module stands now: 0.92; before, it was superseded by cudnn/zlibwapi-delay-load";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(says), "{text}");
    let (rules, text) = changed("aside.yaml", "suppress");
    let aside = json!({"rule": "cudnn/zlibwapi-delay-load", "before": 0.97, "suppressed_by": "aside"});
    assert_eq!(rules, json!([aside]), "{rules:#}");
    assert!(text.contains("cudnn/zlibwapi-delay-load is suppressed by aside now: 0.97\n"), "{text}");
}

#[test]
fn a_mergeable_report_replaces_its_artifacts() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = rules_without_one(folder.path());
    let (whole, bare) = (shown(&folder.path().join("whole.json")), shown(&folder.path().join("bare.json")));
    run(["analyze", "-q", "-f", "json", "--mergeable", "-o", &whole, "samples/stack-overflow"]).ends_with(0);
    run(["analyze", "-q", "-f", "json", "-o", &bare, "samples/stack-overflow"]).ends_with(0);
    for command in [&["rules", "diff", "builtin", &changed][..], &["why", "memory/stack-overflow"]] {
        let of = |path: &str| run(command.iter().copied().chain([path]));
        assert_eq!(of(&whole).ends_with(0).stdout, of("samples/stack-overflow").ends_with(0).stdout);
        let refused = of(&bare).ends_with(2);
        assert!(refused.stderr.contains("`analyze --mergeable -f json`"), "{refused:#?}");
    }
}

/// Users who change a file of a working copy pass its folder first.
#[test]
fn for_a_part_of_the_built_in_set_the_error_shows_how_to_try_it() {
    let told = run(["rules", "diff", "builtin", "rules/memory", "samples/stack-overflow"]).ends_with(2).stderr;
    assert!(told.contains("error[R019]: there are two rules `memory/stack-overflow`"), "{told}");
    assert!(told.contains("give the whole folder, whose ruleset.yaml says `name: builtin`"), "{told}");
}

/// Where another set disables or suppresses a rule, that set is named.
#[test]
fn a_rule_that_is_disabled_new_or_gone_is_shown_as_such() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("site.yaml");
    fs::write(&path, "schema: 1\ndisable: [{rule: memory/stack-overflow, reason: Known.}]\n").expect("written");
    let site = path.to_str().expect("text");
    let sample = "samples/stack-overflow";
    let said = |old: &str, new: &str| run(["rules", "diff", old, new, sample]).ends_with(0).stdout;
    assert!(said("builtin", site).contains("    memory/stack-overflow is disabled by site now: 0.96\n"));
    let back = said(site, "builtin");
    assert!(back.contains("    memory/stack-overflow is no longer disabled by site, and matches: 0.96\n"), "{back}");
    let document = run(["rules", "diff", "-f", "json", site, "builtin", sample]).ends_with(0).json();
    let rule = &document["changed"][0]["rules"][0];
    assert_eq!((&rule["was_disabled_by"], rule.get("disabled_by")), (&"site".into(), None));
    let (new, gone) = (said("builtin", OWN_RULE), said(OWN_RULE, "builtin"));
    assert!(new.contains("    memory/own-stack-overflow is new and matches: 0.96\n"), "{new}");
    assert!(gone.contains("    memory/own-stack-overflow is no longer there: 0.96\n"), "{gone}");
}

#[test]
fn many_changes_are_summed_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("site.yaml");
    let rules = run(["rules", "list", "--area", "abort"]).ends_with(0).stdout;
    let ids = rules.lines().skip(1).filter_map(|line| line.split(' ').next());
    let disabled: Vec<String> = ids.map(|id| format!("  - {{rule: {id}, reason: Known.}}\n")).collect();
    fs::write(&path, format!("schema: 1\ndisable:\n{}", disabled.concat())).expect("written");
    let site = path.to_str().expect("text");
    let document = run(["rules", "diff", "-f", "json", "builtin", site, "samples"]).ends_with(0).json();
    let changed = document["changed"].as_array().expect("a list");
    let lost = |change: &&serde_json::Value| {
        change["before"]["cause"] == "abort-after-fatal-error" && change["now"]["cause"] == "undetermined"
    };
    let count = changed.iter().filter(lost).count();
    let text = run(["rules", "diff", "builtin", site, "samples"]).ends_with(0).stdout;
    let first = format!("\n    {count:>3}  abort-after-fatal-error becomes undetermined\n");
    assert!(
        count > 3 && text.lines().nth(1).is_some_and(|line| first.contains(line)) && text.contains(&first),
        "{text}"
    );
}

/// An overlay is compared over a set that is on both sides.
#[test]
fn rule_sets_of_both_sides_come_before_old_and_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        shown(&path)
    };
    let overlay = "schema: 1\ndisable: [{rule: memory/own-stack-overflow, reason: Known.}]\n";
    let overlay = path("site.yaml", overlay);
    let sample = "samples/stack-overflow";
    let document =
        run(["rules", "diff", "-f", "json", "-r", OWN_RULE, "builtin", &overlay, sample]).ends_with(0).json();
    let all = ["changed", "findings_changed"].into_iter().flat_map(|key| program::list(&document, key));
    let rules: Vec<_> = all.flat_map(|change| program::list(change, "rules")).collect();
    assert_eq!(rules.len(), 1, "{document:#}");
    assert_eq!(*rules[0], json!({"rule": "memory/own-stack-overflow", "before": 0.96, "disabled_by": "site"}));
    // Without the set, the overlay is about a missing rule.
    let alone = run(["rules", "diff", "builtin", &overlay, sample]);
    assert!(!alone.stdout.contains("memory/own-stack-overflow is disabled"), "{alone:#?}");
    // A mistake in it is reported like one in the other sets.
    let broken = path("broken.yaml", "schema: 1\nruls: []\n");
    let told = run(["rules", "diff", "-r", &broken, "builtin", "builtin", sample]).ends_with(2);
    assert!(told.stderr.contains("broken.yaml:2:1"), "{told:#?}");
}
