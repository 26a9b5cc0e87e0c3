//! Exceptions that are explained by the processor or by the end of the stack.

use samplekit::FileTime;
use samplekit::minidump::Processor;

use super::cuda_dumps::below_tensorflow;
use crate::sample::{File, Incident, Sample};
use crate::scene::{ENVIRONMENT, Fault, STACK_LIMIT, Scene, Windows, python, tensorflow};

pub fn stack_overflow() -> Sample {
    const EXTENSION: &str = "treeparse.cp39-win_amd64.pyd";
    let time = FileTime::utc(2024, 5, 22, 10, 47, 38);
    let mut images = python(Windows::Ten);
    images.load_plain(&format!(r"{ENVIRONMENT}\lib\site-packages\treeparse\{EXTENSION}"), 0x4_E000);
    let scene = Scene::new(images, Windows::Ten, 5316, time, 4);
    // The same two functions call each other; the captured part ends before the first call.
    let callers = [(EXTENSION, 0x1_20E8), (EXTENSION, 0x1_1C94)].repeat(30);
    let fault = Fault {
        code: 0xC000_00FD,
        flags: 0,
        at: (EXTENSION, 0x1_2041),
        // A write right below the last page that can be used: the return address of a call.
        parameters: vec![1, STACK_LIMIT - 8],
        // call (relative)
        instruction: vec![0xE8, 0x1A, 0xFC, 0xFF, 0xFF],
        callers,
    };
    let dump = scene.dump_with_stack(&fault, scene.stack(STACK_LIMIT, &fault));
    Sample {
        name: "stack-overflow",
        shows: "A native extension of Python recursed until the thread's stack was used up. The stack pointer is at \
                the guard pages, and the same two return addresses repeat.",
        made: "python.exe 3.9 on Windows 10 19045; 0xC00000FD at treeparse.cp39-win_amd64.pyd+0x12041, stack of 1 MiB \
               with guard pages below the stack pointer in the list of memory regions; 60 frames captured.",
        files: vec![File::minidump("python.exe.5316.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC00000FD", &["python.exe.5316.dmp"])
                .at(EXTENSION)
                .suspect_or_none(EXTENSION)
                .because(&["stack-overflow"], 0.7, 0.99),
        ],
    }
}

pub fn illegal_instruction() -> Sample {
    const TENSORFLOW: &str = "_pywrap_tensorflow_internal.pyd";
    let time = FileTime::utc(2024, 5, 29, 14, 1, 12);
    let mut images = tensorflow(Windows::Ten);
    for library in ["cudnn64_8.dll", "cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll"] {
        images = images.without(library);
    }
    let scene = Scene { processor: Processor::nehalem(), ..Scene::new(images, Windows::Ten, 3044, time, 6) };
    let dump = scene.dump(&Fault {
        code: 0xC000_001D,
        flags: 0,
        at: (TENSORFLOW, 0x2A1_77E0),
        parameters: vec![],
        // vmovups ymm0, [rcx]: AVX
        instruction: vec![0xC5, 0xFC, 0x10, 0x01],
        callers: below_tensorflow(),
    });
    Sample {
        name: "illegal-instruction-avx",
        shows: "TensorFlow uses AVX on a processor of 2008 that has none. The instruction at the fault is in the dump, \
                and the processor's model and features are too.",
        made: "python.exe 3.9 with TensorFlow 2.10 on Windows 10 19045; 0xC000001D at \
               _pywrap_tensorflow_internal.pyd+0x2a177e0 with the bytes of a 256-bit move; Intel family 6 model 26, \
               no AVX among the processor's features.",
        files: vec![File::minidump("python.exe.3044.dmp", &dump)],
        incidents: vec![
            Incident::crash("python.exe", "0xC000001D", &["python.exe.3044.dmp"])
                .at(TENSORFLOW)
                .suspect_or_none(TENSORFLOW)
                .because(&["cpu-instruction-unsupported"], 0.6, 0.99),
        ],
    }
}
