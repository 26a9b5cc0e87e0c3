//! What a text must contain for an expression to be found in it, read from the expression's letters without compiling it.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::OnceLock;

use memchr::memmem::Finder;

/// Groups in groups beyond this depth need nothing.
const DEEPEST: u8 = 20;

/// Shorter literals, in bytes, are in every text.
const SHORTEST: usize = 2;

/// Something of which one has many literals, more than this, is not looked for: that takes as long as asking the expression.
const MOST: usize = 256;

/// What a text in lower case contains when an expression fits it, with or without regard to case, unless
/// [`has_second_forms`] holds for the text.
#[derive(Debug)]
pub(crate) enum Needs {
    Literal(Literal),
    All(Vec<Self>),
    OneOf(Vec<Self>),
}

/// A literal, prepared to be searched for when it is first searched for: hardly any is.
#[derive(Debug)]
pub(crate) struct Literal {
    text: String,
    /// Ten times as large as most literals.
    finder: OnceLock<Box<Finder<'static>>>,
}

impl Literal {
    fn new(text: String) -> Self {
        Self { text, finder: OnceLock::new() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it first is in a text, in bytes.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        self.finder.get_or_init(|| Box::new(Finder::new(&self.text).into_owned())).find(text)
    }
}

/// Literals of which every text in lower case that fits the expression, with or without regard to case, contains at least one,
/// unless [`has_second_forms`] holds for it. `None` where fitting texts need have nothing in common, or where the expression
/// has parts that are not understood here.
#[must_use]
pub fn needed(expression: &str) -> Option<Vec<String>> {
    let needs = needs(expression)?;
    let mut literals = Vec::new();
    needs.rarest(&mut literals);
    Some(literals.into_iter().map(|literal| literal.text.clone()).collect())
}

/// All that is known to be needed.
pub(crate) fn needs(expression: &str) -> Option<Needs> {
    let mut scan = Scan { rest: expression.chars().peekable(), depth: 0 };
    let found = scan.alternatives()?;
    // A parenthesis that nothing opened: no expression.
    if scan.rest.peek().is_some() { None } else { found }
}

impl Needs {
    /// Whether they are there, by whether each literal is.
    pub fn hold(&self, is_there: &impl Fn(&Literal) -> bool) -> bool {
        match self {
            Self::Literal(literal) => is_there(literal),
            Self::All(all) => all.iter().all(|one| one.hold(is_there)),
            Self::OneOf(all) => all.iter().any(|one| one.hold(is_there)),
        }
    }

    /// Adds literals of which one is needed.
    pub fn rarest<'n>(&'n self, literals: &mut Vec<&'n Literal>) {
        match self {
            Self::Literal(literal) => literals.push(literal),
            // The rarest stands first.
            Self::All(all) => all.iter().take(1).for_each(|one| one.rarest(literals)),
            Self::OneOf(all) => all.iter().for_each(|one| one.rarest(literals)),
        }
    }

    /// How many literals there are.
    fn count(&self) -> usize {
        match self {
            Self::Literal(_) => 1,
            Self::All(all) | Self::OneOf(all) => all.iter().map(Self::count).fold(0, usize::saturating_add),
        }
    }

    /// The same with fewer needs if there are too many, or none.
    fn bounded(self) -> Option<Self> {
        match self {
            few if few.count() <= MOST => Some(few),
            Self::All(all) => all.into_iter().find_map(Self::bounded),
            _ => None,
        }
    }

    /// The length of the shortest literal that is enough.
    fn shortest(&self) -> usize {
        match self {
            Self::Literal(literal) => literal.text.len(),
            Self::All(all) => all.first().map_or(0, Self::shortest),
            Self::OneOf(all) => all.iter().map(Self::shortest).min().unwrap_or(0),
        }
    }
}

/// Whether a text in lower case has letters that equal other small letters when case makes no difference, such as the long
/// `ſ`, which is an `s`. They are so rare in texts that nothing is looked for there.
#[must_use]
pub fn has_second_forms(text: &str) -> bool {
    // The first bytes of such letters.
    let may_begin = |byte: u8| matches!(byte, 0xC5 | 0xCD..=0xCF | 0xE1 | 0xE2 | 0xEF);
    text.bytes().any(may_begin) && text.chars().any(is_second_form)
}

/// Whether there is another small letter that is equal to this one when case makes no difference, and is used more often.
fn is_second_form(letter: char) -> bool {
    matches!(
        letter,
        '\u{17F}'
            | '\u{345}'
            | '\u{3BC}'
            | '\u{3C2}'
            | '\u{3D0}'
            | '\u{3D1}'
            | '\u{3D5}'
            | '\u{3D6}'
            | '\u{3F0}'
            | '\u{3F1}'
            | '\u{3F5}'
            | '\u{1C80}'
            ..='\u{1C88}' | '\u{1E9B}' | '\u{1FBE}' | '\u{1FD3}' | '\u{1FE3}' | '\u{FB06}'
            // In no text in lower case, but in others.
            | '\u{212A}' | '\u{212B}' | '\u{2126}'
    )
}

