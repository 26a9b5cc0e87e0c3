//! Blue screens and live kernel reports: of drivers, of hardware, and without an identified cause.

use samplekit::error_record::{ErrorRecordBytes, Section};
use samplekit::kernel_dump::{
    BitmapDump, Driver, Moment, ProcessorImage, Stop, Storage, TriageDump, cpuid, saved_events,
};
use samplekit::minidump::{Context, StackImage};
use samplekit::{FileTime, Guid};

use crate::sample::{File, Incident, Sample};

/// The load address of the kernel in these dumps.
const KERNEL: u64 = 0xFFFF_F803_1A00_0000;
const FLTMGR: u64 = 0xFFFF_F803_1E60_0000;
const NDIS: u64 = 0xFFFF_F803_1F20_0000;
const DXGKRNL: u64 = 0xFFFF_F803_2A00_0000;
const NVLDDMKM: u64 = 0xFFFF_F803_4100_0000;
/// A driver that is not part of Windows.
const THIRD_PARTY: u64 = 0xFFFF_F803_3C40_0000;

/// The kernel's own drivers that the samples need.
fn core() -> Vec<Driver> {
    [
        (r"system32\ntoskrnl.exe", KERNEL, 0x0104_7000),
        (r"system32\hal.dll", 0xFFFF_F803_1960_0000, 0x6000),
        (r"System32\drivers\FLTMGR.SYS", FLTMGR, 0x7_3000),
        (r"System32\drivers\ndis.sys", NDIS, 0x18_0000),
        (r"System32\drivers\dxgkrnl.sys", DXGKRNL, 0x4A_8000),
    ]
    .into_iter()
    .map(|(path, base, size)| Driver::new(&format!(r"\SystemRoot\{path}"), base, size))
    .collect()
}

fn with(driver: Driver) -> Vec<Driver> {
    let mut drivers = core();
    drivers.push(driver);
    drivers
}

fn third_party() -> Driver {
    Driver::new(r"\SystemRoot\System32\drivers\lanshaper.sys", THIRD_PARTY, 0x3_4000)
        .linked(FileTime::utc(2019, 8, 14, 9, 12, 40))
}

fn display() -> Driver {
    let package = r"\SystemRoot\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_7209bde3180ef5f7";
    Driver::new(&format!(r"{package}\nvlddmkm.sys"), NVLDDMKM, 0x0421_3000).linked(FileTime::utc(2023, 6, 8, 1, 2, 3))
}

fn stop(code: u32, parameters: [u64; 4], time: FileTime, stack_pointer: u64) -> Stop {
    Stop {
        build: 22621,
        processors: 16,
        code,
        parameters,
        time,
        uptime_seconds: 15_212,
        context: Context::at(KERNEL + 0x42_9A20, stack_pointer),
        comment: None,
    }
}

fn triage(stop: Stop, stack: &StackImage, drivers: Vec<Driver>) -> TriageDump {
    TriageDump {
        stop,
        narrow: false,
        stack: stack.memory().bytes,
        drivers,
        unloaded: vec![],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    }
}

pub fn network_driver() -> Sample {
    let pointer = 0xFFFF_BA0C_51F3_E5A8;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x43_E5A9).locals(12).frame(9, KERNEL + 0x43_9D6B).frame(20, THIRD_PARTY + 0x1_17C4);
    stack.frame(7, NDIS + 0x2_31F0).frame(5, NDIS + 0x1_0CB4).frame(9, KERNEL + 0x2A_6E1D).locals(4);
    let parameters = [0x28, 2, 0, THIRD_PARTY + 0x1_17C4];
    let dump =
        triage(stop(0xD1, parameters, FileTime::utc(2024, 8, 6, 18, 41, 3), pointer), &stack, with(third_party()));
    let name = "080624-12531-01.dmp";
    Sample {
        name: "bugcheck-network-driver",
        shows: "A network driver of a third party read through a null pointer at a raised interrupt level: the \
                fourth parameter of the blue screen is an address in it, so it is the suspect and not ndis.sys, \
                which called it.",
        made: "Small kernel dump of Windows 11 22621 with stop 0xD1; parameter 4 in lanshaper.sys, an invented \
               driver, linked in 2019.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &[name])
                .bugcheck("0x000000D1")
                .at("lanshaper.sys")
                .suspect(&["lanshaper.sys"])
                .because(&["kernel-driver-defect"], 0.6, 0.9),
        ],
    }
}

