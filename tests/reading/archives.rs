//! Archives: their members are read like files, and hostile archives do no harm.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use fuzz::packed::{
    BZIP2, ENCRYPTED, LZMA, Packing, Rar, STORED, SevenZip, UNKNOWN, XZ, ZSTANDARD, bz2, cab, cab_of, encrypted_zip,
    gz, rar4, rar5, seven_zip, tar, xz, zip, zip_with, zst,
};
use pipeline::archive::{Allowance, ArchiveKind, Passwords, members};
use serde_json::Value;

use crate::program::{self, artifact, list, run, text};

const DUMP: &str = "samples/stack-overflow/python.exe.5316.dmp";
const PASSWORD: &str = "infected";
const THREE: &str = "samples/one-crash-three-artifacts";

/// Bytes that can't be compressed, as a rule of their own makes them.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    };
    (0..count).map(|_| next()).collect()
}

fn dump() -> Vec<u8> {
    fs::read(DUMP).expect("a sample")
}

/// The files of a sample that are evidence, by name.
fn evidence(folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a sample").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<(String, Vec<u8>)> = entries
        .filter(|path| path.extension().is_none_or(|extension| extension != "json"))
        .map(|path| {
            (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// Analyzes a folder with one file in it.
#[track_caller]
fn analyzed(name: &str, content: &[u8], code: i32) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), content).expect("a file");
    let folder = folder.path().to_str().expect("text");
    run(["analyze", "-q", "-f", "json", folder]).ends_with(code).json()
}

/// The parts of a report that do not depend on paths: incidents with their verdicts.
fn judged(report: &Value) -> Vec<(String, Value)> {
    let incidents = list(report, "incidents").iter();
    incidents.map(|incident| (text(incident, "id").to_owned(), incident["verdict"].clone())).collect()
}

/// The members that are listed, without the path of the archive.
fn listed(report: &Value) -> Vec<String> {
    let paths = list(report, "artifacts").iter().filter_map(|artifact| artifact["path"].as_str()?.split_once("!/"));
    paths.map(|(_, member)| member.to_owned()).collect()
}

#[test]
fn what_is_in_an_archive_is_judged_as_in_a_folder() {
    let expected = judged(&program::report(Path::new(THREE)));
    assert_eq!(expected.len(), 1);
    let files = evidence(THREE);
    let members: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (&**name, &**content)).collect();
    for (name, content) in [
        ("a.zip", zip(&members)),
        ("stored.zip", zip_with(&members, 0, STORED)),
        // As an archive begins that was to be split and has one volume.
        ("one.zip", [b"PK\x07\x08".as_slice(), &zip(&members)].concat()),
        ("bzip2.zip", zip_with(&members, 0, BZIP2)),
        ("lzma.zip", zip_with(&members, 0, LZMA)),
        ("xz.zipx", zip_with(&members, 0, XZ)),
        ("zstandard.zipx", zip_with(&members, 0, ZSTANDARD)),
        ("a.tar", tar(&members)),
        ("a.tar.gz", gz(&tar(&members))),
        ("a.tgz", gz(&tar(&members))),
        ("a.cab", cab(&members)),
        ("a.tar.xz", xz(&tar(&members))),
        ("a.tar.bz2", bz2(&tar(&members))),
        ("a.tar.zst", zst(&tar(&members))),
        ("skipped.tar.zst", [b"\x50\x2A\x4D\x18\x04\0\0\0pass".as_slice(), &zst(&tar(&members))].concat()),
        ("stored.7z", seven_zip(&[&members], SevenZip::default())),
        ("zstandard.7z", seven_zip(&[&members], SevenZip { packing: Packing::Zstandard, ..SevenZip::default() })),
        ("deflate64.7z", seven_zip(&[&members], SevenZip { packing: Packing::Deflate64, ..SevenZip::default() })),
        (
            "solid.7z",
            seven_zip(&[&members], SevenZip { packing: Packing::Lzma2, encoded: true, ..SevenZip::default() }),
        ),
        ("a5.rar", rar5(&stored(&members))),
        ("a4.rar", rar4(&stored(&members))),
        // The content of a file decides its kind.
        ("sent.bin", zip(&members)),
    ] {
        let report = analyzed(name, &content, 0);
        assert_eq!(judged(&report), expected, "{name}");
        assert_eq!(listed(&report), ["Application.evtx", "Report.wer", "python.exe.10244.dmp"], "{name}");
        let archive = artifact(&report, name);
        assert_eq!((text(archive, "kind"), text(archive, "status")), ("archive", "ok"), "{name}");
        assert_eq!(report["summary"]["archives"], 0, "{name}");
        assert!(list(&report["incidents"][0], "evidence").len() >= 3, "the three are joined: {name}");
    }
}

