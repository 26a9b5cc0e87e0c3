//! What one line of a text says, whatever stands around it.

use std::sync::Arc;

use super::inventory;
use super::patterns::{Fact, LOADER_ERRORS, Statement, statements};
use super::recognised::{Recognised, Told, Weight};
use super::signature::PastedSignature;
use super::statement::{
    cpp_type, exit_code, fast_fail_number, in_braces, is_address, named_fast_fail, parameters, path, stands_alone,
    stem_of, version_after,
};
use super::stops::{stop_in_words, stop_named};
use super::told_event;
use super::told_module::is_asserted;
use super::values::{
    beginning, code, decimal_number, field_name, hex_number, image_name, is_status, narrow, value_of, version,
};
use crate::artifact::notation::guid;
use crate::evidence::{Address, BugcheckCode, ExceptionCode, ModuleOffset};
use crate::knowledge::Knowledge;

/// As many characters as are looked at after the words that announce a fact. Bounds what a hostile line costs.
const LONGEST_STATEMENT: usize = 512;
/// As many lines lie between a label and its value at most: an empty one is common.
const LINES_TO_VALUE: u32 = 2;
/// As many parameters as a stop has.
const MOST_PARAMETERS: usize = 4;
/// As many codes of stops as are taken from one row.
const MOST_STOPS_IN_A_ROW: usize = 32;
/// More characters than a fast-fail code's name has.
const LONGEST_CODE_NAME: usize = 64;

/// Takes the facts of lines, one after the other.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    events: inventory::PendingEvent,
    package: Option<Arc<str>>,
    /// A label at the end of the line before, whose value was broken off.
    broken_off: Option<(Fact, u32)>,
    /// The line at whose end a stop's parameters were broken off.
    open_parameters: Option<u32>,
    /// Statements that count only in a text that fits an expression: it, the fact, its value, and the line.
    pub conditional: Vec<(&'static str, Fact, String, u32)>,
}

/// As many conditional statements as are kept.
const MOST_CONDITIONAL: usize = 64;

impl LineReader {
    /// Adds what `line` says; `recognised` knows its number.
    pub(super) fn read(&mut self, line: &str, recognised: &mut Recognised, signature: &mut PastedSignature) {
        let statements = statements(line);
        if statements.iter().any(|statement| statement.fact == Fact::Explanation) {
            return;
        }
        let broken_off = self.broken_off.take();
        let mut taking = Taking { line, at: 0, recognised, reader: self, signature };
        taking.value_of_line_before(broken_off);
        let mut about_bugcheck = taking.parameters_of_line_before();
        about_bugcheck |= taking.bugcheck_in_any_language();
        for statement in statements {
            about_bugcheck |= taking.take_statement(statement);
        }
        for (provider, id) in told_event::events(line) {
            inventory::add_event(taking.recognised, provider.into(), id);
        }
        taking.named_fast_fails();
        taking.frame_of_the_jvm();
        if !about_bugcheck {
            taking.bare_codes();
        }
        signature.read_line(line, recognised.line);
    }

    /// Adds a statement whose condition has turned out to hold.
    pub(super) fn read_conditional(&mut self, fact: Fact, value: &str, recognised: &mut Recognised) {
        let mut signature = PastedSignature::default();
        Taking { line: value, at: 0, recognised, reader: self, signature: &mut signature }.take(fact, value);
    }
}

struct Taking<'a> {
    line: &'a str,
    /// Where the statement stands in it that is being taken.
    at: usize,
    recognised: &'a mut Recognised,
    reader: &'a mut LineReader,
    signature: &'a mut PastedSignature,
}

