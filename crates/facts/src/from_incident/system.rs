//! The system and its processor.

use std::sync::Arc;

use super::{evidence, word};
use crate::{FactSet, Value};
use evidence::OperatingSystem;
use incident::Built;
use incident::environment::{Extensions, build_of};

/// System and processor.
pub(super) fn system(built: &Built<'_>, facts: &mut FactSet) {
    // A text does not say on which system it was printed.
    let Some((family, build, number)) = family_and_build(built) else { return };
    facts.set("os.family", word(family), evidence(number));
    if let Some(build) = build {
        facts.set("os.build", Value::Number(u64::from(build)), evidence(number));
    }
    processor(built, facts);
}

/// The build of Windows on which an incident was.
pub fn os_build(built: &Built<'_>) -> Option<u32> {
    family_and_build(built)?.1
}

/// The system with its build, and the number of the evidence that tells them.
fn family_and_build(built: &Built<'_>) -> Option<(&'static str, Option<u32>, usize)> {
    let gathered = &built.gathered;
    Some(if let Some((number, dump)) = gathered.dump() {
        let windows = dump.system.os == OperatingSystem::Windows;
        (dump.system.os.word(), windows.then_some(dump.system.os_version.2), number)
    } else if let Some((number, dump)) = gathered.kernel_dump() {
        ("windows", Some(dump.build), number)
    } else if let Some((number, report)) = gathered.report(|report| report.os_version.is_some()) {
        ("windows", report.os_version.as_deref().and_then(build_of), number)
    } else {
        let (number, _) = gathered.events().next()?;
        ("windows", None, number)
    })
}

/// The processor, as a dump tells it.
fn processor(built: &Built<'_>, facts: &mut FactSet) {
    let Some((number, dump)) = built.gathered.dump() else { return };
    let from = evidence(number);
    let processor = &dump.system.processor;
    if let Some(vendor) = &processor.vendor {
        facts.set("cpu.vendor", Value::Text(Arc::clone(vendor)), from);
    }
    for (path, number) in [
        ("cpu.family", processor.family.map(u64::from)),
        ("cpu.model", processor.model.map(u64::from)),
        ("cpu.stepping", processor.stepping.map(u64::from)),
    ] {
        if let Some(number) = number {
            facts.set(path, Value::Number(number), from);
        }
    }
    let extensions = Extensions::new(dump.system.cpu_features);
    for (path, known) in
        [("cpu.avx", extensions.avx), ("cpu.avx2", extensions.avx2), ("cpu.avx512f", extensions.avx512f)]
    {
        if let Some(known) = known {
            facts.set(path, Value::Flag(known), from);
        }
    }
}
