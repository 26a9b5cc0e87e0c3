//! Mentions in texts: errors that are denied, advised against, listed or mentioned in passing make no rule sure; output
//! of programs does.

use pipeline::{Options, Silent, analyze};
use report::Report;
use rules::RuleSet;
use untrusted::HeadAndTail;

fn options() -> Options {
    Options::default()
}

fn report(text: &str) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mail.txt");
    std::fs::write(&path, text).expect("a file");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    analyze(&[path], &rules, &options(), &Silent)
}

/// The highest confidence of the findings, 0 where there are none.
fn surest(text: &str) -> f64 {
    let report = report(text);
    let findings = report.incidents.iter().flat_map(|judged| &judged.findings);
    findings.map(|finding| finding.confidence).fold(0.0, f64::max)
}

#[test]
fn what_is_denied_or_advised_makes_no_rule_sure() {
    for text in [
        "python.exe crashes with 0xC0000409 since May.\nIt is not 'nvcuda.dll was not found'.\n",
        "python.exe crashes with 0xC0000409.\nMake sure zlibwapi.dll is in PATH.\n",
        "The demo ends at once.\nIf you see \"Could not locate zlibwapi.dll\", copy the file.\n",
        "The demo ends at once.\n> In case of \"The paging file is too small for this operation to complete\" enlarge it.\n",
        "The demo ends at once. Falls WinError 1455 kommt, bitte melden.\n",
    ] {
        assert!(surest(text) <= 0.5, "{text}: {}", surest(text));
    }
}

#[test]
fn what_was_mended_or_is_another_matter_makes_no_rule_sure() {
    const RUNTIME: &str = "VCRUNTIME140_1.dll was not found";
    const NOW: &str = "tool.exe exits with 0xC0000005";
    for text in [
        format!("Program A lacks the VC++ runtime ({RUNTIME}). That is clear, my question is about B: {NOW}\n"),
        format!("{RUNTIME}, so I copied it into the folder. Now {NOW}\n"),
        format!("{RUNTIME}\nI've installed the redistributable.\nNow {NOW}\n"),
        format!("{RUNTIME}. Habe ich nachinstalliert, jetzt endet app.exe mit 0xC0000374.\n"),
        format!("OSError: [WinError 1455] raised it to 64 GB, still {NOW}\n"),
        format!("{RUNTIME}: solved since. {NOW}\n"),
        format!("It used to fail with WinError 1455. These days {NOW}\n"),
        format!("Release notes: {RUNTIME} on a clean Windows. {NOW}\n"),
        format!("    printf(\"{RUNTIME}\");\n{NOW}\n"),
        format!("{OMP} (ignored)\n{NOW}\n"),
        format!("[ RUN      ] A.B\n{OMP}\n[       OK ] A.B (3 ms)\n[  PASSED  ] 1 test.\n{NOW}\n"),
        format!("My colleague has WinError 1455. With me {NOW}\n"),
        format!("First WinError 1455, raised it to 32 GB. The crash remains: {NOW}\n"),
        format!("{RUNTIME} -> installed the package, OK. Next: {NOW}\n"),
        format!("My other PC says {RUNTIME}. This one: {NOW}\n"),
        format!("The README mentions {RUNTIME} as a known problem. I get this: {NOW}\n"),
        format!("    log.warn(\"{OMP}\");\n{NOW}\n"),
        format!("Closed as fixed in 2.4: WinError 1455. Reopened, now {NOW}\n"),
        format!("Feature request: a better message than \"{RUNTIME}\"\n"),
        "Where is it documented that WinError 1455 comes of a small paging file?\n".to_owned(),
    ] {
        // Heap corruption has an exception code.
        let report = report(&text);
        if text.contains(NOW) {
            let codes = report.incidents.iter().filter_map(|judged| judged.incident.exception.as_ref());
            assert!(
                codes.map(|exception| exception.code.0).any(|code| code == 0xC000_0005),
                "{text}: nothing was read"
            );
        }
        let findings = report.incidents.iter().flat_map(|judged| &judged.findings);
        let of_text = findings.filter(|finding| !finding.rule.starts_with("memory/heap"));
        let surest = of_text.map(|finding| finding.confidence).fold(0.0, f64::max);
        assert!(surest <= 0.5, "{text}: {surest}");
    }
}

