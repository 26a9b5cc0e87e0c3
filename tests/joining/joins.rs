//! Which evidence is of one incident and which is of two: artifacts as Windows writes them, analyzed by the real
//! program.
//!
//! A test writes artifacts and states which of them are evidence of the same incident: `a.dmp` is a file,
//! `Application.evtx#3` a record of a log. Every artifact and record that is evidence must be listed, and in its own
//! incident only.

use std::fs;

use samplekit::event_log::{Event, EventLog, Provider};
use samplekit::events::{
    Crash, Hang, Image, Layout, LostPower, ManagedCrash, bugcheck, display_reset, ended_by_other, kernel_power,
    missing_dll_popup, nvidia_driver, process_exit, thermal_shutdown, unclean_shutdown,
};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, Minidump, Processor, StackImage, System};
use samplekit::{FileTime, FileVersion, Guid};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{list, report, text};

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

/// A crash of `app` in its plug-in, a minute after its start.
pub(super) fn crash(app: &str, process: u32, time: FileTime) -> Crash {
    let image = |name: &str| Image {
        path: format!(r"C:\Program Files\Demo\{name}"),
        version: Some(FileVersion([2, 1, 0, 7])),
        timestamp: 0x6543_2100,
    };
    Crash {
        app: image(app),
        module: image("plugin.dll"),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process,
        started: time.minus_seconds(60).plus_micros(281_500),
        time,
        report_id: Guid::made_up(&format!("{app} {process} {}", time.0)),
    }
}

/// The dump of a crash.
pub(super) fn dump(crash: &Crash) -> Vec<u8> {
    Minidump::of_crash(crash).to_bytes()
}

/// The same on a machine with this processor.
fn dump_on(crash: &Crash, processor: Processor) -> Vec<u8> {
    Minidump { system: System::windows(19045, processor), ..Minidump::of_crash(crash) }.to_bytes()
}

fn wer_event(crash: &Crash) -> Event {
    crash.wer_event(Layout::Positional, "Not available", 4)
}

fn error_event(crash: &Crash) -> Event {
    crash.application_error(Layout::Positional)
}

/// .NET Runtime 1026 of a program's crash.
fn runtime_event(crash: &Crash) -> Event {
    ManagedCrash {
        app: crash.app.clone(),
        time: crash.time,
        report_id: crash.report_id,
        text: format!(
            "Application: {}\nFramework Version: v4.0.30319\nException Info: System.OverflowException\n   at A.Main()\n",
            crash.app.name()
        ),
        exception: "System.OverflowException".to_owned(),
    }
    .runtime_event()
}

/// A folder of artifacts.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(super) fn file(&self, name: &str, bytes: &[u8]) -> &Self {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
        self
    }

    /// A log whose records are numbered from 1.
    pub(super) fn log(&self, name: &str, computer: &str, events: impl IntoIterator<Item = Event>) -> &Self {
        let mut log = EventLog::new(name.trim_end_matches(".evtx"), computer);
        for event in events {
            log.add(event);
        }
        self.file(name, &log.to_bytes())
    }

    pub(super) fn report(&self) -> Value {
        report(self.0.path())
    }

    /// The artifacts and records with evidence of an incident, sorted.
    fn evidence(&self, incident: &Value) -> Vec<String> {
        let folder = format!("{}/", untrusted::display_path(self.0.path()));
        let mut all: Vec<String> = list(incident, "evidence")
            .iter()
            .map(|item| {
                let file = text(item, "artifact").strip_prefix(&folder).expect("a path below the folder");
                match text(item, "place").strip_prefix("record ") {
                    Some(record) => format!("{file}#{record}"),
                    None => file.to_owned(),
                }
            })
            .collect();
        all.sort();
        all
    }
}

/// Fails unless the folder's incidents have exactly this evidence each.
#[track_caller]
pub(super) fn assert_incidents(folder: &Folder, expected: &[&[&str]]) -> Value {
    let report = folder.report();
    let mut found: Vec<Vec<String>> =
        list(&report, "incidents").iter().map(|incident| folder.evidence(incident)).collect();
    found.sort();
    let mut expected: Vec<Vec<String>> =
        expected.iter().map(|files| files.iter().map(|file| (*file).to_owned()).collect()).collect();
    expected.iter_mut().for_each(|files| files.sort());
    expected.sort();
    assert_eq!(found, expected, "{:#}", report["incidents"]);
    assert_eq!(report["summary"]["incidents"], found.len());
    for artifact in list(&report, "artifacts") {
        assert_eq!(artifact["status"], "ok", "{artifact}");
    }
    report
}

/// The incident that a file or record is evidence of.
#[track_caller]
pub(super) fn incident<'r>(folder: &Folder, report: &'r Value, evidence: &str) -> &'r Value {
    list(report, "incidents")
        .iter()
        .find(|incident| folder.evidence(incident).iter().any(|one| one == evidence))
        .unwrap_or_else(|| panic!("no incident rests on {evidence}: {:#}", report["incidents"]))
}

#[test]
fn all_artifacts_of_one_crash_are_one_incident() {
    for layout in [Layout::Positional, Layout::Named] {
        let crash = crash("demo.exe", 4312, NOON);
        let folder = Folder::new();
        // Queued, sent, answered: Windows logs event 1001 again each time.
        folder
            .file("demo.exe.4312.dmp", &dump(&crash))
            .file("Report.wer", &crash.report((19045, 3693), &[]).to_bytes());
        folder.log(
            "Application.evtx",
            "PC-1",
            [
                crash.application_error(layout),
                crash.wer_event(layout, "Not available", 4),
                crash.wer_event(layout, "Not available", 97),
                crash.wer_event(layout, "Not available", 268_435_456),
            ],
        );
        let report = assert_incidents(
            &folder,
            &[&[
                "demo.exe.4312.dmp",
                "Report.wer",
                "Application.evtx#1",
                "Application.evtx#2",
                "Application.evtx#3",
                "Application.evtx#4",
            ]],
        );
        // The incident combines them: the log names its host, the dump has its parameters.
        let incident = &report["incidents"][0];
        assert_eq!(incident["kind"], "crash");
        assert_eq!(incident["host"], "PC-1");
        assert_eq!(incident["process"]["name"], "demo.exe");
        assert_eq!(incident["process"]["pid"], 4312);
        assert_eq!(incident["exception"]["parameters"][1], "0x18");
        assert_eq!(incident["fault_site"]["module"], "plugin.dll");
        assert_eq!(incident["fault_site"]["offset"], "0x1234");
    }
}

#[test]
fn the_metadata_beside_a_report_joins_it_and_its_event_by_the_reports_own_id() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    let report = crash.report((19045, 3693), &[]);
    folder.file("Report.wer", &report.to_bytes()).file("WERInternalMetadata.xml", &report.metadata_bytes());
    folder.log("Application.evtx", "PC-1", [crash.application_error(Layout::Named)]);
    let analyzed = assert_incidents(&folder, &[&["Report.wer", "WERInternalMetadata.xml", "Application.evtx#1"]]);
    let metadata = list(&analyzed, "artifacts").iter().find(|one| text(one, "path").ends_with(".xml")).expect("listed");
    assert_eq!((text(metadata, "kind"), text(metadata, "status")), ("wer-report", "ok"));
}

#[test]
fn metadata_alone_is_evidence_of_the_crash() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.file("WERInternalMetadata.xml", &crash.report((19045, 3693), &[]).metadata_bytes());
    let report = assert_incidents(&folder, &[&["WERInternalMetadata.xml"]]);
    let incident = &report["incidents"][0];
    assert_eq!((&incident["kind"], &incident["process"]["name"]), (&"crash".into(), &"demo.exe".into()));
    assert_eq!(incident["fault_site"]["module"], "plugin.dll");
    assert_eq!(incident["process"]["pid"], 4312);
    assert!(text(&incident["environment"], "os").contains("build 19045"), "{}", incident["environment"]);
}

