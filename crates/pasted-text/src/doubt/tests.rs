//! What is certain of a text, and what is not.

use super::cues::LONGEST;
use super::*;
use crate::sentences::Line;
use evidence::TicketLine;
use spanned_yaml::{Node, YamlText, parse};

fn lines(text: &str) -> Vec<TicketLine> {
    let lines = (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() });
    lines.filter(|line| !line.text.is_empty()).collect()
}

fn certain_of(text: &str) -> Vec<String> {
    doubted(&Marked::new(&lines(text))).into_values().map(|certain| certain.to_string()).collect()
}

#[test]
fn the_examples_of_the_table_are_as_it_says() {
    let text = std::fs::read_to_string(format!("{}/data/mentions.yaml", builtin_rules::FOLDER)).expect("the table");
    let root = parse(&YamlText::new("mentions.yaml".to_owned(), text)).expect("YAML");
    let texts = |node: &Node| -> Vec<String> {
        node.items().unwrap_or_default().iter().filter_map(Node::text).map(str::to_owned).collect()
    };
    let certain = root.get("certain").map(texts).unwrap_or_default();
    assert!(certain.len() > 5);
    for line in certain {
        assert_eq!(certain_of(&line), Vec::<String>::new(), "{line}");
        assert_eq!(resolved_lines(&Marked::new(&lines(&line))), None, "{line}");
    }
    let apostrophe = regex::Regex::new(r"(?<before>\pL)'(?<behind>\pL)").expect("an expression");
    for row in root.get("cues").and_then(Node::items).expect("rows") {
        for line in row.get("examples").map(texts).expect("examples") {
            let in_doubt =
                |text: &str| !certain_of(text).is_empty() || resolved_lines(&Marked::new(&lines(text))).is_some();
            assert!(in_doubt(&line), "{line}");
            let typographic = apostrophe.replace_all(&line, "$before’$behind");
            assert!(in_doubt(&typographic), "{typographic}");
        }
    }
}

/// Whether an example of `rules/data/text-words.yaml` is what its kind says, of those kinds that only mentions need.
pub(crate) fn is_example(of: &str, example: &str) -> bool {
    match of {
        "attempt" => survivals::reports_an_attempt(example),
        "test_runner" => survivals::begins_a_run(example),
        "release" => source::is_release(example),
        "raising" | "showing" => source::calls_with_a_message(example),
        _ => panic!("{of}: its examples are not tried"),
    }
}

#[test]
fn a_denial_ends_with_its_clause_and_advice_with_its_sentence() {
    assert_eq!(certain_of("it is not 'a.dll, b.dll was not found', it is WinError 1455"), ["it is WinError 1455"]);
    assert_eq!(
        certain_of("I get Could not locate zlibwapi.dll. Please make sure it is in your library path! Then it ends."),
        ["I get Could not locate zlibwapi.dll. Then it ends."]
    );
}

#[test]
fn what_comes_now_is_certain_behind_what_is_over() {
    for (text, certain) in [
        ("It has been fixed in 5.2, but I still see WinError 126", "but I still see WinError 126"),
        ("Solved the WinError 1455, now it is 0xC0000409.", "now it is 0xC0000409."),
        ("a.dll was missing, I copied it. But now it ends with 0xC0000005", "But now it ends with 0xC0000005"),
        ("A says WinError 126, my question is about B: 0xC0000005", "my question is about B: 0xC0000005"),
    ] {
        assert_eq!(certain_of(text), [certain]);
    }
}

#[test]
fn what_a_program_printed_is_no_advice() {
    assert!(certain_of("```\nmake sure a.dll is there\n```").is_empty());
    assert!(certain_of("RuntimeError: if you see this, a.dll was not found").is_empty());
    assert!(certain_of("E tensorflow/core/cuda_dnn.cc:12] make sure a.dll is there").is_empty());
}

#[test]
fn what_was_or_is_elsewhere_is_announced_with_a_colon_too() {
    assert_eq!(certain_of("Hi all, last week I had this:\nOMP: Error #15"), ["", ""]);
    assert_eq!(certain_of("This is expected in the log and harmless:\nOMP: Error #15").len(), 2);
    assert_eq!(certain_of("It used to see WinError 126, but now it says:\nOMP: Error #15").len(), 1);
    assert_eq!(certain_of("WinError 126\nThat is from the colleague's PC. Mine: 0xC0000374"), ["", "Mine: 0xC0000374"]);
}

