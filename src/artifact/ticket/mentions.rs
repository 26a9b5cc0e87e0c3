//! What a text only mentions: what somebody denies or advises, and lists of codes. The words that show it are data.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;

use super::patterns::stands_alone;
use super::values::hex_number;
use crate::evidence::TicketLine;
use crate::knowledge::Knowledge;

/// A longer line is no sentence that somebody wrote.
const LONGEST: usize = 4096;
/// A list of codes has at least so many lines, with as many different codes.
const FEWEST_LISTED: usize = 3;

/// What is certain of each line that is in doubt, by its position.
pub(super) fn doubted(lines: &[TicketLine]) -> BTreeMap<usize, Arc<str>> {
    let mut doubted = BTreeMap::new();
    let mut in_code = false;
    for (position, line) in lines.iter().enumerate() {
        let text = unquoted(&line.text);
        if text.starts_with("```") || text.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code && let Some(certain) = certain(text) {
            doubted.insert(position, Arc::from(certain));
        }
    }
    for listing in listings(lines) {
        doubted.extend(listing.map(|position| (position, Arc::from(""))));
    }
    doubted
}

/// A line without the marks of a mail's quotation.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|first: char| first == '>' || first.is_whitespace())
}

/// The words of denial and of advice.
struct Cues {
    finder: Option<AhoCorasick>,
    /// As many of the first words are of denial.
    denials: usize,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let knowledge = Knowledge::builtin();
    let (denials, advice) = (knowledge.mention_cues("denial"), knowledge.mention_cues("advice"));
    let words = denials.iter().chain(advice);
    Cues { finder: AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok(), denials: denials.len() }
});

/// What is certain of a line that is in doubt.
fn certain(line: &str) -> Option<String> {
    let finder = CUES.finder.as_ref()?;
    if line.len() > LONGEST || !finder.is_match(line) || is_printed(line) {
        return None;
    }
    let quotes = quotes(line);
    let outside = |at: usize| !quotes.iter().any(|quote| quote.contains(&at));
    let mut doubtful: Vec<Range<usize>> = Vec::new();
    for cue in finder.find_overlapping_iter(line) {
        if !outside(cue.start()) || !stands_alone(line, cue.start(), cue.end()) {
            continue;
        }
        let denies = cue.pattern().as_usize() < CUES.denials;
        let start = if denies { cue.start() } else { sentence_start(line, cue.start(), outside) };
        let ends = |at: usize| ends_sentence(line, at) || (denies && ends_clause(line, at));
        let end =
            (cue.end()..line.len()).find(|at| outside(*at) && ends(*at)).map_or(line.len(), |at| at.saturating_add(1));
        doubtful.push(start..end);
    }
    if doubtful.is_empty() {
        return None;
    }
    let kept = line.char_indices().filter(|(at, _)| !doubtful.iter().any(|range| range.contains(at)));
    let kept: String = kept.map(|(_, character)| character).collect();
    Some(kept.trim().to_owned())
}

fn sentence_start(line: &str, before: usize, outside: impl Fn(usize) -> bool) -> usize {
    (0..before).rev().find(|at| outside(*at) && ends_sentence(line, *at)).map_or(0, |at| at.saturating_add(1))
}

/// Whether a sentence ends with the byte at `at`.
fn ends_sentence(line: &str, at: usize) -> bool {
    let mut rest = line.get(at..).unwrap_or_default().chars();
    let ended = matches!(rest.next(), Some('.' | '!' | '?' | ';'));
    // "e.g. this" goes on.
    let abbreviated = line.get(..at).is_some_and(|before| {
        before
            .rsplit([' ', '('])
            .next()
            .is_some_and(|word| word.len() <= 1 || word.ends_with(".g") || word.contains(".B"))
    });
    ended && !abbreviated && rest.next().is_none_or(char::is_whitespace)
}

/// Whether a clause ends with the byte at `at`.
fn ends_clause(line: &str, at: usize) -> bool {
    const CONJUNCTIONS: [&str; 4] = [" but ", " - ", " aber ", " sondern "];
    line.get(at..).is_some_and(|rest| rest.starts_with(", ") || CONJUNCTIONS.iter().any(|word| rest.starts_with(word)))
}

