//! PDBs of `testdata/pdb`, compared with what LLVM's symbolizer shows of each byte of code.

use std::io::Cursor;

use super::*;
use evidence::DebugSignature;

const WIDE: &[u8] = include_bytes!("../../../../testdata/pdb/shop64.pdb");
const NARROW: &[u8] = include_bytes!("../../../../testdata/pdb/shop32.pdb");
const SHOWN: [(&[u8], &str); 2] = [
    (WIDE, include_str!("../../../../testdata/pdb/shop64.txt")),
    (NARROW, include_str!("../../../../testdata/pdb/shop32.txt")),
];

fn open_with(file: &[u8], id: &DebugId) -> Result<Pdb, UnusableFile> {
    Pdb::open(Box::new(Cursor::new(file.to_vec())), file.len() as u64, id)
}

fn id(file: &[u8]) -> Option<DebugId> {
    debug_info::identity(&mut Container::open(Box::new(Cursor::new(file.to_vec())), file.len() as u64)?)
}

fn open(file: &[u8]) -> Pdb {
    open_with(file, &id(file).expect("an identifier")).expect("a PDB")
}

/// Functions innermost first, each with its line, as LLVM shows them: name and place on a line each.
fn shown_by_llvm(block: &str) -> Vec<(String, Option<(String, u32)>)> {
    let lines: Vec<&str> = block.lines().collect();
    let frames = lines.chunks_exact(2).map(|pair| {
        let name = pair[0].split('(').next().expect("a name").to_owned();
        let (file_and_line, _) = pair[1].rsplit_once(':').expect("a column");
        let (file, line) = file_and_line.rsplit_once(':').expect("a line");
        (name, line.parse().ok().filter(|line| *line != 0).map(|line| (file.to_owned(), line)))
    });
    frames.collect()
}

fn shown_here(source: &CodeSource) -> Vec<(String, Option<(String, u32)>)> {
    let line = |source: &Option<SourceLine>| source.as_ref().map(|source| (source.file.to_string(), source.line));
    let inlined = source.inlined.iter().map(|inlined| (inlined.function.to_string(), line(&inlined.source)));
    inlined.chain([(source.function.clone(), line(&source.source))]).collect()
}

#[test]
fn functions_lines_and_inlined_functions_are_those_that_llvm_shows() {
    for (file, shown) in SHOWN {
        let pdb = open(file);
        let (mut compared, mut inlined) = (0_usize, 0_usize);
        let mut before = Vec::new();
        for block in shown.split("\n\n").filter(|block| !block.trim().is_empty()) {
            let (address, block) = block.split_once('\n').expect("an address");
            let offset = u32::from_str_radix(address.trim_start_matches("0x"), 16).expect("an offset");
            let there = shown_by_llvm(block);
            let Some(found) = pdb.at(offset, None) else {
                // Between functions, LLVM shows the last name before.
                assert!(there.iter().all(|(_, line)| line.is_none()), "{offset:#x} is in {there:?}");
                continue;
            };
            let here = shown_here(&found);
            inlined += usize::from(here.len() > 1);
            let names = |shown: &[(String, Option<(String, u32)>)]| -> Vec<String> {
                shown.iter().map(|(name, _)| name.clone()).collect()
            };
            assert_eq!(names(&here), names(&there), "{offset:#x}");
            // Of inlined code, LLVM 14 shows the right line for the first byte of a line alone, and where the compiler recorded
            // no line of the call, the function's next line.
            for (level, (ours, theirs)) in here.iter().zip(&there).enumerate() {
                let begins = before.get(level) != Some(ours);
                if begins && ours.1.is_some() {
                    assert_eq!(ours, theirs, "{offset:#x}");
                }
            }
            assert!(here.last().is_some_and(|(_, line)| line.is_some()) || here.len() > 1, "{offset:#x} has a line");
            before = here;
            compared += 1;
        }
        assert!(compared > 0x70 && inlined > 8, "{compared} bytes have a function, {inlined} one that was inlined");
    }
}

#[test]
fn only_the_file_of_the_same_build_is_used() {
    let id = id(WIDE).expect("an identifier");
    let older = DebugId { age: 2, ..id };
    let error = open_with(WIDE, &older).map(|_| ()).expect_err("another age");
    assert!(error.to_string().contains("belongs to another build"), "{error}");
    let other = DebugId { signature: DebugSignature::Guid([7; 16]), ..id };
    assert!(matches!(open_with(WIDE, &other), Err(UnusableFile::OtherBuild { .. })));
    assert!(matches!(open_with(b"MODULE windows", &id), Err(UnusableFile::NoPdb)));
}

#[test]
fn frames_of_32_bit_code_can_be_unwound() {
    let unwinding = open(NARROW).unwinding.expect("frame data");
    let in_hidden = unwinding.win_stack_framedata_info.get(0x1085).expect("a record");
    assert_eq!((in_hidden.address, in_hidden.local_size), (0x1081, 4));
    assert!(open(WIDE).unwinding.is_none(), "64-bit code has tables in its image");
}

#[test]
fn a_public_name_is_only_used_within_its_part_of_the_image() {
    // Without the compiled files' symbols, as in the PDBs that Microsoft publishes.
    let stripped = |file: &[u8]| {
        let pdb = open(file);
        let mut inside = pdb.inside.lock().expect("a PDB");
        inside.info.units.iter_mut().for_each(|unit| unit.symbols = 0);
        drop(inside);
        pdb
    };
    let pdb = stripped(WIDE);
    let name = |offset, begins| pdb.at(offset, begins).map(|found| found.function);
    assert_eq!(name(0x1010, Some(0x1000)).as_deref(), Some("shop::Cart::checkout"));
    assert_eq!(name(0x1050, Some(0x1040)).as_deref(), Some("entry"));
    // The function behind it has no public name, and its image shows where it begins.
    assert_eq!(name(0x1078, Some(0x1070)), None);
    // All functions are in one part of the image, so without its image no address is known to be in one with a name.
    assert_eq!((name(0x1010, None), name(0x1078, None)), (None, None));
    assert_eq!(stripped(NARROW).at(0x1085, None), None);
    assert_eq!(name(0x9000, None), None, "in no section");
}

#[test]
fn inlined_functions_are_followed_so_deep_and_no_deeper() {
    // All are from +0 to +8.
    let annotations = vec![3, 0, 4, 8];
    let sites: Vec<Site> =
        (0..1000).map(|depth| Site { depth, function: 1, annotations: annotations.clone() }).collect();
    assert_eq!(sites_at(&[], &sites, 4).len(), DEEPEST);
    assert_eq!(sites_at(&[], &sites, 8).len(), 0);
}

#[test]
fn damaged_files_are_read_as_far_as_they_can_be() {
    let mut random = samplekit::Random::new(20_240_603);
    for (file, _) in SHOWN {
        let id = id(file).expect("an identifier");
        // The pages after the header have the directory and the small streams, which decide about everything else.
        for round in 0..400 {
            let mut damaged = file.to_vec();
            for _ in 0..=(round % 4) {
                let at = random.below(damaged.len());
                damaged[at] = [0, 0xFF, 0x7F, 0x80][random.below(4)];
            }
            if round % 5 == 0 {
                damaged.truncate(random.below(damaged.len()));
            }
            let Ok(pdb) = open_with(&damaged, &id) else { continue };
            for offset in (0x1000..0x10A0).step_by(7) {
                let _ = pdb.at(offset, None);
            }
        }
    }
}
