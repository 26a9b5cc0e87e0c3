//! Puts the help for words, `hints.yaml`, into the crate: a constant for each group.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use spanned_yaml::{YamlText, parse};

fn main() -> Result<(), Box<dyn Error>> {
    const HINTS: &str = "hints.yaml";
    println!("cargo::rerun-if-changed={HINTS}");
    let root = parse(&YamlText::new(HINTS, fs::read_to_string(HINTS)?)).map_err(|mistakes| format!("{mistakes:?}"))?;
    let mut code = String::new();
    for group in root.entries().unwrap_or_default() {
        let name = group.name();
        writeln!(code, "#[doc = \"Help for `{name}`.\"]\npub const {}: Hints = Hints(&[", name.to_uppercase())?;
        for entry in group.value.entries().ok_or_else(|| format!("{HINTS}: `{name}` is no mapping"))? {
            let help = entry.value.text().ok_or_else(|| format!("{HINTS}: `{}` has no text", entry.name()))?;
            for word in entry.name().split(' ') {
                writeln!(code, "    ({word:?}, {help:?}),")?;
            }
        }
        writeln!(code, "]);")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("hints.rs"), code)?;
    Ok(())
}
