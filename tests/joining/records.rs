//! What the records of a machine's logs become: refused files, restarts, failures of the GPU, ends of services, and reports
//! of Windows Error Reporting.

use samplekit::event_log::{Event, Provider};
use samplekit::events::{
    Image, Layout, LostPower, bugcheck, kernel_power, nvidia_driver, policy_refusal, service_ended, unclean_shutdown,
};
use samplekit::{FileTime, Guid};
use serde_json::Value;

use super::joins::{Folder, assert_incidents, crash, dump, incident};
use crate::program::{list, text};

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);
const NOON_IN_REPORTS: &str = "2024-05-06T12:00:00Z";
const PROGRAM: &str = r"\Device\HarddiskVolume3\Program Files\Demo\demo.exe";
const DLL: &str = r"\Device\HarddiskVolume3\Program Files\Demo\part.dll";

/// A record of a provider without its GUID, with named values.
fn record(provider: &str, id: u16, time: FileTime, fields: &[(&str, &str)]) -> Event {
    Event::new(Provider::classic(provider), id).at(time).named(fields.iter().map(|(name, value)| (*name, *value)))
}

fn started(time: FileTime) -> Event {
    record("Microsoft-Windows-Kernel-General", 12, time, &[("BuildVersion", "22631")])
}

fn shut_down(time: FileTime) -> Event {
    record("Microsoft-Windows-Kernel-General", 13, time, &[("StopTime", "x")])
}

fn cause(incident: &Value) -> &str {
    text(&incident["verdict"], "cause")
}

#[test]
fn a_file_that_an_enforced_policy_refused_is_an_incident_of_the_program_that_wanted_it() {
    let folder = Folder::new();
    let other = r"\Device\HarddiskVolume3\Program Files\Demo\other.dll";
    folder.log(
        "CodeIntegrity.evtx",
        "PC-1",
        [policy_refusal(NOON, DLL, PROGRAM), policy_refusal(NOON.plus_seconds(2), other, PROGRAM)],
    );
    let report = assert_incidents(&folder, &[&["CodeIntegrity.evtx#1", "CodeIntegrity.evtx#2"]]);
    let incident = &report["incidents"][0];
    assert_eq!((text(incident, "kind"), text(&incident["process"], "name")), ("start-failure", "demo.exe"));
    assert_eq!(cause(incident), "code-integrity-block");
}

#[test]
fn a_refused_program_is_the_one_that_did_not_start() {
    let folder = Folder::new();
    let explorer = r"\Device\HarddiskVolume3\Windows\explorer.exe";
    folder.log("CodeIntegrity.evtx", "PC-1", [policy_refusal(NOON, PROGRAM, explorer)]);
    let report = assert_incidents(&folder, &[&["CodeIntegrity.evtx#1"]]);
    assert_eq!(text(&report["incidents"][0]["process"], "name"), "demo.exe");
}

#[test]
fn a_dll_that_is_refused_as_a_program_loads_it_explains_the_failed_delay_load() {
    let mut crash = crash("demo.exe", 4312, NOON.plus_seconds(1));
    crash.code = 0xC06D_007E;
    crash.module = Image { path: r"C:\Windows\System32\KERNELBASE.dll".to_owned(), ..crash.module };
    let folder = Folder::new();
    folder.log("CodeIntegrity.evtx", "PC-1", [policy_refusal(NOON, DLL, PROGRAM)]);
    folder.log("Application.evtx", "PC-1", [crash.application_error(Layout::Named)]);
    let report = folder.report();
    let [crash] = list(&report, "incidents") else { panic!("one incident: {:#}", report["incidents"]) };
    assert_eq!((text(crash, "kind"), cause(crash)), ("crash", "code-integrity-block"));
    assert!(crash["verdict"]["confidence"].as_f64().is_some_and(|sure| sure > 0.8), "{crash:#}");
}

/// The time of the only incident that these records of the System log make.
fn time_of_restart(events: impl IntoIterator<Item = Event>) -> String {
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", events);
    let report = folder.report();
    let [restart] = list(&report, "incidents") else { panic!("one incident: {:#}", report["incidents"]) };
    text(restart, "time").to_owned()
}

#[test]
fn a_session_that_the_power_button_ended_ended_when_it_was_pressed() {
    let next_day = NOON.plus_seconds(86_400);
    let lost = LostPower { power_button: Some(NOON), ..LostPower::default() };
    let time = time_of_restart([
        unclean_shutdown(next_day, NOON.minus_seconds(120), 0, 3600),
        kernel_power(next_day.plus_seconds(5), lost),
    ]);
    assert_eq!(time, NOON_IN_REPORTS);
}

