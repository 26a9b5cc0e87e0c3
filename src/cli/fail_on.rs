//! The conditions of `--fail-on`.

use super::selecting::check_cause;
use report::confidence::rounded;
use report::model::{Comparison, Judged};
use report::{Report, UNDETERMINED};
use rules::{RuleSet, Severity};

/// `--fail-on any`.
const ANY: &str = "any";
/// `--fail-on new`.
pub const NEW: &str = "new";
/// Before the sign and the word of a severity.
const SEVERITY: &str = "severity";

/// A condition under which the run ends with exit code 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// There is an incident.
    Any,
    /// There is a group that the baseline does not have.
    New,
    /// A verdict names this cause, or a cause of this family, with at least this confidence.
    Cause {
        /// The cause or family.
        name: String,
        /// 0 to 1; 0 where the condition names none.
        at_least: f64,
    },
    /// A verdict has this severity or a higher one.
    Severity(Severity),
}

impl Condition {
    /// Reads a condition: `any`, `new`, `CAUSE`, `FAMILY`, `CAUSE@0.8`, `severity=high` or `severity>=high`. Both signs mean
    /// the same: shells take `>` for a redirection.
    ///
    /// # Errors
    /// The message for the user.
    pub fn parse(text: &str, rules: &RuleSet) -> Result<Self, String> {
        let wrong = |reason: String| Err(format!("--fail-on {text}: {reason}"));
        if text == ANY {
            return Ok(Self::Any);
        }
        if text == NEW {
            return Ok(Self::New);
        }
        let severity = text.strip_prefix(SEVERITY).and_then(|rest| rest.strip_prefix(">=").or(rest.strip_prefix('=')));
        if let Some(word) = severity {
            let known = Severity::ALL.into_iter().find(|severity| severity.word() == word);
            let all = || Severity::ALL.map(Severity::word).join(", ");
            return known
                .map_or_else(|| wrong(format!("the severities are {}", all())), |known| Ok(Self::Severity(known)));
        }
        let (name, at_least) = match text.split_once('@') {
            None => (text, 0.0),
            Some((name, number)) => match number.parse() {
                Ok(number) if (0.0..=1.0).contains(&number) => (name, number),
                _ => return wrong("a confidence is a number from 0 to 1, such as heap-corruption@0.8".to_owned()),
            },
        };
        if let Err(reason) = check_cause(name, rules) {
            return wrong(reason);
        }
        if name == UNDETERMINED && at_least > 0.0 {
            return wrong(format!("a verdict without a cause has no confidence; write {UNDETERMINED}"));
        }
        Ok(Self::Cause { name: name.to_owned(), at_least })
    }

    /// Whether a report meets the condition.
    pub fn is_met(&self, report: &Report) -> bool {
        match self {
            Self::New => report.comparison.as_ref().is_some_and(Comparison::has_new_groups),
            _ => report.incidents.iter().any(|judged| self.is_met_by(judged, report)),
        }
    }

    /// Whether an incident of a report meets the condition. A suppressed finding is known and meets none.
    pub fn is_met_by(&self, judged: &Judged, report: &Report) -> bool {
        let verdict = &judged.verdict;
        match self {
            Self::Any => true,
            Self::New => report
                .comparison
                .iter()
                .flat_map(|comparison| &comparison.changes)
                .any(|change| change.is(NEW) && change.new_incidents.contains(&judged.incident.id)),
            Self::Cause { name, at_least } => {
                let is_silenced = verdict.is_undetermined() && !judged.suppressed.is_empty();
                let is_named = (*name == verdict.cause && !is_silenced) || verdict.family.as_ref() == Some(name);
                is_named && rounded(verdict.confidence) >= *at_least
            }
            Self::Severity(least) => judged.leading_finding().is_some_and(|finding| finding.severity >= *least),
        }
    }
}
