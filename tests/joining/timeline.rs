//! The records around an incident, as rules see them.

use facts::Value;
use pipeline::{Options, Silent, analyze, inspect};
use rules::{RuleSet, Truth};
use samplekit::event_log::{Event, EventLog};
use samplekit::events::{
    Crash, DisplayDriver, Health, Image, Layout, MachineCheck, applocker_block, bad_block, defender_action,
    display_driver_installed, display_reset, drive_health, machine_check, product_installed,
};
use samplekit::{FileTime, FileVersion, Guid};

const DAY: u64 = 86_400;
const NOON: FileTime = FileTime::utc(2024, 5, 20, 12, 0, 0);
const PID: u32 = 4312;

/// A crash at noon of demo.exe in plugin.dll. The process had run for an hour.
fn crash() -> Event {
    crash_of(r"C:\Program Files\Demo\demo.exe", r"C:\Program Files\Demo\plugin.dll")
}

/// A crash at noon of a program in a module, both by their paths.
fn crash_of(program: &str, module: &str) -> Event {
    let image =
        |path: &str| Image { path: path.to_owned(), version: Some(FileVersion([2, 1, 0, 7])), timestamp: 0x6543_2100 };
    let crash = Crash {
        app: image(program),
        module: image(module),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: PID,
        started: NOON.minus_seconds(3600),
        time: NOON,
        report_id: Guid::made_up("timeline"),
    };
    crash.application_error(Layout::Positional)
}

/// The timeline around the crash when the machine's log also contains these events: for each entry the values of these
/// fields, with `-` for absent ones.
fn timeline(events: impl IntoIterator<Item = Event>, fields: &[&str]) -> Vec<String> {
    timeline_of(crash(), events, fields)
}

/// The same around another crash.
fn timeline_of(crash: Event, events: impl IntoIterator<Item = Event>, fields: &[&str]) -> Vec<String> {
    let events: Vec<Event> = events.into_iter().chain([crash.channel("Application")]).collect();
    timeline_in([("System", events)], fields)
}

/// The same around the crash in these logs.
fn timeline_in<const N: usize>(logs: [(&str, Vec<Event>); N], fields: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, events) in logs {
        let mut log = EventLog::new(name, "PC-1");
        for event in events {
            log.add(event);
        }
        std::fs::write(folder.path().join(name).with_extension("evtx"), log.to_bytes()).expect("a file");
    }
    let path = folder.path().to_path_buf();
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = inspect(&[path], &rules, &Options::default());
    let of_crash = inspected.incidents.iter().find(|(incident, _)| incident.kind.word() == "crash");
    let (_, facts) = of_crash.expect("the crash");
    let entries = facts.list("timeline").expect("a timeline");
    let text = |value: Option<&Value>| match value {
        Some(Value::Text(text)) => text.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        Some(other) => format!("{other:?}"),
        None => "-".to_owned(),
    };
    entries
        .iter()
        .map(|entry| fields.iter().map(|field| text(entry.get(field))).collect::<Vec<_>>().join(" "))
        .collect()
}

fn driver_installed(time: FileTime) -> Event {
    let driver = DisplayDriver {
        package: r"FileRepository\demo.inf_amd64_00\demo.inf",
        version: "1.2.3.4",
        provider: "Demo",
        device: r"PCI\VEN_0000&DEV_0000",
        description: "Demo Graphics",
    };
    display_driver_installed(time, driver)
}

#[test]
fn what_was_installed_is_seen_for_a_week_and_the_rest_for_a_day() {
    let events = [
        driver_installed(NOON.minus_seconds(8 * DAY)),
        driver_installed(NOON.minus_seconds(6 * DAY)),
        display_reset(NOON.minus_seconds(30 * 3600), "demo"),
        driver_installed(NOON.minus_seconds(25 * 3600)),
        display_reset(NOON.minus_seconds(7200), "demo"),
    ];
    let seen = timeline(events, &["kind", "seconds_before"]);
    // The crash is logged a fraction of a second after noon.
    assert_eq!(seen, ["driver-reset 7200", "driver-install 90000", "driver-install 518400"]);
}

#[test]
fn a_file_of_the_incident_is_recognized_by_its_whole_path_and_an_equal_name_elsewhere_is_only_a_mention() {
    let acted = |seconds, file: &str, process: &str| {
        defender_action(NOON.minus_seconds(seconds), "Demo", file, process, "Quarantine").channel("Defender")
    };
    let events = [
        acted(80, r"file:_C:\Program Files\Demo\demo.EXE", "Unknown"),
        acted(70, r"file:_C:\Users\u\Downloads\demo.exe", "Unknown"),
        acted(60, r"file:_C:\Program Files\Demo\PLUGIN.dll", "Unknown"),
        acted(50, r"file:_C:\a\x.dll; file:_C:\a\plugin.dll", "Unknown"),
        // The process that accessed the malware does not need the file.
        acted(40, r"file:_C:\a\x.dll", r"C:\Program Files\Demo\demo.exe"),
        acted(30, r"file:_C:\a\myplugin.dll", r"C:\a\notdemo.exe"),
    ];
    let seen = timeline(events, &["seconds_before", "names"]);
    assert_eq!(seen, ["30 -", "40 mentioned", "50 mentioned", "60 module", "70 mentioned", "80 program"]);
}

