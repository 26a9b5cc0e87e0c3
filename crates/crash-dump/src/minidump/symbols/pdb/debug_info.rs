//! What a PDB records of its image as a whole: the identity, the compiled files (its "modules"), which part of the image
//! is from which of them, and where the linker or a later tool has moved the code.
//!
//! Layout: "The PDB DBI (Debug Info) Stream" and "The PDB Info Stream" of LLVM's documentation.

use evidence::{DebugId, DebugSignature};
use untrusted::bytes::{array_at, u16_at, u32_at};

use super::container::{Container, text_at};

/// Streams with fixed numbers.
const INFO: u32 = 1;
const DEBUG_INFO: u32 = 3;
/// Length of the header of the stream, bytes.
const HEADER: usize = 64;
/// Largest stream that is read as a whole, bytes: of the largest browser's library it is about a quarter as large.
const LARGEST: u32 = 256 << 20;
/// "No stream", among numbers of 16 bits.
const NO_STREAM: u16 = u16::MAX;
/// Versions of the list of contributions, and the lengths of their entries, bytes.
const CONTRIBUTIONS: [(u32, usize); 2] = [(0xF12E_BA2D, 28), (0xF131_51E4, 32)];
/// Length of a section's header, bytes.
const SECTION_SIZE: usize = 40;
/// `IMAGE_SCN_MEM_EXECUTE`.
const EXECUTABLE: u32 = 0x2000_0000;

/// A place in a section of the image as it was linked: the section, counted from 1, and an offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub section: u16,
    pub offset: u32,
}

/// A part of the image that is from one compiled file; functions mostly have one each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contribution {
    pub place: Place,
    pub size: u32,
    /// Index of the compiled file.
    pub unit: u16,
}

/// The symbols and lines of a compiled file: the stream that has them, and how long its parts are, bytes.
#[derive(Debug, Clone, Copy)]
pub struct Unit {
    pub stream: u32,
    pub symbols: u32,
    /// Lines of a format that is no longer written.
    pub old_lines: u32,
    pub lines: u32,
}

/// What is known of the image as a whole.
#[derive(Debug, Default)]
pub struct DebugInfo {
    pub units: Vec<Unit>,
    /// Sorted by place.
    pub contributions: Vec<Contribution>,
    /// The stream with the public names.
    pub publics: Option<u32>,
    /// The streams with the data on frames of 32-bit code: the present format, and the older one.
    pub frame_data: Option<u32>,
    pub old_frame_data: Option<u32>,
    /// The stream with file names and other texts.
    pub texts: Option<u32>,
    pub map: AddressMap,
}

/// Where a file belongs to: its signature and age.
pub fn identity(container: &mut Container) -> Option<DebugId> {
    let info = container.part(INFO, 0, 28)?;
    let header = container.part(DEBUG_INFO, 0, 12)?;
    // Compilers that add to the file change the age here; that of the image is in the other stream, unless it is 0.
    let age = u32_at(&header, 8).filter(|age| *age != 0).or(u32_at(&info, 8))?;
    Some(DebugId { signature: DebugSignature::Guid(guid(array_at(&info, 12)?)), age })
}

/// A GUID in the order in which it is written, out of the order in which it is stored.
fn guid(stored: [u8; 16]) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = stored;
    let mut written = [d, c, b, a, f, e, h, g, 0, 0, 0, 0, 0, 0, 0, 0];
    written.iter_mut().skip(8).zip(rest).for_each(|(into, byte)| *into = byte);
    written
}

impl DebugInfo {
    /// Reads the streams that describe the image as a whole.
    pub fn read(container: &mut Container) -> Option<Self> {
        let stream = container.whole(DEBUG_INFO, LARGEST)?;
        let size = |offset: usize| u32_at(&stream, offset).and_then(|size| usize::try_from(size).ok());
        let mut parts = stream.get(HEADER..)?;
        let mut part = |size: usize| {
            let (part, rest) = parts.split_at_checked(size)?;
            parts = rest;
            Some(part)
        };
        let units = part(size(24)?)?;
        let contributions = part(size(28)?)?;
        // The map of sections, the source files, the type servers, and what edits added.
        for skipped in [32, 36, 40, 52] {
            part(size(skipped)?)?;
        }
        let further = part(size(48)?).unwrap_or_default();
        let further = |index: usize| {
            let number = u16_at(further, index.checked_mul(2)?).filter(|number| *number != NO_STREAM)?;
            Some(u32::from(number))
        };
        let mut sections = |index: usize| container.whole(further(index)?, 1 << 20).map(|bytes| sections_of(&bytes));
        let (present, original) = (sections(5), sections(10));
        let mut moved = |index: usize| container.whole(further(index)?, LARGEST).map(|bytes| moves_of(&bytes));
        let (to_source, from_source) = (moved(3), moved(4));
        let moves = original.is_some().then(|| Some((to_source?, from_source?))).flatten();
        let map = match (original, moves) {
            (Some(sections), Some((to_source, from_source))) => {
                AddressMap { sections, to_source: Some(to_source), from_source: Some(from_source) }
            }
            (Some(_), None) => return None,
            (None, _) => AddressMap { sections: present.unwrap_or_default(), to_source: None, from_source: None },
        };
        let mut contributions = contributions_of(contributions);
        contributions.sort_unstable();
        Some(Self {
            units: units_of(units),
            contributions,
            publics: u16_at(&stream, 20).filter(|number| *number != NO_STREAM).map(u32::from),
            frame_data: further(9),
            old_frame_data: further(0),
            texts: named_stream(container, b"/names"),
            map,
        })
    }