#[test]
fn a_press_of_the_power_button_long_before_the_last_record_did_not_end_the_session() {
    let lost = LostPower { power_button: Some(NOON.minus_seconds(7200)), ..LostPower::default() };
    let boot = NOON.plus_seconds(600);
    let time = time_of_restart([unclean_shutdown(boot, NOON, 0, 3600), kernel_power(boot.plus_seconds(5), lost)]);
    assert_eq!(time, NOON_IN_REPORTS);
}

#[test]
fn a_session_ended_no_earlier_than_its_last_record_and_its_last_sign_of_life() {
    let boot = NOON.plus_seconds(1800);
    let ended = |alive: FileTime, last: FileTime| {
        time_of_restart([
            record("Microsoft-Windows-Kernel-Power", 42, last, &[]),
            started(boot),
            record("Microsoft-Windows-Kernel-Boot", 27, boot.plus_seconds(1), &[("BootType", "1")]),
            unclean_shutdown(boot.plus_seconds(20), alive, 0, 3600),
            kernel_power(boot.plus_seconds(22), LostPower::default()),
        ])
    };
    assert_eq!(ended(NOON.minus_seconds(900), NOON), NOON_IN_REPORTS);
    assert_eq!(ended(NOON, NOON.minus_seconds(900)), NOON_IN_REPORTS);
}

#[test]
fn a_restart_after_a_finished_shutdown_is_no_loss_of_power() {
    let boot = NOON.plus_seconds(8 * 3600);
    let folder = Folder::new();
    folder.log(
        "System.evtx",
        "PC-1",
        [
            record("Microsoft-Windows-Kernel-Power", 109, NOON.minus_seconds(3), &[("ShutdownActionType", "6")]),
            shut_down(NOON),
            started(boot),
            kernel_power(boot.plus_seconds(3), LostPower::default()),
        ],
    );
    let report = assert_incidents(&folder, &[&["System.evtx#4"]]);
    let restart = &report["incidents"][0];
    assert_eq!(text(restart, "time"), NOON_IN_REPORTS);
    assert!(list(restart, "findings").iter().all(|finding| finding["cause"] != "power-loss"), "{restart:#}");
    // The same without its shutdown lost the session.
    let folder = Folder::new();
    folder.log("System.evtx", "PC-1", [started(boot), kernel_power(boot.plus_seconds(3), LostPower::default())]);
    let report = folder.report();
    assert!(list(&report["incidents"][0], "findings").iter().any(|finding| finding["cause"] == "power-loss"));
}

#[test]
fn an_error_of_the_gpu_s_memory_is_an_incident_and_an_error_without_words_is_none() {
    let folder = Folder::new();
    let device = r"\Device\Video3";
    let words = "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer memory";
    folder.log(
        "System.evtx",
        "PC-1",
        [
            nvidia_driver(NOON, 13, &[device, words]),
            nvidia_driver(NOON.plus_seconds(3600), 153, &[device, "Error occurred on GPUID: 100"]),
        ],
    );
    let report = assert_incidents(&folder, &[&["System.evtx#1"]]);
    assert_eq!(cause(&report["incidents"][0]), "gpu-hardware-fault");
}

#[test]
fn an_xid_in_a_driver_s_message_is_an_incident_with_the_number_s_meaning() {
    let folder = Folder::new();
    let words = "Xid (PCI:0000:01:00): 48, An uncorrectable double bit error (DBE) has been detected on GPU";
    folder.log("System.evtx", "PC-1", [nvidia_driver(NOON, 14, &[r"\Device\Video3", words])]);
    let report = assert_incidents(&folder, &[&["System.evtx#1"]]);
    let findings = list(&report["incidents"][0], "findings");
    assert!(findings.iter().any(|finding| finding["rule"] == "gpu/xid-hardware"), "{findings:#?}");
}

#[test]
fn a_dump_that_could_not_be_written_belongs_to_the_stop_before_its_start() {
    let stop = NOON.minus_seconds(86_400);
    let boot = NOON.plus_seconds(60);
    let folder = Folder::new();
    let volume_manager =
        Event::new(Provider::classic("volmgr"), 161).at(boot).strings([r"\Device\HarddiskVolume3", "", ""]);
    folder.log(
        "System.evtx",
        "PC-1",
        [
            bugcheck(stop, 0x9F, [3, 0xFFFF_E001_1234_5060, 0, 0], r"C:\Windows\MEMORY.DMP", Guid::made_up("stop")),
            volume_manager,
            unclean_shutdown(boot.plus_seconds(10), NOON, 0, 3600),
            kernel_power(boot.plus_seconds(12), LostPower::default()),
        ],
    );
    let report = assert_incidents(&folder, &[&["System.evtx#1"], &["System.evtx#2", "System.evtx#3", "System.evtx#4"]]);
    let stopped = incident(&folder, &report, "System.evtx#2");
    assert_eq!((text(stopped, "kind"), text(stopped, "time")), ("bugcheck", NOON_IN_REPORTS));
    let next: String = list(&stopped["verdict"], "collect_next").iter().filter_map(Value::as_str).collect();
    assert!(next.contains("none was written") && !next.contains("The dump of the stop:"), "{next}");
}

