//! Names of stops: a blue screen shows the name, and people copy it without the code.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::evidence::BugcheckCode;
use crate::knowledge::Knowledge;

/// The codes by name. Where two codes have one name the lower counts: it is the stop, the other its live report.
static BY_NAME: LazyLock<HashMap<&'static str, BugcheckCode>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for (code, meaning) in Knowledge::builtin().bugchecks() {
        names.entry(meaning.name).or_insert(code);
    }
    names
});

/// As many words as the names of stops have at most.
const MOST_WORDS: usize = 12;

/// The stop whose name `text` begins with; since Windows 10 the blue screen may show it with blanks between the words.
/// Names have more than one word, or could be anything.
pub(super) fn stop_named(text: &str) -> Option<BugcheckCode> {
    let in_word = |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_';
    let in_name = |character: char| in_word(character) || character == ' ';
    let end = text.find(|character| !in_name(character)).unwrap_or(text.len());
    let run = text.get(..end)?;
    let blanks = run.match_indices(' ').map(|(at, _)| at).take(MOST_WORDS);
    let ends: Vec<usize> = blanks.chain([end]).collect();
    ends.into_iter().rev().find_map(|end| {
        let (name, behind) = text.split_at_checked(end)?;
        let whole = !behind.starts_with(|character: char| character.is_alphanumeric() || character == '!');
        let name = name.trim_end().replace(' ', "_");
        BY_NAME.get(&*name).copied().filter(|_| whole && name.contains('_'))
    })
}

/// Names of fewer words are words of everyday when they are not written in capitals.
const FEWEST_WORDS: usize = 3;

/// More words of a line are not looked at.
const MOST_WORDS_OF_A_LINE: usize = 80;

/// The first stop whose name stands in `text` as people type it: `Driver IRQL not less or equal`.
pub(super) fn stop_in_words(text: &str) -> Option<BugcheckCode> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(MOST_WORDS_OF_A_LINE).map(str::to_uppercase).collect();
    (0..words.len()).find_map(|start| {
        let rest = words.get(start..)?;
        let lengths = (FEWEST_WORDS..=MOST_WORDS.min(rest.len())).rev();
        lengths.filter_map(|length| rest.get(..length)).find_map(|name| BY_NAME.get(&*name.join("_")).copied())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_the_words_of_a_line() {
        for (text, code) in [
            ("Driver IRQL Not Less or Equal BSOD", 0xD1),
            ("blue screen: irql not less or equal, again", 0x0A),
            ("STOP: ACPI BIOS ERROR while installing", 0xA5),
            ("the second time; the first blue screen was PAGE_FAULT IN NONPAGED AREA.", 0x50),
        ] {
            assert_eq!(stop_in_words(text), Some(BugcheckCode(code)), "{text}");
        }
        for text in ["a bluescreen of memory management", "BIOS ERROR", "", "blue screen: irql not less"] {
            assert_eq!(stop_in_words(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_looked_up_as_a_whole() {
        assert_eq!(stop_named("VIDEO_TDR_FAILURE (nvlddmkm.sys)"), Some(BugcheckCode(0x116)));
        assert_eq!(stop_named("IRQL_NOT_LESS_OR_EQUAL"), Some(BugcheckCode(0x0A)));
        assert_eq!(stop_named("MEMORY MANAGEMENT"), Some(BugcheckCode(0x1A)));
        assert_eq!(stop_named("KERNEL SECURITY CHECK FAILURE What failed: a.sys"), Some(BugcheckCode(0x139)));
        assert_eq!(stop_named("VIDEO_TDR_FAILURE AND MORE"), Some(BugcheckCode(0x116)));
        for text in [
            "VIDEO_TDR_FAILURES",
            "VIDEO_TDR",
            "",
            "nt!MEMORY_MANAGEMENT",
            "MEMORY_MANAGEMENT!x",
            "MEMORY MANAGEMENTS",
            "MEMORY",
        ] {
            assert_eq!(stop_named(text), None, "{text}");
        }
    }
}
