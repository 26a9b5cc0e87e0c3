//! The directory of a 7z archive: which streams it has, how they are compressed, and which file each is.
//!
//! Every count is compared with the bytes of the directory that are left, or with a limit, before anything is allocated by it.

use std::io;

use untrusted::text::utf16_lossy;

use super::decoding::is_encryption;
use crate::archive::fields::Fields;
use crate::archive::limits::MOST_MEMBERS;
use crate::read_error::ReadError;

/// The most coders of one stream. 7-Zip combines at most five: two filters, a compressor, and encryption.
const MOST_CODERS: u64 = 8;
/// The most streams and packed streams: some for each of the members that are read.
const MOST_STREAMS: usize = 4 * MOST_MEMBERS;

// The kinds of property in a directory (7zFormat.txt of the LZMA SDK).
const END: u64 = 0x00;
const HEADER: u64 = 0x01;
const ARCHIVE_PROPERTIES: u64 = 0x02;
const MAIN_STREAMS: u64 = 0x04;
const FILES: u64 = 0x05;
const PACKED_STREAMS: u64 = 0x06;
const FOLDERS: u64 = 0x07;
const STREAMS: u64 = 0x08;
const SIZES: u64 = 0x09;
const CHECKSUMS: u64 = 0x0A;
const FOLDER: u64 = 0x0B;
const CODERS_SIZES: u64 = 0x0C;
const STREAM_COUNTS: u64 = 0x0D;
const EMPTY_STREAMS: u64 = 0x0E;
const EMPTY_FILES: u64 = 0x0F;
const NAMES: u64 = 0x11;
const ATTRIBUTES: u64 = 0x15;
const ENCODED_HEADER: u64 = 0x17;

/// A directory, or the stream in which it is compressed.
pub(super) enum Directory {
    Plain(Vec<Folder>, Vec<Entry>),
    Encoded(Folder),
}

/// Streams that are compressed together.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// The steps that unpack it, in their order; `None` where they are no chain.
    pub(super) coders: Option<Vec<Coder>>,
    /// Where the packed bytes begin, behind the head of the archive.
    pub(super) at: u64,
    /// How many these are.
    pub(super) packed: u64,
    /// The streams, one after the other.
    pub(super) streams: Vec<Stream>,
    /// The bytes that each coder gives, by its position in the directory, and which of them gives the folder's content.
    sizes: Vec<u64>,
    last: usize,
    /// The positions in the directory of the coders of the chain.
    order: Vec<usize>,
    packed_streams: usize,
    checksum: Option<u32>,
}

/// A step of unpacking.
#[derive(Debug, Clone)]
pub(super) struct Coder {
    /// The method's id.
    pub(super) method: u64,
    pub(super) properties: Vec<u8>,
    /// The bytes that it gives.
    pub(super) bytes: u64,
}

/// The content of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    pub(super) bytes: u64,
    pub(super) checksum: Option<u32>,
}

/// A file or folder in the archive.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) has_stream: bool,
    pub(super) is_folder: bool,
    pub(super) is_link: bool,
}

/// Reads a directory.
///
/// # Errors
/// When it is damaged or has more parts than are read.
pub(super) fn parse(bytes: &[u8]) -> io::Result<Directory> {
    let mut fields = Fields(bytes);
    match number(&mut fields)? {
        ENCODED_HEADER => {
            let folder = streams(&mut fields)?.into_iter().next().ok_or(ReadError::DamagedDirectory)?;
            Ok(Directory::Encoded(folder))
        }
        HEADER => {
            let (mut folders, mut entries) = (Vec::new(), Vec::new());
            loop {
                match number(&mut fields)? {
                    ARCHIVE_PROPERTIES => while property(&mut fields)?.is_some() {},
                    MAIN_STREAMS => folders = streams(&mut fields)?,
                    FILES => entries = files(&mut fields)?,
                    END => return Ok(Directory::Plain(folders, entries)),
                    _ => return damaged(),
                }
            }
        }
        _ => damaged(),
    }
}

fn damaged<T>() -> io::Result<T> {
    Err(ReadError::DamagedDirectory.into())
}

