//! Regular expressions over texts in lower case.
//!
//! Most of what they are asked about is ASCII. So an expression is first compiled for just that, which makes most of it plain
//! literals. In other texts, what is not ASCII has characters of ASCII standing in for it where the expression does not tell
//! them apart; only the others are compiled with all of Unicode, which takes ten times as long.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use regex::{Captures, Regex, RegexBuilder};
use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, HirKind, Repetition};
use regex_syntax::utf8::Utf8Sequences;

use super::needed::{Literal, Needs, has_second_forms, needs};

/// The most memory that one compiled regular expression may take, bytes.
const LIMIT: usize = 1 << 20;

/// The number of states with which an automaton surely takes less memory than [`LIMIT`]. A state with what belongs to
/// it takes 50 bytes on average, measured; most of them are one byte of a text.
const SURELY_FEW: usize = 4096;

/// The longest expression, bytes. The longest of the built-in rules, with the lists that it names written out, has a fifth of
/// it.
const LONGEST: usize = 32 << 10;

/// The most characters that begin a class or an escape: read, a class of letters takes 6 KiB.
const MOST_CLASSES: usize = 4_000;

/// The states that stand for a class of letters of many alphabets, about.
const STATES_OF_LETTERS: usize = 300;

/// Classes of more ranges than this hold the letters of many alphabets.
const MOST_RANGES: usize = 128;

/// After so many searches, an expression gets a form that takes more memory and searches faster.
const OFTEN: usize = 4000;

/// The length that most lines of texts do not exceed, bytes.
const USUAL_LENGTH: usize = 128;

/// A letter of ASCII that is one to `\w`, stands before and behind a word's end as letters do, and hardly ever in an expression.
const FOREIGN_LETTER: char = '_';
/// A blank to `\s`.
const FOREIGN_BLANK: char = '\u{B}';
/// Neither.
const FOREIGN_SIGN: char = '\u{7F}';

/// A regular expression, compiled when it is first asked.
#[derive(Debug, Clone)]
pub struct Pattern {
    written: Arc<str>,
    /// The expression without names of groups, which have no say in what it is found in.
    text: Arc<str>,
    compiled: Arc<Compiled>,
}

// Which forms an expression has already makes no difference.
impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compiled")
    }
}

