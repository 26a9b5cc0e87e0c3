//! Dumps with all kinds of damage: no reader, join, rule or report panics, takes long or takes much memory.
//!
//! `CRASHSIFT_MUTANTS` is the number of mutants (20,000 is a thorough run), `CRASHSIFT_CORPUS` adds a folder of dumps to the
//! project's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fuzz::mutate::Material;
use pipeline::{Options, Silent, analyze};
use rayon::prelude::*;
use report::json;
use rules::RuleSet;
use samplekit::Random;

use crate::own_process::in_own_process;

/// The number of mutants where `CRASHSIFT_MUTANTS` is not set.
const MUTANTS: u64 = 400;
/// Larger dumps are left out: writing them again and again takes long.
const LARGEST: u64 = 2 << 20;
/// The time limit of a mutant: longer than any takes on a busy machine without optimization.
const LONGEST: Duration = Duration::from_secs(10);
/// The memory limit, bytes: more than the test and a few dumps need.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 1 << 30;

fn dumps() -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let folders = [Some(own), std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from)];
    let is_dump = |content: &Vec<u8>| content.starts_with(b"MDMP") || content.starts_with(b"PAGEDU");
    let entries = folders.into_iter().flatten().flat_map(|folder| walkdir::WalkDir::new(folder).sort_by_file_name());
    let files = entries.map(|entry| entry.expect("a readable folder")).filter(|entry| entry.file_type().is_file());
    let small = files.filter(|file| file.metadata().is_ok_and(|about| about.len() <= LARGEST));
    let dumps: Vec<_> = small.map(|file| fs::read(file.path()).expect("a file")).filter(is_dump).collect();
    assert!(dumps.len() > 20, "the samples are missing");
    dumps
}

#[test]
fn no_damage_costs_more_than_the_dump_it_is_in() {
    in_own_process(|| {
        let count = std::env::var("CRASHSIFT_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(MUTANTS);
        let (dumps, rules) = (dumps(), RuleSet::load(true, &[]).expect("the built-in rules"));
        let folder = tempfile::tempdir().expect("a folder");
        let slowest = (0..count)
            .into_par_iter()
            .map(|number| {
                let mutant = mutant(&dumps, number);
                // The name contains the number, so that a mutant that ends the test can be generated again.
                let path = folder.path().join(format!("{number}.dmp"));
                fs::write(&path, &mutant).expect("a file");
                let begin = Instant::now();
                let report = analyze(std::slice::from_ref(&path), &rules, &Options::default(), &Silent);
                json::write(&report, &mut std::io::sink()).expect("a sink takes everything");
                let taken = begin.elapsed();
                fs::remove_file(&path).expect("removed");
                let detail = report.artifacts[0].detail.as_deref().unwrap_or_default();
                assert!(!detail.contains("defect of crashsift"), "mutant {number}: a reader panicked");
                assert!(taken < LONGEST, "mutant {number} took {taken:?}");
                #[cfg(target_os = "linux")]
                assert!(peak_memory() < MOST_MEMORY, "{} bytes after mutant {number}", peak_memory());
                (taken, number)
            })
            .max();
        println!("{count} mutants of {} dumps; the slowest: {slowest:?}", dumps.len());
    });
}

/// The most memory that this process had at a time, bytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

/// A dump with some kinds of damage, always the same for the same number.
fn mutant(dumps: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut random = Random::new(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let own = &dumps[random.below(dumps.len())];
    let mut bytes = fuzz::mutate::mutant(own, Material::default(), own.len() * 2, &mut random);
    // A dump without its signature would be read as something else.
    let signature: &[u8] = if own.starts_with(b"MDMP") { b"MDMP" } else { &own[..8] };
    bytes.resize(bytes.len().max(32), 0);
    bytes[..signature.len()].copy_from_slice(signature);
    bytes
}
