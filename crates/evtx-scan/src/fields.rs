//! The fields of a record: an ordered list of names and values, made from the XML shapes that Windows logs.

use std::borrow::Cow;
use std::string::FromUtf8Error;

use serde::{Deserialize, Serialize};

use super::json::Node;

/// A part of a text, by the offsets of its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextSpan {
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte behind its last one.
    pub(crate) end: usize,
}

/// The places of one field's name and value in the texts of all fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldSpans {
    /// Its name; `None` for a field without name.
    pub(crate) name: Option<TextSpan>,
    /// Its value.
    pub(crate) value: TextSpan,
}

/// The fields of a record, as they are in the record: some have names, others only a position.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecordFields {
    /// Names and values of all fields.
    texts: String,
    /// The fields in their order.
    list: Vec<FieldSpans>,
}

impl PartialEq for RecordFields {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for RecordFields {}

impl RecordFields {
    /// Takes out the memory of texts and list, both empty, to be filled and given back with [`Self::fill`].
    pub(crate) fn take_room(&mut self) -> (Vec<u8>, Vec<FieldSpans>) {
        let (mut texts, mut list) = (std::mem::take(&mut self.texts).into_bytes(), std::mem::take(&mut self.list));
        texts.clear();
        list.clear();
        (texts, list)
    }

    /// Sets the fields, of which there are none, to `list`, whose texts are in `texts`.
    ///
    /// # Errors
    /// When the texts are not UTF-8. There are no fields then.
    pub(crate) fn fill(&mut self, texts: Vec<u8>, list: Vec<FieldSpans>) -> Result<(), FromUtf8Error> {
        self.texts = String::from_utf8(texts)?;
        self.list = list;
        Ok(())
    }

    /// The length of the names and values of all fields, bytes.
    pub(crate) fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// The fields in their order: names, where fields have one, and values.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let text = |span: TextSpan| self.texts.get(span.start..span.end).unwrap_or_default();
        self.list.iter().map(move |field| (field.name.map(text), text(field.value)))
    }

    /// The fields in the elements of an event beside `System`.
    ///
    /// - `EventData` of manifest events: one member for each field.
    /// - `EventData` of classic events: `Data`, a text or a list of texts without names, and `Binary`.
    /// - `UserData`: a tree under an element of the template's; the name of an inner field is its path without that element
    ///   (`SystemInfo.SystemCommitLimit`).
    ///
    /// Attributes, among them the template's name on `EventData`, are no fields. The texts of `RenderingInfo`, which
    /// forwarded events carry, are in the language of the machine that forwarded them and left out.
    #[must_use]
    pub fn from_elements(elements: &[(Cow<'_, str>, Node<'_>)]) -> Self {
        let mut fields = Self::default();
        for (element, content) in elements {
            match &**element {
                "#attributes" | "RenderingInfo" => {}
                "UserData" => {
                    if let Node::Map(roots) = content {
                        for (_, root) in roots.iter().filter(|(name, _)| name != "#attributes") {
                            fields.add_tree("", root);
                        }
                    }
                }
                _ => fields.add_event_data(content),
            }
        }
        fields
    }

    fn add_event_data(&mut self, content: &Node<'_>) {
        match content {
            Node::Map(members) => {
                let mut positional = false;
                for (name, value) in members {
                    if let Some(own_name) = value.attribute("Name") {
                        // `ComplexData` carries its name as an attribute.
                        self.push(Some(own_name), value.text().unwrap_or_default());
                    } else if name == "#attributes" {
                    } else if name == "Data" || (positional && is_numbered_data(name.as_bytes())) {
                        positional = true;
                        self.add_positions(value);
                    } else {
                        self.add_tree(name, value);
                    }
                }
            }
            Node::List(_) | Node::Text(_) => self.add_positions(content),
            Node::Null => {}
        }
    }

    /// Adds the value of `Data`: one or several fields without names.
    fn add_positions(&mut self, value: &Node<'_>) {
        match value {
            Node::List(items) => items.iter().for_each(|item| self.add_positions(item)),
            Node::Map(_) => match value.get("#text") {
                Some(inner @ (Node::List(_) | Node::Text(_))) => self.add_positions(inner),
                _ => self.push(None, ""),
            },
            Node::Text(text) => self.push(None, text),
            // An empty field has a position, too.
            Node::Null => self.push(None, ""),
        }
    }

