//! Access violations that differ in the memory at the address.

use samplekit::FileTime;
use samplekit::minidump::UnloadedModule;

use crate::sample::{File, Incident, OneOf, Sample};
use crate::scene::{Fault, STACK_LIMIT, Scene, Windows, windows_program};

const PROGRAM: &str = "ledger.exe";
const PATH: &str = r"C:\Program Files\Ledger\ledger.exe";
const VERSION: [u16; 4] = [4, 2, 0, 118];
/// The address in the exception record when the processor reports none.
const NOT_REPORTED: u64 = u64::MAX;

fn below_program() -> Vec<(&'static str, u64)> {
    let mut callers = vec![(PROGRAM, 0x2_21C7), (PROGRAM, 0x1_40B2), (PROGRAM, 0x1264)];
    callers.extend(Scene::thread_start());
    callers
}

pub fn freed_object() -> Sample {
    let time = FileTime::utc(2024, 6, 10, 13, 7, 2);
    let scene = Scene::new(windows_program(PATH, VERSION, Windows::Ten), Windows::Ten, 5512, time, 61);
    let mut dump = scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: (PROGRAM, 0x2_3A10),
        parameters: vec![0, NOT_REPORTED],
        // mov rax, [rcx+28h]
        instruction: vec![0x48, 0x8B, 0x41, 0x28],
        callers: below_program(),
    });
    if let Some(exception) = &mut dump.exception {
        exception.context.rcx = 0xFEEE_FEEE_FEEE_FEEE;
    }
    Sample {
        name: "freed-object",
        shows: "A pointer was read out of memory that the debug heap had marked as freed. The record names no \
                address, because the processor reports only canonical ones; the registers contain the pattern.",
        made: "ledger.exe on Windows 10 19045; 0xC0000005, read of -1 at `mov rax,[rcx+28h]`, RCX is \
               0xFEEEFEEEFEEEFEEE.",
        files: vec![File::minidump("ledger.exe.5512.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000005", &["ledger.exe.5512.dmp"])
                .at(PROGRAM)
                .suspect_or_none(PROGRAM)
                .because(&["application-defect"], 0.4, 0.8),
        ],
    }
}

pub fn misaligned_move() -> Sample {
    let time = FileTime::utc(2024, 6, 10, 15, 40, 19);
    let scene = Scene::new(windows_program(PATH, VERSION, Windows::Ten), Windows::Ten, 5920, time, 3);
    let dump = scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: (PROGRAM, 0x2_3B44),
        parameters: vec![0, NOT_REPORTED],
        // movaps [rsp+28h], xmm6
        instruction: vec![0x0F, 0x29, 0x74, 0x24, 0x28],
        callers: below_program(),
    });
    Sample {
        name: "misaligned-move",
        shows: "An aligned move met an address that is off by eight bytes. The record looks like that of a wild \
                pointer; the instruction and the stack pointer show the cause.",
        made: "ledger.exe on Windows 10 19045; 0xC0000005, read of -1 at `movaps [rsp+28h],xmm6`, RSP is a multiple \
               of 16.",
        files: vec![File::minidump("ledger.exe.5920.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000005", &["ledger.exe.5920.dmp"])
                .at(PROGRAM)
                .suspect_or_none(PROGRAM)
                .because(&["application-defect"], 0.5, 0.9),
        ],
    }
}

pub fn stack_end() -> Sample {
    let time = FileTime::utc(2024, 6, 11, 7, 55, 30);
    let scene = Scene::new(windows_program(PATH, VERSION, Windows::Ten), Windows::Ten, 8016, time, 12);
    let fault = Fault {
        code: 0xC000_0005,
        flags: 0,
        at: ("ntdll.dll", 0xA_0B3E),
        // The push of a return address below the last page that can be used.
        parameters: vec![1, STACK_LIMIT - 8],
        // call (relative)
        instruction: vec![0xE8, 0x0D, 0x00, 0x00, 0x00],
        callers: [(PROGRAM, 0x1_30E8), (PROGRAM, 0x1_2C94)].repeat(24),
    };
    let dump = scene.dump_with_stack(&fault, scene.stack(STACK_LIMIT, &fault));
    Sample {
        name: "stack-end-access-violation",
        shows: "A thread used up its stack, and its exception handler caused an access violation: the code is not \
                that of a stack overflow, but the address is at the stack's guard pages.",
        made: "ledger.exe on Windows 10 19045; 0xC0000005, write right below the last usable page of the stack, at \
               ntdll.dll+0xa0b3e; two return addresses repeat; memory regions are listed.",
        files: vec![File::minidump("ledger.exe.8016.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000005", &["ledger.exe.8016.dmp"])
                .at("ntdll.dll")
                .suspect_or_none(PROGRAM)
                .because(&["stack-overflow"], 0.8, 0.97),
        ],
    }
}

pub fn write_to_constant() -> Sample {
    let time = FileTime::utc(2024, 6, 11, 10, 21, 5);
    let scene = Scene::new(windows_program(PATH, VERSION, Windows::Ten), Windows::Ten, 9004, time, 7);
    // Code, which cannot be written.
    let target = scene.images.address(PROGRAM, 0x1_1000);
    let dump = scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: (PROGRAM, 0x1_30E0),
        parameters: vec![1, target],
        // mov [rcx], eax
        instruction: vec![0x89, 0x01],
        callers: below_program(),
    });
    Sample {
        name: "write-to-code",
        shows: "A program wrote into its own code. The address is in a loaded module, on a page that can only be read \
                and executed.",
        made: "ledger.exe on Windows 10 19045; 0xC0000005, write to ledger.exe+0x11000; memory regions are listed.",
        files: vec![File::minidump("ledger.exe.9004.dmp", &dump)],
        incidents: vec![
            Incident::crash(PROGRAM, "0xC0000005", &["ledger.exe.9004.dmp"])
                .at(PROGRAM)
                .suspect_or_none(PROGRAM)
                .because(&["application-defect"], 0.5, 0.6),
        ],
    }
}

pub fn called_after_unload() -> Sample {
    const PLUGIN: u64 = 0x7FFB_9D00_0000;
    let time = FileTime::utc(2024, 6, 12, 12, 0, 44);
    let scene = Scene::new(windows_program(PATH, VERSION, Windows::Ten), Windows::Ten, 9388, time, 340);
    let address = PLUGIN + 0x1_2F40;
    let mut dump = scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: (PROGRAM, 0x1_30E0),
        parameters: vec![8, address],
        instruction: vec![0x90],
        callers: below_program(),
    });
    if let Some(exception) = &mut dump.exception {
        exception.address = address;
        exception.context.rip = address;
    }
    dump.unloaded.push(UnloadedModule {
        name: "exporter.dll".to_owned(),
        base: PLUGIN,
        size: 0x3_1000,
        timestamp: 0x6642_1B07,
    });
    Sample {
        name: "called-after-unload",
        shows: "A callback was called in a DLL that had been unloaded. The address is in no loaded module, but in \
                the range of an unloaded one.",
        made: "ledger.exe on Windows 10 19045; 0xC0000005, execute at an address within exporter.dll, which is in the \
               list of unloaded modules.",
        files: vec![File::minidump("ledger.exe.9388.dmp", &dump)],
        incidents: vec![Incident {
            fault_site: Some("exporter.dll"),
            suspect: OneOf(vec![Some("exporter.dll"), None]),
            ..Incident::crash(PROGRAM, "0xC0000005", &["ledger.exe.9388.dmp"]).because(
                &["application-defect"],
                0.3,
                0.8,
            )
        }],
    }
}