impl Taking<'_> {
    /// Takes what a pattern found. Returns whether it was about a bugcheck, whose parameters must not be taken for
    /// exception codes.
    fn take_statement(&mut self, statement: Statement<'_>) -> bool {
        let text = beginning(statement.text, LONGEST_STATEMENT);
        self.at = statement.at;
        if value_of(text).is_empty() {
            self.reader.broken_off = Some((statement.fact, self.recognised.line));
        }
        match statement.needs {
            None => self.take(statement.fact, text),
            Some(needs) => {
                if self.reader.conditional.len() < MOST_CONDITIONAL {
                    self.reader.conditional.push((needs, statement.fact, text.to_owned(), self.recognised.line));
                }
                statement.fact == Fact::Bugcheck
            }
        }
    }

    /// The value of a label that ended the line before: mail programs break lines. Only what can be nothing else is
    /// taken.
    fn value_of_line_before(&mut self, broken_off: Option<(Fact, u32)>) {
        let Some((fact, before)) = broken_off else { return };
        let value = value_of(self.line);
        let number =
            value.starts_with("0x") || value.starts_with('-') || value.starts_with(|c: char| c.is_ascii_digit());
        let fact = match fact {
            Fact::App | Fact::AppImage => Fact::AppImage,
            Fact::Module | Fact::ModuleImage => Fact::ModuleImage,
            Fact::ExceptionCode | Fact::ExitCode | Fact::RaisedCode | Fact::Offset if number => fact,
            _ => return,
        };
        if self.recognised.line.saturating_sub(before) <= LINES_TO_VALUE {
            self.take(fact, value);
        }
    }

    fn told(&self, weight: Weight) -> Told {
        self.recognised.told(weight)
    }

    fn take(&mut self, fact: Fact, text: &str) -> bool {
        let value = value_of(text);
        let report = self.told(Weight::Report);
        let words = self.told(Weight::Words);
        let recognised = &mut *self.recognised;
        match fact {
            Fact::App => {
                if let Some(name) = field_name(text) {
                    recognised.set_app(report, name, version_after(value, name));
                }
            }
            Fact::AppImage => {
                if let Some(name) = image_name(value) {
                    recognised.set_app(report, name, version_after(value, name));
                }
            }
            Fact::AppHung => {
                let passing = recognised.told(Weight::Passing);
                if let Some(name) = image_name(value) {
                    recognised.hung = true;
                    recognised.set_app(passing, name, version_after(value, name));
                }
            }
            Fact::AppTold => {
                if let Some(name) = image_name(value) {
                    recognised.set_app(words, name, None);
                }
            }
            Fact::AppPath => recognised.app_path.set_some(report, path(value).map(Into::into)),
            Fact::Module => {
                if let Some(name) = field_name(text) {
                    recognised.set_module(report, name, version_after(value, name));
                }
            }
            Fact::ModuleImage => {
                if let Some(name) = image_name(value).filter(|name| stands_alone(value, name)) {
                    recognised.set_module(report, name, version_after(value, name));
                }
            }
            Fact::ModuleTold => {
                if let Some(name) = image_name(value).filter(|_| is_asserted(self.line, self.at)) {
                    recognised.set_module(words, name, None);
                }
            }
            Fact::ModuleStem => {
                let stem = value.split_whitespace().find(|word| !is_address(word));
                recognised.blamed_stem.set_some(words, stem.and_then(stem_of).map(Into::into));
            }
            Fact::FaultStem => recognised.fault_stem.set_some(report, stem_of(value).map(Into::into)),
            Fact::AppVersion => recognised.app_version.set_some(report, version(value)),
            Fact::ModuleVersion => recognised.module_version.set_some(report, version(value)),
            Fact::ModulePath => recognised.module_path.set_some(report, path(value).map(Into::into)),
            Fact::ExceptionCode => {
                if let Some(code) = code(value).filter(|code| *code != 0) {
                    recognised.set_code(report, ExceptionCode(code));
                }
            }
            Fact::ExitCode => {
                let exit = recognised.told(Weight::Exit);
                recognised.exit_code.set_some(exit, code(value));
                recognised.last_exit = code(value).map(|code| (recognised.line, code)).or(recognised.last_exit);
                self.exit_code(Weight::Exit, value);
            }
            Fact::TruncatedCode => self.exit_code(Weight::Exit, value),
            Fact::RaisedCode => self.exit_code(Weight::Words, value),
            Fact::SuggestedCode => self.exit_code(Weight::Passing, value),
            Fact::Offset => recognised.offset.set_some(report, hex_number(value).map(ModuleOffset)),
            Fact::CppType => recognised.cpp_type.set_some(report, cpp_type(value).map(Into::into)),
            Fact::CppWhat => recognised.cpp_what.set_some(report, Some(value.trim().into())),
            Fact::FastFail => recognised.fast_fail.set_some(report, fast_fail_number(value)),
            Fact::Subcode => {
                // OpenGL drivers number their errors in the same words.
                if !self.line.to_ascii_lowercase().contains("error code") {
                    recognised.fast_fail.set_some(report, fast_fail_number(value));
                }
            }
            Fact::AccessAddress => recognised.access_address.set_some(report, hex_number(value).map(Address)),
            Fact::ExceptionParameter(index) => {
                if let Some(parameter) = recognised.exception_parameters.get_mut(index) {
                    parameter.set_some(report, hex_number(value));
                }
            }
            Fact::Bugcheck
            | Fact::BugcheckHex
            | Fact::BugcheckDecimal
            | Fact::BugcheckParameter(_)
            | Fact::StopName
            | Fact::StopWords
            | Fact::StopMention
            | Fact::StopList
            | Fact::StopDriver => return self.take_stop(fact, value),
            Fact::WinError | Fact::LoaderError => self.error(fact, value),
            Fact::HResult => self.hresult(value),
            Fact::EventName => self.signature.set_event_name(value, recognised.line),
            Fact::EventSource => self.reader.events.source(value, recognised),
            Fact::EventId => self.reader.events.id(value, recognised),
            Fact::Computer => {
                let name = value.split_whitespace().next().unwrap_or_default();
                recognised.computer.set_some(report, inventory::computer(name).map(Into::into));
            }
            Fact::ProcessId => {
                let id = hex_number(value.strip_prefix("0x").filter(|rest| rest.starts_with("0x")).unwrap_or(value));
                recognised.pid.set_some(report, id.and_then(|id| u32::try_from(id).ok()));
            }
            Fact::ProcessIdDecimal => {
                let id = decimal_number(value).and_then(narrow);
                recognised.pid.set_some(report, id.filter(|id| *id != 0));
            }
            Fact::ReportId => {
                let id = value.split_whitespace().next().and_then(guid);
                recognised.report_id.set_some(report, id.map(Into::into));
            }
            Fact::Package => self.reader.package = Some(value.into()),
            Fact::PackageVersion => {
                if let Some(name) = self.reader.package.take() {
                    inventory::add_package(recognised, &name, value);
                }
            }
            // Lines of these say nothing else.
            Fact::CrashBegins
            | Fact::CrashEnds
            | Fact::RunBegins
            | Fact::ProblemBegins
            | Fact::PartyBegins
            | Fact::Explanation => {}
            Fact::NoModule => recognised.blames_no_module = true,
            Fact::DebuggerSuspects => recognised.suspect(value),
            Fact::Gpu
            | Fact::NvidiaDriver
            | Fact::DisplayDriver
            | Fact::CudaDriver
            | Fact::OsBuild
            | Fact::OsBuildTold
            | Fact::OsRelease
            | Fact::OsVersion
            | Fact::MemoryMib
            | Fact::Bios
            | Fact::Model
            | Fact::Python => inventory::take(fact, value, recognised),
        }
        false
    }

    /// A statement about a stop.
    fn take_stop(&mut self, fact: Fact, value: &str) -> bool {
        match fact {
            Fact::Bugcheck => {
                let number = hex_number(value).filter(|_| value.starts_with("0x") || in_braces(value).is_some());
                self.bugcheck(value, number) || self.named_stop(Weight::Words, value)
            }
            Fact::BugcheckHex => self.bugcheck(value, hex_number(value)),
            Fact::BugcheckDecimal => {
                let number = if value.starts_with("0x") { hex_number(value) } else { decimal_number(value) };
                self.bugcheck(value, number)
            }
            Fact::BugcheckParameter(index) => {
                if let Some(parameter) = self.recognised.bugcheck_parameters.get_mut(index) {
                    *parameter = parameter.or(hex_number(value));
                }
                true
            }
            Fact::StopName => self.named_stop(Weight::Words, value),
            Fact::StopWords => self.stop_in_words(value),
            Fact::StopMention => self.named_stop(Weight::Passing, value),
            Fact::StopList => self.stops_in_a_row(value),
            _ => {
                if let Some(name) = image_name(value) {
                    let told = self.told(Weight::Words);
                    self.recognised.set_module(told, name, None);
                }
                false
            }
        }
    }

    /// The code with which a process ended, if it is a status of Windows and not a number of the program's own.
    fn exit_code(&mut self, weight: Weight, value: &str) {
        let told = self.told(weight);
        if let Some(code) = exit_code(value) {
            self.recognised.set_code(told, code);
        }
    }

    /// A number that some words call an error: a Win32 error, or an NTSTATUS in its place.
    fn error(&mut self, fact: Fact, value: &str) {
        let number = if value.starts_with(['-', '0']) { code(value) } else { decimal_number(value).and_then(narrow) };
        let Some(number) = number.filter(|number| *number != 0) else {
            return;
        };
        if is_status(number) {
            let told = self.told(Weight::Exit);
            self.recognised.set_code(told, ExceptionCode(number));
        } else if fact == Fact::WinError || LOADER_ERRORS.contains(&number) {
            self.recognised.add_win_error(number);
        }
    }

    /// An HRESULT. One of facility 7 is a Win32 error in that form.
    ///
    /// Source: `winerror.h`, `HRESULT_FROM_WIN32`.
    fn hresult(&mut self, value: &str) {
        let Some(number) = code(value).filter(|number| *number >= 0x8000_0001 && !is_status(*number)) else { return };
        self.recognised.add_hresult(number);
        if number >> 16 == 0x8007 {
            self.recognised.add_win_error(number & 0xFFFF);
        }
    }

    /// A bugcheck code, with the parameters that follow in parentheses. Of several codes (`0x0A/0xD1`) the first
    /// counts: it happened, whatever else did.
    fn bugcheck(&mut self, value: &str, number: Option<u64>) -> bool {
        let Some(code) = number.and_then(narrow).filter(|code| *code != 0) else {
            return false;
        };
        let first = self.recognised.bugcheck.told().is_none_or(|told| told.weight > Weight::Report);
        let told = self.told(Weight::Report);
        self.recognised.set_bugcheck(told, BugcheckCode(code));
        if first {
            let given = parameters(value);
            for (known, given) in self.recognised.bugcheck_parameters.iter_mut().zip(given) {
                *known = known.or(given);
            }
            let opened = value.split_once('(').is_some_and(|(_, inside)| !inside.contains(')'));
            if opened && given.iter().any(Option::is_none) {
                self.reader.open_parameters = Some(self.recognised.line);
            }
        }
        true
    }

    /// A stop's parameters that go on in this line: PowerShell and mail programs break lines.
    fn parameters_of_line_before(&mut self) -> bool {
        let Some(before) = self.reader.open_parameters.take() else { return false };
        if self.recognised.line.saturating_sub(before) > LINES_TO_VALUE {
            return false;
        }
        let (inside, closed) = self.line.split_once(')').map_or((self.line, false), |(inside, _)| (inside, true));
        let written = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
        let numbers = written.map(|number| hex_number(number).filter(|_| number.starts_with("0x")));
        let Some(numbers) = numbers.take(MOST_PARAMETERS).collect::<Option<Vec<u64>>>() else { return false };
        let missing = self.recognised.bugcheck_parameters.iter_mut().filter(|known| known.is_none());
        for (known, number) in missing.zip(&numbers) {
            *known = Some(*number);
        }
        if !closed && !numbers.is_empty() {
            self.reader.open_parameters = Some(self.recognised.line);
        }
        !numbers.is_empty()
    }

    /// The codes of stops that stand in a row. What is no code of a stop is passed over.
    fn stops_in_a_row(&mut self, value: &str) -> bool {
        let told = self.told(Weight::Words);
        let written = value.match_indices("0x").filter_map(|(at, _)| value.get(at..)).take(MOST_STOPS_IN_A_ROW);
        let codes = written.filter_map(|text| {
            let end = text.find(|digit: char| !digit.is_ascii_alphanumeric()).unwrap_or(text.len());
            hex_number(text.get(..end)?).and_then(narrow).map(BugcheckCode)
        });
        let known: Vec<BugcheckCode> = codes.filter(|code| Knowledge::builtin().bugcheck(*code).is_some()).collect();
        for code in &known {
            self.recognised.set_bugcheck(told, *code);
        }
        !known.is_empty()
    }

    /// The stop whose name `value` begins with.
    fn named_stop(&mut self, weight: Weight, value: &str) -> bool {
        let told = self.told(weight);
        let Some(code) = stop_named(value) else { return false };
        self.recognised.set_bugcheck(told, code);
        true
    }

    /// The stop whose name stands in `value` in words.
    fn stop_in_words(&mut self, value: &str) -> bool {
        let told = self.told(Weight::Words);
        let Some(code) = stop_in_words(value) else { return false };
        self.recognised.set_bugcheck(told, code);
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

    /// Names of fast-fail codes.
    fn named_fast_fails(&mut self) {
        const PREFIX: &str = "FAST_FAIL_";
        for (at, prefix) in self.line.match_indices(PREFIX) {
            let name = self.line.get(at.saturating_add(prefix.len())..).unwrap_or_default();
            let told = self.told(Weight::Words);
            self.recognised.fast_fail.set_some(told, named_fast_fail(beginning(name, LONGEST_CODE_NAME)));
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
                let told = self.told(Weight::Words);
                self.recognised.module.set(told, name.into());
                self.recognised.offset.set(told, ModuleOffset(offset));
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
            let value = if digits.len() <= 18 { code(&[spelled.unwrap_or_default(), digits].concat()) } else { None };
            // Eight digits without `0x` are an address or a date as often as a code.
            let prefixed = digits.starts_with("0x") || digits.starts_with("0X");
            let spelled_out = prefixed || digits.len() == 10;
            if let Some(code) = value.filter(|code| alone && spelled_out && is_status(*code)) {
                let told = self.told(Weight::Bare);
                self.recognised.set_code(told, ExceptionCode(code));
            }
            previous = digits.chars().next_back().unwrap_or(previous);
            rest = after;
        }
    }
}
