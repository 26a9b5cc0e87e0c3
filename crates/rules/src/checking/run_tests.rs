//! Running the tests of rules.

use crate::evaluating::{Evaluation, View};
use crate::judging::{LessSure, Scale, Trace, trace, weigh};
use crate::language::{ExampleOutcome, Outcome, Truth};
use crate::loading::{Rule, RuleSet};
use crate::reading::{SelfTest, TestFailure, TestOutcome};

impl RuleSet {
    /// Runs the tests of all rules.
    #[must_use]
    pub fn run_tests(&self) -> TestOutcome {
        self.run_tests_of(|_| true)
    }

    /// Runs the tests of the rules that are `chosen`.
    #[must_use]
    pub fn run_tests_of(&self, chosen: impl Fn(&Rule) -> bool) -> TestOutcome {
        let mut outcome = TestOutcome::default();
        for rule in self.rules.iter().filter(|rule| chosen(rule)) {
            outcome.rules = outcome.rules.saturating_add(1);
            let logic = rule.logic();
            for test in &rule.tests().all {
                let view = View::new(&test.facts, None);
                let mut evaluation = Evaluation::new(&logic.selections, &view);
                let truth = logic.truth(&mut evaluation, &view);
                let error = (truth == Truth::True).then(|| self.unwritable(rule, &mut evaluation, &view)).flatten();
                let got = match truth {
                    _ if error.is_some() => Outcome::Error,
                    // Rules are tested by themselves; what others make of it is looked at where a test asks for it.
                    Truth::True
                        if test.expect == Outcome::Superseded && self.superseding(rule.id(), &view).is_some() =>
                    {
                        Outcome::Superseded
                    }
                    truth => Outcome::from(truth),
                };
                let unsure = (got == test.expect).then(|| unsure(rule, test, &mut evaluation, &view)).flatten();
                if got == test.expect && unsure.is_none() {
                    outcome.passed = outcome.passed.saturating_add(1);
                    continue;
                }
                let trace = trace::trace(rule, &view);
                outcome.failed.push(TestFailure {
                    rule: rule.id().to_owned(),
                    test: test.name.clone(),
                    file: rule.tests().file.name.clone(),
                    line: test.span.line,
                    expected: test.expect,
                    got,
                    why: match error.or(unsure) {
                        Some(why) => vec![why],
                        None => self.why(rule, test, got, &trace),
                    },
                });
            }
        }
        outcome
    }

    /// Runs the examples of all lists of lines that were given; `embedded`: of those inside the program.
    #[must_use]
    pub fn run_examples(&self, embedded: bool) -> ExampleOutcome {
        let mut outcome = ExampleOutcome::default();
        let lists = self.line_lists().filter(|(own, _)| *own == embedded);
        lists.for_each(|(_, list)| list.run_examples(&mut outcome));
        outcome
    }

    /// Why a rule gave what its test does not expect.
    fn why(&self, rule: &Rule, test: &SelfTest, got: Outcome, trace: &Trace) -> Vec<String> {
        let mut why: Vec<String> = trace.deciding_terms().map(|term| term.sentence()).collect();
        if got == Outcome::Skipped {
            // What no term tells of: facts that the rule requires.
            let required = |path: &str| rule.requires().any(|required| required == path);
            let untold = trace.missing.iter().filter(|missing| required(&missing.fact));
            let untold = untold.filter(|missing| !why.iter().any(|line| line.contains(&missing.fact)));
            let untold: Vec<String> =
                untold.map(|missing| format!("`{}` is not known, and the rule requires it", missing.fact)).collect();
            why.extend(untold);
        }
        if test.expect == Outcome::Superseded {
            let before = why.len();
            let others = self.rules.iter().filter(|other| other.supersedes().any(|id| id == rule.id()));
            why.extend(others.map(|other| not_superseding(other, test)));
            if why.len() == before {
                why.push("no rule names it in `supersedes`".to_owned());
            }
        }
        why
    }
}

/// Why a rule does not take the place of one that it names in `supersedes`.
fn not_superseding(other: &Rule, test: &SelfTest) -> String {
    let id = other.id();
    if let Some(disabled) = other.disabled() {
        return format!("{id} supersedes it, and is disabled {}", disabled.description());
    }
    let trace = trace::trace(other, &View::new(&test.facts, None));
    match trace.condition {
        Truth::True => format!("{id} supersedes it and matches, and is not sure enough to take its place"),
        Truth::False | Truth::Undecided => {
            let first = trace.deciding_terms().next().map(|term| format!(" ({}, {})", other.file(), term.sentence()));
            format!("{id} supersedes it, and does not match{}", first.unwrap_or_default())
        }
    }
}

/// How sure a test expects its rule to be. What an override says of it is no matter of the rule's own tests.
pub(crate) fn expected_confidence(rule: &Rule, test: &SelfTest) -> Option<f64> {
    test.confidence.filter(|_| !rule.overrides().iter().any(|change| change.keys.contains(&"confidence")))
}

/// Whether two confidences are the same, of which reports tell two decimals.
pub(crate) fn is_as_sure(confidence: f64, expected: f64) -> bool {
    (confidence - expected).abs() < 0.005
}

/// How sure a rule is where a test expects otherwise.
fn unsure(rule: &Rule, test: &SelfTest, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> Option<String> {
    let expected = expected_confidence(rule, test)?;
    let weighed = weigh(&Scale::of_rule(rule), evaluation, view, &LessSure::default());
    if is_as_sure(weighed.confidence, expected) {
        return None;
    }
    let moved = weighed
        .steps
        .iter()
        .filter(|step| step.counts)
        .map(|step| format!("{} by `{}`", step.adjustment.change, step.adjustment.written));
    let first = format!("{:.2} by itself", weighed.first);
    let how: Vec<String> = std::iter::once(first).chain(moved).collect();
    Some(format!("the confidence is {:.2} and not {expected:.2}: {}", weighed.confidence, how.join(", ")))
}
