//! Regular expressions of rules over folded texts.
//!
//! A rule set has hundreds of them, a pasted text asks nearly all, and compiling one with all of Unicode takes longer
//! than asking it a thousand times. But what they are asked about is special: it holds no capital letters, and hardly
//! anything but ASCII. So an expression is first compiled for just that, which makes most of it plain literals. What
//! it is for a text with other characters is only looked at when a rough form of it fits such a text.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};
use regex_automata::meta;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::{self, Ast, ClassSet, ClassSetItem, LiteralKind, RepetitionKind, RepetitionRange};
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, HirKind, Look, Repetition};
use regex_syntax::utf8::Utf8Sequences;

/// The most memory that one compiled regular expression may take, bytes.
const LIMIT: usize = 1 << 20;

/// The number of states with which an automaton surely takes less memory than [`LIMIT`]. A state with what belongs to
/// it takes 50 bytes on average, measured; most of them are one byte of a text.
const SURELY_FEW: usize = 4096;

/// Classes of more ranges than this hold the letters of many alphabets.
const MOST_RANGES: usize = 128;

/// After so many searches, an expression gets a form that takes more memory and searches faster.
const OFTEN: usize = 4000;

/// The length that most lines of texts do not exceed, bytes.
const USUAL_LENGTH: usize = 128;

/// Characters outside of ASCII that are equal to ASCII letters when case makes no difference: `k` and `s`.
pub(crate) const ASCII_BUT_FOR_CASE: [char; 2] = ['\u{212A}', '\u{17F}'];

/// A regular expression, compiled when it is first asked.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    text: Arc<str>,
    compiled: Arc<Compiled>,
}

/// The forms of an expression. All but the last are `None` when the expression has none.
#[derive(Debug, Default)]
struct Compiled {
    /// How often the expression was searched for, up to [`OFTEN`].
    asked: AtomicUsize,
    /// The texts of [`Pattern::needs_one_of`], prepared to be searched for.
    needs: OnceLock<Option<Vec<Finder<'static>>>>,
    /// Gives the right answer for texts of ASCII characters that are no capital letters.
    ascii: OnceLock<Option<meta::Regex>>,
    /// The same with an automaton that is built while it runs.
    ascii_often: OnceLock<Option<meta::Regex>>,
    /// Fits every text without capital letters that the expression fits, and some others.
    rough: OnceLock<Option<meta::Regex>>,
    /// The same with an automaton that is built while it runs.
    rough_often: OnceLock<Option<meta::Regex>>,
    /// The expression itself.
    exact: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that is known to compile.
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), compiled: Arc::default() }
    }

    /// Texts of which every folded text that matches contains at least one, unless it contains one of
    /// [`ASCII_BUT_FOR_CASE`]. `None` where matching texts need have nothing in common.
    pub fn needs_one_of(&self) -> Option<Vec<String>> {
        // Only the grammar is read: what the letters and classes mean takes as long again.
        needed(&ast::parse::Parser::new().parse(&without_capitals(&self.text)?).ok()?)
    }

    /// The same, found faster, for texts without [`ASCII_BUT_FOR_CASE`]: reading an expression takes a tenth of
    /// compiling it, and hardly any of a rule's alternatives has anything in common with a text.
    fn may_match(&self, folded: &str) -> bool {
        let prepared = |needs: Vec<String>| needs.iter().map(|text| Finder::new(text).into_owned()).collect();
        let needs = self.compiled.needs.get_or_init(|| self.needs_one_of().map(prepared));
        needs.as_ref().is_none_or(|needs| needs.iter().any(|text| text.find(folded.as_bytes()).is_some()))
    }

    /// The expression as the rule has it.
    pub fn written(&self) -> &str {
        &self.text
    }

    /// Whether the expression is found in a folded text.
    pub fn is_match(&self, folded: &str) -> bool {
        let is_ascii = folded.is_ascii();
        let plain = is_ascii || !folded.contains(ASCII_BUT_FOR_CASE);
        if plain && !self.may_match(folded) {
            return false;
        }
        let Compiled { asked, ascii, ascii_often, rough, rough_often, exact, needs: _ } = &*self.compiled;
        // A long text is as many short ones.
        let times = folded.len().checked_div(USUAL_LENGTH).unwrap_or_default();
        let often = asked.load(Ordering::Relaxed).saturating_add(times) >= OFTEN;
        if !often {
            asked.fetch_add(times.saturating_add(1), Ordering::Relaxed);
        }
        if is_ascii {
            let ascii = if often { ascii_often } else { ascii };
            if let Some(ascii) = ascii.get_or_init(|| lowered(&self.text, Form::Ascii, often)) {
                return ascii.is_match(folded);
            }
        } else if plain
            && let rough = if often { rough_often } else { rough }
            && let Some(rough) = rough.get_or_init(|| lowered(&self.text, Form::Rough, often))
            && !rough.is_match(folded)
        {
            return false;
        }
        // Whether it compiles was found out when the rule was checked.
        exact.get_or_init(|| compile(&self.text).ok()).as_ref().is_some_and(|regex| regex.is_match(folded))
    }
}

