//! Artifacts that try to write into the report.

use super::*;

fn hostile() -> Report {
    let mut judged = crash("h1");
    let incident = &mut judged.incident;
    let site = incident.fault_site.as_mut().expect("the crash has one");
    site.module = "gpj\u{202e}lld.exe".into();
    site.path = Some("C:\\a\nTotals\n  incidents 0\r\u{9b}2K\\x.dll".into());
    incident.host = Some("\u{1b}]0;owned\u{7}PC\u{200b}-7".into());
    incident.evidence[0].says = "the record says:\n\n1. All is well.\u{1b}[8m".into();
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
    assert_text(
        &text(&hostile(), EIGHTY),
        r"
crashsift: 2 artifacts, 1 incident, 1 machine
1 artifact not readable: listed below.

--------------------------------------------------------------------------------

1. evil\u{1b}[2J.exe ended.

  how sure     act on it (93 %)
  cause        missing-dependency
  severity     high
  rule         cudnn/zlibwapi-missing
  suspect      cudnn64_8.dll 6.14.11.6050 (basis: unwound)
  incident     h1, crash of python.exe, 2024-11-11T17:43:55Z,
               \u{1b}]0;owned\u{7}PC\u{200b}-7

What to do
  Helpdesk:
  - Put the 64-bit zlibwapi.dll into a folder of PATH and start the program
    again.
  Developer:
  - Ship zlibwapi.dll beside cudnn64_8.dll.

What to collect next
  - The output of `where zlibwapi.dll`.

Why
  C:\x y\u{2028}z was loaded.
 *e1  a\u{1b}[31m.dmp, stream Exception: the record says: 1. All is
      well.\u{1b}[8m
 *e2  a\u{1b}[31m.dmp, stream ModuleList: cudnn64_8.dll is loaded. [same-text,
      strong]
  e3  b\n.evtx, record 4711: Application Error 1000 names ucrtbase.dll.
      [process-and-start, certain]
  * what the verdict rests on

Other possible causes
  - heap-corruption: the heap manager found damage - possible (31 %)

What happened
  time         2024-11-11T17:43:55.129275Z
  host         \u{1b}]0;owned\u{7}PC\u{200b}-7
  process      python.exe 3.9.13150.1013, pid 4312, started 2024-11-11T17:42:55Z
               C:\Python39\python.exe
  exception    0xC0000409 STATUS_STACK_BUFFER_OVERRUN
               fast-fail 7 FAST_FAIL_FATAL_APP_EXIT
               read of 0x0, raised at 0x7ffa1b2c3d4e
  fault site   gpj\u{202e}lld.exe 10.0.19041.789 + 0x7286e, in abort
               a carrier: it delivers exceptions for others
               C:\a\nTotals\n  incidents 0\r\u{9b}2K\x.dll
  suspect      C:\tools\cudnn64_8.dll
               The first frame of the stack that is no carrier lies in it.
  environment  os: Windows 10.0.19045
               cudnn: 8

Remarks
  - The event log writes another time than the dump: 2 s later.

Read more
  https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-830/pdf/cuDNN-Installation-Guide.pdf

--------------------------------------------------------------------------------

Machines

\u{2066}PC
  environment  os: Windows 10.0.19045
               gpu_driver: 546.33
               also gpu_driver: 536.23 (2024-11-11T17:42:25Z)
  timeline     3 entries, UTC
    2024-11-11T17:43:25Z  storage-error: A request to disk 0 was retried. (2
        times, until 2024-11-11T17:43:35Z)
    2024-11-11T17:43:45Z  driver-reset: Display driver nvlddmkm was reset.
  coverage     The Application log begins 3 h before the first incident.

--------------------------------------------------------------------------------

Artifacts that were not read whole
  failed       a\u{1b}[31m.dmp
               \u{8}\u{8}fine

--------------------------------------------------------------------------------

Totals
  artifacts    2 (1 artifact not readable)
  incidents    1
        1  missing-dependency
  rule set     builtin 2026.11 (120 rules)
  version      crashsift VERSION
",
    );
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
