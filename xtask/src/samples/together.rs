//! Patterns over many incidents: the same place on several machines, many places on one, a GPU reset with the programs
//! that it crashed, and changes before the first incident.

use samplekit::event_log::EventLog;
use samplekit::events::{
    Crash, DisplayDriver, Image, Layout, display_driver_installed, display_reset, nvidia_driver, product_installed,
};
use samplekit::{FileTime, FileVersion, Guid};

use crate::sample::{File, Incident, Sample};

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// A file of an invented product.
fn image(product: &str, file: &str, version: [u16; 4]) -> Image {
    Image {
        path: format!(r"C:\Program Files\{product}\{file}"),
        version: Some(FileVersion(version)),
        timestamp: 0x6640_1c2e,
    }
}

/// A crash of `app` in `module` at `offset`, an hour after its start.
fn crash(app: Image, module: Image, code: u32, offset: u64, time: FileTime, process: u32) -> Crash {
    let seed = format!("{}{offset:x}{process}", app.name());
    Crash {
        app,
        module,
        code,
        offset,
        data: 0,
        process,
        started: time.minus_seconds(HOUR),
        time,
        report_id: Guid::made_up(&seed),
    }
}

const VIOLATION: u32 = 0xC000_0005;

pub fn same_place_on_three_machines() -> Sample {
    let noon = FileTime::utc(2025, 2, 3, 12, 10, 41);
    let log = |host: &str, hours: u64, process: u32| {
        let mut log = EventLog::new("Application", host).starting_at(4_100);
        let module = image("Ledger", "ledgercore.dll", [4, 3, 0, 201]);
        let app = image("Ledger", "ledger.exe", [4, 3, 0, 201]);
        let crash = crash(app, module, VIOLATION, 0x1_7a40, noon.plus_seconds(hours * HOUR + 71), process);
        log.add(crash.application_error(Layout::Positional));
        log
    };
    let on = |file| {
        Incident::crash("ledger.exe", "0xC0000005", &[file])
            .at("ledgercore.dll")
            .suspect_or_none("ledgercore.dll")
            .because(&["application-defect"], 0.3, 0.6)
    };
    Sample {
        name: "same-place-on-three-machines",
        shows: "The same build of a program crashes at the same offset of the same module on three machines: this \
                points to software, not to the hardware of one machine. The place alone does not prove whose defect \
                it is.",
        made: "Application logs of PC-17, PC-18 and PC-19 with event 1000 of ledger.exe 4.3.0.201, 0xC0000005 at \
               ledgercore.dll+0x17a40, on three days.",
        files: vec![
            File::event_log("PC-17.evtx", &log("PC-17", 0, 4_812)),
            File::event_log("PC-18.evtx", &log("PC-18", 29, 10_236)),
            File::event_log("PC-19.evtx", &log("PC-19", 52, 772)),
        ],
        incidents: vec![on("PC-17.evtx"), on("PC-18.evtx"), on("PC-19.evtx")],
    }
}

pub fn unrelated_crashes_on_one_machine() -> Sample {
    let first = FileTime::utc(2025, 3, 11, 8, 2, 9);
    let mut log = EventLog::new("Application", "PC-20").starting_at(9_004);
    let mut incidents = Vec::new();
    // Product, program, module, code, offset, and after how many hours.
    let crashes = [
        ("Ledger", "ledger.exe", "ledgercore.dll", VIOLATION, 0x1_7a40, 0),
        ("Viewer", "viewer.exe", "viewer.exe", 0xC000_001D, 0x3_3b12, 27),
        ("Mapper", "mapper.exe", "geometry.dll", VIOLATION, 0x9_02c8, 31),
        ("Notes", "notes.exe", "notes.exe", 0xC000_0096, 0x8_8e10, 52),
        ("Player", "player.exe", "decoder.dll", VIOLATION, 0x2_2207, 77),
        ("Packer", "packer.exe", "deflate.dll", VIOLATION, 0x0_4d93, 101),
    ];
    for (number, (product, program, module, code, offset, hours)) in (0_u32..).zip(crashes) {
        let version = [2, 1, 0, 14];
        let app = image(product, program, version);
        let crash = crash(
            app,
            image(product, module, version),
            code,
            offset,
            first.plus_seconds(hours * HOUR),
            3_000 + number * 412,
        );
        log.add(crash.application_error(Layout::Positional));
        let code = match code {
            0xC000_001D => "0xC000001D",
            0xC000_0096 => "0xC0000096",
            _ => "0xC0000005",
        };
        // An illegal instruction alone is mostly one that the processor does not support.
        let causes = ["hardware-fault", "cpu-instability", "cpu-instruction-unsupported", "undetermined"];
        let causes = if code == "0xC000001D" { &causes[..] } else { &["hardware-fault", "undetermined"] };
        incidents.push(
            Incident::crash(program, code, &["Application.evtx"])
                .at(module)
                .suspect_or_none(module)
                .because(causes, 0.0, 0.5),
        );
    }
    Sample {
        name: "unrelated-crashes-on-one-machine",
        shows: "Six programs of six makers crash within five days on one machine, each at another place and with three codes. \
                Software fails in the same place; this points to memory or processor, and only weakly.",
        made: "Application.evtx of PC-20 with six events 1000: 0xC0000005, 0xC000001D and 0xC0000096 in six modules.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents,
    }
}

