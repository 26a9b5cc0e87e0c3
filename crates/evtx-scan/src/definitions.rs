//! Where the definitions of a chunk's templates have the parts of `System`.
//!
//! Each chunk has the definitions of the templates that its records use, and most of these definitions were in earlier chunks,
//! too. The meaning of a definition depends on its bytes, its place, and the names that it refers to, which are where the
//! chunk used them first: mostly within its first definition. So a definition that was read before need not be read again, if
//! it has the same bytes up to the end of its `System` and
//!
//! - is the first one of its chunk, is at the same place and contains all of its names itself;
//! - or refers to names within the chunk's first definition only, is behind that, and the first one is the same, too.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::binary_xml::Unusual;
use super::binary_xml::system::{Part, System};
use super::binary_xml::token::Tokens;
use super::selection::{Providers, WantedIds};
use super::utf16_names::NameHasher;
use untrusted::bytes::array_at;

/// How many definitions are remembered before all are forgotten, and the longest one that is remembered, bytes. Windows' own
/// definitions are below 2 KiB.
const MOST_REMEMBERED: usize = 1024;
const LONGEST_REMEMBERED: usize = 4096;
/// The part of a definition's header that distinguishes it from others, bytes: GUID and size. The offset of another
/// definition, in front of them, does not matter.
const IDENTITY: Range<usize> = 4..24;

/// What is read of a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    /// Where the parts of `System` are.
    pub(crate) system: System,
    /// Where the definition's tokens end.
    pub(crate) tokens_end: usize,
    /// The wanted events of the provider, where the definition names one.
    pub(crate) provider: Option<Wanted>,
}

/// The wanted events of a provider that a definition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// None.
    Nothing,
    /// Events with some ids.
    Some(WantedIds),
    /// All.
    All,
}

impl Wanted {
    /// The wanted events of the provider with this name, UTF-16.
    fn of_provider(name: &[u8], providers: &mut Providers) -> Self {
        let ids = providers.wanted(name);
        if ids == WantedIds::NOTHING {
            Self::Nothing
        } else if providers.wants_every_id(ids) {
            Self::All
        } else {
            Self::Some(ids)
        }
    }
}

/// Definitions of the chunks read so far.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    remembered: HashMap<Key, Remembered, BuildHasherDefault<NameHasher>>,
    /// How many definitions were ever remembered.
    count: u64,
    first: First,
}

/// The first definition of the current chunk.
#[derive(Debug, Default, Clone, Copy)]
enum First {
    /// No definition was read yet.
    #[default]
    ToCome,
    /// The first definition is remembered by this number, and has its bytes up to the end of its `System` there.
    Remembered { number: u64, start: usize, end: usize },
    /// The first definition is not remembered.
    Forgotten,
}

/// What distinguishes most definitions from each other.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    /// GUID and size.
    header: [u8; IDENTITY.end - IDENTITY.start],
    /// Number of the chunk's first definition; 0 for the first definition itself.
    first: u64,
}

/// A definition that was read in an earlier chunk.
#[derive(Debug)]
struct Remembered {
    number: u64,
    /// Its offset in that chunk.
    at: usize,
    /// Its bytes from [`IDENTITY`] to the end of its `System`.
    bytes: Box<[u8]>,
    definition: Definition,
}

impl Definitions {
    /// Forgets which definition was the first one of the chunk before.
    pub(crate) fn begin_chunk(&mut self) {
        self.first = First::ToCome;
    }

    /// Reads the definition at the offset `at`, or remembers it.
    ///
    /// # Errors
    /// When the definition is of an unusual shape.
    pub(crate) fn read(&mut self, bytes: &[u8], at: usize, providers: &mut Providers) -> Result<Definition, Unusual> {
        let first = std::mem::replace(&mut self.first, First::Forgotten);
        let key = match first {
            First::ToCome => Some(0),
            First::Remembered { number, .. } => Some(number),
            First::Forgotten => None,
        }
        .zip(array_at(bytes, at.saturating_add(IDENTITY.start)))
        .map(|(first, header)| Key { header, first });
        let is_first = matches!(first, First::ToCome);
        if !is_first {
            self.first = first;
        }
        let known = key.as_ref().and_then(|key| self.remembered.get(key));
        if let Some(known) = known
            && let Some(definition) = known.at(bytes, at, first)
        {
            if is_first {
                self.first = First::Remembered { number: known.number, start: at, end: definition.system.end };
            }
            return Ok(definition);
        }

        let mut tokens = Tokens::of_definition(bytes, at)?;
        let tokens_end = tokens.rest().end;
        let system = System::read(&mut tokens)?;
        let provider = match system.provider {
            Part::Literal(start, end) => bytes.get(start..end).map(|name| Wanted::of_provider(name, providers)),
            _ => None,
        };
        let definition = Definition { system, tokens_end, provider };
        let names = &tokens.names;
        let within = |start: usize, end: usize| start <= names.start && names.end <= end;
        let depends_on_nothing_else = match first {
            First::ToCome => within(at, system.end),
            First::Remembered { start, end, .. } => within(start, end) && end <= at,
            First::Forgotten => false,
        };
        if depends_on_nothing_else
            && let Some(key) = key
            && let Some(bytes) = bytes.get(at.saturating_add(IDENTITY.start)..system.end)
            && bytes.len() <= LONGEST_REMEMBERED
        {
            if self.remembered.len() >= MOST_REMEMBERED {
                self.remembered.clear();
            }
            self.count = self.count.saturating_add(1);
            self.remembered.insert(key, Remembered { number: self.count, at, bytes: bytes.into(), definition });
            if is_first {
                self.first = First::Remembered { number: self.count, start: at, end: system.end };
            }
        }
        Ok(definition)
    }
}

