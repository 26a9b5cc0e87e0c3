//! Resets of the GPU, with and without a blue screen.

use samplekit::event_log::EventLog;
use samplekit::events::{Layout, LostPower, bugcheck, display_reset, kernel_power, nvidia_driver, unclean_shutdown};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, StackImage};
use samplekit::{FileTime, Guid};

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

/// Load addresses of the kernel and of the drivers in the blue screen sample.
const KERNEL: u64 = 0xFFFF_F806_5640_0000;
const DXGKRNL: u64 = 0xFFFF_F806_5D20_0000;
const NVLDDMKM: u64 = 0xFFFF_F806_7A40_0000;

/// The drivers of an ordinary Windows 10, and NVIDIA's.
fn drivers() -> Vec<Driver> {
    let list = [
        ("ntoskrnl.exe", KERNEL, 0x0104_6000),
        ("hal.dll", 0xFFFF_F806_5610_0000, 0x6000),
        ("kd.dll", 0xFFFF_F806_5611_0000, 0xB000),
        ("CI.dll", 0xFFFF_F806_58E0_0000, 0xE_4000),
        ("fltmgr.sys", 0xFFFF_F806_5900_0000, 0x7_7000),
        ("ACPI.sys", 0xFFFF_F806_5910_0000, 0xC_C000),
        ("pci.sys", 0xFFFF_F806_5920_0000, 0x7_4000),
        ("Ntfs.sys", 0xFFFF_F806_5940_0000, 0x2D_9000),
        ("ndis.sys", 0xFFFF_F806_5980_0000, 0x17_5000),
        ("tcpip.sys", 0xFFFF_F806_59C0_0000, 0x2E_C000),
        ("stornvme.sys", 0xFFFF_F806_5A00_0000, 0x2_F000),
        ("storport.sys", 0xFFFF_F806_5A10_0000, 0xB_2000),
        ("watchdog.sys", 0xFFFF_F806_5D00_0000, 0x1_B000),
        ("dxgkrnl.sys", DXGKRNL, 0x3A_6000),
        ("dxgmms2.sys", 0xFFFF_F806_5D80_0000, 0xE_1000),
        ("win32kbase.sys", 0xFFFF_F806_6800_0000, 0x2D_F000),
        ("nvlddmkm.sys", NVLDDMKM, 0x0360_2000),
    ];
    let path = |name: &str| match name {
        "nvlddmkm.sys" => {
            let package = r"DriverStore\FileRepository\nv_dispi.inf_amd64_7209bde3180ef5f7";
            format!(r"\SystemRoot\System32\{package}\{name}")
        }
        _ if name.ends_with(".sys") => format!(r"\SystemRoot\System32\drivers\{name}"),
        _ => format!(r"\SystemRoot\system32\{name}"),
    };
    list.into_iter().map(|(name, base, size)| Driver::new(&path(name), base, size)).collect()
}

pub fn bugcheck_in_display_driver() -> Sample {
    /// `VIDEO_TDR_FAILURE`.
    const CODE: u32 = 0x116;
    // The recovery's context, an address in the driver, STATUS_INSUFFICIENT_RESOURCES, and an internal number.
    let parameters = [0xFFFF_B08A_1C3D_2460, NVLDDMKM + 0x10_2F70, 0xFFFF_FFFF_C000_009A, 4];
    let stopped = FileTime::utc(2024, 7, 30, 21, 14, 37);
    let boot = stopped.plus_seconds(48);
    let mut log = EventLog::new("System", "PC-05").starting_at(90_551);
    log.add(kernel_power(boot, LostPower { code: CODE, parameters, power_button: None }));
    log.add(unclean_shutdown(boot.plus_seconds(7), stopped.minus_seconds(37), 2, 27_402));
    let dump_path = r"C:\Windows\Minidump\073024-9531-01.dmp";
    log.add(bugcheck(boot.plus_seconds(11), CODE, parameters, dump_path, Guid::made_up("bugcheck-0x116")));

    // The kernel stops in a worker thread of the graphics kernel.
    let stack_pointer = 0xFFFF_F50C_8A3F_6918;
    let mut stack = StackImage::new(stack_pointer);
    stack.word(DXGKRNL + 0x16_F2A3).locals(8).frame(6, DXGKRNL + 0x16_0C94).frame(9, NVLDDMKM + 0xA_51C7);
    stack.frame(12, DXGKRNL + 0x1_5E30).frame(7, KERNEL + 0x25_3CF5).frame(5, KERNEL + 0x40_5A28).locals(6);
    let dump = TriageDump {
        stop: Stop {
            build: 19041,
            processors: 12,
            code: CODE,
            parameters,
            time: stopped,
            uptime_seconds: 27_410,
            context: Context::at(KERNEL + 0x3F_D5E0, stack_pointer),
            comment: None,
        },
        narrow: false,
        stack: stack.memory().bytes,
        drivers: drivers(),
        unloaded: vec![Driver::new("dump_stornvme.sys", 0xFFFF_F806_5B00_0000, 0x2_F000)],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    };
    let dump_name = "073024-9531-01.dmp";
    Sample {
        name: "bugcheck-display-driver",
        shows: "Blue screen because the display driver could not be reset. Log and dump are of the same blue screen; \
                Kernel-Power writes the code as a decimal number (278 is 0x116), and the second parameter is an \
                address in nvlddmkm.sys.",
        made: "System.evtx of PC-05 with Kernel-Power 41, EventLog 6008 and BugCheck 1001 of one restart; a triage \
               dump of Windows 10 with 17 drivers and the stopping thread's stack.",
        files: vec![File::event_log("System.evtx", &log), File::whole(dump_name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &["System.evtx", dump_name])
                .bugcheck("0x00000116")
                .at("nvlddmkm.sys")
                .suspect_or_none("nvlddmkm.sys")
                .because(&["gpu-timeout", "gpu-driver-defect", "gpu-hardware-fault", "undetermined"], 0.0, 0.75),
        ],
    }
}
