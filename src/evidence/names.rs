//! One copy of each name, however many artifacts carry it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::Xxh3DefaultBuilder;

/// Shares equal strings between artifacts: a thousand dumps name the same hundred modules, and memory must not grow
/// with that.
#[derive(Debug, Default)]
pub struct Names {
    seen: Mutex<HashSet<Arc<str>, Xxh3DefaultBuilder>>,
}

impl Names {
    /// The shared copy of `name`.
    pub fn share(&self, name: &str) -> Arc<str> {
        // A poisoned lock only means that another artifact's parser panicked; the set itself is whole.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = seen.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = Arc::from(name);
        seen.insert(Arc::clone(&new));
        new
    }
}
