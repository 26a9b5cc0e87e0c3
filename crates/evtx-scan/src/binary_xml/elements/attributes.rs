//! The attributes of an element: no attribute is a field, but `Name` can be the name of the element's field.

use super::super::Unusual;
use super::super::names::NAME;
use super::super::token::Token;
use super::reader::{FieldReader, TokenSource, check};
use super::text::Text;
use crate::fields::TextSpan;

/// What is read of an element's attributes.
pub(super) struct Attributes {
    /// Whether an attribute has a value.
    pub(super) have_text: bool,
    /// The value of `Name`.
    pub(super) name: Option<TextSpan>,
    /// Whether the element ends behind its attributes.
    pub(super) end_element: bool,
}

/// The attribute that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    None,
    Name,
    Other,
}

impl<'c> FieldReader<'c, '_> {
    /// Reads the attributes of an element. With `ask_name`, the value of `Name` is added to the texts.
    pub(super) fn attributes(&mut self, source: &mut TokenSource<'c>, ask_name: bool) -> Result<Attributes, Unusual> {
        let mut attributes = Attributes { have_text: false, name: None, end_element: false };
        let mut attribute = Attribute::None;
        let mut has_name = false;
        let mut text = self.text(false);
        loop {
            match self.next(source)? {
                Token::StartEnds => break,
                Token::Empty => {
                    attributes.end_element = true;
                    break;
                }
                Token::Attribute(name) => {
                    check(name)?;
                    self.end_attribute(attribute, &text, &mut attributes);
                    attribute = if ask_name && name.is(NAME) { Attribute::Name } else { Attribute::Other };
                    if attribute == Attribute::Name && std::mem::replace(&mut has_name, true) {
                        return Err(Unusual("two names"));
                    }
                    text = self.text(false);
                }
                _ if attribute == Attribute::None => return Err(Unusual("a value without attribute")),
                Token::Substitution(index) => {
                    let value = self.value(source, index)?;
                    self.add(value, false, &mut text)?;
                }
                token => self.add_token(token, false, &mut text)?,
            }
        }
        self.end_attribute(attribute, &text, &mut attributes);
        Ok(attributes)
    }

    /// Ends an attribute whose value is the end of the texts.
    pub(super) fn end_attribute(&mut self, attribute: Attribute, text: &Text<'c>, attributes: &mut Attributes) {
        attributes.have_text |= text.is_some;
        if attribute == Attribute::Name && text.is_some {
            attributes.name = Some(TextSpan { start: text.start, end: self.texts.len() });
        } else {
            self.texts.truncate(text.start);
        }
    }
}
