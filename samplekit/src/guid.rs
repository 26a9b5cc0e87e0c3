//! GUIDs.

use std::fmt;

use crate::bytes::stable_hash;

/// A GUID, in the bytes that Windows stores: the first three groups little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// The GUID whose text has these five groups.
    #[must_use]
    pub const fn new(a: u32, b: u16, c: u16, d: u16, e: u64) -> Self {
        let ([a0, a1, a2, a3], [b0, b1], [c0, c1]) = (a.to_le_bytes(), b.to_le_bytes(), c.to_le_bytes());
        let ([d0, d1], [_, _, e0, e1, e2, e3, e4, e5]) = (d.to_be_bytes(), e.to_be_bytes());
        Self([a0, a1, a2, a3, b0, b1, c0, c1, d0, d1, e0, e1, e2, e3, e4, e5])
    }

    /// A made-up GUID that is the same for equal seeds.
    #[must_use]
    pub fn made_up(seed: &str) -> Self {
        let low = stable_hash(seed.as_bytes());
        let high = stable_hash(&low.to_le_bytes());
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..].copy_from_slice(&high.to_le_bytes());
        // Version 4, variant 1, as random GUIDs have them (RFC 4122, section 4.4).
        bytes[7] = 0x40 | (bytes[7] & 0x0F);
        bytes[8] = 0x80 | (bytes[8] & 0x3F);
        Self(bytes)
    }
}

impl fmt::Display for Guid {
    /// Lower case, without braces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([a0, a1, a2, a3, b0, b1, c0, c1, d0, d1, rest @ ..]) = self;
        write!(f, "{a3:02x}{a2:02x}{a1:02x}{a0:02x}-{b1:02x}{b0:02x}-{c1:02x}{c0:02x}-{d0:02x}{d1:02x}-")?;
        rest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Guid;

    #[test]
    fn text_and_bytes_differ_in_the_first_three_groups() {
        let guid = Guid::new(0x331c_3b3a, 0x2005, 0x44c2, 0xac5e, 0x7722_0c37_d6b4);
        assert_eq!(guid.to_string(), "331c3b3a-2005-44c2-ac5e-77220c37d6b4");
        assert_eq!(guid.0[..6], [0x3a, 0x3b, 0x1c, 0x33, 0x05, 0x20]);
    }
}
