//! Reading fields from the elements of an event beside `System`.
//!
//! The result is the list that [`RecordFields::from_elements`] makes of the `evtx` crate's JSON of the same record. Shapes whose
//! fields would depend on how that JSON is built (text beside elements, lists in attributes...) are [`Unusual`].

mod attributes;
mod data;
mod member;
mod reader;
mod siblings;
mod text;

use std::ops::Range;

pub(crate) use self::reader::{Effort, FieldScratch, MAX_CHUNK_TEXTS};
use self::reader::{FieldReader, Kind, MAX_TOKENS, Parent, Sibling, TokenSource, check, deeper};
use self::text::Text;
use super::Unusual;
use super::names::{DATA, EVENT_DATA, RENDERING_INFO, SYSTEM, USER_DATA};
use super::token::{Instance, Name, Token, Tokens};
use super::value::{Values, kind};
use crate::fields::RecordFields;

/// Reads the fields of the event whose elements behind `System` are the tokens in this part of the chunk: part of a definition
/// when there are `values`, or else of the record itself.
///
/// # Errors
/// For shapes that are not known exactly. `into` is empty then.
pub(crate) fn read_fields(
    chunk: &[u8],
    tokens: Range<usize>,
    values: Option<&Values<'_>>,
    into: &mut RecordFields,
    scratch: &mut FieldScratch,
) -> Result<(), Unusual> {
    scratch.begin_record()?;
    let (texts, list) = into.take_room();
    let mut reader = FieldReader { chunk, texts, list, scratch, tokens_left: MAX_TOKENS };
    let result = reader.event(tokens, values);
    reader.count_effort();
    let FieldReader { mut texts, mut list, .. } = reader;
    if result.is_err() {
        texts.clear();
        list.clear();
    }
    into.fill(texts, list).map_err(|_| Unusual("a text is not UTF-8"))?;
    result
}

