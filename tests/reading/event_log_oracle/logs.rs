//! The logs of these tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use samplekit::event_log::patch::{
    chunk_header, chunk_range, file_header, make_dirty, put, seal_chunk, seal_file, u32_at, u64_at,
};
use samplekit::event_log::{Argument, Content, Element, Event, EventLog, Node, Provider, Record, Sid, Value};
use samplekit::events::process_exit;
use samplekit::{FileTime, Guid};

/// Numbers of types of values (MS-EVEN6, section 2.2.12).
pub(crate) mod kind {
    pub(crate) const STRING: u8 = 0x01;
    pub(crate) const UINT16: u8 = 0x06;
    pub(crate) const UINT32: u8 = 0x08;
    pub(crate) const FILETIME: u8 = 0x11;
    pub(crate) const SID: u8 = 0x13;
    pub(crate) const XML: u8 = 0x21;
    pub(crate) const ARRAY: u8 = 0x80;
}

pub(crate) const GUID: Guid = Guid::new(0x331c_3b3a, 0x2005, 0x44c2, 0xac5e, 0x7722_0c37_d6b4);

pub(crate) fn time() -> FileTime {
    FileTime::utc(2024, 5, 6, 7, 8, 9)
}

/// Where each record of a chunk that was not damaged begins.
pub(crate) fn record_offsets(chunk: &[u8]) -> Vec<usize> {
    let free = (u32_at(chunk, chunk_header::FREE_SPACE) as usize).min(chunk.len());
    let mut offsets = Vec::new();
    let mut next = chunk_header::END;
    while next + 28 <= free && chunk[next..].starts_with(b"**\0\0") {
        offsets.push(next);
        next += (u32_at(chunk, next + 4) as usize).max(28);
    }
    offsets
}

/// The event with this `System` and these elements behind it.
pub(crate) fn event(system: Vec<Node>, behind: Vec<Node>) -> Node {
    let namespace = Node::text("http://schemas.microsoft.com/win/2004/08/events/event");
    let mut children = vec![Node::element("System", vec![], system)];
    children.extend(behind);
    Node::element("Event", vec![("xmlns", namespace)], children)
}

pub(crate) fn provider(name: Node) -> Node {
    Node::element("Provider", vec![("Name", name)], vec![])
}

pub(crate) fn element(name: &str, child: Node) -> Node {
    Node::element(name, vec![], vec![child])
}

pub(crate) fn created(time: Node) -> Node {
    Node::element("TimeCreated", vec![("SystemTime", time)], vec![])
}

pub(crate) fn data(name: &str, value: Node) -> Node {
    Node::element("Data", vec![("Name", Node::text(name))], vec![value])
}

/// A list of texts, stored as one value.
pub(crate) fn texts(list: &[&str]) -> Value {
    Value::Texts(list.iter().map(|text| (*text).to_owned()).collect())
}

/// `System` with everything written out: that of a record without template.
pub(crate) fn written_system(name: &str, id: u16, channel: &str, computer: &str) -> Vec<Node> {
    vec![
        provider(Node::text(name)),
        element("EventID", Node::Literal(Value::U16(id))),
        created(Node::Literal(Value::Time(time()))),
        element("Channel", Node::text(channel)),
        element("Computer", Node::text(computer)),
    ]
}

/// `System` with event id 0, provider 1, channel 2 and computer 3 as values, and what else is asked for before them.
pub(crate) fn valued_system(before: Vec<Node>, first: u16) -> Vec<Node> {
    let hole = |index: u16, kind: u8| Node::optional(first + index, kind);
    let mut system = before;
    system.extend([
        provider(hole(1, kind::STRING)),
        element("EventID", hole(0, kind::UINT16)).depending_on(first),
        Node::optional_element("Channel", first + 2, kind::STRING),
        Node::optional_element("Computer", first + 3, kind::STRING),
    ]);
    system
}

/// A log of these records.
pub(crate) fn log(records: impl IntoIterator<Item = Record>) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01").starting_at(101);
    for record in records {
        log.add_record(record.at(time()));
    }
    log.to_bytes()
}

/// A crash that names `app`.
pub(crate) fn crash(app: &str) -> Event {
    Event::new(Provider::classic("Application Error"), 1000).at(time()).strings([app, "1.0.0.0", "5f3e2d1c"])
}

/// An event that is not wanted.
pub(crate) fn chatter(number: usize) -> Event {
    Event::new(Provider::classic("Chatter"), 1000).at(time()).strings([format!("nothing of interest {number}")])
}

