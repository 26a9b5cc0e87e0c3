//! The texts here are made up in the forms in which people paste them.

use super::patterns::PATTERNS;
use super::*;

/// The recognised facts of a text, one after the other.
fn facts(text: &str) -> String {
    let reading = read_bytes(text.as_bytes()).expect("readable");
    let Some(Observation::Ticket(ticket)) = reading.evidence.into_iter().next().map(|evidence| evidence.observation)
    else {
        panic!("no ticket");
    };
    let hex = |numbers: &[u64]| numbers.iter().map(|number| format!("{number:#x}")).collect::<Vec<_>>().join(",");
    let facts = [
        ticket.app.map(|app| format!("app={app}")),
        ticket.app_version.map(|version| format!("app_version={version}")),
        ticket.module.map(|module| format!("module={module}")),
        ticket.module_version.map(|version| format!("module_version={version}")),
        ticket.module_path.map(|path| format!("module_path={path}")),
        ticket.code.map(|code| format!("code={code}")),
        ticket.offset.map(|offset| format!("offset={offset}")),
        ticket.fast_fail.map(|code| format!("fast_fail={}", code.0)),
        ticket.access_address.map(|address| format!("access={address}")),
        ticket.bugcheck.map(|(code, parameters)| format!("bugcheck={code}({})", hex(&parameters))),
        (!ticket.win_errors.is_empty()).then(|| format!("win_errors={:?}", ticket.win_errors)),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// An example of each row of the table: its words, a text, and all that the text says.
const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "faulting application name",
        "Faulting application name: my tool.exe, version: 1.2.3.4, time stamp: 0x5f000001",
        "app=my tool.exe app_version=1.2.3.4",
    ),
    (
        "faulting application",
        "Faulting application tool.exe, version 1.2.0.0, faulting module part.dll, version 3.4.0.0, fault address 0x000011d9.",
        "app=tool.exe app_version=1.2.0.0 module=part.dll module_version=3.4.0.0 offset=0x11d9",
    ),
    (
        "faulting module name",
        "Faulting module name: part.dll, version: 14.22",
        "module=part.dll module_version=14.22.0.0",
    ),
    ("faulting module", "faulting module part.dll", "module=part.dll"),
    ("faulting module path", r"Faulting module path: C:\App (1)\part.dll", r"module_path=C:\App (1)\part.dll"),
    ("fault offset", "Fault offset: 0x000000000005d1e2", "offset=0x5d1e2"),
    ("fault address", "fault address 0x000011d9", "offset=0x11d9"),
    (
        "problem event name",
        "Problem Event Name: BEX64\nP1: tool.exe\nP4: ucrtbase.dll\nP7: 0000000000001234\nP8: c0000409\nP9: 0000000000000007",
        "app=tool.exe module=ucrtbase.dll code=0xC0000409 offset=0x1234 fast_fail=7",
    ),
    (
        "event name",
        "Event Name: APPCRASH\nP1: tool.exe\nP2: 1.0.0.0\nP4: part.dll\nP7: c0000005\nP8: 12",
        "app=tool.exe app_version=1.0.0.0 module=part.dll code=0xC0000005 offset=0x12",
    ),
    ("eventname", "EventName=MoBEX; P9=c0000409; P10=0000000000000005", "code=0xC0000409 fast_fail=5"),
    ("application name", "  Application Name:\ttool.exe", "app=tool.exe"),
    ("application version", "  Application Version:\t1.2.3.4", "app_version=1.2.3.4"),
    ("fault module name", "  Fault Module Name:\tStackHash_12ab", ""),
    ("fault module version", "  Fault Module Version:\t5.6.7.8", "module_version=5.6.7.8"),
    ("exception code", "Exception code: 0xe0434352", "code=0xE0434352"),
    ("exception offset", "  Exception Offset:\t00091b3c", "offset=0x91b3c"),
    ("exception data", "Exception Code: c0000409\nException Data: 00000007", "code=0xC0000409 fast_fail=7"),
    ("process_name", "PROCESS_NAME:  tool.exe", "app=tool.exe"),
    ("image_name", "MODULE_NAME: part\n\nIMAGE_NAME:  part.sys", "module=part.sys"),
    ("module_name", "MODULE_NAME: part", "module=part"),
    ("faulting_module", "FAULTING_MODULE: fffff80212340000 part", "module=part"),
    ("exceptioncode", "   ExceptionCode: c0000005 (Access violation)", "code=0xC0000005"),
    ("exception_code", "EXCEPTION_CODE: (NTSTATUS) 0xc00000fd - A new guard page", "code=0xC00000FD"),
    (
        "exception_parameter1",
        "EXCEPTION_CODE: (NTSTATUS) 0xc0000409\nEXCEPTION_PARAMETER1:  0000000000000039",
        "code=0xC0000409 fast_fail=57",
    ),
    (
        "exception_parameter2",
        "EXCEPTION_CODE: (NTSTATUS) 0xc0000005\nEXCEPTION_PARAMETER1:  1\nEXCEPTION_PARAMETER2:  0000000000000018",
        "code=0xC0000005 access=0x18",
    ),
    ("parameter[0]", "ExceptionCode: c0000409\n   Parameter[0]: 0000000000000005", "code=0xC0000409 fast_fail=5"),
    ("parameter[1]", "ExceptionCode: c0000005\n   Parameter[1]: 0000000000000010", "code=0xC0000005 access=0x10"),
    ("subcode", "Subcode: 0x7 FAST_FAIL_FATAL_APP_EXIT", "fast_fail=7"),
    ("bugcheck_code", "BUGCHECK_CODE:  9f", "bugcheck=0x0000009F()"),
    ("bugcheck_p1", "BUGCHECK_P1: 1\nBUGCHECK_CODE:  133", "bugcheck=0x00000133(0x1)"),
    (
        "bugcheck_p2",
        "BUGCHECK_CODE: 3b\nBUGCHECK_P1: ffffffffc0000005\nBUGCHECK_P2: fffff80212345678",
        "bugcheck=0x0000003B(0xffffffffc0000005,0xfffff80212345678)",
    ),
    ("bugcheck_p3", "BUGCHECK_CODE: 50\nBUGCHECK_P3: 5", "bugcheck=0x00000050()"),
    ("bugcheck_p4", "BUGCHECK_CODE: 50\nBUGCHECK_P1: 1\nBUGCHECK_P4: 5", "bugcheck=0x00000050(0x1)"),
    (
        "bugcheck was",
        "The computer has rebooted from a bugcheck.  The bugcheck was: 0x0000009f (0x3, 0xffffe00012345678, 0x0, 0x2a).",
        "bugcheck=0x0000009F(0x3,0xffffe00012345678,0x0,0x2a)",
    ),
    ("bugcheck", "we saw bugcheck 0x116", "bugcheck=0x00000116()"),
    ("bug check", "Bug Check 0x9F: DRIVER_POWER_STATE_FAILURE", "bugcheck=0x0000009F()"),
    ("bugcheck code", "bugcheck code: 0x124 (0x0)", "bugcheck=0x00000124(0x0)"),
    ("bug check code", "Bug Check Code : 0x0000001a", "bugcheck=0x0000001A()"),
    ("stop code", "Stop code 0x133", "bugcheck=0x00000133()"),
    ("*** stop", "*** STOP: 0x0000007E (0xC0000005,0x8212,0x1,0x2)", "bugcheck=0x0000007E(0xc0000005,0x8212,0x1,0x2)"),
    ("bugcheckcode", "BugcheckCode 278", "bugcheck=0x00000116()"),
    ("bugcheckparameter1", "BugcheckCode 159\nBugcheckParameter1 0x3", "bugcheck=0x0000009F(0x3)"),
    ("bugcheckparameter2", "BugcheckCode: 0\nBugcheckParameter2: 0x0", ""),
    ("bugcheckparameter3", "BugcheckCode: 0\nBugcheckParameter3: 0x0", ""),
    ("bugcheckparameter4", "BugcheckCode: 0\nBugcheckParameter4: 0x0", ""),
    ("caused by driver", "Caused By Driver : filter.sys", "module=filter.sys"),
    ("exit code", "Process finished with exit code -1073741571 (0xC00000FD)", "code=0xC00000FD"),
    ("exitcode", "ExitCode: 3221225781", "code=0xC0000135"),
    ("exit status", "exit status 0xc0000135", "code=0xC0000135"),
    (
        "exited with code",
        "The program '[42] tool.exe' has exited with code 3221226505 (0xc0000409).",
        "code=0xC0000409",
    ),
    ("return code", "return code: 0xC0000374", "code=0xC0000374"),
    ("windows fatal exception: code", "Windows fatal exception: code 0xc06d007e", "code=0xC06D007E"),
    ("fast fail code", "Fast fail code: 57", "fast_fail=57"),
    ("fast fail", "fast fail 0x7", "fast_fail=7"),
    ("fast-fail code", "fast-fail code 10", "fast_fail=10"),
    ("fast-fail", "fast-fail: 2", "fast_fail=2"),
    ("fail fast code", "fail fast code=8", "fast_fail=8"),
    ("fail fast", "Fail fast: CORRUPT_LIST_ENTRY (3)", "fast_fail=3"),
    (
        "reading location",
        "0xC0000005: Access violation reading location 0x0000000000000008.",
        "code=0xC0000005 access=0x8",
    ),
    ("writing location", "Access violation writing location 0x10", "code=0xC0000005 access=0x10"),
    ("executing location", "Access violation executing location 0x0", "code=0xC0000005 access=0x0"),
    (
        "access violation reading",
        "OSError: exception: access violation reading 0xFFFFFFFFFFFFFFFF",
        "code=0xC0000005 access=0xffffffffffffffff",
    ),
    ("access violation writing", "access violation writing 0x24", "code=0xC0000005 access=0x24"),
    ("read of address", "Access violation: read of address 0x20", "code=0xC0000005 access=0x20"),
    ("write of address", "Write of address 00000008", "access=0x8"),
    ("execute of address", "Access violation: execute of address unknown", "code=0xC0000005"),
    ("referenced memory at", "The instruction at 0x77 referenced memory at 0x00000000.", "access=0x0"),
    ("attempt to read from address", "Attempt to read from address 00007ff8`12345678", "access=0x7ff812345678"),
    ("attempt to write to address", "Attempt to write to address 0000000000000000", "access=0x0"),
    (
        "attempt to execute non-executable address",
        "Attempt to execute non-executable address 0000012340000056",
        "access=0x12340000056",
    ),
    ("winerror", "OSError: [WinError 126] Das angegebene Modul wurde nicht gefunden", "win_errors=[126]"),
    ("win32 error", "Win32 error 5", "win_errors=[5]"),
    ("getlasterror", "GetLastError: 1455", "win_errors=[1455]"),
    ("getlasterror()", "GetLastError() = 193", "win_errors=[193]"),
    ("error code", "Could not load library part64_8.dll. Error code 126", "win_errors=[126]"),
    ("loadlibrary error", "LoadLibrary error 1114 when creating a session", "win_errors=[1114]"),
    ("failed with error", "LoadLibrary failed with error 127", "win_errors=[127]"),
    ("system error", "System error 4551 has occurred", "win_errors=[4551]"),
    ("os error", "The specified module could not be found. (os error 126)", "win_errors=[126]"),
];

