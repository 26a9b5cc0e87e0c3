//! Reading what is in archives: each member is unpacked and read like a file, and archives in archives likewise.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::{
    LOSSES_SHOWN, Opened, ReadArtifact, SNIFFED, finished, note_failure_of_machine, read_opened, unknown, unread,
};
use crate::archive::{Allowance, ArchiveKind, DEEPEST, Member, members, words};
use crate::discover::{named_kind, sniff};
use crate::read_context::ReadContext;
use evidence::ArtifactKind;
use evidence::Reading;
use report::ArtifactStatus;
use untrusted::Loss;

/// What stands in a path between an archive and its member.
const WITHIN: &str = "!/";

/// Where in archives a file lies.
#[derive(Clone, Copy)]
pub(super) struct Nesting<'a> {
    /// In how many.
    depth: usize,
    /// What may still be unpacked of the outermost.
    allowance: Option<&'a Allowance>,
}

impl Nesting<'_> {
    /// Of a file that lies in none.
    pub(super) const NONE: Self = Self { depth: 0, allowance: None };
}

/// Reads an archive: lists it, and what is in it.
pub(super) fn read(
    path: &Path,
    shown: String,
    mut opened: Opened,
    nesting: Nesting<'_>,
    context: &ReadContext,
    all: &mut Vec<ReadArtifact>,
) {
    let bytes = opened.bytes;
    let skipped = |reason: &str| {
        let reason = format!("{reason}; extract it and analyze the folder");
        unread(shown.clone(), ArtifactKind::Archive, bytes, ArtifactStatus::Skipped, reason)
    };
    let Some(kind) = ArchiveKind::of(&opened.first) else {
        return all.push(skipped("archives of this kind are not opened"));
    };
    if nesting.depth >= DEEPEST {
        return all.push(skipped("it lies too deep in other archives"));
    }
    let own = Allowance::for_archive(bytes);
    let allowance = nesting.allowance.unwrap_or(&own);
    let within = Nesting { depth: nesting.depth.saturating_add(1), allowance: Some(allowance) };
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let before = all.len();
    // A panic in a crate that unpacks costs what is behind it in this archive and nothing else.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        members(kind, &mut opened.file, &file_name, allowance, &mut |member| {
            read_member(member, &shown, within, context, all);
        })
    }));
    let found = all.len() > before;
    let losses = match outcome {
        Ok(Ok(losses)) => losses,
        Ok(Err(unreadable)) if !found => {
            return all.push(unread(
                shown,
                ArtifactKind::Archive,
                bytes,
                ArtifactStatus::Failed,
                unreadable.to_string(),
            ));
        }
        Ok(Err(unreadable)) => vec![Loss::new("members", unreadable.to_string())],
        Err(_) => {
            vec![Loss::new("members", "what unpacks them failed; this is a defect of crashsift, please report it")]
        }
    };
    all.push(if found || losses.is_empty() {
        finished(shown, ArtifactKind::Archive, bytes, Reading { losses, ..Reading::default() })
    } else {
        let reason = Loss::join(&losses, LOSSES_SHOWN);
        unread(shown, ArtifactKind::Archive, bytes, ArtifactStatus::Failed, reason)
    });
}

fn read_member(
    member: Member<'_>,
    archive: &str,
    nesting: Nesting<'_>,
    context: &ReadContext,
    all: &mut Vec<ReadArtifact>,
) {
    let shown = format!("{archive}{WITHIN}{}", member.name);
    let path = PathBuf::from(&shown);
    let kind = named_kind(&path).unwrap_or(ArtifactKind::Unknown);
    let stated = member.bytes;
    let mut of_machine = false;
    let unpacked = unpack(member, &mut of_machine);
    if of_machine {
        note_failure_of_machine(context);
    }
    let Unpacked { content, lost } = match unpacked {
        Ok(unpacked) => unpacked,
        Err(error) => {
            let bytes = stated.unwrap_or_default();
            return all.push(unread(shown, kind, bytes, ArtifactStatus::Failed, words(&error)));
        }
    };
    match content {
        Content::Whole(opened) => read_opened(&path, shown, opened, nesting, context, all),
        // Pictures and programs are not unpacked.
        Content::Beginning { first, bytes } => {
            let (kind, status, reason) = unknown(&path, &first, bytes);
            all.push(unread(shown, kind, bytes, status, reason));
        }
    }
    // Of an archive, too, its own line is the last.
    if let (Some(lost), Some(read)) = (lost, all.last_mut()) {
        let artifact = &mut read.artifact;
        if artifact.status == ArtifactStatus::Ok {
            artifact.status = ArtifactStatus::Partial;
        }
        artifact.detail = Some(match artifact.detail.take() {
            Some(detail) => format!("{lost}; {detail}"),
            None => lost,
        });
    }
}

struct Unpacked {
    content: Content,
    /// What of it is missing, and why.
    lost: Option<String>,
}

enum Content {
    /// In a file of its own, without name.
    Whole(Opened),
    /// Of what is of no kind that is read.
    Beginning { first: Vec<u8>, bytes: u64 },
}

/// The most that is unpacked only to tell a size, bytes: it counts like all that is unpacked.
const MOST_COUNTED: u64 = 16 << 20;

/// How many bytes there are, of which the first `before` are known, and what is to be said of that number.
fn counted(before: u64, content: &mut dyn Read) -> (u64, Option<String>) {
    let (mut bytes, mut block) = (before, [0; 4096]);
    let ended = loop {
        match content.read(&mut block) {
            Ok(0) => return (bytes, None),
            Ok(read) => bytes = bytes.saturating_add(read as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break words(&error),
        }
        if bytes >= MOST_COUNTED {
            break "it has more".to_owned();
        }
    };
    (bytes, Some(format!("archive: only {bytes} bytes were unpacked: {ended}")))
}

/// Room for what is unpacked.
struct Room<'a> {
    file: File,
    /// Whether it could not take something.
    failed: &'a mut bool,
}

impl Write for Room<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|_| *self.failed = true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Unpacks what is of a kind that is read, as far as it can be. `of_machine`: whether what it is unpacked into failed.
fn unpack(member: Member<'_>, of_machine: &mut bool) -> io::Result<Unpacked> {
    let Member { bytes: stated, content, .. } = member;
    let mut first = Vec::new();
    let began = content.take(SNIFFED).read_to_end(&mut first);
    if first.is_empty() {
        began?;
        if stated.is_some_and(|bytes| bytes > 0) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        return Ok(Unpacked { content: Content::Beginning { first, bytes: 0 }, lost: None });
    }
    if sniff(&first) == ArtifactKind::Unknown {
        let (bytes, lost) = match stated {
            Some(bytes) => (bytes, None),
            None => counted(first.len() as u64, content),
        };
        return Ok(Unpacked { content: Content::Beginning { first, bytes }, lost });
    }
    let mut room = Room { file: tempfile::tempfile().inspect_err(|_| *of_machine = true)?, failed: of_machine };
    room.write_all(&first)?;
    let ended = began.and_then(|_| io::copy(content, &mut room));
    let mut file = room.file;
    let bytes = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let lost = match (ended, stated) {
        (Err(error), Some(stated)) if bytes == stated => {
            Some(format!("archive: its content is damaged: {}", words(&error)))
        }
        (Err(error), _) => Some(format!("archive: only {bytes} bytes could be unpacked: {}", words(&error))),
        (Ok(_), Some(stated)) if bytes < stated => {
            Some(format!("archive: only {bytes} of {stated} bytes could be unpacked"))
        }
        _ => None,
    };
    Ok(Unpacked { content: Content::Whole(Opened { file, bytes, first }), lost })
}
