//! Words and bounds of the rule language, for what describes the language to editors.

pub use super::compare::{Modifier, Order, Place};
pub use super::overlay::OVERRIDABLE;
pub use super::sequence::{STEPS, order_of};
