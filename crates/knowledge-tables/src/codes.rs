//! Reading the tables of codes: their names and meanings, notes on them, and the events of logs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, YamlText, parse};

use super::table::{Table, mistake, number, read};

/// A code's name and meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meaning<T = &'static str> {
    /// The name, as the system's headers or people write it.
    pub name: T,
    /// The meaning, without full stop; absent for rare codes.
    pub means: Option<T>,
    /// For stop codes: whether the code is only of live kernel reports, which the system survives.
    pub live: bool,
    /// Whether damaged memory or a processor's wrong result can lead to it; `None` where the table has no entry for
    /// this.
    pub damage: Option<bool>,
    /// For system errors: whether a text that only calls the number an error ("error 126") means this one.
    pub bare: bool,
    /// For system errors: the status with the same meaning.
    pub status: Option<u32>,
}

/// A table of codes: `codes` with `code`, `name` and, where they apply, `means`, `live`, `damage`, `bare` and `status`.
/// `prefix` stands before every name.
pub fn codes(file: &Arc<YamlText>, prefix: &str, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Meaning<String>> {
    read(file, "codes", &["code", "name"], &["means", "live", "damage", "bare", "status"], mistakes, |row| {
        let (live, bare) = (row.flag("live", "true")?, row.flag("bare", "true")?);
        let damage = match row.optional("damage") {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => return Err(row.wrong("damage", "`damage` is `true`, `false` or left out")),
        };
        let meaning = Meaning {
            name: [prefix, row.text("name")?].concat(),
            means: row.optional("means").map(str::to_owned),
            live,
            damage,
            bare,
            status: row.optional("status").map(|_| row.number("status")).transpose()?,
        };
        Ok((row.number("code")?, meaning))
    })
}

/// A table of names: `codes` as in [`codes`], and under `names` the codes that have no meaning here, number and name one
/// a line. Either may be missing.
pub fn names(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Meaning<String>> {
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
                table.insert(code, Meaning { name: name.to_owned(), ..Meaning::default() });
            }
            _ => mistakes.push(mistake(file, node, format!("`{line}` is not a new number with a name"))),
        }
    }
    table
}

/// The owners of facilities: `facilities` with `code` and `name`.
pub fn facilities(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, Meaning<String>> {
    read(file, "facilities", &["code", "name"], &[], mistakes, |row| {
        Ok((row.number("code")?, Meaning { name: row.text("name")?.to_owned(), ..Meaning::default() }))
    })
}

/// A note on some codes of a kind; without codes, on every code of the kind that has no note of its own.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note<T = &'static str> {
    /// The kind of code, by its word in the file.
    pub of: T,
    /// The codes.
    pub codes: Vec<u32>,
    /// What the codes do not mean.
    pub not: Vec<T>,
    /// Where to look further.
    pub look: Vec<T>,
    /// Whether their sub-codes are fast-fail codes.
    pub fast_fails: bool,
    /// Ids of what to collect.
    pub collect: Vec<T>,
    /// Sources of the statements above.
    pub sources: Vec<T>,
}

/// Notes on codes, in the order of the file: `notes` with `of` and what applies of the other keys.
pub fn notes(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Vec<Note<String>> {
    const KINDS: [&str; 7] = ["exception", "exit-code", "fast-fail", "bugcheck", "win-error", "hresult", "cuda-error"];
    let optional = ["codes", "not", "look", "sub_codes", "collect", "sources"];
    let by_line = read(file, "notes", &["of"], &optional, mistakes, |row| {
        let of = row.one_of("of", &KINDS)?;
        let fast_fails = row.flag("sub_codes", "fast-fail")?;
        let codes = row.optional_texts("codes")?;
        let codes: Option<Vec<u32>> = codes.iter().map(|code| number(code)).collect();
        let note = Note {
            of: of.to_owned(),
            codes: codes.ok_or_else(|| row.wrong("codes", "`codes` are numbers of 32 bits"))?,
            not: row.optional_texts("not")?,
            look: row.optional_texts("look")?,
            fast_fails,
            collect: row.optional_texts("collect")?,
            sources: row.optional_texts("sources")?,
        };
        Ok((row.node.span.line, note))
    });
    by_line.into_values().collect()
}

/// An event of a log, and what it proves.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event<T = &'static str> {
    /// Its id.
    pub id: u32,
    /// The provider that logs it.
    pub provider: T,
    /// How people name the provider, in lower case.
    pub called: Vec<T>,
    /// What the event records, as a sentence without full stop.
    pub says: T,
    /// What it proves.
    pub proves: Vec<T>,
    /// What it does not prove.
    pub not: Vec<T>,
    /// Where to look further.
    pub look: Vec<T>,
    /// Ids of what to collect.
    pub collect: Vec<T>,
    /// Sources of the statements above.
    pub sources: Vec<T>,
}

/// Events, in the order of the file: `events` with `id`, `provider`, `called`, `says` and what applies of the other keys.
pub fn events(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Vec<Event<String>> {
    let optional = ["proves", "not", "look", "collect", "sources"];
    let by_line = read(file, "events", &["id", "provider", "called", "says"], &optional, mistakes, |row| {
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
    });
    by_line.into_values().collect()
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
        assert_eq!(table.get(&7), Some(&Meaning { name: "P_A".into(), ..Meaning::default() }));
        assert_eq!(
            table.get(&255),
            Some(&Meaning {
                name: "P_B".into(),
                means: Some("x, y".into()),
                live: true,
                damage: Some(false),
                ..Meaning::default()
            })
        );
    }

    #[test]
    fn facilities_have_owners() {
        let mut mistakes = Vec::new();
        let owners = YamlText::new("codes.yaml", "facilities:\n  - {code: 7, name: a system error}\n");
        let owner = Meaning { name: "a system error".to_owned(), ..Meaning::default() };
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
            table.iter().map(|note| (note.of.as_str(), note.codes.as_slice(), note.not.len())).collect();
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
