//! Words and bounds of the rule language, for what describes the language to editors.

pub use super::modifier::{Modifier, Order, PartPosition};
pub use super::overlay::OVERRIDABLE;
pub use super::sequence::{STEPS, order_of};
