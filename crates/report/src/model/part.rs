//! Parts of a document that no command looks into.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use incident::Bugcheck;

/// A part of a document that no command looks into.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Part<'a, T: ?Sized> {
    /// The value, of a report that is written.
    Made(&'a T),
    /// The JSON, of a report that was read.
    Read(Json),
}

/// A value of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Json {
    Object(Object),
    List(Vec<Json>),
    Simple(Value),
}

/// The keys of an object with their values, in the order of the file.
#[derive(Debug)]
pub(crate) struct Object(Vec<(String, Json)>);

impl<'a, T> Part<'a, [T]> {
    /// A list that has no key where it is empty.
    pub(super) fn unless_empty(list: &'a [T]) -> Option<Self> {
        (!list.is_empty()).then_some(Self::Made(list))
    }
}

impl Part<'_, Bugcheck> {
    /// The code as the document has it.
    pub(crate) fn code(&self) -> Option<String> {
        let keys = match self {
            Self::Made(bugcheck) => return Some(bugcheck.code.to_string()),
            Self::Read(Json::Object(Object(keys))) => keys,
            Self::Read(_) => return None,
        };
        match keys.iter().find(|(key, _)| key == "code") {
            Some((_, Json::Simple(Value::String(code)))) => Some(code.clone()),
            _ => None,
        }
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for Part<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::Read)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectReader)
    }
}

struct ObjectReader;

impl<'de> Visitor<'de> for ObjectReader {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut keys = Vec::new();
        while let Some(key) = map.next_entry()? {
            keys.push(key);
        }
        Ok(Object(keys))
    }
}
