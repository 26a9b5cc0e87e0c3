//! What rules mean: truth with absent facts, comparisons, confidence, evidence and explanations.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use crashsift::facts::{EvidenceRef, FactSet, Record, Value};
use crashsift::rules::{Effect, Judgement, Outcome, RuleSet, Truth};

fn demo() -> RuleSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo");
    load(&[path])
}

fn load(paths: &[PathBuf]) -> RuleSet {
    RuleSet::load(false, paths).unwrap_or_else(|mistakes| {
        let shown: Vec<String> = mistakes.iter().map(|mistake| mistake.render(false)).collect();
        panic!("{}", shown.join("\n"))
    })
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn version(text: &str) -> Value {
    Value::Version(text.parse().expect("a version"))
}

fn from(number: u16) -> Option<EvidenceRef> {
    Some(EvidenceRef(number))
}

/// A crash of `D:\app\app.exe` with the module `inject64.dll`.
fn hooked() -> FactSet {
    let mut facts = FactSet::default();
    facts.set("incident.kind", text("crash"), None);
    facts.set("exception.code", Value::Number(0xC000_0409), from(3));
    facts.set("process.path", text(r"D:\app\app.exe"), from(1));
    let module = |name, number| Record { fields: vec![("name", text(name))], from: from(number) };
    facts.set_list("modules", vec![module("app.exe", 7), module("inject64.dll", 5), module("Hook.DLL", 2)]);
    facts
}

/// One rule whose selection `it` is given, and whose tests come along with it.
fn rule_with(selection: &str, condition: &str, tests: &str) -> String {
    format!(
        "schema: 1\nrules:\n  - id: t/rule\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    \
         severity: low\n    selections:\n{selection}\n    condition: {condition}\n    explanation: E.\n    \
         remediation: [{{audience: developer, text: R.}}]\n    references: [https://example.org]\n    tests:\n{tests}\n"
    )
}

/// Loads such a rule and requires that its tests pass.
fn passes(selection: &str, condition: &str, tests: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, rule_with(selection, condition, tests)).expect("written");
    let outcome = load(&[path]).run_tests();
    assert_eq!(outcome.failed, [], "{selection}\n{condition}");
    assert!(outcome.passed > 1);
}

/// Inside the program regular expressions are compiled when they are first asked, so this is where every one of them
/// is: from the folder, as a user's are.
#[test]
fn every_regular_expression_of_the_built_in_rules_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let loaded = RuleSet::load(true, &[folder]);
    assert!(loaded.is_ok(), "{:?}", loaded.err());
}

#[test]
fn the_built_in_rules_are_sound() {
    let rules = RuleSet::load(true, &[]).expect("rules without mistakes");
    assert_eq!(rules.warnings(), []);
    assert_eq!(rules.run_tests().failed, []);
    assert!(rules.causes().get("undetermined").is_some());
}

#[test]
fn nothing_in_the_built_in_rules_is_probably_not_meant() {
    let rules = RuleSet::check(&[], None).expect("rules without mistakes");
    let shown: Vec<String> = rules.warnings().iter().map(|warning| warning.render(false)).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n\n"));
}

/// From this confidence on, people act on what a rule says.
const SURE: f64 = 0.8;

#[test]
fn a_built_in_rule_that_is_not_sure_says_what_to_collect() {
    let rules = RuleSet::check(&[], None).expect("rules without mistakes");
    let unsure = rules.rules().iter().filter(|rule| rule.confidence() < SURE);
    let silent: Vec<&str> = unsure.filter(|rule| rule.collect().is_empty()).map(|rule| rule.id()).collect();
    assert_eq!(silent, [""; 0]);
}

#[test]
fn the_example_of_the_readme_is_a_rule() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/README.md")).expect("a text");
    let example = readme.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, example).expect("written");
    let rules = load(&[path]);
    assert_eq!(rules.warnings(), []);
    let outcome = rules.run_tests();
    assert_eq!((outcome.passed, outcome.failed), (5, vec![]));
    let left: Vec<_> = rules.mutants_of(|_| true).into_iter().flat_map(|rule| rule.mutants).collect();
    assert!(!left.is_empty() && left.iter().all(|mutant| mutant.noticed), "{left:?}");
}

#[test]
fn the_demo_rules_pass_their_tests() {
    let outcome = demo().run_tests();
    assert_eq!((outcome.rules, outcome.passed, outcome.failed.len()), (2, 5, 0));
}

