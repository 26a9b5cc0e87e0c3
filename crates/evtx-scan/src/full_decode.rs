//! Records of unusual shape, decoded by the `evtx` crate.
//!
//! Only this module uses that crate's records. The crate decodes a chunk from its beginning, which costs as much for one
//! record as for all, and is used for the few records that [`binary_xml`](super::binary_xml) can't read.

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
use super::fields::RecordFields;
use super::head;
use super::json::{self, Elements, Node};
use super::records::RawRecord;

/// Size of a record's header, bytes. The crate gives the offset of the content behind it.
const RECORD_HEADER: usize = 24;

/// A record as the crate decoded it: see [`Record`](super::record::Record).
#[derive(Debug)]
pub(crate) struct FullRecord {
    pub(crate) provider: String,
    pub(crate) event_id: u32,
    pub(crate) channel: Option<String>,
    pub(crate) computer: Option<String>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) head: Vec<(String, String)>,
    pub(crate) fields: RecordFields,
}

/// The requested records by offset; `None` for a record without provider or without event id.
type Decoded = BTreeMap<usize, Result<Option<FullRecord>, DecodeError>>;

/// Why a record, or a chunk, could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The crate returned this error.
    #[error("{0}")]
    Refused(Box<str>),
    /// The crate panicked.
    #[error("the decoder failed on its chunk")]
    Panicked,
    /// The texts of the chunk's records are longer than [`MAX_CHUNK_TEXTS`], as texts that records share can be.
    #[error("its chunk says many times what it holds")]
    Repeats,
    /// The crate did not reach the record.
    #[error("it is damaged")]
    NotReached,
}

impl DecodeError {
    /// The first cause of the crate's error, which is the most specific one.
    fn refused(error: &(dyn Error + 'static)) -> Self {
        let mut cause = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        Self::Refused(cause.to_string().into())
    }
}

/// Decodes the records `requested` of a chunk, which are in the order of their offsets. The result has each of them that the
/// crate could reach.
///
/// # Errors
/// When the crate refuses the chunk as a whole.
pub(crate) fn decode(chunk: &Chunk<'_>, requested: &[RawRecord]) -> Result<Decoded, DecodeError> {
    if requested.is_empty() {
        return Ok(Decoded::new());
    }
    catch_unwind(AssertUnwindSafe(|| decode_unguarded(chunk, requested))).unwrap_or(Err(DecodeError::Panicked))
}

fn decode_unguarded(chunk: &Chunk<'_>, requested: &[RawRecord]) -> Result<Decoded, DecodeError> {
    let mut bytes = chunk.bytes.to_vec();
    // The crate refuses chunks without signature or with a damaged table of names. Their records may be whole all the same,
    // and names can be read without the table.
    if let Some(signature) = bytes.first_chunk_mut() {
        *signature = *SIGNATURE;
    }
    if let Some(names) = bytes.get_mut(NAMES) {
        names.fill(0);
    }
    let mut data = EvtxChunkData::new(bytes, false).map_err(|error| DecodeError::refused(&error))?;
    let mut decoded = Decoded::new();
    let mut texts = 0;
    decode_reached(&mut data, requested, &mut decoded, &mut texts)?;
    // The crate reaches records behind those that the header counts if the header is changed. It stops behind a record with
    // the last one's id, which in damaged chunks others may have, too: no record has the greatest id.
    if let Some(last) = requested.last()
        && decoded.len() < requested.len()
    {
        let end = u32::try_from(last.end()).unwrap_or(u32::MAX);
        data.header.free_space_offset = data.header.free_space_offset.max(end);
        data.header.last_event_record_id = u64::MAX;
        decode_reached(&mut data, requested, &mut decoded, &mut texts)?;
    }
    Ok(decoded)
}

/// Adds to `decoded` the requested records that the crate reaches by the header and that are not decoded yet. `texts` is the
/// length of all texts decoded so far, bytes.
fn decode_reached(
    data: &mut EvtxChunkData,
    requested: &[RawRecord],
    decoded: &mut Decoded,
    texts: &mut usize,
) -> Result<(), DecodeError> {
    let settings = Arc::new(ParserSettings::new().num_threads(1));
    let mut parsed = data.parse(settings).map_err(|error| DecodeError::refused(&error))?;
    for result in parsed.iter() {
        match result {
            Ok(record) => {
                let offset = usize::try_from(record.binxml_offset).unwrap_or(0).saturating_sub(RECORD_HEADER);
                let is_requested = requested.binary_search_by_key(&offset, |record| record.offset).is_ok();
                if is_requested && !matches!(decoded.get(&offset), Some(Ok(_))) {
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
                // The error has the record's id, and not its offset.
                if let EvtxError::FailedToParseRecord { record_id, .. } = &error
                    && let Some(failed) = requested.iter().find(|record| record.id == *record_id)
                {
                    decoded.entry(failed.offset).or_insert_with(|| Err(DecodeError::refused(&error)));
                }
            }
        }
    }
    Ok(())
}

/// A record that the crate decoded; `None` for a record without provider or without event id.
fn read(record: EvtxRecord<'_>) -> Result<Option<FullRecord>, DecodeError> {
    let logged = record.timestamp;
    let json = record.into_json_bytes().map_err(|error| DecodeError::refused(&error))?.data;
    let elements = json::elements(&json).map_err(|error| DecodeError::refused(&error))?;
    let Some(Elements { system, others }) = elements else { return Ok(None) };
    let Some((provider, event_id)) = provider_and_id(&system) else { return Ok(None) };
    let created = system.get("TimeCreated").and_then(|element| element.attribute("SystemTime"));
    let text = |name: &str| system.get(name).and_then(Node::text).filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(Some(FullRecord {
        provider: provider.to_owned(),
        event_id,
        channel: text("Channel"),
        computer: text("Computer"),
        time: real_time(created.and_then(filetime_text).unwrap_or(logged)),
        head: head::parts(&system),
        fields: RecordFields::from_elements(&others),
    }))
}

/// A time that a FILETIME can be. The crate writes years beyond 9999 with their last four digits.
fn filetime_text(text: &str) -> Option<Timestamp> {
    text.parse().ok().filter(|time: &Timestamp| time.as_second() >= NO_TIME)
}

/// The provider's name and the event id of a `System` element.
fn provider_and_id<'n>(system: &'n Node<'_>) -> Option<(&'n str, u32)> {
    let provider = system.get("Provider")?.attribute("Name")?;
    let id = system.get("EventID")?.text()?.trim().parse().ok()?;
    Some((provider, id))
}
