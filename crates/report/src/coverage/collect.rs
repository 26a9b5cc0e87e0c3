//! Requests for what to collect next, once for all incidents that ask for it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::program;
use crate::model::{CollectRequest, Judged};
use incident::short_host;
use windows_codes::Knowledge;

/// The most texts of one request that are listed; if there are more, a general text replaces all of them.
const MOST_FILLED: usize = 3;

/// The request that is made where nothing is missing; it comes last.
pub const LAST: &str = "reproduce";

/// The incidents that one text would help.
#[derive(Debug, Default)]
struct Helped<'i> {
    incidents: usize,
    undetermined: usize,
    /// Its lowest index in an incident's list.
    place: usize,
    /// The names of their programs, by themselves in lower case.
    programs: BTreeMap<String, &'i str>,
    /// The short names of their computers, in upper case.
    hosts: BTreeSet<String>,
}

impl Helped<'_> {
    fn add(&mut self, other: &Self) {
        self.place = if self.incidents == 0 { other.place } else { self.place.min(other.place) };
        self.incidents += other.incidents;
        self.undetermined += other.undetermined;
        for (name, program) in &other.programs {
            self.programs.entry(name.clone()).or_insert(program);
        }
        self.hosts.extend(other.hosts.iter().cloned());
    }
}

/// The requests of all incidents, first those that would help most undetermined ones.
pub(super) fn requests(incidents: &[Judged]) -> Vec<CollectRequest> {
    let mut by_id: BTreeMap<&'static str, BTreeMap<&str, Helped<'_>>> = BTreeMap::new();
    for Judged { verdict, incident, .. } in incidents {
        for (place, request) in verdict.gap_requests.iter().enumerate() {
            let Some(text) = verdict.collect_next.get(request.at) else { continue };
            let undetermined = usize::from(verdict.is_undetermined());
            by_id.entry(request.id).or_default().entry(text).or_default().add(&Helped {
                incidents: 1,
                undetermined,
                place,
                programs: program(incident).map(|program| (program.to_lowercase(), program)).into_iter().collect(),
                hosts: incident.host.as_deref().map(|host| short_host(host).to_uppercase()).into_iter().collect(),
            });
        }
    }
    let mut requests = Vec::new();
    for (id, texts) in by_id {
        let general = Knowledge.collect(id).unwrap_or_default();
        let alike = texts.len() > MOST_FILLED;
        let mut folded: BTreeMap<&str, (Helped<'_>, BTreeSet<String>)> = BTreeMap::new();
        for (text, helped) in texts {
            let (sum, replaces) = folded.entry(if alike { general } else { text }).or_default();
            sum.add(&helped);
            replaces.insert(text.to_owned());
        }
        for (text, (helped, replaces)) in folded {
            let Helped { incidents, undetermined, place, programs, hosts } = helped;
            let programs: Vec<&str> = programs.into_values().collect();
            let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
            let short = Knowledge.collect_phrase(id, &programs, &hosts).unwrap_or_default();
            let (id, says) = (Cow::Borrowed(id), text.to_owned());
            requests.push((place, CollectRequest { id, party: None, incidents, undetermined, short, says, replaces }));
        }
    }
    requests.sort_by(|(place, a), (other_place, b)| {
        let key = |place, request: &CollectRequest| {
            (request.id == LAST, Reverse(request.undetermined), Reverse(request.incidents), place)
        };
        key(*place, a).cmp(&key(*other_place, b)).then_with(|| (&a.id, &a.says).cmp(&(&b.id, &b.says)))
    });
    requests.into_iter().map(|(_, request)| request).collect()
}
