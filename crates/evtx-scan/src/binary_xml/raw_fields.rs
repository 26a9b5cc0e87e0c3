//! The bytes that the fields of an event are decoded from: events with equal bytes have equal fields.
//!
//! The fields depend on the tokens of the event's template, on the names that they refer to, which are elsewhere in the chunk,
//! and on the values that the tokens refer to. Tokens and names are read once a chunk and become one hash; an event adds its
//! values. Most templates of Windows have one such value, which is an instance of another template.

use std::ops::Range;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::token::{Instance, Token, Tokens};
use super::value::{Slot, kind};
use evidence::seed;

/// The most templates of a chunk that are read here. Chunks were seen to have 6 on average.
const MOST_TEMPLATES: usize = 64;
/// The most tokens of a template. Windows' own templates have some hundreds.
const MOST_TOKENS: usize = 2048;
/// Marks in front of the bytes of a value: for a missing value, an instance of a template, and an instance with all of its
/// values in one piece. No type of values has these numbers.
const ABSENT: u8 = 0xFF;
const INSTANCE: u8 = 0xFE;
const WHOLE: u8 = 0xFD;

/// The seed of the templates' hashes.
static SEED: LazyLock<u64> = LazyLock::new(seed);

/// What is known of the templates of one chunk.
#[derive(Debug, Default)]
pub(crate) struct RawFields {
    /// The templates by the place of their tokens; `None` for one whose tokens are not read here.
    templates: Vec<(TokenPlace, Option<Known>)>,
    /// The indices of the values that the tokens of all templates refer to.
    used: Vec<u16>,
    /// Where the values of the inner instance are, while one is read.
    inner: Vec<Slot>,
    /// The tokens and names of the template that is being read.
    bytes: Vec<u8>,
}

/// What is known of a template.
#[derive(Debug, Clone)]
struct Known {
    /// Hash of its tokens and names.
    hash: u128,
    /// Its part of [`RawFields::used`].
    used: Range<usize>,
    /// The number of values that it uses, if these are the first ones, each once and in their order.
    uses_first: Option<usize>,
}

/// The place of a template's tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenPlace {
    /// This part of a definition.
    Part(Range<usize>),
    /// The definition at this offset.
    Definition(usize),
}

impl RawFields {
    /// Forgets the templates of the chunk before.
    pub(crate) fn begin_chunk(&mut self) {
        self.templates.clear();
        self.used.clear();
    }

    /// Appends to `out` the bytes that the fields of an event are decoded from. `tokens` is the part of its definition behind
    /// `System`. `None` where this is not known exactly, or the event can't be read.
    pub(crate) fn append(
        &mut self,
        chunk: &[u8],
        tokens: Range<usize>,
        values: &[Slot],
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let mut inner = std::mem::take(&mut self.inner);
        let appended = self.append_values(chunk, &TokenPlace::Part(tokens), values, Some(&mut inner), out);
        self.inner = inner;
        appended
    }

    /// Appends the values of an instance that its template uses. They may be binary XML only if `inner` has room for its values.
    fn append_values(
        &mut self,
        chunk: &[u8],
        place: &TokenPlace,
        values: &[Slot],
        mut inner: Option<&mut Vec<Slot>>,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let known = self.template(chunk, place)?;
        out.extend(known.hash.to_le_bytes());
        for index in known.used {
            let Some(slot) = values.get(usize::from(*self.used.get(index)?)) else {
                // The instance has fewer values than the template uses.
                out.push(ABSENT);
                continue;
            };
            let value = slot.value(chunk).ok()?;
            if value.kind == kind::BINARY_XML && !value.bytes.is_empty() {
                self.append_fragment(chunk, slot.range(), inner.as_deref_mut()?, out)?;
            } else {
                out.push(value.kind);
                out.extend(u16::try_from(value.bytes.len()).ok()?.to_le_bytes());
                out.extend_from_slice(value.bytes);
            }
        }
        Some(())
    }

    /// Appends a value that is binary XML: an instance of a template and nothing else.
    fn append_fragment(
        &mut self,
        chunk: &[u8],
        range: Range<usize>,
        slots: &mut Vec<Slot>,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let mut tokens = Tokens::of_record(chunk, range).ok()?;
        let Ok(Token::Instance(Instance { definition, values })) = tokens.next() else { return None };
        let place = TokenPlace::Definition(definition);
        let known = self.template(chunk, &place)?;
        let end = if known.uses_first == Some(values.len()) && !values.have_binary_xml() {
            // All values in one piece.
            let end = values.end().ok()?;
            out.push(WHOLE);
            out.extend(known.hash.to_le_bytes());
            out.extend(u32::try_from(values.len()).ok()?.to_le_bytes());
            out.extend_from_slice(values.descriptors.as_flattened());
            out.extend_from_slice(chunk.get(values.start..end)?);
            end
        } else {
            slots.clear();
            let end = values.fill(slots).ok()?;
            out.push(INSTANCE);
            self.append_values(chunk, &place, slots, None, out)?;
            end
        };
        tokens.at = end;
        matches!(tokens.next(), Ok(Token::End)).then_some(())
    }

