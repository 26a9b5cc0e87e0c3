//! Sentences that say in which module a program crashed, as against those that ask, suppose or deny it, or tell of what
//! was mended.

/// Words that make a sentence a supposition or a report of something else, wherever they stand in it.
const SUPPOSING: &[&str] = &[
    "maybe",
    "perhaps",
    "might",
    "may",
    "could",
    "would",
    "should",
    "possibly",
    "probably",
    "presumably",
    "suspect",
    "guess",
    "think",
    "seems",
    "seem",
    "assume",
    "wonder",
    "wondering",
    "if",
    "whether",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "resolve",
    "resolved",
    "resolves",
    "previously",
    "formerly",
    "vielleicht",
    "vermutlich",
    "wahrscheinlich",
    "ob",
    "behoben",
    "könnte",
    "peut-être",
    "quizás",
];

/// Words that deny what comes behind them in their clause.
const DENYING: &[&str] = &[
    "no", "not", "never", "without", "don't", "doesn't", "didn't", "isn't", "wasn't", "cannot", "can't", "longer",
    "kein", "keine", "nicht", "ohne",
];

/// Whether the sentence of `line` that says `told`, a part of the line, asserts it.
pub(super) fn is_asserted(line: &str, told: &str) -> bool {
    let Some(at) = line.find(told) else { return true };
    let (before, behind) = line.split_at(at);
    let begins = ends(before).last().unwrap_or(0);
    let sentence_before = before.get(begins..).unwrap_or_default();
    let ends_at = ends(behind).next().unwrap_or(behind.len());
    let sentence_behind = behind.get(..ends_at).unwrap_or_default();
    if sentence_behind.trim_end().ends_with(['?', '？']) {
        return false;
    }
    let clause = sentence_before.rsplit([',', ';', ':', '(', '–', '—']).next().unwrap_or_default();
    let any = |text: &str, words: &[&str]| {
        let mut present = text.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '\'' | '’' | '-')));
        present.any(|word| words.contains(&&*word.to_lowercase().replace('’', "'")))
    };
    !any(sentence_before, SUPPOSING) && !any(sentence_behind, SUPPOSING) && !any(clause, DENYING)
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
        let asserted = |line: &str| is_asserted(line, "part.dll");
        for line in [
            "It crashes in part.dll.",
            "It does not start, it crashes in part.dll",
            "Is it known? It crashes in part.dll every time.",
            "Crash in part.dll (not in tool.exe)",
            "I can't work. The crash is in part.dll. Maybe others have it.",
        ] {
            assert!(asserted(line), "{line}");
        }
        for line in [
            "Does it crash in part.dll?",
            "Maybe the crash is in part.dll",
            "I think it crashes in part.dll, but who knows",
            "There is no crash in part.dll",
            "It no longer crashes in part.dll",
            "Fixed a crash in part.dll when a file is closed",
            "A crash in part.dll was fixed",
            "Vielleicht ein Absturz in part.dll",
            "Crash in part.dll?",
        ] {
            assert!(!asserted(line), "{line}");
        }
    }
}