pub fn stack_only() -> Sample {
    let pointer = 0xFFFF_BA0C_62A1_D178;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x43_E5A9).locals(10).frame(7, KERNEL + 0x43_C2D1).frame(16, KERNEL + 0x2F_1C70);
    stack.frame(8, THIRD_PARTY + 0x1_2208).frame(6, FLTMGR + 0x5F9C).frame(9, KERNEL + 0x2A_6E1D).locals(4);
    let parameters = [3, 0xFFFF_BA0C_62A1_D490, 0xFFFF_BA0C_62A1_D3E8, 0];
    let dump =
        triage(stop(0x139, parameters, FileTime::utc(2024, 8, 7, 7, 55, 21), pointer), &stack, with(third_party()));
    let name = "080724-9843-01.dmp";
    Sample {
        name: "bugcheck-driver-on-stack",
        shows: "The kernel found a damaged linked list while a filter driver of a third party called it. Only the \
                stack names the driver, so the suspect has a weak basis and the confidence is low.",
        made: "Small kernel dump of Windows 11 22621 with stop 0x139, parameter 1 = 3; lanshaper.sys between the kernel \
               and fltmgr.sys on the stack.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &[name])
                .bugcheck("0x00000139")
                .at("ntoskrnl.exe")
                .suspect(&["lanshaper.sys"])
                .because(&["kernel-driver-defect"], 0.3, 0.7),
        ],
    }
}

pub fn unloaded_driver() -> Sample {
    let pointer = 0xFFFF_BA0C_4D60_27B8;
    let gone = 0xFFFF_F803_5B20_0000;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x43_E5A9).locals(10).frame(7, KERNEL + 0x43_C2D1).frame(16, KERNEL + 0x2F_1C70).locals(6);
    // Execution at an address that is no longer mapped: the address and the instruction are the same.
    let parameters = [gone + 0x5120, 2, 8, gone + 0x5120];
    let mut dump = triage(stop(0xD1, parameters, FileTime::utc(2024, 8, 8, 20, 3, 44), pointer), &stack, core());
    dump.unloaded = vec![Driver::new("lanshaper.sys", gone, 0x3_4000)];
    let name = "080824-10078-01.dmp";
    Sample {
        name: "bugcheck-unloaded-driver",
        shows: "Code of a driver was called after the driver had been unloaded: a timer or a callback was left \
                behind. The address is in no loaded driver, but in the former range of the unloaded one.",
        made: "Small kernel dump of Windows 11 22621 with stop 0xD1, parameters 1 and 4 in the range of lanshaper.sys \
               in the list of unloaded drivers, of whose name the kernel keeps 12 characters.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &[name])
                .bugcheck("0x000000D1")
                .at("lanshaper.sy")
                .suspect(&["lanshaper.sy"])
                .because(&["kernel-driver-defect"], 0.5, 0.9),
        ],
    }
}

pub fn machine_check() -> Sample {
    let pointer = 0xFFFF_A781_33C1_F8F8;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x4B_61A3).locals(10).frame(11, 0xFFFF_F803_1960_2114).frame(9, KERNEL + 0x53_0F07);
    // The stack contains whatever was running, which is unrelated to the error.
    stack.frame(14, THIRD_PARTY + 0x1_2208).locals(6);
    // Valid, uncorrected, context corrupt; error code 0x135: data read of the level-1 cache.
    let parameters = [0, 0xFFFF_CF05_7A1B_E028, 0xBE00_0000, 0x0080_0135];
    let dump =
        triage(stop(0x124, parameters, FileTime::utc(2024, 8, 9, 3, 17, 55), pointer), &stack, with(third_party()));
    let name = "080924-8812-01.dmp";
    Sample {
        name: "bugcheck-machine-check",
        shows: "The processor reported an uncorrected error of a cache. Drivers are always on the stack: none may be \
                named.",
        made: "Small kernel dump of Windows 11 22621 with stop 0x124, source 0; the bank's status in parameters 3 and 4 \
               has error code 0x135; lanshaper.sys on the stack.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![Incident::new("bugcheck", &[name]).bugcheck("0x00000124").at("ntoskrnl.exe").because(
            &["cpu-instability"],
            0.4,
            0.9,
        )],
    }
}