#[test]
fn source_text_and_diffs_say_what_a_program_may_print() {
    assert_eq!(certain_of("@@ -12,1 +12,2 @@\n+WinError 1455: enlarge it\n a\nWinError 126"), ["", ""]);
    assert_eq!(certain_of("$ strings a.exe\nWinError 126\n$ a.exe\nWinError 1455"), [""]);
    assert_eq!(certain_of("ChatGPT told me this:\n\"It is 0xC0000135:\n1. a.dll\"\n0xC0000005"), ["", "", ""]);
    assert!(certain_of("+ WinError 1455\n  WinError 126").is_empty());
}

#[test]
fn what_a_program_survived_is_unreported_back_to_the_run_it_is_of() {
    let text = "CUDA out of memory.\nGot an OOM, unloading all loaded models.\n0xC0000005";
    assert_eq!(unreported(&Marked::new(&lines(text))).into_keys().collect::<Vec<_>>(), [0]);
    assert!(unreported(&Marked::new(&lines("CUDA out of memory.\n0xC0000005"))).is_empty());
}

#[test]
fn what_was_pasted_by_mistake_ends_where_the_right_one_comes() {
    let text = "Sorry, wrong log. This one belongs to another ticket:\nWinError 126\nWinError 127\nHere is the right one:\n0xC0000374";
    assert_eq!(certain_of(text).len(), 2);
    assert_eq!(
        certain_of("0xC0000005\nWinError 126\n\nPlease ignore the above, that was for another PC.\n0xC0000374").len(),
        2
    );
    assert_eq!(certain_of("Sorry, wrong log above. Correct log:\n0xC0000374"), Vec::<String>::new());
    assert!(certain_of("WinError 126\nPlease ignore the grey box, the picture is from another PC that").len() < 2);
    assert!(certain_of("WinError 126\nThe other log is from another PC.").is_empty(), "nothing is taken back");
    for text in [
        "WinError 126\nSorry, wrong log level, I will set another",
        "WinError 126\nPlease ignore the screenshot, that was for another machine",
    ] {
        assert!(!certain_of(text).contains(&String::new()), "{text}");
    }
}

#[test]
fn what_anothers_computer_shows_is_in_doubt_where_ones_own_fails_too() {
    assert_eq!(
        certain_of("My wife's old laptop shows OMP: Error #15. My PC shows 0xC0000005 in app.exe."),
        ["My PC shows 0xC0000005 in app.exe."]
    );
    assert_eq!(certain_of("My brother's PC ends with 0xC0000374.\nMine:\n0xC0000005"), [""]);
    assert!(
        certain_of("My brother's PC shows OMP: Error #15. My PC is fine. app.exe ends with 0xC0000005.").is_empty()
    );
}

#[test]
fn what_a_form_says_is_in_doubt() {
    assert_eq!(certain_of("- [ ] OMP: Error #15\n- [x] WinError 126\n* [ ] 0xC0000374"), ["", ""]);
    assert_eq!(certain_of("<!-- WinError 126 is\nin the FAQ -->\n0xC0000374").len(), 2);
    assert!(certain_of("<!-- WinError 126 --> 0xC0000374\n<!-- never closed\n0xC0000374").is_empty());
    assert!(certain_of("```\n- [ ] WinError 126\n```").is_empty(), "a log");
    assert_eq!(certain_of("## Expected behavior\nIt says WinError 126\n## Actual behavior\n0xC0000374").len(), 1);
    assert_eq!(certain_of("Expected result\nIt says WinError 126\n\nActual result\n0xC0000374").len(), 1);
    assert!(certain_of("The expected behavior is another one\n0xC0000374").is_empty());
}

#[test]
fn what_is_so_today_is_certain() {
    assert_eq!(certain_of("WinError 126 was yesterday, today it is 0xC0000374"), ["today it is 0xC0000374"]);
    assert_eq!(
        certain_of("It was fixed in 3.1, but now it exits with 0xC00000FD"),
        ["but now it exits with 0xC00000FD"]
    );
}

#[test]
fn what_a_denial_announces_stands_in_the_next_line_or_block() {
    assert_eq!(certain_of("It's not this:\nOMP: Error #15"), ["", ""]);
    assert_eq!(certain_of("I don't get this error:\n```\nOMP: Error #15\n```\nWinError 126").len(), 4);
    assert_eq!(certain_of("Instead of this it says:\nOMP: Error #15").len(), 1);
}

#[test]
fn after_what_a_program_recovered_from_it_can_still_crash() {
    let line = "CUDA out of memory, falling back to CPU, then it exits with 0xC0000005";
    assert_eq!(certain_of(line), ["CPU, then it exits with 0xC0000005"]);
    assert_eq!(certain_of("```\nCUDA out of memory; falling back to CPU\n```"), ["CPU"]);
}

