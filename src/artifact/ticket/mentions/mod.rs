//! What a text only mentions: what somebody denies or advises, and messages that are only quoted. The words that show it
//! are data.

mod cues;
mod quotations;
mod sentence;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::cues::{Cue, has_cue};
use self::quotations::{quoted_lines, without_quoted};
use self::sentence::{doubt, recovered};
use self::source::source;
use super::fences::{in_code, unquoted};
use super::listings::listings;
use super::patterns::borders;
use crate::evidence::TicketLine;

/// An error that the program survived stands at most so many lines before the words that say so.
const MOST_SURVIVED: usize = 20;

/// What is left of each line that quotes a message without a word that it appeared, by its position.
pub(super) fn unreported(lines: &[TicketLine]) -> BTreeMap<usize, Arc<str>> {
    let in_code = in_code(lines);
    let outside = lines.iter().zip(in_code).enumerate().filter(|(_, (_, in_code))| !in_code);
    let mut unreported: BTreeMap<usize, Arc<str>> = outside
        .filter_map(|(position, (line, _))| Some((position, Arc::from(without_quoted(unquoted(&line.text))?))))
        .collect();
    for (position, line) in lines.iter().enumerate() {
        if has_cue(&line.text, Cue::Survived) {
            let before = position.saturating_sub(MOST_SURVIVED)..position;
            let same_run = before.rev().take_while(|at| {
                lines.get(at.saturating_add(1)).is_some_and(|next| borders(&next.text).next().is_none())
            });
            unreported.extend(same_run.map(|at| (at, Arc::from(""))));
        }
    }
    unreported
}

/// What is certain of each line that is in doubt, by its position.
pub(super) fn doubted(lines: &[TicketLine]) -> BTreeMap<usize, Arc<str>> {
    let mut doubted = BTreeMap::new();
    let in_code = in_code(lines);
    // Whether the line before denies what comes, and whether the code block does that began behind it.
    let (mut denied, mut denied_code) = (false, false);
    // As many lines as are left of an announced quotation.
    let mut quoted = 0_usize;
    for (position, line) in lines.iter().enumerate() {
        if let Some(left) = quoted.checked_sub(1) {
            quoted = left;
            doubted.insert(position, Arc::from(""));
            continue;
        }
        let code = in_code.get(position).copied().unwrap_or(false);
        denied_code = code && (denied || denied_code);
        if let Some(behind) = recovered(&line.text) {
            doubted.insert(position, Arc::from(behind.trim()));
            denied = false;
            continue;
        }
        if code || denied {
            if denied || denied_code {
                doubted.insert(position, Arc::from(""));
            }
            if denied && !code {
                quoted = lines.get(position..).and_then(quoted_lines).unwrap_or(0);
            }
            denied = false;
        } else if let Some(doubt) = doubt(unquoted(&line.text)) {
            denied = doubt.announces;
            let before = position.checked_sub(1);
            if let Some(before) = before.filter(|before| doubt.retracts && in_code.get(*before) == Some(&false)) {
                doubted.insert(before, Arc::from(""));
            }
            doubted.insert(position, Arc::from(doubt.certain));
        }
    }
    doubted.extend(source(lines).into_iter().map(|position| (position, Arc::from(""))));
    for listing in listings(lines) {
        doubted.extend(listing.map(|position| (position, Arc::from(""))));
    }
    doubted
}

#[cfg(test)]
mod tests;
