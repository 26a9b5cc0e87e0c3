//! Elements of one parent with the same name: from the second on, a number is added to the name.

use super::super::Unusual;
use super::reader::{FieldReader, Parent, Sibling};

/// The most elements of one parent whose names are compared.
const MAX_SIBLINGS: usize = 1 << 10;

impl<'c> FieldReader<'c, '_> {
    /// The number of earlier elements of the parent with the same name.
    #[inline(always)]
    pub(super) fn earlier(&mut self, parent: &mut Parent, sibling: Sibling) -> Result<usize, Unusual> {
        let name = self.name_of(sibling);
        let hash = hash(name);
        let (word, bit) = (usize::from(hash >> 6), 1_u64 << (hash & 63));
        let seen = parent.seen.get_mut(word & 7).ok_or(Unusual("a hash of more than nine bits"))?;
        let may_repeat = *seen & bit != 0;
        *seen |= bit;
        let before = self.scratch.siblings.get(parent.siblings..).unwrap_or_default();
        if before.len() >= MAX_SIBLINGS {
            return Err(Unusual("too many elements"));
        }
        let earlier = if may_repeat {
            let alike = |other: &&Sibling| other.is_data == sibling.is_data && self.name_of(**other) == name;
            before.iter().filter(alike).count()
        } else {
            0
        };
        self.scratch.siblings.push(sibling);
        Ok(earlier)
    }

    /// The characters of a name, UTF-16.
    #[inline]
    pub(super) fn name_of(&self, sibling: Sibling) -> &'c [u8] {
        self.chunk.get(sibling.at..sibling.at.saturating_add(sibling.size)).unwrap_or_default()
    }
}

/// Adds the number that distinguishes a name from `earlier` equal ones, if there are any.
#[inline]
pub(super) fn push_number(earlier: usize, out: &mut Vec<u8>) {
    if earlier > 0 {
        out.push(b'_');
        out.extend_from_slice(itoa::Buffer::new().format(earlier).as_bytes());
    }
}

/// A hash of nine bits of a name: of its length and both its ends.
#[inline]
pub(super) fn hash(name: &[u8]) -> u16 {
    let ends = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(29),
        _ => name.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    };
    // The multiplication spreads differences to the upper bits: 2^64 divided by the golden ratio.
    let spread = (ends ^ u64::try_from(name.len()).unwrap_or(0)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    u16::try_from(spread >> 55).unwrap_or(0)
}
