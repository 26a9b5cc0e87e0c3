//! Events in a text as XML: the form that Event Viewer shows under "Details" and `wevtutil qe` prints, and that people paste.
//!
//! Any text may be around an event, and an event that was cut is read as far as it goes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event as Markup};

use evtx_scan::{Head, Node, Record, RecordFields, head_parts};

use super::RecordMatcher;
use super::meaning::content;
use evidence::{Evidence, Names};

/// The deepest nesting of elements that is read: somewhat more than events have.
const MOST_LEVELS: usize = 24;
/// The most elements of an event that are read: somewhat more than events have.
const MOST_ELEMENTS: usize = 4096;
/// The most events that are read in one text: more come from a log, which can be given itself.
pub const MOST_EVENTS: usize = 1000;

/// An event in a text.
#[derive(Debug)]
pub struct PastedEvent {
    /// The event's part of the text, bytes.
    pub range: Range<usize>,
    /// The event as evidence; `None` for an event that the catalogue does not have.
    pub evidence: Option<Evidence>,
    /// The evidence that the matcher found.
    pub matches: Vec<Evidence>,
    /// Whether the event's end is missing.
    pub cut: bool,
}

/// The events in `text`, with what `matcher` finds in them.
pub fn pasted_events(text: &str, names: &Names, matcher: Option<&dyn RecordMatcher>) -> Vec<PastedEvent> {
    let mut events = Vec::new();
    let mut from = 0;
    while let Some(start) = next_event(text, from) {
        if events.len() == MOST_EVENTS {
            break;
        }
        // An event that is not closed ends where the next begins.
        let limit = next_event(text, start.saturating_add(1)).unwrap_or(text.len());
        let part = text.get(start..limit).unwrap_or_default();
        let (element, length) = if part.starts_with('<') {
            let element = read_element(part);
            let length = element.length;
            (element, length)
        } else {
            let length = part.find(ESCAPED_END).map_or(part.len(), |at| at.saturating_add(ESCAPED_END.len()));
            (read_element(&unescaped(part.get(..length).unwrap_or_default())), length)
        };
        let end = start.saturating_add(length).min(limit);
        let (evidence, matches) =
            element.node.as_ref().and_then(|node| evidence(node, names, matcher)).unwrap_or_default();
        events.push(PastedEvent { range: start..end, evidence, matches, cut: element.cut });
        from = end.max(start.saturating_add(1));
    }
    events
}

/// The end of an event that a web page or a mail program has escaped.
const ESCAPED_END: &str = "&lt;/Event&gt;";

/// The number of events that begin in `text`, with those beyond [`MOST_EVENTS`].
pub fn count_of_events(text: &str) -> usize {
    std::iter::successors(next_event(text, 0), |start| next_event(text, start.saturating_add(1))).count()
}

/// Where the next `<Event>` or `&lt;Event&gt;` at or behind `from` begins.
fn next_event(text: &str, from: usize) -> Option<usize> {
    const TAG: &str = "Event";
    let rest = text.get(from..)?;
    let begins = |at: usize| {
        let before = rest.get(..at).unwrap_or_default();
        let mark = ["<", "&lt;"].into_iter().find(|mark| before.ends_with(mark))?;
        let behind = at.checked_add(TAG.len()).and_then(|end| rest.get(end..)).unwrap_or_default();
        let ends = behind.starts_with(|character: char| character == '>' || character.is_whitespace())
            || behind.starts_with("&gt;");
        at.checked_sub(mark.len()).filter(|_| ends)
    };
    rest.match_indices(TAG).find_map(|(at, _)| begins(at)).and_then(|at| from.checked_add(at))
}

