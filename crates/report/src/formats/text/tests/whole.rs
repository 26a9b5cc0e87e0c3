//! Whole reports, as they are read.

use super::*;

#[test]
fn no_incident() {
    let report = nothing_found(vec![ok("dumps/a.dmp"), ok("logs/System.evtx")]);
    assert_text(
        &text(&report, EIGHTY),
        r"
crashsift: 2 artifacts, 0 incidents

No incident was found. What shows a crash: dumps (%LOCALAPPDATA%\CrashDumps,
C:\Windows\Minidump), the Application and System event logs (.evtx), Report.wer
files (below C:\ProgramData\Microsoft\Windows\WER), and the text that the
program printed. `crashsift collect-script` prints a script that collects them.

--------------------------------------------------------------------------------

Totals
  artifacts    2
  incidents    0
  rule set     builtin 2026.11 (120 rules)
  version      crashsift VERSION
",
    );
}

#[test]
fn no_incident_where_not_everything_was_read_is_no_proof() {
    let empty = artifact("a.dmp", ArtifactStatus::Failed, Some("header: the file is empty"));
    let shown = text(&nothing_found(vec![ok("b.dmp"), empty]), TextOptions::default());
    assert!(
        shown.contains("No incident was found in what could be read. What could not be read may hold some"),
        "{shown}"
    );
}

#[test]
fn errors_of_drivers_without_an_incident_are_told() {
    let mut report = nothing_found(vec![ok("System.evtx")]);
    report.machines = everything().machines;
    let entries = report.machines.iter_mut().flat_map(|machine| &mut machine.timeline);
    let mut kinds = ["driver-error", "update"].into_iter().cycle();
    entries.for_each(|entry| entry.kind = kinds.next().expect("without an end"));
    let shown = text(&report, TextOptions::default());
    assert!(shown.contains("No incident was found. But the logs have"), "{shown}");
    report.machines.iter_mut().flat_map(|machine| &mut machine.timeline).for_each(|entry| entry.kind = "update");
    assert!(!text(&report, TextOptions::default()).contains("But the logs have"));
}

#[test]
fn nothing_that_can_be_analyzed() {
    let shown = text(&nothing_found(vec![artifact("a.txt", ArtifactStatus::Skipped, None)]), EIGHTY);
    assert!(shown.contains("Nothing that can be analyzed was found."), "{shown}");
}

