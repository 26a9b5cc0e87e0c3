//! Codes as people ask for them.

use super::*;
use windows_codes::Kind;

fn explained(text: &str) -> Vec<Explained> {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    codes_in(text, &rules).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn likeliest(text: &str) -> windows_codes::Reading {
    judged(text).code
}

fn judged(text: &str) -> Reading {
    explained(text).remove(0).readings.remove(0)
}

#[test]
fn the_likeliest_reading_comes_first() {
    for (text, kind, code, name) in [
        ("-1073740791", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("3221226505", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("c0000409", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("exit code -1073740791 (0xC0000409)", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("0xC0000142", Kind::Exception, "0xC0000142", "STATUS_DLL_INIT_FAILED"),
        ("WinError 126", Kind::WinError, "126", "ERROR_MOD_NOT_FOUND"),
        ("126", Kind::WinError, "126", "ERROR_MOD_NOT_FOUND"),
        ("5", Kind::WinError, "5", "ERROR_ACCESS_DENIED"),
        ("116", Kind::Bugcheck, "0x00000116", "VIDEO_TDR_FAILURE"),
        ("141", Kind::Bugcheck, "0x00000141", "VIDEO_ENGINE_TIMEOUT_DETECTED"),
        ("139", Kind::Bugcheck, "0x00000139", "KERNEL_SECURITY_CHECK_FAILURE"),
        ("exit code 139", Kind::ExitCode, "139", "SIGSEGV"),
        ("exit code 5", Kind::ExitCode, "5", "the program's own"),
        ("exit code 7", Kind::ExitCode, "7", "the program's own"),
        ("exit code 9", Kind::ExitCode, "9", "SIGKILL, or the program's own"),
        ("9", Kind::ExitCode, "9", "SIGKILL, or the program's own"),
        ("255", Kind::ExitCode, "255", "-1 in 8 bits"),
        ("exit code 255", Kind::ExitCode, "255", "-1 in 8 bits"),
        ("exit code 53", Kind::Exception, "0xC0000135", "STATUS_DLL_NOT_FOUND"),
        ("exit code 1603", Kind::WinError, "1603", "ERROR_INSTALL_FAILURE"),
        ("exit code 137", Kind::ExitCode, "137", "SIGKILL"),
        ("134", Kind::ExitCode, "134", "SIGABRT"),
        ("137", Kind::ExitCode, "137", "SIGKILL"),
        ("kernel power 41", Kind::Event, "41", "Microsoft-Windows-Kernel-Power"),
        ("Kernel-Power 41 (63)", Kind::Event, "41", "Microsoft-Windows-Kernel-Power"),
        ("event 41", Kind::Event, "41", "Microsoft-Windows-Kernel-Power"),
        ("Event ID 1000", Kind::Event, "1000", "Application Error"),
        ("Application Error 1000", Kind::Event, "1000", "Application Error"),
        ("Ereignis-ID 6008", Kind::Event, "6008", "EventLog"),
        ("event 104", Kind::Event, "104", "Eventlog"),
        ("event 1102", Kind::Event, "1102", "Eventlog"),
        ("MemoryDiagnostics-Results 1102", Kind::Event, "1102", "MemoryDiagnostics-Results"),
        ("nvlddmkm 153", Kind::Event, "153", "nvlddmkm"),
        ("disk 153", Kind::Event, "153", "disk"),
        ("WHEA-Logger 18", Kind::Event, "18", "Microsoft-Windows-WHEA-Logger"),
        ("4101", Kind::Event, "4101", "Display"),
        ("cudaErrorLaunchFailure", Kind::CudaError, "719", "cudaErrorLaunchFailure"),
        ("719", Kind::CudaError, "719", "cudaErrorLaunchFailure"),
        ("CUBLAS_STATUS_ALLOC_FAILED", Kind::CublasStatus, "3", "CUBLAS_STATUS_ALLOC_FAILED"),
        ("CUDNN_STATUS_NOT_INITIALIZED", Kind::CudnnStatus, "1001", "CUDNN_STATUS_NOT_INITIALIZED"),
        ("FAST_FAIL 5", Kind::FastFail, "5", "FAST_FAIL_INVALID_ARG"),
        ("c000 0005", Kind::Exception, "0xC0000005", "STATUS_ACCESS_VIOLATION"),
        ("Error 43", Kind::DeviceProblem, "43", "CM_PROB_FAILED_POST_START"),
        ("-11", Kind::ExitCode, "-11", "signal 11 (SIGSEGV)"),
        ("cublas status 13", Kind::CublasStatus, "13", "CUBLAS_STATUS_EXECUTION_FAILED"),
        ("exception 0", Kind::Exception, "0x00000000", "STATUS_SUCCESS"),
        ("status 0", Kind::Exception, "0x00000000", "STATUS_SUCCESS"),
        ("exit status 0", Kind::ExitCode, "0", "success"),
        ("Xid 79", Kind::Xid, "79", "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS"),
        ("NVRM Xid 13", Kind::Xid, "13", "ROBUST_CHANNEL_GR_EXCEPTION"),
        ("errno 22", Kind::Errno, "22", "EINVAL"),
        ("ENOSPC", Kind::Errno, "28", "ENOSPC"),
        ("code 43", Kind::DeviceProblem, "43", "CM_PROB_FAILED_POST_START"),
        ("Code 10", Kind::DeviceProblem, "10", "CM_PROB_FAILED_START"),
        ("Error 0x1A", Kind::Bugcheck, "0x0000001A", "MEMORY_MANAGEMENT"),
        ("CUDA error 719", Kind::CudaError, "719", "cudaErrorLaunchFailure"),
        ("CUDA_ERROR_LAUNCH_FAILED", Kind::CudaError, "719", "cudaErrorLaunchFailure"),
        ("\u{2212}1073740791", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("\u{2013}1073741819", Kind::Exception, "0xC0000005", "STATUS_ACCESS_VIOLATION"),
        ("3221225477", Kind::Exception, "0xC0000005", "STATUS_ACCESS_VIOLATION"),
        ("c0000135", Kind::Exception, "0xC0000135", "STATUS_DLL_NOT_FOUND"),
        ("STATUS_HEAP_CORRUPTION", Kind::Exception, "0xC0000374", "STATUS_HEAP_CORRUPTION"),
        ("0x80004005", Kind::HResult, "0x80004005", "E_FAIL"),
        ("[WinError 1455]", Kind::WinError, "1455", "ERROR_COMMITMENT_LIMIT"),
        ("winerror 126", Kind::WinError, "126", "ERROR_MOD_NOT_FOUND"),
        ("DXGI_ERROR_DEVICE_REMOVED", Kind::HResult, "0x887A0005", "DXGI_ERROR_DEVICE_REMOVED"),
        ("fast fail 7", Kind::FastFail, "7", "FAST_FAIL_FATAL_APP_EXIT"),
        ("9009", Kind::ExitCode, "9009", "command not found"),
        ("0x5", Kind::WinError, "5", "ERROR_ACCESS_DENIED"),
        ("0x7E", Kind::Bugcheck, "0x0000007E", "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED"),
        ("1114", Kind::WinError, "1114", "ERROR_DLL_INIT_FAILED"),
        ("3", Kind::ExitCode, "3", "abort"),
        ("53", Kind::Exception, "0xC0000135", "STATUS_DLL_NOT_FOUND"),
        ("0x116", Kind::Bugcheck, "0x00000116", "VIDEO_TDR_FAILURE"),
        ("0x00000116", Kind::Bugcheck, "0x00000116", "VIDEO_TDR_FAILURE"),
        ("VIDEO_TDR_FAILURE", Kind::Bugcheck, "0x00000116", "VIDEO_TDR_FAILURE"),
        ("LiveKernelEvent 141", Kind::Bugcheck, "0x00000141", "VIDEO_ENGINE_TIMEOUT_DETECTED"),
        ("BugcheckCode 278", Kind::Bugcheck, "0x00000116", "VIDEO_TDR_FAILURE"),
        ("0x1000007E", Kind::Bugcheck, "0x1000007E", "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED"),
        ("0x20001", Kind::Bugcheck, "0x00020001", "HYPERVISOR_ERROR"),
        ("FAST_FAIL_FATAL_APP_EXIT", Kind::FastFail, "7", "FAST_FAIL_FATAL_APP_EXIT"),
        ("STATUS_STACK_BUFFER_OVERRUN", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("0x80070005", Kind::HResult, "0x80070005", "E_ACCESSDENIED"),
        ("0x800703E9", Kind::Exception, "0x800703E9", "HRESULT of Win32 error 1001"),
        ("0x80070070", Kind::HResult, "0x80070070", "HRESULT of ERROR_DISK_FULL"),
        ("0xD0000022", Kind::HResult, "0xD0000022", "HRESULT of STATUS_ACCESS_DENIED"),
        ("0x887A0005", Kind::HResult, "0x887A0005", "DXGI_ERROR_DEVICE_REMOVED"),
        ("-1", Kind::ExitCode, "-1", "-1"),
        (
            "[WinError -1073741795] Windows Error 0xc000001d",
            Kind::Exception,
            "0xC000001D",
            "STATUS_ILLEGAL_INSTRUCTION",
        ),
        ("0xC000000F", Kind::Exception, "0xC000000F", "STATUS_NO_SUCH_FILE"),
        ("3.221.226.505", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("0xc00007b", Kind::Exception, "0xC000007B", "STATUS_INVALID_IMAGE_FORMAT"),
        ("error 0xc00007b", Kind::Exception, "0xC000007B", "STATUS_INVALID_IMAGE_FORMAT"),
        ("0x8007005", Kind::HResult, "0x80070005", "E_ACCESSDENIED"),
        ("1073741819", Kind::Exception, "0xC0000005", "STATUS_ACCESS_VIOLATION"),
        ("exit code 1.073.740.791", Kind::Exception, "0xC0000409", "STATUS_STACK_BUFFER_OVERRUN"),
        ("cudnn status 8", Kind::CudnnStatus, "8", "CUDNN_STATUS_EXECUTION_FAILED"),
        ("cudnn status 5000", Kind::CudnnStatus, "5000", "CUDNN_STATUS_EXECUTION_FAILED"),
        ("LiveKernelEvent 1a8", Kind::Bugcheck, "0x000001A8", "VIDEO_DXGKRNL_BLACK_SCREEN_LIVEDUMP"),
        ("OSError 22", Kind::Errno, "22", "EINVAL"),
        ("OSError: [WinError 126]", Kind::WinError, "126", "ERROR_MOD_NOT_FOUND"),
        ("errno -2", Kind::Errno, "2", "ENOENT"),
        ("0x1A (0x41792, 0x0, 0x0, 0x0)", Kind::Bugcheck, "0x0000001A", "MEMORY_MANAGEMENT"),
    ] {
        let reading = likeliest(text);
        assert_eq!((reading.kind, reading.code.as_str(), reading.name.as_deref()), (kind, code, Some(name)), "{text}");
        assert!(!reading.why.is_empty() && !reading.why.ends_with('.'), "{text}: {}", reading.why);
    }
}

#[test]
fn what_words_call_a_code_is_believed_where_nothing_here_knows_it() {
    for (text, kind, code) in [
        ("BugcheckCode 0", Kind::Bugcheck, "0x00000000"),
        ("stop 0", Kind::Bugcheck, "0x00000000"),
        ("BugcheckCode 4294967295", Kind::Bugcheck, "0xFFFFFFFF"),
        ("HRESULT 0", Kind::HResult, "0x00000000"),
        ("errno 0", Kind::Errno, "0"),
        ("xid 999", Kind::Xid, "999"),
        ("fast fail 500", Kind::FastFail, "500"),
        ("WinError 99999", Kind::WinError, "99999"),
        ("event 99999", Kind::Event, "99999"),
    ] {
        let reading = likeliest(text);
        assert_eq!((reading.kind, reading.code.as_str(), reading.means), (kind, code, None), "{text}");
    }
    assert!(likeliest("BugcheckCode 0").why.starts_with("no stop was recorded"));
    assert_eq!(likeliest("WinError -2147024891").kind, Kind::HResult, "programs call other codes errors");
}

#[test]
fn a_number_that_was_written_wrong_is_told_with_what_it_most_likely_is() {
    for (text, why) in [("0xc00007b", "a zero is missing"), ("exit code 1073740791", "the minus was lost")] {
        let reading = likeliest(text);
        assert!(reading.why.contains(why), "{text}: {}", reading.why);
    }
    assert!(!likeliest("LiveKernelEvent 1a8").why.contains("no code that is known"));
    assert_eq!(likeliest("exit code 1073740792").kind, Kind::ExitCode, "with a minus it would be nothing known either");
}

#[test]
fn a_number_that_can_be_many_things_shows_all_of_them() {
    let kinds = |text: &str| explained(text).remove(0).readings.iter().map(|r| r.code.kind).collect::<Vec<_>>();
    assert_eq!(kinds("126"), [Kind::WinError, Kind::ExitCode, Kind::Bugcheck, Kind::Bugcheck, Kind::Exception]);
    assert_eq!(kinds("WinError 126"), [Kind::WinError], "words that say what it is are believed");
    for kind in [Kind::ExitCode, Kind::FastFail, Kind::WinError, Kind::Bugcheck] {
        assert!(kinds("3").contains(&kind), "{kind:?}");
    }
    assert!(kinds("0xC000021A").contains(&Kind::Bugcheck));
}

#[test]
fn an_exit_code_is_the_programs_own_before_it_is_an_error_of_the_system() {
    let readings = explained("exit code 5").remove(0).readings;
    let kinds: Vec<Kind> = readings.iter().map(|reading| reading.code.kind).collect();
    assert_eq!(kinds, [Kind::ExitCode, Kind::WinError, Kind::Exception]);
    assert_eq!(readings[1].code.name.as_deref(), Some("ERROR_ACCESS_DENIED"));
}

#[test]
fn an_event_says_what_it_proves_and_what_not() {
    let reading = likeliest("kernel power 41");
    assert!(!reading.proves.is_empty() && reading.not.join("; ").contains("power supply"), "{reading:?}");
    assert!(reading.look.iter().any(|text| text.contains("BugcheckCode")));
    // Without its source an event can be several.
    assert!(explained("event 153").remove(0).readings.len() > 1);
    let unknown = likeliest("event 4242");
    assert_eq!((unknown.kind, unknown.name), (Kind::Event, None));
    assert!(unknown.why.contains("source"), "{}", unknown.why);
}

#[test]
fn a_fast_fail_is_told_from_what_it_is_taken_for() {
    let judged = judged("-1073740791");
    let reading = &judged.code;
    assert_eq!(
        reading.spellings,
        Spellings { hex: "0xC0000409".into(), signed: -1_073_740_791, unsigned: 3_221_226_505 }
    );
    let not = reading.not.join("; ");
    assert!(not.contains("not by itself a stack overrun"), "{not}");
    assert!(not.contains("0xC0000374 (-1073740940)"), "{not}");
    let sub_code = |code: u32| -> &KnownSubCode {
        judged.sub_codes.iter().find(|sub_code| sub_code.code.code == code).expect("a sub-code")
    };
    assert!([0, 2, 5, 7, 57].iter().all(|code| sub_code(*code).has_rules && sub_code(*code).code.means.is_some()));
    assert!(judged.collect.iter().any(|text| text.contains("fast-fail code")), "{:?}", judged.collect);
    assert!(judged.rules.iter().any(|rule| rule.cause == "abort-after-fatal-error"));
}

#[test]
fn the_causes_are_those_of_the_rules_that_ask_for_the_code() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let reading = judged("0xC00000FD");
    let rule = reading.rules.iter().find(|rule| rule.id == "memory/stack-overflow").expect("the rule");
    assert_eq!(rule.confidence, rules.rule(&rule.id).expect("the rule").confidence());
    assert!(reading.alone.iter().any(|alone| alone.cause == "stack-overflow"), "{:?}", reading.alone);
    let none = RuleSet::load(false, &[]).expect("no rules");
    let without = codes_in("0xC00000FD", &none).expect("a code").remove(0).readings.remove(0);
    assert_eq!((without.rules, without.alone), (Vec::new(), Vec::new()));
}

#[test]
fn what_a_rule_needs_beyond_the_code_is_told() {
    let reading = judged("0xC06D007E");
    let rule = reading.rules.iter().find(|rule| rule.id == "cudnn/zlibwapi-delay-load").expect("the rule");
    assert!(rule.needs.iter().any(|needs| needs == "delay_load.module"), "{:?}", rule.needs);
}

#[test]
fn unknown_numbers_are_taken_apart_as_far_as_they_go() {
    let reading = likeliest("0xE1234567");
    assert_eq!((reading.kind, reading.name.as_deref()), (Kind::Exception, None));
    assert!(reading.structure.expect("bits").sentence().contains("customer bit"));
    let reading = likeliest("0x8BAD0001");
    assert_eq!(reading.kind, Kind::HResult);
    let reading = likeliest("60000");
    assert_eq!(reading.kind, Kind::ExitCode);
    assert!(reading.why.contains("the program's own"));
}

#[test]
fn what_is_called_a_stop_and_is_none_is_not_told_as_the_error_that_it_looks_like() {
    let judged = judged("bug check 0x80070005");
    let reading = &judged.code;
    assert_eq!((reading.kind, reading.name.as_deref(), reading.means.as_deref()), (Kind::Bugcheck, None, None));
    assert!(judged.rules.is_empty() && reading.why.contains("no stop that is known here"), "{reading:?}");
    let other = explained("bug check 0x80070005").remove(0).readings.remove(1).code;
    assert_eq!((other.kind, other.name.as_deref()), (Kind::HResult, Some("E_ACCESSDENIED")));
}
