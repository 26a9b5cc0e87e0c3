//! The stack of the thread that crashed or stopped the system, from whichever evidence shows it: a dump, what a debugger
//! or a runtime printed, a record of an event log.

mod managed;

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_with::{DisplayFromStr, SerializeAs, serde_as, skip_serializing_none};

use super::joined_evidence::JoinedEvidence;
use evidence::{
    Address, EventBody, Frame, FrameTrust, InlinedFunction, KernelDump, KernelFrame, LoadedModule, ModuleOffset,
    ProcessDump, PythonFrame, Ticket, TicketFrame, Version, WerReport,
};

pub(super) use managed::exception_text;

evidence::words!(
    /// Kinds of stacks: of one crash, a native stack and the stack of a runtime can both be known.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::VariantArray)]
    StackKind {
        /// Machine code of a process.
        #[default]
        Native => "native",
        /// The kernel and its drivers.
        Kernel => "kernel",
        /// Methods of .NET.
        Managed => "managed",
        /// Functions of Python.
        Python => "python",
    }
);

impl StackKind {
    fn is_native(&self) -> bool {
        *self == Self::Native
    }
}

/// One frame of a stack. What the evidence does not show is absent.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StackFrame {
    /// File name of the module or driver.
    pub module: Option<Arc<str>>,
    /// Its file version.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub version: Option<Version>,
    /// Where in the module: of the innermost frame the instruction, of its callers the call, in kernel dumps the address
    /// that the call returns to.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub offset: Option<ModuleOffset>,
    /// The address in memory.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub address: Option<Address>,
    /// The function or method.
    pub function: Option<Arc<str>>,
    /// The source file.
    pub file: Option<Arc<str>>,
    /// The line in that file: of the function itself where code was inlined, the line that calls it.
    pub line: Option<u32>,
    /// Functions that the compiler put into it at this place, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inline: Vec<InlineFrame>,
    /// How the frame was found.
    #[serde_as(as = "Word")]
    pub trust: FrameTrust,
    /// Of a scanned frame, how likely a call still returns to it: 0 to 1.
    pub probability: Option<f32>,
    /// The kind of stack that it is a frame of.
    #[serde_as(as = "Word")]
    #[serde(skip_serializing_if = "StackKind::is_native")]
    pub of: StackKind,
    /// The number of the evidence that shows it, counted from 0.
    #[serde(skip)]
    pub from: usize,
}

/// A function that the compiler put into another. What symbols do not show is absent.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InlineFrame {
    /// Its name.
    pub function: Arc<str>,
    /// The source file.
    pub file: Option<Arc<str>>,
    /// The line in that file.
    pub line: Option<u32>,
}

impl InlineFrame {
    fn of(inlined: &InlinedFunction) -> Self {
        let source = inlined.source.as_ref();
        Self {
            function: Arc::clone(&inlined.function),
            file: source.map(|source| Arc::clone(&source.file)),
            line: source.map(|source| source.line),
        }
    }
}

impl Default for StackFrame {
    /// A frame of which nothing is known.
    fn default() -> Self {
        Self {
            module: None,
            version: None,
            offset: None,
            address: None,
            function: None,
            file: None,
            line: None,
            inline: Vec::new(),
            trust: FrameTrust::Scanned,
            probability: None,
            of: StackKind::Native,
            from: 0,
        }
    }
}

/// The stacks of the thread, innermost frame first: that of the process or the kernel, then those of .NET and Python.
pub(super) fn stack(evidence: &JoinedEvidence<'_>) -> Vec<StackFrame> {
    let mut frames = machine_code(evidence);
    frames.extend(managed_frames(evidence));
    frames.extend(python_frames(evidence));
    frames
}

/// The frames of machine code: those of a process's dump, else those that a debugger printed, which had symbols, else those
/// of a kernel dump.
fn machine_code(evidence: &JoinedEvidence<'_>) -> Vec<StackFrame> {
    if let Some((from, dump)) = evidence.dump()
        && let Some(thread) = dump.thread.as_ref().filter(|thread| !thread.frames.is_empty())
    {
        let of_process = |frame| StackFrame { from, ..StackFrame::of_process(frame, dump) };
        return thread.frames.iter().map(of_process).collect();
    }
    if let Some((from, ticket)) = evidence.tickets().find(|(_, ticket)| !ticket.frames.is_empty()) {
        let of = if ticket.shows_a_stop() { StackKind::Kernel } else { StackKind::Native };
        let frames = ticket.frames.iter().enumerate();
        return frames
            .map(|(position, frame)| StackFrame { of, from, ..StackFrame::printed(position, frame) })
            .collect();
    }
    let Some((from, dump)) = evidence.kernel_dump() else { return Vec::new() };
    dump.frames.iter().map(|frame| StackFrame { from, ..StackFrame::of_kernel(frame, dump) }).collect()
}

/// The frames of the first event, text or report that shows the stack of .NET.
fn managed_frames(evidence: &JoinedEvidence<'_>) -> Vec<StackFrame> {
    let of_events = evidence.events().filter_map(|(from, event)| match &event.content.body {
        EventBody::DotNet { text, .. } => Some((from, managed::frames(text.lines()))),
        _ => None,
    });
    let of_texts = evidence.tickets().map(|(from, ticket)| (from, managed::frames(reported_lines(ticket))));
    let of_reports = evidence.reports().map(|(from, report)| (from, managed_frame(report).into_iter().collect()));
    let mut found = of_events.chain(of_texts).chain(of_reports);
    let Some((from, frames)) = found.find(|(_, frames): &(usize, Vec<StackFrame>)| !frames.is_empty()) else {
        return Vec::new();
    };
    frames.into_iter().map(|frame| StackFrame { of: StackKind::Managed, from, ..frame }).collect()
}

