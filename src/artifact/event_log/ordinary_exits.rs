//! Passing over the ends of processes that are of no interest without decoding them.
//!
//! A Security log with process auditing holds such a record for every process that ended, and one in many thousands tells
//! of a failure. Windows writes all of them in one way: the event's template has one value, which is an instance of a
//! template of its own, and the exit code is a 32-bit value of that. Where both templates say exactly this, the code is
//! looked at where it lies; any other record is decoded, and its fields decide.

use super::binary_xml::token::{Instance, Token, Tokens};
use super::binary_xml::value::{Value, Values, kind};
use super::catalogue::{EXIT_STATUS, is_failure};

/// `EventData` as UTF-16.
const EVENT_DATA: &[u8; 18] = b"E\0v\0e\0n\0t\0D\0a\0t\0a\0";
/// How many fields are looked at for the code; it is the fifth.
const MOST_FIELDS: usize = 16;

/// What is known of the templates of one chunk.
#[derive(Debug, Default)]
pub(super) struct OrdinaryExits {
    /// The index of the one value behind the system, by where the tokens behind the system begin.
    outer: Option<(usize, Option<usize>)>,
    /// The index of the exit code, by where the definition of the inner template lies.
    inner: Option<(usize, Option<usize>)>,
}

impl OrdinaryExits {
    /// Whether the record is surely of a process that did not fail. `data` is where the tokens behind its system are.
    pub(super) fn has(&mut self, bytes: &[u8], data: std::ops::Range<usize>, values: &Values<'_>) -> bool {
        self.status(bytes, data, values).is_some_and(|status| !is_failure(status))
    }

    fn status(&mut self, bytes: &[u8], data: std::ops::Range<usize>, values: &Values<'_>) -> Option<u32> {
        let start = data.start;
        let index = known(&mut self.outer, start, || only_value(bytes, data))?;
        let instance = values.place(index, kind::BINARY_XML).ok()?;
        let Instance { definition, values } = Instance::of_record(bytes, instance).ok()??;
        let index = known(&mut self.inner, definition, || status_index(bytes, definition))?;
        match values.find(index).ok()? {
            Value { kind: kind::HEX_INT32, bytes } => Some(u32::from_le_bytes(*bytes.first_chunk()?)),
            _ => None,
        }
    }
}

/// What is known of the place, found out when it is another one than before.
fn known(
    memory: &mut Option<(usize, Option<usize>)>,
    place: usize,
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

/// The index of the value that is all of an event behind its system.
fn only_value(bytes: &[u8], data: std::ops::Range<usize>) -> Option<usize> {
    let mut tokens = Tokens::within(bytes, data, true).ok()?;
    let Token::Substitution(index) = tokens.next().ok()? else { return None };
    matches!((tokens.next(), tokens.next()), (Ok(Token::ElementEnds), Ok(Token::End))).then_some(index)
}

/// The index of the value that is the exit code, in an `EventData` whose fields have names up to that one.
fn status_index(bytes: &[u8], definition: usize) -> Option<usize> {
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
        if bytes.get(field.name.clone()) == Some(EXIT_STATUS.as_slice()) {
            return field.dependency.is_none_or(|dependency| dependency == field.index).then_some(field.index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use samplekit::FileTime;
    use samplekit::event_log::{CHUNK_BYTES, EventLog, FILE_HEADER_BYTES};
    use samplekit::events::process_exit;

    use super::super::chunk::Chunk;
    use super::super::coverage::Spans;
    use super::super::records::{Found, live};
    use super::super::scan::{Decision, Scanner};
    use super::super::selection::Selection;

    /// Whether the scan takes the records of processes that ended with these codes.
    fn taken(codes: &[u32]) -> Vec<bool> {
        let mut log = EventLog::new("Security", "PC-01");
        for code in codes {
            log.add(process_exit(FileTime::utc(2024, 5, 6, 7, 8, 9), "C:\\t\\tool.exe", 4711, *code));
        }
        let bytes = log.to_bytes();
        let bytes = &bytes[FILE_HEADER_BYTES..FILE_HEADER_BYTES + CHUNK_BYTES];
        let chunk = Chunk::parse(bytes).expect("a chunk");
        let (selection, mut scanner, mut spans) = (Selection::catalogue(), Scanner::default(), Spans::default());
        scanner.begin_chunk();
        let records = live(chunk).map(|found| match found {
            Found::Record(record) => record,
            Found::Damage(offset) => panic!("damage at {offset}"),
        });
        let decided = records.map(|record| scanner.decide(bytes, &record, &selection, &mut spans));
        decided
            .map(|decision| match decision {
                Decision::Pass => false,
                Decision::Take(_) => true,
                Decision::Ask => panic!("a usual record"),
            })
            .collect()
    }

    #[test]
    fn ordinary_ends_of_processes_are_passed_over_without_decoding_them() {
        let codes = [0, 0xC000_0409, 1, 0xC000_013A, 0xC000_0005, 0x4001_0004, 0xFFFF_FFFF, 0xE043_4352];
        assert_eq!(taken(&codes), [false, true, false, false, true, false, false, true]);
    }
}
