//! Overlays: what a rule set changes in the rules of sets that are loaded before it.
//!
//! Rules of others are not copied to be changed. An overlay names them, says what is different and why, and everything
//! else stays as it is and goes on being updated with the set that it belongs to.

mod apply;
mod suppression;

pub(super) use apply::{Target, apply};
pub(crate) use suppression::Suppressions;
pub use suppression::{Occasion, Ruling, SuppressedBy};