/// A number of one to nine bytes: the set bits at the top of the first one are the number of the others.
fn number(fields: &mut Fields<'_>) -> io::Result<u64> {
    let first = fields.u8()?;
    let more = first.leading_ones();
    let mut value = 0_u64;
    for at in 0..more {
        value |= u64::from(fields.u8()?).wrapping_shl(at.saturating_mul(8));
    }
    let top = u64::from(first & 0x7F_u8.checked_shr(more).unwrap_or_default());
    Ok(value | top.checked_shl(more.saturating_mul(8)).unwrap_or_default())
}

/// A number of things of which each has at least a byte in what follows, and of which there are at most `most`.
fn count(fields: &mut Fields<'_>, most: usize) -> io::Result<usize> {
    let count = number(fields)?;
    if count > fields.left() {
        return damaged();
    }
    usize::try_from(count).ok().filter(|count| *count <= most).ok_or_else(|| ReadError::TooManyMembers.into())
}

/// The kind and content of the next property; `None` at their end.
fn property<'b>(fields: &mut Fields<'b>) -> io::Result<Option<(u64, Fields<'b>)>> {
    match number(fields)? {
        END => Ok(None),
        kind => {
            let bytes = number(fields)?;
            Ok(Some((kind, Fields(fields.bytes(bytes)?))))
        }
    }
}

/// One bit for each of `count` things, the first one at the top.
fn bits(fields: &mut Fields<'_>, count: usize) -> io::Result<Vec<bool>> {
    let bytes = fields.bytes(count.div_ceil(8) as u64)?;
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte & 0x80_u8.wrapping_shr(bit) != 0));
    Ok(bits.take(count).collect())
}

/// Which of `count` things have a value: all, or those with a bit.
fn defined(fields: &mut Fields<'_>, count: usize) -> io::Result<Vec<bool>> {
    if fields.u8()? == 0 { bits(fields, count) } else { Ok(vec![true; count]) }
}

fn checksums(fields: &mut Fields<'_>, count: usize) -> io::Result<Vec<Option<u32>>> {
    let defined = defined(fields, count)?;
    defined.into_iter().map(|is_defined| is_defined.then(|| fields.u32()).transpose()).collect()
}

/// Reads where the packed streams are, how they are unpacked, and into which streams.
fn streams(fields: &mut Fields<'_>) -> io::Result<Vec<Folder>> {
    let (mut at, mut packed, mut folders) = (0, Vec::new(), Vec::new());
    loop {
        match number(fields)? {
            PACKED_STREAMS => (at, packed) = packed_streams(fields)?,
            FOLDERS => folders = read_folders(fields)?,
            STREAMS => {
                place(&mut folders, at, &packed)?;
                substreams(fields, &mut folders)?;
                return if number(fields)? == END { Ok(folders) } else { damaged() };
            }
            END => {
                place(&mut folders, at, &packed)?;
                for folder in &mut folders {
                    folder.streams = vec![Stream { bytes: folder.bytes()?, checksum: folder.checksum }];
                }
                return Ok(folders);
            }
            _ => return damaged(),
        }
    }
}

fn packed_streams(fields: &mut Fields<'_>) -> io::Result<(u64, Vec<u64>)> {
    let at = number(fields)?;
    let count = count(fields, MOST_STREAMS)?;
    let mut sizes = Vec::new();
    loop {
        match number(fields)? {
            SIZES => sizes = (0..count).map(|_| number(fields)).collect::<io::Result<_>>()?,
            CHECKSUMS => drop(checksums(fields, count)?),
            END => return Ok((at, sizes)),
            _ => return damaged(),
        }
    }
}

fn read_folders(fields: &mut Fields<'_>) -> io::Result<Vec<Folder>> {
    if number(fields)? != FOLDER {
        return damaged();
    }
    let count = count(fields, MOST_MEMBERS)?;
    // Directories in further streams are no more written.
    if fields.u8()? != 0 {
        return damaged();
    }
    let mut folders = (0..count).map(|_| folder(fields)).collect::<io::Result<Vec<_>>>()?;
    if number(fields)? != CODERS_SIZES {
        return damaged();
    }
    for folder in &mut folders {
        for size in &mut folder.sizes {
            *size = number(fields)?;
        }
        let sizes = &folder.sizes;
        for (coder, at) in folder.coders.iter_mut().flatten().zip(&folder.order) {
            coder.bytes = sizes.get(*at).copied().unwrap_or_default();
        }
    }
    loop {
        match number(fields)? {
            CHECKSUMS => {
                for (folder, checksum) in folders.iter_mut().zip(checksums(fields, count)?) {
                    folder.checksum = checksum;
                }
            }
            END => return Ok(folders),
            _ => return damaged(),
        }
    }
}

