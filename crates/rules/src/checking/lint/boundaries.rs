//! R105: boundaries of words (`\b`, `\B`) that can never hold at their place in a regular expression.

use regex_syntax::Parser;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

use super::linted::Linted;
use crate::language::Term;
use crate::loading::Rule;
use spanned_yaml::{Code, Diagnostic, Span};

/// `R105`: a regular expression with a word boundary (`\b`) between characters that never have one between them.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for (term, _, pattern) in rule.expressions() {
        let written = pattern.written();
        let Some(wrong) = Parser::new().parse(written).ok().and_then(|hir| never(&hir)) else { continue };
        let message = format!("in the regular expression `{written}`, {}", wrong.message());
        rule.warn(Code::R105, place(rule.rule, term, written), message, wrong.help(), found);
    }
}

/// The place of an expression in a term, if it is written there as it is or in single quotes; else that of the term.
pub(super) fn place(rule: &Rule, term: &Term, written: &str) -> Span {
    let text = rule.file.slice(term.span);
    let quoted = written.replace('\'', "''");
    let found = [written, &quoted].into_iter().find_map(|written| Some((text.find(written)?, written.len())));
    let range = found.and_then(|(at, length)| {
        let start = term.span.start.checked_add(at)?;
        Some(start..start.checked_add(length)?)
    });
    range.map_or(term.span, |range| rule.file.span(range))
}

/// A boundary that can't hold at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadBoundary {
    written: &'static str,
    /// Whether a character of a word is before it, and whether one is behind it.
    words: (bool, bool),
    /// Whether other alternatives of the expression can still match.
    of_alternative: bool,
    /// Whether it is an ASCII boundary next to a letter of another alphabet, which it does not count as part of a word.
    foreign: bool,
}

impl BadBoundary {
    pub(super) fn message(self) -> String {
        let Self { written, words, of_alternative, foreign } = self;
        let of = if of_alternative { " at one of the alternatives beside it" } else { "" };
        if foreign {
            return format!(
                "`{written}` does not find the end of a word{of}: it stands beside a letter that is none of ASCII's"
            );
        }
        let what = match words {
            (true, true) => "stands between two characters of words",
            (false, false) => "has no character of a word beside it",
            (true, false) => "stands behind a character of a word and before another one",
            (false, true) => "stands behind another character and before one of a word",
        };
        format!("`{written}` never holds{of}: it {what}")
    }

    pub(super) fn help(self) -> &'static str {
        if self.foreign {
            return "leave it out there: it knows the letters of ASCII only, and holds here only before or behind one";
        }
        match (self.words, self.of_alternative) {
            (_, true) => {
                "write it in those alternatives alone where it can be: it asks for a letter, digit or `_` on exactly one \
                 of its sides"
            }
            ((false, false), false) => "leave it out: it asks for a letter, digit or `_` on exactly one of its sides",
            _ => {
                "leave it out, or write what stands between: it asks for a letter, digit or `_` on exactly one of its sides"
            }
        }
    }
}

/// What can be beside a boundary: a character of a word, or another character or the edge of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Side {
    word: bool,
    other: bool,
}

impl Side {
    const ANY: Self = Self { word: true, other: true };
    const WORD: Self = Self { word: true, other: false };
    const OTHER: Self = Self { word: false, other: true };

    fn or(self, another: Self) -> Self {
        Self { word: self.word || another.word, other: self.other || another.other }
    }

    fn each(self) -> impl Iterator<Item = bool> {
        [(true, self.word), (false, self.other)].into_iter().filter(|(_, can)| *can).map(|(word, _)| word)
    }
}

/// The first boundary of an expression that can't be, if that can be proven.
pub(super) fn never(hir: &Hir) -> Option<BadBoundary> {
    let unicode = Parser::new().parse(r"\w").ok()?;
    let HirKind::Class(Class::Unicode(unicode)) = unicode.kind() else { return None };
    let of = |word: ClassUnicode, meaning| Words { word, meaning }.never(hir, Side::ANY, Side::ANY);
    of(unicode.clone(), Meaning::Unicode).or_else(|| of(of_ascii(), Meaning::Ascii))
}

/// The first boundary of ASCII beside a letter of another alphabet, for which it is not the end of a word.
pub(super) fn foreign(hir: &Hir) -> Option<BadBoundary> {
    let unicode = Parser::new().parse(r"\w").ok()?;
    let HirKind::Class(Class::Unicode(unicode)) = unicode.kind() else { return None };
    let mut word = unicode.clone();
    word.difference(&of_ascii());
    Words { word, meaning: Meaning::Foreign }.never(hir, Side::ANY, Side::ANY)
}

/// The characters of words in ASCII.
fn of_ascii() -> ClassUnicode {
    let range = |(first, last)| ClassUnicodeRange::new(first, last);
    ClassUnicode::new([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')].map(range))
}

/// A meaning of "word".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Unicode,
    Ascii,
    /// Characters of words in Unicode and not in ASCII.
    Foreign,
}

/// One meaning of "word". In Unicode and in ASCII, each looks at its own boundaries.
struct Words {
    word: ClassUnicode,
    meaning: Meaning,
}

/// The end of an expression whose outermost character is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Front,
    Back,
}

