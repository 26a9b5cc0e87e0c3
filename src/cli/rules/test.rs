//! `crashsift rules test`: the tests inside rules, and what they would not notice.

use std::io;

use clap::Args;

use super::{Outcome, PathArgs, Streams, counted, is_meant, print_diagnostics};
use crate::report::sanitise;
use crate::rules::{LeftOut, Mutants, RuleSet};

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
    let rules = match RuleSet::load(true, &args.paths.paths) {
        Ok(rules) => rules,
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
        writeln!(streams.out, "  expected {}, got {}", failure.expected, failure.got)?;
        for why in &failure.why {
            writeln!(streams.out, "  {}", sanitise(why))?;
        }
        writeln!(streams.out)?;
    }
    let failed = outcome.failed.len();
    // What is left out of a rule whose tests fail anyhow is not noticed by them.
    let noticed = if args.mutants && failed == 0 {
        mutants(&rules.mutants_of(|rule| is_meant(rule, &args.paths)), streams)?
    } else {
        true
    };
    let rules = counted(outcome.rules, "rule");
    writeln!(streams.out, "{rules}: {} passed, {failed} failed", counted(outcome.passed, "test"))?;
    Ok(if failed == 0 && noticed { Outcome::Fine } else { Outcome::TestFailed })
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
