//! Archives that ask for a password, for much memory, or for what is not supported.

use std::fs;
use std::path::Path;

use fuzz::packed::{Packing, Rar, SevenZip, encrypted_zip, rar4, rar5, seven_zip, xz, zip};
use serde_json::Value;

use crate::program::{Run, artifact, list, run, text};

const DUMP: &str = "samples/stack-overflow/python.exe.5316.dmp";
const PASSWORD: &str = "c0rrect hörse";

/// Analyzes an archive in a folder of its own, with these passwords.
#[track_caller]
fn opened(name: &str, content: &[u8], passwords: &str) -> (Run, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, file) = (folder.path().join(name), folder.path().join("passwords"));
    fs::write(&archive, content).expect("a file");
    fs::write(&file, passwords).expect("a file");
    let shown = |path: &Path| path.to_str().expect("text").to_owned();
    let run = run(["analyze", "-f", "json", "--password-file", &shown(&file), &shown(&archive)]);
    let report = serde_json::from_str(&run.stdout).expect("a report");
    (run, report)
}

/// The same members in every kind of encrypted archive.
fn locked(members: &[(&str, &[u8])]) -> [(&'static str, Vec<u8>); 5] {
    let stored = SevenZip { password: Some(PASSWORD), ..SevenZip::default() };
    let packed = SevenZip { packing: Packing::Lzma2, ..stored };
    [
        ("aes.zip", encrypted_zip(members, PASSWORD, true)),
        ("old.zip", encrypted_zip(members, PASSWORD, false)),
        ("stored.7z", seven_zip(&[members], stored)),
        ("packed.7z", seven_zip(&[members], packed)),
        ("names.7z", seven_zip(&[members], SevenZip { encoded: true, ..packed })),
    ]
}

#[test]
fn encrypted_archives_are_opened_with_the_passwords_of_a_file() {
    let dump = fs::read(DUMP).expect("a sample");
    for (name, content) in locked(&[("a.txt", b"nothing"), ("b/python.dmp", &dump)]) {
        let (run, report) = opened(name, &content, &format!("0pen-sesame\r\n\r\n{PASSWORD}\r\nl4st\n"));
        assert_eq!(list(&report, "incidents").len(), 1, "{name}: {report:#}");
        assert_eq!(text(artifact(&report, "!/b/python.dmp"), "status"), "ok", "{name}");
        assert_eq!(text(artifact(&report, name), "status"), "ok", "{name}");
        for word in ["c0rrect", "0pen-sesame", "l4st"] {
            assert!(!run.stdout.contains(word) && !run.stderr.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn without_the_password_the_members_are_lost_with_the_advice() {
    let dump = fs::read(DUMP).expect("a sample");
    for (name, content) in locked(&[("a.dmp", &dump)]) {
        let (_, report) = opened(name, &content, "");
        let detail = text(artifact(&report, name), "detail").to_owned();
        let place = if name == "names.7z" { "directory" } else { "a.dmp" };
        assert!(
            detail.starts_with(&format!("{place}: encrypted: it needs a password; name a file")),
            "{name}: {detail}"
        );
        assert_eq!(text(artifact(&report, name), "status"), "failed", "{name}");
        let (_, report) = opened(name, &content, "wrong\nalso wrong\n");
        let detail = text(artifact(&report, name), "detail").to_owned();
        assert!(detail.starts_with(&format!("{place}: encrypted: no password of --password-file")), "{name}: {detail}");
    }
}

#[test]
fn a_file_of_passwords_that_is_none_ends_the_run_without_being_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("passwords");
    let file = file.to_str().expect("text");
    for (content, says) in [
        (b"secret\xFF".to_vec(), "its text is not UTF-8"),
        ("secret\n".repeat(101).into_bytes(), "it has more than 100 passwords"),
        (vec![b'a'; 70_000], "it is larger than"),
    ] {
        fs::write(file, content).expect("a file");
        let ended = run(["analyze", "--password-file", file, DUMP]).ends_with(2);
        assert!(ended.stderr.contains(&format!("--password-file {file}: {says}")), "{ended:#?}");
        assert!(!ended.stderr.contains("secret"), "{ended:#?}");
    }
    run(["analyze", "--password-file", "no/such", DUMP]).ends_with(2);
    run(["analyze", "-q", "--password-file", file, "-o", file, DUMP]).ends_with(2);
}

#[test]
fn a_wrong_byte_in_an_encrypted_archive_costs_only_what_it_is_in() {
    let dump = fs::read(DUMP).expect("a sample");
    let members: [&[(&str, &[u8])]; 2] = [&[("bad.dmp", &dump)], &[("good.dmp", &dump)]];
    let mut bytes = seven_zip(&members, SevenZip { password: Some(PASSWORD), ..SevenZip::default() });
    bytes[100] ^= 1;
    let (_, report) = opened("a.7z", &bytes, PASSWORD);
    assert_eq!(text(artifact(&report, "!/good.dmp"), "status"), "ok");
    let archive = artifact(&report, "a.7z");
    assert!(text(archive, "detail").starts_with("bad.dmp: encrypted: no password"), "{archive:#}");
}

#[test]
fn a_damaged_member_of_a_solid_archive_costs_none_before_it() {
    let dump = fs::read(DUMP).expect("a sample");
    let members: &[(&str, &[u8])] =
        &[("a.txt", b"exit code -1073740791 (0xC0000409)"), ("b.dmp", &dump), ("c.dmp", &dump)];
    let mut bytes = seven_zip(&[members], SevenZip { packing: Packing::Lzma2, ..SevenZip::default() });
    let (first, second) = (bytes.len() / 4, bytes.len() / 3);
    bytes[first..second].fill(0xFF);
    let (_, report) = opened("a.7z", &bytes, "");
    assert_eq!(text(artifact(&report, "!/a.txt"), "status"), "ok", "{report:#}");
    let is_whole_dump = |read: &&Value| (text(read, "kind"), text(read, "status")) == ("minidump", "ok");
    assert_eq!(list(&report, "artifacts").iter().filter(is_whole_dump).count(), 0, "{report:#}");
}

#[test]
fn dictionaries_are_bounded() {
    let dump = fs::read(DUMP).expect("a sample");
    // A dictionary of 3 GiB is none for an archive with a content of less.
    let asks = SevenZip { packing: Packing::Lzma2, dictionary: Some(39), ..SevenZip::default() };
    let (_, report) = opened("a.7z", &seven_zip(&[&[("a.dmp", &dump)]], asks), "");
    assert_eq!(list(&report, "incidents").len(), 1);
    // In a `.xz`, the header of the first block has the dictionary behind its size, flags, filter and its size.
    let mut bytes = xz(&dump);
    let properties = bytes[12..24].iter().position(|byte| *byte == 0x21).expect("LZMA2") + 14;
    bytes[properties] = 39;
    let end = 12 + (usize::from(bytes[12]) + 1) * 4 - 4;
    let sum = crc32fast::hash(&bytes[12..end]).to_le_bytes();
    bytes[end..end + 4].copy_from_slice(&sum);
    let (_, report) = opened("a.dmp.xz", &bytes, "");
    let says = text(artifact(&report, "a.dmp.xz"), "detail").to_owned();
    assert!(says.contains("needs more than the 256 MiB of memory"), "{says}");
    // A frame of Zstandard with a window of 1 GiB.
    let (_, report) = opened("a.zst", &[0x28, 0xB5, 0x2F, 0xFD, 0, 20 << 3, 1, 0, 0], "");
    let says = text(artifact(&report, "a.zst"), "detail").to_owned();
    assert!(says.contains("needs more than the 256 MiB of memory"), "{says}");
}

#[test]
fn members_that_rar_packed_are_listed_with_the_reason() {
    let dump = fs::read(DUMP).expect("a sample");
    let members: Vec<(&str, &[u8], Rar)> = [
        ("packed.dmp", Rar::Compressed),
        ("secret.dmp", Rar::Encrypted),
        ("split.dmp", Rar::Split),
        ("stored.dmp", Rar::Stored),
    ]
    .map(|(name, how)| (name, dump.as_slice(), how))
    .to_vec();
    for (name, bytes) in [("a5.rar", rar5(&members)), ("a4.rar", rar4(&members))] {
        let (_, report) = opened(name, &bytes, "");
        for (member, says) in [
            ("packed.dmp", "compressed by RAR, which is not supported"),
            ("secret.dmp", "encrypted by RAR, which is not supported"),
            ("split.dmp", "a part of it is in another file"),
        ] {
            let listed = artifact(&report, member);
            assert_eq!((text(listed, "kind"), text(listed, "status")), ("minidump", "failed"), "{name}");
            assert!(text(listed, "detail").starts_with(says), "{name}: {listed:#}");
        }
        assert_eq!(text(artifact(&report, "stored.dmp"), "status"), "ok", "{name}");
        assert_eq!(text(artifact(&report, name), "status"), "ok", "{name}");
    }
}

#[test]
fn other_commands_open_encrypted_archives_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let dump = fs::read(DUMP).expect("a sample");
    fs::write(at("crypt.zip"), encrypted_zip(&[("a.dmp", &dump)], PASSWORD, true)).expect("a file");
    fs::write(at("plain.zip"), zip(&[("a.dmp", &dump)])).expect("a file");
    fs::write(at("passwords"), PASSWORD).expect("a file");
    for arguments in [vec!["inspect"], vec!["show", "1"], vec!["symbols-needed"]] {
        let with = |more: &[&str]| run(arguments.iter().copied().chain(more.iter().copied())).ends_with(0).stdout;
        let (zip, plain, passwords) = (at("crypt.zip"), at("plain.zip"), at("passwords"));
        let renamed = with(&[&plain]).replace("plain.zip", "crypt.zip");
        assert_eq!(with(&["--password-file", &passwords, &zip]), renamed, "{arguments:?}");
    }
}
