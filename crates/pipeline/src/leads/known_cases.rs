//! How often known cases that are like an incident had which cause.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::LazyLock;

use knowledge_tables::leads::CaseKey;
use knowledge_tables::{Sorted, embedded};
use rules::UNDETERMINED;

use super::Likeness;

/// With fewer similar cases, shares rest mostly on less similar ones, and reports say so.
pub const FEW: u32 = 5;
/// How many cases the shares of the next coarser level weigh as much as, beside the cases of a level (Dirichlet smoothing).
/// Chosen by leaving each case out once: 1 to 5 differ little, and more forgets what is special of a code.
const PRIOR_CASES: f64 = 5.0;

embedded! {
    TABLE: Sorted<CaseKey, u32> = "known-cases";
}

static BUILTIN: LazyLock<KnownCases> = LazyLock::new(|| {
    let mut known = KnownCases::default();
    for ((kind, code, site, cause), count) in TABLE.iter() {
        let likeness = Likeness { kind: (*kind).to_owned(), code: (*code).to_owned(), site: (*site).to_owned() };
        known.add(likeness, cause, *count);
    }
    known
});

/// Numbers of labelled cases by what makes them alike and by cause, `undetermined` among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownCases {
    counts: BTreeMap<(Likeness, String), u32>,
}

/// The causes of cases similar to an incident.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shares {
    /// How many cases there are of the most similar kind that has any.
    pub cases: u32,
    /// Causes with their shares, the greatest first, ties by name; `undetermined` counts and is left out. Causes that no case
    /// of this kind of incident had are left out, too.
    pub causes: Vec<(String, f64)>,
}

impl KnownCases {
    /// The cases of `rules/data/known-cases.yaml`.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Adds cases with a cause.
    pub fn add(&mut self, likeness: Likeness, cause: &str, count: u32) {
        let known = self.counts.entry((likeness, cause.to_owned())).or_default();
        *known = known.saturating_add(count);
    }

    /// The causes, each with the number of its cases.
    pub fn causes(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|((_, cause), count)| (cause.as_str(), *count))
    }

    /// How many cases there are.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// How likely each cause is among cases like this one. From coarse to fine, the cases of each level are mixed with the
    /// shares of the level before: all of this kind of incident; of these, those with this kind of faulting module; those
    /// with this code; those with both.
    #[must_use]
    pub fn shares(&self, like: &Likeness) -> Shares {
        let of_kind: Vec<(&Likeness, &str, u32)> = self
            .counts
            .iter()
            .filter(|((likeness, _), _)| likeness.kind == like.kind)
            .map(|((likeness, cause), count)| (likeness, cause.as_str(), *count))
            .collect();
        let causes: BTreeSet<&str> = of_kind.iter().map(|(_, cause, _)| *cause).collect();
        let levels: [fn(&Likeness, &Likeness) -> bool; 4] = [
            |_, _| true,
            |one, other| one.site == other.site,
            |one, other| one.code == other.code,
            |one, other| one.site == other.site && one.code == other.code,
        ];
        let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
        let mut cases = 0;
        for (number, is_alike) in levels.into_iter().enumerate() {
            let alike = of_kind.iter().filter(|(likeness, ..)| is_alike(likeness, like));
            let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
            for (_, cause, count) in alike {
                let known = counts.entry(cause).or_default();
                *known = known.saturating_add(*count);
            }
            let all = counts.values().fold(0_u32, |sum, count| sum.saturating_add(*count));
            if all == 0 {
                continue;
            }
            cases = all;
            let prior = if number == 0 { 0.0 } else { PRIOR_CASES };
            let share = |cause: &str| {
                let own = f64::from(counts.get(cause).copied().unwrap_or_default());
                (own + prior * shares.get(cause).copied().unwrap_or_default()) / (f64::from(all) + prior)
            };
            shares = causes.iter().map(|cause| (*cause, share(cause))).collect();
        }
        shares.remove(UNDETERMINED);
        let mut causes: Vec<(String, f64)> =
            shares.into_iter().map(|(cause, share)| (cause.to_owned(), share)).collect();
        causes.sort_by(|(a, one), (b, other)| other.total_cmp(one).then_with(|| a.cmp(b)));
        Shares { cases, causes }
    }

    /// The rows of the table, as `rules/data/known-cases.yaml` has them.
    #[must_use]
    pub fn rows(&self) -> String {
        let mut rows = String::new();
        for ((Likeness { kind, code, site }, cause), count) in &self.counts {
            let code = if code.is_empty() { String::new() } else { format!("code: '{code}', ") };
            // Writing to a string does not fail.
            let _ = writeln!(rows, "  - {{kind: {kind}, {code}site: {site}, cause: {cause}, count: {count}}}");
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(kind: &str, code: &str, site: &str) -> Likeness {
        Likeness { kind: kind.to_owned(), code: code.to_owned(), site: site.to_owned() }
    }

    fn known(rows: &[(&str, &str, &str, &str, u32)]) -> KnownCases {
        let mut known = KnownCases::default();
        rows.iter().for_each(|(kind, code, site, cause, count)| known.add(like(kind, code, site), cause, *count));
        known
    }

    #[test]
    fn similar_cases_count_most_and_less_similar_ones_where_there_are_few() {
        let known = known(&[
            ("crash", "0xC0000005", "carrier", "a", 8),
            ("crash", "0xC0000005", "carrier", "b", 2),
            ("crash", "0xC0000409", "none", "c", 30),
            ("hang", "", "none", "d", 9),
        ]);
        let shares = known.shares(&like("crash", "0xC0000005", "carrier"));
        assert_eq!(shares.cases, 10);
        let order: Vec<&str> = shares.causes.iter().map(|(cause, _)| cause.as_str()).collect();
        assert_eq!(order, ["a", "b", "c"], "a hang's cause is none of a crash");
        let sum: f64 = shares.causes.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        // Of a code that no case had, the cases of the same kind of module count.
        assert_eq!(known.shares(&like("crash", "0xC0000374", "carrier")).cases, 10);
        assert_eq!(known.shares(&like("power-loss", "", "none")), Shares::default());
    }

    #[test]
    fn cases_that_nobody_solved_lower_the_shares_of_the_others() {
        let known = known(&[("crash", "", "none", "a", 1), ("crash", "", "none", UNDETERMINED, 3)]);
        let shares = known.shares(&like("crash", "", "none"));
        assert_eq!(shares.cases, 4);
        let [(cause, share)] = shares.causes.as_slice() else { panic!("{shares:?}") };
        assert_eq!(cause, "a");
        assert!((share - 0.25).abs() < 1e-9, "{share}");
    }
}
