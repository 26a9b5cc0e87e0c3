//! What a dump proves and what it does not: the same address with and without a description of the memory around it.

use std::fs;

use facts::{FactSet, schema};
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::FileTime;
use samplekit::minidump::{Memory, Minidump, Module, Protection, Region, UnloadedModule};

const APP: u64 = 0x7FF6_4000_0000;
const PLUGIN: u64 = 0x7FFB_9D00_0000;
const PLACE: u64 = PLUGIN + 0x1_2F40;

/// An access violation of `demo.exe` at an address, with its parameters. `plugin.dll` was unloaded before.
fn violation(at: u64, parameters: [u64; 2]) -> Minidump {
    let modules = vec![Module::windows(r"C:\demo\demo.exe", None, APP, 0x1_0000)];
    let mut dump = Minidump::crashed(FileTime::utc(2024, 6, 12, 12, 0, 44), at, modules);
    dump.exception.iter_mut().for_each(|exception| exception.parameters = parameters.to_vec());
    dump.unloaded =
        vec![UnloadedModule { name: "plugin.dll".to_owned(), base: PLUGIN, size: 0x3_1000, timestamp: 0x6642_1B07 }];
    dump
}

fn region(address: u64, protection: Option<Protection>) -> Region {
    let base = address & !0xFFFF;
    Region { base, allocation: base, size: 0x1_0000, protection, image: false }
}

fn facts(dump: &[u8]) -> FactSet {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("demo.dmp");
    fs::write(&path, dump).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut inspected = inspect(&[path], &rules, &Options::default()).incidents;
    inspected.pop().expect("an incident").1
}

#[track_caller]
fn has(dump: &Minidump, wanted: &[(&str, &str)]) {
    bytes_have(&dump.to_bytes(), wanted);
}

#[track_caller]
fn bytes_have(dump: &[u8], wanted: &[(&str, &str)]) {
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
    // Code generated at run time reads a null pointer.
    let mut generated = violation(PLACE, [READ, 0x18]);
    generated.regions = vec![region(PLACE, Some(Protection::ExecuteRead))];
    has(&generated, &nothing_of_it);
    has(&generated, &[("exception.code_place", "generated")]);
    // Without a memory map, an access violation at another address still shows that the code itself was executed.
    let unmapped = violation(PLACE, [READ, 0x18]);
    has(&unmapped, &nothing_of_it);
    has(&unmapped, &[("exception.code_place", "no-module")]);
    // Memory of the heap, by the memory map or because it was captured.
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

/// The bytes of a dump of a process of another architecture, whose number is the first field of `MINIDUMP_SYSTEM_INFO`.
fn of_architecture(dump: &Minidump, architecture: u16) -> Vec<u8> {
    const SYSTEM_INFO: u32 = 7;
    let mut bytes = dump.to_bytes();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (count, directory) = (number(8) as usize, number(12) as usize);
    let mut entries = (0..count).map(|index| directory + index * 12);
    let entry = entries.find(|entry| number(*entry) == SYSTEM_INFO).expect("every dump has it");
    let at = number(entry + 8) as usize;
    bytes[at..at + 2].copy_from_slice(&architecture.to_le_bytes());
    bytes
}

/// An exception of `demo.exe` at an instruction that the dump holds.
fn at_instruction(code: u32, parameters: [u64; 2], instruction: &[u8]) -> Minidump {
    let mut dump = violation(APP + 0x1000, parameters);
    dump.exception.iter_mut().for_each(|exception| exception.code = code);
    let mut bytes = instruction.to_vec();
    bytes.resize(64, 0);
    dump.memory = vec![Memory { address: APP + 0x1000, bytes }];
    dump
}

#[test]
fn traps_and_loads_of_arm64_are_decoded() {
    const ARM64: u16 = 12;
    let of = |code, word: u32| of_architecture(&at_instruction(code, [7, 0], &word.to_le_bytes()), ARM64);
    let fast_fail = of(0xC000_0409, 0xD43E_0060);
    bytes_have(&fast_fail, &[("instruction.kind", "fast-fail"), ("instruction.text", "brk #0xf003")]);
    let load = of(0xC000_0005, 0xF940_0108);
    let told = [("instruction.kind", "ordinary"), ("instruction.text", "ldr x8, [x8]")];
    bytes_have(&load, &told);
    bytes_have(&load, &[("instruction.extension", ""), ("process.architecture", "arm64")]);
}

#[test]
fn instructions_of_32_bit_programs_are_read_as_such() {
    const X86: u16 = 0;
    let mut dump = at_instruction(0xC000_0005, [READ, 0x18], &[0x48, 0x8B, 0x41, 0x18]);
    // Addresses of 32 bits.
    dump.exception.iter_mut().for_each(|exception| exception.address = 0x40_1000);
    dump.memory.iter_mut().for_each(|memory| memory.address = 0x40_1000);
    bytes_have(&of_architecture(&dump, X86), &[("instruction.text", "dec eax"), ("process.architecture", "x86")]);
}

#[test]
fn of_a_long_comment_the_beginning_is_read_and_the_rest_reported_as_missing() {
    const COMMENT_A: u32 = 10;
    let mut dump = violation(APP + 0x1000, [READ, 0x18]);
    dump.other_streams = vec![(COMMENT_A, b"*** Unhandled exception\n".repeat(20_000))];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("demo.dmp");
    fs::write(&path, dump.to_bytes()).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = inspect(&[path], &rules, &Options::default());
    let detail = inspected.artifacts[0].detail.as_deref().unwrap_or_default();
    assert!(detail.contains("stream CommentA: only the first 65536 of 480000 bytes are read"), "{detail}");
    let (_, facts) = &inspected.incidents[0];
    assert!(facts.list("text").is_some_and(|lines| lines.len() < 3_000));
}

#[test]
fn a_dump_of_a_hung_window_is_a_hang_whatever_was_raised_before() {
    const COMMENT_W: u32 = 11;
    let mut dump = violation(APP + 0x1000, [READ, 0x18]);
    let comment = "\n*** procdump -ma -h 4312\n*** Hung window detected: 140aa0\0";
    dump.other_streams = vec![(COMMENT_W, comment.encode_utf16().flat_map(u16::to_le_bytes).collect())];
    has(&dump, &[("incident.kind", "hang"), ("exception.code", ""), ("fault_site.module", "")]);
    let comment = "*** procdump -ma -e 4312\n*** Unhandled exception: C0000005.ACCESS_VIOLATION\0";
    dump.other_streams = vec![(COMMENT_W, comment.encode_utf16().flat_map(u16::to_le_bytes).collect())];
    has(&dump, &[("incident.kind", "crash"), ("exception.code", "0xC0000005")]);
}
