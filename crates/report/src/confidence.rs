//! The form of a confidence in reports: rounded, in percent, and in words.
//!
//! | confidence | words |
//! | --- | --- |
//! | 0.80 and more | act on it |
//! | 0.60 to 0.79 | likely |
//! | 0.30 to 0.59 | possible |
//! | below 0.30 | weak |
//! | of the verdict `undetermined` | not determined |
//! | of a cause that only names what happened | symptom |
//!
//! A symptom is never advised to be acted on: its number is how sure it is that this happened, and why is not known.
//!
//! Words and percent follow from the rounded number, so that no format shows a number beside the words of another one.

pub use rules::rounded;

/// The words for a verdict that names no cause.
pub const NOT_DETERMINED: &str = "not determined";

/// The word for a verdict that only names what happened.
pub const SYMPTOM: &str = "symptom";

/// The levels of confidence, by what a reader can do with the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// Below 0.30.
    Weak,
    /// From 0.30.
    Possible,
    /// From 0.60.
    Likely,
    /// From 0.80.
    #[strum(serialize = "act on it")]
    ActOnIt,
}

impl Level {
    /// The level of a confidence.
    #[must_use]
    pub fn of(confidence: f64) -> Self {
        match rounded(confidence) {
            sure if sure >= 0.8 => Self::ActOnIt,
            sure if sure >= 0.6 => Self::Likely,
            sure if sure >= 0.3 => Self::Possible,
            _ => Self::Weak,
        }
    }

    /// The words for the level.
    #[must_use]
    pub fn words(self) -> &'static str {
        self.into()
    }
}

/// A confidence in words and percent: `act on it (93 %)`; of a symptom `symptom (93 %), cause not known`.
#[must_use]
pub fn phrase(confidence: f64, symptom: bool) -> String {
    let percent = percent(confidence);
    if symptom {
        return format!("{SYMPTOM} ({percent}), cause not known");
    }
    format!("{} ({percent})", Level::of(confidence).words())
}

/// A confidence in percent: `93 %`.
#[must_use]
pub fn percent(confidence: f64) -> String {
    format!("{:.0} %", rounded(confidence) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_at_the_documented_bounds() {
        for (confidence, expected) in [
            (0.99, "act on it (99 %)"),
            (0.8, "act on it (80 %)"),
            (0.79, "likely (79 %)"),
            (0.6, "likely (60 %)"),
            (0.59, "possible (59 %)"),
            (0.3, "possible (30 %)"),
            (0.29, "weak (29 %)"),
            (0.01, "weak (1 %)"),
        ] {
            assert_eq!(phrase(confidence, false), expected);
        }
    }

    #[test]
    fn words_agree_with_the_number_beside_them() {
        assert_eq!(phrase(0.796, false), "act on it (80 %)");
        assert_eq!(phrase(0.794, false), "likely (79 %)");
    }

    #[test]
    fn a_symptom_is_never_acted_on() {
        assert_eq!(phrase(0.96, true), "symptom (96 %), cause not known");
    }

    #[test]
    fn what_is_no_probability_is_still_written_as_one() {
        assert_eq!(rounded(f64::NAN), 0.0);
        assert_eq!(rounded(7.0), 1.0);
        assert_eq!(rounded(-1.0), 0.0);
    }
}
