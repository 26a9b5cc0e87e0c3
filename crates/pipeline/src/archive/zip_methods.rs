//! The methods of compression of zip archives: which ones are known, and unpacking those whose memory the library does not limit.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use lzma_rust2::LzmaReader;
use zip::CompressionMethod;

use super::fields::Fields;
use super::{dictionary, xz, zstandard};
use crate::read_error::ReadError;

/// The methods of compression that the library unpacks within limits of memory.
const OF_LIBRARY: [CompressionMethod; 4] =
    [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Deflate64, CompressionMethod::Bzip2];

/// Whether the library unpacks this method, and within limits of memory.
pub(super) fn is_unpacked_by_library(method: CompressionMethod) -> bool {
    OF_LIBRARY.contains(&method)
}

/// The bytes of a member's local header before its name (APPNOTE 4.3.7), and how it begins.
const LOCAL_HEADER: u64 = 30;
const LOCAL_SIGNATURE: &[u8] = b"PK\x03\x04";

/// The content of a member that is not encrypted, by one of the methods whose memory the library does not limit; `header` is where
/// its local header begins, `packed` and `bytes` are its sizes.
///
/// # Errors
/// When it can't be read, the method is not supported, or needs too much memory.
pub(super) fn content<'r>(
    file: &'r mut (impl BufRead + Seek),
    method: CompressionMethod,
    header: u64,
    packed: u64,
    bytes: u64,
) -> io::Result<Box<dyn Read + 'r>> {
    file.seek(SeekFrom::Start(header))?;
    let mut local = Vec::new();
    file.by_ref().take(LOCAL_HEADER).read_to_end(&mut local)?;
    let mut fields = Fields(&local);
    if fields.bytes(4)? != LOCAL_SIGNATURE {
        return Err(ReadError::DamagedDirectory.into());
    }
    fields.bytes(22)?;
    let (name, extra) = (fields.u16()?, fields.u16()?);
    file.seek_relative(i64::from(name).saturating_add(i64::from(extra)))?;
    let mut packed = file.take(packed);
    Ok(match method {
        CompressionMethod::LZMA => {
            // A version, the number of properties, and these (APPNOTE 5.8.8).
            let mut head = Vec::new();
            packed.by_ref().take(9).read_to_end(&mut head)?;
            let mut fields = Fields(&head);
            let (_version, count) = (fields.u16()?, fields.u16()?);
            let (properties, dictionary) = (fields.u8()?, fields.u32()?);
            if count != 5 {
                return Err(ReadError::DamagedDirectory.into());
            }
            let dictionary = dictionary::allowed(dictionary::needed(dictionary, bytes))?;
            Box::new(LzmaReader::new_with_props(packed, bytes, properties, dictionary, None)?)
        }
        CompressionMethod::XZ => Box::new(xz::Streams::new(packed)),
        CompressionMethod::ZSTD => Box::new(zstandard::Frames::new(packed)),
        method => return Err(ReadError::UnknownMethod(name_of(method)).into()),
    })
}

/// What people know a method by.
#[expect(deprecated, reason = "constants do not tell the number of a method that is not known")]
pub(super) fn name_of(method: CompressionMethod) -> String {
    let name = match method {
        CompressionMethod::PPMD => "PPMd",
        CompressionMethod::LZMA => "LZMA",
        CompressionMethod::XZ => "xz",
        CompressionMethod::ZSTD => "Zstandard",
        CompressionMethod::JPEG => "JPEG",
        CompressionMethod::WAVPACK => "WavPack",
        CompressionMethod::Unsupported(number) => return format!("method {number}"),
        method => return method.to_string(),
    };
    name.to_owned()
}
