//! Reading what reports must not pass on: `rules/data/private.yaml`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, Node, YamlText, parse};

use super::patterns::{names_of_groups, with_ascii_classes};
use super::table::{Row, mistake};

/// The file's name without ending.
pub const FILE: &str = "private";

/// The mark that is left out of examples: an example of a token in one piece would be taken for a leaked one.
const BREAK: char = '^';

/// What a group of a pattern holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PrivateClass {
    /// A computer's name.
    Host,
    /// A user's name.
    User,
    /// The name of a domain.
    Domain,
    /// A customer's name: a folder that `--by-folder` takes for one.
    Customer,
    /// A security identifier.
    Sid,
    /// An address of a network.
    Ip,
    /// A hardware address.
    Mac,
    /// A mail address.
    Mail,
    /// A serial number, or another number that one device or installation has.
    Serial,
    /// A telephone number.
    Phone,
    /// A password, key or token, and numbers of money and papers.
    Secret,
}

impl PrivateClass {
    /// All classes, with the words by which groups and fields name them.
    pub const NAMED: &[(&str, Self)] = &[
        ("host", Self::Host),
        ("user", Self::User),
        ("domain", Self::Domain),
        ("customer", Self::Customer),
        ("sid", Self::Sid),
        ("ip", Self::Ip),
        ("mac", Self::Mac),
        ("mail", Self::Mail),
        ("serial", Self::Serial),
        ("phone", Self::Phone),
        ("secret", Self::Secret),
    ];

    /// The class of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, class)| *class)
    }

    /// Its name.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::NAMED.iter().find(|(_, class)| *class == self).map_or("", |(name, _)| name)
    }

    /// The class of a group of an expression, whose name may end in a digit, as those of alternatives do.
    fn of_group(name: &str) -> Option<Self> {
        Self::named(name.trim_end_matches(|c: char| c.is_ascii_digit()))
    }
}

/// A condition on what a group holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrivateCheck {
    /// No word that only tells about a secret.
    Word,
    /// As mixed as keys are.
    Random,
    /// As mixed as keys are, with small letters, capitals and digits.
    Mixed,
    /// The check digit of payment cards.
    Card,
    /// The check digits of international bank account numbers.
    Iban,
    /// Of a name: with a digit, a hyphen, a dot or capitals only.
    Coded,
}

impl PrivateCheck {
    const NAMED: &[(&str, Self)] = &[
        ("word", Self::Word),
        ("random", Self::Random),
        ("mixed", Self::Mixed),
        ("card", Self::Card),
        ("iban", Self::Iban),
        ("coded", Self::Coded),
    ];
}

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivatePattern<T = &'static str> {
    /// What it finds, such as `github-token`.
    pub kind: T,
    /// The expression.
    pub regex: T,
    /// The names of its groups, each with its class.
    pub groups: Vec<(T, PrivateClass)>,
    /// The condition on what its groups hold: `coded` on names, all others on `secret`.
    pub check: Option<PrivateCheck>,
    /// An expression that is not in what the pattern found.
    pub unless: Option<T>,
}

/// An example of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivateExample<T = &'static str> {
    /// File and line.
    pub place: T,
    /// The kind of the pattern.
    pub kind: T,
    /// The text.
    pub text: T,
    /// The values in it that are private.
    pub hides: Vec<T>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivateTable<T = &'static str> {
    /// The patterns in the file's order.
    pub patterns: Vec<PrivatePattern<T>>,
    /// Names that are no one's, in lower case, sorted.
    pub kept: Vec<T>,
    /// Names that are only replaced where it is certain that they are names, in lower case, sorted.
    pub words: Vec<T>,
    /// The fields of event logs that hold names, in lower case, sorted.
    pub fields: Vec<(T, PrivateClass)>,
}

impl<T> Default for PrivateTable<T> {
    fn default() -> Self {
        Self { patterns: Vec::new(), kept: Vec::new(), words: Vec::new(), fields: Vec::new() }
    }
}

/// The table and its examples.
pub fn private(
    file: &Arc<YamlText>,
    mistakes: &mut Vec<Diagnostic>,
) -> (PrivateTable<String>, Vec<PrivateExample<String>>) {
    let (mut table, mut examples) = (PrivateTable::default(), Vec::new());
    let root = match parse(file) {
        Ok(root) => root,
        Err(found) => {
            mistakes.extend(found);
            return (table, examples);
        }
    };
    let rows = root.get("patterns").and_then(Node::items).unwrap_or_default();
    if rows.is_empty() {
        mistakes.push(mistake(file, &root, "the list `patterns` is missing".to_owned()));
    }
    for node in rows {
        match pattern(&Row { file, node }, mistakes) {
            Ok((pattern, of_pattern)) => {
                table.patterns.push(pattern);
                examples.extend(of_pattern);
            }
            Err(wrong) => mistakes.push(wrong),
        }
    }
    let top = Row { file, node: &root };
    for (key, names) in [("kept", &mut table.kept), ("words", &mut table.words)] {
        match top.words(key, false) {
            Ok(words) => *names = words,
            Err(wrong) => mistakes.push(wrong),
        }
        names.sort_unstable();
        names.dedup();
    }
    let mut fields: BTreeMap<String, PrivateClass> = BTreeMap::new();
    for entry in root.get("fields").and_then(Node::entries).unwrap_or_default() {
        let Some(class) = PrivateClass::named(entry.name()) else {
            let known = class_words();
            mistakes.push(mistake(file, &entry.key, format!("the fields of a class; one of {known}")));
            continue;
        };
        for name in entry.value.items().unwrap_or_default().iter().filter_map(Node::text) {
            if fields.insert(name.to_lowercase(), class).is_some() {
                mistakes.push(mistake(file, &entry.value, format!("the field `{name}` is there twice")));
            }
        }
    }
    table.fields = fields.into_iter().collect();
    (table, examples)
}

