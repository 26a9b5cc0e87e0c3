//! Records that are known by their bytes say what they would say if they were decoded.

use std::io::Write;
use std::path::{Path, PathBuf};

use samplekit::FileTime;
use samplekit::event_log::{Event as Logged, EventLog, FILE_HEADER_BYTES, Provider};

use crate::*;

/// What a log says, by the bytes of its records where they are known.
fn by_bytes(bytes: &[u8], context: &Context<'_>) -> Vec<Evidence> {
    let content = |record: &Record<'_>| meaning::content(record, context.names);
    let with = |stamp: &Stamp<'_>, content| with_content(stamp, content, context.names);
    read_with(bytes, Extract::Shared(SharedExtract { contents: context.contents, read: &content, with: &with }))
}

/// What it says when every record is decoded.
fn decoded(bytes: &[u8]) -> Vec<Evidence> {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    read_with(bytes, Extract::<_>::Each(&|record| evidence(record, &context)))
}

fn read_with<C: Send + Sync>(bytes: &[u8], extract: Extract<'_, Evidence, C>) -> Vec<Evidence> {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    let source = Source { file: &file, bytes: bytes.len() as u64, cache: None };
    evtx_scan::read(source, &CATALOGUED, extract).map(|log| log.extracted).unwrap_or_default()
}

fn assert_equal(bytes: &[u8], context: &Context<'_>, what: &str) {
    let (known, decoded) = (by_bytes(bytes, context), decoded(bytes));
    assert_eq!(format!("{known:?}"), format!("{decoded:?}"), "{what}");
}

/// The event logs below a folder, by path.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let found = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    found.map(walkdir::DirEntry::into_path).filter(|path| path.extension().is_some_and(|of| of == "evtx")).collect()
}

fn samples() -> Vec<PathBuf> {
    let found = logs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples"));
    assert!(found.len() > 20, "{found:?}");
    found
}

#[test]
fn what_is_known_by_its_bytes_is_what_would_be_decoded() {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let corpus = std::env::var_os("CRASHSIFT_CORPUS").map(|corpus| logs(Path::new(&corpus))).unwrap_or_default();
    for path in samples().into_iter().chain(corpus) {
        let bytes = std::fs::read(&path).expect("a log");
        assert_equal(&bytes, &context, &path.display().to_string());
        // Now all of its records are known.
        assert_equal(&bytes, &context, &path.display().to_string());
    }
}

#[test]
fn damaged_records_are_not_taken_for_known_ones() {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let logs: Vec<Vec<u8>> = samples().iter().map(|path| std::fs::read(path).expect("a log")).collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |bound: usize| {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % (bound as u64)) as usize
    };
    for log in logs.iter().filter(|log| log.len() < 200_000) {
        assert_equal(log, &context, "a whole log");
        // Most of a small log's chunk is free space.
        let end = log.iter().rposition(|byte| *byte != 0).expect("a log");
        for _ in 0..12 {
            let mut damaged = log.clone();
            for _ in 0..8 {
                let at = FILE_HEADER_BYTES + next(end - FILE_HEADER_BYTES);
                damaged[at] = match next(3) {
                    0 => damaged[at] ^ (1 << next(8)),
                    1 => damaged[at].wrapping_add(1),
                    _ => damaged[FILE_HEADER_BYTES + next(end - FILE_HEADER_BYTES)],
                };
            }
            assert_equal(&damaged, &context, "a damaged log");
        }
    }
}

/// A record that is wanted, of a provider with a manifest, with these fields.
fn named(id: u16, fields: [(&str, &str); 2]) -> Logged {
    let guid = samplekit::Guid::new(0x0a1b_2c3d, 0x1111, 0x2222, 0x3333, 0x4444_5555_6666);
    let provider = Provider::manifest("Microsoft-Windows-Resource-Exhaustion-Detector", guid);
    Logged::new(provider, id).at(FileTime::utc(2024, 5, 6, 7, 8, 9)).named(fields)
}

#[test]
fn records_with_other_names_of_fields_other_values_or_other_ids_are_other_records() {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let logs = [
        named(2004, [("Caption", "one"), ("Other", "two")]),
        named(2004, [("Caption", "one"), ("Another", "two")]),
        named(2004, [("Caption", "one"), ("Other", "three")]),
        named(2004, [("Caption", "onet"), ("Other", "wo")]),
        named(2003, [("Caption", "one"), ("Other", "two")]),
    ]
    .map(|event| {
        let mut log = EventLog::new("System", "PC-01");
        log.add(event);
        log.to_bytes()
    });
    for bytes in logs.iter().chain(&logs) {
        assert_equal(bytes, &context, "one record");
    }
    // The same record of another machine is of that machine.
    let mut other = EventLog::new("System", "PC-02");
    other.add(named(2004, [("Caption", "one"), ("Other", "two")]));
    assert_equal(&other.to_bytes(), &context, "another machine");
}
