//! The words by which texts announce facts: one table.
//!
//! Adding a pattern is adding a row here and an example beside the table's tests.

/// What the words announce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    /// The crashed program's file name; a version may follow.
    App,
    /// Its version.
    AppVersion,
    /// The crashed program, but only if what follows looks like an image's name.
    AppImage,
    /// The faulting module's file name; a version may follow.
    Module,
    /// Its version.
    ModuleVersion,
    /// The faulting module, but only if what follows looks like an image's name.
    ModuleImage,
    /// A debugger's module name, without ending and possibly after an address.
    ModuleStem,
    /// The faulting module's path.
    ModulePath,
    /// An exception code.
    ExceptionCode,
    /// The code of an exception that was raised, and perhaps handled.
    RaisedCode,
    /// The code with which a process ended; small ones are the program's own and mean nothing here.
    ExitCode,
    /// The offset in the faulting module.
    Offset,
    /// A fast-fail code.
    FastFail,
    /// A fast-fail code in some contexts only.
    Subcode,
    /// The address that an access violation wanted.
    AccessAddress,
    /// A parameter of the exception, counted from 0.
    ExceptionParameter(usize),
    /// A bugcheck code with `0x`; parameters in parentheses may follow.
    Bugcheck,
    /// A bugcheck code in hexadecimal, with or without `0x`.
    BugcheckHex,
    /// A bugcheck code in decimal, unless it begins with `0x`.
    BugcheckDecimal,
    /// A parameter of the bugcheck, counted from 0, in hexadecimal.
    BugcheckParameter(usize),
    /// A Win32 error, or an NTSTATUS in its place.
    WinError,
    /// A number that is a Win32 error only if it is one of the loader's.
    LoaderError,
    /// WER's name for the kind of problem.
    EventName,
}

/// Words and what they announce.
#[derive(Debug)]
pub(super) struct Pattern {
    /// In lower case; stands for itself at the beginning and end of words.
    pub words: &'static str,
    /// What follows the words.
    pub fact: Fact,
}

const fn pattern(words: &'static str, fact: Fact) -> Pattern {
    Pattern { words, fact }
}

/// The patterns.
///
/// Sources: the texts of Windows' events 1000 and 1001, problem signatures as Windows shows them, the keys of the
/// Windows debuggers' analysis, and what Python, the JVM, .NET, Visual Studio and shells print when a process ends.
pub(super) const PATTERNS: &[Pattern] = &[
    // Event 1000, new and old.
    pattern("faulting application name", Fact::App),
    pattern("faulting application", Fact::AppImage),
    pattern("faulting module name", Fact::Module),
    pattern("faulting module", Fact::ModuleImage),
    pattern("faulting module path", Fact::ModulePath),
    pattern("fault offset", Fact::Offset),
    pattern("fault address", Fact::Offset),
    // Problem signatures.
    pattern("problem event name", Fact::EventName),
    pattern("event name", Fact::EventName),
    pattern("eventname", Fact::EventName),
    pattern("application name", Fact::App),
    pattern("application version", Fact::AppVersion),
    pattern("fault module name", Fact::Module),
    pattern("fault module version", Fact::ModuleVersion),
    pattern("exception code", Fact::ExceptionCode),
    pattern("exception offset", Fact::Offset),
    pattern("exception data", Fact::ExceptionParameter(0)),
    // Debuggers.
    pattern("process_name", Fact::AppImage),
    pattern("image_name", Fact::ModuleImage),
    pattern("module_name", Fact::ModuleStem),
    pattern("faulting_module", Fact::ModuleStem),
    pattern("exceptioncode", Fact::ExceptionCode),
    pattern("exception_code", Fact::ExceptionCode),
    pattern("exception_parameter1", Fact::ExceptionParameter(0)),
    pattern("exception_parameter2", Fact::ExceptionParameter(1)),
    pattern("parameter[0]", Fact::ExceptionParameter(0)),
    pattern("parameter[1]", Fact::ExceptionParameter(1)),
    pattern("subcode", Fact::Subcode),
    pattern("bugcheck_code", Fact::BugcheckHex),
    pattern("bugcheck_p1", Fact::BugcheckParameter(0)),
    pattern("bugcheck_p2", Fact::BugcheckParameter(1)),
    pattern("bugcheck_p3", Fact::BugcheckParameter(2)),
    pattern("bugcheck_p4", Fact::BugcheckParameter(3)),
    // Bugchecks elsewhere.
    pattern("bugcheck was", Fact::Bugcheck),
    pattern("bugcheck", Fact::Bugcheck),
    pattern("bug check", Fact::Bugcheck),
    pattern("bugcheck code", Fact::Bugcheck),
    pattern("bug check code", Fact::Bugcheck),
    pattern("stop code", Fact::Bugcheck),
    pattern("*** stop", Fact::Bugcheck),
    pattern("bugcheckcode", Fact::BugcheckDecimal),
    pattern("bugcheckparameter1", Fact::BugcheckParameter(0)),
    pattern("bugcheckparameter2", Fact::BugcheckParameter(1)),
    pattern("bugcheckparameter3", Fact::BugcheckParameter(2)),
    pattern("bugcheckparameter4", Fact::BugcheckParameter(3)),
    pattern("caused by driver", Fact::ModuleImage),
    // How processes end.
    pattern("exit code", Fact::ExitCode),
    pattern("exitcode", Fact::ExitCode),
    pattern("exit status", Fact::ExitCode),
    pattern("exited with code", Fact::ExitCode),
    pattern("return code", Fact::ExitCode),
    pattern("windows fatal exception: code", Fact::RaisedCode),
    // Fast fail.
    pattern("fast fail code", Fact::FastFail),
    pattern("fast fail", Fact::FastFail),
    pattern("fast-fail code", Fact::FastFail),
    pattern("fast-fail", Fact::FastFail),
    pattern("fail fast code", Fact::FastFail),
    pattern("fail fast", Fact::FastFail),
    // Access violations.
    pattern("reading location", Fact::AccessAddress),
    pattern("writing location", Fact::AccessAddress),
    pattern("executing location", Fact::AccessAddress),
    pattern("access violation reading", Fact::AccessAddress),
    pattern("access violation writing", Fact::AccessAddress),
    pattern("read of address", Fact::AccessAddress),
    pattern("write of address", Fact::AccessAddress),
    pattern("execute of address", Fact::AccessAddress),
    pattern("referenced memory at", Fact::AccessAddress),
    pattern("attempt to read from address", Fact::AccessAddress),
    pattern("attempt to write to address", Fact::AccessAddress),
    pattern("attempt to execute non-executable address", Fact::AccessAddress),
    // Win32 errors.
    pattern("winerror", Fact::WinError),
    pattern("win32 error", Fact::WinError),
    pattern("getlasterror", Fact::WinError),
    pattern("getlasterror()", Fact::WinError),
    pattern("error code", Fact::LoaderError),
    pattern("loadlibrary error", Fact::LoaderError),
    pattern("failed with error", Fact::LoaderError),
    pattern("system error", Fact::LoaderError),
    pattern("os error", Fact::LoaderError),
];