/// What a part of an expression is.
enum Atom {
    /// One letter, in lower case.
    Letter(char),
    /// Something else.
    Other(Option<Needs>),
}

/// How often a part is repeated.
enum Repeated {
    Once,
    AtLeastOnce,
    PerhapsNever,
}

struct Scan<'e> {
    rest: Peekable<Chars<'e>>,
    depth: u8,
}

/// Reads an expression by its grammar. `None` from any of these: something is not understood.
impl Scan<'_> {
    /// Branches up to the end of the group.
    fn alternatives(&mut self) -> Option<Option<Needs>> {
        let mut all = Some(Vec::new());
        loop {
            let branch = self.branch()?;
            all = all.zip(branch).map(|(mut all, branch)| {
                all.push(branch);
                all
            });
            if self.rest.next_if_eq(&'|').is_none() {
                let one_of = all.map(|mut all| if all.len() == 1 { all.pop() } else { Some(Needs::OneOf(all)) });
                return Some(one_of.flatten().and_then(Needs::bounded));
            }
        }
    }

    /// One branch: what each of its parts needs, the rarest first.
    fn branch(&mut self) -> Option<Option<Needs>> {
        let mut all: Vec<Needs> = Vec::new();
        let mut run = String::new();
        let mut end = |run: &mut String, needs: Option<Needs>| {
            let literal = Some(std::mem::take(run))
                .filter(|run| run.len() >= SHORTEST)
                .map(|run| Needs::Literal(Literal::new(run)));
            for one in literal.into_iter().chain(needs) {
                match one {
                    Needs::All(parts) => all.extend(parts),
                    one => all.push(one),
                }
            }
        };
        while let Some(&next) = self.rest.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let atom = self.atom()?;
            match (atom, self.repeated()?) {
                (Atom::Letter(letter), Repeated::Once) => run.push(letter),
                (Atom::Letter(letter), Repeated::AtLeastOnce) => {
                    run.push(letter);
                    end(&mut run, None);
                }
                (Atom::Other(needs), Repeated::Once | Repeated::AtLeastOnce) => end(&mut run, needs),
                (_, Repeated::PerhapsNever) => end(&mut run, None),
            }
        }
        end(&mut run, None);
        all.sort_by_key(|one| std::cmp::Reverse(one.shortest()));
        Some(if all.len() > 1 { Some(Needs::All(all)) } else { all.pop() })
    }

    fn atom(&mut self) -> Option<Atom> {
        Some(match self.rest.next()? {
            '(' => return self.group(),
            '[' => return self.class(),
            '\\' => return self.escaped(),
            '.' | '^' | '$' => Atom::Other(None),
            '*' | '+' | '?' | '{' => return None,
            letter => small(letter).map_or(Atom::Other(None), Atom::Letter),
        })
    }

    fn group(&mut self) -> Option<Atom> {
        if self.rest.next_if_eq(&'?').is_some() {
            self.rest.next_if_eq(&'P');
            if self.rest.next_if_eq(&'<').is_some() {
                self.rest.by_ref().find(|character| *character == '>')?;
            } else {
                // Flags: of those, only that blanks mean nothing changes what is needed.
                loop {
                    match self.rest.next()? {
                        ':' => break,
                        ')' => return Some(Atom::Other(None)),
                        'i' | 'm' | 's' | 'U' | 'u' | '-' => {}
                        _ => return None,
                    }
                }
            }
        }
        self.depth = self.depth.checked_add(1).filter(|depth| *depth <= DEEPEST)?;
        let needs = self.alternatives()?;
        self.depth = self.depth.saturating_sub(1);
        (self.rest.next()? == ')').then_some(Atom::Other(needs))
    }

    /// A class of characters. One with a single letter is that letter.
    fn class(&mut self) -> Option<Atom> {
        let mut only = None;
        let mut count = 0_usize;
        let mut first = true;
        loop {
            match self.rest.next()? {
                ']' if !first => break,
                '^' if first => {
                    count = 2;
                    // A bracket right behind it closes nothing.
                    self.rest.next_if_eq(&']');
                }
                // Classes in classes and calculations with them.
                '[' => return None,
                '\\' => {
                    // The digits or the name behind the letter count as characters, too.
                    let escaped = self.rest.next()?;
                    only = Some(escaped).filter(char::is_ascii_punctuation);
                    count = count.saturating_add(if only.is_some() { 1 } else { 2 });
                }
                character => {
                    only = Some(character);
                    count = count.saturating_add(1);
                }
            }
            first = false;
        }
        let letter = only.filter(|_| count == 1).and_then(small);
        Some(letter.map_or(Atom::Other(None), Atom::Letter))
    }

    fn escaped(&mut self) -> Option<Atom> {
        let escaped = self.rest.next()?;
        match escaped {
            'x' | 'u' | 'U' | 'p' | 'P' => None,
            // `\b{start}` and its like.
            'b' | 'B' if self.rest.peek() == Some(&'{') => None,
            _ if escaped.is_ascii_punctuation() => Some(Atom::Letter(escaped)),
            _ if escaped.is_ascii_alphabetic() => Some(Atom::Other(None)),
            _ => None,
        }
    }

    /// How often what was just read is repeated.
    fn repeated(&mut self) -> Option<Repeated> {
        let mut all = Repeated::Once;
        loop {
            let this = match self.rest.peek() {
                Some('*' | '?') => Repeated::PerhapsNever,
                Some('+') => Repeated::AtLeastOnce,
                Some('{') => {
                    self.rest.next();
                    let mut least = 0_u32;
                    while let Some(digit) = self.rest.peek().and_then(|digit| digit.to_digit(10)) {
                        self.rest.next();
                        least = least.saturating_mul(10).saturating_add(digit);
                    }
                    // Up to the bracket, which is left for below.
                    while matches!(self.rest.peek(), Some(',' | '0'..='9')) {
                        self.rest.next();
                    }
                    if self.rest.peek() != Some(&'}') {
                        return None;
                    }
                    if least == 0 { Repeated::PerhapsNever } else { Repeated::AtLeastOnce }
                }
                _ => return Some(all),
            };
            self.rest.next();
            // Rather few than many: no other meaning of a question mark.
            self.rest.next_if_eq(&'?');
            all = match (all, this) {
                (Repeated::PerhapsNever, _) | (_, Repeated::PerhapsNever) => Repeated::PerhapsNever,
                _ => Repeated::AtLeastOnce,
            };
        }
    }
}

