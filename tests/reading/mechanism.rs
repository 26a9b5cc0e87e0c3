//! How a process failed and where the bad value came from, by dumps with a few instructions around the fault.

use std::fs;

use facts::{FactSet, schema};
use incident::Incident;
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::FileTime;
use samplekit::minidump::{Context, Memory, Minidump, Module, Protection, Region};

const APP: u64 = 0x7FF6_4000_0000;
/// Where the code of the tests begins: a function of the program.
const CODE: u64 = APP + 0x1000;
const STACK: u64 = 0x42_7FCF_0000;
const HEAP: u64 = 0x1A2_0000_0000;

const READ: u64 = 0;
const WRITE: u64 = 1;
const EXECUTE: u64 = 8;

/// A crash of `demo.exe` in code that is right before and at the fault: `before` leads up to it.
struct Crash {
    dump: Minidump,
    at: u64,
}

impl Crash {
    fn new(before: &[u8], at_fault: &[u8], [kind, address]: [u64; 2]) -> Self {
        let at = CODE + before.len() as u64;
        let modules = vec![Module::windows(r"C:\demo\demo.exe", None, APP, 0x1_0000)];
        let mut dump = Minidump::crashed(FileTime::utc(2024, 6, 12, 12, 0, 44), at, modules);
        // What is between functions.
        let mut bytes = vec![0xCC; 16];
        bytes.extend_from_slice(before);
        bytes.extend_from_slice(at_fault);
        bytes.resize(bytes.len() + 32, 0xCC);
        dump.memory = vec![Memory { address: CODE - 16, bytes }, Memory { address: STACK, bytes: vec![0; 256] }];
        dump.exception.iter_mut().for_each(|exception| exception.parameters = vec![kind, address]);
        Self { dump, at }
    }

    fn code(mut self, code: u32) -> Self {
        self.dump.exception.iter_mut().for_each(|exception| exception.code = code);
        self
    }

    fn registers(mut self, set: impl Fn(&mut Context)) -> Self {
        let mut context = Context::at(self.at, STACK);
        set(&mut context);
        self.dump.exception.iter_mut().for_each(|exception| exception.context = context);
        self
    }

    fn region(mut self, base: u64, size: u64, protection: Option<Protection>) -> Self {
        self.dump.regions.push(Region { base, allocation: base, size, protection, image: false });
        self
    }

    fn memory(mut self, address: u64, bytes: &[u8]) -> Self {
        self.dump.memory.push(Memory { address, bytes: bytes.to_vec() });
        self
    }

    #[track_caller]
    fn is(&self, wanted: &[(&str, &str)]) {
        let facts = self.facts();
        for (path, value) in wanted {
            let definition = schema::scalar(path).expect("a fact of the schema");
            let shown =
                facts.get(path).map_or_else(String::new, |known| known.value.display(definition.kind).to_string());
            assert_eq!(shown, *value, "{path}");
        }
    }

    #[track_caller]
    fn is_kind(&self, kind: &str) {
        self.is(&[("mechanism.kind", kind)]);
    }

    fn facts(&self) -> FactSet {
        self.inspected().1
    }

    fn inspected(&self) -> (Incident, FactSet) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("demo.dmp");
        fs::write(&path, self.dump.to_bytes()).expect("written");
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let mut inspected = inspect(&[path], &rules, &Options::default()).incidents;
        inspected.pop().expect("an incident")
    }
}

// mov rax,[rdi]; mov [rdi+18h],rax; mov eax,[0]; cmp eax,7Fh
const READ_RDI: [u8; 3] = [0x48, 0x8B, 0x07];
const WRITE_RDI_18: [u8; 4] = [0x48, 0x89, 0x47, 0x18];
const WRITE_FIXED_0: [u8; 8] = [0xC6, 0x04, 0x25, 0, 0, 0, 0, 1];
const COMPARE: [u8; 3] = [0x83, 0xF8, 0x7F];

#[test]
fn a_base_that_is_null_is_a_null_pointer_and_a_small_one_is_none() {
    let null = Crash::new(&[], &READ_RDI, [READ, 0]);
    null.is(&[("mechanism.kind", "null-read"), ("mechanism.register", "rdi"), ("mechanism.offset", "0")]);
    let field = Crash::new(&[], &WRITE_RDI_18, [WRITE, 0x18]);
    field.is(&[("mechanism.kind", "null-write"), ("mechanism.register", "rdi"), ("mechanism.offset", "24")]);
    let small = Crash::new(&[], &READ_RDI, [READ, 0x45]).registers(|context| context.rdi = 0x45);
    small.is_kind("near-null-field");
    let far = Crash::new(&[], &[0x48, 0x8B, 0x87, 0, 0, 2, 0], [READ, 0x2_0000]);
    far.is_kind("null-read");
    Crash::new(&[], &WRITE_FIXED_0, [WRITE, 0]).is_kind("deliberate-crash");
}

