//! Width, and what is left out of long reports.

use super::*;
use facts::EvidenceRef;
use rules::Finding;

#[test]
fn forty_columns() {
    let mut report = everything();
    report.incidents[0].findings[0].references.clear();
    report.incidents[0].incident.may_be_of.clear();
    report.incidents[0].sigma.clear();
    report.machines[0].timeline.remove(0);
    let shown = text(&report, TextOptions { width: 40, ..EIGHTY });
    assert!(shown.lines().all(|line| line.len() <= 40), "{shown}");
    assert_text(
        &shown,
        r#"
crashsift: 4 artifacts, 1 incident, 1
machine
1 artifact not readable, 1 read only in
part: listed below.

----------------------------------------

1. python.exe ended because cuDNN did
   not find zlibwapi.dll

  happened: python.exe crashed:
    ucrtbase.dll read through a null
    pointer (`mov eax,[rcx+0x18]` with
    rcx = 0x0).
  how sure: act on it (93 %)
  cause: missing-dependency
  severity: high
  rule: cudnn/zlibwapi-missing
  checked: right in 5 of 6 known cases;
    the fix is confirmed in 3
  shown again: it was suppressed by site
    until 2024-10-31: The fix is
    ordered.
  suppressed: interference/hook
    (injected-module, 42 %), by site
    until 2024-12-31: The fix is
    ordered.
  suspect: cudnn64_8.dll 6.14.11.6050,
    cuDNN of NVIDIA (by the calls and
    values that lead there)
  incident: 7f3a9c, crash of python.exe,
    2024-11-11T17:43:55Z, PC-7

What to do
  Helpdesk:
  1. Put the 64-bit zlibwapi.dll into a
     folder of PATH and start the
     program again. (minutes; needs
     admin; undo: Delete the file again)
  Developer:
  1. Ship zlibwapi.dll beside
     cudnn64_8.dll.

What to collect next
  - The output of `where zlibwapi.dll`.

Why
  cuDNN 8 loads zlibwapi.dll by name and
  ends the process when Windows does not
  find it.
 *e1  dumps/a.dmp, stream Exception: The
      process ended with 0xC0000409,
      fast-fail 7.
 *e2  dumps/a.dmp, stream ModuleList:
      cudnn64_8.dll is loaded. [in the
      same text: strong]
  e3  logs/Application.evtx, record
      4711: Application Error 1000 names
      ucrtbase.dll. [same process and
      start: certain]
  * what the verdict rests on
  It also rests on incidents at the same
  place on other machines (the first of
  each): 41d0be, 9c2277 and 3 more.

Other possible causes
  - heap-corruption: the heap manager
    found damage - symptom (31 %), cause
    not known

What similar crashes turned out to be
(statistics, not read from this
evidence)
  - outdated-vc-runtime (only 3 similar
    cases)
    To check (5 min): Read the version
    of msvcp140.dll. If it is old,
    replace it. If not, this cause is
    ruled out.

What happened
  time: 2024-11-11T17:43:55.129275Z
  customer: acme
  host: PC-7 (likely: its logs lie
    beside it)
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
    a carrier: errors of other code show
    up in it, and it is seldom the cause
    C:\Windows\System32\ucrtbase.dll
  how: ucrtbase.dll read through a null
    pointer (`mov eax,[rcx+0x18]` with
    rcx = 0x0).
    null-read (97 % certain)
  suspect: C:\tools\cudnn64_8.dll
    cuDNN of NVIDIA: library for neural
    networks
    The first frame of the stack that is
    no carrier lies in it.
  thrown: class std::bad_alloc (by
    cudnn64_8.dll): bad allocation
  symbols: not at hand: python39.pdb,
    which names the function at
    python39.dll+0x4010 (crashsift
    symbols-needed lists them)
  message: Assertion failed: size > 0
  inside: 0x80004002 E_NOINTERFACE, met
    in combase.dll: no such interface
  state: It had run for 60 s.
    1.0 GiB of RAM were free.
  annotations: ptype = renderer; 4 more
  also loaded: rtsshooks64.dll
    (RivaTuner Statistics Server
    overlay); plugin.dll (in Tools); and
    3 more
  built with: Python of python.org
    (python39.dll 3.9.13150.1013)
  environment: os: Windows 10.0.19045
    cudnn: 8

Stack (innermost first)
   0  ucrtbase.dll+0x7286e   abort
      cudnn::check  D:\src\check.h:7
          (inlined)
   1  cudnn64_8.dll+0x12c40
      cudnn::Handle::load
      D:\src\handle.cpp:88
   2  python39.dll+0x4010
      (the same frame 2 times more)
   5  python.exe+0x1290      [scanned]

Stack of Python (innermost first)
   0  fit  C:\work\train.py:12

Threads: 2
  6 "main": at ntdll.dll+0x9f5d4;
      started at python.exe+0x1000;
      called from python39.dll
  7 (crashed): at ntdll.dll+0x9f5d4

Remarks
  - The event log writes another time
    than the dump: 2 s later.

More often here than elsewhere (a hint,
no proof)
  - overlay.dll in 41 of 42, against 12
    % of 330 other incidents (always
    together with overlay.dll 1.2.3.4)

----------------------------------------

What the folder could not show
  - acme: the Application log of PC-7
    begins late

----------------------------------------

Machines

PC-7 (customer acme)
  environment: os: Windows 10.0.19045
    gpu_driver: 546.33
    also gpu_driver: 536.23
    (2024-11-11T17:42:25Z)
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

Files that were not read, or not whole
  partial: logs/Application.evtx
    chunk 3: wrong checksum
  failed: dumps/b.dmp
    header: the file is empty
  skipped: notes.xyz
    unknown

----------------------------------------

Totals
  artifacts: 4 (1 artifact not readable,
    1 read only in part)
  incidents: 1
        1  missing-dependency
  suppressed: 1 finding
  rule set: builtin 2026.11 (120 rules)
  rule set: site 3 (2 rules, 1 override,
    2 suppressions, 1 list, 1 rule
    disabled)
  version: crashsift VERSION
"#,
    );
    assert_eq!(text(&report, TextOptions { width: 3, ..EIGHTY }), shown, "never narrower than that");
}

