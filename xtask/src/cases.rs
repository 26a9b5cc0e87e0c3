//! `cargo xtask cases`: scores the built-in rules on labelled reports.

use std::path::{Path, PathBuf};

use rules::RuleSet;

/// The environment variable that names the folder of cases where no argument does.
const FOLDER: &str = "CRASHSIFT_CASES";

/// Analyzes every ticket and prints the score; when `verbose`, also every case whose first answer is wrong.
///
/// # Errors
/// When there are no cases.
pub fn run(folder: Option<&str>, verbose: bool) -> Result<String, String> {
    let folder = folder.map(PathBuf::from).or_else(|| std::env::var_os(FOLDER).map(PathBuf::from));
    let folder = folder.ok_or_else(|| format!("name the folder of cases, or set {FOLDER}"))?;
    let cases = casekit::read(Path::new(&folder))?;
    let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("the rules have {} mistakes", mistakes.len()))?;
    let score = casekit::score(cases, &rules);
    let mut said = score.to_string();
    if verbose {
        said.push_str("\nnot answered rightly:\n");
        score.misses().for_each(|missed| said.push_str(&format!("  {missed}\n")));
    }
    Ok(said.trim_end().to_owned())
}