#[test]
fn a_finding_has_everything_filled_in() {
    let judgement = demo().judge(&hooked());
    let finding = &judgement.findings[0];
    assert_eq!(finding.rule, "demo/hooked");
    assert_eq!(finding.explanation, "The program ended with 0xC0000409 while a hook was loaded.");
    assert_eq!(finding.remediation[0].text, "Remove the hook and start the program again.");
    assert!((finding.confidence - 0.6).abs() < 1e-9, "undecided adjustments move nothing: {}", finding.confidence);
    assert_eq!(finding.evidence, [EvidenceRef(2), EvidenceRef(3), EvidenceRef(5)]);
}

#[test]
fn adjustments_add_up_are_said_and_are_clamped() {
    let mut facts = hooked();
    facts.set("process.name", text("app.exe"), None);
    facts.set("exception.fast_fail", Value::Number(7), None);
    facts.set("fault_site.module", text(r"C:\x\HOOK.dll"), from(9));
    let old = Record { fields: vec![("name", text("hook.dll")), ("version", version("2.9"))], from: from(2) };
    facts.set_list("modules", vec![old]);
    let finding = demo().judge(&facts).findings.remove(0);
    assert_eq!(
        finding.explanation,
        r"app.exe ended with 0xC0000409 (fast-fail 7) while a hook was loaded. The exception was raised in C:\x\HOOK.dll. The hook is older than 2.10."
    );
    assert!((finding.confidence - 0.99).abs() < 1e-9, "{}", finding.confidence);
    assert_eq!(finding.evidence, [EvidenceRef(2), EvidenceRef(3), EvidenceRef(9)]);

    facts.set("fault_site.module", text("app.exe"), None);
    facts.set_list("modules", vec![Record { fields: vec![("name", text("inject32.dll"))], from: None }]);
    let finding = demo().judge(&facts).findings.remove(0);
    assert!((finding.confidence - 0.35).abs() < 1e-9, "{}", finding.confidence);
}

#[test]
fn what_is_there_is_not_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let tests = "      - {name: a, facts: {incident.kind: crash}, expect: match}\n      - {name: b, facts: {incident.kind: hang}, expect: no-match}";
    let rule = rule_with("      crash: {incident.kind: crash}\n      old: {process.version|lt: 2}", "crash", tests);
    let collect = "    collect:\n      - Always.\n      - {text: The modules., unless: modules}\n      \
                   - {text: The code or name., unless: [exception.code, process.name]}\n      - {text: A new one., unless: old}\n    tests:";
    fs::write(&path, rule.replacen("    tests:", collect, 1)).expect("written");
    let rules = load(&[path]);
    let asked = |facts: &FactSet| rules.judge(facts).findings.remove(0).collect;
    let mut facts = FactSet::default();
    facts.set("incident.kind", text("crash"), None);
    assert_eq!(asked(&facts), ["Always.", "The modules.", "The code or name.", "A new one."]);
    facts.set_list("modules", Vec::new());
    facts.set("process.name", text("app.exe"), None);
    facts.set("process.version", version("1.5"), None);
    assert_eq!(asked(&facts), ["Always."]);
    facts.set("process.version", version("2.0"), None);
    assert_eq!(asked(&facts), ["Always.", "A new one."]);
}

#[test]
fn what_is_missing_is_named() {
    let mut facts = FactSet::default();
    facts.set("incident.kind", text("crash"), None);
    let judgement = demo().judge(&facts);
    assert_eq!(judgement.findings, []);
    let skipped: Vec<_> = judgement.skipped.iter().map(|skipped| (&*skipped.rule, skipped.missing.join(" "))).collect();
    let expected =
        [("demo/hooked", "exception.code modules process.path".into()), ("demo/many-resets", "timeline".into())];
    assert_eq!(skipped, expected);
}

#[test]
fn something_false_decides_whatever_is_missing() {
    let mut facts = FactSet::default();
    facts.set("incident.kind", text("hang"), None);
    assert_eq!(demo().judge(&facts), Judgement::default());
}

