//! Incidents that earlier records of the machine's logs explain: drivers, heat, drives, blocked files.

use samplekit::event_log::EventLog;
use samplekit::events::{
    Crash, DisplayDriver, Health, Image, Layout, LostPower, applocker_block, bad_block, defender_action,
    display_driver_installed, display_reset, drive_health, ended_by_other, kernel_power, missing_dll_popup,
    nvidia_driver, process_exit, processor_held_back, thermal_shutdown, unclean_shutdown,
};
use samplekit::{FileTime, FileVersion, Guid};

use crate::sample::{File, Incident, Sample};

pub fn resets_after_driver_install() -> Sample {
    let installed = FileTime::utc(2024, 9, 3, 18, 20, 11);
    let mut log = EventLog::new("System", "PC-10").starting_at(12_870);
    log.add(display_driver_installed(
        installed,
        DisplayDriver {
            package: r"FileRepository\nv_dispi.inf_amd64_0b1c2d3e4f506172\nv_dispi.inf",
            version: "32.0.15.6070",
            provider: "NVIDIA",
            device: r"PCI\VEN_10DE&DEV_2484&SUBSYS_00000000&REV_A1\4&1A2B3C4D&0&0008",
            description: "NVIDIA GeForce RTX 3070",
        },
    ));
    for hours in [22, 25, 28] {
        let reset = installed.plus_seconds(hours * 3600 + 417);
        log.add(nvidia_driver(reset, 153, &[r"\Device\Video3", "Reset TDR occurred on GPUID:100"]));
        log.add(display_reset(reset.plus_micros(1_300_000), "nvlddmkm"));
    }
    let reset = || Incident::new("gpu-reset", &["System.evtx"]);
    let causes = ["gpu-timeout", "gpu-driver-defect", "gpu-hardware-fault", "undetermined"];
    let series = ["gpu-driver-defect"];
    Sample {
        name: "driver-install-then-resets",
        shows: "A display driver was installed, and from the next day on the adapter was reset again and again. The \
                order of events is no proof, but the series makes the driver the first suspect.",
        made: "System.evtx of PC-10 with UserPnp 20001 of a display adapter, then nvlddmkm 153 and Display 4101 after \
               22, 25 and 28 hours.",
        files: vec![File::event_log("System.evtx", &log)],
        incidents: vec![
            reset().because(&causes, 0.0, 0.6),
            reset().because(&series, 0.3, 0.7),
            reset().because(&series, 0.3, 0.7),
        ],
    }
}

pub fn shut_down_by_heat() -> Sample {
    let off = FileTime::utc(2024, 8, 11, 15, 2, 30);
    let boot = off.plus_seconds(240);
    let mut log = EventLog::new("System", "PC-11").starting_at(30_118);
    for (minutes, processor) in [(19, 0), (19, 1), (12, 0), (12, 1), (5, 0), (5, 1)] {
        log.add(processor_held_back(off.minus_seconds(minutes * 60), processor, 71));
    }
    log.add(kernel_power(boot, LostPower::default()));
    log.add(unclean_shutdown(boot.plus_seconds(8), off.minus_seconds(20), 2, 9011));
    log.add(thermal_shutdown(boot.plus_seconds(9), r"ACPI\ThermalZone\TZ00"));
    Sample {
        name: "shut-down-by-heat",
        shows: "The firmware held the processors back, then the machine switched itself off: Windows names the thermal \
                zone at the next start.",
        made: "System.evtx of PC-11 with Kernel-Processor-Power 37 in the twenty minutes before, then Kernel-Power 41 \
               (code 0), EventLog 6008 and Kernel-Power 86 of one start.",
        files: vec![File::event_log("System.evtx", &log)],
        incidents: vec![Incident::new("power-loss", &["System.evtx"]).because(&["hardware-fault"], 0.6, 0.95)],
    }
}

/// An invented program.
fn tool(name: &str) -> Image {
    Image {
        path: format!(r"C:\Program Files\Ledger\{name}"),
        version: Some(FileVersion([4, 2, 0, 118])),
        timestamp: 0x6640_1c2e,
    }
}

