//! What the incidents of a run have in common: facts for rules, changes before the first incident, and incidents in the
//! timelines.

use std::path::{Path, PathBuf};

use facts::{FactSet, Value};
use pipeline::{Options, Silent, analyze, inspect};
use report::text::{self, TextOptions};
use report::{Limits, Report, json};
use rules::RuleSet;
use samplekit::event_log::{Event, EventLog};
use samplekit::events::{
    Crash, DisplayDriver, Image, Layout, LostPower, display_reset, firmware_installed, kernel_power, product_installed,
    unclean_shutdown,
};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, Exception, Memory, Minidump, Module, Process, Processor, System, Thread};
use samplekit::wer_report::Report as WerReport;
use samplekit::{FileTime, FileVersion, Guid};

const NOON: FileTime = FileTime::utc(2025, 5, 20, 12, 0, 0);
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

fn report_of(path: PathBuf, options: &Options) -> Report {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    analyze(&[path], &rules, options, &Silent)
}

fn as_json(report: &Report) -> serde_json::Value {
    let mut out = Vec::new();
    json::write(report, &mut out).expect("memory");
    serde_json::from_slice(&out).expect("JSON")
}

/// The facts of each incident, in the order of time.
fn facts_of(path: PathBuf) -> Vec<FactSet> {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = inspect(&[path], &rules, &Options::default());
    inspected.incidents.into_iter().map(|(_, facts)| facts).collect()
}

