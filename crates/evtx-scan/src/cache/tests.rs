//! A second run over logs: which chunks it does not read, and that it gives what a run without cache gives.

#![expect(clippy::arithmetic_side_effects, reason = "offsets in logs that the tests themselves write")]

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use samplekit::FileTime;
use samplekit::event_log::patch::{chunk_header, chunk_range, make_dirty, put, seal_chunk, u32_at};
use samplekit::event_log::{CHUNK_BYTES, Event, EventLog, Provider};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_128;

use super::stored::Stored;
use super::{Cache, Entry, KeptRecord, MOST_KEPT, entry};
use crate::catalogue::testing::CATALOGUE;
use crate::{Extract, Record, Selection, Source, read};

/// What the tests' caches are kept for.
const DIGEST: &str = "the tests' catalogue";

/// Chunks of the logs that the tests write: more than the smallest log that is kept has, and the last one not full.
const CHUNKS: usize = 18;

/// A log of so many records in chunks of fifteen; every sixth is a crash of an app that is named by the record's id, of
/// one of two computers.
fn log_of(records: usize) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01");
    let padding = "x".repeat(1900);
    for id in 1..=records {
        let provider = if id % 6 == 0 { "Application Error" } else { "Chatter" };
        let time = FileTime::utc(2024, 5, 6, 7, 0, 0).plus_micros(id as u64 * 1_000_100);
        let event = Event::new(Provider::classic(provider), 1000).at(time);
        let event = if id % 7 == 0 { event.computer("pc-01.example") } else { event };
        log.add(event.strings([format!("{id}.exe"), padding.clone()]));
    }
    log.to_bytes()
}

fn log() -> Vec<u8> {
    let bytes = log_of((CHUNKS - 1) * 15 + 8);
    assert_eq!(bytes.len(), chunk_range(CHUNKS).start);
    bytes
}

/// The last wanted record's name of an app in chunk `number`, changed to another of the same length.
fn rename_app(bytes: &mut [u8], number: usize) {
    let chunk = &mut bytes[chunk_range(number).start..][..CHUNK_BYTES];
    let ending: Vec<u8> = ".exe".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let names: Vec<usize> = memchr::memmem::find_iter(chunk, &ending).collect();
    names.into_iter().for_each(|at| chunk[at + 2] = b'E');
}

/// Logs and a cache.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// The files in the cache.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache()).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }

    fn only_file(&self) -> PathBuf {
        let files = self.files();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        file.clone()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("a log");
        path
    }

    /// A run with the cache over a log with this content: what it gives, and how many chunks it did not read. Fails
    /// unless a run without cache gives the same.
    #[track_caller]
    fn run(&self, bytes: &[u8]) -> u64 {
        let path = self.write("Application.evtx", bytes);
        let (reading, unchanged, notes) = self.run_at(&path, DIGEST);
        assert_eq!(reading, without_cache(&path));
        assert_eq!(notes, Vec::<String>::new());
        unchanged
    }

    /// A run with the cache over a log: what it gives, how many chunks it did not read, and what it notes.
    fn run_at(&self, path: &Path, digest: &str) -> (String, u64, Vec<String>) {
        let cache = Arc::new(Cache::in_folder(&self.cache(), digest).expect("a folder"));
        let reading = reading(path, Some(Arc::clone(&cache)));
        (reading, cache.unchanged_chunks(), cache.notes())
    }
}

/// All that reading a log gives.
fn reading(path: &Path, cache: Option<Arc<Cache>>) -> String {
    let file = File::open(path).expect("a log");
    let bytes = file.metadata().expect("a log").len();
    let of_log = cache.as_deref().and_then(|cache| cache.log(path, bytes));
    let take = |record: &Record<'_>| {
        let fields: Vec<_> = record.fields.iter().collect();
        Some(format!("{:?} {} {} {:?} {fields:?}", record.stamp(), record.provider, record.event_id, record.channel))
    };
    let source = Source { file: &file, bytes, cache: of_log.as_ref() };
    let log = read(source, &Selection::wanted(Arc::clone(&CATALOGUE)), Extract::<_>::Each(&take)).expect("a log");
    if let Some(of_log) = of_log {
        of_log.save();
    }
    format!("{log:#?}")
}

fn without_cache(path: &Path) -> String {
    reading(path, None)
}

#[test]
fn unchanged_chunks_are_not_read_again() {
    let place = Place::new();
    let mut bytes = log();
    let path = place.write("Application.evtx", &bytes);
    let first = place.run_at(&path, DIGEST);
    assert_eq!((&first.0, first.1), (&without_cache(&path), 0));
    assert!(first.0.contains("6.exe") && first.0.contains("pc-01.example"), "{}", first.0);

    // That records were destroyed behind a header that still vouches for them is seen by who reads them only.
    for number in 0..CHUNKS {
        bytes[chunk_range(number).start + chunk_header::END..chunk_range(number).start + CHUNK_BYTES].fill(0xAB);
    }
    let path = place.write("Application.evtx", &bytes);
    assert_ne!(without_cache(&path), first.0);
    assert_eq!(place.run_at(&path, DIGEST), (first.0, CHUNKS as u64, vec![]));
}

