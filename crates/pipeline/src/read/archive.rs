//! Reads archives: each member is unpacked and read like a file, and nested archives likewise.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::{LOSSES_SHOWN, Opened, Reader, finished, unknown, unread};
use crate::archive::{Allowance, ArchiveKind, DEEPEST, Member, PassedOver, members, words};
use crate::discover::{SNIFFED, named_kind, sniff};
use evidence::{ArtifactKind, Reading};
use report::ArtifactStatus;
use untrusted::Loss;

/// The separator between an archive and its member in a path.
const WITHIN: &str = "!/";

/// The archives around a file.
#[derive(Clone, Copy)]
pub(super) struct Nesting<'a> {
    /// Their number.
    depth: usize,
    /// The members and bytes that may still be unpacked of the outermost one.
    allowance: Option<&'a Allowance>,
}

impl Nesting<'_> {
    /// No archive.
    pub(super) const NONE: Self = Self { depth: 0, allowance: None };
}

impl Reader<'_> {
    /// Reads the members of an archive, then adds the archive.
    pub(super) fn read_archive(&mut self, path: &Path, shown: String, mut opened: Opened, nesting: Nesting<'_>) {
        let bytes = opened.bytes;
        let without_members = |status, reason| unread(shown.clone(), ArtifactKind::Archive, bytes, status, reason);
        let skipped = |reason: &str| {
            without_members(ArtifactStatus::Skipped, format!("{reason}; extract it and analyze the folder"))
        };
        let Some(kind) = ArchiveKind::recognized(&opened.first) else {
            return self.all.push(skipped("archives of this kind are not opened"));
        };
        if nesting.depth >= DEEPEST {
            return self.all.push(skipped("it lies too deep in other archives"));
        }
        let own = Allowance::for_archive(bytes);
        let allowance = nesting.allowance.unwrap_or(&own);
        let within = Nesting { depth: nesting.depth.saturating_add(1), allowance: Some(allowance) };
        let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (before, context) = (self.all.len(), self.context);
        // A panic in a crate that unpacks becomes a loss of the members behind this place.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            members(kind, &mut opened.file, &file_name, &context.passwords, allowance, &mut |member| {
                self.read_member(member, &shown, within);
            })
        }));
        if let Ok(Ok((_, passed_over))) = &outcome {
            self.all.extend(passed_over.iter().map(|PassedOver { name, reason }| {
                let (path, kind) = (format!("{shown}{WITHIN}{name}"), ArtifactKind::Unknown);
                unread(path, kind, 0, ArtifactStatus::Skipped, (*reason).to_owned())
            }));
        }
        let found = self.all.len() > before;
        let losses = match outcome {
            Ok(Ok((losses, _))) => losses,
            Ok(Err(unreadable)) if !found => {
                return self.all.push(without_members(ArtifactStatus::Failed, unreadable.to_string()));
            }
            Ok(Err(unreadable)) => vec![Loss::new("members", unreadable.to_string())],
            Err(_) => {
                vec![Loss::new("members", "what unpacks them failed; this is a defect of crashsift, please report it")]
            }
        };
        self.all.push(if found || losses.is_empty() {
            finished(shown, ArtifactKind::Archive, bytes, Reading { losses, ..Reading::default() })
        } else {
            without_members(ArtifactStatus::Failed, Loss::join(&losses, LOSSES_SHOWN))
        });
    }

    fn read_member(&mut self, member: Member<'_>, archive: &str, nesting: Nesting<'_>) {
        if self.context.exclude.fits(&member.name) {
            self.context.excluded.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let shown = format!("{archive}{WITHIN}{}", member.name);
        let path = PathBuf::from(&shown);
        let stated = member.bytes;
        let mut of_machine = false;
        let unpacked = unpack(member, &mut of_machine);
        if of_machine {
            self.note_failure_of_machine();
        }
        let lost = match unpacked {
            Ok(Unpacked { file: Some(file), bytes, first, lost }) => {
                self.read_opened(&path, shown, Opened { file, bytes, first }, nesting);
                lost
            }
            Ok(Unpacked { file: None, bytes, first, lost }) => {
                let (kind, status, reason) = unknown(&path, &first, bytes);
                self.all.push(unread(shown, kind, bytes, status, reason));
                lost
            }
            Err(error) => {
                let kind = named_kind(&path).unwrap_or(ArtifactKind::Unknown);
                let bytes = stated.unwrap_or_default();
                return self.all.push(unread(shown, kind, bytes, ArtifactStatus::Failed, words(&error)));
            }
        };
        // The member is the last artifact, also where it is an archive.
        if let (Some(lost), Some(read)) = (lost, self.all.last_mut()) {
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
}

/// A member that was unpacked.
struct Unpacked {
    /// A temporary file without name; none for a file of unrecognized content, such as a picture or program.
    file: Option<File>,
    /// Its size, bytes.
    bytes: u64,
    /// Its first bytes.
    first: Vec<u8>,
    /// The missing part of the content, and the reason.
    lost: Option<String>,
}

/// The most bytes that are unpacked only to count them; they are taken from the allowance.
const MOST_COUNTED: u64 = 16 << 20;

/// The size of content of which the first `before` bytes are read, and a note where not all bytes were counted.
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

/// The temporary file that a member is unpacked into.
struct Room<'a> {
    file: File,
    /// Set when writing fails.
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

/// Unpacks a member of a kind that is read, as far as it is not damaged. `of_machine` is set when the temporary file fails.
fn unpack(member: Member<'_>, of_machine: &mut bool) -> io::Result<Unpacked> {
    let Member { bytes: stated, content, .. } = member;
    let mut first = Vec::new();
    let began = content.take(SNIFFED).read_to_end(&mut first);
    if first.is_empty() {
        began?;
        if stated.is_some_and(|bytes| bytes > 0) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        return Ok(Unpacked { file: None, bytes: 0, first, lost: None });
    }
    if sniff(&first) == ArtifactKind::Unknown {
        let (bytes, lost) = match stated {
            Some(bytes) => (bytes, None),
            None => counted(first.len() as u64, content),
        };
        return Ok(Unpacked { file: None, bytes, first, lost });
    }
    let mut room = Room { file: temporary_file().inspect_err(|_| *of_machine = true)?, failed: of_machine };
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
    Ok(Unpacked { file: Some(file), bytes, first, lost })
}

/// A file without a name. WebAssembly has no folder for temporary files: there they are in the root.
fn temporary_file() -> io::Result<File> {
    if cfg!(target_os = "wasi") { tempfile::tempfile_in("/") } else { tempfile::tempfile() }
}