#[test]
fn people_put_brackets_and_labels_before_denials() {
    for text in [
        "[Update] It's not OMP: Error #15",
        "Ruled-out error: it's not OMP: Error #15",
        "Error: it's not OMP: Error #15",
    ] {
        assert_eq!(certain_of(text).len(), 1, "{text}");
    }
    assert!(certain_of("[ERROR] it's not there").is_empty());
}

#[test]
fn a_fence_that_is_none_hides_no_denial() {
    for text in ["```a```\nIt's not OMP", "````\n```\nlog\n````\nIt's not OMP", "```\nIt's not OMP"] {
        assert_eq!(certain_of(text), [""], "{text}");
    }
}

#[test]
fn a_sentence_can_end_inside_of_a_quotation_and_behind_a_number() {
    assert_eq!(
        certain_of("I get \"Could not locate a.dll.\" You may see more."),
        ["I get \"Could not locate a.dll.\""]
    );
    assert_eq!(certain_of("It ends with code 7. Make sure that b.dll is there."), ["It ends with code 7."]);
}

#[test]
fn a_line_of_nothing_but_cues_is_looked_at_in_part() {
    let line = "such as ".repeat(LONGEST / 8);
    assert_eq!(Line::new(&line).sentences, Vec::<usize>::new());
    let marks = "'a ".repeat(LONGEST / 3);
    assert!(Line::new(&marks).quotes.is_empty());
    assert_eq!(certain_of(&line), [""]);
}

#[test]
fn a_quotation_without_a_word_that_it_appeared_is_unreported() {
    let left = |text: &str| unreported(&Marked::new(&lines(text))).into_values().next().map(|left| left.to_string());
    assert_eq!(left("I asked about \"a.dll was not found\" there").as_deref(), Some("I asked about \" there"));
    for text in [
        "It prints \"a.dll was not found\"",
        "\"a.dll was not found\" is what the console shows",
        "\"a.dll was not found\"",
        "I copied \"a.dll\" there",
        "```\nshe asked about \"a.dll was not found\"\n```",
    ] {
        assert_eq!(left(text), None, "{text}");
    }
}

#[test]
fn a_message_of_several_sentences_is_denied_as_a_whole() {
    assert_eq!(
        certain_of("It's not OSError: A module could not be found. Error loading \"a.dll\". It ends at once."),
        ["It ends at once."]
    );
}

#[test]
fn a_list_of_counts_is_no_list_of_codes() {
    let counts = "0x80070070 - 3 machines could not install\n0x800705AF - 5 machines, torch import\n\
                  0x8007007E - 2 machines, torch import";
    assert!(certain_of(counts).is_empty());
}

#[test]
fn a_list_of_codes_tells_of_none_of_them() {
    let list = "WinError 126: a module is missing\nWinError 193: wrong architecture\nWinError 1455: no memory\n";
    assert_eq!(certain_of(list).len(), 3);
    let spelt = "0x800705AF (1455): no memory\n0x8007007E (126): missing\n0x800700C1 (193): wrong architecture\n";
    assert_eq!(certain_of(spelt).len(), 3);
    let table = "| 0xC0000005 | access violation |\n| 0xC0000409 | fast fail |\n| 0xC0000374 | heap |\n";
    assert_eq!(certain_of(table).len(), 3);
    // The same error again and again, and stops with their days, happened.
    assert!(certain_of("Error 1455: no memory\nError 1455: no memory\nError 1455: no memory").is_empty());
    assert!(certain_of("- 0x116: 2024-05-06 video\n- 0x1E: 2024-05-07 again\n- 0xD1: 2024-05-08 network").is_empty());
}

/// The numbers of the lines that are in doubt as a whole.
fn in_doubt(text: &str) -> Vec<usize> {
    let doubted = doubted(&Marked::new(&lines(text)));
    doubted
        .into_iter()
        .filter(|(_, certain)| certain.is_empty())
        .map(|(position, _)| position.saturating_add(1))
        .collect()
}

#[test]
fn the_same_crash_in_two_forms_with_what_was_tried_between_is_certain() {
    for between in [
        "I updated it. No effect.",
        "I installed torch with pip.",
        "Es bleibt auch nach dem Update dabei. Was soll ich nun tun?",
        "重装后问题依旧",
        "What now?",
    ] {
        let text = format!("Yesterday we set it up; hier der Fehler:\nOMP: Error #15\n{between}\nexit code 0xC0000374");
        assert!(!in_doubt(&text).contains(&2), "{text}");
    }
}