impl Remembered {
    /// This definition as it is at the offset `at`; `None` when other bytes are there, or when their meaning might
    /// differ there.
    fn at(&self, bytes: &[u8], at: usize, first: First) -> Option<Definition> {
        let is_in_place = match first {
            First::ToCome => at == self.at,
            First::Remembered { end, .. } => end <= at,
            First::Forgotten => false,
        };
        let start = at.checked_add(IDENTITY.start)?;
        if !is_in_place || bytes.get(start..start.checked_add(self.bytes.len())?)? != &*self.bytes {
            return None;
        }
        let tokens_end = self.definition.tokens_end.checked_sub(self.at)?.checked_add(at)?;
        (tokens_end <= bytes.len()).then(|| Definition {
            system: self.definition.system.moved(self.at, at),
            tokens_end,
            provider: self.definition.provider,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use samplekit::FileTime;
    use samplekit::event_log::patch::chunk_range;
    use samplekit::event_log::{Event, EventLog, Provider};

    use super::*;
    use crate::binary_xml::token::Instance;
    use crate::catalogue::testing::CATALOGUE;
    use crate::chunk::RECORDS_START;
    use crate::records;

    fn providers() -> Providers {
        Providers::new(Arc::clone(&CATALOGUE))
    }

    /// A chunk with two definitions; the place of the second one depends on the length of the first record's string.
    fn chunk(first: &str, second: &str, string: &str) -> Vec<u8> {
        let mut log = EventLog::new("Application", "PC-01");
        for provider in [first, second] {
            let event = Event::new(Provider::classic(provider), 1000).at(FileTime::utc(2024, 5, 6, 7, 8, 9));
            log.add(event.strings([string]));
        }
        log.to_bytes()[chunk_range(0)].to_vec()
    }

    /// The offsets of the definitions, and what is read of them when nothing is remembered.
    fn fresh(chunk: &[u8]) -> Vec<(usize, String)> {
        let mut definitions = Definitions::default();
        let read = |record: records::RawRecord| {
            let instance = Instance::of_record(chunk, record.content_start()..record.content_end());
            let at = instance.expect("whole").expect("an instance").definition;
            let said = definitions.read(chunk, at, &mut providers());
            (at, format!("{:?}", said.expect("a definition")))
        };
        records::consecutive(chunk, RECORDS_START, None).map(read).collect()
    }

    #[test]
    fn what_is_remembered_is_what_would_be_read() {
        let mut definitions = Definitions::default();
        let short = chunk("One", "Two", "a");
        let long = chunk("One", "Two", "a longer one");
        assert_ne!(fresh(&short)[1].0, fresh(&long)[1].0);
        // How many definitions of each chunk are new.
        let chunks = [
            (&short, 2),
            (&short, 0),
            (&long, 0),
            (&chunk("One", "Six", "a"), 1),
            // Its first definition is another one: its second one counts as new, too.
            (&chunk("Ten", "Two", "a"), 2),
            (&long, 0),
        ];
        for (chunk, new) in chunks {
            let expected = fresh(chunk);
            let before = definitions.count;
            definitions.begin_chunk();
            for (at, expected) in &expected {
                let said = definitions.read(chunk, *at, &mut providers()).expect("a definition");
                assert_eq!(format!("{said:?}"), *expected);
            }
            assert_eq!(definitions.count - before, new, "{expected:?}");
        }
    }

    #[test]
    fn names_that_changed_are_read_again() {
        let whole = chunk("One", "Two", "a");
        let expected = fresh(&whole);
        let mut definitions = Definitions::default();
        for (at, _) in &expected {
            definitions.read(&whole, *at, &mut providers()).expect("a definition");
        }
        // Another name in place of `Channel`, which only the first definition contains: it changes the meaning of both.
        let mut changed = whole;
        let name: Vec<u8> = "Channel".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let place = memchr::memmem::find(&changed, &name).expect("the name");
        changed[place] = b'K';
        definitions.begin_chunk();
        for (at, before) in &expected {
            let said = definitions.read(&changed, *at, &mut providers()).expect("a definition");
            assert_ne!(format!("{said:?}"), *before);
            assert_eq!(said.system.channel, Part::Absent);
        }
    }
}
