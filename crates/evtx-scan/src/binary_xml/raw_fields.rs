//! The bytes of which the fields of an event are made: events with equal ones have equal fields.
//!
//! What a template makes of values depends on its tokens, and on the names that they refer to, which stand elsewhere in the
//! chunk. Both are looked at once a chunk and come to one hash; what an event adds are the values that the tokens ask for.
//! Most templates of Windows have one such value, which is an instance of a template of its own.

use std::ops::Range;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::token::{Instance, Token, Tokens};
use super::value::{Slot, kind};
use evidence::seed;

/// How many templates of a chunk are looked at. Chunks were seen to hold 6 on average.
const MOST_TEMPLATES: usize = 64;
/// How many tokens one may have. Windows' own have some hundreds.
const MOST_TOKENS: usize = 2048;
/// What stands for a value that is not there, for one that is an instance of a template, and for all values of that as
/// they stand there; no type of a value.
const ABSENT: u8 = 0xFF;
const INSTANCE: u8 = 0xFE;
const WHOLE: u8 = 0xFD;

/// The seed of the templates' hashes.
static SEED: LazyLock<u64> = LazyLock::new(seed);

/// What is known of the templates of one chunk.
#[derive(Debug, Default)]
pub(crate) struct RawFields {
    templates: Vec<Template>,
    /// The indices of the values that their tokens ask for.
    asked: Vec<u16>,
    /// The values of the instance that is a value of the one that is looked at.
    inner: Vec<Slot>,
    /// The tokens of the template that is looked at.
    held: Vec<u8>,
}

/// A template.
#[derive(Debug)]
struct Template {
    place: Place,
    /// What is known of it; `None` where its tokens hold what is not looked at here.
    known: Option<Known>,
}

/// What is known of a template.
#[derive(Debug, Clone)]
struct Known {
    /// Hash of its tokens.
    hash: u128,
    /// Which of [`RawFields::asked`] are its.
    asked: Range<usize>,
    /// How many values it asks for, if these are the first ones, each once and in their order.
    asks_for_first: Option<usize>,
}

/// The tokens of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// This part of a definition.
    Part(Range<usize>),
    /// The definition at this offset.
    Definition(usize),
}

impl RawFields {
    /// Forgets what belongs to the chunk before.
    pub(crate) fn begin_chunk(&mut self) {
        self.templates.clear();
        self.asked.clear();
    }

    /// Puts what the fields of an event are made of behind `out`: of one whose elements behind `System` are these tokens of
    /// its definition, and whose values these are. `None` where that is not known exactly, or the event can't be read.
    pub(crate) fn put(&mut self, chunk: &[u8], tokens: Range<usize>, values: &[Slot], out: &mut Vec<u8>) -> Option<()> {
        let mut inner = std::mem::take(&mut self.inner);
        let put = self.put_values(chunk, &Place::Part(tokens), values, Some(&mut inner), out);
        self.inner = inner;
        put
    }

    /// Puts those of an instance's values behind `out` that its template asks for. None of them may be binary XML unless
    /// there are slots for the values of that.
    fn put_values(
        &mut self,
        chunk: &[u8],
        place: &Place,
        values: &[Slot],
        mut inner: Option<&mut Vec<Slot>>,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let known = self.template(chunk, place)?;
        out.extend(known.hash.to_le_bytes());
        for index in known.asked {
            let Some(slot) = values.get(usize::from(*self.asked.get(index)?)) else {
                // Fewer values than the template asks for.
                out.push(ABSENT);
                continue;
            };
            let value = slot.value(chunk).ok()?;
            if value.kind == kind::BINARY_XML && !value.bytes.is_empty() {
                self.put_fragment(chunk, slot.range(), inner.as_deref_mut()?, out)?;
            } else {
                out.push(value.kind);
                out.extend(u16::try_from(value.bytes.len()).ok()?.to_le_bytes());
                out.extend_from_slice(value.bytes);
            }
        }
        Some(())
    }

    /// The same for binary XML that is an instance of a template and nothing else.
    fn put_fragment(
        &mut self,
        chunk: &[u8],
        range: Range<usize>,
        slots: &mut Vec<Slot>,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let mut tokens = Tokens::of_record(chunk, range).ok()?;
        let Ok(Token::Instance(Instance { definition, values })) = tokens.next() else { return None };
        let place = Place::Definition(definition);
        let known = self.template(chunk, &place)?;
        let end = if known.asks_for_first == Some(values.len()) && !values.have_binary_xml() {
            // All of them, as they stand there.
            let end = values.end().ok()?;
            out.push(WHOLE);
            out.extend(known.hash.to_le_bytes());
            out.extend(u32::try_from(values.len()).ok()?.to_le_bytes());
            out.extend_from_slice(values.descriptors().as_flattened());
            out.extend_from_slice(chunk.get(values.start()..end)?);
            end
        } else {
            slots.clear();
            let end = values.fill(slots).ok()?;
            out.push(INSTANCE);
            self.put_values(chunk, &place, slots, None, out)?;
            end
        };
        tokens.go_to(end);
        matches!(tokens.next(), Ok(Token::End)).then_some(())
    }

