//! The condition of a rule: its selections, joined with `and`, `or` and `not`.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use untrusted::glob::{Glob, Token};

/// Parts that are joined with `and`, `or` and `not`: the selections of a rule, by their numbers, or the terms of a
/// selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition<P> {
    Part(P),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl<P> Condition<P> {
    /// Whether the condition holds, by whether its parts hold; `None` where that depends on a part that is not known.
    pub(super) fn holds(&self, part_holds: &impl Fn(&P) -> Option<bool>) -> Option<bool> {
        match self {
            Self::Part(part) => part_holds(part),
            Self::Not(inner) => inner.holds(part_holds).map(|holds| !holds),
            Self::All(parts) => all(parts.iter().map(|part| part.holds(part_holds))),
            Self::Any(parts) => any(parts.iter().map(|part| part.holds(part_holds))),
        }
    }
}

/// True when all are true, false when one is false, else `None`.
pub(super) fn all(mut parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    let none_is_false = parts.all(|part| {
        known &= part.is_some();
        part != Some(false)
    });
    (known || !none_is_false).then_some(none_is_false)
}

/// True when one is true, false when all are false, else `None`.
pub(super) fn any(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(parts.map(|part| part.map(|holds| !holds))).map(|none| !none)
}

/// Why a condition can't be read, and where in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) place: Range<usize>,
    pub(super) why: Why,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Why {
    Mistake(String),
    /// The function behind a `|`, which counts records or looks for others near them.
    Aggregation(String),
}

/// The condition of a rule, or why it can't be read.
type Parsed = Result<Condition<usize>, Unreadable>;

/// How deep parentheses and `not` may go.
const MOST_DEPTH: usize = 64;

/// Reads a condition over the selections of these names.
pub(super) fn read(text: &str, names: &[&str]) -> Parsed {
    let mut reader = Reader { words: words(text).into_iter().peekable(), end: text.len(), names, depth: 0 };
    let condition = reader.any()?;
    match reader.words.next() {
        None => Ok(condition),
        Some((place, "|")) => {
            let behind = text.get(place.end..).unwrap_or_default().trim();
            let function = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            Err(Unreadable { place: place.start..text.len(), why: Why::Aggregation(function.to_owned()) })
        }
        Some((place, word)) => Err(mistake(place, format!("`and` or `or` is missing in front of `{word}`"))),
    }
}

fn mistake(place: Range<usize>, message: impl Into<String>) -> Unreadable {
    Unreadable { place, why: Why::Mistake(message.into()) }
}

/// The words of a condition with their places; parentheses and `|` are words of their own.
fn words(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let single = matches!(character, '(' | ')' | '|');
        if single || character.is_whitespace() {
            if let Some(start) = start.take() {
                words.push((start..at, text.get(start..at).unwrap_or_default()));
            }
            if single {
                let end = at.saturating_add(1);
                words.push((at..end, text.get(at..end).unwrap_or_default()));
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    words
}

/// Reads a condition word by word.
struct Reader<'t> {
    words: Peekable<IntoIter<(Range<usize>, &'t str)>>,
    end: usize,
    names: &'t [&'t str],
    depth: usize,
}

impl Reader<'_> {
    /// Takes the next word if it is `wanted` and no selection has this name.
    fn take_word(&mut self, wanted: &str) -> bool {
        let is_wanted = |word: &str| word.eq_ignore_ascii_case(wanted) && !self.names.contains(&word);
        self.words.next_if(|(_, word)| is_wanted(word)).is_some()
    }

    fn any(&mut self) -> Parsed {
        let mut parts = vec![self.all()?];
        while self.take_word("or") {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Condition::Any))
    }

    fn all(&mut self) -> Parsed {
        let mut parts = vec![self.not()?];
        while self.take_word("and") {
            parts.push(self.not()?);
        }
        Ok(one_or(parts, Condition::All))
    }

    fn not(&mut self) -> Parsed {
        if !self.take_word("not") {
            return self.operand();
        }
        self.deeper(|reader| Ok(Condition::Not(Box::new(reader.not()?))))
    }

    /// Runs `read` one level of parentheses or `not` deeper; an error beyond the deepest level.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MOST_DEPTH {
            return Err(mistake(0..self.end, format!("nested deeper than {MOST_DEPTH} levels")));
        }
        let condition = read(self)?;
        self.depth = self.depth.saturating_sub(1);
        Ok(condition)
    }

    fn operand(&mut self) -> Parsed {
        let Some((place, word)) = self.words.next() else {
            return Err(mistake(self.end..self.end, "the condition ends where a selection should stand"));
        };
        if word == "(" {
            let condition = self.deeper(Self::any)?;
            return match self.words.next() {
                Some((_, ")")) => Ok(condition),
                Some((place, "|")) => Err(mistake(place, "an aggregation within parentheses")),
                _ => Err(mistake(place, "this parenthesis is not closed")),
            };
        }
        if let Some(number) = self.names.iter().position(|name| *name == word) {
            return Ok(Condition::Part(number));
        }
        if matches!(word, "1" | "any" | "all") && self.take_word("of") {
            return self.of(word == "all");
        }
        let message = if word.parse::<u32>().is_ok() {
            "only `1 of` and `all of` are known".to_owned()
        } else {
            format!("there is no selection `{word}`")
        };
        Err(mistake(place, message))
    }

    /// Reads the names behind `1 of` or `all of`.
    fn of(&mut self, all: bool) -> Parsed {
        let Some((place, wanted)) = self.words.next() else {
            return Err(mistake(self.end..self.end, "`of` needs `them` or the names of selections behind it"));
        };
        let is_meant = |name: &str| match wanted {
            "them" => !name.starts_with('_'),
            pattern => is_like(pattern, name),
        };
        let meant = self.names.iter().enumerate().filter(|(_, name)| is_meant(name));
        let parts: Vec<_> = meant.map(|(number, _)| Condition::Part(number)).collect();
        if parts.is_empty() {
            return Err(mistake(place, format!("no selection is called `{wanted}`")));
        }
        Ok(one_or(parts, if all { Condition::All } else { Condition::Any }))
    }
}