#[test]
fn metadata_with_another_id_joins_the_only_report_of_its_folder_with_the_same_signature() {
    let (first, second) = (crash("demo.exe", 4312, NOON), crash("tool.exe", 99, NOON));
    let folder = Folder::new();
    let mut other_id = first.report((19045, 3693), &[]);
    other_id.id = Guid::made_up("another");
    folder.file("1/Report.wer", &first.report((19045, 3693), &[]).to_bytes());
    folder.file("1/WERInternalMetadata.xml", &other_id.metadata_bytes());
    folder.file("2/Report.wer", &second.report((19045, 3693), &[]).to_bytes());
    folder.file("3/WERInternalMetadata.xml", &other_id.metadata_bytes());
    // The metadata in the third folder has the same id as that of the first, so it is of the same report.
    assert_incidents(
        &folder,
        &[&["1/Report.wer", "1/WERInternalMetadata.xml", "3/WERInternalMetadata.xml"], &["2/Report.wer"]],
    );
}

#[test]
fn the_same_crash_on_two_computers_is_two_incidents_and_a_dump_that_fits_both_joins_neither() {
    let mut crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&crash));
    folder.log("A.evtx", "PC-A", [error_event(&crash), wer_event(&crash)]);
    crash.report_id = Guid::made_up("of PC-B");
    folder.log("B.evtx", "PC-B", [error_event(&crash), wer_event(&crash)]);
    let report =
        assert_incidents(&folder, &[&["demo.exe.4312.dmp"], &["A.evtx#1", "A.evtx#2"], &["B.evtx#1", "B.evtx#2"]]);
    assert_eq!(incident(&folder, &report, "A.evtx#1")["host"], "PC-A");
    assert_eq!(incident(&folder, &report, "B.evtx#1")["host"], "PC-B");
    assert_eq!(incident(&folder, &report, "demo.exe.4312.dmp").get("host"), None);
}

#[test]
fn two_computers_of_one_image_that_share_even_the_report_id_stay_two() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.file("Report.wer", &crash.report((19045, 3693), &[]).to_bytes());
    folder.log("A.evtx", "PC-A", [error_event(&crash), wer_event(&crash)]);
    folder.log("B.evtx", "PC-B", [error_event(&crash), wer_event(&crash)]);
    assert_incidents(&folder, &[&["Report.wer"], &["A.evtx#1", "A.evtx#2"], &["B.evtx#1", "B.evtx#2"]]);
}

#[test]
fn two_crashes_of_one_program_a_minute_apart_stay_two() {
    let first = crash("demo.exe", 4312, NOON);
    // Started again at once, with the id of the process that ended.
    for process in [5120, 4312] {
        let second = crash("demo.exe", process, NOON.plus_seconds(61));
        let folder = Folder::new();
        folder.file("first.dmp", &dump(&first)).file("second.dmp", &dump(&second));
        folder.file("1/Report.wer", &first.report((19045, 3693), &[]).to_bytes());
        folder.file("2/Report.wer", &second.report((19045, 3693), &[]).to_bytes());
        // Queued reports are sent later, in any order.
        let events = [error_event(&first), error_event(&second), wer_event(&second), wer_event(&first)];
        folder.log("Application.evtx", "PC-1", events);
        assert_incidents(
            &folder,
            &[
                &["first.dmp", "1/Report.wer", "Application.evtx#1", "Application.evtx#4"],
                &["second.dmp", "2/Report.wer", "Application.evtx#2", "Application.evtx#3"],
            ],
        );
    }
}

#[test]
fn a_dotnet_record_joins_the_crash_record_of_its_own_program() {
    let ours = crash("ours.exe", 4312, NOON);
    let other = crash("other.exe", 5120, NOON.plus_micros(200_000));
    let folder = Folder::new();
    let events =
        [runtime_event(&other), runtime_event(&ours), error_event(&ours), error_event(&other), wer_event(&ours)];
    folder.log("Application.evtx", "PC-1", events);
    let report = assert_incidents(
        &folder,
        &[
            &["Application.evtx#2", "Application.evtx#3", "Application.evtx#5"],
            &["Application.evtx#1", "Application.evtx#4"],
        ],
    );
    let incident = incident(&folder, &report, "Application.evtx#2");
    assert_eq!(incident["process"]["name"], "ours.exe");
    assert_eq!(incident["exception"]["code"], "0xC0000005");
}

#[test]
fn a_dotnet_record_without_a_crash_record_nearby_is_an_incident_of_its_own() {
    let earlier = crash("demo.exe", 4312, NOON);
    let later = crash("demo.exe", 5120, NOON.plus_seconds(300));
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", [runtime_event(&earlier), error_event(&later)]);
    assert_incidents(&folder, &[&["Application.evtx#1"], &["Application.evtx#2"]]);
}

#[test]
fn two_dotnet_crashes_within_seconds_have_a_record_each() {
    let first = crash("demo.exe", 4312, NOON);
    let second = crash("demo.exe", 5120, NOON.plus_seconds(3));
    let folder = Folder::new();
    let events = [runtime_event(&first), error_event(&first), runtime_event(&second), error_event(&second)];
    folder.log("Application.evtx", "PC-1", events);
    assert_incidents(
        &folder,
        &[&["Application.evtx#1", "Application.evtx#2"], &["Application.evtx#3", "Application.evtx#4"]],
    );
}

const PARAMETERS: [u64; 4] = [0xFFFF_A98C_0110_5010, 0xFFFF_F803_7B4D_7A1C, 0, 4];

/// The records of the System log when the system starts after a blue screen.
fn restart(start: FileTime, report: &str) -> [Event; 3] {
    let mut parameters = PARAMETERS;
    parameters[0] += start.0 & 0xFFFF_F000;
    let stop = LostPower { code: 0x116, parameters, power_button: None };
    [
        kernel_power(start, stop),
        unclean_shutdown(start.plus_seconds(9), start.minus_seconds(40), 2, 934),
        bugcheck(start.plus_seconds(21), 0x116, parameters, r"C:\Windows\MEMORY.DMP", Guid::made_up(report)),
    ]
}

#[test]
fn all_records_of_one_restart_are_one_bugcheck() {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", restart(NOON, "first"));
    let report = assert_incidents(&folder, &[&["System.evtx#1", "System.evtx#2", "System.evtx#3"]]);
    assert_eq!(report["incidents"][0]["kind"], "bugcheck");
    assert_eq!(report["incidents"][0]["bugcheck"]["code"], "0x00000116");
}

#[test]
fn two_restarts_within_four_minutes_are_two() {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [restart(NOON, "first"), restart(NOON.plus_seconds(230), "second")].concat());
    assert_incidents(
        &folder,
        &[&["System.evtx#1", "System.evtx#2", "System.evtx#3"], &["System.evtx#4", "System.evtx#5", "System.evtx#6"]],
    );
}

#[test]
fn two_power_losses_within_four_minutes_are_two() {
    let lost = |start: FileTime| {
        [
            kernel_power(start, LostPower::default()),
            unclean_shutdown(start.plus_seconds(9), start.minus_seconds(40), 2, 934),
        ]
    };
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [lost(NOON), lost(NOON.plus_seconds(200))].concat());
    let report = assert_incidents(&folder, &[&["System.evtx#1", "System.evtx#2"], &["System.evtx#3", "System.evtx#4"]]);
    for incident in list(&report, "incidents") {
        assert_eq!(incident["kind"], "power-loss");
    }
}

#[test]
fn a_kernel_dump_joins_the_restart_that_it_was_written_in() {
    let [_, _, ours] = restart(NOON, "first");
    let mut parameters = PARAMETERS;
    parameters[0] += NOON.0 & 0xFFFF_F000;
    let folder = Folder::new();
    folder.file("050624-9531-01.dmp", &triage(0x116, parameters));
    folder.log("System.evtx", "PC-1", [vec![ours], restart(NOON.plus_seconds(7200), "later").to_vec()].concat());
    assert_incidents(
        &folder,
        &[&["050624-9531-01.dmp", "System.evtx#1"], &["System.evtx#2", "System.evtx#3", "System.evtx#4"]],
    );
}

/// The dump of a blue screen, half a minute before noon.
fn triage(code: u32, parameters: [u64; 4]) -> Vec<u8> {
    triage_at(NOON.minus_seconds(35), code, parameters)
}

