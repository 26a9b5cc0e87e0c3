//! The answers to questions about facts. "Undecided" is a third one beside true and false (Kleene's three-valued logic):
//! facts may be absent.

use serde::Serialize;

/// The answer to a question about facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// It holds.
    #[serde(rename = "yes")]
    True,
    /// It does not hold.
    #[serde(rename = "no")]
    False,
    /// Facts that would decide it are absent.
    Undecided,
}

impl Truth {
    pub(crate) fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Undecided => Self::Undecided,
        }
    }

    /// All must hold. Stops at the first that does not.
    pub(crate) fn all(parts: impl Iterator<Item = Self>) -> Self {
        let mut answer = Self::True;
        for part in parts {
            match part {
                Self::False => return Self::False,
                Self::Undecided => answer = Self::Undecided,
                Self::True => {}
            }
        }
        answer
    }

    /// One must hold. Stops at the first that does.
    pub(crate) fn any(parts: impl Iterator<Item = Self>) -> Self {
        Self::all(parts.map(Self::not)).not()
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}
