//! Stacks of 64-bit Windows code: unwinding tables and `.sym` files give the same frames, and better ones than a scan.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crash_dump::Symbols;
use facts::FactSet;
use incident::Incident;
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::code::{CodeImage, CodeStack, FUNCTION_SIZE, Function, Step};
use samplekit::minidump::{Context, Exception, Memory, Minidump, Module, Thread, flag};
use samplekit::{FileTime, FileVersion};

const STACK: u64 = 0x42_7FCF_E5C0;

/// A plug-in calls `abort()`, with a frame register, a large frame, and from a part that is stored apart from the rest
/// of its function. A codec was called before; its return address is still on the stack.
struct Scene {
    images: Vec<CodeImage>,
    dump: Minidump,
}

fn function(name: &'static str, at: u32, prologue: &[Step], part: Option<u32>, returns: u32) -> Function {
    Function { name, at, prologue: prologue.to_vec(), part, returns: vec![returns] }
}

fn scene() -> Scene {
    scene_on(STACK)
}

/// The scene, on a stack whose innermost word is at an address.
fn scene_on(stack_pointer: u64) -> Scene {
    use Step::{Allocate, Push, SetFrame};
    let module = |path: &str, base| Module::windows(path, Some(FileVersion([1, 2, 3, 4])), base, 0x3000);
    let ucrt = module(r"C:\Windows\System32\ucrtbase.dll", 0x7FFB_1000_0000);
    let codec = module(r"C:\Program Files\App\codec.dll", 0x7FFB_0800_0000);
    let plugin = module(r"C:\Program Files\App\plugin.dll", 0x7FFB_0700_0000);
    let app = module(r"C:\Program Files\App\app.exe", 0x7FF6_1C8A_0000);
    let kernel = module(r"C:\Windows\System32\kernel32.dll", 0x7FFB_2000_0000);
    let nt = module(r"C:\Windows\System32\ntdll.dll", 0x7FFB_3000_0000);

    let abort = function("abort", 0x1100, &[Push(3), Allocate(0x60)], None, 0x1140);
    let decode = function("decode", 0x1200, &[Allocate(0x28)], None, 0x1240);
    let apply = function("apply", 0x1300, &[Push(5), Push(7), Allocate(0x128), SetFrame(0x20)], Some(0x1800), 0x1840);
    let main = function("wmain", 0x1400, &[Push(3), Push(6), Allocate(0x48)], None, 0x1450);
    let thunk = function("BaseThreadInitThunk", 0x1500, &[Allocate(0x28)], None, 0x1520);
    let start = function("RtlUserThreadStart", 0x1600, &[Allocate(0x48)], None, 0x1630);
    // Another function of the codec: names must not be taken from neighbours.
    let neighbour = function("decode_all", 0x1380, &[Allocate(0x28)], None, 0x13C0);

    let mut stack = CodeStack::new(stack_pointer);
    let stale = codec.base + 0x1240;
    stack.frame(&abort, &[0, stale, 0, 7], plugin.base + 0x1840);
    stack.frame(&apply, &[1, 2, 3], app.base + 0x1450);
    stack.frame(&main, &[stale], kernel.base + 0x1520);
    stack.frame(&thunk, &[], nt.base + 0x1630);
    stack.frame(&start, &[], 0);

    let mut context = Context::at(ucrt.base + 0x1150, stack_pointer);
    context.rbp = stack.frame_register();
    let exception =
        Exception { thread: 7, code: 0xC000_0409, flags: 1, address: context.rip, parameters: vec![7], context };
    let thread = Thread { id: 7, name: None, teb: 0x42_7FB3_4000, stack: stack.memory(), context };
    let images = vec![
        CodeImage::new(&app, vec![main]),
        CodeImage::new(&ucrt, vec![abort]),
        CodeImage::new(&codec, vec![decode, neighbour]),
        CodeImage::new(&plugin, vec![apply]),
        CodeImage::new(&kernel, vec![thunk]),
        CodeImage::new(&nt, vec![start]),
    ];
    let modules = images.iter().map(|image| image.module().clone()).collect();
    let dump = Minidump {
        threads: vec![thread],
        exception: Some(exception),
        ..Minidump::crashed(FileTime::utc(2024, 6, 3, 10, 0, 0), context.rip, modules)
    };
    Scene { images, dump }
}

