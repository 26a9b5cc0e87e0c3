//! The facts of minidumps beyond the exception: of the project's samples and, where they are given, of third-party
//! dumps.

use std::path::{Path, PathBuf};

use facts::{FactSet, Value, schema};
use pipeline::{Options, inspect};
use rules::RuleSet;
use windows_codes::Knowledge;

/// The facts of the one incident in a dump.
fn facts(path: PathBuf) -> FactSet {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let _knowledge = Knowledge::builtin();
    let shown = path.display().to_string();
    assert!(path.is_file(), "{shown} is missing");
    let mut inspected = inspect(&[path], &rules, &Options::default()).incidents;
    assert_eq!(inspected.len(), 1, "{shown}");
    inspected.pop().expect("an incident").1
}

fn of_sample(path: &str) -> FactSet {
    facts(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path))
}

/// A fact as reports print it; nothing when it is absent.
fn shown(facts: &FactSet, path: &str) -> String {
    let definition = schema::scalar(path).expect("a fact of the schema");
    facts.get(path).map_or_else(String::new, |known| known.value.display(definition.kind).to_string())
}

fn has(facts: &FactSet, wanted: &[(&str, &str)]) {
    for (path, value) in wanted {
        assert_eq!(shown(facts, path), *value, "{path}");
    }
}

/// The texts of a field in a list.
fn listed(facts: &FactSet, list: &str, field: &str) -> Vec<String> {
    let records = facts.lists().find(|(name, _)| *name == list).map(|(_, records)| records);
    let values = records.into_iter().flatten().filter_map(|record| match record.get(field) {
        Some(Value::Text(text)) => Some(text.to_string()),
        _ => None,
    });
    values.collect()
}

#[test]
fn a_null_pointer_is_recognized_by_its_page() {
    has(
        &of_sample("access-violation-cudnn/python.exe.4312.dmp"),
        &[
            ("exception.access_target", "null-page"),
            ("exception.code_place", "module"),
            ("instruction.text", "mov rax,[rcx+0x18]"),
            ("instruction.extension", "base"),
            ("instruction.supported", ""),
            ("stack.exhausted", "false"),
        ],
    );
}

#[test]
fn a_pattern_is_found_in_the_registers_where_the_processor_reports_no_address() {
    has(
        &of_sample("freed-object/ledger.exe.5512.dmp"),
        &[
            ("exception.access_address", "0xffffffffffffffff"),
            ("exception.access_computed", "0xfeeefeeefeeeff16"),
            ("exception.access_pattern", "0xFEEEFEEE"),
            ("exception.access_target", "fill-pattern"),
        ],
    );
    has(
        &of_sample("misaligned-move/ledger.exe.5920.dmp"),
        &[("exception.access_target", "misaligned"), ("instruction.text", "movaps [rsp+0x28],xmm6")],
    );
}

#[test]
fn the_memory_map_shows_what_is_at_an_address() {
    has(
        &of_sample("write-to-code/ledger.exe.9004.dmp"),
        &[
            ("exception.access_target", "module"),
            ("exception.access_module", "ledger.exe"),
            ("exception.access_page", "execute-read"),
        ],
    );
    has(
        &of_sample("called-after-unload/ledger.exe.9388.dmp"),
        &[
            ("exception.access_target", "unloaded-module"),
            ("exception.access_module", "exporter.dll"),
            ("exception.code_place", "unloaded-module"),
        ],
    );
}

#[test]
fn a_stack_that_is_used_up_is_recognized_by_its_limits() {
    for dump in ["stack-overflow/python.exe.5316.dmp", "stack-end-access-violation/ledger.exe.8016.dmp"] {
        has(&of_sample(dump), &[("stack.exhausted", "true"), ("stack.size", "1048576"), ("stack.left", "16384")]);
    }
    has(
        &of_sample("stack-end-access-violation/ledger.exe.8016.dmp"),
        &[("exception.access_target", "stack-end"), ("exception.access_page", "guard")],
    );
}

#[test]
fn an_instruction_is_compared_with_what_the_processor_has() {
    has(
        &of_sample("illegal-instruction-avx/python.exe.3044.dmp"),
        &[
            ("instruction.text", "vmovups ymm0,[rcx]"),
            ("instruction.extension", "avx"),
            ("instruction.supported", "false"),
        ],
    );
    has(
        &of_sample("trap-with-annotations/viewer.exe.9760.dmp"),
        &[("instruction.kind", "undefined"), ("instruction.text", "ud2")],
    );
    has(&of_sample("abort-below-cudnn/python.exe.11928.dmp"), &[("instruction.kind", "fast-fail")]);
}

