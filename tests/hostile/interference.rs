//! Runs that something interferes with: signals, a disk that becomes full, readers that go away or are slow, a process that
//! is stopped again and again, and files that change meanwhile. None leaves half a file, and none makes a wrong report.
//!
//! Each is tried a few times; `CRASHSIFT_TRIALS=200` asks for more, and `--nocapture` prints how they ended.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fuzz::packed::zip;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use samplekit::Random;
use serde_json::Value;

use super::writing::names;
use crate::program::{artifact, crashsift, finish, list, text};

/// How often each is tried, if the environment variable `CRASHSIFT_TRIALS` has no other number.
const TRIALS: u64 = 6;

fn trials() -> u64 {
    env::var("CRASHSIFT_TRIALS").ok().and_then(|number| number.parse().ok()).unwrap_or(TRIALS)
}

/// Samples of each kind of artifact.
const SAMPLES: [&str; 5] =
    ["one-crash-three-artifacts", "stack-overflow", "bugcheck-kernel-pages", "ticket-beside-the-log", "broken-chunk"];

/// A folder with the samples and an archive of some of them, and all files in it.
struct Evidence {
    folder: tempfile::TempDir,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Evidence {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = BTreeMap::new();
        for sample in SAMPLES {
            for entry in fs::read_dir(Path::new("samples").join(sample)).expect("a sample") {
                let path = entry.expect("an entry").path();
                if path.extension().is_none_or(|extension| extension != "json") {
                    let name = format!("{sample}-{}", path.file_name().expect("a name").to_string_lossy());
                    files.insert(folder.path().join(name), fs::read(&path).expect("a file"));
                }
            }
        }
        let named: Vec<(String, &[u8])> = files
            .iter()
            .map(|(path, content)| {
                (path.file_name().expect("a name").to_string_lossy().into_owned(), content.as_slice())
            })
            .collect();
        let members: Vec<(&str, &[u8])> = named.iter().map(|(name, content)| (name.as_str(), *content)).collect();
        let archive = zip(&members);
        files.insert(folder.path().join("all.zip"), archive);
        files.iter().for_each(|(path, content)| fs::write(path, content).expect("a file"));
        Self { folder, files }
    }

    fn analyze(&self) -> Command {
        let mut command = crashsift(["analyze", "-q", "-f", "json"]);
        command.arg(self.folder.path());
        command
    }

    /// The report of a run without interference.
    fn report(&self) -> String {
        finish(self.analyze(), b"").ends_with(0).stdout
    }
}

fn signal(child: &Child, signal: Signal) {
    // It may have ended before.
    let _ = kill(Pid::from_raw(i32::try_from(child.id()).expect("a process id")), signal);
}

fn pause(random: &mut Random, most_ms: usize) {
    thread::sleep(Duration::from_micros(random.below(most_ms * 1_000) as u64));
}

/// Counts the outcomes and prints them at the end.
#[derive(Default)]
struct Outcomes(BTreeMap<String, usize>);

impl Outcomes {
    fn add(&mut self, outcome: impl Into<String>) {
        *self.0.entry(outcome.into()).or_default() += 1;
    }

    fn print(&self, what: &str) {
        let counts: Vec<String> = self.0.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        println!("{what}: {} trials: {}", self.0.values().sum::<usize>(), counts.join(", "));
    }
}

#[test]
fn an_interrupted_run_leaves_nothing_or_a_whole_report() {
    let evidence = Evidence::new();
    let expected = evidence.report();
    let mut outcomes = Outcomes::default();
    let mut random = Random::new(1);
    let signals = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGKILL];
    for (_, sent) in (0..trials()).zip(signals.into_iter().cycle()) {
        let folder = tempfile::tempdir().expect("a folder");
        let (report, cache) = (folder.path().join("report.json"), folder.path().join("cache"));
        let mut command = evidence.analyze();
        command.arg("--cache").arg(&cache).arg("-o").arg(&report).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        // From the very beginning to somewhere behind the end.
        pause(&mut random, 700);
        signal(&child, sent);
        child.wait().expect("a child can be waited for");
        for name in names(folder.path()) {
            match name.as_str() {
                "cache" => {
                    let kept = names(&cache);
                    assert!(kept.iter().all(|name| !name.starts_with('.')), "{sent}: {kept:?}");
                }
                "report.json" => assert_eq!(fs::read_to_string(&report).expect("a report"), expected, "{sent}"),
                other => panic!("{sent}: {other} is left behind"),
            }
        }
        outcomes.add(format!("{sent} with {}", if report.exists() { "a whole report" } else { "no report" }));
        // What is left in the cache does not make the next report a wrong one.
        let mut again = evidence.analyze();
        again.arg("--cache").arg(&cache);
        assert_eq!(finish(again, b"").ends_with(0).stdout, expected, "{sent}");
    }
    outcomes.print("signals");
}

