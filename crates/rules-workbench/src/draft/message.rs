//! The words of a message that a rule could look for in a text.

use std::ops::Range;

use super::private::Private;
use facts::{FactSet, Record};

/// Words of messages about failures. A line without any of them rarely explains a crash.
const FAILURE: &str = "\
    error errors failed failure fatal exception cannot can't couldn't could unable assertion aborted \
    corrupt corrupted corruption denied missing invalid unsupported unexpected timeout timed illegal \
    overflow violation crashed refused lost insufficient locate";
/// The fewest words of a run: shorter ones are in too many texts.
const FEWEST_WORDS: usize = 2;
/// The fewest words of a message that ends with a colon: shorter ones are labels of values.
const WORDS_OF_A_MESSAGE: usize = 4;
/// The most words of a run: longer ones are in one text only.
const MOST_WORDS: usize = 12;
/// Names that Windows gives to whatever fails.
const OF_WINDOWS: &[&str] = &["application error", "windows error reporting", "exception code"];
/// Endings of files that messages name.
const FILES: &[&str] = &[".dll", ".pyd", ".sys", ".exe", ".ocx"];

/// The longest run of plain words in a line about a failure: without numbers, paths and quotations, which differ
/// between incidents. Of several as long, the first. Runs that a `known` term already asks for are left out.
pub(super) fn message(facts: &FactSet, private: &Private, known: &[Option<String>]) -> Option<String> {
    let is_new = |run: &str| !known.iter().flatten().any(|known| run.to_lowercase().contains(&known.to_lowercase()));
    let fit = |run: &&str| private.allows_words(run) && is_new(run);
    longest(lines(facts).flat_map(|line| messages(line).filter(fit).collect::<Vec<_>>()))
}

/// The longest run of plain words in all lines, for texts that name no failure.
pub(super) fn words(facts: &FactSet, private: &Private) -> Option<String> {
    let all = lines(facts).flat_map(runs).map(trimmed);
    longest(all.filter(|run| run.split_whitespace().count() >= FEWEST_WORDS && private.allows_words(run)))
}

/// The run with the most words; of several, the first.
fn longest<'r>(runs: impl Iterator<Item = &'r str>) -> Option<String> {
    runs.map(|run| (run.split_whitespace().count(), run))
        .fold(None, |best: Option<(usize, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, run)| run.to_owned())
}

/// The first name of an error in capitals: `CUDA_ERROR_ILLEGAL_ADDRESS`.
pub(super) fn symbol(facts: &FactSet, private: &Private) -> Option<String> {
    /// Beginnings of words that the name of an error has, and other constants lack.
    const OF_ERRORS: &[&str] = &["ERROR", "STATUS", "FAIL", "FAULT", "INVALID", "CORRUPT", "TIMEOUT", "VIOLATION"];
    let is_symbol = |word: &&str| {
        word.contains('_')
            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && word.split('_').any(|part| OF_ERRORS.iter().any(|name| part.starts_with(name)))
    };
    let words = lines(facts).flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    words.filter(is_symbol).find(|word| private.allows_words(word)).map(str::to_owned)
}

/// The first file that a line about a failure names.
pub(super) fn file(facts: &FactSet, private: &Private) -> Option<String> {
    let failed = lines(facts).filter(|line| names_failure(line) || line.to_lowercase().contains("not found"));
    let words = failed.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-')));
    let is_file = |word: &&str| {
        let lower = word.to_lowercase();
        FILES.iter().any(|ending| lower.strip_suffix(ending).is_some_and(|stem| !stem.trim_matches('.').is_empty()))
    };
    words.map(|word| word.trim_matches('.')).filter(is_file).find(|word| private.allows_words(word)).map(str::to_owned)
}

fn lines(facts: &FactSet) -> impl Iterator<Item = &str> {
    facts.list("text").unwrap_or_default().iter().filter_map(certain)
}

/// The part of a line that is neither denied nor advice; `None` for a line that quotes somebody.
fn certain(record: &Record) -> Option<&str> {
    if record.get("reported").is_some() {
        return None;
    }
    record.get("certain").or_else(|| record.get("line"))?.text()
}

/// The runs of plain words of a line that name a failure.
fn messages(line: &str) -> impl Iterator<Item = &str> {
    runs(line).into_iter().filter(|run| is_message(run)).map(trimmed)
}

