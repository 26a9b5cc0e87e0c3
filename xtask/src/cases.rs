//! `cargo xtask cases`: scores the built-in rules on labelled reports. `cargo xtask noise`: the same among innocent
//! circumstances. `cargo xtask leads`: counts the causes of labelled reports. `cargo xtask accuracy`: writes down how often the
//! answers are right.

use std::fs;
use std::path::{Path, PathBuf};

use casekit::leads::{Observed, leave_one_out};
use casekit::{Case, accuracy, noise};
use rules::RuleSet;

/// The environment variable that names the folder of cases where no argument does.
const FOLDER: &str = "CRASHSIFT_CASES";
/// The environment variable that names the folder of third-party artifacts.
const CORPUS: &str = "CRASHSIFT_CORPUS";
/// The table of known cases, below the project's folder.
const KNOWN_CASES: &str = "rules/data/known-cases.yaml";
/// The line before the rows of that table.
const ROWS: &str = "cases:\n";
/// How often rules were right, below the project's folder.
const MEASURED: &str = "rules/data/measured.yaml";
/// The line before the rows of that table.
const RULE_ROWS: &str = "rules:\n";
/// The page on how often the answers are right.
const ACCURACY: &str = "docs/accuracy.md";
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

/// Counts the causes of the cases in several folders, and of those in lists of labels (`.jsonl`, with artifacts in the folder
/// that [`CORPUS`] names), as `rules/data/known-cases.yaml`, and measures how often the cause of a case is among the leads that
/// the others give. With `check`, the file must be as it would be written.
///
/// # Errors
/// When cases can't be read, the file not be written, or with `check` differs.
pub fn leads(project: &Path, sources: &[&str], check: bool) -> Result<String, String> {
    let rules = builtin_rules()?;
    let cases = cases_of(sources)?;
    let observed = casekit::leads::observe(cases, &rules);
    let known = casekit::leads::known_cases(&observed);
    let known_rows = known.rows();
    update(project, KNOWN_CASES, check, |before| with_rows(before, ROWS, &known_rows))?;
    let measured = |of: fn(&Observed) -> bool| leave_one_out(&observed, of);
    Ok(format!(
        "{KNOWN_CASES}: {} cases\nleft out once each, the cause is among the leads of\n  cases without a verdict: {}\n  all cases with a cause: {}",
        known.total(),
        measured(|one| one.is_undetermined),
        measured(|_| true),
    ))
}

/// Scores the built-in rules on the cases in several folders and lists, as [`leads`] reads them, and writes how often the
/// answers are right: `docs/accuracy.md`, and by rule `rules/data/measured.yaml`. With `check`, the files must be as they would
/// be written.
///
/// # Errors
/// When cases can't be read, a file not be written, or with `check` differs.
pub fn accuracy(project: &Path, sources: &[&str], check: bool) -> Result<String, String> {
    let rules = builtin_rules()?;
    let score = casekit::score(cases_of(sources)?, &rules);
    let records = accuracy::by_rule(&score, &rules);
    let rows = accuracy::rows(&records);
    update(project, MEASURED, check, |before| with_rows(before, RULE_ROWS, &rows))?;
    update(project, ACCURACY, check, |_| accuracy::page(&score, &rules))?;
    Ok(format!("{ACCURACY}: {} cases, {} of {} rules", score.cases.len(), records.len(), rules.rules().len()))
}

/// The cases of folders, and of lists of labels (`.jsonl`) with artifacts in the folder that [`CORPUS`] names.
fn cases_of(sources: &[&str]) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for source in sources {
        let path = Path::new(source);
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            let corpus =
                std::env::var_os(CORPUS).ok_or_else(|| format!("set {CORPUS} for the artifacts of {source}"))?;
            cases.extend(casekit::read_list(path, Path::new(&corpus))?);
        } else {
            cases.extend(casekit::read(path)?);
        }
    }
    if cases.is_empty() { Err("name the folders of cases".to_owned()) } else { Ok(cases) }
}

/// A table with other rows behind the line `start`.
fn with_rows(before: &str, start: &str, rows: &str) -> String {
    let head = before.split_inclusive('\n').take_while(|line| *line != start).collect::<String>();
    format!("{head}{start}{rows}")
}

/// Writes a file of the project where it differs from what `made` gives; with `check`, reports that instead.
fn update(project: &Path, file: &str, check: bool, made: impl FnOnce(&str) -> String) -> Result<(), String> {
    let path = project.join(file);
    let before = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
    let made = made(&before);
    if made == before {
        return Ok(());
    }
    if check {
        return Err(format!("{file} is not what these cases give"));
    }
    fs::write(&path, made).map_err(|error| format!("{file}: {error}"))
}

fn builtin_rules() -> Result<RuleSet, String> {
    RuleSet::load(true, &[]).map_err(|mistakes| format!("the rules have {} mistakes", mistakes.len()))
}

fn cases_and_rules(folder: Option<&str>) -> Result<(Vec<Case>, RuleSet), String> {
    let folder = folder.map(PathBuf::from).or_else(|| std::env::var_os(FOLDER).map(PathBuf::from));
    let folder = folder.ok_or_else(|| format!("name the folder of cases, or set {FOLDER}"))?;
    let cases = casekit::read(&folder)?;
    Ok((cases, builtin_rules()?))
}
