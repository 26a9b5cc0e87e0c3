//! Conditions: names of selections joined with `and`, `or`, `not` and parentheses.

use std::ops::Range;

use spanned_yaml::Code;

use super::hints::SIGNS;
use super::mistakes::{listing, suggestion};

/// Words that can't be names of selections.
pub const RESERVED: &[&str] = &["and", "or", "not", "all", "any", "of", "them"];

/// The deepest nesting of parentheses and `not`.
const MAX_DEPTH: usize = 50;

/// A condition over the selections of a rule, by their index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The selection with this index.
    Selection(usize),
    /// True where this does not hold.
    Not(Box<Condition>),
    /// True where all of these hold.
    All(Vec<Condition>),
    /// True where one of these holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// The condition of a rule that has none in its file: all of its selections.
    pub fn all_of(count: usize) -> Self {
        Self::All((0..count).map(Self::Selection).collect())
    }

    /// Whether the condition depends on a selection.
    #[must_use]
    pub fn uses(&self, index: usize) -> bool {
        match self {
            Self::Selection(own) => *own == index,
            Self::Not(inner) => inner.uses(index),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.uses(index)),
        }
    }
}

/// A mistake in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// `R030` for the language, `R031` for a selection that does not exist.
    pub code: Code,
    /// The bytes of the condition's text.
    pub at: Range<usize>,
    /// The mistake, without full stop.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

/// Reads a condition over selections of these names. `meant` gives the help for a name that is like no selection's.
///
/// # Errors
/// All unknown names, and the first place from which on the text is not a condition.
pub fn parse(text: &str, names: &[&str], meant: fn(&str) -> Option<String>) -> Result<Condition, Vec<Wrong>> {
    let mut parser = Parser { words: words(text), next: 0, end: text.len(), names, meant, unknown: Vec::new() };
    match parser.whole() {
        Ok(condition) if parser.unknown.is_empty() => Ok(condition),
        Ok(_) => Err(parser.unknown),
        Err(wrong) => {
            parser.unknown.push(wrong);
            Err(parser.unknown)
        }
    }
}

/// Words and parentheses with their places.
fn words(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut words = Vec::new();
    let mut rest = text;
    let mut at = 0_usize;
    while let Some(first) = rest.chars().next() {
        let length = if matches!(first, '(' | ')') || first.is_whitespace() {
            first.len_utf8()
        } else {
            rest.find(|c: char| matches!(c, '(' | ')') || c.is_whitespace()).unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(length);
        let end = at.saturating_add(length);
        if !first.is_whitespace() {
            words.push((word, at..end));
        }
        (rest, at) = (after, end);
    }
    words
}

struct Parser<'t> {
    words: Vec<(&'t str, Range<usize>)>,
    next: usize,
    end: usize,
    names: &'t [&'t str],
    meant: fn(&str) -> Option<String>,
    unknown: Vec<Wrong>,
}

impl<'t> Parser<'t> {
    fn whole(&mut self) -> Result<Condition, Wrong> {
        let condition = self.any(0)?;
        match self.peek() {
            None => Ok(condition),
            Some(")") => Err(self.wrong("this parenthesis closes nothing", None)),
            Some(word) if matches!(word.to_lowercase().as_str(), "and" | "or") => {
                let help = format!("write `{}`", word.to_lowercase());
                Err(self.wrong(format!("`{word}` is written in lower case"), Some(help)))
            }
            Some(word) if word.starts_with(['=', '<', '>']) || word == "!=" => {
                let help =
                    "compare in a selection, `{process.name: app.exe}` or `{os.build|gte: 22000}`, and name it here";
                Err(self.wrong(format!("`{word}` is not used here"), Some(help.to_owned())))
            }
            Some(word) if SIGNS.get(word).is_some() => {
                Err(self.wrong(format!("`{word}` is not used here"), SIGNS.get(word).map(str::to_owned)))
            }
            Some(word) => {
                let help = format!("write `and {word}` or `or {word}`");
                Err(self.wrong(format!("`and` or `or` is missing before `{word}`"), Some(help)))
            }
        }
    }

