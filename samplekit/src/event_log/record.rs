//! The content of a record: binary XML, either an instance of a template or tokens of its own.

use super::value::Value;
use crate::bytes::stable_hash;
use crate::{FileTime, Guid};

/// A record as it is stored. The event log service writes those of [`Event`](super::Event); others come from machines
/// that forward their events, from export tools, and from old versions of Windows.
#[derive(Debug, Clone)]
pub struct Record {
    pub(super) time: FileTime,
    pub(super) content: Content,
}

impl Record {
    /// A record that gives values to the template with this root, logged on 2024-01-01.
    #[must_use]
    pub fn instance(root: Node, arguments: Vec<Argument>) -> Self {
        Self::new(Content::instance(root, arguments))
    }

    /// A record that uses no template: it holds all tokens itself.
    #[must_use]
    pub fn plain(root: Node) -> Self {
        Self::new(Content::Tokens(root))
    }

    fn new(content: Content) -> Self {
        Self { time: FileTime::utc(2024, 1, 1, 0, 0, 0), content }
    }

    /// When it was logged, by the record's header.
    #[must_use]
    pub fn at(mut self, time: FileTime) -> Self {
        self.time = time;
        self
    }
}

/// A whole stream of binary XML.
#[derive(Debug, Clone)]
pub enum Content {
    /// A template with values for its placeholders.
    Instance(Instance),
    /// Tokens without template.
    Tokens(Node),
}

impl Content {
    /// The template with this root, and values for its placeholders.
    #[must_use]
    pub fn instance(root: Node, arguments: Vec<Argument>) -> Self {
        Self::Instance(Instance { template: Template { root }, arguments })
    }
}

/// A value for a placeholder.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A plain one.
    Value(Value),
    /// Binary XML.
    Xml(Content),
}

impl<V: Into<Value>> From<V> for Argument {
    fn from(value: V) -> Self {
        Self::Value(value.into())
    }
}

/// A template with values for its placeholders.
#[derive(Debug, Clone)]
pub struct Instance {
    pub(super) template: Template,
    pub(super) arguments: Vec<Argument>,
}

/// A template with its GUID in the chunk's table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Template {
    pub(super) root: Node,
}

impl Template {
    /// The template's GUID; equal templates have equal ones. How Windows computes it is not known.
    pub(super) fn guid(&self) -> Guid {
        Guid::made_up(&format!("{:?}", self.root))
    }

    /// The bucket of the chunk's template table (32 of them) that contains it. Windows' choice is not known; readers
    /// follow all.
    pub(super) fn bucket(&self) -> usize {
        (stable_hash(&self.guid().0) % 32) as usize
    }
}

/// A node of binary XML.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// An element.
    Element {
        /// Its name.
        name: String,
        /// The number of the value without which the whole element is left out. Only for elements of templates.
        dependency: u16,
        /// Names and values of its attributes.
        attributes: Vec<(String, Node)>,
        /// Its content.
        children: Vec<Node>,
    },
    /// Fixed text.
    Text(String),
    /// A fixed value of another type.
    Literal(Value),
    /// A placeholder: number and type of its value.
    Hole {
        /// Number of the value.
        index: u16,
        /// Number of its type, as the template expects it.
        kind: u8,
        /// Whether nothing is written when there is no value.
        optional: bool,
    },
}

/// Dependency of an element that is always there.
const ALWAYS: u16 = 0xFFFF;

impl Node {
    /// An element that is always there.
    #[must_use]
    pub fn element(name: &str, attributes: Vec<(&str, Self)>, children: Vec<Self>) -> Self {
        let attributes = attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self::Element { name: name.to_owned(), dependency: ALWAYS, attributes, children }
    }

    /// The same element, left out of records in which the value with this number is null.
    #[must_use]
    pub fn depending_on(self, value: u16) -> Self {
        match self {
            Self::Element { name, attributes, children, .. } => {
                Self::Element { name, dependency: value, attributes, children }
            }
            other => other,
        }
    }

    /// An element that holds one optional value and disappears with it.
    #[must_use]
    pub fn optional_element(name: &str, index: u16, kind: u8) -> Self {
        Self::element(name, vec![], vec![Self::optional(index, kind)]).depending_on(index)
    }

    /// A placeholder for a value that may be null.
    #[must_use]
    pub fn optional(index: u16, kind: u8) -> Self {
        Self::Hole { index, kind, optional: true }
    }

    /// A placeholder for a value.
    #[must_use]
    pub fn hole(index: u16, kind: u8) -> Self {
        Self::Hole { index, kind, optional: false }
    }

    /// Fixed text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