#[test]
fn a_code_in_two_spellings_that_disagree_makes_no_rule_sure_and_is_remarked() {
    for text in [
        "tool.exe crashed with exit code 0xC0000374 (-1073740791)\n",
        "Process finished with exit code -1073740940 (0xC0000409)\n",
    ] {
        let report = report(text);
        let remarks = report.incidents.iter().flat_map(|judged| &judged.incident.remarks);
        assert!(remarks.into_iter().any(|remark| remark.contains("also says exception code")), "{text}");
        assert!(surest(text) <= 0.5, "{text}: {}", surest(text));
    }
    let confirmed = "exit code 0xC0000374 (-1073740791)\ntool.exe ended with 0xC0000374\n";
    assert!(surest(confirmed) > 0.8, "another line says it plainly: {}", surest(confirmed));
    assert!(surest("exit code 0xC0000374 (-1073740940)\n") > 0.8, "both are one code");
}

#[test]
fn what_is_over_makes_no_rule_sure_and_keeps_its_facts() {
    const RUNTIME: &str = "VCRUNTIME140_1.dll was not found";
    for text in [
        format!("{RUNTIME}\nInstalled the redistributable, works now. Thanks!\n"),
        format!("{OMP}\nSetting KMP_DUPLICATE_LIB_OK=TRUE solved it for me.\n"),
        "tool.exe crashed with exit code 0xC0000374\nRemoved the plug-in, no crashes since.\n".to_owned(),
    ] {
        assert!(surest(&text) <= 0.5, "{text}: {}", surest(&text));
    }
    let told = report("tool.exe crashed with exit code 0xC0000374\nRemoved the plug-in, no crashes since.\n");
    let codes = told.incidents.iter().filter_map(|judged| judged.incident.exception.as_ref());
    assert_eq!(codes.map(|exception| exception.code.0).collect::<Vec<_>>(), [0xC000_0374]);
    for text in [
        format!("{RUNTIME}\nInstalled the redistributable, everything else works now but not this.\n"),
        format!("{RUNTIME}\nOn another PC everything works now.\n"),
        format!("{RUNTIME}\nInstalled the redistributable, works now.\nNow again: {RUNTIME}\n"),
    ] {
        assert!(surest(&text) > 0.8, "{text}: {}", surest(&text));
    }
}

#[test]
fn what_somebody_did_without_another_failure_takes_nothing_back() {
    const COMMIT: &str = "OSError: [WinError 1455] The paging file is too small for this operation to complete.";
    for text in [
        format!("{COMMIT}\nI increased it to 8 GB.\n"),
        format!("{COMMIT}\nI increased it to 8 GB, still WinError 1455.\n"),
        format!("{COMMIT} It appears since I installed the tool. Now it also ends with 0xC0000005.\n"),
        format!("{COMMIT}\nMy question is about its cause.\n"),
        format!("[ RUN      ] A.B\n{COMMIT}\n[  FAILED  ] A.B (3 ms)\n"),
    ] {
        assert!(surest(&text) > 0.8, "{text}: {}", surest(&text));
    }
}

/// An exit code for which no rule is sure.
const ENDING: &str = "Process finished with exit code -1073741819 (0xC0000005)\n";
/// An error for which a rule is sure.
const OMP: &str = "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized.";

