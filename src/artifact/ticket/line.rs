//! What one line of a text says, whatever stands around it.

use super::patterns::{Fact, LOADER_ERRORS, NAMED_CODES, NAMED_FAST_FAILS, PATTERNS, Pattern, SUGGESTED_CODES};
use super::recognised::{Recognised, Weight};
use super::signature::{PastedSignature, fast_fail};
use super::values::{code, decimal_number, file_name, hex_number, image_name, value_of, version};
use crate::evidence::{Address, BugcheckCode, ExceptionCode, FastFailCode, ModuleOffset, Version};

/// As many characters as are looked at after the words that announce a fact. Bounds what a hostile line costs.
const LONGEST_STATEMENT: usize = 512;
/// More characters than a fast-fail code's name has.
const LONGEST_CODE_NAME: usize = 64;

/// Adds what `line` says.
pub(super) fn recognise(line: &str, recognised: &mut Recognised, signature: &mut PastedSignature) {
    // Only ASCII letters change, so places in one are places in the other.
    let lower = line.to_ascii_lowercase();
    let mut statement = Statement { line, lower: &lower, recognised };
    let mut about_bugcheck = statement.bugcheck_in_any_language();
    for pattern in PATTERNS {
        for at in occurrences(&lower, pattern.words) {
            let after = beginning(line.get(at..).unwrap_or_default(), LONGEST_STATEMENT);
            if pattern.fact == Fact::EventName {
                signature.set_event_name(value_of(after));
            } else {
                about_bugcheck |= statement.take(pattern, after);
            }
        }
    }
    statement.named_facts();
    statement.frame_of_the_jvm();
    if !about_bugcheck {
        statement.bare_codes();
    }
    signature.read_line(line, &lower);
}

/// Where `words` end in `text`, as words of their own.
fn occurrences<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = usize> + 't {
    let in_word = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(words).filter_map(move |(start, _)| {
        let end = start.checked_add(words.len())?;
        let glued = text.get(..start)?.ends_with(in_word) || text.get(end..)?.starts_with(in_word);
        (!glued).then_some(end)
    })
}

/// The first `characters` characters of `text`.
fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| text.split_at(end).0)
}

struct Statement<'a> {
    line: &'a str,
    /// The line with ASCII letters in lower case.
    lower: &'a str,
    recognised: &'a mut Recognised,
}

