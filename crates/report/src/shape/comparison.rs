//! A report against an earlier one.

use jiff::Timestamp;
use serde::Serialize;

use super::{SCHEMA_VERSION, Shown, TOOL, Tool};
use crate::compare;
use crate::confidence;

/// A comparison with what ran, as `crashsift compare` writes it.
#[derive(Serialize)]
pub struct Compared<'a> {
    schema_version: &'static str,
    tool: Tool,
    comparison: Comparison<'a>,
}

impl<'a> Compared<'a> {
    pub(crate) fn of(comparison: &'a compare::Comparison) -> Self {
        Self { schema_version: SCHEMA_VERSION, tool: TOOL, comparison: Comparison::of(comparison) }
    }
}

#[derive(Serialize)]
pub struct Comparison<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Shown<Timestamp>>,
    incidents_before: usize,
    incidents_now: usize,
    new_incidents: usize,
    unchanged_groups: usize,
    tool_before: &'a str,
    tool_now: &'a str,
    rulesets_before: &'a [String],
    rulesets_now: &'a [String],
    changes: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    signature: &'a str,
    change: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<ComparedGroup<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<ComparedGroup<'a>>,
    new_incidents: &'a [String],
    gone_incidents: usize,
}

#[derive(Serialize)]
struct ComparedGroup<'a> {
    incidents: usize,
    hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn of(comparison: &'a compare::Comparison) -> Self {
        let changes = comparison.changes.iter().map(|change| Change {
            signature: &change.signature,
            change: change.kinds(),
            before: change.before.as_ref().map(ComparedGroup::of),
            now: change.now.as_ref().map(ComparedGroup::of),
            new_incidents: &change.new_incidents,
            gone_incidents: change.gone_incidents,
        });
        Self {
            since: comparison.limits.since.map(Shown),
            until: comparison.limits.until.map(Shown),
            incidents_before: comparison.before,
            incidents_now: comparison.now,
            new_incidents: comparison.new_incidents,
            unchanged_groups: comparison.unchanged,
            tool_before: &comparison.made_before.tool,
            tool_now: &comparison.made_now.tool,
            rulesets_before: &comparison.made_before.rule_sets,
            rulesets_now: &comparison.made_now.rule_sets,
            changes: changes.collect(),
        }
    }
}

impl<'a> ComparedGroup<'a> {
    fn of(state: &'a compare::State) -> Self {
        Self {
            incidents: state.incidents,
            hosts: state.hosts,
            first: state.first.map(Shown),
            last: state.last.map(Shown),
            cause: state.verdict.as_ref().map(|(cause, _)| cause.as_str()),
            confidence: state.verdict.as_ref().map(|(_, confidence)| confidence::rounded(*confidence)),
        }
    }
}
