//! Checks what somebody, or some model, claims about a crash against the artifacts: quotes, modules, offsets, versions, codes,
//! times, programs, computers and causes.
//!
//! [`read`] reads the claims, [`check`] says of each whether the artifacts have it ([`Outcome::Found`]), have something else in
//! its place ([`Outcome::Contradicted`]), or do not decide it ([`Outcome::NotThere`]). Nothing is guessed: what is not read from
//! an artifact is never found.

mod check;
mod claim;
mod modules;
mod quotes;

pub use check::{Checked, Outcome, Place, Ran, check};
pub use claim::{Claim, Claims, Role, UnreadableClaims, read};