fn number(facts: &FactSet, path: &str) -> Option<u64> {
    match facts.get(path)?.value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn numbers(facts: &[FactSet], path: &str) -> Vec<Option<u64>> {
    facts.iter().map(|facts| number(facts, path)).collect()
}

/// The values of a crash.
#[derive(Clone, Copy)]
struct Made {
    app: &'static str,
    module: &'static str,
    version: u16,
    code: u32,
    offset: u64,
    /// Seconds after noon.
    after: u64,
    ran: u64,
}

const PLAIN: Made =
    Made { app: "ledger.exe", module: "core.dll", version: 1, code: 0xC000_0005, offset: 0x1000, after: 0, ran: 60 };

fn crash(made: Made, layout: Layout) -> Event {
    let image = |name: &str| Image {
        path: format!(r"C:\Program Files\Ledger\{name}"),
        version: Some(FileVersion([made.version, 0, 0, 1])),
        timestamp: 0x6543_2100 + u32::from(made.version),
    };
    let time = NOON.plus_seconds(made.after);
    let crash = Crash {
        app: image(made.app),
        module: image(made.module),
        code: made.code,
        offset: made.offset,
        data: 0,
        process: 4312 + u32::try_from(made.after % 1000).expect("small"),
        started: time.minus_seconds(made.ran),
        time,
        report_id: Guid::made_up(&format!("{}{}{}{}", made.app, made.module, made.after, made.offset)),
    };
    crash.application_error(layout)
}

/// A folder with an Application log of each of these machines.
fn folder(machines: &[(&str, &[Made])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (host, crashes) in machines {
        let mut log = EventLog::new("Application", host);
        for made in *crashes {
            log.add(crash(*made, Layout::Positional));
        }
        std::fs::write(folder.path().join(format!("{host}.evtx")), log.to_bytes()).expect("a file");
    }
    folder
}

fn facts_on(machines: &[(&str, &[Made])]) -> Vec<FactSet> {
    let folder = folder(machines);
    facts_of(folder.path().to_path_buf())
}

#[test]
fn machines_with_crashes_at_one_place_are_counted() {
    let later = |after| Made { after, ..PLAIN };
    let facts = facts_on(&[("A", &[PLAIN, later(90)]), ("b", &[later(30)]), ("C", &[later(200)])]);
    assert_eq!(numbers(&facts, "pattern.same_site_hosts"), [Some(3); 4]);
    assert_eq!(numbers(&facts, "pattern.same_site_before"), [Some(0), Some(0), Some(1), Some(0)]);
    assert_eq!(numbers(&facts, "pattern.hosts"), [Some(3); 4]);
    assert_eq!(numbers(&facts, "pattern.signature_hosts"), [Some(3); 4]);
}

#[test]
fn another_build_offset_code_or_a_carrier_is_another_place() {
    let other_build = Made { version: 2, after: 10, ..PLAIN };
    let other_offset = Made { offset: 0x1004, after: 20, ..PLAIN };
    let other_code = Made { code: 0xC000_001D, after: 30, ..PLAIN };
    let facts = facts_on(&[("A", &[PLAIN]), ("B", &[other_build]), ("C", &[other_offset]), ("D", &[other_code])]);
    assert_eq!(numbers(&facts, "pattern.same_site_hosts"), [Some(1); 4]);
    let carrier = Made { module: "ntdll.dll", ..PLAIN };
    let facts = facts_on(&[("A", &[carrier]), ("B", &[Made { after: 10, ..carrier }])]);
    assert_eq!(numbers(&facts, "pattern.same_site_hosts"), [None; 2]);
}

#[test]
fn the_mixture_of_a_machine_counts_what_damage_could_lead_to_in_the_days_around() {
    let other = Made { app: "b.exe", module: "b.dll", code: 0xC000_001D, after: 2 * DAY, ..PLAIN };
    let far = Made { app: "c.exe", module: "c.dll", after: 17 * DAY, ..PLAIN };
    let on_purpose = Made { app: "d.exe", module: "d.dll", code: 0xE06D_7363, after: DAY, ..PLAIN };
    let facts = facts_on(&[("A", &[PLAIN, on_purpose, other, far])]);
    assert_eq!(numbers(&facts, "pattern.machine_sites_30_days"), [Some(2), None, Some(3), Some(2)]);
    assert_eq!(numbers(&facts, "pattern.machine_codes_30_days"), [Some(2), None, Some(2), Some(2)]);
    assert_eq!(numbers(&facts, "pattern.machine_programs_30_days"), [Some(2), None, Some(3), Some(2)]);
    assert_eq!(numbers(&facts, "pattern.machine_days_30_days"), [Some(2), None, Some(3), Some(2)]);
    assert_eq!(numbers(&facts, "pattern.machine_most_alike_30_days"), [Some(50), None, Some(33), Some(50)]);
}

#[test]
fn bursts_and_repeats_are_counted_on_each_machine() {
    let at = |after| Made { after, ..PLAIN };
    let facts = facts_on(&[("A", &[at(0), at(599), at(1_100), at(3 * DAY)]), ("B", &[at(5)])]);
    // In the order of time: A, B, A, A, A.
    assert_eq!(numbers(&facts, "pattern.burst_position"), [Some(1), Some(1), Some(2), Some(3), Some(1)]);
    assert_eq!(numbers(&facts, "pattern.burst_size"), [Some(3), Some(1), Some(3), Some(3), Some(1)]);
    assert_eq!(numbers(&facts, "pattern.repeats_before"), [Some(0), Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(numbers(&facts, "pattern.same_24_hours"), [Some(1), Some(1), Some(2), Some(3), Some(1)]);
    assert_eq!(number(&facts[4], "pattern.first_seconds_before"), Some(3 * DAY));
}

#[test]
fn how_long_processes_ran_is_known_from_three_on() {
    let at = |after, ran| Made { after, ran, ..PLAIN };
    let facts = facts_on(&[("A", &[at(0, 5), at(3600, 9)])]);
    assert_eq!(numbers(&facts, "pattern.run_seconds_most"), [None; 2]);
    let facts = facts_on(&[("A", &[at(0, 5), at(3600, 9)]), ("B", &[at(7200, 7)])]);
    assert_eq!(numbers(&facts, "pattern.run_seconds_least"), [Some(5); 3]);
    assert_eq!(numbers(&facts, "pattern.run_seconds_most"), [Some(9); 3]);
}

#[test]
fn incidents_shortly_before_are_listed_the_nearest_first() {
    let facts = facts_of(sample("victims-of-a-reset"));
    let listed: Vec<Vec<(String, u64)>> = facts
        .iter()
        .map(|facts| {
            let list = facts.list("incidents_before").expect("the list");
            let text = |value: Option<&Value>| match value {
                Some(Value::Text(text)) => text.to_string(),
                _ => String::new(),
            };
            let seconds = |value: Option<&Value>| match value {
                Some(Value::Number(number)) => *number,
                _ => u64::MAX,
            };
            list.iter().map(|one| (text(one.get("kind")), seconds(one.get("seconds_before")))).collect()
        })
        .collect();
    let of = |kind: &str, seconds| (kind.to_owned(), seconds);
    assert_eq!(listed, [vec![], vec![of("gpu-reset", 2)], vec![of("crash", 2), of("gpu-reset", 4)]]);
}

/// Other incidents of a finding: their relation to the incident, their numbers in the order of time, and how many more
/// there are.
type Related = (String, Vec<usize>, u64);

/// The other incidents in a rule's findings, in the report on these machines: for each incident by its number in the
/// order of time, relation, numbers, and how many more there are.
fn rests_on(machines: &[(&str, &[Made])], rule: &str) -> Vec<Option<Vec<Related>>> {
    let folder = folder(machines);
    let report = as_json(&report_of(folder.path().to_path_buf(), &Options::default()));
    let incidents = report["incidents"].as_array().expect("incidents");
    let number = |id: &serde_json::Value| incidents.iter().position(|one| one["id"] == *id).expect("an incident");
    let of = |incident: &serde_json::Value| {
        let finding = incident["findings"].as_array()?.iter().find(|finding| finding["rule"] == rule)?;
        let related = finding["incidents"].as_array().into_iter().flatten();
        let related = related.map(|one| {
            let ids = one["ids"].as_array().expect("ids").iter().map(number).collect();
            (one["relation"].as_str().expect("a word").to_owned(), ids, one["more"].as_u64().unwrap_or(0))
        });
        Some(related.collect())
    };
    incidents.iter().map(of).collect()
}

#[test]
fn a_finding_names_the_incidents_of_other_machines_that_it_rests_on() {
    const RULE: &str = "application/same-place-on-several-machines";
    let later = |after| Made { after, ..PLAIN };
    // In the order of time: A, b, A again, C.
    let machines: [(&str, &[Made]); 3] = [("A", &[PLAIN, later(90)]), ("b", &[later(30)]), ("C", &[later(200)])];
    // The first of each machine, and all of the last thirty days.
    let elsewhere = |firsts: &[usize], lately: &[usize]| {
        let named = |relation: &str, numbers: &[usize]| (relation.to_owned(), numbers.to_vec(), 0);
        Some(vec![named("same-place-on-other-machines", firsts), named("others-that-fit", lately)])
    };
    let expected = [
        elsewhere(&[1, 3], &[1, 3]),
        elsewhere(&[0, 3], &[0, 2, 3]),
        elsewhere(&[1, 3], &[1, 3]),
        elsewhere(&[0, 1], &[0, 1, 2]),
    ];
    assert_eq!(rests_on(&machines, RULE), expected);
    // Ten are named, the others are counted.
    let names: Vec<String> = (0..14).map(|number| format!("PC-{number:02}")).collect();
    let crashes: Vec<Made> = (0..14).map(|number| later(number * 60)).collect();
    let machines: Vec<(&str, &[Made])> =
        names.iter().zip(crashes.chunks(1)).map(|(name, crashes)| (name.as_str(), crashes)).collect();
    let named = rests_on(&machines, RULE);
    let both = |numbers: Vec<usize>| {
        Some(
            ["same-place-on-other-machines", "others-that-fit"]
                .map(|relation| (relation.to_owned(), numbers.clone(), 3))
                .to_vec(),
        )
    };
    assert_eq!(named[0], both((1..=10).collect()));
    assert_eq!(named[13], both((3..13).collect()));
}

#[test]
fn a_finding_names_the_crashes_of_the_machine_that_it_rests_on() {
    const RULE: &str = "hardware/unrelated-crashes-on-one-machine";
    let codes = [0xC000_0005, 0xC000_001D, 0xC000_0374];
    let apps = ["a.exe", "b.exe", "c.exe", "d.exe", "e.exe", "f.exe"];
    let modules = ["a.dll", "b.dll", "c.dll", "d.dll", "e.dll", "f.dll"];
    let crashes: Vec<Made> = (0..6)
        .map(|at| Made {
            app: apps[at],
            module: modules[at],
            code: codes[at % 3],
            after: u64::try_from(at).expect("small") * DAY,
            ..PLAIN
        })
        .collect();
    let named = rests_on(&[("A", &crashes)], RULE);
    assert_eq!(named[2], Some(vec![("machine-within-15-days".to_owned(), vec![0, 1, 3, 4, 5], 0)]));
}

#[test]
fn a_finding_names_the_incident_before_that_it_rests_on() {
    let report = as_json(&report_of(sample("victims-of-a-reset"), &Options::default()));
    let incidents = report["incidents"].as_array().expect("incidents");
    let reset = incidents.iter().find(|one| one["kind"] == "gpu-reset").expect("a reset");
    let victims = incidents.iter().filter(|one| one["kind"] == "crash");
    for victim in victims {
        let findings = victim["findings"].as_array().expect("findings");
        let named: Vec<&serde_json::Value> =
            findings.iter().filter_map(|finding| finding["incidents"].as_array()).flatten().collect();
        assert!(
            named.iter().any(|one| one["relation"] == "machine-day-before" && one["ids"][0] == reset["id"]),
            "{findings:#?}"
        );
    }
    let mut out = Vec::new();
    let whole = report_of(sample("victims-of-a-reset"), &Options::default());
    text::write(&whole, &mut out, TextOptions::default()).expect("memory");
    let text = String::from_utf8(out).expect("text").split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = format!(
        "It also rests on incidents of this machine within the 24 hours before: {}.",
        reset["id"].as_str().expect("an id")
    );
    assert!(text.contains(&sentence), "{text}");
}

/// The same incidents can have several relations at once.
#[test]
fn incidents_that_a_verdict_rests_on_are_named_once() {
    let mut out = Vec::new();
    let whole = report_of(sample("same-place-on-three-machines"), &Options::default());
    let finding = &whole.incidents[0].findings[0];
    assert!(finding.incidents.len() > 1 && finding.incidents[0].ids == finding.incidents[1].ids, "{finding:#?}");
    text::write(&whole, &mut out, TextOptions::default()).expect("memory");
    let text = String::from_utf8(out).expect("text").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(text.matches("It also rests on incidents").count(), 1, "{text}");
    let says = "at the same place on other machines (the first of each) and that fit what the rule asks of others: ";
    assert!(text.contains(says), "{text}");
}

#[test]
fn a_time_span_changes_no_pattern_and_no_change() {
    let whole = report_of(sample("driver-before-the-first"), &Options::default());
    let last = whole.incidents.last().expect("an incident");
    let options = Options { limits: Limits { since: last.incident.time, until: None }, ..Options::default() };
    let part = report_of(sample("driver-before-the-first"), &options);
    assert_eq!(part.incidents.len(), 1);
    let alone = &part.incidents[0];
    assert_eq!(format!("{:?}", alone.findings), format!("{:?}", last.findings));
    let group = |report: &Report| {
        let signature = &last.incident.signature.coarse;
        let group = report.groups.iter().find(|group| group.signature == *signature).expect("its group");
        (group.changes_before.clone(), group.changes_unknown.clone())
    };
    assert!(group(&whole).0.is_some_and(|changes| !changes.is_empty()));
    assert_eq!(group(&part), group(&whole));
}

#[test]
fn the_driver_comes_before_what_was_installed_later_and_does_not_bear_on_the_group() {
    let report = as_json(&report_of(sample("driver-before-the-first"), &Options::default()));
    let groups = report["groups"].as_array().expect("groups");
    let group = groups.iter().find(|group| group["incidents"].as_array().is_some_and(|all| all.len() == 3));
    let changes = group.expect("the crashes")["changes_before"].as_array().expect("changes").clone();
    assert_eq!(changes.len(), 2, "{changes:?}");
    assert_eq!(changes[0]["kind"], "driver-install");
    assert_eq!(changes[0]["bears_on"], "display-driver");
    assert_eq!(changes[0]["seconds_before"], 9 * HOUR);
    assert_eq!(changes[0]["artifact"].as_str().map(|path| path.ends_with("System.evtx")), Some(true));
    assert_eq!((&changes[1]["kind"], changes[1].get("bears_on")), (&"software-install".into(), None));
}

#[test]
fn firmware_bears_on_what_ended_the_system_and_not_on_a_crash() {
    let firmware = |before: u64| {
        let firmware = DisplayDriver {
            package: "demo_uefi.inf_amd64_0123456789abcdef",
            version: "1.7.3.0",
            provider: "Demo",
            device: r"UEFI\RES_{6bd4efb9-23cc-4b4a-ac37-016517413e9a}\0",
            description: "System Firmware",
        };
        firmware_installed(NOON.minus_seconds(before), firmware)
    };
    let before = |log: &str, events: Vec<Event>| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut system = EventLog::new("System", "PC-1");
        system.add(display_reset(NOON.minus_seconds(30 * DAY), "demo"));
        system.add(firmware(5 * HOUR));
        let mut other = EventLog::new("Application", "PC-1");
        other.add(product_installed(NOON.minus_seconds(30 * DAY), "Other", "1", "Demo"));
        for event in events {
            if log == "System" {
                system.add(event)
            } else {
                other.add(event)
            };
        }
        for (name, log) in [("System.evtx", system), ("Application.evtx", other)] {
            std::fs::write(folder.path().join(name), log.to_bytes()).expect("a file");
        }
        let report = as_json(&report_of(folder.path().to_path_buf(), &Options::default()));
        let groups = report["groups"].as_array().expect("groups");
        let changes = groups.iter().filter_map(|group| group["changes_before"].as_array());
        changes.flatten().cloned().collect::<Vec<_>>()
    };
    let lost = [
        kernel_power(NOON, LostPower::default()),
        unclean_shutdown(NOON.plus_seconds(9), NOON.minus_seconds(40), 2, 934),
    ];
    let found = before("System", lost.to_vec());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["kind"], &found[0]["bears_on"]), (&"driver-install".into(), &"firmware".into()));
    let says = "the firmware demo_uefi.inf 1.7.3.0 of Demo was installed for System Firmware";
    assert!(found[0]["says"].as_str().is_some_and(|text| text.contains(says)), "{found:#?}");
    let found = before("Application", vec![crash(PLAIN, Layout::Positional)]);
    assert_eq!(found.iter().map(|change| change.get("bears_on")).collect::<Vec<_>>(), [None]);
}

#[test]
fn where_the_log_begins_too_late_changes_are_unknown() {
    let report = as_json(&report_of(sample("driver-install-then-resets"), &Options::default()));
    let group = &report["groups"][0];
    assert_eq!(group.get("changes_before"), None);
    // Rules do not see either that the driver came before the first incident.
    let told = facts_of(sample("driver-install-then-resets"));
    let timeline = told.iter().flat_map(|facts| facts.list("timeline").unwrap_or_default());
    assert_eq!(timeline.filter(|entry| entry.get("seconds_before_first").is_some()).count(), 0);
    assert!(
        group["changes_unknown"]
            .as_str()
            .is_some_and(|text| text.contains("the System log of PC-10 begins 22 h before")),
        "{group}"
    );
}

#[test]
fn what_came_first_on_most_machines_comes_first() {
    let folder = tempfile::tempdir().expect("a folder");
    for (host, products) in [("A", &["Common", "Own A"][..]), ("B", &["Common"][..]), ("C", &["Own C"][..])] {
        let mut application = EventLog::new("Application", host);
        application.add(product_installed(NOON.minus_seconds(20 * DAY), "Old", "1.0", "Nobody"));
        for (number, product) in (0_u64..).zip(products) {
            let before = if *product == "Common" { 2 * DAY } else { HOUR + number };
            application.add(product_installed(NOON.minus_seconds(before), product, "1.0", "Nobody"));
        }
        application.add(crash(PLAIN, Layout::Positional));
        let mut system = EventLog::new("System", host);
        system.add(display_reset(NOON.minus_seconds(30 * DAY), "amdkmdag"));
        system.add(display_reset(NOON.minus_seconds(HOUR), "amdkmdag"));
        std::fs::write(folder.path().join(format!("{host}-a.evtx")), application.to_bytes()).expect("a file");
        std::fs::write(folder.path().join(format!("{host}-s.evtx")), system.to_bytes()).expect("a file");
    }
    let report = as_json(&report_of(folder.path().to_path_buf(), &Options::default()));
    let group = report["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .find(|group| group["signature"].as_str().is_some_and(|signature| signature.contains("ledger.exe")));
    let changes = group.expect("the crashes")["changes_before"].as_array().expect("changes").clone();
    let told: Vec<(bool, u64, u64)> = changes
        .iter()
        .map(|change| {
            let common = change["says"].as_str().is_some_and(|says| says.contains("Common"));
            (common, change["hosts"].as_u64().expect("a number"), change["of_hosts"].as_u64().expect("a number"))
        })
        .collect();
    assert_eq!(told, [(true, 2, 3), (false, 1, 3), (false, 1, 3)], "{changes:?}");
}

/// The changes that the report lists before the crashes of `ledger.exe`, with these logs: channel, and the times of its
/// records before noon.
fn changes_with(logs: &[(&str, &[u64])]) -> (Option<usize>, Option<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (channel, before)) in logs.iter().enumerate() {
        let mut log = EventLog::new(channel, "A");
        for seconds in *before {
            log.add(product_installed(NOON.minus_seconds(*seconds), "Common", "1.0", "Nobody"));
        }
        if *channel == "Application" && before.contains(&HOUR) {
            log.add(crash(PLAIN, Layout::Positional));
        }
        std::fs::write(folder.path().join(format!("{number}.evtx")), log.to_bytes()).expect("a file");
    }
    let report = as_json(&report_of(folder.path().to_path_buf(), &Options::default()));
    let group = &report["groups"][0];
    let changes = group.get("changes_before").and_then(|changes| Some(changes.as_array()?.len()));
    (changes, group.get("changes_unknown").and_then(|text| text.as_str()).map(str::to_owned))
}

#[test]
fn a_hole_between_two_exports_or_a_log_that_ends_before_is_not_known() {
    const APPLICATION: (&str, &[u64]) = ("Application", &[40 * DAY, HOUR]);
    let unknown = |logs: &[(&str, &[u64])]| {
        let (changes, unknown) = changes_with(logs);
        assert_eq!(changes, None, "{logs:?}");
        unknown.expect("why")
    };
    let whole = changes_with(&[APPLICATION, ("System", &[60 * DAY, 2 * HOUR])]);
    assert_eq!(whole, (Some(1), None), "the last of what was installed");
    let text = unknown(&[APPLICATION, ("System", &[60 * DAY, 50 * DAY]), ("System", &[3 * HOUR, 2 * HOUR])]);
    assert!(text.contains("the System log of A begins 3 h before the first incident there"), "{text}");
    let text = unknown(&[APPLICATION, ("System", &[60 * DAY, 50 * DAY])]);
    assert!(text.contains("the System log of A ends 50 days before the first incident there"), "{text}");
    let text = unknown(&[APPLICATION]);
    assert!(text.contains("there is no System log of A"), "{text}");
    let text = unknown(&[("Application", &[50 * DAY]), ("Application", &[HOUR]), ("System", &[60 * DAY, HOUR])]);
    assert!(text.contains("the Application log of A begins 60 min before the first incident there"), "{text}");
}

/// A folder with these files, and what is more frequent in its groups than elsewhere.
fn more_often(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
    let report = report_of(folder.path().to_path_buf(), &Options::default());
    assert_eq!(report.incidents.len(), files.len());
    let sizes: Vec<usize> = report.groups.iter().map(|group| group.incidents.len()).collect();
    assert_eq!(sizes, [files.len() / 2; 2]);
    report.groups.iter().flat_map(|group| group.over_represented.iter().map(|found| found.says.clone())).collect()
}

#[test]
fn what_one_sort_of_files_leaves_out_is_no_difference() {
    let modules = [("app.exe", 0x1_4000_0000_u64), ("plug.dll", 0x7FFB_0000_0000), ("msvcp140.dll", 0x7FFB_1000_0000)];
    let at = |number: u32| NOON.plus_seconds(u64::from(number) * DAY);
    let dump = |number: u32| {
        let context = Context::at(0x7FFB_0000_5678, 0x42_7FCF_E000);
        let stack = Memory { address: 0x42_7FCF_E000, bytes: vec![0; 64] };
        let address = context.rip;
        let parameters = vec![1, 0x20];
        let exception = Exception { thread: 100, code: 0xC000_0005, flags: 0, address, parameters, context };
        let made = Minidump {
            time: at(number),
            flags: 0,
            system: System::windows(19045, Processor::coffee_lake()),
            process: Process { id: 4312 + 4 * number, started: at(number).minus_seconds(60), cpu_seconds: 3 },
            threads: vec![Thread { id: 100, name: None, teb: 0x42_7FB0_0000, stack, context }],
            exception: Some(exception),
            modules: modules
                .map(|(name, base)| {
                    Module::windows(&format!(r"C:\app\{name}"), Some(FileVersion([14, 2, 0, 1])), base, 0x1_0000)
                })
                .into(),
            unloaded: Vec::new(),
            memory: Vec::new(),
            regions: Vec::new(),
            annotations: Vec::new(),
            other_streams: Vec::new(),
        };
        (format!("a/{number}.dmp"), made.to_bytes())
    };
    let report = |number: u32| {
        let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let made = WerReport {
            event_type: "APPCRASH".to_owned(),
            time: at(number + 20),
            id: Guid::made_up(&format!("own {number}")),
            integrator_id: Guid::made_up(&format!("report {number}")),
            process: 8000 + 4 * number,
            started: at(number + 20).minus_seconds(60),
            app: "app.exe".to_owned(),
            app_path: r"C:\app\app.exe".to_owned(),
            signature: vec![
                value("Application Name", "app.exe"),
                value("Application Version", "14.2.0.1"),
                value("Application Timestamp", "11d4fc10"),
                value("Fault Module Name", "other.dll"),
                value("Fault Module Version", "4.2.0.9"),
                value("Fault Module Timestamp", "11d4fc10"),
                value("Exception Code", "c0000005"),
                value("Exception Offset", "0000000000012c40"),
            ],
            build: (19045, 3803),
            modules: modules.map(|(name, _)| format!(r"C:\app\{name}")).into(),
        };
        (format!("b{number}/Report.wer"), made.to_bytes())
    };
    let files: Vec<_> = (0..8).map(dump).chain((0..8).map(report)).collect();
    assert_eq!(more_often(&files), [""; 0]);
}

#[test]
fn drivers_of_stops_are_compared() {
    let stop = |number: u32, code: u32, with: &[&str]| {
        let kernel = 0xFFFF_F800_1000_0000;
        let mut drivers = vec![Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", kernel, 0x100_0000)];
        for (path, place) in with.iter().zip(1..) {
            drivers.push(Driver::new(path, kernel + 0x1000_0000 * place, 0x1_0000));
        }
        let made = TriageDump {
            stop: Stop {
                build: 19041,
                processors: 8,
                code,
                parameters: [0x1000 + u64::from(number), 2, 0, 0x1_0000],
                time: NOON.plus_seconds(u64::from(number) * DAY),
                uptime_seconds: 3600,
                context: Context::at(kernel + 0x1234, kernel + 0x9000),
                comment: None,
            },
            narrow: false,
            stack: vec![0; 64],
            drivers,
            unloaded: Vec::new(),
            named_driver: None,
            moment: None,
            secondary: vec![],
            memory: Vec::new(),
        };
        (format!("{number}.dmp"), made.to_bytes())
    };
    let with = [r"\SystemRoot\System32\drivers\ndis.sys", r"\SystemRoot\System32\drivers\overlay.sys"];
    let files: Vec<_> = (0..6)
        .map(|number| stop(number, 0xD1, &with))
        .chain((6..12).map(|number| stop(number, 0x0A, &with[..1])))
        .collect();
    assert_eq!(more_often(&files), ["overlay.sys in 6 of 6, against none of 6 other incidents"]);
}

#[test]
fn an_incident_is_in_the_timeline_once_and_its_records_are_not() {
    let report = as_json(&report_of(sample("victims-of-a-reset"), &Options::default()));
    let timeline = report["machines"][0]["timeline"].as_array().expect("a timeline");
    let told: Vec<&str> = timeline.iter().filter_map(|entry| entry["kind"].as_str()).collect();
    assert_eq!(told, ["driver-reset", "crash", "crash"], "nvlddmkm 153 and Display 4101 are one incident");
    for (entry, incident) in timeline.iter().zip(report["incidents"].as_array().expect("incidents")) {
        assert_eq!(entry["incident"], incident["id"]);
        assert_eq!(entry["time"], incident["time"]);
    }
}

#[test]
fn incidents_outside_of_the_time_span_have_no_id() {
    let whole = report_of(sample("victims-of-a-reset"), &Options::default());
    let options =
        Options { limits: Limits { since: whole.incidents[2].incident.time, until: None }, ..Options::default() };
    let report = as_json(&report_of(sample("victims-of-a-reset"), &options));
    let timeline = report["machines"][0]["timeline"].as_array().expect("a timeline");
    let with_id: Vec<bool> = timeline.iter().map(|entry| entry.get("incident").is_some()).collect();
    assert_eq!(with_id, [false, false, true]);
}

/// The coarse and fine signature of a crash.
fn signature(made: Made, layout: Layout) -> (String, String) {
    let mut log = EventLog::new("Application", "A");
    log.add(crash(made, layout));
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("A.evtx"), log.to_bytes()).expect("a file");
    let report = report_of(folder.path().to_path_buf(), &Options::default());
    let signature = report.incidents[0].incident.signature.clone();
    (signature.coarse, signature.fine)
}

#[test]
fn a_new_build_keeps_the_coarse_signature_and_changes_the_fine_one() {
    let (coarse, fine) = signature(PLAIN, Layout::Positional);
    for number in 2_u16..12 {
        let factor = u64::from(number);
        let module = if number % 2 == 0 { "core.dll" } else { "core-1a2b3c4d5e6f7081.dll" };
        let app = if number % 3 == 0 { "ledger-2.14.7.exe" } else { "Ledger.exe" };
        let layout = if number % 2 == 0 { Layout::Positional } else { Layout::Named };
        let other = Made {
            version: number,
            offset: 0x1000 + 0x31 * factor,
            after: 977 * factor,
            ran: factor,
            app,
            module,
            ..PLAIN
        };
        let (other_coarse, other_fine) = signature(other, layout);
        assert_eq!(other_coarse, coarse);
        assert_ne!(other_fine, fine);
    }
    // Another time and process id change nothing.
    assert_eq!(signature(Made { after: 9, ..PLAIN }, Layout::Named), (coarse, fine));
}

#[test]
fn another_module_code_or_program_changes_the_coarse_signature() {
    let (coarse, _) = signature(PLAIN, Layout::Positional);
    for other in [
        Made { module: "core2.dll", ..PLAIN },
        Made { code: 0xC000_001D, ..PLAIN },
        Made { app: "ledgerd.exe", ..PLAIN },
    ] {
        assert_ne!(signature(other, Layout::Positional).0, coarse);
    }
}
