//! What a text only mentions: what somebody denies or advises, messages that are only quoted, and what is over or somebody
//! else's. The words that show it are data.

mod cues;
mod failures;
mod histories;
mod mails;
mod quotations;
mod retractions;
mod sentence;
mod source;
mod survivals;
mod turns;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use self::cues::{Cue, has_cue};
use self::histories::past_rows;
use self::quotations::{quoted_lines, without_quoted};
use self::retractions::retracted;
use self::sentence::{doubt, recovered};
use self::source::source;
use self::survivals::survived;
use self::turns::{Spot, inside, told_before};
use super::fences::{in_code, unquoted};
use super::listings::listings;
use super::patterns::borders;
use super::read_alone;
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
            // A list is announced as a whole.
            let next = lines.get(position.saturating_add(1));
            let goes_on = next.is_some_and(|next| is_listed(&line.text) && is_listed(&next.text));
            denied = denied && !code && quoted == 0 && goes_on;
        } else if let Some(doubt) = doubt(unquoted(&line.text)) {
            denied = doubt.announces;
            let before = position.checked_sub(1);
            if let Some(before) = before.filter(|before| doubt.retracts && in_code.get(*before) == Some(&false)) {
                doubted.insert(before, Arc::from(""));
            }
            doubted.insert(position, Arc::from(doubt.certain));
        }
    }
    let whole = source(lines).into_iter().chain(survived(lines)).chain(past_rows(lines, &in_code));
    let parts = listings(lines).into_iter().chain(retracted(lines, &in_code)).flatten();
    doubted.extend(whole.chain(parts).map(|position| (position, Arc::from(""))));
    for part in told_before(lines, &in_code) {
        put_in_doubt(lines, &part, &mut doubted);
    }
    doubted
}

/// Whether a line is one of a list, or stands further right than others.
fn is_listed(line: &str) -> bool {
    let item = line.trim_start();
    let number = item.trim_start_matches(|digit: char| digit.is_ascii_digit());
    line.starts_with("  ")
        || line.starts_with('\t')
        || item.starts_with(['-', '*', '•', '–', '"', '“', '„', '«'])
        || (number.len() < item.len() && number.starts_with(['.', ')']))
}

/// Leaves of the lines in a part of the text what stands outside of it. What they say of the machine and of what is
/// installed stays.
fn put_in_doubt(lines: &[TicketLine], part: &Range<Spot>, doubted: &mut BTreeMap<usize, Arc<str>>) {
    for position in part.start.0..=part.end.0 {
        let Some(line) = lines.get(position) else { return };
        let text = unquoted(&line.text);
        let Some(over) = inside(text, position, part).filter(|over| !over.trim().is_empty()) else { continue };
        let said = read_alone(over, line.number);
        if said.code.get().is_none() && !said.inventory.is_empty() {
            continue;
        }
        let from = if position == part.start.0 { part.start.1 } else { 0 };
        let before = text.get(..from).unwrap_or_default();
        let behind = text.get(from.saturating_add(over.len())..).unwrap_or_default();
        let certain = [before, behind].concat().trim().to_owned();
        if doubted.get(&position).is_none_or(|known| known.len() > certain.len()) {
            doubted.insert(position, certain.into());
        }
    }
}

#[cfg(test)]
mod tests;
