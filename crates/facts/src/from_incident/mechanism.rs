//! Facts of how the process failed.

use crate::FactSet;
use crate::value::{evidence, word};
use incident::JoinedIncident;

/// Sets the facts of the mechanism, where it is known. The certainty is in percent.
pub(super) fn mechanism(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let Some(mechanism) = &joined.incident.mechanism else { return };
    let from = evidence(joined.evidence.dump().map_or(0, |(number, _)| number));
    facts.set("mechanism.kind", word(mechanism.kind.word()), from);
    facts.set("mechanism.certainty", (mechanism.certainty * 100.0).round() as u64, from);
    facts.set_known("mechanism.register", mechanism.register.clone(), from);
    facts.set_known("mechanism.offset", mechanism.offset.map(|offset| offset.0), from);
    facts.set_known("mechanism.address", mechanism.address.map(|address| address.0), from);
    let Some(origin) = &mechanism.origin else { return };
    facts.set("mechanism.origin", word(origin.end), from);
    facts.set("mechanism.origin_frame", origin.frame as u64, from);
    facts.set_known("mechanism.origin_module", origin.module.clone(), from);
    facts.set_known("mechanism.callee_module", origin.callee.clone(), from);
}
