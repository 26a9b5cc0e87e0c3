//! The rule sets at the paths of a command line: each file is used once, and each set gets a name that no other has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::reading::{SetSource, test_file};
use spanned_yaml::Diagnostic;
use untrusted::display_path;

/// A rule set that was given, and what is wrong with it.
struct Given {
    set: SetSource,
    /// Its files by the path that every way to them has in common.
    files: BTreeSet<PathBuf>,
    wrong: Vec<Diagnostic>,
}

/// Reads the rule sets at these paths, and notes which of them were left out because others hold their files.
pub(crate) fn read(paths: &[PathBuf], found: &mut Vec<Diagnostic>) -> (Vec<SetSource>, Vec<String>) {
    // `*.yaml` names the tests of a file with rules, too, which are read with it.
    let has_rules = |path: &&PathBuf| test_file::rules_of(path).is_none_or(|rules| !paths.contains(&rules));
    let all: Vec<Given> = paths.iter().filter(has_rules).map(|path| Given::at(path, paths.len() > 1)).collect();
    let mut notes = Vec::new();
    let holders: Vec<Option<String>> = (0..all.len()).map(|place| holder(&all, place)).collect();
    let mut sets = Vec::new();
    for (Given { set, mut wrong, .. }, holder) in all.into_iter().zip(holders) {
        if let Some(holder) = holder {
            let path = display_path(&set.path);
            notes.push(if path == holder {
                format!("{path}: given twice, and used once")
            } else {
                format!("{path}: {holder} holds it, too; it is used once")
            });
        } else {
            found.append(&mut wrong);
            sets.push(set);
        }
    }
    name_apart(&mut sets);
    (sets, notes)
}

impl Given {
    fn at(path: &Path, one_of_several: bool) -> Self {
        let mut wrong = Vec::new();
        let set = SetSource::at(path, &mut wrong);
        // What can't be found is told where it is read.
        let common = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| file.clone());
        let files = set.files.iter().filter(|_| one_of_several).map(common).collect();
        Self { set, files, wrong }
    }
}

/// The set that holds all files of another, if one does: a larger one, or the first of several with the same.
fn holder(all: &[Given], place: usize) -> Option<String> {
    let one = all.get(place).filter(|one| !one.files.is_empty())?;
    let holds = |other: usize, given: &Given| {
        let larger = given.files.len() > one.files.len();
        other != place && (larger || other < place) && one.files.is_subset(&given.files)
    };
    let (_, holder) = all.iter().enumerate().find(|(other, given)| holds(*other, given))?;
    Some(display_path(&holder.set.path))
}

/// Names sets with equal names by their paths, because reports name the set that overrides, disables or suppresses. The
/// set that replaces the built-in one keeps its name.
fn name_apart(sets: &mut [SetSource]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for set in &*sets {
        let count = count.entry(set.name.clone()).or_default();
        *count = count.saturating_add(1);
    }
    let builtin = sets.iter().position(|set| set.is_builtin);
    for (place, set) in sets.iter_mut().enumerate() {
        if Some(place) != builtin && count.get(&set.name).is_some_and(|count| *count > 1) {
            set.name = display_path(&set.path);
        }
    }
}