#[test]
fn a_service_joins_the_crash_of_the_program_with_which_it_was_installed() {
    let crash = crash("demo-agent.exe", 4312, NOON);
    let folder = Folder::new();
    let path = r#""C:\Program Files\Demo\demo-agent.exe" --service"#;
    folder.log(
        "System.evtx",
        "PC-1",
        [
            record(
                "Service Control Manager",
                7045,
                NOON.minus_seconds(86_400 * 20),
                &[("ServiceName", "DemoSvc"), ("ImagePath", path)],
            ),
            service_ended(NOON.plus_seconds(1), "Démonstration", "DemoSvc", "Restart the service"),
        ],
    );
    folder.log("Application.evtx", "PC-1", [crash.application_error(Layout::Named)]);
    assert_incidents(&folder, &[&["Application.evtx#1", "System.evtx#2"]]);
}

#[test]
fn a_known_service_joins_the_crash_of_its_program_and_no_other_does() {
    let mut spooler = crash("spoolsv.exe", 4312, NOON);
    spooler.app.path = r"C:\Windows\System32\spoolsv.exe".to_owned();
    let folder = Folder::new();
    folder.log(
        "System.evtx",
        "PC-1",
        [
            service_ended(NOON, "Druckwarteschlange", "Spooler", "Restart the service"),
            service_ended(NOON, "Windows Search", "WSearch", "Restart the service"),
        ],
    );
    folder.log("Application.evtx", "PC-1", [spooler.application_error(Layout::Named)]);
    assert_incidents(&folder, &[&["Application.evtx#1", "System.evtx#1"], &["System.evtx#2"]]);
}

#[test]
fn a_report_without_a_module_joins_its_dump_where_no_record_of_the_crash_is_left() {
    let crash = crash("demo.exe", 4312, NOON);
    let mut reported = crash.clone();
    reported.module = Image { path: "StackHash_0a9e".to_owned(), version: None, timestamp: 0 };
    reported.time = NOON.plus_seconds(45);
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&crash));
    folder.log("Application.evtx", "PC-1", [reported.wer_event(Layout::Positional, "Not available", 4)]);
    assert_incidents(&folder, &[&["demo.exe.4312.dmp", "Application.evtx#1"]]);
}

#[test]
fn a_report_of_another_code_or_from_long_after_does_not_join_a_dump() {
    let crash = crash("demo.exe", 4312, NOON);
    for (code, seconds) in [(0xC000_0374, 45), (crash.code, 600)] {
        let mut reported = crash.clone();
        reported.module = Image { path: "StackHash_0a9e".to_owned(), version: None, timestamp: 0 };
        reported.code = code;
        reported.time = NOON.plus_seconds(seconds);
        let folder = Folder::new();
        folder.file("demo.exe.4312.dmp", &dump(&crash));
        folder.log("Application.evtx", "PC-1", [reported.wer_event(Layout::Positional, "Not available", 4)]);
        assert_incidents(&folder, &[&["demo.exe.4312.dmp"], &["Application.evtx#1"]]);
    }
}

#[test]
fn an_incident_keeps_the_c_plus_plus_exception_of_the_log_beside_the_code_of_the_dump() {
    let mut logged = crash("demo.exe", 4312, NOON);
    logged.code = 0xE06D_7363;
    let mut ended = logged.clone();
    ended.code = 0xC000_0409;
    let folder = Folder::new();
    folder.file("demo.exe.4312.dmp", &dump(&ended));
    folder.log("Application.evtx", "PC-1", [logged.application_error(Layout::Named)]);
    let report = assert_incidents(&folder, &[&["demo.exe.4312.dmp", "Application.evtx#1"]]);
    let incident = &report["incidents"][0];
    assert_eq!(incident["exception"]["code"], "0xC0000409");
    assert_eq!(incident["exception"]["recorded_code"], "0xE06D7363");
    assert!(list(incident, "findings").iter().any(|finding| finding["cause"] == "unhandled-cpp-exception"));
}
