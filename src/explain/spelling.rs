//! Reading codes out of what people type and paste.

use std::fmt;
use std::ops::Range;

use super::kind::{Kind, all_names};
use crate::knowledge::Knowledge;
use crate::knowledge::codes::tables;
use crate::rules::closest;

/// The most characters of one text that are looked at: more than any line with a code in it has.
const LONGEST: usize = 4096;
/// More characters than a name has.
const LONGEST_NAME: usize = 100;
/// The most codes of one text.
const MOST_CODES: usize = 32;

/// A code as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub code: u32,
    pub form: Form,
    /// What the words before it call it.
    pub label: Option<Label>,
    /// The source of the event whose id it is, where the words before it name that.
    pub provider: Option<&'static str>,
    /// The parameters of the stop that it is, where they stand behind it.
    pub parameters: Vec<u64>,
}

/// How a code was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In hexadecimal; with all eight digits, or more.
    Hexadecimal { whole: bool },
    /// In decimal.
    Decimal,
    /// In decimal with a sign.
    Signed,
    /// By the name of a code of this kind.
    Name(Kind),
}

/// What words before a code say that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Exception,
    Exit,
    WinError,
    HResult,
    Bugcheck,
    /// A live kernel report: its code is written in hexadecimal without `0x`.
    LiveReport,
    FastFail,
    CudaError,
    Event,
    /// A number that is called a code, and not which one.
    Code,
    /// A number that is called an error: in decimal a system error, in hexadecimal it may be a stop or a status.
    Error,
    DeviceProblem,
    Errno,
    Xid,
    CublasStatus,
    CudnnStatus,
}

impl Label {
    /// Whether the words mean one kind of code and nothing else.
    pub(super) fn names_one_kind(self) -> bool {
        match self {
            Self::WinError
            | Self::HResult
            | Self::Bugcheck
            | Self::LiveReport
            | Self::FastFail
            | Self::CudaError
            | Self::Event
            | Self::DeviceProblem
            | Self::Errno
            | Self::Xid
            | Self::CublasStatus
            | Self::CudnnStatus => true,
            Self::Exception | Self::Exit | Self::Code | Self::Error => false,
        }
    }
}

/// Words that say what the code after them is. Where several stand before a code, the last one counts, and of those that
/// end at the same place the longest.
const LABELS: &[(&str, Label)] = &[
    ("winerror", Label::WinError),
    ("win32", Label::WinError),
    ("code", Label::Code),
    ("device manager code", Label::DeviceProblem),
    ("problem code", Label::DeviceProblem),
    ("errno", Label::Errno),
    // How Python prints its exceptions; where it means another number, it says so itself: `[WinError 126]`.
    ("oserror", Label::Errno),
    ("ioerror", Label::Errno),
    ("xid", Label::Xid),
    ("cublas", Label::CublasStatus),
    ("cublas error", Label::CublasStatus),
    ("cublas status", Label::CublasStatus),
    ("cudnn", Label::CudnnStatus),
    ("cudnn error", Label::CudnnStatus),
    ("cudnn status", Label::CudnnStatus),
    ("error", Label::Error),
    ("error code", Label::Error),
    ("getlasterror", Label::WinError),
    ("hresult", Label::HResult),
    ("hr", Label::HResult),
    ("ntstatus", Label::Exception),
    ("status", Label::Exception),
    ("exception", Label::Exception),
    ("exception code", Label::Exception),
    ("exit", Label::Exit),
    ("exit code", Label::Exit),
    ("exit status", Label::Exit),
    ("exitcode", Label::Exit),
    ("exited", Label::Exit),
    ("returned", Label::Exit),
    ("return code", Label::Exit),
    ("errorlevel", Label::Exit),
    ("lastexitcode", Label::Exit),
    ("bugcheck", Label::Bugcheck),
    ("bugcheckcode", Label::Bugcheck),
    ("bug check", Label::Bugcheck),
    ("stop", Label::Bugcheck),
    ("stop code", Label::Bugcheck),
    ("stop error", Label::Bugcheck),
    ("bsod", Label::Bugcheck),
    ("blue screen", Label::Bugcheck),
    ("livekernelevent", Label::LiveReport),
    ("live kernel event", Label::LiveReport),
    ("fast fail", Label::FastFail),
    ("fast-fail", Label::FastFail),
    ("fastfail", Label::FastFail),
    ("fail fast", Label::FastFail),
    ("fast_fail", Label::FastFail),
    ("cuda", Label::CudaError),
    ("cuda error", Label::CudaError),
    ("cuda runtime error", Label::CudaError),
    ("cudaerror", Label::CudaError),
    ("cudaerror_t", Label::CudaError),
    ("event", Label::Event),
    ("event id", Label::Event),
    ("event-id", Label::Event),
    ("eventid", Label::Event),
    ("ereignis", Label::Event),
    ("ereignis-id", Label::Event),
    ("subcode", Label::FastFail),
    ("sub-code", Label::FastFail),
];