#[test]
fn what_is_absent_over_or_asked_makes_no_rule_sure() {
    for text in [
        format!("Checked so far: no WinError 1455, no CUDA out of memory, no {OMP}\n"),
        "Geprüft: kein WinError 1455, kein \"CUDA out of memory\". Auch nicht OMP: Error #15.\n".to_owned(),
        "- WinError 1455 tritt nicht auf\n- \"CUDA out of memory\" kommt nicht vor\n- VIDEO_TDR_FAILURE: nein\n"
            .to_owned(),
        "Il n'y a pas de message \"CUDA out of memory\" ni de WinError 1455.\n".to_owned(),
        "It no longer prints \"Could not locate zlibwapi.dll. Please make sure it is in your library path!\".\n"
            .to_owned(),
        "\"Could not locate zlibwapi.dll\" does not appear anywhere.\n".to_owned(),
        format!("I checked the log for \"{OMP}\" and found nothing.\n"),
        format!("Last month I had {OMP} and fixed it. Today:\n"),
        "- Fixed: \"Could not locate zlibwapi.dll. Please make sure it is in your library path!\"\n".to_owned(),
        "My colleague thinks it is WinError 1455 (paging file too small), but I have 128 GB.\n".to_owned(),
        "Is it maybe WinError 1455? How would I see that?\n".to_owned(),
        "I had this as well, for me it was CUDA out of memory and the paging file (WinError 1455).\n".to_owned(),
        format!("[Update] It's not {OMP}\n"),
        format!("Ruled-out error: it's not {OMP}\n"),
        format!("It's not this:\n{OMP}\n"),
        format!("```{ENDING}```\nIt's not {OMP}\n"),
        "Our FAQ lists \"Could not locate zlibwapi.dll. Please make sure it is in your library path!\" for this.\n"
            .to_owned(),
        format!("> Did you get {OMP}?\nNo, it just ends.\n"),
        format!("[10:13] bernd: bei mir war das mal {OMP}\n[10:14] anna: bei mir nicht\n"),
        format!("Has anyone seen {OMP}?\n"),
        "- Fixed \"Could not locate zlibwapi.dll. Please make sure it is in your library path!\" at start\n".to_owned(),
        "I tried to reproduce OSError: [WinError 1455] from there and could not.\n".to_owned(),
        format!("checking for '{OMP}': ok\n"),
        "There is no WinError 1455 registered, and no \"CUDA out of memory\" available in the log.\n".to_owned(),
        "Update: solved! It was WinError 1455 and the paging file is too small for this operation to complete.\n"
            .to_owned(),
    ] {
        let text = format!("{text}{ENDING}");
        assert!(surest(&text) <= 0.5, "{text}: {}", surest(&text));
    }
}

#[test]
fn what_is_wrong_with_a_log_or_a_typo_takes_nothing_back() {
    for behind in [
        "I was told this is the wrong log level, so I will set it to debug.",
        "Please ignore the typo, this is from another PC with the same problem.",
    ] {
        let text = format!("Process finished with exit code -1073740940 (0xC0000374)\n{behind}");
        assert!(surest(&text) > 0.8, "{behind}");
    }
}

#[test]
fn a_quotation_without_a_word_that_it_appeared_is_not_sure_beside_another_crash() {
    let crash = "Process finished with exit code -1073740791 (0xC0000409)\n";
    let of = |text: &str, rule: &str| {
        let report = report(text);
        let mut findings = report.incidents.iter().flat_map(|judged| &judged.findings);
        findings.find(|finding| finding.rule == rule).map_or(0.0, |finding| finding.confidence)
    };
    let rule = "memory/commit-limit";
    let message = "\"OSError: [WinError 1455] The paging file is too small for this operation to complete\"";
    assert!((of(&format!("I searched the net for {message}.\n{crash}"), rule) - 0.79).abs() < 0.001);
    assert!(of(&format!("Just before it prints {message}.\n{crash}"), rule) > 0.9);
    assert!(of(&format!("I searched the net for {message}.\n"), rule) > 0.9, "no other crash");
}

#[test]
fn a_quotation_that_does_not_appear_or_appears_elsewhere_makes_no_rule_sure() {
    let message = "\"The code execution cannot proceed because VCRUNTIME140.dll was not found\"";
    for text in [
        format!("The message {message} does not appear here."),
        format!("On my colleague's computer it says {message}. Mine does not show this."),
        format!("If the message {message} is shown, I was told to install vc_redist."),
        format!("Die Meldung {message} kommt bei mir nicht."),
        format!("No sale el mensaje {message}."),
        format!("同事的电脑提示 {message}，我的电脑没有这个提示。"),
        format!("Na innym komputerze był komunikat {message} i pomogło."),
        format!("Last week I had this:\n{message}"),
    ] {
        let text = format!("{text}\n{ENDING}");
        assert!(surest(&text) <= 0.5, "{text}: {}", surest(&text));
    }
    assert!(surest(&format!("It prints {message} and does not start.\n{ENDING}")) > 0.9);
}