#[test]
fn every_pattern_has_an_example() {
    for pattern in PATTERNS {
        assert!(EXAMPLES.iter().any(|(words, ..)| *words == pattern.words), "{} has none", pattern.words);
    }
    for (words, text, expected) in EXAMPLES {
        assert!(text.to_lowercase().contains(words), "{words}");
        assert_eq!(facts(text), *expected, "{words}: {text}");
    }
}

#[test]
fn the_same_code_in_every_spelling() {
    for text in [
        "Process finished with exit code -1073740791 (0xC0000409)",
        "exit code 3221226505",
        "crashed: 0xc0000409",
        "it ended with -1073740791",
        "3221226505",
        "[WinError -1073740791] Windows Error 0xc0000409",
        "ImportError: DLL load failed with error code -1073740791",
    ] {
        assert_eq!(facts(text), "code=0xC0000409", "{text}");
    }
}

#[test]
fn small_exit_codes_are_the_programs_own() {
    for text in [
        "exit code 0",
        "exit code 1",
        "exit code 3",
        "exit code 53",
        "exit code -1",
        "exit code: 255",
        "exit code 4294967295",
        "exited with code 0 (0x0)",
    ] {
        assert_eq!(facts(text), "", "{text}");
    }
    assert_eq!(facts("exit code 1 (0xC0000135)"), "code=0xC0000135");
}

