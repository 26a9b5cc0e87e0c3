//! Judging incidents by rules.

mod finding;

pub use finding::{Audience, Finding, Judgement, Remediation, Severity, Skipped};
