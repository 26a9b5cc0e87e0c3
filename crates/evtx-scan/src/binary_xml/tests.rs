//! The fields of whole logs, compared with what the `evtx` crate's JSON of the same records gives.

#![expect(clippy::arithmetic_side_effects, reason = "counts, and offsets that the evtx crate has checked")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use evtx::{EvtxChunkData, EvtxRecord, ParserSettings};

use samplekit::event_log::{Element, Event, EventLog, Provider, Sid, Value};
use samplekit::{FileTime, Guid};

use super::Unusual;
use super::elements::{FieldScratch, read_fields};
use super::system::System;
use super::token::{Instance, Tokens};
use super::value::kind;
use crate::chunk::{CHUNK_BYTES, has_chunk_signature};
use crate::fields::RecordFields;
use crate::file_header::HEADER_BYTES;
use crate::json;

/// What came of the records that were compared.
#[derive(Debug, Default)]
struct Comparison {
    /// Records with the same fields in both.
    same: u64,
    /// Fields of those.
    fields: u64,
    /// Records left to the `evtx` crate, by the reason.
    unusual: BTreeMap<&'static str, u64>,
    /// Records that the `evtx` crate can't decode.
    undecoded: u64,
    /// Those of them whose fields were read all the same.
    read_alone: u64,
    /// Those with other fields.
    different: Vec<String>,
}

impl Comparison {
    /// Compares all records of a log.
    fn add_log(&mut self, log: &[u8], name: &str) {
        let chunks = log.get(HEADER_BYTES..).unwrap_or_default().chunks_exact(CHUNK_BYTES);
        for (number, chunk) in chunks.enumerate().filter(|(_, chunk)| has_chunk_signature(chunk)) {
            self.add_chunk(chunk, &format!("{name}, chunk {number}"));
        }
    }

    fn add_chunk(&mut self, chunk: &[u8], place: &str) {
        let Ok(mut data) = EvtxChunkData::new(chunk.to_vec(), false) else { return };
        let Ok(mut parsed) = data.parse(Arc::new(ParserSettings::new().num_threads(1))) else { return };
        let (mut found, mut scratch) = (RecordFields::default(), FieldScratch::default());
        for record in parsed.iter() {
            let Ok(record) = record else {
                self.undecoded += 1;
                continue;
            };
            let id = record.event_record_id;
            let start = usize::try_from(record.binxml_offset).expect("an offset in the chunk");
            let range = start..start + usize::try_from(record.binxml_size).expect("a size");
            let result = read_record_fields(chunk, range, &mut found, &mut scratch);
            let Ok(expected) = expected(record) else {
                self.undecoded += 1;
                self.read_alone += u64::from(result.is_ok());
                continue;
            };
            if let Err(Unusual(reason)) = result {
                assert_eq!(found.iter().count(), 0, "{place}, record {id}: fields of an unusual record");
                *self.unusual.entry(reason).or_default() += 1;
                continue;
            }
            if expected.as_ref() == Some(&found) {
                self.same += 1;
                self.fields += found.iter().count() as u64;
            } else {
                let fields = |fields: &RecordFields| -> Vec<String> {
                    fields.iter().map(|(name, value)| format!("{name:?}: {value:?}")).collect()
                };
                let expected = expected.as_ref().map(fields);
                self.different.push(format!("{place}, record {id}:\n{expected:#?}\n{:#?}", fields(&found)));
            }
        }
    }
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { same, fields, unusual, undecoded, read_alone, different } = self;
        write!(f, "{same} records with {fields} fields alike, {} different, ", different.len())?;
        write!(f, "{undecoded} not decoded ({read_alone} of them read), unusual: {unusual:#?}")
    }
}

impl Comparison {
    fn assert_none_differs(&self) {
        let first: Vec<&str> = self.different.iter().take(3).map(String::as_str).collect();
        assert!(first.is_empty(), "{self}\nthe first:\n{}", first.join("\n"));
    }
}

