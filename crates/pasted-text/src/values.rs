//! How people and programs spell values in texts: codes in three bases, addresses, names, versions.
//!
//! Every function reads from the beginning of the text that it is given, and looks at no more of it than a value can
//! be long.

use std::sync::LazyLock;

use evidence::{Version, base_name};
use windows_codes::Knowledge;

/// The most words of a field's label.
const MOST_OF_A_LABEL: usize = 4;
/// The longest name that is read, in characters: as long as a path.
const LONGEST_NAME: usize = 260;
/// What may be between the words that announce a value and the value.
const SEPARATORS: &[char] = &[' ', '\t', '\u{A0}', ':', '：', '=', '"', '\'', '`', '*', '(', '['];
/// Extensions of file names, without dot, and words that are no names: `rules/data/text-words.yaml`.
struct Names {
    /// Extensions of image files, recognised in sentences, too.
    told: Vec<&'static str>,
    /// Extensions of image files that are recognised in fields only.
    in_fields: &'static [&'static str],
    none: &'static [&'static str],
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let words = |of| Knowledge::builtin().text_words(of);
    Names { told: [words("program"), words("library")].concat(), in_fields: words("image"), none: words("no_name") }
});

/// The text after what separates it from its label, and after a type that debuggers write before a code
/// (`(NTSTATUS) 0xc0000005`).
pub(super) fn value_of(after_label: &str) -> &str {
    let value = after_label.trim_start_matches(SEPARATORS);
    let of_kind = ["NTSTATUS)", "HRESULT)", "Win32)"].iter().find_map(|kind| value.strip_prefix(kind));
    of_kind.map_or(value, str::trim_start)
}

/// The first `characters` characters of `text`.
pub(super) fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| text.split_at(end).0)
}

/// Whether a number is a failure status wherever it is in a text: errors of the system, of side-by-side loading, of
/// graphics and of code integrity, and the exceptions of language runtimes.
///
/// Source: the facilities of `ntstatus.h`.
pub(super) fn is_status(number: u32) -> bool {
    matches!(
        number,
        0xC000_0001..=0xC000_FFFF
            | 0xC015_0001..=0xC015_FFFF
            | 0xC01E_0001..=0xC01E_FFFF
            | 0xC0E9_0001..=0xC0E9_FFFF
            | 0xC06D_007E
            | 0xC06D_007F
            | 0xCFFF_FFFF
            | 0xE06D_7363
            | 0xE043_4352
            | 0xE043_4F4D
            | 0x4000_0015
            | 0x8000_0003
    )
}

/// A number of 32 bits.
pub(super) fn narrow(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

/// The word at the beginning: letters, digits and `_`.
pub(super) fn word(text: &str) -> &str {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_')).next().unwrap_or_default()
}

/// Digits after `0x`.
fn prefixed_hex(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    hex(word(digits))
}

fn hex(digits: &str) -> Option<u64> {
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| all)
}

/// A hexadecimal number, with or without `0x`. Debuggers put a back quote into the middle of 64-bit ones.
pub(super) fn hex_number(text: &str) -> Option<u64> {
    if let Some((high, low)) =
        text.get(..17).and_then(|number| number.split_once('`')).filter(|(high, _)| high.len() == 8)
    {
        return hex(&[high, low].concat());
    }
    prefixed_hex(text).or_else(|| hex(word(text)))
}