/// The dump of a blue screen.
fn triage_at(time: FileTime, code: u32, parameters: [u64; 4]) -> Vec<u8> {
    let triage = TriageDump {
        stop: Stop {
            build: 19041,
            processors: 8,
            code,
            parameters,
            time,
            uptime_seconds: 934,
            context: Context::at(0xFFFF_F803_5A7F_73B0, 0xFFFF_CF82_3C1E_7000),
            comment: None,
        },
        narrow: false,
        stack: StackImage::new(0xFFFF_CF82_3C1E_7000).locals(8).memory().bytes,
        drivers: vec![Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", 0xFFFF_F803_5A40_0000, 0x104_6000)],
        unloaded: vec![],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    };
    triage.to_bytes()
}

#[test]
fn a_dump_joins_the_record_that_names_its_file_unless_two_computers_have_one() {
    let named = |name: &str, code: u32, seconds: u64| {
        let path = format!(r"C:\Windows\Minidump\{name}");
        bugcheck(NOON.plus_seconds(seconds), code, [0; 4], &path, Guid::made_up(&format!("{name} {seconds}")))
    };
    let folder = Folder::new();
    folder.file("dumps/050624-9531-01.dmp", &triage(0xE2, [0; 4]));
    // A record that is older than the dump, and one of another file.
    let older = named("050624-9531-01.dmp", 0xE2, 0).at(NOON.minus_seconds(9000));
    let records = [older, named("050624-9999-01.dmp", 0xE2, 60), named("050624-9531-01.dmp", 0xE2, 1800)];
    folder.log("logs/A.evtx", "PC-A", records);
    let report = folder.report();
    let made_of = |folder: &Folder, report: &Value| incident_of(folder, report, "dumps/050624-9531-01.dmp");
    assert_eq!(made_of(&folder, &report), ["dumps/050624-9531-01.dmp", "logs/A.evtx#3"]);

    folder.log("logs/B.evtx", "PC-B", [named("050624-9531-01.dmp", 0xE2, 1800)]);
    let report = folder.report();
    assert_eq!(made_of(&folder, &report), ["dumps/050624-9531-01.dmp"]);
}

/// The joins of the incident of a file or record, without other records of the machine that findings cite.
fn incident_of(folder: &Folder, report: &Value, evidence: &str) -> Vec<String> {
    let mut incident = incident(folder, report, evidence).clone();
    let items = incident["evidence"].as_array_mut().expect("a list");
    items.retain(|item| item["joined_by"]["key"] != "machine");
    folder.evidence(&incident)
}

#[test]
fn copies_of_a_dump_are_one_incident() {
    let bytes = dump(&crash("demo.exe", 4312, NOON));
    let folder = Folder::new();
    folder.file("from the user/demo.exe.4312.dmp", &bytes).file("ticket 17/crash (1).dmp", &bytes);
    assert_incidents(&folder, &[&["from the user/demo.exe.4312.dmp", "ticket 17/crash (1).dmp"]]);
}

#[test]
fn a_burst_of_display_resets_is_one_gpu_reset() {
    let folder = Folder::new();
    let reset = |seconds| display_reset(NOON.plus_seconds(seconds), "nvlddmkm");
    let driver = nvidia_driver(NOON.plus_seconds(31), 153, &[r"\Device\Video3", "Restarting TDR occurred"]);
    folder.log("System.evtx", "PC-1", [reset(0), reset(30), driver, reset(75), reset(130), reset(900)]);
    let report = assert_incidents(
        &folder,
        &[&["System.evtx#1", "System.evtx#2", "System.evtx#3", "System.evtx#4", "System.evtx#5"], &["System.evtx#6"]],
    );
    for incident in list(&report, "incidents") {
        assert_eq!(incident["kind"], "gpu-reset");
        assert_eq!(incident["host"], "PC-1");
    }
}

#[test]
fn forwarded_events_stay_with_their_computers() {
    // Three computers of one image fail in the same second, twice, and the collector's log contains all records.
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    let mut events = Vec::new();
    for computer in ["PC-A.example.org", "PC-B.example.org", "PC-C.example.org"] {
        let mut crash = crash.clone();
        crash.report_id = Guid::made_up(computer);
        events.push(error_event(&crash).computer(computer));
        events.push(wer_event(&crash).computer(computer));
        events.push(display_reset(NOON.plus_seconds(3600), "nvlddmkm").computer(computer));
    }
    // The .NET record of a fourth, whose Application Error was not forwarded.
    events.push(runtime_event(&crash).computer("PC-D.example.org"));
    // Restarts of two computers, mixed.
    let restarts = restart(NOON.plus_seconds(1000), "A").into_iter().zip(restart(NOON.plus_seconds(1001), "B"));
    for (a, b) in restarts {
        events.extend([a.computer("PC-A.example.org"), b.computer("PC-B.example.org")]);
    }
    folder.log("ForwardedEvents.evtx", "COLLECTOR", events);
    let of = |records: &[u32]| -> Vec<String> {
        records.iter().map(|record| format!("ForwardedEvents.evtx#{record}")).collect()
    };
    let expected = [
        of(&[1, 2]),
        of(&[3]),
        of(&[4, 5]),
        of(&[6]),
        of(&[7, 8]),
        of(&[9]),
        of(&[10]),
        of(&[11, 13, 15]),
        of(&[12, 14, 16]),
    ];
    let expected: Vec<Vec<&str>> = expected.iter().map(|files| files.iter().map(String::as_str).collect()).collect();
    let expected: Vec<&[&str]> = expected.iter().map(Vec::as_slice).collect();
    let report = assert_incidents(&folder, &expected);

    for (record, computer) in
        [(1, "A"), (3, "A"), (4, "B"), (6, "B"), (7, "C"), (9, "C"), (10, "D"), (11, "A"), (12, "B")]
    {
        let incident = incident(&folder, &report, &format!("ForwardedEvents.evtx#{record}"));
        assert_eq!(incident["host"], format!("PC-{computer}.example.org"), "record {record}");
    }
    let hosts: Vec<&str> = list(&report, "machines").iter().map(|machine| text(machine, "host")).collect();
    assert_eq!(hosts, ["PC-A.example.org", "PC-B.example.org", "PC-C.example.org", "PC-D.example.org"]);
    // They are alike, so there is one group, which counts every computer.
    let crashes = incident(&folder, &report, "ForwardedEvents.evtx#1");
    let group = list(&report, "groups")
        .iter()
        .find(|group| list(group, "incidents").contains(&crashes["id"]))
        .expect("every incident has its group");
    assert_eq!((list(group, "incidents").len(), &group["hosts"]), (3, &Value::from(3)));
}

#[test]
fn a_computers_name_is_the_same_in_both_cases() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    let events = [error_event(&crash).computer("pc-1"), wer_event(&crash).computer("PC-1")];
    folder.log("Application.evtx", "PC-1", events);
    let report = assert_incidents(&folder, &[&["Application.evtx#1", "Application.evtx#2"]]);
    assert_eq!(list(&report, "machines").len(), 1);
}

#[test]
fn an_incident_keeps_its_id_wherever_its_evidence_lies() {
    let first = crash("demo.exe", 4312, NOON);
    let second = crash("demo.exe", 5120, NOON.plus_seconds(61));
    let ids = |names: [&str; 3]| {
        let folder = Folder::new();
        folder.file(names[0], &dump(&first)).file(names[1], &dump(&second));
        folder.log(names[2], "PC-1", [error_event(&first), wer_event(&first), error_event(&second)]);
        let report = folder.report();
        let mut ids: Vec<String> =
            list(&report, "incidents").iter().map(|incident| text(incident, "id").to_owned()).collect();
        ids.sort();
        ids
    };
    let here = ids(["a.dmp", "b.dmp", "Application.evtx"]);
    // With other names and folders, the dumps are read in another order.
    let there = ids(["z/crash.dmp", "crash.dmp", "logs/saved.evtx"]);
    assert_eq!(here.len(), 2);
    assert_eq!(here, there);
}

/// Security-Auditing 4689 of a program's process, this many seconds after noon.
fn exit(app: &str, process: u32, code: u32, seconds: u64) -> Event {
    process_exit(NOON.plus_seconds(seconds), &format!(r"C:\Program Files\Demo\{app}"), process, code)
}

