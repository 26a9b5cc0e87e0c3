//! How many of a group's incidents have the cause of the incident that stands for it.

use std::fmt;

use anstyle::Style;

use super::block::Block;
use super::page::{CAREFUL, PLAIN, SURE};
use crate::confidence::Level;
use crate::model::Verdict;
use crate::wording::verdict;

/// How many of a group's incidents have the cause of the incident that stands for it, and the verdicts of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spread {
    /// Incidents with the cause.
    same: usize,
    /// All incidents.
    all: usize,
    /// Incidents whose verdict is undetermined.
    undetermined: usize,
    /// Incidents with other causes.
    otherwise: usize,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { same, all, undetermined, otherwise } = self;
        write!(f, "{same} of {all}")?;
        if *undetermined > 0 {
            write!(f, "; {undetermined} not determined")?;
        }
        if *otherwise > 0 {
            write!(f, "; {otherwise} with other causes")?;
        }
        Ok(())
    }
}

/// The spread of a block; `None` where all incidents have the same cause, or none.
pub(super) fn spread(block: &Block<'_>) -> Option<Spread> {
    let shown = &block.representative.verdict;
    if shown.is_undetermined() {
        return None;
    }
    let others = block.others.iter().map(|other| &other.verdict);
    let undetermined = others.clone().filter(|verdict| verdict.is_undetermined()).count();
    let differ = others.filter(|verdict| verdict.cause != shown.cause).count();
    let (all, otherwise) = (block.size(), differ - undetermined);
    (differ > 0).then_some(Spread { same: all - differ, all, undetermined, otherwise })
}

/// The style in which a verdict's confidence is shown.
pub(super) fn verdict_style(verdict: &Verdict) -> Style {
    match Level::of(verdict.confidence) {
        _ if verdict.is_undetermined() => CAREFUL,
        Level::ActOnIt => SURE,
        Level::Likely => CAREFUL,
        Level::Possible | Level::Weak => PLAIN,
    }
}

impl Block<'_> {
    /// Whether its incidents' verdicts name different causes.
    pub(super) fn has_several_causes(&self) -> bool {
        spread(self).is_some_and(|spread| spread.otherwise > 0)
    }

    /// The verdict of the incident that stands for it; where other incidents have other causes, with how many.
    pub(crate) fn verdict(&self) -> String {
        let verdict = verdict(&self.representative.verdict);
        spread(self).map_or_else(|| verdict.clone(), |spread| format!("{verdict} ({spread})"))
    }

    /// The style of its verdict.
    pub(super) fn style(&self) -> Style {
        if self.has_several_causes() { CAREFUL } else { verdict_style(&self.representative.verdict) }
    }
}
