//! Artifacts that are damaged, or of another kind than their names suggest.

use samplekit::FileTime;
use samplekit::event_log::{CHUNK_BYTES, EventLog, FILE_HEADER_BYTES};
use samplekit::events::{Layout, product_installed};

use super::cuda_dumps::access_violation_cudnn_dump;
use crate::sample::{File, Incident, OneOf, Sample};
use crate::scene::{Fault, Scene, Windows, windows_program};

pub fn cut_dump() -> Sample {
    let mut bytes = access_violation_cudnn_dump().to_bytes();
    // Memory is written last; the remaining file ends some bytes into it.
    let memory: usize = access_violation_cudnn_dump().captured_bytes();
    bytes.truncate(bytes.len() - memory + 200);
    let name = "python.exe.4312.dmp";
    Sample {
        name: "cut-dump",
        shows: "A copy of a dump that broke off: exception and modules are there, memory is not. The faulting \
                instruction is still exact.",
        made: "The dump of access-violation-cudnn, cut 200 bytes into its memory.",
        files: vec![File { status: OneOf(vec!["partial"]), ..File::whole(name, "minidump", bytes) }],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &[name])
                .at("cudnn64_8.dll")
                .suspect(&["cudnn64_8.dll"])
                .because(&["undetermined", "version-mismatch", "application-defect"], 0.0, 0.5),
        ],
    }
}

pub fn broken_chunk() -> Sample {
    let start = FileTime::utc(2024, 9, 10, 5, 0, 0);
    let program = r"C:\Program Files\Orrin\Planner\planner.exe";
    let crash = |after: u64, module: &'static str, offset: u64, process: u32| {
        let images = windows_program(program, [7, 1, 3, 0], Windows::Ten);
        let scene = Scene::new(images, Windows::Ten, process, start.plus_seconds(after), 900);
        let fault = Fault {
            code: 0xC000_0005,
            flags: 0,
            at: (module, offset),
            parameters: vec![],
            instruction: vec![],
            callers: vec![],
        };
        scene.crash(&fault, &format!("broken-chunk {process}"))
    };
    let mut log = EventLog::new("Application", "PC-07").starting_at(1200);
    let mut minute = 0_u64;
    let mut ordinary = |log: &mut EventLog, count: u64| {
        for _ in 0..count {
            minute += 1;
            let product = format!("Orrin Planner component {minute}");
            log.add(product_installed(start.plus_seconds(minute * 60), &product, "7.1.3.0", "Orrin Software"));
        }
    };
    // A chunk holds about 190 of the ordinary events.
    log.add(crash(30, "planner.exe", 0x1_F2D0, 3388).application_error(Layout::Positional));
    ordinary(&mut log, 440);
    log.add(crash(27_000, "combase.dll", 0x6_1A0C, 5072).application_error(Layout::Positional));
    ordinary(&mut log, 20);
    let mut bytes = log.to_bytes();
    assert_eq!(bytes.len(), FILE_HEADER_BYTES + 3 * CHUNK_BYTES, "the log has three chunks");
    // A lost cluster of the disk: the first 8 KiB of the chunk in the middle.
    let broken = FILE_HEADER_BYTES + CHUNK_BYTES;
    bytes[broken..broken + 8192].fill(0);
    let name = "Application.evtx";
    Sample {
        name: "broken-chunk",
        shows: "An event log of three chunks, the second of which lost its beginning. The records of the first and \
                the third are reported; the log counts as read in part.",
        made: "Application.evtx of PC-07: a crash of planner.exe in the first chunk, another in the third, ordinary \
               events between them; 8 KiB of zeros over the start of the second chunk.",
        files: vec![File { status: OneOf(vec!["partial"]), ..File::whole(name, "event-log", bytes) }],
        incidents: vec![
            Incident::crash("planner.exe", "0xC0000005", &[name]).at("planner.exe").suspect(&["planner.exe"]).because(
                &["undetermined", "application-defect"],
                0.0,
                0.6,
            ),
            Incident::crash("planner.exe", "0xC0000005", &[name]).at("combase.dll").because(
                &["undetermined", "application-defect"],
                0.0,
                0.5,
            ),
        ],
    }
}

const PASTED: &str = "\
Log Name:      Application
Source:        Application Error
Date:          5/27/2024 4:41:07 PM
Event ID:      1000
Task Category: (100)
Level:         Error
Keywords:      Classic
User:          N/A
Computer:      PC-08
Description:
Faulting application name: python.exe, version: 3.9.13150.1013, time stamp: 0x628e3a5c
Faulting module name: ucrtbase.dll, version: 10.0.19041.789, time stamp: 0x2bd748bf
Exception code: 0xc0000409
Fault offset: 0x000000000007286e
Faulting process id: 0x2e8c
Faulting application start time: 0x01dab03f5a1e2c40
Faulting application path: C:\\Users\\user\\miniconda3\\envs\\tf\\python.exe
Faulting module path: C:\\Windows\\System32\\ucrtbase.dll
Report Id: 6c0f7a52-8a0e-4d55-9d0e-0c6f0d3f8f51
Faulting package full name: 
Faulting package-relative application ID: 

the console said before that:
Could not locate zlibwapi.dll. Please make sure it is in your library path!
";

pub fn text_as_dump() -> Sample {
    let bytes = PASTED.replace('\n', "\r\n").into_bytes();
    Sample {
        name: "text-as-dump",
        shows: "A text that somebody copied from Event Viewer and saved as crash.dmp, with the console's last line \
                below. The content decides what a file is, not its name.",
        made: "Plain text, CR LF.",
        files: vec![File::whole("crash.dmp", "ticket", bytes)],
        incidents: vec![Incident::crash("python.exe", "0xC0000409", &["crash.dmp"]).at("ucrtbase.dll").because(
            &["missing-dependency"],
            0.7,
            0.99,
        )],
    }
}

pub fn empty() -> Sample {
    Sample {
        name: "empty-dump",
        shows: "An empty dump, as a full disk leaves it: listed with the reason, and no crash.",
        made: "Nothing.",
        files: vec![File {
            name: "empty.dmp",
            kind: OneOf(vec!["unknown", "minidump"]),
            status: OneOf(vec!["failed", "skipped"]),
            bytes: vec![],
        }],
        incidents: vec![],
    }
}
