//! One copy of each name, however many artifacts carry it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

/// How many parts the names are kept in, each with a lock of its own: every thread asks for hundreds of names for each
/// dump that it reads, and with one lock threads wait for each other.
const PARTS: usize = 16;

/// Shares equal strings between artifacts: a thousand dumps name the same hundred modules, and memory must not grow
/// with that.
#[derive(Debug, Default)]
pub struct Names {
    parts: [Mutex<HashMap<u64, Arc<str>>>; PARTS],
}

impl Names {
    /// The shared copy of `name`.
    pub fn share(&self, name: &str) -> Arc<str> {
        let hash = xxh3_64(name.as_bytes());
        let part = usize::try_from(hash >> 60).ok().and_then(|part| self.parts.get(part));
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