#[test]
fn one_incident_with_everything() {
    let mut report = everything();
    report.incidents[0].incident.may_be_of.clear();
    assert_text(
        &text(&report, EIGHTY),
        r#"
crashsift: 4 artifacts, 1 incident, 1 machine
1 artifact not readable, 1 read only in part: listed below.

--------------------------------------------------------------------------------

1. python.exe ended because cuDNN did not find zlibwapi.dll

  happened     python.exe crashed: ucrtbase.dll read through a null pointer
               (`mov eax,[rcx+0x18]` with rcx = 0x0).
  how sure     act on it (93 %)
  cause        missing-dependency
  severity     high
  rule         cudnn/zlibwapi-missing
  checked      right in 5 of 6 known cases; the fix is confirmed in 3
  shown again  it was suppressed by site until 2024-10-31: The fix is ordered.
  suppressed   interference/hook (injected-module, 42 %), by site until
               2024-12-31: The fix is ordered.
  suspect      cudnn64_8.dll 6.14.11.6050, cuDNN of NVIDIA (by the calls and
               values that lead there)
  incident     7f3a9c, crash of python.exe, 2024-11-11T17:43:55Z, PC-7

What to do
  Helpdesk:
  1. Put the 64-bit zlibwapi.dll into a folder of PATH and start the program
     again. (minutes; needs admin; undo: Delete the file again)
  Developer:
  1. Ship zlibwapi.dll beside cudnn64_8.dll.

What to collect next
  - The output of `where zlibwapi.dll`.

Why
  cuDNN 8 loads zlibwapi.dll by name and ends the process when Windows does not
  find it.
 *e1  dumps/a.dmp, stream Exception: The process ended with 0xC0000409,
      fast-fail 7.
 *e2  dumps/a.dmp, stream ModuleList: cudnn64_8.dll is loaded. [in the same
      text: strong]
  e3  logs/Application.evtx, record 4711: Application Error 1000 names
      ucrtbase.dll. [same process and start: certain]
  * what the verdict rests on
  It also rests on incidents at the same place on other machines (the first of
  each): 41d0be, 9c2277 and 3 more.

Other possible causes
  - heap-corruption: the heap manager found damage - symptom (31 %), cause not
    known

What similar crashes turned out to be (statistics, not read from this evidence)
  - outdated-vc-runtime (only 3 similar cases)
    To check (5 min): Read the version of msvcp140.dll. If it is old, replace
    it. If not, this cause is ruled out.

What happened
  time         2024-11-11T17:43:55.129275Z
  customer     acme
  host         PC-7 (likely: its logs lie beside it)
  process      python.exe 3.9.13150.1013, pid 4312, started 2024-11-11T17:42:55Z
               C:\Python39\python.exe
  exception    0xC0000409 STATUS_STACK_BUFFER_OVERRUN
               fast-fail 7 FAST_FAIL_FATAL_APP_EXIT
               read of 0x0, raised at 0x7ffa1b2c3d4e
  bugcheck     0x00000116 VIDEO_TDR_FAILURE
               parameters 0xffffc001 0xfffff801 0x0 0x4
               2: address in the display driver = nvlddmkm.sys+0x102f70
               4: internal data
  fault site   ucrtbase.dll 10.0.19041.789 + 0x7286e, in abort
               a carrier: errors of other code show up in it, and it is seldom
               the cause
               C:\Windows\System32\ucrtbase.dll
  how          ucrtbase.dll read through a null pointer (`mov eax,[rcx+0x18]`
               with rcx = 0x0).
               null-read (97 % certain)
  suspect      C:\tools\cudnn64_8.dll
               cuDNN of NVIDIA: library for neural networks
               The first frame of the stack that is no carrier lies in it.
  thrown       class std::bad_alloc (by cudnn64_8.dll): bad allocation
  symbols      not at hand: python39.pdb, which names the function at
               python39.dll+0x4010 (crashsift symbols-needed lists them)
  message      Assertion failed: size > 0
  inside       0x80004002 E_NOINTERFACE, met in combase.dll: no such interface
  state        It had run for 60 s.
               1.0 GiB of RAM were free.
  annotations  ptype = renderer; 4 more
  also loaded  rtsshooks64.dll (RivaTuner Statistics Server overlay); plugin.dll
               (in Tools); and 3 more
  built with   Python of python.org (python39.dll 3.9.13150.1013)
  environment  os: Windows 10.0.19045
               cudnn: 8
  sigma        A Tool That Injects, high: 50 s before it, 2 records

Stack (innermost first)
   0  ucrtbase.dll+0x7286e   abort
      cudnn::check  D:\src\check.h:7  (inlined)
   1  cudnn64_8.dll+0x12c40  cudnn::Handle::load  D:\src\handle.cpp:88
   2  python39.dll+0x4010
      (the same frame 2 times more)
   5  python.exe+0x1290      [scanned]

Stack of Python (innermost first)
   0  fit  C:\work\train.py:12

Threads: 2
  6 "main": at ntdll.dll+0x9f5d4; started at python.exe+0x1000; called from
      python39.dll
  7 (crashed): at ntdll.dll+0x9f5d4

Remarks
  - The event log writes another time than the dump: 2 s later.

Read more
  https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-830/pdf/cuDNN-Installation-Guide.pdf

More often here than elsewhere (a hint, no proof)
  - overlay.dll in 41 of 42, against 12 % of 330 other incidents (always
    together with overlay.dll 1.2.3.4)

--------------------------------------------------------------------------------

What the folder could not show
  - acme: the Application log of PC-7 begins late

--------------------------------------------------------------------------------

Machines

PC-7 (customer acme)
  environment  os: Windows 10.0.19045
               gpu_driver: 546.33
               also gpu_driver: 536.23 (2024-11-11T17:42:25Z)
  timeline     4 entries, UTC
    2024-11-11T17:43:05Z  sigma: A Sigma rule matches.
    2024-11-11T17:43:25Z  storage-error: A request to disk 0 was retried. (2
        times, until 2024-11-11T17:43:35Z)
    2024-11-11T17:43:45Z  driver-reset: Display driver nvlddmkm was reset.
  coverage     The Application log begins 3 h before the first incident.

--------------------------------------------------------------------------------

Files that were not read, or not whole
  partial      logs/Application.evtx
               chunk 3: wrong checksum
  failed       dumps/b.dmp
               header: the file is empty
  skipped      notes.xyz
               unknown

--------------------------------------------------------------------------------

Totals
  artifacts    4 (1 artifact not readable, 1 read only in part)
  incidents    1
        1  missing-dependency
  suppressed   1 finding
  rule set     builtin 2026.11 (120 rules)
  rule set     site 3 (2 rules, 1 override, 2 suppressions, 1 list, 1 rule
               disabled)
  version      crashsift VERSION
"#,
    );
}