#[test]
fn absent_facts_leave_undecided_what_depends_on_them() {
    let selections = "      a: {exception.code: 0x1}\n      b: {process.name: x.exe}";
    let test = |facts: &str, expect: &str| format!("      - {{name: n, facts: {{{facts}}}, expect: {expect}}}\n");
    let (a, not_a) = ("exception.code: 1", "exception.code: 2");
    let (b, not_b) = ("process.name: x.exe", "process.name: y.exe");
    let both = |x: &str, y: &str| format!("{x}, {y}");
    let and = [
        test(&both(a, b), "match"),
        test(not_a, "no-match"),
        test(not_b, "no-match"),
        test(a, "skipped"),
        test("", "skipped"),
    ];
    passes(selections, "a and b", &and.concat());
    let or = [
        test(a, "match"),
        test(b, "match"),
        test(&both(not_a, not_b), "no-match"),
        test(not_a, "skipped"),
        test("", "skipped"),
    ];
    passes(selections, "a or b", &or.concat());
    let not = [test(&both(a, not_b), "match"), test(b, "no-match"), test(a, "skipped")];
    passes(selections, "a and not b", &not.concat());
}

/// Tests of a rule: facts, and what they give.
fn tests_of(tests: &[(&str, &str)]) -> String {
    tests.iter().map(|(facts, expect)| format!("      - {{name: n, facts: {{{facts}}}, expect: {expect}}}\n")).collect()
}

#[test]
fn a_path_is_in_each_place_that_fits_it() {
    let tests = [
        (r"fault_site.path: 'C:\Users\a\miniconda3\Lib\site-packages\x.dll'", "match"),
        (r"fault_site.path: 'C:\Users\a\miniconda3\python39.dll'", "match"),
        (r"fault_site.path: 'C:\Windows\System32\x.dll'", "no-match"),
        ("", "skipped"),
    ];
    passes("      it: {fault_site.path|place: [site-packages, conda]}", "it", &tests_of(&tests));
    let tests = [
        (r"modules: [{name: a.dll, path: 'D:\app\a.dll'}]", "match"),
        (r"modules: [{name: a.dll, path: 'C:\Windows\System32\a.dll'}]", "no-match"),
        ("modules: [{name: a.dll}]", "skipped"),
    ];
    passes("      it: {modules|any: {name: a.dll, path|not_place: system32}}", "it", &tests_of(&tests));
}

#[test]
fn the_programs_own_folder_is_a_place_where_it_is_known() {
    let (app, here) = (r"process.path: 'D:\app\app.exe'", r"modules: [{name: a.dll, path: 'd:/APP/a.dll'}]");
    let below = r"modules: [{name: a.dll, path: 'D:\app\bin\a.dll'}]";
    let both = |program: &str, modules: &str| format!("{program}, {modules}");
    let inside = [(both(app, here), "match"), (both(app, below), "no-match"), (here.to_owned(), "skipped")];
    let outside = [(both(app, below), "match"), (both(app, here), "no-match"), (below.to_owned(), "skipped")];
    for (modifier, tests) in [("place", inside), ("not_place", outside)] {
        let tests: Vec<(&str, &str)> = tests.iter().map(|(facts, expect)| (facts.as_str(), *expect)).collect();
        let selection = format!("      it: {{modules|any: {{name: a.dll, path|{modifier}: application}}}}");
        passes(&selection, "it", &tests_of(&tests));
    }
}

#[test]
fn durations_have_units() {
    let tests = [
        ("timeline: [{kind: driver-reset, seconds_before: 300}]", "match"),
        ("timeline: [{kind: driver-reset, seconds_before: 5 min}]", "match"),
        ("timeline: [{kind: driver-reset, seconds_before: 301}]", "no-match"),
        ("timeline: [{kind: driver-reset, seconds_after: 10}]", "no-match"),
    ];
    for within in ["lte", "within"] {
        let selection = format!("      it: {{timeline|any: {{kind: driver-reset, seconds_before|{within}: 5 min}}}}");
        passes(&selection, "it", &tests_of(&tests));
    }
}

#[test]
fn a_count_within_a_span_is_that_of_the_fullest_one() {
    let tests = [
        // Both ends count, and a span may lie across the incident.
        (
            "timeline: [{seconds_before: 4000}, {seconds_before: 1000}, {seconds_before: 700}, {seconds_before: 400}]",
            "match",
        ),
        ("timeline: [{seconds_before: 300}, {seconds_before: 2}, {seconds_after: 300}]", "match"),
        ("timeline: [{seconds_before: 300}, {seconds_before: 2}, {seconds_after: 301}]", "no-match"),
        ("timeline: [{seconds_before: 2000}, {seconds_before: 1000}, {seconds_before: 10}]", "no-match"),
        ("timeline: [{kind: other}, {kind: other}, {kind: other}]", "no-match"),
        ("timeline: []", "no-match"),
    ];
    passes("      it: {timeline|count: {gte: 3, within: 10 min}}", "it", &tests_of(&tests));
}

