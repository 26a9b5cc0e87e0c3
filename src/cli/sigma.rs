//! Sigma rules on the command line: `--rules sigma:PATH`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Exit, stream};
use sigma::{PREFIX, SigmaRules};
use untrusted::sanitise;

/// The path behind `sigma:`.
pub fn path(given: &Path) -> Option<PathBuf> {
    // A path that is not Unicode has no prefix.
    given.to_str()?.strip_prefix(PREFIX).map(PathBuf::from)
}

/// The paths of this program's own rules, and those of Sigma rules.
pub fn split(given: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let own = given.iter().filter(|given| path(given).is_none()).cloned().collect();
    (own, given.iter().filter_map(|given| path(given)).collect())
}

/// The commands that take Sigma rules.
const TAKE: &str = "`analyze`, `inspect`, `why`, and of `rules` `list`, `show`, `check`, `new` and `diff`";

/// The message about the first path with Sigma rules, for commands that do not take them.
pub fn refusal<'p>(given: impl IntoIterator<Item = &'p PathBuf>) -> Option<String> {
    let given = given.into_iter().find(|given| path(given).is_some())?;
    Some(format!("{}: only {TAKE} take Sigma rules", given.display()))
}

/// Loads the Sigma rules of these paths, if there are any, and notes their number, unless `quiet`.
pub fn load(paths: &[PathBuf], quiet: bool) -> Result<Option<Arc<SigmaRules>>, Exit> {
    if paths.is_empty() {
        return Ok(None);
    }
    let rules = SigmaRules::load(paths).map_err(|error| stream::usage(format!("--rules {PREFIX}{error}")))?;
    if !quiet {
        let hint = if rules.rejected.is_empty() { "" } else { "; `crashsift rules check sigma:PATH` names them" };
        stream::note(&sanitise(&format!("{}{hint}", rules.summary())));
    }
    Ok(Some(Arc::new(rules)))
}
