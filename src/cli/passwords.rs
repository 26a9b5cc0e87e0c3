//! `--password-file`: the passwords that encrypted archives are opened with. They are never on the command line.

use std::path::PathBuf;
use std::sync::Arc;

use super::Exit;
use super::stream::usage;
use pipeline::archive::Passwords;
use untrusted::reason;

#[derive(Debug, clap::Args)]
pub struct PasswordFile {
    /// Open encrypted archives (.zip, .7z) with the passwords in FILE, one a line, in their order. No report and no note
    /// contains them.
    #[arg(long = "password-file", value_name = "FILE")]
    path: Option<PathBuf>,
}

impl PasswordFile {
    /// Reads the passwords, if there is a file.
    pub fn read(&self) -> Result<Arc<Passwords>, Exit> {
        let Some(path) = &self.path else { return Ok(Arc::default()) };
        let passwords = Passwords::read(path);
        passwords
            .map(Arc::new)
            .map_err(|error| usage(format!("--password-file {}: {}", path.display(), reason(&error))))
    }

    /// The file.
    pub fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }
}
