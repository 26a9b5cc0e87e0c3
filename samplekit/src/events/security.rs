//! Events of the Security channel and of protection software: ends of processes, blocked files.

use crate::event_log::{Element, Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const SECURITY_AUDITING: Guid = Guid::new(0x5484_9625, 0x5478, 0x4994, 0xa5ba, 0x3e3b_0328_c30d);
const EXIT_MONITOR: Guid = Guid::new(0xfd77_1d53, 0x8492, 0x4057, 0x8e35, 0x8c02_813a_f49b);
const DEFENDER: Guid = Guid::new(0x11cd_958a, 0xc507, 0x4ef3, 0xb3f2, 0x5fd9_dfbd_2c78);
const CODE_INTEGRITY: Guid = Guid::new(0x4ee7_6bd8, 0x3cf4, 0x44a0, 0xa0ac, 0x3937_643e_37a3);
const APPLOCKER: Guid = Guid::new(0xcbda_4dbf, 0x8d5d, 0x4f69, 0x9578, 0xbe14_aa54_0d22);

/// Security-Auditing 4689: a process ended with this code. Logged where the audit of processes is enabled.
#[must_use]
pub fn process_exit(time: FileTime, path: &str, process: u32, code: u32) -> Event {
    /// Task of the event in its manifest, and the keyword of successful audits.
    const TASK: u16 = 13_313;
    const AUDIT_SUCCESS: u64 = 0x0020_0000_0000_0000;
    Event::new(Provider::manifest("Microsoft-Windows-Security-Auditing", SECURITY_AUDITING), 4689)
        .level(0)
        .task(TASK)
        .keyword(AUDIT_SUCCESS)
        .at(time)
        .logged_by(4, 9120)
        .named([
            ("SubjectUserSid", Value::Sid(Sid::user())),
            ("SubjectUserName", "user".into()),
            ("SubjectDomainName", "PC".into()),
            ("SubjectLogonId", Value::Hex64(0x4_5E21)),
            ("Status", Value::Hex32(code)),
            ("ProcessId", Value::Hex64(u64::from(process))),
            ("ProcessName", path.into()),
        ])
}

/// ProcessExitMonitor 3001: a process was ended by another one. Logged where silent exits are monitored.
#[must_use]
pub fn ended_by_other(time: FileTime, path: &str, by: &str, code: u32, started: FileTime) -> Event {
    Event::new(Provider::manifest("Microsoft-Windows-ProcessExitMonitor", EXIT_MONITOR), 3001)
        .level(4)
        .at(time)
        .logged_by(4016, 6104)
        .user(Sid::user())
        .named([
            ("param1", path.to_owned()),
            ("param2", by.to_owned()),
            ("param3", code.to_string()),
            ("param4", format!("{:016x}", started.0)),
        ])
}

/// Defender 1117: it acted on a file that it detected as malware. The names of the action and of the product are in the
/// system's language.
#[must_use]
pub fn defender_action(time: FileTime, threat: &str, file: &str, process: &str, action: &str) -> Event {
    let fields = [
        ("Product Name", "Microsoft Defender Antivirus"),
        ("Product Version", "4.18.24060.7"),
        ("Detection ID", "{5150C8DE-BE9F-49C2-9FF9-55BC8A64FB19}"),
        ("Threat Name", threat),
        ("Severity ID", "5"),
        ("Category ID", "8"),
        ("Status Code", "3"),
        ("Process Name", process),
        ("Path", file),
        ("Action ID", "2"),
        ("Action Name", action),
        ("Error Code", "0x00000000"),
    ];
    Event::new(Provider::manifest("Microsoft-Windows-Windows Defender", DEFENDER), 1117)
        .level(4)
        .at(time)
        .logged_by(3952, 7708)
        .user(Sid::system())
        .named(fields)
}

/// AppLocker 8004: a policy blocked a file from loading or starting.
#[must_use]
pub fn applocker_block(time: FileTime, file: &str, process: u32) -> Event {
    let name = file.rsplit('\\').next().unwrap_or(file);
    let root = Element::parent(
        "RuleAndFileData",
        vec![
            Element::value("PolicyNameLength", Value::U16(3)),
            Element::value("PolicyName", "DLL"),
            Element::value("RuleNameLength", Value::U16(1)),
            Element::value("RuleName", "-"),
            Element::value("TargetUser", Value::Sid(Sid::user())),
            Element::value("TargetProcessId", Value::U32(process)),
            Element::value("FilePath", format!(r"%OSDRIVE%\{}", name.to_uppercase())),
            Element::value("Fqbn", "-"),
            Element::value("FullFilePath", file),
        ],
    )
    .in_namespace("http://schemas.microsoft.com/schemas/event/Microsoft.Windows/1.0.0.0");
    Event::new(Provider::manifest("Microsoft-Windows-AppLocker", APPLOCKER), 8004)
        .at(time)
        .logged_by(process, 5112)
        .user(Sid::user())
        .user_data(root)
}

/// CodeIntegrity 3077: a policy that is enforced refused `file` to `process`, both as the kernel writes paths.
#[must_use]
pub fn policy_refusal(time: FileTime, file: &str, process: &str) -> Event {
    const TASK: u16 = 18;
    let policy = "VerifiedAndReputableDesktop";
    let length = |text: &str| Value::U16(crate::bytes::count16(text.encode_utf16().count()));
    Event::new(Provider::manifest("Microsoft-Windows-CodeIntegrity", CODE_INTEGRITY), 3077)
        .version(5)
        .level(2)
        .task(TASK)
        .at(time)
        .logged_by(4, 1016)
        .user(Sid::user())
        .named([
            ("FileNameLength", length(file)),
            ("File Name", file.into()),
            ("ProcessNameLength", length(process)),
            ("Process Name", process.into()),
            ("Requested Signing Level", Value::U8(2)),
            ("Validated Signing Level", Value::U8(1)),
            ("Status", Value::Hex32(0xC0E9_0002)),
            ("PolicyNameLength", length(policy)),
            ("PolicyName", policy.into()),
        ])
}
