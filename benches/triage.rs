//! The cost of the triage of a minidump (read without stack walk, joined, judged), by the size of the dump: 1 MiB, 1
//! GiB and 32 GiB, which are holes except for the first KiB; in a folder of many, and alone. The aim is below 100
//! microseconds of CPU on average for every size; nothing fails here when it is missed.
//!
//!     cargo bench --bench triage

mod cpu;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use pipeline::{Options, Silent, analyze};
use rules::RuleSet;

use cpu::Cpu;

/// Sizes of dumps, bytes, with their names.
const SIZES: [(&str, u64); 3] = [("1 MiB", 1 << 20), ("1 GiB", 1 << 30), ("32 GiB", 32 << 30)];
/// Dumps of each size in a folder: a third of them from each sample.
const DUMPS: u32 = 600;
/// Measured rounds; the round before them fills the caches.
const ROUNDS: usize = 7;
/// The dumps that are enlarged: a crash with its modules, a damaged heap and a used-up stack.
const SAMPLES: [&str; 3] = [
    "samples/abort-below-cudnn/python.exe.11928.dmp",
    "samples/heap-corruption/python.exe.7604.dmp",
    "samples/stack-overflow/python.exe.5316.dmp",
];

fn main() {
    if let Err(reason) = run() {
        println!("not measured: {reason}");
    }
}

fn run() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("the rules have {} mistakes", mistakes.len()))?;
    let options = Options { no_stack_walk: true, ..Options::default() };
    // One thread: its CPU time is measured.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let pool = pool.map_err(|error| error.to_string())?;

    let mut folders: Vec<PathBuf> = Vec::new();
    for (name, bytes) in SIZES {
        let to = folder.path().join(name);
        sparse_dumps(&to, bytes).map_err(|error| format!("{name}: {error}"))?;
        folders.push(to);
    }
    let unoptimised =
        if cfg!(debug_assertions) { "; BUILT WITHOUT OPTIMISATION: THE FIGURES MEAN NOTHING" } else { "" };
    println!("triage of a minidump without stack walk, CPU in microseconds, medians of {ROUNDS} rounds{unoptimised}");
    let triage = |paths: &[PathBuf]| {
        let start = Cpu::now()?;
        let incidents = pool.install(|| analyze(paths, &rules, &options, &Silent)).incidents.len();
        Ok::<_, String>((start.microseconds()?, incidents))
    };
    let mut costs: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); SIZES.len()];
    for round in 0..=ROUNDS {
        for (folder, (of_many, alone)) in folders.iter().zip(&mut costs) {
            let (cost, incidents) = triage(std::slice::from_ref(folder))?;
            if incidents != DUMPS as usize {
                return Err(format!("{incidents} incidents in {DUMPS} dumps"));
            }
            let (single, _) = triage(&[folder.join("0.dmp")])?;
            if round > 0 {
                of_many.push(cost / f64::from(DUMPS));
                alone.push(single);
            }
        }
    }
    for ((name, _), (of_many, alone)) in SIZES.iter().zip(costs) {
        println!("{name:>8}: {:6.1} a dump of {DUMPS} in a folder, {:6.1} alone", median(of_many), median(alone));
    }
    Ok(())
}

/// Fills a folder with copies of the samples that are `bytes` long, each of another process and time.
fn sparse_dumps(folder: &Path, bytes: u64) -> io::Result<()> {
    fs::create_dir(folder)?;
    let samples = SAMPLES.map(|sample| Path::new(env!("CARGO_MANIFEST_DIR")).join(sample));
    let mut samples = samples.iter().cycle();
    for number in 0..DUMPS {
        let Some(sample) = samples.next() else { break };
        let mut dump = fs::read(sample)?;
        shift(&mut dump, number);
        let path = folder.join(format!("{number}.dmp"));
        fs::write(&path, dump)?;
        File::options().write(true).open(&path)?.set_len(bytes)?;
    }
    Ok(())
}

/// Gives a dump its own time, process id and start of the process: header field `TimeDateStamp`, and `ProcessId` and
/// `ProcessCreateTime` of `MINIDUMP_MISC_INFO`.
fn shift(dump: &mut [u8], number: u32) {
    const MISC_INFO: u32 = 15;
    let read = |dump: &[u8], at: u32| {
        let bytes = dump.get(at as usize..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    let add = |dump: &mut [u8], at: u32, further: u32| {
        let moved = read(dump, at).wrapping_add(further).to_le_bytes();
        if let Some(bytes) = dump.get_mut(at as usize..).and_then(<[u8]>::first_chunk_mut) {
            *bytes = moved;
        }
    };
    let seconds = number.wrapping_mul(100);
    add(dump, 20, seconds);
    let (count, directory) = (read(dump, 8), read(dump, 12));
    let streams = (0..count).map(|stream| directory.wrapping_add(stream.wrapping_mul(12)));
    let misc = streams.filter(|at| read(dump, *at) == MISC_INFO).map(|at| read(dump, at.wrapping_add(8))).next();
    if let Some(misc) = misc {
        add(dump, misc.wrapping_add(8), number);
        add(dump, misc.wrapping_add(12), seconds);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