/// The words of all classes, for messages.
fn class_words() -> String {
    PrivateClass::NAMED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The expression with the classes of ASCII. Unlike lines of tickets, the texts may have several lines: their ends are blanks.
fn with_line_ends(regex: &str) -> String {
    with_ascii_classes(regex).replace(" \\t\u{A0}", " \\t\\r\\n\u{A0}")
}

/// The pattern of a row, and its examples.
fn pattern(
    row: &Row<'_>,
    mistakes: &mut Vec<Diagnostic>,
) -> Result<(PrivatePattern<String>, Vec<PrivateExample<String>>), Diagnostic> {
    mistakes.extend(row.unknown_keys(&["kind", "regex", "check", "unless", "examples"]));
    let kind = row.text("kind")?.to_owned();
    let regex = with_line_ends(row.text("regex")?);
    let unless = row.optional("unless").map(with_line_ends);
    let parsed = |key: &str, regex: &str| {
        regex_syntax::parse(regex).map_err(|error| row.wrong(key, &format!("not a regular expression: {error}")))
    };
    unless.iter().try_for_each(|unless| parsed("unless", unless).map(drop))?;
    let tree = parsed("regex", &regex)?;
    let mut groups = Vec::new();
    for name in names_of_groups(&tree) {
        let Some(class) = PrivateClass::of_group(&name) else {
            let known = class_words();
            return Err(row.wrong("regex", &format!("the group `{name}` is none of {known}")));
        };
        groups.push((name, class));
    }
    if groups.is_empty() {
        return Err(row.wrong("regex", "no group of the expression is named after what it holds: (?<secret>...)"));
    }
    let check = match row.optional("check") {
        None => None,
        Some(word) => {
            let known: Vec<&str> = PrivateCheck::NAMED.iter().map(|(name, _)| *name).collect();
            let found = PrivateCheck::NAMED.iter().find(|(name, _)| *name == word);
            Some(found.map(|(_, check)| *check).ok_or_else(|| row.not_one_of("check", &known))?)
        }
    };
    let nodes = row.node.get("examples").and_then(Node::items).unwrap_or_default();
    let mut examples = Vec::new();
    for node in nodes {
        let example = Row { file: row.file, node };
        mistakes.extend(example.unknown_keys(&["text", "hides"]));
        let hides = node.get("hides").and_then(Node::items);
        let Some(hides) = hides else {
            return Err(
                example.wrong("hides", "`hides` lists the private values in the text; `[]` where there are none")
            );
        };
        examples.push(PrivateExample {
            place: format!("rules/{}:{}", row.file.name, node.span.line),
            kind: kind.clone(),
            text: example.text("text")?.replace(BREAK, ""),
            hides: hides.iter().filter_map(Node::text).map(|text| text.replace(BREAK, "")).collect(),
        });
    }
    if examples.iter().all(|example| example.hides.is_empty()) {
        return Err(row.wrong("examples", "`examples` are missing: at least one text with a private value"));
    }
    Ok((PrivatePattern { kind, regex, groups, check, unless }, examples))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(rows: &str) -> Vec<String> {
        let text = format!("patterns:\n  - {{{rows}}}\nkept: [guest]\nwords: [data]\nfields: {{user: [UserName]}}\n");
        let mut mistakes = Vec::new();
        private(&YamlText::new("data/private.yaml", text), &mut mistakes);
        mistakes.into_iter().map(|mistake| mistake.message.clone()).collect()
    }

    #[test]
    fn a_row_has_groups_of_known_classes_and_an_example() {
        let examples = "examples: [{text: 'a pa^ss', hides: [pass]}]";
        assert_eq!(mistakes(&format!("kind: k, regex: 'a (?<secret1>.+)', {examples}")), Vec::<String>::new());
        assert!(mistakes(&format!("kind: k, regex: 'a (?<colour>.+)', {examples}"))[0].contains("`colour` is none of"));
        assert!(mistakes(&format!("kind: k, regex: 'a .+', {examples}"))[0].contains("no group"));
        assert!(mistakes("kind: k, regex: '(?<user>x)', examples: [{text: x, hides: []}]")[0].contains("examples"));
        assert!(
            mistakes(&format!("kind: k, regex: '(?<user>x)', check: luck, {examples}"))[0].contains("word, random")
        );
    }
}