#[test]
fn evidence_of_a_span_is_what_lies_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let selection = "      it: {timeline|count: {gte: 2, within: 1 min}}";
    let tests =
        tests_of(&[("timeline: []", "no-match"), ("timeline: [{seconds_before: 1}, {seconds_before: 2}]", "match")]);
    fs::write(&path, rule_with(selection, "it", &tests)).expect("written");
    let entry =
        |seconds, number| Record { fields: vec![("seconds_before", Value::Number(seconds))], from: from(number) };
    let mut facts = FactSet::default();
    facts.set_list("timeline", vec![entry(9, 4), entry(30, 5), entry(900, 6)]);
    let finding = load(&[path]).judge(&facts).findings.remove(0);
    assert_eq!(finding.evidence, [EvidenceRef(4), EvidenceRef(5)]);
}

#[test]
fn exists_is_always_decided() {
    passes(
        "      it: {process.name|exists: false, modules|exists: true}",
        "it",
        "      - {name: n, facts: {modules: []}, expect: match}\n      - {name: n, facts: {process.name: a}, expect: \
         no-match}\n      - {name: n, facts: {}, expect: no-match}",
    );
}

#[test]
fn values_compare_by_their_type() {
    let yes_no = |yes: &str, no: &str| {
        format!(
            "      - {{name: n, facts: {{{yes}}}, expect: match}}\n      - {{name: n, facts: {{{no}}}, expect: no-match}}"
        )
    };
    for (selection, yes, no) in [
        ("fault_site.version|lt: 14.40", "fault_site.version: 14.9", "fault_site.version: 14.40.0.0"),
        ("fault_site.version|gte: '14.40'", "fault_site.version: 14.40", "fault_site.version: 14.39.9.9"),
        ("fault_site.version: 1.2", "fault_site.version: 1.2.0.0", "fault_site.version: 1.20"),
        ("exception.code: -1073740791", "exception.code: 3221226505", "exception.code: 0xC0000005"),
        ("exception.code|gte: 0x80000000", "exception.code: -1", "exception.code: 0x7FFFFFFF"),
        ("exception.address|lt: 0x10000", "exception.address: 0xffff", "exception.address: 0x10000"),
        ("os.build|gte: 22000", "os.build: 22000", "os.build: 19045"),
        (
            "fault_site.module: NTDLL.dll",
            r"fault_site.module: 'C:\Windows\ntdll.DLL'",
            "fault_site.module: ntdll.dll.dll",
        ),
        (r"fault_site.path|startswith: C:/Windows", r"fault_site.path: c:\WINDOWS\x.dll", r"fault_site.path: D:\x.dll"),
        (
            r"fault_site.path|like: '*\driverstore\*'",
            "fault_site.path: C:/Windows/DriverStore/x",
            "fault_site.path: C:/x",
        ),
        ("thread.name|contains: [RENDER, audio]", "thread.name: my Renderer", "thread.name: main"),
        ("thread.name|contains|all: [a, b]", "thread.name: xBxA", "thread.name: xa"),
        ("thread.name|endswith: Ü", "thread.name: Menü", "thread.name: Menu"),
        (r"thread.name|re: '^worker-\d+$'", "thread.name: WORKER-12", "thread.name: worker-x"),
        ("thread.name|re|all: ['a+', 'b+']", "thread.name: ab", "thread.name: aa"),
        ("fault_site.carrier: true", "fault_site.carrier: true", "fault_site.carrier: false"),
        ("incident.kind: [hang, exit]", "incident.kind: exit", "incident.kind: crash"),
        ("modules|none: {name: a.dll}", "modules: [{name: b.dll}]", "modules: [{name: b.dll}, {name: A.dll}]"),
        (
            "modules|none: {name: a.dll, version|lt: 2}",
            "modules: [{name: a.dll, version: 2}]",
            "modules: [{name: a.dll, version: 1}]",
        ),
        ("modules|any: [{name: a.dll}, {name: b.dll}]", "modules: [{name: b.dll}]", "modules: [{name: c.dll}]"),
        ("modules|any: {version|exists: false}", "modules: [{name: b.dll}]", "modules: [{version: 1}]"),
        ("modules|count: {gt: 1}", "modules: [{}, {}]", "modules: [{}]"),
        ("modules|count: {where: {name: a.dll}, eq: 0}", "modules: []", "modules: [{name: a.dll}]"),
        ("win_errors|any: {number: [126, 127]}", "win_errors: [{number: 127}]", "win_errors: [{number: 5}]"),
    ] {
        passes(&format!("      it:\n        {selection}"), "it", &yes_no(yes, no));
    }
}

