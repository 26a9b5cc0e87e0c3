//! Problems in a program's environment: DLLs in wrong folders, libraries of two toolkits, an old driver.

use samplekit::FileTime;

use super::cuda_dumps::below_tensorflow;
use crate::sample::{File, Incident, Sample};
use crate::scene::{ENVIRONMENT, Fault, Images, Scene, Windows, tensorflow, torch};

const SYSTEM: &str = r"C:\Windows\System32";

/// A read near the null page at `at`, as caused by a structure of another release.
fn null_read(at: (&'static str, u64), callers: Vec<(&'static str, u64)>) -> Fault {
    Fault {
        code: 0xC000_0005,
        flags: 0,
        at,
        parameters: vec![0, 0x20],
        // mov rax, [rcx+20h]
        instruction: vec![0x48, 0x8B, 0x41, 0x20],
        callers,
    }
}

/// A sample whose only file is the dump of an access violation in a process with these modules.
fn dump(images: Images, process: u32, time: FileTime, ran_seconds: u64, name: &'static str, fault: &Fault) -> File {
    File::minidump(name, &Scene::new(images, Windows::Ten, process, time, ran_seconds).dump(fault))
}

pub fn cudnn_in_windows_folder() -> Sample {
    const DUMP: &str = "python.exe.6644.dmp";
    let mut images = tensorflow(Windows::Ten).without("cudnn64_8.dll");
    images.load(&format!(r"{SYSTEM}\cudnn64_8.dll"), [6, 14, 11, 6050], 0x4_2000);
    let mut callers = vec![("cudnn64_8.dll", 0x1_9F10), ("cudnn_ops_infer64_8.dll", 0x2A_61F4)];
    callers.extend(below_tensorflow());
    let fault = null_read(("cudnn64_8.dll", 0x1_77D2), callers);
    Sample {
        name: "cudnn-in-windows-folder",
        shows: "Somebody copied cudnn64_8.dll to System32. It is found before the other cuDNN libraries, which are \
                in the environment and of another release.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; cudnn64_8.dll from System32, its other parts from \
               the environment; read of 0x20 at cudnn64_8.dll+0x177d2.",
        files: vec![dump(images, 6644, FileTime::utc(2024, 5, 16, 11, 7, 42), 38, DUMP, &fault)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &[DUMP])
                .at("cudnn64_8.dll")
                .suspect(&["cudnn64_8.dll"])
                .because(&["version-mismatch"], 0.35, 0.85),
        ],
    }
}

pub fn libraries_of_two_toolkits() -> Sample {
    const DUMP: &str = "python.exe.14032.dmp";
    let toolkit = |name: &str| format!(r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.4\bin\{name}");
    let mut images = tensorflow(Windows::Ten);
    images.load(&toolkit("cublas64_12.dll"), [6, 14, 11, 12040], 0x66C_0000).load(
        &toolkit("cudnn64_9.dll"),
        [6, 14, 11, 6050],
        0x4_4000,
    );
    let mut callers = vec![("cublas64_12.dll", 0x3_07C1), ("cublas64_12.dll", 0x2_118E)];
    callers.extend(below_tensorflow());
    let fault = null_read(("cublas64_12.dll", 0x3_1B55), callers);
    Sample {
        name: "libraries-of-two-toolkits",
        shows: "A process has the libraries of CUDA 11 and cuDNN 8 that TensorFlow asked for, and cuBLAS and cuDNN of CUDA \
                12 as well. No toolkit has both; the crash is in one of the second set.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; cudart64_110.dll and cudnn64_8.dll from the \
               environment, cublas64_12.dll and cudnn64_9.dll from the folder of CUDA 12.4; read of 0x20 at \
               cublas64_12.dll+0x31b55.",
        files: vec![dump(images, 14_032, FileTime::utc(2024, 6, 4, 16, 50, 9), 55, DUMP, &fault)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &[DUMP])
                .at("cublas64_12.dll")
                .suspect(&["cublas64_12.dll"])
                .because(&["version-mismatch"], 0.35, 0.75),
        ],
    }
}

