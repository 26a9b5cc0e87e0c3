//! `crashsift rules test`: the tests inside rules, and folders of artifacts that say what they must yield.

use std::io;

use super::{Outcome, PathArgs, Streams, counted, is_meant, print_diagnostics};
use crate::expectations::disappointments;
use crate::knowledge::Knowledge;
use crate::report::sanitise;
use crate::rules::{ExpectedFolder, RuleSet};
use crate::yaml::Diagnostic;

/// Runs it.
pub(super) fn run(args: &PathArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let loaded = RuleSet::load_for_tests(&args.paths).and_then(|rules| Ok((expected(&rules)?, rules)));
    let (expected, rules) = match loaded {
        Ok(loaded) => loaded,
        Err(mistakes) => {
            print_diagnostics(streams.notes, &mistakes, streams.color)?;
            return Ok(Outcome::Unusable);
        }
    };
    let outcome = rules.run_tests_of(|rule| is_meant(rule, args));
    for failure in &outcome.failed {
        let place = format!("{}:{}", failure.file, failure.line);
        let failed = format!("{place}: {}: test `{}` failed", failure.rule, failure.test);
        writeln!(streams.out, "{}", sanitise(&failed))?;
        writeln!(streams.out, "  expected {}, got {}", failure.expected, failure.got)?;
        for why in &failure.why {
            writeln!(streams.out, "  {}", sanitise(why))?;
        }
        writeln!(streams.out)?;
    }
    let folders = folders(&expected, &rules, streams)?;
    let failed = outcome.failed.len();
    if outcome.rules > 0 || expected.is_empty() {
        let (rules, passed) = (counted(outcome.rules, "rule"), counted(outcome.passed, "test"));
        writeln!(streams.out, "{rules}: {passed} passed, {failed} failed")?;
    }
    if !expected.is_empty() {
        let passed = expected.len().saturating_sub(folders.failed).saturating_sub(folders.unusable);
        writeln!(streams.out, "{}: {passed} as expected, {} not", counted(expected.len(), "folder"), folders.failed)?;
    }
    Ok(match (folders.unusable, failed.saturating_add(folders.failed)) {
        (0, 0) => Outcome::Fine,
        (0, _) => Outcome::TestFailed,
        _ => Outcome::Unusable,
    })
}

/// Every `expected.yaml`, or all mistakes of all of them.
fn expected(rules: &RuleSet) -> Result<Vec<ExpectedFolder>, Vec<Diagnostic>> {
    let (mut expected, mut mistakes) = (Vec::new(), Vec::new());
    for path in rules.expected_files() {
        match rules.read_expected(path) {
            Ok(folder) => expected.push(folder),
            Err(found) => mistakes.extend(found),
        }
    }
    if mistakes.is_empty() { Ok(expected) } else { Err(mistakes) }
}

/// How many folders are not as expected, and how many can't be analyzed.
#[derive(Default)]
struct Folders {
    failed: usize,
    unusable: usize,
}

fn folders(expected: &[ExpectedFolder], rules: &RuleSet, streams: &mut Streams<'_>) -> io::Result<Folders> {
    let knowledge = Knowledge::builtin();
    let mut folders = Folders::default();
    for folder in expected {
        let found = match disappointments(folder, rules, &knowledge) {
            Ok(found) => found,
            Err(reason) => {
                folders.unusable = folders.unusable.saturating_add(1);
                writeln!(streams.notes, "error: {}", sanitise(&format!("{}: {reason}", folder.file)))?;
                continue;
            }
        };
        folders.failed = folders.failed.saturating_add(usize::from(!found.is_empty()));
        for disappointment in found {
            let of = disappointment.incident.map_or_else(String::new, |id| format!(", incident {id}"));
            let place = format!("{}:{}", folder.file, disappointment.line);
            writeln!(streams.out, "{}", sanitise(&format!("{place}: {}{of}", disappointment.name)))?;
            for says in &disappointment.says {
                writeln!(streams.out, "  {}", sanitise(says))?;
            }
            writeln!(streams.out)?;
        }
    }
    Ok(folders)
}