#[test]
fn explanations_fill_in_what_is_known_whatever_it_contains() {
    let mut facts = hooked();
    facts.set("process.name", text("{{ exception.code }}<b>.exe"), None);
    let finding = demo().judge(&facts).findings.remove(0);
    assert!(finding.explanation.starts_with("{{ exception.code }}<b>.exe ended with"), "{}", finding.explanation);
}

#[test]
fn zero_and_false_are_known_facts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let rule = rule_with(
        "      it: {os.build: 1}",
        "it",
        "      - {name: y, facts: {os.build: 1}, expect: match}\n      - {name: n, facts: {os.build: 2}, expect: no-match}",
    );
    let explanation = r#"'{{ exception.fast_fail or "?" }} {% if fault_site.carrier %}{{ fault_site.carrier }}{% endif %}{% if exception.fast_fail == "0" %}!{% endif %}'"#;
    fs::write(&path, rule.replace("explanation: E.", &format!("explanation: {explanation}"))).expect("written");
    let mut facts = FactSet::default();
    facts.set("os.build", Value::Number(1), None);
    facts.set("exception.fast_fail", Value::Number(0), None);
    facts.set("fault_site.carrier", Value::Flag(false), None);
    assert_eq!(load(&[path]).judge(&facts).findings[0].explanation, "0 false!");
}

#[test]
fn a_trace_says_what_each_term_found() {
    let trace = demo().trace("demo/hooked", &hooked()).expect("a rule");
    assert_eq!(trace.condition, Truth::True);
    let sentences: Vec<String> =
        trace.selections.iter().flat_map(|selection| &selection.terms).map(|term| term.sentence()).collect();
    assert_eq!(
        sentences,
        [
            "line 10: `incident.kind: crash` holds: it is crash",
            "line 11: `exception.code: [0xC0000005, -1073740791]` holds: it is 0xC0000409",
            "line 13: `modules|any: {name|listed: hooks}` holds: 2 of 3 entries fit",
            "line 15: `fault_site.module|listed: hooks` can't be decided: `fault_site.module` is absent",
            "line 17: `modules|any: {name: hook.dll, version|lt: 2.10}` can't be decided: 0 of 3 entries fit, and of \
             1 it is not known",
            r"line 19: `process.path|startswith: C:\Windows\` does not hold: it is D:\app\app.exe",
        ]
    );
    let deciding: Vec<u32> = trace.deciding_terms().map(|term| term.line).collect();
    assert_eq!(deciding, [10, 11, 13, 19]);
    assert_eq!(demo().trace("demo/nothing", &hooked()), None);
}

#[test]
fn a_failing_test_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let tests = "      - {name: wrong, facts: {exception.code: 2}, expect: match}\n      - {name: right, facts: \
                 {exception.code: 2}, expect: no-match}";
    fs::write(&path, rule_with("      it: {exception.code: 1}", "it", tests)).expect("written");
    let outcome = load(&[path]).run_tests();
    let failure = &outcome.failed[0];
    assert_eq!((failure.expected, failure.got, failure.line), (Outcome::Match, Outcome::NoMatch, 15));
    assert_eq!(failure.why, ["line 9: `exception.code: 1` does not hold: it is 0x00000002"]);
}

