//! Texts of rules, in which `*` is any text and `?` one character.

use super::record::fold;

/// The characters that programs take for the one that begins an option.
///
/// Source: Sigma specification 2.1, modifier `windash`.
const DASHES: [char; 5] = ['-', '/', '\u{2013}', '\u{2014}', '\u{2015}'];

/// What stands at a place of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// This text.
    Literal(String),
    /// One character.
    One,
    /// A character that begins an option.
    Dash,
    /// Any text, also none.
    Any,
}

/// A text with what stands for other text in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The parts between the places that can be any text.
    segments: Vec<Segment>,
    /// Whether any text may come before the first and behind the last of them.
    open: (bool, bool),
    /// Whether upper and lower case differ.
    cased: bool,
}

/// What stands without a gap: of a fixed number of characters, so that its first place is as good as any later one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    tokens: Vec<Token>,
    characters: usize,
}

/// The tokens of a text as a rule writes it. A backslash makes `*`, `?` and itself plain; before anything else it is
/// plain itself.
pub(super) fn tokens(written: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut literal = String::new();
    let mut characters = written.chars().peekable();
    while let Some(character) = characters.next() {
        let wildcard = match character {
            '\\' => {
                literal.push(characters.next_if(|next| matches!(next, '*' | '?' | '\\')).unwrap_or('\\'));
                continue;
            }
            '*' => Token::Any,
            '?' => Token::One,
            _ => {
                literal.push(character);
                continue;
            }
        };
        if !literal.is_empty() {
            tokens.push(Token::Literal(std::mem::take(&mut literal)));
        }
        tokens.push(wildcard);
    }
    if !literal.is_empty() {
        tokens.push(Token::Literal(literal));
    }
    tokens
}

/// The text that the tokens are, if nothing in them stands for another.
pub(super) fn plain(tokens: &[Token]) -> Option<&str> {
    match tokens {
        [] => Some(""),
        [Token::Literal(text)] => Some(text),
        _ => None,
    }
}

/// The same with each dash that begins an option as any of them: one before a letter, digit or `_` and not behind one.
pub(super) fn with_dashes(tokens: Vec<Token>) -> Vec<Token> {
    let mut with = Vec::new();
    for token in tokens {
        let Token::Literal(text) = token else {
            with.push(token);
            continue;
        };
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let (mut literal, mut before) = (String::new(), None);
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let begins = !before.is_some_and(is_word) && characters.peek().copied().is_some_and(is_word);
            if DASHES.contains(&character) && begins {
                if !literal.is_empty() {
                    with.push(Token::Literal(std::mem::take(&mut literal)));
                }
                with.push(Token::Dash);
            } else {
                literal.push(character);
            }
            before = Some(character);
        }
        if !literal.is_empty() {
            with.push(Token::Literal(literal));
        }
    }
    with
}

impl Pattern {
    /// The pattern of these tokens.
    pub(super) fn new(tokens: Vec<Token>, cased: bool) -> Self {
        let open = (tokens.first() == Some(&Token::Any), tokens.last() == Some(&Token::Any));
        let parts = tokens.split(|token| *token == Token::Any).filter(|part| !part.is_empty());
        let segments = parts.map(|part| Segment::new(part, cased)).collect();
        Self { segments, open, cased }
    }

    /// Whether upper and lower case differ.
    pub(super) fn is_cased(&self) -> bool {
        self.cased
    }

    /// Whether the whole text is as the pattern says. The text is folded, unless case counts.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let (first, middle, last) = match self.segments.as_slice() {
            [] => return self.open.0 || text.is_empty(),
            [only] => {
                return match self.open {
                    (false, false) => only.at_start(text) == Some(text.len()),
                    (false, true) => only.at_start(text).is_some(),
                    (true, false) => only.at_end(text).is_some(),
                    (true, true) => only.find(text).is_some(),
                };
            }
            [first, middle @ .., last] => (first, middle, last),
        };
        let start = if self.open.0 { first.find(text) } else { first.at_start(text) };
        let Some(mut rest) = start.and_then(|end| text.get(end..)) else { return false };
        for segment in middle {
            let Some(behind) = segment.find(rest).and_then(|end| rest.get(end..)) else { return false };
            rest = behind;
        }
        if self.open.1 { last.find(rest).is_some() } else { last.at_end(rest).is_some() }
    }

    /// The one text that it is, if there is only one.
    pub(super) fn only_text(&self) -> Option<&str> {
        match (self.open, self.segments.as_slice()) {
            ((false, false), [segment]) => plain(&segment.tokens),
            _ => None,
        }
    }

    /// The longest text that must stand in what matches, folded.
    pub(super) fn longest_literal(&self) -> Option<String> {
        let literals = self.segments.iter().flat_map(|segment| &segment.tokens).filter_map(|token| match token {
            Token::Literal(text) => Some(text),
            _ => None,
        });
        literals.max_by_key(|text| text.len()).map(|text| fold(text).into_owned())
    }
}

