//! Writes archives for tests: small ones in memory, right or with odd parts.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// The general purpose bit of members that need a password.
pub const ENCRYPTED: u16 = 1;

/// The compression method of members that are not compressed.
pub const STORED: u16 = 0;
/// Deflate.
pub const DEFLATED: u16 = 8;
/// A compression method that nobody knows.
pub const UNKNOWN: u16 = 77;

/// A zip of members with any name and flags.
#[must_use]
pub fn zip_with(members: &[(&str, &[u8])], flags: u16, method: u16) -> Vec<u8> {
    let (mut all, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let data = if method == DEFLATED {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(content).expect("memory");
            encoder.finish().expect("memory")
        } else {
            content.to_vec()
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
