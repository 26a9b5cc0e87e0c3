//! DLLs that are missing, doubled or too old.

use samplekit::FileTime;
use samplekit::bytes::ByteWriter;
use samplekit::minidump::Memory;

use super::cuda_dumps::below_tensorflow;
use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, tensorflow};

pub fn delay_load_zlibwapi() -> Sample {
    /// `ERROR_MOD_NOT_FOUND`.
    const MODULE_NOT_FOUND: u32 = 126;
    const LIBRARY: &str = "cudnn_ops_infer64_8.dll";
    let time = FileTime::utc(2024, 5, 6, 8, 33, 19);
    let images = tensorflow(Windows::Ten).without("cudnn_cnn_infer64_8.dll");
    let scene = Scene::new(images, Windows::Ten, 2980, time, 29);
    let address = |offset| scene.images.address(LIBRARY, offset);
    // The DLL's name and the procedure's name lie in the data of the library that wants them.
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
    stack.frame(20, address(0x59_B4C8));
    let info = stack.next_address();
    let mut record = ByteWriter::new();
    // DelayLoadInfo of 64-bit code, 72 bytes: size, descriptor, slot to fill, DLL's name, whether the procedure is
    // wanted by name, its name, module handle and procedure (neither found), and the Win32 error.
    record.u32(72).u32(0).u64(address(0x4E1_0040)).u64(address(0x4E0_3118)).u64(dll_name);
    record.u32(1).u32(0).u64(procedure_name).u64(0).u64(0).u32(MODULE_NOT_FOUND).u32(0);
    stack.raw(&record.into_bytes());
    let mut callers = vec![(LIBRARY, 0x59_B30E), (LIBRARY, 0x2C_117A), ("cudnn64_8.dll", 0x2_0B6C)];
    callers.extend(below_tensorflow());
    scene.push_callers(&mut stack, &callers);

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

/// An 8-bit text with zeros after it, 32 bytes.
fn text_field(text: &str) -> Vec<u8> {
    let mut field = ByteWriter::new();
    field.raw(text.as_bytes()).zeros_to(32);
    field.into_bytes()
}