    fn any(&mut self, depth: usize) -> Result<Condition, Wrong> {
        let mut parts = vec![self.all(depth)?];
        while self.take("or") {
            parts.push(self.all(depth)?);
        }
        Ok(joined(parts, Condition::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Condition, Wrong> {
        let mut parts = vec![self.single(depth)?];
        while self.take("and") {
            parts.push(self.single(depth)?);
        }
        Ok(joined(parts, Condition::All))
    }

    fn single(&mut self, depth: usize) -> Result<Condition, Wrong> {
        if depth > MAX_DEPTH {
            return Err(self.wrong(format!("nested deeper than {MAX_DEPTH} levels"), None));
        }
        let deeper = depth.saturating_add(1);
        if self.take("not") {
            return Ok(Condition::Not(Box::new(self.single(deeper)?)));
        }
        if self.peek() == Some("(") {
            let opened = self.place();
            self.step();
            let inner = self.any(deeper)?;
            if !self.take(")") {
                let message = "this parenthesis is not closed".to_owned();
                return Err(Wrong { code: Code::R030, at: opened, message, help: None });
            }
            return Ok(inner);
        }
        match self.peek() {
            None => Err(self.wrong("the condition ends where a selection is expected", None)),
            Some("all") => self.group(Condition::All),
            Some("any") => self.group(Condition::Any),
            Some("1") => {
                let of = self.words.get(self.next.saturating_add(2)).map_or("NAME*", |(word, _)| *word);
                Err(self.wrong("`1 of` is not used here", Some(format!("write `any of {of}`"))))
            }
            Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                let help = "write out which ones may hold together: `(a and b) or (a and c) or (b and c)`".to_owned();
                Err(self.wrong(format!("`{number} of` is not used here"), Some(help)))
            }
            Some(word) if word.starts_with('!') => {
                let name = word.trim_start_matches('!');
                Err(self.wrong("`!` is not used here", Some(format!("write `not {name}`"))))
            }
            Some(word @ (")" | "and" | "or" | "of" | "them")) => {
                Err(self.wrong(format!("`{word}` stands where a selection is expected"), None))
            }
            Some(_) => self.name(),
        }
    }

    /// Parses `all of them` or `any of NAME*`, and combines the selections with `join`.
    fn group(&mut self, join: fn(Vec<Condition>) -> Condition) -> Result<Condition, Wrong> {
        let quantifier = self.peek().unwrap_or_default();
        self.step();
        let help = Some(format!("write `{quantifier} of them` or `{quantifier} of NAME*`"));
        if !self.take("of") {
            return Err(self.wrong(format!("`of` is missing after `{quantifier}`"), help));
        }
        let Some(wanted) = self.peek() else {
            return Err(self.wrong("the condition ends after `of`", help));
        };
        let prefix = if wanted == "them" { Some("") } else { wanted.strip_suffix('*') };
        let Some(prefix) = prefix else {
            return Err(self.wrong(format!("`{wanted}` must end with `*`, or be `them`"), help));
        };
        let fitting = self.names.iter().enumerate().filter(|(_, name)| name.starts_with(prefix));
        let parts: Vec<Condition> = fitting.map(|(index, _)| Condition::Selection(index)).collect();
        if parts.is_empty() {
            let message = format!("no selection has a name like `{wanted}`");
            let help = format!("the selections are {}", listing(self.names.iter().copied()));
            self.unknown.push(Wrong { code: Code::R031, at: self.place(), message, help: Some(help) });
        }
        self.step();
        Ok(joined(parts, join))
    }

    fn name(&mut self) -> Result<Condition, Wrong> {
        let name = self.peek().unwrap_or_default();
        let index = self.names.iter().position(|known| *known == name);
        if index.is_none() {
            let lower = name.to_lowercase();
            if RESERVED.contains(&lower.as_str()) {
                return Err(self.wrong(format!("`{name}` is written in lower case"), Some(format!("write `{lower}`"))));
            }
            if name.contains('*') {
                let help = format!("write `any of {name}` or `all of {name}`");
                return Err(self.wrong("a pattern needs `any of` or `all of` before it", Some(help)));
            }
            let help = suggestion(name, self.names.iter().copied())
                .or_else(|| (self.meant)(name))
                .unwrap_or_else(|| format!("the selections are {}", listing(self.names.iter().copied())));
            let message = format!("there is no selection `{name}`");
            self.unknown.push(Wrong { code: Code::R031, at: self.place(), message, help: Some(help) });
        }
        self.step();
        Ok(Condition::Selection(index.unwrap_or(usize::MAX)))
    }

    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.next).map(|(word, _)| *word)
    }

