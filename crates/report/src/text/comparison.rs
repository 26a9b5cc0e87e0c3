//! What is new against an earlier report.

use std::io;

use super::page::{CAREFUL, PLAIN, Page};
use super::wording::{counted, span};
use crate::compare::{Change, Comparison, MadeBy, State};
use crate::confidence;

/// Changes that are listed before the text says how many more there are.
const LISTED: usize = 20;

pub(crate) fn write(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    page.section("Against the earlier report")?;
    says(comparison).iter().try_for_each(|sentence| page.paragraph(2, sentence))?;
    let changes = &comparison.changes;
    for change in changes.iter().take(page.limit(LISTED)) {
        let kinds = change.kinds();
        let style = if kinds.contains(&"new") || kinds.contains(&"more") { CAREFUL } else { PLAIN };
        page.marked(style, "  - ", &format!("{}: {}", words(&kinds), change.signature))?;
        page.paragraph(4, &detail(change))?;
    }
    match changes.len().saturating_sub(page.limit(LISTED)) {
        0 => Ok(()),
        more => page.paragraph(2, &format!("{more} more (-v lists them)")),
    }
}

/// How the reports differ, in sentences.
pub(crate) fn says(comparison: &Comparison) -> Vec<String> {
    let Comparison { made_before, made_now, limits, before, now, new_incidents, unchanged, changes } = comparison;
    let groups = match (changes.len(), unchanged) {
        (0, 0) => String::new(),
        (0, unchanged) => format!(" No group differs ({unchanged} the same)."),
        (1, unchanged) => format!(" 1 group differs, {unchanged} the same."),
        (changed, unchanged) => format!(" {changed} groups differ, {unchanged} the same."),
    };
    let before = counted(*before, "incident");
    let mut says = vec![format!("{before} before, {now} now, {new_incidents} of them not known before.{groups}")];
    if limits.is_some() {
        says.push(format!(
            "Only incidents {limits}, and those whose time is not known, are compared: a report leaves out the others."
        ));
    }
    if made_before != made_now {
        let made = |by: &MadeBy| format!("crashsift {} with {}", by.tool, by.rule_sets.join(", "));
        let (before, now) = (made(made_before), made(made_now));
        says.push(format!(
            "What differs need not have happened: the earlier report is by {before}, the later one by {now}."
        ));
    }
    says
}

/// What happened, in words for people.
pub(crate) fn words(kinds: &[&str]) -> String {
    let word = |kind: &&str| match *kind {
        "other-incidents" => "as many, but others".to_owned(),
        "moved" => "known incidents in another group".to_owned(),
        kind => kind.replace('-', " "),
    };
    kinds.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// How the group was before, and how it is now.
pub(crate) fn detail(change: &Change) -> String {
    match (&change.before, &change.now) {
        (Some(before), Some(now)) => {
            let verdicts = if change.verdict_changed() {
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

fn verdict(state: &State) -> String {
    match &state.verdict {
        Some((cause, confidence)) => format!("{cause}: {}", confidence::phrase(*confidence)),
        None => "undetermined".to_owned(),
    }
}
