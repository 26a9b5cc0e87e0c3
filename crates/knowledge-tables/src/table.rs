//! Reading the tables of `rules/data`: a step of the build, which leaves them in the program as they are looked up. The
//! program reads them only to check a rule set.

use std::collections::BTreeMap;
use std::sync::Arc;

use spanned_yaml::{Diagnostic, Node, YamlText, parse};

/// The tables of the program by their files' names without ending, with what each holds at its top beside `schema` and
/// `about`.
const TABLES: &[(&str, &[&str])] = &[
    ("bugcheck-parameters", &["stops"]),
    ("bugchecks", &["codes"]),
    ("code-notes", &["notes"]),
    ("collect", &["collect"]),
    ("cublas-statuses", &["codes"]),
    ("cuda-driver-errors", &["codes", "names"]),
    ("cuda-drivers", &["drivers"]),
    ("cuda-errors", &["codes", "names"]),
    ("cuda-names", &["names"]),
    ("cudnn-statuses", &["codes"]),
    ("device-problems", &["codes"]),
    ("errnos", &["codes"]),
    ("events", &["events"]),
    ("exception-codes", &["codes"]),
    ("exit-codes", &["codes"]),
    ("fast-fail", &["codes"]),
    ("hresults", &["codes", "facilities", "names"]),
    ("mentions", &["certain", "cues"]),
    ("msvcp140-minimums", &["minimums"]),
    ("stated-versions", &["patterns"]),
    ("statuses", &["facilities", "names"]),
    ("tensorflow-builds", &["builds"]),
    ("text-words", &["words"]),
    ("ticket-debuggers", &["patterns"]),
    ("ticket-endings", &["patterns"]),
    ("ticket-events", &["patterns"]),
    ("ticket-inventory", &["patterns"]),
    ("ticket-loader", &["patterns"]),
    ("ticket-modules", &["patterns"]),
    ("win-errors", &["codes", "names"]),
    ("windows-builds", &["builds"]),
    ("xids", &["codes"]),
];

/// Finds what stands at the top of a table and means nothing there, and a schema that this program does not read. `stem`
/// is the file's name without ending; files that are no such table are passed over.
pub fn top(stem: &str, file: &Arc<YamlText>, root: &Node, mistakes: &mut Vec<Diagnostic>) {
    let Some((_, own)) = TABLES.iter().find(|(name, _)| *name == stem) else { return };
    let known = [&["schema", "about"][..], own].concat();
    mistakes.extend(Row { file, node: root }.unknown_keys(&known));
    if let Some(schema) = root.get("schema").filter(|schema| schema.text() != Some("1")) {
        mistakes.push(mistake(file, schema, "this program reads tables of schema 1".to_owned()));
    }
}

/// A table by its key.
pub type Table<K, V> = BTreeMap<K, V>;

/// A code's name and what it says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Its name.
    pub name: String,
    /// What it says by itself.
    pub means: Option<String>,
    /// Whether only live kernel reports carry it.
    pub live: bool,
    /// Whether damaged memory can lead to it, where that is known.
    pub damage: Option<bool>,
    /// Whether a text that only calls the number an error means it.
    pub bare: bool,
    /// The status that says the same.
    pub status: Option<u32>,
}

