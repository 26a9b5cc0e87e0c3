//! What the triage of a minidump costs (read without stack walk, joined, judged), by the dump's size: 1 MiB, 1 GiB and
//! 32 GiB, of which all but the first KiB are holes. The aim is below 100 microseconds of CPU for each, whatever its size;
//! nothing here fails when it is missed.
//!
//!     cargo bench --bench triage

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crashsift::knowledge::Knowledge;
use crashsift::rules::RuleSet;
use crashsift::{Options, Silent, analyze};

/// Sizes of dumps, bytes, with their names.
const SIZES: [(&str, u64); 3] = [("1 MiB", 1 << 20), ("1 GiB", 1 << 30), ("32 GiB", 32 << 30)];
/// Dumps of each size in a round.
const DUMPS: usize = 200;
/// Rounds that count; the round before them fills the caches.
const ROUNDS: usize = 7;
/// The dumps that are made large: a crash with its modules, a damaged heap and a used-up stack.
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
    let knowledge = Knowledge::builtin();
    let options = Options { walk_stacks: false, ..Options::default() };
    // One thread: its CPU time is what is asked for.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let pool = pool.map_err(|error| error.to_string())?;

    let mut dumps: Vec<Vec<PathBuf>> = Vec::new();
    for (name, bytes) in SIZES {
        dumps.push(sparse_dumps(folder.path(), name, bytes)?);
    }
    let unoptimised =
        if cfg!(debug_assertions) { "; BUILT WITHOUT OPTIMISATION: THE FIGURES MEAN NOTHING" } else { "" };
    println!("triage of a minidump without stack walk, {ROUNDS} rounds of {DUMPS} dumps, medians{unoptimised}");
    let mut costs: Vec<Vec<f64>> = vec![Vec::new(); SIZES.len()];
    for round in 0..=ROUNDS {
        for (paths, costs) in dumps.iter().zip(&mut costs) {
            let start = Cpu::now()?;
            let triage = |path: &PathBuf| {
                let paths = std::slice::from_ref(path);
                pool.install(|| analyze(paths, &rules, &knowledge, &options, &Silent)).incidents.len()
            };
            let incidents: usize = paths.iter().cycle().take(DUMPS).map(triage).sum();
            let cost = start.microseconds()? / DUMPS as f64;
            if incidents != DUMPS {
                return Err(format!("{incidents} incidents in {DUMPS} dumps"));
            }
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    let medians: Vec<f64> = costs.into_iter().map(median).collect();
    let smallest = medians.first().copied().unwrap_or(f64::NAN);
    for ((name, _), cost) in SIZES.iter().zip(&medians) {
        println!("{name:>8}: {cost:7.1} microseconds of CPU a dump, {:.2} times the smallest", cost / smallest);
    }
    Ok(())
}

/// Copies of the samples that are `bytes` long.
fn sparse_dumps(folder: &Path, name: &str, bytes: u64) -> Result<Vec<PathBuf>, String> {
    let copy = |sample: &&str| {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(sample);
        let to = folder.join(format!("{name} {}", from.file_name().unwrap_or_default().to_string_lossy()));
        fs::copy(&from, &to).and_then(|_| File::options().write(true).open(&to)?.set_len(bytes)).map(|()| to)
    };
    SAMPLES.iter().map(|sample| copy(sample).map_err(|error| format!("{sample}: {error}"))).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// CPU time of this process; where it can't be read, the time on the clock.
struct Cpu {
    start: f64,
    clock: Instant,
}

impl Cpu {
    fn now() -> Result<Self, String> {
        Ok(Self { start: own_cpu()?.unwrap_or_default(), clock: Instant::now() })
    }

    fn microseconds(&self) -> Result<f64, String> {
        Ok(match own_cpu()? {
            Some(now) => (now - self.start) * 1e6,
            None => self.clock.elapsed().as_secs_f64() * 1e6,
        })
    }
}

/// CPU time of this process, seconds.
#[cfg(unix)]
fn own_cpu() -> Result<Option<f64>, String> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(|error| error.to_string())?;
    Ok(Some(seconds(usage.user_time()) + seconds(usage.system_time())))
}

#[cfg(not(unix))]
fn own_cpu() -> Result<Option<f64>, String> {
    Ok(None)
}
