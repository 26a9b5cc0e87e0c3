//! `cargo xtask fleet`: the evidence of a made fleet of any size, and what truly happened in it.
//!
//! `evidence/HOST/...` are the files of one machine, as collected from it. `truth/` is outside of the evidence, JSON Lines:
//! `incidents.jsonl` has every crash, hang, blue screen and power loss with its cause and its files, `machines.jsonl` the
//! machines, and `patterns.jsonl` what several machines share. Equal arguments give equal bytes: a machine depends on the
//! seed and its number alone.

mod machine;
mod story;
mod truth;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde::Serialize;

use machine::Evidence;
use story::{Story, Traits};

pub const USAGE: &str = "cargo xtask fleet --machines N [--days D] [--seed S] -o FOLDER";

/// The days that a fleet's logs cover, where none are given.
const DAYS: u64 = 60;

/// What the command line asks for.
struct Wanted {
    machines: usize,
    story: Story,
    folder: PathBuf,
}

impl Wanted {
    fn new(arguments: &[&str]) -> Result<Self, String> {
        let (mut machines, mut days, mut seed, mut folder) = (None, DAYS, 1, None);
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err(format!("usage: {USAGE}")) };
            let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
            match *name {
                "--machines" => machines = Some(number()? as usize),
                "--days" => days = number()?.clamp(12, 720),
                "--seed" => seed = number()?,
                "-o" => folder = Some(PathBuf::from(value)),
                _ => return Err(format!("usage: {USAGE}")),
            }
        }
        let (Some(machines), Some(folder)) = (machines, folder) else { return Err(format!("usage: {USAGE}")) };
        Ok(Self { machines, story: Story { days, seed }, folder })
    }
}

/// Writes a fleet into a folder that has none, and returns how large it is.
pub fn make(arguments: &[&str]) -> Result<String, String> {
    let Wanted { machines, story, folder } = Wanted::new(arguments)?;
    let (evidence, truth) = (folder.join("evidence"), folder.join("truth"));
    if evidence.exists() || truth.exists() {
        return Err(format!("{}: there is a fleet already", folder.display()));
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let made: Result<Vec<Vec<Made>>, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                let (story, evidence) = (&story, &evidence);
                let numbers = (first..machines).step_by(threads);
                scope.spawn(move || numbers.map(|number| written(story, number, evidence)).collect())
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a thread ended early".to_owned())?).collect()
    });
    let mut made: Vec<Made> = made?.into_iter().flatten().collect();
    made.sort_by_key(|made| made.traits.number);

    let mut patterns = BTreeMap::new();
    for made in &made {
        truth::count(&mut patterns, &made.traits, &made.incidents);
    }
    let incidents: Vec<&truth::Incident> = made.iter().flat_map(|made| &made.incidents).collect();
    write_lines(&truth.join("incidents.jsonl"), incidents.iter())?;
    write_lines(&truth.join("machines.jsonl"), made.iter().map(|made| truth::Machine::new(&made.traits)))?;
    write_lines(&truth.join("patterns.jsonl"), truth::patterns(&story, &patterns).iter())?;
    let (files, bytes) = made.iter().fold((0, 0), |(files, bytes), made| (files + made.files, bytes + made.bytes));
    Ok(format!("{} machines, {files} files, {bytes} bytes, {} incidents", made.len(), incidents.len()))
}

/// A machine whose files are written.
struct Made {
    traits: Traits,
    incidents: Vec<truth::Incident>,
    files: usize,
    bytes: usize,
}

fn written(story: &Story, number: usize, evidence: &Path) -> Result<Made, String> {
    let traits = Traits::new(story, number);
    let Evidence { files, incidents } = machine::evidence(story, &traits);
    let (count, mut bytes) = (files.len(), 0);
    for (name, content) in files {
        let path = evidence.join(&traits.host).join(name);
        let parent = path.parent().unwrap_or(evidence);
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        fs::write(&path, &content).map_err(|error| format!("{}: {error}", path.display()))?;
        bytes += content.len();
    }
    Ok(Made { traits, incidents, files: count, bytes })
}

fn write_lines(path: &Path, values: impl Iterator<Item = impl Serialize>) -> Result<(), String> {
    let failed = |error: String| format!("{}: {error}", path.display());
    let mut text = String::new();
    for value in values {
        text.push_str(&serde_json::to_string(&value).map_err(|error| failed(error.to_string()))?);
        text.push('\n');
    }
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(|error| failed(error.to_string()))?;
    fs::write(path, text).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence_of(seed: u64, number: usize) -> Evidence {
        let story = Story { days: 60, seed };
        machine::evidence(&story, &Traits::new(&story, number))
    }

    #[test]
    fn equal_seeds_give_equal_bytes() {
        for number in [0, 7, 99] {
            assert_eq!(evidence_of(5, number).files, evidence_of(5, number).files);
        }
        assert_ne!(evidence_of(5, 3).files, evidence_of(6, 3).files);
    }

    #[test]
    fn files_of_the_truth_are_in_the_evidence() {
        for number in 0..60 {
            let Evidence { files, incidents } = evidence_of(1, number);
            for file in incidents.iter().flat_map(|incident| &incident.files) {
                assert!(files.iter().any(|(name, _)| name == file), "{file}");
            }
        }
    }
}
