//! How urgent a verdict is, in the three steps that pipelines know.

use super::text::block::Block;
use crate::confidence::Level;
use crate::model::Judged;
use rules::Severity;

/// The steps; each format has words of its own for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// No cause, an unsure one, or a nuisance.
    Note,
    /// A likely cause of medium severity or more, or a grave failure whose cause is not known.
    Warning,
    /// A cause to act on, of high severity or more.
    Error,
}

impl Urgency {
    /// The urgency of an incident's verdict.
    pub(super) fn of(judged: &Judged) -> Self {
        let severity = judged.leading_finding().map_or(Severity::Low, |finding| finding.severity);
        let is_grave = severity >= Severity::High;
        match judged.verdict.level() {
            Some(Level::ActOnIt) if is_grave => Self::Error,
            Some(Level::ActOnIt | Level::Likely) if severity >= Severity::Medium => Self::Warning,
            None if judged.verdict.symptom && is_grave => Self::Warning,
            _ => Self::Note,
        }
    }

    /// The urgency of a group's verdict; without a cause that stands for the group, none of an incident counts.
    pub(super) fn of_block(block: &Block<'_>) -> Self {
        block.confidence().map_or(Self::Note, |_| Self::of(block.representative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{crash, undetermined};

    #[test]
    fn only_sure_and_grave_causes_are_errors() {
        let with = |severity, confidence, symptom| {
            let mut judged = crash("c1");
            judged.findings[0].severity = severity;
            judged.verdict.confidence = confidence;
            judged.verdict.symptom = symptom;
            Urgency::of(&judged)
        };
        assert_eq!(with(Severity::High, 0.8, false), Urgency::Error);
        assert_eq!(with(Severity::Critical, 0.79, false), Urgency::Warning);
        assert_eq!(with(Severity::Medium, 0.99, false), Urgency::Warning);
        assert_eq!(with(Severity::Low, 0.99, false), Urgency::Note);
        assert_eq!(with(Severity::Critical, 0.59, false), Urgency::Note);
        assert_eq!(with(Severity::High, 0.99, true), Urgency::Warning, "why it happened is not known");
        assert_eq!(Urgency::of(&undetermined("u1", 0)), Urgency::Note);
    }
}
