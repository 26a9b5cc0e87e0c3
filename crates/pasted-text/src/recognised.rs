//! What was recognised in a text so far, and which of two statements counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use evidence::{
    Address, BugcheckCode, Contradiction, DEBUGGER_SUSPECTS, ExceptionCode, FastFailCode, Inventory, ModuleOffset,
    NtStatus, PythonFrame, Ticket, TicketEvent, TicketFrame, TicketLine, Version,
};

/// More numbers of one kind than a text names; bounds what a hostile one can make us keep.
const MOST_NUMBERS: usize = 64;
/// The least that a debugger says of what it suspects.
const ANY_HARDWARE: &str = "hardware";
/// As many contradictions as are kept.
const MOST_CONTRADICTIONS: usize = 8;

/// How much a statement counts, the most first. Of statements that count the same the first is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// A labelled field of a crash report.
    Report,
    /// The code with which a process ended.
    Exit,
    /// Words that stand for a code.
    Words,
    /// A code without anything that says what it is.
    Bare,
    /// Said in passing.
    Passing,
}

/// A statement's weight and line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub weight: Weight,
    pub line: u32,
}

/// A value with the statement that it came from.
#[derive(Debug)]
pub(super) struct Weighed<T>(Option<(Told, T)>);

impl<T> Default for Weighed<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Weighed<T> {
    /// Takes the value unless one that counts as much or more is there.
    pub fn set(&mut self, told: Told, value: T) {
        if self.0.as_ref().is_none_or(|(present, _)| told.weight < present.weight) {
            self.0 = Some((told, value));
        }
    }

    /// As [`set`](Self::set), when there is a value.
    pub fn set_some(&mut self, told: Told, value: Option<T>) {
        if let Some(value) = value {
            self.set(told, value);
        }
    }

    pub fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    /// What the value that counts was told by.
    pub fn told(&self) -> Option<Told> {
        self.0.as_ref().map(|(told, _)| *told)
    }

    /// The value; its line is added to `lines`.
    fn take(self, lines: &mut BTreeSet<u32>) -> Option<T> {
        let (told, value) = self.0?;
        lines.insert(told.line);
        Some(value)
    }
}

impl Weighed<Arc<str>> {
    /// Whether a field of a report gives another name than the field of a report that counts.
    fn clash(&self, told: Told, name: &str) -> bool {
        let report = |told: Told| told.weight == Weight::Report;
        let other = self.get().is_some_and(|present| !present.eq_ignore_ascii_case(name));
        report(told) && other && self.told().is_some_and(report)
    }
}

