//! `crashsift rules` as a user types it.

use std::path::Path;
use std::process::Command;

/// How a command ended, by its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Fine = 0,
    TestFailed = 1,
    Unusable = 2,
}

struct Ran {
    outcome: Outcome,
    out: String,
    notes: String,
}

/// Runs `rules ARGUMENTS`; `DEMO` stands for the demo rule set.
fn rules(arguments: &str) -> Ran {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let path = |argument: &str| match argument {
        "DEMO" => tests.join("rule_sets/demo").to_string_lossy().into_owned(),
        broken if broken.ends_with(".yaml") => tests.join("broken_rules").join(broken).to_string_lossy().into_owned(),
        other => other.to_owned(),
    };
    let mut program = Command::new(env!("CARGO_BIN_EXE_crashsift"));
    let run = program.arg("rules").args(arguments.split_whitespace().map(path)).output().expect("the program runs");
    let outcomes = [Outcome::Fine, Outcome::TestFailed, Outcome::Unusable];
    let outcome = outcomes.into_iter().find(|outcome| run.status.code() == Some(*outcome as i32));
    let root = format!("{}{}", tests.to_string_lossy(), std::path::MAIN_SEPARATOR);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8").replace(&root, "");
    Ran { outcome: outcome.expect("an exit code of `rules`"), out: text(run.stdout), notes: text(run.stderr) }
}

#[test]
fn list_prints_a_rule_a_line() {
    let ran = rules("list --no-builtin-rules -r DEMO");
    assert_eq!(
        ran.out,
        "\
ID                CAUSE            CONFIDENCE  RULE SET  TITLE
demo/hooked       injected-module  0.60        demo      A hook is loaded in a process that crashed
demo/many-resets  gpu-timeout      0.90        demo      The display driver was reset again and again
"
    );
    assert_eq!((ran.outcome, ran.notes.as_str()), (Outcome::Fine, ""));
}

#[test]
fn list_can_be_narrowed() {
    let ran = rules("list --no-builtin-rules -r DEMO --cause gpu-timeout --area demo");
    assert_eq!(ran.out.lines().count(), 2);
    let ran = rules("list --cause gpu-timeuot");
    assert_eq!(ran.notes, "crashsift: there is no cause `gpu-timeuot`; did you mean `gpu-timeout`?\n");
    assert_eq!((ran.outcome, ran.out.as_str()), (Outcome::Unusable, ""));
    let ran = rules("list --area dmeo --no-builtin-rules -r DEMO");
    assert_eq!(ran.notes, "crashsift: there is no area `dmeo`; did you mean `demo`?\n");
}

