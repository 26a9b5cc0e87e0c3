//! Whole logs: what is read, and what is said to be missing when they are damaged.

#![expect(clippy::arithmetic_side_effects, reason = "offsets in logs that the tests themselves write")]

use std::io::Write;

use samplekit::event_log::patch::{chunk_header, chunk_range, make_dirty, put, seal_chunk, seal_file, u32_at};
use samplekit::event_log::{
    CHUNK_BYTES, Event as Logged, EventLog, FILE_HEADER_BYTES, Node, Provider, Record as Written,
};
use samplekit::{FileTime, Guid, events};

use super::*;
use crate::evidence::{Event, EventBody, Observation, Place};

fn read_bytes(bytes: &[u8]) -> Result<Reading, Unreadable> {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    let context = ReadContext::default();
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
            EventBody::ApplicationError { app, .. } => app.to_string(),
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

    let context = ReadContext::default();
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

#[test]
fn what_is_no_log_is_unreadable() {
    let error = |bytes: &[u8]| read_bytes(bytes).expect_err("no log").to_string();
    assert_eq!(error(b""), "file header: the file is empty");
    assert_eq!(error(&small_log()[..100]), "file header: the file ends after 100 of the header's 4096 bytes");
    let neither = "it is no event log: neither its header nor a chunk can be recognised";
    assert_eq!(error(&vec![b'x'; 3 * CHUNK_BYTES]), neither);
    assert_eq!(error(&vec![0; 3 * CHUNK_BYTES]), neither);
}

#[test]
fn a_log_is_known_by_its_header_or_its_first_chunk() {
    let mut bytes = small_log();
    assert!(is_event_log(&bytes));
    assert!(is_event_log(&bytes[..8]));
    bytes[0] = 0;
    assert!(is_event_log(&bytes[..FILE_HEADER_BYTES + 8]));
    assert!(!is_event_log(&bytes[..FILE_HEADER_BYTES]));
    assert!(!is_event_log(b""));
}

#[test]
fn space_that_windows_reserved_is_no_loss() {
    let mut bytes = small_log();
    bytes.resize(bytes.len() + 3 * CHUNK_BYTES, 0);
    let reading = reading(&bytes);
    assert_eq!((reading.records, reading.losses), (Some(3), vec![]));
}

#[test]
fn a_file_that_ends_inside_a_chunk_says_how_much_is_left() {
    let bytes = small_log();
    let cut = &bytes[..chunk_range(0).start + 5000];
    assert_eq!(apps(&reading(cut)), ["first.exe", "last.exe"]);
    assert_eq!(losses(cut), ["chunk 0: the file ends after 5000 of its 65536 bytes; 3 records in that part read"]);
    let third = usize::try_from(u32_at(&bytes, chunk_range(0).start + chunk_header::LAST_RECORD)).expect("an offset");
    let cut = &bytes[..chunk_range(0).start + third + 40];
    assert_eq!((reading(cut).records, apps(&reading(cut))), (Some(2), vec!["first.exe".to_owned()]));
    assert_eq!(
        losses(cut),
        [
            "file header: the next record would have the id 104, but the last one found is 102".to_owned(),
            format!("chunk 0: the file ends after {} of its 65536 bytes; 2 records in that part read", third + 40),
        ]
    );
    let mut padded = bytes.clone();
    padded.resize(padded.len() + 4096, 0);
    assert_eq!(losses(&padded), ["chunk 1: the file ends after 4096 of its 65536 bytes; they are all zero"]);
    padded.push(1);
    let expected = "chunk 1: the file ends after 4097 of its 65536 bytes; they do not begin like a chunk";
    assert_eq!(losses(&padded), [expected]);
}

#[test]
fn places_that_hold_no_chunk_are_told_in_runs() {
    let mut bytes = long_log(4);
    for number in [1, 2, 4] {
        bytes[chunk_range(number).start..chunk_range(number).start + CHUNK_BYTES].fill(b'X');
    }
    let reading = reading(&bytes);
    assert!(reading.records.is_some_and(|records| records > 0));
    let losses: Vec<String> = reading.losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses.len(), 3, "{losses:?}");
    assert!(losses[0].starts_with("file header: the next record would have the id "), "{losses:?}");
    assert_eq!(losses[1], "chunks 1 to 2: they do not begin like chunks and were not read");
    assert_eq!(losses[2], "chunk 4: it does not begin like a chunk and was not read");
}

