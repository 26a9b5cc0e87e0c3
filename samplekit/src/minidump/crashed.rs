//! A minimal dump of a crash. Tests about one part of a dump begin with it and change that part.

use super::{Context, Exception, Minidump, Module, Process, Processor, StackImage, System, Thread};
use crate::FileTime;
use crate::events::{Crash, Image};

const STACK: u64 = 0x42_7FCF_0000;
const PROGRAM_BASE: u64 = 0x7FF6_4000_0000;
const MODULE_BASE: u64 = 0x7FFB_1000_0000;

impl Minidump {
    /// A 64-bit process with one thread, a minute after its start. The instruction at the address `at` caused an access
    /// violation (`0xC0000005`) by reading `0x18`.
    #[must_use]
    pub fn crashed(time: FileTime, at: u64, modules: Vec<Module>) -> Self {
        let context = Context::at(at, STACK);
        let thread = Thread {
            id: 9120,
            name: None,
            teb: 0x42_7FB3_4000,
            stack: StackImage::new(STACK).locals(16).memory(),
            context,
        };
        let exception = Exception {
            thread: thread.id,
            code: 0xC000_0005,
            flags: 0,
            address: at,
            parameters: vec![0, 0x18],
            context,
        };
        Self {
            time,
            flags: 0,
            system: System::windows(19045, Processor::coffee_lake()),
            process: Process { id: 4312, started: time.minus_seconds(60), cpu_seconds: 7 },
            threads: vec![thread],
            exception: Some(exception),
            modules,
            unloaded: vec![],
            memory: vec![],
            regions: vec![],
            annotations: vec![],
            other_streams: vec![],
        }
    }

    /// The dump of a crash that Windows' events also record.
    #[must_use]
    pub fn of_crash(crash: &Crash) -> Self {
        let module = |image: &Image, base| Module::windows(&image.path, image.version, base, 0x10_0000);
        let modules = vec![module(&crash.app, PROGRAM_BASE), module(&crash.module, MODULE_BASE)];
        let mut dump = Self::crashed(crash.time, MODULE_BASE + crash.offset, modules);
        dump.process.id = crash.process;
        dump.process.started = crash.started;
        dump.exception.iter_mut().for_each(|exception| exception.code = crash.code);
        dump
    }
}
