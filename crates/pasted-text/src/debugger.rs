//! Stacks as debuggers print them, and the files of the modules that they name.
//!
//! WinDbg names a module by its file's name without ending, and by another name where two are equal. The ending is
//! taken from the text, when it names exactly one file of that name; from what is known of Windows' own modules; and,
//! in the analysis of a blue screen, from the rule that drivers end in `.sys`.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::bare_stack;
use super::values::{hex_number, image_name};
use evidence::{KernelRole, ModuleOffset, Ticket, TicketFrame, TicketLine, kernel_role};

/// How many frames are kept.
const MOST_FRAMES: usize = 64;
/// How many names of files are looked at to complete a module's name.
const MOST_NAMES: usize = 4096;

/// The heading of the stack in the log of a Unity player.
const UNITY_STACK: &str = "OUTPUTTING STACK TRACE";

/// Modules of Windows, by the names that debuggers give them, with their files.
static WINDOWS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| pairs(include_str!("../data/windows-modules.txt")));

/// The rows of a table in the folder `data`: two words each; a row with `#` is a remark.
pub(super) fn pairs(table: &str) -> Vec<(&str, &str)> {
    table.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once(' ')).collect()
}

/// The frames of the first stack in `lines`, innermost first.
pub(super) fn frames(lines: &[TicketLine]) -> Vec<TicketFrame> {
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        let text = line.text.trim();
        let frames_of = |lines: &[TicketLine], frame: fn(&str) -> Option<TicketFrame>| -> Vec<TicketFrame> {
            lines.iter().map_while(|line| frame(&line.text)).take(MOST_FRAMES).collect()
        };
        let begins = text.starts_with("STACK_TEXT:")
            || (text.contains("RetAddr") && (text.contains("Child-SP") || text.contains("ChildEBP")));
        let frames = if begins {
            frames_of(after, printed_frame)
        } else if visual_studio_frame(text).is_some() {
            // A single such line is no stack.
            Some(frames_of(rest, visual_studio_frame)).filter(|frames| frames.len() > 1).unwrap_or_default()
        } else if text.starts_with("Thread ") && text.ends_with("(Crashed)") {
            // OBS Studio's report has the names of columns between the heading and the frames.
            let columns = after.iter().take_while(|line| line.text.trim_start().starts_with("Stack ")).count();
            frames_of(after.get(columns..).unwrap_or_default(), printed_frame)
        } else if text.contains(UNITY_STACK) {
            frames_of(after, unity_frame)
        } else {
            Vec::new()
        };
        if !frames.is_empty() {
            return frames;
        }
        rest = after;
    }
    bare_stack::frames(lines)
}

/// A line of WinDbg's stack: addresses, arguments, and at its end `module!function+0x12` or `module+0x1234`.
fn printed_frame(line: &str) -> Option<TicketFrame> {
    let first = line.split_whitespace().next()?;
    let address = first.chars().all(|digit| digit.is_ascii_hexdigit() || digit == '`');
    if !address && !line.trim_start().starts_with("(Inline") {
        return None;
    }
    let place = line.split_whitespace().rev().find(|word| word.contains('!') || word.contains("+0x"))?;
    frame(place)
}

/// `module!function+0x12`, `module!function` or `module+0x1234`.
pub(super) fn frame(place: &str) -> Option<TicketFrame> {
    if let Some((module, function)) = place.split_once('!') {
        let function = function.rsplit_once("+0x").map_or(function, |(function, _)| function);
        // An address in the place of a name says that nobody knows the function.
        let named = |function: &&str| !function.is_empty() && !function.starts_with("0x");
        let symbol = Some(function).filter(named).map(Into::into);
        return is_module(module).then(|| TicketFrame { module: module.into(), symbol, offset: None });
    }
    let (module, offset) = place.split_once("+0x")?;
    let offset = hex_number(offset).map(ModuleOffset);
    (is_module(module) && offset.is_some()).then(|| TicketFrame { module: module.into(), symbol: None, offset })
}

