//! The parts of a record's `System` element, taken from where its template says that they are.

use jiff::Timestamp;

use super::binary_xml::Unusual;
use super::binary_xml::system::Part;
use super::binary_xml::text::push_utf16;
use super::binary_xml::value::{Value, Values, kind};
use super::coverage::real_time;
use crate::artifact::notation::filetime;

const NO_TEXT: Unusual = Unusual("a part of the system that is no text");

/// A record's tokens, and the values that are put into them.
pub(super) struct Parts<'p> {
    pub(super) bytes: &'p [u8],
    pub(super) values: Option<&'p Values<'p>>,
}

impl Parts<'_> {
    fn value(&self, index: usize) -> Result<Value<'_>, Unusual> {
        self.values.map_or(Ok(Value::NULL), |values| values.find(index))
    }

    /// A text, put into `into`; `None` where there is none.
    pub(super) fn text<'t>(&self, part: Part, into: &'t mut Vec<u8>) -> Result<Option<&'t str>, Unusual> {
        into.clear();
        if let Some(utf16) = self.utf16(part)? {
            push_utf16(utf16, into);
        }
        std::str::from_utf8(into).map(|text| Some(text).filter(|text| !text.is_empty())).map_err(|_| NO_TEXT)
    }

    /// A text as UTF-16.
    pub(super) fn utf16(&self, part: Part) -> Result<Option<&[u8]>, Unusual> {
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

    /// The event id.
    pub(super) fn number(&self, part: Part) -> Result<u32, Unusual> {
        const OTHER: Unusual = Unusual("an event id of another type");
        match part {
            Part::Number(number) => Ok(u32::from(number)),
            Part::Value(index) => match self.value(index)? {
                Value { kind: kind::UINT16, bytes: [low, high] } => Ok(u32::from(u16::from_le_bytes([*low, *high]))),
                _ => Err(OTHER),
            },
            Part::Literal(..) => {
                let mut text = Vec::new();
                self.text(part, &mut text)?.and_then(|text| text.trim().parse().ok()).ok_or(OTHER)
            }
            Part::Absent | Part::Other => Err(OTHER),
        }
    }

    /// The time that the record names itself or, without one that a calendar has, that of its header.
    pub(super) fn time(&self, part: Part, logged: u64) -> Result<Option<Timestamp>, Unusual> {
        let created = match part {
            Part::Absent => filetime(logged),
            Part::Literal(..) => {
                let mut text = Vec::new();
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
