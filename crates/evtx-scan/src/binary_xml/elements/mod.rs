//! Reading fields from the elements of an event beside `System`.
//!
//! The result is the list that [`RecordFields::from_elements`] makes of the `evtx` crate's JSON of the same record. Shapes whose
//! fields would depend on how that JSON is built (text beside elements, lists in attributes...) are [`Unusual`].

mod attributes;
mod data;
mod member;
mod siblings;
mod text;

use std::ops::Range;

use self::data::DataField;
use self::siblings::Sibling;
use self::text::Text;
use super::Unusual;
use super::text::items;
use super::token::{Instance, Name, Token, Tokens};
use super::value::{Slot, Value, Values, kind};
use crate::fields::{FieldSpans, RecordFields, TextSpan};

/// The deepest nesting of elements. Real records have four or five levels.
const MAX_DEPTH: usize = 48;
/// The most tokens that are read for one record. Real records have some hundreds.
const MAX_TOKENS: usize = 1 << 14;
/// The number of tokens read of a chunk's records behind which no more records are read. Records share the tokens of their
/// templates: a hostile chunk could make them be read a thousand times.
const MAX_CHUNK_TOKENS: usize = 1 << 20;
/// The length of the texts read of a chunk's records behind which no more records are read, bytes. Real chunks have 90 KB at
/// most.
pub(crate) const MAX_CHUNK_TEXTS: usize = 1 << 20;

const TOO_MANY: Unusual = Unusual("too many tokens");

const SYSTEM: &[u8; 12] = b"S\0y\0s\0t\0e\0m\0";
const EVENT_DATA: &[u8; 18] = b"E\0v\0e\0n\0t\0D\0a\0t\0a\0";
const USER_DATA: &[u8; 16] = b"U\0s\0e\0r\0D\0a\0t\0a\0";
const RENDERING_INFO: &[u8; 26] = b"R\0e\0n\0d\0e\0r\0i\0n\0g\0I\0n\0f\0o\0";
const DATA: &[u8; 8] = b"D\0a\0t\0a\0";
const NAME: &[u8; 8] = b"N\0a\0m\0e\0";

/// The memory that a thread keeps from record to record, so that it need not be allocated again.
#[derive(Debug, Default)]
pub(crate) struct FieldScratch {
    /// Where the values of the instances are that are being read, the innermost instance last.
    slots: Vec<Slot>,
    /// The names of the elements read so far of the parents that are being read, the innermost parent last.
    siblings: Vec<Sibling>,
    /// The path to the element that is being read.
    path: Vec<u8>,
    /// How much was read of the chunk.
    effort: Effort,
}

/// How much was read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effort {
    /// Tokens.
    tokens: usize,
    /// Length of the texts, bytes.
    texts: usize,
}

impl FieldScratch {
    /// Begins counting how much is read of a chunk.
    pub(crate) fn begin_chunk(&mut self) {
        self.effort = Effort::default();
    }

    /// How much was read of the chunk.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// Counts a record that need not be read because an equal one was. Returns whether it would be read at all.
    pub(crate) fn count(&mut self, effort: Effort) -> bool {
        let is_within = self.effort.is_within_a_chunk();
        if is_within {
            self.effort = self.effort.and(effort);
        }
        is_within
    }
}

impl Effort {
    /// Whether more records of the chunk may be read.
    fn is_within_a_chunk(self) -> bool {
        self.tokens <= MAX_CHUNK_TOKENS && self.texts <= MAX_CHUNK_TEXTS
    }

    fn and(self, more: Self) -> Self {
        let Self { tokens, texts } = self;
        Self { tokens: tokens.saturating_add(more.tokens), texts: texts.saturating_add(more.texts) }
    }

    /// How much was read since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        let Self { tokens, texts } = self;
        Self { tokens: tokens.saturating_sub(before.tokens), texts: texts.saturating_sub(before.texts) }
    }
}

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
    fill(chunk, into, scratch, |reader| {
        let mut source = TokenSource { tokens: Tokens::within(chunk, tokens, values.is_some())?, instance: None };
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

/// Lets `read` read fields into the memory of `into`.
fn fill<'c>(
    chunk: &'c [u8],
    into: &mut RecordFields,
    scratch: &mut FieldScratch,
    read: impl FnOnce(&mut FieldReader<'c, '_>) -> Result<(), Unusual>,
) -> Result<(), Unusual> {
    scratch.slots.clear();
    scratch.siblings.clear();
    scratch.path.clear();
    if !scratch.effort.is_within_a_chunk() {
        return Err(Unusual("a chunk that says too much"));
    }
    let (texts, list) = into.take_room();
    let mut reader = FieldReader { chunk, texts, list, scratch, tokens_left: MAX_TOKENS };
    let result = read(&mut reader);
    let effort = Effort { tokens: MAX_TOKENS.saturating_sub(reader.tokens_left), texts: reader.texts.len() };
    reader.scratch.effort = reader.scratch.effort.and(effort);
    let (mut texts, mut list) = (reader.texts, reader.list);
    if result.is_err() {
        texts.clear();
        list.clear();
    }
    if into.fill(texts, list) { result } else { Err(Unusual("a text is not UTF-8")) }
}

/// Tokens and, if they are those of a definition, the values that are put into them.
struct TokenSource<'c> {
    tokens: Tokens<'c>,
    instance: Option<Slots>,
}

/// The part of [`FieldScratch::slots`] with the values of an instance.
#[derive(Debug, Clone, Copy)]
struct Slots {
    first: usize,
    count: usize,
}

