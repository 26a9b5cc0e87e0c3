//! Puts the schema of facts, `schema.yaml`, into the crate.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use spanned_yaml::{Diagnostic, YamlText};

fn main() -> Result<(), Box<dyn Error>> {
    const NAME: &str = "schema.yaml";
    println!("cargo::rerun-if-changed={NAME}");
    let file = YamlText::new(NAME, fs::read_to_string(NAME)?);
    let shown = |mistakes: Vec<Diagnostic>| mistakes.iter().map(|mistake| mistake.render(false)).collect::<String>();
    let encoded = knowledge_tables::facts::encoded(&file).map_err(shown)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("schema.bin"), encoded)?;
    Ok(())
}
