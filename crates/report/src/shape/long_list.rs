//! The lists of a report that are too long to be made by one thread.

use serde::{Serialize, Serializer};

/// A list of which a report may hold tens of thousands of items: what stands for it is given as bytes, which no text begins
/// with, and the report's writer writes the list instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongList {
    /// The incidents.
    Incidents,
    /// The timeline of the machine with this index.
    Timeline(usize),
}

/// What no text begins with, since no character does in UTF-8.
const MARK: u8 = 0xFF;

impl LongList {
    fn bytes(self) -> [u8; 9] {
        let number = match self {
            Self::Incidents => 0,
            Self::Timeline(machine) => u64::try_from(machine).unwrap_or(u64::MAX).saturating_add(1),
        };
        let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
        [MARK, a, b, c, d, e, f, g, h]
    }

    /// The list that these bytes stand for.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let number = u64::from_le_bytes(bytes.strip_prefix(&[MARK])?.try_into().ok()?);
        match number.checked_sub(1) {
            None => Some(Self::Incidents),
            Some(machine) => usize::try_from(machine).ok().map(Self::Timeline),
        }
    }
}

impl Serialize for LongList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_told_from_every_text() {
        for list in [LongList::Incidents, LongList::Timeline(0), LongList::Timeline(70_000)] {
            assert_eq!(LongList::of(&list.bytes()), Some(list));
            assert!(str::from_utf8(&list.bytes()).is_err());
        }
        assert_eq!(LongList::of(b"python.ex"), None);
    }
}
