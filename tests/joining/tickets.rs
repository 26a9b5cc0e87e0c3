//! Pasted texts beside other evidence: which of them are incidents, to which incidents others belong, and what they
//! add.

use std::path::Path;

use incident::IncidentKind;
use pipeline::{Options, Silent, analyze, inspect};
use report::Report;
use report::inspected::Inspected;
use rules::RuleSet;
use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout, bugcheck};
use samplekit::{FileTime, FileVersion, Guid};

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

fn crash(app: &str, offset: u64, minute: u64) -> Crash {
    let image = |name: &str| Image {
        path: format!(r"C:\Program Files\Demo\{name}"),
        version: Some(FileVersion([2, 1, 0, 7])),
        timestamp: 0x6543_2100,
    };
    let time = NOON.plus_seconds(minute * 60);
    Crash {
        app: image(app),
        module: image("part.dll"),
        code: 0xC000_0005,
        offset,
        data: 0,
        process: 4312,
        started: time.minus_seconds(60),
        time,
        report_id: Guid::made_up(&format!("{app} {offset} {minute}")),
    }
}

fn log(crashes: &[Crash]) -> Vec<u8> {
    let mut log = EventLog::new("Application", "PC-1");
    for crash in crashes {
        log.add(crash.application_error(Layout::Positional));
    }
    log.to_bytes()
}

fn with_files<T>(files: &[(&str, &[u8])], run: impl Fn(&Path) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    run(folder.path())
}

fn report(files: &[(&str, &[u8])]) -> Report {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let analyzed = |path: &Path| analyze(&[path.into()], &rules, &Options::default(), &Silent);
    with_files(files, analyzed)
}

fn inspected(files: &[(&str, &[u8])]) -> Inspected {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = |path: &Path| inspect(&[path.into()], &rules, &Options::default());
    with_files(files, inspected)
}

/// For each incident, the kinds of the artifacts with evidence of it.
fn kinds(report: &Report) -> Vec<String> {
    let of = |judged: &report::Judged| {
        let evidence = judged.incident.evidence.iter();
        let kinds: Vec<&str> = evidence.map(|item| &*report.artifacts[item.artifact].kind).collect();
        kinds.join(" + ")
    };
    let mut kinds: Vec<String> = report.incidents.iter().map(of).collect();
    kinds.sort();
    kinds
}

const MAIL: &[u8] = b"Faulting application name: demo.exe, version: 2.1.0.7, time stamp: 0x65432100\n\
    Faulting module name: part.dll, version: 2.1.0.7, time stamp: 0x65432100\nException code: 0xc0000005\n";

#[test]
fn a_text_joins_the_only_crash_that_agrees_with_it() {
    let one = log(&[crash("demo.exe", 0x1234, 0), crash("other.exe", 0x1234, 5)]);
    assert_eq!(kinds(&report(&[("a.evtx", &one), ("mail.txt", MAIL)])), ["event-log", "event-log + ticket"]);
    // Two crashes agree with the text: it is not known which one it is about.
    let two = log(&[crash("demo.exe", 0x1234, 0), crash("demo.exe", 0x5678, 5)]);
    assert_eq!(kinds(&report(&[("a.evtx", &two), ("mail.txt", MAIL)])), ["event-log", "event-log", "ticket"]);
    // The offset decides.
    let offset = [MAIL, b"Fault offset: 0x0000000000005678\n"].concat();
    let joined = report(&[("a.evtx", &two), ("mail.txt", &offset)]);
    assert_eq!(kinds(&joined), ["event-log", "event-log + ticket"]);
    let text = joined.incidents.iter().find(|judged| judged.incident.evidence.len() == 2).expect("the joined one");
    assert_eq!(text.incident.fault_site.as_ref().and_then(|site| site.offset).map(|offset| offset.0), Some(0x5678));
}

