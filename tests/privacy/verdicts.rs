//! What is private decides nothing: with `--redact`, every verdict and every group is the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pipeline::{Options, Silent, analyze};
use report::Report;
use rules::RuleSet;

/// The verdicts by how often they are given, and the groups by their sizes, without what may have a name in it.
type Conclusions = (BTreeMap<String, usize>, Vec<(usize, Option<String>)>);

fn conclusions(report: &Report) -> Conclusions {
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for judged in &report.incidents {
        let site = judged.incident.fault_site.as_ref().map_or("-", |site| &*site.module);
        let code = judged.incident.exception.as_ref().map(|exception| exception.code.to_string()).unwrap_or_default();
        let verdict = &judged.verdict;
        let rules: Vec<&str> = judged.findings.iter().map(|finding| finding.rule.as_str()).collect();
        let key = format!("{} {:.3} {site} {code} {rules:?}", verdict.cause, verdict.confidence);
        let count = verdicts.entry(key).or_default();
        *count = count.saturating_add(1);
    }
    let mut groups: Vec<(usize, Option<String>)> =
        report.groups.iter().map(|group| (group.incidents.len(), group.cause.clone())).collect();
    groups.sort();
    (verdicts, groups)
}

/// Analyzes each folder with and without names, and fails where the conclusions differ.
fn stay_the_same(folders: &[PathBuf]) {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let report = |path: &Path, redacted: bool| {
        let options = Options { redaction: redacted.then(Arc::default), ..Options::default() };
        analyze(&[path.to_owned()], &rules, &options, &Silent)
    };
    let mut wrong = Vec::new();
    for folder in folders {
        let (plain, redacted) = (conclusions(&report(folder, false)), conclusions(&report(folder, true)));
        if plain != redacted {
            wrong.push(format!("{}: {plain:#?} became {redacted:#?}", folder.display()));
        }
    }
    println!("{} of {} folders differ", wrong.len(), folders.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    entries
}

#[test]
fn of_every_sample() {
    stay_the_same(&entries(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").as_path()));
}

#[test]
fn of_real_reports() {
    let Some(folder) = std::env::var_os("CRASHSIFT_CASES").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CASES is not set");
        return;
    };
    stay_the_same(&entries(&folder));
}

#[test]
fn of_artifacts_of_others() {
    let Some(folder) = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return;
    };
    stay_the_same(&entries(&folder));
}