#[test]
fn a_refusal_to_the_running_process_is_recognized_by_its_id() {
    let refused = |seconds, file, pid| applocker_block(NOON.minus_seconds(seconds), file, pid).channel("AppLocker");
    let events = [
        // Before the process started, another process had its id.
        refused(3700, r"C:\a\x.dll", PID),
        refused(30, r"C:\a\tool.exe", PID),
        refused(20, r"C:\a\x.dll", PID),
        refused(10, r"C:\a\x.dll", PID + 4),
    ];
    // After the crash, another process has it again.
    let later = applocker_block(NOON.plus_seconds(20), r"C:\a\x.dll", PID).channel("AppLocker");
    assert_eq!(timeline([later], &["kind", "names"]), ["image-refused -"]);
    let seen = timeline(events, &["kind", "seconds_before", "names"]);
    let expected = ["image-refused 10 -", "image-refused 20 wanted", "image-refused 30 parent", "image-refused 3700 -"];
    assert_eq!(seen, expected);
}

#[test]
fn installations_do_not_crowd_out_what_failed() {
    let mut events = vec![display_reset(NOON.minus_seconds(7200), "demo")];
    // A driver for each of many devices, every two minutes, each with three records.
    for number in 0..200 {
        let time = NOON.minus_seconds(60 + number * 120);
        events.extend((0..3).map(|_| driver_installed(time)));
    }
    let seen = timeline(events, &["kind", "seconds_before"]);
    assert_eq!(seen.iter().filter(|entry| entry.starts_with("driver-reset")).count(), 1, "{seen:?}");
    let installed: Vec<&String> = seen.iter().filter(|entry| entry.starts_with("driver-install")).collect();
    assert_eq!(installed.len(), 64);
    assert_eq!((installed[0].as_str(), installed[1].as_str()), ("driver-install 60", "driver-install 180"));
}

#[test]
fn what_was_installed_before_the_first_crash_of_a_kind_has_its_distance() {
    let fields = ["kind", "seconds_before_first"];
    let driver = || driver_installed(NOON.minus_seconds(3600));
    let seen =
        |application: Vec<Event>| timeline_in([("System", vec![driver()]), ("Application", application)], &fields);
    assert_eq!(seen(vec![crash()]), ["driver-install -"], "the Application log begins with the crash");
    let product = |name, seconds| product_installed(NOON.minus_seconds(seconds), name, "1.0", "Demo");
    let begun = seen(vec![product("Tool", 7200), crash()]);
    assert_eq!(begun, ["driver-install -", "software-install -"], "the log begins with what was installed");
    let begun = seen(vec![product("Old", 40 * 3600), product("Tool", 7200), crash()]);
    assert_eq!(begun, ["driver-install 3600", "software-install 7200", "software-install -"]);
    let late = seen(vec![product("Tool", 1800), crash()]);
    assert_eq!(late, ["software-install -", "driver-install -"], "crashes were recorded only after the driver came");
}

#[test]
fn records_of_one_reset_are_of_one_incident() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/driver-install-then-resets");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = inspect(&[path], &rules, &Options::default());
    let resets = |entries: &[facts::Record]| -> Vec<Option<Value>> {
        let resets = entries.iter().filter(|entry| entry.get("kind") == Some(&Value::Text("driver-reset".into())));
        resets.map(|entry| entry.get("incident").cloned()).collect()
    };
    let timelines = inspected.incidents.iter().filter_map(|(_, facts)| facts.list("timeline"));
    let of_second = timelines.map(resets).find(|resets| resets.len() == 2).expect("an incident after one reset");
    assert!(of_second[0].is_some() && of_second[0] == of_second[1], "{of_second:?}");
}

#[test]
fn a_failed_request_has_the_status_of_its_packet() {
    let events = [bad_block(NOON.minus_seconds(5), r"\Device\Harddisk0\DR0", 0xC000_009C)];
    let expected = format!("storage-error {}", 0xC000_009C_u32);
    assert_eq!(timeline(events, &["kind", "status"]), [expected]);
}

#[test]
fn an_ailing_drive_is_the_program_s_own_only_where_letters_and_the_start_of_windows_say_so() {
    let ailing = || {
        let health = Health { warning: 4, kelvin: 310, spare: 3, used: 100, media_errors: 9 };
        drive_health(NOON.minus_seconds(600), "Demo 1TB", health).channel("Storport")
    };
    let fields = ["kind", "drive"];
    let windows = r"C:\Windows\System32\ntdll.dll";
    assert_eq!(timeline_of(crash_of(r"C:\a\demo.exe", windows), [ailing()], &fields), ["drive-health same"]);
    assert_eq!(timeline_of(crash_of(r"D:\a\demo.exe", windows), [ailing()], &fields), ["drive-health -"]);
    assert_eq!(timeline([ailing()], &fields), ["drive-health -"], "nothing says where Windows is");
}

