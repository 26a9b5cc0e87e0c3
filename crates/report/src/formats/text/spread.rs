//! How many of a group's incidents have the cause of the incident that stands for it.

use anstyle::Style;

use super::block::Block;
use super::page::{CAREFUL, PLAIN, SURE};
use crate::confidence::Level;
use crate::model::Verdict;
use crate::wording::verdict;

/// How many of a block's incidents have the cause of the representative incident, with their verdicts in words; and how
/// many have other causes. `None` where all have the same cause, or the representative has none.
pub(super) fn spread(block: &Block<'_>) -> Option<(String, usize)> {
    let shown = &block.representative.verdict;
    if shown.is_undetermined() {
        return None;
    }
    let others = block.others.iter().map(|other| &other.verdict);
    let undetermined = others.clone().filter(|verdict| verdict.is_undetermined()).count();
    let differ = others.filter(|verdict| verdict.cause != shown.cause).count();
    let otherwise = differ - undetermined;
    let counts = [(undetermined, "not determined"), (otherwise, "with other causes")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("; {count} {what}"));
    let words = format!("{} of {}{}", block.size() - differ, block.size(), counts.collect::<String>());
    (differ > 0).then_some((words, otherwise))
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
        spread(self).is_some_and(|(_, otherwise)| otherwise > 0)
    }

    /// The verdict of the incident that represents the block; where other incidents have other causes, with the number
    /// of incidents that have it.
    pub(crate) fn verdict(&self) -> String {
        let verdict = verdict(&self.representative.verdict);
        spread(self).map_or_else(|| verdict.clone(), |(spread, _)| format!("{verdict} ({spread})"))
    }

    /// The style of its verdict.
    pub(super) fn style(&self) -> Style {
        if self.has_several_causes() { CAREFUL } else { verdict_style(&self.representative.verdict) }
    }
}
