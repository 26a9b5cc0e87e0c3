//! Lists of what codes mean, which report none of them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::code_blocks::unquoted;
use super::cue_words::is_one_of;
use super::printed::has_time;
use super::values::hex_number;
use evidence::TicketLine;
use windows_codes::Knowledge;

/// The fewest lines of a list of codes, and the fewest different codes in it.
const FEWEST_LISTED: usize = 3;

/// Runs of lines that each begin with a code, with several different codes: lists of what codes mean, not of what
/// happened. Lines with a time are not taken.
pub(super) fn listings(lines: &[TicketLine]) -> Vec<Range<usize>> {
    let codes: Vec<Option<String>> = lines.iter().map(|line| listed_code(&line.text)).collect();
    let mut end = 0_usize;
    let lists = codes.chunk_by(|code, next| code.is_some() && next.is_some()).filter_map(|list| {
        let start = end;
        end = start.saturating_add(list.len());
        let different: BTreeSet<&String> = list.iter().flatten().collect();
        (different.len() >= FEWEST_LISTED).then_some(start..end)
    });
    lists.collect()
}

/// The code that a line of a list begins with: `| 126 | not found |`, `- WinError 1455: ...`, `0xC0000005 = ...`.
pub(super) fn listed_code(line: &str) -> Option<String> {
    let labels = Knowledge::builtin().text_words("code_label");
    let line = unquoted(line).trim_start_matches(['|', '-', '*', '•', '`', ' ', '"']);
    let mut rest = line;
    while let Some(word) = rest.split_whitespace().next().filter(|word| is_one_of(word, labels)) {
        rest = rest.get(word.len()..)?.trim_start();
    }
    let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-')).unwrap_or(rest.len());
    let (code, behind) = rest.split_at_checked(end)?;
    let digits = code.trim_start_matches('-');
    let decimal = (1..=10).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_digit());
    let hex = (3..=10).contains(&code.len()) && code.starts_with("0x") && hex_number(code).is_some();
    // What the code is said to be is behind it.
    let behind = behind.trim_start_matches([']', '`', '"', ' ', ')']);
    // The same code in another spelling.
    let other = behind.strip_prefix('(').and_then(|inside| Some(inside.split_once(')')?.1));
    let behind = other.unwrap_or(behind).trim_start();
    let told = rest.len() < line.len() || behind.starts_with(['|', ':', '=', '-', '–', '—', '→']);
    // A number behind it counts: `0x800705AF - 5 machines`.
    let meaning = behind.trim_start_matches(['|', ':', '=', '-', '–', '—', '→', ' ']);
    let counted = meaning.starts_with(|first: char| first.is_ascii_digit());
    let said = !counted && behind.chars().filter(|letter| letter.is_alphabetic()).count() > 3;
    ((decimal || hex) && told && said && !has_time(line)).then(|| code.to_ascii_lowercase())
}
