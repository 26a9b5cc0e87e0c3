//! Known cases for leads: how often labelled reports have which cause, and how often the cause is among the leads that the
//! other reports give.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use pipeline::leads::{KnownCases, Likeness, MOST, likeliest};
use pipeline::{Options, Silent, analyze};
use rules::{RuleSet, UNDETERMINED};

use crate::answer::about;
use crate::{Case, answers};

/// A labelled report by what makes it like others.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The report with its label.
    pub case: Case,
    /// What makes its incident like others.
    pub likeness: Likeness,
    /// Whether no rule names a cause of it.
    pub is_undetermined: bool,
}

/// Analyzes every case. Cases without an incident are left out.
#[must_use]
pub fn observe(cases: Vec<Case>, rules: &RuleSet) -> Vec<Observed> {
    let observed = cases.into_iter().filter_map(|case| {
        let report = analyze(&case.artifacts, rules, &Options::default(), &Silent);
        let likeness = Likeness::of(&about(&report, &case)?.incident, rules);
        let first = answers(&report, &case).into_iter().next();
        let is_undetermined = report.incidents.iter().all(|judged| judged.verdict.is_undetermined());
        Some(Observed { case, likeness, is_undetermined: is_undetermined && first.is_some() })
    });
    observed.collect()
}

/// The numbers of cases. A report that is there in two forms counts once where both are alike.
#[must_use]
pub fn known_cases<'o>(observed: impl IntoIterator<Item = &'o Observed>) -> KnownCases {
    let mut known = KnownCases::default();
    let mut counted = BTreeSet::new();
    for Observed { case, likeness, .. } in observed {
        if counted.insert((case.short_name(), likeness)) {
            known.add(likeness.clone(), &case.cause, 1);
        }
    }
    known
}

/// How often the cause is among the leads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hits {
    /// Cases with a cause.
    pub cases: usize,
    /// Those whose cause, or another name for its fix, is a lead.
    pub accepted: usize,
    /// Those whose cause itself is.
    pub exact: usize,
}

/// For each of some cases with a cause: whether it is among the leads that all other cases give. All forms of the case are
/// left out of these.
#[must_use]
pub fn leave_one_out(observed: &[Observed], of: impl Fn(&Observed) -> bool) -> Hits {
    let mut by_name: BTreeMap<&str, KnownCases> = BTreeMap::new();
    let mut hits = Hits::default();
    for one in observed.iter().filter(|one| of(one) && one.case.cause != UNDETERMINED) {
        let left_out = one.case.short_name();
        let others = by_name
            .entry(left_out)
            .or_insert_with(|| known_cases(observed.iter().filter(|other| other.case.short_name() != left_out)));
        let shares = others.shares(&one.likeness);
        let leads: Vec<&str> = likeliest(&shares).take(MOST).map(|(cause, _)| cause.as_str()).collect();
        let add = |count: &mut usize, holds: bool| *count = count.saturating_add(usize::from(holds));
        add(&mut hits.cases, true);
        add(&mut hits.accepted, leads.iter().any(|cause| one.case.accepts(cause)));
        add(&mut hits.exact, leads.contains(&one.case.cause.as_str()));
    }
    hits
}

impl fmt::Display for Hits {
    /// `5 of 7 (71 %), 4 of them by the cause's own name`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.accepted.saturating_mul(100).checked_div(self.cases).unwrap_or_default();
        write!(f, "{} of {} ({percent} %), {} of them by its own name", self.accepted, self.cases, self.exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(name: &str, cause: &str, is_undetermined: bool) -> Observed {
        let case = Case {
            name: name.into(),
            artifacts: Vec::new(),
            cause: cause.into(),
            also_accepted: Vec::new(),
            is_untold: false,
            is_confirmed: false,
            time: None,
            is_ticket: true,
        };
        let likeness = Likeness { kind: "crash".into(), code: String::new(), site: "none".into() };
        Observed { case, likeness, is_undetermined }
    }

    #[test]
    fn a_case_in_two_forms_counts_once_and_is_no_lead_for_itself() {
        let all = [observed("a", "x", true), observed("cases/a", "x", false), observed("b", "y", false)];
        assert_eq!(known_cases(&all).total(), 2);
        let hits = leave_one_out(&all, |one| one.is_undetermined);
        assert_eq!(hits, Hits { cases: 1, accepted: 0, exact: 0 });
        let more = [all.as_slice(), &[observed("c", "x", false)]].concat();
        assert_eq!(leave_one_out(&more, |one| one.is_undetermined).accepted, 1);
    }
}
