//! Archives: the files in them, one after the other.
//!
//! Nothing is written under a name that stands in an archive: a member is unpacked into a file without name, is read there
//! like any other file, and is gone afterwards. What an archive claims of itself is not believed: how many members are
//! read and how many bytes they unpack to is limited, whatever it says.

mod cabinet;
mod limits;
mod name;
mod tape;
mod zipped;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;

use crate::discover::SNIFFED;
use limits::Limited;
pub use limits::{Allowance, DEEPEST};
use name::Names;
use untrusted::{Loss, Unreadable};

/// A file in an archive.
pub struct Member<'m> {
    /// Its path in the archive, with `/` between its parts; never one that leads out of it, and no other member has it.
    pub name: String,
    /// Its size as the archive says, bytes.
    pub bytes: Option<u64>,
    /// Its content. Ends with an error where it is damaged, or unpacks to more than is allowed.
    pub content: &'m mut dyn Read,
}

/// Is given the members.
pub type Each<'e> = dyn FnMut(Member<'_>) + 'e;

/// The kinds of archive that are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveKind {
    /// `.zip`.
    Zip,
    /// `.gz`, and `.tar.gz` or `.tgz`.
    Gzip,
    /// `.tar`.
    Tar,
    /// Windows' `.cab`.
    Cabinet,
}

impl ArchiveKind {
    /// The kind of an archive that begins with `first`; `None` for one that is not opened.
    ///
    /// `.7z` is none: what reads them makes as much room as the archive asks for, and that may be more than there is.
    #[must_use]
    pub fn of(first: &[u8]) -> Option<Self> {
        if first.starts_with(b"PK") {
            Some(Self::Zip)
        } else if first.starts_with(b"\x1F\x8B\x08") {
            Some(Self::Gzip)
        } else if first.starts_with(b"MSCF") {
            Some(Self::Cabinet)
        } else if tape::is_tape(first) {
            Some(Self::Tar)
        } else {
            None
        }
    }
}

/// Gives every member of an archive to `each`, and tells of those that could not be had.
///
/// `file_name` is the archive's own name, which tells what the content of a `.gz` is called.
///
/// # Errors
/// When it is no archive of this kind.
pub fn members(
    kind: ArchiveKind,
    file: &mut File,
    file_name: &str,
    allowance: &Allowance,
    each: &mut Each<'_>,
) -> Result<Vec<Loss>, Unreadable> {
    file.seek(SeekFrom::Start(0)).map_err(|error| Unreadable::whole(error.to_string()))?;
    let mut names = Names::default();
    match kind {
        ArchiveKind::Zip => zipped::members(file, allowance, &mut names, each),
        ArchiveKind::Tar => tape::members(BufReader::new(file), allowance, &mut names, each),
        ArchiveKind::Cabinet => cabinet::members(file, allowance, &mut names, each),
        ArchiveKind::Gzip => {
            let content = Limited::new(MultiGzDecoder::new(BufReader::new(file)), allowance);
            unzipped(content, file_name, allowance, &mut names, each)
        }
    }
}

/// The content of a `.gz`: a single file, or the members of a `.tar`.
fn unzipped(
    mut content: impl Read,
    file_name: &str,
    allowance: &Allowance,
    names: &mut Names,
    each: &mut Each<'_>,
) -> Result<Vec<Loss>, Unreadable> {
    let mut first = Vec::new();
    let began = content.by_ref().take(SNIFFED).read_to_end(&mut first);
    if first.is_empty()
        && let Err(error) = &began
    {
        return Err(Unreadable::whole(format!("it can't be unpacked: {}", words(error))));
    }
    let failed = began.err();
    let mut content = io::Read::chain(first.as_slice(), Ending { rest: content, failed });
    if tape::is_tape(&first) {
        return tape::members(content, allowance, names, each);
    }
    let mut losses = Vec::new();
    if allowance.take_member(&mut losses) {
        let name = names.of(&name::without_gz(file_name));
        each(Member { name, bytes: None, content: &mut content });
    }
    Ok(losses)
}

/// What follows the beginning, which may have ended with an error already.
struct Ending<R> {
    rest: R,
    failed: Option<io::Error>,
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.rest.read(buffer),
        }
    }
}

/// An error in words for people.
#[must_use]
pub fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => error.to_string(),
    }
}