#[test]
fn a_reference_stays_in_one_piece() {
    let shown = text(&everything(), TextOptions { width: 40, ..EIGHTY });
    assert!(shown.contains(&everything().incidents[0].findings[0].references[0]), "{shown}");
}

#[test]
fn superseded_findings_are_shown_where_everything_is() {
    let shown = text(&everything(), TextOptions { verbose: true, ..EIGHTY });
    let section =
        shown.split("\nSuperseded\n").nth(1).expect("a section").split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "missing-dependency: the heap manager found damage - rule loader/error-126, superseded by";
    assert!(section.contains(told), "{shown}");
    assert!(!text(&everything(), EIGHTY).contains("Superseded"));
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
    assert!(shown.contains("\n     5 more groups below.\n"), "{shown}");
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
    assert!(shown.contains("\n  2. 2 crashes of python.exe and others: not determined\n"), "{shown}");
}

#[test]
fn the_verdict_that_is_shown_is_the_one_that_json_names() {
    let with = |id: &str, cause: &str, confidence: f64| {
        let mut judged = undetermined(id, 0);
        judged.verdict.cause = cause.into();
        judged.verdict.confidence = confidence;
        judged.verdict.sentence = format!("{cause} it was.");
        judged
    };
    for (members, cause) in [
        // What most incidents have outweighs what one is sure of.
        (
            vec![with("a", "gpu-timeout", 0.5), with("b", "gpu-timeout", 0.5), with("c", "driver-too-old", 0.9)],
            "gpu-timeout",
        ),
        // Of what is equally frequent the surest.
        (vec![with("a", "driver-too-old", 0.8), with("b", "gpu-timeout", 0.6)], "driver-too-old"),
        // A sure incident speaks for others without a verdict, less sure.
        (vec![undetermined("a", 0), undetermined("b", 1), with("c", "gpu-timeout", 0.96)], "gpu-timeout"),
    ] {
        let report = report(vec![ok("a.dmp"), ok("b.evtx")], members);
        assert_eq!(report.groups[0].cause.as_deref(), Some(cause));
        let shown = text(&report, EIGHTY);
        assert!(shown.contains(&format!("\n1. python.exe: {cause} it was\n")), "{shown}");
    }
    let report = report(vec![ok("a.dmp"), ok("b.evtx")], vec![undetermined("a", 0), undetermined("b", 1)]);
    assert_eq!(report.groups[0].cause, None);
}

#[test]
fn a_thousand_groups_are_listed_and_fifty_described() {
    let incidents = (0..1000).map(|number| {
        let mut judged = undetermined(&format!("i{number:04}"), number);
        judged.incident.signature.coarse = format!("crash|{number:04}");
        judged
    });
    let report = report(vec![ok("a.dmp"), ok("b.evtx")], incidents.collect());
    let shown = text(&report, EIGHTY);
    assert!(shown.contains("\n50. python.exe crashed") && !shown.contains("\n51. python.exe crashed"), "{shown}");
    assert!(shown.contains("\n950 more groups (-v describes them)\n"), "{shown}");
    assert!(shown.contains("\n1000. 1 crash of python.exe: not determined\n"), "{shown}");
    let whole = text(&report, TextOptions { verbose: true, ..EIGHTY });
    assert!(whole.contains("\n1000. python.exe crashed"), "{whole}");
}

#[test]
fn archives_are_named_and_the_reader_told_to_extract_them() {
    let archive = |path: &str| artifact(path, ArtifactStatus::Skipped, Some("archives are not opened"));
    let report = nothing_found(vec![archive("a.zip"), archive("b.zip"), ok("c.dmp")]);
    let shown = text(&report, EIGHTY);
    assert!(
        shown.starts_with("crashsift: 3 artifacts, 0 incidents\n2 archives not opened: listed below.\n"),
        "{shown}"
    );
    let rows =
        "  not opened   2 archives: extract them and analyze the folder\n               a.zip\n               b.zip\n";
    assert!(shown.contains(rows), "{shown}");
    assert!(shown.contains("What could not be read may hold"), "{shown}");
}

/// Rules of one cause that all match the same evidence say the same again and again.
#[test]
fn of_rules_that_agree_the_first_are_named() {
    let mut report = everything();
    let first = report.incidents[0].findings[0].clone();
    let agreeing = |number: usize| Finding { rule: format!("demo/rule-{number}"), confidence: 0.4, ..first.clone() };
    report.incidents[0].findings.extend((1..=5).map(agreeing));
    let shown = text(&report, EIGHTY);
    assert_eq!(shown.matches("Also by rule demo/").count(), 3, "{shown}");
    assert!(shown.contains("demo/rule-3") && shown.contains("  Also by 2 more rules (-v shows them).\n"), "{shown}");
    let shown = text(&report, TextOptions { verbose: true, ..EIGHTY });
    assert!(shown.contains("demo/rule-5") && !shown.contains("more rules"), "{shown}");
    report.incidents[0].findings.pop();
    assert!(text(&report, EIGHTY).contains("  Also by 1 more rule (-v shows it).\n"));
}