#[test]
fn numbers_that_only_look_like_codes_are_none() {
    for text in [
        "commit c0000005deadbeef",
        "at part.dll+0xc0000005",
        "listening on 3221226504x",
        "version 1.3221226505",
        "rax=00000000c0000005",
        "allocated 1073741824 bytes",
        "DXGI_ERROR_DEVICE_REMOVED (0x887A0005)",
        "policy has blocked this file. (0x800711C7)",
        "make: *** Error 127",
    ] {
        assert_eq!(facts(text), "", "{text}");
    }
}

#[test]
fn a_labelled_code_counts_more_than_an_exit_code_and_that_more_than_a_bare_one() {
    assert_eq!(facts("seen 0xc0000135\nexit code -1073740791\nException code: 0xc0000005"), "code=0xC0000005");
    assert_eq!(facts("seen 0xc0000135\nexit code -1073740791"), "code=0xC0000409");
    assert_eq!(facts("an access violation\n0xc0000374"), "code=0xC0000374");
    assert_eq!(facts("Exception code: 0xc0000005\nException code: 0xc0000409"), "code=0xC0000005");
}

#[test]
fn names_of_exceptions_stand_for_their_codes() {
    for (text, code) in [
        ("Windows fatal exception: access violation", "0xC0000005"),
        ("Windows fatal exception: stack overflow", "0xC00000FD"),
        ("Windows fatal exception: page error", "0xC0000006"),
        ("Process is terminated due to StackOverflowException.", "0xC00000FD"),
        ("#  EXCEPTION_ACCESS_VIOLATION at pc=0x1234", "0xC0000005"),
        ("#  EXCEPTION_ILLEGAL_INSTRUCTION at pc=0x1234", "0xC000001D"),
        ("access violation at tool.run", "0xC0000005"),
    ] {
        assert_eq!(facts(text), format!("code={code}"), "{text}");
    }
    assert_eq!(facts("asked on Stack Overflow about a stack overflow"), "");
}