/// A log as the event log service writes it: classic events and events with a manifest, all kinds of values.
fn usual() -> Vec<u8> {
    let mut log = EventLog::new("System", "PC-01").starting_at(4711);
    for number in 0..6_u32 {
        let manifest = |name: &str, id: u16| Event::new(Provider::manifest(name, GUID), id).at(time());
        let user = [Sid::system(), Sid::user(), Sid::new(5, &[80, 1, 2, 3])][number as usize % 3].clone();
        log.add(crash(&format!("app{number}.exe")).binary(vec![1, 2, 3, number as u8]));
        log.add(chatter(number as usize));
        log.add(manifest("Microsoft-Windows-Kernel-Power", 41).user(user).version(8).logged_by(4, 8).named([
            ("BugcheckCode", Value::U32(278 + number)),
            ("Wide", Value::U64(u64::MAX)),
            ("Hex", Value::Hex64(0xFFFF_A001)),
            ("Flag", Value::Bool(number % 2 == 0)),
            ("Text", Value::from("größer 😀")),
            ("Ansi", Value::Ansi("plain".to_owned())),
            ("When", Value::Time(time())),
            ("Nothing", Value::Null),
            ("Bytes", Value::Binary(vec![0xDE, 0xAD])),
            ("Who", Value::Sid(Sid::user())),
            ("List", texts(&["a", "", "c"])),
            ("Guid", Value::Guid(GUID)),
        ]));
        let tree = Element::parent(
            "MemoryExhaustionInfo",
            vec![
                Element::parent("SystemInfo", vec![Element::value("SystemCommitLimit", Value::U64(1 << 34))]),
                Element::parent(
                    "ProcessInfo",
                    vec![Element::value("Name", "python.exe"), Element::value("ID", Value::U32(number))],
                ),
            ],
        );
        log.add(manifest("Microsoft-Windows-Resource-Exhaustion-Detector", 2004).user_data(tree.in_namespace("urn:x")));
        let source = Provider::manifest_with_source("Microsoft-Windows-WER-SystemErrorReporting", GUID, "BugCheck");
        log.add(
            Event::new(source, 1001)
                .qualifiers(0x4000)
                .at(time())
                .named([("param1", "0x00000116"), ("param2", "C:\\x.dmp")]),
        );
        log.add(manifest("Nobody", 7).computer("PC-02").named([("x", "y")]));
    }
    log.to_bytes()
}

/// Records that contain their tokens themselves, between records that use templates.
fn plain() -> Vec<u8> {
    let mut log = EventLog::new("ForwardedEvents", "COLLECTOR").starting_at(9);
    for number in 0..12_usize {
        let behind = vec![Node::element(
            "EventData",
            vec![],
            vec![data("AppName", Node::text(&format!("app{number}.exe"))), data("Code", Node::Literal(Value::U32(5)))],
        )];
        let rendered = Node::element(
            "RenderingInfo",
            vec![("Culture", Node::text("en-US"))],
            vec![element("Message", Node::text("Faulting application name: app.exe"))],
        );
        let name = if number % 3 == 2 { "Chatter" } else { "Application Error" };
        let system = written_system(name, 1000, "Application", &format!("PC-{number:02}"));
        log.add_record(Record::plain(event(system, [behind, vec![rendered]].concat())).at(time()));
        log.add(crash(&format!("own{number}.exe")));
    }
    log.to_bytes()
}

/// Records of a template whose provider, channel and computer are values of changing length, behind a SID.
fn substituted() -> Vec<u8> {
    let security = Node::element("Security", vec![("UserID", Node::optional(0, kind::SID))], vec![]);
    let behind = vec![Node::element("EventData", vec![], vec![data("Name", Node::optional(5, kind::STRING))])];
    let root = event(valued_system(vec![security], 1), behind);
    let providers = ["Application Error", "Windows Error Reporting", "Chatter", "nvlddmkm", "disk"];
    let users = [Some(Sid::system()), None, Some(Sid::user()), Some(Sid::new(5, &[32, 544]))];
    log((0..30_usize).map(|number| {
        let text = |text: String| Argument::from(Value::Text(text));
        Record::instance(
            root.clone(),
            vec![
                users[number % users.len()].clone().map_or(Value::Null, Value::Sid).into(),
                Value::U16([1000, 1001, 1000, 14, 7][number % 5]).into(),
                text(providers[number % 5].to_owned()),
                text("Channel".repeat(1 + number % 2)),
                if number % 7 == 3 { Value::Null.into() } else { text(format!("PC-{}", "x".repeat(number % 4))) },
                text(format!("value {number}")),
            ],
        )
    }))
}

