//! The path of a module alone in the line below the one that reports a crash: programs' own boxes and logs break the
//! line there.

use super::recognised::{CODE, MODULE_PATH, Recognised, Weight};
use super::statement::path;
use super::values::image_name;
use evidence::{TicketLine, base_name};

/// Takes the module's name and path, if a code is in the line above and no other path below: that would be a list.
pub(super) fn recognise(lines: &[TicketLine], recognised: &mut Recognised) {
    let Some(code) = recognised.origin_of(CODE).filter(|origin| origin.weight <= Weight::Bare) else { return };
    if recognised.ticket.module.is_some() {
        return;
    }
    let Some(at) = lines.iter().rposition(|line| line.number <= code.line) else { return };
    let below =
        |count: usize| lines.get(at.saturating_add(count)).and_then(|line| Some((line.number, module(&line.text)?)));
    let Some((line, whole)) = below(1).filter(|_| below(2).is_none()) else { return };
    if line.saturating_sub(code.line) > MOST_BELOW {
        return;
    }
    recognised.line = line;
    recognised.set_module(Weight::Words, Some(base_name(whole)), None);
    recognised.set(MODULE_PATH, Weight::Words, Some(whole.into()));
}

/// The most lines from one to the line with its module: an empty line may be between.
const MOST_BELOW: u32 = 2;

/// The path of a library that a line has, and nothing else.
fn module(line: &str) -> Option<&str> {
    let line = line.trim().trim_matches(['"', '\'', '`']);
    let drive = line.get(1..3) == Some(":\\") && line.starts_with(|first: char| first.is_ascii_alphabetic());
    let name = base_name(path(line).filter(|path| drive && path.len() == line.len())?);
    // A program's path may be the one that crashed.
    let library =
        image_name(name).is_some_and(|known| known.len() == name.len()) && !name.to_ascii_lowercase().ends_with(".exe");
    library.then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::read_alone;

    fn module_of(text: &str) -> Option<String> {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        let mut recognised = read_alone(&lines[0].text, 1);
        recognise(&lines, &mut recognised);
        recognised.ticket.module.as_deref().map(ToString::to_string)
    }

    #[test]
    fn a_path_below_a_crash_is_its_module() {
        for text in [
            "tool.exe crashed with 0xC0000005\nC:\\Program Files\\Vendor\\part64.dll",
            "Exception 0xC0000005 at\n  \"C:\\Vendor\\part64.dll\"\nReport sent.",
        ] {
            assert_eq!(module_of(text).as_deref(), Some("part64.dll"), "{text}");
        }
    }

    #[test]
    fn a_list_or_a_sentence_below_a_crash_is_none() {
        for text in [
            "0xC0000005\nC:\\a\\part.dll\nC:\\a\\other.dll",
            "0xC0000005\nC:\\a\\part.dll was not loaded",
            "0xC0000005\nC:\\a\\tool.exe",
            "0xC0000005\npart.dll",
            "0xC0000005\nat once\nC:\\a\\part.dll",
            "exit code 1\nC:\\a\\part.dll",
            "Crash in other.dll, 0xC0000005\nC:\\a\\part.dll",
        ] {
            let module = module_of(text);
            assert!(module.as_deref().is_none_or(|module| module == "other.dll"), "{text}: {module:?}");
        }
    }
}
