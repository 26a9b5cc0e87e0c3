//! The values of each incident that rules can compare with other incidents.

use std::sync::Arc;

use super::{Numbers, Pattern, Seen};
use facts::{OtherIncidents, Profile, Run, os_build};
use incident::JoinedIncident;

/// Gives each incident access to the others; those that share a value with it are looked up when a rule needs them.
pub(super) fn share(seen: &[Seen<'_>], joined: &[JoinedIncident<'_>], patterns: &mut [Pattern]) {
    let (mut suspects, mut programs) = (Numbers::new(), Numbers::new());
    // A text that may be about one of several incidents is not compared.
    let compared: Vec<&Seen<'_>> = seen.iter().filter(|one| one.incident.may_be_of.is_empty()).collect();
    let profiles = compared.iter().map(|one| {
        let incident = one.incident;
        let suspect = incident.suspect.as_ref().map(|suspect| Arc::clone(&suspect.module));
        let program = incident.process.as_ref().and_then(|process| process.name.clone());
        let stop = incident.bugcheck.as_ref().map(|stop| (stop.code.0, true));
        Profile {
            id: Arc::clone(&one.id),
            kind: incident.kind,
            time: one.time,
            code: stop.or_else(|| incident.exception.as_ref().map(|exception| (exception.code.0, false))),
            module: incident.fault_site.as_ref().map(|site| Arc::clone(&site.module)),
            host: incident.host.clone(),
            os_build: joined.get(one.index).and_then(os_build),
            keys: [
                one.host,
                one.place,
                Some(one.signature),
                suspect.as_ref().map(|suspect| suspects.number(suspect.to_lowercase())),
                program.as_ref().map(|program| programs.number(program.to_lowercase())),
            ],
            suspect,
            program,
        }
    });
    let run = Arc::new(Run::new(profiles.collect()));
    for (place, one) in compared.iter().enumerate() {
        if let Some(pattern) = patterns.get_mut(one.index) {
            pattern.sharing = Some(OtherIncidents::new(&run, place));
        }
    }
}