/// The facts of a text.
#[derive(Debug, Default)]
pub(super) struct Recognised {
    /// The number of the line that is being read.
    pub line: u32,
    pub app: Weighed<Arc<str>>,
    pub app_version: Weighed<Version>,
    pub app_path: Weighed<Arc<str>>,
    pub pid: Weighed<u32>,
    pub started: Weighed<Timestamp>,
    pub report_id: Weighed<Arc<str>>,
    pub computer: Weighed<Arc<str>>,
    pub module: Weighed<Arc<str>>,
    pub module_version: Weighed<Version>,
    pub module_path: Weighed<Arc<str>>,
    pub code: Weighed<ExceptionCode>,
    pub exit_code: Weighed<u32>,
    /// The last exit code that was told, with its line.
    pub last_exit: Option<(u32, u32)>,
    pub offset: Weighed<ModuleOffset>,
    /// Type and words of a C++ exception that nobody caught.
    pub cpp_type: Weighed<Arc<str>>,
    pub cpp_what: Weighed<Arc<str>>,
    pub fast_fail: Weighed<FastFailCode>,
    pub access_address: Weighed<Address>,
    /// Why a page could not be read.
    pub in_page_status: Weighed<NtStatus>,
    /// First parameters of the exception; what they mean depends on the code.
    pub exception_parameters: [Weighed<u64>; 2],
    pub bugcheck: Weighed<BugcheckCode>,
    pub bugcheck_parameters: [Option<u64>; 4],
    /// All codes of stops that lines name which are not in doubt.
    stops: BTreeSet<u32>,
    /// Names of debuggers, without ending: of the module at the exception's address, and of the one that is blamed.
    pub fault_stem: Weighed<Arc<str>>,
    pub blamed_stem: Weighed<Arc<str>>,
    /// Whether the text says that all that it tells of is over.
    pub over: bool,
    /// Whether a program is said not to answer.
    pub hung: bool,
    /// Whether a debugger's analysis says that it blames no module.
    pub blames_no_module: bool,
    /// What it suspects in the place of one, a word of `DEBUGGER_SUSPECTS`, with its line.
    debugger_suspects: Option<(&'static str, u32)>,
    pub events: Vec<TicketEvent>,
    pub frames: Vec<TicketFrame>,
    pub python_frames: Vec<PythonFrame>,
    pub inventory: Inventory,
    win_errors: Vec<u32>,
    hresults: Vec<u32>,
    /// Those of both that nothing but doubtful lines names.
    errors_only_mentioned: Vec<u32>,
    /// Those of both that quotations name of which nobody says that they appeared, and those that stand elsewhere.
    errors_unreported: Vec<u32>,
    errors_reported: Vec<u32>,
    /// Those of the line that is being read.
    errors_of_line: Vec<u32>,
    others: Vec<Contradiction>,
    /// Lines that write one code in two ways that disagree, with what each says.
    disputes: Vec<(u32, [u32; 2])>,
    /// Codes that other lines than those say to be what something ended with.
    undisputed: BTreeSet<u32>,
    /// All codes that were named, and those of them that stand in a field of a report.
    codes: BTreeSet<u32>,
    reported_codes: BTreeSet<u32>,
    /// Lines of facts that are lists.
    lines: BTreeSet<u32>,
}

impl Recognised {
    /// A statement of the line that is being read.
    pub fn told(&self, weight: Weight) -> Told {
        Told { weight, line: self.line }
    }

    /// The line that is being read gave something.
    pub fn note_line(&mut self) {
        self.lines.insert(self.line);
    }

    /// The exception code. Another sure one is kept beside it.
    pub fn set_code(&mut self, told: Told, code: ExceptionCode) {
        self.name_code(told, code.0);
        let disputed = self.disputes.iter().any(|(line, codes)| *line == told.line && codes.contains(&code.0));
        if !disputed && told.weight < Weight::Bare && self.undisputed.len() < MOST_NUMBERS {
            self.undisputed.insert(code.0);
        }
        if let (Some(present), Some(value)) = (self.code.told(), self.code.get())
            && *value != code
        {
            let less = if told.weight < present.weight { (present, *value) } else { (told, code) };
            // What stands for nothing certain contradicts nothing.
            if less.0.weight <= Weight::Exit {
                self.contradicted("exception code", less.1.to_string(), less.0.line);
            }
        }
        self.code.set(told, code);
    }

    /// The line that is being read writes one code in two ways that disagree.
    pub fn dispute(&mut self, codes: [u32; 2]) {
        if self.disputes.len() < MOST_CONTRADICTIONS {
            self.disputes.push((self.line, codes));
        }
    }

