//! Sigma rules as files: their names, and their text under other interpretations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sigma::SigmaRules;
use spanned_yaml::{Node, YamlText, parse, parse_documents};

/// A rule in a file.
#[derive(Debug)]
pub struct Rule {
    pub id: String,
    pub title: String,
    /// The file's path below the folder.
    pub path: String,
    /// The content of the file.
    pub text: String,
    /// The rules from which this one was made.
    pub derived_from: Vec<String>,
    /// The values of its log source.
    pub category: Option<String>,
    pub service: Option<String>,
    /// The fields in its selections.
    pub fields: BTreeSet<String>,
}

impl Rule {
    /// The file's name.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The rule, unchanged.
    pub fn loaded(&self) -> SigmaRules {
        SigmaRules::of_text(&self.path, &self.text)
    }

    /// The rule where every pair of backslashes means two of them, instead of one escaped backslash.
    pub fn with_plain_backslashes(&self) -> SigmaRules {
        SigmaRules::of_text(&self.path, &self.text.replace(r"\\", r"\\\\"))
    }

    /// The rule where a `*` within a value means that character, instead of any text.
    pub fn with_plain_stars(&self) -> SigmaRules {
        let is_part = |character: Option<&char>| {
            character.is_some_and(|character| !character.is_whitespace() && !matches!(character, '\'' | '"' | '\\'))
        };
        let characters: Vec<char> = self.text.chars().collect();
        let mut text = String::new();
        for (at, character) in characters.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| characters.get(before));
            if *character == '*' && is_part(before) && is_part(characters.get(at + 1)) {
                text.push('\\');
            }
            text.push(*character);
        }
        SigmaRules::of_text(&self.path, &text)
    }

    /// The rule about all records of all logs, with the records' own names of fields.
    pub fn about_every_record(&self) -> SigmaRules {
        SigmaRules::of_text(&self.path, &without_source(&self.text))
    }
}

/// The text of a rule with `product: windows` for its log source.
fn without_source(text: &str) -> String {
    let mut kept = String::new();
    let mut within = false;
    for line in text.lines() {
        let begins = line.starts_with("logsource:");
        within = begins || (within && (line.trim().is_empty() || line.starts_with([' ', '#'])));
        if begins {
            kept.push_str("logsource: {product: windows}\n");
        } else if !within {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// All rules of a folder, by id.
pub fn read(folder: &Path) -> Result<BTreeMap<String, Rule>, String> {
    let mut rules = BTreeMap::new();
    for path in files(folder)? {
        if !path.ends_with(".yml") && !path.ends_with(".yaml") {
            continue;
        }
        let text = fs::read_to_string(folder.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        // Files that are no YAML are counted where rules are loaded.
        let Ok(documents) = parse_documents(&YamlText::new(path.clone(), text.clone())) else { continue };
        for document in &documents {
            let word = |node: Option<&Node>| node.and_then(Node::text).map(str::to_owned);
            let (Some(id), Some(title)) = (word(document.get("id")), word(document.get("title"))) else { continue };
            let related = document.get("related").and_then(Node::items).unwrap_or_default().iter();
            let derived = related.filter(|one| one.get("type").and_then(Node::text) == Some("derived"));
            let of_source = |key: &str| word(document.get("logsource").and_then(|source| source.get(key)));
            let rule = Rule {
                id: id.clone(),
                title,
                path: path.clone(),
                text: text.clone(),
                derived_from: derived.filter_map(|one| word(one.get("id"))).collect(),
                category: of_source("category"),
                service: of_source("service"),
                fields: fields(document),
            };
            rules.insert(id, rule);
        }
    }
    Ok(rules)
}

/// The fields in the selections of a rule.
fn fields(document: &Node) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let selections = document.get("detection").and_then(Node::entries).unwrap_or_default();
    let mut open: Vec<&Node> = selections.iter().map(|selection| &selection.value).collect();
    while let Some(node) = open.pop() {
        open.extend(node.items().unwrap_or_default());
        for entry in node.entries().unwrap_or_default() {
            let field = entry.name().split('|').next().unwrap_or_default();
            found.extend((!field.is_empty()).then(|| field.to_owned()));
        }
    }
    found
}

/// The paths of all files below a folder, with `/` between their parts, sorted.
pub fn files(folder: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.join(&below).display());
        for entry in fs::read_dir(folder.join(&below)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && !name.starts_with('.') {
                open.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A YAML file.
pub fn read_yaml(path: &Path) -> Result<Node, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&YamlText::new(path.display().to_string(), text)).map_err(|_| format!("{}: no YAML", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_log_source_of_a_rule_is_replaced() {
        let text = "title: x\nlogsource:\n    product: windows\n\n    service: system\ndetection:\n  a: 1\n";
        assert_eq!(without_source(text), "title: x\nlogsource: {product: windows}\ndetection:\n  a: 1\n");
    }

    #[test]
    fn the_fields_of_a_rule_are_the_keys_in_its_selections() {
        let text = "detection:\n  a:\n    - b|contains: x\n      c: y\n    - word\n  d: {e: 1}\n  condition: a or d\n";
        let root = parse(&YamlText::new("t", text)).expect("YAML");
        assert_eq!(fields(&root).into_iter().collect::<Vec<_>>(), ["b", "c", "e"]);
    }
}
