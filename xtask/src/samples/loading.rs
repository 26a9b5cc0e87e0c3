//! DLLs that are missing, duplicated or too old.

use samplekit::FileTime;
use samplekit::bytes::ByteWriter;
use samplekit::event_log::EventLog;
use samplekit::events::{missing_assembly, missing_dll_popup};
use samplekit::minidump::Memory;

use super::cuda_dumps::below_tensorflow;
use crate::sample::{File, Incident, Sample};
use crate::scene::{ENVIRONMENT, Fault, Scene, Windows, python, tensorflow, torch};

pub fn delay_load_zlibwapi() -> Sample {
    /// `ERROR_MOD_NOT_FOUND`.
    const MODULE_NOT_FOUND: u32 = 126;
    const LIBRARY: &str = "cudnn_ops_infer64_8.dll";
    let time = FileTime::utc(2024, 5, 6, 8, 33, 19);
    let images = tensorflow(Windows::Ten).without("cudnn_cnn_infer64_8.dll");
    let scene = Scene::new(images, Windows::Ten, 2980, time, 29);
    let address = |offset| scene.images.address(LIBRARY, offset);
    // The names of the DLL and of the procedure are in the data of the library that imports them.
    let (dll_name, procedure_name) = (address(0x4A0_1F20), address(0x4A0_1F40));

    let mut fault = Fault {
        code: 0xC06D_007E,
        flags: 0x80,
        at: ("KERNELBASE.dll", 0x2_CF19),
        parameters: vec![0],
        // After the call into ntdll: mov rcx, [rsp+0C0h]
        instruction: vec![0x48, 0x8B, 0x8C, 0x24, 0xC0, 0x00, 0x00, 0x00],
        callers: vec![],
    };
    // First the frame of RaiseException, then that of the delay-load helper, which holds its DelayLoadInfo.
    let mut stack = scene.stack(0x0000_0042_7FCF_E5C0, &fault);
    stack.frame_of_import(20, address(0x59_B4C8));
    let info = stack.next_address();
    let mut record = ByteWriter::new();
    // DelayLoadInfo of 64-bit code, 72 bytes: size, descriptor, slot to fill, DLL's name, whether the procedure is
    // wanted by name, its name, module handle and procedure (neither found), and the Win32 error.
    record.u32(72).u32(0).u64(address(0x4E1_0040)).u64(address(0x4E0_3118)).u64(dll_name);
    record.u32(1).u32(0).u64(procedure_name).u64(0).u64(0).u32(MODULE_NOT_FOUND).u32(0);
    stack.raw(&record.into_bytes());
    let mut callers = vec![(LIBRARY, 0x59_B30E), (LIBRARY, 0x2C_117A), ("cudnn64_8.dll", 0x2_0B6C)];
    callers.extend(below_tensorflow());
    scene.push_callers(&mut stack, LIBRARY, &callers);

    fault.parameters = vec![info];
    let mut dump = scene.dump_with_stack(&fault, stack);
    dump.memory.push(Memory { address: dll_name, bytes: text_field("zlibwapi.dll") });
    dump.memory.push(Memory { address: procedure_name, bytes: text_field("inflateInit2_") });
    Sample {
        name: "delay-load-zlibwapi",
        shows: "The delay-load helper of a cuDNN library did not find zlibwapi.dll. The exception is raised in \
                KERNELBASE.dll; the record that it points to names the DLL.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; 0xC06D007E at KERNELBASE.dll+0x2cf19, \
               DelayLoadInfo on the stack, the names of DLL and procedure captured from cudnn_ops_infer64_8.dll, \
               Win32 error 126.",
        files: vec![File::minidump("python.exe.2980.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC06D007E", &["python.exe.2980.dmp"])
                .at("KERNELBASE.dll")
                .suspect(&["cudnn_ops_infer64_8.dll", "zlibwapi.dll"])
                .because(&["missing-dependency"], 0.8, 0.99),
        ],
    }
}

pub fn two_openmp_runtimes() -> Sample {
    const SECOND: &str = r"torch\lib\libiomp5md.dll";
    let time = FileTime::utc(2024, 5, 13, 19, 28, 6);
    let mut images = python(Windows::Ten);
    let torch = |name: &str| format!(r"{ENVIRONMENT}\lib\site-packages\torch\lib\{name}");
    images
        .load(&format!(r"{ENVIRONMENT}\Library\bin\libiomp5md.dll"), [5, 0, 2021, 1213], 0x22_B000)
        .load(&format!(r"{ENVIRONMENT}\Library\bin\mkl_rt.2.dll"), [2023, 1, 0, 0], 0xF4_2000)
        .load_plain(&torch("c10.dll"), 0x11_8000)
        .load(&torch("libiomp5md.dll"), [5, 0, 2019, 1106], 0x1C_7000)
        .load_plain(&torch("torch_cpu.dll"), 0xE2D_8000);
    let scene = Scene::new(images, Windows::Ten, 8852, time, 3);
    let mut callers = vec![(SECOND, 0x4_5B21), (SECOND, 0x2_E94D), (SECOND, 0x3_07F8), ("torch_cpu.dll", 0x1C7_2E5A)];
    callers.extend(below_tensorflow().into_iter().skip(2));
    let dump = scene.dump(&Fault {
        code: 0xC000_0409,
        flags: 1,
        at: ("ucrtbase.dll", 0x7_286E),
        parameters: vec![7],
        // int 29h
        instruction: vec![0xCD, 0x29],
        callers,
    });
    Sample {
        name: "two-openmp-runtimes",
        shows: "Two copies of Intel's OpenMP runtime are loaded from different folders, and the one that was loaded \
                second ended the process with abort().",
        made: "python.exe 3.9 with NumPy on MKL and PyTorch on Windows 10 19045; libiomp5md.dll from Library\\bin and \
               from torch\\lib; fast-fail 7 at ucrtbase.dll+0x7286e, called from the second.",
        files: vec![File::minidump("python.exe.8852.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000409", &["python.exe.8852.dmp"])
                .fast_fail(7)
                .at("ucrtbase.dll")
                .suspect(&["libiomp5md.dll"])
                .because(&["duplicate-runtime"], 0.5, 0.97),
        ],
    }
}

