//! The verdict of a block: its cause, how sure that is, and how many of its incidents differ.

use anstyle::Style;

use super::block::Block;
use super::page::{CAREFUL, PLAIN, SURE};
use crate::account::{headline, short};
use crate::confidence::{Level, NOT_DETERMINED, percent, phrase};
use crate::model::CauseCount;
use crate::wording::prose;
use rules::UNDETERMINED;

impl Block<'_> {
    /// How likely the group's cause is right for an incident of it; `None` where no cause stands for the group.
    pub(crate) fn confidence(&self) -> Option<f64> {
        match self.group {
            Some(group) => group.confidence,
            None => {
                let verdict = &self.representative.verdict;
                (!verdict.is_undetermined()).then_some(verdict.confidence)
            }
        }
    }

    /// How sure the group's cause is; `None` where none stands for it, or only what happened.
    pub(crate) fn level(&self) -> Option<Level> {
        self.confidence().filter(|_| !self.is_symptom()).map(Level::of)
    }

    /// Whether the group's cause only names what happened.
    pub(crate) fn is_symptom(&self) -> bool {
        self.group.map_or(self.representative.verdict.symptom, |group| group.symptom)
    }

    /// The confidence of the group's cause in words and percent, and how many of its incidents differ.
    pub(crate) fn how_sure(&self) -> String {
        self.with_differing(match self.confidence() {
            Some(confidence) if self.is_symptom() => {
                format!("symptom: {} sure; why: not known", percent(confidence))
            }
            Some(confidence) => phrase(confidence, false),
            None => NOT_DETERMINED.to_owned(),
        })
    }

    fn with_differing(&self, sure: String) -> String {
        match self.differing() {
            Some(differs) => format!("{sure}; {differs}"),
            None => sure,
        }
    }

    /// The representative's headline: with a cause only where one stands for the group.
    pub(crate) fn headline(&self) -> String {
        match self.confidence() {
            Some(_) => headline(self.representative),
            None => short(&self.representative.incident),
        }
    }

    /// The cause in a sentence, or that it is not known; nothing where the headline has all of it.
    pub(crate) fn why(&self) -> Option<String> {
        let verdict = &self.representative.verdict;
        let sentence = prose(&verdict.sentence);
        match self.confidence() {
            None if verdict.is_undetermined() => Some(sentence),
            None => Some("The cause is not determined: the incidents of this group do not agree.".to_owned()),
            Some(_) if self.is_symptom() => Some("Not known.".to_owned()),
            Some(_) => (!self.headline().ends_with(sentence.trim_end_matches('.'))).then_some(sentence),
        }
    }

    /// How many of the incidents have another verdict than the group: `2 of 7 differ: 1 power-loss, 1 not determined`.
    pub(crate) fn differing(&self) -> Option<String> {
        let group = self.group?;
        let own = group.cause.as_deref().unwrap_or(UNDETERMINED);
        let others: Vec<&CauseCount> = group.causes.iter().filter(|count| count.cause != own).collect();
        let differ: usize = others.iter().map(|count| count.incidents).sum();
        let named = others.iter().map(|count| match count.cause.as_str() {
            UNDETERMINED => format!("{} {NOT_DETERMINED}", count.incidents),
            cause => format!("{} {cause}", count.incidents),
        });
        let verb = if differ == 1 { "differs" } else { "differ" };
        let named = named.collect::<Vec<_>>().join(", ");
        (differ > 0).then(|| format!("{differ} of {} {verb}: {named}", self.size()))
    }

    /// The group's cause and how sure it is, for lists.
    pub(crate) fn verdict(&self) -> String {
        match (self.confidence(), &self.representative.verdict.cause) {
            (Some(confidence), cause) => {
                format!("{cause}, {}", self.with_differing(phrase(confidence, self.is_symptom())))
            }
            (None, _) => self.how_sure(),
        }
    }

    /// The style of its verdict.
    pub(crate) fn style(&self) -> Style {
        match self.level() {
            Some(Level::ActOnIt) => SURE,
            Some(Level::Likely) | None => CAREFUL,
            Some(Level::Possible | Level::Weak) => PLAIN,
        }
    }
}
