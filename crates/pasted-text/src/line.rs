//! What one line of a text says, whatever stands around it.

mod stops;

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;

use super::asserted::{is_asserted, is_told_of, names_a_program};
use super::inventory;
use super::named_event;
use super::patterns::{Fact, Statement, statements};
use super::recognised::{
    ACCESS_ADDRESS, APP_PATH, APP_VERSION, BLAMED_STEM, COMPUTER, CPP_TYPE, CPP_WHAT, EXIT_CODE, FAST_FAIL, FAULT_STEM,
    IN_PAGE_STATUS, MODULE, MODULE_PATH, MODULE_VERSION, OFFSET, PID, REPORT_ID, Recognised, Weight,
};
use super::respelled::disagreeing;
use super::signature::PastedSignature;
use super::statement::{
    cpp_type, exit_code, fast_fail_number, is_address, is_place, named_fast_fail, path, stands_alone, status_named,
    stem_of,
};
use super::stops::{stop_in_words, stop_named};
use super::values::{
    beginning, code, decimal_number, field_name, hex_number, image_name, is_status, narrow, value_of, version,
};
use evidence::{Address, ExceptionCode, ModuleOffset, NtStatus, TicketLine};
use untrusted::notation::guid;
use windows_codes::win_error;

/// How many characters are looked at after the words that announce a fact. Bounds what a hostile line costs.
const LONGEST_STATEMENT: usize = 512;
/// As many lines lie between a label and its value at most: an empty one is common.
const LINES_TO_VALUE: u32 = 2;
/// More characters than a fast-fail code's name has.
const LONGEST_CODE_NAME: usize = 64;

/// Takes the facts of lines, one after the other.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    /// What was taken so far. Knows the number of the line that is being read.
    pub recognised: Recognised,
    /// The values of a problem signature so far.
    signature: PastedSignature,
    events: inventory::PendingEvent,
    package: Option<Arc<str>>,
    /// A label at the end of the line before, whose value was broken off.
    broken_off: Option<(Fact, u32)>,
    /// The line at whose end a blue screen's parameters were broken off.
    open_parameters: Option<u32>,
    /// Statements that count only if the whole text matches an expression: expression, fact, value, line number.
    conditional: Vec<(&'static str, Fact, String, u32)>,
}

/// The most conditional statements that are kept.
const MOST_CONDITIONAL: usize = 64;

/// The facts of one line, read without the lines around it.
pub(super) fn read_alone(line: &str, number: u32) -> Recognised {
    let mut reader = LineReader::default();
    reader.read(line, number);
    reader.recognised
}

impl LineReader {
    /// Adds the facts of `line`, which has this number.
    pub(super) fn read(&mut self, line: &str, number: u32) {
        self.recognised.line = number;
        let statements = statements(line);
        if statements.iter().any(|statement| statement.fact == Fact::Explanation) {
            return;
        }
        if let Some(codes) = disagreeing(line) {
            self.recognised.dispute(codes);
        }
        let broken_off = self.broken_off.take();
        let mut current = CurrentLine { line, at: 0, reader: self };
        current.value_of_line_before(broken_off);
        let mut about_bugcheck = current.parameters_of_line_before();
        about_bugcheck |= current.bugcheck_in_any_language();
        current.stop_spelled();
        for statement in statements {
            about_bugcheck |= current.take_statement(statement);
        }
        for (provider, id) in named_event::events(line) {
            inventory::add_event(&mut current.reader.recognised, provider.into(), id);
        }
        current.named_fast_fails();
        current.frame_of_the_jvm();
        if !about_bugcheck {
            current.bare_codes();
        }
        self.signature.read_line(line, number);
    }

    /// Takes what counts only with all `lines`: the problem signature, and the statements that count only if some line fits
    /// their pattern's `needs`.
    pub(super) fn finish(&mut self, lines: &[TicketLine]) {
        std::mem::take(&mut self.signature).finish(&mut self.recognised);
        let mut shown: BTreeMap<&str, bool> = BTreeMap::new();
        for (needs, fact, value, number) in std::mem::take(&mut self.conditional) {
            let fits = |needs| Regex::new(needs).is_ok_and(|needs| lines.iter().any(|line| needs.is_match(&line.text)));
            if *shown.entry(needs).or_insert_with(|| fits(needs)) {
                self.recognised.line = number;
                CurrentLine { line: &value, at: 0, reader: self }.take_fact(fact, &value);
            }
        }
    }
}

/// The line whose facts are being taken.
struct CurrentLine<'a> {
    line: &'a str,
    /// The offset in `line` of the statement whose fact is being taken, bytes.
    at: usize,
    reader: &'a mut LineReader,
}