/// A module of Windows.
fn system_module(name: &str) -> Image {
    Image {
        path: format!(r"C:\Windows\System32\{name}"),
        version: Some(FileVersion([10, 0, 19041, 4355])),
        timestamp: 0x9ce4_7784,
    }
}

fn crash(code: u32, module: Image, time: FileTime, seed: &str) -> Crash {
    Crash {
        app: tool("ledger.exe"),
        module,
        code,
        offset: 0x2_cf19,
        data: 0,
        process: 8120,
        started: time.minus_seconds(5400),
        time,
        report_id: Guid::made_up(seed),
    }
}

pub fn failing_drive() -> Sample {
    let time = FileTime::utc(2024, 10, 21, 9, 41, 7);
    let mut health = EventLog::new("Microsoft-Windows-Storage-Storport/Health", "PC-12").starting_at(412);
    let good = Health { warning: 0, kelvin: 309, spare: 100, used: 61, media_errors: 0 };
    let bad = Health { warning: 4, kelvin: 327, spare: 7, used: 62, media_errors: 218 };
    health.add(drive_health(time.minus_seconds(30 * 86_400), "Fast 970 1TB", good));
    health.add(drive_health(time.minus_seconds(7200), "Fast 970 1TB", bad));
    let mut system = EventLog::new("System", "PC-12").starting_at(64_004);
    system.add(bad_block(time.minus_seconds(3), r"\Device\Harddisk0\DR0", 0xC000_009C));
    let mut application = EventLog::new("Application", "PC-12").starting_at(20_770);
    let crash = crash(0xC000_0006, tool("ledger.exe"), time, "failing-drive");
    application.add(crash.application_error(Layout::Positional));
    Sample {
        name: "failing-drive",
        shows: "A page of a program could not be read. Two hours before, the NVMe drive had warned of its reliability; \
                the month before it had been healthy.",
        made: "Of PC-12: the StorPort health log with two events 512, System.evtx with disk 7 whose packet ends with \
               0xC000009C, Application.evtx with event 1000 of ledger.exe, 0xC0000006.",
        files: vec![
            File::event_log("Microsoft-Windows-Storage-Storport%4Health.evtx", &health),
            File::event_log("System.evtx", &system),
            File::event_log("Application.evtx", &application),
        ],
        incidents: vec![
            Incident::crash(
                "ledger.exe",
                "0xC0000006",
                &["Application.evtx", "System.evtx", "Microsoft-Windows-Storage-Storport%4Health.evtx"],
            )
            .at("ledger.exe")
            .suspect_or_none("ledger.exe")
            .because(&["storage-fault"], 0.5, 0.95),
        ],
    }
}

pub fn quarantined_dll() -> Sample {
    let start = FileTime::utc(2024, 11, 5, 7, 58, 3);
    let mut defender = EventLog::new("Microsoft-Windows-Windows Defender/Operational", "PC-13").starting_at(3301);
    // The action's name as a German system writes it.
    defender.add(defender_action(
        start.minus_seconds(47 * 3600),
        "Trojan:Win32/Sample!ml",
        r"file:_C:\Program Files\Ledger\ledgercore.dll",
        r"C:\Program Files\Ledger\update.exe",
        "Quarantäne",
    ));
    let mut system = EventLog::new("System", "PC-13").starting_at(81_230);
    system.add(missing_dll_popup(start, "ledger.exe", "ledgercore.dll"));
    let defender_name = "Microsoft-Windows-Windows Defender%4Operational.evtx";
    Sample {
        name: "quarantined-dll",
        shows: "A program does not start, because a DLL of its own is gone. Two days before, the virus scanner had put that \
                file into quarantine.",
        made: "Of PC-13: the log of Defender with event 1117, its action in German, and System.evtx with Application \
               Popup 26 two days later.",
        files: vec![File::event_log(defender_name, &defender), File::event_log("System.evtx", &system)],
        incidents: vec![
            Incident { process: Some("ledger.exe"), ..Incident::new("start-failure", &["System.evtx", defender_name]) }
                .because(&["security-software"], 0.5, 0.92),
        ],
    }
}

