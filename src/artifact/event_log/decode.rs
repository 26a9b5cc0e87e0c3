//! The inside of a chunk: its records, decoded by the `evtx` crate.
//!
//! This is the only place that knows that crate's records. What leaves it are the [`Record`]s that somebody wants,
//! and what is known of all others.

use std::error::Error;
use std::sync::Arc;

use evtx::err::EvtxError;
use evtx::{EvtxChunkData, EvtxRecord, ParserSettings};
use jiff::Timestamp;

use super::coverage::{Coverage, real_time};
use super::fields::WrittenFields;
use super::json::{self, Node};

/// A record that somebody wants.
#[derive(Debug)]
pub(super) struct Record {
    /// Its id.
    pub(super) id: u64,
    /// Provider name as written.
    pub(super) provider: String,
    /// Event id.
    pub(super) event_id: u32,
    /// Channel.
    pub(super) channel: Option<String>,
    /// The computer that logged it.
    pub(super) computer: Option<String>,
    /// When it was logged.
    pub(super) time: Option<Timestamp>,
    /// Its fields.
    pub(super) fields: WrittenFields,
}

/// A record that could not be decoded.
#[derive(Debug)]
pub(super) struct Failure {
    /// Its id or, without that, where in the chunk it lies.
    pub(super) place: String,
    /// Why.
    pub(super) reason: String,
}

/// What a chunk's records gave.
#[derive(Debug, Default)]
pub(super) struct Decoding {
    /// The wanted ones, in order.
    pub(super) wanted: Vec<Record>,
    /// How many were read, wanted or not.
    pub(super) read: u64,
    /// Those that could not be decoded.
    pub(super) failures: Vec<Failure>,
    /// The greatest record id.
    pub(super) last_id: Option<u64>,
    /// What they cover.
    pub(super) coverage: Coverage,
}

/// Decodes a chunk. `wanted` says by provider and event id which records somebody wants.
///
/// # Errors
/// When the chunk's table of names can't be read, without which none of its records can.
pub(super) fn decode(chunk: &mut EvtxChunkData, wanted: &dyn Fn(&str, u32) -> bool) -> Result<Decoding, String> {
    let settings = Arc::new(ParserSettings::new().num_threads(1));
    let mut parsed = chunk.parse(settings).map_err(|error| innermost(&error))?;
    let mut decoding = Decoding::default();
    for result in parsed.iter() {
        let decoded = match result {
            Ok(record) => {
                let id = record.event_record_id;
                decode_record(record, wanted, &mut decoding.coverage)
                    .map(|wanted| (id, wanted))
                    .map_err(|reason| Failure { place: format!("record {id}"), reason })
            }
            Err(error) => Err(failure(&error)),
        };
        match decoded {
            Ok((id, wanted)) => {
                decoding.read = decoding.read.saturating_add(1);
                decoding.last_id = decoding.last_id.max(Some(id));
                decoding.wanted.extend(wanted);
            }
            Err(failure) => decoding.failures.push(failure),
        }
    }
    Ok(decoding)
}

/// The record, if it is wanted.
fn decode_record(
    record: EvtxRecord<'_>,
    wanted: &dyn Fn(&str, u32) -> bool,
    coverage: &mut Coverage,
) -> Result<Option<Record>, String> {
    let (id, logged) = (record.event_record_id, record.timestamp);
    let json = record.into_json_bytes().map_err(|error| innermost(&error))?.data;
    let is_wanted = |system: &Node<'_>| identity(system).is_some_and(|(provider, id)| wanted(provider, id));
    let parts = json::parts(&json, &is_wanted).map_err(|error| error.to_string())?;
    let system = &parts.system;
    let channel = system.get("Channel").and_then(Node::text);
    let computer = system.get("Computer").and_then(Node::text);
    coverage.add(channel, computer, logged);
    let (Some(elements), Some((provider, event_id))) = (parts.elements, identity(system)) else {
        return Ok(None);
    };
    let created = system.get("TimeCreated").and_then(|element| element.attribute("SystemTime"));
    Ok(Some(Record {
        id,
        provider: provider.to_owned(),
        event_id,
        channel: channel.map(str::to_owned),
        computer: computer.map(str::to_owned),
        time: real_time(created.and_then(|time| time.parse().ok()).unwrap_or(logged)),
        fields: WrittenFields::of(&elements),
    }))
}

/// Provider and event id.
fn identity<'n>(system: &'n Node<'_>) -> Option<(&'n str, u32)> {
    let provider = system.get("Provider")?.attribute("Name")?;
    let id = system.get("EventID")?.text()?.trim().parse().ok()?;
    Some((provider, id))
}

fn failure(error: &EvtxError) -> Failure {
    let place = match error {
        EvtxError::FailedToParseRecord { record_id, .. } => format!("record {record_id}"),
        EvtxError::FailedToReadRecordAt { offset, .. } => format!("the record at offset {offset:#x}"),
        _ => "a record".to_owned(),
    };
    Failure { place, reason: innermost(error) }
}

/// The first cause of an error, which says the most.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
