//! The schema of facts that rules can ask for, as its file holds it and as the build encodes it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spanned_yaml::{Code, Diagnostic, Node, YamlText, parse};

/// All facts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Schema<'a> {
    /// Facts with one value, sorted by path.
    #[serde(borrow)]
    pub facts: Vec<Fact<'a>>,
    /// Facts with many entries, sorted by name.
    #[serde(borrow)]
    pub lists: Vec<List<'a>>,
}

/// A fact with one value, or a field of a list.
#[derive(Debug, Serialize, Deserialize)]
pub struct Fact<'a> {
    /// Its path; of a field its name.
    pub path: &'a str,
    /// Its type's name; `words NAME` for words that the code knows, empty for those of `words`.
    pub kind: &'a str,
    /// The words of a fact that is one of them, where they are written with it.
    #[serde(borrow)]
    pub words: Vec<&'a str>,
    /// What brings it, in a sentence's words.
    pub from: &'a str,
    /// What it means.
    pub about: &'a str,
    /// What it means that an entry lacks the field.
    #[serde(borrow)]
    pub absent: Absent<'a>,
}

/// What it means that an entry of a list lacks a field.
#[derive(Debug, Default, Serialize, Deserialize)]
pub enum Absent<'a> {
    /// That nobody knows it.
    #[default]
    Unknown,
    /// That it is not so.
    No,
    /// That nobody knows it, of entries whose field of this name is one of these words.
    UnknownOf(&'a str, #[serde(borrow)] Vec<&'a str>),
    /// That nobody knows it, of entries that have the field of this name.
    UnknownWith(&'a str),
    /// That nobody knows it, of entries that lack the field of this name.
    UnknownUnless(&'a str),
}

/// A fact with many entries.
#[derive(Debug, Serialize, Deserialize)]
pub struct List<'a> {
    /// Its name.
    pub name: &'a str,
    /// What brings it, in a sentence's words.
    pub from: &'a str,
    /// What it means, and when it is known.
    pub about: &'a str,
    /// The fields of an entry.
    #[serde(borrow)]
    pub fields: Vec<Fact<'a>>,
}

/// Reads the file and gives its schema, encoded.
///
/// # Errors
/// All mistakes of the file.
pub fn encoded(file: &Arc<YamlText>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let root = parse(file)?;
    let mut reader = Reader { file, sources: root.get("sources"), mistakes: Vec::new() };
    let schema = Schema {
        facts: reader.each(&root, "facts", |reader, node| reader.fact(node, "path", None)),
        lists: reader.each(&root, "lists", Reader::list),
    };
    for pair in schema.facts.windows(2) {
        if let [a, b] = pair
            && a.path >= b.path
        {
            reader.mistake(&root, format!("`{}` does not stand behind `{}`: facts are sorted", b.path, a.path));
        }
    }
    if schema.lists.windows(2).any(|pair| matches!(pair, [a, b] if a.name >= b.name)) {
        reader.mistake(&root, "lists are sorted by name".to_owned());
    }
    match postcard::to_allocvec(&schema) {
        Ok(encoded) if reader.mistakes.is_empty() => Ok(encoded),
        Ok(_) => Err(reader.mistakes),
        Err(error) => Err(vec![Diagnostic::error(Code::R090, file, root.span, error.to_string())]),
    }
}

struct Reader<'f> {
    file: &'f Arc<YamlText>,
    sources: Option<&'f Node>,
    mistakes: Vec<Diagnostic>,
}

impl<'f> Reader<'f> {
    fn mistake(&mut self, node: &Node, message: String) {
        self.mistakes.push(Diagnostic::error(Code::R090, self.file, node.span, message));
    }

    /// What is read of each item of the list under `key`.
    fn each<T>(&mut self, node: &'f Node, key: &str, read: impl Fn(&mut Self, &'f Node) -> T) -> Vec<T> {
        let Some(items) = node.get(key).and_then(Node::items) else {
            self.mistake(node, format!("the list `{key}` is missing"));
            return Vec::new();
        };
        items.iter().map(|item| read(self, item)).collect()
    }

    fn text(&mut self, node: &'f Node, key: &str) -> &'f str {
        node.get(key).and_then(Node::text).unwrap_or_else(|| {
            self.mistake(node, format!("`{key}` is missing, or no text"));
            ""
        })
    }

    fn texts(&mut self, node: &'f Node) -> Vec<&'f str> {
        node.items().unwrap_or_default().iter().filter_map(Node::text).collect()
    }

    /// What brings a fact: the source that `from` names, or its own words; without `from` what any artifact has.
    fn from(&mut self, node: &'f Node) -> &'f str {
        let name = node.get("from").map_or("any", |name| name.text().unwrap_or_default());
        let own_words = Some(name).filter(|name| name.contains([' ', '.']));
        self.sources.and_then(|sources| sources.get(name)).and_then(Node::text).or(own_words).unwrap_or_else(|| {
            self.mistake(node, format!("there is no source `{name}`"));
            ""
        })
    }

    fn list(&mut self, node: &'f Node) -> List<'f> {
        self.known_keys(node, &["name", "from", "about", "fields"]);
        List {
            name: self.text(node, "name"),
            from: self.from(node),
            about: self.text(node, "about"),
            fields: self.each(node, "fields", |reader, field| reader.fact(field, "name", Some("absent"))),
        }
    }

    fn fact(&mut self, node: &'f Node, name: &str, absent: Option<&str>) -> Fact<'f> {
        self.known_keys(node, &[name, "type", "from", "about", absent.unwrap_or(name)]);
        let kind = node.get("type").and_then(Node::text).unwrap_or_default();
        let words = node.get("type").map_or_else(Vec::new, |words| self.texts(words));
        if kind.is_empty() && words.is_empty() {
            self.mistake(node, "`type` is missing".to_owned());
        }
        Fact {
            path: self.text(node, name),
            kind,
            words,
            from: self.from(node),
            about: self.text(node, "about"),
            absent: node.get("absent").map_or(Absent::Unknown, |absent| self.absent(absent)),
        }
    }

    fn absent(&mut self, node: &'f Node) -> Absent<'f> {
        let field = |key: &str| node.get(key).and_then(Node::text);
        if node.text() == Some("no") {
            Absent::No
        } else if let Some(of) = field("unknown_of") {
            Absent::UnknownOf(of, node.get("words").map_or_else(Vec::new, |words| self.texts(words)))
        } else if let Some(with) = field("unknown_with") {
            Absent::UnknownWith(with)
        } else if let Some(unless) = field("unknown_unless") {
            Absent::UnknownUnless(unless)
        } else {
            self.mistake(node, "`absent` is none of what stands at the file's head".to_owned());
            Absent::Unknown
        }
    }

    fn known_keys(&mut self, node: &'f Node, known: &[&str]) {
        for entry in node.entries().unwrap_or_default().iter().filter(|entry| !known.contains(&entry.name())) {
            self.mistake(&entry.key, format!("`{}` means nothing here", entry.name()));
        }
    }
}