/// Members as RAR stores them.
fn stored<'m>(members: &[(&'m str, &'m [u8])]) -> Vec<(&'m str, &'m [u8], Rar)> {
    members.iter().map(|(name, content)| (*name, *content, Rar::Stored)).collect()
}

#[test]
fn a_file_that_was_packed_by_itself_lies_in_the_folder_of_its_gz() {
    let folder = tempfile::tempdir().expect("a folder");
    type Way = fn(&[u8]) -> Vec<u8>;
    let ways: [(&str, Way); 3] = [("xz", xz), ("bz2", bz2), ("zst", zst)];
    for ((name, content), (ending, packed)) in evidence(THREE).iter().zip(ways) {
        fs::write(folder.path().join(format!("{name}.{ending}")), packed(content)).expect("a file");
    }
    let report = program::report(folder.path());
    assert_eq!(judged(&report), judged(&program::report(Path::new(THREE))));
    assert_eq!(listed(&report), ["Application.evtx", "Report.wer", "python.exe.10244.dmp"]);
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = evidence(THREE);
    for (name, content) in &mut files {
        fs::write(folder.path().join(format!("{name}.gz")), gz(content)).expect("a file");
    }
    let report = program::report(folder.path());
    assert_eq!(judged(&report), judged(&program::report(Path::new(THREE))));
    assert_eq!(listed(&report), ["Application.evtx", "Report.wer", "python.exe.10244.dmp"]);
}

#[test]
fn archives_in_archives_are_opened_three_deep() {
    let inner = zip(&[("dumps/a.dmp", &dump())]);
    let report = analyzed("logs.tar.gz", &gz(&tar(&[("evidence/inner.zip", &inner)])), 0);
    assert_eq!(listed(&report), ["evidence/inner.zip", "evidence/inner.zip!/dumps/a.dmp"]);
    assert_eq!(list(&report, "incidents").len(), 1);
    let deep = (0..3).fold(inner, |inner, _| zip(&[("next.zip", &inner)]));
    let report = analyzed("deep.zip", &deep, 4);
    let deepest = list(&report, "artifacts").iter().find(|artifact| text(artifact, "status") == "skipped");
    assert!(deepest.is_some_and(|archive| text(archive, "detail").contains("too deep")), "{report:#}");
    assert_eq!(report["summary"]["archives"], 1);
}

#[test]
fn no_name_leads_out_of_an_archive_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("below");
    fs::create_dir(&below).expect("a folder");
    let dump = dump();
    let names = ["../../escaped.dmp", "/escaped.dmp", "C:\\escaped.dmp", "a\0/escaped.dmp", "..\\escaped.dmp"];
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, dump.as_slice())).collect();
    fs::write(below.join("a.zip"), zip(&members)).expect("a file");
    fs::write(below.join("b.tar"), tar(&members[..1])).expect("a file");
    let mut command = program::crashsift(["analyze", "-q", "-f", "json", "."]);
    command.current_dir(&below).env("TMPDIR", folder.path());
    let report = program::finish(command, b"").ends_with(0).json();
    assert_eq!(
        listed(&report),
        ["C:/escaped.dmp", "a\u{FFFD}/escaped.dmp", "escaped.dmp", "escaped.dmp (2)", "escaped.dmp (3)", "escaped.dmp"]
    );
    let files = walkdir::WalkDir::new(folder.path())
        .into_iter()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_type().is_file()));
    assert_eq!(files.count(), 2, "the archives, and nothing else");
}

