//! Sizes that files claim or have, and the memory that a run needs for them.
//!
//! The system counts the most memory of any finished child process. Therefore every test is a process of its own,
//! starts only runs that must stay below the limit, and uses little memory itself, because a child begins with its
//! parent's.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use nix::sys::resource::{UsageWho, getrusage};
use samplekit::FileTime;
use samplekit::event_log::{CHUNK_BYTES, EventLog, FILE_HEADER_BYTES};
use samplekit::events::{Crash, Image, Layout, product_installed};
use samplekit::{FileVersion, Guid};
use serde_json::Value;

use crate::own_process::in_own_process;
use crate::program::{artifact, list, run, text};

/// The memory limit of every run, KiB.
const LIMIT: i64 = 64 << 10;
const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

/// The report on a folder; fails unless the run ended with `code` and within the limit.
#[track_caller]
fn report_within_the_limit(folder: &Path, code: i32) -> Value {
    let folder = folder.to_str().expect("the path of a temporary folder is text");
    let report = run(["analyze", "-q", "-f", "json", folder]).ends_with(code).json();
    let most = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts").max_rss();
    assert!(most < LIMIT, "{most} KiB");
    report
}

fn create(path: &Path) -> BufWriter<File> {
    BufWriter::new(File::create(path).expect("a file"))
}

/// The header of a minidump, 32 bytes.
fn minidump_header(streams: u32, directory: u32) -> Vec<u8> {
    let mut header = b"MDMP\x93\xA7\xF1\xA0".to_vec();
    for word in [streams, directory, 0, 0x6638_C0C0, 0, 0] {
        header.extend_from_slice(&u32::to_le_bytes(word));
    }
    header
}

/// A sparse dump of 5 GiB with one stream of each of these kinds, each of 1 GiB. The directory is at the last offset
/// that 32 bits can express.
fn sparse_dump(path: &Path, streams: &[u32]) {
    let directory = u32::MAX - 0x1_0000;
    let mut file = create(path);
    let count = u32::try_from(streams.len()).expect("few streams");
    file.write_all(&minidump_header(count, directory)).expect("written");
    file.seek(SeekFrom::Start(u64::from(directory))).expect("in the file");
    for kind in streams {
        for word in [*kind, 1 << 30, 0x1000] {
            file.write_all(&word.to_le_bytes()).expect("written");
        }
    }
    file.into_inner().expect("written").set_len(5 << 30).expect("a sparse file");
}

#[test]
fn a_sparse_dump_of_five_gib_whose_lists_claim_one_gib_each() {
    in_own_process(|| {
        let folder = tempfile::tempdir().expect("a folder");
        // Threads, modules, memory, system, memory of full dumps, handles, unloaded modules, process, regions, names.
        sparse_dump(&folder.path().join("huge.dmp"), &[3, 4, 5, 7, 9, 12, 14, 15, 16, 24]);
        let report = report_within_the_limit(folder.path(), 0);
        let huge = artifact(&report, "huge.dmp");
        assert_eq!((text(huge, "kind"), text(huge, "status")), ("minidump", "partial"), "{huge}");
        assert_eq!(huge["bytes"], 5_u64 << 30);
        assert_ne!(text(huge, "detail"), "");
    });
}

/// The stream has 12 bytes of data, but was read up to the length that the directory states.
#[test]
fn a_breakpad_stream_of_one_gib_is_not_read_whole() {
    in_own_process(|| {
        const BREAKPAD_INFO: u32 = 0x4767_0001;
        const SYSTEM_INFO: u32 = 7;
        let folder = tempfile::tempdir().expect("a folder");
        sparse_dump(&folder.path().join("huge.dmp"), &[BREAKPAD_INFO, SYSTEM_INFO]);
        let report = report_within_the_limit(folder.path(), 0);
        let huge = artifact(&report, "huge.dmp");
        assert!(text(huge, "detail").contains("stream BreakpadInfo: 1073741824 bytes are more than is read"), "{huge}");
    });
}

/// A small file that refers to the same parts again and again must not expand to a large one.
#[test]
fn a_dump_whose_modules_share_one_long_name() {
    in_own_process(|| {
        const MODULES: u32 = 2_000;
        const NAME_AT: u32 = 32 + 12;
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = create(&folder.path().join("modules.dmp"));
        // The longest path of Windows, and its terminator.
        let mut name = 65_534_u32.to_le_bytes().to_vec();
        name.extend("x".repeat(32_767).encode_utf16().flat_map(u16::to_le_bytes));
        name.extend([0; 2]);
        let mut module = [0; 108];
        module[20..24].copy_from_slice(&NAME_AT.to_le_bytes());
        let list_at = NAME_AT + u32::try_from(name.len()).expect("64 KiB");
        let mut bytes = minidump_header(1, 32);
        for word in [4, 4 + MODULES * 108, list_at] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(name);
        bytes.extend(MODULES.to_le_bytes());
        for number in 0..MODULES {
            module[..8].copy_from_slice(&(u64::from(number + 1) << 20).to_le_bytes());
            module[8..12].copy_from_slice(&0x1000_u32.to_le_bytes());
            bytes.extend(module);
        }
        file.write_all(&bytes).expect("written");
        drop(file.into_inner().expect("written"));

        let report = report_within_the_limit(folder.path(), 0);
        let dump = artifact(&report, "modules.dmp");
        assert_eq!((text(dump, "kind"), text(dump, "status")), ("minidump", "partial"), "{dump}");
    });
}

