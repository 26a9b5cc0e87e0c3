//! Corner cases of the format, each written on purpose. Every test checks what is read, and that the `evtx` crate reads
//! the same.

use evtx_scan::Selection;
use samplekit::FileTime;
use samplekit::event_log::{Argument, Content, Event, EventLog, Node, Provider, Record, Sid, Value};

use super::compared::compare;
use super::logs::{
    GUID, chatter, chunk_header, chunk_range, crash, created, data, element, event, file_header, forget_records, kind,
    log, make_dirty, provider, put, record_offsets, seal_chunk, seal_file, texts, time, u32_at, u64_at, unflushed,
    valued_system, written_system,
};
use super::record::{Bench, Field, RecordValues, Scanned};

/// The catalogued records of a log; fails when the `evtx` crate reads others.
#[track_caller]
fn wanted(log: &[u8]) -> Scanned {
    let mut bench = Bench::new();
    compare("log", log, &mut bench).assert_equal();
    bench.scan(log, &Selection::wanted(windows_events::catalogue::wanted()))
}

/// All records of a log; fails when the `evtx` crate reads others.
#[track_caller]
fn everything(log: &[u8]) -> Scanned {
    let mut bench = Bench::new();
    compare("log", log, &mut bench).assert_equal();
    bench.scan(log, &Selection::everything())
}

fn ids(records: &[RecordValues]) -> Vec<u64> {
    records.iter().map(|record| record.id).collect()
}

fn fields(list: &[(&str, &str)]) -> Vec<Field> {
    list.iter().map(|(name, value)| (Some((*name).to_owned()), (*value).to_owned())).collect()
}

fn event_data(children: Vec<Node>) -> Node {
    Node::element("EventData", vec![], children)
}

/// A template with event id, provider, channel and computer as values, and a field.
fn valued() -> Node {
    event(valued_system(vec![], 0), vec![event_data(vec![data("AppName", Node::optional(4, kind::STRING))])])
}

/// Values for [`valued`].
fn values(id: u16, provider: &str, channel: &str, computer: &str) -> Vec<Argument> {
    vec![Value::U16(id).into(), provider.into(), channel.into(), computer.into(), "app.exe".into()]
}

/// A log of a chunk with ten records: crashes (101, 103, 105...) and others.
fn ten_records() -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01").starting_at(101);
    for number in 0..5 {
        log.add(crash(&format!("app{number}.exe"))).add(chatter(number));
    }
    log.to_bytes()
}

/// Three chunks of crashes.
fn three_chunks() -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01");
    for number in 0..45 {
        log.add(crash(&format!("{number}{}", "x".repeat(1900))));
    }
    let log = log.to_bytes();
    assert_eq!(log.len(), chunk_range(2).end, "three chunks");
    log
}

#[test]
fn a_record_without_template_is_read_by_its_own_tokens() {
    let record = |name: &str, id: u16| {
        let behind =
            vec![event_data(vec![data("AppName", Node::text("app.exe")), data("Count", Node::Literal(Value::U32(7)))])];
        Record::plain(event(written_system(name, id, "Application", "PC-07"), behind))
    };
    let log = log([record("Application Error", 1000), record("Application Error", 1001), record("Chatter", 1000)]);
    let wanted = wanted(&log);
    assert_eq!(ids(&wanted.known), [101]);
    let [crash] = wanted.known.as_slice() else { panic!("{wanted:?}") };
    assert_eq!((crash.channel.as_deref(), crash.computer.as_deref()), (Some("Application"), Some("PC-07")));
    assert_eq!(crash.fields, fields(&[("AppName", "app.exe"), ("Count", "7")]));
    assert_eq!(everything(&log).known.len(), 3);
}

#[test]
fn the_provider_may_be_written_in_the_template_or_a_value() {
    let written = |name: &str| event(written_system(name, 1000, "Application", "PC-01"), vec![]);
    let log = log([
        Record::instance(written("Application Error"), vec![]),
        Record::instance(written("Chatter"), vec![]),
        Record::instance(valued(), values(1000, "Application Error", "A", "B")),
        Record::instance(valued(), values(1000, "Chatter", "A", "B")),
        Record::instance(valued(), values(1000, "APPLICATION error", "A", "B")),
    ]);
    assert_eq!(ids(&wanted(&log).known), [101, 103, 105]);
    assert_eq!(everything(&log).known.len(), 5);
}

