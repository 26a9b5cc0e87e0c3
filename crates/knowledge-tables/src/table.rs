//! Reading the rows of any table of `rules/data`, and four small tables: folders, releases, requests and services.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use spanned_yaml::{Code, Diagnostic, Node, YamlText, parse};

/// The tables of the program by their files' names without ending, with what each holds at its top beside `schema` and
/// `about`.
static TABLES: LazyLock<Option<Node>> =
    LazyLock::new(|| parse(&YamlText::new("tables.yaml", include_str!("../tables.yaml"))).ok());

/// Reports keys at the top of a table that have no meaning there, and a schema that this program does not read. `stem` is
/// the file's name without ending; files that are no such table are passed over.
pub fn check_top(stem: &str, file: &Arc<YamlText>, root: &Node, mistakes: &mut Vec<Diagnostic>) {
    let Some(own) = TABLES.as_ref().and_then(|tables| tables.get(stem)?.items()) else { return };
    let known: Vec<&str> = ["schema", "about"].into_iter().chain(own.iter().filter_map(Node::text)).collect();
    mistakes.extend(Row { file, node: root }.unknown_keys(&known));
    if let Some(schema) = root.get("schema").filter(|schema| schema.text() != Some("1")) {
        mistakes.push(mistake(file, schema, "this program reads tables of schema 1".to_owned()));
    }
}

/// A table by its key.
pub type Table<K, V> = BTreeMap<K, V>;

/// A folder in which files of one computer are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectedFolder {
    /// Whether the names of such folders only begin with the name.
    pub is_beginning: bool,
    /// The folders below that are of the same computer, whatever their names.
    pub below: Below,
}

/// The folders below a collected folder that are of the same computer, whatever their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Below {
    /// None.
    Nothing,
    /// The folders directly below it.
    One,
    /// All.
    All,
}

/// Folders in which files of one computer are collected: `folders` with `name`, which may end in `*`, `why` and, where
/// folders of other names below are of that computer, `below`.
pub fn folders(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, CollectedFolder> {
    read(file, "folders", &["name", "why"], &["below"], mistakes, |row| {
        row.text("why")?;
        let name = row.text("name")?;
        let start = name.strip_suffix('*');
        let whole = start.unwrap_or(name);
        if whole.is_empty() || whole.contains(['*', '/', '\\']) || whole.to_lowercase() != whole {
            let wanted = "`name` is the name of a folder in lower case, with a `*` at its end at most";
            return Err(row.wrong("name", wanted));
        }
        let below = match row.optional("below").unwrap_or_default() {
            "" => Below::Nothing,
            "one" => Below::One,
            "all" => Below::All,
            _ => return Err(row.wrong("below", "`below` is `all` or `one`")),
        };
        Ok((whole.to_owned(), CollectedFolder { is_beginning: start.is_some(), below }))
    })
}

/// A build of Windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build<T = &'static str> {
    /// The release that has this number.
    pub release: T,
    /// All releases whose kernel has this number.
    pub kernel: T,
}

/// The releases of Windows: `builds` with `build`, `release` and, where other releases use the same kernel, `kernel`.
pub fn releases(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Build<String>> {
    read(file, "builds", &["build", "release"], &["kernel"], mistakes, |row| {
        let release = row.text("release")?.to_owned();
        let kernel = row.optional("kernel").map_or_else(|| release.clone(), str::to_owned);
        Ok((row.number("build")?, Build { release, kernel }))
    })
}

/// A request to collect more evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<T = &'static str> {
    /// The text for any incident.
    pub text: T,
    /// The text to use where all is known that its [`REQUEST_PLACES`] stand for.
    pub filled: Option<T>,
    /// A phrase for lists, with [`OF_PROGRAM`] or [`OF_HOST`] where names belong.
    pub short: T,
}

/// What can be filled into the text of a request: the names of the program and of a dump's file, and the times between which
/// a log is wanted (`2024-01-31 12:00:00 UTC`).
pub const REQUEST_PLACES: [&str; 4] = ["{program}", "{dump}", "{from}", "{until}"];

/// The words of a request's phrase that the names of programs replace.
pub const OF_PROGRAM: &str = " of {program}";
/// The words of a request's phrase that the names of computers replace.
pub const OF_HOST: &str = " of {host}";

