//! Lists as rules name them.

use std::fmt;
use std::sync::Arc;

/// A list that a rule names. One inside the program is read when it is first asked: most runs ask few of them.
pub(crate) enum NamedList<L: 'static> {
    Read(Arc<L>),
    Inside(&'static dyn ReadLater<L>),
}

/// A list inside the program.
pub(crate) trait ReadLater<L>: Sync {
    /// The list; `None` only when the program was put together wrongly.
    fn list(&self) -> Option<&L>;
}

impl<L> NamedList<L> {
    /// The list; `None` only when the program was put together wrongly.
    pub fn get(&self) -> Option<&L> {
        match self {
            Self::Read(list) => Some(list),
            Self::Inside(inside) => inside.list(),
        }
    }
}

impl<L> Clone for NamedList<L> {
    fn clone(&self) -> Self {
        match self {
            Self::Read(list) => Self::Read(Arc::clone(list)),
            Self::Inside(inside) => Self::Inside(*inside),
        }
    }
}

impl<L: fmt::Debug> fmt::Debug for NamedList<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