impl Statement<'_> {
    /// Takes what `pattern` announces from the text after its words. Returns whether it was about a bugcheck, whose
    /// parameters must not be taken for exception codes.
    fn take(&mut self, pattern: &Pattern, after: &str) -> bool {
        let value = value_of(after);
        let report = Weight::Report;
        let recognised = &mut *self.recognised;
        match pattern.fact {
            Fact::App => {
                if let Some(name) = file_name(value) {
                    recognised.set_app(report, name, version_after(value, name));
                }
            }
            Fact::AppImage => {
                if let Some(name) = image_name(value) {
                    recognised.set_app(report, name, version_after(value, name));
                }
            }
            Fact::Module => {
                if let Some(name) = file_name(value) {
                    recognised.set_module(report, name, version_after(value, name));
                }
            }
            Fact::ModuleImage => {
                if let Some(name) = image_name(value).filter(|name| stands_alone(value, name)) {
                    recognised.set_module(report, name, version_after(value, name));
                }
            }
            Fact::ModuleStem => {
                let stem = value.split_whitespace().rfind(|word| hex_number(word).is_none());
                recognised.module.set_some(Weight::Words, stem.and_then(file_name).map(Into::into));
            }
            Fact::AppVersion => recognised.app_version.set_some(report, version(value)),
            Fact::ModuleVersion => recognised.module_version.set_some(report, version(value)),
            Fact::ModulePath => {
                let path = value.split([',', ';']).next().unwrap_or_default();
                let path = path.split(" Report Id").next().unwrap_or_default().trim();
                recognised.module_path.set_some(report, file_name(path).map(|_| path.into()));
            }
            Fact::ExceptionCode => {
                recognised.code.set_some(report, code(value).filter(|code| *code != 0).map(ExceptionCode));
            }
            Fact::ExitCode => recognised.code.set_some(Weight::Exit, exit_code(value)),
            Fact::Offset => recognised.offset.set_some(report, hex_number(value).map(ModuleOffset)),
            Fact::FastFail => recognised.fast_fail.set_some(report, fast_fail_number(value)),
            Fact::Subcode => {
                // OpenGL drivers number their errors in the same words.
                if !self.lower.contains("error code") {
                    recognised.fast_fail.set_some(report, fast_fail_number(value));
                }
            }
            Fact::AccessAddress => recognised.access_address.set_some(report, hex_number(value).map(Address)),
            Fact::ExceptionParameter(index) => {
                if let Some(parameter) = recognised.exception_parameters.get_mut(index) {
                    parameter.set_some(report, hex_number(value));
                }
            }
            Fact::RaisedCode => recognised.code.set_some(Weight::Words, exit_code(value)),
            Fact::Bugcheck => {
                return self.bugcheck(
                    value,
                    hex_number(value).filter(|_| value.starts_with("0x") || in_braces(value).is_some()),
                );
            }
            Fact::BugcheckHex => return self.bugcheck(value, hex_number(value)),
            Fact::BugcheckDecimal => {
                let number = if value.starts_with("0x") { hex_number(value) } else { decimal_number(value) };
                return self.bugcheck(value, number);
            }
            Fact::BugcheckParameter(index) => {
                if let Some(parameter) = recognised.bugcheck_parameters.get_mut(index) {
                    *parameter = parameter.or(hex_number(value));
                }
                return true;
            }
            Fact::WinError | Fact::LoaderError => self.error(pattern.fact, value),
            Fact::EventName => {}
        }
        false
    }

    /// A number that some words call an error: a Win32 error, or an NTSTATUS in its place.
    fn error(&mut self, fact: Fact, value: &str) {
        let number = if value.starts_with(['-', '0']) { code(value) } else { decimal_number(value).and_then(narrow) };
        let Some(number) = number.filter(|number| *number != 0) else {
            return;
        };
        if is_status(number) {
            self.recognised.code.set(Weight::Exit, ExceptionCode(number));
        } else if fact == Fact::WinError || LOADER_ERRORS.contains(&number) {
            self.recognised.add_win_error(number);
        }
    }

    /// A bugcheck code, with the parameters that follow in parentheses. Of several codes (`0x0A/0xD1`) the first
    /// counts: it happened, whatever else did.
    fn bugcheck(&mut self, value: &str, number: Option<u64>) -> bool {
        let Some(code) = number.and_then(narrow).filter(|code| *code != 0) else {
            return false;
        };
        if self.recognised.bugcheck.get().is_none() {
            self.recognised.bugcheck.set(Weight::Report, BugcheckCode(code));
            for (known, given) in self.recognised.bugcheck_parameters.iter_mut().zip(parameters(value)) {
                *known = known.or(given);
            }
        }
        true
    }

    /// The sentence of the system's event about a bugcheck is translated, but the form of its values is not:
    /// a code of eight digits and four parameters in parentheses.
    fn bugcheck_in_any_language(&mut self) -> bool {
        for (at, _) in self.line.match_indices(" (0x") {
            let (before, after) = self.line.split_at(at);
            let Some(code) = before.get(before.len().saturating_sub(10)..).filter(|code| code.starts_with("0x")) else {
                continue;
            };
            let after = beginning(after, LONGEST_STATEMENT);
            if parameters(after).iter().all(Option::is_some) {
                return self.bugcheck(after, hex_number(code));
            }
        }
        false
    }

    /// Names of codes.
    fn named_facts(&mut self) {
        for (names, weight) in [(NAMED_CODES, Weight::Words), (SUGGESTED_CODES, Weight::Passing)] {
            for (name, code) in names {
                if occurrences(self.lower, name).next().is_some() {
                    self.recognised.code.set(weight, ExceptionCode(*code));
                }
            }
        }
        for (at, prefix) in self.lower.match_indices("fast_fail_") {
            let name = self.lower.get(at.saturating_add(prefix.len())..).unwrap_or_default();
            self.recognised.fast_fail.set_some(Weight::Words, named_fast_fail(beginning(name, LONGEST_CODE_NAME)));
        }
    }

    /// The JVM's "problematic frame": `C  [name.dll+0x1234]`.
    fn frame_of_the_jvm(&mut self) {
        for (at, _) in self.line.match_indices('[') {
            let (before, frame) = self.line.split_at(at);
            let frame = beginning(frame, LONGEST_STATEMENT);
            let native = before.ends_with(' ')
                && before.trim_end().strip_suffix('C').is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
            let place = frame.get(1..).and_then(|frame| frame.split_once(']')?.0.split_once("+0x"));
            let Some((name, offset)) = place.filter(|_| native) else {
                continue;
            };
            if let (Some(name), Some(offset)) = (image_name(name), hex_number(offset)) {
                self.recognised.module.set(Weight::Words, name.into());
                self.recognised.offset.set(Weight::Words, ModuleOffset(offset));
            }
        }
    }

    /// Codes that stand by themselves, in any spelling.
    fn bare_codes(&mut self) {
        let mut rest = self.line;
        let mut previous = ' ';
        while let Some(at) = rest.find(|character: char| character.is_ascii_digit()) {
            let (before, token) = rest.split_at(at);
            previous = before.chars().next_back().unwrap_or(previous);
            let end = token.find(|character: char| !character.is_alphanumeric()).unwrap_or(token.len());
            let (digits, after) = token.split_at(end);
            let spelled = if previous == '-' { before.get(before.len().saturating_sub(1)..) } else { None };
            let alone =
                !previous.is_alphanumeric() && !matches!(previous, '_' | '.' | '+' | '`') && !after.starts_with('`');
            let value = code(&[spelled.unwrap_or_default(), digits].concat());
            // Eight digits without `0x` are an address or a date as often as a code.
            let prefixed = digits.starts_with("0x") || digits.starts_with("0X");
            let spelled_out = prefixed || digits.len() == 10;
            if let Some(code) = value.filter(|code| alone && spelled_out && is_status(*code)) {
                self.recognised.code.set(Weight::Bare, ExceptionCode(code));
            }
            previous = digits.chars().next_back().unwrap_or(previous);
            rest = after;
        }
    }
}