    /// Whether nothing but such a line tells the code that counts. What else it says is kept beside it.
    fn is_disputed(&mut self) -> bool {
        let Some(code) = self.code.get().map(|code| code.0) else { return false };
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

    /// The bugcheck code. Another sure one is kept beside it.
    pub fn set_bugcheck(&mut self, told: Told, code: BugcheckCode) {
        if self.stops.len() < MOST_NUMBERS {
            self.stops.insert(code.plain());
        }
        self.mention_bugcheck(told, code);
    }

    fn mention_bugcheck(&mut self, told: Told, code: BugcheckCode) {
        self.name_code(told, code.plain());
        if let (Some(present), Some(value)) = (self.bugcheck.told(), self.bugcheck.get())
            && value.plain() != code.plain()
        {
            let less = if told.weight < present.weight { (present, *value) } else { (told, code) };
            if less.0.weight <= Weight::Words {
                self.contradicted("bugcheck code", less.1.to_string(), less.0.line);
            }
        }
        self.bugcheck.set(told, code);
    }

    fn name_code(&mut self, told: Told, code: u32) {
        if self.codes.len() < MOST_NUMBERS {
            self.codes.insert(code);
        }
        if told.weight == Weight::Report && self.reported_codes.len() < MOST_NUMBERS {
            self.reported_codes.insert(code);
        }
    }

    /// How many codes the text names. Beside a whole report of a crash, with program, module, code and offset, other
    /// codes are what a log wrote of before it.
    fn codes_named(&self) -> usize {
        if self.is_whole() { self.reported_codes.len() } else { self.codes.len() }
    }

    /// Whether the text has a whole report of a program's crash.
    fn is_whole(&self) -> bool {
        fn reported<T>(fact: &Weighed<T>) -> bool {
            fact.told().is_some_and(|told| told.weight == Weight::Report)
        }
        reported(&self.app) && reported(&self.module) && reported(&self.code) && reported(&self.offset)
    }

    /// Beside a whole report of a program's crash, a stop that is only mentioned, or told without parameters, is another
    /// story.
    fn leave_out_told_stop(&mut self) {
        let (Some(told), Some(stop)) = (self.bugcheck.told(), self.bugcheck.get().copied()) else { return };
        let bare = self.bugcheck_parameters.iter().all(Option::is_none);
        if self.is_whole() && (bare || told.weight >= Weight::Passing) {
            self.bugcheck = Weighed::default();
            self.contradicted("bugcheck code", stop.to_string(), told.line);
        }
    }

    /// An exception that was raised, and handled: the program went on and ended without error.
    fn leave_out_handled(&mut self) {
        let Some(told) = self.code.told().filter(|told| told.weight == Weight::Words) else { return };
        if !self.last_exit.is_some_and(|(line, code)| code == 0 && line > told.line) || self.bugcheck.get().is_some() {
            return;
        }
        self.code = Weighed::default();
        let there = |other: Option<Told>| other.is_some_and(|other| other.line == told.line);
        if there(self.app.told()) {
            self.app = Weighed::default();
        }
        if there(self.module.told()) {
            self.module = Weighed::default();
        }
        if there(self.access_address.told()) {
            self.access_address = Weighed::default();
        }
    }

    /// Of some stops the first parameter is the code of the exception that nobody handled, whatever the text says of
    /// such stops in general.
    ///
    /// Source: the bug check reference of Windows' driver documentation, 0x1E, 0x3B, 0x7E and 0x8E; 0x1000007E and
    /// 0x1000008E are the same in small dumps.
    fn take_code_of_stop(&mut self) {
        const OF_EXCEPTIONS: [u32; 4] = [0x1E, 0x3B, 0x7E, 0x8E];
        let Some(told) = self.bugcheck.told() else { return };
        let of_exception = self.bugcheck.get().is_some_and(|stop| OF_EXCEPTIONS.contains(&stop.plain()));
        let code = self.bugcheck_parameters.first().copied().flatten().and_then(status);
        if let Some(code) = code.filter(|_| of_exception && self.code.get().is_some()) {
            self.code = Weighed(Some((Told { weight: Weight::Report, ..told }, code)));
            self.others.retain(|other| other.of != "exception code");
        }
    }

    /// What a debugger suspects. That it is hardware of some kind says less than which kind, and counts less.
    pub fn suspect(&mut self, word: &str) {
        let Some(word) = DEBUGGER_SUSPECTS.iter().find(|known| **known == word) else { return };
        if self.debugger_suspects.is_none_or(|(known, _)| known == ANY_HARDWARE) {
            self.debugger_suspects = Some((word, self.line));
        }
    }

    fn contradicted(&mut self, of: &'static str, value: String, line: u32) {
        let known = self.others.iter().any(|other| other.of == of && *other.value == *value);
        if !known && self.others.len() < MOST_CONTRADICTIONS {
            self.others.push(Contradiction { of, value: value.into(), line });
        }
    }

    /// The crashed program with its version. The version of another program than the one that counts is not taken.
    pub fn set_app(&mut self, told: Told, name: &str, version: Option<Version>) {
        self.other_name("program", self.app.clash(told, name), name, told);
        let other = self.app.get().is_some_and(|app| !app.eq_ignore_ascii_case(name));
        let counts_less = |present: Told| told.weight < present.weight;
        if other && self.app.told().is_some_and(counts_less) && self.app_version.told().is_some_and(counts_less) {
            self.app_version = Weighed::default();
        }
        self.app.set(told, name.into());
        if self.app.get().is_some_and(|app| app.eq_ignore_ascii_case(name)) {
            self.app_version.set_some(told, version);
        }
    }

    /// The faulting module with its version. The version of another module than the one that counts is not taken.
    pub fn set_module(&mut self, told: Told, name: &str, version: Option<Version>) {
        self.other_name("module", self.module.clash(told, name), name, told);
        self.module.set(told, name.into());
        if self.module.get().is_some_and(|module| module.eq_ignore_ascii_case(name)) {
            self.module_version.set_some(told, version);
        }
    }

    /// Keeps a second name that a report gives beside the first.
    fn other_name(&mut self, of: &'static str, clashes: bool, name: &str, told: Told) {
        if clashes {
            self.contradicted(of, name.to_owned(), told.line);
        }
    }

    /// A Win32 error number.
    pub fn add_win_error(&mut self, number: u32) {
        self.note_line();
        self.errors_only_mentioned.retain(|mentioned| *mentioned != number);
        add(&mut self.win_errors, number);
        add(&mut self.errors_of_line, number);
    }

    /// An HRESULT.
    pub fn add_hresult(&mut self, number: u32) {
        self.note_line();
        self.errors_only_mentioned.retain(|mentioned| *mentioned != number);
        add(&mut self.hresults, number);
        add(&mut self.errors_of_line, number);
    }

    /// The errors that were named.
    pub fn errors(&self) -> impl Iterator<Item = u32> {
        self.win_errors.iter().chain(&self.hresults).copied()
    }

    /// Notes which errors of the line that was read only its quotations name: those that are not `left` without them.
    pub fn sort_errors(&mut self, left: Option<Self>) {
        for number in std::mem::take(&mut self.errors_of_line) {
            let named =
                left.as_ref().is_none_or(|left| left.win_errors.contains(&number) || left.hresults.contains(&number));
            add(if named { &mut self.errors_reported } else { &mut self.errors_unreported }, number);
        }
    }

    /// Takes over what a line names that denies it, advises or lists codes: codes, as mentions, and nothing else.
    pub fn mention(&mut self, said: Self) {
        let told = Told { weight: Weight::Passing, line: said.line };
        if let Some(code) = said.code.get() {
            self.set_code(told, *code);
        }
        if let Some(code) = said.bugcheck.get() {
            self.mention_bugcheck(told, *code);
        }
        for (known, named) in [(&mut self.win_errors, said.win_errors), (&mut self.hresults, said.hresults)] {
            for number in named.into_iter().filter(|number| !known.contains(number)).collect::<Vec<_>>() {
                add(known, number);
                add(&mut self.errors_only_mentioned, number);
                self.lines.insert(said.line);
            }
        }
        for code in said.codes {
            self.name_code(told, code);
        }
    }

    /// The ticket with these lines.
    pub fn into_ticket(mut self, lines: Vec<TicketLine>) -> Ticket {
        self.leave_out_handled();
        self.leave_out_told_stop();
        self.take_code_of_stop();
        let disputed = self.is_disputed();
        let codes_named = self.codes_named();
        let mut told_in = self.lines;
        let told = &mut told_in;
        let [first, second] = self.exception_parameters.map(|parameter| parameter.take(&mut BTreeSet::new()));
        let over = self.over;
        let mentioned = disputed || over || self.code.told().is_some_and(|told| told.weight >= Weight::Bare);
        let stop_mentioned = over || self.bugcheck.told().is_some_and(|told| told.weight >= Weight::Passing);
        let code = self.code.take(told);
        let parameter_of = |wanted, parameter: Option<u64>| parameter.filter(|_| code == Some(wanted));
        let data = parameter_of(ExceptionCode::FAST_FAIL, first).and_then(|number| u32::try_from(number).ok());
        let wanted_address = parameter_of(ExceptionCode::ACCESS_VIOLATION, second);
        let mut ticket = Ticket {
            lines,
            doubted: BTreeMap::new(),
            document: false,
            app: self.app.take(told),
            app_version: self.app_version.take(told),
            app_path: self.app_path.take(told),
            pid: self.pid.take(told),
            started: self.started.take(told),
            dates: Vec::new(),
            report_id: self.report_id.take(told),
            computer: self.computer.take(told),
            code,
            exit_code: self.exit_code.take(told),
            cpp_what: if self.cpp_type.get().is_some() { self.cpp_what.take(told) } else { None },
            cpp_type: self.cpp_type.take(told),
            fast_fail: self.fast_fail.take(told).or(data.map(FastFailCode)),
            access_address: self.access_address.take(told).or(wanted_address.map(Address)),
            in_page_status: self.in_page_status.take(told),
            module: self.module.take(told),
            module_version: self.module_version.take(told),
            module_path: self.module_path.take(told),
            offset: self.offset.take(told),
            blamed: None,
            debugger_suspects: None,
            // A parameter after one that is not given has no place in the list.
            bugcheck: self
                .bugcheck
                .take(told)
                .map(|code| (code, self.bugcheck_parameters.iter().map_while(|parameter| *parameter).collect())),
            stop_only_mentioned: stop_mentioned,
            hung: self.hung,
            stops_told: self.stops.len(),
            errors_only_mentioned: if over {
                self.win_errors.iter().chain(&self.hresults).copied().collect()
            } else {
                self.errors_only_mentioned
            },
            win_errors: self.win_errors,
            hresults: self.hresults,
            errors_unreported: {
                self.errors_unreported.retain(|number| !self.errors_reported.contains(number));
                self.errors_unreported
            },
            unreported: BTreeMap::new(),
            events: self.events,
            frames: self.frames,
            python_frames: self.python_frames,
            inventory: self.inventory,
            contradictions: self.others,
            code_only_mentioned: mentioned,
            codes_named,
            told_in: Vec::new(),
        };
        if let Some((word, line)) = self.debugger_suspects {
            ticket.debugger_suspects = Some(word);
            told.insert(line);
        }
        let blamed = if self.blames_no_module { None } else { self.blamed_stem.take(told) };
        super::debugger::name_modules(&mut ticket, self.fault_stem.take(told), blamed);
        ticket.told_in = told_in.into_iter().filter(|line| *line != 0).collect();
        // What was said first and then outweighed by the same value elsewhere contradicts nothing.
        let code = ticket.code.map(|code| code.to_string());
        let stop = ticket.bugcheck.as_ref().map(|(code, _)| code.to_string());
        ticket
            .contradictions
            .retain(|other| Some(&*other.value) != code.as_deref() && Some(&*other.value) != stop.as_deref());
        ticket
    }
}

/// A failure status in a parameter of 32 or 64 bits, where it may be sign-extended.
fn status(parameter: u64) -> Option<ExceptionCode> {
    let low = u32::try_from(parameter & 0xFFFF_FFFF).ok()?;
    (matches!(parameter >> 32, 0 | 0xFFFF_FFFF) && low >= 0x8000_0000).then_some(ExceptionCode(low))
}

fn add(numbers: &mut Vec<u32>, number: u32) {
    if numbers.len() < MOST_NUMBERS && !numbers.contains(&number) {
        numbers.push(number);
    }
}
