//! Codes as people ask for them. What depends on the rules too is tested where the program asks them.

use super::*;
use crate::explain::kind::all_names;

fn explained(text: &str) -> Vec<Explained> {
    explain(text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn likeliest(text: &str) -> Reading {
    explained(text).remove(0).readings.remove(0)
}

#[test]
fn the_parameters_of_a_stop_say_what_they_mean() {
    for text in ["0x1A (0x41792, 0x0, 0x0, 0x0)", "Bug check 0x0000001a (0x0000000000041792, 0x0, 0x0, 0x0)"] {
        let look = likeliest(text).look;
        assert!(look.first().is_some_and(|first| first.starts_with("parameter 1 is 0x41792: ")), "{look:?}");
        assert!(look.iter().any(|line| line.contains("a page table entry is damaged")), "{look:?}");
    }
    assert!(!likeliest("0x1A").look.iter().any(|line| line.contains(" is 0x")));
}

#[test]
fn a_name_that_cudnn_numbered_anew_is_told_once() {
    let explained = explained("CUDNN_STATUS_EXECUTION_FAILED");
    assert_eq!(explained.iter().map(|one| one.spellings.unsigned).collect::<Vec<_>>(), [5000]);
}

#[test]
fn an_argument_that_only_says_what_a_code_is_goes_with_the_next() {
    let texts = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        texts_of(&arguments)
    };
    assert_eq!(texts(&["WinError", "126"]), ["WinError 126"]);
    assert_eq!(texts(&["exit", "code", "53", "0x116"]), ["exit code 53", "0x116"]);
    assert_eq!(texts(&["[WinError", "126]", "Kernel-Power", "41"]), ["[WinError 126]", "Kernel-Power 41"]);
    assert_eq!(texts(&["VIDEO_TDR_FAILURE", "5", "c0000005"]), ["VIDEO_TDR_FAILURE", "5", "c0000005"]);
}

#[test]
fn every_code_with_a_name_is_explained_under_its_name() {
    let names: Vec<(String, Kind, u32)> = all_names().map(|(name, kind, code)| (name.to_owned(), kind, code)).collect();
    for (name, kind, code) in names.iter().step_by(37) {
        let explained = explain(name).unwrap_or_else(|wrong| panic!("{wrong}"));
        let found = explained.iter().flat_map(|one| &one.readings).any(|reading| reading.kind == *kind);
        assert!(found && explained.iter().any(|one| one.spellings.unsigned == *code), "{name}: {explained:?}");
    }
}
