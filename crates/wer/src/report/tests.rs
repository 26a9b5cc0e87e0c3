//! The reports here are made up.

use super::*;
use evidence::{ExceptionCode, ModuleOffset, Version};

const REPORT: &str = "Version=1\r
EventType=BEX64\r
EventTime=133500000000000000\r
ReportIdentifier=0A0B0C0D-1111-2222-3333-445566778899\r
IntegratorReportIdentifier=0a0b0c0d-aaaa-bbbb-cccc-445566778899\r
AppSessionGuid=00001a2c-0001-0005-00c0-0a54f748da01\r
Sig[0].Name=Anwendungsname\r
Sig[0].Value=trainer.exe\r
Sig[1].Name=Anwendungsversion\r
Sig[1].Value=1.2.3.4\r
Sig[2].Value=5f000001\r
Sig[3].Value=ucrtbase.dll\r
Sig[4].Value=10.0.1.2\r
Sig[5].Value=5f000002\r
Sig[6].Name=Ausnahmeoffset\r
Sig[6].Value=0000000000001234\r
Sig[7].Name=Ausnahmecode\r
Sig[7].Value=c0000409\r
Sig[8].Name=Ausnahmedaten\r
Sig[8].Value=0000000000000007\r
DynamicSig[1].Name=Betriebsystemversion\r
DynamicSig[1].Value=10.0.22631.2.0.0.768.101\r
DynamicSig[2].Value=1031\r
UI[2]=C:\\Werk\\trainer.exe\r
LoadedModule[0]=C:\\Werk\\trainer.exe\r
LoadedModule[1]=C:\\Windows\\SYSTEM32\\ntdll.dll\r
FriendlyEventName=Nicht mehr funktionsfähig\r
AppName=Trainer = der Große\r
AppPath=C:\\Werk\\trainer.exe\r
MetadataHash=12345";

pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub(super) fn read_all(bytes: &[u8]) -> (WerReport, Vec<String>) {
    let reading = read_bytes(bytes, &Names::default()).expect("readable");
    let losses = reading.losses.iter().map(ToString::to_string).collect();
    let Some(Observation::Wer(report)) = reading.evidence.into_iter().next().map(|evidence| evidence.observation)
    else {
        panic!("no report");
    };
    (*report, losses)
}

fn read_text(text: &str) -> (WerReport, Vec<String>) {
    read_all(text.as_bytes())
}

