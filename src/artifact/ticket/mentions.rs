//! What a text only mentions: what somebody denies or advises, and messages that are only quoted. The words that show it
//! are data.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;

use super::denied_values::without_denied_values;
use super::fences::{in_code, unquoted};
use super::listings::listings;
use super::patterns::borders;
use super::printed::{Printed, printed};
use super::sentences::{Line, is_apart};
use crate::evidence::TicketLine;
use crate::knowledge::Knowledge;

/// A longer line is no sentence that somebody wrote.
const LONGEST: usize = 4096;
/// As many words of a line as are looked at: no sentence has more.
const MOST_CUES: usize = 64;
/// A denial announces the next line with no more words than these between it and the colon.
const MOST_ANNOUNCING: usize = 3;

/// A question has no more words than these before the one that it begins with: `Hi all, would ...`.
const MOST_GREETING: usize = 2;

/// A quotation of fewer words is a name and no message.
const FEWEST_QUOTED: usize = 3;
/// As many words behind a quotation are looked through for one that denies it.
const MOST_BEHIND: usize = 8;
/// As many words before a quotation are looked through for one that denies it: `does not show the message "..."`.
const MOST_BEFORE: usize = 5;
/// An error that the program survived stands at most so many lines before the words that say so.
const MOST_SURVIVED: usize = 20;
/// A quotation has no more lines than these behind its first.
const MOST_QUOTED_LINES: usize = 20;
/// Marks that open quotations of several lines, and those that close them.
const OPENING: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
/// Words that speak of what stands before.
const THAT: [&str; 2] = ["that", "das"];
/// What quotations begin with.
const QUOTATION_MARKS: [char; 6] = ['"', '\'', '`', '“', '„', '«'];
/// Somebody's sentence has at least so many words before what it quotes.
const FEWEST_BEFORE: usize = 2;

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

/// Whether a line has words that do this, whoever wrote it.
fn has_cue(line: &str, kind: Cue) -> bool {
    let Some(finder) = CUES.finder.as_ref().filter(|_| line.len() <= LONGEST) else { return false };
    let cues = finder.find_overlapping_iter(line).take(MOST_CUES);
    cues.filter(|cue| CUES.kinds.get(cue.pattern().as_usize()) == Some(&kind)).any(|cue| is_apart(line, cue.range()))
}

