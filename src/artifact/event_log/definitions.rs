//! What the definitions of a chunk's templates say of their records.
//!
//! Each chunk holds the definitions of the templates that its records use, and most of them stood in chunks before. What
//! a definition says depends on its bytes, and on the names that it refers to, which stand where the chunk used them
//! first. So it says what it said when it was read before, if it has the same bytes up to the end of its system, the names
//! that were read stand where they stood, and it stands at the same place, or behind all of its names: those that stand
//! within it are a part of it.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::binary_xml::Unusual;
use super::binary_xml::system::{Part, System};
use super::binary_xml::token::Tokens;
use super::catalogue::WantedIds;
use super::selection::{NameHasher, Providers};
use crate::artifact::bytes::{array_at, u16_at};

/// How many definitions are remembered before all are forgotten, and how long one may be, bytes. Windows' own are
/// below 2 KiB.
const MOST_REMEMBERED: usize = 1024;
const LONGEST_REMEMBERED: usize = 4096;
/// How many names may be read of one that is remembered, and how long each may be, bytes. A system is read by about 20, of
/// up to 15 characters.
const MOST_NAMES: usize = 64;
const LONGEST_NAME: usize = 64;
/// Where a definition says how it differs from others, bytes: GUID and size, and its first tokens, which say where the
/// chunk has its first names. In front of them is the offset of another definition, which says nothing of this one.
const IDENTITY: Range<usize> = 4..88;

/// What a definition says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    pub(super) system: System,
    /// Where its tokens end.
    pub(super) tokens_end: usize,
    /// What is wanted of its provider, where it names one.
    pub(super) provider: Option<Wanted>,
}

/// What is wanted of a provider that a definition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Nothing,
    Some(WantedIds),
    All,
}

impl Wanted {
    fn of(ids: WantedIds) -> Self {
        if ids.is_empty() {
            Self::Nothing
        } else if ids.is_all() {
            Self::All
        } else {
            Self::Some(ids)
        }
    }
}

/// Definitions of the chunks read so far.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    remembered: HashMap<Identity, Remembered, BuildHasherDefault<NameHasher>>,
    /// How many were ever remembered.
    count: u64,
}

/// What tells most definitions apart.
type Identity = [u8; IDENTITY.end - IDENTITY.start];

/// A definition that was read in some chunk.
#[derive(Debug)]
struct Remembered {
    /// Where it stood.
    at: usize,
    /// Its bytes from its identity to the end of its system.
    bytes: Box<[u8]>,
    /// Where in the chunk names stood that were read, and their UTF-16.
    names: Vec<(usize, Box<[u8]>)>,
    /// Where the last name ended, those counted that were passed over.
    names_end: usize,
    said: Definition,
}

impl Definitions {
    /// What the definition at this place says.
    ///
    /// # Errors
    /// When it is of an unusual shape.
    pub(super) fn read(&mut self, bytes: &[u8], at: usize, providers: &mut Providers) -> Result<Definition, Unusual> {
        let start = at.saturating_add(IDENTITY.start);
        let identity: Option<Identity> = array_at(bytes, start);
        let known = identity.as_ref().and_then(|identity| self.remembered.get(identity));
        if let Some(said) = known.and_then(|known| known.at(bytes, at)) {
            return Ok(said);
        }

        let mut tokens = Tokens::of_definition(bytes, at)?;
        let tokens_end = tokens.rest().end;
        let mut names = Vec::new();
        let system = System::read_noting(&mut tokens, |name| names.push(name))?;
        let provider = match system.provider {
            Part::Literal(start, end) => bytes.get(start..end).map(|name| Wanted::of(providers.wanted(name))),
            _ => None,
        };
        let said = Definition { system, tokens_end, provider };
        if let Some(identity) = identity
            && let Some(bytes) = bytes.get(start..system.end)
            && bytes.len() <= LONGEST_REMEMBERED
            && names.len() <= MOST_NAMES
            && names.iter().all(|name| name.utf16.len() <= LONGEST_NAME)
        {
            if self.remembered.len() >= MOST_REMEMBERED {
                self.remembered.clear();
            }
            self.count = self.count.saturating_add(1);
            let names = names.iter().map(|name| (name.at, name.utf16.into())).collect();
            let names_end = tokens.names().end;
            self.remembered.insert(identity, Remembered { at, bytes: bytes.into(), names, names_end, said });
        }
        Ok(said)
    }
}

