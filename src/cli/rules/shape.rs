//! Rules as JSON, for `rules list` and `rules show`. `docs/rules.md` describes every key.

use std::collections::BTreeSet;

use serde::Serialize;

use report::confidence::rounded;
use report::model::Made;
use rules::{Change, Effect, Rule, RuleSet, SuppressedBy};
use sigma::RuleEntry;

/// The document.
#[derive(Serialize)]
pub(super) struct ShapedRules<'a, T> {
    #[serde(flatten)]
    made: Made,
    rules: Vec<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigma: Option<Vec<ShapedSigma<'a>>>,
}

impl<'a, T> ShapedRules<'a, T> {
    /// A document of these rules, and of Sigma rules where the command line names any.
    pub(super) fn with(rules: Vec<T>, sigma: Option<Vec<ShapedSigma<'a>>>) -> Self {
        Self { made: Made::NOW, rules, sigma }
    }
}

/// A Sigma rule.
#[derive(Serialize)]
pub(super) struct ShapedSigma<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
    file: &'a str,
    line: u32,
    loaded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl<'a> ShapedSigma<'a> {
    pub(super) fn of(listed: &'a RuleEntry<'a>) -> Self {
        let RuleEntry { id, title, level, file, line, not_loaded, .. } = listed;
        Self {
            id: *id,
            title: *title,
            level: *level,
            file,
            line: *line,
            loaded: not_loaded.is_none(),
            reason: not_loaded.as_deref(),
        }
    }
}

/// A rule, as it is listed.
#[derive(Serialize)]
pub(super) struct ShapedRule<'a> {
    id: &'a str,
    title: &'a str,
    cause: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    confidence: f64,
    severity: &'static str,
    ruleset: &'a str,
    file: &'a str,
    line: u32,
    facts: BTreeSet<&'static str>,
    tests: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overridden: Vec<ShapedChange<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<ShapedChange<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<PartialSuppression<'a>>,
}

/// A rule in full.
#[derive(Serialize)]
pub(super) struct WholeRule<'a> {
    #[serde(flatten)]
    rule: ShapedRule<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requires: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<&'a str>,
    logic: String,
    adjust: Vec<ShapedAdjustment<'a>>,
    explanation: &'a str,
    remediation: Vec<ShapedRemediation<'a>>,
    collect: Vec<String>,
    references: &'a [String],
}

#[derive(Serialize)]
struct ShapedAdjustment<'a> {
    when: &'a str,
    #[serde(flatten)]
    effect: ShapedEffect,
    say: &'a str,
}

/// The effect of an adjustment: a step, or an upper limit.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum ShapedEffect {
    By(f64),
    Most(f64),
}

impl From<Effect> for ShapedEffect {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::By(by) => Self::By(by),
            Effect::Most(most) => Self::Most(most),
        }
    }
}

#[derive(Serialize)]
struct ShapedRemediation<'a> {
    audience: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct ShapedChange<'a> {
    by: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    keys: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
pub(in crate::cli) struct ShapedSuppression<'a> {
    by: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

/// A suppression that may hold only under a condition or on some computers.
#[derive(Serialize)]
struct PartialSuppression<'a> {
    #[serde(flatten)]
    suppression: ShapedSuppression<'a>,
    everywhere: bool,
}

impl<'a> ShapedRule<'a> {
    /// A rule of a loaded set.
    pub(super) fn of(rules: &'a RuleSet, rule: &'a Rule) -> Self {
        let suppressed = rules.suppressions_of(rule.id());
        Self {
            id: rule.id(),
            title: rule.title(),
            cause: rule.cause(),
            family: rules.causes().get(rule.cause()).map(|cause| cause.family.as_str()),
            confidence: rounded(rule.confidence()),
            severity: rule.severity().word(),
            ruleset: rules.set_of(rule).map_or("", |set| set.name.as_str()),
            file: rule.file(),
            line: rule.line(),
            facts: rule.facts_asked(),
            tests: rule.test_count(),
            overridden: rule.overrides().iter().map(ShapedChange::of).collect(),
            disabled: rule.disabled().map(ShapedChange::of),
            suppressed: suppressed
                .map(|(by, limited)| PartialSuppression { suppression: by.into(), everywhere: !limited })
                .collect(),
        }
    }
}

impl<'a> WholeRule<'a> {
    /// A rule of a loaded set.
    pub(super) fn of(rules: &'a RuleSet, rule: &'a Rule) -> Self {
        let adjustments = rule.adjustments().into_iter();
        let remediation = rule.remediation();
        Self {
            rule: ShapedRule::of(rules, rule),
            requires: rule.requires().collect(),
            supersedes: rule.supersedes().collect(),
            logic: rule.logic_written(),
            adjust: adjustments
                .map(|(effect, when, say)| ShapedAdjustment { when, effect: effect.into(), say })
                .collect(),
            explanation: rule.explanation(),
            remediation: remediation
                .map(|(audience, text)| ShapedRemediation { audience: audience.word(), text })
                .collect(),
            collect: rule.collect(),
            references: rule.references(),
        }
    }
}

impl<'a> ShapedChange<'a> {
    fn of(change: &'a Change) -> Self {
        let Change { by, file, line, keys, reason } = change;
        Self { by, keys, reason: reason.as_deref(), file, line: *line }
    }
}

impl<'a> From<&'a SuppressedBy> for ShapedSuppression<'a> {
    fn from(SuppressedBy { by, reason, until }: &'a SuppressedBy) -> Self {
        Self { by, reason, until: until.map(|until| until.to_string()) }
    }
}
