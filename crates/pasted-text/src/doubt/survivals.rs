//! Errors that a program survived by its own log: what was tried again succeeded, and tests of which results follow.

use super::cues::Cue;
use super::marked::Marked;
use crate::code_blocks::unquoted;
use evidence::TicketLine;
use windows_codes::Knowledge;

/// The most lines between an error and the line that reports that another attempt succeeded.
const MOST_TO_SUCCESS: usize = 20;
/// The most lines of a test's output and of a dump of stacks.
const MOST_OUTPUT: usize = 200;

/// The lines of errors after which the program went on, by their position.
pub(super) fn survived(marked: &Marked) -> Vec<usize> {
    let lines = marked.lines;
    let mut found = Vec::new();
    let (mut captured, mut dumped, mut started) = (None, None, None);
    for (position, line) in lines.iter().enumerate() {
        let text = unquoted(&line.text);
        if marked.kinds(position).has(Cue::Succeeded) {
            add_attempts(lines, position, &mut found);
        }
        // Between these two lines stands what a test printed that passed.
        //
        // Source: GoogleTest's `PrettyUnitTestResultPrinter`.
        if text.starts_with("[ RUN      ]") {
            started = Some(position);
        } else if text.starts_with("[  FAILED  ]") {
            started = None;
        } else if text.starts_with("[       OK ]") || text.starts_with("[  PASSED  ]") {
            let start = started.take().filter(|start| position.saturating_sub(*start) <= MOST_OUTPUT);
            found.extend(start.into_iter().flat_map(|start| start..position));
        }
        // A runner shows what a test printed below such a heading; what the test failed with is behind `E`.
        if is_heading(text) {
            captured = text.contains(" Captured ").then_some(position);
        } else if let Some(heading) = captured
            && position.saturating_sub(heading) <= MOST_OUTPUT
            && !text.starts_with("E  ")
        {
            found.push(position);
        }
        // The fault handler of CPython also reports exceptions that somebody handles.
        //
        // Source: CPython's documentation of `faulthandler.enable`, and pytest's of its plugin of that name.
        if text.starts_with("Windows fatal exception: ") {
            dumped = Some(position);
        } else if begins_a_run(text) {
            dumped = None;
        } else if let Some(dump) = dumped.filter(|dump| position.saturating_sub(*dump) <= MOST_OUTPUT) {
            if text.contains(" crashed ") || text.contains("node down") {
                dumped = None;
            } else if is_result(text) {
                found.push(dump);
                dumped = None;
            }
        }
    }
    found
}

/// Adds the lines back to the first that reports an attempt, or an error.
fn add_attempts(lines: &[TicketLine], success: usize, found: &mut Vec<usize>) {
    let first = success.saturating_sub(MOST_TO_SUCCESS);
    let tells = |at: &usize| reports_an_attempt(lines.get(*at).map_or("", |line| &*line.text));
    if let Some(from) = (first..success).find(tells) {
        found.extend(from..success);
    }
}

/// Whether a line reports a failed attempt, or an error.
pub(super) fn reports_an_attempt(line: &str) -> bool {
    let line = line.to_lowercase();
    Knowledge::builtin().text_words("attempt").iter().any(|word| line.contains(word))
}

/// Whether another run of the tests begins with a line: what comes behind says nothing of the one before.
pub(super) fn begins_a_run(line: &str) -> bool {
    let runners = Knowledge::builtin().text_words("test_runner");
    let command = line.rsplit("> ").next().unwrap_or_default();
    let first = command.trim_start_matches(['>', '$', ' ']).split_whitespace().next().unwrap_or_default();
    let words = line.trim_matches(['=', ' ']);
    runners.contains(&&*first.to_lowercase()) || words == "test session starts" || line.starts_with("collected ")
}

/// Whether a line is a heading of pytest's: `------ Captured stderr call ------`, `====== FAILURES ======`.
fn is_heading(line: &str) -> bool {
    ["----", "====", "____"].iter().any(|mark| line.starts_with(mark) && line.trim_end().ends_with(mark))
}

/// Whether a line is the result of a test: `test_a.py::test_b PASSED`, `==== 3 passed in 1.2s ====`.
fn is_result(line: &str) -> bool {
    let of_a_test =
        line.contains("::") && [" PASSED", " FAILED", " SKIPPED", " XFAIL"].iter().any(|word| line.contains(word));
    of_a_test || (is_heading(line) && (line.contains(" passed") || line.contains(" failed")) && line.contains(" in "))
}