/// Says what is wrong with an expression that is no expression or too large to be compiled.
///
/// Most need not be compiled to know that they can be, which takes a hundred times as long as reading them.
pub(crate) fn check(text: &str) -> Result<(), regex::Error> {
    let parsed = ParserBuilder::new().case_insensitive(true).build().parse(text);
    match parsed.ok().as_ref().and_then(most_states) {
        Some(states) if states <= SURELY_FEW => Ok(()),
        _ => compile(text).map(|_| ()),
    }
}

/// How many states the automaton of an expression has at most. `None` for expressions with large classes, of which that
/// is not known without building it.
fn most_states(hir: &Hir) -> Option<usize> {
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
        HirKind::Class(Class::Unicode(_)) => return None,
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

/// Literals of which every match contains one: those of the expression's part with the longest literals.
fn needed(ast: &Ast) -> Option<Vec<String>> {
    match ast {
        Ast::Group(group) => needed(&group.ast),
        Ast::Repetition(repetition) => match repetition.op.kind {
            RepetitionKind::OneOrMore => needed(&repetition.ast),
            RepetitionKind::Range(
                RepetitionRange::Exactly(min) | RepetitionRange::AtLeast(min) | RepetitionRange::Bounded(min, _),
            ) if min > 0 => needed(&repetition.ast),
            _ => None,
        },
        Ast::Concat(concat) => {
            let runs = concat.asts.chunk_by(|a, b| literal(a).is_some() && literal(b).is_some());
            let in_run = |run: &[Ast]| match run {
                [one] => needed(one),
                literals => Some(vec![literals.iter().filter_map(literal).collect()]),
            };
            let shortest = |texts: &Vec<String>| texts.iter().map(String::len).min();
            runs.filter_map(in_run).max_by_key(shortest)
        }
        Ast::Alternation(alternation) => {
            let all: Option<Vec<Vec<String>>> = alternation.asts.iter().map(needed).collect();
            all.map(|all| all.concat())
        }
        _ => literal(ast).map(|character| vec![character.into()]),
    }
}

/// The one character of ASCII that a part of an expression stands for, where it is written as itself. Of other letters,
/// case has more forms than two.
fn literal(ast: &Ast) -> Option<char> {
    let literal = match ast {
        Ast::Literal(literal) => literal,
        Ast::ClassBracketed(class) if !class.negated => match &class.kind {
            ClassSet::Item(ClassSetItem::Literal(literal)) => literal,
            _ => return None,
        },
        _ => return None,
    };
    let as_itself = matches!(literal.kind, LiteralKind::Verbatim | LiteralKind::Meta | LiteralKind::Superfluous);
    Some(literal.c).filter(|character| as_itself && character.is_ascii())
}

/// What an expression is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Ascii,
    Rough,
}

/// Compiles a simpler form of an expression, if there is one, to be asked often or not.
fn lowered(text: &str, form: Form, often: bool) -> Option<meta::Regex> {
    if text.contains(ASCII_BUT_FOR_CASE) || is_elaborate(text, form) {
        return None;
    }
    // Without capital letters in the expression case makes no difference either, and reading it is cheaper.
    let small = without_capitals(text);
    // Without Unicode a class is one of bytes. On ASCII texts that makes no difference.
    let mut parser = ParserBuilder::new().case_insensitive(small.is_none()).unicode(false).utf8(false).build();
    let hir = simplified(parser.parse(small.as_deref().unwrap_or(text)).ok()?, form)?;
    // An automaton that is built while it runs pays off with the second or third thousand characters.
    let config = meta::Config::new().utf8_empty(false).onepass(false).dfa(false).hybrid(often);
    meta::Builder::new().configure(config.nfa_size_limit(Some(LIMIT))).build_from_hir(&hir).ok()
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

/// Whether an expression has something in it that the form can't have: characters written by their numbers or
/// properties, which may be any, and for the rough form calculations with classes, whose result may hold characters
/// outside of ASCII that nobody sees in it.
fn is_elaborate(text: &str, form: Form) -> bool {
    let negations = text.matches("[^").count();
    let complements = ["\\W", "\\D", "\\S"].iter().any(|class| text.contains(class));
    let calculates = negations > 1
        || (negations == 1 && complements)
        || ["&&", "--", "~~"].iter().any(|operator| text.contains(operator));
    if form == Form::Rough && calculates {
        return true;
    }
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character == '\\' && rest.next().is_some_and(|escape| "xuUpP".contains(escape)) {
            return true;
        }
    }
    false
}

