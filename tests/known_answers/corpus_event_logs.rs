//! Event logs of the corpus, compared with independent measurements.
//!
//! The environment variable `CRASHSIFT_CORPUS` names the folder of the corpus; without it these tests are skipped.

use std::collections::HashSet;
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use evidence::{Names, Observation, Place, Reading};
use evtx_scan::is_event_log;
use serde_json::Value;
use windows_events::{Contents, Context};
use windows_events::{catalogue, read};

/// A log of the corpus: its path there, the measured values, and the values that were read.
struct Log {
    path: String,
    expected: Value,
    outcome: Result<Reading, String>,
    took: Duration,
}

impl Log {
    /// A number that was measured; zero where the measurement has none.
    fn measured(&self, name: &str) -> u64 {
        self.expected.pointer(&format!("/evtx/{name}")).and_then(Value::as_u64).unwrap_or(0)
    }
}

/// Reads every event log of the corpus; `None` without corpus.
fn read_corpus() -> Result<Option<Vec<Log>>, Box<dyn Error>> {
    let Some(folder) = env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return Ok(None);
    };
    let mut logs = Vec::new();
    for line in fs::read_to_string(folder.join("EXPECTED.jsonl"))?.lines() {
        let expected: Value = serde_json::from_str(line)?;
        if expected.get("kind").and_then(Value::as_str) != Some("evtx") {
            continue;
        }
        let path = expected.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
        let file = File::open(folder.join(&path))?;
        let bytes = file.metadata()?.len();
        let (names, contents) = (Names::default(), Contents::default());
        let context = Context::new(&names, &contents);
        let start = Instant::now();
        let outcome = read(&file, bytes, &context).map_err(|error| error.to_string());
        logs.push(Log { path, expected, outcome, took: start.elapsed() });
    }
    Ok(Some(logs))
}

#[test]
fn records_evidence_and_losses_are_those_that_were_measured() -> Result<(), Box<dyn Error>> {
    let Some(logs) = read_corpus()? else { return Ok(()) };
    let mut wrong = Vec::new();
    let (mut records, mut evidence, mut wanted, mut took) = (0, 0, 0, Duration::ZERO);
    for log in &logs {
        took += log.took;
        let reading = match &log.outcome {
            Ok(reading) => reading,
            Err(error) => {
                println!("{}: unreadable: {error}", log.path);
                if log.expected.pointer("/evtx/error").is_none() {
                    wrong.push(format!("{}: unreadable: {error}", log.path));
                }
                continue;
            }
        };
        records += reading.records.unwrap_or(0);
        evidence += reading.evidence.len();
        let measured = log.measured("records").saturating_add(log.measured("records_past_free_space_consecutive"));
        let found = reading.records.unwrap_or(0);
        // Records of the chunk in which a file ends were not measured.
        if found != measured && !(log.measured("tail_bytes") > 0 && found > measured) {
            wrong.push(format!("{}: {found} records, measured {measured}", log.path));
        }
        let found: HashSet<(u64, String, u32)> = reading
            .evidence
            .iter()
            .filter_map(|one| match (&one.place, &one.observation) {
                (Place::Record(record), Observation::Event(event)) => {
                    Some((*record, event.content.provider.to_lowercase(), event.content.id))
                }
                _ => None,
            })
            .collect();
        for record in log.expected.get("crash_records").and_then(Value::as_array).into_iter().flatten() {
            let provider = record.get("provider").and_then(Value::as_str).unwrap_or_default();
            let id = u32::try_from(record.get("event_id").and_then(Value::as_u64).unwrap_or(0))?;
            let record = record.get("record_id").and_then(Value::as_u64).unwrap_or(0);
            if catalogue::find(provider, id).is_some() {
                wanted += 1;
                if !found.contains(&(record, provider.to_lowercase(), id)) {
                    wrong.push(format!("{}: record {record} ({provider} {id}) is missing", log.path));
                }
            }
        }
        for loss in &reading.losses {
            println!("{}: {loss}", log.path);
        }
        let damaged = [
            "chunks_bad_magic",
            "chunks_data_crc_bad",
            "chunks_header_crc_bad",
            "tail_bytes",
            "record_errors",
            "records_past_free_space_consecutive",
        ]
        .iter()
        .any(|name| log.measured(name) > 0);
        if damaged == reading.losses.is_empty() {
            wrong.push(format!("{}: damaged: {damaged}, but losses: {:?}", log.path, reading.losses));
        }
        let unflushed = log.measured("records_past_free_space_consecutive");
        if unflushed > 0 && !reading.losses.iter().any(|loss| loss.reason.contains(&format!("{unflushed} record"))) {
            wrong.push(format!("{}: {unflushed} unflushed records are not told", log.path));
        }
    }
    println!(
        "{} logs, {records} records, {evidence} pieces of evidence, {wanted} of them measured, {took:?}",
        logs.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(wanted > 0, "the corpus holds wanted records");
    Ok(())
}

#[test]
fn event_logs_are_known_by_their_content() -> Result<(), Box<dyn Error>> {
    let Some(logs) = read_corpus()? else { return Ok(()) };
    let folder = PathBuf::from(env::var_os("CRASHSIFT_CORPUS").unwrap_or_default());
    for log in &logs {
        let content = fs::read(folder.join(&log.path))?;
        assert_eq!(is_event_log(&content), log.outcome.is_ok(), "{}", log.path);
    }
    Ok(())
}
