//! Archives of each kind, and archives with evidence in them.

use std::fs;

use pipeline::archive::{Allowance, ArchiveKind, Passwords, members};
use pipeline::read::read_artifacts;
use pipeline::read_context::ReadContext;

use crate::packed::{
    BZIP2, DEFLATED, LZMA, Packing, Rar, STORED, SevenZip, XZ, ZSTANDARD, bz2, cab, cab_of, encrypted_zip, gz, rar4,
    rar5, seven_zip, tar, xz, zip, zip_with, zst,
};
use untrusted::bytes::u64_at;

use crate::{Group, Shape, Target, scratch, seeds};

pub(super) const TARGETS: &[Target] = &[
    Target::new("zip", Group::Archives, "A zip", |input| unpacked(ArchiveKind::Zip, input), zips),
    Target::new(
        "gzip",
        Group::Archives,
        "A `.gz`, and tape archives in it",
        |input| unpacked(ArchiveKind::Gzip, input),
        || vec![gz(TEXT), gz(&tar(MEMBERS)), [gz(TEXT), gz(TEXT)].concat()],
    ),
    Target::new(
        "tar",
        Group::Archives,
        "A tape archive",
        |input| unpacked(ArchiveKind::Tar, input),
        || vec![tar(MEMBERS), tar(&[])],
    )
    .at_most(16 << 10),
    Target::new(
        "cabinet",
        Group::Archives,
        "A cabinet",
        |input| unpacked(ArchiveKind::Cabinet, input),
        || vec![cab(MEMBERS), cab_of(&[MEMBERS, &[("other.txt", TEXT)]])],
    ),
    Target::new(
        "seven-zip",
        Group::Archives,
        "A 7z archive, compressed and encrypted",
        |input| unpacked(ArchiveKind::SevenZip, input),
        seven_zips,
    )
    .repaired(repair_seven_zip),
    Target::new("rar", Group::Archives, "A RAR archive", |input| unpacked(ArchiveKind::Rar, input), rars)
        .repaired(repair_rar),
    Target::new(
        "xz",
        Group::Archives,
        "A `.xz`, and tape archives in it",
        |input| unpacked(ArchiveKind::Xz, input),
        || vec![xz(TEXT), xz(&tar(MEMBERS)), [xz(TEXT), vec![0; 4], xz(TEXT)].concat()],
    ),
    Target::new(
        "bzip2",
        Group::Archives,
        "A `.bz2`, and tape archives in it",
        |input| unpacked(ArchiveKind::Bzip2, input),
        || vec![bz2(TEXT), bz2(&tar(MEMBERS)), [bz2(TEXT), bz2(TEXT)].concat()],
    ),
    Target::new(
        "zstandard",
        Group::Archives,
        "A `.zst`, and tape archives in it",
        |input| unpacked(ArchiveKind::Zstandard, input),
        || vec![zst(TEXT), zst(&tar(MEMBERS)), [zst(TEXT), zst(TEXT)].concat()],
    ),
    Target::new(
        "encrypted-zip",
        Group::Archives,
        "A zip with encrypted members",
        |input| unpacked(ArchiveKind::Zip, input),
        || vec![encrypted_zip(MEMBERS, PASSWORD, true), encrypted_zip(MEMBERS, PASSWORD, false)],
    ),
    Target::new(
        "powershell-zip",
        Group::Archives,
        "A zip as PowerShell makes it, with evidence in it that is read",
        evidence_in_zip,
        powershell_zips,
    ),
];

const TEXT: &[u8] = b"Faulting application name: demo.exe, version: 1.0.0.0\nException code: 0xc0000005\n";
const MEMBERS: &[(&str, &[u8])] = &[("mail.txt", TEXT), ("logs/next.txt", b"text\n"), ("empty", b"")];

/// The password of encrypted archives.
const PASSWORD: &str = "infected";

fn seven_zips() -> Vec<Vec<u8>> {
    let plain = SevenZip { packing: Packing::Lzma2, ..SevenZip::default() };
    let locked = SevenZip { password: Some(PASSWORD), ..plain };
    let packed = |packing| SevenZip { packing, ..plain };
    let kinds = [
        SevenZip::default(),
        plain,
        packed(Packing::Zstandard),
        packed(Packing::Deflate64),
        SevenZip { encoded: true, ..plain },
        locked,
        SevenZip { encoded: true, ..locked },
    ];
    kinds.iter().map(|how| seven_zip(&[MEMBERS, &[("other.txt", TEXT)]], *how)).collect()
}

