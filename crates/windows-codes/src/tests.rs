//! The tables that are part of the program.

use super::*;

fn knowledge() -> Knowledge {
    Knowledge::builtin()
}

#[test]
fn exception_codes_have_names() {
    let known = knowledge();
    for (code, name) in [
        (0xC000_0005, "STATUS_ACCESS_VIOLATION"),
        (0xC000_0409, "STATUS_STACK_BUFFER_OVERRUN"),
        (0xC000_0374, "STATUS_HEAP_CORRUPTION"),
        (0xC000_00FD, "STATUS_STACK_OVERFLOW"),
        (0xC000_0135, "STATUS_DLL_NOT_FOUND"),
        (0x4000_0015, "STATUS_FATAL_APP_EXIT"),
        (0xE06D_7363, "C++ exception"),
        (0xE043_4352, "CLR exception"),
    ] {
        assert_eq!(known.exception_name(ExceptionCode(code)), Some(name));
        assert!(known.exception(ExceptionCode(code)).is_some_and(|meaning| meaning.means.is_some()));
    }
    assert_eq!(known.exception_name(ExceptionCode(1)), None);
    assert_eq!(known.status_name(NtStatus(0xC000_0185)), Some("STATUS_IO_DEVICE_ERROR"));
}

#[test]
fn fast_fail_names_have_their_prefix() {
    let known = knowledge();
    assert_eq!(known.fast_fail_name(FastFailCode(7)), Some("FAST_FAIL_FATAL_APP_EXIT"));
    assert_eq!(known.fast_fail_name(FastFailCode(3)), Some("FAST_FAIL_CORRUPT_LIST_ENTRY"));
    assert_eq!(known.fast_fail_name(FastFailCode(u32::MAX)), Some("FAST_FAIL_INVALID_FAST_FAIL_CODE"));
    for unused in [15, 16, 17, 1000] {
        assert_eq!(known.fast_fail_name(FastFailCode(unused)), None);
    }
    assert!((0..=14).chain(18..=70).all(|code| known.fast_fail_name(FastFailCode(code)).is_some()));
}

#[test]
fn bugchecks_are_found_with_and_without_the_flag_of_small_dumps() {
    let known = knowledge();
    for code in [0x7E, 0x1000_007E] {
        assert_eq!(known.bugcheck_name(BugcheckCode(code)), Some("SYSTEM_THREAD_EXCEPTION_NOT_HANDLED"));
    }
    assert_eq!(known.bugcheck_name(BugcheckCode(0x116)), Some("VIDEO_TDR_FAILURE"));
    assert_eq!(known.bugcheck_name(BugcheckCode(0xC000_021A)), Some("WINLOGON_FATAL_ERROR"));
    assert_eq!(known.bugcheck_name(BugcheckCode(0xDEAD)), None);
}

#[test]
fn what_damaged_memory_can_lead_to_is_told_from_what_says_why() {
    let known = Knowledge::builtin();
    for (code, damage) in
        [(0xC000_0005, true), (0xC000_0374, true), (0xC000_0409, false), (0xE06D_7363, false), (1, false)]
    {
        assert_eq!(known.may_be_damage(ExceptionCode(code)), damage, "{code:#x}");
    }
    // A stop with the flag of small dumps is the same stop; of one that no table has nothing is known.
    for (code, damage) in
        [(0x1A, true), (0x50, true), (0xFFFF, true), (0xE2, false), (0x116, false), (0x1000_009F, false)]
    {
        assert_eq!(known.may_be_damage_of_stop(BugcheckCode(code)), damage, "{code:#x}");
    }
}

#[test]
fn live_kernel_reports_are_told_from_stops() {
    let known = knowledge();
    for code in [0x117, 0x141, 0x193, 0x1A1, 0x1A8, 0x1B8, 0x15E] {
        assert!(known.is_live_report(BugcheckCode(code)), "{code:#x}");
    }
    for code in [0x116, 0x124, 0x144, 0x1E4] {
        assert!(!known.is_live_report(BugcheckCode(code)), "{code:#x}");
    }
}

