//! The places of the parts of a record's `System` element, read from its template's definition once a chunk instead of once
//! a record.

use super::Unusual;
use super::names::{CHANNEL, COMPUTER, EVENT, EVENT_ID, NAME, PROVIDER, SYSTEM, SYSTEM_TIME, TIME_CREATED};
use super::token::{Name, Token, Tokens};
use super::value::{Slot, kind, until_nul};

/// The place of the text of an element or attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// There is no such element or attribute.
    #[default]
    Absent,
    /// A text among the tokens, UTF-16, from the first to the second offset.
    Literal(usize, usize),
    /// A number among the tokens.
    Number(u16),
    /// The value of the instance with this index.
    Value(usize),
    /// Several texts or values, or one of another kind.
    Other,
}

/// The places of the parts of `System` by which records are selected.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct System {
    /// `Provider`, attribute `Name`.
    pub(crate) provider: Part,
    /// `EventID`.
    pub(crate) event_id: Part,
    /// `Channel`.
    pub(crate) channel: Part,
    /// `Computer`.
    pub(crate) computer: Part,
    /// `TimeCreated`, attribute `SystemTime`.
    pub(crate) created: Part,
    /// Indices of values without which `System` or a part of it is left out.
    pub(crate) guards: [Option<usize>; GUARDS],
    /// The offset of the tokens behind `System`.
    pub(crate) end: usize,
}

/// The most tokens that a `System` may have: damaged chunks can refer to the same tokens again and again. Windows' own have
/// about 60.
const MOST_TOKENS: usize = 2048;
/// The most values without which `System` or a part of it is left out: one for `System`, and one for each of its parts.
pub(crate) const GUARDS: usize = 6;

impl System {
    /// Reads the tokens of an event, those of a definition or of a record without template, up to the end of its `System`
    /// element.
    ///
    /// # Errors
    /// When the tokens are not those of an event, or too unusual to find a part.
    pub(crate) fn read(tokens: &mut Tokens<'_>) -> Result<Self, Unusual> {
        let mut system = Self::default();
        // Open elements: one within `Event`, two within `System`.
        let mut depth = 0_usize;
        // A bit for each of the elements that were seen.
        let mut seen = 0_u8;
        // The child of `System` that is being read, and the one whose part the next text is.
        let mut element = None;
        let mut target = None;
        let mut left = MOST_TOKENS;
        loop {
            left = left.checked_sub(1).ok_or(Unusual("a system of very many tokens"))?;
            match tokens.next()? {
                Token::Element(opened) => {
                    let own = if depth == 2 { SystemChild::by_name(check(opened.name)?) } else { None };
                    if depth == 2 && own.is_none() {
                        tokens.skip_element(&mut left)?;
                        (element, target) = (None, None);
                        continue;
                    }
                    depth = depth.saturating_add(1);
                    match depth {
                        1 if !opened.name.is(EVENT) => return Err(Unusual("the root is no event")),
                        2 if !opened.name.is(SYSTEM) => return Err(Unusual("an event without system")),
                        _ => {}
                    }
                    element = own;
                    if let Some(element) = element {
                        let bit = 1_u8 << element as u8;
                        if seen & bit != 0 {
                            return Err(Unusual("a part of the system that repeats"));
                        }
                        seen |= bit;
                    }
                    // The root is there whatever it depends on (the evtx crate, too, writes it).
                    if (depth == 2 || element.is_some())
                        && let Some(value) = opened.dependency
                    {
                        system.guard(value)?;
                    }
                    target = None;
                }
                Token::Attribute(name) => {
                    let name = check(name)?;
                    target = element.filter(|element| match element {
                        SystemChild::Provider => name.is(NAME),
                        SystemChild::TimeCreated => name.is(SYSTEM_TIME),
                        _ => false,
                    });
                }
                Token::StartEnds => target = element.filter(|element| element.is_part_by_content()),
                Token::Empty | Token::ElementEnds => match depth {
                    0 => return Err(Unusual("an element ends that did not begin")),
                    2 => {
                        system.end = tokens.at;
                        return Ok(system);
                    }
                    _ => {
                        depth = depth.saturating_sub(1);
                        (element, target) = (None, None);
                    }
                },
                Token::Literal(value) => {
                    let end = tokens.at;
                    let part = match (value.kind, value.bytes) {
                        (kind::STRING, text) => Part::Literal(end.saturating_sub(text.len()), end),
                        (kind::UINT16, [low, high]) => Part::Number(u16::from_le_bytes([*low, *high])),
                        _ => Part::Other,
                    };
                    system.add(target, part);
                }
                Token::Substitution(index) => {
                    if depth < 3 {
                        return Err(Unusual("a value holds a part of the system"));
                    }
                    system.add(target, Part::Value(index));
                }
                Token::CData(_) | Token::Character(_) => system.add(target, Part::Other),
                Token::Entity(_) => return Err(Unusual("a named character within the system")),
                Token::Instance(_) => return Err(Unusual("an instance within the system")),
                Token::End => return Err(Unusual("an event without system")),
            }
        }
    }