/// The forms of an expression. All but the last are `None` when the expression has none.
#[derive(Default)]
struct Compiled {
    /// How often the expression was searched for, up to [`OFTEN`].
    asked: AtomicUsize,
    /// What texts need.
    needs: OnceLock<Option<Needs>>,
    /// Gives the right answer for texts of ASCII characters that are no capital letters.
    ascii: OnceLock<Option<meta::Regex>>,
    /// The same with an automaton that is built while it runs.
    ascii_often: OnceLock<Option<meta::Regex>>,
    /// The expression itself.
    exact: OnceLock<Option<Regex>>,
    /// The expression with the names of its groups.
    named: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that is known to compile (see [`check`]); one that does not is found in no text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let written: Arc<str> = text.into();
        let groups = named_groups(text);
        let text = if groups.is_empty() { Arc::clone(&written) } else { without_names(text, &groups).into() };
        Self { written, text, compiled: Arc::default() }
    }

    /// The expression as it was given.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The names of its groups (`(?<name>...)`), in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let groups = if self.written == self.text { Vec::new() } else { named_groups(&self.written) };
        groups.into_iter().map(|(_, name)| name)
    }

    /// What each named group finds in a text, which may have capital letters; nothing where the expression is not found.
    #[must_use]
    pub fn found<'t>(&self, text: &'t str) -> Vec<(&str, &'t str)> {
        if self.names().next().is_none() {
            return Vec::new();
        }
        let named = self.compiled.named.get_or_init(|| compile(&self.written).ok());
        let captures = named.as_ref().and_then(|regex| regex.captures(text));
        let Some(captures) = captures else { return Vec::new() };
        self.names().filter_map(|name| Some((name, captures.name(name)?.as_str()))).collect()
    }

    /// What its groups find in a text, which may have capital letters. Groups have no names there.
    #[must_use]
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.exact()?.captures(text)
    }

    fn exact(&self) -> Option<&Regex> {
        self.compiled.exact.get_or_init(|| compile(&self.text).ok()).as_ref()
    }

    /// Whether the expression is found in a text in lower case, without regard to case.
    #[must_use]
    pub fn is_match(&self, folded: &str) -> bool {
        if !self.may_match(folded) {
            return false;
        }
        if !has_second_forms(folded)
            && let Some(text) = self.in_ascii(folded)
            && let Some(ascii) = self.ascii(text.len())
        {
            return ascii.is_match(&*text);
        }
        self.exact().is_some_and(|regex| regex.is_match(folded))
    }

    /// Whether a text in lower case has what the expression needs, which is read from the expression without compiling it.
    /// Hardly any has.
    #[must_use]
    pub fn may_match(&self, folded: &str) -> bool {
        let is_there = |literal: &Literal| literal.find(folded.as_bytes()).is_some();
        self.needs().is_none_or(|needs| needs.hold(&is_there)) || has_second_forms(folded)
    }

    pub(crate) fn needs(&self) -> Option<&Needs> {
        self.compiled.needs.get_or_init(|| needs(&self.text)).as_ref()
    }

    /// The text in ASCII, if the expression is found in that exactly when it is found in the text.
    fn in_ascii<'t>(&self, folded: &'t str) -> Option<Cow<'t, str>> {
        if folded.is_ascii() {
            return Some(Cow::Borrowed(folded));
        }
        if !takes_substitutes(&self.text) {
            return None;
        }
        let substitute = |character: char| match character {
            _ if character.is_ascii() => Some(character),
            // Digits of other scripts are digits to `\d`, and nothing of ASCII is a digit that is none of its own.
            _ if character.is_numeric() => None,
            _ if regex_syntax::is_word_character(character) => Some(FOREIGN_LETTER),
            _ if character.is_whitespace() => Some(FOREIGN_BLANK),
            _ => Some(FOREIGN_SIGN),
        };
        folded.chars().map(substitute).collect::<Option<String>>().map(Cow::Owned)
    }

    /// The form for ASCII, to be asked about a text of this length.
    fn ascii(&self, length: usize) -> Option<&meta::Regex> {
        let Compiled { asked, ascii, ascii_often, .. } = &*self.compiled;
        // A long text is as many short ones.
        let times = length.checked_div(USUAL_LENGTH).unwrap_or_default();
        let often = asked.load(Ordering::Relaxed).saturating_add(times) >= OFTEN;
        if !often {
            asked.fetch_add(times.saturating_add(1), Ordering::Relaxed);
        }
        let form = if often { ascii_often } else { ascii };
        form.get_or_init(|| for_ascii(&self.text, often)).as_ref()
    }
}

/// The beginnings of a named group.
const NAMED_GROUPS: [&str; 2] = ["(?<", "(?P<"];

/// The named groups of an expression: the place of each beginning up to its `>`, and the name. What is escaped begins none.
fn named_groups(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut groups = Vec::new();
    if !text.contains('<') {
        return groups;
    }
    for beginning in NAMED_GROUPS {
        for (at, _) in text.match_indices(beginning) {
            let before = text.get(..at).unwrap_or_default();
            let backslashes = before.len().saturating_sub(before.trim_end_matches('\\').len());
            let start = at.saturating_add(beginning.len());
            let name = text.get(start..).and_then(|rest| Some(rest.split_once('>')?.0));
            let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if let Some(name) = name.filter(is_name)
                && backslashes.is_multiple_of(2)
            {
                groups.push((at..start.saturating_add(name.len()).saturating_add(1), name));
            }
        }
    }
    groups.sort_by_key(|(place, _)| place.start);
    groups
}

