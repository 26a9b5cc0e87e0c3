//! Tables inside the program, as a build script encoded them.

use std::borrow::Borrow;

use serde::Deserialize;

/// A table that is looked up by its key: what a build script encoded as a [`Table`](crate::table::Table).
#[derive(Debug, Deserialize)]
pub struct Sorted<K, V>(Vec<(K, V)>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Sorted<K, V> {
    /// The row of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let index = self.0.binary_search_by(|(other, _)| Borrow::<Q>::borrow(other).cmp(key)).ok()?;
        self.0.get(index).map(|(_, row)| row)
    }

    /// The row with the greatest key that is not above `key`.
    pub fn at_or_below(&self, key: &K) -> Option<&V> {
        let above = self.0.partition_point(|(other, _)| other <= key);
        self.0.get(above.checked_sub(1)?).map(|(_, row)| row)
    }

    /// All keys with their rows, sorted by key.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }
}

/// A table out of the bytes that a build script left. Only a program that was put together wrongly has bytes that can not
/// be decoded, and then an empty table; tests of the crates look into each of theirs.
#[must_use]
pub fn decoded<T: Deserialize<'static> + Default>(bytes: &'static [u8]) -> T {
    postcard::from_bytes(bytes).unwrap_or_default()
}

/// Declares tables that the crate's build script encoded as `FILE.bin` each: `NAME: Type = "FILE"`, with `;` between
/// them. A table is decoded when it is first used.
#[macro_export]
macro_rules! embedded {
    ($($(#[$about:meta])* $visible:vis $name:ident: $table:ty = $file:literal);+ $(;)?) => {$(
        $(#[$about])*
        $visible static $name: ::std::sync::LazyLock<$table> = ::std::sync::LazyLock::new(|| {
            $crate::decoded(include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".bin")))
        });
    )+};
}
