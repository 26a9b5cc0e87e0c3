//! Encoding tables for the crate that is built: what its build script does.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use serde::Serialize;
use spanned_yaml::{Diagnostic, YamlText};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Encodes tables of a rule set for the crate that is built.
pub struct Embedding {
    data: PathBuf,
    out: PathBuf,
    mistakes: Vec<Diagnostic>,
}

impl Embedding {
    /// Tables of the rule set in the folder `rules`, for the crate whose build script runs.
    ///
    /// # Errors
    /// When this is no build script.
    pub fn new(rules: &str) -> Outcome<Self> {
        Ok(Self { data: Path::new(rules).join("data"), out: env::var("OUT_DIR")?.into(), mistakes: Vec::new() })
    }

    /// What `read` gives of `data/FILE.yaml`. When the file changes, Cargo runs the build script again.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn read<T>(&mut self, file: &str, read: impl FnOnce(&Arc<YamlText>, &mut Vec<Diagnostic>) -> T) -> Outcome<T> {
        let file = self.file(file)?;
        Ok(read(&file, &mut self.mistakes))
    }

    /// Calls `read` once, with all files of tables whose names begin with `beginning`, sorted by name, and returns what it
    /// returns. Cargo runs the build script again when such a file is changed or added.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn read_all<T>(
        &mut self,
        beginning: &str,
        read: impl FnOnce(&[Arc<YamlText>], &mut Vec<Diagnostic>) -> T,
    ) -> Outcome<T> {
        println!("cargo::rerun-if-changed={}", self.data.display());
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.data)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".yaml").filter(|name| name.starts_with(beginning)).map(str::to_owned));
        }
        names.sort();
        let files = names.iter().map(|name| self.file(name)).collect::<Outcome<Vec<_>>>()?;
        Ok(read(&files, &mut self.mistakes))
    }

    fn file(&self, name: &str) -> Outcome<Arc<YamlText>> {
        let path = self.data.join(format!("{name}.yaml"));
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(YamlText::new(format!("data/{name}.yaml"), text))
    }

    /// Encodes what `read` gives of `data/FILE.yaml` as `FILE.bin`.
    ///
    /// # Errors
    /// When the file can't be read, or the other not be written.
    pub fn embed<T: Serialize>(
        &mut self,
        file: &str,
        read: impl FnOnce(&Arc<YamlText>, &mut Vec<Diagnostic>) -> T,
    ) -> Outcome<()> {
        let table = self.read(file, read)?;
        self.write(file, &table)
    }

    /// Encodes a table as `NAME.bin`.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&self, name: &str, table: &impl Serialize) -> Outcome<()> {
        Ok(fs::write(self.out.join(format!("{name}.bin")), postcard::to_allocvec(table)?)?)
    }

    /// Ends the build script.
    ///
    /// # Errors
    /// When a table had mistakes: all of them, as the build shows them.
    pub fn finish(self) -> Outcome<()> {
        if self.mistakes.is_empty() {
            return Ok(());
        }
        Err(self.mistakes.iter().map(|mistake| mistake.render(false)).collect::<Vec<_>>().join("\n\n").into())
    }
}
