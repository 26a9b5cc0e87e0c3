//! The templates of events: the fixed part of a record, and its numbered placeholders.

use super::event::{Body, Element, Event};
use super::record::{Argument, Content, Instance, Node, Record, Template};
use super::value::{Value, XML_TYPE};

/// The namespace of every event.
const EVENT_NAMESPACE: &str = "http://schemas.microsoft.com/win/2004/08/events/event";

/// Numbers of the values that the event log service substitutes into every record. The classic template has twenty,
/// with the data at 19; the general one eighteen, with provider, channel and data at 14 to 17.
mod hole {
    pub const LEVEL: u16 = 0;
    pub const OPCODE: u16 = 1;
    pub const TASK: u16 = 2;
    pub const EVENT_ID: u16 = 3;
    pub const QUALIFIERS: u16 = 4;
    pub const KEYWORDS: u16 = 5;
    pub const TIME: u16 = 6;
    pub const ACTIVITY: u16 = 7;
    pub const PROCESS: u16 = 8;
    pub const THREAD: u16 = 9;
    pub const RECORD_ID: u16 = 10;
    pub const VERSION: u16 = 11;
    pub const USER: u16 = 12;
    pub const RELATED_ACTIVITY: u16 = 13;
    pub const PROVIDER_NAME: u16 = 14;
    pub const PROVIDER_GUID: u16 = 15;
    pub const CHANNEL: u16 = 16;
    pub const DATA: u16 = 17;
    pub const CLASSIC_RELATED_ACTIVITY: u16 = 18;
    pub const CLASSIC_DATA: u16 = 19;
}

/// The record of an event, as the event log service stores it.
pub(super) fn record(record_id: u64, event: &Event) -> Record {
    let classic = event.provider.is_classic();
    let channel = event.channel.as_deref().unwrap_or_default();
    let computer = event.computer.as_deref().unwrap_or_default();

    let mut arguments = vec![
        Value::U8(event.level),
        Value::U8(0),
        Value::U16(event.task),
        Value::U16(event.id),
        if classic { Value::U16(event.qualifiers) } else { Value::Null },
        Value::Hex64(event.keywords),
        Value::Time(event.time),
        Value::Null,
        Value::U32(event.process),
        Value::U32(event.thread),
        Value::U64(record_id),
        Value::U8(event.version),
        event.user.clone().map_or(Value::Null, Value::Sid),
        Value::Null,
    ];
    let (provider, channel_node) = if classic {
        arguments.resize(usize::from(hole::CLASSIC_DATA), Value::Null);
        (written_out_provider(event), Node::element("Channel", vec![], vec![Node::text(channel)]))
    } else {
        arguments.push(Value::from(event.provider.name.as_str()));
        arguments.push(event.provider.guid.map_or(Value::Null, Value::Guid));
        arguments.push(Value::from(channel));
        let name = ("Name", Node::optional(hole::PROVIDER_NAME, 0x01));
        let guid = ("Guid", Node::optional(hole::PROVIDER_GUID, 0x0F));
        let channel = Node::optional_element("Channel", hole::CHANNEL, 0x01);
        (Node::element("Provider", vec![name, guid], vec![]), channel)
    };

    let related = if classic { hole::CLASSIC_RELATED_ACTIVITY } else { hole::RELATED_ACTIVITY };
    let system = system_element(provider, channel_node, computer, related);
    let data_hole = if classic { hole::CLASSIC_DATA } else { hole::DATA };
    let data = Node::optional(data_hole, XML_TYPE);
    let namespace = ("xmlns", Node::text(EVENT_NAMESPACE));
    let root = if matches!(event.body, Body::User(_)) {
        let user_data = Node::element("UserData", vec![], vec![data]).depending_on(data_hole);
        Node::element("Event", vec![namespace], vec![system, user_data])
    } else {
        Node::element("Event", vec![namespace], vec![system, data]).depending_on(data_hole)
    };

    let mut arguments: Vec<Argument> = arguments.into_iter().map(Argument::Value).collect();
    arguments.push(Argument::Xml(Content::Instance(data_instance(&event.body))));
    Record::instance(root, arguments).at(event.time())
}

