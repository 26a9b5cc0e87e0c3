//! Words that facts can be, of those that the code knows, too.

use evidence::{AddressKind, CodePlace, DEBUGGER_SUSPECTS, Extension, INTEGRITY_LEVELS, InstructionKind, Page};
use incident::environment::{FRAMEWORKS, INSTALLATIONS};

/// The kinds of incident.
pub const INCIDENT_KINDS: &[&str] = &["crash", "hang", "bugcheck", "gpu-reset", "start-failure", "power-loss", "exit"];
/// Places that a path can lie in, all that a path can be asked for; of several a module's location is one.
pub const PLACES: &[&str] = windows_codes::PLACES;
/// What kind of place a module was loaded from.
pub const LOCATIONS: &[&str] = windows_codes::LOCATIONS;
/// The bases on which a suspect can be named, the strongest first.
pub const SUSPECT_BASES: &[&str] = &["exact", "unwound", "scanned", "named", "inferred"];
/// What of an incident a record of the machine is about: the program itself, a module that it lacked or died in, another
/// file that it wanted, another program that it wanted to start; or it only mentions one of the names.
pub const NAMED_PARTS: &[&str] = &["program", "module", "wanted", "parent", "mentioned"];
/// Whether a record is about the drive that an incident depends on, or about another one.
pub const DRIVES: &[&str] = &["same", "other"];
/// The parts of a machine that report errors of the hardware.
pub const COMPONENTS: &[&str] = &["processor", "memory", "pcie", "pci", "other"];
/// What a machine check reports an error of.
pub const MACHINE_CHECKS: &[&str] = windows_codes::MCA_CLASSES;
/// Words for who held the memory when it ran out.
pub const MEMORY_HOLDERS: &[&str] = &["pool", "program", "programs", "other"];
/// Kinds of timeline entries.
pub const TIMELINE_KINDS: &[&str] = &[
    "driver-reset",
    "driver-error",
    "hardware-error",
    "storage-error",
    "drive-health",
    "file-system-error",
    "memory-exhausted",
    "memory-test",
    "image-refused",
    "security-block",
    "thermal",
    "driver-install",
    "update",
    "software-install",
    "device-problem",
    "service-error",
    "service-ended",
    "power-state",
    "log-cleared",
    "unclean-restart",
    "bugcheck",
    "power-loss",
    "crash",
    "hang",
    "start-failure",
    "exit",
    "report",
    "sigma",
    "other",
];
/// The levels of Sigma rules.
pub const SIGMA_LEVELS: &[&str] = evidence::SIGMA_LEVELS;

/// The words of a type that `schema.yaml` calls `words NAME`; none of an unknown one, which a test refuses.
pub(super) fn called(name: &str) -> &'static [&'static str] {
    match name {
        "address-kinds" => AddressKind::WORDS,
        "code-places" => CodePlace::WORDS,
        "components" => COMPONENTS,
        "debugger-suspects" => DEBUGGER_SUSPECTS,
        "drives" => DRIVES,
        "frameworks" => FRAMEWORKS,
        "incident-kinds" => INCIDENT_KINDS,
        "installations" => INSTALLATIONS,
        "instruction-extensions" => Extension::WORDS,
        "instruction-kinds" => InstructionKind::WORDS,
        "integrity-levels" => INTEGRITY_LEVELS,
        "locations" => LOCATIONS,
        "machine-checks" => MACHINE_CHECKS,
        "memory-holders" => MEMORY_HOLDERS,
        "named-parts" => NAMED_PARTS,
        "pages" => Page::WORDS,
        "sigma-levels" => SIGMA_LEVELS,
        "suspect-bases" => SUSPECT_BASES,
        "timeline-kinds" => TIMELINE_KINDS,
        _ => &[],
    }
}