#[test]
fn several_groups_with_an_overview() {
    let mut other = undetermined("a3", 50);
    other.incident.host = Some("PC-9".into());
    let incidents = vec![crash("a1"), undetermined("a2", 40), other, bugcheck("b1", 60)];
    let report = report(vec![ok("dumps/a.dmp"), ok("logs/System.evtx")], incidents);
    assert_text(
        &text(&report, EIGHTY),
        r"
crashsift: 2 artifacts, 4 incidents, 2 groups
Of the groups: 1 likely, 1 possible.

Overview
  1. 3 crashes of python.exe: missing-dependency, possible (31 %); 2 of 3
     differ: 2 not determined
     suspect cudnn64_8.dll 6.14.11.6050; 2024-11-11T17:43:55Z to
     2024-11-11T17:44:45Z, 2 computers
  2. 1 bugcheck on PC-7: gpu-timeout, likely (64 %)
     2024-11-11T17:44:55Z

--------------------------------------------------------------------------------

1. python.exe ended because cuDNN did not find zlibwapi.dll

  happened     python.exe crashed: ucrtbase.dll read through a null pointer
               (`mov eax,[rcx+0x18]` with rcx = 0x0).
  how sure     possible (31 %); 2 of 3 differ: 2 not determined
  cause        missing-dependency
  severity     high
  rule         cudnn/zlibwapi-missing
  checked      on no known case: the confidence is an estimate
  suspect      cudnn64_8.dll 6.14.11.6050, cuDNN of NVIDIA (by the calls and
               values that lead there)
  incident     a1, crash of python.exe, 2024-11-11T17:43:55Z, PC-7
  group        3 incidents, 2024-11-11T17:43:55Z to 2024-11-11T17:44:45Z, 2
               computers

What to do
  Helpdesk:
  1. Put the 64-bit zlibwapi.dll into a folder of PATH and start the program
     again. (minutes; needs admin; undo: Delete the file again)
  Developer:
  1. Ship zlibwapi.dll beside cudnn64_8.dll.

What to collect next
  - The output of `where zlibwapi.dll`.

Why
  cuDNN 8 loads zlibwapi.dll by name and ends the process when Windows does not
  find it.
 *e1  dumps/a.dmp, stream Exception: The process ended with 0xC0000409,
      fast-fail 7.
 *e2  dumps/a.dmp, stream ModuleList: cudnn64_8.dll is loaded. [in the same
      text: strong]
  e3  logs/System.evtx, record 4711: Application Error 1000 names ucrtbase.dll.
      [same process and start: certain]
  * what the verdict rests on

Other possible causes
  - heap-corruption: the heap manager found damage - symptom (31 %), cause not
    known

What happened
  time         2024-11-11T17:43:55.129275Z
  host         PC-7
  process      python.exe 3.9.13150.1013, pid 4312, started 2024-11-11T17:42:55Z
               C:\Python39\python.exe
  exception    0xC0000409 STATUS_STACK_BUFFER_OVERRUN
               fast-fail 7 FAST_FAIL_FATAL_APP_EXIT
               read of 0x0, raised at 0x7ffa1b2c3d4e
  fault site   ucrtbase.dll 10.0.19041.789 + 0x7286e, in abort
               a carrier: errors of other code show up in it, and it is seldom
               the cause
               C:\Windows\System32\ucrtbase.dll
  how          ucrtbase.dll read through a null pointer (`mov eax,[rcx+0x18]`
               with rcx = 0x0).
               null-read (97 % certain)
  suspect      C:\tools\cudnn64_8.dll
               cuDNN of NVIDIA: library for neural networks
               The first frame of the stack that is no carrier lies in it.
  thrown       class std::bad_alloc (by cudnn64_8.dll): bad allocation
  message      Assertion failed: size > 0
  inside       0x80004002 E_NOINTERFACE, met in combase.dll: no such interface
  state        It had run for 60 s.
               1.0 GiB of RAM were free.
  annotations  ptype = renderer; 4 more
  also loaded  rtsshooks64.dll (RivaTuner Statistics Server overlay); plugin.dll
               (in Tools); and 3 more
  built with   Python of python.org (python39.dll 3.9.13150.1013)
  environment  os: Windows 10.0.19045
               cudnn: 8

Stack (innermost first)
   0  ucrtbase.dll+0x7286e   abort
   1  cudnn64_8.dll+0x12c40
   2  python39.dll+0x4010
      (the same frame 2 times more)
   5  python.exe+0x1290      [scanned]

Stack of Python (innermost first)
   0  fit  C:\work\train.py:12

Remarks
  - The event log writes another time than the dump: 2 s later.

Read more
  https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-830/pdf/cuDNN-Installation-Guide.pdf

Also in this group: 2 incidents
  2024-11-11T17:44:35Z  PC-7  a2  (not determined)
  2024-11-11T17:44:45Z  PC-9  a3  (not determined)

--------------------------------------------------------------------------------

2. PC-7 stopped because the display driver did not answer in time

  happened     Blue screen on PC-7: 0x00000116 VIDEO_TDR_FAILURE.
  how sure     likely (64 %)
  cause        gpu-timeout
  severity     high
  rule         gpu/tdr
  checked      on no known case: the confidence is an estimate
  incident     b1, bugcheck, 2024-11-11T17:44:55Z, PC-7

Why
  The heap was damaged before.
  e1  logs/System.evtx, record 4711: Application Error 1000 names python.exe.

What happened
  time         2024-11-11T17:44:55Z
  host         PC-7
  bugcheck     0x00000116 VIDEO_TDR_FAILURE
               parameters 0xffffc001 0xfffff801 0x0 0x4
               2: address in the display driver = nvlddmkm.sys+0x102f70
               4: internal data

--------------------------------------------------------------------------------

Totals
  artifacts    2
  incidents    4
        1  gpu-timeout
        1  missing-dependency
        2  undetermined
  rule set     builtin 2026.11 (120 rules)
  version      crashsift VERSION
",
    );
}

