//! The content of an event, before it becomes binary XML.

use super::value::{Sid, Value};
use crate::{FileTime, Guid};

/// The provider that logged an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    pub(super) name: String,
    pub(super) guid: Option<Guid>,
    pub(super) event_source: Option<String>,
}

impl Provider {
    /// A classic event source: only a name.
    #[must_use]
    pub fn classic(name: &str) -> Self {
        Self { name: name.to_owned(), guid: None, event_source: None }
    }

    /// A provider with a manifest.
    #[must_use]
    pub fn manifest(name: &str, guid: Guid) -> Self {
        Self { name: name.to_owned(), guid: Some(guid), event_source: None }
    }

    /// A provider with a manifest that still logs under the name of a classic source.
    #[must_use]
    pub fn manifest_with_source(name: &str, guid: Guid, event_source: &str) -> Self {
        Self { event_source: Some(event_source.to_owned()), ..Self::manifest(name, guid) }
    }

    /// Whether the event log service stores its events with the classic template: provider written out, qualifiers
    /// present, the classic keyword set.
    pub(super) fn is_classic(&self) -> bool {
        self.guid.is_none() || self.event_source.is_some()
    }
}

/// The data of an event, behind `System`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// An `EventData` of unnamed texts, and bytes if there are any: classic events.
    Positional(Vec<String>, Option<Vec<u8>>),
    /// An `EventData` of named values, and bytes if there are any: events with a manifest.
    Named(Vec<(String, Value)>, Option<Vec<u8>>),
    /// A `UserData` with one element of the provider's own.
    User(Element),
}

/// An element of a `UserData`: its name, an XML namespace if it declares one, and either a value or children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) value: Option<Value>,
    pub(super) children: Vec<Element>,
}

impl Element {
    /// An element with a value.
    #[must_use]
    pub fn value(name: &str, value: impl Into<Value>) -> Self {
        Self { name: name.to_owned(), namespace: None, value: Some(value.into()), children: vec![] }
    }

    /// An element with children.
    #[must_use]
    pub fn parent(name: &str, children: Vec<Self>) -> Self {
        Self { name: name.to_owned(), namespace: None, value: None, children }
    }

    /// Gives it the declaration of an XML namespace.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub(super) provider: Provider,
    pub(super) id: u16,
    pub(super) qualifiers: u16,
    pub(super) version: u8,
    pub(super) level: u8,
    pub(super) task: u16,
    pub(super) keywords: u64,
    pub(super) time: FileTime,
    pub(super) process: u32,
    pub(super) thread: u32,
    pub(super) user: Option<Sid>,
    pub(super) channel: Option<String>,
    pub(super) computer: Option<String>,
    pub(super) body: Body,
}

/// Keyword of events from classic sources.
const CLASSIC_KEYWORD: u64 = 0x0080_0000_0000_0000;
/// Keyword of manifest events in the System and Application channels.
const CHANNEL_KEYWORD: u64 = 0x8000_0000_0000_0000;

impl Event {
    /// An event of level "error" without data, logged on 2024-01-01.
    #[must_use]
    pub fn new(provider: Provider, id: u16) -> Self {
        let keywords = if provider.is_classic() { CLASSIC_KEYWORD } else { CHANNEL_KEYWORD };
        Self {
            provider,
            id,
            qualifiers: 0,
            version: 0,
            level: 2,
            task: 0,
            keywords,
            time: FileTime::utc(2024, 1, 1, 0, 0, 0),
            process: 0,
            thread: 0,
            user: None,
            channel: None,
            computer: None,
            body: Body::Positional(vec![], None),
        }
    }

    /// When it was logged.
    #[must_use]
    pub fn at(mut self, time: FileTime) -> Self {
        self.time = time;
        self
    }

    /// Level: 1 critical, 2 error, 3 warning, 4 information.
    #[must_use]
    pub fn level(mut self, level: u8) -> Self {
        self.level = level;
        self
    }

    /// Task number.
    #[must_use]
    pub fn task(mut self, task: u16) -> Self {
        self.task = task;
        self
    }

    /// Version of the event's layout.
    #[must_use]
    pub fn version(mut self, version: u8) -> Self {
        self.version = version;
        self
    }

    /// Qualifiers: the upper half of a classic message id.
    #[must_use]
    pub fn qualifiers(mut self, qualifiers: u16) -> Self {
        self.qualifiers = qualifiers;
        self
    }

    /// Keywords in addition to the one that every event of its kind has.
    #[must_use]
    pub fn keyword(mut self, keyword: u64) -> Self {
        self.keywords |= keyword;
        self
    }

    /// The process and thread that logged it.
    #[must_use]
    pub fn logged_by(mut self, process: u32, thread: u32) -> Self {
        (self.process, self.thread) = (process, thread);
        self
    }

    /// The account that logged it.
    #[must_use]
    pub fn user(mut self, user: Sid) -> Self {
        self.user = Some(user);
        self
    }

    /// A channel other than the log's, as in a file that Event Viewer saved from a view of several logs.
    #[must_use]
    pub fn channel(mut self, channel: &str) -> Self {
        self.channel = Some(channel.to_owned());
        self
    }

    /// A computer other than the log's.
    #[must_use]
    pub fn computer(mut self, computer: &str) -> Self {
        self.computer = Some(computer.to_owned());
        self
    }

    /// Gives it unnamed texts.
    #[must_use]
    pub fn strings<S: Into<String>>(mut self, strings: impl IntoIterator<Item = S>) -> Self {
        self.body = Body::Positional(strings.into_iter().map(Into::into).collect(), None);
        self
    }

    /// Gives it named values.
    #[must_use]
    pub fn named<N: Into<String>, V: Into<Value>>(mut self, fields: impl IntoIterator<Item = (N, V)>) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self.body = Body::Named(fields, None);
        self
    }

    /// Gives it a `UserData`.
    #[must_use]
    pub fn user_data(mut self, element: Element) -> Self {
        self.body = Body::User(element);
        self
    }

    /// Adds bytes to an `EventData`. A `UserData` has none and stays as it is.
    #[must_use]
    pub fn binary(mut self, bytes: Vec<u8>) -> Self {
        match &mut self.body {
            Body::Positional(_, binary) | Body::Named(_, binary) => *binary = Some(bytes),
            Body::User(_) => {}
        }
        self
    }

    /// When it was logged.
    pub(super) fn time(&self) -> FileTime {
        self.time
    }

    /// The event with channel and computer filled in.
    pub(super) fn in_log(&self, channel: &str, computer: &str) -> Self {
        let mut event = self.clone();
        event.channel.get_or_insert_with(|| channel.to_owned());
        event.computer.get_or_insert_with(|| computer.to_owned());
        event
    }
}