fn folder(fields: &mut Fields<'_>) -> io::Result<Folder> {
    let few = |count: u64| if (1..=MOST_CODERS).contains(&count) { Ok(count) } else { damaged() };
    let (mut coders, mut inputs, mut outputs) = (Vec::new(), 0_u64, 0_u64);
    let mut is_chain = true;
    for _ in 0..few(number(fields)?)? {
        let flags = fields.u8()?;
        let method = fields.bytes(u64::from(flags & 0x0F))?;
        let method = method.iter().fold(0_u64, |id, byte| id.wrapping_shl(8) | u64::from(*byte));
        let (mut own_inputs, mut own_outputs) = (1, 1);
        if flags & 0x10 != 0 {
            (own_inputs, own_outputs) = (few(number(fields)?)?, few(number(fields)?)?);
        }
        let mut properties = Vec::new();
        if flags & 0x20 != 0 {
            let bytes = number(fields)?;
            properties = fields.bytes(bytes)?.to_vec();
        }
        is_chain &= own_inputs == 1 && own_outputs == 1;
        (inputs, outputs) = (inputs.saturating_add(own_inputs), outputs.saturating_add(own_outputs));
        coders.push(Coder { method, properties, bytes: 0 });
    }
    // Which coder's input is which coder's output.
    let bound: Vec<(u64, u64)> =
        (1..outputs).map(|_| Ok((number(fields)?, number(fields)?))).collect::<io::Result<_>>()?;
    let packed = inputs.saturating_sub(bound.len() as u64);
    if packed > 1 {
        for _ in 0..packed {
            number(fields)?;
        }
    }
    let unbound = |mut all: std::ops::Range<u64>, bound: &dyn Fn(u64) -> bool| {
        all.find(|at| !bound(*at)).ok_or(ReadError::DamagedDirectory)
    };
    let last = unbound(0..outputs, &|at| bound.iter().any(|(_, output)| *output == at))?;
    let mut order = Vec::new();
    if is_chain {
        let mut next = Some(unbound(0..inputs, &|at| bound.iter().any(|(input, _)| *input == at))?);
        while let Some(at) = next.filter(|_| order.len() < coders.len()) {
            order.push(usize::try_from(at).unwrap_or(usize::MAX));
            next = bound.iter().find(|(_, output)| *output == at).map(|(input, _)| *input);
        }
    }
    let chain: Vec<Coder> = order.iter().filter_map(|at| coders.get(*at).cloned()).collect();
    if is_chain && chain.len() != coders.len() {
        return damaged();
    }
    Ok(Folder {
        coders: is_chain.then_some(chain),
        sizes: vec![0; usize::try_from(outputs).unwrap_or_default()],
        last: usize::try_from(last).unwrap_or(usize::MAX),
        order,
        packed_streams: usize::try_from(packed).unwrap_or_default(),
        ..Folder::default()
    })
}

impl Folder {
    /// Whether a password is needed.
    pub(super) fn is_encrypted(&self) -> bool {
        self.coders.iter().flatten().any(is_encryption)
    }

    /// The bytes that it unpacks to.
    fn bytes(&self) -> io::Result<u64> {
        self.sizes.get(self.last).copied().ok_or_else(|| ReadError::DamagedDirectory.into())
    }
}

/// Gives the folders their packed streams, which are one after the other from `at` on.
fn place(folders: &mut [Folder], mut at: u64, packed: &[u64]) -> io::Result<()> {
    let mut packed = packed.iter();
    for folder in folders {
        folder.at = at;
        for _ in 0..folder.packed_streams {
            let bytes = *packed.next().ok_or(ReadError::DamagedDirectory)?;
            folder.packed = folder.packed.saturating_add(bytes);
            at = at.saturating_add(bytes);
        }
    }
    Ok(())
}