/// A small disk, which is taken away at the end.
struct Disk(tempfile::TempDir);

impl Disk {
    /// A disk of this size; `None` where the tests may not mount any.
    fn new(kib: usize) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(folder.path());
        let is_mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        is_mounted.then(|| Self(folder))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_disk_that_becomes_full_leaves_no_half_report_and_is_named() {
    let evidence = Evidence::new();
    let expected = evidence.report();
    let mut outcomes = Outcomes::default();
    let mut random = Random::new(2);
    for _ in 0..trials() {
        let Some(disk) = Disk::new(4 + random.below(400)) else {
            println!("skipped: no disk can be mounted");
            return;
        };
        let (report, cache) = (disk.0.path().join("report.json"), disk.0.path().join("cache"));
        let mut command = evidence.analyze();
        let with_cache = random.below(2) == 0;
        if with_cache {
            command.arg("--cache").arg(&cache);
        }
        command.arg("-o").arg(&report);
        let ended = finish(command, b"");
        assert_eq!(names(disk.0.path()).iter().filter(|name| name.starts_with('.')).count(), 0);
        let outcome = if report.exists() { "whole reports" } else { "no report and exit code 2" };
        outcomes.add(outcome);
        if report.exists() {
            assert_eq!((ended.code, fs::read_to_string(&report).expect("a report")), (0, expected.clone()));
        } else {
            assert_eq!(ended.code, 2, "{ended:#?}");
            assert!(ended.stderr.contains("the disk is full"), "{ended:#?}");
        }
    }
    outcomes.print("full disk under the report");
}

#[test]
fn a_full_disk_under_temporary_files_costs_what_is_unpacked_there() {
    let evidence = Evidence::new();
    let expected: Value = serde_json::from_str(&evidence.report()).expect("a report");
    let mut outcomes = Outcomes::default();
    let mut random = Random::new(3);
    for _ in 0..trials() {
        let Some(disk) = Disk::new(4 + random.below(300)) else {
            println!("skipped: no disk can be mounted");
            return;
        };
        let mut command = evidence.analyze();
        command.env("TMPDIR", disk.0.path());
        let report = finish(command, b"").ends_with(0).json();
        let mut lost = 0;
        assert_eq!(list(&report, "artifacts").len(), list(&expected, "artifacts").len());
        for (was, is) in list(&expected, "artifacts").iter().zip(list(&report, "artifacts")) {
            if was != is {
                lost += 1;
                assert!(text(is, "path").contains(".zip!/"), "{is:#}");
                assert!(["failed", "partial"].contains(&text(is, "status")), "{is:#}");
                assert!(text(is, "detail").contains("No space left on device"), "{is:#}");
            }
        }
        outcomes.add(if lost > 0 { "with members that failed" } else { "with room for all" });
        assert_eq!(names(disk.0.path()), [""; 0]);
    }
    outcomes.print("full disk under temporary files");
}

#[test]
fn a_reader_that_goes_away_somewhere_ends_the_run_without_a_word() {
    let evidence = Evidence::new();
    let whole = evidence.report().len();
    let mut outcomes = Outcomes::default();
    let mut random = Random::new(4);
    for _ in 0..trials() {
        let mut child = evidence.analyze().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut pipe = child.stdout.take().expect("a pipe");
        let wanted = random.below(whole + whole / 4);
        let read = (&mut pipe).take(wanted as u64).read_to_end(&mut Vec::new()).expect("a pipe");
        drop(pipe);
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
        outcomes.add(if read < whole { "after a part" } else { "after all" });
    }
    outcomes.print("reader that goes away");
}

#[test]
fn slow_readers_and_a_stopped_process_change_nothing() {
    let evidence = Evidence::new();
    let expected = evidence.report();
    let mut outcomes = Outcomes::default();
    let mut random = Random::new(5);
    for _ in 0..trials() {
        let mut child = evidence.analyze().stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut pipe = child.stdout.take().expect("a pipe");
        let is_slow = random.below(2) == 0;
        let reader = thread::spawn(move || {
            let (mut all, mut part) = (Vec::new(), [0; 4096]);
            loop {
                match pipe.read(&mut part).expect("a pipe") {
                    0 => return all,
                    read => all.extend_from_slice(&part[..read]),
                }
                if is_slow {
                    thread::sleep(Duration::from_millis(2));
                }
            }
        });
        if !is_slow {
            for _ in 0..10 {
                pause(&mut random, 40);
                signal(&child, Signal::SIGSTOP);
                pause(&mut random, 20);
                signal(&child, Signal::SIGCONT);
            }
        }
        let printed = reader.join().expect("it ends");
        assert!(child.wait().expect("it ends").success());
        assert!(printed == expected.as_bytes(), "another report");
        outcomes.add(if is_slow { "with a slow reader" } else { "of a process that was stopped ten times" });
    }
    outcomes.print("slow output and stops");
}

/// Does something to a file that is being read: cuts, lengthens, damages, replaces or removes it, or puts it back.
fn change(path: &Path, content: &[u8], random: &mut Random) {
    let half = content.len() / 2;
    let at = random.below(content.len().max(1));
    let in_place = |bytes: &[u8]| drop(fs::write(path, bytes));
    match random.below(6) {
        0 => in_place(&content[..at]),
        1 => drop(fs::File::options().append(true).open(path).and_then(|mut file| file.write_all(&content[half..]))),
        2 => {
            let mut damaged = content.to_vec();
            damaged.iter_mut().skip(at).take(64).for_each(|byte| *byte ^= 0x5A);
            in_place(&damaged);
        }
        3 => {
            let beside = path.with_extension("new");
            let _ = fs::write(&beside, &content[half..]).and_then(|()| fs::rename(&beside, path));
        }
        4 => drop(fs::remove_file(path)),
        _ => in_place(content),
    }
}

#[test]
fn files_that_change_meanwhile_cost_only_themselves_and_spoil_no_later_run() {
    let evidence = Evidence::new();
    let expected = evidence.report();
    let whole: Value = serde_json::from_str(&expected).expect("a report");
    // Every second file stays as it is.
    let changed: Vec<(&PathBuf, &Vec<u8>)> = evidence.files.iter().step_by(2).collect();
    let kept: Vec<&PathBuf> = evidence.files.keys().skip(1).step_by(2).collect();
    let cache = tempfile::tempdir().expect("a folder");
    let mut outcomes = Outcomes::default();
    for trial in 0..trials() {
        let ended = AtomicBool::new(false);
        let mut command = evidence.analyze();
        command.arg("--cache").arg(cache.path());
        let run = thread::scope(|scope| {
            scope.spawn(|| {
                let mut random = Random::new(100 + trial);
                while !ended.load(Ordering::Relaxed) {
                    let (path, content) = changed[random.below(changed.len())];
                    change(path, content, &mut random);
                    pause(&mut random, 3);
                }
            });
            let run = finish(command, b"");
            ended.store(true, Ordering::Relaxed);
            run
        });
        let report = run.ends_with(0).json();
        for path in &kept {
            let name = path.to_str().expect("text");
            let (was, is) = (artifact(&whole, name), artifact(&report, name));
            assert_eq!(was, is);
        }
        let defect =
            list(&report, "artifacts").iter().find(|read| text(read, "detail").contains("defect of crashsift"));
        assert!(defect.is_none(), "{defect:#?}");
        let differs = list(&report, "artifacts") != list(&whole, "artifacts");
        outcomes.add(if differs { "with changed artifacts" } else { "with all as they were" });
        // As they were again: nothing that was kept meanwhile is believed.
        evidence.files.iter().for_each(|(path, content)| fs::write(path, content).expect("a file"));
        let mut again = evidence.analyze();
        again.arg("--cache").arg(cache.path());
        assert!(finish(again, b"").ends_with(0).stdout == expected, "another report in trial {trial}");
    }
    outcomes.print("files that change");
}