    /// The places in the same tokens at the offset `to` instead of `from`.
    pub(crate) fn moved(mut self, from: usize, to: usize) -> Self {
        let moved = |at: usize| at.saturating_sub(from).saturating_add(to);
        let parts = [&mut self.provider, &mut self.event_id, &mut self.channel, &mut self.computer, &mut self.created];
        for part in parts {
            if let Part::Literal(start, end) = part {
                (*start, *end) = (moved(*start), moved(*end));
            }
        }
        self.end = moved(self.end);
        self
    }

    /// Checks that a record with these values has every part. A channel or computer that itself is the missing value may be
    /// left out.
    ///
    /// # Errors
    /// When a part is left out of the record.
    pub(crate) fn check_whole(&self, values: &[Slot]) -> Result<(), Unusual> {
        for guard in self.guards.into_iter().flatten() {
            let is_part = [self.channel, self.computer].contains(&Part::Value(guard));
            if !is_part && values.get(guard).is_none_or(|value| value.is_null()) {
                return Err(Unusual("a part of the system is left out"));
            }
        }
        Ok(())
    }

    /// Notes the index of a value without which `System` or a part of it is left out.
    fn guard(&mut self, value: usize) -> Result<(), Unusual> {
        let free = self.guards.iter_mut().find(|guard| guard.is_none_or(|known| known == value));
        *free.ok_or(Unusual("a system that depends on many values"))? = Some(value);
        Ok(())
    }

    /// Adds the text of an element or attribute; several texts are [`Part::Other`].
    fn add(&mut self, target: Option<SystemChild>, part: Part) {
        let known = match target {
            None => return,
            Some(SystemChild::Provider) => &mut self.provider,
            Some(SystemChild::EventId) => &mut self.event_id,
            Some(SystemChild::Channel) => &mut self.channel,
            Some(SystemChild::Computer) => &mut self.computer,
            Some(SystemChild::TimeCreated) => &mut self.created,
        };
        *known = if *known == Part::Absent { part } else { Part::Other };
    }
}

/// The name, if it contains no NUL: the `evtx` crate would end it there.
fn check(name: Name<'_>) -> Result<Name<'_>, Unusual> {
    let has_nul = until_nul(name.utf16).len() < name.utf16.len();
    if has_nul { Err(Unusual("a name with a NUL")) } else { Ok(name) }
}

/// The children of `System` that are looked at, each with one part: its content or an attribute.
#[derive(Debug, Clone, Copy)]
enum SystemChild {
    Provider,
    EventId,
    Channel,
    Computer,
    TimeCreated,
}

impl SystemChild {
    fn by_name(name: Name<'_>) -> Option<Self> {
        match name.utf16 {
            PROVIDER => Some(Self::Provider),
            EVENT_ID => Some(Self::EventId),
            CHANNEL => Some(Self::Channel),
            COMPUTER => Some(Self::Computer),
            TIME_CREATED => Some(Self::TimeCreated),
            _ => None,
        }
    }

    /// Whether the part is the element's content, and not an attribute.
    fn is_part_by_content(self) -> bool {
        matches!(self, Self::EventId | Self::Channel | Self::Computer)
    }
}
