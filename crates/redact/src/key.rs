//! The key of pseudonyms, and the file that keeps it with the names behind them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use hmac::{Hmac, KeyInit, Mac};
use knowledge_tables::private::PrivateClass;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The key without a file: the same for everyone, so that reports of several people can be merged.
const FIXED: &[u8] = b"crashsift";
/// The length of a key that is made, bytes.
const LENGTH: usize = 32;
/// The letters of a pseudonym behind its class: 40 bits, so that of 10,000 names two have one pseudonym once in 20,000 runs.
pub(crate) const CODE_LENGTH: usize = 8;
/// The largest file that is read, bytes: some million names.
const MOST: u64 = 128 << 20;

/// Why the file of a key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It can't be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// It is not one that `--redact-map` wrote.
    #[error("{}: not a file of --redact-map: {reason}", path.display())]
    Content {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    about: String,
    /// Hexadecimal.
    key: String,
    /// The names behind pseudonyms.
    names: BTreeMap<String, String>,
}

/// The key by which pseudonyms are made. With another key, equal names have other pseudonyms.
#[derive(Debug)]
pub struct Key {
    key: Vec<u8>,
    /// The file that keeps it, with the names that were replaced so far.
    file: Option<(PathBuf, Mutex<BTreeMap<String, String>>)>,
}

impl Default for Key {
    /// The key that everyone has.
    fn default() -> Self {
        Self { key: FIXED.to_vec(), file: None }
    }
}

impl Key {
    /// The key that the file at `path` keeps; a new one where there is no file yet.
    ///
    /// # Errors
    /// When the file can't be read, or has another content.
    pub fn in_file(path: &Path) -> Result<Self, KeyError> {
        let failed = |error: io::Error| KeyError::File { path: path.to_owned(), error };
        let wrong = |reason: String| KeyError::Content { path: path.to_owned(), reason };
        let about = match std::fs::metadata(path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut key = vec![0; LENGTH];
                getrandom::fill(&mut key).map_err(|error| failed(io::Error::other(error.to_string())))?;
                return Ok(Self { key, file: Some((path.to_owned(), Mutex::default())) });
            }
            Err(error) => return Err(failed(error)),
        };
        if !about.is_file() || about.len() > MOST {
            return Err(wrong("not a file, or too large for one".to_owned()));
        }
        let mut text = String::new();
        let file = File::open(path).map_err(failed)?;
        file.take(MOST).read_to_string(&mut text).map_err(failed)?;
        let stored: Stored = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let key = HEXLOWER.decode(stored.key.as_bytes()).map_err(|error| wrong(format!("key: {error}")))?;
        if key.len() < LENGTH {
            return Err(wrong("its key is too short".to_owned()));
        }
        Ok(Self { key, file: Some((path.to_owned(), Mutex::new(stored.names))) })
    }

    /// The letters that stand for a name of a class.
    pub(crate) fn code(&self, class: PrivateClass, name: &str) -> String {
        // A key of any length is one for HMAC.
        let Ok(mut hash) = Hmac::<Sha256>::new_from_slice(&self.key) else { return String::new() };
        hash.update(class.word().as_bytes());
        hash.update(&[0]);
        hash.update(name.as_bytes());
        let mut code = BASE32_NOPAD.encode(&hash.finalize().into_bytes()).to_lowercase();
        code.truncate(CODE_LENGTH);
        code
    }

    /// Notes the name behind a pseudonym, where a file keeps them. Of several spellings, the first in their order.
    pub(crate) fn note(&self, pseudonym: &str, name: &str) {
        let Some((_, names)) = &self.file else { return };
        let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names.entry(pseudonym.to_owned()).or_insert_with(|| name.to_owned());
        if name < known.as_str() {
            *known = name.to_owned();
        }
    }

    /// Whether a file keeps the key and the names.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Writes the file, whole or not at all; only its owner can read it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn save(&self) -> Result<(), KeyError> {
        let Some((path, names)) = &self.file else { return Ok(()) };
        let failed = |error: io::Error| KeyError::File { path: path.clone(), error };
        let names = names.lock().unwrap_or_else(PoisonError::into_inner);
        let stored = Stored {
            about: "Translates the pseudonyms of `crashsift --redact` back. Keep it to yourself: do not pass it on with a report."
                .to_owned(),
            key: HEXLOWER.encode(&self.key),
            names: names.clone(),
        };
        let mut text = serde_json::to_vec_pretty(&stored).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Files of this kind are made with the mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(&text).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_with_its_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("map.json");
        let key = Key::in_file(&path).expect("a new key");
        let code = key.code(PrivateClass::Host, "pc-1");
        key.note(&format!("host-{code}"), "PC-1");
        key.save().expect("saved");
        let again = Key::in_file(&path).expect("the key");
        assert_eq!(again.code(PrivateClass::Host, "pc-1"), code);
        assert_ne!(Key::default().code(PrivateClass::Host, "pc-1"), code);
        assert_ne!(again.code(PrivateClass::User, "pc-1"), code);
        let text = std::fs::read_to_string(&path).expect("the file");
        assert!(text.contains("\"PC-1\""), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).expect("the file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn another_file_is_no_map() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("map.json");
        std::fs::write(&path, "{\"key\": \"00\"}").expect("written");
        assert!(matches!(Key::in_file(&path), Err(KeyError::Content { .. })));
        assert!(matches!(Key::in_file(folder.path()), Err(KeyError::Content { .. })));
    }
}
