//! Archives of each kind, and archives with evidence in them.

use std::fs;

use pipeline::archive::{Allowance, ArchiveKind, members};
use pipeline::read::read_artifacts;
use pipeline::read_context::ReadContext;

use crate::packed::{DEFLATED, STORED, cab, cab_of, gz, tar, zip, zip_with};
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
        "powershell-zip",
        Group::Archives,
        "A zip as PowerShell makes it, with evidence in it that is read",
        evidence_in_zip,
        powershell_zips,
    ),
];

const TEXT: &[u8] = b"Faulting application name: demo.exe, version: 1.0.0.0\nException code: 0xc0000005\n";
const MEMBERS: &[(&str, &[u8])] = &[("mail.txt", TEXT), ("logs/next.txt", b"text\n"), ("empty", b"")];

fn zips() -> Vec<Vec<u8>> {
    vec![zip(MEMBERS), zip_with(MEMBERS, 0, STORED), zip_with(MEMBERS, 8, DEFLATED), zip(&[("in.zip", &zip(MEMBERS))])]
}

/// The most bytes and members that an input may unpack to.
const MOST_BYTES: u64 = 1 << 20;
const MOST_MEMBERS: usize = 64;

fn unpacked(kind: ArchiveKind, input: &[u8]) -> Shape {
    let mut shape = Shape::default();
    let (mut bytes, mut count) = (0_u64, 0);
    let allowance = Allowance::new(MOST_BYTES, MOST_MEMBERS);
    let outcome = scratch::with_file(input, |file, _| {
        members(kind, file, "archive.gz", &allowance, &mut |member| {
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
