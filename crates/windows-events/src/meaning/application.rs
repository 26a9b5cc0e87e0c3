//! Programs that crashed or hung, as the Application log records it.

use std::sync::Arc;

use super::super::fields::Fields;
use evidence::{
    ApplicationError, EventBody, ExceptionCode, ModuleOffset, NtStatus, WerDetails, WerReport, WerSignature, base_name,
};
use untrusted::notation::{guid, present};
use wer::signature::read_signature;

/// The text that Windows appends to the name of a module that had already been unloaded.
const UNLOADED: &str = "_unloaded";
/// The beginning of the text in place of a module when the address is in none, on Windows Vista and 7.
const STACK_HASH: &str = "StackHash_";
/// The most values that a problem signature has.
const SIGNATURE_VALUES: usize = 10;

/// Application Error 1000.
pub(super) fn application_error(fields: &Fields<'_>) -> Option<EventBody> {
    let app = fields.name("AppName")?;
    let written_module = fields.name("ModuleName").filter(|module| !module.starts_with(STACK_HASH));
    let unloaded = written_module.as_deref().and_then(|module| module.strip_suffix(UNLOADED)).map(Arc::from);
    Some(EventBody::ApplicationError(Box::new(ApplicationError {
        app,
        app_version: fields.version("AppVersion"),
        module_unloaded: unloaded.is_some(),
        module: unloaded.or(written_module),
        module_version: fields.version("ModuleVersion"),
        code: fields.hex_u32("ExceptionCode").filter(|code| *code != 0).map(ExceptionCode),
        offset: fields.hex_u64("FaultingOffset").map(ModuleOffset),
        wide_offset: fields.text("FaultingOffset").and_then(|offset| is_wide(&offset)),
        pid: fields.hex_u32("ProcessId"),
        started: fields.hex_time("ProcessCreationTime"),
        app_path: fields.path("AppPath"),
        // An unloaded module has a bare name in place of a path.
        module_path: fields.path("ModulePath"),
        report_id: fields.guid("IntegratorReportId"),
    })))
}

/// Whether an offset has 16 digits, as in 64-bit processes, or 8, as in 32-bit ones; `None` for another number of digits.
fn is_wide(offset: &str) -> Option<bool> {
    match offset.strip_prefix("0x").unwrap_or(offset).len() {
        16 => Some(true),
        8 => Some(false),
        _ => None,
    }
}

/// Application Error 1005.
pub(super) fn in_page_error(fields: &Fields<'_>) -> EventBody {
    EventBody::InPageError {
        file: fields.text("FilePath"),
        app: fields.name("AppName"),
        status: fields.hex_u32("StatusCode").filter(|status| *status != 0).map(NtStatus),
        medium: fields.hex_u32("MediumType"),
    }
}

/// WER-Diag 1: the file whose page could not be read when a program crashed.
pub(super) fn corrupt_file(fields: &Fields<'_>) -> Option<EventBody> {
    Some(EventBody::InPageError {
        file: Some(fields.text("CorruptedFilePath")?),
        app: fields.name("CrashedAppName"),
        status: fields.number_u32("ExceptionStatusCode").filter(|status| *status != 0).map(NtStatus),
        medium: None,
    })
}

/// Windows Error Reporting 1001.
pub(super) fn wer(fields: &Fields<'_>) -> Option<EventBody> {
    let event_type = fields.name("EventName")?;
    Some(EventBody::Wer(Box::new(WerReport {
        signature: signature(&event_type, fields),
        event_type,
        // The event's own time is that of the report, not of the crash.
        time: None,
        report_id: fields.guid("ReportId"),
        own_id: fields.written("StorePath").and_then(own_id),
        pid: None,
        started: None,
        app_path: None,
        modules: Vec::new(),
        os_version: None,
        details: WerDetails::default(),
    })))
}

/// The signature in `P1` to `P10`. An empty value keeps its position; empty values at the end are left out.
fn signature(event_type: &str, fields: &Fields<'_>) -> WerSignature {
    let empty: Arc<str> = Arc::from("");
    let mut values: Vec<Arc<str>> = (1..=SIGNATURE_VALUES)
        .map(|number| fields.written(&format!("P{number}")).map_or_else(|| Arc::clone(&empty), Arc::from))
        .collect();
    while values.last().is_some_and(|value| value.is_empty()) {
        values.pop();
    }
    read_signature(event_type, &values)
}

/// The report's own id: the last part of its folder's name, since Windows 10 a GUID.
fn own_id(store_path: &str) -> Option<Arc<str>> {
    let folder = base_name(present(store_path)?.trim_end_matches('\\'));
    guid(folder.rsplit('_').next()?).map(Arc::from)
}

