//! Source text, which says what a program may print.

use super::cues::{Cue, has_cue};
use crate::artifact::ticket::fences::unquoted;
use crate::evidence::TicketLine;

/// The lines of source text, by their position: they say what a program may print.
pub(super) fn source(lines: &[TicketLine]) -> Vec<usize> {
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
        if listed || in_diff || has_cue(text, Cue::Source) {
            found.push(position);
        }
    }
    found
}

/// As many lines as a part of a diff has at most, by its heading: `@@ -12,3 +12,4 @@`.
fn lines_of_hunk(line: &str) -> Option<usize> {
    let (heading, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let counts = heading
        .split(" +")
        .map(|range| range.split_once(',').map_or(Some(1), |(_, count)| count.parse::<u16>().ok().map(usize::from)));
    counts.sum::<Option<usize>>()
}