fn substreams(fields: &mut Fields<'_>, folders: &mut [Folder]) -> io::Result<()> {
    let mut kind = number(fields)?;
    let mut counts = vec![1; folders.len()];
    if kind == STREAM_COUNTS {
        let mut all = 0_usize;
        for own in &mut counts {
            // The size of the last one of a folder is not stated.
            let number = number(fields)?;
            if number > fields.left().saturating_add(1) {
                return damaged();
            }
            *own = usize::try_from(number).unwrap_or(usize::MAX);
            all = all.saturating_add(*own);
            if all > MOST_STREAMS {
                return Err(ReadError::TooManyMembers.into());
            }
        }
        kind = number(fields)?;
    }
    let has_sizes = kind == SIZES;
    for (folder, count) in folders.iter_mut().zip(&counts) {
        let mut left = folder.bytes()?;
        for stated in (0..*count).rev() {
            let bytes = match stated {
                0 => left,
                _ if has_sizes => number(fields)?,
                _ => return damaged(),
            };
            left = left.checked_sub(bytes).ok_or(ReadError::DamagedDirectory)?;
            folder.streams.push(Stream { bytes, checksum: None });
        }
    }
    if has_sizes {
        kind = number(fields)?;
    }
    let mut unknown: Vec<&mut Stream> = Vec::new();
    for folder in folders.iter_mut() {
        match (folder.streams.as_mut_slice(), folder.checksum) {
            ([only], Some(checksum)) => only.checksum = Some(checksum),
            (streams, _) => unknown.extend(streams),
        }
    }
    loop {
        match kind {
            CHECKSUMS => {
                let checksums = checksums(fields, unknown.len())?;
                for (stream, checksum) in unknown.iter_mut().zip(checksums) {
                    stream.checksum = checksum;
                }
            }
            END => return Ok(()),
            _ => return damaged(),
        }
        kind = number(fields)?;
    }
}

/// Reads the names of files. Of more files than are read there is one beyond the limit.
fn files(fields: &mut Fields<'_>) -> io::Result<Vec<Entry>> {
    /// The bit of attributes that the upper half is a mode of Unix; its bits for the kind, and those of a link.
    const HAS_MODE: u32 = 0x8000;
    const KIND: u32 = 0xF000;
    const LINK: u32 = 0xA000;
    let count = count(fields, usize::MAX)?;
    let (mut empty, mut empty_files) = (vec![false; count], Vec::new());
    let mut entries: Vec<Entry> = Vec::new();
    let mut attributes = Vec::new();
    while let Some((kind, mut of_files)) = property(fields)? {
        match kind {
            EMPTY_STREAMS => empty = bits(&mut of_files, count)?,
            EMPTY_FILES => empty_files = bits(&mut of_files, empty.iter().filter(|empty| **empty).count())?,
            NAMES => {
                if of_files.u8()? != 0 {
                    return damaged();
                }
                for _ in 0..count.min(MOST_MEMBERS.saturating_add(1)) {
                    entries.push(Entry { name: name(&mut of_files)?, ..Entry::default() });
                }
            }
            ATTRIBUTES => {
                let defined = defined(&mut of_files, count)?;
                if of_files.u8()? != 0 {
                    return damaged();
                }
                for is_defined in defined.into_iter().take(MOST_MEMBERS) {
                    attributes.push(if is_defined { of_files.u32()? } else { 0 });
                }
            }
            _ => {}
        }
    }
    if entries.is_empty() && count > 0 {
        return damaged();
    }
    let mut empty_files = empty_files.into_iter();
    for (at, (entry, is_empty)) in entries.iter_mut().zip(empty).enumerate() {
        entry.has_stream = !is_empty;
        entry.is_folder = is_empty && !empty_files.next().unwrap_or_default();
        let attributes: u32 = attributes.get(at).copied().unwrap_or_default();
        entry.is_link = attributes & HAS_MODE != 0 && attributes.wrapping_shr(16) & KIND == LINK;
    }
    Ok(entries)
}

/// A name in UTF-16 with a zero behind it.
fn name(fields: &mut Fields<'_>) -> io::Result<String> {
    let mut units = Vec::new();
    loop {
        match fields.u16()? {
            0 => return Ok(utf16_lossy(units)),
            unit => units.push(unit),
        }
    }
}
