//! What the definitions of a chunk's templates say of their records.
//!
//! Each chunk holds the definitions of the templates that its records use, and most of them stood in chunks before. What
//! a definition says depends on its bytes, its place, and the names that it refers to, which stand where the chunk
//! used them first: mostly within its first definition. So it says what it said when it was read before, if it has the
//! same bytes up to the end of its system and
//!
//! - is the first one of its chunk, stands at the same place and holds all of its names itself;
//! - or refers to names within the chunk's first one only, stands behind that, and the first one is the same, too.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::binary_xml::Unusual;
use super::binary_xml::system::{Part, System};
use super::binary_xml::token::Tokens;
use super::selection::{NameHasher, Providers, WantedIds};
use untrusted::bytes::array_at;

/// How many definitions are remembered before all are forgotten, and how long one may be, bytes. Windows' own are
/// below 2 KiB.
const MOST_REMEMBERED: usize = 1024;
const LONGEST_REMEMBERED: usize = 4096;
/// Where a definition's header says how it differs from others, bytes: GUID and size. In front of them is the offset of
/// another definition, which says nothing of this one.
const IDENTITY: Range<usize> = 4..24;

/// What a definition says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    pub(crate) system: System,
    /// Where its tokens end.
    pub(crate) tokens_end: usize,
    /// What is wanted of its provider, where it names one.
    pub(crate) provider: Option<Wanted>,
}

/// What is wanted of a provider that a definition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Nothing,
    Some(WantedIds),
    All,
}

impl Wanted {
    fn of(ids: WantedIds, providers: &Providers) -> Self {
        if ids == WantedIds::NOTHING {
            Self::Nothing
        } else if providers.want_all(ids) {
            Self::All
        } else {
            Self::Some(ids)
        }
    }
}

/// Definitions of the chunks read so far.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    remembered: HashMap<Identity, Remembered, BuildHasherDefault<NameHasher>>,
    /// How many were ever remembered.
    count: u64,
    first: First,
}

/// The chunk's first definition.
#[derive(Debug, Default, Clone, Copy)]
enum First {
    /// None was read yet.
    #[default]
    ToCome,
    /// It is remembered, by this number; its bytes up to the end of its system stand there.
    Remembered { number: u64, start: usize, end: usize },
    /// It is not remembered.
    Forgotten,
}

/// What tells most definitions apart.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Identity {
    header: [u8; IDENTITY.end - IDENTITY.start],
    /// Number of the chunk's first definition; 0 for that itself.
    first: u64,
}

/// A definition that was read in some chunk.
#[derive(Debug)]
struct Remembered {
    number: u64,
    /// Where it stood.
    at: usize,
    /// Its bytes from its identity to the end of its system.
    bytes: Box<[u8]>,
    said: Definition,
}

impl Definitions {
    /// Forgets what belongs to the chunk before.
    pub(crate) fn begin_chunk(&mut self) {
        self.first = First::ToCome;
    }

    /// What the definition at this place says.
    ///
    /// # Errors
    /// When it is of an unusual shape.
    pub(crate) fn read(&mut self, bytes: &[u8], at: usize, providers: &mut Providers) -> Result<Definition, Unusual> {
        let first = std::mem::replace(&mut self.first, First::Forgotten);
        let identity = match first {
            First::ToCome => Some(0),
            First::Remembered { number, .. } => Some(number),
            First::Forgotten => None,
        }
        .zip(array_at(bytes, at.saturating_add(IDENTITY.start)))
        .map(|(first, header)| Identity { header, first });
        let is_first = matches!(first, First::ToCome);
        if !is_first {
            self.first = first;
        }
        let known = identity.as_ref().and_then(|identity| self.remembered.get(identity));
        if let Some(known) = known
            && let Some(said) = known.at(bytes, at, first)
        {
            if is_first {
                self.first = First::Remembered { number: known.number, start: at, end: said.system.end };
            }
            return Ok(said);
        }

        let mut tokens = Tokens::of_definition(bytes, at)?;
        let tokens_end = tokens.rest().end;
        let system = System::read(&mut tokens)?;
        let provider = match system.provider {
            Part::Literal(start, end) => bytes.get(start..end).map(|name| {
                let ids = providers.wanted(name);
                Wanted::of(ids, providers)
            }),
            _ => None,
        };
        let said = Definition { system, tokens_end, provider };
        let names = tokens.names();
        let within = |start: usize, end: usize| start <= names.start && names.end <= end;
        let depends_on_nothing_else = match first {
            First::ToCome => within(at, system.end),
            First::Remembered { start, end, .. } => within(start, end) && end <= at,
            First::Forgotten => false,
        };
        if depends_on_nothing_else
            && let Some(identity) = identity
            && let Some(bytes) = bytes.get(at.saturating_add(IDENTITY.start)..system.end)
            && bytes.len() <= LONGEST_REMEMBERED
        {
            if self.remembered.len() >= MOST_REMEMBERED {
                self.remembered.clear();
            }
            self.count = self.count.saturating_add(1);
            self.remembered.insert(identity, Remembered { number: self.count, at, bytes: bytes.into(), said });
            if is_first {
                self.first = First::Remembered { number: self.count, start: at, end: system.end };
            }
        }
        Ok(said)
    }
}

impl Remembered {
    /// What it says at this place; `None` when it is another definition, or might say something else there.
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
        let tokens_end = self.said.tokens_end.checked_sub(self.at)?.checked_add(at)?;
        (tokens_end <= bytes.len()).then(|| Definition {
            system: self.said.system.moved(self.at, at),
            tokens_end,
            provider: self.said.provider,
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

    /// A chunk with two definitions; how long the first record's string is tells where the second one stands.
    fn chunk(first: &str, second: &str, string: &str) -> Vec<u8> {
        let mut log = EventLog::new("Application", "PC-01");
        for provider in [first, second] {
            let event = Event::new(Provider::classic(provider), 1000).at(FileTime::utc(2024, 5, 6, 7, 8, 9));
            log.add(event.strings([string]));
        }
        log.to_bytes()[chunk_range(0)].to_vec()
    }

    /// Where the definitions stand, and what they say when nothing is remembered.
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
        // Another name for `Channel`, which only the first definition holds: both say something else now.
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
