//! The stacks of an incident as people read them: recursion folded, and trust named where a frame is not sure.

use std::io;

use super::page::Page;
use crate::wording::{counted, name, prose};
use evidence::FrameTrust;
use incident::{StackFrame, StackKind, Thread};

/// How many frames of each stack are shown.
const FRAMES_SHOWN: usize = 8;
/// How many threads are shown.
const THREADS_SHOWN: usize = 30;
/// The most frames of one round of a recursion that is folded.
const LONGEST_ROUND: usize = 8;
/// The longest place of a frame after which the other columns are aligned, characters.
const ALIGNED: usize = 44;

/// A stack with its heading.
pub(crate) struct ShownStack {
    /// What kind of stack it is.
    pub(crate) heading: &'static str,
    pub(crate) lines: Vec<StackLine>,
    /// How many frames are left out.
    pub(crate) left_out: usize,
}

/// A line of a stack.
pub(crate) enum StackLine {
    /// A frame: its number from 0, module and offset or function, the function where the module comes first, file and line,
    /// and how it was found where it is not sure.
    Frame { number: usize, place: String, detail: String },
    /// A function that the compiler put into that of the next frame, with file and line.
    Inlined { function: String, source: String },
    /// Frames that are repeated: how many, and how often after the first time.
    Repeated { frames: usize, times: usize },
}

impl StackLine {
    /// The words for frames that are repeated.
    pub(crate) fn repeats(&self) -> Option<String> {
        let Self::Repeated { frames, times } = self else { return None };
        let same = if *frames == 1 { "the same frame".to_owned() } else { format!("the same {frames} frames") };
        Some(format!("({same} {} more)", counted_times(*times)))
    }
}

fn counted_times(times: usize) -> String {
    counted(times, "time")
}

/// The stacks of an incident, of each at most `most` lines.
pub(crate) fn stacks(frames: &[StackFrame], most: usize) -> Vec<ShownStack> {
    frames.chunk_by(|one, other| one.of == other.of).map(|frames| shown(frames, most)).collect()
}

fn shown(frames: &[StackFrame], most: usize) -> ShownStack {
    let heading = match frames.first().map(|frame| frame.of) {
        Some(StackKind::Kernel) => "Stack in the kernel",
        Some(StackKind::Managed) => "Stack of .NET",
        Some(StackKind::Python) => "Stack of Python",
        Some(StackKind::Native) | None => "Stack",
    };
    let (lines, covered) = folded(frames, most);
    ShownStack { heading, lines, left_out: frames.len().saturating_sub(covered) }
}

/// The lines of a stack, at most `most` frames, and how many frames they stand for.
fn folded(frames: &[StackFrame], most: usize) -> (Vec<StackLine>, usize) {
    let mut lines = Vec::new();
    let (mut at, mut shown) = (0_usize, 0_usize);
    while let Some(rest) = frames.get(at..).filter(|rest| !rest.is_empty() && shown < most) {
        let (round, times) = recursion(rest).unwrap_or((1, 0));
        for (number, frame) in (at..).zip(rest.iter().take(round.min(most.saturating_sub(shown)))) {
            lines.extend(frame.inline.iter().map(|inlined| StackLine::Inlined {
                function: prose(&inlined.function),
                source: source(inlined.file.as_deref(), inlined.line).unwrap_or_default(),
            }));
            lines.push(StackLine::Frame {
                number,
                place: name(&prose(&frame.place())).into_owned(),
                detail: detail(frame),
            });
            shown = shown.saturating_add(1);
        }
        if times > 0 {
            lines.push(StackLine::Repeated { frames: round, times });
        }
        at = at.saturating_add(round.saturating_mul(times.saturating_add(1)));
    }
    (lines, at.min(frames.len()))
}

/// The number of frames that the stack begins with and repeats at least twice, and how often it repeats them.
fn recursion(frames: &[StackFrame]) -> Option<(usize, usize)> {
    (1..=LONGEST_ROUND).find_map(|round| {
        let first = frames.get(..round)?;
        let further = frames.get(round..)?.chunks_exact(round);
        let times =
            further.take_while(|frames| frames.iter().zip(first).all(|(one, other)| is_same(one, other))).count();
        (times >= 2).then_some((round, times))
    })
}

/// Whether both are at one place of the code.
fn is_same(one: &StackFrame, other: &StackFrame) -> bool {
    let place =
        |frame: &StackFrame| (frame.module.clone(), frame.offset, frame.address, frame.function.clone(), frame.line);
    place(one) == place(other)
}

