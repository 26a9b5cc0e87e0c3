//! Programs with their usual modules. Versions are those of the named releases; sizes are approximate.

use samplekit::FileVersion;

use super::Images;

/// Which Windows the program runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Windows {
    /// Windows 10 22H2, build 19045; its files carry the number 19041.
    Ten,
    /// Windows 11 23H2, build 22631; its files carry the number 22621.
    Eleven,
}

impl Windows {
    /// Build number.
    pub fn build(self) -> u32 {
        match self {
            Self::Ten => 19045,
            Self::Eleven => 22631,
        }
    }

    /// Version of most of its files.
    fn files(self) -> [u16; 4] {
        match self {
            Self::Ten => [10, 0, 19041, 3636],
            Self::Eleven => [10, 0, 22621, 3155],
        }
    }

    /// Version of its C runtime, which is updated separately.
    fn runtime(self) -> [u16; 4] {
        match self {
            Self::Ten => [10, 0, 19041, 789],
            Self::Eleven => [10, 0, 22621, 2506],
        }
    }
}

/// Folder of the Python environment with TensorFlow.
pub const ENVIRONMENT: &str = r"C:\Users\user\miniconda3\envs\tf";
const SYSTEM: &str = r"C:\Windows\System32";
/// Folder of NVIDIA's driver package.
const DRIVER: &str = r"C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_7209bde3180ef5f7";

/// Loads the DLLs that every program loads.
fn load_system(images: &mut Images, windows: Windows) {
    let files = windows.files();
    let mut load = |name: &str, version: [u16; 4], size: u32| {
        images.load(&format!(r"{SYSTEM}\{name}"), version, size);
    };
    load("ntdll.dll", files, 0x1F_8000);
    load("kernel32.dll", files, 0xC_2000);
    load("KERNELBASE.dll", files, 0x2F_E000);
    load("ucrtbase.dll", windows.runtime(), 0x10_0000);
    load("advapi32.dll", files, 0xB_0000);
    load("sechost.dll", files, 0xA_0000);
    load("rpcrt4.dll", files, 0x12_3000);
    load("user32.dll", files, 0x19_D000);
    load("win32u.dll", files, 0x2_2000);
    load("gdi32.dll", files, 0x2_C000);
    load("combase.dll", files, 0x35_4000);
    load("bcryptprimitives.dll", files, 0x8_2000);
}

/// A simple program.
pub fn windows_program(path: &str, version: [u16; 4], windows: Windows) -> Images {
    let mut images = Images::new(path, Some(FileVersion(version)), 0x3_A000);
    load_system(&mut images, windows);
    images
}

/// Python 3.9 in a conda environment, with NumPy imported.
pub fn python(windows: Windows) -> Images {
    let python = |name: &str| format!(r"{ENVIRONMENT}\{name}");
    let version = [3, 9, 13150, 1013];
    let mut images = Images::new(&python("python.exe"), Some(FileVersion(version)), 0x1_8000);
    load_system(&mut images, windows);
    images
        .load(&python("python39.dll"), version, 0x46_B000)
        .load(&python("vcruntime140.dll"), [14, 36, 32532, 0], 0x1_B000)
        .load(&python("vcruntime140_1.dll"), [14, 36, 32532, 0], 0xC000)
        .load(&python("msvcp140.dll"), [14, 36, 32532, 0], 0x8_D000)
        .load(&python("python3.dll"), version, 0x1_0000)
        .load(&python(r"DLLs\_ctypes.pyd"), version, 0x2_3000)
        .load_plain(&python(r"lib\site-packages\numpy\core\_multiarray_umath.cp39-win_amd64.pyd"), 0x31_D000);
    images
}

/// TensorFlow 2.10 in that Python, with CUDA 11.2 and cuDNN 8 loaded, after the first convolution. There is no
/// `zlibwapi.dll`.
pub fn tensorflow(windows: Windows) -> Images {
    let mut images = python(windows);
    let library = |name: &str| format!(r"{ENVIRONMENT}\Library\bin\{name}");
    images
        .load_plain(
            &format!(r"{ENVIRONMENT}\lib\site-packages\tensorflow\python\_pywrap_tensorflow_internal.pyd"),
            0x3C6A_4000,
        )
        .load(&format!(r"{SYSTEM}\nvcuda.dll"), [31, 0, 15, 3623], 0x46_5000)
        .load(&format!(r"{DRIVER}\nvcuda64.dll"), [31, 0, 15, 3623], 0x1D0_E000)
        .load(&library("cudart64_110.dll"), [6, 14, 11, 11020], 0x8_A000)
        .load(&library("cublas64_11.dll"), [6, 14, 11, 11030], 0x76C_0000)
        .load(&library("cublasLt64_11.dll"), [6, 14, 11, 11030], 0xC4A_3000)
        .load(&library("cudnn64_8.dll"), [6, 14, 11, 6050], 0x4_7000)
        .load(&library("cudnn_ops_infer64_8.dll"), [6, 14, 11, 6050], 0x5B2_1000)
        .load(&library("cudnn_cnn_infer64_8.dll"), [6, 14, 11, 6050], 0x1F6E_2000);
    images
}

/// PyTorch 2.4 and ONNX Runtime 1.19 in a Python of its own: both were built with a compiler newer than 14.40.
pub fn torch(windows: Windows) -> Images {
    let python = |name: &str| format!(r"C:\Users\user\AppData\Local\Programs\Python\Python311\{name}");
    let version = [3, 11, 9150, 1013];
    let mut images = Images::new(&python("python.exe"), Some(FileVersion(version)), 0x1_A000);
    load_system(&mut images, windows);
    images
        .load(&python("python311.dll"), version, 0x5C_E000)
        .load(&python("vcruntime140.dll"), [14, 38, 33135, 0], 0x1_B000)
        .load(&python("vcruntime140_1.dll"), [14, 38, 33135, 0], 0xC000)
        .load_plain(&python(r"Lib\site-packages\torch\lib\c10.dll"), 0x12_4000);
    images
}
