//! The list of a process's threads, and rules about it.

use std::fs;
use std::path::{Path, PathBuf};

use facts::{FactSet, schema};
use pipeline::{Options, inspect};
use rules::{RuleSet, Truth};
use samplekit::minidump::{Context, Minidump, Module, StackImage, Thread};
use samplekit::{FileTime, FileVersion};

const STACK: u64 = 0x42_7FCF_0000;
const THREAD_INFO_LIST: u32 = 17;

/// The facts of the one incident of a dump.
fn facts(path: PathBuf, walk_stacks: bool) -> FactSet {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let options = Options { no_stack_walk: !walk_stacks, ..Options::default() };
    let mut inspected = inspect(&[path], &rules, &options).incidents;
    assert_eq!(inspected.len(), 1);
    inspected.pop().expect("an incident").1
}

fn of_sample(path: &str, walk_stacks: bool) -> FactSet {
    facts(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path), walk_stacks)
}

fn of_bytes(bytes: &[u8]) -> FactSet {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.dmp");
    fs::write(&path, bytes).expect("written");
    facts(path, true)
}

fn of_dump(dump: &Minidump) -> FactSet {
    of_bytes(&dump.to_bytes())
}

/// The fields of each thread, without position and id.
fn threads(facts: &FactSet) -> Vec<String> {
    let fields = schema::list("threads").expect("the list").fields.iter().skip(2);
    let of = |record: &facts::Record| {
        let known = fields
            .clone()
            .filter_map(|field| Some(format!("{}={}", field.path, record.get(field.path)?.display(field.kind))));
        known.collect::<Vec<_>>().join(" ")
    };
    facts.list("threads").expect("the threads").iter().map(of).collect()
}

const APP: u64 = 0x7FF6_1C8A_0000;
const NT: u64 = 0x7FFB_3000_0000;
const HOOK: u64 = 0x7FFB_5000_0000;

/// A crash in app.exe. Of its other threads one waits in ntdll.dll and one runs code outside of all modules. All but
/// the last one have a start address: in app.exe, in hook.dll and outside of all modules.
fn scene(named: bool) -> Minidump {
    let module = |path, base| Module::windows(path, Some(FileVersion([1, 0, 0, 0])), base, 0x10_0000);
    let modules = vec![
        module(r"C:\Program Files\App\app.exe", APP),
        module(r"C:\Windows\System32\ntdll.dll", NT),
        module(r"C:\Program Files\Hook\hook.dll", HOOK),
    ];
    let mut dump = Minidump::crashed(FileTime::utc(2024, 6, 3, 10, 0, 0), APP + 0x1000, modules);
    let name = |name: &str| named.then(|| name.to_owned());
    let thread = |id, name, at, stack: &mut StackImage| Thread {
        id,
        name,
        teb: 0,
        stack: stack.memory(),
        context: Context::at(at, stack.memory().address),
    };
    dump.threads[0].name = name("main");
    let mut waiting = StackImage::new(STACK + 0x10_0000);
    waiting.frame(3, HOOK + 0x2340).locals(4);
    let mut running = StackImage::new(STACK + 0x20_0000);
    running.locals(4);
    dump.threads.push(thread(9124, name("Hook worker"), NT + 0x9_D000, &mut waiting));
    dump.threads.push(thread(9128, None, 0x1_0000, &mut running));
    dump.other_streams = vec![(THREAD_INFO_LIST, starts(&[(9120, APP + 0x10), (9124, HOOK + 0x20), (9128, 0x1_0000)]))];
    dump
}

/// `MINIDUMP_THREAD_INFO_LIST` with nothing but ids and start addresses.
fn starts(of: &[(u32, u64)]) -> Vec<u8> {
    let count = u32::try_from(of.len()).expect("few");
    let mut bytes: Vec<u8> = [12, 64, count].into_iter().flat_map(u32::to_le_bytes).collect();
    for (id, start) in of {
        bytes.extend(id.to_le_bytes());
        bytes.resize(bytes.len() + 44, 0);
        bytes.extend(start.to_le_bytes());
        bytes.resize(bytes.len() + 8, 0);
    }
    bytes
}

#[test]
fn each_thread_has_its_name_its_start_and_its_place() {
    assert_eq!(
        threads(&of_dump(&scene(true))),
        [
            "is_crashing=true name=main start_module=app.exe top_module=app.exe modules=app.exe trust=exact",
            "name=Hook worker start_module=hook.dll top_module=ntdll.dll modules=ntdll.dll; hook.dll trust=scanned",
            "nameless=true start_outside=true top_outside=true",
        ]
    );
}