/// A decimal number without sign.
pub(super) fn decimal_number(text: &str) -> Option<u64> {
    let digits = word(text);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A 32-bit code: `0xC0000409`, `-1073740791`, `3221226505`. Eight digits without `0x` are hexadecimal, as Windows
/// writes codes in reports; so is what has letters among its eight digits.
pub(super) fn code(text: &str) -> Option<u32> {
    if let Some(value) = prefixed_hex(text) {
        return unextended(value);
    }
    if let Some(digits) = text.strip_prefix('-') {
        let value = i64::try_from(decimal_number(digits)?).ok()?.checked_neg()?;
        return i32::try_from(value).ok().map(i32::cast_unsigned);
    }
    let digits = word(text);
    if digits.len() == 8 { unextended(hex(digits)?) } else { u32::try_from(decimal_number(text)?).ok() }
}

/// A 32-bit code that may have been sign-extended to 64 bits.
pub(super) fn unextended(value: u64) -> Option<u32> {
    let extension = value >> 32;
    let low = u32::try_from(value & 0xFFFF_FFFF).ok()?;
    (extension == 0 || (extension == 0xFFFF_FFFF && low >= 0x8000_0000)).then_some(low)
}

/// The file name that the text begins with; of a path the last part. `None` for words that are used in the place of a
/// name, such as `unknown`.
pub(super) fn file_name(text: &str) -> Option<&str> {
    let name = beginning(text, LONGEST_NAME).split([',', '，', '、', ';', '|', '"', '\t', '<', '>']).next()?;
    // Two names with a slash or an arrow between them, or a remark.
    let name = [" / ", " - ", " ("].iter().fold(name, |name, mark| name.split(mark).next().unwrap_or(name));
    let whole = name.trim();
    let name = base_name(name).trim().trim_end_matches(['.', '\'', '`', '*', ' ']);
    let name = name.strip_suffix("_unloaded").unwrap_or(name);
    // Windows' and the debuggers' ways of saying that they know none.
    let none = name.is_empty()
        || is_none(whole)
        || is_none(name)
        || ["StackHash_", "Unknown_"].iter().any(|none| name.starts_with(none));
    (!none && !name.contains(':')).then_some(name)
}

/// A name that ends like an image file's: `.exe`, `.dll`, `.sys`...
pub(super) fn image_name(text: &str) -> Option<&str> {
    let first = text.split_whitespace().next()?.trim_end_matches([',', ';', ')', ']']);
    let name = file_name(first).filter(|name| is_name(name))?;
    ends_in(name, &NAMES.told).then_some(name)
}

/// Whether a name has one of these endings, with something before it.
fn ends_in(name: &str, endings: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// Whether a field's value can be the name of a file: a word without the signs of prose and code, or several words that
/// end like an image's name.
pub(super) fn is_name(name: &str) -> bool {
    let in_name = |character: char| character.is_alphanumeric() || "._-+~$&@%!'".contains(character);
    let word = name.chars().all(in_name) && name.chars().any(char::is_alphanumeric);
    let words = !name.contains(['#', '?', '*', '{', '}', '[', ']', '\\', '/'])
        && (ends_in(name, &NAMES.told) || ends_in(name, NAMES.in_fields));
    (word || words) && !is_none(name)
}

/// Whether these words, such as `unknown`, are used in the place of a name.
fn is_none(name: &str) -> bool {
    NAMES.none.iter().any(|none| name.eq_ignore_ascii_case(none))
}

/// The file name in a field: all that follows its label and colon. Without a colon, what follows may be a sentence, and
/// only what looks like an image's name counts.
pub(super) fn field_name(after_label: &str) -> Option<&str> {
    let value = value_of(after_label);
    let behind = after_label.trim_start_matches([' ', '\t', '\u{A0}', '"', '\'', '`', '*']);
    if !behind.starts_with([':', '：', '=']) {
        return image_name(value);
    }
    // `part.dll 0xc0000005`: a number behind the name belongs to something else, as does the label of the next field.
    let before_another = || {
        let name = image_name(value)?;
        let behind = value.strip_prefix(name)?;
        let number = behind.trim_start().starts_with(|first: char| first.is_ascii_digit());
        (number || begins_with_label(behind)).then_some(name)
    };
    file_name(value).filter(|name| is_name(name)).or_else(before_another)
}

/// Whether a text begins with a blank and the label of a field: ` Application Version: 1.2.3.4`.
fn begins_with_label(text: &str) -> bool {
    let Some((label, _)) = text.split_once([':', '：']) else { return false };
    let words = label.split_whitespace().count();
    label.starts_with(char::is_whitespace)
        && (1..=MOST_OF_A_LABEL).contains(&words)
        && label.chars().all(|letter| letter.is_alphanumeric() || letter == ' ')
}

/// A version: numbers with dots.
pub(super) fn version(text: &str) -> Option<Version> {
    let numbers = text.split(|character: char| !(character.is_ascii_digit() || character == '.')).next()?;
    Version::from_event_text(numbers.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_in_every_spelling() {
        for text in [
            "0xC0000409",
            "0xc0000409)",
            "c0000409",
            "-1073740791",
            "3221226505 (",
            "0xffffffffc0000409",
            "0x00000000C0000409",
        ] {
            assert_eq!(code(text), Some(0xC000_0409), "{text}");
        }
        assert_eq!(code("80000003"), Some(0x8000_0003), "eight digits are hexadecimal");
        assert_eq!(code("53"), Some(53));
        for text in ["", "0x", "abc", "-", "-99999999999", "99999999999", "0x1c0000409", "12ab", "--1"] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_may_have_a_back_quote_in_the_middle() {
        assert_eq!(hex_number("00007ff8`12345678 rest"), Some(0x7FF8_1234_5678));
        assert_eq!(hex_number("0x5d1e2"), Some(0x5_D1E2));
        assert_eq!(hex_number("000011d9"), Some(0x11D9));
        assert_eq!(hex_number("unknown"), None);
    }

    #[test]
    fn names_end_where_a_file_name_must_end() {
        assert_eq!(file_name("my program.exe, version: 1.0"), Some("my program.exe"));
        assert_eq!(file_name("a.dll / b.dll"), Some("a.dll"));
        assert_eq!(file_name(r"C:\x\hook.dll_unloaded"), Some("hook.dll"));
        assert_eq!(file_name("tool (32 bit)"), Some("tool"));
        for text in ["", "unknown", "StackHash_1234", ", version"] {
            assert_eq!(file_name(text), None, "{text}");
        }
        assert_eq!(file_name("tool.exe`**"), Some("tool.exe"));
        assert_eq!(image_name("a.sys (1.0)"), Some("a.sys"));
        assert_eq!(image_name("path: C"), None);
    }

    #[test]
    fn words_of_prose_and_signs_of_code_are_no_names() {
        for text in [": my tool.exe, version 1", ": trainer", "=\"svchost.exe_netsvcs\"", " part.dll", ": Größe-2.dll"]
        {
            assert!(field_name(text).is_some(), "{text}");
        }
        assert_eq!(field_name(": part.dll 0xc0000005"), Some("part.dll"));
        assert_eq!(field_name(": part.dll Fault Module Version: 1.0"), Some("part.dll"));
        for text in [
            ": part.dll and more",
            ": ]   # the module",
            ": (excluding the driver)",
            " from the log",
            " is part.dll",
            ": is not known",
            ": N/A",
            ": none",
            " (excluding x)",
            ": ...",
            ": f'{name}.dll'",
        ] {
            assert_eq!(field_name(text), None, "{text}");
        }
    }

    #[test]
    fn types_before_codes_are_skipped() {
        assert_eq!(value_of(": (NTSTATUS) 0xc0000005 - text"), "0xc0000005 - text");
        assert_eq!(value_of(" : 5"), "5");
    }

    #[test]
    fn versions_end_before_a_comma() {
        assert_eq!(version("10.0.1.2, time"), Some(Version([10, 0, 1, 2])));
        assert_eq!(version("0.0.0.0"), None);
    }
}
