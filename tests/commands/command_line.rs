//! The command line, as a user types it: exit codes, what goes to which stream, and whole outputs.
//!
//! The expected outputs are in `tests/command_line/`; `SNAPSHOTS=overwrite cargo test --test main command_line::`
//! writes them anew. Those of reports use the rules of `site.yaml` there, so that they don't change with the built-in
//! ones.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use samplekit::FileTime;
use samplekit::event_log::{Event, EventLog, Provider};
use samplekit::events::nvidia_driver;
use serde_json::{Value, json};
use snapbox::Data;

use crate::program::{self, Run, artifact, crashsift, finish, list, run, run_with_input, text, too_deep, wait};

const SITE_RULES: &str = "tests/command_line/site.yaml";
const STACK_OVERFLOW: &str = "samples/stack-overflow/python.exe.5316.dmp";
const POWER_LOST: &str = "samples/power-lost/System.evtx";
const CUT_DUMP: &str = "samples/cut-dump/python.exe.4312.dmp";
const EMPTY_DUMP: &str = "samples/empty-dump/empty.dmp";

/// `crashsift analyze` with arguments that are separated by spaces.
#[track_caller]
fn analyze(arguments: &str) -> Run {
    run(["analyze"].into_iter().chain(arguments.split_whitespace()))
}

/// The same with the few rules of `site.yaml` instead of the built-in ones, which take most of the time of a short run.
#[track_caller]
fn analyze_with_site_rules(arguments: &str) -> Run {
    analyze(&format!("--no-builtin-rules --rules {SITE_RULES} {arguments}"))
}

/// Its report, in JSON.
#[track_caller]
fn analyzed(arguments: &str) -> Value {
    analyze_with_site_rules(&format!("-q -f json {arguments}")).ends_with(0).json()
}