impl Scene {
    /// The dump with everything that is loaded.
    fn full(&self) -> Minidump {
        let memory: Vec<Memory> = self.images.iter().map(CodeImage::loaded).collect();
        Minidump { flags: flag::FULL_MEMORY, memory, ..self.dump.clone() }
    }
}

fn inspected(dump: &Minidump, symbols: Option<&Path>) -> (Incident, FactSet) {
    let symbols = symbols.map(|path| Arc::new(Symbols::open(&[path.to_owned()]).expect("a folder")));
    inspected_with(dump, symbols)
}

fn inspected_with(dump: &Minidump, symbols: Option<Arc<Symbols>>) -> (Incident, FactSet) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.dmp");
    fs::write(&path, dump.to_bytes()).expect("written");
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::load(true, &[]).expect("the built-in rules are right"));
    let options = Options { symbols, ..Options::default() };
    let mut inspected = inspect(&[path], &RULES, &options);
    inspected.incidents.pop().expect("an incident")
}

/// Module, function and trust of each frame.
fn chain(facts: &FactSet) -> Vec<String> {
    let (_, frames) = facts.lists().find(|(name, _)| *name == "frames").expect("frames");
    let field = |record: &facts::Record, name: &str| {
        record.get(name).map_or_else(String::new, |value| value.display(facts::FactType::Text))
    };
    frames.iter().map(|frame| ["module", "function", "trust"].map(|name| field(frame, name)).join(" ")).collect()
}

const CHAIN: [&str; 5] = [
    "ucrtbase.dll abort exact",
    "plugin.dll apply unwound",
    "app.exe wmain unwound",
    "kernel32.dll BaseThreadInitThunk unwound",
    "ntdll.dll RtlUserThreadStart unwound",
];

#[test]
fn threads_that_did_not_crash_are_unwound_by_the_same_tables() {
    let scene = scene();
    let mut dump = scene.full();
    let other = scene_on(STACK + 0x10_0000).dump.threads.remove(0);
    dump.threads.push(Thread { id: 8, ..other });
    let (_, facts) = inspected(&dump, None);
    let shown = |index: usize, field: &str| {
        let value = facts.list("threads").expect("threads")[index].get(field);
        value.map(|value| value.display(facts::FactType::Text))
    };
    for thread in [0, 1] {
        let is = |field, wanted: &str| assert_eq!(shown(thread, field).as_deref(), Some(wanted), "{thread} {field}");
        is("top_module", "ucrtbase.dll");
        is("top_function", "abort");
        is("modules", "ucrtbase.dll; plugin.dll; app.exe; kernel32.dll; ntdll.dll");
        is("trust", "unwound");
    }
    assert_eq!(chain(&facts), CHAIN, "the crashing thread's frames are its own");
}

/// The file name of a module and its store's folder name for it.
fn store_id(image: &CodeImage) -> String {
    format!("{:08X}{:x}", image.module().timestamp, image.module().size)
}

fn debug_id(image: &CodeImage) -> String {
    // GUID and age of the RSDS record, the GUID's first three fields little-endian.
    let record = &image.module().codeview;
    let order = [7, 6, 5, 4, 9, 8, 11, 10, 12, 13, 14, 15, 16, 17, 18, 19];
    order.iter().map(|at| format!("{:02X}", record[*at])).collect::<String>() + &format!("{:x}", record[20])
}