#[test]
fn the_end_of_a_process_joins_the_crash_that_it_explains() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", [error_event(&crash)]);
    let exits = [
        exit("demo.exe", 4312, 0xC000_0005, 95),
        // Another process of the program, another program, and an end that is not caused by a crash.
        exit("demo.exe", 5120, 0xC000_0005, 96),
        exit("other.exe", 4312, 0xC000_0005, 97),
        exit("demo.exe", 7000, 0, 98),
    ];
    folder.log("Security.evtx", "PC-1", exits);
    let report = assert_incidents(
        &folder,
        &[&["Application.evtx#1", "Security.evtx#1"], &["Security.evtx#2"], &["Security.evtx#3"]],
    );
    assert_eq!(incident(&folder, &report, "Security.evtx#1")["kind"], "crash");
    let alone = incident(&folder, &report, "Security.evtx#2");
    assert_eq!((&alone["kind"], &alone["exception"]["code"]), (&"exit".into(), &"0xC0000005".into()));
    assert_eq!((&alone["process"]["name"], &alone["process"]["pid"]), (&"demo.exe".into(), &5120.into()));
}

#[test]
fn an_end_before_a_crash_or_long_after_it_is_that_of_another_process() {
    let crash = crash("demo.exe", 4312, NOON.plus_seconds(100));
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", [error_event(&crash)]);
    folder.log(
        "Security.evtx",
        "PC-1",
        [exit("demo.exe", 4312, 0xC000_0005, 50), exit("demo.exe", 4312, 0xC000_0005, 800)],
    );
    assert_incidents(&folder, &[&["Application.evtx#1"], &["Security.evtx#1"], &["Security.evtx#2"]]);
}

#[test]
fn the_end_of_a_process_joins_its_dump_when_there_is_no_other_record() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&crash));
    folder.log("Security.evtx", "PC-1", [exit("demo.exe", 4312, 0xC000_0005, 3)]);
    let report = assert_incidents(&folder, &[&["demo.exe.4312.dmp", "Security.evtx#1"]]);
    assert_eq!(report["incidents"][0]["host"], "PC-1");
    // A copy of the log contains the same end; the log of another computer may contain another one.
    folder.log("Copy.evtx", "PC-1", [exit("demo.exe", 4312, 0xC000_0005, 3)]);
    assert_incidents(&folder, &[&["demo.exe.4312.dmp", "Security.evtx#1", "Copy.evtx#1"]]);
    folder.log("Copy.evtx", "PC-2", [exit("demo.exe", 4312, 0xC000_0005, 3)]);
    assert_incidents(&folder, &[&["demo.exe.4312.dmp"], &["Security.evtx#1"], &["Copy.evtx#1"]]);
}

#[test]
fn the_loaders_exit_code_joins_the_message_box_of_the_same_program() {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [missing_dll_popup(NOON, "demo.exe", "part.dll")]);
    folder.log("Security.evtx", "PC-1", [exit("demo.exe", 4312, 0xC000_0135, 7), exit("b.exe", 4400, 0xC000_0135, 8)]);
    let report = assert_incidents(&folder, &[&["System.evtx#1", "Security.evtx#1"], &["Security.evtx#2"]]);
    for incident in list(&report, "incidents") {
        assert_eq!(incident["kind"], "start-failure");
    }
}

#[test]
fn two_records_of_one_end_are_one_incident() {
    let path = r"C:\Program Files\Demo\demo.exe";
    let folder = Folder::new();
    let watched = |seconds| {
        let time = NOON.plus_seconds(seconds);
        ended_by_other(time, path, r"C:\Guard\guard.exe", 0xC000_0005, NOON.minus_seconds(60))
    };
    folder.log("Application.evtx", "PC-1", [watched(0), watched(1), watched(30)]);
    assert_incidents(&folder, &[&["Application.evtx#1", "Application.evtx#2"], &["Application.evtx#3"]]);
}

#[test]
fn heat_belongs_to_the_restart_that_it_explains() {
    let folder = Folder::new();
    let boot = NOON;
    folder.log(
        "System.evtx",
        "PC-1",
        [
            kernel_power(boot, LostPower::default()),
            unclean_shutdown(boot.plus_seconds(9), boot.minus_seconds(40), 2, 934),
            thermal_shutdown(boot.plus_seconds(10), "TZ00"),
            thermal_shutdown(boot.plus_seconds(7200), "TZ00"),
        ],
    );
    assert_incidents(&folder, &[&["System.evtx#1", "System.evtx#2", "System.evtx#3"], &["System.evtx#4"]]);
}

#[test]
fn a_text_joins_a_dump_only_by_something_that_few_crashes_share() {
    let crash = crash("demo.exe", 4312, FileTime::utc(2024, 5, 6, 7, 8, 9));
    let folder = Folder::new();
    folder.file("a.dmp", &dump(&crash));
    let report = folder.report();
    let incident = &list(&report, "incidents")[0];
    let (code, site) = (text(&incident["exception"], "code"), &incident["fault_site"]);
    let (module, offset) = (text(site, "module"), text(site, "offset"));
    let note = format!("Somebody else's: {code}\nFaulting module name: {module}\n");
    folder.file("note.txt", note.as_bytes());
    assert_incidents(&folder, &[&["a.dmp"], &["note.txt"]]);
    folder.file("note.txt", format!("{note}Fault offset: {offset}\n").as_bytes());
    assert_incidents(&folder, &[&["a.dmp", "note.txt"]]);
}

/// Events 1000 and 1001 of a crash as old systems write them: without process, start and report id.
fn without_ids(crash: &Crash) -> [Event; 2] {
    let version = |image: &Image| image.version.map_or_else(String::new, |version| version.to_string());
    let app = [crash.app.name().to_owned(), version(&crash.app), "65432100".to_owned()];
    let module = [crash.module.name().to_owned(), version(&crash.module), "65432100".to_owned()];
    let place = [format!("{:08x}", crash.code), format!("{:016x}", crash.offset)];
    let signature: Vec<String> = app.into_iter().chain(module).chain(place).collect();
    let head = ["", "0", "APPCRASH", "Not available", "0"].map(str::to_owned);
    [
        Event::new(Provider::classic("Application Error"), 1000).at(crash.time).strings(signature.clone()),
        Event::new(Provider::classic("Windows Error Reporting"), 1001)
            .at(crash.time.plus_seconds(2))
            .strings(head.into_iter().chain(signature)),
    ]
}

#[test]
fn a_text_is_not_of_a_process_whose_other_record_has_another_id() {
    // Event 1001 has no process id: its other values would fit.
    let (first, second) = (crash("demo.exe", 4312, NOON), crash("demo.exe", 5120, NOON.plus_seconds(900)));
    let folder = Folder::new();
    let events = [error_event(&first), wer_event(&first), error_event(&second), wer_event(&second)];
    folder.log("Application.evtx", "PC-1", events);
    let ticket = "It crashed again.\r\nFaulting application name: demo.exe, version: 2.1.0.7\r\nFaulting module name: \
                  plugin.dll, version: 2.1.0.7\r\nException code: 0xc0000005\r\nFault offset: 0x0000000000001234\r\n\
                  Faulting process id: 0x10d8\r\n";
    folder.file("ticket.txt", ticket.as_bytes());
    let first: &[&str] = &["Application.evtx#1", "Application.evtx#2", "ticket.txt"];
    assert_incidents(&folder, &[first, &["Application.evtx#3", "Application.evtx#4"]]);
}

#[test]
fn records_without_any_id_join_by_program_version_and_time_as_likely() {
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", without_ids(&crash("demo.exe", 4312, NOON)));
    let report = assert_incidents(&folder, &[&["Application.evtx#1", "Application.evtx#2"]]);
    let joined = &report["incidents"][0]["evidence"][1]["joined_by"];
    assert_eq!(*joined, serde_json::json!({"key": "name-and-time", "strength": "likely", "to": "e1"}));
}

#[test]
fn records_without_any_id_of_two_crashes_within_seconds_are_not_guessed_at() {
    let [first, first_report] = without_ids(&crash("demo.exe", 4312, NOON));
    let [second, second_report] = without_ids(&crash("demo.exe", 5120, NOON.plus_seconds(3)));
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", [first, second, first_report, second_report]);
    assert_incidents(
        &folder,
        &[&["Application.evtx#1"], &["Application.evtx#2"], &["Application.evtx#3"], &["Application.evtx#4"]],
    );
}

#[test]
fn records_without_any_id_of_two_computers_or_two_versions_stay_apart() {
    let [error, report] = without_ids(&crash("demo.exe", 4312, NOON));
    let folder = Folder::new();
    folder.log("A.evtx", "PC-A", [error.clone()]).log("B.evtx", "PC-B", [report.clone()]);
    assert_incidents(&folder, &[&["A.evtx#1"], &["B.evtx#1"]]);

    let mut newer = crash("demo.exe", 4312, NOON);
    newer.app.version = Some(FileVersion([2, 2, 0, 0]));
    let [newer, _] = without_ids(&newer);
    let folder = Folder::new();
    folder.log("A.evtx", "PC-A", [newer, report]);
    assert_incidents(&folder, &[&["A.evtx#1"], &["A.evtx#2"]]);
}