/// The text with HTML's entities replaced by their characters.
fn unescaped(text: &str) -> String {
    const ENTITIES: [(&str, &str); 6] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// An element as far as it could be read.
struct Element {
    node: Option<Node<'static>>,
    /// The length of the element in the text, bytes.
    length: usize,
    cut: bool,
}

/// An element whose end was not read yet.
#[derive(Default)]
struct Open {
    name: String,
    attributes: Vec<(Cow<'static, str>, Node<'static>)>,
    children: Vec<(Cow<'static, str>, Node<'static>)>,
    text: String,
}

/// Reads the element that `text` begins with.
fn read_element(text: &str) -> Element {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut open: Vec<Open> = Vec::new();
    let mut elements = 0_usize;
    loop {
        let markup = reader.read_event();
        let length = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let ended = match markup {
            Ok(Markup::Start(tag)) if open.len() < MOST_LEVELS && elements < MOST_ELEMENTS => {
                elements = elements.saturating_add(1);
                open.push(Open::new(&tag));
                continue;
            }
            Ok(Markup::Empty(tag)) if elements < MOST_ELEMENTS => {
                elements = elements.saturating_add(1);
                Open::new(&tag)
            }
            Ok(Markup::End(_)) => match open.pop() {
                Some(element) => element,
                None => return Element { node: None, length, cut: true },
            },
            Ok(Markup::Start(_) | Markup::Empty(_) | Markup::Eof) | Err(_) => {
                return Element { node: closed(open), length: text.len(), cut: true };
            }
            Ok(content) => {
                add_content(&mut open, content);
                continue;
            }
        };
        match open.last_mut() {
            Some(parent) => parent.add(ended),
            None => return Element { node: Some(ended.into_node()), length, cut: false },
        }
    }
}

/// Adds text to the innermost element; everything else between elements is left out.
fn add_content(open: &mut [Open], content: Markup<'_>) {
    let Some(Open { text, .. }) = open.last_mut() else { return };
    match content {
        Markup::Text(content) => text.push_str(&content.xml10_content()),
        Markup::CData(content) => text.push_str(&content.xml10_content()),
        Markup::GeneralRef(reference) => match reference.resolve_char_ref() {
            Ok(Some(character)) => text.push(character),
            _ => text.push_str(resolve_predefined_entity(&reference.xml10_content()).unwrap_or_default()),
        },
        _ => {}
    }
}

/// The outermost of elements whose ends are missing.
fn closed(mut open: Vec<Open>) -> Option<Node<'static>> {
    while let Some(element) = open.pop() {
        match open.last_mut() {
            Some(parent) => parent.add(element),
            None => return Some(element.into_node()),
        }
    }
    None
}

impl Open {
    fn new(tag: &BytesStart<'_>) -> Self {
        let attributes = tag.attributes().flatten().map(|attribute| {
            let name = attribute.key.local_name().into_inner().to_owned();
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            let value = value.map(Cow::into_owned).unwrap_or_default();
            (Cow::Owned(name), Node::Text(Cow::Owned(value)))
        });
        Self { attributes: attributes.collect(), name: tag.local_name().into_inner().to_owned(), ..Self::default() }
    }

    fn add(&mut self, child: Self) {
        // A field of an event: `<Data Name="AppName">tool.exe</Data>`.
        let field = child.attributes.iter().find(|(name, _)| child.name == "Data" && name == "Name");
        if let Some((_, Node::Text(name))) = field {
            let name = name.clone();
            self.children.push((name, Node::Text(Cow::Owned(child.text.trim().to_owned()))));
        } else {
            self.children.push((Cow::Owned(child.name.clone()), child.into_node()));
        }
    }

    /// The element in the form of an event log's JSON.
    fn into_node(self) -> Node<'static> {
        let text = self.text.trim().to_owned();
        let mut members = self.children;
        if self.attributes.is_empty() && members.is_empty() {
            return if text.is_empty() { Node::Null } else { Node::Text(Cow::Owned(text)) };
        }
        if !self.attributes.is_empty() {
            members.insert(0, (Cow::Borrowed("#attributes"), Node::Map(self.attributes)));
        }
        if !text.is_empty() {
            members.push((Cow::Borrowed("#text"), Node::Text(Cow::Owned(text))));
        }
        Node::Map(members)
    }
}