#[test]
fn an_access_that_the_instruction_cannot_make_is_inconsistent() {
    Crash::new(&[], &COMPARE, [WRITE, 0x7F]).is_kind("inconsistent");
    let elsewhere = Crash::new(&[], &READ_RDI, [READ, HEAP]).registers(|context| context.rdi = HEAP + 0x5000);
    elsewhere.is_kind("inconsistent");
    let other_kind = Crash::new(&[], &READ_RDI, [WRITE, HEAP]).registers(|context| context.rdi = HEAP);
    other_kind.is_kind("inconsistent");
    // What was called may have raised the exception by itself.
    Crash::new(&[0xE8, 0, 0, 0, 0], &COMPARE, [WRITE, 0x7F]).is_kind("null-write");
}

#[test]
fn pointers_show_what_they_are_made_of() {
    let of = |value: u64| Crash::new(&[], &READ_RDI, [READ, value]).registers(move |context| context.rdi = value);
    let of_none =
        |value: u64| Crash::new(&[], &READ_RDI, [READ, u64::MAX]).registers(move |context| context.rdi = value);
    of(0xDDDD_DDDD).is_kind("freed-memory");
    of_none(0xFEEE_FEEE_FEEE_FEEE).is_kind("freed-memory");
    of_none(0x6D61_6E2E_6C69_6166).is_kind("text-as-pointer");
    of_none(0x0041_0042_0043_0044).is_kind("text-as-pointer");
    of_none(0xFEFE_FEFE_FEFE_FEFE)
        .is(&[("mechanism.kind", "non-canonical"), ("mechanism.address", "0xfefefefefefefefe")]);
    of(HEAP).is_kind("wild-read");
    // movaps xmm0,[rdi]
    let misaligned = Crash::new(&[], &[0x0F, 0x28, 0x07], [READ, u64::MAX]);
    misaligned.registers(|context| context.rdi = HEAP + 8).is_kind("misaligned");
}

#[test]
fn the_map_of_memory_shows_what_an_address_missed() {
    let past = Crash::new(&[], &READ_RDI, [READ, HEAP + 0x1_0004]).registers(|context| context.rdi = HEAP + 0x1_0004);
    let past = past.region(HEAP, 0x1_0000, Some(Protection::ReadWrite)).region(HEAP + 0x1_0000, 0x1_0000, None);
    past.is_kind("past-mapped-end");
    let flipped = HEAP ^ 1 << 30;
    let flip = Crash::new(&[], &READ_RDI, [READ, flipped]).registers(move |context| {
        context.rdi = flipped;
        context.rbx = HEAP + 0x40;
    });
    let flip = flip.region(HEAP, 0x1_0000, Some(Protection::ReadWrite)).region(HEAP + 0x1_0000, 0x2_0000_0000, None);
    flip.is_kind("bit-flip-suspect");
    let alone = Crash::new(&[], &READ_RDI, [READ, flipped]).registers(move |context| context.rdi = flipped);
    let alone = alone.region(HEAP, 0x1_0000, Some(Protection::ReadWrite)).region(HEAP + 0x1_0000, 0x2_0000_0000, None);
    alone.is_kind("wild-read");
}

#[test]
fn calls_to_where_no_code_is_are_told_apart() {
    let called = |address: u64| {
        let mut crash = Crash::new(&[], &[], [EXECUTE, address]);
        crash.at = address;
        crash.dump.exception.iter_mut().for_each(|exception| exception.address = address);
        crash.registers(|_| {})
    };
    called(0).is_kind("null-call");
    called(HEAP).region(HEAP, 0x1_0000, Some(Protection::ReadWrite)).is_kind("data-execution");
    called(HEAP).region(HEAP, 0x1_0000, None).is_kind("wild-call");
    called(0x4141_4141_4141).is_kind("text-as-pointer");
}

#[test]
fn traps_and_codes_name_what_ended_the_process() {
    Crash::new(&[], &[0x0F, 0x0B], [0, 0]).code(0xC000_001D).is_kind("deliberate-crash");
    Crash::new(&[], &[0xCC], [0, 0]).code(0x8000_0003).is_kind("deliberate-crash");
    Crash::new(&[], &[0xCD, 0x29], [7, 0]).code(0xC000_0409).is_kind("fail-fast");
    Crash::new(&[], &[0x06], [0, 0]).code(0xC000_001D).is_kind("illegal-instruction");
    Crash::new(&[], &[0xF7, 0xF9], [0, 0]).code(0xC000_0094).is_kind("division");
    Crash::new(&[], &COMPARE, [0, 0]).code(0xC000_0094).is_kind("inconsistent");
    Crash::new(&[], &COMPARE, [0, 0]).code(0xC000_0374).is_kind("heap-detected");
    Crash::new(&[], &COMPARE, [0, 0]).code(0x4000_0015).is_kind("abort");
    Crash::new(&[], &COMPARE, [0, 0]).code(0x8000_0001).is_kind("guard-page");
}

