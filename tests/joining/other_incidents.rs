//! Rules about the other incidents of a run, applied by `analyze` and to the facts that `inspect` prints.

use std::path::Path;

use facts::{FactSet, Record, Value};
use pipeline::{Options, Silent, analyze, inspect};
use rules::{RuleSet, Truth};
use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout};
use samplekit::{FileTime, FileVersion, Guid};

const NOON: FileTime = FileTime::utc(2025, 5, 20, 12, 0, 0);
const DAY: u64 = 86_400;
const LIST: &str = "other_incidents";

/// A crash: program, module, offset, seconds after noon.
type Made = (&'static str, &'static str, u64, u64);

/// A folder with an Application log of each of these machines.
fn logs(machines: &[(&str, &[Made])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (host, crashes) in machines {
        let mut log = EventLog::new("Application", host);
        for (app, module, offset, after) in *crashes {
            let time = NOON.plus_seconds(*after);
            let image = |name: &str| Image {
                path: format!(r"C:\Program Files\Ledger\{name}"),
                version: Some(FileVersion([1, 0, 0, 1])),
                timestamp: 0x6543_2101,
            };
            let crash = Crash {
                app: image(app),
                module: image(module),
                code: 0xC000_0005,
                offset: *offset,
                data: 0,
                process: 4312,
                started: time.minus_seconds(60),
                time,
                report_id: Guid::made_up(&format!("{host}{app}{module}{after}{offset}")),
            };
            log.add(crash.application_error(Layout::Positional));
        }
        std::fs::write(folder.path().join(format!("{host}.evtx")), log.to_bytes()).expect("a file");
    }
    folder
}

/// A rule with this one selection.
fn asking(asked: &str) -> (tempfile::TempDir, RuleSet) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let text = format!(
        "schema: 1\nrules:\n  - id: t/rule\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    severity: low\n    \
         selections: {{it: {{{asked}}}}}\n    explanation: E.\n    remediation: [{{audience: developer, text: R.}}]\n    \
         references: [https://example.org]\n    tests:\n      - {{name: m, facts: {{}}, expect: match}}\n      - {{name: n, \
         facts: {{}}, expect: no-match}}\n"
    );
    std::fs::write(&path, text).expect("written");
    let rules = RuleSet::load(false, &[path]).expect("a rule without mistakes");
    (folder, rules)
}

fn facts_of(folder: &Path, rules: &RuleSet) -> Vec<FactSet> {
    let inspected = inspect(&[folder.to_owned()], rules, &Options::default());
    inspected.incidents.into_iter().map(|(_, facts)| facts).collect()
}

/// The outcome of a rule with this selection for each incident, in the order of time; `analyze` and the facts must
/// agree.
fn answers(machines: &[(&str, &[Made])], asked: &str) -> Vec<Truth> {
    let logs = logs(machines);
    let (_folder, rules) = asking(asked);
    let facts = facts_of(logs.path(), &rules);
    let answers: Vec<Truth> =
        facts.iter().map(|facts| rules.trace("t/rule", facts).expect("a rule").condition).collect();
    let report = analyze(&[logs.path().to_owned()], &rules, &Options::default(), &Silent);
    let matched: Vec<bool> = report.incidents.iter().map(|judged| !judged.findings.is_empty()).collect();
    assert_eq!(matched, answers.iter().map(|answer| *answer == Truth::True).collect::<Vec<_>>(), "{asked}");
    // The same list, given as in a test of a rule, gives the same result.
    for (facts, answer) in facts.iter().zip(&answers).filter(|(_, answer)| **answer == Truth::True) {
        let mut written = FactSet::default();
        written.set_list(LIST, facts.list(LIST).expect("known").to_vec());
        assert_eq!(rules.trace("t/rule", &written).expect("a rule").condition, *answer, "{asked}");
    }
    answers
}

use Truth::{False, True, Undecided};

const PLAIN: Made = ("ledger.exe", "core.dll", 0x1000, 0);

fn at(day: u64) -> Made {
    (PLAIN.0, PLAIN.1, PLAIN.2, day * DAY)
}

#[test]
fn the_same_place_on_other_machines_is_counted_within_a_span_of_the_rules_own() {
    let machines: &[(&str, &[Made])] = &[("A", &[at(0), at(1)]), ("B", &[at(2)]), ("C", &[at(20)])];
    let asked = "other_incidents|count: {where: {same_site: true, same_host: false, seconds_away|within: 7 d}, gte: 2}";
    assert_eq!(answers(machines, asked), [False, False, True, False]);
    let hosts = "other_incidents|count: {where: {same_site: true, same_host: false, seconds_away|within: 30 d}, distinct: \
                 host, gte: 2}";
    assert_eq!(answers(machines, hosts), [True, True, True, True]);
}