/// A line of Visual Studio's call stack: `part.dll!function(int x) Line 12`.
fn visual_studio_frame(line: &str) -> Option<TicketFrame> {
    let line = line.trim_start_matches(['>', ' ', '\t']);
    let (module, function) = line.split_once('!')?;
    let function = function.split(['(', ' ']).next().unwrap_or_default();
    (image_name(module) == Some(module) && !function.is_empty()).then(|| TicketFrame {
        module: module.into(),
        symbol: Some(function.into()),
        offset: None,
    })
}

/// A line of the stack in the log of a Unity player: `0x00007FF812345678 (UnityPlayer) UnityMain`.
fn unity_frame(line: &str) -> Option<TicketFrame> {
    let (address, rest) = line.trim().split_once(" (")?;
    let (module, function) = rest.split_once(')')?;
    hex_number(address).filter(|_| address.starts_with("0x"))?;
    let symbol = Some(function.trim()).filter(|function| !function.is_empty() && !function.starts_with('('));
    is_module(module).then(|| TicketFrame { module: module.into(), symbol: symbol.map(Into::into), offset: None })
}

fn is_module(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.' | '-'))
        && !name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Replaces the debugger's module names by file names, and sets the ticket's faulting module (`fault`, at the
/// exception's address) apart from the module that the debugger's analysis blames (`blamed`).
pub(super) fn name_modules(ticket: &mut Ticket, fault: Option<Arc<str>>, blamed: Option<Arc<str>>) {
    if fault.is_none() && blamed.is_none() && ticket.frames.is_empty() {
        return;
    }
    let files = files(&ticket.lines);
    let stop = ticket.bugcheck.is_some() || ticket.shows_a_stop();
    let mut in_kernel = stop;
    for frame in &mut ticket.frames {
        in_kernel &= kernel_role(frame) != Some(KernelRole::SystemCall);
        frame.module = file_of(&frame.module, &files, in_kernel);
    }
    let blamed = blamed.map(|stem| file_of(&stem, &files, stop));
    let reported = ticket.module.take().or_else(|| blamed.clone());
    // In a blue screen the exception's address is that of the kernel's own breakpoint as often as not.
    match fault.filter(|_| !stop).map(|stem| file_of(&stem, &files, stop)) {
        Some(fault) => {
            ticket.blamed = reported.filter(|reported| !reported.eq_ignore_ascii_case(&fault));
            if ticket.blamed.is_some() {
                // They were those of the other module.
                ticket.module_version = None;
                ticket.module_path = None;
            }
            ticket.module = Some(fault);
        }
        None => ticket.module = reported,
    }
}

/// The file that a debugger means by `stem`.
fn file_of(stem: &Arc<str>, files: &BTreeMap<String, Option<Arc<str>>>, stop: bool) -> Arc<str> {
    if image_name(stem) == Some(stem) {
        return Arc::clone(stem);
    }
    let lower = stem.to_ascii_lowercase();
    if let Some(Some(file)) = files.get(&as_symbol(&lower)) {
        return Arc::clone(file);
    }
    match WINDOWS.iter().find(|(known, _)| *known == lower) {
        Some((_, file)) => Arc::from(*file),
        None if stop => format!("{stem}.sys").into(),
        None => Arc::clone(stem),
    }
}

/// A file's name without ending as debuggers write it: a symbol has no other signs than letters, digits and `_`.
fn as_symbol(stem: &str) -> String {
    let sign = |letter: char| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    stem.chars().map(sign).collect()
}

/// The files that a text names, by their names without ending, lower case; `None` where two share one.
fn files(lines: &[TicketLine]) -> BTreeMap<String, Option<Arc<str>>> {
    let mut files: BTreeMap<String, Option<Arc<str>>> = BTreeMap::new();
    let in_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '-');
    let words = lines.iter().flat_map(|line| line.text.split(move |character| !in_name(character)));
    for word in words.filter(|word| word.contains('.')) {
        let Some((stem, _)) = image_name(word).and_then(|name| name.rsplit_once('.')) else { continue };
        if files.len() == MOST_NAMES {
            break;
        }
        let file = files.entry(as_symbol(stem)).or_insert_with(|| Some(word.into()));
        if file.as_ref().is_some_and(|file| !file.eq_ignore_ascii_case(word)) {
            *file = None;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<TicketLine> {
        (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect()
    }

    fn shown(text: &str) -> Vec<String> {
        let shown = |frame: &TicketFrame| {
            let offset = frame.offset.map(|offset| format!("+{offset}")).unwrap_or_default();
            format!("{}!{}{offset}", frame.module, frame.symbol.as_deref().unwrap_or_default())
        };
        frames(&lines(text)).iter().map(shown).collect()
    }

    #[test]
    fn the_stack_of_an_analysis_ends_where_a_line_is_no_frame() {
        let text = "STACK_TEXT:  \n000000bf`6d5fe3c8 00007ff9`5e2c1f10     : 00000000`00000003 00000000`00000000 : ucrtbase!abort+0x4e\n\
                    000000bf`6d5fe400 00007ff9`33445566     : 00000000`00000000 : part64+0x12345\n\
                    (Inline Function) --------`--------     : --------`-------- : tool!main+0x1\nSYMBOL_NAME:  part64+12345";
        assert_eq!(shown(text), ["ucrtbase!abort", "part64!+0x12345", "tool!main"]);
    }

    #[test]
    fn numbered_stacks_and_those_of_visual_studio() {
        let text = " # Child-SP          RetAddr               Call Site\n\
                    00 000000bf`6d5fe3c8 00007ff9`5e2c1f10     ntdll!NtWaitForSingleObject+0x14\n";
        assert_eq!(shown(text), ["ntdll!NtWaitForSingleObject"]);
        let text = ">\tucrtbased.dll!abort() Line 77\tC++\n \ttool.exe!run(int count) Line 3\tC++\nthe end";
        assert_eq!(shown(text), ["ucrtbased.dll!abort", "tool.exe!run"]);
        assert!(shown("hello!\nworld!").is_empty());
        let text = "===== OUTPUTTING STACK TRACE =====\n0x00007FF8A0123456 (UnityPlayer) UnityMain\n\
                    0x00007FF6A0001234 (Game) (function-name not available)\n===== END OF STACKTRACE =====\n";
        assert_eq!(shown(text), ["UnityPlayer!UnityMain", "Game!"]);
        let text = "Thread 3D4: (Crashed)\nStack            EIP              Address\n\
                    000000E1F8BFF4C0 00007FFA1F0C5A3B part.dll!0x7ffa1f0c5a3b\n000000E1F8BFF4D0 00007FFA1F0C5A3C obs.dll!run+0x12\n";
        assert_eq!(shown(text), ["part.dll!", "obs.dll!run"]);
        assert!(shown(&text.replace("(Crashed)", "")).is_empty(), "another thread");
    }

    #[test]
    fn endings_come_from_the_text_or_are_known() {
        let files = files(&lines("IMAGE_NAME:  part.pyd\nC:\\x\\twice.dll twice.exe"));
        let file = |stem: &str, stop| file_of(&stem.into(), &files, stop).to_string();
        assert_eq!(file("part", false), "part.pyd");
        assert_eq!(file("twice", false), "twice");
        assert_eq!(file("UCRTBASE", false), "ucrtbase.dll");
        assert_eq!(file("filter", true), "filter.sys");
        assert_eq!(file("nt", true), "ntoskrnl.exe");
        assert_eq!(file("filter.sys", false), "filter.sys");
        let files = super::files(&lines("the driver is filter-x64.sys"));
        assert_eq!(&*file_of(&"filter_x64".into(), &files, true), "filter-x64.sys");
    }
}
