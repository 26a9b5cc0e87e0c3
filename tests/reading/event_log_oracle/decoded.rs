//! Chunks as the `evtx` crate decodes them, and the rules by which its JSON becomes fields.
//!
//! The rules are those that `RecordFields` promises, implemented a second time: a defect would have to be made twice to
//! remain unnoticed. Both readers keep the order in which the record lists its fields.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use evtx::err::EvtxError;
use evtx::{EvtxChunkData, ParserSettings};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::logs::chunk_header;
use super::record::{Field, RecordValues};

/// The signature at the beginning of a chunk.
pub(crate) const SIGNATURE: &[u8; 8] = b"ElfChnk\0";

/// The records of a chunk as the crate decodes them.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// Records that name a provider and an event id, in the chunk's order.
    pub(crate) records: Vec<RecordValues>,
    /// Ids of records without provider or event id.
    pub(crate) nameless: Vec<u64>,
    /// Ids of records that the crate could not decode.
    pub(crate) failed: Vec<u64>,
    /// Whether the crate rejected the whole chunk.
    pub(crate) rejected: bool,
}

/// Records behind those that a chunk's header counts: the header is changed so that the crate decodes them, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unknown {
    /// Id of the last of them.
    pub(crate) last_id: u64,
}

/// Decodes a chunk, and the records up to the last unknown one.
pub(crate) fn decode(chunk: &[u8], unknown: Option<Unknown>) -> Decoded {
    let rejected = Decoded { rejected: true, ..Decoded::default() };
    catch_unwind(AssertUnwindSafe(|| decode_chunk(chunk, unknown))).unwrap_or(None).unwrap_or(rejected)
}

fn decode_chunk(chunk: &[u8], unknown: Option<Unknown>) -> Option<Decoded> {
    let mut bytes = chunk.to_vec();
    if unknown.is_some() {
        bytes.get_mut(..SIGNATURE.len())?.copy_from_slice(SIGNATURE);
        // Without a table of names, which may be damaged, the crate reads each name at its own place.
        bytes.get_mut(chunk_header::NAMES..chunk_header::TEMPLATES)?.fill(0);
    }
    let mut data = EvtxChunkData::new(bytes, false).ok()?;
    if let Some(Unknown { last_id }) = unknown {
        data.header.free_space_offset = u32::try_from(chunk.len()).ok()?;
        data.header.last_event_record_id = last_id;
    }
    let mut parsed = data.parse(Arc::new(ParserSettings::new().num_threads(1))).ok()?;
    let mut decoded = Decoded::default();
    for record in parsed.iter() {
        match record {
            Ok(record) => {
                let (id, logged) = (record.event_record_id, record.timestamp);
                match record.into_json_value() {
                    Ok(json) => match record_values(id, logged, &json.data) {
                        Some(values) => decoded.records.push(values),
                        None => decoded.nameless.push(id),
                    },
                    Err(_) => decoded.failed.push(id),
                }
            }
            Err(EvtxError::FailedToParseRecord { record_id, .. }) => decoded.failed.push(record_id),
            Err(_) => {}
        }
    }
    Some(decoded)
}

fn record_values(id: u64, logged: Timestamp, json: &Value) -> Option<RecordValues> {
    let event = json.get("Event")?.as_object()?;
    let system = event.get("System")?;
    let text = |pointer: &str| system.pointer(pointer).and_then(written);
    let content = |name: &str| system.get(name).and_then(content);
    let created = text("/TimeCreated/#attributes/SystemTime").and_then(|text| text.parse().ok()).filter(is_filetime);
    Some(RecordValues {
        id,
        provider: text("/Provider/#attributes/Name")?,
        event_id: content("EventID")?.trim().parse().ok()?,
        channel: content("Channel").filter(|text| !text.is_empty()),
        computer: content("Computer").filter(|text| !text.is_empty()),
        time: Some(created.unwrap_or(logged)).filter(|time| time.as_second() != NONE),
        fields: fields(event),
    })
}

/// The first second of FILETIME, which stands for "none": 1601-01-01, in seconds from the Unix epoch.
const NONE: i64 = -11_644_473_600;

/// Whether FILETIME holds the time. The crate writes years beyond 9999 with their last four digits.
fn is_filetime(time: &Timestamp) -> bool {
    time.as_second() >= NONE
}

/// A value as it is written; `None` for nothing, lists and objects.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The text of an element with or without attributes.
fn content(element: &Value) -> Option<String> {
    written(element.get("#text").unwrap_or(element))
}

fn fields(event: &Map<String, Value>) -> Vec<Field> {
    let mut fields = Vec::new();
    for (name, element) in event {
        match (name.as_str(), element) {
            ("System" | "#attributes" | "RenderingInfo", _) => {}
            ("UserData", Value::Object(roots)) => {
                roots
                    .iter()
                    .filter(|(name, _)| *name != "#attributes")
                    .for_each(|(_, root)| leaves("", root, &mut fields));
            }
            ("UserData", _) => {}
            (_, Value::Object(members)) => event_data(members, &mut fields),
            (_, Value::Null) => {}
            (_, value) => positions(value, &mut fields),
        }
    }
    fields
}

fn event_data(members: &Map<String, Value>, fields: &mut Vec<Field>) {
    let mut has_positions = false;
    for (name, value) in members {
        let number = name.strip_prefix("Data_").filter(|number| !number.is_empty());
        let is_numbered = number.is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()));
        if let Some(own) = value.pointer("/#attributes/Name").and_then(written) {
            fields.push((Some(own), content(value).unwrap_or_default()));
        } else if name == "Data" || (has_positions && is_numbered) {
            has_positions = true;
            positions(value, fields);
        } else if name != "#attributes" {
            leaves(name, value, fields);
        }
    }
}

/// Fields without names.
fn positions(value: &Value, fields: &mut Vec<Field>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| positions(item, fields)),
        Value::Object(members) => match members.get("#text") {
            Some(Value::Null | Value::Object(_)) | None => fields.push((None, String::new())),
            Some(inner) => positions(inner, fields),
        },
        value => fields.push((None, written(value).unwrap_or_default())),
    }
}

/// The fields at the ends of a tree, named by their paths.
fn leaves(path: &str, value: &Value, fields: &mut Vec<Field>) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                match name.as_str() {
                    "#attributes" => {}
                    "#text" => leaves(path, inner, fields),
                    name if path.is_empty() => leaves(name, inner, fields),
                    name => leaves(&[path, name].join("."), inner, fields),
                }
            }
        }
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(content).collect();
            fields.push((Some(path.to_owned()), texts.join("; ")));
        }
        value => fields.push((Some(path.to_owned()), written(value).unwrap_or_default())),
    }
}
