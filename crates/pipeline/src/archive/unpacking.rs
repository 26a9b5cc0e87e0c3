//! An archive while it is unpacked: what its reader gives to the caller, and what is lost.

use std::io::{self, Read};

use super::limits::{Allowance, Limited};
use super::name::Names;
use untrusted::Loss;

/// A file in an archive.
pub struct Member<'m> {
    /// Its path in the archive, with `/` between the parts: unique, and without parts that lead out of the archive.
    pub name: String,
    /// Its size as the archive states it, bytes.
    pub bytes: Option<u64>,
    /// Its content. Reading ends with an error where it is damaged or unpacks to more than is allowed.
    pub content: &'m mut dyn Read,
}

/// A member that is no file with content of its own.
#[derive(Debug)]
pub struct PassedOver {
    /// Its path, as that of a [`Member`].
    pub name: String,
    /// What it is.
    pub reason: &'static str,
}

/// Receives the members.
pub type Each<'e> = dyn FnMut(Member<'_>) + 'e;

/// One archive that is being unpacked.
pub(super) struct Unpacking<'u, 'e> {
    pub(super) allowance: &'u Allowance,
    pub(super) names: Names,
    pub(super) losses: Vec<Loss>,
    pub(super) passed_over: Vec<PassedOver>,
    /// Whether the archive ends before its directory.
    pub(super) is_cut: bool,
    pub(super) each: &'u mut Each<'e>,
}

impl Unpacking<'_, '_> {
    /// Counts a member; `false`, with a loss, where no more may be read.
    pub(super) fn takes_member(&mut self) -> bool {
        self.allowance.take_member(&mut self.losses)
    }

    /// Notes that a part of the archive could not be read.
    pub(super) fn lose(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.losses.push(Loss::new(place, reason));
    }

    /// Lists a member that is not read: a link or a device. `false` where no more may be read.
    pub(super) fn pass_over(&mut self, name: &str, reason: &'static str) -> bool {
        let takes = self.takes_member();
        if takes {
            self.passed_over.push(PassedOver { name: self.names.unique(name), reason });
        }
        takes
    }

    /// Gives a member to the caller of [`members`]; what its content unpacks to counts.
    pub(super) fn give(&mut self, name: String, bytes: Option<u64>, content: impl Read) {
        let content = Fused::new(content);
        (self.each)(Member { name, bytes, content: &mut Limited { content, allowance: self.allowance } });
    }
}

/// Content that is not read on after an error, which it repeats: a decoder of damaged content is in no state to go on from.
/// That of bzip2 computes with what it has, and ends the process where overflows are checked.
pub(super) struct Fused<R> {
    content: R,
    failed: Option<(io::ErrorKind, String)>,
}

impl<R: Read> Fused<R> {
    pub(super) fn new(content: R) -> Self {
        Self { content, failed: None }
    }
}

impl<R: Read> Read for Fused<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((kind, words)) = &self.failed {
            return Err(io::Error::new(*kind, words.clone()));
        }
        let read = self.content.read(buffer);
        if let Err(error) = &read
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some((error.kind(), words(error)));
        }
        read
    }
}

/// The message of an error for users.
#[must_use]
pub fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => error.to_string(),
    }
}