pub fn dll_refused_by_policy() -> Sample {
    let time = FileTime::utc(2024, 11, 6, 13, 20, 44);
    let log_name = "Microsoft-Windows-AppLocker%4EXE and DLL.evtx";
    let mut policy = EventLog::new("Microsoft-Windows-AppLocker/EXE and DLL", "PC-14").starting_at(911);
    policy.add(applocker_block(time.minus_seconds(1), r"C:\Users\user\AppData\Local\Ledger\report.dll", 8120));
    let mut application = EventLog::new("Application", "PC-14").starting_at(7702);
    let crash = crash(0xC06D_007E, system_module("KERNELBASE.dll"), time, "dll-refused-by-policy");
    application.add(crash.application_error(Layout::Positional));
    Sample {
        name: "dll-refused-by-policy",
        shows: "A program died because a DLL that it loads late was not found. A second before, AppLocker had refused a DLL; \
                to the program a refused file looks like a missing one.",
        made: "Of PC-14: the log of AppLocker with event 8004 and its UserData, Application.evtx with event 1000 of \
               ledger.exe, 0xC06D007E in KERNELBASE.dll.",
        files: vec![File::event_log(log_name, &policy), File::event_log("Application.evtx", &application)],
        incidents: vec![
            Incident::crash("ledger.exe", "0xC06D007E", &["Application.evtx", log_name]).at("KERNELBASE.dll").because(
                &["code-integrity-block"],
                0.5,
                0.9,
            ),
        ],
    }
}

pub fn ended_by_supervisor() -> Sample {
    let time = FileTime::utc(2024, 12, 1, 4, 11, 52);
    let mut log = EventLog::new("Application", "PC-15").starting_at(5520);
    let (program, guard) = (r"C:\Program Files\Ledger\ledger.exe", r"C:\Program Files\Guard\guard.exe");
    log.add(ended_by_other(time, program, guard, 1, time.minus_seconds(86_000)));
    Sample {
        name: "ended-by-supervisor",
        shows: "A program vanished without any crash record. Windows was configured to monitor it for silent exits, \
                and names the process that ended it.",
        made: "Application.evtx of PC-15 with ProcessExitMonitor 3001: code 1, the program's start, the path of the other \
               process.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![
            Incident { process: Some("ledger.exe"), ..Incident::new("exit", &["Application.evtx"]) }.because(
                &["terminated-by-user"],
                0.6,
                0.92,
            ),
        ],
    }
}

pub fn audited_exit() -> Sample {
    let time = FileTime::utc(2024, 12, 9, 10, 2, 19);
    let mut log = EventLog::new("Security", "PC-16").starting_at(1_904_411);
    let program = r"C:\Program Files\Ledger\ledger.exe";
    for (seconds, process, code) in [(0, 5104, 0), (11, 8120, 0xC000_0409), (12, 4412, 1), (30, 9216, 0xC000_013A)] {
        log.add(process_exit(time.plus_seconds(seconds), program, process, code));
    }
    Sample {
        name: "audited-exit",
        shows: "Crash reports are switched off on this machine, and only the audit of processes is available: one of \
                four ends of a program has the status of a fast-fail. The event contains neither the fast-fail code \
                nor the module.",
        made: "Security.evtx of PC-16 with four events 4689 of ledger.exe: status 0, 0xC0000409, 1, and 0xC000013A of \
               Ctrl+C.",
        files: vec![File::event_log("Security.evtx", &log)],
        incidents: vec![
            Incident {
                process: Some("ledger.exe"),
                exception: Some("0xC0000409"),
                ..Incident::new("exit", &["Security.evtx"])
            }
            .because(&["abort-after-fatal-error", "undetermined"], 0.0, 0.6),
        ],
    }
}
