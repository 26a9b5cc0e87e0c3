//! The texts here are made up in the forms in which people paste them.

mod several;
mod words;

use super::*;
use evidence::{ExceptionCode, Names, Version};
use knowledge_tables::embedded;
use knowledge_tables::patterns::Example;
use untrusted::text::decode;
use windows_events::{Contents, Context};

/// The tickets that a text gives: one for each crash, and one for the rest.
fn tickets(text: &str) -> Vec<Ticket> {
    let reading = read_content(&text.as_bytes().into(), &Context::new(&Names::default(), &Contents::default()))
        .expect("readable");
    let tickets = reading.evidence.into_iter().filter_map(|evidence| match evidence.observation {
        Observation::Ticket(ticket) => Some(*ticket),
        _ => None,
    });
    tickets.collect()
}

/// The recognised facts of a text, by the names that examples use.
fn named_facts(text: &str) -> Vec<(&'static str, String)> {
    named_facts_of(tickets(text).into_iter().next().expect("a ticket"))
}

fn named_facts_of(ticket: Ticket) -> Vec<(&'static str, String)> {
    let hex = |numbers: &[u64]| numbers.iter().map(|number| format!("{number:#x}")).collect::<Vec<_>>().join(",");
    let short = |version: Version| version.to_string().trim_end_matches(".0").to_owned();
    let some = |text: Option<Arc<str>>| text.map(|text| text.to_string());
    let joined = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join(", "));
    let inventory = ticket.inventory;
    // A code is a code of the process, too; only others are told.
    let exit_code = ticket.exit_code.filter(|code| ticket.code != Some(ExceptionCode(*code)));
    let facts = [
        ("app", some(ticket.app)),
        ("app_version", ticket.app_version.map(|version| version.to_string())),
        ("app_path", some(ticket.app_path)),
        ("pid", ticket.pid.map(|pid| pid.to_string())),
        ("started", ticket.started.map(|time| time.to_string())),
        ("report_id", some(ticket.report_id)),
        ("computer", some(ticket.computer)),
        ("module", some(ticket.module)),
        ("module_version", ticket.module_version.map(|version| version.to_string())),
        ("module_path", some(ticket.module_path)),
        ("blamed", some(ticket.blamed)),
        ("suspects", ticket.debugger_suspects.map(str::to_owned)),
        ("code", ticket.code.map(|code| code.to_string())),
        ("exit_code", exit_code.map(|code| code.to_string())),
        ("offset", ticket.offset.map(|offset| offset.to_string())),
        ("cpp_type", some(ticket.cpp_type)),
        ("cpp_what", some(ticket.cpp_what)),
        ("fast_fail", ticket.fast_fail.map(|code| code.0.to_string())),
        ("page", ticket.in_page_status.map(|status| status.to_string())),
        ("hung", ticket.hung.then(|| "true".to_owned())),
        ("access", ticket.access_address.map(|address| address.to_string())),
        ("bugcheck", ticket.bugcheck.map(|(code, parameters)| format!("{code}({})", hex(&parameters)))),
        ("win_errors", (!ticket.win_errors.is_empty()).then(|| format!("{:?}", ticket.win_errors))),
        ("hresults", joined(ticket.hresults.iter().map(|number| format!("{number:#010X}")).collect())),
        ("events", joined(ticket.events.iter().map(|event| format!("{} {}", event.provider, event.id)).collect())),
        ("gpu", joined(inventory.gpus.iter().map(ToString::to_string).collect())),
        ("nvidia_driver", inventory.nvidia_driver.map(short)),
        ("cuda_driver", inventory.cuda_driver.map(short)),
        ("os_build", inventory.os_build.map(|build| build.to_string())),
        ("memory", inventory.memory.map(|bytes| bytes.to_string())),
        ("bios", some(inventory.bios)),
        ("model", some(inventory.model)),
        ("python", inventory.python.map(short)),
        ("packages", joined(inventory.packages.iter().map(|(name, version)| format!("{name} {version}")).collect())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The same in one text, but for the exit code.
fn facts(text: &str) -> String {
    shown(named_facts(text))
}

fn shown(facts: Vec<(&'static str, String)>) -> String {
    let shown = |(name, value): (&str, String)| (name != "exit_code").then(|| format!("{name}={value}"));
    facts.into_iter().filter_map(shown).collect::<Vec<_>>().join(" ")
}

#[test]
fn no_line_is_longer_than_is_looked_at_at_once_and_nothing_is_lost() {
    let sentence = "the tool said that it went on ";
    let text = format!("{}then it died with 0xC0000005 at last", sentence.repeat(2000));
    let ticket = tickets(&text).remove(0);
    assert!(ticket.lines.len() > 5 && ticket.lines.iter().all(|line| line.text.len() <= LONGEST_LINE));
    assert!(ticket.lines.iter().all(|line| line.number == 1));
    assert_eq!((ticket.code, ticket.code_only_mentioned), (Some(ExceptionCode(0xC000_0005)), false));
    let words: usize = ticket.lines.iter().map(|line| line.text.split_whitespace().count()).sum();
    assert_eq!(words, text.split_whitespace().count(), "divided between words");
    let without_blanks: String = "ä".repeat(LONGEST_LINE * 3);
    assert_eq!(
        tickets(&without_blanks)[0].lines.iter().map(|line| line.text.len()).sum::<usize>(),
        without_blanks.len()
    );
}

#[test]
fn how_a_process_ended_is_told_in_many_words() {
    for text in [
        "tool.exe exits with 0xC00000FD",
        "crash code: 0xC0000374",
        "The child was terminated with code -1073741819",
        "return code 3221225477",
        "the worker died with 0xC0000005 again",
        "it always crashes with exception code 0xC0000005",
        "the trainer quits with the error code `0xC0000409`",
        "Training stürzt nach einer Stunde mit Fehler 0xC0000005 ab",
        "Der Prozess wurde mit Code -1073740791 beendet.",
        "Le processus s'est terminé avec le code -1073741819.",
        "El proceso terminó con el código -1073741819",
        "O programa fecha com erro 0xC0000005",
        "Процесс завершился с кодом -1073741819",
        "プロセスはコード -1073741819 で終了しました",
        "程序崩溃，错误代码 0xC0000005",
    ] {
        let ticket = tickets(text).remove(0);
        assert!(ticket.code.is_some() && !ticket.code_only_mentioned, "{text}");
    }
    for text in [
        "I read that 0xC0000005 has many reasons",
        "we counted 3221225477 requests, and then it died with 3 errors",
        "Is this the same as 0xC0000409?",
        "If a program exits with 0xC00000FD it overflowed its stack",
        "Go programs exit with 0xC0000005 on such faults",
        "it does not look like the bug with 0xC0000374",
    ] {
        let ticket = tickets(text).remove(0);
        assert!(ticket.code.is_none() || ticket.code_only_mentioned, "{text}");
    }
}

/// The facts of each ticket that tells of a crash.
fn crashes(text: &str) -> Vec<String> {
    let crashes = tickets(text).into_iter().filter(Ticket::reports_a_crash);
    crashes.map(|ticket| shown(named_facts_of(ticket))).collect()
}

embedded!(
    /// Each pattern's own examples.
    EXAMPLES: Vec<Example> = "ticket-examples"
);

#[test]
fn every_pattern_finds_what_its_examples_say_and_nothing_else() {
    let mut wrong = Vec::new();
    assert!(EXAMPLES.len() > 100);
    for Example { place, text, gives } in EXAMPLES.iter() {
        let mut found = named_facts(text);
        let mut expected: Vec<(&str, String)> =
            gives.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        found.sort();
        expected.sort();
        if found != expected {
            wrong.push(format!("{place}: {text:?}\n    gives    {found:?}\n    expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
        "make: *** Error 127",
    ] {
        assert_eq!(facts(text), "", "{text}");
    }
    assert_eq!(facts("policy has blocked this file. (0x800711C7)"), "win_errors=[4551] hresults=0x800711C7");
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
    let expected = "app=trainer.exe app_version=3.9.13.0 app_path=C:\\Werk\\trainer.exe pid=4312 \
                    started=2022-11-24T12:27:07.1594308Z report_id=0a0b0c0d-1111-2222-3333-445566778899 \
                    module=ucrtbase.dll module_version=10.0.1.2 \
                    module_path=C:\\Windows\\System32\\ucrtbase.dll code=0xC0000409 offset=0x5d1e2";
    assert_eq!(facts(text), expected);
    assert_eq!(facts(&text.replace('\n', "\r\n\r\n")), expected, "with empty lines");
    assert_eq!(facts(&text.replace("stamp: ", "stamp:\n")), expected, "broken before the stamps");
    let windows_11 = text.replace("0x10d8", "0x0x10D8").replace("0x01d9000011223344", "0x0x1D9000011223344");
    assert_eq!(facts(&windows_11), expected, "as Windows 11 writes it");
    let one_line = facts(&text.replace('\n', " "));
    for fact in
        ["app=trainer.exe app_version=3.9.13.0", "pid=4312", "module=ucrtbase.dll", "code=0xC0000409 offset=0x5d1e2"]
    {
        assert!(one_line.contains(fact), "all in one line: {one_line}");
    }
}

#[test]
fn event_1000_in_other_languages() {
    let expected = "app=trainer.exe app_version=3.9.13.0 app_path=C:\\Werk\\trainer.exe pid=4312 \
                    started=2022-11-24T12:27:07.1594308Z module=ucrtbase.dll module_version=10.0.1.2 \
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
fn event_1000_with_lines_left_out_gives_each_value_its_own_meaning() {
    let text = "Ohjelma: trainer.exe, versio: 3.9.13.0, aikaleima: 0x60010203\n\
                Moduuli: ucrtbase.dll, versio: 10.0.1.2, aikaleima: 0x60040506\n\
                Koodi: 0xc0000409\nSiirtymä: 0x000000000005d1e2\nProsessi: 0x10d8\n\
                Aika: 0x01d9000011223344\nPolku: C:\\Werk\\trainer.exe\n\
                Moduulin polku: C:\\Windows\\System32\\ucrtbase.dll\nRaportti: 0a0b0c0d-1111-2222-3333-445566778899\n";
    let whole = facts(text);
    assert!(whole.contains("pid=4312 started=2022-11-24T12:27:07.1594308Z"), "{whole}");
    let without_time = facts(&text.replace("Aika: 0x01d9000011223344\n", ""));
    assert_eq!(without_time, whole.replace(" started=2022-11-24T12:27:07.1594308Z", ""));
    let without_id = facts(&text.replace("Prosessi: 0x10d8\n", ""));
    assert_eq!(without_id, whole.replace(" pid=4312", ""));
    let without_paths = facts(&text.replace("Polku: C:\\Werk\\trainer.exe\n", "Polku:\n"));
    assert!(without_paths.contains("report_id=0a0b0c0d-1111-2222-3333-445566778899"), "{without_paths}");
}

#[test]
fn the_dialogue_of_windows_7_numbers_the_values_of_a_signature() {
    let numbered = |label: &str, values: &[&str]| -> String {
        (1..).zip(values).map(|(number, value)| format!("  {label} {number:02}:\t{value}\n")).collect()
    };
    let values = ["tool.exe", "1.2.3.4", "4f1a2b3c", "part.dll", "5.6.7.8", "4ce7ba58", "c0000005", "00091b3c"];
    let expected =
        "app=tool.exe app_version=1.2.3.4 module=part.dll module_version=5.6.7.8 code=0xC0000005 offset=0x91b3c";
    for (name, label) in [("Problem Event Name", "Problem Signature"), ("Problemereignisname", "Problemsignatur")] {
        let text = format!("Problem signature:\n  {name}:\tAPPCRASH\n{}", numbered(label, &values));
        assert_eq!(facts(&text), expected, "{text}");
    }
    let managed =
        ["tool.exe", "1.2.3.4", "4f1a2b3c", "Tool.Core", "1.0.0.0", "4f1a2b3d", "1a2", "4", "System.Exception"];
    let text = format!("Problem Event Name:\tCLR20r3\n{}", numbered("Problem Signature", &managed));
    assert_eq!(facts(&text), "app=tool.exe app_version=1.2.3.4");
    let signature = numbered("Problem Signature", &values);
    let after = format!("Problem Event Name:\tAPPCRASH\nStep 01: look\n{signature}Step 01: wait\nStep 02: end\n");
    assert_eq!(facts(&after), expected, "another list");
    assert_eq!(facts(&numbered("Problem Signature", &values[..3])), "", "without the event's name");
    let stop = "  Problem Event Name:\tBlueScreen\n  OS Version:\t6.1.7601.2.1.0.256.48\n\n  BCCode:\t116\n\
                BCP1:\tFFFFFA8009A3E010\n  BCP2:\tFFFFF8800F3A4E50\n  BCP3:\t0000000000000000\n  BCP4:\t2\n";
    assert_eq!(facts(stop), "bugcheck=0x00000116(0xfffffa8009a3e010,0xfffff8800f3a4e50,0x0,0x2) os_build=7601");
}

#[test]
fn a_report_of_the_kernel_without_parameters_has_its_code() {
    assert_eq!(facts("Problem Event Name:\tLiveKernelEvent\nCode:\t141\n"), "bugcheck=0x00000141()");
    assert_eq!(facts("Problem Event Name:\tAPPCRASH\nCode:\t141\n"), "");
}

#[test]
fn parameters_of_a_stop_go_on_in_the_next_line() {
    let expected = "bugcheck=0x00000116(0xffffab12cd34e560,0xfffff80012345678,0xffffffffc000009a,0x4)";
    for text in [
        "Message : The bugcheck was: 0x00000116 (0xffffab12cd34e560,\n          0xfffff80012345678, 0xffffffffc000009a, \
         0x0000000000000004). A dump was saved",
        "The bugcheck was: 0x00000116 (0xffffab12cd34e560,\n0xfffff80012345678, 0xffffffffc000009a,\n0x0000000000000004).",
    ] {
        assert_eq!(facts(text), expected, "{text}");
    }
    let other = "The bugcheck was: 0x00000116 (0xffffab12cd34e560,\nit ended with 0xC0000005";
    assert_eq!(facts(other), "code=0xC0000005 bugcheck=0x00000116(0xffffab12cd34e560)");
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
    assert_eq!(facts("Stop code: DPC_WATCHDOG_VIOLATION"), "bugcheck=0x00000133()");
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
    let own = "#  EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=0x00007ff8, pid=1\n# V  [jvm.dll+0x10]";
    assert_eq!(facts(own), "module=jvm.dll code=0xC0000005 offset=0x10");
    assert_eq!(facts("V  [part.dll+0x10]"), "", "the JVM's own frames stand on every stack");
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
    let mut parts = Parts::default();
    parts.add(&decode(bytes).characters, 1, &Context::new(&Names::default(), &Contents::default()));
    let lines = parts.take_lines();
    (lines.into_iter().map(|line| (line.number, line.text.to_string())).collect(), parts.losses)
}

#[test]
fn lines_keep_their_numbers_and_lose_what_only_consoles_need() {
    let (lines, losses) = lines_of(b"first  \r\n\r\n \x1b[1;31mthird\x1b[0m\n10%\r20%\rdone\x08\n");
    let expected = [(1, "first"), (3, " third"), (4, "10%"), (4, "20%"), (4, "done")];
    assert_eq!(lines, expected.map(|(number, text)| (number, text.to_string())));
    assert_eq!(losses, []);
}

#[test]
fn of_too_many_lines_beginning_and_end_are_kept() {
    let text: String = (1..=2 * KEPT_LINES + 5).map(|number| format!("{number}\n")).collect();
    let (lines, losses) = lines_of(text.as_bytes());
    assert_eq!(lines.len(), 2 * KEPT_LINES);
    assert_eq!(lines.last(), Some(&(100_005, "100005".to_owned())));
    assert_eq!(losses, [Loss::new("line 50001", "5 lines are left out")]);
}

#[test]
fn of_a_long_text_the_middle_is_left_out_and_lines_keep_their_numbers() {
    let line = format!("{}\n", "x".repeat(99));
    let mut text = line.repeat(60_000);
    text.push_str("Process finished with exit code -1073740791\n");
    let reading = read_content(&text.as_bytes().into(), &Context::new(&Names::default(), &Contents::default()))
        .expect("readable");
    assert_eq!(reading.evidence[0].place.to_string(), "line 60001");
    assert_eq!(reading.losses.len(), 1, "{:?}", reading.losses);
    assert!(reading.losses[0].to_string().starts_with("line 20972: 1805"), "{}", reading.losses[0]);
}

#[test]
fn an_empty_text_is_no_ticket() {
    assert!(read_content(&b" \r\n\t\n"[..].into(), &Context::new(&Names::default(), &Contents::default())).is_err());
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