#[test]
fn list_narrows_by_what_rules_are_and_ask_for() {
    let ids = |arguments: &str| {
        let ran = rules(&format!("list --no-builtin-rules -r DEMO {arguments}"));
        assert_eq!(ran.outcome, Outcome::Fine, "{}", ran.notes);
        let ids = ran.out.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(ids("--fact timeline"), ["demo/many-resets"]);
    assert_eq!(ids("--fact process.path"), ["demo/hooked"]);
    assert_eq!(ids("--severity high"), ["demo/many-resets"]);
    assert_eq!(ids("--set demo").len(), 2);
    assert_eq!(ids("--family gpu"), ["demo/many-resets"]);
    assert_eq!(ids("HOOK process"), ["demo/hooked"]);
    let none = rules("list --no-builtin-rules -r DEMO hook resets");
    assert_eq!((none.out.as_str(), none.notes.as_str()), ("", "crashsift: no rule is like that\n"));
    assert_eq!(rules("list --no-builtin-rules").notes, "crashsift: there are no rules\n");
    for (wrong, says) in [
        ("--fact timelnie", "there is no fact `timelnie`; did you mean `timeline`?"),
        ("--severity hihg", "there is no severity `hihg`; did you mean `high`?"),
        ("--set dmeo", "there is no rule set `dmeo`; did you mean `demo`?"),
        ("--family gpuu", "there is no family `gpuu`; did you mean `gpu`?"),
        ("--cause gremlins", "there is no cause `gremlins`; `crashsift rules causes` prints all, with what they mean"),
        (
            "--family gremlins",
            "there is no family `gremlins`; `crashsift rules causes` prints all, with what they mean",
        ),
        (
            "--area gremlins",
            "there is no area `gremlins`; `crashsift rules list` prints all, as the first parts of ids",
        ),
        ("--severity gremlins", "there is no severity `gremlins`; one is low, medium, high or critical"),
        ("--set gremlins", "there is no rule set `gremlins`; `crashsift rules list` prints all, `--rules` adds yours"),
        ("--fact gremlins", "there is no fact `gremlins`; `crashsift rules facts` prints all, with what they mean"),
    ] {
        let ran = rules(&format!("list --no-builtin-rules -r DEMO {wrong}"));
        assert_eq!((ran.outcome, ran.notes), (Outcome::Unusable, format!("crashsift: {says}\n")));
    }
}

#[test]
fn a_fact_that_a_rule_requires_is_one_that_it_asks_for() {
    assert!(rules("list --fact exit.ended_by").out.contains("lifecycle/ended-by-another-process"));
    let listed = rules("list -f json --fact exit.ended_by ended-by-another-process").out;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let facts = listed["rules"][0]["facts"].as_array().expect("a list");
    assert!(facts.contains(&"exit.ended_by".into()), "{facts:?}");
}

#[test]
fn list_and_show_are_json_for_programs() {
    let listed: serde_json::Value = serde_json::from_str(&rules("list -f json -r DEMO --set demo").out).expect("JSON");
    assert_eq!(listed["schema_version"], "1.0");
    let all = listed["rules"].as_array().expect("a list");
    assert_eq!(all.len(), 2);
    let shown = rules("show -f json -r DEMO demo/many-resets demo/hooked").out;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    for (rule, whole) in all.iter().rev().zip(shown["rules"].as_array().expect("a list")) {
        assert_eq!((&rule["ruleset"], &rule["tests"].is_u64()), (&"demo".into(), &true));
        for (key, value) in rule.as_object().expect("an object") {
            assert_eq!(&whole[key], value, "{key}");
        }
        assert!(whole["explanation"].is_string() && whole["logic"].is_string(), "{whole:#}");
    }
    assert_eq!(shown["rules"][1]["adjust"][2]["by"], -0.25);
    assert_eq!(shown["rules"][0]["facts"], serde_json::json!(["bugcheck.code", "incident.kind", "timeline"]));
}

#[test]
fn show_prints_several_rules_apart() {
    let ran = rules("show demo/many-resets demo/hooked -r DEMO");
    assert_eq!(ran.out.matches("\n----\n").count(), 1);
    assert_eq!(ran.out.matches("\nWhat to do\n").count(), 2);
}

#[test]
fn show_prints_the_whole_rule() {
    let ran = rules("show demo/many-resets -r DEMO");
    assert_eq!(
        ran.out,
        "\
demo/many-resets
The display driver was reset again and again

Cause       gpu-timeout: GPU work outlasts the watchdog (TDR): shorter work or a longer delay cures it. The reset alone is a symptom
Confidence  0.90
Severity    high
Rule set    demo 1.2, rule_sets/demo/demo/rules.yaml:59
Tests       2

When
  selections:
    resets:
      timeline|count: {where: {kind: driver-reset, seconds_before|lte: 3600}, gte: 3}
    crash_or_bugcheck:
      - incident.kind: crash
      - incident.kind: bugcheck
        bugcheck.code: 0x116

Why
  There were three resets in the hour before.

What to do
  developer: Submit shorter work.

Where this is from
  - https://example.org
"
    );
    let ran = rules("show demo/hooked -r DEMO");
    assert!(
        ran.out.contains("  +0.30 when in_hook: The exception was raised in {{ fault_site.module }}.\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("  condition: crashed and hook_loaded and not known_good\n"), "{}", ran.out);
    assert!(rules("show cudnn/zlibwapi-delay-load").out.contains("\nSupersedes  loader/delay-load-module\n"));
    assert!(rules("show lifecycle/ended-by-another-process").out.contains("\nRequires    exit.ended_by\n"));
    let ran = rules("show demo/hoked -r DEMO");
    assert_eq!(ran.notes, "crashsift: there is no rule `demo/hoked`; did you mean `demo/hooked`?\n");
    assert_eq!(ran.outcome, Outcome::Unusable);
    let ran = rules("show nothing/here");
    let listed = "`crashsift rules list` prints all, `--rules` adds yours";
    assert_eq!(ran.notes, format!("crashsift: there is no rule `nothing/here`; {listed}\n"));
}

#[test]
fn check_prints_every_mistake_in_the_file_and_counts_them() {
    let ran = rules("check many-mistakes.yaml");
    assert_eq!((ran.outcome, ran.notes.as_str()), (Outcome::Unusable, ""));
    let first = "\
error[R010]: a rule has no key `titel`
 --> broken_rules/many-mistakes.yaml:5:5
  |
5 |     titel: A rule with a mistake
  |     ^^^^^
  |
  = help: did you mean `title`?

";
    assert!(ran.out.starts_with(first), "{}", ran.out);
    assert!(ran.out.ends_with("\n6 errors, 0 warnings\n"), "{}", ran.out);
}

#[test]
fn check_is_fine_with_warnings_and_counts_only_what_was_named() {
    let ran = rules("check pattern-without-wildcard.yaml");
    assert!(ran.out.starts_with("warning[R080]"), "{}", ran.out);
    assert!(ran.out.ends_with("\n1 rule: 0 errors, 1 warning\n"), "{}", ran.out);
    assert_eq!(ran.outcome, Outcome::Fine);
    // One of its rules blames a hook that is only loaded.
    let ran = rules("check DEMO");
    assert!(ran.out.starts_with("warning[R110]"), "{}", ran.out);
    assert!(ran.out.ends_with("\n2 rules, 1 list: 0 errors, 1 warning\n"), "{}", ran.out);
    assert_eq!(rules("check").outcome, Outcome::Fine);
}

#[test]
fn test_counts_and_explains_failures() {
    let ran = rules("test DEMO");
    assert_eq!((ran.outcome, ran.out.as_str()), (Outcome::Fine, "2 rules: 5 tests passed, 0 failed\n"));
    assert_eq!(rules("test").outcome, Outcome::Fine);
    let ran = rules("test many-mistakes.yaml");
    assert_eq!((ran.outcome, ran.out.as_str()), (Outcome::Unusable, ""));
    assert!(ran.notes.contains("error[R010]"), "{}", ran.notes);

    let folder = tempfile::tempdir().expect("a folder");
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo");
    let text = std::fs::read_to_string(demo.join("demo/rules.yaml")).expect("a text");
    let text = text.replace("expect: skipped", "expect: match").replace("listed: hooks", "like: '*hook*'");
    let file = folder.path().join("failing");
    std::fs::write(&file, text.replace("INJECT64", "HOOK64")).expect("written");
    let ran = rules(&format!("test {}", file.display()));
    assert_eq!(ran.outcome, Outcome::TestFailed);
    let out = ran.out.replace(&*file.to_string_lossy(), "FILE");
    assert_eq!(
        out,
        "\
FILE:56: demo/hooked: test `modules are not known` failed
  expected match, got skipped
  line 13: `modules|any: {name|like: '*hook*'}` can't be decided: `modules` is absent
  line 19: `process.path|startswith: C:\\Windows\\` can't be decided: `process.path` is absent

2 rules: 4 tests passed, 1 failed
"
    );
}

#[test]
fn tests_beside_rules_are_shown_where_they_are_wrong() {
    let shown = |set: &str| {
        let ran = rules(&format!("check tests/broken_rules/sets/{set}"));
        assert_eq!(ran.outcome, Outcome::Unusable);
        ran.out.replace("tests/broken_rules/sets/", "").replace('\\', "/")
    };
    assert_eq!(
        shown("tests-of-no-rule"),
        "\
error[R052]: there is no rule `test/crahsed` in rule.yaml
 --> tests-of-no-rule/test/rule.tests.yaml:4:3
  |
4 |   test/crahsed:
  |   ^^^^^^^^^^^^
  |
  = help: did you mean `test/crashed`?

error[R052]: there is no rule `test/elsewhere` in rule.yaml
 --> tests-of-no-rule/test/rule.tests.yaml:7:3
  |
7 |   test/elsewhere:
  |   ^^^^^^^^^^^^^^
  |
  = help: tests are beside their rule: those of the rules in NAME.yaml in NAME.tests.yaml

2 errors, 0 warnings
"
    );
    assert_eq!(
        shown("tests-in-two-places"),
        "\
error[R053]: the rule `test/twice` has tests here and inside of it
  --> tests-in-two-places/test/rule.tests.yaml:4:3
   |
 4 |   test/twice:
   |   ^^^^^^^^^^
   |
  ::: tests-in-two-places/test/rule.yaml:16:5
   |
16 |     tests:
   |     ----- and here
   |
   = help: move the tests of the rule into one of the two places

1 error, 0 warnings
"
    );
    assert_eq!(
        shown("tests-without-rules"),
        "\
error[R054]: this file has tests of the rules in rules.yaml, which is not in this folder
 --> tests-without-rules/test/rules.tests.yaml:1:1
  |
1 | # R054 1:1
  | ^
  |
  = help: the tests of the rules in NAME.yaml are in NAME.tests.yaml in the same folder

1 error, 0 warnings
"
    );
    let missing = shown("tests-beside-with-mistakes");
    let message = "error[R011]: a rule needs tests, and rule.tests.yaml has none of `test/none`\n";
    let help =
        "  = help: below `test/none:` there, write facts that it matches, and facts close to them that it does not: ";
    assert!(missing.contains(message) && missing.contains(help), "{missing}");
}

#[test]
fn help_shows_what_would_be_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wrong.yml");
    let check = |selection: &str, more: &str| {
        let rule = format!(
            "schema: 1\nrules:\n  - id: own/wrong\n    title: It crashed\n    cause: gpu\n    confidence: 0.4\n    severity: low\n    \
             selections: {{a: {{{selection}}}}}\n    {more}\n    explanation: It did.\n    remediation: restart\n    \
             references: [https://example.org]\n    tests: []\n"
        );
        std::fs::write(&file, rule).expect("written");
        rules(&format!("check {}", file.to_string_lossy())).out
    };
    let out = check("timeline|within: 5 min", "requires: modules");
    for part in [
        "help: write `timeline|any: {seconds_before|within: ...}` to compare",
        "help: write `[modules]`, or each item on a line",
        "help: `crashsift rules causes` prints all causes",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // An entry of these is no text.
    assert!(!out.contains("[restart]"), "{out}");
    let out = check("modules|contains: a", "supersedes: memory/stack-overflow");
    for part in ["help: write `modules|any: {name|contains: ...}`", "help: write `[memory/stack-overflow]`"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn causes_prints_every_cause_with_what_it_means() {
    let text = rules("causes").out;
    assert!(
        text.contains("\nexhaustion: a resource ran out\n") && text.contains("\n  stack-overflow\n      the thread's"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    let document: serde_json::Value = serde_json::from_str(&rules("causes -f json").out).expect("JSON");
    assert_eq!(document["tool"]["name"], "crashsift");
    let causes = document["causes"].as_array().expect("a list");
    let families = document["families"].as_array().expect("a list");
    for cause in causes {
        assert!(families.iter().any(|family| family["id"] == cause["family"]) && cause["means"].is_string(), "{cause}");
        assert!(text.contains(&format!("\n  {}\n", cause["id"].as_str().expect("an id"))), "{cause}");
    }
}

#[test]
fn facts_prints_every_fact_with_its_type() {
    let ran = rules("facts");
    for part in
        ["\nexception.code: code\n", "\nmodules: list\n", "\n  version: version\n", "    One of: crash, hang, bugcheck"]
    {
        assert!(ran.out.contains(part), "{part}");
    }
}

#[test]
fn facts_fit_on_a_page() {
    let widest = rules("facts").out.lines().map(str::len).max();
    assert!(widest.is_some_and(|width| width <= 100), "{widest:?}");
}

#[test]
fn facts_are_one_json_document_for_programs() {
    let ran = rules("facts --format json");
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&document["schema_version"], &document["tool"]["name"]), (&"1.0".into(), &"crashsift".into()));
    let in_text = rules("facts").out;
    for (key, name) in [("facts", "path"), ("lists", "name")] {
        let entries = document[key].as_array().expect("a list");
        for entry in entries {
            let name = entry[name].as_str().expect("a name");
            assert!(in_text.lines().any(|line| line.starts_with(&format!("{name}: "))), "{name}");
            assert!(entry["means"].is_string() && entry["from"].is_string(), "{entry}");
        }
    }
    let kind = document["facts"].as_array().and_then(|facts| facts.iter().find(|fact| fact["path"] == "incident.kind"));
    let kind = kind.expect("every incident has a kind");
    assert_eq!((&kind["type"], &kind["words"][0]), (&"word".into(), &"crash".into()));
}

#[test]
fn a_test_can_state_the_expected_confidence() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sure.yml");
    let rule = |confidence: &str| {
        let rule = format!(
            "schema: 1\nrules:\n  - id: own/sure\n    title: It crashed\n    cause: heap-corruption\n    confidence: 0.5\n    \
             severity: low\n    selections:\n      code: {{exception.code: 0xC0000005}}\n      named: {{process.name: a.exe}}\n    \
             condition: code\n    adjust:\n      - {{when: named, by: +0.2, say: It is named.}}\n    explanation: It did.\n    \
             remediation:\n      - {{audience: helpdesk, text: Nothing.}}\n    references: [https://example.org]\n    tests:\n      \
             - {{name: a, facts: {{exception.code: 0xC0000005, process.name: a.exe}}, expect: match, confidence: {confidence}}}\n      \
             - {{name: b, facts: {{exception.code: 0xC0000006}}, expect: no-match}}\n"
        );
        std::fs::write(&file, rule).expect("written");
        rules(&format!("test {}", file.to_string_lossy()))
    };
    let right = rule("0.70");
    assert_eq!((right.outcome, right.out.as_str()), (Outcome::Fine, "1 rule: 2 tests passed, 0 failed\n"));
    let wrong = rule("0.6");
    assert_eq!(wrong.outcome, Outcome::TestFailed);
    let says = "  the confidence is 0.70 and not 0.60: 0.50 by itself, +0.20 by `named`\n";
    assert!(wrong.out.contains(says) && !wrong.out.contains("expected"), "{}", wrong.out);
}

/// A rule file with two rules for one crash, of which the first has these further keys and tests.
fn pair(more: &str, tests: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = |name: &str, code: &str, more: &str, tests: &str| {
        format!(
            "  - id: own/{name}\n    title: It crashed\n    cause: heap-corruption\n    confidence: 0.5\n    severity: low\n    \
             selections:\n      code: {{exception.code: {code}}}\n{more}    explanation: It did.\n    remediation:\n      \
             - {{audience: helpdesk, text: Nothing.}}\n    references: [https://example.org]\n    tests:\n{tests}      \
             - {{name: yes, facts: {{exception.code: {code}, process.name: a.exe}}, expect: match}}\n      \
             - {{name: no, facts: {{exception.code: 0xC0000006}}, expect: no-match}}\n"
        )
    };
    let (first, second) =
        (rule("first", "0xC0000005", more, tests), rule("second", "0xC0000374", "    supersedes: [own/first]\n", ""));
    std::fs::write(folder.path().join("pair.yaml"), format!("schema: 1\nrules:\n{first}{second}")).expect("written");
    folder
}

#[test]
fn a_test_that_fails_for_what_is_required_or_supersedes_shows_it() {
    let tested = |folder: tempfile::TempDir| rules(&format!("test {}", folder.path().join("pair.yaml").display())).out;
    let lacking = "      - {name: bare, facts: {exception.code: 0xC0000005}, expect: match}\n";
    let out = tested(pair("    requires: [process.name]\n", lacking));
    assert!(out.contains("  `process.name` is not known, and the rule requires it\n"), "{out}");
    let alone = "      - {name: alone, facts: {exception.code: 0xC0000005}, expect: superseded}\n";
    let out = tested(pair("", alone));
    assert!(out.contains("  own/second supersedes it, and does not match ("), "{out}");
    assert!(out.contains("`exception.code: 0xC0000374` does not hold: it is 0xC0000005)\n"), "{out}");
}

#[test]
fn alternatives_that_do_not_go_with_each_other_are_no_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cross.yml");
    let rule = "\
schema: 1
rules:
  - id: own/cross
    title: It crashed
    cause: application-defect
    confidence: 0.4
    severity: low
    selections:
      violation: {exception.code: 0xC0000005}
      stack: {exception.code: 0xC00000FD}
      read: {exception.code: 0xC0000005, exception.access: read}
      deep: {exception.code: 0xC00000FD, process.name: a.exe}
    condition: (violation or stack) and (read or deep)
    explanation: It did.
    remediation:
      - {audience: helpdesk, text: Nothing.}
    references: [https://example.org]
    tests:
      - {name: a, facts: {exception.code: 0xC0000005, exception.access: read}, expect: match}
      - {name: b, facts: {exception.code: 0xC00000FD, process.name: a.exe}, expect: match}
      - {name: c, facts: {exception.code: 0xC0000006}, expect: no-match}
";
    std::fs::write(&file, rule).expect("written");
    let ran = rules(&format!("check {}", file.to_string_lossy()));
    assert_eq!((ran.outcome, ran.out.as_str()), (Outcome::Fine, "1 rule: 0 errors, 0 warnings\n"));
}

#[test]
fn warnings_of_a_rule_are_shown_beside_the_errors_of_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_rules");
    for (from, id) in [("lint-uptime-alone", "test/weak"), ("confidence-percent", "test/wrong")] {
        let rule = std::fs::read_to_string(broken.join(from).with_extension("yaml")).expect("a rule");
        let path = folder.path().join(from).with_extension("yaml");
        std::fs::write(path, rule.replace("id: test/broken", &format!("id: {id}"))).expect("a file");
    }
    let ran = rules(&format!("check {}", folder.path().display()));
    assert_eq!(ran.outcome, Outcome::Unusable);
    assert!(ran.out.contains("error[R016]") && ran.out.contains("warning[R101]"), "{}", ran.out);
    assert!(ran.out.ends_with("1 error, 1 warning\n"), "{}", ran.out);
}

#[test]
fn a_rule_is_found_by_its_name_without_the_area_for_who_asks_to_see_it() {
    for wrong in ["stack-overflow", "stack-overlow", "memry/stack-overflow"] {
        let ran = rules(&format!("show {wrong}"));
        let note = format!("crashsift: there is no rule `{wrong}`; did you mean `memory/stack-overflow`?\n");
        assert_eq!((ran.outcome, ran.notes), (Outcome::Unusable, note));
    }
}

#[test]
fn an_overlay_over_another_set_of_ones_own_must_come_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site");
    let overlay = "schema: 1\ndisable:\n  - {rule: demo/many-resets, reason: Known here.}\n";
    std::fs::create_dir(&site).expect("a folder");
    std::fs::write(site.join("overlay.yaml"), overlay).expect("a file");
    let alone = rules(&format!("check {}", site.display()));
    assert!(alone.out.contains("error[R070]: there is no rule `demo/many-resets`"), "{}", alone.out);
    assert!(alone.out.contains("give that set, too, before this one"), "{}", alone.out);
    let both = rules(&format!("check DEMO {}", site.display()));
    assert!(!both.out.contains("R070"), "{}", both.out);
}
