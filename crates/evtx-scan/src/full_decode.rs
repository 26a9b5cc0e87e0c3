//! Records of unusual shape, decoded by the `evtx` crate.
//!
//! This is the only place that knows that crate's records. It decodes a chunk from its beginning, which costs as much
//! for one record as for all, and is asked for the few that [`binary_xml`](super::binary_xml) does not know how to
//! read.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
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
pub(crate) struct FullRecord {
    /// Provider name as written.
    pub(crate) provider: String,
    /// Event id.
    pub(crate) event_id: u32,
    /// Channel.
    pub(crate) channel: Option<String>,
    /// The computer that logged it.
    pub(crate) computer: Option<String>,
    /// When it was logged.
    pub(crate) time: Option<Timestamp>,
    /// What else its `System` says.
    pub(crate) head: Vec<(String, String)>,
    /// Its fields.
    pub(crate) fields: WrittenFields,
}

/// By offset, what came of the records that were asked for; `None` for one that names no provider or no event id.
type Decoded = BTreeMap<usize, Result<Option<FullRecord>, DecodeError>>;

/// Why a record, or a chunk, could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// The crate gave up on it and said so.
    Refused(Box<str>),
    /// The crate panicked.
    Panicked,
    /// The records of the chunk hold a multiple of its bytes, as those that refer to each other can.
    Repeats,
    /// The crate did not reach the record.
    NotReached,
}

impl DecodeError {
    fn of(error: &(dyn Error + 'static)) -> Self {
        Self::Refused(innermost(error).into())
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused(reason) => reason,
            Self::Panicked => "the decoder failed on its chunk",
            Self::Repeats => "its chunk says many times what it holds",
            Self::NotReached => "it is damaged",
        })
    }
}

/// Decodes the records that are asked for, which are in the order of the chunk. The result has, by offset, each that
/// the crate could reach; `None` for one that names no provider or no event id.
///
/// # Errors
/// When the crate gives up on the chunk as a whole.
pub(crate) fn decode(chunk: &Chunk<'_>, asked: &[RawRecord]) -> Result<Decoded, DecodeError> {
    catch_unwind(AssertUnwindSafe(|| decode_unguarded(chunk, asked))).unwrap_or(Err(DecodeError::Panicked))
}

fn decode_unguarded(chunk: &Chunk<'_>, asked: &[RawRecord]) -> Result<Decoded, DecodeError> {
    let mut bytes = chunk.bytes.to_vec();
    // The crate gives up on chunks without signature or with a damaged table of names. Their records may be whole all
    // the same, and names can be read without the table.
    if let Some(signature) = bytes.first_chunk_mut() {
        *signature = *SIGNATURE;
    }
    if let Some(names) = bytes.get_mut(NAMES) {
        names.fill(0);
    }
    let mut data = EvtxChunkData::new(bytes, false).map_err(|error| DecodeError::of(&error))?;
    let mut decoded = Decoded::new();
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
    decoded: &mut Decoded,
    texts: &mut usize,
) -> Result<(), DecodeError> {
    let settings = Arc::new(ParserSettings::new().num_threads(1));
    let mut parsed = data.parse(settings).map_err(|error| DecodeError::of(&error))?;
    for result in parsed.iter() {
        match result {
            Ok(record) => {
                let offset = usize::try_from(record.binxml_offset).unwrap_or(0).saturating_sub(RECORD_HEADER);
                let is_asked = asked.binary_search_by_key(&offset, |asked| asked.offset).is_ok();
                if is_asked && !matches!(decoded.get(&offset), Some(Ok(_))) {
                    if *texts > MAX_CHUNK_TEXTS {
                        decoded.insert(offset, Err(DecodeError::Repeats));
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
                    decoded.entry(failed.offset).or_insert_with(|| Err(DecodeError::of(&error)));
                }
            }
        }
    }
    Ok(())
}

fn read(record: EvtxRecord<'_>) -> Result<Option<FullRecord>, DecodeError> {
    let logged = record.timestamp;
    let json = record.into_json_bytes().map_err(|error| DecodeError::of(&error))?.data;
    let parts = json::parts(&json, &|system| identity(system).is_some())
        .map_err(|error| DecodeError::Refused(error.to_string().into()))?;
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
