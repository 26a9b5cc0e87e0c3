//! What was recognised in a text so far, and which of two statements counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::debugger::name_modules;
use super::statement::version_after;
use super::values::{narrow, unextended};
use evidence::{
    Address, BugcheckCode, Contradiction, DEBUGGER_SUSPECTS, ExceptionCode, FastFailCode, ModuleOffset, NtStatus,
    Ticket, TicketLine, Version,
};

/// More numbers of one kind than a text names; bounds what a hostile one can make us keep.
const MOST_NUMBERS: usize = 64;
/// The least specific suspect that a debugger names.
const ANY_HARDWARE: &str = "hardware";
/// How many contradictions are kept.
const MOST_CONTRADICTIONS: usize = 8;

/// How much a statement counts, the most first. Of statements that count the same the first is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// A labelled field of a crash report.
    Report,
    /// The code with which a process ended.
    Exit,
    /// Words that mean a code.
    Words,
    /// A code without a label.
    Bare,
    /// Said in passing.
    Passing,
}

/// Where a fact was stated: how much the statement counts, and the number of its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub weight: Weight,
    pub line: u32,
}

/// A fact for which statements compete.
pub(super) struct Slot<T> {
    /// The fact's name, the key of its origin.
    name: &'static str,
    /// Where its value is kept.
    value: fn(&mut Recognised) -> &mut Option<T>,
}

const fn slot<T>(name: &'static str, value: fn(&mut Recognised) -> &mut Option<T>) -> Slot<T> {
    Slot { name, value }
}

pub(super) const APP: &Slot<Arc<str>> = &slot("app", |found| &mut found.ticket.app);
pub(super) const APP_VERSION: &Slot<Version> = &slot("app_version", |found| &mut found.ticket.app_version);
pub(super) const APP_PATH: &Slot<Arc<str>> = &slot("app_path", |found| &mut found.ticket.app_path);
pub(super) const PID: &Slot<u32> = &slot("pid", |found| &mut found.ticket.pid);
pub(super) const STARTED: &Slot<Timestamp> = &slot("started", |found| &mut found.ticket.started);
pub(super) const REPORT_ID: &Slot<Arc<str>> = &slot("report_id", |found| &mut found.ticket.report_id);
pub(super) const COMPUTER: &Slot<Arc<str>> = &slot("computer", |found| &mut found.ticket.computer);
pub(super) const MODULE: &Slot<Arc<str>> = &slot("module", |found| &mut found.ticket.module);
pub(super) const MODULE_VERSION: &Slot<Version> = &slot("module_version", |found| &mut found.ticket.module_version);
pub(super) const MODULE_PATH: &Slot<Arc<str>> = &slot("module_path", |found| &mut found.ticket.module_path);
pub(super) const CODE: &Slot<ExceptionCode> = &slot("code", |found| &mut found.ticket.code);
pub(super) const EXIT_CODE: &Slot<u32> = &slot("exit_code", |found| &mut found.ticket.exit_code);
pub(super) const OFFSET: &Slot<ModuleOffset> = &slot("offset", |found| &mut found.ticket.offset);
pub(super) const CPP_TYPE: &Slot<Arc<str>> = &slot("cpp_type", |found| &mut found.ticket.cpp_type);
pub(super) const CPP_WHAT: &Slot<Arc<str>> = &slot("cpp_what", |found| &mut found.ticket.cpp_what);
pub(super) const FAST_FAIL: &Slot<FastFailCode> = &slot("fast_fail", |found| &mut found.ticket.fast_fail);
pub(super) const ACCESS_ADDRESS: &Slot<Address> = &slot("access_address", |found| &mut found.ticket.access_address);
pub(super) const IN_PAGE_STATUS: &Slot<NtStatus> = &slot("in_page_status", |found| &mut found.ticket.in_page_status);
pub(super) const BUGCHECK: &Slot<(BugcheckCode, Vec<u64>)> = &slot("bugcheck", |found| &mut found.ticket.bugcheck);
/// The module of the exception's address as a debugger names it, without ending.
pub(super) const FAULT_STEM: &Slot<Arc<str>> = &slot("fault_stem", |found| &mut found.fault_stem);
/// The module that a debugger blames, as it names it, until [`Recognised::into_ticket`] knows its file.
pub(super) const BLAMED_STEM: &Slot<Arc<str>> = &slot("blamed", |found| &mut found.ticket.blamed);

