//! Reading the tables of `rules/data`: a step of the build, which leaves them in the program as they are looked up.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::yaml::{Diagnostic, Node, YamlText, parse};

/// A table by its key.
pub(crate) type Table<K, V> = BTreeMap<K, V>;

/// A code's name and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Code {
    pub name: String,
    pub means: Option<String>,
    pub live: bool,
}

/// A table of codes: `codes` with `code`, `name` and, where they apply, `means` and `live`. `prefix` stands before
/// every name.
pub(crate) fn codes(file: &Arc<YamlText>, prefix: &str, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Code> {
    read(file, "codes", &["code", "name"], &["means", "live"], mistakes, |row| {
        let live = row.optional("live");
        if live.is_some_and(|live| live != "true") {
            return Err(row.wrong("live", "`live` is `true` or left out"));
        }
        let meaning = Code {
            name: [prefix, row.text("name")?].concat(),
            means: row.optional("means").map(str::to_owned),
            live: live.is_some(),
        };
        Ok((row.number("code")?, meaning))
    })
}

/// The releases of Windows: `builds` with `build` and `release`.
pub(crate) fn releases(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, String> {
    read(file, "builds", &["build", "release"], &[], mistakes, |row| {
        Ok((row.number("build")?, row.text("release")?.to_owned()))
    })
}

/// Texts by id: `collect` with `id` and `text`.
pub(crate) fn texts(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, String> {
    read(file, "collect", &["id", "text"], &[], mistakes, |row| {
        Ok((row.text("id")?.to_owned(), row.text("text")?.to_owned()))
    })
}

/// Reads the list under `key`. Its rows have all of the keys `needed`, and may have those of `optional`; no two rows
/// have the same key in the table.
pub(crate) fn read<K: Ord, V>(
    file: &Arc<YamlText>,
    key: &str,
    needed: &[&str],
    optional: &[&str],
    mistakes: &mut Vec<Diagnostic>,
    reader: impl Fn(&Row) -> Result<(K, V), Diagnostic>,
) -> Table<K, V> {
    let mut table = Table::new();
    let root = match parse(file) {
        Ok(root) => root,
        Err(found) => {
            mistakes.extend(found);
            return table;
        }
    };
    let Some(rows) = root.get(key).and_then(Node::items) else {
        mistakes.push(mistake(file, &root, format!("the list `{key}` is missing")));
        return table;
    };
    for node in rows {
        let row = Row { file, node };
        mistakes.extend(row.unknown_keys(&[needed, optional].concat()));
        match reader(&row) {
            Ok((key, value)) => {
                if table.insert(key, value).is_some() {
                    mistakes.push(mistake(file, node, "an earlier row has the same key".into()));
                }
            }
            Err(wrong) => mistakes.push(wrong),
        }
    }
    table
}

/// `R090`: a table of the program is not as the program needs it.
fn mistake(file: &Arc<YamlText>, node: &Node, message: String) -> Diagnostic {
    Diagnostic::error("R090", file, node.span, message)
}

/// A number of 64 bits, decimal or after `0x`.
pub(crate) fn number_of(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A row of a table.
pub(crate) struct Row<'a> {
    pub file: &'a Arc<YamlText>,
    pub node: &'a Node,
}

impl Row<'_> {
    pub(crate) fn optional(&self, key: &str) -> Option<&str> {
        self.node.get(key)?.text()
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str, Diagnostic> {
        let text = self.optional(key).filter(|text| !text.is_empty());
        text.ok_or_else(|| self.wrong(key, &format!("`{key}` is missing")))
    }

    /// A number of 32 bits, decimal or after `0x`.
    pub(crate) fn number(&self, key: &str) -> Result<u32, Diagnostic> {
        let number = number_of(self.text(key)?).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.wrong(key, &format!("`{key}` is a number of 32 bits, such as 7 or 0xC0000005")))
    }

    pub(crate) fn wrong(&self, key: &str, message: &str) -> Diagnostic {
        mistake(self.file, self.node.get(key).unwrap_or(self.node), message.to_owned())
    }

    pub(crate) fn unknown_keys(&self, known: &[&str]) -> Vec<Diagnostic> {
        let entries = self.node.entries().unwrap_or_default();
        let unknown = entries.iter().filter(|entry| !known.contains(&entry.name()));
        unknown.map(|entry| mistake(self.file, &entry.key, format!("`{}` means nothing here", entry.name()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes_of(text: &'static str) -> Vec<String> {
        let mut mistakes = Vec::new();
        codes(&YamlText::new("codes.yaml", text), "", &mut mistakes);
        mistakes.iter().map(|mistake| format!("{}:{}", mistake.span.line, mistake.message)).collect()
    }

    #[test]
    fn a_code_is_a_number_in_either_base_and_its_name_gets_the_prefix() {
        let mut mistakes = Vec::new();
        let text = "codes:\n  - {code: 7, name: A}\n  - {code: 0xFF, name: B, means: 'x, y', live: true}\n";
        let table = codes(&YamlText::new("codes.yaml", text), "P_", &mut mistakes);
        assert_eq!(mistakes, []);
        assert_eq!(table.get(&7), Some(&Code { name: "P_A".into(), means: None, live: false }));
        assert_eq!(table.get(&255), Some(&Code { name: "P_B".into(), means: Some("x, y".into()), live: true }));
    }

    #[test]
    fn builds_and_sentences_have_tables_of_their_own() {
        let mut mistakes = Vec::new();
        let builds = YamlText::new("builds.yaml", "builds:\n  - {build: 19045, release: Windows 10 22H2}\n");
        assert_eq!(releases(&builds, &mut mistakes), Table::from([(19045, "Windows 10 22H2".to_owned())]));
        let sentences = YamlText::new("collect.yaml", "collect:\n  - {id: no-dump, text: Take one.}\n");
        assert_eq!(texts(&sentences, &mut mistakes), Table::from([("no-dump".to_owned(), "Take one.".to_owned())]));
        assert_eq!(mistakes, []);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        assert_eq!(mistakes_of("codes:\n  - {code: 7}\n"), ["2:`name` is missing"]);
        assert_eq!(
            mistakes_of("codes:\n  - {code: x, name: A}\n"),
            ["2:`code` is a number of 32 bits, such as 7 or 0xC0000005"]
        );
        assert_eq!(
            mistakes_of("codes:\n  - {code: 7, name: A}\n  - {code: 0x7, name: B}\n"),
            ["3:an earlier row has the same key"]
        );
        assert_eq!(mistakes_of("codes:\n  - {code: 7, name: A, mean: x}\n"), ["2:`mean` means nothing here"]);
        assert_eq!(mistakes_of("codes:\n  - {code: 7, name: A, live: no}\n"), ["2:`live` is `true` or left out"]);
        assert_eq!(mistakes_of("code: []\n"), ["1:the list `codes` is missing"]);
        assert_eq!(mistakes_of("codes: [").len(), 1);
    }
}