/// The expression with plain groups in the place of named ones.
fn without_names(text: &str, groups: &[(Range<usize>, &str)]) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    for (place, _) in groups {
        plain.push_str(text.get(at..place.start).unwrap_or_default());
        plain.push_str("(?:");
        at = place.end;
    }
    plain + text.get(at..).unwrap_or_default()
}

/// Whether an expression is so long, or has so many classes, that reading it would take tens of megabytes.
#[must_use]
pub fn is_too_long(text: &str) -> bool {
    let begins_class = |byte: &u8| matches!(byte, b'\\' | b'[');
    text.len() > LONGEST || text.bytes().filter(|byte| begins_class(byte)).count() > MOST_CLASSES
}

/// About how many states the automaton has that is compiled of an expression for most texts. Says what is wrong with an
/// expression that is no expression or too large to be compiled.
///
/// Most need not be compiled to know that they can be, which takes a hundred times as long as reading them.
///
/// # Errors
///
/// What the regular expressions' crate says.
pub fn check(text: &str) -> Result<usize, regex::Error> {
    if is_too_long(text) {
        return Err(regex::Error::CompiledTooBig(LIMIT));
    }
    let parsed = ParserBuilder::new().case_insensitive(true).build().parse(text).ok();
    let known = parsed.as_ref().and_then(|hir| most_states(hir, None));
    if known.is_none_or(|states| states > SURELY_FEW) {
        compile(text)?;
    }
    let ascii = || ParserBuilder::new().case_insensitive(true).unicode(false).utf8(false).build().parse(text).ok();
    let usual = ascii().or(parsed);
    let states = usual.as_ref().and_then(|hir| most_states(hir, Some(STATES_OF_LETTERS)));
    Ok(states.unwrap_or_default().min(LIMIT / 50))
}

/// How many states the automaton of an expression has at most, if a large class has `of_large`; without that, `None` for
/// expressions with large classes, of which it is not known without building the automaton.
fn most_states(hir: &Hir, of_large: Option<usize>) -> Option<usize> {
    let most_states = |hir: &Hir| most_states(hir, of_large);
    let sum = |parts: &[Hir]| {
        parts.iter().try_fold(0_usize, |sum, part| Some(sum.saturating_add(most_states(part)?).saturating_add(1)))
    };
    Some(match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len().saturating_add(1),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len().saturating_add(1),
        HirKind::Class(Class::Unicode(class)) if class.ranges().len() <= MOST_RANGES => {
            let sequences = class.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end()));
            // Read from behind, bytes have less in common: then each sequence may be split once more.
            sequences.map(|sequence| sequence.len().saturating_mul(2)).sum::<usize>().saturating_add(1)
        }
        HirKind::Class(Class::Unicode(_)) => of_large?,
        HirKind::Capture(capture) => most_states(&capture.sub)?.saturating_add(2),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let times = usize::try_from(max.unwrap_or(*min).max(*min).saturating_add(1)).unwrap_or(usize::MAX);
            most_states(sub)?.saturating_add(2).saturating_mul(times)
        }
        HirKind::Concat(parts) => sum(parts)?,
        HirKind::Alternation(parts) => sum(parts)?.saturating_add(1),
    })
}

/// Compiles an expression as it is written.
fn compile(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).case_insensitive(true).size_limit(LIMIT).build()
}

/// Compiles an expression for texts of ASCII without capital letters, to be asked often or not. `None` for expressions with
/// characters written by their numbers or properties, which may be any.
fn for_ascii(text: &str, often: bool) -> Option<meta::Regex> {
    if has_second_forms(text) || is_elaborate(text) {
        return None;
    }
    // Without capital letters in the expression case makes no difference either, and reading it is cheaper.
    let small = without_capitals(text);
    // Without Unicode a class is one of bytes. On ASCII texts that makes no difference.
    let mut parser = ParserBuilder::new().case_insensitive(small.is_none()).unicode(false).utf8(false).build();
    let hir = simplified(parser.parse(small.as_deref().unwrap_or(text)).ok()?)?;
    // An automaton that is built while it runs, and literals to begin with, pay off with the second or third thousand
    // characters.
    let config = meta::Config::new().utf8_empty(false).onepass(false).dfa(false).hybrid(often).auto_prefilter(often);
    let config = config.which_captures(WhichCaptures::None).nfa_size_limit(Some(LIMIT));
    meta::Builder::new().configure(config).build_from_hir(&hir).ok()
}