/// What was recognised so far: the ticket that it goes into, and what decides between statements.
#[derive(Debug, Default)]
pub(super) struct Recognised {
    pub ticket: Ticket,
    /// The number of the line that is being read.
    pub line: u32,
    /// Where the facts of [`Slot`]s were stated, by their names.
    origins: BTreeMap<&'static str, Origin>,
    /// The last exit code, with the number of its line.
    pub last_exit: Option<(u32, u32)>,
    /// The first parameters of the exception; their meaning depends on the code.
    pub exception_parameters: [Option<u64>; 2],
    pub bugcheck_parameters: [Option<u64>; 4],
    fault_stem: Option<Arc<str>>,
    /// All codes of blue screens that lines name which are not in doubt.
    stops: BTreeSet<u32>,
    /// Whether the text states that all that it reports is resolved.
    pub over: bool,
    /// Whether a debugger's analysis blames no module.
    pub blames_no_module: bool,
    /// Errors that the text names outside of quotations, too.
    errors_reported: Vec<u32>,
    /// Errors of the line that is being read.
    errors_of_line: Vec<u32>,
    /// Lines that write one code in decimal and hexadecimal digits that disagree, with both values.
    disputes: Vec<(u32, [u32; 2])>,
    /// Codes that other lines, which do not disagree, name as an exception or exit code.
    undisputed: BTreeSet<u32>,
    /// All codes in the text; `reported_codes` are those in a field of a report.
    codes: BTreeSet<u32>,
    reported_codes: BTreeSet<u32>,
    /// Lines of facts that are lists.
    lines: BTreeSet<u32>,
}

impl Recognised {
    /// The origin of the value that counts.
    pub fn origin_of<T>(&self, slot: &Slot<T>) -> Option<Origin> {
        self.origins.get(slot.name).copied()
    }

    /// Takes the value, if there is one, of a statement in the line that is being read, unless another counts as much or
    /// more.
    pub fn set<T>(&mut self, slot: &Slot<T>, weight: Weight, value: Option<T>) {
        let counts = self.origins.get(slot.name).is_none_or(|present| weight < present.weight);
        if let Some(value) = value.filter(|_| counts) {
            self.origins.insert(slot.name, Origin { weight, line: self.line });
            *(slot.value)(self) = Some(value);
        }
    }

    /// Takes a fact back.
    fn clear<T>(&mut self, slot: &Slot<T>) {
        self.origins.remove(slot.name);
        *(slot.value)(self) = None;
    }

    /// Takes a fact back that is stated in this line.
    fn clear_in<T>(&mut self, slot: &Slot<T>, line: u32) {
        if self.origin_of(slot).is_some_and(|origin| origin.line == line) {
            self.clear(slot);
        }
    }

    /// The bugcheck code, without its parameters.
    pub fn bugcheck(&self) -> Option<BugcheckCode> {
        self.ticket.bugcheck.as_ref().map(|(code, _)| *code)
    }

    /// The line that is being read gave something.
    pub fn note_line(&mut self) {
        self.lines.insert(self.line);
    }

    /// Sets the exception code unless a weightier one is set; a different code that counts less is kept as another
    /// value.
    pub fn set_code(&mut self, weight: Weight, code: Option<ExceptionCode>) {
        let Some(code) = code else { return };
        self.name_code(weight, code.0);
        let disputed = self.disputes.iter().any(|(line, codes)| *line == self.line && codes.contains(&code.0));
        if !disputed && weight < Weight::Bare && self.undisputed.len() < MOST_NUMBERS {
            self.undisputed.insert(code.0);
        }
        if let Some(present) = self.ticket.code.filter(|present| *present != code) {
            // What stands for nothing certain contradicts nothing.
            self.note_other_value("exception code", CODE, present, (weight, code), Weight::Exit);
        }
        self.set(CODE, weight, Some(code));
    }

    /// Notes that the current line writes one code in two ways that disagree.
    pub fn dispute(&mut self, codes: [u32; 2]) {
        if self.disputes.len() < MOST_CONTRADICTIONS {
            self.disputes.push((self.line, codes));
        }
    }

