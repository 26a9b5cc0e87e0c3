//! Evidence with the artifact that it is from.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use evidence::{Observation, Place};

/// One piece of evidence, and which artifact states it.
#[derive(Debug, Clone)]
pub struct SourcedEvidence {
    /// Index into the run's artifact list.
    pub artifact: usize,
    /// The artifact's folder; empty for pasted text.
    pub folder: Arc<str>,
    /// The artifact's file name.
    pub file: Arc<str>,
    /// The computer that all event logs of that folder name, or those that are beside it in a copy of a system's folders.
    pub folder_host: Option<Arc<str>>,
    /// The name that the computer of an event had then, if the log goes on under another.
    pub former_host: Option<Arc<str>>,
    /// Where in the artifact.
    pub place: Place,
    /// What the artifact states there.
    pub observation: Observation,
}

/// Values by a number that no artifact decides: an index into the run's evidence, or an address in memory. That is why
/// artifacts cannot make many of them collide, and a fast hash is enough.
pub type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Hashes one number.
#[derive(Debug, Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        // Fibonacci hashing: the product with 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        // Maps go by the lower bits, too; those of the product depend on few.
        self.0 ^ (self.0 >> 32)
    }
}
