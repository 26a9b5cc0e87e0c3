//! Patterns of rules: texts in which `*` is any text and `?` one character.

use super::record::{Value, fold};
use untrusted::glob::{Glob, Token};

/// The characters that programs accept as the dash before an option.
///
/// Source: Sigma specification 2.1, modifier `windash`.
const DASHES: [char; 5] = ['-', '/', '\u{2013}', '\u{2014}', '\u{2015}'];

/// A text with wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) glob: Glob,
    /// Whether upper and lower case differ.
    cased: bool,
}

/// The tokens of a text as a rule writes it. A backslash makes `*`, `?` and itself plain; before anything else it is
/// plain itself.
pub(super) fn tokens(written: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut characters = written.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                push_literal(&mut tokens, characters.next_if(|next| matches!(next, '*' | '?' | '\\')).unwrap_or('\\'));
            }
            '*' => tokens.push(Token::Any),
            '?' => tokens.push(Token::One),
            _ => push_literal(&mut tokens, character),
        }
    }
    tokens
}

/// Adds a plain character: to the literal at the end of the tokens, or as a new one.
fn push_literal(tokens: &mut Vec<Token>, character: char) {
    match tokens.last_mut() {
        Some(Token::Literal(text)) => text.push(character),
        _ => tokens.push(Token::Literal(character.to_string())),
    }
}

/// The text of tokens without wildcards; `None` with wildcards.
pub(super) fn plain(tokens: &[Token]) -> Option<&str> {
    match tokens {
        [] => Some(""),
        [Token::Literal(text)] => Some(text),
        _ => None,
    }
}

/// The tokens with each dash that begins an option replaced by any dash: a dash before a letter, digit or `_` and not
/// behind one.
pub(super) fn with_dashes(tokens: Vec<Token>) -> Vec<Token> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut with = Vec::new();
    for token in tokens {
        let Token::Literal(text) = token else {
            with.push(token);
            continue;
        };
        let mut before = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let begins = !before.is_some_and(is_word) && characters.peek().copied().is_some_and(is_word);
            if DASHES.contains(&character) && begins {
                with.push(Token::OneOf(&DASHES));
            } else {
                push_literal(&mut with, character);
            }
            before = Some(character);
        }
    }
    with
}

impl Pattern {
    /// The pattern of these tokens.
    pub(super) fn new(mut tokens: Vec<Token>, cased: bool) -> Self {
        for token in tokens.iter_mut().filter(|_| !cased) {
            if let Token::Literal(text) = token {
                *text = fold(text).into_owned();
            }
        }
        Self { glob: Glob::new(&tokens), cased }
    }

    /// Whether the whole value fits the pattern.
    pub(super) fn fits(&self, value: Value<'_>) -> bool {
        self.glob.fits(if self.cased { value.written } else { value.folded })
    }

    /// The longest text that is in every text that fits, folded.
    pub(super) fn longest_literal(&self) -> Option<String> {
        self.glob.longest_literal().map(|text| fold(text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(written: &str, text: &str) -> bool {
        Pattern::new(tokens(written), false).glob.fits(&fold(text))
    }

    #[test]
    fn a_text_without_wildcards_is_the_whole_value_in_any_case() {
        assert!(matches("Cmd.exe", "cMD.EXE") && matches("", "") && matches("ÄRGER", "ärger"));
        assert!(!matches("cmd.exe", "cmd.exe ") && !matches("", "x"));
    }

    /// The examples of the specification's section "Escape Character".
    #[test]
    fn a_backslash_makes_wildcards_and_itself_plain() {
        let literal = |text: &str| vec![Token::Literal(text.to_owned())];
        assert_eq!(tokens(r"a\b"), literal(r"a\b"));
        assert_eq!(tokens(r"a\\b"), literal(r"a\b"));
        assert_eq!(tokens(r"a\*"), literal("a*"));
        assert_eq!(tokens(r"a\?"), literal("a?"));
        assert_eq!(tokens(r"a\\*"), [literal(r"a\"), vec![Token::Any]].concat());
        assert_eq!(tokens(r"a\\\*"), literal(r"a\*"));
        assert_eq!(tokens(r"\\\\server"), literal(r"\\server"));
        assert_eq!(tokens(r"\\\server"), literal(r"\\server"));
        assert_eq!(tokens(r"a\"), literal(r"a\"));
    }

    #[test]
    fn a_dash_that_begins_an_option_is_any_dash() {
        let pattern = Pattern::new(with_dashes(tokens("*x -enc a-b*")), false);
        for text in ["x -enc a-b", "x /enc a-b", "x \u{2013}enc a-b", "x \u{2015}enc a-b"] {
            assert!(pattern.glob.fits(text), "{text}");
        }
        assert!(!pattern.glob.fits("x +enc a-b") && !pattern.glob.fits("x -enc a/b"));
        assert_eq!(with_dashes(tokens("- x")), tokens("- x"));
    }

    #[test]
    fn case_counts_where_the_rule_says_so() {
        let pattern = Pattern::new(tokens("*Ab*"), true);
        assert!(pattern.glob.fits("xAb") && !pattern.glob.fits("xab"));
        assert_eq!(pattern.longest_literal().as_deref(), Some("ab"));
    }
}
