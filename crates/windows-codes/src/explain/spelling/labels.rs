//! Words before a code that say what it is.

use super::names::by_name;
use crate::Knowledge;
use crate::codes::events;

/// What words before a code say that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::explain) enum Label {
    Exception,
    Exit,
    WinError,
    HResult,
    Bugcheck,
    /// A live kernel report: its code is written in hexadecimal without `0x`.
    LiveReport,
    FastFail,
    CudaError,
    Event,
    /// A number that is called a code, and not which one.
    Code,
    /// A number that is called an error: in decimal a system error, in hexadecimal it may be a stop or a status.
    Error,
    DeviceProblem,
    Errno,
    Xid,
    CublasStatus,
    CudnnStatus,
}

impl Label {
    /// Whether the words mean one kind of code and nothing else.
    pub(in crate::explain) fn names_one_kind(self) -> bool {
        match self {
            Self::WinError
            | Self::HResult
            | Self::Bugcheck
            | Self::LiveReport
            | Self::FastFail
            | Self::CudaError
            | Self::Event
            | Self::DeviceProblem
            | Self::Errno
            | Self::Xid
            | Self::CublasStatus
            | Self::CudnnStatus => true,
            Self::Exception | Self::Exit | Self::Code | Self::Error => false,
        }
    }
}

/// Words that say what the code after them is. Where several stand before a code, the last one counts, and of those that
/// end at the same place the longest.
const LABELS: &[(&str, Label)] = &[
    ("winerror", Label::WinError),
    ("win32", Label::WinError),
    ("code", Label::Code),
    ("device manager code", Label::DeviceProblem),
    ("problem code", Label::DeviceProblem),
    ("errno", Label::Errno),
    // How Python prints its exceptions; where it means another number, it says so itself: `[WinError 126]`.
    ("oserror", Label::Errno),
    ("ioerror", Label::Errno),
    ("xid", Label::Xid),
    ("cublas", Label::CublasStatus),
    ("cublas error", Label::CublasStatus),
    ("cublas status", Label::CublasStatus),
    ("cudnn", Label::CudnnStatus),
    ("cudnn error", Label::CudnnStatus),
    ("cudnn status", Label::CudnnStatus),
    ("error", Label::Error),
    ("error code", Label::Error),
    ("getlasterror", Label::WinError),
    ("hresult", Label::HResult),
    ("hr", Label::HResult),
    ("ntstatus", Label::Exception),
    ("status", Label::Exception),
    ("exception", Label::Exception),
    ("exception code", Label::Exception),
    ("exit", Label::Exit),
    ("exit code", Label::Exit),
    ("exit status", Label::Exit),
    ("exitcode", Label::Exit),
    ("exited", Label::Exit),
    ("returned", Label::Exit),
    ("return code", Label::Exit),
    ("errorlevel", Label::Exit),
    ("lastexitcode", Label::Exit),
    ("bugcheck", Label::Bugcheck),
    ("bugcheckcode", Label::Bugcheck),
    ("bug check", Label::Bugcheck),
    ("stop", Label::Bugcheck),
    ("stop code", Label::Bugcheck),
    ("stop error", Label::Bugcheck),
    ("bsod", Label::Bugcheck),
    ("blue screen", Label::Bugcheck),
    ("livekernelevent", Label::LiveReport),
    ("live kernel event", Label::LiveReport),
    ("fast fail", Label::FastFail),
    ("fast-fail", Label::FastFail),
    ("fastfail", Label::FastFail),
    ("fail fast", Label::FastFail),
    ("fast_fail", Label::FastFail),
    ("cuda", Label::CudaError),
    ("cuda error", Label::CudaError),
    ("cuda runtime error", Label::CudaError),
    ("cudaerror", Label::CudaError),
    ("cudaerror_t", Label::CudaError),
    ("event", Label::Event),
    ("event id", Label::Event),
    ("event-id", Label::Event),
    ("eventid", Label::Event),
    ("ereignis", Label::Event),
    ("ereignis-id", Label::Event),
    ("subcode", Label::FastFail),
    ("sub-code", Label::FastFail),
];

/// What an address is called before which it stands.
const ADDRESSES: &[&str] = &["address", "at", "executing", "location", "offset", "reading", "writing"];

/// Whether the word before a number says that it is an address.
pub(super) fn is_called_address(before: &str) -> bool {
    let before = before.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()).to_ascii_lowercase();
    ADDRESSES.iter().any(|word| end_of(word, &before) == Some(before.len()))
}

/// The arguments of a command line as texts: one that only says what the code behind it is, such as `WinError`, goes with
/// the next, as if both had stood in quotation marks.
pub(in crate::explain) fn with_their_labels(arguments: &[String], knowledge: &Knowledge) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut open = false;
    for argument in arguments {
        match texts.last_mut().filter(|_| open) {
            Some(text) => {
                text.push(' ');
                text.push_str(argument);
            }
            None => texts.push(argument.clone()),
        }
        open = is_part_of_label(argument) && by_name(argument, knowledge).is_none();
    }
    texts
}

/// Whether a word stands in words that say what a code is, or in the name of an event's source.
fn is_part_of_label(word: &str) -> bool {
    let word = word.trim_matches(|end: char| !end.is_ascii_alphanumeric()).to_ascii_lowercase();
    let has = |words: &str| words.split_whitespace().any(|part| part.eq_ignore_ascii_case(&word));
    let source = || events().iter().any(|event| event.called.iter().any(|name| has(name)));
    !word.is_empty() && (LABELS.iter().any(|(words, _)| has(words)) || source())
}

pub(super) fn is_stop(label: Label) -> bool {
    matches!(label, Label::Bugcheck | Label::LiveReport)
}

/// Where the last of these words ends, if they stand there for themselves.
fn end_of(words: &str, text: &str) -> Option<usize> {
    let inside = |c: char| c.is_ascii_alphanumeric();
    let ends = text.rmatch_indices(words).map(|(start, words)| (start, start.saturating_add(words.len())));
    let mut alone = ends.filter(|(start, end)| {
        !text.get(..*start).unwrap_or_default().ends_with(inside)
            && !text.get(*end..).unwrap_or_default().starts_with(inside)
    });
    alone.next().map(|(_, end)| end)
}

/// The source of the event with this id that the words before it name.
pub(super) fn provider(before: &str, id: u32) -> Option<&'static str> {
    let before = before.to_ascii_lowercase();
    let with_id = events().iter().filter(|event| event.id == id);
    let named = with_id.filter(|event| event.called.iter().any(|name| end_of(name, &before).is_some()));
    named.map(|event| event.provider).next()
}

/// What the words before a code say that it is.
pub(super) fn label(before: &str) -> Option<Label> {
    let before = before.to_ascii_lowercase();
    let found = LABELS.iter().filter_map(|(words, label)| Some((end_of(words, &before)?, words.len(), *label)));
    // "Code" says nothing where another word says what kind of code.
    found.max_by_key(|(end, length, label)| (*label != Label::Code, *end, *length)).map(|(_, _, label)| label)
}