/// A table of codes: `codes` with `code`, `name` and, where they apply, `means`, `live`, `damage`, `bare` and `status`.
/// `prefix` stands before every name.
pub fn codes(file: &Arc<YamlText>, prefix: &str, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Code> {
    read(file, "codes", &["code", "name"], &["means", "live", "damage", "bare", "status"], mistakes, |row| {
        let live = row.optional("live");
        if live.is_some_and(|live| live != "true") {
            return Err(row.wrong("live", "`live` is `true` or left out"));
        }
        let bare = row.optional("bare");
        if bare.is_some_and(|bare| bare != "true") {
            return Err(row.wrong("bare", "`bare` is `true` or left out"));
        }
        let damage = match row.optional("damage") {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => return Err(row.wrong("damage", "`damage` is `true`, `false` or left out")),
        };
        let meaning = Code {
            name: [prefix, row.text("name")?].concat(),
            means: row.optional("means").map(str::to_owned),
            live: live.is_some(),
            damage,
            bare: bare.is_some(),
            status: row.optional("status").map(|_| row.number("status")).transpose()?,
        };
        Ok((row.number("code")?, meaning))
    })
}

/// Names of folders in which files of one computer are collected: `folders` with `name`, `why` and, where folders of
/// other names below are of that computer, `below`. Without its `*`, whether it had one, and `below`, else empty.
pub fn folders(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, (bool, String)> {
    read(file, "folders", &["name", "why"], &["below"], mistakes, |row| {
        row.text("why")?;
        let name = row.text("name")?;
        let start = name.strip_suffix('*');
        let whole = start.unwrap_or(name);
        if whole.is_empty() || whole.contains(['*', '/', '\\']) || whole.to_lowercase() != whole {
            let wanted = "`name` is the name of a folder in lower case, with a `*` at its end at most";
            return Err(row.wrong("name", wanted));
        }
        let below = row.optional("below").unwrap_or_default();
        if !["", "all", "one"].contains(&below) {
            return Err(row.wrong("below", "`below` is `all` or `one`"));
        }
        Ok((whole.to_owned(), (start.is_some(), below.to_owned())))
    })
}

/// A build of Windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The release that has this number.
    pub release: String,
    /// All releases whose kernel has this number.
    pub kernel: String,
}

/// The releases of Windows: `builds` with `build`, `release` and, where other releases use the same kernel, `kernel`.
pub fn releases(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Build> {
    read(file, "builds", &["build", "release"], &["kernel"], mistakes, |row| {
        let release = row.text("release")?.to_owned();
        let kernel = row.optional("kernel").map_or_else(|| release.clone(), str::to_owned);
        Ok((row.number("build")?, Build { release, kernel }))
    })
}

/// What to collect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The text for any incident.
    pub text: String,
    /// The text where a name is known: `{program}` or `{dump}` stands for it.
    pub filled: Option<String>,
}

/// What to collect, by id: `collect` with `id`, `text` and, where a name can be filled in, `filled`.
pub fn texts(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Request> {
    read(file, "collect", &["id", "text"], &["filled"], mistakes, |row| {
        let text = row.text("text")?.to_owned();
        let filled = row.optional("filled").map(str::to_owned);
        let is_filled = |text: &str| ["{program}", "{dump}"].iter().filter(|place| text.contains(*place)).count();
        if is_filled(&text) > 0 || filled.as_deref().is_some_and(|filled| is_filled(filled) != 1) {
            return Err(row.wrong("filled", "`filled`, and not `text`, has `{program}` or `{dump}`"));
        }
        Ok((row.text("id")?.to_owned(), Request { text, filled }))
    })
}

/// A table of names: `codes` as in [`codes`], and under `names` the codes that have no meaning here, number and name one
/// a line. Either may be missing.
pub fn names(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Code> {
    let root = match parse(file) {
        Ok(root) => root,
        Err(found) => {
            mistakes.extend(found);
            return Table::new();
        }
    };
    let mut table = if root.get("codes").is_some() { codes(file, "", mistakes) } else { Table::new() };
    let Some(node) = root.get("names") else { return table };
    for line in node.text().unwrap_or_default().lines() {
        let row = line.split_once(' ').and_then(|(code, name)| Some((number(code)?, name)));
        match row {
            Some((code, name)) if !name.is_empty() && !table.contains_key(&code) => {
                table.insert(code, Code { name: name.to_owned(), ..Code::default() });
            }
            _ => mistakes.push(mistake(file, node, format!("`{line}` is not a new number with a name"))),
        }
    }
    table
}

/// Whom facilities belong to: `facilities` with `code` and `name`.
pub fn facilities(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Code> {
    read(file, "facilities", &["code", "name"], &[], mistakes, |row| {
        Ok((row.number("code")?, Code { name: row.text("name")?.to_owned(), ..Code::default() }))
    })
}

/// What is to be said of codes of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Note {
    /// The kind of code.
    pub of: String,
    /// The codes; empty for all of the kind.
    pub codes: Vec<u32>,
    /// What the code does not prove.
    pub not: Vec<String>,
    /// Where to look further.
    pub look: Vec<String>,
    /// Whether its sub-codes are those of fast fails.
    pub fast_fails: bool,
    /// Ids of what to collect.
    pub collect: Vec<String>,
    /// Where this is from.
    pub sources: Vec<String>,
}

/// Notes on codes, by their place in the file: `notes` with `of` and what applies of the other keys.
pub fn notes(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Note> {
    const KINDS: [&str; 7] = ["exception", "exit-code", "fast-fail", "bugcheck", "win-error", "hresult", "cuda-error"];
    let optional = ["codes", "not", "look", "sub_codes", "collect", "sources"];
    read(file, "notes", &["of"], &optional, mistakes, |row| {
        let of = row.text("of")?;
        if !KINDS.contains(&of) {
            return Err(row.wrong("of", &format!("`of` is one of {}", KINDS.join(", "))));
        }
        let fast_fails = row.optional("sub_codes");
        if fast_fails.is_some_and(|table| table != "fast-fail") {
            return Err(row.wrong("sub_codes", "`sub_codes` is `fast-fail` or left out"));
        }
        let codes = row.optional_texts("codes")?;
        let codes: Option<Vec<u32>> = codes.iter().map(|code| number(code)).collect();
        let note = Note {
            of: of.to_owned(),
            codes: codes.ok_or_else(|| row.wrong("codes", "`codes` are numbers of 32 bits"))?,
            not: row.optional_texts("not")?,
            look: row.optional_texts("look")?,
            fast_fails: fast_fails.is_some(),
            collect: row.optional_texts("collect")?,
            sources: row.optional_texts("sources")?,
        };
        Ok((row.node.span.line, note))
    })
}

/// What is to be said of an event.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: u32,
    /// Who logs it.
    pub provider: String,
    /// What else people call the provider.
    pub called: Vec<String>,
    /// What the event records.
    pub says: String,
    /// What it proves.
    pub proves: Vec<String>,
    /// What it does not prove.
    pub not: Vec<String>,
    /// Where to look further.
    pub look: Vec<String>,
    /// Ids of what to collect.
    pub collect: Vec<String>,
    /// Where this is from.
    pub sources: Vec<String>,
}

/// Events, by their place in the file: `events` with `id`, `provider`, `called`, `says` and what applies of the other keys.
pub fn events(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Event> {
    let optional = ["proves", "not", "look", "collect", "sources"];
    read(file, "events", &["id", "provider", "called", "says"], &optional, mistakes, |row| {
        let called = row.optional_texts("called")?;
        if called.iter().any(|name| name.to_lowercase() != *name) {
            return Err(row.wrong("called", "`called` are names in lower case"));
        }
        let event = Event {
            id: row.number("id")?,
            provider: row.text("provider")?.to_owned(),
            called,
            says: row.text("says")?.to_owned(),
            proves: row.optional_texts("proves")?,
            not: row.optional_texts("not")?,
            look: row.optional_texts("look")?,
            collect: row.optional_texts("collect")?,
            sources: row.optional_texts("sources")?,
        };
        Ok((row.node.span.line, event))
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
fn mistake(file: &Arc<YamlText>, node: &Node, message: String) -> Diagnostic {
    Diagnostic::error("R090", file, node.span, message)
}

/// A number of 32 bits, decimal or after `0x`.
fn number(text: &str) -> Option<u32> {
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

    /// A list of texts, none of them empty.
    pub fn texts(&self, key: &str) -> Result<Vec<&str>, Diagnostic> {
        let texts = self.node.get(key).and_then(Node::items).and_then(|items| {
            items.iter().map(|item| item.text().filter(|text| !text.is_empty())).collect::<Option<Vec<_>>>()
        });
        texts.ok_or_else(|| self.wrong(key, &format!("`{key}` is a list of texts")))
    }

    /// The same of a list that may be missing.
    pub fn optional_texts(&self, key: &str) -> Result<Vec<String>, Diagnostic> {
        if self.node.get(key).is_none() {
            return Ok(Vec::new());
        }
        Ok(self.texts(key)?.into_iter().map(str::to_owned).collect())
    }

    /// A number of 32 bits, decimal or after `0x`.
    pub fn number(&self, key: &str) -> Result<u32, Diagnostic> {
        let number = number(self.text(key)?);
        number.ok_or_else(|| self.wrong(key, &format!("`{key}` is a number of 32 bits, such as 7 or 0xC0000005")))
    }

    /// A mistake at the value of a key, or at the row where it has none.
    pub fn wrong(&self, key: &str, message: &str) -> Diagnostic {
        mistake(self.file, self.node.get(key).unwrap_or(self.node), message.to_owned())
    }

    /// Mistakes at keys that the row can not have.
    pub fn unknown_keys(&self, known: &[&str]) -> Vec<Diagnostic> {
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
        let text =
            "codes:\n  - {code: 7, name: A}\n  - {code: 0xFF, name: B, means: 'x, y', live: true, damage: false}\n";
        let table = codes(&YamlText::new("codes.yaml", text), "P_", &mut mistakes);
        assert_eq!(mistakes, []);
        assert_eq!(table.get(&7), Some(&Code { name: "P_A".into(), ..Code::default() }));
        assert_eq!(
            table.get(&255),
            Some(&Code {
                name: "P_B".into(),
                means: Some("x, y".into()),
                live: true,
                damage: Some(false),
                ..Code::default()
            })
        );
    }

    #[test]
    fn builds_sentences_and_facilities_have_tables_of_their_own() {
        let mut mistakes = Vec::new();
        let builds = YamlText::new("builds.yaml", "builds:\n  - {build: 19045, release: Windows 10 22H2}\n");
        assert_eq!(
            releases(&builds, &mut mistakes),
            Table::from([(19045, Build { release: "Windows 10 22H2".into(), kernel: "Windows 10 22H2".into() })])
        );
        let sentences = YamlText::new("collect.yaml", "collect:\n  - {id: no-dump, text: Take one.}\n");
        let request = Request { text: "Take one.".to_owned(), filled: None };
        assert_eq!(texts(&sentences, &mut mistakes), Table::from([("no-dump".to_owned(), request)]));
        for wrong in ["text: '{dump}'", "text: a, filled: b", "text: a, filled: '{program} {dump}'"] {
            let wrong = YamlText::new("collect.yaml", format!("collect:\n  - {{id: a, {wrong}}}\n"));
            texts(&wrong, &mut Vec::new()).is_empty().then_some(()).expect("a mistake");
        }
        let owners = YamlText::new("codes.yaml", "facilities:\n  - {code: 7, name: a system error}\n");
        let owner = Code { name: "a system error".to_owned(), ..Code::default() };
        assert_eq!(facilities(&owners, &mut mistakes), Table::from([(7, owner)]));
        assert_eq!(mistakes, []);
    }

    #[test]
    fn names_without_meaning_are_lines() {
        let mut mistakes = Vec::new();
        let text = "codes:\n  - {code: 7, name: A, means: 'x'}\nnames: |\n  8 B\n  0x10 C\n";
        let table = names(&YamlText::new("names.yaml", text), &mut mistakes);
        let found: Vec<_> = table.iter().map(|(code, row)| (*code, row.name.as_str(), row.means.as_deref())).collect();
        assert_eq!(found, [(7, "A", Some("x")), (8, "B", None), (16, "C", None)]);
        assert_eq!(mistakes, []);
        for wrong in ["7 B", "x B", "8"] {
            let text = format!("codes:\n  - {{code: 7, name: A}}\nnames: |\n  {wrong}\n");
            names(&YamlText::new("names.yaml", text), &mut mistakes);
            assert_eq!(
                mistakes.pop().map(|mistake| mistake.message),
                Some(format!("`{wrong}` is not a new number with a name"))
            );
        }
    }

    #[test]
    fn notes_name_their_kind_and_their_codes() {
        let mut mistakes = Vec::new();
        let text = "notes:\n  - {of: bugcheck, codes: [0x116, 7], not: ['a, b']}\n  - of: hresult\n";
        let table = notes(&YamlText::new("notes.yaml", text), &mut mistakes);
        let found: Vec<_> =
            table.values().map(|note| (note.of.as_str(), note.codes.as_slice(), note.not.len())).collect();
        assert_eq!(found, [("bugcheck", [0x116, 7].as_slice(), 1), ("hresult", &[], 0)]);
        assert_eq!(mistakes, []);
        for wrong in
            ["{of: stop}", "{of: hresult, codes: [x]}", "{of: hresult, look: x}", "{of: hresult, sub_codes: x}"]
        {
            let text = format!("notes:\n  - {wrong}\n");
            notes(&YamlText::new("notes.yaml", text), &mut mistakes);
            assert!(mistakes.pop().is_some(), "{wrong}");
        }
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
        assert_eq!(mistakes_of("codes:\n  - {code: 7, name: A, bare: no}\n"), ["2:`bare` is `true` or left out"]);
        let status = ["2:`status` is a number of 32 bits, such as 7 or 0xC0000005"];
        assert_eq!(mistakes_of("codes:\n  - {code: 7, name: A, status: x}\n"), status);
        let damage = ["2:`damage` is `true`, `false` or left out"];
        assert_eq!(mistakes_of("codes:\n  - {code: 7, name: A, damage: no}\n"), damage);
        assert_eq!(mistakes_of("code: []\n"), ["1:the list `codes` is missing"]);
        assert_eq!(mistakes_of("codes: [").len(), 1);
    }
}
