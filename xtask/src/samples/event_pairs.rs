//! Crashes with evidence in the Application log only.

use samplekit::event_log::EventLog;
use samplekit::events::{
    Commit, Hang, Image, Layout, ManagedCrash, memory_exhausted, product_installed, service_ended,
};
use samplekit::{FileTime, FileVersion, Guid};

use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, python, tensorflow, torch, windows_program};

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
        shows: "One crash in the layout of Windows 10: Application Error 1000 and Windows Error Reporting 1001, \
                which is logged twice, with unnamed fields and one report id. Event 1001 contains the fast-fail \
                code.",
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
        shows: "An unknown program ended in the C runtime with 0xC0000409. Event 1000 contains no fast-fail code, \
                and there is no other evidence: the report can only name what to collect.",
        made: "Application.evtx of PC-05 with one record, positional layout; ledger.exe, ucrtbase.dll+0x7286e.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![Incident::crash("ledger.exe", "0xC0000409", &["Application.evtx"]).at("ucrtbase.dll").because(
            &["undetermined", "abort-after-fatal-error"],
            0.0,
            0.5,
        )],
    }
}

/// The .NET runtime's message on a Portuguese system, where even the labels are translated.
const PORTUGUESE: &str = "\
Aplicativo: OrrinInventory.exe
Versão do Framework: v4.0.30319
Descrição: o processo terminou por causa de uma exceção sem tratamento.
Informações da Exceção: System.IO.FileNotFoundException
   em Orrin.Inventory.Store.Open(System.String)
   em Orrin.Inventory.Service.Start()
   em Orrin.Inventory.Program.Main()
";

pub fn other_language() -> Sample {
    let time = FileTime::utc(2024, 6, 18, 12, 9, 14);
    let program = r"C:\Program Files\Orrin\Inventory\OrrinInventory.exe";
    let images = windows_program(program, [2, 6, 1, 0], Windows::Ten);
    let scene = Scene::new(images, Windows::Ten, 4420, time, 12_900);
    let fault = Fault {
        code: 0xE043_4352,
        flags: 0x81,
        at: ("KERNELBASE.dll", 0x2_CF19),
        parameters: vec![],
        instruction: vec![],
        callers: vec![],
    };
    let crash = scene.crash(&fault, "other-language");
    let managed = ManagedCrash {
        app: crash.app.clone(),
        time,
        report_id: crash.report_id,
        text: PORTUGUESE.to_owned(),
        exception: "System.IO.FileNotFoundException".to_owned(),
    };
    let mut log = EventLog::new("Application", "PC-06").starting_at(1);
    log.add(managed.runtime_event());
    log.add(crash.application_error(Layout::Positional));
    let (service, action) = ("Serviço de Inventário Orrin", "Reiniciar o serviço");
    log.add(service_ended(time.plus_micros(930_000), service, "OrrinInventory", action).channel("System"));
    log.add(managed.wer_event("Não disponível"));
    Sample {
        name: "other-language",
        shows: "A .NET service of a Portuguese system crashed with an unhandled exception. Labels, the answer of the \
                reporting service, and the service's display name are translated; codes, names of files and types, \
                and the service's own name are not.",
        made: "Eventos.evtx of PC-06, saved from a view of two logs: .NET Runtime 1026, Application Error 1000 with \
               0xe0434352 in KERNELBASE.dll, Service Control Manager 7031 of the System channel, Windows Error \
               Reporting 1001 of type CLR20r3.",
        files: vec![File::event_log("Eventos.evtx", &log)],
        incidents: vec![
            Incident::crash("OrrinInventory.exe", "0xE0434352", &["Eventos.evtx"])
                .at("KERNELBASE.dll")
                .suspect_or_none("OrrinInventory.exe")
                .because(&["unhandled-managed-exception"], 0.5, 0.97),
        ],
    }
}

pub fn hang() -> Sample {
    let time = FileTime::utc(2024, 6, 20, 9, 50, 17);
    let hang = Hang {
        app: Image {
            path: r"C:\Program Files\Orrin\Planner\planner.exe".to_owned(),
            version: Some(FileVersion([7, 1, 3, 0])),
            timestamp: 0x65A1_0C3E,
        },
        process: 14_036,
        started: time.minus_seconds(5321),
        time,
        report_id: Guid::made_up("hang"),
    };
    let mut log = EventLog::new("Application", "PC-01").starting_at(40_020);
    log.add(hang.application_hang());
    log.add(hang.wer_event());
    Sample {
        name: "hang",
        shows: "A window stopped answering and was closed: no crash, no exception, and no record of what it waited \
                for.",
        made: "Application.evtx of PC-01 with Application Hang 1002 and Windows Error Reporting 1001 of type AppHangB1, \
               positional layout.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![
            Incident { process: Some("planner.exe"), ..Incident::new("hang", &["Application.evtx"]) }.because(
                &["application-hang"],
                0.3,
                0.95,
            ),
        ],
    }
}

pub fn memory_exhausted_before_crash() -> Sample {
    const GIB: u64 = 1 << 30;
    let time = FileTime::utc(2024, 6, 25, 22, 31, 8);
    let scene = Scene::new(python(Windows::Ten), Windows::Ten, 16_904, time, 3900);
    let fault = Fault {
        code: 0xE06D_7363,
        flags: 0x81,
        at: ("KERNELBASE.dll", 0x2_CF19),
        parameters: vec![],
        instruction: vec![],
        callers: vec![],
    };
    let crash = scene.crash(&fault, "memory-exhausted");
    let commit = Commit {
        limit: 40 * GIB,
        charge: 40 * GIB - 312_000_000,
        physical: 32 * GIB - 198_000_000,
        top: vec![
            ("python.exe".to_owned(), scene.process, scene.started, 29 * GIB),
            ("chrome.exe".to_owned(), 7120, time.minus_seconds(21_000), 2 * GIB + 77_000_000),
            ("MsMpEng.exe".to_owned(), 4044, time.minus_seconds(90_000), 389_000_000),
        ],
    };
    let mut log = EventLog::new("Application", "PC-02").starting_at(1);
    log.add(memory_exhausted(time.minus_seconds(62), &commit).channel("System"));
    log.add(crash.application_error(Layout::Positional));
    log.add(crash.wer_event(Layout::Positional, "Not available", 4));
    Sample {
        name: "memory-exhausted",
        shows: "The commit limit was nearly reached, with python.exe as the greatest user; a minute later that \
                process crashed with an unhandled C++ exception.",
        made: "Saved events.evtx of PC-02, saved from a view of two logs: Resource-Exhaustion-Detector 2004 with its \
               UserData, then events 1000 and 1001 with 0xe06d7363 in KERNELBASE.dll.",
        files: vec![File::event_log("Saved events.evtx", &log)],
        incidents: vec![
            Incident::crash("python.exe", "0xE06D7363", &["Saved events.evtx"]).at("KERNELBASE.dll").because(
                &["host-memory-exhausted"],
                0.5,
                0.95,
            ),
        ],
    }
}
