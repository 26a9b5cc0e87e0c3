//! PDBs and `.sym` files beside a dump: functions, lines and inlined functions of its frames.
//!
//! The program is `shop.cpp` of `crates/crash-dump/testdata/pdb`, whose script makes images and PDBs.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crash_dump::Symbols;
use incident::{Incident, StackFrame};
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::minidump::{Context, Exception, Memory, Minidump, Module, Thread};
use samplekit::{FileTime, FileVersion};

/// The image, and its PDB.
pub const IMAGE: &[u8] = include_bytes!("../../crates/crash-dump/testdata/pdb/shop64.dll");
pub const PDB: &[u8] = include_bytes!("../../crates/crash-dump/testdata/pdb/shop64.pdb");
const BASE: u64 = 0x7FFB_1000_0000;
const STACK: u64 = 0x42_7FCF_E5C0;

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The module of `shop64.dll`: time stamp, size and PDB as its headers have them.
fn shop() -> Module {
    let header = number(IMAGE, 0x3C) as usize;
    let record = IMAGE.windows(4).position(|four| four == b"RSDS").expect("a debug record");
    let end = IMAGE[record + 24..].iter().position(|byte| *byte == 0).expect("a name");
    Module {
        timestamp: number(IMAGE, header + 8),
        codeview: IMAGE[record..record + 25 + end].to_vec(),
        ..Module::windows(r"C:\shop\shop64.dll", Some(FileVersion([1, 0, 0, 0])), BASE, number(IMAGE, header + 80))
    }
}

/// The name of the folder that a symbol store has for the PDB.
fn debug_id() -> String {
    let record = shop().codeview;
    let order = [7, 6, 5, 4, 9, 8, 11, 10, 12, 13, 14, 15, 16, 17, 18, 19];
    order.iter().map(|at| format!("{:02X}", record[*at])).collect::<String>() + &format!("{:x}", record[20])
}

/// Where symbol stores have the image and the PDB.
pub fn stored_image() -> String {
    let shop = shop();
    format!("shop64.dll/{:08X}{:x}/shop64.dll", shop.timestamp, shop.size)
}

pub fn stored_pdb() -> String {
    format!("shop64.pdb/{}/shop64.pdb", debug_id())
}

/// `Cart::add`, which was put into `add_all`, which was put into `Cart::checkout`, writes to null; `entry` has called it.
pub fn dump() -> Minidump {
    let app = Module::windows(r"C:\shop\app.exe", None, 0x7FF6_1C8A_0000, 0x3000);
    let mut words = vec![BASE + 0x1058, 0, 0, 0, 0, 0, 7, 8, app.base + 0x1234];
    words.resize(64, 0);
    let stack = Memory { address: STACK, bytes: words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect() };
    let context = Context::at(BASE + 0x1032, STACK);
    let exception =
        Exception { thread: 7, code: 0xC000_0005, flags: 0, address: context.rip, parameters: vec![1, 0], context };
    let thread = Thread { id: 7, name: None, teb: 0x42_7FB3_4000, stack, context };
    Minidump {
        threads: vec![thread],
        exception: Some(exception),
        ..Minidump::crashed(FileTime::utc(2024, 6, 3, 10, 0, 0), context.rip, vec![app, shop()])
    }
}

/// What a `.sym` file records of the program.
pub const SYM_RECORDS: &str = "FILE 0 C:\\src\\shop.cpp
INLINE_ORIGIN 0 shop::add_all(shop::Cart&, int)
INLINE_ORIGIN 1 shop::Cart::add(int)
FUNC 1000 3f 0 shop::Cart::checkout(int)
INLINE 0 19 0 0 1000 3c
INLINE 1 15 0 1 1010 3 102d f
1000 2d 14 0
102d 5 6 0
1032 a 7 0
103c 3 20 0
FUNC 1040 2a 0 entry
1040 8 29 0
1048 9 30 0
1051 19 31 0
STACK CFI INIT 1000 3f .cfa: $rsp 8 + .ra: .cfa 8 - ^
";

/// The `.sym` file with these records.
pub fn sym_file(records: &str) -> String {
    format!("MODULE windows x86_64 {} shop64.pdb\n{records}", debug_id())
}