#[test]
fn a_text_that_fits_several_crashes_is_of_one_of_them_and_is_not_counted() {
    let two = log(&[crash("demo.exe", 0x1234, 0), crash("demo.exe", 0x5678, 5)]);
    let report = report(&[("a.evtx", &two), ("mail.txt", MAIL)]);
    let (texts, crashes): (Vec<_>, Vec<_>) =
        report.incidents.iter().partition(|judged| !judged.incident.may_be_of.is_empty());
    let (text, ids): (_, Vec<&str>) = (texts[0], crashes.iter().map(|judged| judged.incident.id.as_str()).collect());
    assert_eq!((texts.len(), ids.len()), (1, 2));
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    assert_eq!(text.incident.may_be_of, sorted);
    assert!(text.incident.remarks[0].starts_with("This text may tell of any of 2 incidents"), "{text:?}");
    // Missing evidence is requested with the crashes; here, the report asks which of them the text is about. Weak leads
    // request nothing.
    assert!(text.findings.iter().any(|finding| !finding.collect.is_empty()), "{text:?}");
    let asked = &text.verdict.collect_next;
    assert!(matches!(&**asked, [one] if one.starts_with("Which of these incidents the text describes")), "{asked:?}");
    let grouped: Vec<&str> = report.groups.iter().flat_map(|group| &group.incidents).map(String::as_str).collect();
    assert_eq!(grouped, ids);
    assert!(report.coverage.gaps.iter().all(|gap| gap.host.is_some()), "{:?}", report.coverage.gaps);
    assert!(report.coverage.collect_next.iter().all(|request| request.incidents == 2));
}

#[test]
fn a_text_that_contradicts_is_an_incident_of_its_own() {
    let log = log(&[crash("demo.exe", 0x1234, 0)]);
    for text in [
        "Exception code: 0xc0000409\nFaulting module name: part.dll, version: 2.1.0.7",
        "Exception code: 0xc0000005\nFaulting module name: part.dll, version: 2.0.0.0",
        "Exception code: 0xc0000005\nFaulting module name: ntdll.dll",
        "Exception code: 0xc0000005",
    ] {
        assert_eq!(
            kinds(&report(&[("a.evtx", &log), ("mail.txt", text.as_bytes())])),
            ["event-log", "ticket"],
            "{text}"
        );
    }
}

#[test]
fn a_text_about_a_program_that_did_not_answer_is_a_hang() {
    let kind = |text: &str| report(&[("mail.txt", text.as_bytes())]).incidents[0].incident.kind;
    for text in [
        "Problem Event Name:\tAppHangB1\nApplication Name:\ttool.exe\nHang Signature:\t3ac3\n",
        "Event Name: AppHangTransient\nP1: tool.exe\nP2: 1.0.0.0\n",
        "The program tool.exe version 3.0.76.6417 stopped interacting with Windows and was closed.\n",
    ] {
        assert_eq!(kind(text), IncidentKind::Hang, "{text}");
    }
    let crashed = "Problem Event Name:\tAPPCRASH\nApplication Name:\ttool.exe\nException Code:\tc0000005\n";
    assert_eq!(kind(crashed), IncidentKind::Crash);
}

#[test]
fn a_text_of_another_day_is_an_incident_of_its_own() {
    let log = log(&[crash("demo.exe", 0x1234, 0)]);
    let dated = |date: &str| {
        let text = [MAIL, date.as_bytes(), b"\n"].concat();
        kinds(&report(&[("a.evtx", &log), ("mail.txt", &text)])).len()
    };
    for date in [
        "Date: 06/05/2024 14:00:00",
        "Date:          5/6/2024 2:00:00 PM",
        "Datum: 06.05.2024 13:00:00",
        "TimeCreated : 2024-05-06 12:00:00",
        // The next day in an eastern time zone.
        "Date: 07/05/2024 01:00:00",
        // The date of the mail.
        "From: Anna\nDate: 20/06/2024 08:00\nSubject: it crashed",
        // Another calendar.
        "Date: 06/05/2567 14:00:00",
        "Date: 01/02/2023 10:00:00\nLevel: Error\nDate: 06/05/2024 14:00:00",
    ] {
        assert_eq!(dated(date), 1, "{date}");
    }
    for date in [
        "Date: 06/05/2023 14:00:00",
        "Date: 08/05/2024 14:00:00",
        "Debug session time: Mon May 13 14:00:00.000 2024 (UTC + 2:00)",
    ] {
        assert_eq!(dated(date), 2, "{date}");
    }
}