    /// What is known of a template; `None` for one whose tokens are not read here.
    fn template(&mut self, chunk: &[u8], place: &TokenPlace) -> Option<Known> {
        let known = match self.templates.iter().position(|(known, _)| known == place) {
            Some(known) => known,
            None if self.templates.len() >= MOST_TEMPLATES => return None,
            None => {
                let tokens = match place {
                    TokenPlace::Part(part) => Tokens::within(chunk, part.clone(), true),
                    TokenPlace::Definition(at) => Tokens::of_definition(chunk, *at),
                };
                let first_used = self.used.len();
                self.bytes.clear();
                let mut reading = TemplateReading { chunk, bytes: &mut self.bytes, used: &mut self.used, first_used };
                let read = tokens.ok().and_then(|tokens| reading.read(tokens));
                let known = read.map(|()| {
                    let used = first_used..self.used.len();
                    let in_order = self
                        .used
                        .get(used.clone())
                        .is_some_and(|used| used.iter().zip(0..).all(|(index, place)| *index == place));
                    let uses_first = in_order.then_some(used.len());
                    Known { hash: xxh3_128_with_seed(&self.bytes, *SEED), used, uses_first }
                });
                self.templates.push((place.clone(), known));
                self.templates.len().checked_sub(1)?
            }
        };
        self.templates.get(known)?.1.clone()
    }
}

/// Reads the tokens of a template.
struct TemplateReading<'c, 'r> {
    chunk: &'c [u8],
    /// The template's tokens and the names that they refer to, in turn.
    bytes: &'r mut Vec<u8>,
    /// The indices of the values that templates use.
    used: &'r mut Vec<u16>,
    /// The index in `used` of this template's first value.
    first_used: usize,
}

impl TemplateReading<'_, '_> {
    /// Reads all tokens. `None` where they contain binary XML themselves, or can't be read.
    fn read(&mut self, mut tokens: Tokens<'_>) -> Option<()> {
        for _ in 0..MOST_TOKENS {
            // One step for six tokens.
            if let Some(data) = tokens.named_data() {
                self.bytes.push(b'N');
                self.dependency(data.dependency)?;
                self.text(self.chunk.get(data.name)?);
                self.index(data.index)?;
                continue;
            }
            match tokens.next().ok()? {
                Token::End => return Some(()),
                Token::Element(element) => {
                    self.bytes.push(b'E');
                    self.dependency(element.dependency)?;
                    self.text(element.name.utf16);
                }
                Token::StartEnds => self.bytes.push(b'S'),
                Token::Empty => self.bytes.push(b'/'),
                Token::ElementEnds => self.bytes.push(b'.'),
                Token::Literal(value) if value.kind != kind::BINARY_XML => {
                    self.bytes.extend([b'L', value.kind]);
                    self.text(value.bytes);
                }
                Token::CData(text) => {
                    self.bytes.push(b'D');
                    self.text(text);
                }
                Token::Attribute(name) => {
                    self.bytes.push(b'A');
                    self.text(name.utf16);
                }
                Token::Substitution(index) => {
                    self.bytes.push(b'V');
                    self.index(index)?;
                }
                Token::Character(number) => {
                    self.bytes.push(b'C');
                    self.bytes.extend(number.to_le_bytes());
                }
                Token::Entity(name) => {
                    self.bytes.push(b'&');
                    self.text(name.utf16);
                }
                Token::Literal(_) | Token::Instance(_) => return None,
            }
        }
        None
    }

    fn text(&mut self, text: &[u8]) {
        self.bytes.extend((text.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(text);
    }

    fn dependency(&mut self, index: Option<usize>) -> Option<()> {
        self.bytes.push(u8::from(index.is_some()));
        index.map_or(Some(()), |index| self.index(index))
    }

    fn index(&mut self, index: usize) -> Option<()> {
        let index = u16::try_from(index).ok()?;
        self.bytes.extend(index.to_le_bytes());
        // A `Data` mostly depends on the value that it contains.
        if self.used.get(self.first_used..)?.last() != Some(&index) {
            self.used.push(index);
        }
        Some(())
    }
}
