//! Rules as JSON, for `rules list` and `rules show`. `docs/rules.md` describes every key.

use std::borrow::Cow;
use std::collections::BTreeSet;

use minijinja::context;
use minijinja::value::Value;
use serde::Serialize;
use serde_with::skip_serializing_none;

use report::confidence::rounded;
use report::model::Made;
use rules::{Change, Effect, Remediation, Rule, RuleSet, Severity, SuppressedBy};
use sigma::RuleEntry;

/// The document.
#[skip_serializing_none]
#[derive(Serialize)]
pub(super) struct ShapedRules<'a, T> {
    #[serde(flatten)]
    made: Made,
    rules: Vec<T>,
    sigma: Option<Vec<&'a RuleEntry<'a>>>,
}

impl<'a, T> ShapedRules<'a, T> {
    /// A document of these rules, and of Sigma rules where the command line names any.
    pub(super) fn with(rules: Vec<T>, sigma: Option<Vec<&'a RuleEntry<'a>>>) -> Self {
        Self { made: Made::NOW, rules, sigma }
    }
}

/// A rule, as it is listed.
#[skip_serializing_none]
#[derive(Serialize)]
pub(super) struct ShapedRule<'a> {
    id: &'a str,
    title: Cow<'a, str>,
    cause: &'a str,
    family: Option<&'a str>,
    confidence: f64,
    severity: Severity,
    ruleset: &'a str,
    file: &'a str,
    line: u32,
    facts: BTreeSet<&'static str>,
    tests: usize,
    #[serde(skip_serializing_if = "<[Change]>::is_empty")]
    overridden: &'a [Change],
    disabled: Option<&'a Change>,
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
    remediation: Vec<&'a Remediation>,
    collect: Vec<String>,
    references: &'a [String],
}

#[derive(Serialize)]
struct ShapedAdjustment<'a> {
    when: &'a str,
    #[serde(flatten)]
    effect: Effect,
    say: &'a str,
}

/// A suppression that may hold only under a condition or on some computers.
#[derive(Serialize)]
struct PartialSuppression<'a> {
    #[serde(flatten)]
    suppression: &'a SuppressedBy,
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
            severity: rule.severity(),
            ruleset: rules.set_of(rule).map_or("", |set| set.name.as_str()),
            file: rule.file(),
            line: rule.line(),
            facts: rule.facts_asked(),
            tests: rule.test_count(),
            overridden: rule.overrides(),
            disabled: rule.disabled(),
            suppressed: suppressed
                .map(|(suppression, limited)| PartialSuppression { suppression, everywhere: !limited })
                .collect(),
        }
    }
}

impl<'a> WholeRule<'a> {
    /// A rule of a loaded set.
    pub(super) fn of(rules: &'a RuleSet, rule: &'a Rule) -> Self {
        let adjustments = rule.adjustments().into_iter();
        Self {
            rule: ShapedRule::of(rules, rule),
            requires: rule.requires().collect(),
            supersedes: rule.supersedes().collect(),
            logic: rule.logic_written(),
            adjust: adjustments.map(|(effect, when, say)| ShapedAdjustment { when, effect, say }).collect(),
            explanation: rule.explanation(),
            remediation: rule.remediation().collect(),
            collect: rule.collect(),
            references: rule.references(),
        }
    }
}

/// The parts of a rule that several templates print.
pub(super) fn printed(rule: &Rule) -> Value {
    let adjustments = rule.adjustments().into_iter().map(|(by, when, say)| (by.to_string(), when, say));
    context! {
        id => rule.id(),
        title => rule.title(),
        cause => rule.cause(),
        confidence => format!("{:.2}", rule.confidence()),
        severity => rule.severity().word(),
        logic => rule.logic_written(),
        adjustments => adjustments.collect::<Value>(),
        requires => rule.requires().collect::<Value>(),
        supersedes => rule.supersedes().collect::<Value>(),
        collect => rule.collect().into_iter().collect::<Value>(),
        references => rule.references().iter().collect::<Value>(),
    }
}
