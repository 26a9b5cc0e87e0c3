//! One copy of each name, however many artifacts carry it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many parts what is shared is kept in, each with a lock of its own: every thread asks for hundreds of names for
/// each dump that it reads, and with one lock threads wait for each other.
const PARTS: usize = 16;

/// A concurrent map of values by the hashes of their sources, split into parts with a lock each. `part` are bits of the
/// hash that the maps themselves do not use.
#[derive(Debug)]
pub struct ByHash<K, V>([Mutex<HashMap<K, V, BuildHasherDefault<Hashed>>>; PARTS]);

impl<K, V> Default for ByHash<K, V> {
    fn default() -> Self {
        Self(Default::default())
    }
}

impl<K: Eq + Hash, V: Clone> ByHash<K, V> {
    /// The value of that hash.
    pub fn get(&self, part: u64, hash: &K) -> Option<V> {
        self.part(part)?.get(hash).cloned()
    }

    /// The value with this hash; if there is none, the result of `made` is stored.
    pub fn get_or_insert(&self, part: u64, hash: K, made: impl FnOnce() -> V) -> V {
        match self.part(part) {
            Some(mut part) => part.entry(hash).or_insert_with(made).clone(),
            None => made(),
        }
    }

    /// Stores a value in a part. A part that already has `most` values is emptied first.
    pub fn insert_among(&self, most: usize, part: u64, hash: K, value: V) {
        if let Some(mut part) = self.part(part) {
            if part.len() >= most {
                part.clear();
            }
            part.insert(hash, value);
        }
    }

    /// A part; there is one for every number.
    fn part(&self, number: u64) -> Option<MutexGuard<'_, HashMap<K, V, BuildHasherDefault<Hashed>>>> {
        let part = self.0.get(usize::try_from(number.checked_rem(PARTS as u64)?).ok()?)?;
        // A poisoned lock only means that another artifact's parser panicked; the values themselves are whole.
        Some(part.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A random seed for each run, so that no file can be crafted to put all its texts into one part of the table.
pub fn seed() -> u64 {
    RandomState::new().hash_one(PARTS)
}

/// The hash of what is a hash already.
#[derive(Debug, Default)]
pub(crate) struct Hashed(u64);

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

    fn write_u128(&mut self, hash: u128) {
        let [low, high] = halves(hash);
        self.0 = low ^ high;
    }
}

/// The lower and the upper half.
pub fn halves(hash: u128) -> [u64; 2] {
    let low = hash & u128::from(u64::MAX);
    [low, hash >> 64].map(|half| u64::try_from(half).unwrap_or_default())
}

/// Shares equal strings between artifacts: a thousand dumps name the same hundred modules, and memory must not grow
/// with that.
#[derive(Debug)]
pub struct Names {
    seed: u64,
    known: ByHash<u64, Arc<str>>,
}

impl Default for Names {
    fn default() -> Self {
        Self { seed: seed(), known: ByHash::default() }
    }
}

thread_local! {
    /// The name that was shared last, with the seed of its [`Names`]: records of a log name one computer thousands of times.
    static LATEST: RefCell<Option<(u64, Arc<str>)>> = const { RefCell::new(None) };
}

impl Names {
    /// The shared copy of `name`.
    pub fn share(&self, name: &str) -> Arc<str> {
        LATEST.with(|latest| {
            let Ok(mut latest) = latest.try_borrow_mut() else { return self.find(name) };
            match &*latest {
                Some((seed, known)) if *seed == self.seed && **known == *name => Arc::clone(known),
                _ => {
                    let found = self.find(name);
                    *latest = Some((self.seed, Arc::clone(&found)));
                    found
                }
            }
        })
    }

    fn find(&self, name: &str) -> Arc<str> {
        let hash = xxh3_64_with_seed(name.as_bytes(), self.seed);
        let shared = self.known.get_or_insert(hash >> 32, hash, || Arc::from(name));
        // Of two names with one hash the second is simply not shared.
        if *shared == *name { shared } else { Arc::from(name) }
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
