//! Minidumps of TensorFlow and CUDA programs.

use samplekit::FileTime;
use samplekit::minidump::Minidump;

use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, tensorflow};

/// Return addresses from TensorFlow down to the start of the main thread.
pub fn below_tensorflow() -> Vec<(&'static str, u64)> {
    let mut callers = vec![
        ("_pywrap_tensorflow_internal.pyd", 0x1A4_C35B),
        ("_pywrap_tensorflow_internal.pyd", 0x0C3_0F72),
        ("python39.dll", 0x5_8C4E),
        ("python39.dll", 0x4_1F37),
        ("python39.dll", 0x1B_6D1A),
        ("python.exe", 0x1268),
    ];
    callers.extend(Scene::thread_start());
    callers
}

/// The dump of `access-violation-cudnn`, which is also part of another sample.
pub fn access_violation_cudnn_dump() -> Minidump {
    let time = FileTime::utc(2024, 3, 12, 15, 41, 7);
    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 4312, time, 74);
    let mut callers = vec![("cudnn64_8.dll", 0x2_0B6C), ("cudnn_cnn_infer64_8.dll", 0x33_81D5)];
    callers.extend(below_tensorflow());
    scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: ("cudnn64_8.dll", 0x1_C3A4),
        // A read at 18h: a member of an object whose pointer is null.
        parameters: vec![0, 0x18],
        // mov rax, [rcx+18h]
        instruction: vec![0x48, 0x8B, 0x41, 0x18],
        callers,
    })
}

pub fn access_violation_cudnn() -> Sample {
    Sample {
        name: "access-violation-cudnn",
        shows: "A null pointer is read in cudnn64_8.dll while TensorFlow runs a convolution. The faulting \
                instruction is exact; the reason is not in the dump.",
        made: "python.exe 3.9 with TensorFlow 2.10, CUDA 11.2 and cuDNN 8 on Windows 10 19045; read of 0x18 at \
               cudnn64_8.dll+0x1c3a4, called from cudnn_cnn_infer64_8.dll, TensorFlow and Python.",
        files: vec![File::minidump("python.exe.4312.dmp", &access_violation_cudnn_dump())],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &["python.exe.4312.dmp"])
                .at("cudnn64_8.dll")
                .suspect(&["cudnn64_8.dll"])
                .because(&["undetermined", "version-mismatch", "application-defect"], 0.0, 0.5),
        ],
    }
}

pub fn abort_below_cudnn() -> Sample {
    let time = FileTime::utc(2024, 3, 18, 9, 2, 51);
    // The dispatcher could not load the library of the convolutions and ended the process.
    let images = tensorflow(Windows::Ten).without("cudnn_cnn_infer64_8.dll");
    let scene = Scene::new(images, Windows::Ten, 11_928, time, 41);
    let mut callers = vec![
        ("cudnn64_8.dll", 0x1_18E3),
        ("cudnn64_8.dll", 0x2_0B6C),
        // A stale address of an earlier call into the library that was loaded.
        ("cudnn_ops_infer64_8.dll", 0x1A_44F0),
    ];
    callers.extend(below_tensorflow());
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
        name: "abort-below-cudnn",
        shows: "abort() in the C runtime, called by cuDNN's dispatcher. The library of the convolutions and \
                zlibwapi.dll are not among the loaded modules, as when cuDNN 8 fails to load a part of itself; no text \
                says so.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045, without cudnn_cnn_infer64_8.dll; fast-fail 7 \
               at ucrtbase.dll+0x7286e, below it cudnn64_8.dll twice, a stale cudnn_ops_infer64_8.dll, TensorFlow and \
               Python.",
        files: vec![File::minidump("python.exe.11928.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000409", &["python.exe.11928.dmp"])
                .fast_fail(7)
                .at("ucrtbase.dll")
                .suspect(&["cudnn64_8.dll"])
                .because(&["missing-dependency", "abort-after-fatal-error"], 0.25, 0.8),
        ],
    }
}

pub fn heap_corruption() -> Sample {
    let time = FileTime::utc(2024, 4, 2, 13, 20, 44);
    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 7604, time, 612);
    // Inside the heap manager: reporting, checking, freeing; then the C runtime's free, called by NumPy.
    let mut callers = vec![
        ("ntdll.dll", 0x10_8F5A),
        ("ntdll.dll", 0x10_923E),
        ("ntdll.dll", 0x4_7A21),
        ("ucrtbase.dll", 0x1_4C2B),
        ("_multiarray_umath.cp39-win_amd64.pyd", 0xA_51D8),
    ];
    callers.extend(below_tensorflow().into_iter().skip(2));
    let mut dump = scene.dump(&Fault {
        code: 0xC000_0374,
        flags: 1,
        at: ("ntdll.dll", 0xF_F3C9),
        // Filled in below: the address of the heap manager's record of the failure.
        parameters: vec![0],
        // jmp short to the next instruction, after the call that raises
        instruction: vec![0xEB, 0x00],
        callers,
    });
    let record = scene.images.address("ntdll.dll", 0x16_A7F0);
    if let Some(exception) = &mut dump.exception {
        exception.parameters = vec![record];
    }
    Sample {
        name: "heap-corruption",
        shows: "The heap manager found its structures damaged when NumPy freed memory. The dump does not show who \
                wrote there: neither ntdll.dll nor NumPy is to blame.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; 0xC0000374 at ntdll.dll+0xff3c9, below it the \
               heap manager, free() of ucrtbase.dll, and NumPy.",
        files: vec![File::minidump("python.exe.7604.dmp", &dump)],
        incidents: vec![Incident::crash("python.exe", "0xC0000374", &["python.exe.7604.dmp"]).at("ntdll.dll").because(
            &["heap-corruption"],
            0.4,
            0.95,
        )],
    }
}

pub fn access_violation_driver() -> Sample {
    let time = FileTime::utc(2024, 4, 9, 20, 15, 3);
    let scene = Scene::new(tensorflow(Windows::Ten), Windows::Ten, 15_220, time, 1840);
    let mut callers = vec![("nvcuda64.dll", 0x14_77B0), ("nvcuda64.dll", 0x1F_0C96), ("cudart64_110.dll", 0x1_90F3)];
    callers.extend(below_tensorflow());
    let dump = scene.dump(&Fault {
        code: 0xC000_0005,
        flags: 0,
        at: ("nvcuda64.dll", 0x13_D0E2),
        // A write at an address that is not mapped.
        parameters: vec![1, 0x0000_0206_0C00_1008],
        // mov [rcx+8], rdx
        instruction: vec![0x48, 0x89, 0x51, 0x08],
        callers,
    });
    Sample {
        name: "access-violation-driver",
        shows: "An access violation in NVIDIA's user-mode driver. Its version is known (536.23), but the name at the \
                fault proves no defect of the driver.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; write to 0x2060c001008 at \
               nvcuda64.dll+0x13d0e2 (31.0.15.3623), called through the CUDA runtime.",
        files: vec![File::minidump("python.exe.15220.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &["python.exe.15220.dmp"])
                .at("nvcuda64.dll")
                .suspect(&["nvcuda64.dll"])
                .because(&["undetermined", "gpu-driver-defect", "gpu-kernel-fault"], 0.0, 0.5),
        ],
    }
}
