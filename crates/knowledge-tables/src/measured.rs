//! Reading how often built-in rules were right on labelled cases.

use std::sync::Arc;

use super::table::{Table, read};
use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, YamlText};

/// How often a rule was right on labelled public cases. Who wrote the rules knew these cases: others may be less easy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The cases in which the rule gave the first answer, at least 1.
    pub cases: u32,
    /// Those of them whose label accepts the cause, at most `cases`.
    pub right: u32,
    /// Those of the right ones whose label says that the fix was confirmed, at most `right`.
    pub confirmed: u32,
}

/// How often rules were right: `rules` with `rule`, `cases`, `right` and `confirmed`.
pub fn records(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Measured> {
    read(file, "rules", &["rule", "cases", "right", "confirmed"], &[], mistakes, |row| {
        let (cases, right, confirmed) = (row.number("cases")?, row.number("right")?, row.number("confirmed")?);
        if cases == 0 {
            return Err(row.wrong("cases", "`cases` is at least 1"));
        }
        if right > cases || confirmed > right {
            return Err(row.wrong("right", "`right` is at most `cases`, and `confirmed` at most `right`"));
        }
        Ok((row.text("rule")?.to_owned(), Measured { cases, right, confirmed }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_never_greater_than_its_whole() {
        let file = |row: &str| YamlText::new("t.yaml", format!("rules:\n  - {{rule: a/b, {row}}}\n"));
        let mut mistakes = Vec::new();
        let read = records(&file("cases: 3, right: 2, confirmed: 1"), &mut mistakes);
        assert_eq!(read, Table::from([("a/b".to_owned(), Measured { cases: 3, right: 2, confirmed: 1 })]));
        assert_eq!(mistakes, []);
        for wrong in
            ["cases: 0, right: 0, confirmed: 0", "cases: 1, right: 2, confirmed: 0", "cases: 2, right: 1, confirmed: 2"]
        {
            records(&file(wrong), &mut mistakes);
        }
        assert_eq!(mistakes.len(), 3, "{mistakes:?}");
    }
}
