//! Images that code integrity refused, or would have.

use super::super::fields::Fields;
use crate::evidence::EventBody;

/// CodeIntegrity 3001 to 3111, whose older events call their fields "buffers"; AppLocker; Security-Mitigations.
pub(super) fn image_refused(blocked: bool, reason: &'static str, fields: &Fields<'_>) -> EventBody {
    EventBody::ImageRefused {
        file: fields.first_text(&[
            "FileNameBuffer",
            "FileName",
            "FullFilePath",
            "FullFilePathBuffer",
            "FilePath",
            "FilePathBuffer",
            "ImageName",
        ]),
        process: fields.first_text(&["ProcessNameBuffer", "ProcessName", "ProcessPath"]),
        blocked,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{body, named};
    use super::*;

    const FILE: &str = "\\Device\\HarddiskVolume3\\a\\hook.dll";
    const PROCESS: &str = "\\Device\\HarddiskVolume3\\a\\game.exe";

    fn read(id: u32, data: serde_json::Value) -> (Option<String>, Option<String>, bool, &'static str) {
        let body = named("Microsoft-Windows-CodeIntegrity", id, data);
        let Some(EventBody::ImageRefused { file, process, blocked, reason }) = body else { panic!("a refusal") };
        (file.map(|file| file.to_string()), process.map(|process| process.to_string()), blocked, reason)
    }

    #[test]
    fn file_and_process_have_two_names_each() {
        let expected = (Some(FILE.to_owned()), Some(PROCESS.to_owned()));
        let older = read(3033, json!({"FileNameLength": 35, "FileNameBuffer": FILE, "ProcessNameBuffer": PROCESS}));
        assert_eq!((older.0, older.1), expected);
        let newer = read(3077, json!({"FileNameLength": 35, "FileName": FILE, "ProcessName": PROCESS}));
        assert_eq!((newer.0, newer.1), expected);
        assert_eq!(read(3002, json!({"FileNameBuffer": FILE})).1, None, "the first version names no process");
    }

    #[test]
    fn an_audit_event_only_says_what_would_have_been_refused() {
        for (id, blocked, reason) in [
            (3001, false, "signature"),
            (3002, true, "signature"),
            (3004, true, "signature"),
            (3023, true, "revoked"),
            (3033, true, "signature"),
            (3063, true, "policy"),
            (3076, false, "policy"),
            (3077, true, "policy"),
            (3111, true, "policy"),
        ] {
            let found = read(id, json!({"FileNameBuffer": FILE}));
            assert_eq!((found.2, found.3), (blocked, reason), "{id}");
        }
    }

    #[test]
    fn applocker_and_exploit_protection_name_files_in_their_own_ways() {
        let json = json!({"UserData": {"RuleAndFileData": {
            "PolicyName": "DLL", "RuleName": "-", "TargetProcessId": 4711,
            "FilePath": "%OSDRIVE%\\T\\HELPER.DLL", "FullFilePath": "C:\\t\\helper.dll"
        }}});
        let Some(EventBody::ImageRefused { file, process, blocked, reason }) =
            body("Microsoft-Windows-AppLocker", 8004, &json.to_string())
        else {
            panic!("a refusal")
        };
        assert_eq!((file.as_deref(), process, blocked, reason), (Some("C:\\t\\helper.dll"), None, true, "policy"));
        let data = json!({"ProcessPath": PROCESS, "ProcessId": 4711, "ImageName": FILE});
        let Some(EventBody::ImageRefused { file, process, .. }) =
            named("Microsoft-Windows-Security-Mitigations", 12, data)
        else {
            panic!("a refusal")
        };
        assert_eq!((file.as_deref(), process.as_deref()), (Some(FILE), Some(PROCESS)));
    }
}
