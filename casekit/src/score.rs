//! The totals over all cases.

use std::collections::BTreeMap;
use std::ops::Range;

use rules::UNDETERMINED;

use crate::{Answer, Case, DOUBTFUL, SURE};

/// The ranges of confidence of the reliability table: from (inclusive), below.
const BANDS: [Range<f64>; 6] = [0.0..0.3, 0.3..0.5, 0.5..0.6, 0.6..0.8, 0.8..0.9, 0.9..1.01];

/// A case with its answers.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The label of the case.
    pub case: Case,
    /// The first three causes, by confidence. Never empty.
    pub answers: Vec<Answer>,
    /// Whether the first is right.
    pub first_right: bool,
    /// Whether one of them is.
    pub one_of_three: bool,
    /// Whether the first answer is sure and not accepted.
    pub confidently_wrong: bool,
}

impl Scored {
    /// Compares the label of a case with the answers, which are sorted by confidence.
    #[must_use]
    pub fn new(case: Case, mut answers: Vec<Answer>) -> Self {
        answers.truncate(3);
        let accepted = |answer: &Answer| case.accepts(&answer.cause);
        let (cause_accepted, confidence) =
            answers.first().map_or((case.accepts(UNDETERMINED), 0.0), |first| (accepted(first), first.confidence));
        // For a case whose cause was never found, or can't be found in this evidence, an unsure answer is right, too.
        let is_open = case.cause == UNDETERMINED || case.is_untold;
        let first_right = cause_accepted || (is_open && confidence < DOUBTFUL);
        let one_of_three = first_right || answers.iter().any(accepted);
        let confidently_wrong = confidence >= SURE && !cause_accepted;
        Self { first_right, one_of_three, confidently_wrong, case, answers }
    }

    /// The confidence of the first answer.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.answers.first().map_or(0.0, |first| first.confidence)
    }
}

/// All cases with their answers, by the case's name.
#[derive(Debug, Clone)]
pub struct Score {
    /// The cases.
    pub cases: Vec<Scored>,
}

/// First answers in one range of confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// From this confidence on.
    pub from: f64,
    /// Below this one.
    pub below: f64,
    /// How many there are.
    pub given: usize,
    /// How many of them are right.
    pub right: usize,
    /// The mean of their confidences: the share that should be right.
    pub claimed: f64,
}

/// The cases of one cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CauseScore {
    /// How many there are.
    pub cases: usize,
    /// How often the first answer is right.
    pub first_right: usize,
    /// How often one of three is.
    pub one_of_three: usize,
    /// How often a sure answer is wrong.
    pub confidently_wrong: usize,
}

impl Score {
    /// The number of cases that meet a condition.
    fn count(&self, fulfils: impl Fn(&Scored) -> bool) -> usize {
        self.cases.iter().filter(|scored| fulfils(scored)).count()
    }

    /// How many first answers are right.
    #[must_use]
    pub fn first_right(&self) -> usize {
        self.count(|scored| scored.first_right)
    }

    /// How many cases have a right one among their first three answers.
    #[must_use]
    pub fn one_of_three(&self) -> usize {
        self.count(|scored| scored.one_of_three)
    }

    /// How many first answers are sure and wrong.
    #[must_use]
    pub fn confidently_wrong(&self) -> usize {
        self.count(|scored| scored.confidently_wrong)
    }

    /// How many first answers are sure.
    #[must_use]
    pub fn sure(&self) -> usize {
        self.count(|scored| scored.confidence() >= SURE)
    }

    /// The reliability table: how often first answers are right, by their confidence.
    #[must_use]
    pub fn bands(&self) -> Vec<Band> {
        let band = |range: &Range<f64>| {
            let given: Vec<&Scored> = self.cases.iter().filter(|scored| range.contains(&scored.confidence())).collect();
            let claimed: f64 = given.iter().map(|scored| scored.confidence()).sum();
            Band {
                from: range.start,
                below: range.end.min(1.0),
                given: given.len(),
                right: given.iter().filter(|scored| scored.first_right).count(),
                claimed: if given.is_empty() { 0.0 } else { claimed / given.len() as f64 },
            }
        };
        BANDS.iter().map(band).collect()
    }

