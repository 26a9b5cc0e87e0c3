//! Values behind a label that say no: `failure predicted = FALSE`, `uncorrectable errors : 0`. Programs print what they
//! looked for together with the answer, so the words of a failure are in the output of a healthy machine, too. Which
//! values and labels are meant is data (`rules/data/mentions.yaml`).

use std::ops::Range;

use super::cue_words::{Cue, has_word, is_one_of, words_of};
use super::sentences::{Line, last_end, without};

/// How many marks between labels and values are looked at in a line.
const MOST_MARKS: usize = 64;
/// The most words of a label whose value is a word.
const MOST_WORDS: usize = 4;
/// What is between a label and its value.
const MARKS: [char; 3] = [':', '=', '：'];
/// The first bytes of these.
const MARKS_BEGIN: [u8; 3] = [b':', b'=', 0xEF];
/// Characters that may enclose a value.
const AROUND: [char; 6] = [' ', '\t', '"', '\'', '=', '>'];

/// A line without labels whose value is a denial, such as `no`; `None` if it has none.
pub(super) fn without_denied_values(line: &str) -> Option<String> {
    // The first bytes of the marks: most lines have none.
    if !line.bytes().any(|byte| MARKS_BEGIN.contains(&byte)) {
        return None;
    }
    let mut denied: Vec<Range<usize>> = Vec::new();
    let mut parts = None;
    for (at, mark) in line.match_indices(MARKS).take(MOST_MARKS) {
        let behind = at.saturating_add(mark.len());
        let Some(value) = value_behind(line, behind) else { continue };
        let parts = parts.get_or_insert_with(|| Line::new(line));
        let start = label_start(line, parts, at);
        if says_no(line.get(start..at).unwrap_or_default(), line.get(value.clone()).unwrap_or_default()) {
            denied.push(start..value.end);
        }
    }
    without(line, &denied)
}

/// The range of the value behind a label's mark, if the value is a single word that denies (`no`, `none`, `0`) and
/// nothing follows it.
fn value_behind(line: &str, behind: usize) -> Option<Range<usize>> {
    let rest = line.get(behind..)?;
    let value = rest.trim_start_matches(AROUND);
    let start = line.len().saturating_sub(value.len());
    let length = value.find(|letter: char| !(letter.is_alphanumeric() || letter == '/')).unwrap_or(value.len());
    let word = value.get(..length)?;
    if !(is_one_of(word, words_of(Cue::Value)) || is_one_of(word, words_of(Cue::Zero))) {
        return None;
    }
    let after = value.get(length..)?;
    let mut letters = after.chars();
    let ended = after.trim_start().starts_with('|')
        || match letters.next() {
            None | Some(',' | ';' | ')' | ']' | '}' | '\t' | '"' | '\'' | '、' | '，' | '。') => true,
            Some('.' | ' ' | '!') => letters.next().is_none_or(char::is_whitespace),
            Some(_) => false,
        };
    ended.then(|| start..start.saturating_add(length))
}

/// Where the label begins that ends at `end`: behind the clause before it, a column, or the value of another label.
fn label_start(line: &str, parts: &Line<'_>, end: usize) -> usize {
    let clause = last_end(&parts.clauses, end);
    let label = line.get(clause..end).unwrap_or_default().trim_end();
    let opened = ['(', '['].into_iter().zip([')', ']']).filter_map(|(opens, closes)| {
        let at = label.rfind(opens)?;
        label.get(at..).is_some_and(|inside| !inside.contains(closes)).then_some(at)
    });
    let column = label.rfind(['|', '\t', '{']).into_iter().chain(opened).max().map_or(0, |at| at.saturating_add(1));
    let other_value = label.rfind(MARKS).and_then(|mark| {
        let behind = label.get(mark..)?.trim_start_matches(MARKS).trim_start_matches(AROUND);
        let number = behind.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        let end = behind.find(char::is_whitespace).filter(|_| number)?;
        Some(label.len().saturating_sub(behind.len()).saturating_add(end))
    });
    let begins = clause.saturating_add(column.max(other_value.unwrap_or(0)));
    // The label of `key=value` is one word.
    let glued = line.get(end..).is_some_and(|rest| rest.starts_with('='))
        && line.get(..end).is_some_and(|before| before.ends_with(|last: char| !last.is_whitespace()));
    let last_word = || line.get(begins..end).and_then(|label| label.rfind(char::is_whitespace));
    begins.saturating_add(if glued { last_word().map_or(0, |at| at.saturating_add(1)) } else { 0 })
}

/// Whether the label's value denies what the label names: it is absent, or did not happen.
fn says_no(label: &str, value: &str) -> bool {
    let names_error = |word: &str| {
        let name = word.strip_suffix("Error:").or_else(|| word.strip_suffix("Exception:"));
        name.is_some_and(|name| !name.is_empty())
    };
    // A time, or what it is of, may be before it: `12:00:01 card 0: errors: none`.
    let length = label.rsplit(": ").next().map_or(0, |last| last.split_whitespace().count());
    if label.split_whitespace().any(names_error) {
        return false;
    }
    let says_no = if is_one_of(value, words_of(Cue::Zero)) {
        has_word(label, Cue::Counted)
    } else {
        length <= MOST_WORDS && !has_word(label, Cue::Wanted)
    };
    says_no && label.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_goes_with_its_value_and_what_stands_beside_it_stays() {
        for (line, kept) in [
            ("Good. SMART: failure predicted = FALSE", "Good."),
            ("exit code: 0xC0000409 errors: 0", "exit code: 0xC0000409"),
            ("corrected errors: 3, uncorrectable errors: 0, retired: 1", "corrected errors: 3,, retired: 1"),
            ("hung=no | code=0xC0000005", "| code=0xC0000005"),
            ("VIDEO_TDR_FAILURE hung=no", "VIDEO_TDR_FAILURE"),
            ("exit code 0xC0000374 (hung: no)", "exit code 0xC0000374 ()"),
        ] {
            assert_eq!(without_denied_values(line).as_deref().map(str::trim), Some(kept), "{line}");
        }
    }

    #[test]
    fn zero_is_a_value_where_nothing_is_counted() {
        for line in ["exit code: 0", "Subcode: 0", "fast fail code = 0", "errors: 0.5", "errors: 07", "= 0", ": no"] {
            assert_eq!(without_denied_values(line), None, "{line}");
        }
    }

    #[test]
    fn the_absence_of_what_is_wanted_is_the_trouble_itself() {
        assert_eq!(without_denied_values("torch.cuda.is_available(): False"), None);
        assert_eq!(without_denied_values("zlibwapi.dll present = no"), None);
        assert_eq!(without_denied_values("worker crashed (recoverable: False)"), None);
        assert_eq!(without_denied_values("fallen off the bus. Recovered: no"), None);
        assert!(without_denied_values("device lost: False").is_some());
    }

    #[test]
    fn a_message_is_no_label() {
        for line in ["CUDAError: device lost: False", "the memory test found 512 errors XMP: no"] {
            assert_eq!(without_denied_values(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_of_nothing_but_marks_is_looked_at_in_part() {
        assert_eq!(without_denied_values(&"errors: 5 ".repeat(4096)), None);
        assert!(without_denied_values(&"errors: 0; ".repeat(4096)).is_some());
    }
}
