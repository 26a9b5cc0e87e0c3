//! How far the cause that stands for a group is the cause of all its incidents.

use std::fmt;

use anstyle::Style;

use super::block::Block;
use super::page::CAREFUL;
use super::wording::{verdict, verdict_style};

/// How many of a group's incidents have the cause that stands for it, and what the others have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spread {
    /// Incidents with the cause.
    same: usize,
    /// All of them.
    all: usize,
    /// Those of which no cause is named.
    undetermined: usize,
    /// Those with other causes.
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

/// `None` where all have the same cause, or none.
pub(super) fn spread(block: &Block<'_>) -> Option<Spread> {
    let shown = &block.shown.verdict;
    if shown.is_undetermined() {
        return None;
    }
    let others = block.others.iter().map(|other| &other.verdict);
    let undetermined = others.clone().filter(|verdict| verdict.is_undetermined()).count();
    let differ = others.filter(|verdict| verdict.cause != shown.cause).count();
    let (all, otherwise) = (block.size(), differ.saturating_sub(undetermined));
    (differ > 0).then_some(Spread { same: all.saturating_sub(differ), all, undetermined, otherwise })
}

impl Block<'_> {
    /// Whether its incidents' verdicts name different causes.
    pub(super) fn has_several_causes(&self) -> bool {
        spread(self).is_some_and(|spread| spread.otherwise > 0)
    }

    /// The cause that stands for it and how sure that is; where not all its incidents have that cause, how many do.
    pub(crate) fn verdict(&self) -> String {
        let verdict = verdict(&self.shown.verdict);
        spread(self).map_or_else(|| verdict.clone(), |spread| format!("{verdict} ({spread})"))
    }

    /// How sure it is, by its looks.
    pub(super) fn style(&self) -> Style {
        if self.has_several_causes() { CAREFUL } else { verdict_style(&self.shown.verdict) }
    }
}
