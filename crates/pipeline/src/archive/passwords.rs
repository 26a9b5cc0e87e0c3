//! The passwords that archives are opened with.

use std::fmt;
use std::io;
use std::path::Path;

use crate::read_error::ReadError;

/// The most passwords. Each one is tried on each encrypted part of an archive.
const MOST: usize = 100;
/// The largest file of passwords, bytes.
const MOST_BYTES: u64 = 64 << 10;

/// Passwords in the order in which they are tried. They are in no message and no report.
#[derive(Clone, Default)]
pub struct Passwords(Vec<String>);

impl Passwords {
    /// The passwords in the file at `path`, one a line; empty lines don't count.
    ///
    /// # Errors
    /// When it can't be read, is not UTF-8 or has more than 100.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = String::from_utf8(opener::read(path, MOST_BYTES)?).map_err(|_| ReadError::PasswordsNotText)?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        let passwords: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        if passwords.len() > MOST {
            return Err(ReadError::TooManyPasswords { most: MOST }.into());
        }
        Ok(Self(passwords))
    }

    /// The passwords of a list.
    pub fn new(passwords: impl IntoIterator<Item = String>) -> Self {
        Self(passwords.into_iter().collect())
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// All passwords with their positions, that at `first` before the others.
    pub(super) fn beginning_with(&self, first: usize) -> impl Iterator<Item = (usize, &str)> {
        let all = || self.0.iter().map(String::as_str).enumerate();
        all().filter(move |(at, _)| *at == first).chain(all().filter(move |(at, _)| *at != first))
    }

    /// Why an encrypted part was not opened.
    pub(super) fn refused(&self) -> ReadError {
        if self.0.is_empty() { ReadError::Encrypted } else { ReadError::NoPasswordFits }
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passwords", self.0.len())
    }
}
