//! A full dump, whose stack is unwound with the modules in it.

use samplekit::FileTime;
use samplekit::code::{CodeImage, CodeStack, Function, Step};
use samplekit::minidump::{Context, Exception, Minidump, Thread, flag};

use crate::sample::{File, Incident, Sample};
use crate::scene::{Scene, Windows, windows_program};

pub fn full_memory() -> Sample {
    use Step::{Allocate, Push, SetFrame};
    const STACK: u64 = 0x0000_0042_7FCF_E5C0;
    let folder = r"C:\Program Files\Example Viewer";
    let mut images = windows_program(&format!(r"{folder}\viewer.exe"), [2, 4, 0, 118], Windows::Eleven);
    images.load(&format!(r"{folder}\filters.dll"), [2, 4, 0, 118], 0x3_1000);
    images.load(&format!(r"{folder}\codec.dll"), [9, 1, 3, 0], 0x5_2000);
    let time = FileTime::utc(2024, 6, 3, 10, 12, 40);
    let scene = Scene::new(images, Windows::Eleven, 6512, time, 95);

    let function = |name, at, prologue: &[Step], part, returns| Function {
        name,
        at,
        prologue: prologue.to_vec(),
        part,
        returns: vec![returns],
    };
    let abort = function("abort", 0x1100, &[Push(3), Allocate(0x60)], None, 0x1140);
    let decode = function("codec_decode", 0x1200, &[Allocate(0x28)], None, 0x1240);
    let apply =
        function("filter_apply", 0x1300, &[Push(5), Push(7), Allocate(0x128), SetFrame(0x20)], Some(0x1800), 0x1840);
    let main = function("viewer_main", 0x1400, &[Push(3), Push(6), Allocate(0x48)], None, 0x1450);
    let thunk = function("BaseThreadInitThunk", 0x1500, &[Allocate(0x28)], None, 0x1520);
    let start = function("RtlUserThreadStart", 0x1600, &[Allocate(0x48)], None, 0x1630);

    let address = |module: &str, offset| scene.images.address(module, offset);
    let stale = address("codec.dll", 0x1240);
    let mut stack = CodeStack::new(STACK);
    stack
        .frame(&abort, &[0, stale, 0, 7], address("filters.dll", 0x1840))
        .frame(&apply, &[1, 2, 3], address("viewer.exe", 0x1450))
        .frame(&main, &[stale], address("kernel32.dll", 0x1520))
        .frame(&thunk, &[], address("ntdll.dll", 0x1630))
        .frame(&start, &[], 0);
    let mut context = Context::at(address("ucrtbase.dll", 0x1150), STACK);
    (context.rbp, context.rcx) = (stack.frame_register(), 7);
    let exception =
        Exception { thread: 7136, code: 0xC000_0409, flags: 1, address: context.rip, parameters: vec![7], context };
    let thread = Thread { id: 7136, name: None, teb: 0x0000_0042_7FB3_4000, stack: stack.memory(), context };
    let image = |module, function| CodeImage::new(scene.images.get(module), vec![function]).loaded();
    let memory = vec![
        image("viewer.exe", main),
        image("ucrtbase.dll", abort),
        image("codec.dll", decode),
        image("filters.dll", apply),
        image("kernel32.dll", thunk),
        image("ntdll.dll", start),
    ];
    let healthy = scene.healthy(thread);
    let dump = Minidump { flags: healthy.flags | flag::FULL_MEMORY, exception: Some(exception), memory, ..healthy };
    Sample {
        name: "full-memory-abort",
        shows: "A full dump contains the unwinding tables of its modules, so its stack is unwound exactly and \
                without symbols: filters.dll called abort(). A scan would find codec.dll first, whose function had \
                already returned.",
        made: "viewer.exe on Windows 11 22631; fast-fail 7 at ucrtbase.dll+0x1150. Of six images headers, code, \
               .pdata, .xdata and exports are in memory; filters.dll has a frame register, a large frame and a part \
               with chained unwinding data; a return address into codec.dll lies in the frame of abort().",
        files: vec![File::minidump("viewer.exe.6512.dmp", &dump)],
        incidents: vec![
            Incident::crash("viewer.exe", "0xC0000409", &["viewer.exe.6512.dmp"])
                .fast_fail(7)
                .at("ucrtbase.dll")
                .suspect(&["filters.dll"])
                .because(&["undetermined", "abort-after-fatal-error"], 0.0, 0.8),
        ],
    }
}