#[test]
fn a_run_that_learns_nothing_writes_nothing() {
    let place = Place::new();
    let bytes = log();
    place.run(&bytes);
    let file = place.only_file();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    File::options().append(true).open(&file).and_then(|file| file.set_modified(old)).expect("a time");
    assert_eq!(place.run(&bytes), CHUNKS as u64);
    let about = fs::metadata(&file).expect("the file");
    assert_eq!(about.modified().expect("a time"), old);
}

#[test]
fn what_was_appended_is_read() {
    let place = Place::new();
    let records = (CHUNKS - 1) * 15 + 8;
    place.run(&log_of(records));
    // Into the last chunk, and into new ones.
    assert_eq!(place.run(&log_of(records + 3)), CHUNKS as u64 - 1);
    assert_eq!(place.run(&log_of(records + 30)), CHUNKS as u64 - 1);
    assert_eq!(place.run(&log_of(records + 30)), CHUNKS as u64 + 2);
    // A log that was cleared and filled again is shorter.
    assert_eq!(place.run(&log_of(records)), CHUNKS as u64 - 1);
    assert_eq!(place.run(&log_of(records)), CHUNKS as u64);
}

#[test]
fn chunks_that_were_written_anew_are_read() {
    let place = Place::new();
    let mut bytes = log();
    place.run(&bytes);
    for changed in [vec![0], vec![5, 6, 7, 8, 9], vec![3, 17], (0..CHUNKS).collect()] {
        for number in &changed {
            rename_app(&mut bytes, *number);
            let chunk = chunk_range(*number).start;
            bytes[chunk + 130] ^= 1;
            seal_chunk(&mut bytes[chunk_range(*number)]);
        }
        assert_eq!(place.run(&bytes), (CHUNKS - changed.len()) as u64, "{changed:?}");
        assert_eq!(place.run(&bytes), CHUNKS as u64, "{changed:?}");
    }
}

