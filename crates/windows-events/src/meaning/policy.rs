//! Files that code integrity refused or would have refused, and what Defender did with threats.

use super::super::fields::Fields;
use super::sentence::said;
use evidence::EventBody;

/// CodeIntegrity 3001 to 3111, whose older events have field names that end in `Buffer`, and whose events 3076 and 3077 have
/// names with a blank; AppLocker; Security-Mitigations.
///
/// Source: the manifest of Microsoft-Windows-CodeIntegrity, and the records in public logs.
pub(super) fn image_refused(blocked: bool, reason: &'static str, fields: &Fields<'_>) -> EventBody {
    EventBody::ImageRefused {
        file: fields.first_text(&[
            "FileNameBuffer",
            "FileName",
            "File Name",
            "FullFilePath",
            "FullFilePathBuffer",
            "FilePath",
            "FilePathBuffer",
            "ImageName",
        ]),
        process: fields.first_text(&["ProcessNameBuffer", "ProcessName", "Process Name", "ProcessPath"]),
        blocked,
        reason,
    }
}

/// Defender 1007 and 1117: an action on a file that Defender took for a threat.
///
/// Only some actions make the file unavailable, and only if they succeeded. The action's name is in the
/// system's language, its number is not. Source: `CleaningActionID` of Microsoft's `MSFT_MpThreatDetection`.
pub(super) fn defender_action(id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let (done, takes_away) = match fields.number_u32("Action ID").or_else(|| fields.number_u32("ActionID")) {
        Some(1) => ("cleaned", false),
        Some(2) => ("quarantined", true),
        Some(3) => ("removed", true),
        Some(6) => ("was told to allow", false),
        Some(8) => ("did what the user had set with", false),
        Some(9) => ("did nothing about", false),
        Some(10) => ("blocked", true),
        _ => ("acted on", false),
    };
    let error = ["Error Code", "ErrorCode"].iter().find_map(|name| fields.number_u32(name)).filter(|error| *error != 0);
    let outcome = error.map_or_else(String::new, |error| format!("; it failed (0x{error:08X})"));
    let process = fields.text("Process Name").filter(|process| process.contains('\\'));
    let process = process.map_or("", |_| "[, in use by {Process Name:file}]");
    let sentence = format!("Defender {done} {{Path}}[, which it took for {{Threat Name}}]{process}{outcome}");
    let kind = if takes_away && error.is_none() { "security-block" } else { "other" };
    said(&sentence, Some(kind), id, fields)
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
    fn file_and_process_have_three_names_each() {
        let expected = (Some(FILE.to_owned()), Some(PROCESS.to_owned()));
        let older = read(3033, json!({"FileNameLength": 35, "FileNameBuffer": FILE, "ProcessNameBuffer": PROCESS}));
        assert_eq!((older.0, older.1), expected);
        let newer = read(3077, json!({"FileNameLength": 35, "FileName": FILE, "ProcessName": PROCESS}));
        assert_eq!((newer.0, newer.1), expected);
        for id in [3076, 3077] {
            let blank = read(id, json!({"FileNameLength": 35, "File Name": FILE, "Process Name": PROCESS}));
            assert_eq!((blank.0, blank.1), expected, "{id}");
        }
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
            (3063, true, "hardening"),
            (3076, false, "policy"),
            (3077, true, "policy"),
            (3111, true, "hardening"),
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
    #[test]
    fn only_an_action_of_defender_that_takes_a_file_away_is_a_block() {
        let read = |action: u32, error: &str| {
            let data = json!({
                "Threat Name": "Trojan:Win32/Demo", "Path": "file:_C:\\t\\helper.dll", "Process Name": "Unknown",
                "Action ID": action, "Action Name": "%%809", "Error Code": error
            });
            match named("Microsoft-Windows-Windows Defender", 1117, data) {
                Some(EventBody::Said { sentence, kind }) => (sentence.to_string(), kind),
                other => panic!("{other:?}"),
            }
        };
        let (sentence, kind) = read(2, "0x00000000");
        assert_eq!(sentence, "Defender quarantined file:_C:\\t\\helper.dll, which it took for Trojan:Win32/Demo");
        assert_eq!(kind, Some("security-block"));
        for (action, expected) in
            [(3, "security-block"), (10, "security-block"), (1, "other"), (6, "other"), (9, "other")]
        {
            assert_eq!(read(action, "0x00000000").1, Some(expected), "{action}");
        }
        let (sentence, kind) = read(3, "0x80508023");
        assert!(sentence.ends_with("; it failed (0x80508023)"), "{sentence}");
        assert_eq!(kind, Some("other"));
    }

    #[test]
    fn an_action_without_its_number_is_no_block() {
        let data = json!({"Path": "file:_C:\\t\\helper.dll", "Action Name": "Quarantine"});
        let Some(EventBody::Said { kind, .. }) = named("Microsoft-Windows-Windows Defender", 1117, data) else {
            panic!("a sentence")
        };
        assert_eq!(kind, Some("other"));
    }
}