/// Whether `name` at the beginning of `value` is all that is said there, and not a part of a sentence.
fn stands_alone(value: &str, name: &str) -> bool {
    let rest = value.strip_prefix(name).unwrap_or_default().trim_start();
    rest.is_empty() || rest.starts_with([',', '(', ';'])
}

/// The version that follows a file name: `, version: 1.2.3.4`.
fn version_after(text: &str, name: &str) -> Option<Version> {
    let rest = text.split_at_checked(text.find(name)?.checked_add(name.len())?)?.1;
    let rest = rest.trim_start_matches([',', ' ', '(']);
    let label = rest.get(..7).filter(|label| label.eq_ignore_ascii_case("version"))?;
    version(value_of(rest.strip_prefix(label)?))
}

/// The code with which a process ended, if it is a status of Windows and not a number of the program's own.
fn exit_code(value: &str) -> Option<ExceptionCode> {
    /// The exceptions of Delphi programs, the one code of the kind that looks like no status.
    const DELPHI: u32 = 0x0EED_FADE;
    let number = code(value)?;
    // Informational statuses; warnings and HRESULTs; errors; the exceptions of language runtimes.
    let status = matches!(number, 0x4000_0001..=0x4001_FFFF | 0x8000_0001..=0x8FFF_FFFF | 0xC000_0001..=0xEFFF_FFFF);
    (status || number == DELPHI).then_some(ExceptionCode(number))
}

/// Whether a number is a failure status that is meant as such wherever it stands: errors of the system, of
/// side-by-side loading, of graphics and of code integrity, and the exceptions of language runtimes.
///
/// Source: the facilities of `ntstatus.h`.
fn is_status(number: u32) -> bool {
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

/// A fast-fail code: `7`, `0x7`, or a name.
fn fast_fail_number(value: &str) -> Option<FastFailCode> {
    let number = if value.starts_with("0x") { hex_number(value) } else { decimal_number(value) };
    let name = value.to_ascii_lowercase();
    number.and_then(fast_fail).or_else(|| named_fast_fail(name.strip_prefix("fast_fail_").unwrap_or(&name)))
}

/// The fast-fail code of the name at the beginning of `text`, in lower case.
fn named_fast_fail(text: &str) -> Option<FastFailCode> {
    let end =
        text.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_')).unwrap_or(text.len());
    let name = text.get(..end)?;
    NAMED_FAST_FAILS.iter().find(|(known, _)| *known == name).map(|(_, number)| FastFailCode(*number))
}

/// What stands in the braces of WinDbg's line `BugCheck D1, {fffff80212345678, 2, 0, fffff80287654321}`: hexadecimal
/// numbers without `0x`.
fn in_braces(text: &str) -> Option<&str> {
    let (code, inside) = text.split_once(", {")?;
    let is_code = !code.is_empty() && code.len() <= 8 && code.chars().all(|digit| digit.is_ascii_hexdigit());
    is_code.then(|| inside.split('}').next())?
}

/// The numbers in the first parentheses of `text`, or in WinDbg's braces, up to the first that is none.
fn parameters(text: &str) -> [Option<u64>; 4] {
    let mut parameters = [None; 4];
    if let Some(inside) = in_braces(text) {
        for (parameter, written) in parameters.iter_mut().zip(inside.split(',')) {
            *parameter = hex_number(written.trim());
            if parameter.is_none() {
                break;
            }
        }
        return parameters;
    }
    let inside = text.split_once('(').map_or("", |(_, inside)| inside);
    let inside = inside.split(')').next().unwrap_or_default();
    for (parameter, written) in parameters.iter_mut().zip(inside.split(',')) {
        let written = written.trim();
        *parameter = hex_number(written).filter(|_| written.starts_with("0x") || written.starts_with("0X"));
        if parameter.is_none() {
            break;
        }
    }
    parameters
}

fn narrow(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}