#[test]
fn records_of_a_chunk_without_its_signature_are_recovered() {
    let mut bytes = long_log(2);
    bytes[chunk_range(1).start] = b'X';
    let reading = reading(&bytes);
    assert_eq!(reading.records, Some(31));
    assert_eq!(apps(&reading).len(), 31);
    assert_eq!(*event(&reading, 15).0, Place::RecoveredRecord(16));
    assert_eq!(
        losses(&bytes),
        ["chunk 1: it does not begin like a chunk; 15 records (ids 16 to 30) behind it recovered"]
    );
}

#[test]
fn a_header_that_knows_too_few_records_is_not_believed_when_its_checksum_is_wrong() {
    let mut bytes = small_log();
    let start = chunk_range(0).start;
    let size = u32_at(&bytes, start + chunk_header::END + 4);
    put(&mut bytes, start + chunk_header::FREE_SPACE, &(chunk_header::END as u32 + size).to_le_bytes());
    assert_eq!(apps(&reading(&bytes)), ["first.exe", "last.exe"]);
    assert!(
        losses(&bytes)
            .contains(&"chunk 0: 2 records (ids 102 to 103) that its header does not know recovered".to_owned()),
        "{:?}",
        losses(&bytes)
    );
}

#[test]
fn a_header_that_can_t_be_recognised_costs_no_chunk() {
    let mut bytes = small_log();
    bytes[0] = 0;
    assert_eq!(apps(&reading(&bytes)).len(), 2);
    assert_eq!(losses(&bytes), ["file header: it can't be recognised; the chunks behind it were read"]);
}

#[test]
fn a_header_with_a_wrong_checksum_is_a_loss_and_not_believed() {
    let mut bytes = small_log();
    // The next record's id.
    bytes[24] ^= 0xFF;
    let losses = losses(&bytes);
    let [loss] = losses.as_slice() else { panic!("{losses:?}") };
    assert!(loss.starts_with("file header: its checksum is 0x"), "{loss}");
    assert_eq!(reading(&bytes).records, Some(3));
}

#[test]
fn a_closed_log_with_fewer_chunks_or_records_than_its_header_says_is_not_whole() {
    let whole = long_log(2);
    let last = u32_at(&whole, chunk_range(0).start + chunk_header::LAST_ID);
    let mut bytes = whole[..chunk_range(1).start].to_vec();
    let next = u32_at(&whole, 24);
    assert_eq!(
        losses(&bytes),
        [
            "file header: it counts 3 chunks, but the file holds 1".to_owned(),
            format!("file header: the next record would have the id {next}, but the last one found is {last}"),
        ]
    );
    make_dirty(&mut bytes);
    assert_eq!(losses(&bytes), [""; 0], "the header of a log that was not closed may be old");
}

#[test]
fn wrong_checksums_of_a_chunk_are_losses_and_its_records_are_read_all_the_same() {
    let mut header = small_log();
    header[chunk_range(0).start + 40] ^= 1;
    assert_eq!(losses(&header), ["chunk 0: the checksum of its header is wrong; its records were read all the same"]);
    assert_eq!(apps(&reading(&header)).len(), 2);
    let mut records = small_log();
    // A letter of the first app's name.
    let name: Vec<u8> = "first".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let at = records.windows(name.len()).position(|window| window == name).expect("the name");
    records[at] = b'F';
    assert_eq!(losses(&records), ["chunk 0: the checksum of its records is wrong; they were read all the same"]);
    assert_eq!(apps(&reading(&records)), ["First.exe", "last.exe"]);
}

#[test]
fn a_record_that_can_t_be_decoded_costs_itself_alone() {
    let mut bytes = small_log();
    let second = chunk_range(0).start
        + chunk_header::END
        + u32_at(&bytes, chunk_range(0).start + chunk_header::END + 4) as usize;
    // The record's first token.
    bytes[second + 24] = 0xEE;
    seal_chunk(&mut bytes[chunk_range(0)]);
    let losses = losses(&bytes);
    let [loss] = losses.as_slice() else { panic!("{losses:?}") };
    assert!(loss.starts_with("chunk 0: 1 record could not be decoded: record 102 ("), "{loss}");
    let reading = reading(&bytes);
    assert_eq!((reading.records, apps(&reading)), (Some(2), vec!["first.exe".to_owned(), "last.exe".to_owned()]));
}

