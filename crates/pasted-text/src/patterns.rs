//! The patterns by which texts announce facts. They are data: the build reads them from `rules/data/ticket-*.yaml`.
//!
//! A line is looked through once for all words, and once for all literals that the regular expressions need: only those that
//! may fit it are compiled and asked.

use std::sync::{LazyLock, OnceLock};

use expressions::{Literals, has_second_forms, needed};
use knowledge_tables::embedded;
use knowledge_tables::patterns::Pattern;
pub(super) use knowledge_tables::patterns::{Border, Fact};
use regex::Regex;

use super::cue_words::words;
use super::values::beginning;

embedded!(PATTERNS: Vec<Pattern> = "ticket-patterns");

/// How many matches of one expression are looked at in a line.
const MOST_MATCHES: usize = 32;
/// How many statements are taken from one line.
const MOST_STATEMENTS: usize = 1024;

/// The longest line that can be a heading, in characters.
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

/// Expressions of patterns that are searched for together.
struct Expressions {
    each: Vec<Expression>,
    /// Those of which an expression needs one.
    literals: Literals,
    /// The expression, as an index, that needs each literal.
    needed_by: Vec<usize>,
    /// The expressions that need none.
    always: Vec<usize>,
}

/// The expression of a pattern.
struct Expression {
    /// The number of the pattern.
    number: usize,
    pattern: &'static Pattern,
    /// The same without regard to case, which takes less to be compiled and says whether the other need be.
    form: expressions::Pattern,
    /// It compiled, once it was asked.
    alone: OnceLock<Option<Regex>>,
}

impl Expression {
    fn alone(&self) -> Option<&Regex> {
        self.alone.get_or_init(|| Regex::new(self.pattern.regex?).ok()).as_ref()
    }

    fn fits(&self, line: &str) -> bool {
        self.alone().is_some_and(|alone| alone.is_match(line))
    }
}

