//! The question of a run: everything but the artifacts that its answer depends on, as a hash.

use std::env;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use walkdir::WalkDir;
use xxhash_rust::xxh3::Xxh3;

use untrusted::HeadAndTail;

/// The largest rule file, or baseline, that is read for comparing it, bytes.
const MOST_BYTES: u64 = 256 << 20;
/// Files are read in blocks of this size, bytes.
pub(super) const BLOCK: usize = 256 << 10;

/// The question of a run: program, options, rules, baseline and pasted texts.
pub struct Question {
    hash: Xxh3,
    /// The names of the pasted texts.
    pub(super) pasted: Vec<String>,
}

impl Question {
    /// The question of this program with these options. `program` is its file, where that is not the process's own. `None`
    /// when that file can't be read.
    pub fn with(program: Option<&Path>, options: &impl Debug) -> Option<Self> {
        let mut question = Self { hash: Xxh3::new(), pasted: Vec::new() };
        // Any other build may answer otherwise.
        let program = program.map_or_else(|| env::current_exe().ok(), |file| Some(file.to_path_buf()))?;
        question.file(&program, u64::MAX).ok()?;
        question.part(format!("{options:?}").as_bytes());
        Some(question)
    }

    /// Adds the names and content of the files at `path`: a file, or all files below a folder.
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

    /// Adds a pasted text with its name.
    pub fn text(&mut self, name: &str, content: &HeadAndTail) {
        self.part(name.as_bytes());
        self.part(&content.head);
        self.part(&content.tail);
        self.part(&content.left_out.to_le_bytes());
        self.part(&content.lines_left_out.to_le_bytes());
        self.pasted.push(name.to_owned());
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

    /// Adds a part with its length, so that the ends of parts count.
    fn part(&mut self, bytes: &[u8]) {
        self.hash.update(&(bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }
}

/// The hash of all that can be read.
pub(super) fn hash_of(from: impl Read) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    io::copy(&mut BufReader::with_capacity(BLOCK, from), &mut hash)?;
    Ok(hash.digest128())
}
