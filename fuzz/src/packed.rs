//! Writes archives for tests: small ones in memory, right or with odd parts.

use std::io::{Cursor, Write};

use aes::Aes256Enc;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use bzip2::write::BzEncoder;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use lzma_rust2::{Lzma2Options, Lzma2Writer, LzmaOptions, LzmaWriter, XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use sha2::{Digest, Sha256};
use zip::unstable::write::FileOptionsExt;
use zip::write::SimpleFileOptions;
use zip::{AesMode, ZipWriter};

/// The general purpose bit of members that need a password.
pub const ENCRYPTED: u16 = 1;

/// The compression method of members that are not compressed.
pub const STORED: u16 = 0;
/// Deflate.
pub const DEFLATED: u16 = 8;
/// Further methods (APPNOTE 4.4.5).
pub const BZIP2: u16 = 12;
/// LZMA, with its properties before it.
pub const LZMA: u16 = 14;
/// Zstandard.
pub const ZSTANDARD: u16 = 93;
/// Xz.
pub const XZ: u16 = 95;
/// A compression method that nobody knows.
pub const UNKNOWN: u16 = 77;

/// A zip of members with any name and flags.
#[must_use]
pub fn zip_with(members: &[(&str, &[u8])], flags: u16, method: u16) -> Vec<u8> {
    let (mut all, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let data = match method {
            DEFLATED => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(content).expect("memory");
                encoder.finish().expect("memory")
            }
            BZIP2 => bz2(content),
            LZMA => lzma(content),
            ZSTANDARD => zst(content),
            XZ => xz(content),
            _ => content.to_vec(),
        };
        let mut about = Vec::new();
        about.extend(20_u16.to_le_bytes());
        about.extend(flags.to_le_bytes());
        about.extend(method.to_le_bytes());
        about.extend([0; 4]);
        about.extend(crc32fast::hash(content).to_le_bytes());
        about.extend(u32::try_from(data.len()).expect("small").to_le_bytes());
        about.extend(u32::try_from(content.len()).expect("small").to_le_bytes());
        about.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
        about.extend(0_u16.to_le_bytes());
        let at = u32::try_from(all.len()).expect("small");
        all.extend(b"PK\x03\x04");
        all.extend(&about);
        all.extend(name.as_bytes());
        all.extend(&data);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = u32::try_from(all.len()).expect("small");
    // Archives with more members have another end as well; they are not made here.
    let count = u16::try_from(members.len()).expect("few");
    all.extend(&directory);
    all.extend(b"PK\x05\x06\0\0\0\0");
    all.extend(count.to_le_bytes());
    all.extend(count.to_le_bytes());
    all.extend(u32::try_from(directory.len()).expect("small").to_le_bytes());
    all.extend(start.to_le_bytes());
    all.extend(0_u16.to_le_bytes());
    all
}

/// A zip of compressed members.
#[must_use]
pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(members, 0, DEFLATED)
}

/// A tape archive.
#[must_use]
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, *content).expect("memory");
    }
    builder.into_inner().expect("memory")
}

/// The content compressed as gzip does.
#[must_use]
pub fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// A cabinet with one folder.
#[must_use]
pub fn cab(members: &[(&str, &[u8])]) -> Vec<u8> {
    cab_of(&[members])
}