#[test]
fn the_event_id_may_be_a_number_or_a_text_in_the_template_or_a_value() {
    let with = |id: Node| {
        let system = vec![provider(Node::text("Application Error")), element("EventID", id)];
        event(system, vec![event_data(vec![data("A", Node::text("b"))])])
    };
    let hole = || Node::hole(0, kind::UINT16);
    let log = log([
        Record::instance(with(Node::Literal(Value::U16(1000))), vec![]),
        Record::instance(with(Node::text("1000")), vec![]),
        Record::instance(with(hole()), vec![Value::U16(1000).into()]),
        Record::plain(with(Node::text("1000"))),
        // Types that Windows does not use for these values.
        Record::instance(with(hole()), vec![Value::U32(1000).into()]),
        Record::instance(with(hole()), vec!["1000".into()]),
        Record::instance(with(Node::Literal(Value::U32(1000))), vec![]),
        Record::instance(with(Node::text(" 1000 ")), vec![]),
        Record::instance(with(Node::text("01000")), vec![]),
        // Records that are not wanted.
        Record::instance(with(Node::text("1001")), vec![]),
        Record::instance(with(hole()), vec![Value::U16(1001).into()]),
        Record::instance(with(Node::text("66536")), vec![]),
        Record::instance(with(Node::text("")), vec![]),
    ]);
    assert_eq!(ids(&wanted(&log).known), [101, 102, 103, 104, 105, 106, 107, 108, 109]);
    assert_eq!(everything(&log).known.len(), 12, "an event without id is none");
}

#[test]
fn parts_of_the_system_that_are_null_are_absent() {
    let without = |index: usize| {
        let mut arguments = values(1000, "Application Error", "Application", "PC-01");
        arguments[index] = Value::Null.into();
        Record::instance(valued(), arguments)
    };
    let log = log([without(0), without(1), without(2), without(3), without(4)]);
    let wanted = wanted(&log);
    assert_eq!(ids(&wanted.known), [103, 104, 105]);
    let parts: Vec<_> =
        wanted.known.iter().map(|record| (record.channel.as_deref(), record.computer.as_deref())).collect();
    assert_eq!(parts, [(None, Some("PC-01")), (Some("Application"), None), (Some("Application"), Some("PC-01"))]);
    assert_eq!(wanted.records, 5);
    let empty = Record::instance(valued(), values(1000, "Application Error", "", ""));
    assert_eq!(everything(&self::log([empty])).known[0].channel, None);
}

#[test]
fn an_event_id_with_qualifiers_is_the_number_alone() {
    let id = Node::element(
        "EventID",
        vec![("Qualifiers", Node::optional(0, kind::UINT16))],
        vec![Node::hole(1, kind::UINT16)],
    );
    let root = event(vec![provider(Node::text("Application Error")), id], vec![]);
    let record =
        |qualifiers: Value, id: u16| Record::instance(root.clone(), vec![qualifiers.into(), Value::U16(id).into()]);
    let log = log([record(Value::U16(1001), 1000), record(Value::Null, 1000), record(Value::U16(1000), 1001)]);
    assert_eq!(ids(&wanted(&log).known), [101, 102]);
}

#[test]
fn an_event_without_system_is_nobodys() {
    let bare = Node::element("Event", vec![], vec![event_data(vec![data("AppName", Node::text("app.exe"))])]);
    let other = Node::element("Other", vec![], vec![Node::element("System", vec![], vec![])]);
    let log = log([
        Record::instance(bare.clone(), vec![]),
        Record::plain(bare),
        Record::instance(event(vec![], vec![]), vec![]),
        Record::plain(other),
        Record::instance(Node::element("Event", vec![], vec![]), vec![]),
        Record::instance(valued(), values(1000, "Application Error", "A", "B")),
    ]);
    let everything = everything(&log);
    assert_eq!(ids(&everything.known), [106]);
    assert_eq!((everything.records, everything.losses.len()), (6, 0), "{:?}", everything.losses);
}

