//! The statistics of over-representation, for small numbers.

use statrs::function::factorial::ln_binomial;

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// How often something occurs in two samples: in `a` of `n`, and in `c` of `m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// How often in the first sample.
    pub a: u64,
    /// Size of the first sample.
    pub n: u64,
    /// How often in the second sample.
    pub c: u64,
    /// Size of the second sample.
    pub m: u64,
}

impl Counts {
    /// How often it occurs in the first sample, 0 to 1.
    #[must_use]
    pub fn share_in(&self) -> f64 {
        share(self.a, self.n)
    }

    /// How often it occurs in the second sample, 0 to 1.
    #[must_use]
    pub fn share_elsewhere(&self) -> f64 {
        share(self.c, self.m)
    }

    /// Fisher's exact test, one-sided: the probability that chance alone puts this many or more of all occurrences into
    /// the first sample.
    #[must_use]
    pub fn fisher(&self) -> f64 {
        let Self { a, n, c, m } = *self;
        let (successes, population) = (a + c, n + m);
        if a == 0 || n == 0 || m == 0 {
            return 1.0;
        }
        // Hypergeometric: the probability of `a` first, then of each greater number out of the one before it.
        let mut term = (ln_binomial(successes, a)
            + ln_binomial(population.saturating_sub(successes), n.saturating_sub(a))
            - ln_binomial(population, n))
        .exp();
        let mut sum = term;
        for number in a..n.min(successes) {
            let (number, wide) = (number as f64, |count: u64| count as f64);
            let others_left = wide(population) - wide(successes) - wide(n) + number + 1.0;
            term *= (wide(successes) - number) * (wide(n) - number) / ((number + 1.0) * others_left);
            sum += term;
        }
        sum.min(1.0)
    }

    /// The difference of the two shares with 95 % confidence (Newcombe's hybrid score interval: R. G. Newcombe,
    /// Statistics in Medicine 17 (1998), 873-890, method 10).
    #[must_use]
    pub fn difference(&self) -> (f64, f64) {
        let (inside, elsewhere) = (self.share_in(), self.share_elsewhere());
        let (low_in, high_in) = wilson(self.a, self.n);
        let (low_elsewhere, high_elsewhere) = wilson(self.c, self.m);
        let difference = inside - elsewhere;
        let below = (inside - low_in).hypot(high_elsewhere - elsewhere);
        let above = (high_in - inside).hypot(elsewhere - low_elsewhere);
        (difference - below, difference + above)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Wilson's score interval of a share, 95 %.
fn wilson(part: u64, whole: u64) -> (f64, f64) {
    if whole == 0 {
        return (0.0, 1.0);
    }
    let (share, whole) = (share(part, whole), whole as f64);
    let squared = Z * Z;
    let middle = share + squared / (2.0 * whole);
    let spread = Z * (share * (1.0 - share) / whole + squared / (4.0 * whole * whole)).sqrt();
    let scale = 1.0 + squared / whole;
    (((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0))
}

/// Benjamini and Hochberg's adjustment of the p-values of `tests` tests, of which these are the ones that matter; the
/// others count with 1. Gives them in the same order: what is at most 0.05 holds with a rate of false discoveries of at
/// most 5 %.
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64], tests: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p = |index: usize| p_values.get(index).copied().unwrap_or(1.0);
    order.sort_by(|a, b| p(*a).total_cmp(&p(*b)).then(a.cmp(b)));
    let tests = tests.max(p_values.len()) as f64;
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 1.0_f64;
    for (rank, index) in order.iter().enumerate().rev() {
        least = least.min(p(*index) * tests / (rank as f64 + 1.0));
        if let Some(slot) = adjusted.get_mut(*index) {
            *slot = least;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-9 * expected.abs().max(1e-300)
    }

    /// SciPy 1.17.1: `fisher_exact([[a, n - a], [c, m - c]], alternative='greater')[1]`.
    #[test]
    fn fisher_is_that_of_scipy() {
        let expected = [
            (41, 42, 40, 330, 1.052_256_532_844_118e-30),
            (5, 5, 0, 5, 0.003_968_253_968_253_969),
            (5, 5, 5, 5, 1.0),
            (3, 10, 2, 12, 0.406_015_037_593_985),
            (7, 9, 100, 5000, 5.797_089_380_482_406e-11),
            (300, 1000, 2000, 9000, 4.143_959_601_089_296e-8),
            (1, 1, 0, 1, 0.5),
            (12, 20, 12, 20, 0.626_236_358_716_892_6),
        ];
        for (a, n, c, m, p) in expected {
            let found = Counts { a, n, c, m }.fisher();
            assert!(close(found, p), "{a} of {n}, {c} of {m}: {found}, expected {p}");
        }
        assert_eq!(Counts { a: 0, n: 5, c: 3, m: 5 }.fisher(), 1.0);
        assert_eq!(Counts { a: 3, n: 5, c: 0, m: 0 }.fisher(), 1.0);
    }

    /// SciPy 1.17.1: `false_discovery_control(p_values)`.
    #[test]
    fn benjamini_and_hochberg_is_that_of_scipy() {
        let adjusted = benjamini_hochberg(&[0.001, 0.02, 0.03, 0.9, 0.04], 5);
        let expected = [0.005, 0.05, 0.05, 0.9, 0.05];
        assert!(adjusted.iter().zip(expected).all(|(found, expected)| close(*found, expected)), "{adjusted:?}");
        // Four more that are 1.
        let adjusted = benjamini_hochberg(&[0.0004, 0.01, 0.01, 0.7], 8);
        let expected = [0.0032, 0.026_666_666_666_666_665, 0.026_666_666_666_666_665, 1.0];
        assert!(adjusted.iter().zip(expected).all(|(found, expected)| close(*found, expected)), "{adjusted:?}");
    }

    /// statsmodels 0.14: `confint_proportions_2indep(a, n, c, m, method='newcomb', compare='diff')`.
    #[test]
    fn the_interval_is_that_of_statsmodels() {
        let expected = [
            (41, 42, 40, 330, 0.747_963_843_730_791_4, 0.891_585_471_613_147),
            (5, 5, 0, 5, 0.385_549_005_690_343_56, 1.0),
            (3, 10, 2, 12, -0.207_415_852_202_311_98, 0.459_327_116_741_244_93),
            (300, 1000, 2000, 9000, 0.048_843_586_385_412_384, 0.108_108_177_711_318_86),
        ];
        for (a, n, c, m, low, high) in expected {
            let found = Counts { a, n, c, m }.difference();
            assert!(close(found.0, low) && close(found.1, high), "{a} of {n}, {c} of {m}: {found:?}");
        }
    }
}