/// A cabinet whose members are compressed together, folder by folder.
#[must_use]
pub fn cab_of(folders: &[&[(&str, &[u8])]]) -> Vec<u8> {
    let mut builder = cab::CabinetBuilder::new();
    for members in folders {
        let folder = builder.add_folder(cab::CompressionType::MsZip);
        for (name, _) in *members {
            folder.add_file(*name);
        }
    }
    let mut writer = builder.build(Cursor::new(Vec::new())).expect("memory");
    while let Some(mut file) = writer.next_file().expect("memory") {
        let mut members = folders.iter().flat_map(|members| members.iter());
        let content = members.find(|(name, _)| *name == file.file_name()).expect("one of them").1;
        file.write_all(content).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

/// The content compressed as bzip2 does.
#[must_use]
pub fn bz2(content: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// The content compressed as xz does.
#[must_use]
pub fn xz(content: &[u8]) -> Vec<u8> {
    let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).expect("memory");
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// The content compressed by LZMA as in zips: a version, the number of properties, and these before it.
fn lzma(content: &[u8]) -> Vec<u8> {
    let options = LzmaOptions::with_preset(0);
    let mut packed = vec![9, 20, 5, 0, options.get_props()];
    packed.extend(options.dict_size.to_le_bytes());
    let mut encoder = LzmaWriter::new_no_header(Vec::new(), &options, true).expect("memory");
    encoder.write_all(content).expect("memory");
    packed.extend(encoder.finish().expect("memory"));
    packed
}

/// The content compressed as Zstandard does.
#[must_use]
pub fn zst(content: &[u8]) -> Vec<u8> {
    compress_to_vec(content, CompressionLevel::Fastest)
}

/// A zip of members that are encrypted by AES, or by the encryption of the first zips.
#[must_use]
pub fn encrypted_zip(members: &[(&str, &[u8])], password: &str, is_aes: bool) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let options = SimpleFileOptions::default();
        let options = if is_aes {
            options.with_aes_encryption(AesMode::Aes256, password)
        } else {
            options.with_deprecated_encryption(password.as_bytes()).expect("a password")
        };
        zip.start_file(*name, options).expect("memory");
        zip.write_all(content).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

/// How contents of a 7z archive are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    #[default]
    Stored,
    /// By LZMA2.
    Lzma2,
    /// By Zstandard, as 7-Zip ZS does.
    Zstandard,
    /// By Deflate64; made here are blocks that are not compressed, which Deflate has as well.
    Deflate64,
    /// By PPMd as the archive says, and in truth not at all.
    Ppmd,
}

/// How a 7z archive is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct SevenZip<'p> {
    /// How contents are compressed.
    pub packing: Packing,
    /// The password that they are encrypted with.
    pub password: Option<&'p str>,
    /// Whether the directory is compressed and encrypted like them.
    pub encoded: bool,
    /// The dictionary that the archive asks for, as LZMA2 writes it.
    pub dictionary: Option<u8>,
}

fn deflate_stored(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// The rounds of SHA-256 for a key, as a power of two, and the salt.
const ROUNDS_POWER: u8 = 4;
const SALT: [u8; 4] = [1, 2, 3, 4];

/// A 7z archive whose members are compressed together, folder by folder. Members without content are at its end.
#[must_use]
pub fn seven_zip(folders: &[&[(&str, &[u8])]], how: SevenZip<'_>) -> Vec<u8> {
    let number = |out: &mut Vec<u8>, value: usize| match u8::try_from(value) {
        Ok(small) if small < 0x80 => out.push(small),
        _ => {
            out.push(0xFF);
            out.extend((value as u64).to_le_bytes());
        }
    };
    let streams = |out: &mut Vec<u8>, at: usize, folders: &[Vec<&[u8]>], data: &mut Vec<u8>| {
        let (mut sizes, mut coders, mut coder_sizes) = (Vec::new(), Vec::new(), Vec::new());
        for folder in folders {
            let content = folder.concat();
            let mut packed = content.clone();
            // The last step of packing is the first one of unpacking, and comes last here, as in 7-Zip's archives.
            let (mut own, mut count) = (Vec::new(), 0);
            if how.packing != Packing::Stored || how.password.is_none() {
                number(&mut coder_sizes, packed.len());
                count += 1;
                match how.packing {
                    Packing::Stored => own.extend([1, 0]),
                    Packing::Lzma2 => {
                        packed = lzma2(&packed);
                        own.extend([0x21, 0x21, 1, how.dictionary.unwrap_or(16)]);
                    }
                    Packing::Zstandard => {
                        packed = zst(&packed);
                        own.extend([4, 0x04, 0xF7, 0x11, 0x01]);
                    }
                    Packing::Deflate64 => {
                        packed = deflate_stored(&packed);
                        own.extend([3, 0x04, 0x01, 0x09]);
                    }
                    Packing::Ppmd => own.extend([3, 0x03, 0x04, 0x01]),
                }
            }
            if let Some(password) = how.password {
                number(&mut coder_sizes, packed.len());
                count += 1;
                own.extend([0x24, 0x06, 0xF1, 0x07, 0x01, 14, 0xC0 | ROUNDS_POWER, 0x37]);
                own.extend(SALT);
                own.extend([7; 8]);
                packed = encrypted(&packed, password);
            }
            coders.push(count);
            coders.extend(own);
            // The first coder's input is the second one's output.
            coders.extend([0, 1].iter().take(if count == 2 { 2 } else { 0 }));
            number(&mut sizes, packed.len());
            data.extend(packed);
        }
        out.push(6);
        number(out, at);
        number(out, folders.len());
        out.push(9);
        out.extend(sizes);
        out.extend([0, 7, 0x0B]);
        number(out, folders.len());
        out.push(0);
        out.extend(coders);
        out.push(0x0C);
        out.extend(coder_sizes);
        out.extend([0, 8, 0x0D]);
        folders.iter().for_each(|folder| number(out, folder.len()));
        out.push(9);
        for folder in folders {
            folder.iter().rev().skip(1).rev().for_each(|content| number(out, content.len()));
        }
        out.extend([0x0A, 1]);
        folders.iter().flatten().for_each(|content| out.extend(crc32fast::hash(content).to_le_bytes()));
        out.extend([0, 0]);
    };
    let filled: Vec<Vec<&[u8]>> = folders
        .iter()
        .map(|members| members.iter().map(|(_, content)| *content).filter(|content| !content.is_empty()).collect())
        .filter(|contents: &Vec<&[u8]>| !contents.is_empty())
        .collect();
    let (mut data, mut header) = (Vec::new(), vec![1, 4]);
    streams(&mut header, 0, &filled, &mut data);
    let members = || folders.iter().flat_map(|members| members.iter());
    let empty = members().filter(|(_, content)| content.is_empty()).count();
    header.push(5);
    number(&mut header, members().count());
    if empty > 0 {
        for (kind, all) in [(0x0E, members().count()), (0x0F, empty)] {
            let bits: Vec<u8> = (0..all.div_ceil(8) * 8).map(|at| u8::from(at < all && at + empty >= all)).collect();
            let bytes: Vec<u8> = bits.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
            header.push(kind);
            number(&mut header, bytes.len());
            header.extend(bytes);
        }
    }
    let in_order =
        members().filter(|(_, content)| !content.is_empty()).chain(members().filter(|(_, content)| content.is_empty()));
    let mut names = vec![0];
    in_order.for_each(|(name, _)| names.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes)));
    header.push(0x11);
    number(&mut header, names.len());
    header.extend(names);
    header.extend([0, 0]);
    if how.encoded {
        let plain = std::mem::replace(&mut header, vec![0x17]);
        let at = data.len();
        streams(&mut header, at, &[vec![plain.as_slice()]], &mut data);
    }
    let mut about = (data.len() as u64).to_le_bytes().to_vec();
    about.extend((header.len() as u64).to_le_bytes());
    about.extend(crc32fast::hash(&header).to_le_bytes());
    [b"7z\xBC\xAF\x27\x1C\0\x04".as_slice(), crc32fast::hash(&about).to_le_bytes().as_slice(), &about, &data, &header]
        .concat()
}

