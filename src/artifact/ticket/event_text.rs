//! The text of event 1000 in any language.
//!
//! Event Viewer shows the event in the system's language, but its lines have the same values in the same order
//! everywhere: program, version and time stamp; module, version and time stamp; code; offset; process id; start time;
//! path; module path. Two lines of the first kind after each other begin such a text.

use super::recognised::{Recognised, Weight};
use super::values::{file_name, hex_number, version};
use crate::evidence::{ExceptionCode, ModuleOffset, Version};

/// Lines of the event's text that are read.
const LINES: usize = 8;

/// Looks for the event's text in `lines`.
pub(super) fn recognise(lines: &[&str], recognised: &mut Recognised) {
    for block in lines.windows(2).zip(0_usize..) {
        let ([app, module], at) = block else {
            continue;
        };
        if let (Some(app), Some(module)) = (image_line(app), image_line(module)) {
            recognised.set_app(Weight::Report, app.name, app.version);
            if let Some(name) = file_name(module.name) {
                recognised.set_module(Weight::Report, name, module.version);
            }
            read_rest(lines.iter().skip(at).take(LINES).skip(2), recognised);
            return;
        }
    }
}

/// The lines after the two that name program and module.
fn read_rest<'a>(lines: impl Iterator<Item = &'a &'a str>, recognised: &mut Recognised) {
    for (position, line) in lines.enumerate() {
        let value = after_label(line);
        let number = value.starts_with("0x").then(|| hex_number(value)).flatten();
        match position {
            0 => {
                let code = number.and_then(|number| u32::try_from(number).ok()).filter(|code| *code != 0);
                recognised.code.set_some(Weight::Report, code.map(ExceptionCode));
            }
            1 => recognised.offset.set_some(Weight::Report, number.map(ModuleOffset)),
            5 => {
                let path = file_name(value).map(|_| value).filter(|path| path.contains('\\'));
                recognised.module_path.set_some(Weight::Report, path.map(Into::into));
            }
            _ => {}
        }
    }
}

struct Image<'a> {
    name: &'a str,
    version: Option<Version>,
}

/// A line that ends in a file name, a version and a time stamp of 32 bits, with commas between them.
fn image_line(line: &str) -> Option<Image<'_>> {
    let mut parts = line.rsplitn(3, [',', '，', '、']);
    let (stamp, version_part, name_part) = (parts.next()?, parts.next()?, parts.next()?);
    let stamp = last_word(stamp).strip_prefix("0x")?;
    let version_text = last_word(version_part);
    let hex = stamp.len() == 8 && stamp.bytes().all(|byte| byte.is_ascii_hexdigit());
    let dotted = version_text.contains('.') && version_text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // In some languages no colon stands before the name.
    let name = if name_part.contains([':', '：']) { after_label(name_part) } else { last_word(name_part) };
    (hex && dotted && !name.is_empty()).then(|| Image { name, version: version(version_text) })
}

/// What follows the label and its colon. Colons later in the line belong to a path.
fn after_label(line: &str) -> &str {
    line.split_once([':', '：']).map_or(line, |(_, value)| value).trim()
}

fn last_word(text: &str) -> &str {
    text.trim().rsplit([' ', '\u{A0}', ':', '：']).next().unwrap_or_default()
}