    /// Adds a named field, or the fields of a tree under a common path.
    fn add_tree(&mut self, path: &str, value: &Node<'_>) {
        match value {
            Node::Map(members) => {
                for (name, inner) in members {
                    match &**name {
                        "#attributes" => {}
                        "#text" => self.add_tree(path, inner),
                        _ if path.is_empty() => self.add_tree(name, inner),
                        _ => self.add_tree(&format!("{path}.{name}"), inner),
                    }
                }
            }
            // A list of values in one field.
            Node::List(items) => {
                let texts: Vec<&str> = items.iter().filter_map(Node::text).collect();
                self.push(Some(path), &texts.join("; "));
            }
            Node::Text(text) => self.push(Some(path), text),
            Node::Null => self.push(Some(path), ""),
        }
    }

    fn push(&mut self, name: Option<&str>, value: &str) {
        let name = name.map(|name| self.append(name));
        let value = self.append(value);
        self.list.push(FieldSpans { name, value });
    }

    fn append(&mut self, text: &str) -> TextSpan {
        let start = self.texts.len();
        self.texts.push_str(text);
        TextSpan { start, end: self.texts.len() }
    }
}

/// Fields as a record could have them: names, where fields have one, and values.
impl<'f> FromIterator<(Option<&'f str>, &'f str)> for RecordFields {
    fn from_iter<I: IntoIterator<Item = (Option<&'f str>, &'f str)>>(fields: I) -> Self {
        let mut written = Self::default();
        fields.into_iter().for_each(|(name, value)| written.push(name, value));
        written
    }
}

/// Whether the name is `Data` with a number that distinguishes equal names (`Data_1`).
pub(crate) fn is_numbered_data(name: &[u8]) -> bool {
    let number = name.strip_prefix(b"Data_");
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of an event whose elements after `System` are `json`; one without name is called by its position.
    fn fields(json: &str) -> Vec<(String, String)> {
        let node: Node<'_> = serde_json::from_str(json).expect("JSON");
        let Node::Map(elements) = node else { panic!("an object") };
        let written = RecordFields::from_elements(&elements);
        let named = written.iter().enumerate();
        named.map(|(place, (name, value))| (name.map_or(place.to_string(), str::to_owned), value.to_owned())).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn named_fields_keep_the_events_order() {
        let found = fields(r#"{"EventData": {"Zeta": "1", "Alpha": 2, "Flag": false}}"#);
        assert_eq!(found, pairs(&[("Zeta", "1"), ("Alpha", "2"), ("Flag", "false")]));
    }

    #[test]
    fn no_data_is_no_fields() {
        assert_eq!(fields(r#"{"EventData": null}"#), []);
        assert_eq!(fields("{}"), []);
    }

    #[test]
    fn a_templates_name_is_no_field_and_complex_data_has_its_name_in_an_attribute() {
        let json = r##"{"EventData": {"#attributes": {"Name": "SOME_TEMPLATE"}, "param1": "a",
            "ComplexData": {"#attributes": {"Name": "State"}, "#text": "01"}}}"##;
        assert_eq!(fields(json), pairs(&[("param1", "a"), ("State", "01")]));
    }

    #[test]
    fn user_data_is_named_by_its_path_below_the_templates_element() {
        let json = r##"{"UserData": {"Root": {"#attributes": {"xmlns": "urn:x"}, "Plain": 1,
            "Outer": {"#attributes": {"a": "b"}, "Inner": {"Leaf": "2"}}, "Array": [3, 4]}}}"##;
        assert_eq!(fields(json), pairs(&[("Plain", "1"), ("Outer.Inner.Leaf", "2"), ("Array", "3; 4")]));
    }

    #[test]
    fn rendered_texts_of_forwarded_events_are_left_out() {
        let json = r#"{"EventData": {"A": "1"}, "RenderingInfo": {"Message": "translated"}}"#;
        assert_eq!(fields(json), pairs(&[("A", "1")]));
    }

    #[test]
    fn fields_without_names_keep_their_positions() {
        for json in [
            r#"{"EventData": {"Data": ["a", null], "Data_1": "c"}}"#,
            r##"{"EventData": {"Data": {"#text": ["a", null]}, "Data_1": "c"}}"##,
        ] {
            assert_eq!(fields(json), pairs(&[("0", "a"), ("1", ""), ("2", "c")]), "{json}");
        }
    }
}
