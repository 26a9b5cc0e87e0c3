//! Exceptions that contain another error, and annotations that programs write into their dumps.

use samplekit::FileTime;
use samplekit::bytes::ByteWriter;
use samplekit::minidump::{Memory, Minidump, process_memory, system_memory};

use crate::sample::{File, Incident, Sample};
use crate::scene::{ENVIRONMENT, Fault, Images, Scene, Windows, python, windows_program};

const GIB: u64 = 1 << 30;

/// After the call into ntdll in `RaiseException`: mov rcx, [rsp+0C0h].
const AFTER_RAISE: [u8; 8] = [0x48, 0x8B, 0x8C, 0x24, 0xC0, 0x00, 0x00, 0x00];

/// The throw information of MSVC for a type and its bases, as it is stored in a module at an offset: 64-bit code uses
/// offsets from the module's base address.
fn throw_info(start: u32, types: &[&str]) -> Vec<u8> {
    let count = types.len() as u32;
    let (array, first_type) = (start + 16, start + 16 + 4 + 4 * count);
    let first_name = first_type + 28 * count;
    let mut out = ByteWriter::new();
    // ThrowInfo: attributes, destructor, forwarder, CatchableTypeArray. The array: a count and a CatchableType each.
    out.u32(0).u32(0x1400).u32(0).u32(array).u32(count);
    for index in 0..count {
        out.u32(first_type + 28 * index);
    }
    let mut name = first_name;
    let mut names = ByteWriter::new();
    for decorated in types {
        // CatchableType: properties, TypeDescriptor, no displacement, size of the object, copy constructor.
        out.u32(0).u32(name).u32(0).u32(u32::MAX).u32(0).u32(24).u32(0x1480);
        // TypeDescriptor: the functions' table, room for a pointer, the name.
        let before = names.len();
        names.u64(0x7FFB_0000_2000).u64(0).raw(decorated.as_bytes()).u8(0).align(8);
        name += (names.len() - before) as u32;
    }
    out.raw(names.as_slice());
    out.into_bytes()
}

/// The dump of a C++ exception thrown by a module: its types, and the object's text.
fn cpp_dump(scene: &Scene, module: &'static str, types: &[&str], text: &str) -> Minidump {
    const THROW_INFO: u32 = 0x2_8100;
    const TEXT: u64 = 0x0000_01D4_8C40_1250;
    let image = scene.images.get(module).base;
    let mut fault = Fault {
        code: 0xE06D_7363,
        flags: 0x81,
        at: ("KERNELBASE.dll", 0x2_CF19),
        parameters: vec![],
        instruction: AFTER_RAISE.to_vec(),
        callers: vec![],
    };
    let mut stack = scene.stack(0x0000_0042_7FCF_E1C0, &fault);
    stack.frame_of_import(24, scene.images.address("vcruntime140.dll", 0x6720));
    // The object: table of functions, text, and whether the text is its own.
    let object = stack.next_address();
    stack.word(image + 0x2_7000).word(TEXT).word(1);
    let mut callers = vec![(module, 0x1_4A35), (module, 0x1_0C77)];
    callers.extend([("python39.dll", 0x5_8C4E), ("python39.dll", 0x4_1F37), ("python.exe", 0x1268)]);
    callers.extend(Scene::thread_start());
    scene.push_callers(&mut stack, "vcruntime140.dll", &callers);
    fault.parameters = vec![0x1993_0520, object, image + u64::from(THROW_INFO), image];
    let mut dump = scene.dump_with_stack(&fault, stack);
    dump.memory.push(Memory { address: image + u64::from(THROW_INFO), bytes: throw_info(THROW_INFO, types) });
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len().next_multiple_of(16) + 16, 0);
    dump.memory.push(Memory { address: TEXT, bytes });
    dump
}

fn with_extension(name: &str) -> Images {
    let mut images = python(Windows::Ten);
    images.load_plain(&format!(r"{ENVIRONMENT}\lib\site-packages\treeparse\{name}"), 0x4_E000);
    images
}

