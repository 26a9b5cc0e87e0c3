//! `crashsift rules test`: the tests inside rules, what they would not notice, and folders of artifacts that say what they
//! must yield.

use std::io;

use clap::Args;

use super::{Outcome, PathArgs, Streams, counted, is_meant, print_diagnostics};
use crate::cli::sigma;
use crate::expectations::disappointments;
use crate::knowledge::Knowledge;
use crate::report::sanitise;
use crate::rules::{ExpectedFolder, LeftOut, Mutants, RuleSet};
use crate::yaml::Diagnostic;

/// Arguments of `rules test`.
#[derive(Debug, Clone, Default, Args)]
pub struct TestArgs {
    /// Which rules.
    #[command(flatten)]
    pub paths: PathArgs,
    /// Leave out each selection, term and alternative of the rules' conditions, one at a time, and say which of them no
    /// test notices
    #[arg(long)]
    pub mutants: bool,
}

/// Runs it.
///
/// # Errors
/// Only what writing to the streams gives.
pub(super) fn run(args: &TestArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    if let Some(refusal) = sigma::refusal(&args.paths.paths) {
        writeln!(streams.notes, "{}", sanitise(&format!("error: {refusal}")))?;
        return Ok(Outcome::Unusable);
    }
    let loaded = RuleSet::load_for_tests(&args.paths.paths).and_then(|rules| Ok((expected(&rules)?, rules)));
    let (expected, rules) = match loaded {
        Ok(loaded) => loaded,
        Err(mistakes) => {
            print_diagnostics(streams.notes, &mistakes, streams.color)?;
            return Ok(Outcome::Unusable);
        }
    };
    let outcome = rules.run_tests_of(|rule| is_meant(rule, &args.paths));
    for failure in &outcome.failed {
        let place = format!("{}:{}", failure.file, failure.line);
        let failed = format!("{place}: {}: test `{}` failed", failure.rule, failure.test);
        writeln!(streams.out, "{}", sanitise(&failed))?;
        if failure.expected != failure.got {
            writeln!(streams.out, "  expected {}, got {}", failure.expected, failure.got)?;
        }
        for why in &failure.why {
            writeln!(streams.out, "  {}", sanitise(why))?;
        }
        writeln!(streams.out)?;
    }
    let folders = folders(&expected, &rules, streams)?;
    let failed = outcome.failed.len();
    // What is left out of a rule whose tests fail anyhow is not noticed by them.
    let noticed = match (args.mutants, failed) {
        (true, 0) => mutants(&rules.mutants_of(|rule| is_meant(rule, &args.paths)), streams)?,
        (true, _) => {
            writeln!(streams.out, "Nothing was left out of rules: a test fails as it is.")?;
            true
        }
        (false, _) => true,
    };
    if outcome.rules > 0 || expected.is_empty() {
        let (rules, passed) = (counted(outcome.rules, "rule"), counted(outcome.passed, "test"));
        writeln!(streams.out, "{rules}: {passed} passed, {failed} failed")?;
    }
    if !expected.is_empty() {
        let passed = expected.len().saturating_sub(folders.failed).saturating_sub(folders.unusable);
        writeln!(streams.out, "{}: {passed} as expected, {} not", counted(expected.len(), "folder"), folders.failed)?;
    }
    Ok(match (folders.unusable, failed.saturating_add(folders.failed)) {
        (0, 0) if noticed => Outcome::Fine,
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

/// Prints what no test notices, and the shares. Whether every selection is needed by a test.
fn mutants(all: &[Mutants], streams: &mut Streams<'_>) -> io::Result<bool> {
    for rule in all {
        for mutant in rule.mutants.iter().filter(|mutant| !mutant.noticed) {
            let line = format!("{}:{}: {}: no test needs {}", rule.file, mutant.line, rule.rule, mutant.what);
            writeln!(streams.out, "{}", sanitise(&line))?;
        }
    }
    for left_out in LeftOut::ALL {
        let of_kind = || all.iter().flat_map(|rule| &rule.mutants).filter(|mutant| mutant.left_out == left_out);
        let (noticed, sum) = (of_kind().filter(|mutant| mutant.noticed).count(), of_kind().count());
        if sum == 0 {
            continue;
        }
        let rules = all.iter().filter(|rule| rule.hold(left_out)).count();
        let word = left_out.word();
        writeln!(
            streams.out,
            "{noticed} of {} are needed by a test; in {rules} of {} all of them are",
            counted(sum, word),
            counted(all.len(), "rule")
        )?;
    }
    Ok(all.iter().all(|rule| rule.hold(LeftOut::Selection)))
}
