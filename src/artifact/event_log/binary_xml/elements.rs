//! The elements of an event beside `System`, taken to fields.
//!
//! What comes out is the list that [`WrittenFields::of`] makes of the `evtx` crate's JSON of the same record. Shapes
//! whose fields would depend on how that JSON is built up (text beside elements, arrays in attributes...) are
//! [`Unusual`].

use std::ops::Range;

use super::Unusual;
use super::text::{is_empty, items, push, push_ascii, push_character, push_decimal, push_utf16};
use super::token::{Instance, Name, NamedData, Token, Tokens};
use super::value::{Slot, Value, Values, kind, until_nul};
use crate::artifact::event_log::fields::{Span, WrittenField, WrittenFields};

/// How deep elements may lie within each other. Real records have four or five levels.
const MAX_DEPTH: usize = 48;
/// How many tokens are read for one record. Real records have some hundreds.
const MAX_TOKENS: usize = 1 << 14;
/// How long all texts of a record may be, bytes. Real records have some kilobytes.
const MAX_TEXTS: usize = 1 << 20;
/// How many tokens are read of the records of a chunk before no more of them are read. Records share the tokens of
/// their templates, so that a chunk that was made for it could say a thousand times what it holds.
const MAX_CHUNK_TOKENS: usize = 1 << 20;
/// The same for the length of their texts, bytes. Real chunks have 90 KB at most.
pub(crate) const MAX_CHUNK_TEXTS: usize = 1 << 20;
/// How many elements of one parent are compared by their names.
const MAX_SIBLINGS: usize = 1 << 10;

const TOO_MANY: Unusual = Unusual("too many tokens");

#[cfg(test)]
const EVENT: &[u8; 10] = b"E\0v\0e\0n\0t\0";
const SYSTEM: &[u8; 12] = b"S\0y\0s\0t\0e\0m\0";
const EVENT_DATA: &[u8; 18] = b"E\0v\0e\0n\0t\0D\0a\0t\0a\0";
const USER_DATA: &[u8; 16] = b"U\0s\0e\0r\0D\0a\0t\0a\0";
const RENDERING_INFO: &[u8; 26] = b"R\0e\0n\0d\0e\0r\0i\0n\0g\0I\0n\0f\0o\0";
const DATA: &[u8; 8] = b"D\0a\0t\0a\0";
const NAME: &[u8; 8] = b"N\0a\0m\0e\0";

/// Between the items of a list in one field.
const ITEMS: &[u8] = b"; ";

/// What a thread keeps from record to record, so that it need not be allocated again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The values of the instances that are being read, the innermost ones last.
    slots: Vec<Slot>,
    /// The names of the elements that were read of the parents that are being read, the innermost ones last.
    siblings: Vec<Sibling>,
    /// The path to the element that is being read.
    path: Vec<u8>,
    /// Tokens that were read of the chunk.
    tokens: usize,
    /// Length of the texts that were read of the chunk, bytes.
    texts: usize,
}

impl Scratch {
    /// Begins to count anew what is read of a chunk.
    pub(crate) fn begin_chunk(&mut self) {
        self.tokens = 0;
        self.texts = 0;
    }
}

/// Where in the chunk the name of an element is.
#[derive(Debug, Clone, Copy)]
struct Sibling {
    at: usize,
    size: usize,
    /// Whether it names a `Data`, whose names are counted apart from those of elements.
    is_data: bool,
}

/// The fields of the event whose elements behind `System` are the tokens in this part of the chunk, which are a
/// definition's when there are `values`, and else the record's own.
///
/// # Errors
/// For shapes that are not known exactly. There are no fields then.
pub(crate) fn read_fields(
    chunk: &[u8],
    tokens: Range<usize>,
    values: Option<&Values<'_>>,
    into: &mut WrittenFields,
    scratch: &mut Scratch,
) -> Result<(), Unusual> {
    fill(chunk, into, scratch, |reader| {
        let mut source = Source { tokens: Tokens::within(chunk, tokens, values.is_some())?, instance: None };
        if let Some(values) = values {
            let (slots, end) = reader.slots_of(values)?;
            if !values.end_tokens(end) {
                return Err(Unusual("something follows the event"));
            }
            source.instance = Some(slots);
        }
        reader.behind_system(&mut source)
    })
}