/// The lines of a text; none of a guide, whose examples are no crash.
fn reported_lines(ticket: &Ticket) -> impl Iterator<Item = &str> {
    ticket.lines.iter().filter(|_| !ticket.document).map(|line| &*line.text)
}

/// The method in the signature of a `CLR20r3` report: assembly, its version, and the method's number in its metadata.
///
/// Source: the Windows Error Reporting team's description of the values that the .NET runtime adds.
fn managed_frame(report: &WerReport) -> Option<StackFrame> {
    const ASSEMBLY: usize = 3;
    const VERSION: usize = 4;
    const METHOD: usize = 6;
    if !report.event_type.eq_ignore_ascii_case("CLR20r3") {
        return None;
    }
    let value =
        |index: usize| report.signature.raw.get(index).map(|value| value.trim()).filter(|value| !value.is_empty());
    let method = value(METHOD).filter(|number| number.len() <= 6 && u32::from_str_radix(number, 16).is_ok())?;
    Some(StackFrame {
        module: Some(Arc::from(value(ASSEMBLY)?)),
        version: value(VERSION).and_then(Version::from_event_text),
        function: Some(Arc::from(format!("method 0x06{method:0>6}"))),
        trust: FrameTrust::Exact,
        ..StackFrame::default()
    })
}

/// The frames of the first text that shows the stack of Python.
fn python_frames(evidence: &JoinedEvidence<'_>) -> Vec<StackFrame> {
    let printed = evidence.tickets().find(|(_, ticket)| !ticket.python_frames.is_empty());
    let Some((from, ticket)) = printed else { return Vec::new() };
    let frames = ticket.python_frames.iter().enumerate();
    frames.map(|(position, frame)| StackFrame { from, ..StackFrame::of_python(position, frame) }).collect()
}

/// How a frame was found that a debugger or a runtime printed: it has unwound the stack.
fn trust_in_printed(position: usize) -> FrameTrust {
    if position == 0 { FrameTrust::Exact } else { FrameTrust::Unwound }
}

impl StackFrame {
    fn of_process(frame: &Frame, dump: &ProcessDump) -> Self {
        let module = frame.module.and_then(|index| dump.modules.as_ref()?.get(index));
        let (trust, probability) = (frame.trust, frame.probability);
        let source = frame.source.as_ref();
        Self {
            function: frame.function.clone(),
            file: source.map(|source| Arc::clone(&source.file)),
            line: source.map(|source| source.line),
            inline: frame.inlined.iter().map(InlineFrame::of).collect(),
            trust,
            probability,
            ..Self::in_module(frame.address, module)
        }
    }

    /// A frame at an address of a process.
    pub(super) fn at(address: Address, dump: &ProcessDump) -> Self {
        Self::in_module(address, dump.module_at(address).map(|(_, module)| module))
    }

    /// Where it is: `module+offset`, the function in the module, the function alone, or an address in no module.
    #[must_use]
    pub fn place(&self) -> String {
        match (&self.module, self.offset, self.address, &self.function) {
            (Some(module), Some(offset), ..) => format!("{module}+{offset}"),
            (Some(module), None, _, Some(function)) => format!("{module}!{function}"),
            (Some(module), None, _, None) => module.to_string(),
            (None, _, Some(address), _) => format!("{address} (in no module)"),
            (None, _, None, function) => function.as_deref().unwrap_or("unknown").to_owned(),
        }
    }

    fn in_module(address: Address, module: Option<&LoadedModule>) -> Self {
        Self {
            module: module.map(|module| Arc::clone(&module.name)),
            version: module.and_then(|module| module.version),
            offset: module.and_then(|module| module.offset_of(address)),
            address: Some(address),
            trust: FrameTrust::Exact,
            ..Self::default()
        }
    }

    fn of_kernel(frame: &KernelFrame, dump: &KernelDump) -> Self {
        let driver = frame.driver.and_then(|index| dump.drivers.get(index));
        Self {
            module: driver.map(|driver| Arc::clone(&driver.name)),
            offset: driver.and_then(|driver| driver.offset_of(frame.address)),
            address: Some(frame.address),
            trust: frame.trust,
            of: StackKind::Kernel,
            ..Self::default()
        }
    }

    fn printed(position: usize, frame: &TicketFrame) -> Self {
        Self {
            module: Some(Arc::clone(&frame.module)),
            offset: frame.offset,
            function: frame.symbol.clone(),
            trust: trust_in_printed(position),
            ..Self::default()
        }
    }

    fn of_python(position: usize, frame: &PythonFrame) -> Self {
        Self {
            function: Some(Arc::clone(&frame.function)),
            file: Some(Arc::clone(&frame.file)),
            line: frame.line,
            trust: trust_in_printed(position),
            of: StackKind::Python,
            ..Self::default()
        }
    }
}

/// The word for a value that has one.
pub(super) struct Word;

impl SerializeAs<FrameTrust> for Word {
    fn serialize_as<S: Serializer>(trust: &FrameTrust, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(trust.word())
    }
}

impl SerializeAs<StackKind> for Word {
    fn serialize_as<S: Serializer>(kind: &StackKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.word())
    }
}
