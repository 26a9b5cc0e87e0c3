//! What a dump shows of the process and the system beside the exception: memory, handles, the crashing thread, and what the
//! program itself wrote into it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_with::{DisplayFromStr, serde_as, skip_serializing_none};

use super::joined_evidence::JoinedEvidence;
use super::kernel_card::in_two_units;
use super::kernel_sentences;
use super::stack::StackFrame;
use super::windows_files::WindowsFiles;
use evidence::{Annotation, ExceptionCode, KernelDump, ProcessDump};
use windows_codes::Knowledge;

/// The most annotations that are kept; the rest is counted.
const ANNOTATIONS: usize = 32;
/// The longest value of an annotation that is kept, characters.
const ANNOTATION_LENGTH: usize = 200;
/// The most messages that are kept.
const MESSAGES: usize = 8;
/// The longest message, characters.
const MESSAGE_LENGTH: usize = 500;

/// The keys of annotations that hold the message with which a program ended: of Unreal Engine's crash context, of the
/// libraries that Crashpad reads them from, of Firefox, of Chromium's and Electron's JavaScript engine, of Android.
const MESSAGE_KEYS: [&str; 9] = [
    "unreal.ErrorMessage",
    "message",
    "MozCrashReason",
    "AbortMessage",
    "abort_message",
    "electron.v8-fatal.message",
    "electron.v8-fatal.location",
    "electron.v8-oom.detail",
    "electron.v8-oom.location",
];

/// The state of process and system by a dump. Sizes are in bytes; what the dump does not hold is absent.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DumpState {
    /// When the dump was written, by its header.
    pub written: Option<Timestamp>,
    /// `true` if the process went on after the dump: a program asked for the dump, a debugger broke in, or an assertion
    /// failed. Never `false`.
    pub requested: Option<bool>,
    /// How long the process had run.
    pub uptime_seconds: Option<u64>,
    /// How long the system had run.
    pub system_uptime_seconds: Option<u64>,
    /// RAM that was not in use.
    pub memory_available: Option<u64>,
    /// How much the system had committed.
    pub commit_charge: Option<u64>,
    /// How much it can commit: RAM and page files.
    pub commit_limit: Option<u64>,
    /// How much the process had committed.
    pub process_commit: Option<u64>,
    /// RAM that it used.
    pub working_set: Option<u64>,
    /// Address space that it used.
    pub virtual_size: Option<u64>,
    /// Handles that it had open.
    pub handles: Option<u64>,
    /// Threads that it had.
    pub threads: Option<u32>,
    /// Its integrity level.
    pub integrity: Option<&'static str>,
    /// The thread that crashed.
    pub thread: Option<CrashedThread>,
    /// The errors inside a stowed exception or an exception of .NET.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner_errors: Vec<InnerError>,
    /// The builds of Windows' own files in the process.
    pub windows_files: Option<WindowsFiles>,
    /// With which messages the program ended, by what it wrote into the dump: failed assertions, errors of an engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// The comment of the dump's writer.
    pub comment: Option<Arc<str>>,
    /// What else the program or its crash handler wrote into the dump.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotated>,
    /// How many more annotations there are.
    pub annotations_left_out: Option<usize>,
    /// The state in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
}

/// The thread that crashed.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrashedThread {
    /// Thread id.
    pub id: u32,
    /// The name that the program gave it.
    pub name: Option<Arc<str>>,
    /// The place at which it started: `module+offset`, or an address in no module.
    pub start: Option<String>,
}

/// An error inside an exception.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InnerError {
    /// Its `HRESULT`.
    #[serde_as(as = "DisplayFromStr")]
    pub code: ExceptionCode,
    /// The code's name.
    pub name: Option<Arc<str>>,
    /// The module that met it.
    pub module: Option<Arc<str>>,
    /// Its text.
    pub text: Option<Arc<str>>,
}

/// A key and a value that a program put into its dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Annotated {
    /// The key.
    pub key: Arc<str>,
    /// The value, cut at 200 characters.
    pub value: String,
}

/// The state by the incident's dump: that of a process before one of the kernel.
pub(super) fn dump_state(evidence: &JoinedEvidence<'_>) -> Option<DumpState> {
    let state = match (evidence.dump(), evidence.kernel_dump()) {
        (Some((_, dump)), _) => of_process(dump),
        (None, Some((_, dump))) => of_kernel(dump),
        (None, None) => return None,
    };
    (state != DumpState::default()).then_some(state)
}

