//! Damaged PDBs, `.sym` files and images beside a dump: the dump is read in any case, in bounded time.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crash_dump::Symbols;
use fuzz::mutate::{Material, mutant};
use fuzz::shop::{IMAGE, PDB, SYM_RECORDS, dump, sym_file};
use pipeline::{Options, Silent, analyze};
use rules::RuleSet;
use samplekit::Random;

/// How many damaged files of each kind are tried.
const MUTANTS: usize = 120;
/// The time limit of one: longer than any takes on a busy machine without optimization.
const LONGEST: Duration = Duration::from_secs(10);

#[test]
fn damaged_symbols_cost_no_dump() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.dmp");
    fs::write(&path, dump().to_bytes()).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules are right");
    let symbols = folder.path().join("symbols");
    fs::create_dir(&symbols).expect("a folder");
    let sym = sym_file(SYM_RECORDS);
    let files = [("shop64.pdb", PDB), ("shop64.sym", sym.as_bytes()), ("shop64.dll", IMAGE)];
    let mut random = Random::new(7);
    for number in 0..MUTANTS * files.len() {
        for (index, (name, content)) in files.iter().enumerate() {
            let mut content = content.to_vec();
            if number % files.len() == index {
                content = mutant(&content, Material::default(), content.len() * 2, &mut random);
            }
            fs::write(symbols.join(name), content).expect("written");
        }
        let opened = Symbols::open(std::slice::from_ref(&symbols)).expect("a folder");
        let options = Options { symbols: Some(Arc::new(opened)), ..Options::default() };
        let begin = Instant::now();
        let report = analyze(std::slice::from_ref(&path), &rules, &options, &Silent);
        assert!(begin.elapsed() < LONGEST, "{number} took {:?}", begin.elapsed());
        let detail = report.artifacts[0].detail.as_deref().unwrap_or_default();
        assert!(!detail.contains("defect of crashsift"), "{number}: a reader panicked");
        assert_eq!(report.incidents.len(), 1, "{number}");
    }
}
