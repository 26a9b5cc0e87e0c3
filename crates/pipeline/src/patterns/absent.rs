//! The reasons why parts of an incident's pattern are absent.

use super::may_be_damage;
use facts::FactSet;
use facts::schema::{OTHER_INCIDENTS, SCALARS};
use incident::Incident;

const NO_COMPUTER: &str = "no evidence of this incident names the computer, as event logs and Report.wer do";
const NO_TIME: &str = "no evidence of this incident says when it was";
const ONLY_REPORTED: &str =
    "only later records tell of this incident, or it is one of several that a text may be about";
const ONE_OF_SEVERAL: &str = "it is one of several incidents that a text may be about";
const CARRIER: &str = "the exception was raised in a module that delivers those of others, where places say nothing";
const NO_PLACE: &str =
    "no evidence of this incident names code, module, version and offset, as minidumps and event 1000 do";
const UNLOADED: &str = "the module had been unloaded, and its place says nothing";
const NO_DAMAGE: &str = "only incidents count that damaged memory could lead to, and this is none of them";
const FEW_RUNS: &str = "it takes three incidents with this signature that say when their process had started";

/// Sets the reason of each fact about patterns that `facts` lack.
pub fn set_absent(incident: &Incident, facts: &mut FactSet) {
    let paths = SCALARS
        .iter()
        .map(|fact| fact.path)
        .filter(|path| path.starts_with("pattern."))
        .chain([BEFORE, OTHER_INCIDENTS]);
    for path in paths {
        if facts.get(path).is_none() && !facts.knows_list(path) {
            facts.set_absent(path, why(path, incident));
        }
    }
}

/// The list of incidents before.
const BEFORE: &str = "incidents_before";

fn why(path: &str, incident: &Incident) -> &'static str {
    if path.starts_with("pattern.run_") {
        return FEW_RUNS;
    }
    if path.starts_with("pattern.same_site_") {
        match &incident.fault_site {
            Some(site) if site.carrier => return CARRIER,
            Some(site) if site.unloaded => return UNLOADED,
            Some(site) if site.version.is_some() && site.offset.is_some() => {}
            _ => return NO_PLACE,
        }
    }
    if path.starts_with("pattern.machine_") && !may_be_damage(incident) {
        return NO_DAMAGE;
    }
    if path == OTHER_INCIDENTS {
        return ONE_OF_SEVERAL;
    }
    match (&incident.host, incident.time) {
        (None, _) => NO_COMPUTER,
        (_, None) => NO_TIME,
        _ => ONLY_REPORTED,
    }
}
