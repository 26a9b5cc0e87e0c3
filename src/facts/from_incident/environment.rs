//! The system, and the versions of what the process had loaded.

use super::{evidence, word};
use crate::evidence::OperatingSystem;
use crate::facts::{FactSet, Value};
use crate::incident::{Built, build_of};

/// System and versions.
pub(super) fn environment(built: &Built<'_>, facts: &mut FactSet) {
    let gathered = &built.gathered;
    let (family, build, number) = if let Some((number, dump)) = gathered.dump() {
        let windows = dump.system.os == OperatingSystem::Windows;
        (dump.system.os.word(), windows.then_some(dump.system.os_version.2), number)
    } else if let Some((number, dump)) = gathered.kernel_dump() {
        ("windows", Some(dump.build), number)
    } else if let Some((number, report)) = gathered.report(|report| report.os_version.is_some()) {
        ("windows", report.os_version.as_deref().and_then(build_of), number)
    } else if let Some((number, _)) = gathered.events().next() {
        ("windows", None, number)
    } else {
        // A text does not say on which system it was printed.
        return;
    };
    facts.set("os.family", word(family), evidence(number));
    if let Some(build) = build {
        facts.set("os.build", Value::Number(u64::from(build)), evidence(number));
    }
    let from = gathered.dump().and_then(|(number, _)| evidence(number));
    let versions = &built.versions;
    for (path, version) in [
        ("environment.nvidia_driver", versions.nvidia_driver),
        ("environment.cuda", versions.cuda),
        ("environment.cudnn", versions.cudnn),
        ("environment.python", versions.python),
    ] {
        if let Some(version) = version {
            facts.set(path, Value::Version(version), from);
        }
    }
}