#[test]
fn errors_of_older_rows_or_of_others_make_no_rule_sure() {
    for text in [
        format!("January: {OMP}\nNow: exit code -1073741819\n"),
        format!("Comment 1 (OP): exit code -1073741819\nComment 2: {OMP}\nComment 3 (OP): I do not get that one.\n"),
        format!("Please send us the message, for example:\n- {OMP}\n- MSVCP140.dll was not found\n\n{ENDING}"),
        format!("Ruled out:\n- {OMP}\n- WinError 1455\n\n{ENDING}"),
        "ERROR OSError: [WinError 1455] The paging file is too small\nattempt 1 failed, retrying\nattempt 2 succeeded\n"
            .to_owned(),
    ] {
        assert!(surest(&text) <= 0.5, "{text}: {}", surest(&text));
    }
}

#[test]
fn what_goes_on_is_sure_whatever_was_tried() {
    for text in [
        format!("Since yesterday it is like this:\n{OMP}\nToday again.\n"),
        format!("I replaced the GPU. Now:\n{OMP}\n"),
        format!("{OMP}\nI found that it works after setting a variable. Is that safe?\n"),
        format!("Still the same.\nFrom: Tom\nSent: Monday, 11 March 2024 16:02\n\n{OMP}\n"),
        format!("{OMP}\nI updated the environment. No effect.\n{ENDING}"),
        format!("{OMP}\nIn other programs the GPU works again.\n{ENDING}"),
        format!("Hallo, hier der Fehler:\n{OMP}\nWas soll ich nun tun?\n{ENDING}"),
        format!("My colleague gets this:\n{OMP}\nShe uses the same laptop.\n"),
    ] {
        assert!(surest(&text) >= 0.8, "{text}: {}", surest(&text));
    }
}

#[test]
fn another_problem_is_another_incident() {
    let text = format!(
        "{ENDING}\nNever mind, that was my fault. Next problem:\n\nImportError: DLL load failed while \
         importing x: The paging file is too small for this operation to complete.\n"
    );
    let report = report(&text);
    assert_eq!(report.incidents.len(), 2);
    let crash = report.incidents.iter().find(|judged| judged.findings.iter().all(|finding| finding.confidence < 0.9));
    assert!(crash.is_some());
}

#[test]
fn a_list_of_codes_makes_no_rule_sure() {
    let list = "What the demo may print:\n- 0x800705AF (1455): the page file is too small\n- 0x8007007E (126): a DLL is missing\n\
                - 0x800700C1 (193): wrong architecture\n";
    assert!(surest(list) <= 0.5, "{}", surest(list));
}

#[test]
fn a_code_said_in_passing_makes_no_rule_sure() {
    for text in ["My colleague once had 0xC00000FD.\n", "Somebody in the forum had 0xC000012D on such a machine.\n"] {
        assert!(surest(text) <= 0.5, "{text}: {}", surest(text));
    }
}

#[test]
fn what_a_program_printed_counts_whatever_it_advises() {
    for text in [
        "Could not locate zlibwapi.dll. Please make sure it is in your library path!\n",
        "> Could not locate zlibwapi.dll. Please make sure it is in your library path!\n",
        "It prints \"Could not locate zlibwapi.dll. Please make sure it is in your library path!\" and ends.\n",
        "OSError: [WinError 1455] The paging file is too small for this operation to complete.\n",
        "When I try to import torch, I get: OSError: [WinError 1455] The paging file is too small\n",
        "Process finished with exit code -1073741571 (0xC00000FD)\n",
    ] {
        assert!(surest(text) >= 0.8, "{text}: {}", surest(text));
    }
}

#[test]
fn a_sure_finding_names_no_mentions_and_a_doubtful_one_does() {
    let doubtful = report("My colleague once had 0xC00000FD.\n");
    assert!(doubtful.incidents[0].findings[0].explanation.contains("only mentions this"));
    let sure = report("Process finished with exit code -1073741571 (0xC00000FD)\n");
    assert!(!sure.incidents[0].findings[0].explanation.contains("only mentions this"));
}

