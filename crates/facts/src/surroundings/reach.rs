//! How far from an incident the entries of a timeline are that rules see.

use jiff::SignedDuration;

/// How far before an incident the timeline that rules see begins.
pub(super) const TIMELINE_BEFORE: SignedDuration = SignedDuration::from_hours(24);
/// How far before an incident it begins for installations and blocked files, whose effects may show days later.
const CHANGES_BEFORE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The kinds of timeline entries about blocked files.
const BLOCKS: &[&str] = &["security-block", "image-refused"];

/// How far the timeline goes on after an incident: records about a blue screen are written at the next start.
pub const TIMELINE_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// The kinds of timeline entries about installations.
pub(super) const INSTALLS: &[&str] = &["driver-install", "update", "software-install"];

/// How long before an incident an entry of this kind may be.
pub(super) fn reach(kind: &str) -> SignedDuration {
    if INSTALLS.contains(&kind) || BLOCKS.contains(&kind) { CHANGES_BEFORE } else { TIMELINE_BEFORE }
}

/// How many seconds before an incident an entry of this kind may be, or of whatever kind.
#[must_use]
pub fn reach_seconds(kind: Option<&str>) -> u64 {
    kind.map_or(CHANGES_BEFORE, reach).as_secs().unsigned_abs()
}