    /// Whether the ticket's exception code is only in lines that write it in two ways that disagree. Keeps the other
    /// value of such a line as a contradiction.
    fn is_disputed(&mut self) -> bool {
        let Some(code) = self.ticket.code.map(|code| code.0) else { return false };
        for (line, [first, second]) in std::mem::take(&mut self.disputes) {
            let other = if first == code { second } else { first };
            if [first, second].contains(&code) {
                self.contradicted("exception code", ExceptionCode(other).to_string(), line);
                if !self.undisputed.contains(&code) {
                    return true;
                }
            }
        }
        false
    }

    /// Sets the bugcheck code unless a weightier one is set; a different code that counts less is kept as another
    /// value.
    pub fn set_bugcheck(&mut self, weight: Weight, code: Option<BugcheckCode>) {
        if self.stops.len() < MOST_NUMBERS {
            self.stops.extend(code.map(|code| code.plain()));
        }
        self.mention_bugcheck(weight, code);
    }

    fn mention_bugcheck(&mut self, weight: Weight, code: Option<BugcheckCode>) {
        let Some(code) = code else { return };
        self.name_code(weight, code.plain());
        if let Some(present) = self.bugcheck().filter(|present| present.plain() != code.plain()) {
            self.note_other_value("bugcheck code", BUGCHECK, present, (weight, code), Weight::Words);
        }
        self.set(BUGCHECK, weight, Some((code, Vec::new())));
    }

    fn name_code(&mut self, weight: Weight, code: u32) {
        if self.codes.len() < MOST_NUMBERS {
            self.codes.insert(code);
        }
        if weight == Weight::Report && self.reported_codes.len() < MOST_NUMBERS {
            self.reported_codes.insert(code);
        }
    }

    /// Keeps the one of two codes that counts less beside the other, if it counts at least as much as `certain`: the
    /// `present` one of a slot, and the `stated` one of the line that is being read.
    fn note_other_value<C: ToString, T>(
        &mut self,
        of: &'static str,
        slot: &Slot<T>,
        present: C,
        (weight, stated): (Weight, C),
        certain: Weight,
    ) {
        let Some(origin) = self.origin_of(slot) else { return };
        let stated_counts = weight < origin.weight;
        let (less, value, line) =
            if stated_counts { (origin.weight, present, origin.line) } else { (weight, stated, self.line) };
        if less <= certain {
            self.contradicted(of, value.to_string(), line);
        }
    }

    /// How many codes the text names. Beside a whole report of a crash, with program, module, code and offset, other
    /// codes are what a log wrote of before it.
    fn codes_named(&self) -> usize {
        if self.is_whole() { self.reported_codes.len() } else { self.codes.len() }
    }

    /// Whether the text has a whole report of a program's crash.
    fn is_whole(&self) -> bool {
        let of_a_report = |name| self.origins.get(name).is_some_and(|origin| origin.weight == Weight::Report);
        [APP.name, MODULE.name, CODE.name, OFFSET.name].into_iter().all(of_a_report)
    }

    /// Beside a whole report of a program's crash, a blue screen that is only mentioned, or stated without parameters,
    /// is another story.
    fn leave_out_told_stop(&mut self) {
        let (Some(origin), Some(stop)) = (self.origin_of(BUGCHECK), self.bugcheck()) else { return };
        let bare = self.bugcheck_parameters.iter().all(Option::is_none);
        if self.is_whole() && (bare || origin.weight >= Weight::Passing) {
            self.clear(BUGCHECK);
            self.contradicted("bugcheck code", stop.to_string(), origin.line);
        }
    }

    /// An exception that was raised, and handled: the program went on and ended without error.
    fn leave_out_handled(&mut self) {
        let Some(raised) = self.origin_of(CODE).filter(|origin| origin.weight == Weight::Words) else { return };
        let ended_well = self.last_exit.is_some_and(|(line, code)| code == 0 && line > raised.line);
        if !ended_well || self.ticket.bugcheck.is_some() {
            return;
        }
        self.clear_in(CODE, raised.line);
        self.clear_in(APP, raised.line);
        self.clear_in(MODULE, raised.line);
        self.clear_in(ACCESS_ADDRESS, raised.line);
    }

