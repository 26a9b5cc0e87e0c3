//! Width, and what is left out of long reports.

use super::*;
use crate::facts::EvidenceRef;

#[test]
fn forty_columns() {
    let mut report = everything();
    report.incidents[0].findings[0].references.clear();
    let shown = text(&report, TextOptions { width: 40, ..EIGHTY });
    assert!(shown.lines().all(|line| line.len() <= 40), "{shown}");
    assert_text(
        &shown,
        r"
crashsift: 4 artifacts, 1 incident, 1
machine
1 artifact not readable, 1 read only in
part: listed below.

----------------------------------------

1. python.exe ended because cuDNN did
   not find zlibwapi.dll.

  how sure: act on it (93 %)
  cause: missing-dependency
  severity: high
  rule: cudnn/zlibwapi-missing
  incident: 7f3a9c

What happened
  kind: crash
  time: 2024-11-11T17:43:55.129275Z
  host: PC-7
  process: python.exe 3.9.13150.1013,
    pid 4312, started
    2024-11-11T17:42:55Z
    C:\Python39\python.exe
  exception: 0xC0000409
    STATUS_STACK_BUFFER_OVERRUN
    fast-fail 7 FAST_FAIL_FATAL_APP_EXIT
    read of 0x0, raised at
    0x7ffa1b2c3d4e
  bugcheck: 0x00000116 VIDEO_TDR_FAILURE
    parameters 0xffffc001 0xfffff801 0x0
    0x4
    2: address in the display driver =
    nvlddmkm.sys+0x102f70
    4: internal data
  fault site: ucrtbase.dll
    10.0.19041.789 + 0x7286e, in abort
    a carrier: it delivers exceptions
    for others
    C:\Windows\System32\ucrtbase.dll
  suspect: cudnn64_8.dll 6.14.11.6050
    (basis: unwound)
    C:\tools\cudnn64_8.dll
    The first frame of the stack that is
    no carrier lies in it.
  environment: os: Windows 10.0.19045
    cudnn: 8

Why
  cuDNN 8 loads zlibwapi.dll by name and
  ends the process when Windows does not
  find it.
 *e1  dumps/a.dmp, stream Exception: The
      process ended with 0xC0000409,
      fast-fail 7.
 *e2  dumps/a.dmp, stream ModuleList:
      cudnn64_8.dll is loaded.
  e3  logs/Application.evtx, record
      4711: Application Error 1000 names
      ucrtbase.dll.
  * what the verdict rests on

What to do
  Helpdesk:
  - Put the 64-bit zlibwapi.dll into a
    folder of PATH and start the program
    again.
  Developer:
  - Ship zlibwapi.dll beside
    cudnn64_8.dll.

What to collect next
  - The output of `where zlibwapi.dll`.

Other possible causes
  - heap-corruption: the heap manager
    found damage - possible (31 %)

Remarks
  - The event log writes another time
    than the dump: 2 s later.

More often here than elsewhere (a hint,
no proof)
  - overlay.dll in 41 of 42, against 12
    % of 330 other incidents (always
    together with overlay.dll 1.2.3.4)

----------------------------------------

Machines

PC-7
  environment: os: Windows 10.0.19045
  timeline: 3 entries, UTC
    2024-11-11T17:43:25Z  storage-error:
        A request to disk 0 was retried.
        (2 times, until
        2024-11-11T17:43:35Z)
    2024-11-11T17:43:45Z  driver-reset:
        Display driver nvlddmkm was
        reset.
  coverage: The Application log begins 3
    h before the first incident.

----------------------------------------

Artifacts that were not read whole
  partial: logs/Application.evtx
    chunk 3: wrong checksum
  failed: dumps/b.dmp
    header: the file is empty
  skipped: 1 artifact of kind unknown
    (-v lists them)

----------------------------------------

Totals
  artifacts: 4 (1 artifact not readable,
    1 read only in part)
  incidents: 1
        1  missing-dependency
  rule set: builtin 2026.11 (120 rules)
  version: crashsift VERSION
",
    );
    assert_eq!(text(&report, TextOptions { width: 3, ..EIGHTY }), shown, "never narrower than that");
}