#[test]
fn the_system_may_follow_the_data() {
    let system = Node::element("System", vec![], written_system("Application Error", 1000, "A", "B"));
    let root = Node::element("Event", vec![], vec![event_data(vec![data("AppName", Node::text("app.exe"))]), system]);
    let log = log([Record::plain(root.clone()), Record::instance(root, vec![])]);
    assert_eq!(ids(&wanted(&log).known), [101, 102]);
}

#[test]
fn providers_that_share_a_template_are_distinguished() {
    let names =
        ["Application Error", "Application Errors", "Application", "Chatter", "Application Error", "Chattering Noise!"];
    let log = log(names.map(|name| Record::instance(valued(), values(1000, name, "Application", "PC-01"))));
    assert_eq!(ids(&wanted(&log).known), [101, 105]);
}

#[test]
fn a_providers_name_ends_at_its_first_nul() {
    let record = |name: &str| Record::instance(valued(), values(9999, name, "System\0old", "PC-01\0old"));
    let written = |name: &str| Record::instance(event(written_system(name, 9999, "System", "PC-01"), vec![]), vec![]);
    let log = log([
        record("nvlddmkm"),
        record("nvlddmkm\0and other text"),
        record("nvlddmkm\0"),
        record("Chatter\0nvlddmkm"),
        record("\0nvlddmkm"),
        written("nvlddmkm\0and other text"),
    ]);
    let wanted = wanted(&log);
    assert_eq!(ids(&wanted.known), [101, 102, 103, 106]);
    assert!(wanted.known.iter().all(|record| record.provider == "nvlddmkm"), "{wanted:?}");
}

#[test]
fn a_sid_before_the_provider_may_grow_and_shrink_from_record_to_record() {
    let security = || Node::element("Security", vec![("UserID", Node::optional(0, kind::SID))], vec![]);
    let root = event(valued_system(vec![security()], 1), vec![]);
    let sids = [Some(1), Some(5), Some(1), None, Some(0), Some(15), Some(5), None, Some(2)];
    let log = log(sids.map(|parts| {
        let sid = parts.map_or(Value::Null, |parts| Value::Sid(Sid::new(5, &vec![7; parts])));
        let rest = values(1000, "Application Error", "Application", "PC-01");
        Record::instance(root.clone(), [vec![sid.into()], rest].concat())
    }));
    let wanted = wanted(&log);
    assert_eq!(wanted.known.len(), sids.len());
    assert!(wanted.known.iter().all(|record| record.computer.as_deref() == Some("PC-01")));
}

#[test]
fn a_sid_that_does_not_have_the_size_of_its_descriptor_moves_what_follows() {
    // The SID's count is two parts, but there is room for one or three.
    let sid = |room: usize| {
        let mut bytes = vec![1, 2, 0, 0, 0, 0, 0, 5];
        bytes.resize(8 + 4 * room, 0x20);
        Value::Stored(kind::SID, bytes)
    };
    let security = Node::element("Security", vec![("UserID", Node::optional(0, kind::SID))], vec![]);
    let root = event(valued_system(vec![security], 1), vec![]);
    let log = log([2, 1, 3, 2].map(|room| {
        Record::instance(root.clone(), [vec![sid(room).into()], values(1000, "Application Error", "A", "B")].concat())
    }));
    // The values behind the SID must be those that the crate reads.
    let known = ids(&wanted(&log).known);
    assert!(known.contains(&101) && known.contains(&104), "{known:?}");
}

