//! What a dump proves and what it does not: the same address with and without a description of the memory around it.

#![expect(clippy::expect_used, reason = "a test that can't go on fails, and its inputs are known")]

use std::fs;

use crashsift::facts::{FactSet, schema};
use crashsift::knowledge::Knowledge;
use crashsift::rules::RuleSet;
use crashsift::{Options, Silent, inspect};
use samplekit::FileTime;
use samplekit::minidump::{
    Context, Exception, Memory, Minidump, Module, Process, Processor, Protection, Region, StackImage, System, Thread,
    UnloadedModule,
};

const APP: u64 = 0x7FF6_4000_0000;
const PLUGIN: u64 = 0x7FFB_9D00_0000;
const PLACE: u64 = PLUGIN + 0x1_2F40;

/// An access violation of `demo.exe` at an address, with its parameters. `plugin.dll` was unloaded before.
fn violation(at: u64, parameters: [u64; 2]) -> Minidump {
    let time = FileTime::utc(2024, 6, 12, 12, 0, 44);
    let context = Context::at(at, 0x42_7FCF_0000);
    Minidump {
        time,
        flags: 0,
        system: System::windows(19045, Processor::coffee_lake()),
        process: Process { id: 4312, started: time.minus_seconds(60), cpu_seconds: 7 },
        threads: vec![Thread {
            id: 9120,
            name: None,
            teb: 0x42_7FB3_4000,
            stack: StackImage::new(context.rsp).locals(4).memory(),
            context,
        }],
        exception: Some(Exception {
            thread: 9120,
            code: 0xC000_0005,
            flags: 0,
            address: at,
            parameters: parameters.to_vec(),
            context,
        }),
        modules: vec![Module::windows(r"C:\demo\demo.exe", None, APP, 0x1_0000)],
        unloaded: vec![UnloadedModule {
            name: "plugin.dll".to_owned(),
            base: PLUGIN,
            size: 0x3_1000,
            timestamp: 0x6642_1B07,
        }],
        memory: vec![],
        regions: vec![],
        annotations: vec![],
        other_streams: vec![],
    }
}

fn region(address: u64, protection: Option<Protection>) -> Region {
    let base = address & !0xFFFF;
    Region { base, allocation: base, size: 0x1_0000, protection, image: false }
}

fn facts(dump: &Minidump) -> FactSet {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("demo.dmp");
    fs::write(&path, dump.to_bytes()).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut inspected = inspect(&[path], &rules, &Knowledge::builtin(), &Options::default(), &Silent).incidents;
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

const EXECUTE: u64 = 8;
const READ: u64 = 0;

#[test]
fn code_that_could_not_be_fetched_where_a_module_was_is_that_modules() {
    let unloaded = [
        ("fault_site.module", "plugin.dll"),
        ("fault_site.unloaded", "true"),
        ("exception.code_place", "unloaded-module"),
        ("exception.access_target", "unloaded-module"),
        ("exception.access_module", "plugin.dll"),
    ];
    has(&violation(PLACE, [EXECUTE, PLACE]), &unloaded);
    let mut reserved = violation(PLACE, [EXECUTE, PLACE]);
    reserved.regions = vec![region(PLACE, None)];
    has(&reserved, &unloaded);
}

#[test]
fn a_place_where_a_module_was_belongs_to_what_is_there_now() {
    let nothing_of_it = [("fault_site.module", ""), ("fault_site.unloaded", ""), ("suspect.module", "")];
    // Code that was made at run time reads a null pointer.
    let mut generated = violation(PLACE, [READ, 0x18]);
    generated.regions = vec![region(PLACE, Some(Protection::ExecuteRead))];
    has(&generated, &nothing_of_it);
    has(&generated, &[("exception.code_place", "generated")]);
    // Without a map, that something else could not be read still shows that the code was there.
    let unmapped = violation(PLACE, [READ, 0x18]);
    has(&unmapped, &nothing_of_it);
    has(&unmapped, &[("exception.code_place", "no-module")]);
    // Memory of the heap, by the map or because it was captured.
    let mut heap = violation(PLACE, [EXECUTE, PLACE]);
    heap.regions = vec![region(PLACE, Some(Protection::ReadWrite))];
    has(&heap, &nothing_of_it);
    has(&heap, &[("exception.code_place", "not-executable"), ("exception.access_module", "")]);
    let mut captured = violation(PLACE, [EXECUTE, PLACE]);
    captured.memory = vec![Memory { address: PLACE & !0xFF, bytes: vec![0; 0x200] }];
    has(&captured, &nothing_of_it);
    has(&captured, &[("exception.access_target", ""), ("exception.access_module", "")]);
}

#[test]
fn a_fill_pattern_is_proven_by_a_map_that_has_nothing_there() {
    const FREED: u64 = 0xDDDD_DDE5;
    let dump = violation(APP + 0x1000, [READ, FREED]);
    has(&dump, &[("exception.access_pattern", "0xDDDDDDDD"), ("exception.access_target", "")]);
    let mut mapped = dump.clone();
    mapped.regions = vec![region(FREED, None)];
    has(&mapped, &[("exception.access_pattern", "0xDDDDDDDD"), ("exception.access_target", "fill-pattern")]);
    let mut in_use = dump;
    in_use.regions = vec![region(FREED, Some(Protection::None))];
    has(&in_use, &[("exception.access_pattern", ""), ("exception.access_target", "protected")]);
}
