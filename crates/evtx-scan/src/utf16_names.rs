//! Names of providers and channels, UTF-16 as records hold them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::binary_xml::value::until_nul;

/// How many names are remembered before all are forgotten. Damaged logs may hold any number of names.
const MOST_REMEMBERED: usize = 4096;
/// The longest name that is remembered, bytes. Windows allows 255 characters.
const LONGEST_REMEMBERED: usize = 512;

/// Something that is known of names, by the bytes of the name.
#[derive(Debug)]
pub(crate) struct ByName<V>(HashMap<Box<[u8]>, V, BuildHasherDefault<NameHasher>>);

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<V> ByName<V> {
    /// What `use_value` makes of the value that is known of a name or, for a new name, of the value that `learn` makes of
    /// the decoded name.
    pub(crate) fn with<R>(
        &mut self,
        utf16: &[u8],
        learn: impl FnOnce(String) -> V,
        use_value: impl FnOnce(&V) -> R,
    ) -> R {
        if let Some(known) = self.0.get(utf16) {
            return use_value(known);
        }
        if self.0.len() >= MOST_REMEMBERED {
            self.0.clear();
        }
        let value = learn(decoded(utf16));
        let used = use_value(&value);
        if utf16.len() <= LONGEST_REMEMBERED {
            self.0.insert(utf16.into(), value);
        }
        used
    }
}

/// The text of UTF-16 characters up to a NUL, if there is one; half a surrogate pair becomes U+FFFD.
pub(crate) fn decoded(utf16: &[u8]) -> String {
    let units: Vec<u16> = until_nul(utf16).as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    String::from_utf16_lossy(&units)
}

/// Hashes short byte strings fast. The maps that use it are bounded, so that names made to collide cost little.
#[derive(Debug, Default)]
pub(crate) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
