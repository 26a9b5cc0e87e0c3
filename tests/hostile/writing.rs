//! Results that can't be written.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::program::{crashsift, finish, run};

/// The names in a folder.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_defect_of_the_program() {
    let full = fs::File::options().write(true).open("/dev/full").expect("a device");
    for format in ["text", "json", "jsonl", "csv", "markdown", "html"] {
        let mut command = crashsift(["analyze", "-q", "-f", format, "samples/stack-overflow"]);
        command.stdout(full.try_clone().expect("a device")).stderr(Stdio::piped());
        let ended = command.spawn().expect("the program starts").wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(
            (ended.status.code(), &*said),
            (Some(2), "crashsift: standard output: the disk is full\n"),
            "{format}"
        );
        let to_file = run(["analyze", "-q", "-f", format, "samples/stack-overflow", "-o", "/dev/full"]).ends_with(2);
        assert_eq!(to_file.stderr, "crashsift: --output /dev/full: the disk is full\n", "{format}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_run_without_a_word() {
    for format in ["text", "json", "html"] {
        let mut command = crashsift(["analyze", "-q", "-f", format, "samples/stack-overflow"]);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        command.stdout(writer).stderr(Stdio::piped());
        let ended = command.spawn().expect("the program starts").wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{format}");
    }
}

#[test]
fn a_report_in_a_folder_that_is_not_there_is_a_mistake_in_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("missing/report.json");
    let mut command = crashsift(["analyze", "-q", "samples/stack-overflow", "-o"]);
    command.arg(&path);
    finish(command, b"").ends_with(2);
    assert_eq!(names(folder.path()), [""; 0]);
}
