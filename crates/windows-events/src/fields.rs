//! The fields of a record: from the XML shapes that Windows logs to an ordered list of names and values.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::json::Node;
use evidence::{EventFields, Names, Version};
use untrusted::notation::{self, filetime, guid, hex_bytes, hex_u32, hex_u64, number_u32, number_u64, present};

/// Name of the field that holds an event's binary data, as hexadecimal digits.
const BINARY: &str = "Binary";
/// Names of fields that hold whole records or pages as hexadecimal digits: one of WHEA-Logger and two of StorPort.
const WHEA_RECORD: &str = "RawData";
const NVME_HEALTH: &str = "NvmeHealthLog";
const NVME_VENDOR: &str = "VendorSpecificLog";

/// Part of a text, by the offsets of its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    /// Its first byte.
    pub(super) start: usize,
    /// The byte behind its last one.
    pub(super) end: usize,
}

/// Where in the texts of all fields the texts of one are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrittenField {
    /// Its name; `None` for a field that is known by its position alone.
    pub(super) name: Option<Span>,
    /// Its value.
    pub(super) value: Span,
}

/// The fields as the record writes them, before positions get names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WrittenFields {
    /// Names and values of all of them.
    texts: String,
    /// In order.
    list: Vec<WrittenField>,
}

impl PartialEq for WrittenFields {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for WrittenFields {}

impl WrittenFields {
    /// Takes out what there is room for, empty, to be filled and given back with [`Self::fill`].
    pub(super) fn take_room(&mut self) -> (Vec<u8>, Vec<WrittenField>) {
        let (mut texts, mut list) = (std::mem::take(&mut self.texts).into_bytes(), std::mem::take(&mut self.list));
        texts.clear();
        list.clear();
        (texts, list)
    }

    /// The fields `list`, whose texts are in `texts`; none, and `false`, when those are not UTF-8.
    pub(super) fn fill(&mut self, texts: Vec<u8>, list: Vec<WrittenField>) -> bool {
        self.list = list;
        match String::from_utf8(texts) {
            Ok(texts) => {
                self.texts = texts;
                true
            }
            Err(_) => {
                self.list.clear();
                false
            }
        }
    }

    /// How long the names and values of all of them are, bytes.
    pub(super) fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// The fields in order: their names, where they have one, and their values.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let text = |span: Span| self.texts.get(span.start..span.end).unwrap_or_default();
        self.list.iter().map(move |field| (field.name.map(text), text(field.value)))
    }

    /// The fields in an event's elements (everything beside `System`).
    ///
    /// - `EventData` of manifest events: one member a field.
    /// - `EventData` of classic events: `Data`, a text or a list of texts without names, and `Binary`.
    /// - `UserData`: a tree under an element that the template names; an inner field is called by its path without
    ///   that element (`SystemInfo.SystemCommitLimit`).
    ///
    /// Attributes, among them the template's name on `EventData`, are no fields. The texts of `RenderingInfo`, which
    /// forwarded events carry, are in the language of the machine that forwarded them and left out.
    pub(super) fn of(elements: &[(Cow<'_, str>, Node<'_>)]) -> Self {
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
                    } else if name == "Data" || (positional && is_numbered(name, "Data")) {
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

    /// The value of `Data`: fields without names, one or several.
    fn add_positions(&mut self, value: &Node<'_>) {
        match value {
            Node::List(items) => items.iter().for_each(|item| self.add_positions(item)),
            Node::Map(_) => match value.get("#text") {
                Some(inner @ (Node::List(_) | Node::Text(_))) => self.add_positions(inner),
                _ => self.push(None, ""),
            },
            Node::Text(text) => self.push(None, text),
            // An empty field still takes its position.
            Node::Null => self.push(None, ""),
        }
    }

    /// A named field, or the fields of a tree under a common prefix.
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
            // An array of values in one field.
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
        self.list.push(WrittenField { name, value });
    }

    fn append(&mut self, text: &str) -> Span {
        let start = self.texts.len();
        self.texts.push_str(text);
        Span { start, end: self.texts.len() }
    }

    /// The fields under the names of `layout`: the field at position `n` among those without name gets the `n`th
    /// name, or `data<n>` where the layout has none. Empty fields are left out.
    pub(super) fn named<'f>(&'f self, layout: &[&'static str], names: &'f Names) -> Fields<'f> {
        let mut list = Vec::with_capacity(self.list.len());
        let mut position = 0_usize;
        for (own_name, value) in self.iter() {
            let name = match own_name {
                Some(name) => Cow::Borrowed(name),
                None => {
                    let from_layout = layout.get(position).filter(|name| !name.is_empty());
                    let name = match from_layout {
                        Some(name) => Cow::Borrowed(*name),
                        None => Cow::Owned(format!("data{position}")),
                    };
                    position = position.saturating_add(1);
                    name
                }
            };
            if !value.trim_start().is_empty() {
                list.push((name, notation::repaired(value)));
            }
        }
        Fields { list, names }
    }
}

