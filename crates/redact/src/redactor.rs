//! Replacing names and deleting secrets in texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use knowledge_tables::private::PrivateClass;

use super::checks;
use super::patterns::{Private, TABLE, find};
use crate::Key;

/// What takes the place of a secret.
pub(crate) fn removed(kind: &str) -> String {
    format!("[removed:{kind}]")
}

/// Replaces names and deletes secrets.
pub struct Redactor<'k> {
    key: &'k Key,
    /// The class of each name, by its lower case.
    names: BTreeMap<String, PrivateClass>,
    /// Finds the names that are replaced everywhere, then the secrets.
    finder: Option<AhoCorasick>,
    /// What the finder's patterns are, by their numbers.
    found: Vec<Known>,
    /// The file names of programs, in lower case.
    programs: BTreeSet<String>,
    /// Pseudonyms that were made.
    made: Mutex<HashMap<(PrivateClass, String), Arc<str>>>,
}

/// What a text that is searched for everywhere is.
enum Known {
    /// A name, in lower case.
    Name(PrivateClass, String),
    /// A secret, with what takes its place.
    Secret(String, String),
}

/// A part of a text that is replaced.
struct Replaced {
    range: Range<usize>,
    by: String,
    is_secret: bool,
}

impl<'k> Redactor<'k> {
    pub(crate) fn new(
        key: &'k Key,
        names: BTreeMap<String, PrivateClass>,
        everywhere: Vec<String>,
        secrets: BTreeMap<String, String>,
        programs: BTreeSet<String>,
    ) -> Self {
        let class = |name: &str| names.get(name).copied().unwrap_or(PrivateClass::User);
        let mut found: Vec<Known> = everywhere.into_iter().map(|name| Known::Name(class(&name), name)).collect();
        found.extend(secrets.into_iter().map(|(secret, by)| Known::Secret(secret, by)));
        // Without regard to the case of ASCII: of other letters, both cases are searched for.
        let mut patterns: Vec<String> = Vec::new();
        let mut of: Vec<Known> = Vec::new();
        for known in found {
            match known {
                Known::Name(class, name) => {
                    if !name.is_ascii() {
                        patterns.push(name.to_uppercase());
                        of.push(Known::Name(class, name.clone()));
                        let mut letters = name.chars();
                        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
                        patterns.push(first + letters.as_str());
                        of.push(Known::Name(class, name.clone()));
                    }
                    patterns.push(name.clone());
                    of.push(Known::Name(class, name));
                }
                Known::Secret(secret, by) => {
                    patterns.push(secret.clone());
                    of.push(Known::Secret(secret, by));
                }
            }
        }
        // Too many names for one automaton would be a few million.
        let finder =
            AhoCorasickBuilder::new().ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(&patterns);
        let finder = finder.ok().filter(|_| !patterns.is_empty());
        Self { key, names, finder, found: of, programs, made: Mutex::default() }
    }