/// The runs of plain words of a line, of at most [`MOST_WORDS`] each.
fn runs(line: &str) -> Vec<&str> {
    let mut end = 0_usize;
    let words = line.split_inclusive(char::is_whitespace).map(|word| {
        let start = end;
        end = end.saturating_add(word.len());
        start..start.saturating_add(word.trim_end().len())
    });
    let words: Vec<Range<usize>> = words.filter(|word| !word.is_empty()).collect();
    let plain = words.split(|word| !line.get(word.clone()).is_some_and(is_plain));
    let runs = plain.flat_map(|run| run.chunks(MOST_WORDS)).filter(|run| run.len() >= FEWEST_WORDS);
    runs.filter_map(|run| line.get(run.first()?.start..run.last()?.end)).collect()
}

fn is_message(run: &str) -> bool {
    let lower = run.to_lowercase();
    let words = trimmed(run).split_whitespace().count();
    let label = run.ends_with(':') && words < WORDS_OF_A_MESSAGE;
    words >= FEWEST_WORDS && !label && !OF_WINDOWS.iter().any(|name| lower.contains(name)) && names_failure(run)
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphabetic())
}

/// Whether a word is the same in every text with the message: letters and punctuation.
fn is_plain(word: &str) -> bool {
    let plain =
        |c: char| c.is_alphabetic() || matches!(c, '\'' | '-' | '_' | '.' | ',' | ':' | ';' | '(' | ')' | '!' | '*');
    word.chars().all(plain) && word.chars().any(char::is_alphabetic) && word.len() <= 40
}

fn names_failure(run: &str) -> bool {
    run.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        // `RuntimeError` and `OSError` are errors, too.
        FAILURE.split(' ').any(|known| known == word) || word.ends_with("error") || word.ends_with("exception")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::Value;

    fn of(line: &str) -> Vec<String> {
        messages(line).map(str::to_owned).collect()
    }

    #[test]
    fn what_differs_from_case_to_case_is_left_out() {
        let line = "RuntimeError: CUDA error: an illegal memory access was encountered at 0x7ff81234 in C:\\a\\b.cu:71";
        assert_eq!(of(line), ["RuntimeError: CUDA error: an illegal memory access was encountered at"]);
        assert_eq!(
            of("The module \"abc.dll\" could not be loaded because of it"),
            ["could not be loaded because of it"]
        );
        assert_eq!(of("OSError: [WinError 126] ... Error loading \"...\\torch\\lib\\shm.dll\""), ["Error loading"]);
    }

    #[test]
    fn lines_that_name_no_failure_are_no_message() {
        assert_eq!(of("Epoch one of the training has begun"), [""; 0]);
        assert_eq!(of("Source: Application Error"), [""; 0]);
        assert_eq!(of("Exception code: 0xc0000005"), [""; 0]);
        assert_eq!(of(""), [""; 0]);
    }

    fn facts(line: &str) -> FactSet {
        let mut facts = FactSet::default();
        facts.set_list("text", vec![Record { fields: vec![("line", Value::Text(line.into()))], from: None }]);
        facts
    }

    #[test]
    fn names_of_errors_and_of_files_are_found_where_something_failed() {
        let private = Private::default();
        let symbol = |line: &str| symbol(&facts(line), &private);
        assert_eq!(symbol("got CUDA_ERROR_ILLEGAL_ADDRESS: illegal").as_deref(), Some("CUDA_ERROR_ILLEGAL_ADDRESS"));
        assert_eq!(symbol("set CUDA_VISIBLE_DEVICES=0, TF_CPP"), None);
        let file = |line: &str| file(&facts(line), &private);
        assert_eq!(file("Error loading \"...\\torch\\lib\\shm.dll\" or").as_deref(), Some("shm.dll"));
        assert_eq!(file("VCRUNTIME140_1.dll not found").as_deref(), Some("VCRUNTIME140_1.dll"));
        assert_eq!(file("Loaded module: msvcp140.dll"), None);
    }

    #[test]
    fn long_messages_are_cut_between_words() {
        let line = format!("fatal {}", "word ".repeat(30));
        assert!(of(&line).iter().all(|run| run.split(' ').count() <= MOST_WORDS), "{:?}", of(&line));
    }
}