#[test]
fn members_of_one_name_are_all_read() {
    let wer = fs::read(format!("{THREE}/Report.wer")).expect("a sample");
    let report = analyzed("twice.zip", &zip(&[("same", &dump()), ("same", &wer)]), 0);
    assert_eq!(listed(&report), ["same", "same (2)"]);
    let kinds: Vec<&str> = list(&report, "artifacts").iter().map(|artifact| text(artifact, "kind")).collect();
    assert_eq!(kinds, ["archive", "minidump", "wer-report"]);
}

#[test]
fn members_with_a_password_are_reported() {
    let report = analyzed("secret.zip", &zip_with(&[("a.dmp", &dump())], ENCRYPTED, STORED), 4);
    let archive = artifact(&report, "secret.zip");
    assert_eq!(text(archive, "status"), "failed");
    assert!(text(archive, "detail").starts_with("a.dmp: encrypted: it needs a password"), "{archive:#}");
    assert_eq!(listed(&report), [""; 0]);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("secret.zip"), zip_with(&[("a.dmp", &dump())], ENCRYPTED, STORED)).expect("a file");
    run(["analyze", "-q", "--strict", folder.path().to_str().expect("text"), DUMP]).ends_with(3);
}

#[test]
fn members_with_an_unknown_compression_are_reported() {
    let dump = dump();
    let members: &[(&str, &[u8])] = &[("a.dmp", &dump)];
    let ppmd = SevenZip { packing: Packing::Ppmd, ..SevenZip::default() };
    for (name, content, by) in [
        ("other.zip", zip_with(members, 0, UNKNOWN), "method 77"),
        ("ppmd.zip", zip_with(members, 0, 98), "PPMd"),
        ("ppmd.7z", seven_zip(&[members], ppmd), "PPMd"),
        ("locked.zip", zip_with(members, ENCRYPTED, LZMA), "LZMA"),
    ] {
        let report = analyzed(name, &content, 4);
        let archive = artifact(&report, name);
        assert_eq!(text(archive, "status"), "failed");
        let why = format!("a.dmp: compressed by {by}, which is not supported; ");
        assert!(text(archive, "detail").starts_with(&why), "{archive:#}");
    }
}

#[test]
fn damage_and_hunger_of_members_that_are_compressed_by_other_methods_are_reported() {
    let dump = dump();
    let members: &[(&str, &[u8])] = &[("a.dmp", &dump), ("b.dmp", &dump)];
    // Behind the local header of 30 bytes, a name of five, and the head of LZMA.
    let content = 30 + 5 + 9;
    let mut bytes = zip_with(members, 0, LZMA);
    bytes[content + 200] ^= 0xFF;
    let report = analyzed("a.zip", &bytes, 0);
    assert_ne!(text(artifact(&report, "a.dmp"), "status"), "ok");
    assert_eq!(text(artifact(&report, "b.dmp"), "status"), "ok");
    let mut bytes = zip_with(members, 0, LZMA);
    // The dictionary, and the sizes of the first member in the directory: more than 256 MiB.
    bytes[content - 4..content].copy_from_slice(&u32::MAX.to_le_bytes());
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").expect("a directory");
    bytes[directory + 24..directory + 28].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
    let report = analyzed("a.zip", &bytes, 0);
    let why = text(artifact(&report, "a.zip"), "detail");
    assert!(why.starts_with("a.dmp: unpacking it needs more than the 256 MiB"), "{why}");
    // Damage in a member of an archive without its directory, behind which the decoder must not go on.
    let mut bytes = zip_with(members, 0, BZIP2);
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").expect("a directory");
    for at in [40, 60, 61, 90, 120, 400] {
        bytes[30 + 5 + at] ^= 0x55;
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&bytes[..directory]).expect("written");
        let (passwords, allowance) = (Passwords::default(), Allowance::new(1 << 20, 10));
        let mut failed = false;
        let mut read_twice = |member: pipeline::archive::Member<'_>| {
            failed |= std::io::copy(member.content, &mut std::io::sink()).is_err()
                && member.content.read_to_end(&mut Vec::new()).is_err();
        };
        let read =
            pipeline::archive::members(ArchiveKind::Zip, &mut file, "a.zip", &passwords, &allowance, &mut read_twice);
        let (losses, _) = read.expect("members");
        assert!(failed && losses.len() >= 2, "{at}: {losses:?}");
    }
    let bytes = zip_with(members, 0, LZMA);
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").expect("a directory");
    let report = analyzed("a.zip", &bytes[..directory], 4);
    let why = text(artifact(&report, "a.zip"), "detail");
    assert!(why.contains("a.dmp: compressed by LZMA, which is only read where the archive has its directory"), "{why}");
    // A header that is none.
    let mut bytes = zip_with(members, 0, XZ);
    let second = bytes.windows(4).rposition(|four| four == b"PK\x03\x04").expect("a header");
    bytes[second] = b'Q';
    let report = analyzed("a.zip", &bytes, 0);
    assert_eq!(text(artifact(&report, "a.dmp"), "status"), "ok");
    assert_eq!(text(artifact(&report, "a.zip"), "detail"), "b.dmp: the directory of the archive is damaged");
}

