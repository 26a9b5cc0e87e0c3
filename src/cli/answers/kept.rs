//! The file in which an answer is kept: the output of the run, then a trailer with everything else, then the trailer's
//! length and hash, and a mark. The trailer comes last because its content is known last.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use whole_file::WholeFile;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::question::BLOCK;

/// The last bytes of a file. The number is that of the layout.
const MARK: &[u8; 8] = b"answer 2";
/// Length (8 bytes) and hash (16) of the trailer, and the mark.
const END_BYTES: usize = 32;
/// The longest trailer, bytes: names of damaged artifacts, and notes.
const MOST_TRAILER: u64 = 64 << 20;
/// The longest output that is kept, bytes.
const MOST_OUTPUT: u64 = 512 << 20;

/// What is kept of a run beside its output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trailer {
    /// The length of the output before it, bytes; set when the answer is finished, like the hash.
    pub(super) output_bytes: u64,
    /// The hash of the output.
    pub(super) output_hash: u128,
    /// The hash of the inputs.
    pub inputs: u128,
    /// Artifacts that are compared by all their bytes.
    pub whole: BTreeSet<String>,
    /// The notes on standard error.
    pub notes: Vec<String>,
    /// The line of `--summary`.
    pub summary: Option<String>,
    /// How the run ended.
    pub exit: u8,
}

/// The kept answer of an earlier run, with its file open.
#[derive(Debug)]
pub struct Answer {
    file: File,
    /// What is kept of the run beside its output.
    pub trailer: Trailer,
}

impl Answer {
    /// The answer in the file at `path`; `None` when there is none.
    ///
    /// # Errors
    /// The reason why the file can't be used.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, String> {
        let (mut file, about) = match opener::open_with_metadata(path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("it can't be read: {error}")),
        };
        if !opener::is_of_this_user(&about) {
            return Err("it belongs to another user, or others may write it".to_owned());
        }
        let trailer = read(&mut file)
            .map_err(|error| format!("it can't be read: {error}"))?
            .ok_or("it is damaged, or not from this version")?;
        let answer = Self { file, trailer };
        let mut hash = Xxh3::new();
        answer.copy(&mut hash).map_err(|error| format!("it can't be read: {error}"))?;
        if hash.digest128() != answer.trailer.output_hash {
            return Err("it is damaged".to_owned());
        }
        Ok(Some(answer))
    }

    /// Writes the output of the run again.
    ///
    /// # Errors
    /// When `out` can't be written, or the file became shorter.
    pub fn copy(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        let copied = io::copy(&mut BufReader::with_capacity(BLOCK, file).take(self.trailer.output_bytes), out)?;
        if copied < self.trailer.output_bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// Reads the end of a file; `None` when the file is no answer, or a damaged one.
fn read(file: &mut File) -> io::Result<Option<Trailer>> {
    let about = file.metadata()?;
    let Some(end) = about.len().checked_sub(END_BYTES as u64).filter(|_| about.is_file()) else { return Ok(None) };
    file.seek(SeekFrom::Start(end))?;
    let mut last = [0; END_BYTES];
    file.read_exact(&mut last)?;
    let Some((length, rest)) = last.split_first_chunk::<8>() else { return Ok(None) };
    let Some((hash, mark)) = rest.split_first_chunk::<16>() else { return Ok(None) };
    let length = u64::from_le_bytes(*length);
    let Some(start) = end.checked_sub(length).filter(|_| length <= MOST_TRAILER && mark == MARK) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.take(length).read_to_end(&mut bytes)?;
    if xxh3_128(&bytes) != u128::from_le_bytes(*hash) {
        return Ok(None);
    }
    let trailer: Option<Trailer> = postcard::from_bytes(&bytes).ok();
    Ok(trailer.filter(|trailer| trailer.output_bytes == start))
}

/// The answer of this run, in a temporary file while its output is written.
pub(super) struct Draft {
    file: BufWriter<WholeFile>,
    hash: Xxh3,
    bytes: u64,
    /// The first error when the file was written.
    failed: Option<io::Error>,
    /// Whether the whole output was written; a reader such as `head` may close it earlier.
    whole: bool,
}

impl Draft {
    pub fn new(file: WholeFile) -> Self {
        Self { file: BufWriter::new(file), hash: Xxh3::new(), bytes: 0, failed: None, whole: false }
    }

    /// Runs `write` with a writer that writes to `out` and to the file.
    pub fn tee(&mut self, out: &mut dyn Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        write(&mut Tee { out, draft: self })?;
        self.whole = true;
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.failed.is_some() || self.bytes > MOST_OUTPUT {
            return;
        }
        self.hash.update(bytes);
        self.failed = self.file.write_all(bytes).err();
    }

    /// Moves the file to `place`, if the whole output was written and is not too long to be kept.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn finish(mut self, trailer: Trailer, place: &Path) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if !self.whole || self.bytes > MOST_OUTPUT {
            return Ok(());
        }
        let trailer = Trailer { output_bytes: self.bytes, output_hash: self.hash.digest128(), ..trailer };
        let trailer = postcard::to_allocvec(&trailer).map_err(io::Error::other)?;
        if trailer.len() as u64 > MOST_TRAILER {
            return Ok(());
        }
        self.file.write_all(&trailer)?;
        self.file.write_all(&(trailer.len() as u64).to_le_bytes())?;
        self.file.write_all(&xxh3_128(&trailer).to_le_bytes())?;
        self.file.write_all(MARK)?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(place)
    }
}

/// Writes to two places.
struct Tee<'t> {
    out: &'t mut dyn Write,
    draft: &'t mut Draft,
}

impl Write for Tee<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.draft.add(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
