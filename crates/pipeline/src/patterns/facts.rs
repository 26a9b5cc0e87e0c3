//! The facts of patterns, for rules.

use std::sync::Arc;

use super::{Earlier, Pattern};
pub use facts::{FactSet, Record, RelatedIncidents, Relation, Value};

impl Pattern {
    /// Sets the facts of this pattern.
    pub fn set_facts(&self, facts: &mut FactSet) {
        let mut set = |path, number: Option<u64>| {
            if let Some(number) = number {
                facts.set(path, Value::Number(number), None);
            }
        };
        let count = |number: usize| u64::try_from(number).ok();
        set("pattern.hosts", count(self.hosts).filter(|hosts| *hosts > 0));
        set("pattern.signature_hosts", self.signature_hosts.and_then(count));
        if let Some(site) = self.site {
            set("pattern.same_site_hosts", count(site.hosts));
            set("pattern.same_site_before", count(site.before));
        }
        if let Some(machine) = self.machine {
            set("pattern.machine_codes_30_days", count(machine.codes));
            set("pattern.machine_crashes_30_days", count(machine.incidents));
            set("pattern.machine_days_30_days", count(machine.days));
            set("pattern.machine_most_alike_30_days", count(machine.most_alike));
            set("pattern.machine_programs_30_days", count(machine.programs));
            set("pattern.machine_sites_30_days", count(machine.sites));
        }
        if let Some(burst) = self.burst {
            set("pattern.burst_position", count(burst.position));
            set("pattern.burst_size", count(burst.size));
        }
        if let Some(repeats) = self.repeats {
            set("pattern.first_seconds_before", Some(repeats.first_seconds_before));
            set("pattern.repeats_before", count(repeats.before));
            set("pattern.same_24_hours", count(repeats.in_a_day));
        }
        if let Some(runs) = self.runs {
            set("pattern.run_seconds_least", Some(runs.least));
            set("pattern.run_seconds_most", Some(runs.most));
        }
        if let Some(before) = &self.before {
            facts.set_list("incidents_before", before.iter().map(record).collect());
            let one = |earlier: &Earlier| RelatedIncidents::one(Relation::Before, Arc::clone(&earlier.id));
            facts.set_others("incidents_before", before.iter().map(one).collect());
        }
        facts.other_incidents = self.sharing.clone();
        for others in &self.others {
            for path in counting(others.relation()) {
                if facts.get(path).is_some() {
                    facts.set_others(path, vec![others.clone()]);
                }
            }
        }
    }
}

/// The facts that count the incidents of a relation.
fn counting(relation: Relation) -> &'static [&'static str] {
    match relation {
        Relation::SameSignatureElsewhere => &["pattern.signature_hosts"],
        Relation::SamePlaceElsewhere => &["pattern.same_site_hosts"],
        Relation::SamePlaceBefore => &["pattern.same_site_before"],
        Relation::SameSignatureBefore => &["pattern.first_seconds_before", "pattern.repeats_before"],
        Relation::SameSignatureWithinADay => &["pattern.same_24_hours"],
        Relation::SameSignature => &["pattern.run_seconds_least", "pattern.run_seconds_most"],
        Relation::MachineAround => &[
            "pattern.machine_codes_30_days",
            "pattern.machine_crashes_30_days",
            "pattern.machine_days_30_days",
            "pattern.machine_most_alike_30_days",
            "pattern.machine_programs_30_days",
            "pattern.machine_sites_30_days",
        ],
        Relation::Burst => &["pattern.burst_size"],
        Relation::BurstBefore => &["pattern.burst_position"],
        Relation::Before | Relation::Other => &[],
    }
}

fn record(earlier: &Earlier) -> Record {
    let mut fields = vec![
        ("kind", Value::Text(Arc::from(earlier.kind.word()))),
        ("seconds_before", Value::Number(earlier.seconds_before)),
    ];
    fields.extend(earlier.process.clone().map(|name| ("process", Value::Text(name))));
    Record { fields, from: None }
}