#[test]
fn the_first_volume_of_several_is_named_as_such() {
    let dump = dump();
    let members: &[(&str, &[u8])] = &[("a.dmp", &dump), ("b.dmp", &dump)];
    let whole = [("a.7z.001", seven_zip(&[members], SevenZip::default())), ("a.zip.001", zip_with(members, 0, STORED))];
    let split = [b"PK\x07\x08".as_slice(), &zip(members)].concat();
    let report = analyzed("a.z01", &split[..split.len() - 200], 4);
    let why = text(artifact(&report, "a.z01"), "detail");
    assert!(why.contains("may be the first of several volumes"), "{why}");
    for (name, bytes) in whole {
        assert_eq!(text(artifact(&analyzed(name, &bytes, 0), name), "status"), "ok", "{name}");
        let report = analyzed(name, &bytes[..bytes.len() / 2 + 100], if name.contains("7z") { 4 } else { 0 });
        let archive = artifact(&report, name);
        assert!(text(archive, "detail").contains("may be the first of several volumes"), "{archive:#}");
    }
    let locked = SevenZip { packing: Packing::Lzma2, password: Some(PASSWORD), encoded: true, ..SevenZip::default() };
    let report = analyzed("a.7z.001", &seven_zip(&[members], locked), 4);
    let why = text(artifact(&report, "a.7z.001"), "detail");
    assert!(why.contains("needs a password") && !why.contains("volumes"), "{why}");
}

#[test]
fn one_damaged_member_costs_no_other() {
    let dump = dump();
    let mut bytes = zip_with(&[("bad.dmp", &dump), ("good.dmp", &dump)], 0, STORED);
    // The content of the first member begins behind its header and name; its checksum is now wrong.
    bytes[30 + 7 + dump.len() - 1] ^= 0xFF;
    let report = analyzed("a.zip", &bytes, 0);
    let bad = artifact(&report, "bad.dmp");
    assert_eq!(text(bad, "status"), "partial");
    assert!(text(bad, "detail").contains("its content is damaged"), "all of it was unpacked: {bad:#}");
    assert_eq!(text(artifact(&report, "good.dmp"), "status"), "ok");
}

#[test]
fn one_damaged_folder_of_a_cabinet_costs_no_other() {
    let dump = dump();
    let mut bytes = cab_of(&[&[("a.dmp", &dump), ("b.dmp", &dump)], &[("c.dmp", &dump)]]);
    // The number of data blocks of the first folder follows the header of 36 bytes and the offset of the first block.
    bytes[40..42].fill(0);
    let report = analyzed("a.cab", &bytes, 0);
    assert_eq!(text(artifact(&report, "c.dmp"), "status"), "ok");
    let first = artifact(&report, "a.dmp");
    assert_eq!((text(first, "status"), text(first, "detail")), ("failed", "it ends too early"));
    let cabinet = artifact(&report, "a.cab");
    assert_eq!((text(cabinet, "status"), text(cabinet, "detail")), ("partial", "b.dmp: the cabinet is damaged here"));
}

