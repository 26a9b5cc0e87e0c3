//! The parts of a record's `System` element, read at the places that were found in its template's definition.

use jiff::Timestamp;

use super::binary_xml::Unusual;
use super::binary_xml::system::Part;
use super::binary_xml::text::push_utf16;
use super::binary_xml::value::{Slot, Value, kind};
use super::coverage::real_time;
use untrusted::notation::filetime;

const NO_TEXT: Unusual = Unusual("a part of the system that is no text");

/// A text with the UTF-16 that it was decoded from: the next record mostly has the same.
#[derive(Debug, Default)]
pub(crate) struct ReadText {
    utf16: Vec<u8>,
    text: String,
}

impl ReadText {
    fn read(&mut self, utf16: &[u8]) -> Result<(), Unusual> {
        let mut text = std::mem::take(&mut self.text).into_bytes();
        text.clear();
        self.utf16.clear();
        push_utf16(utf16, &mut text);
        self.text = String::from_utf8(text).map_err(|_| NO_TEXT)?;
        self.utf16.extend_from_slice(utf16);
        Ok(())
    }
}

/// A record's tokens, and the values that are put into them.
pub(crate) struct SystemValues<'p> {
    pub(crate) bytes: &'p [u8],
    pub(crate) values: &'p [Slot],
}

impl SystemValues<'_> {
    fn value(&self, index: usize) -> Result<Value<'_>, Unusual> {
        self.values.get(index).map_or(Ok(Value::NULL), |value| value.value(self.bytes))
    }

    /// The text of a part, decoded into `into`; `None` for a part that is missing or empty.
    pub(crate) fn text<'t>(&self, part: Part, into: &'t mut ReadText) -> Result<Option<&'t str>, Unusual> {
        let utf16 = self.utf16(part)?.unwrap_or_default();
        if *utf16 != *into.utf16 {
            into.read(utf16)?;
        }
        Ok(Some(into.text.as_str()).filter(|text| !text.is_empty()))
    }

    /// The text of a part as UTF-16; `None` for a part that is missing.
    pub(crate) fn utf16(&self, part: Part) -> Result<Option<&[u8]>, Unusual> {
        match part {
            Part::Absent => Ok(None),
            Part::Literal(start, end) => Ok(self.bytes.get(start..end)),
            Part::Value(index) => match self.value(index)? {
                Value { kind: kind::NULL, .. } => Ok(None),
                Value { kind: kind::STRING, bytes } => Ok(Some(bytes)),
                _ => Err(NO_TEXT),
            },
            Part::Number(_) | Part::Other => Err(NO_TEXT),
        }
    }

    /// The event id at the place `part`.
    pub(crate) fn number(&self, part: Part) -> Result<u32, Unusual> {
        const OTHER: Unusual = Unusual("an event id of another type");
        match part {
            Part::Number(number) => Ok(u32::from(number)),
            Part::Value(index) => match self.value(index)? {
                Value { kind: kind::UINT16, bytes: [low, high] } => Ok(u32::from(u16::from_le_bytes([*low, *high]))),
                _ => Err(OTHER),
            },
            Part::Literal(..) => {
                let mut text = ReadText::default();
                self.text(part, &mut text)?.and_then(|text| text.trim().parse().ok()).ok_or(OTHER)
            }
            Part::Absent | Part::Other => Err(OTHER),
        }
    }

    /// The time at the place `part` or, when that is missing or in no calendar, the one of the record's header, `logged`.
    pub(crate) fn time(&self, part: Part, logged: u64) -> Result<Option<Timestamp>, Unusual> {
        let created = match part {
            Part::Absent => filetime(logged),
            Part::Literal(..) => {
                let mut text = ReadText::default();
                self.text(part, &mut text)?.and_then(|text| text.parse().ok()).or_else(|| filetime(logged))
            }
            Part::Value(index) => match self.value(index)? {
                Value { kind: kind::NULL, .. } => filetime(logged),
                Value { kind: kind::FILETIME, bytes } => {
                    let created = bytes.first_chunk().map_or(0, |ticks| u64::from_le_bytes(*ticks));
                    filetime(created).or_else(|| filetime(logged).filter(|_| created != 0))
                }
                _ => return Err(Unusual("a time of another type")),
            },
            Part::Number(_) | Part::Other => return Err(Unusual("a time of another type")),
        };
        Ok(created.and_then(real_time))
    }
}
