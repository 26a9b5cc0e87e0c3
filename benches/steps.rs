//! The cost of each step of a run, with the project's own samples: reading an artifact of each kind, loading the
//! built-in rules, judging an incident, and a whole run over all samples.
//!
//!     cargo bench --bench steps

#![expect(clippy::expect_used, reason = "a benchmark that can't go on fails, and its inputs are known")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use facts::FactSet;
use pipeline::read::read_artifact;
use pipeline::read_context::ReadContext;
use pipeline::{Options, Silent, analyze, inspect};
use rules::RuleSet;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    let artifacts = [
        ("minidump, no stack walk", "abort-below-cudnn/python.exe.11928.dmp", false),
        ("minidump, stack walked", "abort-below-cudnn/python.exe.11928.dmp", true),
        ("event log, one chunk", "gpu-timeout/Application.evtx", false),
        ("Report.wer", "one-crash-three-artifacts/Report.wer", false),
        ("small kernel dump", "bugcheck-display-driver/073024-9531-01.dmp", false),
        ("ticket", "text-as-dump/crash.dmp", false),
    ];
    for (name, file, walk_stacks) in artifacts {
        let path = samples().join(file);
        assert!(path.is_file(), "{file} is no sample");
        let context = ReadContext { walk_stacks, ..ReadContext::default() };
        group.bench_function(name, |bencher| bencher.iter(|| read_artifact(black_box(&path), &context)));
    }
}

/// Dumps without stack walk: a small one, the same with 32 GiB behind it (which are not read), and all dumps of
/// `CRASHSIFT_CORPUS`, if it is set.
fn triage(criterion: &mut Criterion) {
    const LARGE: u64 = 32 << 30;
    let context = ReadContext::default();
    let small = samples().join("stack-overflow/python.exe.5316.dmp");
    let folder = tempfile::tempdir().expect("a folder");
    let large = folder.path().join("large.dmp");
    std::fs::copy(&small, &large).expect("room for a copy");
    let file = std::fs::File::options().write(true).open(&large).expect("the copy");
    file.set_len(LARGE).expect("a sparse file");
    let mut group = criterion.benchmark_group("triage");
    for (name, path) in [("minidump of 21 KB", &small), ("minidump of 32 GiB", &large)] {
        group.bench_function(name, |bencher| bencher.iter(|| read_artifact(black_box(path), &context)));
    }
    let Some(corpus) = std::env::var_os("CRASHSIFT_CORPUS") else { return };
    let dumps: Vec<PathBuf> = walkdir::WalkDir::new(corpus)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| read_artifact(path, &context).artifact.kind == "minidump")
        .collect();
    group.bench_function(format!("{} minidumps of the corpus", dumps.len()), |bencher| {
        bencher.iter(|| dumps.iter().map(|path| read_artifact(path, &context).evidence.len()).sum::<usize>());
    });
}

fn judging(criterion: &mut Criterion) {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    criterion.bench_function("load the built-in rules", |bencher| bencher.iter(|| RuleSet::load(true, &[])));
    let facts: Vec<FactSet> =
        inspect(&[samples()], &rules, &Options::default()).incidents.into_iter().map(|(_, facts)| facts).collect();
    criterion.bench_function(&format!("judge {} incidents", facts.len()), |bencher| {
        bencher.iter(|| facts.iter().map(|facts| rules.judge(black_box(facts)).findings.len()).sum::<usize>());
    });
}

fn whole_runs(criterion: &mut Criterion) {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    criterion.bench_function("analyze all samples", |bencher| {
        bencher.iter(|| analyze(&[samples()], &rules, &Options::default(), &Silent).summary);
    });
}

criterion_group!(steps, reading, triage, judging, whole_runs);
criterion_main!(steps);
