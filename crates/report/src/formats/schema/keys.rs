//! The keys of the JSON documents: `keys.tsv` lists those of each object with type and meaning. `docs/report.md` and
//! `docs/rules.md` have the same for people.

use std::collections::BTreeMap;

const TABLE: &str = include_str!("keys.tsv");

/// The keys of one document: objects by their path (`incidents[].process`), the document itself by an empty one.
pub(super) struct Keys {
    objects: BTreeMap<&'static str, Vec<Key>>,
}

/// A row of the table: one key of an object.
#[derive(Debug, PartialEq)]
pub(super) struct Key {
    pub(super) name: &'static str,
    /// One of the words for types that `docs/report.md` explains.
    pub(super) kind: &'static str,
    pub(super) meaning: &'static str,
    /// When it is absent; `None` where it is always there.
    pub(super) absent_when: Option<&'static str>,
}

impl Keys {
    /// The keys of the document `report`, `facts` or `check`.
    pub(super) fn of_document(document: &str) -> Self {
        let mut objects: BTreeMap<&'static str, Vec<Key>> = BTreeMap::new();
        for line in TABLE.lines() {
            let mut cells = line.split('\t');
            if cells.next() != Some(document) {
                continue;
            }
            let mut cell = || cells.next().unwrap_or_default();
            let (object, name, kind, meaning) = (cell(), cell(), cell(), cell());
            let absent_when = Some(cell()).filter(|when| !when.is_empty());
            objects.entry(object).or_default().push(Key { name, kind, meaning, absent_when });
        }
        Self { objects }
    }

    /// The keys of the object at `path`.
    pub(super) fn of_object(&self, path: &str) -> &[Key] {
        self.objects.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the object at `path` is described.
    pub(super) fn has(&self, path: &str) -> bool {
        self.objects.contains_key(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SIMPLE, check, comparison, facts, lines, report, simple};
    use super::*;

    #[test]
    fn every_type_of_keys_and_facts_has_a_schema() {
        let no_value_fits = simple("no such type").to_string();
        for schema in [report(), lines(), comparison(), facts(), check()] {
            assert!(!schema.to_string().contains(&no_value_fits), "{}", schema["title"]);
        }
    }

    #[test]
    fn simple_types_are_those_of_json() {
        for (kind, schema) in SIMPLE.iter() {
            let expected = match kind.as_str() {
                "boolean" => "boolean",
                "number" => "number",
                "whole number" => "integer",
                "object of whole numbers" => "object",
                "list of two numbers" => "array",
                _ => "string",
            };
            assert_eq!(schema["type"], expected, "{kind}");
        }
    }

    const PAGE: &str = include_str!("../../../../../docs/report.md");
    const PAGE_OF_RULES: &str = include_str!("../../../../../docs/rules.md");

    /// The tables below the heading `## TITLE` of a page.
    fn on_page(page: &'static str, title: &str) -> BTreeMap<&'static str, Vec<Key>> {
        let heading = |line: &str| line.strip_prefix("## ").map(str::trim) == Some(title);
        let lines = page.lines().skip_while(|line| !heading(line)).skip(1);
        let mut objects: BTreeMap<&'static str, Vec<Key>> = BTreeMap::new();
        let (mut object, mut head) = ("", Vec::new());
        for line in lines.take_while(|line| !line.starts_with("## ")) {
            if let Some(path) = labelled(line) {
                object = path;
            }
            let Some(row) = line.strip_prefix("| ").and_then(|row| row.trim_end().strip_suffix('|')) else { continue };
            let cells: Vec<&'static str> = row.split(" |").map(str::trim).collect();
            match cells.first() {
                Some(&"key") => head = cells,
                Some(first) if !first.starts_with('-') => {
                    objects.entry(object).or_default().extend(keys(&head, &cells));
                }
                _ => {}
            }
        }
        objects
    }

    /// The object that the next table is about: the only code in a line before it, or in its heading.
    fn labelled(line: &'static str) -> Option<&'static str> {
        let label = line.strip_prefix("### ").unwrap_or(line).trim_end_matches(':');
        let path = label.strip_prefix('`')?.strip_suffix('`')?;
        (!path.contains('`')).then_some(path)
    }

    /// The keys of one row; where the table has no types, they are strings and all optional.
    fn keys(head: &[&str], cells: &[&'static str]) -> Vec<Key> {
        let cell =
            |name: &str| head.iter().position(|column| *column == name).and_then(|column| cells.get(column)).copied();
        let meaning = cell("meaning").unwrap_or_default();
        let absent_when = match cell("type") {
            Some(_) => cell("absent when").filter(|when| !when.is_empty()),
            None => Some("nothing tells it"),
        };
        let names = cell("key").unwrap_or_default().split(", ").map(|name| name.trim_matches('`'));
        names.map(|name| Key { name, kind: cell("type").unwrap_or("string"), meaning, absent_when }).collect()
    }

    #[test]
    fn the_page_says_the_same() {
        for (document, page, title) in [
            ("report", PAGE, "JSON"),
            ("facts", PAGE, "Facts as JSON"),
            ("check", PAGE_OF_RULES, "`rules check -f json`"),
        ] {
            assert_eq!(on_page(page, title), Keys::of_document(document).objects, "{title}: the page against keys.tsv");
        }
    }

    #[test]
    fn every_line_has_all_columns() {
        assert!(TABLE.lines().all(|line| line.split('\t').count() == 6));
    }
}