impl Expressions {
    /// The expressions of the patterns that divide texts, or of all others.
    fn new(divide: bool) -> Self {
        let rows = PATTERNS.iter().enumerate().filter(move |(_, row)| border(row).is_some() == divide);
        let of_row = |(number, pattern): (usize, &'static Pattern)| {
            let form = expressions::Pattern::new(pattern.regex?);
            Some(Expression { number, pattern, form, alone: OnceLock::new() })
        };
        let each: Vec<_> = rows.filter_map(of_row).collect();
        let (mut literals, mut needed_by, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for (index, expression) in each.iter().enumerate() {
            match needed(expression.form.written()) {
                Some(needs) => {
                    needed_by.extend(needs.iter().map(|_| index));
                    literals.extend(needs);
                }
                None => always.push(index),
            }
        }
        Self { each, literals: Literals::new(literals), needed_by, always }
    }

    /// The expressions that may fit a line, in order.
    fn candidates(&self, line: &str) -> impl Iterator<Item = &Expression> {
        let small: String = match line.is_ascii() {
            true => line.to_ascii_lowercase(),
            false => line.chars().flat_map(char::to_lowercase).collect(),
        };
        let mut candidates = self.always.clone();
        if has_second_forms(&small) {
            candidates = (0..self.each.len()).collect();
        } else {
            let found = self.literals.all_in(&small);
            candidates.extend(found.iter().filter_map(|found| self.needed_by.get(found.index)));
            candidates.sort_unstable();
            candidates.dedup();
        }
        candidates.retain(|index| self.each.get(*index).is_some_and(|one| one.form.is_match(&small)));
        candidates.into_iter().filter_map(|index| self.each.get(index))
    }

    /// The expressions that fit a line, in order.
    fn fitting(&self, line: &str) -> impl Iterator<Item = &Expression> {
        self.candidates(line).filter(move |one| one.fits(line))
    }
}

/// The expressions of the patterns that only divide texts.
static BORDERS: LazyLock<Expressions> = LazyLock::new(|| Expressions::new(true));
/// All other expressions.
static FACTS: LazyLock<Expressions> = LazyLock::new(|| Expressions::new(false));

/// The words of all patterns.
struct Words {
    all: Literals,
    /// The pattern of each of the words, with its number.
    patterns: Vec<(usize, &'static Pattern)>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let numbered = PATTERNS.iter().enumerate();
    let words = numbered.flat_map(|row| row.1.words.iter().map(move |words| (*words, row)));
    let (words, patterns): (Vec<&str>, Vec<_>) = words.unzip();
    Words { all: Literals::new(words), patterns }
});

/// The numbers of the patterns by which `line` begins or ends a part of a text.
pub(super) fn borders(line: &str) -> impl Iterator<Item = (usize, Border)> {
    // Headings are short, and stand at the beginning.
    BORDERS.fitting(beginning(line, LONGEST_HEADING)).filter_map(|one| Some((one.number, border(one.pattern)?)))
}

/// The person or computer, in lower case, that the text is about from `line` on: `Customer A: ...`.
pub(super) fn party(line: &str) -> Option<String> {
    let line = beginning(line, LONGEST_HEADING);
    let of_parties = BORDERS.fitting(line).filter(|one| border(one.pattern) == Some(Border::Party));
    let named = of_parties.map(Expression::alone).find_map(|party| party?.captures(line)?.name("party_begins"))?;
    Some(words(named.as_str()).collect::<Vec<_>>().join(" ").to_lowercase())
}

/// Where a pattern divides a text.
fn border(pattern: &Pattern) -> Option<Border> {
    pattern.groups.iter().find_map(|(_, fact)| if let Fact::Border(border) = fact { Some(*border) } else { None })
}

/// What the patterns find in `line`, in the order of the patterns and, for each, of the line.
pub(super) fn statements(line: &str) -> Vec<Statement<'_>> {
    let mut found: Vec<(usize, usize, Statement<'_>)> = announced(line).take(MOST_STATEMENTS).collect();
    for one in FACTS.candidates(line) {
        let Pattern { fact, value, needs, .. } = *one.pattern;
        if let (Some(fact), Some(text)) = (fact, value) {
            found.extend(one.fits(line).then_some((one.number, 0, Statement { fact, text, at: 0, needs })));
            continue;
        }
        for captures in one.alone().into_iter().flat_map(|regex| regex.captures_iter(line)).take(MOST_MATCHES) {
            for (name, fact) in &one.pattern.groups {
                if let Some(group) = captures.name(name) {
                    let (at, text) = (group.start(), group.as_str());
                    found.push((one.number, at, Statement { fact: *fact, text, at, needs }));
                }
            }
        }
    }
    found.sort_by_key(|(number, at, _)| (*number, *at));
    found.into_iter().map(|(_, _, statement)| statement).collect()
}

/// The statements that words announce, each with the number of its pattern and where the words begin.
fn announced(line: &str) -> impl Iterator<Item = (usize, usize, Statement<'_>)> {
    let found = WORDS.all.all_in(line).into_iter();
    found.filter(move |words| stands_alone(line, words.range.start, words.range.end)).filter_map(move |words| {
        let (number, pattern) = WORDS.patterns.get(words.index)?;
        let (at, text) = match pattern.value {
            Some(value) => (0, value),
            None => (words.range.end, line.get(words.range.end..)?),
        };
        Some((*number, words.range.start, Statement { fact: pattern.fact?, text, at, needs: pattern.needs }))
    })
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
        // Each line is asked these.
        let asked = [&FACTS, &BORDERS].iter().map(|all| all.always.len()).sum::<usize>();
        assert!(asked <= 4, "{asked}");
        for pattern in PATTERNS.iter() {
            if let Some(regex) = pattern.regex {
                let compiled = Regex::new(regex).expect("an expression");
                assert!(expressions::check(regex).is_ok(), "{regex}");
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
