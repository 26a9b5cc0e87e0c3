//! A line as sentences and clauses, with what it quotes.

use std::ops::Range;
use std::sync::LazyLock;

use super::quotes::quotes;
use windows_codes::Knowledge;

/// Marks that end a sentence even without a blank behind them: East Asia writes none.
const WIDE_ENDS: [char; 4] = ['。', '！', '？', '；'];

/// A line, looked through once: what is quoted in it, and where its sentences and clauses end.
pub(super) struct Line<'l> {
    pub text: &'l str,
    /// Its quotations.
    pub quotes: Vec<Range<usize>>,
    /// Of each byte, whether it is in quotation marks.
    quoted: Vec<bool>,
    /// Where sentences end, behind their marks, sorted.
    pub sentences: Vec<usize>,
    /// Where clauses end, sentences among them, sorted.
    pub clauses: Vec<usize>,
}

impl<'l> Line<'l> {
    pub fn new(text: &'l str) -> Self {
        let mut quoted = vec![false; text.len()];
        let mut sentences = Vec::new();
        let quotes = quotes(text);
        for quote in quotes.iter().cloned() {
            // A mark just inside of the quotation ends the sentence around it, too, if another begins behind it.
            let behind = text.get(quote.end..).unwrap_or_default();
            let closing = behind.chars().next().map_or(0, char::len_utf8);
            let mut after = behind.get(closing..).unwrap_or_default().chars();
            let ended = text.get(quote.clone()).is_some_and(|inside| inside.ends_with(['.', '!', '?']));
            if ended && after.next().is_some_and(char::is_whitespace) && after.next().is_some_and(char::is_uppercase) {
                sentences.push(quote.end.saturating_add(closing));
            }
            if let Some(bytes) = quoted.get_mut(quote) {
                bytes.fill(true);
            }
        }
        let mut clauses = Vec::new();
        let outside = text.char_indices().filter(|(at, _)| !quoted.get(*at).copied().unwrap_or(false));
        for (at, first) in outside {
            if WIDE_ENDS.contains(&first) {
                sentences.push(at.saturating_add(first.len_utf8()));
            } else if matches!(first, '.' | '!' | '?' | ';') && ends_sentence(text, at) {
                sentences.push(at.saturating_add(1));
            } else if first == '，' {
                clauses.push(at.saturating_add(first.len_utf8()));
            } else if matches!(first, ',' | ' ') && ends_clause(text, at) {
                clauses.push(at.saturating_add(1));
            }
        }
        sentences.sort_unstable();
        clauses.extend_from_slice(&sentences);
        clauses.sort_unstable();
        Self { text, quotes, quoted, sentences, clauses }
    }

    /// Whether the byte at `at` is in quotation marks.
    pub fn is_quoted(&self, at: usize) -> bool {
        self.quoted.get(at).copied().unwrap_or(false)
    }

    /// Where the sentence begins that the byte at `at` is in.
    pub fn sentence_start(&self, at: usize) -> usize {
        last_end(&self.sentences, at)
    }

    /// The clause that words are in.
    pub fn clause(&self, words: &Range<usize>) -> Range<usize> {
        last_end(&self.clauses, words.start)..self.end(&self.clauses, words.end)
    }

    /// The first of `ends` behind the byte at `from`, or the line's own.
    pub fn end(&self, ends: &[usize], from: usize) -> usize {
        ends.get(ends.partition_point(|end| *end <= from)).copied().unwrap_or(self.text.len())
    }
}

/// The last of sorted `ends` at or before the byte at `at`; 0 where there is none.
pub(super) fn last_end(ends: &[usize], at: usize) -> usize {
    let before = ends.partition_point(|end| *end <= at);
    before.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0)
}

/// A line without these byte ranges; `None` if there are none.
pub(super) fn without(line: &str, ranges: &[Range<usize>]) -> Option<String> {
    let kept = line.char_indices().filter(|(at, _)| !ranges.iter().any(|range| range.contains(at)));
    (!ranges.is_empty()).then(|| kept.map(|(_, letter)| letter).collect())
}

/// Whether a sentence ends with the mark at `at`.
fn ends_sentence(line: &str, at: usize) -> bool {
    if line.get(at..).and_then(|rest| rest.chars().nth(1)).is_some_and(|next| !next.is_whitespace()) {
        return false;
    }
    // "e.g. this" goes on, and "code 7." ends.
    let word = line.get(..at).and_then(|before| before.rsplit([' ', '(']).next()).unwrap_or_default();
    let single = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    !(single || word.ends_with(".g") || word.ends_with(".G") || word.contains(".B"))
}

/// Words that begin a clause (`rules/data/text-words.yaml`), each with the blanks around it.
static BEGINNINGS: LazyLock<Vec<String>> =
    LazyLock::new(|| Knowledge::builtin().text_words("clause").iter().map(|word| format!(" {word} ")).collect());

/// Whether a clause ends with the byte at `at`.
fn ends_clause(line: &str, at: usize) -> bool {
    line.get(at..).is_some_and(|rest| rest.starts_with(", ") || BEGINNINGS.iter().any(|word| rest.starts_with(&**word)))
}

/// Whether `words` are whole words of the line and no part of longer ones. An end that is a mark, or a letter of a
/// language without blanks, needs no boundary.
pub(super) fn is_apart(line: &str, words: Range<usize>) -> bool {
    let in_word = |letter: char| (letter.is_alphanumeric() || letter == '_') && !is_without_blanks(letter);
    let (before, behind) = (line.get(..words.start), line.get(words.end..));
    let text = line.get(words).unwrap_or_default();
    let begins = !text.starts_with(in_word) || before.is_some_and(|before| !before.ends_with(in_word));
    begins && (!text.ends_with(in_word) || behind.is_some_and(|behind| !behind.starts_with(in_word)))
}

/// Whether a part of a text contains one of `words`, which are in lower case and stand alone.
pub(super) fn has_one_of(clause: &str, words: &[&str]) -> bool {
    let clause = clause.to_lowercase();
    words.iter().any(|word| {
        let mut places = clause.match_indices(word);
        places.any(|(from, word)| is_apart(&clause, from..from.saturating_add(word.len())))
    })
}

/// Whether a letter is of Japanese or Chinese: kana and ideographs.
fn is_without_blanks(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_east_asia_end_with_wide_marks() {
        let text = "之前遇到过 a.dll。现在 b.dll 崩溃";
        let line = Line::new(text);
        assert_eq!(line.sentences.iter().map(|end| &text[*end..]).collect::<Vec<_>>(), ["现在 b.dll 崩溃"]);
        assert!(is_apart(text, 0.."之前".len()), "no blanks between words");
        assert!(!is_apart("shows", 0..4) && is_apart("it shows", 3..8));
    }
}