const GUIDE: &str = "# The demo on GPUs\n\nInstall `cudnn` and put `zlibwapi.dll` into `PATH`.\n\n## Driver\n\nSee \
    [the page](https://a.example).\n\n## Errors\n\nCould not locate zlibwapi.dll. Copy it, as [here](https://b.example).\n";

#[test]
fn a_guide_to_one_error_is_judged_with_reserve_unless_it_is_given_as_a_ticket() {
    let read = report(GUIDE);
    assert_eq!(read.artifacts[0].kind, "ticket");
    let findings: Vec<_> = read.incidents.iter().flat_map(|judged| &judged.findings).collect();
    assert!(!findings.is_empty());
    for finding in findings {
        assert!(finding.confidence <= 0.5 && finding.explanation.contains("--ticket"), "{finding:?}");
    }
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let content = HeadAndTail::read(&mut GUIDE.as_bytes()).expect("a text");
    let options = Options { pasted: vec![("-".to_owned(), content)], ..options() };
    let given = analyze(&[], &rules, &options, &Silent);
    assert!(given.incidents[0].findings[0].confidence > 0.8, "{:?}", given.incidents[0].findings);
}

#[test]
fn a_guide_to_many_codes_is_passed_over_with_the_reason() {
    let text = format!("{GUIDE}\n## Codes\n\nIt may end with 0xC0000005, 0xC0000409 or 0xC0000135.\n");
    let read = report(&text);
    assert_eq!(read.incidents.len(), 0);
    let detail = read.artifacts[0].detail.as_deref().expect("a reason");
    assert!(detail.contains("guide") && detail.contains("--ticket"), "{detail}");
}

#[test]
fn a_form_that_somebody_filled_in_is_no_guide() {
    let issue = "# Crash on import\n\n## Describe the bug\n\n`import demo` ends the process, see [a](https://a.example) and \
        [b](https://b.example).\n\n## To Reproduce\n\n`python -c 'import demo'`, then `run`\n\n## Environment\n\n\
        | part | version |\n|---|---|\n| Windows | 11 |\n| GPU | RTX 3060 |\n\n## Logs\n\n```\nCould not locate \
        zlibwapi.dll. Please make sure it is in your library path!\n```\n";
    assert!(surest(issue) >= 0.8, "{}", surest(issue));
}

/// A rule about an exit code, whose confidence is adjusted by an error of Windows.
fn rule_moved_by(number: u32, by: &str) -> String {
    format!(
        "schema: 1
rules:
  - id: demo/moved
    title: The program ended
    cause: application-defect
    confidence: 0.7
    severity: medium
    selections:
      ended: {{exception.code: 0xC0000409}}
      named: {{win_errors|any: {{number: {number}}}}}
    condition: ended
    adjust:
      - {{when: named, by: {by}, say: The text names an error.}}
    explanation: It ended.
    remediation: [{{audience: helpdesk, text: Nothing.}}, {{audience: developer, text: Nothing.}}]
    references: [https://example.com]
    tests:
      - {{name: the ending, facts: {{exception.code: 0xC0000409}}, expect: match}}
      - {{name: another, facts: {{exception.code: 0xC0000005}}, expect: no-match}}
"
    )
}

#[test]
fn a_mention_takes_from_a_confidence_and_never_adds_to_it() {
    let ended = "Process finished with exit code -1073740791 (0xC0000409)";
    for (error, by, expected) in [
        ("It is not WinError 1455.", "-0.2", 0.5),
        ("It is not WinError 1455.", "+0.2", 0.7),
        ("OSError: [WinError 1455] The paging file is too small", "+0.2", 0.9),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let (rules, text) = (folder.path().join("rules.yaml"), folder.path().join("mail.txt"));
        std::fs::write(&rules, rule_moved_by(1455, by)).expect("a file");
        std::fs::write(&text, format!("{ended}\n{error}\n")).expect("a file");
        let rules = RuleSet::load(false, &[rules]).expect("a rule");
        let report = analyze(&[text], &rules, &options(), &Silent);
        let confidences: Vec<f64> =
            report.incidents.iter().flat_map(|judged| &judged.findings).map(|finding| finding.confidence).collect();
        assert_eq!(confidences, [expected], "{error} {by}");
    }
}