impl<'c> FieldReader<'c, '_> {
    /// Reads the rest of `Event`, behind `System`.
    fn event(&mut self, tokens: Range<usize>, values: Option<&Values<'c>>) -> Result<(), Unusual> {
        let mut source = TokenSource { tokens: Tokens::within(self.chunk, tokens, values.is_some())?, instance: None };
        if let Some(values) = values {
            let (slots, end) = self.slots_of(values)?;
            if !values.end_tokens(end) {
                return Err(Unusual("something follows the event"));
            }
            source.instance = Some(slots);
        }
        let mut event = Parent::new(Kind::Event, self.scratch);
        let mut text = self.text(false);
        self.content(&mut source, &mut event, &mut text, 0)?;
        if text.is_some {
            return Err(Unusual("text in Event"));
        }
        match self.next(&mut source)? {
            Token::End => Ok(()),
            _ => Err(Unusual("something follows the event")),
        }
    }

    /// Reads the content and the end of an element.
    fn content(
        &mut self,
        source: &mut TokenSource<'c>,
        parent: &mut Parent,
        text: &mut Text<'c>,
        depth: usize,
    ) -> Result<(), Unusual> {
        loop {
            if parent.kind == (Kind::EventData { by_attribute: true })
                && let Some(data) = source.tokens.named_data()
            {
                self.named_data(source, &data, parent, text)?;
                continue;
            }
            match self.next(source)? {
                Token::Element(element) => {
                    if self.is_left_out(source, element.dependency)? {
                        self.skip(source)?;
                    } else {
                        self.element(source, element.name, parent, text, true, depth)?;
                    }
                }
                Token::ElementEnds => return Ok(()),
                Token::Substitution(index) => {
                    if let Some(slot) = self.slot(source, index)? {
                        if slot.kind == kind::BINARY_XML {
                            self.fragment(slot.range(), parent, text, depth)?;
                        } else {
                            self.add(slot.value(self.chunk)?, parent.has_elements, text)?;
                        }
                    }
                }
                Token::Literal(value) if value.kind == kind::BINARY_XML => {
                    let end = source.tokens.at;
                    self.fragment(end.saturating_sub(value.bytes.len())..end, parent, text, depth)?;
                }
                Token::Instance(instance) => self.instance(source, instance, parent, text, depth)?,
                token => self.add_token(token, parent.has_elements, text)?,
            }
        }
    }

    /// Reads a value that is binary XML: its elements belong to `parent`.
    fn fragment(
        &mut self,
        range: Range<usize>,
        parent: &mut Parent,
        text: &mut Text<'c>,
        depth: usize,
    ) -> Result<(), Unusual> {
        if range.is_empty() {
            return Ok(());
        }
        let depth = deeper(depth)?;
        let mut source = TokenSource { tokens: Tokens::of_record(self.chunk, range)?, instance: None };
        loop {
            match self.next(&mut source)? {
                Token::Element(element) => self.element(&mut source, element.name, parent, text, false, depth)?,
                Token::Instance(instance) => self.instance(&mut source, instance, parent, text, depth)?,
                Token::End => return Ok(()),
                _ => return Err(Unusual("a fragment that holds more than elements")),
            }
        }
    }

    /// Reads an instance of a template: one element.
    fn instance(
        &mut self,
        source: &mut TokenSource<'c>,
        instance: Instance<'c>,
        parent: &mut Parent,
        text: &mut Text<'c>,
        depth: usize,
    ) -> Result<(), Unusual> {
        let depth = deeper(depth)?;
        let (slots, end) = self.slots_of(&instance.values)?;
        source.tokens.at = end;
        let tokens = Tokens::of_definition(self.chunk, instance.definition)?;
        let mut inner = TokenSource { tokens, instance: Some(slots) };
        let Token::Element(root) = self.next(&mut inner)? else {
            return Err(Unusual("a template does not begin with an element"));
        };
        self.element(&mut inner, root.name, parent, text, false, depth)?;
        let Token::End = self.next(&mut inner)? else {
            return Err(Unusual("a template of several elements"));
        };
        self.scratch.slots.truncate(slots.first);
        Ok(())
    }

    /// Reads the rest of a child element of `parent`, whose name was read. `text` is the text found in `parent` so far: if
    /// there is any, the record is `Unusual`. With `repeats`, the element may hold a list of several items: it then counts
    /// as one element for each item.
    fn element(
        &mut self,
        source: &mut TokenSource<'c>,
        name: Name<'c>,
        parent: &mut Parent,
        text: &Text<'c>,
        repeats: bool,
        depth: usize,
    ) -> Result<(), Unusual> {
        if text.is_some || text.list.is_some() {
            return Err(Unusual("text beside elements"));
        }
        parent.has_elements = true;
        match parent.kind {
            Kind::Event => self.event_element(source, name, parent, depth),
            Kind::EventData { by_attribute: true } if name.is(DATA) => self.data(source, parent, repeats),
            Kind::UserData | Kind::Path { by_attribute: true } if name.is(DATA) => {
                Err(Unusual("Data outside of EventData"))
            }
            _ => self.member(source, name, parent, repeats, depth),
        }
    }

    /// Reads the rest of an element of `Event`, which contains fields.
    fn event_element(
        &mut self,
        source: &mut TokenSource<'c>,
        name: Name<'c>,
        event: &mut Parent,
        depth: usize,
    ) -> Result<(), Unusual> {
        let depth = deeper(depth)?;
        check(name)?;
        let sibling = Sibling { at: name.at, size: name.utf16.len(), is_data: false };
        if name.is(SYSTEM) || self.earlier(event, sibling)? > 0 {
            return Err(Unusual("an element of Event that repeats"));
        }
        if name.is(RENDERING_INFO) {
            return self.skip(source);
        }
        let is_user_data = name.is(USER_DATA);
        let kind = if is_user_data { Kind::UserData } else { Kind::EventData { by_attribute: name.is(EVENT_DATA) } };
        let attributes = self.attributes(source, false)?;
        let siblings = self.scratch.siblings.len();
        let mut element = Parent::new(kind, self.scratch);
        let mut text = self.text(false);
        if !attributes.end_element {
            self.content(source, &mut element, &mut text, depth)?;
        }
        self.scratch.siblings.truncate(siblings);
        if !text.is_some {
            return Ok(());
        }
        if attributes.have_text {
            return Err(Unusual("text beside attributes of EventData or UserData"));
        }
        if is_user_data {
            self.texts.truncate(text.start);
        } else {
            self.push(None, text.start);
        }
        Ok(())
    }
}
