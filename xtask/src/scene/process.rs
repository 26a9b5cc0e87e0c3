//! A process and the dump of its crash.

use samplekit::FileTime;
use samplekit::bytes::ByteWriter;
use samplekit::events::{Crash, Image};
use samplekit::minidump::{
    Context, Exception, Memory, Minidump, Process, Processor, Protection, Region, StackImage, System, Thread,
    UnloadedModule, flag,
};

use super::{Images, Windows};

/// A process.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Its modules.
    pub images: Images,
    /// The Windows that it runs on.
    pub windows: Windows,
    /// The processor.
    pub processor: Processor,
    /// Process id.
    pub process: u32,
    /// When it started.
    pub started: FileTime,
    /// The time of the crash.
    pub time: FileTime,
}

/// An exception, with the calls that led to it.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Exception code.
    pub code: u32,
    /// Flags of the exception record.
    pub flags: u32,
    /// Module and offset where it is raised.
    pub at: (&'static str, u64),
    /// Parameters.
    pub parameters: Vec<u64>,
    /// The instruction that raises it.
    pub instruction: Vec<u8>,
    /// Return addresses, innermost first: module and offset.
    pub callers: Vec<(&'static str, u64)>,
}

/// The main thread's stack: the highest address, at which it begins, and its reserved size.
const STACK_END: u64 = 0x0000_0042_7FD0_0000;
const STACK_RESERVED: u64 = 0x10_0000;
/// The lowest usable address of the main thread's stack: below it are guard pages, and one page that is never
/// accessible.
pub const STACK_LIMIT: u64 = STACK_END - STACK_RESERVED + 4 * PAGE;
/// The lowest captured address of the main thread's stack in most samples.
const STACK_POINTER: u64 = STACK_END - 0x1A40;
const MAIN_THREAD: u32 = 9120;
const PAGE: u64 = 0x1000;

impl Scene {
    /// A process on Windows with the usual processor, which has run for some seconds.
    pub fn new(images: Images, windows: Windows, process: u32, time: FileTime, ran_seconds: u64) -> Self {
        let started = time.minus_seconds(ran_seconds).plus_micros(281_500);
        Self { images, windows, processor: Processor::coffee_lake(), process, started, time }
    }

    /// The outermost frames of every main thread: the executable's start code, called by Windows.
    pub fn thread_start() -> [(&'static str, u64); 2] {
        [("kernel32.dll", 0x1_7344), ("ntdll.dll", 0x5_26B1)]
    }

    /// The dump of an exception of the main thread.
    pub fn dump(&self, fault: &Fault) -> Minidump {
        self.dump_with_stack(fault, self.stack(STACK_POINTER, fault))
    }

    /// A stack for an exception.
    pub fn stack(&self, pointer: u64, fault: &Fault) -> StackImage {
        let mut stack = StackImage::new(pointer);
        self.push_callers(&mut stack, fault.at.0, &fault.callers);
        stack
    }

    /// Appends the frames of callers to a stack, with five to twenty words of locals each. The innermost of them called
    /// into the module `called`.
    pub fn push_callers(&self, stack: &mut StackImage, called: &str, callers: &[(&'static str, u64)]) {
        let mut called = called;
        for (depth, (module, offset)) in (0_u64..).zip(callers) {
            let (locals, returns_to) = (5 + (depth * 7 + 3) % 16, self.images.address(module, *offset));
            if *module == called {
                stack.frame(locals, returns_to);
            } else {
                stack.frame_of_import(locals, returns_to);
            }
            called = module;
        }
        stack.locals(8);
    }

    /// The dump of an exception of the main thread, with the given stack.
    pub fn dump_with_stack(&self, fault: &Fault, stack: StackImage) -> Minidump {
        let address = self.images.address(fault.at.0, fault.at.1);
        let stack_memory = stack.memory();
        let mut context = Context::at(address, stack_memory.address);
        (context.rbx, context.rsi, context.r8) = (0x1D4_8C2A_51B0, 0x1D4_8C2A_5200, 0x40);
        if let (0xC000_0005, [_, target]) = (fault.code, fault.parameters.as_slice()) {
            context.rcx = target & !0xFFF;
        }
        if let (0xC000_0409, [code]) = (fault.code, fault.parameters.as_slice()) {
            context.rcx = *code;
        }
        let main = Thread {
            id: MAIN_THREAD,
            name: Some("MainThread".to_owned()),
            teb: 0x0000_0042_7FB3_4000,
            stack: stack_memory,
            context,
        };
        let exception = Exception {
            thread: MAIN_THREAD,
            code: fault.code,
            flags: fault.flags,
            address,
            parameters: fault.parameters.clone(),
            context,
        };
        let mut dump = self.healthy(main);
        dump.memory.extend(stack.code());
        dump.memory.push(code_at(address, &fault.instruction));
        dump.exception = Some(exception);
        dump
    }

    /// A dump without exception, with this main thread and a waiting thread.
    pub fn healthy(&self, main: Thread) -> Minidump {
        let waiting = self.waiting_thread(MAIN_THREAD + 32, "tf_compute", 0x0000_0042_8010_0000);
        let mut regions = self.images.regions();
        regions.extend(stack_regions(main.stack.address, STACK_END, STACK_RESERVED));
        regions.extend(stack_regions(waiting.stack.address, 0x0000_0042_8010_0000, STACK_RESERVED));
        Minidump {
            time: self.time,
            flags: flag::UNLOADED_MODULES
                | flag::INDIRECTLY_REFERENCED_MEMORY
                | flag::FULL_MEMORY_INFO
                | flag::THREAD_INFO,
            system: System::windows(self.windows.build(), self.processor),
            process: Process { id: self.process, started: self.started, cpu_seconds: 7 },
            threads: vec![main, waiting],
            exception: None,
            modules: self.images.modules().to_vec(),
            unloaded: vec![unloaded_module()],
            memory: vec![],
            regions,
            annotations: vec![],
            other_streams: vec![],
        }
    }

    /// The main thread, waiting in Windows.
    pub fn waiting_main_thread(&self, callers: &[(&'static str, u64)]) -> Thread {
        let mut stack = StackImage::new(STACK_POINTER);
        self.push_callers(&mut stack, "ntdll.dll", callers);
        let context = Context::at(self.images.address("ntdll.dll", 0x9_D084), STACK_POINTER);
        let name = Some("MainThread".to_owned());
        Thread { id: MAIN_THREAD, name, teb: 0x0000_0042_7FB3_4000, stack: stack.memory(), context }
    }

    fn waiting_thread(&self, id: u32, name: &str, stack_end: u64) -> Thread {
        let pointer = stack_end - 0x2C8;
        let mut stack = StackImage::new(pointer);
        self.push_callers(&mut stack, "ntdll.dll", &[("KERNELBASE.dll", 0x2_6EEE)]);
        self.push_callers(&mut stack, "KERNELBASE.dll", &Self::thread_start());
        // After the system call of a wait.
        let context = Context::at(self.images.address("ntdll.dll", 0x9_D084), pointer);
        Thread { id, name: Some(name.to_owned()), teb: 0x0000_0042_7FB3_6000, stack: stack.memory(), context }
    }

    /// The same exception in Windows' own reports.
    pub fn crash(&self, fault: &Fault, report: &str) -> Crash {
        Crash {
            app: Image::from(self.images.executable()),
            module: Image::from(self.images.get(fault.at.0)),
            code: fault.code,
            offset: fault.at.1,
            data: fault.parameters.first().copied().unwrap_or(0),
            process: self.process,
            started: self.started,
            time: self.time,
            report_id: samplekit::Guid::made_up(report),
        }
    }
}

/// A DLL of Windows that almost every process loads for a moment. It is at a higher address than the others.
fn unloaded_module() -> UnloadedModule {
    UnloadedModule { name: "devobj.dll".to_owned(), base: 0x7FFB_9F00_0000, size: 0x2_C000, timestamp: 0xC1F2_8A11 }
}

/// The code around an instruction, 128 bytes before and after it: dumps contain it for the instruction pointer.
fn code_at(address: u64, instruction: &[u8]) -> Memory {
    let mut code = ByteWriter::new();
    // Filler between functions up to the start of this one: `int 3`, then `sub rsp, 28h`, then no-ops.
    code.raw(&[0xCC; 64]).raw(&[0x48, 0x83, 0xEC, 0x28]).raw(&[0x90; 60]);
    code.raw(instruction).raw(&[0x48, 0x83, 0xC4, 0x28, 0xC3]);
    let mut bytes = code.into_bytes();
    bytes.resize(256, 0xCC);
    Memory { address: address - 128, bytes }
}

/// The regions of a stack: reserved, guard pages, and what has been used.
fn stack_regions(pointer: u64, end: u64, reserved: u64) -> [Region; 3] {
    let used = pointer / PAGE * PAGE;
    let allocation = end - reserved;
    let region = |base, size, protection| Region { base, allocation, size, protection, image: false };
    [
        region(allocation, used - 3 * PAGE - allocation, None),
        region(used - 3 * PAGE, 3 * PAGE, Some(Protection::Guard)),
        region(used, end - used, Some(Protection::ReadWrite)),
    ]
}
