//! A record's JSON, in its own order and without a copy of its texts.
//!
//! The order matters: fields without names are known by their position, and fields with names are shown as the event
//! lists them. General JSON values sort their keys.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// An element of a record or of an event as XML, in the form of a JSON value: attributes stand in a member
/// `#attributes`, text beside them in a member `#text`. Numbers and truth values are kept as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node<'de> {
    /// `null`.
    Null,
    /// A text, number, `true` or `false`.
    Text(Cow<'de, str>),
    /// A list.
    List(Vec<Node<'de>>),
    /// An object, in its own order.
    Map(Vec<(Cow<'de, str>, Node<'de>)>),
}

impl<'de> Node<'de> {
    /// The member of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node<'de>> {
        let Self::Map(members) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value of an XML attribute of the element that this object is.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        match self.get("#attributes")?.get(name)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of an element, whether it carries attributes or not.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Map(_) => match self.get("#text")? {
                Self::Text(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Node<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of an event")
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(value.to_string())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node<'de>, A::Error> {
        let mut map = Vec::new();
        while let Some(Key(name)) = members.next_key()? {
            map.push((name, members.next_value()?));
        }
        Ok(Node::Map(map))
    }
}

/// A key, borrowed where it holds no escape.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(value.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// The parts of a record: `System`, and, if the record is wanted, the elements that follow it.
#[derive(Debug)]
pub(crate) struct Parts<'de> {
    /// The `System` element; `Null` in damaged records.
    pub(crate) system: Node<'de>,
    /// The other elements of the event by name (`EventData`, `UserData`...); `None` when nobody wanted the record.
    pub(crate) elements: Option<Vec<(Cow<'de, str>, Node<'de>)>>,
}

/// Reads a record's JSON. `wanted` is asked with its `System` element; the rest of a record that is not wanted is
/// passed over.
pub(crate) fn parts<'de>(
    json: &'de [u8],
    wanted: &dyn Fn(&Node<'de>) -> bool,
) -> Result<Parts<'de>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let parts = RootSeed { wanted }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(parts)
}

/// `{"Event": ...}`.
struct RootSeed<'w, 'de> {
    wanted: &'w dyn Fn(&Node<'de>) -> bool,
}

impl<'de> DeserializeSeed<'de> for RootSeed<'_, 'de> {
    type Value = Parts<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parts<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RootSeed<'_, 'de> {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Parts<'de>, A::Error> {
        let mut parts = Parts { system: Node::Null, elements: None };
        while let Some(Key(name)) = members.next_key()? {
            if name == "Event" {
                parts = members.next_value_seed(EventSeed { wanted: self.wanted })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(parts)
    }
}

/// The content of `Event`.
struct EventSeed<'w, 'de> {
    wanted: &'w dyn Fn(&Node<'de>) -> bool,
}

impl<'de> DeserializeSeed<'de> for EventSeed<'_, 'de> {
    type Value = Parts<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parts<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EventSeed<'_, 'de> {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the elements of an event")
    }

    /// An event without any element.
    fn visit_unit<E>(self) -> Result<Parts<'de>, E> {
        Ok(Parts { system: Node::Null, elements: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Parts<'de>, A::Error> {
        let mut system = None;
        let mut wanted = false;
        let mut elements = Vec::new();
        while let Some(Key(name)) = members.next_key()? {
            if name == "System" && system.is_none() {
                let element: Node<'de> = members.next_value()?;
                wanted = (self.wanted)(&element);
                system = Some(element);
            } else if system.is_some() && !wanted {
                members.next_value::<IgnoredAny>()?;
            } else {
                elements.push((name, members.next_value()?));
            }
        }
        Ok(Parts { system: system.unwrap_or(Node::Null), elements: wanted.then_some(elements) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(json: &str) -> Node<'_> {
        serde_json::from_str(json).expect("JSON")
    }

    #[test]
    fn objects_keep_their_order_and_numbers_their_digits() {
        let Node::Map(members) = node(r#"{"b": 18446744073709551615, "a": true, "c": null, "d": -1}"#) else {
            panic!("an object")
        };
        let texts: Vec<_> = members.iter().map(|(name, value)| (&**name, value.text())).collect();
        let expected = [("b", Some("18446744073709551615")), ("a", Some("true")), ("c", None), ("d", Some("-1"))];
        assert_eq!(texts, expected);
    }

    #[test]
    fn an_element_has_a_text_with_or_without_attributes() {
        assert_eq!(node("1001").text(), Some("1001"));
        let classic = node(r##"{"#attributes": {"Qualifiers": 16384}, "#text": 1001}"##);
        assert_eq!(classic.text(), Some("1001"));
        assert_eq!(classic.attribute("Qualifiers"), Some("16384"));
        assert_eq!(classic.attribute("Version"), None);
    }

    #[test]
    fn a_record_that_is_not_wanted_is_passed_over_but_must_be_well_formed() {
        let json = br#"{"Event": {"System": {"EventID": 7}, "EventData": {"A": [1, 2, {"B": "x"}]}}}"#;
        let parts_if = |answer: bool| {
            let wanted = move |system: &Node<'_>| {
                assert_eq!(system.get("EventID").and_then(Node::text), Some("7"));
                answer
            };
            parts(json, &wanted).expect("a record")
        };
        assert!(parts_if(false).elements.is_none());
        let elements = parts_if(true).elements.expect("elements");
        assert_eq!(elements.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["EventData"]);
        assert!(parts(br#"{"Event": {"System": {}, "EventData": {"#, &|_| false).is_err());
    }

    #[test]
    fn an_event_without_system_is_nobodys() {
        for json in [&br#"{"Event": null}"#[..], br#"{"Event": {"EventData": {"A": 1}}}"#, b"{}"] {
            let parts = parts(json, &|_| true).expect("a record");
            assert_eq!(parts.system, Node::Null);
            assert!(parts.elements.is_none());
        }
    }
}