#[test]
fn a_log_of_more_than_one_run_of_chunks_is_the_same_on_any_number_of_threads() {
    let place = Place::new();
    let mut bytes = log_of(150 * 15);
    for expected in [0, 150, 147] {
        if expected == 147 {
            for number in [63, 64, 149] {
                rename_app(&mut bytes, number);
                seal_chunk(&mut bytes[chunk_range(number)]);
            }
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        assert_eq!(pool.install(|| place.run(&bytes)), expected);
    }
}

#[test]
fn a_cut_log_is_read_where_it_was_cut() {
    let place = Place::new();
    let bytes = log();
    place.run(&bytes);
    for (cut, unchanged) in [(1, 17), (CHUNK_BYTES - 600, 17), (CHUNK_BYTES, 17), (CHUNK_BYTES + 1, 16)] {
        assert_eq!(place.run(&bytes[..bytes.len() - cut]), unchanged, "{cut}");
    }
    assert_eq!(place.run(&bytes), 16);
    assert_eq!(place.run(&bytes), 18);
}

#[test]
fn a_place_that_holds_no_chunk_any_more_is_read() {
    let place = Place::new();
    let mut bytes = log();
    place.run(&bytes);
    bytes[chunk_range(3).start..chunk_range(4).start].fill(0);
    bytes[chunk_range(7).start] = b'x';
    assert_eq!(place.run(&bytes), 16);
    assert_eq!(place.run(&bytes), 16);
}

#[test]
fn chunks_that_lost_something_are_read_each_time() {
    let place = Place::new();
    let mut bytes = log();
    // A wrong checksum of the records, one of the header, and a record that can't be decoded behind right ones.
    bytes[chunk_range(2).start + chunk_header::END + 100] ^= 0xFF;
    bytes[chunk_range(4).start + chunk_header::LAST_RECORD] ^= 0xFF;
    bytes[chunk_range(6).start + chunk_header::END + 24..][..40].fill(0xEE);
    seal_chunk(&mut bytes[chunk_range(6)]);
    assert_eq!(place.run(&bytes), 0);
    assert_eq!(place.run(&bytes), 15);
    assert_eq!(place.run(&bytes), 15);
}

#[test]
fn chunks_without_checksums_are_read_each_time() {
    let place = Place::new();
    let mut bytes = log();
    put(&mut bytes, chunk_range(5).start + chunk_header::FLAGS, &4_u32.to_le_bytes());
    place.run(&bytes);
    assert_eq!(place.run(&bytes), 17);
    rename_app(&mut bytes, 5);
    assert_eq!(place.run(&bytes), 17);
}

/// Takes all records but the first out of what the header of chunk `number` knows.
fn unflush(bytes: &mut [u8], number: usize) {
    let chunk = &mut bytes[chunk_range(number).start..][..CHUNK_BYTES];
    let size = u32_at(chunk, chunk_header::END + 4);
    chunk.copy_within(8..16, chunk_header::LAST_NUMBER);
    chunk.copy_within(24..32, chunk_header::LAST_ID);
    put(chunk, chunk_header::LAST_RECORD, &512_u32.to_le_bytes());
    put(chunk, chunk_header::FREE_SPACE, &(512 + size).to_le_bytes());
    seal_chunk(&mut bytes[chunk_range(number)]);
}

#[test]
fn in_a_log_that_was_not_closed_records_behind_an_unchanged_header_are_found() {
    let place = Place::new();
    let mut later = log();
    make_dirty(&mut later);
    unflush(&mut later, 17);
    // The same before those records were written.
    let mut earlier = later.clone();
    let free = chunk_range(17).start + u32_at(&later, chunk_range(17).start + chunk_header::FREE_SPACE) as usize;
    earlier[free..].fill(0);

    place.run(&earlier);
    assert_eq!(place.run(&earlier), 18);
    assert_eq!(place.run(&later), 17);
    assert!(without_cache(&place.folder.path().join("Application.evtx")).contains("recovered"));
    // What no header knows is read each time.
    assert_eq!(place.run(&later), 17);
    // The same log, closed: what stands there is of an earlier use.
    later[120] = 0;
    assert_eq!(place.run(&later), 17);
    assert_eq!(place.run(&later), 18);
}

#[test]
fn a_log_without_file_header_is_one_that_was_not_closed() {
    let place = Place::new();
    let mut bytes = log();
    bytes[..8].fill(0);
    unflush(&mut bytes, 9);
    place.run(&bytes);
    assert_eq!(place.run(&bytes), 17);
}

#[test]
fn a_log_is_known_by_its_path() {
    let place = Place::new();
    let path = place.write("Application.evtx", &log());
    place.run_at(&path, DIGEST);
    let renamed = place.folder.path().join("Archived.evtx");
    fs::rename(&path, &renamed).expect("renamed");
    assert_eq!(place.run_at(&renamed, DIGEST), (without_cache(&renamed), 0, vec![]));
    assert_eq!(place.run_at(&renamed, DIGEST).1, 18);
    assert_eq!(place.files().len(), 2);
    // Another log in its place.
    place.run_at(&place.write("Application.evtx", &log_of(400)), DIGEST);
    let other = log_of(500);
    assert_eq!(place.run(&other), 26);
}

#[test]
fn small_logs_are_not_kept() {
    let place = Place::new();
    let path = place.write("Application.evtx", &log_of(15 * 15));
    assert_eq!(place.run_at(&path, DIGEST), (without_cache(&path), 0, vec![]));
    assert_eq!(place.files(), Vec::<PathBuf>::new());
}

#[test]
fn of_a_log_that_would_fill_more_as_much_is_kept_as_a_file_may_hold() {
    let place = Place::new();
    fs::create_dir(place.cache()).expect("a folder");
    // Nothing is read of the log: what is learnt of its chunks is made here.
    let chunks = 4 * (MOST_KEPT / entry::MOST_BYTES) as u64;
    let path = place.folder.path().join("Application.evtx");
    let run = |numbers: Range<u64>, entry_bytes: usize| {
        let cache = Cache::in_folder(&place.cache(), DIGEST).expect("a folder");
        let log = cache.log(&path, chunk_range(chunks as usize).start as u64).expect("a large log");
        numbers.for_each(|number| log.learn(number, Some((&[1; CHUNK_BYTES], vec![2; entry_bytes]))));
        log.save();
        assert_eq!(cache.notes(), Vec::<String>::new());
        let stored = cache.load(&place.only_file(), u64::MAX).expect("a cache file").expect("a file");
        (0..chunks as usize).filter(|number| stored.row(*number).is_some()).collect::<Vec<_>>()
    };
    let most = entry::MOST_BYTES;
    assert_eq!(run(0..chunks, most), Vec::from_iter(0..64));
    let full = fs::metadata(place.only_file()).expect("the file").len();
    assert_eq!(full, Stored::most_bytes(64, MOST_KEPT));
    // There is no room for others, but for those that replace an entry, and for others when they left some.
    assert_eq!(run(64..70, most), Vec::from_iter(0..64));
    assert_eq!(run(0..10, most), Vec::from_iter(0..64));
    assert_eq!(run(0..10, most / 2), Vec::from_iter(0..64));
    assert_eq!(run(64..80, most), Vec::from_iter(0..69));
    // Every second entry that grows again finds room: that of the one before, which found none.
    assert_eq!(run(0..10, most), Vec::from_iter((1..10).step_by(2).chain(10..69)));
}

#[test]
fn what_another_reader_kept_is_not_used() {
    let place = Place::new();
    let path = place.write("Application.evtx", &log());
    place.run_at(&path, "another catalogue");
    let (reading, unchanged, notes) = place.run_at(&path, DIGEST);
    assert_eq!((reading, unchanged), (without_cache(&path), 0));
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.ends_with("this cache file was not used: another version of crashsift wrote it"), "{note}");
    assert!(note.contains(&untrusted::display_path(&place.only_file())), "{note}");
    assert_eq!(place.run_at(&path, DIGEST), (without_cache(&path), 18, vec![]));
}

