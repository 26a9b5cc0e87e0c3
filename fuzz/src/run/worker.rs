//! Tries mutants in this process.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use samplekit::Random;

use super::finding::{caught, remember_panics};
use super::limits::{limit_memory, most_time, peak_memory, used_time};
use super::{Finding, Findings, Options, Tally};
use crate::Target;
use crate::mutate::{Material, mutant};

/// The most inputs that are kept for mutation: more of them would be mutated too seldom.
const MOST_INPUTS: usize = 2000;
/// The most tries to make the input of a finding shorter.
const MOST_TRIES: usize = 300;

/// Runs a target on one input and returns the shape of its outcome.
///
/// # Errors
/// The finding.
pub fn repeat(target: &Target, input: &[u8]) -> Result<u64, Finding> {
    remember_panics();
    alone(|| timed(target, input).map(|(shape, _)| shape))
}

/// Tries mutants of the target's inputs. `current` is a file that always has the input that is being tried, for whoever
/// watches this process.
///
/// # Errors
/// When a file can't be written.
pub fn work(target: &Target, options: &Options, current: &Path) -> io::Result<Tally> {
    remember_panics();
    // Readers that read in parallel do it here in the thread that calls them.
    alone(|| Work::new(target, options, current)?.run())
}

/// Runs in a pool of one thread.
fn alone<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    ThreadPoolBuilder::new().num_threads(1).stack_size(8 << 20).build().expect("a thread").install(run)
}

/// Runs a target and returns how much of the processor's time it took: on a busy machine, time passes without being used.
fn timed(target: &Target, input: &[u8]) -> Result<(u64, Duration), Finding> {
    let before = used_time();
    let shape = caught(target, input)?;
    let used = used_time().saturating_sub(before);
    let allowed = most_time(input.len());
    if used > allowed {
        return Err(Finding::new("time", format!("{used:?} for {} bytes; {allowed:?} are allowed", input.len())));
    }
    Ok((shape, used))
}

struct Work<'w> {
    target: &'w Target,
    options: &'w Options,
    current: File,
    inputs: Vec<Vec<u8>>,
    shapes: HashSet<u64>,
    findings: Findings,
    tally: Tally,
}

impl<'w> Work<'w> {
    fn new(target: &'w Target, options: &'w Options, current: &Path) -> io::Result<Self> {
        let mut seeds = (target.seeds)();
        seeds.iter_mut().for_each(|seed| seed.truncate(target.longest));
        if let Some(corpus) = &options.corpus {
            let folder = corpus.join(target.name);
            fs::create_dir_all(&folder)?;
            let mut paths: Vec<_> = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
            paths.sort_by_key(fs::DirEntry::file_name);
            for path in paths {
                seeds.push(fs::read(path.path())?);
            }
        }
        let mut work = Self {
            target,
            options,
            current: File::create(current)?,
            inputs: Vec::new(),
            shapes: HashSet::new(),
            findings: Findings::in_folder(&options.findings),
            tally: Tally::default(),
        };
        // What is made once is made by the seeds, before memory is limited.
        let first = seeds.len();
        for seed in seeds {
            work.try_input(&seed, false)?;
            work.inputs.push(seed);
        }
        assert!(first > 0, "{} has no seeds", target.name);
        limit_memory();
        Ok(work)
    }

    fn run(mut self) -> io::Result<Tally> {
        let mut random = Random::new(self.options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let begin = Instant::now();
        while self.tally.executions < self.options.executions {
            // Asking for the time is dear against the shortest executions.
            if self.tally.executions.is_multiple_of(8) && begin.elapsed() >= self.options.time {
                break;
            }
            // Newer inputs lead further.
            let newest = if random.below(2) == 0 { self.inputs.len() } else { self.inputs.len().min(64) };
            let chosen = self.inputs.len() - 1 - random.below(newest);
            let material = Material { others: &self.inputs, words: self.target.words };
            let mut input = mutant(&self.inputs[chosen], material, self.target.longest, &mut random);
            if let Some(repair) = self.target.repair.filter(|_| random.below(2) == 0) {
                repair(&mut input);
            }
            self.try_input(&input, true)?;
        }
        self.tally.time = begin.elapsed();
        self.tally.inputs = self.inputs.len();
        self.tally.peak = peak_memory();
        self.tally.findings = self.findings.len();
        Ok(self.tally)
    }

    /// Tries an input, and keeps it where its outcome is of a new shape.
    fn try_input(&mut self, input: &[u8], is_mutant: bool) -> io::Result<()> {
        self.current.rewind()?;
        self.current.set_len(0)?;
        self.current.write_all(input)?;
        self.tally.executions += 1;
        match timed(self.target, input) {
            Ok((shape, taken)) => {
                self.tally.slowest = self.tally.slowest.max(taken);
                if self.shapes.insert(shape) && is_mutant && self.inputs.len() < MOST_INPUTS {
                    self.keep(input)?;
                }
            }
            Err(finding) => {
                let input = self.shortened(input, &finding);
                if let Some(path) = self.findings.add(self.target.name, &input, &finding)? {
                    eprintln!("{}: {}: {}\n  {}", self.target.name, finding.place, finding.message, path.display());
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, input: &[u8]) -> io::Result<()> {
        if let Some(corpus) = &self.options.corpus {
            let hash = xxhash_rust::xxh3::xxh3_64(input);
            fs::write(corpus.join(self.target.name).join(format!("{hash:016x}")), input)?;
        }
        self.inputs.push(input.to_vec());
        Ok(())
    }

    /// A shorter input with the same finding, if one is found soon.
    fn shortened(&self, input: &[u8], finding: &Finding) -> Vec<u8> {
        let mut best = input.to_vec();
        if finding.place == "time" {
            return best;
        }
        let mut tries = 0;
        let mut block = best.len() / 2;
        while block > 0 && tries < MOST_TRIES {
            let mut at = 0;
            while at < best.len() && tries < MOST_TRIES {
                tries += 1;
                let mut shorter = best.clone();
                shorter.drain(at..(at + block).min(best.len()));
                match caught(self.target, &shorter) {
                    Err(same) if same.place == finding.place => best = shorter,
                    _ => at += block,
                }
            }
            block /= 2;
        }
        best
    }
}
