//! Texts that tell of several crashes, and texts that tell of one in several ways.

use evidence::Names;
use windows_events::{Contents, Context};

use crate::{not_a_report, read_content};

use super::{crashes, facts, tickets};

#[test]
fn each_crash_of_a_who_crashed_report_is_one() {
    let text = "System Information (local)\n\nWindows version: Windows 10, 10.0, build: 19045\n\nCrash Dump Analysis\n\n\
        On Tue 2.1.2024 10:11:12 your computer crashed or a problem was reported\n\
        crash dump file: C:\\Windows\\Minidump\\010224-9531-01.dmp\n\
        This was probably caused by the following module: filter.sys (filter+0x1A2B)\n\
        Bugcheck code: 0xD1 (0xFFFFF80212345678, 0x2, 0x0, 0xFFFFF80287654321)\n\
        Error: DRIVER_IRQL_NOT_LESS_OR_EQUAL\n\n\
        On Mon 1.1.2024 09:08:07 your computer crashed or a problem was reported\n\
        crash dump file: C:\\Windows\\Minidump\\010124-8421-01.dmp\n\
        Bugcheck code: 0x1A (0x41792, 0xFFFF800012345678, 0x1, 0x0)\n\
        Error: MEMORY_MANAGEMENT\n\n\
        On Mon 1.1.2024 09:08:07 your computer crashed or a problem was reported\n\
        crash dump file: C:\\Windows\\MEMORY.DMP\n\
        Bugcheck code: 0x1A (0x41792, 0xFFFF800012345678, 0x1, 0x0)\n";
    let expected = [
        "module=filter.sys bugcheck=0x000000D1(0xfffff80212345678,0x2,0x0,0xfffff80287654321)",
        "bugcheck=0x0000001A(0x41792,0xffff800012345678,0x1,0x0)",
    ];
    assert_eq!(crashes(text), expected);
    // What stands before them is about the machine.
    assert_eq!(tickets(text).len(), 3);
}

const FIRST: &str = "Faulting application name: first.exe, version: 1.0.0.0, time stamp: 0x60010203\n\
    Faulting module name: one.dll, version: 1.0.0.1, time stamp: 0x60040506\nException code: 0xc0000005\n\
    Fault offset: 0x0000000000001234\n";
const SECOND: &str = "Faulting application name: second.exe, version: 2.0.0.0, time stamp: 0x60010203\n\
    Faulting module name: unknown, version: 0.0.0.0, time stamp: 0x00000000\nException code: 0xc0000374\n\
    Fault offset: 0x00000000000ff279\n";
const SHOWN: [&str; 2] = [
    "app=first.exe app_version=1.0.0.0 module=one.dll module_version=1.0.0.1 code=0xC0000005 offset=0x1234",
    "app=second.exe app_version=2.0.0.0 code=0xC0000374 offset=0xff279",
];

#[test]
fn event_viewers_text_pasted_twice_is_two_crashes() {
    assert_eq!(crashes(&format!("{FIRST}\nand then\n\n{SECOND}")), SHOWN);
    assert_eq!(crashes(&format!("{FIRST}\n{FIRST}")), SHOWN[..1], "the same twice");
    let translated = |text: &str| {
        text.replace("Faulting application name", "Wadliwa aplikacja")
            .replace("Faulting module name", "Wadliwy moduł")
            .replace("Exception code", "Kod")
            .replace("Fault offset", "Miejsce")
    };
    assert_eq!(crashes(&translated(&format!("{FIRST}{SECOND}"))), SHOWN, "in a language without patterns");
}

#[test]
fn events_as_powershell_prints_them_are_crashes_of_their_own() {
    let shown =
        |text: &str| format!("TimeCreated : 1/2/2024\nMessage     : {}\n", text.replace('\n', "\n              "));
    assert_eq!(crashes(&format!("{}{}", shown(FIRST), shown(SECOND))), SHOWN);
}

#[test]
fn of_several_events_those_of_one_crash_stay_together() {
    let bucket = |app: &str, module: &str, code: &str| {
        format!("Fault bucket 123, type 4\nEvent Name: APPCRASH\nP1: {app}\nP4: {module}\nP7: {code}\n\n")
    };
    let text = format!(
        "{}{FIRST}{}{SECOND}",
        bucket("first.exe", "one.dll", "c0000005"),
        bucket("second.exe", "StackHash_1a2b", "c0000374")
    );
    assert_eq!(crashes(&text), SHOWN);
}

