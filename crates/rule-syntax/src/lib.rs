//! What of a rule both the build and the program read: its condition, what that needs, and mistakes in either.

pub mod condition;
pub mod mistakes;
pub mod needed;
pub mod prepared;