#[test]
fn a_report_id_joins_a_text_to_its_event() {
    let crashes = [crash("demo.exe", 0x1234, 0), crash("demo.exe", 0x1234, 5)];
    let text = [MAIL, format!("Report Id: {}\n", crashes[1].report_id).as_bytes()].concat();
    let report = report(&[("a.evtx", &log(&crashes)), ("mail.txt", &text)]);
    assert_eq!(kinds(&report), ["event-log", "event-log + ticket"]);
}

#[test]
fn a_stop_in_a_text_joins_the_one_in_the_log() {
    let parameters = [0xFFFF_AB12_CD34_E560, 0xFFFF_F800_1234_5678, 0, 4];
    let mut log = EventLog::new("System", "PC-1");
    log.add(bugcheck(NOON, 0x116, parameters, "C:\\a.dmp", Guid::made_up("stop")));
    let log = log.to_bytes();
    let text = |code: &str| format!("BugCheck {code}, {{ffffab12cd34e560, fffff80012345678, 0, 4}}");
    assert_eq!(kinds(&report(&[("a.evtx", &log), ("b.log", text("116").as_bytes())])), ["event-log + ticket"]);
    assert_eq!(kinds(&report(&[("a.evtx", &log), ("b.log", text("117").as_bytes())])), ["event-log", "ticket"]);
    assert_eq!(kinds(&report(&[("a.evtx", &log), ("b.log", b"VIDEO_TDR_FAILURE")])), ["event-log", "ticket"]);
}

const XML: &str = "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>\
    <Provider Name='Application Error'/><EventID>1000</EventID><TimeCreated SystemTime='2024-05-06T12:00:00Z'/>\
    <Channel>Application</Channel><Computer>PC-1</Computer></System><EventData><Data>demo.exe</Data><Data>2.1.0.7</Data>\
    <Data>65432100</Data><Data>part.dll</Data><Data>2.1.0.7</Data><Data>65432100</Data><Data>c0000005</Data>\
    <Data>0000000000001234</Data></EventData></Event>";

#[test]
fn an_event_pasted_as_xml_gives_the_facts_of_the_event_and_takes_its_text_along() {
    let text = format!("It died when I clicked Save.\n{XML}\nPlease help.");
    let inspected = inspected(&[("mail.txt", text.as_bytes())]);
    let (incident, facts) = &inspected.incidents[0];
    assert_eq!(inspected.incidents.len(), 1);
    assert_eq!(incident.host.as_deref(), Some("PC-1"));
    let shown = |path: &str| format!("{:?}", facts.get(path).map(|known| &known.value));
    assert!(shown("fault_site.module").contains("part.dll") && shown("os.family").contains("windows"));
    assert_eq!(facts.list("events").map(<[_]>::len), Some(1));
    assert_eq!(facts.list("text").map(<[_]>::len), Some(2));
    assert_eq!(incident.evidence[0].place.to_string(), "line 2");
}

#[test]
fn a_driver_event_that_was_pasted_with_a_crash_belongs_to_it() {
    let driver = "<Event><System><Provider Name='nvlddmkm'/><EventID>13</EventID><Computer>PC-1</Computer></System>\
        <EventData><Data>\\Device\\Video3</Data><Data>Graphics Exception</Data></EventData></Event>";
    let inspected = inspected(&[("mail.txt", format!("{XML}\n{driver}").as_bytes())]);
    let (_, facts) = &inspected.incidents[0];
    assert_eq!(inspected.incidents.len(), 1);
    assert_eq!(facts.list("events").map(<[_]>::len), Some(2));
}

const SMI: &[u8] = b"| NVIDIA-SMI 537.13     Driver Version: 537.13       CUDA Version: 12.2     |\n";