/// The fields by the JSON of the `evtx` crate; none of an event without `System`.
fn expected(record: EvtxRecord<'_>) -> Result<Option<RecordFields>, Box<dyn std::error::Error>> {
    let json = record.into_json_bytes()?.data;
    let elements = json::elements(&json)?;
    Ok(elements.map(|elements| RecordFields::from_elements(&elements.others)))
}

/// Reads the fields of a record as the scan has them read: behind what `System` tells.
fn read_record_fields(
    chunk: &[u8],
    record: std::ops::Range<usize>,
    into: &mut RecordFields,
    scratch: &mut FieldScratch,
) -> Result<(), Unusual> {
    *into = RecordFields::default();
    let instance = Instance::of_record(chunk, record.clone())?;
    let mut tokens = match &instance {
        Some(instance) => Tokens::of_definition(chunk, instance.definition)?,
        None => Tokens::of_record(chunk, record)?,
    };
    let system = System::read(&mut tokens)?;
    let values = instance.as_ref().map(|instance| &instance.values);
    if let Some(values) = values {
        let mut slots = Vec::new();
        values.fill(&mut slots)?;
        system.check_whole(&slots)?;
    }
    read_fields(chunk, tokens.rest(), values, into, scratch)
}

/// Logs below the folder that the environment names; none without it.
#[test]
fn logs_of_the_corpus_have_the_same_fields() {
    let Some(corpus) = std::env::var_os("CRASHSIFT_CORPUS") else { return };
    let mut comparison = Comparison::default();
    let mut logs = 0;
    for entry in walkdir::WalkDir::new(corpus).sort_by_file_name() {
        let entry = entry.expect("a readable folder");
        let path: &Path = entry.path();
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("evtx")) || !path.is_file() {
            continue;
        }
        logs += 1;
        comparison.add_log(&std::fs::read(path).expect("a readable log"), &path.display().to_string());
    }
    println!("{logs} logs: {comparison}");
    comparison.assert_none_differs();
}

#[test]
fn logs_of_all_shapes_that_windows_writes_have_the_same_fields() {
    let provider = || Provider::manifest("Provider", Guid::made_up("provider"));
    let event = |id| Event::new(provider(), id);
    let texts = |items: &[&str]| Value::Texts(items.iter().map(|item| (*item).to_owned()).collect());
    let mut log = EventLog::new("Application", "PC-01");
    for strings in [&[][..], &["one"], &["one", "", "größer \u{1F600}"]] {
        log.add(Event::new(Provider::classic("Classic"), 1).strings(strings.iter().copied()));
        log.add(Event::new(Provider::classic("Classic"), 1).strings(strings.iter().copied()).binary(vec![1, 0xFF]));
    }
    log.add(event(2).named([
        ("Null", Value::Null),
        ("Text", Value::Text("a \"text\"\\".to_owned())),
        ("Empty", Value::Text(String::new())),
        ("Ansi", Value::Ansi("ansi".to_owned())),
        ("U8", Value::U8(8)),
        ("U16", Value::U16(16)),
        ("U32", Value::U32(32)),
        ("U64", Value::U64(u64::MAX)),
        ("Bool", Value::Bool(true)),
        ("Binary", Value::Binary(vec![0xAB, 0xCD])),
        ("Guid", Value::Guid(Guid::made_up("value"))),
        ("Time", Value::Time(FileTime::utc(2024, 5, 6, 7, 8, 9))),
        ("Sid", Value::Sid(Sid::user())),
        ("Hex32", Value::Hex32(0xC000_0005)),
        ("Hex64", Value::Hex64(0)),
        ("List", texts(&["a", "", "b"])),
        ("OneItem", texts(&["a"])),
        ("NoItem", texts(&[])),
        ("Data", Value::U8(1)),
        ("Data_1", Value::U8(2)),
        ("Text", Value::Text("again".to_owned())),
    ]));
    log.add(event(3).named([("Twice", Value::U8(1)), ("Twice", Value::U8(2)), ("Last", Value::Null)]));
    log.add(
        event(4).user_data(
            Element::parent(
                "Root",
                vec![
                    Element::value("Plain", Value::U32(1)),
                    Element::value("Nothing", Value::Null),
                    Element::parent(
                        "Outer",
                        vec![Element::value("Leaf", Value::U8(1)), Element::value("Leaf", Value::U8(2))],
                    ),
                    Element::value("List", texts(&["x", "", "y"])),
                ],
            )
            .in_namespace("urn:x"),
        ),
    );
    log.add(event(5));
    let mut comparison = Comparison::default();
    comparison.add_log(&log.to_bytes(), "shapes");
    comparison.assert_none_differs();
    assert_eq!((comparison.same, comparison.unusual.len()), (10, 0), "{comparison}");
}

