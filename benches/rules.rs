//! The cost of many rules: 10,000 generated rules are added to the built-in set. Aims: loading them takes less than a
//! second of CPU, and the analysis of a folder at most 1.3 times as long as without them. Nothing fails here when an
//! aim is missed.
//!
//! The folder is that of the samples, or the one in `CRASHSIFT_CORPUS`.
//!
//!     cargo bench --bench rules

mod cpu;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use pipeline::{Options, Silent, analyze};
use rules::RuleSet;

use cpu::Cpu;

/// Added rules.
const RULES: usize = 10_000;
/// Rules in each file.
const OF_A_FILE: usize = 100;
/// Measured rounds; the round before them fills the caches.
const ROUNDS: usize = 5;

fn main() {
    if let Err(reason) = run() {
        println!("not measured: {reason}");
    }
}

fn run() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    write_rules(folder.path()).map_err(|error| error.to_string())?;
    let corpus = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from);
    let artifacts = corpus.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"));
    let load = |paths: &[PathBuf]| {
        RuleSet::load(true, paths).map_err(|mistakes| format!("{} mistakes, {}", mistakes.len(), first(&mistakes)))
    };
    let (few, added) = (load(&[])?, [folder.path().to_path_buf()]);
    let many = load(&added)?;
    let options = Options::default();
    // One thread: its CPU time is measured.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let pool = pool.map_err(|error| error.to_string())?;
    let analysis = |rules: &RuleSet| {
        let start = Cpu::now()?;
        let incidents = pool.install(|| analyze(std::slice::from_ref(&artifacts), rules, &options, &Silent));
        drop(incidents);
        start.microseconds()
    };

    let (mut loading, mut with, mut without, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let start = Cpu::now()?;
        drop(load(&added)?);
        let loaded = start.microseconds()?;
        let (one, other) = (analysis(&few)?, analysis(&many)?);
        if round > 0 {
            loading.push(loaded);
            without.push(one);
            with.push(other);
            ratios.push(other / one);
        }
    }
    let unoptimised =
        if cfg!(debug_assertions) { "; BUILT WITHOUT OPTIMISATION: THE FIGURES MEAN NOTHING" } else { "" };
    let all = many.rules().len();
    println!("{RULES} of {all} rules are made up; CPU seconds, medians of {ROUNDS} rounds{unoptimised}");
    println!("loading all: {:.3}", median(loading) / 1e6);
    println!(
        "analysis of {}: {:.3} without them, {:.3} with them, {:.2} times as long",
        artifacts.display(),
        median(without) / 1e6,
        median(with) / 1e6,
        median(ratios)
    );
    Ok(())
}

fn first(mistakes: &[spanned_yaml::Diagnostic]) -> String {
    mistakes.first().map(ToString::to_string).unwrap_or_default()
}

/// Writes the rules, [`OF_A_FILE`] to a file, into the area `made`.
fn write_rules(folder: &Path) -> std::io::Result<()> {
    let area = folder.join("made");
    fs::create_dir(&area)?;
    for from in (0..RULES).step_by(OF_A_FILE) {
        let mut text = "schema: 1\nrules:\n".to_owned();
        for number in from..RULES.min(from.saturating_add(OF_A_FILE)) {
            rule(&mut text, number).map_err(std::io::Error::other)?;
        }
        fs::write(area.join(format!("from-{from}.yaml")), text)?;
    }
    Ok(())
}

/// A selection of one of the usual forms, with facts that match it for its test.
fn shape(number: usize) -> (String, String) {
    match number % 4 {
        0 => (
            format!("exception.code: 0xC0000005\n        fault_site.module: module{number}.dll"),
            format!("exception.code: 0xC0000005, fault_site.module: module{number}.dll"),
        ),
        1 => (
            format!(
                "exception.code: [0xC0000409, 0xC0000005]\n        modules|any: {{name|like: 'vendor{number}_*.dll', version|lt: 3.{number}}}"
            ),
            format!("exception.code: 0xC0000005, modules: [{{name: vendor{number}_8.dll, version: 1.0}}]"),
        ),
        2 => (
            format!("text|any: {{line|contains: ['library {number} was not found', 'cannot load part {number} of']}}"),
            format!("text: [{{line: 'Error: library {number} was not found'}}]"),
        ),
        _ => (
            format!(
                "incident.kind: crash\n        timeline|count: {{where: {{kind: driver-reset, provider: source{number}, seconds_before|lte: 3600}}, gte: 3}}"
            ),
            format!(
                "incident.kind: crash, timeline: [{0}, {0}, {0}]",
                format_args!("{{kind: driver-reset, provider: source{number}, seconds_before: 60}}")
            ),
        ),
    }
}

fn rule(text: &mut String, number: usize) -> std::fmt::Result {
    let (selection, facts) = shape(number);
    write!(
        text,
        "  - id: made/rule-{number}
    title: What the rule {number} is about
    cause: application-defect
    confidence: 0.5
    severity: medium
    selections:
      it:
        {selection}
    explanation: '{{{{ process.name or \"The program\" }}}} ended as the rule {number} says.'
    remediation: [{{audience: developer, text: Mend what the rule {number} is about.}}]
    references: ['https://example.org/{number}']
    tests:
      - {{name: it, facts: {{{facts}}}, expect: match}}
      - {{name: something else, facts: {{incident.kind: hang, exception.code: 1, text: [], timeline: [], modules: []}}, expect: no-match}}
"
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