fn write(path: PathBuf, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_full_dump_is_unwound_by_the_images_that_it_holds() {
    let (incident, facts) = inspected(&scene().full(), None);
    assert_eq!(chain(&facts), CHAIN);
    let suspect = incident.suspect.expect("a suspect");
    assert_eq!((&*suspect.module, suspect.basis.word()), ("plugin.dll", "unwound"));
    assert_eq!(incident.fault_site.and_then(|site| site.function).as_deref(), Some("abort"));
}

#[test]
fn without_images_the_scan_finds_a_stale_address_first_and_the_suspect_is_what_is_likely() {
    let (incident, facts) = inspected(&scene().dump, None);
    assert_eq!(chain(&facts)[1], "codec.dll  scanned");
    let suspect = incident.suspect.expect("a suspect");
    assert_eq!((&*suspect.module, suspect.basis.word()), ("plugin.dll", "scanned"));
}

/// The scene with nothing but the plug-in's frame, which called an address where no code is.
fn called_nowhere(at: u64) -> Scene {
    let mut scene = scene();
    let exception = scene.dump.exception.as_mut().expect("an exception");
    let plugin = scene.images[3].module().base;
    // The innermost word is the return address of the call.
    let stack = &mut scene.dump.threads[0].stack;
    let returned = (plugin + 0x1840).to_le_bytes();
    let from = stack.bytes.chunks_exact(8).position(|word| word == returned).expect("the plug-in's return address");
    stack.bytes.drain(..from * 8);
    stack.address += from as u64 * 8;
    exception.code = 0xC000_0005;
    exception.address = at;
    exception.parameters = vec![8, at];
    exception.context.rip = at;
    exception.context.rsp = stack.address;
    scene.dump.threads[0].context = exception.context;
    scene
}

#[test]
fn a_call_to_nowhere_has_the_caller_that_the_stack_pointer_shows() {
    for at in [0, 0x4141_4141, STACK + 0x400] {
        let scene = called_nowhere(at);
        let (incident, facts) = inspected(&scene.dump, None);
        assert_eq!(chain(&facts)[..2], ["  exact", "plugin.dll  unwound"], "{at:#x}");
        let suspect = incident.suspect.expect("a suspect");
        assert_eq!((&*suspect.module, suspect.basis.word()), ("plugin.dll", "unwound"), "{at:#x}");
        let (_, facts) = inspected(&scene.full(), None);
        assert_eq!(chain(&facts)[1..], CHAIN[1..], "{at:#x}: the rest is unwound from there");
    }
}

#[test]
fn what_no_call_returns_to_is_not_the_caller_of_nowhere() {
    let mut scene = called_nowhere(0);
    // An address in the plug-in's code that follows no call.
    let other = scene.images[3].module().base + 0x1310;
    scene.dump.threads[0].stack.bytes[..8].copy_from_slice(&other.to_le_bytes());
    let (incident, facts) = inspected(&scene.full(), None);
    assert!(!chain(&facts)[1].contains("unwound"), "{:?}", chain(&facts));
    assert_eq!(incident.suspect, None);
}

#[test]
fn the_code_ahead_shows_the_caller_where_no_table_does() {
    let mut scene = scene();
    // A small dump holds the code around the instruction pointer: add rsp, 0x60; pop rbx; ret.
    let at = scene.dump.exception.as_ref().expect("an exception").address;
    let code = [0x48, 0x83, 0xC4, 0x60, 0x5B, 0xC3];
    scene.dump.memory.push(Memory { address: at, bytes: code.to_vec() });
    let (incident, facts) = inspected(&scene.dump, None);
    assert_eq!(chain(&facts)[..2], ["ucrtbase.dll  exact", "plugin.dll  unwound"]);
    assert_eq!(incident.suspect.map(|suspect| suspect.basis.word()), Some("unwound"));
}

#[test]
fn sym_files_give_the_same_chain_as_the_images_tables() {
    let scene = scene();
    for stored in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        for image in &scene.images {
            let name = image.module().name().rsplit_once('.').expect("an ending").0;
            let (sym, id) = (image.sym(&debug_id(image)), debug_id(image));
            let path = if stored { format!("{name}.PDB/{id}/{name}.sym") } else { format!("{name}.sym") };
            write(folder.path().join(path), sym.as_bytes());
        }
        let (incident, facts) = inspected(&scene.dump, Some(folder.path()));
        assert_eq!(chain(&facts), CHAIN, "stored: {stored}");
        assert_eq!(incident.suspect.map(|suspect| suspect.basis.word()), Some("unwound"));
    }
}

#[test]
fn image_files_give_the_same_chain_as_those_in_the_dump() {
    let scene = scene();
    for stored in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        for image in &scene.images {
            let name = image.module().name();
            let path = if stored { format!("{name}/{}/{name}", store_id(image)) } else { name.to_uppercase() };
            write(folder.path().join(path), &image.file());
        }
        let (_, facts) = inspected(&scene.dump, Some(folder.path()));
        assert_eq!(chain(&facts), CHAIN, "stored: {stored}");
    }
}