/// Writes records of random shapes: those that Windows writes, and many that it does not.
struct Writer {
    /// The chunk so far.
    chunk: Vec<u8>,
    /// State of the generator of random numbers.
    state: u64,
    /// Whether the next `Data` have names.
    named: bool,
}

impl Writer {
    /// A number below `end`.
    fn any(&mut self, end: usize) -> usize {
        // Source: "xorshift64*", G. Marsaglia and S. Vigna.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).expect("31 bits") % end
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.any(choices.len())]
    }

    fn utf16(&mut self, text: &str) {
        self.chunk.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }

    fn u16(&mut self, number: usize) {
        self.chunk.extend(u16::try_from(number).expect("16 bits").to_le_bytes());
    }

    fn u32(&mut self, number: usize) {
        self.chunk.extend(u32::try_from(number).expect("32 bits").to_le_bytes());
    }

    /// Writes a 32-bit number where room was left for it.
    fn put(&mut self, at: usize, number: usize) {
        self.chunk[at..at + 4].copy_from_slice(&u32::try_from(number).expect("32 bits").to_le_bytes());
    }

    /// A reference to a name, and the name.
    fn name(&mut self, name: &str) {
        self.u32(self.chunk.len() + 4);
        self.chunk.extend([0; 6]);
        self.u16(name.len());
        self.utf16(name);
        self.u16(0);
    }

    /// The beginning of an element.
    fn start(&mut self, name: &str, attributes: usize, values: Option<usize>) {
        self.chunk.push(if attributes > 0 { 0x41 } else { 0x01 });
        if let Some(values) = values {
            let dependency = self.any((values * 4).max(1));
            self.u16(if dependency < values { dependency } else { 0xFFFF });
        }
        self.u32(0);
        self.name(name);
        if attributes > 0 {
            self.u32(0);
        }
    }

    /// An element; a definition's, which has so many `values`, or a record's own.
    fn element(&mut self, name: &str, depth: usize, values: Option<usize>) {
        let odd = self.any(16) == 0;
        let is_data = name == "Data" && !odd;
        let attributes = if is_data { usize::from(self.named) } else { self.one_of(&[0, 0, 0, 0, 1, 2]) };
        self.start(name, attributes, values);
        for index in 0..attributes {
            self.chunk.push(0x06);
            let name = if index == 0 { self.one_of(&["Name", "Name", "xmlns"]) } else { "xmlns" };
            self.name(if is_data { "Name" } else { name });
            if is_data {
                let name = self.one_of(&["one", "two", "three", "four", "four", "Data", "Data_1", "größer"]);
                self.literal(name);
            } else if self.any(8) > 0 {
                let text = self.one_of(&["", "one", "two", "two", "Data", "Data_1"]);
                self.text_node(text, values);
            }
        }
        if self.any(8) == 0 {
            self.chunk.push(0x03);
            return;
        }
        self.chunk.push(0x02);
        let elements = if depth < 4 && !is_data { self.one_of(&[0, 0, 1, 2, 4, 6]) } else { 0 };
        let names: &[&str] = match name {
            "Event" => &["EventData", "EventData", "EventData", "UserData", "RenderingInfo", "DebugData"],
            "EventData" if odd => &["Data", "Data", "Binary", "ComplexData", "Data_1", "One"],
            "EventData" => &["Data"],
            _ if odd => &["Data", "EventData"],
            _ => &["One", "One", "Two", "Three"],
        };
        self.named = self.any(4) > 0;
        for _ in 0..elements {
            let name = self.one_of(names);
            self.element(name, depth + 1, values);
        }
        let nodes = if elements == 0 { self.one_of(&[0, 1, 1, 1, 1, 2]) } else { usize::from(self.any(24) == 0) };
        for _ in 0..nodes {
            let text = self.one_of(&["", "text", "\"quoted\"\\", "ü\n"]);
            self.text_node(text, values);
        }
        self.chunk.push(0x04);
    }

    fn literal(&mut self, text: &str) {
        self.chunk.extend([0x05, kind::STRING]);
        self.u16(text.encode_utf16().count());
        self.utf16(text);
    }

    /// A text, a character or the place for a value.
    fn text_node(&mut self, text: &str, values: Option<usize>) {
        match (self.any(20), values) {
            (0, _) => self.chunk.extend([0x08, b'&', 0]),
            (1, _) => {
                self.chunk.push(0x09);
                let name = self.one_of(&["amp", "lt", "quot"]);
                self.name(name);
            }
            (2..6, _) | (_, None) => self.literal(text),
            (number, Some(values)) => {
                self.chunk.push(if number % 2 == 0 { 0x0D } else { 0x0E });
                let index = self.any(values + 1);
                self.u16(index);
                self.chunk.push(kind::STRING);
            }
        }
    }

    /// An instance of a template of its own, whose definition follows.
    fn instance(&mut self, root: &str, depth: usize) {
        self.chunk.extend([0x0C, 1, 1, 0, 0, 0]);
        self.u32(self.chunk.len() + 4);
        self.chunk.extend([0; 20]);
        let size = self.chunk.len();
        self.u32(0);
        self.chunk.extend([0x0F, 1, 1, 0]);
        let values = 1 + self.any(6);
        self.root(root, depth, Some(values));
        self.chunk.push(0x00);
        self.put(size, self.chunk.len() - size - 4);
        self.u32(values);
        let table = self.chunk.len();
        self.chunk.resize(table + 4 * values, 0);
        for index in 0..values {
            let start = self.chunk.len();
            let kind = self.value(depth);
            let size = self.chunk.len() - start;
            self.put(table + 4 * index, size | usize::from(kind) << 16);
        }
    }

    /// The outermost element: an event begins with `System`.
    fn root(&mut self, name: &str, depth: usize, values: Option<usize>) {
        if name != "Event" {
            return self.element(name, depth, values);
        }
        self.start(name, 0, values.map(|_| 0));
        self.chunk.push(0x02);
        self.start("System", 0, values.map(|_| 0));
        self.chunk.push(0x03);
        for index in 0..self.one_of(&[1, 1, 1, 2]) {
            if values.is_none() && self.any(3) == 0 {
                self.instance("EventData", depth + 1);
            } else {
                let names = ["EventData", "EventData", "UserData", "UserData", "RenderingInfo", "DebugData"];
                let name = if index == 0 { self.one_of(&names) } else { "RenderingInfo" };
                self.element(name, depth + 1, values);
            }
        }
        self.chunk.push(0x04);
    }

    /// A value; says its type.
    fn value(&mut self, depth: usize) -> u8 {
        match self.any(16) {
            0 | 1 => kind::NULL,
            2 => {
                self.u32(1000);
                kind::UINT32
            }
            3 => {
                let bits = self.any(3);
                self.u32(bits);
                kind::BOOL
            }
            4 => {
                let text = self.one_of(&["", "a\0", "\0", "a\0\0b\0", "a\0b\0c\0"]);
                self.utf16(text);
                kind::ARRAY | kind::STRING
            }
            5 => {
                let size = self.any(3);
                self.chunk.extend(std::iter::repeat_n(7, size));
                self.one_of(&[kind::BINARY, kind::ANSI_STRING, kind::ARRAY | kind::UINT8])
            }
            6 if depth < 3 => {
                if self.any(4) > 0 {
                    self.chunk.extend([0x0F, 1, 1, 0]);
                }
                for _ in 0..self.one_of(&[1, 1, 1, 2]) {
                    let name = self.one_of(&["EventData", "EventData", "UserData", "One", "Data"]);
                    if self.any(4) > 0 {
                        self.instance(name, depth + 1);
                    } else {
                        self.element(name, depth + 1, None);
                    }
                }
                self.chunk.push(0x00);
                kind::BINARY_XML
            }
            _ => {
                let text = self.one_of(&["", "value", "other value", "cut\0off", "größer"]);
                self.utf16(text);
                kind::STRING
            }
        }
    }

    /// A chunk of one record.
    fn chunk(seed: u64) -> Vec<u8> {
        let mut writer = Self { chunk: vec![0; 512], state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), named: true };
        writer.chunk[..8].copy_from_slice(b"ElfChnk\0");
        // First and last number and id, and where the last record is.
        for field in [8, 16, 24, 32] {
            writer.put(field, 1);
        }
        writer.put(44, 512);
        writer.chunk.extend([0x2A, 0x2A, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        writer.chunk.extend(133_594_528_895_000_000_u64.to_le_bytes());
        writer.chunk.extend([0x0F, 1, 1, 0]);
        if writer.any(4) > 0 {
            writer.instance("Event", 0);
        } else {
            writer.root("Event", 0, None);
        }
        writer.chunk.push(0x00);
        let size = writer.chunk.len() + 4 - 512;
        writer.u32(size);
        writer.put(516, size);
        writer.put(48, writer.chunk.len());
        writer.chunk.resize(writer.chunk.len().max(CHUNK_BYTES), 0);
        writer.chunk
    }
}

