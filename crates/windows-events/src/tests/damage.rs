//! Logs that were cut short, damaged, or never closed: what is read of them, and what they say is missing.

use evtx_scan::is_event_log;

use super::*;

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

#[test]
fn chunks_that_are_missing_in_the_middle_are_losses_whether_the_log_was_closed_or_not() {
    let gap = "15 records (numbers 16 to 30) in front of it are missing";
    for dirty in [false, true] {
        let mut zeroed = long_log(3);
        if dirty {
            make_dirty(&mut zeroed);
        }
        let mut removed = zeroed.clone();
        zeroed[chunk_range(1)].fill(0);
        assert!(losses(&zeroed).contains(&format!("chunk 2: {gap}; chunk 1 in front of it is all zero")), "{dirty}");
        removed.drain(chunk_range(1));
        assert!(losses(&removed).contains(&format!("chunk 1: {gap}")), "{dirty}: {:?}", losses(&removed));
    }
}

#[test]
fn zeros_in_front_of_the_first_chunk_are_a_loss() {
    let mut bytes = long_log(2);
    make_dirty(&mut bytes);
    bytes[chunk_range(0)].fill(0);
    assert_eq!(losses(&bytes), ["chunk 1: chunk 0 in front of it is all zero"]);
}

#[test]
fn in_a_log_that_was_full_the_oldest_chunk_follows_the_newest() {
    let bytes = long_log(3);
    let newest =
        [&bytes[..FILE_HEADER_BYTES], &bytes[chunk_range(2).start..], &bytes[chunk_range(0)], &bytes[chunk_range(1)]];
    let mut rotated = newest.concat();
    assert_eq!(losses(&rotated), [""; 0]);
    make_dirty(&mut rotated);
    assert_eq!(losses(&rotated), [""; 0]);
}

#[test]
fn what_the_header_of_an_open_log_counts_is_there_at_least() {
    let mut bytes = long_log(1);
    make_dirty(&mut bytes);
    put(&mut bytes, file_header::NEXT_RECORD, &100_u64.to_le_bytes());
    put(&mut bytes, file_header::CHUNKS, &5_u16.to_le_bytes());
    seal_file(&mut bytes);
    assert_eq!(
        losses(&bytes),
        [
            "file header: it counts 5 chunks, but the file holds 2",
            "file header: the next record would have the id 100, but the last one found is 16",
        ]
    );
    // Clearing a log leaves its numbers.
    let mut cleared = EventLog::new("System", "PC-01").to_bytes();
    make_dirty(&mut cleared);
    put(&mut cleared, file_header::NEXT_RECORD, &100_u64.to_le_bytes());
    seal_file(&mut cleared);
    assert_eq!(losses(&cleared), [""; 0]);
}
