//! `--cache DIR`: a second run prints the report of the first run, which is that of a run without cache.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use samplekit::FileTime;
use samplekit::event_log::patch::{chunk_header, file_header, put, seal_chunk, seal_file};
use samplekit::event_log::{CHUNK_BYTES, Event, EventLog, Provider};
use samplekit::events::{display_reset, nvidia_driver, unclean_shutdown};
use tempfile::TempDir;

use crate::program::{self, Run, run};

/// Two logs that are large enough to be kept, and a small one.
fn logs() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("System.evtx"), log(5_000)).expect("a log");
    fs::write(folder.path().join("Archived.evtx"), log(7_000)).expect("a log");
    fs::write(folder.path().join("Small.evtx"), log(100)).expect("a log");
    folder
}

/// A log with this number of records, some of which are evidence.
fn log(records: u64) -> Vec<u8> {
    let mut log = EventLog::new("System", "PC-01");
    for id in 1..=records {
        let time = FileTime::utc(2024, 5, 6, 7, 0, 0).plus_micros(id * 60_000_000);
        log.add(match id % 500 {
            10 => display_reset(time, "nvlddmkm"),
            20 => nvidia_driver(time, 153, &["\\Device\\Video3", "Restarting TDR occurred"]),
            30 => unclean_shutdown(time, time.minus_seconds(60), 2, 934),
            _ => Event::new(Provider::classic("Chatter"), 1000).at(time).strings(["nothing of interest"]),
        });
    }
    log.to_bytes()
}

#[track_caller]
fn analyze(arguments: &[&OsStr]) -> Run {
    run([OsStr::new("analyze")].iter().chain(arguments))
}

/// A run over `logs` with a cache of their evidence but without kept answers, and with further arguments.
#[track_caller]
fn with_cache(cache: &Path, logs: &Path, arguments: &[&str]) -> Run {
    for answer in answers(cache) {
        fs::remove_file(answer).expect("removed");
    }
    asked(cache, logs, arguments)
}

/// A run over `logs` with the whole cache, and with further arguments.
#[track_caller]
fn asked(cache: &Path, logs: &Path, arguments: &[&str]) -> Run {
    let mut all: Vec<&OsStr> = vec![OsStr::new("--cache"), cache.as_os_str(), logs.as_os_str()];
    all.extend(arguments.iter().map(OsStr::new));
    analyze(&all)
}

/// The report on `logs` without cache.
#[track_caller]
fn report(logs: &Path) -> String {
    analyze(&[logs.as_os_str()]).ends_with(0).stdout
}

/// The cache files with the evidence of logs, and files that are no cache files.
fn files(folder: &Path) -> Vec<PathBuf> {
    listed(folder).into_iter().filter(|path| !is_answer(path)).collect()
}

/// The cache files with answers.
fn answers(folder: &Path) -> Vec<PathBuf> {
    listed(folder).into_iter().filter(|path| is_answer(path)).collect()
}

fn is_answer(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "crashsift-answer")
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn reports_are_equal_without_cache_and_in_the_first_and_every_later_run() {
    let logs = logs();
    let place = tempfile::tempdir().expect("a folder");
    for format in ["text", "json", "jsonl"] {
        let without = analyze(&[OsStr::new("-f"), OsStr::new(format), logs.path().as_os_str()]).ends_with(0);
        assert!(without.stdout.contains("nvlddmkm"), "{without:#?}");
        // A folder in a folder that does not exist either.
        let cache = place.path().join(format).join("cache");
        for jobs in ["1", "2", "1"] {
            let run = with_cache(&cache, logs.path(), &["-f", format, "-j", jobs]).ends_with(0);
            assert_eq!((run.stdout, run.stderr), (without.stdout.clone(), String::new()), "{format}");
            assert_eq!(files(&cache).len(), 2, "a file for each log that is not small");
        }
    }
}

#[test]
fn reports_on_the_corpus_are_equal_without_cache_and_in_the_first_and_second_run() {
    let Some(corpus) = env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    let without = analyze(&[OsStr::new("-f"), OsStr::new("json"), corpus.as_os_str()]).ends_with(0);
    for _ in 0..2 {
        let run = with_cache(place.path(), &corpus, &["-f", "json"]).ends_with(0);
        assert_eq!((run.stdout == without.stdout, run.stderr), (true, without.stderr.clone()));
    }
    assert!(!files(place.path()).is_empty());
}