pub fn error_record() -> Sample {
    let pointer = 0xFFFF_A781_33C1_F8F8;
    let record = 0xFFFF_CF05_7A1B_E028;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x4B_61A3).locals(10).frame(11, 0xFFFF_F803_1960_2114).frame(9, KERNEL + 0x53_0F07).locals(6);
    // Windows 11 no longer puts the bank's status into the parameters of every such stop.
    let mut dump = triage(
        stop(0x124, [0, record, 0, 0], FileTime::utc(2024, 8, 9, 3, 18, 1), pointer),
        &stack,
        with(third_party()),
    );
    let bytes = ErrorRecordBytes {
        severity: 1,
        sections: vec![
            Section::Processor { kind: 1, operation: 1, level: 1, apic_id: 16, signature: 0xB0671 },
            Section::MachineCheck {
                bank: 0,
                status: 0xBE00_0000_0080_0135,
                address: 0x1_8F3A_40C0,
                misc: 0x86,
                apic_id: 16,
            },
        ],
    };
    dump.memory = vec![(record, bytes.to_bytes())];
    dump.moment = Some(Moment {
        process: "System".to_owned(),
        process_id: 4,
        processor: ProcessorImage {
            vendor: "GenuineIntel",
            kind: (6, 183, 1),
            megahertz: 3187,
            microcode: 0x11D << 32,
            number: 8,
        },
    });
    let events =
        saved_events(&[("WHEA-Logger", 19, 3, 12), ("Kernel-General", 12, 4, 2), ("WHEA-Logger", 18, 2, 55)], 0);
    dump.secondary = vec![
        cpuid("13th Gen Intel(R) Core(TM) i9-13900K"),
        (Guid::new(0x2B88_B710, 0x1C93, 0x4F7C, 0xB06C, 0x655E_CC50_DECC), events),
    ];
    let name = "080924-9015-01.dmp";
    Sample {
        name: "bugcheck-error-record",
        shows: "The parameters of the blue screen hold nothing but the address of the hardware's own record: in it are \
                the bank, its status and the processor's core. The dump also names the processor, whose microcode is older \
                than Intel's fix.",
        made: "Small kernel dump of Windows 11 22621 with stop 0x124, source 0; a record of two sections in its memory, the \
               kernel's descriptions of process and processor, and secondary data with the processor's name and the \
               session EventLog-System.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![Incident::new("bugcheck", &[name]).bugcheck("0x00000124").at("ntoskrnl.exe").because(
            &["cpu-instability"],
            0.6,
            0.95,
        )],
    }
}

