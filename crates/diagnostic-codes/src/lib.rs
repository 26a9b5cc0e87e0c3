//! The registry of diagnostics about rules: every code with its title, an explanation and an example, as `codes.md` has
//! them.
//!
//! `crashsift rules check` prints a code with each mistake (`error[R019]`), `crashsift rules check --explain R019` prints
//! the entry, and the table of codes in `rules/README.md` is made of all entries.
//!
//! ```
//! use diagnostic_codes::{Code, Level};
//!
//! let code = Code::find("R019").expect("a code of the registry");
//! assert_eq!((code, code.level), (Code::R019, Level::Error));
//! ```

use std::fmt;
use std::ops::Deref;

/// How bad a mistake is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The file can't be used.
    Error,
    /// The file can be used, and probably does not do what its author thinks.
    Warning,
}

impl Level {
    /// The word that is printed before a code: `error` or `warning`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The code of a diagnostic: a letter (`R` for rules of crashsift, `S` for Sigma rules) and three digits. A value exists
/// only for an entry of the registry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static Entry);

/// What the registry has of a code. The id is the first field, by which codes are sorted.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The code as it is printed: `R019`.
    pub id: &'static str,
    /// Whether a mistake of this code keeps the file from being used.
    pub level: Level,
    /// What is wrong, in a phrase without full stop.
    pub title: &'static str,
    /// Why it is a mistake and what to do, in some sentences.
    pub explanation: &'static str,
    /// Lines of a file that have the mistake.
    pub wrong: &'static [&'static str],
    /// The same lines without the mistake.
    pub right: &'static [&'static str],
}

impl Deref for Code {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        self.0
    }
}

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// How many codes are suggested for one that does not exist.
const SUGGESTED: usize = 3;

impl Code {
    /// All codes, sorted.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// The code that a person has written, in upper or lower case.
    #[must_use]
    pub fn find(written: &str) -> Option<Self> {
        Self::all().find(|code| code.id.eq_ignore_ascii_case(written.trim()))
    }

    /// The codes whose letter is that of `written` and whose numbers are nearest to its number, the nearest first; none
    /// where `written` is not a letter with a number.
    #[must_use]
    pub fn nearest(written: &str) -> Vec<Self> {
        let Some((letter, number)) = parts(written.trim()) else { return Vec::new() };
        let distance = |code: Self| {
            let (of, own) = parts(code.id)?;
            (of == letter).then(|| own.abs_diff(number))
        };
        let mut near: Vec<(u32, Self)> = Self::all().filter_map(|code| Some((distance(code)?, code))).collect();
        near.sort_unstable();
        near.into_iter().take(SUGGESTED).map(|(_, code)| code).collect()
    }

    /// A page in Markdown with its table of codes made anew; `None` of a page without such a table.
    #[must_use]
    pub fn on_page(page: &str) -> Option<String> {
        let (before, old) = page.split_once(TABLE_HEAD)?;
        let end = old.find("\n\n").map_or(old.len(), |end| end.saturating_add(1));
        let row = |code: Self| {
            let warning = if code.level == Level::Warning { "warning: " } else { "" };
            format!("| {code} | {warning}{} |\n", code.title)
        };
        let rows: String = Self::all().map(row).collect();
        Some(format!("{before}{TABLE_HEAD}{rows}{}", old.get(end..)?))
    }
}

/// The first two lines of the table of codes on a page.
const TABLE_HEAD: &str = "| code | what is wrong |\n| --- | --- |\n";

/// The letter of a code in upper case, and its number.
fn parts(code: &str) -> Option<(char, u32)> {
    let letter = code.chars().next().filter(char::is_ascii_alphabetic)?;
    Some((letter.to_ascii_uppercase(), code.get(1..)?.parse().ok()?))
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.id)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_each_is_there_once() {
        let all: Vec<Code> = Code::all().collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        let is_code = |id: &str| id.len() == 4 && id.starts_with(['R', 'S']) && parts(id).is_some();
        assert!(all.iter().all(|code| is_code(code.id)), "{all:?}");
    }

    #[test]
    fn every_entry_can_be_read_by_somebody_who_does_not_program() {
        for code in Code::all() {
            assert!(!code.title.ends_with('.') && !code.title.contains('|'), "{code}");
            assert!(code.explanation.len() >= 80 && code.explanation.ends_with('.'), "{code}");
            assert!(!code.wrong.is_empty() && !code.right.is_empty(), "{code}");
            assert_ne!(code.wrong, code.right, "{code}");
        }
    }

    #[test]
    fn a_code_is_found_in_both_cases_and_another_one_has_its_neighbours() {
        assert_eq!(Code::find(" r019"), Some(Code::R019));
        assert_eq!(Code::find("R060"), None);
        assert_eq!(Code::nearest("R060"), [Code::R061, Code::R062, Code::R063]);
        assert_eq!(Code::nearest("r19"), [Code::R019, Code::R018, Code::R020]);
        assert_eq!((Code::nearest("duplicate"), Code::nearest("")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_table_of_a_page_is_made_anew_and_all_else_stays() {
        let page = format!("# Rules\n\n{TABLE_HEAD}| R998 | gone |\n\nMore.\n");
        let made = Code::on_page(&page).expect("a table");
        assert!(made.starts_with(&format!("# Rules\n\n{TABLE_HEAD}| R001 | a file")), "{made}");
        assert!(made.ends_with("|\n\nMore.\n") && !made.contains("R998"), "{made}");
        assert!(made.contains("\n| R080 | warning: a `like`"), "{made}");
        assert_eq!(Code::on_page("# Rules\n"), None);
    }
}