#[test]
fn a_null_is_followed_to_the_call_that_returned_it() {
    // call APP+2000h; mov rdi,rax; mov rax,[rdi]
    let before = [0xE8, 0xFB, 0x0F, 0, 0, 0x48, 0x89, 0xC7];
    let crash = Crash::new(&before, &READ_RDI, [READ, 0]);
    crash.is(&[
        ("mechanism.origin", "return-value"),
        ("mechanism.callee_module", "demo.exe"),
        ("mechanism.origin_frame", "0"),
    ]);
}

#[test]
fn a_null_is_followed_to_the_field_that_held_it() {
    // mov rdi,[rbx+18h]; mov rax,[rdi]
    let before = [0x48, 0x8B, 0x7B, 0x18];
    let crash = Crash::new(&before, &READ_RDI, [READ, 0]).registers(|context| context.rbx = HEAP);
    crash.memory(HEAP, &[0; 64]).is(&[("mechanism.origin", "field")]);
}

#[test]
fn constants_arguments_and_computed_values_are_told_apart() {
    // xor edi,edi
    Crash::new(&[0x31, 0xFF], &READ_RDI, [READ, 0]).is(&[("mechanism.origin", "constant")]);
    // mov rdi,rcx, as a function's first instruction
    Crash::new(&[0x48, 0x89, 0xCF], &READ_RDI, [READ, 0]).is(&[("mechanism.origin", "argument")]);
    // imul rdi,rcx
    Crash::new(&[0x48, 0x0F, 0xAF, 0xF9], &READ_RDI, [READ, 0]).is(&[("mechanism.origin", "computed")]);
    // mov rdi,[rip+1000h]
    Crash::new(&[0x48, 0x8B, 0x3D, 0, 0x10, 0, 0], &READ_RDI, [READ, 0]).is(&[("mechanism.origin", "global")]);
}

#[test]
fn a_value_is_followed_through_the_stack() {
    // xor ecx,ecx; mov [rsp+20h],rcx; mov rdi,[rsp+20h]
    let before = [0x31, 0xC9, 0x48, 0x89, 0x4C, 0x24, 0x20, 0x48, 0x8B, 0x7C, 0x24, 0x20];
    Crash::new(&before, &READ_RDI, [READ, 0]).is(&[("mechanism.origin", "constant")]);
}

#[test]
fn where_paths_join_nothing_is_guessed() {
    // jz +2; xor edi,edi; (join) mov rax,[rdi]
    let before = [0x74, 0x02, 0x31, 0xFF];
    Crash::new(&before, &READ_RDI, [READ, 0]).is(&[("mechanism.origin", "joined-paths")]);
}

/// `demo.exe` with `hook.dll`, and execution of an illegal instruction.
fn beside_a_hook(mut crash: Crash) -> Crash {
    crash.dump.modules.push(Module::windows(r"C:\other\hook.dll", None, APP + 0x100_0000, 0x1_0000));
    crash.code(0xC000_001D)
}

/// A jump of five bytes from an address to `hook.dll`.
fn jump_to_the_hook(from: u64) -> [u8; 5] {
    let distance = APP + 0x100_1000 - (from + 5);
    let [a, b, c, d, ..] = distance.to_le_bytes();
    [0xE9, a, b, c, d]
}

#[test]
fn what_is_inside_of_a_hooks_jump_is_broken_by_it_at_the_beginning_of_a_function_alone() {
    let jump = jump_to_the_hook(CODE);
    beside_a_hook(Crash::new(&jump[..2], &jump[2..], [READ, 0])).is_kind("hook-broken");
    // mov rax,rcx; then the same bytes within the function, where they are the end of some instruction.
    let jump = jump_to_the_hook(CODE + 3);
    let before = [&[0x48, 0x8B, 0xC1], &jump[..2]].concat();
    beside_a_hook(Crash::new(&before, &jump[2..], [READ, 0])).is_kind("illegal-instruction");
}