pub fn power_request() -> Sample {
    let pointer = 0xFFFF_A781_33C1_F8F8;
    let [request, place, device, bus_device] =
        [0xFFFF_9A0C_4410_0010_u64, 0xFFFF_9A0C_4410_0168, 0xFFFF_9A0C_3000_0050, 0xFFFF_9A0C_3100_0060];
    let [driver, bus_driver] = [0xFFFF_9A0C_2000_0E00_u64, 0xFFFF_9A0C_2100_0E00];
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x4B_61A3).locals(10).frame(9, KERNEL + 0x53_0F07).locals(6);
    let stop = stop(0x9F, [3, bus_device, pointer + 0x120, request], FileTime::utc(2024, 8, 9, 3, 18, 1), pointer);
    let mut dump = triage(stop, &stack, with(third_party()));
    // Type, length, and at their offsets the fields that lead from the request to the driver's image.
    let object = |kind: u8, length: usize, fields: &[(usize, u64)]| {
        let mut bytes = vec![0_u8; length];
        bytes[0] = kind;
        for (offset, value) in fields {
            bytes[*offset..offset + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    };
    let mut irp = object(6, 0xD0, &[(0xB8, place)]);
    // Three drivers, the second of which holds the request.
    irp[0x42..0x44].copy_from_slice(&[3, 2]);
    dump.memory = vec![
        (request, irp),
        // IRP_MJ_POWER, IRP_MN_SET_POWER.
        (place, [vec![0x16, 2], object(0, 0x46, &[(0x26, device)])].concat()),
        (device, object(3, 0x150, &[(8, driver)])),
        (bus_device, object(3, 0x150, &[(8, bus_driver)])),
        (driver, object(4, 0x150, &[(0x18, THIRD_PARTY)])),
        (bus_driver, object(4, 0x150, &[(0x18, NDIS)])),
    ];
    let mut plug_and_play = vec![0_u8; 0x2C];
    plug_and_play[0x1C] = 1;
    plug_and_play.extend("USB\\VID_1209&PID_0001\\5&1\0".encode_utf16().flat_map(u16::to_le_bytes));
    dump.secondary = vec![(Guid::new(0xB763_1941, 0x532A, 0x4CD6, 0xB1B1, 0xEDB5_917D_4557), plug_and_play)];
    let name = "080924-9120-01.dmp";
    Sample {
        name: "bugcheck-power-request",
        shows: "A device was to change its power and did not. The blocked request leads to the driver that holds it, which no \
                address in parameters or stack does.",
        made: "Small kernel dump of Windows 11 22621 with stop 0x9F, parameter 1 = 3; the request, its place in the stack of \
               drivers, devices and drivers in its memory; the event of Plug and Play in its secondary data.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &[name])
                .bugcheck("0x0000009F")
                .at("ntoskrnl.exe")
                .suspect(&["lanshaper.sys"])
                .because(&["kernel-driver-defect"], 0.6, 0.9),
        ],
    }
}

pub fn page_tables_differ() -> Sample {
    let pointer = 0xFFFF_BA0C_70D2_9318;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x49_0C8A).locals(10).frame(13, KERNEL + 0x26_7710).frame(16, THIRD_PARTY + 0x1_2208).locals(6);
    // Parameters 3 and 4 differ in bit 18.
    let parameters = [0x403, 0xFFFF_8A40_0123_4560, 0x8400_0001_9A3C_7867, 0x8400_0001_9A38_7867];
    let dump =
        triage(stop(0x1A, parameters, FileTime::utc(2024, 8, 10, 11, 30, 9), pointer), &stack, with(third_party()));
    let name = "081024-11203-01.dmp";
    Sample {
        name: "bugcheck-memory-bit",
        shows: "The memory manager found a page table entry that differs from its own records in a single bit, which is \
                what failing memory does. A driver on the stack is no suspect.",
        made: "Small kernel dump of Windows 11 22621 with stop 0x1A, parameter 1 = 0x403; parameters 3 and 4 differ in \
               bit 18.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![Incident::new("bugcheck", &[name]).bugcheck("0x0000001A").at("ntoskrnl.exe").because(
            &["memory-hardware-fault"],
            0.5,
            0.9,
        )],
    }
}

pub fn of_32_bits() -> Sample {
    const KERNEL: u64 = 0x8181_0000;
    const FILTER: u64 = 0x8F20_0000;
    let pointer = 0x8A5C_6B10;
    let driver = |path: &str, base, size| Driver::new(&format!(r"\SystemRoot\{path}"), base, size);
    let words = [0x8188_A0F3_u32, 0, 0x8A5C_6B70, 0x8F20_4C11, 0x86F1_2030, 0x8183_D60B];
    let dump = TriageDump {
        stop: Stop {
            build: 7601,
            processors: 2,
            code: 0x1000_008E,
            parameters: [0xC000_0005, FILTER + 0x4C11, 0x8A5C_6B94, 0],
            time: FileTime::utc(2024, 8, 12, 13, 8, 30),
            uptime_seconds: 4820,
            context: Context::at(FILTER + 0x4C11, pointer),
            comment: None,
        },
        narrow: true,
        stack: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        drivers: vec![
            driver(r"system32\ntkrnlpa.exe", KERNEL, 0x41_2000),
            driver(r"system32\halmacpi.dll", 0x81C2_2000, 0x3_7000),
            driver(r"System32\drivers\lanshaper.sys", FILTER, 0x1_D000),
        ],
        unloaded: vec![driver("crashdmp.sys", 0x8D00_0000, 0xD000)],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    };
    let name = "Mini081224-01.dmp";
    Sample {
        name: "bugcheck-32-bit",
        shows: "A small kernel dump of a 32-bit system: the driver list, the unloaded drivers and the stack are read as \
                on 64 bits.",
        made: "Small kernel dump of 32-bit Windows 7 with stop 0x1000008E, 0xC0000005 in lanshaper.sys.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &[name])
                .bugcheck("0x0000008E")
                .at("lanshaper.sys")
                .suspect(&["lanshaper.sys"])
                .because(&["kernel-driver-defect"], 0.6, 0.9),
        ],
    }
}

