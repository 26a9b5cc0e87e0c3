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

/// The stop whose name `text` begins with. Names have more than one word, or could be anything.
pub(super) fn stop_named(text: &str) -> Option<BugcheckCode> {
    let in_name = |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_';
    let end = text.find(|character| !in_name(character)).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    let whole = !behind.starts_with(|character: char| character.is_alphanumeric() || character == '!');
    BY_NAME.get(name).copied().filter(|_| whole && name.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_as_a_whole() {
        assert_eq!(stop_named("VIDEO_TDR_FAILURE (nvlddmkm.sys)"), Some(BugcheckCode(0x116)));
        assert_eq!(stop_named("IRQL_NOT_LESS_OR_EQUAL"), Some(BugcheckCode(0x0A)));
        for text in ["VIDEO_TDR_FAILURES", "VIDEO_TDR", "", "nt!MEMORY_MANAGEMENT", "MEMORY_MANAGEMENT!x"] {
            assert_eq!(stop_named(text), None, "{text}");
        }
    }
}
