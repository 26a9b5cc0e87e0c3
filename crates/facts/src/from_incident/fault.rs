//! Facts of the fault site and of the suspect.

use crate::FactSet;
use crate::value::{evidence, word};
use incident::JoinedIncident;

/// Sets the facts of the fault site and of the suspect, where they are known.
pub(super) fn fault(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let incident = &joined.incident;
    if let Some(site) = &incident.fault_site {
        let joined_evidence = &joined.evidence;
        let of_process = joined_evidence.dump().filter(|(_, dump)| dump.exception.is_some()).map(|(number, _)| number);
        let of_record = || Some(joined_evidence.crash_records().iter().find(|(_, record)| record.module.is_some())?.0);
        let of_dump = of_process.or_else(|| joined_evidence.kernel_dump().map(|(number, _)| number));
        let from = of_dump.or_else(of_record).and_then(evidence);
        facts.set("fault_site.module", site.module.clone(), from);
        facts.set("fault_site.carrier", site.carrier, from);
        facts.set("fault_site.unloaded", site.unloaded, from);
        facts.set_known("fault_site.version", site.version, from);
        facts.set_known("fault_site.offset", site.offset.map(|offset| offset.0), from);
        facts.set_known("fault_site.function", site.function.clone(), from);
        facts.set_known("fault_site.path", site.path.clone(), from);
    }
    if let Some(suspect) = &incident.suspect {
        let from = evidence(0);
        facts.set("suspect.module", suspect.module.clone(), from);
        facts.set("suspect.basis", word(suspect.basis.word()), from);
        facts.set_known("suspect.version", suspect.version, from);
        facts.set_known("suspect.path", suspect.path.clone(), from);
    }
}