/// What an address is called before which it stands.
const ADDRESSES: &[&str] = &["address", "at", "executing", "location", "offset", "reading", "writing"];

/// There is no code in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCode {
    /// The text.
    pub text: String,
    /// Why it is none.
    pub reason: String,
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no code: {}", self.text, self.reason)
    }
}

impl std::error::Error for NoCode {}

/// All codes of a text in their order, each once.
pub(super) fn read(text: &str, knowledge: &Knowledge) -> Result<Vec<Written>, NoCode> {
    // What stands for a minus where text was typeset: minus sign, en dash, hyphens.
    let text = &text.replace(['\u{2212}', '\u{2013}', '\u{2010}', '\u{2011}'], "-");
    let text = &without_blank_in_status(&without_place_of_xid(&without_grouping(text)));
    let beginning = text.char_indices().nth(LONGEST).map_or(text.as_str(), |(end, _)| text.split_at(end).0).trim();
    if let Some(named) = by_name(beginning, knowledge) {
        return Ok(named);
    }
    let tokens = tokens(beginning);
    let alone = tokens.len() == 1;
    let parameters = parameters(beginning);
    let mut found: Vec<(Written, bool)> = Vec::new();
    let mut after_stop = false;
    for token in &tokens {
        let label = label(token.before);
        let Some((code, form)) = number(token.text, alone || label.is_some_and(is_stop)) else {
            let names = if token.text.contains('_') { by_name(token.text, knowledge) } else { None };
            found.extend(names.into_iter().flatten().map(|written| (written, true)));
            continue;
        };
        let provider = provider(token.before, code).filter(|_| form == Form::Decimal);
        let (code, form) = match label {
            // Libraries that give results above zero give errors below it.
            Some(Label::Errno) if form == Form::Signed => (code.wrapping_neg(), Form::Decimal),
            _ => (code, form),
        };
        let is_hexadecimal = matches!(form, Form::Hexadecimal { .. });
        // Windows' records write a stop with its four parameters behind it, and people paste no more than that.
        let own = parameters.as_ref().filter(|list| list.owner == token.end);
        let label = match label {
            _ if provider.is_some() => Some(Label::Event),
            None if own.is_some() && is_hexadecimal => Some(Label::Bugcheck),
            label => label,
        };
        let is_parameter = parameters.as_ref().is_some_and(|list| list.place.contains(&token.end));
        // The parameters of a stop are no codes, but for the status that is the first of some. Nor are addresses.
        let surely = match label {
            _ if is_called_address(token.before) => false,
            _ if is_parameter => after_stop && code >= 0xC000_0000,
            Some(_) => true,
            None if after_stop => code >= 0xC000_0000,
            None => code >= 0x4000_0000 || is_hexadecimal,
        };
        after_stop |= label.is_some_and(is_stop);
        let parameters = own.filter(|_| label.is_some_and(is_stop)).map(|list| list.values.clone()).unwrap_or_default();
        found.push((Written { code, form, label, provider, parameters }, surely));
    }
    // In a sentence, numbers that nothing speaks for are versions, lines, and the like.
    if found.iter().any(|(_, surely)| *surely) {
        found.retain(|(_, surely)| *surely);
    }
    let mut codes: Vec<Written> = Vec::new();
    for (written, _) in found {
        if codes.len() < MOST_CODES && !codes.iter().any(|known| known.code == written.code) {
            codes.push(written);
        }
    }
    if codes.is_empty() { Err(no_code(beginning, &tokens, knowledge)) } else { Ok(codes) }
}