/// Words that stand for an exception code by themselves.
///
/// Sources: CPython's fault handler, the JVM's error reports (both name Windows' own codes), the .NET runtime.
pub(super) const NAMED_CODES: &[(&str, u32)] = &[
    ("windows fatal exception: access violation", 0xC000_0005),
    ("windows fatal exception: stack overflow", 0xC000_00FD),
    ("windows fatal exception: page error", 0xC000_0006),
    ("windows fatal exception: int divide by zero", 0xC000_0094),
    ("windows fatal exception: integer overflow", 0xC000_0095),
    ("windows fatal exception: float divide by zero", 0xC000_008E),
    ("windows fatal exception: float overflow", 0xC000_0091),
    ("exception_access_violation", 0xC000_0005),
    ("exception_stack_overflow", 0xC000_00FD),
    ("exception_in_page_error", 0xC000_0006),
    ("exception_illegal_instruction", 0xC000_001D),
    ("exception_int_divide_by_zero", 0xC000_0094),
    ("due to stackoverflowexception", 0xC000_00FD),
];

/// Words that mean an exception code but may be said in passing: believed when nothing else gives a code.
pub(super) const SUGGESTED_CODES: &[(&str, u32)] = &[("access violation", 0xC000_0005)];

/// Names of fast-fail codes that tools print.
///
/// Source: `winnt.h`.
pub(super) const NAMED_FAST_FAILS: &[(&str, u32)] = &[
    ("legacy_gs_violation", 0),
    ("stack_cookie_check_failure", 2),
    ("corrupt_list_entry", 3),
    ("invalid_arg", 5),
    ("fatal_app_exit", 7),
    ("range_check_failure", 8),
    ("guard_icall_check_failure", 10),
    ("heap_metadata_corruption", 50),
    ("control_invalid_return_address", 57),
];

/// Win32 errors of the loader and of memory, which are meant where a text only says "error 126".
///
/// Source: the system error codes of the Windows SDK documentation.
pub(super) const LOADER_ERRORS: &[u32] = &[126, 127, 182, 193, 216, 225, 577, 998, 1114, 1157, 1455, 4551];
