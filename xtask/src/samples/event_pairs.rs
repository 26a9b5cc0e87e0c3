//! Crashes that only the Application log knows.

use samplekit::event_log::EventLog;
use samplekit::events::{Layout, product_installed};
use samplekit::{FileTime, FileVersion};

use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, tensorflow, torch, windows_program};

/// abort() in the C runtime of Windows 10.
fn abort() -> Fault {
    Fault {
        code: 0xC000_0409,
        flags: 1,
        at: ("ucrtbase.dll", 0x7_286E),
        parameters: vec![7],
        instruction: vec![],
        callers: vec![],
    }
}

pub fn positional() -> Sample {
    let time = FileTime::utc(2024, 3, 14, 11, 5, 32);
    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 9408, time, 58);
    let crash = scene.crash(&abort(), "event-pair-positional");
    let mut log = EventLog::new("Application", "PC-02").starting_at(20_114);
    log.add(product_installed(time.minus_seconds(7000), "Microsoft Update Health Tools", "5.72.0.0", "Microsoft"));
    log.add(crash.application_error(Layout::Positional));
    // First queued, then answered: two records, one report.
    log.add(crash.wer_event(Layout::Positional, "Not available", 4));
    log.add(crash.wer_event(Layout::Positional, "Not available", 268_435_456));
    Sample {
        name: "event-pair-positional",
        shows: "One crash in the layout of Windows 10: Application Error 1000 and Windows Error Reporting 1001, which \
                is logged twice, with unnamed fields and one report id. Event 1001 holds the fast-fail code.",
        made: "Application.evtx of PC-02 with four records; python.exe, BEX64, ucrtbase.dll+0x7286e, exception data 7.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000409", &["Application.evtx"]).fast_fail(7).at("ucrtbase.dll").because(
                &["abort-after-fatal-error", "missing-dependency", "undetermined"],
                0.0,
                0.6,
            ),
        ],
    }
}

pub fn named() -> Sample {
    let time = FileTime::utc(2025, 1, 21, 18, 44, 10);
    let scene = Scene::new(torch(Windows::Eleven), Windows::Eleven, 21_044, time, 305);
    let crash = scene.crash(
        &Fault {
            code: 0xC000_0005,
            flags: 0,
            at: ("c10.dll", 0x4_F1B6),
            parameters: vec![],
            instruction: vec![],
            callers: vec![],
        },
        "event-pair-named",
    );
    let mut log = EventLog::new("Application", "PC-03").starting_at(61_202);
    log.add(crash.application_error(Layout::Named));
    log.add(crash.wer_event(Layout::Named, "Not available", 268_435_456));
    Sample {
        name: "event-pair-named",
        shows: "One crash in the layout of Windows 11: events 1000 and 1001 with named fields, logged by WerFault \
                whose process id is not the crashed one.",
        made: "Application.evtx of PC-03 with two records; python.exe 3.11, APPCRASH 0xC0000005 in c10.dll, which has \
               no version.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &["Application.evtx"])
                .at("c10.dll")
                .suspect(&["c10.dll"])
                .because(&["undetermined", "application-defect", "version-mismatch"], 0.0, 0.5),
        ],
    }
}

pub fn unknown_program() -> Sample {
    let time = FileTime::utc(2024, 6, 3, 7, 12, 26);
    let images = windows_program(r"C:\Program Files\Halvorsen\Ledger\ledger.exe", [4, 2, 0, 118], Windows::Ten);
    let scene = Scene::new(images, Windows::Ten, 6612, time, 4300);
    let mut crash = scene.crash(&abort(), "undecidable-abort");
    crash.module.version = Some(FileVersion([10, 0, 19041, 3636]));
    let mut log = EventLog::new("Application", "PC-05").starting_at(8801);
    log.add(crash.application_error(Layout::Positional));
    Sample {
        name: "undecidable-abort",
        shows: "A program that nobody knows ended in the C runtime with 0xC0000409. Event 1000 holds no fast-fail \
                code, and there is no other evidence: nothing can be concluded but what to collect.",
        made: "Application.evtx of PC-05 with one record, positional layout; ledger.exe, ucrtbase.dll+0x7286e.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![Incident::crash("ledger.exe", "0xC0000409", &["Application.evtx"]).at("ucrtbase.dll").because(
            &["undetermined", "abort-after-fatal-error"],
            0.0,
            0.5,
        )],
    }
}