#[test]
fn rows_of_blue_screen_view_are_crashes_of_their_own() {
    let row = |file: &str, name: &str, code: &str, driver: &str| {
        format!(
            "{file}.dmp\t1/2/2024 10:11:12 AM\t{name}\t0x{code}\t00000000`00000003\tffffab12`cd34e560\tfffff800`12345678\t00000000`00000004\t{driver}\n"
        )
    };
    let text = row("010224-9531-01", "DRIVER_POWER_STATE_FAILURE", "0000009f", "pci.sys")
        + &row("010124-8421-01", "MEMORY_MANAGEMENT", "0000001a", "");
    let expected = [
        "module=pci.sys bugcheck=0x0000009F(0x3,0xffffab12cd34e560,0xfffff80012345678,0x4)",
        "bugcheck=0x0000001A(0x3,0xffffab12cd34e560,0xfffff80012345678,0x4)",
    ];
    assert_eq!(crashes(&text), expected);
    let text = "Dump File : 010224-9531-01.dmp\nBug Check Code : 0x0000009f\nParameter 1 : 00000000`00000003\n\
                Caused By Driver : pci.sys\nDump File : 010124-8421-01.dmp\nBug Check Code : 0x0000001a\n";
    assert_eq!(crashes(text), ["module=pci.sys bugcheck=0x0000009F(0x3)", "bugcheck=0x0000001A()"]);
}

#[test]
fn each_analysis_of_a_debugger_is_one() {
    let analysis = |stop: &str, code: &str, first: &str, rest: &str| {
        format!(
            "*******************\n*    Bugcheck Analysis    *\n*******************\n\n{stop} ({code})\nArguments:\n\
             Arg1: {first}, x\nArg2: 0000000000000002\nArg3: 0000000000000001\nArg4: fffff80212345678\n\n\
             BUGCHECK_CODE:  {code}\nBUGCHECK_P1: {first}\n{rest}\n"
        )
    };
    let text =
        analysis("DRIVER_POWER_STATE_FAILURE", "9f", "0000000000000003", "IMAGE_NAME:  pci.sys\nMODULE_NAME: pci")
            + &analysis(
                "MEMORY_MANAGEMENT",
                "1a",
                "0000000000041792",
                "MODULE_NAME: hardware\nIMAGE_NAME:  memory_corruption",
            );
    let expected = [
        "module=pci.sys bugcheck=0x0000009F(0x3,0x2,0x1,0xfffff80212345678)",
        "suspects=memory bugcheck=0x0000001A(0x41792,0x2,0x1,0xfffff80212345678)",
    ];
    assert_eq!(crashes(&text), expected);
}

#[test]
fn each_run_that_failed_is_one() {
    let run = |file: &str, code: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"{file}\", line 1, in run\nRuntimeError\n\nProcess finished with exit code {code}\n"
        )
    };
    let text = run("a.py", "-1073741819 (0xC0000005)") + &run("b.py", "-1073740791 (0xC0000409)");
    assert_eq!(crashes(&text), ["code=0xC0000005", "code=0xC0000409"]);
    let files: Vec<String> = tickets(&text).iter().map(|ticket| ticket.python_frames[0].file.to_string()).collect();
    assert_eq!(files, ["a.py", "b.py"]);
    let text = run("a.py", "0") + &run("b.py", "-1073740791 (0xC0000409)");
    assert_eq!(crashes(&text), ["code=0xC0000409"], "one failed only");
}

#[test]
fn runs_that_ended_with_different_codes_are_several() {
    let ended = |line: &str, code: &str| format!("{line}\nProcess finished with exit code {code}\n");
    let omp = "OMP: Error #15: Initializing a.dll, but found a.dll already initialized.";
    let text = format!(
        "Run 1\n{}\nRun 2 (after a setting)\n{}",
        ended(omp, "3"),
        ended("started", "-1073741819 (0xC0000005)")
    );
    let tickets = tickets(&text);
    assert_eq!(tickets.len(), 2);
    assert!(tickets[1].lines.iter().all(|line| &*line.text != omp));
}

#[test]
fn the_rows_of_a_list_of_crashes_are_one_each() {
    let text = "We had these:\n1. BSOD 0x124 on Monday\n2. BSOD 0x116 on Tuesday\n3. tool.exe ended with code 0xC0000374\n\
        The PC has 16 GB.\n";
    let expected = ["bugcheck=0x00000124()", "bugcheck=0x00000116()", "app=tool.exe code=0xC0000374"];
    assert_eq!(crashes(text), expected);
    assert!(tickets(text).iter().take(3).all(|ticket| ticket.lines.len() == 1), "the rest is of none of them");
    let text = "2024-03-01: blue screen VIDEO_TDR_FAILURE\n2024-03-05 10:11: blue screen MEMORY_MANAGEMENT\n";
    assert_eq!(crashes(text), ["bugcheck=0x00000116()", "bugcheck=0x0000001A()"]);
}