/// The fields of the event whose binary XML lies in this part of the chunk.
///
/// # Errors
/// As [`read_fields`].
#[cfg(test)]
pub(crate) fn read_record_fields(
    chunk: &[u8],
    record: Range<usize>,
    into: &mut WrittenFields,
    scratch: &mut Scratch,
) -> Result<(), Unusual> {
    fill(chunk, into, scratch, |reader| {
        let mut source = Source { tokens: Tokens::of_record(chunk, record)?, instance: None };
        let root = match source.tokens.next()? {
            Token::Element(root) => root,
            Token::Instance(instance) => {
                let (slots, end) = reader.slots_of(&instance.values)?;
                source.tokens.go_to(end);
                if !matches!(source.tokens.next()?, Token::End) {
                    return Err(Unusual("something follows the event"));
                }
                source = Source { tokens: Tokens::of_definition(chunk, instance.definition)?, instance: Some(slots) };
                match source.tokens.next()? {
                    Token::Element(root) => root,
                    _ => return Err(Unusual("a template does not begin with an element")),
                }
            }
            _ => return Err(Unusual("a record does not begin with an element")),
        };
        reader.system(&mut source, root)?;
        reader.behind_system(&mut source)
    })
}

/// Lets `read` read into the room that `into` has.
fn fill<'c>(
    chunk: &'c [u8],
    into: &mut WrittenFields,
    scratch: &mut Scratch,
    read: impl FnOnce(&mut Reader<'c, '_>) -> Result<(), Unusual>,
) -> Result<(), Unusual> {
    scratch.slots.clear();
    scratch.siblings.clear();
    scratch.path.clear();
    if scratch.tokens > MAX_CHUNK_TOKENS || scratch.texts > MAX_CHUNK_TEXTS {
        return Err(Unusual("a chunk that says too much"));
    }
    let (texts, list) = into.take_room();
    let mut reader = Reader { chunk, texts, list, scratch, tokens_left: MAX_TOKENS };
    let result = read(&mut reader);
    reader.scratch.tokens = reader.scratch.tokens.saturating_add(MAX_TOKENS.saturating_sub(reader.tokens_left));
    reader.scratch.texts = reader.scratch.texts.saturating_add(reader.texts.len());
    let (mut texts, mut list) = (reader.texts, reader.list);
    if result.is_err() {
        texts.clear();
        list.clear();
    }
    if into.fill(texts, list) { result } else { Err(Unusual("a text is not UTF-8")) }
}

/// Tokens, and the values that are put into them if they are a definition's.
struct Source<'c> {
    tokens: Tokens<'c>,
    instance: Option<Slots>,
}

/// Which slots are an instance's.
#[derive(Debug, Clone, Copy)]
struct Slots {
    first: usize,
    count: usize,
}

/// What is known of an element whose content is being read.
struct Parent {
    kind: Kind,
    /// Where the names of its elements begin in [`Scratch::siblings`].
    siblings: usize,
    /// A bit for each of its elements, by a hash of its name. Where the bit is not set yet, no name repeats.
    seen: [u64; 8],
    /// Whether it has elements.
    has_elements: bool,
    /// How its `Data` are written.
    form: Form,
    /// The name of the element before, if that was a `Data` with a name, and what field another one with it is.
    run: Option<(Sibling, DataField)>,
    /// Whether a field went without name because it is called `Data`.
    positional: bool,
    /// Whether another element stands behind the first `Data` without name.
    behind_data: bool,
}

/// What the elements in an element mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `Event`: they hold fields.
    Event,
    /// `EventData` and what is treated alike: each is a field. The `Data` of `EventData` itself are named by their
    /// attribute or, where it is missing, by their position.
    EventData { by_attribute: bool },
    /// `UserData`: the template's own element, whose name is left out of paths.
    UserData,
    /// Anything else: they are on the path to a field.
    Path { by_attribute: bool },
}

/// How the `Data` of an `EventData` are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// There was none so far.
    Open,
    /// With names; those without are left out.
    Named,
    /// Without names.
    Positional,
}

impl Parent {
    fn new(kind: Kind, scratch: &Scratch) -> Self {
        Self {
            kind,
            siblings: scratch.siblings.len(),
            seen: [0; 8],
            has_elements: false,
            form: Form::Open,
            run: None,
            positional: false,
            behind_data: false,
        }
    }
}

