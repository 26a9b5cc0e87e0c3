//! The `evtx` crate reads the logs back with all values that were written.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "these are tests")]

use evtx::{EvtxParser, ParserSettings};
use samplekit::event_log::{
    Argument, CHUNK_BYTES, Content, Element, Event, EventLog, FILE_HEADER_BYTES, Node, Provider, Record, Sid, Value,
};
use samplekit::{FileTime, Guid};
use serde_json::{Value as Json, json};

/// All records, with checksums verified, as JSON.
fn read(bytes: Vec<u8>) -> Vec<Json> {
    let mut parser = EvtxParser::from_buffer(bytes)
        .expect("a log")
        .with_configuration(ParserSettings::new().validate_checksums(true).separate_json_attributes(false));
    parser.records_json_value().map(|record| record.expect("a whole record").data["Event"].clone()).collect()
}

fn time() -> FileTime {
    FileTime::utc(2024, 3, 5, 9, 30, 0).plus_micros(123_456)
}

const GUID: Guid = Guid::new(0x331c_3b3a, 0x2005, 0x44c2, 0xac5e, 0x7722_0c37_d6b4);

#[test]
fn a_classic_event_keeps_its_system_fields_and_texts() {
    let mut log = EventLog::new("Application", "PC-01").starting_at(4711);
    log.add(
        Event::new(Provider::classic("Application Error"), 1000)
            .qualifiers(0)
            .task(100)
            .at(time())
            .strings(["python.exe", "", "çığ"])
            .binary(vec![0xDE, 0xAD]),
    );
    let events = read(log.to_bytes());
    let system = &events[0]["System"];
    assert_eq!(system["Provider"]["#attributes"], json!({"Name": "Application Error"}));
    assert_eq!(system["EventID"], json!({"#attributes": {"Qualifiers": 0}, "#text": 1000}));
    assert_eq!(system["EventRecordID"], json!(4711));
    assert_eq!(system["TimeCreated"]["#attributes"]["SystemTime"], json!("2024-03-05T09:30:00.1234560Z"));
    assert_eq!((&system["Level"], &system["Task"]), (&json!(2), &json!(100)));
    assert_eq!(system["Keywords"], json!("0x80000000000000"));
    assert_eq!((&system["Channel"], &system["Computer"]), (&json!("Application"), &json!("PC-01")));
    let data = &events[0]["EventData"];
    assert_eq!(data["Data"]["#text"], json!(["python.exe", "", "çığ"]));
    assert_eq!(data["Binary"], json!("DEAD"));
}

#[test]
fn a_manifest_event_keeps_names_types_and_account() {
    let provider = Provider::manifest("Microsoft-Windows-Kernel-Power", GUID);
    let fields = [
        ("Number", Value::U32(278)),
        ("Wide", Value::U64(u64::MAX)),
        ("Hex", Value::Hex64(0xFFFF_A001)),
        ("Flag", Value::Bool(true)),
        ("Text", Value::from("x")),
        ("When", Value::Time(time())),
        ("Bytes", Value::Binary(vec![1, 2])),
    ];
    let mut log = EventLog::new("System", "PC-02");
    log.add(Event::new(provider, 41).version(8).level(1).logged_by(4, 8).user(Sid::system()).at(time()).named(fields));
    let events = read(log.to_bytes());
    let system = &events[0]["System"];
    let attributes = &system["Provider"]["#attributes"];
    assert_eq!(attributes["Name"], json!("Microsoft-Windows-Kernel-Power"));
    assert_eq!(attributes["Guid"].as_str().map(str::to_lowercase), Some(format!("{{{GUID}}}")));
    assert_eq!((&system["EventID"], &system["Version"]), (&json!(41), &json!(8)));
    assert_eq!(system["Execution"]["#attributes"], json!({"ProcessID": 4, "ThreadID": 8}));
    assert_eq!(system["Security"]["#attributes"], json!({"UserID": "S-1-5-18"}));
    assert_eq!(system["Channel"], json!("System"));
    assert_eq!(
        events[0]["EventData"],
        json!({
            "Number": 278, "Wide": u64::MAX, "Hex": "0xffffa001", "Flag": true, "Text": "x",
            "When": "2024-03-05T09:30:00.1234560Z", "Bytes": "0102"
        })
    );
}

#[test]
fn a_manifest_provider_with_a_classic_source_has_both_names() {
    let mut log = EventLog::new("System", "PC-02");
    log.add(
        Event::new(Provider::manifest_with_source("Microsoft-Windows-X", GUID, "BugCheck"), 1001)
            .qualifiers(0x4000)
            .named([("param1", "one"), ("param2", "two")]),
    );
    let events = read(log.to_bytes());
    let system = &events[0]["System"];
    assert_eq!(system["Provider"]["#attributes"]["EventSourceName"], json!("BugCheck"));
    assert_eq!(system["EventID"], json!({"#attributes": {"Qualifiers": 0x4000}, "#text": 1001}));
    assert_eq!(events[0]["EventData"], json!({"param1": "one", "param2": "two"}));
}