pub fn victims_of_a_reset() -> Sample {
    let reset = FileTime::utc(2025, 1, 20, 21, 14, 3);
    let mut system = EventLog::new("System", "PC-21").starting_at(51_700);
    system.add(nvidia_driver(reset, 153, &[r"\Device\Video3", "Reset TDR occurred on GPUID:100"]));
    system.add(display_reset(reset.plus_micros(1_300_000), "nvlddmkm"));
    let mut application = EventLog::new("Application", "PC-21").starting_at(20_100);
    let mut incidents = vec![Incident::new("gpu-reset", &["System.evtx"]).because(
        &["gpu-timeout", "gpu-driver-defect", "gpu-hardware-fault", "undetermined"],
        0.0,
        0.6,
    )];
    let victims = [("Viewer", "viewer.exe", 0x3_3b12, 2, 6_120), ("Sculpt", "sculpt.exe", 0x7_1908, 4, 9_444)];
    for (product, program, offset, seconds, process) in victims {
        let version = [2, 1, 0, 14];
        let program_image = || image(product, program, version);
        let time = reset.plus_seconds(seconds);
        let crash = crash(program_image(), program_image(), VIOLATION, offset, time, process);
        application.add(crash.application_error(Layout::Positional));
        incidents.push(
            Incident::crash(program, "0xC0000005", &["Application.evtx", "System.evtx"])
                .at(program)
                .suspect_or_none(program)
                .because(&["gpu-timeout"], 0.4, 0.85),
        );
    }
    Sample {
        name: "victims-of-a-reset",
        shows: "The display driver is reset, and seconds later two programs crash in their own code: the reset \
                crashed them, and neither of them caused it.",
        made: "Of PC-21: System.evtx with nvlddmkm 153 and Display 4101, Application.evtx with event 1000 of viewer.exe and of \
               sculpt.exe two and four seconds after.",
        files: vec![File::event_log("System.evtx", &system), File::event_log("Application.evtx", &application)],
        incidents,
    }
}

pub fn driver_before_the_first() -> Sample {
    let first = FileTime::utc(2025, 4, 8, 14, 30, 12);
    let mut system = EventLog::new("System", "PC-22").starting_at(70_310);
    let driver = |version| DisplayDriver {
        package: r"FileRepository\nv_dispi.inf_amd64_0b1c2d3e4f506172\nv_dispi.inf",
        version,
        provider: "NVIDIA",
        device: r"PCI\VEN_10DE&DEV_2484&SUBSYS_00000000&REV_A1\4&1A2B3C4D&0&0008",
        description: "NVIDIA GeForce RTX 3070",
    };
    system.add(display_reset(first.minus_seconds(40 * DAY), "amdkmdag"));
    system.add(display_driver_installed(first.minus_seconds(9 * HOUR), driver("32.0.15.6070")));
    let mut application = EventLog::new("Application", "PC-22").starting_at(31_002);
    application.add(product_installed(first.minus_seconds(40 * DAY), "Notes 1.0", "1.0.0", "Nobody"));
    application.add(product_installed(first.minus_seconds(2 * DAY), "Packer 2.1", "2.1.0", "Nobody"));
    let driver_image = || Image {
        path: r"C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_0b1c2d3e4f506172\nvwgf2umx.dll"
            .to_owned(),
        version: Some(FileVersion([32, 0, 15, 6070])),
        timestamp: 0x6640_1c2e,
    };
    let mut incidents =
        vec![Incident::new("gpu-reset", &["System.evtx"]).because(&["gpu-timeout", "undetermined"], 0.0, 0.6)];
    for (number, hours) in [(0, 0), (1, 20), (2, 26)] {
        let time = first.plus_seconds(hours * HOUR);
        let app = image("Viewer", "viewer.exe", [2, 1, 0, 14]);
        application.add(
            crash(app, driver_image(), VIOLATION, 0x5_9e10, time, 7_000 + number * 96)
                .application_error(Layout::Positional),
        );
        incidents.push(
            Incident::crash("viewer.exe", "0xC0000005", &["Application.evtx", "System.evtx"])
                .at("nvwgf2umx.dll")
                .suspect_or_none("nvwgf2umx.dll")
                .because(&["gpu-driver-defect"], 0.3, 0.65),
        );
    }
    Sample {
        name: "driver-before-the-first",
        shows: "A display driver was installed nine hours before a program first crashed in it; two days before, another \
                program had been installed. Both came before, which proves nothing, and the driver is the better lead.",
        made: "Of PC-22: System.evtx with an older Display 4101 of another driver and UserPnp 20001 of a display adapter, \
               Application.evtx with two events of MsiInstaller and three events 1000 of viewer.exe in nvwgf2umx.dll.",
        files: vec![File::event_log("System.evtx", &system), File::event_log("Application.evtx", &application)],
        incidents,
    }
}