/// What stands in quotation marks. An apostrophe begins a quotation only at the beginning of a word.
fn quotes(line: &str) -> Vec<Range<usize>> {
    const PAIRS: [(char, &[char]); 6] =
        [('"', &['"']), ('\'', &['\'']), ('`', &['`']), ('“', &['”', '“']), ('„', &['“', '”']), ('«', &['»'])];
    let mut quotes = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(first) = line.get(at..).and_then(|rest| rest.chars().next()) {
        let begins = !before.is_alphanumeric();
        before = first;
        let inside = at.saturating_add(first.len_utf8());
        let closing = PAIRS.iter().find(|(opening, _)| *opening == first && begins).map(|(_, closing)| *closing);
        let end = closing.and_then(|closing| {
            let rest = line.get(inside..)?;
            let mut ends = rest.match_indices(closing).filter(|(end, mark)| {
                let behind = rest.get(end.saturating_add(mark.len())..).and_then(|behind| behind.chars().next());
                behind.is_none_or(|behind| !behind.is_alphanumeric())
            });
            ends.next().map(|(end, _)| inside.saturating_add(end))
        });
        match end {
            Some(end) => {
                quotes.push(at..end);
                at = end.saturating_add(line.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
            }
            None => at = inside,
        }
    }
    quotes
}

/// Whether a program printed the line: it begins with a time, a bracket, a path, a prompt, or with an error's name or
/// a log's level and a colon.
fn is_printed(line: &str) -> bool {
    const BEGINNINGS: [&str; 9] = ["[", "Traceback", "File \"", "at ", "PS ", ">>>", "$ ", "\\\\", "/"];
    const LEVELS: [&str; 8] = ["error", "exception", "warning", "warn", "fatal", "critical", "info", "debug"];
    if BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)) || is_drive(line) || is_time(line) {
        return true;
    }
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    // A log of Google's: `E0506 12:00:01.5 4312 file.cc:12]`; TensorFlow's: `E tensorflow/...`.
    if line.split(' ').take(4).any(|word| word.ends_with(']') && word.contains(".cc:")) {
        return true;
    }
    let level = |word: &str| {
        let word = word.to_ascii_lowercase();
        LEVELS.iter().any(|level| word.ends_with(level))
    };
    let labelled = line.split_once(':').is_some_and(|(label, _)| {
        label.len() <= 60 && label.split_whitespace().count() <= 4 && label.split_whitespace().last().is_some_and(level)
    });
    labelled || (level(first) && first.chars().all(|letter| letter.is_ascii_uppercase()))
}

fn is_drive(line: &str) -> bool {
    matches!(line.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Lines below each other of which each begins with a code, and that tell different ones apart: what codes mean, and
/// not what happened. Lines with a time are a history.
fn listings(lines: &[TicketLine]) -> Vec<Range<usize>> {
    let mut listings = Vec::new();
    let (mut start, mut codes) = (0, BTreeSet::new());
    let mut finish = |range: Range<usize>, codes: &mut BTreeSet<String>| {
        if range.len() >= FEWEST_LISTED && codes.len() >= FEWEST_LISTED {
            listings.push(range);
        }
        codes.clear();
    };
    for (position, line) in lines.iter().enumerate() {
        match listed_code(&line.text) {
            Some(code) => {
                codes.insert(code);
            }
            None => {
                finish(start..position, &mut codes);
                start = position.saturating_add(1);
            }
        }
    }
    finish(start..lines.len(), &mut codes);
    listings
}

/// The code that a line of a list begins with: `| 126 | not found |`, `- WinError 1455: ...`, `0xC0000005 = ...`.
fn listed_code(line: &str) -> Option<String> {
    const WORDS: [&str; 8] = ["[winerror", "winerror", "error", "code", "exit", "hresult", "status", "fehler"];
    let line = unquoted(line).trim_start_matches(['|', '-', '*', '•', '`', ' ', '"']);
    let mut rest = line;
    while let Some(word) = rest.split_whitespace().next().filter(|word| WORDS.contains(&&*word.to_ascii_lowercase())) {
        rest = rest.get(word.len()..)?.trim_start();
    }
    let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-')).unwrap_or(rest.len());
    let (code, behind) = rest.split_at_checked(end)?;
    let digits = code.trim_start_matches('-');
    let decimal = (1..=10).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_digit());
    let hex = (3..=10).contains(&code.len()) && code.starts_with("0x") && hex_number(code).is_some();
    // What the code is said to be stands behind it.
    let behind = behind.trim_start_matches([']', '`', '"', ' ', ')']);
    // The same code in another spelling.
    let other = behind.strip_prefix('(').and_then(|inside| Some(inside.split_once(')')?.1));
    let behind = other.unwrap_or(behind).trim_start();
    let told = rest.len() < line.len() || behind.starts_with(['|', ':', '=', '-', '–', '—', '→']);
    let said = behind.chars().filter(|letter| letter.is_alphabetic()).count() > 3;
    ((decimal || hex) && told && said && !has_time(line)).then(|| code.to_ascii_lowercase())
}

/// Whether a text begins with a time or a date: three numbers with the same mark between them, or an hour.
fn is_time(text: &str) -> bool {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || "-/.:".contains(letter))).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    ['-', '/', '.', ':'].iter().any(|mark| {
        let parts: Vec<&str> = word.trim_end_matches(*mark).split(*mark).collect();
        let numbers = parts
            .iter()
            .all(|part| (1..=4).contains(&part.len()) && !part.contains(|letter: char| !letter.is_ascii_digit()));
        numbers && (parts.len() == 3 || (*mark == ':' && parts.len() == 2))
    })
}

