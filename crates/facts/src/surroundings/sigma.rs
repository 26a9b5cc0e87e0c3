//! What Sigma rules matched around an incident.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::Surroundings;
use super::around::nearest_first;
use super::reach::TIMELINE_BEFORE;
use evidence::{Place, SigmaRule};
use incident::{Incident, SIGMA};

/// The most Sigma rules that are listed for an incident: those with matches nearest to it.
const MOST_NAMED: usize = 8;

/// A Sigma rule that matched a record of the machine around an incident: additional information, not a cause.
#[derive(Debug, Clone)]
pub struct SigmaNearby {
    /// The rule.
    pub rule: Arc<SigmaRule>,
    /// When the record was logged that is nearest to the incident.
    pub time: Timestamp,
    /// How many seconds after the incident that was, negative before it.
    pub seconds: i64,
    /// How many records matched, as far as they are looked at.
    pub matches: usize,
    /// The artifact of that record: index into the run's artifact list.
    pub artifact: usize,
    /// Where in it.
    pub place: Place,
}

impl Surroundings<'_> {
    /// The Sigma rules that matched around an incident, those that matched nearest to it first; from as long before to
    /// as long after it as the timeline that rules see.
    #[must_use]
    pub fn sigma(&self, incident: &Incident) -> Vec<SigmaNearby> {
        let (Some(time), Some(indices)) = (incident.time, self.by_kind.get(SIGMA)) else { return Vec::new() };
        let at = |index: usize| self.logged.get(index);
        let mut found: Vec<SigmaNearby> = Vec::new();
        let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (distance, index) in nearest_first(indices, |index| Some(at(index)?.entry.time), time, TIMELINE_BEFORE) {
            let Some(logged) = at(index).filter(|logged| logged.copy_of.is_none()) else { continue };
            let Some(rule) = &logged.entry.sigma else { continue };
            let place = *known.entry((&rule.file, &rule.title)).or_insert(found.len());
            match found.get_mut(place) {
                Some(nearby) => nearby.matches = nearby.matches.saturating_add(1),
                None => found.push(SigmaNearby {
                    rule: Arc::clone(rule),
                    time: logged.entry.time,
                    seconds: distance.as_secs(),
                    matches: 1,
                    artifact: logged.entry.artifact,
                    place: logged.entry.place.clone(),
                }),
            }
        }
        found.truncate(MOST_NAMED);
        found
    }
}