/// The expression with small letters for capital ones, where it means the same to texts without capital letters.
fn without_capitals(text: &str) -> Option<String> {
    // Flags and names of groups and classes are no characters to be found.
    let names = text.contains("[:");
    if names || text.match_indices("(?").any(|(at, _)| text.as_bytes().get(at.saturating_add(2)) != Some(&b':')) {
        return None;
    }
    let mut small = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut last = ' ';
    while let Some(character) = characters.next() {
        // A range from or to a capital letter: the other end may be anything.
        if character == '-' && (last.is_ascii_uppercase() != characters.peek().is_some_and(char::is_ascii_uppercase)) {
            return None;
        }
        small.push(character.to_ascii_lowercase());
        last = character;
        // What a letter means after a backslash depends on its case.
        if character == '\\'
            && let Some(escaped) = characters.next()
        {
            small.push(escaped);
            last = escaped;
        }
    }
    Some(small)
}

/// Whether an expression has characters written by their numbers or properties.
fn is_elaborate(text: &str) -> bool {
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character == '\\' && rest.next().is_some_and(|escape| "xuUpP".contains(escape)) {
            return true;
        }
    }
    false
}

/// Whether an expression takes all letters that are not ASCII for one that it does not name, and all other characters that
/// are not ASCII likewise.
fn takes_substitutes(text: &str) -> bool {
    let substitutes = [FOREIGN_LETTER, FOREIGN_BLANK, FOREIGN_SIGN];
    let has_flags = text.match_indices("(?").any(|(at, _)| text.as_bytes().get(at.saturating_add(2)) != Some(&b':'));
    // A range over it names it. What is no range but looks like one is rare enough.
    let is_between = |range: &[u8]| match range {
        [from, b'-', to] => {
            substitutes.iter().any(|one| (u32::from(*from)..=u32::from(*to)).contains(&u32::from(*one)))
        }
        _ => false,
    };
    text.is_ascii()
        && !has_flags
        && !text.contains("[:")
        && !text.contains("\\v")
        && !text.contains(substitutes)
        && !is_elaborate(text)
        && !text.as_bytes().windows(3).any(is_between)
}

/// The expression without parts that texts of ASCII without capital letters can't contain. `None` for expressions that turn
/// Unicode on.
fn simplified(hir: Hir) -> Option<Hir> {
    let all = |parts: Vec<Hir>| parts.into_iter().map(simplified).collect::<Option<Vec<_>>>();
    Some(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&bytes(b'A', b'Z'));
            class.difference(&bytes(0x80, 0xFF));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Class(Class::Unicode(_)) => return None,
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(simplified(*repetition.sub)?);
            Hir::repetition(Repetition { sub, ..repetition })
        }
        // Nobody asks where a group was found.
        HirKind::Capture(capture) => simplified(*capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
    })
}