/// A call in `demo.exe` of the function at [`CODE`], whose beginning is `function`, and a fault where that leads, at [`NOWHERE`].
/// `holders` other modules hold that address.
fn called_nowhere(function: &[u8], holders: u64) -> Crash {
    let mut modules = vec![Module::windows(r"C:\demo\demo.exe", None, APP, 0x1_0000)];
    let place = |number: u64| APP + 0x200_0000 + number * 0x10_0000;
    modules.extend(
        (0..holders)
            .map(|number| Module::windows(&format!(r"C:\other\overlay{number}.dll"), None, place(number), 0x1_0000)),
    );
    let mut dump = Minidump::crashed(FileTime::utc(2024, 6, 12, 12, 0, 44), NOWHERE, modules);
    let mut bytes = [&[0xCC; 16], function].concat();
    bytes.resize(0x110, 0xCC);
    bytes.extend([0xE8, 0xFB, 0xFE, 0xFF, 0xFF, 0xCC, 0xCC, 0xCC]);
    let stack = [CODE + 0x105; 32].map(u64::to_le_bytes).concat();
    dump.memory = vec![Memory { address: CODE - 16, bytes }, Memory { address: STACK - 8, bytes: stack }];
    dump.memory.extend((0..holders).map(|number| Memory {
        address: place(number) + 0x3000,
        bytes: [7, NOWHERE, 7].map(u64::to_le_bytes).concat(),
    }));
    dump.exception.iter_mut().for_each(|exception| exception.parameters = vec![EXECUTE, NOWHERE]);
    Crash { dump, at: NOWHERE }.registers(|context| context.rsp = STACK + 8)
}

/// An address that a near jump reaches from [`CODE`], and at which nothing is.
const NOWHERE: u64 = APP + 0x100_1000;

#[test]
fn a_hook_that_leads_nowhere_is_broken_and_the_module_that_knows_the_address_is_its_owner() {
    let jump = jump_to_the_hook(CODE);
    let suspect = |holders| {
        let crash = called_nowhere(&jump, holders);
        crash.is_kind("hook-broken");
        crash.facts().get("suspect.module").map(|known| format!("{:?}", known.value))
    };
    assert_eq!(suspect(1).as_deref(), Some("Text(\"overlay0.dll\")"));
    assert_eq!((suspect(0), suspect(2)), (None, None), "nobody or two know it");
    // The jump of an import, through a pointer elsewhere.
    let mut import = called_nowhere(&[0xFF, 0x25, 0x3A, 0, 0, 0], 1);
    import.dump.memory[0].bytes[0x50..0x58].copy_from_slice(&NOWHERE.to_le_bytes());
    import.is_kind("wild-call");
}

#[test]
fn a_return_to_where_no_code_is_was_made_by_the_function_below_the_stack_pointer() {
    let mut crash = called_nowhere(&[0x90], 0).registers(|context| context.rsp = STACK + 0x40);
    // What the stack holds above is no return address of a call any more.
    for slot in (0x40..0x100).step_by(8) {
        crash.dump.memory[1].bytes[slot..][..8].copy_from_slice(&[0x41; 8]);
    }
    crash.dump.memory[1].bytes[0x40..][..8].copy_from_slice(&NOWHERE.to_le_bytes());
    let (incident, facts) = crash.inspected();
    let told = |path: &str| facts.get(path).map(|known| format!("{:?}", known.value)).unwrap_or_default();
    let sentence = incident.mechanism.map(|mechanism| mechanism.sentence).unwrap_or_default();
    assert!(sentence.contains("returned, by an overwritten address on the stack, to "), "{sentence}");
    assert_eq!(
        (told("mechanism.kind"), told("suspect.module")),
        ("Text(\"wild-call\")".into(), "Text(\"demo.exe\")".into())
    );
    // Another word there: it was called.
    crash.dump.memory[1].bytes[0x40..][..8].copy_from_slice(&[0x41; 8]);
    assert_eq!(crash.facts().get("suspect.module"), None);
}

#[test]
fn a_trampoline_leads_back_behind_the_beginning_of_a_function() {
    let outside = |back: u64| {
        let mut crash = beside_a_hook(Crash::new(&[], &[0x90], [READ, 0]));
        crash.at = HEAP + 0x20;
        let modules = crash.dump.modules.clone();
        let memory = crash.dump.memory.clone();
        crash.dump = Minidump::crashed(FileTime::utc(2024, 6, 12, 12, 0, 44), crash.at, modules);
        crash.dump.memory = memory;
        // An illegal instruction, and a jump to an address that stands behind it.
        let code = [&[0x06, 0x06, 0xFF, 0x25, 0, 0, 0, 0][..], &back.to_le_bytes()].concat();
        let at = crash.at;
        crash.memory(at, &code).code(0xC000_001D).region(HEAP, 0x1000, Some(Protection::ExecuteRead))
    };
    outside(CODE + 5).is_kind("hook-broken");
    let facts = outside(CODE + 0x10).facts();
    let kind = facts.get("mechanism.kind").map(|known| format!("{:?}", known.value));
    assert!(
        !kind.clone().is_some_and(|kind| kind.contains("hook-broken")),
        "code made at run time calls functions: {kind:?}"
    );
}
