//! Reading values as rule authors write them, by the type of the fact in the schema.

use std::borrow::Cow;
use std::sync::Arc;

use crate::language::{slips, unknown};
use evidence::{BugcheckCode, Version, base_name};
use facts::{FactDefinition, FactType, Value};
use rule_syntax::mistakes::suggestion;
use windows_codes::{Kind, aliases, code_of, names_of};

/// A text is not a value of the wanted type.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotAValue {
    /// What is wrong.
    pub message: String,
    /// What would be right, with an example.
    pub help: String,
}

/// Reads a value of a fact: codes may have their names, and stop codes the flag of small dumps, which the fact has not.
pub(crate) fn read(fact: &FactDefinition, text: &str) -> Result<Value, NotAValue> {
    let by_name = |wrong: NotAValue| {
        let kind = match (fact.path, fact.kind) {
            (STOP, _) => Kind::Bugcheck,
            ("exception.fast_fail", _) => Kind::FastFail,
            (SYSTEM_ERROR, FactType::Number) => Kind::WinError,
            (_, FactType::Code) => Kind::Exception,
            _ => return Err(wrong),
        };
        let code = code_of(kind, text).map(|code| Value::Number(u64::from(code)));
        code.ok_or_else(|| NotAValue { help: name_like(kind, text).unwrap_or(wrong.help), ..wrong })
    };
    match parse(fact.kind, text).or_else(by_name)? {
        Value::Number(code) if fact.path == STOP => {
            Ok(Value::Number(u32::try_from(code).map_or(code, |code| u64::from(BugcheckCode(code).plain()))))
        }
        value => Ok(value),
    }
}

/// "did you mean" for a text that is close to the name of a code.
fn name_like(kind: Kind, text: &str) -> Option<String> {
    let text = text.trim();
    /// No name is longer.
    const LONGEST: usize = 100;
    if text.len() > LONGEST || !text.contains('_') || !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    aliases(text).iter().find_map(|alias| suggestion(alias, names_of(kind)))
}

/// The fact with a stop's code.
const STOP: &str = "bugcheck.code";
/// The field with the number of a system error.
const SYSTEM_ERROR: &str = "number";

/// Reads a value of the type `kind`.
pub(crate) fn parse(kind: FactType, text: &str) -> Result<Value, NotAValue> {
    let text = text.trim();
    let value = match kind {
        FactType::Word(words) => words.iter().find(|word| **word == text).map(|word| Value::Text(Arc::from(*word))),
        FactType::Code => parse_code(text).map(|code| Value::Number(u64::from(code))),
        FactType::Number => parse_number(text).map(Value::Number),
        FactType::Duration => parse_duration(text).map(Value::Number),
        FactType::Address => parse_address(text).map(Value::Number),
        FactType::Version => text.parse::<Version>().ok().map(Value::Version),
        FactType::Flag => match text {
            "true" => Some(Value::Flag(true)),
            "false" => Some(Value::Flag(false)),
            _ => None,
        },
        FactType::Module | FactType::Path | FactType::Text => (!text.is_empty()).then(|| Value::Text(Arc::from(text))),
    };
    value.ok_or_else(|| NotAValue { message: format!("`{text}` is not {}", noun(kind)), help: help(kind, text) })
}

/// What a value of the type is called, with its article.
pub(crate) fn noun(kind: FactType) -> &'static str {
    match kind {
        FactType::Word(_) => "one of this fact's words",
        FactType::Code => "a code",
        FactType::Number => "a number",
        FactType::Duration => "a duration",
        FactType::Address => "an address",
        FactType::Version => "a version",
        FactType::Module => "a module name",
        FactType::Path => "a path",
        FactType::Text => "a text",
        FactType::Flag => "`true` or `false`",
    }
}

fn help(kind: FactType, text: &str) -> String {
    match kind {
        FactType::Word(words) => unknown::help(text, words.iter().copied(), "it is one of"),
        FactType::Code if is_ambiguous(text) => format!("write 0x{text} if it is hexadecimal"),
        FactType::Code => {
            "a code is written like 0xC0000409, c0000409, -1073740791 or 3221226505, or as its name".to_owned()
        }
        FactType::Number => "a number is written in digits, like 126".to_owned(),
        FactType::Duration => slips::duration(text).unwrap_or_else(|| {
            "a duration is a whole number of seconds, or of a unit: 90 s, 5 min, 2 h, 3 d".to_owned()
        }),
        FactType::Address => "an address is written in hexadecimal, like 0x7286e".to_owned(),
        FactType::Version if text.strip_prefix(['v', 'V']).is_some_and(|rest| rest.parse::<Version>().is_ok()) => {
            format!("write `{}`", text.trim_start_matches(['v', 'V']))
        }
        FactType::Version => "a version is one to four numbers with dots between them, like 14.40.33810.0".to_owned(),
        FactType::Flag => "write `true` or `false`".to_owned(),
        FactType::Module => "a module name is a file name, like ucrtbase.dll".to_owned(),
        FactType::Path => r"a path is written like C:\Windows\System32".to_owned(),
        FactType::Text => "write the text that the fact must be".to_owned(),
    }
}

