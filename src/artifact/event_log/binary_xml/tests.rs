//! The fields of whole logs, compared with what the `evtx` crate's JSON of the same records gives.

#![expect(clippy::arithmetic_side_effects, reason = "counts, and offsets that the evtx crate has checked")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use evtx::{EvtxChunkData, EvtxRecord, ParserSettings};

use super::Unusual;
use super::elements::{Scratch, read_fields, read_record_fields};
use super::token::{Instance, Token, Tokens};
use crate::artifact::event_log::chunk::{CHUNK_BYTES, has_chunk_signature};
use crate::artifact::event_log::fields::WrittenFields;
use crate::artifact::event_log::file_header::HEADER_BYTES;
use crate::artifact::event_log::json;

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
        let (mut found, mut scratch) = (WrittenFields::default(), Scratch::default());
        for record in parsed.iter() {
            let Ok(record) = record else {
                self.undecoded += 1;
                continue;
            };
            let id = record.event_record_id;
            let start = usize::try_from(record.binxml_offset).expect("an offset in the chunk");
            let range = start..start + usize::try_from(record.binxml_size).expect("a size");
            let result = read_record_fields(chunk, range.clone(), &mut found, &mut scratch);
            let Ok(expected) = expected(record) else {
                self.undecoded += 1;
                continue;
            };
            if let Err(Unusual(reason)) = result {
                assert_eq!(found.iter().count(), 0, "{place}, record {id}: fields of an unusual record");
                *self.unusual.entry(reason).or_default() += 1;
                continue;
            }
            let mut again = WrittenFields::default();
            from_behind_system(chunk, range, &mut again, &mut scratch).expect("the same record");
            assert_eq!(found, again, "{place}, record {id}: from behind System");
            if expected.as_ref() == Some(&found) {
                self.same += 1;
                self.fields += found.iter().count() as u64;
            } else {
                let fields = |fields: &WrittenFields| -> Vec<String> {
                    fields.iter().map(|(name, value)| format!("{name:?}: {value:?}")).collect()
                };
                let expected = expected.as_ref().map(fields);
                self.different.push(format!("{place}, record {id}:\n{expected:#?}\n{:#?}", fields(&found)));
            }
        }
    }
}

/// The fields by the JSON of the `evtx` crate; none of an event without `System`.
fn expected(record: EvtxRecord<'_>) -> Result<Option<WrittenFields>, Box<dyn std::error::Error>> {
    let json = record.into_json_bytes()?.data;
    let parts = json::parts(&json, &|_| true)?;
    Ok(parts.elements.map(|elements| WrittenFields::of(&elements)))
}

/// Reads the fields as one who has walked the tokens up to the end of `System`.
fn from_behind_system(
    chunk: &[u8],
    record: std::ops::Range<usize>,
    into: &mut WrittenFields,
    scratch: &mut Scratch,
) -> Result<(), Unusual> {
    let instance = Instance::of_record(chunk, record.clone())?;
    let mut tokens = match &instance {
        Some(instance) => Tokens::of_definition(chunk, instance.definition)?,
        None => Tokens::of_record(chunk, record)?,
    };
    let mut depth = 0_u32;
    let mut in_system = false;
    while !in_system || depth > 1 {
        match tokens.next()? {
            Token::Element(_) => depth += 1,
            Token::Empty | Token::ElementEnds => depth -= 1,
            Token::End => panic!("an event without System"),
            _ => {}
        }
        in_system |= depth > 1;
    }
    read_fields(chunk, tokens.rest(), instance.as_ref().map(|instance| &instance.values), into, scratch)
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
    let Comparison { same, fields, unusual, undecoded, different } = &comparison;
    let left: u64 = unusual.values().sum();
    println!("{logs} logs: {same} records with {fields} fields alike, {left} unusual, {undecoded} not decoded");
    println!("{unusual:#?}");
    assert!(
        different.is_empty(),
        "{} differ, the first:\n{}",
        different.len(),
        different[..different.len().min(3)].join("\n")
    );
}
