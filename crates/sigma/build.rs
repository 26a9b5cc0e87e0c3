//! Puts the table of log sources where the crate includes it.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    const NAME: &str = "sigma-logsources.yaml";
    let table = Path::new(builtin_rules::FOLDER).join("data").join(NAME);
    println!("cargo::rerun-if-changed={}", table.display());
    fs::copy(&table, Path::new(&env::var("OUT_DIR")?).join(NAME))?;
    Ok(())
}
