//! Stacks without the heading that a debugger prints above them: people copy the frames alone, with or without the
//! numbers and addresses before them.
//!
//! A program has many stacks, and most show nothing of a crash. So one without heading is taken only where one of its
//! innermost frames is a function that the system, its runtime or the kernel runs only when something failed.

use std::sync::LazyLock;

use super::debugger::{frame, pairs};
use evidence::{TicketFrame, TicketLine, is_stop};

/// How many frames are kept.
const MOST_FRAMES: usize = 64;
/// How many of the innermost frames are searched for a function of a failure. Before it are those that wait for a
/// debugger or an error report.
const INNERMOST: usize = 8;

/// Functions of programs that only a failure calls, with their modules as debuggers name them.
///
/// Source: the public symbols of Windows and of Microsoft's C runtime.
static OF_FAILURES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| pairs(include_str!("../data/failure-functions.txt")));

/// The frames of the first such stack in `lines`, innermost first.
pub(super) fn frames(lines: &[TicketLine]) -> Vec<TicketFrame> {
    let mut stack: Vec<TicketFrame> = Vec::new();
    for line in lines {
        match frames_of(&line.text) {
            Some(of_line) => stack.extend(of_line.into_iter().take(MOST_FRAMES.saturating_sub(stack.len()))),
            None if shows_failure(&stack) => break,
            None => stack.clear(),
        }
    }
    if shows_failure(&stack) { stack } else { Vec::new() }
}

/// Whether a stack has more than one frame and its innermost ones are those of a failure.
fn shows_failure(stack: &[TicketFrame]) -> bool {
    let fails = |frame: &TicketFrame| {
        let called = frame.symbol.as_deref().unwrap_or_default();
        let stem = frame.module.strip_suffix(".dll").unwrap_or(&frame.module);
        is_stop(frame) || OF_FAILURES.iter().any(|(module, name)| *name == called && stem.eq_ignore_ascii_case(module))
    };
    // Lists of symbols name functions that stop the system, and nothing of who called them.
    let called = |frame: &TicketFrame| frame.offset.is_some() || !is_stop(frame);
    stack.len() > 1 && stack.iter().take(INNERMOST).any(fails) && stack.iter().any(called)
}

/// The frames in a line that has nothing else: one, or several with blanks or arrows between them.
fn frames_of(line: &str) -> Option<Vec<TicketFrame>> {
    let mut frames = Vec::new();
    for (position, word) in line.split_whitespace().enumerate() {
        if word.starts_with(['[', '(']) && !frames.is_empty() {
            // The file and line of the source, or that the function was inlined.
            break;
        }
        let label = position == 0 && word.ends_with(':') && !word.contains('!');
        if label || is_beside(word) {
            continue;
        }
        let place = word.trim_matches(|mark| matches!(mark, '`' | '*' | ',' | ';' | '|'));
        frames.push(frame(place).filter(|frame| frame.symbol.as_deref().is_none_or(is_function))?);
    }
    (!frames.is_empty()).then_some(frames)
}

/// Whether a word is what debuggers print beside a frame: its number, addresses, arguments, or marks between frames.
fn is_beside(word: &str) -> bool {
    let number = |letter: char| letter.is_ascii_hexdigit() || "`x:-#[]<>=|*.".contains(letter);
    matches!(word, "(Inline" | "Function)" | "←" | "→") || word.chars().all(number)
}

/// Whether a word can be a function's name. Prose and commands have other signs.
fn is_function(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|first| first.is_alphabetic() || "_?`<~$".contains(first))
        && name.chars().all(|letter| letter.is_alphanumeric() || "_:<>~`'?@$*&.,-=()[]".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        let shown = |frame: &TicketFrame| format!("{}!{}", frame.module, frame.symbol.as_deref().unwrap_or_default());
        frames(&lines).iter().map(shown).collect()
    }

    #[test]
    fn a_list_of_symbols_is_no_stack() {
        for text in [
            "fffff806`1c7f1b30 nt!KeBugCheckEx (<no parameter info>)\nfffff806`1c7f1c50 nt!KeBugCheck2 (<no parameter info>)",
            "nt!KeBugCheckEx\nnt!KeBugCheck2",
        ] {
            assert_eq!(shown(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_frames_alone_are_a_stack_where_they_show_a_failure() {
        let stop = ["nt!KeBugCheckEx", "nt!KiPageFault", "filter!Read", "filter!"];
        for text in [
            "The stack:\nnt!KeBugCheckEx\nnt!KiPageFault+0x31a\nfilter!Read+0x6d\nfilter+0x1234\nSo far.",
            "00 nt!KeBugCheckEx\n01 nt!KiPageFault+0x31a\n0a filter!Read+0x6d [D:\\a\\read.c @ 12]\n0b filter+0x1234",
            "fffff806`1 fffff806`2 : 00000000`0 0 : nt!KeBugCheckEx\n(Inline Function) : nt!KiPageFault+0x1\n# filter!Read\nfilter+0x2",
            "Stack: nt!KeBugCheckEx -> nt!KiPageFault+0x1 -> filter!Read -> filter+0x2",
        ] {
            assert_eq!(shown(text), stop, "{text}");
        }
        let program = "ntdll!RtlReportFatalFailure+0x9\nntdll!RtlpFreeHeap+0x1\nucrtbase!free+0x1b\npart!close+0x10";
        assert_eq!(shown(program).len(), 4);
    }

    #[test]
    fn other_lines_are_none() {
        for text in [
            "ntdll!NtWaitForSingleObject+0x14\ntool!main+0x10",
            "bp nt!KeBugCheckEx\nnt!KiPageFault",
            "nt!KeBugCheckEx",
            "we looked at nt!KeBugCheckEx and\nfilter!Read in the source",
            "Hello!\nworld!x",
        ] {
            assert!(shown(text).is_empty(), "{text}");
        }
    }
}
