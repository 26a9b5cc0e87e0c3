//! How sure it is that a module has to do with a crash: of a frame by the way it was found, of a name by who gave it.

use std::fmt;

use evidence::{Call, Frame, FrameTrust};

/// A scanned frame is taken for one of the stack where it is at least so likely; what is more likely left over from a call that has
/// ended is passed over.
pub const LIKELY: f32 = 0.5;

/// On what basis a module is a suspect, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// A debugger or a record names it.
    Named,
    /// A return address on the stack that is more likely stale than not, or of which nothing is known.
    Scanned,
    /// A return address on the stack that is more likely live than stale.
    Likely,
    /// The chain of frame pointers, which leaves out functions without one.
    FramePointer,
    /// The stack was unwound, or the values in registers and memory lead there.
    Unwound,
    /// The instruction pointer lies in it, or what was thrown is its.
    Exact,
}

impl Basis {
    /// How sure a frame is to be one of the stack.
    pub fn of(frame: &Frame) -> Self {
        match (frame.trust, frame.call, frame.probability) {
            (FrameTrust::Exact, ..) => Self::Exact,
            // A call through a pointer leads into another module, so that no frame is missing between.
            (FrameTrust::Unwound, ..) | (FrameTrust::FramePointer, Some(Call::ThroughPointer), _) => Self::Unwound,
            (FrameTrust::FramePointer, ..) => Self::FramePointer,
            (FrameTrust::Scanned, Some(Call::ThroughPointer), _) => Self::Likely,
            (FrameTrust::Scanned, _, Some(likely)) if likely < LIKELY => Self::Scanned,
            (FrameTrust::Scanned, ..) => Self::Likely,
        }
    }

    /// The word for it in reports: one of `facts::schema::SUSPECT_BASES`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Unwound => "unwound",
            Self::FramePointer | Self::Likely | Self::Scanned => "scanned",
            Self::Named => "named",
        }
    }
}

impl Basis {
    /// What it means, for people.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Exact => "it happened in it",
            Self::Unwound => "by the calls and values that lead there",
            Self::FramePointer | Self::Likely => "found on the stack",
            Self::Scanned => "found on the stack, where it may be left from an earlier call",
            Self::Named => "the evidence names it",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl serde::Serialize for Basis {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}
