//! Every target reads its seeds and some mutants of them, and is to be had for libFuzzer.

#![allow(clippy::arithmetic_side_effects, clippy::expect_used, reason = "a test that can't go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fuzz::mutate::{Material, mutant};
use samplekit::Random;

/// How many mutants of each target are tried here; the runner tries more.
const MUTANTS: u64 = 30;

#[test]
fn targets_hold_on_their_seeds_and_on_some_mutants() {
    for target in fuzz::all() {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for seed in &seeds {
            (target.run)(seed);
        }
        let mut random = Random::new(1);
        let material = Material { others: &seeds, words: target.words };
        for number in 0..MUTANTS {
            let seed = &seeds[usize::try_from(number).expect("small") % seeds.len()];
            let mut input = mutant(seed, material, target.longest, &mut random);
            target.repair.filter(|_| number % 2 == 0).iter().for_each(|repair| repair(&mut input));
            (target.run)(&input);
        }
    }
}

#[test]
fn equal_inputs_have_equal_outcomes() {
    for target in fuzz::all() {
        let seeds = (target.seeds)();
        let mut random = Random::new(7);
        for seed in seeds.iter().take(2) {
            let input = mutant(seed, Material::default(), target.longest, &mut random);
            assert_eq!((target.run)(&input).hash(), (target.run)(&input).hash(), "{}", target.name);
        }
    }
}

#[test]
fn each_target_has_a_program_for_libfuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
    let entries = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let programs: BTreeSet<String> = entries
        .map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            let name = path.file_stem().expect("a name").to_string_lossy().replace('_', "-");
            assert!(text.contains(&format!("\"{name}\"")), "{}", path.display());
            name
        })
        .collect();
    let targets: BTreeSet<String> = fuzz::all().iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(programs, targets);
    let manifest = fs::read_to_string(folder.with_file_name("Cargo.toml")).expect("text");
    for name in &targets {
        assert!(manifest.contains(&format!("fuzz_targets/{}.rs", name.replace('-', "_"))), "{name}");
    }
}
