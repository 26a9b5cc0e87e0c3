//! Records of unusual shape, decoded by the `evtx` crate.
//!
//! This is the only place that knows that crate's records. It decodes a chunk from its beginning, which costs as much
//! for one record as for all, and is asked for the few that [`binary_xml`](super::binary_xml) does not know how to
//! read.

use std::collections::BTreeMap;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use evtx::err::EvtxError;
use evtx::{EvtxChunkData, EvtxRecord, ParserSettings};
use jiff::Timestamp;

use super::binary_xml::elements::MAX_CHUNK_TEXTS;
use super::chunk::{Chunk, NAMES, SIGNATURE};
use super::coverage::{NO_TIME, real_time};
use super::fields::WrittenFields;
use super::head;
use super::json::{self, Node};
use super::records::RawRecord;

/// Size of a record's header, which stands before the content that the crate names by its offset, bytes.
const RECORD_HEADER: usize = 24;

/// A record as the crate decoded it.
#[derive(Debug)]
pub(super) struct FullRecord {
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
    /// What else its `System` says.
    pub(super) head: Vec<(String, String)>,
    /// Its fields.
    pub(super) fields: WrittenFields,
}

/// Decodes the records that are asked for, which are in the order of the chunk. The result has, by offset, each that
/// the crate could reach; `None` for one that names no provider or no event id.
///
/// # Errors
/// When the crate gives up on the chunk as a whole.
pub(super) fn decode(
    chunk: &Chunk<'_>,
    asked: &[RawRecord],
) -> Result<BTreeMap<usize, Result<Option<FullRecord>, String>>, String> {
    catch_unwind(AssertUnwindSafe(|| decode_unguarded(chunk, asked)))
        .unwrap_or_else(|_| Err("the decoder failed on its chunk".to_owned()))
}

fn decode_unguarded(
    chunk: &Chunk<'_>,
    asked: &[RawRecord],
) -> Result<BTreeMap<usize, Result<Option<FullRecord>, String>>, String> {
    let mut bytes = chunk.bytes.to_vec();
    // The crate gives up on chunks without signature or with a damaged table of names. Their records may be whole all
    // the same, and names can be read without the table.
    if let Some(signature) = bytes.first_chunk_mut() {
        *signature = *SIGNATURE;
    }
    if let Some(names) = bytes.get_mut(NAMES) {
        names.fill(0);
    }
    let mut data = EvtxChunkData::new(bytes, false).map_err(|error| innermost(&error))?;
    let mut decoded = BTreeMap::new();
    let mut texts = 0;
    decode_reached(&mut data, asked, &mut decoded, &mut texts)?;
    // Records behind those that the header knows are reached by telling the crate of them. It stops behind a record
    // with the last one's id, which in damaged chunks others may have too: none has the greatest.
    if let Some(last) = asked.last()
        && decoded.len() < asked.len()
    {
        let end = u32::try_from(last.end()).unwrap_or(u32::MAX);
        data.header.free_space_offset = data.header.free_space_offset.max(end);
        data.header.last_event_record_id = u64::MAX;
        decode_reached(&mut data, asked, &mut decoded, &mut texts)?;
    }
    Ok(decoded)
}

/// Decodes those of the asked records that the crate reaches by the header, but for those that are decoded already.
fn decode_reached(
    data: &mut EvtxChunkData,
    asked: &[RawRecord],
    decoded: &mut BTreeMap<usize, Result<Option<FullRecord>, String>>,
    texts: &mut usize,
) -> Result<(), String> {
    let settings = Arc::new(ParserSettings::new().num_threads(1));
    let mut parsed = data.parse(settings).map_err(|error| innermost(&error))?;
    for result in parsed.iter() {
        match result {
            Ok(record) => {
                let offset = usize::try_from(record.binxml_offset).unwrap_or(0).saturating_sub(RECORD_HEADER);
                let is_asked = asked.binary_search_by_key(&offset, |asked| asked.offset).is_ok();
                if is_asked && !matches!(decoded.get(&offset), Some(Ok(_))) {
                    if *texts > MAX_CHUNK_TEXTS {
                        decoded.insert(offset, Err("its chunk says many times what it holds".to_owned()));
                        continue;
                    }
                    let record = read(record);
                    if let Ok(Some(record)) = &record {
                        let head = record.head.iter().map(|(name, text)| name.len().saturating_add(text.len()));
                        *texts = head.fold(texts.saturating_add(record.fields.text_bytes()), usize::saturating_add);
                    }
                    decoded.insert(offset, record);
                }
            }
            Err(error) => {
                // The crate names a record that fails by its id alone.
                if let EvtxError::FailedToParseRecord { record_id, .. } = &error
                    && let Some(failed) = asked.iter().find(|asked| asked.id == *record_id)
                {
                    decoded.entry(failed.offset).or_insert_with(|| Err(innermost(&error)));
                }
            }
        }
    }
    Ok(())
}

fn read(record: EvtxRecord<'_>) -> Result<Option<FullRecord>, String> {
    let logged = record.timestamp;
    let json = record.into_json_bytes().map_err(|error| innermost(&error))?.data;
    let parts = json::parts(&json, &|system| identity(system).is_some()).map_err(|error| error.to_string())?;
    let system = &parts.system;
    let (Some(elements), Some((provider, event_id))) = (parts.elements, identity(system)) else {
        return Ok(None);
    };
    let created = system.get("TimeCreated").and_then(|element| element.attribute("SystemTime"));
    let text = |name: &str| system.get(name).and_then(Node::text).filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(Some(FullRecord {
        provider: provider.to_owned(),
        event_id,
        channel: text("Channel"),
        computer: text("Computer"),
        time: real_time(created.and_then(filetime_text).unwrap_or(logged)),
        head: head::parts(system),
        fields: WrittenFields::of(&elements),
    }))
}

/// A time that FILETIME holds. The crate writes years beyond 9999 with their last four digits.
fn filetime_text(text: &str) -> Option<Timestamp> {
    text.parse().ok().filter(|time: &Timestamp| time.as_second() >= NO_TIME)
}

/// Provider and event id.
fn identity<'n>(system: &'n Node<'_>) -> Option<(&'n str, u32)> {
    let provider = system.get("Provider")?.attribute("Name")?;
    let id = system.get("EventID")?.text()?.trim().parse().ok()?;
    Some((provider, id))
}

/// The first cause of an error, which says the most.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