#[test]
fn of_an_archive_that_was_cut_short_the_beginning_is_read() {
    let dump = dump();
    let twice: &[(&str, &[u8])] = &[("first.dmp", &dump), ("second.dmp", &dump)];
    // These are read block by block, the largest of 128 KiB.
    let noise = noise(400_000);
    let blocks: &[(&str, &[u8])] = &[("first.dmp", &dump), ("noise.bin", &noise), ("second.dmp", &dump)];
    for (name, bytes, percent) in [
        ("a.zip", zip(twice), 70),
        ("a.tar", tar(twice), 70),
        ("a.tar.gz", gz(&tar(twice)), 90),
        ("one.dmp.gz", gz(&dump), 90),
        ("a.tar.xz", xz(&tar(blocks)), 70),
        ("a.tar.zst", zst(&tar(blocks)), 70),
        ("a5.rar", rar5(&stored(twice)), 70),
        ("a4.rar", rar4(&stored(twice)), 70),
    ] {
        let kept = bytes.len() * percent / 100;
        let report = analyzed(name, &bytes[..kept], 0);
        assert_eq!(list(&report, "incidents").len(), 1, "{name}: {report:#}");
        let not_whole = list(&report, "artifacts").iter().filter(|artifact| text(artifact, "status") != "ok").count();
        assert!(not_whole >= 1, "{name}: {report:#}");
    }
}

#[test]
fn every_cut_and_every_changed_byte_is_survived() {
    let small: &[(&str, &[u8])] =
        &[("a.txt", b"exit code -1073740791 (0xC0000409)"), ("b/c.txt", b"The trainer crashed.")];
    let folder = tempfile::tempdir().expect("a folder");
    let locked = SevenZip { packing: Packing::Lzma2, password: Some(PASSWORD), ..SevenZip::default() };
    let mut archives = [
        zip(small),
        tar(small),
        gz(&tar(small)),
        cab(small),
        xz(&tar(small)),
        bz2(&tar(small)),
        zst(&tar(small)),
        seven_zip(&[small], locked),
        seven_zip(&[small], SevenZip { encoded: true, ..locked }),
        encrypted_zip(small, PASSWORD, true),
        encrypted_zip(small, PASSWORD, false),
        rar5(&stored(small)),
        rar4(&stored(small)),
    ];
    let passwords = Passwords::new([PASSWORD.to_owned()]);
    for bytes in &mut archives {
        let kind = ArchiveKind::recognized(bytes).expect("an archive");
        let path = folder.path().join("a");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("a file");
            let mut file = File::open(&path).expect("a file");
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut total = 0;
                let mut each = |member: pipeline::archive::Member<'_>| {
                    let mut content = Vec::new();
                    let _ = member.content.read_to_end(&mut content);
                    total += content.len();
                };
                let _ = members(kind, &mut file, "a", &passwords, &Allowance::new(1 << 20, 100), &mut each);
                total
            }));
            // Decompression may fail, which is a loss of the archive; its output is limited nevertheless.
            assert!(outcome.unwrap_or_default() <= 1 << 20);
        };
        let step = bytes.len().div_ceil(200);
        (0..bytes.len()).step_by(step).for_each(|end| read(&bytes[..end]));
        for at in (0..bytes.len()).step_by(step) {
            let before = bytes[at];
            for value in [0x00, 0xFF, before ^ 0x80] {
                bytes[at] = value;
                read(bytes);
            }
            bytes[at] = before;
        }
    }
}

/// What is read of an archive with this limit: names with the number of bytes and whether they ended properly, and
/// losses.
fn under(allowance: &Allowance, bytes: &[u8]) -> (Vec<(String, usize, bool)>, Vec<String>) {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    let mut all = Vec::new();
    let (kind, passwords) = (ArchiveKind::recognized(bytes).expect("an archive"), Passwords::default());
    let read = members(kind, &mut file, "a", &passwords, allowance, &mut |member| {
        let mut content = Vec::new();
        let ended = member.content.read_to_end(&mut content).is_ok();
        all.push((member.name, content.len(), ended));
    });
    let (losses, _) = read.expect("an archive");
    (all, losses.iter().map(ToString::to_string).collect())
}