#[test]
fn tickets_with_numbers_are_one_each() {
    let text = "Ticket 1: part.dll was not found on PC-01.\nTicket 2: tool.exe exit code 0xC0000374 on PC-02.\n";
    let lines: Vec<usize> = tickets(text).iter().map(|ticket| ticket.lines.len()).collect();
    assert_eq!(lines, [1, 1]);
}

#[test]
fn steps_and_logs_are_no_list_of_crashes() {
    assert_eq!(
        tickets("1. I updated the driver\n2. BSOD 0x124\n3. BSOD 0x116\n").len(),
        1,
        "not every row is of a crash"
    );
    let meanings = "1. exit code 0xC0000135 means a missing DLL\n2. exit code 0xC0000142 means one that refused\n";
    assert_eq!(tickets(meanings).len(), 1);
    let stops = tickets("1. BSOD 0x124\n2. BSOD 0x116\n3. BSOD 0x1A\n");
    assert_eq!((stops.len(), stops[0].stops_told), (1, 3), "different each time: one story");
    assert_eq!(tickets("1. BSOD 0x124 again\n2. BSOD 0x124\n").len(), 1, "one and the same");
    let log = "2024-03-01 10:11:12 exit code 0xC0000374\n2024-03-01 10:11:13 exit code 0xC0000005\n";
    assert_eq!(tickets(log).len(), 1);
}

#[test]
fn a_stop_above_the_report_of_a_programs_crash_is_another_crash() {
    let text = format!("Blue screen VIDEO_TDR_FAILURE (0x116, nvlddmkm.sys).\nThere are also crashes:\n{FIRST}");
    assert_eq!(crashes(&text), ["bugcheck=0x00000116()", SHOWN[0]]);
}

#[test]
fn a_stop_without_parameters_beside_a_whole_report_of_a_crash_is_another_story() {
    let text = format!("{FIRST}\nIn March we also had bugcheck 0x124.\n");
    assert!(tickets(&text).iter().all(|ticket| ticket.bugcheck.is_none()));
}

#[test]
fn stops_are_counted_where_they_are_not_denied() {
    let told = |text: &str| tickets(text).remove(0).stops_told;
    assert_eq!(told("Blue screens this month: 0x1A, 0x50, 0x3B, 0xA, 0xEF - different each time"), 5);
    assert_eq!(told("blue screens: MEMORY_MANAGEMENT, SYSTEM_SERVICE_EXCEPTION. It is not IRQL_NOT_LESS_OR_EQUAL"), 2);
}

#[test]
fn another_problem_begins_where_somebody_says_so() {
    let text = "Exit code: 0xC0000005\nThat is clear. Next problem:\nOMP: Error #15: a\n";
    let lines: Vec<usize> = tickets(text).iter().map(|ticket| ticket.lines.len()).collect();
    assert_eq!(lines, [1, 2]);
    assert_eq!(tickets("Exit code: 0xC0000005\nNext problem:\nnobody knows\n").len(), 1);
}

#[test]
fn a_stop_said_in_words_beside_a_whole_report_of_a_crash_is_another_story() {
    let text = format!("{FIRST}\nTwo years ago it was blue screen 0x124 because of the power supply.\n");
    assert_eq!(crashes(&text), [SHOWN[0]]);
}

#[test]
fn a_programs_crash_and_a_stop_are_two() {
    let text = format!(
        "# Crash 1\n{FIRST}\n# Crash 2\nThe computer has rebooted from a bugcheck.  The bugcheck was: 0x0000009f (0x3, 0x1, 0x2, 0x4)."
    );
    assert_eq!(crashes(&text), [SHOWN[0], "bugcheck=0x0000009F(0x3,0x1,0x2,0x4)"]);
}

#[test]
fn a_crash_report_wins_over_what_a_log_wrote_before() {
    let log: String = (1..40).map(|code| format!("12:00:{code} request {code} status 0xC00000{code:02}\n")).collect();
    let reading = read_content(
        &format!("{log}{FIRST}").as_bytes().into(),
        &Context::new(&Names::default(), &Contents::default()),
    );
    assert_eq!(not_a_report(&reading.expect("readable")), None);
    assert_eq!(crashes(&format!("{log}{FIRST}")), SHOWN[..1]);
    let reading = read_content(&log.as_bytes().into(), &Context::new(&Names::default(), &Contents::default()));
    assert!(not_a_report(&reading.expect("readable")).is_some(), "codes and nothing else");
}

