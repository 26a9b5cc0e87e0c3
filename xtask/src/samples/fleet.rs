//! Three machines over two months: one folder with similar incidents that must not be joined.
//!
//! `tests/fleet/truth.txt` lists the incident of each artifact and record.

use samplekit::event_log::{Event, EventLog};
use samplekit::events::{
    Crash, Hang, Image, Layout, LostPower, ManagedCrash, bugcheck, display_reset, kernel_power, missing_dll_popup,
    nvidia_driver, process_exit, service_ended, unclean_shutdown,
};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, Minidump, StackImage};
use samplekit::wer_report::{Report, Writing};
use samplekit::{FileTime, Guid};

use crate::sample::{File, Sample};
use crate::scene::{Fault, Scene, Windows, tensorflow, windows_program};

/// The sample's folder.
pub const NAME: &str = "fleet";

const KERNEL: u64 = 0xFFFF_F803_4A00_0000;
const DISK_FILTER: u64 = 0xFFFF_F803_5B20_0000;

fn fault(code: u32, module: &'static str, offset: u64) -> Fault {
    Fault { code, flags: 0, at: (module, offset), parameters: vec![], instruction: vec![], callers: vec![] }
}

/// One crash with its dump.
struct Crashed {
    crash: Crash,
    dump: Minidump,
}

fn crashed(scene: &Scene, fault: &Fault, report: &str) -> Crashed {
    Crashed { crash: scene.crash(fault, report), dump: scene.dump(fault) }
}

/// A crash of some program in its own code, a while after its start.
fn own_crash(path: &str, windows: Windows, process: u32, time: FileTime, ran_seconds: u64, report: &str) -> Crashed {
    let name: &'static str = match path.rsplit('\\').next() {
        Some("ledger.exe") => "ledger.exe",
        Some("updater.exe") => "updater.exe",
        _ => "viewer.exe",
    };
    let images = windows_program(path, [4, 2, 0, 9], windows);
    let scene = Scene::new(images, windows, process, time, ran_seconds);
    crashed(&scene, &fault(0xC000_0005, name, 0x1_2C40), report)
}

const LEDGER: &str = r"C:\Program Files\Ledger\ledger.exe";
const UPDATER: &str = r"C:\Program Files\Orrin\Updater\updater.exe";
const VIEWER: &str = r"C:\Program Files\Viewer\viewer.exe";
/// "Not available" on a German system.
const GERMAN: &str = "Nicht verfügbar";

pub fn three_machines() -> Sample {
    let mut files = german_machine();
    files.extend(machine_of_a_domain());
    files.extend(third_machine());
    files.push(File::minidump("Downloads/viewer.exe.8812.dmp", &of_nobody().dump));
    Sample {
        name: NAME,
        shows: "Three machines over two months in one folder: crashes, hangs, blue screens, resets and a power loss, \
                with dumps, logs in two languages and both layouts, reports, and a text from each machine. Similar \
                incidents stay separate: a reused process id, two crashes within three seconds, the same process on \
                two machines, a report of another user, a text that fits two crashes.",
        made: "PC-21 in German with the positional layout, a log exported twice, and a clock that was set back; \
               PC-22, whose logs name it with and without its domain, with named fields, a blue screen with dump, a \
               blue screen without an address among its parameters, a burst of resets, a service that crashes again \
               and again; PC-23 with an audit of processes; and a dump on its own.",
        files,
        incidents: vec![],
    }
}

/// The same second on both machines: a task that starts at the same time everywhere.
fn scheduled_everywhere(report: &str) -> Crashed {
    let time = FileTime::utc(2025, 4, 7, 6, 0, 31).plus_micros(118_402);
    own_crash(LEDGER, Windows::Ten, 6644, time, 30, report)
}

fn of_nobody() -> Crashed {
    own_crash(VIEWER, Windows::Ten, 8812, FileTime::utc(2025, 4, 19, 20, 15, 2), 840, "of nobody")
}