/// Makes the checksums of the directory and of the head right.
fn repair_seven_zip(bytes: &mut [u8]) {
    let word = |bytes: &[u8], at: usize| u64_at(bytes, at).and_then(|word| usize::try_from(word).ok());
    let (Some(at), Some(size)) = (word(bytes, 12), word(bytes, 20)) else { return };
    let begins = at.saturating_add(32);
    let Some(directory) = bytes.get(begins..begins.saturating_add(size)) else { return };
    let sum = crc32fast::hash(directory).to_le_bytes();
    bytes[28..32].copy_from_slice(&sum);
    let sum = crc32fast::hash(&bytes[12..32]).to_le_bytes();
    bytes[8..12].copy_from_slice(&sum);
}

/// Makes the checksums of headers of format 5 right, where they are as short as in the seeds.
fn repair_rar(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(size) = bytes.get(at + 4).copied().map(usize::from).filter(|size| *size < 0x80) {
        let Some(header) = bytes.get(at + 4..at + 5 + size) else { return };
        let data = if header.get(1) == Some(&2) && header.get(2).is_some_and(|flags| flags & 3 == 2) {
            usize::from(header.get(3).copied().unwrap_or_default())
        } else {
            0
        };
        let sum = crc32fast::hash(header).to_le_bytes();
        bytes[at..at + 4].copy_from_slice(&sum);
        at += 5 + size + data;
    }
}

fn rars() -> Vec<Vec<u8>> {
    let members: Vec<(&str, &[u8], Rar)> = MEMBERS
        .iter()
        .map(|(name, content)| (*name, *content, Rar::Stored))
        .chain([("c.txt", TEXT, Rar::Compressed)])
        .collect();
    vec![rar5(&members), rar4(&members)]
}

fn zips() -> Vec<Vec<u8>> {
    let by_method = [STORED, BZIP2, LZMA, XZ, ZSTANDARD].map(|method| zip_with(MEMBERS, 0, method));
    let others = [zip(MEMBERS), zip_with(MEMBERS, 8, DEFLATED), zip(&[("in.zip", &zip(MEMBERS))])];
    by_method.into_iter().chain(others).collect()
}

/// The most bytes and members that an input may unpack to.
const MOST_BYTES: u64 = 1 << 20;
const MOST_MEMBERS: usize = 64;

fn unpacked(kind: ArchiveKind, input: &[u8]) -> Shape {
    let mut shape = Shape::default();
    let (mut bytes, mut count) = (0_u64, 0);
    let allowance = Allowance::new(MOST_BYTES, MOST_MEMBERS);
    let passwords = Passwords::new(["wrong".to_owned(), PASSWORD.to_owned()]);
    let outcome = scratch::with_file(input, |file, _| {
        members(kind, file, "archive.gz", &passwords, &allowance, &mut |member| {
            let mut content = Vec::new();
            let read = member.content.read_to_end(&mut content);
            let is_within = !member.name.split('/').any(|part| part == "..") && !member.name.starts_with('/');
            assert!(is_within, "{:?} leads out of the archive", member.name);
            bytes += content.len() as u64;
            count += 1;
            shape.size(content.len());
            read.iter().for_each(|_| shape.value(member.bytes.is_some()));
        })
    });
    assert!(bytes <= MOST_BYTES && count <= MOST_MEMBERS, "{bytes} bytes in {count} members are more than is allowed");
    match outcome {
        Ok((losses, passed_over)) => {
            losses.iter().for_each(|loss| shape.message(&loss.reason));
            passed_over.iter().for_each(|member| shape.message(&member.reason));
        }
        Err(unreadable) => shape.message(&unreadable),
    }
    shape
}

/// Zips of the small samples of one folder each, with the names that `Compress-Archive` gives: parts between backslashes.
fn powershell_zips() -> Vec<Vec<u8>> {
    let of = |names: &[&str]| {
        let files: Vec<(String, Vec<u8>)> = names
            .iter()
            .map(|name| {
                (name.replace('/', "\\"), fs::read(seeds::project().join("samples").join(name)).expect("a sample"))
            })
            .collect();
        let members: Vec<(&str, &[u8])> =
            files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
        zip(&members)
    };
    vec![
        of(&["ticket-beside-the-log/mail.txt", "wer-hang-on-spooler/Report.wer"]),
        of(&["bugcheck-32-bit/Mini081224-01.dmp", "linux-minidump/linux.dmp"]),
        of(&["ticket-beside-the-log/Application.evtx"]),
    ]
}

fn evidence_in_zip(input: &[u8]) -> Shape {
    let path = scratch::named_file("evidence.zip", input);
    let mut shape = Shape::default();
    for read in read_artifacts(&path, &ReadContext { walk_stacks: true, ..ReadContext::default() }) {
        let detail = read.artifact.detail.unwrap_or_default();
        assert!(!detail.contains("defect of crashsift"), "{}: a reader panicked", read.artifact.path);
        shape.value(read.artifact.status);
        shape.message(&read.artifact.kind);
        shape.message(&detail);
    }
    shape
}
