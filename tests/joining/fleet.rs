//! `samples/fleet`: every incident and every join of three machines, compared with a hand-written list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::program::{list, report, text};

/// A path, and for event logs a record's id.
type Evidence = String;
type Incidents = BTreeSet<BTreeSet<Evidence>>;

fn truth() -> Incidents {
    let mut incidents: Vec<BTreeSet<Evidence>> = Vec::new();
    for line in include_str!("../fleet/truth.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match line.strip_prefix("  ") {
            None => incidents.push(BTreeSet::new()),
            Some(evidence) => incidents.last_mut().expect("a name before evidence").extend(spelled_out(evidence)),
        }
    }
    let count = incidents.len();
    let incidents: Incidents = incidents.into_iter().collect();
    assert_eq!(incidents.len(), count, "each incident has evidence of its own");
    let all: Vec<&Evidence> = incidents.iter().flatten().collect();
    assert_eq!(all.len(), all.iter().collect::<BTreeSet<_>>().len(), "evidence belongs to one incident");
    incidents
}

/// `log#3-5,8` as `log#3`, `log#4`...
fn spelled_out(evidence: &str) -> Vec<Evidence> {
    let Some((path, records)) = evidence.split_once('#') else { return vec![evidence.to_owned()] };
    let number = |text: &str| text.parse::<u64>().expect("a record's id");
    let ranges = records.split(',').flat_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        number(first)..=number(last)
    });
    ranges.map(|record| format!("{path}#{record}")).collect()
}

fn fleet() -> Value {
    report(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/fleet"))
}

fn evidence(item: &Value) -> Evidence {
    let path = text(item, "artifact").split_once("samples/fleet/").expect("a path below the sample").1;
    match text(item, "place").strip_prefix("record ") {
        Some(record) => format!("{path}#{record}"),
        None => path.to_owned(),
    }
}

/// The evidence of an incident, without other records of the machine that findings cite.
fn made_of(incident: &Value) -> BTreeSet<Evidence> {
    let own = |item: &&Value| item["joined_by"]["key"] != "machine";
    list(incident, "evidence").iter().filter(own).map(evidence).collect()
}

fn pairs(incidents: &Incidents) -> BTreeSet<(&Evidence, &Evidence)> {
    incidents
        .iter()
        .flat_map(|incident| {
            incident.iter().flat_map(move |a| incident.iter().filter(move |b| a < *b).map(move |b| (a, b)))
        })
        .collect()
}

/// Precision and recall in percent: how much of what was found is true, and how much of what is true was found.
fn measured<T: Ord>(found: &BTreeSet<T>, wanted: &BTreeSet<T>) -> (f64, f64) {
    let right = found.intersection(wanted).count() as f64;
    (100.0 * right / found.len() as f64, 100.0 * right / wanted.len() as f64)
}

#[test]
fn all_incidents_of_three_machines_are_found_and_nothing_is_joined_that_does_not_belong_together() {
    let (wanted, report) = (truth(), fleet());
    let found: Incidents = list(&report, "incidents").iter().map(made_of).collect();
    let (precision, recall) = measured(&found, &wanted);
    println!("{} incidents: precision {precision:.1} %, recall {recall:.1} %", wanted.len());
    let (found_pairs, wanted_pairs) = (pairs(&found), pairs(&wanted));
    let (pair_precision, pair_recall) = measured(&found_pairs, &wanted_pairs);
    println!("{} joined pairs: precision {pair_precision:.1} %, recall {pair_recall:.1} %", wanted_pairs.len());
    let missing: Vec<_> = wanted.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&wanted).collect();
    assert!(missing.is_empty() && wrong.is_empty(), "not found: {missing:#?}\nfound: {wrong:#?}");
    assert_eq!(found_pairs, wanted_pairs);
}

#[test]
fn each_join_has_its_key_and_strength() {
    let report = fleet();
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for incident in list(&report, "incidents") {
        for (index, item) in list(incident, "evidence").iter().enumerate() {
            let joined = item.get("joined_by");
            assert_eq!(joined.is_some(), index > 0, "{item}");
            if let Some(joined) = joined {
                keys.entry(text(joined, "key")).or_default().insert(text(joined, "strength"));
                assert_ne!(joined["to"], item["id"]);
            }
        }
    }
    let words = |key: &str| keys.get(key).map(|words| words.iter().copied().collect::<Vec<_>>()).unwrap_or_default();
    for (key, strengths) in [
        ("report-id", vec!["certain"]),
        ("same-record", vec!["certain"]),
        // Between two machines the folder decides.
        ("process-and-start", vec!["certain", "likely"]),
        ("bugcheck-parameters", vec!["certain"]),
        ("dump-path", vec!["strong"]),
        ("exit", vec!["strong"]),
        ("service", vec!["strong"]),
        ("restart", vec!["strong"]),
        ("burst", vec!["strong"]),
        ("companion", vec!["likely"]),
        ("ticket", vec!["likely"]),
    ] {
        assert_eq!(words(key), strengths, "{key}");
    }
}

#[test]
fn machines_stay_apart_and_one_that_is_named_in_two_ways_is_one() {
    let report = fleet();
    let hosts: Vec<&str> = list(&report, "machines").iter().map(|machine| text(machine, "host")).collect();
    assert_eq!(hosts, ["PC-21", "PC-22.corp.example", "PC-23"]);
    for incident in list(&report, "incidents") {
        let folders: BTreeSet<String> =
            made_of(incident).iter().filter_map(|evidence| Some(evidence.split_once('/')?.0.to_owned())).collect();
        let host = incident.get("host").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(folders.len(), 1, "{folders:?}");
        assert!(
            folders.iter().all(|folder| host.is_empty() || host.starts_with(folder.as_str())),
            "{host} {folders:?}"
        );
    }
    let incident_of = |evidence: &str| {
        let of = |incident: &&Value| made_of(incident).contains(evidence);
        list(&report, "incidents").iter().find(of).expect("an incident")
    };
    let silent = incident_of("PC-23/ledger.exe.7010.dmp");
    assert_eq!((&silent["host"], &silent["host_basis"]), (&"PC-23".into(), &"folder".into()));
    let nobody = incident_of("Downloads/viewer.exe.8812.dmp");
    assert_eq!((nobody.get("host"), nobody.get("host_basis")), (None, None));
    let set_back = list(incident_of("PC-21/viewer.exe.7716.dmp"), "remarks");
    let told = set_back.iter().filter_map(Value::as_str).any(|remark| remark.contains("the clock was set back"));
    assert!(told, "{set_back:?}");
}
