//! Where the exception was raised, and which module the evidence points to.

use std::sync::Arc;

use super::{evidence, word};
use crate::{FactSet, Value};
use incident::Built;

/// Fault site and suspect.
pub(super) fn fault(built: &Built<'_>, facts: &mut FactSet) {
    let incident = &built.incident;
    if let Some(site) = &incident.fault_site {
        let records = built.gathered.crash_records();
        let of_process = built.gathered.dump().filter(|(_, dump)| dump.exception.is_some()).map(|(number, _)| number);
        let from = match of_process.or_else(|| built.gathered.kernel_dump().map(|(number, _)| number)) {
            Some(number) => evidence(number),
            None => {
                records.iter().find(|(_, record)| record.module.is_some()).and_then(|(number, _)| evidence(*number))
            }
        };
        facts.set("fault_site.module", Value::Text(Arc::clone(&site.module)), from);
        facts.set("fault_site.carrier", Value::Flag(site.carrier), from);
        facts.set("fault_site.unloaded", Value::Flag(site.unloaded), from);
        if let Some(version) = site.version {
            facts.set("fault_site.version", Value::Version(version), from);
        }
        if let Some(offset) = site.offset {
            facts.set("fault_site.offset", Value::Number(offset.0), from);
        }
        if let Some(function) = &site.function {
            facts.set("fault_site.function", Value::Text(Arc::clone(function)), from);
        }
        if let Some(path) = &site.path {
            facts.set("fault_site.path", Value::Text(Arc::clone(path)), from);
        }
    }
    if let Some(suspect) = &incident.suspect {
        let from = evidence(0);
        facts.set("suspect.module", Value::Text(Arc::clone(&suspect.module)), from);
        facts.set("suspect.basis", word(suspect.basis), from);
        if let Some(version) = suspect.version {
            facts.set("suspect.version", Value::Version(version), from);
        }
        if let Some(path) = &suspect.path {
            facts.set("suspect.path", Value::Text(Arc::clone(path)), from);
        }
    }
}