#[test]
fn an_inventory_makes_no_incident_and_describes_those_of_its_folder() {
    let driver = |inspected: &Inspected, index: usize| {
        inspected.incidents[index].1.get("environment.nvidia_driver").map(|known| format!("{:?}", known.value))
    };
    let one = log(&[crash("demo.exe", 0x1234, 0)]);
    assert!(report(&[("smi.txt", SMI)]).incidents.is_empty());
    assert_eq!(kinds(&report(&[("a.evtx", &one), ("smi.txt", SMI)])), ["event-log + ticket"]);
    assert!(driver(&inspected(&[("a.evtx", &one), ("smi.txt", SMI)]), 0).is_some());
    let elsewhere = inspected(&[("case 1/a.evtx", &one), ("case 2/smi.txt", SMI)]);
    let told: Vec<_> = (0..elsewhere.incidents.len()).filter(|index| driver(&elsewhere, *index).is_some()).collect();
    let has_crash = |index: &usize| elsewhere.incidents[*index].0.process.is_some();
    assert!(!told.iter().any(has_crash), "{told:?}");
}

#[test]
fn an_inventory_that_names_its_computer_describes_no_other() {
    let one = log(&[crash("demo.exe", 0x1234, 0)]);
    let text = |host: &str| format!("Host Name:    {host}\nSystem Model:  Precision 7720\n");
    let model = |host: &str| {
        let inspected = inspected(&[("a.evtx", &one), ("info.txt", text(host).as_bytes())]);
        inspected
            .incidents
            .iter()
            .any(|(incident, facts)| incident.process.is_some() && facts.get("environment.model").is_some())
    };
    assert!(model("PC-1") && !model("PC-2"));
}

#[test]
fn a_second_code_in_a_text_is_kept_in_sight() {
    let report = report(&[("a.txt", b"Exception code: 0xc0000409\nProcess finished with exit code -1073741819\n")]);
    let incident = &report.incidents[0].incident;
    assert_eq!(incident.exception.as_ref().map(|exception| exception.code.0), Some(0xC000_0409));
    assert_eq!(incident.remarks, ["e1 also says exception code 0xC0000005 (line 2)."]);
}

#[test]
fn events_of_several_crashes_in_one_text_are_several_incidents() {
    let event = |number: u32, app: &str, report: u32| {
        format!(
            "Event[{number}]:\n  Log Name: Application\n  Source: Application Error\n  Event ID: 1000\n  Description: \n\
             Faulting application name: {app}, version: 1.0.0.0, time stamp: 0x60000000\n\
             Faulting module name: part.dll, version: 1.0.0.0, time stamp: 0x60000000\nException code: 0xc0000005\n\
             Fault offset: 0x0000000000001234\nFaulting process id: 0x1{report}\nFaulting application start time: 0x01d900001122334{report}\n\
             Faulting application path: C:\\{app}\nFaulting module path: C:\\part.dll\n\
             Report Id: 0a0b0c0d-1111-2222-3333-44556677889{report}\n\n"
        )
    };
    let same = [event(0, "one.exe", 1), event(1, "one.exe", 1)].concat();
    assert_eq!(kinds(&report(&[("events.txt", same.as_bytes())])), ["ticket"]);
    let different = [event(0, "one.exe", 1), event(1, "two.exe", 2), event(2, "one.exe", 3)].concat();
    let report = report(&[("events.txt", different.as_bytes())]);
    assert_eq!(kinds(&report), ["ticket", "ticket", "ticket"]);
    let mut places: Vec<String> =
        report.incidents.iter().map(|judged| judged.incident.evidence[0].place.to_string()).collect();
    places.sort();
    assert_eq!(places, ["lines 19, 21-29", "lines 34, 36-44", "lines 4, 6-14"]);
}

