//! Archives: gives the files in them, one after the other.
//!
//! No file is written under a name from an archive: a member is unpacked into a file without name, read there like any
//! other file, and deleted. The number of members and the bytes that they unpack to are limited, and do not depend on the
//! sizes that the archive states.

mod cabinet;
mod checked;
mod dictionary;
mod fields;
mod limits;
mod name;
mod passwords;
mod rar;
mod seven_zip;
mod steady;
mod tape;
mod unpacking;
mod xz;
mod zip_methods;
mod zipped;
mod zstandard;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

use crate::discover::SNIFFED;
use crate::read_error::ReadError;
use limits::Limited;
pub use limits::{Allowance, DEEPEST};
use name::Names;
pub use passwords::Passwords;
use steady::Steady;
pub use unpacking::{Each, Member, PassedOver, words};
use unpacking::{Fused, Unpacking};
use untrusted::{Loss, Unreadable};

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
    /// `.7z`.
    SevenZip,
    /// `.rar`, whose members are listed, and read where they are stored without compression.
    Rar,
    /// `.xz` and `.tar.xz`.
    Xz,
    /// `.bz2` and `.tar.bz2`.
    Bzip2,
    /// `.zst` and `.tar.zst`.
    Zstandard,
}

impl ArchiveKind {
    /// The kind of an archive that begins with `first`; `None` for other files.
    #[must_use]
    pub fn recognized(first: &[u8]) -> Option<Self> {
        const SIGNATURES: [(&[u8], ArchiveKind); 11] = [
            (b"PK\x03\x04", ArchiveKind::Zip),
            // The first volume of a split archive, and one that was to be split and has one volume (APPNOTE 8.5).
            (b"PK\x07\x08PK", ArchiveKind::Zip),
            (b"PK00PK", ArchiveKind::Zip),
            (b"PK\x05\x06", ArchiveKind::Zip),
            (b"\x1F\x8B\x08", ArchiveKind::Gzip),
            (b"MSCF\0\0\0\0", ArchiveKind::Cabinet),
            (b"7z\xBC\xAF\x27\x1C", ArchiveKind::SevenZip),
            (b"Rar!\x1A\x07", ArchiveKind::Rar),
            (b"\xFD7zXZ\0", ArchiveKind::Xz),
            (b"BZh", ArchiveKind::Bzip2),
            (b"\x28\xB5\x2F\xFD", ArchiveKind::Zstandard),
        ];
        // A frame to be passed over (RFC 8878, 3.1.2): pzstd begins each part with one.
        if matches!(first, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]) {
            return Some(Self::Zstandard);
        }
        let signed = SIGNATURES.iter().find(|(signature, _)| first.starts_with(signature));
        signed.map(|(_, kind)| *kind).or_else(|| tape::is_tape(first).then_some(Self::Tar))
    }
}

/// A symbolic link in an archive or folder.
const SYMBOLIC_LINK: &str = "a symbolic link, not followed";

/// Gives every member of an archive to `each`, and returns the losses, which are members that could not be unpacked, and the
/// members that are not read: links and devices.
///
/// `file_name` is the archive's own name, by which the content of a `.gz` is named. Encrypted members are opened with
/// `passwords`.
///
/// # Errors
/// When it is no archive of this kind.
pub fn members(
    kind: ArchiveKind,
    file: &mut File,
    file_name: &str,
    passwords: &Passwords,
    allowance: &Allowance,
    each: &mut Each<'_>,
) -> Result<(Vec<Loss>, Vec<PassedOver>), Unreadable> {
    file.seek(SeekFrom::Start(0)).map_err(|error| Unreadable::whole(error.to_string()))?;
    let mut unpacking = Unpacking {
        allowance,
        names: Names::default(),
        losses: Vec::new(),
        passed_over: Vec::new(),
        is_cut: false,
        each,
    };
    let read = match kind {
        ArchiveKind::Zip => zipped::members(file, passwords, &mut unpacking),
        ArchiveKind::Tar => tape::members(BufReader::new(Steady::new(file)), &mut unpacking),
        ArchiveKind::Cabinet => cabinet::members(file, &mut unpacking),
        ArchiveKind::SevenZip => seven_zip::members(file, passwords, &mut unpacking),
        ArchiveKind::Rar => rar::members(file, &mut unpacking),
        ArchiveKind::Gzip => {
            uncompressed(MultiGzDecoder::new(BufReader::new(Steady::new(file))), file_name, &mut unpacking)
        }
        ArchiveKind::Xz => uncompressed(xz::Streams::new(BufReader::new(Steady::new(file))), file_name, &mut unpacking),
        ArchiveKind::Bzip2 => {
            uncompressed(MultiBzDecoder::new(BufReader::new(Steady::new(file))), file_name, &mut unpacking)
        }
        ArchiveKind::Zstandard => {
            uncompressed(zstandard::Frames::new(BufReader::new(Steady::new(file))), file_name, &mut unpacking)
        }
    };
    // What 7-Zip and Zip call the first part of an archive that they split.
    let is_volume = [".001", ".z01"].iter().any(|ending| file_name.to_ascii_lowercase().ends_with(ending));
    if unpacking.is_cut && is_volume {
        let volume = ReadError::Volume.to_string();
        read.map_err(|_| Unreadable::whole(volume.clone()))?;
        unpacking.lose("archive", volume);
    } else {
        read?;
    }
    Ok((unpacking.losses, unpacking.passed_over))
}

/// The content of a `.gz` and the like: a single file, or the members of a `.tar`.
fn uncompressed(content: impl Read, file_name: &str, unpacking: &mut Unpacking<'_, '_>) -> Result<(), Unreadable> {
    let mut content = Limited { content: Fused::new(content), allowance: unpacking.allowance };
    let mut first = Vec::new();
    let began = content.by_ref().take(SNIFFED).read_to_end(&mut first);
    if first.is_empty()
        && let Err(error) = &began
    {
        return Err(Unreadable::whole(format!("it can't be unpacked: {}", words(error))));
    }
    let mut content = io::Read::chain(first.as_slice(), Ending { rest: content, failed: began.err() });
    if tape::is_tape(&first) {
        return tape::members(content, unpacking);
    }
    if unpacking.takes_member() {
        let name = unpacking.names.unique(&name::without_ending(file_name));
        // Its bytes are counted already.
        (unpacking.each)(Member { name, bytes: None, content: &mut content });
    }
    Ok(())
}

/// The content behind the bytes that were looked at; `failed` is the error with which those ended.
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