    /// A text without what is private.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        with_replaced(text, self.replaced(text))
    }

    /// What takes the place of something private.
    fn instead(&self, private: &Private, value: &str) -> String {
        if private.class == PrivateClass::Secret { removed(private.kind) } else { self.name(private.class, value) }
    }

    /// The parts of a text that are replaced; they may overlap.
    fn replaced(&self, text: &str) -> Vec<Replaced> {
        let mut all: Vec<Replaced> = Vec::new();
        for private in find(text) {
            let Some(value) = text.get(private.range.clone()) else { continue };
            let by = self.instead(&private, value);
            all.push(Replaced { range: private.range, by, is_secret: private.class == PrivateClass::Secret });
        }
        for found in self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(text)) {
            let range = found.start()..found.end();
            let Some(value) = text.get(range.clone()) else { continue };
            match self.found.get(found.pattern().as_usize()) {
                Some(Known::Secret(secret, by)) if secret == value => {
                    all.push(Replaced { range, by: by.clone(), is_secret: true });
                }
                Some(Known::Name(class, name)) if is_whole_word(text, &range) && !self.is_in_program(text, &range) => {
                    // Behind a pseudonym's class, the letters of a name may be any.
                    all.push(Replaced { range, by: self.pseudonym(*class, name, value), is_secret: false });
                }
                _ => {}
            }
        }
        all
    }

    /// What takes the place of a name that is certain to be one.
    #[must_use]
    pub fn name(&self, class: PrivateClass, value: &str) -> String {
        let trimmed = value.trim();
        let named = |class: PrivateClass, name: &str| {
            if name.is_empty() || !checks::is_name(name) {
                return name.to_owned();
            }
            let lower = name.to_lowercase();
            self.pseudonym(self.names.get(&lower).copied().unwrap_or(class), &lower, name)
        };
        match class {
            PrivateClass::Host | PrivateClass::User | PrivateClass::Domain | PrivateClass::Customer => {
                if trimmed.parse::<Ipv4Addr>().is_ok() || trimmed.parse::<Ipv6Addr>().is_ok() {
                    return self.pseudonym(PrivateClass::Ip, &trimmed.to_lowercase(), trimmed);
                }
                match (class, trimmed.strip_suffix('$')) {
                    (PrivateClass::User, Some(host)) => format!("{}$", named(PrivateClass::Host, host)),
                    (PrivateClass::Host, _) => match trimmed.trim_end_matches('.').split_once('.') {
                        Some((short, domain)) => {
                            format!("{}.{}", named(class, short), named(PrivateClass::Domain, domain))
                        }
                        None => named(class, trimmed),
                    },
                    _ => named(class, trimmed),
                }
            }
            PrivateClass::Secret => removed("secret"),
            PrivateClass::Mac => {
                let digits: String = trimmed.chars().filter(char::is_ascii_hexdigit).collect();
                self.pseudonym(class, &digits.to_lowercase(), trimmed)
            }
            PrivateClass::Sid | PrivateClass::Ip | PrivateClass::Mail | PrivateClass::Serial | PrivateClass::Phone => {
                self.pseudonym(class, &trimmed.to_lowercase(), trimmed)
            }
        }
    }

    /// The value of a field or variable of this name.
    #[must_use]
    pub fn keyed(&self, name: &str, value: &str) -> String {
        if let Some(class) = field_class(name) {
            return self.name(class, value);
        }
        let mut all = self.replaced(value);
        all.extend(of_field(name, value).map(|private| Replaced {
            by: self.instead(&private, value.get(private.range.clone()).unwrap_or_default()),
            is_secret: private.class == PrivateClass::Secret,
            range: private.range,
        }));
        with_replaced(value, all).into_owned()
    }

    /// The pseudonym of a name; `lower` is what makes names equal, `written` the name as its owner knows it.
    fn pseudonym(&self, class: PrivateClass, lower: &str, written: &str) -> String {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made
            .entry((class, lower.to_owned()))
            .or_insert_with(|| format!("{}-{}", class.word(), self.key.code(class, lower)).into());
        let pseudonym = known.to_string();
        drop(made);
        self.key.note(&pseudonym, written);
        pseudonym
    }

    /// Whether a name is a part of the file name of a program that the evidence has: reports are about programs.
    fn is_in_program(&self, text: &str, range: &Range<usize>) -> bool {
        let is_end = |c: char| "\\/:*?\"<>|'(),;[]{}=".contains(c) || c.is_whitespace();
        let before = text.get(..range.start).unwrap_or_default();
        let after = text.get(range.end..).unwrap_or_default();
        let start = before.rfind(is_end).map_or(0, |at| at.saturating_add(1));
        let end = after.find(is_end).map_or(text.len(), |at| range.end.saturating_add(at));
        let token = text.get(start..end).unwrap_or_default().to_lowercase();
        token.contains('.') && self.programs.contains(token.trim_end_matches(['.', '!']))
    }
}

/// A text with its parts replaced; where they overlap, all of them or the first.
fn with_replaced<'t>(text: &'t str, mut all: Vec<Replaced>) -> Cow<'t, str> {
    if all.is_empty() {
        return Cow::Borrowed(text);
    }
    // Secrets win, then what begins first, then what is longest.
    all.sort_by_key(|one| (!one.is_secret, one.range.start, std::cmp::Reverse(one.range.end)));
    let mut taken: Vec<Replaced> = Vec::new();
    for one in all {
        let overlaps = |other: &Replaced| one.range.start < other.range.end && other.range.start < one.range.end;
        match taken.iter().position(overlaps) {
            None => taken.push(one),
            // Two secrets that overlap are deleted both.
            Some(at) if one.is_secret => {
                if let Some(other) = taken.get_mut(at) {
                    other.range = other.range.start.min(one.range.start)..other.range.end.max(one.range.end);
                }
            }
            Some(_) => {}
        }
    }
    taken.sort_by_key(|one| one.range.start);
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for one in taken {
        let start = one.range.start.max(at);
        redacted.push_str(text.get(at..start).unwrap_or_default());
        if one.range.end > at {
            redacted.push_str(&one.by);
            at = one.range.end;
        }
    }
    redacted.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(redacted)
}

/// What is private in the value of a field or variable because of its name: secrets, and names that are the whole value.
pub(crate) fn of_field<'v>(name: &str, value: &'v str) -> impl Iterator<Item = Private> + use<'v> {
    let front = name.len().saturating_add(1);
    // As a pattern reads it in a text.
    let found = find(&format!("{name}={value}"));
    let whole = value.trim();
    found.into_iter().filter_map(move |private| {
        let range = private.range.start.checked_sub(front)?..private.range.end.checked_sub(front)?;
        let is_whole = value.get(range.clone()).is_some_and(|part| part == whole);
        (is_whole || private.class == PrivateClass::Secret).then_some(Private { range, ..private })
    })
}