fn of_process(dump: &ProcessDump) -> DumpState {
    let state = &dump.state;
    let (messages, others): (Vec<&Annotation>, Vec<&Annotation>) =
        state.annotations.iter().partition(|note| MESSAGE_KEYS.contains(&&*note.key));
    let others: Vec<&Annotation> = others.into_iter().filter(|note| !note.key.starts_with("assertion.")).collect();
    let messages = messages.into_iter().map(|note| cut(&note.value, MESSAGE_LENGTH));
    let memory = state.system_memory;
    let own = state.process_memory;
    let mut shown = DumpState {
        written: dump.time,
        requested: dump.requested.as_ref().map(|_| true),
        uptime_seconds: uptime(dump),
        memory_available: memory.map(|memory| memory.available),
        commit_charge: memory.map(|memory| memory.commit_charge),
        commit_limit: memory.map(|memory| memory.commit_limit),
        process_commit: own.map(|own| own.commit),
        working_set: own.map(|own| own.working_set),
        virtual_size: own.and_then(|own| own.virtual_size),
        handles: state.handle_count,
        threads: Some(dump.thread_count).filter(|count| *count > 0),
        integrity: state.integrity,
        thread: dump.thread.as_ref().map(|thread| CrashedThread {
            id: thread.id,
            name: thread.name.clone().filter(|name| !name.is_empty()),
            start: dump.detail.thread_start.map(|start| StackFrame::at(start, dump).place()),
        }),
        inner_errors: inner_errors(dump),
        windows_files: WindowsFiles::of(dump),
        messages: assertion(&state.annotations).into_iter().chain(messages).take(MESSAGES).collect(),
        comment: dump.comment.clone(),
        annotations: others
            .iter()
            .take(ANNOTATIONS)
            .map(|note| Annotated { key: Arc::clone(&note.key), value: cut(&note.value, ANNOTATION_LENGTH) })
            .collect(),
        annotations_left_out: others.len().checked_sub(ANNOTATIONS).filter(|more| *more > 0),
        ..DumpState::default()
    };
    let files = shown.windows_files.as_ref().and_then(WindowsFiles::sentence);
    shown.says = [process_sentence(&shown), memory_sentence(&shown), files].into_iter().flatten().collect();
    shown
}

fn of_kernel(dump: &KernelDump) -> DumpState {
    DumpState {
        written: dump.time,
        system_uptime_seconds: dump.uptime.and_then(|uptime| u64::try_from(uptime.as_secs()).ok()),
        comment: dump.comment.clone(),
        says: kernel_sentences::sentences(dump),
        ..DumpState::default()
    }
}

fn uptime(dump: &ProcessDump) -> Option<u64> {
    u64::try_from(dump.time?.duration_since(dump.started?).as_secs()).ok()
}

fn inner_errors(dump: &ProcessDump) -> Vec<InnerError> {
    let error = |code: ExceptionCode| InnerError {
        code,
        name: Knowledge.exception_name(code).map(Arc::from),
        module: None,
        text: None,
    };
    let managed = dump.detail.managed_result.map(error);
    let stowed = dump.detail.stowed.iter().map(|met| InnerError {
        module: met.address.and_then(|address| dump.module_at(address)).map(|(_, module)| Arc::clone(&module.name)),
        text: met.text.clone(),
        ..error(met.result)
    });
    managed.into_iter().chain(stowed).collect()
}

/// The assertion that Breakpad's handlers record: its expression, and where it is in the program.
fn assertion(annotations: &[Annotation]) -> Option<String> {
    let value = |key: &str| annotations.iter().find(|note| &*note.key == key).map(|note| &*note.value);
    let expression = value("assertion.expression");
    let kind = value("assertion.type");
    if expression.is_none() && kind.is_none() {
        return None;
    }
    let mut text = kind.unwrap_or("assertion failed").to_owned();
    for part in [
        expression.map(|expression| format!(": {expression}")),
        value("assertion.function").map(|function| format!(", in {function}")),
        value("assertion.file").map(|file| format!(", {file}")),
        value("assertion.line").map(|line| format!(", line {line}")),
    ] {
        text.push_str(&part.unwrap_or_default());
    }
    Some(cut(&text, MESSAGE_LENGTH))
}

