//! `crashsift rules test`: runs the tests of rules, finds the parts of rules that no test needs, and checks the examples
//! of lists and the folders of artifacts with an `expected.yaml`.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::load::{load_by, unusable};
use super::{Output, is_meant, print};
use crate::cli::{Exit, stream};
use report::{counted, counted_as};
use rules::{ExpectedFolder, LeftOut, Mutants, RuleSet};
use rules_workbench::expectations::unmet_expectations;
use spanned_yaml::Diagnostic;
use untrusted::sanitise;

/// Arguments of `rules test`.
#[derive(Debug, Clone, Default, Args)]
pub struct TestArgs {
    /// Rule files and folders, and folders of artifacts with an expected.yaml
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Leave out each selection, term and alternative of the rules' conditions and each adjustment, one at a time, and
    /// say which of them no test notices; `=all`: each value of a list of values, too
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "parts")]
    pub mutants: Option<LeaveOut>,
}

/// What `--mutants` leaves out of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeaveOut {
    /// Selections, terms, alternatives and adjustments.
    Parts,
    /// Each value of a list of values, too.
    All,
}

impl LeaveOut {
    fn has(self, kind: LeftOut) -> bool {
        self == Self::All || kind != LeftOut::Value
    }
}

/// Runs the tests of rules and rule sets.
pub(super) fn run(args: &TestArgs) -> Result<Exit, Exit> {
    let rules = load_by(RuleSet::load_for_tests, &args.paths, false)?;
    let expected = expected(&rules).map_err(|mistakes| unusable(&mistakes))?;
    Ok(print(|output| run_all(args, &rules, &expected, output)))
}

fn run_all(args: &TestArgs, rules: &RuleSet, expected: &[ExpectedFolder], output: &mut Output<'_>) -> io::Result<Exit> {
    let outcome = rules.run_tests_of(|rule| is_meant(rule, &args.paths));
    for failure in &outcome.failed {
        let place = format!("{}:{}", failure.file, failure.line);
        let failed = format!("{place}: {}: test `{}` failed", failure.rule, failure.test);
        writeln!(output.out, "{}", sanitise(&failed))?;
        if failure.expected != failure.got {
            writeln!(output.out, "  expected {}, got {}", failure.expected, failure.got)?;
        }
        for why in &failure.why {
            writeln!(output.out, "  {}", sanitise(why))?;
        }
        writeln!(output.out)?;
    }
    let examples = rules.run_examples(args.paths.is_empty());
    for failure in &examples.failed {
        let place = format!("{}:{}", failure.file, failure.line);
        let wanted = if failure.expected { "is not found in its example" } else { "is found in what it must not be" };
        writeln!(output.out, "{}", sanitise(&format!("{place}: the list `{}` {wanted}", failure.list)))?;
        writeln!(output.out, "  {}\n", sanitise(&failure.text))?;
    }
    let folders = folders(expected, rules, output)?;
    let failed = outcome.failed.len().saturating_add(examples.failed.len());
    // Tests that fail anyhow can't notice that a part of a rule is left out.
    let noticed = match (args.mutants, failed) {
        (Some(wanted), 0) => mutants(&rules.mutants_of(|rule| is_meant(rule, &args.paths)), wanted, output)?,
        (Some(_), _) => {
            writeln!(output.out, "Nothing was left out of rules: a test fails as it is.")?;
            true
        }
        (None, _) => true,
    };
    if outcome.rules > 0 || expected.is_empty() {
        let (rules, passed) = (counted(outcome.rules, "rule"), counted(outcome.passed, "test"));
        writeln!(output.out, "{rules}: {passed} passed, {} failed", outcome.failed.len())?;
    }
    if examples.lists > 0 {
        let (lists, passed) = (counted(examples.lists, "list"), counted(examples.passed, "example"));
        writeln!(output.out, "{lists}: {passed} passed, {} failed", examples.failed.len())?;
    }
    if !expected.is_empty() {
        let passed = expected.len().saturating_sub(folders.failed).saturating_sub(folders.unusable);
        writeln!(output.out, "{}: {passed} as expected, {} not", counted(expected.len(), "folder"), folders.failed)?;
    }
    Ok(match (folders.unusable, failed.saturating_add(folders.failed)) {
        (0, 0) if noticed => Exit::Success,
        (0, _) => Exit::FailOn,
        _ => Exit::Usage,
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

/// The number of folders that are not as expected, and of those that can't be analyzed.
#[derive(Default)]
struct Folders {
    failed: usize,
    unusable: usize,
}

fn folders(expected: &[ExpectedFolder], rules: &RuleSet, output: &mut Output<'_>) -> io::Result<Folders> {
    let mut folders = Folders::default();
    for folder in expected {
        let found = match unmet_expectations(folder, rules) {
            Ok(found) => found,
            Err(reason) => {
                folders.unusable = folders.unusable.saturating_add(1);
                stream::note(&format!("{}: {reason}", folder.file));
                continue;
            }
        };
        folders.failed = folders.failed.saturating_add(usize::from(!found.is_empty()));
        for unmet in found {
            let of = unmet.incident.map_or_else(String::new, |id| format!(", incident {id}"));
            let place = format!("{}:{}", folder.file, unmet.line);
            writeln!(output.out, "{}", sanitise(&format!("{place}: {}{of}", unmet.name)))?;
            for says in &unmet.differences {
                writeln!(output.out, "  {}", sanitise(says))?;
            }
            writeln!(output.out)?;
        }
    }
    Ok(folders)
}

/// Prints the parts of rules that no test needs, and how many are needed by kind. Returns whether every selection is.
fn mutants(all: &[Mutants], wanted: LeaveOut, output: &mut Output<'_>) -> io::Result<bool> {
    for rule in all {
        for mutant in rule.mutants.iter().filter(|mutant| !mutant.noticed && wanted.has(mutant.left_out)) {
            let line = format!("{}:{}: {}: no test needs {}", rule.file, mutant.line, rule.rule, mutant.what);
            writeln!(output.out, "{}", sanitise(&line))?;
        }
    }
    for left_out in LeftOut::ALL.into_iter().filter(|kind| wanted.has(*kind)) {
        let of_kind = || all.iter().flat_map(|rule| &rule.mutants).filter(|mutant| mutant.left_out == left_out);
        let (noticed, sum) = (of_kind().filter(|mutant| mutant.noticed).count(), of_kind().count());
        if sum == 0 {
            continue;
        }
        let whole = all.iter().filter(|rule| rule.hold(left_out)).count();
        let word = left_out.word();
        let of = counted_as(sum, &format!("{word} is"), &format!("{word}s are"));
        let rules =
            if all.len() == 1 { String::new() } else { format!("; in {whole} of {} rules all of them", all.len()) };
        writeln!(output.out, "{noticed} of {of} needed by a test{rules}")?;
    }
    Ok(all.iter().all(|rule| rule.hold(LeftOut::Selection)))
}
