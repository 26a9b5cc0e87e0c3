//! Archives of 7-Zip (`.7z`).

mod decoding;
mod directory;
mod key;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use decoding::unpacked;
use directory::{Directory, Entry, Folder, Stream, parse};
use key::Keys;

use super::SYMBOLIC_LINK;
use super::checked::Checked;
use super::fields::Fields;
use super::limits::Limited;
use super::passwords::Passwords;
use super::unpacking::{Unpacking, words};
use crate::read_error::ReadError;
use untrusted::Unreadable;

/// The bytes of the head: signature, version, and where the directory is.
const HEAD: u64 = 32;
/// The offset of what the head says of the directory.
const ABOUT_DIRECTORY: u64 = 12;
/// The largest directory, bytes; that of 100,000 members has about 15 MiB.
const MOST_DIRECTORY: u64 = 32 << 20;
/// How often a directory may be compressed.
const MOST_ENCODED: usize = 4;

/// An archive while its members are unpacked.
struct Archive<'a> {
    file: &'a File,
    passwords: &'a Passwords,
    keys: Keys,
    /// The position of the password that fitted last.
    fitting: usize,
}

pub(super) fn members(
    file: &mut File,
    passwords: &Passwords,
    unpacking: &mut Unpacking<'_, '_>,
) -> Result<(), Unreadable> {
    let mut archive = Archive { file, passwords, keys: Keys::default(), fitting: 0 };
    let (folders, entries) = archive.directory().map_err(|error| {
        unpacking.is_cut = error.kind() == io::ErrorKind::UnexpectedEof;
        Unreadable::at("directory", words(&error))
    })?;
    let (with_stream, empty): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.has_stream);
    let mut entries = with_stream.into_iter();
    for folder in &folders {
        let members: Vec<(Entry, Stream)> =
            entries.by_ref().take(folder.streams.len()).zip(folder.streams.iter().copied()).collect();
        if !archive.folder(folder, members, unpacking) {
            return Ok(());
        }
    }
    for entry in empty.into_iter().filter(|entry| !entry.is_folder) {
        if !unpacking.takes_member() {
            break;
        }
        let name = unpacking.names.unique(&entry.name);
        unpacking.give(name, Some(0), io::empty());
    }
    Ok(())
}

impl<'a> Archive<'a> {
    /// Reads the directory.
    fn directory(&mut self) -> io::Result<(Vec<Folder>, Vec<Entry>)> {
        let mut head = Vec::new();
        let mut file = self.file;
        file.seek(SeekFrom::Start(ABOUT_DIRECTORY))?;
        file.take(HEAD.saturating_sub(ABOUT_DIRECTORY)).read_to_end(&mut head)?;
        let mut fields = Fields(&head);
        let (at, bytes, sum) = (fields.u64()?, fields.u64()?, fields.u32()?);
        if bytes == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        if bytes > MOST_DIRECTORY {
            return Err(ReadError::LargeDirectory.into());
        }
        file.seek(SeekFrom::Start(HEAD.saturating_add(at)))?;
        let mut directory = Vec::new();
        Checked::new(file, bytes, Some(sum)).read_to_end(&mut directory)?;
        for _ in 0..MOST_ENCODED {
            match parse(&directory)? {
                Directory::Plain(folders, entries) => return Ok((folders, entries)),
                Directory::Encoded(folder) => directory = self.encoded(&folder)?,
            }
        }
        Err(ReadError::DamagedDirectory.into())
    }

    /// A directory that is compressed, and encrypted where the names of files are.
    fn encoded(&mut self, folder: &Folder) -> io::Result<Vec<u8>> {
        let [stream] = folder.streams.as_slice() else { return Err(ReadError::DamagedDirectory.into()) };
        if stream.bytes > MOST_DIRECTORY {
            return Err(ReadError::LargeDirectory.into());
        }
        let passwords = self.passwords;
        let read = |archive: &mut Self, password| {
            let mut directory = Vec::new();
            let content = archive.content(folder, password)?;
            Checked::new(content, stream.bytes, stream.checksum).read_to_end(&mut directory)?;
            Ok(directory)
        };
        if !folder.is_encrypted() {
            return read(self, None);
        }
        for (at, password) in passwords.beginning_with(self.fitting) {
            // Without a checksum, nothing but the first byte shows whether the password fits.
            match read(self, Some((at, password))) {
                Ok(directory) if parse(&directory).is_ok() => {
                    self.fitting = at;
                    return Ok(directory);
                }
                Err(error) if is_limit(&error) => return Err(error),
                _ => {}
            }
        }
        Err(passwords.refused().into())
    }