#[test]
fn types_and_sizes_of_values_may_change_from_record_to_record() {
    let padding = Node::element("Opcode", vec![], vec![Node::optional(0, kind::STRING)]).depending_on(0);
    let root = event(valued_system(vec![padding], 1), vec![]);
    let before = [
        Value::from("short"),
        Value::from("a longer one"),
        Value::Null,
        Value::U32(7),
        Value::Text("x".repeat(16)),
        Value::Binary(vec![0; 10]),
        Value::from("short"),
        texts(&["a", "b"]),
        Value::Stored(kind::FILETIME, vec![0; 8]),
        Value::Stored(kind::UINT32, vec![7; 2]),
    ];
    let count = before.len();
    let log = log(before.map(|value| {
        let rest = values(1000, "Application Error", "Application", "PC-01");
        Record::instance(root.clone(), [vec![value.into()], rest].concat())
    }));
    let known = wanted(&log).known;
    // The last one has a number of the wrong size.
    assert!(known.len() >= count - 1, "{:?}", ids(&known));
    assert!(known.iter().take(count - 1).all(|record| record.channel.as_deref() == Some("Application")));
}

#[test]
fn the_texts_of_provider_channel_and_computer_may_have_any_length() {
    let log = log((0..20_usize).map(|number| {
        let (channel, computer) = ("C".repeat(number % 3), "P".repeat(number % 4));
        let provider = if number % 2 == 0 { "Application Error" } else { "nvlddmkm" };
        Record::instance(valued(), values(1000, provider, &channel, &computer))
    }));
    assert_eq!(wanted(&log).known.len(), 20);
}

#[test]
fn values_that_are_lists_are_fields_one_by_one_or_joined() {
    let list = |kind: u8, bytes: &[u8]| Argument::from(Value::Stored(kind::ARRAY | kind, bytes.to_vec()));
    let behind = vec![event_data(vec![
        data("Texts", Node::optional(0, kind::ARRAY | kind::STRING)),
        data("Numbers", Node::optional(1, kind::ARRAY | kind::UINT32)),
        data("Empty", Node::optional(2, kind::ARRAY | kind::UINT16)),
    ])];
    let root = event(written_system("Application Error", 1000, "A", "B"), behind);
    let arguments = vec![
        Argument::from(texts(&["first", "", "third"])),
        list(kind::UINT32, &[1, 0, 0, 0, 2, 0, 0, 0]),
        list(kind::UINT16, &[]),
    ];
    let positional = event(
        written_system("Application Error", 1000, "A", "B"),
        vec![event_data(vec![Node::optional_element("Data", 0, kind::ARRAY | kind::STRING)])],
    );
    let log = log([
        Record::instance(root, arguments),
        Record::instance(positional, vec![texts(&["first", "", "third"]).into()]),
    ]);
    let known = wanted(&log).known;
    assert_eq!(known[0].fields, fields(&[("Texts", "first; ; third"), ("Numbers", "1; 2"), ("Empty", "")]));
    let positions: Vec<_> = known[1].fields.iter().map(|(name, value)| (name.as_deref(), value.as_str())).collect();
    assert_eq!(positions, [(None, "first"), (None, ""), (None, "third")]);
}

#[test]
fn binary_xml_within_binary_xml_is_part_of_the_tree() {
    let leaf = Content::Tokens(element("Leaf", Node::text("green")));
    let branch = Node::element(
        "Branch",
        vec![("a", Node::text("b"))],
        vec![Node::hole(0, kind::XML), element("Bark", Node::text("brown"))],
    );
    let root = Node::element("Tree", vec![], vec![Node::hole(0, kind::XML)]);
    let tree = Content::instance(root, vec![Argument::Xml(Content::instance(branch, vec![Argument::Xml(leaf)]))]);
    let user_data = Node::element("UserData", vec![], vec![Node::optional(0, kind::XML)]).depending_on(0);
    let event = event(written_system("Application Error", 1000, "A", "B"), vec![user_data]);
    let log = log([
        Record::instance(event.clone(), vec![Argument::Xml(tree)]),
        Record::instance(event, vec![Value::Null.into()]),
    ]);
    let known = wanted(&log).known;
    assert_eq!(known[0].fields, fields(&[("Branch.Leaf", "green"), ("Branch.Bark", "brown")]));
    assert_eq!(known[1].fields, []);
}