/// `NVRM: Xid (PCI:0000:01:00): 79, ...` is `NVRM: Xid : 79, ...`: between the word and its number stands where the GPU is.
fn without_place_of_xid(text: &str) -> String {
    let place = text.to_ascii_lowercase().find("xid (pci").and_then(|at| at.checked_add("xid ".len()));
    let end = place.and_then(|at| text.get(at..)?.find(')')?.checked_add(at)?.checked_add(1));
    match place.zip(end) {
        Some((at, end)) => [text.get(..at).unwrap_or_default(), text.get(end..).unwrap_or_default()].concat(),
        None => text.to_owned(),
    }
}

/// `3.221.226.505` is `3221226505`: spreadsheets write large numbers in groups of three digits, each country with another
/// separator. Only numbers of ten digits are meant, which all codes that are written in decimal have, and no version has.
fn without_grouping(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let within = plain.ends_with(|c: char| c.is_ascii_alphanumeric() || SEPARATORS.contains(&c) && c != ' ');
        let (number, end) = match grouped(rest).filter(|_| !within) {
            Some((number, length)) => (number, length),
            None => (next.to_string(), next.len_utf8()),
        };
        plain.push_str(&number);
        rest = rest.get(end..).unwrap_or_default();
    }
    plain
}

/// What stands between groups of digits: of the last three, blanks that no line breaks at.
const SEPARATORS: &[char] = &['.', ',', '\'', '\u{2019}', ' ', '\u{A0}', '\u{202F}', '\u{2009}'];

/// The number of 32 bits and ten digits in groups that a text begins with, without what separates them, and its length.
fn grouped(text: &str) -> Option<(String, usize)> {
    let mut rest = text.strip_prefix(|c: char| c.is_ascii_digit())?;
    let separator = rest.chars().next().filter(|c| SEPARATORS.contains(c))?;
    let mut digits = text.get(..1)?.to_owned();
    for _ in 0..3 {
        let group = rest.strip_prefix(separator)?.get(..3).filter(|g| g.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.push_str(group);
        rest = rest.strip_prefix(separator)?.get(3..)?;
    }
    let goes_on = rest.starts_with(|c: char| c.is_ascii_alphanumeric())
        || rest.strip_prefix(separator).is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
    let is_code = !goes_on && digits.parse::<u32>().is_ok();
    is_code.then(|| (digits, text.len().saturating_sub(rest.len())))
}

/// Four numbers in parentheses, as the parameters of a stop stand behind it.
struct Parameters {
    /// Where the number before them ends.
    owner: usize,
    /// Where they are.
    place: Range<usize>,
    values: Vec<u64>,
}

/// The first such list of a text.
fn parameters(text: &str) -> Option<Parameters> {
    let value = |part: &str| {
        let part = part.trim().replace('`', "");
        let prefixed = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
        let digits = prefixed.or_else(|| Some(part.as_str()).filter(|part| matches!(part.len(), 8 | 16)))?;
        u64::from_str_radix(digits, 16).ok()
    };
    text.match_indices('(').find_map(|(open, _)| {
        let length = text.get(open..)?.find(')')?;
        let close = open.saturating_add(length);
        let list = text.get(open.saturating_add(1)..close)?;
        let values: Vec<u64> = list.split(',').map(value).collect::<Option<_>>()?;
        let owner = text.get(..open)?.trim_end().len();
        (values.len() == 4).then_some(Parameters { owner, place: open..close.saturating_add(1), values })
    })
}

/// Whether the word before a number says that it is an address.
fn is_called_address(before: &str) -> bool {
    let before = before.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()).to_ascii_lowercase();
    ADDRESSES.iter().any(|word| end_of(word, &before) == Some(before.len()))
}