impl Words {
    /// The first boundary in an expression that can't hold between what is `before` and `behind` the expression.
    fn never(&self, hir: &Hir, before: Side, behind: Side) -> Option<BadBoundary> {
        match hir.kind() {
            HirKind::Look(look) => self.between(*look, before, behind),
            HirKind::Capture(capture) => self.never(&capture.sub, before, behind),
            HirKind::Alternation(parts) => parts.iter().find_map(|part| self.never(part, before, behind)),
            HirKind::Repetition(repetition) if repetition.max == Some(0) => None,
            HirKind::Repetition(repetition) if repetition.max == Some(1) => self.never(&repetition.sub, before, behind),
            HirKind::Repetition(repetition) => {
                let sub = &repetition.sub;
                let (first, last) = (self.edge(sub, Direction::Front, behind), self.edge(sub, Direction::Back, before));
                self.never(sub, before.or(last), behind.or(first))
            }
            HirKind::Concat(parts) => {
                // What stands behind each part, found from the last one on.
                let mut behinds = vec![behind; parts.len()];
                let mut next = behind;
                for (part, slot) in parts.iter().zip(&mut behinds).rev() {
                    *slot = next;
                    next = self.edge(part, Direction::Front, next);
                }
                let mut previous = before;
                for (number, (part, behind)) in parts.iter().zip(&behinds).enumerate() {
                    if let Some(wrong) = self.never(part, previous, *behind) {
                        return Some(wrong);
                    }
                    if let HirKind::Look(look) = part.kind() {
                        let of_alternatives = || {
                            let after = number.checked_add(1)?;
                            let behind = *behinds.get(after)?;
                            alternatives(parts.get(after)?)
                                .iter()
                                .find_map(|one| self.between(*look, previous, self.edge(one, Direction::Front, behind)))
                        };
                        let before_alternatives = || {
                            let earlier = number.checked_sub(1)?;
                            let ends = alternatives(parts.get(earlier)?).iter();
                            // Of an alternative that may be empty, what stands before it is not looked for.
                            ends.map(|one| self.edge(one, Direction::Back, Side::ANY))
                                .find_map(|end| self.between(*look, end, *behind))
                        };
                        if let Some(wrong) = of_alternatives().or_else(before_alternatives) {
                            return Some(BadBoundary { of_alternative: true, ..wrong });
                        }
                    }
                    previous = self.edge(part, Direction::Back, previous);
                }
                None
            }
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => None,
        }
    }

    /// Whether a boundary can't be between two such characters.
    fn between(&self, look: Look, before: Side, behind: Side) -> Option<BadBoundary> {
        type Holds = fn(bool, bool) -> bool;
        let (is_ascii, written, holds): (bool, &'static str, Holds) = match look {
            Look::WordUnicode => (false, r"\b", |before, behind| before != behind),
            Look::WordAscii => (true, r"\b", |before, behind| before != behind),
            Look::WordUnicodeNegate => (false, r"\B", |before, behind| before == behind),
            Look::WordAsciiNegate => (true, r"\B", |before, behind| before == behind),
            Look::WordStartUnicode => (false, r"\b{start}", |before, behind| !before && behind),
            Look::WordStartAscii => (true, r"\b{start}", |before, behind| !before && behind),
            Look::WordEndUnicode => (false, r"\b{end}", |before, behind| before && !behind),
            Look::WordEndAscii => (true, r"\b{end}", |before, behind| before && !behind),
            _ => return None,
        };
        let pairs: Vec<(bool, bool)> =
            before.each().flat_map(|before| behind.each().map(move |behind| (before, behind))).collect();
        let words = pairs.first().copied().filter(|_| is_ascii == (self.meaning != Meaning::Unicode))?;
        let foreign = self.meaning == Meaning::Foreign;
        let wrong = match self.meaning {
            Meaning::Foreign => [before, behind].contains(&Side::WORD),
            Meaning::Unicode | Meaning::Ascii => !pairs.into_iter().any(|(before, behind)| holds(before, behind)),
        };
        wrong.then_some(BadBoundary { written, words, of_alternative: false, foreign })
    }

