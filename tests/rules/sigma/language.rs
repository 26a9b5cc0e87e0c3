//! Matches of rules: fields, modifiers, conditions and log sources.

use samplekit::event_log::{Element, Sid};

use super::*;

/// Whether a rule with this selection matches [`start`].
fn matches_start(selection: &str) -> bool {
    !matched(loaded(&about_starts(selection)), SYSMON, [start()]).is_empty()
}

/// Selections that match [`start`].
const MATCHING: &[&str] = &[
    r"Image: c:\tools\demo.exe",
    r"image: 'C:\Tools\Demo.exe'",
    r"Image: '*\demo.exe'",
    r"Image: 'C:\Tools\D?mo.*'",
    r"Image|endswith: '\demo.exe'",
    r"Image|startswith: 'c:\tools\'",
    "CommandLine|contains: [nothing, fast]",
    "CommandLine|contains|all: [run, FAST]",
    "CommandLine|contains|cased: /Fast",
    "CommandLine|contains|windash: /run",
    "CommandLine|windash|contains: ' -fast'",
    r"CommandLine|contains: '\\\\server\share'",
    r"CommandLine|endswith: '50%\*'",
    r"CommandLine|re: '-\w{3} /F'",
    "CommandLine|re|i: FAST",
    "CommandLine|base64offset|contains: 'http://'",
    "CommandLine|base64|contains: 'http://'",
    "ProcessId: 4312",
    "ProcessId|gte: 4312",
    "ProcessId|lt: 5000",
    "ProcessId|neq: 1",
    "Address|cidr: [192.168.0.0/16, 10.0.0.0/8]",
    "Image|fieldref|startswith: CurrentDirectory",
    "Company|exists: true",
    "Nothing|exists: false",
    "Company: ''",
    "Company: null",
    "Nothing: null",
    "EventID: 1",
    "Provider_Name: Microsoft-Windows-Sysmon",
    "Computer: pc-1",
    "Channel|contains: sysmon",
    "'|all': [explorer, demo]",
    "'|re': 'explorer\\.exe$'",
];

/// Selections that don't match [`start`].
const OTHERS: &[&str] = &[
    "Image: demo.exe",
    r"Image|endswith: demo.ex",
    r"Image|startswith: tools",
    "CommandLine|contains|all: [run, nothing]",
    "CommandLine|contains|cased: /fast",
    "CommandLine|contains: /run",
    "CommandLine|re: FAST",
    "CommandLine|base64offset|contains: 'ftp://'",
    "ProcessId|gt: 4312",
    "ProcessId|neq: 4312",
    "Address|cidr: 192.168.0.0/16",
    "Image|fieldref: ParentImage",
    "Company|exists: false",
    "Nothing|exists: true",
    "Nothing: ''",
    "Image: null",
    "EventID: 2",
    "'|all': [explorer, absent]",
    "CommandLine|contains: '50%?x'",
];

#[test]
fn a_field_is_compared_as_its_modifiers_say() {
    for selection in MATCHING {
        assert!(matches_start(selection), "{selection}");
    }
}

#[test]
fn a_field_that_is_otherwise_does_not_match() {
    for selection in OTHERS {
        assert!(!matches_start(selection), "{selection}");
    }
}

#[test]
fn many_rules_match_together_as_each_does_alone() {
    let numbered = |number: usize, selection: &str| {
        let rule = about_starts(selection).replace("title: A rule", &format!("title: '{number:03}'"));
        rule.replace("11111111", &format!("{number:08}"))
    };
    let all: Vec<String> =
        MATCHING.iter().chain(OTHERS).enumerate().map(|(number, selection)| numbered(number, selection)).collect();
    let found = matched(loaded(&all.join("---\n")), SYSMON, [start()]);
    let expected: Vec<String> = (0..MATCHING.len()).map(|number| format!("{number:03}")).collect();
    assert_eq!(found.into_iter().map(|(title, _)| title).collect::<Vec<_>>(), expected);
}

#[test]
fn utf_16_in_base64_is_found_at_every_offset() {
    // `-e`, then the UTF-16 text "xIEX y" and "IEX y" in Base64.
    let command = |text: &str| {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        sysmon(1, &[("CommandLine", &format!("powershell -e {}", data_encoding::BASE64.encode(&bytes)))])
    };
    let rules = loaded(&about_starts("CommandLine|wide|base64offset|contains: 'IEX'"));
    let found = matched(rules, SYSMON, [command("IEX y"), command("xIEX y"), command("xxIEX"), command("IXE y")]);
    let records: Vec<&str> = found.iter().map(|(_, record)| record.as_str()).collect();
    assert_eq!(records, ["record 1", "record 2", "record 3"]);
}

