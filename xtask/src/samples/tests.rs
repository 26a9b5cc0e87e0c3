//! Reads the samples with independent programs: the `evtx` and `minidump` crates.

use std::collections::BTreeSet;

use evtx::{EvtxParser, ParserSettings};
use minidump::{Minidump, MinidumpException, MinidumpModuleList, MinidumpUnloadedModuleList};
use minidump_processor::ProcessState;
use minidump_unwind::Symbolizer;
use minidump_unwind::symbols::string_symbol_supplier;
use serde_json::Value as Json;

use super::all;
use crate::sample::Sample;
use crate::{folder, project_folder};

/// Every file of a kind, with its sample.
fn files(kind: &str) -> Vec<(Sample, &'static str, Vec<u8>)> {
    let mut found = vec![];
    for mut sample in all() {
        for file in std::mem::take(&mut sample.files) {
            if file.kind.0 == [kind] {
                let again = all().into_iter().find(|other| other.name == sample.name).expect("the same sample");
                found.push((again, file.name, file.bytes));
            }
        }
    }
    found
}

fn file(sample: &str, name: &str) -> Vec<u8> {
    let sample = all().into_iter().find(|other| other.name == sample).expect("a sample of that name");
    sample.files.into_iter().find(|file| file.name == name).expect("a file of that name").bytes
}

/// All records of a log whose checksums are right. Chunks that cannot be read are left out.
fn records(bytes: Vec<u8>) -> Vec<Json> {
    let settings = ParserSettings::new().validate_checksums(true);
    let mut parser = EvtxParser::from_buffer(bytes).expect("a log").with_configuration(settings);
    parser.records_json_value().filter_map(Result::ok).map(|record| record.data["Event"].clone()).collect()
}

fn walk(bytes: Vec<u8>) -> ProcessState {
    let dump = Minidump::read(bytes).expect("a minidump");
    let symbols = Symbolizer::new(string_symbol_supplier(std::collections::HashMap::new()));
    pollster::block_on(minidump_processor::process_minidump(&dump, &symbols)).expect("a processed dump")
}

/// The modules of the crashing thread's frames, innermost first.
fn frames(bytes: Vec<u8>) -> Vec<String> {
    let state = walk(bytes);
    let thread = &state.threads[state.requesting_thread.expect("a crashing thread")];
    let name = |path: &str| path.rsplit('\\').next().unwrap_or(path).to_owned();
    thread.frames.iter().filter_map(|frame| Some(name(&frame.module.as_ref()?.name))).collect()
}

#[test]
fn every_log_is_read_whole_but_the_broken_one() {
    for (sample, name, bytes) in files("event-log") {
        let settings = ParserSettings::new().validate_checksums(true);
        let mut parser = EvtxParser::from_buffer(bytes).expect("a log").with_configuration(settings);
        let failed = parser.records_json_value().filter(Result::is_err).count();
        assert_eq!(failed > 0, sample.name == "broken-chunk", "{} {name}: {failed} failures", sample.name);
    }
}

#[test]
fn crashes_stand_in_the_outer_chunks_of_the_broken_log() {
    let crashes: Vec<u64> = records(file("broken-chunk", "Application.evtx"))
        .iter()
        .filter(|event| event["System"]["Provider"]["#attributes"]["Name"] == "Application Error")
        .filter_map(|event| event["System"]["EventRecordID"].as_u64())
        .collect();
    assert_eq!(crashes, [1200, 1641]);
}