fn written_out_provider(event: &Event) -> Node {
    let provider = &event.provider;
    let mut attributes = vec![("Name", Node::text(&provider.name))];
    if let Some(guid) = provider.guid {
        attributes.push(("Guid", Node::Text(format!("{{{guid}}}"))));
    }
    if let Some(source) = &provider.event_source {
        attributes.push(("EventSourceName", Node::text(source)));
    }
    Node::element("Provider", attributes, vec![])
}

fn system_element(provider: Node, channel: Node, computer: &str, related_activity: u16) -> Node {
    let qualifiers = ("Qualifiers", Node::optional(hole::QUALIFIERS, 0x06));
    let id = Node::element("EventID", vec![qualifiers], vec![Node::optional(hole::EVENT_ID, 0x06)]);
    let time = ("SystemTime", Node::optional(hole::TIME, 0x11));
    let activity = ("ActivityID", Node::optional(hole::ACTIVITY, 0x0F));
    let related = ("RelatedActivityID", Node::optional(related_activity, 0x0F));
    let process = ("ProcessID", Node::optional(hole::PROCESS, 0x08));
    let thread = ("ThreadID", Node::optional(hole::THREAD, 0x08));
    let user = ("UserID", Node::optional(hole::USER, 0x13));
    let children = vec![
        provider,
        id.depending_on(hole::EVENT_ID),
        Node::optional_element("Version", hole::VERSION, 0x04),
        Node::optional_element("Level", hole::LEVEL, 0x04),
        Node::optional_element("Task", hole::TASK, 0x06),
        Node::optional_element("Opcode", hole::OPCODE, 0x04),
        Node::optional_element("Keywords", hole::KEYWORDS, 0x15),
        Node::element("TimeCreated", vec![time], vec![]),
        Node::optional_element("EventRecordID", hole::RECORD_ID, 0x0A),
        Node::element("Correlation", vec![activity, related], vec![]),
        Node::element("Execution", vec![process, thread], vec![]),
        channel,
        Node::element("Computer", vec![], vec![Node::text(computer)]),
        Node::element("Security", vec![user], vec![]),
    ];
    Node::element("System", vec![], children)
}

/// The data behind `System`, as a template of its own.
fn data_instance(body: &Body) -> Instance {
    let mut values = vec![];
    let root = match body {
        // The service stores the texts as one list, the length of the bytes, and the bytes.
        Body::Positional(texts, binary) => {
            values.push(if texts.is_empty() { Value::Null } else { Value::Texts(texts.clone()) });
            let length = binary.as_ref().map_or(0, |bytes| crate::bytes::count32(bytes.len()));
            values.push(Value::U32(length));
            values.push(binary.clone().map_or(Value::Null, Value::Binary));
            let data = Node::optional_element("Data", 0, 0x81);
            Node::element("EventData", vec![], vec![data, Node::optional_element("Binary", 2, 0x0E)])
        }
        Body::Named(fields, binary) => {
            let mut children = vec![];
            for (name, value) in fields {
                let hole = next_hole(&mut values, value.clone());
                children.push(Node::element("Data", vec![("Name", Node::text(name))], vec![hole]));
            }
            if let Some(bytes) = binary {
                let hole = next_hole(&mut values, Value::Binary(bytes.clone()));
                children.push(Node::element("Binary", vec![], vec![hole]));
            }
            Node::element("EventData", vec![], children)
        }
        Body::User(element) => user_element(element, &mut values),
    };
    Instance { template: Template { root }, arguments: values.into_iter().map(Argument::Value).collect() }
}

fn user_element(element: &Element, values: &mut Vec<Value>) -> Node {
    let attributes = element.namespace.iter().map(|namespace| ("xmlns", Node::text(namespace))).collect();
    let mut children: Vec<Node> = element.children.iter().map(|child| user_element(child, values)).collect();
    if let Some(value) = &element.value {
        children.push(next_hole(values, value.clone()));
    }
    Node::element(&element.name, attributes, children)
}

fn next_hole(values: &mut Vec<Value>, value: Value) -> Node {
    let hole = Node::Hole { index: crate::bytes::count16(values.len()), kind: value.type_code(), optional: false };
    values.push(value);
    hole
}