/// A single part as it is; several parts as one condition, made with `join`.
fn one_or(mut parts: Vec<Condition<usize>>, join: fn(Vec<Condition<usize>>) -> Condition<usize>) -> Condition<usize> {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

/// Whether a name fits the pattern, in which `*` is any text.
fn is_like(pattern: &str, name: &str) -> bool {
    let mut tokens: Vec<Token> = Vec::new();
    for (number, literal) in pattern.split('*').enumerate() {
        tokens.extend((number > 0).then_some(Token::Any));
        tokens.extend((!literal.is_empty()).then(|| Token::Literal(literal.to_owned())));
    }
    Glob::new(&tokens).fits(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["selection_a", "selection_b", "filter_a", "_hidden", "or_else"];

    fn shown(condition: &Condition<usize>) -> String {
        let list = |parts: &[Condition<usize>], between: &str| -> String {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("({})", parts.join(between))
        };
        match condition {
            Condition::Part(number) => number.to_string(),
            Condition::Not(inner) => format!("!{}", shown(inner)),
            Condition::All(parts) => list(parts, "&"),
            Condition::Any(parts) => list(parts, "|"),
        }
    }

    #[test]
    fn not_binds_closer_than_and_and_that_closer_than_or() {
        let read = |text: &str| read(text, &NAMES).map(|condition| shown(&condition)).expect("a condition");
        assert_eq!(read("selection_a and selection_b or filter_a"), "((0&1)|2)");
        assert_eq!(read("selection_a or selection_b and not filter_a"), "(0|(1&!2))");
        assert_eq!(read("not (selection_a or selection_b) and filter_a"), "(!(0|1)&2)");
        assert_eq!(read("not not selection_a"), "!!0");
        assert_eq!(read("(selection_a)AND(selection_b)"), "(0&1)");
        assert_eq!(read("or_else or _hidden"), "(4|3)");
    }

    #[test]
    fn some_of_the_selections_are_named_by_them_or_by_a_pattern() {
        let read = |text: &str| read(text, &NAMES).map(|condition| shown(&condition)).expect("a condition");
        assert_eq!(read("1 of them"), "(0|1|2|4)");
        assert_eq!(read("all of selection_* and not 1 of filter*"), "((0&1)&!2)");
        assert_eq!(read("any of *_a"), "(0|2)");
        assert_eq!(read("1 of s*_b or all of _*"), "(1|3)");
        assert_eq!(read("1 of selection_a"), "0");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |text: &str| read(text, &NAMES).expect_err("a mistake");
        let place = |text: &str| wrong(text).place;
        assert_eq!(place("selection_a and nothing"), 16..23);
        assert_eq!(place("selection_a and"), 15..15);
        assert_eq!(place("selection_a selection_b"), 12..23);
        assert_eq!(place("(selection_a"), 0..1);
        assert_eq!(place("1 of other*"), 5..11);
        assert_eq!(place("2 of them"), 0..1);
        assert_eq!(wrong("selection_a | count() > 5").why, Why::Aggregation("count".to_owned()));
        assert_eq!(place("selection_a | count() > 5"), 12..25);
        assert!(matches!(wrong(&"(".repeat(100_000)).why, Why::Mistake(_)));
        assert!(matches!(wrong(&"not ".repeat(100_000)).why, Why::Mistake(_)));
    }

    #[test]
    fn names_are_like_patterns_with_stars_anywhere() {
        assert!(is_like("*", "") && is_like("a*", "a") && is_like("*a*b", "xaab") && is_like("a", "a"));
        assert!(!is_like("a*a", "a") && !is_like("a", "ab") && !is_like("*b*b", "b"));
    }
}