#[test]
fn a_debuggers_analysis_distinguishes_the_faulting_from_the_blamed_module() {
    let text = b"ExceptionAddress: 00007ffa2c11286e (ucrtbase!abort+0x4e)\n   ExceptionCode: c0000409\n\
        PROCESS_NAME:  demo.exe\nIMAGE_NAME:  part.dll\n";
    let report = report(&[("a.log", text)]);
    let incident = &report.incidents[0].incident;
    assert_eq!(incident.fault_site.as_ref().map(|site| (&*site.module, site.carrier)), Some(("ucrtbase.dll", true)));
    assert_eq!(
        incident.suspect.as_ref().map(|suspect| (&*suspect.module, suspect.basis.word())),
        Some(("part.dll", "named"))
    );
}

#[test]
fn a_file_that_is_given_as_a_ticket_is_read_once() {
    let rules = RuleSet::load(false, &[]).expect("no rules");
    let artifacts = |path: &Path| {
        let file = path.join("mail.txt");
        let name = untrusted::display_path(&file);
        let options = Options { pasted: vec![(name, MAIL.into())], ..Options::default() };
        analyze(&[path.into()], &rules, &options, &Silent).artifacts.len()
    };
    assert_eq!(with_files(&[("mail.txt", MAIL)], artifacts), 1);
}

#[test]
fn a_text_is_the_same_in_every_encoding() {
    let text = "Имя сбойного приложения: demo.exe, версия: 2.1.0.7\r\nИмя сбойного модуля: part.dll\r\n\
                Код исключения: 0xc0000005\r\n";
    let (windows_1251, _, _) = encoding_rs::WINDOWS_1251.encode(text);
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_mark = [&b"\xFF\xFE"[..], &utf16].concat();
    for bytes in [text.as_bytes(), &windows_1251, &with_mark] {
        let report = report(&[("mail.txt", bytes)]);
        let incident = &report.incidents[0].incident;
        assert_eq!(incident.fault_site.as_ref().map(|site| &*site.module), Some("part.dll"));
        assert_eq!(incident.exception.as_ref().map(|exception| exception.code.0), Some(0xC000_0005));
    }
}

#[test]
fn a_table_of_codes_is_no_crash_unless_the_text_is_given_as_a_ticket() {
    let table: String = (5..40).map(|number| format!("0xC00000{number:02X} means something\n")).collect();
    let skipped = report(&[("codes.md", table.as_bytes())]);
    assert!(skipped.incidents.is_empty());
    assert!(skipped.artifacts[0].detail.as_deref().is_some_and(|detail| detail.contains("35 different codes")));
    let rules = RuleSet::load(false, &[]).expect("no rules");
    let options = Options { pasted: vec![("standard input".into(), table.as_bytes().into())], ..Options::default() };
    let given = analyze(&[], &rules, &options, &Silent);
    assert_eq!(given.incidents.len(), 1);
}

#[test]
fn source_code_and_requirements_are_skipped_with_a_reason() {
    let code =
        "import os\nimport sys\n\ndef run():\n    code = 0xC0000005\n    raise OSError('[WinError 126]')\n\nrun()\n";
    let report = report(&[("run.py", code.as_bytes()), ("requirements.txt", b"numpy>=1.20\ntorch==2.1\n-r x.txt\n")]);
    assert!(report.incidents.is_empty());
    let details: Vec<&str> = report.artifacts.iter().filter_map(|artifact| artifact.detail.as_deref()).collect();
    assert!(details[0].contains("requires") && details[1].contains("source code"), "{details:?}");
}

#[test]
fn a_code_that_is_only_mentioned_is_no_proof_that_something_ended_with_it() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let confidence = |text: &str| {
        let options = Options { pasted: vec![("mail".to_owned(), text.as_bytes().into())], ..Options::default() };
        let report = analyze(&[], &rules, &options, &Silent);
        report.incidents.first().map_or(0.0, |judged| judged.verdict.confidence)
    };
    assert!(confidence("A colleague asks what 0xC00000FD means. There was no crash.") < 0.8);
    assert!(confidence("Process finished with exit code -1073741571 (0xC00000FD)") >= 0.8);
}