#[test]
fn a_damaged_file_is_noted_once_replaced_and_never_used() {
    let place = Place::new();
    let path = place.write("Application.evtx", &log());
    place.run_at(&path, DIGEST);
    let (file, right) = (place.only_file(), without_cache(&path));
    let whole = fs::read(&file).expect("the file");
    let check = |bytes: &[u8], what: &str| {
        fs::write(&file, bytes).expect("written");
        let (reading, unchanged, notes) = place.run_at(&path, DIGEST);
        assert_eq!((reading == right, unchanged, notes.len()), (true, 0, 1), "{what}: {notes:?}");
        assert_eq!(fs::read(&file).expect("the file"), whole, "{what}");
    };
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x08;
        check(&flipped, &format!("byte {at} flipped"));
        check(&whole[..at], &format!("cut at byte {at}"));
    }
    check(&[whole.as_slice(), b"x"].concat(), "longer by a byte");
    check(&vec![0; 17 << 20], "larger than any");
    check(b"{\"some\": \"file\"}", "a foreign file");
}

#[test]
fn entries_with_a_right_checksum_and_any_content_do_no_harm() {
    let place = Place::new();
    let bytes = log();
    let path = place.write("Application.evtx", &bytes);
    place.run_at(&path, DIGEST);
    let (file, right) = (place.only_file(), without_cache(&path));
    let stored = Stored::parse(fs::read(&file).expect("the file"), DIGEST).expect("a cache file");
    let (_, entry) = stored.row(0).expect("an entry");
    let hash = xxh3_128(&bytes[chunk_range(0).start..][..chunk_header::END]);
    let run = |entry: &[u8]| {
        let mut file = File::create(&file).expect("a file");
        Stored::write([Some((hash, entry))].into_iter(), DIGEST, &mut file).expect("written");
        place.run_at(&path, DIGEST)
    };
    assert_eq!(run(entry), (right.clone(), 1, vec![]));
    for end in (1..entry.len()).step_by(entry.len() / 7) {
        assert_eq!(run(&entry[..end]), (right.clone(), 0, vec![]), "cut at byte {end}");
    }
    let wanted = |entry: &[u8]| Some(Entry::decode(entry)?.wanted.iter().map(|kept| kept.record().id).collect());
    assert_eq!(wanted(entry), Some(vec![6, 12]));
    for end in 0..entry.len() {
        assert_eq!(wanted(&entry[..end]), None::<Vec<u64>>, "cut at byte {end}");
    }
    // Lengths that reach behind the end, and whatever else a byte can make of an entry.
    for at in 0..entry.len() {
        for byte in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut changed = entry.to_vec();
            changed[at] = byte;
            let fields = |kept: &KeptRecord<'_>| kept.record().fields.iter().count();
            Entry::decode(&changed).map(|entry| entry.wanted.iter().map(fields).sum::<usize>());
        }
    }
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let place = Place::new();
    let path = place.write("Application.evtx", &log());
    let right = without_cache(&path);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for digest in [DIGEST, "another", DIGEST] {
                    assert_eq!(place.run_at(&path, digest).0, right);
                }
            });
        }
    });
    place.run_at(&path, DIGEST);
    assert_eq!(place.run_at(&path, DIGEST), (right, 18, vec![]));
    place.only_file();
}

#[test]
fn files_of_the_cache_are_known_by_name_and_place() {
    let place = Place::new();
    place.run(&log());
    let cache = Cache::in_folder(&place.cache(), DIGEST).expect("a folder");
    let file = place.only_file();
    assert!(cache.owns(&file));
    let name = file.file_name().expect("a name");
    assert!(cache.owns(&place.folder.path().join("cache/../cache").join(name)));
    assert!(!cache.owns(&place.folder.path().join(name)));
    assert!(!cache.owns(&place.cache().join("Application.evtx")));
}
