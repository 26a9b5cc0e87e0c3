//! The text of event 1000 in any language.
//!
//! Event Viewer shows the event in the system's language, but its lines have the same values in the same order
//! everywhere: program, version and time stamp; module, version and time stamp; code; offset; process id; start time;
//! path; module path; report id. Two lines of the first kind after each other begin such a text. A mail program may
//! have broken a line before its last value.

use super::recognised::{APP_PATH, MODULE_PATH, OFFSET, PID, REPORT_ID, Recognised, STARTED, Weight};
use super::values::{file_name, hex_number, is_name, narrow, version};
use evidence::{ExceptionCode, ModuleOffset, TicketLine, Version, base_name};
use untrusted::notation::{filetime, guid};

/// Values of the event's text that are read after the two lines that begin it.
const VALUES: usize = 7;

/// A number from here on is a status of another text and no process id.
const LOWEST_STATUS: u32 = 0x4000_0000;

/// Whether `lines` begin with the event's text.
pub(super) fn begins(lines: &[TicketLine]) -> bool {
    let Some((first, after)) = lines.split_first() else { return false };
    let Some((_, after)) = image_line(&first.text, after) else { return false };
    after.split_first().is_some_and(|(second, after)| image_line(&second.text, after).is_some())
}

/// Looks for the event's text in `lines`.
pub(super) fn recognise(lines: &[TicketLine], recognised: &mut Recognised) {
    let mut rest = lines;
    while let Some((first, after)) = rest.split_first() {
        if let Some((app, after_app)) = image_line(&first.text, after)
            && let Some((second, after)) = after_app.split_first()
            && let Some((module, after)) = image_line(&second.text, after)
        {
            recognised.line = first.number;
            recognised.set_app(Weight::Report, Some(&*app.name).filter(|name| is_name(name)), app.version);
            recognised.line = second.number;
            let module_name = file_name(&module.name).filter(|name| is_name(name));
            recognised.set_module(Weight::Report, module_name, module.version);
            return read_rest(after, recognised);
        }
        rest = after;
    }
}

/// Reads the lines of an event 1000's text after the two that name program and module. The form of each value decides
/// what it is, and its order among values of the same form: older systems and people leave lines out.
fn read_rest(mut lines: &[TicketLine], recognised: &mut Recognised) {
    let (mut numbers, mut paths) = (0_usize, 0_usize);
    for _ in 0..VALUES {
        // Another event's text has values of its own.
        let Some((line, behind)) = lines.split_first().filter(|_| !begins(lines)) else { return };
        lines = behind;
        let mut value = after_label(&line.text);
        // A label alone: its value was broken off, unless the next line has a label of its own.
        let is_value = |next: &TicketLine| !next.text.contains([':', '：']) || begins_with_drive(&next.text);
        if value.is_empty()
            && let Some((next, behind)) = lines.split_first().filter(|(next, _)| is_value(next))
        {
            value = next.text.trim();
            lines = behind;
        }
        // Windows 11 writes `0x` twice before the process id and the start time.
        let digits = value.strip_prefix("0x").filter(|rest| rest.starts_with("0x")).unwrap_or(value);
        recognised.line = line.number;
        if let Some(number) = digits.starts_with("0x").then(|| hex_number(digits)).flatten() {
            // Prose goes on behind a number; a field doesn't.
            let alone = digits.bytes().skip(2).all(|digit| digit.is_ascii_hexdigit());
            take_number(number, numbers, alone, recognised);
            numbers = numbers.saturating_add(1);
        } else if let Some(id) = guid(value) {
            recognised.set(REPORT_ID, Weight::Report, Some(id.into()));
            return;
        } else if file_name(value).is_some() && value.contains('\\') {
            match paths {
                0 => recognised.set(APP_PATH, Weight::Report, Some(value.into())),
                1 => recognised.set(MODULE_PATH, Weight::Report, Some(value.into())),
                _ => {}
            }
            paths = paths.saturating_add(1);
        }
    }
}

/// Takes a number of the event's text. `before`, how many numbers precede it, decides what it is: the code, the offset,
/// then process id or start time, which only its size of more than 32 bits identifies.
fn take_number(number: u64, before: usize, alone: bool, recognised: &mut Recognised) {
    match before {
        0 => recognised.set_code(Weight::Report, narrow(number).filter(|code| *code != 0).map(ExceptionCode)),
        1 => recognised.set(OFFSET, Weight::Report, Some(ModuleOffset(number))),
        _ if !alone => {}
        _ => match narrow(number) {
            Some(pid) => recognised.set(PID, Weight::Report, Some(pid).filter(|pid| *pid < LOWEST_STATUS)),
            None => recognised.set(STARTED, Weight::Report, filetime(number)),
        },
    }
}

fn begins_with_drive(line: &str) -> bool {
    line.trim_start().get(1..3) == Some(":\\")
}

struct Image {
    name: String,
    version: Option<Version>,
}

/// A line that ends in a file name, a version and a time stamp of 32 bits, with commas between them, and the lines
/// behind it. The time stamp may be in a line of its own.
fn image_line<'l>(line: &str, behind: &'l [TicketLine]) -> Option<(Image, &'l [TicketLine])> {
    if let Some(image) = image(line) {
        return Some((image, behind));
    }
    let (next, rest) = behind.split_first()?;
    let broken = line.trim_end().ends_with([':', '：']) && is_stamp(next.text.trim());
    let image = broken.then(|| image(&format!("{line} {}", next.text.trim()))).flatten()?;
    Some((image, rest))
}

fn image(line: &str) -> Option<Image> {
    // Hardly any line ends with a time stamp, and this is asked of all.
    if !ends_with_stamp(line) {
        return None;
    }
    let mut parts = line.rsplitn(3, [',', '，', '、']);
    let (stamp, version_part, name_part) = (parts.next()?, parts.next()?, parts.next()?);
    let version_text = last_word(version_part);
    let dotted = version_text.contains('.') && version_text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // In some languages no colon is before the name.
    // PowerShell puts a label of its own before the event's text.
    let name = match name_part.rsplit_once([':', '：']) {
        Some((_, name)) => base_name(name.trim()),
        None => last_word(name_part),
    };
    let whole = is_stamp(last_word(stamp)) && dotted && !name.is_empty();
    whole.then(|| Image { name: name.to_owned(), version: version(version_text) })
}

fn is_stamp(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or_default();
    digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a line ends with a time stamp, without blanks behind it.
fn ends_with_stamp(line: &str) -> bool {
    let end = line.trim_end();
    let stamp = end.len().checked_sub("0x00000000".len()).and_then(|at| end.get(at..));
    stamp.is_some_and(is_stamp)
}

/// What follows the label and its colon. Colons later in the line belong to a path. Labels without colon end where
/// the number begins.
fn after_label(line: &str) -> &str {
    match line.split_once([':', '：']) {
        Some((_, value)) => value.trim(),
        None => line.find(" 0x").and_then(|at| line.get(at..)).unwrap_or(line).trim(),
    }
}

fn last_word(text: &str) -> &str {
    text.trim().rsplit([' ', '\u{A0}', ':', '：']).next().unwrap_or_default()
}