/// Fields as a record could write them: names, where they have one, and values.
impl<'f> FromIterator<(Option<&'f str>, &'f str)> for WrittenFields {
    fn from_iter<I: IntoIterator<Item = (Option<&'f str>, &'f str)>>(fields: I) -> Self {
        let mut written = Self::default();
        fields.into_iter().for_each(|(name, value)| written.push(name, value));
        written
    }
}

/// Whether `name` is `base` with a number that tells equal names apart (`Data_1`).
fn is_numbered(name: &str, base: &str) -> bool {
    let number = name.strip_prefix(base).and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The fields of a record with their names, none of them empty, and their readings by kind of value.
#[derive(Debug)]
pub(super) struct Fields<'f> {
    list: Vec<(Cow<'f, str>, Cow<'f, str>)>,
    names: &'f Names,
}

impl Fields<'_> {
    /// The fields that the event's evidence keeps: all but binary data.
    pub(super) fn kept(&self) -> EventFields {
        let is_binary = |name: &str| matches!(name, BINARY | WHEA_RECORD | NVME_HEALTH | NVME_VENDOR);
        let kept = self.list.iter().filter(|(name, _)| !is_binary(name)).map(|(name, value)| (&**name, &**value));
        EventFields::sharing(kept, self.names)
    }

    /// The first field called `name`, as written.
    pub(super) fn written(&self, name: &str) -> Option<&str> {
        self.list.iter().find(|(own, _)| *own == *name).map(|(_, value)| &**value)
    }

    /// The first of the fields `names` that is present.
    pub(super) fn first_text(&self, names: &[&str]) -> Option<Arc<str>> {
        names.iter().find_map(|name| self.text(name))
    }

    /// A text; `None` for the ways of writing "none".
    pub(super) fn text(&self, name: &str) -> Option<Arc<str>> {
        present(self.written(name)?).map(Arc::from)
    }

    /// A file name or another text that many records share.
    pub(super) fn name(&self, name: &str) -> Option<Arc<str>> {
        Some(self.names.share(present(self.written(name)?)?))
    }

    /// The shared copy of a text that many records give.
    pub(super) fn share(&self, text: &str) -> Arc<str> {
        self.names.share(text)
    }

    /// A path; a bare file name is none.
    pub(super) fn path(&self, name: &str) -> Option<Arc<str>> {
        self.text(name).filter(|path| path.contains(['\\', '/']))
    }

    /// A file version.
    pub(super) fn version(&self, name: &str) -> Option<Version> {
        Version::from_event_text(self.written(name)?)
    }

    /// A hexadecimal number, with or without `0x`.
    pub(super) fn hex_u32(&self, name: &str) -> Option<u32> {
        hex_u32(self.written(name)?)
    }

    /// A hexadecimal number, with or without `0x`.
    pub(super) fn hex_u64(&self, name: &str) -> Option<u64> {
        hex_u64(self.written(name)?)
    }

    /// A decimal number, or a hexadecimal one with `0x`.
    pub(super) fn number_u32(&self, name: &str) -> Option<u32> {
        number_u32(self.written(name)?)
    }

    /// A decimal number, or a hexadecimal one with `0x`.
    pub(super) fn number_u64(&self, name: &str) -> Option<u64> {
        number_u64(self.written(name)?)
    }

    /// A truth value: `true`, `false`, or a number of which zero is false.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match present(self.written(name)?)? {
            "true" => Some(true),
            "false" => Some(false),
            number => number_u64(number).map(|number| number != 0),
        }
    }

    /// The time of a FILETIME in hexadecimal digits.
    pub(super) fn hex_time(&self, name: &str) -> Option<Timestamp> {
        filetime(self.hex_u64(name)?)
    }

    /// A report id in this program's form.
    pub(super) fn guid(&self, name: &str) -> Option<Arc<str>> {
        guid(self.written(name)?).map(Arc::from)
    }

    /// The event's binary data.
    pub(super) fn binary(&self) -> Option<Vec<u8>> {
        hex_bytes(self.written(BINARY)?)
    }

    /// The values of all fields but the binary one, joined with `; `.
    pub(super) fn joined(&self) -> Arc<str> {
        let values: Vec<&str> =
            self.list.iter().filter(|(name, _)| *name != *BINARY).map(|(_, value)| value.trim()).collect();
        Arc::from(values.join("; "))
    }

    /// The values of all fields but the binary one, in order.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|(name, _)| *name != *BINARY).map(|(_, value)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of an event whose elements after `System` are `json`, under the names of `layout`.
    fn fields(json: &str, layout: &[&'static str]) -> Vec<(String, String)> {
        let node: Node<'_> = serde_json::from_str(json).expect("JSON");
        let Node::Map(elements) = node else { panic!("an object") };
        let names = Names::default();
        let written = WrittenFields::of(&elements);
        let fields = written.named(layout, &names);
        fields.list.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn named_fields_keep_the_events_order() {
        let found = fields(r#"{"EventData": {"Zeta": "1", "Alpha": 2, "Flag": false}}"#, &["Ignored"]);
        assert_eq!(found, pairs(&[("Zeta", "1"), ("Alpha", "2"), ("Flag", "false")]));
    }

    #[test]
    fn positions_get_the_layouts_names_and_numbers_where_it_has_none() {
        let json = r##"{"EventData": {"Data": {"#text": ["a", "", "c", "d"]}, "Binary": "00FF"}}"##;
        let found = fields(json, &["First", "Second", ""]);
        assert_eq!(found, pairs(&[("First", "a"), ("data2", "c"), ("data3", "d"), ("Binary", "00FF")]));
    }

    #[test]
    fn a_single_position_may_be_a_text_a_list_or_an_object() {
        for json in [
            r#"{"EventData": {"Data": "x"}}"#,
            r#"{"EventData": {"Data": ["x"]}}"#,
            r##"{"EventData": {"Data": {"#text": "x"}}}"##,
            r##"{"EventData": {"Data": {"#text": ["x"]}}}"##,
            r#"{"EventData": ["x"]}"#,
            r#"{"EventData": "x"}"#,
        ] {
            assert_eq!(fields(json, &["Only"]), pairs(&[("Only", "x")]), "{json}");
        }
    }

    #[test]
    fn positions_that_are_null_still_count() {
        let found = fields(r#"{"EventData": {"Data": [null, "b"], "Data_1": "c"}}"#, &[]);
        assert_eq!(found, pairs(&[("data1", "b"), ("data2", "c")]));
    }

    #[test]
    fn no_data_is_no_fields() {
        assert_eq!(fields(r#"{"EventData": null}"#, &["A"]), []);
        assert_eq!(fields("{}", &["A"]), []);
    }

    #[test]
    fn a_templates_name_is_no_field_and_complex_data_has_its_name_in_an_attribute() {
        let json = r##"{"EventData": {"#attributes": {"Name": "SOME_TEMPLATE"}, "param1": "a",
            "ComplexData": {"#attributes": {"Name": "State"}, "#text": "01"}}}"##;
        assert_eq!(fields(json, &[]), pairs(&[("param1", "a"), ("State", "01")]));
    }

    #[test]
    fn user_data_is_named_by_its_path_below_the_templates_element() {
        let json = r##"{"UserData": {"Root": {"#attributes": {"xmlns": "urn:x"}, "Plain": 1,
            "Outer": {"#attributes": {"a": "b"}, "Inner": {"Leaf": "2"}}, "Array": [3, 4]}}}"##;
        assert_eq!(fields(json, &[]), pairs(&[("Plain", "1"), ("Outer.Inner.Leaf", "2"), ("Array", "3; 4")]));
    }

    #[test]
    fn rendered_texts_of_forwarded_events_are_left_out() {
        let json = r#"{"EventData": {"A": "1"}, "RenderingInfo": {"Message": "translated"}}"#;
        assert_eq!(fields(json, &[]), pairs(&[("A", "1")]));
    }

    #[test]
    fn values_by_kind() {
        let names = Names::default();
        let node: Node<'_> = serde_json::from_str(
            r#"{"Name": " tool.exe ", "None": "NULL", "Bare": "a.dll", "Path": "C:\\a.dll", "Yes": 4, "No": "false",
                "Time": "0x1da9f8426b8ddc0", "Binary": "0102"}"#,
        )
        .expect("JSON");
        let written = WrittenFields::of(&[(Cow::Borrowed("EventData"), node)]);
        let fields = written.named(&[], &names);
        assert_eq!(fields.name("Name").as_deref(), Some("tool.exe"));
        assert_eq!(fields.text("None"), None);
        assert_eq!(fields.path("Bare"), None);
        assert_eq!(fields.path("Path").as_deref(), Some("C:\\a.dll"));
        assert_eq!((fields.flag("Yes"), fields.flag("No"), fields.flag("Missing")), (Some(true), Some(false), None));
        assert_eq!(fields.hex_time("Time").map(|time| time.to_string()).as_deref(), Some("2024-05-06T07:08:09.5Z"));
        assert_eq!(fields.binary(), Some(vec![1, 2]));
        assert_eq!(&*fields.joined(), "tool.exe; NULL; a.dll; C:\\a.dll; 4; false; 0x1da9f8426b8ddc0");
    }
}
