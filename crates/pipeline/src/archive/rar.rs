//! RAR archives (`.rar`) of the formats 4 and 5, by RARLAB's public notes on them: their members are listed, and those that
//! are stored without compression are read. How RAR compresses is not published under a licence that allows to read it here.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::SYMBOLIC_LINK;
use super::checked::Checked;
use super::fields::Fields;
use super::limits::MOST_MEMBERS;
use super::unpacking::{Unpacking, words};
use crate::read_error::ReadError;
use untrusted::Unreadable;

/// The beginnings of archives of format 4 and of format 5.
const FORMAT_4: &[u8] = b"Rar!\x1A\x07\0";
const FORMAT_5: &[u8] = b"Rar!\x1A\x07\x01\0";
/// The largest header of format 5, bytes.
const MOST_HEADER: u64 = 2 << 20;
/// The most blocks: some for each of the members that are read.
const MOST_BLOCKS: usize = 4 * MOST_MEMBERS;

/// A block of an archive.
enum Block {
    /// A file or folder.
    Member(Member),
    /// Everything that follows is encrypted.
    Encrypted,
    /// The end of the archive.
    End,
    /// Something else.
    Other,
}

/// Reads a block, with the sizes of its header and of its data, bytes; `None` at the end of the file.
type ReadBlock = fn(&mut dyn Read) -> io::Result<Option<(Block, u64, u64)>>;

/// A file or folder in the archive.
struct Member {
    name: String,
    bytes: Option<u64>,
    checksum: Option<u32>,
    is_folder: bool,
    is_link: bool,
    /// Why its content can't be read.
    refused: Option<ReadError>,
}

pub(super) fn members(file: &mut File, unpacking: &mut Unpacking<'_, '_>) -> Result<(), Unreadable> {
    let mut head = Vec::new();
    let began = file.take(FORMAT_5.len() as u64).read_to_end(&mut head);
    began.map_err(|error| Unreadable::whole(words(&error)))?;
    let (at, next): (_, ReadBlock) =
        if head == FORMAT_5 { (FORMAT_5.len(), format_5) } else { (FORMAT_4.len(), format_4) };
    let mut place = at as u64;
    let mut found = false;
    for _ in 0..MOST_BLOCKS {
        let block = file.seek(SeekFrom::Start(place)).and_then(|_| next(&mut BufReader::new(&mut *file)));
        let (block, header, data) = match block {
            Ok(Some(block)) => block,
            // Volumes of format 4 and archives that were cut between blocks have no end.
            Ok(None) => return Ok(()),
            Err(error) if found => {
                unpacking.lose("members", format!("no more can be found: {}", words(&error)));
                return Ok(());
            }
            Err(error) => return Err(Unreadable::whole(words(&error))),
        };
        found = true;
        let begins = place.saturating_add(header);
        place = begins.saturating_add(data);
        match block {
            Block::End => return Ok(()),
            Block::Encrypted => return Err(Unreadable::whole(ReadError::EncryptedRar.to_string())),
            Block::Other => {}
            Block::Member(member) if member.is_folder => {}
            Block::Member(member) if member.is_link => {
                if !unpacking.pass_over(&member.name, SYMBOLIC_LINK) {
                    return Ok(());
                }
            }
            Block::Member(member) => {
                if !unpacking.takes_member() {
                    return Ok(());
                }
                let name = unpacking.names.unique(&member.name);
                match member.refused {
                    Some(reason) => unpacking.give(name, member.bytes, Refused(Some(reason))),
                    None => {
                        file.seek(SeekFrom::Start(begins)).map_err(|error| Unreadable::whole(words(&error)))?;
                        let content = Checked::new((&mut *file).take(data), data, member.checksum);
                        unpacking.give(name, Some(data), content);
                    }
                }
            }
        }
    }
    unpacking.lose("members", ReadError::TooManyMembers.to_string());
    Ok(())
}

/// Content that can't be read, with the reason.
struct Refused(Option<ReadError>);

impl Read for Refused {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), |reason| Err(reason.into()))
    }
}