#[test]
fn selections_are_maps_lists_of_maps_and_words() {
    let matches = |detection: &str| {
        let rules = loaded(&rule("{product: windows, service: sysmon}", detection));
        !matched(rules, SYSMON, [start()]).is_empty()
    };
    assert!(matches("  a: {Image|endswith: demo.exe, ProcessId: 4312}\n  condition: a"));
    assert!(!matches("  a: {Image|endswith: demo.exe, ProcessId: 1}\n  condition: a"));
    assert!(matches("  a: [{Image: x}, {ProcessId: 4312}]\n  condition: a"));
    assert!(matches("  a: [absent, EXPLORER]\n  condition: a") && !matches("  a: [absent]\n  condition: a"));
    assert!(matches("  a: [absent, {ProcessId: 4312}]\n  condition: a"));
    assert!(matches("  a: explorer\n  condition: a"));
    let two =
        |condition: &str| format!("  sel_a: {{ProcessId: 4312}}\n  sel_b: {{ProcessId: 1}}\n  condition: {condition}");
    for (condition, expected) in [
        ("1 of sel_*", true),
        ("all of sel_*", false),
        ("1 of them and not sel_b", true),
        ("sel_a and sel_b or not sel_b", true),
        ("sel_a and not (sel_b or sel_a)", false),
        ("[sel_b, sel_a]", true),
        ("not sel_a", false),
    ] {
        assert_eq!(matches(&two(condition)), expected, "{condition}");
    }
}

#[test]
fn a_rule_is_about_the_records_of_its_log_source_alone() {
    let events = || [start(), sysmon(11, &[("Image", r"C:\Tools\Demo.exe")])];
    let of = |logsource: &str| {
        let rules = loaded(&rule(
            logsource,
            r"  a: {Image|endswith: '\demo.exe'}
  condition: a",
        ));
        matched(rules, SYSMON, events()).into_iter().map(|(_, record)| record).collect::<Vec<_>>()
    };
    assert_eq!(of("{product: windows, category: process_creation}"), ["record 1"]);
    assert_eq!(of("{product: windows, category: file_event}"), ["record 2"]);
    assert_eq!(of("{product: windows, service: sysmon}"), ["record 1", "record 2"]);
    assert_eq!(of("{product: windows}"), ["record 1", "record 2"]);
    assert_eq!(of("{product: windows, service: security}"), [""; 0]);
    assert_eq!(of("{product: windows, category: process_creation, service: sysmon}"), ["record 1"]);
}

/// The start of a process, as Security records it.
fn audited(command_line: &str) -> Event {
    Event::new(Provider::classic("Microsoft-Windows-Security-Auditing"), 4688).at(NOON).named([
        ("NewProcessName", r"C:\Tools\Demo.exe"),
        ("CommandLine", command_line),
        ("MandatoryLabel", "S-1-16-12288"),
    ])
}

#[test]
fn what_a_source_never_writes_decides_nothing() {
    let found = |detection: &str, command_line: &str| {
        let rules = loaded(&rule("{product: windows, category: process_creation}", detection));
        matched(rules, "Security", [audited(command_line)]).len()
    };
    let demo = r"  a: {Image|endswith: '\demo.exe'}";
    assert_eq!(found(&format!("{demo}\n  condition: a"), "x"), 1);
    assert_eq!(found("  a: {IntegrityLevel: high}\n  condition: a", "x"), 1);
    assert_eq!(found("  a: {IntegrityLevel: low}\n  condition: a", "x"), 0);
    // The Security event has no original file name, so it is undecided whether it is another one.
    let original = "  b: {OriginalFileName: tool.exe}";
    assert_eq!(found(&format!("{demo}\n{original}\n  condition: a or b"), "x"), 1);
    assert_eq!(found(&format!("{demo}\n{original}\n  condition: a and not b"), "x"), 0);
    assert_eq!(found(&format!("{demo}\n{original}\n  condition: a and b"), "x"), 0);
    // The command line is only recorded where a policy enables it.
    let safe = "  b: {CommandLine|contains: safe}";
    assert_eq!(found(&format!("{demo}\n{safe}\n  condition: a and not b"), "x"), 1);
    assert_eq!(found(&format!("{demo}\n{safe}\n  condition: a and not b"), ""), 0);
}