#[test]
fn a_machine_check_shows_which_part_reported_what_kind_of_error() {
    let check = |status| MachineCheck { apic_id: 6, bank: 5, status, address: 0, error_type: 10 };
    let events = [
        machine_check(NOON.minus_seconds(60), check(0xBEA0_0000_0000_0108)),
        machine_check(NOON.minus_seconds(50), check(0xBC00_0040_0001_0090)),
        machine_check(NOON.minus_seconds(40), check(0)),
    ];
    let seen = timeline(events, &["kind", "component", "machine_check"]);
    let expected = ["hardware-error processor -", "hardware-error processor memory", "hardware-error processor cache"];
    assert_eq!(seen, expected);
}

/// Whether a rule about a reset of the display driver on this side of the crash matches the crash.
fn reset_is_found(side: &str, reset: FileTime) -> bool {
    let rule = format!(
        "schema: 1
rules:
  - id: demo/reset
    title: The display driver was reset
    cause: gpu-timeout
    confidence: 0.6
    severity: medium
    selections:
      reset:
        timeline|any: {{kind: driver-reset, {side}|lte: 60}}
    explanation: It was reset.
    remediation: [{{audience: helpdesk, text: Nothing.}}, {{audience: developer, text: Nothing.}}]
    references: [https://example.com]
    tests:
      - {{name: near, facts: {{timeline: [{{kind: driver-reset, {side}: 5}}]}}, expect: match}}
      - {{name: far, facts: {{timeline: [{{kind: driver-reset, {side}: 500}}]}}, expect: no-match}}
"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (file, path) = (folder.path().join("rules.yaml"), folder.path().join("Saved.evtx"));
    std::fs::write(&file, rule).expect("a file");
    let mut log = EventLog::new("System", "PC-1");
    log.add(display_reset(reset, "demo"));
    log.add(crash().channel("Application"));
    std::fs::write(&path, log.to_bytes()).expect("a file");
    let rules = RuleSet::load(false, &[file]).expect("a rule");
    let report = analyze(&[path], &rules, &Options::default(), &Silent);
    let mut crashes = report.incidents.iter().filter(|judged| judged.incident.kind.word() == "crash");
    !crashes.next().expect("the crash").findings.is_empty()
}

#[test]
fn what_came_before_is_not_found_after() {
    let (before, after) = (NOON.minus_seconds(20), NOON.plus_seconds(20));
    assert!(reset_is_found("seconds_before", before) && !reset_is_found("seconds_before", after));
    assert!(reset_is_found("seconds_after", after) && !reset_is_found("seconds_after", before));
}

/// The outcome of a rule about a new driver and a following reset for a crash, with a System log of the day before it.
fn driver_then_reset(driver: FileTime, reset: FileTime) -> Truth {
    let rule = "schema: 1
rules:
  - id: demo/order
    title: A new driver, then a reset
    cause: gpu-timeout
    confidence: 0.6
    severity: medium
    selections:
      order:
        timeline|sequence: [{kind: driver-install}, {kind: driver-reset}]
    explanation: It was reset.
    remediation: [{audience: helpdesk, text: Nothing.}]
    references: [https://example.com]
    tests:
      - name: in order
        facts: {timeline: [{kind: driver-install, seconds_before: 9}, {kind: driver-reset, seconds_before: 5}]}
        expect: match
      - {name: nothing, facts: {timeline: []}, expect: no-match}
";
    let folder = tempfile::tempdir().expect("a folder");
    let (file, path) = (folder.path().join("rules.yaml"), folder.path().join("Saved.evtx"));
    std::fs::write(&file, rule).expect("a file");
    let mut log = EventLog::new("System", "PC-1");
    log.add(bad_block(NOON.minus_seconds(8 * DAY), r"\Device\Harddisk0\DR0", 0xC000_009C));
    log.add(driver_installed(driver));
    log.add(display_reset(reset, "demo"));
    log.add(crash().channel("Application"));
    std::fs::write(&path, log.to_bytes()).expect("a file");
    let rules = RuleSet::load(false, &[file]).expect("a rule");
    let inspected = inspect(&[path], &rules, &Options::default());
    let of_crash = inspected.incidents.iter().find(|(incident, _)| incident.kind.word() == "crash");
    rules.trace("demo/order", &of_crash.expect("the crash").1).expect("a rule").condition
}

#[test]
fn the_order_of_what_came_before_is_known_without_what_comes_after() {
    let (hour, minute) = (NOON.minus_seconds(3_600), NOON.minus_seconds(60));
    assert_eq!(driver_then_reset(hour, minute), Truth::True);
    assert_eq!(driver_then_reset(minute, hour), Truth::False);
}