#[test]
fn records_that_vanished_without_a_trace_are_missed_by_their_count() {
    let mut bytes = small_log();
    let start = chunk_range(0).start;
    let second = start + chunk_header::END + u32_at(&bytes, start + chunk_header::END + 4) as usize;
    let end = start + u32_at(&bytes, start + chunk_header::FREE_SPACE) as usize;
    bytes[second..end].fill(0);
    seal_chunk(&mut bytes[chunk_range(0)]);
    let losses = losses(&bytes);
    assert!(losses.contains(&"chunk 0: its header counts 3 records, but 1 could be read".to_owned()), "{losses:?}");
}

/// A log of a crash whose record repeats a part of its system, which is unusual.
fn unusual_log() -> Vec<u8> {
    let name = |name: &str| Node::element("Provider", vec![("Name", Node::text(name))], vec![]);
    let id = Node::element("EventID", vec![], vec![Node::text("1000")]);
    let system = Node::element("System", vec![], vec![name("Application Error"), id, name("Another")]);
    let data = Node::element("Data", vec![], vec![Node::text("unusual.exe")]);
    let event = Node::element("Event", vec![], vec![system, Node::element("EventData", vec![], vec![data])]);
    let mut log = EventLog::new("Application", "PC-01").starting_at(101);
    log.add(crash("first.exe", 1)).add_record(Written::plain(event).at(at(2))).add(crash("last.exe", 3));
    log.to_bytes()
}

#[test]
fn a_damaged_table_of_names_costs_nothing() {
    let mut bytes = unusual_log();
    let table = chunk_range(0).start + 128;
    for slot in 0..64 {
        put(&mut bytes, table + slot * 4, &65_535_u32.to_le_bytes());
    }
    seal_chunk(&mut bytes[chunk_range(0)]);
    assert_eq!(losses(&bytes), [""; 0]);
    assert_eq!(apps(&reading(&bytes)), ["first.exe", "unusual.exe", "last.exe"]);
}

#[test]
fn records_of_unusual_shape_are_recovered_from_a_chunk_without_its_signature() {
    let mut bytes = unusual_log();
    bytes[chunk_range(0).start] = b'X';
    assert_eq!(apps(&reading(&bytes)), ["first.exe", "unusual.exe", "last.exe"]);
}

#[test]
fn a_record_of_unusual_shape_is_read_although_an_earlier_one_has_the_last_ones_id() {
    let mut bytes = unusual_log();
    let start = chunk_range(0).start;
    // The first record gets the id of the last, and so does the unusual one, which reaches into the free space.
    let second = start + chunk_header::END + u32_at(&bytes, start + chunk_header::END + 4) as usize;
    bytes[start + chunk_header::END + 8] = 102;
    put(
        &mut bytes,
        start + chunk_header::FREE_SPACE,
        &(u32::try_from(second + 100 - start).expect("a chunk")).to_le_bytes(),
    );
    put(&mut bytes, start + chunk_header::LAST_ID, &999_u32.to_le_bytes());
    seal_chunk(&mut bytes[chunk_range(0)]);
    assert_eq!(apps(&reading(&bytes)), ["first.exe", "unusual.exe"]);
}

#[test]
fn records_that_were_not_flushed_are_recovered_and_marked() {
    let mut bytes = small_log();
    unflush(&mut bytes);
    make_dirty(&mut bytes);
    let reading = reading(&bytes);
    assert_eq!((reading.records, apps(&reading)), (Some(3), vec!["first.exe".to_owned(), "last.exe".to_owned()]));
    assert_eq!((event(&reading, 0).0, event(&reading, 1).0), (&Place::Record(101), &Place::RecoveredRecord(103)));
    assert_eq!(Place::RecoveredRecord(103).to_string(), "record 103 (recovered)");
    assert_eq!(losses(&bytes), ["chunk 0: 2 records (ids 102 to 103) past the end of its flushed part recovered"]);
}

/// A log that was not closed, of two chunks of which the second has just been begun anew: its header knows no records.
fn reset_log(body: &[u8]) -> Vec<u8> {
    let mut bytes = long_log(1);
    let second = chunk_range(1).start;
    let empty = EventLog::new("Application", "PC-01").to_bytes();
    bytes[second..].fill(0);
    bytes[second..second + chunk_header::END]
        .copy_from_slice(&empty[chunk_range(0).start..chunk_range(0).start + chunk_header::END]);
    bytes[second + chunk_header::END..second + chunk_header::END + body.len()].copy_from_slice(body);
    seal_chunk(&mut bytes[chunk_range(1)]);
    make_dirty(&mut bytes);
    bytes
}

