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

/// Receives the members.
pub type Each<'e> = dyn FnMut(Member<'_>) + 'e;

/// One archive that is being unpacked.
pub(super) struct Unpacking<'u, 'e> {
    pub(super) allowance: &'u Allowance,
    pub(super) names: Names,
    pub(super) losses: Vec<Loss>,
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

    /// Gives a member to the caller of [`members`]; what its content unpacks to counts.
    pub(super) fn give(&mut self, name: String, bytes: Option<u64>, content: impl Read) {
        (self.each)(Member { name, bytes, content: &mut Limited { content, allowance: self.allowance } });
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