/// The one form in which a letter stands in a text in lower case; `None` for letters that have none or several there.
fn small(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return Some(letter.to_ascii_lowercase());
    }
    let mut small = letter.to_lowercase();
    let one = small.next().filter(|_| small.next().is_none())?;
    (!is_second_form(one) && !is_second_form(letter)).then_some(one)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::*;

    fn found(expression: &str) -> Vec<String> {
        needed(expression).unwrap_or_default()
    }

    #[test]
    fn the_rarest_literals_of_each_branch_are_needed() {
        assert_eq!(found(r"could not load (library|symbol) \w*cudnn.{0,60}error code 127"), ["could not load "]);
        assert_eq!(found(r"\b(adguard|WireGuard|vpn)\b"), ["adguard", "wireguard", "vpn"]);
        assert_eq!(found(r"x[.]dll\.py"), ["x.dll.py"]);
        assert_eq!(found(r"(?<app>a)+c?d{2}efg{0,3}"), ["ef"]);
        assert_eq!(found(r"(?i)Kernel(?-u:\b)|stop"), ["kernel", "stop"]);
        assert_eq!(found(r"sh{3}k{2,3}|at{3}b|(x+yz){2}y"), ["sh", "at", "yz"]);
        assert_eq!(found("Größe|ТОЧКА ВХОДА|断电"), ["größe", "точка входа", "断电"]);
        assert_eq!(found(r"[-]x[\]]y"), ["-x]y"]);
        assert_eq!(found(r"ab[\x41]c[\p{Greek}]def"), ["def"]);
        assert_eq!(found(r"a{2,}?bc+?"), ["bc"]);
    }

    #[test]
    fn what_may_be_missing_or_is_not_understood_is_not_needed() {
        for expression in [
            "a?",
            "a*",
            "(abc)?",
            "(abc){0,2}",
            "abc|",
            "|abc",
            r"\w+",
            "[ab]c?",
            "[^]a]",
            "",
            ".",
            r"\x41bc",
            r"\p{Greek}abc",
            "(?x) a b c",
            "[[:alpha:]]abc",
            r"\b{start}abc",
            "a{",
            "(abc",
            "abc)",
            "*abc",
            "[abc",
        ] {
            assert_eq!(needed(expression), None, "{expression}");
        }
        let deep = format!("{}abc{}", "(".repeat(21), ")".repeat(21));
        let wide = (0..=MOST).map(|number| format!("n{number}")).collect::<Vec<_>>().join("|");
        assert_eq!((needed(&deep), needed(&wide)), (None, None));
    }

    /// All characters that equal this one without regard to case.
    fn equals(character: char) -> BTreeSet<char> {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
        class.case_fold_simple();
        class.iter().flat_map(|range| range.start()..=range.end()).collect()
    }

    fn is_small(character: char) -> bool {
        character.to_lowercase().eq([character])
    }

    #[test]
    fn each_letter_has_one_form_in_texts_in_lower_case() {
        for character in '\0'..=char::MAX {
            let Some(small) = small(character) else { continue };
            let equals = equals(character);
            // A newer standard library knows letters of which the expressions don't know that they have two forms.
            if equals.len() == 1 {
                continue;
            }
            let forms = equals.into_iter().filter(|form| is_small(*form) && !is_second_form(*form));
            assert_eq!(forms.collect::<Vec<_>>(), [small], "{character:?}");
        }
        assert_eq!((small('\u{17F}'), small('\u{130}'), small('ẞ'), small('Д')), (None, None, Some('ß'), Some('д')));
    }
}