/// Filing rules under exact facts may only be faster, never answer differently.
#[test]
fn rules_that_are_filed_away_would_not_have_matched() {
    let rules = RuleSet::load(true, &[Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo")]);
    let rules = rules.expect("rules");
    let mut incidents = vec![FactSet::default(), hooked()];
    for kind in ["crash", "hang", "bugcheck", "exit"] {
        for code in [None, Some(0xC000_0005), Some(0xC000_0409), Some(0x116), Some(1)] {
            for module in [None, Some("ntdll.dll"), Some("hook.dll")] {
                let mut facts = if code == Some(1) { FactSet::default() } else { hooked() };
                facts.set("incident.kind", text(kind), None);
                if let Some(code) = code {
                    facts.set("exception.code", Value::Number(code), None);
                    facts.set("bugcheck.code", Value::Number(code), None);
                }
                if let Some(module) = module {
                    facts.set("fault_site.module", text(module), None);
                }
                incidents.push(facts);
            }
        }
    }
    for facts in &incidents {
        let judgement = rules.judge(facts);
        for rule in rules.rules() {
            let found = judgement.findings.iter().any(|finding| finding.rule == rule.id());
            let skipped = judgement.skipped.iter().any(|skipped| skipped.rule == rule.id());
            let truth = rules.trace(rule.id(), facts).map(|trace| trace.condition);
            let expected = (truth == Some(Truth::True), truth == Some(Truth::Undecided));
            assert_eq!((found, skipped), expected, "{} {facts:?}", rule.id());
        }
    }
}

#[test]
fn findings_come_best_first_and_ties_by_id() {
    let mut facts = hooked();
    let reset = |seconds| Record {
        fields: vec![("kind", text("driver-reset")), ("seconds_before", Value::Number(seconds))],
        from: None,
    };
    facts.set_list("timeline", vec![reset(1), reset(2), reset(3)]);
    let ids: Vec<String> = demo().judge(&facts).findings.into_iter().map(|finding| finding.rule).collect();
    assert_eq!(ids, ["demo/many-resets", "demo/hooked"]);
}

#[test]
fn rule_sets_say_where_they_come_from() {
    let rules = demo();
    let infos: Vec<_> = rules.infos().into_iter().map(|info| (info.name, info.version, info.rules)).collect();
    assert_eq!(infos, [("demo".to_owned(), "1.2".to_owned(), 2)]);
    let rule = rules.rule("demo/hooked").expect("a rule");
    assert_eq!((rule.area(), rule.line(), rule.is_embedded()), ("demo", 3, false));
    assert!(rules.lists().any(|(set, list)| set == "demo" && list.has(r"C:\INJECT01.dll") && !list.has("inject.dll")));
}

#[test]
fn a_folder_named_builtin_takes_the_place_of_the_built_in_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("ruleset.yaml", "name: builtin\nversion: '9'\nlicence: MIT\n");
    write("causes.yaml", "schema: 1\nfamilies: {f: x}\ncauses: {application-defect: {family: f, means: z}}\n");
    let tests = "      - {name: y, facts: {os.build: 1}, expect: match}\n      - {name: n, facts: {os.build: 2}, \
                 expect: no-match}";
    write("rule.yaml", &rule_with("      it: {os.build: 1}", "it", tests));
    let rules = RuleSet::load(true, &[folder.path().to_owned()]).expect("rules");
    assert_eq!(rules.rules().len(), 1);
    assert_eq!(rules.causes().iter().count(), 1);
}

#[test]
fn a_missing_path_and_a_folder_without_rules_are_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = |path: PathBuf| RuleSet::load(true, &[path]).expect_err("a mistake")[0].code;
    assert_eq!(code(folder.path().join("nothing.yaml")), "R001");
    assert_eq!(code(folder.path().to_owned()), "R064");
}

#[test]
fn rules_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&demo());
}

/// Damaged rule files must give diagnostics, never a panic.
#[test]
fn no_mutation_of_a_rule_file_panics() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let seed = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo/demo/rules.yaml"));
    let seed = String::from_utf8(seed.expect("a file")).expect("a text").replace("listed: hooks", "like: '*'");
    let lines: Vec<&str> = seed.lines().collect();
    let mut state = 11_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("small") % below
    };
    let marks = ["", "|", ":", "{{", "}}", "{%", "'", "*", "(", "not ", "\u{FEFF}", "ß", "- ", "0x", "all of ", "|all"];
    for _ in 0..400 {
        let mut mutated: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        for _ in 0..=random(3) {
            let line = random(mutated.len());
            match random(4) {
                0 => drop(mutated.remove(line)),
                1 => {
                    let other = mutated[random(mutated.len())].clone();
                    mutated.insert(line, other);
                }
                _ => {
                    let characters: Vec<char> = mutated[line].chars().collect();
                    let at = random(characters.len() + 1);
                    let (before, after) = characters.split_at(at);
                    let cut = random(4).min(after.len());
                    let mark = marks[random(marks.len())];
                    mutated[line] = before.iter().collect::<String>() + mark + &after[cut..].iter().collect::<String>();
                }
            }
        }
        fs::write(&path, mutated.join("\n")).expect("written");
        match RuleSet::load(false, std::slice::from_ref(&path)) {
            Ok(rules) => {
                let _ = rules.judge(&hooked());
                let _ = rules.run_tests();
            }
            Err(mistakes) => assert!(mistakes.iter().all(|mistake| !mistake.render(true).is_empty())),
        }
    }
}

