//! Leads of an incident without a verdict: the causes that similar known cases had most often, each with the test that
//! decides about it. A lead is a base rate and no finding: nothing in this incident's evidence supports it.

mod known_cases;
mod likeness;

use std::borrow::Cow;

use incident::Incident;
use knowledge_tables::leads::{LeadTest, PROGRAM};
use knowledge_tables::{Sorted, embedded};
use report::Lead;
use rules::{Finding, RuleSet};

pub use self::known_cases::{FEW, KnownCases, Shares};
pub use self::likeness::{Likeness, SiteClass};

embedded! {
    TESTS: Sorted<&str, LeadTest> = "leads";
}

/// The most leads of an incident.
pub const MOST: usize = 3;
/// The least share of a cause that is a lead.
const LEAST_SHARE: f64 = 0.05;
/// The leads of an incident, likeliest first, at most [`MOST`]. `program` is its program's file name for commands. A cause that
/// a finding names is no lead: what the evidence shows of it is told with the finding.
#[must_use]
pub fn leads(incident: &Incident, program: Option<&str>, findings: &[Finding], rules: &RuleSet) -> Vec<Lead> {
    let is_python = is_of_python(program, |key| incident.environment.contains_key(key));
    let shares = KnownCases::builtin().shares(&Likeness::of(incident, rules));
    let lead = |(cause, share): &(String, f64)| {
        let test = TESTS.get(cause.as_str())?;
        let action = test.python.filter(|_| is_python).unwrap_or(test.test);
        Some(Lead {
            cause: cause.clone(),
            share: share.min(Lead::MOST_SHARE),
            cases: shares.cases,
            few: shares.cases < FEW,
            test: Cow::Owned(action.replace(PROGRAM, program.unwrap_or("the program"))),
            minutes: test.minutes,
            means: Cow::Borrowed(test.means),
        })
    };
    let named = |cause: &str| findings.iter().any(|finding| finding.cause == cause);
    likeliest(&shares).filter(|(cause, _)| !named(cause)).filter_map(lead).take(MOST).collect()
}

/// Whether Python runs the program, or, where its name is not known, is a part of the environment, whose keys `is_known` asks for.
fn is_of_python(program: Option<&str>, is_known: impl Fn(&str) -> bool) -> bool {
    match program {
        Some(program) => program.to_ascii_lowercase().starts_with("python"),
        None => ["python", "pytorch", "tensorflow"].into_iter().any(is_known),
    }
}

/// The causes that are leads, likeliest first.
pub fn likeliest(shares: &Shares) -> impl Iterator<Item = &(String, f64)> {
    shares.causes.iter().filter(|(_, share)| *share >= LEAST_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::UNDETERMINED;

    #[test]
    fn every_cause_has_a_test_and_every_test_a_cause() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let mut causes: Vec<&str> =
            rules.causes().iter().map(|cause| cause.id.as_str()).filter(|id| *id != UNDETERMINED).collect();
        causes.sort_unstable();
        let tested: Vec<&str> = TESTS.iter().map(|(cause, _)| *cause).collect();
        assert_eq!(tested, causes);
        for (cause, _) in KnownCases::builtin().causes() {
            assert!(cause == UNDETERMINED || causes.contains(&cause), "{cause}");
        }
    }

    #[test]
    fn a_program_of_python_has_tests_of_its_own() {
        let nothing = |_: &str| false;
        assert!(is_of_python(Some("Python3.exe"), nothing) && !is_of_python(Some("game.exe"), nothing));
        assert!(!is_of_python(None, nothing));
        let pytorch = |key: &str| key == "pytorch";
        assert!(is_of_python(None, pytorch) && !is_of_python(Some("game.exe"), pytorch));
    }

    #[test]
    fn tests_say_what_each_outcome_means() {
        for (cause, test) in TESTS.iter() {
            let texts = [Some(test.test), test.python, Some(test.means)];
            assert!(texts.into_iter().flatten().all(|text| text.ends_with('.')), "{cause}");
            assert!(test.means.contains("If "), "{cause}");
        }
    }
}
