//! The text as it is read. The reports are made by hand.

mod hostile;
mod limits;
mod whole;

use super::{TextOptions, write};
use crate::tests::sample::*;
use crate::*;

const EIGHTY: TextOptions = TextOptions { width: 80, color: false, verbose: false };

fn text(report: &Report, options: TextOptions) -> String {
    let mut out = Vec::new();
    write(report, &mut out, options).expect("memory can be written to");
    String::from_utf8(out).expect("text")
}

/// Compares line by line, so that a difference is easy to find. `expected` begins with a line break, and
/// `VERSION` in it stands for this program's.
#[track_caller]
fn assert_text(actual: &str, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected).replace("VERSION", env!("CARGO_PKG_VERSION"));
    for (number, (actual_line, expected_line)) in (1..).zip(actual.lines().zip(expected.lines())) {
        assert_eq!(actual_line, expected_line, "line {number} of:\n{actual}");
    }
    assert_eq!(actual, expected, "one is longer than the other");
}

fn ok(path: &str) -> Artifact {
    artifact(path, ArtifactStatus::Ok, None)
}