fn german_machine() -> Vec<File> {
    let host = "PC-21";
    // One crash with all of its artifacts.
    let time = FileTime::utc(2025, 3, 4, 9, 12, 40).plus_micros(402_771);
    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 4312, time, 1900);
    let training = crashed(&scene, &fault(0xC000_0005, "cudnn64_8.dll", 0x1_C3A4), "fleet training");
    // Two crashes of one program within three seconds, and later a third whose process has the first's id.
    let twice = FileTime::utc(2025, 3, 11, 14, 3, 8).plus_micros(77_310);
    let first = own_crash(LEDGER, Windows::Ten, 5120, twice, 310, "fleet ledger 1");
    let second = own_crash(LEDGER, Windows::Ten, 5208, twice.plus_seconds(3), 290, "fleet ledger 2");
    let reused = own_crash(LEDGER, Windows::Ten, 5120, twice.plus_seconds(187_000), 55, "fleet ledger 3");
    // A program of .NET that is a service.
    let managed_time = FileTime::utc(2025, 3, 20, 22, 40, 11).plus_micros(5_000);
    let service = windows_program(r"C:\Program Files\Orrin\Inventory\OrrinInventory.exe", [2, 6, 1, 0], Windows::Ten);
    let scene = Scene::new(service, Windows::Ten, 3920, managed_time, 80_000);
    let managed_crash = scene.crash(&fault(0xE043_4352, "KERNELBASE.dll", 0x2_CF19), "fleet inventory");
    let managed = ManagedCrash {
        app: managed_crash.app.clone(),
        time: managed_time,
        report_id: managed_crash.report_id,
        text: "Anwendung: OrrinInventory.exe\nFrameworkversion: v4.0.30319\nBeschreibung: Der Prozess wurde aufgrund \
               eines Ausnahmefehlers beendet.\nAusnahmeinformationen: System.IO.FileNotFoundException\n   bei \
               Orrin.Inventory.Program.Main()\n"
            .to_owned(),
        exception: "System.IO.FileNotFoundException".to_owned(),
    };
    // The clock was set back by an hour while the program ran.
    let set_back = FileTime::utc(2025, 3, 30, 2, 10, 50);
    let mut viewer = own_crash(VIEWER, Windows::Ten, 7716, set_back, 0, "fleet viewer");
    viewer.crash.started = set_back.plus_seconds(2400);
    viewer.dump.process.started = set_back.plus_seconds(2400);
    let everywhere = scheduled_everywhere("fleet scheduled on PC-21");

    let early: Vec<Event> = vec![
        training.crash.application_error(Layout::Positional),
        training.crash.wer_event(Layout::Positional, GERMAN, 4),
        training.crash.wer_event(Layout::Positional, GERMAN, 97),
        training.crash.wer_event(Layout::Positional, GERMAN, 268_435_456),
        first.crash.application_error(Layout::Positional),
        second.crash.application_error(Layout::Positional),
        second.crash.wer_event(Layout::Positional, GERMAN, 4),
        first.crash.wer_event(Layout::Positional, GERMAN, 268_435_456),
        reused.crash.application_error(Layout::Positional),
        managed.runtime_event(),
        managed_crash.application_error(Layout::Positional),
        managed.wer_event(GERMAN),
    ];
    let mut copy = EventLog::new("Application", host);
    let mut application = EventLog::new("Application", host);
    for event in &early {
        copy.add(event.clone());
        application.add(event.clone());
    }
    application.add(viewer.crash.application_error(Layout::Positional));
    application.add(everywhere.crash.application_error(Layout::Positional));
    let mut system = EventLog::new("System", host);
    let ended = managed_time.plus_micros(930_000);
    system.add(service_ended(ended, "Orrin-Inventardienst", "OrrinInventory", "Neustart des Diensts"));
    let report = training.crash.report((19045, 3693), &[]).to_bytes();
    let ticket = "Hallo,\r\nder Viewer ist wieder weg. Das steht in der Ereignisanzeige:\r\n\
                  Name der fehlerhaften Anwendung: viewer.exe, Version: 4.2.0.9, Zeitstempel: 0x65a1f0c2\r\n\
                  Name des fehlerhaften Moduls: viewer.exe, Version: 4.2.0.9, Zeitstempel: 0x65a1f0c2\r\n\
                  Ausnahmecode: 0xc0000005\r\nFehleroffset: 0x0000000000012c40\r\n\
                  ID des fehlerhaften Prozesses: 0x1e24\r\n";
    vec![
        File::event_log("PC-21/Application.evtx", &application),
        File::event_log("PC-21/Anwendung (Kopie).evtx", &copy),
        File::event_log("PC-21/System.evtx", &system),
        File::minidump("PC-21/CrashDumps/python.exe.4312.dmp", &training.dump),
        File::minidump("PC-21/CrashDumps/ledger.exe.5120.dmp", &first.dump),
        File::minidump("PC-21/CrashDumps/ledger.exe.5208.dmp", &second.dump),
        File::minidump("PC-21/CrashDumps/ledger.exe.5120(1).dmp", &reused.dump),
        File::minidump("PC-21/viewer.exe.7716.dmp", &viewer.dump),
        File::minidump("PC-21/ledger.exe.6644.dmp", &everywhere.dump),
        File::whole("PC-21/AppCrash_python.exe_1f2e/Report.wer", "wer-report", report),
        File::whole("PC-21/Ticket 4711.txt", "ticket", ticket.as_bytes().to_vec()),
    ]
}

