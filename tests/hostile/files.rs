//! Unusual and hostile files and folders: each is reported and none stops the run.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::product_installed;
use samplekit::minidump::{Minidump, Module};
use serde_json::Value;

use crate::program::{Run, artifact, crashsift, finish, list, report, run, run_with_input, text};

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// `crashsift analyze -f json` of paths.
#[track_caller]
fn analyze<P: AsRef<OsStr>>(paths: impl IntoIterator<Item = P>) -> Run {
    let mut arguments =
        vec![OsStr::new("analyze").to_owned(), OsStr::new("-f").to_owned(), OsStr::new("json").to_owned()];
    arguments.extend(paths.into_iter().map(|path| path.as_ref().to_owned()));
    run(arguments)
}

fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    fs::write(path, bytes).expect("a file");
}

/// A small dump of a crashed process; other numbers give other processes.
fn dump(number: u32) -> Vec<u8> {
    let time = NOON.plus_seconds(u64::from(number) * 600);
    let modules = vec![Module::windows(r"C:\demo\demo.exe", None, 0x7FF6_4000_0000, 0x1_0000)];
    let mut dump = Minidump::crashed(time, 0x7FF6_4000_1000, modules);
    dump.process.id = 4 * number + 4;
    dump.to_bytes()
}

/// A log with this number of records that have nothing to do with crashes.
fn log(records: u64) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-1");
    for record in 0..records {
        log.add(product_installed(NOON.plus_seconds(record), "Demo", "1.0", "Demo"));
    }
    log.to_bytes()
}

/// How many artifacts have each status.
fn statuses(report: &Value) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for artifact in list(report, "artifacts") {
        *counts.entry(text(artifact, "status")).or_default() += 1;
    }
    counts
}

// Nothing to analyze.

#[test]
fn an_empty_folder_is_nothing_to_analyze() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("a/b/c")).expect("folders");
    let run = analyze([folder.path()]).ends_with(4);
    assert_eq!(run.json()["summary"]["artifacts"], 0);
    assert_eq!(run.stderr, "crashsift: nothing that can be analyzed was found\n");
}