#[test]
fn values_that_a_mail_program_broke_off_are_read() {
    for text in [
        "Process finished with exit code\n-1073740791",
        "it ended, exit code:\n\n-1073740791",
        "> exit code −1073740791",
        "| **Exit code** | `-1073740791` |",
        "Exception code:\n0xc0000409",
    ] {
        assert_eq!(facts(text), "code=0xC0000409", "{text}");
    }
    assert_eq!(facts("Faulting module name:\nfrom the log"), "");
    assert_eq!(facts("Faulting module name:\npart.dll, version: 1.0"), "module=part.dll module_version=1.0.0.0");
}

#[test]
fn tables_and_quotes_are_read_like_the_text_in_them() {
    let table: String = FIRST
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(label, value)| format!("> | **{label}** | {} |\n", value.trim()))
        .collect();
    assert_eq!(facts(&table), SHOWN[0]);
}

#[test]
fn what_cannot_be_told_apart_stays_one_and_the_other_names_are_said() {
    let text = "In one case the faulting module name: one.dll, exception code: 0xc0000005, in another the\n\
                faulting module name: two.dll, exception code: 0xc0000409";
    assert_eq!(crashes(text), ["module=one.dll code=0xC0000005"]);
    let others: Vec<String> =
        tickets(text)[0].contradictions.iter().map(|other| format!("{} {}", other.of, other.value)).collect();
    assert_eq!(others, ["module two.dll", "exception code 0xC0000409"]);
}

#[test]
fn equal_crashes_on_different_days_are_two_and_on_one_minute_one() {
    let event = |day: &str| format!("Log Name:      Application\nDate:          {day}\nEvent ID:      1000\n{FIRST}\n");
    let text = event("1/2/2024 10:11:12 AM") + &event("1/5/2024 4:05:06 PM");
    assert_eq!(crashes(&text), [SHOWN[0], SHOWN[0]]);
    let text = event("1/2/2024 10:11:12 AM") + &event("1/2/2024 10:11:14 AM");
    assert_eq!(crashes(&text), SHOWN[..1]);
}

#[test]
fn each_run_behind_a_prompt_is_one() {
    let run = |command: &str, code: &str| {
        format!(
            "PS C:\\work> python {command}\nWindows fatal exception: {code}\n\nCurrent thread 0x00001a2c (most recent call first):\n  File \"a.py\", line 1 in run\n"
        )
    };
    let text = run("a.py", "access violation") + &run("a.py", "access violation");
    assert_eq!(crashes(&text), ["code=0xC0000005"; 2]);
    let text = run("a.py", "access violation") + "PS C:\\work> echo $LASTEXITCODE\n-1073741819\n";
    assert_eq!(crashes(&text), ["code=0xC0000005"], "who asks for the code of a run starts none");
}

#[test]
fn what_different_customers_and_machines_met_is_several() {
    let text = "Customer A: tool.exe exits with 0xC0000374 each evening.\n\
                Customer B: tool.exe exits with 0xC00000FD after loading a big file.\n";
    assert_eq!(crashes(text), ["app=tool.exe code=0xC0000374", "app=tool.exe code=0xC00000FD"]);
    let text = "PC-1:\nExit code: 0xC0000374\nPC-2:\nExit code: 0xC0000374\n";
    assert_eq!(crashes(text), ["code=0xC0000374"; 2], "equal codes of two machines");
    let text = "Machine 1: Windows 10\nMachine 2: Windows 11\nOn both: exit code 0xC0000374\n";
    assert_eq!(tickets(text).len(), 1, "one crash, told once");
    let text = "User 1: exit code 0xC0000374\nUser 2: which version?\nUser 1: version 3, exit code 0xC0000374\n";
    assert_eq!(crashes(text), ["code=0xC0000374"]);
}

#[test]
fn what_different_scripts_ended_with_is_several() {
    let traceback = |file: &str, error: &str| {
        format!("Traceback (most recent call last):\n  File \"{file}\", line 3, in <module>\n    run()\n{error}\n\n")
    };
    let text = traceback("a.py", "OSError: [WinError 126] not found") + &traceback("b.py", "OSError: [WinError 1455]");
    let errors: Vec<Vec<u32>> = tickets(&text).into_iter().map(|ticket| ticket.win_errors).collect();
    assert_eq!(errors, [[126], [1455]]);
    let text = traceback("a.py", "OSError: [WinError 126] not found") + &traceback("a.py", "OSError: [WinError 1455]");
    assert_eq!(tickets(&text).len(), 1, "one script may go on after an error");
}
