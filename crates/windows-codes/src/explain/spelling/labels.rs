//! Words before a code that say which kind of code it is.

use super::code::Label;
use super::names::by_name;
use crate::Kind;
use crate::codes::events;

/// Phrases that announce the kind of the code that follows, by that kind. Where several are before a code, the last one
/// counts, and of those that end at the same place the longest.
const LABELS: &[(Label, &[&str])] = &[
    (Label::Only(Kind::WinError), &["winerror", "win32", "getlasterror"]),
    (Label::Code, &["code"]),
    (Label::Only(Kind::DeviceProblem), &["device manager code", "problem code"]),
    // `OSError` and `IOError` are how Python prints its exceptions; another kind of number is named: `[WinError 126]`.
    (Label::Only(Kind::Errno), &["errno", "oserror", "ioerror"]),
    (Label::Only(Kind::Xid), &["xid"]),
    (Label::Only(Kind::CublasStatus), &["cublas", "cublas error", "cublas status"]),
    (Label::Only(Kind::CudnnStatus), &["cudnn", "cudnn error", "cudnn status"]),
    (Label::Error, &["error", "error code"]),
    (Label::Only(Kind::HResult), &["hresult", "hr"]),
    (Label::Status, &["ntstatus", "status", "exception", "exception code"]),
    (Label::Exit, &["exit", "exit code", "exit status", "exitcode", "exited"]),
    (Label::Exit, &["returned", "return code", "errorlevel", "lastexitcode"]),
    (Label::Only(Kind::Bugcheck), &["bugcheck", "bugcheckcode", "bug check", "stop"]),
    (Label::Only(Kind::Bugcheck), &["stop code", "stop error", "bsod", "blue screen"]),
    (Label::LiveReport, &["livekernelevent", "live kernel event"]),
    (Label::Only(Kind::FastFail), &["fast fail", "fast-fail", "fastfail", "fail fast"]),
    (Label::Only(Kind::FastFail), &["fast_fail", "subcode", "sub-code"]),
    (Label::Only(Kind::CudaError), &["cuda", "cuda error", "cuda runtime error", "cudaerror", "cudaerror_t"]),
    (Label::Only(Kind::Event), &["event", "event id", "event-id", "eventid", "ereignis", "ereignis-id"]),
];

/// Words before a number that mark it as an address.
const ADDRESSES: &[&str] = &["address", "at", "executing", "location", "offset", "reading", "writing"];

/// Whether the word before a number marks it as an address.
pub(super) fn is_called_address(before: &str) -> bool {
    let before = before.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()).to_ascii_lowercase();
    ADDRESSES.iter().any(|word| end_of(word, &before) == Some(before.len()))
}

/// The arguments of a command line as texts with codes. An argument that only announces the kind of a code, such as
/// `WinError`, is joined to the next one, as if both had been in quotation marks.
#[must_use]
pub fn texts_of(arguments: &[String]) -> Vec<String> {
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
        open = is_part_of_label(argument) && by_name(argument).is_none();
    }
    texts
}

/// Whether a word is part of a phrase that announces the kind of a code, or of the name of an event's source.
fn is_part_of_label(word: &str) -> bool {
    let word = word.trim_matches(|end: char| !end.is_ascii_alphanumeric()).to_ascii_lowercase();
    let has = |words: &str| words.split_whitespace().any(|part| part.eq_ignore_ascii_case(&word));
    let source = || events().iter().any(|event| event.called.iter().any(|name| has(name)));
    !word.is_empty() && (LABELS.iter().flat_map(|(_, phrases)| *phrases).any(|phrase| has(phrase)) || source())
}

/// The offset behind the last occurrence of a phrase that is not part of a longer word.
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

/// The kind of code that the words before a code name.
pub(super) fn label(before: &str) -> Option<Label> {
    let before = before.to_ascii_lowercase();
    let phrases = LABELS.iter().flat_map(|(label, phrases)| phrases.iter().map(move |phrase| (phrase, *label)));
    let found = phrases.filter_map(|(phrase, label)| Some((end_of(phrase, &before)?, phrase.len(), label)));
    // "Code" means nothing where another word says which kind of code.
    found.max_by_key(|(end, length, label)| (*label != Label::Code, *end, *length)).map(|(_, _, label)| label)
}