/// Whether a word of the line is a time or a date.
fn has_time(line: &str) -> bool {
    line.split([' ', '|', ',', '(']).any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Node, YamlText, parse};

    fn lines(text: &str) -> Vec<TicketLine> {
        (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect()
    }

    fn certain_of(text: &str) -> Vec<String> {
        doubted(&lines(text)).into_values().map(|certain| certain.to_string()).collect()
    }

    #[test]
    fn the_examples_of_the_table_are_as_it_says() {
        let file =
            YamlText::new("mentions.yaml".to_owned(), include_str!("../../../rules/data/mentions.yaml").to_owned());
        let root = parse(&file).expect("YAML");
        let texts = |node: &Node| -> Vec<String> {
            node.items().unwrap_or_default().iter().filter_map(Node::text).map(str::to_owned).collect()
        };
        let certain = root.get("certain").map(texts).unwrap_or_default();
        assert!(certain.len() > 5);
        for line in certain {
            assert_eq!(certain_of(&line), Vec::<String>::new(), "{line}");
        }
        for row in root.get("cues").and_then(Node::items).expect("rows") {
            for line in row.get("examples").map(texts).expect("examples") {
                assert_eq!(certain_of(&line).len(), 1, "{line}");
            }
        }
    }

    #[test]
    fn a_denial_ends_with_its_clause_and_advice_with_its_sentence() {
        assert_eq!(certain_of("it is not 'a.dll, b.dll was not found', it is WinError 1455"), ["it is WinError 1455"]);
        assert_eq!(
            certain_of(
                "I get Could not locate zlibwapi.dll. Please make sure it is in your library path! Then it ends."
            ),
            ["I get Could not locate zlibwapi.dll. Then it ends."]
        );
    }

    #[test]
    fn what_a_program_printed_is_no_advice() {
        assert!(certain_of("```\nmake sure a.dll is there\n```").is_empty());
        assert!(certain_of("RuntimeError: if you see this, a.dll was not found").is_empty());
        assert!(certain_of("E tensorflow/core/cuda_dnn.cc:12] make sure a.dll is there").is_empty());
    }

    #[test]
    fn a_list_of_codes_tells_of_none_of_them() {
        let list = "WinError 126: a module is missing\nWinError 193: wrong architecture\nWinError 1455: no memory\n";
        assert_eq!(certain_of(list).len(), 3);
        let spelt = "0x800705AF (1455): no memory\n0x8007007E (126): missing\n0x800700C1 (193): wrong architecture\n";
        assert_eq!(certain_of(spelt).len(), 3);
        let table = "| 0xC0000005 | access violation |\n| 0xC0000409 | fast fail |\n| 0xC0000374 | heap |\n";
        assert_eq!(certain_of(table).len(), 3);
        // The same error again and again, and stops with their days, happened.
        assert!(certain_of("Error 1455: no memory\nError 1455: no memory\nError 1455: no memory").is_empty());
        assert!(
            certain_of("- 0x116: 2024-05-06 video\n- 0x1E: 2024-05-07 again\n- 0xD1: 2024-05-08 network").is_empty()
        );
    }
}