#[test]
fn binary_xml_nested_without_end_costs_its_record_alone() {
    let mut xml = Content::Tokens(element("Leaf", Node::text("green")));
    for _ in 0..100 {
        xml = Content::instance(Node::element("E", vec![], vec![Node::hole(0, kind::XML)]), vec![Argument::Xml(xml)]);
    }
    let user_data = Node::element("UserData", vec![], vec![Node::optional(0, kind::XML)]);
    let deep = event(written_system("Application Error", 1000, "A", "B"), vec![user_data]);
    let log = log([
        Record::instance(deep, vec![Argument::Xml(xml)]),
        Record::instance(valued(), values(1000, "Application Error", "A", "B")),
    ]);
    let wanted = wanted(&log);
    assert!(ids(&wanted.known).contains(&102), "{wanted:?}");
    assert!(wanted.known.len() == 2 || !wanted.losses.is_empty(), "{wanted:?}");
}

#[test]
fn a_chunk_may_have_more_templates_than_the_table_holds() {
    // Small records, each with its own template offset, at which no template is defined.
    let small = event(vec![], vec![]);
    let mut records = vec![Record::instance(valued(), values(1000, "Application Error", "A", "first"))];
    records.extend((0..800).map(|_| Record::instance(small.clone(), vec![])));
    records.push(Record::instance(valued(), values(1000, "Application Error", "A", "last")));
    records.push(Record::instance(event(written_system("Application Error", 1000, "A", "new"), vec![]), vec![]));
    let mut log = log(records);
    assert_eq!(log.len(), chunk_range(0).end, "one chunk");
    let chunk = &mut log[chunk_range(0)];
    let offsets = record_offsets(chunk);
    // The first of the small records contains its own definition.
    for (number, offset) in offsets[2..801].iter().enumerate() {
        put(chunk, offset + 24 + 10, &(40_000 + number as u32).to_le_bytes());
    }
    seal_chunk(chunk);
    let wanted = wanted(&log);
    let computers: Vec<_> = wanted.known.iter().filter_map(|record| record.computer.as_deref()).collect();
    assert_eq!(computers, ["first", "last", "new"]);
}

#[test]
fn a_record_may_be_larger_than_its_content() {
    let mut log = ten_records();
    let chunk = &mut log[chunk_range(0)];
    let last = *record_offsets(chunk).last().expect("records");
    let size = u32_at(chunk, last + 4) + 64;
    put(chunk, last + 4, &size.to_le_bytes());
    let end = last + size as usize;
    put(chunk, end - 4, &size.to_le_bytes());
    put(chunk, chunk_header::FREE_SPACE, &(end as u32).to_le_bytes());
    seal_chunk(chunk);
    let wanted = wanted(&log);
    assert_eq!((wanted.known.len(), wanted.records, wanted.losses.len()), (5, 10, 0), "{:?}", wanted.losses);
}

#[test]
fn a_record_smaller_than_its_content_costs_itself_alone() {
    let mut log = EventLog::new("Application", "PC-01").starting_at(101);
    log.add(chatter(1)).add(crash("first.exe")).add(crash("last.exe"));
    let mut log = log.to_bytes();
    let chunk = &mut log[chunk_range(0)];
    let last = record_offsets(chunk)[2];
    // Cut within the values.
    put(chunk, last + 4, &120_u32.to_le_bytes());
    put(chunk, last + 116, &120_u32.to_le_bytes());
    put(chunk, chunk_header::FREE_SPACE, &(last as u32 + 120).to_le_bytes());
    seal_chunk(chunk);
    let wanted = wanted(&log);
    assert!(ids(&wanted.known).starts_with(&[102]), "{wanted:?}");
    assert!(wanted.known.len() == 2 || wanted.losses.len() == 1, "{wanted:?}");
}

#[test]
fn zeros_among_the_records_cost_those_that_stood_there() {
    let mut log = ten_records();
    let chunk = &mut log[chunk_range(0)];
    let offsets = record_offsets(chunk);
    chunk[offsets[4]..offsets[6]].fill(0);
    seal_chunk(chunk);
    let wanted = wanted(&log);
    assert_eq!(ids(&wanted.known), [101, 103, 107, 109]);
    assert_eq!(wanted.losses.len(), 2, "a damaged place and fewer records than were counted: {:?}", wanted.losses);
}

