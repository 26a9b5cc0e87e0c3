//! Where the reports of a run go, each in its format.

use std::fs;
use std::path::{Path, PathBuf};

use super::output;
use super::report_format::{ReportFormat, folder};

/// One report of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Its file; `None` is standard output.
    pub file: Option<PathBuf>,
    /// Its format.
    pub format: ReportFormat,
}

/// The value of `--output` that is standard output.
const STANDARD_OUTPUT: &str = "-";

/// The message for a format that standard output can't take.
const FOLDER: &str = "--format parquet: it is a folder of tables; name one with --output";

/// The reports of a run: one to standard output without `outputs`. `asked` is `--format`, `standard` the format of standard
/// output without it.
///
/// `--format` decides the format of a single output. Of several, the endings of their names decide, and `--format` only
/// where a name has no ending, as that of standard output.
///
/// # Errors
/// The message for the user: a format is not known, two outputs are the same, or a file can't be written.
pub fn destinations(
    outputs: &[PathBuf],
    asked: Option<ReportFormat>,
    standard: ReportFormat,
) -> Result<Vec<Destination>, String> {
    if outputs.is_empty() {
        if asked.is_some_and(ReportFormat::is_folder) {
            return Err(FOLDER.to_owned());
        }
        return Ok(vec![Destination { file: None, format: asked.unwrap_or(standard) }]);
    }
    let mut all: Vec<Destination> = Vec::new();
    let mut places: Vec<PathBuf> = Vec::new();
    for path in outputs {
        let destination = if path == Path::new(STANDARD_OUTPUT) {
            Destination { file: None, format: asked.unwrap_or(standard) }
        } else {
            let format = format_of(path, asked, outputs.len() == 1)
                .map_err(|reason| format!("--output {}: {reason}", path.display()))?;
            if format.is_folder() {
                folder::check(path).map_err(|reason| format!("--output {}: {reason}", path.display()))?;
            } else {
                output::check(path)?;
            }
            let place = place(path);
            if let Some(other) = places.iter().position(|known| *known == place) {
                let other = all.iter().filter_map(|known| known.file.as_deref()).nth(other).unwrap_or(path);
                return Err(format!("--output {} and --output {}: the same file", other.display(), path.display()));
            }
            places.push(place);
            Destination { file: Some(path.clone()), format }
        };
        if destination.file.is_none() && all.iter().any(|known| known.file.is_none()) {
            return Err("--output -: given twice, and standard output takes one report".to_owned());
        }
        all.push(destination);
    }
    if all.iter().any(|known| known.file.is_none() && known.format.is_folder()) {
        return Err(FOLDER.to_owned());
    }
    Ok(all)
}

/// The format of a file, which is the only output or one of several.
fn format_of(path: &Path, asked: Option<ReportFormat>, is_only: bool) -> Result<ReportFormat, String> {
    if let Some(asked) = asked.filter(|_| is_only) {
        return Ok(asked);
    }
    match (ReportFormat::of_file(path)?, asked) {
        (Some(format), _) | (None, Some(format)) => Ok(format),
        (None, None) if is_only => Ok(ReportFormat::Text),
        (None, None) => {
            Err(format!("of several outputs, the ending of each name is its format; {}", ReportFormat::endings()))
        }
    }
}

/// The file that a path leads to, whether or not it exists, in a form that is equal for equal files.
fn place(path: &Path) -> PathBuf {
    let place = fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match (fs::canonicalize(folder), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_path_buf(),
        }
    });
    // On Windows, `R.json` and `r.json` are one file.
    if cfg!(windows) { PathBuf::from(place.to_string_lossy().to_lowercase()) } else { place }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(outputs: &[&Path], asked: Option<ReportFormat>) -> Result<Vec<ReportFormat>, String> {
        let outputs: Vec<PathBuf> = outputs.iter().map(|path| path.to_path_buf()).collect();
        destinations(&outputs, asked, ReportFormat::Screen)
            .map(|all| all.iter().map(|destination| destination.format).collect())
    }

    #[test]
    fn one_output_is_as_asked_and_several_are_as_they_end() {
        use ReportFormat::{Csv, Html, Json, Screen, Text};
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let (page, table, plain, dash) = (at("r.html"), at("r.csv"), at("report"), Path::new("-"));
        for (outputs, asked, formats) in [
            (&[][..], None, &[Screen][..]),
            (&[], Some(Json), &[Json]),
            (&[dash], None, &[Screen]),
            (&[page.as_path()], None, &[Html]),
            (&[page.as_path()], Some(Json), &[Json]),
            (&[plain.as_path()], None, &[Text]),
            (&[page.as_path(), dash, table.as_path()], None, &[Html, Screen, Csv]),
            (&[page.as_path(), dash, table.as_path()], Some(Json), &[Html, Json, Csv]),
            (&[page.as_path(), plain.as_path()], Some(Json), &[Html, Json]),
        ] {
            assert_eq!(resolved(outputs, asked).as_deref(), Ok(formats), "{outputs:?} {asked:?}");
        }
    }

    #[test]
    fn outputs_without_a_format_or_onto_each_other_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let (page, same, other) = (at("r.html"), folder.path().join(".").join("r.html"), at("r.docx"));
        let (plain, dash) = (at("report"), Path::new("-"));
        for (outputs, reason) in [
            (&[other.as_path()][..], "no format has this ending"),
            (&[page.as_path(), other.as_path()], "no format has this ending"),
            (&[page.as_path(), plain.as_path()], "the ending of each name is its format"),
            (&[page.as_path(), same.as_path()], "the same file"),
            (&[dash, dash], "standard output takes one report"),
        ] {
            let refused = resolved(outputs, None).expect_err("refused");
            assert!(refused.contains(reason), "{outputs:?}: {refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_its_target_are_the_same_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("r.json"), folder.path().join("latest.json"));
        fs::write(&file, b"{}").expect("a file");
        std::os::unix::fs::symlink("r.json", &link).expect("a link");
        assert!(resolved(&[&file, &link], None).is_err_and(|reason| reason.contains("the same file")));
    }
}
