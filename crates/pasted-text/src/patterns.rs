//! The patterns by which texts announce facts. They are data: the build reads them from `rules/data/ticket-*.yaml`.
//!
//! A line is looked through once for all words and once for all regular expressions; both take time that grows with
//! the line alone.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use knowledge_tables::embedded;
pub(super) use knowledge_tables::patterns::Fact;
use knowledge_tables::patterns::Pattern;
use regex::{Regex, RegexSet, RegexSetBuilder};

/// Whether a line begins or ends the part of a text that is about one crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// The part begins with it.
    Begins,
    /// The part ends with it.
    Ends,
    /// A program is started with it, so the part is about a run of its own.
    Starts,
    /// The part begins with it, and is about another problem than the part before.
    Problem,
    /// The part begins with it, and is about somebody or something that it names.
    Party,
}

embedded!(PATTERNS: Vec<Pattern> = "ticket-patterns");

/// How many matches of one expression are looked at in a line.
const MOST_MATCHES: usize = 32;
/// How many statements are taken from one line.
const MOST_STATEMENTS: usize = 1024;

/// More characters than a line has by which it is known as a heading.
const LONGEST_HEADING: usize = 300;

/// What a pattern found in a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'l> {
    /// What it is about.
    pub fact: Fact,
    /// The text that begins with the value.
    pub text: &'l str,
    /// Where it is in the line; the line's beginning for a value that the pattern has.
    pub at: usize,
    /// An expression that some line of the text must fit for the statement to count.
    pub needs: Option<&'static str>,
}

/// What the automaton of so many expressions may take, bytes. The usual 2 MiB are too little for its states: without
/// it, text is searched ten times as slowly.
const AUTOMATON: usize = 16 << 20;

/// What all expressions together may take before they are searched for, bytes: bounded repetitions of other letters
/// than ASCII's take most. The usual 10 MiB are too little for all languages.
const EXPRESSIONS: usize = 24 << 20;

/// Expressions that are searched for together.
fn all_of<'r>(expressions: impl Iterator<Item = &'r str>) -> Option<RegexSet> {
    RegexSetBuilder::new(expressions).size_limit(EXPRESSIONS).dfa_size_limit(AUTOMATON).build().ok()
}

/// All patterns, compiled.
struct Finder {
    words: Option<AhoCorasick>,
    /// The pattern of each of the words.
    of_words: Vec<usize>,
    expressions: Option<RegexSet>,
    /// The pattern of each of the expressions, with the expression alone once it was needed.
    of_expressions: Vec<(usize, OnceLock<Option<Regex>>)>,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let numbered = || PATTERNS.iter().enumerate();
    let words = || numbered().flat_map(|(number, pattern)| pattern.words.iter().map(move |words| (number, *words)));
    let expressions = || {
        numbered()
            .filter(|(_, pattern)| border(pattern).is_none())
            .filter_map(|(number, row)| Some((number, row.regex?)))
    };
    Finder {
        words: AhoCorasick::builder().ascii_case_insensitive(true).build(words().map(|(_, words)| words)).ok(),
        of_words: words().map(|(number, _)| number).collect(),
        expressions: all_of(expressions().map(|(_, regex)| regex)),
        of_expressions: expressions().map(|(number, _)| (number, OnceLock::new())).collect(),
    }
});

/// The patterns that only divide texts, compiled.
struct Borders {
    expressions: Option<RegexSet>,
    /// The number of the pattern of each of the expressions, and what it finds.
    rows: Vec<(usize, Border)>,
}

static BORDERS: LazyLock<Borders> = LazyLock::new(|| {
    let rows = || PATTERNS.iter().enumerate().filter_map(|(number, row)| Some((number, border(row)?, row.regex?)));
    Borders {
        expressions: all_of(rows().map(|(_, _, regex)| regex)),
        rows: rows().map(|(number, border, _)| (number, border)).collect(),
    }
});

/// The numbers of the patterns by which `line` begins or ends a part of a text.
pub(super) fn borders(line: &str) -> impl Iterator<Item = (usize, Border)> {
    // Headings are short, and stand at the beginning.
    let line = super::values::beginning(line, LONGEST_HEADING);
    let fitting = BORDERS.expressions.as_ref().map(|expressions| expressions.matches(line)).into_iter().flatten();
    fitting.filter_map(|index| BORDERS.rows.get(index).copied())
}

/// Whom or what `line` names as the one that the text reports from there on: `Customer A: ...`. In lower case.
pub(super) fn party(line: &str) -> Option<String> {
    static NAMED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let rows = PATTERNS.iter().filter(|row| border(row) == Some(Border::Party));
        rows.filter_map(|row| Regex::new(row.regex?).ok()).collect()
    });
    let line = super::values::beginning(line, LONGEST_HEADING);
    let named = NAMED.iter().find_map(|regex| regex.captures(line)?.name("party_begins"))?;
    let words = named.as_str().split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    Some(words.collect::<Vec<_>>().join(" ").to_lowercase())
}

