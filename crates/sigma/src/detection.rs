//! The selections of a rule.

use data_encoding::BASE64;

use super::condition::Condition;
use super::encode::{base64_at_offsets, bytes};
use super::modifiers::{Base64, Key, Kind, Position};
use super::pattern::{Pattern, plain, tokens, with_dashes};
use super::rejected::Faults;
use super::test::{Network, Number, Test, regex};
use spanned_yaml::{Entry, Kind as NodeKind, Node};
use untrusted::glob::Token;

/// A selection: terms, joined.
pub(super) type Selection = Condition<Term>;

/// A question to one field of a record.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) field: Field,
    pub(super) asks: Asks,
}

/// A field of a record, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    EventId,
    Provider,
    Channel,
    Computer,
    /// Another part of the head, by element, or element and attribute with `_` between them.
    Head(String),
    /// A field of this name.
    Data(String),
    /// Every text of the record.
    Anything,
}

/// What a term asks of a field.
#[derive(Debug)]
pub(super) enum Asks {
    /// That a value passes one of the tests, or that each test is passed by a value (`all`). With `or_absent`, the field may
    /// be absent, too.
    Values { tests: Vec<Test>, all: bool, or_absent: bool },
    /// That the record has the field, or does not have it.
    Exists(bool),
    /// That the field has the value of another field.
    SameAs { fields: Vec<String>, all: bool, position: Position, cased: bool },
}

impl Field {
    /// The field of this name.
    pub(super) fn of(name: Option<&str>) -> Self {
        match name {
            None => Self::Anything,
            Some("EventID") => Self::EventId,
            Some("Provider_Name") => Self::Provider,
            Some("Channel") => Self::Channel,
            Some("Computer") => Self::Computer,
            Some(name) if is_of_head(name) => Self::Head(name.to_owned()),
            Some(name) => Self::Data(name.to_owned()),
        }
    }
}

/// Whether the field is a part of the head of records.
///
/// Source: Sigma specification 2.1, "Field Usage": elements and their attributes, with `_` between them.
fn is_of_head(field: &str) -> bool {
    const ELEMENTS: [&str; 6] = ["Level", "Task", "Opcode", "Keywords", "Version", "EventRecordID"];
    const WITH_ATTRIBUTES: [&str; 6] = ["Execution", "Security", "Correlation", "TimeCreated", "Provider", "EventID"];
    ELEMENTS.contains(&field) || field.split_once('_').is_some_and(|(element, _)| WITH_ATTRIBUTES.contains(&element))
}

/// Reads a selection. Its mistakes go to `faults`.
pub(super) fn selection(node: &Node, faults: &mut Faults<'_>) -> Selection {
    match &node.kind {
        NodeKind::Mapping(entries) if !entries.is_empty() => {
            Selection::All(entries.iter().map(|entry| term(entry, faults)).collect())
        }
        NodeKind::Sequence(items) if !items.is_empty() => {
            let mut parts = Vec::new();
            let mut words = Vec::new();
            for item in items {
                match &item.kind {
                    NodeKind::Scalar { .. } => words.push(item),
                    _ => parts.push(selection(item, faults)),
                }
            }
            if !words.is_empty() {
                parts.push(Selection::Part(values(&Key::default(), Field::Anything, &words, faults)));
            }
            Selection::Any(parts)
        }
        NodeKind::Scalar { .. } if !node.is_nothing() => {
            Selection::Part(values(&Key::default(), Field::Anything, &[node], faults))
        }
        _ => {
            faults.broken(node.span, "a selection is a mapping, a list or a text, and not empty");
            Selection::Any(Vec::new())
        }
    }
}

fn term(entry: &Entry, faults: &mut Faults<'_>) -> Selection {
    let key = Key::read(&entry.key, faults);
    let field = Field::of(key.field.as_deref());
    let nodes: Vec<&Node> = match &entry.value.kind {
        NodeKind::Sequence(items) => items.iter().collect(),
        _ => vec![&entry.value],
    };
    if nodes.is_empty() {
        faults.broken(entry.value.span, "a list without values");
    }
    let term = match key.kind {
        Kind::Exists => {
            let there = match nodes.as_slice() {
                [only] => only.text().and_then(|text| text.parse().ok()),
                _ => None,
            };
            if there.is_none() {
                faults.broken(entry.value.span, "`exists` is `true` or `false`");
            }
            Term { field, asks: Asks::Exists(there.unwrap_or_default()) }
        }
        Kind::Field => {
            let fields = nodes.iter().filter_map(|node| text(node, faults)).map(str::to_owned).collect();
            Term { field, asks: Asks::SameAs { fields, all: key.all, position: key.position, cased: key.cased } }
        }
        _ => values(&key, field, &nodes, faults),
    };
    if key.not { Selection::Not(Box::new(Selection::Part(term))) } else { Selection::Part(term) }
}

