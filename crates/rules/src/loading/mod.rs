//! Loaded rules: those of all sets, changed by the overlays of later ones.

mod overlay;
mod rule;
mod rule_set;
mod set_info;
mod supersede;

pub(crate) use overlay::Suppressions;
pub use overlay::{Occasion, Ruling, SuppressedBy};
pub use rule::{Change, Example, Rule};
pub use rule_set::RuleSet;
pub use set_info::RuleSetInfo;