/// The lines of source text, by their position: they say what a program may print.
fn source(lines: &[TicketLine]) -> Vec<usize> {
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

/// As many lines as a quotation has that begins with this line and ends in a later one.
fn quoted_lines(lines: &[TicketLine]) -> Option<usize> {
    let first = unquoted(&lines.first()?.text);
    let (_, closing) = OPENING.iter().find(|(opening, _)| first.starts_with(*opening))?;
    let inside = first.get(first.chars().next()?.len_utf8()..)?;
    if inside.contains(*closing) {
        return None;
    }
    let end = lines.iter().skip(1).take(MOST_QUOTED_LINES).position(|line| line.text.contains(*closing))?;
    end.checked_add(1)
}

/// A line without the messages that it only quotes, if there are any.
fn without_quoted(line: &str) -> Option<String> {
    if line.len() > LONGEST || !line.contains(QUOTATION_MARKS) || printed(line) != Printed::No {
        return None;
    }
    let line_of = Line::of(line);
    let words = |from: usize, to: usize| {
        let part = line.get(from..to).unwrap_or_default();
        part.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    };
    let mut kept = String::with_capacity(line.len());
    let mut at = 0;
    for quote in line_of.quotes.iter().take(MOST_CUES) {
        let start = line_of.sentence_start(quote.start);
        let end = line_of.end(&line_of.clauses, quote.end);
        let only_quoted = words(quote.start, quote.end).nth(FEWEST_QUOTED.saturating_sub(1)).is_some()
            && words(start, quote.start).nth(FEWEST_BEFORE.saturating_sub(1)).is_some()
            && !words(start, quote.start).chain(words(quote.end, end)).any(is_report);
        if only_quoted {
            kept.push_str(line.get(at..quote.start).unwrap_or_default());
            at = quote.end;
        }
    }
    (at > 0).then(|| {
        kept.push_str(line.get(at..).unwrap_or_default());
        kept
    })
}

/// The sentences in which somebody quotes a message and says that it does not appear: `the message "..." does not appear
/// here`. The negation stands with a word of `report`, behind the quotation or just before it, in the same clause.
fn denied_quotations(line_of: &Line) -> Vec<Range<usize>> {
    let line = line_of.text;
    let words = |from: usize, to: usize| {
        let part = line.get(from..to).unwrap_or_default();
        part.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
    };
    let is = |word: &String, list: &[&str]| list.contains(&&**word);
    let appears = |word: &String| is(word, CUES.report) || is(word, CUES.appearing);
    let mut denied = Vec::new();
    for quote in line_of.quotes.iter().take(MOST_CUES) {
        if words(quote.start, quote.end).nth(FEWEST_QUOTED.saturating_sub(1)).is_none() {
            continue;
        }
        let start = line_of.sentence_start(quote.start);
        let behind: Vec<String> = words(quote.end, line_of.end(&line_of.clauses, quote.end))
            .take_while(|word| !is(word, CUES.joining))
            .take(MOST_BEHIND)
            .collect();
        let before: Vec<String> = words(start, quote.start).collect();
        let negated = |pair: &[String]| matches!(pair, [first, second] if is(first, CUES.negation) && appears(second));
        let denied_behind = behind.windows(2).any(negated)
            || (behind.iter().any(appears) && behind.iter().any(|word| is(word, CUES.negation_behind)));
        let nearest = before.len().saturating_sub(MOST_BEFORE);
        let near = before.get(nearest..).unwrap_or_default();
        let clause = near.iter().rposition(|word| is(word, CUES.joining)).map_or(0, |at| at.saturating_add(1));
        let denied_before = near.get(clause..).unwrap_or_default().windows(2).any(negated);
        if denied_behind || denied_before {
            denied.push(start..line_of.end(&line_of.sentences, quote.end));
        }
    }
    denied
}

/// Whether a word says that something appeared or happened.
fn is_report(word: &str) -> bool {
    CUES.report.contains(&&*word.to_lowercase())
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
    for (position, line) in lines.iter().enumerate() {
        let left = doubted.get(&position).map_or(&*line.text, |certain: &Arc<str>| &**certain);
        if let Some(certain) = without_denied_values(left) {
            doubted.insert(position, Arc::from(certain.trim()));
        }
    }
    for listing in listings(lines) {
        doubted.extend(listing.map(|position| (position, Arc::from(""))));
    }
    doubted
}

/// What words do to a sentence, as `rules/data/mentions.yaml` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cue {
    Denial,
    Contrast,
    Absence,
    Past,
    Answer,
    Advice,
    Elsewhere,
    Instance,
    Condition,
    Request,
    Question,
    Recovery,
    Survived,
    Source,
}

