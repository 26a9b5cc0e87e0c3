//! Compares the readers on all available logs, unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use evtx_scan::Selection;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use super::compared::{Comparison, compare};
use super::logs;
use super::record::Bench;

fn sum(comparisons: Vec<Comparison>) -> Comparison {
    let mut total = Comparison::default();
    comparisons.into_iter().for_each(|one| total += one);
    total
}

fn compare_files(paths: &[PathBuf]) -> Comparison {
    sum(paths
        .par_iter()
        .map_init(Bench::new, |bench, path| {
            let comparison = compare(&path.display().to_string(), &logs::content(path), bench);
            let Comparison { ours_alone, neither, .. } = comparison;
            if ours_alone + neither > 0 {
                println!(
                    "{}: {ours_alone} records that the evtx crate can't decode, {neither} that neither can",
                    path.display()
                );
            }
            comparison
        })
        .collect())
}

#[track_caller]
fn report(what: &str, total: &Comparison) {
    let Comparison { logs, same, fields, recovered, ours_alone, neither, most_text, wrong } = total;
    println!(
        "{what}: {logs} logs, {same} records with {fields} fields the same in both, {recovered} recovered ones too; \
         {ours_alone} that the evtx crate can't decode, {neither} that neither can; \
         at most {most_text} bytes of text in a chunk; {} differ",
        wrong.len()
    );
    total.assert_equal();
}

#[test]
fn samples_are_the_same_in_both() {
    let total = compare_files(&logs::samples());
    report("samples", &total);
    assert!(total.logs > 10 && total.same > 100, "the samples are missing: {total:?}");
}

#[test]
fn written_logs_are_the_same_in_both() {
    let written = logs::written();
    let compare = |bench: &mut Bench, (name, log): (&str, Vec<u8>)| compare(name, &log, bench);
    let total = sum(written.into_par_iter().map_init(Bench::new, compare).collect());
    report("written", &total);
    assert!(total.same > 100 && total.recovered > 10, "{total:?}");
    assert_eq!((total.ours_alone, total.neither), (0, 0), "a log that was written well holds nothing damaged");
}

#[test]
fn logs_of_the_corpus_are_the_same_in_both() {
    let paths = logs::corpus_logs();
    if paths.is_empty() {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return;
    }
    report("corpus", &compare_files(&paths));
}

#[test]
fn recovered_records_of_the_corpus_are_as_many_as_were_measured() {
    let Some(folder) = logs::corpus() else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return;
    };
    let expected = fs::read_to_string(folder.join("EXPECTED.jsonl")).expect("what was measured");
    let mut bench = Bench::new();
    let mut found = BTreeMap::new();
    let mut measured = BTreeMap::new();
    for line in expected.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let Some(count) = line.pointer("/evtx/records_past_free_space_consecutive").and_then(Value::as_u64) else {
            continue;
        };
        let path = line.get("path").and_then(Value::as_str).expect("a path");
        // In a chunk in which the file ends, all records were measured as recovered.
        if line.pointer("/evtx/tail_bytes").and_then(Value::as_u64) != Some(0) {
            continue;
        }
        let scanned = bench.scan(&logs::content(&folder.join(path)), &Selection::everything());
        measured.insert(path.to_owned(), count);
        found.insert(path.to_owned(), scanned.recovered.len() as u64);
    }
    println!("{} logs with {} recovered records", found.len(), found.values().sum::<u64>());
    found.retain(|path, count| measured.get(path) != Some(count));
    assert!(found.is_empty(), "{found:?} instead of what was measured");
}
