//! Keeps names of users and computers, paths and other private facts out of drafts: rules are passed on to strangers.

use std::collections::BTreeSet;

use super::fact_table::FACTS;
use evidence::base_name;
use facts::schema::{self, FactDefinition};
use facts::{FactSet, FactType, Value};
use incident::Incident;

/// The shortest private name that is searched for: shorter ones are part of many words.
const SHORTEST_NAME: usize = 3;
/// Names below `Users` that are of no one user.
const SHARED_PROFILES: &[&str] = &["user", "public", "default", "default user", "all users"];
/// Larger numbers are addresses, sizes and counters: of one incident, and of no other.
const LARGEST_NUMBER: u64 = 0xF_FFFF;
/// Beginnings of facts that compare the incident with others of its run, or measure one moment.
const OF_ONE_RUN: &[&str] = &["pattern.", "memory.", "stack.left", "process.handles", "os.memory_mib"];
/// Folders below which paths are the same on every machine, in lower case.
const COMMON_FOLDERS: &[&str] =
    &[r":\windows\", r":\program files\", r":\program files (x86)\", r"\systemroot\", r"\site-packages\"];

/// The names of users and computers.
#[derive(Debug, Default)]
pub(super) struct Private {
    /// In lower case.
    names: BTreeSet<String>,
}

impl Private {
    /// The names in incidents: of computers, and of users by the folders of their profiles.
    pub(super) fn of<'i>(incidents: impl Iterator<Item = (&'i Incident, &'i FactSet)>) -> Self {
        let mut private = Self::default();
        for (incident, facts) in incidents {
            if let Some(host) = incident.host.as_deref() {
                private.add(host);
                private.add(host.split('.').next().unwrap_or(host));
            }
            let paths = incident.process.iter().filter_map(|process| process.path.as_deref());
            paths.for_each(|path| private.add_users(path));
            let entries = facts.lists().flat_map(|(_, records)| records).flat_map(|record| &record.fields);
            let values = facts.scalars().map(|(_, known)| &known.value).chain(entries.map(|(_, value)| value));
            values.filter_map(Value::text).for_each(|text| private.add_users(text));
        }
        private
    }

    fn add(&mut self, name: &str) {
        let name = name.trim().to_lowercase();
        if name.chars().count() >= SHORTEST_NAME && !SHARED_PROFILES.contains(&name.as_str()) {
            self.names.insert(name);
        }
    }

    /// Adds the users in whose profiles paths of a text are.
    fn add_users(&mut self, text: &str) {
        let text = text.replace('/', "\\").to_lowercase();
        for profile in [r"\users\", r"\home\", r"\documents and settings\"] {
            for (at, _) in text.match_indices(profile) {
                let rest = text.get(at.saturating_add(profile.len())..).unwrap_or_default();
                let name = rest.split(['\\', '"', '\'', '<', '>', '|', ':', '*', '?', ';', ',']).next();
                self.add(name.unwrap_or_default());
            }
        }
    }

    /// Whether words that somebody wrote can be shown: as [`allows`](Self::allows), and without ids, hashes and addresses.
    pub(super) fn allows_words(&self, text: &str) -> bool {
        self.allows(text)
            && !text.to_lowercase().split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.').any(is_unique)
    }

    /// Whether a text can be shown: it has no name of a user or computer, no e-mail address, no path and no account id, and
    /// nothing that stands in the place of such a name: a rule that asks for a pseudonym matches nothing.
    pub(super) fn allows(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let words =
            || lower.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.').map(|word| word.trim_matches('.'));
        let named = self.names.iter().any(|name| {
            // A name of several words is searched for in the whole text.
            if name.contains(|c: char| !c.is_alphanumeric() && c != '-' && c != '.') {
                lower.contains(name.as_str())
            } else {
                words().any(|word| word == name)
            }
        });
        let path = lower.contains(":\\") || lower.contains(":/") || lower.contains("\\\\");
        !(named || path || lower.contains('@') || lower.contains("s-1-5-") || redact::is_redacted(text))
    }

    /// The facts that can be shown, without references to evidence and without lists: selections add the entries that they
    /// ask for.
    pub(super) fn shown(&self, facts: &FactSet) -> FactSet {
        let mut shown = FactSet::default();
        for (path, known) in facts.scalars() {
            let Some(definition) = schema::scalar(path) else { continue };
            if let Some(value) = self.shown_value(definition, &known.value) {
                shown.set(path, value, None);
            }
        }
        shown
    }

    fn shown_value(&self, definition: &FactDefinition, value: &Value) -> Option<Value> {
        // A test can't say that a text is empty.
        let empty = matches!(value, Value::Text(text) if text.trim().is_empty());
        if empty || OF_ONE_RUN.iter().any(|part| definition.path.starts_with(part)) {
            return None;
        }
        match (definition.kind, value) {
            (FactType::Code | FactType::Version | FactType::Flag | FactType::Word(_), _) => Some(value.clone()),
            (_, Value::Number(number)) => (*number <= LARGEST_NUMBER).then(|| value.clone()),
            (FactType::Path, Value::Text(path)) => {
                let path = anonymous_path(path);
                self.allows_name(&path).then(|| Value::Text(path.into()))
            }
            (FactType::Module, Value::Text(name)) => self.allows_name(name).then(|| value.clone()),
            (_, Value::Text(text)) => (FACTS.shown_texts.iter().any(|path| path == definition.path)
                && self.allows(text))
            .then(|| value.clone()),
            _ => None,
        }
    }

    /// Whether no user's and no computer's name is part of a file name.
    fn allows_name(&self, name: &str) -> bool {
        let name = base_name(name).to_lowercase();
        !self.names.iter().any(|private| name.contains(private.as_str()))
    }
}