fn lzma2(content: &[u8]) -> Vec<u8> {
    let mut encoder = Lzma2Writer::new(Vec::new(), Lzma2Options::with_preset(0));
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// Encrypts as 7-Zip does.
fn encrypted(content: &[u8], password: &str) -> Vec<u8> {
    let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut sum = Sha256::new();
    for round in 0..1_u64 << ROUNDS_POWER {
        [&SALT[..], &password, &round.to_le_bytes()].iter().for_each(|part| sum.update(part));
    }
    let key: [u8; 32] = sum.finalize().into();
    let cipher = Aes256Enc::new(&key.into());
    let mut before = [0; 16];
    before[..8].fill(7);
    let mut all = Vec::new();
    for chunk in content.chunks(16) {
        chunk.iter().zip(&mut before).for_each(|(byte, before)| *before ^= byte);
        let mut block = before.into();
        cipher.encrypt_block(&mut block);
        before = block.into();
        all.extend(before);
    }
    all
}

/// What RAR does with a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rar {
    /// It is stored.
    Stored,
    /// It is compressed; here, its content is not.
    Compressed,
    /// It is encrypted; here, its content is not.
    Encrypted,
    /// It goes on in another file.
    Split,
}

/// A RAR archive of format 5.
#[must_use]
pub fn rar5(members: &[(&str, &[u8], Rar)]) -> Vec<u8> {
    let number = |out: &mut Vec<u8>, mut value: usize| {
        while value >= 0x80 {
            out.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        out.push(value.to_le_bytes()[0]);
    };
    let block = |out: &mut Vec<u8>, header: &[u8]| {
        let mut all = Vec::new();
        number(&mut all, header.len());
        all.extend(header);
        out.extend(crc32fast::hash(&all).to_le_bytes());
        out.extend(all);
    };
    let mut all = b"Rar!\x1A\x07\x01\0".to_vec();
    block(&mut all, &[1, 0, 0]);
    for (name, content, how) in members {
        // A record of encryption has its size and its kind.
        let extra: &[u8] = if *how == Rar::Encrypted { &[1, 1] } else { &[] };
        let mut header = vec![2, 2 | u8::from(!extra.is_empty()) | if *how == Rar::Split { 0x10 } else { 0 }];
        if !extra.is_empty() {
            number(&mut header, extra.len());
        }
        number(&mut header, content.len());
        header.push(4);
        number(&mut header, content.len());
        header.push(0x20);
        header.extend(crc32fast::hash(content).to_le_bytes());
        number(&mut header, if *how == Rar::Compressed { 0x0180 } else { 0 });
        header.push(0);
        number(&mut header, name.len());
        header.extend(name.as_bytes());
        header.extend(extra);
        block(&mut all, &header);
        all.extend(*content);
    }
    block(&mut all, &[5, 0, 0]);
    all
}

/// A RAR archive of format 4.
#[must_use]
pub fn rar4(members: &[(&str, &[u8], Rar)]) -> Vec<u8> {
    let block = |out: &mut Vec<u8>, kind: u8, flags: u16, rest: &[u8]| {
        let mut header = vec![kind];
        header.extend(flags.to_le_bytes());
        header.extend(u16::try_from(rest.len() + 7).expect("small").to_le_bytes());
        header.extend(rest);
        out.extend(&crc32fast::hash(&header).to_le_bytes()[..2]);
        out.extend(header);
    };
    let mut all = b"Rar!\x1A\x07\0".to_vec();
    block(&mut all, 0x73, 0, &[0; 6]);
    for (name, content, how) in members {
        let size = u32::try_from(content.len()).expect("small").to_le_bytes();
        let mut rest = [size, size].concat();
        rest.push(2);
        rest.extend(crc32fast::hash(content).to_le_bytes());
        rest.extend([0, 0, 0, 0, 29, if *how == Rar::Compressed { 0x33 } else { 0x30 }]);
        rest.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
        rest.extend([0x20, 0, 0, 0]);
        rest.extend(name.as_bytes());
        let flags = match how {
            Rar::Encrypted => 0x8004,
            Rar::Split => 0x8002,
            Rar::Stored | Rar::Compressed => 0x8000,
        };
        block(&mut all, 0x74, flags, &rest);
        all.extend(*content);
    }
    block(&mut all, 0x7B, 0x4000, &[]);
    all
}
