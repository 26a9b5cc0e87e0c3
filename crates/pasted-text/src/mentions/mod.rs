//! What a text only mentions: what somebody denies or advises, messages that are only quoted, what others have, the older
//! rows of a history, what was pasted by mistake, and what a form says. The words that show it are data.

mod cues;
mod explained;
mod failures;
mod forms;
mod histories;
mod misplaced;
mod over;
mod overtaken;
mod owners;
mod quotations;
mod retractions;
mod sentence;
mod source;
mod survivals;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::cues::{Cue, Kinds};
use self::explained::explained;
use self::forms::unfilled;
use self::histories::past_rows;
use self::misplaced::misplaced;
use self::over::all_is_well;
use self::overtaken::overtaken;
use self::owners::of_others;
use self::quotations::{quoted_lines, without_quoted};
use self::retractions::retracted;
use self::sentence::{doubt, recovered};
use self::source::source;
use self::survivals::survived;
use super::denied_values::without_denied_values;
use super::fences::{in_code, unquoted};
use super::listings::listings;
use super::patterns::borders;
use super::sentences::is_apart;
use evidence::TicketLine;

/// An error that the program survived stands at most so many lines before the words that say so.
const MOST_SURVIVED: usize = 20;

/// The lines of a text, each looked through once for all words.
pub(super) struct Marked<'l> {
    lines: &'l [TicketLine],
    /// Of each line, which kinds of words it has.
    kinds: Vec<Kinds>,
    /// Of each line, whether it stands in a code block.
    in_code: Vec<bool>,
}

impl<'l> Marked<'l> {
    pub(super) fn of(lines: &'l [TicketLine]) -> Self {
        let kinds = lines.iter().map(|line| Kinds::of(unquoted(&line.text))).collect();
        Self { lines, kinds, in_code: in_code(lines) }
    }

    fn kinds(&self, position: usize) -> Kinds {
        self.kinds.get(position).copied().unwrap_or_default()
    }

    fn is_in_code(&self, position: usize) -> bool {
        self.in_code.get(position) == Some(&true)
    }
}

/// What is left of each line that quotes a message without a word that it appeared, by its position.
pub(super) fn unreported(marked: &Marked) -> BTreeMap<usize, Arc<str>> {
    let lines = marked.lines;
    let outside = lines.iter().zip(&marked.in_code).enumerate().filter(|(_, (_, in_code))| !**in_code);
    let mut unreported: BTreeMap<usize, Arc<str>> = outside
        .filter_map(|(position, (line, _))| Some((position, Arc::from(without_quoted(unquoted(&line.text))?))))
        .collect();
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

/// As many lines as tell of what is over, from the first on, where the text says so.
pub(super) fn over(marked: &Marked) -> Option<usize> {
    all_is_well(marked)
}

/// What is certain of each line that is in doubt, by its position.
pub(super) fn doubted(marked: &Marked) -> BTreeMap<usize, Arc<str>> {
    let lines = marked.lines;
    let mut others = of_others(marked);
    for (position, parts) in overtaken(marked).into_iter().chain(explained(marked)) {
        others.entry(position).or_default().extend(parts);
    }
    let mut doubted = BTreeMap::new();
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
        } else if let Some(doubt) =
            doubt(unquoted(&line.text), kinds, others.get(&position).map(Vec::as_slice).unwrap_or_default())
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

/// Whether one of `words` stands in a part of a text.
fn has_one_of(clause: &str, words: &[&str]) -> bool {
    let clause = clause.to_lowercase();
    words.iter().any(|word| {
        let mut places = clause.match_indices(word);
        places.any(|(from, word)| is_apart(&clause, from..from.saturating_add(word.len())))
    })
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

#[cfg(test)]
pub(super) mod tests;