#[test]
fn a_second_run_does_not_read_records_of_unchanged_chunks() {
    let logs = logs();
    let cache = tempfile::tempdir().expect("a folder");
    let first = with_cache(cache.path(), logs.path(), &[]).ends_with(0).stdout;
    for name in ["System.evtx", "Archived.evtx"] {
        let path = logs.path().join(name);
        let mut bytes = fs::read(&path).expect("a log");
        for chunk in bytes.split_at_mut(4096).1.chunks_mut(65536) {
            chunk.split_at_mut(512).1.fill(0);
        }
        fs::write(&path, bytes).expect("a log");
    }
    assert_eq!(with_cache(cache.path(), logs.path(), &[]).ends_with(0).stdout, first);
    assert_ne!(report(logs.path()), first);
}

#[test]
fn what_was_added_to_a_log_is_in_the_report() {
    let logs = logs();
    let cache = tempfile::tempdir().expect("a folder");
    with_cache(cache.path(), logs.path(), &[]).ends_with(0);
    fs::write(logs.path().join("System.evtx"), log(5_600)).expect("a log");
    let second = with_cache(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!((second.stdout, second.stderr), (report(logs.path()), String::new()));
}

/// The offsets of the first and after the last record of a log's last chunk.
fn last_records(log: &[u8]) -> Vec<usize> {
    let mut offsets = vec![log.len() - CHUNK_BYTES + 512];
    while let Some(last) = offsets.last().filter(|last| log[**last..].starts_with(b"**\0\0")) {
        let size: [u8; 4] = log[last + 4..last + 8].try_into().expect("four bytes");
        offsets.push(last + u32::from_le_bytes(size) as usize);
    }
    offsets
}

/// The log with so many records in its last chunk, of which the headers know no more than the first `known`; closed, or
/// as it was copied from a running machine.
fn log_with(log: &[u8], written: usize, known: usize, dirty: bool) -> Vec<u8> {
    let mut log = log.to_vec();
    let offsets = last_records(&log);
    log[offsets[written]..].fill(0);
    let start = log.len() - CHUNK_BYTES;
    let (head, chunk) = log.split_at_mut(start);
    let at = |number: usize| offsets[number] - start;
    let id = chunk[at(known - 1) + 8..][..8].to_vec();
    put(chunk, chunk_header::LAST_NUMBER, &id);
    put(chunk, chunk_header::LAST_ID, &id);
    put(chunk, chunk_header::LAST_RECORD, &(at(known - 1) as u32).to_le_bytes());
    put(chunk, chunk_header::FREE_SPACE, &(at(known) as u32).to_le_bytes());
    seal_chunk(chunk);

    let next = u64::from_le_bytes(id.try_into().expect("eight bytes")) + 1;
    put(head, file_header::NEXT_RECORD, &next.to_le_bytes());
    put(head, file_header::FLAGS, &u32::from(dirty).to_le_bytes());
    seal_file(head);
    log
}

#[test]
fn a_log_may_be_open_in_one_run_and_closed_in_the_next() {
    // The loss that is reported for records behind those that a header counts.
    const RECOVERED: &str = "flushed part recovered";
    let place = tempfile::tempdir().expect("a folder");
    let logs = place.path().join("logs");
    fs::create_dir(&logs).expect("a folder");
    let path = logs.join("System.evtx");
    let log = log(5_035);
    let all = last_records(&log).len() - 1;
    // Records 5010, 5020 and 5030 among the last ones are evidence.
    let few = all - 30;
    let json = |arguments: &[&OsStr]| {
        analyze(&[&[OsStr::new("-f"), OsStr::new("json"), logs.as_os_str()], arguments].concat()).ends_with(0)
    };
    let states = [
        ("closed", log_with(&log, few, few, false)),
        ("open", log_with(&log, few, few, true)),
        ("open, more written than its headers know", log_with(&log, all, few, true)),
        ("open, one more written than its headers know", log_with(&log, few + 1, few, true)),
        ("closed, with records of an earlier use behind", log_with(&log, all, few, false)),
        ("open, more written and known", log_with(&log, all, all, true)),
        ("closed, more written and known", log_with(&log, all, all, false)),
    ]
    .map(|(name, bytes)| {
        fs::write(&path, &bytes).expect("a log");
        (name, bytes, json(&[]))
    });
    let [closed, open, unflushed, one_more, earlier_use, open_with_all, closed_with_all] =
        states.each_ref().map(|(_, _, run)| &run.stdout);
    assert!(unflushed.contains(RECOVERED) && one_more.contains(RECOVERED));
    assert!([closed, open, earlier_use, open_with_all, closed_with_all].iter().all(|told| !told.contains(RECOVERED)));
    assert_eq!((closed == open, closed == closed_with_all), (true, false));

    let cache = place.path().join("cache");
    let mut before = "nothing";
    for (name, bytes, expected) in each_after_each(&states) {
        fs::write(&path, bytes).expect("a log");
        let run = json(&[OsStr::new("--cache"), cache.as_os_str()]);
        // In half of the cases the next run can also use a kept answer.
        if name.len() % 2 == 0 {
            answers(&cache).iter().for_each(|answer| fs::remove_file(answer).expect("removed"));
        }
        assert!(run.stdout == expected.stdout, "{before}, then {name}: {}", run.stdout);
        assert_eq!(run.stderr, expected.stderr);
        before = name;
    }
}

/// The items in an order in which each one follows each, itself as well, once: a de Bruijn sequence of words of two letters.
fn each_after_each<T>(items: &[T]) -> Vec<&T> {
    let mut order = Vec::new();
    for (at, one) in items.iter().enumerate() {
        order.push(one);
        order.extend(items.iter().skip(at + 1).flat_map(|other| [one, other]));
    }
    order.extend(items.first());
    order
}

#[test]
fn a_cache_that_can_not_be_had_is_noted_and_the_run_goes_on() {
    let logs = logs();
    let expected = report(logs.path());
    let file = logs.path().join("Small.evtx");
    for (folder, reason) in [(file.clone(), "it is no folder"), (file.join("below"), "no such file or folder")] {
        let noted = with_cache(&folder, logs.path(), &[]).ends_with(0);
        assert_eq!(noted.stdout, expected);
        let note = format!("crashsift: --cache {}: {reason}; the run goes on without it\n", folder.display());
        assert_eq!(noted.stderr, note);
        let quiet = with_cache(&folder, logs.path(), &["-q"]).ends_with(0);
        assert_eq!((quiet.stdout, quiet.stderr), (expected.clone(), String::new()));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_can_not_be_written_to_is_noted_once() {
    use std::os::unix::fs::PermissionsExt;
    let logs = logs();
    let cache = tempfile::tempdir().expect("a folder");
    let expected = report(logs.path());
    fs::set_permissions(cache.path(), fs::Permissions::from_mode(0o555)).expect("permissions");
    if tempfile::tempfile_in(cache.path()).is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    let run = with_cache(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!(run.stdout, expected);
    assert!(run.stderr.ends_with(": access denied; not all is kept for the next run\n"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn what_somebody_else_may_have_written_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;

    let logs = logs();
    let cache = tempfile::tempdir().expect("a folder");
    let expected = asked(cache.path(), logs.path(), &[]).ends_with(0).stdout;
    let set =
        |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");

    let forged: Vec<PathBuf> = answers(cache.path()).into_iter().chain(files(cache.path())).collect();
    forged.iter().for_each(|path| set(path, 0o666));
    let noted = asked(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!(noted.stdout, expected);
    let reason = "this cache file was not used: it belongs to another user, or others may write it";
    assert_eq!(noted.stderr.matches(reason).count(), forged.len(), "{}", noted.stderr);
    let again = asked(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!((again.stdout, again.stderr), (expected.clone(), String::new()));

    set(cache.path(), 0o777);
    let noted = asked(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!(noted.stdout, expected);
    let reason =
        "the folder belongs to another user, or others may write to it (`chmod go-w`); the run goes on without it";
    assert!(noted.stderr.contains(reason), "{}", noted.stderr);

    let created = logs.path().join("new/cache");
    asked(&created, logs.path(), &[]).ends_with(0);
    assert_eq!(fs::metadata(&created).expect("a folder").permissions().mode() & 0o777, 0o700);
}

#[test]
fn files_that_can_not_be_used_are_noted_and_replaced() {
    let logs = logs();
    let cache = tempfile::tempdir().expect("a folder");
    let expected = with_cache(cache.path(), logs.path(), &[]).ends_with(0).stdout;
    let [one, other] = files(cache.path()).try_into().expect("two files");
    fs::write(&one, "something else").expect("written");
    let mut damaged = fs::read(&other).expect("the file");
    *damaged.last_mut().expect("a byte") ^= 1;
    fs::write(&other, damaged).expect("written");

    let noted = with_cache(cache.path(), logs.path(), &[]).ends_with(0);
    let note = |file: &Path, reason: &str| {
        let file = untrusted::display_path(file);
        format!("crashsift: {file}: this cache file was not used: {reason}\n")
    };
    assert_eq!(noted.stderr, note(&one, "it is no cache file") + &note(&other, "it is damaged"));
    assert_eq!(noted.stdout, expected);
    let again = with_cache(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!((again.stdout, again.stderr), (expected, String::new()));
}

#[test]
fn what_is_in_a_files_place_and_can_not_be_replaced_is_noted() {
    let logs = logs();
    let cache = tempfile::tempdir().expect("a folder");
    let expected = with_cache(cache.path(), logs.path(), &[]).ends_with(0).stdout;
    for file in files(cache.path()) {
        fs::remove_file(&file).expect("removed");
        fs::create_dir(&file).expect("a folder");
        fs::write(file.join("something"), "").expect("written");
    }
    let run = with_cache(cache.path(), logs.path(), &[]).ends_with(0);
    assert_eq!(run.stdout, expected);
    assert_eq!(run.stderr.matches("this cache file was not used: it is no file").count(), 2, "{}", run.stderr);
    assert_eq!(run.stderr.matches("not all is kept for the next run").count(), 1, "{}", run.stderr);
    assert_eq!(files(cache.path()).len(), 2, "no temporary file is left behind");
    assert_eq!(with_cache(cache.path(), logs.path(), &["-q"]).ends_with(0).stderr, "");
}

#[test]
fn a_cache_below_the_analyzed_folder_is_no_artifact() {
    let logs = logs();
    let expected = report(logs.path());
    let cache = logs.path().join("kept");
    for _ in 0..2 {
        assert_eq!(with_cache(&cache, logs.path(), &[]).ends_with(0).stdout, expected);
    }
    // Without the option it is an ordinary folder.
    assert_ne!(report(logs.path()), expected);
}

/// Logs, a dump, a text and a damaged file, for which a run prints notes on standard error.
fn evidence() -> TempDir {
    let folder = logs();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let dump = samples.join("abort-below-cudnn").read_dir().expect("a sample");
    let dump = dump.map(|entry| entry.expect("an entry").path()).find(|path| path.extension() == Some("dmp".as_ref()));
    fs::copy(dump.expect("a dump"), folder.path().join("python.dmp")).expect("copied");
    fs::write(folder.path().join("cut.dmp"), b"MDMP").expect("written");
    fs::write(folder.path().join("ticket.txt"), "python.exe ended with exit code -1073740791 (0xC0000409)")
        .expect("written");
    folder
}

/// Runs twice and gives the output of the second run, which must be that of a run without cache. Whether the second run
/// printed the kept answer is seen from the files that a run leaves behind when it reads logs.
#[track_caller]
fn asked_again(cache: &Path, folder: &Path, arguments: &[&str]) -> (Run, bool) {
    let mut plain = vec![OsStr::new("analyze"), folder.as_os_str()];
    plain.extend(arguments.iter().map(OsStr::new));
    let expected = run(plain);
    for file in files(cache) {
        fs::remove_file(file).expect("removed");
    }
    let again = asked(cache, folder, arguments);
    assert_eq!((&again.stdout, &again.stderr, again.code), (&expected.stdout, &expected.stderr, expected.code));
    (again, files(cache).is_empty())
}

#[test]
fn the_answer_of_a_run_is_given_again_with_notes_and_exit_code() {
    let (folder, cache) = (evidence(), tempfile::tempdir().expect("a folder"));
    for arguments in [&["-f", "json"][..], &["--fail-on", "any"], &["--strict", "-q"], &["-v", "--color", "always"]] {
        let (first, kept) = asked_again(cache.path(), folder.path(), arguments);
        assert!(!kept, "nothing is known before");
        let (second, kept) = asked_again(cache.path(), folder.path(), arguments);
        assert!(kept, "{arguments:?}");
        assert_eq!((first.stdout, first.stderr, first.code), (second.stdout, second.stderr, second.code));
    }
    let (_, kept) = asked_again(cache.path(), folder.path(), &["-f", "json", "-j", "2"]);
    assert!(kept, "the number of threads changes nothing");
    let output = cache.path().join("report.json");
    let to_file = ["-f", "json", "-o", output.to_str().expect("a path")];
    asked(cache.path(), folder.path(), &to_file);
    let printed = asked(cache.path(), folder.path(), &["-f", "json"]);
    assert_eq!(fs::read_to_string(output).expect("a report"), printed.stdout);
}

#[test]
fn whatever_changes_what_is_asked_changes_the_answer() {
    let (folder, cache) = (evidence(), tempfile::tempdir().expect("a folder"));
    let own = tempfile::tempdir().expect("a folder");
    let rules = own.path().join("mine.yaml");
    let rule = |confidence: &str| {
        let rule = format!(
            "schema: 1\nrules:\n  - id: mine/one\n    title: It ended\n    cause: heap-corruption\n    confidence: {confidence}\n    \
             severity: low\n    selections:\n      it: {{exception.code: 0xC0000409}}\n    explanation: It did.\n    \
             remediation:\n      - {{audience: helpdesk, text: Nothing.}}\n    references: ['https://example.org']\n    tests:\n      \
             - {{name: a, facts: {{exception.code: 0xC0000409}}, expect: match}}\n      \
             - {{name: b, facts: {{exception.code: 0xC0000005}}, expect: no-match}}\n"
        );
        fs::write(&rules, rule).expect("a rule");
    };
    rule("0.31");
    let with_rule = ["-f", "json", "-r", rules.to_str().expect("a path")];
    let path = |name: &str| folder.path().join(name);
    let (ticket, new, small) = (path("ticket.txt"), path("new.txt"), path("Small.evtx"));
    let changes: [(&str, &dyn Fn()); 7] = [
        ("a text", &|| fs::write(&ticket, "nothing").expect("written")),
        ("a new file", &|| fs::write(&new, "Bug check 0x116").expect("written")),
        ("a file less", &|| fs::remove_file(&new).expect("removed")),
        ("another name", &|| fs::rename(&ticket, &new).expect("renamed")),
        ("a small log", &|| fs::write(&small, log(90)).expect("written")),
        ("a large log", &|| fs::write(path("System.evtx"), log(5_100)).expect("written")),
        ("a rule", &|| rule("0.32")),
    ];
    asked_again(cache.path(), folder.path(), &with_rule);
    for (name, change) in changes {
        let (_, kept) = asked_again(cache.path(), folder.path(), &with_rule);
        assert!(kept, "before {name} changes");
        change();
        let (_, kept) = asked_again(cache.path(), folder.path(), &with_rule);
        assert!(!kept, "{name} changed");
    }
}

#[test]
fn a_damaged_log_is_compared_by_all_its_bytes() {
    let (folder, cache) = (logs(), tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("System.evtx");
    let mut bytes = fs::read(&path).expect("a log");
    // One byte of a record's text is changed, so that the checksum of its chunk is wrong.
    let damage = bytes.len() - CHUNK_BYTES + 512 + 40;
    bytes[damage] ^= 1;
    fs::write(&path, &bytes).expect("a log");
    asked_again(cache.path(), folder.path(), &["-f", "json"]);
    assert!(asked_again(cache.path(), folder.path(), &["-f", "json"]).1, "a damaged log can be the same, too");
    bytes[damage] ^= 2;
    fs::write(&path, &bytes).expect("a log");
    assert!(!asked_again(cache.path(), folder.path(), &["-f", "json"]).1);
    assert!(asked_again(cache.path(), folder.path(), &["-f", "json"]).1);
}

#[test]
fn an_answer_that_is_damaged_is_noted_and_replaced() {
    let (folder, cache) = (evidence(), tempfile::tempdir().expect("a folder"));
    let expected = asked(cache.path(), folder.path(), &[]).ends_with(0);
    let [answer] = answers(cache.path()).try_into().expect("one answer");
    let whole = fs::read(&answer).expect("an answer");
    for place in [0, whole.len() / 2, whole.len() - 200, whole.len() - 30, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        for damaged in [&damaged[..], &whole[..place]] {
            fs::write(&answer, damaged).expect("written");
            let run = asked(cache.path(), folder.path(), &[]).ends_with(0);
            assert_eq!(run.stdout, expected.stdout);
            assert!(run.stderr.contains("this cache file was not used: it is damaged"), "{place}: {}", run.stderr);
            assert_eq!(fs::read(&answer).expect("an answer"), whole, "it was replaced");
        }
    }
}

/// The program's run in the folder `place` with this for `TMPDIR`.
#[cfg(unix)]
#[track_caller]
fn run_in(place: &Path, temporary: &Path, arguments: &[&str]) -> Run {
    let mut command = program::crashsift(arguments);
    command.current_dir(place).env("TMPDIR", temporary);
    program::finish(command, b"")
}

#[cfg(unix)]
#[test]
fn what_failed_for_a_reason_of_the_machine_is_tried_again() {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    let place = tempfile::tempdir().expect("a folder");
    let mut archive = GzEncoder::new(Vec::new(), Compression::default());
    archive.write_all(b"python.exe ended with exit code -1073740791 (0xC0000409)").expect("memory");
    fs::write(place.path().join("ticket.txt.gz"), archive.finish().expect("memory")).expect("written");
    let arguments = ["analyze", "--cache", "kept", "ticket.txt.gz"];
    // There is nothing into which the archive could be unpacked.
    let failed = run_in(place.path(), &place.path().join("missing"), &arguments);
    assert_ne!(failed.code, 0, "{failed:#?}");
    let expected = run_in(place.path(), &env::temp_dir(), &["analyze", "ticket.txt.gz"]).ends_with(0);
    for _ in 0..2 {
        assert_eq!(run_in(place.path(), &env::temp_dir(), &arguments).ends_with(0).stdout, expected.stdout);
    }
    assert_eq!(answers(&place.path().join("kept")).len(), 1, "an answer that is right is kept");
}

#[test]
fn a_dump_that_holds_a_piece_of_a_log_is_compared_by_all_its_bytes() {
    let (folder, cache) = (evidence(), tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("python.dmp");
    let mut dump = fs::read(&path).expect("a dump");
    // As large as a log that is compared by its checksums, and with a chunk's header at the place of a log's first one.
    dump.resize((1 << 20) + 5, 0);
    dump[4096..4608].copy_from_slice(&log(100)[4096..4608]);
    fs::write(&path, &dump).expect("written");
    asked_again(cache.path(), folder.path(), &["-f", "json"]);
    assert!(asked_again(cache.path(), folder.path(), &["-f", "json"]).1, "it is the same");
    dump[5000] ^= 1;
    fs::write(&path, &dump).expect("written");
    assert!(!asked_again(cache.path(), folder.path(), &["-f", "json"]).1, "it is another");
}

#[cfg(unix)]
#[test]
fn an_answer_by_sigma_rules_is_not_kept() {
    let place = tempfile::tempdir().expect("a folder");
    // The second folder has the name that is given on the command line for the first.
    for name in ["rules", "sigma:rules"] {
        fs::create_dir(place.path().join(name)).expect("a folder");
    }
    fs::write(place.path().join("System.evtx"), log(100)).expect("a log");
    let rule = |id: u32| {
        let rule = format!(
            "title: An event\nid: 5f1abf38-0000-4000-8000-000000000001\nstatus: test\nlevel: low\n\
             logsource: {{product: windows, service: system}}\ndetection:\n  it: {{EventID: {id}}}\n  condition: it\n"
        );
        fs::write(place.path().join("rules/rule.yml"), rule).expect("a rule");
    };
    let run = |more: &[&str]| {
        let arguments = ["analyze", "-f", "json", "-r", "sigma:rules", "System.evtx"];
        run_in(place.path(), &env::temp_dir(), &[&arguments[..], more].concat()).ends_with(0)
    };
    rule(4101);
    let first = run(&["--cache", "kept"]).stdout;
    rule(9999);
    let second = run(&["--cache", "kept"]).stdout;
    assert_ne!(first, second);
    assert_eq!(second, run(&[]).stdout);
}

#[test]
fn only_the_latest_answers_are_kept() {
    let (folder, cache) = (logs(), tempfile::tempdir().expect("a folder"));
    let expected = asked(cache.path(), folder.path(), &[]).ends_with(0).stdout;
    let [first] = answers(cache.path()).try_into().expect("one answer");
    let old = SystemTime::now() - Duration::from_secs(3600);
    let written = |name: &str| {
        let file = File::create(cache.path().join(name)).expect("a file");
        file.set_modified(old).expect("a time");
    };
    (0..70_u128).for_each(|number| written(&format!("{number:032x}.crashsift-answer")));
    // A file that the cache did not write.
    written("mine.crashsift-answer");
    asked(cache.path(), folder.path(), &["-f", "json"]).ends_with(0);
    let kept = answers(cache.path());
    assert_eq!(kept.len(), 65);
    assert!(kept.contains(&first) && kept.contains(&cache.path().join("mine.crashsift-answer")));
    assert_eq!(asked(cache.path(), folder.path(), &[]).ends_with(0).stdout, expected);
}