    /// The place of the next word; the end of the text when there is none.
    fn place(&self) -> Range<usize> {
        self.words.get(self.next).map_or(self.end..self.end, |(_, at)| at.clone())
    }

    fn step(&mut self) {
        self.next = self.next.saturating_add(1);
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.step();
        }
        found
    }

    fn wrong(&self, message: impl Into<String>, help: Option<String>) -> Wrong {
        Wrong { code: Code::R030, at: self.place(), message: message.into(), help }
    }
}

/// The only part, or all of them joined.
fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

#[cfg(test)]
mod tests {
    use super::Condition::{All, Any, Not, Selection};
    use super::*;

    const NAMES: &[&str] = &["a", "b", "old_x", "old_y"];

    fn parse(text: &str, names: &[&str]) -> Result<Condition, Vec<Wrong>> {
        super::parse(text, names, rules::slips::selection)
    }

    fn wrong(text: &str) -> (Code, Range<usize>, String) {
        let mistakes = parse(text, NAMES).expect_err(text);
        (mistakes[0].code, mistakes[0].at.clone(), mistakes[0].message.clone())
    }

    #[test]
    fn and_binds_closer_than_or_and_not_closest() {
        let parsed = parse("a or not b and old_x", NAMES);
        let expected = Any(vec![Selection(0), All(vec![Not(Box::new(Selection(1))), Selection(2)])]);
        assert_eq!(parsed, Ok(expected));
        let parsed = parse("(a or b) and not (old_x)", NAMES);
        let expected = All(vec![Any(vec![Selection(0), Selection(1)]), Not(Box::new(Selection(2)))]);
        assert_eq!(parsed, Ok(expected));
    }

    #[test]
    fn groups_stand_for_their_selections() {
        assert_eq!(parse("all of them", NAMES), Ok(Condition::all_of(4)));
        assert_eq!(parse("any of old_*", NAMES), Ok(Any(vec![Selection(2), Selection(3)])));
        assert_eq!(
            parse("a and all of old_*", NAMES),
            Ok(All(vec![Selection(0), All(vec![Selection(2), Selection(3)])]))
        );
    }

    #[test]
    fn mistakes_have_their_place() {
        assert_eq!(wrong("a and"), (Code::R030, 5..5, "the condition ends where a selection is expected".to_owned()));
        assert_eq!(wrong("a b"), (Code::R030, 2..3, "`and` or `or` is missing before `b`".to_owned()));
        assert_eq!(wrong("(a or b"), (Code::R030, 0..1, "this parenthesis is not closed".to_owned()));
        assert_eq!(wrong("a)"), (Code::R030, 1..2, "this parenthesis closes nothing".to_owned()));
        assert_eq!(wrong("a AND b"), (Code::R030, 2..5, "`AND` is written in lower case".to_owned()));
        assert_eq!(wrong("a or c"), (Code::R031, 5..6, "there is no selection `c`".to_owned()));
        assert_eq!(wrong("any of new_*"), (Code::R031, 7..12, "no selection has a name like `new_*`".to_owned()));
        assert_eq!(parse("c and d", NAMES).expect_err("two").len(), 2);
        assert_eq!(wrong("2 of old_*"), (Code::R030, 0..1, "`2 of` is not used here".to_owned()));
    }

    #[test]
    fn signs_of_other_languages_have_their_word() {
        let help = |text: &str| parse(text, NAMES).expect_err(text)[0].help.clone().expect("help");
        assert_eq!(help("a && b"), "write `and`");
        assert_eq!(help("a || b"), "write `or`");
        assert_eq!(help("a and !b"), "write `not b`");
        assert_eq!(
            (help("1 of them"), help("1 of old_*")),
            ("write `any of them`".into(), "write `any of old_*`".into())
        );
        assert!(help("a == 5").starts_with("compare in a selection"));
        assert!(help("process.name").starts_with("`process.name` is what selections ask for"));
    }

    #[test]
    fn nesting_is_bounded() {
        assert_eq!(wrong(&"(".repeat(100_000)).0, Code::R030);
        assert_eq!(wrong(&"not ".repeat(100_000)).0, Code::R030);
    }
}