pub fn cpp_exception() -> Sample {
    const EXTENSION: &str = "treeparse.cp39-win_amd64.pyd";
    let time = FileTime::utc(2024, 6, 17, 9, 30, 11);
    let scene = Scene::new(with_extension(EXTENSION), Windows::Ten, 4460, time, 19);
    let types = [".?AVparse_error@treeparse@@", ".?AVruntime_error@std@@", ".?AVexception@std@@"];
    let dump = cpp_dump(&scene, EXTENSION, &types, "tree.bin: the file ends within node 512");
    Sample {
        name: "cpp-exception-type",
        shows: "A native extension of Python threw an unhandled C++ exception. The dump contains its type, its base \
                classes and its text.",
        made: "python.exe 3.9 on Windows 10 19045; 0xE06D7363 at KERNELBASE.dll+0x2cf19; throw information of \
               treeparse::parse_error in treeparse.cp39-win_amd64.pyd, the object on the stack, its text on the heap.",
        files: vec![File::minidump("python.exe.4460.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xE06D7363", &["python.exe.4460.dmp"])
                .at("KERNELBASE.dll")
                .suspect(&[EXTENSION])
                .because(&["unhandled-cpp-exception"], 0.7, 0.97),
        ],
    }
}

pub fn refused_allocation() -> Sample {
    const EXTENSION: &str = "treeparse.cp39-win_amd64.pyd";
    let time = FileTime::utc(2024, 6, 17, 14, 2, 50);
    let scene = Scene::new(with_extension(EXTENSION), Windows::Ten, 4892, time, 1310);
    let types = [".?AVbad_alloc@std@@", ".?AVexception@std@@"];
    let mut dump = cpp_dump(&scene, EXTENSION, &types, "bad allocation");
    dump.other_streams.push(system_memory(16 * GIB, GIB / 2, 23 * GIB + GIB / 2, 24 * GIB));
    dump.other_streams.push(process_memory(18 * GIB, 11 * GIB, 31 * GIB));
    Sample {
        name: "cpp-bad-alloc",
        shows: "An allocation was refused while the system had committed nearly all that RAM and page file give, most \
                of it to this process.",
        made: "python.exe 3.9 on Windows 10 19045; 0xE06D7363 with the throw information of std::bad_alloc; \
               SystemMemoryInfo: 23.5 of 24 GiB committed; ProcessVmCounters: 18 GiB of it by the process.",
        files: vec![File::minidump("python.exe.4892.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xE06D7363", &["python.exe.4892.dmp"])
                .at("KERNELBASE.dll")
                .suspect(&[EXTENSION])
                .because(&["host-memory-exhausted"], 0.6, 0.97),
        ],
    }
}

pub fn stowed_exception() -> Sample {
    const ERROR: u64 = 0x0000_0224_11D8_10F0;
    let time = FileTime::utc(2024, 6, 18, 18, 44, 9);
    let path = r"C:\Program Files\WindowsApps\Contoso.Notes_3.1.0.0_x64__8wekyb3d8bbwe\notes.exe";
    let images = windows_program(path, [3, 1, 0, 0], Windows::Ten);
    let scene = Scene::new(images, Windows::Ten, 11_044, time, 4);
    let mut callers = vec![("combase.dll", 0x12_0C31), ("notes.exe", 0x1_92F5), ("notes.exe", 0x1264)];
    callers.extend(Scene::thread_start());
    let mut dump = scene.dump(&Fault {
        code: 0xC000_027B,
        flags: 1,
        at: ("KERNELBASE.dll", 0x12_DB22),
        parameters: vec![ERROR - 16, 1],
        instruction: AFTER_RAISE.to_vec(),
        callers,
    });
    let mut memory = ByteWriter::new();
    memory.u64(ERROR).u64(0);
    // STOWED_EXCEPTION_INFORMATION_V2: size, signature, HRESULT, form (1: binary) and thread, then where it was met, the
    // size of a word of the trace, how many, where; nothing nested.
    memory.u32(56).u32(0x5345_3032).u32(0x8000_4002).u32(9120 | 1);
    memory.u64(scene.images.address("combase.dll", 0x3_96A4)).u32(8).u32(0).u64(0).u32(0).u32(0).u64(0);
    dump.memory.push(Memory { address: ERROR - 16, bytes: memory.into_bytes() });
    Sample {
        name: "stowed-exception",
        shows: "An app of the Windows Runtime was ended with an error that had been put aside. The code is only the \
                envelope; the error inside is E_NOINTERFACE, met in combase.dll.",
        made: "notes.exe on Windows 10 19045; 0xC000027B at KERNELBASE.dll+0x12db22, one pointer to a \
               STOWED_EXCEPTION_INFORMATION_V2 with 0x80004002.",
        files: vec![File::minidump("notes.exe.11044.dmp", &dump)],
        incidents: vec![
            Incident::crash("notes.exe", "0xC000027B", &["notes.exe.11044.dmp"])
                .at("KERNELBASE.dll")
                .suspect_or_none("notes.exe")
                .because(&["abort-after-fatal-error"], 0.3, 0.8),
        ],
    }
}

