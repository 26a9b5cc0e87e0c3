//! The events that all contestants search, and the records of a chunk that are such events.

use std::sync::Arc;

use evtx::{EvtxChunkData, ParserSettings};
use serde_json::Value;

/// One kind of wanted event.
#[derive(Debug)]
pub struct Kind {
    /// The channel that Windows logs it to.
    pub channel: &'static str,
    pub provider: &'static str,
    /// `None`: every id of the provider.
    pub event_id: Option<u64>,
}

impl Kind {
    const fn new(channel: &'static str, provider: &'static str, event_id: Option<u64>) -> Self {
        Self { channel, provider, event_id }
    }
}

/// Crashes of programs and of the system, power losses, resets of the GPU, hardware errors.
pub const KINDS: [Kind; 6] = [
    Kind::new("Application", "Application Error", Some(1000)),
    Kind::new("Application", "Windows Error Reporting", Some(1001)),
    Kind::new("System", "Microsoft-Windows-WER-SystemErrorReporting", Some(1001)),
    Kind::new("System", "Microsoft-Windows-Kernel-Power", Some(41)),
    Kind::new("System", "Display", Some(4101)),
    Kind::new("System", "Microsoft-Windows-WHEA-Logger", None),
];

/// The records of a chunk.
#[derive(Debug, Default)]
pub struct Content {
    /// The number of records.
    pub records: u64,
    /// The number of records that can't be decoded.
    pub undecoded: u64,
    /// The channel of the first record.
    pub channel: String,
    /// The wanted records by id: provider and event id.
    pub wanted: Vec<(u64, String)>,
}

/// Decodes a chunk in full with the `evtx` crate. Records that can't be decoded are not wanted.
pub fn content(chunk: Vec<u8>) -> Result<Content, String> {
    let mut chunk = EvtxChunkData::new(chunk, false).map_err(|error| error.to_string())?;
    let settings = Arc::new(ParserSettings::new().num_threads(1));
    let mut parsed = chunk.parse(settings).map_err(|error| error.to_string())?;
    let mut content = Content::default();
    for record in parsed.iter() {
        content.records = content.records.saturating_add(1);
        let Ok(json) = record.and_then(evtx::EvtxRecord::into_json) else {
            content.undecoded = content.undecoded.saturating_add(1);
            continue;
        };
        let named = KINDS.iter().any(|kind| json.data.contains(kind.provider));
        if !named && !content.channel.is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(&json.data).map_err(|error| error.to_string())?;
        let Some(system) = value.pointer("/Event/System") else { continue };
        if content.channel.is_empty() {
            content.channel = system.get("Channel").and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        if let Some(name) = identity(system) {
            content.wanted.push((json.event_record_id, name));
        }
    }
    Ok(content)
}

/// Provider and event id, if the event is wanted.
fn identity(system: &Value) -> Option<String> {
    let provider = system.pointer("/Provider/#attributes/Name")?.as_str()?;
    // The value of an element with attributes is a member of its own.
    let id = system.pointer("/EventID/#text").or_else(|| system.get("EventID"))?;
    let id = id.as_u64().or_else(|| id.as_str()?.trim().parse().ok())?;
    let is_wanted = |kind: &Kind| kind.provider == provider && kind.event_id.is_none_or(|wanted| wanted == id);
    KINDS.iter().any(is_wanted).then(|| format!("{provider} {id}"))
}