#[test]
fn a_dump_of_random_bytes_that_claims_four_thousand_million_streams() {
    in_own_process(|| {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, directory) in [("near.dmp", 32), ("far.dmp", 60 << 20), ("outside.dmp", u32::MAX)] {
            let mut file = create(&folder.path().join(name));
            file.write_all(&minidump_header(u32::MAX, directory)).expect("written");
            // xorshift64: random enough to be no format, and the same each time.
            let mut word = 0x9E37_79B9_7F4A_7C15_u64;
            for _ in 0..(64 << 20) / 8 {
                word ^= word << 13;
                word ^= word >> 7;
                word ^= word << 17;
                file.write_all(&word.to_le_bytes()).expect("written");
            }
        }
        let report = report_within_the_limit(folder.path(), 4);
        for name in ["near.dmp", "far.dmp", "outside.dmp"] {
            let dump = artifact(&report, name);
            assert_eq!((text(dump, "kind"), text(dump, "status")), ("minidump", "failed"), "{dump}");
            assert_ne!(text(dump, "detail"), "");
        }
    });
}

/// A log as administrators collect it: 4,800 chunks, nearly 300 MiB, ordinary records and some crashes.
#[test]
fn a_log_of_three_hundred_megabytes() {
    in_own_process(|| {
        const CHUNKS: u64 = 4_800;
        const RECORDS: u64 = 4;
        let crash_every = 16;
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = create(&folder.path().join("Application.evtx"));
        file.write_all(&log_header(CHUNKS, CHUNKS * RECORDS + 1)).expect("written");
        for chunk in 0..CHUNKS {
            let mut log = EventLog::new("Application", "PC-1").starting_at(chunk * RECORDS + 1);
            let time = NOON.plus_seconds(chunk * 3600);
            for record in 0..RECORDS {
                if record == 0 && chunk % crash_every == 0 {
                    log.add(crash(time).application_error(Layout::Positional));
                } else {
                    log.add(product_installed(time.plus_seconds(record), "Demo", "1.0", "Demo"));
                }
            }
            let bytes = log.to_bytes();
            let chunk = &bytes[FILE_HEADER_BYTES..];
            assert_eq!(chunk.len(), CHUNK_BYTES);
            file.write_all(chunk).expect("written");
        }
        drop(file.into_inner().expect("written"));

        let report = report_within_the_limit(folder.path(), 0);
        let log = artifact(&report, "Application.evtx");
        assert_eq!(log["bytes"], CHUNKS * CHUNK_BYTES as u64 + FILE_HEADER_BYTES as u64);
        assert_eq!((text(log, "status"), &log["records"]), ("ok", &Value::from(CHUNKS * RECORDS)), "{log}");
        assert_eq!(list(&report, "incidents").len() as u64, CHUNKS / crash_every);
    });
}

/// The header of a log that was closed: what `samplekit` writes for one chunk, with other numbers.
fn log_header(chunks: u64, next_record: u64) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-1");
    log.add(product_installed(NOON, "Demo", "1.0", "Demo"));
    let mut header = log.to_bytes();
    header.truncate(FILE_HEADER_BYTES);
    header[16..24].copy_from_slice(&(chunks - 1).to_le_bytes());
    header[24..32].copy_from_slice(&next_record.to_le_bytes());
    header[42..44].copy_from_slice(&u16::try_from(chunks).expect("a number of 16 bits").to_le_bytes());
    let checksum = crc32fast::hash(&header[..120]);
    header[124..128].copy_from_slice(&checksum.to_le_bytes());
    header
}

fn crash(time: FileTime) -> Crash {
    let image = |name: &str| Image {
        path: format!(r"C:\Program Files\Demo\{name}"),
        version: Some(FileVersion([2, 1, 0, 7])),
        timestamp: 0x6543_2100,
    };
    Crash {
        app: image("demo.exe"),
        module: image("plugin.dll"),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: time.minus_seconds(60),
        time,
        report_id: Guid::made_up(&time.0.to_string()),
    }
}