fn stop_dump(code: u32, parameters: [u64; 4], time: FileTime) -> Vec<u8> {
    let stack_pointer = 0xFFFF_F88A_1B3E_6918;
    let mut stack = StackImage::new(stack_pointer);
    stack.word(KERNEL + 0x25_3CF5).locals(8).frame(6, DISK_FILTER + 0x2C94).frame(9, KERNEL + 0x40_5A28).locals(6);
    TriageDump {
        stop: Stop {
            build: 22621,
            processors: 8,
            code,
            parameters,
            time,
            uptime_seconds: 51_300,
            context: Context::at(KERNEL + 0x3F_D5E0, stack_pointer),
            comment: None,
        },
        narrow: false,
        stack: stack.memory().bytes,
        drivers: vec![
            Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", KERNEL, 0x0104_6000),
            Driver::new(r"\SystemRoot\System32\drivers\fltmgr.sys", KERNEL + 0x0200_0000, 0x7_7000),
            Driver::new(r"\SystemRoot\System32\drivers\diskfilter.sys", DISK_FILTER, 0x1_4000),
        ],
        unloaded: vec![],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    }
    .to_bytes()
}

/// Kernel-Power 41, EventLog 6008 and BugCheck 1001 of one start.
fn restart(log: &mut EventLog, boot: FileTime, code: u32, parameters: [u64; 4], dump: &str, report: Guid) {
    log.add(kernel_power(boot, LostPower { code, parameters, power_button: None }));
    log.add(unclean_shutdown(boot.plus_seconds(7), boot.minus_seconds(77), 1, 51_290));
    log.add(bugcheck(boot.plus_seconds(13), code, parameters, dump, report));
}

