//! The README's words, followed as a newcomer would.

#![expect(clippy::expect_used, reason = "a test that can't go on fails, and its inputs are known")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(project().join("README.md")).expect("README.md")
}

/// The content of the first fenced block of a language in a text.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let start = format!("```{language}\n");
    let (_, rest) = text.split_once(&start).expect("a block of this language");
    rest.split_once("\n```").expect("an end").0
}

fn crashsift(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crashsift")).args(arguments).current_dir(folder).output().expect("it runs")
}

#[test]
fn the_output_that_is_shown_is_what_the_program_prints() {
    let readme = readme();
    let (command, shown) = block(&readme, "console").split_once('\n').expect("a command and its output");
    let arguments: Vec<&str> = command.trim_start_matches("$ crashsift ").split(' ').collect();
    let output = crashsift(&arguments, project());
    // How many rules there are changes with every rule.
    let lines = |text: &str| {
        let lines = text.trim_end().lines().filter(|line| !line.starts_with("  rule set"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&String::from_utf8_lossy(&output.stdout)), lines(shown));
}

#[test]
fn the_rule_of_the_five_minutes_checks_passes_its_tests_and_is_used() {
    let readme = readme();
    let folder = tempfile::tempdir().expect("a folder");
    let file = "my-rules/demo/first.yaml";
    assert!(readme.contains(file), "the README names another file");
    fs::create_dir_all(folder.path().join("my-rules/demo")).expect("a folder");
    fs::write(folder.path().join(file), block(&readme, "yaml")).expect("a file");

    for command in ["rules check my-rules", "rules test my-rules"] {
        assert!(readme.contains(&format!("crashsift {command}\n")), "the README does not say `{command}`");
        let output = crashsift(&command.split(' ').collect::<Vec<_>>(), folder.path());
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }

    let ticket = "Faulting application name: game.exe, version: 1.0.0.0, time stamp: 0x5f000000\n\
                  Faulting module name: exampleoverlay64.dll, version: 2.0.0.0, time stamp: 0x5f000000\n\
                  Exception code: 0xc0000005\nFault offset: 0x0000000000001234\n";
    fs::write(folder.path().join("ticket.txt"), ticket).expect("a ticket");
    let output = crashsift(&["analyze", "--rules", "my-rules", "ticket.txt"], folder.path());
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("demo/example-overlay"), "{report}");
    assert!(report.contains("game.exe crashed in exampleoverlay64.dll"), "{report}");
}
