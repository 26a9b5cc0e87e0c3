//! Whole logs: what is read, and what is said of them.

#![expect(clippy::arithmetic_side_effects, reason = "offsets in logs that the tests themselves write")]

mod damage;
mod hostile;
mod shared;

use std::io::Write;

use samplekit::event_log::patch::{
    chunk_header, chunk_range, file_header, make_dirty, put, seal_chunk, seal_file, u32_at,
};
use samplekit::event_log::{
    CHUNK_BYTES, Event as Logged, EventLog, FILE_HEADER_BYTES, Node, Provider, Record as Written,
};
use samplekit::{FileTime, Guid, events};

use super::*;
use evidence::{Event, EventBody, Observation, Place};

fn read_bytes(bytes: &[u8]) -> Result<Reading, Unreadable> {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    read(&file, bytes.len() as u64, &context)
}

fn reading(bytes: &[u8]) -> Reading {
    read_bytes(bytes).expect("a log")
}

fn losses(bytes: &[u8]) -> Vec<String> {
    reading(bytes).losses.iter().map(ToString::to_string).collect()
}

fn event(reading: &Reading, index: usize) -> (&Place, &Event) {
    let evidence = &reading.evidence[index];
    let Observation::Event(event) = &evidence.observation else { panic!("an event") };
    (&evidence.place, event)
}

fn at(minute: u64) -> FileTime {
    FileTime::utc(2024, 5, 6, 7, minute, 0)
}

/// A crash that names `app`, and something that nobody wants.
fn crash(app: &str, minute: u64) -> Logged {
    Logged::new(Provider::classic("Application Error"), 1000).at(at(minute)).strings([app, "1.0.0.0"])
}

fn chatter(minute: u64) -> Logged {
    Logged::new(Provider::classic("Chatter"), 1000).at(at(minute)).strings(["nothing of interest"])
}

/// A log of three records in one chunk, of which the first and the last are crashes.
fn small_log() -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01").starting_at(101);
    log.add(crash("first.exe", 1)).add(chatter(2)).add(crash("last.exe", 3));
    log.to_bytes()
}

/// A log of `chunks` full chunks and a bit; every record is a crash of an app named by its record id.
fn long_log(chunks: usize) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01");
    let padding = "x".repeat(2000);
    for number in 1..=(chunks * 15 + 1) {
        log.add(
            Logged::new(Provider::classic("Application Error"), 1000)
                .at(at(1))
                .strings([format!("{number}.exe"), padding.clone()]),
        );
    }
    log.to_bytes()
}