#[test]
fn a_reference_stays_in_one_piece() {
    let shown = text(&everything(), TextOptions { width: 40, ..EIGHTY });
    assert!(shown.contains(&everything().incidents[0].findings[0].references[0]), "{shown}");
}

#[test]
fn wide_terminals_get_a_hundred_columns() {
    let wide = text(&everything(), TextOptions { width: 400, ..EIGHTY });
    assert_eq!(wide.lines().map(str::len).max(), Some(100));
}

#[test]
fn a_thousand_alike_incidents_stay_readable() {
    let incidents = (0..1000).map(|number| undetermined(&format!("i{number:04}"), number)).collect();
    let report = report(vec![ok("a.dmp"), ok("b.evtx")], incidents);
    let shown = text(&report, EIGHTY);
    assert!(shown.contains("Also in this group: 999 incidents\n"), "{shown}");
    assert!(shown.contains("\n  979 more (-v shows all).\n"), "{shown}");
    assert!(shown.lines().count() < 60, "{shown}");

    let whole = text(&report, TextOptions { verbose: true, ..EIGHTY });
    assert!(report.incidents.iter().all(|judged| whole.contains(&judged.incident.id)));
}

#[test]
fn long_timelines_are_cut_with_an_exact_count() {
    let mut report = nothing_found(vec![ok("a.dmp"), ok("b.evtx")]);
    let mut machine = machine();
    machine.timeline =
        (0..1000).map(|number| timeline_entry(number, "storage-error", &format!("block {number}"))).collect();
    report.machines = vec![machine];
    let shown = text(&report, EIGHTY);
    assert!(shown.contains("\n    ... 970 entries not shown: 970 storage-error (-v shows all) ...\n"), "{shown}");
    assert!(
        !shown.contains("block 969\n") && shown.contains("block 970\n") && shown.contains("block 999\n"),
        "{shown}"
    );
}

#[test]
fn many_machines_are_counted() {
    let mut report = nothing_found(vec![ok("a.dmp"), ok("b.evtx")]);
    report.machines = vec![machine(); 11];
    let shown = text(&report, EIGHTY);
    let line = "  timeline     1 driver-reset, 2 storage-error; 2024-11-11T17:43:25Z to\n";
    assert_eq!(shown.matches(line).count(), 11, "{shown}");
}

#[test]
fn skipped_artifacts_are_listed_on_request() {
    let shown = text(&everything(), TextOptions { verbose: true, ..EIGHTY });
    assert!(shown.contains("\n  skipped      notes.xyz\n               unknown\n"), "{shown}");
}

#[test]
fn a_long_overview_counts_the_groups_that_it_leaves_to_the_blocks() {
    let incidents = (0..25).map(|number| {
        let mut judged = undetermined(&format!("i{number}"), number);
        judged.incident.signature.coarse = format!("crash|{number:02}");
        judged
    });
    let shown = text(&report(vec![ok("a.dmp"), ok("b.evtx")], incidents.collect()), EIGHTY);
    assert!(shown.contains("\n     5 more groups described below.\n"), "{shown}");
    assert!(shown.contains("\n25. python.exe crashed"), "{shown}");
}

#[test]
fn evidence_on_which_the_verdict_rests_is_never_left_out() {
    let mut judged = crash("c1");
    let more = judged.incident.evidence[2].clone();
    judged.incident.evidence.resize(100, more);
    judged.findings[0].evidence = vec![EvidenceRef(99)];
    let shown = text(&report(vec![ok("a.dmp"), ok("b.evtx")], vec![judged]), EIGHTY);
    assert!(shown.contains("\n *e99 b.evtx") && shown.contains("\n  e11 b.evtx"), "{shown}");
    assert!(!shown.contains("e12 ") && shown.contains("\n  88 more items (-v shows all).\n"), "{shown}");
}

#[test]
fn a_group_of_several_processes_does_not_speak_of_one() {
    let mut other = undetermined("u2", 3);
    other.incident.process = None;
    let incidents = vec![undetermined("u1", 0), other, bugcheck("b1", 9)];
    let shown = text(&report(vec![ok("a.dmp"), ok("b.evtx")], incidents), EIGHTY);
    assert!(shown.contains("\n  2. 2 crashes of python.exe and others\n"), "{shown}");
}