    /// Sets the exception code to the first parameter of blue screens that report an unhandled exception; codes in
    /// other sentences of the text are then general remarks.
    ///
    /// Source: the bug check reference of Windows' driver documentation, 0x1E, 0x3B, 0x7E and 0x8E; 0x1000007E and
    /// 0x1000008E are the same in small dumps.
    fn take_code_of_stop(&mut self) {
        const OF_EXCEPTIONS: [u32; 4] = [0x1E, 0x3B, 0x7E, 0x8E];
        let Some(origin) = self.origin_of(BUGCHECK) else { return };
        let of_exception = self.bugcheck().is_some_and(|stop| OF_EXCEPTIONS.contains(&stop.plain()));
        let [first, ..] = self.bugcheck_parameters;
        // A failure status, in 32 or 64 bits.
        let code = first.and_then(unextended).filter(|code| *code >= 0x8000_0000).map(ExceptionCode);
        if let Some(code) = code.filter(|_| of_exception && self.ticket.code.is_some()) {
            self.clear(CODE);
            self.line = origin.line;
            self.set(CODE, Weight::Report, Some(code));
            self.ticket.contradictions.retain(|other| other.of != "exception code");
        }
    }

    /// Notes what a debugger suspects. Hardware of an unnamed kind counts less than a named kind.
    pub fn suspect(&mut self, word: &str) {
        let Some(word) = DEBUGGER_SUSPECTS.iter().find(|known| **known == word) else { return };
        if self.ticket.debugger_suspects.is_none_or(|known| known == ANY_HARDWARE) {
            self.ticket.debugger_suspects = Some(word);
            self.origins.insert("debugger_suspects", Origin { weight: Weight::Report, line: self.line });
        }
    }

    fn contradicted(&mut self, of: &'static str, value: String, line: u32) {
        let others = &mut self.ticket.contradictions;
        let known = others.iter().any(|other| other.of == of && *other.value == *value);
        if !known && others.len() < MOST_CONTRADICTIONS {
            others.push(Contradiction { of, value: value.into(), line });
        }
    }

    /// The crashed program with its version, if it has a name. The version of another program than the one that counts is
    /// not taken.
    pub fn set_app(&mut self, weight: Weight, name: Option<&str>, version: Option<Version>) {
        let counts_less = |present: Option<Origin>| present.is_some_and(|present| weight < present.weight);
        let other = self.ticket.app.as_deref().zip(name).is_some_and(|(app, name)| !app.eq_ignore_ascii_case(name));
        if other && counts_less(self.origin_of(APP)) && counts_less(self.origin_of(APP_VERSION)) {
            self.clear(APP_VERSION);
        }
        self.set_named("program", APP, APP_VERSION, weight, name, version);
    }

    /// The faulting module with its version, if it has a name. The version of another module than the one that counts is
    /// not taken.
    pub fn set_module(&mut self, weight: Weight, name: Option<&str>, version: Option<Version>) {
        self.set_named("module", MODULE, MODULE_VERSION, weight, name, version);
    }

    /// As [`set_app`](Self::set_app), for a name that is read of `value`, which may have the version behind the name.
    pub fn set_app_of(&mut self, weight: Weight, name: Option<&str>, value: &str) {
        self.set_app(weight, name, version_after(value, name));
    }

    /// As [`set_module`](Self::set_module), for a name that is read of `value`, which may have the version behind the name.
    pub fn set_module_of(&mut self, weight: Weight, name: Option<&str>, value: &str) {
        self.set_module(weight, name, version_after(value, name));
    }

    /// Takes a name, and its version where the name is the one that counts. A second name that a field of a report gives
    /// is kept beside the first.
    fn set_named(
        &mut self,
        of: &'static str,
        slot: &Slot<Arc<str>>,
        version_slot: &Slot<Version>,
        weight: Weight,
        name: Option<&str>,
        version: Option<Version>,
    ) {
        let Some(name) = name else { return };
        let is_known = |all: &mut Self| (slot.value)(all).as_ref().is_some_and(|one| one.eq_ignore_ascii_case(name));
        let of_reports =
            weight == Weight::Report && self.origin_of(slot).is_some_and(|known| known.weight == Weight::Report);
        if of_reports && !is_known(self) {
            self.contradicted(of, name.to_owned(), self.line);
        }
        self.set(slot, weight, Some(name.into()));
        if is_known(self) {
            self.set(version_slot, weight, version);
        }
    }

    /// Adds a Win32 error number.
    pub fn add_win_error(&mut self, number: u32) {
        add(&mut self.ticket.win_errors, number);
        self.note_error(number);
    }

    /// Adds an HRESULT.
    pub fn add_hresult(&mut self, number: u32) {
        add(&mut self.ticket.hresults, number);
        self.note_error(number);
    }

