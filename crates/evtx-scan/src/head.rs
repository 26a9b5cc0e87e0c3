//! The parts of a record's `System` element that are read only on request.

use std::borrow::Cow;
use std::ops::Range;

use super::binary_xml::Unusual;
use super::binary_xml::text::{is_empty, push};
use super::binary_xml::token::{Instance, Name, Token, Tokens};
use super::binary_xml::value::{Value, Values, until_nul};
use super::json::Node;

/// The most tokens that a `System` may have, as in `binary_xml::system`.
const MOST_TOKENS: usize = 2048;

/// The `System` element of a record. A part has the name of its element, or of the element and an attribute with `_` between
/// them: `Level`, `Execution_ProcessID`.
#[derive(Debug, Clone, Copy)]
pub struct Head<'r>(Origin<'r>);

/// Where the parts are.
#[derive(Debug, Clone, Copy)]
enum Origin<'r> {
    /// In this chunk, from the first to the second offset: the record's binary XML.
    Binary(&'r [u8], usize, usize),
    /// In this list of names and texts.
    Parts(&'r [(String, String)]),
    /// Nowhere: they were not kept.
    Nothing,
}

/// Why a part is not known: it was not kept, or has a shape that is not known exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread;

impl<'r> Head<'r> {
    /// The head of a record of which no parts were kept.
    pub(crate) const UNREAD: Self = Self(Origin::Nothing);

    /// The head of the record whose binary XML is this part of the chunk.
    pub(crate) fn in_chunk(chunk: &'r [u8], record: Range<usize>) -> Self {
        Self(Origin::Binary(chunk, record.start, record.end))
    }

    /// A head with these parts: names and texts.
    #[must_use]
    pub fn from_parts(parts: &'r [(String, String)]) -> Self {
        Self(Origin::Parts(parts))
    }

    /// The text of a part; `None` for a part that the record does not have.
    ///
    /// # Errors
    /// When the part can't be read.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'r, str>>, Unread> {
        match self.0 {
            Origin::Binary(chunk, start, end) => binary(chunk, start..end, name).map_err(|Unusual(_)| Unread),
            Origin::Parts(parts) => {
                Ok(parts.iter().find(|(own, _)| own == name).map(|(_, text)| Cow::Borrowed(text.as_str())))
            }
            Origin::Nothing => Err(Unread),
        }
    }
}

/// Names and texts of all parts of a `System` element, for [`Head::from_parts`].
#[must_use]
pub fn parts(system: &Node<'_>) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    let Node::Map(elements) = system else { return parts };
    for (element, content) in elements {
        parts.extend(content.text().filter(|text| !text.is_empty()).map(|text| (element.to_string(), text.to_owned())));
        let Some(Node::Map(attributes)) = content.get("#attributes") else { continue };
        for (attribute, value) in attributes {
            let text = value.text().filter(|text| !text.is_empty());
            parts.extend(text.map(|text| (format!("{element}_{attribute}"), text.to_owned())));
        }
    }
    parts
}

/// The text of a part in a record's binary XML.
fn binary<'c>(chunk: &[u8], record: Range<usize>, name: &str) -> Result<Option<Cow<'c, str>>, Unusual> {
    let (mut tokens, values) = match Instance::of_record(chunk, record.clone())? {
        Some(Instance { definition, values }) => (Tokens::of_definition(chunk, definition)?, Some(values)),
        None => (Tokens::of_record(chunk, record)?, None),
    };
    let (element, attribute) = match name.split_once('_') {
        Some((element, attribute)) => (element, Some(attribute)),
        None => (name, None),
    };
    // Open elements: one within `Event`, two within `System`, three within a part of it.
    let mut depth = 0_usize;
    let (mut in_element, mut in_part) = (false, false);
    let mut text = Vec::new();
    for _ in 0..MOST_TOKENS {
        match tokens.next()? {
            Token::Element(opened) => {
                depth = depth.saturating_add(1);
                in_part = false;
                if depth == 3 {
                    in_element = is_called(opened.name, element)? && !is_left_out(opened.dependency, values.as_ref())?;
                }
            }
            Token::Attribute(own) => {
                in_part = match attribute {
                    Some(wanted) if depth == 3 && in_element => is_called(own, wanted)?,
                    _ => false,
                };
            }
            Token::StartEnds => in_part = depth == 3 && in_element && attribute.is_none(),
            Token::Empty | Token::ElementEnds => {
                match depth {
                    0..=2 => return Ok(None),
                    3 if in_element => {
                        let text = String::from_utf8(text).map_err(|_| Unusual("a part of the system that is no text"));
                        return text.map(|text| Some(text).filter(|text| !text.is_empty()).map(Cow::Owned));
                    }
                    _ => {}
                }
                depth = depth.saturating_sub(1);
                in_part = false;
            }
            Token::Literal(value) => add(value, in_part, &mut text)?,
            Token::Substitution(index) => {
                if in_part {
                    let value = values.as_ref().map_or(Ok(Value::NULL), |values| values.find(index))?;
                    add(value, true, &mut text)?;
                }
            }
            Token::CData(_) | Token::Character(_) if !in_part => {}
            Token::CData(_) | Token::Character(_) | Token::Entity(_) | Token::Instance(_) | Token::End => {
                return Err(Unusual("a part of the system of another shape"));
            }
        }
    }
    Err(Unusual("a system of very many tokens"))
}

/// Adds the text of a value, if the value belongs to the part.
fn add(value: Value<'_>, is_in_part: bool, text: &mut Vec<u8>) -> Result<(), Unusual> {
    if !is_in_part || is_empty(value) {
        return Ok(());
    }
    if !text.is_empty() {
        return Err(Unusual("a part of the system of several values"));
    }
    push(value, text)
}

/// Whether an element that depends on this value is left out.
fn is_left_out(dependency: Option<usize>, values: Option<&Values<'_>>) -> Result<bool, Unusual> {
    match (dependency, values) {
        (Some(index), Some(values)) => Ok(values.find(index)?.is_null()),
        _ => Ok(false),
    }
}

/// Whether the name is `wanted`.
///
/// # Errors
/// For a damaged name, with a NUL in it.
fn is_called(name: Name<'_>, wanted: &str) -> Result<bool, Unusual> {
    if until_nul(name.utf16).len() != name.utf16.len() {
        return Err(Unusual("a name with a NUL"));
    }
    let units = name.utf16.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    Ok(units.eq(wanted.encode_utf16()))
}
