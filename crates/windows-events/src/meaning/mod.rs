//! Evidence from the fields of a record: a function for each [`Meaning`], grouped by the subject of the events.

mod application;
mod changes;
mod dotnet;
mod exits;
mod graphics;
mod hardware;
mod machine;
mod packet;
mod policy;
mod power;
mod sentence;
mod startup;
mod storage;

use evtx_scan::Record;

use super::catalogue::{self, EventRow, Meaning};
use super::fields::Fields;
use evidence::{EventBody, EventContent, Names};

/// The evidence in a record; `None` when the record reports that all is well, or its event is not read.
pub(super) fn content(record: &Record<'_>, names: &Names) -> Option<EventContent> {
    let row = catalogue::find(record.provider, record.event_id)?;
    let fields = Fields::new(record.fields, &row.fields, names);
    let body = read(row, record.provider, record.event_id, &fields)?;
    Some(EventContent {
        provider: names.share(record.provider),
        id: record.event_id,
        channel: record.channel.map(|channel| names.share(channel)),
        body,
        fields: fields.kept(),
    })
}

/// The evidence in `fields` of an event of `row`, logged by `provider` as `id`. `None` for a record that reports that all is
/// well. Of a record without the fields that its event must have, the evidence is its text.
fn read(row: &EventRow, provider: &str, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let body = match row.meaning {
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
        Meaning::Hardware => Some(hardware::hardware(row.text, false, fields)),
        Meaning::CorrectedHardware => Some(hardware::hardware(row.text, true, fields)),
        Meaning::MemoryTestPassed => Some(EventBody::MemoryTest { errors: false }),
        Meaning::MemoryTestFailed => Some(EventBody::MemoryTest { errors: true }),
        Meaning::Storage => Some(storage::storage(id, fields)),
        Meaning::FileSystem => Some(storage::file_system(fields, true)),
        Meaning::FileSystemState => return storage::file_system_state(fields),
        Meaning::MemoryExhausted => Some(machine::memory_exhausted(fields)),
        Meaning::ImageRefused => Some(policy::image_refused(true, row.text, fields)),
        Meaning::ImageAllowed => Some(policy::image_refused(false, row.text, fields)),
        Meaning::DefenderAction => policy::defender_action(id, fields),
        Meaning::ServiceEnded => machine::service_ended(fields),
        Meaning::BootDriversFailed => return changes::boot_drivers_failed(fields),
        Meaning::DriverNotLoaded => return changes::driver_not_loaded(id, fields),
        Meaning::UpdateInstalled => return changes::update(true, id, fields),
        Meaning::UpdateFailed => return changes::update(false, id, fields),
        Meaning::PackageChanged => changes::package(true, id, fields),
        Meaning::PackageNotChanged => changes::package(false, id, fields),
        Meaning::Product => changes::product(row.text, id, fields),
        Meaning::DriverInstalled => changes::driver_installed(id, fields),
        Meaning::ServiceInstalled => return changes::service_installed(id, fields),
        Meaning::LastShutdown => return power::last_shutdown(fields),
        Meaning::ShutDownByHeat => Some(power::shut_down_by_heat(fields)),
        Meaning::SystemStarted => Some(power::system_started(fields)),
        Meaning::KindOfStart => return power::kind_of_start(fields),
        Meaning::ClockSet => return power::clock_set(fields),
        Meaning::PowerSource => power::power_source(fields),
        Meaning::DriveHealth => return storage::drive_health(fields),
        Meaning::SilentExit => exits::silent_exit(id, fields),
        Meaning::ProcessExit => exits::process_exit(fields),
        Meaning::CorruptFile => application::corrupt_file(fields),
        Meaning::Sentence => sentence::said(row.text, None, id, fields),
    };
    Some(body.unwrap_or_else(|| EventBody::Other { text: fields.joined() }))
}

/// A file name in two parts: the name, and the dot and three letters of the extension.
fn split_extension(name: &str) -> Option<(&str, &str)> {
    name.split_at_checked(name.len().checked_sub(4)?)
}

/// What the tests of all families share: a record's body from its elements as JSON.
#[cfg(test)]
mod testing {
    use evtx_scan::{Node, RecordFields};

    use super::super::catalogue;
    use super::super::fields::Fields;
    use evidence::{EventBody, Names};

    /// The body of the event that `provider` logs as `id` with `json` as the elements beside `System`.
    pub(super) fn body(provider: &str, id: u32, json: &str) -> Option<EventBody> {
        let node: Node<'_> = serde_json::from_str(json).expect("JSON");
        let Node::Map(elements) = node else { panic!("an object") };
        let row = catalogue::find(provider, id).expect("a catalogued event");
        let names = Names::default();
        let written = RecordFields::from_elements(&elements);
        let fields = Fields::new(&written, &row.fields, &names);
        super::read(row, provider, id, &fields)
    }

    /// As [`body`], for positional data.
    pub(super) fn positional(provider: &str, id: u32, values: &[&str]) -> Option<EventBody> {
        body(provider, id, &serde_json::json!({"EventData": {"Data": {"#text": values}}}).to_string())
    }