fn machine_of_a_domain() -> Vec<File> {
    let (short, full) = ("PC-22", "PC-22.corp.example");
    // A blue screen in the middle of March: dump, records of the start, and the report.
    let (time, parameters) = (FileTime::utc(2025, 3, 15, 17, 44, 9), [0x28, 2, 0, DISK_FILTER + 0x2C94]);
    let (stop_id, stop_name) = (Guid::made_up("fleet stop"), r"C:\Windows\Minidump\031525-9531-01.dmp");
    let mut early = EventLog::new("System", short);
    restart(&mut early, time.plus_seconds(58), 0xD1, parameters, stop_name, stop_id);
    let signature = ["d1", "28", "2", "0", "fffff8035b202c94"];
    let signature = signature.iter().zip(["Code", "Parameter 1", "Parameter 2", "Parameter 3", "Parameter 4"]);
    let blue_screen = Report {
        event_type: "BlueScreen".to_owned(),
        time,
        id: Guid::made_up("fleet stop, own"),
        integrator_id: stop_id,
        process: 0,
        started: FileTime(0),
        app: "WerFault.exe".to_owned(),
        app_path: r"C:\Windows\System32\WerFault.exe".to_owned(),
        signature: signature.map(|(value, name)| (name.to_owned(), (*value).to_owned())).collect(),
        build: (22621, 3155),
        modules: vec![],
    };
    let writing = Writing { about_process: false, friendly_name: "Shut down unexpectedly", ..Writing::ENGLISH };

    let mut system = EventLog::new("System", full).starting_at(40_101);
    // Six records of three resets within half a minute.
    let reset = FileTime::utc(2025, 3, 22, 11, 20, 4);
    for seconds in [0, 14, 27] {
        let at = reset.plus_seconds(seconds);
        system.add(nvidia_driver(at, 153, &[r"\Device\Video3", "Reset TDR occurred on GPUID:100"]));
        system.add(display_reset(at.plus_micros(1_300_000), "nvlddmkm"));
    }
    // A blue screen on request: no parameter is an address, and only the dump's name leads to it.
    let wanted = FileTime::utc(2025, 4, 2, 8, 1, 17);
    let wanted_name = r"C:\Windows\Minidump\040225-8812-01.dmp";
    restart(&mut system, wanted.plus_seconds(49), 0xE2, [0; 4], wanted_name, Guid::made_up("fleet request"));

    // A service that crashes, is started again, and crashes.
    let mut application = EventLog::new("Application", full).starting_at(71_040);
    let again = FileTime::utc(2025, 4, 10, 3, 30, 0);
    for (number, seconds) in [0_u32, 64, 127, 191].into_iter().zip([0, 64, 127, 191]) {
        let name = format!("fleet updater {number}");
        let crash = own_crash(UPDATER, Windows::Eleven, 2200 + number, again.plus_seconds(seconds), 3, &name).crash;
        application.add(crash.application_error(Layout::Named));
        application.add(crash.wer_event(Layout::Named, "Not available", 268_435_456));
        let ended = crash.time.plus_micros(480_000);
        system.add(service_ended(ended, "Orrin Updater", "updater", "Restart the service"));
    }
    // A window that hung, and a dump that somebody made of it.
    let hung = FileTime::utc(2025, 4, 12, 16, 20, 33);
    let scene = Scene::new(windows_program(LEDGER, [4, 2, 0, 9], Windows::Eleven), Windows::Eleven, 9344, hung, 5400);
    let hang = Hang {
        app: Image::from(scene.images.executable()),
        process: scene.process,
        started: scene.started,
        time: hung.plus_seconds(21),
        report_id: Guid::made_up("fleet hang"),
    };
    application.add(hang.application_hang());
    application.add(hang.wer_event());
    let waiting = scene.healthy(scene.waiting_main_thread(&[("KERNELBASE.dll", 0x2_6EEE)]));
    // Two users of one machine: the log records the crash of one, a report that of the other, two seconds later.
    let both = FileTime::utc(2025, 4, 15, 10, 0, 5);
    let viewer = own_crash(VIEWER, Windows::Eleven, 4120, both, 600, "fleet viewer of one user").crash;
    let other = own_crash(VIEWER, Windows::Eleven, 4488, both.plus_seconds(2), 550, "fleet viewer of another").crash;
    application.add(viewer.application_error(Layout::Named));
    application.add(viewer.wer_event(Layout::Named, "Not available", 4));
    // The text fits each crash of the service.
    let ticket = "The updater keeps dying, please have a look.\r\nFaulting application name: updater.exe, version: \
                  4.2.0.9\r\nFaulting module name: updater.exe, version: 4.2.0.9\r\nException code: 0xc0000005\r\n\
                  Fault offset: 0x0000000000012c40\r\n";
    vec![
        File::event_log("PC-22/System (March).evtx", &early),
        File::event_log("PC-22/System.evtx", &system),
        File::event_log("PC-22/Application.evtx", &application),
        File::whole("PC-22/031525-9531-01.dmp", "kernel-dump", stop_dump(0xD1, parameters, time)),
        File::whole("PC-22/040225-8812-01.dmp", "kernel-dump", stop_dump(0xE2, [0; 4], wanted)),
        File::whole("PC-22/Kernel_d1_77ab/Report.wer", "wer-report", blue_screen.to_bytes_as(writing)),
        File::minidump("PC-22/ledger (hanging).dmp", &waiting),
        File::whole("PC-22/Users/anna/Report.wer", "wer-report", other.report((22621, 3155), &[]).to_bytes()),
        File::whole("PC-22/Ticket 4712.txt", "ticket", ticket.as_bytes().to_vec()),
    ]
}

