//! What was recognised in a text so far, and which of two statements counts.

use std::sync::Arc;

use crate::evidence::{Address, BugcheckCode, ExceptionCode, FastFailCode, ModuleOffset, Ticket, TicketLine, Version};

/// More Win32 errors than a text names; bounds what a hostile one can make us keep.
const MOST_WIN_ERRORS: usize = 64;

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

/// A value with the weight of the statement that it came from.
#[derive(Debug)]
pub(super) struct Weighed<T>(Option<(Weight, T)>);

impl<T> Default for Weighed<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Weighed<T> {
    /// Takes the value unless one that counts as much or more is there.
    pub fn set(&mut self, weight: Weight, value: T) {
        if self.0.as_ref().is_none_or(|(present, _)| weight < *present) {
            self.0 = Some((weight, value));
        }
    }

    /// As [`set`](Self::set), when there is a value.
    pub fn set_some(&mut self, weight: Weight, value: Option<T>) {
        if let Some(value) = value {
            self.set(weight, value);
        }
    }

    pub fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    fn take(self) -> Option<T> {
        self.0.map(|(_, value)| value)
    }
}

/// The facts of a text.
#[derive(Debug, Default)]
pub(super) struct Recognised {
    pub app: Weighed<Arc<str>>,
    pub app_version: Weighed<Version>,
    pub module: Weighed<Arc<str>>,
    pub module_version: Weighed<Version>,
    pub module_path: Weighed<Arc<str>>,
    pub code: Weighed<ExceptionCode>,
    pub offset: Weighed<ModuleOffset>,
    pub fast_fail: Weighed<FastFailCode>,
    pub access_address: Weighed<Address>,
    /// First parameters of the exception; what they mean depends on the code.
    pub exception_parameters: [Weighed<u64>; 2],
    pub bugcheck: Weighed<BugcheckCode>,
    pub bugcheck_parameters: [Option<u64>; 4],
    win_errors: Vec<u32>,
}

impl Recognised {
    /// The crashed program with its version. The version of another program than the one that counts is not taken.
    pub fn set_app(&mut self, weight: Weight, name: &str, version: Option<Version>) {
        self.app.set(weight, name.into());
        if self.app.get().is_some_and(|app| app.eq_ignore_ascii_case(name)) {
            self.app_version.set_some(weight, version);
        }
    }

    /// The faulting module with its version. The version of another module than the one that counts is not taken.
    pub fn set_module(&mut self, weight: Weight, name: &str, version: Option<Version>) {
        self.module.set(weight, name.into());
        if self.module.get().is_some_and(|module| module.eq_ignore_ascii_case(name)) {
            self.module_version.set_some(weight, version);
        }
    }

    /// A Win32 error number.
    pub fn add_win_error(&mut self, number: u32) {
        if self.win_errors.len() < MOST_WIN_ERRORS && !self.win_errors.contains(&number) {
            self.win_errors.push(number);
        }
    }

    /// The ticket with these lines.
    pub fn into_ticket(self, lines: Vec<TicketLine>) -> Ticket {
        let [first, second] = self.exception_parameters.map(Weighed::take);
        let code = self.code.take();
        let parameter_of = |wanted, parameter: Option<u64>| parameter.filter(|_| code == Some(wanted));
        let data = parameter_of(ExceptionCode::FAST_FAIL, first).and_then(|number| u32::try_from(number).ok());
        let wanted_address = parameter_of(ExceptionCode::ACCESS_VIOLATION, second);
        Ticket {
            lines,
            app: self.app.take(),
            app_version: self.app_version.take(),
            code,
            fast_fail: self.fast_fail.take().or(data.map(FastFailCode)),
            access_address: self.access_address.take().or(wanted_address.map(Address)),
            module: self.module.take(),
            module_version: self.module_version.take(),
            module_path: self.module_path.take(),
            offset: self.offset.take(),
            // A parameter after one that is not given has no place in the list.
            bugcheck: self
                .bugcheck
                .take()
                .map(|code| (code, self.bugcheck_parameters.iter().map_while(|parameter| *parameter).collect())),
            win_errors: self.win_errors,
        }
    }
}
