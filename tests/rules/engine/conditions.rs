//! Conditions that hold, that do not hold, and that are undecided.

use std::fs;

use facts::{EvidenceRef, FactSet, Record, Value};
use rules::Judgement;

use super::{demo, from, load, passes, rule_with, tests_of, text, version};

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
        // Both ends are included, and a span may contain the incident.
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
