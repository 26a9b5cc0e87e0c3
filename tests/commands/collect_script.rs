//! `collect-script`: what it prints is a whole script whatever the evidence contains, and what the script collects can be read.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::write::DeflateEncoder;
use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout};
use samplekit::{FileTime, FileVersion, Guid};

use crate::program::{list, run, text};

const NOON: FileTime = FileTime::utc(2024, 5, 20, 12, 0, 0);
/// Names that no file system forbids in evidence, which is only text.
const HOSTILE: [&str; 8] = [
    "a'; calc; '.exe",
    "$(calc).exe",
    "%COMSPEC%.exe",
    "a\nRemove-Item x.exe",
    "\u{2019}; calc; \u{2018}.exe",
    "a\" & calc & \".exe",
    "`$(x)`n.exe",
    "}) { calc } ({.exe",
];

fn crash(program: &str) -> Crash {
    let image = |path: String| Image { path, version: Some(FileVersion([2, 1, 0, 7])), timestamp: 7 };
    Crash {
        app: image(format!(r"C:\Program Files\Demo\{program}")),
        module: image(r"C:\Program Files\Demo\plugin.dll".to_owned()),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: NOON.minus_seconds(3600),
        time: NOON,
        report_id: Guid::made_up("collected"),
    }
}

fn log(program: &str) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-21");
    log.add(crash(program).application_error(Layout::Positional).channel("Application"));
    log.to_bytes()
}

fn script(arguments: &[&str]) -> String {
    run(["collect-script"].iter().chain(arguments)).ends_with(0).stdout
}

/// What is wrong with a script's quotes and brackets, by PowerShell's rules for single and double quotes, comments and the
/// backtick; it has no here-strings.
fn mistake(script: &str) -> Option<String> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut line = 1;
    let mut rest = script.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => line += 1,
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '`' => drop(rest.next()),
            '\'' | '"' => {
                let begin = line;
                loop {
                    match rest.next() {
                        None => return Some(format!("line {begin}: the text does not end")),
                        Some('\n') => return Some(format!("line {begin}: a line ends within a text")),
                        Some('`') if c == '"' => drop(rest.next()),
                        Some(end) if end == c && rest.next_if_eq(&c).is_none() => break,
                        Some(_) => {}
                    }
                }
            }
            '(' | '{' | '[' => open.push((c, line)),
            ')' | '}' | ']' => {
                let wanted = match c {
                    ')' => '(',
                    '}' => '{',
                    _ => '[',
                };
                match open.pop() {
                    Some((begun, _)) if begun == wanted => {}
                    other => return Some(format!("line {line}: {c} closes {other:?}")),
                }
            }
            _ => {}
        }
    }
    open.pop().map(|(c, line)| format!("line {line}: {c} is not closed"))
}

#[test]
fn scripts_are_ascii_with_balanced_quotes_and_brackets_and_lines_of_windows() {
    for arguments in [&[][..], &["--memory-dumps", "--days", "3"], &["--program", "ledger.exe"]] {
        let powershell = script(arguments);
        assert_eq!(mistake(&powershell), None);
        let batch = script(&[arguments, &["--cmd"]].concat());
        for script in [powershell, batch] {
            assert!(script.is_ascii());
            assert_eq!(script.matches('\n').count(), script.matches("\r\n").count());
        }
    }
    assert!(mistake("@('a)").is_some() && mistake("{ ( }").is_some() && mistake("'it''s' \"a`\"b\" # '").is_none());
}

#[test]
fn hostile_names_stay_values() {
    let plain = script(&["--program", "a.exe"]);
    for name in HOSTILE {
        let powershell = script(&["--program", name]);
        assert_eq!(mistake(&powershell), None, "{name}");
        assert!(powershell.is_ascii());
        // Only the line with the name differs.
        let changed: Vec<&str> =
            powershell.lines().zip(plain.lines()).filter(|(one, other)| one != other).map(|(one, _)| one).collect();
        let [value] = changed.as_slice() else { panic!("{name}: {changed:#?}") };
        assert!(value.starts_with("$Program = '") || value.starts_with("$Program = ('"), "{value}");
        assert_eq!(powershell.lines().count(), plain.lines().count());
        let batch = script(&["--cmd", "--program", name]);
        assert!(batch.contains("set \"PROGRAM=\"\r\n") && !batch.contains("calc"), "{name}: {batch}");
    }
}

#[test]
fn a_script_for_an_incident_is_about_its_program_and_time() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, name) in ["demo.exe"].iter().chain(&HOSTILE[..3]).enumerate() {
        let file = folder.path().join(format!("{number}.evtx"));
        fs::write(&file, log(name)).expect("written");
        let file = file.to_string_lossy().into_owned();
        let powershell = script(&["--for", "1", &file]);
        assert_eq!(mistake(&powershell), None, "{name}");
        assert!(powershell.contains("$From = ([datetime]'2024-05-06T12:00:0"), "{powershell}");
        assert!(powershell.contains("$Until = ([datetime]'2024-05-21T12:00:0"));
        assert_eq!(powershell.contains("$Program = 'demo.exe'\r\n"), number == 0);
        assert_eq!(powershell.contains(r"$ProgramPath = 'C:\Program Files\Demo\demo.exe'"), number == 0);
        assert!(script(&["--cmd", "--for", "1", &file]).contains("set \"SINCE=20240506\"\r\n"));
    }
    let file = folder.path().join("0.evtx").to_string_lossy().into_owned();
    assert!(run(["collect-script", "--for", "7", &file]).ends_with(2).stderr.contains("--for 7"));
    run(["collect-script", "--for", "1"]).ends_with(2);
}

