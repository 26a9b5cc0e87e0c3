//! One name for each computer: logs of a machine that joined a domain have its full name, older ones the name without
//! the domain.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use super::sourced_evidence::SourcedEvidence;
use evidence::{LogCoverage, Observation};

/// A computer's name without its domain, lower case.
#[must_use]
pub fn short_host(host: &str) -> String {
    host.split('.').next().unwrap_or(host).to_lowercase()
}

/// Gives each computer the same name throughout: the full name, where exactly one full name begins with the short one.
/// With two (`pc-1.sales.example`, `pc-1.lab.example`), the short name can be of either and is kept.
pub fn use_full_host_names<'h>(
    items: &'h mut [SourcedEvidence],
    coverage: &'h mut [LogCoverage],
    others: impl Iterator<Item = &'h mut Arc<str>>,
) {
    let mut named: Vec<&mut Arc<str>> = others.chain(coverage.iter_mut().map(|log| &mut log.computer)).collect();
    named.extend(items.iter_mut().flat_map(|item| {
        let of_observation = match &mut item.observation {
            Observation::Event(event) => event.computer.as_mut(),
            Observation::Ticket(ticket) => ticket.computer.as_mut(),
            Observation::Sigma(found) => found.computer.as_mut(),
            _ => None,
        };
        of_observation.into_iter().chain(item.former_host.as_mut())
    }));
    let mut spellings: BTreeSet<&str> = BTreeSet::new();
    // Logs name one computer thousands of times.
    for alike in named.chunk_by(|a, b| a == b) {
        spellings.extend(alike.first().map(|name| &***name));
    }
    let full = full_names(spellings);
    if full.is_empty() {
        return;
    }
    for alike in named.chunk_by_mut(|a, b| a == b) {
        if let Some(one) = alike.first().and_then(|name| full.get(&***name)) {
            alike.iter_mut().for_each(|name| **name = Arc::clone(one));
        }
    }
}

/// For each spelling of a computer's name that is replaced, its replacement.
fn full_names(spellings: BTreeSet<&str>) -> BTreeMap<String, Arc<str>> {
    // Behind each short name the spellings of every full name in lower case.
    let mut by_short: BTreeMap<String, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for spelling in spellings {
        // The names of a network's root end in a dot.
        let whole = spelling.trim_end_matches('.').to_lowercase();
        let short = match whole.split_once('.') {
            Some((short, _)) if whole.parse::<IpAddr>().is_err() => short.to_owned(),
            _ => whole.clone(),
        };
        by_short.entry(short).or_default().entry(whole).or_default().push(spelling);
    }
    let mut renamed = BTreeMap::new();
    for (short, mut names) in by_short {
        let mut longer = names.keys().filter(|name| **name != short);
        if let (Some(only), None) = (longer.next().cloned(), longer.next()) {
            let of_short = names.remove(&short).unwrap_or_default();
            names.entry(only).or_default().extend(of_short);
        }
        for (first, others) in names.values().filter_map(|spellings| spellings.split_first()) {
            renamed.extend(others.iter().map(|other| ((*other).to_owned(), Arc::from(*first))));
        }
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(names: &[&str]) -> Vec<String> {
        let full = full_names(names.iter().copied().collect());
        names.iter().map(|name| full.get(*name).map_or(*name, |full| full).to_owned()).collect()
    }

    #[test]
    fn a_short_name_becomes_the_only_full_name_that_begins_with_it() {
        assert_eq!(renamed(&["PC-1", "pc-1.lab.example", "PC-2"]), ["pc-1.lab.example", "pc-1.lab.example", "PC-2"]);
        assert_eq!(renamed(&["PC-1", "pc-1"]), ["PC-1", "PC-1"]);
        assert_eq!(renamed(&["PC-1.lab.example", "PC-1.lab.example."]), ["PC-1.lab.example", "PC-1.lab.example"]);
    }

    #[test]
    fn a_short_name_of_two_full_ones_is_neither() {
        let names = ["PC-1", "PC-1.lab.example", "PC-1.sales.example"];
        assert_eq!(renamed(&names), names);
    }

    #[test]
    fn an_address_is_no_full_name() {
        let names = ["10", "10.0.0.7"];
        assert_eq!(renamed(&names), names);
    }
}