#[test]
fn zeros_in_front_of_the_free_space_end_the_records() {
    let mut log = ten_records();
    let chunk = &mut log[chunk_range(0)];
    let free = u32_at(chunk, chunk_header::FREE_SPACE) + 4096;
    put(chunk, chunk_header::FREE_SPACE, &free.to_le_bytes());
    put(chunk, chunk_header::LAST_ID, &999_u64.to_le_bytes());
    seal_chunk(chunk);
    assert_eq!(ids(&wanted(&log).known), [101, 103, 105, 107, 109]);
}

#[test]
fn a_free_space_that_begins_beyond_the_chunk_hides_no_record() {
    for free in [65_536_u32, 65_537, 70_000, u32::MAX] {
        let mut log = ten_records();
        let chunk = &mut log[chunk_range(0)];
        put(chunk, chunk_header::FREE_SPACE, &free.to_le_bytes());
        seal_chunk(chunk);
        assert_eq!(ids(&wanted(&log).known), [101, 103, 105, 107, 109], "{free}");
    }
}

#[test]
fn a_last_record_id_that_no_record_has_hides_none() {
    for last in [0_u64, 100, 111, u64::MAX] {
        let mut log = ten_records();
        let chunk = &mut log[chunk_range(0)];
        put(chunk, chunk_header::LAST_ID, &last.to_le_bytes());
        seal_chunk(chunk);
        assert_eq!(ids(&wanted(&log).known), [101, 103, 105, 107, 109], "{last}");
    }
}

#[test]
fn a_last_record_id_of_a_record_in_the_middle_ends_there_unless_the_header_is_damaged() {
    let mut log = ten_records();
    let chunk = &mut log[chunk_range(0)];
    put(chunk, chunk_header::LAST_ID, &104_u64.to_le_bytes());
    let unsealed = wanted(&log);
    assert_eq!((ids(&unsealed.known), ids(&unsealed.recovered)), (vec![101, 103], vec![105, 107, 109]));
    seal_chunk(&mut log[chunk_range(0)]);
    let sealed = wanted(&log);
    assert_eq!((ids(&sealed.known), sealed.recovered.len()), (vec![101, 103], 0));
    assert!(!sealed.losses.is_empty(), "the header counts more records");
}

#[test]
fn a_broken_chunk_costs_no_other() {
    let log = three_chunks();
    let count = |log: &[u8]| {
        let wanted = wanted(log);
        (wanted.known.len() + wanted.recovered.len(), !wanted.losses.is_empty())
    };
    assert_eq!(count(&log), (45, false));
    let second = record_offsets(&log[chunk_range(1)]).len();
    let mut random = log.clone();
    random[chunk_range(1)].iter_mut().enumerate().for_each(|(place, byte)| *byte = (place * 7 % 251) as u8);
    assert_eq!(count(&random), (45 - second, true));
    let mut nameless = log.clone();
    nameless[chunk_range(1)][..8].fill(0xFF);
    assert_eq!(count(&nameless), (45, true), "its records are read all the same");
    let mut headless = log.clone();
    headless[chunk_range(1)][..512].fill(0xFF);
    assert_eq!(count(&headless), (45, true), "its records are read all the same");
    let mut empty = log;
    empty[chunk_range(1)].fill(0);
    assert_eq!(count(&empty).0, 45 - second);
}

#[test]
fn a_file_that_ends_in_a_record_has_all_records_before() {
    let log = ten_records();
    let offsets: Vec<usize> =
        record_offsets(&log[chunk_range(0)]).iter().map(|offset| chunk_range(0).start + offset).collect();
    for cut in [1, 4, 8, 23, 24, 60, 200] {
        let wanted = wanted(&log[..offsets[6] + cut]);
        assert_eq!(ids(&wanted.known), [101, 103, 105], "{cut}");
        assert!(!wanted.losses.is_empty());
    }
}

#[test]
fn a_header_that_counts_other_chunks_than_there_are_costs_none() {
    for counted in [0_u16, 1, 2, 4, u16::MAX] {
        let mut log = three_chunks();
        put(&mut log, file_header::CHUNKS, &counted.to_le_bytes());
        put(&mut log, file_header::NEXT_RECORD, &1_u64.to_le_bytes());
        seal_file(&mut log);
        let wanted = wanted(&log);
        assert_eq!(wanted.known.len(), 45, "{counted}");
        assert_eq!(wanted.losses.is_empty(), counted <= 3, "{counted}: {:?}", wanted.losses);
    }
}

