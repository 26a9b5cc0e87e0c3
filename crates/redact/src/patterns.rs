//! Finding what is private in a text, by the patterns of `rules/data/private.yaml`.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use expressions::Pattern;
use knowledge_tables::embedded;
use knowledge_tables::private::{PrivateCheck, PrivateClass, PrivatePattern, PrivateTable};
use regex::{Regex, RegexBuilder};

use super::checks;

embedded! {
    /// The patterns, and the names that are no one's.
    pub(crate) TABLE: PrivateTable = "private"
}

/// The most memory that a compiled expression may take, bytes: the longest have repetitions of some thousand letters.
const LIMIT: usize = 64 << 20;

/// Something private in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Private {
    /// Where it is, bytes.
    pub range: Range<usize>,
    /// What it is.
    pub class: PrivateClass,
    /// The kind of the pattern that found it, such as `github-token`.
    pub kind: &'static str,
}

/// A pattern that is compiled when a text may fit it.
struct Prepared {
    row: &'static PrivatePattern,
    /// What a text needs to fit.
    needs: Pattern,
    regex: OnceLock<Option<Regex>>,
    unless: OnceLock<Option<Regex>>,
}

static PATTERNS: LazyLock<Vec<Prepared>> = LazyLock::new(|| {
    let prepared =
        |row| Prepared { row, needs: Pattern::new(row.regex), regex: OnceLock::new(), unless: OnceLock::new() };
    TABLE.patterns.iter().map(prepared).collect()
});

fn compiled(regex: &str) -> Option<Regex> {
    // The build script has parsed it.
    RegexBuilder::new(regex).multi_line(true).size_limit(LIMIT).dfa_size_limit(LIMIT).build().ok()
}

impl Prepared {
    /// Adds what the pattern finds in `text`.
    fn find(&self, text: &str, found: &mut Vec<Private>) {
        let Some(regex) = self.regex.get_or_init(|| compiled(self.row.regex)) else { return };
        let mut start = 0;
        while let Some(captures) = regex.captures_at(text, start) {
            let Some(whole) = captures.get(0) else { break };
            // What stands between two values is the end of the first match and the beginning of the second.
            start = whole.start().saturating_add(1);
            let is_excepted = self.row.unless.is_some_and(|unless| {
                let unless = self.unless.get_or_init(|| compiled(unless));
                unless.as_ref().is_some_and(|unless| unless.is_match(whole.as_str()))
            });
            let before = found.len();
            let mut all_hold = true;
            for (name, class) in &self.row.groups {
                let Some(group) = captures.name(name) else { continue };
                start = start.max(group.end());
                let range = checks::trimmed(text, group.range(), *class);
                if self.holds(text, range.clone(), *class) {
                    found.push(Private { range, class: *class, kind: self.row.kind });
                } else {
                    all_hold = false;
                }
            }
            // What looks like a computer or domain and is none has no user either.
            if is_excepted || (self.row.check == Some(PrivateCheck::Coded) && !all_hold) {
                found.truncate(before);
            }
            while !text.is_char_boundary(start) && start < text.len() {
                start = start.saturating_add(1);
            }
            if start > text.len() {
                break;
            }
        }
    }

    /// Whether what a group holds is private.
    fn holds(&self, text: &str, range: Range<usize>, class: PrivateClass) -> bool {
        let Some(value) = text.get(range.clone()) else { return false };
        let before = text.get(..range.start).unwrap_or_default();
        let after = text.get(range.end..).unwrap_or_default();
        let is_coded = self.row.check == Some(PrivateCheck::Coded);
        match class {
            PrivateClass::Secret => match self.row.check {
                Some(PrivateCheck::Word) => checks::is_no_mere_word(value),
                Some(PrivateCheck::Random) => checks::is_random(value),
                Some(PrivateCheck::Mixed) => checks::is_mixed(value),
                Some(PrivateCheck::Card) => checks::is_card(value),
                Some(PrivateCheck::Iban) => checks::is_iban(value),
                Some(PrivateCheck::Coded) | None => !checks::is_removed(value),
            },
            PrivateClass::Host | PrivateClass::Domain => {
                checks::is_name(value) && (!is_coded || checks::is_coded(value))
            }
            PrivateClass::User | PrivateClass::Customer => checks::is_name(value),
            PrivateClass::Ip => checks::is_private_address(value, before, after),
            PrivateClass::Mac => checks::is_hardware_address(value),
            PrivateClass::Mail => checks::is_mail(value),
            PrivateClass::Serial => checks::is_serial(value),
            PrivateClass::Sid => true,
            PrivateClass::Phone => value.chars().filter(char::is_ascii_digit).count() >= checks::SHORTEST_PHONE,
        }
    }
}

/// Everything private in a text, by patterns alone; what they find may overlap. In the order of the patterns.
#[must_use]
pub fn find(text: &str) -> Vec<Private> {
    let mut found = Vec::new();
    // The shortest value with what must stand before it.
    if text.len() >= 4 {
        let folded = text.to_lowercase();
        let possible = PATTERNS.iter().filter(|pattern| pattern.needs.may_match(&folded));
        possible.for_each(|pattern| pattern.find(text, &mut found));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use knowledge_tables::private::PrivateExample;

    embedded! {
        EXAMPLES: Vec<PrivateExample> = "private-examples"
    }

    #[test]
    fn every_pattern_finds_in_its_examples_what_they_name_and_nothing_else() {
        assert!(!EXAMPLES.is_empty());
        let mut wrong = Vec::new();
        for example in EXAMPLES.iter() {
            let of_kind = find(example.text).into_iter().filter(|private| private.kind == example.kind);
            let found: BTreeSet<&str> = of_kind.filter_map(|private| example.text.get(private.range)).collect();
            let wanted: BTreeSet<&str> = example.hides.iter().copied().collect();
            if found != wanted {
                wrong.push(format!("{} {}: {}: {found:?}", example.place, example.kind, example.text));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn near_misses_of_one_pattern_are_private_to_none() {
        let mut wrong = Vec::new();
        for example in EXAMPLES.iter().filter(|example| example.hides.is_empty()) {
            let found = find(example.text);
            if !found.is_empty() {
                wrong.push(format!("{}: {}: {found:?}", example.place, example.text));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn there_are_many_kinds() {
        let kinds: BTreeSet<&str> = TABLE.patterns.iter().map(|pattern| pattern.kind).collect();
        assert!(kinds.len() >= 60, "{}", kinds.len());
    }

    #[test]
    fn every_expression_compiles() {
        for pattern in PATTERNS.iter() {
            assert!(compiled(pattern.row.regex).is_some(), "{}", pattern.row.kind);
            assert!(pattern.row.unless.is_none_or(|unless| compiled(unless).is_some()), "{}", pattern.row.kind);
        }
    }
}
