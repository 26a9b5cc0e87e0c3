//! What reading the elements of an event works with: its tokens, the values that are put into them, and the texts and names
//! read so far.

use super::super::Unusual;
use super::super::text::items;
use super::super::token::{Name, Token, Tokens};
use super::super::value::{Slot, Value, Values};
use crate::fields::{FieldSpans, TextSpan};

/// The deepest nesting of elements. Real records have four or five levels.
pub(super) const MAX_DEPTH: usize = 48;
/// The most tokens that are read for one record. Real records have some hundreds.
pub(super) const MAX_TOKENS: usize = 1 << 14;
/// The number of tokens read of a chunk's records behind which no more records are read. Records share the tokens of their
/// templates: a hostile chunk could make them be read a thousand times.
pub(super) const MAX_CHUNK_TOKENS: usize = 1 << 20;
/// The length of the texts read of a chunk's records behind which no more records are read, bytes. Real chunks have 90 KB at
/// most.
pub(crate) const MAX_CHUNK_TEXTS: usize = 1 << 20;

pub(super) const TOO_MANY: Unusual = Unusual("too many tokens");

/// The memory that a thread keeps from record to record, so that it need not be allocated again.
#[derive(Debug, Default)]
pub(crate) struct FieldScratch {
    /// Where the values of the instances are that are being read, the innermost instance last.
    pub(super) slots: Vec<Slot>,
    /// The names of the elements read so far of the parents that are being read, the innermost parent last.
    pub(super) siblings: Vec<Sibling>,
    /// The path to the element that is being read.
    pub(super) path: Vec<u8>,
    /// How much was read of the chunk.
    pub(crate) effort: Effort,
}

/// How much was read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effort {
    /// Tokens.
    pub(super) tokens: usize,
    /// Length of the texts, bytes.
    pub(super) texts: usize,
}

impl FieldScratch {
    /// Begins counting how much is read of a chunk.
    pub(crate) fn begin_chunk(&mut self) {
        self.effort = Effort::default();
    }

    /// Begins a record.
    ///
    /// # Errors
    /// When too much of the chunk was read.
    pub(super) fn begin_record(&mut self) -> Result<(), Unusual> {
        self.slots.clear();
        self.siblings.clear();
        self.path.clear();
        if self.effort.is_within_a_chunk() { Ok(()) } else { Err(Unusual("a chunk that says too much")) }
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
    pub(super) fn is_within_a_chunk(self) -> bool {
        self.tokens <= MAX_CHUNK_TOKENS && self.texts <= MAX_CHUNK_TEXTS
    }

    pub(super) fn and(self, more: Self) -> Self {
        let Self { tokens, texts } = self;
        Self { tokens: tokens.saturating_add(more.tokens), texts: texts.saturating_add(more.texts) }
    }

    /// How much was read since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        let Self { tokens, texts } = self;
        Self { tokens: tokens.saturating_sub(before.tokens), texts: texts.saturating_sub(before.texts) }
    }
}

/// Tokens and, if they are those of a definition, the values that are put into them.
pub(super) struct TokenSource<'c> {
    pub(super) tokens: Tokens<'c>,
    pub(super) instance: Option<Slots>,
}

/// The part of [`FieldScratch::slots`] with the values of an instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    pub(super) first: usize,
    pub(super) count: usize,
}

/// An element whose content is being read.
pub(super) struct Parent {
    pub(super) kind: Kind,
    /// Where the names of its elements begin in [`FieldScratch::siblings`].
    pub(super) siblings: usize,
    /// A bit for each of its elements, by a hash of the name. An element whose bit is not set yet repeats no name.
    pub(super) seen: [u64; 8],
    /// Whether it has elements.
    pub(super) has_elements: bool,
    /// How its `Data` are written.
    pub(super) form: Form,
    /// The name of the element before, if that was a `Data` with a name, and the field that another `Data` with that name is.
    pub(super) run: Option<(Sibling, DataField)>,
    /// Whether a field has no name because the name was `Data`.
    pub(super) positional: bool,
    /// Whether another element follows the first `Data` without name.
    pub(super) behind_data: bool,
}

/// The name of an element, by its place in the chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sibling {
    pub(super) at: usize,
    pub(super) size: usize,
    /// Whether this is the name of a `Data`'s field: these names are counted separately.
    pub(super) is_data: bool,
}

/// The field that a `Data` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataField {
    /// None: this `Data` has no name, but earlier ones have.
    LeftOut,
    /// A field without name.
    Positional,
    /// A field with this name.
    Named(TextSpan),
    /// The same as the field before: an element repeats for each item of a list, and the values are joined.
    Continued,
}

