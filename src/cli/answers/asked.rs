//! What a run asks.

use std::env;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use walkdir::WalkDir;
use xxhash_rust::xxh3::Xxh3;

use untrusted::HeadAndTail;

/// The largest rule file, or baseline, that is read for comparing it, bytes.
const MOST_BYTES: u64 = 256 << 20;

/// Everything but the artifacts that an answer depends on.
pub struct Asked {
    hash: Xxh3,
    pasted: Vec<String>,
}

impl Asked {
    /// What this program asks with these options. `None` when it can't be told which program this is.
    pub fn with(options: &impl Debug) -> Option<Self> {
        let mut asked = Self { hash: Xxh3::new(), pasted: Vec::new() };
        // Any other build may answer otherwise.
        asked.file(&env::current_exe().ok()?, u64::MAX).ok()?;
        asked.part(format!("{options:?}").as_bytes());
        Some(asked)
    }

    /// And with what is in the files at `path`: a file, or all files below a folder.
    ///
    /// # Errors
    /// When one can't be read.
    pub fn files(&mut self, path: &Path) -> io::Result<()> {
        for entry in WalkDir::new(path).follow_links(true).sort_by_file_name() {
            let entry = entry?;
            if entry.file_type().is_file() {
                self.part(entry.path().as_os_str().as_encoded_bytes());
                self.file(entry.path(), MOST_BYTES)?;
            }
        }
        Ok(())
    }

    /// And of this text, which was given under this name.
    pub fn text(&mut self, name: &str, content: &HeadAndTail) {
        self.part(name.as_bytes());
        self.part(&content.head);
        self.part(&content.tail);
        self.part(&content.left_out.to_le_bytes());
        self.part(&content.lines_left_out.to_le_bytes());
        self.pasted.push(name.to_owned());
    }

    /// The names of the texts.
    pub(super) fn pasted(&self) -> Vec<String> {
        self.pasted.clone()
    }

    pub(super) fn hash(&self) -> u128 {
        self.hash.digest128()
    }

    fn file(&mut self, path: &Path, most: u64) -> io::Result<()> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if !about.is_file() || about.len() > most {
            return Err(io::Error::other("not to be compared"));
        }
        let hash = hash_of(file.take(most))?;
        self.part(&hash.to_le_bytes());
        Ok(())
    }

    /// Parts are told apart by their lengths.
    fn part(&mut self, bytes: &[u8]) {
        self.hash.update(&(bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }
}

/// A hash of all that can be read.
pub(super) fn hash_of(mut from: impl Read) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    let mut block = vec![0; 256 << 10];
    loop {
        match from.read(&mut block) {
            Ok(0) => return Ok(hash.digest128()),
            Ok(read) => hash.update(block.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