/// An element whose content is being read.
struct Parent {
    kind: Kind,
    /// Where the names of its elements begin in [`FieldScratch::siblings`].
    siblings: usize,
    /// A bit for each of its elements, by a hash of the name. An element whose bit is not set yet repeats no name.
    seen: [u64; 8],
    /// Whether it has elements.
    has_elements: bool,
    /// How its `Data` are written.
    form: Form,
    /// The name of the element before, if that was a `Data` with a name, and the field that another `Data` with that name is.
    run: Option<(Sibling, DataField)>,
    /// Whether a field has no name because the name was `Data`.
    positional: bool,
    /// Whether another element follows the first `Data` without name.
    behind_data: bool,
}

/// The meaning of the elements in an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In `Event`: each contains fields.
    Event,
    /// In `EventData`, and others that are read like it: each is a field. With `by_attribute`, in `EventData` itself, the name of
    /// a `Data` is in its attribute `Name`; without that, the field has a position only.
    EventData { by_attribute: bool },
    /// In `UserData`: the template's own element, whose name is left out of paths.
    UserData,
    /// In any other element: each is a field, or on the path to fields.
    Path { by_attribute: bool },
}

/// The form of the `Data` elements of an `EventData`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Not known: there was no `Data` yet.
    Open,
    /// With names; those without are left out.
    Named,
    /// Without names.
    Positional,
}

impl Parent {
    fn new(kind: Kind, scratch: &FieldScratch) -> Self {
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

/// Reads the fields of one record.
struct FieldReader<'c, 's> {
    chunk: &'c [u8],
    texts: Vec<u8>,
    list: Vec<FieldSpans>,
    scratch: &'s mut FieldScratch,
    tokens_left: usize,
}

// The functions that are called for each `Data` are always inlined: reading takes a tenth less time that way.
impl<'c> FieldReader<'c, '_> {
    #[inline]
    fn next(&mut self, source: &mut TokenSource<'c>) -> Result<Token<'c>, Unusual> {
        self.tokens_left = self.tokens_left.checked_sub(1).ok_or(TOO_MANY)?;
        source.tokens.next()
    }

    /// Adds the values of an instance to the slots; returns their slots, and where the last value ends.
    #[inline]
    fn slots_of(&mut self, values: &Values<'c>) -> Result<(Slots, usize), Unusual> {
        let first = self.scratch.slots.len();
        let end = values.fill(&mut self.scratch.slots)?;
        Ok((Slots { first, count: values.len() }, end))
    }

    /// The slot of a value of the instance; `None` when the instance has fewer values.
    #[inline(always)]
    fn slot(&self, source: &TokenSource<'c>, index: usize) -> Result<Option<Slot>, Unusual> {
        let slots = source.instance.ok_or(Unusual("a substitution outside of a template"))?;
        if index >= slots.count {
            return Ok(None);
        }
        Ok(self.scratch.slots.get(slots.first.saturating_add(index)).copied())
    }

    /// A value of the instance; [`Value::NULL`] when the instance has fewer values.
    #[inline(always)]
    fn value(&self, source: &TokenSource<'c>, index: usize) -> Result<Value<'c>, Unusual> {
        match self.slot(source, index)? {
            Some(slot) => slot.value(self.chunk),
            None => Ok(Value::NULL),
        }
    }

    /// Whether an element that depends on this value is left out of the instance.
    #[inline(always)]
    fn is_left_out(&self, source: &TokenSource<'c>, dependency: Option<usize>) -> Result<bool, Unusual> {
        let Some(dependency) = dependency else { return Ok(false) };
        match self.slot(source, dependency)? {
            Some(slot) => Ok(slot.value(self.chunk)?.is_null()),
            None => Ok(false),
        }
    }

    /// Skips the rest of an element whose beginning was read. A list must not repeat the element.
    fn skip(&mut self, source: &mut TokenSource<'c>) -> Result<(), Unusual> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next(source)? {
                Token::Element(_) => depth = depth.saturating_add(1),
                Token::Empty | Token::ElementEnds => depth = depth.saturating_sub(1),
                Token::Instance(instance) => source.tokens.go_to(instance.values.end()?),
                Token::Substitution(index) if depth == 1 && items(self.value(source, index)?).is_some() => {
                    return Err(Unusual("a list in an element that is skipped"));
                }
                Token::End => return Err(Unusual("an element that does not end")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the rest of `Event`, behind `System`.
    fn behind_system(&mut self, source: &mut TokenSource<'c>) -> Result<(), Unusual> {
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
        source.tokens.go_to(end);
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

    /// Reads the rest of an element whose beginning was read. `text` is the text of `parent` so far; with `repeats`, a list may
    /// repeat the element.
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

    /// Adds a field whose value is the texts from `start` on.
    #[inline]
    fn push(&mut self, name: Option<TextSpan>, start: usize) {
        self.list.push(FieldSpans { name, value: TextSpan { start, end: self.texts.len() } });
    }
}

/// The depth of the content of an element or value at this depth.
///
/// # Errors
/// When it would be too deep.
#[inline]
fn deeper(depth: usize) -> Result<usize, Unusual> {
    if depth < MAX_DEPTH { Ok(depth.saturating_add(1)) } else { Err(Unusual("elements nested too deeply")) }
}

/// Checks that a name has characters only that JSON writes as they are.
#[inline]
fn check(name: Name<'_>) -> Result<(), Unusual> {
    let units = name.utf16.as_chunks::<2>().0;
    let plain = |unit: &[u8; 2]| matches!(unit, [b' '..=b'~', 0]) && !matches!(unit, [b'"' | b'\\' | b'#', _]);
    if !units.is_empty() && units.iter().all(plain) { Ok(()) } else { Err(Unusual("a name of odd characters")) }
}
