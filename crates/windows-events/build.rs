//! Puts the table of events, `events.yaml`, into the crate, and a digest of all that decides what is read of an event log: the
//! table, the sources of this crate, of the one that decodes records, and of what these decode values with, and the versions
//! of the crates that they use. `--cache` only uses what was kept with an equal digest.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

use spanned_yaml::{Diagnostic, YamlText};

fn main() -> Result<(), Box<dyn Error>> {
    const EVENTS: &str = "events.yaml";
    println!("cargo::rerun-if-changed={EVENTS}");
    let file = YamlText::new(EVENTS, fs::read_to_string(EVENTS)?);
    let shown = |mistakes: Vec<Diagnostic>| mistakes.iter().map(|mistake| mistake.render(false)).collect::<String>();
    let events = knowledge_tables::events::encoded(&file).map_err(shown)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("events.bin"), &events)?;

    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut paths = vec![own.join("Cargo.toml")];
    collect(&own.join("src"), &mut paths)?;
    // Where the crate is built as a part of another program, its neighbours and the exact versions are missing: a build with
    // other versions then uses what this one kept, until the sources change.
    for beside in ["../evidence/src", "../evtx-scan/src", "../untrusted/src", "../wer/src"] {
        let folder = own.join(beside);
        if folder.exists() {
            collect(&folder, &mut paths)?;
        }
    }
    paths.extend(Some(own.join("../../Cargo.lock")).filter(|lock| lock.exists()));
    paths.sort();
    let mut hasher = DefaultHasher::new();
    events.hash(&mut hasher);
    for path in &paths {
        println!("cargo::rerun-if-changed={}", path.display());
        (path.strip_prefix(&own).unwrap_or(path), fs::read(path)?).hash(&mut hasher);
    }
    println!("cargo::rustc-env=CRASHSIFT_READER_DIGEST={:016x}", hasher.finish());
    Ok(())
}

/// All sources below `folder`. Cargo is told of the folders too, so that a new file is noticed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