/// Where a pattern divides a text.
fn border(pattern: &Pattern) -> Option<Border> {
    pattern.groups.iter().find_map(|(_, fact)| match fact {
        Fact::CrashBegins => Some(Border::Begins),
        Fact::CrashEnds => Some(Border::Ends),
        Fact::RunBegins => Some(Border::Starts),
        Fact::ProblemBegins => Some(Border::Problem),
        Fact::PartyBegins => Some(Border::Party),
        _ => None,
    })
}

/// What the patterns find in `line`, in the order of the patterns and, for each, of the line.
pub(super) fn statements(line: &str) -> Vec<Statement<'_>> {
    let mut found = Vec::new();
    FINDER.add_words(line, &mut found);
    FINDER.add_expressions(line, &mut found);
    found.sort_by_key(|(number, at, _)| (*number, *at));
    found.into_iter().map(|(_, _, statement)| statement).collect()
}

impl Finder {
    fn add_words<'l>(&self, line: &'l str, found: &mut Vec<(usize, usize, Statement<'l>)>) {
        let Some(words) = &self.words else { return };
        for one in words.find_overlapping_iter(line) {
            let pattern =
                self.of_words.get(one.pattern().as_usize()).and_then(|number| Some((*number, PATTERNS.get(*number)?)));
            let Some((number, pattern)) = pattern.filter(|_| stands_alone(line, one.start(), one.end())) else {
                continue;
            };
            if found.len() == MOST_STATEMENTS {
                return;
            }
            if let Some(fact) = pattern.fact {
                let text = pattern.value.unwrap_or_else(|| line.get(one.end()..).unwrap_or_default());
                let at = if pattern.value.is_some() { 0 } else { one.end() };
                found.push((number, one.start(), Statement { fact, text, at, needs: pattern.needs }));
            }
        }
    }

    fn add_expressions<'l>(&self, line: &'l str, found: &mut Vec<(usize, usize, Statement<'l>)>) {
        let Some(expressions) = &self.expressions else { return };
        for index in expressions.matches(line) {
            let Some((number, compiled)) = self.of_expressions.get(index) else { continue };
            let Some(pattern) = PATTERNS.get(*number) else { continue };
            let needs = pattern.needs;
            if let (Some(fact), Some(text)) = (pattern.fact, pattern.value) {
                found.push((*number, 0, Statement { fact, text, at: 0, needs }));
                continue;
            }
            let compiled = compiled.get_or_init(|| Regex::new(pattern.regex?).ok());
            for captures in compiled.iter().flat_map(|regex| regex.captures_iter(line)).take(MOST_MATCHES) {
                for (name, fact) in &pattern.groups {
                    if let Some(group) = captures.name(name) {
                        let (at, text) = (group.start(), group.as_str());
                        found.push((*number, at, Statement { fact: *fact, text, at, needs }));
                    }
                }
            }
        }
    }
}

/// Whether the part of a line from `start` to `end` is not glued to a letter, digit or `_` before or behind it.
pub(super) fn stands_alone(line: &str, start: usize, end: usize) -> bool {
    let in_word = |character: char| character.is_alphanumeric() || character == '_';
    let before = line.get(..start).is_some_and(|before| before.ends_with(in_word));
    let behind = line.get(end..).is_some_and(|behind| behind.starts_with(in_word));
    !before && !behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_can_be_searched_for() {
        assert!(FINDER.words.is_some() && FINDER.expressions.is_some() && BORDERS.expressions.is_some());
        for pattern in PATTERNS.iter() {
            if let Some(regex) = pattern.regex {
                let compiled = Regex::new(regex).expect("an expression");
                let names: Vec<&str> = compiled.capture_names().flatten().collect();
                assert_eq!(names, pattern.groups.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{regex}");
            }
            assert!(pattern.needs.is_none_or(|needs| Regex::new(needs).is_ok()));
        }
    }

    #[test]
    fn each_fact_is_announced_by_a_pattern() {
        for (name, fact) in Fact::NAMED {
            let announced = PATTERNS.iter().any(|pattern| {
                pattern.fact == Some(*fact) || pattern.groups.iter().any(|(_, of_group)| of_group == fact)
            });
            assert!(announced, "no pattern gives {name}");
        }
    }

    #[test]
    fn words_stand_alone_and_in_any_case() {
        let found = |line: &str| statements(line).iter().any(|statement| statement.fact == Fact::ExitCode);
        assert!(found("EXIT CODE 5") && found("(exit code: 5)"));
        assert!(!found("exit codes 5") && !found("my_exit code 5"));
    }
}