#[test]
fn an_image_of_another_build_is_not_used() {
    let scene = scene();
    let folder = tempfile::tempdir().expect("a folder");
    for image in &scene.images {
        let mut file = image.file();
        file[0x88] ^= 1;
        write(folder.path().join(image.module().name()), &file);
    }
    let (incident, facts) = inspected(&scene.dump, Some(folder.path()));
    assert_eq!(chain(&facts)[1], "codec.dll  scanned");
    let suspect = incident.suspect.expect("a suspect");
    assert_eq!((&*suspect.module, suspect.basis.word()), ("plugin.dll", "scanned"));
}

#[test]
fn of_several_files_of_a_name_the_one_of_the_same_build_is_used() {
    let scene = scene();
    let (wrong, right) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for image in &scene.images {
        let (name, mut other) = (image.module().name(), image.file());
        other[0x88] ^= 1;
        // A symbol store that was filled by hand.
        write(wrong.path().join(format!("{name}/{}/{name}", store_id(image))), &other);
        write(right.path().join(name), &image.file());
    }
    let places = [wrong.path().to_owned(), right.path().to_owned()];
    let symbols = Arc::new(Symbols::open(&places).expect("folders"));
    let (_, facts) = inspected_with(&scene.dump, Some(Arc::clone(&symbols)));
    assert_eq!(chain(&facts), CHAIN);
    assert_eq!(symbols.notes(), [""; 0]);
}

#[test]
fn files_that_could_not_be_used_are_reported_with_the_reason() {
    let scene = scene();
    let folder = tempfile::tempdir().expect("a folder");
    for image in &scene.images {
        let name = image.module().name().rsplit_once('.').expect("an ending").0;
        let (id, other) = (debug_id(image), debug_id(image).replace('0', "1"));
        let text = match name {
            "ucrtbase" => image.sym(&other),
            "codec" => "MODULE windows\n".to_owned(),
            "plugin" => format!("MODULE windows x86_64 {id} plugin.pdb\nFUNC no numbers\n"),
            _ => image.sym(&id),
        };
        write(folder.path().join(format!("{name}.sym")), text.as_bytes());
    }
    let symbols = Arc::new(Symbols::open(&[folder.path().to_owned()]).expect("a folder"));
    let mut full = scene.full();
    full.modules.reverse();
    inspected_with(&scene.dump, Some(Arc::clone(&symbols)));
    inspected_with(&full, Some(Arc::clone(&symbols)));
    let notes = symbols.notes();
    let about = |name: &str| notes.iter().find(|note| note.contains(name)).map_or("", String::as_str);
    assert!(about("ucrtbase.sym").contains("not used: it belongs to another build"), "{notes:?}");
    assert!(about("codec.sym").contains("no Breakpad symbol file"), "{notes:?}");
    assert!(about("plugin.sym").contains("its records can't be read"), "{notes:?}");
    assert_eq!(notes.len(), 3, "each once: {notes:?}");
}

#[test]
fn damaged_unwinding_data_ends_in_a_scan_and_never_in_a_panic_or_a_loop() {
    let scene = scene();
    let full = scene.full();
    let tables = 0x2000..0x2080;
    for image in 0..full.memory.len() {
        for (at, value) in tables.clone().step_by(3).flat_map(|at| [(at, 0xFF), (at, 0x21), (at, 0)]) {
            let mut dump = full.clone();
            dump.memory[image].bytes[at] = value;
            let (_, facts) = inspected(&dump, None);
            assert!(chain(&facts).len() <= 64);
        }
    }
    // Unwind data chained to itself.
    let mut dump = full;
    let plugin = &mut dump.memory[3].bytes;
    let part = (0x2000..0x3000).find(|at| plugin[*at] == 0x21).expect("the part's information");
    let own = [0x1800_u32, 0x1800 + FUNCTION_SIZE, u32::try_from(part).expect("small")];
    plugin[part + 4..part + 16].copy_from_slice(&own.map(u32::to_le_bytes).concat());
    assert!(chain(&inspected(&dump, None).1).len() <= 64);
}