/// The expression without parts that texts of the form can't contain. `None` for expressions that turn Unicode on.
fn simplified(hir: Hir, form: Form) -> Option<Hir> {
    let all = |parts: Vec<Hir>| parts.into_iter().map(|part| simplified(part, form)).collect::<Option<Vec<_>>>();
    Some(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if form == Form::Rough => rough_literal(&literal.0),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => characters(class, form)?,
        HirKind::Look(look) if form == Form::Rough && !is_border(look) => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let Repetition { min, max, greedy, sub } = repetition;
            let sub = simplified(*sub, form)?;
            match sub.kind() {
                // The rough form of one character is any number of them already.
                HirKind::Repetition(Repetition { min: 1, max: None, sub: one, .. }) if form == Form::Rough => {
                    Hir::repetition(Repetition { min: min.min(1), max: None, greedy, sub: one.clone() })
                }
                _ => Hir::repetition(Repetition { min, max, greedy, sub: Box::new(sub) }),
            }
        }
        // Nobody asks where a group was found.
        HirKind::Capture(capture) => simplified(*capture.sub, form)?,
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
    })
}

/// Beginning and end of the text or of a line. All others depend on what a letter is.
fn is_border(look: Look) -> bool {
    matches!(look, Look::Start | Look::End | Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF)
}

/// A class of characters; in the rough form, one or more bytes of which those outside of ASCII are any.
fn characters(class: Class, form: Form) -> Option<Hir> {
    let Class::Bytes(mut class) = class else { return None };
    let foreign = class.ranges().iter().any(|range| !range.end().is_ascii());
    class.difference(&bytes(b'A', b'Z'));
    class.difference(&bytes(0x80, 0xFF));
    if form == Form::Ascii {
        return Some(Hir::class(Class::Bytes(class)));
    }
    // One character, or a letter in two cases, is no other character in any text of this kind.
    if !foreign && class.literal().is_some() {
        return Some(Hir::class(Class::Bytes(class)));
    }
    class.union(&bytes(0x80, 0xFF));
    Some(some(class))
}

/// A literal in which everything outside of ASCII is rough: case may make other bytes of it.
fn rough_literal(literal: &[u8]) -> Hir {
    let runs = literal.chunk_by(|a, b| a.is_ascii() == b.is_ascii());
    Hir::concat(runs.map(|run| if run.is_ascii() { Hir::literal(run) } else { some(bytes(0x80, 0xFF)) }).collect())
}

/// One or more bytes of a class.
fn some(class: ClassBytes) -> Hir {
    let sub = Box::new(Hir::class(Class::Bytes(class)));
    Hir::repetition(Repetition { min: 1, max: None, greedy: true, sub })
}

fn bytes(first: u8, last: u8) -> ClassBytes {
    ClassBytes::new([ClassBytesRange::new(first, last)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_automata::nfa::thompson::{self, WhichCaptures};

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
        let bound = most_states(&hir)?;
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
    }

    #[test]
    fn ordinary_expressions_have_simpler_forms() {
        for text in PATTERNS.iter().take(9) {
            assert!(lowered(text, Form::Rough, false).is_some(), "{text}");
            assert!(lowered(text, Form::Ascii, false).is_some(), "{text}");
        }
    }

    #[test]
    fn texts_without_the_words_of_an_expression_are_decided_without_it() {
        let pattern = Pattern::new(r"could not load (library|symbol) \w*cudnn.{0,60}error code 127");
        assert!(!pattern.is_match("größe") && !pattern.is_match("size"));
        assert!(pattern.compiled.exact.get().is_none());
        assert!(pattern.is_match("“could not load library cudnn”: error code 127"));
        assert!(pattern.compiled.exact.get().is_some());
    }
}