#[test]
fn the_first_line_of_a_debuggers_analysis_names_stop_and_parameters() {
    let line = "BugCheck D1, {fffff80212345678, 2, 0, fffff80287654321}";
    assert_eq!(facts(line), "bugcheck=0x000000D1(0xfffff80212345678,0x2,0x0,0xfffff80287654321)");
    assert_eq!(facts("BugCheck bad, it happened again"), "");
}

#[test]
fn event_1000_in_english() {
    let text = "Faulting application name: trainer.exe, version: 3.9.13.0, time stamp: 0x60010203\n\
                Faulting module name: ucrtbase.dll, version: 10.0.1.2, time stamp: 0x60040506\n\
                Exception code: 0xc0000409\n\
                Fault offset: 0x000000000005d1e2\n\
                Faulting process id: 0x10d8\n\
                Faulting application start time: 0x01d9000011223344\n\
                Faulting application path: C:\\Werk\\trainer.exe\n\
                Faulting module path: C:\\Windows\\System32\\ucrtbase.dll\n\
                Report Id: 0a0b0c0d-1111-2222-3333-445566778899\n";
    let expected = "app=trainer.exe app_version=3.9.13.0 module=ucrtbase.dll module_version=10.0.1.2 \
                    module_path=C:\\Windows\\System32\\ucrtbase.dll code=0xC0000409 offset=0x5d1e2";
    assert_eq!(facts(text), expected);
    assert_eq!(facts(&text.replace('\n', " ")), expected, "all in one line");
    assert_eq!(facts(&text.replace('\n', "\r\n\r\n")), expected, "with empty lines");
}

