//! Fast-fail exceptions: one exception code, 0xC0000409, whose first parameter is the reason.

use samplekit::FileTime;

use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Images, Scene, Windows, windows_program};

const PROGRAM: &str = "ledger.exe";

fn program() -> Images {
    windows_program(r"C:\Program Files\Ledger\ledger.exe", [4, 2, 0, 118], Windows::Ten)
}

/// Return addresses from the program down to the start of its main thread.
fn below_program() -> Vec<(&'static str, u64)> {
    let mut callers = vec![(PROGRAM, 0x2_21C7), (PROGRAM, 0x1_40B2), (PROGRAM, 0x1264)];
    callers.extend(Scene::thread_start());
    callers
}

/// `int 29h`.
const FAST_FAIL: [u8; 2] = [0xCD, 0x29];

pub fn stack_cookie() -> Sample {
    let time = FileTime::utc(2024, 6, 3, 9, 14, 22);
    let scene = Scene::new(program(), Windows::Ten, 6120, time, 812);
    let dump = scene.dump(&Fault {
        code: 0xC000_0409,
        flags: 1,
        at: (PROGRAM, 0x2_91F4),
        parameters: vec![2],
        instruction: FAST_FAIL.to_vec(),
        callers: below_program(),
    });
    Sample {
        name: "fast-fail-2-stack-cookie",
        shows: "A program's own check found the guard value behind a function's buffers overwritten: a real overrun on \
                the stack.",
        made: "ledger.exe on Windows 10 19045; 0xC0000409 with parameter 2 at int 29h in ledger.exe+0x291f4.",
        files: vec![File::minidump("ledger.exe.6120.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000409", &["ledger.exe.6120.dmp"])
                .fast_fail(2)
                .at(PROGRAM)
                .suspect_or_none(PROGRAM)
                .because(&["stack-buffer-overrun"], 0.8, 0.99),
        ],
    }
}

pub fn old_stack_cookie() -> Sample {
    let time = FileTime::utc(2024, 6, 3, 11, 50, 7);
    let scene = Scene::new(program(), Windows::Ten, 7344, time, 95);
    let dump = scene.dump(&Fault {
        code: 0xC000_0409,
        flags: 1,
        at: (PROGRAM, 0x2_91F4),
        parameters: vec![0],
        instruction: FAST_FAIL.to_vec(),
        callers: below_program(),
    });
    Sample {
        name: "fast-fail-0-legacy-cookie",
        shows: "The same check as older compilers write it: fast-fail code 0.",
        made: "ledger.exe on Windows 10 19045; 0xC0000409 with parameter 0 at int 29h in ledger.exe+0x291f4.",
        files: vec![File::minidump("ledger.exe.7344.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000409", &["ledger.exe.7344.dmp"])
                .fast_fail(0)
                .at(PROGRAM)
                .suspect_or_none(PROGRAM)
                .because(&["stack-buffer-overrun"], 0.7, 0.99),
        ],
    }
}

pub fn invalid_argument() -> Sample {
    let time = FileTime::utc(2024, 6, 4, 8, 2, 41);
    let scene = Scene::new(program(), Windows::Ten, 3388, time, 40);
    let mut callers = vec![("ucrtbase.dll", 0x7_28F9), ("ucrtbase.dll", 0x2_1A0C)];
    callers.extend(below_program());
    let dump = scene.dump(&Fault {
        code: 0xC000_0409,
        flags: 1,
        at: ("ucrtbase.dll", 0x7_2A31),
        parameters: vec![5],
        instruction: FAST_FAIL.to_vec(),
        callers,
    });
    Sample {
        name: "fast-fail-5-invalid-argument",
        shows: "The C runtime ended a program that called one of its functions with an argument that it refuses. No \
                buffer was overrun.",
        made: "ledger.exe on Windows 10 19045; 0xC0000409 with parameter 5 at int 29h in ucrtbase.dll+0x72a31.",
        files: vec![File::minidump("ledger.exe.3388.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000409", &["ledger.exe.3388.dmp"])
                .fast_fail(5)
                .at("ucrtbase.dll")
                .suspect_or_none(PROGRAM)
                .because(&["application-defect", "abort-after-fatal-error"], 0.4, 0.9),
        ],
    }
}

pub fn shadow_stack() -> Sample {
    const HOOK: &str = "typeguard64.dll";
    let time = FileTime::utc(2025, 1, 20, 16, 33, 58);
    let mut images = windows_program(r"C:\Program Files\Viewer\viewer.exe", [131, 0, 2903, 70], Windows::Eleven);
    images.load(r"C:\Program Files\TypeGuard\typeguard64.dll", [2, 8, 1, 0], 0x5_2000);
    let scene = Scene::new(images, Windows::Eleven, 14_208, time, 2);
    let mut callers = vec![("user32.dll", 0x1_4C2E), ("viewer.exe", 0x1_9D04), ("viewer.exe", 0x1264)];
    callers.extend(Scene::thread_start());
    let dump = scene.dump(&Fault {
        code: 0xC000_0409,
        flags: 1,
        at: (HOOK, 0x1_2B7F),
        parameters: vec![57],
        // ret
        instruction: vec![0xC3],
        callers,
    });
    Sample {
        name: "fast-fail-57-shadow-stack",
        shows: "A keyboard hook changed a return address in a program that runs with hardware-enforced stack \
                protection: the processor's own copy differs.",
        made: "viewer.exe on Windows 11 22631; 0xC0000409 with parameter 57 at a ret in typeguard64.dll+0x12b7f.",
        files: vec![File::minidump("viewer.exe.14208.dmp", &dump)],
        incidents: vec![
            Incident::crash("viewer.exe", "0xC0000409", &["viewer.exe.14208.dmp"])
                .fast_fail(57)
                .at(HOOK)
                .suspect_or_none(HOOK)
                .because(&["shadow-stack-violation"], 0.8, 0.99),
        ],
    }
}
