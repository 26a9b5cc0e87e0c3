//! File versions, compared part by part as numbers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A Windows file version: four numbers of 16 bits, most significant first (`10.0.19041.789`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Version(pub [u16; 4]);

impl Version {
    /// The version in the two 32-bit halves of `VS_FIXEDFILEINFO`; `None` when both are zero, which is how a file
    /// without version is written.
    #[must_use]
    pub fn from_halves(high: u32, low: u32) -> Option<Self> {
        let part = |half: u32, shift: u32| ((half >> shift) & 0xFFFF) as u16;
        let version = Self([part(high, 16), part(high, 0), part(low, 16), part(low, 0)]);
        (version != Self([0; 4])).then_some(version)
    }

    /// The version in a text that Windows wrote; `None` for its ways of saying "none" (`0.0.0.0`, empty, `unknown`).
    #[must_use]
    pub fn from_event_text(text: &str) -> Option<Self> {
        text.trim().parse().ok().filter(|version| *version != Self([0; 4]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.0;
        write!(f, "{a}.{b}.{c}.{d}")
    }
}

/// The text is not one to four numbers of at most 16 bits, separated by dots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a version is one to four numbers from 0 to 65535 with dots between them, such as 14.40.33810.0")]
pub struct NotAVersion;

impl FromStr for Version {
    type Err = NotAVersion;

    /// Parts that are not written count as zero: `14.40` is `14.40.0.0`.
    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let mut parts = [0_u16; 4];
        let mut slots = parts.iter_mut();
        for part in text.split('.') {
            let slot = slots.next().ok_or(NotAVersion)?;
            *slot = part.parse().map_err(|_| NotAVersion)?;
        }
        Ok(Self(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_compare_as_numbers_not_as_text() {
        let old: Version = "14.9".parse().expect("a version");
        let new: Version = "14.40".parse().expect("a version");
        assert!(old < new);
        assert_eq!("14.40".parse::<Version>(), "14.40.0.0".parse());
    }

    #[test]
    fn what_is_not_a_version_is_refused() {
        for text in ["", "14.", "1.2.3.4.5", "70000", "14.40-rc", "a"] {
            assert_eq!(text.parse::<Version>(), Err(NotAVersion), "{text:?}");
        }
    }

    #[test]
    fn zero_is_absent_in_events_and_resources() {
        assert_eq!(Version::from_event_text("0.0.0.0"), None);
        assert_eq!(Version::from_halves(0, 0), None);
        assert_eq!(Version::from_halves(0x000A_0000, 0x4A61_0315), Some(Version([10, 0, 19041, 789])));
    }
}