pub fn old_vc_runtime() -> Sample {
    const ONNX: &str = "onnxruntime_pybind11_state.pyd";
    let time = FileTime::utc(2024, 10, 7, 12, 36, 55);
    let mut images = torch(Windows::Eleven);
    let package =
        |name: &str| format!(r"C:\Users\user\AppData\Local\Programs\Python\Python311\Lib\site-packages\{name}");
    images
        .load(&package(r"PyQt5\Qt5\bin\msvcp140.dll"), [14, 29, 30139, 0], 0x8_F000)
        .load(&package(r"PyQt5\Qt5\bin\Qt5Core.dll"), [5, 15, 2, 0], 0x5D_C000)
        .load(&package(r"onnxruntime\capi\onnxruntime_providers_shared.dll"), [1, 19, 24, 904], 0x8000)
        .load_plain(&package(r"onnxruntime\capi\onnxruntime_pybind11_state.pyd"), 0x115_4000);
    let scene = Scene::new(images, Windows::Eleven, 19_480, time, 5);
    let mut callers = vec![
        // The extension's own start code takes a lock, while the loader initialises it.
        (ONNX, 0x1_4F06),
        (ONNX, 0xE3_62AC),
        ("ntdll.dll", 0x2_9A1D),
        ("ntdll.dll", 0x7_D2C2),
        ("ntdll.dll", 0x1_6A40),
        ("KERNELBASE.dll", 0x4_7C74),
        ("python311.dll", 0x1F_B2E9),
        ("python311.dll", 0x7_3D50),
        ("python.exe", 0x1230),
    ];
    callers.extend(Scene::thread_start());
    let dump = scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: ("msvcp140.dll", 0x1_32C8),
        parameters: vec![0, 0],
        // mov rax, [rcx]
        instruction: vec![0x48, 0x8B, 0x01],
        callers,
    });
    Sample {
        name: "old-vc-runtime",
        shows: "PyQt5's C++ runtime (14.29) was loaded first and is also used by ONNX Runtime 1.19, which was built \
                for 14.40 or later: its lock is zero where the old runtime expects a pointer.",
        made: "python.exe 3.11 with PyTorch, PyQt5 and ONNX Runtime on Windows 11 22631; read of address 0 at \
               msvcp140.dll+0x132c8 (14.29.30139.0, from PyQt5's folder), called while the loader initialises \
               onnxruntime_pybind11_state.pyd.",
        files: vec![File::minidump("python.exe.19480.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &["python.exe.19480.dmp"])
                .at("msvcp140.dll")
                .suspect(&["msvcp140.dll", "onnxruntime_pybind11_state.pyd"])
                .because(&["outdated-vc-runtime"], 0.5, 0.97),
        ],
    }
}

pub fn missing_dll_at_start() -> Sample {
    let time = FileTime::utc(2024, 11, 4, 8, 15, 30);
    let mut log = EventLog::new("System", "PC-08").starting_at(12_007);
    log.add(missing_dll_popup(time, "trainer.exe", "VCRUNTIME140_1.dll"));
    Sample {
        name: "missing-dll-at-start",
        shows: "A program did not start, because VCRUNTIME140_1.dll was not found. The loader's message box is the only \
                trace: no crash event, no report, no dump.",
        made: "System.evtx of PC-08 with Application Popup 26.",
        files: vec![File::event_log("System.evtx", &log)],
        incidents: vec![
            Incident { process: Some("trainer.exe"), ..Incident::new("start-failure", &["System.evtx"]) }
                .suspect_or_none("VCRUNTIME140_1.dll")
                .because(&["missing-dependency"], 0.8, 0.99),
        ],
    }
}

pub fn missing_assembly_at_start() -> Sample {
    let time = FileTime::utc(2024, 11, 5, 13, 40, 2);
    let assembly = "Microsoft.VC90.CRT,processorArchitecture=\"amd64\",publicKeyToken=\"1fc8b3b9a1e18e3b\",\
                    type=\"win32\",version=\"9.0.21022.8\"";
    let mut log = EventLog::new("Application", "PC-09").starting_at(3310);
    log.add(missing_assembly(time, assembly, r"C:\Program Files\Orrin\Plotter\plotter.exe"));
    Sample {
        name: "missing-assembly",
        shows: "A program did not start, because its manifest asks for the C runtime of Visual Studio 2008, which is \
                not installed.",
        made: "Application.evtx of PC-09 with SideBySide 33: twenty texts, of which the first and the eleventh are \
               used.",
        files: vec![File::event_log("Application.evtx", &log)],
        incidents: vec![
            Incident { process: Some("plotter.exe"), ..Incident::new("start-failure", &["Application.evtx"]) }.because(
                &["missing-dependency"],
                0.6,
                0.99,
            ),
        ],
    }
}

/// An 8-bit text with zeros after it, 32 bytes.
fn text_field(text: &str) -> Vec<u8> {
    let mut field = ByteWriter::new();
    field.raw(text.as_bytes()).zeros_to(32);
    field.into_bytes()
}
