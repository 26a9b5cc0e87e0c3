//! Sentences that say in which module a program crashed, as against those that ask, suppose or deny it, or report what
//! was fixed.

use super::cue_words::{Cue, is_one_of, words, words_of};
use windows_codes::Knowledge;

/// Whether what does not respond may be a program, by the words before that: no server, device, page or network.
pub(super) fn names_a_program(text: &str) -> bool {
    let others = Knowledge::builtin().text_words("no_program");
    words(text).next().is_some() && !words(text).any(|word| is_one_of(word, others))
}

/// Whether the sentence of `line` that names a module at the byte `at` is an assertion, and no question, assumption or
/// denial.
pub(super) fn is_asserted(line: &str, at: usize) -> bool {
    let Some((before, behind)) = line.split_at_checked(at) else { return true };
    let begins = ends(before).last().unwrap_or(0);
    let sentence_before = before.get(begins..).unwrap_or_default();
    let ends_at = ends(behind).next().unwrap_or(behind.len());
    let sentence_behind = behind.get(..ends_at).unwrap_or_default();
    if sentence_behind.trim_end().ends_with(['?', '？']) {
        return false;
    }
    let clause = sentence_before.rsplit([',', ';', ':', '(', '–', '—']).next().unwrap_or_default();
    let supposed = [sentence_before, sentence_behind].iter().any(|part| has_one_of(part, words_of(Cue::Supposing)));
    !supposed && !has_one_of(clause, words_of(Cue::Denying))
}

/// The most words between a program's name and the negation of what is reported about it: `a.exe ne plante pas`.
const MOST_TO_NEGATION: usize = 3;

/// Whether the sentence of `line` asserts that its report is true for the program `name` at the byte `at`, and does not
/// deny it just behind the name: `tool.exe stürzt nicht mehr ab`.
pub(super) fn is_told_of(line: &str, at: usize, name: &str) -> bool {
    let behind = line.get(at.saturating_add(name.len())..).unwrap_or_default();
    let mut near = behind.split_whitespace().take(MOST_TO_NEGATION);
    let first = near.next().unwrap_or_default();
    let denied =
        has_one_of(first, words_of(Cue::Negation)) || near.any(|word| has_one_of(word, words_of(Cue::NegationBehind)));
    is_asserted(line, at) && !denied
}

/// Whether one of `words` is in a text.
fn has_one_of(text: &str, words: &[&str]) -> bool {
    let mut present = text.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '\'' | '’' | '-')));
    present.any(|word| is_one_of(word, words))
}

/// Where sentences end in `text`, behind the blank after their mark.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let marks = text.match_indices(['.', '!', '?', '。', '？']);
    marks.filter_map(move |(at, mark)| {
        let end = at.saturating_add(mark.len());
        let next = text.get(end..)?.chars().next();
        next.is_none_or(char::is_whitespace).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_supposed_denied_or_mended_is_not_asserted() {
        let asserted = |line: &str| is_asserted(line, line.rfind("part.dll").expect("a module"));
        for line in [
            "It crashes in part.dll.",
            "It does not start, it crashes in part.dll",
            "Is it known? It crashes in part.dll every time.",
            "Crash in part.dll (not in tool.exe)",
            "I can't work. The crash is in part.dll. Maybe others have it.",
            "I suspect part.dll. It crashes in part.dll",
        ] {
            assert!(asserted(line), "{line}");
        }
        for line in [
            "Does it crash in part.dll?",
            "Maybe the crash is in part.dll",
            "I think it crashes in part.dll, but who knows",
            "There is no crash in part.dll",
            "It doesn't crash in part.dll",
            "It doesn’t crash in part.dll",
            "It no longer crashes in part.dll",
            "Fixed a crash in part.dll when a file is closed",
            "A crash in part.dll was fixed",
            "Vielleicht ein Absturz in part.dll",
            "Crash in part.dll?",
            "It loads part.dll. Does it crash in part.dll?",
        ] {
            assert!(!asserted(line), "{line}");
        }
    }
}
