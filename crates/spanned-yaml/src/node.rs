//! The tree of a YAML file.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize};

use super::text::{Span, YamlText, clamp};

/// One value with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its place, with its quotes.
    pub span: Span,
    /// Its kind, with its content.
    pub kind: Kind,
}

/// The kind of a node, with its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A text, of which no type is guessed.
    Scalar {
        /// The text, quotes and escapes resolved.
        #[serde(borrow)]
        text: Cow<'static, str>,
        /// How it was written.
        style: Style,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with values, in the order of the file; no key is there twice.
    Mapping(Vec<Entry>),
}

/// How a scalar was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// As a block after `|` or `>`.
    Block,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The key: always a scalar.
    pub key: Node,
    /// The value.
    pub value: Node,
}

// Texts are borrowed from the encoded bytes inside the program. The derive supports that only for `Kind`, which has them.
impl Deserialize<'static> for Node {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        let (span, kind) = Deserialize::deserialize(deserializer)?;
        Ok(Self { span, kind })
    }
}

impl Deserialize<'static> for Entry {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        let (key, value) = Deserialize::deserialize(deserializer)?;
        Ok(Self { key, value })
    }
}

impl Entry {
    /// The key's text.
    #[must_use]
    pub fn name(&self) -> &str {
        self.key.text().unwrap_or_default()
    }

    /// From the key's first to the value's last character.
    #[must_use]
    pub fn span(&self) -> Span {
        self.key.span.to(self.value.span)
    }
}

impl Node {
    /// Decodes a node that the build of the program encoded; `None` for other bytes.
    pub fn decode(encoded: &'static [u8]) -> Option<Self> {
        postcard::from_bytes(encoded).ok()
    }

    /// The text of a scalar.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The items of a sequence.
    #[must_use]
    pub fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The items of a sequence; any other node by itself.
    #[must_use]
    pub fn one_or_more(&self) -> &[Node] {
        self.items().unwrap_or(std::slice::from_ref(self))
    }

    /// The entries of a mapping.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            Kind::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value under a key; `None` also when the node is no mapping.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry under a key; `None` also when the node is no mapping.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.name() == key)
    }

    /// Whether the node has YAML's notation for "nothing": no text at all, `~` or `null` without quotes.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, style: Style::Plain } if matches!(text.as_ref(), "" | "~" | "null"))
    }

    /// The kind of node in words for messages: "a text".
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } if self.is_nothing() => "nothing",
            Kind::Scalar { .. } => "a text",
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
        }
    }

    /// The place of a part of a scalar's text. In a scalar with escapes it can't be found: the place of the whole scalar
    /// then.
    #[must_use]
    pub fn span_within(&self, file: &YamlText, part: Range<usize>) -> Span {
        self.locate(file, part).unwrap_or(self.span)
    }

    /// Compares the scalar in the file with its text: the file may have line breaks and indentation where the text has a
    /// space or a line break, everything else must be equal.
    fn locate(&self, file: &YamlText, part: Range<usize>) -> Option<Span> {
        let Kind::Scalar { text, style } = &self.kind else { return None };
        let written = file.slice(self.span);
        let skip = usize::from(*style == Style::Quoted);
        if !text.contains('\n') && written.get(skip..)?.starts_with(text.as_ref()) {
            let before = text.get(..part.start)?;
            let start = self.span.start.saturating_add(skip).saturating_add(part.start);
            let column = clamp(before.chars().count().saturating_add(skip));
            return Some(Span {
                start,
                end: start.saturating_add(part.len()),
                line: self.span.line,
                column: self.span.column.saturating_add(column),
            });
        }
        let mut rest = written.get(skip..)?.char_indices().peekable();
        if *style == Style::Block {
            while rest.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        }
        let (mut start, mut end) = (None, None);
        for (offset, wanted) in text.char_indices() {
            let at = rest.peek().map_or(written.len(), |(at, _)| skip.saturating_add(*at));
            if offset == part.start {
                start = Some(at);
            }
            if offset == part.end {
                end = Some(at);
                break;
            }
            if wanted.is_whitespace() {
                rest.next_if(|(_, c)| c.is_whitespace())?;
                let next_is_space =
                    text.get(offset.saturating_add(wanted.len_utf8())..)?.starts_with(char::is_whitespace);
                while !next_is_space && rest.next_if(|(_, c)| c.is_whitespace()).is_some() {}
            } else {
                rest.next_if(|(_, c)| *c == wanted)?;
            }
        }
        let here = rest.peek().map_or(written.len(), |(at, _)| skip.saturating_add(*at));
        let start = start.or((part.start == text.len()).then_some(here));
        let end = end.unwrap_or(here);
        let base = self.span.start;
        Some(file.span(base.saturating_add(start?)..base.saturating_add(end)))
    }
}
