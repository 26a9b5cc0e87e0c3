//! PDBs and `.sym` files beside a dump: functions, lines and inlined functions of its frames.
//!
//! The program is `shop.cpp` of `crates/crash-dump/testdata/pdb`, whose script makes images and PDBs.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crash_dump::Symbols;
use fuzz::shop::{IMAGE, PDB, SYM_RECORDS, dump, shop, stored_image, stored_pdb, sym_file};
use incident::{Incident, StackFrame};
use pipeline::{Options, inspect};
use rules::RuleSet;

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
