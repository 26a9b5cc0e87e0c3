//! Puts the built-in rule set into the program: every YAML file below `rules/`, under its path in that folder.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("rules");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for file in &files {
        let relative = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        let absolute = file.to_string_lossy();
        writeln!(code, "    ({relative:?}, include_str!({absolute:?})),")?;
    }
    code.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("builtin_rules.rs"), code)?;
    Ok(())
}

/// All YAML files below `folder`. Cargo is told of the folders too, so that a new file is noticed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