impl Cue {
    const ALL: [(&'static str, Self); 14] = [
        ("denial", Self::Denial),
        ("contrast", Self::Contrast),
        ("absence", Self::Absence),
        ("past", Self::Past),
        ("answer", Self::Answer),
        ("advice", Self::Advice),
        ("elsewhere", Self::Elsewhere),
        ("instance", Self::Instance),
        ("condition", Self::Condition),
        ("request", Self::Request),
        ("question", Self::Question),
        ("recovery", Self::Recovery),
        ("survived", Self::Survived),
        ("source", Self::Source),
    ];

    /// Whether it also counts behind a level or an error's name, where programs advise and people deny.
    const fn denies(self) -> bool {
        matches!(self, Self::Denial | Self::Past)
    }

    /// Whether it also holds for the next line, where its own ends with a colon.
    const fn announces(self) -> bool {
        matches!(self, Self::Denial | Self::Past | Self::Advice | Self::Elsewhere | Self::Instance | Self::Condition)
    }
}

/// The words, and what each does.
struct Cues {
    finder: Option<AhoCorasick>,
    kinds: Vec<Cue>,
    /// What errors say of themselves.
    own: &'static [&'static str],
    /// How messages go on in a sentence of their own.
    continued: &'static [&'static str],
    /// Words that say that something appeared or happened.
    report: &'static [&'static str],
    /// More of them, in forms that stand with a negation.
    appearing: &'static [&'static str],
    /// Words that deny the word behind them, and those that deny a whole clause.
    negation: &'static [&'static str],
    negation_behind: &'static [&'static str],
    /// Words that join a clause to the one before it.
    joining: &'static [&'static str],
    /// Words that begin what is so today.
    today: &'static [&'static str],
}

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let knowledge = Knowledge::builtin();
    let words = Cue::ALL.iter().flat_map(|(name, kind)| {
        knowledge
            .mention_cues(name)
            .iter()
            .flat_map(|word| [Some((*word).to_owned()), begun_large(word)])
            .map(|word| (word, *kind))
    });
    let (words, kinds): (Vec<String>, Vec<Cue>) = words.filter_map(|(word, kind)| Some((word?, kind))).unzip();
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
    Cues {
        finder,
        kinds,
        own: knowledge.mention_cues("own"),
        continued: knowledge.mention_cues("continued"),
        report: knowledge.mention_cues("report"),
        appearing: knowledge.mention_cues("appearing"),
        negation: knowledge.mention_cues("negation"),
        negation_behind: knowledge.mention_cues("negation_behind"),
        joining: knowledge.mention_cues("joining"),
        today: knowledge.mention_cues("today"),
    }
});

/// Words as they begin a sentence, where their first letter is none of ASCII's, of which the finder knows both forms.
fn begun_large(words: &str) -> Option<String> {
    let first = words.chars().next().filter(|first| !first.is_ascii() && first.is_lowercase())?;
    Some(first.to_uppercase().chain(words.chars().skip(1)).collect())
}

/// A line that is in doubt.
struct Doubt {
    /// What is certain of it.
    certain: String,
    /// Whether it denies the next line.
    announces: bool,
    /// Whether it says of the line before it that it is over.
    retracts: bool,
}

/// What a line, also a printed one, says behind the words that the program went on after what stands before them.
fn recovered(line: &str) -> Option<&str> {
    let finder = CUES.finder.as_ref().filter(|_| line.len() <= LONGEST)?;
    let cues = finder.find_overlapping_iter(line).take(MOST_CUES);
    let recoveries = cues.filter(|cue| CUES.kinds.get(cue.pattern().as_usize()) == Some(&Cue::Recovery));
    let last = recoveries.filter(|cue| is_apart(line, cue.range())).last()?;
    line.get(last.end()..)
}

/// What puts a line in doubt.
fn doubt(line: &str) -> Option<Doubt> {
    let finder = CUES.finder.as_ref()?;
    if line.len() > LONGEST || !(finder.is_match(line) || line.contains(QUOTATION_MARKS)) {
        return None;
    }
    let printed = printed(line);
    if printed == Printed::Whole {
        return None;
    }
    let line_of = Line::of(line);
    let mut doubtful: Vec<Range<usize>> = if printed == Printed::No { denied_quotations(&line_of) } else { Vec::new() };
    let (mut announces, mut retracts) = (false, false);
    let cues = finder.find_overlapping_iter(line).filter_map(|cue| {
        let kind = *CUES.kinds.get(cue.pattern().as_usize())?;
        (!line_of.is_quoted(cue.start()) && is_apart(line, cue.range())).then(|| (kind, cue.range()))
    });
    for (kind, cue) in cues.take(MOST_CUES) {
        if printed == Printed::Message && !kind.denies() {
            continue;
        }
        let Some(range) = line_of.doubted_by(kind, &cue) else { continue };
        // A mark at the words' own end may be the colon.
        let between = line.get(cue.start..).unwrap_or_default().trim_end().strip_suffix(':');
        let words = between.and_then(|between| between.get(cue.len()..)).unwrap_or_default();
        let most = if kind == Cue::Denial { MOST_ANNOUNCING } else { MOST_BEHIND };
        announces |= kind.announces()
            && between.is_some()
            && range.end == line.len()
            && line_of.end(&line_of.clauses, cue.end) == line.len()
            && words.split_whitespace().count() <= most;
        let first = line.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
        retracts |= kind == Cue::Past
            && line_of.sentence_start(cue.start) == 0
            && first.is_some_and(|word| THAT.contains(&&*word.to_lowercase()));
        doubtful.push(range);
    }
    if doubtful.is_empty() {
        return None;
    }
    let kept = line.char_indices().filter(|(at, _)| !doubtful.iter().any(|range| range.contains(at)));
    let certain: String = kept.map(|(_, character)| character).collect();
    Some(Doubt { certain: certain.trim().to_owned(), announces, retracts })
}