/// A path without the folders that only one machine has, such as a user's profile.
fn anonymous_path(path: &str) -> String {
    let lower = path.to_ascii_lowercase();
    for folder in COMMON_FOLDERS {
        let Some(at) = lower.find(folder) else { continue };
        return match *folder {
            r"\site-packages\" => {
                format!(r"C:\Users\user{}", path.get(at..).unwrap_or_default())
            }
            // Below a profile, folders of these names are private.
            _ if lower.contains(r"\users\") => continue,
            _ => path.to_owned(),
        };
    }
    let folder = if lower.contains(r"\users\") { r"C:\Users\user" } else { r"C:\folder" };
    format!(r"{folder}\{}", base_name(path))
}

/// Whether a word is an id, a hash or an address of the network.
fn is_unique(word: &str) -> bool {
    let address = word.split('.').count() == 4 && word.split('.').all(|part| part.parse::<u8>().is_ok());
    // Codes and parts of versions are shorter, and words that happen to be of these letters have no digits.
    let long = |part: &str| {
        let hexadecimal = part.chars().filter(char::is_ascii_hexdigit).count();
        let other = part.chars().any(|c| !c.is_ascii_hexdigit() && c != '-');
        !other && hexadecimal > 8 && part.chars().any(|c| c.is_ascii_digit())
    };
    address || word.split('.').any(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private() -> Private {
        let mut private = Private::default();
        private.add("PC-7.example.org");
        private.add("PC-7");
        private.add_users(r#"File "C:\Users\jane.doe\a b\train.py", line 3"#);
        private.add_users(r"D:\Users\Max Muster\x.dll");
        private
    }

    #[test]
    fn names_of_users_and_computers_are_found_and_kept_out() {
        let private = private();
        for text in [
            "jane.doe has started it",
            "the program of Max Muster failed",
            "on PC-7 it fails",
            "write to somebody@example.org",
            r"could not open \\server\share",
            r"could not open D:\data\x",
            "report 7d1f0a34-5b26-4c0e-9a3d-20c4d5e6f708 was sent",
            "S-1-5-21-1 was denied",
            "connection to 192.168.0.12 failed",
        ] {
            assert!(!private.allows_words(text), "{text}");
        }
        for text in ["CUDA error: out of memory", "0xC0000005 was raised", "cafe and decade", "version 10.0.19041.3636"]
        {
            assert!(private.allows_words(text), "{text}");
        }
        assert!(private.allows("publicKeyToken=\"1fc8b3b9a1e18e3b\""));
    }

    #[test]
    fn paths_keep_only_what_every_machine_has() {
        for (path, shown) in [
            (r"C:\Users\jane\work\secret\python.exe", r"C:\Users\user\python.exe"),
            (
                r"C:\Users\jane\env\Lib\site-packages\torch\lib\c10.dll",
                r"C:\Users\user\site-packages\torch\lib\c10.dll",
            ),
            (r"C:\Windows\System32\ntdll.dll", r"C:\Windows\System32\ntdll.dll"),
            (r"D:\projects\acme\app.exe", r"C:\folder\app.exe"),
            (r"\\server\jane$\app.exe", r"C:\folder\app.exe"),
            (r"\SystemRoot\System32\drivers\x.sys", r"\SystemRoot\System32\drivers\x.sys"),
        ] {
            assert_eq!(anonymous_path(path), shown);
        }
    }

    #[test]
    fn every_text_that_is_shown_is_a_fact() {
        for path in &FACTS.shown_texts {
            assert!(schema::scalar(path).is_some_and(|fact| fact.kind == FactType::Text), "{path}");
        }
    }
}
