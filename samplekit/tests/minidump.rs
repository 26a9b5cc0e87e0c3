//! The `minidump` crate reads the dumps back with all values that were written.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "these are tests")]

use minidump::system_info::{Cpu, Os};
use minidump::{
    Minidump as Read, MinidumpException, MinidumpMemoryInfoList, MinidumpMemoryList, MinidumpMiscInfo,
    MinidumpModuleList, MinidumpSystemInfo, MinidumpThreadList, MinidumpThreadNames, MinidumpUnloadedModuleList,
    Module as _, UnifiedMemoryList,
};
use samplekit::minidump::{
    Context, Exception, Memory, Minidump, Module, Process, Processor, Protection, Region, StackImage, System, Thread,
    UnloadedModule, flag,
};
use samplekit::{FileTime, FileVersion};

const EXE: u64 = 0x7FF6_1C8A_0000;
const DLL: u64 = 0x7FFA_3000_0000;
const STACK: u64 = 0x0000_0042_7FCF_E000;

fn sample() -> Minidump {
    let mut stack = StackImage::new(STACK);
    stack.frame(12, DLL + 0x1234).frame(9, EXE + 0x2000);
    let context = Context::at(DLL + 0x5678, STACK);
    let thread = |id: u32, name: Option<&str>, stack: Memory| Thread {
        id,
        name: name.map(str::to_owned),
        teb: 0x42_7FB0_0000,
        stack,
        context,
    };
    let idle = Memory { address: 0x42_7FF0_0000, bytes: vec![0; 64] };
    Minidump {
        time: FileTime::utc(2024, 3, 5, 9, 30, 0),
        flags: flag::THREAD_INFO | flag::FULL_MEMORY_INFO,
        system: System::windows(19045, Processor::coffee_lake()),
        process: Process { id: 4312, started: FileTime::utc(2024, 3, 5, 9, 29, 0), cpu_seconds: 3 },
        threads: vec![thread(100, Some("MainThread"), stack.memory()), thread(104, None, idle)],
        exception: Some(Exception {
            thread: 100,
            code: 0xC000_0005,
            flags: 0,
            address: DLL + 0x5678,
            parameters: vec![1, 0x20],
            context,
        }),
        modules: vec![
            Module::windows(r"C:\app\app.exe", Some(FileVersion([1, 2, 3, 4])), EXE, 0x1_0000),
            Module::windows(r"C:\app\plug.dll", None, DLL, 0x10_0000),
        ],
        unloaded: vec![UnloadedModule {
            name: "gone.dll".to_owned(),
            base: 0x7FFA_2000_0000,
            size: 0x8000,
            timestamp: 0x6543_2100,
        }],
        memory: stack.code(),
        regions: vec![
            Region {
                base: STACK - 0x3000,
                allocation: STACK - 0x10_0000,
                size: 0x3000,
                protection: Some(Protection::Guard),
                image: false,
            },
            Region { base: DLL, allocation: DLL, size: 0x1000, protection: Some(Protection::ReadOnly), image: true },
        ],
        annotations: vec![],
        other_streams: vec![],
    }
}

fn read(dump: &Minidump) -> Read<'static, Vec<u8>> {
    Read::read(dump.to_bytes()).expect("a minidump")
}

#[test]
fn exception_and_registers_come_out() {
    let dump = read(&sample());
    let system: MinidumpSystemInfo = dump.get_stream().expect("system");
    assert_eq!((system.os, system.cpu, system.raw.build_number), (Os::Windows, Cpu::X86_64, 19045));
    assert_eq!(system.cpu_info().as_deref(), Some("family 6 model 158 stepping 10"));
    let misc: MinidumpMiscInfo = dump.get_stream().expect("misc");
    assert_eq!(misc.raw.process_id(), Some(&4312));
    assert_eq!(misc.raw.process_create_time(), Some(&1_709_630_940));
    let exception: MinidumpException<'_> = dump.get_stream().expect("exception");
    let record = &exception.raw.exception_record;
    assert_eq!((record.exception_code, record.exception_address), (0xC000_0005, DLL + 0x5678));
    assert_eq!((record.number_parameters, record.exception_information[1]), (2, 0x20));
    let context = exception.context(&system, Some(&misc)).expect("context");
    assert_eq!((context.get_instruction_pointer(), context.get_stack_pointer()), (DLL + 0x5678, STACK));
    assert_eq!(dump.header.time_date_stamp, 1_709_631_000);
}

#[test]
fn modules_come_out() {
    let dump = read(&sample());
    let modules: MinidumpModuleList = dump.get_stream().expect("modules");
    let all: Vec<_> = modules.iter().collect();
    assert_eq!(all[0].name, r"C:\app\app.exe");
    assert_eq!(all[0].version().as_deref(), Some("1.2.3.4"));
    assert_eq!((all[0].base_address(), all[0].size()), (EXE, 0x1_0000));
    assert_eq!(all[0].debug_file().as_deref(), Some("app.pdb"));
    assert!(all[0].debug_identifier().is_some());
    assert_eq!((all[1].name.as_str(), all[1].version()), (r"C:\app\plug.dll", None));
    let unloaded: MinidumpUnloadedModuleList = dump.get_stream().expect("unloaded modules");
    let gone: Vec<_> = unloaded.iter().map(|module| (module.name.clone(), module.raw.time_date_stamp)).collect();
    assert_eq!(gone, [("gone.dll".to_owned(), 0x6543_2100)]);
}

#[test]
fn threads_names_and_memory_come_out() {
    let dump = read(&sample());
    let names: MinidumpThreadNames = dump.get_stream().expect("names");
    assert_eq!(names.get_name(100).as_deref(), Some("MainThread"));
    assert_eq!(names.get_name(104), None);
    let threads: MinidumpThreadList<'_> = dump.get_stream().expect("threads");
    assert_eq!(threads.threads.len(), 2);
    let memory: MinidumpMemoryList<'_> = dump.get_stream().expect("memory");
    let memory = UnifiedMemoryList::Memory(memory);
    let stack = threads.threads[0].stack_memory(&memory).expect("stack");
    assert_eq!(stack.get_memory_at_address::<u64>(STACK + 13 * 8), Some(DLL + 0x1234));

    let memory: MinidumpMemoryList<'_> = dump.get_stream().expect("memory");
    let call = memory.memory_at_address(DLL + 0x1234 - 5).expect("code before the return address");
    assert_eq!(call.get_memory_at_address::<u8>(DLL + 0x1234 - 5), Some(0xE8));

    let regions: MinidumpMemoryInfoList<'_> = dump.get_stream().expect("regions");
    let bounds: Vec<_> = regions.iter().map(|region| (region.raw.base_address, region.raw.protection)).collect();
    assert_eq!(bounds, [(STACK - 0x3000, 0x104), (DLL, 0x02)]);
}

#[test]
fn equal_dumps_have_equal_bytes() {
    assert_eq!(sample().to_bytes(), sample().to_bytes());
}

#[test]
fn a_dump_that_breaks_off_loses_memory_first() {
    let whole = sample().to_bytes();
    let cut = whole[..whole.len() - 100].to_vec();
    let dump = Read::read(cut).expect("a minidump");
    assert!(dump.get_stream::<MinidumpException<'_>>().is_ok());
    assert_eq!(dump.get_stream::<MinidumpModuleList>().expect("modules").iter().count(), 2);
}
