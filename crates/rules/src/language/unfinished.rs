//! The sentences that `rules new` writes into a draft for its author to replace; `rules check` finds those that are left
//! (R095).

/// In the place of why a crash happens.
pub const WHY: &str = "Why that is so has not been written yet.";
/// In the place of what to do.
pub const STEP: &str = "Not written yet.";
/// In the place of where it can be read.
pub const REFERENCE: &str = "no public report is named yet";