/// The first `bytes` of `from`; `None` at its end.
fn header(from: &mut dyn Read, bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut header = Vec::new();
    match from.take(bytes).read_to_end(&mut header)? {
        0 => Ok(None),
        read if read as u64 == bytes => Ok(Some(header)),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Whether a member is stored, and not continued, and not encrypted; else why it is not read.
fn refused(is_stored: bool, is_split: bool, is_encrypted: bool) -> Option<ReadError> {
    match (is_encrypted, is_split, is_stored) {
        (true, ..) => Some(ReadError::EncryptedRar),
        (_, true, _) => Some(ReadError::Split),
        (.., false) => Some(ReadError::CompressedByRar),
        (.., true) => None,
    }
}

/// A block of format 4 with the sizes of its header and of its data, bytes.
fn format_4(from: &mut dyn Read) -> io::Result<Option<(Block, u64, u64)>> {
    /// The bytes of checksum, kind, flags and size.
    const COMMON: u64 = 7;
    const MAIN: u8 = 0x73;
    const MEMBER: u8 = 0x74;
    const SERVICE: u8 = 0x7A;
    const END: u8 = 0x7B;
    let Some(common) = header(from, COMMON)? else { return Ok(None) };
    let mut fields = Fields(&common);
    let (sum, kind, flags, bytes) = (fields.u16()?, fields.u8()?, fields.u16()?, u64::from(fields.u16()?));
    let rest = bytes.checked_sub(COMMON).ok_or(ReadError::DamagedDirectory)?;
    let rest = if rest == 0 { Vec::new() } else { header(from, rest)?.ok_or(ReadError::DamagedDirectory)? };
    let flag = |bit: u16| flags & bit != 0;
    let mut fields = Fields(&rest);
    let has_data = flag(0x8000) || matches!(kind, MEMBER | SERVICE);
    let mut data = if has_data { u64::from(fields.u32()?) } else { 0 };
    let mut hash = crc32fast::Hasher::new();
    hash.update(common.get(2..).unwrap_or_default());
    hash.update(&rest);
    let is_right = hash.finalize() & 0xFFFF == u32::from(sum);
    let block = match kind {
        MAIN if flag(0x0080) => Block::Encrypted,
        END => Block::End,
        MEMBER | MAIN if !is_right => return Err(ReadError::DamagedDirectory.into()),
        MEMBER => {
            let mut size = u64::from(fields.u32()?);
            let (system, checksum) = (fields.u8()?, fields.u32()?);
            let (_time, _version, method) = (fields.u32()?, fields.u8()?, fields.u8()?);
            let (name_bytes, attributes) = (u64::from(fields.u16()?), fields.u32()?);
            if flag(0x0100) {
                data |= u64::from(fields.u32()?).wrapping_shl(32);
                size |= u64::from(fields.u32()?).wrapping_shl(32);
            }
            let name = fields.bytes(name_bytes)?;
            // Behind a zero, the same name is written in an encoding of its own.
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            Block::Member(Member {
                name: String::from_utf8_lossy(name).into_owned(),
                bytes: Some(size),
                checksum: Some(checksum),
                is_folder: flags & 0x00E0 == 0x00E0,
                // 3 is Unix, whose attributes are a mode.
                is_link: system == 3 && attributes & 0xF000 == 0xA000,
                refused: refused(method == 0x30, flag(0x0001) || flag(0x0002), flag(0x0004)),
            })
        }
        _ => Block::Other,
    };
    Ok(Some((block, bytes, data)))
}

/// A block of format 5 with the sizes of its header and of its data, bytes.
fn format_5(from: &mut dyn Read) -> io::Result<Option<(Block, u64, u64)>> {
    /// The bytes of the checksum, and the most of the size.
    const SUM: usize = 4;
    const MOST_SIZE: usize = 3;
    const MEMBER: u64 = 2;
    const ENCRYPTION: u64 = 4;
    const END: u64 = 5;
    let Some(mut start) = header(from, SUM as u64)? else { return Ok(None) };
    for _ in 0..MOST_SIZE {
        let byte = header(from, 1)?.ok_or(ReadError::DamagedDirectory)?;
        start.extend(&byte);
        if byte.first().is_some_and(|byte| byte & 0x80 == 0) {
            break;
        }
    }
    let mut fields = Fields(&start);
    let (sum, bytes) = (fields.u32()?, fields.short_number()?);
    if bytes > MOST_HEADER {
        return Err(ReadError::DamagedDirectory.into());
    }
    let rest = header(from, bytes)?.ok_or(ReadError::DamagedDirectory)?;
    let mut hash = crc32fast::Hasher::new();
    hash.update(start.get(SUM..).unwrap_or_default());
    hash.update(&rest);
    if hash.finalize() != sum {
        return Err(ReadError::DamagedDirectory.into());
    }
    let mut fields = Fields(&rest);
    let (kind, flags) = (fields.short_number()?, fields.short_number()?);
    let extra = if flags & 0x01 != 0 { fields.short_number()? } else { 0 };
    let data = if flags & 0x02 != 0 { fields.short_number()? } else { 0 };
    let block = match kind {
        MEMBER => {
            let about = fields.short_number()?;
            let (size, _attributes) = (fields.short_number()?, fields.short_number()?);
            let _time = if about & 0x02 != 0 { Some(fields.u32()?) } else { None };
            let checksum = if about & 0x04 != 0 { Some(fields.u32()?) } else { None };
            let (compression, _system, name_bytes) =
                (fields.short_number()?, fields.short_number()?, fields.short_number()?);
            let name = String::from_utf8_lossy(fields.bytes(name_bytes)?).into_owned();
            let (is_encrypted, is_link) = extras(&rest, extra)?;
            Block::Member(Member {
                name,
                bytes: (about & 0x08 == 0).then_some(size),
                checksum,
                is_folder: about & 0x01 != 0,
                is_link,
                refused: refused(compression & 0x0380 == 0, flags & 0x18 != 0, is_encrypted),
            })
        }
        ENCRYPTION => Block::Encrypted,
        END => Block::End,
        _ => Block::Other,
    };
    Ok(Some((block, (start.len() as u64).saturating_add(bytes), data)))
}

/// Whether the last `bytes` of a member's header, which are records, say that it is encrypted, and that it is a link.
fn extras(header: &[u8], bytes: u64) -> io::Result<(bool, bool)> {
    const ENCRYPTION: u64 = 1;
    const REDIRECTION: u64 = 5;
    let begins = (header.len() as u64).checked_sub(bytes).ok_or(ReadError::DamagedDirectory)?;
    let mut fields = Fields(header);
    fields.bytes(begins)?;
    let (mut is_encrypted, mut is_link) = (false, false);
    while fields.left() > 0 {
        let bytes = fields.short_number()?;
        match Fields(fields.bytes(bytes)?).short_number()? {
            ENCRYPTION => is_encrypted = true,
            REDIRECTION => is_link = true,
            _ => {}
        }
    }
    Ok((is_encrypted, is_link))
}