#[test]
fn of_a_history_only_the_row_of_today_is_there_now() {
    assert_eq!(in_doubt("January: WinError 126\nFebruary: nothing\nMarch: exit code -1073740791"), [1, 2]);
    assert_eq!(in_doubt("- January: WinError 126\n- now: nothing, it was replaced"), [1]);
    assert_eq!(in_doubt("2024-01-12: WinError 126\n2024-03-12 (today): exit code -1073741819"), [1]);
    for text in [
        "app 2.9: WinError 126\napp 2.10: works",
        "app 2.9: WinError 126\napp 2.10: exit code 0xC0000374",
        "2024-01-12 10:00:01: WinError 126\n2024-03-12 10:00:02 (now): exit code -1073741819",
        "January: VIDEO_TDR_FAILURE\nMarch: WHEA_UNCORRECTABLE_ERROR\nnow: KERNEL_SECURITY_CHECK_FAILURE",
        "Step 1: WinError 126\nStep 2: exit code 0xC0000374",
        "Attempt 1: OSError: [WinError 1455]\nAttempt 2: exit code -1073741819",
        "January: OSError: [WinError 126]\nMarch: OSError: [WinError 126]\nnow: OSError: [WinError 126]",
    ] {
        assert!(in_doubt(text).is_empty(), "{text}");
    }
}

#[test]
fn rows_that_are_not_over_or_of_several_computers_are_no_history() {
    for text in [
        "January: WinError 126 (still open)\nFebruary: nothing\nnow: exit code 0xC0000374",
        "2024-03-04: PC-11 - WinError 126\n2024-03-05: PC-12 - exit code 0xC0000374\n2024-03-06: PC-13 - 0xC0000005",
        "May 3: the laptop, WinError 126\nMay 4: nothing\nMay 5: exit code 0xC0000374",
    ] {
        assert!(in_doubt(text).is_empty(), "{text}");
    }
}

#[test]
fn who_tried_remedies_in_vain_takes_no_error_back() {
    for text in [
        "OSError: [WinError 126]\n\nI found tips in a forum, none of these work.",
        "OSError: [WinError 126]\nNone of these answers helped me.",
        "OSError: [WinError 126]\nNeustart, Neuinstallation: nichts davon hilft.",
        "OSError: [WinError 126]\n网上的方法试过，都没有用。",
        "OSError: [WinError 126]\nI don't get that.",
        "[10:13] anna: OSError: [WinError 126]\n[10:15] ben: I don't see that here, which version is it?",
    ] {
        assert!(in_doubt(text).is_empty(), "{text}");
    }
}

#[test]
fn who_does_not_have_it_speaks_of_what_another_said() {
    let text = "[16:40] Lena Roth\nexit code 0xC0000005\n[16:55] Support Bot\nOMP: Error #15?\n[17:01] Lena Roth\nnone of these";
    assert_eq!(in_doubt(text), [3, 4]);
    assert_eq!(
        in_doubt("Comment 1 (OP): WinError 126\nComment 2: OMP: Error #15\nComment 3 (OP): I don't have that"),
        [2]
    );
    assert_eq!(in_doubt("Section 4 shows\n\nOMP: Error #15"), Vec::<usize>::new());
}

#[test]
fn what_was_tried_again_with_success_is_in_doubt() {
    let retried = "starting\nERROR OSError: [WinError 1455]\nattempt 1 failed, retrying\nattempt 2 succeeded\nexit code 0xC0000005";
    assert_eq!(in_doubt(retried), [2, 3]);
    assert!(in_doubt("OSError: [WinError 1455]\nattempt 2 failed\ngiving up").is_empty());
}

#[test]
fn a_test_that_went_on_after_the_fault_handler_printed_did_not_crash() {
    let dump = "Windows fatal exception: stack overflow\n\nThread 0x1234 (most recent call first):\n";
    assert_eq!(in_doubt(&format!("{dump}test_a.py::test_deep PASSED")), [1]);
    assert!(in_doubt(&format!("{dump}worker 'gw0' crashed while running\ntest_a.py::test_b PASSED")).is_empty());
    for run in
        ["> pytest tests/test_b.py", "$ python -m pytest -x", "==== test session starts ====", "collected 3 items"]
    {
        assert!(in_doubt(&format!("{dump}{run}\ntest_b.py::test_b PASSED")).is_empty(), "{run}");
    }
    let captured =
        "---- Captured stderr call ----\nRuntimeError: CUDA out of memory\n==== FAILURES ====\nE   OSError: a";
    assert_eq!(in_doubt(captured), [2]);
}

#[test]
fn what_a_list_asks_for_or_a_release_changed_did_not_happen() {
    assert_eq!(
        in_doubt("Please send us:\n - the error, MSVCP140.dll was not found\n - dxdiag.txt\nIt ends with 0xC0000005"),
        [1, 2, 3]
    );
    assert_eq!(
        in_doubt("v2.3.1\n* Workaround for OMP: Error #15\n* Users saw 0xC000001D\nexit code 0xC0000005"),
        [2, 3]
    );
}
