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

#[cfg(test)]
mod tests {
    use super::*;

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