    /// About how many bytes it takes in memory.
    pub fn kept(&self) -> u64 {
        let contributions = self.contributions.len().saturating_mul(size_of::<Contribution>());
        contributions.saturating_add(self.units.len().saturating_mul(size_of::<Unit>())) as u64
    }

    /// The part of the image that holds a place, and the compiled file that it is from.
    pub fn contribution(&self, place: Place) -> Option<Contribution> {
        let after = self.contributions.partition_point(|contribution| contribution.place <= place);
        let found = *self.contributions.get(after.checked_sub(1)?)?;
        let within = place.offset.checked_sub(found.place.offset)?;
        (found.place.section == place.section && within < found.size).then_some(found)
    }
}

fn units_of(mut list: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut next = || {
        let names = text_at(list, 64)?.len().checked_add(65)?;
        let length = text_at(list, names)?.len().checked_add(names)?.checked_add(1)?.checked_next_multiple_of(4)?;
        let unit = Unit {
            stream: u32::from(u16_at(list, 34)?),
            symbols: u32_at(list, 36)?,
            old_lines: u32_at(list, 40)?,
            lines: u32_at(list, 44)?,
        };
        list = list.get(length..).unwrap_or_default();
        Some(unit)
    };
    while let Some(unit) = next() {
        units.push(unit);
    }
    units
}

fn contributions_of(list: &[u8]) -> Vec<Contribution> {
    let entry = u32_at(list, 0).and_then(|version| CONTRIBUTIONS.into_iter().find(|known| known.0 == version));
    let Some((_, length)) = entry else { return Vec::new() };
    let contribution = |entry: &[u8]| {
        let place = Place { section: u16_at(entry, 0)?, offset: u32_at(entry, 4)? };
        Some(Contribution { place, size: u32_at(entry, 8)?, unit: u16_at(entry, 16)? })
    };
    list.get(4..).unwrap_or_default().chunks_exact(length).filter_map(contribution).collect()
}

/// The stream of a name, by the table of names: a list of texts, and a hash table of their offsets and streams.
fn named_stream(container: &mut Container, name: &[u8]) -> Option<u32> {
    let info = container.whole(INFO, 1 << 20)?;
    let texts_size = usize::try_from(u32_at(&info, 28)?).ok()?;
    let texts = info.get(32..32_usize.checked_add(texts_size)?)?;
    let table = info.get(32_usize.checked_add(texts_size)?..)?;
    let mut at = 8_usize;
    // Which slots are taken, and which were.
    for _ in 0..2 {
        let words = usize::try_from(u32_at(table, at)?).ok()?;
        at = at.checked_add(words.checked_mul(4)?)?.checked_add(4)?;
    }
    let entries = table.get(at..)?.chunks_exact(8);
    let mut entries = entries.take(usize::try_from(u32_at(table, 0)?).ok()?);
    entries.find_map(|entry| {
        let text = text_at(texts, usize::try_from(u32_at(entry, 0)?).ok()?)?;
        (text == name).then(|| u32_at(entry, 4))?
    })
}

/// A section's place in the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Section {
    at: u32,
    size: u32,
    executable: bool,
}

fn sections_of(headers: &[u8]) -> Vec<Section> {
    let section = |header: &[u8]| {
        let executable = u32_at(header, 36)? & EXECUTABLE != 0;
        Some(Section { at: u32_at(header, 12)?, size: u32_at(header, 8)?, executable })
    };
    headers.chunks_exact(SECTION_SIZE).filter_map(section).collect()
}

/// Where code was moved to: the beginning of a part, and where it is now (0 for nowhere), sorted.
type Moves = Vec<(u32, u32)>;

fn moves_of(table: &[u8]) -> Moves {
    let mut moves: Moves =
        table.chunks_exact(8).filter_map(|entry| Some((u32_at(entry, 0)?, u32_at(entry, 4)?))).collect();
    moves.sort_unstable();
    moves
}

/// Translates offsets in the image to places in sections as they were linked, and back.
#[derive(Debug, Default)]
pub struct AddressMap {
    sections: Vec<Section>,
    to_source: Option<Moves>,
    from_source: Option<Moves>,
}

impl AddressMap {
    /// The place that an offset in the image has.
    pub fn place(&self, offset: u32) -> Option<Place> {
        let linked = moved(self.to_source.as_ref(), offset)?;
        (1..).zip(&self.sections).find_map(|(section, known)| {
            let offset = linked.checked_sub(known.at)?;
            (offset < known.size).then_some(Place { section, offset })
        })
    }

    /// The offset in the image that a place has.
    pub fn offset(&self, place: Place) -> Option<u32> {
        let section = self.section(place.section)?;
        moved(self.from_source.as_ref(), section.at.checked_add(place.offset)?)
    }

    /// Whether code is in a section.
    pub fn is_executable(&self, section: u16) -> bool {
        self.section(section).is_some_and(|section| section.executable)
    }

    /// Whether a tool has moved code after it was linked.
    pub fn is_moved(&self) -> bool {
        self.to_source.is_some()
    }

    fn section(&self, number: u16) -> Option<&Section> {
        self.sections.get(usize::from(number).checked_sub(1)?)
    }
}

/// Where an offset was moved to.
fn moved(moves: Option<&Moves>, offset: u32) -> Option<u32> {
    let Some(moves) = moves else { return Some(offset) };
    let after = moves.partition_point(|(from, _)| *from <= offset);
    let (from, to) = *moves.get(after.checked_sub(1)?)?;
    if to == 0 { None } else { offset.checked_sub(from)?.checked_add(to) }
}