/// Values that are lists, and binary XML within binary XML.
fn nested() -> Vec<u8> {
    let list = |kind: u8, bytes: &[u8]| Argument::from(Value::Stored(kind::ARRAY | kind, bytes.to_vec()));
    log((0..10_u8).map(|number| {
        let system = written_system("Application Error", 1000, "Application", "PC-01");
        let behind = vec![
            Node::element(
                "EventData",
                vec![],
                vec![
                    data("Texts", Node::optional(0, kind::ARRAY | kind::STRING)),
                    data("Numbers", Node::optional(1, kind::ARRAY | kind::UINT32)),
                    data("One", Node::optional(2, kind::ARRAY | kind::UINT16)),
                ],
            ),
            Node::element("UserData", vec![], vec![Node::optional(3, kind::XML)]).depending_on(3),
        ];
        let leaf = Node::element("Leaf", vec![], vec![Node::hole(0, kind::UINT32)]);
        let inner = Node::element("Inner", vec![("a", Node::text("b"))], vec![Node::hole(0, kind::XML), leaf.clone()]);
        let deepest = Content::Tokens(Node::element("Deep", vec![], vec![Node::text("end")]));
        let xml = Content::instance(
            Node::element("Outer", vec![], vec![Node::hole(0, kind::XML), element("Beside", Node::text("x"))]),
            vec![Argument::Xml(Content::instance(inner, vec![Argument::Xml(deepest)]))],
        );
        let arguments = vec![
            Argument::from(texts(&["first", "", "third"][..1 + usize::from(number % 3)])),
            list(kind::UINT32, &[1, 0, 0, 0, number, 0, 0, 0]),
            list(kind::UINT16, &[number, 0]),
            if number % 4 == 3 { Value::Null.into() } else { Argument::Xml(xml) },
        ];
        Record::instance(event(system, behind), arguments)
    }))
}

/// Records that were not flushed, with templates of the flushed part and of their own.
pub(crate) fn unflushed() -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-01").starting_at(50);
    for number in 0..16 {
        log.add(crash(&format!("app{number}.exe"))).add(chatter(number));
        if number > 7 {
            let manifest = Provider::manifest("Application Error", GUID);
            log.add(Event::new(manifest, 1000).at(time()).named([("AppName", format!("late{number}.exe"))]));
        }
    }
    let mut bytes = log.to_bytes();
    forget_records(&mut bytes[chunk_range(0)], 10);
    make_dirty(&mut bytes);
    bytes
}

/// Lets a chunk's header know only the first records.
pub(crate) fn forget_records(chunk: &mut [u8], known: usize) {
    let offsets = record_offsets(chunk);
    let (last, free) = (offsets[known - 1], offsets[known]);
    let id = u64_at(chunk, last + 8);
    put(chunk, chunk_header::LAST_ID, &id.to_le_bytes());
    put(chunk, chunk_header::LAST_NUMBER, &id.to_le_bytes());
    put(chunk, chunk_header::LAST_RECORD, &(last as u32).to_le_bytes());
    put(chunk, chunk_header::FREE_SPACE, &(free as u32).to_le_bytes());
    seal_chunk(chunk);
}

/// Ends of processes, of which the catalogue selects some by their exit codes.
fn exits() -> Vec<u8> {
    let mut log = EventLog::new("Security", "PC-01");
    let codes = [0, 0xC000_0005, 1, 0xC000_013A, 0xC000_0409, 0x4001_0004, 0xFFFF_FFFF, 0xE06D_7363];
    for (number, code) in codes.into_iter().cycle().take(40).enumerate() {
        let process = u32::try_from(number).expect("a small number") * 4 + 1000;
        log.add(process_exit(time(), r"C:\Tools\tool.exe", process, code));
    }
    log.to_bytes()
}

/// Logs that are written here, by name.
pub(crate) fn written() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("usual", usual()),
        ("plain", plain()),
        ("substituted", substituted()),
        ("nested", nested()),
        ("unflushed", unflushed()),
        ("exits", exits()),
    ]
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries =
        walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| entry.expect("a readable folder"));
    let is_log = |path: &Path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("evtx"));
    entries.map(walkdir::DirEntry::into_path).filter(|path| is_log(path) && path.is_file()).collect()
}

/// The logs of the samples.
pub(crate) fn samples() -> Vec<PathBuf> {
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"))
}

/// The folder of the corpus, if there is one.
pub(crate) fn corpus() -> Option<PathBuf> {
    env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from)
}

/// The logs of the corpus.
pub(crate) fn corpus_logs() -> Vec<PathBuf> {
    corpus().map(|folder| below(&folder)).unwrap_or_default()
}

pub(crate) fn content(path: &Path) -> Vec<u8> {
    fs::read(path).expect("a readable log")
}