fn apps(reading: &Reading) -> Vec<String> {
    (0..reading.evidence.len())
        .map(|index| match &event(reading, index).1.content.body {
            EventBody::ApplicationError(error) => error.app.to_string(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Takes all records but the first out of what the header of the only chunk knows, as if they had not been flushed.
fn unflush(bytes: &mut [u8]) {
    let start = chunk_range(0).start;
    let size = u32_at(bytes, start + chunk_header::END + 4);
    let chunk = &mut bytes[start..];
    let first_number = chunk[8..16].to_vec();
    let first_id = chunk[24..32].to_vec();
    chunk[chunk_header::LAST_NUMBER..chunk_header::LAST_NUMBER + 8].copy_from_slice(&first_number);
    chunk[chunk_header::LAST_ID..chunk_header::LAST_ID + 8].copy_from_slice(&first_id);
    put(chunk, chunk_header::LAST_RECORD, &(chunk_header::END as u32).to_le_bytes());
    put(chunk, chunk_header::FREE_SPACE, &(chunk_header::END as u32 + size).to_le_bytes());
    seal_chunk(&mut bytes[chunk_range(0)]);
}

#[test]
fn a_whole_log_gives_wanted_records_counts_all_and_loses_nothing() {
    let reading = reading(&small_log());
    assert_eq!(reading.losses, []);
    assert_eq!(reading.records, Some(3));
    assert_eq!(apps(&reading), ["first.exe", "last.exe"]);
    let (place, event) = event(&reading, 1);
    assert_eq!(*place, Place::Record(103));
    assert_eq!((&*event.content.provider, event.content.id), ("Application Error", 1000));
    assert_eq!((event.content.channel.as_deref(), event.computer.as_deref()), (Some("Application"), Some("PC-01")));
    assert_eq!(event.time.map(|time| time.to_string()).as_deref(), Some("2024-05-06T07:03:00Z"));
    let fields: Vec<_> = event.content.fields.iter().collect();
    assert_eq!(fields, [("AppName", "last.exe"), ("AppVersion", "1.0.0.0")]);
    let [coverage] = reading.coverage.as_slice() else { panic!("{:?}", reading.coverage) };
    assert_eq!((&*coverage.channel, &*coverage.computer), ("Application", "PC-01"));
    assert_eq!(coverage.first.to_string(), "2024-05-06T07:01:00Z");
    assert_eq!(coverage.last.to_string(), "2024-05-06T07:03:00Z");
}

#[test]
fn an_empty_log_is_whole() {
    let reading = reading(&EventLog::new("System", "PC-01").to_bytes());
    assert_eq!(reading.losses, []);
    assert_eq!((reading.records, reading.evidence.len()), (Some(0), 0));
    assert!(reading.coverage.is_empty());
}

#[test]
fn evidence_is_in_the_file_s_order_whatever_the_number_of_threads() {
    // More chunks than a run has.
    let chunks = 67;
    let bytes = long_log(chunks);
    let records = chunks * 15 + 1;
    let expected: Vec<String> = (1..=records).map(|number| format!("{number}.exe")).collect();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let reading = pool.install(|| reading(&bytes));
        assert_eq!(reading.records, Some(records as u64));
        assert_eq!(apps(&reading), expected, "{threads} threads");
        assert_eq!(reading.losses, []);
    }
}

#[test]
fn records_share_what_they_say_only_if_they_say_the_same() {
    let error = |provider: &'static str, values: [&'static str; 2]| {
        Logged::new(Provider::classic(provider), 1000).at(at(2)).strings(values)
    };
    let mut log = EventLog::new("Application", "PC-01");
    log.add(error("Application Error", ["tool.exe", "1.0.0.0"]))
        .add(error("Application Error", ["tool.exe", "1.0.0.0"]).at(at(3)))
        .add(error("Application Error", ["tool.exe", "1.0.0.1"]))
        .add(error("Application Error", ["tool.exe1.0.0.0", ""]))
        .add(error("Application Hang", ["tool.exe", "1.0.0.0"]));
    let mut other = EventLog::new("Elsewhere", "PC-02");
    other.add(error("Application Error", ["tool.exe", "1.0.0.0"]));

    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let mut events = Vec::new();
    for bytes in [log.to_bytes(), other.to_bytes()] {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&bytes).expect("written");
        let reading = read(&file, bytes.len() as u64, &context).expect("a log");
        events.extend((0..reading.evidence.len()).map(|index| event(&reading, index).1.clone()));
    }
    let [first, again, others @ ..] = events.as_slice() else { panic!("{events:?}") };
    assert!(Arc::ptr_eq(&first.content, &again.content) && first.time != again.time);
    assert!(
        others.len() >= 3 && others.iter().all(|other| !Arc::ptr_eq(&first.content, &other.content)),
        "{others:#?}"
    );
}

#[test]
fn every_family_of_events_comes_out_of_a_log() {
    let mut log = EventLog::new("System", "PC-01");
    log.add(events::display_reset(at(1), "nvlddmkm"))
        .add(events::nvidia_driver(at(2), 153, &["\\Device\\Video3", "Restarting TDR occurred"]))
        .add(events::missing_dll_popup(at(3), "tool.exe", "vendor140.dll"))
        .add(events::service_ended(at(4), "Démonstration", "DemoSvc", "x"))
        .add(events::bugcheck(at(5), 0x9F, [1, 2, 3, 4], "C:\\Windows\\MEMORY.DMP", Guid::new(1, 2, 3, 4, 5)))
        .add(events::unclean_shutdown(at(6), at(0), 2, 934))
        .add(
            Logged::new(Provider::classic(".NET Runtime"), 1026)
                .at(at(7))
                .strings(["Application: tool.exe\nException Info: System.OverflowException\n   at Tool.Main()\n"]),
        )
        .add(events::missing_assembly(at(8), "Vendor.Runtime", "C:\\tool.exe"));
    let reading = reading(&log.to_bytes());
    assert_eq!((reading.records, reading.losses.len()), (Some(8), 0));
    let bodies: Vec<&EventBody> =
        (0..reading.evidence.len()).map(|index| &event(&reading, index).1.content.body).collect();
    let [
        EventBody::DisplayReset { driver },
        EventBody::DisplayDriver { reset: true, .. },
        EventBody::Popup { dlls, .. },
        EventBody::ServiceEnded(service),
        EventBody::BugCheck { code, parameters: [1, 2, 3, 4], .. },
        EventBody::UncleanShutdown { last_alive: Some(last_alive) },
        EventBody::DotNet { exception_type: Some(exception_type), .. },
        EventBody::SideBySide { assembly: Some(assembly), app: Some(_) },
    ] = bodies.as_slice()
    else {
        panic!("{bodies:?}")
    };
    assert_eq!((&**driver, &*dlls[0], service.name.as_deref()), ("nvlddmkm", "vendor140.dll", Some("DemoSvc")));
    assert_eq!(service.described(), "DemoSvc (Démonstration)");
    assert_eq!((code.0, last_alive.to_string().as_str()), (0x9F, "2024-05-06T07:00:00Z"));
    assert_eq!((&**exception_type, &**assembly), ("System.OverflowException", "Vendor.Runtime"));
}

#[test]
fn the_timeline_knows_every_event_that_is_read() {
    let mut log = EventLog::new("System", "PC-01");
    log.add(events::nvidia_driver(at(1), 153, &["\\Device\\Video3", "Restarting TDR occurred"]))
        .add(events::nvidia_driver(at(2), 13, &["\\Device\\Video3", "Graphics Exception"]))
        .add(Logged::new(Provider::classic("volmgr"), 161).strings(["x"]));
    let reading = reading(&log.to_bytes());
    let kinds: Vec<_> = (0..3).map(|index| catalogue::timeline_kind(event(&reading, index).1)).collect();
    assert_eq!(kinds, [Some("driver-reset"), Some("driver-error"), Some("bugcheck")]);
    let event = event(&reading, 0).1;
    let content = EventContent { provider: "Chatter".into(), ..(*event.content).clone() };
    let unknown = Event { content: Arc::new(content), ..event.clone() };
    assert_eq!(catalogue::timeline_kind(&unknown), None);
}
