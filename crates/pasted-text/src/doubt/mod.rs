//! Finds the parts of a text that only mention a failure, so that no fact is taken of them.
//!
//! People deny and advise, quote messages, write about other computers and about failures that they have fixed, paste
//! the wrong log, and leave the hints of a form in it. Each module finds one such kind of text; the words by which it
//! is known are data (`rules/data/mentions.yaml`, [`Cue`]). [`doubted`] has what is certain of each line in doubt,
//! [`unreported`] what is left of lines that quote a message without saying that it appeared, and [`resolved_lines`]
//! the part of a text that ends with the words that all is well.

mod cues;
mod earlier_failures;
mod explained;
mod failures;
mod forms;
mod histories;
mod marked;
mod misplaced;
mod other_computers;
mod quotations;
mod resolved;
mod retractions;
mod sentence;
mod source;
mod survivals;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::cues::Cue;
use self::earlier_failures::earlier_failures;
use self::explained::explained;
use self::forms::unfilled;
use self::histories::past_rows;
pub(super) use self::marked::Marked;
use self::misplaced::misplaced;
use self::other_computers::on_other_computers;
use self::quotations::{quoted_lines, without_quoted};
pub(super) use self::resolved::resolved_lines;
use self::retractions::retracted;
use self::sentence::{doubt, recovered};
use self::source::source;
use self::survivals::survived;
use super::code_blocks::unquoted;
use super::denied_values::without_denied_values;
use super::listings::listings;
use super::patterns::borders;

/// The most lines from an error to the words that the program survived it.
const MOST_SURVIVED: usize = 20;

/// By position, the lines that quote a message without saying that it appeared, or report an error that the program
/// survived, each without that part.
pub(super) fn unreported(marked: &Marked) -> BTreeMap<usize, Arc<str>> {
    let lines = marked.lines;
    let outside = (0..lines.len()).filter(|position| !marked.is_in_code(*position));
    let mut unreported: BTreeMap<usize, Arc<str>> =
        outside.filter_map(|position| Some((position, without_quoted(marked.text(position))?.into()))).collect();
    for position in 0..lines.len() {
        if marked.kinds(position).has(Cue::Survived) {
            let before = position.saturating_sub(MOST_SURVIVED)..position;
            let same_run = before.rev().take_while(|at| {
                lines.get(at.saturating_add(1)).is_some_and(|next| borders(&next.text).next().is_none())
            });
            unreported.extend(same_run.map(|at| (at, Arc::from(""))));
        }
    }
    unreported
}

/// By position, the lines in doubt without their doubtful parts; a line that is in doubt as a whole is empty.
pub(super) fn doubted(marked: &Marked) -> BTreeMap<usize, Arc<str>> {
    let lines = marked.lines;
    let mut others = on_other_computers(marked);
    for (position, parts) in earlier_failures(marked).into_iter().chain(explained(marked)) {
        others.entry(position).or_default().extend(parts);
    }
    let mut doubted = BTreeMap::new();
    // Whether the line before denies the next line, and whether it denies the code block that begins there.
    let (mut denied, mut denied_code) = (false, false);
    // How many lines are left of an announced quotation.
    let mut quoted = 0_usize;
    for (position, line) in lines.iter().enumerate() {
        if let Some(left) = quoted.checked_sub(1) {
            quoted = left;
            doubted.insert(position, Arc::from(""));
            continue;
        }
        let code = marked.is_in_code(position);
        let kinds = marked.kinds(position);
        denied_code = code && (denied || denied_code);
        if kinds.has(Cue::Recovery)
            && let Some(behind) = recovered(&line.text)
        {
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
        } else if let Some(doubt) = doubt(unquoted(&line.text), kinds, others.get(&position).map_or(&[], Vec::as_slice))
        {
            denied = doubt.announces;
            let before = position.checked_sub(1);
            if let Some(before) = before.filter(|before| doubt.retracts && !marked.is_in_code(*before)) {
                doubted.insert(before, Arc::from(""));
            }
            doubted.insert(position, Arc::from(doubt.certain));
        }
    }
    let whole = source(marked).into_iter().chain(survived(marked)).chain(past_rows(marked)).chain(retracted(marked));
    let whole = whole.chain(misplaced(marked)).chain(unfilled(marked));
    let parts = listings(lines).into_iter().flatten();
    doubted.extend(whole.chain(parts).map(|position| (position, Arc::from(""))));
    for (position, line) in lines.iter().enumerate() {
        let left = doubted.get(&position).map_or(&*line.text, |certain: &Arc<str>| &**certain);
        if let Some(certain) = without_denied_values(left) {
            doubted.insert(position, Arc::from(certain.trim()));
        }
    }
    doubted
}

/// Whether a line is an item of a list, or indented.
fn is_listed(line: &str) -> bool {
    let item = line.trim_start();
    let number = item.trim_start_matches(|digit: char| digit.is_ascii_digit());
    line.starts_with("  ")
        || line.starts_with('\t')
        || item.starts_with(['-', '*', '•', '–', '"', '“', '„', '«'])
        || (number.len() < item.len() && number.starts_with(['.', ')']))
}

#[cfg(test)]
pub(super) mod tests;