fn viewer(process: u32, time: FileTime) -> Scene {
    let images = windows_program(r"C:\Program Files\Viewer\viewer.exe", [131, 0, 2903, 70], Windows::Eleven);
    Scene::new(images, Windows::Eleven, process, time, 512)
}

fn below_viewer() -> Vec<(&'static str, u64)> {
    let mut callers = vec![("viewer.exe", 0x1_9D04), ("viewer.exe", 0x1264)];
    callers.extend(Scene::thread_start());
    callers
}

fn annotations(kind: &str) -> Vec<(String, String)> {
    [("prod", "Viewer"), ("ver", "131.0.2903.70"), ("ptype", kind), ("channel", "stable")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec()
}

pub fn crashpad_annotations() -> Sample {
    let time = FileTime::utc(2025, 1, 21, 8, 15, 33);
    let mut dump = viewer(9_760, time).dump(&Fault {
        code: 0xC000_001D,
        flags: 0,
        at: ("viewer.exe", 0x2_4F10),
        parameters: vec![],
        // ud2
        instruction: vec![0x0F, 0x0B],
        callers: below_viewer(),
    });
    dump.annotations = annotations("gpu-process");
    Sample {
        name: "trap-with-annotations",
        shows: "A check in a browser failed, and the compiler's trap ended the process: an undefined instruction, \
                not one that the processor lacks. The crash handler's annotations show which process it was.",
        made: "viewer.exe on Windows 11 22631; 0xC000001D at a ud2 in viewer.exe+0x24f10; annotations as Crashpad \
               writes them.",
        files: vec![File::minidump("viewer.exe.9760.dmp", &dump)],
        incidents: vec![
            Incident::crash("viewer.exe", "0xC000001D", &["viewer.exe.9760.dmp"])
                .at("viewer.exe")
                .suspect_or_none("viewer.exe")
                .because(&["abort-after-fatal-error"], 0.5, 0.9),
        ],
    }
}

pub fn dump_on_request() -> Sample {
    let time = FileTime::utc(2025, 1, 21, 9, 1, 2);
    let mut dump = viewer(9_992, time).dump(&Fault {
        // Crashpad's code for a dump without crash.
        code: 0x0517_A7ED,
        flags: 0,
        at: ("viewer.exe", 0x2_5A38),
        parameters: vec![],
        instruction: vec![0x90],
        callers: below_viewer(),
    });
    dump.annotations = annotations("browser");
    Sample {
        name: "dump-on-request",
        shows: "A program asked for a dump of itself and went on. The exception stream is filled in, but no \
                exception was raised: it must not count as a crash.",
        made: "viewer.exe on Windows 11 22631; code 0x0517A7ED, which Crashpad writes for a dump without crash.",
        files: vec![File::minidump("viewer.exe.9992.dmp", &dump)],
        incidents: vec![
            Incident { process: Some("viewer.exe"), ..Incident::new("hang", &["viewer.exe.9992.dmp"]) }.because(
                &["undetermined"],
                0.0,
                0.3,
            ),
        ],
    }
}