/// `c000 0005` and `c000-0005` are `c0000005`.
fn without_blank_in_status(text: &str) -> String {
    let hexadecimal = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let upper_half = |word: &str| {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        hexadecimal(digits) && digits.to_ascii_lowercase().starts_with("c0")
    };
    let trimmed = |half: &str| hexadecimal(half.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()));
    let joined_by_hyphen = |word: &&str| {
        let halves = word.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).split_once('-');
        halves.is_some_and(|(upper, lower)| upper_half(upper) && trimmed(lower))
    };
    let text = &text
        .split(' ')
        .map(|word| Some(word).filter(joined_by_hyphen).map_or_else(|| word.to_owned(), |word| word.replace('-', "")))
        .collect::<Vec<_>>()
        .join(" ");
    let words: Vec<&str> = text.split(' ').collect();
    let mut joined = String::with_capacity(text.len());
    for (place, word) in words.iter().enumerate() {
        joined.push_str(word);
        let next = words.get(place.saturating_add(1));
        let halves = upper_half(word) && next.is_some_and(|next| trimmed(next));
        if next.is_some() && !halves {
            joined.push(' ');
        }
    }
    joined
}

/// The arguments of a command line as texts: one that only says what the code behind it is, such as `WinError`, goes with
/// the next, as if both had stood in quotation marks.
pub(super) fn with_their_labels(arguments: &[String], knowledge: &Knowledge) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut open = false;
    for argument in arguments {
        match texts.last_mut().filter(|_| open) {
            Some(text) => {
                text.push(' ');
                text.push_str(argument);
            }
            None => texts.push(argument.clone()),
        }
        open = is_part_of_label(argument) && by_name(argument, knowledge).is_none();
    }
    texts
}

/// Whether a word stands in words that say what a code is, or in the name of an event's source.
fn is_part_of_label(word: &str) -> bool {
    let word = word.trim_matches(|end: char| !end.is_ascii_alphanumeric()).to_ascii_lowercase();
    let has = |words: &str| words.split_whitespace().any(|part| part.eq_ignore_ascii_case(&word));
    let source = || tables().events.iter().any(|event| event.called.iter().any(|name| has(name)));
    !word.is_empty() && (LABELS.iter().any(|(words, _)| has(words)) || source())
}

fn is_stop(label: Label) -> bool {
    matches!(label, Label::Bugcheck | Label::LiveReport)
}

/// A number or word of a text, with what stands between it and the one before that is a number.
struct Token<'t> {
    text: &'t str,
    before: &'t str,
    /// Where in the text it ends.
    end: usize,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let part_of_token = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '`';
    let mut tokens = Vec::new();
    let mut label_start = 0_usize;
    let mut at = 0_usize;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(offset) = rest.find(part_of_token) else { break };
        let start = at.saturating_add(offset);
        let word = text.get(start..).unwrap_or_default();
        let end = start.saturating_add(word.find(|c: char| !part_of_token(c)).unwrap_or(word.len()));
        let before = text.get(..start).unwrap_or_default();
        // A minus belongs to the number after it, unless it joins two words.
        let negative = before.ends_with('-')
            && word.starts_with(|c: char| c.is_ascii_digit())
            && !before.trim_end_matches('-').ends_with(part_of_token);
        let from = if negative { start.saturating_sub(1) } else { start };
        let token = text.get(from..end).unwrap_or_default();
        let is_number = token.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        tokens.push(Token { text: token, before: text.get(label_start..from).unwrap_or_default(), end });
        if is_number {
            label_start = end;
        }
        at = end;
    }
    tokens
}

/// Where the last of these words ends, if they stand there for themselves.
fn end_of(words: &str, text: &str) -> Option<usize> {
    let inside = |c: char| c.is_ascii_alphanumeric();
    let ends = text.rmatch_indices(words).map(|(start, words)| (start, start.saturating_add(words.len())));
    let mut alone = ends.filter(|(start, end)| {
        !text.get(..*start).unwrap_or_default().ends_with(inside)
            && !text.get(*end..).unwrap_or_default().starts_with(inside)
    });
    alone.next().map(|(_, end)| end)
}

