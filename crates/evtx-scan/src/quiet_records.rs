//! Recognising quiet records without decoding them: records that a field marks as not wanted.
//!
//! A Security log with process auditing has a record for every process that ended, of which one in many thousands is about a
//! failure. A System log has one for every volume that was healthy when it was mounted, and for every update of Defender's
//! definitions. Windows writes all of them in one way: the event's template has one value, which is an instance of another
//! template, and the field is a value of that. Where both templates have exactly this shape, the value is compared at its
//! place in the record; any other record is decoded first.

use std::ops::Range;

use super::binary_xml::names::EVENT_DATA;
use super::binary_xml::text::unsigned;
use super::binary_xml::token::{Instance, Token, Tokens};
use super::binary_xml::value::{Value, Values, kind, until_nul};
use super::catalogue::{Catalogue, QuietWhen};

/// The most fields among which the one that marks records is searched; it is one of the first five.
const MOST_FIELDS: usize = 16;

/// What is known of the records of one template.
#[derive(Debug, Default)]
pub(crate) struct QuietRecords {
    /// The index of the one value behind `System`, by the offset of the tokens behind `System`.
    outer: Option<(usize, Option<usize>)>,
    /// The index of the field's value, by the offset of the inner template's definition and the number of the catalogue's row.
    inner: Option<((usize, usize), Option<usize>)>,
}

impl QuietRecords {
    /// Whether a record is surely quiet. `row` is the row of the catalogue that wants its event, `data` the place of the tokens
    /// behind its `System`, and `values` are the record's.
    #[inline]
    pub(crate) fn are_marked(
        &mut self,
        bytes: &[u8],
        catalogue: &Catalogue,
        row: usize,
        data: Range<usize>,
        values: &Values<'_>,
    ) -> bool {
        let Some(quiet) = catalogue.quiet(row) else { return false };
        self.marking_value(bytes, (row, &quiet.field), data, values).is_some_and(|value| is_quiet(&quiet.when, value))
    }

    /// The value of the field, for the row with this number.
    fn marking_value<'c>(
        &mut self,
        bytes: &'c [u8],
        (row, field): (usize, &str),
        data: Range<usize>,
        values: &Values<'c>,
    ) -> Option<Value<'c>> {
        let index = known(&mut self.outer, data.start, || only_value(bytes, data))?;
        let instance = values.place(index, kind::BINARY_XML).ok()?;
        let Instance { definition, values } = Instance::of_record(bytes, instance).ok()??;
        let key = (definition, row);
        let index = known(&mut self.inner, key, || field_index(bytes, definition, field))?;
        values.find(index).ok()
    }
}

/// Whether the value marks the record as quiet, as its text would.
fn is_quiet(when: &QuietWhen, value: Value<'_>) -> bool {
    match (when, value) {
        (
            QuietWhen::Number(is_quiet),
            Value { kind: kind::UINT8 | kind::UINT16 | kind::UINT32 | kind::HEX_INT32, bytes },
        ) => u32::try_from(unsigned(bytes)).is_ok_and(is_quiet),
        (QuietWhen::Contains(part), Value { kind: kind::STRING, bytes }) => {
            let units = until_nul(bytes).as_chunks::<2>().0;
            units
                .windows(part.len().max(1))
                .any(|units| units.iter().zip(part.bytes()).all(|(unit, byte)| *unit == [byte, 0]))
        }
        _ => false,
    }
}

/// What `find` returns for the place, remembered until it is asked for another place.
fn known<P: PartialEq>(
    memory: &mut Option<(P, Option<usize>)>,
    place: P,
    find: impl FnOnce() -> Option<usize>,
) -> Option<usize> {
    match memory {
        Some((known, found)) if *known == place => *found,
        _ => {
            let found = find();
            *memory = Some((place, found));
            found
        }
    }
}

/// The index of the value that is the only thing behind an event's `System`.
fn only_value(bytes: &[u8], data: Range<usize>) -> Option<usize> {
    let mut tokens = Tokens::within(bytes, data, true).ok()?;
    let Token::Substitution(index) = tokens.next().ok()? else { return None };
    matches!((tokens.next(), tokens.next()), (Ok(Token::ElementEnds), Ok(Token::End))).then_some(index)
}