    /// What is known of a template; `None` where its tokens hold what is not looked at here.
    fn template(&mut self, chunk: &[u8], place: &Place) -> Option<Known> {
        let known = match self.templates.iter().position(|known| known.place == *place) {
            Some(known) => known,
            None if self.templates.len() >= MOST_TEMPLATES => return None,
            None => {
                let tokens = match place {
                    Place::Part(part) => Tokens::within(chunk, part.clone(), true),
                    Place::Definition(at) => Tokens::of_definition(chunk, *at),
                };
                let own = self.asked.len();
                self.held.clear();
                let mut reading = Reading { chunk, held: &mut self.held, asked: &mut self.asked, own };
                let read = tokens.ok().and_then(|tokens| reading.read(tokens));
                let known = read.map(|()| {
                    let asked = own..self.asked.len();
                    let in_order = self
                        .asked
                        .get(asked.clone())
                        .is_some_and(|asked| asked.iter().zip(0..).all(|(index, place)| *index == place));
                    let asks_for_first = in_order.then_some(asked.len());
                    Known { hash: xxh3_128_with_seed(&self.held, *SEED), asked, asks_for_first }
                });
                self.templates.push(Template { place: place.clone(), known });
                self.templates.len().checked_sub(1)?
            }
        };
        self.templates.get(known)?.known.clone()
    }
}

/// What is read of a template.
struct Reading<'c, 'r> {
    chunk: &'c [u8],
    /// Its tokens and the names that they refer to, one behind the other.
    held: &'r mut Vec<u8>,
    /// The indices of the values that they ask for.
    asked: &'r mut Vec<u16>,
    /// Where in `asked` its own begin.
    own: usize,
}

impl Reading<'_, '_> {
    /// Reads all tokens. `None` where they hold binary XML themselves, or can't be read.
    fn read(&mut self, mut tokens: Tokens<'_>) -> Option<()> {
        for _ in 0..MOST_TOKENS {
            // One step for six tokens.
            if let Some(data) = tokens.named_data() {
                self.held.push(b'N');
                self.dependency(data.dependency)?;
                self.text(self.chunk.get(data.name)?);
                self.index(data.index)?;
                continue;
            }
            match tokens.next().ok()? {
                Token::End => return Some(()),
                Token::Element(element) => {
                    self.held.push(b'E');
                    self.dependency(element.dependency)?;
                    self.text(element.name.utf16);
                }
                Token::StartEnds => self.held.push(b'S'),
                Token::Empty => self.held.push(b'/'),
                Token::ElementEnds => self.held.push(b'.'),
                Token::Literal(value) if value.kind != kind::BINARY_XML => {
                    self.held.extend([b'L', value.kind]);
                    self.text(value.bytes);
                }
                Token::CData(text) => {
                    self.held.push(b'D');
                    self.text(text);
                }
                Token::Attribute(name) => {
                    self.held.push(b'A');
                    self.text(name.utf16);
                }
                Token::Substitution(index) => {
                    self.held.push(b'V');
                    self.index(index)?;
                }
                Token::Character(number) => {
                    self.held.push(b'C');
                    self.held.extend(number.to_le_bytes());
                }
                Token::Entity(name) => {
                    self.held.push(b'&');
                    self.text(name.utf16);
                }
                Token::Literal(_) | Token::Instance(_) => return None,
            }
        }
        None
    }

    fn text(&mut self, text: &[u8]) {
        self.held.extend((text.len() as u64).to_le_bytes());
        self.held.extend_from_slice(text);
    }

    fn dependency(&mut self, index: Option<usize>) -> Option<()> {
        self.held.push(u8::from(index.is_some()));
        index.map_or(Some(()), |index| self.index(index))
    }

    fn index(&mut self, index: usize) -> Option<()> {
        let index = u16::try_from(index).ok()?;
        self.held.extend(index.to_le_bytes());
        // A `Data` mostly depends on the value that it holds.
        if self.asked.get(self.own..)?.last() != Some(&index) {
            self.asked.push(index);
        }
        Some(())
    }
}