/// The source of the event with this id that the words before it name.
fn provider(before: &str, id: u32) -> Option<&'static str> {
    let before = before.to_ascii_lowercase();
    let events = tables().events.iter().filter(|event| event.id == id);
    let named = events.filter(|event| event.called.iter().any(|name| end_of(name, &before).is_some()));
    named.map(|event| event.provider).next()
}

/// What the words before a code say that it is.
fn label(before: &str) -> Option<Label> {
    let before = before.to_ascii_lowercase();
    let found = LABELS.iter().filter_map(|(words, label)| Some((end_of(words, &before)?, words.len(), *label)));
    // "Code" says nothing where another word says what kind of code.
    found.max_by_key(|(end, length, label)| (*label != Label::Code, *end, *length)).map(|(_, _, label)| label)
}

/// The number that a token is. Short numbers in hexadecimal without `0x` (`7E`, `1a8`) only if `bare` ones are taken.
fn number(token: &str, bare: bool) -> Option<(u32, Form)> {
    // Debuggers put a back quote into the middle of 64-bit numbers.
    let token = token.replace('`', "");
    let (negative, digits) = match token.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, token.as_str()),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let code = hexadecimal(hex)?;
        let code = if negative { code.wrapping_neg() } else { code };
        return Some((code, Form::Hexadecimal { whole: hex.len() >= 8 }));
    }
    if negative {
        return Some((
            digits.parse::<i64>().ok()?.checked_neg()?.try_into().ok().map(i32::cast_unsigned)?,
            Form::Signed,
        ));
    }
    let only_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Eight or sixteen digits are hexadecimal, as Windows writes codes in reports.
    let whole = matches!(digits.len(), 8 | 16);
    if only_decimal && !whole {
        return Some((narrow(digits.parse().ok()?)?, Form::Decimal));
    }
    let hex = digits.strip_suffix(['h', 'H']).unwrap_or(digits);
    let has_digit = hex.bytes().any(|byte| byte.is_ascii_digit());
    if whole || matches!(hex.len(), 8 | 16) {
        return hexadecimal(hex).filter(|_| has_digit).map(|code| (code, Form::Hexadecimal { whole: true }));
    }
    let short = bare && has_digit && hex.len() <= 4;
    short.then(|| hexadecimal(hex)).flatten().map(|code| (code, Form::Hexadecimal { whole: false }))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    narrow(u64::from_str_radix(digits, 16).ok().filter(|_| all)?)
}

/// A 32-bit code that may have been sign-extended to 64 bits.
fn narrow(value: u64) -> Option<u32> {
    let low = u32::try_from(value & 0xFFFF_FFFF).ok()?;
    let extension = value >> 32;
    (extension == 0 || (extension == 0xFFFF_FFFF && low >= 0x8000_0000)).then_some(low)
}

/// The codes of a name, whatever its case, with or without what stands before it in the headers.
fn by_name(text: &str, knowledge: &Knowledge) -> Option<Vec<Written>> {
    if text.len() > LONGEST_NAME || !text.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    for name in aliases(text) {
        let mut found: Vec<Written> = Vec::new();
        for (_, kind, code) in all_names(knowledge).filter(|(known, _, _)| known.eq_ignore_ascii_case(&name)) {
            // Of two numbers that cuDNN gave a name, the later one is larger, and stands later.
            found.retain(|written| (written.form, kind) != (Form::Name(Kind::CudnnStatus), Kind::CudnnStatus));
            if !found.iter().any(|written| written.code == code) {
                found.push(Written {
                    code,
                    form: Form::Name(kind),
                    label: None,
                    provider: None,
                    parameters: Vec::new(),
                });
            }
        }
        if !found.is_empty() {
            return Some(found);
        }
    }
    None
}