#[test]
fn contradictions_of_joined_evidence_are_remarked_with_its_numbers() {
    let mut crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&crash));
    crash.code = 0xC000_0409;
    crash.app.version = Some(FileVersion([2, 1, 0, 8]));
    folder.log("Application.evtx", "PC-1", [error_event(&crash)]);
    let report = assert_incidents(&folder, &[&["demo.exe.4312.dmp", "Application.evtx#1"]]);
    let remarks = list(&report["incidents"][0], "remarks");
    for remark in [
        "The evidence differs on the exception code: 0xC0000005 (e1), 0xC0000409 (e2).",
        "The evidence differs on the program's version: 2.1.0.7 (e1), 2.1.0.8 (e2).",
    ] {
        assert!(remarks.iter().any(|one| one == remark), "{remarks:#?}");
    }
}

#[test]
fn evidence_that_agrees_has_no_remarks() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&crash));
    folder.file("Report.wer", &crash.report((19045, 3693), &[]).to_bytes());
    folder.log("Application.evtx", "PC-1", [error_event(&crash), wer_event(&crash)]);
    let files = &["demo.exe.4312.dmp", "Report.wer", "Application.evtx#1", "Application.evtx#2"];
    let report = assert_incidents(&folder, &[files]);
    assert_eq!(report["incidents"][0]["remarks"], serde_json::json!([]));
}

#[test]
fn a_dump_among_the_logs_of_two_computers_takes_neither_name() {
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&crash("demo.exe", 4312, NOON)));
    folder.log("A.evtx", "PC-A", [error_event(&crash("other.exe", 1, NOON))]);
    let report = assert_incidents(&folder, &[&["demo.exe.4312.dmp"], &["A.evtx#1"]]);
    let alone = incident(&folder, &report, "demo.exe.4312.dmp");
    assert_eq!((&alone["host"], &alone["host_basis"]), (&"PC-A".into(), &"folder".into()));

    folder.log("B.evtx", "PC-B", [error_event(&crash("third.exe", 2, NOON))]);
    let report = assert_incidents(&folder, &[&["demo.exe.4312.dmp"], &["A.evtx#1"], &["B.evtx#1"]]);
    let alone = incident(&folder, &report, "demo.exe.4312.dmp");
    assert_eq!((alone.get("host"), alone.get("host_basis")), (None, None));
}

#[test]
fn a_computer_with_and_without_its_domain_is_one_but_not_with_two_domains() {
    let crash = crash("demo.exe", 4312, NOON);
    let folder = Folder::new();
    folder.log("A.evtx", "PC-1", [error_event(&crash)]).log("B.evtx", "pc-1.lab.example", [wer_event(&crash)]);
    let report = assert_incidents(&folder, &[&["A.evtx#1", "B.evtx#1"]]);
    assert_eq!(report["incidents"][0]["host"], "pc-1.lab.example");

    folder.log("C.evtx", "pc-1.sales.example", [wer_event(&crash)]);
    assert_incidents(&folder, &[&["A.evtx#1"], &["B.evtx#1"], &["C.evtx#1"]]);
}

#[test]
fn a_dump_without_addresses_joins_the_only_start_that_records_its_stop_within_the_hour() {
    let started = |code: u32, parameters: [u64; 4], seconds: u64| {
        let id = Guid::made_up(&format!("{code} {parameters:?} {seconds}"));
        bugcheck(NOON.plus_seconds(seconds), code, parameters, r"C:\Windows\MEMORY.DMP", id)
    };
    let folder = Folder::new();
    folder.file("a server/server.dmp", &triage(0xEF, [1, 2, 0, 0]));
    // Another code, other parameters, before the dump, long after it.
    let early = started(0xEF, [1, 2, 0, 0], 0).at(NOON.minus_seconds(9000));
    let others = [early, started(0xF4, [1, 2, 0, 0], 20), started(0xEF, [1, 3, 0, 0], 25)];
    let late = started(0xEF, [1, 2, 0, 0], 7200);
    folder.log("logs/A.evtx", "PC-A", [&others[..], &[started(0xEF, [1, 2, 0, 0], 60), late.clone()]].concat());
    let made_of = |folder: &Folder| incident_of(folder, &folder.report(), "a server/server.dmp");
    assert_eq!(made_of(&folder), ["a server/server.dmp", "logs/A.evtx#4"]);
    let report = folder.report();
    let joined = incident(&folder, &report, "a server/server.dmp");
    assert_eq!(joined["host"], "PC-A");
    let by = &list(joined, "evidence")[1]["joined_by"];
    assert_eq!((text(by, "key"), text(by, "strength")), ("stop-and-time", "likely"));

    // The folder shows that both are of the same computer: a start within the hour is the one after the blue screen.
    folder.file("dumps/server.dmp", &triage(0xEF, [1, 2, 0, 0]));
    fs::remove_file(folder.0.path().join("a server/server.dmp")).expect("removed");
    let made = incident_of(&folder, &folder.report(), "dumps/server.dmp");
    assert_eq!(made, ["dumps/server.dmp", "logs/A.evtx#4"]);
    fs::rename(folder.0.path().join("dumps"), folder.0.path().join("a server")).expect("renamed");

    // No start at that time; two starts at that time; a start with its own dump.
    folder.log("logs/A.evtx", "PC-A", [&others[..], &[late]].concat());
    assert_eq!(made_of(&folder), ["a server/server.dmp"]);
    folder.log("logs/A.evtx", "PC-A", [started(0xEF, [1, 2, 0, 0], 60), started(0xEF, [1, 2, 0, 0], 900)]);
    assert_eq!(made_of(&folder), ["a server/server.dmp"]);
    let named = bugcheck(NOON, 0xEF, [1, 2, 0, 0], r"C:\Windows\Minidump\050624-1000-01.dmp", Guid::made_up("named"));
    folder.log("logs/A.evtx", "PC-A", [named]).file("a server/050624-2000-01.dmp", &triage(0xEF, [1, 2, 0, 0]));
    fs::remove_file(folder.0.path().join("a server/server.dmp")).expect("removed");
    assert_eq!(incident_of(&folder, &folder.report(), "a server/050624-2000-01.dmp"), ["a server/050624-2000-01.dmp"]);
}

#[test]
fn two_computers_with_one_text_stay_two() {
    let folder = Folder::new();
    let text = b"python.exe ended with 0xC0000005 again.\r\n";
    for (pc, program) in [("PC-A", "a.exe"), ("PC-B", "b.exe")] {
        folder.file(&format!("{pc}/ticket.txt"), text).file(&format!("{pc}/ticket again.txt"), text);
        folder.log(&format!("{pc}/Application.evtx"), pc, [error_event(&crash(program, 1, NOON))]);
    }
    assert_incidents(
        &folder,
        &[
            &["PC-A/ticket.txt", "PC-A/ticket again.txt"],
            &["PC-B/ticket.txt", "PC-B/ticket again.txt"],
            &["PC-A/Application.evtx#1"],
            &["PC-B/Application.evtx#1"],
        ],
    );
}

/// Five days, seconds.
const FIVE_DAYS: u64 = 5 * 86_400;

