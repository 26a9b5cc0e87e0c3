//! Patterns in which some characters stand for others, as people write them: `*` for any text, `?` for one character.
//!
//! How a pattern is written differs: Sigma rules have an escape character, Windows' commands read `*.*` in their own way.
//! Each writer makes [`Token`]s of its text; [`Glob::from_wildcards`] is for those who know `*` and `?` and nothing else.

use std::fmt;

/// What is expected at a place of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// This text.
    Literal(String),
    /// One character.
    One,
    /// Exactly one character, which must be one of these: for example any of the dashes that programs accept before an
    /// option.
    OneOf(&'static [char]),
    /// Any text, also none.
    Any,
}

/// A compiled pattern. Upper and lower case differ: who compares without regard to case folds pattern and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    /// The parts between the places that can be any text.
    segments: Vec<Segment>,
    /// Whether any text may come before the first and behind the last of them.
    open: (bool, bool),
}

/// What is matched without a gap: of a fixed number of characters, so that its first place is as good as any later one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    tokens: Vec<Token>,
    characters: usize,
}

impl Glob {
    /// The pattern of these tokens.
    #[must_use]
    pub fn new(tokens: &[Token]) -> Self {
        let open = (tokens.first() == Some(&Token::Any), tokens.last() == Some(&Token::Any));
        let parts = tokens.split(|token| *token == Token::Any).filter(|part| !part.is_empty());
        Self { segments: parts.map(Segment::new).collect(), open }
    }

    /// The pattern that a text writes in which only `*` and `?` stand for something else.
    #[must_use]
    pub fn from_wildcards(text: &str) -> Self {
        let mut tokens = Vec::new();
        for part in text.split_inclusive(['*', '?']) {
            let literal = part.trim_end_matches(['*', '?']);
            if !literal.is_empty() {
                tokens.push(Token::Literal(literal.to_owned()));
            }
            match part.chars().next_back() {
                Some('*') => tokens.push(Token::Any),
                Some('?') => tokens.push(Token::One),
                _ => {}
            }
        }
        Self::new(&tokens)
    }

    /// Whether neither `*` nor `?` is in a text.
    #[must_use]
    pub fn is_plain(text: &str) -> bool {
        !text.bytes().any(|byte| matches!(byte, b'*' | b'?'))
    }

    /// Whether the whole text matches the pattern.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
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

    /// Whether every text fits.
    #[must_use]
    pub fn fits_all(&self) -> bool {
        self.segments.is_empty() && self.open.0
    }