#[test]
fn builds_have_releases() {
    let known = knowledge();
    assert_eq!(known.windows_release(19045), Some("Windows 10 22H2"));
    assert_eq!(known.windows_release(26100), Some("Windows 11 24H2 or Server 2025"));
    assert_eq!(known.windows_release(1), None);
    assert_eq!(known.windows_of_kernel(19041), Some("Windows 10 2004 to 22H2"));
    assert_eq!(known.windows_of_kernel(7601), Some("Windows 7 SP1 or Server 2008 R2 SP1"));
}

#[test]
fn what_to_collect_names_commands_in_one_piece() {
    let known = knowledge();
    let text = |id| known.collect(id).unwrap_or_else(|| panic!("{id} is missing"));
    assert!(text("no-system-log").contains(r#"`wevtutil epl System "%USERPROFILE%\Desktop\System.evtx" /ow:true`"#));
    assert!(
        text("no-dump")
            .contains(r#"Windows Error Reporting\LocalDumps\PROGRAM.exe" /v DumpType /t REG_DWORD /d 1 /f`"#)
    );
    for id in ["no-application-log", "no-module-list", "no-console-text", "no-fast-fail", "no-kernel-dump"] {
        assert!(!text(id).contains('\n'), "{id}");
    }
    assert_eq!(known.collect("no-such-thing"), None);
    assert!(known.collect_ids().all(|id| text(id).matches('`').count() % 2 == 0));
}

#[test]
fn the_program_s_own_name_is_filled_in() {
    let known = knowledge();
    let dump = |known_names: &[_]| known.collect_for("no-dump", known_names).expect("no-dump is there");
    let python = dump(&[("{program}", "python.exe")]);
    assert!(python.contains(r#"Windows Error Reporting\LocalDumps\python.exe" /v DumpType"#));
    assert!(python.contains(r#"-e -w "python.exe""#), "{python}");
    assert_eq!(dump(&[]), known.collect("no-dump").expect("a text"));
    assert_eq!(dump(&[("{dump}", "a.dmp")]), known.collect("no-dump").expect("a text"));
    let path = r"C:\Windows\Minidump\051024-8984-01.dmp";
    let stop = known.collect_for("no-kernel-dump", &[("{dump}", path)]).expect("a text");
    assert!(stop.contains(r"C:\Windows\Minidump\051024-8984-01.dmp"), "{stop}");
    for id in known.collect_ids() {
        let filled = known.collect_for(id, &REQUEST_PLACES.map(|place| (place, "a.exe"))).expect("a text");
        assert!(!filled.contains(['{', '\n']) && filled.matches('`').count().is_multiple_of(2), "{filled}");
    }
}

#[test]
fn a_name_that_a_console_would_act_on_is_not_put_into_a_command() {
    let known = knowledge();
    let long = format!("{}.exe", "a".repeat(300));
    for name in [
        "x\" & calc.exe",
        "a`b.exe",
        "%PATH%.exe",
        "a|b.exe",
        "a^b.exe",
        "a\nb.exe",
        "$(x).exe",
        "a;b.exe",
        "a'b.exe",
        "",
        " ",
        "a>b",
        "\u{202e}exe.a",
        &long,
    ] {
        let text = known.collect_for("no-dump", &[("{program}", name)]);
        assert_eq!(text.as_deref(), known.collect("no-dump"), "{name:?}");
    }
    for name in ["Программа.exe", "my app (2).exe", "a+b-c_d.exe"] {
        let text = known.collect_for("no-dump", &[("{program}", name)]);
        assert!(text.is_some_and(|text| text.contains(name)), "{name}");
    }
}

#[test]
fn meanings_are_sentences_without_full_stop() {
    for (_, meaning) in [&EXCEPTIONS, &FAST_FAILS, &BUGCHECKS].into_iter().flat_map(|table| table.iter()) {
        let means = meaning.means.unwrap_or("fine");
        assert!(!means.ends_with('.') && !means.is_empty() && means.len() < 130, "{}: {means}", meaning.name);
    }
}
