//! Warnings about suppressions that ended.
//!
//! A suppression ended if its last day is before an incident's time. The day of the run does not count, so that equal
//! evidence gives equal notes on every day; `rules check` compares with the day.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::Offset;

use report::{Report, counted_as};
use rules::{RuleSet, SuppressedBy};
use untrusted::sanitise;

/// The most suppressions that one note names.
const NAMED: usize = 3;

/// The warnings about suppressions that ended: whose findings are shown again, or which suppress nothing in this report.
pub fn ended(report: &Report, rules: &RuleSet) -> Vec<String> {
    let shown_again = shown_again(report);
    let without_effect = without_effect(report, rules, &shown_again);
    let note = |(Ended { by, rule, until }, count): (&Ended<'_>, &usize)| {
        let findings = counted_as(*count, "later finding is", "later findings are");
        format!("warning: {by} suppresses {rule} until {until}; {findings} shown again")
    };
    shown_again.iter().map(note).chain(without_effect).map(|note| sanitise(&note).into_owned()).collect()
}

/// A suppression with a last day.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ended<'a> {
    by: &'a str,
    rule: &'a str,
    until: Date,
}

impl<'a> Ended<'a> {
    fn of(rule: &'a str, suppressed: &'a SuppressedBy) -> Option<Self> {
        Some(Self { by: &suppressed.by, rule, until: suppressed.until? })
    }
}

/// The suppressions whose findings are shown again, with the number of findings.
fn shown_again(report: &Report) -> BTreeMap<Ended<'_>, usize> {
    let mut counts: BTreeMap<Ended<'_>, usize> = BTreeMap::new();
    for finding in report.incidents.iter().flat_map(|judged| &judged.findings) {
        if let Some(ended) = finding.suppression_ended.as_ref().and_then(|by| Ended::of(&finding.rule, by)) {
            let count = counts.entry(ended).or_default();
            *count = count.saturating_add(1);
        }
    }
    counts
}

/// One note about the suppressions that ended before the last incident and that suppress nothing in the report.
fn without_effect(report: &Report, rules: &RuleSet, shown_again: &BTreeMap<Ended<'_>, usize>) -> Option<String> {
    let last = report.incidents.iter().filter_map(|judged| judged.incident.time).max()?;
    let last = Offset::UTC.to_datetime(last).date();
    let used = |ended: &Ended<'_>| {
        let mut suppressed = report.incidents.iter().flat_map(|judged| &judged.suppressed);
        shown_again.contains_key(ended)
            || suppressed.any(|one| Ended::of(&one.rule, &one.by).is_some_and(|used| used == *ended))
    };
    let judges = |rule: &str| rules.rule(rule).is_some_and(|rule| rule.disabled().is_none());
    let mut all: Vec<Ended<'_>> = rules
        .suppressions()
        .filter_map(|(rule, by)| Ended::of(rule, by))
        .filter(|ended| ended.until < last && judges(ended.rule) && !used(ended))
        .collect();
    all.sort();
    all.dedup();
    let named: Vec<String> =
        all.iter().take(NAMED).map(|Ended { by, rule, until }| format!("{rule} until {until} ({by})")).collect();
    let more = match all.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    let (what, nothing) = match all.len() {
        0 => return None,
        1 => ("a suppression", "suppresses nothing here"),
        _ => ("suppressions", "suppress nothing here"),
    };
    let ended = format!("ended before the last incident ({last}) and {nothing}");
    Some(format!("warning: {what} {ended}: {}{more}; `crashsift rules check PATH` shows where", named.join(", ")))
}