#[test]
fn a_folder_of_unknown_files_is_nothing_to_analyze_and_lists_them() {
    let folder = folder();
    write(folder.path().join("photo.jpg"), b"\xFF\xD8\xFF\xE0\0\x10JFIF\0");
    write(folder.path().join("tool.exe"), b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF\0\0");
    write(folder.path().join("settings.json"), b"{\"a\": 1}");
    let report = analyze([folder.path()]).ends_with(4).json();
    assert_eq!(statuses(&report), BTreeMap::from([("skipped", 3)]));
    for artifact in list(&report, "artifacts") {
        assert_eq!(artifact["kind"], "unknown");
        assert_ne!(text(artifact, "detail"), "", "{artifact}");
    }
}

// The same file by several ways.

#[test]
fn a_file_is_read_once_however_often_and_however_it_is_named() {
    let folder = folder();
    fs::create_dir(folder.path().join("sub")).expect("a folder");
    write(folder.path().join("a.dmp"), dump(0));
    let mut command = crashsift(["analyze", "-f", "json", "a.dmp", "a.dmp", "./a.dmp", "sub/../a.dmp", ".", "sub/.."]);
    command.arg(folder.path().join("a.dmp")).current_dir(folder.path());
    let report = finish(command, b"").ends_with(0).json();
    assert_eq!(report["summary"]["artifacts"], 1, "{:#}", report["artifacts"]);
    assert_eq!(list(&report["incidents"][0], "evidence").len(), 1);
}

#[cfg(unix)]
#[test]
fn a_file_and_a_link_to_it_are_one() {
    let folder = folder();
    write(folder.path().join("a.dmp"), dump(0));
    let link = folder.path().join("link.dmp");
    std::os::unix::fs::symlink("a.dmp", &link).expect("a link");
    let report = analyze([folder.path(), &link]).ends_with(0).json();
    assert_eq!(report["summary"]["artifacts"], 1, "{:#}", report["artifacts"]);
    // A link that is given itself is followed.
    assert_eq!(analyze([&link]).ends_with(0).json()["summary"]["incidents"], 1);
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_end() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    fs::create_dir(folder.path().join("sub")).expect("a folder");
    write(folder.path().join("sub/a.dmp"), dump(0));
    symlink("..", folder.path().join("sub/parent")).expect("a link");
    symlink("itself", folder.path().join("itself")).expect("a link");
    symlink("no-such-file", folder.path().join("dangling.dmp")).expect("a link");
    let whole = report(folder.path());
    assert_eq!(statuses(&whole), BTreeMap::from([("ok", 1), ("skipped", 3)]), "{:#}", whole["artifacts"]);
    let links = list(&whole, "artifacts").iter().filter(|artifact| artifact["status"] == "skipped");
    assert!(links.clone().all(|link| link["detail"] == "a symbolic link, not followed"));

    // A given link without target is reported; a path through a circle of links leads to the same file.
    let through = folder.path().join("sub/parent/sub/parent/sub/a.dmp");
    let named = [folder.path().join("itself"), folder.path().join("dangling.dmp"), through];
    let report = analyze(&named).ends_with(0).json();
    assert_eq!(statuses(&report), BTreeMap::from([("ok", 1), ("failed", 2)]));
    for name in ["itself", "dangling.dmp"] {
        assert_ne!(text(artifact(&report, name), "detail"), "");
    }
}

// Paths that are no files.

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_never_opened() {
    let folder = folder();
    // Opening a pipe would block, because no process writes into it.
    let pipe = folder.path().join("x.evtx");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let socket = folder.path().join("y.dmp");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    write(folder.path().join("z.dmp"), dump(0));

    let whole = report(folder.path());
    assert_eq!(artifact(&whole, "z.dmp")["status"], "ok");

    let named = analyze([&pipe, &socket]).ends_with(4).json();
    for name in ["x.evtx", "y.dmp"] {
        let artifact = artifact(&named, name);
        assert_eq!((text(artifact, "status"), text(artifact, "detail")), ("failed", "neither a file nor a folder"));
    }
    for (option, path) in [("--rules", &pipe), ("--rules", &socket), ("--ticket", &socket)] {
        let path = path.to_str().expect("text");
        run(["analyze", option, path, "samples/power-lost"]).ends_with(2);
    }
}

#[cfg(unix)]
#[test]
fn devices_are_never_opened() {
    let report = analyze(["/dev/zero", "/dev/null"]).ends_with(4).json();
    for artifact in list(&report, "artifacts") {
        assert_eq!(artifact["detail"], "neither a file nor a folder");
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_wherever_a_file_is_named() {
    let folder = folder();
    let pipe = folder.path().join("x.json");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let pipe = pipe.to_str().expect("text");
    for path in [pipe, "/dev/zero"] {
        for arguments in [
            vec!["analyze", "--baseline", path, "samples/power-lost"],
            vec!["compare", path, path],
            vec!["merge", path],
            vec!["analyze", "--ticket", path],
            vec!["analyze", "--rules", path, "samples/power-lost"],
        ] {
            let refused = run(&arguments).ends_with(2);
            assert!(
                refused.stderr.contains("file") && refused.stderr.contains(path),
                "{arguments:?}: {}",
                refused.stderr
            );
        }
        run(["inspect", path]).ends_with(4);
    }
    // A list of paths without an end.
    let mut command = crashsift(["analyze", "-"]);
    command.stdin(fs::File::open("/dev/zero").expect("a device"));
    let endless = finish(command, b"").ends_with(2);
    assert!(endless.stderr.contains("it is larger than the 64 MiB that are read"), "{}", endless.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_of_the_kernel_that_waits_for_messages_is_answered_at_once() {
    let report = analyze(["/proc/kmsg"]).ends_with(4).json();
    assert_eq!(text(artifact(&report, "kmsg"), "status"), "failed");
    run(["compare", "/proc/kmsg", "/proc/kmsg"]).ends_with(2);
}

#[cfg(unix)]
#[test]
fn pipes_in_the_cache_are_no_files_of_it() {
    let folder = folder();
    let cache = folder.path().join("cache");
    let arguments = ["analyze", "-f", "json", "--cache", cache.to_str().expect("text"), "samples/power-lost"];
    let first = run(arguments).ends_with(0);
    let kept: Vec<PathBuf> =
        fs::read_dir(&cache).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert!(!kept.is_empty());
    for path in &kept {
        fs::remove_file(path).expect("a file");
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    }
    let second = run(arguments).ends_with(0);
    assert_eq!(first.stdout, second.stdout);
    assert!(second.stderr.contains("this cache file was not used"), "{}", second.stderr);
}

// Unreadable files.

/// The administrator can read any file; a file of the kernel that can't be read fails for everybody.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_can_not_be_read_is_reported_and_the_rest_analyzed() {
    let folder = folder();
    write(folder.path().join("good.dmp"), dump(0));
    let report = analyze([Path::new("/proc/self/mem"), folder.path()]).ends_with(0).json();
    let unreadable = artifact(&report, "/proc/self/mem");
    assert_eq!((text(unreadable, "status"), text(unreadable, "kind")), ("failed", "unknown"));
    assert!(text(unreadable, "detail").contains("Input/output error"), "{unreadable}");
    assert_eq!(artifact(&report, "good.dmp")["status"], "ok");
}

#[cfg(unix)]
#[test]
fn files_and_folders_without_permission_are_reported_and_the_rest_analyzed() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    write(folder.path().join("good.dmp"), dump(0));
    write(folder.path().join("locked.dmp"), dump(1));
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    write(inner.join("hidden.dmp"), dump(2));
    for path in [folder.path().join("locked.dmp"), inner.clone()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("permissions");
    }
    if fs::read_dir(&inner).is_ok() {
        eprintln!("skipped: permissions don't bind whoever runs this test");
        return;
    }
    let report = analyze([folder.path()]);
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).expect("permissions");
    let report = report.ends_with(0).json();
    assert_eq!(statuses(&report), BTreeMap::from([("ok", 1), ("failed", 2)]));
    for name in ["locked.dmp", "inner"] {
        assert_eq!(artifact(&report, name)["detail"], "access denied");
    }
}

/// A folder that not even the administrator can enter: its path is longer than the system allows.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_can_not_be_entered_is_reported_and_the_rest_analyzed() {
    use nix::fcntl::{OFlag, open, openat};
    use nix::sys::stat::{Mode, mkdirat};

    let folder = folder();
    write(folder.path().join("good.dmp"), dump(0));
    let name = "d".repeat(200);
    let mut inner = open(folder.path(), OFlag::O_DIRECTORY, Mode::empty()).expect("the folder");
    // PATH_MAX is 4096.
    for _ in 0..25 {
        mkdirat(&inner, name.as_str(), Mode::S_IRWXU).expect("a folder");
        inner = openat(&inner, name.as_str(), OFlag::O_DIRECTORY, Mode::empty()).expect("a folder");
    }
    let report = analyze([folder.path()]).ends_with(0).json();
    assert_eq!(artifact(&report, "good.dmp")["status"], "ok");
    assert_eq!(statuses(&report), BTreeMap::from([("ok", 1), ("failed", 1)]));
    assert_ne!(text(artifact(&report, &name), "detail"), "");
}

#[test]
fn a_path_that_leads_nowhere_is_reported_and_the_rest_analyzed() {
    let folder = folder();
    write(folder.path().join("good.dmp"), dump(0));
    let gone = folder.path().join("gone.dmp");
    let report = analyze([&gone, &folder.path().join("good.dmp"), &folder.path().join("good.dmp/below")]);
    let report = report.ends_with(0).json();
    assert_eq!(artifact(&report, "gone.dmp")["detail"], "no such file or folder");
    assert_eq!(artifact(&report, "good.dmp/below")["detail"], "no such file or folder");
    assert_eq!(report["summary"]["incidents"], 1);
}

// Names.

/// Names that would control a terminal, or look like other names.
#[cfg(unix)]
const ACTING_NAMES: [&str; 7] = [
    "\u{1b}[2J\u{1b}[31mred.dmp",
    "two\nlines: 0 artifacts, all well.dmp",
    "carriage\rreturn.dmp",
    "tab\there\u{7}.dmp",
    "\u{202e}pmd.exe",
    "zero\u{200b}width\u{feff}.dmp",
    "\u{9b}31mcontrol.dmp",
];

#[cfg(unix)]
#[test]
fn names_that_act_are_shown_and_not_obeyed() {
    let folder = folder();
    for (number, name) in (0..).zip(ACTING_NAMES) {
        // Cut by one byte: text reports list what was not read whole.
        let mut bytes = dump(number);
        bytes.pop();
        write(folder.path().join(name), bytes);
        write(folder.path().join(format!("{name}.evtx")), b"");
    }
    let path = folder.path().to_str().expect("text");
    for arguments in [vec!["analyze", path], vec!["analyze", "-v", path]] {
        let run = run(arguments).ends_with(0);
        for shown in [&run.stdout, &run.stderr] {
            let acting = |character: char| {
                (character.is_control() && character != '\n')
                    || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
            };
            assert!(!shown.contains(acting), "{shown:?}");
        }
        for escaped in
            [r"\u{1b}[2J", r"two\nlines", r"carriage\rreturn", r"tab\there", r"\u{202e}pmd.exe", r"zero\u{200b}"]
        {
            let unwrapped: String = run.stdout.split_whitespace().collect();
            assert!(unwrapped.contains(escaped), "{escaped}: {}", run.stdout);
        }
    }
    // JSON contains the names unchanged.
    let json = report(folder.path());
    for name in ACTING_NAMES {
        assert_eq!(text(artifact(&json, &format!("/{name}")), "status"), "partial");
        assert_eq!(text(artifact(&json, &format!("/{name}.evtx")), "status"), "failed");
    }
    let lines = run(["analyze", "-q", "-f", "jsonl", path]).ends_with(0).stdout;
    for line in lines.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
    assert!(!lines.contains('\u{1b}'));
}

#[cfg(unix)]
#[test]
fn a_list_separated_by_nul_takes_names_with_line_ends() {
    let folder = folder();
    let paths: Vec<PathBuf> = ["one\nname.dmp", "another.dmp"].map(|name| folder.path().join(name)).into();
    for (number, path) in (0..).zip(&paths) {
        write(path, dump(number));
    }
    let list: String = paths.iter().map(|path| format!("{}\0", path.display())).collect();
    let report = run_with_input(["analyze", "-f", "json", "-"], list.as_bytes()).ends_with(0).json();
    assert_eq!(statuses(&report), BTreeMap::from([("ok", 2)]));
}

/// Apple's file systems refuse such names.
#[cfg(all(unix, not(target_vendor = "apple")))]
#[test]
fn names_that_are_not_utf_8_are_analyzed_like_others() {
    use std::os::unix::ffi::OsStrExt;

    let folder = folder();
    let names: [&[u8]; 2] = [b"caf\xE9.dmp", b"caf\xE8.dmp"];
    let paths = names.map(|name| folder.path().join(OsStr::from_bytes(name)));
    for (number, path) in (0..).zip(&paths) {
        write(path, dump(number));
    }
    let named = [paths[0].as_os_str().as_bytes(), b"\n", paths[1].as_os_str().as_bytes(), b"\n"].concat();
    for run in [analyze([folder.path()]), analyze(&paths), run_with_input(["analyze", "-f", "json", "-"], &named)] {
        let report = run.ends_with(0).json();
        assert_eq!(statuses(&report), BTreeMap::from([("ok", 2)]));
        assert_eq!(list(&report, "incidents").len(), 2);
        let shown: Vec<&str> = list(&report, "artifacts").iter().map(|artifact| text(artifact, "path")).collect();
        assert!(shown[0].ends_with(r"/caf\xe8.dmp") && shown[1].ends_with(r"/caf\xe9.dmp"), "{shown:?}");
    }
    let path = paths[0].as_os_str().to_owned();
    run([OsStr::new("analyze").to_owned(), path.clone()]).ends_with(0);
    run([OsStr::new("inspect").to_owned(), path]).ends_with(0);
}

// Many files, and changing files.

#[test]
fn ten_thousand_files_are_one_run() {
    const EACH: usize = 2_500;
    let folder = folder();
    let cut = dump(0);
    let cut = &cut[..cut.len() - 1];
    for number in 0..EACH {
        // Eight hundred in a folder, as in collections of dumps.
        let inner = folder.path().join(format!("{:02}", number / 200));
        fs::create_dir_all(&inner).expect("a folder");
        let number = u32::try_from(number).expect("a small number");
        // Twenty processes crashed; the collection contains many copies of each one's dump.
        write(inner.join(format!("{number}.dmp")), dump(number % 20 + 1));
        write(inner.join(format!("{number}.cut.dmp")), cut);
        write(inner.join(format!("{number}.empty.evtx")), b"");
        write(inner.join(format!("{number}.bin")), [0x55, 0xAA, 0x00, 0xFF].repeat(64));
    }
    let report = report(folder.path());
    let artifacts = list(&report, "artifacts");
    assert_eq!(artifacts.len(), 4 * EACH);
    let mut paths: Vec<&str> = artifacts.iter().map(|artifact| text(artifact, "path")).collect();
    paths.dedup(); // sorted, as every list of the report is
    assert_eq!(paths.len(), 4 * EACH, "each once");
    assert_eq!(
        statuses(&report),
        BTreeMap::from([("ok", EACH), ("partial", EACH), ("failed", EACH), ("skipped", EACH)])
    );
    let crashes = list(&report, "incidents").iter().filter(|one| one["process"]["name"] == "demo.exe").count();
    assert_eq!(crashes, 21, "copies of a dump are one incident");
}

/// Files that other programs shorten, lengthen and remove while they are read: each file is listed, unchanged ones are
/// read whole, and nothing ends the run.
#[test]
fn files_that_change_while_they_are_read_cost_only_themselves() {
    const FILES: usize = 60;
    let folder = folder();
    let (log, dump) = (log(900), dump(0));
    let restless: Vec<PathBuf> = (0..FILES).map(|number| folder.path().join(format!("{number:02}.restless"))).collect();
    for number in 0..FILES {
        write(folder.path().join(format!("{number:02}.still")), &log);
    }
    for (number, round) in (0..).zip([0, 1, 2]) {
        for (index, path) in restless.iter().enumerate() {
            write(path, if (index + round) % 3 == 0 { &dump } else { &log });
        }
        let stop = AtomicBool::new(false);
        let run = thread::scope(|scope| {
            scope.spawn(|| {
                let lengths = [0, 1, 31, 4_096, 4_097, 65_536, 70_000, 100_000];
                for step in 0_usize.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let path = &restless[step * 7 % FILES];
                    // Changing a file while it is removed may fail, which is part of the test.
                    if step % 11 == number {
                        let _ = fs::remove_file(path);
                    } else if let Ok(file) = fs::OpenOptions::new().write(true).open(path) {
                        let _ = file.set_len(lengths[step % lengths.len()]);
                    }
                    thread::sleep(std::time::Duration::from_micros(300));
                }
            });
            let run = analyze([folder.path()]);
            stop.store(true, Ordering::Relaxed);
            run
        });
        let report = run.ends_with(0).json();
        for artifact in list(&report, "artifacts") {
            assert!(!text(artifact, "detail").contains("defect of crashsift"), "{artifact}");
            if text(artifact, "path").ends_with(".still") {
                assert_eq!((text(artifact, "status"), &artifact["records"]), ("ok", &Value::from(900)), "{artifact}");
            }
            if text(artifact, "status") != "ok" {
                assert_ne!(text(artifact, "detail"), "", "{artifact}");
            }
        }
        let still = list(&report, "artifacts").iter().filter(|one| text(one, "path").ends_with(".still")).count();
        assert_eq!(still, FILES);
    }
}