#[test]
fn large_dumps_are_only_taken_when_asked_for() {
    assert!(script(&[]).contains("$MemoryDumps = $false\r\n"));
    assert!(script(&["--memory-dumps"]).contains("$MemoryDumps = $true\r\n"));
    assert!(script(&["--cmd"]).contains("set \"MEMORYDUMPS=\"\r\n"));
    assert!(script(&["--cmd", "--memory-dumps"]).contains("set \"MEMORYDUMPS=1\"\r\n"));
}

/// A zip file with these members, compressed, as .NET and tar write it.
fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).expect("memory");
        let packed = encoder.finish().expect("memory");
        let at = u32::try_from(file.len()).expect("small");
        let mut common = Vec::new();
        common.extend([20_u8, 0, 0, 8, 8, 0, 0, 0, 0x21, 0x58]);
        common.extend(crc32fast::hash(content).to_le_bytes());
        common.extend(u32::try_from(packed.len()).expect("small").to_le_bytes());
        common.extend(u32::try_from(content.len()).expect("small").to_le_bytes());
        common.extend(u16::try_from(name.len()).expect("small").to_le_bytes());
        common.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(name.as_bytes());
        file.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0_u8; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, size) = (u32::try_from(file.len()).expect("small"), u32::try_from(directory.len()).expect("small"));
    let count = u16::try_from(members.len()).expect("few").to_le_bytes();
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count, count].concat());
    file.extend(size.to_le_bytes());
    file.extend(at.to_le_bytes());
    file.extend([0, 0]);
    file
}

#[test]
fn what_the_script_collects_is_read_as_one_computer() {
    let crash = crash("demo.exe");
    let drivers = "\"Module Name\",\"Display Name\",\"Driver Type\",\"State\",\"Path\"\r\n\"nvlddmkm\",\"nvlddmkm\",\"Kernel \",\"Running\",\"C:\\Windows\\system32\\DriverStore\\nvlddmkm.sys\"\r\n";
    let modules = "\"Path\",\"FileVersion\",\"ProductVersion\",\"Company\",\"Bytes\",\"Written\"\r\n\"C:\\Program Files\\Demo\\plugin.dll\",\"2.1.0.7\",\"2.1\",\"Demo\",\"4096\",\"2024-01-01 00:00:00Z\"\r\n";
    let collected = "Evidence of PC-21, 2024-05-06 12:00:00Z to 2024-05-21 12:00:00Z\r\nnot readable: C:\\Windows\\Minidump\r\n\r\nTaken: 3 files\r\n  Logs\\Application.evtx  68 KB\r\n  WER\\ReportArchive\\AppCrash_demo.exe_1\\Report.wer  9 KB\r\n";
    let nvidia = "==============NVSMI LOG==============\r\nDriver Version                            : 546.33\r\nCUDA Version                              : 12.3\r\n";
    let names = |between: &str, begin: &str| {
        let at = |parts: &[&str]| format!("{begin}{}", parts.join(between));
        [
            (at(&["Logs", "Application.evtx"]), log("demo.exe")),
            (
                at(&["WER", "ReportArchive", "AppCrash_demo.exe_1", "Report.wer"]),
                crash.report((22631, 3447), &[]).to_bytes(),
            ),
            (at(&["drivers.csv"]), drivers.into()),
            (at(&["modules.csv"]), modules.into()),
            (at(&["nvidia-smi.txt"]), nvidia.into()),
            (at(&["collected.txt"]), collected.into()),
        ]
    };
    let folder = tempfile::tempdir().expect("a folder");
    // The script's own names, those of tar.exe, and those of Compress-Archive.
    for (number, (between, begin)) in [("/", ""), ("/", "./"), ("\\", "")].into_iter().enumerate() {
        let members = names(between, begin);
        let members: Vec<(&str, Vec<u8>)> =
            members.iter().map(|(name, content)| (name.as_str(), content.clone())).collect();
        let path = folder.path().join(format!("crash-evidence-PC-21-{number}.zip"));
        fs::write(&path, zip(&members)).expect("written");
        let report = run(["analyze", "-f", "json", &path.to_string_lossy()]).ends_with(0).json();
        let incidents = list(&report, "incidents");
        assert_eq!(incidents.len(), 1, "{between}{begin}: {report:#}");
        assert_eq!(text(&incidents[0], "host"), "PC-21");
        let of = list(&incidents[0], "evidence").iter().map(|item| Path::new(text(item, "artifact")));
        let mut of: Vec<String> =
            of.map(|path| path.to_string_lossy().rsplit(['/', '\\']).next().unwrap_or_default().to_owned()).collect();
        of.dedup();
        assert_eq!(of, ["Application.evtx", "Report.wer"], "{report:#}");
        let failed = list(&report, "artifacts").iter().filter(|artifact| text(artifact, "status") == "failed").count();
        assert_eq!(failed, 0, "{report:#}");
    }
}

/// With PowerShell on the machine, its own parser reads the scripts.
#[test]
fn powershell_parses_the_script_where_there_is_one() {
    let parse = "$e = $null; $null = [Management.Automation.Language.Parser]::ParseFile($args[0], [ref]$null, [ref]$e); $e | ForEach-Object { $_.Message }; exit $e.Count";
    let folder = tempfile::tempdir().expect("a folder");
    for (number, name) in HOSTILE.iter().enumerate() {
        let file = folder.path().join(format!("{number}.ps1"));
        fs::write(&file, script(&["--program", name])).expect("written");
        let checker = folder.path().join("check.ps1");
        fs::write(&checker, parse).expect("written");
        let Ok(run) = std::process::Command::new("pwsh").args(["-NoProfile", "-File"]).args([&checker, &file]).output()
        else {
            eprintln!("no pwsh on this machine");
            return;
        };
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stdout));
    }
}
