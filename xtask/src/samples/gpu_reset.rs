//! Resets of the GPU.

use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::{Layout, display_reset, nvidia_driver};

use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, tensorflow};

pub fn timeout_then_crash() -> Sample {
    let reset = FileTime::utc(2024, 7, 16, 16, 8, 55).plus_micros(604_118);
    let device = r"\Device\Video3";
    let mut system = EventLog::new("System", "PC-04").starting_at(33_870);
    system.add(nvidia_driver(reset, 153, &[device, "Reset TDR occurred on GPUID:100"]));
    system.add(nvidia_driver(
        reset.plus_micros(212_000),
        14,
        &[device, "GPU recovery action changed from 0x0 (None) to 0x1 (PF FLR)"],
    ));
    system.add(display_reset(reset.plus_micros(1_950_000), "nvlddmkm"));

    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 13_356, reset.plus_seconds(40), 2210);
    let crash = scene.crash(
        &Fault {
            code: 0xC000_0005,
            flags: 0,
            at: ("nvcuda64.dll", 0x21_6B0A),
            parameters: vec![],
            instruction: vec![],
            callers: vec![],
        },
        "gpu-timeout",
    );
    let mut application = EventLog::new("Application", "PC-04").starting_at(50_312);
    application.add(crash.application_error(Layout::Positional));
    application.add(crash.wer_event(Layout::Positional, "Not available", 268_435_456));
    Sample {
        name: "gpu-timeout",
        shows: "The display driver was reset after a timeout, and 40 seconds later a Python process that used the GPU \
                crashed in the driver's library: the reset came first.",
        made: "System.evtx of PC-04 with nvlddmkm 153 and 14 and Display 4101, Application.evtx with events 1000 and \
               1001 of python.exe, 0xC0000005 in nvcuda64.dll.",
        files: vec![File::event_log("System.evtx", &system), File::event_log("Application.evtx", &application)],
        incidents: vec![
            Incident::new("gpu-reset", &["System.evtx"]).because(
                &["gpu-timeout", "gpu-driver-defect", "gpu-hardware-fault", "undetermined"],
                0.0,
                0.75,
            ),
            Incident::crash("python.exe", "0xC0000005", &["Application.evtx", "System.evtx"])
                .at("nvcuda64.dll")
                .suspect(&["nvcuda64.dll"])
                .because(&["gpu-timeout"], 0.3, 0.85),
        ],
    }
}