impl CurrentLine<'_> {
    /// Takes the fact of a statement that a pattern found. Returns whether it was about a bugcheck, whose parameters
    /// must not be taken for exception codes.
    fn take_statement(&mut self, statement: Statement<'_>) -> bool {
        let text = beginning(statement.text, LONGEST_STATEMENT);
        self.at = statement.at;
        let number = self.reader.recognised.line;
        if value_of(text).is_empty() {
            self.reader.broken_off = Some((statement.fact, number));
        }
        let Some(needs) = statement.needs else { return self.take_fact(statement.fact, text) };
        if self.reader.conditional.len() < MOST_CONDITIONAL {
            self.reader.conditional.push((needs, statement.fact, text.to_owned(), number));
        }
        statement.fact == Fact::Bugcheck
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
            Fact::FaultStem | Fact::ModuleStem if is_place(value) => fact,
            _ => return,
        };
        if self.reader.recognised.line.saturating_sub(before) <= LINES_TO_VALUE {
            self.take_fact(fact, value);
        }
    }

    fn take_fact(&mut self, fact: Fact, text: &str) -> bool {
        use Weight::{Exit, Passing, Report, Words};
        let value = value_of(text);
        let recognised = &mut self.reader.recognised;
        match fact {
            Fact::App => recognised.set_app_of(Report, field_name(text), value),
            Fact::AppImage => recognised.set_app_of(Report, image_name(value), value),
            Fact::AppHung => {
                let name = image_name(value);
                recognised.ticket.hung |= name.is_some();
                recognised.set_app_of(Passing, name, value);
            }
            Fact::AppInSentence => recognised.set_app(Words, image_name(value), None),
            Fact::AppInPassing => {
                let name = image_name(value).filter(|name| is_told_of(self.line, self.at, name));
                recognised.set_app(Passing, name, None);
            }
            Fact::AppPath => recognised.set(APP_PATH, Report, path(value).map(Into::into)),
            Fact::Module => recognised.set_module_of(Report, field_name(text), value),
            Fact::ModuleImage => {
                let name = image_name(value).filter(|name| stands_alone(value, name));
                recognised.set_module_of(Report, name, value);
            }
            Fact::ModuleInSentence => {
                let name = image_name(value).filter(|_| is_asserted(self.line, self.at));
                recognised.set_module(Words, name, None);
            }
            Fact::ModuleStem => {
                let stem = value.split_whitespace().find(|word| !is_address(word));
                recognised.set(BLAMED_STEM, Words, stem.and_then(stem_of).map(Into::into));
            }
            Fact::FaultStem => recognised.set(FAULT_STEM, Report, stem_of(value).map(Into::into)),
            Fact::AppVersion => recognised.set(APP_VERSION, Report, version(value)),
            Fact::ModuleVersion => recognised.set(MODULE_VERSION, Report, version(value)),
            Fact::ModulePath => recognised.set(MODULE_PATH, Report, path(value).map(Into::into)),
            Fact::ExceptionCode => {
                recognised.set_code(Report, code(value).filter(|code| *code != 0).map(ExceptionCode));
            }
            Fact::ExitCode => {
                recognised.set(EXIT_CODE, Exit, code(value));
                recognised.last_exit = code(value).map(|code| (recognised.line, code)).or(recognised.last_exit);
                recognised.set_code(Exit, exit_code(value));
            }
            Fact::StatusName => {
                recognised.set_code(Words, status_named(value).filter(|_| is_asserted(self.line, self.at)));
            }
            Fact::InPageStatus => {
                if let Some(status) = code(value).filter(|status| is_status(*status)) {
                    recognised.set(IN_PAGE_STATUS, Report, Some(NtStatus(status)));
                    recognised.set_code(Report, Some(ExceptionCode::IN_PAGE_ERROR));
                }
            }
            Fact::Hung => recognised.ticket.hung |= names_a_program(value),
            Fact::TruncatedCode => recognised.set_code(Exit, exit_code(value)),
            Fact::RaisedCode => recognised.set_code(Words, exit_code(value)),
            Fact::SuggestedCode => recognised.set_code(Passing, exit_code(value)),
            Fact::Offset => recognised.set(OFFSET, Report, hex_number(value).map(ModuleOffset)),
            Fact::CppType => recognised.set(CPP_TYPE, Report, cpp_type(value).map(Into::into)),
            Fact::CppWhat => recognised.set(CPP_WHAT, Report, Some(value.trim().into())),
            Fact::FastFail => recognised.set(FAST_FAIL, Report, fast_fail_number(value)),
            Fact::Subcode => {
                // OpenGL drivers number their errors in the same words.
                if !self.line.to_ascii_lowercase().contains("error code") {
                    recognised.set(FAST_FAIL, Report, fast_fail_number(value));
                }
            }
            Fact::AccessAddress => recognised.set(ACCESS_ADDRESS, Report, hex_number(value).map(Address)),
            Fact::ExceptionParameter(index) => {
                if let Some(parameter) = recognised.exception_parameters.get_mut(index) {
                    *parameter = parameter.or(hex_number(value));
                }
            }
            Fact::Bugcheck => return self.announced_bugcheck(value),
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
            Fact::StopName => return self.stop(Words, stop_named(value)),
            Fact::StopWords => return self.stop(Words, stop_in_words(value)),
            Fact::StopMention => return self.stop(Passing, stop_named(value)),
            Fact::StopList => return self.stops_in_a_row(value),
            Fact::StopDriver => recognised.set_module(Words, image_name(value), None),
            Fact::WinError | Fact::LoaderError => self.error(fact, value),
            Fact::HResult => self.hresult(value),
            Fact::EventName => self.reader.signature.set_event_name(value, recognised.line),
            Fact::EventSource => self.reader.events.source(value, recognised),
            Fact::EventId => self.reader.events.id(value, recognised),
            Fact::Computer => {
                let name = value.split_whitespace().next().and_then(inventory::computer);
                recognised.set(COMPUTER, Report, name.map(Into::into));
            }
            Fact::ProcessId => {
                let id = hex_number(value.strip_prefix("0x").filter(|rest| rest.starts_with("0x")).unwrap_or(value));
                recognised.set(PID, Report, id.and_then(narrow));
            }
            Fact::ProcessIdDecimal => {
                recognised.set(PID, Report, decimal_number(value).and_then(narrow).filter(|id| *id != 0));
            }
            Fact::ReportId => {
                let id = value.split_whitespace().next().and_then(guid);
                recognised.set(REPORT_ID, Report, id.map(Into::into));
            }
            Fact::Package => self.reader.package = Some(value.into()),
            Fact::PackageVersion => {
                if let Some(name) = self.reader.package.take() {
                    inventory::add_package(recognised, &name, value);
                }
            }
            // Lines with these have no other fact.
            Fact::Border(_) | Fact::Explanation => {}
            Fact::NoModule => recognised.blames_no_module = true,
            Fact::DebuggerSuspects => recognised.suspect(value),
            Fact::Machine(fact) => inventory::take(fact, value, recognised),
        }
        false
    }

    /// A number that some words call an error: a Win32 error, or an NTSTATUS in its place.
    fn error(&mut self, fact: Fact, value: &str) {
        let number = if value.starts_with(['-', '0']) { code(value) } else { decimal_number(value).and_then(narrow) };
        let Some(number) = number.filter(|number| *number != 0) else { return };
        if is_status(number) {
            self.reader.recognised.set_code(Weight::Exit, Some(ExceptionCode(number)));
        } else if fact == Fact::WinError || win_error(number).is_some_and(|error| error.bare) {
            self.reader.recognised.add_win_error(number);
        }
    }

    /// An HRESULT. One of facility 7 is a Win32 error in that form.
    ///
    /// Source: `winerror.h`, `HRESULT_FROM_WIN32`.
    fn hresult(&mut self, value: &str) {
        let Some(number) = code(value).filter(|number| *number >= 0x8000_0001 && !is_status(*number)) else { return };
        self.reader.recognised.add_hresult(number);
        if number >> 16 == 0x8007 {
            self.reader.recognised.add_win_error(number & 0xFFFF);
        }
    }

    /// Names of fast-fail codes.
    fn named_fast_fails(&mut self) {
        const PREFIX: &str = "FAST_FAIL_";
        for (at, prefix) in self.line.match_indices(PREFIX) {
            let name = self.line.get(at.saturating_add(prefix.len())..).unwrap_or_default();
            let code = named_fast_fail(beginning(name, LONGEST_CODE_NAME));
            self.reader.recognised.set(FAST_FAIL, Weight::Words, code);
        }
    }

    /// The JVM's "problematic frame": `C  [name.dll+0x1234]`, and `# V  [jvm.dll+0x1234]` of the virtual machine
    /// itself, which is also in every stack further down.
    fn frame_of_the_jvm(&mut self) {
        for (at, _) in self.line.match_indices('[') {
            let (before, frame) = self.line.split_at(at);
            let frame = beginning(frame, LONGEST_STATEMENT);
            let of_machine = self.line.starts_with('#') && before.trim_start_matches('#').trim() == "V";
            let of_library =
                before.trim_end().strip_suffix('C').is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
            let native = before.ends_with(' ') && (of_library || of_machine);
            let place = frame.get(1..).and_then(|frame| frame.split_once(']')?.0.split_once("+0x"));
            let place = place.filter(|_| native).and_then(|(name, offset)| image_name(name).zip(hex_number(offset)));
            if let Some((name, offset)) = place {
                self.reader.recognised.set(MODULE, Weight::Words, Some(name.into()));
                self.reader.recognised.set(OFFSET, Weight::Words, Some(ModuleOffset(offset)));
            }
        }
    }

    /// Takes codes without a label, in any spelling.
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
            let code = value.filter(|code| alone && spelled_out && is_status(*code)).map(ExceptionCode);
            self.reader.recognised.set_code(Weight::Bare, code);
            previous = digits.chars().next_back().unwrap_or(previous);
            rest = after;
        }
    }
}