    /// Gives the files of one folder; `false` where no more may be read.
    fn folder(&mut self, folder: &Folder, members: Vec<(Entry, Stream)>, unpacking: &mut Unpacking<'_, '_>) -> bool {
        let opened = self.password(folder, unpacking).and_then(|password| self.content(folder, password));
        let (mut content, mut lost) = match opened {
            Ok(content) => (content, None),
            Err(error) => (Box::new(io::empty()) as Box<dyn Read>, Some(words(&error))),
        };
        let mut members = members.into_iter().peekable();
        while let Some((entry, stream)) = members.next() {
            if entry.is_link {
                if !unpacking.pass_over(&entry.name, SYMBOLIC_LINK) {
                    return false;
                }
            } else if !unpacking.takes_member() {
                return false;
            }
            let mut content = Checked::new(&mut content, stream.bytes, stream.checksum);
            match &lost {
                Some(reason) if !entry.is_link => {
                    let name = unpacking.names.unique(&entry.name);
                    unpacking.lose(name, reason.clone());
                    continue;
                }
                None if !entry.is_link => {
                    let name = unpacking.names.unique(&entry.name);
                    unpacking.give(name, Some(stream.bytes), &mut content);
                }
                _ => {}
            }
            // The next member begins at the end of this one.
            if members.peek().is_some() {
                let mut rest = Limited { content, allowance: unpacking.allowance };
                lost = match io::copy(&mut rest, &mut io::sink()) {
                    Err(error) if !matches!(ReadError::of(&error), Some(ReadError::Checksum)) => Some(words(&error)),
                    _ => None,
                };
            }
        }
        true
    }

    /// The password for a folder: the first one with which its first stream is whole; none where it is not encrypted.
    fn password(&mut self, folder: &Folder, unpacking: &Unpacking<'_, '_>) -> io::Result<Option<(usize, &'a str)>> {
        let passwords = self.passwords;
        if !folder.is_encrypted() {
            return Ok(None);
        }
        let Some(stream) = folder.streams.iter().find(|stream| stream.bytes > 0) else {
            return Ok(passwords.beginning_with(0).next());
        };
        for (at, password) in passwords.beginning_with(self.fitting) {
            let tried = self.content(folder, Some((at, password))).and_then(|content| {
                let content = Checked::new(content, stream.bytes, stream.checksum);
                io::copy(&mut Limited { content, allowance: unpacking.allowance }, &mut io::sink())
            });
            match tried {
                Ok(_) => {
                    self.fitting = at;
                    return Ok(Some((at, password)));
                }
                Err(error) if is_limit(&error) => return Err(error),
                Err(_) => {}
            }
        }
        Err(passwords.refused().into())
    }

    /// The streams of a folder, one after the other.
    fn content(&mut self, folder: &Folder, password: Option<(usize, &str)>) -> io::Result<Box<dyn Read + 'a>> {
        let coders = folder.coders.as_deref().ok_or_else(|| ReadError::UnknownMethod("BCJ2".to_owned()))?;
        let mut file = self.file;
        file.seek(SeekFrom::Start(HEAD.saturating_add(folder.at)))?;
        unpacked(file.take(folder.packed), coders, password, &mut self.keys)
    }
}

/// Whether an error is none of the password, so that others would have it, too.
fn is_limit(error: &io::Error) -> bool {
    use ReadError::{NeedsMemory, SlowKey, UnknownMethod, UnpacksToTooMuch};
    matches!(ReadError::of(error), Some(NeedsMemory | SlowKey | UnknownMethod(_) | UnpacksToTooMuch { .. }))
}