#[test]
fn every_dump_has_its_fault_where_it_says() {
    for (sample, name, bytes) in files("minidump") {
        let dump = Minidump::read(bytes).expect("a minidump");
        let modules: MinidumpModuleList = dump.get_stream().expect("modules");
        // Samples with a truth file are compared by another test.
        let Some(incident) = sample.incidents.first() else { continue };
        let Some(code) = incident.exception else {
            // Crashpad writes the stream even without an exception.
            let code = dump
                .get_stream::<MinidumpException<'_>>()
                .ok()
                .map(|stream| stream.raw.exception_record.exception_code);
            assert!(matches!(code, None | Some(0x0517_A7ED)), "{name} has an exception");
            continue;
        };
        let exception: MinidumpException<'_> = dump.get_stream().expect("exception");
        let record = &exception.raw.exception_record;
        assert_eq!(format!("0x{:08X}", record.exception_code), code, "{name}");
        if sample.name == "linux-minidump" {
            continue;
        }
        let unloaded: MinidumpUnloadedModuleList = dump.get_stream().expect("unloaded modules");
        let loaded = modules.module_at_address(record.exception_address).map(|module| module.name.as_str());
        let before = || unloaded.modules_at_address(record.exception_address).next().map(|module| module.name.as_str());
        let site = loaded.or_else(before).and_then(|path| path.rsplit('\\').next());
        assert_eq!(site, incident.fault_site, "{name}");
        if let Some(fast_fail) = incident.fast_fail {
            assert_eq!(record.exception_information[0], u64::from(fast_fail), "{name}");
        }
    }
}

#[test]
fn modules_do_not_overlap() {
    for (_, name, bytes) in files("minidump") {
        let dump = Minidump::read(bytes).expect("a minidump");
        let modules: MinidumpModuleList = dump.get_stream().expect("modules");
        let ranges: Vec<_> =
            modules.iter().map(|module| (module.raw.base_of_image, module.raw.size_of_image)).collect();
        let bases: BTreeSet<_> = ranges.iter().collect();
        let mut end = 0;
        for (base, size) in bases {
            assert!(*base >= end, "{name}: {base:#x}");
            end = base + u64::from(*size);
        }
    }
}

#[test]
fn a_stack_scan_finds_the_callers_that_were_put_there() {
    let tensorflow = ["_pywrap_tensorflow_internal.pyd", "_pywrap_tensorflow_internal.pyd"];
    let python = ["python39.dll", "python39.dll", "python39.dll", "python.exe", "kernel32.dll", "ntdll.dll"];
    let below = [tensorflow.as_slice(), &python].concat();
    let chains: [(&str, &str, &[&str], &[&str]); 7] = [
        (
            "access-violation-cudnn",
            "python.exe.4312.dmp",
            &["cudnn64_8.dll", "cudnn64_8.dll", "cudnn_cnn_infer64_8.dll"],
            &below,
        ),
        (
            "abort-below-cudnn",
            "python.exe.11928.dmp",
            &["ucrtbase.dll", "cudnn64_8.dll", "cudnn64_8.dll", "cudnn_ops_infer64_8.dll"],
            &below,
        ),
        (
            "heap-corruption",
            "python.exe.7604.dmp",
            &[
                "ntdll.dll",
                "ntdll.dll",
                "ntdll.dll",
                "ntdll.dll",
                "ucrtbase.dll",
                "_multiarray_umath.cp39-win_amd64.pyd",
            ],
            &python,
        ),
        (
            "access-violation-driver",
            "python.exe.15220.dmp",
            &["nvcuda64.dll", "nvcuda64.dll", "nvcuda64.dll", "cudart64_110.dll"],
            &below,
        ),
        ("delay-load-zlibwapi", "python.exe.2980.dmp", &["KERNELBASE.dll", "cudnn_ops_infer64_8.dll"], &[]),
        (
            "two-openmp-runtimes",
            "python.exe.8852.dmp",
            &["ucrtbase.dll", "libiomp5md.dll", "libiomp5md.dll", "libiomp5md.dll", "torch_cpu.dll"],
            &python,
        ),
        (
            "old-vc-runtime",
            "python.exe.19480.dmp",
            &["msvcp140.dll", "onnxruntime_pybind11_state.pyd", "onnxruntime_pybind11_state.pyd", "ntdll.dll"],
            &[],
        ),
    ];
    for (sample, name, first, rest) in chains {
        let found = frames(file(sample, name));
        let wanted = [first, rest].concat();
        assert_eq!(found[..wanted.len().min(found.len())], wanted, "{sample}");
    }
}