#[test]
fn random_shapes_have_the_same_fields_or_are_unusual() {
    let mut comparison = Comparison::default();
    let count = std::env::var("ROUNDS").map_or(3000, |rounds| rounds.parse().expect("a number"));
    for seed in 1..=count {
        let chunk = Writer::chunk(seed);
        if chunk.len() == CHUNK_BYTES {
            comparison.add_chunk(&chunk, &format!("seed {seed}"));
        }
    }
    println!("{comparison}");
    comparison.assert_none_differs();
    assert!(comparison.same > count / 4 && comparison.fields > count, "{comparison}");
}

#[test]
fn damaged_records_have_the_same_fields_or_are_unusual() {
    let mut comparison = Comparison::default();
    let count = std::env::var("ROUNDS").map_or(3000, |rounds| rounds.parse().expect("a number"));
    for seed in 1..=count {
        let mut writer = Writer { chunk: Writer::chunk(seed), state: !seed, named: true };
        let end = 0x230 + writer.any(0x800);
        for _ in 0..=writer.any(3) {
            // Behind the header of the record.
            let at = 536 + writer.any(end - 536);
            writer.chunk[at] = match writer.any(3) {
                0 => writer.any(256).to_le_bytes()[0],
                1 => writer.chunk[at].wrapping_add(1),
                _ => writer.one_of(&[0, 1, 2, 3, 4, 5, 6, 0x0C, 0x0D, 0x0E, 0x21, 0x41, 0x81, 0xFF]),
            };
        }
        if writer.chunk.len() == CHUNK_BYTES {
            comparison.add_chunk(&writer.chunk, &format!("seed {seed}"));
        }
    }
    println!("{comparison}");
    comparison.assert_none_differs();
    assert!(comparison.same > count / 8 && comparison.undecoded > 0, "{comparison}");
}
