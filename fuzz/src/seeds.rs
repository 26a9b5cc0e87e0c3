//! The inputs that mutation begins with: the project's samples. Other evidence is given to the runner as a corpus.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The largest sample that is used, bytes: with small inputs, a run tries more of them.
const LARGEST: u64 = 160 << 10;

/// The root of the workspace.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The small files of `samples/` by their paths.
pub(crate) static FILES: LazyLock<Vec<(PathBuf, Vec<u8>)>> = LazyLock::new(|| {
    let entries = walkdir::WalkDir::new(project().join("samples")).sort_by_file_name().into_iter();
    let files = entries.map(|entry| entry.expect("a readable folder")).filter(|entry| entry.file_type().is_file());
    let small = files.filter(|file| file.metadata().is_ok_and(|about| about.len() <= LARGEST));
    let evidence = small.map(walkdir::DirEntry::into_path).filter(|path| !is_about(path));
    let files: Vec<_> = evidence.map(|path| (path.clone(), fs::read(path).expect("a file"))).collect();
    assert!(files.len() > 20, "the samples are missing");
    files
});

/// Whether a file is about the evidence beside it.
fn is_about(path: &Path) -> bool {
    matches!(path.extension().and_then(|ending| ending.to_str()), Some("json" | "jsonl" | "md"))
}

/// The contents that `is` accepts.
pub(crate) fn samples(is: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    FILES.iter().map(|(_, content)| content.clone()).filter(|content| is(content)).collect()
}

/// The files below a folder of the project whose names end so.
pub(crate) fn project_files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let entries = walkdir::WalkDir::new(project().join(folder)).sort_by_file_name();
    let files = entries.into_iter().map(|entry| entry.expect("a readable folder")).filter(|entry| {
        entry.file_type().is_file() && endings.iter().any(|ending| entry.path().to_string_lossy().ends_with(ending))
    });
    files.map(|file| fs::read(file.path()).expect("a file")).collect()
}
