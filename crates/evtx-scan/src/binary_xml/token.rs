//! The tokens of binary XML, and the names that they refer to.

use std::ops::Range;

use super::Unusual;
use super::value::{Value, Values, fixed_size, is_type, kind, sid_size};

/// Size of a definition's header, bytes: the offset of another definition (4), a GUID (16) and the size of the tokens (4).
const DEFINITION_HEADER: usize = 24;
/// Set in a token that has more with it: an element with attributes, or a value or attribute that another one follows.
const MORE: u8 = 0x40;
/// The dependency of an element that depends on no value.
const NO_DEPENDENCY: u16 = 0xFFFF;

/// An empty range, within every other range.
const NO_NAMES: Range<usize> = Range { start: usize::MAX, end: 0 };

const CUT: Unusual = Unusual("the tokens are cut");

/// The name of an element or attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name<'c> {
    /// Its characters, UTF-16.
    pub(crate) utf16: &'c [u8],
    /// The offset of the characters in the chunk.
    pub(crate) at: usize,
}

impl Name<'_> {
    /// Whether these are the name's characters, UTF-16.
    #[inline]
    pub(crate) fn is<const N: usize>(self, utf16: &[u8; N]) -> bool {
        self.utf16.len() == N && self.utf16.first_chunk::<N>() == Some(utf16)
    }
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token<'c> {
    /// The end of the tokens.
    End,
    /// An element begins; its attributes follow, then [`Token::StartEnds`] or [`Token::Empty`].
    Element(Element<'c>),
    /// The element's attributes end, its content follows.
    StartEnds,
    /// The element's attributes end, and it has no content.
    Empty,
    /// An element ends.
    ElementEnds,
    /// A value that is part of the tokens.
    Literal(Value<'c>),
    /// A CDATA section, UTF-16.
    CData(&'c [u8]),
    /// An attribute begins; its value follows.
    Attribute(Name<'c>),
    /// The value of the instance with this index.
    Substitution(usize),
    /// A character by its number.
    Character(u16),
    /// A character by its name.
    Entity(Name<'c>),
    /// An instance of a template. The next token is behind its values: see [`Tokens::at`].
    Instance(Instance<'c>),
}

/// The beginning of an element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'c> {
    /// Its name.
    pub(crate) name: Name<'c>,
    /// The index of the value without which the element is left out.
    pub(crate) dependency: Option<usize>,
}

/// A `Data` element as most templates have it: its name is part of the template, its content is one value of the instance.
#[derive(Debug, Clone)]
pub(crate) struct NamedData {
    /// The index of the value without which the element is left out.
    pub(crate) dependency: Option<usize>,
    /// The place of its name's characters in the chunk; there is at least one.
    pub(crate) name: Range<usize>,
    /// The index of its value.
    pub(crate) index: usize,
}

/// An instance of a template.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instance<'c> {
    /// The offset of the template's definition in the chunk.
    pub(crate) definition: usize,
    /// The values that are put into the template.
    pub(crate) values: Values<'c>,
}

impl<'c> Instance<'c> {
    /// The instance that is the record whose binary XML is this part of the chunk; `None` for a record that has its tokens
    /// itself.
    ///
    /// # Errors
    /// When the record is cut.
    #[inline]
    pub(crate) fn of_record(chunk: &'c [u8], record: Range<usize>) -> Result<Option<Self>, Unusual> {
        let mut tokens = Tokens::of_record(chunk, record)?;
        if tokens.peek() != Some(0x0C) {
            return Ok(None);
        }
        tokens.at = tokens.at.saturating_add(1);
        tokens.instance().map(Some)
    }
}

/// Reads tokens one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'c> {
    chunk: &'c [u8],
    /// The chunk up to where the tokens must end.
    bytes: &'c [u8],
    /// The offset of the next token. Behind an instance of a template, set it to where the instance's values end.
    pub(crate) at: usize,
    /// Whether the tokens are those of a definition, whose elements may depend on a value.
    in_definition: bool,
    /// The part of the chunk with all names that [`Tokens::next`] returned, from their headers to the NUL behind them, and the
    /// beginnings of the names that [`Tokens::skip_element`] skipped.
    pub(crate) names: Range<usize>,
}

impl<'c> Tokens<'c> {
    /// The tokens in this part of a definition or a record.
    #[inline]
    pub(crate) fn within(chunk: &'c [u8], range: Range<usize>, in_definition: bool) -> Result<Self, Unusual> {
        let bytes = chunk.get(..range.end).ok_or(Unusual("tokens reach beyond the chunk"))?;
        Ok(Self { chunk, bytes, at: range.start, in_definition, names: NO_NAMES })
    }

    /// The tokens of a record, or of a value that is binary XML.
    #[inline]
    pub(crate) fn of_record(chunk: &'c [u8], record: Range<usize>) -> Result<Self, Unusual> {
        let mut tokens = Self::within(chunk, record, false)?;
        tokens.skip_fragment_header()?;
        Ok(tokens)
    }

    /// The tokens of the definition at this offset.
    #[inline]
    pub(crate) fn of_definition(chunk: &'c [u8], definition: usize) -> Result<Self, Unusual> {
        let start = definition.saturating_add(DEFINITION_HEADER);
        let end = start.saturating_add(definition_size(chunk, definition)?);
        let mut tokens = Self::within(chunk, start..end, true)?;
        tokens.skip_fragment_header()?;
        Ok(tokens)
    }

    /// The part of the chunk with the tokens that are not read yet.
    #[inline]
    pub(crate) fn rest(&self) -> Range<usize> {
        self.at..self.bytes.len()
    }

    /// The next token.
    ///
    /// # Errors
    /// When the token is cut, or of a kind that is not read here.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Token<'c>, Unusual> {
        let Some(token) = self.peek() else { return Ok(Token::End) };
        self.at = self.at.saturating_add(1);
        Ok(match token {
            0x00 => Token::End,
            0x01 | 0x41 => {
                let dependency = if self.in_definition { self.u16()? } else { NO_DEPENDENCY };
                let _size = self.u32()?;
                let name = self.name()?;
                if token & MORE != 0 {
                    let _size_of_attributes = self.u32()?;
                }
                let dependency = (dependency != NO_DEPENDENCY).then(|| usize::from(dependency));
                Token::Element(Element { name, dependency })
            }
            0x02 => Token::StartEnds,
            0x03 => Token::Empty,
            0x04 => Token::ElementEnds,
            0x05 | 0x45 => Token::Literal(self.literal()?),
            0x06 | 0x46 => Token::Attribute(self.name()?),
            0x07 | 0x47 => Token::CData(self.characters()?),
            0x08 | 0x48 => Token::Character(self.u16()?),
            0x09 | 0x49 => Token::Entity(self.name()?),
            0x0C => Token::Instance(self.instance()?),
            // An optional substitution only differs in how an empty attribute would be written.
            0x0D | 0x0E => {
                let index = self.u16()?;
                // The type that the template expects; the table of values has the types of the values.
                let [kind] = self.array()?;
                if !is_type(kind) {
                    return Err(Unusual("a substitution of a type that nobody knows"));
                }
                Token::Substitution(usize::from(index))
            }
            _ => return Err(Unusual("a token that is not read here")),
        })
    }

    /// Reads the next element with all its tokens, if it is a `Data` as most templates have it, or else nothing.
    #[inline]
    pub(crate) fn named_data(&mut self) -> Option<NamedData> {
        if !self.in_definition {
            return None;
        }
        let (start, at) = self.part::<11>(self.at)?;
        let [0x41, dependency @ .., _, _, _, _, name0, name1, name2, name3] = start else { return None };
        let at = self.behind_name([name0, name1, name2, name3], *b"\x04\0D\0a\0t\0a\0", at)?;
        let (attribute, at) = self.part::<9>(at)?;
        let [_, _, _, _, 0x06, name @ ..] = attribute else { return None };
        let at = self.behind_name(name, *b"\x04\0N\0a\0m\0e\0", at)?;
        let ([0x05, kind::STRING, low, high], start) = self.part::<4>(at)? else { return None };
        let size = usize::from(u16::from_le_bytes([low, high])).saturating_mul(2);
        let name = start..start.saturating_add(size);
        let ([0x02, 0x0D | 0x0E, low, high, kind, 0x04], at) = self.part::<6>(name.end)? else { return None };
        if name.is_empty() || !is_type(kind) {
            return None;
        }
        self.at = at;
        let dependency = u16::from_le_bytes(dependency);
        let dependency = (dependency != NO_DEPENDENCY).then(|| usize::from(dependency));
        Some(NamedData { dependency, name, index: usize::from(u16::from_le_bytes([low, high])) })
    }

    /// The next `N` bytes at an offset, and the offset behind them.
    #[inline]
    fn part<const N: usize>(&self, at: usize) -> Option<([u8; N], usize)> {
        Some((*self.bytes.get(at..)?.first_chunk()?, at.saturating_add(N)))
    }

    /// The offset behind a reference to a name, which ends at `at`, and behind the name itself where that follows; `None` for
    /// any other name. `name` is the number of characters, four, and the characters.
    #[inline]
    fn behind_name(&self, offset: [u8; 4], name: [u8; 10], at: usize) -> Option<usize> {
        let offset = usize::try_from(u32::from_le_bytes(offset)).ok()?;
        if *self.chunk.get(offset.checked_add(6)?..)?.first_chunk()? != name {
            return None;
        }
        Some(if offset == at { at.saturating_add(18) } else { at })
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips version and flags in front of all tokens.
    #[inline]
    fn skip_fragment_header(&mut self) -> Result<(), Unusual> {
        if self.peek() == Some(0x0F) {
            self.take(4)?;
        }
        Ok(())
    }

    #[inline]
    fn take(&mut self, size: usize) -> Result<&'c [u8], Unusual> {
        let end = self.at.saturating_add(size);
        let taken = self.bytes.get(self.at..end).ok_or(CUT)?;
        self.at = end;
        Ok(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unusual> {
        let taken = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<N>).ok_or(CUT)?;
        self.at = self.at.saturating_add(N);
        Ok(*taken)
    }

    #[inline]
    fn u16(&mut self) -> Result<u16, Unusual> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    fn u32(&mut self) -> Result<u32, Unusual> {
        self.array().map(u32::from_le_bytes)
    }

    /// Characters with their number in front of them.
    #[inline]
    fn characters(&mut self) -> Result<&'c [u8], Unusual> {
        let count = usize::from(self.u16()?);
        self.take(count.saturating_mul(2))
    }

    /// Skips the rest of an element whose beginning was read. `left` is the number of tokens that may still be read, and counts
    /// down.
    ///
    /// # Errors
    /// When a token of the element is cut or of a kind that is not read here, or there are too many.
    pub(crate) fn skip_element(&mut self, left: &mut usize) -> Result<(), Unusual> {
        let mut open = 1_usize;
        while open > 0 {
            *left = left.checked_sub(1).ok_or(Unusual("an element of very many tokens"))?;
            let Some(token) = self.peek() else { return Err(CUT) };
            match token {
                0x01 | 0x41 => {
                    let dependency = if self.in_definition { 2 } else { 0 };
                    self.take(1_usize.saturating_add(dependency).saturating_add(4))?;
                    self.skip_name()?;
                    if token & MORE != 0 {
                        self.take(4)?;
                    }
                    open = open.saturating_add(1);
                }
                0x02 => _ = self.take(1)?,
                0x03 | 0x04 => {
                    self.take(1)?;
                    open = open.saturating_sub(1);
                }
                0x06 | 0x46 => {
                    self.take(1)?;
                    self.skip_name()?;
                }
                0x00 => return Err(CUT),
                // The other tokens are short, and read like any.
                _ => {
                    if matches!(self.next()?, Token::Instance(_) | Token::Entity(_)) {
                        return Err(Unusual("an instance or a named character within the system"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Skips a reference to a name, and the name itself where that follows.
    #[inline]
    fn skip_name(&mut self) -> Result<(), Unusual> {
        let offset = usize::try_from(self.u32()?).map_err(|_| CUT)?;
        self.note_name(offset, 1);
        if offset == self.at {
            self.take(6)?;
            let characters = usize::from(self.u16()?);
            self.take(characters.saturating_mul(2).saturating_add(2))?;
        }
        Ok(())
    }

    /// Adds a name with this offset and size to the names.
    #[inline]
    fn note_name(&mut self, offset: usize, size: usize) {
        self.names = self.names.start.min(offset)..self.names.end.max(offset.saturating_add(size));
    }

    /// A name, by its offset in the chunk. Where a chunk uses the name for the first time, the name itself follows.
    #[inline]
    fn name(&mut self) -> Result<Name<'c>, Unusual> {
        const BROKEN: Unusual = Unusual("a name lies beyond the chunk");

        let offset = usize::try_from(self.u32()?).map_err(|_| BROKEN)?;
        // The offset of another name and a hash, then the number of characters, the characters, and a NUL.
        let at = offset.saturating_add(6);
        let (count, rest) = self.chunk.get(at..).and_then(<[u8]>::split_first_chunk).ok_or(BROKEN)?;
        let size = usize::from(u16::from_le_bytes(*count)).saturating_mul(2);
        let utf16 = rest.get(..size).ok_or(BROKEN)?;
        let whole = size.saturating_add(10);
        self.note_name(offset, whole);
        if offset == self.at {
            self.take(whole)?;
        }
        Ok(Name { utf16, at: at.saturating_add(2) })
    }

    /// A value among the tokens.
    #[inline]
    fn literal(&mut self) -> Result<Value<'c>, Unusual> {
        let [kind] = self.array()?;
        let bytes = match kind {
            kind::STRING => self.characters()?,
            kind::NULL => &[],
            kind::BINARY_XML => {
                let size = usize::from(self.u16()?);
                self.take(size)?
            }
            kind::SID => {
                let rest = self.bytes.get(self.at..).ok_or(CUT)?;
                self.take(sid_size(rest).ok_or(CUT)?)?
            }
            _ => self.take(fixed_size(kind).ok_or(Unusual("a literal of a type that is not read here"))?)?,
        };
        Ok(Value { kind, bytes })
    }

    /// An instance up to its values.
    #[inline]
    fn instance(&mut self) -> Result<Instance<'c>, Unusual> {
        let [_, _id @ .., d0, d1, d2, d3] = self.array::<9>()?;
        let definition = usize::try_from(u32::from_le_bytes([d0, d1, d2, d3])).map_err(|_| CUT)?;
        // Where a chunk uses a template for the first time, the definition follows.
        if definition == self.at {
            let size = definition_size(self.chunk, definition)?;
            self.take(DEFINITION_HEADER.saturating_add(size))?;
        }
        Ok(Instance { definition, values: Values::at(self.bytes, self.at)? })
    }
}

/// Size of a definition's tokens, bytes.
#[inline]
fn definition_size(chunk: &[u8], definition: usize) -> Result<usize, Unusual> {
    let header = definition.checked_add(20).and_then(|at| chunk.get(at..)).and_then(<[u8]>::first_chunk);
    let size = header.map(|size| u32::from_le_bytes(*size)).and_then(|size| usize::try_from(size).ok());
    size.ok_or(Unusual("a definition lies beyond the chunk"))
}
