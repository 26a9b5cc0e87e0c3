//! Tape archives (`.tar`), with the names and sizes of all dialects.

use std::io::{self, Read};

use tar::{Archive, EntryType, Header, PaxExtensions};

use super::SYMBOLIC_LINK;
use super::unpacking::{Unpacking, words};
use crate::read_error::ReadError;
use untrusted::Unreadable;

/// The offset of the magic in the header of the first file, and the magic of the dialects of POSIX and GNU.
const MAGIC_AT: usize = 257;
const MAGIC: &[u8] = b"ustar";
/// The longest name or set of extended values that is read, bytes. Paths on Windows have at most 32767 characters.
const LONGEST_EXTENSION: u64 = 128 << 10;

/// Whether a file that begins with `first` is a tape archive.
pub(super) fn is_tape(first: &[u8]) -> bool {
    first.get(MAGIC_AT..).is_some_and(|rest| rest.starts_with(MAGIC))
}

/// The entries before an entry that extend its header.
#[derive(Default)]
struct Extension {
    name: Option<String>,
    /// The reason why this entry and all that follow can't be read.
    refused: Option<io::Error>,
    /// The entry's size, bytes, where it does not fit into its header.
    bytes: Option<u64>,
    /// Whether its content is a map of holes with the data between them.
    sparse: bool,
}

// Entries are read raw: otherwise the crate reads extensions of any length whole.
pub(super) fn members(content: impl Read, unpacking: &mut Unpacking<'_, '_>) -> Result<(), Unreadable> {
    let mut archive = Archive::new(content);
    let entries = archive.entries().map_err(|error| Unreadable::whole(words(&error)))?.raw(true);
    let (mut extension, mut found) = (Extension::default(), false);
    for entry in entries {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) if found => {
                unpacking.lose("members", format!("no more can be found: {}", words(&error)));
                break;
            }
            Err(error) => return Err(Unreadable::whole(words(&error))),
        };
        found = true;
        match entry.header().entry_type() {
            EntryType::GNULongName => extension.name = Some(text(&mut entry, &mut extension.refused)),
            EntryType::XHeader => {
                let values = text(&mut entry, &mut extension.refused);
                extension.note(&values);
            }
            EntryType::Regular | EntryType::Continuous => {
                if !unpacking.takes_member() {
                    break;
                }
                let Extension { name, refused, bytes, sparse } = std::mem::take(&mut extension);
                let name = unpacking.names.unique(&name.unwrap_or_else(|| name_in(entry.header())));
                let header = entry.size();
                let other_size =
                    bytes.filter(|bytes| *bytes != header).map(|bytes| ReadError::OtherSize { bytes, header }.into());
                if let Some(reason) = refused.or(other_size) {
                    unpacking.lose(name, words(&reason));
                    // Its size is not the one in its header, so the next entry's place is unknown.
                    unpacking.lose("members", "those behind it, if there are any, are not found");
                    break;
                }
                if sparse {
                    unpacking.lose(name, ReadError::Sparse.to_string());
                    continue;
                }
                unpacking.give(name, Some(header), &mut entry);
            }
            EntryType::GNUSparse => {
                let name = std::mem::take(&mut extension).name.unwrap_or_else(|| name_in(entry.header()));
                let name = unpacking.names.unique(&name);
                unpacking.lose(name, ReadError::Sparse.to_string());
            }
            // The target of the link that follows, and values for all members.
            EntryType::GNULongLink | EntryType::XGlobalHeader => {}
            kind => {
                let name = std::mem::take(&mut extension).name.unwrap_or_else(|| name_in(entry.header()));
                if let Some(reason) = passed_over(kind)
                    && !unpacking.pass_over(&name, reason)
                {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// What a member without content is, if it is listed: no folder.
fn passed_over(kind: EntryType) -> Option<&'static str> {
    match kind {
        EntryType::Symlink => Some(SYMBOLIC_LINK),
        EntryType::Link => Some("a link to another member, not followed"),
        EntryType::Char | EntryType::Block | EntryType::Fifo => Some("neither a file nor a folder"),
        _ => None,
    }
}

fn name_in(header: &Header) -> String {
    String::from_utf8_lossy(&header.path_bytes()).into_owned()
}

/// The beginning of an entry as text.
fn text(entry: &mut impl Read, refused: &mut Option<io::Error>) -> String {
    let mut bytes = Vec::new();
    if let Err(error) = entry.take(LONGEST_EXTENSION).read_to_end(&mut bytes) {
        *refused = Some(error);
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

impl Extension {
    fn note(&mut self, values: &str) {
        for value in PaxExtensions::new(values.as_bytes()).flatten() {
            let key = value.key_bytes();
            self.sparse |= key.starts_with(b"GNU.sparse.");
            match key {
                b"path" | b"GNU.sparse.name" => {
                    self.name = Some(String::from_utf8_lossy(value.value_bytes()).into_owned());
                }
                b"size" => match value.value().ok().and_then(|bytes| bytes.parse().ok()) {
                    Some(bytes) => self.bytes = Some(bytes),
                    None => self.refused = Some(ReadError::UnreadableSize.into()),
                },
                _ => {}
            }
        }
    }
}