#[test]
fn event_1000_in_other_languages() {
    let expected = "app=trainer.exe app_version=3.9.13.0 module=ucrtbase.dll module_version=10.0.1.2 \
                    module_path=C:\\Windows\\System32\\ucrtbase.dll code=0xC0000409 offset=0x5d1e2";
    let german = "Name der fehlerhaften Anwendung: trainer.exe, Version: 3.9.13.0, Zeitstempel: 0x60010203\n\
                  Name des fehlerhaften Moduls: ucrtbase.dll, Version: 10.0.1.2, Zeitstempel: 0x60040506\n\
                  Ausnahmecode: 0xc0000409\n\
                  Fehleroffset: 0x000000000005d1e2\n\
                  ID des fehlerhaften Prozesses: 0x10d8\n\
                  Startzeit der fehlerhaften Anwendung: 0x01d9000011223344\n\
                  Pfad der fehlerhaften Anwendung: C:\\Werk\\trainer.exe\n\
                  Pfad des fehlerhaften Moduls: C:\\Windows\\System32\\ucrtbase.dll\n";
    assert_eq!(facts(german), expected);
    let chinese = "错误应用程序名称： trainer.exe，版本： 3.9.13.0，时间戳： 0x60010203\n\
                   错误模块名称： ucrtbase.dll，版本： 10.0.1.2，时间戳： 0x60040506\n\
                   异常代码： 0xc0000409\n错误偏移： 0x000000000005d1e2\n错误进程 ID： 0x10d8\n\
                   错误应用程序启动时间： 0x01d9000011223344\n错误应用程序路径： C:\\Werk\\trainer.exe\n\
                   错误模块路径： C:\\Windows\\System32\\ucrtbase.dll\n";
    assert_eq!(facts(chinese), expected);
    let french = "Nom de l’application défaillante trainer.exe, version\u{A0}: 3.9.13.0, horodatage\u{A0}: 0x60010203\n\
                  Nom du module défaillant\u{A0}: unknown, version\u{A0}: 0.0.0.0, horodatage\u{A0}: 0x00000000\n\
                  Code d’exception\u{A0}: 0xc0000005\nDécalage d’erreur\u{A0}: 0x0000000000000000\n";
    assert_eq!(facts(french), "app=trainer.exe app_version=3.9.13.0 code=0xC0000005 offset=0x0");
}

#[test]
fn the_version_of_another_program_is_not_taken() {
    let text = "Faulting application name: first.exe\nFaulting module name: one.dll\n\
                Faulting application name: second.exe, version: 2.0.0.0\nFaulting module name: two.dll, version: 2.0";
    assert_eq!(facts(text), "app=first.exe module=one.dll");
    let text = "Application Name: first.exe\nFaulting application name: FIRST.exe, version: 2.0.0.0";
    assert_eq!(facts(text), "app=first.exe app_version=2.0.0.0");
}

#[test]
fn a_bugcheck_in_another_language() {
    let text = "Der Computer wurde neu gestartet. Fehlerüberprüfung: 0x00000116 (0xffffab12cd34e560, \
                0xfffff80012345678, 0xffffffffc000009a, 0x0000000000000004).";
    let expected = "bugcheck=0x00000116(0xffffab12cd34e560,0xfffff80012345678,0xffffffffc000009a,0x4)";
    assert_eq!(facts(text), expected);
}

#[test]
fn a_bugcheck_keeps_the_parameters_that_were_given() {
    for (text, expected) in [
        ("The bugcheck was: 0x154 ()", "bugcheck=0x00000154()"),
        ("The bugcheck was: 0x9F (0x3)", "bugcheck=0x0000009F(0x3)"),
        ("The bugcheck was: 0x3B (0xC0000005, 0xfffff801)", "bugcheck=0x0000003B(0xc0000005,0xfffff801)"),
        ("The bugcheck was: 0x116 (?, driver+0x123450, 0xC000009A, 0x4)", "bugcheck=0x00000116()"),
        ("The bugcheck was: 0x1A (0x41790, ?, 0x1)", "bugcheck=0x0000001A(0x41790)"),
    ] {
        assert_eq!(facts(text), expected, "{text}");
    }
}

#[test]
fn of_several_bugcheck_codes_the_first_counts() {
    assert_eq!(facts("The bugcheck was: 0x0A/0xD1 ()"), "bugcheck=0x0000000A()");
    assert_eq!(facts("The bugcheck was: 0x0A / 0x50 varying ()"), "bugcheck=0x0000000A()");
    assert_eq!(facts("Stop code: DPC_WATCHDOG_VIOLATION"), "", "names are not looked up here");
    assert_eq!(facts("a bugcheck bad enough"), "", "`bad` is no number");
}

