//! The keys of rule files.

pub(crate) const RULE_KEYS: &[&str] = &[
    "id",
    "title",
    "cause",
    "confidence",
    "severity",
    "selections",
    "condition",
    "adjust",
    "requires",
    "supersedes",
    "explanation",
    "remediation",
    "collect",
    "references",
    "tests",
];
pub(crate) const OPTIONAL_RULE_KEYS: &[&str] = &["condition", "adjust", "requires", "supersedes", "collect"];

/// The keys of a rule file that hold overlays.
pub(crate) const OVERLAY_KEYS: [&str; 3] = ["override", "disable", "suppress"];
/// The keys of a rule that an override can replace. All others, such as selections and cause, define the rule and can't
/// be overridden.
pub const OVERRIDABLE: [&str; 7] =
    ["title", "confidence", "severity", "explanation", "remediation", "collect", "references"];
