//! The facts of patterns, for rules.

use std::sync::Arc;

use super::{Earlier, Pattern};
pub use facts::{FactSet, Record, RelatedIncidents, Relation, Value};

impl Pattern {
    /// Sets the facts of this pattern.
    pub fn set_facts(&self, facts: &mut FactSet) {
        for (path, number) in &self.numbers {
            facts.set(path, Value::Number(*number), None);
        }
        if let Some(before) = &self.before {
            facts.set_list("incidents_before", before.iter().map(record).collect());
            let one = |earlier: &Earlier| RelatedIncidents::one(Relation::Before, Arc::clone(&earlier.id));
            facts.set_related_incidents("incidents_before", before.iter().map(one).collect());
        }
        facts.other_incidents = self.sharing.clone();
        for others in &self.others {
            for path in counting(others.relation) {
                if facts.get(path).is_some() {
                    facts.set_related_incidents(path, vec![others.clone()]);
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