    /// The cases by their expected cause.
    #[must_use]
    pub fn by_cause(&self) -> BTreeMap<&str, CauseScore> {
        let mut causes: BTreeMap<&str, CauseScore> = BTreeMap::new();
        for scored in &self.cases {
            let cause = causes.entry(scored.case.cause.as_str()).or_default();
            let add = |count: &mut usize, one: bool| *count = count.saturating_add(usize::from(one));
            add(&mut cause.cases, true);
            add(&mut cause.first_right, scored.first_right);
            add(&mut cause.one_of_three, scored.one_of_three);
            add(&mut cause.confidently_wrong, scored.confidently_wrong);
        }
        causes
    }

    /// The cases whose first answer is wrong.
    pub fn misses(&self) -> impl Iterator<Item = &Scored> {
        self.cases.iter().filter(|scored| !scored.first_right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(cause: &str, also: &[&str], answers: &[(&str, f64)]) -> Scored {
        let also_accepted = also.iter().map(|cause| (*cause).to_owned()).collect();
        let case = Case {
            name: "a".into(),
            artifacts: vec!["a/ticket.txt".into()],
            cause: cause.into(),
            also_accepted,
            is_untold: false,
            is_confirmed: false,
            time: None,
            is_ticket: true,
        };
        let answers = answers.iter().map(|(cause, confidence)| Answer {
            cause: (*cause).into(),
            confidence: *confidence,
            rule: None,
        });
        Scored::new(case, answers.collect())
    }

    fn flags(scored: &Scored) -> (bool, bool, bool) {
        (scored.first_right, scored.one_of_three, scored.confidently_wrong)
    }

    #[test]
    fn an_accepted_cause_is_as_right_as_the_cause() {
        assert_eq!(flags(&scored("stack-overflow", &[], &[("stack-overflow", 0.9)])), (true, true, false));
        assert_eq!(flags(&scored("stack-overflow", &["power-loss"], &[("power-loss", 0.9)])), (true, true, false));
        assert_eq!(flags(&scored("stack-overflow", &[], &[("power-loss", 0.79)])), (false, false, false));
        assert_eq!(flags(&scored("stack-overflow", &[], &[("power-loss", 0.8)])), (false, false, true));
    }

    #[test]
    fn one_of_the_first_three_counts_and_not_the_fourth() {
        let answers = [("a", 0.4), ("b", 0.3), ("c", 0.2), ("d", 0.1)];
        assert_eq!(flags(&scored("c", &[], &answers)), (false, true, false));
        assert_eq!(flags(&scored("d", &[], &answers)), (false, false, false));
    }

    #[test]
    fn of_what_nobody_solved_doubt_is_right_and_certainty_is_not() {
        assert_eq!(flags(&scored(UNDETERMINED, &[], &[("a", 0.49)])), (true, true, false));
        assert_eq!(flags(&scored(UNDETERMINED, &[], &[("a", 0.5)])), (false, false, false));
        assert_eq!(flags(&scored(UNDETERMINED, &[], &[("a", 0.8)])), (false, false, true));
        assert_eq!(flags(&scored(UNDETERMINED, &["a"], &[("a", 0.8)])), (true, true, false));
    }

    #[test]
    fn every_confidence_is_in_one_band() {
        let confidences = [0.0, 0.29, 0.3, 0.5, 0.6, 0.79, 0.8, 0.9, 0.99, 1.0];
        let cases = confidences.iter().map(|confidence| scored("a", &[], &[("a", *confidence)])).collect();
        let score = Score { cases };
        assert_eq!(score.bands().iter().map(|band| band.given).collect::<Vec<_>>(), [2, 1, 1, 2, 1, 3]);
        assert_eq!(score.bands().iter().map(|band| band.right).sum::<usize>(), confidences.len());
        assert_eq!(score.sure(), 4);
    }

    #[test]
    fn causes_are_counted_by_what_was_found() {
        let score = Score { cases: vec![scored("a", &[], &[("a", 0.9)]), scored("a", &[], &[("b", 0.9), ("a", 0.1)])] };
        let expected = CauseScore { cases: 2, first_right: 1, one_of_three: 2, confidently_wrong: 1 };
        assert_eq!(score.by_cause(), BTreeMap::from([("a", expected)]));
        assert_eq!(score.misses().count(), 1);
    }
}
