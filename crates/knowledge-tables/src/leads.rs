//! Reading the tables of leads: how often known cases had which cause, and the test that decides about a cause.

use std::sync::Arc;

use super::table::{Table, read};
use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, YamlText};

/// What makes a known case similar to an incident, and its cause: the words of its kind and of its fault site, its code
/// (empty where it has none), its cause.
pub type CaseKey<T = &'static str> = (T, T, T, T);

/// The test that decides whether a cause is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadTest<T = &'static str> {
    /// What to do, with `{program}` for the program's file name.
    pub test: T,
    /// What to do instead where Python runs the program.
    pub python: Option<T>,
    /// How long it takes a person, minutes.
    pub minutes: u32,
    /// The meaning of each outcome.
    pub means: T,
}

/// The place in a test that the name of the program replaces.
pub const PROGRAM: &str = "{program}";

/// How many known cases are alike: `cases` with `kind`, `site`, `cause`, the number `count` and, where they have one, `code`.
pub fn known_cases(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<CaseKey<String>, u32> {
    read(file, "cases", &["kind", "site", "cause", "count"], &["code"], mistakes, |row| {
        let text = |key| row.text(key).map(str::to_owned);
        let key = (text("kind")?, row.optional("code").unwrap_or_default().to_owned(), text("site")?, text("cause")?);
        match row.number("count")? {
            0 => Err(row.wrong("count", "`count` is at least 1")),
            count => Ok((key, count)),
        }
    })
}

/// The test for each cause: `tests` with `cause`, `test`, `minutes`, `means` and, where Python needs another test, `python`.
pub fn tests(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, LeadTest<String>> {
    read(file, "tests", &["cause", "test", "minutes", "means"], &["python"], mistakes, |row| {
        let (test, means) = (row.text("test")?.to_owned(), row.text("means")?.to_owned());
        let python = row.optional("python").map(str::to_owned);
        let of_python = python.as_deref().unwrap_or_default().replace(PROGRAM, "");
        let texts = [("test", test.replace(PROGRAM, "")), ("python", of_python), ("means", means.clone())];
        if let Some((key, _)) = texts.iter().find(|(_, text)| text.contains(['{', '}'])) {
            return Err(row.wrong(key, "the only place in a test is `{program}`, and `means` has none"));
        }
        let minutes = match row.number("minutes")? {
            0 => return Err(row.wrong("minutes", "`minutes` is at least 1")),
            minutes => minutes,
        };
        Ok((row.text("cause")?.to_owned(), LeadTest { test, python, minutes, means }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers_of_tests_and_cases_are_checked() {
        let file = |text: &str| YamlText::new("t.yaml", text.to_owned());
        let mut mistakes = Vec::new();
        let right = file("tests:\n  - {cause: a, test: 'Start {program}.', minutes: 5, means: It is.}\n");
        assert_eq!(super::tests(&right, &mut mistakes).len(), 1);
        let right = file("cases:\n  - {kind: crash, code: '0xC0000005', site: none, cause: a, count: 2}\n");
        let key = ("crash".to_owned(), "0xC0000005".to_owned(), "none".to_owned(), "a".to_owned());
        assert_eq!(known_cases(&right, &mut mistakes), Table::from([(key, 2)]));
        assert_eq!(mistakes, []);
        for wrong in [
            "test: '{host}', minutes: 5, means: b",
            "test: b, python: '{host}', minutes: 5, means: b",
            "test: b, minutes: 0, means: b",
            "test: b, minutes: 1, means: '{program}'",
        ] {
            super::tests(&file(&format!("tests:\n  - {{cause: a, {wrong}}}\n")), &mut mistakes);
        }
        known_cases(&file("cases:\n  - {kind: crash, site: none, cause: a, count: 0}\n"), &mut mistakes);
        assert_eq!(mistakes.len(), 5, "{mistakes:?}");
    }
}
