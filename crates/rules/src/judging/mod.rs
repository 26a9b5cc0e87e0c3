//! Judging incidents: the findings of all rules, and traces of how a rule came to its answer.

mod asking;
mod confidence;
mod finding;
mod judge;
mod question;
mod supersede;
pub(crate) mod trace;
mod weigh;

pub use asking::Wanted;
pub use confidence::{rounded, write_rounded};
pub use finding::{Finding, Judgement, Skipped, Suppressed};
pub use question::Question;
pub use trace::{AdjustmentTrace, ConfidenceTrace, Missing, SelectionTrace, TermTrace, Trace};
pub(crate) use weigh::{LessSure, Scale, weigh};
