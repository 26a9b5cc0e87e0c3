//! Python's frames: what its fault handler prints when the process dies, and the traceback of an exception.

use crate::evidence::{PythonFrame, TicketLine};

/// As many frames as are kept. Deep recursion prints thousands.
const MOST_FRAMES: usize = 64;

/// The frames in `lines`, innermost first: those of the fault handler's current thread, or, without them, of the last
/// traceback.
pub(super) fn frames(lines: &[TicketLine]) -> Vec<PythonFrame> {
    let mut traceback = Vec::new();
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        let text = line.text.trim();
        // The fault handler of CPython names the thread in which it runs.
        if text.starts_with("Current thread 0x") && text.ends_with("(most recent call first):") {
            let frames: Vec<PythonFrame> = after.iter().map_while(|line| frame(&line.text)).take(MOST_FRAMES).collect();
            if !frames.is_empty() {
                return frames;
            }
        } else if text.ends_with("Traceback (most recent call last):") {
            // Below each frame its source may stand, further to the right; the error stands at the margin.
            let margin = indent(&line.text);
            let inside = after.iter().take_while(|line| indent(&line.text) > margin);
            traceback = inside.filter_map(|line| frame(&line.text)).collect();
            traceback.reverse();
            traceback.truncate(MOST_FRAMES);
        }
    }
    traceback
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
    fn a_traceback_is_turned_over() {
        let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import b\n  \
                    File \"b.py\", line 2, in run\n    load()\nOSError: [WinError 126]";
        assert_eq!(shown(text), ["b.py:2 run", "a.py:1 <module>"]);
        assert!(shown("Traceback (most recent call last):").is_empty());
    }
}
