//! Prints the records of an event log that have one of some event ids, whoever logged them.
//!
//! ```text
//! cargo run -p evtx-scan --example wanted -- System.evtx 41 1001 6008
//! ```

use std::env;
use std::error::Error;
use std::fs::File;
use std::ops::RangeInclusive;
use std::sync::Arc;

use evtx_scan::{Catalogue, Ids, Provider, Record, Row, Selection, read_records};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let path = arguments.next().ok_or("which FILE, and which IDs?")?;
    let ids: Vec<RangeInclusive<u16>> =
        arguments.map(|id| event_id(&id.to_string_lossy())).collect::<Result<_, _>>()?;

    // The names of all providers begin with nothing.
    let row = Row { providers: &[Provider::Family("")], ids: Ids::These(&ids), quiet: None };
    let selection = Selection::wanted(Arc::new(Catalogue::new([row])));
    let file = File::open(path)?;
    let log = read_records(&file, file.metadata()?.len(), &selection, &|record| Some(line(record)))?;

    for line in &log.taken {
        println!("{line}");
    }
    for loss in &log.losses {
        eprintln!("{loss}");
    }
    eprintln!("{} of {} records", log.taken.len(), log.records);
    Ok(())
}

fn event_id(text: &str) -> Result<RangeInclusive<u16>, String> {
    text.parse().map(|id| id..=id).map_err(|_| format!("{text} is no event id: those are numbers from 0 to 65535"))
}

/// Time, provider, id and fields of a record. Whoever keeps something of a record makes a copy of it, as here: the
/// record itself is lent.
fn line(record: &Record<'_>) -> String {
    let time = record.time.map_or_else(|| "no time".to_owned(), |time| time.to_string());
    let fields: Vec<String> = record
        .fields
        .iter()
        .map(|(name, value)| match name {
            Some(name) => format!("{name}={value:?}"),
            None => format!("{value:?}"),
        })
        .collect();
    format!("{time} {} {} {}", record.provider, record.event_id, fields.join(" "))
}
