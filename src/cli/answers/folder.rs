//! The files of answers in the cache's folder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The end of the names of files with answers. The cache takes files with `.crashsift-` in their names for its own.
const ENDING: &str = ".crashsift-answer";

/// How many answers are kept.
const MOST_ANSWERS: usize = 64;

/// The file of the answer to the question with this hash.
pub(super) fn place(folder: &Path, hash: u128) -> PathBuf {
    folder.join(format!("{hash:032x}{ENDING}"))
}

/// Removes the oldest answers, where there are more than are kept: a run that asks something else each day would fill the
/// disk with them.
pub(super) fn drop_old_answers(folder: &Path) {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut answers: Vec<(SystemTime, PathBuf)> = paths
        .filter(|path| path.file_name().is_some_and(is_answer))
        .filter_map(|path| Some((fs::symlink_metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    answers.sort_unstable_by(|one, other| other.cmp(one));
    // A file that another run removed already, or that can't be removed, does no harm.
    answers.iter().skip(MOST_ANSWERS).for_each(|(_, path)| drop(fs::remove_file(path)));
}

/// Whether a file has the name of an answer: a hash and [`ENDING`].
fn is_answer(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let hash = name.strip_suffix(ENDING);
    hash.is_some_and(|hash| hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