    fn note_error(&mut self, number: u32) {
        self.note_line();
        self.ticket.errors_only_mentioned.retain(|mentioned| *mentioned != number);
        add(&mut self.errors_of_line, number);
    }

    /// The errors that were named.
    pub fn errors(&self) -> impl Iterator<Item = u32> {
        self.ticket.win_errors.iter().chain(&self.ticket.hresults).copied()
    }

    /// Sorts the errors of the current line: errors that are also in `left`, the line without quotations, are reported
    /// ones, all others are only quoted.
    pub fn sort_errors(&mut self, left: Option<Self>) {
        for number in std::mem::take(&mut self.errors_of_line) {
            let named = left.as_ref().is_none_or(|left| left.errors().any(|other| other == number));
            add(if named { &mut self.errors_reported } else { &mut self.ticket.errors_unreported }, number);
        }
    }

    /// Takes the codes of a line that denies, advises or lists them, as mentions only.
    pub fn mention(&mut self, named: Self) {
        self.set_code(Weight::Passing, named.ticket.code);
        self.mention_bugcheck(Weight::Passing, named.bugcheck());
        let ticket = &mut self.ticket;
        for (known, named_errors) in
            [(&mut ticket.win_errors, named.ticket.win_errors), (&mut ticket.hresults, named.ticket.hresults)]
        {
            for number in named_errors {
                if !known.contains(&number) {
                    add(known, number);
                    add(&mut ticket.errors_only_mentioned, number);
                    self.lines.insert(named.line);
                }
            }
        }
        for code in named.codes {
            self.name_code(Weight::Passing, code);
        }
    }

    /// The ticket with these lines.
    pub fn into_ticket(mut self, lines: Vec<TicketLine>) -> Ticket {
        self.leave_out_handled();
        self.leave_out_told_stop();
        self.take_code_of_stop();
        let disputed = self.is_disputed();
        if self.ticket.cpp_type.is_none() {
            self.clear(CPP_WHAT);
        }
        if self.blames_no_module {
            self.clear(BLAMED_STEM);
        }
        let is_weak = |origin: Option<Origin>, least: Weight| origin.is_some_and(|origin| origin.weight >= least);
        let code_only_mentioned = disputed || self.over || is_weak(self.origin_of(CODE), Weight::Bare);
        let stop_only_mentioned = self.over || is_weak(self.origin_of(BUGCHECK), Weight::Passing);
        let codes_named = self.codes_named();
        if self.over {
            self.ticket.errors_only_mentioned = self.errors().collect();
        }
        let Self { mut ticket, origins, lines: mut read_in, .. } = self;
        read_in.extend(origins.values().map(|origin| origin.line));
        read_in.remove(&0);
        ticket.told_in = read_in.into_iter().collect();
        ticket.lines = lines;
        (ticket.code_only_mentioned, ticket.stop_only_mentioned) = (code_only_mentioned, stop_only_mentioned);
        (ticket.codes_named, ticket.stops_told) = (codes_named, self.stops.len());
        ticket.errors_unreported.retain(|number| !self.errors_reported.contains(number));
        let [first, second] = self.exception_parameters;
        if ticket.code == Some(ExceptionCode::FAST_FAIL) {
            let number = first.and_then(narrow);
            ticket.fast_fail = ticket.fast_fail.or(number.map(FastFailCode));
        } else if ticket.code == Some(ExceptionCode::ACCESS_VIOLATION) {
            ticket.access_address = ticket.access_address.or(second.map(Address));
        }
        if let Some((_, parameters)) = &mut ticket.bugcheck {
            // A parameter after one that is not given has no place in the list.
            parameters.extend(self.bugcheck_parameters.iter().map_while(|parameter| *parameter));
        }
        let blamed = ticket.blamed.take();
        name_modules(&mut ticket, self.fault_stem, blamed);
        // A value that was outweighed by the same value elsewhere contradicts nothing.
        let code = ticket.code.map(|code| code.to_string());
        let stop = ticket.bugcheck.as_ref().map(|(code, _)| code.to_string());
        ticket
            .contradictions
            .retain(|other| Some(&*other.value) != code.as_deref() && Some(&*other.value) != stop.as_deref());
        ticket
    }
}

fn add(numbers: &mut Vec<u32>, number: u32) {
    if numbers.len() < MOST_NUMBERS && !numbers.contains(&number) {
        numbers.push(number);
    }
}
