//! Prints the records of an event log that have one of some event ids, of any provider.
//!
//! ```text
//! cargo run -p evtx-scan --example wanted -- System.evtx 41 1001 6008
//! ```

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::sync::Arc;

use evtx_scan::{Catalogue, Ids, Provider, Record, Row, Selection, read_records};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let path = arguments.next().ok_or("usage: wanted FILE ID...")?;
    let ids: Vec<RangeInclusive<u16>> =
        arguments.map(|id| event_id(&id.to_string_lossy())).collect::<Result<_, _>>()?;
    if ids.is_empty() {
        return Err("usage: wanted FILE ID...".into());
    }

    // The name of every provider begins with the empty text.
    let row = Row { providers: vec![Provider::Family("".into())], ids: Ids::These(ids), quiet: None };
    let selection = Selection::wanted(Arc::new(Catalogue::new([row])));
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let log = read_records(&file, file.metadata()?.len(), &selection, &|record| Some(line(record)))?;

    let mut out = BufWriter::new(io::stdout().lock());
    for line in &log.extracted {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    for loss in &log.losses {
        eprintln!("{}: {}", loss.place, loss.reason);
    }
    eprintln!("{} of {} records", log.extracted.len(), log.records);
    Ok(())
}

fn event_id(text: &str) -> Result<RangeInclusive<u16>, String> {
    text.parse().map(|id| id..=id).map_err(|_| format!("{text} is no event id: event ids are numbers from 0 to 65535"))
}

/// Record id, time, provider, event id and fields of a record, as text: the record itself is only borrowed.
fn line(record: &Record<'_>) -> String {
    let time = record.time.map_or_else(|| "no time".to_owned(), |time| time.to_string());
    let mut line = format!("#{} {time} {} {}", record.id, record.provider, record.event_id);
    for (name, value) in record.fields.iter() {
        line.push_str(&name.map_or_else(|| format!(" {value:?}"), |name| format!(" {name}={value:?}")));
    }
    line
}