#[test]
fn the_same_stop_on_another_day_is_another_stop() {
    let (again, stop) = (NOON.plus_seconds(FIVE_DAYS), [PARAMETERS[0], PARAMETERS[1], 0, 4]);
    let folder = Folder::new();
    folder.file("first.dmp", &triage(0xD1, stop));
    folder.file("second.dmp", &triage_at(again.minus_seconds(35), 0xD1, stop));
    assert_incidents(&folder, &[&["first.dmp"], &["second.dmp"]]);

    let started = |time: FileTime, name: &str| {
        let lost = LostPower { code: 0xD1, parameters: stop, power_button: None };
        let dump = r"C:\Windows\MEMORY.DMP";
        [kernel_power(time, lost), bugcheck(time.plus_seconds(21), 0xD1, stop, dump, Guid::made_up(name))]
    };
    folder.log("System.evtx", "PC-1", [started(NOON, "one"), started(again, "two")].concat());
    let (first, second) = (["System.evtx#1", "System.evtx#2"], ["System.evtx#3", "System.evtx#4"]);
    let with = |dump, records: [&'static str; 2]| [&[dump], &records[..]].concat();
    assert_incidents(&folder, &[&with("first.dmp", first), &with("second.dmp", second)]);
    // The log begins after the first start: its dump is not the second's.
    folder.log("System.evtx", "PC-1", started(again, "two"));
    assert_incidents(&folder, &[&["first.dmp"], &with("second.dmp", first)]);
    // Saved copies of one file that every blue screen overwrote.
    for (from, to) in [("first.dmp", "MEMORY (1).DMP"), ("second.dmp", "MEMORY.DMP")] {
        fs::rename(folder.0.path().join(from), folder.0.path().join(to)).expect("renamed");
    }
    assert_incidents(&folder, &[&["MEMORY (1).DMP"], &with("MEMORY.DMP", first)]);
    for (from, to) in [("MEMORY (1).DMP", "first.dmp"), ("MEMORY.DMP", "second.dmp")] {
        fs::rename(folder.0.path().join(from), folder.0.path().join(to)).expect("renamed");
    }
    // Without dumps.
    fs::remove_file(folder.0.path().join("first.dmp")).expect("removed");
    fs::remove_file(folder.0.path().join("second.dmp")).expect("removed");
    folder.log("System.evtx", "PC-1", [started(NOON, "one"), started(again, "two")].concat());
    assert_incidents(&folder, &[&first, &second]);
}

#[test]
fn a_stop_is_not_the_one_before_a_start_by_whose_records_the_system_ran_on() {
    let start = NOON.plus_seconds(3 * 86_400);
    for (dump, code, parameters) in [
        ("saved.dmp", 0xD1, [PARAMETERS[0], PARAMETERS[1], 0, 4]),
        ("MEMORY.DMP", 0xD1, [PARAMETERS[0], PARAMETERS[1], 0, 4]),
        ("MEMORY.DMP", 0xEF, [1, 2, 0, 0]),
    ] {
        let records = |alive: FileTime| {
            let lost = LostPower { code, parameters, power_button: None };
            let named =
                bugcheck(start.plus_seconds(21), code, parameters, r"C:\Windows\MEMORY.DMP", Guid::made_up("a"));
            [kernel_power(start, lost), unclean_shutdown(start.plus_seconds(9), alive, 2, 934), named]
        };
        let folder = Folder::new();
        folder.file(dump, &triage(code, parameters));
        let logged = ["System.evtx#1", "System.evtx#2", "System.evtx#3"];
        folder.log("System.evtx", "PC-1", records(start.minus_seconds(40)));
        let report = assert_incidents(&folder, &[&[dump], &logged]);
        let times: Vec<&str> = list(&report, "incidents").iter().map(|incident| text(incident, "time")).collect();
        assert_eq!(times, ["2024-05-06T11:59:25Z", "2024-05-09T11:59:20Z"], "{dump}");
        // The machine was switched on days after the blue screen; it was last known to run a minute before it.
        folder.log("System.evtx", "PC-1", records(NOON.minus_seconds(60)));
        assert_incidents(&folder, &[&[&[dump], &logged[..]].concat()]);
    }
}

#[test]
fn stops_of_two_times_in_one_incident_are_remarked() {
    let remarks = |folder: &Folder, evidence: &str| -> Vec<String> {
        let report = folder.report();
        let remarks = list(incident(folder, &report, evidence), "remarks").iter();
        remarks.map(|remark| remark.as_str().expect("a text").to_owned()).collect()
    };
    let stop = |last: u64| [PARAMETERS[0], PARAMETERS[1], 0, last];
    let lost = |last: u64| LostPower { code: 0xD1, parameters: stop(last), power_button: None };
    let named =
        |time: FileTime, last: u64| bugcheck(time, 0xD1, stop(last), r"C:\Windows\MEMORY.DMP", Guid::made_up("a"));
    // Records of one start that name two blue screens, each with a dump.
    let folder = Folder::new();
    folder.file("one.dmp", &triage(0xD1, stop(1)));
    folder.file("two.dmp", &triage_at(NOON.minus_seconds(7200), 0xD1, stop(2)));
    folder.log("System.evtx", "PC-1", [kernel_power(NOON, lost(1)), named(NOON.plus_seconds(21), 2)]);
    let told = "The evidence differs on the time of the stop: 2024-05-06T10:00:00Z (e2), 2024-05-06T11:59:25Z (e1); \
                these may be two stops.";
    assert!(remarks(&folder, "one.dmp").contains(&told.to_owned()), "{:?}", remarks(&folder, "one.dmp"));
    // Two starts within minutes: either may be the one after the blue screen.
    let folder = Folder::new();
    let (first, second) = (NOON.plus_seconds(86_400), NOON.plus_seconds(86_400 + 250));
    folder.file("one.dmp", &triage(0xD1, stop(1)));
    let before = [kernel_power(first, LostPower::default()), unclean_shutdown(first, NOON.minus_seconds(60), 2, 934)];
    let after = [kernel_power(second, lost(1)), unclean_shutdown(second, second.minus_seconds(50), 2, 200)];
    folder.log("System.evtx", "PC-1", [before, after].concat());
    let told = "By e3 the system still ran at 2024-05-07T12:03:20Z, after the stop at 2024-05-06T11:59:25Z (e1); \
                these may be two stops.";
    assert!(remarks(&folder, "one.dmp").contains(&told.to_owned()), "{:?}", remarks(&folder, "one.dmp"));
}

#[test]
fn a_report_that_is_logged_again_joins_no_later_reset() {
    let report = |seconds: u64| {
        let fields = ["", "0", "LiveKernelEvent", "Not available", "0", "141", "ffffa98c01105010", "0", "0", "0"];
        let id = Guid::made_up("live").to_string();
        let rest = ["", "", "", "", "", "", r"C:\ReportQueue\Kernel_141", "", "0", id.trim_matches(['{', '}']), "0"];
        Event::new(Provider::classic("Windows Error Reporting"), 1001)
            .at(NOON.plus_seconds(seconds))
            .strings(fields.into_iter().chain(rest).map(str::to_owned))
    };
    let reset = |seconds| display_reset(NOON.plus_seconds(seconds), "nvlddmkm");
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [reset(0), reset(FIVE_DAYS + 30)]);
    folder.log("Application.evtx", "PC-1", [report(20), report(FIVE_DAYS)]);
    assert_incidents(&folder, &[&["System.evtx#1", "Application.evtx#1", "Application.evtx#2"], &["System.evtx#2"]]);
}

#[test]
fn hours_of_resets_are_many() {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", (0..60).map(|minute| display_reset(NOON.plus_seconds(minute * 60), "nvlddmkm")));
    let report = folder.report();
    let resets = list(&report, "incidents").len();
    assert!((5..=7).contains(&resets), "{resets} bursts of ten minutes each");
}

#[test]
fn a_process_that_hung_and_later_crashed_failed_twice() {
    let crash = crash("demo.exe", 4312, NOON);
    let hang = |before: u64, id: &str| Hang {
        app: crash.app.clone(),
        process: crash.process,
        started: crash.started.minus_seconds(4000),
        time: NOON.minus_seconds(before),
        report_id: Guid::made_up(id),
    };
    let mut crash = crash.clone();
    crash.started = hang(0, "").started;
    let (first, second) = (hang(3600, "first"), hang(1800, "second"));
    let folder = Folder::new();
    let events = [first.application_hang(), first.wer_event(), second.application_hang(), error_event(&crash)];
    folder.log("Application.evtx", "PC-1", events).file("demo.dmp", &dump(&crash));
    let report = assert_incidents(
        &folder,
        &[&["Application.evtx#1", "Application.evtx#2"], &["Application.evtx#3"], &["Application.evtx#4", "demo.dmp"]],
    );
    let crashed = incident(&folder, &report, "demo.dmp");
    assert_eq!((&crashed["kind"], &crashed["exception"]["code"]), (&"crash".into(), &"0xC0000005".into()));
    // Each names the incident before and the one after.
    let remarks = |evidence: &str| list(incident(&folder, &report, evidence), "remarks");
    let id = |evidence: &str| text(incident(&folder, &report, evidence), "id").to_owned();
    let told = |what: &str, evidence: &str| Value::from(format!("The same process {what}: incident {}.", id(evidence)));
    let (hung, again) = ("Application.evtx#1", "Application.evtx#3");
    assert_eq!(remarks(hung), [told("stopped answering 30 min 0 s later", again)]);
    let both = [told("stopped answering 30 min 0 s before", hung), told("crashed 30 min 0 s later", "demo.dmp")];
    assert_eq!(remarks(again), both);
    assert_eq!(remarks("demo.dmp"), [told("stopped answering 30 min 0 s before", again)]);
}

