//! Files as they are compared: by their content, and by what a change of them is noticed by.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How much of a file is read at a time, bytes.
const BLOCK: usize = 64 << 10;

/// The first half of a SHA-256: two different contents with the same one are not to be expected, also not where somebody
/// looks for them. It is written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(in crate::cli) struct Identity(u128);

impl Identity {
    /// The identity of several in this order.
    pub(in crate::cli) fn of_all(all: impl IntoIterator<Item = Self>) -> Self {
        let mut hash = Sha256::new();
        all.into_iter().for_each(|one| hash.update(one.0.to_be_bytes()));
        Self::from_hash(hash)
    }

    /// The identity of a name.
    pub(super) fn of_name(name: &OsStr) -> Self {
        Self::from_hash(Sha256::new_with_prefix(name.as_encoded_bytes()))
    }

    fn from_hash(hash: Sha256) -> Self {
        let mut half = [0; 16];
        half.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
        Self(u128::from_be_bytes(half))
    }
}

impl From<Identity> for String {
    fn from(identity: Identity) -> Self {
        format!("{:032x}", identity.0)
    }
}

impl TryFrom<String> for Identity {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = Some(text).filter(|text| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits.and_then(|text| u128::from_str_radix(&text, 16).ok()).map(Self).ok_or("not 32 hexadecimal digits")
    }
}

/// A content as it is compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) identity: Identity,
    /// What it is without zeros at its end: of a file whose space was reserved before it was written, what was written.
    pub(super) begins: Beginning,
}

/// The first bytes of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Beginning {
    pub(super) bytes: u64,
    pub(super) identity: Identity,
}

impl Content {
    /// The content that can be read.
    ///
    /// # Errors
    /// When reading fails.
    pub(super) fn of(mut from: impl Read) -> io::Result<Self> {
        let (mut hash, mut block) = (Sha256::new(), vec![0; BLOCK]);
        // The zeros at the end so far are not in the hash.
        let (mut bytes, mut zeros) = (0_u64, 0_u64);
        loop {
            let filled = match from.read(&mut block) {
                Ok(0) => break,
                Ok(filled) => block.get(..filled).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let written = filled.iter().rposition(|byte| *byte != 0).map_or(0, |last| last.saturating_add(1));
            if written > 0 {
                update_zeros(&mut hash, zeros);
                hash.update(filled.get(..written).unwrap_or_default());
                bytes = bytes.saturating_add(zeros).saturating_add(written as u64);
                zeros = 0;
            }
            zeros = zeros.saturating_add(filled.len().saturating_sub(written) as u64);
        }
        let begins = Beginning { bytes, identity: Identity::from_hash(hash.clone()) };
        update_zeros(&mut hash, zeros);
        Ok(Self { identity: Identity::from_hash(hash), begins })
    }
}

fn update_zeros(hash: &mut Sha256, mut count: u64) {
    const ZEROS: [u8; 4096] = [0; 4096];
    while count > 0 {
        let some = ZEROS.get(..usize::try_from(count).unwrap_or(usize::MAX)).unwrap_or(&ZEROS);
        hash.update(some);
        count = count.saturating_sub(some.len() as u64);
    }
}

/// By what a change of a file is noticed: its size, bytes, and the time of its last change, nanoseconds since 1970 (until 2554;
/// 0 where the system does not know it).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct Form {
    bytes: u64,
    changed: u64,
}

impl Form {
    /// The form of the file that this is about.
    pub(in crate::cli) fn of(about: &Metadata) -> Self {
        let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or(0);
        Self { bytes: about.len(), changed }
    }

    /// The form of the file at a path; `None` where there is none any more.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().filter(Metadata::is_file).as_ref().map(Self::of)
    }

    /// The identity of the file at `path` in this form.
    pub(in crate::cli) fn identity(self, path: &Path) -> Identity {
        let mut hash = Sha256::new();
        hash.update(self.bytes.to_be_bytes());
        hash.update(self.changed.to_be_bytes());
        hash.update(path.as_os_str().as_encoded_bytes());
        Identity::from_hash(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_that_of_the_content_and_can_be_written_down() {
        let of = |content: &[u8]| Content::of(content).expect("readable").identity;
        assert_eq!(String::from(of(b"abc")), "ba7816bf8f01cfea414140de5dae2223");
        assert_eq!(Identity::try_from(String::from(of(b"abc"))), Ok(of(b"abc")));
        assert_ne!(of(b""), of(b"\0"));
        for wrong in ["ba78", "+a7816bf8f01cfea414140de5dae2223", "ba7816bf8f01cfea414140de5dae222g"] {
            assert!(Identity::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
        let hash = |content: &[u8]| Identity::from_hash(Sha256::new_with_prefix(content));
        let mut long = vec![0; 3 * BLOCK];
        long[BLOCK + 7] = 1;
        for (content, written) in [(&b"a\0b\0\0"[..], 3), (b"", 0), (b"\0\0", 0), (&long, BLOCK + 8)] {
            let begins = Beginning { bytes: written as u64, identity: hash(&content[..written]) };
            assert_eq!(Content::of(content).expect("readable"), Content { identity: hash(content), begins });
        }
        assert_ne!(Identity::of_all([of(b"a"), of(b"b")]), Identity::of_all([of(b"b"), of(b"a")]));
    }
}
