//! Reading the tables of `rules/data`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Meaning;
use crate::yaml::{Diagnostic, Node, YamlText, parse};

/// A table by its key.
pub(super) type Table<K, V> = BTreeMap<K, V>;

/// A built-in file: its path in the rule set, and its text.
pub(super) type DataFile = (&'static str, &'static str);

/// A table of codes: `codes` with `code`, `name` and, where they apply, `means` and `live`. `prefix` stands before
/// every name.
pub(super) fn codes(file: DataFile, prefix: &str, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Meaning> {
    read(file, "codes", &["code", "name"], &["means", "live"], mistakes, |row| {
        let live = row.optional("live");
        if live.is_some_and(|live| live != "true") {
            return Err(row.wrong("live", "`live` is `true` or left out"));
        }
        let meaning = Meaning {
            name: [prefix, row.text("name")?].concat(),
            means: row.optional("means").map(str::to_owned),
            live: live.is_some(),
        };
        Ok((row.number("code")?, meaning))
    })
}

/// The releases of Windows: `builds` with `build` and `release`.
pub(super) fn releases(file: DataFile, mistakes: &mut Vec<Diagnostic>) -> Table<u32, String> {
    read(file, "builds", &["build", "release"], &[], mistakes, |row| {
        Ok((row.number("build")?, row.text("release")?.to_owned()))
    })
}

/// Texts by id: `collect` with `id` and `text`.
pub(super) fn texts(file: DataFile, mistakes: &mut Vec<Diagnostic>) -> Table<String, String> {
    read(file, "collect", &["id", "text"], &[], mistakes, |row| {
        Ok((row.text("id")?.to_owned(), row.text("text")?.to_owned()))
    })
}

/// Reads the list under `key`. Its rows have all of the keys `needed`, and may have those of `optional`; no two rows
/// have the same key in the table.
fn read<K: Ord, V>(
    (name, text): DataFile,
    key: &str,
    needed: &[&str],
    optional: &[&str],
    mistakes: &mut Vec<Diagnostic>,
    reader: impl Fn(&Row) -> Result<(K, V), Diagnostic>,
) -> Table<K, V> {
    let file = YamlText::new(name, text.to_owned());
    let mut table = Table::new();
    let root = match parse(&file) {
        Ok(root) => root,
        Err(found) => {
            mistakes.extend(found);
            return table;
        }
    };
    let Some(rows) = root.get(key).and_then(Node::items) else {
        mistakes.push(mistake(&file, &root, format!("the list `{key}` is missing")));
        return table;
    };
    for node in rows {
        let row = Row { file: &file, node };
        mistakes.extend(row.unknown_keys(&[needed, optional].concat()));
        match reader(&row) {
            Ok((key, value)) => {
                if table.insert(key, value).is_some() {
                    mistakes.push(mistake(&file, node, "an earlier row has the same key".into()));
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

/// A row of a table.
struct Row<'a> {
    file: &'a Arc<YamlText>,
    node: &'a Node,
}

impl Row<'_> {
    fn optional(&self, key: &str) -> Option<&str> {
        self.node.get(key)?.text()
    }

    fn text(&self, key: &str) -> Result<&str, Diagnostic> {
        let text = self.optional(key).filter(|text| !text.is_empty());
        text.ok_or_else(|| self.wrong(key, &format!("`{key}` is missing")))
    }

    /// A number of 32 bits, decimal or after `0x`.
    fn number(&self, key: &str) -> Result<u32, Diagnostic> {
        let text = self.text(key)?;
        let number = match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number.map_err(|_| self.wrong(key, &format!("`{key}` is a number of 32 bits, such as 7 or 0xC0000005")))
    }

    fn wrong(&self, key: &str, message: &str) -> Diagnostic {
        mistake(self.file, self.node.get(key).unwrap_or(self.node), message.to_owned())
    }

    fn unknown_keys(&self, known: &[&str]) -> Vec<Diagnostic> {
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
        codes(("codes.yaml", text), "", &mut mistakes);
        mistakes.iter().map(|mistake| format!("{}:{}", mistake.span.line, mistake.message)).collect()
    }

    #[test]
    fn a_code_is_a_number_in_either_base_and_its_name_gets_the_prefix() {
        let mut mistakes = Vec::new();
        let text = "codes:\n  - {code: 7, name: A}\n  - {code: 0xFF, name: B, means: 'x, y', live: true}\n";
        let table = codes(("codes.yaml", text), "P_", &mut mistakes);
        assert_eq!(mistakes, []);
        assert_eq!(table.get(&7), Some(&Meaning { name: "P_A".into(), means: None, live: false }));
        assert_eq!(table.get(&255), Some(&Meaning { name: "P_B".into(), means: Some("x, y".into()), live: true }));
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