/// A name, and what the same code is called elsewhere: programs see `STATUS_ACCESS_VIOLATION` as
/// `EXCEPTION_ACCESS_VIOLATION`, and people leave out what stands before the name proper.
fn aliases(text: &str) -> Vec<String> {
    let upper = text.to_ascii_uppercase();
    let mut names = vec![text.to_owned()];
    if let Some(rest) = upper.strip_prefix("EXCEPTION_") {
        let long = [("FLT_", "FLOAT_"), ("INT_", "INTEGER_"), ("PRIV_", "PRIVILEGED_")]
            .iter()
            .find_map(|(short, long)| rest.strip_prefix(short).map(|rest| format!("STATUS_{long}{rest}")));
        names.push(long.unwrap_or_else(|| format!("STATUS_{rest}")));
    }
    if upper.contains('_') && !upper.contains(' ') {
        names.extend(["STATUS_", "FAST_FAIL_", "ERROR_"].map(|prefix| format!("{prefix}{upper}")));
    }
    names
}

/// The exception or HRESULT that a number in hexadecimal would be if it had one zero more, or one less.
pub(super) fn neighbour(text: &str, knowledge: &Knowledge) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let places = match digits.len() {
        7 | 9 if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => 0..digits.len(),
        _ => return None,
    };
    let corrected = places.filter_map(|place| {
        let (before, behind) = digits.split_at_checked(place)?;
        match digits.len() {
            7 => Some(format!("{before}0{behind}")),
            _ => Some(format!("{before}{}", behind.strip_prefix('0')?)),
        }
    });
    let mut codes =
        corrected.filter_map(|digits| u32::from_str_radix(&digits, 16).ok()).filter(|code| *code >> 31 == 1);
    codes.find(|code| [Kind::Exception, Kind::HResult].iter().any(|kind| kind.look_up(*code, knowledge).is_some()))
}

