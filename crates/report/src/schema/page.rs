//! The page that describes every key, `docs/report.md`, as data: its tables say of each object which keys it has.

use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../../docs/report.md");

/// A part of the page: objects by their path (`incidents[].process`), the document itself by an empty one.
pub(super) struct Part {
    objects: BTreeMap<&'static str, Vec<Key>>,
}

/// A key as the page describes it.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// The word of the column "type".
    pub(super) kind: &'static str,
    pub(super) meaning: &'static str,
    /// When it is absent; `None` where it is always there.
    pub(super) absent_when: Option<&'static str>,
}

impl Part {
    /// The part below the heading `## TITLE`.
    pub(super) fn titled(title: &str) -> Self {
        let heading = |line: &str| line.strip_prefix("## ").map(str::trim) == Some(title);
        let lines = PAGE.lines().skip_while(|line| !heading(line)).skip(1);
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
        Self { objects }
    }

    /// The keys of the object at `path`.
    pub(super) fn keys(&self, path: &str) -> &[Key] {
        self.objects.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the object at `path` is described.
    pub(super) fn has(&self, path: &str) -> bool {
        self.objects.contains_key(path)
    }
}

/// The object that the next table is about: the only code in a line before it, or in its heading.
fn labelled(line: &'static str) -> Option<&'static str> {
    let label = line.strip_prefix("### ").unwrap_or(line).trim_end_matches(':');
    let path = label.strip_prefix('`')?.strip_suffix('`')?;
    (!path.contains('`')).then_some(path)
}

/// The keys of one row; where the table has no types, they are strings of which none need be there.
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
