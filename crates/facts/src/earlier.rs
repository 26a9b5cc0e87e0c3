//! How much of a machine's earlier incidents rules see.

use jiff::SignedDuration;

/// How far back rules see other incidents of the machine.
pub const REACH_BEFORE: SignedDuration = SignedDuration::from_hours(24);
/// How many of one kind they see of them, the last ones: each incident has them, and a machine can crash all day.
pub const MOST_BEFORE: usize = 16;
