//! A score as text, always the same for the same answers.

use std::fmt::{self, Display};

use crate::{Score, Scored};

impl Display for Score {
    /// Totals, the reliability table and the table of causes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.cases.len();
        let total = |f: &mut fmt::Formatter<'_>, what: &str, count: usize, of: usize| {
            writeln!(f, "{what:<20}{count:>5} of {of:>4}  {:>6}", percent(count, of))
        };
        total(f, "first answer right", self.first_right(), all)?;
        total(f, "one of three right", self.one_of_three(), all)?;
        total(f, "confidently wrong", self.confidently_wrong(), all)?;
        total(f, "sure answers right", self.sure().saturating_sub(self.confidently_wrong()), self.sure())?;
        writeln!(f, "\n{:<14}{:>6}{:>7}{:>8}{:>9}", "confidence", "given", "right", "share", "claimed")?;
        for band in self.bands() {
            let range = format!("{:.2} to {:.2}", band.from, band.below);
            let claimed = format!("{:.0} %", band.claimed * 100.0);
            let (share, given, right) = (percent(band.right, band.given), band.given, band.right);
            writeln!(f, "{range:<14}{given:>6}{right:>7}{share:>8}{claimed:>9}")?;
        }
        writeln!(f, "\n{:<30}{:>6}{:>7}{:>10}{:>12}", "cause", "cases", "first", "of three", "sure, wrong")?;
        for (cause, score) in self.by_cause() {
            let (cases, first, three) = (score.cases, score.first_right, score.one_of_three);
            writeln!(f, "{cause:<30}{cases:>6}{first:>7}{three:>10}{:>12}", score.confidently_wrong)?;
        }
        Ok(())
    }
}

impl Display for Scored {
    /// One line: the case, its expected cause, and the answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let accepted: Vec<&str> =
            std::iter::once(&self.case.cause).chain(&self.case.also_accepted).map(String::as_str).collect();
        let answers: Vec<String> =
            self.answers.iter().map(|answer| format!("{} {:.2}", answer.cause, answer.confidence)).collect();
        let sure = if self.confidently_wrong { "  CONFIDENTLY WRONG" } else { "" };
        write!(f, "{}: {}; answered {}{sure}", self.case.name, accepted.join(" or "), answers.join(", "))
    }
}

/// `40.0 %`; `-` of nothing.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", part as f64 / whole as f64 * 100.0) }
}
