//! Writes and checks the folder `samples/` and its page, `docs/samples.md`. The page is not in the folder, because an
//! analysis of the folder would read it as pasted text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::sample::{File, Incident, OneOf, Sample};
use crate::samples::fleet;

/// The folder below the project's.
const SAMPLES: &str = "samples";
/// The page about the samples.
const PAGE: &str = "docs/samples.md";

/// All files by their path in the project's folder.
type Contents = BTreeMap<PathBuf, Vec<u8>>;

/// Writes the files below the project's folder. Keeps files that belong to no sample; [`check`] reports them.
pub fn write(folder: &Path, samples: &[Sample]) -> Result<String, String> {
    let contents = contents(samples)?;
    for (path, bytes) in &contents {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let total: usize = contents.values().map(Vec::len).sum();
    Ok(format!("{} samples, {} files, {total} bytes", samples.len(), contents.len()))
}

/// Compares the files below the project's folder with the generated ones.
pub fn check(folder: &Path, samples: &[Sample]) -> Result<String, String> {
    let mut contents = contents(samples)?;
    let count = contents.len();
    let mut wrong = vec![];
    let mut there = files_below(folder, Path::new(SAMPLES))?;
    there.extend(folder.join(PAGE).is_file().then(|| PathBuf::from(PAGE)));
    for path in there {
        let found = fs::read(folder.join(&path)).map_err(|error| format!("{}: {error}", path.display()))?;
        match contents.remove(&path) {
            None => wrong.push(format!("{}: no sample has this file", path.display())),
            Some(made) if made != found => wrong.push(format!("{}: differs from what is generated", path.display())),
            Some(_) => {}
        }
    }
    wrong.extend(contents.keys().map(|path| format!("{}: missing", path.display())));
    if wrong.is_empty() {
        return Ok(format!("{count} files are as generated"));
    }
    wrong.push("run `cargo xtask samples` and commit samples/ and docs/samples.md".to_owned());
    Err(wrong.join("\n"))
}

fn files_below(root: &Path, below: &Path) -> Result<Vec<PathBuf>, String> {
    let here = root.join(below);
    let failed = |error: std::io::Error| format!("{}: {error}", here.display());
    let mut found = vec![];
    for entry in fs::read_dir(&here).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = below.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            found.extend(files_below(root, &path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn contents(samples: &[Sample]) -> Result<Contents, String> {
    let mut contents = Contents::new();
    for sample in samples {
        for file in &sample.files {
            contents.insert(Path::new(SAMPLES).join(sample.name).join(file.name), file.bytes.clone());
        }
        contents.insert(Path::new(SAMPLES).join(sample.name).join("expected.json"), expected(sample)?);
    }
    contents.insert(PathBuf::from(PAGE), page(samples).into_bytes());
    Ok(contents)
}

/// Samples with too many incidents for `expected.json`, each with the hand-written file that assigns its artifacts and
/// records to incidents.
const TRUTH: [(&str, &str); 1] = [(fleet::NAME, "tests/fleet/truth.txt")];

/// The content of `expected.json`.
#[derive(Serialize)]
struct Expected<'a> {
    shows: &'a str,
    artifacts: BTreeMap<&'a str, Artifact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incidents: Option<&'a [Incident]>,
}

/// The expected entry of an artifact in the report.
#[derive(Serialize)]
struct Artifact<'a> {
    kind: &'a OneOf<&'static str>,
    status: &'a OneOf<&'static str>,
}

fn expected(sample: &Sample) -> Result<Vec<u8>, String> {
    let artifacts =
        sample.files.iter().map(|file| (file.name, Artifact { kind: &file.kind, status: &file.status })).collect();
    let truth = TRUTH.into_iter().find(|(name, _)| *name == sample.name).map(|(_, path)| path);
    let incidents = truth.is_none().then_some(&*sample.incidents);
    let expected = Expected { shows: sample.shows, artifacts, truth, incidents };
    let mut text = serde_json::to_string_pretty(&expected).map_err(|error| format!("{}: {error}", sample.name))?;
    text.push('\n');
    Ok(text.into_bytes())
}

const PAGE_HEAD: &str = "\
# Samples

Generated artifacts, each folder with the expected results of its analysis. No byte comes from a real machine: names,
times, addresses and ids are invented, code is a few instructions around the fault and the calls, and no vendor's files
are included. `cargo xtask samples` writes `samples/` and this page, the same bytes every time;
`cargo xtask samples --check` fails when they are not up to date. The definitions are in `xtask/src/samples/`, the
writers of the formats in `samplekit/`.

Each folder has an `expected.json`:

| key | meaning |
| --- | --- |
| `shows` | the purpose of the sample |
| `artifacts` | each file with its expected kind and status |
| `incidents` | the incidents that the report must contain, and no others |
| `truth` | in the place of `incidents`: a file that assigns each artifact and record to its incident |
| `kind`, `process`, `exception`, `fast_fail`, `bugcheck`, `fault_site` | as in the report; absent keys are not checked |
| `suspect` | the suspected module, in upper or lower case; without this key there must be none |
| `cause`, `confidence` | the cause of the verdict, and the least and greatest confidence |
| `artifacts` of an incident | the files whose evidence belongs to it |

A list in the place of a text contains all accepted values; `null` among suspects means that there may be none. Causes
are those that an expert would state from these files alone; where the files prove little, the greatest confidence is
low.

";

fn page(samples: &[Sample]) -> String {
    let mut text = PAGE_HEAD.to_owned();
    for sample in samples {
        let files: Vec<String> = sample.files.iter().map(describe).collect();
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "## {}\n\n{}\n\n{}\n\n{}\n\n",
            sample.name,
            wrapped(sample.shows),
            files.join("\n"),
            wrapped(&format!("Made of: {}", sample.made)),
        );
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn describe(file: &File) -> String {
    format!("- `{}`, {} bytes", file.name, file.bytes.len())
}

/// Breaks a text into lines of at most 120 characters.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 120 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