#[test]
fn different_modules_over_days_on_one_machine_are_counted() {
    let of = |module, day: u64| (PLAIN.0, module, 0x1000, day * DAY);
    let machines: &[(&str, &[Made])] = &[
        ("A", &[of("a.dll", 0), of("b.dll", 1), of("b.dll", 2), of("c.dll", 3), of("d.dll", 4)]),
        ("B", &[of("e.dll", 1)]),
    ];
    let before =
        "other_incidents|count: {where: {same_host: true, seconds_before|within: 7 d}, distinct: module, gte: 3}";
    assert_eq!(answers(machines, before), [False, False, False, False, False, True]);
    let days = "other_incidents|count: {where: {same_host: true, seconds_before|within: 7 d}, distinct: day, gte: 3}";
    assert_eq!(answers(machines, days), [False, False, False, False, True, True]);
}

#[test]
fn incidents_of_a_machine_follow_one_another() {
    let of = |module, hour: u64| (PLAIN.0, module, 0x1000, hour * 3600);
    let machines: &[(&str, &[Made])] =
        &[("A", &[of("a.dll", 0), of("b.dll", 48), of("c.dll", 96)]), ("B", &[of("c.dll", 97)])];
    let asked = "other_incidents|sequence: [{same_host: true, module: a.dll}, {same_host: true, module: b.dll}]";
    assert_eq!(answers(machines, asked), [False, False, True, False]);
    let turned = "other_incidents|sequence: [{same_host: true, module: b.dll}, {same_host: true, module: a.dll}]";
    assert_eq!(answers(machines, turned), [False, False, False, False]);
}

#[test]
fn that_there_is_no_other_is_known_as_far_as_none_is_left_out() {
    let hour = |number: u64| (PLAIN.0, PLAIN.1, PLAIN.2, number * 3600);
    let many: Vec<Made> = (0..60).map(hour).collect();
    let machines: &[(&str, &[Made])] = &[("A", &many)];
    let asked = |within: &str| format!("other_incidents|none: {{same_host: true, module: other.dll{within}}}");
    let first = |answers: Vec<Truth>| answers.first().copied();
    // 32 of 59 others are seen: the nearest that is left out is 33 hours away.
    assert_eq!(first(answers(machines, &asked(""))), Some(Undecided));
    assert_eq!(first(answers(machines, &asked(", seconds_away|within: 33 h"))), Some(Undecided));
    assert_eq!(first(answers(machines, &asked(", seconds_away|within: 32 h"))), Some(True));
    let few: &[(&str, &[Made])] = &[("A", &many[..5])];
    assert_eq!(first(answers(few, &asked(""))), Some(True));
}

#[test]
fn a_machine_that_crashes_all_day_hides_no_other() {
    let minute = |number: u64| (PLAIN.0, PLAIN.1, PLAIN.2, DAY + number * 60);
    let many: Vec<Made> = (0..120).map(minute).collect();
    let machines: &[(&str, &[Made])] = &[("A", &[at(0)]), ("B", &many), ("C", &[at(5)])];
    let asked = "other_incidents|count: {where: {same_site: true, same_host: false}, distinct: host, gte: 2}";
    assert_eq!(answers(machines, asked).first(), Some(&True));
}

#[test]
fn a_finding_names_the_others_that_it_counted() {
    let logs = logs(&[("A", &[at(0)]), ("B", &[at(1)]), ("C", &[at(2)])]);
    let (_folder, rules) = asking("other_incidents|count: {where: {same_site: true, same_host: false}, gte: 2}");
    let report = analyze(&[logs.path().to_owned()], &rules, &Options::default(), &Silent);
    let ids: Vec<&str> = report.incidents.iter().map(|judged| judged.incident.id.as_str()).collect();
    let finding = report.incidents.first().and_then(|judged| judged.findings.first()).expect("a finding");
    let named: Vec<&str> = finding.incidents.iter().flat_map(|named| &named.ids).map(|id| &**id).collect();
    assert_eq!(named, ids.iter().skip(1).copied().collect::<Vec<_>>());
}

#[test]
fn an_entry_shows_what_the_two_have_in_common() {
    let logs = logs(&[("A", &[PLAIN]), ("B", &[(PLAIN.0, "other.dll", 0x2000, 90)])]);
    let (_folder, rules) = asking("other_incidents|any: {same_host: false}");
    let facts = facts_of(logs.path(), &rules);
    let [first, _] = facts.as_slice() else { panic!("{} incidents", facts.len()) };
    let [entry] = first.list(LIST).expect("known") else { panic!("one other incident") };
    let flag = |entry: &Record, field: &str| match entry.get(field) {
        Some(Value::Flag(flag)) => Some(*flag),
        _ => None,
    };
    let same = ["same_program", "same_host", "same_site", "same_module", "same_code"];
    let expected = [Some(true), Some(false), Some(false), Some(false), Some(true)];
    assert_eq!(same.map(|field| flag(entry, field)), expected);
    assert_eq!(entry.get("seconds_after"), Some(&Value::Number(90)));
    assert_eq!((entry.get("seconds_before"), entry.get("seconds_away")), (None, Some(&Value::Number(90))));
}