#[test]
fn an_undetermined_incident_says_what_to_collect_and_what_is_possible() {
    let mut judged = undetermined("u1", 0);
    judged.findings = [("heap/a", 0.28), ("heap/b", 0.2), ("heap/c", 0.15), ("heap/d", 0.1)]
        .map(|(rule, confidence)| finding(rule, "heap-corruption", confidence))
        .to_vec();
    assert_text(
        &text(&report(vec![ok("dumps/a.dmp"), ok("logs/Application.evtx")], vec![judged]), EIGHTY),
        r"
crashsift: 2 artifacts, 1 incident

--------------------------------------------------------------------------------

1. python.exe crashed

  happened     python.exe crashed.
  why          python.exe crashed, and nothing that was read shows why.
  how sure     not determined
  incident     u1, crash of python.exe, 2024-11-11T17:43:55Z, PC-7

What to collect next
  - The minidump from %LOCALAPPDATA%\CrashDumps.

Evidence
  e1  logs/Application.evtx, record 4711: Application Error 1000 names
      python.exe.

Possible causes
  - heap-corruption: the heap manager found damage - weak (28 %)
  - heap-corruption: the heap manager found damage - weak (20 %)
  - heap-corruption: the heap manager found damage - weak (15 %)
    1 more (-v shows all).

What happened
  time         2024-11-11T17:43:55Z
  host         PC-7
  process      python.exe

--------------------------------------------------------------------------------

Totals
  artifacts    2
  incidents    1
        1  undetermined
  rule set     builtin 2026.11 (120 rules)
  version      crashsift VERSION
",
    );
}

