//! Python's frames: what its fault handler prints when the process dies, and the traceback of an exception.

use std::collections::VecDeque;
use std::sync::Arc;

use evidence::{PythonFrame, TicketLine};

/// How many frames are kept. Deep recursion prints thousands.
const MOST_FRAMES: usize = 64;

/// What is being printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Printed {
    Nothing,
    /// The frames of the fault handler's current thread, the innermost first.
    Thread,
    /// A traceback below a heading with this indentation, the innermost frame last.
    Traceback {
        margin: usize,
    },
}

/// The frames in `lines`, innermost first: those of the fault handler's current thread, or, without them, of the last
/// traceback. Looks at each line once.
pub(super) fn frames<'l>(lines: impl IntoIterator<Item = &'l TicketLine>) -> Vec<PythonFrame> {
    let (mut printed, mut frames, mut traceback) = (Printed::Nothing, VecDeque::new(), VecDeque::new());
    for line in lines {
        let text = line.text.trim();
        // The fault handler of CPython names the thread in which it runs.
        let begun = if text.starts_with("Current thread 0x") && text.ends_with("(most recent call first):") {
            Some(Printed::Thread)
        } else if text.ends_with("Traceback (most recent call last):") {
            Some(Printed::Traceback { margin: indent(&line.text) })
        } else {
            None
        };
        let frame = frame(text);
        let ended = match printed {
            Printed::Nothing => false,
            Printed::Thread => frame.is_none(),
            // Below each frame its source may stand, further to the right; the error is at the margin.
            Printed::Traceback { margin } => indent(&line.text) <= margin,
        };
        if begun.is_some() || ended {
            if printed == Printed::Thread && !frames.is_empty() {
                break;
            }
            if !frames.is_empty() {
                traceback = std::mem::take(&mut frames);
            }
            printed = begun.unwrap_or(Printed::Nothing);
        } else if let Some(frame) = frame {
            match printed {
                Printed::Thread if frames.len() < MOST_FRAMES => frames.push_back(frame),
                Printed::Traceback { .. } => {
                    frames.truncate(MOST_FRAMES.saturating_sub(1));
                    frames.push_front(frame);
                }
                _ => {}
            }
        }
    }
    if frames.is_empty() { traceback.into() } else { frames.into() }
}

/// The scripts that ended with the tracebacks in `lines`, each with the index of its traceback's heading. A traceback
/// that reports an earlier exception again, or a child program that failed, counts as part of the run before it.
pub(super) fn scripts(lines: &[TicketLine]) -> Vec<(usize, Arc<str>)> {
    /// Python's sentences between two tracebacks, of which the second exception was raised because of the first.
    ///
    /// Source: `traceback.py` of CPython.
    const CHAINED: [&str; 2] = ["During handling of the above exception", "The above exception was the direct cause"];
    /// Texts in a traceback of a program whose child process failed.
    const OF_A_CHILD: [&str; 3] = ["CalledProcessError", "ChildFailedError", "non-zero exit status"];
    let is_heading = |line: &TicketLine| line.text.trim() == "Traceback (most recent call last):";
    let holds = |line: &TicketLine, words: &[&str]| words.iter().any(|words| line.text.contains(words));
    let mut scripts = Vec::new();
    let mut of_a_child = false;
    // From the end, so that each line is looked at once.
    for (at, line) in lines.iter().enumerate().rev() {
        of_a_child |= holds(line, &OF_A_CHILD);
        if !is_heading(line) {
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        let chained = before.is_some_and(|before| holds(before, &CHAINED));
        let outermost = lines.get(at.saturating_add(1)).and_then(|first| frame(&first.text));
        let script = outermost.filter(|frame| &*frame.function == "<module>" && is_script(&frame.file));
        if let Some(script) = script.filter(|_| !chained && !of_a_child) {
            scripts.push((at, script.file));
        }
        of_a_child = false;
    }
    scripts.reverse();
    scripts
}

/// Whether a file is a script of a user, and not a module with which Python starts scripts.
fn is_script(file: &str) -> bool {
    let name = evidence::base_name(file);
    name.to_ascii_lowercase().ends_with(".py") && !matches!(name, "runpy.py" | "spawn.py" | "__main__.py")
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|character| character.is_whitespace()).count()
}