#[test]
fn records_that_were_not_flushed_are_read_with_templates_of_both_parts() {
    let log = unflushed();
    let everything = everything(&log);
    assert_eq!((everything.known.len(), everything.recovered.len()), (10, 30));
    assert_eq!(everything.recovered[0].id, 60);
    assert!(everything.recovered.iter().any(|record| record.fields == fields(&[("AppName", "late15.exe")])));
}

#[test]
fn records_left_over_in_a_closed_log_stay_out() {
    let mut log = ten_records();
    forget_records(&mut log[chunk_range(0)], 4);
    put(&mut log, file_header::NEXT_RECORD, &105_u64.to_le_bytes());
    seal_file(&mut log);
    let closed = everything(&log);
    assert_eq!((ids(&closed.known), closed.recovered.len()), (vec![101, 102, 103, 104], 0));
    assert!(closed.losses.is_empty(), "{:?}", closed.losses);
    // In an open log they count if they continue the numbers of the others.
    make_dirty(&mut log);
    assert_eq!(ids(&everything(&log).recovered), [105, 106, 107, 108, 109, 110]);
    let chunk = &mut log[chunk_range(0)];
    let fifth = record_offsets(&ten_records()[chunk_range(0)])[4];
    let id = u64_at(chunk, fifth + 8);
    put(chunk, fifth + 8, &(id - 50).to_le_bytes());
    assert_eq!(everything(&log).recovered.len(), 0);
}

#[test]
fn a_chunk_that_carries_no_checksums_is_not_called_damaged() {
    const NO_CHECKSUMS: u32 = 4;
    let mut log = ten_records();
    let chunk = &mut log[chunk_range(0)];
    put(chunk, chunk_header::FLAGS, &NO_CHECKSUMS.to_le_bytes());
    put(chunk, chunk_header::RECORDS_CHECKSUM, &[0; 4]);
    put(chunk, chunk_header::HEADER_CHECKSUM, &[0; 4]);
    let wanted = wanted(&log);
    assert_eq!((wanted.known.len(), wanted.losses.len()), (5, 0), "{:?}", wanted.losses);
    put(&mut log[chunk_range(0)], chunk_header::FLAGS, &[0; 4]);
    assert_eq!(self::wanted(&log).losses.len(), 2);
}

#[test]
fn a_record_whose_header_has_no_time_of_any_calendar_is_damage() {
    let mut log = ten_records();
    let chunk = &mut log[chunk_range(0)];
    let third = record_offsets(chunk)[2];
    put(chunk, third + 16, &u64::MAX.to_le_bytes());
    seal_chunk(chunk);
    let wanted = wanted(&log);
    assert_eq!(ids(&wanted.known), [101, 105, 107, 109]);
    assert!(!wanted.losses.is_empty());
}

#[test]
fn without_a_time_in_the_system_that_a_calendar_has_the_headers_counts() {
    let root = |time: Node| {
        let system = written_system("Application Error", 1000, "A", "B");
        let system =
            system.into_iter().filter(|node| !matches!(node, Node::Element { name, .. } if name == "TimeCreated"));
        event(system.chain([created(time)]).collect(), vec![])
    };
    let of = |filetime: u64| {
        Record::instance(root(Node::optional(0, kind::FILETIME)), vec![Value::Time(FileTime(filetime)).into()])
    };
    // The last two: the year 30828, and what has no year.
    let log = log([of(time().0), of(0), of(10_000_000), of(i64::MAX as u64), of(u64::MAX)]);
    let times: Vec<_> = wanted(&log).known.iter().map(|record| record.time.map(|time| time.to_string())).collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(times[..3], [text("2024-05-06T07:08:09Z"), None, text("1601-01-01T00:00:01Z")]);
    // The header's.
    assert_eq!(times[3..], [text("2024-05-06T07:08:09Z"), text("2024-05-06T07:08:09Z")]);
    let none = Record::instance(root(Node::optional(0, kind::FILETIME)), vec![Value::Null.into()]);
    let written = Record::plain(root(Node::text("2024-05-06T07:08:10.5Z")));
    let odd = Record::plain(root(Node::text("yesterday")));
    let literal = Record::plain(root(Node::Literal(Value::Time(time().plus_seconds(9)))));
    let known = wanted(&self::log([none, written, odd, literal])).known;
    let times: Vec<_> =
        known.iter().map(|record| record.time.map(|time| time.to_string()).unwrap_or_default()).collect();
    assert_eq!(
        times,
        ["2024-05-06T07:08:09Z", "2024-05-06T07:08:10.5Z", "2024-05-06T07:08:09Z", "2024-05-06T07:08:18Z"]
    );
}

