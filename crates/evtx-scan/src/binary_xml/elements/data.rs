//! The `Data` elements of an `EventData`: fields with a name, or without.

use super::super::Unusual;
use super::super::names::NAME;
use super::super::text::{is_empty, items, push, push_ascii, push_utf16};
use super::super::token::{NamedData, Token};
use super::super::value::{kind, until_nul};
use super::attributes::Attribute;
use super::reader::{DataField, FieldReader, Form, Parent, Sibling, TOO_MANY, TokenSource};
use super::siblings::push_number;
use super::text::Text;
use crate::fields::{TextSpan, is_numbered_data};

/// Between the items of a list in one field.
const ITEMS: &[u8] = b"; ";

impl<'c> FieldReader<'c, '_> {
    /// Reads a `Data` of `EventData` behind its beginning.
    pub(super) fn data(
        &mut self,
        source: &mut TokenSource<'c>,
        parent: &mut Parent,
        repeats: bool,
    ) -> Result<(), Unusual> {
        let (name, ends) = self.data_name(source)?;
        let field = self.data_field(name, parent)?;
        let mut text = self.text(repeats);
        if !ends {
            self.data_content(source, &mut text)?;
        }
        self.end_data(field, &text)
    }

    /// Adds a `Data` of `EventData` that [`Tokens::named_data`](super::super::token::Tokens::named_data) read.
    #[inline(always)]
    pub(super) fn named_data(
        &mut self,
        source: &TokenSource<'c>,
        data: &NamedData,
        parent: &mut Parent,
        text: &Text<'c>,
    ) -> Result<(), Unusual> {
        self.tokens_left = self.tokens_left.checked_sub(6).ok_or(TOO_MANY)?;
        if self.is_left_out(source, data.dependency)? {
            return Ok(());
        }
        if text.is_some || text.list.is_some() {
            return Err(Unusual("text beside elements"));
        }
        parent.has_elements = true;
        let name = Sibling { at: data.name.start, size: data.name.len(), is_data: true };
        if self.name_of(name).starts_with(&[0, 0]) {
            return Err(Unusual("a name with a NUL"));
        }
        let field = self.data_field(Some(name), parent)?;
        let mut text = self.text(true);
        let value = self.value(source, data.index)?;
        self.add(value, false, &mut text)?;
        self.end_data(field, &text)
    }

    /// Ends a `Data`: adds its text or, for a list, a field for each item.
    #[inline(always)]
    pub(super) fn end_data(&mut self, mut field: DataField, text: &Text<'c>) -> Result<(), Unusual> {
        let Some(list) = text.list.and_then(items) else { return self.add_data(field, text.start) };
        for item in list {
            let start = self.texts.len();
            push(item, &mut self.texts)?;
            self.add_data(field, start)?;
            if let DataField::Named(_) = field {
                field = DataField::Continued;
            }
        }
        Ok(())
    }

    /// Reads the attributes of a `Data`: returns its name, and whether the element ends behind them.
    #[inline]
    pub(super) fn data_name(&mut self, source: &mut TokenSource<'c>) -> Result<(Option<Sibling>, bool), Unusual> {
        let mut attribute = Attribute::None;
        let mut name = None;
        let mut has_name = false;
        loop {
            let (value, range) = match self.next(source)? {
                Token::StartEnds => return Ok((name, false)),
                Token::Empty => return Ok((name, true)),
                Token::Attribute(found) => {
                    attribute = if found.is(NAME) { Attribute::Name } else { Attribute::Other };
                    if attribute == Attribute::Name && std::mem::replace(&mut has_name, true) {
                        return Err(Unusual("two names"));
                    }
                    continue;
                }
                Token::Literal(value) => {
                    let end = source.tokens.at;
                    (value, end.saturating_sub(value.bytes.len())..end)
                }
                Token::Substitution(index) => match self.slot(source, index)? {
                    Some(slot) => (slot.value(self.chunk)?, slot.range()),
                    None => continue,
                },
                _ => return Err(Unusual("an attribute of Data that is read nowhere else")),
            };
            if is_empty(value) {
                continue;
            }
            match (attribute, value.kind) {
                (Attribute::Other, kind) if kind != kind::BINARY_XML && kind & kind::ARRAY == 0 => {}
                (Attribute::Name, kind::STRING) if name.is_none() => {
                    name = Some(Sibling { at: range.start, size: range.len(), is_data: true });
                }
                _ => return Err(Unusual("a name of Data that is more than a text")),
            }
        }
    }

    /// Which field of the record a `Data` element with this name is.
    #[inline(always)]
    pub(super) fn data_field(&mut self, name: Option<Sibling>, parent: &mut Parent) -> Result<DataField, Unusual> {
        let Some(name) = name else {
            parent.run = None;
            if parent.form == Form::Named {
                return Ok(DataField::LeftOut);
            }
            if parent.behind_data {
                return Err(Unusual("Data without name behind another element"));
            }
            parent.form = Form::Positional;
            parent.positional = true;
            return Ok(DataField::Positional);
        };
        if parent.form == Form::Positional {
            return Err(Unusual("Data with a name behind one without"));
        }
        parent.form = Form::Named;
        if let Some((run, field)) = parent.run
            && self.name_of(run) == self.name_of(name)
        {
            return Ok(field);
        }
        let earlier = self.earlier(parent, name)?;
        let start = self.texts.len();
        let utf16 = self.name_of(name);
        if !push_ascii(utf16, &mut self.texts) {
            if until_nul(utf16).len() != utf16.len() {
                return Err(Unusual("a name with a NUL"));
            }
            push_utf16(utf16, &mut self.texts);
        }
        push_number(earlier, &mut self.texts);
        let text = self.texts.get(start..).unwrap_or_default();
        // A name like those that the `evtx` crate gives to fields without name is none.
        if text == b"Data" || (parent.positional && is_numbered_data(text)) {
            parent.positional = true;
            parent.run = Some((name, DataField::Positional));
            return Ok(DataField::Positional);
        }
        parent.run = Some((name, DataField::Continued));
        Ok(DataField::Named(TextSpan { start, end: self.texts.len() }))
    }

    /// Reads the content and the end of a `Data`.
    #[inline]
    pub(super) fn data_content(&mut self, source: &mut TokenSource<'c>, text: &mut Text<'c>) -> Result<(), Unusual> {
        loop {
            match self.next(source)? {
                Token::ElementEnds => return Ok(()),
                Token::Substitution(index) => {
                    let value = self.value(source, index)?;
                    self.add(value, false, text)?;
                }
                token => self.add_token(token, false, text)?,
            }
        }
    }

    /// Adds a `Data` whose text is the texts from `start` on.
    #[inline(always)]
    pub(super) fn add_data(&mut self, field: DataField, start: usize) -> Result<(), Unusual> {
        match field {
            DataField::LeftOut => self.texts.truncate(start),
            DataField::Positional => self.push(None, start),
            DataField::Named(name) => self.push(Some(name), start),
            DataField::Continued => {
                let before = self.list.last_mut().filter(|field| field.value.end == start);
                let before = before.ok_or(Unusual("a list without its first item"))?;
                self.texts.splice(start..start, ITEMS.iter().copied());
                before.value.end = self.texts.len();
            }
        }
        Ok(())
    }
}