impl Line<'_> {
    /// What words put in doubt, if anything. A message of several sentences is in doubt as a whole.
    fn doubted_by(&self, kind: Cue, cue: &Range<usize>) -> Option<Range<usize>> {
        let range = self.sentence_of(kind, cue)?;
        let mut end = range.end;
        while self.sentences.binary_search(&end).is_ok() && self.begins(end, CUES.continued) {
            end = self.end(&self.sentences, end);
        }
        Some(range.start..end)
    }

    /// Whether what stands behind the byte at `at` begins with one of these words, which are in lower case.
    fn begins(&self, at: usize, words: &[&str]) -> bool {
        let behind =
            self.text.get(at..).unwrap_or_default().trim_start_matches(|letter: char| !letter.is_alphanumeric());
        words.iter().any(|word| behind.get(..word.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(word)))
    }

    /// What words put in doubt of the sentences around them.
    fn sentence_of(&self, kind: Cue, cue: &Range<usize>) -> Option<Range<usize>> {
        /// What was, said behind the word that it is over.
        const IT_WAS: [&str; 5] = ["it was ", "es war ", "das war ", "c'était ", "era "];
        let start = self.sentence_start(cue.start);
        let before = self.text.get(start..cue.start).unwrap_or_default();
        // A mark at the words' own end ends nothing that goes on.
        let sentence_end = self.end(&self.sentences, cue.end);
        let clause_end = self.end(&self.clauses, cue.end);
        match kind {
            Cue::Denial | Cue::Contrast | Cue::Elsewhere => Some(cue.start..clause_end),
            Cue::Absence => {
                let behind = self.text.get(cue.end..clause_end).unwrap_or_default();
                let from = self.text.get(cue.start..clause_end).unwrap_or_default();
                (begins_clause(self.text.get(..cue.start)?)
                    && names_something(behind)
                    && (names_an_error(behind) || !is_own(from)))
                .then_some(cue.start..clause_end)
            }
            Cue::Past => {
                let sentence = before.trim_start_matches(|letter: char| !letter.is_alphanumeric());
                let begun = self.text.get(start..).unwrap_or_default();
                let begun = if sentence.is_empty() { begun } else { sentence };
                let first = begun.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
                let of_that = first.is_some_and(|word| THAT.contains(&&*word.to_lowercase()));
                let start = if of_that { self.sentence_start(start.saturating_sub(1)) } else { start };
                let tells_what = self.begins(sentence_end, &IT_WAS);
                // "It was this yesterday, today it is that."
                if clause_end < sentence_end && self.begins(clause_end, CUES.today) {
                    return Some(start..clause_end);
                }
                Some(start..if tells_what { self.end(&self.sentences, sentence_end) } else { sentence_end })
            }
            Cue::Answer => {
                let before = self.text.get(..cue.start)?.trim_end();
                let last = self.text.trim_end().len() == cue.end;
                (last && before.ends_with([':', '?', '-', '–', '—', '|', '='])).then_some(0..self.text.len())
            }
            // Looked for in all lines, whoever wrote them.
            Cue::Recovery | Cue::Survived | Cue::Source => None,
            Cue::Advice => Some(start..sentence_end),
            Cue::Instance => (!speaks_of_oneself(before)).then_some(start..sentence_end),
            Cue::Condition => (!before.contains(char::is_alphanumeric)).then_some(start..sentence_end),
            Cue::Request => Some(cue.start..sentence_end),
            Cue::Question => {
                let sentence = self.text.get(start..sentence_end)?;
                let asked = sentence.trim_end().trim_end_matches(['"', '”', '“', '»', ')']).ends_with('?');
                let greeted = before.split_whitespace().count() <= MOST_GREETING;
                (asked && greeted && !speaks_of_oneself(sentence)).then_some(start..sentence_end)
            }
        }
    }
}