#[test]
fn user_data_keeps_its_tree() {
    let tree = Element::parent(
        "Outer",
        vec![
            Element::parent("Inner", vec![Element::value("Name", "python.exe"), Element::value("ID", Value::U32(7))]),
            Element::value("Bytes", Value::U64(1 << 40)),
        ],
    )
    .in_namespace("urn:x");
    let mut log = EventLog::new("System", "PC-03");
    log.add(Event::new(Provider::manifest("P", GUID), 2004).user_data(tree));
    let events = read(log.to_bytes());
    let outer = &events[0]["UserData"]["Outer"];
    assert_eq!(outer["Inner"], json!({"Name": "python.exe", "ID": 7}));
    assert_eq!(outer["Bytes"], json!(1_u64 << 40));
    assert!(events[0].get("EventData").is_none());
}

#[test]
fn records_of_any_shape_keep_their_elements_and_values() {
    let root = |inner: Node| Node::element("Event", vec![("a", Node::text("b"))], vec![inner]);
    let list = Value::Stored(0x88, vec![1, 0, 0, 0, 2, 0, 0, 0]);
    let inner = Content::Tokens(Node::element("Inner", vec![], vec![Node::text("x")]));
    let mut log = EventLog::new("Application", "PC-01");
    log.add_record(Record::plain(root(Node::element("Number", vec![], vec![Node::Literal(Value::U32(7))]))));
    log.add_record(Record::instance(root(Node::optional_element("List", 0, 0x88)), vec![list.into()]));
    log.add_record(Record::instance(root(Node::optional_element("List", 0, 0x88)), vec![Value::Null.into()]));
    log.add_record(Record::instance(root(Node::hole(0, 0x21)), vec![Argument::Xml(inner)]));
    let attributes = json!({"a": "b"});
    let events = read(log.to_bytes());
    assert_eq!(events[0], json!({"#attributes": attributes, "Number": 7}));
    assert_eq!(events[1], json!({"#attributes": attributes, "List": 1, "List_1": 2}));
    assert_eq!(events[2], json!({"#attributes": attributes}));
    assert_eq!(events[3], json!({"#attributes": attributes, "Inner": "x"}));
}

#[test]
fn a_channel_or_computer_of_its_own_wins() {
    let mut log = EventLog::new("Application", "PC-01");
    for provider in [Provider::classic("A"), Provider::manifest("A", GUID)] {
        log.add(Event::new(provider, 1).channel("System").computer("PC-09").strings(["x"]));
    }
    for event in read(log.to_bytes()) {
        let system = &event["System"];
        assert_eq!((&system["Channel"], &system["Computer"]), (&json!("System"), &json!("PC-09")));
    }
}

#[test]
fn many_events_fill_several_chunks_in_order() {
    let mut log = EventLog::new("Application", "PC-01").starting_at(100);
    for number in 0..700_u64 {
        let provider = Provider::classic(["A", "B", "C"][(number % 3) as usize]);
        let event = Event::new(provider, 1).at(time().plus_seconds(number));
        log.add(if number % 7 == 0 {
            event.named([("n", number.to_string())])
        } else {
            event.strings([number.to_string(), "x".repeat((number % 50) as usize)])
        });
    }
    let bytes = log.to_bytes();
    let chunks = (bytes.len() - FILE_HEADER_BYTES) / CHUNK_BYTES;
    assert!(chunks > 2, "{chunks}");
    assert_eq!(bytes.len(), FILE_HEADER_BYTES + chunks * CHUNK_BYTES);
    let events = read(bytes);
    assert_eq!(events.len(), 700);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["System"]["EventRecordID"], json!(100 + number));
        let data = &event["EventData"];
        let text = data.get("n").or_else(|| data["Data"]["#text"].get(0)).and_then(Json::as_str);
        assert_eq!(text, Some(number.to_string().as_str()));
    }
}

#[test]
fn equal_logs_have_equal_bytes() {
    let log = || {
        let mut log = EventLog::new("Application", "PC-01");
        log.add(Event::new(Provider::classic("A"), 1).at(time()).strings(["x"]));
        log.add(Event::new(Provider::manifest("B", GUID), 2).at(time()).named([("n", "y")]));
        log.to_bytes()
    };
    assert_eq!(log(), log());
}

#[test]
fn an_empty_log_is_a_log() {
    assert_eq!(read(EventLog::new("System", "PC-01").to_bytes()).len(), 0);
}