/// The index of the value of the field with this name, in an `EventData` in which all fields up to that one have names.
fn field_index(bytes: &[u8], definition: usize, name: &str) -> Option<usize> {
    let mut tokens = Tokens::of_definition(bytes, definition).ok()?;
    match tokens.next().ok()? {
        Token::Element(element) if element.name.is(EVENT_DATA) && element.dependency.is_none() => {}
        _ => return None,
    }
    if !matches!(tokens.next(), Ok(Token::StartEnds)) {
        return None;
    }
    for _ in 0..MOST_FIELDS {
        let field = tokens.named_data()?;
        let written = bytes.get(field.name.clone())?.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit));
        if written.eq(name.encode_utf16()) {
            return field.dependency.is_none_or(|dependency| dependency == field.index).then_some(field.index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use samplekit::event_log::{CHUNK_BYTES, Event, EventLog, FILE_HEADER_BYTES, Provider, Value};
    use samplekit::events::process_exit;
    use samplekit::{FileTime, Guid};

    use super::super::catalogue::testing::CATALOGUE;
    use super::super::chunk::Chunk;
    use super::super::coverage::ChannelSpans;
    use super::super::records::{Found, live};
    use super::super::scan::{Decision, Scanner};
    use super::super::selection::Selection;

    const TIME: FileTime = FileTime::utc(2024, 5, 6, 7, 8, 9);

    /// Whether the scan takes these records.
    fn taken(events: impl IntoIterator<Item = Event>) -> Vec<bool> {
        let mut log = EventLog::new("System", "PC-01");
        for event in events {
            log.add(event);
        }
        let bytes = log.to_bytes();
        let bytes = &bytes[FILE_HEADER_BYTES..FILE_HEADER_BYTES + CHUNK_BYTES];
        let chunk = Chunk::parse(bytes).expect("a chunk");
        let (selection, mut scanner, mut spans) =
            (Selection::wanted(Arc::clone(&CATALOGUE)), Scanner::default(), ChannelSpans::default());
        scanner.begin_chunk(&CATALOGUE);
        let records = live(chunk).map(|found| match found {
            Found::Record(record) => record,
            Found::Damage(offset) => panic!("damage at {offset}"),
        });
        let decided = records.map(|record| scanner.decide(bytes, &record, &selection, &mut spans));
        decided
            .map(|decision| match decision {
                Decision::Unwanted => false,
                Decision::Wanted(_) => true,
                Decision::Unknown => panic!("a usual record"),
            })
            .collect()
    }

    #[test]
    fn ordinary_ends_of_processes_are_passed_over_without_decoding_them() {
        let codes = [0, 0xC000_0409, 1, 0xC000_013A, 0xC000_0005, 0x4001_0004, 0xFFFF_FFFF, 0xE043_4352];
        let events = codes.map(|code| process_exit(TIME, "C:\\t\\tool.exe", 4711, code));
        assert_eq!(taken(events), [false, true, false, true, true, false, false, false]);
    }

    /// A record with these fields of a provider with a manifest.
    fn record(provider: &str, id: u16, fields: [(&str, Value); 2]) -> Event {
        let guid = Guid::new(0x0a1b_2c3d, 0x1111, 0x2222, 0x3333, 0x4444_5555_6666);
        Event::new(Provider::manifest(provider, guid), id).at(TIME).named(fields)
    }

    #[test]
    fn volumes_that_are_healthy_are_passed_over_without_decoding_their_records() {
        let states = [Value::U32(0), Value::U32(1), Value::U8(0), Value::U64(0), "0".into()];
        let events = states.map(|state| record("Mounts", 98, [("DriveName", "C:".into()), ("State", state)]));
        assert_eq!(taken(events), [false, true, false, true, true], "what is not known exactly is decoded");
    }

    #[test]
    fn updates_of_definitions_are_passed_over_without_decoding_their_records() {
        let updates = |title: &str| {
            let fields = [("Title", title.into()), ("updateRevisionNumber", Value::U32(200))];
            record("Updates", 19, fields)
        };
        let titles = ["Update für Defender - KB2267602 (1.2)", "Update (KB5001234)", "KB226760", "Ende\0KB2267602"];
        assert_eq!(taken(titles.map(updates)), [false, true, true, true]);
        // Another provider's event of that number.
        let other = record("Hardware", 19, [("Title", "KB2267602".into()), ("A", "b".into())]);
        assert_eq!(taken([other]), [true]);
    }
}