/// Whether a clause begins behind `before`.
fn begins_clause(before: &str) -> bool {
    const WORDS: [&str; 18] = [
        "and", "or", "nor", "but", "see", "saw", "got", "is", "was", "und", "oder", "aber", "es", "gab", "gibt", "et",
        "also", "mais",
    ];
    let before = before.trim_end();
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    word.is_empty() || WORDS.contains(&&*word.to_ascii_lowercase())
}

/// Whether what is absent is named: in quotation marks, by a code or by a name, with at most a word before it.
fn names_something(behind: &str) -> bool {
    behind.split_whitespace().take(2).any(|word| {
        let capitals = word.chars().filter(|letter| letter.is_uppercase()).count();
        word.trim_start_matches('(').starts_with(['"', '\'', '`', '“', '„', '«'])
            || capitals >= 2
            || word.contains(|letter: char| letter.is_ascii_digit())
    })
}

/// Whether what is absent is an error: a message in quotation marks, a code, or a name in capitals as codes have.
fn names_an_error(behind: &str) -> bool {
    let in_code = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    behind.split_whitespace().take(2).any(|word| {
        let word = word.trim_start_matches(['(', '[']).trim_end_matches(|end: char| !end.is_alphanumeric());
        let number = word.get(..2).is_some_and(|begins| begins.eq_ignore_ascii_case("0x"));
        word.starts_with(['"', '“', '„', '«'])
            || number
            || word.eq_ignore_ascii_case("winerror")
            || (word.contains('_') && word.chars().all(in_code))
    })
}

/// Whether an error says of itself that something is absent.
fn is_own(clause: &str) -> bool {
    let clause = clause.to_ascii_lowercase();
    CUES.own.iter().any(|own| clause.contains(own))
}