fn inspected(symbols: Option<&Path>) -> Incident {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.dmp");
    fs::write(&path, dump().to_bytes()).expect("written");
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::load(true, &[]).expect("the built-in rules are right"));
    let symbols = symbols.map(|path| Arc::new(Symbols::open(&[path.to_owned()]).expect("a folder")));
    let options = Options { symbols, ..Options::default() };
    inspect(&[path], &RULES, &options).incidents.pop().expect("an incident").0
}

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}

/// Functions of a frame, innermost first, each with its file's name and line.
fn functions(frame: &StackFrame) -> Vec<String> {
    let line = |function: &str, file: &Option<Arc<str>>, line: Option<u32>| {
        let file = file.as_deref().and_then(|file| file.rsplit('\\').next()).unwrap_or_default();
        format!("{function} {file} {}", line.unwrap_or_default()).trim_end_matches("  0").to_owned()
    };
    let inlined = frame.inline.iter().map(|inlined| line(&inlined.function, &inlined.file, inlined.line));
    inlined.chain([line(frame.function.as_deref().unwrap_or("?"), &frame.file, frame.line)]).collect()
}

#[test]
fn a_pdb_names_functions_lines_and_inlined_functions() {
    for stored in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let (pdb, image) =
            if stored { (stored_pdb(), stored_image()) } else { ("shop64.pdb".to_owned(), "SHOP64.DLL".to_owned()) };
        write(folder.path(), &pdb, PDB);
        write(folder.path(), &image, IMAGE);
        let incident = inspected(Some(folder.path()));
        let checkout = functions(&incident.stack[0]);
        assert_eq!(
            checkout,
            ["shop::Cart::add shop.cpp 7", "shop::add_all shop.cpp 15", "shop::Cart::checkout"],
            "{:?}",
            incident.stack
        );
        assert_eq!(functions(&incident.stack[1]), ["entry shop.cpp 31"]);
        assert_eq!(incident.stack[1].trust, evidence::FrameTrust::Unwound);
        assert_eq!(incident.fault_site.and_then(|site| site.function).as_deref(), Some("shop::Cart::checkout"));
    }
}

#[test]
fn a_compressed_pdb_names_the_same() {
    let mut builder = cab::CabinetBuilder::new();
    builder.add_folder(cab::CompressionType::MsZip).add_file("shop64.pdb");
    let mut writer = builder.build(std::io::Cursor::new(Vec::new())).expect("a cabinet");
    while let Some(mut file) = writer.next_file().expect("a file") {
        std::io::Write::write_all(&mut file, PDB).expect("written");
    }
    let cabinet = writer.finish().expect("a cabinet").into_inner();
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &stored_pdb().replace("/shop64.pdb", "/shop64.pd_"), &cabinet);
    let incident = inspected(Some(folder.path()));
    assert_eq!(incident.stack[0].function.as_deref(), Some("shop::Cart::checkout"));
    assert_eq!(incident.stack[0].inline.len(), 2);
}

#[test]
fn a_sym_file_names_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "shop64.sym", sym_file(SYM_RECORDS).as_bytes());
    let incident = inspected(Some(folder.path()));
    let checkout = functions(&incident.stack[0]);
    assert_eq!(
        checkout,
        [
            "shop::Cart::add(int) shop.cpp 7",
            "shop::add_all(shop::Cart&, int) shop.cpp 15",
            "shop::Cart::checkout(int) shop.cpp 19"
        ]
    );
    assert_eq!(functions(&incident.stack[1]), ["entry shop.cpp 31"]);
}

#[test]
fn a_pdb_of_another_build_is_not_used_and_said_to_be_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut other = PDB.to_vec();
    let guid = &shop().codeview[4..20];
    let at = other.windows(16).position(|bytes| bytes == guid).expect("the identifier");
    other[at] ^= 1;
    write(folder.path(), "shop64.pdb", &other);
    let symbols = Arc::new(Symbols::open(&[folder.path().to_owned()]).expect("a folder"));
    let path = folder.path().join("app.dmp");
    fs::write(&path, dump().to_bytes()).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules are right");
    let options = Options { symbols: Some(Arc::clone(&symbols)), ..Options::default() };
    let inspected = inspect(&[path], &rules, &options);
    assert_eq!(inspected.incidents[0].0.stack[0].function, None);
    let notes = symbols.notes();
    assert!(notes.len() == 1 && notes[0].contains("belongs to another build"), "{notes:?}");
}