#[test]
fn the_delay_load_record_can_be_followed() {
    let dump = Minidump::read(file("delay-load-zlibwapi", "python.exe.2980.dmp")).expect("a minidump");
    let exception: MinidumpException<'_> = dump.get_stream().expect("exception");
    let record = exception.raw.exception_record.exception_information[0];
    let memory = dump.get_memory().expect("memory");
    let word =
        |address: u64| memory.memory_at_address(address).and_then(|range| range.get_memory_at_address::<u64>(address));
    // Size 72, then at 18h the DLL's name, at 40h the Win32 error.
    assert_eq!(word(record), Some(72));
    let name = word(record + 0x18).expect("a pointer to the name");
    let text = memory.memory_at_address(name).expect("the name").bytes();
    assert_eq!(text[..13], *b"zlibwapi.dll\0");
    assert_eq!(word(record + 0x40), Some(126));
}

#[test]
fn dump_and_log_of_one_crash_name_the_same_process() {
    let state = walk(file("one-crash-three-artifacts", "python.exe.10244.dmp"));
    let events = records(file("one-crash-three-artifacts", "Application.evtx"));
    let data = &events[0]["EventData"];
    assert_eq!(state.process_id.map(|id| format!("{id:#x}")).as_deref(), data["ProcessId"].as_str());
    let created = data["ProcessCreationTime"].as_str().and_then(|text| u64::from_str_radix(&text[2..], 16).ok());
    let started = state.process_create_time.expect("a start time");
    let unix = started.duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    assert_eq!(created.map(|units| units / 10_000_000 - 11_644_473_600), Some(unix));
}

#[test]
fn a_cut_dump_lacks_memory_only() {
    let state = walk(file("cut-dump", "python.exe.4312.dmp"));
    assert_eq!(state.threads[state.requesting_thread.expect("a crashing thread")].frames.len(), 1);
    assert!(state.modules.iter().count() > 20);
}

#[test]
fn a_triage_dump_holds_together() {
    let bytes = file("bugcheck-display-driver", "073024-9531-01.dmp");
    let u32_at = |offset: usize| u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes")) as usize;
    let u64_at = |offset: usize| u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"));
    assert_eq!((&bytes[..8], u32_at(0x38), u32_at(0xF98)), (b"PAGEDU64".as_slice(), 0x116, 4));
    let triage = 0x2000;
    assert_eq!(u32_at(triage + 0x04), bytes.len());
    assert_eq!(bytes[u32_at(triage + 0x08)..], *b"TRGD");
    let (list, count, pool) = (u32_at(triage + 0x30), u32_at(triage + 0x34), u32_at(triage + 0x38));
    assert_eq!(pool - list, count * 0x90);
    // The second parameter lies in the driver that the list calls nvlddmkm.sys.
    let parameter = u64_at(0x48);
    let inside = (0..count).map(|index| list + index * 0x90).find(|entry| {
        let base = u64_at(entry + 0x38);
        (base..base + u32_at(entry + 0x48) as u64).contains(&parameter)
    });
    let name = u32_at(inside.expect("a driver that contains the address"));
    let text = &bytes[name + 4..name + 4 + u32_at(name) * 2];
    let units: Vec<u16> = text.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert!(String::from_utf16_lossy(&units).ends_with(r"\nvlddmkm.sys"));
    // The stack pointer of the context is the address of the stack.
    assert_eq!(u64_at(0x348 + 0x98), u64_at(triage + 0x48));
}

#[test]
fn two_runs_are_equal() {
    for (first, second) in all().into_iter().zip(all()) {
        for (one, other) in first.files.iter().zip(&second.files) {
            assert_eq!(one.bytes, other.bytes, "{} {}", first.name, one.name);
        }
    }
}

/// What `cargo xtask samples --check` checks.
#[test]
fn the_committed_samples_are_those_that_are_generated() {
    let wrong = folder::check(&project_folder(), &all()).err().unwrap_or_default();
    assert!(wrong.is_empty(), "{wrong}");
}
