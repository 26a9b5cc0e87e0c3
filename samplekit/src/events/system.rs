//! Other events of the System channel.

use crate::bytes::ByteWriter;
use crate::event_log::{Element, Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const APPLICATION_POPUP: Guid = Guid::new(0x47bf_a2b7, 0xbd54, 0x4fac, 0xb70b, 0x2902_1084_ca8f);
const SERVICE_CONTROL_MANAGER: Guid = Guid::new(0x5559_08d1, 0xa6d7, 0x4695, 0x8e1e, 0x2693_1d20_12f4);
const EXHAUSTION_DETECTOR: Guid = Guid::new(0x9988_748e, 0xc2e8, 0x4054, 0x85f6, 0x0c3e_1cad_2470);

/// Application Popup 26: the loader's message box about a DLL that a program needs and that was not found.
#[must_use]
pub fn missing_dll_popup(time: FileTime, program: &str, dll: &str) -> Event {
    let message = format!(
        "The code execution cannot proceed because {dll} was not found. Reinstalling the program may fix this problem. "
    );
    Event::new(Provider::manifest("Application Popup", APPLICATION_POPUP), 26)
        .level(4)
        .at(time)
        .logged_by(732, 9416)
        .user(Sid::system())
        .named([("Caption", format!("{program} - System Error")), ("Message", message)])
}

/// Service Control Manager 7031: a service ended unexpectedly and will be restarted. The display name and the action
/// are in the system's language; the bytes hold the service's own name.
#[must_use]
pub fn service_ended(time: FileTime, display_name: &str, name: &str, action: &str) -> Event {
    /// Upper half of the message's id: an error.
    const QUALIFIERS: u16 = 0xC000;
    let mut binary = ByteWriter::new();
    binary.utf16(name).u16(0);
    let provider =
        Provider::manifest_with_source("Service Control Manager", SERVICE_CONTROL_MANAGER, "Service Control Manager");
    Event::new(provider, 7031)
        .qualifiers(QUALIFIERS)
        .at(time)
        .logged_by(768, 5012)
        .named([("param1", display_name), ("param2", "1"), ("param3", "60000"), ("param4", "1"), ("param5", action)])
        .binary(binary.into_bytes())
}

/// Committed memory, bytes.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Commit limit.
    pub limit: u64,
    /// Commit charge.
    pub charge: u64,
    /// Physical memory.
    pub physical: u64,
    /// The processes with the most committed memory: name, id, start, bytes.
    pub top: Vec<(String, u32, FileTime, u64)>,
}

/// Resource-Exhaustion-Detector 2004: the commit limit was nearly reached.
#[must_use]
pub fn memory_exhausted(time: FileTime, commit: &Commit) -> Event {
    let number = |name: &str, value: u64| Element::value(name, Value::U64(value));
    let in_processes = commit.top.iter().map(|(.., bytes)| bytes).sum::<u64>();
    let system = vec![
        number("SystemCommitLimit", commit.limit),
        number("SystemCommitCharge", commit.charge),
        number("ProcessCommitCharge", in_processes + (2 << 30)),
        number("PagedPoolUsage", 612 << 20),
        number("PhysicalMemorySize", commit.physical),
        number("PhysicalMemoryUsage", commit.physical / 100 * 97),
        number("NonPagedPoolUsage", 498 << 20),
        Element::value("Processes", Value::U32(241)),
    ];
    let processes = commit
        .top
        .iter()
        .zip(1..)
        .map(|((name, id, started, bytes), place)| {
            Element::parent(
                &format!("Process_{place}"),
                vec![
                    Element::value("Name", name.as_str()),
                    Element::value("ID", Value::U32(*id)),
                    Element::value("CreationTime", Value::Time(*started)),
                    number("CommitCharge", *bytes),
                    Element::value("HandleCount", Value::U32(1184)),
                    Element::value("Version", "0.0.0.0"),
                    Element::value("TypeInfo", Value::U32(159)),
                ],
            )
        })
        .collect();
    let root = Element::parent(
        "MemoryExhaustionInfo",
        vec![
            Element::parent("SystemInfo", system),
            pool("PagedPoolInfo", [("CM31", 142 << 20), ("MmSt", 96 << 20), ("Ntff", 61 << 20)]),
            pool("NonPagedPoolInfo", [("EtwB", 44 << 20), ("Thre", 21 << 20), ("File", 17 << 20)]),
            Element::parent("ProcessInfo", processes),
            Element::parent("ExhaustionEventInfo", vec![Element::value("Time", Value::Time(time.plus_seconds(1)))]),
        ],
    )
    .in_namespace("http://www.microsoft.com/Windows/Resource/Exhaustion/Detector/Events");
    Event::new(Provider::manifest("Microsoft-Windows-Resource-Exhaustion-Detector", EXHAUSTION_DETECTOR), 2004)
        .level(3)
        .task(3)
        .at(time)
        .logged_by(3208, 6944)
        .user(Sid::system())
        .user_data(root)
}

fn pool(name: &str, tags: [(&str, u64); 3]) -> Element {
    let tags = tags.into_iter().zip(1..).map(|((tag, used), place)| {
        let parts = vec![Element::value("Name", tag), Element::value("PoolUsed", Value::U64(used))];
        Element::parent(&format!("Tag_{place}"), parts)
    });
    Element::parent(name, tags.collect())
}