/// A rule that matches an access violation, with more keys.
fn plain(id: &str, cause: &str, confidence: &str, more: &str) -> String {
    format!(
        "  - id: {id}\n    title: T\n    cause: {cause}\n    confidence: {confidence}\n    severity: low\n    selections:\n      \
         code: {{exception.code: 0xC0000005}}\n      few: {{modules|count: {{lt: 3}}}}\n      said: {{text|any: {{line|contains: \
         heap}}}}\n    condition: code or (code and few) or (code and said)\n{more}    explanation: E.\n    remediation: \
         [{{audience: developer, text: R.}}]\n    references: [https://example.org]\n    tests:\n      - {{name: m, facts: \
         {{exception.code: 0xC0000005, frames: []}}, expect: match}}\n      - {{name: n, facts: {{exception.code: 1}}, expect: \
         no-match}}\n"
    )
}

fn loaded(rules: &[String]) -> RuleSet {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, format!("schema: 1\nrules:\n{}", rules.concat())).expect("written");
    load(&[path])
}

fn violation() -> FactSet {
    let mut facts = FactSet::default();
    facts.set("exception.code", Value::Number(0xC000_0005), from(1));
    facts.set_list("modules", vec![Record::default()]);
    facts
}

#[test]
fn a_cap_holds_whatever_else_moves_the_confidence() {
    let more = "    adjust:\n      - {when: few, most: 0.6, say: Hardly anything is known.}\n      - {when: code, by: +0.2, say: \
                Surer.}\n";
    let rules = loaded(&[plain("t/capped", "application-defect", "0.7", more)]);
    let mut facts = violation();
    let finding = rules.judge(&facts).findings.remove(0);
    assert!((finding.confidence - 0.6).abs() < 1e-9, "{}", finding.confidence);
    assert_eq!(finding.explanation, "E. Hardly anything is known. Surer.");
    let trace = rules.trace("t/capped", &facts).expect("a rule").confidence.expect("it matches");
    let changes: Vec<(Effect, bool)> = trace.adjustments.iter().map(|one| (one.change, one.counts)).collect();
    assert_eq!(changes, [(Effect::Most(0.6), true), (Effect::By(0.2), true)]);

    facts.set_list("modules", vec![Record::default(); 3]);
    let finding = rules.judge(&facts).findings.remove(0);
    assert!((finding.confidence - 0.9).abs() < 1e-9, "{}", finding.confidence);
}

#[test]
fn what_a_rule_supersedes_is_told_after_all_others() {
    let rules = loaded(&[
        plain("t/general", "application-defect", "0.9", ""),
        plain("t/other", "heap-corruption", "0.3", ""),
        plain("t/special", "kernel-driver-defect", "0.4", "    supersedes: [t/general]\n"),
    ]);
    let facts = violation();
    let findings = rules.judge(&facts).findings;
    let told: Vec<_> = findings.iter().map(|finding| (&*finding.rule, finding.superseded_by.as_deref())).collect();
    assert_eq!(told, [("t/special", None), ("t/other", None), ("t/general", Some("t/special"))]);
    let outcome = |id| rules.trace(id, &facts).expect("a rule").outcome();
    assert_eq!(outcome("t/general"), Outcome::Superseded);
    assert_eq!(outcome("t/special"), Outcome::Match);
    assert_eq!(rules.traces(&facts).last().map(|trace| trace.rule.as_str()), Some("t/general"));
}