fn no_code(text: &str, tokens: &[Token<'_>], knowledge: &Knowledge) -> NoCode {
    let too_large = |token: &&Token<'_>| token.text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let reason = if text.is_empty() {
        "it is empty".to_owned()
    } else if let Some(close) = tokens.iter().find_map(|token| neighbour(token.text, knowledge)) {
        format!("a code has eight hexadecimal digits; did you mean 0x{close:08X}?")
    } else if tokens.len() == 1 && tokens.iter().any(|token| too_large(&token)) {
        "not a number of 32 bits; write 0xC0000409, -1073740791 or 3221226505".to_owned()
    } else if text.len() <= LONGEST_NAME
        && let Some(close) = closest(text, all_names(knowledge).map(|(name, _, _)| name))
    {
        format!("there is no such name; did you mean `{close}`?")
    } else {
        "write a number such as 0xC0000409, -1073740791 or 126, or a name such as STATUS_ACCESS_VIOLATION".to_owned()
    };
    NoCode { text: text.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<u32> {
        let read = read(text, &Knowledge::builtin()).unwrap_or_else(|wrong| panic!("{wrong}"));
        read.into_iter().map(|written| written.code).collect()
    }

    fn one(text: &str) -> Written {
        let mut read = read(text, &Knowledge::builtin()).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(read.len(), 1, "{text}: {read:?}");
        read.remove(0)
    }

    #[test]
    fn a_code_is_the_same_in_every_spelling() {
        for text in [
            "-1073740791",
            "3221226505",
            "0xC0000409",
            "0Xc0000409",
            "c0000409",
            "C0000409h",
            "0x00000000C0000409",
            "0xffffffff`c0000409",
            "0xFFFFFFFFC0000409",
            "18446744072635810825",
            "-0x3FFFFBF7",
            "exit code -1073740791 (0xC0000409)",
            "(0xC0000409)",
            "-1073740791,",
            "STATUS_STACK_BUFFER_OVERRUN",
            "status_stack_buffer_overrun",
            "Stack_Buffer_Overrun",
            "Process finished with exit code -1073740791 (0xC0000409)",
            "Exception Code: c0000409",
            "c000-0409",
            "(0xc000-0409)",
        ] {
            assert_eq!(codes(text), [0xC000_0409], "{text}");
        }
    }

    #[test]
    fn of_very_many_codes_the_first_are_read() {
        let text: Vec<String> = (0..40).map(|number| format!("0x{:08X}", 0xC000_0100_u32 | number)).collect();
        assert_eq!(codes(&text.join(" ")).len(), MOST_CODES);
    }

    #[test]
    fn only_the_sign_may_stand_above_the_lower_half() {
        for text in ["0xFFFFFFFF7FFFFFFF", "0xFFFFFFFF00000005", "0x1C0000409", "18446744069414584325"] {
            assert!(read(text, &Knowledge::builtin()).is_err(), "{text}");
        }
    }

    #[test]
    fn short_numbers_are_read_as_they_are_written() {
        for (text, code, form) in [
            ("126", 126, Form::Decimal),
            ("0x116", 0x116, Form::Hexadecimal { whole: false }),
            ("0x00000116", 0x116, Form::Hexadecimal { whole: true }),
            ("00000116", 0x116, Form::Hexadecimal { whole: true }),
            ("0000000000000007", 7, Form::Hexadecimal { whole: true }),
            ("1a8", 0x1A8, Form::Hexadecimal { whole: false }),
            ("7E", 0x7E, Form::Hexadecimal { whole: false }),
            ("-1", u32::MAX, Form::Signed),
            ("80070005", 0x8007_0005, Form::Hexadecimal { whole: true }),
        ] {
            let written = one(text);
            assert_eq!((written.code, written.form), (code, form), "{text}");
        }
    }

    #[test]
    fn words_before_a_code_say_what_it_is() {
        for (text, code, label) in [
            ("WinError 126", 126, Label::WinError),
            ("[WinError 126] The specified module could not be found", 126, Label::WinError),
            ("OSError: [WinError 1114]", 1114, Label::WinError),
            ("exit code 53", 53, Label::Exit),
            ("exit status 3", 3, Label::Exit),
            ("HRESULT: 0x80070005", 0x8007_0005, Label::HResult),
            ("BugcheckCode 278", 278, Label::Bugcheck),
            ("Bug check 7e", 0x7E, Label::Bugcheck),
            ("LiveKernelEvent 141", 141, Label::LiveReport),
            ("fast fail 7", 7, Label::FastFail),
            ("Stop error 0x9F", 0x9F, Label::Bugcheck),
            ("Xid 79", 79, Label::Xid),
            ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", 79, Label::Xid),
            ("[Errno 22] Invalid argument", 22, Label::Errno),
            ("OSError 22", 22, Label::Errno),
            ("errno -2", 2, Label::Errno),
            ("code 43", 43, Label::Code),
            ("Error 0x1A", 0x1A, Label::Error),
        ] {
            let written = one(text);
            assert_eq!((written.code, written.label), (code, Some(label)), "{text}");
        }
    }

    #[test]
    fn names_are_found_without_their_beginning_and_under_the_names_that_programs_use() {
        for (text, code, kind) in [
            ("FAST_FAIL_FATAL_APP_EXIT", 7, Kind::FastFail),
            ("FATAL_APP_EXIT", 0x4000_0015, Kind::Exception),
            ("VIDEO_TDR_FAILURE", 0x116, Kind::Bugcheck),
            ("EXCEPTION_ACCESS_VIOLATION", 0xC000_0005, Kind::Exception),
            ("EXCEPTION_INT_DIVIDE_BY_ZERO", 0xC000_0094, Kind::Exception),
            ("MOD_NOT_FOUND", 126, Kind::WinError),
            ("E_ACCESSDENIED", 0x8007_0005, Kind::HResult),
            ("C++ exception", 0xE06D_7363, Kind::Exception),
            ("SIGSEGV", 139, Kind::ExitCode),
        ] {
            let written = one(text);
            assert_eq!((written.code, written.form), (code, Form::Name(kind)), "{text}");
        }
    }

    #[test]
    fn several_codes_of_one_text_are_all_read_once() {
        assert_eq!(codes("0xC0000005 and 0xc0000409, again 0xC0000005"), [0xC000_0005, 0xC000_0409]);
        assert_eq!(codes("STOP 0x0000007E (0xC0000005, 0xFFFFF80123456789, 0x0, 0x1)"), [0x7E, 0xC000_0005]);
        assert_eq!(codes("STATUS_ACCESS_VIOLATION (0xC0000005)"), [0xC000_0005]);
    }

    #[test]
    fn large_numbers_may_be_written_in_groups() {
        for text in [
            "3.221.226.505",
            "-1.073.740.791",
            "-1,073,740,791",
            "3'221'226'505",
            "3\u{A0}221\u{A0}226\u{A0}505",
            "exit code 3 221 226 505.",
            "(-1.073.740.791)",
        ] {
            assert_eq!(codes(text), [0xC000_0409], "{text}");
        }
        // More or fewer groups, and what is too large, are no codes.
        for text in ["error 126 in 10.0.190.452", "error 126 in 9.221.226.505", "error 126 in 3.221.226.505.100"] {
            assert_eq!(codes(text), [126], "{text}");
        }
    }

    #[test]
    fn the_parameters_of_a_stop_are_no_codes() {
        for (text, expected) in [
            ("0x1A (0x41792, 0x0, 0x0, 0x0)", &[0x1A][..]),
            ("0x0000009F (0x3, 0xffffe00012345678, 0xfffff80012345678, 0x0)", &[0x9F]),
            ("The bugcheck was: 0x0000001a (0x00041792, 0x00000000, 0x00000000, 0x00000000).", &[0x1A]),
            ("0x1e (0xffffffffc0000005, 0xfffff80012345678, 0x0, 0x8)", &[0x1E, 0xC000_0005]),
            ("0xC0000005 (0x1, 0x2)", &[0xC000_0005, 1, 2]),
        ] {
            assert_eq!(codes(text), expected, "{text}");
        }
        assert_eq!(
            read("0x1A (0x41792, 0x0, 0x0, 0x0)", &Knowledge::builtin()).expect("codes")[0].label,
            Some(Label::Bugcheck)
        );
    }

    #[test]
    fn addresses_are_no_codes() {
        for text in [
            "0xC0000005: Access violation reading location 0x0000000000000000",
            "exception at 0x00000000: 0xC0000005: access violation writing 0x0000000000000010",
            "0xC0000005, fault offset: 0x00012345",
        ] {
            assert_eq!(codes(text), [0xC000_0005], "{text}");
        }
        assert_eq!(codes("stopped at 0xC0000005"), [0xC000_0005], "there is no other");
    }

    #[test]
    fn numbers_that_nothing_speaks_for_are_left_out_of_sentences() {
        assert_eq!(codes("Python 3.9 on line 10: exit code -1073740791"), [0xC000_0409]);
        assert_eq!(codes("error 126 in 2 of 3 runs"), [126]);
    }

    #[test]
    fn what_is_no_code_is_told_with_what_would_be_right() {
        let reason = |text: &str| read(text, &Knowledge::builtin()).expect_err("no code").reason;
        assert!(reason("hello").contains("write a number"), "{}", reason("hello"));
        assert!(reason("VIDEO_TDR_FAILUR").contains("`VIDEO_TDR_FAILURE`"));
        for wide in ["0x1C0000409", "99999999999", "-99999999999", "0x"] {
            assert!(reason(wide).contains("32 bits"), "{wide}: {}", reason(wide));
        }
        for close in ["0xc00000005", "c00000005", "c000005"] {
            assert!(reason(close).ends_with("did you mean 0xC0000005?"), "{close}: {}", reason(close));
        }
        assert_eq!(reason(""), "it is empty");
        assert_eq!(reason("  "), "it is empty");
    }

    #[test]
    fn hostile_texts_are_read_to_an_end() {
        for text in ["é".repeat(10_000), "0x".repeat(10_000), "-".repeat(10_000), "1 ".repeat(10_000), "`".repeat(99)]
        {
            let _ = read(&text, &Knowledge::builtin());
        }
    }
}
