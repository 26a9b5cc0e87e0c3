//! Dumps with contradictory facts: which facts are reported and which are not.

use std::fs;

use facts::{FactSet, schema};
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::FileTime;
use samplekit::minidump::{
    Context, Exception, Memory, Minidump, Module, Process, Processor, Protection, Region, StackImage, System, Thread,
    UnloadedModule,
};

const APP: u64 = 0x7FF6_4000_0000;
const LIBRARY: u64 = 0x7FFB_A000_0000;
const NTDLL: u64 = 0x7FFB_F000_0000;
/// Where `plugin.dll` was.
const PLUGIN: u64 = 0x7FFB_9D00_0000;
const PLACE: u64 = PLUGIN + 0x1_2F40;
const TEB: u64 = 0x42_7FB3_4000;
/// A thread's stack of one megabyte.
const STACK_BASE: u64 = 0x42_7FD0_0000;
const STACK_BOTTOM: u64 = STACK_BASE - 0x10_0000;
const SHALLOW: u64 = STACK_BASE - 0x4000;
/// An address deep in the stack, above the data that Windows keeps at its end.
const DEEP: u64 = STACK_BOTTOM + 0x6000;

const ACCESS_VIOLATION: u32 = 0xC000_0005;
const IN_PAGE_ERROR: u32 = 0xC000_0006;
const STACK_OVERFLOW: u32 = 0xC000_00FD;
const FAST_FAIL: u32 = 0xC000_0409;
const READ: u64 = 0;
const EXECUTE: u64 = 8;

/// The thread environment block, which contains the stack's limits.
fn environment_block() -> Memory {
    let mut bytes = vec![0; 0x1478];
    bytes.splice(8..16, STACK_BASE.to_le_bytes());
    bytes.extend(STACK_BOTTOM.to_le_bytes());
    Memory { address: TEB, bytes }
}

/// An exception of `demo.exe`, with a call from `library.dll` on the stack at `pointer`.
fn exception(code: u32, at: u64, parameters: &[u64], pointer: u64) -> Minidump {
    let time = FileTime::utc(2024, 6, 12, 12, 0, 44);
    let context = Context::at(at, pointer);
    let mut stack = StackImage::new(pointer);
    stack.frame_of_import(6, LIBRARY + 0x2345).frame(6, APP + 0x3456);
    let mut memory = stack.code();
    memory.push(environment_block());
    Minidump {
        time,
        flags: 0,
        system: System::windows(19045, Processor::coffee_lake()),
        process: Process { id: 4312, started: time.minus_seconds(60), cpu_seconds: 7 },
        threads: vec![Thread { id: 9120, name: None, teb: TEB, stack: stack.memory(), context }],
        exception: Some(Exception {
            thread: 9120,
            code,
            flags: 0,
            address: at,
            parameters: parameters.to_vec(),
            context,
        }),
        modules: vec![
            Module::windows(r"C:\demo\demo.exe", None, APP, 0x1_0000),
            Module::windows(r"C:\demo\library.dll", None, LIBRARY, 0x1_0000),
            Module::windows(r"C:\Windows\System32\ntdll.dll", None, NTDLL, 0x20_0000),
        ],
        unloaded: vec![unloaded("plugin.dll")],
        memory,
        regions: vec![],
        annotations: vec![],
        other_streams: vec![],
    }
}

fn unloaded(name: &str) -> UnloadedModule {
    UnloadedModule { name: name.to_owned(), base: PLUGIN, size: 0x3_1000, timestamp: 0x6642_1B07 }
}

/// A part of the stack that begins at `allocation`.
fn part(allocation: u64, from: u64, to: u64, protection: Option<Protection>) -> Region {
    Region { base: from, allocation, size: to - from, protection, image: false }
}

fn facts(dump: &Minidump) -> FactSet {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("demo.dmp");
    fs::write(&path, dump.to_bytes()).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut inspected = inspect(&[path], &rules, &Options::default()).incidents;
    inspected.pop().expect("an incident").1
}

#[track_caller]
fn has(dump: &Minidump, wanted: &[(&str, &str)]) {
    let facts = facts(dump);
    for (path, value) in wanted {
        let definition = schema::scalar(path).expect("a fact of the schema");
        let shown = facts.get(path).map_or_else(String::new, |known| known.value.display(definition.kind).to_string());
        assert_eq!(shown, *value, "{path}");
    }
}