impl Segment {
    fn new(tokens: &[Token], cased: bool) -> Self {
        let tokens: Vec<Token> = tokens
            .iter()
            .map(|token| match token {
                Token::Literal(text) if !cased => Token::Literal(fold(text).into_owned()),
                token => token.clone(),
            })
            .collect();
        let characters = tokens.iter().map(|token| match token {
            Token::Literal(text) => text.chars().count(),
            _ => 1,
        });
        Self { characters: characters.sum(), tokens }
    }

    /// Where the segment ends that stands at the start of the text.
    fn at_start(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        for token in &self.tokens {
            rest = match token {
                Token::Literal(literal) => rest.strip_prefix(literal.as_str())?,
                Token::Dash => rest.strip_prefix(DASHES)?,
                Token::One | Token::Any => {
                    let mut characters = rest.chars();
                    characters.next()?;
                    characters.as_str()
                }
            };
        }
        text.len().checked_sub(rest.len())
    }

    /// Where the segment starts that stands at the end of the text.
    fn at_end(&self, text: &str) -> Option<usize> {
        if let [Token::Literal(literal)] = self.tokens.as_slice() {
            return text.strip_suffix(literal.as_str()).map(str::len);
        }
        let before_last = self.characters.checked_sub(1)?;
        let (start, _) = text.char_indices().rev().nth(before_last)?;
        self.at_start(text.get(start..)?).map(|_| start)
    }

    /// Where the first one in the text ends.
    fn find(&self, text: &str) -> Option<usize> {
        if let [Token::Literal(literal), others @ ..] = self.tokens.as_slice() {
            if others.is_empty() {
                return text.find(literal.as_str())?.checked_add(literal.len());
            }
            let mut starts = text.match_indices(literal.as_str()).map(|(start, _)| start);
            // Overlapping places are not among these: `aab?` in `aaabc`.
            let overlapping = literal.len() > 1;
            if !overlapping {
                return starts.find_map(|start| self.end_at(text, start));
            }
        }
        text.char_indices().find_map(|(start, _)| self.end_at(text, start))
    }

    fn end_at(&self, text: &str, start: usize) -> Option<usize> {
        self.at_start(text.get(start..)?)?.checked_add(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(written: &str, text: &str) -> bool {
        Pattern::new(tokens(written), false).is_match(&fold(text))
    }

    #[test]
    fn a_text_without_wildcards_is_the_whole_value_in_any_case() {
        assert!(matches("Cmd.exe", "cMD.EXE") && matches("", "") && matches("ÄRGER", "ärger"));
        assert!(!matches("cmd.exe", "cmd.exe ") && !matches("", "x"));
    }

    #[test]
    fn wildcards_stand_for_any_text_and_for_one_character() {
        for (pattern, text) in [
            ("a*c", "abbc"),
            ("a*c", "ac"),
            ("a?c", "abc"),
            ("*", ""),
            ("**", "x"),
            ("?*", "x"),
            ("*ab?d", "abxabcd"),
            ("*ab?d*", "abxabcd"),
            ("a*b*c", "aXbYbZc"),
            ("a*aab?*c", "a_aaabx_c"),
            ("?b?", "äbü"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*c", "abcd"), ("a?c", "ac"), ("?", ""), ("a*a", "a"), ("*ab?d", "abxabcde")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
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
            assert!(pattern.is_match(text), "{text}");
        }
        assert!(!pattern.is_match("x +enc a-b") && !pattern.is_match("x -enc a/b"));
        assert_eq!(with_dashes(tokens("- x")), tokens("- x"));
    }

    #[test]
    fn case_counts_where_the_rule_says_so() {
        let pattern = Pattern::new(tokens("*Ab*"), true);
        assert!(pattern.is_match("xAb") && !pattern.is_match("xab"));
        assert_eq!(pattern.longest_literal().as_deref(), Some("ab"));
    }
}