/// The formats of reports.
fn formats() -> Vec<String> {
    let help = analyze("--help").ends_with(0).stdout;
    let option = help.split("--format").nth(1).expect("an option --format");
    let option = option.split("--output").next().expect("the option's text");
    let known = [
        "text",
        "screen",
        "brief",
        "json",
        "jsonl",
        "csv",
        "markdown",
        "html",
        "junit",
        "sarif",
        "github",
        "gitlab",
        "prometheus",
        "ecs",
    ];
    let offered: Vec<String> = known
        .iter()
        .filter(|format| option.contains(&format!("- {format}:")))
        .map(|&format| format.to_owned())
        .collect();
    assert_eq!(offered, known, "{help}");
    offered
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A path as an argument.
fn shown(path: &Path) -> &str {
    path.to_str().expect("the path of a temporary folder is text")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Fails unless an output equals the file in `tests/command_line/`, byte for byte; only the program's own version may
/// change.
#[track_caller]
fn assert_whole(output: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line").join(file);
    let output = output.replace(concat!("crashsift ", env!("CARGO_PKG_VERSION")), "crashsift [VERSION]");
    snapbox::Assert::new().action_env("SNAPSHOTS").eq(Data::text(output).raw(), Data::read_from(&path, None).raw());
}

// Exit codes.

#[test]
fn exit_codes_are_the_same_in_every_format() {
    for format in formats() {
        for (code, arguments) in [
            (0, STACK_OVERFLOW.to_owned()),
            (0, CUT_DUMP.to_owned()),
            (1, format!("--fail-on stack-overflow {STACK_OVERFLOW}")),
            (2, format!("--fail-on no-such-cause {STACK_OVERFLOW}")),
            (2, format!("--rules tests/broken_rules/fact-unknown.yaml {STACK_OVERFLOW}")),
            (3, format!("--strict {CUT_DUMP}")),
            (4, EMPTY_DUMP.to_owned()),
            (4, "samples/no/such/folder".to_owned()),
        ] {
            let run = analyze_with_site_rules(&format!("--format {format} {arguments}"));
            assert_eq!(run.code, code, "--format {format} {arguments}: {run:#?}");
            // If anything was analyzed there is a report, whatever the code; else there is none.
            assert_eq!(run.stdout.is_empty(), code == 2, "--format {format} {arguments}: {run:#?}");
        }
    }
}

#[test]
fn fail_on_knows_causes_families_and_any() {
    let both = format!("{STACK_OVERFLOW} {POWER_LOST}");
    for (code, fail_on, paths) in [
        (1, "--fail-on stack-overflow", STACK_OVERFLOW),
        (1, "--fail-on memory-safety", STACK_OVERFLOW),
        (1, "--fail-on any", STACK_OVERFLOW),
        (0, "--fail-on heap-corruption", STACK_OVERFLOW),
        (0, "--fail-on gpu", STACK_OVERFLOW),
        (1, "--fail-on gpu --fail-on power-loss", both.as_str()),
        (0, "--fail-on gpu --fail-on heap-corruption", both.as_str()),
        // `undetermined` belongs to a family, but does not count as a cause of that family.
        (0, "--no-builtin-rules --fail-on application", STACK_OVERFLOW),
        (1, "--no-builtin-rules --fail-on undetermined", STACK_OVERFLOW),
        // An incident that was filtered out meets no condition.
        (0, "--fail-on any --since 2999-01-01", both.as_str()),
    ] {
        let run = analyze(&format!("-q {fail_on} {paths}"));
        assert_eq!(run.code, code, "{fail_on} {paths}: {run:#?}");
    }
}

#[test]
fn fail_on_of_an_unknown_word_is_a_usage_error_that_names_the_word() {
    let run = analyze(&format!("--fail-on heap-coruption {STACK_OVERFLOW}")).ends_with(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("--fail-on heap-coruption: neither a cause nor a family"), "{run:#?}");
    assert!(run.stderr.contains("did you mean `heap-corruption`? `crashsift rules causes` prints all"), "{run:#?}");
}

#[test]
fn fail_on_and_strict_do_not_depend_on_each_others_order() {
    let (fail_on, cut) = ("--fail-on any", "samples/cut-dump");
    analyze_with_site_rules(&format!("{fail_on} --strict {cut}")).ends_with(1);
    analyze_with_site_rules(&format!("--strict {fail_on} {cut}")).ends_with(1);
    // Exit code 4 takes precedence over both.
    analyze_with_site_rules(&format!("--strict {fail_on} {EMPTY_DUMP}")).ends_with(4);
}

#[test]
fn strict_minds_what_was_lost_and_not_what_is_of_no_interest() {
    analyze_with_site_rules(&format!("--strict {STACK_OVERFLOW}")).ends_with(0);
    analyze_with_site_rules(&format!("--strict {STACK_OVERFLOW} samples/stack-overflow/expected.json")).ends_with(0);
    analyze_with_site_rules(&format!("--strict {STACK_OVERFLOW} {CUT_DUMP}")).ends_with(3);
    analyze_with_site_rules(&format!("--strict {STACK_OVERFLOW} {EMPTY_DUMP}")).ends_with(3);
    analyze_with_site_rules(&format!("--strict {STACK_OVERFLOW} samples/no-such-file.dmp")).ends_with(3);
    // The contents of an unopened archive count as unread.
    let folder = folder();
    let archive = folder.path().join("dumps.rar");
    fs::write(&archive, b"Rar!\x1A\x07\x01\0 an archive").expect("an archive");
    analyze_with_site_rules(&format!("--strict {STACK_OVERFLOW} {}", shown(&archive))).ends_with(3);
}

#[test]
fn a_dump_is_no_ticket() {
    let run = analyze_with_site_rules(&format!("--ticket {STACK_OVERFLOW}")).ends_with(2);
    assert!(run.stderr.contains("of kind minidump; name it without --ticket"), "{run:#?}");
}

#[test]
fn a_verdict_whose_rule_is_left_out_shows_it() {
    let shown = analyze_with_site_rules(&format!("--min-confidence 0.99 {STACK_OVERFLOW}")).ends_with(0).stdout;
    assert!(shown.contains("left out by --min-confidence"), "{shown}");
}

#[test]
fn incidents_outside_the_time_that_was_asked_for_are_counted() {
    let report = analyzed(&format!("--since 2999-01-01 {STACK_OVERFLOW}"));
    assert_eq!(report["since"], "2999-01-01T00:00:00Z");
    assert_eq!(report["summary"]["left_out"], 1);
    let shown = analyze_with_site_rules(&format!("--since 2999-01-01 {STACK_OVERFLOW}")).ends_with(0).stdout;
    assert!(shown.contains("1 incident is left out"), "{shown}");
    assert!(shown.contains("No incident was found in this time."), "{shown}");
}

#[test]
fn the_manual_page_holds_every_command_and_refers_to_no_other_page() {
    let page = run(["man"]).ends_with(0).stdout;
    for heading in ["CRASHSIFT ANALYZE", "CRASHSIFT COMPARE", "CRASHSIFT RULES DIFF", "CRASHSIFT WHY"] {
        assert!(page.contains(&format!(".SH \"{heading}\"")), "{heading}");
    }
    assert!(page.contains("min\\-confidence"), "options of commands are there");
    assert!(!page.contains("(1)\n") && !page.contains("crashsift\\-analyze"), "{page}");
}

#[test]
fn arguments_that_make_no_sense_are_usage_errors_that_show_what_would_be_right() {
    for (arguments, right) in [
        ("", "<PATH>"),
        (
            "--format xml samples",
            "[possible values: text, screen, brief, json, jsonl, csv, markdown, html, junit, sarif, github, gitlab, prometheus, \
             ecs, parquet]",
        ),
        ("--since yesterday samples", "2024-11-11T17:43:00Z"),
        ("--until 2024-13-01 samples", "2024-11-11"),
        ("--min-confidence 80 samples", "from 0 to 1"),
        ("--min-confidence NaN samples", "from 0 to 1"),
        ("--jobs 0 samples", "from 1 to 1024"),
        ("--jobs 99999999 samples", "from 1 to 1024"),
        ("--since 2025-01-01 --until 2024-01-01 samples", "no incident can be between them"),
        ("--ticket samples", "--ticket samples: it is a folder"),
        ("--rules no-such-rules.yaml samples", "cannot be read"),
        ("--output samples samples", "--output samples: it is a folder"),
        ("--output", "a value is required"),
        ("--symbols no-such-folder samples", "--symbols no-such-folder: no such file or folder"),
        ("--quite samples", "'--quiet'"),
        ("--color sometimes samples", "[possible values: auto, always, never]"),
        ("--colour always samples", "--color"),
        ("--ticket samples/no-such-ticket.txt", "samples/no-such-ticket.txt"),
    ] {
        let run = analyze(arguments).ends_with(2);
        assert_eq!(run.stdout, "", "{arguments}");
        assert!(run.stderr.contains(right), "{arguments}: {run:#?}");
    }
}

#[test]
fn commands_that_do_not_exist_are_usage_errors_that_name_those_that_do() {
    for (arguments, right) in [
        ("", "Usage: crashsift <COMMAND>"),
        ("analyse samples", "'analyze'"),
        ("samplse", "samplse is neither a command nor a file or folder here"),
        ("why", "<INCIDENT|RULE>"),
        ("why x", "<PATH>"),
        ("inspect", "<FILE>"),
        ("inspect a b", "unexpected argument 'b'"),
        ("explain", "<CODE>"),
        ("explain foo", "`foo` is no code"),
        ("explain --format xml 5", "[possible values: text, json]"),
        ("rules", "Usage: crashsift rules <COMMAND>"),
        ("rules show", "<ID>"),
        ("rules show no/such-rule", "there is no rule `no/such-rule`"),
        ("rules list --cause gpu-timeuot", "did you mean `gpu-timeout`?"),
        ("rules facts --format yaml", "[possible values: text, json]"),
        ("completions", "<SHELL>"),
        ("completions korn", "[possible values: bash"),
        ("help nothing", "unrecognized subcommand 'nothing'"),
    ] {
        let run = run(arguments.split_whitespace()).ends_with(2);
        assert_eq!(run.stdout, "", "{arguments}");
        assert!(run.stderr.contains(right), "{arguments}: {run:#?}");
    }
    let check = run(["rules", "check", "no-such-rules"]).ends_with(2);
    assert!(check.stdout.contains("cannot be read"), "{check:#?}");
}

#[test]
fn what_leads_nowhere_is_reported_with_its_name() {
    let analyzed = analyze_with_site_rules("no/such/folder").ends_with(4);
    assert!(analyzed.stderr.starts_with("crashsift: no/such/folder: no such file or folder\n"), "{analyzed:#?}");
    let inspected = run(["inspect", "no-such.dmp"]).ends_with(4);
    assert_eq!(
        inspected.stderr,
        "crashsift: no-such.dmp: failed: no such file or folder\ncrashsift: nothing that can be analyzed was found\n"
    );
}

#[test]
fn for_an_archive_that_is_not_opened_the_report_asks_to_extract_it() {
    let folder = folder();
    fs::write(folder.path().join("logs.zip"), too_deep()).expect("a file");
    fs::copy(STACK_OVERFLOW, folder.path().join("a.dmp")).expect("a dump");
    let run = analyze_with_site_rules(shown(folder.path())).ends_with(0);
    assert_eq!(run.stderr, "crashsift: 1 archive was not opened; extract it and analyze the folder\n");
    assert!(run.stdout.contains("\n1 archive not opened: listed below.\n"), "{run:#?}");
    assert!(run.stdout.contains("  not opened   1 archive: extract it and analyze the folder\n"), "{run:#?}");
    assert_eq!(analyzed(shown(folder.path()))["summary"]["archives"], 1);
}

#[test]
fn formats_are_known_in_capitals_too() {
    analyze_with_site_rules(&format!("-q --format JSON {STACK_OVERFLOW}")).ends_with(0).json();
    let folder = folder();
    let report = folder.path().join("report.json");
    let report = shown(&report);
    analyze(&format!("-q -f Json -o {report} {STACK_OVERFLOW}")).ends_with(0);
    for command in [
        format!("compare -f JSON {report} {report}"),
        "explain -f JSON 0xC0000409".to_owned(),
        "rules facts -f JSON".to_owned(),
        format!("rules diff -f JSON builtin builtin {STACK_OVERFLOW}"),
        format!("why -f JSON memory/stack-overflow {STACK_OVERFLOW}"),
    ] {
        run(command.split(' ')).ends_with(0).json();
    }
}

#[test]
fn help_and_version_are_results() {
    for arguments in ["--help", "analyze --help", "rules --help", "--version"] {
        let run = run(arguments.split(' ')).ends_with(0);
        assert!(!run.stdout.is_empty() && run.stderr.is_empty(), "{arguments}: {run:#?}");
    }
    assert_eq!(run(["--version"]).stdout, concat!("crashsift ", env!("CARGO_PKG_VERSION"), "\n"));
}

// Where the report goes.

#[test]
fn output_holds_what_standard_output_would() {
    let folder = folder();
    for format in formats() {
        let file = folder.path().join(&format);
        let to_file =
            analyze_with_site_rules(&format!("-f {format} -o {} {STACK_OVERFLOW}", shown(&file))).ends_with(0);
        assert_eq!(to_file.stdout, "", "{format}");
        let written = fs::read_to_string(&file).expect("the report");
        assert_eq!(written, analyze_with_site_rules(&format!("-f {format} {STACK_OVERFLOW}")).stdout, "{format}");
    }
    assert_eq!(names(folder.path()).len(), formats().len(), "nothing else is left behind");
}

#[test]
fn output_replaces_an_older_report_whole() {
    let folder = folder();
    let file = folder.path().join("report.txt");
    fs::write(&file, "an older report\n".repeat(100_000)).expect("a file");
    analyze_with_site_rules(&format!("-o {} {STACK_OVERFLOW}", shown(&file))).ends_with(0);
    let report = fs::read_to_string(&file).expect("the report");
    assert!(report.starts_with("crashsift: 1 artifact, 1 incident\n"), "{report}");
    assert!(!report.contains("an older report"));
}

#[test]
fn output_is_left_alone_when_nothing_is_analyzed() {
    let folder = folder();
    let file = folder.path().join("report.txt");
    fs::write(&file, "an older report\n").expect("a file");
    analyze_with_site_rules(&format!("-o {} --fail-on nonsense {STACK_OVERFLOW}", shown(&file))).ends_with(2);
    assert_eq!(fs::read_to_string(&file).expect("the report"), "an older report\n");
    assert_eq!(names(folder.path()), ["report.txt"]);
}

/// `analyze -o a.dmp a.dmp` replaced the dump by its report.
#[test]
fn output_never_replaces_evidence() {
    let folder = folder();
    let dump = folder.path().join("a.dmp");
    fs::copy(STACK_OVERFLOW, &dump).expect("a dump");
    let before = fs::read(&dump).expect("the dump");
    let ticket = folder.path().join("mail.txt");
    fs::write(&ticket, "exit code 0xC0000409").expect("a text");
    for (output, arguments, why) in [
        (&dump, shown(&dump).to_owned(), "it is one of the files that are read"),
        (&dump, shown(folder.path()).to_owned(), "it lies in a folder that is read and is no report of crashsift"),
        (&ticket, shown(folder.path()).to_owned(), "it lies in a folder that is read and is no report of crashsift"),
        (&dump, STACK_OVERFLOW.to_owned(), "it is an artifact of kind minidump"),
        (&ticket, format!("--symbols {} {STACK_OVERFLOW}", shown(&ticket)), "it is one of the files that are read"),
        (&ticket, format!("--ticket {}", shown(&ticket)), "it is one of the files that are read"),
    ] {
        let run = analyze_with_site_rules(&format!("-f text -o {} {arguments}", shown(output))).ends_with(2);
        assert!(run.stderr.contains(why), "{run:#?}");
    }
    assert_eq!(fs::read(&dump).expect("the dump"), before);
}

#[test]
fn output_into_a_place_that_takes_no_file_is_an_error_that_names_it() {
    let folder = folder();
    fs::write(folder.path().join("file"), "not a folder").expect("a file");
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    for place in ["no-such-folder/report.txt", "file/report.txt", "folder"] {
        let path = folder.path().join(place);
        let run = analyze_with_site_rules(&format!("-o {} {STACK_OVERFLOW}", shown(&path))).ends_with(2);
        assert_eq!(run.stdout, "", "{place}");
        assert!(run.stderr.contains(&format!("--output {}: ", shown(&path))), "{place}: {run:#?}");
        assert_eq!(names(folder.path()), ["file", "folder"], "{place}: nothing is left behind");
    }
    assert_eq!(fs::read_to_string(folder.path().join("file")).expect("the file"), "not a folder");
}

/// Errors named the temporary file, which users do not know: "No such file or directory at path /no/such/.tmpx7Hq2s".
#[test]
fn an_unwritable_output_is_not_explained_by_a_temporary_file() {
    let run = analyze_with_site_rules(&format!("-o no-such-folder/report.txt {STACK_OVERFLOW}")).ends_with(2);
    assert_eq!(run.stderr, "crashsift: --output no-such-folder/report.txt: no such file or folder\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_is_no_success() {
    let run = analyze_with_site_rules(&format!("-o /dev/full {STACK_OVERFLOW}"));
    assert!(run.code != 0 && run.stderr.contains("/dev/full"), "{run:#?}");

    let mut command = crashsift(["analyze", STACK_OVERFLOW]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
    let mut child = command.stdout(full).stderr(Stdio::null()).spawn().expect("the program starts");
    assert_ne!(wait(&mut child, &command), 0);
}

#[test]
fn a_reader_that_has_seen_enough_is_success() {
    for format in formats() {
        let mut command = crashsift(["analyze", "-q", "-v", "-f", &format, "samples"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        // There is more output than a pipe holds when the reader ends, as `head -1` does.
        let mut first = String::new();
        BufReader::with_capacity(16, child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
        assert!(!first.is_empty(), "{format}");
        assert_eq!(wait(&mut child, &command), 0, "{format}");
        let notes = std::io::read_to_string(child.stderr.take().expect("a pipe")).expect("text");
        assert_eq!(notes, "", "{format}");
    }
}

#[test]
fn standard_output_holds_the_report_and_nothing_else() {
    let run =
        analyze_with_site_rules(&format!("-f json {STACK_OVERFLOW} {CUT_DUMP} samples/no-such-file.dmp")).ends_with(0);
    assert_eq!(run.json()["summary"]["artifacts"], 3);
    assert!(run.stderr.contains("2 of 3 artifacts could not be read whole"), "{run:#?}");

    let run =
        analyze_with_site_rules(&format!("-f jsonl {STACK_OVERFLOW} {CUT_DUMP} samples/no-such-file.dmp")).ends_with(0);
    for line in run.stdout.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object()), "{line}");
    }

    let report = analyze_with_site_rules(&format!("{STACK_OVERFLOW} {EMPTY_DUMP}")).ends_with(0).stdout;
    assert!(report.starts_with("crashsift: 2 artifacts, 1 incident\n"), "{report}");
}

#[test]
fn quiet_is_silent_but_for_errors() {
    for arguments in ["-q", "--quiet", "-q --no-progress", "-q --strict"] {
        let run = analyze_with_site_rules(&format!("{arguments} {STACK_OVERFLOW} {CUT_DUMP}"));
        assert_eq!(run.stderr, "", "{arguments}");
        assert!(run.stdout.contains("1 artifact read only in part"), "the report still tells it: {run:#?}");
    }
    assert_eq!(analyze_with_site_rules(&format!("-q {EMPTY_DUMP}")).ends_with(4).stderr, "");
    assert_ne!(analyze_with_site_rules(&format!("-q --fail-on nonsense {STACK_OVERFLOW}")).ends_with(2).stderr, "");
}

#[test]
fn there_is_no_progress_where_there_is_no_terminal() {
    for arguments in ["", "--no-progress"] {
        let run = analyze_with_site_rules(&format!("{arguments} {STACK_OVERFLOW}")).ends_with(0);
        assert_eq!(run.stderr, "", "{arguments}");
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let colored = |arguments: &str, no_color: Option<&str>| {
        let mut command =
            crashsift(format!("analyze --no-builtin-rules {arguments} {STACK_OVERFLOW}").split_whitespace());
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        finish(command, b"").ends_with(0).stdout.contains('\u{1b}')
    };
    assert!(!colored("", None));
    assert!(!colored("--color auto", Some("1")));
    assert!(colored("--color always", None));
    assert!(colored("--color always", Some("1")), "what is asked for outweighs a habit");
    assert!(!colored("--color never", None));
    // JSON has no colours.
    assert!(!colored("--color always -f json", None));
    // Colours change nothing else.
    let plain = analyze_with_site_rules(STACK_OVERFLOW).stdout;
    let colored = analyze_with_site_rules(&format!("--color always {STACK_OVERFLOW}")).stdout;
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

// What is analyzed.

#[test]
fn a_list_of_paths_comes_from_standard_input() {
    for list in [
        format!("{STACK_OVERFLOW}\n{POWER_LOST}\n"),
        format!("{STACK_OVERFLOW}\n{POWER_LOST}"),
        format!("{STACK_OVERFLOW}\r\n\r\n{POWER_LOST}\r\n"),
        format!("{STACK_OVERFLOW}\0{POWER_LOST}\0"),
        format!("\u{feff}{STACK_OVERFLOW}\n{POWER_LOST}\n"),
    ] {
        let report =
            run_with_input(["analyze", "--no-builtin-rules", "-f", "json", "-"], list.as_bytes()).ends_with(0).json();
        let paths: Vec<&str> = program::list(&report, "artifacts").iter().map(|one| text(one, "path")).collect();
        assert_eq!(paths, [POWER_LOST, STACK_OVERFLOW], "{list:?}");
    }
}

#[test]
fn a_list_and_arguments_add_up() {
    let run =
        run_with_input(["analyze", "--no-builtin-rules", "-f", "json", POWER_LOST, "-"], STACK_OVERFLOW.as_bytes())
            .ends_with(0);
    assert_eq!(run.json()["summary"]["artifacts"], 2);
    // An empty list is no error, but there is nothing to analyze.
    let run = run_with_input(["analyze", "--no-builtin-rules", "-f", "json", "-"], b"").ends_with(4);
    assert_eq!(run.json()["summary"]["artifacts"], 0);
}

#[test]
fn a_ticket_is_read_from_a_file_or_from_standard_input() {
    let pasted = "The editor closed itself. Exit code -1073740791 (0xC0000409).\n";
    let folder = folder();
    let file = folder.path().join("mail.txt");
    fs::write(&file, pasted).expect("a file");
    let from_file = analyzed(&format!("--ticket {}", shown(&file)));
    let from_input =
        run_with_input(["analyze", "--no-builtin-rules", "-f", "json", "--ticket", "-"], pasted.as_bytes())
            .ends_with(0)
            .json();
    for (report, name) in [(&from_file, "mail.txt"), (&from_input, "standard input")] {
        assert_eq!(artifact(report, name)["kind"], "ticket");
        assert_eq!(list(report, "incidents").len(), 1, "{report:#}");
        assert_eq!(report["incidents"][0]["exception"]["code"], "0xC0000409");
    }
}

#[test]
fn a_ticket_joins_other_evidence_in_one_run() {
    let run = run_with_input(
        ["analyze", "--no-builtin-rules", "-f", "json", "--ticket", "-", POWER_LOST],
        b"exit code 0xC0000409",
    );
    assert_eq!(run.ends_with(0).json()["summary"]["incidents"], 2);
}

#[cfg(unix)]
#[test]
fn a_ticket_in_a_pipe_without_writer_is_refused_and_not_waited_for() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let run = run(["analyze", "--ticket", shown(&pipe)]).ends_with(2);
    assert!(run.stderr.contains("`--ticket -`"), "{run:#?}");
}

#[test]
fn standard_input_that_is_no_text_is_refused_and_text_that_is_no_list_is_named() {
    let dump = fs::read("samples/stack-overflow/python.exe.5316.dmp").expect("a sample");
    for arguments in [&["-"][..], &["-q", "-"], &["analyze", "--ticket", "-"]] {
        let run = run_with_input(arguments, &dump).ends_with(2);
        assert!(run.stderr.contains("it is no text but of kind minidump"), "{run:#?}");
    }
    let run = run_with_input(["analyze", "-"], b"finished with exit code -1073740791\n").ends_with(4);
    assert!(run.stderr.contains("pasted text is read with `--ticket -`"), "{run:#?}");
    let run = run_with_input(["-f", "brief", "-"], b"finished with exit code -1073740791\n").ends_with(0);
    assert!(run.stdout.contains("1 incident"), "{run:#?}");
}

#[test]
fn standard_input_is_either_a_list_or_a_ticket() {
    let run = run_with_input(["analyze", "--ticket", "-", "-"], b"samples").ends_with(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("can't be both"), "{run:#?}");
}

#[test]
fn since_and_until_choose_incidents_by_their_time() {
    // 2024-05-22T10:47:38Z and 2024-08-02T06:47:00Z.
    let both = format!("{STACK_OVERFLOW} {POWER_LOST}");
    for (times, kinds) in [
        ("", &["crash", "power-loss"][..]),
        ("--since 2024-05-22", &["crash", "power-loss"]),
        ("--since 2024-05-22T10:47:38Z", &["crash", "power-loss"]),
        ("--since 2024-05-22T10:47:39Z", &["power-loss"]),
        ("--since 2024-05-22T12:47:38+02:00", &["crash", "power-loss"]),
        ("--until 2024-05-22T10:47:38Z", &["crash"]),
        ("--since 2024-05-22T10:47:38Z --until 2024-05-22T10:47:38Z", &["crash"]),
        ("--until 2024-05-22T10:47:37Z", &[]),
        // A date includes the whole day.
        ("--until 2024-05-22", &["crash"]),
        ("--until 2024-05-21", &[]),
        ("--since 2024-06-01 --until 2024-09-01", &["power-loss"]),
        ("--since 2024-06-01 --until 2024-07-01", &[]),
    ] {
        let report = analyzed(&format!("{times} {both}"));
        let mut found: Vec<&str> = list(&report, "incidents").iter().map(|incident| text(incident, "kind")).collect();
        found.sort_unstable();
        assert_eq!(found, kinds, "{times}");
        assert_eq!(report["summary"]["incidents"], kinds.len(), "{times}");
        // Artifacts are listed nevertheless.
        assert_eq!(report["summary"]["artifacts"], 2, "{times}");
    }
}

#[test]
fn min_confidence_leaves_out_findings_and_never_the_verdict() {
    let both = format!("{STACK_OVERFLOW} {POWER_LOST}");
    for (least, findings) in [("0", 2), ("0.4", 2), ("0.41", 1), ("0.9", 1), ("0.95", 0), ("1", 0)] {
        let report = analyzed(&format!("--min-confidence {least} {both}"));
        let incidents = list(&report, "incidents");
        assert_eq!(incidents.len(), 2, "{least}");
        assert_eq!(incidents.iter().map(|one| list(one, "findings").len()).sum::<usize>(), findings, "{least}");
        let mut causes: Vec<&str> = incidents.iter().map(|one| text(&one["verdict"], "cause")).collect();
        causes.sort_unstable();
        assert_eq!(causes, ["power-loss", "stack-overflow"], "{least}");
    }
}

#[test]
fn the_report_does_not_depend_on_the_number_of_jobs() {
    for format in formats() {
        let one = analyze_with_site_rules(&format!("-q -f {format} -j1 samples")).ends_with(0).stdout;
        assert_eq!(one, analyze_with_site_rules(&format!("-q -f {format} -j2 samples")).stdout, "{format}");
    }
}

#[test]
fn verbose_lists_every_artifact() {
    let folder = "samples/one-crash-three-artifacts";
    let files = ["Application.evtx", "Report.wer", "python.exe.10244.dmp", "expected.json"];
    let (brief, verbose) =
        (analyze_with_site_rules(folder).stdout, analyze_with_site_rules(&format!("-v {folder}")).stdout);
    for file in files {
        assert!(verbose.contains(&format!("{folder}/{file}")), "{file}: {verbose}");
    }
    // A few files that were skipped are named in any case, many only there.
    assert!(brief.contains("expected.json"), "{brief}");
    let place = tempfile::tempdir().expect("a folder");
    (0..4).for_each(|number| fs::write(place.path().join(format!("{number}.json")), "{}").expect("written"));
    let both = format!("{folder} {}", place.path().display());
    let (brief, verbose) =
        (analyze_with_site_rules(&both).stdout, analyze_with_site_rules(&format!("-v {both}")).stdout);
    assert!(!brief.contains("3.json") && brief.contains("5 files of kind unknown (-v lists them)"), "{brief}");
    assert!((0..4).all(|number| verbose.contains(&format!("{number}.json"))), "{verbose}");
}

// Rules.

#[test]
fn rules_are_added_to_the_built_in_ones_or_used_alone() {
    let sets = |arguments: &str| {
        let report = analyze(&format!("-q -f json {arguments} {STACK_OVERFLOW}")).ends_with(0).json();
        let sets: Vec<String> = list(&report, "rulesets").iter().map(|set| text(set, "name").to_owned()).collect();
        let rules: Vec<String> =
            list(&report["incidents"][0], "findings").iter().map(|finding| text(finding, "rule").to_owned()).collect();
        (sets, rules)
    };
    let (found, rules) = sets(&format!("--rules {SITE_RULES}"));
    assert_eq!(found, ["builtin", "site"]);
    assert!(rules.iter().any(|rule| rule == "site/stack-used-up"), "{rules:?}");
    assert!(rules.iter().any(|rule| rule == "memory/stack-overflow"), "{rules:?}");
    let (found, rules) = sets(&format!("--no-builtin-rules --rules {SITE_RULES}"));
    assert_eq!((found, rules), (vec!["site".to_owned()], vec!["site/stack-used-up".to_owned()]));
}

#[test]
fn without_any_rules_incidents_are_reported_and_none_is_judged() {
    let report = analyze(&format!("-f json --no-builtin-rules {STACK_OVERFLOW}")).ends_with(0).json();
    let incident = &report["incidents"][0];
    assert_eq!(list(incident, "findings"), [] as [Value; 0]);
    assert_eq!(incident["verdict"]["cause"], "undetermined");
    assert_eq!(incident["exception"]["code"], "0xC00000FD");
    assert_ne!(list(&incident["verdict"], "collect_next"), [] as [Value; 0], "an honest answer says what to collect");
}

/// The rules of `site.yaml` with one fact misspelt.
fn rules_with_a_mistake(folder: &Path) -> PathBuf {
    let rules = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(SITE_RULES)).expect("the site's rules");
    let path = folder.join("mistake.yaml");
    fs::write(&path, rules.replacen("exception.code", "exeption.code", 1)).expect("a file");
    path
}

#[test]
fn with_a_mistake_in_a_rule_nothing_is_analyzed_and_the_mistake_is_shown() {
    let folder = folder();
    let path = rules_with_a_mistake(folder.path());
    for arguments in ["", "-q", "--no-builtin-rules", "-f json"] {
        let run = analyze(&format!("{arguments} --rules {SITE_RULES} --rules {} {STACK_OVERFLOW}", shown(&path)));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments}: {run:#?}");
        // The file, the line and the column; what is wrong; what would be right.
        assert!(run.stderr.contains("mistake.yaml:10:9"), "{arguments}: {run:#?}");
        assert!(run.stderr.contains("there is no fact `exeption.code`"), "{arguments}: {run:#?}");
        assert!(run.stderr.contains("did you mean `exception.code`?"), "{arguments}: {run:#?}");
        assert!(run.stderr.contains("nothing was analyzed"), "{arguments}: {run:#?}");
    }
}

#[test]
fn rules_that_are_not_there_are_an_error() {
    let run = analyze(&format!("--rules samples/no-such-rules.yaml {STACK_OVERFLOW}")).ends_with(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("samples/no-such-rules.yaml"), "{run:#?}");
}

/// A rule set with a cause and a family of its own.
fn site_rules(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("ruleset.yaml", "name: site\nversion: '1'\nlicence: internal\n");
    write(
        "causes.yaml",
        "schema: 1\nfamilies: {site: {short: our servers, means: x}}\ncauses: {licence-server: {family: site, means: y}}\n",
    );
    let rule = "schema: 1\nrules:\n  - id: site/licence\n    title: The licence server did not answer\n    cause: licence-server\n    \
                confidence: 0.97\n    severity: high\n    selections: {it: {exception.code: 0xC00000FD}}\n    explanation: It said \
                so.\n    remediation: [{audience: helpdesk, text: Call the desk.}]\n    references: [intranet page 17]\n    tests:\n      - {name: yes, \
                facts: {exception.code: 0xC00000FD}, expect: match}\n      - {name: no, facts: {exception.code: 1}, expect: no-match}\n";
    write("licence.yaml", rule);
}

#[test]
fn standing_rules_take_part_in_every_run_and_can_have_causes_of_their_own() {
    let settings = folder();
    let rules = settings.path().join("crashsift").join("rules");
    fs::create_dir_all(&rules).expect("a folder");
    site_rules(&rules);
    let judged = |variable: Option<&Path>| {
        let mut command = crashsift(["analyze", "-f", "json", STACK_OVERFLOW]);
        command.env_remove("CRASHSIFT_RULES");
        for settings_of in ["APPDATA", "XDG_CONFIG_HOME"] {
            command.env(settings_of, settings.path());
        }
        command.envs(variable.map(|path| ("CRASHSIFT_RULES", path)));
        let run = finish(command, b"").ends_with(0);
        (run.json()["incidents"][0]["verdict"].clone(), run.json()["rulesets"].clone(), run.stderr)
    };
    let (of_user, sets, told) = judged(None);
    assert_eq!((&of_user["cause"], &of_user["family"]), (&json!("licence-server"), &json!("site")));
    assert!(sets.as_array().is_some_and(|sets| sets.iter().any(|set| set["name"] == "site")), "{sets}");
    assert!(told.contains("the standing rules ") && told.contains(&*rules.to_string_lossy()), "{told}");
    let (none, _, told) = judged(Some(Path::new("")));
    assert_eq!((&none["cause"], told.as_str()), (&json!("stack-overflow"), ""));
    let elsewhere = folder();
    site_rules(elsewhere.path());
    let (named, _, told) = judged(Some(elsewhere.path()));
    assert_eq!(named["cause"], "licence-server");
    assert!(told.contains(&*elsewhere.path().to_string_lossy()) && !told.contains(&*rules.to_string_lossy()), "{told}");
}

#[test]
fn a_cause_of_another_set_can_not_be_defined_again() {
    let folder = folder();
    site_rules(folder.path());
    let again =
        "schema: 1\ncauses: {gpu-timeout: {family: gpu, means: x}, undetermined: {family: nothing, means: y}}\n";
    fs::write(folder.path().join("causes.yaml"), again).expect("a file");
    let path = folder.path().to_string_lossy().into_owned();
    let checked = run(["rules", "check", &path]).ends_with(2).stdout;
    assert_eq!(checked.matches("error[R065]").count(), 2, "{checked}");
    assert!(
        checked.contains("there is a cause `gpu-timeout` already") && checked.contains("no family `nothing`"),
        "{checked}"
    );
}

#[test]
fn rules_are_never_taken_from_what_is_analyzed() {
    let folder = folder();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(STACK_OVERFLOW), folder.path().join("a.dmp")).expect("a copy");
    rules_with_a_mistake(folder.path());
    for name in ["ruleset.yaml", "causes.yaml", "crashsift.toml", ".crashsift.yaml"] {
        fs::write(folder.path().join(name), "name: [evil\n").expect("a file");
    }
    let before = analyze(&format!("-q -f json {STACK_OVERFLOW}")).ends_with(0).json();
    let mut command = crashsift(["analyze", "-q", "-f", "json", "."]);
    command.current_dir(folder.path());
    let report = finish(command, b"").ends_with(0).json();
    assert_eq!(report["rulesets"], before["rulesets"]);
    assert_eq!(report["incidents"][0]["findings"], before["incidents"][0]["findings"]);
}

// Whole outputs.

#[test]
fn the_report_of_a_dump() {
    let run = analyze_with_site_rules(STACK_OVERFLOW).ends_with(0);
    assert_whole(&run.stdout, "stack-overflow.txt");
    assert_eq!(run.stderr, "");
}

#[test]
fn the_report_of_a_folder_with_a_log_and_a_cut_dump() {
    let folders = "samples/power-lost samples/cut-dump";
    let run = analyze_with_site_rules(folders).ends_with(0);
    assert_whole(&run.stdout, "power-lost-and-cut-dump.txt");
    assert_eq!(run.stderr, "crashsift: 1 of 4 artifacts could not be read whole; the report says where and why\n");
}

#[test]
fn the_screen_of_one_problem_and_of_several() {
    let folders = "samples/power-lost samples/cut-dump";
    assert_whole(&analyze_with_site_rules(&format!("-q -f screen {folders}")).ends_with(0).stdout, "screen.txt");
    let one = analyze_with_site_rules(&format!("-q -f screen {STACK_OVERFLOW}")).ends_with(0).stdout;
    assert_whole(&one, "screen-stack-overflow.txt");
}

#[test]
fn the_screen_of_all_samples_fits_a_small_terminal() {
    let page = analyze("-q -f screen samples").ends_with(0).stdout;
    assert!(page.lines().count() <= 23 && page.lines().all(|line| line.chars().count() <= 80), "{page}");
    for part in ["DO FIRST", "NO CAUSE YET", "COLLECT NEXT", "Details:"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn show_prints_a_problem_by_number_id_or_signature() {
    let show = |what: &str| run(["show", what, "--no-builtin-rules", "--rules", SITE_RULES, STACK_OVERFLOW]);
    let by_number = show("1").ends_with(0).stdout;
    let report = analyzed(STACK_OVERFLOW);
    for what in [text(&report["incidents"][0], "id"), text(&report["groups"][0], "signature")] {
        assert_eq!(show(what).ends_with(0).stdout, by_number, "{what}");
    }
    assert!(by_number.contains("python.exe"), "{by_number}");
    let none = show("99").ends_with(2);
    assert!(none.stderr.contains("neither a number from 1 to 1"), "{none:?}");
}

#[test]
fn a_table_begins_with_a_byte_order_mark_where_it_is_asked_for() {
    let mark = "\u{feff}";
    assert!(analyze_with_site_rules(&format!("-f csv --csv-bom {STACK_OVERFLOW}")).stdout.starts_with(mark));
    assert!(!analyze_with_site_rules(&format!("-f csv --csv-bom=false {STACK_OVERFLOW}")).stdout.starts_with(mark));
}

#[test]
fn the_report_of_a_log_as_json() {
    let run = analyze_with_site_rules(&format!("-f json {POWER_LOST}")).ends_with(0);
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert_whole(&run.stdout.replacen(&version, "\"version\": \"[VERSION]\"", 1), "power-lost.json");
}

#[test]
fn the_report_of_nothing() {
    let folder = folder();
    let mut command = crashsift(["analyze", "--no-builtin-rules", "."]);
    command.current_dir(folder.path());
    let run = finish(command, b"").ends_with(4);
    assert_whole(&run.stdout, "nothing.txt");
    assert_eq!(run.stderr, "crashsift: nothing that can be analyzed was found\n");
}

#[test]
fn the_facts_of_an_artifact() {
    let run = run(["inspect", "samples/event-pair-named/Application.evtx"]).ends_with(0);
    assert_whole(&run.stdout, "inspect.txt");
    assert_eq!(run.stderr, "");
}

#[test]
fn inspect_distinguishes_what_it_can_not_read_and_what_holds_no_incident() {
    let run = run(["inspect", EMPTY_DUMP]).ends_with(4);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("samples/empty-dump/empty.dmp: failed: the file is empty"), "{run:#?}");
    let run = program::run(["inspect", "samples/no-such-file.dmp"]).ends_with(4);
    assert!(run.stderr.contains("no such file or folder"), "{run:#?}");
}

#[test]
fn inspect_shows_what_is_in_an_artifact_without_incident() {
    let folder = folder();
    let mut log = EventLog::new("System", "PC-7");
    let time = FileTime::utc(2024, 5, 6, 8, 0, 0);
    log.add(Event::new(Provider::classic("Chatter"), 1000).at(time).strings(["nothing of interest"]));
    log.add(nvidia_driver(time.plus_seconds(60), 13, &["Graphics Exception"]));
    fs::write(folder.path().join("System.evtx"), log.to_bytes()).expect("a log");
    let mut command = crashsift(["inspect", "System.evtx"]);
    command.current_dir(folder.path());
    let run = finish(command, b"").ends_with(0);
    assert_whole(&run.stdout, "inspect-no-incident.txt");
    assert_eq!(run.stderr, "crashsift: it tells of no incident\n");
}

#[test]
fn the_rules_of_an_area() {
    let run = run(["rules", "list", "--area", "site", "--no-builtin-rules", "--rules", SITE_RULES]).ends_with(0);
    assert_whole(&run.stdout, "rules-list.txt");
    // An area holds its own rules and no others.
    let run = program::run(["rules", "list", "--area", "memory", "--rules", SITE_RULES]).ends_with(0);
    let ids: Vec<&str> = run.stdout.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(ids.len() > 3 && ids.iter().all(|id| id.starts_with("memory/")), "{run:#?}");
}

#[test]
fn an_area_that_does_not_exist_is_an_error_that_names_the_nearest() {
    let run = run(["rules", "list", "--area", "memroy"]).ends_with(2);
    assert_eq!(run.stdout, "");
    assert_eq!(run.stderr, "crashsift: there is no area `memroy`; did you mean `memory`?\n");
}

#[test]
fn the_mistakes_of_a_rule_file() {
    let folder = folder();
    rules_with_a_mistake(folder.path());
    let mut command = crashsift(["rules", "check", "mistake.yaml"]);
    command.current_dir(folder.path());
    let run = finish(command, b"").ends_with(2);
    assert_whole(&run.stdout, "rules-check.txt");
    let mut command = crashsift(["rules", "check", "-f", "github", "mistake.yaml"]);
    command.current_dir(folder.path());
    assert_eq!(
        finish(command, b"").ends_with(2).stdout,
        "::error file=mistake.yaml,line=10,col=9,title=R020::there is no fact `exeption.code`%0Adid you mean \
         `exception.code`?\n1 error, 0 warnings\n"
    );
    // Without the mistake the check passes, with the tests inside the rules too.
    assert_eq!(program::run(["rules", "check", SITE_RULES]).ends_with(0).stdout, "2 rules: 0 errors, 0 warnings\n");
    let tested = program::run(["rules", "test", SITE_RULES]).ends_with(0);
    assert_eq!(tested.stdout, "2 rules: 6 tests passed, 0 failed\n");
}