#[test]
fn values_without_names_are_data_and_inner_fields_have_their_own_names() {
    let unnamed = Event::new(Provider::classic("PowerShell"), 400).at(NOON).strings(["Available", "HostName=demo"]);
    let rules = loaded(&rule(
        "{product: windows, category: ps_classic_start}",
        "  a: {'Data|contains|all': [hostname=, available]}\n  condition: a",
    ));
    assert_eq!(matched(rules, "Windows PowerShell", [unnamed]).len(), 1);

    let element = Element::parent("RuleAndFileData", vec![Element::value("FilePath", r"%OSDRIVE%\demo.exe")]);
    let blocked = Event::new(Provider::classic("Microsoft-Windows-AppLocker"), 8004).at(NOON).user_data(element);
    let rules = loaded(&rule(
        "{product: windows, service: applocker}",
        r"  a: {FilePath|endswith: '\demo.exe'}
  condition: a",
    ));
    assert_eq!(matched(rules, "Microsoft-Windows-AppLocker/EXE and DLL", [blocked]).len(), 1);
}

#[test]
fn a_field_of_the_record_itself_comes_before_the_head() {
    let cleared = |channel: &str| {
        let element = Element::parent("LogFileCleared", vec![Element::value("Channel", channel)]);
        Event::new(Provider::classic("Microsoft-Windows-Eventlog"), 104).at(NOON).user_data(element)
    };
    let rules = || {
        let detection = "  a: {EventID: 104, Channel: [System, Security]}\n  condition: a";
        loaded(&rule("{product: windows, service: system}", detection))
    };
    assert_eq!(matched(rules(), "System", [cleared("Application")]).len(), 0);
    assert_eq!(matched(rules(), "System", [cleared("Security")]).len(), 1);
}

#[test]
fn every_part_of_the_head_can_be_asked_for() {
    let event = || {
        let event = Event::new(Provider::classic("Demo"), 7).at(NOON).level(3).task(12).version(4);
        event.logged_by(436, 1200).user(Sid::system()).keyword(0x10_0000_0000_0000).strings(["x"])
    };
    let matches = |selection: &str| {
        let detection = format!("  a: {{{selection}}}\n  condition: a");
        let rules = loaded(&rule("{product: windows, service: application}", &detection));
        !matched(rules, "Application", [event()]).is_empty()
    };
    for selection in [
        "Level: 3",
        "Level|lt: 4",
        "Task: 12",
        "Opcode: 0",
        "Version: 4",
        "EventRecordID: 1",
        "Keywords: '0x90000000000000'",
        "Keywords|startswith: '0X9'",
        "Execution_ProcessID: 436",
        "Execution_ThreadID|gte: 1200",
        "Security_UserID: S-1-5-18",
        "TimeCreated_SystemTime|startswith: '2024-05-20T12:00'",
        "Security_UserID|exists: true",
        "Correlation_ActivityID|exists: false",
        "Correlation_ActivityID: null",
        "Level|fieldref: Level",
    ] {
        assert!(matches(selection), "{selection}");
    }
    for selection in
        ["Level: 4", "Task: 1", "Keywords: '0x80000000000000'", "Security_UserID: S-1-5-19", "Nothing_ProcessID: 436"]
    {
        assert!(!matches(selection), "{selection}");
    }
}

#[test]
fn a_field_that_is_called_like_a_part_of_the_head_comes_before_it() {
    let driver = sysmon(6, &[("Version", "1.2.3"), ("Level", "9")]).version(4).level(4);
    let matches = |selection: &str| {
        let detection = format!("  a: {{{selection}}}\n  condition: a");
        let rules = loaded(&rule("{product: windows, service: sysmon}", &detection));
        !matched(rules, SYSMON, [driver.clone()]).is_empty()
    };
    assert!(matches("Version: 1.2.3") && matches("Level: 9") && matches("Opcode: 0"));
    assert!(!matches("Version: 4") && !matches("Level: 4"));
}

#[test]
fn a_long_text_is_looked_for_whole_and_at_once() {
    let command = format!("{}y", "x".repeat(20_000));
    let event = || sysmon(1, &[("CommandLine", command.as_str())]);
    for (wanted, is_there) in [("x".repeat(19_000), true), ("x".repeat(19_000) + "z", false)] {
        for (modifiers, is_there) in [("contains", is_there), ("wide|base64offset|contains", false)] {
            let rules = loaded(&about_starts(&format!("CommandLine|{modifiers}: {wanted}")));
            assert_eq!(matched(rules, SYSMON, [event()]).len(), usize::from(is_there), "{modifiers}");
        }
    }
}
