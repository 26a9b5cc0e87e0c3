//! What a draft says where only its author can say more: `rules new` writes it, and `rules check` finds it when it is
//! left.

/// In the place of why a crash happens.
pub const WHY: &str = "Why that is so has not been written yet.";
/// In the place of what to do.
pub const STEP: &str = "Not written yet.";
/// In the place of where it can be read.
pub const REFERENCE: &str = "no public report is named yet";