/// Whether digits may be a code in hexadecimal as reports write it, and a decimal number just as well.
fn is_ambiguous(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A code in any spelling: eight hexadecimal digits, the same sign-extended to sixteen, or a decimal number that is
/// signed or not. Without `0x` only what can be nothing else is taken for hexadecimal.
fn parse_code(text: &str) -> Option<u32> {
    if let Some(digits) = hexadecimal_digits(text).or_else(|| bare_hexadecimal(text)) {
        let wide = u64::from_str_radix(digits, 16).ok()?;
        let narrow = wide & 0xFFFF_FFFF;
        let extended = wide >> 32 == 0xFFFF_FFFF && narrow & 0x8000_0000 != 0;
        return (wide == narrow || extended).then(|| u32::try_from(narrow).ok())?;
    }
    if text.starts_with('-') {
        return text.parse::<i32>().ok().map(i32::cast_unsigned);
    }
    decimal(text).filter(|_| !is_ambiguous(text))?.try_into().ok()
}

/// Hexadecimal digits of which some are letters and some are not: neither a decimal number nor a word.
fn bare_hexadecimal(text: &str) -> Option<&str> {
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    (is_hexadecimal && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)).then_some(text)
}

fn parse_number(text: &str) -> Option<u64> {
    match hexadecimal_digits(text) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => decimal(text),
    }
}

/// Units of durations, with their seconds.
const UNITS: [(&str, u64); 4] = [("s", 1), ("min", 60), ("h", 60 * 60), ("d", 24 * 60 * 60)];

/// A number of seconds, or a number with its unit.
fn parse_duration(text: &str) -> Option<u64> {
    if let Some(seconds) = parse_number(text) {
        return Some(seconds);
    }
    let (number, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
    let (_, seconds) = UNITS.into_iter().find(|(word, _)| *word == unit.trim_start())?;
    decimal(number)?.checked_mul(seconds)
}

/// Parses an address. Without `0x`, only hexadecimal digits with letters are taken, and single digits, which are the
/// same in both bases.
fn parse_address(text: &str) -> Option<u64> {
    match hexadecimal_digits(text).or_else(|| bare_hexadecimal(text)) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => decimal(text).filter(|number| *number < 10),
    }
}

fn hexadecimal_digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    digits.starts_with(|c: char| c.is_ascii_hexdigit()).then_some(digits)
}

