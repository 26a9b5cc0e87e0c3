//! Arguments without a command: a path is analyzed, a code is explained, `-` is a text.

use std::fs;

use crate::program::{crashsift, finish, list, run, run_with_input, text};

#[test]
fn a_path_without_a_command_is_analyzed() {
    let whole = run(["analyze", "-q", "-f", "json", "samples/stack-overflow"]).ends_with(0);
    let short = run(["samples/stack-overflow", "-q", "-f", "json"]).ends_with(0);
    assert_eq!(short.stdout, whole.stdout);
}

#[test]
fn a_command_comes_before_a_folder_of_its_name_and_a_path_with_a_dot_is_always_one() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("rules")).expect("a folder");
    fs::copy("samples/stack-overflow/python.exe.5316.dmp", folder.path().join("rules/a.dmp")).expect("copied");
    let at = |arguments: &[&str]| {
        let mut command = crashsift(arguments);
        command.current_dir(folder.path());
        finish(command, b"")
    };
    assert!(at(&["rules"]).ends_with(2).stderr.contains("Usage: crashsift rules <COMMAND>"));
    let report = at(&["./rules", "-q", "-f", "json"]).ends_with(0).json();
    assert_eq!(list(&report, "incidents").len(), 1);
}

#[test]
fn a_code_without_a_command_is_explained() {
    for code in
        [&["-1073740791"][..], &["0xC0000409", "-q"], &["WinError", "126"], &["exit code -1073740791 (0xC0000409)"]]
    {
        let explained = run(["explain"].iter().chain(code)).ends_with(0);
        assert_eq!(run(code).ends_with(0).stdout, explained.stdout, "{code:?}");
    }
    let neither = run(["no-such-folder"]).ends_with(2);
    let says = "no-such-folder is neither a command nor a file or folder here, and no code that is known";
    assert!(neither.stderr.contains(says), "{neither:#?}");
}

#[test]
fn a_dash_without_a_command_is_a_text_and_with_analyze_a_list_of_paths() {
    let told = "python.exe stopped with exit code -1073740791 (0xC0000409)\n";
    let report = run_with_input(["-", "-q", "-f", "json"], told.as_bytes()).ends_with(0).json();
    let kinds: Vec<&str> = list(&report, "artifacts").iter().map(|artifact| text(artifact, "kind")).collect();
    assert_eq!((kinds, list(&report, "incidents").len()), (vec!["ticket"], 1));
    let listed = run_with_input(["analyze", "-", "-q", "-f", "json"], b"samples/stack-overflow\n").ends_with(0).json();
    assert_eq!(list(&listed, "incidents").len(), 1);
}