/// The meaning of the elements in an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Form {
    /// Not known: there was no `Data` yet.
    Open,
    /// With names; those without are left out.
    Named,
    /// Without names.
    Positional,
}

impl Parent {
    pub(super) fn new(kind: Kind, scratch: &FieldScratch) -> Self {
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
pub(super) struct FieldReader<'c, 's> {
    pub(super) chunk: &'c [u8],
    pub(super) texts: Vec<u8>,
    pub(super) list: Vec<FieldSpans>,
    pub(super) scratch: &'s mut FieldScratch,
    pub(super) tokens_left: usize,
}

// The functions that are called for each `Data` are always inlined: reading takes a tenth less time that way.
impl<'c> FieldReader<'c, '_> {
    #[inline]
    pub(super) fn next(&mut self, source: &mut TokenSource<'c>) -> Result<Token<'c>, Unusual> {
        self.tokens_left = self.tokens_left.checked_sub(1).ok_or(TOO_MANY)?;
        source.tokens.next()
    }

    /// Adds the values of an instance to the slots; returns their slots, and where the last value ends.
    #[inline]
    pub(super) fn slots_of(&mut self, values: &Values<'c>) -> Result<(Slots, usize), Unusual> {
        let first = self.scratch.slots.len();
        let end = values.fill(&mut self.scratch.slots)?;
        Ok((Slots { first, count: values.len() }, end))
    }

    /// The slot of a value of the instance; `None` when the instance has fewer values.
    #[inline(always)]
    pub(super) fn slot(&self, source: &TokenSource<'c>, index: usize) -> Result<Option<Slot>, Unusual> {
        let slots = source.instance.ok_or(Unusual("a substitution outside of a template"))?;
        if index >= slots.count {
            return Ok(None);
        }
        Ok(self.scratch.slots.get(slots.first.saturating_add(index)).copied())
    }

    /// A value of the instance; [`Value::NULL`] when the instance has fewer values.
    #[inline(always)]
    pub(super) fn value(&self, source: &TokenSource<'c>, index: usize) -> Result<Value<'c>, Unusual> {
        match self.slot(source, index)? {
            Some(slot) => slot.value(self.chunk),
            None => Ok(Value::NULL),
        }
    }

    /// Whether an element that depends on this value is left out of the instance.
    #[inline(always)]
    pub(super) fn is_left_out(&self, source: &TokenSource<'c>, dependency: Option<usize>) -> Result<bool, Unusual> {
        let Some(dependency) = dependency else { return Ok(false) };
        match self.slot(source, dependency)? {
            Some(slot) => Ok(slot.value(self.chunk)?.is_null()),
            None => Ok(false),
        }
    }

    /// Skips the rest of an element whose beginning was read. A list must not repeat the element.
    pub(super) fn skip(&mut self, source: &mut TokenSource<'c>) -> Result<(), Unusual> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next(source)? {
                Token::Element(_) => depth = depth.saturating_add(1),
                Token::Empty | Token::ElementEnds => depth = depth.saturating_sub(1),
                Token::Instance(instance) => source.tokens.at = instance.values.end()?,
                Token::Substitution(index) if depth == 1 && items(self.value(source, index)?).is_some() => {
                    return Err(Unusual("a list in an element that is skipped"));
                }
                Token::End => return Err(Unusual("an element that does not end")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Counts what was read of the record.
    pub(super) fn count_effort(&mut self) {
        let tokens = MAX_TOKENS.saturating_sub(self.tokens_left);
        self.scratch.effort = self.scratch.effort.and(Effort { tokens, texts: self.texts.len() });
    }

    /// Adds a field whose value is the texts from `start` on.
    #[inline]
    pub(super) fn push(&mut self, name: Option<TextSpan>, start: usize) {
        self.list.push(FieldSpans { name, value: TextSpan { start, end: self.texts.len() } });
    }
}

/// The depth of the content of an element or value at this depth.
///
/// # Errors
/// When it would be too deep.
#[inline]
pub(super) fn deeper(depth: usize) -> Result<usize, Unusual> {
    if depth < MAX_DEPTH { Ok(depth.saturating_add(1)) } else { Err(Unusual("elements nested too deeply")) }
}

/// Checks that a name has characters only that JSON writes as they are.
#[inline]
pub(super) fn check(name: Name<'_>) -> Result<(), Unusual> {
    let units = name.utf16.as_chunks::<2>().0;
    let plain = |unit: &[u8; 2]| matches!(unit, [b' '..=b'~', 0]) && !matches!(unit, [b'"' | b'\\' | b'#', _]);
    if !units.is_empty() && units.iter().all(plain) { Ok(()) } else { Err(Unusual("a name of odd characters")) }
}