#[test]
fn a_forwarded_log_covers_each_of_three_hundred_computers() {
    let mut log = EventLog::new("ForwardedEvents", "COLLECTOR");
    for number in 0..900_u32 {
        let (computer, at) = (format!("PC-{:03}", number % 300), time().plus_seconds(u64::from(number)));
        match number % 3 {
            0 => log.add(
                Event::new(Provider::manifest("Application Error", GUID), 1000)
                    .computer(&computer)
                    .at(at)
                    .named([("AppName", "a")]),
            ),
            1 => log.add_record(
                Record::plain(event(written_system("Application Error", 1000, "ForwardedEvents", &computer), vec![]))
                    .at(at),
            ),
            _ => {
                log.add_record(Record::instance(valued(), values(1000, "Chatter", "ForwardedEvents", &computer)).at(at))
            }
        };
    }
    let wanted = wanted(&log.to_bytes());
    assert_eq!(wanted.known.len(), 600);
    assert_eq!(wanted.coverage.len(), 300);
    for (number, covered) in wanted.coverage.iter().enumerate() {
        assert_eq!(&*covered.computer, format!("PC-{number:03}"));
        assert_eq!(covered.last.as_second() - covered.first.as_second(), 600, "{covered:?}");
        assert_eq!(&*covered.channel, "ForwardedEvents");
    }
}

#[test]
fn records_of_one_chunk_do_not_speak_for_the_next() {
    // Both chunks have their definitions at the same places, but the providers differ.
    let chunk_of = |name: &str| {
        let mut log = EventLog::new("Application", "PC-01");
        for _ in 0..4 {
            log.add(Event::new(Provider::classic(name), 1000).at(time()).strings(["x"]));
        }
        log.to_bytes()
    };
    let (wanted_one, other) = (chunk_of("Application Error"), chunk_of("Somebody Else Now"));
    for order in [[&wanted_one, &other], [&other, &wanted_one]] {
        let mut log = order[0].clone();
        log.extend_from_slice(&order[1][chunk_range(0)]);
        assert_eq!(wanted(&log).known.len(), 4);
    }
}

#[test]
fn a_chunk_does_not_give_a_thousand_times_its_size_of_text() {
    // Small records, each of which uses the same text many times in its template.
    let text = Node::element("E", vec![], vec![Node::text(&"x".repeat(2000))]);
    let places = (0..200).map(|_| Node::hole(0, kind::XML)).collect();
    let data = Node::element("UserData", vec![], vec![Node::element("All", vec![], places)]);
    let long = event(written_system("Application Error", 1000, "A", "B"), vec![data]);
    let records =
        (0..500).map(|_| Record::instance(long.clone(), vec![Argument::Xml(Content::instance(text.clone(), vec![]))]));
    let log = log(records);
    assert_eq!(log.len(), chunk_range(0).end, "one chunk");
    let scanned = Bench::new().scan(&log, &Selection::wanted(windows_events::catalogue::wanted()));
    let length = |record: &RecordValues| record.fields.iter().map(|(_, value)| value.len()).sum::<usize>();
    assert_eq!(scanned.known.first().map(length), Some(400_000), "{:?}", scanned.losses);
    let all: usize = scanned.known.iter().map(length).sum();
    assert!(all < 5 << 20, "{all} bytes of text");
    assert!(!scanned.losses.is_empty() && scanned.known.len() < 500);
}