#[test]
fn what_is_only_mentioned_supersedes_nothing_that_is_certain() {
    let special = plain("t/special", "kernel-driver-defect", "0.9", "    supersedes: [t/general]\n");
    let special = special.replace(
        "condition: code or (code and few) or (code and said)",
        "condition: said and not few or code and few and said",
    );
    let rules = loaded(&[
        plain("t/general", "application-defect", "0.6", ""),
        special
            .replace(
                "facts: {exception.code: 0xC0000005, frames: []}",
                "facts: {exception.code: 0xC0000005, modules: [], text: [{line: heap}]}",
            )
            .replace("facts: {exception.code: 1}", "facts: {modules: [], exception.code: 1}"),
    ]);
    let mut facts = violation();
    let line = |certain: bool| {
        let mut fields = vec![("line", text("the heap was damaged"))];
        fields.extend((!certain).then(|| ("certain", text("it was"))));
        vec![Record { fields, from: from(2) }]
    };
    for (certain, first) in [(true, "t/special"), (false, "t/general")] {
        facts.set_list("text", line(certain));
        let findings = rules.judge(&facts).findings;
        assert_eq!((&*findings[0].rule, findings.len()), (first, 2));
        assert_eq!(findings[1].superseded_by.is_some(), certain);
    }
}

#[test]
fn a_rule_is_skipped_without_what_it_requires() {
    let more = "    requires: [frames, os.build]\n";
    let rule = plain("t/careful", "application-defect", "0.5", more).replace("frames: []}", "frames: [], os.build: 1}");
    let rules = loaded(&[rule]);
    assert_eq!(rules.run_tests().failed, []);
    let mut facts = violation();
    facts.set_list("frames", Vec::new());
    let judgement = rules.judge(&facts);
    assert_eq!(judgement.findings, []);
    assert_eq!(judgement.skipped[0].missing, ["os.build"]);
    let trace = rules.trace("t/careful", &facts).expect("a rule");
    assert_eq!((trace.outcome(), trace.missing.len(), trace.confidence), (Outcome::Skipped, 1, None));

    // What is ruled out stays so.
    facts.set("exception.code", Value::Number(1), None);
    assert_eq!(rules.trace("t/careful", &facts).expect("a rule").outcome(), Outcome::NoMatch);
}

#[test]
fn texts_may_print_what_a_rule_requires() {
    let rule = plain("t/careful", "application-defect", "0.5", "    requires: [os.build]\n");
    let rule =
        rule.replace("explanation: E.", "explanation: Build {{ os.build }}.").replace("frames: []", "os.build: 1");
    let mut facts = violation();
    facts.set("os.build", Value::Number(19045), None);
    assert_eq!(loaded(&[rule]).judge(&facts).findings[0].explanation, "Build 19045.");
}

#[test]
fn a_test_can_expect_to_be_superseded() {
    let test = "      - {name: s, facts: {exception.code: 0xC0000005}, expect: superseded}\n";
    let general = plain("t/general", "application-defect", "0.9", "");
    let special = plain("t/special", "kernel-driver-defect", "0.4", "    supersedes: [t/general]\n");
    let rules = loaded(&[format!("{general}{test}"), special.clone()]);
    assert_eq!(rules.run_tests().failed, []);
    let rules = loaded(&[general, format!("{special}{test}")]);
    let failed = rules.run_tests().failed;
    assert_eq!((failed.len(), failed[0].expected, failed[0].got), (1, Outcome::Superseded, Outcome::Match));
}

#[test]
fn a_text_that_can_not_be_written_is_an_error_and_shown_as_it_is() {
    let rule = plain("t/failing", "application-defect", "0.5", "    requires: [os.build]\n");
    let rule = rule.replace("explanation: E.", "explanation: 'One of {{ 10 // (os.build | int) }}.'");
    let rules = loaded(&[rule.replace("frames: []", "os.build: 0")]);
    let failed = rules.run_tests().failed;
    assert_eq!((failed.len(), failed[0].expected, failed[0].got), (1, Outcome::Match, Outcome::Error));
    assert!(failed[0].why[0].contains("can't be written"), "{failed:#?}");

    let mut facts = violation();
    facts.set("os.build", Value::Number(0), None);
    assert_eq!(rules.judge(&facts).findings[0].explanation, "One of {{ 10 // (os.build | int) }}.");
    assert_eq!(rules.trace("t/failing", &facts).expect("a rule").outcome(), Outcome::Error);
    facts.set("os.build", Value::Number(5), None);
    assert_eq!(rules.judge(&facts).findings[0].explanation, "One of 2.");
}
