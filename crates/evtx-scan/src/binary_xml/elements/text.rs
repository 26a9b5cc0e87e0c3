//! The text of an element: of values and characters.

use super::super::Unusual;
use super::super::text::{is_empty, items, push, push_character, push_utf16};
use super::super::token::Token;
use super::super::value::{Value, kind};
use super::reader::FieldReader;

/// The longest texts of a record, bytes. Real records have some kilobytes.
const MAX_TEXTS: usize = 1 << 20;

/// The text of an element that is being read: the texts from `start` on.
pub(super) struct Text<'c> {
    /// Where the text begins.
    pub(super) start: usize,
    /// Whether there is a text. It may be empty: an empty item of a list is a text.
    pub(super) is_some: bool,
    /// A list of several items: the element is repeated for each of them.
    pub(super) list: Option<Value<'c>>,
    /// Whether the element may be repeated, as all may but the root of a template.
    pub(super) repeats: bool,
}

impl<'c> FieldReader<'c, '_> {
    /// The text of an element that begins here, empty so far.
    pub(super) fn text(&self, repeats: bool) -> Text<'c> {
        Text { start: self.texts.len(), is_some: false, list: None, repeats }
    }

    /// Adds a value to an element's text.
    #[inline(always)]
    pub(super) fn add(&mut self, value: Value<'c>, has_elements: bool, text: &mut Text<'c>) -> Result<(), Unusual> {
        if is_empty(value) {
            return Ok(());
        }
        if has_elements || text.list.is_some() {
            return Err(Unusual("text beside elements or lists"));
        }
        if value.kind == kind::STRING {
            push_utf16(value.bytes, &mut self.texts);
        } else if let Some(mut list) = items(value) {
            let first = list.next();
            if list.next().is_some() {
                if text.is_some || !text.repeats {
                    return Err(Unusual("a list beside text or in a template's root"));
                }
                text.list = Some(value);
                return Ok(());
            }
            // A list of one item has that item's text.
            push(first.unwrap_or(Value::NULL), &mut self.texts)?;
        } else {
            push(value, &mut self.texts)?;
        }
        text.is_some = true;
        if self.texts.len() > MAX_TEXTS { Err(Unusual("too much text")) } else { Ok(()) }
    }

    /// Adds a token to an element's text.
    #[inline]
    pub(super) fn add_token(
        &mut self,
        token: Token<'c>,
        has_elements: bool,
        text: &mut Text<'c>,
    ) -> Result<(), Unusual> {
        match token {
            Token::Literal(value) => self.add(value, has_elements, text),
            Token::CData(characters) => self.add(Value { kind: kind::STRING, bytes: characters }, has_elements, text),
            Token::Character(number) => {
                let character = char::from_u32(number.into()).ok_or(Unusual("half a character"))?;
                self.add_character(character, has_elements, text)
            }
            Token::Entity(name) => {
                let character = match name.utf16 {
                    b"q\0u\0o\0t\0" => '"',
                    b"a\0p\0o\0s\0" => '\'',
                    b"a\0m\0p\0" => '&',
                    b"l\0t\0" => '<',
                    b"g\0t\0" => '>',
                    _ => return Err(Unusual("a character by a name that XML does not know")),
                };
                self.add_character(character, has_elements, text)
            }
            _ => Err(Unusual("a token that does not belong into content")),
        }
    }

    /// Adds a character to an element's text.
    pub(super) fn add_character(
        &mut self,
        character: char,
        has_elements: bool,
        text: &mut Text<'c>,
    ) -> Result<(), Unusual> {
        if has_elements || text.list.is_some() {
            return Err(Unusual("text beside elements or lists"));
        }
        push_character(character, &mut self.texts);
        text.is_some = true;
        Ok(())
    }
}