#[test]
fn the_best_supported_member_of_a_group_is_described() {
    let incidents = vec![undetermined("early", -10), crash("known")];
    let shown = text(&report(vec![ok("a.dmp"), ok("b.evtx")], incidents), EIGHTY);
    assert!(shown.contains("\n1. python.exe ended because cuDNN did not find zlibwapi.dll\n"), "{shown}");
    assert!(shown.contains("\n  2024-11-11T17:43:45Z  PC-7  early  (not determined)\n"), "{shown}");
}

#[test]
fn an_incident_without_group_is_shown_all_the_same() {
    let mut report = report(vec![ok("a.dmp"), ok("b.evtx")], vec![crash("c1")]);
    report.groups.clear();
    assert!(text(&report, EIGHTY).contains("\n  incident     c1, crash of python.exe, "));
}

#[test]
fn what_to_do_comes_before_what_to_collect() {
    for confidence in [0.8, 0.59, 0.2] {
        let mut judged = crash("c1");
        judged.verdict.confidence = confidence;
        let shown = text(&report(vec![ok("a.dmp"), ok("b.evtx")], vec![judged]), EIGHTY);
        let at = |heading: &str| shown.find(heading).expect("a heading");
        assert!(at("\nWhat to do\n") < at("\nWhat to collect next\n"), "{confidence}: {shown}");
    }
}

#[test]
fn a_symptom_is_no_cause_and_its_headline_says_what_happened() {
    let mut judged = crash("c1");
    judged.verdict.symptom = true;
    judged.verdict.sentence = "The program ended itself (abort).".into();
    let shown = text(&report(vec![ok("a.dmp"), ok("b.evtx")], vec![judged]), EIGHTY);
    for line in [
        "1. python.exe: The program ended itself (abort)",
        "  why          Not known.",
        "  how sure     symptom: 93 % sure; why: not known",
        "  symptom      missing-dependency",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[test]
fn exit_codes_are_shown_as_consoles_print_them() {
    let mut judged = crash("c1");
    judged.incident.dump.as_mut().expect("a crash has one").requested = None;
    let shown = |judged: &Judged| text(&report(vec![ok("a.dmp"), ok("b.evtx")], vec![judged.clone()]), EIGHTY);
    assert!(shown(&judged).contains("0xC0000409 STATUS_STACK_BUFFER_OVERRUN (exit code -1073740791)"));
    judged.incident.kind = incident::IncidentKind::Hang;
    assert!(!shown(&judged).contains("exit code"), "what hangs has not ended");
    judged.incident.kind = incident::IncidentKind::Crash;
    judged.incident.environment.insert("os", "Linux".into());
    assert!(!shown(&judged).contains("exit code"), "codes of other systems are no exit codes");
    assert!(shown(&judged).contains(", at 0x7ffa1b2c3d4e"));
    judged.incident.exception.as_mut().expect("a crash has one").name = Some("SIGSEGV / SEGV_MAPERR".into());
    assert!(shown(&judged).contains("accessed 0x7ffa1b2c3d4e"));
}