/// The text of an element, which is the end of the texts while it is being read.
struct Text<'c> {
    /// Where it begins.
    start: usize,
    /// Whether there is any, be it empty: an empty item of a list is text.
    is_some: bool,
    /// A list of several items, for each of which the element is repeated.
    list: Option<Value<'c>>,
    /// Whether the element may be repeated: the root of a template may not.
    repeats: bool,
}

/// What the attributes of an element say.
struct Attributes {
    /// Whether one has a value.
    have_text: bool,
    /// The value of `Name`.
    name: Option<Span>,
    /// Whether the element ends with them.
    end_element: bool,
}

struct Reader<'c, 's> {
    chunk: &'c [u8],
    texts: Vec<u8>,
    list: Vec<WrittenField>,
    scratch: &'s mut Scratch,
    tokens_left: usize,
}

// What is read for each `Data` is inlined by force: it takes a tenth less time that way.
impl<'c> Reader<'c, '_> {
    #[inline]
    fn next(&mut self, source: &mut Source<'c>) -> Result<Token<'c>, Unusual> {
        self.tokens_left = self.tokens_left.checked_sub(1).ok_or(TOO_MANY)?;
        source.tokens.next()
    }

    /// Keeps where the values of an instance are; says which slots they have, and where the last one ends.
    #[inline]
    fn slots_of(&mut self, values: &Values<'c>) -> Result<(Slots, usize), Unusual> {
        let first = self.scratch.slots.len();
        let end = values.fill(&mut self.scratch.slots)?;
        Ok((Slots { first, count: values.len() }, end))
    }

    /// Where a value of an instance is; `None` when it has fewer.
    #[inline(always)]
    fn slot(&self, source: &Source<'c>, index: usize) -> Result<Option<Slot>, Unusual> {
        let slots = source.instance.ok_or(Unusual("a substitution outside of a template"))?;
        if index >= slots.count {
            return Ok(None);
        }
        Ok(self.scratch.slots.get(slots.first.saturating_add(index)).copied())
    }

    #[inline(always)]
    fn value(&self, source: &Source<'c>, index: usize) -> Result<Value<'c>, Unusual> {
        match self.slot(source, index)? {
            Some(slot) => slot.value(self.chunk),
            None => Ok(Value::NULL),
        }
    }

    /// Whether an element is left out of an instance.
    #[inline(always)]
    fn is_left_out(&self, source: &Source<'c>, dependency: Option<usize>) -> Result<bool, Unusual> {
        let Some(dependency) = dependency else { return Ok(false) };
        match self.slot(source, dependency)? {
            Some(slot) => Ok(slot.value(self.chunk)?.is_null()),
            None => Ok(false),
        }
    }

    /// Passes over the beginning of `Event`, and over `System`.
    #[cfg(test)]
    fn system(&mut self, source: &mut Source<'c>, root: super::token::Element<'c>) -> Result<(), Unusual> {
        if !root.name.is(EVENT) {
            return Err(Unusual("a record that is no Event"));
        }
        loop {
            match self.next(source)? {
                Token::Attribute(_) | Token::Literal(_) | Token::Substitution(_) => {}
                Token::StartEnds => break,
                _ => return Err(Unusual("an Event that begins otherwise")),
            }
        }
        match self.next(source)? {
            Token::Element(system) if system.name.is(SYSTEM) && !self.is_left_out(source, system.dependency)? => {
                self.pass_over(source)
            }
            _ => Err(Unusual("an Event that does not begin with System")),
        }
    }

    /// Passes over the element whose beginning was read. It must not be one that a list repeats.
    fn pass_over(&mut self, source: &mut Source<'c>) -> Result<(), Unusual> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next(source)? {
                Token::Element(_) => depth = depth.saturating_add(1),
                Token::Empty | Token::ElementEnds => depth = depth.saturating_sub(1),
                Token::Instance(instance) => source.tokens.go_to(instance.values.end()?),
                Token::Substitution(index) if depth == 1 && items(self.value(source, index)?).is_some() => {
                    return Err(Unusual("a list in an element that is passed over"));
                }
                Token::End => return Err(Unusual("an element that does not end")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads what is left of `Event` behind `System`.
    fn behind_system(&mut self, source: &mut Source<'c>) -> Result<(), Unusual> {
        let mut event = Parent::new(Kind::Event, self.scratch);
        let mut text = self.text(false);
        self.content(source, &mut event, &mut text, 0)?;
        if text.is_some {
            return Err(Unusual("text in Event"));
        }
        match self.next(source)? {
            Token::End => Ok(()),
            _ => Err(Unusual("something follows the event")),
        }
    }

    fn text(&self, repeats: bool) -> Text<'c> {
        Text { start: self.texts.len(), is_some: false, list: None, repeats }
    }

    /// Reads the content of an element and its end.
    fn content(
        &mut self,
        source: &mut Source<'c>,
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
                        self.pass_over(source)?;
                    } else {
                        self.element(source, element.name, parent, text, true, depth)?;
                    }
                }
                Token::ElementEnds => return Ok(()),
                Token::Substitution(index) => {
                    if let Some(slot) = self.slot(source, index)? {
                        if slot.kind() == kind::BINARY_XML {
                            self.fragment(slot.range(), parent, text, depth)?;
                        } else {
                            self.add(slot.value(self.chunk)?, parent.has_elements, text)?;
                        }
                    }
                }
                Token::Literal(value) if value.kind == kind::BINARY_XML => {
                    let end = source.tokens.at();
                    self.fragment(end.saturating_sub(value.bytes.len())..end, parent, text, depth)?;
                }
                Token::Instance(instance) => self.instance(source, instance, parent, text, depth)?,
                token => self.add_token(token, parent.has_elements, text)?,
            }
        }
    }

    /// Reads a value that is binary XML: elements that belong to the element around it.
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
        let mut source = Source { tokens: Tokens::of_record(self.chunk, range)?, instance: None };
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
        source: &mut Source<'c>,
        instance: Instance<'c>,
        parent: &mut Parent,
        text: &mut Text<'c>,
        depth: usize,
    ) -> Result<(), Unusual> {
        let depth = deeper(depth)?;
        let (slots, end) = self.slots_of(&instance.values)?;
        source.tokens.go_to(end);
        let tokens = Tokens::of_definition(self.chunk, instance.definition)?;
        let mut inner = Source { tokens, instance: Some(slots) };
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

    /// Adds a value to an element's text.
    #[inline(always)]
    fn add(&mut self, value: Value<'c>, has_elements: bool, text: &mut Text<'c>) -> Result<(), Unusual> {
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
            // A list of one item is like that item.
            push(first.unwrap_or(Value::NULL), &mut self.texts)?;
        } else {
            push(value, &mut self.texts)?;
        }
        text.is_some = true;
        if self.texts.len() > MAX_TEXTS { Err(Unusual("too much text")) } else { Ok(()) }
    }

    /// Adds what a token says to an element's text.
    #[inline]
    fn add_token(&mut self, token: Token<'c>, has_elements: bool, text: &mut Text<'c>) -> Result<(), Unusual> {
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

    fn add_character(&mut self, character: char, has_elements: bool, text: &mut Text<'c>) -> Result<(), Unusual> {
        if has_elements || text.list.is_some() {
            return Err(Unusual("text beside elements or lists"));
        }
        push_character(character, &mut self.texts);
        text.is_some = true;
        Ok(())
    }

    /// Reads an element whose beginning was read, to its end.
    ///
    /// `text` is that of the element around it; `repeats` says whether a list repeats this one.
    fn element(
        &mut self,
        source: &mut Source<'c>,
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

    /// An element of the event: what fields are in.
    fn event_element(
        &mut self,
        source: &mut Source<'c>,
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
            return self.pass_over(source);
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

    /// A `Data` of `EventData`.
    fn data(&mut self, source: &mut Source<'c>, parent: &mut Parent, repeats: bool) -> Result<(), Unusual> {
        let (name, ends) = self.data_name(source)?;
        let field = self.data_field(name, parent)?;
        let mut text = self.text(repeats);
        if !ends {
            self.data_content(source, &mut text)?;
        }
        self.end_data(field, &text)
    }

    /// A `Data` of `EventData` as most templates have it.
    #[inline(always)]
    fn named_data(
        &mut self,
        source: &Source<'c>,
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

    /// Ends a `Data` with a text or, for each item of a list, several of them.
    #[inline(always)]
    fn end_data(&mut self, mut field: DataField, text: &Text<'c>) -> Result<(), Unusual> {
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

    /// Reads the attributes of a `Data`: its name, and whether it ends with them.
    #[inline]
    fn data_name(&mut self, source: &mut Source<'c>) -> Result<(Option<Sibling>, bool), Unusual> {
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
                    let end = source.tokens.at();
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

    /// What field a `Data` with this name is.
    #[inline(always)]
    fn data_field(&mut self, name: Option<Sibling>, parent: &mut Parent) -> Result<DataField, Unusual> {
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
        // One that reads like the names of fields without name is taken for one.
        if text == b"Data" || (parent.positional && is_numbered_data(text)) {
            parent.positional = true;
            parent.run = Some((name, DataField::Positional));
            return Ok(DataField::Positional);
        }
        parent.run = Some((name, DataField::Continued));
        Ok(DataField::Named(Span { start, end: self.texts.len() }))
    }

    /// Reads the content of a `Data` and its end.
    #[inline]
    fn data_content(&mut self, source: &mut Source<'c>, text: &mut Text<'c>) -> Result<(), Unusual> {
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

    /// Adds a `Data` whose text is the end of the texts from `start` on.
    #[inline(always)]
    fn add_data(&mut self, field: DataField, start: usize) -> Result<(), Unusual> {
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

    /// An element that is a field, or on the path to some.
    fn member(
        &mut self,
        source: &mut Source<'c>,
        name: Name<'c>,
        parent: &mut Parent,
        repeats: bool,
        depth: usize,
    ) -> Result<(), Unusual> {
        let depth = deeper(depth)?;
        check(name)?;
        parent.run = None;
        parent.behind_data |= parent.form == Form::Positional;
        let path = self.scratch.path.len();
        self.extend_path(name, parent)?;
        let attributes = self.attributes(source, matches!(parent.kind, Kind::EventData { .. }))?;
        let siblings = self.scratch.siblings.len();
        let kind = Kind::Path { by_attribute: name.is(EVENT_DATA) || name.is(USER_DATA) };
        let mut element = Parent::new(kind, self.scratch);
        let mut text = self.text(repeats);
        if !attributes.end_element {
            self.content(source, &mut element, &mut text, depth)?;
        }
        self.scratch.siblings.truncate(siblings);
        match text.list.and_then(items) {
            None => self.end_member(&attributes, &element, &text, parent)?,
            Some(list) => {
                for (index, item) in list.enumerate() {
                    if index > 0 {
                        self.scratch.path.truncate(path);
                        self.extend_path(name, parent)?;
                    }
                    let text = Text { is_some: !is_empty(item), ..self.text(false) };
                    push(item, &mut self.texts)?;
                    self.end_member(&attributes, &element, &text, parent)?;
                }
            }
        }
        self.scratch.path.truncate(path);
        Ok(())
    }

    /// Adds an element's name to the path, with a number if an element before has the same.
    fn extend_path(&mut self, name: Name<'c>, parent: &mut Parent) -> Result<(), Unusual> {
        if parent.kind == Kind::UserData {
            return Ok(());
        }
        let earlier = self.earlier(parent, Sibling { at: name.at, size: name.utf16.len(), is_data: false })?;
        let path = &mut self.scratch.path;
        if !path.is_empty() {
            path.push(b'.');
        }
        if !push_ascii(name.utf16, path) {
            return Err(Unusual("a name that is not ASCII"));
        }
        push_number(earlier, path);
        Ok(())
    }

    /// Ends an element whose text is the end of the texts.
    fn end_member(
        &mut self,
        attributes: &Attributes,
        element: &Parent,
        text: &Text<'c>,
        parent: &mut Parent,
    ) -> Result<(), Unusual> {
        if let Kind::EventData { .. } = parent.kind {
            let path = &*self.scratch.path;
            let positional = path == b"Data" || (parent.positional && is_numbered_data(path));
            if attributes.name.is_some() || positional {
                if element.has_elements {
                    return Err(Unusual("elements in a field"));
                }
                parent.positional |= attributes.name.is_none();
                self.push(attributes.name, text.start);
                return Ok(());
            }
        }
        // An element with attributes alone is no field, but one with nothing is.
        if !element.has_elements && (text.is_some || !attributes.have_text) {
            let value = Span { start: text.start, end: self.texts.len() };
            self.texts.extend_from_slice(&self.scratch.path);
            let name = Span { start: value.end, end: self.texts.len() };
            self.list.push(WrittenField { name: Some(name), value });
        }
        Ok(())
    }

    /// Adds a field whose value is the end of the texts from `start` on.
    #[inline]
    fn push(&mut self, name: Option<Span>, start: usize) {
        self.list.push(WrittenField { name, value: Span { start, end: self.texts.len() } });
    }

    /// Reads the attributes of an element. The value of `Name` is added to the texts if it is asked for.
    fn attributes(&mut self, source: &mut Source<'c>, ask_name: bool) -> Result<Attributes, Unusual> {
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
    fn end_attribute(&mut self, attribute: Attribute, text: &Text<'c>, attributes: &mut Attributes) {
        attributes.have_text |= text.is_some;
        if attribute == Attribute::Name && text.is_some {
            attributes.name = Some(Span { start: text.start, end: self.texts.len() });
        } else {
            self.texts.truncate(text.start);
        }
    }

    /// How many elements of the parent before this one have its name.
    #[inline(always)]
    fn earlier(&mut self, parent: &mut Parent, sibling: Sibling) -> Result<usize, Unusual> {
        let name = self.name_of(sibling);
        let hash = hash(name);
        let (word, bit) = (usize::from(hash >> 6), 1_u64 << (hash & 63));
        let seen = parent.seen.get_mut(word & 7).ok_or(Unusual("a hash of more than nine bits"))?;
        let may_repeat = *seen & bit != 0;
        *seen |= bit;
        let before = self.scratch.siblings.get(parent.siblings..).unwrap_or_default();
        if before.len() >= MAX_SIBLINGS {
            return Err(Unusual("too many elements"));
        }
        let earlier = if may_repeat {
            let alike = |other: &&Sibling| other.is_data == sibling.is_data && self.name_of(**other) == name;
            before.iter().filter(alike).count()
        } else {
            0
        };
        self.scratch.siblings.push(sibling);
        Ok(earlier)
    }

    #[inline]
    fn name_of(&self, sibling: Sibling) -> &'c [u8] {
        self.chunk.get(sibling.at..sibling.at.saturating_add(sibling.size)).unwrap_or_default()
    }
}

/// What attribute is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attribute {
    None,
    Name,
    Other,
}

/// What field a `Data` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataField {
    /// None: it has no name, but others have.
    LeftOut,
    /// One without name.
    Positional,
    /// One with this name.
    Named(Span),
    /// The field before is continued: lists repeat elements, whose values are joined.
    Continued,
}

/// The depth of what lies in an element or value at this depth.
#[inline]
fn deeper(depth: usize) -> Result<usize, Unusual> {
    if depth < MAX_DEPTH { Ok(depth.saturating_add(1)) } else { Err(Unusual("elements nested too deeply")) }
}

/// Lets pass names that are the same in JSON.
#[inline]
fn check(name: Name<'_>) -> Result<(), Unusual> {
    let units = name.utf16.as_chunks::<2>().0;
    let plain = |unit: &[u8; 2]| matches!(unit, [b' '..=b'~', 0]) && !matches!(unit, [b'"' | b'\\' | b'#', _]);
    if !units.is_empty() && units.iter().all(plain) { Ok(()) } else { Err(Unusual("a name of odd characters")) }
}

/// Adds the number that tells equal names apart, if there were any.
#[inline]
fn push_number(earlier: usize, out: &mut Vec<u8>) {
    if earlier > 0 {
        out.push(b'_');
        push_decimal(u64::try_from(earlier).unwrap_or(u64::MAX), out);
    }
}

/// Whether it is `Data` with a number that tells equal names apart.
fn is_numbered_data(name: &[u8]) -> bool {
    let number = name.strip_prefix(b"Data_");
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// Nine bits that names alike have in common, and others mostly not: of their length and both their ends.
#[inline]
fn hash(name: &[u8]) -> u16 {
    let ends = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(29),
        _ => name.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    };
    // A large odd number spreads what differs to the upper bits: 2^64 divided by the golden ratio.
    let spread = (ends ^ u64::try_from(name.len()).unwrap_or(0)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    u16::try_from(spread >> 55).unwrap_or(0)
}