#[test]
fn a_hang_shortly_before_the_crash_of_its_process_is_none_that_is_sure_to_have_ended_it() {
    let crash = crash("demo.exe", 4312, NOON);
    let hang = |before: u64| Hang {
        app: crash.app.clone(),
        process: crash.process,
        started: crash.started.minus_seconds(4000),
        time: NOON.minus_seconds(before),
        report_id: Guid::made_up("hung"),
    };
    let crash = Crash { started: hang(0).started, ..crash.clone() };
    let confidence = |before: u64| {
        let folder = Folder::new();
        folder.log("Application.evtx", "PC-1", [hang(before).application_hang(), error_event(&crash)]);
        let report = folder.report();
        let hung = incident(&folder, &report, "Application.evtx#1");
        assert_eq!(hung["verdict"]["cause"], "application-hang");
        let explained = text(&hung["findings"][0], "explanation").contains("it did not crash");
        (explained, hung["verdict"]["confidence"].as_f64().expect("a number") >= 0.8)
    };
    assert_eq!((confidence(5), confidence(3500)), ((false, false), (false, true)));
}

#[test]
fn the_dump_and_the_end_of_a_crash_do_not_join_the_hang_before_it() {
    let crash = crash("demo.exe", 4312, NOON);
    let hang = Hang {
        app: crash.app.clone(),
        process: crash.process,
        started: crash.started,
        time: NOON.minus_seconds(30),
        report_id: Guid::made_up("hung"),
    };
    let ended = |code: u32| process_exit(NOON.plus_seconds(2), &crash.app.path, crash.process, code);
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", [hang.application_hang()]);
    folder.log("Security.evtx", "PC-1", [ended(crash.code)]).file("demo.dmp", &dump(&crash));
    assert_incidents(&folder, &[&["Application.evtx#1"], &["demo.dmp", "Security.evtx#1"]]);
    // Closed because it hung.
    fs::remove_file(folder.0.path().join("demo.dmp")).expect("removed");
    folder.log("Security.evtx", "PC-1", [ended(0xCFFF_FFFF)]);
    assert_incidents(&folder, &[&["Application.evtx#1", "Security.evtx#1"]]);
}

#[test]
fn an_end_beside_a_dump_is_not_that_of_the_same_process_id_elsewhere() {
    let crash = crash("demo.exe", 4312, NOON);
    let ended = |seconds: u64| process_exit(NOON.plus_seconds(seconds), &crash.app.path, crash.process, crash.code);
    let folder = Folder::new();
    folder.log("PC-1/Security.evtx", "PC-1", [ended(2)]).file("PC-1/demo.dmp", &dump(&crash));
    folder.log("PC-2/Security.evtx", "PC-2", [ended(5)]);
    assert_incidents(&folder, &[&["PC-1/demo.dmp", "PC-1/Security.evtx#1"], &["PC-2/Security.evtx#1"]]);
}

#[test]
fn a_hang_of_another_process_with_the_same_id_is_not_mentioned() {
    let crash = crash("demo.exe", 4312, NOON);
    let hang = |started: FileTime| Hang {
        app: crash.app.clone(),
        process: crash.process,
        started,
        time: NOON.minus_seconds(5),
        report_id: Guid::made_up("hung"),
    };
    let remarks = |started: FileTime| {
        let folder = Folder::new();
        folder.log("Application.evtx", "PC-1", [hang(started).application_hang(), error_event(&crash)]);
        let report = assert_incidents(&folder, &[&["Application.evtx#1"], &["Application.evtx#2"]]);
        list(&report, "incidents").iter().map(|incident| list(incident, "remarks").len()).sum::<usize>()
    };
    assert_eq!((remarks(crash.started), remarks(crash.started.minus_seconds(40))), (2, 0));
}

#[test]
fn a_process_that_reported_two_exceptions_hours_apart_failed_twice() {
    let first = crash("demo.exe", 4312, NOON);
    let mut second = first.clone();
    (second.time, second.code) = (NOON.plus_seconds(7200), 0xC000_041D);
    second.report_id = Guid::made_up("second");
    let folder = Folder::new();
    folder.log("Application.evtx", "PC-1", [error_event(&first), error_event(&second)]);
    folder.file("second.dmp", &dump(&second));
    assert_incidents(&folder, &[&["Application.evtx#1"], &["Application.evtx#2", "second.dmp"]]);
}

#[test]
fn one_dump_among_the_logs_of_three_machines_is_one_crash_of_none_of_them() {
    let folder = Folder::new();
    let bytes = dump(&crash("demo.exe", 4312, NOON));
    for pc in ["PC-1", "PC-2", "PC-3"] {
        folder.file(&format!("{pc}/demo.dmp"), &bytes);
        folder.log(&format!("{pc}/System.evtx"), pc, [display_reset(NOON.plus_seconds(7200), "nvlddmkm")]);
    }
    let resets: [&[&str]; 3] = [&["PC-1/System.evtx#1"], &["PC-2/System.evtx#1"], &["PC-3/System.evtx#1"]];
    let crash: &[&str] = &["PC-1/demo.dmp", "PC-2/demo.dmp", "PC-3/demo.dmp"];
    let report = assert_incidents(&folder, &[crash, resets[0], resets[1], resets[2]]);
    let crash = incident(&folder, &report, "PC-1/demo.dmp");
    assert_eq!(crash.get("host"), None);
    let remarks = list(crash, "remarks");
    assert!(
        remarks.iter().any(|one| one.as_str().is_some_and(|one| one.contains("PC-2 (e2)"))
            || one.as_str().is_some_and(|one| one.contains("pc-2 (e2)"))),
        "{remarks:?}"
    );
}

#[test]
fn a_dump_that_was_downloaded_twice_joins_the_record_that_names_its_original() {
    let named = r"C:\Windows\Minidump\050624-9531-01.dmp";
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [bugcheck(NOON, 0xE2, [0; 4], named, Guid::made_up("stop"))]);
    folder.file("050624-9531-01 (1).dmp", &triage(0xE2, [0; 4]));
    let report = assert_incidents(&folder, &[&["050624-9531-01 (1).dmp", "System.evtx#1"]]);
    assert_eq!(list(&report["incidents"][0], "evidence")[1]["joined_by"]["key"], "dump-path");
}

#[test]
fn a_machine_that_got_a_new_name_is_one_machine() {
    let folder = Folder::new();
    let resets = |from: u64, name: &'static str| {
        (0..12).map(move |number| display_reset(NOON.plus_seconds(from + number * 3600), "nvlddmkm").computer(name))
    };
    folder.log("System.evtx", "PC-1", resets(0, "WIN-ABC").chain(resets(FIVE_DAYS, "PC-1")));
    folder.file("demo.dmp", &dump(&crash("demo.exe", 4312, NOON.plus_seconds(FIVE_DAYS))));
    let report = folder.report();
    let hosts: Vec<&str> = list(&report, "machines").iter().map(|machine| text(machine, "host")).collect();
    assert_eq!(hosts, ["PC-1"]);
    let crashed = incident(&folder, &report, "demo.dmp");
    assert_eq!((&crashed["host"], &crashed["host_basis"]), (&"PC-1".into(), &"folder".into()));
    let earlier = incident(&folder, &report, "System.evtx#1");
    assert_eq!(earlier["host"], "PC-1");
    let remarks = list(earlier, "remarks");
    assert!(remarks.iter().any(|one| one.as_str().is_some_and(|one| one.contains("WIN-ABC"))), "{remarks:?}");
}

