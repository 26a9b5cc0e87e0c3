//! The fields of a record under their names, and their readings by kind of value.

use std::borrow::Cow;
use std::sync::Arc;

use evtx_scan::RecordFields;
use jiff::Timestamp;

use evidence::{EventFields, Names, Version, has_folder};
use untrusted::notation::{self, filetime, guid, hex_bytes, hex_u32, hex_u64, number_u32, number_u64, present};

/// Name of the field with an event's binary data, as hexadecimal digits.
const BINARY: &str = "Binary";
/// Names of fields with whole records or pages as hexadecimal digits: one of WHEA-Logger and two of StorPort.
const WHEA_RECORD: &str = "RawData";
const NVME_HEALTH: &str = "NvmeHealthLog";
const NVME_VENDOR: &str = "VendorSpecificLog";

/// The fields of a record with their names, none of them empty, and their readings by kind of value.
#[derive(Debug)]
pub(crate) struct Fields<'f> {
    list: Vec<(Cow<'f, str>, Cow<'f, str>)>,
    names: &'f Names,
}

impl<'f> Fields<'f> {
    /// The fields of a record. The field at position `n` among those without name gets the `n`th name of `layout`, or `data<n>`
    /// where the layout has fewer names or an empty one. Empty fields are left out.
    pub(crate) fn new(written: &'f RecordFields, layout: &[&'static str], names: &'f Names) -> Self {
        let mut list = Vec::new();
        let mut position = 0_usize;
        for (own_name, value) in written.iter() {
            let name = match own_name {
                Some(name) => Cow::Borrowed(name),
                None => {
                    let from_layout = layout.get(position).filter(|name| !name.is_empty());
                    let unnamed = || Cow::Owned(format!("data{position}"));
                    let name = from_layout.map_or_else(unnamed, |name| Cow::Borrowed(*name));
                    position = position.saturating_add(1);
                    name
                }
            };
            if !value.trim_start().is_empty() {
                list.push((name, notation::repaired(value)));
            }
        }
        Self { list, names }
    }
}

impl Fields<'_> {
    /// The fields that are kept as evidence: all but binary data.
    pub(crate) fn kept(&self) -> EventFields {
        let is_binary = |name: &str| matches!(name, BINARY | WHEA_RECORD | NVME_HEALTH | NVME_VENDOR);
        let kept = self.list.iter().filter(|(name, _)| !is_binary(name)).map(|(name, value)| (&**name, &**value));
        EventFields::sharing(kept, self.names)
    }

    /// The value of the first field with this name, as it is in the record.
    pub(crate) fn written(&self, name: &str) -> Option<&str> {
        self.list.iter().find(|(own, _)| *own == *name).map(|(_, value)| &**value)
    }

    /// The text of the first of the fields `names` that the record has.
    pub(crate) fn first_text(&self, names: &[&str]) -> Option<Arc<str>> {
        names.iter().find_map(|name| self.text(name))
    }

    /// A text; `None` for the texts that stand for "none".
    pub(crate) fn text(&self, name: &str) -> Option<Arc<str>> {
        present(self.written(name)?).map(Arc::from)
    }

    /// A file name or another text that many records share.
    pub(crate) fn name(&self, name: &str) -> Option<Arc<str>> {
        Some(self.names.share(present(self.written(name)?)?))
    }

    /// The shared copy of a text that many records give.
    pub(crate) fn share(&self, text: &str) -> Arc<str> {
        self.names.share(text)
    }

    /// A path; `None` for a bare file name.
    pub(crate) fn path(&self, name: &str) -> Option<Arc<str>> {
        self.text(name).filter(|path| has_folder(path))
    }

    /// A file version.
    pub(crate) fn version(&self, name: &str) -> Option<Version> {
        Version::from_event_text(self.written(name)?)
    }

    /// A hexadecimal number, with or without `0x`.
    pub(crate) fn hex_u32(&self, name: &str) -> Option<u32> {
        hex_u32(self.written(name)?)
    }

    /// A hexadecimal number, with or without `0x`.
    pub(crate) fn hex_u64(&self, name: &str) -> Option<u64> {
        hex_u64(self.written(name)?)
    }

    /// A decimal number, or a hexadecimal one with `0x`.
    pub(crate) fn number_u32(&self, name: &str) -> Option<u32> {
        number_u32(self.written(name)?)
    }

    /// A decimal number, or a hexadecimal one with `0x`.
    pub(crate) fn number_u64(&self, name: &str) -> Option<u64> {
        number_u64(self.written(name)?)
    }

    /// A truth value: `true`, `false`, or a number of which zero is false.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match present(self.written(name)?)? {
            "true" => Some(true),
            "false" => Some(false),
            number => number_u64(number).map(|number| number != 0),
        }
    }

    /// The time of a FILETIME in hexadecimal digits.
    pub(crate) fn hex_time(&self, name: &str) -> Option<Timestamp> {
        filetime(self.hex_u64(name)?)
    }

    /// A report id in this program's form.
    pub(crate) fn guid(&self, name: &str) -> Option<Arc<str>> {
        guid(self.written(name)?).map(Arc::from)
    }

    /// The event's binary data.
    pub(crate) fn binary(&self) -> Option<Vec<u8>> {
        hex_bytes(self.written(BINARY)?)
    }

    /// The UTF-16 texts in the event's binary data, each up to its terminating zero; those behind one that is no UTF-16 are left
    /// out.
    pub(crate) fn binary_texts(&self) -> Vec<String> {
        let bytes = self.binary().unwrap_or_default();
        let units: Vec<u16> = bytes.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        units.split(|unit| *unit == 0).map_while(|text| String::from_utf16(text).ok()).collect()
    }

    /// The values of all fields but the binary one, joined with `; `.
    pub(crate) fn joined(&self) -> Arc<str> {
        Arc::from(self.values().map(str::trim).collect::<Vec<_>>().join("; "))
    }

    /// The values of all fields but the binary one, in order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|(name, _)| *name != *BINARY).map(|(_, value)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use evtx_scan::Node;

    use super::*;

    /// The fields of an event whose elements after `System` are `json`, under the names of `layout`.
    fn fields(json: &str, layout: &[&'static str]) -> Vec<(String, String)> {
        let node: Node<'_> = serde_json::from_str(json).expect("JSON");
        let Node::Map(elements) = node else { panic!("an object") };
        let names = Names::default();
        let written = RecordFields::from_elements(&elements);
        let fields = Fields::new(&written, layout, &names);
        fields.list.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
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
    fn values_by_kind() {
        let names = Names::default();
        let node: Node<'_> = serde_json::from_str(
            r#"{"Name": " tool.exe ", "None": "NULL", "Bare": "a.dll", "Path": "C:\\a.dll", "Yes": 4, "No": "false",
                "Time": "0x1da9f8426b8ddc0", "Binary": "0102"}"#,
        )
        .expect("JSON");
        let written = RecordFields::from_elements(&[(Cow::Borrowed("EventData"), node)]);
        let fields = Fields::new(&written, &[], &names);
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
