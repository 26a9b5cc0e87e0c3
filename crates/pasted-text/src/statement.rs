//! Values as the statements of a line write them: codes, names and numbers behind the words that announce them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::values::{code, decimal_number, file_name, hex_number, narrow, value_of, version};
use evidence::{ExceptionCode, FastFailCode, Version};
use windows_codes::Knowledge;

/// A path at the beginning of `value`.
pub(super) fn path(value: &str) -> Option<&str> {
    let path = value.split([',', ';']).next().unwrap_or_default();
    let path = path.split(" Report Id").next().unwrap_or_default().trim();
    file_name(path).map(|_| path)
}

/// A debugger's name of a module: the part before `!` and `+`. Not what it writes when it blames none.
pub(super) fn stem_of(value: &str) -> Option<&str> {
    let stem = value.split(['!', '+', ' ', ')']).next().unwrap_or_default();
    let in_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '-');
    file_name(stem).filter(|stem| stem.chars().all(in_name))
}

/// An address as debuggers write it before a module's name: at least eight digits.
pub(super) fn is_address(word: &str) -> bool {
    word.len() >= 8 && hex_number(word).is_some()
}

/// Whether a line is a debugger's name of a place and nothing else: `demo!Run+1c`, `part+1a2b`.
pub(super) fn is_place(line: &str) -> bool {
    let line = line.trim();
    let named = line.find(['!', '+']).is_some_and(|end| end > 0);
    named && !line.contains(char::is_whitespace) && stem_of(line).is_some()
}

/// Whether `value` is only `name`, possibly with more behind a comma, semicolon or parenthesis, and not a sentence
/// about it.
pub(super) fn stands_alone(value: &str, name: &str) -> bool {
    let rest = value.strip_prefix(name).unwrap_or_default().trim_start();
    rest.is_empty() || rest.starts_with([',', '(', ';'])
}

/// The version that follows a file name: `, version: 1.2.3.4`.
pub(super) fn version_after(text: &str, name: Option<&str>) -> Option<Version> {
    let (_, rest) = text.split_once(name?)?;
    let rest = rest.trim_start_matches([',', ' ', '(']);
    let label = rest.get(..7).filter(|label| label.eq_ignore_ascii_case("version"))?;
    version(value_of(rest.strip_prefix(label)?))
}

/// The code with which a process ended, if it is a status of Windows and not a number of the program's own.
pub(super) fn exit_code(value: &str) -> Option<ExceptionCode> {
    /// The exceptions of Delphi programs, the one code of the kind that looks like no status.
    const DELPHI: u32 = 0x0EED_FADE;
    let number = code(value)?;
    // Informational statuses; warnings and HRESULTs; errors; the exceptions of language runtimes.
    let status = matches!(number, 0x4000_0001..=0x4001_FFFF | 0x8000_0001..=0x8FFF_FFFF | 0xC000_0001..=0xEFFF_FFFF);
    (status || number == DELPHI).then_some(ExceptionCode(number))
}

/// The name of a type as C++ writes it, or as MSVC's debugger does: without `class` or `struct` before it.
pub(super) fn cpp_type(value: &str) -> Option<&str> {
    let name = value.trim();
    let name = name.strip_prefix("class ").or_else(|| name.strip_prefix("struct ")).unwrap_or(name);
    let in_name = |letter: char| letter.is_alphanumeric() || "_:<>,* &()[]".contains(letter);
    (name.starts_with(|first: char| first.is_alphabetic() || first == '_') && name.chars().all(in_name)).then_some(name)
}

/// A fast-fail code: `7`, `0x7`, or a name.
pub(super) fn fast_fail_number(value: &str) -> Option<FastFailCode> {
    let number = if value.starts_with("0x") { hex_number(value) } else { decimal_number(value) };
    number
        .and_then(narrow)
        .map(FastFailCode)
        .or_else(|| named_fast_fail(value.strip_prefix("FAST_FAIL_").unwrap_or(value)))
}

/// The fast-fail code of the name at the beginning of `text`.
pub(super) fn named_fast_fail(text: &str) -> Option<FastFailCode> {
    let name = ascii_name(text).filter(|name| !name.is_empty())?;
    Knowledge::builtin().fast_fail_named(&name.to_ascii_uppercase())
}

/// What is in the braces of WinDbg's line `BugCheck D1, {fffff80212345678, 2, 0, fffff80287654321}`: hexadecimal
/// numbers without `0x`.
pub(super) fn in_braces(text: &str) -> Option<&str> {
    let (code, inside) = text.split_once(", {")?;
    let is_code = !code.is_empty() && code.len() <= 8 && code.chars().all(|digit| digit.is_ascii_hexdigit());
    is_code.then(|| inside.split('}').next())?
}

/// The numbers in the first parentheses of `text`, or in WinDbg's braces, up to the first that is none.
pub(super) fn parameters(text: &str) -> [Option<u64>; 4] {
    let in_braces = in_braces(text);
    let in_parentheses = || text.split_once('(').and_then(|(_, inside)| inside.split(')').next());
    let inside = in_braces.or_else(in_parentheses).unwrap_or_default();
    let is_number = |written: &str| in_braces.is_some() || written.starts_with("0x") || written.starts_with("0X");
    let written = inside.split(',').map(str::trim);
    let mut numbers = written.map_while(|written| hex_number(written).filter(|_| is_number(written))).fuse();
    std::array::from_fn(|_| numbers.next())
}

/// The statuses by their names: those that processes end with.
static STATUSES: LazyLock<HashMap<&'static str, ExceptionCode>> = LazyLock::new(|| {
    let knowledge = Knowledge::builtin();
    let failures = knowledge.exceptions().filter(|(code, _)| code.0 >= LEAST_FAILURE);
    failures.map(|(code, meaning)| (meaning.name, code)).collect()
});

/// Statuses below are no warnings or errors.
///
/// Source: `ntstatus.h`, the severity in the two highest bits.
const LEAST_FAILURE: u32 = 0x8000_0000;

/// The status whose name `text` begins with: `STATUS_DLL_NOT_FOUND`.
pub(super) fn status_named(text: &str) -> Option<ExceptionCode> {
    STATUSES.get(ascii_name(text)?).copied()
}

/// The letters, digits and `_` of ASCII that `text` begins with.
fn ascii_name(text: &str) -> Option<&str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).next()
}
