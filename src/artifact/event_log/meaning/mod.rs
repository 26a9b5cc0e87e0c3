//! From a record's fields to what it says. One function for each [`Meaning`], grouped by what the events are about.

mod application;
mod dotnet;
mod graphics;
mod hardware;
mod machine;
mod policy;
mod startup;
mod storage;

use super::catalogue::Meaning;
use super::fields::Fields;
use crate::evidence::EventBody;

/// What a record with `fields` says, logged by `provider` under `id`.
///
/// `None` for a record that reports that all is well. A record without the fields that its kind must have says no
/// more than its text.
pub(super) fn read(meaning: Meaning, provider: &str, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let body = match meaning {
        Meaning::ApplicationError => application::application_error(fields),
        Meaning::InPageError => Some(application::in_page_error(fields)),
        Meaning::Wer => application::wer(fields),
        Meaning::Hang => application::hang(fields),
        Meaning::DotNet => dotnet::dotnet(id, fields),
        Meaning::SideBySide => Some(startup::side_by_side(fields)),
        Meaning::Popup => startup::popup(fields),
        Meaning::BugCheck => machine::bugcheck(fields),
        Meaning::UncleanRestart => Some(machine::unclean_restart(fields)),
        Meaning::UncleanShutdown => Some(machine::unclean_shutdown(fields)),
        Meaning::DisplayReset => Some(graphics::display_reset(provider, fields)),
        Meaning::DisplayDriver => Some(graphics::display_driver(provider, fields)),
        Meaning::OpenGlDriver => graphics::open_gl_driver(fields),
        Meaning::Hardware { component, corrected } => Some(hardware::hardware(component, corrected, fields)),
        Meaning::MemoryTest { errors } => Some(EventBody::MemoryTest { errors }),
        Meaning::Storage => Some(storage::storage(id, fields)),
        Meaning::FileSystem => Some(storage::file_system(fields, true)),
        Meaning::FileSystemState => return storage::file_system_state(fields),
        Meaning::MemoryExhausted => Some(machine::memory_exhausted(fields)),
        Meaning::ImageRefused { blocked, reason } => Some(policy::image_refused(blocked, reason, fields)),
        Meaning::ServiceEnded => machine::service_ended(fields),
        Meaning::Text => None,
    };
    Some(body.unwrap_or_else(|| EventBody::Other { text: fields.joined() }))
}

/// What the tests of all families share: a record's body from its elements as JSON.
#[cfg(test)]
mod testing {
    use super::super::catalogue;
    use super::super::fields::WrittenFields;
    use super::super::json::Node;
    use crate::evidence::{EventBody, Names};

    /// The body of the event that `provider` logs as `id` with `json` as the elements beside `System`.
    pub(super) fn body(provider: &str, id: u32, json: &str) -> Option<EventBody> {
        let node: Node<'_> = serde_json::from_str(json).expect("JSON");
        let Node::Map(elements) = node else { panic!("an object") };
        let entry = catalogue::find(provider, id).expect("a catalogued event");
        let names = Names::default();
        let written = WrittenFields::of(&elements);
        let fields = written.named(entry.layout, &names);
        super::read(entry.meaning, provider, id, &fields)
    }

    /// As [`body`], for positional data.
    pub(super) fn positional(provider: &str, id: u32, values: &[&str]) -> Option<EventBody> {
        body(provider, id, &serde_json::json!({"EventData": {"Data": {"#text": values}}}).to_string())
    }

    /// As [`body`], for named data.
    pub(super) fn named(provider: &str, id: u32, data: serde_json::Value) -> Option<EventBody> {
        body(provider, id, &serde_json::json!({ "EventData": data }).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{body, named, positional};
    use crate::evidence::EventBody;

    #[test]
    fn a_record_without_its_fields_says_no_more_than_its_text() {
        let kinds = [
            ("Application Error", 1000),
            ("Application Hang", 1002),
            ("Windows Error Reporting", 1001),
            (".NET Runtime", 1026),
            ("BugCheck", 1001),
            ("NVIDIA OpenGL Driver", 1),
            ("Service Control Manager", 7034),
            ("Application Popup", 26),
        ];
        for (provider, id) in kinds {
            let Some(EventBody::Other { text }) = body(provider, id, r#"{"EventData": null}"#) else {
                panic!("{provider} {id}")
            };
            assert_eq!(&*text, "");
        }
    }

    #[test]
    fn a_catalogued_event_without_meaning_shows_its_values() {
        let Some(EventBody::Other { text }) =
            positional("volmgr", 161, &["\\Device\\HarddiskVolume3", "", "0x00040042"])
        else {
            panic!("text")
        };
        assert_eq!(&*text, "\\Device\\HarddiskVolume3; 0x00040042");
        let exit = serde_json::json!({"param1": "C:\\a.exe", "param2": "0"});
        let Some(EventBody::Other { text }) = named("Microsoft-Windows-ProcessExitMonitor", 3000, exit) else {
            panic!("text")
        };
        assert_eq!(&*text, "C:\\a.exe; 0");
    }
}