#[test]
fn reports_are_known_by_their_first_line() {
    for text in ["Version=1\r\nEventType=APPCRASH", "\u{FEFF}Version=1\r\n", "Version=1"] {
        assert!(is_wer_report(&utf16(text)), "{text:?} in UTF-16");
        assert!(is_wer_report(text.as_bytes()), "{text:?} in UTF-8");
    }
    for text in ["Version=10\r\n", "Version=", "[Version]\r\n", "EventType=APPCRASH", ""] {
        assert!(!is_wer_report(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn a_report_with_a_damaged_first_line_is_known_by_the_keys_behind() {
    for damaged in ["Version=7", "Vers~on=1", "~~Version=1", "~Versi~n=1"] {
        let text = REPORT.replacen("Version=1", damaged, 1);
        for bytes in [utf16(&text), text.as_bytes().to_vec()] {
            assert!(is_wer_report(&bytes), "{damaged}");
            let (report, losses) = read_all(&bytes);
            assert_eq!((&*report.event_type, report.signature.data), ("BEX64", Some(7)), "{damaged}");
            assert_eq!(losses, ["line 1: not `Version=1`, with which every report begins"]);
        }
    }
    let without = REPORT.replacen("Version=1\r\n", "", 1);
    assert!(is_wer_report(without.as_bytes()));
    assert_eq!(read_text(&without).1.len(), 1);
    for other in
        ["Version=7\r\nEventType=1\r\nName=a\r\n", "Version=1.0.2\r\nEventType=1\r\nEventTime=2\r\nConsent=1\r\n"]
    {
        assert!(!is_wer_report(other.as_bytes()), "{other:?}");
    }
    let quoted = ["My report says:\r\n", REPORT].concat();
    assert!(!is_wer_report(quoted.as_bytes()), "somebody's text that quotes a report");
}

#[test]
fn no_damaged_character_of_a_value_that_has_a_form_passes_in_silence() {
    let formed = [
        "Version",
        "EventType",
        "EventTime",
        "ReportIdentifier",
        "IntegratorReportIdentifier",
        "AppSessionGuid",
        "Sig[1].Value",
        "Sig[4].Value",
        "Sig[6].Value",
        "Sig[7].Value",
        "Sig[8].Value",
    ];
    let (whole, _) = read_text(REPORT);
    let mut start = 0;
    for line in REPORT.split_inclusive("\r\n") {
        let key = line.split('=').next().unwrap_or_default();
        for (at, _) in line.trim_end().char_indices().filter(|_| formed.contains(&key)) {
            let mut damaged = REPORT.to_owned();
            damaged.replace_range(start + at..start + at + 1, "~");
            match read_bytes(damaged.as_bytes(), &Names::default()) {
                Ok(reading) => assert!(!reading.losses.is_empty(), "{key}, character {at}"),
                Err(_) => panic!("{key}, character {at}: one character costs the report"),
            }
            let (report, _) = read_text(&damaged);
            assert_eq!(report.signature.app, whole.signature.app, "{key}, character {at}");
        }
        start += line.len();
    }
}

#[test]
fn a_value_that_is_named_and_missing_is_a_loss() {
    let (_, losses) = read_text(&REPORT.replace("Sig[8].Value=0000000000000007\r\n", ""));
    assert_eq!(losses, ["key Sig[8].Value: missing, though its name is there"]);
}

#[test]
fn values_of_a_signature_that_can_not_be_are_losses() {
    let (report, losses) = read_text(&REPORT.replace("c0000409", "c00G0409").replace("BEX64", "BEX~4"));
    assert_eq!((&*report.event_type, report.signature.code), ("BEX64", None));
    assert_eq!(
        losses,
        [
            "key EventType: `BEX~4` is not known; one character differs from BEX64, as which it is read",
            "key Sig[7].Value: `c00G0409` is no hexadecimal number of 32 bits"
        ]
    );
}

#[test]
fn a_crash_report_in_another_language() {
    for bytes in [utf16(&["\u{FEFF}", REPORT].concat()), utf16(REPORT), REPORT.as_bytes().to_vec()] {
        let (report, losses) = read_all(&bytes);
        assert_eq!(losses, [""; 0]);
        assert_eq!(&*report.event_type, "BEX64");
        assert_eq!(report.time.map(|time| time.to_string()).as_deref(), Some("2024-01-17T21:20:00Z"));
        assert_eq!(report.report_id.as_deref(), Some("0a0b0c0d-aaaa-bbbb-cccc-445566778899"));
        assert_eq!(report.own_id.as_deref(), Some("0a0b0c0d-1111-2222-3333-445566778899"));
        assert_eq!(report.app_path.as_deref(), Some(r"C:\Werk\trainer.exe"));
        assert_eq!(report.os_version.as_deref(), Some("10.0.22631.2.0.0.768.101"));
        assert_eq!(report.modules.len(), 2);
        let signature = report.signature;
        assert_eq!(signature.app.as_deref(), Some("trainer.exe"));
        assert_eq!(signature.app_version, Some(Version([1, 2, 3, 4])));
        assert_eq!(signature.module.as_deref(), Some("ucrtbase.dll"));
        assert_eq!(signature.code, Some(ExceptionCode::FAST_FAIL));
        assert_eq!(signature.offset, Some(ModuleOffset(0x1234)));
        assert_eq!(signature.data, Some(7));
    }
}

#[test]
fn what_the_file_says_beyond_the_signature() {
    let more = "Wow64Host=34404\r\nWow64Guest=332\r\nOriginalFilename=real.exe\r\nResponse.BucketId=ABCDEF\r\n\
                OsInfo[0].Key=vermaj\r\nOsInfo[0].Value=10\r\nOsInfo[1].Key=ubr\r\nOsInfo[1].Value=4170\r\n\
                OsInfo[2].Key=ram\r\nOsInfo[2].Value=32688\r\nFriendlyEventName";
    let (report, losses) = read_text(&REPORT.replace("FriendlyEventName", more));
    assert_eq!(losses, [""; 0]);
    let details = report.details;
    assert_eq!(details.architecture, Some(CpuArchitecture::X86), "the guest is what crashed");
    assert_eq!((details.os_revision, details.locale, details.memory), (Some(4170), Some(1031), Some(32_688)));
    assert_eq!(details.original_name.as_deref(), Some("real.exe"));
    assert_eq!(details.friendly_name.as_deref(), Some("Nicht mehr funktionsfähig"));
    assert_eq!(details.bucket.as_deref(), Some("abcdef"));
}

#[test]
fn an_original_name_is_told_only_where_it_is_another() {
    let original = |text: &str| {
        let key = format!("OriginalFilename={text}\r\nFriendlyEventName");
        read_text(&REPORT.replace("FriendlyEventName", &key)).0.details.original_name
    };
    assert_eq!(original("TRAINER.EXE"), None);
    assert_eq!(original("trainer.exe.mui"), None);
    assert_eq!(original("miner.exe").as_deref(), Some("miner.exe"));
    assert_eq!(original("é.mui").as_deref(), Some("é.mui"));
}

#[test]
fn the_session_holds_the_process_and_its_start() {
    let (report, _) = read_text(REPORT);
    assert_eq!(report.pid, Some(0x1A2C));
    assert_eq!(report.started.map(|time| time.to_string()).as_deref(), Some("2024-01-17T03:43:26.4963584Z"));
    let (report, losses) = read_text(&REPORT.replace("00001a2c-0001-0005-00c0-0a54f748da01", "none"));
    assert_eq!((report.pid, report.started), (None, None));
    assert_eq!(losses, ["key AppSessionGuid: `none` is not what this key holds"]);
    let zero = "00000000-0000-0000-0000-000000000000";
    let (report, losses) = read_text(&REPORT.replace("00001a2c-0001-0005-00c0-0a54f748da01", zero));
    assert_eq!((report.pid, report.started, losses.len()), (None, None, 0));
}

#[test]
fn windows_7_has_one_identifier_and_ends_with_a_line_end() {
    let text = REPORT
        .replace("IntegratorReportIdentifier=0a0b0c0d-aaaa-bbbb-cccc-445566778899\r\n", "")
        .replace("MetadataHash=12345", "ReportDescription=Stopped\r\n");
    let (report, losses) = read_all(&utf16(&text));
    assert_eq!(report.report_id.as_deref(), Some("0a0b0c0d-1111-2222-3333-445566778899"));
    assert_eq!(report.own_id, report.report_id);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn a_kernel_report_is_about_no_process() {
    let text = "Version=1\nEventType=LiveKernelEvent\nSig[0].Value=141\nSig[1].Value=ffff9000\nSig[2].Value=2\n\
                Sig[3].Value=0\nSig[4].Value=1a\nFriendlyEventName=Hardware error\nAppPath=C:\\Windows\\WerFault.exe\n";
    let (report, losses) = read_text(text);
    assert_eq!(report.signature.bugcheck.map(|(code, parameters)| (code.0, parameters[0])), Some((0x141, 0xFFFF_9000)));
    assert_eq!(report.app_path, None);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn a_cut_file_is_said_to_be_cut() {
    let end = "the file ends before FriendlyEventName, which every report has after its lists";
    let cut_at = |mark: &str| &REPORT[..REPORT.find(mark).expect("in the report")];
    assert_eq!(read_text(cut_at("LoadedModule[1]")).1, [format!("end: {end}")]);
    assert_eq!(
        read_text(cut_at("Sig[3]")).1,
        [format!("end: {end}")],
        "what a signature lacks at its end can't be told from a short signature"
    );
    assert_eq!(
        read_text(cut_at("Sig[0].Name")).1,
        [format!("end: {end}"), "key Sig[0].Value: missing: the report has no problem signature".into()]
    );
    assert_eq!(
        read_text(cut_at("trainer.exe\r\nMetadata")).1,
        ["end: the file ends in the middle of a line, after the key AppPath"]
    );
    let mut odd = utf16(REPORT);
    odd.pop();
    assert_eq!(
        read_all(&odd).1,
        ["last byte: the file is cut in the middle of a character: UTF-16 has two bytes each"]
    );
}

#[test]
fn values_that_make_no_sense_are_losses() {
    let (report, losses) = read_text(&REPORT.replace("133500000000000000", "yesterday"));
    assert_eq!(report.time, None);
    assert_eq!(losses, ["key EventTime: `yesterday` is not what this key holds"]);
}

#[test]
fn gaps_in_lists_are_losses_and_shift_nothing() {
    let (report, losses) =
        read_text(&REPORT.replace("Sig[2].Value=5f000001\r\n", "").replace("Module[1]", "Module[3]"));
    assert_eq!(report.signature.module.as_deref(), Some("ucrtbase.dll"), "still the fourth value");
    assert_eq!(report.modules.len(), 2);
    assert_eq!(
        losses,
        [
            "key Sig[2].Value: missing, though later ones are there",
            "key LoadedModule[1]: missing, though later ones are there"
        ]
    );
}

#[test]
fn an_index_that_lies_costs_no_memory() {
    let (report, losses) = read_text(&REPORT.replace("Sig[8]", "Sig[4294967295]"));
    assert_eq!(report.signature.raw.len(), 8);
    assert_eq!(losses, ["key Sig[4294967295].Value: no signature has that many values"]);
}

#[test]
fn nul_characters_are_a_loss() {
    let (report, losses) = read_text(&REPORT.replace("5f000002", "\0\0\0\0"));
    assert_eq!(&*report.signature.raw[5], "");
    assert_eq!(losses, ["line 14: 4 NUL characters in place of text"]);
}

#[test]
fn an_unknown_event_type_keeps_its_values() {
    let (report, losses) =
        read_text("Version=1\nEventType=SomethingNew\nSig[0].Value=a\nSig[1].Value=b\nFriendlyEventName=\n");
    assert_eq!(report.signature.raw.iter().map(|value| &**value).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let refused = |bytes: &[u8]| read_bytes(bytes, &Names::default()).expect_err("no report").to_string();
    assert_eq!(refused(b"\0\0\xB7\x04\0\0"), "not a Report.wer: its first line does not begin with `Version=`");
    assert_eq!(refused(b""), "not a Report.wer: its first line does not begin with `Version=`");
    assert_eq!(refused(b"Version=1\n"), "key EventType: missing, so nothing says what the report is about");
}

#[test]
fn every_prefix_of_a_report_is_survived() {
    let bytes = utf16(REPORT);
    for length in 0..bytes.len() {
        let _ = read_bytes(&bytes[..length], &Names::default());
    }
}