#[test]
fn a_cpp_exception_has_types_module_and_text() {
    let facts = of_sample("cpp-exception-type/python.exe.4460.dmp");
    has(
        &facts,
        &[
            ("cpp_exception.type", "treeparse::parse_error"),
            ("cpp_exception.module", "treeparse.cp39-win_amd64.pyd"),
            ("cpp_exception.what", "tree.bin: the file ends within node 512"),
            // The address is that of the call that raised it.
            ("instruction.text", ""),
        ],
    );
    let types = listed(&facts, "cpp_types", "name");
    assert_eq!(types, ["treeparse::parse_error", "std::runtime_error", "std::exception"]);
}

#[test]
fn memory_of_system_and_process_is_known_in_bytes() {
    has(
        &of_sample("cpp-bad-alloc/python.exe.4892.dmp"),
        &[
            ("cpp_exception.type", "std::bad_alloc"),
            ("memory.commit_charge", "25232932864"),
            ("memory.commit_limit", "25769803776"),
            ("memory.commit_percent", "97"),
            ("process.commit", "19327352832"),
            ("process.virtual_size", "33285996544"),
        ],
    );
}

#[test]
fn an_envelope_is_opened() {
    let facts = of_sample("stowed-exception/notes.exe.11044.dmp");
    has(&facts, &[("exception.inner_code", "0x80004002")]);
    assert_eq!(listed(&facts, "stowed_exceptions", "module"), ["combase.dll"]);
}

#[test]
fn what_a_crash_handler_wrote_is_listed_by_key() {
    let facts = of_sample("trap-with-annotations/viewer.exe.9760.dmp");
    assert_eq!(listed(&facts, "annotations", "key"), ["channel", "prod", "ptype", "ver"]);
    assert_eq!(listed(&facts, "annotations", "value"), ["stable", "Viewer", "gpu-process", "131.0.2903.70"]);
}

#[test]
fn a_dump_that_was_asked_for_has_no_exception() {
    let facts = of_sample("dump-on-request/viewer.exe.9992.dmp");
    has(&facts, &[("dump.requested", "true"), ("exception.code", ""), ("incident.kind", "hang")]);
}

/// Compared with registers, environment blocks, stacks and instruction bytes that another reader extracted from the
/// same files.
#[test]
fn third_party_dumps_show_what_is_at_their_addresses() {
    let Some(folder) = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return;
    };
    let of = |path: &str| facts(folder.join("minidump").join(path));
    let breakpad = "google__breakpad/src/processor/testdata";
    has(
        &of(&format!("{breakpad}/write_av_non_canonical.dmp")),
        &[("exception.access_target", "non-canonical"), ("exception.access_computed", "0xfefefefefefefefe")],
    );
    has(
        &of(&format!("{breakpad}/exec_av_on_stack.dmp")),
        &[("exception.access_target", "stack"), ("exception.code_place", "stack")],
    );
    has(
        &of("log2timeline__plaso/test_data/WER1090.tmp.mdmp"),
        &[
            ("exception.code", "0xC0000005"),
            ("exception.access_target", "stack-end"),
            ("stack.exhausted", "true"),
            ("stack.size", "524288"),
            ("stack.left", "4088"),
        ],
    );
    let stowed = of("JonJon565__JohnsDDLs/WERC824.tmp - Copy.dmp");
    has(&stowed, &[("exception.inner_code", "0x80004002"), ("process.handles", "441"), ("process.integrity", "low")]);
    assert!(listed(&stowed, "handles", "type").contains(&"ALPC Port".to_owned()));
    let invalid = of("rust-minidump__rust-minidump/testdata/invalid-parameter.dmp");
    assert!(listed(&invalid, "annotations", "value").contains(&"format != nullptr".to_owned()));
    let sentry = of("getsentry__sentry-native/tests/fixtures/minidump.dmp");
    has(&sentry, &[("instruction.extension", "avx"), ("instruction.supported", "true")]);
    let requested = of(&format!("{breakpad}/tiny-exe-with-cet-xsave.dmp"));
    has(&requested, &[("exception.code", ""), ("process.handles", "147")]);
}
