//! Artifacts that try to write into the report.

use super::*;

fn hostile() -> Report {
    let mut judged = crash("h1");
    let incident = &mut judged.incident;
    let site = incident.fault_site.as_mut().expect("the crash has one");
    site.module = "gpj\u{202e}lld.exe".into();
    site.path = Some("C:\\a\nTotals\n  incidents 0\r\u{9b}2K\\x.dll".into());
    incident.host = Some("\u{1b}]0;owned\u{7}PC\u{200b}-7".into());
    incident.evidence[0].sentence = "the record says:\n\n1. All is well.\u{1b}[8m".into();
    judged.verdict.sentence = "evil\u{1b}[2J.exe\nended.".into();
    judged.findings[0].explanation = "C:\\x\ty\u{2028}z was loaded.".into();
    let mut report = report(vec![ok("a\u{1b}[31m.dmp"), ok("b\n.evtx")], vec![judged]);
    report.artifacts[0].status = ArtifactStatus::Failed;
    report.artifacts[0].detail = Some("\u{8}\u{8}fine".into());
    report.summary.failed = 1;
    report.machines = vec![machine()];
    report.machines[0].host = "\u{2066}PC".into();
    report
}

#[test]
fn hostile_names_are_shown_and_not_obeyed() {
    let shown = text(&hostile(), EIGHTY);
    let escaped: Vec<&str> = shown.lines().filter(|line| line.contains(r"\u{") || line.contains(r"\n")).collect();
    assert_eq!(
        escaped,
        [
            r"1. python.exe: evil\u{1b}[2J.exe ended",
            r"               \u{1b}]0;owned\u{7}PC\u{200b}-7",
            r"  C:\x y\u{2028}z was loaded.",
            r" *e1  a\u{1b}[31m.dmp, stream Exception: the record says: 1. All is",
            r"      well.\u{1b}[8m",
            r" *e2  a\u{1b}[31m.dmp, stream ModuleList: cudnn64_8.dll is loaded. [in the same",
            r"  e3  b\n.evtx, record 4711: Application Error 1000 names ucrtbase.dll. [same",
            r"  host         \u{1b}]0;owned\u{7}PC\u{200b}-7",
            r"  fault site   gpj\u{202e}lld.exe 10.0.19041.789 + 0x7286e, in abort",
            r"               C:\a\nTotals\n  incidents 0\r\u{9b}2K\x.dll",
            r"\u{2066}PC",
            r"  failed       a\u{1b}[31m.dmp",
            r"               \u{8}\u{8}fine",
        ]
    );
    assert!(!shown.contains(|character: char| character.is_control() && character != '\n'), "{shown:?}");
    for heading in ["Totals", "What happened", "1. "] {
        assert_eq!(shown.lines().filter(|line| line.starts_with(heading)).count(), 1, "{heading}: {shown}");
    }
}

#[test]
fn colour_is_the_only_thing_that_escapes() {
    let colored = text(&hostile(), TextOptions { color: true, ..EIGHTY });
    assert!(colored.contains("\u{1b}[1mWhat happened\u{1b}[0m"), "{colored:?}");
    // What follows an escape is a colour and ends with the first `m`.
    let mut parts = colored.split('\u{1b}');
    let before = parts.next().unwrap_or_default();
    let after = parts.map(|part| part.split_once('m').expect("the end of a colour").1);
    let plain: String = std::iter::once(before).chain(after).collect();
    assert_eq!(plain, text(&hostile(), EIGHTY));
}
