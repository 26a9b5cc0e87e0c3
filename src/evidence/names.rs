//! One copy of each name, however many artifacts carry it.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many parts the names are kept in, each with a lock of its own: every thread asks for hundreds of names for each
/// dump that it reads, and with one lock threads wait for each other.
const PARTS: u64 = 16;

/// Shares equal strings between artifacts: a thousand dumps name the same hundred modules, and memory must not grow
/// with that.
#[derive(Debug)]
pub struct Names {
    /// Different in every run, so that no file can hold names that all fall into one place.
    seed: u64,
    parts: [Mutex<Part>; PARTS as usize],
}

/// Names by their hashes.
type Part = HashMap<u64, Arc<str>, BuildHasherDefault<Hashed>>;

/// The hash of what is a hash already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Default for Names {
    fn default() -> Self {
        Self { seed: RandomState::new().hash_one(PARTS), parts: Default::default() }
    }
}

impl Names {
    /// The shared copy of `name`.
    pub fn share(&self, name: &str) -> Arc<str> {
        let hash = xxh3_64_with_seed(name.as_bytes(), self.seed);
        // The map goes by the lowest and the highest bits.
        let part = usize::try_from((hash >> 32) & (PARTS - 1)).ok().and_then(|part| self.parts.get(part));
        let Some(part) = part else { return Arc::from(name) };
        // A poisoned lock only means that another artifact's parser panicked; the names themselves are whole.
        let mut known = part.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = known.entry(hash).or_insert_with(|| Arc::from(name));
        // Of two names with one hash the second is simply not shared.
        if **shared == *name { Arc::clone(shared) } else { Arc::from(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_one() {
        let names = Names::default();
        let (one, again, other) = (names.share("ntdll.dll"), names.share("ntdll.dll"), names.share("NTDLL.DLL"));
        assert!(Arc::ptr_eq(&one, &again));
        assert_eq!((&*one, &*other), ("ntdll.dll", "NTDLL.DLL"));
    }
}
