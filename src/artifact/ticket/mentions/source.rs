//! Source text, which says what a program may print.

use super::Marked;
use super::cues::Cue;
use crate::artifact::ticket::fences::unquoted;
use crate::evidence::TicketLine;
use crate::knowledge::Knowledge;

/// A list of what a release changed has at least so many items.
const FEWEST_CHANGES: usize = 2;

/// The lines of source text, by their position: they say what a program may print.
pub(super) fn source(marked: &Marked) -> Vec<usize> {
    let lines = marked.lines;
    let mut found = Vec::new();
    // As many lines as are left of a part of a diff, and the number of the last line of what `strings` found.
    let (mut left, mut strings) = (0_usize, None);
    for (position, line) in lines.iter().enumerate() {
        let text = unquoted(&line.text);
        let listed = strings.is_some_and(|last: u32| line.number <= last.saturating_add(1)) && !text.starts_with("$ ");
        let in_diff = left > 0 && line.text.starts_with(['+', '-', ' ']);
        let command = ["$ strings ", ">strings ", "> strings "].iter().any(|command| line.text.contains(command));
        strings = (listed || command).then_some(line.number);
        left = if in_diff { left.saturating_sub(1) } else { lines_of_hunk(text).unwrap_or(0) };
        if listed || in_diff || marked.kinds(position).has(Cue::Source) {
            found.push(position);
        }
    }
    found.extend(release_notes(lines));
    found
}

/// The items of lists below a version that stands alone: what a release changed.
fn release_notes(lines: &[TicketLine]) -> Vec<usize> {
    let mut found = Vec::new();
    for (position, _) in lines.iter().enumerate().filter(|(_, line)| is_release(unquoted(&line.text))) {
        let begins = position.saturating_add(1);
        let is_item = |line: &&TicketLine| unquoted(&line.text).starts_with(['-', '*', '•']);
        let items = lines.get(begins..).unwrap_or_default().iter().take_while(is_item).count();
        if items >= FEWEST_CHANGES {
            found.extend(begins..begins.saturating_add(items));
        }
    }
    found
}

/// Whether a line is the heading of a release: `v2.3.1`, `## 1.4.0 (2024-05-06)`, `Version 2.3:`.
fn is_release(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '*', ' ', '[', '=']);
    let mut words = line
        .split_whitespace()
        .filter(|word| !Knowledge::builtin().text_words("release").contains(&&*word.to_lowercase()));
    let is_number = |word: &str| {
        let word = word.trim_matches(|mark: char| !mark.is_ascii_digit() && mark != 'v');
        let digits = word.trim_start_matches('v');
        digits.starts_with(|first: char| first.is_ascii_digit())
            && digits.contains(['.', '-', '/'])
            && digits.chars().all(|digit| digit.is_ascii_digit() || ".-/".contains(digit))
    };
    let first = words.next().is_some_and(|word| is_number(word) && word.contains('.'));
    first && words.all(is_number)
}

/// As many lines as a part of a diff has at most, by its heading: `@@ -12,3 +12,4 @@`.
fn lines_of_hunk(line: &str) -> Option<usize> {
    let (heading, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let counts = heading
        .split(" +")
        .map(|range| range.split_once(',').map_or(Some(1), |(_, count)| count.parse::<u16>().ok().map(usize::from)));
    counts.sum::<Option<usize>>()
}
