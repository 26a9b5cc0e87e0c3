//! Dumps that are joined with other artifacts, and dumps of other kinds than a crash on Windows.

use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::Layout;
use samplekit::minidump::{
    Context, Exception, Memory, Minidump, Module, Process, Processor, StackImage, System, Thread,
};

use super::cuda_dumps::below_tensorflow;
use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, tensorflow};

pub fn one_crash_three_artifacts() -> Sample {
    let time = FileTime::utc(2025, 2, 11, 10, 22, 49).plus_micros(731_250);
    let images = tensorflow(Windows::Eleven).without("cudnn_cnn_infer64_8.dll");
    let scene = Scene::new(images, Windows::Eleven, 10_244, time, 37);
    let mut callers = vec![("cudnn64_8.dll", 0x1_18E3), ("cudnn64_8.dll", 0x2_0B6C)];
    callers.extend(below_tensorflow());
    let fault = Fault {
        code: 0xC000_0409,
        flags: 1,
        at: ("ucrtbase.dll", 0x7_F61E),
        parameters: vec![7],
        // int 29h
        instruction: vec![0xCD, 0x29],
        callers,
    };
    let crash = scene.crash(&fault, "one-crash-three-artifacts");
    let mut log = EventLog::new("Application", "PC-03").starting_at(70_988);
    log.add(crash.application_error(Layout::Named));
    log.add(crash.wer_event(Layout::Named, "Not available", 268_435_456));
    let report = crash.report((scene.windows.build(), 3155), scene.images.modules());
    let (dump_name, log_name, report_name) = ("python.exe.10244.dmp", "Application.evtx", "Report.wer");
    Sample {
        name: "one-crash-three-artifacts",
        shows: "One crash with a dump, an event log and a Report.wer: the log and the report share an id, the dump \
                joins by process id and start time. One incident, not three.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 11 22631 (PC-03); fast-fail 7 at ucrtbase.dll+0x7f61e \
               below cudnn64_8.dll; events 1000 and 1001 with named fields; Report.wer of type BEX64 with its module \
               list.",
        files: vec![
            File::minidump(dump_name, &scene.dump(&fault)),
            File::event_log(log_name, &log),
            File::whole(report_name, "wer-report", report.to_bytes()),
        ],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000409", &[dump_name, log_name, report_name])
                .fast_fail(7)
                .at("ucrtbase.dll")
                .suspect(&["cudnn64_8.dll"])
                .because(&["missing-dependency", "abort-after-fatal-error"], 0.25, 0.8),
        ],
    }
}

pub fn hanging_process() -> Sample {
    let time = FileTime::utc(2024, 9, 24, 15, 59, 1);
    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 12_640, time, 7200);
    let mut callers = vec![("KERNELBASE.dll", 0x2_6EEE), ("nvcuda64.dll", 0x30_4C18), ("cudart64_110.dll", 0x2_0B57)];
    callers.extend(below_tensorflow());
    let dump = scene.healthy(scene.waiting_main_thread(&callers));
    let name = "python (12640).dmp";
    Sample {
        name: "dump-without-exception",
        shows: "A dump that somebody made of a process that seemed to hang. It has no exception: it must not count \
                as a crash, and why it waits is not known.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; both threads wait in ntdll.dll, the main \
               thread called from nvcuda64.dll and the CUDA runtime.",
        files: vec![File::minidump(name, &dump)],
        incidents: vec![Incident { process: Some("python.exe"), ..Incident::new("hang", &[name]) }.because(
            &["undetermined", "application-hang"],
            0.0,
            0.5,
        )],
    }
}

pub fn linux() -> Sample {
    const PYTHON: u64 = 0x0000_55D0_4C20_0000;
    const TORCH: u64 = 0x0000_7F31_A000_0000;
    const LIBC: u64 = 0x0000_7F31_F800_0000;
    /// Streams that Breakpad's writer for Linux adds: a copy of `/proc/self/cmdline` and of `/etc/lsb-release`.
    const COMMAND_LINE: u32 = 0x4767_0006;
    const RELEASE: u32 = 0x4767_0005;
    let pointer = 0x0000_7FFC_1B3E_41D0;
    let mut stack = StackImage::new(pointer);
    stack.frame(9, TORCH + 0x1A4_0C55).frame(14, PYTHON + 0x1B_2D07).frame(11, LIBC + 0x2_9D90).locals(10);
    let context = Context::at(TORCH + 0x1A3_F2E4, pointer);
    let started = FileTime::utc(2024, 8, 20, 11, 11, 4);
    let dump = Minidump {
        time: started.plus_seconds(96),
        flags: 0,
        system: System::linux("Linux 5.15.0-113-generic x86_64", Processor::coffee_lake()),
        process: Process { id: 23_817, started, cpu_seconds: 90 },
        threads: vec![Thread { id: 23_817, name: None, teb: 0, stack: stack.memory(), context }],
        // SIGSEGV with "address not mapped"; Breakpad writes the address of the access, not of the instruction.
        exception: Some(Exception { thread: 23_817, code: 11, flags: 1, address: 0x10, parameters: vec![], context }),
        modules: vec![
            Module::elf("/usr/bin/python3.10", PYTHON, 0x59_4000),
            Module::elf("/home/user/venv/lib/python3.10/site-packages/torch/lib/libtorch_cpu.so", TORCH, 0x1E00_0000),
            Module::elf("/usr/lib/x86_64-linux-gnu/libc.so.6", LIBC, 0x22_8000),
        ],
        unloaded: vec![],
        memory: vec![Memory { address: TORCH + 0x1A3_F2E4, bytes: vec![0x48, 0x8B, 0x47, 0x10, 0xC3] }],
        regions: vec![],
        annotations: vec![],
        other_streams: vec![
            (RELEASE, b"DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=22.04\n".to_vec()),
            (COMMAND_LINE, b"/usr/bin/python3.10\0train.py\0".to_vec()),
        ],
    };
    let name = "linux.dmp";
    Sample {
        name: "linux-minidump",
        shows: "A minidump of a Linux program that died of SIGSEGV: reported as what it is, with the signal's meaning \
                and without any advice about Windows.",
        made: "python3.10 with PyTorch on Ubuntu 22.04 as Breakpad writes it: signal 11 with code 1 for an access to \
               0x10 in libtorch_cpu.so, modules with build ids.",
        files: vec![File::minidump(name, &dump)],
        incidents: vec![
            Incident::crash("python3.10", "0x0000000B", &[name])
                .at("libtorch_cpu.so")
                .suspect_or_none("libtorch_cpu.so")
                .because(&["undetermined", "application-defect"], 0.0, 0.5),
        ],
    }
}