#[test]
fn a_bomb_is_unpacked_only_as_far_as_is_allowed() {
    let zeros = vec![0; 1 << 20];
    let bomb: &[(&str, &[u8])] = &[("a", b"1234"), ("bomb", &zeros), ("b", &zeros)];
    let packed = SevenZip { packing: Packing::Lzma2, ..SevenZip::default() };
    for bytes in [zip(bomb), tar(bomb), cab(bomb), seven_zip(&[bomb], packed), rar5(&stored(bomb)), rar4(&stored(bomb))]
    {
        let (all, losses) = under(&Allowance::new(10_000, 100), &bytes);
        assert_eq!(all, [("a".to_owned(), 4, true), ("bomb".to_owned(), 9_996, false)]);
        assert!(losses.len() == 1 && losses[0].contains("unpacks to more than"), "{losses:?}");
    }
    for bytes in [gz(&zeros), xz(&zeros), bz2(&zeros), zst(&zeros)] {
        let (all, losses) = under(&Allowance::new(10_000, 100), &bytes);
        assert_eq!((all, losses), (vec![("a content".to_owned(), 10_000, false)], Vec::new()));
    }
    let (all, losses) = under(&Allowance::new(10_000, 1), &zip(bomb));
    assert_eq!(all.len(), 1);
    assert!(losses[0].contains("more than are read"), "{losses:?}");
}

#[test]
fn tens_of_thousands_of_members_are_listed() {
    let names: Vec<String> = (0..65_534).map(|number| format!("{number}.txt")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let (all, losses) = under(&Allowance::for_archive(1), &zip_with(&members, 0, STORED));
    assert_eq!((all.len(), losses.len()), (65_534, 0));
}

#[test]
fn long_names_of_tar_are_known_and_never_read_without_end() {
    let long = format!("{}/a.txt", "folder/".repeat(40));
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(4);
    header.set_cksum();
    builder.append_data(&mut header, &long, &b"text"[..]).expect("memory");
    let (all, losses) = under(&Allowance::new(10_000, 10), &builder.into_inner().expect("memory"));
    assert_eq!((all, losses), (vec![(long.replace("//", "/"), 4, true)], Vec::new()));
}

#[test]
fn links_and_devices_of_an_archive_are_listed_and_not_followed() {
    let mut builder = tar::Builder::new(Vec::new());
    let member = |kind: tar::EntryType, size: u64| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size);
        header
    };
    builder.append_data(&mut member(tar::EntryType::Regular, 4), "a.bin", &b"\x01\x02\x03\x04"[..]).expect("memory");
    let long = format!("{}target", "folder/".repeat(40));
    builder.append_link(&mut member(tar::EntryType::Symlink, 0), "link.dmp", &long).expect("memory");
    builder.append_link(&mut member(tar::EntryType::Link, 0), "again.dmp", "a.bin").expect("memory");
    for (kind, name) in
        [(tar::EntryType::Fifo, "pipe"), (tar::EntryType::Char, "device"), (tar::EntryType::Directory, "d")]
    {
        builder.append_data(&mut member(kind, 0), name, &b""[..]).expect("memory");
    }
    let bytes = builder.into_inner().expect("memory");
    for (name, bytes) in [("a.tar", bytes.clone()), ("a.tar.gz", gz(&bytes))] {
        let report = analyzed(name, &bytes, 4);
        for (member, detail) in [
            ("!/link.dmp", "a symbolic link, not followed"),
            ("!/again.dmp", "a link to another member, not followed"),
            ("!/pipe", "neither a file nor a folder"),
            ("!/device", "neither a file nor a folder"),
        ] {
            let listed = artifact(&report, member);
            assert_eq!((text(listed, "status"), text(listed, "detail")), ("skipped", detail), "{name}");
        }
        assert_eq!(text(artifact(&report, name), "status"), "ok");
        assert!(!list(&report, "artifacts").iter().any(|artifact| text(artifact, "path").ends_with("!/d")));
    }
}

