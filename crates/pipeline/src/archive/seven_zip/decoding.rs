//! The steps by which the streams of a 7z archive are unpacked.

use std::io::{self, BufReader, Read};

use bzip2::read::MultiBzDecoder;
use deflate64::Deflate64Decoder;
use flate2::read::DeflateDecoder;
use lzma_rust2::filter::{bcj::BcjReader, delta::DeltaReader};
use lzma_rust2::{Lzma2Reader, LzmaReader};

use super::directory::Coder;
use super::key::Keys;
use crate::archive::dictionary;
use crate::archive::fields::Fields;
use crate::archive::zstandard::Frames;
use crate::read_error::ReadError;

// The ids of the methods (Methods.txt of the LZMA SDK).
const COPY: u64 = 0x00;
const DELTA: u64 = 0x03;
const BCJ_X86: u64 = 0x04;
const BCJ_ARM64: u64 = 0x0A;
const LZMA2: u64 = 0x21;
const LZMA: u64 = 0x03_01_01;
const OLD_BCJ_X86: u64 = 0x03_03_01_03;
const DEFLATE: u64 = 0x04_01_08;
const DEFLATE64: u64 = 0x04_01_09;
const BZIP2: u64 = 0x04_02_02;
const PPMD: u64 = 0x03_04_01;
// Of 7-Zip ZS, which compresses by further methods.
const ZSTANDARD: u64 = 0x04_F7_11_01;
const BROTLI: u64 = 0x04_F7_11_02;
const LZ4: u64 = 0x04_F7_11_04;
const AES: u64 = 0x06_F1_07_01;

/// Whether a coder encrypts.
pub(super) fn is_encryption(coder: &Coder) -> bool {
    coder.method == AES
}

fn not_supported<T>(method: &str) -> io::Result<T> {
    Err(ReadError::UnknownMethod(method.to_owned()).into())
}

/// The content that these steps make of `packed`; `password` is the position of a password and the password.
///
/// # Errors
/// When one of them is not known, needs too much memory or too much time for a key, or needs a password.
pub(super) fn unpacked<'r>(
    packed: impl Read + 'r,
    coders: &[Coder],
    password: Option<(usize, &str)>,
    keys: &mut Keys,
) -> io::Result<Box<dyn Read + 'r>> {
    let mut content: Box<dyn Read + 'r> = Box::new(BufReader::new(packed));
    for coder in coders {
        let Coder { method, properties, bytes } = coder;
        let mut fields = Fields(properties);
        content = match *method {
            COPY => content,
            AES => {
                let password = password.ok_or(ReadError::Encrypted)?;
                Box::new(BufReader::new(keys.decrypted(content, properties, password)?))
            }
            LZMA => {
                let (properties, dictionary) = (fields.u8()?, fields.u32()?);
                let dictionary = dictionary::allowed(dictionary::needed(dictionary, *bytes))?;
                Box::new(LzmaReader::new_with_props(content, *bytes, properties, dictionary, None)?)
            }
            LZMA2 => {
                let dictionary = dictionary::of_lzma2(fields.u8()?)?;
                let dictionary = dictionary::allowed(dictionary::needed(dictionary, *bytes))?;
                Box::new(Lzma2Reader::new(content, dictionary, None))
            }
            DEFLATE => Box::new(DeflateDecoder::new(content)),
            DEFLATE64 => Box::new(Deflate64Decoder::new(content)),
            ZSTANDARD => Box::new(Frames::new(BufReader::new(content))),
            BZIP2 => Box::new(MultiBzDecoder::new(content)),
            DELTA => Box::new(DeltaReader::new(content, usize::from(fields.u8()?).saturating_add(1))),
            BCJ_X86 | OLD_BCJ_X86 => Box::new(BcjReader::new_x86(content, 0)),
            BCJ_ARM64 => Box::new(BcjReader::new_arm64(content, 0)),
            PPMD => return not_supported("PPMd"),
            BROTLI => return not_supported("Brotli"),
            LZ4 => return not_supported("LZ4"),
            method => return not_supported(&format!("method {method:x}")),
        };
        content = Box::new(content.take(*bytes));
    }
    Ok(content)
}