    /// The sentence of a body that has one.
    pub(super) fn sentence(body: Option<EventBody>) -> String {
        match body {
            Some(EventBody::Said { sentence, .. }) => sentence.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// As [`body`], for named data.
    pub(super) fn named(provider: &str, id: u32, data: serde_json::Value) -> Option<EventBody> {
        body(provider, id, &serde_json::json!({ "EventData": data }).to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::testing::{body, named, positional, sentence};
    use evidence::EventBody;

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
    fn an_event_with_a_sentence_tells_it_and_without_its_values_their_text() {
        let values = ["\\Device\\HarddiskVolume3", "", "0x00040042"];
        assert_eq!(
            sentence(positional("volmgr", 161, &values)),
            "the system had stopped, and no dump could be written"
        );
        let without_name = json!({"param2": "%%1053"});
        let Some(EventBody::Other { text }) = named("Service Control Manager", 7000, without_name) else {
            panic!("text")
        };
        assert_eq!(&*text, "%%1053");
    }

    #[test]
    fn a_service_that_fails_is_told_with_its_error_in_any_language() {
        // The display name as a German system logs it; the error is a number everywhere.
        let data = json!({"param1": "Druckwarteschlange", "param2": "%%1053"});
        assert_eq!(
            sentence(named("Service Control Manager", 7000, data.clone())),
            "the service Druckwarteschlange did not start: error 1053"
        );
        assert_eq!(
            sentence(named("Service Control Manager", 7023, data)),
            "the service Druckwarteschlange ended with an error: error 1053"
        );
        let timeout = json!({"param1": "30000", "param2": "Druckwarteschlange"});
        assert_eq!(
            sentence(named("Service Control Manager", 7009, timeout)),
            "the service Druckwarteschlange did not answer within 30000 ms"
        );
    }

    #[test]
    fn what_defender_did_is_told_with_file_and_process() {
        const DEFENDER: &str = "Microsoft-Windows-Windows Defender";
        let data = json!({
            "Product Name": "%%827", "Threat Name": "Trojan:Win32/Demo", "Path": "file:_C:\\t\\helper.dll",
            "Process Name": "C:\\t\\tool.exe", "Action ID": "2", "Action Name": "Quarantäne"
        });
        assert_eq!(
            sentence(named(DEFENDER, 1117, data)),
            "Defender quarantined file:_C:\\t\\helper.dll, which it took for Trojan:Win32/Demo, in use by tool.exe"
        );
        let rule =
            json!({"ID": "d4f940ab-401b-4efc-aadc-ad5f3c50688a", "Path": "C:\\t\\a.exe", "Process Name": "C:\\w.exe"});
        assert_eq!(
            sentence(named(DEFENDER, 1121, rule)),
            "Defender's attack surface reduction kept C:\\w.exe from C:\\t\\a.exe, rule \
             d4f940ab-401b-4efc-aadc-ad5f3c50688a"
        );
    }

    #[test]
    fn older_records_of_defender_and_packaged_programs_have_names_of_their_own() {
        const DEFENDER: &str = "Microsoft-Windows-Windows Defender";
        let data = json!({
            "Threat Name": "Behavior:Win32/Demo", "Path Found": "process:_C:\\t\\tool.exe",
            "Process Name": "C:\\t\\tool.exe"
        });
        for id in [1006, 1015] {
            assert_eq!(
                sentence(named(DEFENDER, id, data.clone())),
                "Defender took process:_C:\\t\\tool.exe for Behavior:Win32/Demo, in use by C:\\t\\tool.exe"
            );
        }
        let failed = json!({"Threat Name": "Demo", "Path": "C:\\t\\a.exe", "Cleaning Action": "Quarantine"});
        assert_eq!(
            sentence(named(DEFENDER, 1008, failed)),
            "Defender could not act on C:\\t\\a.exe, which it took for Demo: Quarantine"
        );
        for name in ["Package", "PackageBuffer"] {
            let data = json!({name: "DEMO.TOOL", "Fqbn": "O=DEMO\\TOOL\\APPX\\1.0.0.0"});
            assert_eq!(
                sentence(named("Microsoft-Windows-AppLocker", 8022, data)),
                "AppLocker refused the packaged program DEMO.TOOL (O=DEMO\\TOOL\\APPX\\1.0.0.0)"
            );
        }
    }

    #[test]
    fn a_package_that_could_not_be_deployed_is_told_with_its_error() {
        const DEPLOYMENT: &str = "Microsoft-Windows-AppXDeployment-Server";
        let data =
            json!({"PackageFullName": "Demo_1.0_x64", "ErrorCode": "0x80073CF9", "SummaryError": "Two\r\nlines"});
        let of = |id| sentence(named(DEPLOYMENT, id, data.clone()));
        assert_eq!(of(401), "the package Demo_1.0_x64 could not be deployed (0x80073CF9)");
        assert_eq!(of(404), "the package Demo_1.0_x64 could not be deployed (0x80073CF9): Two lines");
    }

    #[test]
    fn a_disk_that_was_unplugged_failed_no_request() {
        let data = ["\\Device\\Harddisk2\\DR2", "2"];
        let said = sentence(positional("disk", 157, &data));
        assert_eq!(said, "\\Device\\Harddisk2\\DR2 was removed from the system without notice");
    }

    #[test]
    fn a_user_mode_driver_that_failed_is_told() {
        let data = json!({
            "LifetimeId": "{0a1b2c3d-1111-2222-3333-444455556666}", "FriendlyName": "Demo Sensor",
            "InstanceId": "USB\\X", "RestartCount": 5
        });
        assert_eq!(
            sentence(named("Microsoft-Windows-DriverFrameworks-UserMode", 10111, data)),
            "Demo Sensor is offline because its user-mode driver failed (tried again 5 times)"
        );
    }
}
