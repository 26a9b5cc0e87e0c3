//! What stops and kernel dumps say beyond code and parameters.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::{evidence, text, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{KernelDriver, KernelDump, KernelFrame};
use incident::Built;

/// What the values of parameters mean, by parameter.
const MEANING_PATHS: [&str; 4] = [
    "bugcheck.parameter_1_means",
    "bugcheck.parameter_2_means",
    "bugcheck.parameter_3_means",
    "bugcheck.parameter_4_means",
];

/// The stop's meaning, and the drivers and the stack of a kernel dump.
pub(super) fn kernel(built: &Built<'_>, facts: &mut FactSet) {
    if let (Some(bugcheck), Some((number, ..))) = (&built.incident.bugcheck, built.gathered.bugcheck()) {
        let from = evidence(number);
        facts.set("bugcheck.live", Value::Flag(bugcheck.live), from);
        for said in &bugcheck.meanings {
            let path = usize::from(said.number).checked_sub(1).and_then(|index| MEANING_PATHS.get(index));
            if let (Some(path), Some(means)) = (path, &said.means) {
                facts.set(path, text(means), from);
            }
        }
        if let Some(status) = bugcheck.status {
            facts.set("bugcheck.status", Value::Number(u64::from(status.0)), from);
        }
        if let Some(bits) = bugcheck.bits_differ {
            facts.set("bugcheck.bits_differ", Value::Number(u64::from(bits)), from);
        }
        if let Some(status) = bugcheck.machine_check {
            facts.set("bugcheck.machine_check", word(status.class().word()), from);
            facts.set("bugcheck.machine_check_overflow", Value::Flag(status.overflowed()), from);
            facts.set("bugcheck.machine_check_uncorrected", Value::Flag(status.is_uncorrected()), from);
        }
    }
    let Some((number, dump)) = built.gathered.kernel_dump() else { return };
    let from = evidence(number);
    if let Some(uptime) = dump.uptime.and_then(|uptime| u64::try_from(uptime.as_secs()).ok()) {
        facts.set("system.uptime_seconds", Value::Number(uptime), from);
    }
    // A list with gaps can show that a driver was there, but rules also ask whether one was not.
    if dump.drivers_complete && !dump.drivers.is_empty() {
        let records = dump.drivers.iter().enumerate().map(|(position, driver)| record(position, driver, dump, from));
        facts.set_list("drivers", records.collect());
    }
    if let Some(unloaded) = &dump.unloaded {
        let name = |name: &Arc<str>| Record { fields: vec![("name", Value::Text(Arc::clone(name)))], from };
        facts.set_list("unloaded_drivers", unloaded.iter().map(|driver| name(&driver.name)).collect());
    }
    if built.gathered.dump().is_none() && !dump.frames.is_empty() {
        facts.set_list("frames", frames(dump, from));
    }
}

fn record(position: usize, driver: &KernelDriver, dump: &KernelDump, from: Option<EvidenceRef>) -> Record {
    let mut fields = vec![
        ("position", Value::Number(position as u64)),
        ("name", Value::Text(Arc::clone(&driver.name))),
        ("size", Value::Number(u64::from(driver.size))),
    ];
    if driver.path.contains('\\') {
        fields.push(("path", Value::Text(Arc::clone(&driver.path))));
    }
    if let Some(timestamp) = driver.timestamp {
        fields.push(("timestamp", Value::Number(u64::from(timestamp))));
    }
    if let Some(built) = dump.time.and_then(|dumped| driver.built(dumped)) {
        let date = TimeZone::UTC.to_datetime(built).date();
        fields.push(("built", text(&date.to_string())));
        fields.extend(u64::try_from(date.year()).map(|year| ("built_year", Value::Number(year))));
    }
    Record { fields, from }
}

fn frames(dump: &KernelDump, from: Option<EvidenceRef>) -> Vec<Record> {
    let of = |(position, frame): (usize, &KernelFrame)| {
        let mut fields = vec![("position", Value::Number(position as u64)), ("trust", word(frame.trust.word()))];
        if let Some(driver) = frame.driver.and_then(|index| dump.drivers.get(index)) {
            fields.push(("module", Value::Text(Arc::clone(&driver.name))));
            fields.extend(driver.offset_of(frame.address).map(|offset| ("offset", Value::Number(offset.0))));
        }
        Record { fields, from }
    };
    dump.frames.iter().enumerate().map(of).collect()
}