#[test]
fn sparse_files_of_tar_are_reported_and_cost_no_other() {
    let mut builder = tar::Builder::new(Vec::new());
    let about = [("GNU.sparse.major", &b"1"[..]), ("GNU.sparse.name", b"memory.dmp")];
    builder.append_pax_extensions(about).expect("memory");
    for name in ["GNUSparseFile.1/memory.dmp", "a.txt"] {
        let mut header = tar::Header::new_gnu();
        header.set_size(4);
        header.set_cksum();
        builder.append_data(&mut header, name, &b"text"[..]).expect("memory");
    }
    let (all, losses) = under(&Allowance::new(10_000, 10), &builder.into_inner().expect("memory"));
    assert_eq!(all, [("a.txt".to_owned(), 4, true)]);
    assert!(losses.len() == 1 && losses[0].starts_with("memory.dmp: a sparse file"), "{losses:?}");
}

#[test]
fn a_size_before_a_file_of_tar_is_used_only_where_the_header_has_the_same() {
    for (stated, found) in [("4", 2), ("5", 0), ("many", 0)] {
        let mut builder = tar::Builder::new(Vec::new());
        builder.append_pax_extensions([("size", stated.as_bytes())]).expect("memory");
        for name in ["a.txt", "b.txt"] {
            let mut header = tar::Header::new_gnu();
            header.set_size(4);
            header.set_cksum();
            builder.append_data(&mut header, name, &b"text"[..]).expect("memory");
        }
        let (all, losses) = under(&Allowance::new(10_000, 10), &builder.into_inner().expect("memory"));
        assert_eq!(all.len(), found, "{stated}: {losses:?}");
        if found == 0 {
            assert!(losses[0].starts_with("a.txt: ") && losses[1].contains("those behind it"), "{losses:?}");
        }
    }
}

#[test]
fn the_content_of_a_gz_has_its_own_size_whatever_it_is() {
    let size = |bytes: usize| {
        let report = analyzed("a.bin.gz", &gz(&[b"\x01\x02\x03\x04".repeat(bytes / 4)].concat()), 4);
        let content = artifact(&report, "a.bin");
        (content["bytes"].as_u64().expect("a size"), text(content, "detail").to_owned())
    };
    assert_eq!(size(100_000).0, 100_000);
    let (bytes, detail) = size(20 << 20);
    assert!(bytes < 20 << 20 && detail.contains("bytes were unpacked: it has more"), "{bytes}: {detail}");
}

#[test]
fn a_cache_changes_nothing_and_inspect_reads_archives_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = evidence(THREE);
    let members: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (&**name, &**content)).collect();
    let archive = folder.path().join("a.zip");
    fs::write(&archive, zip(&members)).expect("a file");
    let (archive, cache) = (archive.to_str().expect("text"), folder.path().join("cache"));
    let plain = run(["analyze", "-q", "-f", "json", archive]).ends_with(0).stdout;
    for _ in 0..2 {
        let cached = run(["analyze", "-q", "-f", "json", "--cache", cache.to_str().expect("text"), archive]);
        assert_eq!(cached.ends_with(0).stdout, plain);
    }
    let inspected = run(["inspect", "-f", "json", archive]).ends_with(0).json();
    assert_eq!(list(&inspected, "incidents").len(), 1);
}

#[test]
fn an_archive_of_pictures_is_nothing_to_analyze() {
    let run = run(["analyze", "-q", "samples/no/such"]).ends_with(4);
    assert!(run.stdout.contains("was found"), "{run:#?}");
    let report = analyzed("a.zip", &zip(&[("picture.png", b"\x89PNG\r\n\x1a\n0000")]), 4);
    assert_eq!(listed(&report), ["picture.png"]);
    assert_eq!(text(artifact(&report, "picture.png"), "status"), "skipped");
}