#[test]
fn names_of_threads_are_unknown_where_the_dump_has_none() {
    let facts = of_dump(&scene(false));
    let threads = facts.list("threads").expect("the threads");
    assert!(threads.iter().all(|thread| thread.get("name").is_none() && thread.get("nameless").is_none()));
}

#[test]
fn a_dump_without_exception_has_no_crashing_thread() {
    let shown = threads(&of_sample("dump-without-exception/python (12640).dmp", true));
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|thread| !thread.contains("is_crashing")), "{shown:#?}");
    assert!(shown.iter().all(|thread| thread.contains("top_module=ntdll.dll")), "{shown:#?}");
    assert!(shown[0].contains("nvcuda64.dll"), "{shown:#?}");
}

#[test]
fn without_stack_walk_only_the_crashing_thread_has_a_place() {
    let shown = threads(&of_sample("access-violation-cudnn/python.exe.4312.dmp", false));
    assert!(shown.iter().any(|thread| thread.contains("is_crashing=true") && thread.contains("top_module=cudnn")));
    let shown = threads(&of_sample("dump-without-exception/python (12640).dmp", false));
    assert!(shown.iter().all(|thread| !thread.contains("top_module")), "{shown:#?}");
}

#[test]
fn a_list_with_gaps_is_not_known() {
    let mut bytes = scene(true).to_bytes();
    // The directory of 12 bytes a stream begins at 32; the list of threads (3) begins with their number.
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let entry = (32..).step_by(12).find(|at| word(&bytes, *at) == 3).expect("the list of threads");
    let list = word(&bytes, entry + 8) as usize;
    assert_eq!(word(&bytes, list), 3);
    bytes[list] = 200;
    assert!(of_bytes(&bytes).list("threads").is_none());
}

/// Whether a selection over threads holds.
fn truth(facts: &FactSet, selection: &str) -> Truth {
    let rule = format!(
        "schema: 1\nrules:\n  - id: t/threads\n    title: T\n    cause: application-defect\n    confidence: 0.4\n    \
         severity: low\n    selections:\n      it: {{{selection}}}\n    explanation: E.\n    \
         remediation: [{{audience: developer, text: R.}}]\n    references: [https://example.org]\n    tests:\n      \
         - {{name: a, facts: {{incident.kind: crash}}, expect: skipped}}\n      \
         - {{name: b, facts: {{threads: []}}, expect: no-match}}\n      \
         - {{name: c, facts: {{threads: []}}, expect: match}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, rule).expect("written");
    let rules = RuleSet::load(true, &[path]).unwrap_or_else(|mistakes| {
        let shown: Vec<String> = mistakes.iter().map(|mistake| mistake.render(false)).collect();
        panic!("{}", shown.join("\n"))
    });
    rules.trace("t/threads", facts).expect("the rule").condition
}

#[test]
fn rules_quantify_over_threads() {
    let facts = of_dump(&scene(true));
    for selection in [
        "'threads|any': {start_module: hook.dll, is_crashing: false}",
        "'threads|any': {name|contains: hook}",
        "'threads|any': {top_module: ntdll.dll, modules|contains: hook.dll}",
        "'threads|any': {start_outside: true}",
        "'threads|none': {is_crashing: true, start_module: hook.dll}",
        "'threads|none': {name: render}",
        "'threads|count': {gte: 3, lte: 3}",
        "'threads|count': {where: {is_crashing: true}, eq: 1}",
    ] {
        assert_eq!(truth(&facts, selection), Truth::True, "{selection}");
    }
    for selection in [
        "'threads|any': {name: render}",
        "'threads|none': {start_module: hook.dll}",
        "'threads|count': {where: {is_crashing: false}, gte: 3}",
    ] {
        assert_eq!(truth(&facts, selection), Truth::False, "{selection}");
    }
}

#[test]
fn what_a_dump_lacks_of_its_threads_leaves_a_rule_undecided() {
    let facts = of_dump(&scene(false));
    assert_eq!(truth(&facts, "'threads|none': {name: render}"), Truth::Undecided, "no names");
    let none = of_sample("ticket-stop-by-name", true);
    assert_eq!(truth(&none, "'threads|none': {is_crashing: true}"), Truth::Undecided, "no dump");
}