    /// What the first character (from the back, the last one) can be of an expression and, where it can be empty, of
    /// what lies beyond.
    fn edge(&self, hir: &Hir, from: Direction, beyond: Side) -> Side {
        match hir.kind() {
            HirKind::Empty => beyond,
            // Before the beginning and behind the end of the text or of a line there is no word.
            HirKind::Look(Look::Start | Look::StartLF | Look::StartCRLF) if from == Direction::Back => Side::OTHER,
            HirKind::Look(Look::End | Look::EndLF | Look::EndCRLF) if from == Direction::Front => Side::OTHER,
            HirKind::Look(_) => beyond,
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).unwrap_or_default();
                let end = if from == Direction::Front { text.chars().next() } else { text.chars().next_back() };
                end.map_or(Side::ANY, |end| self.of_class(&ClassUnicode::new([ClassUnicodeRange::new(end, end)])))
            }
            HirKind::Class(Class::Unicode(class)) => self.of_class(class),
            HirKind::Class(Class::Bytes(bytes)) => {
                bytes.to_unicode_class().map_or(Side::ANY, |class| self.of_class(&class))
            }
            HirKind::Capture(capture) => self.edge(&capture.sub, from, beyond),
            HirKind::Repetition(repetition) if repetition.max == Some(0) => beyond,
            HirKind::Repetition(repetition) => {
                let sub = self.edge(&repetition.sub, from, beyond);
                if repetition.min == 0 { sub.or(beyond) } else { sub }
            }
            HirKind::Concat(parts) if from == Direction::Front => {
                parts.iter().rev().fold(beyond, |beyond, part| self.edge(part, from, beyond))
            }
            HirKind::Concat(parts) => parts.iter().fold(beyond, |beyond, part| self.edge(part, from, beyond)),
            HirKind::Alternation(parts) => {
                let sides = parts.iter().map(|part| self.edge(part, from, beyond));
                sides.reduce(Side::or).unwrap_or(beyond)
            }
        }
    }

    fn of_class(&self, class: &ClassUnicode) -> Side {
        let (mut word, mut other) = (class.clone(), class.clone());
        word.intersect(&self.word);
        other.difference(&self.word);
        let side = Side { word: !word.ranges().is_empty(), other: !other.ranges().is_empty() };
        // A class without characters is found nowhere, whatever stands beside it.
        if side.word || side.other { side } else { Side::ANY }
    }
}

/// The alternatives of a part, if it is one of several.
fn alternatives(hir: &Hir) -> &[Hir] {
    match hir.kind() {
        HirKind::Capture(capture) => alternatives(&capture.sub),
        HirKind::Alternation(parts) => parts,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<BadBoundary> {
        never(&Parser::new().parse(text).expect("an expression"))
    }

    #[test]
    fn a_boundary_that_can_not_be_is_seen() {
        for text in [
            r"did\bn't",
            r"could\s*not\bload",
            r"version:\b\s",
            r"\(\b\)",
            r"^\b'",
            r"\.\b$",
            r"(?:(?:a\bb))",
            r"[a-z]+\b[a-z]+",
            r"(?:\d+\b\d)?x",
            r"x|a\bb",
            r"(?-u:a\bb)",
            r"a\B-",
            r"a\b{start}b",
            r"(?m)^\b ",
            r"(?:a\b)+b",
            r"(?:a|bc)\bd",
        ] {
            assert!(told(text).is_some_and(|wrong| !wrong.of_alternative), "{text}");
        }
    }

    #[test]
    fn one_alternative_that_can_not_be_is_seen() {
        for text in [r"do\b(?:not|'t)", r"(?:failed|loaded:)\b(?:x|yz)", r"could\b(n't|\s+not)", r"(?:a|b-)\b\s"] {
            assert!(told(text).is_some_and(|wrong| wrong.of_alternative), "{text}");
        }
    }

    #[test]
    fn a_boundary_that_may_be_is_none() {
        for text in [
            r"\bnot\b",
            r"\b(?:not|n't)",
            r"\b'",
            r"x\b",
            r"x?\b-",
            r"x*\by",
            r"did\b\s*not",
            r"(?:a|-)\bb",
            r"\w+\b\W+\w+",
            r".\b.",
            r"a\b(?:\s|$)",
            r"^\bx",
            r"x\b$",
            r"(?:ab\b ?)+",
            r"\b[a-z'-]+\b",
            r"(?:a\b )*b",
            r"\b(?:a\b|b)-",
            r"ä\b ",
            r"(?-u:\b)ä",
            r"a\Bb",
            r"[a&&b]\bc",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn a_boundary_of_ascii_finds_no_end_of_a_word_of_another_alphabet() {
        let told = |text: &str| foreign(&Parser::new().parse(text).expect("an expression"));
        for text in [r"está(?-u:\b)", r"(?-u:\b)é", r"(?:a|est[áé])(?-u:\b)", r"(?-u:\b)(?:ab|éc)", r"(?:é(?-u:\b))?"]
        {
            assert!(told(text).is_some(), "{text}");
        }
        for text in [r"está\b", r"est[aá](?-u:\b)", r"é?(?-u:\b)", r"é (?-u:\b)a", r".(?-u:\b)"] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    /// In ASCII, a letter with dots is no character of a word.
    #[test]
    fn what_a_word_is_depends_on_the_boundary() {
        assert!(told(r"ä(?-u:\b)ö").is_some());
        assert!(told(r"ä\bö").is_some());
        assert_eq!(told(r"ä(?-u:\b)o"), None);
    }
}