#[test]
fn a_fast_fail_code_in_a_signature_without_its_name() {
    assert_eq!(facts("P8: c0000409\nP9: 0000000000000007"), "fast_fail=7");
    assert_eq!(facts("exit code 0xC0000409\nP9: 0000000000000005"), "code=0xC0000409 fast_fail=5");
    assert_eq!(facts("P8: 00001234\nP9: 0000000000000005"), "", "not after the code of a fast fail");
    assert_eq!(facts("P9: some text"), "");
}

#[test]
fn a_subcode_of_an_opengl_driver_is_no_fast_fail() {
    assert_eq!(facts("Unable to recover from a kernel exception. Error code: 3 (subcode 2)"), "");
    assert_eq!(facts("A reset was detected. Error code: 7"), "");
    assert_eq!(facts("0xc0000409, subcode 7"), "code=0xC0000409 fast_fail=7");
    assert_eq!(facts("FAST_FAIL_FATAL_APP_EXIT"), "fast_fail=7");
}

#[test]
fn kernel_reports_as_reliability_monitor_shows_them() {
    let text = "Problem Event Name:\tLiveKernelEvent\nCode:\t141\nParameter 1:\tffff9000\nParameter 2:\t2\n\
                Parameter 3:\t0\nParameter 4:\t1a";
    assert_eq!(facts(text), "bugcheck=0x00000141(0xffff9000,0x2,0x0,0x1a)");
    assert_eq!(facts("Code: 141"), "");
}

#[test]
fn the_native_frame_of_a_jvm() {
    let text = "# EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=0x00007ff8, pid=1\n# C  [driver64.dll+0x3c4d5e]";
    assert_eq!(facts(text), "module=driver64.dll code=0xC0000005 offset=0x3c4d5e");
    assert_eq!(facts("V  [part.dll+0x10]"), "", "the JVM's own frames are marked otherwise");
}

#[test]
fn each_win32_error_is_named_once() {
    assert_eq!(facts("WinError 1114\nOSError: [WinError 1114]\n[WinError 126]"), "win_errors=[1114, 126]");
}

#[test]
fn of_two_names_the_first_counts() {
    assert_eq!(facts("Faulting module name: a32.dll / b32.dll"), "module=a32.dll");
    assert_eq!(facts("Caused by driver: pci.sys -> filter.sys"), "", "which of them is not said");
    assert_eq!(facts("Caused by driver: some driver"), "");
}

fn lines_of(bytes: &[u8]) -> (Vec<(u32, String)>, Vec<Loss>) {
    let mut losses = Vec::new();
    let found = lines(&decode(bytes).characters, &mut losses);
    (found.into_iter().map(|line| (line.number, line.text.to_string())).collect(), losses)
}

#[test]
fn lines_keep_their_numbers_and_lose_what_only_consoles_need() {
    let (lines, losses) = lines_of(b"first  \r\n\r\n \x1b[1;31mthird\x1b[0m\n10%\r20%\rdone\x08\n");
    let expected = [(1, "first"), (3, " third"), (4, "10%"), (4, "20%"), (4, "done")];
    assert_eq!(lines, expected.map(|(number, text)| (number, text.to_string())));
    assert_eq!(losses, []);
}

#[test]
fn a_text_of_too_many_lines_is_said_to_be_cut() {
    let (lines, losses) = lines_of("a\n".repeat(MOST_LINES + 5).as_bytes());
    assert_eq!(lines.len(), MOST_LINES);
    assert_eq!(losses, [Loss::new("line 100001", "only the first 100000 lines are read")]);
}

#[test]
fn an_empty_text_is_no_ticket() {
    assert!(read_bytes(b" \r\n\t\n").is_err());
    assert!(!is_text(b""));
}

#[test]
fn hostile_lines_cost_no_more_than_their_length() {
    let hostile = [
        "fast_fail_",
        "P1: ",
        "winerror 1 ",
        "C [",
        "0x00000000 (0x",
        "error code(((",
        "faulting module name: ",
        "-0xC",
        "exception code ",
        "Ä[WinError ",
        "`0123456`",
    ];
    for text in hostile {
        let _ = facts(&text.repeat(5_000));
    }
}