/// The text of a value; a mistake where it is none.
fn text<'n>(node: &'n Node, faults: &mut Faults<'_>) -> Option<&'n str> {
    let text = node.text();
    if text.is_none() {
        faults.broken(node.span, format!("a value is a text or a number, not {}", node.kind_name()));
    }
    text
}

fn values(key: &Key, field: Field, nodes: &[&Node], faults: &mut Faults<'_>) -> Term {
    let mut tests = Vec::new();
    let mut or_absent = false;
    for node in nodes {
        // An empty place after the colon is nothing, too, but hardly meant as such within a list.
        if node.is_nothing() && key.kind == Kind::Text {
            if field == Field::Anything {
                faults.broken(node.span, "nothing can't be looked for");
            }
            or_absent = true;
            tests.push(Test::Empty);
            continue;
        }
        let Some(written) = text(node, faults) else { continue };
        match key.kind {
            Kind::Text => tests.extend(texts(key, &field, node, written, faults)),
            Kind::Regex(flags) => match regex(written, flags) {
                Ok(regex) => tests.push(Test::Regex(Box::new(regex))),
                Err(error) => {
                    let message = format!("this regular expression can't run: {error}");
                    faults.unsupported(node.span, "with a regular expression that can't run", message);
                }
            },
            Kind::Network => match Network::read(written) {
                Some(network) => tests.push(Test::Network(network)),
                None => faults.broken(node.span, "`cidr` needs a network such as 10.0.0.0/8"),
            },
            Kind::Number(order) => match Number::read(written) {
                Some(number) => tests.push(Test::Number(order, number)),
                None => faults.broken(node.span, "this modifier needs a number"),
            },
            Kind::Exists | Kind::Field => {}
        }
    }
    // One of several forms of a value is enough; of several values, all may be needed.
    let all = key.all && nodes.len() > 1;
    if all && tests.len() != nodes.len() && key.base64.is_some() {
        let message = "`all` over encoded values, of which each has several forms";
        let span = nodes.first().map_or_else(spanned_yaml::Span::file_start, |node| node.span);
        faults.unsupported(span, "with `all` of several encoded values", message);
    }
    Term { field, asks: Asks::Values { tests, all, or_absent } }
}

/// The tests of one text: several where it has several forms.
fn texts(key: &Key, field: &Field, node: &Node, written: &str, faults: &mut Faults<'_>) -> Vec<Test> {
    let mut parts = tokens(written);
    if key.windash {
        parts = with_dashes(parts);
    }
    let parts = match key.base64 {
        None => vec![parts],
        Some(form) => {
            let Some(plain) = plain(&parts) else {
                let message = "a text with `*` or `?` can't be encoded; a backslash makes them plain";
                faults.broken(node.span, message);
                return Vec::new();
            };
            let bytes = bytes(plain, key.utf16);
            let encoded = match form {
                Base64::Alone => vec![BASE64.encode(&bytes)],
                Base64::AtOffsets => base64_at_offsets(&bytes).to_vec(),
            };
            // Of one or two bytes, little or nothing is certain: that would be found everywhere.
            if encoded.iter().any(String::is_empty) {
                faults.broken(node.span, "too short to be looked for in encoded text");
            }
            encoded.into_iter().map(|text| vec![Token::Literal(text)]).collect()
        }
    };
    let position = if *field == Field::Anything { Position::Within } else { key.position };
    parts.into_iter().map(|parts| Test::Text(Pattern::new(placed(parts, position), key.cased))).collect()
}

fn placed(mut parts: Vec<Token>, position: Position) -> Vec<Token> {
    if matches!(position, Position::End | Position::Within) {
        parts.insert(0, Token::Any);
    }
    if matches!(position, Position::Start | Position::Within) {
        parts.push(Token::Any);
    }
    parts
}