/// Requests by id: `collect` with `id`, `text`, `short` and, where something can be filled in, `filled`.
pub fn requests(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Request<String>> {
    read(file, "collect", &["id", "text", "short"], &["filled"], mistakes, |row| {
        let text = row.text("text")?.to_owned();
        let filled = row.optional("filled").map(str::to_owned);
        let is_filled = |text: &str| REQUEST_PLACES.iter().any(|place| text.contains(place));
        if is_filled(&text) || filled.as_deref().is_some_and(|filled| !is_filled(filled)) {
            let places = "`filled`, and not `text`, has `{program}`, `{dump}`, `{from}` or `{until}`";
            return Err(row.wrong("filled", places));
        }
        let short = row.text("short")?.to_owned();
        let places = short.matches('{').count();
        let known = [OF_PROGRAM, OF_HOST].iter().map(|words| short.matches(words).count()).sum::<usize>();
        if places != known || places > 1 {
            return Err(
                row.wrong("short", "`short` has ` of {program}` or ` of {host}` at most once, and no other place")
            );
        }
        Ok((row.text("id")?.to_owned(), Request { text, filled, short }))
    })
}

/// The programs of services by the services' names in lower case: `services` with `service`, `program` and `why`.
pub fn services(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, String> {
    read(file, "services", &["service", "program", "why"], &[], mistakes, |row| {
        row.text("why")?;
        let (service, program) = (row.text("service")?, row.text("program")?);
        if program.contains(['\\', '/']) || !program.contains('.') {
            return Err(row.wrong("program", "`program` is the name of a file with its ending"));
        }
        if program.rsplit_once('.').is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(service)) {
            return Err(row.wrong("program", "a service with the name of its program needs no row"));
        }
        Ok((service.to_lowercase(), program.to_owned()))
    })
}

/// Reads the list under `key`. Its rows have all of the keys `needed`, and may have those of `optional`; no two rows
/// have the same key in the table.
pub fn read<K: Ord, V>(
    file: &Arc<YamlText>,
    key: &str,
    needed: &[&str],
    optional: &[&str],
    mistakes: &mut Vec<Diagnostic>,
    reader: impl Fn(&Row<'_>) -> Result<(K, V), Diagnostic>,
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
pub(crate) fn mistake(file: &Arc<YamlText>, node: &Node, message: String) -> Diagnostic {
    Diagnostic::error(Code::R090, file, node.span, message)
}

/// A number of 32 bits, decimal or after `0x`.
pub(crate) fn number(text: &str) -> Option<u32> {
    number_of(text).and_then(|number| u32::try_from(number).ok())
}

/// A number of 64 bits, decimal or after `0x`.
pub fn number_of(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A row of a table.
pub struct Row<'a> {
    /// The file.
    pub file: &'a Arc<YamlText>,
    /// The row in it.
    pub node: &'a Node,
}

impl Row<'_> {
    /// The text under a key; `None` where there is none.
    pub fn optional(&self, key: &str) -> Option<&str> {
        self.node.get(key)?.text()
    }

    /// The text under a key, which must be there.
    ///
    /// # Errors
    /// When it is missing or empty.
    pub fn text(&self, key: &str) -> Result<&str, Diagnostic> {
        let text = self.optional(key).filter(|text| !text.is_empty());
        text.ok_or_else(|| self.wrong(key, &format!("`{key}` is missing")))
    }

    /// The text under a key, which must be one of `known`.
    ///
    /// # Errors
    /// When it is missing, or another text.
    pub fn one_of(&self, key: &str, known: &[&str]) -> Result<&str, Diagnostic> {
        let text = self.text(key)?;
        if known.contains(&text) { Ok(text) } else { Err(self.not_one_of(key, known)) }
    }

    /// The mistake that the text under a key is none of `known`.
    pub fn not_one_of(&self, key: &str, known: &[&str]) -> Diagnostic {
        self.wrong(key, &format!("`{key}` is one of {}", known.join(", ")))
    }

    /// Whether a key has the value `word`, the only one that it may have.
    ///
    /// # Errors
    /// When it has another value.
    pub fn flag(&self, key: &str, word: &str) -> Result<bool, Diagnostic> {
        match self.optional(key) {
            Some(other) if other != word => Err(self.wrong(key, &format!("`{key}` is `{word}` or left out"))),
            found => Ok(found.is_some()),
        }
    }

    /// A list of at least one text in lower case without blanks around it; of any texts where they are kept `as_written`.
    ///
    /// # Errors
    /// When it is empty or has other texts.
    pub fn words(&self, key: &str, as_written: bool) -> Result<Vec<String>, Diagnostic> {
        let words = self.optional_texts(key)?;
        let is_plain = |words: &String| words.trim() == words && words.to_lowercase() == *words;
        if words.is_empty() || !(as_written || words.iter().all(is_plain)) {
            return Err(self.wrong(key, &format!("`{key}` are texts in lower case, without blanks around them")));
        }
        Ok(words)
    }

    /// A list of texts, none of them empty.
    ///
    /// # Errors
    /// When there is no such list.
    pub fn texts(&self, key: &str) -> Result<Vec<&str>, Diagnostic> {
        let texts = self.node.get(key).and_then(Node::items).and_then(|items| {
            items.iter().map(|item| item.text().filter(|text| !text.is_empty())).collect::<Option<Vec<_>>>()
        });
        texts.ok_or_else(|| self.wrong(key, &format!("`{key}` is a list of texts")))
    }

    /// A list of texts, none of them empty, which may be missing.
    ///
    /// # Errors
    /// When there is something else.
    pub fn optional_texts(&self, key: &str) -> Result<Vec<String>, Diagnostic> {
        if self.node.get(key).is_none() {
            return Ok(Vec::new());
        }
        Ok(self.texts(key)?.into_iter().map(str::to_owned).collect())
    }

    /// A number of 32 bits, decimal or after `0x`.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn number(&self, key: &str) -> Result<u32, Diagnostic> {
        let number = number(self.text(key)?);
        number.ok_or_else(|| self.wrong(key, &format!("`{key}` is a number of 32 bits, such as 7 or 0xC0000005")))
    }

    /// A mistake at the value of a key, or at the row where it has none.
    pub fn wrong(&self, key: &str, message: &str) -> Diagnostic {
        mistake(self.file, self.node.get(key).unwrap_or(self.node), message.to_owned())
    }

    /// A mistake for each key of the row that is not among `known`.
    pub fn unknown_keys(&self, known: &[&str]) -> Vec<Diagnostic> {
        let entries = self.node.entries().unwrap_or_default();
        let unknown = entries.iter().filter(|entry| !known.contains(&entry.name()));
        unknown.map(|entry| mistake(self.file, &entry.key, format!("`{}` means nothing here", entry.name()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_table_has_keys_and_a_file() {
        let tables = TABLES.as_ref().and_then(Node::entries).expect("tables.yaml is a mapping");
        for table in tables {
            assert!(table.value.items().is_some_and(|keys| !keys.is_empty()), "{}", table.name());
            let path = format!("../../rules/data/{}.yaml", table.name());
            assert!(std::path::Path::new(&path).exists(), "{path}");
        }
    }

    #[test]
    fn builds_and_sentences_have_tables_of_their_own() {
        let mut mistakes = Vec::new();
        let builds = YamlText::new("builds.yaml", "builds:\n  - {build: 19045, release: Windows 10 22H2}\n");
        assert_eq!(
            releases(&builds, &mut mistakes),
            Table::from([(19045, Build { release: "Windows 10 22H2".into(), kernel: "Windows 10 22H2".into() })])
        );
        let sentences = YamlText::new("collect.yaml", "collect:\n  - {id: no-dump, text: Take one., short: a dump}\n");
        let request = Request { text: "Take one.".to_owned(), filled: None, short: "a dump".to_owned() };
        assert_eq!(requests(&sentences, &mut mistakes), Table::from([("no-dump".to_owned(), request)]));
        for wrong in [
            "short: a, text: '{dump}'",
            "short: a, text: a, filled: b",
            "text: a, short: 'a of {dump}'",
            "text: a, short: 'a of {host} of {host}'",
        ] {
            let wrong = YamlText::new("collect.yaml", format!("collect:\n  - {{id: a, {wrong}}}\n"));
            requests(&wrong, &mut Vec::new()).is_empty().then_some(()).expect("a mistake");
        }
        assert_eq!(mistakes, []);
    }
}
