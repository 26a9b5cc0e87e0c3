//! The JSON of a record, in its own order and without copies of its texts.
//!
//! The order matters: fields without names are recognised by their position, and fields with names are shown in the event's
//! order. General JSON values sort their keys.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// An element of a record, or of an event as XML, in the form of a JSON value: attributes are in a member `#attributes`,
/// text beside them in a member `#text`. Numbers and truth values are texts, as they are written.
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
    /// The member of an object with this name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node<'de>> {
        let Self::Map(members) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value of the element's XML attribute with this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        match self.get("#attributes")?.get(name)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of the element, whether it has attributes or not.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self.get("#text").unwrap_or(self) {
            Self::Text(text) => Some(text),
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

/// The name of a member, borrowed where it contains no escape.
#[derive(Deserialize)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

/// The elements of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Elements<'de> {
    /// The first `System` element.
    pub(crate) system: Node<'de>,
    /// The others by name (`EventData`, `UserData`...).
    pub(crate) others: Vec<(Cow<'de, str>, Node<'de>)>,
}

/// The elements of the event whose JSON this is; `None` for an event without `System` element.
///
/// # Errors
/// When it is no JSON, or not that of an event.
pub(crate) fn elements(json: &[u8]) -> Result<Option<Elements<'_>>, serde_json::Error> {
    let Node::Map(roots) = serde_json::from_slice(json)? else { return Err(Error::custom("it is no event")) };
    let mut others = match roots.into_iter().rfind(|(name, _)| name == "Event") {
        None | Some((_, Node::Null)) => return Ok(None),
        Some((_, Node::Map(elements))) => elements,
        Some(_) => return Err(Error::custom("an event without elements")),
    };
    let system = others.iter().position(|(name, _)| name == "System");
    Ok(system.map(|index| Elements { system: others.remove(index).1, others }))
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
    fn an_event_has_a_system_and_other_elements_and_must_be_well_formed() {
        let json = br#"{"Event": {"System": {"EventID": 7}, "EventData": {"A": [1, 2, {"B": "x"}]}}}"#;
        let Elements { system, others } = elements(json).expect("a record").expect("a system");
        assert_eq!(system.get("EventID").and_then(Node::text), Some("7"));
        assert_eq!(others.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["EventData"]);
        assert!(elements(br#"{"Event": {"System": {}, "EventData": {"#).is_err());
    }

    #[test]
    fn an_event_without_system_is_nobodys() {
        for json in [&br#"{"Event": null}"#[..], br#"{"Event": {"EventData": {"A": 1}}}"#, b"{}"] {
            assert_eq!(elements(json).expect("a record"), None);
        }
    }
}