/// Application Hang 1002.
pub(super) fn hang(fields: &Fields<'_>) -> Option<EventBody> {
    Some(EventBody::Hang {
        app: fields.name("AppName")?,
        app_version: fields.version("AppVersion"),
        pid: fields.hex_u32("ProcessId"),
        started: fields.hex_time("StartTime"),
        app_path: fields.path("ExeFileName"),
        report_id: fields.guid("ReportId"),
        hang_type: fields.name("HangType").or_else(|| hang_words(fields)),
    })
}

/// The most words of a hang's type; Windows writes fewer.
const MOST_WORDS: usize = 8;

/// The hang's type in the words of the event's binary data, up to the first empty one.
fn hang_words(fields: &Fields<'_>) -> Option<Arc<str>> {
    let texts = fields.binary_texts().into_iter().take_while(|text| !text.is_empty());
    let words: Vec<String> = texts.filter(|text| present(text).is_some()).take(MOST_WORDS).collect();
    (!words.is_empty()).then(|| fields.share(&words.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{body, named, positional};
    use super::*;
    use evidence::{BugcheckCode, Version};

    const REPORT: &str = "0a1b2c3d-1111-2222-3333-444455556666";
    /// 2024-05-06T07:08:09.5Z in FILETIME's units of 100 ns since 1601, hexadecimal.
    const STARTED: &str = "01da9f8426b8ddc0";

    fn crash(values: &[&str]) -> ApplicationError {
        let Some(EventBody::ApplicationError(error)) = positional("Application Error", 1000, values) else {
            panic!("a crash")
        };
        *error
    }

    const CRASH: [&str; 15] = [
        "game.exe",
        "1.2.3.4",
        "65f00001",
        "render.dll",
        "9.8.7.6",
        "65f00002",
        "c0000005",
        "00000000000012ab",
        "1ab0",
        STARTED,
        "C:\\Games\\game.exe",
        "C:\\Games\\render.dll",
        REPORT,
        "",
        "",
    ];

    #[test]
    fn a_positional_crash_writes_hexadecimal_numbers_without_0x() {
        let expected = ApplicationError {
            app: "game.exe".into(),
            app_version: Some(Version([1, 2, 3, 4])),
            module: Some("render.dll".into()),
            module_unloaded: false,
            module_version: Some(Version([9, 8, 7, 6])),
            code: Some(ExceptionCode(0xC000_0005)),
            offset: Some(ModuleOffset(0x12AB)),
            wide_offset: Some(true),
            pid: Some(0x1AB0),
            started: Some("2024-05-06T07:08:09.5Z".parse().expect("a time")),
            app_path: Some("C:\\Games\\game.exe".into()),
            module_path: Some("C:\\Games\\render.dll".into()),
            report_id: Some(REPORT.into()),
        };
        assert_eq!(crash(&CRASH), expected);
    }

    #[test]
    fn a_named_crash_writes_process_id_and_start_with_0x() {
        let data = json!({
            "AppName": "game.exe", "AppVersion": "1.2.3.4", "ModuleName": "render.dll",
            "ExceptionCode": "c0000005", "FaultingOffset": "000012ab", "ProcessId": "0x1ab0",
            "ProcessCreationTime": format!("0x{}", STARTED.trim_start_matches('0')),
            "IntegratorReportId": "{0A1B2C3D-1111-2222-3333-444455556666}"
        });
        let Some(EventBody::ApplicationError(error)) = named("Application Error", 1000, data) else {
            panic!("a crash")
        };
        let ApplicationError { pid, started, wide_offset, report_id, offset, .. } = *error;
        assert_eq!(pid, Some(0x1AB0));
        assert_eq!(started.map(|time| time.to_string()).as_deref(), Some("2024-05-06T07:08:09.5Z"));
        assert_eq!((offset, wide_offset), (Some(ModuleOffset(0x12AB)), Some(false)));
        assert_eq!(report_id.as_deref(), Some(REPORT));
    }

    #[test]
    fn an_unknown_module_is_absent_and_the_offset_stays() {
        let mut values = CRASH;
        (values[3], values[4], values[5], values[11]) = ("unknown", "0.0.0.0", "00000000", "unknown");
        let ApplicationError { module, module_version, module_path, offset, module_unloaded, .. } = crash(&values);
        assert_eq!((module, module_version, module_path, module_unloaded), (None, None, None, false));
        assert_eq!(offset, Some(ModuleOffset(0x12AB)));
        values[3] = "StackHash_0a9e";
        let ApplicationError { module, .. } = crash(&values);
        assert_eq!(module, None);
    }

    #[test]
    fn an_unloaded_module_loses_its_mark_and_its_bare_name_is_no_path() {
        let mut values = CRASH;
        (values[3], values[11]) = ("hook.dll_unloaded", "hook.dll");
        let ApplicationError { module, module_unloaded, module_path, .. } = crash(&values);
        assert_eq!((module.as_deref(), module_unloaded, module_path), (Some("hook.dll"), true, None));
    }

    #[test]
    fn a_service_keeps_its_name_behind_the_shared_host() {
        let mut values = CRASH;
        values[0] = "svchost.exe_SomeSvc";
        let ApplicationError { app, .. } = crash(&values);
        assert_eq!(&*app, "svchost.exe_SomeSvc");
    }

    #[test]
    fn any_beginning_of_the_list_is_enough() {
        let ApplicationError { app, code, pid, report_id, .. } = crash(&CRASH[..8]);
        assert_eq!((&*app, code), ("game.exe", Some(ExceptionCode(0xC000_0005))));
        assert_eq!((pid, report_id), (None, None));
    }

    #[test]
    fn an_in_page_error_tells_file_status_and_medium_in_both_layouts() {
        let by_position =
            positional("Application Error", 1005, &["D:\\data\\big.bin", "Viewer", "c000009c", "00000003"]);
        let by_name = named(
            "Application Error",
            1005,
            json!({"FilePath": "D:\\data\\big.bin", "AppName": "Viewer", "StatusCode": "0xc000009c", "MediumType": "0x3"}),
        );
        for body in [by_position, by_name] {
            let Some(EventBody::InPageError { file, app, status, medium }) = body else { panic!("an in-page error") };
            assert_eq!((file.as_deref(), app.as_deref()), (Some("D:\\data\\big.bin"), Some("Viewer")));
            assert_eq!((status, medium), (Some(NtStatus(0xC000_009C)), Some(3)));
        }
    }

    #[test]
    fn a_file_that_was_found_damaged_after_a_crash_is_an_in_page_error() {
        let data = json!({
            "CorruptedFilePath": "C:\\t\\a.dll", "CrashedAppName": "tool.exe", "ExceptionCode": 3_221_225_478_u32,
            "ExceptionStatusCode": 3_221_225_628_u32
        });
        let Some(EventBody::InPageError { file, app, status, medium: None }) =
            named("Microsoft-Windows-WER-Diag", 1, data)
        else {
            panic!("an in-page error")
        };
        assert_eq!((file.as_deref(), app.as_deref()), (Some("C:\\t\\a.dll"), Some("tool.exe")));
        assert_eq!(status, Some(NtStatus(0xC000_009C)));
    }

    /// The 23 fields of event 1001, with `p` as signature.
    fn report<'a>(event_name: &'a str, p: &[&'a str], store_path: &'a str) -> Vec<&'a str> {
        let mut values = vec!["1234567890", "4", event_name, "Nicht verfügbar", "0"];
        values.extend(p);
        values.resize(15, "");
        values.extend(["\r\n\\\\?\\C:\\x.txt", store_path, "", "0", REPORT, "268435456", "abcdef", "0"]);
        values
    }

    fn read_report(values: &[&str]) -> WerReport {
        let Some(EventBody::Wer(report)) = positional("Windows Error Reporting", 1001, values) else {
            panic!("a report")
        };
        *report
    }

    #[test]
    fn a_report_has_its_signature_by_event_type() {
        let p = [
            "game.exe",
            "1.2.3.4",
            "65f00001",
            "ucrtbase.dll",
            "10.0.1.2",
            "65f00002",
            "0000000000007f61",
            "c0000409",
            "7",
        ];
        let report = read_report(&report("BEX64", &p, ""));
        assert_eq!(&*report.event_type, "BEX64");
        assert_eq!(report.report_id.as_deref(), Some(REPORT));
        assert_eq!(report.signature.code, Some(ExceptionCode::FAST_FAIL));
        assert_eq!(report.signature.data, Some(7));
        assert_eq!(report.signature.raw.len(), 9);
        assert_eq!((report.time, report.own_id, report.pid), (None, None, None));
    }

    #[test]
    fn an_empty_value_in_the_middle_of_a_signature_keeps_its_position() {
        let p = ["game.exe", "", "65f00001", "render.dll", "9.8.7.6", "65f00002", "c0000005", "000012ab"];
        let report = read_report(&report("APPCRASH", &p, ""));
        assert_eq!(report.signature.app_version, None);
        assert_eq!(report.signature.module.as_deref(), Some("render.dll"));
        assert_eq!(report.signature.code, Some(ExceptionCode(0xC000_0005)));
    }

    #[test]
    fn a_named_report_reads_like_a_positional_one() {
        let data = json!({
            "Bucket": "", "EventName": "LiveKernelEvent", "P1": "141", "P2": "ffffb50fe2c9b460", "P3": "fffff80012345678",
            "P4": "0", "P5": "4abc", "P6": "10_0_1", "ReportId": REPORT, "StorePath": "NULL"
        });
        let Some(EventBody::Wer(report)) = named("Windows Error Reporting", 1001, data) else { panic!("a report") };
        let parameters = [0xFFFF_B50F_E2C9_B460, 0xFFFF_F800_1234_5678, 0, 0x4ABC];
        assert_eq!(report.signature.bugcheck, Some((BugcheckCode(0x141), parameters)));
        assert_eq!(report.own_id, None);
    }

    #[test]
    fn the_report_s_own_id_ends_its_folder_s_name() {
        let folder = "\\\\?\\C:\\ProgramData\\WER\\ReportArchive\\AppCrash_game.exe_0011_2233_cab_AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee";
        let archived = read_report(&report("APPCRASH", &[], folder));
        assert_eq!(archived.own_id.as_deref(), Some("aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"));
        // Windows 7 and 8 end the name with eight digits.
        let old = read_report(&report(
            "APPCRASH",
            &[],
            "C:\\ProgramData\\WER\\ReportQueue\\AppCrash_game.exe_0011_cab_07704e4e",
        ));
        assert_eq!(old.own_id, None);
    }

    #[test]
    fn eight_bit_text_in_a_signature_is_repaired() {
        // "File: some.cpp 12" as UTF-16 units of two characters each.
        let garbled: String = "File: some.cpp 12 "
            .as_bytes()
            .chunks(2)
            .map(|pair| char::from_u32(u32::from(u16::from_le_bytes([pair[0], pair[1]]))).expect("a character"))
            .collect();
        let report = read_report(&report("SomeFailure", &[&garbled], ""));
        assert_eq!(&*report.signature.raw[0], "File: some.cpp 12 ");
    }

    #[test]
    fn a_hang_reads_in_both_layouts() {
        let by_position = positional(
            "Application Hang",
            1002,
            &[
                "viewer.exe",
                "2.0.0.0",
                "1ab0",
                STARTED,
                "4294967295",
                "C:\\v\\viewer.exe",
                REPORT,
                "",
                "",
                "Cross-process",
            ],
        );
        let by_name = named(
            "Application Hang",
            1002,
            json!({
                "AppName": "viewer.exe", "AppVersion": "2.0.0.0", "ProcessId": "0x1ab0",
                "StartTime": format!("0x{STARTED}"), "TerminationTime": 3, "ExeFileName": "C:\\v\\viewer.exe",
                "ReportId": REPORT, "HangType": "Cross-process"
            }),
        );
        for body in [by_position, by_name] {
            let Some(EventBody::Hang { app, app_version, pid, started, app_path, report_id, hang_type }) = body else {
                panic!("a hang")
            };
            assert_eq!((&*app, app_version, pid), ("viewer.exe", Some(Version([2, 0, 0, 0])), Some(0x1AB0)));
            assert_eq!(started.map(|time| time.to_string()).as_deref(), Some("2024-05-06T07:08:09.5Z"));
            assert_eq!(app_path.as_deref(), Some("C:\\v\\viewer.exe"));
            assert_eq!((report_id.as_deref(), hang_type.as_deref()), (Some(REPORT), Some("Cross-process")));
        }
    }

    #[test]
    fn the_classic_layout_has_the_words_of_a_hang_in_its_binary_data() {
        let of = |words: &[&str]| {
            let units = words.iter().flat_map(|word| word.encode_utf16().chain([0]));
            let hex: String = units.chain([0]).flat_map(u16::to_le_bytes).map(|byte| format!("{byte:02X}")).collect();
            let values = ["viewer.exe", "2.0.0.0", "1ab0", STARTED, "3", "C:\\v\\viewer.exe", REPORT];
            let data = json!({"EventData": {"Data": {"#text": values}, "Binary": hex}}).to_string();
            match body("Application Hang", 1002, &data) {
                Some(EventBody::Hang { hang_type, .. }) => hang_type.map(|kind| kind.to_string()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of(&["Cross-process", "Quiesce"]).as_deref(), Some("Cross-process, Quiesce"));
        assert_eq!(of(&["Unknown"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn an_unknown_hang_type_is_absent() {
        let values = ["viewer.exe", "2.0.0.0", "1ab0", STARTED, "3", "C:\\v\\viewer.exe", REPORT, "", "", "Unknown"];
        let Some(EventBody::Hang { hang_type, .. }) = positional("Application Hang", 1002, &values) else {
            panic!("a hang")
        };
        assert_eq!(hang_type, None);
    }
}
