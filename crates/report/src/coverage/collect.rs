//! What to collect next, once for all incidents that ask for it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Judged;
use windows_codes::Knowledge;

/// Programs or dumps up to which each gets a text of its own; for more there is one for all.
const MOST_FILLED: usize = 3;

/// What is asked for where nothing is missing stands behind what is.
const LAST: &str = "reproduce";

/// Something to collect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its id in `rules/data/collect.yaml`.
    pub id: Cow<'static, str>,
    /// How many incidents ask for it.
    pub incidents: usize,
    /// How many of these have an undetermined verdict.
    pub undetermined: usize,
    /// What to do: a command, a registry value or a folder.
    pub says: String,
    /// The sentences of incidents that it stands for.
    #[serde(skip)]
    pub stands_for: BTreeSet<String>,
}

/// What one text would help.
#[derive(Debug, Default)]
struct Helped {
    incidents: usize,
    undetermined: usize,
    /// The lowest place that it has in an incident's list.
    place: usize,
}

impl Helped {
    fn add(&mut self, other: &Self) {
        self.place = if self.incidents == 0 { other.place } else { self.place.min(other.place) };
        self.incidents = self.incidents.saturating_add(other.incidents);
        self.undetermined = self.undetermined.saturating_add(other.undetermined);
    }
}

/// What all incidents ask for, first what would help most undetermined ones.
pub(super) fn requests(incidents: &[Judged], knowledge: &Knowledge) -> Vec<Request> {
    let mut by_id: BTreeMap<&'static str, BTreeMap<&str, Helped>> = BTreeMap::new();
    for verdict in incidents.iter().map(|judged| &judged.verdict) {
        for (place, asked) in verdict.asked.iter().enumerate() {
            let Some(text) = verdict.collect_next.get(asked.at) else { continue };
            let undetermined = usize::from(verdict.is_undetermined());
            by_id.entry(asked.id).or_default().entry(text).or_default().add(&Helped {
                incidents: 1,
                undetermined,
                place,
            });
        }
    }
    let mut requests = Vec::new();
    for (id, texts) in by_id {
        let general = knowledge.collect(id).unwrap_or_default();
        let alike = texts.len() > MOST_FILLED;
        let mut folded: BTreeMap<&str, (Helped, BTreeSet<String>)> = BTreeMap::new();
        for (text, helped) in texts {
            let (sum, stands_for) = folded.entry(if alike { general } else { text }).or_default();
            sum.add(&helped);
            stands_for.insert(text.to_owned());
        }
        for (text, (helped, stands_for)) in folded {
            let Helped { incidents, undetermined, place } = helped;
            requests.push((
                place,
                Request { id: Cow::Borrowed(id), incidents, undetermined, says: text.to_owned(), stands_for },
            ));
        }
    }
    requests.sort_by(|(place, a), (other_place, b)| {
        let key = |place, request: &Request| {
            (request.id == LAST, Reverse(request.undetermined), Reverse(request.incidents), place)
        };
        key(*place, a).cmp(&key(*other_place, b)).then_with(|| (&a.id, &a.says).cmp(&(&b.id, &b.says)))
    });
    requests.into_iter().map(|(_, request)| request).collect()
}