/// What the place does not have of a frame: function, source, and how it was found where it is not sure.
fn detail(frame: &StackFrame) -> String {
    let function = frame.function.as_deref().filter(|_| frame.module.is_some() && frame.offset.is_some()).map(prose);
    let source = source(frame.file.as_deref(), frame.line);
    let trust = match frame.trust {
        FrameTrust::Exact | FrameTrust::Unwound => None,
        unsure => Some(format!("[{}]", unsure.word())),
    };
    [function, source, trust].into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// File and line.
fn source(file: Option<&str>, line: Option<u32>) -> Option<String> {
    Some(match line {
        Some(line) => format!("{}:{line}", prose(file?)),
        None => prose(file?),
    })
}

/// Writes the stacks of an incident.
pub(super) fn write(page: &mut Page<'_>, frames: &[StackFrame]) -> io::Result<()> {
    for stack in stacks(frames, page.limit(FRAMES_SHOWN)) {
        page.section(&format!("{} (innermost first)", stack.heading))?;
        let widths = stack.lines.iter().filter_map(|line| match line {
            StackLine::Frame { place, .. } => Some(place.chars().count()),
            StackLine::Inlined { .. } | StackLine::Repeated { .. } => None,
        });
        let width = widths.filter(|width| *width <= ALIGNED).max().unwrap_or_default();
        for line in &stack.lines {
            match line {
                StackLine::Frame { number, place, detail } => {
                    page.whole_entry(2, &format!("{number:>2}  {place:<width$}  {detail}"))?;
                }
                StackLine::Inlined { function, source } => {
                    page.whole_entry(6, &format!("{function}  {source}  (inlined)"))?;
                }
                StackLine::Repeated { .. } => page.entry(6, &line.repeats().unwrap_or_default())?,
            }
        }
        page.more(6, stack.left_out)?;
    }
    Ok(())
}

/// A line about a thread: its number and name, where it is, where it started, and the modules on its stack.
pub(crate) fn thread_line(thread: &Thread) -> String {
    let mut line = thread.id.to_string();
    if let Some(name) = &thread.name {
        line.push_str(&format!(" \"{}\"", prose(name)));
    }
    if thread.crashed {
        line.push_str(" (crashed)");
    }
    let top = thread.frames.first();
    line.extend(top.map(|top| format!(": at {}", [top.place(), detail(top)].join(" ").trim_end())));
    line.extend(thread.start.as_ref().map(|start| format!("; started at {start}")));
    let (first, others) = (top.and_then(|top| top.module.as_ref()), &thread.modules);
    let others: Vec<_> = others.iter().filter(|module| Some(*module) != first).map(|module| name(module)).collect();
    if !others.is_empty() {
        line.push_str(&format!("; called from {}", others.join(", ")));
    }
    prose(&line)
}

/// Writes all threads.
pub(super) fn write_threads(page: &mut Page<'_>, threads: &[Thread]) -> io::Result<()> {
    if threads.is_empty() {
        return Ok(());
    }
    page.section(&format!("Threads: {}", threads.len()))?;
    let shown = page.limit(THREADS_SHOWN);
    threads.iter().take(shown).try_for_each(|thread| page.entry(2, &thread_line(thread)))?;
    page.more(2, threads.len().saturating_sub(shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::ModuleOffset;
    use incident::InlineFrame;

    fn frames(offsets: &[u64]) -> Vec<StackFrame> {
        let frame = |offset: &u64| StackFrame {
            module: Some("app.exe".into()),
            offset: Some(ModuleOffset(*offset)),
            trust: FrameTrust::Unwound,
            ..StackFrame::default()
        };
        offsets.iter().map(frame).collect()
    }

    fn lines(offsets: &[u64], most: usize) -> (Vec<String>, usize) {
        let stacks = stacks(&frames(offsets), most);
        let stack = stacks.first().expect("a stack");
        let line = |line: &StackLine| match line {
            StackLine::Frame { number, place, .. } => format!("{number} {place}"),
            StackLine::Inlined { function, .. } => format!("- {function}"),
            StackLine::Repeated { .. } => line.repeats().expect("it repeats"),
        };
        (stack.lines.iter().map(line).collect(), stack.left_out)
    }

    #[test]
    fn recursion_is_folded() {
        let mut offsets = vec![1];
        offsets.extend([2, 3, 4].repeat(5));
        offsets.extend([2, 9]);
        let (shown, left_out) = lines(&offsets, 8);
        let expected = [
            "0 app.exe+0x1",
            "1 app.exe+0x2",
            "2 app.exe+0x3",
            "3 app.exe+0x4",
            "(the same 3 frames 4 times more)",
            "16 app.exe+0x2",
            "17 app.exe+0x9",
        ];
        assert_eq!(shown, expected);
        assert_eq!(left_out, 0);
        assert_eq!(lines(&[5, 5, 5], 8).0, ["0 app.exe+0x5", "(the same frame 2 times more)"]);
    }

    #[test]
    fn frames_beyond_the_limit_are_counted() {
        let (shown, left_out) = lines(&[1, 2, 3, 4, 5], 3);
        assert_eq!((shown.len(), left_out), (3, 2));
        assert_eq!(lines(&[1, 1, 2, 2], 8).0.len(), 4, "a frame that is there twice is no recursion");
    }

    #[test]
    fn only_unsure_frames_name_how_they_were_found() {
        let mut frames = frames(&[1, 2]);
        frames[1].trust = FrameTrust::Scanned;
        frames[1].function = Some("run".into());
        assert_eq!(detail(&frames[0]), "");
        assert_eq!(detail(&frames[1]), "run  [scanned]");
    }

    #[test]
    fn inlined_functions_are_shown_before_the_frame_that_holds_them() {
        let mut frames = frames(&[1]);
        let inlined =
            |name: &str, line| InlineFrame { function: name.into(), file: Some("list.h".into()), line: Some(line) };
        frames[0].inline = vec![inlined("grow", 7), inlined("add", 9)];
        let stacks = stacks(&frames, 8);
        let lines = stacks[0].lines.iter().map(|line| match line {
            StackLine::Inlined { function, source } => format!("{function} {source}"),
            StackLine::Frame { place, .. } => place.clone(),
            StackLine::Repeated { .. } => String::new(),
        });
        assert_eq!(lines.collect::<Vec<_>>(), ["grow list.h:7", "add list.h:9", "app.exe+0x1"]);
    }

    #[test]
    fn each_kind_of_stack_has_its_heading() {
        let mut frames = frames(&[1, 2]);
        frames.push(StackFrame { function: Some("A.B()".into()), of: StackKind::Managed, ..StackFrame::default() });
        let headings: Vec<_> = stacks(&frames, 8).iter().map(|stack| stack.heading).collect();
        assert_eq!(headings, ["Stack", "Stack of .NET"]);
    }
}