/// How long the process had run, its threads and handles, and which thread crashed.
fn process_sentence(state: &DumpState) -> Option<String> {
    let seconds = state.uptime_seconds.and_then(|seconds| i64::try_from(seconds).ok());
    let ran = seconds.map(|seconds| match seconds {
        0 => "It had run for less than a second".to_owned(),
        _ => format!("It had run for {}", in_two_units(jiff::SignedDuration::from_secs(seconds))),
    });
    let count = |count: u64, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    let had = [
        state.threads.map(|threads| count(u64::from(threads), "thread")),
        state.handles.map(|handles| count(handles, "handle")),
    ];
    let had: Vec<String> = had.into_iter().flatten().collect();
    let thread = state.thread.as_ref().and_then(|thread| Some((thread.id, thread.name.as_deref()?)));
    let thread = thread.map(|(id, name)| format!("the thread is {id} \"{}\"", cut(name, ANNOTATION_LENGTH)));
    let had = (!had.is_empty()).then(|| format!("it had {}", had.join(" and ")));
    let parts: Vec<String> = [ran, had, thread].into_iter().flatten().collect();
    sentence(&parts)
}

/// How much memory the system and the process had.
fn memory_sentence(state: &DumpState) -> Option<String> {
    let free = state.memory_available.map(|bytes| format!("{} of RAM were free", size(bytes)));
    let committed = state.commit_charge.zip(state.commit_limit).map(|(charge, limit)| {
        let percent = charge.saturating_mul(100).checked_div(limit);
        let percent = percent.map_or_else(String::new, |percent| format!(" ({percent} %)"));
        format!("{} of {} (RAM plus page file) were committed{percent}", size(charge), size(limit))
    });
    let own = state.process_commit.map(|bytes| format!("the process had committed {}", size(bytes)));
    let parts: Vec<String> = [free, committed, own].into_iter().flatten().collect();
    sentence(&parts)
}

/// The parts as one sentence.
fn sentence(parts: &[String]) -> Option<String> {
    let text = parts.join("; ");
    let mut characters = text.chars();
    let first = characters.next()?;
    Some(format!("{}{}.", first.to_uppercase(), characters.as_str()))
}

/// A size in the largest unit of which there is at least one: `9.7 GiB`, `457 MiB`.
fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = UNITS.iter().find(|(_, bits)| bytes >> bits > 0);
    let Some((unit, bits)) = unit else { return format!("{bytes} bytes") };
    let tenths = u128::from(bytes).saturating_mul(10) >> bits;
    // No false precision of large numbers.
    if tenths >= 1000 { format!("{} {unit}", tenths / 10) } else { format!("{}.{} {unit}", tenths / 10, tenths % 10) }
}

/// The beginning of a text on one line, at most `most` characters.
fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        None => line,
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_at_most() {
        for (bytes, text) in [
            (812, "812 bytes"),
            (1536, "1.5 KiB"),
            (457 << 20, "457 MiB"),
            (10_399_875_072, "9.6 GiB"),
            (u64::MAX, "16777215 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn the_state_is_one_sentence_for_the_process_and_one_for_memory() {
        let state = DumpState {
            uptime_seconds: Some(75),
            threads: Some(1),
            handles: Some(812),
            thread: Some(CrashedThread { id: 7, name: Some("worker".into()), start: None }),
            memory_available: Some(1 << 30),
            commit_charge: Some(3 << 30),
            commit_limit: Some(4 << 30),
            ..DumpState::default()
        };
        assert_eq!(
            process_sentence(&state).as_deref(),
            Some("It had run for 1 min 15 s; it had 1 thread and 812 handles; the thread is 7 \"worker\".")
        );
        assert_eq!(
            memory_sentence(&state).as_deref(),
            Some("1.0 GiB of RAM were free; 3.0 GiB of 4.0 GiB (RAM plus page file) were committed (75 %).")
        );
        assert_eq!(process_sentence(&DumpState::default()), None);
    }

    #[test]
    fn an_assertion_is_one_message_with_its_place() {
        let note = |key: &str, value: &str| Annotation { key: key.into(), value: value.into() };
        let notes = [
            note("assertion.expression", "format != nullptr"),
            note("assertion.function", "common_vfprintf"),
            note("assertion.line", "32"),
            note("assertion.type", "invalid parameter"),
        ];
        assert_eq!(
            assertion(&notes).as_deref(),
            Some("invalid parameter: format != nullptr, in common_vfprintf, line 32")
        );
        assert_eq!(assertion(&[]), None);
    }
}