#[test]
fn a_deep_stack_is_not_used_up_where_the_exception_is_about_another_address() {
    for wanted in [0x18, 0x7000_0000_0018] {
        let mut dump = exception(ACCESS_VIOLATION, APP + 0x1000, &[READ, wanted], DEEP);
        let not_told = [("stack.exhausted", ""), ("stack.left", "24576"), ("suspect.module", "demo.exe")];
        has(&dump, &not_told);
        dump.regions = vec![
            part(STACK_BOTTOM, STACK_BOTTOM, DEEP - 0x3000, None),
            part(STACK_BOTTOM, DEEP - 0x3000, DEEP, Some(Protection::Guard)),
            part(STACK_BOTTOM, DEEP, STACK_BASE, Some(Protection::ReadWrite)),
        ];
        has(&dump, &not_told);
    }
    has(&exception(FAST_FAIL, APP + 0x1000, &[7], DEEP), &[("stack.exhausted", "")]);
    has(
        &exception(ACCESS_VIOLATION, APP + 0x1000, &[1, DEEP - 0x1008], DEEP),
        &[("stack.exhausted", "true"), ("exception.access_target", "stack-end")],
    );
    has(&exception(STACK_OVERFLOW, APP + 0x1000, &[1, DEEP - 0x1008], DEEP), &[("stack.exhausted", "true")]);
    has(&exception(STACK_OVERFLOW, APP + 0x1000, &[], DEEP), &[("stack.exhausted", "true")]);
}

#[test]
fn the_guard_page_of_another_stack_is_a_guard_page_and_no_end() {
    const OTHER: u64 = 0x43_0000_0000;
    let mut dump = exception(ACCESS_VIOLATION, APP + 0x1000, &[1, OTHER + 0x1008], SHALLOW);
    dump.regions = vec![
        part(OTHER, OTHER, OTHER + 0x1000, None),
        part(OTHER, OTHER + 0x1000, OTHER + 0x2000, Some(Protection::Guard)),
        part(OTHER, OTHER + 0x2000, OTHER + 0x1_0000, Some(Protection::ReadWrite)),
    ];
    has(&dump, &[("exception.access_target", "guard-page"), ("stack.exhausted", "false")]);
}

#[test]
fn of_several_modules_that_were_at_one_place_none_is_named() {
    let mut dump = exception(ACCESS_VIOLATION, PLACE, &[EXECUTE, PLACE], SHALLOW);
    dump.unloaded.push(unloaded("PLUGIN.dll"));
    has(
        &dump,
        &[("fault_site.module", "plugin.dll"), ("fault_site.unloaded", "true"), ("suspect.module", "plugin.dll")],
    );
    dump.unloaded.push(unloaded("codec.dll"));
    has(
        &dump,
        &[
            ("exception.code_place", "unloaded-module"),
            ("exception.access_target", "unloaded-module"),
            ("exception.access_module", ""),
            ("fault_site.module", ""),
            ("suspect.module", ""),
        ],
    );
}

#[test]
fn a_module_that_execution_ran_into_is_where_it_died_and_not_suspected() {
    let mut dump = exception(ACCESS_VIOLATION, PLACE, &[EXECUTE, PLACE], SHALLOW);
    dump.modules.push(Module::windows(r"C:\demo\now.dll", None, PLUGIN, 0x3_1000));
    has(
        &dump,
        &[
            ("exception.code_place", "module"),
            ("fault_site.module", "now.dll"),
            ("fault_site.unloaded", "false"),
            ("suspect.module", ""),
        ],
    );
    // Code of the module itself that jumps elsewhere is the module's own fault.
    let call = exception(ACCESS_VIOLATION, APP + 0x1000, &[EXECUTE, 0x5000_0000], SHALLOW);
    has(&call, &[("suspect.module", "demo.exe"), ("suspect.basis", "exact")]);
}

#[test]
fn a_stack_that_was_overrun_names_no_caller() {
    for code in [0, 2] {
        has(&exception(FAST_FAIL, NTDLL + 0x1000, &[code], SHALLOW), &[("suspect.module", "")]);
        has(&exception(FAST_FAIL, APP + 0x1000, &[code], SHALLOW), &[("suspect.module", "demo.exe")]);
    }
    has(&exception(FAST_FAIL, NTDLL + 0x1000, &[7], SHALLOW), &[("suspect.module", "library.dll")]);
}

#[test]
fn who_needed_a_page_that_could_not_be_read_is_not_suspected() {
    let at = LIBRARY + 0x1000;
    has(
        &exception(IN_PAGE_ERROR, at, &[EXECUTE, at, 0xC000_0185], SHALLOW),
        &[("fault_site.module", "library.dll"), ("exception.in_page_status", "0xC0000185"), ("suspect.module", "")],
    );
}