fn bytes(first: u8, last: u8) -> ClassBytes {
    ClassBytes::new([ClassBytesRange::new(first, last)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_automata::nfa::thompson;

    #[test]
    fn named_groups_find_parts_as_they_are_written_and_have_no_say_in_what_is_found() {
        let pattern = Pattern::new(r"could not load library (?<file>\w+\.dll)(?:, error (?<message>\d+))?");
        assert_eq!(pattern.names().collect::<Vec<_>>(), ["file", "message"]);
        assert!(pattern.is_match("could not load library cudnn64_8.dll"));
        assert_eq!(pattern.found("Could not load library CuDNN64_8.dll"), [("file", "CuDNN64_8.dll")]);
        assert_eq!(pattern.found("could not load library a.dll, error 126"), [("file", "a.dll"), ("message", "126")]);
        assert_eq!(pattern.found("it works"), []);
        assert_eq!(Pattern::new("a(b)").found("ab"), []);
        assert!(pattern.written().contains("(?<file>"));
        let pattern = Pattern::new(r"in \(?<module>\)?, (?P<file>a+)");
        assert_eq!(pattern.names().collect::<Vec<_>>(), ["file"]);
        assert!(pattern.is_match("in <module>, aa") && pattern.is_match("in (<module>), aa"));
        assert_eq!(pattern.found("in <module>, aa"), [("file", "aa")]);
    }

    const PATTERNS: &[&str] = &[
        r"cudnn[^0-9]{0,20}8([.][3-9]|[3-9]\d\d\b)",
        r"could not load (library|symbol) \w*cudnn.{0,60}error code 127",
        r"^(sip|qtcore|pyqt\d?|pyside\d?)\b.*\.pyd$",
        r"\b(adguard|wireguard|vpn)\b",
        r"procédure spécifiée est introuvable",
        r"PROCÉDURE|Größe|ТОЧКА ВХОДА",
        r"\\(program files( \(x86\))?|users|programdata)\\",
        r"msvcp140\w*\.dll\W*( was)?\W*(not found|missing)",
        r"s{3}k{2,3}|a{3}b|(x+){2}y",
        r"[^a-z ]{2}|\S\s\S",
        r"[\w--[0-9b-zA-Z_]]|[a&&\w]",
        r"(?-i:Kernel)|(?i)mask|ſ",
        r"\x{212A}elvin|\p{Greek}",
        r"\x4Best|gr(oe|ö)ss",
        r"(?s)a.b|^$",
        r"\Bdriver\B|.é|.\b\W",
        r"[A-z]\d|[!-Z]{3}K|AVX-512|x[^A-Z]y|[^A-Z0-9]Q",
        r"(?P<Name>Kernel)|(?i:MASK)|\W\S\DVPN",
        r"^[^\W\da-z]$|^[^\D0-8]$",
        r"^[^[^\d]0-8]$|^[[:upper:]]b",
        r"^[^\x00-~]$|^[^ -^`-~]$",
    ];

    const TEXTS: &[&str] = &[
        "",
        "cudnn version 8.9",
        "cudnn™ version 8.9",
        "cudnn größe 870 ",
        "could not load library cudnn_cnn.dll. error code 127",
        "could not load symbol “cudnncreate”: error code 127",
        "qtcore5.pyd",
        "pyqt5é.pyd",
        "a vpn; vpné évpn",
        "a vpn",
        "la procédure spécifiée est introuvable",
        "größe, точка входа",
        r"c:\users\jörg\x.dll",
        r"c:\users\x.dll",
        "msvcp140.dll — was not found",
        "msvcp140_1.dll missing",
        "ssskk aaab xxxy",
        "ſſſkk",
        "sskk",
        "k kernel kelvin maſk",
        "kest",
        "mask",
        "12 é! 漢字",
        "driver édriveré xdriverx",
        "a\nb",
        "aéb a漢b",
        "α",
        "_1 ^2",
        "avx-512 xqy x_y #q éq",
        "!\"#k",
        "é",
        "_",
        "9",
        "٩",
        "ab",
        " :vpn é:évpn",
    ];

    #[test]
    fn simpler_forms_change_no_answer() {
        for text in PATTERNS {
            let pattern = Pattern::new(text);
            let exact = compile(text).expect("an expression");
            for round in 0..OFTEN.div_ceil(TEXTS.len()).saturating_add(1) {
                for folded in TEXTS {
                    assert_eq!(pattern.is_match(folded), exact.is_match(folded), "{text} in {folded:?}, {round}");
                }
            }
            // Those that a look at a text decides are not counted; what is made for many is asked all the same.
            pattern.compiled.asked.store(OFTEN, Ordering::Relaxed);
            for folded in TEXTS {
                assert_eq!(pattern.is_match(folded), exact.is_match(folded), "{text} in {folded:?}, often");
            }
        }
    }

    /// An automaton as large as an expression may have according to [`most_states`], and its real size.
    fn bound_and_states(text: &str) -> Option<(usize, usize, usize)> {
        let hir = ParserBuilder::new().case_insensitive(true).build().parse(text).expect("an expression");
        let bound = most_states(&hir, None)?;
        let nfa = |reverse: bool| {
            let captures = if reverse { WhichCaptures::None } else { WhichCaptures::All };
            let config = thompson::Config::new().reverse(reverse).which_captures(captures).shrink(false);
            thompson::Compiler::new().configure(config).build_from_hir(&hir).expect("an automaton")
        };
        let (there, back) = (nfa(false), nfa(true));
        let states = there.states().len().max(back.states().len());
        Some((bound, states, there.memory_usage().max(back.memory_usage())))
    }

    #[test]
    fn what_need_not_be_compiled_to_be_checked_is_small() {
        const MORE: &[&str] = &[
            r"err(or)? 3001\b.{0,40}(failed|broken)",
            r"\d+[.]\d+",
            r"\s*[^\s]+",
            "(?s).{0,60}",
            "[^a]{50}",
            "[\u{80}-\u{10ffff}]{20}",
            "[\u{81}-\u{fffe}x]{20}",
            "k{200}",
            "(a|b|cd|)*",
            "(?:(?:ab){3,}){2}",
        ];
        let mut known = 0;
        for text in PATTERNS.iter().chain(MORE) {
            let Some((bound, states, bytes)) = bound_and_states(text) else { continue };
            known += 1;
            // Each automaton has a few states of its own, that begin and end it.
            assert!(states <= bound + 8, "{text}: {states} states, {bound} at most");
            assert!(bound > SURELY_FEW || bytes < LIMIT / 2, "{text}: {bytes} bytes");
            assert!(check(text).is_ok(), "{text}");
        }
        assert!(known >= MORE.len() + 8, "{known}");
    }

    #[test]
    fn what_is_too_large_or_no_expression_is_refused() {
        for text in ["(((a{100}){100}){100}){10}", r"\w{500}", "a{3000}{20}", "(", "(?<n>a)(?<n>b)", "(?=a)"] {
            assert!(check(text).is_err() && compile(text).is_err(), "{text}");
        }
        for text in [r"\w".repeat(LONGEST / 2), "a".repeat(LONGEST + 1), "[a".repeat(MOST_CLASSES + 1)] {
            assert!(matches!(check(&text), Err(regex::Error::CompiledTooBig(_))), "{} bytes", text.len());
        }
    }

    #[test]
    fn ordinary_expressions_need_no_unicode() {
        for text in PATTERNS.iter().take(9) {
            assert!(for_ascii(text, false).is_some(), "{text}");
        }
        for (text, takes) in [
            (r"\b(adguard|wireguard|vpn)\b", true),
            (r"[^a-z ]{2}|\S\s\S|x-y", true),
            (r"[^ -^`-}]", true),
            (r"a_b", false),
            (r"[A-z]", false),
            (r"[ -~]", false),
            (r"(?-u:\b)x", false),
            (r"[[:alpha:]]", false),
            (r"\x41", false),
            (r"\v", false),
            ("größe", false),
        ] {
            assert_eq!(takes_substitutes(text), takes, "{text}");
        }
    }

    #[test]
    fn texts_without_the_words_of_an_expression_are_decided_without_it() {
        let pattern = Pattern::new(r"could not load (library|symbol) \w*cudnn.{0,60}error code 127");
        assert!(!pattern.is_match("größe") && !pattern.is_match("size"));
        assert!(pattern.compiled.ascii.get().is_none());
        assert!(pattern.is_match("could not load library größe_cudnn: error code 127"));
        assert!(pattern.compiled.ascii.get().is_some() && pattern.compiled.exact.get().is_none());
    }
}