fn decimal(text: &str) -> Option<u64> {
    text.starts_with(|c: char| c.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The form in which texts of a type compare: lower case, module names without path, paths with `\`.
pub(crate) fn fold(kind: FactType, text: &str) -> Cow<'_, str> {
    match kind {
        FactType::Module => lower(base_name(text)),
        FactType::Path => fold_path(text),
        _ => lower(text),
    }
}

/// Like [`fold`] for a part of a text or a pattern, from which nothing may be cut off.
pub(crate) fn fold_part(kind: FactType, text: &str) -> Cow<'_, str> {
    if kind == FactType::Path { fold_path(text) } else { lower(text) }
}

fn fold_path(text: &str) -> Cow<'_, str> {
    if text.contains('/') { Cow::Owned(lower(text).replace('/', "\\")) } else { lower(text) }
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        // Names and paths are mostly ASCII, and there are hundreds of them in an incident.
        let changes = text.bytes().any(|byte| byte.is_ascii_uppercase());
        if changes { Cow::Owned(text.to_ascii_lowercase()) } else { Cow::Borrowed(text) }
    } else {
        Cow::Owned(text.chars().flat_map(char::to_lowercase).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_many_spellings() {
        for text in ["0xC0000409", "0xc0000409", "c0000409", "-1073740791", "3221226505", "0xFFFFFFFFC0000409"] {
            assert_eq!(parse(FactType::Code, text), Ok(Value::Number(0xC000_0409)), "{text}");
        }
        assert_eq!(parse(FactType::Code, "7e"), Ok(Value::Number(0x7E)));
        assert_eq!(parse(FactType::Code, "116"), Ok(Value::Number(116)));
        let ambiguous = parse(FactType::Code, "80000003").expect_err("either");
        assert_eq!(ambiguous.help, "write 0x80000003 if it is hexadecimal");
        for text in ["bad", "c00004090", "c000-0409", "0x", "0x+1", "0x1C0000409", "-1", "4294967296", "", "1.5", "+5"]
        {
            let read = parse(FactType::Code, text);
            assert!(read.is_err() || text == "-1", "{text}: {read:?}");
        }
    }

    #[test]
    fn versions_are_read_as_written() {
        assert_eq!(parse(FactType::Version, "14.40"), Ok(Value::Version(Version([14, 40, 0, 0]))));
        assert!(parse(FactType::Version, "14.4x").is_err());
    }

    #[test]
    fn durations_are_seconds_or_have_a_unit() {
        for (text, seconds) in
            [("300", 300), ("300 s", 300), ("5 min", 300), ("5min", 300), ("2 h", 7200), ("3 d", 259_200)]
        {
            assert_eq!(parse(FactType::Duration, text), Ok(Value::Number(seconds)), "{text}");
        }
        for text in ["", "5 m", "min", "-5 min", "1.5 h", "5 min 3 s", "5 minutes", "99999999999999999999 d"] {
            assert!(parse(FactType::Duration, text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_need_their_prefix_where_it_matters() {
        assert_eq!(parse(FactType::Address, "0x10"), Ok(Value::Number(16)));
        assert_eq!(parse(FactType::Address, "0"), Ok(Value::Number(0)));
        assert!(parse(FactType::Address, "10").is_err());
        assert_eq!(parse(FactType::Address, "7286e"), Ok(Value::Number(0x7286E)));
    }

    #[test]
    fn codes_may_have_their_names_and_stops_the_flag_of_small_dumps() {
        let read = |path, text| {
            let fact = facts::schema::scalar(path).expect("a fact");
            super::read(fact, text).ok()
        };
        assert_eq!(read("exception.code", "STATUS_STACK_BUFFER_OVERRUN"), Some(Value::Number(0xC000_0409)));
        assert_eq!(read("exception.fast_fail", "FAST_FAIL_FATAL_APP_EXIT"), Some(Value::Number(7)));
        for text in ["VIDEO_TDR_FAILURE", "0x116", "0x10000116", "278"] {
            assert_eq!(read("bugcheck.code", text), Some(Value::Number(0x116)), "{text}");
        }
        assert_eq!(read("exception.code", "VIDEO_TDR_FAILURE"), None);
        assert_eq!(read("exception.code", "0x10000116"), Some(Value::Number(0x1000_0116)));
        assert_eq!(read("os.build", "STATUS_SUCCESS"), None);
    }

    #[test]
    fn what_is_wrong_comes_with_what_would_be_right() {
        let mistake = parse(FactType::Word(&["read", "write"]), "wriet").expect_err("no such word");
        assert_eq!(mistake.help, "did you mean `write`?");
        let mistake = parse(FactType::Flag, "yes").expect_err("no flag");
        assert_eq!(mistake.help, "write `true` or `false`");
        assert_eq!(parse(FactType::Version, "v2.1").expect_err("no version").help, "write `2.1`");
        let near =
            |path, text| super::read(facts::schema::scalar(path).expect("a fact"), text).expect_err("no name").help;
        assert_eq!(near("exception.code", "STATUS_ACCES_VIOLATION"), "did you mean `STATUS_ACCESS_VIOLATION`?");
        assert_eq!(near("exception.code", "EXCEPTION_ACCES_VIOLATION"), "did you mean `STATUS_ACCESS_VIOLATION`?");
        assert_eq!(near("bugcheck.code", "VIDEO_TDR_FAILUR"), "did you mean `VIDEO_TDR_FAILURE`?");
        assert!(near("exception.code", "STATUS_ZZZZZZZZZZZZZZZZZZZ").starts_with("a code is written like"));
        assert_eq!(parse(FactType::Duration, "10m").expect_err("no duration").help, "write `10 min`");
    }

    #[test]
    fn folding_follows_the_type() {
        assert_eq!(fold(FactType::Module, r"C:\A\NTDLL.dll"), "ntdll.dll");
        assert_eq!(fold(FactType::Path, "C:/A/B"), r"c:\a\b");
        assert_eq!(fold(FactType::Text, "ÄB/c"), "äb/c");
    }
}