pub fn live_report() -> Sample {
    let pointer = 0xFFFF_BA0C_1188_B3A8;
    let mut stack = StackImage::new(pointer);
    stack.word(DXGKRNL + 0x2B_1F44).locals(12).frame(8, DXGKRNL + 0x2B_0C18).frame(9, KERNEL + 0x2A_6E1D).locals(4);
    let parameters = [0xFFFF_B50F_E2C9_B460, NVLDDMKM + 0x17_5010, 0, 0x4ABC];
    let mut stop = stop(0x141, parameters, FileTime::utc(2024, 8, 13, 22, 9, 12), pointer);
    stop.comment = Some("Live dump of the display".to_owned());
    let dump = triage(stop, &stack, with(display()));
    let name = "WATCHDOG-20240813-2209.dmp";
    Sample {
        name: "live-report-gpu-engine",
        shows: "A live kernel report: a GPU engine did not answer, the display driver was reset and the system went \
                on. It has the format of a blue screen's dump, but there was no blue screen.",
        made: "Small kernel dump as in the folder LiveKernelReports, code 0x141, parameter 2 in nvlddmkm.sys.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("gpu-reset", &[name])
                .bugcheck("0x00000141")
                .at("nvlddmkm.sys")
                .suspect(&["nvlddmkm.sys"])
                .because(&["gpu-timeout", "gpu-driver-defect", "undetermined"], 0.0, 0.8),
        ],
    }
}

pub fn with_pages() -> Sample {
    let pointer = 0xFFFF_BA0C_51F3_E5A8;
    // Two return addresses with the calls before them, and between them a stale one without a call before it.
    let words = [KERNEL + 0x2F_1C70, FLTMGR + 0x5F9C, THIRD_PARTY + 0x1_2208];
    let code = |end: u64, last: &[u8]| {
        let mut bytes = vec![0x90; 0x20];
        bytes[0x20 - last.len()..].copy_from_slice(last);
        (end - 0x20, bytes)
    };
    let call = [0xE8, 0x10, 0x20, 0x00, 0x00];
    let dump = BitmapDump {
        stop: stop(0x139, [3, pointer + 0x2E8, pointer + 0x240, 0], FileTime::utc(2024, 8, 14, 6, 20, 2), pointer),
        storage: Storage::Bitmap(6),
        drivers: with(third_party()),
        memory: vec![
            (pointer, words.iter().flat_map(|word| word.to_le_bytes()).collect()),
            code(KERNEL + 0x2F_1C70, &call),
            code(FLTMGR + 0x5F9C, &[0x48, 0x8B, 0xC8]),
            code(THIRD_PARTY + 0x1_2208, &call),
        ],
        loop_at: None,
    };
    let name = "MEMORY.DMP";
    Sample {
        name: "bugcheck-kernel-pages",
        shows: "A kernel memory dump: the list of drivers and the stack are read through the page tables, and a \
                value on the stack that does not follow a call is no frame.",
        made: "Kernel dump of Windows 11 22621 whose pages are listed in a bitmap, stop 0x139; the kernel's list of \
               drivers, the first page of each image, the stack and the code around three addresses are in it.",
        files: vec![File::whole(name, "kernel-dump", dump.to_bytes())],
        incidents: vec![
            Incident::new("bugcheck", &[name])
                .bugcheck("0x00000139")
                .at("ntoskrnl.exe")
                .suspect(&["lanshaper.sys"])
                .because(&["kernel-driver-defect"], 0.3, 0.7),
        ],
    }
}