impl Remembered {
    /// What it says at this place; `None` when it is another definition, or might say something else there.
    fn at(&self, bytes: &[u8], at: usize) -> Option<Definition> {
        let is_in_place = at == self.at || self.names_end <= at.min(self.at);
        let start = at.checked_add(IDENTITY.start)?;
        if !is_in_place || bytes.get(start..start.checked_add(self.bytes.len())?)? != &*self.bytes {
            return None;
        }
        let stands = |(at, name): &(usize, Box<[u8]>)| {
            // Two bytes in front of it count its characters.
            let count = u16_at(bytes, at.checked_sub(2)?)?;
            let same = bytes.get(*at..at.checked_add(name.len())?)? == &**name;
            (same && usize::from(count).checked_mul(2)? == name.len()).then_some(())
        };
        self.names.iter().try_for_each(stands)?;
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
    use samplekit::FileTime;
    use samplekit::event_log::patch::chunk_range;
    use samplekit::event_log::{Element, Event, EventLog, Provider};

    use super::*;
    use crate::artifact::event_log::binary_xml::token::Instance;
    use crate::artifact::event_log::chunk::RECORDS_START;
    use crate::artifact::event_log::records;

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
            let said = definitions.read(chunk, at, &mut Providers::default());
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
            // Its first definition is another one, but has the names of the second one at the same places.
            (&chunk("Ten", "Two", "a"), 1),
            (&long, 0),
        ];
        for (chunk, new) in chunks {
            let expected = fresh(chunk);
            let before = definitions.count;
            for (at, expected) in &expected {
                let said = definitions.read(chunk, *at, &mut Providers::default()).expect("a definition");
                assert_eq!(format!("{said:?}"), *expected);
            }
            assert_eq!(definitions.count - before, new, "{expected:?}");
        }
    }

    #[test]
    fn names_may_stand_in_any_definition_before() {
        let guid = samplekit::Guid::new(0x0a1b_2c3d, 0x1111, 0x2222, 0x3333, 0x4444_5555_6666);
        let with_manifest = |id| Event::new(Provider::manifest("Two", guid), id).at(FileTime::utc(2024, 5, 6, 7, 8, 9));
        let mut log = EventLog::new("Application", "PC-01");
        log.add(Event::new(Provider::classic("One"), 1000).at(FileTime::utc(2024, 5, 6, 7, 8, 9)).strings(["a"]));
        // This one's system is the first with `Guid`, which the next one refers to.
        log.add(with_manifest(1).named([("A", "b")]));
        log.add(with_manifest(2).user_data(Element::value("A", "b")));
        let chunk = &log.to_bytes()[chunk_range(0)];
        let expected = fresh(chunk);
        assert_eq!(expected.len(), 3);
        let mut definitions = Definitions::default();
        for _ in 0..2 {
            for (at, expected) in &expected {
                let said = definitions.read(chunk, *at, &mut Providers::default()).expect("a definition");
                assert_eq!(format!("{said:?}"), *expected);
            }
            assert_eq!(definitions.count, 3);
        }
        // Without that name, the last one says something else.
        let mut changed = chunk.to_vec();
        let name: Vec<u8> = "Guid".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let place = memchr::memmem::find(&changed, &name).expect("the name");
        assert!((expected[1].0..expected[2].0).contains(&place));
        changed[place] = b'K';
        let (last, _) = &expected[2];
        definitions.read(&changed, *last, &mut Providers::default()).expect("a definition");
        assert_eq!(definitions.count, 4);
    }

    #[test]
    fn names_that_changed_are_read_again() {
        let whole = chunk("One", "Two", "a");
        let expected = fresh(&whole);
        let mut definitions = Definitions::default();
        for (at, _) in &expected {
            definitions.read(&whole, *at, &mut Providers::default()).expect("a definition");
        }
        // Another name for `Channel`, which only the first definition holds: both say something else now.
        let mut changed = whole;
        let name: Vec<u8> = "Channel".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let place = memchr::memmem::find(&changed, &name).expect("the name");
        changed[place] = b'K';
        for (at, before) in &expected {
            let said = definitions.read(&changed, *at, &mut Providers::default()).expect("a definition");
            assert_ne!(format!("{said:?}"), *before);
            assert_eq!(said.system.channel, Part::Absent);
        }
    }
}