    /// The one text that fits, if there is only one.
    #[must_use]
    pub fn only_text(&self) -> Option<&str> {
        match (self.open, self.segments.as_slice()) {
            ((false, false), [Segment { tokens, .. }]) => match tokens.as_slice() {
                [Token::Literal(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// The longest literal part of the pattern: every text that fits contains it.
    #[must_use]
    pub fn longest_literal(&self) -> Option<&str> {
        let literals = self.segments.iter().flat_map(|segment| &segment.tokens).filter_map(|token| match token {
            Token::Literal(text) => Some(text.as_str()),
            _ => None,
        });
        literals.max_by_key(|text| text.len())
    }

    /// The shortest text that fits the pattern.
    #[must_use]
    pub fn shortest(&self) -> String {
        self.segments.iter().map(|segment| segment.written('0')).collect()
    }
}

/// A pattern with `*` and `?` that is compared without regard to case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnyCaseGlob(Glob);

impl AnyCaseGlob {
    /// The pattern that a text writes in which only `*` and `?` stand for something else.
    #[must_use]
    pub fn from_wildcards(text: &str) -> Self {
        Self(Glob::from_wildcards(&lower_case(text)))
    }

    /// Whether the whole text matches the pattern.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.0.fits(&lower_case(text))
    }
}

/// The text in lower case, character by character: what stands at the end of a word changes nothing.
fn lower_case(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = |open: bool| if open { "*" } else { "" };
        let segments: Vec<String> = self.segments.iter().map(|segment| segment.written('?')).collect();
        let behind = star(self.open.1 && !segments.is_empty());
        write!(f, "{}{}{behind}", star(self.open.0), segments.join("*"))
    }
}

impl Segment {
    fn new(tokens: &[Token]) -> Self {
        let characters = tokens.iter().map(|token| match token {
            Token::Literal(text) => text.chars().count(),
            _ => 1,
        });
        Self { characters: characters.sum(), tokens: tokens.to_vec() }
    }

    /// The segment with `one` for each place that can be any character.
    fn written(&self, one: char) -> String {
        let mut written = String::new();
        for token in &self.tokens {
            match token {
                Token::Literal(text) => written.push_str(text),
                Token::OneOf(characters) => written.extend(characters.first()),
                Token::One | Token::Any => written.push(one),
            }
        }
        written
    }

    /// Where the segment ends if the text begins with it.
    fn at_start(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        for token in &self.tokens {
            rest = match token {
                Token::Literal(literal) => rest.strip_prefix(literal.as_str())?,
                Token::OneOf(characters) => rest.strip_prefix(*characters)?,
                Token::One | Token::Any => {
                    let mut characters = rest.chars();
                    characters.next()?;
                    characters.as_str()
                }
            };
        }
        text.len().checked_sub(rest.len())
    }

    /// Where the segment starts if the text ends with it.
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

    #[test]
    fn patterns_fit_whole_texts() {
        for (pattern, text) in [
            ("cudnn*64_8.dll", "cudnn_ops_infer64_8.dll"),
            ("cudnn*64_8.dll", "cudnn64_8.dll"),
            ("python3?.dll", "python39.dll"),
            ("*", ""),
            ("**", "x"),
            ("**a*b*", "xaxxbx"),
            ("", ""),
            ("?", "ß"),
            ("?.evtx", "日.evtx"),
            ("*.dmp", "python.exe.4312.dmp"),
            ("a*b*c", "axxbyybzzc"),
            ("a*c", "ac"),
            ("a?c", "abc"),
            ("?*", "x"),
            ("*ab?d", "abxabcd"),
            ("*ab?d*", "abxabcd"),
            ("a*aab?*c", "a_aaabx_c"),
            ("?b?", "äbü"),
        ] {
            assert!(Glob::from_wildcards(pattern).fits(text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("cudnn*64_8.dll", "cudnn64_8.dll.bak"),
            ("python3?.dll", "python310.dll"),
            ("a*b*c", "aXbX"),
            ("", "a"),
            ("a*c", "abcd"),
            ("a?c", "ac"),
            ("?", ""),
            ("a*a", "a"),
            ("*ab?d", "abxabcde"),
            ("*.evtx", "evtx"),
            ("a", "ab"),
        ] {
            assert!(!Glob::from_wildcards(pattern).fits(text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_can_ignore_case() {
        let fits = |pattern: &str, text: &str| AnyCaseGlob::from_wildcards(pattern).fits(text);
        assert!(fits("PC-*", "pc-7") && fits("größe?.DMP", "GRÖßE1.dmp") && fits("ΣΑΣ", "σας") == fits("σας", "ΣΑΣ"));
        assert!(!fits("PC-*", "xpc-7"));
    }

    #[test]
    fn many_stars_stay_cheap() {
        let pattern = Glob::from_wildcards(&"a*".repeat(50));
        assert!(!pattern.fits(&format!("{}b", "x".repeat(20_000))));
        assert!(pattern.fits(&"a".repeat(20_000)));
        assert!(!Glob::from_wildcards(&"*a".repeat(500)).fits(&"a".repeat(499)));
    }

    #[test]
    fn a_pattern_is_shown_as_it_is_written_and_without_what_can_be_any_text() {
        for (pattern, shown, shortest) in
            [("a**b?.dll", "a*b?.dll", "ab0.dll"), ("**", "*", ""), ("*a*", "*a*", "a"), ("", "", "")]
        {
            let glob = Glob::from_wildcards(pattern);
            assert_eq!((glob.to_string(), glob.shortest()), (shown.to_owned(), shortest.to_owned()));
            assert!(glob.fits(&glob.shortest()));
        }
        assert_eq!(Glob::from_wildcards("ab*cde?").longest_literal(), Some("cde"));
        assert!(
            Glob::from_wildcards("**").fits_all()
                && !Glob::from_wildcards("?*").fits_all()
                && !Glob::from_wildcards("").fits_all()
        );
    }
}
