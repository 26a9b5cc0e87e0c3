//! The part about how the report differs from an earlier one.

use std::borrow::Cow;
use std::io;

use super::page::{CAREFUL, PLAIN, Page};
use crate::confidence;
use crate::model::{Comparison, GroupChange, GroupState};
use crate::wording::{counted, name, span};

/// How many changes are listed.
const LISTED: usize = 20;

pub(crate) fn write(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    page.section("Against the earlier report")?;
    sentences(comparison).iter().try_for_each(|sentence| page.paragraph(2, sentence))?;
    let changes = &comparison.changes;
    for change in changes.iter().take(page.limit(LISTED)) {
        let style = if change.is("new") || change.is("more") { CAREFUL } else { PLAIN };
        page.marked(style, "  - ", &format!("{}: {}", words(&change.change), change.signature))?;
        page.paragraph(4, &detail(change))?;
    }
    page.more_to_list(changes.len(), page.limit(LISTED))
}

/// How the reports differ, in sentences.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    let Comparison { limits, incidents_before, incidents_now: now, new_incidents, changes, .. } = comparison;
    let groups = match (changes.len(), comparison.unchanged_groups) {
        (0, 0) => String::new(),
        (0, unchanged) => format!(" No group differs ({unchanged} the same)."),
        (1, unchanged) => format!(" 1 group differs, {unchanged} the same."),
        (changed, unchanged) => format!(" {changed} groups differ, {unchanged} the same."),
    };
    let before = counted(*incidents_before, "incident");
    let mut sentences = vec![format!("{before} before, {now} now, {new_incidents} of them not known before.{groups}")];
    if limits.is_some() {
        sentences.push(format!(
            "Only incidents {limits}, and those whose time is not known, are compared: a report leaves out the others."
        ));
    }
    let made = |tool: &str, rule_sets: &[String]| format!("crashsift {tool} with {}", rule_sets.join(", "));
    let before = made(&comparison.tool_before, &comparison.rulesets_before);
    let now = made(&comparison.tool_now, &comparison.rulesets_now);
    if before != now {
        sentences.push(format!(
            "What differs need not have happened: the earlier report is by {before}, the later one by {now}."
        ));
    }
    sentences
}

/// What happened to a group, in words for people.
pub(crate) fn words(kinds: &[Cow<'static, str>]) -> String {
    let word = |kind: &Cow<'static, str>| match &**kind {
        "other-incidents" => "as many, but others".to_owned(),
        "moved" => "known incidents in another group".to_owned(),
        kind => kind.replace('-', " "),
    };
    kinds.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// The group before and now.
pub(crate) fn detail(change: &GroupChange) -> String {
    let detail = of_states(change);
    match &change.party {
        Some(party) => format!("customer {}: {detail}", name(party)),
        None => detail,
    }
}

fn of_states(change: &GroupChange) -> String {
    match (&change.before, &change.now) {
        (Some(before), Some(now)) => {
            let verdicts = if change.is("verdict-changed") {
                format!("{} before, {} now", verdict(before), verdict(now))
            } else {
                verdict(now)
            };
            format!("{} before, {} now; {verdicts}", counted(before.incidents, "incident"), now.incidents)
        }
        (None, Some(state)) | (Some(state), None) => {
            let mut parts = vec![counted(state.incidents, "incident")];
            if state.hosts > 1 {
                parts.push(format!("{} computers", state.hosts));
            }
            parts.push(span(state.first, state.last));
            parts.push(verdict(state));
            parts.join(", ")
        }
        (None, None) => String::new(),
    }
}

fn verdict(state: &GroupState) -> String {
    match state.cause.as_ref().zip(state.confidence.as_ref()) {
        Some((cause, confidence)) => format!("{cause}: {}", confidence::phrase(*confidence, state.symptom)),
        None => "undetermined".to_owned(),
    }
}