/// Whether somebody says of themselves what happened.
fn speaks_of_oneself(text: &str) -> bool {
    const WORDS: [&str; 12] = ["i", "we", "our", "my", "us", "ich", "wir", "uns", "unser", "unsere", "mein", "meine"];
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&&*word.to_lowercase()))
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
    fn what_was_or_is_elsewhere_is_announced_with_a_colon_too() {
        assert_eq!(certain_of("Hi all, last week I had this:\nOMP: Error #15"), ["", ""]);
        assert_eq!(certain_of("This is expected in the log and harmless:\nOMP: Error #15").len(), 2);
        assert_eq!(certain_of("It used to see WinError 126, but now it says:\nOMP: Error #15").len(), 1);
        assert_eq!(
            certain_of("WinError 126\nThat is from the colleague's PC. Mine: 0xC0000374"),
            ["", "Mine: 0xC0000374"]
        );
    }

    #[test]
    fn source_text_and_diffs_say_what_a_program_may_print() {
        assert_eq!(certain_of("@@ -12,1 +12,2 @@\n+WinError 1455: enlarge it\n a\nWinError 126"), ["", ""]);
        assert_eq!(certain_of("$ strings a.exe\nWinError 126\n$ a.exe\nWinError 1455"), [""]);
        assert_eq!(certain_of("ChatGPT told me this:\n\"It is 0xC0000135:\n1. a.dll\"\n0xC0000005"), ["", "", ""]);
        assert!(certain_of("+ WinError 1455\n  WinError 126").is_empty());
    }

    #[test]
    fn what_a_program_survived_is_unreported_back_to_the_run_it_is_of() {
        let text = "CUDA out of memory.\nGot an OOM, unloading all loaded models.\n0xC0000005";
        assert_eq!(unreported(&lines(text)).into_keys().collect::<Vec<_>>(), [0]);
        assert!(unreported(&lines("CUDA out of memory.\n0xC0000005")).is_empty());
    }

    #[test]
    fn what_is_so_today_is_certain() {
        assert_eq!(certain_of("WinError 126 was yesterday, today it is 0xC0000374"), ["today it is 0xC0000374"]);
    }

    #[test]
    fn what_a_denial_announces_stands_in_the_next_line_or_block() {
        assert_eq!(certain_of("It's not this:\nOMP: Error #15"), ["", ""]);
        assert_eq!(certain_of("I don't get this error:\n```\nOMP: Error #15\n```\nWinError 126").len(), 4);
        assert_eq!(certain_of("Instead of this it says:\nOMP: Error #15").len(), 1);
    }

    #[test]
    fn after_what_a_program_recovered_from_it_can_still_crash() {
        let line = "CUDA out of memory, falling back to CPU, then it exits with 0xC0000005";
        assert_eq!(certain_of(line), ["CPU, then it exits with 0xC0000005"]);
        assert_eq!(certain_of("```\nCUDA out of memory; falling back to CPU\n```"), ["CPU"]);
    }

    #[test]
    fn people_put_brackets_and_labels_before_denials() {
        for text in [
            "[Update] It's not OMP: Error #15",
            "Ruled-out error: it's not OMP: Error #15",
            "Error: it's not OMP: Error #15",
        ] {
            assert_eq!(certain_of(text).len(), 1, "{text}");
        }
        assert!(certain_of("[ERROR] it's not there").is_empty());
    }

    #[test]
    fn a_fence_that_is_none_hides_no_denial() {
        for text in ["```a```\nIt's not OMP", "````\n```\nlog\n````\nIt's not OMP", "```\nIt's not OMP"] {
            assert_eq!(certain_of(text), [""], "{text}");
        }
    }

    #[test]
    fn a_sentence_can_end_inside_of_a_quotation_and_behind_a_number() {
        assert_eq!(
            certain_of("I get \"Could not locate a.dll.\" You may see more."),
            ["I get \"Could not locate a.dll.\""]
        );
        assert_eq!(certain_of("It ends with code 7. Make sure that b.dll is there."), ["It ends with code 7."]);
    }

    #[test]
    fn a_line_of_nothing_but_cues_is_looked_at_in_part() {
        let line = "such as ".repeat(LONGEST / 8);
        assert_eq!(Line::of(&line).sentences, Vec::<usize>::new());
        let marks = "'a ".repeat(LONGEST / 3);
        assert!(Line::of(&marks).quotes.is_empty());
        assert_eq!(certain_of(&line), [""]);
    }

    #[test]
    fn a_quotation_without_a_word_that_it_appeared_is_unreported() {
        let left = |text: &str| unreported(&lines(text)).into_values().next().map(|left| left.to_string());
        assert_eq!(left("I asked about \"a.dll was not found\" there").as_deref(), Some("I asked about \" there"));
        for text in [
            "It prints \"a.dll was not found\"",
            "\"a.dll was not found\" is what the console shows",
            "\"a.dll was not found\"",
            "I copied \"a.dll\" there",
            "```\nshe asked about \"a.dll was not found\"\n```",
        ] {
            assert_eq!(left(text), None, "{text}");
        }
    }

    #[test]
    fn a_message_of_several_sentences_is_denied_as_a_whole() {
        assert_eq!(
            certain_of("It's not OSError: A module could not be found. Error loading \"a.dll\". It ends at once."),
            ["It ends at once."]
        );
    }

    #[test]
    fn a_list_of_counts_is_no_list_of_codes() {
        let counts = "0x80070070 - 3 machines could not install\n0x800705AF - 5 machines, torch import\n\
                      0x8007007E - 2 machines, torch import";
        assert!(certain_of(counts).is_empty());
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