/// Whether a text has a pseudonym, or the mark of something that was removed.
#[must_use]
pub fn is_redacted(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    text.contains("[removed:") || words.into_iter().any(checks::is_pseudonym)
}

/// The class of the values of a field of event logs.
pub(crate) fn field_class(name: &str) -> Option<PrivateClass> {
    let lower = name.to_lowercase();
    let at = TABLE.fields.binary_search_by(|(field, _)| (*field).cmp(lower.as_str())).ok()?;
    TABLE.fields.get(at).map(|(_, class)| *class)
}

/// Whether no letter and no digit is right before or behind a part of a text. `%5C` before it is a backslash in an address.
fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let is_encoded = before
        .len()
        .checked_sub(3)
        .and_then(|start| before.get(start..))
        .is_some_and(|last| last.starts_with('%') && last.chars().skip(1).all(|c| c.is_ascii_hexdigit()));
    let behind = before.chars().next_back().is_some_and(char::is_alphanumeric) && !is_encoded;
    !behind && !after.chars().next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Learning;

    /// The texts without what is private, learned from all of them.
    fn redacted(texts: &[&str]) -> Vec<String> {
        let mut learning = Learning::default();
        for text in texts {
            learning.text(text);
            learning.program(text);
        }
        let key = Key::default();
        let redactor = learning.redactor(&key);
        texts.iter().map(|text| redactor.text(text).into_owned()).collect()
    }

    #[test]
    fn a_name_that_one_text_shows_is_replaced_in_all() {
        let all = redacted(&[
            r"C:\Users\mwinter\app.log",
            "mwinter's PC WS-FIN-0231 restarts; MWINTER is sad, mwinters not",
            "Computer: ws-fin-0231.corp.examplebank.com",
            "the EXAMPLEBANK network",
        ]);
        for text in &all {
            let lower = text.to_lowercase();
            assert!(!lower.replace("mwinters", "").contains("mwinter") && !lower.contains("ws-fin"), "{text}");
            assert!(!lower.contains("examplebank"), "{text}");
        }
        assert!(all[1].contains("mwinters not"), "{}", all[1]);
        let user = &all[0][9..22];
        assert!(all[1].starts_with(user) && all[1].contains(&format!("; {user} is sad")), "{all:?}");
    }

    #[test]
    fn what_is_redacted_stays_as_it_is_when_it_is_redacted_again() {
        let texts = [
            r"C:\Users\mwinter\app.log on WS-FIN-0231",
            "Computer: ws-fin-0231.corp.examplebank.com at 192.168.17.42",
            "password: Tr0ub4dor, mail a@b.example.com, mac 9c:2f:41:3a:77:b1, S-1-5-21-1004336348-1177238915-682003330-1104",
            "https://u:pa55word@example.com/x Serial Number: PF3K9X7Q api_key=9fQ2x7Lm4Vt8Zr1K User: mwinter",
        ];
        let once = redacted(&texts);
        let again = redacted(&once.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(once, again);
    }

    #[test]
    fn programs_keep_their_names() {
        let all = redacted(&[
            r"C:\Users\blender\x",
            r"C:\Program Files\acme.exe",
            "user: acme",
            "acme.exe of acme and blender crashed",
        ]);
        assert_eq!(all[3], "acme.exe of acme and blender crashed");
        assert!(!all[0].contains("blender"), "{}", all[0]);
    }

    #[test]
    fn a_secret_is_deleted_wherever_it_is_and_with_what_overlaps_it() {
        let all = redacted(&[
            "api_key=9fQ2x7Lm4Vt8Zr1K",
            "sent 9fQ2x7Lm4Vt8Zr1K twice",
            "x https://mw:s3cr3tpw@git.example.com/",
        ]);
        assert_eq!(all[0], "api_key=[removed:api-key]");
        assert_eq!(all[1], "sent [removed:api-key] twice");
        assert!(all[2].starts_with("x https://[removed:url-credentials]@git."), "{}", all[2]);
    }

    #[test]
    fn fields_are_known_by_their_names() {
        let key = Key::default();
        let redactor = Learning::default().redactor(&key);
        assert!(redactor.keyed("SubjectUserName", "mwinter").starts_with("user-"));
        assert_eq!(redactor.keyed("TargetUserName", "SYSTEM"), "SYSTEM");
        assert_eq!(redactor.keyed("DB_PASSWORD", "s3cr3tpw"), "[removed:password]");
        assert_eq!(redactor.keyed("ModuleName", "ntdll.dll"), "ntdll.dll");
    }
}