fn third_machine() -> Vec<File> {
    let host = "PC-23";
    let mut application = EventLog::new("Application", host).starting_at(880);
    let mut system = EventLog::new("System", host).starting_at(19_002);
    let mut security = EventLog::new("Security", host).starting_at(551_300);
    // A crash and the end of its process, between unrelated ends.
    let time = FileTime::utc(2025, 3, 18, 13, 5, 44).plus_micros(210_000);
    let viewer = own_crash(VIEWER, Windows::Ten, 3344, time, 77, "fleet viewer on PC-23");
    application.add(viewer.crash.application_error(Layout::Positional));
    application.add(viewer.crash.wer_event(Layout::Positional, "Not available", 268_435_456));
    security.add(process_exit(time.minus_seconds(40), LEDGER, 3344, 0));
    security.add(process_exit(time.plus_seconds(4), VIEWER, 3344, 0xC000_0005));
    // A program that did not start, and a power supply that failed.
    system.add(missing_dll_popup(FileTime::utc(2025, 3, 25, 7, 58, 3), "ledger.exe", "ledgercore.dll"));
    let boot = FileTime::utc(2025, 4, 1, 6, 30, 0);
    system.add(kernel_power(boot, LostPower::default()));
    system.add(unclean_shutdown(boot.plus_seconds(8), boot.minus_seconds(900), 1, 8011));
    let everywhere = scheduled_everywhere("fleet scheduled on PC-23");
    application.add(everywhere.crash.application_error(Layout::Positional));
    // A dump without records in the logs: error reporting was switched off on that day.
    let silent =
        own_crash(LEDGER, Windows::Ten, 7010, FileTime::utc(2025, 4, 21, 15, 0, 9), 2200, "fleet silent on PC-23");
    let report_id = viewer.crash.report_id;
    let ticket = format!(
        "My viewer closed while I was printing. This is what I found:\r\nFaulting application name: viewer.exe, \
         version: 4.2.0.9\r\nFaulting module name: viewer.exe, version: 4.2.0.9\r\nException code: 0xc0000005\r\n\
         Fault offset: 0x0000000000012c40\r\nFaulting process id: 0xd10\r\nReport Id: {report_id}\r\n"
    );
    vec![
        File::event_log("PC-23/Application.evtx", &application),
        File::event_log("PC-23/System.evtx", &system),
        File::event_log("PC-23/Security.evtx", &security),
        File::minidump("PC-23/ledger.exe.6644.dmp", &everywhere.dump),
        File::minidump("PC-23/ledger.exe.7010.dmp", &silent.dump),
        File::whole("PC-23/Ticket 4713.txt", "ticket", ticket.into_bytes()),
    ]
}