#[test]
fn a_chunk_without_known_records_gives_those_that_follow_the_chunk_before() {
    let whole = long_log(1);
    let next = &whole[chunk_range(1).start + chunk_header::END..chunk_range(2).start];
    let follows = reset_log(next);
    assert_eq!((reading(&follows).records, apps(&reading(&follows)).len()), (Some(16), 16));
    let stale = reset_log(&whole[chunk_range(0).start + chunk_header::END..chunk_range(1).start]);
    assert_eq!((reading(&stale).records, apps(&reading(&stale)).len()), (Some(15), 15));
    assert_eq!(losses(&stale), [""; 0]);
}

#[test]
fn records_left_over_from_earlier_use_of_a_chunk_are_not_missed() {
    let mut bytes = small_log();
    let second = chunk_range(0).start
        + chunk_header::END
        + u32_at(&bytes, chunk_range(0).start + chunk_header::END + 4) as usize;
    bytes[second + 8..second + 16].copy_from_slice(&50_u64.to_le_bytes());
    unflush(&mut bytes);
    make_dirty(&mut bytes);
    assert_eq!(losses(&bytes), [""; 0]);
}

#[test]
fn a_closed_log_has_nothing_behind_its_flushed_part() {
    let mut bytes = small_log();
    unflush(&mut bytes);
    // The header says the same as the chunk.
    bytes[24..32].copy_from_slice(&102_u64.to_le_bytes());
    seal_file(&mut bytes);
    assert_eq!(losses(&bytes), [""; 0]);
}

/// A small generator with a fixed start (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }
}

/// Reads bytes that may be anything: no reader panics, and the decoder does not either.
fn must_not_panic(bytes: &[u8], what: &str) {
    if let Ok(reading) = read_bytes(bytes) {
        assert!(!reading.losses.iter().any(|loss| loss.reason.contains("the decoder failed")), "{what}");
    }
}

#[test]
fn random_chunks_behind_a_header_written_by_hand_do_not_panic() {
    let mut random = Random(7);
    for round in 0..40 {
        let mut bytes = b"ElfFile\0".to_vec();
        bytes.resize(FILE_HEADER_BYTES, 0);
        bytes.extend(b"ElfChnk\0");
        let length = random.below(2 * CHUNK_BYTES);
        bytes.extend((0..length).map(|_| random.next().to_le_bytes()[7]));
        // Half of them with a header that leads to records, and records that lead on.
        if round % 2 == 0 && length > 600 {
            bytes[FILE_HEADER_BYTES + 8..FILE_HEADER_BYTES + chunk_header::END].fill(0);
            put(&mut bytes, FILE_HEADER_BYTES + chunk_header::FREE_SPACE, &65_536_u32.to_le_bytes());
            put(&mut bytes, FILE_HEADER_BYTES + chunk_header::END, &0x2A2A_u32.to_le_bytes());
            let size = 28 + random.below(300) as u32;
            put(&mut bytes, FILE_HEADER_BYTES + chunk_header::END + 4, &size.to_le_bytes());
        }
        must_not_panic(&bytes, &format!("round {round}"));
    }
}

#[test]
fn cut_and_flipped_logs_do_not_panic_and_say_what_they_lost() {
    let whole = small_log();
    let said = |reading: &Reading| format!("{:?} {:?}", reading.records, reading.evidence);
    let original = said(&reading(&whole));
    let mut random = Random(11);
    for _ in 0..300 {
        let cut = &whole[..random.below(whole.len())];
        must_not_panic(cut, &format!("cut to {}", cut.len()));
        if let Ok(reading) = read_bytes(cut) {
            assert!(!reading.losses.is_empty(), "cut to {} bytes", cut.len());
        }
        let mut flipped = whole.clone();
        // Most of a chunk is free space; the flips go where something stands.
        let at = if random.below(4) == 0 { random.below(128) } else { chunk_range(0).start + random.below(3000) };
        flipped[at] ^= 1 << random.below(8);
        must_not_panic(&flipped, &format!("byte {at} flipped"));
        if let Ok(reading) = read_bytes(&flipped) {
            assert!(!reading.losses.is_empty() || said(&reading) == original, "byte {at} flipped and nothing is said");
        }
    }
}
