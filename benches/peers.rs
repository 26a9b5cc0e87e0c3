//! One `crashsift analyze` over a folder of dumps against `minidump-stackwalk --json` once for each file: CPU time,
//! wall time and peak memory of whole processes, in turn, in one run.
//!
//! Needs `CRASHSIFT_CORPUS` (a folder below which minidumps lie; they are copied until there are at least 1,000) and
//! the peer: `cargo install minidump-stackwalk --version 0.27.0 --locked`, found on `PATH` or named by
//! `MINIDUMP_STACKWALK`. Without them the bench prints a note and does nothing.
//!
//!     CRASHSIFT_CORPUS=... cargo bench --bench peers

mod cost;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The dumps that are copied are repeated until there are this many.
const DUMPS: usize = 1_000;

fn main() {
    if cost::was_asked_for_peak() {
        return;
    }
    if let Err(reason) = run() {
        println!("not measured: {reason}");
    }
}

fn run() -> Result<(), String> {
    let corpus = std::env::var_os("CRASHSIFT_CORPUS").ok_or("CRASHSIFT_CORPUS is not set")?;
    let peer = std::env::var_os("MINIDUMP_STACKWALK").unwrap_or_else(|| "minidump-stackwalk".into());
    Command::new(&peer)
        .arg("--version")
        .output()
        .map_err(|error| format!("minidump-stackwalk can't be run: {error}"))?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dumps = replicate(Path::new(&corpus), folder.path()).map_err(|error| error.to_string())?;
    let bytes: u64 = dumps.iter().filter_map(|path| fs::metadata(path).ok()).map(|about| about.len()).sum();
    println!("{} minidumps, {} MiB; {}", dumps.len(), bytes >> 20, cost::about());

    let analyze = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crashsift"));
        command.args(["analyze", "-f", "json", "--no-progress", "-q"]).args(arguments).arg(folder.path());
        command
    };
    let [with, without, theirs] =
        cost::in_turn([&|| silent(&mut analyze(&[])), &|| silent(&mut analyze(&["--no-stack-walk"])), &|| {
            dumps.iter().try_for_each(|dump| silent(Command::new(&peer).arg("--json").arg(dump)))
        }])?;
    println!("minidump-stackwalk --json, a process a dump: {}", cost::medians(&theirs));
    cost::print("crashsift analyze", &with, &theirs);
    cost::print("crashsift analyze --no-stack-walk", &without, &theirs);
    println!("peak memory of crashsift analyze: {:.0} MiB", cost::peak(&analyze(&[]))?);
    Ok(())
}

/// Copies every minidump below `corpus`, again and again, until there are enough.
fn replicate(corpus: &Path, into: &Path) -> std::io::Result<Vec<PathBuf>> {
    let originals: Vec<PathBuf> = walkdir::WalkDir::new(corpus)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| is_minidump(path))
        .collect();
    if originals.is_empty() {
        return Err(std::io::Error::other("no minidump in CRASHSIFT_CORPUS"));
    }
    let mut copies = Vec::new();
    for (number, original) in originals.iter().cycle().take(DUMPS.next_multiple_of(originals.len())).enumerate() {
        let copy = into.join(format!("{number:05}.dmp"));
        let mut content = fs::read(original)?;
        make_distinct(&mut content, u32::try_from(number).unwrap_or(0));
        fs::write(&copy, content)?;
        copies.push(copy);
    }
    Ok(copies)
}

/// Gives a copy its own time and process id. Copies of one dump are evidence of one crash, and would be joined.
fn make_distinct(dump: &mut [u8], number: u32) {
    const MISC_INFO: u32 = 15;
    let value = |dump: &[u8], at: usize| Some(u32::from_le_bytes(dump.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let misc_info = || {
        let (count, directory) = (value(dump, 8)?.min(4096) as usize, value(dump, 12)? as usize);
        (0..count).find_map(|entry| {
            let at = directory.checked_add(entry.checked_mul(12)?)?;
            (value(dump, at)? == MISC_INFO).then(|| value(dump, at.checked_add(8)?)).flatten()
        })
    };
    // MINIDUMP_HEADER has its time at 20, MINIDUMP_MISC_INFO its process id at 8.
    let places = [Some(20), misc_info().map(|at| (at as usize).saturating_add(8))];
    for at in places.into_iter().flatten() {
        if let Some(field) = at.checked_add(4).and_then(|end| dump.get_mut(at..end)) {
            field.copy_from_slice(&number.saturating_add(1).to_le_bytes());
        }
    }
}

fn is_minidump(path: &Path) -> bool {
    let mut magic = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"MDMP"
}

/// Runs a program without its output. Its exit code is ignored: some of the dumps are damaged.
fn silent(command: &mut Command) -> Result<(), String> {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().map(|_| ()).map_err(|error| error.to_string())
}