/// `File "C:\x\y.py", line 12 in run` or `File "...", line 12, in run`.
fn frame(line: &str) -> Option<PythonFrame> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    let (number, function) = rest.split_once(" in ")?;
    let line = number.trim_end_matches(',').parse().ok();
    Some(PythonFrame { file: file.into(), line, function: function.trim().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<TicketLine> {
        (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect()
    }

    fn shown(text: &str) -> Vec<String> {
        frames(&lines(text))
            .iter()
            .map(|frame| format!("{}:{} {}", frame.file, frame.line.unwrap_or_default(), frame.function))
            .collect()
    }

    #[test]
    fn the_fault_handlers_current_thread_counts() {
        let text = "Windows fatal exception: access violation\n\n\
                    Thread 0x00001a2c (most recent call first):\n  File \"C:\\p\\wait.py\", line 3 in wait\n\n\
                    Current thread 0x00002b3d (most recent call first):\n  File \"C:\\p\\kernel.py\", line 7 in launch\n  \
                    File \"C:\\p\\main.py\", line 90 in <module>\nbash: done";
        assert_eq!(shown(text), ["C:\\p\\kernel.py:7 launch", "C:\\p\\main.py:90 <module>"]);
    }

    #[test]
    fn tracebacks_of_different_scripts_are_told_apart() {
        let traceback = |file: &str, error: &str| {
            format!("Traceback (most recent call last):\n  File \"{file}\", line 3, in <module>\n    run()\n{error}\n")
        };
        let shown = |text: &str| -> Vec<String> {
            scripts(&lines(text)).into_iter().map(|(at, file)| format!("{at} {file}")).collect()
        };
        let two = traceback("a.py", "OSError: a") + &traceback("b.py", "RuntimeError: b");
        assert_eq!(shown(&two), ["0 a.py", "4 b.py"]);
        let chained = traceback("a.py", "OSError: a")
            + "During handling of the above exception, another exception occurred:\n"
            + &traceback("b.py", "RuntimeError: b");
        assert_eq!(shown(&chained), ["0 a.py"]);
        let started = traceback("a.py", "MemoryError") + &traceback("launch.py", "subprocess.CalledProcessError: 1");
        assert_eq!(shown(&started), ["0 a.py"]);
        assert!(shown(&traceback("<string>", "OSError")).is_empty(), "what Python runs itself");
    }

    #[test]
    fn a_traceback_is_turned_over() {
        let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import b\n  \
                    File \"b.py\", line 2, in run\n    load()\nOSError: [WinError 126]";
        assert_eq!(shown(text), ["b.py:2 run", "a.py:1 <module>"]);
        assert!(shown("Traceback (most recent call last):").is_empty());
    }

    #[test]
    fn each_line_is_looked_at_once_however_tracebacks_are_nested() {
        let depth = 300;
        let text: String = (0..depth)
            .map(|level| {
                format!("{:level$}Traceback (most recent call last):\n{:level$} File \"a.py\", line 1, in f\n", "", "")
            })
            .collect();
        let (lines, looked_at) = (lines(&text), std::cell::Cell::new(0));
        let found = frames(lines.iter().inspect(|_| looked_at.set(looked_at.get() + 1)));
        assert_eq!((found.len(), looked_at.get()), (1, 2 * depth));
    }

    #[test]
    fn the_last_traceback_with_frames_counts_and_of_many_frames_the_innermost() {
        let deep: String = (0..200).map(|line| format!("  File \"r.py\", line {line}, in run\n")).collect();
        let text = format!(
            "Traceback (most recent call last):\n{deep}RecursionError\nTraceback (most recent call last):\nend"
        );
        let found = shown(&text);
        assert_eq!((found.len(), found[0].as_str()), (MOST_FRAMES, "r.py:199 run"));
    }
}
