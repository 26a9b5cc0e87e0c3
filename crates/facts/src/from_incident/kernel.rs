//! Facts of blue screens and kernel dumps, beyond code and parameters.

use jiff::tz::TimeZone;

use crate::value::{evidence, text, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{KernelDriver, KernelDump};
use incident::JoinedIncident;

/// The facts with the meanings of the four bugcheck parameters, in their order.
const MEANING_PATHS: [&str; 4] = [
    "bugcheck.parameter_1_means",
    "bugcheck.parameter_2_means",
    "bugcheck.parameter_3_means",
    "bugcheck.parameter_4_means",
];

/// Sets what the bugcheck's parameters mean, and the drivers and the stack of a kernel dump.
pub(super) fn kernel(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    if let (Some(bugcheck), Some((number, ..))) = (&joined.incident.bugcheck, joined.evidence.bugcheck()) {
        let from = evidence(number);
        facts.set("bugcheck.live", bugcheck.live, from);
        for meaning in &bugcheck.meanings {
            let path = usize::from(meaning.number).checked_sub(1).and_then(|index| MEANING_PATHS.get(index));
            if let Some(path) = path {
                facts.set_known(path, meaning.means.as_deref().map(text), from);
            }
        }
        facts.set_known("bugcheck.status", bugcheck.status.map(|status| status.0), from);
        facts.set_known("bugcheck.bits_differ", bugcheck.bits_differ, from);
        if let Some(status) = bugcheck.machine_check {
            facts.set("bugcheck.machine_check", word(status.class().word()), from);
            facts.set("bugcheck.machine_check_overflow", status.overflowed(), from);
            facts.set("bugcheck.machine_check_uncorrected", status.is_uncorrected(), from);
        }
    }
    let Some((number, dump)) = joined.evidence.kernel_dump() else { return };
    let from = evidence(number);
    let uptime = dump.uptime.and_then(|uptime| u64::try_from(uptime.as_secs()).ok());
    facts.set_known("system.uptime_seconds", uptime, from);
    // A list with gaps can show that a driver was there, but rules also ask whether one was not.
    if dump.drivers_complete {
        let records =
            dump.drivers.iter().enumerate().map(|(position, driver)| driver_record(position, driver, dump, from));
        facts.set_filled_list("drivers", records);
    }
    if let Some(unloaded) = &dump.unloaded {
        facts.set_list("unloaded_drivers", unloaded.iter().map(|driver| Record::of_name(&driver.name, from)).collect());
    }
}

fn driver_record(position: usize, driver: &KernelDriver, dump: &KernelDump, from: Option<EvidenceRef>) -> Record {
    let built = dump.time.and_then(|dumped| driver.built(dumped));
    let built = built.map(|built| TimeZone::UTC.to_datetime(built).date());
    let fields = [
        ("position", Some(Value::Number(position as u64))),
        ("name", Some(driver.name.clone().into())),
        ("size", Some(driver.size.into())),
        ("path", driver.path.contains('\\').then(|| driver.path.clone().into())),
        ("timestamp", driver.timestamp.map(Value::from)),
        ("built", built.map(|date| text(&date.to_string()))),
        ("built_year", built.and_then(|date| Some(u64::try_from(date.year()).ok()?.into()))),
    ];
    Record::of_known(fields, from)
}