pub fn two_copies_of_cublas() -> Sample {
    const DUMP: &str = "python.exe.3308.dmp";
    const SECOND: &str = r"torch\lib\cublas64_11.dll";
    let package = |name: &str| format!(r"{ENVIRONMENT}\lib\site-packages\torch\lib\{name}");
    let mut images = tensorflow(Windows::Ten);
    images.load_plain(&package("torch_cuda.dll"), 0x4B2_7000).load(
        &package("cublas64_11.dll"),
        [6, 14, 11, 11080],
        0x5B2_0000,
    );
    let mut callers = vec![(SECOND, 0x4_4E20), ("torch_cuda.dll", 0x1F_9031)];
    callers.extend(below_tensorflow().into_iter().skip(2));
    let fault = null_read((SECOND, 0x4_5D1B), callers);
    Sample {
        name: "two-copies-of-cublas",
        shows: "The same library of CUDA is loaded from two folders, in two releases: one from the environment and \
                one from PyTorch. Their names are equal, so a caller may get the one that it was not built for.",
        made: "python.exe 3.9 with TensorFlow 2.10 and PyTorch on Windows 10 19045; cublas64_11.dll from Library\\bin and \
               from torch\\lib; read of 0x20 at the second, offset 0x45d1b.",
        files: vec![dump(images, 3308, FileTime::utc(2024, 6, 11, 8, 28, 30), 17, DUMP, &fault)],
        incidents: vec![
            Incident::crash("python.exe", "0xC0000005", &[DUMP])
                .at("cublas64_11.dll")
                .suspect(&["cublas64_11.dll"])
                .because(&["version-mismatch"], 0.3, 0.75),
        ],
    }
}

pub fn driver_too_old() -> Sample {
    const DUMP: &str = "python.exe.10120.dmp";
    let package = |name: &str| {
        format!(r"C:\Users\user\AppData\Local\Programs\Python\Python311\Lib\site-packages\torch\lib\{name}")
    };
    let driver = |name: &str| {
        format!(r"C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_1c83a5d7cffd7bff\{name}")
    };
    let mut images = torch(Windows::Ten);
    images
        .load(&format!(r"{SYSTEM}\msvcp140.dll"), [14, 40, 33810, 0], 0x8_F000)
        .load_plain(&package("torch_cuda.dll"), 0x5F2_7000)
        .load(&package("cudart64_12.dll"), [6, 14, 11, 12010], 0x8_C000)
        .load(&driver("nvcuda64.dll"), [27, 21, 14, 5671], 0x168_4000);
    let mut callers = vec![("torch_cuda.dll", 0x2E_74C3), ("torch_cuda.dll", 0x11_0BD6), ("python311.dll", 0x7_3D50)];
    callers.push(("python.exe", 0x1230));
    callers.extend(Scene::thread_start());
    let fault = Fault {
        code: 0xE06D_7363,
        flags: 0x81,
        at: ("KERNELBASE.dll", 0x2_CF19),
        // The dump contains nothing of the thrown object.
        parameters: vec![0x1993_0520, 0x0000_0042_7FCF_E6A0, 0, 0],
        instruction: vec![0x48, 0x8B, 0x8C, 0x24, 0xC0, 0x00, 0x00, 0x00],
        callers,
    };
    Sample {
        name: "driver-too-old",
        shows: "PyTorch with CUDA 12 on a display driver of 2020, which is older than any that CUDA 12 runs with. \
                The exception does not show this; the two versions do.",
        made: "python.exe 3.11 with PyTorch on Windows 10 19045; cudart64_12.dll beside nvcuda64.dll 27.21.14.5671 \
               (456.71); an exception of C++ raised in KERNELBASE.dll, called from torch_cuda.dll.",
        files: vec![dump(images, 10_120, FileTime::utc(2024, 6, 18, 14, 12, 3), 6, DUMP, &fault)],
        incidents: vec![
            Incident::crash("python.exe", "0xE06D7363", &[DUMP])
                .at("KERNELBASE.dll")
                .suspect(&["torch_cuda.dll"])
                .because(&["driver-too-old"], 0.5, 0.9),
        ],
    }
}
