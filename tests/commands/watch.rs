//! `crashsift watch`: every content that arrives is in exactly one report that counts, and whole, whatever happens to the process.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::program::{crashsift, finish, list, text};

/// The number of files in the long test; 5,000 is what the program is made for. With it, the built-in rules take part.
const FILES: &str = "CRASHSIFT_WATCH_FILES";
/// How long a file must not change: far longer than a text that is slowly written pauses.
const SETTLE: Duration = Duration::from_secs(2);
/// The files of one burst, and the pauses in and after it.
const BURST: usize = 40;
const PAUSE: Duration = Duration::from_millis(100);
/// After how many bursts a slow dump or archive goes on: longer than a file must not change.
const BURSTS_OF_SLOW: usize = 8;
/// The most memory that a run may use, KiB.
const MOST_MEMORY: u64 = 200 << 10;

struct Watched {
    folder: tempfile::TempDir,
}

impl Watched {
    fn new() -> Self {
        let watched = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir(watched.inbox()).expect("a folder");
        watched
    }

    fn inbox(&self) -> PathBuf {
        self.folder.path().join("inbox")
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Writes a file in the inbox, and the folder that it is in.
    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.inbox().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    fn command(&self, settle: &str, arguments: &[&str]) -> Command {
        let mut command = crashsift(["watch", "-q", "--interval", "50ms", "--settle", settle]);
        command.arg(self.inbox()).arg("--out").arg(self.out()).args(arguments);
        command
    }

    /// Analyzes what is there, and returns the lines about all drops so far.
    #[track_caller]
    fn once(&self, arguments: &[&str]) -> Vec<Value> {
        let own = ["--once", "--no-builtin-rules", "--rules", "tests/command_line/site.yaml"];
        finish(self.command("100ms", &[&own, arguments].concat()), b"").ends_with(0);
        self.drops()
    }

    fn drops(&self) -> Vec<Value> {
        let lines = fs::read_to_string(self.out().join("drops.jsonl")).unwrap_or_default();
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    fn report(&self, drop: &Value) -> Value {
        let report = fs::read(self.out().join(text(drop, "report"))).expect("a report");
        serde_json::from_slice(&report).expect("JSON")
    }

    /// The lines about drops whose reports were not replaced.
    fn counting(&self) -> Vec<Value> {
        let mut drops = self.drops();
        let replaced = drops.iter().filter_map(|drop| drop["replaces"].as_array()).flatten();
        let replaced: BTreeSet<String> = replaced.map(|name| name.as_str().expect("a name").to_owned()).collect();
        drops.retain(|drop| drop.get("report").is_some() && !replaced.contains(text(drop, "report")));
        drops
    }

    /// Of all artifacts in the reports that count, by path: status and size.
    fn artifacts(&self) -> BTreeMap<String, Vec<(String, u64)>> {
        let mut all: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
        for drop in self.counting() {
            for artifact in list(&self.report(&drop), "artifacts") {
                let about = (text(artifact, "status").to_owned(), artifact["bytes"].as_u64().expect("a size"));
                all.entry(text(artifact, "path").to_owned()).or_default().push(about);
            }
        }
        all
    }
}

fn ticket(number: usize) -> String {
    format!("Case {number}: python.exe stopped with exit code -1073740791 (0xC0000409) on PC-{number}\n")
}

fn dump() -> Vec<u8> {
    fs::read("samples/stack-overflow/python.exe.5316.dmp").expect("a sample")
}

/// Folder, files analyzed and files known of each drop.
fn about(drops: &[Value]) -> Vec<(&str, u64, u64)> {
    let number = |drop: &Value, key: &str| drop[key].as_u64().expect("a number");
    drops.iter().map(|drop| (text(drop, "drop"), number(drop, "files"), number(drop, "known"))).collect()
}

#[test]
fn each_content_is_analyzed_once_and_each_drop_has_its_reports() {
    let watched = Watched::new();
    watched.put("PC-1/a.txt", ticket(1));
    watched.put("PC-1/logs/b.txt", ticket(2));
    watched.put("loose.txt", ticket(3));
    watched.put("same.txt", ticket(1));
    watched.put("begun.dmp.part", b"MDMP");
    watched.put("x.pdf", b"%PDF");
    let without_pdf = ["--exclude", "*.pdf"];
    let drops = watched.once(&without_pdf);
    // Loose files first, then folders by name.
    assert_eq!(about(&drops), [("", 2, 0), ("PC-1", 2, 0)]);
    assert_eq!(list(&watched.report(&drops[1]), "incidents").len(), 2);
    assert!(drops.iter().all(|drop| watched.out().join(text(drop, "page")).is_file()));
    assert_eq!(watched.once(&without_pdf).len(), 2);
    // Nothing of it is new under another name.
    fs::rename(watched.inbox().join("loose.txt"), watched.inbox().join("renamed.txt")).expect("renamed");
    assert_eq!(about(&watched.once(&without_pdf)[2..]), [("", 0, 1)]);
    watched.put("later.txt", ticket(4));
    watched.put("again.txt", ticket(1));
    assert_eq!(about(&watched.once(&without_pdf)[3..]), [("", 1, 1)]);
}

#[test]
fn a_folder_in_which_more_arrives_is_judged_whole_and_its_earlier_report_is_replaced() {
    let watched = Watched::new();
    let sample = |name: &str| fs::read(Path::new("samples/one-crash-three-artifacts").join(name)).expect("a sample");
    watched.put("PC-1/python.exe.10244.dmp", sample("python.exe.10244.dmp"));
    let first = watched.once(&[]);
    watched.put("PC-1/Application.evtx", sample("Application.evtx"));
    let drops = watched.once(&[]);
    assert_eq!(about(&drops), [("PC-1", 1, 0), ("PC-1", 2, 0)]);
    assert_eq!(drops[1]["replaces"], serde_json::json!([first[0]["report"]]));
    assert!(["report", "page"].iter().all(|key| !watched.out().join(text(&first[0], key)).exists()));
    let mut whole =
        crashsift(["analyze", "-f", "json", "--no-builtin-rules", "--rules", "tests/command_line/site.yaml"]);
    whole.arg(watched.inbox().join("PC-1"));
    let whole: Value = serde_json::from_slice(&finish(whole, b"").ends_with(0).stdout.into_bytes()).expect("JSON");
    let report = watched.report(&drops[1]);
    assert_eq!(list(&report, "incidents"), list(&whole, "incidents"));
    // What is no longer in the folder stays in its report.
    fs::remove_file(watched.inbox().join("PC-1/python.exe.10244.dmp")).expect("removed");
    watched.put("PC-1/note.txt", ticket(1));
    let drops = watched.once(&[]);
    assert_eq!(about(&drops[2..]), [("PC-1", 2, 0)]);
    assert_eq!(drops[2].get("replaces"), None);
    assert_eq!(watched.report(&drops[1]), report);
}

#[test]
fn what_is_not_whole_is_waited_for_and_analyzed_in_the_end() {
    let watched = Watched::new();
    let dump = dump();
    watched.put("PC-1/half.dmp", &dump[..dump.len() / 2]);
    watched.put("PC-1/notes.txt", ticket(1));
    watched.put("PC-2/empty.txt", b"");
    let start = Instant::now();
    let drops = watched.once(&["--patience", "2s"]);
    assert!(start.elapsed() >= Duration::from_secs(2));
    assert_eq!(about(&drops), [("PC-1", 2, 0), ("PC-2", 1, 0)]);
    assert_eq!((&drops[0]["partial"], &drops[0]["failed"]), (&1.into(), &0.into()));
    // The rest is another content, and the report of the half is replaced.
    watched.put("PC-1/half.dmp", &dump);
    let drops = watched.once(&["--patience", "100s"]);
    assert_eq!(about(&drops[2..]), [("PC-1", 2, 0)]);
    assert_eq!((&drops[2]["partial"], &drops[2]["replaces"]), (&0.into(), &serde_json::json!([drops[0]["report"]])));
}

#[test]
fn a_report_stays_until_another_has_all_its_files() {
    let watched = Watched::new();
    let dump = dump();
    let half = &dump[..dump.len() / 2];
    watched.put("PC-1/half.dmp", half);
    watched.put("PC-2/log.txt", ticket(1));
    let redacted = ["--patience", "2s", "--redact"];
    assert_eq!(about(&watched.once(&redacted)), [("", 1, 0), ("", 1, 0)]);
    // The damaged dump is cleared away, and something new arrives: its report stays.
    fs::remove_file(watched.inbox().join("PC-1/half.dmp")).expect("removed");
    watched.put("PC-1/a.txt", ticket(2));
    // A text that has grown is the same one.
    watched.put("PC-2/log.txt", ticket(1) + &ticket(3));
    let drops = watched.once(&redacted);
    let replaces = |drop: &Value| drop["replaces"].as_array().map_or(0, Vec::len);
    assert_eq!(drops[2..].iter().map(replaces).collect::<Vec<_>>(), [0, 1]);
    // Nor is the whole of one whose space was reserved before it was written.
    let reserved: Vec<u8> = half.iter().copied().chain(dump[half.len()..].iter().map(|_| 0)).collect();
    watched.put("PC-3/python.dmp", reserved);
    let drops = watched.once(&redacted);
    watched.put("PC-3/python.dmp", &dump);
    let drops = watched.once(&redacted)[drops.len() - 1..].to_vec();
    assert_eq!((&drops[0]["partial"], &drops[1]["partial"]), (&1.into(), &0.into()));
    assert_eq!(drops.iter().map(replaces).collect::<Vec<_>>(), [0, 1]);
    // Another text in its place is not.
    watched.put("PC-2/log.txt", ticket(4));
    let drops = watched.once(&redacted);
    assert_eq!(drops[6..].iter().map(replaces).collect::<Vec<_>>(), [0]);
    // What comes back is the same, whatever it is called.
    watched.put("PC-1/again.dmp", half);
    watched.put("PC-1/b.txt", ticket(5));
    let drops = watched.once(&redacted);
    assert_eq!(drops[7..].iter().map(replaces).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_drop_without_anything_new_has_a_line_and_no_report() {
    let watched = Watched::new();
    watched.put("PC-1/a.txt", ticket(1));
    watched.put("PC-1/b.txt", ticket(2));
    let _ = watched.once(&[]);
    watched.put("PC-2/copy.txt", ticket(1));
    fs::rename(watched.inbox().join("PC-1/b.txt"), watched.inbox().join("PC-1/c.txt")).expect("renamed");
    for _ in 0..2 {
        let told = watched.command("100ms", &["--once", "--exec", "no such program"]);
        // A program that can't be started is named.
        assert_eq!(finish(told, b"").ends_with(0).stderr, "");
        let drops = watched.drops();
        assert_eq!(about(&drops[1..]), [("PC-1", 0, 1), ("PC-2", 0, 1)]);
        assert!(drops[1].get("report").is_none() && drops[1].get("page").is_none(), "{drops:?}");
    }
}

/// Rights of files, as somebody meets them who is not root.
#[cfg(unix)]
mod rights {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    use super::*;

    /// The user `nobody`, as most systems number it.
    const NOBODY: u32 = 65534;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("rights");
    }

    impl Watched {
        /// Watches once, as root by another user, who may not read what nobody may read.
        fn once_by_user(&self) -> (Vec<Value>, String) {
            let own = ["--once", "--no-builtin-rules", "--rules", "site.yaml", "--patience", "200ms"];
            let with_rules = self.command("100ms", &own);
            let folder = self.folder.path();
            let program = folder.join("crashsift");
            if !program.exists() {
                let built = Path::new(env!("CARGO_BIN_EXE_crashsift"));
                fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(|_| ())).expect("a program");
                fs::copy("tests/command_line/site.yaml", folder.join("site.yaml")).expect("rules");
                fs::create_dir(self.out()).expect("a folder");
                set(folder, 0o777);
                set(&self.out(), 0o777);
            }
            let mut command = Command::new(program);
            command.args(with_rules.get_args()).current_dir(folder).stdin(Stdio::null());
            command.envs(with_rules.get_envs().filter_map(|(name, value)| Some((name, value?))));
            let probe = folder.join("probe");
            fs::write(&probe, b"").expect("a file");
            set(&probe, 0o000);
            if File::open(&probe).is_ok() {
                command.uid(NOBODY).gid(NOBODY);
            }
            fs::remove_file(probe).expect("removed");
            let ran = finish(command, b"").ends_with(0);
            (self.drops(), ran.stderr)
        }
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_named() {
        let watched = Watched::new();
        watched.put("PC-1/a.txt", ticket(1));
        let folder = watched.inbox().join("PC-1");
        set(&folder, 0o000);
        let (drops, stderr) = watched.once_by_user();
        set(&folder, 0o755);
        assert!(drops.is_empty() && stderr.contains("PC-1: not watched"), "{stderr}");
        assert_eq!(about(&watched.once_by_user().0), [("PC-1", 1, 0)]);
    }

    #[test]
    fn a_file_that_could_not_be_read_is_read_when_it_can_be() {
        let watched = Watched::new();
        watched.put("PC-1/a.txt", ticket(1));
        let path = watched.inbox().join("PC-1/a.txt");
        set(&path, 0o000);
        for _ in 0..2 {
            let (drops, _) = watched.once_by_user();
            assert_eq!((about(&drops), &drops[0]["failed"]), (vec![("PC-1", 1, 0)], &1.into()));
        }
        // It is not forgotten when others arrive, new ones and known ones.
        watched.put("PC-1/b.txt", ticket(2));
        let _ = watched.once_by_user();
        watched.put("PC-1/c.txt", ticket(2));
        let (drops, _) = watched.once_by_user();
        assert_eq!(about(&drops[1..]), [("PC-1", 2, 0), ("PC-1", 0, 1)]);
        set(&path, 0o644);
        for _ in 0..2 {
            let (drops, _) = watched.once_by_user();
            assert_eq!((about(&drops[3..]), &drops[3]["failed"]), (vec![("PC-1", 2, 1)], &0.into()));
            assert_eq!(drops[3]["replaces"], serde_json::json!([drops[1]["report"]]));
        }
    }
}

#[test]
fn redacted_reports_and_their_names_do_not_name_the_folder() {
    let watched = Watched::new();
    watched.put("DESKTOP-A1B2C3/a.txt", "Computer: DESKTOP-A1B2C3\nexit code -1073740791\n");
    watched.put("DESKTOP-OTHER1/a.txt", ticket(1));
    let _ = watched.once(&["--exclude", "DESKTOP-A1B2C3/*"]);
    let lines = watched.out().join("drops.jsonl");
    fs::remove_file(lines).expect("removed");
    watched.put("DESKTOP-OTHER1/b.txt", ticket(2));
    let told = finish(watched.command("100ms", &["--once", "--redact"]), b"").ends_with(0);
    assert_eq!(told.stderr, "");
    let drops = watched.drops();
    assert_eq!(about(&drops), [("", 1, 0), ("", 2, 0)]);
    // A report of a run without redaction has the folder's name.
    assert_eq!(drops[1].get("replaces"), None);
    assert_eq!(fs::read_dir(watched.out()).expect("a folder").count(), 2 * 2 + 3);
    assert!(text(&drops[0], "report").starts_with("drop-"));
    let names = fs::read_dir(watched.out()).expect("a folder").map(|entry| entry.expect("an entry").path());
    for path in names.filter(|path| path.is_file()) {
        let content = String::from_utf8(fs::read(&path).expect("a file")).expect("text");
        assert!(!content.contains("A1B2C3") && !path.ends_with("A1B2C3"), "{}", path.display());
    }
}

#[test]
fn mistakes_in_folders_are_usage_errors() {
    let watched = Watched::new();
    let refused = |inbox: &Path, out: &Path| {
        let mut command = crashsift(["watch", "--once"]);
        command.arg(inbox).arg("--out").arg(out);
        finish(command, b"").ends_with(2).stderr
    };
    assert!(refused(&watched.inbox().join("missing"), &watched.out()).contains("no such folder"));
    assert!(refused(&watched.inbox(), &watched.inbox().join("out")).contains("it lies in the folder that is watched"));
    assert!(!watched.inbox().join("out").exists());
    fs::create_dir(watched.out()).expect("a folder");
    fs::write(watched.out().join("watch-state.jsonl"), "{}\n{}\n").expect("a file");
    assert!(refused(&watched.inbox(), &watched.out()).contains("everything is analyzed again"));
}

#[cfg(unix)]
#[test]
fn a_program_is_run_with_the_path_of_each_report() {
    use std::os::unix::fs::PermissionsExt;
    let watched = Watched::new();
    let program = watched.folder.path().join("tell me.sh");
    fs::write(&program, "#!/bin/sh\nprintf '%s|%s\\n' \"$#\" \"$1\" >> \"$(dirname \"$0\")/told\"\nexit 3\n")
        .expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
    watched.put("$(PC) 1; x/a.txt", ticket(1));
    let command = watched.command("100ms", &["--once", "--exec", program.to_str().expect("text")]);
    let ran = finish(command, b"").ends_with(0);
    assert!(ran.stderr.contains("exit status: 3"), "{ran:#?}");
    let drops = watched.drops();
    assert_eq!(text(&drops[0], "drop"), "$(PC) 1; x");
    let report = watched.out().join(text(&drops[0], "report"));
    let told = fs::read_to_string(watched.folder.path().join("told")).expect("told");
    assert_eq!(told, format!("1|{}\n", report.display()));
}

/// A file that is sent.
struct Sent {
    path: PathBuf,
    content: Vec<u8>,
    /// How it is written: at once, in three parts with short pauses, or half of it much later than the other half.
    pace: Pace,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    AtOnce,
    Slow,
    VerySlow,
}

/// The files of the long test: texts, dumps and archives, in folders and loose; half of them are written slowly.
fn files(inbox: &Path, count: usize) -> Vec<Sent> {
    let dump = dump();
    let sent = |number: usize| {
        let folder =
            if number.is_multiple_of(5) { inbox.to_path_buf() } else { inbox.join(format!("drop-{}", number / 25)) };
        // A dump with a number behind it is another content.
        let (ending, content) = match number % 20 {
            3 | 4 => ("dmp", [&dump[..], &number.to_le_bytes()].concat()),
            11 => {
                let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
                packed.write_all(ticket(number).as_bytes()).expect("memory");
                ("txt.gz", packed.finish().expect("memory"))
            }
            _ => ("txt", ticket(number).into_bytes()),
        };
        let pace = match (number % 2, ending) {
            (0, _) => Pace::AtOnce,
            (_, "txt") => Pace::Slow,
            // Their readers notice that something is missing.
            _ => Pace::VerySlow,
        };
        Sent { path: folder.join(format!("{number}.{ending}")), content, pace }
    };
    (0..count).map(sent).collect()
}

/// Writes the files in bursts, and copies of some.
fn deliver(files: &[Sent]) {
    let append = |sent: &Sent, from: usize, to: usize| {
        let mut file = File::options().append(true).create(true).open(&sent.path).expect("a file");
        file.write_all(&sent.content[from..to]).expect("written");
    };
    let halves = |sent: &Sent| (sent.content.len() / 3, sent.content.len() / 2, sent.content.len());
    let bursts: Vec<&[Sent]> = files.chunks(BURST).collect();
    for number in 0..bursts.len() + BURSTS_OF_SLOW {
        let burst = bursts.get(number).copied().unwrap_or_default();
        for sent in burst {
            fs::create_dir_all(sent.path.parent().expect("a folder")).expect("a folder");
            let (third, half, all) = halves(sent);
            append(sent, 0, [all, third, half][sent.pace as usize]);
        }
        for copied in burst.iter().filter(|sent| sent.pace == Pace::AtOnce).step_by(10) {
            fs::copy(&copied.path, copied.path.with_extension("copy")).expect("a copy");
        }
        let slow = || burst.iter().filter(|sent| sent.pace == Pace::Slow);
        thread::sleep(PAUSE);
        slow().for_each(|sent| append(sent, halves(sent).0, halves(sent).1));
        thread::sleep(PAUSE);
        slow().for_each(|sent| append(sent, halves(sent).1, halves(sent).2));
        thread::sleep(PAUSE);
        let before = number.checked_sub(BURSTS_OF_SLOW).and_then(|before| bursts.get(before).copied());
        let very_slow = before.unwrap_or_default().iter().filter(|sent| sent.pace == Pace::VerySlow);
        very_slow.for_each(|sent| append(sent, halves(sent).1, halves(sent).2));
    }
}

/// The most memory that a process has used so far, KiB, where the system tells.
fn peak_memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
    peak.unwrap_or(0)
}

#[test]
fn a_watch_that_is_killed_again_and_again_misses_nothing_and_reads_nothing_twice() {
    let given: Option<usize> = std::env::var(FILES).ok().map(|number| number.parse().expect("a number of files"));
    let (count, kills, rules) = match given {
        Some(count) => (count, 10, &[][..]),
        None => (200, 4, &["--no-builtin-rules"][..]),
    };
    let watched = Watched::new();
    let settle = format!("{}s", SETTLE.as_secs());
    let run = |arguments: &[&str]| {
        let mut command = watched.command(&settle, &[rules, arguments].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
    };
    let start = Instant::now();
    let sent = files(&watched.inbox(), count);
    let mut peak = 0;
    thread::scope(|scope| {
        let sender = scope.spawn(|| deliver(&sent));
        // At all times of a run: while it starts, waits, reads and writes.
        for kill in 0..kills {
            let mut child = run(&[]);
            thread::sleep(SETTLE + Duration::from_millis(137 * kill));
            peak = peak.max(peak_memory(&child));
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
        let mut child = run(&[]);
        while !sender.is_finished() {
            thread::sleep(PAUSE);
            peak = peak.max(peak_memory(&child));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
    });
    let delivered = start.elapsed();
    let mut child = run(&["--once"]);
    let ended = loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => break status,
            None => peak = peak.max(peak_memory(&child)),
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert!(ended.success(), "{ended}");

    let read = watched.artifacts();
    let mut named = BTreeSet::new();
    for Sent { path, content, .. } in &sent {
        // Of a content and its copy, one was analyzed.
        let paths = [path.clone(), path.with_extension("copy")];
        let found: Vec<_> = paths.iter().filter_map(|path| read.get_key_value(path.to_str().expect("text"))).collect();
        let [(name, found)] = found[..] else { panic!("{}: {found:?}", path.display()) };
        assert_eq!(found.as_slice(), [("ok".to_owned(), content.len() as u64)], "{name}");
        named.insert(name.clone());
    }
    // The others are members of archives.
    assert!(read.keys().all(|path| named.contains(path) || path.contains(".gz!/")), "{read:#?}");
    let drops = watched.counting();
    let reports: BTreeSet<&str> = drops.iter().flat_map(|drop| [text(drop, "report"), text(drop, "page")]).collect();
    let own = ["drops.jsonl", "watch-state.jsonl", "watch.lock"];
    for entry in fs::read_dir(watched.out()).expect("a folder") {
        // Nothing is left of the runs that were killed, nor of reports that were replaced.
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        assert!(reports.contains(name.as_str()) || own.contains(&name.as_str()), "{name}");
    }
    let slow = sent.iter().filter(|sent| sent.pace != Pace::AtOnce).count();
    println!(
        "{count} files, {slow} of them slow, in {delivered:?}; {} killed runs; {} drops with {} incidents; at most {peak} KiB; {:?}",
        kills + 1,
        drops.len(),
        drops.iter().filter_map(|drop| drop["incidents"].as_u64()).sum::<u64>(),
        start.elapsed()
    );
    assert!(peak < MOST_MEMORY, "{peak} KiB");
}
