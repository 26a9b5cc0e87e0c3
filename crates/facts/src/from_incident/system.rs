//! Facts of the operating system and the processor.

use crate::FactSet;
use crate::value::{evidence, word};
use evidence::{Extension, OperatingSystem};
use incident::JoinedIncident;
use incident::environment::build_of;

/// Sets the facts of the operating system and the processor, which only artifacts of the machine itself give.
pub(super) fn system(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    // A text shows nothing of the system that it was printed on.
    let Some((family, build, number)) = family_and_build(joined) else { return };
    facts.set("os.family", word(family), evidence(number));
    facts.set_known("os.build", build, evidence(number));
    processor(joined, facts);
}

/// The number of the Windows build on which an incident happened.
pub fn os_build(joined: &JoinedIncident<'_>) -> Option<u32> {
    family_and_build(joined)?.1
}

/// The word for the operating system, its build, and the index of the evidence that has them.
fn family_and_build(joined: &JoinedIncident<'_>) -> Option<(&'static str, Option<u32>, usize)> {
    let joined_evidence = &joined.evidence;
    Some(if let Some((number, dump)) = joined_evidence.dump() {
        let windows = dump.system.os == OperatingSystem::Windows;
        (dump.system.os.word(), windows.then_some(dump.system.os_version.2), number)
    } else if let Some((number, dump)) = joined_evidence.kernel_dump() {
        ("windows", Some(dump.build), number)
    } else if let Some((number, report)) = joined_evidence.report(|report| report.os_version.is_some()) {
        ("windows", report.os_version.as_deref().and_then(build_of), number)
    } else {
        let (number, _) = joined_evidence.events().next()?;
        ("windows", None, number)
    })
}

/// Sets the facts of the processor, which only dumps have.
fn processor(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let Some((number, dump)) = joined.evidence.dump() else { return };
    let from = evidence(number);
    let processor = &dump.system.processor;
    facts.set_known("cpu.vendor", processor.vendor.clone(), from);
    facts.set_known("cpu.family", processor.family, from);
    facts.set_known("cpu.model", processor.model, from);
    facts.set_known("cpu.stepping", processor.stepping, from);
    let features = dump.system.cpu_features;
    facts.set_known("cpu.avx", features.has(Extension::Avx), from);
    facts.set_known("cpu.avx2", features.has(Extension::Avx2), from);
    facts.set_known("cpu.avx512f", features.avx512_foundation(), from);
}