#[test]
fn a_record_under_a_former_name_and_its_copy_elsewhere_are_one_incident() {
    let folder = Folder::new();
    let resets = |from: u64, name: &'static str| {
        (0..12).map(move |number| display_reset(NOON.plus_seconds(from + number * 3600), "nvlddmkm").computer(name))
    };
    folder.log("now/System.evtx", "PC-1", resets(0, "WIN-ABC").chain(resets(FIVE_DAYS, "PC-1")));
    let before = folder.report();
    folder.log("export/old.evtx", "WIN-ABC", resets(0, "WIN-ABC"));
    let report = folder.report();
    assert_eq!(list(&report, "incidents").len(), list(&before, "incidents").len());
    let both = incident(&folder, &report, "export/old.evtx#1");
    assert!(folder.evidence(both).contains(&"now/System.evtx#1".to_owned()), "{both}");
}

#[test]
fn a_log_that_was_merged_of_two_computers_is_not_that_of_one_with_a_new_name() {
    let crashes = |from: u64| {
        let one = move |number: u64| error_event(&crash("demo.exe", 77, NOON.plus_seconds(from + number * 3600)));
        (0..12).map(one)
    };
    let folder = Folder::new();
    folder.log("PC-1/Application.evtx", "PC-1", crashes(0));
    folder.log("PC-2/Application.evtx", "PC-2", crashes(FIVE_DAYS));
    folder.log("PC-2/System.evtx", "PC-2", [display_reset(NOON.minus_seconds(FIVE_DAYS), "nvlddmkm")]);
    let before = folder.report();
    let merged = crashes(0).map(|event| event.computer("PC-1")).chain(crashes(FIVE_DAYS));
    folder.log("merged/both.evtx", "PC-2", merged);
    let report = folder.report();
    assert_eq!(list(&report, "incidents").len(), list(&before, "incidents").len());
    for (merged, own, host) in [("#1", "PC-1/Application.evtx#1", "PC-1"), ("#13", "PC-2/Application.evtx#1", "PC-2")] {
        let told = incident(&folder, &report, &format!("merged/both.evtx{merged}"));
        assert_eq!(told["host"], host);
        assert!(folder.evidence(told).contains(&own.to_owned()), "{told}");
    }
}

#[test]
fn what_one_log_of_a_folder_proves_of_names_holds_for_the_folder() {
    let folder = Folder::new();
    let resets = |from: u64, count: u64, name: &'static str| {
        (0..count).map(move |number| display_reset(NOON.plus_seconds(from + number * 3600), "nvlddmkm").computer(name))
    };
    folder.log("System.evtx", "PC-1", resets(0, 12, "WIN-ABC").chain(resets(FIVE_DAYS, 12, "PC-1")));
    let early = error_event(&crash("demo.exe", 77, NOON.plus_seconds(1800)));
    folder.log("Application.evtx", "WIN-ABC", [early]);
    folder.file("demo.dmp", &dump(&crash("demo.exe", 4312, NOON.plus_seconds(FIVE_DAYS))));
    let report = folder.report();
    let hosts: Vec<&str> = list(&report, "machines").iter().map(|machine| text(machine, "host")).collect();
    assert_eq!(hosts, ["PC-1"]);
    for evidence in ["demo.dmp", "Application.evtx#1"] {
        assert_eq!(incident(&folder, &report, evidence)["host"], "PC-1", "{evidence}");
    }
}

#[test]
fn the_copy_of_a_systems_folders_is_of_the_computer_that_its_logs_name() {
    let folder = Folder::new();
    let (crashed, stopped) =
        ("C/Users/anna/AppData/Local/CrashDumps/demo.dmp", "C/Windows/Minidump/050624-9531-01.dmp");
    let report_of = "C/ProgramData/Microsoft/Windows/WER/ReportArchive/AppCrash_tool.exe_1/Report.wer";
    let another = "from others/C/Users/anna/other.dmp";
    folder.file(crashed, &dump(&crash("demo.exe", 4312, NOON)));
    folder.file(stopped, &triage_at(NOON.minus_seconds(9000), 0xEF, [0; 4]));
    folder.file(report_of, &crash("tool.exe", 99, NOON).report((19045, 3693), &[]).to_bytes());
    folder.file(another, &dump(&crash("other.exe", 8, NOON.plus_seconds(500))));
    folder.file("note.txt", b"python.exe ended with 0xC0000005 again.\r\n");
    let log = "C/Windows/System32/winevt/Logs/System.evtx";
    folder.log(log, "PC-1", [display_reset(NOON.plus_seconds(FIVE_DAYS), "nvlddmkm")]);
    let report = folder.report();
    for evidence in [crashed, stopped, report_of] {
        let told = incident(&folder, &report, evidence);
        assert_eq!((&told["host"], &told["host_basis"]), (&"PC-1".into(), &"folder".into()), "{evidence}");
    }
    for evidence in [another, "note.txt"] {
        assert_eq!(incident(&folder, &report, evidence).get("host"), None, "{evidence}");
    }
}

#[test]
fn a_folder_with_dumps_of_two_processors_is_of_no_machine() {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [display_reset(NOON.plus_seconds(FIVE_DAYS), "nvlddmkm")]);
    let (first, second) = (crash("demo.exe", 4312, NOON), crash("other.exe", 77, NOON.plus_seconds(100)));
    folder.file("a.dmp", &dump(&first)).file("b.dmp", &dump(&second));
    assert_eq!(incident(&folder, &folder.report(), "a.dmp")["host"], "PC-1");
    folder.file("b.dmp", &dump_on(&second, Processor { stepping: 11, ..Processor::coffee_lake() }));
    let report = folder.report();
    for dump in ["a.dmp", "b.dmp"] {
        assert_eq!(incident(&folder, &report, dump).get("host"), None, "{dump}");
    }
}

#[test]
fn dumps_of_other_systems_and_of_other_cases_take_no_host_of_a_folder() {
    let folder = Folder::new();
    folder.log("logs/System.evtx", "PC-1", [display_reset(NOON.plus_seconds(FIVE_DAYS), "nvlddmkm")]);
    let (own, linux, other) = ("dumps/own.dmp", "dumps/linux.dmp", "dumps/PC-9/other.dmp");
    let of_linux = Minidump {
        system: System::linux("5.15.0-113-generic x86_64", Processor::nehalem()),
        ..Minidump::of_crash(&crash("tool", 99, NOON.plus_seconds(50)))
    };
    folder.file(own, &dump(&crash("demo.exe", 4312, NOON))).file(linux, &of_linux.to_bytes());
    folder.file(other, &dump(&crash("other.exe", 77, NOON.plus_seconds(100))));
    let report = folder.report();
    assert_eq!(incident(&folder, &report, own)["host"], "PC-1");
    for dump in [linux, other] {
        assert_eq!(incident(&folder, &report, dump).get("host"), None, "{dump}");
    }
}

#[test]
fn a_folder_with_dumps_of_two_builds_of_windows_is_of_no_machine() {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [display_reset(NOON.plus_seconds(FIVE_DAYS), "nvlddmkm")]);
    folder.file("a.dmp", &dump(&crash("demo.exe", 4312, NOON)));
    // Windows 10 22H2 has the kernel of 2004.
    folder.file("050624-9531-01.dmp", &triage_at(NOON.minus_seconds(9000), 0xEF, [0; 4]));
    assert_eq!(incident(&folder, &folder.report(), "a.dmp")["host"], "PC-1");
    let newer = System::windows(22631, Processor::coffee_lake());
    let crashed = Minidump::of_crash(&crash("other.exe", 77, NOON.plus_seconds(100)));
    folder.file("b.dmp", &Minidump { system: newer, ..crashed }.to_bytes());
    let report = folder.report();
    for dump in ["a.dmp", "b.dmp", "050624-9531-01.dmp"] {
        assert_eq!(incident(&folder, &report, dump).get("host"), None, "{dump}");
    }
}

#[test]
fn a_text_with_more_events_than_are_read_is_partial() {
    let event = |second: u64| {
        format!(
            "<Event><System><Provider Name='Display'/><EventID>4101</EventID><TimeCreated \
             SystemTime='2024-05-06T{:02}:{:02}:{:02}Z'/><Channel>System</Channel><Computer>PC-1</Computer></System>\
             <EventData><Data>nvlddmkm</Data></EventData></Event>\n",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    };
    let folder = Folder::new();
    folder.file("events.xml", (0..1005).map(|number| event(number * 61)).collect::<String>().as_bytes());
    let report = folder.report();
    let artifact = &list(&report, "artifacts")[0];
    assert_eq!(artifact["status"], "partial");
    assert!(text(artifact, "detail").contains("1000 of 1005 events were read"), "{artifact}");
}
