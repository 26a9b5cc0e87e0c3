//! The parts of rules that both the build and the program read: conditions, the facts that they need, and mistakes.

pub mod condition;
pub mod hints;
pub mod mistakes;
pub mod needed;
pub mod prepared;
