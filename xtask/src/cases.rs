//! `cargo xtask cases`: scores the built-in rules on labelled reports. `cargo xtask noise`: the same among innocent
//! circumstances.

use std::path::PathBuf;

use casekit::{Case, noise};
use rules::RuleSet;

/// The environment variable that names the folder of cases where no argument does.
const FOLDER: &str = "CRASHSIFT_CASES";
/// The percentage of right answers that may be lost among innocent circumstances.
const MOST_LOST: usize = 1;

/// Analyzes every case and prints the score; when `verbose`, also every case whose first answer is wrong.
///
/// # Errors
/// When there are no cases.
pub fn run(folder: Option<&str>, verbose: bool) -> Result<String, String> {
    let (cases, rules) = cases_and_rules(folder)?;
    let score = casekit::score(cases, &rules);
    let mut said = score.to_string();
    if verbose {
        said.push_str("\nnot answered rightly:\n");
        score.misses().for_each(|missed| said.push_str(&format!("  {missed}\n")));
    }
    Ok(said.trim_end().to_owned())
}

/// Adds noise to the artifacts of every case and prints how many right answers are lost, and which.
///
/// # Errors
/// When there are no cases of artifacts, a file can't be read or written, or more right answers are lost than [`MOST_LOST`].
pub fn noise(folder: Option<&str>) -> Result<String, String> {
    let (cases, rules) = cases_and_rules(folder)?;
    let cases = cases.into_iter().filter(|case| !case.is_ticket);
    let scratch = std::env::temp_dir().join(format!("crashsift-noise-{}", std::process::id()));
    let compared: Result<Vec<noise::Compared>, String> =
        cases.map(|case| noise::compare(case, &rules, &scratch)).collect();
    // What was written is only of use during the run; that it could not be removed changes no result.
    let _ = std::fs::remove_dir_all(&scratch);
    let compared: Vec<noise::Compared> = compared?.into_iter().filter(|compared| compared.is_changed).collect();
    if compared.is_empty() {
        return Err("no cases of artifacts to which noise could be added".to_owned());
    }
    let right = compared.iter().filter(|compared| compared.was_right()).count();
    let lost: Vec<&noise::Compared> = compared.iter().filter(|compared| compared.is_lost()).collect();
    let mut said =
        format!("{} cases with noise; right without it {right}, of these lost {}", compared.len(), lost.len());
    for compared in &lost {
        let (quiet, noisy) = (&compared.quiet, &compared.noisy);
        said.push_str(&format!(
            "\n  {}: {} {:.2}, with noise {} {:.2}",
            compared.case.name, quiet.cause, quiet.confidence, noisy.cause, noisy.confidence
        ));
    }
    // Without a right answer there is nothing that noise could cost, and nothing is shown.
    if right == 0 || lost.len() * 100 > right * MOST_LOST { Err(said) } else { Ok(said) }
}

fn cases_and_rules(folder: Option<&str>) -> Result<(Vec<Case>, RuleSet), String> {
    let folder = folder.map(PathBuf::from).or_else(|| std::env::var_os(FOLDER).map(PathBuf::from));
    let folder = folder.ok_or_else(|| format!("name the folder of cases, or set {FOLDER}"))?;
    let cases = casekit::read(&folder)?;
    let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("the rules have {} mistakes", mistakes.len()))?;
    Ok((cases, rules))
}
