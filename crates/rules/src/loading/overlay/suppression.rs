//! Suppressions: findings that are left out of reports, for a while, on some computers, or under a condition.
//!
//! A suppression ends by the time of the incident and not by the day of the run: what happened while it held stays
//! suppressed, what happened later does not, and the same evidence gives the same report on every day.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

use crate::evaluating::View;
use crate::language::{Selection, Truth};
use spanned_yaml::{Span, YamlText};
use untrusted::glob::Glob;

/// Where and when an incident happened, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Occasion<'a> {
    /// The computer.
    pub host: Option<&'a str>,
    /// When.
    pub time: Option<Timestamp>,
}

/// The rule set that suppresses a finding, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuppressedBy {
    /// The name of the rule set with the suppression.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The last day, in UTC, whose incidents it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
}

impl SuppressedBy {
    /// By whom, for how long and why, in words that follow "suppressed".
    #[must_use]
    pub fn description(&self) -> String {
        let until = self.until.map_or_else(String::new, |until| format!(" until {until}"));
        format!("by {}{until}: {}", self.by, self.reason)
    }
}

/// What suppressions do to a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// Nothing: no suppression applies.
    Shown,
    /// It is shown, because its suppression ended before the incident.
    ShownAgain(SuppressedBy),
    /// It is left out.
    Suppressed(SuppressedBy),
}

/// One suppression.
#[derive(Debug)]
pub(crate) struct Suppression {
    pub by: SuppressedBy,
    /// Where its last day is written, if it has one.
    pub until: Option<(Arc<YamlText>, Span)>,
    /// Names of computers, folded; none means all.
    pub hosts: Vec<Glob>,
    /// What the incident's facts must be.
    pub when: Option<Selection>,
}

impl Suppression {
    /// Whether it applies to an incident, whenever that happened.
    fn concerns(&self, view: &View<'_>, occasion: Occasion<'_>) -> bool {
        let here = self.hosts.is_empty() || occasion.host.is_some_and(|host| self.names(host));
        here && self.when.as_ref().is_none_or(|when| when.truth(view) == Truth::True)
    }

    /// Whether it applies to some of the rule's findings only.
    pub fn is_limited(&self) -> bool {
        !self.hosts.is_empty() || self.when.is_some()
    }

    /// Whether it names a computer, with or without its domain.
    fn names(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        let plain = host.split('.').next().unwrap_or_default();
        self.hosts.iter().any(|named| named.fits(&host) || named.fits(plain))
    }
}

/// All suppressions, by the id of the rule, in the order of the sets and files.
#[derive(Debug, Default)]
pub(crate) struct Suppressions {
    by_rule: BTreeMap<String, Vec<Suppression>>,
}

impl Suppressions {
    /// Adds a suppression of a rule's findings.
    pub fn add(&mut self, rule: String, suppression: Suppression) {
        self.by_rule.entry(rule).or_default().push(suppression);
    }

    /// All of them, each with the id of the rule.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Suppression)> {
        self.by_rule.iter().flat_map(|(rule, all)| all.iter().map(|one| (rule.as_str(), one)))
    }

    /// The suppressions of a rule's findings.
    pub fn of_rule(&self, rule: &str) -> impl Iterator<Item = &Suppression> {
        self.by_rule.get(rule).into_iter().flatten()
    }

    /// Whether a rule's finding is shown or suppressed.
    pub fn ruling(&self, rule: &str, view: &View<'_>, occasion: Occasion<'_>) -> Ruling {
        let day = occasion.time.map(|time| Offset::UTC.to_datetime(time).date());
        let mut ruling = Ruling::Shown;
        for suppression in self.of_rule(rule).filter(|suppression| suppression.concerns(view, occasion)) {
            match (suppression.by.until, day) {
                (None, _) => return Ruling::Suppressed(suppression.by.clone()),
                (Some(until), Some(day)) if day <= until => return Ruling::Suppressed(suppression.by.clone()),
                (Some(_), Some(_)) => ruling = Ruling::ShownAgain(suppression.by.clone()),
                // Nobody knows whether it was later.
                (Some(_), None) => {}
            }
        }
        ruling
    }
}