/// The evidence in an event's element, and the evidence that `matcher` finds in it.
fn evidence(
    event: &Node<'_>,
    names: &Names,
    matcher: Option<&dyn RecordMatcher>,
) -> Option<(Option<Evidence>, Vec<Evidence>)> {
    let system = event.get("System")?;
    let Node::Map(members) = event else { return None };
    let elements: Vec<(Cow<'_, str>, Node<'_>)> =
        members.iter().filter(|(name, _)| name != "System" && name != "#text").cloned().collect();
    let text_of = |name: &str| system.get(name).and_then(Node::text);
    let parts = head_parts(system);
    let record = Record {
        id: text_of("EventRecordID").and_then(|id| id.parse().ok()).unwrap_or_default(),
        provider: system.get("Provider")?.attribute("Name")?,
        event_id: text_of("EventID")?.parse().ok()?,
        channel: text_of("Channel"),
        computer: text_of("Computer"),
        time: system.get("TimeCreated").and_then(|time| time.attribute("SystemTime")?.parse().ok()),
        before: None,
        recovered: false,
        head: Head::from_parts(&parts),
        fields: &RecordFields::from_elements(&elements),
    };
    let said = content(&record, names).map(|content| super::with_content(&record.stamp(), Arc::new(content), names));
    let matches = matcher.map(|matcher| super::matches(&record, matcher, names).collect());
    Some((said, matches.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{ApplicationError, EventBody, Observation};

    const SYSTEM: &str = "<System><Provider Name='Application Error'/><EventID Qualifiers='0'>1000</EventID>\
        <TimeCreated SystemTime='2024-05-06T07:08:09.1234567Z'/><EventRecordID>77</EventRecordID>\
        <Channel>Application</Channel><Computer>PC-9</Computer></System>";

    fn crash(data: &str) -> String {
        format!("<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>{SYSTEM}<EventData>{data}")
    }

    fn module_and_code(event: &PastedEvent) -> String {
        let Some(Observation::Event(event)) = event.evidence.as_ref().map(|evidence| &evidence.observation) else {
            return "no event".to_owned();
        };
        let EventBody::ApplicationError(error) = &event.content.body else { return "another".to_owned() };
        let ApplicationError { app, module, code, .. } = &**error;
        let code = code.map(|code| code.to_string()).unwrap_or_default();
        format!("{app} {} {code} {}", module.as_deref().unwrap_or("none"), event.computer.as_deref().unwrap_or("?"))
    }

    #[test]
    fn positions_and_names_give_what_the_log_gives() {
        let positions: String = ["a&amp;b.exe", "1.0", "5f000001", "part.dll", "2.0", "5f000002", "c0000005", "0012"]
            .map(|value| format!("\n - <Data>{value}</Data>"))
            .concat();
        let positional = format!("look:\n{}</EventData>\n</Event> and now?", crash(&positions));
        let events = pasted_events(&positional, &Names::default(), None);
        assert_eq!(events.iter().map(module_and_code).collect::<Vec<_>>(), ["a&b.exe part.dll 0xC0000005 PC-9"]);
        assert!(positional[events[0].range.clone()].ends_with("</Event>") && !events[0].cut);

        let named = crash(
            "<Data Name='AppName'>tool.exe</Data><Data Name='ModuleName'>part.dll</Data>\
             <Data Name='ExceptionCode'>c0000409</Data></EventData></Event>",
        );
        let events = pasted_events(&format!("{named}{named}"), &Names::default(), None);
        assert_eq!(events.iter().map(module_and_code).collect::<Vec<_>>(), ["tool.exe part.dll 0xC0000409 PC-9"; 2]);
    }

    #[test]
    fn an_event_that_was_escaped_is_one() {
        let named = crash(
            "<Data Name='AppName'>a&amp;b.exe</Data><Data Name='ModuleName'>part.dll</Data>\
             <Data Name='ExceptionCode'>c0000409</Data></EventData></Event>",
        );
        let escaped = named.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\'', "&#39;");
        let text = format!("first {escaped} and {escaped} and {named} end");
        let events = pasted_events(&text, &Names::default(), None);
        assert_eq!(events.iter().map(module_and_code).collect::<Vec<_>>(), ["a&b.exe part.dll 0xC0000409 PC-9"; 3]);
        assert_eq!(&text[events[0].range.clone()], escaped);
        assert!(events.iter().all(|event| !event.cut));
        let cut = &escaped[..escaped.len() - 40];
        assert!(pasted_events(cut, &Names::default(), None)[0].cut);
    }

    #[test]
    fn an_event_that_was_cut_gives_what_is_there() {
        let cut = crash("<Data>tool.exe</Data><Data>1.0</Data><Data>5f000001</Data><Data>part.dll</Data><Data>2.");
        let events = pasted_events(&cut, &Names::default(), None);
        assert!(events[0].cut);
        assert_eq!(module_and_code(&events[0]), "tool.exe part.dll  PC-9");
        let before = "<Event><System><Provider Name='Application Error'/>";
        assert_eq!(module_and_code(&pasted_events(before, &Names::default(), None)[0]), "no event");
    }

    #[test]
    fn what_is_no_event_is_left_alone() {
        assert!(pasted_events("<EventData>x</EventData> <Events>", &Names::default(), None).is_empty());
        let other = "<Event><System><Provider Name='Nobody'/><EventID>1</EventID></System></Event>";
        assert!(pasted_events(other, &Names::default(), None)[0].evidence.is_none());
    }

    #[test]
    fn hostile_xml_costs_no_more_than_its_length() {
        for text in [
            "<Event>",
            "<Event ",
            "<Event><System>",
            "<Event><a b=",
            "<Event>&#x",
            "<Event></a></b>",
            "<Event><![CDATA[",
            "&lt;Event&gt;",
            "&lt;Event &amp;",
        ] {
            pasted_events(&text.repeat(3000), &Names::default(), None);
        }
        pasted_events(&format!("<Event>{}", "<a>".repeat(100_000)), &Names::default(), None);
        pasted_events(&format!("<Event>{}", "<a/>".repeat(100_000)), &Names::default(), None);
    }
}
