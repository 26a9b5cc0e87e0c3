//! Collecting the names that artifacts show as names.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use knowledge_tables::private::PrivateClass;

use super::checks::{self, SHORTEST_NAME};
use super::patterns::{Private, TABLE, find};
use super::redactor::{Redactor, removed};
use crate::Key;

/// The shortest secret that is deleted wherever it is, letters: a shorter one may be a word.
const SHORTEST_SECRET: usize = 8;
/// Endings of programs, whose names a report is about.
const PROGRAMS: &[&str] = &[".exe", ".dll", ".sys", ".pyd", ".so", ".drv", ".ocx", ".cpl", ".ax", ".node"];
/// The last parts of domains that are no one's.
const PUBLIC_PARTS: &[&str] =
    &["com", "net", "org", "local", "lan", "corp", "internal", "intra", "intranet", "home", "edu", "gov"];

/// Names and secrets that were found so far.
#[derive(Debug, Default)]
pub struct Learning {
    /// Names by their lower case.
    names: BTreeMap<String, PrivateClass>,
    /// Secrets, with the text that takes their place.
    secrets: BTreeMap<String, String>,
    /// The file names of programs, in lower case.
    programs: BTreeSet<String>,
    /// Hashes of the texts that were searched.
    seen: HashSet<u64>,
    /// Where the contents of records that were searched are in memory: most records of a log share them.
    contents: HashSet<usize>,
    /// How many different values of each kind were found.
    kinds: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Learning {
    /// Searches a text.
    pub fn text(&mut self, text: &str) {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            return;
        }
        for private in find(text) {
            self.private(&private, text.get(private.range.clone()).unwrap_or_default());
        }
    }

    /// Adds a value that a pattern found.
    pub(crate) fn private(&mut self, private: &Private, value: &str) {
        self.kinds.entry(private.kind).or_default().insert(value.to_lowercase());
        if private.class != PrivateClass::Secret {
            self.name(private.class, value);
        } else if value.len() >= SHORTEST_SECRET && checks::is_random(value) {
            self.secrets.entry(value.to_owned()).or_insert_with(|| removed(private.kind));
        }
    }

    /// Whether the content of a record was not searched before.
    pub(crate) fn is_new(&mut self, content: &std::sync::Arc<evidence::EventContent>) -> bool {
        self.contents.insert(std::sync::Arc::as_ptr(content).addr())
    }

    /// Adds a name that is certain to be one.
    pub fn name(&mut self, class: PrivateClass, name: &str) {
        let name = name.trim();
        // The account of a computer.
        let (class, name) = match (class, name.strip_suffix('$')) {
            (PrivateClass::User, Some(host)) => (PrivateClass::Host, host),
            _ => (class, name),
        };
        match class {
            PrivateClass::Host if !name.contains('.') || !checks::is_name(name) => self.add(class, name),
            PrivateClass::Host => {
                let whole = name.trim_end_matches('.');
                if let Some((short, domain)) = whole.split_once('.')
                    && whole.parse::<std::net::Ipv4Addr>().is_err()
                {
                    self.add(class, short);
                    self.name(PrivateClass::Domain, domain);
                }
            }
            PrivateClass::Domain => {
                self.add(class, name);
                name.split('.').filter(|part| part.len() > SHORTEST_NAME).for_each(|part| self.add(class, part));
            }
            PrivateClass::User => {
                self.add(class, name);
                // Text calls people by one of their names.
                let parts: Vec<&str> =
                    name.split_whitespace().filter(|part| part.chars().count() > SHORTEST_NAME).collect();
                if let [_, _, ..] = parts.as_slice() {
                    parts.into_iter().for_each(|part| self.add(class, part));
                }
            }
            _ => self.add(class, name),
        }
    }

    fn add(&mut self, class: PrivateClass, name: &str) {
        let lower = name.to_lowercase();
        let is_someones = checks::is_name(name) && !PUBLIC_PARTS.contains(&lower.as_str());
        if class == PrivateClass::Secret || !is_someones {
            return;
        }
        let known = self.names.entry(lower).or_insert(class);
        *known = class.min(*known);
    }

    /// Adds the name of a program or library if the text is one, or a path of one.
    pub fn program(&mut self, path: &str) {
        let name = evidence::base_name(path).to_lowercase();
        if PROGRAMS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending)) {
            self.programs.insert(name);
        }
    }

    /// Adds what was found elsewhere.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (name, class) in other.names {
            let known = self.names.entry(name).or_insert(class);
            *known = class.min(*known);
        }
        for (secret, removed) in other.secrets {
            let known = self.secrets.entry(secret).or_insert_with(|| removed.clone());
            if removed < *known {
                *known = removed;
            }
        }
        self.programs.extend(other.programs);
        for (kind, values) in other.kinds {
            self.kinds.entry(kind).or_default().extend(values);
        }
        self
    }

    /// How many different values of each kind were found.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.kinds.iter().map(|(kind, values)| (*kind, values.len()))
    }

    /// What replaces all that was found.
    #[must_use]
    pub fn redactor(self, key: &Key) -> Redactor<'_> {
        let stems: BTreeSet<&str> =
            self.programs.iter().filter_map(|program| Some(program.rsplit_once('.')?.0)).collect();
        // Words of the trade, and the names of the programs that a report is about, are only replaced where they are surely names.
        let everywhere = |name: &str| {
            name.chars().count() >= SHORTEST_NAME
                && TABLE.words.binary_search(&name).is_err()
                && !stems.contains(name)
                && !self.programs.contains(name)
        };
        let free = self.names.keys().filter(|name| everywhere(name)).cloned().collect();
        Redactor::new(key, self.names.clone(), free, self.secrets, self.programs)
    }
}
